/* SPDX-License-Identifier: Apache-2.0 */
/* region.h - what the runtime knows: the application as main() described it, and the little that tasks share.
 *
 * Nothing shared is under a lock, so a task may be killed at any moment: the supervisor then sets a bit in
 * the word of each of its links, and whoever waits there sees it. */
#ifndef OUF_REGION_H
#define OUF_REGION_H

#include "ouf.h"

#include <stdatomic.h>
#include <sys/types.h>

#define OUF_PIECE 32768u /* bytes of a message that cross a link at once */
#define OUF_MAX_TASKS 4096
#define OUF_MAX_LINKS 65536
#define OUF_MAX_THREADS 65535
#define OUF_MAX_ALT 1024 /* links of an alternative */
#define OUF_MISUSE 120   /* status of a task that did what cannot be right */

/* Shared. */
typedef struct OufLink {
  _Atomic uint32_t word;    /* phase, deaths, sequence: link.c; both ends wait on it */
  _Atomic uint32_t watched; /* alternatives that wait for its sender */
  uint64_t bytes;           /* of the message: its sender's */
  uint64_t moved;           /* of these, what its receiver took */
  uint64_t meetings;        /* complete: its receiver's */
  uint64_t reserved[4];     /* a cache line each */
} OufLink;

typedef struct OufTask {
  _Atomic uint32_t arrivals; /* somebody sends on a watched link, or died: alternatives wait on it */
  _Atomic uint32_t closed;   /* its part of the trace has its TskDth */
  _Atomic uint64_t block;    /* of the trace: where it writes; 0: nowhere yet */
  _Atomic uint64_t next;     /* ... soon, or already: writer_last() */
  uint64_t reserved[5];
} OufTask;

/* Of this process; the same in all of them until the tasks begin. */
typedef struct OufLinkPlan {
  char *name;
  int from, to;
} OufLinkPlan;

typedef struct OufTaskPlan {
  char *name;
  int virtual_processor;
  int (*function) (void *);
  void *arg;
  pid_t pid;  /* 0: dead */
  int status; /* once dead */
} OufTaskPlan;

typedef struct Ouf {
  OufTaskPlan *task;
  OufLinkPlan *link;
  int *placed; /* physical processor of each virtual one */
  int n_tasks, n_links, n_virtual, n_physical;
  int self;       /* -1: not a task */
  int64_t origin; /* date 0 */

  OufTask *tasks; /* shared */
  OufLink *links;
  uint8_t *pieces;
} Ouf;

extern Ouf ouf;
extern _Thread_local int ouf_thread_number;

int64_t ouf_clock (void); /* nanoseconds of the machine */
/* Says a sentence and ends the task. */
_Noreturn void ouf_misuse (const char *fmt, ...) __attribute__ ((format (printf, 1, 2)));

/* Waits until *word is not `seen` any more or the date (of ouf_clock()) is over; false: it is over.  Date
 * INT64_MAX: for ever. */
bool ouf_futex_wait (_Atomic uint32_t *word, uint32_t seen, int64_t until);
void ouf_futex_wake (_Atomic uint32_t *word);

/* link.c: this task is dead; everybody who waits for it learns it. */
void ouf_link_bury (int task);

/* local.c: in the task, before its function and after it. */
void ouf_local_begin (void);
void ouf_local_end (void);
/* One thread at a time at an end of a link (2 * link: sending, + 1: receiving); false: the date is over. */
bool ouf_turn_take (unsigned end, int64_t until);
void ouf_turn_give (unsigned end);

#endif
