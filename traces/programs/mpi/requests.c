/* SPDX-License-Identifier: Apache-2.0 */
/* requests.c - messages that do not block: each way to ask for them and to be told that they are done. */
#include <stdlib.h>

#include "work.h"

static int rank, n, next, before;

static void
any_and_some (void)
{
  MPI_Request r[6];
  int in[3], out[3] = { rank, rank + 1, rank + 2 }, index, done = 0, some, indices[6], flag = 0;

  for (int i = 0; i < 3; i++)
    MPI_Irecv (&in[i], 1, MPI_INT, before, i, MPI_COMM_WORLD, &r[i]);
  for (int i = 0; i < 3; i++)
    MPI_Isend (&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &r[3 + i]);
  MPI_Waitany (6, r, &index, MPI_STATUS_IGNORE);
  for (done = 1; done < 6; work (0.2)) {
    MPI_Testsome (6, r, &some, indices, MPI_STATUSES_IGNORE);
    done += some == MPI_UNDEFINED ? 6 : some;
  }
  must (in[2] == before + 2, "the third message");
  MPI_Irecv (&in[0], 1, MPI_INT, before, 7, MPI_COMM_WORLD, &r[0]);
  MPI_Test (&r[0], &flag, MPI_STATUS_IGNORE);
  work (1 + rank);
  MPI_Send (&out[0], 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  while (!flag) {
    work (0.5);
    MPI_Test (&r[0], &flag, MPI_STATUS_IGNORE);
  }
}

/* Started again and again. */
static void
persistent (void)
{
  MPI_Request r[2];
  int in = 0, out = 0;

  MPI_Send_init (&out, 1, MPI_INT, next, 20, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init (&in, 1, MPI_INT, MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &r[1]);
  for (int i = 0; i < 5; i++) {
    out = i;
    MPI_Startall (2, r);
    work (rank == i % n ? 2 : 0.5);
    MPI_Waitall (2, r, MPI_STATUSES_IGNORE);
    must (in == i, "what was sent again");
  }
  MPI_Request_free (&r[0]);
  MPI_Request_free (&r[1]);
}

/* Asked for and given up. */
static void
cancelled (void)
{
  MPI_Request r;
  MPI_Status s;
  int in, flag = 0;

  MPI_Irecv (&in, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &r);
  MPI_Cancel (&r);
  MPI_Wait (&r, &s);
  MPI_Test_cancelled (&s, &flag);
  must (flag, "what was given up");
}

/* Looked at before it is received; and a ring of messages that send and receive at once. */
static void
probed (void)
{
  MPI_Message message;
  MPI_Request r;
  MPI_Status s;
  int in = -1, out = rank;

  MPI_Issend (&out, 1, MPI_INT, next, 30, MPI_COMM_WORLD, &r);
  MPI_Mprobe (MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &message, &s);
  MPI_Mrecv (&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait (&r, MPI_STATUS_IGNORE);
  must (in == before, "what was looked at");
  for (int i = 0; i < n; i++)
    MPI_Sendrecv_replace (&in, 1, MPI_INT, next, 31, before, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  must (in == before, "the ring");
  MPI_Sendrecv (&out, 1, MPI_INT, rank ? rank - 1 : MPI_PROC_NULL, 32, &in, 1, MPI_INT,
                rank < n - 1 ? rank + 1 : MPI_PROC_NULL, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int
main (int argc, char **argv)
{
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &n);
  next = (rank + 1) % n;
  before = (rank + n - 1) % n;
  for (int i = 0; i < 3; i++) {
    void (*const parts[]) (void) = { any_and_some, persistent, cancelled, probed };
    const char *names[] = { "any and some", "persistent", "cancelled", "probed" };
    for (int k = 0; k < 4; k++) {
      tape_mpi_enter (names[k]);
      parts[k]();
      tape_mpi_leave (names[k]);
    }
  }
  MPI_Barrier (MPI_COMM_WORLD);
  MPI_Finalize ();
  return 0;
}
