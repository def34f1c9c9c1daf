/* SPDX-License-Identifier: Apache-2.0 */
/* communicator.c - how communicators are made and go; which is itself an operation of all that take part. */
#include <string.h>

#include "record.h"

static void
communicator_ended (Call *c, unsigned operation, MPI_Comm comm)
{
  if (comm != MPI_COMM_NULL)
    TAPE_PUT (c->lane, RAW_ENDED, operation, 0, c->date, tape_pair (tape_comm (comm), RAW_NONE), 0, 0);
}

/* Made from `comm`, whose members all call it. */
#define MAKES(name, params, args)                                                                                      \
  WRAP (name, params)                                                                                                  \
  {                                                                                                                    \
    CALL (name, args);                                                                                                 \
    uint32_t ordinal = tape_comm_ordinal (comm);                                                                       \
    TAPE_BEGIN (c, comm);                                                                                              \
    int result = real_##name args;                                                                                     \
    tape_done (&c);                                                                                                    \
    communicator_ended (&c, RAW_OP_CREATE, comm);                                                                      \
    if (result == MPI_SUCCESS)                                                                                         \
      tape_comm_made (&c, *made, comm, ordinal);                                                                       \
    LEAVE (result);                                                                                                    \
  }
MAKES (Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES (Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES (Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES (Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
       (comm, type, key, info, made))
MAKES (Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES (Cart_create, (MPI_Comm comm, int n, const int dims[], const int periods[], int reorder, MPI_Comm *made),
       (comm, n, dims, periods, reorder, made))
MAKES (Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm *made), (comm, remain, made))
MAKES (Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *made),
       (comm, n, index, edges, reorder, made))
MAKES (Dist_graph_create,
       (MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[], const int weights[],
        MPI_Info info, int reorder, MPI_Comm *made),
       (comm, n, nodes, degrees, targets, weights, info, reorder, made))
MAKES (Dist_graph_create_adjacent,
       (MPI_Comm comm, int n_in, const int sources[], const int in_weights[], int n_out, const int targets[],
        const int out_weights[], MPI_Info info, int reorder, MPI_Comm *made),
       (comm, n_in, sources, in_weights, n_out, targets, out_weights, info, reorder, made))
MAKES (Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))

/* It is there when its request is complete. */
WRAP (Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request))
{
  CALL (Comm_idup, (comm, made, request));
  Request r = { REQUEST_DUP,          .active = true, .ordinal = tape_comm_ordinal (comm), .bytes = KEY (comm),
                .id = tape_new_id (), .made = made,   .operation = RAW_OP_CREATE };
  r.ended[0] = tape_pair (tape_comm (comm), RAW_NONE);
  tape_put3 (c.lane, RAW_ICOLL, 0, 0, c.date, r.id);
  int result = real_Comm_idup (comm, made, request);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    tape_request_add (KEY (*request), &r);
  LEAVE (result);
}

/* Made by its members alone: which it is they tell. */
WRAP (Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made))
{
  CALL (Comm_create_group, (comm, group, tag, made));
  int result = real_Comm_create_group (comm, group, tag, made);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    tape_comm_made (&c, *made, MPI_COMM_NULL, 0);
  LEAVE (result);
}

WRAP (Intercomm_create, (MPI_Comm local, int leader, MPI_Comm peer, int remote, int tag, MPI_Comm *made))
{
  CALL (Intercomm_create, (local, leader, peer, remote, tag, made));
  tape_put2 (c.lane, RAW_BEGIN, 0, 0, c.date);
  int result = real_Intercomm_create (local, leader, peer, remote, tag, made);
  tape_done (&c);
  communicator_ended (&c, RAW_OP_CREATE, local);
  if (result == MPI_SUCCESS)
    tape_comm_made (&c, *made, MPI_COMM_NULL, 0);
  LEAVE (result);
}

#define FREES(name)                                                                                                    \
  WRAP (name, (MPI_Comm * comm))                                                                                       \
  {                                                                                                                    \
    CALL (name, (comm));                                                                                               \
    uint32_t gone = tape_comm (*comm); /* while it is there: nobody may have told of it yet */                         \
    uint64_t key = KEY (*comm);                                                                                        \
    int result = real_##name (comm);                                                                                   \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS)                                                                                         \
      tape_comm_gone (&c, key, gone);                                                                                  \
    LEAVE (result);                                                                                                    \
  }
FREES (Comm_free)
FREES (Comm_disconnect)

static int (*real_Comm_set_name) (MPI_Comm, const char *);
static const Real tape_real_name
    __attribute__ ((used, section ("tape_reals"))) = { "PMPI_Comm_set_name", (void **) (void *) &real_Comm_set_name };
__attribute__ ((visibility ("default"), alias ("PMPI_Comm_set_name"))) int MPI_Comm_set_name (MPI_Comm, const char *);
__attribute__ ((visibility ("default"))) int
PMPI_Comm_set_name (MPI_Comm comm, const char *name)
{
  if (tape_recording && tape_lane_here () && tape_lane->depth == 0 && name)
    tape_text (tape_lane, RAW_COMM_NAME, 0, tape_comm (comm), true, name, strnlen (name, MPI_MAX_OBJECT_NAME));
  return real_Comm_set_name (comm, name);
}
