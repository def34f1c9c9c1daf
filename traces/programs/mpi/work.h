/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - what the sample programs of MPI share: time that is spent, and results that must be right. */
#ifndef WORK_H
#define WORK_H

#include <mpi.h>
#include <stdio.h>
#include <time.h>

#include "tape-mpi.h"

/* Spends some milliseconds by sleeping, so that more ranks than cores keep their plan. */
static inline void
work (double ms)
{
  struct timespec t = { (time_t) (ms * 1e-3), (long) (ms * 1e6) % 1000000000 };

  nanosleep (&t, NULL);
}

static inline void
must (int right, const char *what)
{
  if (!right) {
    fprintf (stderr, "%s is wrong\n", what);
    MPI_Abort (MPI_COMM_WORLD, 1);
  }
}

#endif
