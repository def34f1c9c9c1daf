/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what others see of the state of an OUF application: the attributes of thesis tables 2.7 to 2.9. */
#include "simulators/ouf/ouf.h"

#include "readers/pair.h"
#include "readers/reader.h"

static const StateValue node_states[] = { { "Busy", STATE_SENSE_WORKS },
                                          { "Idle", STATE_SENSE_WAITS },
                                          { "Talking", STATE_SENSE_TALKS },
                                          { "Unused", STATE_SENSE_REST },
                                          { "Dead", STATE_SENSE_GONE } };
static const StateValue link_states[] = { { "Unused", STATE_SENSE_REST },
                                          { "Idle", STATE_SENSE_WAITS },
                                          { "Talking", STATE_SENSE_TALKS },
                                          { "Dead", STATE_SENSE_GONE } };
static const char *const kind_names[] = { "task", "thread", "semaphore", "processor" };

#define GRAPH STATE_GRAPH
#define NODE STATE_NODE
#define EDGE STATE_EDGE

static const StateAttribute attributes[N_ATTRIBUTES] = {
  [GRAPH_CLOCK] = { "Clock", GRAPH, STATE_DATE, .unit = "s", .doc = "Date of the last event." },
  [GRAPH_CLOCK_UNITS] = { "ClockUnits", GRAPH, STATE_TEXT, .doc = "Unit of dates." },

  [AT_CLOCK] = { "Clock", NODE, STATE_DATE, .unit = "s", .doc = "Date of the last change of the node." },
  [AT_STATE] = { "State", NODE, STATE_ENUM, STATE_VALUES (node_states), .doc = "State of the node." },
  [AT_NAME] = { "Name", NODE, STATE_TEXT, STATE_ROLE_NAME, .doc = "What it is, and its identifier." },
  [AT_NICKNAME] = { "Nickname", NODE, STATE_TEXT, STATE_ROLE_LABEL,
                    .doc = "Nickname given by the user, else the identifier." },
  [AT_PROTAGONIST] = { "Protagonist", NODE, STATE_TEXT,
                       .doc = "Task a communication is going on with; a change tells task + 1, 0 for nobody, -1 for "
                              "several." },
  [AT_PERCENT_BUSY] = { "PercentBusy", NODE, STATE_PERCENT, .of = NODE_BUSY, .unit = "%",
                        .doc = "Share of its life spent Busy." },
  [AT_PERCENT_IDLE] = { "PercentIdle", NODE, STATE_PERCENT, .of = NODE_IDLE, .unit = "%",
                        .doc = "Share of its life spent Idle." },
  [AT_PERCENT_TALKING] = { "PercentTalking", NODE, STATE_PERCENT, .of = NODE_TALKING, .unit = "%",
                           .doc = "Share of its life spent Talking." },
  [AT_KIND] = { "Kind", NODE, STATE_TEXT, .doc = "A task, thread, semaphore or processor." },
  [AT_INSIDE] = { "Inside", NODE, STATE_TEXT, .doc = "Task of a thread or semaphore, processor of a task." },
  [AT_PROGRAM] = { "Program", NODE, STATE_TEXT, .doc = "Program the task runs." },
  [AT_VALUE] = { "Value", NODE, STATE_INT, .doc = "How often a semaphore can still be taken." },
  [AT_HOLDERS] = { "Holders", NODE, STATE_TEXT,
                   .doc = "Threads that have taken the semaphore, in order; a change tells how many." },
  [AT_WAITERS] = { "Waiters", NODE, STATE_TEXT,
                   .doc = "Threads that wait for the semaphore, the last that came first; a change tells how many." },

  [EDGE_CLOCK] = { "Clock", EDGE, STATE_DATE, .unit = "s", .doc = "Date of the last change of the link." },
  [EDGE_STATE] = { "State", EDGE, STATE_ENUM, STATE_VALUES (link_states), .doc = "State of the link." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the link." },
  [EDGE_ORIGIN] = { "Origin", EDGE, STATE_TEXT, .doc = "Nickname of the task it comes from." },
  [EDGE_DESTINATION] = { "Destination", EDGE, STATE_TEXT, .doc = "Nickname of the task it goes to." },
  [EDGE_USAGE] = { "Usage", EDGE, STATE_INT, .doc = "Calls that use the link now." },
  [EDGE_TRAFFIC] = { "Traffic", EDGE, STATE_INT, STATE_ROLE_PENDING, .unit = "B",
                     .doc = "Bytes of the transfer in progress." },
  [EDGE_TOTAL_TRAFFIC] = { "TotalTraffic", EDGE, STATE_INT, STATE_ROLE_TRAFFIC, .unit = "B",
                           .doc = "Bytes transferred so far." },
  [EDGE_PERCENT_UNUSED] = { "PercentUnused", EDGE, STATE_PERCENT, .of = LINK_UNUSED, .unit = "%",
                            .doc = "Share of its time spent Unused." },
  [EDGE_PERCENT_IDLE] = { "PercentIdle", EDGE, STATE_PERCENT, .of = LINK_IDLE, .unit = "%",
                          .doc = "Share of its time spent Idle." },
  [EDGE_PERCENT_TALKING] = { "PercentTalking", EDGE, STATE_PERCENT, .of = LINK_TALKING, .unit = "%",
                             .doc = "Share of its time spent Talking." },
  [EDGE_MESSAGES] = { "Messages", EDGE, STATE_INT, STATE_ROLE_MESSAGES, .doc = "Messages received so far." },
};

/* ---- numbers --------------------------------------------------------------------------------------------------- */

static const void *
column (const StateGraph *g, uint32_t attribute, size_t *stride)
{
  const Ouf *p = (const Ouf *) g;

  *stride = attribute >= EDGE_CLOCK ? sizeof (Link) : attribute >= AT_CLOCK ? sizeof (Node) : 0;
  if (attribute == GRAPH_CLOCK)
    return &g->clock;
  if (attribute >= EDGE_CLOCK ? p->links == NULL : p->nodes == NULL)
    return NULL;
  switch (attribute) {
  case AT_CLOCK:
    return &p->nodes->clock;
  case AT_STATE:
    return &p->nodes->state;
  case AT_VALUE:
    return &p->nodes->value;
  case EDGE_CLOCK:
    return &p->links->clock;
  case EDGE_STATE:
    return &p->links->state;
  case EDGE_USAGE:
    return &p->links->usage;
  case EDGE_TRAFFIC:
    return &p->links->traffic;
  case EDGE_TOTAL_TRAFFIC:
    return &p->links->total_traffic;
  case EDGE_MESSAGES:
    return &p->links->messages;
  default:
    return NULL;
  }
}

/* Unused and Dead are the last states of a node, Dead of a link: their time is not counted. */
_Static_assert(NODE_UNUSED == N_LIVE && LINK_DEAD == N_LIVE, "states that count come first");

static void
spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *in_state,
       int64_t *total)
{
  const Ouf *p = (const Ouf *) g;

  *in_state = *total = 0;
  if (scope == STATE_EDGE) {
    const Link *l = &p->links[object];
    state_add_spent (l->spent, N_LIVE, l->state, l->since, state, at, in_state, total);
  } else if (p->nodes[object].kind != KIND_PROCESSOR) {
    const Node *n = &p->nodes[object];
    state_add_spent (n->spent, N_LIVE, n->state, n->since, state, at, in_state, total);
  } else { /* the sum of its tasks */
    for (const Node *n = p->nodes; n < p->nodes + p->n_tasks; n++)
      if (n->inside == object)
        state_add_spent (n->spent, N_LIVE, n->state, n->since, state, at, in_state, total);
  }
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

static const char *
host_name (const TraceSource *s, uint32_t host)
{
  return host < s->hosts->len ? ((const TraceHost *) s->hosts->pdata[host])->name : "?";
}

/* Kept for those that are not in the source. */
const char *
ouf_node_id (const StateGraph *g, uint32_t node)
{
  const Ouf *p = (const Ouf *) g;
  const TraceSource *s = trace_source (g->source);
  const Node *n = &p->nodes[node];
  g_autofree char *id = NULL;

  if (s == NULL)
    return "?";
  if (n->kind == KIND_TASK)
    return trace_task_id (s, node);
  if (n->kind == KIND_PROCESSOR)
    id = g_strdup_printf ("processor %s", host_name (s, n->number));
  else
    id = g_strdup_printf (n->kind == KIND_THREAD ? "%s.%u" : "%s.s%u", trace_task_id (s, n->inside), n->number);
  return g_string_chunk_insert_const (p->ids, id);
}

static void
put_nickname (const Ouf *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->graph.source);

  g_string_append (to, p->nodes[node].kind == KIND_TASK && s != NULL ? trace_task_name (s, node)
                                                                     : ouf_node_id (&p->graph, node));
}

