/* SPDX-License-Identifier: Apache-2.0 */
/* nearby.h - the next or previous event of a kind, a task, a tag, or between two tasks, from any event of a trace: by a
 * source of its own, so that nothing that is being played is touched.  Places are noted on the way (one for some ten
 * thousand events), so that what was read once is not read again to look back.  One thread. */
#pragma once
#include "readers/reader.h"

typedef struct Nearby Nearby;

/* What is sought: all of it must hold. */
typedef struct NearbySought {
  uint32_t task, peer; /* TRACE_NONE: any; `peer` with `task`: what one does with the other, in either direction */
  int32_t kind;        /* -1: any */
  bool ends;           /* of a kind: its end, not its begin */
  int32_t tag;         /* -1: any */
  uint32_t object;     /* TRACE_NONE: any */
} NearbySought;
#define NEARBY_ANY ((NearbySought){ TRACE_NONE, TRACE_NONE, -1, false, -1, TRACE_NONE })

/* Of the trace that `like` reads, with the same dates.  NULL and a sentence if it cannot be opened. */
Nearby *nearby_new (const TraceSource *like, const TraceProgress *progress, GError **error);
void nearby_free (Nearby *n); /* NULL: nothing */
/* Whether it is of that trace, as it is now. */
bool nearby_is_of (const Nearby *n, const TraceSource *source);

typedef enum { NEARBY_FAILED = -1, NEARBY_NONE, NEARBY_FOUND } NearbyResult;
/* The event of a number, from 0 on. */
NearbyResult nearby_event (Nearby *n, uint64_t number, TraceEvent *found, GError **error);
/* The last event of a task (TRACE_NONE: of any) that is dated <= date. */
NearbyResult nearby_last (Nearby *n, uint32_t task, int64_t date, TraceEvent *found, GError **error);
/* The first that is sought behind the event `from`, or the last before it (`back`).  UINT64_MAX: before the first, or
 * behind the last event. */
NearbyResult nearby_find (Nearby *n, uint64_t from, bool back, const NearbySought *sought, TraceEvent *found,
                          GError **error);
