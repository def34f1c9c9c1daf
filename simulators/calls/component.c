/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - a simulator for any trace: what each task is inside of, and what it has.
 *
 * It knows no programming model: what kinds of event do it asks trace_acts().  A call is a state, and so is a phase
 * that the program has named, or a state that the trace itself declares; they nest.  Variables of the trace are
 * attributes.  README.md says what each attribute is. */
#include "eve/eve-host.h"
#include "eve/words.h"
#include "readers/early.h"
#include "readers/pair.h"
#include "readers/reader.h"
#include "simulators/store.h"

#define MOST_VARIABLES 256   /* of different names; each has room in every node */
#define MOST_PAIRS (1 << 24) /* of groups and tags that are kept apart; others are told apart by their tags alone */

enum { COMPUTING, UNSEEN, DEAD, NO_STATE };
static const StateValue node_states[] = {
  [COMPUTING] = { "Computing", STATE_SENSE_WORKS },
  [UNSEEN] = { "Unseen", STATE_SENSE_GONE, .unborn = true, .doc = "nothing has come of it yet" },
  [DEAD] = { "Dead", STATE_SENSE_GONE },
  [NO_STATE] = { "No state", STATE_SENSE_REST },
};
enum { EMPTY, LOADED };
static const StateValue edge_states[] = {
  [EMPTY] = { "Empty", STATE_SENSE_REST },
  [LOADED] = { "Loaded", STATE_SENSE_COSTS },
};

enum {
  GRAPH_CLOCK,
  NODE_CLOCK,
  NODE_NAME,
  NODE_NICKNAME,
  NODE_HOST,
  NODE_STATE,
  NODE_DEPTH,
  NODE_CALLS,
  NODE_SENT,
  NODE_RECEIVED,
  NODE_PERCENT_COMPUTING,
  EDGE_CLOCK,
  EDGE_NAME,
  EDGE_STATE,
  EDGE_PENDING,
  EDGE_TOTAL,
  EDGE_MESSAGES,
  N_ATTRIBUTES
};

typedef struct Node {
  StoreNode node;
  StoreStack stack;
  uint32_t state;
  int64_t depth, calls, sent, received;
} Node; /* behind it its variables, a double each */

typedef struct Edge {
  StoreEdge edge;
  uint32_t state;
  int64_t pending, total, messages;
} Edge;

#define NODE STATE_NODE
#define EDGE STATE_EDGE
static const StateAttribute attributes[N_ATTRIBUTES] = {
  [GRAPH_CLOCK] = { "Clock", STATE_GRAPH, STATE_DATE, .doc = "Date of the last event." },
  [NODE_CLOCK] = { "Clock", NODE, STATE_DATE, STORE_AT (Node, node), .doc = "Date of its last change." },
  [NODE_NAME] = { "Name", NODE, STATE_TEXT, .role = STATE_ROLE_NAME, .doc = "Its identifier." },
  [NODE_NICKNAME] = { "Nickname", NODE, STATE_TEXT, .role = STATE_ROLE_LABEL, .doc = "What people call it." },
  [NODE_HOST] = { "Host", NODE, STATE_TEXT, .role = STATE_ROLE_PLACE, .doc = "The machine it runs on." },
  [NODE_STATE] = { "State", NODE, STATE_VALUE, STORE_AT (Node, state), STATE_VALUES (node_states),
                   .doc = "The innermost call or phase it is inside of; Computing in none." },
  [NODE_DEPTH] = { "Depth", NODE, STATE_INT, STORE_AT (Node, depth), .doc = "Calls and phases it is inside of." },
  [NODE_CALLS] = { "Calls", NODE, STATE_INT, STORE_AT (Node, calls), .doc = "Calls and phases it has begun so far." },
  [NODE_SENT] = { "Sent", NODE, STATE_INT, STORE_AT (Node, sent),
                  .doc = "Messages it has sent so far, one for each task they go to." },
  [NODE_RECEIVED] = { "Received", NODE, STATE_INT, STORE_AT (Node, received),
                      .doc = "Messages it has received so far." },
  [NODE_PERCENT_COMPUTING] = { "PercentComputing", NODE, STATE_PERCENT, .of = COMPUTING, .unit = "%",
                               .doc = "Share of its life that it was in no call and no phase." },
  [EDGE_CLOCK] = { "Clock", EDGE, STATE_DATE, STORE_AT (Edge, edge), .doc = "Date of its last change." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, .role = STATE_ROLE_NAME, .doc = "Who sends to whom." },
  [EDGE_STATE] = { "State", EDGE, STATE_VALUE, STORE_AT (Edge, state), STATE_VALUES (edge_states),
                   .doc = "Loaded while a message is on its way that nobody has received." },
  [EDGE_PENDING] = { "Traffic", EDGE, STATE_INT, STORE_AT (Edge, pending), .role = STATE_ROLE_PENDING, .unit = "B",
                     .doc = "Bytes on their way: sent, and not yet received." },
  [EDGE_TOTAL] = { "TotalTraffic", EDGE, STATE_INT, STORE_AT (Edge, total), .role = STATE_ROLE_TRAFFIC, .unit = "B",
                   .doc = "Bytes received so far." },
  [EDGE_MESSAGES] = { "Messages", EDGE, STATE_INT, STORE_AT (Edge, messages), .role = STATE_ROLE_MESSAGES,
                      .doc = "Messages received so far." },
};

