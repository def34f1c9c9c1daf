/* SPDX-License-Identifier: Apache-2.0 */
/* format.h - the files of a trace of POSIX threads, NAME.trace/NAME.threads/: what tape-threads writes and the reader
 * reads.  README.md explains them.
 *
 * PID-IMAGE.THREAD.lane   of each thread: a header, then records of words (lane-format.h)
 * clock                   text: pairs of ticks and nanoseconds
 * names                   text: what addresses in the program are, found when it had ended; may be missing */
#ifndef THREADS_FORMAT_H
#define THREADS_FORMAT_H

#include "lane-format.h"

#define THREADS_MAGIC "TAPETHR" /* 8 bytes with the final 0 */
#define THREADS_VERSION 1
#define THREADS_ENV_FOLDER "TAPE_THREADS_FOLDER" /* where the files go */
#define THREADS_ENV_TICKS "TAPE_THREADS_TICKS"   /* "1": dates are the processor's own, else nanoseconds */

typedef struct ThreadsHeader {
  char magic[8];
  uint32_t version, header_size;
  int32_t pid, parent;   /* of the process; the one that forked it */
  uint32_t image;        /* how many programs the process had been before this one, by exec */
  uint32_t thread;       /* 0: the one that called main (); in the order in which they were asked for */
  uint32_t creator;      /* thread that asked for it; its own number: nobody whom we know */
  uint32_t ticks;        /* 1: dates are ticks of the processor; else nanoseconds */
  uint64_t self;         /* pthread_t */
  uint64_t routine;      /* address of its function; 0: none */
  int64_t born, born_ns; /* when it began, in ticks; and CLOCK_MONOTONIC */
  int64_t real_ns;       /* at that time, since 1970 */
  char host[72], program[128];
} ThreadsHeader;
_Static_assert(sizeof (ThreadsHeader) == 280, "head of a lane");

/* `date` is in ticks.  An object is the address of a lock, condition, semaphore or barrier. */
enum {
  THREADS_END,
  THREADS_HOLD, /* a: HOLD_* | OBJECT_* << 1; date, object, address of the call: it has a lock from then on.  b: 0, or
                   ticks until it let go of it, + 1, where that was the next thing that it did */
  THREADS_RELEASE, /* a: 1: the one before was not its to let go of; date, object */
  THREADS_ASK,     /* a: WAIT_*, b: 1: with a limit of time; date, object, address of the call, and: of a condition its
                      lock, of a join the pthread_t: it has to wait */
  THREADS_GOT,     /* a: result; date: what it waited for has come */
  THREADS_SIGNAL,  /* a: SIGNAL_*; date, object, address of the call */
  THREADS_INIT,    /* a: OBJECT_*; date, object, address of the call, value */
  THREADS_DESTROY, /* date, object */
  THREADS_CREATE,  /* date, number of the thread, address of the call; a: result, of one that failed */
  THREADS_EXIT,    /* date: of the thread */
  THREADS_NAME,    /* pthread_t; text: name of a thread.  a: 1: of this one */
  THREADS_CALLED,  /* object; text: name that the program gives it */
  THREADS_CLOCK,   /* date; nanoseconds of CLOCK_MONOTONIC */
  THREADS_MODULES, /* text: executable mappings, one a line: BEGIN END OFFSET PATH, hexadecimal */
  THREADS_LOST,    /* date: nothing is recorded any more, as the disk refuses */
  THREADS_MISSED,  /* date; calls of signal handlers that came while a record was being written */
  THREADS_DONE,    /* date; status: the process ended in good order */
};
enum { HOLD_ALONE, HOLD_SHARED };
enum { WAIT_MUTEX, WAIT_READ, WAIT_WRITE, WAIT_SPIN, WAIT_CONDITION, WAIT_SEMAPHORE, WAIT_BARRIER, WAIT_JOIN, N_WAITS };
enum { SIGNAL_ONE, SIGNAL_ALL, SIGNAL_POST, SIGNAL_TAKEN }; /* of conditions; a semaphore goes up, goes down */
enum { OBJECT_MUTEX, OBJECT_RWLOCK, OBJECT_SPIN, OBJECT_CONDITION, OBJECT_SEMAPHORE, OBJECT_BARRIER };
#define THREADS_MOST_HOLD ((1u << 24) - 2) /* ticks that fit into a HOLD */

#endif
