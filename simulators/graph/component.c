/* SPDX-License-Identifier: Apache-2.0 */
/* component.c - the simulator of graphs that were read from files: nodes and links with the attributes that the file
 * gives them, so that all views of states show them.  Numbers are kept; texts are read again from the trace when
 * somebody asks.  README.md says what each attribute is. */
#include "eve/eve-host.h"
#include "eve/words.h"
#include "readers/graphs.h"
#include "readers/reader.h"
#include "simulators/store.h"

enum { PRESENT };
static const StateValue node_states[] = { [PRESENT] = { "Node", STATE_SENSE_NONE } };
static const StateValue edge_states[] = { [PRESENT] = { "Link", STATE_SENSE_REST } };

enum {
  NODE_NAME,
  NODE_NICKNAME,
  NODE_INSIDE,
  NODE_STATE,
  NODE_LINKS_OUT,
  NODE_LINKS_IN,
  EDGE_NAME,
  EDGE_FROM,
  EDGE_TO,
  EDGE_STATE,
  N_ATTRIBUTES
};

typedef struct Node {
  StoreNode node;
  StoreStack stack;
  uint32_t state;
  int64_t out, in;
  int64_t record; /* of its event + 1; 0: it is not known */
} Node;           /* behind it its numbers, a double each */

typedef struct Edge {
  StoreEdge edge;
  uint32_t state;
  int64_t record;
} Edge; /* the same */

#define NODE STATE_NODE
#define EDGE STATE_EDGE
static const StateAttribute attributes[N_ATTRIBUTES] = {
  [NODE_NAME] = { "Name", NODE, STATE_TEXT, .role = STATE_ROLE_NAME, .doc = "As the file calls it." },
  [NODE_NICKNAME] = { "Nickname", NODE, STATE_TEXT, .role = STATE_ROLE_LABEL,
                      .doc = "What people call it: its label." },
  [NODE_INSIDE] = { "Inside", NODE, STATE_TEXT, .doc = "The group, or node, that it is inside of." },
  [NODE_STATE] = { "State", NODE, STATE_VALUE, STORE_AT (Node, state), STATE_VALUES (node_states),
                   .doc = "Its attribute State, if it has one." },
  [NODE_LINKS_OUT] = { "LinksOut", NODE, STATE_INT, STORE_AT (Node, out), .doc = "Links that go from it." },
  [NODE_LINKS_IN] = { "LinksIn", NODE, STATE_INT, STORE_AT (Node, in), .doc = "Links that come to it." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, .role = STATE_ROLE_NAME, .doc = "Its key, or which two it joins." },
  [EDGE_FROM] = { "From", EDGE, STATE_TEXT, .role = STATE_ROLE_FROM, .doc = "The node that it comes from." },
  [EDGE_TO] = { "To", EDGE, STATE_TEXT, .role = STATE_ROLE_TO, .doc = "The node that it goes to." },
  [EDGE_STATE] = { "State", EDGE, STATE_VALUE, STORE_AT (Edge, state), STATE_VALUES (edge_states),
                   .doc = "Its attribute State, if it has one." },
};

static bool graph_component_bind_trace (Store *s, const TraceSource *source);
static void graph_component_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to);

static const StoreLayout layout = {
  .model = "Graph",
  .grows = true,
  .no_pairs = true,
  .bind = graph_component_bind_trace,
  .text = graph_component_put_text,
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .stack = offsetof (Node, stack) },
  .edge = { sizeof (Edge) },
};

/* Where the values of an attribute of the file come from. */
typedef struct Column {
  uint32_t attribute; /* NONE: it is shown as another one */
  uint16_t kind, field;
  bool number;
} Column;

typedef struct Graph {
  Store store;
  StoreLayout layout;     /* with the attributes of the trace that is followed */
  GArray *columns;        /* of Column */
  uint32_t *column_of;    /* by attribute from N_ATTRIBUTES on: its column */
  int state[3], class[3]; /* by StateScope: the fields that tell the state, and what sort it is; or -1 */
  int64_t record;         /* of the event of the graph itself + 1; 0: it has not come */
} Graph;

typedef struct Simulator {
  EveBase base;
  Graph *model;
} Simulator;

static void graph_component_step (Graph *p, const TraceEvent *e);

