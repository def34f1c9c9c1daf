/* SPDX-License-Identifier: Apache-2.0 */
/* does.c - what tasks do in regions of code and in states that have a name: which are communication, which wait, which
 * are work.  The one table of names, for all formats; what a format knows better it says itself. */
#include <string.h>

#include "eve/words.h"
#include "readers/reader.h"
#include "readers/untold.h"
#include "readers/writing.h"

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
                                       TRACE_GROUP_DEVICE,
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
  { "!$omp", NULL, TRACE_GROUP_PARALLEL },
  { "omp_set_lock", NULL, TRACE_GROUP_TEAM },
  { "omp_set_nest_lock", NULL, TRACE_GROUP_TEAM },
  { "omp_", NULL, TRACE_GROUP_PARALLEL },
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
  { TRACE_GROUP_DEVICE, (const char *const[]){ "cudaDeviceSynchronize",
                                               "cudaStreamSynchronize",
                                               "cudaEventSynchronize",
                                               "cudaThreadSynchronize",
                                               "cuCtxSynchronize",
                                               "cuStreamSynchronize",
                                               "cuEventSynchronize",
                                               "hipDeviceSynchronize",
                                               "hipStreamSynchronize",
                                               "hipEventSynchronize",
                                               "hipCtxSynchronize",
                                               "cudaMemcpy",
                                               "cudaMemcpy2D",
                                               "cudaMemcpy3D",
                                               "cudaMemcpyToSymbol",
                                               "cudaMemcpyFromSymbol",
                                               "cuMemcpy",
                                               "cuMemcpyHtoD",
                                               "cuMemcpyDtoH",
                                               "hipMemcpy",
                                               "hipMemcpyHtoD",
                                               "hipMemcpyDtoH",
                                               "hipMemcpyWithStream",
                                               "clFinish",
                                               "clWaitForEvents",
                                               NULL } },
  { "Tracing",
    (const char *const[]){ "Flushing Traces", "Trace initialization", "Buffer flush", "Measurement off", NULL } },
  { "Sleep",
    (const char *const[]){ "sleep", "usleep", "nanosleep", "time.sleep", "select.epoll.poll", "epoll_wait", NULL } },
};

/* A call of CUDA, without what says which form of it was called: _v2, _v3020, _ptsz, _ptds. */
static const char *
plain_call (const char *region, char room[static 64])
{
  const char *form = g_str_has_prefix (region, "cu") ? strrchr (region, '_') : NULL;

  if (!form || strlen (region) >= 64)
    return region;
  strcpy (room, region);
  while ((form = strrchr (room, '_'))
         && (g_str_has_prefix (form, "_pt") || (form[1] == 'v' && g_ascii_isdigit (form[2]))))
    room[form - room] = '\0';
  return room;
}

const char *
trace_group_of (const char *region)
{
  char room[64];

  for (size_t i = 0; i < G_N_ELEMENTS (begins); i++)
    if (g_str_has_prefix (region, begins[i].begin)
        && (!begins[i].holds || strstr (region + strlen (begins[i].begin), begins[i].holds)))
      return begins[i].group;
  const char *plain = plain_call (region, room);
  for (size_t i = 0; i < G_N_ELEMENTS (regions); i++)
    if (g_strv_contains (regions[i].names, plain))
      return regions[i].group;
  return NULL;
}

