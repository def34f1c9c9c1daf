/* SPDX-License-Identifier: Apache-2.0 */
/* does.c - what tasks do in regions of code and in states that have a name: which are communication, which wait, which
 * are work.  The one table of names, for all formats; what a format knows better it says itself. */
#include <string.h>

#include "readers/reader.h"

/* ---- groups of regions -------------------------------------------------------------------------------------------------------------- */

/* In these a task asks others or waits for them, or is held up by who writes the trace. */
static const char *const no_work[] = { "MPI",
                                       "SHMEM",
                                       "GASPI",
                                       "UPC",
                                       "Tracing",
                                       "Communication",
                                       TRACE_GROUP_TEAM,
                                       "Thread synchronisation",
                                       "Accelerator synchronisation",
                                       "Sleep",
                                       NULL };

/* By how names begin; the first that fits. */
static const struct {
  const char *begin, *holds, *group; /* `holds`: somewhere behind; NULL: anything */
} begins[] = {
  { "MPI_", NULL, "MPI" },
  { "PMPI_", NULL, "MPI" },
  { "mpi_", NULL, "MPI" },
  { "Event_Mpi", NULL, "MPI" }, /* records of OTF2, as another format calls them */
  { "shmem_", NULL, "SHMEM" },
  { "gaspi_", NULL, "GASPI" },
  { "upc_", NULL, "UPC" },
  { "!$omp", "barrier", TRACE_GROUP_TEAM },
  { "!$omp", "taskwait", TRACE_GROUP_TEAM },
  { "!$omp", NULL, "OpenMP" },
  { "omp_set_lock", NULL, TRACE_GROUP_TEAM },
  { "omp_set_nest_lock", NULL, TRACE_GROUP_TEAM },
  { "omp_", NULL, "OpenMP" },
};

/* Whole names. */
static const struct {
  const char *group;
  const char *const *names;
} regions[] = {
  { "Thread synchronisation",
    (const char *const[]){ "pthread_join", "pthread_mutex_lock", "pthread_cond_wait", "pthread_cond_timedwait",
                           "pthread_barrier_wait", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "sem_wait",
                           "_thread.lock.acquire", NULL } },
  { "Accelerator synchronisation",
    (const char *const[]){ "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cuCtxSynchronize",
                           "cuStreamSynchronize", "cuEventSynchronize", "hipDeviceSynchronize", "hipStreamSynchronize",
                           "hipEventSynchronize", "clFinish", "clWaitForEvents", NULL } },
  { "Tracing",
    (const char *const[]){ "Flushing Traces", "Trace initialization", "Buffer flush", "Measurement off", NULL } },
  { "Sleep",
    (const char *const[]){ "sleep", "usleep", "nanosleep", "time.sleep", "select.epoll.poll", "epoll_wait", NULL } },
};

const char *
trace_group_of (const char *region)
{
  for (size_t i = 0; i < G_N_ELEMENTS (begins); i++)
    if (g_str_has_prefix (region, begins[i].begin)
        && (!begins[i].holds || strstr (region + strlen (begins[i].begin), begins[i].holds)))
      return begins[i].group;
  for (size_t i = 0; i < G_N_ELEMENTS (regions); i++)
    if (g_strv_contains (regions[i].names, region))
      return regions[i].group;
  return NULL;
}

TraceDoes
trace_group_does (const char *group)
{
  return trace_is_one_of (group, no_work) ? TRACE_WAITS : TRACE_DOES_ANYTHING;
}

TraceDoes
trace_region_does (const char *region)
{
  const char *group = trace_group_of (region);

  return group ? trace_group_does (group) : TRACE_DOES_ANYTHING;
}

/* ---- states ------------------------------------------------------------------------------------------------------------------------- */

static const char *const works[] = { "Running", "Executing", "Busy", "Callback", NULL };

static const char *const rests[] = { "Idle",    "Not created", "Tracing Disabled", "Not traced",
                                     "Nothing", "Suspend",     "Suspended",        NULL };

static const char *const waits[] = {
  /* Extrae, Dimemas */
  "Waiting a message", "Blocking Send", "Synchronization", "Test/Probe", "Scheduling and Fork/Join", "Wait/WaitAll",
  "Blocked", "Immediate Send", "Immediate Receive", "I/O", "Group Communication", "Others", "Send Receive",
  "Memory transfer", "Profiling", "On-line analysis", "Remote memory access", "Atomic memory operation",
  "Memory ordering operation", "Distributed locking", "One-sided op", "Startup latency", "Waiting links", "Data copy",
  "RTT", "Overhead", "Lock",
  /* StarPU */
  "Sleeping", "Scheduling", "FetchingInput", "PushingOutput", "Progressing", "Progress", "Allocating",
  "AllocatingReuse", "DriverCopy", "DriverCopyAsync", "WritingBack", "Reclaiming", "WaitForAll", "TaskWait",
  /* kernels, and what people write */
  "Waiting", "Wait", "Waits", "Ready",
  /* MPE, PICL and PVM: operations without a word before them */
  "Send", "Recv", "Receive", "Sendrecv", "Ssend", "Bsend", "Rsend", "Isend", "Irecv", "Probe", "Iprobe", "Waitall",
  "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome", "Sync", "Recvblocking", "Recv_blocking", "Bcast0",
  "Bcast1", "Global combine", "Receive/Probe", "Communication", "SemP", NULL
};

TraceDoes
trace_word_does (const char *state)
{
  const TraceKind operation = { .name = state };

  return trace_region_does (state)                                       ? trace_region_does (state)
         : trace_is_one_of (state, works)                                ? TRACE_WORKS
         : trace_is_one_of (state, rests)                                ? TRACE_RESTS
         : trace_is_one_of (state, waits)                                ? TRACE_WAITS
         : trace_collective (&operation, NULL) != TRACE_COLLECTIVE_OTHER ? TRACE_WAITS
                                                                         : TRACE_DOES_ANYTHING;
}

/* ---- what a trace has --------------------------------------------------------------------------------------------------------------- */

TraceDoes
trace_state_does (const TraceSource *s, uint32_t object)
{
  const TraceObject *o = object < s->objects->len ? s->objects->pdata[object] : NULL;
  const TraceType *t = o && o->type < s->types->len ? s->types->pdata[o->type] : NULL;

  return !t || t->kind != TRACE_STATES ? TRACE_DOES_ANYTHING : o->does ? o->does : t->does;
}

TraceDoes
trace_call_does (const TraceKind *k)
{
  const unsigned others = TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_MULTICAST | TRACE_ACT_COLLECTIVE
                          | TRACE_ACT_MEET;
  unsigned acts = trace_acts (k);

  return !(acts & TRACE_ACT_CALL) ? trace_region_does (k->name)
         : acts & others          ? TRACE_WAITS
                                  : trace_word_does (k->name);
}
