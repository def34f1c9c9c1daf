/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - the order of messages of a recorded run, for a run under it (tape-pvm --replay).
 *
 * tape-pvm makes one file of the recorded events (order.c): a head, the tasks, then what each asked for and got, task
 * by task.  The preloaded library maps it, shared by all tasks of the run, and follows it (replay.c): there the tasks
 * of now stand beside those of then.  Tasks have other names in each run, so they are known by who bore them, and as
 * which of its children. */
#ifndef TAPE_ORDER_H
#define TAPE_ORDER_H

#include <stdint.h>

#define TAPE_ORDER_MAGIC "TAPEORD"
#define TAPE_ENV_ORDER "TAPE_PVM_ORDER" /* the file */

/* In the place of the number of a task. */
enum { ORDER_NONE = -1, ORDER_STRANGER = -2 }; /* "any", or nothing; a daemon, or whom the recorded run did not know */

/* What came of a call. */
enum { ORDER_NOTHING, ORDER_CAME, ORDER_UNKNOWN, ORDER_FAILED };

/* How far a task has come. */
enum { ORDER_UNSEEN, ORDER_FOLLOWS, ORDER_FREE };

/* Why it was let go. */
enum {
  ORDER_NOT_FREED,
  ORDER_OTHER_CALL, /* it asks otherwise than it did */
  ORDER_MORE,       /* it asks more than it did */
  ORDER_GONE,       /* who should have sent has ended without */
  ORDER_MATCHER,    /* a function of the program's own says what matches */
  ORDER_INSTANCE,   /* it is another instance of a group */
};

typedef struct TapeOrderTask {
  int32_t then;         /* its number in the recorded run */
  int32_t parent, born; /* number of a task of this table, as which of its children; parent -1: the user started it */
  uint32_t first, n;    /* its calls */
  /* of this run; written by the library */
  int32_t tid;       /* 0: not there yet */
  int32_t spawning;  /* calls of it that bear children whose numbers are not in this table yet */
  int32_t children;  /* born so far */
  uint32_t at;       /* calls that are over, or under way */
  uint32_t directed; /* of these: receives that might have got something else */
  int32_t state, why;
} TapeOrderTask;

typedef struct TapeOrderCall {
  uint16_t kind, came;
  int32_t asked_from, asked_tag; /* of a Probe, unknown; of a JoinGroup, without meaning */
  int32_t from, tag;             /* of a JoinGroup tag is the instance */
} TapeOrderCall;

typedef struct TapeOrder {
  char magic[8];
  uint32_t n_tasks, n_calls;
  uint32_t knows_probes, knows_joins; /* such calls were recorded at all */
  uint32_t extra;                     /* tasks of this run that the recorded one does not have */
  uint32_t pad;
} TapeOrder;

static inline TapeOrderTask *
order_tasks (const TapeOrder *order)
{
  return (TapeOrderTask *) (order + 1);
}

static inline const TapeOrderCall *
order_calls (const TapeOrder *order)
{
  return (const TapeOrderCall *) (order_tasks (order) + order->n_tasks);
}

#endif