static bool calls_component_bind_trace (Store *s, const TraceSource *source);
static void calls_component_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);

static const StoreLayout layout = {
  .model = "Calls",
  .grows = true,
  .bind = calls_component_bind_trace,
  .text = calls_component_put_text,
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .stack = offsetof (Node, stack) },
  .edge = { sizeof (Edge) },
};

typedef struct Kind {
  uint16_t acts;
  bool regions;      /* the state of who is inside of it is that of the event's object */
  uint16_t category; /* the first kind of the same */
  int16_t word;      /* field with the name of a phase, or -1 */
  uint32_t value;    /* of the state, + 1; 0: not asked for yet */
} Kind;

typedef struct Calls {
  Store store;
  StoreLayout layout;    /* with the variables of the trace that is followed */
  uint32_t type, parent; /* attributes that such a trace may bring, or NONE */
  uint32_t outside;      /* the state of who is in none */
  uint32_t *variables;   /* by type of the trace: the attribute of a variable, or NONE */
  uint32_t n_variables;
  Kind *kinds;
  uint32_t n_kinds;
  uint32_t *values; /* by object of the trace: the state it is, + 1; 0: not asked for yet */
  uint32_t n_values;
  TraceQueues queues;   /* how messages are told apart */
  uint32_t first_group; /* of the first message; TRACE_NONE: none yet */
  GArray *pairs;        /* of gint64: group << 32 | tag, of others */
  GHashTable *key_of;   /* pair -> its place + 1 */
} Calls;

typedef struct Simulator {
  EveBase base;
  Calls *model;
} Simulator;

static void calls_step (Calls *p, const TraceEvent *e);

static void
calls_forget_kinds (Calls *p)
{
  g_clear_pointer (&p->kinds, g_free);
  g_clear_pointer (&p->values, g_free);
  trace_queues_clear (&p->queues);
  p->n_kinds = p->n_values = 0;
}

static void
forget_groups (Calls *p)
{
  p->first_group = TRACE_NONE;
  g_array_set_size (p->pairs, 0);
  g_hash_table_remove_all (p->key_of);
}

static void
calls_reset (Calls *p)
{
  calls_forget_kinds (p);
  forget_groups (p);
  store_reset (&p->store);
}

static void
calls_free (Calls *p)
{
  calls_forget_kinds (p);
  g_free (p->variables);
  g_array_unref (p->pairs);
  g_hash_table_unref (p->key_of);
  store_clear (&p->store);
  g_free (p);
}

static void
calls_save (const Calls *p, EveBlob *to)
{
  store_save (&p->store, to);
  eve_put_int (to, p->first_group);
  eve_put_int (to, p->pairs->len);
  eve_put_ints (to, (const int64_t *) (const void *) p->pairs->data, p->pairs->len);
}

