/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.c - what a tracer says of dates, beside what the machine says: clocks ROUNDS MILLISECONDS FILE.  In each round
 * all meet at a barrier, then rank 0 works and a message goes from rank to rank, so that each waits for the one before.
 * Each rank adds a line to FILE: its number, and the machine's clock in nanoseconds as it comes to each barrier. */
#include <stdlib.h>

#include "work.h"

#define MOST_ROUNDS 1000

static long long
machine_clock (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int
main (int argc, char **argv)
{
  static long long dates[MOST_ROUNDS + 1];
  int rounds = argc > 1 ? atoi (argv[1]) : 10, rank, n, token = 0;
  double ms = argc > 2 ? atof (argv[2]) : 5;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  must (argc > 3 && rounds >= 1 && rounds <= MOST_ROUNDS, "clocks ROUNDS MILLISECONDS FILE: one of these");
  for (int i = 0; i < rounds; i++) {
    dates[i] = machine_clock ();
    MPI_Barrier (MPI_COMM_WORLD);
    if (rank == 0)
      work (ms);
    else
      MPI_Recv (&token, 1, MPI_INT, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    must (token == i * rank, "what came");
    token = i * (rank + 1);
    if (rank < n - 1)
      MPI_Send (&token, 1, MPI_INT, rank + 1, 1, MPI_COMM_WORLD);
    token = 0;
  }
  dates[rounds] = machine_clock ();
  MPI_Barrier (MPI_COMM_WORLD);
  FILE *file = fopen (argv[3], "a");
  must (file != NULL, "the file of dates");
  setvbuf (file, NULL, _IOFBF, 1 << 16); /* a line is written at once */
  fprintf (file, "%d", rank);
  for (int i = 0; i <= rounds; i++)
    fprintf (file, " %lld", dates[i]);
  fprintf (file, "\n");
  must (fclose (file) == 0, "the file of dates");
  MPI_Finalize ();
  return 0;
}
