/* SPDX-License-Identifier: Apache-2.0 */
/* store-save.c - the whole store as typed values.
 *
 * What is written depends on the state alone: the same state gives the same bytes, whatever pools have been through.
 * What is read may be anything: every number is checked before it is used. */
#include "simulators/store-private.h"

#include "readers/reader.h"

#define FORMAT 1
#define MOST_TASKS (1 << 24) /* in a run state; a table of so many is not too much to ask */

static void
put_column (const Store *s, uint32_t attribute, uint32_t n, EveBlob *to)
{
  g_autofree int64_t *v = g_new (int64_t, MAX (n, 1));

  for (uint32_t i = 0; i < n; i++)
    v[i] = s->attributes[attribute].kind == STATE_VALUE ? values (s, attribute)[i] : numbers (s, attribute)[i];
  eve_put_ints (to, v, n);
}

static void
put_values (const Store *s, uint32_t attribute, EveBlob *to)
{
  const StoreColumn *c = &s->columns[attribute];

  eve_put_int (to, c->n_met - c->n_own);
  for (uint32_t i = c->n_own; i < c->n_met; i++) {
    eve_put_text (to, c->values[i].name);
    eve_put_int (to, c->values[i].sense);
  }
}

static void
put_frames (const Store *s, uint32_t node, EveBlob *to)
{
  uint32_t n = s->depth[node];
  g_autofree uint32_t *frames = g_new (uint32_t, MAX (n, 1));

  for (uint32_t at = s->top[node], i = n; at != NONE; at = s->frames[at].outer)
    frames[--i] = at;
  eve_put_int (to, s->base[node]);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, (int64_t) s->frames[frames[i]].key);
    eve_put_int (to, s->frames[frames[i]].group);
    eve_put_int (to, s->frames[frames[i]].value);
  }
}

static void
put_messages (const Store *s, uint32_t edge, EveBlob *to)
{
  uint32_t n = 0;

  for (uint32_t at = s->first[edge]; at != NONE; at = s->messages[at].next)
    n++;
  eve_put_int (to, n);
  for (uint32_t at = s->first[edge]; at != NONE; at = s->messages[at].next) {
    eve_put_int (to, s->messages[at].sent);
    eve_put_int (to, s->messages[at].size);
    eve_put_int (to, s->messages[at].tag);
  }
}

static void
put_side (const Store *s, StateScope scope, EveBlob *to)
{
  const StoreSide *side = scope == STATE_NODE ? &s->nodes : &s->edges;
  uint32_t n = scope == STATE_NODE ? s->graph.n_nodes : s->graph.n_edges;

  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].scope == scope && is_cell (&s->attributes[i]))
      put_column (s, i, n, to);
  eve_put_ints (to, side->since, n);
  eve_put_ints (to, side->lived, n);
}

void
store_save (const Store *s, EveBlob *to)
{
  const TraceSource *source = s->bound ? trace_source (s->graph.source) : NULL;

  eve_put_int (to, FORMAT);
  eve_put_text (to, source ? source->name : s->source_name);
  state_save_graph (&s->graph, to);
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].kind == STATE_VALUE)
      put_values (s, i, to);
  eve_put_int (to, s->graph.n_nodes);
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    eve_put_int (to, s->task[i]);
  eve_put_int (to, s->graph.n_edges);
  for (uint32_t i = 0; i < s->graph.n_edges; i++) {
    eve_put_int (to, s->from[i]);
    eve_put_int (to, s->to[i]);
  }
  put_side (s, STATE_NODE, to);
  put_side (s, STATE_EDGE, to);
  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    put_frames (s, i, to);
  for (uint32_t i = 0; i < s->graph.n_edges; i++)
    put_messages (s, i, to);
  told_save (&s->told, to);
}

static bool
get_column (Store *s, uint32_t attribute, uint32_t n, EveBlobView *b)
{
  g_autofree int64_t *v = g_new (int64_t, MAX (n, 1));

  if (eve_get_ints (b, v, n) != n)
    return false;
  for (uint32_t i = 0; i < n; i++) {
    if (s->attributes[attribute].kind != STATE_VALUE)
      numbers (s, attribute)[i] = v[i];
    else if (v[i] >= 0 && v[i] < s->columns[attribute].n_met)
      values (s, attribute)[i] = (uint32_t) v[i];
    else
      return false;
  }
  return true;
}

