/* SPDX-License-Identifier: Apache-2.0 */
/* communication-overhead.h - what the component shares with its panel. */
#pragma once
#include <glib.h>
#include "readers/box-inspector.h"
#include "readers/event.h"

enum { BY_INTERVAL, BY_RECEIVES, BY_TASK_RECEIVES, BY_PHASES, BY_PHASES_SO_FAR, AT_END }; /* setting `sampling` */
enum { PHASE_EXCHANGES, PHASE_MARKS };                                                    /* `phases by` */

/* As was told with the last sample. */
typedef struct Sampled {
  int64_t samples, sends, receives, phases, trend;
  double value, min, max;
} Sampled;

typedef struct Task {
  uint64_t since; /* the communication it is in began */
  uint64_t birth;
  uint64_t left; /* the last communication ended */
  int64_t phases, receives;
  uint32_t depth; /* communications it is inside of */
  uint32_t place; /* among those that count */
  uint8_t life;   /* 0 not seen, 1 alive, 2 dead */
  bool talks;     /* has communicated since its last phase ended */
  bool counts;    /* is waited for before a phase of all is over */
} Task;

typedef struct Overhead {
  EveBase base;
  int32_t sampling, phases_by;
  int64_t n;
  double interval_s, gap_s;
  char *categories, *from_text, *to_text;
  /* run state; sums modulo 2^64, so that no date can overflow them */
  Task *task;
  uint32_t n_tasks, room;
  uint32_t *part, n_part;                 /* the tasks that count, in any order; room for all */
  uint64_t spent, in_since, life, births; /* ticks */
  int64_t n_in, n_alive;
  int64_t sends, receives, phases, behind; /* phases of all; tasks that have not ended the next one */
  int64_t counted;                         /* since the last sample: receives or phases */
  uint64_t spent_before, life_before;      /* at the last sample */
  uint64_t spent_zero, life_zero;          /* where `from` is */
  int64_t next, clock;                     /* next instant of a sample; date of the last event */
  int64_t samples, trend;
  double value, min, max;
  bool begun, over; /* `from` has come; `to` has gone by */
  bool warned, partial;
  uint16_t of;   /* the number of the trace that the events are of; 0: none has come */
  Sampled shown; /* as was told last, for the inspector: no run state */
  /* bound to a trace */
  const TraceSource *source;
  int number;    /* its number; -1: to none */
  uint8_t *what; /* one a kind */
  uint32_t n_kinds;
  uint64_t interval, gap; /* ticks */
  int64_t from, to;       /* ticks; INT64_MIN, INT64_MAX: not set */
  int64_t edge;           /* the next of them to come */
  const char *unit;       /* "%", interned */
  uint64_t wires;         /* when the end of what comes was looked up */
  GHashTable *told;       /* names of `categories` that are none */
  bool told_outside;
} Overhead;

extern const BoxInspector overhead_inspector;
