/* SPDX-License-Identifier: Apache-2.0 */
/* paths.h - ways to something: a label inside of a label, such as calls inside of calls.  Each way is known by a number
 * that it keeps; what is counted of it is the caller's, in arrays by that number.  One thread at a time. */
#pragma once
#include "readers/event.h"

#define STATS_NO_PATH UINT32_MAX

typedef struct StatsPath {
  uint32_t parent; /* always a lower number; STATS_NO_PATH: it is inside of nothing */
  uint32_t label;  /* what it is, as the caller counts them */
} StatsPath;

typedef struct StatsPaths { /* all zero: empty */
  StatsPath *at;
  uint32_t n, room;
  uint32_t *places, n_places; /* by hash of parent and label: a path + 1 */
} StatsPaths;

TRACE_API void stats_paths_clear (StatsPaths *p);
/* STATS_NO_PATH: there is none yet. */
TRACE_API uint32_t stats_paths_find (const StatsPaths *p, uint32_t parent, uint32_t label);
/* One more, which was not there; several may be inside of nothing under one label. */
TRACE_API uint32_t stats_paths_add (StatsPaths *p, uint32_t parent, uint32_t label);

/* All paths, each before those that are inside of it, which follow it in the order of `by` (of two paths' numbers, as
 * pointers to uint32_t); what is equal, by number.  Arrays of p->n, g_free. */
typedef struct StatsPathOrder {
  uint32_t *paths; /* in their order */
  uint32_t *depth; /* by path; 0: inside of nothing */
} StatsPathOrder;
TRACE_API StatsPathOrder stats_paths_order (const StatsPaths *p, GCompareDataFunc by, gpointer data);
TRACE_API void stats_path_order_clear (StatsPathOrder *o);
/* By path, whether none of those around it, but the outermost, has its label: sums over labels that count what is
 * inside of a path as well are of these.  `with_outermost`: that one is looked at too.  p->n of them, g_free. */
TRACE_API bool *stats_paths_outermost (const StatsPaths *p, const StatsPathOrder *o, bool with_outermost);
