/* SPDX-License-Identifier: Apache-2.0 */
/* sched.c - who works next.
 *
 * Readiness is one number a node: `missing` counts its empty inputs and full outputs; it changes only when an
 * input becomes empty or not, an output full or not.  At zero the node's bit is set.  The sweep goes over the set
 * bits in rank order, round and round, a burst of firings at a time; nothing is scanned and nothing recurs.  When
 * no bit is set the data are drained, and the sources are asked in turn for more; when they have ended, components
 * may hand out what they hold back; when that is done too, the program is idle, or stuck. */
#include "eve/private.h"
#include "eve/words.h"
#include <stdarg.h>
#include <string.h>

/* ---- readiness ---------------------------------------------------------------------------------------------------- */
void
sched_ready (Node *n)
{
  if (n->has_pending || (!n->missing && n->n_sync && !n->declined))
    n->program->ready[n->rank >> 6] |= 1ull << (n->rank & 63);
}

void
sched_out_freed (EveOut *out)
{
  Node *n = out->node;
  if (!out->blocked)
    return;
  ring_low_water (out);
  if (out->capacity - (out->head - out->low) < out->per_fire)
    return;
  out->blocked = false;
  n->missing--;
  if (n->starved && ring_room_for_firing (n)) {
    n->starved = false;
    n->has_pending = true;
  }
  sched_ready (n);
}

void
sched_source_news (Node *n)
{
  EveProgram *p = n->program;
  if (n->supply == NODE_SUPPLYING)
    return;
  if (n->supply == NODE_ENDED) {
    p->end_settled = false;
    for (guint i = 0; i < p->nodes->len; i++)
      ((Node *) p->nodes->pdata[i])->end_done = false;
  }
  n->supply = NODE_SUPPLYING;
}

/* ---- firing --------------------------------------------------------------------------------------------------------- */
static inline Outer
sched_enter (Node *n, Call call)
{
  n->progressed = false;
  n->program->calls++;
  return call_enter (n, call);
}

static inline void
sched_leave (Node *n, Outer outer)
{
  call_leave (n, outer);
  n->program->calls--;
}

/* How many firings have room that lies in one piece, of k. */
static uint32_t
span_room (Node *n, uint64_t k)
{
  for (uint32_t i = 0; i < n->n_outs; i++) {
    EveOut *out = &n->outs[i];
    if (!out->size)
      continue;
    uint64_t room = out->capacity - (out->head - out->low);
    if (room < k * out->per_fire) {
      ring_low_water (out);
      room = out->capacity - (out->head - out->low);
    }
    k = MIN (k, room / out->per_fire);
    if (out->per_fire == 1)
      k = MIN (k, out->capacity - (out->head & (out->capacity - 1)));
  }
  return (uint32_t) k;
}

/* How many firings can go as one span: data and room that lie in one piece. */
static uint32_t
span_size (Node *n)
{
  uint32_t k = EVE_SPAN;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    EveIn *in = &n->ins[i];
    if (in->n_edges && in->spec->arrival != EVE_ASYNC)
      k = in_run (in, k);
  }
  return span_room (n, k);
}

/* The node waits for news: fresh data, room, or a handler. */
static void
decline (Node *n)
{
  n->declined = true;
  for (uint32_t i = 0; i < n->n_ins; i++)
    for (uint32_t k = 0; k < n->ins[i].n_edges; k++)
      n->ins[i].edges[k]->out->armed = true;
}

/* After a firing, or a span of so many.  Gives how many it was; 0: it was none. */
static uint32_t
fired_so_often (Node *n, uint32_t fired)
{
  if (G_UNLIKELY (n->program->failed == n)) {
    for (uint32_t i = 0; i < n->n_ins; i++)
      in_rollback (&n->ins[i]);
    return 0;
  }
  for (uint32_t i = 0; i < n->n_ins; i++)
    in_commit (&n->ins[i]);
  if (G_UNLIKELY (!n->progressed)) {
    decline (n);
    return 0;
  }
  return fired;
}

