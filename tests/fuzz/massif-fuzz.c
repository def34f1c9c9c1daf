/* SPDX-License-Identifier: Apache-2.0 */
/* massif-fuzz.c - any bytes as a file of Massif. */
#include "readers/massif/massif.c"
#define FUZZED massif
#include "tests/fuzz/converted-fuzz.h"
