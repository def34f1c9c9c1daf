/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - the functions that take the places of those of the C library: locks, conditions, semaphores, barriers.
 *
 * A lock is tried first: one that is free costs a record and no more.  Only who has to wait writes that it asks.  What
 * the true function answers is handed on as it is. */
#include <dlfcn.h>
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "wrap.h"

extern const Real __start_tape_thread_reals[], __stop_tape_thread_reals[];

/* Conditions have two versions in old C libraries; the first that fits is that of now. */
void
tape_find_real (void)
{
  for (const Real *r = __start_tape_thread_reals; r < __stop_tape_thread_reals; r++) {
    if (*r->at)
      continue;
    if (strncmp (r->name, "pthread_cond_", 13) == 0)
      *r->at = dlvsym (RTLD_NEXT, r->name, "GLIBC_2.3.2");
    if (!*r->at)
      *r->at = dlsym (RTLD_NEXT, r->name);
  }
}

#define FROM __builtin_return_address (0)
#define GOT(result) ((result) == 0 || (result) == EOWNERDEAD)

/* What a thread that is cancelled in a call leaves open is closed by what it does next. */

/* ---- mutexes ---------------------------------------------------------------------------------------------------- */

REAL (int, pthread_mutex_trylock, (pthread_mutex_t *) );
REAL (int, pthread_mutex_lock, (pthread_mutex_t *) );
REAL (int, pthread_mutex_unlock, (pthread_mutex_t *) );
REAL (int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *) );
REAL (int, pthread_mutex_clocklock, (pthread_mutex_t *, clockid_t, const struct timespec *) );

/* Tried, and asked for if it is not free. */
#define TAKE(l, how, what, limited, try, wait)                                                                         \
  do {                                                                                                                 \
    int result_ = try;                                                                                                 \
    if (__builtin_expect (GOT (result_), 1)) {                                                                         \
      tape_hold (l, how, object, from);                                                                                \
      return result_;                                                                                                  \
    }                                                                                                                  \
    tape_ask (l, what, limited, object, from, 0);                                                                      \
    result_ = wait;                                                                                                    \
    tape_got (l, result_);                                                                                             \
    return result_;                                                                                                    \
  } while (0)

static inline int
lock (pthread_mutex_t *object, void *from)
{
  ThreadLane *l = tape_here ();

  if (!l)
    return REAL_OF (pthread_mutex_lock) (object);
  TAKE (l, HOLD_ALONE, WAIT_MUTEX, false, real_pthread_mutex_trylock (object), real_pthread_mutex_lock (object));
}

static inline int
try_lock (pthread_mutex_t *object, void *from)
{
  ThreadLane *l = tape_here ();
  int result = REAL_OF (pthread_mutex_trylock) (object);

  if (l && GOT (result))
    tape_hold (l, HOLD_ALONE, object, from);
  return result;
}

static inline int
timed_lock (pthread_mutex_t *object, const struct timespec *until, void *from)
{
  ThreadLane *l = tape_here ();

  if (!l)
    return REAL_OF (pthread_mutex_timedlock) (object, until);
  TAKE (l, HOLD_ALONE, WAIT_MUTEX, true, real_pthread_mutex_trylock (object),
        real_pthread_mutex_timedlock (object, until));
}

/* It is told before it is done: who gets the lock next is later then. */
#define LET_GO(name)                                                                                                   \
  ThreadLane *l = tape_here ();                                                                                        \
  if (!l)                                                                                                              \
    return REAL_OF (name) (object);                                                                                    \
  tape_release (l, (void *) (uintptr_t) object);                                                                       \
  int result = real_##name (object);                                                                                   \
  if (__builtin_expect (result != 0, 0))                                                                               \
    TAPE_NOTE (l, THREADS_RELEASE, 1, 0, tape_date (), (uint64_t) (uintptr_t) object);                                 \
  return result

static inline int
unlock (pthread_mutex_t *object)
{
  LET_GO (pthread_mutex_unlock);
}

PUBLIC int
pthread_mutex_lock (pthread_mutex_t *object)
{
  return lock (object, FROM);
}