static Node *
graph_component_node_at (const Graph *p, uint32_t node)
{
  return store_node_at (&p->store, node);
}

static Edge *
edge_at (const Graph *p, uint32_t edge)
{
  return (Edge *) store_edge_at (&p->store, edge);
}

static void
graph_component_reset (Graph *p)
{
  store_reset (&p->store);
  p->record = 0;
}

static void
graph_component_free (Graph *p)
{
  store_clear (&p->store);
  g_array_unref (p->columns);
  g_free (p->column_of);
  g_free (p);
}

static void
graph_component_save (const Graph *p, EveBlob *to)
{
  store_save (&p->store, to);
  eve_put_int (to, p->record);
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    eve_put_int (to, graph_component_node_at (p, i)->record);
  for (uint32_t i = 0; i < p->store.graph.n_edges; i++)
    eve_put_int (to, edge_at (p, i)->record);
}

static bool
graph_component_load (Graph *p, EveBlobView *from)
{
  if (!store_load (&p->store, from))
    return false;
  p->record = eve_get_int (from);
  for (uint32_t i = 0; i < p->store.graph.n_nodes; i++)
    graph_component_node_at (p, i)->record = eve_get_int (from);
  for (uint32_t i = 0; i < p->store.graph.n_edges; i++)
    edge_at (p, i)->record = eve_get_int (from);
  if (!eve_get_ok (from))
    return false;
  store_find_source (&p->store);
  return true;
}

#define MODEL Graph
#define MODEL_CALL(verb) graph_component_##verb
#define MODEL_STATE NODE_STATE
#define SIMULATOR_FIRES
#include "simulators/component.h"

/* ---- what the file gives its nodes and links ------------------------------------------------------------------------------- */

static bool
is_of_graphs (const TraceSource *s)
{
  return s && s->format && strcmp (s->format->model, GRAPHS_MODEL) == 0 && s->n_kinds == N_GRAPH_KINDS;
}

static uint32_t
graph_component_add_column (Graph *p, const TraceType *t, StateScope scope, bool number)
{
  Store *s = &p->store;
  bool taken = state_attribute (&s->model, scope, t->name) >= 0;
  g_autofree char *name = taken ? g_strdup_printf ("%s (attribute)", t->name) : g_strdup (t->name);
  StateAttribute a = { name, scope, number ? STATE_REAL : STATE_TEXT, .doc = "An attribute of the file.",
                       .given = true };

  if (number) {
    uint32_t *size = scope == STATE_NODE ? &p->layout.node.size : &p->layout.edge.size;
    a.at = *size;
    *size += sizeof (double);
  }
  return store_add_attribute (s, &a);
}

/* The types of a parent are the fields of its kind of events, in their order. */
static void
bind_attributes (Graph *p, const TraceSource *source, uint32_t parent, uint16_t kind, StateScope scope, uint32_t field)
{
  const TraceKind *k = &source->kinds[kind];

  for (guint i = 0; i < source->types->len && field < k->n_fields; i++) {
    const TraceType *t = source->types->pdata[i];
    if (t->kind != TRACE_VARIABLE || t->parent != parent)
      continue;
    Column c = { NONE, kind, (uint16_t) field, k->fields[field].role == TRACE_ROLE_INT };
    if (scope != STATE_GRAPH && strcmp (t->name, "class") == 0)
      p->class[scope] = (int) field;
    if (scope != STATE_GRAPH && strcmp (t->name, "State") == 0)
      p->state[scope] = (int) field;
    else if (scope != STATE_NODE || strcmp (t->name, "Nickname") != 0) /* the task has it already */
      c.attribute = graph_component_add_column (p, t, scope, c.number);
    g_array_append_val (p->columns, c);
    field++;
  }
}

