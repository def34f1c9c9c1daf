/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what others see of the state of a PVM application: the attributes of thesis tables 2.13 to 2.15. */
#include "simulators/pvm/pvm.h"

#include "readers/reader.h"

static const StateValue task_states[] = { { "Busy", STATE_SENSE_WORKS },
                                          { "Overhead", STATE_SENSE_COSTS },
                                          { "Idle", STATE_SENSE_WAITS },
                                          { "Talking", STATE_SENSE_TALKS },
                                          { "Dead", STATE_SENSE_GONE } };
static const StateValue link_states[] = { { "Unused", STATE_SENSE_REST },
                                          { "Overhead", STATE_SENSE_COSTS },
                                          { "Idle", STATE_SENSE_WAITS },
                                          { "Talking", STATE_SENSE_TALKS },
                                          { "Dead", STATE_SENSE_GONE } };

#define GRAPH STATE_GRAPH
#define NODE STATE_NODE
#define EDGE STATE_EDGE

static const StateAttribute attributes[N_ATTRIBUTES] = {
  [GRAPH_CLOCK] = { "Clock", GRAPH, STATE_DATE, .unit = "s", .doc = "Date of the last event." },
  [GRAPH_CLOCK_UNITS] = { "ClockUnits", GRAPH, STATE_TEXT, .doc = "Unit of dates." },

  [NODE_CLOCK] = { "Clock", NODE, STATE_DATE, .unit = "s", .doc = "Date of the last change of the task." },
  [NODE_STATE] = { "State", NODE, STATE_ENUM, STATE_VALUES (task_states), .doc = "State of the task." },
  [NODE_NAME] = { "Name", NODE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the task." },
  [NODE_NICKNAME] = { "Nickname", NODE, STATE_TEXT, STATE_ROLE_LABEL,
                      .doc = "Nickname given by the user, else the name." },
  [NODE_GROUPS] = { "Groups", NODE, STATE_TEXT, STATE_ROLE_GROUP,
                    .doc = "Groups the task belongs to; a change tells how many." },
  [NODE_PROTAGONISTS] = { "Protagonists", NODE, STATE_TEXT,
                          .doc = "Tasks a communication is going on with; a change tells node + 1, 0 for nobody, "
                                 "-1 for several." },
  [NODE_PERCENT_BUSY] = { "PercentBusy", NODE, STATE_PERCENT, .of = TASK_BUSY, .unit = "%",
                          .doc = "Share of its life spent Busy." },
  [NODE_PERCENT_OVERHEAD] = { "PercentOverhead", NODE, STATE_PERCENT, .of = TASK_OVERHEAD, .unit = "%",
                              .doc = "Share of its life spent in Overhead." },
  [NODE_PERCENT_IDLE] = { "PercentIdle", NODE, STATE_PERCENT, .of = TASK_IDLE, .unit = "%",
                          .doc = "Share of its life spent Idle." },
  [NODE_PERCENT_TALKING] = { "PercentTalking", NODE, STATE_PERCENT, .of = TASK_TALKING, .unit = "%",
                             .doc = "Share of its life spent Talking." },
  [NODE_PHASE] = { "Phase", NODE, STATE_TEXT,
                   .doc = "Phases of the program the task is in, outermost first; a change tells how many." },
  [NODE_HOST] = { "Host", NODE, STATE_TEXT, STATE_ROLE_PLACE, .doc = "Machine the task runs on." },
  [NODE_PROGRAM] = { "Program", NODE, STATE_TEXT, .doc = "Program the task runs." },

  [EDGE_CLOCK] = { "Clock", EDGE, STATE_DATE, .unit = "s", .doc = "Date of the last change of the link." },
  [EDGE_STATE] = { "State", EDGE, STATE_ENUM, STATE_VALUES (link_states), .doc = "State of the link." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the link." },
  [EDGE_ORIGIN] = { "Origin", EDGE, STATE_TEXT, .doc = "Nickname of the task it comes from." },
  [EDGE_DESTINATION] = { "Destination", EDGE, STATE_TEXT, .doc = "Nickname of the task it goes to." },
  [EDGE_USAGE] = { "Usage", EDGE, STATE_INT, .doc = "Messages on the link and receives in progress on it." },
  [EDGE_TRAFFIC] = { "Traffic", EDGE, STATE_INT, STATE_ROLE_PENDING, .unit = "B",
                     .doc = "Idle, Talking: bytes of the communication in progress; else bytes still to be received." },
  [EDGE_TOTAL_TRAFFIC] = { "TotalTraffic", EDGE, STATE_INT, STATE_ROLE_TRAFFIC, .unit = "B",
                           .doc = "Bytes received so far." },
  [EDGE_PERCENT_UNUSED] = { "PercentUnused", EDGE, STATE_PERCENT, .of = LINK_UNUSED, .unit = "%",
                            .doc = "Share of its time spent Unused." },
  [EDGE_PERCENT_OVERHEAD] = { "PercentOverhead", EDGE, STATE_PERCENT, .of = LINK_OVERHEAD, .unit = "%",
                              .doc = "Share of its time spent in Overhead." },
  [EDGE_PERCENT_IDLE] = { "PercentIdle", EDGE, STATE_PERCENT, .of = LINK_IDLE, .unit = "%",
                          .doc = "Share of its time spent Idle." },
  [EDGE_PERCENT_TALKING] = { "PercentTalking", EDGE, STATE_PERCENT, .of = LINK_TALKING, .unit = "%",
                             .doc = "Share of its time spent Talking." },
  [EDGE_MESSAGES] = { "Messages", EDGE, STATE_INT, STATE_ROLE_MESSAGES, .doc = "Messages received so far." },
};

static const void *
column (const StateGraph *g, uint32_t attribute, size_t *stride)
{
  const Pvm *p = (const Pvm *) g;

  *stride = attribute >= EDGE_CLOCK ? sizeof (Link) : attribute >= NODE_CLOCK ? sizeof (Task) : 0;
  switch (attribute) {
  case GRAPH_CLOCK:
    return &g->clock;
  case NODE_CLOCK:
    return p->tasks != NULL ? &p->tasks->clock : NULL;
  case NODE_STATE:
    return p->tasks != NULL ? &p->tasks->state : NULL;
  case EDGE_CLOCK:
    return p->links != NULL ? &p->links->clock : NULL;
  case EDGE_STATE:
    return p->links != NULL ? &p->links->state : NULL;
  case EDGE_USAGE:
    return p->links != NULL ? &p->links->usage : NULL;
  case EDGE_TRAFFIC:
    return p->links != NULL ? &p->links->traffic : NULL;
  case EDGE_TOTAL_TRAFFIC:
    return p->links != NULL ? &p->links->total_traffic : NULL;
  case EDGE_MESSAGES:
    return p->links != NULL ? &p->links->messages : NULL;
  default:
    return NULL;
  }
}

/* Dead is state number N_LIVE: a share of it is not counted, and the clock of the others stands still. */
_Static_assert(TASK_DEAD == N_LIVE && LINK_DEAD == N_LIVE, "Dead comes last");

static void
spent (const StateGraph *g, StateScope scope, uint32_t object, uint32_t state, int64_t at, int64_t *in_state,
       int64_t *total)
{
  const Pvm *p = (const Pvm *) g;
  const int64_t *past = scope == STATE_NODE ? p->tasks[object].spent : p->links[object].spent;
  uint8_t now = scope == STATE_NODE ? p->tasks[object].state : p->links[object].state;
  int64_t since = scope == STATE_NODE ? p->tasks[object].since : p->links[object].since;

  *in_state = *total = 0;
  state_add_spent (past, N_LIVE, now, since, state, at, in_state, total);
}

const char *
pvm_node_id (const StateGraph *g, uint32_t node)
{
  const TraceSource *s = trace_source (g->source);

  return s != NULL ? trace_task_id (s, ((const Pvm *) g)->tasks[node].task) : "?";
}

static void
put_nickname (const Pvm *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->graph.source);

  g_string_append (to, s != NULL ? trace_task_name (s, p->tasks[node].task) : "?");
}

static void
separate (GString *to, gsize from)
{
  if (to->len > from)
    g_string_append (to, ", ");
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

static void
put_groups (const Pvm *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->graph.source);
  g_autoptr (GArray) groups = NULL;
  gsize from = to->len;

  if (p->tasks[node].n_groups == 0)
    return;
  groups = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (uint32_t at = p->tasks[node].last_group; at != NONE; at = p->members[at].older)
    g_array_append_val (groups, p->members[at].group);
  g_array_sort (groups, by_number);
  for (guint i = 0; i < groups->len; i++) {
    separate (to, from);
    g_string_append (to, s != NULL ? trace_object_id (s, g_array_index (groups, uint32_t, i)) : "?");
  }
}

static const Call *
outer_call (const Pvm *p, const Call *c)
{
  return c->outer != NONE ? &p->outer[c->outer] : NULL;
}

static void
put_protagonists (const Pvm *p, uint32_t node, GString *to)
{
  const Task *t = &p->tasks[node];
  const TraceSource *s = trace_source (p->graph.source);
  const Call *c = pvm_deciding_call (p, t);
  gsize from = to->len;

  if (t->protagonist > 0)
    put_nickname (p, (uint32_t) t->protagonist - 1, to);
  if (t->protagonist >= 0 || c == NULL)
    return;
  if (c->act == ACT_MCAST) {
    uint32_t n;
    const uint32_t *list = pvm_call_list (p, t, c, &n);
    for (uint32_t i = 0; i < n; i++)
      if (list[i] != t->task) {
        separate (to, from);
        g_string_append (to, s != NULL ? trace_task_name (s, list[i]) : "?");
      }
    return;
  }
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next) {
    separate (to, from);
    put_nickname (p, c->act == ACT_GATHER ? p->links[p->parts[at].who].from : p->parts[at].who, to);
  }
}

