/* SPDX-License-Identifier: Apache-2.0 */
/* open-calls.h - calls that have begun and not ended, while the events of a trace are read in their order: an end tells
 * the record of its beginning, or was recorded by itself and ends the innermost call of its task and category. */
#pragma once
#include <stdbool.h>
#include "readers/reader.h"

typedef struct OpenCalls OpenCalls;
/* Of a trace that outlives it. */
OpenCalls *open_calls_new (const TraceSource *s);
void open_calls_free (OpenCalls *o);
/* An event that begins what ends later. */
void open_calls_begin (OpenCalls *o, const TraceEvent *e);
/* An event that ends something.  False: it was recorded by itself, and the call with its duration is in `whole`. */
bool open_calls_end (OpenCalls *o, const TraceEvent *e, TraceEvent *whole);
/* What is left when all events were taken, in their order, as calls that never ended (TRACE_UNFINISHED); of TraceEvent,
 * unref it. */
GArray *open_calls_left (OpenCalls *o);
/* A call of this kind tells with whom, or with what, it is. */
bool open_calls_name_others (const TraceKind *k);
/* A call that has begun waits for others, or could: it is no function or phase that was merely open. */
bool open_calls_may_wait (const TraceSource *s, const TraceEvent *e);
