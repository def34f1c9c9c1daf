/* SPDX-License-Identifier: Apache-2.0 */
/* farm.c - a master deals work of uneven size to whoever asks: farm [PIECES]. */
#include <stdlib.h>

#include "work.h"

enum { ASK = 1, PIECE, RESULT, END };

static void
master (int pieces, int workers)
{
  long sum = 0;
  int done = 0, value;
  MPI_Status s;

  for (int next = 0; done < workers;) {
    MPI_Probe (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    MPI_Recv (&value, 1, MPI_INT, s.MPI_SOURCE, s.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (s.MPI_TAG == RESULT)
      sum += value;
    else if (next < pieces)
      MPI_Send (&next, 1, MPI_INT, s.MPI_SOURCE, PIECE, MPI_COMM_WORLD), next++;
    else
      MPI_Send (&next, 0, MPI_INT, s.MPI_SOURCE, END, MPI_COMM_WORLD), done++;
  }
  must (sum == (long) pieces * (pieces - 1), "the sum of all results");
}

static void
worker (void)
{
  int piece = 0, result;
  MPI_Status s;

  for (;;) {
    MPI_Send (&piece, 0, MPI_INT, 0, ASK, MPI_COMM_WORLD);
    MPI_Recv (&piece, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
    if (s.MPI_TAG == END)
      return;
    tape_mpi_enter ("piece");
    work (1 + piece * 7 % 5);
    tape_mpi_leave ("piece");
    result = 2 * piece;
    MPI_Send (&result, 1, MPI_INT, 0, RESULT, MPI_COMM_WORLD);
  }
}

int
main (int argc, char **argv)
{
  int rank, n;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  if (rank == 0)
    master (argc > 1 ? atoi (argv[1]) : 40, n - 1);
  else
    worker ();
  MPI_Finalize ();
  return 0;
}
