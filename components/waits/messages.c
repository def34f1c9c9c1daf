/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c - matches sends with receives, and what members of a group do together; what each of them waited is known
 * when its call is over. */
#include <string.h>

#include "components/waits/waits.h"

#define LASTS INT64_MAX

/* The innermost call of a task; NULL: it is in none. */
static WaitFrame *
call_of (const Waits *w, const WaitTask *t)
{
  return table_uses (&w->frames, t->top) ? table_at (&w->frames, t->top) : NULL;
}

/* ---- messages --------------------------------------------------------------------------------------------------------------------- */

static int64_t
add_half (Waits *w, const TraceEvent *e, bool is_receive)
{
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = call_of (w, t);
  int64_t i = table_add (&w->halves, NULL);
  WaitHalf *h = table_at (&w->halves, i);

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
                   .done_node = -1,
                   .done = -1,
                   .kind = is_receive ? WAIT_LATE_SENDER : 1,
                   .node = -1 };
  h->posted = h->enter;
  h->node = path_at (w, t, h->enter);
  h->ideal = ideal_now (w, t, e->date);
  h->size = e->size;
  path_hold (w, h->node);
  if (f) {
    h->in_frame = f->halves;
    f->halves = i;
  }
  return i;
}

/* The oldest half of the other side that waits in the same queue; -1: none does. */
static int64_t
take_other (Waits *w, const int64_t *key)
{
  int64_t q = table_find (&w->queues, key), i;

  if (q < 0)
    return -1;
  WaitQueue *queue = table_at (&w->queues, q);
  i = queue->head;
  if (table_uses (&w->halves, i))
    queue->head = ((const WaitHalf *) table_at (&w->halves, i))->next;
  if (!table_uses (&w->halves, i) || queue->head < 0)
    table_drop (&w->queues, q);
  return table_uses (&w->halves, i) ? i : -1;
}

static void
wait_in_queue (Waits *w, const int64_t *key, int64_t half)
{
  int64_t q = table_find (&w->queues, key);

  if (q < 0) {
    q = table_add (&w->queues, key);
    ((WaitQueue *) table_at (&w->queues, q))->head = half;
  } else {
    ((WaitHalf *) table_at (&w->halves, ((const WaitQueue *) table_at (&w->queues, q))->tail))->next = half;
  }
  ((WaitQueue *) table_at (&w->queues, q))->tail = half;
}

/* What the task of a half waited in its call, which is over. */
static int64_t
waited (const WaitHalf *h, const WaitHalf *other)
{
  int64_t until = MIN (h->is_receive ? other->enter : other->posted, h->leave);

  if (!h->is_receive && (!h->kind || other->posted >= h->leave)) /* the send was not blocked */
    return 0;
  return h->enter < until ? waits_between (h->enter, until) : 0;
}

static void
add_wait (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, bool leads)
{
  const Wait one = { .kind = h->is_receive ? (WaitKind) h->kind : WAIT_LATE_RECEIVER,
                     .task = (uint32_t) h->task,
                     .cause = (uint32_t) other->task,
                     .region = h->region,
                     .from = h->enter,
                     .ticks = ticks,
                     .leads = leads };

  if (ticks > 0)
    waits_add (w, one.kind, &one);
  if (one.kind == WAIT_LATE_SENDER && ticks > 0)
    late_message (w, h, waits_counted (w, one.from, one.from + ticks));
}

static void
forget_if_done (Waits *w, int64_t i)
{
  const WaitHalf *h = table_at (&w->halves, i);
  int64_t k = h->other;

  if (!table_uses (&w->halves, k) || h->leave == LASTS || h->open)
    return;
  const WaitHalf *other = table_at (&w->halves, k);
  if (other->leave == LASTS || other->open)
    return;
  const int64_t held[] = { h->node, h->done_node, other->node, other->done_node };
  const int64_t dones[] = { h->done, other->done };
  for (size_t n = 0; n < G_N_ELEMENTS (held); n++)
    path_release (w, held[n]);
  for (size_t n = 0; n < G_N_ELEMENTS (dones); n++)
    if (table_uses (&w->dones, dones[n]) && --((WaitDone *) table_at (&w->dones, dones[n]))->sends <= 0)
      table_drop (&w->dones, dones[n]);
  table_drop (&w->halves, i);
  table_drop (&w->halves, k);
}

