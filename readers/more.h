/* SPDX-License-Identifier: Apache-2.0 */
/* more.h - components that add attributes to what an execution has: tasks, links, messages.  They answer the query
 * "more/2" with this, and whoever shows something asks all components of the program what they have to add.
 *
 * What is told is as things stand now, where time stands still; nothing is kept for it, and nobody asks while time goes
 * on.  Engine thread only. */
#pragma once
#include "readers/ref.h"

/* When a message was sent (INT64_MIN: not known) and received; false: it is none. */
TRACE_API bool trace_ref_dates (TraceRef r, int64_t *sent, int64_t *received);

#define TRACE_MORE "more/2"

/* An attribute of a thing.  In files, as of associations, stand `name` and `value`, which are English and have a point
 * in numbers, whatever language who wrote it speaks; people read the others, which are in theirs.  Good until `add`
 * returns. */
typedef struct TraceTold {
  const char *name, *value;
  const char *shown_name, *shown_value; /* NULL: the same */
} TraceTold;
static inline const char *
trace_told_name (const TraceTold *t)
{
  return t->shown_name ? t->shown_name : t->name;
}
static inline const char *
trace_told_value (const TraceTold *t)
{
  return t->shown_value ? t->shown_value : t->value;
}

typedef struct TraceMore {
  /* Calls `add` for each attribute of that thing; not at all, if the component has nothing to say of it.  `only`: the
   * name of the one that is asked for, whatever the case, and others need not be told; NULL: all are. */
  void (*tell) (EveComponent *self, TraceRef what, const char *only, void (*add) (void *to, const TraceTold *one),
                void *to);
  /* The names of the attributes that things of a type may have by it, as in files; NULL: it names none. */
  void (*offer) (EveComponent *self, TraceRefType type, void (*add) (void *to, const char *name), void *to);
} TraceMore;
static inline bool
trace_more_wants (const char *only, const char *name)
{
  return !only || g_ascii_strcasecmp (only, name) == 0;
}

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
/* The value, as files have it, of the attribute of that name, whatever the case, of a thing; false: none of them has
 * it. Only that one is told.  `a` may be NULL: nobody adds anything. */
TRACE_API bool trace_more_value (const TraceAll *a, TraceRef what, const char *name, GString *to);
