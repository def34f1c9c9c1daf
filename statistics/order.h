/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - commands of components to the session as text: what analysis that acts by itself says (thesis,
 * section 5.2).
 *
 * The first line is the command, a word and what it is about: `pause`, `mark slow phase`, `front Space-time`.  Further
 * lines tell people more, each a word and a text: `by Watch`, `at 0.125`, `because the value 31 is above 22`.  The
 * words that every session knows are below; any other is for whoever knows it: a component at the session's output
 * `others`, or the application. */
#pragma once
#include "readers/event.h"

/* pause | stop | run | play | step [NUMBER] | go DATE | go @MARK | mark [NAME] | save [NAME] -> a command; dates in
 * seconds. False: the word is another one (*sentence stays NULL), or what follows it makes no sense (*sentence, to
 * g_free). */
TRACE_API bool stats_order_parse (const char *order, const TraceClock *clock, TraceCommand *command, char **sentence);
/* The text after a word at the head of one of the further lines; NULL: there is none.  g_free. */
TRACE_API char *stats_order_tells (const char *order, const char *word);
/* When what made it give the order became true: what the line `at` tells, if that is not after `place`, the date of the
 * event at which the order came; else that.  An average over an interval is known at the first event after it only. */
TRACE_API int64_t stats_order_date (const char *order, const TraceClock *clock, int64_t place);
/* The first line; g_free. */
TRACE_API char *stats_order_command (const char *order);
/* A GRefString of the whole; parts that are NULL are left out, line ends in them become spaces. */
TRACE_API char *stats_order_new (const char *command, const char *by, const char *at, const char *because);

/* How far the readers have come that a session drives: events given, all together, and date of the last, INT64_MIN for
 * none; *source is one of theirs, or NULL.  Walks the program. */
TRACE_API uint64_t stats_session_place (const EveComponent *session, int64_t *date, const TraceSource **source);