/* ---- a send that does not block is waited for in the call that completes it ------------------------------------------------ */

static int64_t
waited_done (const WaitHalf *h, const WaitHalf *other)
{
  if (h->done < 0)
    return 0;
  return h->done_enter < other->posted && other->posted < h->done_leave ? waits_between (h->done_enter, other->posted)
                                                                        : 0;
}

/* Of all sends that a call completes what it waited longest counts, once. */
static void
add_done (Waits *w, const WaitHalf *h, const WaitHalf *other, int64_t ticks, bool leads)
{
  WaitDone *d = table_uses (&w->dones, h->done) ? table_at (&w->dones, h->done) : NULL;
  int64_t before = d ? d->counted : 0;
  const Wait one = { .kind = WAIT_LATE_RECEIVER_DONE,
                     .task = (uint32_t) h->task,
                     .cause = (uint32_t) other->task,
                     .region = h->done_region,
                     .from = h->done_enter,
                     .ticks = ticks,
                     .before = before,
                     .leads = leads };

  if (ticks > before && d) {
    d->counted = ticks;
    waits_add (w, one.kind, &one);
  }
}

static int64_t
counted_before (const Waits *w, const WaitHalf *h)
{
  return table_uses (&w->dones, h->done) ? ((const WaitDone *) table_at (&w->dones, h->done))->counted : 0;
}

static void forget_if_done (Waits *w, int64_t i);

/* What sends share that are completed in a call. */
static int64_t
done_of (Waits *w, const WaitFrame *f)
{
  int64_t n = 0;

  for (int64_t i = f->halves; table_uses (&w->halves, i) && n++ <= w->halves.n;) {
    const WaitHalf *h = table_at (&w->halves, i);
    if (h->open && h->done_leave == LASTS && table_uses (&w->dones, h->done))
      return h->done;
    i = h->in_frame;
  }
  return table_add (&w->dones, NULL);
}

void
waits_sent (Waits *w, const TraceEvent *e)
{
  int64_t record = (int64_t) e->record, b = table_find (&w->begun, &record);
  int64_t i = b >= 0 ? ((const WaitBegun *) table_at (&w->begun, b))->half : -1;

  table_drop (&w->begun, b);
  if (!table_uses (&w->halves, i))
    return;
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = call_of (w, t);
  WaitHalf *h = table_at (&w->halves, i);
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
  h->done = done_of (w, f);
  ((WaitDone *) table_at (&w->dones, h->done))->sends++;
  h->in_frame = f->halves;
  f->halves = i;
}

/* Of all sends that a call completes the one that it waited for longest, once. */
static void
leave_done (Waits *w, const WaitFrame *f, int64_t date)
{
  int64_t best = -1, most = 0, n = 0;

  for (int64_t i = f->halves; table_uses (&w->halves, i) && n++ <= w->halves.n;) {
    WaitHalf *h = table_at (&w->halves, i);
    int64_t next = h->in_frame;
    if (h->open && h->done_leave == LASTS) {
      h->done_leave = date;
      h->open = 0;
      int64_t ticks = table_uses (&w->halves, h->other) ? waited_done (h, table_at (&w->halves, h->other)) : 0;
      if (ticks > most) {
        most = ticks;
        best = i;
      }
    }
    i = next;
  }
  if (best < 0)
    return;
  const WaitHalf h = *(const WaitHalf *) table_at (&w->halves, best);
  const WaitHalf other = *(const WaitHalf *) table_at (&w->halves, h.other);
  add_done (w, &h, &other, most, path_jump (w, waits_task (w, (uint32_t) h.task), other.node, other.posted));
}

