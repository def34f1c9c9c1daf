/* SPDX-License-Identifier: Apache-2.0 */
/* counts.h - how many events a trace has of each kind and of each task, where that is known without reading them. */
#pragma once
#include "readers/reader.h"

/* Beside the number of events of a task: some of them are more than notes, than values that it has, and than its begin
 * and end. */
#define TRACE_COUNT_DOES (UINT64_C (1) << 63)
#define TRACE_COUNT_EVENTS (TRACE_COUNT_DOES - 1)

/* Whether an event of a kind is more than that: TRACE_COUNT_DOES, or 0. */
static inline uint64_t
trace_count_of_kind (const TraceKind *k)
{
  uint16_t acts = trace_acts (k);

  if (acts & TRACE_ACT_ADD || (acts & TRACE_ACT_SET && trace_kind_has (k, TRACE_ROLE_VALUE)))
    return 0;
  return acts & ~(TRACE_ACT_BIRTH | TRACE_ACT_DEATH | TRACE_ACT_MARK) ? TRACE_COUNT_DOES : 0;
}

/* Kinds that end apart from the others.  `begun` and `ended` have room for all kinds, `of_tasks` for all tasks.  False,
 * and they are as they were: nobody knows but by reading all events. */
TRACE_API bool trace_counts (TraceSource *s, uint64_t *begun, uint64_t *ended, uint64_t *of_tasks);
