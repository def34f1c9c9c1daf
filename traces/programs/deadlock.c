/* SPDX-License-Identifier: Apache-2.0 */
/* deadlock.c - tasks that wait for each other in a circle, after some rounds that go well.
 *
 *   deadlock [TASKS [ROUNDS]]      default 3 4
 *
 * In a good round task 0 speaks first.  In the last one everybody listens to the one before.  It never ends
 * by itself: run it under `tape-pvm --timeout`. */
#include "check.h"

enum { TAG_SETUP = 1, TAG_WORD = 2 };

int
main (int argc, char **argv)
{
  int p = number (argc, argv, 1, 3), rounds = number (argc, argv, 2, 4), me = 0, tids[64], setup[3];
  int mine = pvm_mytid ();

  if (mine < 0)
    return 1;
  if (pvm_parent () == PvmNoParent) {
    if (p < 2 || p > 64)
      fail ("deadlock", "needs 2 to 64 tasks");
    tids[0] = mine;
    spawn ("deadlock", NULL, p - 1, tids + 1);
    for (int i = 1; i < p; i++) {
      setup[0] = p, setup[1] = rounds, setup[2] = i;
      pvm_initsend (PvmDataDefault);
      pvm_pkint (setup, 3, 1);
      pvm_pkint (tids, p, 1);
      pvm_send (tids[i], TAG_SETUP);
    }
  } else {
    pvm_recv (pvm_parent (), TAG_SETUP);
    pvm_upkint (setup, 3, 1);
    p = setup[0], rounds = setup[1], me = setup[2];
    pvm_upkint (tids, p, 1);
  }
  for (int round = 0; round <= rounds; round++) {
    if (me == 0 && round < rounds) {
      pvm_initsend (PvmDataDefault);
      pvm_pkint (&round, 1, 1);
      pvm_send (tids[1], TAG_WORD);
    }
    pvm_recv (tids[(me + p - 1) % p], TAG_WORD);
    if (me != 0) {
      pvm_initsend (PvmDataDefault);
      pvm_pkint (&round, 1, 1);
      pvm_send (tids[(me + 1) % p], TAG_WORD);
    }
  }
  printf ("deadlock: ended, which is WRONG\n");
  pvm_exit ();
  return 1;
}
