/* SPDX-License-Identifier: Apache-2.0 */
/* check.h - what the sample programs share: arguments, and leaving with a sentence. */
#ifndef CHECK_H
#define CHECK_H

#include "ouf.h"

#include <stdio.h>
#include <stdlib.h>

/* Ends the task with status 1. */
static inline _Noreturn void
fail (const char *what)
{
  fprintf (stderr, "task %d: %s\n", ouf_self (), what);
  exit (1);
}

static inline void
check (bool good, const char *what)
{
  if (!good)
    fail (what);
}

/* Argument i, if it is there, which must be from `least` to `most`. */
static inline int
number (int argc, char **argv, int i, int otherwise, int least, int most)
{
  char *end = NULL;
  long value = argc > i ? strtol (argv[i], &end, 10) : otherwise;

  if ((end && *end) || value < least || value > most) {
    fprintf (stderr, "%s: argument %d: from %d to %d\n", argv[0], i, least, most);
    exit (2);
  }
  return (int) value;
}

#endif
