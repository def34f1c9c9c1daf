/* SPDX-License-Identifier: Apache-2.0 */
/* clocks.h - dates of tasks whose clocks differ, made to fit each other (decisions/clocks.md).  Private to converted
 * traces; one thread at a time. */
#pragma once
#include "readers/converted-private.h"

/* Reads all events of `s`, from its first, and gives each to `put` with its corrected date, in an order of their
 * own; their numbers tell the order of those of one date.  Sets s->clocks.  False: `put` or `goes_on` said so, or
 * *error is set. */
bool clocks_correct (TraceSource *s, TraceClocksBy by, bool (*put) (void *to, const TraceEvent *e),
                     bool (*goes_on) (void *to), void *to, GError **error);
