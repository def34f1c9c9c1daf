/* SPDX-License-Identifier: Apache-2.0 */
/* shiviz-fuzz.c - any bytes as a log whose entries are dated by vectors. */
#include "readers/shiviz/dates.c"
#include "readers/shiviz/order.c"
#include "readers/shiviz/shiviz.c"
#define FUZZED shiviz
#include "tests/fuzz/converted-fuzz.h"
