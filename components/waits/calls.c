/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - the calls and states that tasks are inside of: they are entered, and what ends them is found. */
#include "components/waits/waits.h"

#define MOST_FRAMES 4096 /* that an end is looked for in */

/* From the first state on that says when it runs its states alone tell, of what lies before too. */
static void
waits_calls_is_told (WaitTask *t)
{
  if (!t->told)
    t->useful = 0;
  t->told = true;
}

void
waits_enter (Waits *w, const TraceEvent *e, int64_t region, int64_t key)
{
  WaitTask *t = waits_task (w, e->task);

  if (G_UNLIKELY (t->thing))
    return;
  int64_t i = table_take (&w->frames);
  WaitFrame *f = table_at (&w->frames, i);

  *f = (WaitFrame){ .task = e->task,
                    .region = region,
                    .enter = e->date,
                    .key = key,
                    .outer = t->top,
                    .halves = -1,
                    .members = -1,
                    .owned = e->date,
                    .thread = key != INT64_MIN && w->kinds[e->kind].threads ? e->tag : -1,
                    .category = key != INT64_MIN                         ? w->kinds[e->kind].category
                                : w->kinds[e->kind].acts & TRACE_ACT_SET ? STATE_SET
                                                                         : STATE_ENTERED,
                    .ordered = -1 };
  t->threads = MAX (t->threads, f->thread);
  unsigned is = waits_region_is (w, region);
  f->communicates = (is & REGION_COMMUNICATES) != 0;
  path_spend (w, t, waits_region_of (w, t), e->date);
  if (G_UNLIKELY (t->led_at != INT64_MAX))
    flows_enter (w, t, region, e->date);
  waits_change (t, e->date);
  t->top = i;
  if (f->communicates)
    path_reach (w, t, e->date);
  if (G_UNLIKELY (f->communicates && !t->communicated))
    order_communicates (w, t);
  if (G_UNLIKELY (is & REGION_TOGETHER))
    order_enter (w, t, f);
  waits_account (w, t, e->date);
  if (G_UNLIKELY (is & REGION_OF_RUNS))
    waits_calls_is_told (t);
  t->communicates += f->communicates;
  if (G_UNLIKELY (f->thread >= 0))
    waits_thread_calls (w, t, f->thread, f->communicates, e->date);
  t->runs += (is & REGION_RUNS) != 0;
  if (G_UNLIKELY (is & REGION_ENDS && t->close == INT64_MAX)) {
    t->close = e->date;
    t->close_useful = t->useful;
    t->close_ideal = ideal_now (w, t, e->date).inner;
  }
  if (G_UNLIKELY (is & REGION_TEAM_BARRIER && t->team >= 0))
    waits_team_barrier (w, t);
}

int64_t
waits_around (const Waits *w, const WaitFrame *f)
{
  int64_t i = f->outer, n = 0;

  while (table_uses (&w->frames, i) && ((const WaitFrame *) table_at (&w->frames, i))->thread != f->thread
         && n++ < MOST_FRAMES)
    i = ((const WaitFrame *) table_at (&w->frames, i))->outer;
  return table_uses (&w->frames, i) && ((const WaitFrame *) table_at (&w->frames, i))->thread == f->thread ? i : -1;
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
  for (; table_uses (&w->frames, i) && n++ < MOST_FRAMES; i = ((const WaitFrame *) table_at (&w->frames, i))->outer)
    if (((const WaitFrame *) table_at (&w->frames, i))->outer == frame) {
      ((WaitFrame *) table_at (&w->frames, i))->outer = outer;
      return;
    }
}

static void
waits_calls_leave_frame (Waits *w, WaitTask *t, int64_t i, int64_t date)
{
  const WaitFrame *f = table_at (&w->frames, i);
  int64_t outer = f->outer, communicates = f->communicates;
  unsigned is = communicates || t->runs > 0 ? waits_region_is (w, f->region) : 0;
  bool opens = communicates && (is & (REGION_SETS_UP | REGION_ENDS)) == REGION_SETS_UP;

  if (G_UNLIKELY (communicates && is & REGION_SETS_UP))
    t->setting_up += waits_counted (w, f->enter, date);
  bool runs = t->runs > 0 && is & REGION_RUNS;
  if (G_UNLIKELY (communicates && is & REGION_TOGETHER))
    order_leave (w, t, f, date);
  if (f->halves >= 0 || f->members >= 0) {
    uint32_t task = (uint32_t) t->task;
    waits_leave (w, i, date);
    t = waits_task (w, task);
  }
  path_spend (w, t, waits_region_of (w, t), date);
  waits_change (t, date);
  waits_calls_take_out (w, t, i, outer);
  f = table_at (&w->frames, i);
  if (G_UNLIKELY (f->owned > f->enter)) { /* what it waited is none of the call's around it */
    int64_t up = waits_around (w, f);
    WaitFrame *outside = up >= 0 ? table_at (&w->frames, up) : NULL;
    if (outside)
      outside->owned = MAX (outside->owned, f->owned);
  }
  waits_account (w, t, date);
  t->communicates -= communicates && t->communicates > 0;
  if (G_UNLIKELY (f->thread >= 0))
    waits_thread_calls (w, t, f->thread, -communicates, date);
  t->runs -= runs;
  if (G_UNLIKELY (opens)) {
    t->open = date;
    t->open_useful = t->useful;
    t->stalled.inner = 0;
  }
  table_drop (&w->frames, i);
}

void
waits_leave_innermost (Waits *w, WaitTask *t, int64_t date)
{
  if (table_uses (&w->frames, t->top))
    waits_calls_leave_frame (w, t, t->top, date);
  else
    t->top = -1;
}

int64_t
waits_call_of_end (Waits *w, const TraceEvent *e, const WaitsKind *k)
{
  int64_t key = (int64_t) e->record, thread = k->threads ? e->tag : -1, found = -1, n = 0;
  int64_t phase = G_UNLIKELY (k->word >= 0) ? waits_region_of_call (w, e, k) : -1;

  for (int64_t i = waits_task (w, e->task)->top; table_uses (&w->frames, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *f = table_at (&w->frames, i);
    if (f->key == key)
      return i;
    if ((k->apart || (e->flags & TRACE_OPEN && e->duration == 0)) && f->category == k->category && f->thread == thread
        && (found < 0
            || (phase >= 0 && f->region == phase
                && ((const WaitFrame *) table_at (&w->frames, found))->region != phase)))
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

  for (int64_t i = t->top; table_uses (&w->frames, i) && n++ < MOST_FRAMES;) {
    const WaitFrame *f = table_at (&w->frames, i);
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
