/* SPDX-License-Identifier: Apache-2.0 */
/* ideal.c - the run on an ideal network: no latency, and as many bytes at once as one likes.
 *
 * Each task keeps what it computes, as long as it took; calls of communication take no time, but for what they wait
 * for: a receive ends when the call of its send begins, what all do together when the last has come, what a root gives
 * when the root has come, what a root takes when the last of the others has.  Sends never wait.  So all that is kept of
 * a task is by how much that makes it later than if it only computed.
 *
 * That is kept twice.  Of the whole run tasks begin when they did, as their programs are started apart.  Without set-up
 * all begin together, when they leave the call that begins communication: as Dimemas has it, whose traces know how long
 * tasks compute between calls and no dates.  By how much they left it apart is no doing of the network.  So neither
 * ideal run is ever longer than the real one, unless clocks differ. */
#include "components/waits/waits.h"

static WaitIdeal
later_of (WaitIdeal a, WaitIdeal b)
{
  return (WaitIdeal){ MAX (a.whole, b.whole), MAX (a.inner, b.inner) };
}

/* A task that has not begun communication has not begun yet without set-up; one that never does begins with the run. */
static WaitIdeal
ideal_at (const Waits *w, const WaitTask *t, int64_t first, int64_t useful)
{
  const int64_t whole = trace_sum (trace_sum (waits_counted (w, w->count[WAITS_FIRST], first), useful),
                                   t->stalled.whole);

  return (WaitIdeal){ whole, t->open == INT64_MIN
                                 ? whole
                                 : trace_sum (waits_between (t->open_useful, useful), t->stalled.inner) };
}

WaitIdeal
ideal_now (const Waits *w, const WaitTask *t, int64_t date)
{
  bool begun = t->first <= t->last;
  int64_t useful = trace_sum (t->useful, begun ? waits_computed (t, waits_counted (w, t->since, date)) : 0);

  return ideal_at (w, t, t->first > t->last ? date : t->first, useful);
}

int64_t
waits_ideal_end (const Waits *w, const WaitTask *t, bool inner)
{
  const WaitIdeal end = ideal_at (w, t, t->first, waits_useful (w, t));

  return !inner ? end.whole : t->close != INT64_MAX ? t->close_ideal : end.inner;
}

void
ideal_stall (Waits *w, uint32_t task, int64_t now, WaitIdeal date)
{
  WaitTask *t = waits_task (w, task);
  const WaitIdeal own = ideal_now (w, t, now);

  t->stalled.whole = trace_sum (t->stalled.whole, MAX (waits_between (own.whole, date.whole), 0));
  t->stalled.inner = trace_sum (t->stalled.inner, MAX (waits_between (own.inner, date.inner), 0));
}

void
ideal_arrive (const Waits *w, WaitInstance *n, const WaitTask *t, int64_t date)
{
  const WaitIdeal now = ideal_now (w, t, date);

  n->ideal = later_of (n->ideal, now);
  if (t->task == n->root)
    n->ideal_root = now;
  else
    n->ideal_others = later_of (n->ideal_others, now);
}

void
ideal_leave (Waits *w, const WaitInstance *n, int class, uint32_t task, int64_t date)
{
  bool is_root = task == n->root;

  if (n->bad)
    return;
  if (class == TRACE_COLLECTIVE_BARRIER || class == TRACE_COLLECTIVE_ALL)
    ideal_stall (w, task, date, n->ideal);
  else if (class == TRACE_COLLECTIVE_FROM_ROOT && !is_root)
    ideal_stall (w, task, date, n->ideal_root);
  else if (class == TRACE_COLLECTIVE_TO_ROOT && is_root)
    ideal_stall (w, task, date, n->ideal_others);
}