PUBLIC int
pthread_mutex_trylock (pthread_mutex_t *object)
{
  return try_lock (object, FROM);
}

PUBLIC int
pthread_mutex_timedlock (pthread_mutex_t *object, const struct timespec *until)
{
  return timed_lock (object, until, FROM);
}

PUBLIC int
pthread_mutex_clocklock (pthread_mutex_t *object, clockid_t clock, const struct timespec *until)
{
  ThreadLane *l = tape_here ();
  void *from = FROM;

  if (!l)
    return REAL_OF (pthread_mutex_clocklock) (object, clock, until);
  TAKE (l, HOLD_ALONE, WAIT_MUTEX, true, real_pthread_mutex_trylock (object),
        real_pthread_mutex_clocklock (object, clock, until));
}

PUBLIC int
pthread_mutex_unlock (pthread_mutex_t *object)
{
  return unlock (object);
}

/* ---- read-write locks ------------------------------------------------------------------------------------------- */

REAL (int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *) );
REAL (int, pthread_rwlock_trywrlock, (pthread_rwlock_t *) );
REAL (int, pthread_rwlock_rdlock, (pthread_rwlock_t *) );
REAL (int, pthread_rwlock_wrlock, (pthread_rwlock_t *) );
REAL (int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *) );
REAL (int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *) );
REAL (int, pthread_rwlock_clockrdlock, (pthread_rwlock_t *, clockid_t, const struct timespec *) );
REAL (int, pthread_rwlock_clockwrlock, (pthread_rwlock_t *, clockid_t, const struct timespec *) );
REAL (int, pthread_rwlock_unlock, (pthread_rwlock_t *) );

enum {
  READS = HOLD_SHARED | OBJECT_RWLOCK << 1,
  WRITES = HOLD_ALONE | OBJECT_RWLOCK << 1,
  SPINS = HOLD_ALONE | OBJECT_SPIN << 1
};

#define RWLOCK(name, params, args, how, what, limited, try)                                                            \
  PUBLIC int name params                                                                                               \
  {                                                                                                                    \
    ThreadLane *l = tape_here ();                                                                                      \
    void *from = FROM;                                                                                                 \
    if (!l)                                                                                                            \
      return REAL_OF (name) args;                                                                                      \
    TAKE (l, how, what, limited, real_##try (object), real_##name args);                                               \
  }
#define RWTRY(name, how)                                                                                               \
  PUBLIC int name (pthread_rwlock_t *object)                                                                           \
  {                                                                                                                    \
    ThreadLane *l = tape_here ();                                                                                      \
    int result = REAL_OF (name) (object);                                                                              \
    if (l && result == 0)                                                                                              \
      tape_hold (l, how, object, FROM);                                                                                \
    return result;                                                                                                     \
  }

RWLOCK (pthread_rwlock_rdlock, (pthread_rwlock_t * object), (object), READS, WAIT_READ, false, pthread_rwlock_tryrdlock)
RWLOCK (pthread_rwlock_wrlock, (pthread_rwlock_t * object), (object), WRITES, WAIT_WRITE, false,
        pthread_rwlock_trywrlock)
RWLOCK (pthread_rwlock_timedrdlock, (pthread_rwlock_t * object, const struct timespec *until), (object, until), READS,
        WAIT_READ, true, pthread_rwlock_tryrdlock)
RWLOCK (pthread_rwlock_timedwrlock, (pthread_rwlock_t * object, const struct timespec *until), (object, until), WRITES,
        WAIT_WRITE, true, pthread_rwlock_trywrlock)
RWLOCK (pthread_rwlock_clockrdlock, (pthread_rwlock_t * object, clockid_t clock, const struct timespec *until),
        (object, clock, until), READS, WAIT_READ, true, pthread_rwlock_tryrdlock)
RWLOCK (pthread_rwlock_clockwrlock, (pthread_rwlock_t * object, clockid_t clock, const struct timespec *until),
        (object, clock, until), WRITES, WAIT_WRITE, true, pthread_rwlock_trywrlock)
RWTRY (pthread_rwlock_tryrdlock, READS)
RWTRY (pthread_rwlock_trywrlock, WRITES)

PUBLIC int
pthread_rwlock_unlock (pthread_rwlock_t *object)
{
  LET_GO (pthread_rwlock_unlock);
}

/* ---- spin locks ------------------------------------------------------------------------------------------------- */

REAL (int, pthread_spin_trylock, (pthread_spinlock_t *) );
REAL (int, pthread_spin_lock, (pthread_spinlock_t *) );
REAL (int, pthread_spin_unlock, (pthread_spinlock_t *) );

PUBLIC int
pthread_spin_lock (pthread_spinlock_t *lock)
{
  ThreadLane *l = tape_here ();
  void *from = FROM, *object = (void *) (uintptr_t) lock;

  if (!l)
    return REAL_OF (pthread_spin_lock) (lock);
  TAKE (l, SPINS, WAIT_SPIN, false, real_pthread_spin_trylock (lock), real_pthread_spin_lock (lock));
}

PUBLIC int
pthread_spin_trylock (pthread_spinlock_t *lock)
{
  ThreadLane *l = tape_here ();
  int result = REAL_OF (pthread_spin_trylock) (lock);

  if (l && result == 0)
    tape_hold (l, SPINS, (void *) (uintptr_t) lock, FROM);
  return result;
}

PUBLIC int
pthread_spin_unlock (pthread_spinlock_t *object)
{
  LET_GO (pthread_spin_unlock);
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

REAL (int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *) );
REAL (int, pthread_cond_timedwait, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *) );
REAL (int, pthread_cond_clockwait, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *) );
REAL (int, pthread_cond_signal, (pthread_cond_t *) );
REAL (int, pthread_cond_broadcast, (pthread_cond_t *) );

