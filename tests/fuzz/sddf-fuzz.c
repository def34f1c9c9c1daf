/* SPDX-License-Identifier: Apache-2.0 */
/* sddf-fuzz.c - any bytes as an SDDF trace. */
#include "readers/sddf/sddf.c"
#include "readers/sddf/pvm.c"
#include "readers/sddf/map.c"
#include "readers/sddf/reader.c"
#define FUZZED sddf
#include "tests/fuzz/converted-fuzz.h"
