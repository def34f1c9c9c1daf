/* SPDX-License-Identifier: Apache-2.0 */
/* stretch.h - a stretch of the time of a task that something is known of: what kind it is, and whose doing; such as a
 * wait of one for another.  Plain data that flow over wires, and that timelines show over what a task does.
 *
 * Stretches of one task may overlap, and come in the order in which they are known, not in that of their dates.  Engine
 * thread only. */
#pragma once
#include "readers/reader.h"

typedef struct StatsStretch {
  int64_t from, to;      /* ticks of the source's clock; `to` is not before `from` */
  int64_t date;          /* when all of it was known: not before `to` */
  const char *kind;      /* interned (g_intern_string), never NULL: "Late sender" */
  uint32_t owner, cause; /* tasks; cause TRACE_NONE: nobody's doing */
  uint16_t source;       /* of the trace */
  uint8_t leads;         /* 1: at `to` the owner could go on because of what `cause` did then: a path that is followed
                            backward from the owner goes on there */
} StatsStretch;
extern TRACE_API const EveType stats_type_stretch;
/* The kind of the stretch that tells where the path ends, at `to` of its owner, and from when on it is known: the last
 * of them counts.  It is no mark of its own.  `leads`: in parts of it nobody knows who waits for whom; one that takes
 * no time says so of all of it, and there is no path. */
#define STATS_STRETCH_PATH "Critical path"
#define STATS_STRETCH_KINDS 255 /* that a history tells apart */
/* Who tells of waits, each of which is the time of its owner once, answers this query with the number of the output
 * that has them, a const uint32_t. */
#define STATS_WAITS "waits/1"
/* Rows as of the other types of statistics/types.h, which stats_csv() calls. */
TRACE_API void stats_stretch_csv (const StatsStretch *s, GString *to);
