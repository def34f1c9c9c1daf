/* SPDX-License-Identifier: Apache-2.0 */
/* ref.h - identity: whatever can be pointed at, selected, coloured, marked or inspected, in 8 bytes.
 *
 * What a trace counts itself (tasks, objects, hosts, kinds) has that number.  What is told by more than a number (a
 * link by its two tasks, a message by these and its dates, a node of a state graph, a series or the value of an
 * attribute by their names) gets a number when somebody first refers to it, which it keeps until the process ends: so a
 * link is the same thing at every instant, whether or not it is there.  Refs are good in one process; trace_ref_save()
 * writes one that another can read.  Engine thread only. */
#pragma once
#include "readers/event.h"

typedef enum {
  TRACE_REF_NONE,
  TRACE_REF_TASK,   /* id: index into the source's tasks; */
  TRACE_REF_OBJECT, /* into its objects: a group, a semaphore, a link that the trace declares; */
  TRACE_REF_HOST,   /* into its hosts; */
  TRACE_REF_KIND,   /* into its kinds of events: a region of the program too */
  TRACE_REF_LINK,   /* from one task to another; from here on ids are given */
  TRACE_REF_MESSAGE,
  TRACE_REF_EVENT,
  TRACE_REF_NODE,   /* of the state graph, that is no task: a thread, a processor */
  TRACE_REF_SERIES, /* of numbers */
  TRACE_REF_VALUE,  /* of an attribute: the state Idle */
} TraceRefType;

typedef struct TraceRef {
  uint16_t source; /* TraceSource.number; 0: of no trace, or of all */
  uint16_t type;   /* TraceRefType */
  uint32_t id;
} TraceRef;
_Static_assert(sizeof (TraceRef) == 8, "a reference is eight bytes");

static inline TraceRef
trace_ref (TraceRefType type, uint16_t source, uint32_t id)
{
  return (TraceRef){ source, (uint16_t) type, id };
}
/* Nothing, if the task is TRACE_NONE. */
static inline TraceRef
trace_ref_task (uint16_t source, uint32_t task)
{
  return task != TRACE_NONE ? trace_ref (TRACE_REF_TASK, source, task) : (TraceRef){ 0 };
}
static inline bool
trace_ref_same (TraceRef a, TraceRef b)
{
  return a.source == b.source && a.type == b.type && a.id == b.id;
}
/* Fibonacci hashing: all bits reach the upper ones. */
static inline uint32_t
trace_ref_hash (TraceRef r)
{
  uint64_t key = (uint64_t) r.id << 32 | (uint32_t) r.source << 16 | r.type;

  return (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32);
}
TRACE_API TraceRef trace_ref_link (uint16_t source, uint32_t from, uint32_t to);
/* `sent` INT64_MIN: not known. */
TRACE_API TraceRef trace_ref_message (uint16_t source, uint32_t from, uint32_t to, int64_t sent, int64_t received);
TRACE_API TraceRef trace_ref_event (uint16_t source, uint64_t number);
/* A NODE by its id, a SERIES by its name. */
TRACE_API TraceRef trace_ref_named (TraceRefType type, uint16_t source, const char *name);
/* The same whatever the trace: a colour means one value. */
TRACE_API TraceRef trace_ref_value (const char *attribute, const char *value);

/* The two tasks of a link or message; false: it is neither. */
TRACE_API bool trace_ref_ends (TraceRef r, uint32_t *from, uint32_t *to);
/* The name of a NODE, SERIES or VALUE; *attribute (may be NULL) is that of a VALUE, else NULL.  Both good for ever;
 * NULL: it has none. */
TRACE_API const char *trace_ref_named_by (TraceRef r, const char **attribute);
/* What it is called, appended.  `ids`: as files have it, "t40002->t40003"; else for a person, with nicknames, "fft 0 →
 * fft 1". */
TRACE_API void trace_ref_name (TraceRef r, bool ids, GString *to);

/* For run states.  Read is nothing where nobody has the source, or what was written is damaged. */
TRACE_API void trace_ref_save (EveProgram *p, TraceRef r, EveBlob *to);
TRACE_API TraceRef trace_ref_load (EveProgram *p, EveBlobView *from);

/* ---- sets: the selection ------------------------------------------------------------------------------------------ */
typedef struct TraceRefs TraceRefs; /* in the order in which they came */
TRACE_API TraceRefs *trace_refs_new (void);
TRACE_API void trace_refs_free (TraceRefs *s); /* NULL: nothing */
/* False: it was in it, or is nothing. */
TRACE_API bool trace_refs_add (TraceRefs *s, TraceRef r);
TRACE_API bool trace_refs_remove (TraceRefs *s, TraceRef r); /* false: it was not in it */
TRACE_API void trace_refs_clear (TraceRefs *s);
/* A set may be NULL for these: it is empty. */
TRACE_API bool trace_refs_has (const TraceRefs *s, TraceRef r);
TRACE_API uint32_t trace_refs_n (const TraceRefs *s);
TRACE_API TraceRef trace_refs_at (const TraceRefs *s, uint32_t i); /* beyond the end: nothing */
TRACE_API bool trace_refs_same (const TraceRefs *a, const TraceRefs *b);
/* Takes out all that are in `others`, in one pass; how many that were. */
TRACE_API uint32_t trace_refs_remove_all (TraceRefs *s, const TraceRefs *others);
/* The following are found by halving, in tables that are made once after the set was changed.  Whether any of `n` is in
 * it that are numbered one after another from `first` on. */
TRACE_API bool trace_refs_has_any (const TraceRefs *s, TraceRef first, uint32_t n);
/* Whether a link or message is in it that comes from, or goes to, any of the `n` tasks from `first` on. */
typedef enum { TRACE_REFS_FROM = 1, TRACE_REFS_TO = 2, TRACE_REFS_BOTH = 3 } TraceRefsEnd;
TRACE_API bool trace_refs_has_end (const TraceRefs *s, TraceRef first, uint32_t n, TraceRefsEnd which);
/* The `i`th VALUE that is in it; beyond the last: nothing. */
TRACE_API TraceRef trace_refs_value_at (const TraceRefs *s, uint32_t i);
/* Whether a link or message between these two tasks is in it. */
TRACE_API bool trace_refs_has_pair (const TraceRefs *s, uint16_t source, uint32_t from, uint32_t to);
TRACE_API bool trace_refs_has_type (const TraceRefs *s, TraceRefType type);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TraceRefs, trace_refs_free)