/* A half whose call was over before the other one came. */
static void
late_wait (Waits *w, int64_t i)
{
  const WaitHalf h = *(const WaitHalf *) table_at (&w->halves, i);

  if (h.leave != LASTS && table_uses (&w->halves, h.other)) {
    const WaitHalf other = *(const WaitHalf *) table_at (&w->halves, h.other);
    int64_t ticks = waited (&h, &other);
    bool leads = ticks > 0 && !h.is_receive
                 && path_jump_late (w, waits_task (w, (uint32_t) h.task), h.node, h.region, other.node, other.posted);
    add_wait (w, &h, &other, ticks, leads);
    ticks = !h.is_receive && h.kind && !h.open ? waited_done (&h, &other) : 0;
    leads = ticks > 0 && counted_before (w, &h) == 0
            && path_jump_late (w, waits_task (w, (uint32_t) h.task), h.done_node, h.done_region, other.node,
                               other.posted);
    add_done (w, &h, &other, ticks, leads);
  }
}

static void
match (Waits *w, int64_t send, int64_t receive, int64_t bytes)
{
  WaitHalf *s = table_at (&w->halves, send), *r = table_at (&w->halves, receive);
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
  }
  from->sent++;
  waits_task (w, (uint32_t) r->task)->received++;
  late_wait (w, send);
  late_wait (w, receive);
  forget_if_done (w, send);
}

void
waits_send (Waits *w, const TraceEvent *e)
{
  int64_t key[] = { e->task, e->peer, e->object, e->tag, 1 };
  int64_t send = add_half (w, e, false), receive = take_other (w, key);

  if (!(e->flags & TRACE_INSTANT) && !(w->kinds[e->kind].acts & TRACE_ACT_CALL)) {
    int64_t record = (int64_t) e->record, b = table_find (&w->begun, &record);
    b = b < 0 ? table_add (&w->begun, &record) : b;
    WaitBegun *begun = table_at (&w->begun, b);
    begun->member = begun->node = -1;
    begun->half = send;
    ((WaitHalf *) table_at (&w->halves, send))->open = 1;
  }
  if (receive >= 0) {
    match (w, send, receive, e->size);
    return;
  }
  key[4] = 0;
  wait_in_queue (w, key, send);
}

void
waits_receive (Waits *w, const TraceEvent *e, const WaitBegun *begun)
{
  int64_t key[] = { e->peer, e->task, e->object, e->tag, 0 };
  int64_t receive = add_half (w, e, true), send = take_other (w, key);

  if (begun) {
    WaitHalf *h = table_at (&w->halves, receive);
    path_release (w, h->node);
    h->posted = begun->enter;
    h->node = begun->node;
  }
  if (send >= 0) {
    ideal_stall (w, e->task, e->date, ((const WaitHalf *) table_at (&w->halves, send))->ideal);
    match (w, send, receive, e->size);
    return;
  }
  key[4] = 1;
  wait_in_queue (w, key, receive);
}

/* Tags of what is no message, and which no message has. */
static int64_t
tag_of (int32_t what)
{
  return INT64_C (-1000) - what;
}

void
waits_tell (Waits *w, const TraceEvent *e, uint32_t to, int32_t what)
{
  int64_t key[] = { e->task, to, e->object, tag_of (what), 1 };
  int64_t send = add_half (w, e, false), receive = take_other (w, key);

  ((WaitHalf *) table_at (&w->halves, send))->kind = 0;
  if (receive >= 0) {
    match (w, send, receive, 0);
    return;
  }
  key[4] = 0;
  wait_in_queue (w, key, send);
}

void
waits_hear (Waits *w, const TraceEvent *e, uint32_t from, int32_t what, WaitKind kind)
{
  int64_t key[] = { from, e->task, e->object, tag_of (what), 0 };
  int64_t receive = add_half (w, e, true), send = take_other (w, key);

  ((WaitHalf *) table_at (&w->halves, receive))->kind = kind;
  if (send >= 0) {
    ideal_stall (w, e->task, e->date, ((const WaitHalf *) table_at (&w->halves, send))->ideal);
    match (w, send, receive, 0);
    return;
  }
  key[4] = 1;
  wait_in_queue (w, key, receive);
}

