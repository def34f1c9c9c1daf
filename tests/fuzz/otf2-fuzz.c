/* SPDX-License-Identifier: Apache-2.0 */
/* otf2-fuzz.c - any files as an OTF2 archive; libotf2 under it is as it comes, without what finds faults. */
#include "readers/otf2/otf2.c"
#define FUZZED otf2
#define FUZZED_ARCHIVE
#include "tests/fuzz/converted-fuzz.h"
