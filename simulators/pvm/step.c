/* SPDX-License-Identifier: Apache-2.0 */
/* step.c - what an event does to the state (thesis, annex A.2).  Rules it leaves open are in README.md, with the
 * reasons.
 *
 * A task has a stack of calls that have begun and not ended.  Each says which state the task is in while it is the
 * innermost; with none the task is Busy.  A receive takes its message from the link when it begins if it is there
 * (the link then `has` it until the end), or waits on the link for the end of the send. */
#include "simulators/pvm/calls.h"
#include "eve/words.h"

#include "readers/reader.h"

/* ---- tasks --------------------------------------------------------------------------------------------------- */

/* The node of a task of the source; NONE if the source does not know it. */
static inline uint32_t
node_for (Pvm *p, uint32_t task)
{
  uint32_t node = store_find_node (&p->store, task);

  if (G_LIKELY (node != NONE))
    return node;
  const TraceSource *s = trace_source (p->store.graph.source);
  return s != NULL && task < s->tasks->len ? pvm_node_add (p, task) : NONE;
}

/* The phases of a task are its calls of that kind; their names are only in the records. */
static void
count_phase (Pvm *p, uint32_t node, int change)
{
  Task *t = task_at (p, node);
  uint16_t old = t->n_phases;

  t->n_phases = (uint16_t) (old + change);
  t->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, NODE_PHASE, old, t->n_phases);
}

/* ---- groups -------------------------------------------------------------------------------------------------- */

static void
change_group (Pvm *p, uint32_t node, const TraceEvent *e, bool join)
{
  Group *group = pvm_group (p, e->object);
  Task *t = task_at (p, node);
  uint32_t old = t->n_groups;

  if (group == NULL) {
    state_impossible (&p->store.graph, e, _ ("names no group"));
    return;
  }
  if (!(join ? pvm_group_join : pvm_group_leave) (p, group, e->object, node)) {
    state_impossible (&p->store.graph, e,
                      join ? _ ("is in the group %s already") : _ ("leaves the group %s without being in it"),
                      trace_object_id (trace_source (p->store.graph.source), e->object));
    return;
  }
  t->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, NODE_GROUPS, old, t->n_groups);
}

/* ---- sending ------------------------------------------------------------------------------------------------- */

/* The call at `to` that waits on the link. */
static Call *
waiting_call (Pvm *p, uint32_t to, uint32_t link, int32_t tag)
{
  for (Call *c = first_call (task_at (p, to)); c != NULL; c = outer_call (p, c))
    if ((c->link == link && c->flags & CALL_TAKER) || (c->act == ACT_GATHER && c->parts != NONE && c->tag == tag))
      return c;
  return NULL;
}

/* The send has ended: its message is on the link (thesis, p. 203). */
static void
deliver (Pvm *p, uint32_t from, uint32_t to, int32_t tag, int64_t size, int64_t sent)
{
  uint32_t link = pvm_link (p, from, to);
  Link *l = link_at (p, link);
  Call *waiting;

  if (G_UNLIKELY (p->store.messages.n_early > 0) && store_queue_settle_early (&p->store, link, tag))
    return; /* received before we were told that it had left */
  l->edge.n_messages++;
  l->edge.volume = plus (l->edge.volume, size);
  pvm_link_set (p, link, EDGE_USAGE, &l->usage, plus (l->usage, 1));
  if (l->taking == TAKING_WAITS && l->taking_tag == tag && (waiting = waiting_call (p, to, link, tag)) != NULL) {
    l->taking = TAKING_HAS;
    l->taking_size = size;
    l->taking_sent = sent;
    if (l->state != LINK_DEAD) {
      pvm_link_state (p, link, LINK_TALKING);
      pvm_link_set (p, link, EDGE_TRAFFIC, &l->traffic, size);
    }
    waiting->state = TASK_TALKING;
    pvm_refresh (p, to);
    return;
  }
  store_queue_push (&p->store, link, tag, size, sent);
  if (l->state != LINK_TALKING) {
    if (l->state != LINK_DEAD)
      pvm_link_state (p, link, LINK_OVERHEAD);
    pvm_link_set (p, link, EDGE_TRAFFIC, &l->traffic, l->edge.volume);
  }
}