/* Of several messages that one call waits for, the one that it waited for longest; each send for itself. */
static void
leave_halves (Waits *w, const WaitFrame *f, int64_t date)
{
  int64_t best = -1, most = 0, next, n = 0;

  for (int64_t i = f->halves; table_uses (&w->halves, i) && n++ <= w->halves.n; i = next) {
    WaitHalf *h = table_at (&w->halves, i);
    next = h->in_frame;
    if (h->leave != LASTS) /* completed here */
      continue;
    h->leave = date;
    h->frame = -1;
    if (!table_uses (&w->halves, h->other))
      continue;
    const WaitHalf *other = table_at (&w->halves, h->other);
    int64_t ticks = waited (h, other);
    if (!h->is_receive) {
      const WaitHalf half = *h, other_half = *other;
      bool leads = ticks > 0 && path_jump (w, waits_task (w, (uint32_t) f->task), other_half.node, other_half.posted);
      add_wait (w, &half, &other_half, ticks, leads);
    } else if (ticks > most) {
      most = ticks;
      best = i;
    }
  }
  leave_done (w, f, date);
  if (best >= 0) {
    const WaitHalf h = *(const WaitHalf *) table_at (&w->halves, best);
    const WaitHalf other = *(const WaitHalf *) table_at (&w->halves, h.other);
    bool leads = other.enter <= date && path_jump (w, waits_task (w, (uint32_t) h.task), other.node, other.enter);
    add_wait (w, &h, &other, most, leads);
    if (h.kind == WAIT_LATE_SENDER)
      late_keep (w, &h, &other, most, date);
  }
}

/* Both ends of a message may be in one call: a row that was taken away still tells which is next. */
static void
forget_halves (Waits *w, int64_t first)
{
  int64_t n_rows = w->halves.n, next, n = 0;

  for (int64_t i = first; i >= 0 && i < n_rows && n++ <= n_rows; i = next) {
    next = ((const WaitHalf *) table_at (&w->halves, i))->in_frame;
    if (table_uses (&w->halves, i))
      forget_if_done (w, i);
  }
}

/* ---- what groups do together -------------------------------------------------------------------------------------------------------- */

void
waits_members (Waits *w, const TraceEvent *e)
{
  int64_t key = e->object, i = table_find (&w->groups, &key);
  uint32_t n = 0;

  trace_list (e, &n);
  i = i < 0 ? table_add (&w->groups, &key) : i;
  ((WaitGroup *) table_at (&w->groups, i))->size += n;
}

static int64_t
next_number (Waits *w, const TraceEvent *e)
{
  const int64_t key[] = { e->object, e->task };
  int64_t i = table_find (&w->counts, key);

  i = i < 0 ? table_add (&w->counts, key) : i;
  return ((WaitCount *) table_at (&w->counts, i))->n++;
}

static int64_t
instance_of (Waits *w, const TraceEvent *e, int64_t number, int64_t kind)
{
  int64_t group = e->object, key[] = { group, number };
  int64_t g = table_find (&w->groups, &group), i = table_find (&w->instances, key);

  if (i >= 0)
    return i;
  i = table_add (&w->instances, key);
  WaitInstance *n = table_at (&w->instances, i);
  n->kind = kind;
  n->root = e->peer;
  n->members = n->decisive = n->node = -1;
  n->size = g >= 0 ? ((const WaitGroup *) table_at (&w->groups, g))->size : -1;
  return i;
}

static TraceCollective
class_of (const Waits *w, const WaitInstance *n)
{
  return n->kind == KIND_TEAM                   ? TRACE_COLLECTIVE_BARRIER
         : n->kind >= 0 && n->kind < w->n_kinds ? (TraceCollective) w->kinds[n->kind].class
                                                : TRACE_COLLECTIVE_OTHER;
}