static void
get_values (Store *s, uint32_t attribute, EveBlobView *b, bool *ok)
{
  StoreColumn *c = &s->columns[attribute];

  for (int64_t n = state_get (b, 0, STORE_MOST_VALUES + 1, ok); n > 0 && *ok; n--) {
    const char *name = eve_get_text (b);
    StateSense sense = (StateSense) state_get (b, STATE_SENSE_NONE, STATE_SENSE_GONE, ok);
    uint32_t next = c->n_met;
    /* each name once: it must become the next value */
    if (*ok && (c->n_met > STORE_MOST_VALUES || store_value (s, attribute, name, sense) != next || c->n_met == next))
      *ok = false;
  }
}

static void
get_frames (Store *s, uint32_t node, EveBlobView *b, bool *ok)
{
  uint32_t n_states = s->nodes.state >= 0 ? s->columns[s->nodes.state].n_met : 0;
  int64_t base = state_get (b, 0, UINT32_MAX, ok);

  for (int64_t n = state_get (b, 0, STORE_MOST_DEPTH, ok); n > 0 && *ok; n--) {
    uint64_t key = (uint64_t) eve_get_int (b);
    int64_t group = state_get (b, 0, UINT32_MAX, ok), value = state_get (b, 0, UINT32_MAX, ok);
    if (value >= n_states)
      *ok = false;
    else
      store_add_frame (s, node, key, (uint32_t) group, (uint32_t) value);
  }
  if (n_states > 0 && base >= n_states)
    *ok = false;
  s->base[node] = (uint32_t) base;
  /* the state that was read is the innermost one */
  if (*ok && n_states > 0
      && values (s, (uint32_t) s->nodes.state)[node]
             != (s->top[node] == NONE ? s->base[node] : s->frames[s->top[node]].value))
    *ok = false;
}

static void
get_messages (Store *s, uint32_t edge, EveBlobView *b, bool *ok)
{
  for (int64_t n = state_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    int64_t sent = eve_get_int (b), size = eve_get_int (b), tag = state_get (b, INT32_MIN, INT32_MAX, ok);
    if (*ok)
      store_add_message (s, edge, sent, size, (int32_t) tag);
  }
}

static bool
get_side (Store *s, StateScope scope, EveBlobView *b)
{
  StoreSide *side = side_of (s, scope);
  uint32_t n = scope == STATE_NODE ? s->graph.n_nodes : s->graph.n_edges;

  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].scope == scope && is_cell (&s->attributes[i]) && !get_column (s, i, n, b))
      return false;
  return eve_get_ints (b, side->since, n) == n && eve_get_ints (b, side->lived, n) == n;
}

/* Nodes and edges are made one by one as they are read, so nothing is allocated for more than the bytes that are there.
 */
static void
get_objects (Store *s, EveBlobView *b, bool *ok)
{
  for (int64_t n = state_get (b, 0, INT32_MAX, ok); n > 0 && *ok; n--) {
    int64_t task = state_get (b, 0, MOST_TASKS - 1, ok);
    if (*ok && store_find_node (s, (uint32_t) task) == NONE)
      store_add_node (s, (uint32_t) task);
    else
      *ok = false;
  }
  for (int64_t n = state_get (b, 0, UINT32_MAX - 1, ok); n > 0 && *ok; n--) {
    int64_t from = state_get (b, 0, UINT32_MAX, ok), to = state_get (b, 0, UINT32_MAX, ok);
    if (!*ok || from >= s->graph.n_nodes || to >= s->graph.n_nodes
        || store_add_edge (s, (uint32_t) from, (uint32_t) to) == NONE)
      *ok = false;
  }
}

bool
store_load (Store *s, EveBlobView *from)
{
  bool ok = true;

  store_reset (s);
  if (eve_get_int (from) != FORMAT)
    return false;
  const char *name = eve_get_text (from);
  s->source_name = *name ? g_strdup (name) : NULL;
  state_load_graph (&s->graph, from, &ok);
  s->now = s->graph.clock;
  for (uint32_t i = 0; i < s->model.n_attributes && ok; i++)
    if (s->attributes[i].kind == STATE_VALUE)
      get_values (s, i, from, &ok);
  if (ok)
    get_objects (s, from, &ok);
  ok = ok && get_side (s, STATE_NODE, from) && get_side (s, STATE_EDGE, from);
  for (uint32_t i = 0; i < s->graph.n_nodes && ok; i++)
    get_frames (s, i, from, &ok);
  for (uint32_t i = 0; i < s->graph.n_edges && ok; i++)
    get_messages (s, i, from, &ok);
  if (ok)
    told_load (&s->told, &s->graph, UINT32_MAX, from, &ok);
  store_find_source (s);
  return ok && eve_get_ok (from);
}