/* Its name is only in the record. */
static void
put_phases (const Pvm *p, uint32_t node, GString *to)
{
  const Task *t = &p->tasks[node];
  gsize from = to->len;
  bool inner = false;

  for (const Call *c = t->call.act != ACT_NONE ? &t->call : NULL; c != NULL; c = outer_call (p, c)) {
    if (c->act != ACT_PHASE || !p->bound || c->kind >= p->n_rules || p->rules[c->kind].word < 0)
      continue;
    TraceEvent e = { .date = p->now,
                     .record = c->record,
                     .task = t->task,
                     .peer = TRACE_NONE,
                     .object = TRACE_NONE,
                     .tag = -1,
                     .kind = c->kind,
                     .source = p->graph.source };
    TraceValue v = trace_value (&e, (uint32_t) p->rules[c->kind].word);
    if (v.kind != TRACE_VALUE_TEXT)
      continue;
    if (inner)
      g_string_insert (to, (gssize) from, ", ");
    g_string_insert (to, (gssize) from, v.text);
    inner = true;
  }
}

static void
text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Pvm *p = (const Pvm *) g;
  const TraceSource *s = trace_source (g->source);
  const TraceTask *task = NULL;
  const TraceHost *host;

  if (attribute >= NODE_CLOCK && attribute < EDGE_CLOCK && s != NULL)
    task = trace_task (s, p->tasks[object].task);
  switch (attribute) {
  case GRAPH_CLOCK_UNITS:
    g_string_append (to, s != NULL ? s->clock.units : "s");
    break;
  case NODE_NAME:
    g_string_append (to, pvm_node_id (g, object));
    break;
  case NODE_NICKNAME:
    put_nickname (p, object, to);
    break;
  case NODE_GROUPS:
    put_groups (p, object, to);
    break;
  case NODE_PROTAGONISTS:
    put_protagonists (p, object, to);
    break;
  case NODE_PHASE:
    put_phases (p, object, to);
    break;
  case NODE_HOST:
    host = task != NULL && task->host < s->hosts->len ? s->hosts->pdata[task->host] : NULL;
    g_string_append (to, host != NULL && host->name != NULL ? host->name : "");
    break;
  case NODE_PROGRAM:
    g_string_append (to, task != NULL && task->program != NULL ? task->program : "");
    break;
  case EDGE_NAME:
    state_edge_id (g, object, to);
    break;
  case EDGE_ORIGIN:
    put_nickname (p, p->links[object].from, to);
    break;
  case EDGE_DESTINATION:
    put_nickname (p, p->links[object].to, to);
    break;
  default:
    break;
  }
}

