/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - a state graph that a simulator fills. */
#include "simulators/store-private.h"

#include "readers/pair.h"
#include "readers/reader.h"

/* ---- what views ask --------------------------------------------------------------------------------------------- */

static const void *
column (const StateGraph *g, uint32_t attribute, size_t *stride)
{
  const Store *s = (const Store *) g;

  *stride = cell_size (&s->attributes[attribute]);
  if (s->attributes[attribute].scope == STATE_GRAPH)
    return s->attributes[attribute].kind == STATE_DATE ? &s->graph.clock : NULL;
  return s->attributes[attribute].kind != STATE_PERCENT ? s->columns[attribute].cells : NULL;
}

/* The attribute that counts the time spent in a state, or -1. */
static int
percent_of (const Store *s, StateScope scope, uint32_t state)
{
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].kind == STATE_PERCENT && s->attributes[i].scope == scope && s->attributes[i].of == state)
      return (int) i;
  return -1;
}

static bool
counts (const Store *s, const StoreSide *side, uint32_t state)
{
  const StoreColumn *c = &s->columns[side->state];

  return state < c->n_met && c->values[state].sense != STATE_SENSE_GONE;
}

static void
spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *in_state,
       int64_t *total)
{
  Store *s = (Store *) g;
  const StoreSide *side = side_of (s, scope);
  int percent = percent_of (s, scope, state);

  if (side->state < 0)
    return;
  uint32_t now = values (s, (uint32_t) side->state)[object];
  int64_t running = at > side->since[object] ? minus (at, side->since[object]) : 0;
  *total = plus (*total, plus (side->lived[object], counts (s, side, now) ? running : 0));
  if (percent >= 0)
    *in_state = plus (*in_state, plus (numbers (s, (uint32_t) percent)[object], now == state ? running : 0));
}

static const char *
node_id (const StateGraph *g, uint32_t node)
{
  const TraceSource *source = trace_source (g->source);

  return source ? trace_task_id (source, ((const Store *) g)->task[node]) : "?";
}

static void
edge_ends (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to)
{
  *from = ((const Store *) g)->from[edge];
  *to = ((const Store *) g)->to[edge];
}

static void
text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Store *s = (const Store *) g;
  const StateAttribute *a = &s->attributes[attribute];
  const TraceSource *source = trace_source (g->source);

  if (a->scope == STATE_EDGE && a->role == STATE_ROLE_NAME)
    state_edge_id (g, object, to);
  if (a->scope != STATE_NODE || !source)
    return;
  const TraceTask *task = trace_task (source, s->task[object]);
  const TraceHost *host = task && task->host < source->hosts->len ? source->hosts->pdata[task->host] : NULL;
  const char *of_role = a->role == STATE_ROLE_NAME    ? trace_task_id (source, s->task[object])
                        : a->role == STATE_ROLE_LABEL ? trace_task_name (source, s->task[object])
                        : a->role == STATE_ROLE_PLACE ? (host ? host->name : NULL)
                                                      : NULL;
  g_string_append (to, of_role ? of_role : "");
}

