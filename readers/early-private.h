/* SPDX-License-Identifier: Apache-2.0 */
/* early-private.h - what finding and judging share (early.c, early-judge.c). */
#pragma once
#include "readers/early.h"

#define EARLY_SAMPLE 256u /* messages of a queue that are looked at closely, the first ones */

typedef struct EarlyHalf {
  int64_t date;
  uint64_t size; /* bytes; 0: not told */
} EarlyHalf;

typedef struct EarlySample {
  GArray *sends, *receives; /* of EarlyHalf */
} EarlySample;

typedef enum EarlyReading {
  EARLY_BY_NUMBER, /* the n-th receive is of the n-th send */
  EARLY_BY_DATE,   /* each receive takes the first that was sent before it, or is of nobody */
  EARLY_SHIFTED,   /* the first `skip` receives are of nobody, the n-th of the others is of the n-th send */
} EarlyReading;

typedef struct EarlyQueue {
  TraceQueue of;
  uint64_t sent;  /* sends that wait, when the n-th receive is of the n-th send, */
  uint32_t first; /* or receives that wait for theirs: the first and the last of `found`; 0: none do */
  uint32_t last;
  uint64_t left;    /* sends that wait when each receive takes the first that was sent before it, */
  uint64_t alone;   /* and receives that found none */
  uint64_t leading; /* those before the first send */
  bool any_sent;
  /* when the n-th receive is of the n-th send: */
  int64_t
      head; /* when the first that waits was sent, where that is known: of one that waited for nobody; or NOT_SENT */
  int64_t least; /* the shortest way that is known, ticks; below 0: of one that is received early */
  uint64_t pairs, early;
  int64_t last_sent;
  int64_t began, ended; /* dates of what the receiver did first, and the sender last, */
  bool anywhere;        /* which are not known */
  EarlySample *sample;  /* or NULL */
  EarlyReading reading;
  uint32_t skip; /* SHIFTED: so many, and how many of them are still to come */
  bool decided;
} EarlyQueue;

/* Which reading each of them has.  Puts its findings into `matched`. */
void early_judge (EarlyQueue **queues, guint n, TraceMatched *matched);

/* Of strangers' dates. */
static inline int64_t
early_way (int64_t sent, int64_t received)
{
  int64_t ticks;

  if (__builtin_sub_overflow (received, sent, &ticks))
    return received < sent ? INT64_MIN / 4 : INT64_MAX / 4;
  return CLAMP (ticks, INT64_MIN / 4, INT64_MAX / 4);
}
