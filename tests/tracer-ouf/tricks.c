/* SPDX-License-Identifier: Apache-2.0 */
/* tricks.c CASE - the runtime at its edges; each case checks itself and ends with status 0.  Linked with both
 * libraries. */
#include "ouf.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE 32768 /* of the runtime: messages around multiples of it are edges */

#define CHECK(what)                                                                                                    \
  do {                                                                                                                 \
    if (!(what)) {                                                                                                     \
      fprintf (stderr, "tricks.c:%d: task %d: %s\n", __LINE__, ouf_self (), #what);                                    \
      exit (1);                                                                                                        \
    }                                                                                                                  \
  } while (0)

static const size_t sizes[] = { 0, 1, 7, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 5 * PIECE + 123, 1000000 };

enum { N_SIZES = sizeof sizes / sizeof *sizes };

static uint8_t
byte_at (size_t i, int round)
{
  return (uint8_t) (i * 31 + i / 4096 + (size_t) round);
}

/* -- messages of all sizes, both first, into room that is too small -- */

static int
speaks (void *arg)
{
  uint8_t *data = malloc (1000000);

  (void) arg;
  CHECK (data);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < N_SIZES; i++) {
      for (size_t k = 0; k < sizes[i]; k++)
        data[k] = byte_at (k, round);
      if (round == 0)
        ouf_wait (2000000);
      CHECK (ouf_send (0, data, sizes[i]) == 0);
    }
  for (int i = 0; i < N_SIZES; i++)
    CHECK (ouf_send (0, data, sizes[i]) == (sizes[i] > 100 ? OUF_LONG : 0));
  CHECK (ouf_send (0, data, PIECE + 5) == OUF_LONG);
  CHECK (ouf_tsend (0, data, 10, 0) == OUF_TIMEOUT);
  CHECK (ouf_tsend (0, data, 10, 3000000) == OUF_TIMEOUT);
  CHECK (ouf_send (0, data, 10) == 0);
  CHECK (ouf_tsend (0, data, PIECE * 3, 10000000000) == 0);
  CHECK (ouf_tsend (0, data, 0, INT64_MAX) == 0);
  free (data);
  return 0;
}

static int
listens (void *arg)
{
  uint8_t *data = malloc (1000001);
  int64_t before;

  (void) arg;
  CHECK (data);
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < N_SIZES; i++) {
      if (round == 1)
        ouf_wait (2000000);
      data[sizes[i]] = 0x5a;
      CHECK (ouf_receive (0, data, 1000001) == (long) sizes[i]);
      for (size_t k = 0; k < sizes[i]; k++)
        CHECK (data[k] == byte_at (k, round));
      CHECK (data[sizes[i]] == 0x5a);
    }
  for (int i = 0; i < N_SIZES; i++) {
    data[100] = 0x5a;
    CHECK (ouf_receive (0, data, 100) == (sizes[i] > 100 ? OUF_LONG : (long) sizes[i]));
    CHECK (data[100] == 0x5a);
  }
  CHECK (ouf_receive (0, data, PIECE + 1) == OUF_LONG);
  ouf_wait (20000000); /* it gives up twice meanwhile */
  CHECK (ouf_receive (0, data, 10) == 10);
  CHECK (ouf_treceive (0, data, 1000000, 10000000000) == 3 * PIECE);
  CHECK (ouf_receive (0, data, 10) == 0);
  before = ouf_now ();
  CHECK (ouf_treceive (1, data, 10, 5000000) == OUF_TIMEOUT || ouf_now () < before + 5000000);
  CHECK (ouf_now () >= before + 5000000);
  CHECK (ouf_treceive (1, data, 10, -5) == OUF_TIMEOUT);
  CHECK (ouf_send (2, data, 0) == 0);
  free (data);
  return 0;
}

static int
mute (void *arg)
{
  (void) arg;
  return ouf_receive (2, NULL, 0) != 0;
}

static void
case_messages (void)
{
  int a = ouf_task ("speaks", -1, speaks, NULL), b = ouf_task ("listens", -1, listens, NULL);
  int c = ouf_task ("mute", -1, mute, NULL);

  ouf_link ("words", a, b);
  ouf_link ("silence", c, b);
  ouf_link ("end", b, c);
}

/* -- limits and rendezvous crossing each other -- */

enum { CROSSINGS = 1000 };

static int
impatient_sender (void *arg)
{
  unsigned seed = 1;
  int next = 0;

  (void) arg;
  while (next < CROSSINGS) {
    int result = ouf_tsend (0, &next, sizeof next, rand_r (&seed) % 60000);

    CHECK (result == 0 || result == OUF_TIMEOUT);
    next += result == 0;
  }
  return 0;
}