TraceAwaits
trace_region_awaits (const char *region)
{
  if (g_strcmp0 (trace_group_of (region), TRACE_GROUP_DEVICE) != 0)
    return TRACE_AWAITS_NOTHING;
  return strstr (region, "Memcpy")                                     ? TRACE_AWAITS_COPY
         : strstr (region, "Stream")                                   ? TRACE_AWAITS_STREAM
         : strstr (region, "Event") || g_str_has_prefix (region, "cl") ? TRACE_AWAITS_EVENT
                                                                       : TRACE_AWAITS_ALL;
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

static const char *const works[] = { "Running", "Executing", "Busy", NULL };

static const char *const rests[] = { "Idle",    "Not created", "Tracing Disabled", "Not traced",
                                     "Nothing", "Suspend",     "Suspended",        NULL };

/* Whoever writes them. */
static const char *const waits[] = { "Waiting",
                                     "Wait",
                                     "Waits",
                                     "Blocked",
                                     "Sleeping",
                                     "Waiting a message",
                                     "Blocking Send",
                                     "Test/Probe",
                                     "Scheduling and Fork/Join",
                                     "Wait/WaitAll",
                                     "Immediate Send",
                                     "Immediate Receive",
                                     "Group Communication",
                                     "Send Receive",
                                     "Remote memory access",
                                     "Atomic memory operation",
                                     "Memory ordering operation",
                                     "Distributed locking",
                                     "One-sided op",
                                     "Waiting links",
                                     "FetchingInput",
                                     "PushingOutput",
                                     "AllocatingReuse",
                                     "DriverCopy",
                                     "DriverCopyAsync",
                                     "WritingBack",
                                     "WaitForAll",
                                     "TaskWait",
                                     "Communication",
                                     "Barrier",
                                     "Allreduce",
                                     "Alltoall",
                                     "Allgather",
                                     "send overhead",
                                     "recv overhead",
                                     "msgp overhead",
                                     "msgp idle",
                                     NULL };

/* Words that a program may call phases of its own by.  They mean this where a state that only the tool writes is one of
 * the same type. */
static const struct {
  const char *const *own, *const *waits, *const *works;
} tools[] = {
  /* Extrae, Dimemas */
  { (const char *const[]){ "Waiting a message", "Wait/WaitAll", "Test/Probe", "Scheduling and Fork/Join", NULL },
    (const char *const[]){ "Synchronization", "I/O", "Others", "Memory transfer", "Profiling", "On-line analysis",
                           "Startup latency", "Data copy", "RTT", "Overhead", "Lock", NULL },
    (const char *const[]){ NULL } },
  /* StarPU */
  { (const char *const[]){ "FetchingInput", "PushingOutput", "DriverCopyAsync", "AllocatingReuse", "WritingBack",
                           NULL },
    (const char *const[]){ "Scheduling", "Progressing", "Progress", "Allocating", "Reclaiming", "Overhead", NULL },
    (const char *const[]){ "Callback", NULL } },
};

/* Operations without a word before them. */
static const char *const operations[] = { "Recv",           "Sendrecv",      "Ssend",   "Bsend",    "Rsend",
                                          "Isend",          "Irecv",         "Iprobe",  "Waitall",  "Waitany",
                                          "Waitsome",       "Testall",       "Testany", "Testsome", "Recvblocking",
                                          "Recv_blocking",  "Bcast0",        "Bcast1",  "SemP",     "Sync",
                                          "Global combine", "Receive/Probe", NULL };
static const char *const common_operations[] = { "Send", "Receive", "Probe", "Test", NULL };

static bool
is_collective (const char *name)
{
  const TraceKind operation = { .name = name };

  return trace_collective (&operation, NULL) != TRACE_COLLECTIVE_OTHER;
}

/* A program may call what it does itself "Send" or "Test"; tools write "SEND" of operations in logs of such states. */
static bool
is_operation (const char *name, bool by_programs)
{
  g_autofree char *upper = by_programs ? g_ascii_strup (name, -1) : NULL;

  return trace_is_one_of (name, operations) || is_collective (name)
         || (trace_is_one_of (name, common_operations) && (!upper || strcmp (name, upper) == 0));
}

TraceDoes
trace_word_does (const char *state)
{
  TraceDoes region = trace_region_does (state);

  return region                           ? region
         : trace_is_one_of (state, works) ? TRACE_WORKS
         : trace_is_one_of (state, rests) ? TRACE_RESTS
         : trace_is_one_of (state, waits) ? TRACE_WAITS
                                          : TRACE_DOES_ANYTHING;
}

TraceDoes
trace_operation_does (const char *operation)
{
  TraceDoes word = trace_word_does (operation);

  return word ? word : is_operation (operation, false) ? TRACE_WAITS : TRACE_DOES_ANYTHING;
}

/* What a tool says by a word, if it is known to be of this type. */
static TraceDoes
tool_says (unsigned tools_of_type, const char *word)
{
  for (size_t i = 0; i < G_N_ELEMENTS (tools); i++)
    if (tools_of_type >> i & 1) {
      if (trace_is_one_of (word, tools[i].waits))
        return TRACE_WAITS;
      if (trace_is_one_of (word, tools[i].works))
        return TRACE_WORKS;
    }
  return TRACE_DOES_ANYTHING;
}

static void
know_state (TraceSource *s, uint32_t object)
{
  TraceObject *o = s->objects->pdata[object];
  TraceType *t = s->types->pdata[o->type];
  unsigned before = t->tools;

  o->does = trace_word_does (o->id);
  for (size_t i = 0; i < G_N_ELEMENTS (tools); i++)
    if (trace_is_one_of (o->id, tools[i].own))
      t->tools |= 1u << i;
  if (!o->does)
    o->does = tool_says (t->tools, o->id);
  for (guint i = 0; t->tools != before && i < s->objects->len; i++) { /* once for each tool */
    TraceObject *other = s->objects->pdata[i];
    if (other->type == o->type && !other->does && i != t->object)
      other->does = tool_says (t->tools, other->id);
  }
}

uint32_t
trace_source_add_state (TraceSource *s, uint32_t type, const char *id)
{
  uint32_t object = trace_source_add_value (s, type, id);
  const TraceType *t = type < s->types->len ? s->types->pdata[type] : NULL;

  if (t && t->kind == TRACE_STATES && t->does == TRACE_DOES_ANYTHING)
    know_state (s, object);
  return object;
}

/* ---- what a trace has --------------------------------------------------------------------------------------------------------------- */

TraceDoes
trace_state_does (const TraceSource *s, uint32_t object)
{
  const TraceObject *o = object < s->objects->len ? s->objects->pdata[object] : NULL;
  const TraceType *t = o && o->type < s->types->len ? s->types->pdata[o->type] : NULL;

  return !t || t->kind != TRACE_STATES ? TRACE_DOES_ANYTHING : o->does ? o->does : t->does;
}

/* In regions of these a task is held up, but by nobody. */
static bool
does_is_alone (const char *group)
{
  static const char *const groups[] = { "Sleep", "Tracing", TRACE_GROUP_DEVICE, NULL };

  return trace_is_one_of (group, groups);
}

static bool
region_asks (const char *region)
{
  const char *group = trace_group_of (region);

  return group && trace_group_does (group) == TRACE_WAITS && !does_is_alone (group);
}

bool
trace_state_asks (const TraceSource *s, uint32_t object)
{
  const TraceObject *o = object < s->objects->len ? s->objects->pdata[object] : NULL;
  const TraceType *t = o && o->type < s->types->len ? s->types->pdata[o->type] : NULL;

  return trace_state_does (s, object) == TRACE_WAITS
         && ((t->does == TRACE_WAITS && !does_is_alone (t->name)) || region_asks (o->id));
}

static bool
with_others (const TraceKind *k)
{
  return trace_acts (k)
         & (TRACE_ACT_SEND | TRACE_ACT_RECEIVE | TRACE_ACT_MULTICAST | TRACE_ACT_COLLECTIVE | TRACE_ACT_MEET);
}

/* Who names the states of a log. */
static bool
by_programs (const TraceKind *k)
{
  return k->category && strcmp (k->category, "state") == 0;
}

TraceDoes
trace_call_does (const TraceKind *k)
{
  if (!(trace_acts (k) & TRACE_ACT_CALL))
    return trace_region_does (k->name);
  TraceDoes word = with_others (k) ? TRACE_WAITS : trace_word_does (k->name);
  return word ? word : is_operation (k->name, by_programs (k)) ? TRACE_WAITS : TRACE_DOES_ANYTHING;
}

bool
trace_call_asks (const TraceKind *k)
{
  return trace_acts (k) & TRACE_ACT_CALL
             ? with_others (k) || region_asks (k->name) || is_operation (k->name, by_programs (k))
             : region_asks (k->name);
}

/* ---- whether states tell what a task does ------------------------------------------------------------------------------------- */

/* Whether tasks are said to be in a state, rather than to enter and leave it as code does. */
static bool
sets_states (const TraceSource *s)
{
  for (uint32_t i = 0; i < s->n_kinds; i++)
    if (s->kinds[i].acts & TRACE_ACT_SET && trace_kind_has (&s->kinds[i], TRACE_ROLE_REGION))
      return true;
  return false;
}

/* The type of states that an object is one of, not what stands for the type; NULL: none. */
static const TraceType *
type_of_state (const TraceSource *s, uint32_t object)
{
  const TraceObject *o = s->objects->pdata[object];
  const TraceType *t = o->type < s->types->len ? s->types->pdata[o->type] : NULL;

  return t && t->kind == TRACE_STATES && t->object != object ? t : NULL;
}

uint8_t *
trace_types_told (const TraceSource *s)
{
  bool sets = sets_states (s);
  uint32_t n = s->types->len;
  uint8_t *told = g_new0 (uint8_t, MAX (n, 1));

  for (uint32_t i = 0; i < s->objects->len; i++) {
    const TraceType *t = type_of_state (s, i);
    if (!t)
      continue;
    uint32_t type = ((const TraceObject *) s->objects->pdata[i])->type;
    TraceDoes does = trace_state_does (s, i);
    if (does != TRACE_DOES_ANYTHING || !sets)
      told[type] |= TRACE_TYPE_KNOWN;
    if (does != TRACE_WORKS && (does != TRACE_DOES_ANYTHING || t->parent == TRACE_NONE))
      continue;
    told[type] |= TRACE_TYPE_TELLS;
    if (t->parent < n)
      told[t->parent] |= TRACE_TYPE_TELLS;
  }
  return told;
}

TraceDoes
trace_state_told (const TraceSource *s, const uint8_t *told, uint32_t object)
{
  TraceDoes does = trace_state_does (s, object);
  const TraceType *t = type_of_state (s, object);

  return does == TRACE_DOES_ANYTHING && t
                 && told[((const TraceObject *) s->objects->pdata[object])->type]
                        == (TRACE_TYPE_TELLS | TRACE_TYPE_KNOWN)
             ? TRACE_WORKS
             : does;
}

/* Which types have tasks; NULL: of none is told which type it is of.  g_free. */
static bool *
types_of_tasks (const TraceSource *s)
{
  bool *has = g_new0 (bool, MAX (s->types->len, 1)), any = false;

  for (uint32_t i = 0; i < s->tasks->len; i++) {
    const TraceTask *t = trace_task (s, i);
    if (t && t->type < s->types->len)
      has[t->type] = any = true;
  }
  if (!any)
    g_clear_pointer (&has, g_free);
  return has;
}

typedef struct Untold {
  uint32_t type; /* of tasks; TRACE_NONE: of all */
  const char *name;
} Untold;

static guint
untold_hash (gconstpointer key)
{
  const Untold *u = key;

  return g_str_hash (u->name) * 31 + u->type;
}

static gboolean
untold_equal (gconstpointer a, gconstpointer b)
{
  const Untold *x = a, *y = b;

  return x->type == y->type && strcmp (x->name, y->name) == 0;
}

/* The type of tasks that states of a type are of: the nearest above that has any. */
static uint32_t
does_tasks_of (const TraceSource *s, const bool *has, const TraceType *t)
{
  uint32_t type = t->parent;

  for (uint32_t i = 0; has && type < s->types->len && i < s->types->len; i++) {
    if (has[type])
      return type;
    type = ((const TraceType *) s->types->pdata[type])->parent;
  }
  return TRACE_NONE;
}

GHashTable *
trace_untold_states (const TraceSource *s)
{
  if (!sets_states (s))
    return NULL;
  GHashTable *untold = g_hash_table_new_full (untold_hash, untold_equal, g_free, NULL);
  g_autofree uint8_t *told = trace_types_told (s);
  g_autofree bool *has = types_of_tasks (s);
  for (int pass = 0; pass < 2; pass++) /* those of types that do not tell, less those of types that do */
    for (uint32_t i = 0; i < s->objects->len && (pass == 0 || g_hash_table_size (untold) > 0); i++) {
      const TraceObject *o = s->objects->pdata[i];
      const TraceType *t = type_of_state (s, i);
      if (!t || (told[o->type] == TRACE_TYPE_TELLS) != (pass == 0))
        continue;
      const Untold key = { does_tasks_of (s, has, t), o->id };
      if (pass == 0)
        g_hash_table_add (untold, g_memdup2 (&key, sizeof key));
      else
        g_hash_table_remove (untold, &key);
    }
  if (g_hash_table_size (untold) == 0)
    g_clear_pointer (&untold, g_hash_table_unref);
  return untold;
}

bool
trace_is_untold (GHashTable *untold, const TraceSource *s, uint32_t task, const char *name)
{
  const TraceTask *t = untold ? trace_task (s, task) : NULL;
  const Untold own = { t ? t->type : TRACE_NONE, name }, all = { TRACE_NONE, name };

  return untold && (g_hash_table_contains (untold, &own) || g_hash_table_contains (untold, &all));
}

bool
trace_has_states (const TraceSource *s, uint32_t from)
{
  for (uint32_t i = from; i < s->objects->len; i++)
    if (type_of_state (s, i))
      return true;
  return false;
}

const char *
trace_waits_untold (const TraceSource *s)
{
  for (uint32_t i = 0; i < s->n_kinds; i++)
    if (with_others (&s->kinds[i]))
      return NULL;
  return _ ("This trace does not tell who waits for whom: no message and no operation of a group is in it.");
}

/* ---- as words, for formats that are written ---- */

static const char *const words_of_does[] = { NULL, "works", "waits", "rests" };

const char *
trace_does_word (TraceDoes does)
{
  return does < G_N_ELEMENTS (words_of_does) ? words_of_does[does] : NULL;
}

TraceDoes
trace_does_called (const char *word, size_t n)
{
  for (size_t i = TRACE_WORKS; i < G_N_ELEMENTS (words_of_does); i++)
    if (strlen (words_of_does[i]) == n && memcmp (words_of_does[i], word, n) == 0)
      return (TraceDoes) i;
  return TRACE_DOES_ANYTHING;
}
