/* SPDX-License-Identifier: Apache-2.0 */
/* step.c - what an event does to the state (thesis, annex A.1).  Rules it leaves open are in README.md, with the
 * reasons.
 *
 * A communication is a rendezvous: who comes first waits on the link, who comes second finds the waiting call of the
 * other task there, and from then on both talk, each until its own end. */
#include "simulators/ouf/ouf.h"
#include "eve/words.h"

#include "readers/reader.h"

#define RESULT_DEAD -1 /* of the end of a call: the other task is dead */

/* ---- tasks --------------------------------------------------------------------------------------------------- */

static void
set_protagonist (Ouf *p, uint32_t task, int32_t who)
{
  Node *t = node_at (p, task);
  int32_t old = t->protagonist;

  if (old == who)
    return;
  t->protagonist = who;
  t->node.life.clock = p->store.now;
  store_changed (&p->store, STATE_NODE, task, AT_PROTAGONIST, old, who);
}

/* Of the last call that communicates. */
static int32_t
protagonist_of (const Ouf *p, Node *t)
{
  for (const Call *c = ouf_first_call (t); c != NULL; c = ouf_next_call (p, c)) {
    if (c->peer != NONE)
      return (int32_t) (c->peer + 1);
    if (c->guards != NONE)
      return p->guards[c->guards].next != NONE ? -1 : (int32_t) (link_at (p, p->guards[c->guards].link)->edge.from + 1);
  }
  return 0;
}

void
ouf_refresh (Ouf *p, uint32_t task)
{
  Node *t = node_at (p, task);

  if (t->state == NODE_UNUSED || t->state == NODE_DEAD)
    return;
  bool blocked = p->threads ? t->n_blocked >= t->n_running : t->n_blocked > 0;
  ouf_node_state (p, task, t->n_talking > 0 ? NODE_TALKING : blocked ? NODE_IDLE : NODE_BUSY);
  set_protagonist (p, task, protagonist_of (p, t));
}

/* ---- calls --------------------------------------------------------------------------------------------------- */

uint32_t
ouf_call_push (Ouf *p, Node *t)
{
  uint32_t at = p->free_call;

  if (at != NONE) {
    p->free_call = p->calls[at].next;
  } else {
    at = p->n_calls++;
    p->calls = state_room (p->calls, at, &p->calls_room, sizeof *p->calls);
  }
  p->calls[at] = t->call;
  return at;
}

static Call *
ouf_step_call_of (Ouf *p, Node *t, int32_t thread)
{
  Call *c = ouf_first_call (t);

  while (c != NULL && c->thread != thread)
    c = ouf_next_call (p, c);
  return c;
}

/* Counted into its task, with the thread that makes it. */
static void
set_call_state (Ouf *p, uint32_t task, Call *c, uint8_t state)
{
  Node *t = node_at (p, task);

  t->n_blocked += (state == NODE_IDLE) - (c->state == NODE_IDLE);
  t->n_talking += (state == NODE_TALKING) - (c->state == NODE_TALKING);
  c->state = state;
  if (p->threads)
    ouf_thread_call (p, task, c->thread, state);
}

/* Takes it off its task.  Calls that were pointed to may have moved, those of other tasks have not. */
static void
pop_call (Ouf *p, uint32_t task, Call *c)
{
  Node *t = node_at (p, task);
  uint32_t at;

  set_call_state (p, task, c, NODE_BUSY);
  if (c == &t->call) {
    at = c->next;
    if (at == NONE) {
      t->call.act = ACT_NONE;
      return;
    }
    t->call = p->calls[at];
  } else {
    Call *before = &t->call;
    while (&p->calls[before->next] != c)
      before = &p->calls[before->next];
    at = before->next;
    before->next = c->next;
  }
  p->calls[at].next = p->free_call;
  p->free_call = at;
}

/* ---- links --------------------------------------------------------------------------------------------------- */

static void
ouf_step_settle (Ouf *p, uint32_t link)
{
  Link *l = link_at (p, link);

  ouf_link_state (p, link,
                  node_at (p, l->edge.from)->state == NODE_DEAD ? LINK_DEAD
                  : l->meetings != NONE                         ? LINK_TALKING
                  : l->usage > 0 || l->n_listening > 0          ? LINK_IDLE
                                                                : LINK_UNUSED);
}

/* The call at `task` that has been longest in this state at this end of the link. */
static Call *
call_at (Ouf *p, uint32_t task, uint8_t act, uint32_t link, uint8_t state)
{
  Call *found = NULL;

  for (Call *c = ouf_first_call (node_at (p, task)); c != NULL; c = ouf_next_call (p, c))
    if (c->link == link && c->act == act && c->state == state)
      found = c;
  return found;
}

