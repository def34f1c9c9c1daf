/* SPDX-License-Identifier: Apache-2.0 */
#include "views/scene/parts.h"
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "views/chart-rows.h"

#define ALONE 0.3    /* the radius of a task, whose neighbours are 1 apart */
#define NEAREST 0.42 /* of the way to who stands nearest: a radius */
#define LARGEST 12.0
#define LOOKED_AT 4096 /* with more of them nobody looks for who stands nearest */
#define LEAST 0.07     /* of a drum: a slice */
#define LID 0.16       /* of the radius of a drum: as high is what has its own colour, */
#define LID_WIDE 0.62  /* and as wide */

static void
scene_parts_clear_group (void *group)
{
  g_array_unref (((SceneGroup *) group)->states);
}

static void
scene_parts_count (GArray *states, uint32_t state)
{
  for (guint i = 0; i < states->len; i++) {
    ScenePartState *one = &g_array_index (states, ScenePartState, i);
    if (one->state == state) {
      one->n++;
      return;
    }
  }
  const ScenePartState new = { state, 1 };
  g_array_append_val (states, new);
}

static int
scene_parts_by_state (gconstpointer a, gconstpointer b)
{
  const ScenePartState *x = a, *y = b;

  return (x->state > y->state) - (x->state < y->state);
}

/* Which rows are of which group, how many are there, in which states, and their middle. */
static void
scene_parts_gather (SceneGroups *g, const ViewScene *scene, uint32_t n, const uint32_t *task, const uint32_t *node_of,
                    const double (*at)[3])
{
  const Groups *groups = scene->groups;
  g_autofree uint32_t *of_part = g_new0 (uint32_t, groups->n_parts + 1); /* + 1 */
  int state_at = state_with_role (scene->graph->model, STATE_NODE, STATE_ROLE_STATE);

  for (uint32_t row = 0; row < n; row++) {
    uint32_t part = task[row] < groups->n_tasks ? groups->part_of[task[row]] : TRACE_NONE, state;
    if (part == TRACE_NONE || groups->parts[part].group == TRACE_NONE)
      continue;
    if (of_part[part] == 0) {
      SceneGroup new = { .part = part,
                         .row = TRACE_NONE,
                         .states = g_array_new (FALSE, FALSE, sizeof (ScenePartState)) };
      g_array_append_val (g->all, new);
      of_part[part] = g->all->len;
    }
    g->of_row[row] = of_part[part];
    SceneGroup *of = &g_array_index (g->all, SceneGroup, of_part[part] - 1);
    if (node_of[row] == 0 || !state_value_of (scene->graph, state_at, node_of[row] - 1, &state)
        || !isfinite (at[row][0] + at[row][1] + at[row][2]))
      continue;
    of->n++;
    for (int k = 0; k < 3; k++)
      of->at[k] += (at[row][k] - of->at[k]) / of->n;
    scene_parts_count (of->states, state);
  }
}

