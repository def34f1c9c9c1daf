/* SPDX-License-Identifier: Apache-2.0 */
/* together.h - what whole groups do together, for formats that tell the members of groups and in which group a call is:
 * an event that tells the members, and an operation beside the call, with its group.  Whoever matches the members of an
 * operation (components/waits) needs both.  Of one conversion; one thread. */
#pragma once
#include "readers/converted.h"

typedef struct Together {
  Converter *to;
  GHashTable *kinds; /* name of an operation -> its kind + 1 */
  uint32_t group;    /* kind of the event that tells members + 1; 0: none yet */
} Together;

#define TOGETHER_NONE UINT32_MAX

TRACE_API void together_begin (Together *t, Converter *to);
TRACE_API void together_end (Together *t);
/* A group with its members, which is copied; gives its object.  `name` is like no other object's. */
TRACE_API uint32_t together_group (Together *t, const char *name, const uint32_t *tasks, uint32_t n, int64_t date);
/* The event that tells members, for formats with kinds and objects of their own: of an object that is there, at a place
 * of converter_place().  `*kind` is the event's kind + 1; 0: it is made.  Tasks may be TRACE_NONE; if all are, or the
 * object is, nothing is told. */
TRACE_API void together_members (Converter *to, uint32_t *kind, uint32_t object, const uint32_t *tasks, uint32_t n,
                                 int64_t date, uint64_t place);
/* A new kind of operation of groups, whose events are as those of together_kind(); UINT32_MAX: there are too many. */
TRACE_API uint32_t together_operation (Converter *to, const char *name);
/* The kind of what a call of this name is: “MPI_Barrier”, “Allreduce”; TOGETHER_NONE: it is none of a group.  Events of
 * it have the group as object, the root as peer, and bytes as size; converter_int() of the bytes received, or
 * converter_none(), belongs to each. */
TRACE_API uint32_t together_kind (Together *t, const char *call);