static void
put_protagonist (const Ouf *p, uint32_t task, GString *to)
{
  const Node *t = &p->nodes[task];
  gsize from = to->len;

  if (t->protagonist > 0)
    put_nickname (p, (uint32_t) t->protagonist - 1, to);
  if (t->protagonist >= 0)
    return;
  for (const Call *c = &t->call; c != NULL; c = ouf_next_call (p, c))
    if (c->guards != NONE) {
      for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next) {
        g_string_append (to, to->len > from ? ", " : "");
        put_nickname (p, p->links[p->guards[at].link].from, to);
      }
      return;
    }
}

static void
put_thread (GString *to, gsize from, int32_t thread)
{
  g_string_append_printf (to, "%s%d", to->len > from ? ", " : "", thread);
}

static void
put_holders (const Ouf *p, uint32_t semaphore, GString *to)
{
  gsize from = to->len;

  for (guint i = 0; i < p->holds->len; i++)
    if (g_array_index (p->holds, Hold, i).semaphore == semaphore)
      put_thread (to, from, g_array_index (p->holds, Hold, i).thread);
}

static void
put_waiters (const Ouf *p, uint32_t semaphore, GString *to)
{
  Node *task = &p->nodes[p->nodes[semaphore].inside];
  gsize from = to->len;

  for (const Call *c = ouf_first_call (task); c != NULL; c = ouf_next_call (p, c))
    if (c->semaphore == semaphore)
      put_thread (to, from, c->thread);
}

