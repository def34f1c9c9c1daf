/* SPDX-License-Identifier: Apache-2.0 */
/* ctf-fuzz.c - any files as a CTF trace; libbabeltrace2 under it is as it comes, without what finds faults. */
#include "readers/ctf/ctf.c"
#define FUZZED ctf
#define FUZZED_ARCHIVE
#include "tests/fuzz/converted-fuzz.h"

/* What the library has when it gives up a trace, by abort () too, which the reader comes back from, it does not give
 * back: no search for leaks.  That of the reader is searched in the tests of programs, whose traces are whole. */
int __lsan_is_turned_off (void);

int
__lsan_is_turned_off (void)
{
  return 1;
}
