/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - the graph as the topology of the trace tells it (thesis, section 2.3.3), what each kind of event means, and
 * how values change. */
#include "simulators/ouf/ouf.h"

#include "readers/reader.h"

/* ---- telling --------------------------------------------------------------------------------------------------- */

void
ouf_tell (Ouf *p, StateScope scope, uint32_t object, uint32_t attribute, int64_t old, int64_t new)
{
  *(StateChange *) told_add (&p->told.changes, sizeof (StateChange)) = (StateChange){ .date = p->now,
                                                                                      .old_value = old,
                                                                                      .new_value = new,
                                                                                      .object = object,
                                                                                      .attribute = (uint16_t) attribute,
                                                                                      .source = p->graph.source,
                                                                                      .scope = (uint8_t) scope };
}

/* Nodes of tasks have the numbers that the tasks have in the trace. */
static void
tell_state (Ouf *p, uint32_t task, int64_t old, int64_t new)
{
  told_state (&p->told, &(StateChange){ .date = p->now,
                                        .old_value = old,
                                        .new_value = new,
                                        .object = task,
                                        .attribute = AT_STATE,
                                        .source = p->graph.source,
                                        .scope = STATE_NODE });
}

void
ouf_tell_message (Ouf *p, uint32_t link, const Call *c)
{
  const Link *l = &p->links[link];
  const Meeting *m = &p->meetings[c->meeting];

  *(StateMessage *) told_add (&p->told.messages, sizeof (StateMessage)) = (StateMessage){ .sent = m->sent,
                                                                                          .received = p->now,
                                                                                          .size = m->size,
                                                                                          .tag = -1,
                                                                                          .from = l->from,
                                                                                          .to = l->to,
                                                                                          .source = p->graph.source };
}