static void
edge_text (const Ouf *p, const TraceSource *s, uint32_t attribute, uint32_t edge, GString *to)
{
  const Link *l = &p->links[edge];

  if (attribute == EDGE_ORIGIN)
    put_nickname (p, l->from, to);
  else if (attribute == EDGE_DESTINATION)
    put_nickname (p, l->to, to);
  else if (attribute == EDGE_NAME)
    g_string_append (to, s != NULL ? trace_object_id (s, l->object) : "?");
}

static void
text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Ouf *p = (const Ouf *) g;
  const TraceSource *s = trace_source (g->source);
  const Node *n = attribute >= AT_CLOCK && attribute < EDGE_CLOCK ? &p->nodes[object] : NULL;
  const TraceTask *task = n != NULL && n->kind == KIND_TASK && s != NULL ? trace_task (s, object) : NULL;

  switch (attribute) {
  case GRAPH_CLOCK_UNITS:
    g_string_append (to, s != NULL ? s->clock.units : "s");
    break;
  case AT_NAME:
    if (n->kind != KIND_PROCESSOR)
      g_string_append_printf (to, "%s ", kind_names[n->kind]);
    g_string_append (to, ouf_node_id (g, object));
    break;
  case AT_NICKNAME:
    put_nickname (p, object, to);
    break;
  case AT_PROTAGONIST:
    if (n->kind == KIND_TASK)
      put_protagonist (p, object, to);
    break;
  case AT_KIND:
    g_string_append (to, kind_names[n->kind]);
    break;
  case AT_INSIDE:
    if (task != NULL && task->host < s->hosts->len)
      g_string_append (to, host_name (s, task->host));
    else if (n->kind == KIND_THREAD || n->kind == KIND_SEMAPHORE)
      g_string_append (to, ouf_node_id (g, n->inside));
    break;
  case AT_PROGRAM:
    g_string_append (to, task != NULL && task->program != NULL ? task->program : "");
    break;
  case AT_HOLDERS:
    if (n->kind == KIND_SEMAPHORE)
      put_holders (p, object, to);
    break;
  case AT_WAITERS:
    if (n->kind == KIND_SEMAPHORE)
      put_waiters (p, object, to);
    break;
  default:
    edge_text (p, s, attribute, object, to);
  }
}

