/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c - what kinds of events there are, and what they do. */
#include <string.h>

#include "readers/otf2/otf2.h"

#define LIST(...)                                                                                                      \
  (const TraceField[]){ __VA_ARGS__ }, sizeof ((const TraceField[]){ __VA_ARGS__ }) / sizeof (TraceField)
#define F(name, role)                                                                                                  \
  {                                                                                                                    \
    name, TRACE_ROLE_##role, NULL                                                                                      \
  }
#define BYTES(name)                                                                                                    \
  {                                                                                                                    \
    name, TRACE_ROLE_SIZE, "B"                                                                                         \
  }
#define TO F ("to", PEER), F ("communicator", OBJECT), F ("tag", TAG), BYTES ("bytes")
#define FROM F ("from", PEER), F ("communicator", OBJECT), F ("tag", TAG), BYTES ("bytes")
#define WINDOW F ("window", OBJECT)
#define HANDLE F ("handle", OBJECT)
#define TASK F ("team", OBJECT), F ("creator", INT), F ("generation", INT)
#define LOCK WINDOW, F ("remote", PEER), F ("lock", INT)

typedef struct Row {
  const char *name, *category;
  uint16_t acts;
  bool lasts; /* from a record to another */
  const TraceField *fields;
  uint32_t n_fields;
} Row;

