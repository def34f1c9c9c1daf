/* SPDX-License-Identifier: Apache-2.0 */
/* clog-fuzz.c - any bytes as a log of CLOG or CLOG-2. */
#include "readers/mpe/bytes.c"
#include "readers/mpe/mpe.c"
#include "readers/clog/clog2.c"
#include "readers/clog/clog.c"
#define FUZZED clog_format
#include "tests/fuzz/converted-fuzz.h"
