/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/facts.h"
#include <string.h>
#include "views/paint.h"

static bool
is_node (const StateGraph *g, const char *id, uint32_t node)
{
  return node < g->n_nodes && strcmp (g->node_id (g, node), id) == 0;
}

uint32_t
facts_node (const StateGraph *g, const TraceSource *s, uint32_t task, uint32_t guess)
{
  const char *id;

  if (g == NULL || task >= s->tasks->len)
    return TRACE_NONE;
  id = trace_task_id (s, task);
  /* Simulators number tasks as they come, mostly. */
  if (is_node (g, id, guess))
    return guess;
  if (is_node (g, id, task))
    return task;
  for (uint32_t i = 0; i < g->n_nodes; i++)
    if (is_node (g, id, i))
      return i;
  return TRACE_NONE;
}

uint32_t
facts_edge (const StateGraph *g, const TraceSource *s, uint32_t from, uint32_t to, uint32_t guess)
{
  uint32_t a = facts_node (g, s, from, from), b = facts_node (g, s, to, to), x, y;

  if (a == TRACE_NONE || b == TRACE_NONE)
    return TRACE_NONE;
  if (guess < g->n_edges) {
    g->edge_ends (g, guess, &x, &y);
    if (x == a && y == b)
      return guess;
  }
  for (uint32_t i = 0; i < g->n_edges; i++) {
    g->edge_ends (g, i, &x, &y);
    if (x == a && y == b)
      return i;
  }
  return TRACE_NONE;
}

char *
facts_value (const StateGraph *g, uint32_t attribute, uint32_t object, int64_t at)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  g_autoptr (GString) text = g_string_new (NULL);

  state_text (g, attribute, object, MAX (at, g->clock), text);
  return a->kind == STATE_INT    ? paint_in_threes (text->str, false)
         : a->kind == STATE_DATE ? paint_in_threes (text->str, true)
                                 : g_strdup (text->str);
}

char *
facts_label (const StateAttribute *a)
{
  return g_strdup (a->name); /* as settings and tables name it */
}
