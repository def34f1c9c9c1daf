/* SPDX-License-Identifier: Apache-2.0 */
/* packer.h - blocks of events go to a file, packed by threads of their own, in the order in which they were given.
 * Private to the sorter (sorter.c). */
#pragma once
#include <pthread.h>

#include "readers/converted-private.h"

#define MOST_PACKERS 4
#define MOST_SLOTS 256 /* blocks that the events of one may come from */

/* What events are put in order by. */
typedef struct Stamp {
  int64_t date;
  uint64_t order;
} Stamp;

/* Where events wait. */
typedef struct EventBlock {
  _Alignas(64) TraceEvent events[BLOCK_EVENTS]; /* a line of the cache each */
  Stamp stamps[BLOCK_EVENTS];
  uint32_t left; /* events that are still wanted; at none it is free again.  The packer's lock */
} EventBlock;

/* So many events of a block are taken. */
typedef struct Take {
  EventBlock *from;
  uint32_t n;
} Take;

/* Events in order, in blocks of a file. */
typedef struct Run {
  GArray *blocks; /* of Block: the packing thread's */
  int64_t last;   /* date, */
  uint64_t order; /* and number, of its last event */
} Run;

Run *packer_run_new (void);
void packer_run_free (void *run);

/* Who wants to see events of some kinds in the order in which they are written, if they are all written in one run: so
 * they need not be read again for that. */
typedef struct Watch {
  const uint8_t *kinds; /* by kind: 0 if none of it is wanted */
  /* An event that is wanted, and the number that it has among all.  One thread at a time, not always the same. */
  void (*see) (void *arg, const TraceEvent *event, uint64_t number);
  void *arg;
} Watch;

/* The threads that pack blocks and write them. */
typedef struct Packer {
  pthread_t threads[MOST_PACKERS];
  int n_threads; /* 0: what they do is done at once */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GQueue jobs;                 /* of Job */
  uint64_t n_given, n_written; /* jobs */
  bool stops;
  int failed; /* errno */
  int fd;     /* what is written to, and where; changed only while there is nothing to do */
  uint64_t at;
  int numbers_fd; /* the same of the numbers of events, which only those who merge want; -1: nobody does */
  uint64_t numbers_at;
  Watch watch;        /* changed only before anything is given; .see NULL: nobody watches */
  const Run *watched; /* the run that is seen, */
  uint64_t n_watched; /* so many events of it; those who write, in turn */
  bool watch_fails;   /* there is another run */
  bool pays[2];       /* packing, as the blocks tried last tell, in turn; whoever packs looks and sets */
  GPtrArray *spare;   /* of EventBlock: those that are free */
  GPtrArray *slabs;   /* the memory of all blocks, several in one */
} Packer;

/* By so many threads, at most MOST_PACKERS; 0, or there are none to be had: what they do is done at once. */
void packer_start (Packer *p, int most);
/* When all that was given is done.  Blocks that were taken are no more, then. */
void packer_stop (Packer *p);
/* Room for BLOCK_EVENTS events.  Any thread. */
EventBlock *packer_take (Packer *p);
/* So many events of each are no more wanted, of those that .left tells.  Any thread. */
void packer_release (Packer *p, const Take *takes, guint n);
/* All that is given below goes on to the disk, behind what was given before.  One thread at a time.  False, and errno:
 * something went wrong, now or before.
 *
 * n events, n <= BLOCK_EVENTS: the first, if they lie side by side, else NULL and where each lies; and what is taken of
 * which block for that, which is released. */
bool packer_put (Packer *p, Run *run, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n,
                 const Take *takes, guint n_takes);
/* A block that is written already, with other places: its bytes and those of its numbers. */
bool packer_put_written (Packer *p, Run *run, const Block *block, const void *bytes, const void *numbers, Stamp last);
/* Waits until all that was given is on the disk; false and errno as above. */
bool packer_drain (Packer *p);
/* The disk is looked at now and then: what others need of it is left. */
bool packer_has_room (const Packer *p);
