/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what others see of the state of an OUF application: the attributes of thesis tables 2.7 to 2.9. */
#include "simulators/ouf/ouf.h"
#include "eve/words.h"

#include "readers/pair.h"
#include "readers/reader.h"

static const StateValue node_states[] = {
  { "Busy", STATE_SENSE_WORKS, .doc = N_ ("computing") },
  { "Idle", STATE_SENSE_WAITS, .doc = N_ ("blocked in a call") },
  { "Talking", STATE_SENSE_TALKS, .doc = N_ ("data pass between it and another task") },
  { "Unused", STATE_SENSE_REST, .doc = N_ ("not begun yet") },
  { "Dead", STATE_SENSE_GONE },
};
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
  [GRAPH_CLOCK_UNITS] = { "ClockUnits", GRAPH, STATE_TEXT, STATE_ROLE_CLOCK, .doc = "Unit of dates." },

  [AT_CLOCK] = { "Clock", NODE, STATE_DATE, STORE_AT (Node, node), .unit = "s",
                 .doc = "Date of the last change of the node." },
  [AT_STATE] = { "State", NODE, STATE_ENUM, STATE_VALUES (node_states), STORE_AT (Node, state),
                 .doc = "State of the node." },
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
  [AT_PROGRAM] = { "Program", NODE, STATE_TEXT, STATE_ROLE_PROGRAM, .doc = "Program the task runs." },
  [AT_VALUE] = { "Value", NODE, STATE_INT, STORE_AT (Node, value), .doc = "How often a semaphore can still be taken." },
  [AT_HOLDERS] = { "Holders", NODE, STATE_TEXT,
                   .doc = "Threads that have taken the semaphore, in order; a change tells how many." },
  [AT_WAITERS] = { "Waiters", NODE, STATE_TEXT,
                   .doc = "Threads that wait for the semaphore, the last that came first; a change tells how many." },

  [EDGE_CLOCK] = { "Clock", EDGE, STATE_DATE, STORE_AT (Link, edge), .unit = "s",
                   .doc = "Date of the last change of the link." },
  [EDGE_STATE] = { "State", EDGE, STATE_ENUM, STATE_VALUES (link_states), STORE_AT (Link, state),
                   .doc = "State of the link." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the link." },
  [EDGE_ORIGIN] = { "Origin", EDGE, STATE_TEXT, STATE_ROLE_FROM, .doc = "Nickname of the task it comes from." },
  [EDGE_DESTINATION] = { "Destination", EDGE, STATE_TEXT, STATE_ROLE_TO, .doc = "Nickname of the task it goes to." },
  [EDGE_USAGE] = { "Usage", EDGE, STATE_INT, STORE_AT (Link, usage), .doc = "Calls that use the link now." },
  [EDGE_TRAFFIC] = { "Traffic", EDGE, STATE_INT, STATE_ROLE_PENDING, STORE_AT (Link, traffic), .unit = "B",
                     .doc = "Bytes of the transfer in progress." },
  [EDGE_TOTAL_TRAFFIC] = { "TotalTraffic", EDGE, STATE_INT, STATE_ROLE_TRAFFIC, STORE_AT (Link, total_traffic),
                           .unit = "B", .doc = "Bytes transferred so far." },
  [EDGE_PERCENT_UNUSED] = { "PercentUnused", EDGE, STATE_PERCENT, .of = LINK_UNUSED, .unit = "%",
                            .doc = "Share of its time spent Unused." },
  [EDGE_PERCENT_IDLE] = { "PercentIdle", EDGE, STATE_PERCENT, .of = LINK_IDLE, .unit = "%",
                          .doc = "Share of its time spent Idle." },
  [EDGE_PERCENT_TALKING] = { "PercentTalking", EDGE, STATE_PERCENT, .of = LINK_TALKING, .unit = "%",
                             .doc = "Share of its time spent Talking." },
  [EDGE_MESSAGES] = { "Messages", EDGE, STATE_INT, STATE_ROLE_MESSAGES, STORE_AT (Link, messages),
                      .doc = "Messages received so far." },
};

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Unused and Dead are the last states of a node, Dead of a link: their time is not counted. */
_Static_assert(NODE_UNUSED == N_LIVE && LINK_DEAD == N_LIVE, "states that count come first");

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
  const Node *n = node_at (p, node);
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
ouf_model_put_nickname (const Ouf *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->store.graph.source);

  g_string_append (to, node_at (p, node)->kind == KIND_TASK && s != NULL ? trace_task_name (s, node)
                                                                         : ouf_node_id (&p->store.graph, node));
}

