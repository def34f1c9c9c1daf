/* SPDX-License-Identifier: Apache-2.0 */
/* farm.c - a master deals pieces of work of uneven size, listens to all workers at once, and does not wait
 * for ever.
 *
 *   farm [WORKERS [PIECES]]      default 4 60
 *
 * The work: the sum of the number of steps that n, n+1, ... need to reach 1 in Collatz' sequence.  A worker
 * asks for work with its last result.  The master takes what comes by an alternative; it looks without
 * waiting whether the auditor wants to know how far it is, who gives up asking when nobody listens within a
 * millisecond.  A worker that gets no answer for two seconds ends with an error. */
#include "check.h"

enum { MAX = 32, LAST = -1 };

typedef struct Result {
  int piece; /* LAST: none yet */
  long steps;
} Result;

static int workers, pieces;

/* Links: workers' results 0 .. workers - 1, work to them, then the auditor's question and its answer. */
static int
work_link (int worker)
{
  return workers + worker;
}

static long
work (int piece)
{
  long steps = 0;

  for (long n = 1 + piece * 1000L; n < 1 + piece * 1000L + 100L * (1 + piece % 8); n++)
    for (long x = n; x != 1; steps++)
      x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

static int
worker (void *arg)
{
  int me = (int) (intptr_t) arg;
  Result result = { LAST, 0 };

  for (;;) {
    check (ouf_send (me, &result, sizeof result) == 0, "the master is dead");
    check (ouf_treceive (work_link (me), &result.piece, sizeof result.piece, 2000000000) == sizeof result.piece,
           "no work within two seconds");
    if (result.piece == LAST)
      return 0;
    ouf_phase ("work", result.piece);
    result.steps = work (result.piece);
    ouf_phase_end ("work");
  }
}

static int
auditor (void *arg)
{
  int question = 2 * workers, answer = question + 1, refused = 0, answered = 0, done;

  (void) arg;
  for (;;) {
    int result = ouf_tsend (question, NULL, 0, 1000000);

    if (result == OUF_DEAD)
      break;
    if (result == OUF_TIMEOUT) {
      ouf_user ("refused", ++refused);
      continue;
    }
    check (ouf_receive (answer, &done, sizeof done) == sizeof done, "a question is not answered");
    ouf_user ("done", done);
    answered++;
    if (done == pieces)
      break;
    ouf_wait (3000000);
  }
  check (answered > 0, "no question was answered");
  return 0;
}

static int
master (void *arg)
{
  int links[MAX + 1], question = 2 * workers, next = 0, done = 0, busy = workers, last = LAST;
  long sum = 0, expected = 0;
  Result result;

  (void) arg;
  for (int i = 0; i < workers; i++)
    links[i] = i;
  while (busy) {
    int from = ouf_alt (workers, links);

    check (from >= 0, "all workers are dead");
    check (ouf_receive (from, &result, sizeof result) == sizeof result, "a result is missing");
    if (result.piece != LAST) {
      sum += result.steps;
      done++;
    }
    if (next < pieces) {
      check (ouf_tsend (work_link (from), &next, sizeof next, 2000000000) == 0, "a worker does not listen");
      ouf_user ("left", pieces - ++next);
    } else {
      check (ouf_tsend (work_link (from), &last, sizeof last, 2000000000) == 0, "a worker does not listen");
      busy--;
    }
    /* Every tenth piece has time for questions. */
    if (done % 10 == 0 && ouf_nalt (1, &question) == 0) {
      ouf_receive (question, NULL, 0);
      check (ouf_send (question + 1, &done, sizeof done) == 0, "the auditor is dead");
    }
  }
  ouf_phase ("check", pieces);
  for (int i = 0; i < pieces; i++)
    expected += work (i);
  ouf_phase_end ("check");
  check (done == pieces && sum == expected, "the sum is wrong");
  /* Whoever asks now is told the end. */
  if (ouf_receive (question, NULL, 0) == 0)
    ouf_send (question + 1, &done, sizeof done);
  printf ("farm: %d pieces, %ld steps: OK\n", pieces, sum);
  return 0;
}

int
main (int argc, char **argv)
{
  int of[MAX], boss, asks;
  char name[32];

  workers = number (argc, argv, 1, 4, 1, MAX);
  pieces = number (argc, argv, 2, 60, 1, 100000);
  boss = ouf_task ("master", -1, master, NULL);
  for (int i = 0; i < workers; i++) {
    snprintf (name, sizeof name, "worker%d", i);
    of[i] = ouf_task (name, -1, worker, (void *) (intptr_t) i);
  }
  asks = ouf_task ("auditor", -1, auditor, NULL);
  for (int i = 0; i < workers; i++) {
    snprintf (name, sizeof name, "result%d", i);
    ouf_link (name, of[i], boss);
  }
  for (int i = 0; i < workers; i++) {
    snprintf (name, sizeof name, "work%d", i);
    ouf_link (name, boss, of[i]);
  }
  ouf_link ("question", asks, boss);
  ouf_link ("answer", boss, asks);
  return ouf_execute (argc, argv);
}
