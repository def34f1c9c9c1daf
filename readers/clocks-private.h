/* SPDX-License-Identifier: Apache-2.0 */
/* clocks-private.h - what the files of the correction share. */
#pragma once
#include "readers/clocks.h"
#include "readers/early.h"

#define NEVER UINT64_MAX

typedef struct Half { /* of a message */
  TraceQueue of;
  uint64_t number;
  int64_t date;
} Half;

typedef struct Cause { /* what happened in another task, and who waits for it */
  uint64_t number;
  int64_t date;     /* once it is known */
  uint32_t waiting; /* task, or TRACE_NONE */
  bool known;
} Cause;

typedef struct Effect {
  uint64_t number, cause; /* the receive; its send's place in `causes` */
  int64_t date;
} Effect;

typedef struct Part { /* what a task does in an operation of a group */
  uint32_t group, task, root, instance;
  uint64_t k, begin, end; /* numbers of events */
  int64_t began, ended;
  uint16_t kind;
} Part;

typedef struct Instance {
  uint32_t first, n, n_begun; /* its parts */
  TraceCollective class;      /* OTHER: nobody waits, or it is not whole */
  int64_t latest;             /* begin of all but the root; of all, where it has none */
  int64_t root_began;
  uint32_t n_waiting; /* tasks */
  bool root_has;      /* begun */
} Instance;

typedef struct Lane {  /* of a task */
  int64_t zero, shift; /* its line: what is added, and more with the time since `zero` */
  double rate;
  int64_t first, own, given; /* dates: of its first event; its last one, before and after the clocks' logic */
  bool begun, blocked;
  uint32_t instance; /* that it waits for, or TRACE_NONE */
  GArray *waiting;   /* of TraceEvent */
  guint at;
} Lane;

typedef struct Clocks {
  TraceSource *s;
  TraceClocksBy by;
  bool (*put) (void *to, const TraceEvent *e);
  bool (*goes_on) (void *to);
  void *to;
  uint8_t *does; /* by kind */
  TraceQueues queues;
  TraceCollective *classes;
  GArray *sends, *receives, *causes, *effects, *parts, *instances, *begins, *ends; /* the last: of uint32_t, parts */
  GHashTable *counts, *open, *sizes;
  Lane *lanes;
  uint32_t n_lanes;
  int64_t earliest;
  GArray *held;        /* of TraceEvent: actions under way */
  GArray *free;        /* places in it */
  GHashTable *held_at; /* record -> place + 1 */
  GArray *ready;       /* tasks that may go on */
  uint64_t n_waiting;
  bool failed;
} Clocks;
enum { DOES_SEND = 1, DOES_RECEIVE = 2, DOES_TOGETHER = 4, DOES_TELL = 8 };

/* Of an action, or all of what has no end. */
static inline bool
begins (const TraceEvent *e)
{
  return !(e->flags & TRACE_END);
}

static inline bool
ends (const TraceEvent *e)
{
  return e->flags & (TRACE_END | TRACE_INSTANT);
}

/* ---- clocks-match.c ---- */
/* What events of a kind do, DOES_*. */
uint8_t clocks_does (const TraceKind *k);
/* An event that does any of it. */
void clocks_note (Clocks *c, const TraceEvent *e);
/* After the last: which send is of which receive, and who takes part in which operation. */
void clocks_match (Clocks *c);
/* Where in an array sorted by numbers, which are first in its elements, one is; the array's length: nowhere. */
guint clocks_find_number (const GArray *all, uint64_t number);
/* The part that begins, or ends, with an event; NULL: none does. */
Part *clocks_part_of (const Clocks *c, const GArray *order, uint64_t number, bool end);