static uint8_t
other_act (uint8_t act)
{
  return act == ACT_SEND ? ACT_RECEIVE : ACT_SEND;
}

/* The call at `task` that takes part in a meeting. */
static Call *
call_in (Ouf *p, uint32_t task, uint32_t meeting, uint8_t act)
{
  Call *c = ouf_first_call (node_at (p, task));

  while (c != NULL && (c->meeting != meeting || c->act != act))
    c = ouf_next_call (p, c);
  return c;
}

/* If the other task waits at the other end, the rendezvous takes place (thesis, p. 199). */
static void
ouf_step_meet (Ouf *p, uint32_t task, Call *c)
{
  Call *other = call_at (p, c->peer, other_act (c->act), c->link, NODE_IDLE);

  if (other == NULL)
    return;
  ouf_meeting_begin (p, c->act == ACT_SEND ? c : other, c->act == ACT_SEND ? other : c);
  set_call_state (p, task, c, NODE_TALKING);
  set_call_state (p, c->peer, other, NODE_TALKING);
  ouf_refresh (p, c->peer);
}

/* Two calls of a task at one end of a link change places: each is where the other was. */
static void
change_places (Ouf *p, uint32_t task, Call *c, Call *other)
{
  uint8_t state = c->state;

  ouf_meeting_exchange (p, c, other);
  set_call_state (p, task, c, other->state);
  set_call_state (p, task, other, state);
}

/* The limit was over before the rendezvous began, though the other had come by then: that one waits again.  If it has
 * ended, another thread of the task was served. */
static Call *
ouf_step_part (Ouf *p, uint32_t task, Call *c, const TraceEvent *e)
{
  Call *other = call_in (p, c->peer, c->meeting, other_act (c->act)), *served;

  if (ouf_meeting_part (p, c, other)) {
    set_call_state (p, c->peer, other, NODE_IDLE);
    return other;
  }
  served = call_at (p, task, c->act, c->link, NODE_IDLE);
  if (served != NULL)
    change_places (p, task, c, served);
  else
    state_impossible (&p->store.graph, e, _ ("is over its limit, though %s has met it"),
                      store_id_of (&p->store, c->peer));
  return NULL;
}

/* ---- communication (figure A.2) ------------------------------------------------------------------------------ */

static void
begin_communication (Ouf *p, uint32_t task, Call *c, const TraceEvent *e)
{
  uint32_t link = e->object < p->n_objects ? p->link_of[e->object] : NONE;
  Link *l = link != NONE ? link_at (p, link) : NULL;

  if (l == NULL || (c->act == ACT_SEND ? l->edge.from : l->edge.to) != task) {
    state_impossible (&p->store.graph, e, _ ("names no link %s this task"), c->act == ACT_SEND ? "from" : "to");
    return;
  }
  c->link = link;
  c->peer = c->act == ACT_SEND ? l->edge.to : l->edge.from;
  c->size = c->act == ACT_SEND ? store_bytes_of (e) : 0;
  c->sent = e->date;
  ouf_link_set (p, link, EDGE_USAGE, &l->usage, l->usage + 1);
  set_call_state (p, task, c, NODE_IDLE);
  ouf_step_meet (p, task, c);
  ouf_step_settle (p, link);
}

static void
end_communication (Ouf *p, uint32_t task, Call *c, const TraceEvent *e, const Rule *rule)
{
  uint32_t link = c->link, peer = c->peer, found;
  Link *l = link_at (p, link);
  Call *again = NULL;

  if (rule->act == ACT_TIMEOUT) {
    if (c->state == NODE_TALKING)
      again = ouf_step_part (p, task, c, e);
  } else if ((found = ouf_meeting_found (p, c, e, rule)) != NONE) {
    if (G_UNLIKELY (found != c->meeting)) /* threads take turns on a link; which of them was served is seen now */
      change_places (p, task, c, call_in (p, task, found, c->act));
    ouf_meeting_size (p, c, store_bytes_of (e));
    if (c->act == ACT_RECEIVE && e->result != RESULT_DEAD) {
      ouf_link_set (p, link, EDGE_MESSAGES, &l->messages, plus (l->messages, 1));
      store_tell_message (&p->store, link, -1, p->meetings[c->meeting].size, p->meetings[c->meeting].sent);
    }
  } else if (e->result != RESULT_DEAD) {
    state_impossible (&p->store.graph, e, _ ("ends, though %s has not come to the rendezvous"),
                      store_id_of (&p->store, peer));
  }
  if (c->meeting != NONE)
    ouf_meeting_leave (p, c);
  ouf_link_set (p, link, EDGE_USAGE, &l->usage, minus (l->usage, 1));
  pop_call (p, task, c);
  if (again != NULL)
    ouf_step_meet (p, peer, again);
  ouf_step_settle (p, link);
  if (again != NULL)
    ouf_refresh (p, peer);
}