static bool
load_groups (Calls *p, EveBlobView *from)
{
  int64_t first = eve_get_int (from), n = eve_get_int (from);

  forget_groups (p);
  if (!eve_get_ok (from) || first < 0 || first > UINT32_MAX || n < 0 || n > MOST_PAIRS)
    return false;
  p->first_group = (uint32_t) first;
  g_array_set_size (p->pairs, (guint) n);
  size_t there = eve_get_ints (from, (int64_t *) (void *) p->pairs->data, (size_t) n);
  if (!eve_get_ok (from) || there != (size_t) n) {
    forget_groups (p);
    return false;
  }
  for (guint i = 0; i < n; i++)
    g_hash_table_insert (p->key_of, g_memdup2 (&g_array_index (p->pairs, gint64, i), sizeof (gint64)),
                         GUINT_TO_POINTER (i + 1));
  return true;
}

static bool
calls_load (Calls *p, EveBlobView *from)
{
  if (!store_load (&p->store, from) || !load_groups (p, from))
    return false;
  store_find_source (&p->store);
  return true;
}

#define MODEL Calls
#define MODEL_CALL(verb) calls_##verb
#define MODEL_STATE NODE_STATE
#define SIMULATOR_FIRES
#define SIMULATOR_NESTS
#include "simulators/component.h"

/* ---- the trace: what it declares of its tasks ------------------------------------------------------------------------ */

static void
calls_component_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Calls *p = (const Calls *) g;
  const TraceSource *s = trace_source (g->source);

  if (attribute != p->type && attribute != p->parent) {
    store_text (g, attribute, object, to);
    return;
  }
  const TraceTask *t = s ? trace_task (s, ((const StoreNode *) store_node_at (&p->store, object))->task) : NULL;
  if (t && attribute == p->parent && t->parent != TRACE_NONE)
    g_string_append (to, trace_task_name (s, t->parent));
  else if (t && attribute == p->type && t->type < s->types->len)
    g_string_append (to, ((const TraceType *) s->types->pdata[t->type])->name);
}

static bool
declares (const TraceSource *s, TraceTypeKind kind)
{
  for (guint i = 0; i < s->types->len; i++)
    if (((const TraceType *) s->types->pdata[i])->kind == kind)
      return true;
  return false;
}

/* The attribute of a variable.  Types of one name are one attribute: a task has but one of them. */
static uint32_t
variable_attribute (Calls *p, const TraceType *t)
{
  Store *s = &p->store;
  bool taken = state_attribute (&s->model, STATE_NODE, t->name) >= 0;

  for (uint32_t i = layout.n_attributes; i < s->model.n_attributes; i++)
    if (s->attributes[i].kind == STATE_REAL && strcmp (s->attributes[i].name, t->name) == 0)
      return i;
  if (p->layout.node.size >= sizeof (Node) + MOST_VARIABLES * sizeof (double))
    return NONE;
  g_autofree char *name = taken ? g_strdup_printf ("%s (variable)", t->name) : g_strdup (t->name);
  uint32_t at = p->layout.node.size;
  p->layout.node.size += sizeof (double);
  return store_add_attribute (s, &(StateAttribute){ name, STATE_NODE, STATE_REAL, .at = at, .unit = t->unit,
                                                    .given = true, .doc = "A variable of the trace." });
}

/* Whose share of a life is told: of those that are in no call, or in no state that the trace declares. */
static void
bind_share (Calls *p)
{
  StateAttribute *share = &p->store.attributes[NODE_PERCENT_COMPUTING];

  *share = attributes[NODE_PERCENT_COMPUTING];
  if (p->outside != NO_STATE)
    return;
  share->name = "PercentNoState";
  share->of = NO_STATE;
  share->doc = _ ("Share of its life that it was in no state.");
}

/* Rows have the variables of one trace: another one of the same name is taken for it only if it has the same. */
static bool
calls_component_bind_trace (Store *s, const TraceSource *source)
{
  Calls *p = (Calls *) s;
  uint32_t before = s->model.n_attributes;

  store_forget_added (s);
  p->layout.node.size = sizeof (Node);
  p->type = p->parent = NONE;
  p->outside = declares (source, TRACE_STATES) || declares (source, TRACE_ENTITY) ? NO_STATE : COMPUTING;
  bind_share (p);
  if (declares (source, TRACE_ENTITY)) {
    p->type = store_add_attribute (
        s, &(StateAttribute){ "Type", STATE_NODE, STATE_TEXT, .doc = "What it is: as the trace calls it." });
    p->parent = store_add_attribute (
        s, &(StateAttribute){ "Inside", STATE_NODE, STATE_TEXT, .doc = "What it is inside of." });
  }
  p->n_variables = source->types->len;
  p->variables = g_renew (uint32_t, p->variables, MAX (p->n_variables, 1));
  for (uint32_t i = 0; i < p->n_variables; i++) {
    const TraceType *t = source->types->pdata[i];
    p->variables[i] = t->kind == TRACE_VARIABLE ? variable_attribute (p, t) : NONE;
  }
  calls_forget_kinds (p);
  return s->graph.n_nodes == 0 || s->model.n_attributes == before;
}

