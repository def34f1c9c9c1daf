/* SPDX-License-Identifier: Apache-2.0 */
/* collective.c - operations that all of a communicator take part in, with the bytes that are in this rank's own
 * buffers: sent are those that it gives, received those that it gets. */
#include "record.h"

static uint32_t
collective_root_of (int root)
{
  return root == MPI_ROOT ? RAW_ROOT_SELF : root == MPI_PROC_NULL ? RAW_ROOT_THIS_GROUP : (uint32_t) root;
}

/* Of whom each member gets or gives: of an inter-communicator the others. */
static int
partners (MPI_Comm comm)
{
  int inter = 0, n = 0;

  PMPI_Comm_test_inter (comm, &inter);
  if (inter)
    PMPI_Comm_remote_size (comm, &n);
  else
    PMPI_Comm_size (comm, &n);
  return n;
}

static bool
is_root (int root, MPI_Comm comm)
{
  int me = -1, inter = 0;

  if (root == MPI_ROOT || root == MPI_PROC_NULL)
    return root == MPI_ROOT;
  PMPI_Comm_test_inter (comm, &inter);
  PMPI_Comm_rank (comm, &me);
  return !inter && me == root;
}

static uint64_t
collective_sum (const int counts[], MPI_Datatype type, MPI_Comm comm)
{
  uint64_t all = 0;

  for (int i = 0, n = partners (comm); i < n; i++)
    all += tape_bytes (counts[i], type);
  return all;
}

static uint64_t
sum_types (const int counts[], const MPI_Datatype types[], MPI_Comm comm)
{
  uint64_t all = 0;

  for (int i = 0, n = partners (comm); i < n; i++)
    all += tape_bytes (counts[i], types[i]);
  return all;
}

static uint64_t
collective_each (int count, MPI_Datatype type, MPI_Comm comm)
{
  return tape_bytes (count, type) * (uint64_t) partners (comm);
}

static uint64_t
own_share (const int counts[], MPI_Datatype type, MPI_Comm comm)
{
  int me = 0;

  PMPI_Comm_rank (comm, &me);
  return tape_bytes (counts[me], type);
}

/* Who gets what the root gives: not its own group, if there are two. */
static bool
is_served (int root, MPI_Comm comm)
{
  return root != MPI_PROC_NULL && !is_root (root, comm);
}

typedef struct Amount {
  uint64_t sent, received;
} Amount;

static void
collective_ended (Call *c, unsigned operation, MPI_Comm comm, uint32_t root, Amount a)
{
  TAPE_PUT (c->lane, RAW_ENDED, operation, 0, c->date, tape_pair (tape_comm (comm), root), a.sent, a.received);
}

/* An operation and the same that does not block: parameters and arguments, without the communicator's, root, and the
 * bytes, which are computed before the call. */
#define PARAMS(...) __VA_ARGS__
#define COLLECTIVE(name, iname, op, params, args, root, amount)                                                        \
  WRAP (name, (params, MPI_Comm comm))                                                                                 \
  {                                                                                                                    \
    CALL (name, (args, comm));                                                                                         \
    Amount a = amount;                                                                                                 \
    TAPE_BEGIN (c, comm);                                                                                              \
    int result = real_##name (args, comm);                                                                             \
    tape_done (&c);                                                                                                    \
    collective_ended (&c, op, comm, root, a);                                                                          \
    LEAVE (result);                                                                                                    \
  }                                                                                                                    \
  WRAP (iname, (params, MPI_Comm comm, MPI_Request * request))                                                         \
  {                                                                                                                    \
    CALL (iname, (args, comm, request));                                                                               \
    Amount a = amount;                                                                                                 \
    Request r = { REQUEST_COLLECTIVE, .active = true, .id = tape_new_id (), .operation = op };                         \
    r.ended[0] = tape_pair (tape_comm (comm), root);                                                                   \
    r.ended[1] = a.sent;                                                                                               \
    r.ended[2] = a.received;                                                                                           \
    tape_put3 (c.lane, RAW_ICOLL, 0, 0, c.date, r.id);                                                                 \
    int result = real_##iname (args, comm, request);                                                                   \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS)                                                                                         \
      tape_request_add (KEY (*request), &r);                                                                           \
    LEAVE (result);                                                                                                    \
  }

