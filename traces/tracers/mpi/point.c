/* SPDX-License-Identifier: Apache-2.0 */
/* point.c - messages: sends, receives, and the requests that complete them. */
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* ---- calls that block ------------------------------------------------------------------------------------------------------ */

static void
point_note_send (Call *c, int to, int tag, MPI_Comm comm, uint64_t bytes)
{
  if (to != MPI_PROC_NULL)
    TAPE_PUT (c->lane, RAW_SEND, 0, 0, c->date, tape_pair (tape_comm (comm), (uint32_t) to), (uint32_t) tag, bytes);
}

/* Whom the call waits for, which nobody would know if it never ended. */
static void
note_asked (Call *c, int from, int tag, MPI_Comm comm)
{
  if (from != MPI_PROC_NULL)
    TAPE_PUT (c->lane, RAW_ASKED, 0, 0, c->date,
              tape_pair (tape_comm (comm), from == MPI_ANY_SOURCE ? RAW_NONE : (uint32_t) from),
              tag == MPI_ANY_TAG ? RAW_NONE : (uint32_t) tag);
}

static uint64_t
received_bytes (const MPI_Status *s)
{
  MPI_Count n = 0;

  PMPI_Get_elements_x (s, MPI_BYTE, &n);
  return n == MPI_UNDEFINED || n < 0 ? 0 : (uint64_t) n;
}

static void
note_received (Call *c, int result, MPI_Comm comm, const MPI_Status *s)
{
  if (result == MPI_SUCCESS && s->MPI_SOURCE >= 0)
    TAPE_PUT (c->lane, RAW_RECV, 0, 0, c->date, tape_pair (tape_comm (comm), (uint32_t) s->MPI_SOURCE),
              (uint32_t) s->MPI_TAG, received_bytes (s));
}

#define SENDS(name)                                                                                                    \
  WRAP (name, (const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm))                         \
  {                                                                                                                    \
    CALL (name, (buf, count, type, to, tag, comm));                                                                    \
    point_note_send (&c, to, tag, comm, tape_bytes (count, type));                                                     \
    int result = real_##name (buf, count, type, to, tag, comm);                                                        \
    tape_done (&c);                                                                                                    \
    LEAVE (result);                                                                                                    \
  }
SENDS (Send)
SENDS (Bsend)
SENDS (Ssend)
SENDS (Rsend)

WRAP (Recv, (void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;

  CALL (Recv, (buf, count, type, from, tag, comm, status));
  note_asked (&c, from, tag, comm);
  int result = real_Recv (buf, count, type, from, tag, comm, s);
  tape_done (&c);
  note_received (&c, result, comm, s);
  LEAVE (result);
}

WRAP (Sendrecv, (const void *out, int n_out, MPI_Datatype out_type, int to, int out_tag, void *in, int n_in,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;

  CALL (Sendrecv, (out, n_out, out_type, to, out_tag, in, n_in, in_type, from, in_tag, comm, status));
  point_note_send (&c, to, out_tag, comm, tape_bytes (n_out, out_type));
  note_asked (&c, from, in_tag, comm);
  int result = real_Sendrecv (out, n_out, out_type, to, out_tag, in, n_in, in_type, from, in_tag, comm, s);
  tape_done (&c);
  note_received (&c, result, comm, s);
  LEAVE (result);
}

WRAP (Sendrecv_replace, (void *buf, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;

  CALL (Sendrecv_replace, (buf, count, type, to, out_tag, from, in_tag, comm, status));
  point_note_send (&c, to, out_tag, comm, tape_bytes (count, type));
  note_asked (&c, from, in_tag, comm);
  int result = real_Sendrecv_replace (buf, count, type, to, out_tag, from, in_tag, comm, s);
  tape_done (&c);
  note_received (&c, result, comm, s);
  LEAVE (result);
}

/* ---- messages that were looked at before they are received ------------------------------------------------------------------- */

static void
note_message (MPI_Comm comm, MPI_Message message)
{
  if (message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC)
    tape_request_add (KEY (message), &(Request){ .kind = REQUEST_MESSAGE, .comm = tape_comm (comm) });
}

WRAP (Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status))
{
  CALL (Probe, (from, tag, comm, status));
  note_asked (&c, from, tag, comm);
  int result = real_Probe (from, tag, comm, status);
  tape_done (&c);
  LEAVE (result);
}

WRAP (Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status))
{
  CALL (Mprobe, (from, tag, comm, message, status));
  note_asked (&c, from, tag, comm);
  int result = real_Mprobe (from, tag, comm, message, status);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    note_message (comm, *message);
  LEAVE (result);
}

WRAP (Improbe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status))
{
  CALL (Improbe, (from, tag, comm, flag, message, status));
  int result = real_Improbe (from, tag, comm, flag, message, status);
  tape_done (&c);
  if (result == MPI_SUCCESS && *flag)
    note_message (comm, *message);
  LEAVE (result);
}

