/* SPDX-License-Identifier: Apache-2.0 */
/* picl-fuzz.c - any bytes as a PICL trace. */
#include "readers/picl/new.c"
#include "readers/picl/old.c"
#include "readers/picl/groups.c"
#include "readers/picl/picl.c"
#define FUZZED picl
#include "tests/fuzz/converted-fuzz.h"
