/* SPDX-License-Identifier: Apache-2.0 */
/* paraver-fuzz.c - any bytes as a Paraver trace. */
#include "readers/paraver/header.c"
#include "readers/paraver/names.c"
#include "readers/paraver/paraver.c"
#include "readers/paraver/records.c"
#include "readers/paraver/groups.c"
#include "readers/paraver/scan.c"
#define FUZZED paraver
#include "tests/fuzz/converted-fuzz.h"
