/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - a simulator for any trace: what each task is inside of.
 *
 * It knows no programming model: what kinds of event do it asks trace_acts().  A call is a state, and so is a phase
 * that the program has named; calls inside calls nest.  README.md says what each attribute is. */
#include "readers/reader.h"
#include "simulators/store.h"

enum { COMPUTING, UNSEEN, DEAD };
static const StateValue node_states[] = {
  [COMPUTING] = { "Computing", STATE_SENSE_WORKS },
  [UNSEEN] = { "Unseen", STATE_SENSE_GONE },
  [DEAD] = { "Dead", STATE_SENSE_GONE },
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
  int64_t computing, lived; /* ticks up to the last change of state: Computing, and in all that is life */
  int64_t depth, calls, sent, received;
} Node;

typedef struct Edge {
  StoreEdge edge;
  uint32_t state;
  int64_t lived;
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

static const StoreLayout layout = {
  .model = "Calls",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .spent = offsetof (Node, computing), .n_spent = 1, .lived = offsetof (Node, lived),
            .stack = offsetof (Node, stack) },
  .edge = { sizeof (Edge), .lived = offsetof (Edge, lived) },
};

typedef struct Kind {
  uint8_t acts;
  bool tags;         /* its messages have tags; otherwise an event's tag is the number of a thread, or nothing */
  uint16_t category; /* the first kind of the same */
  int16_t word;      /* field with the name of a phase, or -1 */
  uint32_t value;    /* of the state, + 1; 0: not asked for yet */
} Kind;

typedef struct Calls {
  Store store;
  Kind *kinds; /* of the trace that is followed */
  uint32_t n_kinds;
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
  p->n_kinds = 0;
}

static void
calls_reset (Calls *p)
{
  calls_forget_kinds (p);
  store_reset (&p->store);
}

static void
calls_free (Calls *p)
{
  calls_forget_kinds (p);
  store_clear (&p->store);
  g_free (p);
}

static void
calls_save (const Calls *p, EveBlob *to)
{
  store_save (&p->store, to);
}

static bool
calls_load (Calls *p, EveBlobView *from)
{
  if (!store_load (&p->store, from))
    return false;
  store_find_source (&p->store);
  return true;
}

#define MODEL Calls
#define MODEL_CALL(verb) calls_##verb
#define MODEL_STATE NODE_STATE
#define SIMULATOR_FIRES
#include "simulators/component.h"

static void
bind_kinds (Calls *p, const TraceSource *s)
{
  p->kinds = g_new (Kind, MAX (s->n_kinds, 1));
  p->n_kinds = s->n_kinds;
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    p->kinds[i] = (Kind){ .acts = trace_acts (k), .word = -1 };
    for (uint32_t f = k->n_fields; f-- > 0;) {
      if (k->fields[f].role == TRACE_ROLE_WORD && p->kinds[i].acts & TRACE_ACT_PHASE)
        p->kinds[i].word = (int16_t) f;
      p->kinds[i].tags |= k->fields[f].role == TRACE_ROLE_TAG;
    }
    while (strcmp (s->kinds[p->kinds[i].category].category, k->category) != 0)
      p->kinds[i].category++;
  }
}

/* The state of who is inside of what has this name; one that is named as what this simulator itself says is another. */
static uint32_t
state_called (Calls *p, const char *name)
{
  uint32_t value = store_value (&p->store, NODE_STATE, name, STATE_SENSE_NONE);

  if (G_LIKELY (value >= G_N_ELEMENTS (node_states)))
    return value;
  g_autofree char *other = g_strdup_printf ("%s (call)", name);
  return store_value (&p->store, NODE_STATE, other, STATE_SENSE_NONE);
}

/* What a task is in while it is inside of this event.  A call has the name of its kind. */
static uint32_t
state_of (Calls *p, Kind *k, const TraceEvent *e)
{
  if (k->word >= 0) {
    TraceValue v = trace_value (e, (uint32_t) k->word);
    if (v.kind == TRACE_VALUE_TEXT && *v.text)
      return state_called (p, v.text);
  }
  if (k->value == 0)
    k->value = state_called (p, trace_source (e->source)->kinds[e->kind].name) + 1;
  return k->value - 1;
}

/* Of what a call may be the end when its record does not tell: what is of this category and of this thread. */
static uint32_t
group_of (const Kind *k, const TraceEvent *e)
{
  return (uint32_t) k->category << 16 | (k->tags ? 0 : (uint16_t) e->tag);
}

static int32_t
tag_of (const Kind *k, const TraceEvent *e)
{
  return k->tags ? e->tag : -1;
}

/* Calls that a task is inside of, but that are too deep for the store: they are counted in Depth alone. */
static int64_t
too_deep (const Store *s, uint32_t node)
{
  return minus (store_get (s, NODE_DEPTH, node), store_stack (s, node)->depth);
}

