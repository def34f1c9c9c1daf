/* SPDX-License-Identifier: Apache-2.0 */
/* record.h - inside the library that is preloaded: each thread writes a file of its own (lane.h). */
#ifndef TAPE_THREADS_RECORD_H
#define TAPE_THREADS_RECORD_H

#include "../lane.h"
#include "format.h"

#include <pthread.h>
#include <time.h>
#if defined __x86_64__
#include <x86intrin.h>
#endif

typedef struct ThreadLane {
  Lane lane;       /* first; its `depth`: a record is being written, or the tracer itself is at work */
  uint64_t *hold;  /* the record of the lock that was taken last, if nothing came after it; else NULL */
  uint64_t missed; /* calls that came meanwhile, from signal handlers */
  uint32_t thread;
} ThreadLane;

extern __thread ThreadLane *tape_lane __attribute__ ((tls_model ("initial-exec")));
extern bool tape_recording, tape_ticks;

/* The file of this thread, made; NULL: nothing is recorded. */
ThreadLane *tape_lane_new (void);
/* A number for a thread that is asked for. */
uint32_t tape_next_thread (void);
/* A thread begins, in the function `routine`. */
void tape_thread_begins (uint32_t number, uint32_t creator, void *routine);
/* It writes no more, whatever destructors call. */
void tape_thread_ends (void);
/* The process ends with this status, by itself or by exec. */
void tape_process_ends (int status);
void tape_find_real (void);

static inline uint64_t
tape_date (void)
{
#if defined __x86_64__
  if (__builtin_expect (tape_ticks, 1))
    return __rdtsc ();
#endif
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (uint64_t) t.tv_sec * 1000000000 + (uint64_t) t.tv_nsec;
}

/* The file to write to; NULL: this call is not recorded. */
static inline ThreadLane *
tape_here (void)
{
  ThreadLane *l = tape_lane;

  if (__builtin_expect (l == NULL, 0))
    l = tape_recording ? tape_lane_new () : NULL;
  if (__builtin_expect (l != NULL && l->lane.depth > 0, 0)) {
    l->missed++;
    return NULL;
  }
  return l;
}

/* A signal handler that comes between these two records nothing, so that no record is torn. */
static inline void
tape_begin (ThreadLane *l)
{
  l->lane.depth = 1;
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
}
static inline void
tape_end (ThreadLane *l)
{
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  l->lane.depth = 0;
}

#define TAPE_NOTE(l_, type, a, b, ...)                                                                                 \
  do {                                                                                                                 \
    tape_begin (l_);                                                                                                   \
    TAPE_PUT (&(l_)->lane, type, a, b, __VA_ARGS__);                                                                   \
    (l_)->hold = NULL;                                                                                                 \
    tape_end (l_);                                                                                                     \
  } while (0)

/* A lock was got without waiting. */
static inline void
tape_hold (ThreadLane *l, unsigned how, void *object, void *from)
{
  tape_begin (l);
  uint64_t *r = l->lane.off ? NULL : tape_room (&l->lane, 4);
  if (r) {
    r[1] = tape_date ();
    r[2] = (uint64_t) (uintptr_t) object;
    r[3] = (uint64_t) (uintptr_t) from;
    tape_publish (&l->lane, r, THREADS_HOLD, 4, how, 0);
  }
  l->hold = r;
  tape_end (l);
}

/* It is about to be let go of: told in the record in which it was taken, if nothing else has happened meanwhile. */
static inline void
tape_release (ThreadLane *l, void *object)
{
  uint64_t *r = l->hold;

  tape_begin (l);
  uint64_t date = tape_date ();
  l->hold = NULL;
  if (r && r[2] == (uint64_t) (uintptr_t) object && date - r[1] <= THREADS_MOST_HOLD)
    __atomic_store_n (r, *r | (date - r[1] + 1) << 40, __ATOMIC_RELEASE);
  else
    TAPE_PUT (&l->lane, THREADS_RELEASE, 0, 0, date, (uint64_t) (uintptr_t) object);
  tape_end (l);
}

static inline void
tape_ask (ThreadLane *l, unsigned what, bool limited, void *object, void *from, uint64_t with)
{
  TAPE_NOTE (l, THREADS_ASK, what, limited, tape_date (), (uint64_t) (uintptr_t) object, (uint64_t) (uintptr_t) from,
             with);
}

static inline void
tape_got (ThreadLane *l, int result)
{
  TAPE_NOTE (l, THREADS_GOT, (unsigned) result & 0xffff, 0, tape_date ());
}

#endif
