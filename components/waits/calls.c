/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the calls and states that tasks are inside of: they are entered, and what ends them is found. */
#include "components/waits/hybrid.h"
#include "components/waits/waits.h"

#define MOST_FRAMES 4096 /* that an end is looked for in */

/* From the first state on that says when it runs its states alone tell, of what lies before too. */
static void
waits_calls_is_told (WaitTask *t)
{
  if (!t->told)
    t->useful = t->hybrid.useful = t->fork_useful = 0;
  t->told = true;
}

/* What most regions are not. */
static void
enters_seldom (Waits *w, WaitTask *t, WaitFrame *f, unsigned is)
{
  if (is & REGION_TOGETHER)
    order_enter (w, t, f);
  if (is & REGION_OF_RUNS)
    waits_calls_is_told (t);
  t->runs += (is & REGION_RUNS) != 0;
  if (is & REGION_ENDS && t->close == INT64_MAX) {
    t->close = f->enter;
    t->close_useful = t->useful;
    t->close_hybrid = hybrid_teams (w, t, f->enter, t->useful);
    t->close_ideal = ideal_now (w, t, f->enter).inner;
  }
  if (is & REGION_TEAM_BARRIER && t->team >= 0)
    waits_team_barrier (w, t);
}

static inline void
waits_calls_enter (Waits *w, const TraceEvent *e, int64_t region, int64_t key, int64_t thread, int64_t category)
{
  WaitTask *t = waits_task (w, e->task);

  if (G_UNLIKELY (t->thing))
    return;
  WaitLog *l = causes_log (w, t);
  int64_t i = waits_frames_take (w);
  WaitFrame *f = waits_frames_at (w, i);
  unsigned is = waits_region_is (w, region);

  *f = (WaitFrame){ .task = e->task,
                    .region = region,
                    .enter = e->date,
                    .key = key,
                    .outer = t->top,
                    .communicates = (is & REGION_COMMUNICATES) != 0,
                    .halves = -1,
                    .members = -1,
                    .owned = e->date,
                    .thread = thread,
                    .category = category,
                    .ordered = -1 };
  path_spend (w, t, l, waits_region_of (w, t), e->date);
  if (G_UNLIKELY (t->led_at != INT64_MAX))
    flows_enter (w, t, region, e->date);
  waits_change (t, e->date);
  t->top = i;
  if (f->communicates) {
    path_reach (w, t, l, e->date);
    if (G_UNLIKELY (!t->communicated))
      order_communicates (w, t);
  }
  waits_account (w, t, e->date);
  if (G_UNLIKELY (t->helps != HELPS_NOBODY))
    t->helps = t->helps == HELPS_UNKNOWN ? waits_helps (w, t, region) : HELPS_NOW;
  t->communicates += f->communicates;
  if (G_UNLIKELY (thread >= 0)) {
    t->threads = MAX (t->threads, thread);
    waits_thread_calls (w, t, thread, f->communicates, e->date);
  }
  if (G_UNLIKELY (is & REGION_SELDOM))
    enters_seldom (w, t, f, is);
}

void
waits_enter (Waits *w, const TraceEvent *e)
{
  waits_calls_enter (w, e, e->object, INT64_MIN, -1, STATE_ENTERED);
}

void
waits_enter_set (Waits *w, const TraceEvent *e)
{
  waits_calls_enter (w, e, e->object, INT64_MIN, -1, STATE_SET);
}

void
waits_enter_call (Waits *w, const TraceEvent *e, int64_t region)
{
  const WaitsKind *k = &w->kinds[e->kind];

  waits_calls_enter (w, e, region, (int64_t) e->record, k->threads ? e->tag : -1, k->category);
}

int64_t
waits_around (const Waits *w, const WaitFrame *f)
{
  int64_t i = f->outer, n = 0;

  while (waits_frames_use (w, i) && waits_frames_at (w, i)->thread != f->thread && n++ < MOST_FRAMES)
    i = waits_frames_at (w, i)->outer;
  return waits_frames_use (w, i) && waits_frames_at (w, i)->thread == f->thread ? i : -1;
}

/* It need not be the innermost: each thread of a task has calls of its own. */
static void
waits_calls_take_out (Waits *w, WaitTask *t, int64_t frame, int64_t outer)
{
  int64_t i = t->top, n = 0;

  if (G_LIKELY (i == frame)) {
    t->top = outer;
    return;
  }
  for (; waits_frames_use (w, i) && n++ < MOST_FRAMES; i = waits_frames_at (w, i)->outer)
    if (waits_frames_at (w, i)->outer == frame) {
      waits_frames_at (w, i)->outer = outer;
      return;
    }
}

