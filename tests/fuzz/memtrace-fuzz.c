/* SPDX-License-Identifier: Apache-2.0 */
/* memtrace-fuzz.c - any bytes as a file of memtrace. */
#include "readers/memtrace/stacks.c"
#include "readers/memtrace/memtrace.c"
#define FUZZED memtrace
#include "tests/fuzz/converted-fuzz.h"
