/* SPDX-License-Identifier: Apache-2.0 */
/* collectives.c - each collective operation, blocking and not, in communicators that are made in each way. */
#include <stdlib.h>

#include "work.h"

#define MOST 64

static int out[MOST * MOST], in[MOST * MOST], counts[MOST], places[MOST];
static MPI_Datatype types[MOST];

static void
rooted (MPI_Comm comm, int rank, int n, int root)
{
  int x = rank + 1, y = 0;

  MPI_Bcast (&x, 1, MPI_INT, root, comm);
  must (x == root + 1, "Bcast");
  MPI_Gather (&rank, 1, MPI_INT, in, 1, MPI_INT, root, comm);
  must (rank != root || in[n - 1] == n - 1, "Gather");
  MPI_Scatter (in, 1, MPI_INT, &y, 1, MPI_INT, root, comm);
  must (y == rank, "Scatter");
  MPI_Gatherv (&rank, 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
  MPI_Scatterv (in, counts, places, MPI_INT, &y, 1, MPI_INT, root, comm);
  must (y == rank, "Scatterv");
  MPI_Reduce (&rank, &y, 1, MPI_INT, MPI_SUM, root, comm);
  must (rank != root || y == n * (n - 1) / 2, "Reduce");
}

static void
all_to_all (MPI_Comm comm, int rank, int n)
{
  int y = 0;

  for (int i = 0; i < n; i++)
    out[i] = rank * n + i;
  MPI_Barrier (comm);
  MPI_Allgather (&rank, 1, MPI_INT, in, 1, MPI_INT, comm);
  MPI_Allgatherv (&rank, 1, MPI_INT, in, counts, places, MPI_INT, comm);
  must (in[n - 1] == n - 1, "Allgatherv");
  MPI_Alltoall (out, 1, MPI_INT, in, 1, MPI_INT, comm);
  must (in[n - 1] == (n - 1) * n + rank, "Alltoall");
  MPI_Alltoallv (out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Allreduce (MPI_IN_PLACE, &y, 1, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce (&rank, &y, 1, MPI_INT, MPI_SUM, comm);
  must (y == n * (n - 1) / 2, "Allreduce");
  MPI_Reduce_scatter (out, &y, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block (out, &y, 1, MPI_INT, MPI_SUM, comm);
  MPI_Scan (&rank, &y, 1, MPI_INT, MPI_SUM, comm);
  must (y == rank * (rank + 1) / 2, "Scan");
  MPI_Exscan (&rank, &y, 1, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; i++)
    places[i] *= (int) sizeof (int);
  MPI_Alltoallw (out, counts, places, types, in, counts, places, types, comm);
  for (int i = 0; i < n; i++)
    places[i] /= (int) sizeof (int);
}

static void
not_blocking (MPI_Comm comm, int rank, int n)
{
  MPI_Request r[4];
  int x = rank, y = 0, z = rank;

  MPI_Ibarrier (comm, &r[0]);
  MPI_Ibcast (&z, 1, MPI_INT, 0, comm, &r[1]);
  MPI_Iallreduce (&x, &y, 1, MPI_INT, MPI_SUM, comm, &r[2]);
  MPI_Iallgather (&x, 1, MPI_INT, in, 1, MPI_INT, comm, &r[3]);
  work (0.3);
  MPI_Waitall (4, r, MPI_STATUSES_IGNORE);
  must (z == 0 && y == n * (n - 1) / 2, "operations that do not block");
}

static void
all_of (MPI_Comm comm)
{
  int rank, n;

  MPI_Comm_rank (comm, &rank);
  MPI_Comm_size (comm, &n);
  must (n <= MOST, "the number of ranks");
  rooted (comm, rank, n, 0);
  rooted (comm, rank, n, n - 1);
  all_to_all (comm, rank, n);
  not_blocking (comm, rank, n);
}

/* Two halves, and what is between them. */
static void
between (MPI_Comm half, int rank, int n)
{
  MPI_Comm both, merged;
  int odd = rank % 2, x = rank, y = -1;

  MPI_Intercomm_create (half, 0, MPI_COMM_WORLD, odd ? 0 : 1, 9, &both);
  MPI_Allreduce (&x, &y, 1, MPI_INT, MPI_MIN, both);
  must (y == !odd, "Allreduce between groups");
  MPI_Bcast (&x, 1, MPI_INT, odd ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
  if (rank == 0)
    MPI_Send (&x, 1, MPI_INT, 0, 4, both);
  if (rank == 1)
    MPI_Recv (&x, 1, MPI_INT, 0, 4, both, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge (both, odd, &merged);
  MPI_Comm_size (merged, &y);
  must (y == n, "the merged communicator");
  MPI_Comm_free (&merged);
  MPI_Comm_free (&both);
}

int
main (int argc, char **argv)
{
  MPI_Comm half, copy, later, made, alone, grid, row;
  MPI_Group world, some;
  MPI_Request r;
  int rank, n, dims[2] = { 0, 0 }, zeros[2] = { 0, 0 }, keep[2] = { 0, 1 };

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  for (int i = 0; i < MOST; i++) {
    counts[i] = 1;
    places[i] = i;
    types[i] = MPI_INT;
  }
  all_of (MPI_COMM_WORLD);
  MPI_Comm_split (MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_set_name (half, rank % 2 ? "odd" : "even");
  all_of (half);
  MPI_Comm_dup (MPI_COMM_WORLD, &copy);
  MPI_Comm_idup (MPI_COMM_WORLD, &later, &r);
  MPI_Wait (&r, MPI_STATUS_IGNORE);
  MPI_Barrier (later);
  MPI_Comm_group (copy, &world);
  MPI_Group_incl (world, 2, (int[]){ n - 1, 0 }, &some);
  MPI_Comm_create (copy, some, &made);
  if (made != MPI_COMM_NULL) {
    MPI_Barrier (made);
    MPI_Comm_create_group (copy, some, 1, &alone);
    MPI_Barrier (alone);
    MPI_Comm_free (&alone);
    MPI_Comm_free (&made);
  }
  MPI_Dims_create (n, 2, dims);
  MPI_Cart_create (MPI_COMM_WORLD, 2, dims, zeros, 0, &grid);
  MPI_Cart_sub (grid, keep, &row);
  MPI_Barrier (row);
  MPI_Barrier (MPI_COMM_SELF);
  MPI_Comm_split (MPI_COMM_WORLD, 0, rank % 2 ? n - rank : rank, &alone);
  MPI_Comm_free (&alone);
  MPI_Comm_split (MPI_COMM_WORLD, rank % 2, rank, &alone);
  between (alone, rank, n);
  MPI_Comm_free (&alone);
  MPI_Comm_free (&row);
  MPI_Comm_free (&grid);
  MPI_Comm_free (&later);
  MPI_Comm_free (&copy);
  MPI_Comm_free (&half);
  MPI_Group_free (&some);
  MPI_Group_free (&world);
  MPI_Finalize ();
  return 0;
}
