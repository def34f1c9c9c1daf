/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - records of one location that are of no message: regions, metrics, parameters, threads, the program. */
#include <string.h>

#include "readers/otf2/callbacks.h"

/* ---- regions ------------------------------------------------------------------------------------------------------------------- */

static inline uint32_t
object_of_region (Lane *l, uint32_t region)
{
  const Region *r = map_get (&l->o->regions, region);

  return G_LIKELY (r && r->object != TRACE_NONE) ? r->object : otf2_region_object (l->o, region);
}

/* "FILE:LINE" that a record tells as one of its attributes; NULL: it does not. */
static const char *
called_at (const Otf2 *o, const OTF2_AttributeList *more)
{
  uint32_t n = OTF2_AttributeList_GetNumberOfElements (more);

  for (uint32_t i = 0; i < n; i++) {
    OTF2_AttributeRef attribute;
    OTF2_AttributeValue value;
    OTF2_Type type;
    if (OTF2_AttributeList_GetAttributeByIndex (more, i, &attribute, &type, &value) == OTF2_SUCCESS
        && type == OTF2_TYPE_SOURCE_CODE_LOCATION)
      return map_get (&o->lines, value.sourceCodeLocationRef);
  }
  return NULL;
}

static OTF2_CallbackCode
on_enter (RECORD, OTF2_RegionRef region, const char *line)
{
  BEGIN_AT;
  const uint32_t object = object_of_region (l, region);
  otf2_push (l, object);
  if (G_UNLIKELY (l->device))
    otf2_device_enter (l, object, date);
  if (line)
    converter_text (l->to, line, strlen (line));
  return otf2_give_object (l, line ? KIND_ENTER_AT : KIND_ENTER, date, object);
}

typedef struct {
  const char *line;
  OTF2_RegionRef region;
} on_enter_given;

static void
on_enter_now (Lane *l, uint64_t time, const void *given)
{
  const on_enter_given *g = given;

  on_enter (l->at->id, time, 0, l, NULL, g->region, g->line);
}

void
otf2_enter_later (Ahead *a, uint64_t time, uint32_t region, const char *line)
{
  on_enter_given *g = otf2_later (a, on_enter_now, time, sizeof *g);

  *g = (on_enter_given){ line, region };
}