WRAP (Mrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  Request r = { .comm = RAW_NONE };
  uint64_t handle = KEY (*message);

  CALL (Mrecv, (buf, count, type, message, status));
  bool known = tape_request_find (handle, &r);
  int result = real_Mrecv (buf, count, type, message, s);
  tape_done (&c);
  if (known && result == MPI_SUCCESS && s->MPI_SOURCE >= 0)
    TAPE_PUT (c.lane, RAW_RECV, 0, 0, c.date, tape_pair (r.comm, (uint32_t) s->MPI_SOURCE), (uint32_t) s->MPI_TAG,
              received_bytes (s));
  if (known)
    tape_request_remove (handle);
  LEAVE (result);
}

/* ---- requests --------------------------------------------------------------------------------------------------------------------- */

static void
note_isend (Call *c, const Request *r)
{
  TAPE_PUT (c->lane, RAW_ISEND, 0, 0, c->date, tape_pair (r->comm, r->peer), r->tag, r->bytes, r->id);
}

/* What is asked for is told before the call: it may have been received before it returns. */
#define ISENDS(name)                                                                                                   \
  WRAP (name, (const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request))   \
  {                                                                                                                    \
    CALL (name, (buf, count, type, to, tag, comm, request));                                                           \
    Request r = { REQUEST_SEND,          .active = true,        .comm = tape_comm (comm),                              \
                  .peer = (uint32_t) to, .tag = (uint32_t) tag, .bytes = tape_bytes (count, type),                     \
                  .id = tape_new_id () };                                                                              \
    if (to != MPI_PROC_NULL)                                                                                           \
      note_isend (&c, &r);                                                                                             \
    int result = real_##name (buf, count, type, to, tag, comm, request);                                               \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)                                                                  \
      tape_request_add (KEY (*request), &r);                                                                           \
    LEAVE (result);                                                                                                    \
  }
ISENDS (Isend)
ISENDS (Ibsend)
ISENDS (Issend)
ISENDS (Irsend)

static Request
posted (Call *c, uint32_t comm, int from, int tag)
{
  Request r = { REQUEST_RECEIVE, .active = true, .comm = comm, .id = tape_new_id () };

  r.peer = from == MPI_ANY_SOURCE ? RAW_NONE : (uint32_t) from;
  r.tag = tag == MPI_ANY_TAG ? RAW_NONE : (uint32_t) tag;
  tape_put3 (c->lane, RAW_POSTED, 0, 0, c->date, r.id);
  return r;
}

WRAP (Irecv, (void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request))
{
  Request r = { REQUEST_NONE };

  CALL (Irecv, (buf, count, type, from, tag, comm, request));
  if (from != MPI_PROC_NULL)
    r = posted (&c, tape_comm (comm), from, tag);
  int result = real_Irecv (buf, count, type, from, tag, comm, request);
  tape_done (&c);
  if (result == MPI_SUCCESS && from != MPI_PROC_NULL)
    tape_request_add (KEY (*request), &r);
  LEAVE (result);
}