/* ---- alternatives -------------------------------------------------------------------------------------------- */

void
ouf_listen (Ouf *p, Call *c, uint32_t link)
{
  uint32_t at = p->free_guard;

  if (at != NONE) {
    p->free_guard = p->guards[at].next;
  } else {
    at = p->n_guards++;
    p->guards = state_room (p->guards, at, &p->guards_room, sizeof *p->guards);
  }
  p->guards[at] = (Guard){ link, c->guards };
  c->guards = at;
  link_at (p, link)->n_listening++;
}

/* Data are awaited on every link of the list. */
static void
begin_alternative (Ouf *p, uint32_t task, Call *c, const TraceEvent *e)
{
  uint32_t n;
  const uint32_t *list = trace_objects (e, &n);
  bool found = c->act == ACT_NALT;

  for (uint32_t i = n; i-- > 0;) { /* each goes to the front */
    uint32_t link = list[i] < p->n_objects ? p->link_of[list[i]] : NONE;
    if (link == NONE || link_at (p, link)->edge.to != task) {
      state_impossible (&p->store.graph, e, _ ("names a link that is not to this task"));
      continue;
    }
    ouf_listen (p, c, link);
    ouf_step_settle (p, link);
    found = found || call_at (p, link_at (p, link)->edge.from, ACT_SEND, link, NODE_IDLE) != NULL;
  }
  if (!found)
    set_call_state (p, task, c, NODE_IDLE);
}

static void
end_alternative (Ouf *p, Call *c)
{
  while (c->guards != NONE) {
    uint32_t at = c->guards, link = p->guards[at].link;
    c->guards = p->guards[at].next;
    p->guards[at].next = p->free_guard;
    p->free_guard = at;
    link_at (p, link)->n_listening--;
    ouf_step_settle (p, link);
  }
}

/* ---- begin and end of a call --------------------------------------------------------------------------------- */

/* Whoever dies, or goes on without an end, uses nothing any more; the other end of its communication does not hear of
 * it. */
static void
drop_call (Ouf *p, uint32_t task, Call *c)
{
  uint32_t link = c->link;

  end_alternative (p, c);
  if (c->semaphore != NONE)
    ouf_semaphore_wait (p, c->semaphore, false);
  if (link != NONE) {
    if (c->meeting != NONE)
      ouf_meeting_leave (p, c);
    ouf_link_set (p, link, EDGE_USAGE, &link_at (p, link)->usage, minus (link_at (p, link)->usage, 1));
  }
  pop_call (p, task, c);
  if (link != NONE)
    ouf_step_settle (p, link);
}

static void
ouf_step_begin (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule)
{
  Node *t = node_at (p, task);
  Call *c = ouf_step_call_of (p, t, e->tag);
  uint32_t semaphore = rule->act == ACT_SEM_P ? ouf_semaphore (p, task, e, rule) : NONE;

  t = node_at (p, task);
  if (G_UNLIKELY (c != NULL)) {
    state_impossible (&p->store.graph, e,
                      _ ("begins inside a call of its thread that has not ended; that one is left"));
    drop_call (p, task, ouf_step_call_of (p, t, e->tag));
  }
  uint32_t next = t->call.act != ACT_NONE ? ouf_call_push (p, t) : NONE;
  c = &t->call;
  *c = (Call){ .link = NONE,
               .peer = NONE,
               .next = next,
               .guards = NONE,
               .semaphore = semaphore,
               .meeting = NONE,
               .thread = e->tag,
               .act = rule->act,
               .state = NODE_BUSY };
  switch (rule->act) {
  case ACT_SEND:
  case ACT_RECEIVE:
    begin_communication (p, task, c, e);
    break;
  case ACT_ALT:
  case ACT_NALT:
    begin_alternative (p, task, c, e);
    break;
  case ACT_SEM_P:
    if (semaphore != NONE)
      ouf_semaphore_wait (p, semaphore, true);
    if (p->threads)
      set_call_state (p, task, c, NODE_IDLE);
    break;
  default:
    if (p->threads)
      set_call_state (p, task, c, NODE_IDLE);
  }
  ouf_refresh (p, task);
}

static void
ouf_step_end (Ouf *p, uint32_t task, const TraceEvent *e, const Rule *rule)
{
  Call *c = ouf_step_call_of (p, node_at (p, task), e->tag);

  if (G_UNLIKELY (c == NULL || (c->act != rule->act && (rule->act != ACT_TIMEOUT || c->link == NONE)))) {
    state_impossible (&p->store.graph, e, _ ("ends what has not begun; left out"));
    return;
  }
  if (c->link != NONE) {
    end_communication (p, task, c, e, rule);
  } else {
    end_alternative (p, c);
    uint32_t semaphore = c->semaphore;
    pop_call (p, task, c);
    if (semaphore != NONE) {
      ouf_semaphore_wait (p, semaphore, false);
      ouf_semaphore_taken (p, semaphore, e, rule);
    }
  }
  ouf_refresh (p, task);
}