#define AWAIT(name, limited, args)                                                                                     \
  ThreadLane *l = tape_here ();                                                                                        \
  if (!l)                                                                                                              \
    return REAL_OF (name) args;                                                                                        \
  tape_ask (l, WAIT_CONDITION, limited, object, from, (uint64_t) (uintptr_t) mutex);                                   \
  int result = real_##name args;                                                                                       \
  tape_got (l, result);                                                                                                \
  return result

static inline int
threads_wrap_await (pthread_cond_t *object, pthread_mutex_t *mutex, void *from)
{
  AWAIT (pthread_cond_wait, false, (object, mutex));
}

static inline int
await_until (pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *until, void *from)
{
  AWAIT (pthread_cond_timedwait, true, (object, mutex, until));
}

static inline void
threads_wrap_told (ThreadLane *l, unsigned what, void *object, void *from)
{
  TAPE_NOTE (l, THREADS_SIGNAL, what, 0, tape_date (), (uint64_t) (uintptr_t) object, (uint64_t) (uintptr_t) from);
}

static inline int
signal_one (pthread_cond_t *object, void *from)
{
  ThreadLane *l = tape_here ();

  if (l)
    threads_wrap_told (l, SIGNAL_ONE, object, from);
  return REAL_OF (pthread_cond_signal) (object);
}

static inline int
signal_all (pthread_cond_t *object, void *from)
{
  ThreadLane *l = tape_here ();

  if (l)
    threads_wrap_told (l, SIGNAL_ALL, object, from);
  return REAL_OF (pthread_cond_broadcast) (object);
}

PUBLIC int
pthread_cond_wait (pthread_cond_t *object, pthread_mutex_t *mutex)
{
  return threads_wrap_await (object, mutex, FROM);
}

PUBLIC int
pthread_cond_timedwait (pthread_cond_t *object, pthread_mutex_t *mutex, const struct timespec *until)
{
  return await_until (object, mutex, until, FROM);
}

PUBLIC int
pthread_cond_clockwait (pthread_cond_t *object, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
  void *from = FROM;

  AWAIT (pthread_cond_clockwait, true, (object, mutex, clock, until));
}

PUBLIC int
pthread_cond_signal (pthread_cond_t *object)
{
  return signal_one (object, FROM);
}