static void
calls_component_bind_kinds (Calls *p, const TraceSource *s)
{
  g_autofree uint16_t *categories = trace_categories (s);

  p->kinds = g_new (Kind, MAX (s->n_kinds, 1));
  p->n_kinds = s->n_kinds;
  trace_queues_bind (&p->queues, s);
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    p->kinds[i] = (Kind){ .acts = trace_acts (k), .word = -1 };
    for (uint32_t f = k->n_fields; f-- > 0;) {
      if (k->fields[f].role == TRACE_ROLE_WORD && p->kinds[i].acts & TRACE_ACT_PHASE)
        p->kinds[i].word = (int16_t) f;
      p->kinds[i].regions |= k->fields[f].role == TRACE_ROLE_REGION;
    }
    p->kinds[i].category = categories[i];
  }
}

/* The state of who is inside of what has this name; one that is named as what this simulator itself says is another. */
static uint32_t
calls_component_state_called (Calls *p, const char *name, const char *what, StateSense sense)
{
  uint32_t value = store_value (&p->store, NODE_STATE, name, sense);

  if (G_LIKELY (value >= G_N_ELEMENTS (node_states)))
    return value;
  g_autofree char *other = g_strdup_printf ("%s (%s)", name, what);
  return store_value (&p->store, NODE_STATE, other, sense);
}

/* What who is in a state does, as the trace knows. */
static StateSense
sense_of (TraceDoes does)
{
  static const StateSense senses[] = { [TRACE_DOES_ANYTHING] = STATE_SENSE_NONE,
                                       [TRACE_WORKS] = STATE_SENSE_WORKS,
                                       [TRACE_WAITS] = STATE_SENSE_WAITS,
                                       [TRACE_RESTS] = STATE_SENSE_REST };

  return senses[does];
}

/* The state that an object of the trace is.  Objects come while it is read. */
static uint32_t
calls_component_state_of_object (Calls *p, const TraceSource *s, uint32_t object)
{
  if (G_UNLIKELY (object >= p->n_values)) {
    uint32_t n = MAX (64, p->n_values);
    while (n <= object)
      n *= 2;
    p->values = g_renew (uint32_t, p->values, n);
    memset (p->values + p->n_values, 0, (n - p->n_values) * sizeof *p->values);
    p->n_values = n;
  }
  if (G_UNLIKELY (p->values[object] == 0))
    p->values[object] = calls_component_state_called (p, trace_object_id (s, object), "state",
                                                      sense_of (trace_state_does (s, object)))
                        + 1;
  return p->values[object] - 1;
}

static const TraceObject *
calls_component_object_of (const TraceEvent *e)
{
  const TraceSource *s = trace_source (e->source);

  return e->object < s->objects->len ? s->objects->pdata[e->object] : NULL;
}

/* What a task is in while it is inside of this event.  A call has the name of its kind. */
static uint32_t
calls_component_state_of (Calls *p, Kind *k, const TraceEvent *e)
{
  if (k->regions && calls_component_object_of (e))
    return calls_component_state_of_object (p, trace_source (e->source), e->object);
  if (k->word >= 0) {
    TraceValue v = trace_value (e, (uint32_t) k->word);
    if (v.kind == TRACE_VALUE_TEXT && *v.text)
      return calls_component_state_called (p, v.text, "call", STATE_SENSE_NONE);
  }
  if (k->value == 0) {
    const TraceKind *of = &trace_source (e->source)->kinds[e->kind];
    k->value = calls_component_state_called (p, of->name, "call", sense_of (trace_call_does (of))) + 1;
  }
  return k->value - 1;
}

