/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - memory of others, in each way that MPI has: fences, groups that agree, locks. */
#include <stdlib.h>

#include "work.h"

static int rank, n;
static long *mine;
static MPI_Win win;

/* Each puts to the next and gets from the one before; one is late. */
static void
fences (void)
{
  long x = rank, y = -1;

  tape_mpi_enter ("fences");
  MPI_Win_fence (0, win);
  MPI_Put (&x, 1, MPI_LONG, (rank + 1) % n, 0, 1, MPI_LONG, win);
  if (rank == n - 1)
    work (5);
  MPI_Win_fence (0, win);
  must (mine[0] == (rank + n - 1) % n, "what was put");
  MPI_Get (&y, 1, MPI_LONG, (rank + 1) % n, 0, 1, MPI_LONG, win);
  MPI_Win_fence (0, win);
  must (y == rank, "what was got");
  tape_mpi_leave ("fences");
}

/* Rank 0 opens its memory late, the others put. */
static void
agreed (void)
{
  MPI_Group world, group;
  long x = rank * 10;
  int *others = malloc (sizeof *others * (size_t) n);

  tape_mpi_enter ("groups that agree");
  MPI_Comm_group (MPI_COMM_WORLD, &world);
  for (int i = 1; i < n; i++)
    others[i - 1] = i;
  if (rank == 0) {
    MPI_Group_incl (world, n - 1, others, &group);
    work (5);
    MPI_Win_post (group, 0, win);
    MPI_Win_wait (win);
    must (mine[n - 1] == (n - 1) * 10, "what the last put");
  } else {
    MPI_Group_incl (world, 1, (int[]){ 0 }, &group);
    MPI_Win_start (group, 0, win);
    MPI_Put (&x, 1, MPI_LONG, 0, rank, 1, MPI_LONG, win);
    if (rank == 1)
      work (3);
    MPI_Win_complete (win);
  }
  MPI_Group_free (&group);
  MPI_Group_free (&world);
  free (others);
  tape_mpi_leave ("groups that agree");
}

/* All count in the memory of rank 0, and hold its lock for a while. */
static void
locks (void)
{
  long one = 1, before = 0, sum = 0;

  tape_mpi_enter ("locks");
  MPI_Win_lock (MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Accumulate (&one, 1, MPI_LONG, 0, n, 1, MPI_LONG, MPI_SUM, win);
  work (2);
  MPI_Win_unlock (0, win);
  MPI_Win_lock_all (0, win);
  MPI_Fetch_and_op (&one, &before, MPI_LONG, 0, n + 1, MPI_SUM, win);
  MPI_Win_flush (0, win);
  must (before >= 0 && before < n, "what was there before");
  MPI_Request r;
  MPI_Rget (&sum, 1, MPI_LONG, 0, n, 1, MPI_LONG, win, &r);
  MPI_Wait (&r, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all (win);
  MPI_Barrier (MPI_COMM_WORLD);
  must (rank != 0 || mine[n] == n, "the count");
  tape_mpi_leave ("locks");
}

int
main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  MPI_Win_allocate ((MPI_Aint) ((n + 2) * (int) sizeof *mine), sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                    &win);
  for (int i = 0; i < n + 2; i++)
    mine[i] = 0;
  MPI_Barrier (MPI_COMM_WORLD);
  for (int i = 0; i < 3; i++)
    fences ();
  for (int i = 0; i < 3; i++) {
    agreed ();
    MPI_Barrier (MPI_COMM_WORLD);
  }
  locks ();
  MPI_Win_free (&win);
  MPI_Finalize ();
  return 0;
}
