/* SPDX-License-Identifier: Apache-2.0 */
/* sites.h - where blocks are allocated, by sampling (sites.c). */
#pragma once
#include "walk.h"

/* Before the program runs: one word of `words` is to be taken, 0: none.  Nothing happens where that is not possible. */
void sites_prepare (const Runtime *r, unsigned words);
/* Begins it, once the runtime has begun, unless the program has taken the profiler itself; with the runtime's lock. */
void sites_begin (const Runtime *r);
/* One of so many words is taken now; 0: none. */
unsigned sites_words (void);
/* Sections FRAMES, STACKS and SITES, when all blocks have numbers. */
void sites_put (Walk *w);