/* Of what a call may be the end when its record does not tell: what is of this category and of this thread. */
static uint32_t
calls_component_group_of (const Calls *p, const Kind *k, const TraceEvent *e)
{
  return (uint32_t) k->category << 16 | (p->queues.tags[e->kind] ? 0 : (uint16_t) e->tag);
}

/* What a message is known by when it is received: its tag, and the group in which it is sent if the trace tells that of
 * all messages.  Tags of the group that comes first are their own keys; those of others get keys below all tags. */
static int32_t
calls_component_key_of (Calls *p, const TraceQueue *q)
{
  if (q->object == TRACE_NONE)
    return q->tag;
  if (p->first_group == TRACE_NONE)
    p->first_group = q->object;
  if (G_LIKELY (q->object == p->first_group))
    return q->tag;
  gint64 pair = (gint64) q->object << 32 | (uint32_t) q->tag;
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (p->key_of, &pair));
  if (n == 0 && p->pairs->len >= MOST_PAIRS)
    return q->tag;
  if (n == 0) {
    g_array_append_val (p->pairs, pair);
    n = p->pairs->len;
    g_hash_table_insert (p->key_of, g_memdup2 (&pair, sizeof pair), GUINT_TO_POINTER (n));
  }
  return INT32_MIN + (int32_t) n;
}

/* Calls that a task is inside of, but that are too deep for the store: they are counted in Depth alone. */
static int64_t
too_deep (const Store *s, uint32_t node)
{
  return minus (store_get (s, NODE_DEPTH, node), store_stack (s, node)->depth);
}

static void
calls_component_enter (Calls *p, uint32_t node, Kind *k, const TraceEvent *e)
{
  if (!store_push (&p->store, node, e->record, calls_component_group_of (p, k, e), calls_component_state_of (p, k, e)))
    state_impossible (&p->store.graph, e, _ ("begins inside of %d other calls; it is counted, but not shown"),
                      STORE_MOST_DEPTH);
  store_add (&p->store, NODE_DEPTH, node, 1);
  store_add (&p->store, NODE_CALLS, node, 1);
}

/* The calls that are too deep are the innermost.  So an end that is not known to be of another is of one of them. */
static void
calls_component_leave (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  Store *s = &p->store;
  bool found = too_deep (s, node) > 0;

  if (found)
    store_pop_key (s, node, e->record);
  else
    found = store_pop (s, node, e->record, calls_component_group_of (p, k, e));
  if (found)
    store_add (s, NODE_DEPTH, node, -1);
  else
    state_impossible (&s->graph, e, _ ("ends what has not begun"));
}

/* ---- states and variables that the trace declares ----------------------------------------------------------------------- */

#define DECLARED UINT32_MAX /* group of the frames of such states; no group of calls is it */

/* Each record has a number of its own, so the key of an end is nobody's, and the innermost state ends.  Calls are known
 * by their records, which are other numbers than these. */
#define STATE_KEY(e) (~(e)->number)

static void
enter_state (Calls *p, uint32_t node, const TraceEvent *e)
{
  Store *s = &p->store;

  if (!calls_component_object_of (e))
    state_impossible (&s->graph, e, _ ("enters a state that the trace does not name; left out"));
  else {
    if (!store_push (s, node, STATE_KEY (e), DECLARED,
                     calls_component_state_of_object (p, trace_source (e->source), e->object)))
      state_impossible (&s->graph, e, _ ("begins inside of %d other states; it is counted, but not shown"),
                        STORE_MOST_DEPTH);
    store_add (s, NODE_DEPTH, node, 1);
    store_add (s, NODE_CALLS, node, 1);
  }
}

static void
calls_component_leave_state (Calls *p, uint32_t node, const TraceEvent *e)
{
  Store *s = &p->store;

  /* those that are too deep are the innermost, and leave first; that which was set is around all others */
  if (too_deep (s, node) > 0 || store_pop (s, node, STATE_KEY (e), DECLARED))
    store_add (s, NODE_DEPTH, node, -1);
  else if (store_stack (s, node)->depth == 0 && store_stack (s, node)->base > NO_STATE)
    store_set (s, NODE_STATE, node, p->outside);
  else
    state_impossible (&s->graph, e, _ ("leaves a state that was not entered"));
}

