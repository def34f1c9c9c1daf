/* SPDX-License-Identifier: Apache-2.0 */
/* messages.c - records of what goes between locations, and of what is asked for in one record and done in another:
 * messages, collective operations, memory of others, files.
 *
 * What is asked for is an action: it begins with the record that asks, and ends with the one that tells that it is
 * done, which has its number.  A collective operation begins and ends too, but what it is only its end tells. */
#include "readers/otf2/callbacks.h"

static int64_t
otf2_messages_bytes_of (uint64_t n)
{
  return (int64_t) MIN (n, (uint64_t) INT64_MAX);
}

static int32_t
otf2_messages_tag_of (uint32_t tag)
{
  return tag > INT32_MAX ? -1 : (int32_t) tag;
}

static inline uint32_t
object_of_comm (Lane *l, uint32_t comm)
{
  const Comm *c = map_get (&l->o->comms, comm);

  return G_LIKELY (c && c->object != TRACE_NONE) ? c->object : otf2_comm_object (l->o, comm);
}

static void
address (Lane *l, TraceEvent *e, uint32_t rank, uint32_t comm, uint32_t tag, uint64_t bytes)
{
  e->peer = otf2_rank (l->o, comm, rank, l->task);
  e->object = object_of_comm (l, comm);
  e->tag = otf2_messages_tag_of (tag);
  e->size = otf2_messages_bytes_of (bytes);
}

static OTF2_CallbackCode
otf2_messages_begin (Lane *l, Kind k, TraceEvent e, uint32_t space, uint32_t of, uint64_t id)
{
  e.kind = otf2_kind_of (l->o, k);
  uint64_t begun = converter_begin (l->to, &e);
  otf2_request_begin (l, space, of, id, &e, begun);
  DONE;
}

static OTF2_CallbackCode
otf2_messages_end (Lane *l, const Request *r, TraceEvent e)
{
  int64_t date = e.date;

  e.kind = r->event.kind;
  e.date = r->event.date;
  e.flags |= TRACE_OPEN;
  l->failed |= !converter_end (l->to, &e, r->begun, r->event.date, date);
  DONE;
}

/* ---- messages ------------------------------------------------------------------------------------------------------------------ */

static OTF2_CallbackCode
on_send (RECORD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
  BEGIN;
  address (l, &e, receiver, comm, tag, bytes);
  return otf2_give (l, KIND_SEND, e);
}
LATER_4 (on_send, uint32_t, OTF2_CommRef, uint32_t, uint64_t)

static OTF2_CallbackCode
on_recv (RECORD, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
  BEGIN;
  address (l, &e, sender, comm, tag, bytes);
  return otf2_give (l, KIND_RECV, e);
}
LATER_4 (on_recv, uint32_t, OTF2_CommRef, uint32_t, uint64_t)

static OTF2_CallbackCode
on_isend (RECORD, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id)
{
  BEGIN;
  address (l, &e, receiver, comm, tag, bytes);
  if (G_UNLIKELY (l->at->cancelled && otf2_is_cancelled (l->at, l->n_sends)))
    e.result = -1; /* nobody will have it */
  l->n_sends++;
  converter_int (l->to, (int64_t) id);
  return otf2_messages_begin (l, KIND_ISEND, e, REQUEST_SEND, 0, id);
}
LATER_5 (on_isend, uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t)

static OTF2_CallbackCode
otf2_messages_give_request (Lane *l, Kind k, TraceEvent e, uint64_t id)
{
  converter_int (l->to, (int64_t) id);
  return otf2_give (l, k, e);
}

static OTF2_CallbackCode
on_isend_complete (RECORD, uint64_t id)
{
  BEGIN;
  Request r;
  if (!otf2_request_end (l, REQUEST_SEND, 0, id, &r))
    return otf2_messages_give_request (l, KIND_ISEND_COMPLETE, e, id);
  int64_t at = e.date;
  e = r.event;
  e.date = at;
  return otf2_messages_end (l, &r, e);
}
LATER_1 (on_isend_complete, uint64_t)

