/* SPDX-License-Identifier: Apache-2.0 */
/* told.h - what an execution tells of its tasks in its course, and a film keeps for pictures of the whole: the group
 * that each was first seen in, who spawned it, where it is in a topology.  All of it is in the film's file `groups`
 * (docs/film-format.md); groups of tasks are made of it (views/groups.h).
 *
 * Formats tell of it by events: those of a kind with a field `spawned` (readers/event.h) name the tasks that theirs has
 * spawned; of a BIRTH a field `parent` names who did it; a SEND with a field `created` goes to one that is
 * started by it; a SET with a field `coordinate` sets a variable that is named after topology and dimension. */
#pragma once
#include "views/history.h"

#define TOLD_PLACES_MOST 64 /* coordinates that are kept of a task */

typedef struct ToldPlace {
  char *name; /* "grid: x": of the topology, and of the dimension */
  int64_t at;
} ToldPlace;

typedef struct TaskTold {
  char *group;    /* NULL: none */
  char *spawner;  /* id of a task; NULL: nobody knows */
  GArray *places; /* of ToldPlace; NULL: none */
} TaskTold;

/* By id of the task, of TaskTold; g_hash_table_unref. */
TRACE_API GHashTable *told_new (void);
/* That of a task, which is new and empty if nothing was told of it before. */
TRACE_API TaskTold *told_of (GHashTable *all, const char *id);
/* False: it is known already, or there are too many. */
TRACE_API bool told_place (TaskTold *t, const char *name, int64_t at);
/* The file, as names_file_write() and names_file_read() write and read. */
TRACE_API bool told_write (const char *film, GHashTable *all, GError **error);
TRACE_API GHashTable *told_read (const char *film, char **problem);
/* What names_read_groups() has read of a task; NULL: nothing. */
TRACE_API const TaskTold *names_told (const Names *n, const TraceSource *s, uint32_t task);
