/* SPDX-License-Identifier: Apache-2.0 */
/* circle.c - philosophers who all take the fork on their left first: sooner or later each has one and waits for the
 * other, for ever.
 *
 *   circle [PHILOSOPHERS]
 *
 * Here it is sure: a barrier sees to it that each has its first fork before anybody asks for the second.  Ends only by
 * a signal. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "tape-threads.h"

enum { MOST = 32 };

static pthread_mutex_t forks[MOST];
static pthread_barrier_t seated;
static int n = 3;

static void *
philosopher (void *number)
{
  int i = (int) (size_t) number;
  char name[16];

  snprintf (name, sizeof name, "philosopher %d", i % 100);
  pthread_setname_np (pthread_self (), name);
  pthread_mutex_lock (&forks[i]);
  pthread_barrier_wait (&seated);
  pthread_mutex_lock (&forks[(i + 1) % n]);
  pthread_mutex_unlock (&forks[(i + 1) % n]);
  pthread_mutex_unlock (&forks[i]);
  return NULL;
}

int
main (int argc, char **argv)
{
  pthread_t threads[MOST];

  n = argc > 1 ? atoi (argv[1]) : n;
  if (n < 2 || n > MOST) {
    fprintf (stderr, "usage: circle [PHILOSOPHERS (2-%d)]\n", MOST);
    return 2;
  }
  pthread_barrier_init (&seated, NULL, (unsigned) n);
  for (int i = 0; i < n; i++) {
    char name[16];
    pthread_mutex_init (&forks[i], NULL);
    snprintf (name, sizeof name, "fork %d", i);
    tape_threads_name (&forks[i], name);
  }
  for (int i = 0; i < n; i++)
    pthread_create (&threads[i], NULL, philosopher, (void *) (size_t) i);
  for (int i = 0; i < n; i++)
    pthread_join (threads[i], NULL);
  return 0;
}