WRAP (Imrecv, (void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request))
{
  uint64_t handle = KEY (*message);
  Request r = { REQUEST_NONE };

  CALL (Imrecv, (buf, count, type, message, request));
  bool known = tape_request_find (handle, &r);
  if (known) {
    tape_request_remove (handle);
    r = posted (&c, r.comm, MPI_ANY_SOURCE, MPI_ANY_TAG);
  }
  int result = real_Imrecv (buf, count, type, message, request);
  tape_done (&c);
  if (known && result == MPI_SUCCESS)
    tape_request_add (KEY (*request), &r);
  LEAVE (result);
}

/* ---- requests that are started again and again -------------------------------------------------------------------------------------- */

#define INITS(name)                                                                                                    \
  WRAP (name, (const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request))   \
  {                                                                                                                    \
    CALL (name, (buf, count, type, to, tag, comm, request));                                                           \
    int result = real_##name (buf, count, type, to, tag, comm, request);                                               \
    tape_done (&c);                                                                                                    \
    if (result == MPI_SUCCESS && to != MPI_PROC_NULL)                                                                  \
      tape_request_add (KEY (*request),                                                                                \
                        &(Request){ REQUEST_SEND, .persistent = true, .comm = tape_comm (comm), .peer = (uint32_t) to, \
                                    .tag = (uint32_t) tag, .bytes = tape_bytes (count, type) });                       \
    LEAVE (result);                                                                                                    \
  }
INITS (Send_init)
INITS (Bsend_init)
INITS (Ssend_init)
INITS (Rsend_init)

WRAP (Recv_init, (void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request))
{
  CALL (Recv_init, (buf, count, type, from, tag, comm, request));
  int result = real_Recv_init (buf, count, type, from, tag, comm, request);
  tape_done (&c);
  if (result == MPI_SUCCESS && from != MPI_PROC_NULL)
    tape_request_add (KEY (*request), &(Request){ REQUEST_RECEIVE, .persistent = true, .comm = tape_comm (comm),
                                                  .peer = from == MPI_ANY_SOURCE ? RAW_NONE : (uint32_t) from,
                                                  .tag = tag == MPI_ANY_TAG ? RAW_NONE : (uint32_t) tag });
  LEAVE (result);
}

static void
point_start (Call *c, MPI_Request request)
{
  Request r;

  if (!tape_request_find (KEY (request), &r) || !r.persistent)
    return;
  r.id = tape_new_id ();
  r.active = true;
  r.cancelled = false;
  if (r.kind == REQUEST_SEND)
    note_isend (c, &r);
  else
    tape_put3 (c->lane, RAW_POSTED, 0, 0, c->date, r.id);
  tape_request_change (KEY (request), &r);
}

WRAP (Start, (MPI_Request * request))
{
  CALL (Start, (request));
  point_start (&c, *request);
  int result = real_Start (request);
  tape_done (&c);
  LEAVE (result);
}

WRAP (Startall, (int count, MPI_Request requests[]))
{
  CALL (Startall, (count, requests));
  for (int i = 0; i < count; i++)
    point_start (&c, requests[i]);
  int result = real_Startall (count, requests);
  tape_done (&c);
  LEAVE (result);
}

/* ---- what completes them ---------------------------------------------------------------------------------------------------------------- */

static void
complete_communicator (Call *c, const Request *r)
{
  uint64_t ended[5] = { c->date, r->ended[0], r->ended[1], r->ended[2], r->id };

  tape_put (c->lane, RAW_ICOLL_DONE, r->operation, 0, 5, ended);
}

/* A request that had this handle, and about which `s` tells. */
static void
point_complete (Call *c, uint64_t handle, const MPI_Status *s)
{
  int cancelled = 0;
  Request r;

  if (!tape_request_complete (handle, &r))
    return;
  if (r.cancelled)
    PMPI_Test_cancelled (s, &cancelled);
  if (cancelled)
    tape_put3 (c->lane, RAW_CANCELLED, 0, 0, c->date, r.id);
  else if (r.kind == REQUEST_SEND)
    tape_put3 (c->lane, RAW_SENT, 0, 0, c->date, r.id);
  else if (r.kind == REQUEST_RECEIVE && s->MPI_SOURCE >= 0)
    TAPE_PUT (c->lane, RAW_IRECV, 0, 0, c->date, tape_pair (r.comm, (uint32_t) s->MPI_SOURCE), (uint32_t) s->MPI_TAG,
              received_bytes (s), r.id);
  else if (r.kind == REQUEST_COLLECTIVE || r.kind == REQUEST_DUP)
    complete_communicator (c, &r);
  else if (r.kind == REQUEST_RMA)
    tape_window_one (c, r.window, r.id);
  if (r.kind == REQUEST_DUP)
    tape_comm_made (c, *r.made, (MPI_Comm) (uintptr_t) r.bytes, r.ordinal);
}