WRAP (Barrier, (MPI_Comm comm))
{
  CALL (Barrier, (comm));
  TAPE_BEGIN (c, comm);
  int result = real_Barrier (comm);
  tape_done (&c);
  collective_ended (&c, RAW_OP_BARRIER, comm, RAW_NONE, (Amount){ 0, 0 });
  LEAVE (result);
}

WRAP (Ibarrier, (MPI_Comm comm, MPI_Request *request))
{
  CALL (Ibarrier, (comm, request));
  Request r = { REQUEST_COLLECTIVE, .active = true, .id = tape_new_id (), .operation = RAW_OP_BARRIER };
  r.ended[0] = tape_pair (tape_comm (comm), RAW_NONE);
  tape_put3 (c.lane, RAW_ICOLL, 0, 0, c.date, r.id);
  int result = real_Ibarrier (comm, request);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    tape_request_add (KEY (*request), &r);
  LEAVE (result);
}

/* Bytes of a buffer that MPI_IN_PLACE may stand for. */
#define UNLESS(buffer, bytes) ((buffer) == MPI_IN_PLACE ? 0 : (bytes))
COLLECTIVE (Bcast, Ibcast, RAW_OP_BCAST, PARAMS (void *buf, int n, MPI_Datatype type, int root),
            PARAMS (buf, n, type, root), collective_root_of (root),
            ((Amount){ is_root (root, comm) ? tape_bytes (n, type) : 0,
                       is_served (root, comm) ? tape_bytes (n, type) : 0 }))
COLLECTIVE (Gather, Igather, RAW_OP_GATHER,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in, MPI_Datatype in_type,
                    int root),
            PARAMS (out, n_out, out_type, in, n_in, in_type, root), collective_root_of (root),
            ((Amount){ UNLESS (out, tape_bytes (n_out, out_type)),
                       is_root (root, comm) ? collective_each (n_in, in_type, comm) : 0 }))
COLLECTIVE (Gatherv, Igatherv, RAW_OP_GATHERV,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, const int n_in[], const int in_at[],
                    MPI_Datatype in_type, int root),
            PARAMS (out, n_out, out_type, in, n_in, in_at, in_type, root), collective_root_of (root),
            ((Amount){ UNLESS (out, tape_bytes (n_out, out_type)),
                       is_root (root, comm) ? collective_sum (n_in, in_type, comm) : 0 }))
COLLECTIVE (Scatter, Iscatter, RAW_OP_SCATTER,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in, MPI_Datatype in_type,
                    int root),
            PARAMS (out, n_out, out_type, in, n_in, in_type, root), collective_root_of (root),
            ((Amount){ is_root (root, comm) ? collective_each (n_out, out_type, comm) : 0,
                       UNLESS (in, tape_bytes (n_in, in_type)) }))
COLLECTIVE (Scatterv, Iscatterv, RAW_OP_SCATTERV,
            PARAMS (const void *out, const int n_out[], const int out_at[], MPI_Datatype out_type, void *in, int n_in,
                    MPI_Datatype in_type, int root),
            PARAMS (out, n_out, out_at, out_type, in, n_in, in_type, root), collective_root_of (root),
            ((Amount){ is_root (root, comm) ? collective_sum (n_out, out_type, comm) : 0,
                       UNLESS (in, tape_bytes (n_in, in_type)) }))