void
sched_fire_in_place (EveIn *in)
{
  Node *n = in->node;
  uint64_t waiting;
  while (!n->program->failed && n->program->mode == EVE_RUNNING && !n->declined && !n->has_pending
         && (waiting = in_available (in)) > 0 && ring_room_for_firing (n)) {
    uint32_t fired = span_room (n, MIN (waiting, EVE_SPAN));
    if (!fired)
      return;
    Outer outer = sched_enter (n, CALL_FIRE);
    n->klass->fire_span (n->self, fired);
    n->firings += fired;
    sched_leave (n, outer);
    if (!fired_so_often (n, fired))
      return;
  }
}

/* One firing, or one span.  Gives how many firings it was; 0: it did not fire. */
static uint32_t
fire_once (Node *n, bool span_allowed)
{
  const EveClass *k = n->klass;
  EveComponent *who = n->self;
  uint32_t fired = 1;
  if (k->can_fire) {
    Outer outer = call_enter (n, CALL_CAN_FIRE);
    who = k->can_fire (n->self);
    call_leave (n, outer);
    if (!who) {
      decline (n);
      return 0;
    }
  }
  if (!ring_room_for_firing (n))
    return 0;
  Outer outer = sched_enter (n, CALL_FIRE);
  if (who != n->self)
    stand_in_fire (n, who);
  else if (k->fire_span && (span_allowed || !k->fire) && !k->can_fire && (fired = span_size (n)) > 0
           && (fired > 1 || !k->fire)) {
    if (!span_allowed)
      fired = 1;
    k->fire_span (n->self, fired);
    n->firings += fired;
  } else {
    fired = 1;
    k->fire (n->self);
    n->firings++;
  }
  sched_leave (n, outer);
  return fired_so_often (n, fired);
}

static void
hand_over_pending (Node *n)
{
  n->has_pending = false;
  for (uint32_t i = 0; i < n->n_ins && !n->program->failed; i++)
    if (n->ins[i].pending)
      ring_deliver (&n->ins[i]);
}

/* A burst of the node at `sweep`.  True if the burst is over, false if the deadline cut it off. */
static bool
run_node (EveProgram *p, Node *n, uint32_t left, int64_t deadline)
{
  p->ready[n->rank >> 6] &= ~(1ull << (n->rank & 63));
  LOG ("sched", 5, "%s: missing %d", n->name, n->missing);
  if (n->has_pending)
    hand_over_pending (n);
  bool span_allowed = n->burst > 1;
  while (left && !n->missing && n->n_sync && !n->declined && !p->failed && p->mode == EVE_RUNNING) {
    uint32_t fired = fire_once (n, span_allowed);
    if (!fired)
      break;
    if (n->has_pending && !p->failed)
      hand_over_pending (n);
    left -= MIN (left, fired);
    if (G_UNLIKELY (n->slow) && left && now_ns () >= deadline) {
      sched_ready (n);
      if (p->ready[n->rank >> 6] & (1ull << (n->rank & 63))) {
        p->burst_left = left;
        return false;
      }
    }
  }
  sched_ready (n);
  return true;
}

/* Rank of the first ready node at or after `from`, or UINT32_MAX. */
static uint32_t
next_ready (const EveProgram *p, uint32_t from)
{
  uint32_t words = p->n_order / 64 + 1;
  for (uint32_t w = from >> 6; w < words; w++) {
    uint64_t bits = p->ready[w];
    if (w == from >> 6)
      bits &= ~0ull << (from & 63);
    if (bits)
      return w * 64 + (uint32_t) __builtin_ctzll (bits);
  }
  return UINT32_MAX;
}

static bool
sweep_one (EveProgram *p, int64_t deadline)
{
  uint32_t rank = next_ready (p, p->sweep);
  if (rank == UINT32_MAX && p->sweep)
    rank = next_ready (p, 0);
  if (rank == UINT32_MAX) {
    p->sweep = p->burst_left = 0;
    return false;
  }
  Node *n = p->order[rank];
  uint32_t left = rank == p->sweep && p->burst_left ? p->burst_left : n->burst;
  p->burst_left = 0;
  p->sweep = rank;
  if (run_node (p, n, left, deadline))
    p->sweep = rank + 1 < p->n_order ? rank + 1 : 0;
  return true;
}

bool
sched_sweep (EveProgram *p)
{
  return sweep_one (p, G_MAXINT64);
}

bool
sched_at_rest (Node *n, int64_t now)
{
  Outer outer = sched_enter (n, CALL_REST);
  bool all = n->klass->at_rest (n->self, now);
  sched_leave (n, outer);
  return all;
}