/* Attributes are there as long as the library calls. */
static OTF2_CallbackCode
on_enter_later (RECORD, OTF2_RegionRef region)
{
  otf2_enter_later (user, time, region, more ? called_at (((const Ahead *) user)->o, more) : NULL);
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_leave (RECORD, OTF2_RegionRef region)
{
  BEGIN_AT;
  const uint32_t object = object_of_region (l, region);
  if (G_LIKELY (l->depth > 0 && l->stack[l->depth - 1] == object)) {
    l->depth--;
    if (G_UNLIKELY (l->device))
      otf2_device_leave (l, object, date);
    return otf2_give_object (l, KIND_LEAVE, date, object);
  }
  otf2_leave (l, object, date);
  DONE;
}
LATER_1 (on_leave, OTF2_RegionRef)

static uint32_t
region_of_context (Lane *l, uint32_t context)
{
  const uint32_t *region = map_get (&l->o->contexts, context);

  return otf2_region_object (l->o, region ? *region : OTF2_UNDEFINED_REGION);
}

static OTF2_CallbackCode
on_context_enter (RECORD, OTF2_CallingContextRef context, uint32_t unwind)
{
  BEGIN;
  otf2_enter (l, region_of_context (l, context), e.date);
  DONE;
}
LATER_2 (on_context_enter, OTF2_CallingContextRef, uint32_t)

static OTF2_CallbackCode
on_context_leave (RECORD, OTF2_CallingContextRef context)
{
  BEGIN;
  otf2_leave (l, region_of_context (l, context), e.date);
  DONE;
}
LATER_1 (on_context_leave, OTF2_CallingContextRef)

static OTF2_CallbackCode
on_sample (RECORD, OTF2_CallingContextRef context, uint32_t unwind, OTF2_InterruptGeneratorRef generator)
{
  BEGIN;
  e.object = region_of_context (l, context);
  return otf2_give (l, KIND_SAMPLE, e);
}
LATER_3 (on_sample, OTF2_CallingContextRef, uint32_t, OTF2_InterruptGeneratorRef)

/* The events of a location that writes its buffer out go on when it is done. */
static OTF2_CallbackCode
on_flush (RECORD, OTF2_TimeStamp stop)
{
  BEGIN;
  otf2_enter (l, otf2_state (l->o, "Buffer flush", "Tracing"), e.date);
  l->flushing = true;
  if (!otf2_date (l->o, stop, &l->flushed) || l->flushed < date)
    l->flushed = date;
  DONE;
}
LATER_1 (on_flush, OTF2_TimeStamp)

static OTF2_CallbackCode
on_measurement (RECORD, OTF2_MeasurementMode mode)
{
  BEGIN;
  uint32_t off = otf2_state (l->o, "Measurement off", "Tracing");
  if (mode == OTF2_MEASUREMENT_OFF)
    otf2_enter (l, off, e.date);
  else if (l->depth > 0) /* it may be on from the beginning */
    for (guint i = 0; i < l->depth; i++)
      if (l->stack[i] == off) {
        otf2_leave (l, off, date);
        break;
      }
  DONE;
}
LATER_1 (on_measurement, OTF2_MeasurementMode)

/* ---- metrics ------------------------------------------------------------------------------------------------------------------- */

static void
give_member (Lane *l, TraceEvent e, MetricMember *m, OTF2_Type type, OTF2_MetricValue v)
{
  bool adds = (m->mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_RELATIVE;
  bool is_signed = type >= OTF2_TYPE_INT8 && type <= OTF2_TYPE_INT64;
  bool is_real = type == OTF2_TYPE_FLOAT || type == OTF2_TYPE_DOUBLE;

  e.object = otf2_member_object (l->o, m);
  if (!is_real && m->exponent == 0 && (is_signed || v.unsigned_int <= INT64_MAX)) {
    e.size = v.signed_int;
  } else {
    e.flags |= TRACE_REAL;
    e.real = (is_real ? v.floating_point : is_signed ? (double) v.signed_int : (double) v.unsigned_int) * m->scale;
  }
  otf2_give (l, adds ? KIND_ADD : KIND_SET, e);
}

static OTF2_CallbackCode
on_metric (RECORD, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
  BEGIN;
  const Metric *m = map_get (&l->o->metrics, metric);
  const Metric *of = m && !m->is_class ? map_get (&l->o->metrics, m->of) : m;
  if (m && m->has_scope)
    e.task = otf2_scope_task (l->o, m->scope, m->scope_of, l->task);
  for (uint8_t i = 0; i < n; i++) {
    MetricMember *member = of && of->is_class && i < of->n ? map_get (&l->o->members, of->members[i]) : NULL;
    if (member)
      give_member (l, e, member, types[i], values[i]);
    else
      otf2_give (l, KIND_UNKNOWN, e);
  }
  DONE;
}

/* What a metric is given: behind it n values, and then their types. */
typedef struct {
  OTF2_MetricRef metric;
  uint8_t n;
} on_metric_given;

static void
on_metric_now (Lane *l, uint64_t time, const void *given)
{
  const on_metric_given *g = given;
  const OTF2_MetricValue *values = (const OTF2_MetricValue *) (g + 1);

  on_metric (l->at->id, time, 0, l, NULL, g->metric, g->n, (const OTF2_Type *) (values + g->n), values);
}

static OTF2_CallbackCode
on_metric_later (RECORD, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
  on_metric_given *g = otf2_later (user, on_metric_now, time,
                                   sizeof *g + (size_t) n * (sizeof *values + sizeof *types));
  OTF2_MetricValue *own = (OTF2_MetricValue *) (g + 1);

  *g = (on_metric_given){ metric, n };
  memcpy (own, values, n * sizeof *values);
  memcpy (own + n, types, n * sizeof *types);
  return OTF2_CALLBACK_SUCCESS;
}

/* ---- parameters and the program ------------------------------------------------------------------------------------------------- */

static OTF2_CallbackCode
give_text (Lane *l, Kind k, TraceEvent e, uint32_t string)
{
  const char *text = otf2_text (l->o, string);

  converter_text (l->to, text, strlen (text));
  return otf2_give (l, k, e);
}

static uint32_t
parameter (Lane *l, uint32_t id)
{
  return otf2_named_object (l->o, &l->o->parameters, id, "parameter");
}

static OTF2_CallbackCode
on_parameter_text (RECORD, OTF2_ParameterRef which, OTF2_StringRef text)
{
  BEGIN;
  e.object = parameter (l, which);
  return give_text (l, KIND_PARAMETER_TEXT, e, text);
}
LATER_2 (on_parameter_text, OTF2_ParameterRef, OTF2_StringRef)

/* tape-mpi tells of a call that never ended which rank it waits for, and before that which tag. */
static bool
is_asked (Lane *l, uint32_t which, int64_t value, TraceEvent *e)
{
  const Named *n = map_get (&l->o->parameters, which);
  const char *name = n ? otf2_text (l->o, n->name) : "";

  if (!g_str_has_prefix (name, "waits "))
    return false;
  if (strcmp (name, "waits in communicator") == 0 && value >= 0 && value <= UINT32_MAX) {
    e->object = otf2_comm_object (l->o, (uint32_t) value);
    e->tag = -1;
    return true;
  }
  if (strcmp (name, "waits for tag") == 0)
    l->asked_tag = value >= 0 && value <= INT32_MAX ? (int32_t) value : -1;
  if (strcmp (name, "waits for rank") != 0)
    return false;
  e->peer = value >= 0 ? otf2_rank_task (l->o, (uint64_t) value) : TRACE_NONE;
  e->tag = l->asked_tag;
  return true;
}

static OTF2_CallbackCode
on_parameter_int (RECORD, OTF2_ParameterRef which, int64_t value)
{
  BEGIN;
  if (G_UNLIKELY (is_asked (l, which, value, &e)))
    return otf2_give (l, KIND_ASKED, e);
  e.object = parameter (l, which);
  e.size = value;
  return otf2_give (l, KIND_PARAMETER, e);
}
LATER_2 (on_parameter_int, OTF2_ParameterRef, int64_t)

static OTF2_CallbackCode
on_parameter_unsigned (RECORD, OTF2_ParameterRef which, uint64_t value)
{
  BEGIN;
  e.object = parameter (l, which);
  if (value > INT64_MAX) {
    e.flags |= TRACE_REAL;
    e.real = (double) value;
  } else {
    e.size = (int64_t) value;
  }
  return otf2_give (l, KIND_PARAMETER, e);
}
LATER_2 (on_parameter_unsigned, OTF2_ParameterRef, uint64_t)

static OTF2_CallbackCode
on_program_begin (RECORD, OTF2_StringRef name)
{
  BEGIN;
  TraceTask *t = trace_task (l->o->source, l->task);
  g_free (t->program);
  t->program = g_strdup (otf2_text (l->o, name));
  return give_text (l, KIND_PROGRAM_BEGIN, e, name);
}

static void
on_program_begin_now (Lane *l, uint64_t time, const void *given)
{
  const OTF2_StringRef *name = given;

  on_program_begin (l->at->id, time, 0, l, NULL, *name);
}

static OTF2_CallbackCode
on_program_begin_later (RECORD, OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
  OTF2_StringRef *g = otf2_later (user, on_program_begin_now, time, sizeof *g);

  *g = name;
  return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode
on_program_end (RECORD, int64_t status)
{
  BEGIN;
  if (status == INT64_MIN) /* OTF2_UNDEFINED_INT64: how it ended is not known */
    converter_none (l->to);
  else
    converter_int (l->to, status);
  return otf2_give (l, KIND_PROGRAM_END, e);
}
LATER_1 (on_program_end, int64_t)

static OTF2_CallbackCode
on_unknown (RECORD)
{
  BEGIN;
  return otf2_give (l, KIND_UNKNOWN, e);
}
LATER_0 (on_unknown)

/* ---- threads --------------------------------------------------------------------------------------------------------------------- */

static OTF2_CallbackCode
give_int (Lane *l, Kind k, TraceEvent e, uint64_t value)
{
  converter_int (l->to, (int64_t) value);
  return otf2_give (l, k, e);
}

static OTF2_CallbackCode
on_fork (RECORD, OTF2_Paradigm model, uint32_t n)
{
  BEGIN;
  return give_int (l, KIND_FORK, e, n);
}
LATER_2 (on_fork, OTF2_Paradigm, uint32_t)

static OTF2_CallbackCode
on_join (RECORD, OTF2_Paradigm model)
{
  BEGIN;
  return otf2_give (l, KIND_JOIN, e);
}
LATER_1 (on_join, OTF2_Paradigm)

#define TEAM(name, kind)                                                                                               \
  static OTF2_CallbackCode name (RECORD, OTF2_CommRef team)                                                            \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = otf2_comm_object (l->o, team);                                                                          \
    return otf2_give (l, kind, e);                                                                                     \
  }                                                                                                                    \
  LATER_1 (name, OTF2_CommRef)
TEAM (on_team_begin, KIND_TEAM_BEGIN)
TEAM (on_team_end, KIND_TEAM_END)
TEAM (on_comm_create, KIND_COMM_CREATE)
TEAM (on_comm_destroy, KIND_COMM_DESTROY)

#define LOCK(name, kind)                                                                                               \
  static OTF2_CallbackCode name (RECORD, OTF2_Paradigm model, uint32_t lock, uint32_t order)                           \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    converter_int (l->to, lock);                                                                                       \
    return give_int (l, kind, e, order);                                                                               \
  }                                                                                                                    \
  LATER_3 (name, OTF2_Paradigm, uint32_t, uint32_t)
LOCK (on_acquire_lock, KIND_ACQUIRE_LOCK)
LOCK (on_release_lock, KIND_RELEASE_LOCK)

#define TASK(name, kind)                                                                                               \
  static OTF2_CallbackCode name (RECORD, OTF2_CommRef team, uint32_t creator, uint32_t generation)                     \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    e.object = otf2_comm_object (l->o, team);                                                                          \
    converter_int (l->to, creator);                                                                                    \
    return give_int (l, kind, e, generation);                                                                          \
  }                                                                                                                    \
  LATER_3 (name, OTF2_CommRef, uint32_t, uint32_t)
