/* SPDX-License-Identifier: Apache-2.0 */
/* groups-private.h - what the files that make groups share. */
#pragma once
#include "views/groups.h"

void groups_recut (Groups *g); /* the parts anew, after some were opened or closed */

/* ---- tasks under tasks, and under coordinates (groups-kin.c) ------------------------------------------------------------- */

/* Each task is under another one, which has a group of its own, or under none. */
typedef struct Kin Kin;
typedef enum { KIN_INSIDE, KIN_SPAWN } KinBy;
Kin *kin_new (const GroupsFrom *from, uint32_t n_tasks, KinBy by);
void kin_free (Kin *k); /* NULL: nothing */
/* What the group is called that a task is in, so many groups deep; NULL: it is in none there.  Good until the end. */
const char *kin_name (Kin *k, uint32_t task, uint32_t depth);
bool kin_is_empty (const Kin *k);      /* no task is under another one */
uint32_t kin_too_deep (const Kin *k);  /* tasks that are under more than GROUPS_DEEPEST others */
uint32_t kin_in_circle (const Kin *k); /* tasks of which the trace tells that they are under themselves */

/* Places of tasks in a topology. */
typedef struct Coordinates Coordinates;
/* NULL and a sentence: nothing tells of any. */
Coordinates *coordinates_new (const GroupsFrom *from, uint32_t n_tasks, GError **error);
void coordinates_free (Coordinates *c); /* NULL: nothing */
/* As kin_name(), good until the next call. */
const char *coordinates_name (Coordinates *c, uint32_t task, uint32_t depth);