/* Rows have the attributes of one trace: another one of the same name is taken for it only if it has as many. */
static bool
graph_component_bind_trace (Store *s, const TraceSource *source)
{
  Graph *p = (Graph *) s;
  uint32_t before = s->model.n_attributes;

  store_forget_added (s);
  p->layout.node.size = sizeof (Node);
  p->layout.edge.size = sizeof (Edge);
  memset (p->state, 0xff, sizeof p->state);
  memset (p->class, 0xff, sizeof p->class);
  g_array_set_size (p->columns, 0);
  if (is_of_graphs (source)) {
    bind_attributes (p, source, GRAPH_OF_GRAPH, GRAPH_IS, STATE_GRAPH, 0);
    bind_attributes (p, source, GRAPH_OF_NODE, GRAPH_NODE_IS, STATE_NODE, 0);
    bind_attributes (p, source, GRAPH_OF_LINK, GRAPH_LINK_IS, STATE_EDGE, GRAPH_LINK_FIELDS);
  }
  p->column_of = g_renew (uint32_t, p->column_of, s->model.n_attributes);
  for (guint i = 0; i < p->columns->len; i++)
    if (g_array_index (p->columns, Column, i).attribute != NONE)
      p->column_of[g_array_index (p->columns, Column, i).attribute] = i;
  return s->graph.n_nodes == 0 || s->model.n_attributes == before;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------------ */

/* A field of the event that told of something, by an event like it; false: it has none. */
static bool
graph_component_put_field (const Graph *p, uint16_t kind, uint32_t field, int64_t record, GString *to)
{
  const TraceSource *s = trace_source (p->store.graph.source);
  const TraceEvent e = { .kind = kind,
                         .record = TRACE_RECORD ((uint64_t) record - 1),
                         .source = p->store.graph.source,
                         .task = TRACE_NONE,
                         .peer = TRACE_NONE,
                         .object = TRACE_NONE,
                         .tag = -1,
                         .flags = TRACE_INSTANT };

  if (record <= 0 || !is_of_graphs (s) || field >= s->kinds[kind].n_fields)
    return false;
  TraceValue v = trace_value (&e, field);
  if (v.kind == TRACE_VALUE_TEXT)
    g_string_append (to, v.text);
  return v.kind == TRACE_VALUE_TEXT && *v.text;
}

static void
graph_component_put_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Graph *p = (const Graph *) g;
  const TraceSource *s = trace_source (g->source);

  if (attribute >= N_ATTRIBUTES) {
    const Column *c = &g_array_index (p->columns, Column, p->column_of[attribute]);
    graph_component_put_field (p, c->kind, c->field,
                               c->kind == GRAPH_IS        ? p->record
                               : c->kind == GRAPH_NODE_IS ? graph_component_node_at (p, object)->record
                                                          : edge_at (p, object)->record,
                               to);
    return;
  }
  switch (attribute) {
  case NODE_INSIDE: {
    const TraceTask *t = s ? trace_task (s, graph_component_node_at (p, object)->node.task) : NULL;
    if (t && t->parent != TRACE_NONE)
      g_string_append (to, trace_task_name (s, t->parent));
    break;
  }
  case EDGE_NAME:
    if (!graph_component_put_field (p, GRAPH_LINK_IS, GRAPH_LINK_NAME, edge_at (p, object)->record, to))
      state_edge_id (g, object, to);
    break;
  default:
    store_text (g, attribute, object, to);
  }
}

/* ---- events ------------------------------------------------------------------------------------------------------------------ */

static uint32_t
state_told (Graph *p, uint32_t attribute, StateScope scope, const TraceEvent *e)
{
  static const TraceValue none = { .kind = TRACE_VALUE_NONE };
  static const char *const senses[] = {
    [STATE_SENSE_WORKS] = "works", [STATE_SENSE_COSTS] = "costs", [STATE_SENSE_WAITS] = "waits",
    [STATE_SENSE_TALKS] = "talks", [STATE_SENSE_REST] = "rest",   [STATE_SENSE_GONE] = "gone"
  };
  StateSense sense = STATE_SENSE_NONE;
  TraceValue v = p->class[scope] >= 0 ? trace_value (e, (uint32_t) p->class[scope]) : none;

  for (StateSense i = STATE_SENSE_WORKS; v.kind == TRACE_VALUE_TEXT && i <= STATE_SENSE_GONE; i++)
    if (strcmp (v.text, senses[i]) == 0)
      sense = i;
  v = p->state[scope] >= 0 ? trace_value (e, (uint32_t) p->state[scope]) : none;
  return v.kind == TRACE_VALUE_TEXT && *v.text ? store_value (&p->store, attribute, v.text, sense) : PRESENT;
}

