/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - the closed groups of a state graph in space: which tasks are one, where it stands, and how many of them are
 * in each state.  A group stands where that one of its tasks does that is nearest to the middle of all of them, so that
 * no two stand at one place, and nobody moves while groups open. */
#pragma once
#include "views/scene/scene.h"

typedef struct ScenePartState {
  uint32_t state, n;
} ScenePartState;

/* Of a group that has tasks that are there now. */
typedef struct SceneGroup {
  uint32_t part, row; /* of the scene's groups; and the row of the graph that it stands at */
  uint32_t n;         /* tasks that are there */
  double at[3], radius;
  GArray *states; /* of ScenePartState, by state */
} SceneGroup;

typedef struct SceneGroups {
  GArray *all;      /* of SceneGroup */
  uint32_t *of_row; /* by row: its group, + 1; 0: it is alone */
} SceneGroups;

/* `task` and `at` of `n` rows, `node_of` the node of each + 1 (0: not there now); false: no group is closed. */
bool scene_groups_find (SceneGroups *g, const ViewScene *scene, uint32_t n, const uint32_t *task,
                        const uint32_t *node_of, const double (*at)[3]);
void scene_groups_clear (SceneGroups *g);
static inline const SceneGroup *
scene_group_of (const SceneGroups *g, uint32_t row)
{
  return g->of_row != NULL && g->of_row[row] > 0 ? &g_array_index (g->all, SceneGroup, g->of_row[row] - 1) : NULL;
}
/* Whether a row is drawn: it is alone, or its group stands there. */
static inline bool
scene_group_stands (const SceneGroups *g, uint32_t row)
{
  const SceneGroup *of = scene_group_of (g, row);

  return of == NULL || of->row == row;
}
/* Adds the states of tasks as slices of a drum, each as high as the share of its tasks, none so low that it is not
 * seen; a colour that rules give the group is that of its lid. */
void scene_groups_draw (const SceneGroup *of, const ViewScene *scene, const Look *look, SceneModel *m, uint32_t id,
                        uint32_t *in_state);
/* "node2 (4), 3 Busy, 1 Idle, 8.1 kB between them so far", appended, of a part that is a closed group. */
void scene_groups_say (const SceneView *v, const ViewScene *scene, uint32_t part, GString *name);
