/* SPDX-License-Identifier: Apache-2.0 */
/* hybrid.h - processes that have threads. */
#pragma once
#include "components/waits/waits.h"

/* The first thread of a process has teams at work from now on; not any more. */
void hybrid_forks (const Waits *w, WaitTask *t, int64_t date);
void hybrid_joins (const Waits *w, WaitTask *t, int64_t date);
/* What is known of that up to a date, when it has computed so long. */
WaitTeams hybrid_teams (const Waits *w, const WaitTask *t, int64_t date, int64_t useful);

/* waits.c: until when what a task does last counts. */
int64_t waits_lasts_until (const Waits *w, const WaitTask *t);

typedef struct HybridTask {
  uint32_t task;
  double useful; /* seconds */
  bool has_teams;
  double team_seconds, team_useful; /* in which it had teams at work; that it computed meanwhile */
} HybridTask;
typedef struct HybridParts {
  uint32_t n; /* processes of several threads, of which it is told when teams are at work; 0: no such parts */
  double process, thread; /* what is lost between processes, and between the threads of each */
  double serial, teams;   /* of the latter: while the first alone computes, in parallel regions */
} HybridParts;
/* Of tasks that are in their order, in a run of so many seconds. */
HybridParts hybrid_parts (const Waits *w, const HybridTask *tasks, uint32_t n, double runtime);
