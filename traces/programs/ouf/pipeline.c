/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - primes by a sieve of processes, as Occam's teachers draw it.
 *
 *   pipeline [STAGES [PRIMES]]      default 6 24
 *
 * A source sends 2, 3, 4, ...; each stage keeps the first few numbers that reach it, which are primes, and
 * passes on what none of them divides; the sink takes what is left over, which at last is a prime no stage
 * had room for.  The stages then send their primes to the sink by the same links, which compares them with a
 * search of its own. */
#include "check.h"

enum { STOP = -1, MAX = 64 };

static int stages, primes, share;

static int
source (void *arg)
{
  (void) arg;
  for (int n = 2;; n++)
    /* The stage behind ends when it has heard that all is found: the link is dead then. */
    if (ouf_send (0, &n, sizeof n) == OUF_DEAD)
      return 0;
}

/* Link k leads to stage k, link stages to the sink; a link back from the sink tells the first stage to stop.
 */
static int
stage (void *arg)
{
  int me = (int) (intptr_t) arg, in = me, out = me + 1, mine[MAX], kept = 0, n;
  bool stopping = false;
  int both[2] = { in, stages + 1 };

  while (!stopping) {
    /* Only the first one listens to the sink, who comes before new numbers. */
    if (me == 0 && ouf_alt (2, both) == 1) {
      ouf_receive (stages + 1, &n, sizeof n);
      n = STOP;
    } else {
      check (ouf_receive (in, &n, sizeof n) == sizeof n, "a stage got no number");
    }
    if (n == STOP) {
      stopping = true;
    } else {
      bool divided = false;

      for (int i = 0; i < kept && !divided; i++)
        divided = n % mine[i] == 0;
      if (divided)
        continue;
      if (kept < share) {
        mine[kept++] = n;
        ouf_user ("kept", n);
        continue;
      }
    }
    ouf_send (out, &n, sizeof n);
  }
  /* Behind the stop come the primes of the stages before, then its own. */
  ouf_phase ("answer", me);
  for (int i = 0; i < me * share; i++) {
    check (ouf_receive (in, &n, sizeof n) == sizeof n, "a stage got no answer");
    ouf_send (out, &n, sizeof n);
  }
  for (int i = 0; i < share; i++)
    ouf_send (out, &mine[i], sizeof n);
  ouf_phase_end ("answer");
  return 0;
}

static bool
is_prime (int n)
{
  for (int d = 2; d * d <= n; d++)
    if (n % d == 0)
      return false;
  return true;
}

static int
sink (void *arg)
{
  const int64_t patience_ns = 1000000;
  int n, expected = 2;

  (void) arg;
  check (ouf_receive (stages, &n, sizeof n) == sizeof n, "the sink got nothing");
  check (n != STOP, "stopped before it was asked for");
  /* The first stage may be sending itself, and all behind it up to here: so whoever does not listen must be listened
   * to. */
  while (ouf_tsend (stages + 1, &n, sizeof n, patience_ns) == OUF_TIMEOUT)
    ouf_treceive (stages, &n, sizeof n, patience_ns);
  do
    ouf_receive (stages, &n, sizeof n);
  while (n != STOP);
  for (int i = 0; i < primes; i++, expected++) {
    while (!is_prime (expected))
      expected++;
    check (ouf_receive (stages, &n, sizeof n) == sizeof n && n == expected, "a prime is wrong");
  }
  printf ("pipeline: %d primes, the last is %d: OK\n", primes, n);
  return 0;
}

int
main (int argc, char **argv)
{
  int task[MAX + 2];
  char name[32];

  stages = number (argc, argv, 1, 6, 1, MAX);
  primes = number (argc, argv, 2, 24, stages, stages * MAX);
  share = primes / stages;
  primes = share * stages;
  task[0] = ouf_task ("source", -1, source, NULL);
  for (int i = 0; i < stages; i++) {
    snprintf (name, sizeof name, "stage%d", i);
    task[i + 1] = ouf_task (name, -1, stage, (void *) (intptr_t) i);
  }
  task[stages + 1] = ouf_task ("sink", -1, sink, NULL);
  for (int i = 0; i <= stages; i++) {
    snprintf (name, sizeof name, "pipe%d", i);
    ouf_link (name, task[i], task[i + 1]);
  }
  ouf_link ("stop", task[stages + 1], task[1]);
  return ouf_execute (argc, argv);
}