static void
put_protagonist (const Ouf *p, uint32_t task, GString *to)
{
  const Node *t = node_at (p, task);
  gsize from = to->len;

  if (t->protagonist > 0)
    ouf_model_put_nickname (p, (uint32_t) t->protagonist - 1, to);
  if (t->protagonist >= 0)
    return;
  for (const Call *c = &t->call; c != NULL; c = ouf_next_call (p, c))
    if (c->guards != NONE) {
      for (uint32_t at = c->guards; at != NONE; at = p->guards[at].next) {
        g_string_append (to, to->len > from ? ", " : "");
        ouf_model_put_nickname (p, link_at (p, p->guards[at].link)->edge.from, to);
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

  for (uint32_t i = node_at (p, semaphore)->first_hold; i != NONE; i = p->holds[i].next)
    put_thread (to, from, p->holds[i].thread);
}

static void
put_waiters (const Ouf *p, uint32_t semaphore, GString *to)
{
  Node *task = node_at (p, node_at (p, semaphore)->inside);
  gsize from = to->len;

  for (const Call *c = ouf_first_call (task); c != NULL; c = ouf_next_call (p, c))
    if (c->semaphore == semaphore)
      put_thread (to, from, c->thread);
}

static void
ouf_model_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Ouf *p = (const Ouf *) g;
  const TraceSource *s = trace_source (g->source);
  const Node *n = attribute >= AT_CLOCK && attribute < EDGE_CLOCK ? node_at (p, object) : NULL;
  const TraceTask *task = n != NULL && n->kind == KIND_TASK && s != NULL ? trace_task (s, object) : NULL;

  switch (attribute) {
  case AT_NAME:
    if (n->kind != KIND_PROCESSOR)
      g_string_append_printf (to, "%s ", kind_names[n->kind]);
    g_string_append (to, ouf_node_id (g, object));
    break;
  case AT_NICKNAME:
    ouf_model_put_nickname (p, object, to);
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
  case AT_HOLDERS:
    if (n->kind == KIND_SEMAPHORE)
      put_holders (p, object, to);
    break;
  case AT_WAITERS:
    if (n->kind == KIND_SEMAPHORE)
      put_waiters (p, object, to);
    break;
  case EDGE_NAME:
    g_string_append (to, s != NULL ? trace_object_id (s, link_at (p, object)->object) : "?");
    break;
  default:
    store_text (g, attribute, object, to);
  }
}

/* ---- who is there ---------------------------------------------------------------------------------------------- */

/* Dead ones are kept by default, for their figures (thesis, note 10). */
static bool
ouf_model_present (const StateGraph *g, uint32_t node)
{
  const Ouf *p = (const Ouf *) g;

  return node_at (p, node)->state != NODE_DEAD || *p->keep_the_dead;
}

static const StoreLayout layout = {
  .model = "OUF",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Node), .spent = offsetof (Node, spent), .n_spent = N_LIVE },
  .edge = { sizeof (Link), .spent = offsetof (Link, spent), .n_spent = N_LIVE },
  .no_pairs = true,
  .bind = ouf_bind,
  .text = ouf_model_text,
  .node_id = ouf_node_id,
  .present = ouf_model_present,
};

/* ---- the whole --------------------------------------------------------------------------------------------------- */

Ouf *
ouf_new (const bool *keep_the_dead, const bool *threads, const bool *semaphores, const bool *processors)
{
  Ouf *p = g_new0 (Ouf, 1);

  store_init (&p->store, &layout);
  p->ids = g_string_chunk_new (1024);
  p->by_number = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
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
  store_reset (&p->store);
  g_hash_table_remove_all (p->by_number);
  g_clear_pointer (&p->holds, g_free);
  g_clear_pointer (&p->rules, g_free);
  g_clear_pointer (&p->link_of, g_free);
  g_clear_pointer (&p->calls, g_free);
  g_clear_pointer (&p->guards, g_free);
  g_clear_pointer (&p->meetings, g_free);
  p->begun = false;
  p->n_rules = p->n_tasks = p->n_objects = 0;
  p->n_calls = p->calls_room = p->n_guards = p->guards_room = p->n_meetings = p->meetings_room = 0;
  p->n_holds = p->holds_room = 0;
  p->free_call = p->free_guard = p->free_meeting = p->free_hold = NONE;
}

void
ouf_free (Ouf *p)
{
  if (p == NULL)
    return;
  ouf_reset (p);
  store_clear (&p->store);
  g_string_chunk_free (p->ids);
  g_hash_table_unref (p->by_number);
  g_free (p);
}
