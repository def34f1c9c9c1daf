/* SPDX-License-Identifier: Apache-2.0 */
/* births.c - tasks are born as the program goes, and end in every way a task can.
 *
 *   births [GENERATIONS]      default 3
 *
 * In each generation the first task spawns one of each kind:
 *   worker   squares a number and leaves in good order
 *   parent   spawns a worker of its own, waits for it, leaves
 *   silent   ends without pvm_exit
 *   crash    aborts in the middle of its work
 *   victim   waits for a message that never comes, until the first task kills it
 * The first task asks PVM to be told of each end (pvm_notify), and checks that every one came. */
#include "check.h"
#include "tape.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { TAG_NUMBER = 1, TAG_SQUARE = 2, TAG_ENDED = 3, TAG_NEVER = 4 };

static const char *const kinds[] = { "worker", "parent", "silent", "crash", "victim" };
enum { KINDS = sizeof kinds / sizeof *kinds };

static int
answers (const char *kind)
{
  return strcmp (kind, "crash") != 0 && strcmp (kind, "silent") != 0;
}

static int
birth (const char *kind, int value)
{
  char *arguments[] = { (char *) kind, NULL };
  int tid;

  spawn ("births", arguments, 1, &tid);
  pvm_initsend (PvmDataDefault);
  pvm_pkint (&value, 1, 1);
  pvm_send (tid, TAG_NUMBER);
  return tid;
}

static int
answer (int tid)
{
  int square = -1;

  pvm_recv (tid, TAG_SQUARE);
  pvm_upkint (&square, 1, 1);
  return square;
}

static void
child (const char *kind)
{
  int value, square;
  double waste = 0;

  pvm_recv (pvm_parent (), TAG_NUMBER);
  pvm_upkint (&value, 1, 1);
  tape_begin (kind, value);
  for (int i = 0; i < 300000; i++)
    waste += 1.0 / (i + value + 1);
  square = value * value + (waste < 0);
  if (strcmp (kind, "parent") == 0)
    square = answer (birth ("worker", value));
  /* The daemon may lose what a task sent just before it died: those two say nothing. */
  if (answers (kind)) {
    pvm_initsend (PvmDataDefault);
    pvm_pkint (&square, 1, 1);
    pvm_send (pvm_parent (), TAG_SQUARE);
  }
  if (strcmp (kind, "victim") == 0)
    pvm_recv (-1, TAG_NEVER);
  if (strcmp (kind, "crash") == 0) {
    struct rlimit none = { 0, 0 };

    setrlimit (RLIMIT_CORE, &none);
    tape_user ("last words", value);
    abort ();
  }
  tape_end (kind);
  if (strcmp (kind, "silent") != 0)
    pvm_exit ();
  exit (0);
}

int
main (int argc, char **argv)
{
  int generations = number (argc, argv, 1, 3), wrong = 0, tids[KINDS], ended = 0;

  if (pvm_mytid () < 0)
    return 1;
  if (pvm_parent () != PvmNoParent)
    child (argc > 1 ? argv[1] : "worker");
  for (int g = 1; g <= generations; g++) {
    tape_begin ("generation", g);
    for (int k = 0; k < KINDS; k++)
      tids[k] = birth (kinds[k], g + k);
    pvm_notify (PvmTaskExit, TAG_ENDED, KINDS, tids);
    for (int k = 0; k < KINDS; k++)
      if (answers (kinds[k]))
        wrong += answer (tids[k]) != (g + k) * (g + k);
    usleep (3000); /* the victim is waiting by now */
    pvm_kill (tids[KINDS - 1]);
    for (int k = 0; k < KINDS; k++) {
      struct timeval patience = { 10, 0 };

      ended += pvm_trecv (-1, TAG_ENDED, &patience) > 0;
    }
    tape_end ("generation");
  }
  wrong += ended != generations * KINDS;
  printf ("births: %d generations, %d ends: %s\n", generations, ended, wrong ? "WRONG" : "OK");
  pvm_exit ();
  return wrong != 0;
}