/* The handles before a call that may complete them, and room for what it tells. */
typedef struct Waiting {
  MPI_Status few_status[32], *status;
  uint64_t few_handles[32], *handle;
  void *much;
} Waiting;

static bool
point_prepare (Waiting *w, int n, MPI_Request requests[], MPI_Status *statuses)
{
  size_t many = n > 32 ? (size_t) n : 0;

  w->much = NULL;
  w->status = w->few_status;
  w->handle = w->few_handles;
  if (many) {
    w->much = malloc (many * (sizeof *w->status + sizeof *w->handle));
    if (!w->much)
      return false;
    w->handle = w->much;
    w->status = (MPI_Status *) (w->handle + many);
  }
  if (statuses)
    w->status = statuses;
  for (int i = 0; i < n; i++)
    w->handle[i] = requests[i] == MPI_REQUEST_NULL ? 0 : KEY (requests[i]);
  return true;
}

static MPI_Status *
point_given (MPI_Status *statuses)
{
  return statuses == MPI_STATUSES_IGNORE ? NULL : statuses;
}

#define MOST_ASKED 8 /* requests of one call that are told before it */

/* Whom a call waits for that completes all of these. */
static void
note_requests (Call *c, int n, const MPI_Request requests[])
{
  Request r;

  for (int i = 0; i < n && i < MOST_ASKED; i++)
    if (requests[i] != MPI_REQUEST_NULL && tape_request_find (KEY (requests[i]), &r) && r.active
        && (r.kind == REQUEST_SEND || r.kind == REQUEST_RECEIVE))
      TAPE_PUT (c->lane, RAW_ASKED, 0, r.kind == REQUEST_SEND, c->date, tape_pair (r.comm, r.peer), r.tag);
}

WRAP (Wait, (MPI_Request * request, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  uint64_t handle = KEY (*request);

  CALL (Wait, (request, status));
  note_requests (&c, 1, request);
  int result = real_Wait (request, s);
  tape_done (&c);
  if (result == MPI_SUCCESS)
    point_complete (&c, handle, s);
  LEAVE (result);
}

WRAP (Test, (MPI_Request * request, int *flag, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  uint64_t handle = KEY (*request);
  Request r = { REQUEST_NONE };

  CALL (Test, (request, flag, status));
  int result = real_Test (request, flag, s);
  tape_done (&c);
  if (result == MPI_SUCCESS && *flag)
    point_complete (&c, handle, s);
  else if (result == MPI_SUCCESS && tape_request_find (handle, &r) && r.active
           && (r.kind == REQUEST_SEND || r.kind == REQUEST_RECEIVE))
    tape_put3 (c.lane, RAW_TESTED, 0, 0, c.date, r.id);
  LEAVE (result);
}

static void
complete_all (Call *c, Waiting *w, int n, int result)
{
  for (int i = 0; i < n; i++)
    if (result == MPI_SUCCESS || (result == MPI_ERR_IN_STATUS && w->status[i].MPI_ERROR == MPI_SUCCESS))
      point_complete (c, w->handle[i], &w->status[i]);
  free (w->much);
}

WRAP (Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]))
{
  Waiting w;

  CALL (Waitall, (n, requests, statuses));
  note_requests (&c, n, requests);
  bool ready = point_prepare (&w, n, requests, point_given (statuses));
  int result = real_Waitall (n, requests, ready ? w.status : statuses);
  tape_done (&c);
  if (ready)
    complete_all (&c, &w, n, result);
  LEAVE (result);
}

