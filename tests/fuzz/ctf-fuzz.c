/* SPDX-License-Identifier: Apache-2.0 */
/* ctf-fuzz.c - any files as a CTF trace; libbabeltrace2 under it is as it comes, without what finds faults. */
#include "readers/ctf/ctf.c"
#define FUZZED ctf
#define FUZZED_ARCHIVE
#include "tests/fuzz/converted-fuzz.h"