#define MARK TRACE_ACT_MARK
static const Row rows[KIND_COLLECTIVE] = {
  [KIND_ENTER] = { "Enter", "state", TRACE_ACT_ENTER, false, LIST (F ("region", REGION)) },
  [KIND_ENTER_AT] = { "EnterAt", "state", TRACE_ACT_ENTER, false, LIST (F ("region", REGION), F ("called_at", WORD)) },
  [KIND_LEAVE] = { "Leave", "state", TRACE_ACT_LEAVE, false, LIST (F ("region", REGION)) },
  [KIND_LEFT] = { "Left", "note", MARK, false, LIST (F ("region", OBJECT)) },
  [KIND_SET] = { "Metric", "variable", TRACE_ACT_SET, false, LIST (F ("variable", OBJECT), F ("value", VALUE)) },
  [KIND_ADD] = { "Metric more", "variable", TRACE_ACT_ADD, false, LIST (F ("variable", OBJECT), F ("value", VALUE)) },
  [KIND_SEND] = { "MpiSend", "point", TRACE_ACT_SEND, false, LIST (TO) },
  [KIND_ISEND] = { "MpiIsend", "point", TRACE_ACT_SEND, true, LIST (TO, F ("request", INT)) },
  [KIND_RECV] = { "MpiRecv", "point", TRACE_ACT_RECEIVE, false, LIST (FROM) },
  [KIND_IRECV] = { "MpiIrecv", "point", TRACE_ACT_RECEIVE, true, LIST (FROM, F ("request", INT)) },
  [KIND_ISEND_COMPLETE] = { "MpiIsendComplete", "point", MARK, false, LIST (F ("request", INT)) },
  [KIND_REQUEST_TEST] = { "MpiRequestTest", "point", MARK, false, LIST (F ("request", INT)) },
  [KIND_ASKED] = { "Asked", "point", MARK, false,
                   LIST (F ("asked_from", PEER), F ("communicator", OBJECT), F ("tag", TAG)) },
  [KIND_REQUEST_CANCELLED] = { "MpiRequestCancelled", "point", MARK, false, LIST (F ("request", INT)) },
  [KIND_COMM_CREATE] = { "CommCreate", "group", MARK, false, LIST (F ("communicator", OBJECT)) },
  [KIND_COMM_DESTROY] = { "CommDestroy", "group", MARK, false, LIST (F ("communicator", OBJECT)) },
  [KIND_PARAMETER] = { "Parameter", "note", MARK, false, LIST (F ("parameter", OBJECT), F ("value", VALUE)) },
  [KIND_PARAMETER_TEXT] = { "ParameterString", "note", MARK, false, LIST (F ("parameter", OBJECT), F ("value", WORD)) },
  [KIND_PROGRAM_BEGIN] = { "ProgramBegin", "program", MARK, false, LIST (F ("program", WORD)) },
  [KIND_PROGRAM_END] = { "ProgramEnd", "program", MARK, false, LIST (F ("status", INT)) },
  [KIND_SAMPLE] = { "Sample", "note", MARK, false, LIST (F ("region", OBJECT)) },
  [KIND_FORK] = { "ThreadFork", "thread", MARK, false, LIST (F ("threads", INT)) },
  [KIND_JOIN] = { "ThreadJoin", "thread", MARK, false, NULL, 0 },
  [KIND_TEAM_BEGIN] = { "ThreadTeamBegin", "thread", MARK, false, LIST (F ("team", OBJECT)) },
  [KIND_TEAM_END] = { "ThreadTeamEnd", "thread", MARK, false, LIST (F ("team", OBJECT)) },
  [KIND_ACQUIRE_LOCK] = { "ThreadAcquireLock", "thread", MARK, false, LIST (F ("lock", INT), F ("order", INT)) },
  [KIND_RELEASE_LOCK] = { "ThreadReleaseLock", "thread", MARK, false, LIST (F ("lock", INT), F ("order", INT)) },
  [KIND_TASK_CREATE] = { "ThreadTaskCreate", "thread", MARK, false, LIST (TASK) },
  [KIND_TASK_SWITCH] = { "ThreadTaskSwitch", "thread", MARK, false, LIST (TASK) },
  [KIND_TASK_COMPLETE] = { "ThreadTaskComplete", "thread", MARK, false, LIST (TASK) },
  [KIND_THREAD_CREATE] = { "ThreadCreate", "thread", MARK, false, LIST (F ("sequence", INT)) },
  [KIND_THREAD_BEGIN] = { "ThreadBegin", "thread", MARK, false, LIST (F ("sequence", INT)) },
  [KIND_THREAD_WAIT] = { "ThreadWait", "thread", MARK, false, LIST (F ("sequence", INT)) },
  [KIND_THREAD_END] = { "ThreadEnd", "thread", MARK, false, LIST (F ("sequence", INT)) },
  [KIND_WIN_CREATE] = { "RmaWinCreate", "rma", MARK, false, LIST (WINDOW) },
  [KIND_WIN_DESTROY] = { "RmaWinDestroy", "rma", MARK, false, LIST (WINDOW) },
  [KIND_PUT] = { "RmaPut", "rma", MARK, true, LIST (WINDOW, F ("remote", PEER), BYTES ("bytes")) },
  [KIND_GET] = { "RmaGet", "rma", MARK, true, LIST (WINDOW, F ("remote", PEER), BYTES ("bytes")) },
  [KIND_ATOMIC] = { "RmaAtomic", "rma", MARK, true,
                    LIST (WINDOW, F ("remote", PEER), BYTES ("bytes"), F ("received", INT)) },
  [KIND_RMA_COMPLETE] = { "RmaOpComplete", "rma", MARK, false, LIST (WINDOW, F ("operation", INT)) },
  [KIND_RMA_COMPLETE_REMOTE] = { "RmaOpCompleteRemote", "rma", MARK, false, LIST (WINDOW, F ("operation", INT)) },
  [KIND_RMA_TEST] = { "RmaOpTest", "rma", MARK, false, LIST (WINDOW, F ("operation", INT)) },
  [KIND_RMA_GROUP_SYNC] = { "RmaGroupSync", "rma", MARK, false, LIST (WINDOW, F ("with", PEERS)) },
  [KIND_RMA_SYNC] = { "RmaSync", "rma", MARK, false, LIST (WINDOW, F ("remote", PEER)) },
  [KIND_RMA_WAIT_CHANGE] = { "RmaWaitChange", "rma", MARK, false, LIST (WINDOW) },
  [KIND_RMA_REQUEST_LOCK] = { "RmaRequestLock", "rma", MARK, false, LIST (LOCK) },
  [KIND_RMA_ACQUIRE_LOCK] = { "RmaAcquireLock", "rma", MARK, false, LIST (LOCK) },
  [KIND_RMA_TRY_LOCK] = { "RmaTryLock", "rma", MARK, false, LIST (LOCK) },
  [KIND_RMA_RELEASE_LOCK] = { "RmaReleaseLock", "rma", MARK, false, LIST (LOCK) },
  [KIND_IO_READ] = { "IoRead", "io", MARK, true, LIST (HANDLE, BYTES ("bytes"), F ("asked", INT)) },
  [KIND_IO_WRITE] = { "IoWrite", "io", MARK, true, LIST (HANDLE, BYTES ("bytes"), F ("asked", INT)) },
  [KIND_IO_FLUSH] = { "IoFlush", "io", MARK, true, LIST (HANDLE, BYTES ("bytes"), F ("asked", INT)) },
  [KIND_IO_CREATE] = { "IoCreateHandle", "io", MARK, false, LIST (HANDLE) },
  [KIND_IO_DESTROY] = { "IoDestroyHandle", "io", MARK, false, LIST (HANDLE) },
  [KIND_IO_DUPLICATE] = { "IoDuplicateHandle", "io", MARK, false, LIST (HANDLE, F ("new", INT)) },
  [KIND_IO_SEEK] = { "IoSeek", "io", MARK, false, LIST (HANDLE, BYTES ("offset")) },
  [KIND_IO_FLAGS] = { "IoChangeStatusFlags", "io", MARK, false, LIST (HANDLE) },
  [KIND_IO_DELETE] = { "IoDeleteFile", "io", MARK, false, LIST (F ("file", OBJECT)) },
  [KIND_IO_TEST] = { "IoOperationTest", "io", MARK, false, LIST (HANDLE, F ("operation", INT)) },
  [KIND_IO_ISSUED] = { "IoOperationIssued", "io", MARK, false, LIST (HANDLE, F ("operation", INT)) },
  [KIND_IO_CANCELLED] = { "IoOperationCancelled", "io", MARK, false, LIST (HANDLE, F ("operation", INT)) },
  [KIND_IO_ACQUIRE_LOCK] = { "IoAcquireLock", "io", MARK, false, LIST (HANDLE) },
  [KIND_IO_RELEASE_LOCK] = { "IoReleaseLock", "io", MARK, false, LIST (HANDLE) },
  [KIND_IO_TRY_LOCK] = { "IoTryLock", "io", MARK, false, LIST (HANDLE) },
  [KIND_MARKER] = { "Marker", "note", MARK, true, LIST (F ("marker", OBJECT), F ("text", WORD)) },
  [KIND_COORDINATE] = { "Coordinate", "variable", TRACE_ACT_SET, false,
                        LIST (F ("variable", OBJECT), F ("coordinate", VALUE)) },
  [KIND_PROPERTY] = { "Property", "variable", TRACE_ACT_SET, false, LIST (F ("variable", OBJECT), F ("value", VALUE)) },
  [KIND_PROPERTY_TEXT] = { "PropertyText", "note", MARK, false, LIST (F ("property", OBJECT), F ("value", WORD)) },
  [KIND_DONE] = { "Done", "wake", MARK, false, LIST (F ("to", PEER)) },
  [KIND_AWAITED] = { "Awaited", "wake", MARK, false, LIST (F ("from", PEER)) },
  [KIND_UNKNOWN] = { "Unknown", "note", MARK, false, NULL, 0 },
};

