/* SPDX-License-Identifier: Apache-2.0 */
/* race.c - workers whose messages race for the receives of one task; who is first is as the caller says.
 *
 *   race N WAY KIND FOLDER       WAY: forward or backward; KIND: recv, nrecv, trecv, precv, probe, more, silent
 *
 * Worker k sends once the file of its neighbour lies in FOLDER, which is outside of PVM, so that a program runs the
 * same in both ways but for what comes first.  The order in which they were received is printed, with how often a
 * receive got nothing. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 16, TAG_WHO = 1, TAG_RESULT = 10 };

static const char *folder;

static void
file_of (char out[512], int k)
{
  snprintf (out, 512, "%s/sent.%d", folder, k);
}

static void
wait_for_file (int k)
{
  char path[512];

  file_of (path, k);
  for (int i = 0; i < 30000 && access (path, F_OK) != 0; i++)
    usleep (1000);
}

static int
worker (int master, int n, int forward, int silent)
{
  int me, before;
  char path[512];
  FILE *f;

  pvm_recv (master, TAG_WHO);
  pvm_upkint (&me, 1, 1);
  before = forward ? me - 1 : me + 1;
  if (before >= 0 && before < n)
    wait_for_file (before);
  if (!silent || me != 1) {
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&me, 1, 1);
    pvm_send (master, TAG_RESULT + me % 3);
  }
  file_of (path, me);
  f = fopen (path, "w");
  if (f)
    fclose (f);
  pvm_exit ();
  return 0;
}

static int
receive (const char *kind, int *got)
{
  struct timeval moment = { 0, 2000 };
  int id, bytes, tag, from;

  if (strcmp (kind, "nrecv") == 0) {
    id = pvm_nrecv (-1, -1);
    usleep (id ? 0 : 500);
  } else if (strcmp (kind, "trecv") == 0) {
    id = pvm_trecv (-1, -1, &moment);
  } else if (strcmp (kind, "probe") == 0) {
    id = pvm_probe (-1, -1);
    usleep (id ? 0 : 500);
    if (id > 0) {
      pvm_bufinfo (id, &bytes, &tag, &from);
      id = pvm_recv (from, tag);
    }
  } else {
    id = pvm_recv (-1, -1);
  }
  if (id > 0)
    pvm_upkint (got, 1, 1);
  return id;
}

int
main (int argc, char **argv)
{
  int tids[MOST], n, forward, nothing = 0, last;
  int master = pvm_parent ();
  char race[] = "race", where[] = "";
  char *arguments[] = { argv[1], argv[2], argv[3], argv[4], NULL };

  if (argc < 5 || pvm_mytid () < 0)
    return 2;
  n = atoi (argv[1]);
  n = n > MOST ? MOST : n;
  forward = strcmp (argv[2], "forward") == 0;
  folder = argv[4];
  if (master > 0)
    return worker (master, n, forward, strcmp (argv[3], "silent") == 0);
  /* In two calls: a child is known by its parent, and as which of its children. */
  if (pvm_spawn (race, arguments, PvmTaskDefault, where, n / 2, tids) != n / 2
      || pvm_spawn (race, arguments, PvmTaskDefault, where, n - n / 2, tids + n / 2) != n - n / 2)
    return 3;
  for (int i = 0; i < n; i++) {
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&i, 1, 1);
    pvm_send (tids[i], TAG_WHO);
  }
  last = forward ? n - 1 : 0;
  if (strcmp (argv[3], "recv") == 0 || strcmp (argv[3], "precv") == 0)
    wait_for_file (last);
  for (int i = 0; i < n - (strcmp (argv[3], "silent") == 0);) {
    int got = -1, id = 1;

    if (strcmp (argv[3], "precv") == 0) {
      /* What was packed with XDR: an int, its bytes the other way round. */
      unsigned char bytes[4];

      pvm_precv (-1, -1, bytes, 4, PVM_BYTE, NULL, NULL, NULL);
      got = bytes[3];
    } else {
      id = receive (argv[3], &got);
    }
    if (id > 0) {
      printf ("%d ", got);
      i++;
    } else {
      nothing++;
    }
  }
  if (strcmp (argv[3], "more") == 0)
    pvm_nrecv (-1, 99);
  printf ("nothing %d\n", nothing);
  pvm_exit ();
  return 0;
}
