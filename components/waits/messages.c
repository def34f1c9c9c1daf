/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c - matches sends with receives; what each of them waited is known when its call is over, and whose that
 * time is. */
#include <string.h>

#include "components/waits/waits.h"

#define LASTS INT64_MAX
#define NOT_DONE INT64_C (-2) /* a region: no call completes it yet */

/* ---- messages --------------------------------------------------------------------------------------------------------------------- */

int64_t
waits_half (Waits *w, const TraceEvent *e, bool is_receive)
{
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = waits_call (w, t);
  int64_t i = waits_halves_take (w);
  WaitHalf *h = waits_halves_at (w, i);
  const WaitsKind *k = &w->kinds[e->kind];
  bool goes_on = k->flows && !(f && waits_region_is (w, f->region) & REGION_COMMUNICATES);

  *h = (WaitHalf){ .task = e->task,
                   .peer = e->peer,
                   .tag = e->tag,
                   .is_receive = is_receive,
                   .frame = f ? t->top : -1,
                   .region = f ? f->region : -1,
                   .enter = f ? f->enter : e->date,
                   .leave = f ? LASTS : e->date,
                   .date = e->date,
                   .other = -1,
                   .next = -1,
                   .in_frame = -1,
                   .done_region = NOT_DONE,
                   .done_node = -1,
                   .share = -1,
                   .done = -1,
                   .kind = is_receive ? WAIT_LATE_SENDER : 1,
                   .lets = goes_on ? -1 : k->lets,
                   .node = -1 };
  if (!is_receive && h->lets == WAIT_DEVICE) /* what it does is done now, whenever it began */
    h->enter = e->date;
  bool in_none = !f && !(is_receive && k->flows); /* the path up to it does not end where a call begins */
  bool by_itself = in_none || (!is_receive && (goes_on || h->lets == WAIT_DEVICE));
  if (t->communicates == 0 && t->first <= t->last && by_itself) {
    WaitLog *l = causes_log (w, t);
    path_spend (w, t, l, waits_region_of (w, t), e->date);
    path_reach (w, t, l, e->date);
  }
  h->posted = h->enter;
  h->node = path_at (w, t, goes_on && !is_receive ? e->date : h->enter);
  h->ideal = ideal_now (w, t, e->date);
  h->size = e->size;
  path_hold (w, h->node);
  if (f) {
    h->in_frame = f->halves;
    f->halves = i;
  }
  return i;
}

/* The oldest half of the other side that waits in the same queue; -1: none does, and this one waits there now, if it is
 * one (-1: it waits for nobody). */
int64_t
waits_take_or_wait (Waits *w, const int64_t *key, bool is_receive, int64_t half)
{
  bool is_new;

  if (half < 0 && table_find (&w->queues, key) < 0)
    return -1;
  int64_t q = table_find_or_add (&w->queues, key, &is_new);
  WaitQueue *queue = waits_queues_at (w, q);

  if (!is_new && queue->is_receive != is_receive) {
    int64_t i = queue->head;
    is_new = !waits_halves_use (w, i);
    queue->head = is_new ? -1 : waits_halves_at (w, i)->next;
    if (!is_new && queue->head < 0)
      table_drop (&w->queues, q);
    if (!is_new)
      return i;
  }
  if (half < 0)
    return -1;
  queue->is_receive = is_receive;
  if (is_new)
    queue->head = half;
  else if (waits_halves_use (w, queue->tail))
    waits_halves_at (w, queue->tail)->next = half;
  queue->tail = half;
  return -1;
}

/* What the task of a half waited in its call, which is over. */
static int64_t
waited (const WaitHalf *h, const WaitHalf *other)
{
  int64_t until = MIN (h->is_receive ? other->enter : other->posted, h->leave);

  if (h->lets < 0)
    return 0;
  /* The send was not blocked; that of a rendezvous was, even if it ends at the very date at which the other comes. */
  if (!h->is_receive && (!h->kind || other->posted > h->leave || (!h->meets && other->posted == h->leave)))
    return 0;
  return h->enter < until ? waits_between (h->enter, until) : 0;
}