/* The same for a send that failed: nothing moves. */
static void
fail_delivery (Pvm *p, uint32_t from, uint32_t to, const TraceEvent *e)
{
  uint32_t link = store_find_edge (&p->store, from, to);

  if (link != NONE && store_queue_settle_early (&p->store, link, e->tag))
    state_impossible (&p->store.graph, e, _ ("fails with %d, though %s has received its message"), e->result,
                      store_id_of (&p->store, to));
}

static void
pvm_step_send_to (Pvm *p, uint32_t from, uint32_t to, const TraceEvent *e, int64_t size)
{
  if (G_LIKELY (e->result >= 0))
    deliver (p, from, to, e->tag, size, minus (e->date, e->duration));
  else if (p->store.messages.n_early > 0)
    fail_delivery (p, from, to, e);
}

static void
send_to_list (Pvm *p, uint32_t from, const TraceEvent *e, int64_t size)
{
  uint32_t n;
  const uint32_t *list = trace_list (e, &n);

  for (uint32_t i = 0; i < n; i++) {
    uint32_t to = node_for (p, list[i]);
    if (to == NONE)
      state_impossible (&p->store.graph, e, _ ("names a task that the trace does not know"));
    else if (to != from) /* pvm_mcast leaves its caller out */
      pvm_step_send_to (p, from, to, e, size);
  }
}

/* Who gets a Bcast or Scatter is known when it begins: every living member but oneself; the group server drops the
 * dead. */
static void
begin_to_group (Pvm *p, uint32_t from, Call *c)
{
  const Group *group = pvm_group (p, c->group);
  uint32_t last = NONE;

  for (uint32_t at = group != NULL ? group->first : NONE; at != NONE; at = p->members[at].after) {
    uint32_t to = p->members[at].node;
    if (to != from && !is_dead (task_at (p, to)))
      last = pvm_part_add (p, c, last, to, 0);
  }
}

static void
send_to_group (Pvm *p, uint32_t from, Call *c, const TraceEvent *e, int64_t size)
{
  while (c->parts != NONE)
    pvm_step_send_to (p, from, pvm_part_take (p, &c->parts).who, e, size);
}

const uint32_t *
pvm_call_list (const Pvm *p, const Task *t, const Call *c, uint32_t *n)
{
  TraceEvent e = { .date = p->store.now,
                   .record = c->record,
                   .task = t->node.task,
                   .peer = TRACE_NONE,
                   .object = c->group,
                   .tag = c->tag,
                   .kind = c->kind,
                   .source = p->store.graph.source };

  *n = 0;
  return p->store.bound && c->kind < p->n_rules && p->rules[c->kind].act == c->act ? trace_list (&e, n) : NULL;
}

static bool
call_sends_to (Pvm *p, uint32_t from, const Call *c, uint32_t to, int32_t tag)
{
  const uint32_t *list;
  uint32_t n, at;

  if (c->tag != tag || c->flags & CALL_DROPPED)
    return false;
  switch (c->act) {
  case ACT_SEND:
    return c->peer == to;
  case ACT_GATHER:
    return !(c->flags & CALL_ROOT) && c->peer == to;
  case ACT_MCAST:
    list = pvm_call_list (p, task_at (p, from), c, &n);
    for (uint32_t i = 0; i < n; i++)
      if (list[i] == task_at (p, to)->node.task)
        return from != to;
    return false;
  case ACT_BCAST:
  case ACT_SCATTER:
    for (at = c->parts; at != NONE && p->parts[at].who != to;)
      at = p->parts[at].next;
    return at != NONE;
  default:
    return false;
  }
}

/* Whether `from` is inside a send of such a message that has not been received yet.  A task may get a message while
 * its sender is still in the call. */
static bool
is_sending (Pvm *p, uint32_t from, uint32_t to, int32_t tag, uint32_t link)
{
  uint32_t early = link != NONE ? store_queue_early (&p->store, link, tag) : 0;

  for (const Call *c = first_call (task_at (p, from)); c != NULL; c = outer_call (p, c))
    if (call_sends_to (p, from, c, to, tag) && early-- == 0)
      return true;
  return false;
}

/* ---- receiving ----------------------------------------------------------------------------------------------- */

/* A receive from one task begins.  `gets`: the record tells that it will end with a message.  Gives the state of
 * the receiver. */
