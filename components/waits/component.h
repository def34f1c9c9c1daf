/* SPDX-License-Identifier: Apache-2.0 */
/* component.h - what the files of the component share. */
#pragma once
#include "components/waits/waits.h"
#include "statistics/findings.h"
#include "statistics/stretch.h"
#include "statistics/types.h"

enum { OUT_WAITS, OUT_TASKS, OUT_EFFICIENCY, OUT_PATH, OUT_DATED, OUT_STRETCHES };

typedef struct Component {
  EveBase base;
  Waits waits;
  int64_t every;
  int64_t given; /* events, when the tables were given last */
  uint16_t source;
  const char *unit, *kinds[N_WAITS]; /* interned */
  GArray *owed;                      /* of StatsStretch: those that there was no room for yet */
  int64_t path_told;                 /* events, when the end of the path was told last */
} Component;

typedef struct Efficiency {
  uint32_t n;                 /* tasks */
  double runtime, mean, most; /* seconds computing */
  double balance, communication, parallel;
} Efficiency;
Efficiency waits_efficiency (const Component *self);
double waits_seconds (const Component *self, int64_t ticks);
/* Tasks that were ever inside of something, in their order; g_free. */
const WaitTask **waits_tasks (const Waits *w, uint32_t *n);
/* Sends, or receives, that are matched with nothing. */
int64_t waits_left_over (const Waits *w, bool receives);
extern const StatsFindings waits_findings; /* findings.c */