static void
add_wait (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, bool leads, int64_t *owned)
{
  bool lets = h->is_receive && h->kind == WAIT_LATE_SENDER && other->lets >= 0 && other->lets < N_WAITS;
  const Wait one = { .kind = lets            ? (WaitKind) other->lets
                             : h->is_receive ? (WaitKind) h->kind
                                             : WAIT_LATE_RECEIVER,
                     .task = (uint32_t) h->task,
                     .cause = (uint32_t) other->task,
                     .region = h->region,
                     .from = h->enter,
                     .ticks = ticks,
                     .leads = leads };

  if (ticks > 0)
    waits_add (w, &one, owned);
  if (one.kind == WAIT_LATE_SENDER && ticks > 0)
    late_message (w, h, waits_counted (w, one.from, one.from + ticks));
}

/* ---- what is shared by the operations of a call that is over ------------------------------------------------------------------ */

static WaitShare *
share_at (const Waits *w, int64_t i)
{
  return waits_shares_use (w, i) ? waits_shares_at (w, i) : NULL;
}

void
waits_share_release (Waits *w, int64_t i)
{
  WaitShare *s = share_at (w, i);

  if (!s || --s->holders > 0)
    return;
  path_release (w, s->node);
  waits_shares_drop (w, i);
}

int64_t
waits_owned (const Waits *w, int64_t share, int64_t enter)
{
  const WaitShare *s = share_at (w, share);

  return s ? s->owned : enter;
}

void
waits_own (Waits *w, int64_t share, int64_t owned)
{
  WaitShare *s = share_at (w, share);

  if (s)
    s->owned = owned;
}

static void
forget_if_done (Waits *w, int64_t i)
{
  const WaitHalf *h = waits_halves_at (w, i);
  int64_t k = h->other;

  if ((h->asked || (h->meets && !h->numbered)) && k < 0 && h->leave != LASTS) { /* nobody came */
    path_release (w, h->node);
    waits_halves_drop (w, i);
    return;
  }
  if (!waits_halves_use (w, k) || h->leave == LASTS || h->open)
    return;
  const WaitHalf *other = waits_halves_at (w, k);
  if (other->leave == LASTS || other->open)
    return;
  const int64_t held[] = { h->node, h->done_node, other->node, other->done_node };
  const int64_t shares[] = { h->share, h->done, other->share, other->done };
  for (size_t n = 0; n < G_N_ELEMENTS (held); n++)
    path_release (w, held[n]);
  for (size_t n = 0; n < G_N_ELEMENTS (shares); n++)
    waits_share_release (w, shares[n]);
  waits_halves_drop (w, i);
  waits_halves_drop (w, k);
}

/* ---- a send that does not block is waited for in the call that completes it ------------------------------------------------ */

static int64_t
waited_done (const WaitHalf *h, const WaitHalf *other)
{
  if (h->done_region == NOT_DONE)
    return 0;
  return h->done_enter < other->posted && other->posted < h->done_leave ? waits_between (h->done_enter, other->posted)
                                                                        : 0;
}

/* Of all sends that a call completes what it waited longest counts, once; `before`: what it is known to have waited. */
static void
add_done (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, int64_t before, bool leads, int64_t *owned)
{
  const Wait one = { .kind = WAIT_LATE_RECEIVER_DONE,
                     .task = (uint32_t) h->task,
                     .cause = (uint32_t) other->task,
                     .region = h->done_region,
                     .from = h->done_enter,
                     .ticks = ticks,
                     .before = before,
                     .leads = leads };

  if (ticks > before)
    waits_add (w, &one, owned);
}

void
waits_sent (Waits *w, const TraceEvent *e)
{
  int64_t record = (int64_t) e->record, b = table_find (&w->begun, &record);
  int64_t i = b >= 0 ? waits_begun_at (w, b)->half : -1;

  table_drop (&w->begun, b);
  if (!waits_halves_use (w, i))
    return;
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = waits_call (w, t);
  WaitHalf *h = waits_halves_at (w, i);
  if (!f || h->leave == LASTS || h->task != e->task || e->result < 0) { /* in the call that began it */
    h->open = 0;
    forget_if_done (w, i);
    return;
  }
  h->done_enter = f->enter;
  h->done_leave = LASTS;
  h->done_region = f->region;
  h->done_node = path_at (w, t, f->enter);
  path_hold (w, h->done_node);
  h->in_frame = f->halves;
  f->halves = i;
}

