/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a model of two states: a task is Active inside its calls, Quiet otherwise.
 *
 * A simulator keeps columns (here: an array of nodes) and tells each change of an attribute at its output; views ask
 * it for its StateGraph.  The model is a static table and a few functions. */
#include <string.h>
#include "simulators/state.h"

enum { QUIET, ACTIVE, N_STATES };
/* What each state says: pictures choose colours and shapes by it. */
static const StateValue states[] = { { "Quiet", STATE_SENSE_WAITS }, { "Active", STATE_SENSE_WORKS } };

typedef struct Node {
  int64_t clock;           /* date of its last event */
  int64_t begin, since;    /* of its life, of its present state */
  int64_t spent[N_STATES]; /* in states that are over */
  uint32_t task;
  uint32_t depth; /* calls it is in */
  uint8_t state;
} Node;

typedef struct Graph {
  StateGraph base; /* must be first */
  GArray *nodes;   /* of Node, in order of first event */
  GArray *node_of; /* of uint32_t: node of a task, or TRACE_NONE */
} Graph;

typedef struct Self {
  EveBase base; /* must be first: the ports */
  Graph graph;
} Self;

/* ---- the model ------------------------------------------------------------------------------------------------ */
enum { A_STATE, A_CLOCK, A_PERCENT_ACTIVE };
static const StateAttribute attributes[] = {
  { "State", STATE_NODE, STATE_ENUM, STATE_VALUES (states), .doc = "Quiet, or Active inside a call." },
  { "Clock", STATE_NODE, STATE_DATE, .unit = "s", .doc = "Date of the last event of the task." },
  { "PercentActive", STATE_NODE, STATE_PERCENT, .of = ACTIVE, .unit = "%", .doc = "Share of its life it was Active." },
};

static const Node *
node_at (const StateGraph *g, uint32_t i)
{
  return &g_array_index (((const Graph *) g)->nodes, Node, i);
}

static const void *
column (const StateGraph *g, uint32_t attribute, size_t *stride)
{
  *stride = sizeof (Node);
  switch (attribute) {
  case A_STATE:
    return &node_at (g, 0)->state;
  case A_CLOCK:
    return &node_at (g, 0)->clock;
  default:
    return NULL;
  }
}

static void
spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *spent_ticks,
       int64_t *total)
{
  const Node *n = node_at (g, object);

  *spent_ticks = n->spent[state] + (n->state == state ? at - n->since : 0);
  *total = at - n->begin;
}

static const char *
node_id (const StateGraph *g, uint32_t node)
{
  const TraceSource *s = trace_source (g->source);

  return s ? trace_task_id (s, node_at (g, node)->task) : "?";
}

static void
edge_ends (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to)
{
  *from = *to = 0; /* there are no edges to ask for */
}

static const StateModel model = {
  .name = "@LABEL@", .attributes = attributes, .n_attributes = EVE_N (attributes), .column = column, .spent = spent,
};

/* ---- what an event does ---------------------------------------------------------------------------------------- */
static void
change (Self *self, uint32_t node, int64_t date, int64_t from, int64_t to)
{
  StateChange c;

  memset (&c, 0, sizeof c);
  c.date = date;
  c.old_value = from;
  c.new_value = to;
  c.object = node;
  c.attribute = A_STATE;
  c.source = self->graph.base.source;
  c.scope = STATE_NODE;
  self->graph.base.n_updates++;
  eve_emit (self->base.out[0], &c);
  /* The same for views such as Space-time, by the number that the task has in the trace. */
  c.object = node_at (&self->graph.base, node)->task;
  eve_emit (self->base.out[1], &c);
}

/* The node of a task; a new one is told of: its state changes from -1. */
static uint32_t
node_of (Self *self, uint32_t task, int64_t date)
{
  Graph *g = &self->graph;
  const uint32_t none = TRACE_NONE;

  while (g->node_of->len <= task)
    g_array_append_val (g->node_of, none);
  uint32_t *node = &g_array_index (g->node_of, uint32_t, task);
  if (*node == TRACE_NONE) {
    Node fresh = { .clock = date, .begin = date, .since = date, .task = task, .state = QUIET };

    *node = g->base.n_nodes++;
    g_array_append_val (g->nodes, fresh);
    change (self, *node, date, -1, QUIET);
  }
  return *node;
}

static void
fire (EveComponent *c)
{
  Self *self = (Self *) c;
  Graph *g = &self->graph;
  const TraceEvent *e = eve_take (self->base.in[0]);
  const TraceSource *source = trace_source (e->source);

  if (!source || e->task >= source->tasks->len) {
    state_impossible (&g->base, e, "an event of a task that is not in the trace");
    return;
  }
  g->base.source = e->source;
  g->base.clock = e->date;
  g->base.n_events++;

  uint32_t i = node_of (self, e->task, e->date);
  Node *n = &g_array_index (g->nodes, Node, i);
  n->clock = e->date;
  if (e->flags & TRACE_INSTANT)
    return;
  if (!(e->flags & TRACE_END))
    n->depth++;
  else if (n->depth)
    n->depth--;
  else {
    state_impossible (&g->base, e, "the end of a call that has not begun");
    return;
  }
  uint8_t state = n->depth ? ACTIVE : QUIET;
  if (state == n->state)
    return;
  n->spent[n->state] += e->date - n->since;
  n->since = e->date;
  change (self, i, e->date, n->state, state);
  n->state = state;
}

