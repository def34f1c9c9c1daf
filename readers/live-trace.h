/* SPDX-License-Identifier: Apache-2.0 */
/* live-trace.h - programs whose tracer tells what they do while they run, kept in a bundle that grows: `scope --follow`
 * shows it.  One thread. */
#pragma once
#include "readers/event.h"

typedef struct LiveTrace LiveTrace;
/* Places that are for it, as a person writes them: "pvm:", "pvm:FILE". */
#define LIVE_TRACE_PLACES "pvm:, pvm:FILE"
TRACE_API bool live_trace_claims (const char *where);
/* Begins to record there; `bundle` is not there yet, and is taken away if nothing comes of it.  NULL and a sentence. */
TRACE_API LiveTrace *live_trace_new (const char *where, const char *bundle, GError **error);
/* Waits timeout_ms, and writes what has come.  False: all has ended; or *error tells what went wrong. */
TRACE_API bool live_trace_go (LiveTrace *l, int timeout_ms, GError **error);
/* Writes what is left, and that it has ended.  *told, if not NULL, becomes what a person should know, or NULL (g_free).
 * False: nothing was recorded. */
TRACE_API bool live_trace_end (LiveTrace *l, char **told);
