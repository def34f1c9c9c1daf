/* SPDX-License-Identifier: Apache-2.0 */
/* by-order.c - operations of groups of which the trace tells no group, only that tasks are in a region of such a name:
 * what would be waited in them if the n-th of each task is one operation of all.  It is told beside what is known,
 * never counted with it.  Of operations from or to a root nobody tells who that is: what is waited there at most, as
 * where groups are told (groups.c).
 *
 * It is told of traces that tell no operation at all, where all tasks that ever communicate do the same ones in the
 * same order, to the last, and where nobody leaves one in which all wait for all before the last has come: else tasks
 * are of several groups, as where a communicator was split, or clocks differ. */
#include "components/waits/waits.h"

static bool
is_off (const Waits *w)
{
  return w->tells_operations || w->count[WAITS_ORDER_BAD] > 0;
}

/* The orders differ: nothing is told any more. */
static void
differ (Waits *w)
{
  w->count[WAITS_ORDER_BAD] = 1;
  table_empty (&w->ordered);
}

void
order_communicates (Waits *w, WaitTask *t)
{
  t->communicated = 1;
  if (is_off (w))
    return;
  w->count[WAITS_ORDER_TASKS]++;
  if (w->count[WAITS_ORDER_DONE] > 0) /* which was of all tasks but this one */
    differ (w);
}

static bool
for_all (int64_t class)
{
  return class == TRACE_COLLECTIVE_BARRIER || class == TRACE_COLLECTIVE_ALL;
}

static TraceCollective
class_of_region (const Waits *w, int64_t region)
{
  const TraceKind named = { .name = waits_region (w, region) };
  bool blocks;
  TraceCollective class = trace_collective (&named, &blocks);

  return blocks ? class : TRACE_COLLECTIVE_OTHER;
}

void
order_enter (Waits *w, WaitTask *t, WaitFrame *f)
{
  bool is_new;

  if (t->together++ > 0 || is_off (w)) /* inside of another one, which may do it by such */
    return;
  f->ordered = t->n_ordered++;
  WaitOrdered *o = table_at (&w->ordered, table_find_or_add (&w->ordered, &f->ordered, &is_new));
  if (is_new) {
    o->region = f->region;
    o->class = class_of_region (w, f->region);
    o->last_task = o->first_task = t->task;
    o->last = o->first = f->enter;
  }
  if (o->region != f->region || (for_all (o->class) && o->n_left > 0 && o->first_left < f->enter)) {
    differ (w);
    return;
  }
  bool may_give = o->class != TRACE_COLLECTIVE_FROM_ROOT || o->n_left == 0 || o->first_left >= f->enter;
  if (may_give && (for_all (o->class) || o->class == TRACE_COLLECTIVE_FROM_ROOT))
    o->ticks = (int64_t) ((uint64_t) o->ticks + (uint64_t) o->n * (uint64_t) waits_counted (w, o->last, f->enter));
  if (o->n == 1) {
    o->second = f->enter;
    o->second_task = t->task;
  }
  if (may_give && (f->enter > o->last || t->task < o->last_task))
    o->last_task = t->task;
  o->last = may_give ? f->enter : o->last;
  o->n++;
}

static void
by_order_done (Waits *w, int64_t i)
{
  const WaitOrdered o = *(const WaitOrdered *) table_at (&w->ordered, i);
  bool takes = o.class == TRACE_COLLECTIVE_TO_ROOT && o.n > 1 && o.first_stays >= o.last;
  int64_t ticks = takes ? waits_counted (w, o.first, o.second) : o.ticks;

  table_drop (&w->ordered, i);
  w->count[WAITS_ORDER_DONE]++;
  w->count[o.class == TRACE_COLLECTIVE_BARRIER     ? WAITS_ORDER_BARRIER
           : o.class == TRACE_COLLECTIVE_FROM_ROOT ? WAITS_ORDER_LATE
           : o.class == TRACE_COLLECTIVE_TO_ROOT   ? WAITS_ORDER_EARLY
                                                   : WAITS_ORDER_ALL] += ticks;
  waits_task (w, (uint32_t) (takes ? o.second_task : o.last_task))->order_caused += ticks;
}

void
order_leave (Waits *w, WaitTask *t, const WaitFrame *f, int64_t date)
{
  t->together -= t->together > 0;
  if (f->ordered < 0 || is_off (w))
    return;
  int64_t i = table_find (&w->ordered, &f->ordered);
  if (i < 0)
    return;
  WaitOrdered *o = table_at (&w->ordered, i);
  o->first_left = o->n_left == 0 ? date : o->first_left;
  o->n_left++;
  if (o->first_task == t->task)
    o->first_stays = date;
  if (o->n_left == o->n && o->n == w->count[WAITS_ORDER_TASKS])
    by_order_done (w, i);
}

bool
order_agrees (const Waits *w)
{
  return !is_off (w) && w->count[WAITS_ORDER_TASKS] > 1 && w->count[WAITS_ORDER_DONE] > 0 && w->ordered.n_used == 0;
}