static void
calls_component_set_variable (Calls *p, uint32_t node, uint32_t attribute, bool more, const TraceEvent *e)
{
  double value = e->flags & TRACE_REAL ? e->real : (double) e->size;
  double before = state_real (store_get (&p->store, attribute, node));

  store_set_real (&p->store, attribute, node, more && before == before ? before + value : value);
}

/* The object is a variable, a state, or a type of states: in none of them. */
static void
calls_component_set_declared (Calls *p, uint32_t node, bool more, const TraceEvent *e)
{
  Store *s = &p->store;
  const TraceSource *source = trace_source (e->source);
  const TraceObject *o = calls_component_object_of (e);
  const TraceType *t = o && o->type < source->types->len ? source->types->pdata[o->type] : NULL;

  if (t && t->kind == TRACE_VARIABLE) {
    if (p->variables[o->type] != NONE)
      calls_component_set_variable (p, node, p->variables[o->type], more, e);
    else
      state_impossible (&s->graph, e, _ ("is of the variable “%s”; only the first %d names of variables are kept"),
                        t->name, MOST_VARIABLES);
  } else if (t && t->kind == TRACE_STATES && !more) {
    store_pop_all (s, node);
    store_set (s, NODE_DEPTH, node, 0);
    store_set (s, NODE_STATE, node,
               t->object == e->object ? p->outside : calls_component_state_of_object (p, source, e->object));
  } else {
    state_impossible (&s->graph, e, _ ("sets what is neither a variable nor a state; left out"));
  }
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

static void
calls_component_send_to (Calls *p, uint32_t node, uint32_t task, const TraceEvent *e)
{
  Store *s = &p->store;
  uint32_t edge = store_edge (s, node, store_node (s, task, UNSEEN));
  const TraceQueue q = trace_queue (&p->queues, e, e->task, task);
  int32_t key = calls_component_key_of (p, &q);

  if (G_LIKELY (s->messages.n_early == 0) || !store_queue_settle_early (s, edge, key)) {
    store_send (s, edge, key, e->size);
    store_set (s, EDGE_STATE, edge, LOADED);
    store_set (s, EDGE_PENDING, edge, store_edge_at (s, edge)->volume);
  }
  store_add (s, NODE_SENT, node, 1);
}

static void
calls_component_send (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  bool multicast = k->acts & TRACE_ACT_MULTICAST;
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  for (uint32_t i = 0; i < n; i++)
    if (trace_reaches (e, multicast, to[i]))
      calls_component_send_to (p, node, to[i], e);
}

static void
calls_component_receive (Calls *p, uint32_t node, const TraceEvent *e)
{
  Store *s = &p->store;
  uint32_t edge = store_edge (s, store_node (s, e->peer, UNSEEN), node);
  int64_t size = MAX (e->size, 0), sent_size, sent;
  const TraceQueue q = trace_queue (&p->queues, e, e->peer, e->task);
  int32_t key = calls_component_key_of (p, &q);

  if (trace_is_early (trace_source (e->source), e, &sent)) { /* its send comes, and finds it received */
    store_queue_add_early (s, edge, key);
    store_tell_message (s, edge, q.tag, size, sent);
  } else if (!trace_has_no_send (trace_source (e->source), e)
             && store_receive_as (s, edge, key, q.tag, size, &sent_size)) {
    store_set (s, EDGE_PENDING, edge, store_edge_at (s, edge)->volume);
    if (store_edge_at (s, edge)->n_messages == 0)
      store_set (s, EDGE_STATE, edge, EMPTY);
  }
  store_add (s, EDGE_TOTAL, edge, size);
  store_add (s, EDGE_MESSAGES, edge, 1);
  store_add (s, NODE_RECEIVED, node, 1);
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

static void
do_declared (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  if (k->acts & TRACE_ACT_LEAVE)
    calls_component_leave_state (p, node, e);
  if (k->acts & TRACE_ACT_ENTER)
    enter_state (p, node, e);
  if (k->acts & (TRACE_ACT_SET | TRACE_ACT_ADD))
    calls_component_set_declared (p, node, k->acts & TRACE_ACT_ADD, e);
}

/* Of a task that is dead.  Only a birth makes it live again: true.  Nothing is wrong with the end of a call that it
 * died in, nor with what the program only notes: it changes nothing. */
static bool
lives_again (Calls *p, const Kind *k, const TraceEvent *e)
{
  if (k->acts & TRACE_ACT_BIRTH)
    return true;
  bool note = k->acts == 0 || k->acts & (TRACE_ACT_PHASE | TRACE_ACT_MARK),
       died_inside = e->flags & TRACE_END && k->acts & TRACE_ACT_CALL;
  if (!note && !died_inside)
    state_impossible (&p->store.graph, e, _ ("is of a task that is dead; left out"));
  return false;
}

static void
calls_step (Calls *p, const TraceEvent *e)
{
  Store *s = &p->store;
  bool begins = !(e->flags & TRACE_END), ends = e->flags & (TRACE_END | TRACE_INSTANT);

  if (!store_event (s, e))
    return;
  store_clock (s, e);
  if (G_UNLIKELY (!p->kinds))
    calls_component_bind_kinds (p, trace_source (e->source));
  if (G_UNLIKELY (e->kind >= p->n_kinds)) {
    state_impossible (&s->graph, e, _ ("is of a kind that the trace does not know; left out"));
    return;
  }
  Kind *k = &p->kinds[e->kind];
  uint32_t node = store_node (s, e->task, p->outside);
  if (G_UNLIKELY (store_stack (s, node)->base == UNSEEN))
    store_set (s, NODE_STATE, node, p->outside);
  if (G_UNLIKELY (store_stack (s, node)->base == DEAD)) {
    if (!lives_again (p, k, e))
      return;
    store_set (s, NODE_STATE, node, p->outside);
  }
  if (begins && k->acts & TRACE_ACT_CALL)
    calls_component_enter (p, node, k, e);
  if (k->acts & (TRACE_ACT_ENTER | TRACE_ACT_LEAVE | TRACE_ACT_SET | TRACE_ACT_ADD))
    do_declared (p, node, k, e);
  if (begins && k->acts & TRACE_ACT_SEND)
    calls_component_send (p, node, k, e);
  if (ends && k->acts & TRACE_ACT_RECEIVE && trace_received (e))
    calls_component_receive (p, node, e);
  if (ends && k->acts & TRACE_ACT_CALL)
    calls_component_leave (p, node, k, e);
  if (k->acts & TRACE_ACT_DEATH) {
    store_pop_all (s, node);
    store_set (s, NODE_DEPTH, node, 0);
    store_set (s, NODE_STATE, node, DEAD);
  }
}

/* ---- the component ------------------------------------------------------------------------------------------------------ */

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of any trace, in order of date." },
};
static const char *const provides[] = { "simulator:any", NULL };

static bool
calls_component_simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->model = g_new0 (Calls, 1);
  self->model->layout = layout;
  self->model->first_group = TRACE_NONE;
  self->model->pairs = g_array_new (FALSE, TRUE, sizeof (gint64));
  self->model->key_of = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  store_init (&self->model->store, &self->model->layout);
  return true;
}