/* ---- sources ----------------------------------------------------------------------------------------------------------- */
static bool
ask_sources (EveProgram *p)
{
  for (uint32_t i = 0; i < p->n_sources; i++) {
    uint32_t which = (p->turn + i) % p->n_sources;
    Node *n = p->sources[which];
    if (n->supply != NODE_SUPPLYING)
      continue;
    uint32_t max = n->burst > 1 ? EVE_SPAN : 1;
    for (uint32_t k = 0; k < n->n_outs; k++)
      max = MIN (max, eve_room (&n->outs[k]));
    if (!max)
      continue;
    Outer outer = sched_enter (n, CALL_PRODUCE);
    EveSupply supply = n->klass->produce (n->self, max);
    sched_leave (n, outer);
    if (p->failed)
      return true;
    n->supply = supply == EVE_MORE ? NODE_SUPPLYING : supply == EVE_WAIT ? NODE_WAITING : NODE_ENDED;
    if (n->has_pending)
      hand_over_pending (n);
    if (supply == EVE_END)
      p->end_settled = false;
    if (n->progressed) {
      p->turn = (which + 1) % p->n_sources;
      p->end_settled = false;
    }
    if (n->progressed || supply == EVE_MORE)
      return true;
  }
  return false;
}

/* Whether a node will never fire again: an input has ended and is empty, and the others have ended or hold data. */
static bool
fires_no_more (const Node *n)
{
  bool any = false;
  for (uint32_t i = 0; i < n->n_ins; i++) {
    EveIn *in = (EveIn *) &n->ins[i];
    if (!in->n_edges || in->spec->arrival != EVE_SYNC || in_available (in))
      continue;
    for (uint32_t k = 0; k < in->n_edges; k++)
      if (!in->edges[k]->out->node->upstream_done)
        return false;
    any = true;
  }
  return any;
}

/* All is drained: the first component, in rank order, whose sources have all ended hands out what it holds.  So does
 * one that will never fire again because one of its inputs has ended: what its other inputs hold is all it gets. */
static bool
end_one (EveProgram *p)
{
  bool settled = true;

  if (p->end_settled)
    return false;
  for (uint32_t r = 0; r < p->n_order; r++) {
    Node *n = p->order[r];
    bool done = true, above = n->klass->produce != NULL;
    for (uint32_t i = 0; i < n->n_ins; i++)
      for (uint32_t k = 0; k < n->ins[i].n_edges; k++) {
        Node *from = n->ins[i].edges[k]->out->node;
        if (from->rank < n->rank) {                /* what closes a cycle is not waited for */
          if (n->ins[i].spec->role != EVE_CONTROL) /* a command may always come: nobody waits for the last one */
            done &= from->upstream_done;
          above |= from->source_above;
        }
      }
    n->source_above = above;
    done &= above && (!n->klass->produce || n->supply == NODE_ENDED);
    if (n->klass->at_end && n->use == EVE_WORKS && !n->end_done && (done || (above && fires_no_more (n)))) {
      if (!ring_room_for_firing (n)) {
        n->upstream_done = settled = false; /* its consumers have no room yet: asked again */
        continue;
      }
      Outer outer = sched_enter (n, CALL_END);
      bool all = n->klass->at_end (n->self);
      sched_leave (n, outer);
      if (!p->failed)
        for (uint32_t i = 0; i < n->n_ins; i++)
          in_commit (&n->ins[i]);
      n->end_done = all && done;
      if (done || n->progressed || p->failed)
        return true;
    }
    n->upstream_done = done;
  }
  p->end_settled = settled;
  return false;
}

/* ---- news from other threads -------------------------------------------------------------------------------------------- */
static void
wake_host (EveProgram *p)
{
  g_mutex_lock (&p->lock);
  void (*waker) (void *) = p->waker;
  void *arg = p->waker_arg;
  g_mutex_unlock (&p->lock);
  if (waker)
    waker (arg);
}

void
eve_post (EveComponent *c, void (*fn) (EveComponent *, void *), void *arg, void (*drop) (void *))
{
  Node *n = node_of (c);
  EveProgram *p = n->program;
  Post *post = g_new (Post, 1);
  *post = (Post){ n->id, fn, arg, drop };
  g_mutex_lock (&p->lock);
  g_queue_push_tail (&p->posts, post);
  g_mutex_unlock (&p->lock);
  g_atomic_int_set (&p->news, 1);
  wake_host (p);
}

