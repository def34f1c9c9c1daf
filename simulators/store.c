/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - a state graph that a simulator fills. */
#include "simulators/store-private.h"

#include <math.h>

#include "eve/eve-host.h"
#include "readers/reader.h"

#define FIRST_INDEX 64u

/* ---- what views ask --------------------------------------------------------------------------------------------- */

static const void *
store_column (const StateGraph *g, uint32_t attribute, size_t *stride)
{
  const Store *s = (const Store *) g;
  const StateAttribute *a = &s->attributes[attribute];

  *stride = 0;
  if (a->scope == STATE_GRAPH)
    return a->kind == STATE_DATE ? &s->graph.clock : NULL;
  const StoreSide *side = a->scope == STATE_NODE ? &s->nodes : &s->edges;
  *stride = kind_of (s, a->scope)->size;
  return is_cell (a) && side->rows ? side->rows + a->at : NULL;
}

static int
store_state_attribute_of (const Store *s, StateScope scope)
{
  return scope == STATE_NODE ? s->nodes.state : s->edges.state;
}

void
store_spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *in_state,
             int64_t *total)
{
  const Store *s = (const Store *) g;
  const StoreKind *kind = kind_of (s, scope);
  int attribute = store_state_attribute_of (s, scope);

  *in_state = *total = 0;
  if (attribute < 0)
    return;
  if (kind->stack) {
    store_times_spent (s, object, state, at, in_state, total);
    return;
  }
  void *row = row_of (s, scope, object);
  state_add_spent (inside (row, kind->spent), kind->n_spent, (uint32_t) get_cell (&s->attributes[attribute], row),
                   ((const StoreLife *) row)->since, state, at, in_state, total);
}

/* StateModel.visits, of models without a stack. */
static int64_t
visits_of (const StateGraph *g, uint32_t node, uint32_t state)
{
  const Store *s = (const Store *) g;
  uint32_t n = s->layout->node.n_spent;

  return state < n ? s->visits[(size_t) n * node + state] : 0;
}

/* StateModel.sums, of the same models: of the states that count, in one go over all nodes. */
static void
plain_sums (const StateGraph *g, int64_t at, GArray *to)
{
  const Store *s = (const Store *) g;
  const StoreKind *kind = kind_of (s, STATE_NODE);
  uint32_t n = kind->n_spent;

  if (s->nodes.state < 0)
    return;
  g_autofree int64_t *sums = g_new0 (int64_t, n + 1);
  for (uint32_t node = 0; node < g->n_nodes; node++) {
    void *row = row_of (s, STATE_NODE, node);
    const int64_t *past = inside (row, kind->spent);
    uint32_t now = (uint32_t) get_cell (&s->attributes[s->nodes.state], row);
    int64_t since = ((const StoreLife *) row)->since;
    for (uint32_t i = 0; i < n; i++)
      sums[i] = plus (sums[i], past[i]);
    if (now < n && at > since)
      sums[now] = plus (sums[now], minus (at, since));
  }
  for (uint32_t i = 0; i < n; i++)
    g_array_append_val (to, ((StateTime){ .value = i, .spent = sums[i], .visits = -1 }));
}

static const char *
store_node_id (const StateGraph *g, uint32_t node)
{
  const TraceSource *source = trace_source (g->source);

  return source ? trace_task_id (source, ((const StoreNode *) store_node_at ((const Store *) g, node))->task) : "?";
}

static uint32_t
store_task_of_node (const StateGraph *g, uint32_t node)
{
  return ((const StoreNode *) store_node_at ((const Store *) g, node))->task;
}

static void
edge_ends (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to)
{
  const StoreEdge *e = store_edge_at ((const Store *) g, edge);

  *from = e->from;
  *to = e->to;
}

static void
put_label (const StateGraph *g, uint32_t node, GString *to)
{
  int label = state_with_role (g->model, STATE_NODE, STATE_ROLE_LABEL);

  if (label >= 0)
    g->model->text (g, (uint32_t) label, node, to);
}

