/* SPDX-License-Identifier: Apache-2.0 */
/* cloud.c - three numbers of an owner as a point in space (scatter), with a line down to the ground. */
#include <math.h>
#include <string.h>
#include "views/chart-rows.h"
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

/* The points of all x that have a y and a z, those of closed groups put together. */
typedef struct Cloud {
  ChartSpot *spots; /* by x; x NaN: there is none, or it is in that of a group */
  double *z;
  GArray *swarms; /* of ChartSwarm, z as its amount; NULL: no group is closed */
  uint32_t n_known, n_several;
} Cloud;

static double
cloud_z_of (const void *z, guint i)
{
  return ((const double *) z)[i];
}

static void
cloud_find (const SceneView *v, const ViewScene *scene, Cloud *c)
{
  uint32_t all = v->of[0].values->len;

  *c = (Cloud){ .spots = g_new (ChartSpot, all + 1), .z = g_new (double, all + 1) };
  for (guint i = 0; i < all; i++) {
    double numbers[3];
    bool several, known = cloud_numbers_of (v, i, numbers, &several);
    c->n_several += several;
    c->n_known += known;
    c->spots[i] = (ChartSpot){ 0, known ? numbers[0] : NAN, numbers[1] };
    c->z[i] = numbers[2];
  }
  c->swarms = chart_swarms_new (&v->of[0], scene, c->spots, cloud_z_of, c->z);
}

static void
cloud_clear (Cloud *c)
{
  g_free (c->spots);
  g_free (c->z);
  if (c->swarms != NULL)
    g_array_unref (c->swarms);
}

/* The state that one is in now, or all tasks of a group, + 1; 0: nobody knows, or they are in several. */
static uint32_t
cloud_state_of (const ViewScene *scene, const uint32_t *state, uint32_t n_tasks, const StatsDatum *of,
                const ChartSwarm *swarm)
{
  if (state == NULL || of->owner_kind != STATS_OF_TASK || of->source != scene->source->number || of->owner >= n_tasks)
    return 0;
  if (swarm == NULL)
    return state[of->owner];
  const GroupPart *part = &scene->groups->parts[swarm->part];
  uint32_t first = state[of->owner];
  for (uint32_t k = 0; k < part->n; k++) {
    uint32_t task = scene->groups->order[part->first + k];
    if (task < n_tasks && state[task] != first)
      return 0;
  }
  return first;
}

static double
cloud_place (const ChartScale *s, double x)
{
  return SIDE * ((x - s->lo) / (s->hi - s->lo) - 0.5);
}

/* From the least to the most of its tasks, along each axis. */
static void
cloud_add_extremes (SceneModel *m, const ChartScale *scale, const ChartSwarm *s, const double at[3], double r,
                    uint32_t rgb, uint32_t id)
{
  const double least[] = { s->x_least, s->y_least, s->amount_least }, most[] = { s->x_most, s->y_most, s->amount_most };

  for (int k = 0; k < 3; k++) {
    double a[3] = { at[0], at[1], at[2] }, b[3] = { at[0], at[1], at[2] };
    a[k] = cloud_place (&scale[k], least[k]);
    b[k] = cloud_place (&scale[k], most[k]);
    if (a[k] < b[k])
      scene_rod (m, a, b, r * 0.14, rgb, id);
  }
}

