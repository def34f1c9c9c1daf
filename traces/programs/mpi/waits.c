/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - waits as planned: waits [ROUNDS [MILLISECONDS]].  Each round has one of each kind that analyses know, on
 * 4 ranks, with barriers between, so that none disturbs the next. */
#include <stdlib.h>

#include "work.h"

static double ms = 10;
static int rank;

/* Rank 1 sends late; rank 0 has waited for so long. */
static void
late_sender (void)
{
  double x = 1;

  tape_mpi_enter ("late sender");
  if (rank == 0)
    MPI_Recv (&x, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) {
    work (ms);
    MPI_Send (&x, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  tape_mpi_leave ("late sender");
}

/* The same, with a receive that is asked for early: it waits in MPI_Wait. */
static void
late_sender_asked (void)
{
  MPI_Request r;
  double x = 1;

  tape_mpi_enter ("late sender, asked for");
  if (rank == 1) {
    MPI_Irecv (&x, 1, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD, &r);
    work (ms / 5);
    MPI_Wait (&r, MPI_STATUS_IGNORE);
  }
  if (rank == 2) {
    work (ms);
    MPI_Send (&x, 1, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
  }
  tape_mpi_leave ("late sender, asked for");
}

/* Rank 0 must wait until rank 3 receives. */
static void
late_receiver (void)
{
  static char much[200000];

  tape_mpi_enter ("late receiver");
  if (rank == 0)
    MPI_Ssend (much, sizeof much, MPI_CHAR, 3, 3, MPI_COMM_WORLD);
  if (rank == 3) {
    work (ms);
    MPI_Recv (much, sizeof much, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  tape_mpi_leave ("late receiver");
}

static void
collective (void)
{
  double x = rank, y = 0;

  tape_mpi_enter ("imbalance");
  work (ms * rank / 3);
  MPI_Barrier (MPI_COMM_WORLD);
  work (ms * (3 - rank) / 3);
  MPI_Allreduce (&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  must (y == 6, "the sum");
  tape_mpi_leave ("imbalance");
  tape_mpi_enter ("late root");
  if (rank == 2)
    work (ms);
  MPI_Bcast (&x, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD);
  tape_mpi_leave ("late root");
  MPI_Barrier (MPI_COMM_WORLD);
  tape_mpi_enter ("early root");
  if (rank != 0)
    work (ms);
  MPI_Reduce (&x, &y, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  tape_mpi_leave ("early root");
}

int
main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 5, n;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  must (n == 4, "the number of ranks: 4");
  if (argc > 2)
    ms = atof (argv[2]);
  for (int i = 0; i < rounds; i++) {
    void (*const parts[]) (void) = { late_sender, late_sender_asked, late_receiver, collective };
    for (int k = 0; k < 4; k++) {
      parts[k]();
      MPI_Barrier (MPI_COMM_WORLD);
    }
  }
  MPI_Finalize ();
  return 0;
}
