/* SPDX-License-Identifier: Apache-2.0 */
/* sums.c - what is waited, summed up: by part of the trace, by kind, by region, by whom it is for. */
#include "components/waits/waits.h"

/* The parts of the trace that a wait lies in have their share of it, and know when the first one begins. */
static void
add_to_parts (Waits *w, const Wait *one)
{
  int64_t from = waits_between (w->source->first, one->from), left = one->ticks;

  for (int64_t i = w->part_lasts > 0 && from >= 0 ? from / w->part_lasts : WAIT_PARTS; i < WAIT_PARTS && left > 0;
       i++) {
    int64_t rest = (i + 1) * w->part_lasts - from, here = MIN (left, rest);
    w->parts[i][one->kind] += here;
    w->parts[i][PART_SINCE] = MAX (w->parts[i][PART_SINCE], rest);
    left -= here;
    from += here;
  }
}

/* The row of its kind, in its region, of its task. */
static WaitCell *
cell_of (Waits *w, const Wait *one)
{
  const int64_t key[] = { one->kind, one->region, one->task };
  int64_t *last = &causes_log (w, waits_task (w, one->task))->last_cell;
  bool is_new;

  if (waits_cells_use (w, *last)) { /* mostly it waits as it did before */
    WaitCell *same = waits_cells_at (w, *last);
    if (same->region == one->region && same->kind == key[0] && same->task == key[2])
      return same;
  }
  WaitCell *c = waits_cells_at (w, *last = table_find_or_add (&w->cells, key, &is_new));
  if (is_new)
    c->longest_at = MAX (one->from, w->from);
  return c;
}

/* Each kind by itself: a call that waits for two things waits twice here. */
static void
add_to_kind (Waits *w, const Wait *one)
{
  WaitTask *t = waits_task (w, one->task);
  int64_t before = waits_counted (w, one->from, one->from + one->before),
          ticks = waits_counted (w, one->from, one->from + one->ticks);

  if (ticks <= before)
    return;
  t->waited[one->kind] += ticks - before;
  t->n_waited[one->kind] += before == 0;
  cell_of (w, one)->alone += ticks - before;
}

static void
add_to_pair (Waits *w, const Wait *one)
{
  int64_t key[] = { one->kind, one->region, one->task, one->cause };
  int64_t i = table_find (&w->pairs, key);

  if (i < 0 && w->pairs.n_used >= MOST_PAIRS)
    key[3] = -1;
  if (i < 0)
    i = table_find_or_add (&w->pairs, key, NULL);
  waits_pairs_at (w, i)->ticks += one->ticks;
}

static void
add_to_cell (Waits *w, const Wait *one)
{
  WaitCell *c = cell_of (w, one);

  c->n++;
  c->ticks += one->ticks;
  if (one->ticks > c->longest) {
    c->longest = one->ticks;
    c->longest_at = one->from;
    c->longest_for = one->cause;
  }
  if (one->cause != TRACE_NONE)
    add_to_pair (w, one);
}

void
waits_add (Waits *w, const Wait *one, int64_t *owned)
{
  int64_t end = one->from + one->ticks, from = MAX (*owned, one->from);

  if (waits_region_is (w, one->region) & REGION_SETS_UP)
    return;
  *owned = MAX (*owned, end);
  add_to_kind (w, one);
  if (from >= end)
    return;
  Wait own = *one;
  own.from = from;
  own.ticks = waits_between (from, end);
  own.before = 0;
  if (w->tell && (!w->settled || w->tells_settled))
    w->tell (w->to_whom, &own);
  if (!one->judged && !w->settled)
    causes_judge (w, one, from);
  own.ticks = waits_counted (w, from, end);
  own.from = MAX (from, w->from);
  if (own.ticks <= 0)
    return;
  add_to_cell (w, &own);
  waits_task (w, own.task)->owned += own.ticks;
  if (own.cause != TRACE_NONE)
    waits_task (w, own.cause)->caused += own.ticks;
  add_to_parts (w, &own);
}

void
waits_apart (Waits *w, int64_t ticks, int64_t early, int64_t late, int64_t region)
{
  if (ticks <= w->count[WAITS_APART])
    return;
  w->count[WAITS_APART] = ticks;
  w->count[WAITS_APART_EARLY] = early;
  w->count[WAITS_APART_LATE] = late;
  w->count[WAITS_APART_REGION] = region;
}