PUBLIC int
pthread_cond_broadcast (pthread_cond_t *object)
{
  return signal_all (object, FROM);
}

/* ---- semaphores ------------------------------------------------------------------------------------------------- */

REAL (int, sem_wait, (sem_t *) );
REAL (int, sem_trywait, (sem_t *) );
REAL (int, sem_timedwait, (sem_t *, const struct timespec *) );
REAL (int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *) );
REAL (int, sem_post, (sem_t *) );

#define SEM_WAIT(name, limited, args)                                                                                  \
  ThreadLane *l = tape_here ();                                                                                        \
  int saved = errno;                                                                                                   \
  if (!l)                                                                                                              \
    return REAL_OF (name) args;                                                                                        \
  if (real_sem_trywait (object) == 0) {                                                                                \
    threads_wrap_told (l, SIGNAL_TAKEN, object, FROM);                                                                 \
    return 0;                                                                                                          \
  }                                                                                                                    \
  errno = saved;                                                                                                       \
  tape_ask (l, WAIT_SEMAPHORE, limited, object, FROM, 0);                                                              \
  int result = real_##name args;                                                                                       \
  saved = errno;                                                                                                       \
  tape_got (l, result == 0 ? 0 : saved);                                                                               \
  errno = saved;                                                                                                       \
  return result

PUBLIC int
sem_wait (sem_t *object)
{
  SEM_WAIT (sem_wait, false, (object));
}

PUBLIC int
sem_timedwait (sem_t *object, const struct timespec *until)
{
  SEM_WAIT (sem_timedwait, true, (object, until));
}

PUBLIC int
sem_clockwait (sem_t *object, clockid_t clock, const struct timespec *until)
{
  SEM_WAIT (sem_clockwait, true, (object, clock, until));
}

PUBLIC int
sem_trywait (sem_t *object)
{
  ThreadLane *l = tape_here ();
  int result = REAL_OF (sem_trywait) (object);

  if (l && result == 0)
    threads_wrap_told (l, SIGNAL_TAKEN, object, FROM);
  return result;
}

/* Safe in signal handlers, as the true one is. */
PUBLIC int
sem_post (sem_t *object)
{
  ThreadLane *l = tape_here ();

  if (l)
    threads_wrap_told (l, SIGNAL_POST, object, FROM);
  return REAL_OF (sem_post) (object);
}

/* ---- barriers --------------------------------------------------------------------------------------------------- */

REAL (int, pthread_barrier_wait, (pthread_barrier_t *) );

PUBLIC int
pthread_barrier_wait (pthread_barrier_t *object)
{
  ThreadLane *l = tape_here ();

  if (!l)
    return REAL_OF (pthread_barrier_wait) (object);
  tape_ask (l, WAIT_BARRIER, false, object, FROM, 0);
  int result = real_pthread_barrier_wait (object);
  tape_got (l, result == PTHREAD_BARRIER_SERIAL_THREAD ? 0 : result);
  return result;
}

/* ---- made and unmade --------------------------------------------------------------------------------------------- */

REAL (int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *) );
REAL (int, pthread_mutex_destroy, (pthread_mutex_t *) );
REAL (int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *) );
REAL (int, pthread_rwlock_destroy, (pthread_rwlock_t *) );
REAL (int, pthread_spin_init, (pthread_spinlock_t *, int) );
REAL (int, pthread_spin_destroy, (pthread_spinlock_t *) );
REAL (int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *) );
REAL (int, pthread_cond_destroy, (pthread_cond_t *) );
REAL (int, sem_init, (sem_t *, int, unsigned) );
REAL (int, sem_destroy, (sem_t *) );
REAL (int, pthread_barrier_init, (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned) );
REAL (int, pthread_barrier_destroy, (pthread_barrier_t *) );

static inline void
threads_wrap_made (unsigned what, const volatile void *object, uint64_t value, void *from)
{
  ThreadLane *l = tape_here ();

  if (l)
    TAPE_NOTE (l, THREADS_INIT, what, 0, tape_date (), (uint64_t) (uintptr_t) object, (uint64_t) (uintptr_t) from,
               value);
}