static WaitKind
kind_of (const Waits *w, const WaitInstance *n)
{
  static const WaitKind kinds[] = { [TRACE_COLLECTIVE_BARRIER] = WAIT_BARRIER,
                                    [TRACE_COLLECTIVE_ALL] = WAIT_ALL,
                                    [TRACE_COLLECTIVE_FROM_ROOT] = WAIT_LATE_ROOT,
                                    [TRACE_COLLECTIVE_TO_ROOT] = WAIT_EARLY_ROOT,
                                    [TRACE_COLLECTIVE_SCAN] = WAIT_SCAN };

  return n->kind == KIND_TEAM ? WAIT_TEAM : w->kinds[n->kind].window ? WAIT_FENCE : kinds[class_of (w, n)];
}

/* Whom the others wait for: the last to come, the root, or the first of all but the root. */
static void
decide (Waits *w, int64_t instance, const WaitTask *t, int64_t arrived)
{
  WaitInstance *n = table_at (&w->instances, instance);
  TraceCollective class = class_of (w, n);
  bool is_root = t->task == n->root, first = n->decisive < 0;
  bool better = arrived == n->decided_at            ? t->task < n->decisive
                : class == TRACE_COLLECTIVE_TO_ROOT ? arrived < n->decided_at
                                                    : arrived > n->decided_at;

  if (class == TRACE_COLLECTIVE_OTHER || class == TRACE_COLLECTIVE_SCAN
      || (class == TRACE_COLLECTIVE_FROM_ROOT && !is_root) || (class == TRACE_COLLECTIVE_TO_ROOT && is_root)
      || (!first && !better))
    return;
  int64_t before = n->node;
  n->decisive = t->task;
  n->decided_at = arrived;
  n->node = path_at (w, t, arrived);
  path_hold (w, n->node);
  path_release (w, before);
}

/* A member leaves: if it has waited, its critical path goes on from whom it waited for. */
static bool
follow (Waits *w, const WaitMember *m, int64_t date)
{
  if (!table_uses (&w->instances, m->instance))
    return false;
  const WaitInstance n = *(const WaitInstance *) table_at (&w->instances, m->instance);
  TraceCollective class = class_of (w, &n);
  bool known = class == TRACE_COLLECTIVE_FROM_ROOT || class == TRACE_COLLECTIVE_TO_ROOT ? n.decisive >= 0
                                                                                        : n.n_arrived >= n.size;
  bool waits = class == TRACE_COLLECTIVE_FROM_ROOT ? m->task != n.root
                                                   : class != TRACE_COLLECTIVE_TO_ROOT || m->task == n.root;

  return !n.bad && known && waits && n.node >= 0 && m->enter < n.decided_at && n.decided_at <= date
         && path_jump (w, waits_task (w, (uint32_t) m->task), n.node, n.decided_at);
}

/* A task begins the next operation of a group, in its innermost call or at `date`: a member of that. */
static int64_t
join (Waits *w, WaitTask *t, const TraceEvent *e, int64_t kind)
{
  const WaitFrame *f = call_of (w, t);
  int64_t arrived = f ? f->enter : e->date, number = next_number (w, e);
  int64_t instance = instance_of (w, e, number, kind), i = table_add (&w->members, NULL);
  WaitInstance *n = table_at (&w->instances, instance);

  *(WaitMember *) table_at (&w->members, i) = (WaitMember){ .task = e->task,
                                                            .instance = instance,
                                                            .frame = -1,
                                                            .region = -1,
                                                            .arrived = arrived,
                                                            .leave = LASTS,
                                                            .next = n->members,
                                                            .in_frame = -1 };
  n->members = i;
  n->n_arrived++;
  n->bad |= n->kind != kind;
  ideal_arrive (w, n, t, e->date);
  decide (w, instance, t, arrived);
  return i;
}

static void
begins (Waits *w, const TraceEvent *e)
{
  int64_t group = e->object, record = (int64_t) e->record;

  if (e->object == TRACE_NONE || table_find (&w->groups, &group) < 0) {
    w->count[WAITS_UNKNOWN]++;
    return;
  }
  int64_t i = join (w, waits_task (w, e->task), e, e->kind), b = table_find (&w->begun, &record);
  b = b < 0 ? table_add (&w->begun, &record) : b;
  WaitBegun *begun = table_at (&w->begun, b);
  begun->member = i;
  begun->node = begun->half = -1;
}

