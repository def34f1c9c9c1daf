/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the sample programs share: leaving PVM with a sentence when something is wrong. */
#ifndef CHECK_H
#define CHECK_H

#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints what failed and ends the task; its parent, if it waits, is killed by nobody: use a timeout. */
static inline void
fail (const char *program, const char *what)
{
  fprintf (stderr, "%s: %s\n", program, what);
  pvm_exit ();
  exit (1);
}

static inline int
number (int argc, char **argv, int i, int otherwise)
{
  return argc > i ? atoi (argv[i]) : otherwise;
}

static inline void
spawn (const char *program, char **arguments, int n, int *tids)
{
  int started = pvm_spawn ((char *) program, arguments, PvmTaskDefault, NULL, n, tids);

  if (started != n) {
    fprintf (stderr, "%s: only %d of %d tasks could be spawned (%d)\n", program, started, n,
             started < n && started >= 0 ? tids[started] : started);
    for (int i = 0; i < started; i++)
      pvm_kill (tids[i]);
    pvm_exit ();
    exit (1);
  }
}

#endif
