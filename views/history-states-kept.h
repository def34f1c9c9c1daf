/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-kept.h - how the time of several owners is spent, summed up in fine steps that stay in memory: a
 * picture of rows of several tasks asks for the same sums again with each range of dates, and reading what each of them
 * did takes most of its time.  Sums are of a film that is complete, and all readers of that film share them.  Any
 * thread. */
#pragma once
#include "views/history.h"

#define KEPT_RECORDS 8192 /* of all owners together: where there are fewer, reading them is as fast */
#define KEPT_STEPS 3072   /* of the execution: two for each column of a wide picture, and */
#define KEPT_STEPS_MOST 49152
#define KEPT_EACH 8 /* as many as have so many records */
#define KEPT_ALL UINT16_MAX
#define KEPT_SLOTS_MOST 16
#define KEPT_SUM_BYTES (96u << 20)
#define KEPT_WORTH                                                                                                     \
  0.5                   /* of the execution, asked for by pictures so far: then a sum of all of it is worth its making \
                         */
#define KEPT_PICTURES 8 /* sums that so many did not ask for are given up where others want their room */

typedef struct StatesSum {
  uint32_t n_owners;
  uint32_t *owners;
  uint32_t n, slots; /* steps, and places in each, a multiple of four; n 0: it is not worth it */
  uint32_t *so_far;  /* of all owners together, by step, of which there is one more, and state: the sum of all steps
                      * before it, modulo 1 << 32; KEPT_ALL: all of them are in it all of a step.  NULL: nobody has made
                      * it; to be read once states_kept_want() says that it is made */
  uint64_t used;     /* the picture that asked for it last */
  double before;     /* parts of the execution that pictures before that one asked for, together, */
  double now;        /* and the largest that it asked for itself */
  bool room;         /* there is room for so_far, which is made or being made */
  bool gone;         /* it is not among those of the film, or no longer */
  gatomicrefcount refs;
} StatesSum;

typedef struct StatesKept {
  char *base; /* of the history, */
  uint64_t generation;
  guint n_entries;    /* how much of it there was, */
  int64_t from, to;   /* and when it begins and ends */
  GHashTable *sums;   /* of StatesSum, by their owners */
  uint64_t bytes, at; /* at: pictures so far */
  uint64_t cleared;   /* one more than the picture that looked last for sums to give up */
  uint64_t made;      /* sums that were made so far */
  guint refs;
} StatesKept;

/* Those of a film, as long as somebody has them. */
TRACE_API StatesKept *states_kept_find (const char *base, uint64_t generation, guint n_entries, int64_t from,
                                        int64_t to);
TRACE_API void states_kept_unref (StatesKept *k);   /* may be NULL */
TRACE_API void states_kept_picture (StatesKept *k); /* another picture begins */
/* The sum of those owners, made or not, or NULL: nobody has asked for it; states_sum_unref(). */
TRACE_API StatesSum *states_kept_get (StatesKept *k, const uint32_t *owners, uint32_t n_owners);
/* The same, which is of n steps and so many slots where it is new; n 0: it is not worth it. */
TRACE_API StatesSum *states_kept_add (StatesKept *k, const uint32_t *owners, uint32_t n_owners, uint32_t n,
                                      uint32_t slots);

typedef enum KeptWant {
  KEPT_NONE, /* go without: it has not been asked for enough, or there is no room */
  KEPT_MAKE, /* make it and states_kept_put(); there is room, and others may be making it as well */
  KEPT_MADE
} KeptWant;

/* This picture asks for that part of the execution, 0 to 1, of a sum.  All who ask in the same picture for as much get
 * the same answer, but for KEPT_MAKE and KEPT_MADE. */
TRACE_API KeptWant states_kept_want (StatesKept *k, StatesSum *s, double part);
/* Takes so_far of a sum that was to be made; where another was first, that one stays. */
TRACE_API void states_kept_put (StatesKept *k, StatesSum *s, uint32_t *so_far);
TRACE_API void states_sum_unref (StatesSum *s); /* may be NULL */