static uint8_t
take_begin (Pvm *p, uint32_t from, uint32_t to, int32_t tag, int64_t size, bool gets, bool blocking, uint32_t *taken,
            uint8_t *flags)
{
  uint32_t link;
  Link *l;

  *flags |= gets ? CALL_GETS : 0;
  if (!gets && !blocking)
    return TASK_OVERHEAD;
  *taken = link = pvm_link (p, from, to);
  l = link_at (p, link);
  *flags |= CALL_USES;
  pvm_link_set (p, link, EDGE_USAGE, &l->usage, plus (l->usage, 1));
  if (gets && l->taking == TAKING_NONE && store_queue_pop (&p->store, link, tag, &l->taking_size, &l->taking_sent)) {
    l->taking = TAKING_HAS;
    *flags |= CALL_TAKER;
    return TASK_OVERHEAD;
  }
  if (!blocking) /* waits for nobody: what comes before its end is taken then */
    return TASK_OVERHEAD;
  if (l->taking != TAKING_NONE) /* inside another receive on the same link: takes what is there when it ends */
    return gets && store_queue_holds (&p->store, link, tag) ? TASK_OVERHEAD : TASK_IDLE;
  if (gets) {
    l->taking = TAKING_WAITS;
    l->taking_tag = tag;
    *flags |= CALL_TAKER;
  }
  if (l->state != LINK_DEAD) {
    pvm_link_state (p, link, LINK_IDLE);
    pvm_link_set (p, link, EDGE_TRAFFIC, &l->traffic, gets ? size : 0);
  }
  return TASK_IDLE;
}

/* It ends.  `from` is asked for only if the message was not on the link. */
static void
take_end (Pvm *p, uint32_t from, uint32_t to, uint32_t link, uint8_t flags, const TraceEvent *e, int64_t size)
{
  bool got = false, early = false;
  int64_t sent = INT64_MIN;
  Link *l;

  if (flags & CALL_TAKER) {
    l = link_at (p, link);
    got = l->taking == TAKING_HAS;
    if (got) {
      size = l->taking_size;
      sent = l->taking_sent;
    }
    l->taking = TAKING_NONE;
  }
  if (!got && flags & CALL_GETS) {
    if (link == NONE)
      link = store_find_edge (&p->store, from, to);
    got = link != NONE && store_queue_pop (&p->store, link, e->tag, &size, &sent);
    early = !got && is_sending (p, from, to, e->tag, link);
    if (early && task_at (p, from)->state == TASK_OVERHEAD)
      sent = task_at (p, from)->node.life.since; /* inside the send */
    if (early)
      store_queue_add_early (&p->store, link = pvm_link (p, from, to), e->tag);
    else if (!got)
      state_impossible (&p->store.graph, e, _ ("receives from %s a message with tag %d that was not sent"),
                        store_id_of (&p->store, from), e->tag);
  }
  if (link == NONE)
    return;
  l = link_at (p, link);
  if (got) {
    l->edge.n_messages--;
    l->edge.volume = minus (l->edge.volume, size);
  }
  if (got || early) {
    pvm_link_set (p, link, EDGE_TOTAL_TRAFFIC, &l->total_traffic, plus (l->total_traffic, size));
    pvm_link_set (p, link, EDGE_MESSAGES, &l->messages, plus (l->messages, 1));
    store_tell_message (&p->store, link, e->tag, size, sent);
  }
  pvm_link_set (p, link, EDGE_USAGE, &l->usage, minus (l->usage, got + (flags & CALL_USES ? 1 : 0)));
  if (l->taking == TAKING_NONE)
    pvm_link_settle (p, link);
}

static void
gather_begin (Pvm *p, uint32_t node, Call *c, int64_t size, bool gets)
{
  const Group *group = pvm_group (p, c->group);
  uint32_t last = NONE;

  c->state = TASK_OVERHEAD;
  for (uint32_t at = group != NULL ? group->first : NONE; at != NONE; at = p->members[at].after) {
    uint32_t from = p->members[at].node, link = NONE;
    uint8_t flags = 0;
    if (from == node)
      continue;
    if (is_dead (task_at (p, from))) {
      link = store_find_edge (&p->store, from, node);
      if (link == NONE || !store_queue_holds (&p->store, link, c->tag))
        continue; /* dead before it gave its part */
    }
    if (take_begin (p, from, node, c->tag, size, gets, true, &link, &flags) == TASK_IDLE)
      c->state = TASK_IDLE;
    last = pvm_part_add (p, c, last, link, flags);
  }
  if (!gets)
    c->state = TASK_IDLE;
}

