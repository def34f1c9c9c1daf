/* SPDX-License-Identifier: Apache-2.0 */
/* ring.c - a token goes round; each task adds its number.
 *
 *   ring [TASKS [ROUNDS [BYTES]]]      default 5 20 1000
 *
 * The first half of the rounds uses pvm_send and pvm_recv, the second pvm_psend and pvm_precv. */
#include "check.h"

#include <string.h>

enum { TAG_SETUP = 1, TAG_TOKEN = 7, TAG_QUICK = 8 };

static int p, rounds, bytes, me, tids[64];

static int
pass_on (int token, char *load, int round)
{
  int next = tids[(me + 1) % p];

  load[0] = (char) token;
  if (round < rounds / 2) {
    pvm_initsend (PvmDataRaw);
    pvm_pkint (&token, 1, 1);
    pvm_pkbyte (load, bytes, 1);
    pvm_send (next, TAG_TOKEN);
  } else {
    memcpy (load, &token, sizeof token);
    pvm_psend (next, TAG_QUICK, load, bytes, PVM_BYTE);
  }
  return token;
}

static int
take (char *load, int round)
{
  int before = tids[(me + p - 1) % p], token = 0;

  if (round < rounds / 2) {
    pvm_recv (before, TAG_TOKEN);
    pvm_upkint (&token, 1, 1);
    pvm_upkbyte (load, bytes, 1);
  } else {
    int from, tag, length;

    pvm_precv (before, TAG_QUICK, load, bytes, PVM_BYTE, &from, &tag, &length);
    if (from != before || tag != TAG_QUICK || length != bytes)
      fail ("ring", "pvm_precv tells something else than what was sent");
    memcpy (&token, load, sizeof token);
  }
  return token;
}

int
main (int argc, char **argv)
{
  int setup[4], token = 0, expected, mine = pvm_mytid ();
  char *load;

  if (mine < 0)
    return 1;
  if (pvm_parent () == PvmNoParent) {
    p = number (argc, argv, 1, 5);
    rounds = number (argc, argv, 2, 20);
    bytes = number (argc, argv, 3, 1000);
    if (p < 2 || p > 64 || rounds < 1 || bytes < (int) sizeof token)
      fail ("ring", "needs 2 to 64 tasks, a round, and 4 bytes");
    tids[0] = mine;
    spawn ("ring", NULL, p - 1, tids + 1);
    for (int i = 1; i < p; i++) {
      setup[0] = p, setup[1] = rounds, setup[2] = bytes, setup[3] = i;
      pvm_initsend (PvmDataDefault);
      pvm_pkint (setup, 4, 1);
      pvm_pkint (tids, p, 1);
      pvm_send (tids[i], TAG_SETUP);
    }
  } else {
    pvm_recv (pvm_parent (), TAG_SETUP);
    pvm_upkint (setup, 4, 1);
    p = setup[0], rounds = setup[1], bytes = setup[2], me = setup[3];
    pvm_upkint (tids, p, 1);
  }
  load = calloc ((size_t) bytes, 1);
  for (int round = 0; round < rounds; round++) {
    if (me == 0) {
      pass_on (token, load, round);
      token = take (load, round);
    } else {
      token = take (load, round) + me;
      pass_on (token, load, round);
    }
  }
  expected = rounds * p * (p - 1) / 2;
  if (me == 0)
    printf ("ring: token %d: %s\n", token, token == expected ? "OK" : "WRONG");
  free (load);
  pvm_exit ();
  return me == 0 && token != expected;
}
