/* SPDX-License-Identifier: Apache-2.0 */
/* philosophers.c - philosophers at a round table: threads of one task, forks that are semaphores.
 *
 *   philosophers [well|deadlock [PHILOSOPHERS [MEALS]]]      default well 5 20
 *
 * Each needs the fork at its left and the one at its right to eat.  Done well, at most all but one sit at the
 * table, and a philosopher who finds the second fork taken looks again after putting the first one back a few
 * times, before waiting for it.  In the deadlock nobody takes care: at the third meal everybody takes the
 * left fork, stops until all have done so, and then waits for the right one, for ever.  A second task, the
 * cook, counts the meals: they come by a link on which the philosophers take turns. */
#include "check.h"

#include <string.h>

enum { MAX = 64 };

static int philosophers, meals;
static bool well;
static int forks[MAX], thread[MAX], room, table, done, seated;
static int eating[MAX]; /* each under both its forks */

static void
eat (int me)
{
  int left = me, right = (me + 1) % philosophers;

  /* Whoever holds a fork is alone with it: a neighbour eating now would be seen. */
  check (!eating[left] && !eating[right], "two eat with one fork");
  eating[left] = eating[right] = 1;
  ouf_phase ("eat", me);
  ouf_wait (50000);
  ouf_phase_end ("eat");
  eating[left] = eating[right] = 0;
}

static void
take_both (int left, int right)
{
  for (int patience = 3; patience; patience--) {
    ouf_sem_p (left);
    if (ouf_sem_g (right))
      return;
    ouf_sem_v (left);
    ouf_wait (20000);
  }
  ouf_sem_p (left);
  ouf_sem_p (right);
}

/* Everybody stops until the last one has come. */
static void
all_here (int me)
{
  bool last;

  ouf_sem_p (table);
  last = ++seated == philosophers;
  if (last)
    for (int i = seated = 0; i < philosophers; i++)
      if (i != me)
        ouf_run (thread[i]);
  ouf_sem_v (table);
  if (!last)
    ouf_stop ();
}

static void
philosopher (void *arg)
{
  int me = (int) (intptr_t) arg, left = forks[me], right = forks[(me + 1) % philosophers];

  for (int meal = 0; meal < meals; meal++) {
    ouf_phase ("think", meal);
    ouf_wait (30000 + 7000 * me);
    ouf_phase_end ("think");
    ouf_sem_p (room);
    if (well || meal < 2) {
      take_both (left, right);
    } else {
      all_here (me); /* else somebody may still be waiting for the second fork of an earlier meal */
      ouf_sem_p (left);
      all_here (me);
      ouf_sem_p (right);
    }
    eat (me);
    ouf_sem_v (right);
    ouf_sem_v (left);
    ouf_sem_v (room);
    check (ouf_send (0, &me, sizeof me) == 0, "the cook is dead");
  }
  ouf_sem_v (done);
}

static int
dining (void *arg)
{
  char name[32];

  (void) arg;
  for (int i = 0; i < philosophers; i++) {
    snprintf (name, sizeof name, "fork%d", i);
    forks[i] = ouf_sem_init (name, 1);
  }
  room = ouf_sem_init ("room", well ? philosophers - 1 : philosophers);
  table = ouf_sem_init ("table", 1);
  done = ouf_sem_init ("done", 0);
  for (int i = 0; i < philosophers; i++) {
    snprintf (name, sizeof name, "philosopher%d", i);
    thread[i] = ouf_thread (name, philosopher, (void *) (intptr_t) i);
  }
  for (int i = 0; i < philosophers; i++)
    ouf_run (thread[i]);
  for (int i = 0; i < philosophers; i++)
    ouf_sem_p (done);
  return 0;
}

static int
cook (void *arg)
{
  int eaten[MAX] = { 0 }, who;

  (void) arg;
  for (int i = 0; i < philosophers * meals; i++) {
    check (ouf_receive (0, &who, sizeof who) == sizeof who, "the philosophers are dead");
    ouf_user ("meals", i + 1);
    eaten[who]++;
  }
  for (int i = 0; i < philosophers; i++)
    check (eaten[i] == meals, "not everybody has eaten");
  printf ("philosophers: %d meals: OK\n", philosophers * meals);
  return 0;
}

int
main (int argc, char **argv)
{
  int eaters, kitchen;

  well = argc < 2 || strcmp (argv[1], "deadlock") != 0;
  if (argc > 1 && well && strcmp (argv[1], "well") != 0) {
    fprintf (stderr, "philosophers: %s: well or deadlock\n", argv[1]);
    return 2;
  }
  philosophers = number (argc, argv, 2, 5, 2, MAX);
  meals = number (argc, argv, 3, 20, 1, 10000);
  eaters = ouf_task ("dining", -1, dining, NULL);
  kitchen = ouf_task ("cook", -1, cook, NULL);
  ouf_link ("meal", eaters, kitchen);
  return ouf_execute (argc, argv);
}
