/* SPDX-License-Identifier: Apache-2.0 */
/* wire-words.c - the datum that last passed an output, told with the names that the trace and its simulator know. */
#include "document/document.h"
#include "eve/words.h"
#include "statistics/types.h"

/* Of whom a change is, as people call it. */
static char *
owner (const StateGraph *g, const TraceSource *s, const EveType *type, const StateChange *c)
{
  g_autoptr (GString) text = g_string_new (NULL);
  uint32_t task = TRACE_NONE;

  if (type == &state_type_state)
    task = c->object;
  else if (c->scope == STATE_EDGE && g->edge_ends && c->object < g->n_edges)
    state_edge_id (g, c->object, text);
  else if (c->scope == STATE_NODE && c->object < g->n_nodes) {
    const char *id = g->node_id (g, c->object);
    for (uint32_t i = 0; s && i < s->tasks->len && task == TRACE_NONE; ++i)
      if (g_str_equal (trace_task (s, i)->id, id))
        task = i;
    g_string_append (text, id);
  } else
    g_string_append (text, _ ("the execution"));
  return g_strdup (task != TRACE_NONE && s && trace_task (s, task) ? trace_task_name (s, task) : text->str);
}

static char *
wire_words_value (const StateModel *m, int attribute, int64_t v)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (m->attributes[attribute].kind) {
  case STATE_ENUM:
  case STATE_VALUE:
    return v < 0 ? g_strdup (_ ("not there")) : g_strdup (state_value_word (state_value (m, attribute, (uint32_t) v)));
  case STATE_REAL:
    return g_strdup (g_ascii_formatd (number, sizeof number, "%g", state_real (v)));
  default:
    return g_strdup_printf ("%" G_GINT64_FORMAT, v);
  }
}

static char *
change_words (const StateGraph *g, const TraceSource *s, const EveType *type, const StateChange *c)
{
  int attribute = type == &state_type_state ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE)
                                            : (int) c->attribute;

  if (attribute < 0 || (uint32_t) attribute >= g->model->n_attributes)
    return NULL;
  const StateAttribute *a = &g->model->attributes[attribute];
  g_autofree char *who = owner (g, s, type, c);
  if (a->kind == STATE_TEXT) /* the numbers are the model's own */
    return g_strdup_printf (_ ("%s: another %s"), who, a->name);
  g_autofree char *before = wire_words_value (g->model, attribute, c->old_value),
                  *after = wire_words_value (g->model, attribute, c->new_value);
  if (a->role == STATE_ROLE_STATE && c->old_value < 0)
    return g_strdup_printf (_ ("%s: %s from now on"), who, after);
  return a->role == STATE_ROLE_STATE ? g_strdup_printf (_ ("%s: %s → %s"), who, before, after)
                                     : g_strdup_printf (_ ("%s: %s %s → %s"), who, a->name, before, after);
}

/* What a task is inside of. */
static char *
frame_words (const StateGraph *g, const TraceSource *s, const StateChange *c)
{
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);

  if (attribute < 0 || s == NULL || trace_task (s, c->object) == NULL)
    return NULL;
  g_autofree char *after = wire_words_value (g->model, attribute, c->new_value);
  return g_strdup_printf (_ ("%s: %s, at depth %u"), trace_task_name (s, c->object), after, c->attribute);
}

static char *
table_words (const StatsTable *t)
{
  g_autofree char *rows = g_strdup_printf (P_ ("%u row", "%u rows", t->n_rows), t->n_rows);

  return t->title ? g_strdup_printf (_ ("%s: %s"), in_words (t->title), rows) : g_steal_pointer (&rows);
}

char *
scope_wire_last (EveComponent *from, const char *out)
{
  const EveType *type = NULL;
  const void *slot = eve_out_last_slot (from, out, &type);
  if (slot && type == &stats_type_table && *(StatsTable *const *) slot)
    return table_words (*(StatsTable *const *) slot);
  bool frame = type == &state_type_frame;
  EveComponent *simulator = slot && (frame || state_is_change (type)) ? session_simulator_above (from) : NULL,
               *reader = simulator ? session_reader_above (simulator) : NULL;
  const StateGraph *g = simulator ? eve_query (simulator, "state-graph/1") : NULL;
  const TraceSource *s = reader ? session_source_of (reader) : NULL;
  char *words = !g ? NULL : frame ? frame_words (g, s, slot) : change_words (g, s, type, slot);

  return words ? words : eve_out_last (from, out);
}