static int
impatient_receiver (void *arg)
{
  unsigned seed = 2;
  int expected = 0, link = 0;

  (void) arg;
  while (expected < CROSSINGS) {
    int got = -1;
    long n;

    if (rand_r (&seed) % 4 == 0) {
      /* Once found, it waits. */
      if (ouf_nalt (1, &link) != 0)
        continue;
      n = ouf_receive (0, &got, sizeof got);
      CHECK (n == sizeof got);
    } else {
      n = ouf_treceive (0, &got, sizeof got, rand_r (&seed) % 60000);
    }
    if (n == OUF_TIMEOUT)
      continue;
    CHECK (n == sizeof got && got == expected); /* none lost, none twice */
    expected++;
  }
  return 0;
}

static void
case_limits (void)
{
  ouf_link ("impatience", ouf_task ("sender", -1, impatient_sender, NULL),
            ouf_task ("receiver", -1, impatient_receiver, NULL));
}

/* -- alternatives: all are served, none twice -- */

enum { CALLERS = 5, CALLS = 200 };

static int
caller (void *arg)
{
  int me = (int) (intptr_t) arg;

  for (int i = 0; i < CALLS; i++)
    CHECK (ouf_send (me, &i, sizeof i) == 0);
  return 0;
}

static int
switchboard (void *arg)
{
  int links[CALLERS], heard[CALLERS] = { 0 }, got, k, none = 0;

  (void) arg;
  for (int i = 0; i < CALLERS; i++)
    links[i] = i;
  for (int i = 0; i < CALLERS * CALLS; i++) {
    while (i % 2 && (k = ouf_nalt (CALLERS, links)) < 0) {
      CHECK (k == OUF_NONE);
      none++;
    }
    if (i % 2 == 0)
      k = ouf_alt (CALLERS, links);
    CHECK (k >= 0 && k < CALLERS);
    /* Chosen and not yet received: it is chosen again. */
    CHECK (i % 100 || ouf_nalt (1, &links[k]) == 0);
    CHECK (ouf_receive (links[k], &got, sizeof got) == sizeof got && got == heard[k]++);
  }
  for (int i = 0; i < CALLERS; i++)
    CHECK (heard[i] == CALLS);
  CHECK (ouf_alt (CALLERS, links) == OUF_DEAD);
  CHECK (ouf_nalt (2, links) == OUF_DEAD);
  return 0;
}

static void
case_alternatives (void)
{
  int boss = ouf_task ("switchboard", -1, switchboard, NULL);

  for (int i = 0; i < CALLERS; i++)
    ouf_link ("call", ouf_task ("caller", -1, caller, (void *) (intptr_t) i), boss);
}

/* -- threads: turns on one link, run and stop, semaphores -- */

enum { CROWD = 8, WORDS = 100 };

static int full, empty, mutex, order_mutex, finished;
static int slot, sum_in, sum_out, order[CROWD], n_order, gate;

static void
talker (void *arg)
{
  int word[2] = { (int) (intptr_t) arg, 0 };

  for (; word[1] < WORDS; word[1]++)
    CHECK (ouf_send (0, word, sizeof word) == 0);
  ouf_sem_v (finished);
}

static void
patient (void *arg)
{
  int me = (int) (intptr_t) arg;

  ouf_stop (); /* until it is its turn to queue */
  ouf_sem_p (gate);
  ouf_sem_p (order_mutex);
  order[n_order++] = me;
  ouf_sem_v (order_mutex);
  ouf_sem_v (finished);
}

static void
producer (void *arg)
{
  (void) arg;
  for (int i = 1; i <= 500; i++) {
    while (!ouf_sem_g (empty))
      ouf_wait (1000);
    ouf_sem_p (mutex);
    slot = i, sum_in += i;
    ouf_sem_v (mutex);
    ouf_sem_v (full);
  }
  ouf_sem_v (finished);
}

static void
consumer (void *arg)
{
  (void) arg;
  for (int i = 1; i <= 500; i++) {
    ouf_sem_p (full);
    ouf_sem_p (mutex);
    CHECK (slot == i);
    sum_out += slot;
    ouf_sem_v (mutex);
    ouf_sem_v (empty);
  }
  ouf_sem_v (finished);
}

static void
for_ever (void *arg)
{
  (void) arg;
  ouf_stop ();
  CHECK (!"run by nobody");
}

