/* SPDX-License-Identifier: Apache-2.0 */
/* groups.c - every operation of groups: join, leave, barrier, broadcast, scatter, gather, reduce.
 *
 *   groups [TASKS [ROUNDS]]      default 4 3
 *
 * In each round another task is the root.  One task also leaves the group and comes back. */
#include "check.h"

#include <string.h>

#define GROUP "crew"
#define COUNT 8

enum { TAG_BCAST = 11, TAG_SCATTER = 12, TAG_GATHER = 13, TAG_REDUCE = 14, TAG_VERDICT = 15 };

static int
one_round (int me, int p, int root)
{
  int parts[64 * COUNT], part[COUNT], back[64 * COUNT], word = 0, wrong = 0;
  double sum[COUNT];

  /* Broadcast: the root sends, the others receive. */
  if (me == root) {
    word = 1000 + root;
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&word, 1, 1);
    pvm_bcast ((char *) GROUP, TAG_BCAST);
  } else {
    pvm_recv (-1, TAG_BCAST);
    pvm_upkint (&word, 1, 1);
  }
  wrong += word != 1000 + root;
  pvm_barrier ((char *) GROUP, p);

  for (int i = 0; i < p * COUNT; i++)
    parts[i] = root * 10000 + i;
  pvm_scatter (part, parts, COUNT, PVM_INT, TAG_SCATTER, (char *) GROUP, root);
  for (int i = 0; i < COUNT; i++) {
    wrong += part[i] != root * 10000 + me * COUNT + i;
    part[i] += me;
  }
  memset (back, 0, sizeof back);
  pvm_gather (back, part, COUNT, PVM_INT, TAG_GATHER, (char *) GROUP, root);
  if (me == root)
    for (int i = 0; i < p * COUNT; i++)
      wrong += back[i] != root * 10000 + i + i / COUNT;

  for (int i = 0; i < COUNT; i++)
    sum[i] = me + i;
  pvm_reduce (PvmSum, sum, COUNT, PVM_DOUBLE, TAG_REDUCE, (char *) GROUP, root);
  if (me == root)
    for (int i = 0; i < COUNT; i++)
      wrong += sum[i] != p * (p - 1) / 2.0 + p * i;
  pvm_barrier ((char *) GROUP, p);
  return wrong;
}

int
main (int argc, char **argv)
{
  int p = number (argc, argv, 1, 4), rounds = number (argc, argv, 2, 3), tids[64], me, wrong = 0, total;
  char text[2][16], *arguments[] = { text[0], text[1], NULL };
  int master = pvm_mytid () > 0 && pvm_parent () == PvmNoParent;

  if (master) {
    if (p < 2 || p > 64 || rounds < 1)
      fail ("groups", "needs 2 to 64 tasks and a round");
    snprintf (text[0], sizeof text[0], "%d", p);
    snprintf (text[1], sizeof text[1], "%d", rounds);
    me = pvm_joingroup ((char *) GROUP); /* first, so that it is instance 0 */
    spawn ("groups", arguments, p - 1, tids + 1);
  } else {
    me = pvm_joingroup ((char *) GROUP);
  }
  if (me < 0)
    fail ("groups", "cannot join; is the group server (pvmgs) where pvmd looks for programs?");
  pvm_barrier ((char *) GROUP, p);
  if (pvm_gsize ((char *) GROUP) != p)
    wrong++;
  for (int round = 0; round < rounds; round++)
    wrong += one_round (me, p, round % p);
  /* The last one goes, and takes the free place again. */
  pvm_barrier ((char *) GROUP, p);
  if (me == p - 1) {
    wrong += pvm_lvgroup ((char *) GROUP) != 0;
    wrong += pvm_joingroup ((char *) GROUP) != p - 1;
  }
  pvm_barrier ((char *) GROUP, p);
  wrong += pvm_getinst ((char *) GROUP, pvm_mytid ()) != me;
  if (!master) {
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&wrong, 1, 1);
    pvm_send (pvm_parent (), TAG_VERDICT);
  } else {
    total = wrong;
    for (int i = 1; i < p; i++) {
      pvm_recv (-1, TAG_VERDICT);
      pvm_upkint (&wrong, 1, 1);
      total += wrong;
    }
    wrong = total;
    printf ("groups: p=%d rounds=%d: %s\n", p, rounds, wrong ? "WRONG" : "OK");
  }
  pvm_barrier ((char *) GROUP, p);
  pvm_lvgroup ((char *) GROUP);
  pvm_exit ();
  return wrong != 0;
}