static double
scene_parts_apart (const double a[3], const double b[3])
{
  return sqrt ((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* As many tasks as it has: groups of as many are as large as each other, all of them so large that each has room beside
 * who stands nearest. */
static void
scene_parts_size (SceneGroups *g, uint32_t n, const uint32_t *node_of, const double (*at)[3])
{
  g_autoptr (GArray) shown = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  double unit = INFINITY;

  for (uint32_t row = 0; row < n; row++)
    if (scene_group_of (g, row) != NULL ? scene_group_stands (g, row) : node_of[row] > 0)
      g_array_append_val (shown, row);
  for (guint i = 0; i < g->all->len; i++) {
    SceneGroup *of = &g_array_index (g->all, SceneGroup, i);
    double nearest = INFINITY;
    for (guint k = 0; of->n > 0 && shown->len <= LOOKED_AT && k < shown->len; k++) {
      uint32_t row = g_array_index (shown, uint32_t, k);
      if (row != of->row)
        nearest = fmin (nearest, scene_parts_apart (of->at, at[row]));
    }
    of->radius = 1 + 0.5 * log2 (MAX (of->n, 1));
    unit = of->n > 0 ? fmin (unit, nearest * NEAREST / of->radius) : unit;
  }
  unit = shown->len > LOOKED_AT ? 0 : isfinite (unit) ? unit : ALONE;
  for (guint i = 0; i < g->all->len; i++) {
    SceneGroup *of = &g_array_index (g->all, SceneGroup, i);
    of->radius = CLAMP (of->radius * unit, ALONE * 1.2, LARGEST);
  }
}

bool
scene_groups_find (SceneGroups *g, const ViewScene *scene, uint32_t n, const uint32_t *task, const uint32_t *node_of,
                   const double (*at)[3])
{
  const Groups *groups = scene->groups;

  *g = (SceneGroups){ NULL };
  if (groups == NULL || groups->n_parts >= groups->n_tasks)
    return false;
  g->all = g_array_new (FALSE, FALSE, sizeof (SceneGroup));
  g_array_set_clear_func (g->all, scene_parts_clear_group);
  g->of_row = g_new0 (uint32_t, n + 1);
  scene_parts_gather (g, scene, n, task, node_of, at);
  g_autofree double *best = g_new (double, g->all->len + 1);
  for (guint i = 0; i < g->all->len; i++) {
    g_array_sort (g_array_index (g->all, SceneGroup, i).states, scene_parts_by_state);
    best[i] = INFINITY;
  }
  for (uint32_t row = 0; row < n; row++) {
    SceneGroup *of = g->of_row[row] > 0 ? &g_array_index (g->all, SceneGroup, g->of_row[row] - 1) : NULL;
    if (of == NULL || of->n == 0 || node_of[row] == 0)
      continue;
    double far = scene_parts_apart (of->at, at[row]); /* NaN where a place is not known: never nearer */
    if (far < best[g->of_row[row] - 1]) {
      best[g->of_row[row] - 1] = far;
      of->row = row;
    }
  }
  for (guint i = 0; i < g->all->len; i++) {
    SceneGroup *of = &g_array_index (g->all, SceneGroup, i);
    if (of->row != TRACE_NONE)
      memcpy (of->at, at[of->row], sizeof of->at);
  }
  scene_parts_size (g, n, node_of, at);
  return g->all->len > 0;
}

void
scene_groups_clear (SceneGroups *g)
{
  g_free (g->of_row);
  if (g->all != NULL)
    g_array_unref (g->all);
  *g = (SceneGroups){ NULL };
}

void
scene_groups_draw (const SceneGroup *of, const ViewScene *scene, const Look *look, SceneModel *m, uint32_t id,
                   uint32_t *in_state)
{
  double high = 1.6 * of->radius, all = 0, z = of->at[2] - high / 2;

  for (guint i = 0; i < of->states->len; i++)
    all += fmax ((double) g_array_index (of->states, ScenePartState, i).n / of->n, LEAST);
  for (guint i = 0; i < of->states->len; i++) {
    const ScenePartState *one = &g_array_index (of->states, ScenePartState, i);
    double slice = high * fmax ((double) one->n / of->n, LEAST) / all;
    const double from[3] = { of->at[0], of->at[1], z }, to[3] = { of->at[0], of->at[1], z + slice };
    in_state[MIN (one->state, HISTORY_STATES_MOST)] += one->n;
    uint32_t rgb = paint_state (scene, STATE_NODE, one->state);
    scene_arrow (m, SCENE_ROD, from, to, of->radius, scene_looks_solid (scene, look, rgb), id);
    z += slice;
  }
  if (LOOK_HAS (look, LOOK_COLOUR)) {
    const double from[3] = { of->at[0], of->at[1], z }, to[3] = { of->at[0], of->at[1], z + LID * of->radius };
    scene_arrow (m, SCENE_ROD, from, to, LID_WIDE * of->radius, scene_looks_solid (scene, look, look->rgb), id);
  }
}

/* What went between its tasks so far; NaN: nothing passes links here. */
static double
scene_parts_inside (const ViewScene *scene, const uint32_t *task_of, uint32_t part)
{
  const StateGraph *graph = scene->graph;
  const Groups *g = scene->groups;
  int total_at = state_with_role (graph->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  double sum = 0;
  uint32_t from, to;

  for (uint32_t i = 0; total_at >= 0 && i < graph->n_edges; i++) {
    if (!state_present (graph, STATE_EDGE, i))
      continue;
    graph->edge_ends (graph, i, &from, &to);
    if (from == to || task_of[from] >= g->n_tasks || task_of[to] >= g->n_tasks || g->part_of[task_of[from]] != part
        || g->part_of[task_of[to]] != part)
      continue;
    double bytes = state_number (graph, (uint32_t) total_at, i, MAX (scene->at, graph->clock));
    sum += bytes > 0 ? bytes : 0;
  }
  return total_at >= 0 ? sum : NAN;
}

void
scene_groups_say (const SceneView *v, const ViewScene *scene, uint32_t part, GString *name)
{
  const StateGraph *graph = scene->graph;
  const Groups *g = scene->groups;
  g_autofree uint32_t *task_of = names_tasks_of_nodes (v->names, scene->source, graph);
  g_autoptr (GArray) states = g_array_new (FALSE, FALSE, sizeof (ScenePartState));
  g_autofree char *own = groups_part_name (g, part);
  int state_at = state_with_role (graph->model, STATE_NODE, STATE_ROLE_STATE);
  uint32_t state;

  g_string_append (name, own);
  for (uint32_t node = 0; node < graph->n_nodes; node++)
    if (task_of[node] < g->n_tasks && g->part_of[task_of[node]] == part && state_present (graph, STATE_NODE, node)
        && state_value_of (graph, state_at, node, &state))
      scene_parts_count (states, state);
  g_array_sort (states, scene_parts_by_state);
  for (guint i = 0; i < states->len; i++) {
    const ScenePartState *one = &g_array_index (states, ScenePartState, i);
    g_string_append_printf (name, ", %u %s", one->n, paint_state_word (graph, STATE_NODE, one->state));
  }
  double inside = scene_parts_inside (scene, task_of, part);
  if (inside > 0) {
    g_autofree char *bytes = paint_bytes (inside);
    g_string_append_printf (name, _ (", %s between them so far"), bytes);
  }
}
