/* SPDX-License-Identifier: Apache-2.0 */
/* kiviat.c - a Kiviat diagram over time: a ray for each task, as far out as the share of a slice of time that the task
 * spends in states that count.  The outlines of all slices make a tube, which is cut at the cursor: what comes later is
 * seen through. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"
#include "eve/words.h"

#define RAYS_MOST 64
#define HIGH 2.6 /* the radius of 100 % is 1 */
#define AHEAD 0.12
#define NAMES_MOST 16

static double
kiviat_angle_of (const SceneShares *s, uint32_t ray)
{
  return G_PI / 2 - 2 * G_PI * ray / s->n_rows;
}

static double
kiviat_share_of (const SceneShares *s, uint32_t ray, uint32_t slice)
{
  float x = s->share[(gsize) ray * s->n_bins + slice];

  return isfinite (x) ? (double) x : 0;
}

static double
kiviat_height_of (const SceneShares *s, uint32_t slice)
{
  return HIGH * (slice + 0.5) / s->n_bins;
}

static void
kiviat_place (const SceneShares *s, uint32_t ray, uint32_t slice, double to[3])
{
  double a = kiviat_angle_of (s, ray % s->n_rows), r = kiviat_share_of (s, ray % s->n_rows, slice);

  to[0] = r * cos (a), to[1] = r * sin (a), to[2] = kiviat_height_of (s, slice);
}

/* Outward, as for a round tube: what is lit is the way around, not each facet. */
static void
quad (const SceneShares *s, const ViewScene *scene, SceneModel *m, uint32_t ray, uint32_t slice, double alpha,
      uint32_t id)
{
  double at[4][3], mean = 0;
  const double tri[2][3] = { { 0, 1, 2 }, { 0, 2, 3 } };

  kiviat_place (s, ray, slice, at[0]);
  kiviat_place (s, ray + 1, slice, at[1]);
  kiviat_place (s, ray + 1, slice + 1, at[2]);
  kiviat_place (s, ray, slice + 1, at[3]);
  mean = (kiviat_share_of (s, ray, slice) + kiviat_share_of (s, (ray + 1) % s->n_rows, slice)) / 2;
  for (int k = 0; k < 2; k++) {
    double three[3][3];
    for (int i = 0; i < 3; i++)
      memcpy (three[i], at[(int) tri[k][i]], sizeof three[i]);
    scene_triangle (m, three, NULL, chart_shade (scene, 0.15 + 0.45 * mean), alpha, id);
  }
}

static uint32_t
add_thing (SceneView *v, const ViewScene *scene, const SceneShares *s, SceneModel *m, uint32_t ray, uint32_t slice,
           bool chosen)
{
  SceneThing t = { .tag = { .what = scene_row_owner (v, scene, ray),
                            .from = s->from + (int64_t) (slice * s->width),
                            .to = s->from + (int64_t) ((slice + 1) * s->width),
                            .index = ray * s->n_bins + slice,
                            .part = SCENE_PART_CELL },
                   .value = 100 * (double) s->share[(gsize) ray * s->n_bins + slice],
                   .unit = "%",
                   .radius = 0.03,
                   .chosen = chosen };

  kiviat_place (s, ray, slice, t.at);
  return scene_thing (m, &t);
}

/* Rays, and rings at halves, on the ground. */
static void
kiviat_add_ground (SceneView *v, const ViewScene *scene, const SceneShares *s, SceneModel *m)
{
  uint32_t step = MAX ((s->n_rows + NAMES_MOST - 1) / NAMES_MOST, 1);

  for (uint32_t i = 0; i < s->n_rows; i++) {
    double a = kiviat_angle_of (s, i), x = cos (a), y = sin (a);
    bool chosen = scene_row_is_chosen (v, scene, i);
    scene_rod (m, (const double[]){ 0, 0, 0 }, (const double[]){ x, y, 0 }, chosen ? 0.012 : 0.004,
               chosen ? DRAWING_ACCENT : scene_faint (scene), 0);
    if (i % step == 0)
      scene_label (m, (const double[]){ 1.16 * x, 1.16 * y, 0 }, 0, scene_row_name (v, scene, i), true);
  }
  for (int ring = 1; ring <= 2; ring++)
    for (int i = 0; i < 48; i++) {
      double a = 2 * G_PI * i / 48, b = 2 * G_PI * (i + 1) / 48, r = ring / 2.0;
      scene_rod (m, (const double[]){ r * cos (a), r * sin (a), 0 }, (const double[]){ r * cos (b), r * sin (b), 0 },
                 0.004, scene_faint (scene), 0);
    }
  scene_label (m, (const double[]){ 0.5 * cos (-0.9), 0.5 * sin (-0.9), 0 }, 0, g_strdup ("50 %"), true);
  scene_label (m, (const double[]){ cos (-0.9), sin (-0.9), 0 }, 0, g_strdup ("100 %"), true);
}