/* The variables of the trace are attributes before its first event. */
static void
calls_component_simulator_start (EveComponent *c)
{
  Store *s = &((Simulator *) c)->model->store;
  g_autoptr (GPtrArray) above = eve_find_above (c, "trace-reader/1");
  const TraceReader *reader = above->len == 1 ? eve_query (above->pdata[0], "trace-reader/1") : NULL;
  const TraceSource *source = reader ? reader->source (above->pdata[0]) : NULL;

  if (source && !s->bound && s->graph.n_nodes == 0)
    store_guess (s, source);
}

static const EveClass calls_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.calls-simulator",
  .label = "Calls simulator",
  .doc = "Tells which call or phase each task is inside of, for traces of any programming model.",
  .help =
      "The state of a task is the name of the innermost call that it is inside of, or of the phase that the program "
      "has "
      "marked there; *Computing* in none, *Dead* after its death, *Unseen* as long as only others have named it.  "
      "*Depth* says how many calls and phases are around it.  A link is *Loaded* while a message is on its way that "
      "nobody has received.\n\n"
      "It knows nothing of a programming model: whether a task waits inside a call only the simulator of the model "
      "can tell.  Put both behind one reader to see what was called beside what it meant.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .init = calls_component_simulator_init,
  .start = calls_component_simulator_start,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&calls_simulator);
