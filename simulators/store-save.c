/* SPDX-License-Identifier: Apache-2.0 */
/* store-save.c - the whole store as typed values.
 *
 * What is written depends on the state alone: the same state gives the same bytes, whatever pools have been through.
 * What is read may be anything: every number is checked before it is used, and nothing is allocated for more than the
 * bytes that are there. */
#include "simulators/store-private.h"

#include "readers/reader.h"

/* 5: nodes without a stack had no visits; 4: what waits had no frames; 3: nodes with a stack had no times; 2: the queue
 * of mixed tags had the tag INT32_MIN, which a message can have too */
#define FORMAT 6
#define MOST_TASKS (1 << 24) /* in a run state; a table of so many is not too much to ask */

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

static void
store_save_put_names (const StoreNames *c, EveBlob *to)
{
  eve_put_int (to, c->n_met - c->n_own);
  for (uint32_t i = c->n_own; i < c->n_met; i++) {
    eve_put_text (to, c->values[i].name);
    eve_put_int (to, c->values[i].sense);
  }
}

static void
store_save_put_frames (const Store *s, uint32_t node, EveBlob *to)
{
  const StoreStack *stack = stack_of (s, node);
  uint32_t n = stack->depth;
  g_autofree uint32_t *frames = g_new (uint32_t, MAX (n, 1));

  for (uint32_t at = stack->top, i = n; at != NONE; at = s->frames[at].outer)
    frames[--i] = at;
  eve_put_int (to, stack->base);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < n; i++) {
    eve_put_int (to, (int64_t) s->frames[frames[i]].key);
    eve_put_int (to, s->frames[frames[i]].group);
    eve_put_int (to, s->frames[frames[i]].value);
  }
}

/* What nodes and edges have in common. */
static void
store_save_put_object (const Store *s, StateScope scope, uint32_t object, EveBlob *to)
{
  const StoreKind *kind = kind_of (s, scope);
  void *row = row_of (s, scope, object);
  const StoreLife *life = row;

  eve_put_int (to, life->clock);
  eve_put_int (to, life->since);
  eve_put_ints (to, inside (row, kind->spent), kind->n_spent);
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].scope == scope && is_cell (&s->attributes[i]) && s->attributes[i].kind != STATE_DATE)
      eve_put_int (to, get_cell (&s->attributes[i], row));
}

void
store_save (const Store *s, EveBlob *to)
{
  const TraceSource *source = s->bound ? trace_source (s->graph.source) : NULL;

  eve_put_int (to, FORMAT);
  eve_put_text (to, source ? source->name : s->source_name);
  state_save_graph (&s->graph, to);
  if (s->layout->grows)
    eve_put_int (to, s->model.n_attributes);
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].kind == STATE_VALUE)
      store_save_put_names (&s->names[i], to);
  eve_put_int (to, s->graph.n_nodes);
  for (uint32_t i = 0; i < s->graph.n_nodes; i++) {
    state_put_index (to, ((StoreNode *) store_node_at (s, i))->task);
    store_save_put_object (s, STATE_NODE, i, to);
    if (s->layout->node.stack) {
      store_times_save (s, i, to);
      store_save_put_frames (s, i, to);
    } else if (s->visits) {
      uint32_t n = s->layout->node.n_spent;
      eve_put_ints (to, s->visits + (size_t) n * i, n);
    }
  }
  eve_put_int (to, s->graph.n_edges);
  for (uint32_t i = 0; i < s->graph.n_edges; i++) {
    const StoreEdge *e = store_edge_at (s, i);
    eve_put_int (to, e->from);
    eve_put_int (to, e->to);
    eve_put_int (to, e->volume);
    eve_put_int (to, e->n_messages);
    store_save_put_object (s, STATE_EDGE, i, to);
  }
  store_messages_save (s, to);
  outbox_save (&s->outbox, to);
  if (s->layout->node.stack)
    outbox_save_frames (&s->outbox, to);
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static void
get_names (Store *s, uint32_t attribute, EveBlobView *b, bool *ok)
{
  StoreNames *c = &s->names[attribute];

  for (int64_t n = state_get (b, 0, STORE_MOST_VALUES + 1, ok); n > 0 && *ok; n--) {
    const char *name = eve_get_text (b);
    StateSense sense = (StateSense) state_get (b, STATE_SENSE_NONE, STATE_SENSE_GONE, ok);
    uint32_t next = c->n_met;
    /* each name once: it must become the next value */
    if (*ok && (c->n_met > STORE_MOST_VALUES || store_value (s, attribute, name, sense) != next || c->n_met == next))
      *ok = false;
  }
}

/* One more on the stack; what it was entered for was counted before it was saved. */
static uint32_t
open_time (Store *s, uint32_t node, uint32_t value, bool *ok)
{
  uint32_t time = store_find_time (s, node, value);

  if (time == NONE)
    time = store_find_time (s, node, STATE_OTHERS);
  if (time == NONE) { /* it is in what it was never in */
    *ok = false;
    return 0;
  }
  s->times.rows[time].open++;
  return time;
}