static OTF2_CallbackCode
on_irecv_request (RECORD, uint64_t id)
{
  BEGIN;
  converter_int (l->to, (int64_t) id);
  return otf2_messages_begin (l, KIND_IRECV, e, REQUEST_RECEIVE, 0, id);
}
LATER_1 (on_irecv_request, uint64_t)

/* Of whom it is is known now. */
static OTF2_CallbackCode
on_irecv (RECORD, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id)
{
  BEGIN;
  Request r;
  address (l, &e, sender, comm, tag, bytes);
  if (!otf2_request_end (l, REQUEST_RECEIVE, 0, id, &r))
    return otf2_give (l, KIND_RECV, e);
  e.flags |= TRACE_LATE;
  return otf2_messages_end (l, &r, e);
}
LATER_5 (on_irecv, uint32_t, OTF2_CommRef, uint32_t, uint64_t, uint64_t)

static OTF2_CallbackCode
on_request_test (RECORD, uint64_t id)
{
  BEGIN;
  return otf2_messages_give_request (l, KIND_REQUEST_TEST, e, id);
}
LATER_1 (on_request_test, uint64_t)

static OTF2_CallbackCode
on_request_cancelled (RECORD, uint64_t id)
{
  BEGIN;
  Request r;
  if (!otf2_request_end (l, REQUEST_RECEIVE, 0, id, &r) && !otf2_request_end (l, REQUEST_SEND, 0, id, &r))
    return otf2_messages_give_request (l, KIND_REQUEST_CANCELLED, e, id);
  int64_t at = e.date;
  e = r.event;
  e.date = at;
  e.result = -1;
  return otf2_messages_end (l, &r, e);
}
LATER_1 (on_request_cancelled, uint64_t)

/* ---- collective operations ------------------------------------------------------------------------------------------------------- */

static uint32_t
otf2_messages_root_of (Lane *l, uint32_t comm, uint32_t root)
{
  if (root == OTF2_COLLECTIVE_ROOT_SELF || root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
    return root == OTF2_COLLECTIVE_ROOT_SELF ? l->task : TRACE_NONE;
  return root == OTF2_COLLECTIVE_ROOT_NONE ? TRACE_NONE : otf2_rank (l->o, comm, root, l->task);
}

/* The group whose members do something together, since a date. */
static uint32_t
otf2_messages_group_of (Lane *l, uint32_t comm, int64_t since)
{
  if (G_LIKELY (!otf2_is_self (l->o, comm)))
    return object_of_comm (l, comm);
  bool is_new;
  uint32_t object = otf2_self_object (l->o, comm, l->task, &is_new);
  if (is_new)
    together_members (l->to, &l->o->kinds[KIND_GROUP], object, &l->task, 1, since, converter_place (l->to));
  return object;
}

static OTF2_CallbackCode
otf2_messages_give_collective (Lane *l, TraceEvent e, Kind first, OTF2_CollectiveOp op, uint64_t received,
                               int64_t since)
{
  int64_t date = e.date;

  e.kind = otf2_kind_of (l->o, first + MIN (op, N_OPERATIONS - 1));
  e.date = since;
  converter_int (l->to, otf2_messages_bytes_of (received));
  l->failed |= !converter_action (l->to, &e, date);
  DONE;
}

static OTF2_CallbackCode
on_collective_begin (RECORD)
{
  BEGIN;
  l->in_collective = true;
  l->collective = e.date;
  return OTF2_CALLBACK_SUCCESS;
}
LATER_0 (on_collective_begin)

static OTF2_CallbackCode
on_collective_end (RECORD, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
  BEGIN;
  int64_t since = l->in_collective ? l->collective : date;
  l->in_collective = false;
  e.object = otf2_messages_group_of (l, comm, since);
  e.peer = otf2_messages_root_of (l, comm, root);
  e.size = otf2_messages_bytes_of (sent);
  return otf2_messages_give_collective (l, e, KIND_COLLECTIVE, op, received, since);
}
LATER_5 (on_collective_end, OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t)

static OTF2_CallbackCode
on_collective_request (RECORD, uint64_t id)
{
  BEGIN;
  otf2_request_begin (l, REQUEST_COLLECTIVE, 0, id, &e, 0);
  return OTF2_CALLBACK_SUCCESS;
}
LATER_1 (on_collective_request, uint64_t)

static OTF2_CallbackCode
on_collective_complete (RECORD, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                        uint64_t received, uint64_t id)
{
  BEGIN;
  Request r;
  bool asked = otf2_request_end (l, REQUEST_COLLECTIVE, 0, id, &r);
  e.object = otf2_messages_group_of (l, comm, asked ? r.event.date : date);
  e.peer = otf2_messages_root_of (l, comm, root);
  e.size = otf2_messages_bytes_of (sent);
  return otf2_messages_give_collective (l, e, KIND_COLLECTIVE + N_OPERATIONS, op, received,
                                        asked ? r.event.date : date);
}
LATER_6 (on_collective_complete, OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t, uint64_t)

static uint32_t
comm_of_window (Lane *l, uint32_t window)
{
  const Window *w = map_get (&l->o->windows, window);

  return w ? w->comm : OTF2_UNDEFINED_COMM;
}

static OTF2_CallbackCode
on_rma_collective_end (RECORD, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, uint32_t root,
                       uint64_t sent, uint64_t received)
{
  BEGIN;
  int64_t since = l->in_collective ? l->collective : date;
  l->in_collective = false;
  e.object = otf2_window_object (l->o, window);
  e.peer = otf2_messages_root_of (l, comm_of_window (l, window), root);
  e.size = otf2_messages_bytes_of (sent);
  return otf2_messages_give_collective (l, e, KIND_COLLECTIVE + 2 * N_OPERATIONS, op, received, since);
}
LATER_6 (on_rma_collective_end, OTF2_CollectiveOp, OTF2_RmaSyncLevel, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)

/* ---- memory of others -------------------------------------------------------------------------------------------------------------- */

#define ON_WINDOW(name, kind)                                                                                          \
  static OTF2_CallbackCode name (RECORD, OTF2_RmaWinRef window)                                                        \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = otf2_window_object (l->o, window);                                                                      \
    return otf2_give (l, kind, e);                                                                                     \
  }                                                                                                                    \
  LATER_1 (name, OTF2_RmaWinRef)
