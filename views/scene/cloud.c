/* SPDX-License-Identifier: Apache-2.0 */
/* cloud.c - three numbers of an owner as a point in space (scatter), with a line down to the ground. */
#include <math.h>
#include <string.h>
#include "views/paint.h"
#include "views/scene/scene.h"
#include "eve/words.h"

#define SIDE 4.0
#define LINES_MOST 400
#define NAMES_MOST 64

/* Of all that has been so far, so that it stays while one moves about in time near by. */
static void
scale_of (const ChartValues *v, ChartScale *s)
{
  double lo = 0, hi = 0;

  for (guint i = 0; i < v->values->len; i++) {
    const ChartValue *value = &g_array_index (v->values, ChartValue, i);
    lo = fmin (lo, value->min); /* NaN is less than nothing */
    hi = fmax (hi, value->max);
  }
  if (g_strcmp0 (chart_values_unit (v), "%") == 0 && lo >= 0 && hi <= 100 && hi > 25)
    hi = 100;
  chart_scale (s, lo, hi, chart_values_unit (v), 5);
}

/* The numbers of the i-th owner; false: one of them has not come, or is none, or there are *several attributes that it
 * may be of.  `several` may be NULL. */
static bool
cloud_numbers_of (const SceneView *v, guint i, double to[3], bool *several)
{
  const ChartValue *x = &g_array_index (v->of[0].values, ChartValue, i);

  to[0] = stats_datum_number (&x->last);
  for (int k = 1; k < 3; k++) {
    bool many;
    const ChartValue *other = chart_values_find (&v->of[k], &x->last, &many);
    if (several != NULL)
      *several = (k > 1 && *several) || many;
    to[k] = other != NULL ? stats_datum_number (&other->last)
            : v->of[k].values->len == 0 && !eve_in_connected (v->held.base.in[SCENE_IN_X + k]) ? 0
                                                                                               : NAN;
  }
  return isfinite (to[0]) && isfinite (to[1]) && isfinite (to[2]);
}

/* The state of each task now, by its number, + 1; NULL: nobody knows. */
static uint32_t *
cloud_states_of (SceneView *v, const ViewScene *scene, uint32_t *n_tasks)
{
  const StateGraph *g = scene->graph;
  int state_at = g != NULL ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  uint32_t *of, state;

  if (state_at < 0 || scene->source == NULL)
    return NULL;
  scene_open_names (v, scene, g->n_nodes);
  *n_tasks = names_count (v->names, scene->source);
  of = g_new0 (uint32_t, *n_tasks + 1);
  g_autofree uint32_t *task_of = names_tasks_of_nodes (v->names, scene->source, g);
  for (uint32_t node = 0; node < g->n_nodes; node++)
    if (task_of[node] < *n_tasks && state_present (g, STATE_NODE, node) && state_value_of (g, state_at, node, &state))
      of[task_of[node]] = state + 1;
  return of;
}

static void
cloud_add_box (SceneView *v, const ViewScene *scene, const ChartScale *scale, SceneModel *m)
{
  const double h = SIDE / 2, low[] = { -h, -h }, high[] = { h, h };

  scene_floor (scene, m, low, high, -h - 0.01);
  scene_scale (scene, m, &scale[0], (const double[]){ -h, -h, -h }, (const double[]){ h, -h, -h },
               (const double[]){ 0, -0.35, 0 }, in_words (v->axis_title[0]));
  scene_scale (scene, m, &scale[1], (const double[]){ h, -h, -h }, (const double[]){ h, h, -h },
               (const double[]){ 0.35, 0, 0 }, in_words (v->axis_title[1]));
  scene_scale (scene, m, &scale[2], (const double[]){ -h, h, -h }, (const double[]){ -h, h, h },
               (const double[]){ -0.35, 0, 0 }, in_words (v->axis_title[2]));
}

/* An x may be of one of several attributes of its owner. */
static void
cloud_put_name (const SceneView *v, const ViewScene *scene, guint i, GString *to)
{
  stats_owner_name_among (&g_array_index (v->of[0].values, ChartValue, i).last, scene->graph,
                          v->of[0].n_attributes > 1 ? STATS_OF_ATTRIBUTES : 0, to);
}