void
eve_wake (EveComponent *c)
{
  Node *n = node_of (c);
  g_atomic_int_set (&n->wake, 1);
  g_atomic_int_set (&n->program->news, 1);
  wake_host (n->program);
}

static void
hear_news (EveProgram *p)
{
  g_atomic_int_set (&p->news, 0);
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (g_atomic_int_compare_and_exchange (&n->wake, 1, 0) && n->supply == NODE_WAITING)
      n->supply = NODE_SUPPLYING;
  }
  /* those that are there now: what they post again waits until the rings had a turn */
  g_mutex_lock (&p->lock);
  guint n_posts = p->failed ? 0 : g_queue_get_length (&p->posts);
  g_mutex_unlock (&p->lock);
  for (; n_posts && !p->failed; n_posts--) {
    g_mutex_lock (&p->lock);
    Post *post = g_queue_pop_head (&p->posts);
    g_mutex_unlock (&p->lock);
    if (!post)
      break;
    Node *n = g_hash_table_lookup (p->by_id, &post->id);
    if (n) {
      if (p->dirty)
        plan_make (p); /* an emission needs rings */
      post->fn (n->self, post->arg);
      if (g_hash_table_lookup (p->by_id, &post->id) == n && n->klass->produce)
        sched_source_news (n);
    } else if (post->drop) {
      post->drop (post->arg);
    }
    g_free (post);
  }
  g_mutex_lock (&p->lock);
  if (g_queue_get_length (&p->posts))
    g_atomic_int_set (&p->news, 1);
  g_mutex_unlock (&p->lock);
}

/* ---- the loop ------------------------------------------------------------------------------------------------------------ */
static void
start_nodes (EveProgram *p)
{
  for (uint32_t r = 0; r < p->n_order && !p->failed; r++) {
    Node *n = p->order[r];
    if (n->started || n->use != EVE_WORKS)
      continue;
    n->started = true;
    if (n->klass->start) {
      Outer outer = sched_enter (n, CALL_START);
      n->klass->start (n->self);
      sched_leave (n, outer);
      if (n->failure)
        sched_fail (n);
    }
  }
}

EveRun
eve_run (EveProgram *p, int64_t budget_ns)
{
  g_return_val_if_fail (!p->calls, EVE_IDLE);
  if (p->failed)
    return EVE_RUN_FAILED;
  rest_end (p);
  g_clear_pointer (&p->stall, g_free);
  int64_t begin = budget_ns > 0 ? now_ns () : 0, last = begin;
  int64_t deadline = budget_ns > 0 ? begin + budget_ns : budget_ns == 0 ? G_MININT64 : G_MAXINT64;
  p->mode = EVE_RUNNING;
  for (uint32_t rounds = 0;; rounds++) {
    if (p->dirty)
      plan_make (p);
    if (!p->all_started) {
      p->all_started = true;
      start_nodes (p);
    }
    if (g_atomic_int_get (&p->news)) {
      hear_news (p);
      if (p->dirty)
        continue;
    }
    if (p->failed)
      return EVE_RUN_FAILED;
    if (p->mode != EVE_RUNNING)
      return EVE_IDLE;
    uint32_t at = p->sweep;
    if (!sweep_one (p, deadline) && !ask_sources (p) && !end_one (p)) {
      if (p->failed)
        return EVE_RUN_FAILED;
      if (g_atomic_int_get (&p->news) || p->dirty || stall_resolve (p)) {
        if (budget_ns >= 0 && now_ns () >= deadline)
          return EVE_BUDGET;
        continue;
      }
      p->stall = stall_sentence (p);
      return p->stall ? EVE_STALLED : EVE_IDLE;
    }
    if (p->failed)
      return EVE_RUN_FAILED;
    if (budget_ns == 0)
      return EVE_BUDGET;
    if (budget_ns > 0 && (p->burst_left || (rounds & 15) == 15 || (at < p->n_order && p->order[at]->slow))) {
      int64_t now = now_ns ();
      if (now - last > 500000 && at < p->n_order) /* half a millisecond: mind this one */
        for (uint32_t r = 0; r < p->n_order; r++)
          p->order[r]->slow = true;
      last = now;
      if (now >= deadline)
        return EVE_BUDGET;
    }
  }
}