static void
enter (Calls *p, uint32_t node, Kind *k, const TraceEvent *e)
{
  if (!store_push (&p->store, node, e->record, group_of (k, e), state_of (p, k, e)))
    state_impossible (&p->store.graph, e, "begins inside of %d other calls; it is counted, but not shown",
                      STORE_MOST_DEPTH);
  store_add (&p->store, NODE_DEPTH, node, 1);
  store_add (&p->store, NODE_CALLS, node, 1);
}

/* The calls that are too deep are the innermost.  So an end that is not known to be of another is of one of them. */
static void
leave (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  Store *s = &p->store;
  bool found = too_deep (s, node) > 0;

  if (found)
    store_pop_key (s, node, e->record);
  else
    found = store_pop (s, node, e->record, group_of (k, e));
  if (found)
    store_add (s, NODE_DEPTH, node, -1);
  else
    state_impossible (&s->graph, e, "ends what has not begun");
}

/* ---- messages ------------------------------------------------------------------------------------------------------- */

static void
send_to (Calls *p, uint32_t node, uint32_t task, const Kind *k, const TraceEvent *e)
{
  Store *s = &p->store;
  uint32_t edge = store_edge (s, node, store_node (s, task, UNSEEN));

  store_send (s, edge, tag_of (k, e), e->size);
  store_set (s, EDGE_STATE, edge, LOADED);
  store_set (s, EDGE_PENDING, edge, store_edge_at (s, edge)->volume);
  store_add (s, NODE_SENT, node, 1);
}

static void
send (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  bool multicast = k->acts & TRACE_ACT_MULTICAST;
  uint32_t n;
  const uint32_t *to = trace_sent_to (e, multicast, &n);

  for (uint32_t i = 0; i < n; i++)
    if (trace_reaches (e, multicast, to[i]))
      send_to (p, node, to[i], k, e);
}

static void
receive (Calls *p, uint32_t node, const Kind *k, const TraceEvent *e)
{
  Store *s = &p->store;
  uint32_t edge = store_edge (s, store_node (s, e->peer, UNSEEN), node);
  int64_t size = MAX (e->size, 0), sent_size;

  if (store_receive (s, edge, tag_of (k, e), size, &sent_size)) {
    store_set (s, EDGE_PENDING, edge, store_edge_at (s, edge)->volume);
    if (store_edge_at (s, edge)->n_messages == 0)
      store_set (s, EDGE_STATE, edge, EMPTY);
  }
  store_add (s, EDGE_TOTAL, edge, size);
  store_add (s, EDGE_MESSAGES, edge, 1);
  store_add (s, NODE_RECEIVED, node, 1);
}

/* ---- events ----------------------------------------------------------------------------------------------------------- */

/* Of a task that is dead.  Only a birth makes it live again: true.  Nothing is wrong with the end of a call that it
 * died in, nor with what the program only notes: it changes nothing. */
static bool
lives_again (Calls *p, const Kind *k, const TraceEvent *e)
{
  if (k->acts & TRACE_ACT_BIRTH)
    return true;
  bool note = k->acts == 0 || k->acts & TRACE_ACT_PHASE, died_inside = e->flags & TRACE_END && k->acts & TRACE_ACT_CALL;
  if (!note && !died_inside)
    state_impossible (&p->store.graph, e, "is of a task that is dead; left out");
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
    bind_kinds (p, trace_source (e->source));
  if (G_UNLIKELY (e->kind >= p->n_kinds)) {
    state_impossible (&s->graph, e, "is of a kind that the trace does not know; left out");
    return;
  }
  Kind *k = &p->kinds[e->kind];
  uint32_t node = store_node (s, e->task, COMPUTING);
  if (G_UNLIKELY (store_stack (s, node)->base == UNSEEN))
    store_set (s, NODE_STATE, node, COMPUTING);
  if (G_UNLIKELY (store_stack (s, node)->base == DEAD)) {
    if (!lives_again (p, k, e))
      return;
    store_set (s, NODE_STATE, node, COMPUTING);
  }
  if (begins && k->acts & TRACE_ACT_CALL)
    enter (p, node, k, e);
  if (begins && k->acts & TRACE_ACT_SEND)
    send (p, node, k, e);
  if (ends && k->acts & TRACE_ACT_RECEIVE && trace_received (e))
    receive (p, node, k, e);
  if (ends && k->acts & TRACE_ACT_CALL)
    leave (p, node, k, e);
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
simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;

  self->model = g_new0 (Calls, 1);
  store_init (&self->model->store, &layout);
  return true;
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
  .init = simulator_init,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&calls_simulator);