COLLECTIVE (Allgather, Iallgather, RAW_OP_ALLGATHER,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in, MPI_Datatype in_type),
            PARAMS (out, n_out, out_type, in, n_in, in_type), RAW_NONE,
            ((Amount){ UNLESS (out, tape_bytes (n_out, out_type)), collective_each (n_in, in_type, comm) }))
COLLECTIVE (Allgatherv, Iallgatherv, RAW_OP_ALLGATHERV,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, const int n_in[], const int in_at[],
                    MPI_Datatype in_type),
            PARAMS (out, n_out, out_type, in, n_in, in_at, in_type), RAW_NONE,
            ((Amount){ UNLESS (out, tape_bytes (n_out, out_type)), collective_sum (n_in, in_type, comm) }))
COLLECTIVE (Alltoall, Ialltoall, RAW_OP_ALLTOALL,
            PARAMS (const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in, MPI_Datatype in_type),
            PARAMS (out, n_out, out_type, in, n_in, in_type), RAW_NONE,
            ((Amount){ UNLESS (out, collective_each (n_out, out_type, comm)), collective_each (n_in, in_type, comm) }))
COLLECTIVE (Alltoallv, Ialltoallv, RAW_OP_ALLTOALLV,
            PARAMS (const void *out, const int n_out[], const int out_at[], MPI_Datatype out_type, void *in,
                    const int n_in[], const int in_at[], MPI_Datatype in_type),
            PARAMS (out, n_out, out_at, out_type, in, n_in, in_at, in_type), RAW_NONE,
            ((Amount){ UNLESS (out, collective_sum (n_out, out_type, comm)), collective_sum (n_in, in_type, comm) }))
COLLECTIVE (Alltoallw, Ialltoallw, RAW_OP_ALLTOALLW,
            PARAMS (const void *out, const int n_out[], const int out_at[], const MPI_Datatype out_type[], void *in,
                    const int n_in[], const int in_at[], const MPI_Datatype in_type[]),
            PARAMS (out, n_out, out_at, out_type, in, n_in, in_at, in_type), RAW_NONE,
            ((Amount){ UNLESS (out, sum_types (n_out, out_type, comm)), sum_types (n_in, in_type, comm) }))
COLLECTIVE (Reduce, Ireduce, RAW_OP_REDUCE,
            PARAMS (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, int root),
            PARAMS (out, in, n, type, op, root), collective_root_of (root),
            ((Amount){ tape_bytes (n, type), is_root (root, comm) ? tape_bytes (n, type) : 0 }))
COLLECTIVE (Allreduce, Iallreduce, RAW_OP_ALLREDUCE,
            PARAMS (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op), PARAMS (out, in, n, type, op),
            RAW_NONE, ((Amount){ tape_bytes (n, type), tape_bytes (n, type) }))
COLLECTIVE (Scan, Iscan, RAW_OP_SCAN, PARAMS (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op),
            PARAMS (out, in, n, type, op), RAW_NONE, ((Amount){ tape_bytes (n, type), tape_bytes (n, type) }))
COLLECTIVE (Exscan, Iexscan, RAW_OP_EXSCAN, PARAMS (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op),
            PARAMS (out, in, n, type, op), RAW_NONE, ((Amount){ tape_bytes (n, type), tape_bytes (n, type) }))
COLLECTIVE (Reduce_scatter, Ireduce_scatter, RAW_OP_REDUCE_SCATTER,
            PARAMS (const void *out, void *in, const int n[], MPI_Datatype type, MPI_Op op),
            PARAMS (out, in, n, type, op), RAW_NONE,
            ((Amount){ collective_sum (n, type, comm), own_share (n, type, comm) }))
COLLECTIVE (Reduce_scatter_block, Ireduce_scatter_block, RAW_OP_REDUCE_SCATTER_BLOCK,
            PARAMS (const void *out, void *in, int n, MPI_Datatype type, MPI_Op op), PARAMS (out, in, n, type, op),
            RAW_NONE, ((Amount){ collective_each (n, type, comm), tape_bytes (n, type) }))
