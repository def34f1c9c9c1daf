/* SPDX-License-Identifier: Apache-2.0 */
/* chrome-fuzz.c - any bytes as a JSON trace of Chrome. */
#include "readers/chrome/json.c"
#include "readers/chrome/slices.c"
#include "readers/chrome/tasks.c"
#include "readers/chrome/async.c"
#include "readers/chrome/beside.c"
#include "readers/chrome/write.c"
#include "readers/chrome/chrome.c"
#define FUZZED chrome
#include "tests/fuzz/converted-fuzz.h"
