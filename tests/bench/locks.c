/* SPDX-License-Identifier: Apache-2.0 */
/* locks.c [WORK] - what takes and releases of a lock cost: alone, and as a program does that takes a million a second.
 *
 * Prints three numbers: nanoseconds of a take and release of a free lock, the least of many runs; and nanoseconds of a
 * round that computes for about a microsecond beside. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 40, ROUNDS = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned sink;

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static double
run (int work)
{
  double best = 1e30;

  for (int k = 0; k < RUNS; k++) {
    double begin = now ();
    for (int i = 0; i < ROUNDS; i++) {
      pthread_mutex_lock (&lock);
      sink++;
      pthread_mutex_unlock (&lock);
      for (int n = 0; n < work; n++)
        sink += (unsigned) n;
    }
    double took = (now () - begin) / ROUNDS;
    best = took < best ? took : best;
  }
  return best;
}

int
main (int argc, char **argv)
{
  int work = argc > 1 ? atoi (argv[1]) : 100;

  for (int i = 0; argc < 2 && i < 4; i++) /* until a round is a microsecond, on this machine */
    work = (int) (work * 1000 / run (work));
  printf ("%.1f %.1f %d\n", run (0), run (work), work);
  return 0;
}
