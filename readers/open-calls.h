/* SPDX-License-Identifier: Apache-2.0 */
/* open-calls.h - what tasks are inside of while a trace is read, where an end names what it ends: the innermost of that
 * name is found at once, however many others are open.  For readers; not two threads at once. */
#pragma once
#include "readers/event.h"

/* At the beginning of what a reader keeps of a call that has begun. */
typedef struct OpenCall {
  struct OpenCall *outer, *inner; /* of the same task */
  struct OpenCall *alike;         /* the next one further out that has the same name */
  uint32_t name;
} OpenCall;

typedef struct OpenCalls OpenCalls;
TRACE_API OpenCalls *open_calls_new (void);
TRACE_API void open_calls_free (OpenCalls *all, void (*free_call) (OpenCall *call)); /* may be NULL */
/* How many are open, of all tasks; and the number of the last task that has had one, + 1. */
TRACE_API uint32_t open_calls_n (const OpenCalls *all);
TRACE_API uint32_t open_calls_tasks (const OpenCalls *all);
/* `call` becomes the innermost of its task.  It stays the caller's. */
TRACE_API void open_calls_begin (OpenCalls *all, uint32_t task, uint32_t name, OpenCall *call);
/* Takes out the innermost of this name; NULL: there is none. */
TRACE_API OpenCall *open_calls_end (OpenCalls *all, uint32_t task, uint32_t name);
/* Takes out all of a task: gives the outermost, the others are `inner` of each other.  NULL: there is none. */
TRACE_API OpenCall *open_calls_take_all (OpenCalls *all, uint32_t task);