static void
store_task_text (const TraceSource *source, StateRole role, uint32_t number, GString *to)
{
  const TraceTask *task = trace_task (source, number);
  const TraceHost *host = task && task->host < source->hosts->len ? source->hosts->pdata[task->host] : NULL;
  const char *text = role == STATE_ROLE_NAME      ? trace_task_id (source, number)
                     : role == STATE_ROLE_LABEL   ? trace_task_name (source, number)
                     : role == STATE_ROLE_PLACE   ? (host ? host->name : NULL)
                     : role == STATE_ROLE_PROGRAM ? (task ? task->program : NULL)
                                                  : NULL;

  g_string_append (to, text ? text : "");
}

void
store_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Store *s = (const Store *) g;
  const StateAttribute *a = &s->attributes[attribute];
  const TraceSource *source = trace_source (g->source);

  if (a->scope == STATE_NODE && source)
    store_task_text (source, a->role, ((const StoreNode *) store_node_at (s, object))->task, to);
  else if (a->role == STATE_ROLE_CLOCK)
    g_string_append (to, source ? source->clock.units : "s");
  else if (a->scope == STATE_EDGE && a->role == STATE_ROLE_NAME)
    state_edge_id (g, object, to);
  else if (a->role == STATE_ROLE_FROM)
    put_label (g, store_edge_at (s, object)->from, to);
  else if (a->role == STATE_ROLE_TO)
    put_label (g, store_edge_at (s, object)->to, to);
}

