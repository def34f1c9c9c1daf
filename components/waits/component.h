/* SPDX-License-Identifier: Apache-2.0 */
/* component.h - what the files of the component share. */
#pragma once
#include "components/waits/hybrid.h"
#include "components/waits/waits.h"
#include "statistics/findings.h"
#include "statistics/scaling.h"
#include "statistics/stretch.h"
#include "statistics/types.h"

enum {
  OUT_WAITS,
  OUT_TASKS,
  OUT_EFFICIENCY,
  OUT_PATH,
  OUT_DATED,
  OUT_STRETCHES,
  OUT_MESSAGES,
  OUT_CAUSES,
  OUT_FLOWS,
  N_OUTS
};

typedef struct Component {
  EveBase base;
  Waits waits;
  int64_t every;             /* settings */
  char *from_text, *to_text; /* dates of a window; empty: the run's */
  bool inner;
  int64_t given; /* events, when the tables were given last */
  uint16_t source;
  bool warned;                       /* of clocks: once; no run state */
  const char *unit, *kinds[N_WAITS]; /* interned */
  GArray *later;                     /* of StatsStretch: those that there was no room for yet, */
  GArray *later_dated;               /* and of StatsDatum */
  GArray *under_way;                 /* of StatsDatum, at rest: of waits that are not over, */
  guint next_under_way;              /* of which these were given */
  int64_t path_told;                 /* events, when the end of the path was told last */
  StatsTable *foreseen[N_OUTS];      /* of a range alone that ends before the trace does; else NULL */
} Component;

typedef struct Efficiency {
  uint32_t n;                 /* tasks */
  double runtime, mean, most; /* seconds computing */
  double balance, communication, parallel;
  double ideal; /* run time on an ideal network */
  double serialisation, transfer;
  double untold; /* share of the lives of tasks of which no state says what they do */
  HybridParts hybrid;
} Efficiency;
/* `inner`: without what lies before and behind, and in, the calls that begin and end communication itself. */
Efficiency waits_efficiency (const Component *self, bool inner);
/* Seconds that all tasks were in states that are named as operations of groups, of which the trace tells no group: who
 * waits for whom in these is not known.  The one that they were in longest, NULL: there is none. */
double waits_without_groups (const Component *self, const WaitRegion **longest);
/* Whether any task has such calls. */
bool waits_sets_up (const Waits *w);
/* tables.c: what an output gives now; NULL: it gives no table. */
StatsTable *waits_table (const Component *self, uint32_t output);
StatsTable *waits_tables_new (const Component *self, const char *title, const StatsColumn *columns, uint32_t n_columns,
                              uint32_t n_rows);
StatsTable *flows_table (const Component *self); /* flows.c */
/* Rows of `causes` that cost something, most first: of const WaitCause *, g_array_unref. */
GArray *waits_causes (const Waits *w);
double waits_seconds (const Component *self, int64_t ticks);
char *waits_in_region (const Waits *w, int64_t region); /* "in rows", "outside of all calls"; g_free */
/* Tasks that were ever inside of something, in their order; g_free. */
const WaitTask **waits_tasks (const Waits *w, uint32_t *n);
/* Copies of the same, each with what it waited, and was waited for, in states that are told of tasks of their own
 * inside of it (the calls of a thread of Paraver); what it computed and when is its own.  g_free. */
WaitTask *waits_told_tasks (const Waits *w, uint32_t *n);
/* The task that such a task is told as; of any other the task itself. */
uint32_t waits_whose (const Waits *w, int64_t task);
/* Sends, or receives, that are matched with nothing. */
int64_t waits_left_over (const Waits *w, bool receives);
extern const StatsFindings waits_findings; /* findings.c */
extern const StatsAnswer waits_answer;
extern const StatsCircles waits_circles;
extern const StatsLeads waits_leads;     /* leads.c */
extern const StatsScaling waits_scaling; /* limits.c */
