/* SPDX-License-Identifier: Apache-2.0 */
/* strategy.h - when to save, what to give up (thesis, 3.4).  Pure functions: the caller measures, these decide.
 * Times are in nanoseconds, of any clock that only goes forward. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* All conditions that are set must hold; none set: nothing is saved but by hand (thesis, 3.4.1). */
typedef struct Strategy {
  uint64_t every_events; /* at least so many events since the last; 0: not asked */
  double most_share;     /* at most this share of the time goes into saving, 0..1; 0: not asked */
  int64_t replay_ns;     /* at least this long would playing again take; 0: not asked */
  uint64_t most_bytes;   /* for the whole execution; 0: no bound.  Of a film also
                            STRATEGY_TENTH: a tenth of the trace's bytes */
  double mark_near;      /* a mark saves at once when the next save is nearer than this share of the
                            distance between saves; 0: never, 1: always */
} Strategy;

#define STRATEGY_TENTH UINT64_MAX

/* What was measured so far. */
typedef struct StrategyNow {
  uint64_t events_since;        /* the last save, or the beginning */
  int64_t replay_since_ns;      /* time that these events took */
  int64_t worked_ns, saving_ns; /* in all: on events, on saving */
  int64_t last_cost_ns;         /* of the last save; 0: none yet */
  uint64_t bytes, last_bytes;   /* saved in all, by the last save */
  double done;                  /* share of the execution, 0..1 */
} StrategyNow;

/* The default: docs/time-travel.md has the measures that chose it. */
Strategy strategy_default (void);
/* By name: "none", "default", or words joined by '+': "events=100000", "share=10", "replay=100", "bytes=1000000"
 * (percent, milliseconds, bytes).  False: not understood. */
bool strategy_parse (const char *text, Strategy *to);

/* Is an automatic save due now? */
bool strategy_due (const Strategy *s, const StrategyNow *now);
/* How near the next automatic save is, as a share of the distance between two: 1 just after one, 0 when it is due.
 * 1 as well while nothing is saved automatically. */
double strategy_distance (const Strategy *s, const StrategyNow *now);
/* A mark was just placed: save now?  The first heuristic of 3.4.2. */
bool strategy_mark_saves (const Strategy *s, const StrategyNow *now);

/* ---- which to give up ------------------------------------------------------------------------------------------------- */
typedef struct StrategyPlace {
  uint64_t event;
  uint64_t uses; /* travels that began here */
  uint64_t bytes;
  bool kept; /* by hand: never given up */
} StrategyPlace;

/* The second heuristic of 3.4.2: instant `event` was travelled to `visits` times.  The place to give up for one there:
 * the least used, of several the one whose absence costs least (its neighbours are nearest); never one used as much as
 * `visits`. -1: none; the instant gets nothing.  Places are in order of events. */
int strategy_victim (const StrategyPlace *places, guint n, uint64_t event, uint64_t visits);

/* Thinning: the place to drop so that what is left is at most `most_bytes`, one each call; -1: nothing need be dropped.
 * Near `present` places stay dense, far from it they become sparse: dropped is the one whose neighbours stand nearest
 * to each other measured by their distance from the present. */
int strategy_thin (const StrategyPlace *places, guint n, uint64_t present, uint64_t most_bytes);