ON_WINDOW (on_win_create, KIND_WIN_CREATE)
ON_WINDOW (on_win_destroy, KIND_WIN_DESTROY)
ON_WINDOW (on_wait_change, KIND_RMA_WAIT_CHANGE)

static OTF2_CallbackCode
access_memory (Lane *l, TraceEvent e, Kind k, uint32_t window, uint32_t remote, uint64_t bytes, uint64_t id)
{
  e.object = otf2_window_object (l->o, window);
  e.peer = otf2_rank (l->o, comm_of_window (l, window), remote, l->task);
  e.size = otf2_messages_bytes_of (bytes);
  return otf2_messages_begin (l, k, e, REQUEST_RMA, window, id);
}

static OTF2_CallbackCode
on_put (RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
{
  BEGIN;
  return access_memory (l, e, KIND_PUT, window, remote, bytes, id);
}
LATER_4 (on_put, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)

static OTF2_CallbackCode
on_get (RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t id)
{
  BEGIN;
  return access_memory (l, e, KIND_GET, window, remote, bytes, id);
}
LATER_4 (on_get, OTF2_RmaWinRef, uint32_t, uint64_t, uint64_t)

static OTF2_CallbackCode
on_atomic (RECORD, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
           uint64_t id)
{
  BEGIN;
  converter_int (l->to, otf2_messages_bytes_of (received));
  return access_memory (l, e, KIND_ATOMIC, window, remote, sent, id);
}
LATER_6 (on_atomic, OTF2_RmaWinRef, uint32_t, OTF2_RmaAtomicType, uint64_t, uint64_t, uint64_t)

static OTF2_CallbackCode
otf2_messages_complete (Lane *l, TraceEvent e, Kind alone, uint32_t window, uint64_t id)
{
  Request r;

  if (!otf2_request_end (l, REQUEST_RMA, window, id, &r)) {
    e.object = otf2_window_object (l->o, window);
    return otf2_messages_give_request (l, alone, e, id);
  }
  int64_t at = e.date;
  e = r.event;
  e.date = at;
  return otf2_messages_end (l, &r, e);
}

static OTF2_CallbackCode
on_rma_complete (RECORD, OTF2_RmaWinRef window, uint64_t id)
{
  BEGIN;
  return otf2_messages_complete (l, e, KIND_RMA_COMPLETE, window, id);
}
LATER_2 (on_rma_complete, OTF2_RmaWinRef, uint64_t)

#define ON_OPERATION(name, kind)                                                                                       \
  static OTF2_CallbackCode name (RECORD, OTF2_RmaWinRef window, uint64_t id)                                           \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = otf2_window_object (l->o, window);                                                                      \
    return otf2_messages_give_request (l, kind, e, id);                                                                \
  }                                                                                                                    \
  LATER_2 (name, OTF2_RmaWinRef, uint64_t)
