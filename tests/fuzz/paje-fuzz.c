/* SPDX-License-Identifier: Apache-2.0 */
/* paje-fuzz.c - any bytes as a Pajé trace. */
#include "readers/paje/head.c"
#include "readers/paje/line.c"
#include "readers/paje/links.c"
#include "readers/paje/write.c"
#include "readers/paje/paje.c"
#include "readers/paje/quick.c"
#define FUZZED paje
#include "tests/fuzz/converted-fuzz.h"
