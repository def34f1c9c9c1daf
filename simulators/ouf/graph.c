/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - the graph as the topology of the trace tells it (thesis, section 2.3.3), what each kind of event means, and
 * how values change. */
#include "simulators/ouf/ouf.h"

#include "readers/reader.h"

/* ---- telling --------------------------------------------------------------------------------------------------- */

void
ouf_tell_graph (Ouf *p)
{
  Store *s = &p->store;

  for (uint32_t i = 0; i < s->graph.n_nodes; i++)
    store_changed (s, STATE_NODE, i, AT_STATE, -1, node_at (p, i)->state);
  for (uint32_t i = 0; i < p->n_tasks; i++)
    store_tell_state (s, i, -1, node_at (p, i)->state);
  for (uint32_t i = 0; i < s->graph.n_edges; i++)
    store_changed (s, STATE_EDGE, i, EDGE_STATE, -1, link_at (p, i)->state);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

/* Nodes of tasks have the numbers that the tasks have in the trace. */
void
ouf_node_state (Ouf *p, uint32_t node, uint8_t state)
{
  Node *n = node_at (p, node);
  uint8_t old = n->state;

  if (!store_put_state (&p->store, STATE_NODE, node, AT_STATE, &n->node.life, &n->state, n->spent, N_LIVE, state))
    return;
  store_visit (&p->store, node, N_LIVE, state);
  if (n->kind != KIND_TASK)
    return;
  store_tell_state (&p->store, node, old, state);
  if (n->inside != NONE)
    ouf_processor_task (p, n->inside, old, state);
}

uint32_t
ouf_node_add (Ouf *p, NodeKind kind, uint32_t inside, uint32_t number)
{
  uint32_t node = store_add_node (&p->store, kind == KIND_TASK ? number : NONE);
  Node *n = node_at (p, node);

  n->inside = inside;
  n->chain = n->first_hold = n->last_hold = NONE;
  n->number = number;
  n->state = NODE_UNUSED;
  n->kind = (uint8_t) kind;
  store_visit (&p->store, node, N_LIVE, NODE_UNUSED);
  if (p->begun)
    store_changed (&p->store, STATE_NODE, node, AT_STATE, -1, NODE_UNUSED);
  return node;
}

/* ---- kinds ----------------------------------------------------------------------------------------------------- */

static int8_t
field_called (const TraceKind *k, const char *name)
{
  for (uint32_t i = 0; i < k->n_fields && i < INT8_MAX; i++)
    if (strcmp (k->fields[i].name, name) == 0)
      return (int8_t) i;
  return -1;
}

static Act
ouf_graph_act_of (const TraceKind *k)
{
  static const struct {
    const char *name;
    Act act;
  } acts[] = {
    { "TskBth", ACT_BIRTH },        { "TskDth", ACT_DEATH },    { "ThdBth", ACT_THREAD_BIRTH },
    { "ThdDth", ACT_THREAD_DEATH }, { "Run", ACT_RUN },         { "Stop", ACT_STOP },
    { "Send", ACT_SEND },           { "TSend", ACT_SEND },      { "Receive", ACT_RECEIVE },
    { "TReceive", ACT_RECEIVE },    { "Timeout", ACT_TIMEOUT }, { "Alt", ACT_ALT },
    { "NAlt", ACT_NALT },           { "Wait", ACT_WAIT },       { "SemInit", ACT_SEM_INIT },
    { "SemP", ACT_SEM_P },          { "SemGOk", ACT_SEM_TRY },  { "SemV", ACT_SEM_V },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (acts); i++)
    if (strcmp (k->name, acts[i].name) == 0)
      return acts[i].act;
  return ACT_NONE;
}

static void
bind_rules (Ouf *p, const TraceSource *s)
{
  g_free (p->rules);
  p->rules = g_new0 (Rule, s->n_kinds);
  p->n_rules = s->n_kinds;
  for (uint32_t i = 0; i < s->n_kinds; i++) {
    const TraceKind *k = &s->kinds[i];
    p->rules[i] = (Rule){ .act = (uint8_t) ouf_graph_act_of (k),
                          .thread = field_called (k, "runs"),
                          .semaphore = field_called (k, "semaphore"),
                          .value = field_called (k, "value"),
                          .meeting = field_called (k, "meeting"),
                          .word = field_called (k, "name") };
  }
}

/* ---- the source ------------------------------------------------------------------------------------------------ */

static bool
is_link (const TraceSource *s, const TraceObject *o)
{
  return o->from < s->tasks->len && o->to < s->tasks->len && o->from != o->to;
}

/* Numbers of links by object; gives how many there are. */
static uint32_t
number_links (Ouf *p, const TraceSource *s)
{
  uint32_t n = 0;

  g_free (p->link_of);
  p->n_objects = s->objects->len;
  p->link_of = g_new (uint32_t, MAX (p->n_objects, 1));
  for (uint32_t i = 0; i < p->n_objects; i++)
    p->link_of[i] = is_link (s, s->objects->pdata[i]) ? n++ : NONE;
  return n;
}

static void
ouf_graph_make_links (Ouf *p, const TraceSource *s)
{
  for (uint32_t i = 0; i < p->n_objects; i++) {
    const TraceObject *o = s->objects->pdata[i];
    if (p->link_of[i] != NONE)
      link_at (p, store_add_edge (&p->store, o->from, o->to))->meetings = NONE;
  }
}

/* Tasks, processors and links as the topology tells them, all Unused since the first event. */
static void
make_graph (Ouf *p, const TraceSource *s)
{
  p->threads = *p->wants_threads;
  p->semaphores = *p->wants_semaphores;
  p->processors = *p->wants_processors;
  p->store.now = s->first <= s->last ? s->first : 0;
  p->n_tasks = s->tasks->len;
  for (uint32_t i = 0; i < p->n_tasks; i++)
    ouf_node_add (p, KIND_TASK, NONE, i);
  for (uint32_t i = 0; i < s->hosts->len && p->processors; i++) {
    uint32_t processor = ouf_node_add (p, KIND_PROCESSOR, NONE, i);
    for (uint32_t task = 0; task < p->n_tasks; task++)
      if (trace_task (s, task)->host == i) {
        node_at (p, task)->inside = processor;
        node_at (p, processor)->n_in[NODE_UNUSED]++;
      }
  }
  ouf_graph_make_links (p, s);
}

bool
ouf_bind (Store *store, const TraceSource *s)
{
  Ouf *p = (Ouf *) store;

  if (!p->begun) /* of another guess, perhaps */
    ouf_reset (p);
  uint32_t n_links = number_links (p, s);
  if (p->begun && (p->n_tasks != s->tasks->len || store->graph.n_edges != n_links))
    return false;
  if (!p->begun)
    make_graph (p, s);
  for (uint32_t i = 0; i < p->n_objects; i++)
    if (p->link_of[i] != NONE)
      link_at (p, p->link_of[i])->object = i;
  bind_rules (p, s);
  return true;
}