ON_OPERATION (on_rma_complete_remote, KIND_RMA_COMPLETE_REMOTE)
ON_OPERATION (on_rma_test, KIND_RMA_TEST)

static OTF2_CallbackCode
on_group_sync (RECORD, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window, OTF2_GroupRef group)
{
  BEGIN;
  e.object = otf2_window_object (l->o, window);
  uint32_t n;
  const uint32_t *with = otf2_group_tasks (l->o, group, &n);
  converter_list (l->to, with, with ? n : 0);
  return otf2_give (l, KIND_RMA_GROUP_SYNC, e);
}
LATER_3 (on_group_sync, OTF2_RmaSyncLevel, OTF2_RmaWinRef, OTF2_GroupRef)

static OTF2_CallbackCode
on_rma_sync (RECORD, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaSyncType type)
{
  BEGIN;
  e.object = otf2_window_object (l->o, window);
  e.peer = otf2_rank (l->o, comm_of_window (l, window), remote, l->task);
  return otf2_give (l, KIND_RMA_SYNC, e);
}
LATER_3 (on_rma_sync, OTF2_RmaWinRef, uint32_t, OTF2_RmaSyncType)

static OTF2_CallbackCode
give_lock (Lane *l, TraceEvent e, Kind k, uint32_t window, uint32_t remote, uint64_t lock)
{
  e.object = otf2_window_object (l->o, window);
  e.peer = otf2_rank (l->o, comm_of_window (l, window), remote, l->task);
  return otf2_messages_give_request (l, k, e, lock);
}

#define ON_LOCK(name, kind)                                                                                            \
  static OTF2_CallbackCode name (RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock, OTF2_LockType type)    \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    return give_lock (l, e, kind, window, remote, lock);                                                               \
  }                                                                                                                    \
  LATER_4 (name, OTF2_RmaWinRef, uint32_t, uint64_t, OTF2_LockType)
ON_LOCK (on_rma_request_lock, KIND_RMA_REQUEST_LOCK)
ON_LOCK (on_rma_acquire_lock, KIND_RMA_ACQUIRE_LOCK)
ON_LOCK (on_rma_try_lock, KIND_RMA_TRY_LOCK)

static OTF2_CallbackCode
on_rma_release_lock (RECORD, OTF2_RmaWinRef window, uint32_t remote, uint64_t lock)
{
  BEGIN;
  return give_lock (l, e, KIND_RMA_RELEASE_LOCK, window, remote, lock);
}
LATER_3 (on_rma_release_lock, OTF2_RmaWinRef, uint32_t, uint64_t)

/* ---- files ------------------------------------------------------------------------------------------------------------------------- */

static uint32_t
handle_of (Lane *l, uint32_t handle)
{
  return otf2_named_object (l->o, &l->o->handles, handle, "file handle");
}

static OTF2_CallbackCode
on_io_begin (RECORD, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags, uint64_t bytes,
             uint64_t id)
{
  BEGIN;
  e.object = handle_of (l, handle);
  e.size = otf2_messages_bytes_of (bytes);
  converter_int (l->to, otf2_messages_bytes_of (bytes));
  return otf2_messages_begin (l, mode <= OTF2_IO_OPERATION_MODE_FLUSH ? KIND_IO_READ + mode : KIND_IO_FLUSH, e,
                              REQUEST_IO, handle, id);
}
LATER_5 (on_io_begin, OTF2_IoHandleRef, OTF2_IoOperationMode, OTF2_IoOperationFlag, uint64_t, uint64_t)

