/* SPDX-License-Identifier: Apache-2.0 */
/* groups.h - tasks in groups, these in larger ones, and which of them are open: what all views show as one, they show
 * by the same cut through the same tree (docs/groups.md).
 *
 * A hierarchy says which groups there are.  The cut is the set of those that are open; what is not inside of a closed
 * group is a part of its own.  A cut is kept as text, the hierarchy in its first line:
 *
 *     by host
 *     open node12
 *     open rack3 / node7
 *
 * or, instead of naming what is open, `parts 40`: as many as so many parts allow, opened where least is lost by it.
 * Hierarchies by what an execution tells in its course (`group`, `spawn`, `topology`) need names that have read it,
 * names_read_groups().  Engine thread only. */
#pragma once
#include "readers/ref.h"
#include "views/history.h"

#define GROUPS_DEEPEST 16 /* groups inside of each other */

typedef struct Group {
  char *name;         /* "node12" */
  uint32_t parent;    /* that it is inside of, always a lower number; TRACE_NONE: of none */
  uint32_t end;       /* behind the last group that is inside of it; the first of them has the number after its own */
  uint32_t first, n;  /* its tasks, also those of groups inside of it: in Groups.order */
  uint32_t n_members; /* what it is made of: groups, and tasks that are in none of them */
  bool open;
} Group;

/* What is shown as one; a group of one task is shown as that. */
typedef struct GroupPart {
  uint32_t group;    /* a closed one; TRACE_NONE: a task */
  uint32_t first, n; /* its tasks, in Groups.order */
  uint32_t inside;   /* the open group that it is a member of; TRACE_NONE: none */
} GroupPart;

typedef struct Groups {
  char *hierarchy;
  Group *all;
  uint32_t n, n_tasks;
  uint32_t *order; /* tasks, those of one group beside each other */
  GroupPart *parts;
  uint32_t n_parts, *part_of; /* part_of: by task */
  uint64_t serial;            /* another one for each cut of any groups */
  uint32_t left_out;          /* patterns with wildcards of groups by hand that are too many for so many tasks; */
  uint32_t too_long;          /* those that are longer than any name */
  uint32_t too_deep;  /* tasks that are under more than GROUPS_DEEPEST others: in the last group that there is */
  uint32_t in_circle; /* tasks that are told to be under themselves: the first of each circle is under none */
} Groups;

/* Which tasks do much the same. */
typedef struct GroupsClusters {
  uint32_t n_tasks, n_seen; /* n_seen: of these so many were looked at */
  uint32_t *of;             /* by task; TRACE_NONE: it was not */
  GArray *likest;           /* of uint32_t: by cluster the task that is most like all of it */
} GroupsClusters;

/* What a hierarchy is made from. */
typedef struct GroupsFrom {
  const Names *names;
  const TraceSource *source;
  StatesReader *states; /* for what tasks did; NULL: nobody knows */
  /* Lines of "NAME = TASK, TASK, PATTERN", the first that names a task counts; NULL: none.  In a pattern * ? [ have the
   * meaning that they have in names of files; a backslash takes it, and that of a comma. */
  const char *by_hand;
  const GroupsClusters *clusters; /* of all of these tasks, found before; NULL: they are found when they are needed */
} GroupsFrom;

/* "host", "program", ...: names of hierarchies, and what each is, in the same order; NULL-terminated. */
extern TRACE_API const char *const groups_hierarchies[], *const groups_hierarchies_told[];

/* All closed.  NULL and a sentence: there is no such hierarchy, or nothing that it could be made from. */
TRACE_API Groups *groups_new (const GroupsFrom *from, const char *hierarchy, GError **error);
TRACE_API void groups_free (Groups *g); /* NULL: nothing */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Groups, groups_free)

/* The hierarchy that a cut names, g_free; NULL: it is no cut, or empty. */
TRACE_API char *groups_hierarchy_of (const char *cut);
/* Opens what a cut says and closes the rest; the names of groups that are not there are appended to `unknown`, with
 * commas between. */
TRACE_API void groups_cut (Groups *g, const GroupsFrom *from, const char *cut, GString *unknown);
/* The cut as it is now, as text that names what is open; g_free. */
TRACE_API char *groups_text (const Groups *g);
TRACE_API void groups_open (Groups *g, uint32_t group, bool open);
/* All groups that can be seen and are closed are opened, or the innermost ones closed that are open. */
TRACE_API void groups_open_evenly (Groups *g, bool open);
/* So many parts at most, those opened whose members differ most in what they did: a group that is opened replaces one
 * part by its members.  Without `states` the largest. */
TRACE_API void groups_open_best (Groups *g, const GroupsFrom *from, uint32_t most);

/* "rack3 / node7", appended; TRACE_NONE: nothing. */
TRACE_API void groups_path (const Groups *g, uint32_t group, GString *to);
#define GROUPS_ALONE_MOST 240 /* tasks that a state graph shows each by itself; more are groups without a cut too */
TRACE_API uint32_t groups_find (const Groups *g, const char *path); /* TRACE_NONE: none */
/* "node12 (32)", or, where some of its tasks are not shown, "node12 (3 of 32)"; g_free. */
TRACE_API char *groups_name_of (const char *name, uint32_t shown, uint32_t all);
/* "node12 (32)" of a part that is a group; NULL: it is a task; g_free. */
TRACE_API char *groups_part_name (const Groups *g, uint32_t part);
/* The smallest group that has all these tasks of a trace; TRACE_NONE: none has, or there is no task among them. *exact:
 * and no others. */
TRACE_API uint32_t groups_around (const Groups *g, const TraceRefs *refs, uint16_t source, bool *exact);

/* What tasks did, as numbers: for each the share of `phases` equal parts of the time in each of `stride` states or
 * sorts of them, `phases * stride` floats a task; g_free. */
TRACE_API float *groups_deeds (StatesReader *states, uint32_t n_tasks, int64_t from, int64_t to, uint32_t *phases,
                               uint32_t *stride);
/* For each group how far what its members did lies from their mean, squared and summed up: what is lost while it is
 * closed.  Without `states` how many tasks it has.  g_free. */
TRACE_API double *groups_losses (const Groups *g, const GroupsFrom *from);
/* Tasks that do much the same at the same time: a number for each, counted from 0 as they are met, and for each number
 * the task that is most like all of them (g_array_unref).  The same deeds give the same clusters. */
TRACE_API uint32_t *groups_cluster (const float *deeds, uint32_t n_tasks, uint32_t phases, uint32_t stride,
                                    GArray **likest);
/* The same of every `every`th task.  Any thread that has the reader to itself.  groups_clusters_free(). */
TRACE_API GroupsClusters *groups_clusters_new (StatesReader *states, uint32_t n_tasks, int64_t from, int64_t to,
                                               uint32_t every);
TRACE_API void groups_clusters_free (GroupsClusters *c); /* NULL: nothing */
