/* SPDX-License-Identifier: Apache-2.0 */
/* slog2-fuzz.c - any bytes as an SLOG-2 log. */
#include "readers/mpe/bytes.c"
#include "readers/slog2/slog2.c"
#define FUZZED slog2
#include "tests/fuzz/converted-fuzz.h"