TASK (on_task_create, KIND_TASK_CREATE)
TASK (on_task_switch, KIND_TASK_SWITCH)
TASK (on_task_complete, KIND_TASK_COMPLETE)

#define THREAD(name, kind)                                                                                             \
  static OTF2_CallbackCode name (RECORD, OTF2_CommRef contingent, uint64_t sequence)                                   \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    return give_int (l, kind, e, sequence);                                                                            \
  }                                                                                                                    \
  LATER_2 (name, OTF2_CommRef, uint64_t)
THREAD (on_thread_create, KIND_THREAD_CREATE)
THREAD (on_thread_begin, KIND_THREAD_BEGIN)
THREAD (on_thread_wait, KIND_THREAD_WAIT)
THREAD (on_thread_end, KIND_THREAD_END)

/* As archives before version 1.2 tell of OpenMP. */
static OTF2_CallbackCode
on_omp_fork (RECORD, uint32_t n)
{
  BEGIN;
  return give_int (l, KIND_FORK, e, n);
}
LATER_1 (on_omp_fork, uint32_t)

static OTF2_CallbackCode
on_omp_join (RECORD)
{
  BEGIN;
  return otf2_give (l, KIND_JOIN, e);
}
LATER_0 (on_omp_join)

#define OMP_LOCK(name, kind)                                                                                           \
  static OTF2_CallbackCode name (RECORD, uint32_t lock, uint32_t order)                                                \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    converter_int (l->to, lock);                                                                                       \
    return give_int (l, kind, e, order);                                                                               \
  }                                                                                                                    \
  LATER_2 (name, uint32_t, uint32_t)