/* The critical path goes on from whom a call that is over has waited for until `other` asked, if that ends last of all
 * that it waited for.  `node`: the path before the call. */
static bool
follow_late (Waits *w, WaitTask *t, int64_t share, int64_t node, int64_t enter, int64_t region, const WaitHalf *other)
{
  WaitShare *s = share_at (w, share);
  bool went_on = s && s->node >= 0;

  if (!went_on && waits_owned (w, share, enter) > enter)
    return false;
  int64_t on = path_jump_late (w, t, went_on ? s->node : node, region, other->node, other->posted);
  if (on < 0)
    return false;
  if (!s) {
    path_release (w, on);
    return true;
  }
  path_release (w, s->node);
  s->node = on;
  return true;
}

/* A half whose call was over before the other one came: of what it waited it owns what nothing else does. */
static void
late_wait (Waits *w, int64_t i)
{
  const WaitHalf h = *waits_halves_at (w, i);

  if (h.leave == LASTS || !waits_halves_use (w, h.other))
    return;
  const WaitHalf other = *waits_halves_at (w, h.other);
  WaitTask *t = waits_task (w, (uint32_t) h.task);
  int64_t ticks = waited (&h, &other), owned = waits_owned (w, h.share, h.enter);
  bool leads = ticks > 0 && (!h.is_receive || h.meets)
               && follow_late (w, t, h.share, h.node, h.enter, h.region, &other);
  add_wait (w, &h, &other, ticks, leads, &owned);
  waits_own (w, h.share, owned);
  ticks = !h.is_receive && h.kind && !h.open ? waited_done (&h, &other) : 0;
  if (ticks <= 0)
    return;
  owned = waits_owned (w, h.done, h.done_enter);
  leads = follow_late (w, t, h.done, h.done_node, h.done_enter, h.done_region, &other);
  WaitShare *s = share_at (w, h.done);
  add_done (w, &h, &other, ticks, s ? s->done : 0, leads, &owned);
  if (s)
    s->done = MAX (s->done, ticks);
  waits_own (w, h.done, owned);
}

void
waits_match (Waits *w, int64_t send, int64_t receive, int64_t bytes)
{
  WaitHalf *s = waits_halves_at (w, send), *r = waits_halves_at (w, receive);
  bool is_message = s->kind;

  s->other = receive;
  r->other = send;
  if (!is_message) {
    late_wait (w, receive);
    forget_if_done (w, send);
    return;
  }
  late_order (w, s, r);
  WaitTask *from = waits_task (w, (uint32_t) s->task);
  bool counted = r->date >= w->from && r->date <= w->to;
  w->count[WAITS_MESSAGES] += counted;
  w->count[WAITS_BYTES] += counted ? bytes : 0;
  if (G_UNLIKELY (r->date < s->enter)) {
    w->count[WAITS_BACKWARD]++;
    waits_apart (w, waits_between (r->date, s->enter), r->task, s->task, r->region);
  } else if (G_UNLIKELY (s->meets && MIN (s->leave, r->leave) < r->date)) { /* one of both left before the other came */
    const WaitHalf *early = s->leave < r->leave ? s : r, *late = s->leave < r->leave ? r : s;
    w->count[WAITS_BACKWARD]++;
    waits_apart (w, waits_between (early->leave, r->date), early->task, late->task, late->region);
  }
  const int64_t one = s->task, another = r->task;
  from->sent++;
  waits_task (w, (uint32_t) another)->received++;
  late_wait (w, send);
  late_wait (w, receive);
  causes_met (w, one, another, w->count[WAITS_LAST]);
  forget_if_done (w, send);
}