static OTF2_CallbackCode
on_io_complete (RECORD, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
{
  BEGIN;
  Request r;
  e.object = handle_of (l, handle);
  if (!otf2_request_end (l, REQUEST_IO, handle, id, &r))
    return otf2_messages_give_request (l, KIND_IO_ISSUED, e, id);
  e.size = bytes == OTF2_UNDEFINED_UINT64 ? r.event.size : otf2_messages_bytes_of (bytes);
  e.flags |= TRACE_LATE;
  return otf2_messages_end (l, &r, e);
}
LATER_3 (on_io_complete, OTF2_IoHandleRef, uint64_t, uint64_t)

static OTF2_CallbackCode
on_io_cancelled (RECORD, OTF2_IoHandleRef handle, uint64_t id)
{
  BEGIN;
  Request r;
  e.object = handle_of (l, handle);
  if (!otf2_request_end (l, REQUEST_IO, handle, id, &r))
    return otf2_messages_give_request (l, KIND_IO_CANCELLED, e, id);
  e.result = -1;
  e.flags |= TRACE_LATE;
  return otf2_messages_end (l, &r, e);
}
LATER_2 (on_io_cancelled, OTF2_IoHandleRef, uint64_t)

#define ON_IO(name, kind, ...)                                                                                         \
  static OTF2_CallbackCode name (RECORD, OTF2_IoHandleRef handle, ##__VA_ARGS__)                                       \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = handle_of (l, handle);                                                                                  \
    return otf2_give (l, kind, e);                                                                                     \
  }
ON_IO (on_io_create, KIND_IO_CREATE, OTF2_IoAccessMode mode, OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status)
ON_IO (on_io_destroy, KIND_IO_DESTROY)
ON_IO (on_io_flags, KIND_IO_FLAGS, OTF2_IoStatusFlag status)
ON_IO (on_io_acquire_lock, KIND_IO_ACQUIRE_LOCK, OTF2_LockType type)
ON_IO (on_io_release_lock, KIND_IO_RELEASE_LOCK, OTF2_LockType type)
ON_IO (on_io_try_lock, KIND_IO_TRY_LOCK, OTF2_LockType type)
LATER_4 (on_io_create, OTF2_IoHandleRef, OTF2_IoAccessMode, OTF2_IoCreationFlag, OTF2_IoStatusFlag)
LATER_1 (on_io_destroy, OTF2_IoHandleRef)
LATER_2 (on_io_flags, OTF2_IoHandleRef, OTF2_IoStatusFlag)
LATER_2 (on_io_acquire_lock, OTF2_IoHandleRef, OTF2_LockType)
LATER_2 (on_io_release_lock, OTF2_IoHandleRef, OTF2_LockType)
LATER_2 (on_io_try_lock, OTF2_IoHandleRef, OTF2_LockType)

static OTF2_CallbackCode
on_io_duplicate (RECORD, OTF2_IoHandleRef old, OTF2_IoHandleRef new, OTF2_IoStatusFlag status)
{
  BEGIN;
  e.object = handle_of (l, old);
  return otf2_messages_give_request (l, KIND_IO_DUPLICATE, e, new);
}
LATER_3 (on_io_duplicate, OTF2_IoHandleRef, OTF2_IoHandleRef, OTF2_IoStatusFlag)

static OTF2_CallbackCode
on_io_seek (RECORD, OTF2_IoHandleRef handle, int64_t asked, OTF2_IoSeekOption whence, uint64_t offset)
{
  BEGIN;
  e.object = handle_of (l, handle);
  e.size = otf2_messages_bytes_of (offset);
  return otf2_give (l, KIND_IO_SEEK, e);
}
LATER_4 (on_io_seek, OTF2_IoHandleRef, int64_t, OTF2_IoSeekOption, uint64_t)

static OTF2_CallbackCode
on_io_delete (RECORD, OTF2_IoParadigmRef paradigm, OTF2_IoFileRef file)
{
  BEGIN;
  e.object = otf2_named_object (l->o, &l->o->files, file, "file");
  return otf2_give (l, KIND_IO_DELETE, e);
}
LATER_2 (on_io_delete, OTF2_IoParadigmRef, OTF2_IoFileRef)

#define ON_IO_NUMBER(name, kind)                                                                                       \
  static OTF2_CallbackCode name (RECORD, OTF2_IoHandleRef handle, uint64_t id)                                         \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = handle_of (l, handle);                                                                                  \
    return otf2_messages_give_request (l, kind, e, id);                                                                \
  }                                                                                                                    \
  LATER_2 (name, OTF2_IoHandleRef, uint64_t)