/* What it was inside of has lasted until now. */
static inline void
calls_is_left (Waits *w, WaitTask *t, int64_t i, int64_t date)
{
  path_spend (w, t, causes_log (w, t), waits_region_of (w, t), date);
  waits_change (t, date);
  const WaitFrame *f = waits_frames_at (w, i);
  waits_calls_take_out (w, t, i, f->outer);
  if (G_UNLIKELY (f->owned > f->enter)) { /* what it waited is none of the call's around it */
    int64_t up = waits_around (w, f);
    WaitFrame *outside = up >= 0 ? waits_frames_at (w, up) : NULL;
    if (outside)
      outside->owned = MAX (outside->owned, f->owned);
  }
  waits_account (w, t, date);
  if (G_UNLIKELY (t->helps == HELPS_NOW && t->top < 0))
    t->helps = HELPS_LATER;
}

/* Something was done with others in it, or its region is one of those that most are not. */
static void
leave_more (Waits *w, WaitTask *t, int64_t i, int64_t date)
{
  const WaitFrame *f = waits_frames_at (w, i);
  const bool communicates = f->communicates;
  const int64_t thread = f->thread;
  const unsigned is = waits_region_is (w, f->region);
  const bool opens = communicates && (is & (REGION_SETS_UP | REGION_ENDS)) == REGION_SETS_UP;
  const bool runs = t->runs > 0 && is & REGION_RUNS;

  if (G_UNLIKELY (communicates && is & REGION_SETS_UP))
    t->setting_up += waits_counted (w, f->enter, date);
  if (G_UNLIKELY (communicates && is & REGION_TOGETHER))
    order_leave (w, t, f, date);
  if (f->halves >= 0 || f->members >= 0) {
    uint32_t task = (uint32_t) t->task;
    waits_leave (w, i, date);
    t = waits_task (w, task);
  }
  calls_is_left (w, t, i, date);
  t->communicates -= communicates && t->communicates > 0;
  if (G_UNLIKELY (thread >= 0))
    waits_thread_calls (w, t, thread, communicates ? -1 : 0, date);
  t->runs -= runs;
  if (G_UNLIKELY (opens)) {
    t->open = date;
    t->open_useful = t->useful;
    t->open_hybrid = hybrid_teams (w, t, date, t->useful);
    t->stalled.inner = 0;
  }
  waits_frames_drop (w, i);
}

static inline void
waits_calls_leave_frame (Waits *w, WaitTask *t, int64_t i, int64_t date)
{
  const WaitFrame *f = waits_frames_at (w, i);

  if (f->communicates || f->halves >= 0 || f->members >= 0 || f->thread >= 0 || t->runs > 0) {
    leave_more (w, t, i, date);
    return;
  }
  calls_is_left (w, t, i, date);
  waits_frames_drop (w, i);
}

void
waits_leave_innermost (Waits *w, WaitTask *t, int64_t date)
{
  if (waits_frames_use (w, t->top))
    waits_calls_leave_frame (w, t, t->top, date);
  else
    t->top = -1;
}

int64_t
waits_call_of_end (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  int64_t key = (int64_t) e->record, thread = k->threads ? e->tag : -1, found = -1, n = 0;
  int64_t phase = G_UNLIKELY (k->word >= 0) ? waits_region_of_call (w, e, k) : -1;

  for (int64_t i = waits_task (w, e->task)->top; waits_frames_use (w, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *f = waits_frames_at (w, i);
    if (f->key == key)
      return i;
    if ((k->apart || (e->flags & TRACE_OPEN && e->duration == 0)) && f->category == k->category && f->thread == thread
        && (found < 0 || (phase >= 0 && f->region == phase && waits_frames_at (w, found)->region != phase)))
      found = i;
    i = f->outer;
  }
  return found;
}

/* The innermost state ends, as in the state graph: calls end by themselves.  One that was set ends where nothing is
 * inside of it. */
void
waits_leave_state (Waits *w, const TraceEvent *e)
{
  WaitTask *t = waits_task (w, e->task);
  int64_t n = 0;

  for (int64_t i = t->top; waits_frames_use (w, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *f = waits_frames_at (w, i);
    if (G_LIKELY (f->category == STATE_ENTERED) || (f->category == STATE_SET && i == t->top)) {
      waits_calls_leave_frame (w, t, i, e->date);
      return;
    }
    i = f->outer;
  }
}

/* It alone ends, as in the state graph: what was begun in it goes on until its own end.  Where one ends as another
 * begins the end may come second, as in files whose records are in no order. */
void
waits_leave_call (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  int64_t i = waits_call_of_end (w, e, k);

  if (i >= 0)
    waits_calls_leave_frame (w, waits_task (w, e->task), i, e->date);
}