static void
set_numbers (Graph *p, uint32_t object, const TraceEvent *e)
{
  for (guint i = 0; i < p->columns->len; i++) {
    const Column *c = &g_array_index (p->columns, Column, i);
    if (c->kind != e->kind || !c->number || c->attribute == NONE)
      continue;
    TraceValue v = trace_value (e, c->field);
    if (v.kind == TRACE_VALUE_REAL)
      store_set_real (&p->store, c->attribute, object, v.real);
    else if (v.kind == TRACE_VALUE_INT)
      store_set_real (&p->store, c->attribute, object, (double) v.i);
  }
}

/* Made, and told, with its state. */
static uint32_t
graph_component_add_node (Graph *p, const TraceEvent *e)
{
  uint32_t node = store_node (&p->store, e->task, state_told (p, NODE_STATE, STATE_NODE, e));

  graph_component_node_at (p, node)->record = (int64_t) e->record + 1;
  set_numbers (p, node, e);
  return node;
}

static void
graph_component_add_link (Graph *p, const TraceEvent *e)
{
  Store *s = &p->store;
  uint32_t from = store_find_node (s, e->task), to = store_find_node (s, e->peer);

  if (from == NONE || to == NONE) {
    state_impossible (&s->graph, e, _ ("joins a node that has not come; left out"));
    return;
  }
  uint32_t edge = store_add_edge (s, from, to);
  edge_at (p, edge)->record = (int64_t) e->record + 1;
  edge_at (p, edge)->state = state_told (p, EDGE_STATE, STATE_EDGE, e);
  store_changed (s, EDGE, edge, EDGE_STATE, -1, edge_at (p, edge)->state);
  set_numbers (p, edge, e);
  store_add (s, NODE_LINKS_OUT, from, 1);
  store_add (s, NODE_LINKS_IN, to, 1);
}

static void
graph_component_step (Graph *p, const TraceEvent *e)
{
  Store *s = &p->store;

  if (!store_event (s, e))
    return;
  store_clock (s, e);
  if (G_UNLIKELY (!is_of_graphs (trace_source (e->source)))) {
    state_impossible (&s->graph, e, _ ("is of a trace that is no graph; left out"));
    return;
  }
  if (e->kind == GRAPH_IS)
    p->record = (int64_t) e->record + 1;
  else if (e->kind == GRAPH_NODE_IS)
    graph_component_add_node (p, e);
  else if (e->kind == GRAPH_LINK_IS)
    graph_component_add_link (p, e);
}

/* ---- the component ------------------------------------------------------------------------------------------------------------ */

static const EveInSpec ins[] = {
  { "events", &trace_type_event, EVE_SYNC, .required = true, .doc = "Nodes and links of a graph, from its reader." },
};
static const char *const provides[] = { "simulator:graph", NULL };

static bool
graph_component_simulator_init (EveComponent *c)
{
  Simulator *self = (Simulator *) c;
  Graph *p = self->model = g_new0 (Graph, 1);

  p->layout = layout;
  p->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  memset (p->state, 0xff, sizeof p->state);
  memset (p->class, 0xff, sizeof p->class);
  store_init (&p->store, &p->layout);
  return true;
}

/* The attributes of the file are known before its first event. */
static void
graph_component_simulator_start (EveComponent *c)
{
  Store *s = &((Simulator *) c)->model->store;
  const TraceSource *source = store_source_above (c);

  if (is_of_graphs (source) && !s->bound && s->graph.n_nodes == 0)
    store_guess (s, source);
}

static const EveClass graph_simulator = {
  EVE_CLASS_HEAD,
  .id = "scope.graph-simulator",
  .label = "Graph simulator",
  .doc = "Shows a graph that was read from a DOT or GraphML file: its nodes and links with their attributes.",
  .help =
      "Each node of the file is a node, each link a link, and what the file says of them are their attributes: numbers "
      "where all values of an attribute are numbers, else texts.  An attribute called *State* is the state, which "
      "views show by its colour; without one they are *Node* and *Link*.  *Nickname* is the label of a node, *Inside* "
      "the group "
      "that it is inside of.",
  .provides = provides,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .init = graph_component_simulator_init,
  .start = graph_component_simulator_start,
  .fire = simulator_fire,
  .fire_span = simulator_fire_span,
  SIMULATOR_CLASS,
};
EVE_PLUGIN (&graph_simulator);
