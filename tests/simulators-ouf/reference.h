/* SPDX-License-Identifier: Apache-2.0 */
/* reference.h - the rules of simulators/ouf/README.md said as plainly as can be: a list of the calls in progress, out
 * of which every state is worked out again after each event; shares of time from the list of all states there were.
 * Slow. */
#pragma once
#include "play.h"

typedef struct Reference Reference;
Reference *reference_new (TraceSource *s);
void reference_free (Reference *r);
void reference_step (Reference *r, const TraceEvent *e);
uint64_t reference_impossible (const Reference *r);
/* A line for each task and link, with state, partner, numbers and percentages at a date; g_free. */
char *reference_text (const Reference *r, int64_t at);
