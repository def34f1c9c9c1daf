/* SPDX-License-Identifier: Apache-2.0 */
/* another.h - tasks that are told of once more: where a trace has states of several types of a task, those of all types
 * but one are told of a task inside of it, "THREAD 1.1.1 · calls".  Whoever counts tasks counts it once. */
#pragma once
#include <string.h>

#include "readers/event.h"

#define TRACE_ONCE_MORE " · "

static inline bool
trace_task_is_another (const TraceSource *s, uint32_t task)
{
  const TraceTask *t = s ? trace_task (s, task) : NULL;
  const TraceTask *around = t && t->parent != TRACE_NONE ? trace_task (s, t->parent) : NULL;

  return around && g_str_has_prefix (t->id, around->id)
         && g_str_has_prefix (t->id + strlen (around->id), TRACE_ONCE_MORE);
}