static void
wait_in_call (Waits *w, WaitTask *t, WaitFrame *f, int64_t i)
{
  WaitMember *m = table_at (&w->members, i);

  m->enter = f->enter;
  m->region = f->region;
  m->frame = t->top;
  m->in_frame = f->members;
  f->members = i;
}

void
waits_team_barrier (Waits *w, WaitTask *t)
{
  WaitFrame *f = call_of (w, t);
  const TraceEvent e = {
    .date = f->enter, .task = (uint32_t) t->task, .object = (uint32_t) t->team, .peer = TRACE_NONE
  };

  if (table_find (&w->groups, &t->team) >= 0)
    wait_in_call (w, t, f, join (w, t, &e, KIND_TEAM));
}

/* ---- the waits of an instance, when all have left it ---------------------------------------------------------------------------------- */

typedef struct Arrival {
  int64_t task, date;
} Arrival;

/* The member that the others wait for: the last to come, the root, or the first of all but the root. */
static Arrival
decisive (const Waits *w, const WaitInstance *n, TraceCollective class)
{
  Arrival a = { -1, 0 };
  int64_t k = 0;

  for (int64_t i = n->members; table_uses (&w->members, i) && k++ <= w->members.n;) {
    const WaitMember *m = table_at (&w->members, i);
    bool is_root = m->task == n->root, better;
    i = m->next;
    if (class == TRACE_COLLECTIVE_FROM_ROOT ? !is_root : class == TRACE_COLLECTIVE_TO_ROOT && is_root)
      continue;
    better = class == TRACE_COLLECTIVE_TO_ROOT ? m->arrived < a.date : m->arrived > a.date;
    if (a.task < 0 || better || (m->arrived == a.date && m->task < a.task))
      a = (Arrival){ m->task, m->arrived };
  }
  return a;
}

static void
waits_of (Waits *w, const WaitInstance *n, TraceCollective class)
{
  const WaitKind kind = kind_of (w, n);
  Arrival a = decisive (w, n, class);
  int64_t k = 0;

  for (int64_t i = n->members; a.task >= 0 && table_uses (&w->members, i) && k++ <= w->members.n;) {
    const WaitMember m = *(const WaitMember *) table_at (&w->members, i);
    int64_t until = MIN (a.date, m.leave);
    i = m.next;
    if (G_UNLIKELY (m.leave < a.date && (class == TRACE_COLLECTIVE_BARRIER || class == TRACE_COLLECTIVE_ALL))) {
      w->count[WAITS_LEFT_EARLY]++;
      waits_apart (w, waits_between (m.leave, a.date), m.task, a.task, m.region);
    }
    bool waits = class == TRACE_COLLECTIVE_FROM_ROOT ? m.task != n->root
                                                     : class != TRACE_COLLECTIVE_TO_ROOT || m.task == n->root;
    if (!waits || m.enter >= until)
      continue;
    const Wait one = { .kind = kind,
                       .task = (uint32_t) m.task,
                       .cause = (uint32_t) a.task,
                       .region = m.region,
                       .from = m.enter,
                       .ticks = waits_between (m.enter, until),
                       .leads = m.led != 0 };
    waits_add (w, one.kind, &one);
  }
}

static int
by_task (const void *a, const void *b)
{
  int64_t x = ((const WaitMember *) a)->task, y = ((const WaitMember *) b)->task;

  return (x > y) - (x < y);
}