WRAP (Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]))
{
  Waiting w;

  CALL (Testall, (n, requests, flag, statuses));
  bool ready = point_prepare (&w, n, requests, point_given (statuses));
  int result = real_Testall (n, requests, flag, ready ? w.status : statuses);
  tape_done (&c);
  if (ready)
    complete_all (&c, &w, *flag ? n : 0, result);
  LEAVE (result);
}

static void
complete_one (Call *c, Waiting *w, int index, const MPI_Status *s)
{
  if (index != MPI_UNDEFINED)
    point_complete (c, w->handle[index], s);
  free (w->much);
}

WRAP (Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting w;

  CALL (Waitany, (n, requests, index, status));
  bool ready = point_prepare (&w, n, requests, NULL);
  int result = real_Waitany (n, requests, index, s);
  tape_done (&c);
  if (ready)
    complete_one (&c, &w, result == MPI_SUCCESS ? *index : MPI_UNDEFINED, s);
  LEAVE (result);
}

WRAP (Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status))
{
  MPI_Status own, *s = status == MPI_STATUS_IGNORE ? &own : status;
  Waiting w;

  CALL (Testany, (n, requests, index, flag, status));
  bool ready = point_prepare (&w, n, requests, NULL);
  int result = real_Testany (n, requests, index, flag, s);
  tape_done (&c);
  if (ready)
    complete_one (&c, &w, result == MPI_SUCCESS && *flag ? *index : MPI_UNDEFINED, s);
  LEAVE (result);
}

static void
complete_some (Call *c, Waiting *w, int n, const int indices[])
{
  for (int i = 0; n != MPI_UNDEFINED && i < n; i++)
    point_complete (c, w->handle[indices[i]], &w->status[i]);
  free (w->much);
}

#define SOME(name)                                                                                                     \
  WRAP (name, (int n, MPI_Request requests[], int *n_done, int indices[], MPI_Status statuses[]))                      \
  {                                                                                                                    \
    Waiting w;                                                                                                         \
    CALL (name, (n, requests, n_done, indices, statuses));                                                             \
    bool ready = point_prepare (&w, n, requests, point_given (statuses));                                              \
    int result = real_##name (n, requests, n_done, indices, ready ? w.status : statuses);                              \
    tape_done (&c);                                                                                                    \
    if (ready)                                                                                                         \
      complete_some (&c, &w, result == MPI_SUCCESS ? *n_done : 0, indices);                                            \
    LEAVE (result);                                                                                                    \
  }
SOME (Waitsome)
SOME (Testsome)

WRAP (Request_get_status, (MPI_Request request, int *flag, MPI_Status *status))
{
  Request r = { REQUEST_NONE };

  CALL (Request_get_status, (request, flag, status));
  int result = real_Request_get_status (request, flag, status);
  tape_done (&c);
  if (result == MPI_SUCCESS && !*flag && tape_request_find (KEY (request), &r) && r.active
      && (r.kind == REQUEST_SEND || r.kind == REQUEST_RECEIVE))
    tape_put3 (c.lane, RAW_TESTED, 0, 0, c.date, r.id);
  LEAVE (result);
}

/* It completes some time, which nobody sees: in the trace it does not. */
WRAP (Request_free, (MPI_Request * request))
{
  uint64_t handle = KEY (*request);

  CALL (Request_free, (request));
  tape_request_remove (handle);
  int result = real_Request_free (request);
  tape_done (&c);
  LEAVE (result);
}

WRAP (Cancel, (MPI_Request * request))
{
  Request r;

  CALL (Cancel, (request));
  if (tape_request_find (KEY (*request), &r)) {
    r.cancelled = true;
    tape_request_change (KEY (*request), &r);
  }
  int result = real_Cancel (request);
  tape_done (&c);
  LEAVE (result);
}

/* ---- functions of which only begin and end are recorded --------------------------------------------------------------------------------- */

#define ONLY(name, params, args)                                                                                       \
  WRAP (name, params)                                                                                                  \
  {                                                                                                                    \
    CALL (name, args);                                                                                                 \
    int result = real_##name args;                                                                                     \
    tape_done (&c);                                                                                                    \
    LEAVE (result);                                                                                                    \
  }
#include "only.def"