/* A message that was received before the end of its send is told counts as received, and is on no edge. */
static void
messages_of (const StateGraph *g, uint32_t edge, StateTotals *to)
{
  const Store *s = (const Store *) g;
  const StoreEdge *e = store_edge_at (s, edge);
  int traffic = state_with_role (&s->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  int count = state_with_role (&s->model, STATE_EDGE, STATE_ROLE_MESSAGES);
  int64_t bytes = traffic >= 0 ? store_get (s, (uint32_t) traffic, edge) : 0;
  int64_t n = count >= 0 ? store_get (s, (uint32_t) count, edge) : 0;

  to->received = plus (to->received, n);
  to->received_bytes = plus (to->received_bytes, bytes);
  to->sent = plus (to->sent, plus (n, e->n_messages));
  to->sent_bytes = plus (to->sent_bytes, plus (bytes, e->volume));
}

static bool foresee (StateGraph *g, uint32_t attribute, uint32_t value, const char *name, StateSense sense);

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

void
store_init (Store *s, const StoreLayout *layout)
{
  uint32_t n = layout->n_attributes;

  *s = (Store){ .layout = layout, .nodes = { .state = -1 }, .edges = { .state = -1 } };
  s->attributes = g_memdup2 (layout->attributes, n * sizeof *s->attributes);
  s->names = g_new0 (StoreNames, n);
  s->texts = g_string_chunk_new (1024);
  s->model = (StateModel){ .name = layout->model,
                           .attributes = s->attributes,
                           .n_attributes = n,
                           .column = store_column,
                           .spent = store_spent,
                           .has = layout->has,
                           .text = layout->text ? layout->text : store_text,
                           .present = layout->present,
                           .foresee = foresee,
                           .messages = messages_of,
                           .task = store_task_of_node,
                           .visits = layout->node.stack ? NULL : visits_of,
                           .sums = layout->node.stack ? store_times_sums : plain_sums,
                           .times = layout->node.stack ? store_times : NULL };
  s->graph = (StateGraph){ .model = &s->model,
                           .impossible = g_ptr_array_new_with_free_func (g_free),
                           .node_id = layout->node_id ? layout->node_id : store_node_id,
                           .edge_ends = edge_ends };
  for (uint32_t i = 0; i < n; i++) {
    StateAttribute *a = &s->attributes[i];
    if (a->kind == STATE_VALUE) {
      s->names[i].ids = g_hash_table_new (g_str_hash, g_str_equal);
      uint32_t n_own = a->n_values;
      a->n_values = 0;
      for (uint32_t k = 0; k < n_own; k++) {
        const StateValue *own = &layout->attributes[i].values[k];
        uint32_t number = store_value (s, i, own->name, own->sense);
        StateValue *v = &s->names[i].values[number];
        v->unborn = own->unborn;
        v->doc = own->doc;
      }
      s->names[i].n_own = n_own;
    }
    if (a->role == STATE_ROLE_STATE && a->scope != STATE_GRAPH)
      (a->scope == STATE_NODE ? &s->nodes : &s->edges)->state = (int) i;
    s->reals |= a->kind == STATE_REAL;
  }
  s->filled = true;
  store_reset (s);
}

uint32_t
store_add_attribute (Store *s, const StateAttribute *a)
{
  uint32_t n = s->model.n_attributes;

  s->attributes = g_renew (StateAttribute, s->attributes, n + 1);
  s->names = g_renew (StoreNames, s->names, n + 1);
  s->attributes[n] = *a;
  s->attributes[n].name = g_string_chunk_insert_const (s->texts, a->name);
  s->attributes[n].unit = a->unit ? g_string_chunk_insert_const (s->texts, a->unit) : NULL;
  s->names[n] = (StoreNames){ 0 };
  s->reals |= a->kind == STATE_REAL;
  s->model.attributes = s->attributes;
  s->model.n_attributes = n + 1;
  return n;
}

void
store_forget_added (Store *s)
{
  s->model.n_attributes = s->layout->n_attributes;
}

static void
free_objects (Store *s)
{
  g_clear_pointer (&s->nodes.rows, g_free);
  g_clear_pointer (&s->edges.rows, g_free);
  g_clear_pointer (&s->node_of, g_free);
  g_clear_pointer (&s->edge_index, g_free);
  g_clear_pointer (&s->visits, g_free);
  g_clear_pointer (&s->frames, g_free);
  g_clear_pointer (&s->source_name, g_free);
  store_times_reset (&s->times);
  store_messages_reset (&s->messages);
}

void
store_reset (Store *s)
{
  state_reset_graph (&s->graph);
  outbox_clear (&s->outbox);
  free_objects (s);
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    s->names[i].n_met = s->names[i].n_own;
  s->nodes.room = s->edges.room = s->visits_room = s->n_node_of = s->edge_mask = s->n_frames = s->frames_room = 0;
  s->free_frame = NONE;
  s->bound = s->sure = false;
  s->now = INT64_MIN;
}

/* Values that were met have the colour of their name, where they are for nothing that has one; in waiting it tells what
 * for. */
static bool
has_colour_of_name (StateSense sense)
{
  return sense == STATE_SENSE_NONE || sense == STATE_SENSE_WAITS;
}

static void
name_is_gone (const Store *s, uint32_t attribute, uint32_t value)
{
  const StateValue *v = &s->names[attribute].values[value];

  if (value >= s->names[attribute].n_own && has_colour_of_name (v->sense))
    store_name_gone (s->attributes[attribute].name, v->name);
}

void
store_clear (Store *s)
{
  free_objects (s);
  for (uint32_t i = 0; i < s->model.n_attributes; i++) {
    for (uint32_t k = 0; s->names[i].values && k < s->attributes[i].n_values; k++)
      name_is_gone (s, i, k);
    g_free (s->names[i].values);
    g_clear_pointer (&s->names[i].ids, g_hash_table_unref);
  }
  g_free (s->names);
  g_free (s->attributes);
  outbox_free (&s->outbox);
  g_ptr_array_unref (s->graph.impossible);
  g_string_chunk_free (s->texts);
}

/* ---- the trace ---------------------------------------------------------------------------------------------------- */

bool
store_guess (Store *s, const TraceSource *source)
{
  if (s->layout->bind && !s->layout->bind (s, source))
    return false;
  s->graph.source = source->number;
  return s->bound = true;
}

const TraceSource *
store_source_above (EveComponent *c)
{
  g_autoptr (GPtrArray) above = eve_find_above (c, "trace-reader/1");
  const TraceReader *reader = above->len == 1 ? eve_query (above->pdata[0], "trace-reader/1") : NULL;

  return reader ? reader->source (above->pdata[0]) : NULL;
}

/* Its number may be another one in this process, and several be of its name: which of them the first event tells. */
void
store_find_source (Store *s)
{
  const TraceSource *source = s->source_name ? trace_source (s->likely) : NULL;

  if (!s->bound && source && g_strcmp0 (source->name, s->source_name) == 0)
    store_guess (s, source);
  for (source = NULL; !s->bound && s->source_name && (source = trace_source_after (source ? source->number : 0));)
    if (g_strcmp0 (source->name, s->source_name) == 0)
      store_guess (s, source);
}

bool
store_follow (Store *s, uint16_t number)
{
  const TraceSource *source = trace_source (number);

  if (s->sure)
    return s->graph.source == number;
  store_find_source (s);
  if (!s->bound || s->graph.source != number)
    if (!source || (s->source_name && g_strcmp0 (source->name, s->source_name) != 0) || !store_guess (s, source))
      return false;
  g_clear_pointer (&s->source_name, g_free);
  return s->sure = true;
}

/* ---- values by name ------------------------------------------------------------------------------------------------ */

static void
forget_foreseen (Store *s, uint32_t attribute)
{
  StoreNames *c = &s->names[attribute];

  while (s->attributes[attribute].n_values > c->n_met) {
    const StateValue *v = &c->values[--s->attributes[attribute].n_values];
    g_hash_table_remove (c->ids, v->name);
    name_is_gone (s, attribute, s->attributes[attribute].n_values);
  }
}

static uint32_t
store_add_value (Store *s, uint32_t attribute, const char *name, StateSense sense)
{
  StoreNames *c = &s->names[attribute];
  StateAttribute *a = &s->attributes[attribute];
  uint32_t value = a->n_values;

  c->values = state_room (c->values, value, &c->room, sizeof *c->values);
  a->values = c->values;
  /* what it is for has a colour, or else what it is called */
  c->values[value] = (StateValue){ g_string_chunk_insert (s->texts, name), sense,
                                   sense == STATE_SENSE_NONE || (s->filled && has_colour_of_name (sense))
                                       ? store_name_come (a->name, name)
                                       : 0,
                                   .given = s->filled && c->n_met < STORE_MOST_VALUES };
  g_hash_table_insert (c->ids, (gpointer) c->values[value].name, GUINT_TO_POINTER (value + 1));
  a->n_values++;
  return value;
}

uint32_t
store_value (Store *s, uint32_t attribute, const char *name, StateSense sense)
{
  StoreNames *c = &s->names[attribute];
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (c->ids, name));

  if (G_LIKELY (known > 0 && known <= c->n_met))
    return known - 1;
  if (c->n_met >= STORE_MOST_VALUES) {
    name = "others";
    sense = STATE_SENSE_NONE;
    known = GPOINTER_TO_UINT (g_hash_table_lookup (c->ids, name));
    if (known > 0 && known <= c->n_met)
      return known - 1;
  }
  if (known != c->n_met + 1) { /* not what a film said would come */
    forget_foreseen (s, attribute);
    store_add_value (s, attribute, name, sense);
  }
  return c->n_met++;
}

