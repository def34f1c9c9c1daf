/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h - the attributes of a task or link in the state graph at the present, as a person reads them. */
#pragma once
#include "document/document.h"
#include "readers/more.h"
#include "readers/ref.h"
#include "simulators/state.h"

/* The node that is a task; TRACE_NONE: it does not live.  `guess` is looked at first: what was found the last time. */
uint32_t facts_node (const StateGraph *g, const TraceSource *s, uint32_t task, uint32_t guess);
/* The link between two tasks, or TRACE_NONE. */
uint32_t facts_edge (const StateGraph *g, const TraceSource *s, uint32_t from, uint32_t to, uint32_t guess);
/* "65 536", "71.2"; digits in groups, without the unit; "" if it has no value now; g_free. */
char *facts_value (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at);
/* Of several objects, each by its number in the graph: "Busy 3, Idle 1" of states; "sum 120, mean 30" of numbers that
 * count something; "mean 38.6" of percentages; "0.17 to 0.18" of dates; of texts the one that all have, or how many
 * there are. `range` (not NULL): the least and the most of numbers, as "5 to 70", or NULL; g_free both. */
char *facts_of_several (const StateGraph *g, uint32_t attribute, const uint32_t *objects, uint32_t n, int64_t at,
                        char **range);
/* Nodes of tasks that are selected and live now; `n_tasks`: how many are selected; g_free. */
uint32_t *facts_selected (const StateGraph *g, const TraceSource *s, const TraceRefs *selection, uint32_t *n_nodes,
                          uint32_t *n_tasks);
/* "t40002 fft 0", or "t40002" of one without a nickname; g_free. */
char *facts_task (const TraceSource *s, uint32_t task);
/* Whom a task waits for at the present, since when and until when, by the film, as views that draw waits tell it; adds
 * nothing of one that waits for nobody, but that it is on the critical path. */
void facts_waits (ScopeDocument *d, TraceRef what, void (*add) (void *to, const TraceTold *one), void *to);
/* That a task or link is not there at the present, which may be elsewhere than where it was pointed at; g_free. */
char *facts_absent (ScopeDocument *d, const TraceSource *s, bool link);
/* Of a name in one line: longer ones, as counters have, are wrapped beside their values. */
#define FACTS_NAME_CHARS 18
/* Its name, as settings and tables have it: "PercentBusy"; g_free. */
char *facts_label (const StateAttribute *a);