static void
messages_of (const StateGraph *g, uint32_t edge, StateTotals *to)
{
  const Store *s = (const Store *) g;
  int traffic = state_with_role (&s->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  int count = state_with_role (&s->model, STATE_EDGE, STATE_ROLE_MESSAGES);
  int64_t bytes = traffic >= 0 ? numbers (s, (uint32_t) traffic)[edge] : 0;
  int64_t n = count >= 0 ? numbers (s, (uint32_t) count)[edge] : 0;

  to->received = plus (to->received, n);
  to->received_bytes = plus (to->received_bytes, bytes);
  for (uint32_t at = s->first[edge]; at != NONE; at = s->messages[at].next) {
    n = plus (n, 1);
    bytes = plus (bytes, s->messages[at].size);
  }
  to->sent = plus (to->sent, n);
  to->sent_bytes = plus (to->sent_bytes, bytes);
}

/* Of an edge, for Store.edge_of. */
static gpointer
ends (uint32_t from, uint32_t to)
{
  return GSIZE_TO_POINTER ((uint64_t) from << 32 | to);
}

static bool foresee (StateGraph *g, uint32_t attribute, uint32_t value, const char *name, StateSense sense);

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

void
store_init (Store *s, const char *model, const StateAttribute *attributes, uint32_t n)
{
  *s = (Store){ .nodes = { .state = -1, .clock = -1 }, .edges = { .state = -1, .clock = -1 } };
  s->attributes = g_memdup2 (attributes, n * sizeof *attributes);
  s->columns = g_new0 (StoreColumn, n);
  s->texts = g_string_chunk_new (1024);
  s->edge_of = g_hash_table_new (pair_hash_direct, NULL);
  s->model = (StateModel){ .name = model,
                           .attributes = s->attributes,
                           .n_attributes = n,
                           .column = column,
                           .spent = spent,
                           .text = text,
                           .foresee = foresee,
                           .messages = messages_of };
  s->graph = (StateGraph){ .model = &s->model,
                           .impossible = g_ptr_array_new_with_free_func (g_free),
                           .node_id = node_id,
                           .edge_ends = edge_ends };
  for (uint32_t i = 0; i < n; i++) {
    StateAttribute *a = &s->attributes[i];
    if (a->kind == STATE_VALUE) {
      s->columns[i].ids = g_hash_table_new (g_str_hash, g_str_equal);
      uint32_t n_own = a->n_values;
      a->n_values = 0;
      for (uint32_t k = 0; k < n_own; k++)
        store_value (s, i, attributes[i].values[k].name, attributes[i].values[k].sense);
      s->columns[i].n_own = n_own;
    }
    if (a->scope == STATE_GRAPH)
      continue;
    if (a->role == STATE_ROLE_STATE)
      side_of (s, a->scope)->state = (int) i;
    if (a->kind == STATE_DATE)
      side_of (s, a->scope)->clock = (int) i;
  }
  store_reset (s);
}

void
store_reset (Store *s)
{
  state_reset_graph (&s->graph);
  told_clear (&s->told);
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    s->columns[i].n_met = s->columns[i].n_own;
  s->n_node_of = s->n_frames = s->n_messages = 0;
  s->free_frame = s->free_message = NONE;
  g_hash_table_remove_all (s->edge_of);
  g_clear_pointer (&s->source_name, g_free);
  s->bound = false;
  s->now = INT64_MIN;
}

void
store_clear (Store *s)
{
  for (uint32_t i = 0; i < s->model.n_attributes; i++) {
    g_free (s->columns[i].cells);
    g_free (s->columns[i].values);
    g_clear_pointer (&s->columns[i].ids, g_hash_table_unref);
  }
  void *const all[] = { s->attributes, s->columns, s->nodes.since, s->nodes.lived, s->edges.since, s->edges.lived,
                        s->task,       s->top,     s->depth,       s->base,        s->node_of,     s->from,
                        s->to,         s->first,   s->last,        s->frames,      s->messages,    s->source_name };
  for (size_t i = 0; i < G_N_ELEMENTS (all); i++)
    g_free (all[i]);
  told_free (&s->told);
  g_ptr_array_unref (s->graph.impossible);
  g_hash_table_unref (s->edge_of);
  g_string_chunk_free (s->texts);
}

/* A source of the name that was saved; its number may be another one in this process. */
void
store_find_source (Store *s)
{
  for (int i = 0; !s->bound && s->source_name && i <= UINT8_MAX; i++) {
    const TraceSource *source = trace_source ((uint8_t) (s->graph.source + i));
    if (source && g_strcmp0 (source->name, s->source_name) == 0) {
      s->graph.source = source->number;
      s->bound = true;
    }
  }
}

/* The first trace is the trace; after a load, one of the same name. */
static bool
follow (Store *s, uint8_t number)
{
  const TraceSource *source = trace_source (number);

  store_find_source (s);
  if (s->bound && (s->graph.source == number || s->graph.n_nodes > 0))
    return s->graph.source == number;
  if (!source || (s->source_name && g_strcmp0 (source->name, s->source_name) != 0))
    return false;
  s->graph.source = number;
  return s->bound = true;
}

bool
store_event (Store *s, const TraceEvent *e)
{
  s->graph.n_events++;
  if (G_UNLIKELY (!s->bound || e->source != s->graph.source) && !follow (s, e->source)) {
    state_impossible (&s->graph, e, "is not of the trace that is being simulated; left out");
    return false;
  }
  if (G_UNLIKELY (e->date < s->graph.clock))
    state_impossible (&s->graph, e, "is dated before the event that came before it; taken at the date of that one");
  s->now = s->graph.clock = MAX (e->date, s->graph.clock);
  return true;
}

/* ---- values by name ------------------------------------------------------------------------------------------------ */

static void
forget_foreseen (Store *s, uint32_t attribute)
{
  StoreColumn *c = &s->columns[attribute];

  while (s->attributes[attribute].n_values > c->n_met)
    g_hash_table_remove (c->ids, c->values[--s->attributes[attribute].n_values].name);
}

/* The same name has the same colour in most traces, and different names different ones while there are enough. */
static uint8_t
colour_for (const StoreColumn *c, uint32_t n_values, const char *name)
{
  uint32_t taken[STATE_COLOURS] = { 0 }, wish = g_str_hash (name) * 2654435761u >> 8, best = wish % STATE_COLOURS;

  for (uint32_t i = 0; i < MIN (n_values, 10 * STATE_COLOURS); i++)
    if (c->values[i].sense == STATE_SENSE_NONE && c->values[i].colour > 0)
      taken[c->values[i].colour - 1]++;
  for (uint32_t i = 0; i < STATE_COLOURS; i++)
    if (taken[(wish + i) % STATE_COLOURS] < taken[best])
      best = (wish + i) % STATE_COLOURS;
  return (uint8_t) (best + 1);
}

static uint32_t
add_value (Store *s, uint32_t attribute, const char *name, StateSense sense)
{
  StoreColumn *c = &s->columns[attribute];
  StateAttribute *a = &s->attributes[attribute];
  uint32_t value = a->n_values;

  c->values = state_room (c->values, value, &c->room, sizeof *c->values);
  a->values = c->values;
  c->values[value] = (StateValue){ g_string_chunk_insert (s->texts, name), sense, colour_for (c, value, name) };
  g_hash_table_insert (c->ids, (gpointer) c->values[value].name, GUINT_TO_POINTER (value + 1));
  a->n_values++;
  return value;
}

uint32_t
store_value (Store *s, uint32_t attribute, const char *name, StateSense sense)
{
  StoreColumn *c = &s->columns[attribute];
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
    add_value (s, attribute, name, sense);
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
  if (value > a->n_values || value > STORE_MOST_VALUES || g_hash_table_contains (s->columns[attribute].ids, name))
    return false;
  add_value (s, attribute, name, sense);
  return true;
}

/* ---- telling ---------------------------------------------------------------------------------------------------------- */

static void
tell (Store *s, uint32_t attribute, uint32_t object, int64_t old, int64_t new)
{
  StateScope scope = s->attributes[attribute].scope;
  StateChange change = { .date = s->now,
                         .old_value = old,
                         .new_value = new,
                         .object = object,
                         .attribute = (uint16_t) attribute,
                         .source = s->graph.source,
                         .scope = (uint8_t) scope };

  s->graph.n_updates++;
  if (s->telling)
    *(StateChange *) told_add (&s->told.changes, sizeof change) = change;
  if (scope != STATE_NODE || (int) attribute != s->nodes.state || !s->telling_states)
    return;
  change.object = s->task[object];
  told_state (&s->told, &change);
}

/* ---- objects ----------------------------------------------------------------------------------------------------------- */

static void
more (void *array, uint32_t room, size_t size)
{
  void **at = array;

  *at = g_realloc_n (*at, room, size);
}

/* Room for one more object, with all its attributes 0. */
static void
add_object (Store *s, StateScope scope, uint32_t object)
{
  StoreSide *side = side_of (s, scope);

  if (object >= side->room) {
    side->room = MAX (64, side->room * 2);
    more (&side->since, side->room, sizeof *side->since);
    more (&side->lived, side->room, sizeof *side->lived);
    if (scope == STATE_NODE) {
      uint32_t **const own[] = { &s->task, &s->top, &s->depth, &s->base };
      for (size_t i = 0; i < G_N_ELEMENTS (own); i++)
        more (own[i], side->room, sizeof (uint32_t));
    } else {
      uint32_t **const own[] = { &s->from, &s->to, &s->first, &s->last };
      for (size_t i = 0; i < G_N_ELEMENTS (own); i++)
        more (own[i], side->room, sizeof (uint32_t));
    }
    for (uint32_t i = 0; i < s->model.n_attributes; i++)
      if (s->attributes[i].scope == scope && is_cell (&s->attributes[i]))
        more (&s->columns[i].cells, side->room, cell_size (&s->attributes[i]));
  }
  for (uint32_t i = 0; i < s->model.n_attributes; i++)
    if (s->attributes[i].scope == scope && is_cell (&s->attributes[i]))
      memset ((char *) s->columns[i].cells + cell_size (&s->attributes[i]) * object, 0, cell_size (&s->attributes[i]));
  side->since[object] = s->now;
  side->lived[object] = 0;
  if (side->clock >= 0)
    numbers (s, (uint32_t) side->clock)[object] = s->now;
}

uint32_t
store_add_node (Store *s, uint32_t task)
{
  uint32_t node = s->graph.n_nodes;

  if (task >= s->n_node_of) {
    uint32_t n = MAX (task + 1, 2 * s->n_node_of);
    s->node_of = g_renew (uint32_t, s->node_of, n);
    memset (s->node_of + s->n_node_of, 0xff, (n - s->n_node_of) * sizeof *s->node_of);
    s->n_node_of = n;
  }
  add_object (s, STATE_NODE, node);
  s->task[node] = task;
  s->top[node] = NONE;
  s->depth[node] = s->base[node] = 0;
  s->node_of[task] = node;
  s->graph.n_nodes++;
  return node;
}

uint32_t
store_node (Store *s, uint32_t task, uint32_t state)
{
  uint32_t node = store_find_node (s, task);

  if (G_LIKELY (node != NONE))
    return node;
  node = store_add_node (s, task);
  if (s->nodes.state >= 0) {
    s->base[node] = values (s, (uint32_t) s->nodes.state)[node] = state;
    tell (s, (uint32_t) s->nodes.state, node, -1, state);
  }
  return node;
}

/* NONE: there is one already. */
uint32_t
store_add_edge (Store *s, uint32_t from, uint32_t to)
{
  uint32_t edge = s->graph.n_edges;

  if (!g_hash_table_insert (s->edge_of, ends (from, to), GUINT_TO_POINTER (edge + 1)))
    return NONE;
  add_object (s, STATE_EDGE, edge);
  s->from[edge] = from;
  s->to[edge] = to;
  s->first[edge] = s->last[edge] = NONE;
  s->graph.n_edges++;
  return edge;
}

uint32_t
store_edge (Store *s, uint32_t from, uint32_t to)
{
  uint32_t known = GPOINTER_TO_UINT (g_hash_table_lookup (s->edge_of, ends (from, to))), edge;

  if (G_LIKELY (known > 0))
    return known - 1;
  edge = store_add_edge (s, from, to);
  if (s->edges.state >= 0)
    tell (s, (uint32_t) s->edges.state, edge, -1, 0);
  return edge;
}

/* ---- attributes ---------------------------------------------------------------------------------------------------------- */

static void
set_state (Store *s, StateScope scope, uint32_t object, uint32_t state)
{
  StoreSide *side = side_of (s, scope);
  uint32_t *cell = &values (s, (uint32_t) side->state)[object], old = *cell;

  if (old == state)
    return;
  int64_t ticks = minus (s->now, side->since[object]);
  if (counts (s, side, old))
    side->lived[object] = plus (side->lived[object], ticks);
  int percent = percent_of (s, scope, old);
  if (percent >= 0)
    numbers (s, (uint32_t) percent)[object] = plus (numbers (s, (uint32_t) percent)[object], ticks);
  side->since[object] = s->now;
  if (side->clock >= 0)
    numbers (s, (uint32_t) side->clock)[object] = s->now;
  *cell = state;
  tell (s, (uint32_t) side->state, object, old, state);
}

int64_t
store_get (const Store *s, uint32_t attribute, uint32_t object)
{
  return s->attributes[attribute].kind == STATE_VALUE ? values (s, attribute)[object] : numbers (s, attribute)[object];
}

void
store_set (Store *s, uint32_t attribute, uint32_t object, int64_t value)
{
  const StateAttribute *a = &s->attributes[attribute];
  StoreSide *side = side_of (s, a->scope);

  if ((int) attribute == side->state) {
    if (a->scope == STATE_NODE)
      s->base[object] = (uint32_t) value;
    if (a->scope == STATE_EDGE || s->top[object] == NONE)
      set_state (s, a->scope, object, (uint32_t) value);
    return;
  }
  int64_t old = store_get (s, attribute, object);
  if (old == value)
    return;
  if (a->kind == STATE_VALUE)
    values (s, attribute)[object] = (uint32_t) value;
  else
    numbers (s, attribute)[object] = value;
  if (side->clock >= 0)
    numbers (s, (uint32_t) side->clock)[object] = s->now;
  tell (s, attribute, object, old, value);
}

/* ---- states inside states -------------------------------------------------------------------------------------------------- */

/* On top of a node's frames; the state stays what it is. */
void
store_add_frame (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value)
{
  uint32_t frame = s->free_frame;

  if (frame != NONE) {
    s->free_frame = s->frames[frame].outer;
  } else {
    frame = s->n_frames;
    s->frames = state_room (s->frames, frame, &s->frames_room, sizeof *s->frames);
    s->n_frames++;
  }
  s->frames[frame] = (StoreFrame){ .key = key, .group = group, .value = value, .outer = s->top[node] };
  s->top[node] = frame;
  s->depth[node]++;
}

static void
show_innermost (Store *s, uint32_t node)
{
  set_state (s, STATE_NODE, node, s->top[node] == NONE ? s->base[node] : s->frames[s->top[node]].value);
}

bool
store_push (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value)
{
  if (s->depth[node] >= STORE_MOST_DEPTH)
    return false;
  store_add_frame (s, node, key, group, value);
  show_innermost (s, node);
  return true;
}

static void
free_frame (Store *s, uint32_t node, uint32_t *link)
{
  uint32_t frame = *link;

  *link = s->frames[frame].outer;
  s->frames[frame].outer = s->free_frame;
  s->free_frame = frame;
  s->depth[node]--;
}

bool
store_pop (Store *s, uint32_t node, uint64_t key, uint32_t group)
{
  uint32_t *of_group = NULL, *link = &s->top[node];

  for (; *link != NONE && s->frames[*link].key != key; link = &s->frames[*link].outer)
    if (!of_group && s->frames[*link].group == group)
      of_group = link;
  if (*link == NONE)
    link = of_group;
  if (!link)
    return false;
  free_frame (s, node, link);
  show_innermost (s, node);
  return true;
}

void
store_pop_all (Store *s, uint32_t node)
{
  while (s->top[node] != NONE)
    free_frame (s, node, &s->top[node]);
}

/* ---- messages --------------------------------------------------------------------------------------------------------------- */

void
store_add_message (Store *s, uint32_t edge, int64_t sent, int64_t size, int32_t tag)
{
  uint32_t message = s->free_message;

  if (message != NONE) {
    s->free_message = s->messages[message].next;
  } else {
    message = s->n_messages;
    s->messages = state_room (s->messages, message, &s->messages_room, sizeof *s->messages);
    s->n_messages++;
  }
  s->messages[message] = (StoreMessage){ .sent = sent, .size = size, .tag = tag, .next = NONE };
  if (s->last[edge] != NONE)
    s->messages[s->last[edge]].next = message;
  else
    s->first[edge] = message;
  s->last[edge] = message;
}

void
store_send (Store *s, uint32_t edge, int64_t size, int32_t tag)
{
  store_add_message (s, edge, s->now, size, tag);
}

bool
store_receive (Store *s, uint32_t edge, int32_t tag, int64_t size, StoreMessage *got)
{
  uint32_t before = NONE, at = s->first[edge];

  while (at != NONE && s->messages[at].tag != tag) {
    before = at;
    at = s->messages[at].next;
  }
  *got = at != NONE ? s->messages[at] : (StoreMessage){ .sent = INT64_MIN, .tag = tag, .next = NONE };
  if (s->telling_messages)
    *(StateMessage *) told_add (&s->told.messages,
                                sizeof (StateMessage)) = (StateMessage){ .sent = got->sent,
                                                                         .received = s->now,
                                                                         .size = size,
                                                                         .from = s->task[s->from[edge]],
                                                                         .to = s->task[s->to[edge]],
                                                                         .tag = tag,
                                                                         .source = s->graph.source };
  if (at == NONE)
    return false;
  if (before != NONE)
    s->messages[before].next = s->messages[at].next;
  else
    s->first[edge] = s->messages[at].next;
  if (s->last[edge] == at)
    s->last[edge] = before;
  s->messages[at].next = s->free_message;
  s->free_message = at;
  return true;
}