/* ---- birth and death (figure A.1) ---------------------------------------------------------------------------- */

static void
ouf_step_birth (Ouf *p, uint32_t task)
{
  node_at (p, task)->n_running++; /* thread 0 */
  ouf_node_state (p, task, NODE_BUSY);
}

static void
ouf_step_death (Ouf *p, uint32_t task)
{
  Node *t = node_at (p, task);

  while (t->call.act != ACT_NONE)
    drop_call (p, task, &t->call);
  ouf_threads_die (p, task);
  t->n_running = 0;
  ouf_node_state (p, task, NODE_DEAD);
  set_protagonist (p, task, 0);
  for (uint32_t link = t->node.first_out; link != NONE; link = link_at (p, link)->edge.next_out)
    ouf_step_settle (p, link);
}

/* ---- an event ------------------------------------------------------------------------------------------------ */

/* Of a task that is not alive.  False: the event is left out. */
static bool
ouf_step_unexpected_task (Ouf *p, const TraceEvent *e, const Rule *rule)
{
  if (e->task >= p->n_tasks) {
    state_impossible (&p->store.graph, e, _ ("comes from a task that the trace does not know; left out"));
    return false;
  }
  if (node_at (p, e->task)->state == NODE_DEAD) {
    state_impossible (&p->store.graph, e, _ ("comes from a task that is dead; left out"));
    return false;
  }
  if (rule->act != ACT_BIRTH) {
    state_impossible (&p->store.graph, e, _ ("comes from a task that was not born; taken as Busy from now on"));
    ouf_step_birth (p, e->task);
  }
  return true;
}

void
ouf_step (Ouf *p, const TraceEvent *e)
{
  uint32_t task = e->task;

  if (!store_event (&p->store, e))
    return;
  if (G_UNLIKELY (e->kind >= p->n_rules)) {
    state_impossible (&p->store.graph, e, _ ("is of a kind that the trace does not know; left out"));
    return;
  }
  const Rule *rule = &p->rules[e->kind];
  if (G_UNLIKELY (!p->begun)) {
    ouf_tell_graph (p);
    p->begun = true;
  }
  store_clock (&p->store, e);
  if (G_UNLIKELY (task >= p->n_tasks || node_at (p, task)->state >= NODE_UNUSED)) {
    if (!ouf_step_unexpected_task (p, e, rule))
      return;
  } else if (G_UNLIKELY (rule->act == ACT_BIRTH)) {
    state_impossible (&p->store.graph, e, _ ("is the second birth of a task; left out"));
    return;
  }
  if (p->threads && rule->act != ACT_THREAD_BIRTH)
    ouf_thread (p, task, e->tag);
  switch (rule->act) {
  case ACT_NONE:
    return;
  case ACT_BIRTH:
    ouf_step_birth (p, task);
    return;
  case ACT_DEATH:
    ouf_step_death (p, task);
    return;
  case ACT_THREAD_BIRTH:
  case ACT_THREAD_DEATH:
  case ACT_RUN:
  case ACT_STOP:
    ouf_thread_event (p, task, e, rule);
    return;
  case ACT_SEM_INIT:
  case ACT_SEM_TRY:
  case ACT_SEM_V:
    ouf_semaphore_event (p, task, e, rule);
    return;
  default:
    if (e->flags & TRACE_END)
      ouf_step_end (p, task, e, rule);
    else
      ouf_step_begin (p, task, e, rule);
  }
}

/* Fetches what an event some way ahead will touch. */
static inline void
ouf_step_fetch (const Ouf *p, const TraceEvent *e)
{
  uint32_t link = e->object < p->n_objects ? p->link_of[e->object] : NONE;

  if (e->task < p->n_tasks) {
    __builtin_prefetch (node_at (p, e->task));
    __builtin_prefetch (&node_at (p, e->task)->call);
  }
  if (e->peer < p->n_tasks) {
    __builtin_prefetch (node_at (p, e->peer));
    __builtin_prefetch (&node_at (p, e->peer)->call);
  }
  if (link != NONE) {
    __builtin_prefetch (link_at (p, link));
    __builtin_prefetch (&link_at (p, link)->traffic);
  }
}

void
ouf_steps (Ouf *p, const TraceEvent *events, uint32_t n)
{
  enum { ahead = 8 };

  for (uint32_t i = 0; i < n; i++) {
    if (i + ahead < n)
      ouf_step_fetch (p, &events[i + ahead]);
    ouf_step (p, &events[i]);
  }
}