static bool
cloud_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  ChartScale scale[3];
  uint32_t n_tasks = 0, n = 0, all = v->of[0].values->len;
  g_autofree uint32_t *state = cloud_states_of (v, scene, &n_tasks),
                      *in_state = g_new0 (uint32_t, HISTORY_STATES_MOST + 1);
  Cloud cloud;

  if (!eve_in_connected (v->held.base.in[SCENE_IN_X])) {
    g_set_error (
        error, TRACE_ERROR, TRACE_ERROR_DATA,
        _ ("nothing is wired to x, y and z, the numbers of which points are made: Activity and Statistics by owner "
           "give such numbers"));
    return false;
  }
  for (int k = 0; k < 3; k++)
    scale_of (&v->of[k], &scale[k]);
  cloud_find (v, scene, &cloud);
  uint32_t shown = cloud.n_known;
  for (guint k = 0; cloud.swarms != NULL && k < cloud.swarms->len; k++)
    shown -= g_array_index (cloud.swarms, ChartSwarm, k).n - 1;
  double r = SIDE * (shown <= 16 ? 0.03 : shown <= 256 ? 0.02 : shown <= 4000 ? 0.012 : 0.006);
  for (guint i = 0; i < all; i++) {
    const StatsDatum *of = &g_array_index (v->of[0].values, ChartValue, i).last;
    const ChartSwarm *swarm = chart_swarm_of (cloud.swarms, i);
    SceneThing t = { .tag = chart_tag (scene, of, i), .radius = r, .value = NAN };
    const double numbers[] = { cloud.spots[i].x, cloud.spots[i].y, swarm != NULL ? swarm->amount : cloud.z[i] };
    uint32_t rgb = chart_colour (scene, NULL, 0, 1);
    if (isnan (numbers[0]))
      continue;
    for (int k = 0; k < 3; k++)
      t.at[k] = cloud_place (&scale[k], numbers[k]);
    if (swarm != NULL)
      t.tag = (DrawingTag){ DRAWING_NO_DATES, .index = i };
    t.tag.part = SCENE_PART_POINT;
    t.chosen = chart_swarm_stands_out (scene, swarm, &t.tag);
    uint32_t now = cloud_state_of (scene, state, n_tasks, of, swarm);
    if (now > 0) {
      rgb = paint_state (scene, STATE_NODE, now - 1);
      t.tag.attribute = g_intern_string (paint_state_attribute (scene->graph, STATE_NODE));
      t.tag.value = g_intern_string (paint_state_name (scene->graph, STATE_NODE, now - 1));
      t.chosen = t.chosen || view_selects (scene, trace_ref_value (t.tag.attribute, t.tag.value));
      in_state[MIN (now - 1, HISTORY_STATES_MOST)]++;
    }
    uint32_t id = scene_thing (m, &t);
    if (!scene_shape (m, SCENE_SPHERE, t.at, (const double[]){ r, r, r }, rgb, 1, id))
      continue;
    n++;
    if (swarm != NULL)
      cloud_add_extremes (m, scale, swarm, t.at, r, rgb, id);
    if (shown <= LINES_MOST)
      scene_rod (m, (const double[]){ t.at[0], t.at[1], -SIDE / 2 }, t.at, r * 0.08, scene_faint (scene), 0);
    if (n <= NAMES_MOST) {
      g_autoptr (GString) name = g_string_new (NULL);
      chart_swarm_name (&v->of[0], scene, i, swarm, name);
      scene_label (m, t.at, r, g_strdup (name->str), false);
    }
  }
  scene_legend (v, m, in_state);
  cloud_add_box (v, scene, scale, m);
  if (n == 0)
    m->empty = g_strdup (all == 0 ? _ ("No x has come yet") : _ ("No owner has an x, a y and a z"));
  m->note = cloud.n_known < all
                ? g_strdup_printf (_ ("%u points; %u of %u have no y or no z"), n, all - cloud.n_known, all)
                : g_strdup_printf (P_ ("%u point", "%u points", n), n);
  if (cloud.n_several > 0) {
    g_autofree char *rest = m->note;
    m->note = g_strdup_printf (_ ("%s, %u as y or z is of several attributes"), rest, cloud.n_several);
  }
  if (cloud.swarms != NULL) {
    g_autofree char *rest = m->note;
    m->note = paint_joined (rest, _ ("groups: means, and from least to most of their tasks"));
  }
  cloud_clear (&cloud);
  return true;
}

static void
cloud_put_axis (const SceneView *v, int k, GString *name)
{
  const char *title = *v->axis_title[k] != '\0' ? in_words (v->axis_title[k]) : k == 0 ? "x" : k == 1 ? "y" : "z";

  g_string_append_printf (name, "%s %s ", k == 0 ? ":" : ",", title);
}

/* "node2 (4): x 34.2 %, 12.0 % to 71.5 %, y ..." */
static void
cloud_say_group (const SceneView *v, const ViewScene *scene, guint i, GString *name)
{
  Cloud cloud;

  cloud_find (v, scene, &cloud);
  const ChartSwarm *s = chart_swarm_of (cloud.swarms, i);
  if (s != NULL) {
    const double mean[] = { s->x, s->y, s->amount }, least[] = { s->x_least, s->y_least, s->amount_least },
                 most[] = { s->x_most, s->y_most, s->amount_most };
    chart_swarm_name (&v->of[0], scene, i, s, name);
    for (int k = 0; k < 3; k++) {
      const char *unit = chart_values_unit (&v->of[k]);
      g_autofree char *is = chart_number (mean[k], unit), *low = chart_number (least[k], unit),
                      *high = chart_number (most[k], unit);
      cloud_put_axis (v, k, name);
      g_string_append_printf (name, _ ("%s, %s to %s"), is, low, high);
    }
  }
  cloud_clear (&cloud);
}

/* The closed group that a point is of; TRACE_NONE: it is of none. */
static uint32_t
cloud_part_of (const SceneView *v, const ViewScene *scene, const SceneThing *t)
{
  return t->tag.index < v->of[0].values->len
             ? chart_part_of (scene, &g_array_index (v->of[0].values, ChartValue, t->tag.index).last)
             : TRACE_NONE;
}

static void
cloud_owners (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to)
{
  chart_add_part (scene, cloud_part_of (v, scene, t), to);
}

static void
cloud_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  double numbers[3];

  if (cloud_part_of (v, scene, t) != TRACE_NONE) {
    cloud_say_group (v, scene, t->tag.index, name);
    return;
  }
  if (t->tag.index >= v->of[0].values->len || !cloud_numbers_of (v, t->tag.index, numbers, NULL))
    return;
  chart_swarm_name (&v->of[0], scene, t->tag.index, NULL, name);
  for (int k = 0; k < 3; k++) {
    g_autofree char *number = chart_number (numbers[k], chart_values_unit (&v->of[k]));
    cloud_put_axis (v, k, name);
    g_string_append (name, number);
  }
}

const SceneBuilder scene_cloud = { .name = "scatter",
                                   .spans = VIEW_OF_INSTANT,
                                   .depends = VIEW_ON_INSTANT | VIEW_ON_SELECTED,
                                   .build = cloud_build,
                                   .say = cloud_say,
                                   .owners = cloud_owners };
