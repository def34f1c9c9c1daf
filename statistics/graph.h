/* SPDX-License-Identifier: Apache-2.0 */
/* graph.h - where the data of a component come from.  Engine thread only. */
#pragma once
#include "simulators/state.h"
#include "readers/ref.h"
#include "statistics/types.h"

/* The graph of the simulator that feeds a component, through others or not, the nearest if there are several; NULL:
 * none does.  Walks the program: not for each datum. */
TRACE_API const StateGraph *stats_graph_above (EveComponent *c);
/* The graphs of all simulators that feed it, nearest first; g_ptr_array_unref.  Walks the program too. */
TRACE_API GPtrArray *stats_graphs_above (EveComponent *c);
/* Of these the one of a trace; NULL: none is, or nothing of that trace has come to it, or there are several, each with
 * numbers of its own: nobody knows then which of them a number is of. */
TRACE_API const StateGraph *stats_graph_of (const GPtrArray *graphs, uint16_t source);
/* The model of all those of a trace, whose attributes are numbered alike; NULL: there is none, or they differ. */
TRACE_API const StateModel *stats_model_of (const GPtrArray *graphs, uint16_t source);
/* What the model of a trace calls the state of its nodes, by its role, for who takes events and names values of it that
 * can be selected: of the first simulator of that trace in the program, upstream of the component or not; if there is
 * none, as those that came with Scope call it.  Good while the program is.  Walks the program too. */
TRACE_API const char *stats_state_name (const EveComponent *c, uint16_t source);
/* For who tells tasks apart by their numbers, which two traces give to different tasks: *own is the source of what came
 * before, 0: nothing, and becomes `other` then.  False after eve_fail(): they are of two traces. */
TRACE_API bool stats_same_trace (EveComponent *c, uint16_t *own, uint16_t other);
/* The same for who takes events, and keeps what it knows of their trace: when the reader has opened its trace again, as
 * a setting was set, all of it comes once more under a new number.  Then the component is reset first. */
TRACE_API bool stats_follow_trace (EveComponent *c, uint16_t *own, uint16_t other);
/* What people call a node, else its id; appended. */
TRACE_API void stats_node_name (const StateGraph *g, uint32_t node, GString *to);
/* Who a number is of: "fft 0", "t40002->t40003", "p->q (link3)", "all"; appended.  Without a graph of the same trace,
 * which may be NULL, links and nodes are told by number. */
TRACE_API void stats_owner_name (const StatsDatum *d, const StateGraph *graph, GString *to);
/* The same as what can be selected; nothing: of all, or of a link of which no graph knows. */
TRACE_API TraceRef stats_owner_ref (const StatsDatum *d, const StateGraph *graph);
/* What numbers that stand side by side differ in beside their owners: 0, or some of */
#define STATS_OF_TRACES                                                                                                \
  1u /* tasks of two traces may have one name, so that of its trace stands behind it, "fft 0 (s16)" */
#define STATS_OF_ATTRIBUTES 2u /* what of the owner it is stands in front, "Size of leaves" */
TRACE_API unsigned stats_differ_in (const StatsDatum *a, const StatsDatum *b);
/* What of its owner a number is, "Size of ", appended; nothing if nobody says. */
TRACE_API void stats_attribute_name (const StatsDatum *d, const StateGraph *graph, GString *to);
/* The same among several that differ in these. */
TRACE_API void stats_owner_name_among (const StatsDatum *d, const StateGraph *graph, unsigned differ, GString *to);
/* Whether two numbers are of one series: of one owner, and the same of it. */
static inline bool
stats_same_series (const StatsDatum *a, const StatsDatum *b)
{
  return a->owner == b->owner && a->owner_kind == b->owner_kind && a->source == b->source
         && a->attribute == b->attribute;
}
/* What a task is: its type, as the trace declares it, or else the program that it runs; interned, or NULL.  A task that
 * only tells further states of the one that it is inside of, and is called after it, is of a type of its own: "Host ·
 * Disk" of "node 7 · Disk".  `s` may be NULL, `task` TRACE_NONE. */
TRACE_API const char *stats_task_type (const TraceSource *s, uint32_t task);
typedef struct StatsNode {
  uint32_t node, task; /* task TRACE_NONE: it is none of the trace */
  uint32_t rank;       /* of its type */
  const char *type;    /* stats_task_type() */
} StatsNode;
/* The nodes of a graph that are present: those of one type together, in the order of the trace, what is no task of it
 * last; of StatsNode, g_array_unref. */
TRACE_API GArray *stats_nodes_in_order (const StateGraph *g);
/* Its number + 1 of each task of a trace, by id; g_hash_table_unref.  Good until the trace closes; `s` may be NULL. */
TRACE_API GHashTable *stats_tasks_by_id (const TraceSource *s);
/* Names the rows and the columns of a square matrix over the first n tasks of its source, 2^shift of them in each, and
 * says whom they are of; `s` may be NULL. */
TRACE_API void stats_matrix_of_tasks (StatsMatrix *m, const TraceSource *s, uint32_t shift, uint32_t n);
/* Whether the program was edited since this was asked before, so that somebody else may feed its components, and who
 * did may be gone.  Begin with *serial 0. */
TRACE_API bool stats_wires_changed (uint64_t *serial, const EveComponent *c);
typedef struct StatsWires {
  uint64_t serial; /* of the program when they were followed, + 1 */
  bool straight;
} StatsWires;
/* Whether something is connected to a component, and all of it comes from simulators themselves.  Cheap enough for each
 * span of data: the wires are followed again only after an edit.  Begin with zeroes. */
TRACE_API bool stats_graph_is_next (StatsWires *w, const EveComponent *c);
