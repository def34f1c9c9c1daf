/* SPDX-License-Identifier: Apache-2.0 */
/* mpi-ends.c - programs that do not end as they should, and others that are hard to follow: mpi-ends abort | crash |
 * leave | hang | threads | many | untold | spawn. */
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

/* A communicator that is made while recording is off, used and freed while it is on. */
static void
untold (void)
{
  MPI_Comm mine;
  int x = rank, sum;

  MPI_Pcontrol (0);
  MPI_Comm_dup (MPI_COMM_WORLD, &mine);
  MPI_Pcontrol (1);
  if (rank > 0)
    MPI_Allreduce (&x, &sum, 1, MPI_INT, MPI_SUM, mine);
  else {
    MPI_Pcontrol (0);
    MPI_Allreduce (&x, &sum, 1, MPI_INT, MPI_SUM, mine);
    MPI_Pcontrol (1);
  }
  MPI_Comm_free (&mine);
}

/* A program that is spawned, which is this one, gets a message from the first rank; the others know of it alone that it
 * goes. */
static void
spawn (const char *program)
{
  MPI_Comm parent, other;
  int x = 42;

  MPI_Comm_get_parent (&parent);
  if (parent == MPI_COMM_NULL)
    MPI_Comm_spawn (program, (char *[]){ (char *) "spawn", NULL }, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                    MPI_ERRCODES_IGNORE);
  else
    MPI_Recv (&x, 1, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
  if (parent == MPI_COMM_NULL && rank == 0)
    MPI_Send (&x, 1, MPI_INT, 0, 1, other);
  MPI_Comm_disconnect (parent == MPI_COMM_NULL ? &other : &parent);
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
  if (strcmp (how, "untold") == 0)
    untold ();
  if (strcmp (how, "spawn") == 0)
    spawn (argv[0]);
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
