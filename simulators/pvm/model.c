/* SPDX-License-Identifier: Apache-2.0 */
/* model.c - what others see of the state of a PVM application: the attributes of thesis tables 2.13 to 2.15. */
#include "simulators/pvm/pvm.h"
#include "eve/words.h"

#include "readers/reader.h"

static const StateValue task_states[] = {
  { "Busy", STATE_SENSE_WORKS, .doc = N_ ("in no call of PVM") },
  { "Overhead", STATE_SENSE_COSTS,
    .doc = N_ (
        "in a call that does not block, such as packing and sending (communication overhead, a figure of its own, is "
        "all time in calls that communicate, waiting included)") },
  { "Idle", STATE_SENSE_WAITS, .doc = N_ ("blocked in a call") },
  { "Talking", STATE_SENSE_TALKS, .doc = N_ ("being given the message that it was blocked for") },
  { "Dead", STATE_SENSE_GONE },
};
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
  [GRAPH_CLOCK_UNITS] = { "ClockUnits", GRAPH, STATE_TEXT, STATE_ROLE_CLOCK, .doc = "Unit of dates." },

  [NODE_CLOCK] = { "Clock", NODE, STATE_DATE, STORE_AT (Task, node), .unit = "s",
                   .doc = "Date of the last change of the task." },
  [NODE_STATE] = { "State", NODE, STATE_ENUM, STATE_VALUES (task_states), STORE_AT (Task, state),
                   .doc = "State of the task." },
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
  [NODE_PROGRAM] = { "Program", NODE, STATE_TEXT, STATE_ROLE_PROGRAM, .doc = "Program the task runs." },

  [EDGE_CLOCK] = { "Clock", EDGE, STATE_DATE, STORE_AT (Link, edge), .unit = "s",
                   .doc = "Date of the last change of the link." },
  [EDGE_STATE] = { "State", EDGE, STATE_ENUM, STATE_VALUES (link_states), STORE_AT (Link, state),
                   .doc = "State of the link." },
  [EDGE_NAME] = { "Name", EDGE, STATE_TEXT, STATE_ROLE_NAME, .doc = "Identifier of the link." },
  [EDGE_ORIGIN] = { "Origin", EDGE, STATE_TEXT, STATE_ROLE_FROM, .doc = "Nickname of the task it comes from." },
  [EDGE_DESTINATION] = { "Destination", EDGE, STATE_TEXT, STATE_ROLE_TO, .doc = "Nickname of the task it goes to." },
  [EDGE_USAGE] = { "Usage", EDGE, STATE_INT, STORE_AT (Link, usage),
                   .doc = "Messages on the link and receives in progress on it." },
  [EDGE_TRAFFIC] = { "Traffic", EDGE, STATE_INT, STATE_ROLE_PENDING, STORE_AT (Link, traffic), .unit = "B",
                     .doc = "Idle, Talking: bytes of the communication in progress; else bytes still to be received." },
  [EDGE_TOTAL_TRAFFIC] = { "TotalTraffic", EDGE, STATE_INT, STATE_ROLE_TRAFFIC, STORE_AT (Link, total_traffic),
                           .unit = "B", .doc = "Bytes received so far." },
  [EDGE_PERCENT_UNUSED] = { "PercentUnused", EDGE, STATE_PERCENT, .of = LINK_UNUSED, .unit = "%",
                            .doc = "Share of its time spent Unused." },
  [EDGE_PERCENT_OVERHEAD] = { "PercentOverhead", EDGE, STATE_PERCENT, .of = LINK_OVERHEAD, .unit = "%",
                              .doc = "Share of its time spent in Overhead." },
  [EDGE_PERCENT_IDLE] = { "PercentIdle", EDGE, STATE_PERCENT, .of = LINK_IDLE, .unit = "%",
                          .doc = "Share of its time spent Idle." },
  [EDGE_PERCENT_TALKING] = { "PercentTalking", EDGE, STATE_PERCENT, .of = LINK_TALKING, .unit = "%",
                             .doc = "Share of its time spent Talking." },
  [EDGE_MESSAGES] = { "Messages", EDGE, STATE_INT, STATE_ROLE_MESSAGES, STORE_AT (Link, messages),
                      .doc = "Messages received so far." },
};

/* Dead is state number N_LIVE: a share of it is not counted, and the clock of the others stands still. */
_Static_assert(TASK_DEAD == N_LIVE && LINK_DEAD == N_LIVE, "Dead comes last");

static void
pvm_model_put_nickname (const Pvm *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->store.graph.source);

  g_string_append (to, s != NULL ? trace_task_name (s, task_at (p, node)->node.task) : "?");
}

static void
separate (GString *to, gsize from)
{
  if (to->len > from)
    g_string_append (to, ", ");
}