/* ---- who is there ---------------------------------------------------------------------------------------------- */

/* Dead ones are kept by default, for their figures (thesis, note 10). */
static bool
present (const StateGraph *g, uint32_t node)
{
  const Ouf *p = (const Ouf *) g;

  return p->nodes[node].state != NODE_DEAD || *p->keep_the_dead;
}

static void
edge_ends (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to)
{
  const Ouf *p = (const Ouf *) g;

  *from = p->links[edge].from;
  *to = p->links[edge].to;
}

/* Sending and receiving are one act: what is under way has not come to its end. */
static void
messages (const StateGraph *g, uint32_t edge, StateTotals *to)
{
  const Link *l = &((const Ouf *) g)->links[edge];

  to->sent = plus (to->sent, l->messages);
  to->received = plus (to->received, l->messages);
  to->sent_bytes = plus (to->sent_bytes, l->total_traffic);
  to->received_bytes = plus (to->received_bytes, l->total_traffic);
}

const StateModel ouf_model = {
  .name = "OUF",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .column = column,
  .spent = spent,
  .text = text,
  .present = present,
  .messages = messages,
};

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Ouf *
ouf_new (const bool *keep_the_dead, const bool *threads, const bool *semaphores, const bool *processors)
{
  Ouf *p = g_new0 (Ouf, 1);

  p->graph.model = &ouf_model;
  p->graph.node_id = ouf_node_id;
  p->graph.edge_ends = edge_ends;
  p->graph.impossible = g_ptr_array_new_with_free_func (g_free);
  p->ids = g_string_chunk_new (1024);
  p->by_number = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  p->holds = g_array_new (FALSE, FALSE, sizeof (Hold));
  p->keep_the_dead = keep_the_dead;
  p->wants_threads = threads;
  p->wants_semaphores = semaphores;
  p->wants_processors = processors;
  ouf_reset (p);
  return p;
}

void
ouf_reset (Ouf *p)
{
  state_reset_graph (&p->graph);
  told_clear (&p->told);
  p->now = INT64_MIN;
  g_hash_table_remove_all (p->by_number);
  g_array_set_size (p->holds, 0);
  g_clear_pointer (&p->source_name, g_free);
  g_clear_pointer (&p->rules, g_free);
  g_clear_pointer (&p->nodes, g_free);
  g_clear_pointer (&p->links, g_free);
  g_clear_pointer (&p->link_of, g_free);
  g_clear_pointer (&p->calls, g_free);
  g_clear_pointer (&p->guards, g_free);
  g_clear_pointer (&p->meetings, g_free);
  p->bound = p->guessed = p->begun = false;
  p->n_rules = p->nodes_room = p->n_tasks = p->n_objects = 0;
  p->n_calls = p->calls_room = p->n_guards = p->guards_room = p->n_meetings = p->meetings_room = 0;
  p->free_call = p->free_guard = p->free_meeting = NONE;
}

void
ouf_free (Ouf *p)
{
  if (p == NULL)
    return;
  ouf_reset (p);
  g_ptr_array_unref (p->graph.impossible);
  g_string_chunk_free (p->ids);
  g_hash_table_unref (p->by_number);
  g_array_unref (p->holds);
  told_free (&p->told);
  g_free (p);
}
