/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a model of two states: a task is Active inside its calls, Quiet otherwise.
 *
 * The simulator keeps a struct of each task, which begins with a StoreNode, and says where in it the values of its
 * attributes are.  All else is the store's (simulators/store.h): it counts the time spent, tells changes, answers views,
 * saves and loads. */
#include "readers/reader.h"
#include "simulators/store.h"

/* ---- what there is ---------------------------------------------------------------------------------------------- */
enum { QUIET, ACTIVE, N_STATES };
/* What each state says: pictures choose colours and shapes by it. */
static const StateValue states[] = { { "Quiet", STATE_SENSE_WAITS }, { "Active", STATE_SENSE_WORKS } };

typedef struct Node {
  StoreNode node;          /* must be first */
  int64_t spent[N_STATES]; /* ticks in each state, until the present one began */
  int64_t depth;           /* calls it is in */
  uint8_t state;
} Node;

typedef struct Edge {
  StoreEdge edge; /* this model has no links: nobody makes one */
} Edge;

enum { A_NAME, A_STATE, A_CLOCK, A_DEPTH, A_PERCENT_ACTIVE, N_ATTRIBUTES };
static const StateAttribute attributes[N_ATTRIBUTES] = {
  { "Name", STATE_NODE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the task." },
  { "State", STATE_NODE, STATE_ENUM, STATE_VALUES (states), STORE_AT (Node, state),
    .doc = "Quiet, or Active inside a call." },
  { "Clock", STATE_NODE, STATE_DATE, STORE_AT (Node, node), .unit = "s", .doc = "Date of its last change." },
  { "Depth", STATE_NODE, STATE_INT, STORE_AT (Node, depth), .doc = "Calls it is in." },
  { "PercentActive", STATE_NODE, STATE_PERCENT, .of = ACTIVE, .unit = "%", .doc = "Share of its life it was Active." },
};
static const StoreLayout layout = {
  .model = "@LABEL@", .attributes = attributes, .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .spent = offsetof (Node, spent), .n_spent = N_STATES },
  .edge = { sizeof (Edge) },
};

typedef struct Model {
  Store store; /* must be first */
} Model;

typedef struct Simulator {
  EveBase base; /* must be first: the ports */
  Model *model;
} Simulator;

/* ---- what an event does ------------------------------------------------------------------------------------------ */
static void
model_step (Model *m, const TraceEvent *e)
{
  Store *s = &m->store;

  if (!store_event (s, e)) /* it is of another trace */
    return;
  store_clock (s, e);
  if (e->task >= trace_source (e->source)->tasks->len) {
    state_impossible (&s->graph, e, "is of a task that is not in the trace; left out");
    return;
  }
  uint32_t node = store_node (s, e->task, QUIET); /* made if need be */
  int64_t depth = store_get (s, A_DEPTH, node);
  if (e->flags & TRACE_INSTANT)
    return;
  if (!(e->flags & TRACE_END)) {
    depth++;
  } else if (depth > 0) {
    depth--;
  } else {
    state_impossible (&s->graph, e, "ends a call that has not begun");
    return;
  }
  store_set (s, A_DEPTH, node, depth);
  store_set (s, A_STATE, node, depth > 0 ? ACTIVE : QUIET);
}

/* ---- the rest is the same for every model -------------------------------------------------------------------------- */
static void
model_reset (Model *m)
{
  store_reset (&m->store);
}

static void
model_free (Model *m)
{
  store_clear (&m->store);
  g_free (m);
}

/* What a model keeps outside of its store it adds here, and reads behind the store's; never trust what was read. */
static void
model_save (const Model *m, EveBlob *to)
{
  store_save (&m->store, to);
}

static bool
model_load (Model *m, EveBlobView *from)
{
  if (!store_load (&m->store, from))
    return false;
  store_find_source (&m->store);
  return true;
}

#define MODEL Model
#define MODEL_CALL(verb) model_##verb
#define MODEL_STATE A_STATE
#define SIMULATOR_FIRES
#include "simulators/component.h"

static bool
simulator_init (EveComponent *c)
{
  Model *m = g_new0 (Model, 1);

  store_init (&m->store, &layout);
  ((Simulator *) c)->model = m;
  return true;
}

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Events of a trace, in order of date." },
};
static const char *const provides[] = { "simulator:@LABEL@", NULL };

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@",
  .doc = "Rebuilds from events whether each task is Quiet or Active.",
  .help = "A task is *Active* from the beginning of a call to its end, also while it is in several, and *Quiet* "
          "otherwise. The end of a call that has not begun is counted and told of; the simulation goes on.",
  .provides = provides, .ins = ins, .n_ins = EVE_N (ins), .init = simulator_init, .fire = simulator_fire,
  .fire_span = simulator_fire_span, SIMULATOR_CLASS,
};
EVE_PLUGIN (&@IDENT@);
