/* SPDX-License-Identifier: Apache-2.0 */
/* dates.h - settings that are dates of the trace, in decimal seconds: where a window of time begins and ends. */
#pragma once
#include <stdbool.h>
#include "readers/event.h"

/* The date in ticks of the trace; `none` if the text is empty or no date.  [any thread] */
TRACE_API int64_t stats_date (const TraceSource *s, const char *text, int64_t none);
/* For `changed` of a component, when no trace is known yet: whether the setting is empty or a date, which else is told
 * by eve_fail().  [engine thread] */
TRACE_API bool stats_date_check (EveComponent *c, const char *setting, const char *text);
/* For `at_end`: warns if the window ends before it begins, so that nothing counts. */
TRACE_API void stats_dates_tell (EveComponent *c, int64_t from, int64_t to);
