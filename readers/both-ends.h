/* SPDX-License-Identifier: Apache-2.0 */
/* both-ends.h - events whose names differ in one word alone, as entry and exit: the one begins what the other ends. */
#pragma once
#include "readers/event.h"
#include <glib.h>

typedef struct BothEnds {
  bool begins, asks; /* asks: for a lock, which the other end gets */
  char *stem;        /* g_free: the name without that word */
} BothEnds;

/* False: no other of these names is the other end of this one. */
TRACE_API bool both_ends_of (const char *name, GHashTable *names, BothEnds *to);
/* The place of a word in a name, where it is a word of its own; NULL: nowhere. */
TRACE_API const char *both_ends_word (const char *name, const char *word);