ON_IO_NUMBER (on_io_test, KIND_IO_TEST)
ON_IO_NUMBER (on_io_issued, KIND_IO_ISSUED)

static void
set_memory_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick)
{
  ON_BOTH (RmaWinCreate, on_win_create);
  ON_BOTH (RmaWinDestroy, on_win_destroy);
  ON_BOTH (RmaCollectiveBegin, on_collective_begin);
  ON_BOTH (RmaCollectiveEnd, on_rma_collective_end);
  ON_BOTH (RmaPut, on_put);
  ON_BOTH (RmaGet, on_get);
  ON_BOTH (RmaAtomic, on_atomic);
  ON_BOTH (RmaOpCompleteBlocking, on_rma_complete);
  ON_BOTH (RmaOpCompleteNonBlocking, on_rma_complete);
  ON_BOTH (RmaOpCompleteRemote, on_rma_complete_remote);
  ON_BOTH (RmaOpTest, on_rma_test);
  ON_BOTH (RmaGroupSync, on_group_sync);
  ON_BOTH (RmaSync, on_rma_sync);
  ON_BOTH (RmaWaitChange, on_wait_change);
  ON_BOTH (RmaRequestLock, on_rma_request_lock);
  ON_BOTH (RmaAcquireLock, on_rma_acquire_lock);
  ON_BOTH (RmaTryLock, on_rma_try_lock);
  ON_BOTH (RmaReleaseLock, on_rma_release_lock);
}

static void
set_io_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick)
{
  ON_BOTH (IoCreateHandle, on_io_create);
  ON_BOTH (IoDestroyHandle, on_io_destroy);
  ON_BOTH (IoDuplicateHandle, on_io_duplicate);
  ON_BOTH (IoSeek, on_io_seek);
  ON_BOTH (IoChangeStatusFlags, on_io_flags);
  ON_BOTH (IoDeleteFile, on_io_delete);
  ON_BOTH (IoOperationBegin, on_io_begin);
  ON_BOTH (IoOperationTest, on_io_test);
  ON_BOTH (IoOperationIssued, on_io_issued);
  ON_BOTH (IoOperationComplete, on_io_complete);
  ON_BOTH (IoOperationCancelled, on_io_cancelled);
  ON_BOTH (IoAcquireLock, on_io_acquire_lock);
  ON_BOTH (IoReleaseLock, on_io_release_lock);
  ON_BOTH (IoTryLock, on_io_try_lock);
}

void
otf2_set_message_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick)
{
  ON_BOTH (MpiSend, on_send);
  ON_BOTH (MpiIsend, on_isend);
  ON_BOTH (MpiIsendComplete, on_isend_complete);
  ON_BOTH (MpiIrecvRequest, on_irecv_request);
  ON_BOTH (MpiRecv, on_recv);
  ON_BOTH (MpiIrecv, on_irecv);
  ON_BOTH (MpiRequestTest, on_request_test);
  ON_BOTH (MpiRequestCancelled, on_request_cancelled);
  ON_BOTH (MpiCollectiveBegin, on_collective_begin);
  ON_BOTH (MpiCollectiveEnd, on_collective_end);
  ON_BOTH (NonBlockingCollectiveRequest, on_collective_request);
  ON_BOTH (NonBlockingCollectiveComplete, on_collective_complete);
  set_memory_callbacks (c, quick);
  set_io_callbacks (c, quick);
}
