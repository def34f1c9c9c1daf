/* SPDX-License-Identifier: Apache-2.0 */
/* mpi-ends.c - programs that do not end as they should: mpi-ends abort | crash | leave | hang | threads | many. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape-mpi.h"

static int rank, n;

/* Messages between others that must be there, whatever happens then. */
static void
ring (int rounds)
{
  int x = 0;

  for (int i = 0; i < rounds; i++)
    MPI_Sendrecv_replace (&x, 1, MPI_INT, (rank + 1) % n, 5, (rank + n - 1) % n, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *
thread (void *which)
{
  int x = 0, tag = *(int *) which;

  tape_mpi_enter ("in a thread");
  for (int i = 0; i < 100; i++) {
    MPI_Request r[2];
    MPI_Irecv (&x, 1, MPI_INT, (rank + n - 1) % n, tag, MPI_COMM_WORLD, &r[0]);
    MPI_Isend (&tag, 1, MPI_INT, (rank + 1) % n, tag, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall (2, r, MPI_STATUSES_IGNORE);
  }
  tape_mpi_leave ("in a thread");
  return NULL;
}

static void
threads (void)
{
  pthread_t t[3];
  int tags[3] = { 1, 2, 3 };

  for (int i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, thread, &tags[i]);
  for (int i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
}

int
main (int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  int x, provided;

  if (strcmp (how, "threads") == 0)
    MPI_Init_thread (&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  else
    MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  ring (strcmp (how, "many") == 0 ? 20000 : 10);
  MPI_Barrier (MPI_COMM_WORLD);
  MPI_Pcontrol (0);
  ring (5);
  MPI_Pcontrol (1);
  if (strcmp (how, "threads") == 0)
    threads ();
  if (strcmp (how, "abort") == 0 && rank == 1)
    MPI_Abort (MPI_COMM_WORLD, 7);
  if (strcmp (how, "crash") == 0 && rank == 1)
    kill (getpid (), 9);
  if (strcmp (how, "leave") == 0)
    _exit (0);
  if (strcmp (how, "abort") == 0 || strcmp (how, "crash") == 0 || (strcmp (how, "hang") == 0 && rank == 0))
    MPI_Recv (&x, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize ();
  return 0;
}
