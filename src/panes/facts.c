/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/facts.h"
#include <math.h>
#include <string.h>
#include "document/story.h"
#include "eve/number.h"
#include "eve/words.h"
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
  return a->kind == STATE_INT               ? paint_in_threes (text->str, false)
         : a->kind == STATE_DATE            ? paint_in_threes (text->str, true)
         : a->n_values > 0 && text->len > 0 ? g_strdup (state_word (g->model, (int) attribute, text->str))
         : a->kind == STATE_PERCENT || a->kind == STATE_REAL ? number_local (g_strdup (text->str))
                                                             : g_strdup (text->str);
}

char *
facts_label (const StateAttribute *a)
{
  return g_strdup (state_attribute_word (a)); /* as settings and tables name it */
}

/* ---- of several ------------------------------------------------------------------------------------------------------ */

uint32_t *
facts_selected (const StateGraph *g, const TraceSource *s, const TraceRefs *selection, uint32_t *n_nodes,
                uint32_t *n_tasks)
{
  uint32_t n = trace_refs_n (selection), *nodes = g_new (uint32_t, n + 1);
  g_autoptr (GHashTable) by_id = NULL;

  *n_nodes = *n_tasks = 0;
  for (uint32_t i = 0; i < n; i++) {
    TraceRef r = trace_refs_at (selection, i);
    uint32_t node = TRACE_NONE;
    if (r.type != TRACE_REF_TASK || r.source != s->number || r.id >= s->tasks->len)
      continue;
    ++*n_tasks;
    if (g == NULL)
      continue;
    const char *id = trace_task_id (s, r.id);
    if (is_node (g, id, r.id))
      node = r.id;
    else { /* nodes are numbered otherwise: looked up once for all */
      for (uint32_t k = 0; by_id == NULL && k < g->n_nodes; k++) {
        by_id = k == 0 ? g_hash_table_new (g_str_hash, g_str_equal) : by_id;
        for (; k < g->n_nodes; k++)
          g_hash_table_insert (by_id, (gpointer) g->node_id (g, k), GUINT_TO_POINTER (k + 1));
      }
      node = by_id != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (by_id, id)) - 1 : TRACE_NONE;
    }
    if (node != TRACE_NONE && state_present (g, STATE_NODE, node))
      nodes[(*n_nodes)++] = node;
  }
  return nodes;
}

static char *
facts_number (double x, const char *format)
{
  g_autofree char *text = g_strdup_printf (format, x);

  return paint_in_threes (text, false);
}

/* "Busy 3, Idle 1", the most frequent first as the model has them. */
static char *
facts_states_of (const StateGraph *g, uint32_t attribute, const uint32_t *objects, uint32_t n)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  g_autofree uint32_t *count = g_new0 (uint32_t, a->n_values + 1);
  GString *text = g_string_new (NULL);
  uint32_t value;

  for (uint32_t i = 0; i < n; i++)
    if (state_value_of (g, (int) attribute, objects[i], &value))
      count[MIN (value, a->n_values)]++;
  for (uint32_t k = 0; k < a->n_values; k++)
    if (count[k] > 0)
      g_string_append_printf (text, "%s%s %u", text->len > 0 ? ", " : "", state_value_word (&a->values[k]), count[k]);
  return g_string_free (text, FALSE);
}

static char *
texts_of (const StateGraph *g, uint32_t attribute, const uint32_t *objects, uint32_t n, int64_t at)
{
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *last = NULL;

  for (uint32_t i = 0; i < n; i++) {
    g_free (last);
    last = facts_value (g, attribute, objects[i], at);
    g_hash_table_add (met, g_strdup (last));
  }
  return g_hash_table_size (met) == 1 ? g_steal_pointer (&last)
                                      : g_strdup_printf (_ ("%u different"), g_hash_table_size (met));
}

char *
facts_of_several (const StateGraph *g, uint32_t attribute, const uint32_t *objects, uint32_t n, int64_t at,
                  char **range)
{
  const StateAttribute *a = &g->model->attributes[attribute];
  double sum = 0, least = INFINITY, most = -INFINITY;
  uint32_t n_known = 0, first = 0, last = 0;

  *range = NULL;
  if (a->kind == STATE_ENUM || a->kind == STATE_VALUE)
    return facts_states_of (g, attribute, objects, n);
  if (a->kind == STATE_TEXT)
    return texts_of (g, attribute, objects, n, at);
  at = MAX (at, g->clock);
  for (uint32_t i = 0; i < n; i++) {
    double x = state_number (g, attribute, objects[i], at);
    if (!isfinite (x))
      continue;
    n_known++;
    sum += x;
    first = x < least ? objects[i] : first;
    last = x > most ? objects[i] : last;
    least = fmin (least, x);
    most = fmax (most, x);
  }
  if (n_known == 0)
    return g_strdup ("");
  g_autofree char *from = facts_value (g, attribute, first, at), *to = facts_value (g, attribute, last, at);
  g_autofree char *all = facts_number (sum, a->kind == STATE_INT ? "%.0f" : "%.6g"),
                  *mean = facts_number (sum / n_known, a->kind == STATE_REAL ? "%.6g" : "%.1f");
  if (a->kind == STATE_DATE)
    return g_strcmp0 (from, to) == 0 ? g_strdup (from) : g_strdup_printf (_ ("%s to %s"), from, to);
  *range = g_strdup_printf (_ ("%s to %s"), from, to);
  return a->kind == STATE_PERCENT ? g_strdup_printf (_ ("mean %s"), mean)
                                  : g_strdup_printf (_ ("sum %s, mean %s"), all, mean);
}

char *
facts_task (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);

  return t != NULL && t->nickname != NULL ? g_strdup_printf ("%s %s", t->id, t->nickname)
                                          : g_strdup (trace_task_id (s, task));
}

void
facts_waits (ScopeDocument *d, TraceRef what, void (*add) (void *to, const TraceTold *one), void *to)
{
  const Names *names = NULL;
  const TraceSource *of = NULL;
  Stretches *waits = what.type == TRACE_REF_TASK ? story_waits (d, &names, &of) : NULL;
  ViewScene scene = { 0 };
  g_autoptr (GString) told = g_string_new (NULL);

  if (waits == NULL || of->number != what.source)
    return;
  scope_document_scene (d, &scene);
  scene.source = (TraceSource *) of;
  stretches_facts (waits, names, &scene, what.id, scope_document_at (d), told);
  g_auto (GStrv) lines = g_strsplit (told->str, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    g_auto (GStrv) parts = g_strsplit (*line, "\t", 2);
    if (g_strv_length (parts) == 2)
      add (to, &(TraceTold){ .name = parts[0], .value = parts[1] });
  }
}

char *
facts_absent (ScopeDocument *d, const TraceSource *s, bool link)
{
  g_autofree char *date = axis_date (&s->clock, scope_document_at (d), -1);

  return g_strdup_printf (link ? _ ("There is no such link at %s, where time stands.")
                               : _ ("It does not live at %s, where time stands."),
                          date);
}
