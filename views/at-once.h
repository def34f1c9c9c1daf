/* SPDX-License-Identifier: Apache-2.0 */
/* at-once.h - parts of a picture that hang on nothing of each other, done by all processors at once.  What they give
 * must not hang on which thread did which, nor on how many there are: the picture is the same on every machine. */
#pragma once
#include "readers/event.h"

#define AT_ONCE_MOST 8 /* threads, the caller's among them */

/* work() for each of n parts, once, in any order; comes back when all are done.  The caller works too, so it is right
 * where no thread can be had.  `least`: fewer parts than that for each thread are not worth another. */
TRACE_API void at_once (uint32_t n, uint32_t least, void (*work) (void *arg, uint32_t part), void *arg);