/* Tasks not yet born, and dead ones if they are not kept (thesis, note 13), are not part of the graph. */
static bool
present (const StateGraph *g, uint32_t node)
{
  const Pvm *p = (const Pvm *) g;
  const Task *t = &p->tasks[node];

  return t->born && (t->state != TASK_DEAD || *p->keep_the_dead);
}

static void
edge_ends (const StateGraph *g, uint32_t edge, uint32_t *from, uint32_t *to)
{
  const Pvm *p = (const Pvm *) g;

  *from = p->links[edge].from;
  *to = p->links[edge].to;
}

/* A message that was received before the end of its send is told counts as received, and is on no link. */
static void
messages (const StateGraph *g, uint32_t edge, StateTotals *to)
{
  const Link *l = &((const Pvm *) g)->links[edge];

  to->received = plus (to->received, l->messages);
  to->received_bytes = plus (to->received_bytes, l->total_traffic);
  to->sent = plus (to->sent, plus (l->messages, l->n_on_link));
  to->sent_bytes = plus (to->sent_bytes, plus (l->total_traffic, l->volume));
}

const StateModel pvm_model = {
  .name = "PVM",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .column = column,
  .spent = spent,
  .text = text,
  .present = present,
  .messages = messages,
};

void
pvm_tell (Pvm *p, StateScope scope, uint32_t object, uint32_t attribute, int64_t old, int64_t new)
{
  *(StateChange *) told_add (&p->told.changes, sizeof (StateChange)) = (StateChange){ .date = p->now,
                                                                                      .old_value = old,
                                                                                      .new_value = new,
                                                                                      .object = object,
                                                                                      .attribute = (uint16_t) attribute,
                                                                                      .source = p->graph.source,
                                                                                      .scope = (uint8_t) scope };
}