void
waits_send (Waits *w, const TraceEvent *e)
{
  const TraceQueue q = trace_queue (&w->queued, e, e->task, e->peer);
  const int64_t key[] = { q.from, q.to, q.object, q.tag };
  int64_t send = waits_half (w, e, false), receive = waits_take_or_wait (w, key, false, send);

  if (!(e->flags & TRACE_INSTANT) && !(w->kinds[e->kind].acts & TRACE_ACT_CALL)) {
    int64_t record = (int64_t) e->record, b = table_find_or_add (&w->begun, &record, NULL);
    WaitBegun *begun = waits_begun_at (w, b);
    begun->member = begun->node = -1;
    begun->half = send;
    waits_halves_at (w, send)->open = 1;
  }
  if (receive >= 0)
    waits_match (w, send, receive, e->size);
}

void
waits_receive (Waits *w, const TraceEvent *e, const WaitBegun *begun)
{
  const TraceQueue q = trace_queue (&w->queued, e, e->peer, e->task);
  const int64_t key[] = { q.from, q.to, q.object, q.tag };
  bool waits = !trace_knows_early (w->source) || trace_is_early (w->source, e, NULL);
  bool lost = trace_has_no_send (w->source, e);
  w->count[WAITS_UNSENT] += lost;
  int64_t receive = waits_half (w, e, true);
  int64_t send = lost ? -1 : waits_take_or_wait (w, key, true, waits ? receive : -1);

  if (begun) {
    WaitHalf *h = waits_halves_at (w, receive);
    path_release (w, h->node);
    h->posted = begun->enter;
    h->node = begun->node;
  }
  if (send >= 0) {
    ideal_stall (w, e->task, e->date, waits_halves_at (w, send)->ideal);
    if (waits_halves_at (w, receive)->lets < 0)
      flows_come (w, e, send);
    waits_match (w, send, receive, e->size);
  }
}

/* Tags of what is no message, and which no message has. */
static int64_t
waits_messages_tag_of (int32_t what)
{
  return INT64_C (-1000) - what;
}

void
waits_tell (Waits *w, const TraceEvent *e, uint32_t to, int32_t what)
{
  const int64_t key[] = { e->task, to, e->object, waits_messages_tag_of (what) };
  int64_t send = waits_half (w, e, false), receive = waits_take_or_wait (w, key, false, send);

  waits_halves_at (w, send)->kind = 0;
  if (receive >= 0)
    waits_match (w, send, receive, 0);
}

void
waits_hear (Waits *w, const TraceEvent *e, uint32_t from, int32_t what, WaitKind kind)
{
  const int64_t key[] = { from, e->task, e->object, waits_messages_tag_of (what) };
  int64_t receive = waits_half (w, e, true), send = waits_take_or_wait (w, key, true, receive);

  waits_halves_at (w, receive)->kind = kind;
  if (send >= 0) {
    ideal_stall (w, e->task, e->date, waits_halves_at (w, send)->ideal);
    waits_match (w, send, receive, 0);
  }
}

/* ---- a call ends ------------------------------------------------------------------------------------------------------------------ */

typedef struct Known {         /* what of a call's messages is known when it ends */
  int64_t receive, done, send; /* halves, or -1: of receives, and of sends that it completes, those that it waited for
                                  longest; the send that it waited for longest */
  int64_t receive_ticks, done_ticks, send_ticks;
  int64_t n_sends;      /* that waited */
  int64_t leads;        /* the half from which its critical path went on, or -1 */
  int64_t unknown;      /* operations that may turn out to have waited */
  int64_t unknown_done; /* those of them that it completes */
} Known;

static bool
is_done (const WaitHalf *h) /* in the chain of the call that completes it */
{
  return h->done_region != NOT_DONE;
}

/* In the chain of a call that it is over with. */
static bool
messages_is_over (const WaitHalf *h)
{
  return is_done (h) ? !h->open || h->done_leave != LASTS : h->leave != LASTS;
}

/* What its task waited in the call, if the other one has come. */
static void
know_half (const Waits *w, const WaitHalf *h, int64_t i, Known *k)
{
  const WaitHalf *other = waits_halves_at (w, h->other);
  bool done = is_done (h);
  int64_t ticks = done ? waited_done (h, other) : waited (h, other);
  int64_t *best = done            ? &k->done
                  : h->is_receive ? &k->receive
                                  : &k->send,
          *most = done            ? &k->done_ticks
                  : h->is_receive ? &k->receive_ticks
                                  : &k->send_ticks;
  k->n_sends += !done && !h->is_receive && ticks > 0;
  if (ticks > *most) {
    *most = ticks;
    *best = i;
  }
}

