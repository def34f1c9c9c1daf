/* SPDX-License-Identifier: Apache-2.0 */
/* call-tree.h - what the Call Tree counts, and what it gives of it.  Engine thread only. */
#pragma once
#include "statistics/graph.h"
#include "statistics/paths.h"
#include "statistics/types.h"

#define NOTHING UINT32_MAX /* in the place of a state: it is inside of nothing there */
#define OTHERS (UINT32_MAX - 1)
#define NONE STATS_NO_PATH

/* What is counted of a way to a call (statistics/paths.h).  The groups come first in a tree of their own: they are the
 * paths without a parent, and their label is the group's number. */
typedef struct Counts {
  int64_t spent; /* ticks in it and nothing inside of it */
  int64_t visits;
} Counts;

typedef struct Level {
  uint32_t state, path;
  bool due; /* the visit counts once there is time in it */
} Level;

typedef struct Stack {
  Level *levels;
  uint32_t n, room;
  uint32_t root; /* path of its group; NONE: not met yet */
  bool left_out;
  int64_t since; /* what is innermost lasts since then */
  uint32_t by;   /* the task that tells of this one once more, and counts while it is inside of something; or NONE */
  uint32_t over; /* whom it is that for */
  bool covered;  /* that one is */
} Stack;

typedef struct CallTree {
  EveBase base;
  int32_t by; /* settings */
  char *tasks, *from_text, *to_text;
  int64_t most;
  int64_t from, to; /* ticks; INT64_MIN, INT64_MAX: not set */
  GHashTable *told; /* names in `tasks` that are none */
  uint64_t wires;   /* when the model was looked up */
  const StateGraph *graph;
  int attribute;        /* State of the tasks, or -1 */
  GByteArray *senses;   /* by state: 1 + its sense, 0: not looked up */
  StatsPaths paths;     /* of states */
  GArray *counts;       /* of Counts, by path */
  uint32_t n_calls;     /* paths that are no groups and not "others" */
  GPtrArray *groups;    /* of char *, their names */
  GHashTable *group_of; /* by name: path + 1 */
  Stack *stacks;        /* by task */
  uint32_t n_stacks, n_seen;
  uint64_t beyond; /* calls that went into "others" */
  int64_t date;
  uint16_t source; /* 0: nothing has come */
  uint16_t paired; /* the one of which it is known who tells of whom once more */
  bool told_outside, told_tasks;
} CallTree;

static inline const StatsPath *
path_at (const CallTree *self, uint32_t i)
{
  return &self->paths.at[i];
}

static inline Counts *
counts_of (const CallTree *self, uint32_t path)
{
  return &g_array_index (self->counts, Counts, path);
}

static inline uint32_t
path_of (const Stack *t)
{
  return t->n > 0 ? t->levels[t->n - 1].path : t->root;
}

static inline int64_t
within (const CallTree *self, int64_t date)
{
  return MIN (MAX (date, self->from), self->to);
}

/* What the innermost call of a task has lasted since it was told last. */
static inline int64_t
open_time (const CallTree *self, const Stack *t, int64_t date)
{
  int64_t a = within (self, t->since), b = within (self, date);

  return b > a && !t->covered ? (int64_t) ((uint64_t) b - (uint64_t) a) : 0;
}

/* Emits the tables that somebody takes, of an instant. */
void call_tree_give (CallTree *self, int64_t date);