static void
gather_end (Pvm *p, uint32_t node, Call *c, const TraceEvent *e, int64_t size)
{
  while (c->parts != NONE) {
    const Part part = pvm_part_take (p, &c->parts);
    take_end (p, link_at (p, part.who)->edge.from, node, part.who, part.flags, e, size);
  }
}

/* The source that a receive asked for, when none came; NONE: any. */
static uint32_t
asked_source (Pvm *p, const TraceEvent *e, const Rule *rule)
{
  TraceValue v = { .kind = TRACE_VALUE_NONE };

  if (rule->asked >= 0)
    v = trace_value (e, (uint32_t) rule->asked);
  return v.kind == TRACE_VALUE_TASK && v.i >= 0 && v.i < TRACE_NONE ? node_for (p, (uint32_t) v.i) : NONE;
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

static bool
gets_message (const TraceEvent *e, const Rule *rule, uint8_t act, uint32_t from)
{
  return from != NONE && e->result >= 0 && !(e->flags & (TRACE_UNFINISHED | TRACE_OPEN))
         && !(e->result == 0 && rule->zero_is_none && act == ACT_RECEIVE);
}

/* Nobody is added to the graph any more once the call is on the stack, where it stays. */
static void
receive_begin (Pvm *p, uint32_t node, Call *c, const TraceEvent *e, const Rule *rule, bool gets)
{
  if (c->peer != NONE)
    c->state = take_begin (p, c->peer, node, e->tag, store_bytes_of (e), gets, rule->blocking, &c->link, &c->flags);
  else
    c->state = rule->blocking ? TASK_IDLE : TASK_OVERHEAD;
}

/* Whom a call communicates with, as its record says; *gets: of one that receives, as its end will show. */
static inline __attribute__ ((always_inline)) uint32_t
pvm_step_peer_of (Pvm *p, const TraceEvent *e, const Rule *rule, uint8_t act, bool *gets)
{
  uint32_t peer = e->peer != TRACE_NONE ? node_for (p, e->peer) : NONE;

  switch (act) {
  case ACT_SEND:
  case ACT_GATHER:
    return peer;
  case ACT_SCATTER:
    *gets = gets_message (e, rule, ACT_SCATTER, peer);
    return peer;
  case ACT_RECEIVE:
    *gets = gets_message (e, rule, ACT_RECEIVE, peer);
    return *gets ? peer : asked_source (p, e, rule);
  default:
    return NONE;
  }
}

/* A call of the kinds that involve others, on the stack already. */
static inline __attribute__ ((always_inline)) void
pvm_step_begin_together (Pvm *p, uint32_t node, Call *c, const TraceEvent *e, const Rule *rule, uint8_t act, bool gets)
{
  bool root = c->peer == node;

  switch (act) {
  case ACT_RECEIVE:
    receive_begin (p, node, c, e, rule, gets);
    break;
  case ACT_BCAST:
    begin_to_group (p, node, c);
    break;
  case ACT_SCATTER:
    c->flags |= root ? CALL_ROOT : 0;
    if (root)
      begin_to_group (p, node, c);
    else
      receive_begin (p, node, c, e, rule, gets);
    break;
  case ACT_GATHER:
    c->flags |= root ? CALL_ROOT : 0;
    if (root)
      gather_begin (p, node, c, store_bytes_of (e), e->result >= 0 && !(e->flags & (TRACE_UNFINISHED | TRACE_OPEN)));
    break;
  default:
    break;
  }
}

/* The state of its task inside a call, whatever others do. */
static inline __attribute__ ((always_inline)) uint8_t
state_inside (const Pvm *p, uint8_t act)
{
  switch (act) {
  case ACT_PACK:
    return *p->ignore_packing ? STATE_KEPT : TASK_OVERHEAD;
  case ACT_JOIN:
  case ACT_LEAVE:
  case ACT_PHASE:
    return STATE_KEPT;
  case ACT_BARRIER:
    return TASK_IDLE;
  default:
    return TASK_OVERHEAD;
  }
}

/* What a call does is asked once, where it is nobody can foretell which: for those that there are most of all of the
 * way is compiled by itself.  `act`: that of the rule. */
static inline __attribute__ ((always_inline)) void
begin_as (Pvm *p, uint32_t node, const TraceEvent *e, const Rule *rule, uint8_t act)
{
  bool gets = false;
  uint32_t peer = pvm_step_peer_of (p, e, rule, act, &gets); /* may be new: rows of tasks move */
  Task *t = task_at (p, node);
  uint32_t outer = G_UNLIKELY (t->call.act != ACT_NONE) ? pvm_call_push (p, t) : NONE;

  t->call = (Call){ .record = e->record,
                    .link = NONE,
                    .peer = peer,
                    .group = e->object,
                    .parts = NONE,
                    .outer = outer,
                    .tag = e->tag,
                    .kind = e->kind,
                    .act = act,
                    .state = state_inside (p, act) };
  pvm_step_begin_together (p, node, &t->call, e, rule, act, gets);
  if (act == ACT_PHASE)
    count_phase (p, node, 1);
  refresh_innermost (p, node, t, protagonist_of (&t->call, act));
}

static void
pvm_step_begin (Pvm *p, uint32_t node, const TraceEvent *e, const Rule *rule)
{
  begin_as (p, node, e, rule, rule->act);
}

/* Whoever dies inside a call does not wait any more; a message it was about to get stays on the link. */
static void
drop_take (Pvm *p, uint32_t link, uint8_t flags, int32_t tag)
{
  Link *l;

  if (link == NONE)
    return;
  l = link_at (p, link);
  if (flags & CALL_TAKER) {
    if (l->taking == TAKING_HAS)
      store_queue_give_back (&p->store, link, tag, l->taking_size, l->taking_sent);
    l->taking = TAKING_NONE;
  }
  pvm_link_set (p, link, EDGE_USAGE, &l->usage, minus (l->usage, flags & CALL_USES ? 1 : 0));
  if (l->taking == TAKING_NONE)
    pvm_link_settle (p, link);
}

/* The call was not over when it was told of: only now it is known whether it got a message, and from whom. */
static void
late_end (Pvm *p, uint32_t node, Call *c, const TraceEvent *e, const Rule *rule)
{
  bool receives = c->act == ACT_RECEIVE || (c->act == ACT_SCATTER && !(c->flags & CALL_ROOT));
  uint32_t from = e->peer != TRACE_NONE ? node_for (p, e->peer) : NONE;

  if (c->act == ACT_GATHER && c->flags & CALL_ROOT && e->result >= 0)
    for (uint32_t at = c->parts; at != NONE; at = p->parts[at].next)
      p->parts[at].flags |= CALL_GETS;
  if (!receives || !gets_message (e, rule, c->act, from))
    return;
  c->flags |= CALL_GETS;
  c->tag = e->tag;
  if (c->peer == from)
    return;
  drop_take (p, c->link, c->flags, c->tag); /* another was asked, and waited for */
  c->peer = from;
  c->link = NONE;
  c->flags &= (uint8_t) ~CALL_USES;
}

/* A call that has been taken off the stack, and does `act`. */
static inline __attribute__ ((always_inline)) void
pvm_step_end_call (Pvm *p, uint32_t node, Call *c, const TraceEvent *e, const Rule *rule, uint8_t act)
{
  if (G_UNLIKELY (c->flags & CALL_DROPPED))
    return;
  if (G_UNLIKELY (e->flags & TRACE_LATE))
    late_end (p, node, c, e, rule);
  switch (act) {
  case ACT_JOIN:
  case ACT_LEAVE:
    if (e->result >= 0)
      change_group (p, node, e, act == ACT_JOIN);
    break;
  case ACT_SEND:
    if (G_LIKELY (c->peer != NONE))
      pvm_step_send_to (p, node, c->peer, e, store_bytes_of (e));
    else if (e->result >= 0)
      state_impossible (&p->store.graph, e, _ ("sends to nobody"));
    break;
  case ACT_MCAST:
    if (e->result >= 0 || p->store.messages.n_early > 0)
      send_to_list (p, node, e, store_bytes_of (e));
    break;
  case ACT_BCAST:
    send_to_group (p, node, c, e, store_bytes_of (e));
    break;
  case ACT_RECEIVE:
    take_end (p, c->peer, node, c->link, c->flags, e, store_bytes_of (e));
    break;
  case ACT_SCATTER:
    if (c->flags & CALL_ROOT)
      send_to_group (p, node, c, e, store_bytes_of (e));
    else
      take_end (p, c->peer, node, c->link, c->flags, e, store_bytes_of (e));
    break;
  case ACT_GATHER:
    if (c->flags & CALL_ROOT)
      gather_end (p, node, c, e, store_bytes_of (e));
    else if (c->peer != NONE)
      pvm_step_send_to (p, node, c->peer, e, store_bytes_of (e));
    break;
  case ACT_PHASE:
    count_phase (p, node, -1);
    break;
  default:
    break;
  }
  Task *t = task_at (p, node);
  if (G_LIKELY (t->call.act == ACT_NONE))
    refresh_innermost (p, node, t, 0);
  else
    pvm_refresh (p, node);
}

static void
pvm_step_end (Pvm *p, uint32_t node, const TraceEvent *e, const Rule *rule)
{
  Call c;

  if (G_UNLIKELY (!pop_call (p, task_at (p, node), e, &c))) {
    state_impossible (&p->store.graph, e, _ ("ends without having begun; taken as a call without duration"));
    pvm_step_begin (p, node, e, rule);
    pop_call (p, task_at (p, node), e, &c);
  }
  pvm_step_end_call (p, node, &c, e, rule, c.act);
}

/* The same of a call that does `act`, nearly always. */
static inline __attribute__ ((always_inline)) void
end_as (Pvm *p, uint32_t node, const TraceEvent *e, const Rule *rule, uint8_t act)
{
  const Call *innermost = &task_at (p, node)->call;
  Call c;

  if (G_UNLIKELY (innermost->act != act || innermost->outer != NONE || !pop_call (p, task_at (p, node), e, &c)))
    pvm_step_end (p, node, e, rule);
  else
    pvm_step_end_call (p, node, &c, e, rule, act); /* the innermost was the only one */
}

/* ---- birth and death ----------------------------------------------------------------------------------------- */

static void
pvm_step_birth (Pvm *p, uint32_t node)
{
  Task *t = task_at (p, node);
  int64_t old = t->born ? TASK_DEAD : -1;

  t->born = true;
  t->state = TASK_BUSY;
  store_visit (&p->store, node, N_LIVE, TASK_BUSY);
  t->node.life.since = t->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, node, NODE_STATE, old, TASK_BUSY);
  store_tell_state (&p->store, t->node.task, old, TASK_BUSY);
  for (uint32_t link = t->node.first_out; link != NONE; link = link_at (p, link)->edge.next_out)
    if (link_at (p, link)->state == LINK_DEAD)
      pvm_link_settle (p, link);
}