/* ---- the component ------------------------------------------------------------------------------------------- */
static void
reset (EveComponent *c)
{
  Graph *g = &((Self *) c)->graph;

  g_array_set_size (g->nodes, 0);
  g_array_set_size (g->node_of, 0);
  g_ptr_array_set_size (g->base.impossible, 0);
  g->base.n_nodes = 0;
  g->base.clock = INT64_MIN;
  g->base.n_events = g->base.n_updates = g->base.n_impossible = 0;
}

static bool
init (EveComponent *c)
{
  Graph *g = &((Self *) c)->graph;

  g->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  g->node_of = g_array_new (FALSE, TRUE, sizeof (uint32_t));
  g->base.impossible = g_ptr_array_new_with_free_func (g_free);
  g->base.model = &model;
  g->base.node_id = node_id;
  g->base.edge_ends = edge_ends;
  reset (c);
  return true;
}

static void
finish (EveComponent *c)
{
  Graph *g = &((Self *) c)->graph;

  g_array_unref (g->nodes);
  g_array_unref (g->node_of);
  g_ptr_array_unref (g->base.impossible);
}

static void
save (EveComponent *c, EveBlob *to)
{
  const Graph *g = &((Self *) c)->graph;

  eve_put_int (to, g->base.clock);
  eve_put_int (to, (int64_t) g->base.n_events);
  eve_put_int (to, (int64_t) g->base.n_updates);
  eve_put_int (to, (int64_t) g->base.n_impossible);
  eve_put_int (to, g->base.source);
  eve_put_int (to, g->base.n_nodes);
  for (uint32_t i = 0; i < g->base.n_nodes; i++) {
    const Node *n = node_at (&g->base, i);

    eve_put_ints (to, (int64_t[]) { n->clock, n->begin, n->since, n->spent[QUIET], n->spent[ACTIVE], n->task,
                                    n->depth, n->state }, 8);
  }
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  Graph *g = &((Self *) c)->graph;
  const uint32_t none = TRACE_NONE;

  reset (c);
  g->base.clock = eve_get_int (from);
  g->base.n_events = (uint64_t) eve_get_int (from);
  g->base.n_updates = (uint64_t) eve_get_int (from);
  g->base.n_impossible = (uint64_t) eve_get_int (from);
  g->base.source = (uint8_t) eve_get_int (from);
  for (int64_t left = eve_get_int (from); left > 0; left--) {
    int64_t v[8];

    if (eve_get_ints (from, v, 8) != 8 || !eve_get_ok (from) || v[5] < 0 || v[5] > 1 << 24 || v[6] < 0
        || v[6] > UINT32_MAX || v[7] < 0 || v[7] >= N_STATES) { /* never trust what was read */
      reset (c);
      return false;
    }
    Node n = { .clock = v[0], .begin = v[1], .since = v[2], .spent = { v[3], v[4] }, .task = (uint32_t) v[5],
               .depth = (uint32_t) v[6], .state = (uint8_t) v[7] };
    while (g->node_of->len <= n.task)
      g_array_append_val (g->node_of, none);
    g_array_index (g->node_of, uint32_t, n.task) = g->base.n_nodes++;
    g_array_append_val (g->nodes, n);
  }
  return eve_get_ok (from);
}

static const void *
query (EveComponent *c, const char *interface_name)
{
  return c && strcmp (interface_name, "state-graph/1") == 0 ? &((Self *) c)->graph : NULL;
}

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Events of a trace, in order of date." },
};
static const EveOutSpec outs[] = {
  /* a new task changes twice: from nothing to Quiet, then perhaps to Active */
  { "changes", &state_type_change, .per_fire = 2, .doc = "Each attribute that takes another value." },
  { "states", &state_type_state, .per_fire = 2, .doc = "Each task that takes another State." },
};
static const char *const provides[] = { "simulator:@LABEL@", NULL };

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@", .category = "Simulators", .version = 1,
  .doc = "Rebuilds from events whether each task is Quiet or Active.",
  .help = "A task is *Active* from the beginning of a call to its end, also while it is in several, and *Quiet* "
          "otherwise. The end of a call that has not begun is counted and told of; the simulation goes on.",
  .provides = provides, .ins = ins, .n_ins = EVE_N (ins), .outs = outs, .n_outs = EVE_N (outs),
  .instance_size = sizeof (Self), .init = init, .finish = finish, .reset = reset, .fire = fire,
  .save = save, .load = load, .query = query,
};
EVE_PLUGIN (&@IDENT@);
