/* SPDX-License-Identifier: Apache-2.0 */
/* flows.c - what led to what, where nobody waits inside of a call for it: a call that a program makes, and what its
 * accelerator does because of it; an event that one thread posts and another handles.
 *
 * What a flow leads to is the call that its end lies in, or, of who is in none then, the one that begins at that date.
 * From the begin of the flow to its end is its latency; for as much of that as the other one was in calls of its own it
 * came behind what was there. */
#include "components/waits/component.h"
#include "eve/words.h"

static void
flows_led (Waits *w, const WaitTask *t, int64_t region, int64_t from, int64_t at, int64_t behind)
{
  const int64_t key[] = { t->task, region };

  if (at < w->from || at > w->to)
    return;
  WaitFlow *f = table_at (&w->flows, table_find_or_add (&w->flows, key, NULL));
  int64_t ticks = from < at ? waits_between (from, at) : 0;
  f->n++;
  f->ticks += ticks;
  f->behind += behind;
  if (f->n == 1 || ticks > f->longest) {
    f->longest = ticks;
    f->longest_at = from;
  }
}

void
flows_enter (Waits *w, WaitTask *t, int64_t region, int64_t date)
{
  if (t->led_at == date)
    flows_led (w, t, region, t->led_from, date, t->led_behind);
  t->led_at = INT64_MAX;
}

/* Who had nothing to do when the flow began goes on from there: so does its path. */
static void
flows_go_on (Waits *w, WaitTask *t, const TraceEvent *e, int64_t cause, uint32_t by, int64_t date)
{
  if (t->first > t->last) {
    if (t->born_node < 0) {
      t->born_node = cause;
      t->born_at = date;
      path_hold (w, cause);
    }
  } else if (date >= t->last && path_jump (w, t, cause, date) && w->tell) {
    const Wait one = { .task = e->task, .cause = by, .from = date, .leads = true };
    w->tell (w->to_whom, &one);
  }
}

void
flows_come (Waits *w, const TraceEvent *e, int64_t send)
{
  const WaitHalf s = *waits_halves_at (w, send);
  WaitTask *t = waits_task (w, e->task);
  const WaitFrame *f = waits_call (w, t);

  if (f) {
    flows_led (w, t, f->region, s.date, e->date, 0);
    return;
  }
  t->led_from = s.date;
  t->led_at = e->date;
  t->led_behind = t->first <= t->last && t->last > s.date ? waits_between (s.date, MIN (t->last, e->date)) : 0;
  if (s.date > e->date || s.task == e->task)
    return;
  const WaitTask *by = waits_task (w, (uint32_t) s.task);
  bool begins = s.node < 0 && by->first == s.date; /* that is the first that it does */
  int64_t cause = begins ? path_begins (w, by) : s.node;
  flows_go_on (w, waits_task (w, e->task), e, cause, (uint32_t) s.task, s.date);
  if (begins)
    path_release (w, cause);
}

/* ---- the table ------------------------------------------------------------------------------------------------------------- */

static int
flows_most_first (const void *a, const void *b)
{
  const WaitFlow *x = *(const WaitFlow *const *) a, *y = *(const WaitFlow *const *) b;

  return x->ticks != y->ticks ? (x->ticks < y->ticks) - (x->ticks > y->ticks)
         : x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                              : (x->region > y->region) - (x->region < y->region);
}

StatsTable *
flows_table (const Component *self)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },     { "led to", NULL, STATS_CELL_TEXT },
    { "times", NULL, STATS_CELL_WHOLE },   { "latency", "s", STATS_CELL_REAL },
    { "mean", "s", STATS_CELL_REAL },      { "longest", "s", STATS_CELL_REAL },
    { "begins at", "s", STATS_CELL_DATE }, { "behind others", "s", STATS_CELL_REAL },
  };
  const Waits *w = &self->waits;
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  for (int64_t i = 0; i < w->flows.n; i++)
    g_ptr_array_add (rows, table_at (&w->flows, i));
  g_ptr_array_sort (rows, flows_most_first);
  StatsTable *t = waits_tables_new (self, N_ ("What flows lead to"), columns, EVE_N (columns), rows->len);
  for (uint32_t i = 0; i < rows->len; i++) {
    const WaitFlow *f = rows->pdata[i];
    stats_table_set_text (t, i, 0, trace_task_name (w->source, (uint32_t) f->task));
    stats_table_set_text (t, i, 1, waits_region (w, f->region));
    stats_cell (t, i, 2)->whole = f->n;
    stats_cell (t, i, 3)->real = waits_seconds (self, f->ticks);
    stats_cell (t, i, 4)->real = waits_seconds (self, f->ticks) / (double) f->n;
    stats_cell (t, i, 5)->real = waits_seconds (self, f->longest);
    stats_cell (t, i, 6)->whole = f->longest_at;
    stats_cell (t, i, 7)->real = waits_seconds (self, f->behind);
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) f->task), (TraceRef){ 0 });
  }
  return t;
}
