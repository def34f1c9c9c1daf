/* SPDX-License-Identifier: Apache-2.0 */
/* dates.h - settings that are dates of the trace, in decimal seconds: where a window of time begins and ends. */
#pragma once
#include <stdbool.h>
#include "readers/event.h"

/* The date in ticks of the trace; `none` if the text is empty or no date.  [any thread] */
TRACE_API int64_t stats_date (const TraceSource *s, const char *text, int64_t none);
/* A date as sentences tell it, with the point of the person's language: where dates begin long after the clock, as
 * those that count from the epoch, since the first one, with a plus sign before it.  Read so wherever dates are.  n
 * >= 33. [any thread] */
TRACE_API void stats_date_told (const TraceClock *clock, int64_t date, char *buf, size_t n);
/* For `changed` of a component, when no trace is known yet: whether both are empty or dates, which else is told by
 * eve_fail().  Warns if the window ends before it begins, so that nothing counts: that is so at any instant, not at the
 * end alone.  [engine thread] */
TRACE_API bool stats_dates_check (EveComponent *c, const char *from, const char *to);
/* When the trace is known, after edits (stats_wires_changed), and at the end: the window in ticks, INT64_MIN and
 * INT64_MAX where it has no bound; it ends where all that comes does (stats_end_above).  Warns, once (*told, false at
 * first and after a change), if none of the trace lies in it; at rest nothing is told.  `s` may be NULL: not known. */
TRACE_API void stats_dates (EveComponent *c, const TraceSource *s, char *const text[2], bool *told, int64_t *from,
                            int64_t *to);

/* What the query "passes/1" gives: by what a component passes on at one of its outputs, nothing is dated after `to`, a
 * text as for stats_date(). */
typedef struct StatsPasses {
  uint32_t output;
  const char *to;
} StatsPasses;
/* The date after which nothing can come to a component, as all ways from the readers to its data inputs lead through
 * such outputs: what lasts then is not known to last on.  INT64_MAX: there is none.  Walks the program: after edits,
 * not for each datum.  [engine thread] */
TRACE_API int64_t stats_end_above (EveComponent *c, const TraceSource *s);
