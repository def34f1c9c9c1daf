/* SPDX-License-Identifier: Apache-2.0 */
/* expression.h - conditions and formulas over the fields of a datum: `kind in {Send, Mcast} and bytes > 4096`.
 *
 * Compiled once, to stack code over the bytes of the datum; docs/expressions.md is the language.  Engine thread only.
 */
#pragma once
#include "simulators/state.h"

typedef struct StatsExpression StatsExpression;

/* Compiles `text` for data of `type`: trace events, state changes, messages, dated numbers, or plain numbers, whole
 * numbers and truth values (whose only field is `value`).  NULL and a sentence with the column, to g_free, if it is
 * none. */
TRACE_API StatsExpression *stats_expression_new (const char *text, const EveType *type, char **sentence);
TRACE_API void stats_expression_free (StatsExpression *e);
/* Whether the result is a truth value, and not a number. */
TRACE_API bool stats_expression_is_condition (const StatsExpression *e);
/* Names of attributes and states, and of nodes that changed, are looked up in this graph; NULL: none. */
TRACE_API void stats_expression_set_graph (StatsExpression *e, const StateGraph *graph);
/* Forgets the trace that names were looked up in: after a reset, or when another trace may have come. */
TRACE_API void stats_expression_unbind (StatsExpression *e);
/* The value for one datum: 1 and 0 for truth values, NaN for nothing. */
TRACE_API double stats_expression_value (StatsExpression *e, const void *datum);
/* A condition on n data in a row: pass[i] is 1 or 0.  Gives how many pass. */
TRACE_API uint32_t stats_expression_select (StatsExpression *e, const void *data, uint32_t n, uint8_t *pass);
/* A name of what a trace has all of from the start, kinds and attributes, that this one does not have: a sentence that
 * begins with the column, "column 9: ", owned by the expression; NULL: all is well. */
TRACE_API const char *stats_expression_problem (const StatsExpression *e);
/* Once the trace was read to its end: warns of names of tasks, groups, machines, programs and states that it does not
 * have, as stats_tell_unknown(). */
TRACE_API void stats_expression_tell_unknown (StatsExpression *e, EveComponent *c, GHashTable **told);
/* The fields that data of a type have, NULL-terminated, static; for lists and refusals. */
TRACE_API const char *const *stats_expression_fields (const EveType *type);