static bool
foresee (StateGraph *g, uint32_t attribute, uint32_t value, const char *name, StateSense sense)
{
  Store *s = (Store *) g;
  const StateAttribute *a = &s->attributes[attribute];

  if (value < a->n_values)
    return strcmp (a->values[value].name, name) == 0;
  if (value > a->n_values || value > STORE_MOST_VALUES || g_hash_table_contains (s->names[attribute].ids, name))
    return false;
  store_add_value (s, attribute, name, sense);
  return true;
}

/* ---- telling ---------------------------------------------------------------------------------------------------------- */

void
store_tell_change (Store *s, StateScope scope, uint32_t object, uint32_t attribute, int64_t old, int64_t new)
{
  *(StateChange *) outbox_add (&s->outbox.changes,
                               sizeof (StateChange)) = (StateChange){ .date = s->now,
                                                                      .old_value = old,
                                                                      .new_value = new,
                                                                      .object = object,
                                                                      .attribute = (uint16_t) attribute,
                                                                      .source = s->graph.source,
                                                                      .scope = (uint8_t) scope };
}

static inline uint32_t
store_task_of (const Store *s, uint32_t node)
{
  return ((const StoreNode *) store_node_at (s, node))->task;
}

/* The state of a node or edge, also for those who want states of tasks alone. */
static void
state_changed (Store *s, StateScope scope, uint32_t object, int64_t old, int64_t new)
{
  store_changed (s, scope, object, (uint32_t) store_state_attribute_of (s, scope), old, new);
  if (scope == STATE_NODE && store_task_of (s, object) != NONE)
    store_tell_state (s, store_task_of (s, object), old, new);
}

