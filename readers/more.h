/* SPDX-License-Identifier: Apache-2.0 */
/* more.h - components that add attributes to what an execution has: tasks, links, messages.  They answer the query
 * "more/1" with this, and whoever shows something asks all components of the program what they have to add.
 *
 * What is told is as things stand now, where time stands still; nothing is kept for it, and nobody asks while time goes
 * on.  Engine thread only. */
#pragma once
#include "readers/ref.h"

/* When a message was sent (INT64_MIN: not known) and received; false: it is none. */
TRACE_API bool trace_ref_dates (TraceRef r, int64_t *sent, int64_t *received);

#define TRACE_MORE "more/1"

typedef struct TraceMore {
  /* Calls `add` with the name and value of each attribute of that thing, both in the language of the person and good
   * until it returns; not at all, if the component has nothing to say of it. */
  void (*tell) (EveComponent *self, TraceRef what, void (*add) (void *to, const char *name, const char *value),
                void *to);
  /* The names of the attributes that things of a type may have by it, likewise; NULL: it names none. */
  void (*offer) (EveComponent *self, TraceRefType type, void (*add) (void *to, const char *name), void *to);
} TraceMore;

/* The components of a program that add attributes; made by who has the program, for who shows something of it. */
typedef struct TraceAdding {
  EveComponent *component;
  const TraceMore *more;
} TraceAdding;
typedef struct TraceAll {
  uint32_t n;
  const TraceAdding *of;
} TraceAll;
TRACE_API void trace_more_offer (const TraceAll *a, TraceRefType type, void (*add) (void *to, const char *name),
                                 void *to);
/* The value of the attribute of that name, whatever the case, of a thing, in the language of the person; false: none of
 * them has it.  `a` may be NULL: nobody adds anything. */
TRACE_API bool trace_more_value (const TraceAll *a, TraceRef what, const char *name, GString *to);
