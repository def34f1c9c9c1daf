/* SPDX-License-Identifier: Apache-2.0 */
/* untold.h - whether states of a trace tell what its tasks do: the one question of all who count work (does.c).
 *
 * States of a type tell when a task runs if one of them is said to be work, "Running", or may be: where all are known
 * to wait or to rest, the program runs outside of them.  Of a type that is of no type of tasks the former alone: it
 * holds what a program calls, of which not all need be told.  What neither waits nor rests runs then, and of what is
 * outside nobody tells; nor of states that are set where no name in the type is known, as of "normal" and "violation":
 * they need not be of what a task does. */
#pragma once
#include "readers/event.h"

/* Of a type of states: that it tells, and that names in it are known; of a type of tasks: that such states are
 * theirs. */
enum { TRACE_TYPE_TELLS = 1, TRACE_TYPE_KNOWN = 2 };
/* By type; g_free. */
TRACE_API uint8_t *trace_types_told (const TraceSource *s);
/* What a task does in a state, where `told` is of the types: in those of a type that tells and in which names are known
 * what neither waits nor rests runs. */
TRACE_API TraceDoes trace_state_told (const TraceSource *s, const uint8_t *told, uint32_t object);
/* States of which nobody tells what a task does in them, by the type of tasks: one name may tell of one type and not of
 * another.  NULL: there is none.  g_hash_table_unref, before the source is closed. */
TRACE_API GHashTable *trace_untold_states (const TraceSource *s);
/* Whether the state of this name is one of them for a task. */
TRACE_API bool trace_is_untold (GHashTable *untold, const TraceSource *s, uint32_t task, const char *name);
/* Whether one of the objects from this one on is such a state: then the former may be others. */
TRACE_API bool trace_has_states (const TraceSource *s, uint32_t from);
/* A sentence, translated: nothing in the trace tells who waits for whom.  NULL: some kind of events may.  Good for
 * ever. */
TRACE_API const char *trace_waits_untold (const TraceSource *s);