static void
pvm_step_death (Pvm *p, uint32_t node, const TraceEvent *e)
{
  for (Call *c = first_call (task_at (p, node)); c != NULL; c = outer_call (p, c)) {
    if (c->act == ACT_PHASE || c->flags & CALL_DROPPED) /* dropped by an earlier death */
      continue;
    if (e->result >= 0) /* below 0 it was killed, wherever it stood */
      state_impossible (&p->store.graph, e, _ ("leaves PVM inside a call that has not ended"));
    drop_take (p, c->link, c->flags, c->tag);
    while (c->parts != NONE) {
      const Part part = pvm_part_take (p, &c->parts);
      if (c->act == ACT_GATHER)
        drop_take (p, part.who, part.flags, c->tag);
    }
    c->link = NONE;
    c->flags = CALL_DROPPED;
    c->state = STATE_KEPT; /* whoever lives again is in no call */
  }
  set_state (p, node, task_at (p, node), TASK_DEAD);
  set_protagonist (p, node, task_at (p, node), 0, 0);
  for (uint32_t link = task_at (p, node)->node.first_out; link != NONE; link = link_at (p, link)->edge.next_out) {
    pvm_link_state (p, link, LINK_DEAD);
    pvm_link_set (p, link, EDGE_TRAFFIC, &link_at (p, link)->traffic, link_at (p, link)->edge.volume);
  }
}

