/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/graph.h"
#include "eve/words.h"
#include <string.h>
#include "eve/eve-host.h"

const StateGraph *
stats_graph_above (EveComponent *c)
{
  g_autoptr (GPtrArray) above = eve_find_above (c, "state-graph/1");

  return above->len ? eve_query (above->pdata[0], "state-graph/1") : NULL;
}

GPtrArray *
stats_graphs_above (EveComponent *c)
{
  GPtrArray *above = eve_find_above (c, "state-graph/1");

  for (guint i = 0; i < above->len; i++)
    above->pdata[i] = (gpointer) eve_query (above->pdata[i], "state-graph/1");
  return above;
}

/* A graph to which nothing has come yet is of no trace. */
static bool
of_trace (const StateGraph *g, uint16_t source)
{
  return g->n_nodes > 0 && g->source == source;
}

const StateGraph *
stats_graph_of (const GPtrArray *graphs, uint16_t source)
{
  const StateGraph *only = NULL;

  for (guint i = 0; graphs && i < graphs->len; i++) {
    const StateGraph *g = graphs->pdata[i];
    if (!of_trace (g, source))
      continue;
    if (only)
      return NULL;
    only = g;
  }
  return only;
}

const StateModel *
stats_model_of (const GPtrArray *graphs, uint16_t source)
{
  const StateModel *common = NULL;

  for (guint i = 0; graphs && i < graphs->len; i++) {
    const StateGraph *g = graphs->pdata[i];
    if (!of_trace (g, source))
      continue;
    if (common && strcmp (common->name, g->model->name) != 0)
      return NULL;
    common = g->model;
  }
  return common;
}

bool
stats_same_trace (EveComponent *c, uint16_t *own, uint16_t other)
{
  const TraceSource *a = trace_source (*own), *b = trace_source (other);

  if (!*own)
    *own = other;
  else if (*own != other && a && b && !g_str_equal (a->path, b->path)) {
    eve_fail (
        c,
        _ ("Its wires lead to two executions, %s and %s, whose tasks it cannot tell apart; give each a %s of its own."),
        a->name, b->name, eve_class (c)->label);
    return false;
  }
  return true;
}

bool
stats_follow_trace (EveComponent *c, uint16_t *own, uint16_t other)
{
  if (*own && *own != other && !trace_source (*own) && trace_source (other)) {
    eve_class (c)->reset (c);
    *own = other;
  }
  return stats_same_trace (c, own, other);
}

const char *
stats_task_type (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s ? trace_task (s, task) : NULL;

  if (!t || t->type >= s->types->len)
    return t ? g_intern_string (t->program) : NULL;
  const char *name = ((const TraceType *) s->types->pdata[t->type])->name;
  const TraceTask *around = trace_task (s, t->parent);
  size_t n = around && g_str_has_prefix (t->id, around->id) ? strlen (around->id) : 0;
  if (n == 0 || around->type != t->type || !g_str_has_prefix (t->id + n, " \u00b7 "))
    return g_intern_string (name);
  g_autofree char *both = g_strconcat (name, t->id + n, NULL);
  return g_intern_string (both);
}

GHashTable *
stats_tasks_by_id (const TraceSource *s)
{
  GHashTable *tasks = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; s && i < s->tasks->len; i++)
    g_hash_table_insert (tasks, ((TraceTask *) s->tasks->pdata[i])->id, GUINT_TO_POINTER (i + 1));
  return tasks;
}

static int
statistics_graph_by_rank (gconstpointer a, gconstpointer b)
{
  const StatsNode *p = a, *q = b;

  return p->rank != q->rank   ? (p->rank > q->rank) - (p->rank < q->rank)
         : p->task != q->task ? (p->task > q->task) - (p->task < q->task)
                              : (p->node > q->node) - (p->node < q->node);
}