static void
store_save_get_frames (Store *s, uint32_t node, EveBlobView *b, bool *ok)
{
  uint32_t n_states = s->names[s->nodes.state].n_met;
  int64_t base = state_get (b, 0, (int64_t) n_states - 1, ok);

  for (int64_t n = state_get (b, 0, STORE_MOST_DEPTH, ok); n > 0 && *ok; n--) {
    uint64_t key = (uint64_t) eve_get_int (b);
    int64_t group = state_get (b, 0, UINT32_MAX, ok), value = state_get (b, 0, (int64_t) n_states - 1, ok);
    if (*ok)
      store_add_frame (s, node, key, (uint32_t) group, (uint32_t) value, open_time (s, node, (uint32_t) value, ok));
  }
  StoreStack *stack = stack_of (s, node);
  stack->base = (uint32_t) base;
  stack->base_time = open_time (s, node, stack->base, ok);
  stack->time = stack->top == NONE ? stack->base_time : s->frames[stack->top].time;
  /* the state that was read is the innermost one */
  if (*ok
      && store_get (s, (uint32_t) s->nodes.state, node)
             != (stack->top == NONE ? stack->base : s->frames[stack->top].value))
    *ok = false;
}

static void
get_object (Store *s, StateScope scope, uint32_t object, EveBlobView *b, bool *ok)
{
  const StoreKind *kind = kind_of (s, scope);
  void *row = row_of (s, scope, object);
  StoreLife *life = row;

  life->clock = eve_get_int (b);
  life->since = eve_get_int (b);
  state_get_spent (b, inside (row, kind->spent), kind->n_spent, ok);
  for (uint32_t i = 0; i < s->model.n_attributes && *ok; i++) {
    const StateAttribute *a = &s->attributes[i];
    int64_t most = a->kind == STATE_ENUM    ? (int64_t) a->n_values - 1
                   : a->kind == STATE_VALUE ? (int64_t) s->names[i].n_met - 1
                                            : INT64_MAX;
    if (a->scope == scope && is_cell (a) && a->kind != STATE_DATE)
      put_cell (a, row, state_get (b, a->kind == STATE_INT || a->kind == STATE_REAL ? INT64_MIN : 0, most, ok));
  }
}

static void
store_save_get_node (Store *s, EveBlobView *b, bool *ok)
{
  uint32_t task = state_get_index (b, ok);

  /* Tasks of a trace have dense numbers; those that nobody speaks of have no node. */
  if (task != NONE && (task >= MOST_TASKS || store_find_node (s, task) != NONE))
    *ok = false;
  if (!*ok)
    return;
  uint32_t node = store_add_node (s, task);
  get_object (s, STATE_NODE, node, b, ok);
  if (*ok && s->layout->node.stack)
    store_times_load (s, node, b, ok);
  if (*ok && s->layout->node.stack)
    store_save_get_frames (s, node, b, ok);
  if (*ok && !s->layout->node.stack && s->visits)
    state_get_spent (b, s->visits + (size_t) s->layout->node.n_spent * node, s->layout->node.n_spent, ok);
}

static void
get_edge (Store *s, EveBlobView *b, bool *ok)
{
  int64_t last = (int64_t) s->graph.n_nodes - 1;
  uint32_t from = (uint32_t) state_get (b, 0, last, ok), to = (uint32_t) state_get (b, 0, last, ok);

  if (!*ok || last < 0 || (!s->layout->no_pairs && store_find_edge (s, from, to) != NONE)) {
    *ok = false;
    return;
  }
  uint32_t edge = store_add_edge (s, from, to);
  StoreEdge *e = store_edge_at (s, edge);
  e->volume = eve_get_int (b);
  e->n_messages = (uint32_t) state_get (b, 0, UINT32_MAX, ok);
  get_object (s, STATE_EDGE, edge, b, ok);
}

bool
store_load (Store *s, EveBlobView *from)
{
  bool ok = true;

  store_reset (s);
  s->telling = s->telling_states = s->telling_messages = s->telling_frames = false;
  if (eve_get_int (from) != FORMAT)
    return false;
  const char *name = eve_get_text (from);
  s->source_name = *name ? g_strdup (name) : NULL;
  state_load_graph (&s->graph, from, &ok);
  s->now = s->graph.clock;
  if (s->layout->grows) {
    store_find_source (s);
    if (eve_get_int (from) != s->model.n_attributes)
      return false;
  }
  for (uint32_t i = 0; i < s->model.n_attributes && ok; i++)
    if (s->attributes[i].kind == STATE_VALUE)
      get_names (s, i, from, &ok);
  for (int64_t n = state_get (from, 0, INT32_MAX, &ok); n > 0 && ok; n--)
    store_save_get_node (s, from, &ok);
  for (int64_t n = state_get (from, 0, UINT32_MAX - 1, &ok); n > 0 && ok; n--)
    get_edge (s, from, &ok);
  if (ok)
    store_messages_load (s, from, &ok);
  if (ok)
    outbox_load (&s->outbox, &s->graph, UINT32_MAX, from, &ok);
  if (ok && s->layout->node.stack)
    outbox_load_frames (&s->outbox, &s->graph, from, &ok);
  return ok && eve_get_ok (from);
}
