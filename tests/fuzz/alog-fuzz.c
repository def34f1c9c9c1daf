/* SPDX-License-Identifier: Apache-2.0 */
/* alog-fuzz.c - any bytes as an ALOG log. */
#include "readers/mpe/bytes.c"
#include "readers/mpe/mpe.c"
#include "readers/alog/alog.c"
#define FUZZED alog
#include "tests/fuzz/converted-fuzz.h"