static void
leave_half (Waits *w, WaitFrame *f, int64_t i, int64_t date, Known *k)
{
  WaitHalf *h = waits_halves_at (w, i);
  bool done = is_done (h);

  if (messages_is_over (h))
    return;
  *(done ? &h->done_leave : &h->leave) = date;
  if (done)
    h->open = 0;
  else
    h->frame = -1;
  if ((!h->is_receive && !h->kind) || h->asked)
    return;
  if (h->meets && h->other < 0 && !h->numbered) {
    waits_never_met (w, h, &f->owned);
    return;
  }
  if (!waits_halves_use (w, h->other)) {
    k->unknown++;
    k->unknown_done += done;
    return;
  }
  know_half (w, h, i, k);
}

static void
waits_messages_add_known (Waits *w, WaitFrame *f, int64_t i, bool leads)
{
  if (!waits_halves_use (w, i))
    return;
  const WaitHalf h = *waits_halves_at (w, i);
  const WaitHalf other = *waits_halves_at (w, h.other);
  int64_t owned = f->owned;
  if (is_done (&h))
    add_done (w, &h, &other, waited_done (&h, &other), 0, leads, &owned);
  else
    add_wait (w, &h, &other, waited (&h, &other), leads, &owned);
  f->owned = owned;
}

/* Of all that a call is known to have waited for what came last owns its wait, but up to where the critical path went
 * on; the rest is counted by itself. */
static void
add_all_known (Waits *w, WaitFrame *f, const Known *k)
{
  int64_t most = MAX (MAX (k->send_ticks, k->done_ticks), k->receive_ticks);
  int64_t owner = k->receive_ticks == most ? k->receive : k->done_ticks == most ? k->done : k->send;

  if (owner < 0)
    return;
  if (k->leads >= 0 && k->leads != owner)
    waits_messages_add_known (w, f, k->leads, true);
  waits_messages_add_known (w, f, owner, k->leads == owner);
  if (k->done != owner && k->done != k->leads)
    waits_messages_add_known (w, f, k->done, false);
  if (k->receive != owner && k->receive != k->leads)
    waits_messages_add_known (w, f, k->receive, false);
  int64_t n = 0;
  for (int64_t i = f->halves; k->n_sends > 0 && waits_halves_use (w, i) && n++ <= w->halves.n;) {
    const WaitHalf *h = waits_halves_at (w, i);
    int64_t next = h->in_frame;
    if (!is_done (h) && !h->is_receive && i != owner && i != k->leads && waits_halves_use (w, h->other)
        && waited (h, waits_halves_at (w, h->other)) > 0)
      waits_messages_add_known (w, f, i, false);
    i = next;
  }
}

void
waits_count_open (Waits *w, WaitFrame *f)
{
  Known k = { .receive = -1, .done = -1, .send = -1, .leads = -1 };
  int64_t n = 0;

  for (int64_t i = f->halves; waits_halves_use (w, i) && n++ <= w->halves.n;) {
    const WaitHalf *h = waits_halves_at (w, i);
    if (!messages_is_over (h) && (h->is_receive || h->kind) && !h->asked && waits_halves_use (w, h->other))
      know_half (w, h, i, &k);
    i = h->in_frame;
  }
  add_all_known (w, f, &k);
}

static const WaitHalf *
other_of (const Waits *w, int64_t half)
{
  return half < 0 ? NULL : waits_halves_at (w, waits_halves_at (w, half)->other);
}