void
store_tell_message (Store *s, uint32_t edge, int32_t tag, int64_t size, int64_t sent)
{
  const StoreEdge *e = store_edge_at (s, edge);

  if (s->telling_messages)
    *(StateMessage *) outbox_add (&s->outbox.messages, sizeof (StateMessage)) = (StateMessage){
      .sent = sent,
      .received = s->now,
      .size = size,
      .tag = tag,
      .from = ((StoreNode *) store_node_at (s, e->from))->task,
      .to = ((StoreNode *) store_node_at (s, e->to))->task,
      .source = s->graph.source
    };
}

/* ---- objects ----------------------------------------------------------------------------------------------------------- */

/* One more, all zero, born now. */
static void *
store_add_row (Store *s, StateScope scope, uint32_t object)
{
  StoreSide *side = scope == STATE_NODE ? &s->nodes : &s->edges;
  const StoreKind *kind = kind_of (s, scope);

  side->rows = state_room (side->rows, object, &side->room, kind->size);
  void *row = side->rows + (size_t) kind->size * object;
  memset (row, 0, kind->size);
  *(StoreLife *) row = (StoreLife){ s->now, s->now };
  for (uint32_t i = 0; s->reals && i < s->model.n_attributes; i++)
    if (s->attributes[i].scope == scope && s->attributes[i].kind == STATE_REAL)
      put_cell (&s->attributes[i], row, state_real_bits (NAN));
  return row;
}

static void
number_node (Store *s, uint32_t task, uint32_t node)
{
  if (task >= s->n_node_of) {
    uint32_t n = MAX (64, s->n_node_of);
    while (n <= task)
      n *= 2;
    s->node_of = g_renew (uint32_t, s->node_of, n);
    memset (s->node_of + s->n_node_of, 0xff, (n - s->n_node_of) * sizeof *s->node_of);
    s->n_node_of = n;
  }
  s->node_of[task] = node;
}

uint32_t
store_add_node (Store *s, uint32_t task)
{
  uint32_t node = s->graph.n_nodes++, n_spent = s->layout->node.n_spent;
  StoreNode *n = store_add_row (s, STATE_NODE, node);

  n->task = task;
  n->first_out = NONE;
  if (n_spent > 0) {
    s->visits = state_room (s->visits, node, &s->visits_room, n_spent * sizeof *s->visits);
    memset (s->visits + (size_t) n_spent * node, 0, n_spent * sizeof *s->visits);
  }
  if (s->layout->node.stack)
    *stack_of (s, node) = (StoreStack){ .top = NONE, .first_time = NONE };
  if (task != NONE)
    number_node (s, task, node);
  return node;
}

uint32_t
store_node (Store *s, uint32_t task, uint32_t state)
{
  uint32_t node = store_find_node (s, task);

  if (G_LIKELY (node != NONE))
    return node;
  node = store_add_node (s, task);
  put_cell (&s->attributes[s->nodes.state], store_node_at (s, node), state);
  if (s->layout->node.stack) {
    uint32_t time = store_time (s, node, state);
    stack_of (s, node)->base = state;
    stack_of (s, node)->base_time = stack_of (s, node)->time = time;
    store_enter_time (s, time);
    store_sum_enter (&s->times, s->times.rows[time].value, ((const StoreNode *) store_node_at (s, node))->life.since);
    store_tell_frame (s, task, 0, state);
  } else {
    store_visit (s, node, s->layout->node.n_spent, state);
  }
  state_changed (s, STATE_NODE, node, -1, state);
  return node;
}

static inline uint64_t
store_hash_of (uint32_t from, uint32_t to)
{
  return ((uint64_t) from << 32 | to) * UINT64_C (0x9e3779b97f4a7c15);
}

uint32_t
store_find_edge (const Store *s, uint32_t from, uint32_t to)
{
  uint64_t hash = store_hash_of (from, to), tag = (uint32_t) hash;

  if (!s->edge_index)
    return NONE;
  for (uint32_t i = (uint32_t) (hash >> 32) & s->edge_mask;; i = (i + 1) & s->edge_mask) {
    uint64_t entry = s->edge_index[i];
    if (entry == 0)
      return NONE;
    if (entry >> 32 == tag) {
      const StoreEdge *e = store_edge_at (s, (uint32_t) entry - 1);
      if (e->from == from && e->to == to)
        return (uint32_t) entry - 1;
    }
  }
}

