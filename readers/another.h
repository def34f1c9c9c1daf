/* SPDX-License-Identifier: Apache-2.0 */
/* another.h - tasks that are told of once more: where a trace has states of several types of a task, those of all types
 * but one are told of a task inside of it, "THREAD 1.1.1 · calls".  Whoever counts tasks counts it once.
 *
 * It is one by its name where the one around has states too.  Threads are named after their process as well,
 * "rank 0 · thread 1", which then does nothing itself.  Known when the trace has been converted (converter.c).
 *
 * So it is with what is under way in a process, as a request whose answer is awaited, of a type of tasks that WAITS
 * (event.h): where tasks beside it are in states, these do the work. */
#pragma once
#include <string.h>

#include "readers/event.h"

#define TRACE_ONCE_MORE " · "

/* Whether it is one by its name: as it is for who writes a trace, and asks in another way what the one around does. */
static inline bool
trace_task_is_named_after (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = trace_task (s, task), *around = t ? trace_task (s, t->parent) : NULL;

  return around && g_str_has_prefix (t->id, around->id)
         && g_str_has_prefix (t->id + strlen (around->id), TRACE_ONCE_MORE);
}

static inline bool
trace_task_is_another (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s ? trace_task (s, task) : NULL;

  return t && t->once_more;
}

/* Whether it is of a type of what is under way. */
static inline bool
trace_task_is_under_way (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s ? trace_task (s, task) : NULL;

  return t && t->type < s->types->len && ((const TraceType *) s->types->pdata[t->type])->does == TRACE_WAITS;
}

/* Whether it tells what the one around calls: more closely than the states of that one do. */
static inline bool
trace_task_tells_calls (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s ? trace_task (s, task) : NULL;

  return t && t->type < s->types->len && ((const TraceType *) s->types->pdata[t->type])->does == TRACE_WORKS;
}