static bool
cloud_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  ChartScale scale[3];
  uint32_t n_tasks = 0, n = 0, n_several = 0, all = v->of[0].values->len;
  g_autofree uint32_t *state = cloud_states_of (v, scene, &n_tasks),
                      *in_state = g_new0 (uint32_t, HISTORY_STATES_MOST + 1);

  if (!eve_in_connected (v->held.base.in[SCENE_IN_X])) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_DATA,
        _ ("nothing is wired to x, y and z, the numbers of which points are made: Activity and Statistics by owner "
           "give such numbers"));
    return false;
  }
  for (int k = 0; k < 3; k++)
    scale_of (&v->of[k], &scale[k]);
  double r = SIDE * (all <= 16 ? 0.03 : all <= 256 ? 0.02 : all <= 4000 ? 0.012 : 0.006), numbers[3];
  for (guint i = 0; i < all; i++) {
    const StatsDatum *of = &g_array_index (v->of[0].values, ChartValue, i).last;
    SceneThing t = { .tag = chart_tag (scene, of, i), .radius = r, .value = NAN };
    uint32_t rgb = chart_colour (scene, NULL, 0, 1), now = 0;
    bool several, known = cloud_numbers_of (v, i, numbers, &several);
    n_several += several;
    if (!known)
      continue;
    for (int k = 0; k < 3; k++)
      t.at[k] = SIDE * ((numbers[k] - scale[k].lo) / (scale[k].hi - scale[k].lo) - 0.5);
    t.tag.part = SCENE_PART_POINT;
    t.chosen = view_tag_stands_out (scene, &t.tag);
    if (state != NULL && of->owner_kind == STATS_OF_TASK && of->source == scene->source->number && of->owner < n_tasks)
      now = state[of->owner];
    if (now > 0) {
      rgb = paint_state (scene, STATE_NODE, now - 1);
      t.tag.attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE));
      t.tag.value = g_intern_string (paint_state_name (scene->graph, STATE_NODE, now - 1));
      t.chosen = t.chosen || view_selects (scene, trace_ref_value (t.tag.attribute, t.tag.value));
      in_state[MIN (now - 1, HISTORY_STATES_MOST)]++;
    }
    if (!scene_shape (m, SCENE_SPHERE, t.at, (const double[]){ r, r, r }, rgb, 1, scene_thing (m, &t)))
      continue;
    n++;
    if (all <= LINES_MOST)
      scene_rod (m, (const double[]){ t.at[0], t.at[1], -SIDE / 2 }, t.at, r * 0.08, scene_faint (scene), 0);
    if (n <= NAMES_MOST) {
      g_autoptr (GString) name = g_string_new (NULL);
      cloud_put_name (v, scene, i, name);
      scene_label (m, t.at, r, g_strdup (name->str), false);
    }
  }
  scene_legend (v, m, in_state);
  cloud_add_box (v, scene, scale, m);
  if (n == 0)
    m->empty = g_strdup (all == 0 ? _ ("No x has come yet") : _ ("No owner has an x, a y and a z"));
  m->note = n < all ? g_strdup_printf (_ ("%u points; %u of %u have no y or no z"), n, all - n, all)
                    : g_strdup_printf (P_ ("%u point", "%u points", n), n);
  if (n_several > 0) {
    g_autofree char *rest = m->note;
    m->note = g_strdup_printf (_ ("%s, %u as y or z is of several attributes"), rest, n_several);
  }
  if (paint_alone (scene) != NULL) {
    g_autofree char *rest = m->note;
    m->note = g_strdup_printf ("%s; %s", rest, paint_alone (scene));
  }
  return true;
}

static void
cloud_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  double numbers[3];

  if (t->tag.index >= v->of[0].values->len || !cloud_numbers_of (v, t->tag.index, numbers, NULL))
    return;
  cloud_put_name (v, scene, t->tag.index, name);
  for (int k = 0; k < 3; k++) {
    g_autofree char *number = chart_number (numbers[k], chart_values_unit (&v->of[k]));
    const char *title = *v->axis_title[k] != '\0' ? in_words (v->axis_title[k]) : k == 0 ? "x" : k == 1 ? "y" : "z";
    g_string_append_printf (name, "%s %s %s", k == 0 ? ":" : ",", title, number);
  }
}

const SceneBuilder scene_cloud = { .name = "scatter",
                                   .spans = VIEW_OF_INSTANT,
                                   .depends = VIEW_ON_INSTANT | VIEW_ON_SELECTED,
                                   .build = cloud_build,
                                   .say = cloud_say };
