/* SPDX-License-Identifier: Apache-2.0 */
/* local.c - what happens inside a task: threads, semaphores, turns at the ends of links, sleep. */
#include "region.h"

#include "note.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Thread {
  void (*function) (void *);
  void *arg;
  pthread_t handle;
  int number;
  bool runs;    /* has been let go, or is not stopped */
  bool pending; /* does not stop the next time */
} Thread;

/* Served in the order of their tickets: value = served - tickets. */
typedef struct Semaphore {
  int64_t served, tickets;
} Semaphore;

/* All of it is under one lock, and whoever waits looks again at every change: tasks have few threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_cond_t turn; /* only for turns: a message must not wake those who wait for a semaphore */
static Thread **threads;    /* [0]: the task's own */
static int n_threads;
static int going; /* that have been let go and are neither stopped nor at their end */
static bool ending;
static Semaphore *semaphores;
static int n_semaphores;
static bool *busy; /* ends of links */

static void *
more (void *array, int n, size_t size)
{
  void *larger = n & (n - 1) ? array : realloc (array, (size_t) (n ? 2 * n : 1) * size);

  if (!larger)
    ouf_misuse ("out of memory");
  return larger;
}

static Thread *
new_thread (void)
{
  Thread *t = calloc (1, sizeof *t);

  if (!t)
    ouf_misuse ("out of memory");
  threads = more (threads, n_threads, sizeof *threads);
  t->number = n_threads;
  return threads[n_threads++] = t;
}

void
ouf_local_begin (void)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&changed, &attributes);
  pthread_cond_init (&turn, &attributes);
  pthread_condattr_destroy (&attributes);
  busy = calloc (2 * (size_t) ouf.n_links + 1, sizeof *busy);
  if (!busy)
    ouf_misuse ("out of memory");
  new_thread ()->runs = true;
  going = 1;
}

void
ouf_local_end (void)
{
  pthread_mutex_lock (&lock);
  going--;
  while (going)
    pthread_cond_wait (&changed, &lock);
  /* Nobody is left to run those that are stopped. */
  ending = true;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
  for (int i = 1; i < n_threads; i++) {
    pthread_join (threads[i]->handle, NULL);
    free (threads[i]);
  }
  free (threads[0]);
  free (threads);
  free (semaphores);
  free (busy);
  pthread_cond_destroy (&changed);
  pthread_cond_destroy (&turn);
}

static void
inside (const char *call)
{
  if (ouf.self < 0)
    ouf_misuse ("%s: called outside a task", call);
}

/* -- threads -- */

/* Under the lock; false: the task ends first. */
static bool
wait_for_run (Thread *t)
{
  while (!t->runs && !ending)
    pthread_cond_wait (&changed, &lock);
  return t->runs;
}

static void *
thread_main (void *arg)
{
  Thread *t = arg;
  bool go;

  pthread_mutex_lock (&lock);
  go = wait_for_run (t);
  pthread_mutex_unlock (&lock);
  if (!go)
    return NULL;
  ouf_thread_number = t->number;
  t->function (t->arg);
  NOTE_BARE_INSTANT (ThdDth);
  pthread_mutex_lock (&lock);
  going--;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
  return NULL;
}

int
ouf_thread (const char *name, void (*function) (void *), void *arg)
{
  Thread *t;
  int error;

  inside ("ouf_thread");
  pthread_mutex_lock (&lock);
  if (n_threads == OUF_MAX_THREADS)
    ouf_misuse ("ouf_thread: %s: there have been %d threads already", name, OUF_MAX_THREADS);
  t = new_thread ();
  t->function = function;
  t->arg = arg;
  NOTE_NAMED (ThdBth, t->number, name, ouf_thread_number);
  error = pthread_create (&t->handle, NULL, thread_main, t);
  pthread_mutex_unlock (&lock);
  if (error)
    ouf_misuse ("ouf_thread: %s: %s", name, strerror (error));
  return t->number;
}

void
ouf_run (int thread)
{
  Thread *t;

  inside ("ouf_run");
  pthread_mutex_lock (&lock);
  if (thread < 0 || thread >= n_threads)
    ouf_misuse ("ouf_run: there is no thread %d", thread);
  t = threads[thread];
  NOTE_INSTANT (Run, thread);
  if (t->runs) {
    t->pending = true;
  } else {
    t->runs = true;
    going++;
    pthread_cond_broadcast (&changed);
  }
  pthread_mutex_unlock (&lock);
}