static void
index_edge (Store *s, uint32_t edge)
{
  const StoreEdge *e = store_edge_at (s, edge);
  uint64_t hash = store_hash_of (e->from, e->to);
  uint32_t i = (uint32_t) (hash >> 32) & s->edge_mask;

  while (s->edge_index[i] != 0)
    i = (i + 1) & s->edge_mask;
  s->edge_index[i] = hash << 32 | (edge + 1);
}

uint32_t
store_add_edge (Store *s, uint32_t from, uint32_t to)
{
  uint32_t edge = s->graph.n_edges++;
  StoreEdge *e = store_add_row (s, STATE_EDGE, edge);
  StoreNode *origin = store_node_at (s, from);

  e->from = from;
  e->to = to;
  e->next_out = origin->first_out;
  origin->first_out = edge;
  if (s->layout->no_pairs)
    return edge;
  if (!s->edge_index || s->graph.n_edges * 2 > s->edge_mask) {
    s->edge_mask = s->edge_index ? s->edge_mask * 2 + 1 : FIRST_INDEX - 1;
    g_free (s->edge_index);
    s->edge_index = g_new0 (uint64_t, (gsize) s->edge_mask + 1);
    for (uint32_t i = 0; i <= edge; i++)
      index_edge (s, i);
  } else {
    index_edge (s, edge);
  }
  return edge;
}

uint32_t
store_edge (Store *s, uint32_t from, uint32_t to)
{
  uint32_t edge = store_find_edge (s, from, to);

  if (G_LIKELY (edge != NONE))
    return edge;
  edge = store_add_edge (s, from, to);
  if (s->edges.state >= 0)
    state_changed (s, STATE_EDGE, edge, -1, 0);
  return edge;
}

/* ---- attributes ---------------------------------------------------------------------------------------------------------- */

static void
set_plain_state (Store *s, StateScope scope, uint32_t object, uint32_t state)
{
  const StateAttribute *a = &s->attributes[store_state_attribute_of (s, scope)];
  const StoreKind *kind = kind_of (s, scope);
  void *row = row_of (s, scope, object);
  StoreLife *life = row;
  uint32_t old = (uint32_t) get_cell (a, row);

  if (old == state)
    return;
  int64_t ticks = minus (s->now, life->since);
  if (old < kind->n_spent) {
    int64_t *past = inside (row, kind->spent);
    past[old] = plus (past[old], ticks);
  }
  life->since = life->clock = s->now;
  put_cell (a, row, state);
  if (scope == STATE_NODE)
    store_visit (s, object, kind->n_spent, state);
  state_changed (s, scope, object, old, state);
}

/* A node with a stack takes the state of its innermost frame. */
static void
store_show_innermost (Store *s, uint32_t node)
{
  StoreNode *row = store_node_at (s, node);
  StoreStack *stack = stack_of (s, node);
  const StoreFrame *f = stack->top == NONE ? NULL : &s->frames[stack->top];
  uint32_t *cell = inside (row, s->attributes[s->nodes.state].at), old = *cell, state = f ? f->value : stack->base;

  if (old == state)
    return;
  StoreTime *past = &s->times.rows[stack->time];
  past->spent = plus (past->spent, minus (s->now, row->life.since));
  store_sum_leave (&s->times, past->value, row->life.since, s->now);
  stack->time = f ? f->time : stack->base_time;
  store_sum_enter (&s->times, s->times.rows[stack->time].value, s->now);
  row->life.since = row->life.clock = s->now;
  *cell = state;
  state_changed (s, STATE_NODE, node, old, state);
}

static void
set_base (Store *s, uint32_t node, uint32_t state)
{
  StoreStack *stack = stack_of (s, node);

  if (stack->base != state) {
    uint32_t time = store_time (s, node, state);
    store_leave_time (s, stack->base_time);
    store_enter_time (s, time);
    stack->base = state;
    stack->base_time = time;
    store_tell_frame (s, store_task_of (s, node), 0, state);
  }
  store_show_innermost (s, node);
}

int64_t
store_get (const Store *s, uint32_t attribute, uint32_t object)
{
  const StateAttribute *a = &s->attributes[attribute];

  return get_cell (a, row_of (s, a->scope, object));
}