/* ---- an event ------------------------------------------------------------------------------------------------ */

/* The node of a task that is not alive, brought to life if that makes sense; NONE: the event is left out. */
static uint32_t
pvm_step_unexpected_task (Pvm *p, const TraceEvent *e, const Rule *rule)
{
  uint32_t node = node_for (p, e->task);
  Task *t;

  if (node == NONE) {
    state_impossible (&p->store.graph, e, _ ("comes from a task that the trace does not know; left out"));
    return NONE;
  }
  t = task_at (p, node);
  if (!t->born) {
    if (rule->act != ACT_ENROLL)
      state_impossible (&p->store.graph, e, _ ("comes from a task that was not born; taken as Busy from now on"));
    pvm_step_birth (p, node);
  } else if (rule->act == ACT_ENROLL) {
    state_impossible (&p->store.graph, e, _ ("is the second birth of a task that has died"));
    pvm_step_birth (p, node);
  } else if (rule->act != ACT_NONE && rule->act != ACT_PHASE) {
    if (e->flags & TRACE_END)
      for (Call *c = first_call (t); c != NULL; c = outer_call (p, c))
        if (c->record == e->record && c->kind == e->kind)
          return node;
    state_impossible (&p->store.graph, e, _ ("comes from a task that is dead; left out"));
    return NONE;
  }
  return node;
}

