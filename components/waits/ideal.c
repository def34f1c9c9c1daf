/* SPDX-License-Identifier: Apache-2.0 */
/* ideal.c - the run on an ideal network: no latency, and as many bytes at once as one likes.
 *
 * Each task keeps what it computes, as long as it took; calls of communication take no time, but for what they wait
 * for: a receive ends when the call of its send begins, what all do together when the last has come, what a root gives
 * when the root has come, what a root takes when the last of the others has.  Sends never wait.  So all that is kept of
 * a task is by how much that makes it later than if it only computed. */
#include "components/waits/waits.h"

int64_t
ideal_now (const Waits *w, const WaitTask *t, int64_t date)
{
  int64_t useful = t->told                                     ? t->ran
                   : t->communicates > 0 || t->first > t->last ? t->useful
                                                               : t->useful + waits_counted (w, t->since, date);

  return waits_counted (w, w->count[WAITS_FIRST], t->first > t->last ? date : t->first) + useful + t->stalled;
}

int64_t
waits_ideal_end (const Waits *w, const WaitTask *t)
{
  return waits_counted (w, w->count[WAITS_FIRST], t->first) + waits_useful (w, t) + t->stalled;
}

void
ideal_stall (Waits *w, uint32_t task, int64_t now, int64_t date)
{
  WaitTask *t = waits_task (w, task);
  int64_t own = ideal_now (w, t, now);

  t->stalled += MAX (date - own, 0);
}

void
ideal_arrive (const Waits *w, WaitInstance *n, const WaitTask *t, int64_t date)
{
  int64_t now = ideal_now (w, t, date);

  n->ideal = MAX (n->ideal, now);
  if (t->task == n->root)
    n->ideal_root = now;
  else
    n->ideal_others = MAX (n->ideal_others, now);
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