void
pvm_tell_message (Pvm *p, uint32_t link, int32_t tag, int64_t size, int64_t sent)
{
  const Link *l = &p->links[link];

  *(StateMessage *) told_add (&p->told.messages,
                              sizeof (StateMessage)) = (StateMessage){ .sent = sent,
                                                                       .received = p->now,
                                                                       .size = size,
                                                                       .tag = tag,
                                                                       .from = p->tasks[l->from].task,
                                                                       .to = p->tasks[l->to].task,
                                                                       .source = p->graph.source };
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

Pvm *
pvm_new (const bool *keep_the_dead, const bool *ignore_packing)
{
  Pvm *p = g_new0 (Pvm, 1);

  p->graph.model = &pvm_model;
  p->graph.node_id = pvm_node_id;
  p->graph.edge_ends = edge_ends;
  p->graph.impossible = g_ptr_array_new_with_free_func (g_free);
  p->groups = g_array_new (FALSE, FALSE, sizeof (Group));
  p->membership = pvm_membership_new ();
  p->keep_the_dead = keep_the_dead;
  p->ignore_packing = ignore_packing;
  pvm_reset (p);
  return p;
}

void
pvm_reset (Pvm *p)
{
  state_reset_graph (&p->graph);
  told_clear (&p->told);
  p->now = INT64_MIN;
  g_array_set_size (p->groups, 0);
  g_clear_pointer (&p->members, g_free);
  g_hash_table_remove_all (p->membership);
  g_clear_pointer (&p->source_name, g_free);
  p->bound = false;
  g_clear_pointer (&p->rules, g_free);
  p->n_rules = 0;
  g_clear_pointer (&p->tasks, g_free);
  g_clear_pointer (&p->node_of, g_free);
  g_clear_pointer (&p->links, g_free);
  g_clear_pointer (&p->link_index, g_free);
  g_clear_pointer (&p->queues, g_free);
  g_clear_pointer (&p->rows, g_free);
  g_clear_pointer (&p->queue_sent, g_free);
  g_clear_pointer (&p->row_sent, g_free);
  p->dating = false;
  g_clear_pointer (&p->outer, g_free);
  g_clear_pointer (&p->parts, g_free);
  p->tasks_room = p->n_node_of = p->links_room = p->link_mask = 0;
  p->queue_mask = p->n_queues = p->n_rows = p->rows_room = p->rows_used = p->n_mixed = p->n_owed = 0;
  p->n_outer = p->outer_room = p->n_parts = p->parts_room = p->n_members = p->members_room = 0;
  p->free_row = p->free_outer = p->free_part = p->free_member = NONE;
}

void
pvm_free (Pvm *p)
{
  if (p == NULL)
    return;
  pvm_reset (p);
  g_ptr_array_unref (p->graph.impossible);
  g_array_unref (p->groups);
  g_hash_table_unref (p->membership);
  told_free (&p->told);
  g_free (p);
}