const char *const otf2_operations[N_OPERATIONS] = {
  "Barrier",
  "Bcast",
  "Gather",
  "Gatherv",
  "Scatter",
  "Scatterv",
  "Allgather",
  "Allgatherv",
  "Alltoall",
  "Alltoallv",
  "Alltoallw",
  "Allreduce",
  "Reduce",
  "ReduceScatter",
  "Scan",
  "Exscan",
  "ReduceScatterBlock",
  "CreateHandle",
  "DestroyHandle",
  "Allocate",
  "Deallocate",
  "CreateHandleAndAllocate",
  "DestroyHandleAndDeallocate",
  "Collective",
};

uint16_t
otf2_add_kind (Otf2 *o, Kind k)
{
  if (k < KIND_COLLECTIVE) {
    const Row *r = &rows[k];
    g_autofree char *end = r->lasts ? g_strconcat ("End", r->name, NULL) : NULL;
    o->kinds[k] = converter_kind (o->to, &(TraceKind){ .name = r->name,
                                                       .end_name = end,
                                                       .category = r->category,
                                                       .fields = r->fields,
                                                       .n_fields = r->n_fields,
                                                       .instant = !r->lasts,
                                                       .acts = r->acts })
                  + 1;
  } else {
    static const char *const before[] = { "", "I", "Rma" };
    g_autofree char *name = g_strconcat (before[(k - KIND_COLLECTIVE) / N_OPERATIONS],
                                         otf2_operations[(k - KIND_COLLECTIVE) % N_OPERATIONS], NULL);
    o->kinds[k] = together_operation (o->to, name) + 1;
  }
  return (uint16_t) (o->kinds[k] - 1);
}