void
ouf_stop (void)
{
  Thread *t;
  bool go;

  inside ("ouf_stop");
  pthread_mutex_lock (&lock);
  t = threads[ouf_thread_number];
  NOTE_BARE_INSTANT (Stop);
  if (t->pending) {
    t->pending = false;
    pthread_mutex_unlock (&lock);
    return;
  }
  t->runs = false;
  going--;
  pthread_cond_broadcast (&changed);
  go = wait_for_run (t);
  pthread_mutex_unlock (&lock);
  if (!go)
    pthread_exit (NULL);
}

/* -- semaphores -- */

int
ouf_sem_init (const char *name, int value)
{
  int number;

  inside ("ouf_sem_init");
  if (value < 0)
    ouf_misuse ("ouf_sem_init: %s: %d is less than 0", name, value);
  pthread_mutex_lock (&lock);
  semaphores = more (semaphores, n_semaphores, sizeof *semaphores);
  number = n_semaphores++;
  semaphores[number] = (Semaphore){ value, 0 };
  note_semaphore (number, value, name);
  pthread_mutex_unlock (&lock);
  return number;
}

/* With the lock taken. */
static Semaphore *
semaphore_of (int number, const char *call)
{
  inside (call);
  pthread_mutex_lock (&lock);
  if (number < 0 || number >= n_semaphores)
    ouf_misuse ("%s: there is no semaphore %d", call, number);
  return &semaphores[number];
}

/* What can be taken; nobody sees those that wait as less than 0. */
static int64_t
ouf_local_value_of (const Semaphore *s)
{
  return s->served > s->tickets ? s->served - s->tickets : 0;
}

void
ouf_sem_p (int semaphore)
{
  Semaphore *s = semaphore_of (semaphore, "ouf_sem_p");
  int64_t ticket = s->tickets++;
  OufMark mark = NOTE_BEGIN (SemP, semaphore);

  while (ticket >= semaphores[semaphore].served) /* the array may move */
    pthread_cond_wait (&changed, &lock);
  NOTE_END (&mark, SemG, semaphore, ouf_local_value_of (&semaphores[semaphore]));
  pthread_mutex_unlock (&lock);
}

bool
ouf_sem_g (int semaphore)
{
  Semaphore *s = semaphore_of (semaphore, "ouf_sem_g");
  bool taken = s->tickets < s->served;

  s->tickets += taken;
  NOTE_INSTANT (SemGOk, semaphore, ouf_local_value_of (s), taken);
  pthread_mutex_unlock (&lock);
  return taken;
}

void
ouf_sem_v (int semaphore)
{
  Semaphore *s = semaphore_of (semaphore, "ouf_sem_v");

  s->served++;
  NOTE_INSTANT (SemV, semaphore, ouf_local_value_of (s));
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
}

/* -- turns, sleep -- */

bool
ouf_turn_take (unsigned end, int64_t until)
{
  struct timespec t = { until / 1000000000, until % 1000000000 };
  int error = 0;
  bool taken;

  pthread_mutex_lock (&lock);
  while (busy[end] && error != ETIMEDOUT)
    error = until == INT64_MAX ? pthread_cond_wait (&turn, &lock) : pthread_cond_timedwait (&turn, &lock, &t);
  taken = !busy[end];
  busy[end] = true;
  pthread_mutex_unlock (&lock);
  return taken;
}

void
ouf_turn_give (unsigned end)
{
  pthread_mutex_lock (&lock);
  busy[end] = false;
  pthread_cond_broadcast (&turn);
  pthread_mutex_unlock (&lock);
}

void
ouf_wait (int64_t ns)
{
  struct timespec t;
  OufMark mark = NOTE_BEGIN (Wait, ns);
  int64_t until = ouf_clock (); /* after the event, so that it shows no less than was asked for */

  until = ns < 0 ? until : ns > INT64_MAX - until ? INT64_MAX : until + ns;
  t = (struct timespec){ until / 1000000000, until % 1000000000 };
  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
    continue;
  NOTE_BARE_END (&mark, EndWait);
}
