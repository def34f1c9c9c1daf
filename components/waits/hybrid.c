/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.c - processes that have threads: what of the run is lost between processes, and what between the threads of
 * each.  The additive metrics of POP (co-design.pop-coe.eu/metrics/ha); README.md, "Processes and threads". */
#include "components/waits/hybrid.h"
#include "readers/pair.h"

void
hybrid_forks (const Waits *w, WaitTask *t, int64_t date)
{
  t->forked_at = date;
  t->fork_useful = t->useful + (t->first <= t->last ? waits_computed (t, waits_counted (w, t->since, date)) : 0);
}

void
hybrid_joins (const Waits *w, WaitTask *t, int64_t date)
{
  const int64_t useful = t->first <= t->last ? waits_computed (t, waits_counted (w, t->since, date)) : 0;

  t->hybrid = hybrid_teams (w, t, date, t->useful + useful);
  t->forked += waits_between (t->forked_at, date);
  t->forked_at = INT64_MIN;
}

WaitTeams
hybrid_teams (const Waits *w, const WaitTask *t, int64_t date, int64_t useful)
{
  WaitTeams teams = t->hybrid;

  if (t->forked_at != INT64_MIN) {
    teams.ticks += waits_counted (w, t->forked_at, date);
    teams.useful += MAX (useful - t->fork_useful, 0);
  }
  return teams;
}

/* The threads of a process: tasks of one type inside of one.  The first of them is the one that begins teams. */
static uint64_t
hybrid_process_of (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task);

  return t && t->parent != TRACE_NONE ? (uint64_t) t->parent << 32 | t->type : UINT64_MAX;
}

HybridParts
hybrid_parts (const Waits *w, const HybridTask *tasks, uint32_t n, double runtime)
{
  HybridParts parts = { 0 };
  g_autoptr (GHashTable) first = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  g_autofree uint32_t *n_threads = g_new0 (uint32_t, n + 1), *of = g_new0 (uint32_t, n + 1);
  double processes = 0, idle = 0, in_teams = 0;

  for (uint32_t i = 0; i < n; i++) {
    const uint64_t key = hybrid_process_of (w->source, tasks[i].task);
    gpointer at = key != UINT64_MAX ? g_hash_table_lookup (first, &key) : NULL;
    of[i] = at ? GPOINTER_TO_UINT (at) - 1 : i;
    if (!at && key != UINT64_MAX)
      g_hash_table_insert (first, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (i + 1));
    n_threads[of[i]]++;
  }
  for (uint32_t i = 0; i < n; i++) {
    const HybridTask *t = &tasks[i], *one = &tasks[of[i]];
    const uint32_t threads = n_threads[of[i]];
    if (!one->has_teams) { /* nobody tells of teams: each is as a process by itself */
      processes += t->useful;
      continue;
    }
    in_teams -= t->useful;
    if (t != one)
      continue;
    const double serial = t->useful - t->team_useful;
    parts.n += threads > 1;
    processes += threads * (serial + t->team_seconds);
    idle += (threads - 1) * serial;
    in_teams += threads * t->team_seconds + serial;
  }
  const double all = n * runtime;
  if (parts.n == 0 || all <= 0)
    return (HybridParts){ 0 };
  parts.process = processes / all;
  parts.thread = 1 - (idle + in_teams) / all;
  parts.serial = 1 - idle / all;
  parts.teams = 1 - in_teams / all;
  return parts;
}
