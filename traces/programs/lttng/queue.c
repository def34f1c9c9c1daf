/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - a master deals pieces of work to threads, each by a queue of one place: queue [WORKERS [ITEMS [TICKS]]].
 * What they do are tracepoints of LTTng.  At the end the master passes TICKS of them at once, more than small buffers
 * hold.  On the standard output: for each thread its number, and how many tracepoints of each kind it has passed. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "queue-events.h"

#define MOST 16
enum { WORK_BEGIN, WORK_END, PUT, TAKE, TICK, N_KINDS };

typedef struct Worker {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int tid, item, bytes; /* item: that waits to be taken; 0: none, -1: no more come */
  long passed[N_KINDS];
} Worker;

static Worker workers[MOST];
static int master;

static void
rest (long us)
{
  nanosleep (&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

static void *
work (void *data)
{
  Worker *w = data;

  pthread_mutex_lock (&w->lock);
  w->tid = gettid ();
  for (;;) {
    pthread_cond_broadcast (&w->changed);
    while (w->item == 0)
      pthread_cond_wait (&w->changed, &w->lock);
    if (w->item < 0)
      break;
    lttng_ust_tracepoint (queue, take, w->item, w->bytes, master);
    w->passed[TAKE]++;
    lttng_ust_tracepoint (queue, work_begin, w->item % 3 ? "short" : "long", w->item);
    w->passed[WORK_BEGIN]++;
    rest (w->item % 3 ? 200 : 800);
    lttng_ust_tracepoint (queue, work_end, w->item);
    w->passed[WORK_END]++;
    w->item = 0;
  }
  pthread_mutex_unlock (&w->lock);
  return NULL;
}

static void
tell (int tid, const long *passed)
{
  printf ("%d work_begin %ld work_end %ld put %ld take %ld tick %ld\n", tid, passed[WORK_BEGIN], passed[WORK_END],
          passed[PUT], passed[TAKE], passed[TICK]);
}

int
main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 3, items = argc > 2 ? atoi (argv[2]) : 40,
      ticks = argc > 3 ? atoi (argv[3]) : 3000;
  long passed[N_KINDS] = { 0 };

  if (n < 1 || n > MOST) {
    fprintf (stderr, "queue: from 1 to %d workers\n", MOST);
    return 2;
  }
  master = gettid ();
  for (int i = 0; i < n; i++) {
    Worker *w = &workers[i];
    pthread_mutex_init (&w->lock, NULL);
    pthread_cond_init (&w->changed, NULL);
    pthread_create (&w->thread, NULL, work, w);
  }
  for (int item = 1; item <= items + n; item++) {
    Worker *w = &workers[item % n];
    pthread_mutex_lock (&w->lock);
    while (w->item != 0 || w->tid == 0) /* until it has taken the last one and is done with it */
      pthread_cond_wait (&w->changed, &w->lock);
    w->item = item <= items ? item : -1;
    w->bytes = 100 + item;
    if (item <= items) {
      lttng_ust_tracepoint (queue, put, item, w->bytes, w->tid);
      passed[PUT]++;
    }
    pthread_cond_broadcast (&w->changed);
    pthread_mutex_unlock (&w->lock);
  }
  for (int i = 0; i < n; i++)
    pthread_join (workers[i].thread, NULL);
  for (int i = 0; i < ticks; i++) {
    lttng_ust_tracepoint (queue, tick, i);
    passed[TICK]++;
  }
  tell (master, passed);
  for (int i = 0; i < n; i++)
    tell (workers[i].tid, workers[i].passed);
  return 0;
}