static Known
leave_halves (Waits *w, WaitFrame *f, int64_t date)
{
  Known k = { .receive = -1, .done = -1, .send = -1, .leads = -1 };
  WaitTask *t = waits_task (w, (uint32_t) f->task);
  int64_t n_rows = w->halves.n, next, n = 0;

  for (int64_t i = f->halves; waits_halves_use (w, i) && n++ <= n_rows; i = next) {
    next = waits_halves_at (w, i)->in_frame;
    leave_half (w, f, i, date, &k);
  }
  /* Of a message that it needs and one that it sent, both until the same date, it has waited for the former. */
  const WaitHalf *r = other_of (w, k.receive);
  if (r && r->enter <= date && path_jump (w, t, r->node, r->enter))
    k.leads = k.receive;
  const WaitHalf *d = other_of (w, k.done);
  if (d && path_jump (w, t, d->node, d->posted))
    k.leads = k.done;
  const WaitHalf *s = other_of (w, k.send);
  if (s && path_jump (w, t, s->node, s->posted))
    k.leads = k.send;
  add_all_known (w, f, &k);
  if (k.receive >= 0) {
    const WaitHalf h = *waits_halves_at (w, k.receive);
    const WaitHalf other = *waits_halves_at (w, h.other);
    if (h.kind == WAIT_LATE_SENDER && other.lets == WAIT_LATE_SENDER)
      late_keep (w, &h, &other, k.receive_ticks, date);
  }
  return k;
}

/* What may turn out to have waited shares the time that nothing owns yet. */
static void
share_the_rest (Waits *w, WaitFrame *f, int64_t date, const Known *k)
{
  int64_t unknown = k->unknown, n = 0;

  for (int64_t i = f->members; waits_members_use (w, i) && n++ <= w->members.n;) {
    const WaitMember *m = waits_members_at (w, i);
    unknown += !m->known;
    i = m->in_frame;
  }
  if (unknown == 0 || (unknown < 2 && f->owned <= f->enter))
    return;
  int64_t share = table_add (&w->shares, NULL);
  WaitShare *s = waits_shares_at (w, share);
  s->owned = f->owned;
  s->done = k->done_ticks;
  s->node = path_jumped (w, waits_task (w, (uint32_t) f->task), f->enter);
  path_hold (w, s->node);
  n = 0;
  for (int64_t i = f->halves; waits_halves_use (w, i) && n++ <= w->halves.n;) {
    WaitHalf *h = waits_halves_at (w, i);
    bool done = is_done (h), waits = h->is_receive || h->kind;
    i = h->in_frame;
    if (waits_halves_use (w, h->other) || !waits || (done ? h->done_leave : h->leave) != date)
      continue;
    *(done ? &h->done : &h->share) = share;
    s->holders++;
  }
  n = 0;
  for (int64_t i = f->members; waits_members_use (w, i) && n++ <= w->members.n;) {
    WaitMember *m = waits_members_at (w, i);
    i = m->in_frame;
    if (m->known)
      continue;
    m->share = share;
    s->holders++;
  }
}

/* Both ends of a message may be in one call: a row that was taken away still tells which is next.  What stays is in no
 * frame any more: its neighbours may go before it does. */
static void
forget_halves (Waits *w, int64_t first)
{
  int64_t n_rows = w->halves.n, next, n = 0;

  for (int64_t i = first; i >= 0 && i < n_rows && n++ <= n_rows; i = next) {
    next = waits_halves_at (w, i)->in_frame;
    if (!waits_halves_use (w, i))
      continue;
    waits_halves_at (w, i)->in_frame = -1;
    forget_if_done (w, i);
  }
}

/* All that is done in a frame is over with it; `k`: what is known of its messages. */
static void
leave_members (Waits *w, WaitFrame *f, int64_t date, const Known *k)
{
  int64_t n_rows = w->members.n, next, n = 0;

  for (int64_t i = f->members; waits_members_use (w, i) && n++ <= n_rows; i = next) {
    next = waits_members_at (w, i)->in_frame;
    waits_leave_member (w, f, i, date);
  }
  share_the_rest (w, f, date, k);
  n = 0;
  /* With the last member its operation is over and all of its rows go, maybe some of this call too. */
  for (int64_t i = f->members; i >= 0 && i < n_rows && n++ <= n_rows; i = next) {
    next = waits_members_at (w, i)->in_frame;
    if (waits_members_use (w, i))
      waits_member_left (w, i, date);
  }
}

void
waits_leave (Waits *w, int64_t frame, int64_t date)
{
  WaitFrame f = *waits_frames_at (w, frame);

  Known k = leave_halves (w, &f, date);
  leave_members (w, &f, date, &k);
  forget_halves (w, f.halves);
  waits_frames_at (w, frame)->owned = f.owned;
}