void
sched_pause_node (Node *n)
{
  if (!n->started)
    return;
  n->started = n->program->all_started = false;
  if (n->klass->pause) {
    Outer outer = call_enter (n, CALL_PAUSE);
    n->klass->pause (n->self);
    call_leave (n, outer);
  }
}

static void
pause_nodes (EveProgram *p)
{
  for (uint32_t r = p->n_order; r-- > 0;)
    sched_pause_node (p->order[r]);
}

void
eve_pause (EveProgram *p)
{
  if (p->mode != EVE_RUNNING)
    return;
  if (p->dirty && !p->calls)
    plan_make (p);
  p->mode = EVE_PAUSED;
  pause_nodes (p);
}

void
eve_reset (EveProgram *p)
{
  g_return_if_fail (!p->calls);
  if (p->mode == EVE_RUNNING)
    eve_pause (p);
  p->resting = false;
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    rest_forget (n);
    for (uint32_t k = 0; k < n->n_outs; k++) {
      EveOut *out = &n->outs[k];
      ring_clear (out);
      ring_free (out); /* also a grown one: afterwards all is as it was at first */
      out->head = out->low = out->freed = out->unseen = 0;
      for (uint32_t e = 0; e < out->n_edges; e++)
        out->edges[e]->read = out->edges[e]->next = out->edges[e]->wire->born = 0;
    }
    for (uint32_t k = 0; k < n->n_ins; k++) {
      in_clear (&n->ins[k]);
      in_kept_from_the_first (&n->ins[k]);
    }
    n->supply = NODE_SUPPLYING;
    n->end_done = n->slow = false;
    n->firings = 0;
    n->status[0] = 0;
    if (n->failure)
      g_string_free (g_steal_pointer (&n->failure), TRUE);
  }
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    fields_reset (n->klass->state, n->klass->n_state, n->self);
    if (n->klass->reset) {
      Outer outer = call_enter (n, CALL_RESET);
      n->klass->reset (n->self);
      call_leave (n, outer);
    }
  }
  eve_program_clear_failure (p);
  g_clear_pointer (&p->stall, g_free);
  p->mode = EVE_STOPPED;
  p->sweep = p->turn = p->burst_left = 0;
  plan_make (p); /* rings are there at once: what is emitted before the next round is not lost */
}

/* ---- failures -------------------------------------------------------------------------------------------------------------- */
void
sched_fail (Node *n)
{
  EveProgram *p = n->program;
  if (p->forgiving == n)
    return; /* who is stood in for tells it */
  if (p->failed && p->failed != n)
    return; /* the first one counts */
  p->failed = n;
  if (!p->failure)
    p->failure = g_string_new (NULL);
  g_string_printf (p->failure, "%s: %s", n->name, n->failure->str);
  if (p->mode == EVE_RUNNING) {
    p->mode = EVE_FAILED;
    pause_nodes (p);
  } else {
    p->mode = EVE_FAILED;
  }
}

void
eve_fail (EveComponent *c, const char *fmt, ...)
{
  Node *n = node_of (c);
  va_list args;
  va_start (args, fmt);
  g_autofree char *sentence = g_strdup_vprintf (fmt, args);
  va_end (args);
  if (!n->failure)
    n->failure = g_string_new (sentence);
  else {
    g_string_prepend (n->failure, ": ");
    g_string_prepend (n->failure, sentence);
  }
  LOG ("fail", 1, "%s: %s", n->name ? n->name : n->klass->id, n->failure->str);
  /* while it is made or set, the caller is told instead */
  if (n->in_call < CALL_OTHER && n->inited)
    sched_fail (n);
}

const char *
eve_program_failure (const EveProgram *p, EveComponent **who)
{
  if (who)
    *who = p->failed ? p->failed->self : NULL;
  return p->failed ? p->failure->str : NULL;
}

void
eve_program_clear_failure (EveProgram *p)
{
  for (guint i = 0; i < p->nodes->len; i++) {
    Node *n = p->nodes->pdata[i];
    if (n->failure)
      g_string_free (g_steal_pointer (&n->failure), TRUE);
  }
  if (p->failed) {
    p->failed = NULL;
    p->mode = EVE_PAUSED;
    p->dirty = true;
  }
}
