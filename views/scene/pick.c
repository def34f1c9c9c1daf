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
  double x, y; /* px of the picture */
  const GArray *skip;
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

/* Whether it may be seen there; rather once too often. */
static bool
comes_near (const Pick *p, const SceneInstance *i, bool has_end)
{
  const SceneView *v = p->v;
  double at[3], end[3], x, y, depth, ex, ey, far, wide = 0;

  for (int k = 0; k < 3; k++) {
    at[k] = (double) i->row[k][3];
    end[k] = at[k] + (has_end ? (double) i->row[k][2] : 0);
  }
  for (int c = 0; c < (has_end ? 2 : 3); c++)
    wide += pow ((double) i->row[0][c], 2) + pow ((double) i->row[1][c], 2) + pow ((double) i->row[2][c], 2);
  wide = sqrt (wide);
  bool first = scene_camera_project (&v->now, &v->frame, at, &x, &y, &depth),
       last = scene_camera_project (&v->now, &v->frame, end, &ex, &ey, &far);
  if (!first || !last) /* partly behind the eye */
    return true;
  double nearest = fmin (depth, far) - wide;
  if (nearest <= 0)
    return true;
  return distance_to_line (p->x, p->y, x, y, ex, ey) <= wide * scene_camera_px (&v->now, &v->frame, nearest) + NEAR + 2;
}

static void
gather (const Pick *p, const SceneModel *from, SceneModel *to)
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
  Pick p = { v, x, y, skip };
  SceneFrame f = v->frame;
  SceneModel some;
  uint32_t ids[TILE * TILE] = { 0 }, found = 0;
  int px = (int) floor (x - f.x), py = (int) floor (y - f.y), best = NEAR * NEAR + 1;
  SceneLook look = { .rendering = SCENE_FLAT, .px = 1, .n_links = UINT32_MAX };

  if (v->model.things == NULL || px < 0 || py < 0 || px >= f.width || py >= f.height)
    return 0;
  f.x = f.y = 0;
  f.width = fmax (round (f.width), 1);
  f.height = fmax (round (f.height), 1);
  scene_model_begin (&some);
  gather (&p, &v->model, &some);
  if (scene_render_ids (&v->pick_gpu, &some, &v->now, &f, &look, px - NEAR, py - NEAR, TILE, TILE, ids, NULL))
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
