/* SPDX-License-Identifier: Apache-2.0 */
/* counts.h - how many events a trace has of each kind and of each task, where that is known without reading them. */
#pragma once
#include "readers/reader.h"

/* Those that end apart from the others.  `begun` and `ended` have room for all kinds, `of_tasks` for all tasks.  False,
 * and they are as they were: nobody knows but by reading all events. */
TRACE_API bool trace_counts (TraceSource *s, uint64_t *begun, uint64_t *ended, uint64_t *of_tasks);