GArray *
stats_nodes_in_order (const StateGraph *g)
{
  const TraceSource *s = trace_source (g->source);
  g_autoptr (GHashTable) tasks = stats_tasks_by_id (s), ranks = g_hash_table_new (NULL, NULL);
  GArray *order = g_array_new (FALSE, FALSE, sizeof (StatsNode));

  for (uint32_t node = 0; node < g->n_nodes; node++) {
    StatsNode n = { .node = node, .task = GPOINTER_TO_UINT (g_hash_table_lookup (tasks, g->node_id (g, node))) - 1 };
    if (state_present (g, STATE_NODE, node))
      g_array_append_val (order, n);
  }
  g_array_sort (order, statistics_graph_by_rank);
  for (guint i = 0; i < order->len; i++) {
    StatsNode *n = &g_array_index (order, StatsNode, i);
    n->type = stats_task_type (s, n->task);
    n->rank = GPOINTER_TO_UINT (g_hash_table_lookup (ranks, n->type));
    if (n->rank == 0) {
      n->rank = g_hash_table_size (ranks) + 1;
      g_hash_table_insert (ranks, (gpointer) n->type, GUINT_TO_POINTER (n->rank));
    }
  }
  g_array_sort (order, statistics_graph_by_rank);
  return order;
}

static void
statistics_graph_put_link (const StateGraph *g, uint32_t edge, GString *to)
{
  state_edge_id (g, edge, to);
  gsize n = to->len;
  g_string_append (to, " (");
  if (state_edge_name (g, edge, to))
    g_string_append_c (to, ')');
  else
    g_string_truncate (to, n);
}

void
stats_node_name (const StateGraph *g, uint32_t node, GString *to)
{
  int label = state_with_role (g->model, STATE_NODE, STATE_ROLE_LABEL);
  gsize n = to->len;

  if (label >= 0 && state_has (g, (uint32_t) label, node))
    state_text (g, (uint32_t) label, node, g->clock, to);
  if (to->len == n)
    g_string_append (to, g->node_id (g, node));
}

/* Tasks by the id that they have in the trace, which is no other's; what is none, such as a service, as people call it.
 */
static void
statistics_graph_put_node (const StateGraph *g, uint32_t node, GString *to)
{
  if (g->model->task != NULL && g->model->task (g, node) == TRACE_NONE)
    stats_node_name (g, node, to);
  else
    g_string_append (to, g->node_id (g, node));
}

void
stats_owner_name (const StatsDatum *d, const StateGraph *graph, GString *to)
{
  const TraceSource *s = trace_source (d->source);

  if (graph && graph->source != d->source)
    graph = NULL;
  if (d->owner == TRACE_NONE || d->owner_kind == STATS_OF_ALL)
    g_string_append (to, "all");
  else if (d->owner_kind == STATS_OF_TASK && s && trace_task (s, d->owner))
    g_string_append (to, trace_task_name (s, d->owner));
  else if (d->owner_kind == STATS_OF_LINK && graph && d->owner < graph->n_edges)
    statistics_graph_put_link (graph, d->owner, to);
  else if (d->owner_kind == STATS_OF_NODE && graph && d->owner < graph->n_nodes)
    statistics_graph_put_node (graph, d->owner, to);
  else if (d->owner_kind == STATS_OF_GROUP && s && d->owner < s->objects->len)
    g_string_append (to, trace_object_id (s, d->owner));
  else if (d->owner_kind == STATS_OF_KIND && s && d->owner < s->n_kinds)
    g_string_append (to, s->kinds[d->owner].name);
  else
    g_string_append_printf (to, "%s%u",
                            d->owner_kind == STATS_OF_LINK   ? "link "
                            : d->owner_kind == STATS_OF_NODE ? "node "
                                                             : "",
                            d->owner);
}

/* The task that a node is; TRACE_NONE: it is none.  By its id, with which it mostly has its number, where the model
 * does not know: of many links that takes the square of their number. */
static uint32_t
task_of_node (const StateGraph *g, const TraceSource *s, uint32_t node)
{
  if (g->model && g->model->task) {
    uint32_t task = g->model->task (g, node);
    return task < s->tasks->len ? task : TRACE_NONE;
  }
  const char *id = g->node_id (g, node);

  if (node < s->tasks->len && strcmp (trace_task_id (s, node), id) == 0)
    return node;
  for (uint32_t i = 0; i < s->tasks->len; i++)
    if (strcmp (trace_task_id (s, i), id) == 0)
      return i;
  return TRACE_NONE;
}

static TraceRef
ref_of_node (const StateGraph *g, const TraceSource *s, uint32_t node)
{
  uint32_t task = task_of_node (g, s, node);

  return task != TRACE_NONE ? trace_ref_task (s->number, task)
                            : trace_ref_named (TRACE_REF_NODE, s->number, g->node_id (g, node));
}