/* Each waits for the last of those before it. */
static void
waits_of_scan (Waits *w, const WaitInstance *n)
{
  g_autofree WaitMember *all = g_new (WaitMember, MAX (n->n_arrived, 1));
  int64_t k = 0;

  for (int64_t i = n->members; table_uses (&w->members, i) && k < n->n_arrived; k++) {
    all[k] = *(const WaitMember *) table_at (&w->members, i);
    i = all[k].next;
  }
  qsort (all, (size_t) k, sizeof *all, by_task);
  for (int64_t i = 1, last = 0; i < k; i++) {
    int64_t until = MIN (all[last].arrived, all[i].leave);
    const Wait one = { .kind = WAIT_SCAN,
                       .task = (uint32_t) all[i].task,
                       .cause = (uint32_t) all[last].task,
                       .region = all[i].region,
                       .from = all[i].enter,
                       .ticks = waits_between (all[i].enter, until) };
    if (all[i].enter < until)
      waits_add (w, one.kind, &one);
    last = all[i].arrived > all[last].arrived ? i : last;
  }
}

static void
finish (Waits *w, int64_t instance)
{
  const WaitInstance n = *(const WaitInstance *) table_at (&w->instances, instance);
  TraceCollective class = class_of (w, &n);
  int64_t next, k = 0;

  w->count[WAITS_INSTANCES] += w->count[WAITS_LAST] >= w->from && w->count[WAITS_LAST] <= w->to;
  if (n.bad)
    w->count[WAITS_MISMATCHED]++;
  else if (class == TRACE_COLLECTIVE_SCAN)
    waits_of_scan (w, &n);
  else if (class != TRACE_COLLECTIVE_OTHER)
    waits_of (w, &n, class);
  for (int64_t i = n.members; table_uses (&w->members, i) && k++ <= w->members.n; i = next) {
    next = ((const WaitMember *) table_at (&w->members, i))->next;
    table_drop (&w->members, i);
  }
  path_release (w, n.node);
  table_drop (&w->instances, instance);
}

static void
leaves (Waits *w, int64_t instance)
{
  if (!table_uses (&w->instances, instance))
    return;
  WaitInstance *n = table_at (&w->instances, instance);
  n->n_left++;
  if (n->n_left >= n->size)
    finish (w, instance);
}

static void
ends (Waits *w, const TraceEvent *e)
{
  WaitTask *t = waits_task (w, e->task);
  WaitFrame *f = call_of (w, t);
  int64_t record = (int64_t) e->record, b = table_find (&w->begun, &record);
  int64_t i = b >= 0 ? ((const WaitBegun *) table_at (&w->begun, b))->member : -1;

  table_drop (&w->begun, b);
  if (!table_uses (&w->members, i))
    return;
  WaitMember *m = table_at (&w->members, i);
  if (f) {
    wait_in_call (w, t, f, i);
    return;
  }
  m->enter = m->arrived;
  m->region = -1;
  m->leave = e->date;
  leaves (w, m->instance);
}

void
waits_collective (Waits *w, const TraceEvent *e)
{
  if (!(e->flags & TRACE_END))
    begins (w, e);
  if (e->flags & (TRACE_END | TRACE_INSTANT))
    ends (w, e);
}

static void
leave_members (Waits *w, int64_t first, int64_t date)
{
  int64_t next, n = 0;

  for (int64_t i = first; table_uses (&w->members, i) && n++ <= w->members.n; i = next) {
    WaitMember *m = table_at (&w->members, i);
    int64_t instance = m->instance;
    next = m->in_frame;
    m->leave = date;
    m->frame = m->in_frame = -1;
    const WaitMember member = *m;
    bool led = follow (w, &member, date);
    ((WaitMember *) table_at (&w->members, i))->led = led;
    if (table_uses (&w->instances, instance)) {
      const WaitInstance n_now = *(const WaitInstance *) table_at (&w->instances, instance);
      ideal_leave (w, &n_now, class_of (w, &n_now), (uint32_t) member.task, date);
    }
    leaves (w, instance);
  }
}

void
waits_leave (Waits *w, int64_t frame, int64_t date)
{
  const WaitFrame f = *(const WaitFrame *) table_at (&w->frames, frame);

  if (G_LIKELY (f.halves < 0 && f.members < 0))
    return;
  int64_t chain = f.halves;
  leave_halves (w, &f, date);
  forget_halves (w, chain);
  leave_members (w, f.members, date);
}
