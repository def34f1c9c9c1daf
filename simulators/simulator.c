/* SPDX-License-Identifier: Apache-2.0 */
#include "simulators/simulator.h"

void
state_reset_graph (StateGraph *g)
{
  g->n_nodes = g->n_edges = 0;
  g->clock = INT64_MIN;
  g->n_events = g->n_updates = g->n_impossible = 0;
  g->source = 0;
  g_ptr_array_set_size (g->impossible, 0);
}

void
state_save_graph (const StateGraph *g, EveBlob *to)
{
  eve_put_int (to, g->clock);
  eve_put_int (to, (int64_t) g->n_events);
  eve_put_int (to, (int64_t) g->n_updates);
  eve_put_int (to, (int64_t) g->n_impossible);
  eve_put_int (to, g->impossible->len);
  for (guint i = 0; i < g->impossible->len; i++)
    eve_put_text (to, g->impossible->pdata[i]);
}

void
state_load_graph (StateGraph *g, EveBlobView *from, bool *ok)
{
  g->clock = eve_get_int (from);
  g->n_events = (uint64_t) eve_get_int (from);
  g->n_updates = (uint64_t) eve_get_int (from);
  g->n_impossible = (uint64_t) eve_get_int (from);
  for (int64_t n = state_get (from, 0, 100, ok); n > 0 && *ok; n--)
    g_ptr_array_add (g->impossible, g_strdup (eve_get_text (from)));
}

void
outbox_keep_nothing (StateKeeper *self, uint32_t task, int64_t date, uint32_t state)
{
}

void
outbox_free (StateOutbox *t)
{
  g_free (t->changes.data);
  g_free (t->states.data);
  g_free (t->messages.data);
  g_free (t->frames.data);
}

static void
save_list (const StateList *l, const EveType *type, EveBlob *to)
{
  eve_put_int (to, l->n - l->out);
  for (uint32_t i = l->out; i < l->n; i++)
    type->save (NULL, (const char *) l->data + (size_t) type->size * i, to);
}

void
outbox_save (const StateOutbox *t, EveBlob *to)
{
  save_list (&t->changes, &state_type_change, to);
  save_list (&t->states, &state_type_change, to);
  save_list (&t->messages, &state_type_message, to);
}

/* `what` -1: a change of any attribute; else of this one. */
static void
load_changes (StateList *l, const StateGraph *g, int what, uint32_t n_nodes, EveBlobView *from, bool *ok)
{
  const uint32_t objects[] = { 1, n_nodes, g->n_edges };

  for (int64_t n = state_get (from, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    StateChange c = { 0 };
    if (!state_type_change.load (NULL, &c, from) || c.attribute >= g->model->n_attributes
        || g->model->attributes[c.attribute].scope != c.scope || c.object >= objects[c.scope]
        || (what >= 0 && c.attribute != what))
      *ok = false;
    else
      *(StateChange *) outbox_add (l, sizeof c) = c;
  }
}

void
outbox_load (StateOutbox *t, const StateGraph *g, uint32_t n_tasks, EveBlobView *from, bool *ok)
{
  load_changes (&t->changes, g, -1, g->n_nodes, from, ok);
  if (*ok)
    load_changes (&t->states, g, state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE), n_tasks, from, ok);
  for (int64_t n = *ok ? state_get (from, 0, UINT32_MAX - 1, ok) : 0; n > 0 && *ok; n--) {
    StateMessage m = { 0 };
    if (!state_type_message.load (NULL, &m, from))
      *ok = false;
    else
      *(StateMessage *) outbox_add (&t->messages, sizeof m) = m;
  }
  t->halfway = t->changes.n > 0 || t->states.n > 0 || t->messages.n > 0;
}

void
outbox_save_frames (const StateOutbox *t, EveBlob *to)
{
  save_list (&t->frames, &state_type_frame, to);
}

void
outbox_load_frames (StateOutbox *t, const StateGraph *g, EveBlobView *from, bool *ok)
{
  int attribute = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);

  for (int64_t n = state_get (from, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    StateChange c = { 0 };
    if (!state_type_frame.load (NULL, &c, from) || c.new_value < 0
        || c.new_value >= g->model->attributes[attribute].n_values)
      *ok = false;
    else
      *(StateChange *) outbox_add (&t->frames, sizeof c) = c;
  }
  t->halfway |= t->frames.n > 0;
}
