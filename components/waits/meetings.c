/* SPDX-License-Identifier: Apache-2.0 */
/* meetings.c - a rendezvous: who comes first waits for the other, be it to send or to receive.  Who has met whom is
 * known when one of both ends: as both have come by then, the other is the one who is there, and where several are
 * (each thread of a task has calls of its own) the number of the meeting tells, which both ends share. */
#include "components/waits/waits.h"

#define LASTS INT64_MAX
#define MOST_LOOKED_AT 4096
/* Keys of queues that no tag is: of the meetings of an object by their numbers. */
#define NUMBERED(n) (INT64_MIN / 2 + (n))

/* Half that is under way in a call, of a rendezvous over an object. */
static int64_t
half_in (const Waits *w, const WaitFrame *f, int64_t object, bool is_receive)
{
  int64_t n = 0;

  for (int64_t i = f->halves; waits_halves_use (w, i) && n++ < MOST_LOOKED_AT;) {
    const WaitHalf *h = waits_halves_at (w, i);
    if (h->meets == 1 + object && h->is_receive == is_receive && h->leave == LASTS)
      return i;
    i = h->in_frame;
  }
  return -1;
}

/* Who is there over an object, to meet this task, and has not met anybody: the one that came first; *n: how many are.
 */
static int64_t
who_is_there (const Waits *w, int64_t task, int64_t peer, int64_t object, bool receives, int *n)
{
  int64_t first = -1, seen = 0, at = table_find (&w->tasks, &peer);

  *n = 0;
  for (int64_t i = at >= 0 ? waits_tasks_at (w, at)->top : -1; waits_frames_use (w, i) && seen++ < MOST_LOOKED_AT;) {
    const WaitFrame *f = waits_frames_at (w, i);
    int64_t k = half_in (w, f, object, receives);
    const WaitHalf *h = k >= 0 ? waits_halves_at (w, k) : NULL;
    i = f->outer;
    if (!h || h->other >= 0 || h->peer != task)
      continue;
    ++*n;
    if (first < 0 || h->enter <= waits_halves_at (w, first)->enter)
      first = k;
  }
  return first;
}

int64_t
waits_there (const Waits *w, const WaitHalf *h)
{
  int n;
  int64_t i = who_is_there (w, h->task, h->peer, h->meets - 1, !h->is_receive, &n);

  return n == 1 ? i : -1;
}

void
waits_meet (Waits *w, const TraceEvent *e)
{
  bool is_receive = w->kinds[e->kind].acts & TRACE_ACT_RECEIVE;
  WaitHalf *h = waits_halves_at (w, waits_half (w, e, is_receive));

  h->meets = 1 + (int64_t) e->object;
  h->tag = -1;
}

/* 0: they did not meet; -1: nobody tells. */
static int64_t
waits_meetings_number_of (const Waits *w, const TraceEvent *e)
{
  const WaitsKind *k = &w->kinds[e->kind];
  TraceValue v = k->meeting >= 0 ? trace_value (e, (uint32_t) k->meeting) : (TraceValue){ .kind = TRACE_VALUE_NONE };

  return v.kind == TRACE_VALUE_INT ? v.i : -1;
}

/* Both have come now. */
static void
match_both (Waits *w, int64_t half, int64_t other, int64_t bytes)
{
  WaitHalf *h = waits_halves_at (w, half), *o = waits_halves_at (w, other);
  WaitHalf *receive = h->is_receive ? h : o;

  h->numbered = o->numbered = 0;
  receive->size = bytes;
  receive->date = MAX (h->enter, o->enter);
  waits_match (w, h->is_receive ? other : half, h->is_receive ? half : other, bytes);
}

/* Whom the number tells, or nobody yet. */
static int64_t
waits_meetings_numbered (Waits *w, const TraceEvent *e, int64_t half, bool is_receive, int64_t number)
{
  const int64_t key[] = { is_receive ? e->peer : e->task, is_receive ? e->task : e->peer, e->object,
                          NUMBERED (number) };
  int64_t other = waits_take_or_wait (w, key, is_receive, half);

  w->count[WAITS_NUMBERED] += other < 0 ? 1 : -1;
  waits_halves_at (w, half)->numbered = other < 0;
  return other;
}

void
waits_met (Waits *w, const TraceEvent *e, WaitFrame *f)
{
  bool is_receive = w->kinds[e->kind].acts & TRACE_ACT_RECEIVE;
  int64_t i = half_in (w, f, e->object, is_receive), number = -1, other;
  int n;

  if (i < 0 || e->peer == TRACE_NONE)
    return;
  if (waits_halves_at (w, i)->other < 0) {
    other = who_is_there (w, e->task, e->peer, e->object, !is_receive, &n);
    if (n != 1 || e->result < 0 || w->count[WAITS_NUMBERED] > 0)
      number = waits_meetings_number_of (w, e);
    if (e->result < 0 && number <= 0)
      return;
    const int64_t key[] = { is_receive ? e->peer : e->task, is_receive ? e->task : e->peer, e->object,
                            NUMBERED (number) };
    if (number > 0 && (n != 1 || table_find (&w->queues, key) >= 0))
      other = waits_meetings_numbered (w, e, i, is_receive, number);
    if (other >= 0)
      match_both (w, i, other, e->size);
  }
  const WaitHalf *h = waits_halves_at (w, i);
  if (waits_halves_use (w, h->other))
    ideal_stall (w, e->task, e->date, waits_halves_at (w, h->other)->ideal);
}

void
waits_listened (Waits *w, const TraceEvent *e, WaitFrame *f)
{
  int n;
  int64_t i = who_is_there (w, e->task, e->peer, e->object, false, &n), owned = f->owned;

  if (i < 0)
    return;
  const WaitHalf h = *waits_halves_at (w, i);
  ideal_stall (w, e->task, e->date, h.ideal);
  int64_t until = MIN (h.enter, e->date);
  if (until <= f->enter)
    return;
  const Wait one = { .kind = WAIT_LATE_SENDER,
                     .task = e->task,
                     .cause = e->peer,
                     .region = f->region,
                     .from = f->enter,
                     .ticks = waits_between (f->enter, until),
                     .leads = path_jump (w, waits_task (w, e->task), h.node, h.enter) };
  waits_add (w, &one, &owned);
  f->owned = owned;
}

void
waits_never_met (Waits *w, const WaitHalf *h, int64_t *owned)
{
  const Wait one = { .kind = WAIT_NEVER_MET,
                     .task = (uint32_t) h->task,
                     .cause = (uint32_t) h->peer,
                     .region = h->region,
                     .from = h->enter,
                     .ticks = waits_between (h->enter, h->leave),
                     .judged = true };

  if (one.ticks > 0)
    waits_add (w, &one, owned);
}
