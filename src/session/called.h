/* SPDX-License-Identifier: Apache-2.0 */
/* called.h - from the names that trace_ref_name() gives back to what they are of.  Engine thread. */
#pragma once
#include "readers/ref.h"
#include "views/history.h"

/* The film knows tasks that the session did not come across on its way.  The first `n` bytes of `id`; TRACE_NONE: there
 * is none. */
uint32_t task_called (const Names *names, const TraceSource *s, const char *id, size_t n);
/* A task, a link ("t1->t2"), the value of an attribute ("State=Idle"), a kind of event, an object; nothing: there is no
 * such. */
TraceRef ref_called (const Names *names, const TraceSource *s, const char *name);