#define MADE(name, params, args, what, value)                                                                          \
  PUBLIC int name params                                                                                               \
  {                                                                                                                    \
    int result = REAL_OF (name) args;                                                                                  \
    if (result == 0)                                                                                                   \
      threads_wrap_made (what, object, value, FROM);                                                                   \
    return result;                                                                                                     \
  }
#define UNMADE(name, type)                                                                                             \
  PUBLIC int name (type *object)                                                                                       \
  {                                                                                                                    \
    ThreadLane *l = tape_here ();                                                                                      \
    int result = REAL_OF (name) (object);                                                                              \
    if (l && result == 0)                                                                                              \
      TAPE_NOTE (l, THREADS_DESTROY, 0, 0, tape_date (), (uint64_t) (uintptr_t) object);                               \
    return result;                                                                                                     \
  }

MADE (pthread_mutex_init, (pthread_mutex_t * object, const pthread_mutexattr_t *how), (object, how), OBJECT_MUTEX, 0)
MADE (pthread_rwlock_init, (pthread_rwlock_t * object, const pthread_rwlockattr_t *how), (object, how), OBJECT_RWLOCK,
      0)
MADE (pthread_spin_init, (pthread_spinlock_t * object, int shared), (object, shared), OBJECT_SPIN, 0)
MADE (pthread_cond_init, (pthread_cond_t * object, const pthread_condattr_t *how), (object, how), OBJECT_CONDITION, 0)
MADE (sem_init, (sem_t * object, int shared, unsigned value), (object, shared, value), OBJECT_SEMAPHORE, value)
MADE (pthread_barrier_init, (pthread_barrier_t * object, const pthread_barrierattr_t *how, unsigned n),
      (object, how, n), OBJECT_BARRIER, n)
UNMADE (pthread_mutex_destroy, pthread_mutex_t)
UNMADE (pthread_rwlock_destroy, pthread_rwlock_t)
UNMADE (pthread_spin_destroy, pthread_spinlock_t)
UNMADE (pthread_cond_destroy, pthread_cond_t)
UNMADE (sem_destroy, sem_t)
UNMADE (pthread_barrier_destroy, pthread_barrier_t)

/* ---- C11: the same objects, but the C library calls its own functions, not these ------------------------------------ */

static int
c11 (int error)
{
  switch (error) {
  case 0:
    return thrd_success;
  case EBUSY:
    return thrd_busy;
  case ETIMEDOUT:
    return thrd_timedout;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

REAL (int, mtx_init, (mtx_t *, int) );
#define MUTEX(m) ((pthread_mutex_t *) (void *) (m))
#define COND(c) ((pthread_cond_t *) (void *) (c))

PUBLIC int
mtx_init (mtx_t *object, int how)
{
  int result = REAL_OF (mtx_init) (object, how);

  if (result == thrd_success)
    threads_wrap_made (OBJECT_MUTEX, object, 0, FROM);
  return result;
}

PUBLIC int
mtx_lock (mtx_t *m)
{
  return c11 (lock (MUTEX (m), FROM));
}

PUBLIC int
mtx_trylock (mtx_t *m)
{
  return c11 (try_lock (MUTEX (m), FROM));
}

PUBLIC int
mtx_timedlock (mtx_t *m, const struct timespec *until)
{
  return c11 (timed_lock (MUTEX (m), until, FROM));
}

PUBLIC int
mtx_unlock (mtx_t *m)
{
  return c11 (unlock (MUTEX (m)));
}

PUBLIC int
cnd_wait (cnd_t *c, mtx_t *m)
{
  return c11 (threads_wrap_await (COND (c), MUTEX (m), FROM));
}

PUBLIC int
cnd_timedwait (cnd_t *c, mtx_t *m, const struct timespec *until)
{
  return c11 (await_until (COND (c), MUTEX (m), until, FROM));
}

PUBLIC int
cnd_signal (cnd_t *c)
{
  return c11 (signal_one (COND (c), FROM));
}

PUBLIC int
cnd_broadcast (cnd_t *c)
{
  return c11 (signal_all (COND (c), FROM));
}
