/* SPDX-License-Identifier: Apache-2.0 */
/* live.h - whether somebody is still writing a trace: the file `live` in the data folder of a bundle.
 *
 * Who records a trace that is looked at meanwhile makes the file before the data, holds a lock (flock) on it as long as
 * it writes, and puts a line `ended` behind the others when it is done.  A lock that nobody holds, without that line,
 * tells of a writer that is gone, however it was killed.  docs/decisions/live.md has the reasons. */
#pragma once
#include "readers/event.h"

#define TRACE_LIVE_FILE "live"
#define TRACE_LOOK_MS 100 /* between two looks at a source that may grow: trace_look() */

typedef enum {
  TRACE_WRITER_NONE,  /* there is no such file: nobody knows */
  TRACE_WRITER_WORKS, /* the lock is held */
  TRACE_WRITER_ENDED, /* it said so */
  TRACE_WRITER_GONE,  /* neither */
} TraceWriter;
/* Looks at the file in a data folder; a few system calls.  *who, if not NULL, becomes what it says of the writer, the
 * same as long as that one writes (g_free); "" if it says nothing.  Any thread. */
TRACE_API TraceWriter trace_writer (const char *folder, char **who);
/* Who writes may take orders, a line each (docs/live.md), by a pipe of this name in the data folder. */
#define TRACE_CONTROL_FILE "control"
TRACE_API bool trace_writer_takes_orders (const char *folder);
/* False and a sentence: nobody writes, or who does takes no orders. */
TRACE_API bool trace_writer_tell (const char *folder, const char *line, GError **error);
/* What a person may tell who writes, of one thing of the trace. */
typedef struct TraceOrder {
  const char *label, *under; /* as in a menu; the menu inside of which it stands, or NULL.  Good for ever */
  char *line;                /* for trace_writer_tell() */
} TraceOrder;
/* What can be told of a task now: of TraceOrder *, perhaps none; g_ptr_array_unref.  The thread of the source. */
TRACE_API GPtrArray *trace_orders (TraceSource *s, uint32_t task);
/* For formats. */
TRACE_API void trace_orders_add (GPtrArray *to, const char *label, const char *under, const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));
/* Of a source that was opened to be followed: takes note of what has come meanwhile.  True: there is more to read, or
 * it has ended.  Never blocks; every TRACE_LOOK_MS is often enough.  The thread of the source. */
TRACE_API bool trace_look (TraceSource *s);
static inline bool
trace_may_grow (const TraceSource *s)
{
  return (s->abilities & TRACE_LIVE) && !s->ended;
}
