/* SPDX-License-Identifier: Apache-2.0 */
/* farm.c - a master deals out pieces of work of uneven size; whoever is done gets the next one.
 *
 *   farm [WORKERS [PIECES]]      default 4 40
 *
 * The work: the sum of the number of steps that n, n+1, ... need to reach 1 in Collatz' sequence. */
#include "check.h"
#include "tape.h"

enum { TAG_WORK = 1, TAG_DONE = 2, TAG_STOP = 3 };

static long
work (int piece)
{
  long steps = 0;

  /* Pieces grow, so that a fixed share for each worker would be a bad one. */
  for (long n = 1 + piece * 1000L; n < 1 + piece * 1000L + 500L * (1 + piece % 8); n++)
    for (long x = n; x != 1; steps++)
      x = x % 2 ? 3 * x + 1 : x / 2;
  return steps;
}

static void
worker (int master)
{
  for (;;) {
    int piece, tag;
    long steps;
    int id = pvm_recv (master, -1);

    pvm_bufinfo (id, NULL, &tag, NULL);
    if (tag == TAG_STOP)
      return;
    pvm_upkint (&piece, 1, 1);
    tape_begin ("work", piece);
    steps = work (piece);
    tape_end ("work");
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&piece, 1, 1);
    pvm_pklong (&steps, 1, 1);
    pvm_send (master, TAG_DONE);
  }
}

static void
deal (int tid, int *next, int pieces)
{
  pvm_initsend (PvmDataDefault);
  if (*next < pieces) {
    pvm_pkint (next, 1, 1);
    pvm_send (tid, TAG_WORK);
    ++*next;
    tape_user ("left", pieces - *next);
  } else {
    pvm_send (tid, TAG_STOP);
  }
}

int
main (int argc, char **argv)
{
  int workers = number (argc, argv, 1, 4), pieces = number (argc, argv, 2, 40), next = 0, tids[64], tid, piece;
  long sum = 0, steps, expected = 0;

  if (pvm_mytid () < 0)
    return 1;
  if (pvm_parent () != PvmNoParent) {
    worker (pvm_parent ());
    pvm_exit ();
    return 0;
  }
  if (workers < 1 || workers > 64 || pieces < workers)
    fail ("farm", "needs 1 to 64 workers and at least a piece for each");
  spawn ("farm", NULL, workers, tids);
  for (int i = 0; i < workers; i++)
    deal (tids[i], &next, pieces);
  for (int done = 0; done < pieces; done++) {
    int id = pvm_recv (-1, TAG_DONE);

    pvm_bufinfo (id, NULL, NULL, &tid);
    pvm_upkint (&piece, 1, 1);
    pvm_upklong (&steps, 1, 1);
    sum += steps;
    deal (tid, &next, pieces);
  }
  tape_begin ("check", 0);
  for (int i = 0; i < pieces; i++)
    expected += work (i);
  tape_end ("check");
  printf ("farm: %ld steps: %s\n", sum, sum == expected ? "OK" : "WRONG");
  pvm_exit ();
  return sum != expected;
}