void
store_set (Store *s, uint32_t attribute, uint32_t object, int64_t value)
{
  const StateAttribute *a = &s->attributes[attribute];

  if ((int) attribute == store_state_attribute_of (s, a->scope)) {
    if (a->scope == STATE_NODE && s->layout->node.stack)
      set_base (s, object, (uint32_t) value);
    else
      set_plain_state (s, a->scope, object, (uint32_t) value);
    return;
  }
  void *row = row_of (s, a->scope, object);
  int64_t old = get_cell (a, row);
  if (old == value)
    return;
  put_cell (a, row, value);
  ((StoreLife *) row)->clock = s->now;
  store_changed (s, a->scope, object, attribute, old, value);
}

/* ---- states inside states -------------------------------------------------------------------------------------------------- */

const StoreStack *
store_stack (const Store *s, uint32_t node)
{
  return stack_of (s, node);
}

void
store_add_frame (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value, uint32_t time)
{
  StoreStack *stack = stack_of (s, node);
  uint32_t frame = s->free_frame;

  if (frame != NONE) {
    s->free_frame = s->frames[frame].outer;
  } else {
    frame = s->n_frames;
    s->frames = state_room (s->frames, frame, &s->frames_room, sizeof *s->frames);
    s->n_frames++;
  }
  s->frames[frame] = (StoreFrame){ .key = key, .group = group, .value = value, .outer = stack->top, .time = time };
  stack->top = frame;
  stack->depth++;
}

bool
store_push (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value)
{
  if (stack_of (s, node)->depth >= STORE_MOST_DEPTH)
    return false;
  uint32_t time = store_time (s, node, value);
  store_enter_time (s, time);
  store_add_frame (s, node, key, group, value, time);
  store_tell_frame (s, store_task_of (s, node), stack_of (s, node)->depth, value);
  store_show_innermost (s, node);
  return true;
}

/* A value of the state that is no part of a life. */
static uint32_t
store_gone (const Store *s)
{
  const StateAttribute *a = &s->attributes[s->nodes.state];
  uint32_t i = 0;

  while (i + 1 < a->n_values && a->values[i].sense != STATE_SENSE_GONE)
    i++;
  return i;
}

/* The frame at a depth is no more: those inside of it are one less deep. */
static void
tell_less (Store *s, uint32_t node, uint32_t depth)
{
  const StoreStack *stack = stack_of (s, node);
  uint32_t task = store_task_of (s, node), at = stack->depth;

  for (uint32_t f = stack->top; f != NONE && at >= depth; f = s->frames[f].outer)
    store_tell_frame (s, task, at--, s->frames[f].value);
  store_tell_frame (s, task, stack->depth + 1, store_gone (s));
}

static void
free_frame (Store *s, StoreStack *stack, uint32_t *link)
{
  uint32_t frame = *link;

  store_leave_time (s, s->frames[frame].time);
  *link = s->frames[frame].outer;
  s->frames[frame].outer = s->free_frame;
  s->free_frame = frame;
  stack->depth--;
}

/* Ends the frame at `link`; false: NULL, or there is none. */
static bool
pop_frame (Store *s, uint32_t node, uint32_t *link)
{
  StoreStack *stack = stack_of (s, node);

  if (!link || *link == NONE)
    return false;
  uint32_t depth = stack->depth;
  for (uint32_t f = stack->top; s->telling_frames && f != *link; f = s->frames[f].outer)
    depth--;
  free_frame (s, stack, link);
  if (s->telling_frames)
    tell_less (s, node, depth);
  store_show_innermost (s, node);
  return true;
}

bool
store_pop (Store *s, uint32_t node, uint64_t key, uint32_t group)
{
  uint32_t *of_group = NULL, *link = &stack_of (s, node)->top;

  for (; *link != NONE && s->frames[*link].key != key; link = &s->frames[*link].outer)
    if (!of_group && s->frames[*link].group == group)
      of_group = link;
  return pop_frame (s, node, *link == NONE ? of_group : link);
}

bool
store_pop_key (Store *s, uint32_t node, uint64_t key)
{
  uint32_t *link = &stack_of (s, node)->top;

  while (*link != NONE && s->frames[*link].key != key)
    link = &s->frames[*link].outer;
  return pop_frame (s, node, link);
}

void
store_pop_all (Store *s, uint32_t node)
{
  StoreStack *stack = stack_of (s, node);

  while (stack->top != NONE) {
    store_tell_frame (s, store_task_of (s, node), stack->depth, store_gone (s));
    free_frame (s, stack, &stack->top);
  }
}