TraceRef
stats_owner_ref (const StatsDatum *d, const StateGraph *graph)
{
  const TraceSource *s = trace_source (d->source);
  bool known = graph && s && graph->source == d->source;
  uint32_t from, to;

  if (d->owner == TRACE_NONE)
    return (TraceRef){ 0 };
  switch (d->owner_kind) {
  case STATS_OF_TASK:
    return trace_ref_task (d->source, d->owner);
  case STATS_OF_GROUP:
    return trace_ref (TRACE_REF_OBJECT, d->source, d->owner);
  case STATS_OF_KIND:
    return trace_ref (TRACE_REF_KIND, d->source, d->owner);
  case STATS_OF_NODE:
    return known && d->owner < graph->n_nodes ? ref_of_node (graph, s, d->owner) : (TraceRef){ 0 };
  case STATS_OF_LINK:
    if (!known || d->owner >= graph->n_edges)
      return (TraceRef){ 0 };
    graph->edge_ends (graph, d->owner, &from, &to);
    from = task_of_node (graph, s, from);
    to = task_of_node (graph, s, to);
    return from != TRACE_NONE && to != TRACE_NONE ? trace_ref_link (d->source, from, to) : (TraceRef){ 0 };
  default:
    return (TraceRef){ 0 };
  }
}

unsigned
stats_differ_in (const StatsDatum *a, const StatsDatum *b)
{
  return (a->source != b->source ? STATS_OF_TRACES : 0) | (a->attribute != b->attribute ? STATS_OF_ATTRIBUTES : 0);
}

void
stats_attribute_name (const StatsDatum *d, const StateGraph *graph, GString *to)
{
  const StateModel *m = graph && graph->source == d->source ? graph->model : NULL;

  if (d->attribute == 0)
    return;
  if (m && d->attribute <= m->n_attributes)
    g_string_append_printf (to, "%s of ", m->attributes[d->attribute - 1].name);
  else
    g_string_append_printf (to, _ ("attribute %u of "), d->attribute);
}

void
stats_owner_name_among (const StatsDatum *d, const StateGraph *graph, unsigned differ, GString *to)
{
  const TraceSource *s = differ & STATS_OF_TRACES ? trace_source (d->source) : NULL;

  if (differ & STATS_OF_ATTRIBUTES)
    stats_attribute_name (d, graph, to);
  stats_owner_name (d, graph, to);
  if (s)
    g_string_append_printf (to, " (%s)", s->name);
}

static bool
is_next (const EveComponent *c)
{
  const EveProgram *p = eve_program (c);
  bool next = false;

  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (w.to != c || w.broken)
      continue;
    if (eve_is_ghost (w.from) || !eve_query (w.from, "state-graph/1"))
      return false;
    next = true;
  }
  return next;
}

const char *
stats_state_name (const EveComponent *c, uint16_t source)
{
  const EveProgram *p = eve_program (c);

  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    EveComponent *other = eve_component (p, i);
    const StateGraph *g = eve_is_ghost (other) ? NULL : eve_query (other, "state-graph/1");
    int state = g != NULL && g->n_nodes > 0 && g->source == source
                    ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE)
                    : -1;
    if (state >= 0)
      return g->model->attributes[state].name;
  }
  return "State";
}

bool
stats_wires_changed (uint64_t *serial, const EveComponent *c)
{
  uint64_t now = eve_program_serial (eve_program (c)) + 1;
  bool changed = *serial != now;

  *serial = now;
  return changed;
}

bool
stats_graph_is_next (StatsWires *w, const EveComponent *c)
{
  if (stats_wires_changed (&w->serial, c))
    w->straight = is_next (c);
  return w->straight;
}

void
stats_matrix_of_tasks (StatsMatrix *m, const TraceSource *s, uint32_t shift, uint32_t n)
{
  for (uint32_t row = 0; row < m->n_rows; row++) {
    uint32_t first = row << shift, last = MIN (first + (1u << shift), n) - 1;
    g_autofree char *name = stats_name_of_several (s != NULL ? trace_task_name (s, first) : "?",
                                                   s != NULL ? trace_task_name (s, last) : "?", first < last);
    for (int column = 0; column < 2; column++) {
      stats_matrix_name (m, column, row, name);
      stats_matrix_set_owners (m, column, row, trace_ref_task (m->source, first), last - first + 1);
    }
  }
}
