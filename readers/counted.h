/* SPDX-License-Identifier: Apache-2.0 */
/* counted.h - components that count what comes, and can count that of a range of dates alone: they answer the query
 * "counted/1" with this.
 *
 * Who wants a range plays until all is given that is dated before it and nothing of its first date, and lets them
 * begin; what they tell at its last date is then of the range.  It is no setting and no part of a run state: after it,
 * the program is of use for such ranges alone until it is reset.  Engine thread only. */
#pragma once
#include "readers/event.h"

#define TRACE_COUNTED "counted/1"

typedef struct TraceCounted {
  /* What came so far counts no more, and what lasts counts from `date` on, ticks of the trace.  NULL: nothing is to be
   * done, as what it tells is all asked of a simulator. */
  void (*begin) (EveComponent *self, int64_t date);
  /* Instead: it is reset, eve_component_reset(): it holds nothing but what has come. */
  bool anew;
  /* Its settings "from" and "to", dates in seconds that may be empty, say it before anything is given; `begin` may be
   * NULL. */
  bool by_settings;
  /* What it tells of an instant stays that of the instant: a simulator. */
  bool simulates;
} TraceCounted;

/* Some of what a component tells of a range may be known at the end of the trace alone.  Then the trace is played
 * twice: to its end first, with the settings of the range, and who answers this query keeps what is known there, over
 * the reset that follows. */
#define TRACE_FORESEES "foresees/1"
typedef struct TraceForesees {
  void (*foresee) (EveComponent *self);
} TraceForesees;

/* For `query` of a component that answers nothing else: it begins anew; its settings say it. */
TRACE_API const void *trace_counted_anew (EveComponent *c, const char *name);
TRACE_API const void *trace_counted_by_settings (EveComponent *c, const char *name);