static int
pvm_model_by_number (gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

static void
pvm_model_put_groups (const Pvm *p, uint32_t node, GString *to)
{
  const TraceSource *s = trace_source (p->store.graph.source);
  g_autoptr (GArray) groups = NULL;
  gsize from = to->len;

  if (task_at (p, node)->n_groups == 0)
    return;
  groups = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  for (uint32_t at = task_at (p, node)->last_group; at != NONE; at = p->members[at].older)
    g_array_append_val (groups, p->members[at].group);
  g_array_sort (groups, pvm_model_by_number);
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
  const Task *t = task_at (p, node);
  const TraceSource *s = trace_source (p->store.graph.source);
  const Call *c = pvm_deciding_call (p, t);
  gsize from = to->len;

  if (t->protagonist > 0)
    pvm_model_put_nickname (p, (uint32_t) t->protagonist - 1, to);
  if (t->protagonist >= 0 || c == NULL)
    return;
  if (c->act == ACT_MCAST) {
    uint32_t n;
    const uint32_t *list = pvm_call_list (p, t, c, &n);
    for (uint32_t i = 0; i < n; i++)
      if (list[i] != t->node.task) {
        separate (to, from);
        g_string_append (to, s != NULL ? trace_task_name (s, list[i]) : "?");
      }
    return;
  }
  for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next) {
    separate (to, from);
    pvm_model_put_nickname (p, c->act == ACT_GATHER ? link_at (p, p->parts[at].who)->edge.from : p->parts[at].who, to);
  }
}

/* Its name is only in the record. */
static void
put_phases (const Pvm *p, uint32_t node, GString *to)
{
  const Task *t = task_at (p, node);
  gsize from = to->len;
  bool inner = false;

  for (const Call *c = t->call.act != ACT_NONE ? &t->call : NULL; c != NULL; c = outer_call (p, c)) {
    if (c->act != ACT_PHASE || !p->store.bound || c->kind >= p->n_rules || p->rules[c->kind].word < 0)
      continue;
    TraceEvent e = { .date = p->store.now,
                     .record = c->record,
                     .task = t->node.task,
                     .peer = TRACE_NONE,
                     .object = TRACE_NONE,
                     .tag = -1,
                     .kind = c->kind,
                     .source = p->store.graph.source };
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
pvm_model_text (const StateGraph *g, uint32_t attribute, uint32_t object, GString *to)
{
  const Pvm *p = (const Pvm *) g;

  if (attribute == NODE_GROUPS)
    pvm_model_put_groups (p, object, to);
  else if (attribute == NODE_PROTAGONISTS)
    put_protagonists (p, object, to);
  else if (attribute == NODE_PHASE)
    put_phases (p, object, to);
  else
    store_text (g, attribute, object, to);
}

/* Tasks not yet born, and dead ones if they are not kept (thesis, note 13), are not part of the graph. */
static bool
pvm_model_present (const StateGraph *g, uint32_t node)
{
  const Pvm *p = (const Pvm *) g;
  const Task *t = task_at (p, node);

  return t->born && (t->state != TASK_DEAD || *p->keep_the_dead);
}

static const StoreLayout layout = {
  .model = "PVM",
  .attributes = attributes,
  .n_attributes = N_ATTRIBUTES,
  .node = { sizeof (Task), .spent = offsetof (Task, spent), .n_spent = N_LIVE },
  .edge = { sizeof (Link), .spent = offsetof (Link, spent), .n_spent = N_LIVE },
  .bind = pvm_bind,
  .text = pvm_model_text,
  .present = pvm_model_present,
};

/* ---- tasks and links ----------------------------------------------------------------------------------------- */

uint32_t
pvm_node_add (Pvm *p, uint32_t task)
{
  uint32_t node = store_add_node (&p->store, task);
  Task *t = task_at (p, node);

  t->call.outer = t->last_group = NONE;
  t->state = TASK_DEAD;
  return node;
}

static uint8_t
settled_state (const Pvm *p, const Link *l)
{
  const Task *from = task_at (p, l->edge.from);

  return from->born && from->state == TASK_DEAD ? LINK_DEAD : l->edge.n_messages > 0 ? LINK_OVERHEAD : LINK_UNUSED;
}

uint32_t
pvm_link (Pvm *p, uint32_t from, uint32_t to)
{
  uint32_t link = store_find_edge (&p->store, from, to);

  if (G_LIKELY (link != NONE))
    return link;
  link = store_add_edge (&p->store, from, to);
  Link *l = link_at (p, link);
  l->state = settled_state (p, l);
  store_changed (&p->store, STATE_EDGE, link, EDGE_STATE, -1, l->state);
  return link;
}

void
pvm_link_settle (Pvm *p, uint32_t link)
{
  Link *l = link_at (p, link);

  pvm_link_state (p, link, settled_state (p, l));
  pvm_link_set (p, link, EDGE_TRAFFIC, &l->traffic, l->edge.volume);
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

Pvm *
pvm_new (const bool *keep_the_dead, const bool *ignore_packing)
{
  Pvm *p = g_new0 (Pvm, 1);

  store_init (&p->store, &layout);
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
  store_reset (&p->store);
  g_array_set_size (p->groups, 0);
  g_clear_pointer (&p->members, g_free);
  g_hash_table_remove_all (p->membership);
  g_clear_pointer (&p->rules, g_free);
  g_clear_pointer (&p->outer, g_free);
  g_clear_pointer (&p->parts, g_free);
  p->n_rules = p->n_outer = p->outer_room = p->n_parts = p->parts_room = p->n_members = p->members_room = 0;
  p->free_outer = p->free_part = p->free_member = NONE;
}

void
pvm_free (Pvm *p)
{
  if (p == NULL)
    return;
  pvm_reset (p);
  store_clear (&p->store);
  g_array_unref (p->groups);
  g_hash_table_unref (p->membership);
  g_free (p);
}