static int
crowd (void *arg)
{
  int thread[CROWD];
  char name[300];

  (void) arg;
  finished = ouf_sem_init ("finished", 0);
  for (int i = 0; i < CROWD; i++) {
    snprintf (name, sizeof name, "talker %d%%", i); /* a name that must be escaped nowhere but in text */
    ouf_run (ouf_thread (name, talker, (void *) (intptr_t) i));
  }
  for (int i = 0; i < CROWD; i++)
    ouf_sem_p (finished);
  /* First come, first served. */
  memset (name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  gate = ouf_sem_init (name, 0); /* longer than names may be */
  order_mutex = ouf_sem_init ("", 1);
  for (int i = 0; i < CROWD; i++) {
    thread[i] = ouf_thread ("patient", patient, (void *) (intptr_t) i);
    ouf_run (thread[i]);
  }
  for (int i = 0; i < CROWD; i++) {
    ouf_run (thread[CROWD - 1 - i]); /* perhaps before it stops: then it does not */
    ouf_wait (5000000);
  }
  for (int i = 0; i < CROWD; i++) {
    ouf_sem_v (gate);
    ouf_sem_p (finished);
  }
  for (int i = 0; i < CROWD; i++)
    CHECK (order[i] == CROWD - 1 - i);
  CHECK (!ouf_sem_g (gate));
  /* A buffer of one. */
  full = ouf_sem_init ("full", 0);
  empty = ouf_sem_init ("empty", 1);
  mutex = ouf_sem_init ("mutex", 1);
  ouf_run (ouf_thread ("producer", producer, NULL));
  ouf_run (ouf_thread ("consumer", consumer, NULL));
  ouf_sem_p (finished);
  ouf_sem_p (finished);
  CHECK (sum_in == 500 * 501 / 2 && sum_out == sum_in);
  /* These two are left behind when the task ends. */
  ouf_run (ouf_thread ("for ever", for_ever, NULL));
  ouf_thread ("never run", for_ever, NULL);
  return 0;
}

static _Atomic int heard[CROWD];

static void
listener (void *arg)
{
  int word[2];

  (void) arg;
  for (int i = 0; i < WORDS * CROWD / 2; i++) {
    CHECK (ouf_receive (0, word, sizeof word) == sizeof word);
    atomic_fetch_add (&heard[word[0]], 1);
  }
  ouf_sem_v (finished);
}

static int
audience (void *arg)
{
  (void) arg;
  finished = ouf_sem_init ("finished", 0);
  ouf_run (ouf_thread ("listener", listener, NULL));
  listener (NULL);
  ouf_sem_p (finished);
  ouf_sem_p (finished);
  for (int i = 0; i < CROWD; i++)
    CHECK (heard[i] == WORDS);
  return 0;
}

static void
case_threads (void)
{
  int a = ouf_task ("crowd of 100%", -1, crowd, NULL), b = ouf_task ("audience", -1, audience, NULL);

  ouf_link ("words of many", a, b);
}

/* -- many events from many threads, and the program's own -- */

static void
noisy (void *arg)
{
  int me = (int) (intptr_t) arg;

  for (int i = 0; i < 4000; i++) {
    ouf_phase ("outer", i);
    ouf_phase ("inner", me);
    ouf_user ("count", i);
    ouf_phase_end ("outer"); /* not nested */
    ouf_phase_end ("inner");
  }
  ouf_phase_end ("never begun");
  ouf_phase ("left open", 1);
}

static int
noise (void *arg)
{
  (void) arg;
  ouf_phase ("all", -1);
  for (int i = 1; i < 4; i++)
    ouf_run (ouf_thread ("noisy", noisy, (void *) (intptr_t) i));
  noisy (NULL);
  for (int i = 0; i < 100; i++)
    ouf_phase ("too many", i);
  return 0;
}

static void
case_noise (void)
{
  ouf_task ("noise", ouf_virtual (0), noise, NULL);
  ouf_task ("noise", 0, noise, NULL); /* two on one processor */
}

/* -- events chosen while the program runs -- */

static int
choosy (void *arg)
{
  (void) arg;
  ouf_user ("first", 1);
  ouf_events ("user,Wait");
  ouf_user ("second", 2);
  ouf_sem_v (ouf_sem_init ("s", 0));
  ouf_wait (1000);
  ouf_events ("-user");
  ouf_user ("unseen", 3);
  ouf_sem_v (0);
  ouf_wait (1000);
  ouf_events ("EndWait");
  ouf_wait (1000);
  return 0;
}

static void
case_choosy (void)
{
  ouf_task ("choosy", -1, choosy, NULL);
}

/* -- what runs until it is stopped from outside -- */

static int
chatter (void *arg)
{
  (void) arg;
  for (int i = 0; i >= 0; i++) {
    if (ouf_self () == 0)
      ouf_send (0, &i, sizeof i);
    else
      ouf_receive (0, &i, sizeof i);
    ouf_user ("round", i);
  }
  return 0;
}

static void
case_chatter (void)
{
  int a = ouf_task ("a", -1, chatter, NULL);

  ouf_link ("a-b", a, ouf_task ("b", -1, chatter, NULL));
}

static void
thunder (void *arg)
{
  (void) arg;
  for (int i = 0; i >= 0; i = (i + 1) & 0xffffff) {
    ouf_user ("thunder", i);
    if (i % 2000 == 1999)
      usleep (500); /* else the checker has to read millions on a fast machine */
  }
}

static int
storm (void *arg)
{
  ouf_run (ouf_thread ("thunder", thunder, NULL));
  thunder (arg);
  return 0;
}

static void
case_storm (void)
{
  for (int i = 0; i < 3; i++)
    ouf_task ("storm", -1, storm, NULL);
}

/* -- ends of tasks -- */

static int
ends (void *arg)
{
  switch ((intptr_t) arg) {
  case 1:
    exit (0);
  case 2:
    _exit (3);
  case 3:
    raise (SIGKILL);
  }
  return 0;
}

static void
case_ends (void)
{
  for (int i = 0; i < 4; i++)
    ouf_task ("ends", -1, ends, (void *) (intptr_t) i);
}

/* -- placement -- */

static int
placed (void *arg)
{
  cpu_set_t set;

  (void) arg;
  CHECK (sched_getaffinity (0, sizeof set, &set) == 0 && CPU_COUNT (&set) == 1);
  return 0;
}

static void
case_placement (void)
{
  int a, b;

  ouf_processors (3);
  a = ouf_virtual (2);
  b = ouf_virtual (0);
  ouf_task ("t0", b, placed, NULL);
  ouf_task ("t1", a, placed, NULL);
  ouf_task ("t2", -1, placed, NULL);
  ouf_task ("t3", -1, placed, NULL);
  ouf_task ("t4", a, placed, NULL);
}

/* -- cost: ROUNDS of a message and its answer -- */

static int rounds;

static int
ping_pong (void *arg)
{
  int64_t begin = ouf_now ();
  int n = 0;

  (void) arg;
  for (int i = 0; i < rounds; i++)
    if (ouf_self () == 0) {
      CHECK (ouf_send (0, &i, sizeof i) == 0);
      CHECK (ouf_receive (1, &n, sizeof n) == sizeof n && n == i);
    } else {
      CHECK (ouf_receive (0, &n, sizeof n) == sizeof n);
      CHECK (ouf_send (1, &n, sizeof n) == 0);
    }
  if (ouf_self () == 0)
    printf ("%.0f ns a message\n", (double) (ouf_now () - begin) / rounds / 2);
  return 0;
}

static void
case_cost (int n)
{
  int a = ouf_task ("ping", -1, ping_pong, NULL), b = ouf_task ("pong", -1, ping_pong, NULL);

  rounds = n;
  ouf_link ("ping", a, b);
  ouf_link ("pong", b, a);
}

/* -- what cannot be right -- */

static int
wrong (void *arg)
{
  int none = 9;

  switch ((intptr_t) arg) {
  case 0:
    return ouf_send (1, NULL, 0);
  case 1:
    return ouf_send (-1, NULL, 0);
  case 2:
    return (int) ouf_receive (0, NULL, 0);
  case 3:
    return ouf_alt (1, &none);
  case 4:
    return ouf_alt (0, NULL);
  case 5:
    ouf_sem_p (3);
    return 0;
  case 6:
    ouf_run (77);
    return 0;
  case 7:
    return ouf_sem_init ("less", -1);
  default:
    ouf_link ("late", 0, 1);
    return 0;
  }
}

static int
idle (void *arg)
{
  (void) arg;
  return 0;
}

static void
case_wrong (int which)
{
  int a = ouf_task ("wrong", -1, wrong, (void *) (intptr_t) which), b = ouf_task ("idle", -1, idle, NULL);

  ouf_link ("a-b", a, b);
  ouf_link ("b-a", b, a);
  if (which == 10)
    ouf_link ("loop", a, a);
  if (which == 11)
    ouf_virtual (1000000);
  if (which == 12)
    ouf_send (0, NULL, 0);
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "";
  int n = argc > 2 ? atoi (argv[2]) : 1000;

  if (strcmp (name, "messages") == 0)
    case_messages ();
  else if (strcmp (name, "limits") == 0)
    case_limits ();
  else if (strcmp (name, "alternatives") == 0)
    case_alternatives ();
  else if (strcmp (name, "threads") == 0)
    case_threads ();
  else if (strcmp (name, "noise") == 0)
    case_noise ();
  else if (strcmp (name, "choosy") == 0)
    case_choosy ();
  else if (strcmp (name, "chatter") == 0)
    case_chatter ();
  else if (strcmp (name, "storm") == 0)
    case_storm ();
  else if (strcmp (name, "ends") == 0)
    case_ends ();
  else if (strcmp (name, "placement") == 0)
    case_placement ();
  else if (strcmp (name, "cost") == 0)
    case_cost (n);
  else if (strcmp (name, "wrong") == 0)
    case_wrong (n);
  else if (strcmp (name, "empty") != 0)
    return 2;
  return ouf_execute (argc, argv);
}
