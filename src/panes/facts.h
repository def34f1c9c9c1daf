/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - the attributes of a task or link in the state graph at the present, as a person reads them. */
#pragma once
#include "simulators/state.h"

/* The node that is a task; TRACE_NONE: it does not live.  `guess` is looked at first: what was found the last time. */
uint32_t facts_node (const StateGraph *g, const TraceSource *s, uint32_t task, uint32_t guess);
/* The link between two tasks, or TRACE_NONE. */
uint32_t facts_edge (const StateGraph *g, const TraceSource *s, uint32_t from, uint32_t to, uint32_t guess);
/* "65 536", "71.2"; digits in groups, without the unit; "" if it has no value now; g_free. */
char *facts_value (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at);
/* Its name, as settings and tables have it: "PercentBusy"; g_free. */
char *facts_label (const StateAttribute *a);