/* The outline of the slice in which the cursor lies, with a point on each ray. */
static void
add_cut (SceneView *v, const ViewScene *scene, const SceneShares *s, SceneModel *m, uint32_t slice, const uint32_t *ids)
{
  double z = kiviat_height_of (s, slice), a[3], b[3];

  for (uint32_t i = 0; i < s->n_rows; i++) {
    kiviat_place (s, i, slice, a);
    kiviat_place (s, i + 1, slice, b);
    const double fan[3][3] = { { 0, 0, z }, { a[0], a[1], z }, { b[0], b[1], z } };
    scene_triangle (m, fan, NULL, DRAWING_ACCENT, 0.45, 0);
    scene_rod (m, a, b, 0.012, DRAWING_ACCENT, 0);
    scene_shape (m, SCENE_SPHERE, a, (const double[]){ 0.03, 0.03, 0.03 }, DRAWING_ACCENT, 1,
                 ids[(gsize) i * s->n_bins + slice]);
  }
}

static bool
kiviat_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  if (!scene_open_states (v, scene, error))
    return false;
  const SceneShares *s = scene_shares (v, scene, RAYS_MOST, (uint32_t) v->slices);
  if (s->n_rows == 0) {
    m->empty = g_strdup (_ ("No task lives in this time"));
    return true;
  }
  g_autofree uint32_t *ids = g_new (uint32_t, (gsize) s->n_rows * s->n_bins + 1);
  bool cut = scene->at >= s->from && scene->at <= s->to;
  uint32_t at = cut ? (uint32_t) CLAMP (((double) scene->at - (double) s->from) / s->width, 0, s->n_bins - 1)
                    : s->n_bins;
  for (uint32_t i = 0; i < s->n_rows; i++) {
    bool chosen = scene_row_is_chosen (v, scene, i);
    for (uint32_t b = 0; b < s->n_bins; b++)
      ids[(gsize) i * s->n_bins + b] = add_thing (v, scene, s, m, i, b, chosen);
  }
  for (uint32_t i = 0; i < s->n_rows; i++)
    for (uint32_t b = 0; b + 1 < s->n_bins; b++)
      quad (s, scene, m, i, b, b < at ? 1 : AHEAD, ids[(gsize) i * s->n_bins + b]);
  /* what is selected: its ray all along */
  for (uint32_t i = 0; i < s->n_rows; i++)
    for (uint32_t b = 0; scene_row_is_chosen (v, scene, i) && b + 1 < s->n_bins; b++) {
      double from[3], to[3];
      kiviat_place (s, i, b, from);
      kiviat_place (s, i, b + 1, to);
      scene_rod (m, from, to, 0.02, DRAWING_ACCENT, ids[(gsize) i * s->n_bins + b]);
    }
  if (cut)
    add_cut (v, scene, s, m, at, ids);
  kiviat_add_ground (v, scene, s, m);
  /* to the left of the tube, as it is seen at first */
  scene_time_scale (scene, m, s->from, s->to, (const double[]){ -1.2, -0.7, 0 }, (const double[]){ -1.2, -0.7, HIGH },
                    (const double[]){ -0.16, -0.09, 0 });
  g_autofree char *slice = axis_duration (&scene->source->clock, s->width);
  m->note = g_strdup_printf (_ ("distance from the middle: share of %s in %s; cut at the cursor; %u tasks%s"),
                             scene_counted (v), slice, s->n_tasks, scene_shares_together (s));
  return true;
}

static void
kiviat_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  const TraceClock *clock = &scene->source->clock;
  g_autofree char *who = scene_row_name (v, scene, scene_row_at (&v->shares, t->tag.index)),
                  *from = axis_date (clock, t->tag.from, -1), *to = axis_date (clock, t->tag.to, -1),
                  *number = chart_number (t->value, "%");

  g_string_append_printf (name, _ ("%s: %s in %s from %s to %s"), who, number, scene_counted (v), from, to);
}

static void
kiviat_owners (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to)
{
  scene_add_row_owners (v, scene, scene_row_at (&v->shares, t->tag.index), to);
}

static char *
kiviat_end_name (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second)
{
  return second ? NULL : scene_row_name (v, scene, scene_row_at (&v->shares, t->tag.index));
}

const SceneBuilder scene_kiviat = { .name = "kiviat over time",
                                    .spans = VIEW_OF_INSTANT | VIEW_OF_EXECUTION,
                                    .depends = VIEW_ON_INSTANT | VIEW_ON_RANGE | VIEW_ON_FILM | VIEW_ON_SELECTED,
                                    .build = kiviat_build,
                                    .say = kiviat_say,
                                    .end_name = kiviat_end_name,
                                    .owners = kiviat_owners };
