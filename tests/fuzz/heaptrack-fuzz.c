/* SPDX-License-Identifier: Apache-2.0 */
/* heaptrack-fuzz.c - any bytes as a file of heaptrack. */
#include "readers/heaptrack/heaptrack.c"
#define FUZZED heaptrack
#include "tests/fuzz/converted-fuzz.h"