static inline __attribute__ ((always_inline)) void
step_one (Pvm *p, const TraceEvent *e)
{
  const Rule *rule;
  uint32_t node;

  if (!store_event (&p->store, e))
    return;
  if (G_UNLIKELY (e->kind >= p->n_rules)) {
    state_impossible (&p->store.graph, e, _ ("is of a kind that the trace does not know; left out"));
    return;
  }
  rule = &p->rules[e->kind];
  store_clock (&p->store, e);
  node = store_find_node (&p->store, e->task);
  if (G_UNLIKELY (node == NONE || task_at (p, node)->state == TASK_DEAD)) {
    node = pvm_step_unexpected_task (p, e, rule);
    if (node == NONE)
      return;
  } else if (G_UNLIKELY (rule->act == ACT_ENROLL) && !(e->flags & TRACE_END)) {
    state_impossible (&p->store.graph, e, _ ("is the second birth of a living task; left out"));
  }
#define STEP(act, ends) ((act) << 1 | (ends))
  bool plain = !(e->flags & TRACE_INSTANT) && task_at (p, node)->depth < CALLS_MAX;
  switch (G_LIKELY (plain) ? STEP (rule->act, e->flags & TRACE_END) : STEP (ACT_NONE, 1)) {
  case STEP (ACT_FUNCTION, 0):
    begin_as (p, node, e, rule, ACT_FUNCTION);
    return;
  case STEP (ACT_FUNCTION, 1):
    end_as (p, node, e, rule, ACT_FUNCTION);
    return;
  case STEP (ACT_PACK, 0):
    begin_as (p, node, e, rule, ACT_PACK);
    return;
  case STEP (ACT_PACK, 1):
    end_as (p, node, e, rule, ACT_PACK);
    return;
  case STEP (ACT_SEND, 0):
    begin_as (p, node, e, rule, ACT_SEND);
    return;
  case STEP (ACT_SEND, 1):
    end_as (p, node, e, rule, ACT_SEND);
    return;
  case STEP (ACT_RECEIVE, 0):
    begin_as (p, node, e, rule, ACT_RECEIVE);
    return;
  case STEP (ACT_RECEIVE, 1):
    end_as (p, node, e, rule, ACT_RECEIVE);
    return;
  default:
    break;
  }
  switch (rule->act) {
  case ACT_NONE:
  case ACT_ENROLL:
    return;
  case ACT_EXIT:
    if (!(e->flags & TRACE_END))
      pvm_step_death (p, node, e);
    return;
  default:
    if (G_UNLIKELY (task_at (p, node)->depth >= CALLS_MAX) && !(e->flags & (TRACE_END | TRACE_INSTANT)))
      state_impossible (&p->store.graph, e,
                        _ ("begins inside of %d other calls; taken as a call without duration where it ends"),
                        CALLS_MAX + 1);
    else if (!(e->flags & TRACE_END))
      pvm_step_begin (p, node, e, rule);
    if (e->flags & (TRACE_END | TRACE_INSTANT))
      pvm_step_end (p, node, e, rule);
  }
}

uint32_t
pvm_steps (Pvm *p, const TraceEvent *e, uint32_t n)
{
  const uint32_t told = outbox_n (&p->store.outbox);
  uint32_t done = 0;

  while (done < n) {
    __builtin_prefetch (&e[MIN (done + 8, n - 1)]); /* it lies with the processor that read it */
    step_one (p, &e[done++]);
    if (outbox_n (&p->store.outbox) != told)
      break;
  }
  return done;
}

void
pvm_step (Pvm *p, const TraceEvent *e)
{
  pvm_steps (p, e, 1);
}