OMP_LOCK (on_omp_acquire_lock, KIND_ACQUIRE_LOCK)
OMP_LOCK (on_omp_release_lock, KIND_RELEASE_LOCK)

#define OMP_TASK(name, kind)                                                                                           \
  static OTF2_CallbackCode name (RECORD, uint64_t task)                                                                \
  {                                                                                                                    \
    BEGIN;                                                                                                             \
    converter_none (l->to);                                                                                            \
    return give_int (l, kind, e, task);                                                                                \
  }                                                                                                                    \
  LATER_1 (name, uint64_t)
OMP_TASK (on_omp_task_create, KIND_TASK_CREATE)
OMP_TASK (on_omp_task_switch, KIND_TASK_SWITCH)
OMP_TASK (on_omp_task_complete, KIND_TASK_COMPLETE)

void
otf2_set_event_callbacks (OTF2_EvtReaderCallbacks *c, QuickCalls *quick)
{
  ON (Enter, on_enter);
  ON_BOTH (Leave, on_leave);
  ON_BOTH (CallingContextEnter, on_context_enter);
  ON_BOTH (CallingContextLeave, on_context_leave);
  ON_BOTH (CallingContextSample, on_sample);
  ON_BOTH (BufferFlush, on_flush);
  ON_BOTH (MeasurementOnOff, on_measurement);
  ON_BOTH (Metric, on_metric);
  ON_BOTH (ParameterString, on_parameter_text);
  ON_BOTH (ParameterInt, on_parameter_int);
  ON_BOTH (ParameterUnsignedInt, on_parameter_unsigned);
  ON_BOTH (ProgramBegin, on_program_begin);
  ON_BOTH (ProgramEnd, on_program_end);
  ON (Unknown, on_unknown);
  ON_BOTH (ThreadFork, on_fork);
  ON_BOTH (ThreadJoin, on_join);
  ON_BOTH (ThreadTeamBegin, on_team_begin);
  ON_BOTH (ThreadTeamEnd, on_team_end);
  ON_BOTH (ThreadAcquireLock, on_acquire_lock);
  ON_BOTH (ThreadReleaseLock, on_release_lock);
  ON_BOTH (ThreadTaskCreate, on_task_create);
  ON_BOTH (ThreadTaskSwitch, on_task_switch);
  ON_BOTH (ThreadTaskComplete, on_task_complete);
  ON_BOTH (ThreadCreate, on_thread_create);
  ON_BOTH (ThreadBegin, on_thread_begin);
  ON_BOTH (ThreadWait, on_thread_wait);
  ON_BOTH (ThreadEnd, on_thread_end);
  ON (OmpFork, on_omp_fork);
  ON (OmpJoin, on_omp_join);
  ON (OmpAcquireLock, on_omp_acquire_lock);
  ON (OmpReleaseLock, on_omp_release_lock);
  ON (OmpTaskCreate, on_omp_task_create);
  ON (OmpTaskSwitch, on_omp_task_switch);
  ON (OmpTaskComplete, on_omp_task_complete);
  ON_BOTH (CommCreate, on_comm_create);
  ON_BOTH (CommDestroy, on_comm_destroy);
}
