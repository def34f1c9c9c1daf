/* SPDX-License-Identifier: Apache-2.0 */
/* pick.c - what is seen at a point.  A tiny picture of numbers is drawn around it, of those objects alone whose ball,
 * or line, comes near it: as exact as one of the whole, and quick with any number of objects. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"

#define NEAR 5 /* px, that may be pointed beside something */
#define TILE (2 * NEAR + 1)

typedef struct Pick {
  const SceneView *v;
  const SceneCamera *camera;
  double x, y; /* px of the picture */
  const GArray *skip;
  double view[16], px, distance; /* of the camera; px a unit takes up at the distance of one */
} Pick;

static bool
is_skipped (const Pick *p, uint32_t id)
{
  for (guint i = 0; p->skip != NULL && i < p->skip->len; i++)
    if (g_array_index (p->skip, uint32_t, i) == id)
      return true;
  return false;
}

static double
distance_to_line (double px, double py, double ax, double ay, double bx, double by)
{
  double dx = bx - ax, dy = by - ay, n = dx * dx + dy * dy;
  double at = n > 0 ? CLAMP (((px - ax) * dx + (py - ay) * dy) / n, 0, 1) : 0;

  return hypot (px - ax - at * dx, py - ay - at * dy);
}

/* Into the space of the eye: x, y, and how far away; gives px a unit there, 0: behind the eye. */
static double
pick_look_at (const Pick *p, const double at[3], double to[3])
{
  const double *m = p->view;

  for (int r = 0; r < 3; r++)
    to[r] = m[r] * at[0] + m[4 + r] * at[1] + m[8 + r] * at[2] + m[12 + r];
  to[2] = -to[2];
  double far = p->camera->parallel ? p->distance : to[2], px = far > 0 ? p->px / far : 0;
  to[0] = p->v->frame.x + p->v->frame.width / 2 + to[0] * px;
  to[1] = p->v->frame.y + p->v->frame.height / 2 - to[1] * px;
  return px;
}

/* Whether it may be seen there; rather once too often. */
static bool
comes_near (const Pick *p, const SceneInstance *i, bool has_end)
{
  double at[3], end[3], seen[3], last[3], wide = 0;

  for (int k = 0; k < 3; k++) {
    at[k] = (double) i->row[k][3];
    end[k] = at[k] + (double) i->row[k][2];
    for (int c = 0; c < (has_end ? 2 : 3); c++)
      wide += (double) i->row[k][c] * (double) i->row[k][c];
  }
  wide = sqrt (wide);
  double px = pick_look_at (p, at, seen), nearest = seen[2] - wide;
  if (px == 0)
    return true;
  if (has_end) {
    if (pick_look_at (p, end, last) == 0) /* partly behind the eye */
      return true;
    nearest = fmin (nearest, last[2] - wide);
  }
  if (nearest <= 0)
    return true;
  px = p->px / (p->camera->parallel ? p->distance : nearest);
  double most = wide * px + NEAR + 2;
  if (!has_end)
    return (p->x - seen[0]) * (p->x - seen[0]) + (p->y - seen[1]) * (p->y - seen[1]) <= most * most;
  return distance_to_line (p->x, p->y, seen[0], seen[1], last[0], last[1]) <= most;
}

static void
pick_gather (const Pick *p, const SceneModel *from, SceneModel *to)
{
  for (int s = 0; s < SCENE_PLATE; s++)
    for (guint i = 0; i < from->of[s]->len; i++) {
      const SceneInstance *one = &g_array_index (from->of[s], SceneInstance, i);
      if (!is_skipped (p, one->id) && comes_near (p, one, s == SCENE_CONE || s == SCENE_ROD))
        g_array_append_vals (to->of[s], one, 1);
    }
  for (guint i = 0; i + 2 < from->faces[0]->len; i += 3) {
    const SceneCorner *three = &g_array_index (from->faces[0], SceneCorner, i);
    if (!is_skipped (p, three->id))
      g_array_append_vals (to->faces[0], three, 3);
  }
}

uint32_t
scene_pick (SceneView *v, const ViewScene *scene, double x, double y, const GArray *skip)
{
  Pick p = { .v = v, .x = x, .y = y, .skip = skip };
  double projection[16];
  SceneCamera camera;
  SceneFrame f;
  SceneModel some;
  uint32_t ids[TILE * TILE] = { 0 }, found = 0;
  int px, py, best = NEAR * NEAR + 1;
  SceneLook look = { .rendering = SCENE_FLAT, .px = 1, .open = v->cut > 0, .n_links = UINT32_MAX };

  scene_eye (v, scene_eye_at (v, x), &camera, &f);
  if (v->stereo == SCENE_RED_CYAN)
    camera = v->now, f = v->frame;
  p.camera = &camera;
  px = (int) floor (x - f.x), py = (int) floor (y - f.y);
  p.x -= f.x - v->frame.x;
  if (v->model.things == NULL || px < 0 || py < 0 || px >= f.width || py >= f.height)
    return 0;
  if (!scene_camera_matrices (&camera, &f, p.view, projection))
    return 0;
  p.distance = sqrt (pow (camera.centre[0] - camera.eye[0], 2) + pow (camera.centre[1] - camera.eye[1], 2)
                     + pow (camera.centre[2] - camera.eye[2], 2));
  p.px = scene_camera_px (&camera, &f, 1) * (camera.parallel ? p.distance : 1);
  f.x = f.y = 0;
  f.width = fmax (round (f.width), 1);
  f.height = fmax (round (f.height), 1);
  scene_model_begin (&some);
  pick_gather (&p, &v->model, &some);
  if (scene_render_ids (&v->pick_gpu, &some, &camera, &f, &look, px - NEAR, py - NEAR, TILE, TILE, ids, NULL))
    for (int k = 0; k < TILE * TILE; k++) {
      int dx = k % TILE - NEAR, dy = k / TILE - NEAR, away = dx * dx + dy * dy;
      if (ids[k] != 0 && away < best && px + dx >= 0 && py + dy >= 0 && px + dx < f.width && py + dy < f.height) {
        best = away;
        found = ids[k];
      }
    }
  scene_model_end (&some);
  return found <= v->model.things->len ? found : 0;
}
