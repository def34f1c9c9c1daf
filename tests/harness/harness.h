/* SPDX-License-Identifier: Apache-2.0 */
/* harness.h - what tests have: the harness of the product, and a count of allocations. */
#pragma once
#include "src/conformance/harness.h"

/* How often this thread called malloc, calloc or realloc.  Counted only in executables that link alloc.c (the
 * dependency harness_dep); never under a sanitizer, and under valgrind only with
 * --soname-synonyms=somalloc=NONE. */
uint64_t harness_allocations (void);
bool harness_allocations_counted (void);
