/* SPDX-License-Identifier: Apache-2.0 */
/* stencil.c - heat spreads over a plate: stencil [SIDE [STEPS]].  The ranks form a grid and exchange borders without
 * blocking; those of the right half have more to do, as their material is another. */
#include <stdlib.h>
#include <string.h>

#include "work.h"

static int n, rank, width, height, neighbour[4]; /* left, right, up, down */
static double *here, *next, *out[4], *in[4];
static MPI_Comm grid;

static void
make_grid (int side)
{
  int dims[2] = { 0, 0 }, periods[2] = { 0, 0 };

  MPI_Comm_size (MPI_COMM_WORLD, &n);
  MPI_Dims_create (n, 2, dims);
  MPI_Cart_create (MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_set_name (grid, "grid");
  MPI_Comm_rank (grid, &rank);
  MPI_Cart_shift (grid, 0, 1, &neighbour[0], &neighbour[1]);
  MPI_Cart_shift (grid, 1, 1, &neighbour[2], &neighbour[3]);
  width = side / dims[0];
  height = side / dims[1];
  here = calloc ((size_t) (width + 2) * (size_t) (height + 2), sizeof *here);
  next = calloc ((size_t) (width + 2) * (size_t) (height + 2), sizeof *next);
  for (int i = 0; i < 4; i++) {
    out[i] = calloc ((size_t) (i < 2 ? height : width), sizeof **out);
    in[i] = calloc ((size_t) (i < 2 ? height : width), sizeof **in);
  }
  if (neighbour[0] < 0)
    for (int y = 0; y < height + 2; y++)
      here[y * (width + 2)] = next[y * (width + 2)] = 100;
}

/* Where the k-th point of a side is; `outside`: of the neighbour's points that are kept here. */
static double *
point (int side, int k, int outside)
{
  int w = width + 2,
      x = side == 0   ? !outside
          : side == 1 ? width + outside
                      : k + 1,
      y = side == 2   ? !outside
          : side == 3 ? height + outside
                      : k + 1;

  return here + y * w + x;
}

static void
exchange (void)
{
  MPI_Request requests[8];

  tape_mpi_enter ("exchange");
  for (int i = 0; i < 4; i++) {
    int many = i < 2 ? height : width;
    MPI_Irecv (in[i], many, MPI_DOUBLE, neighbour[i], i ^ 1, grid, &requests[i]);
  }
  for (int i = 0; i < 4; i++) {
    int many = i < 2 ? height : width;
    for (int k = 0; k < many; k++)
      out[i][k] = *point (i, k, 0);
    MPI_Isend (out[i], many, MPI_DOUBLE, neighbour[i], i, grid, &requests[4 + i]);
  }
  MPI_Waitall (8, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 4; i++)
    for (int k = 0; neighbour[i] >= 0 && k < (i < 2 ? height : width); k++)
      *point (i, k, 1) = in[i][k];
  tape_mpi_leave ("exchange");
}

static double
relax (void)
{
  double change = 0;
  int w = width + 2;

  tape_mpi_enter ("relax");
  for (int y = 1; y <= height; y++)
    for (int x = 1; x <= width; x++) {
      double *p = here + y * w + x, v = (p[-1] + p[1] + p[-w] + p[w]) / 4;
      change += (v - *p) * (v - *p);
      next[y * w + x] = v;
    }
  for (int y = 1; y <= height; y++)
    memcpy (here + y * w + 1, next + y * w + 1, (size_t) width * sizeof *here);
  work (neighbour[1] < 0 ? 3 : 1.5);
  tape_mpi_leave ("relax");
  return change;
}

int
main (int argc, char **argv)
{
  int side = argc > 1 ? atoi (argv[1]) : 64, steps = argc > 2 ? atoi (argv[2]) : 20;
  double change = 0, all = 0;

  MPI_Init (&argc, &argv);
  make_grid (side);
  for (int i = 0; i < steps; i++) {
    exchange ();
    change = relax ();
    if (i % 5 == 4)
      MPI_Allreduce (&change, &all, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  must (all > 0 && all < 1e5, "the change");
  MPI_Comm_free (&grid);
  MPI_Finalize ();
  return 0;
}