void
ouf_tell_graph (Ouf *p)
{
  for (uint32_t i = 0; i < p->graph.n_nodes; i++)
    ouf_changed (p, STATE_NODE, i, AT_STATE, -1, p->nodes[i].state);
  for (uint32_t i = 0; i < p->n_tasks && p->telling_states; i++)
    tell_state (p, i, -1, p->nodes[i].state);
  for (uint32_t i = 0; i < p->graph.n_edges; i++)
    ouf_changed (p, STATE_EDGE, i, EDGE_STATE, -1, p->links[i].state);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

void
ouf_node_state (Ouf *p, uint32_t node, uint8_t state)
{
  Node *n = &p->nodes[node];
  uint8_t old = n->state;

  if (old == state)
    return;
  if (old < N_LIVE)
    n->spent[old] = plus (n->spent[old], minus (p->now, n->since));
  n->since = n->clock = p->now;
  n->state = state;
  ouf_changed (p, STATE_NODE, node, AT_STATE, old, state);
  if (n->kind != KIND_TASK)
    return;
  if (p->telling_states)
    tell_state (p, node, old, state);
  if (n->inside != NONE)
    ouf_processor_task (p, n->inside, old, state);
}

void
ouf_link_state (Ouf *p, uint32_t link, uint8_t state)
{
  Link *l = &p->links[link];
  uint8_t old = l->state;

  if (old == state)
    return;
  if (old < N_LIVE)
    l->spent[old] = plus (l->spent[old], minus (p->now, l->since));
  l->since = l->clock = p->now;
  l->state = state;
  ouf_changed (p, STATE_EDGE, link, EDGE_STATE, old, state);
}

void
ouf_link_set (Ouf *p, uint32_t link, uint32_t attribute, int64_t *value, int64_t new)
{
  int64_t old = *value;

  if (old == new)
    return;
  *value = new;
  p->links[link].clock = p->now;
  ouf_changed (p, STATE_EDGE, link, attribute, old, new);
}

uint32_t
ouf_node_add (Ouf *p, NodeKind kind, uint32_t inside, uint32_t number)
{
  uint32_t node = p->graph.n_nodes++;
  Node *n;

  p->nodes = state_room (p->nodes, node, &p->nodes_room, sizeof *p->nodes);
  n = &p->nodes[node];
  *n = (Node){ .clock = p->now,
               .since = p->now,
               .first_out = NONE,
               .inside = inside,
               .number = number,
               .state = NODE_UNUSED,
               .kind = (uint8_t) kind };
  if (p->begun)
    ouf_changed (p, STATE_NODE, node, AT_STATE, -1, NODE_UNUSED);
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
act_of (const TraceKind *k)
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
    p->rules[i] = (Rule){ .act = (uint8_t) act_of (k),
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
make_links (Ouf *p, const TraceSource *s, uint32_t n_links)
{
  p->links = g_new0 (Link, MAX (n_links, 1));
  for (uint32_t i = 0; i < p->n_objects; i++) {
    const TraceObject *o = s->objects->pdata[i];
    if (p->link_of[i] == NONE)
      continue;
    Node *from = &p->nodes[o->from];
    p->links[p->link_of[i]] = (Link){ .from = o->from,
                                      .to = o->to,
                                      .clock = p->now,
                                      .since = p->now,
                                      .next_out = from->first_out,
                                      .meetings = NONE,
                                      .state = LINK_UNUSED };
    from->first_out = p->link_of[i];
  }
  p->graph.n_edges = n_links;
}

/* Tasks, processors and links as the topology tells them, all Unused since the first event. */
static void
make_graph (Ouf *p, const TraceSource *s, uint32_t n_links)
{
  p->threads = *p->wants_threads;
  p->semaphores = *p->wants_semaphores;
  p->processors = *p->wants_processors;
  p->now = s->first <= s->last ? s->first : 0;
  p->n_tasks = s->tasks->len;
  for (uint32_t i = 0; i < p->n_tasks; i++)
    ouf_node_add (p, KIND_TASK, NONE, i);
  for (uint32_t i = 0; i < s->hosts->len && p->processors; i++) {
    uint32_t processor = ouf_node_add (p, KIND_PROCESSOR, NONE, i);
    for (uint32_t task = 0; task < p->n_tasks; task++)
      if (trace_task (s, task)->host == i) {
        p->nodes[task].inside = processor;
        p->nodes[processor].n_in[NODE_UNUSED]++;
      }
  }
  make_links (p, s, n_links);
}

/* Makes the graph, or sees that the one that was loaded is of this source. */
static bool
bind_source (Ouf *p, const TraceSource *s)
{
  uint32_t n_links = number_links (p, s);

  if (p->begun && (p->n_tasks != s->tasks->len || p->graph.n_edges != n_links))
    return false;
  p->graph.source = s->number;
  if (!p->begun)
    make_graph (p, s, n_links);
  for (uint32_t i = 0; i < p->n_objects; i++)
    if (p->link_of[i] != NONE)
      p->links[p->link_of[i]].object = i;
  bind_rules (p, s);
  g_clear_pointer (&p->source_name, g_free);
  p->bound = true;
  return true;
}

/* After a load the number of the source may be another one in this process. */
void
ouf_find_source (Ouf *p)
{
  for (int i = 0; p->source_name != NULL && i <= UINT8_MAX; i++) {
    const TraceSource *s = trace_source ((uint8_t) (p->graph.source + i));
    if (s != NULL && s->name != NULL && strcmp (s->name, p->source_name) == 0 && bind_source (p, s))
      p->guessed = true; /* which ends the search */
  }
}

/* One simulator follows one trace; before its first event it may have guessed another, and after a load another of the
 * same name. */
bool
ouf_follow (Ouf *p, uint8_t number)
{
  const TraceSource *s, *guess;

  ouf_find_source (p);
  if (p->bound && p->graph.source == number)
    return true;
  s = trace_source (number);
  guess = p->bound ? trace_source (p->graph.source) : NULL;
  if (s == NULL || (p->begun && (guess == NULL || !p->guessed || g_strcmp0 (s->name, guess->name) != 0)))
    return false;
  if (!p->begun)
    ouf_reset (p);
  return bind_source (p, s);
}
