/* SPDX-License-Identifier: Apache-2.0 */
/* stereo.c - two eyes: each looks straight on, beside the other, and what is looked at is at one place for both. */
#include <math.h>
#include "views/scene/scene.h"
#include "views/painter.h"

#define APART 60.0 /* an eye is beside the middle as far as what is looked at is away, divided by this */

int
scene_eyes (const SceneView *v)
{
  return v->stereo == SCENE_MONO ? 1 : 2;
}

void
scene_eye (const SceneView *v, int eye, SceneCamera *c, SceneFrame *f)
{
  double side = eye == 0 ? -1 : 1, tall = tan (v->now.angle * G_PI / 360);

  *c = v->now;
  *f = v->frame;
  if (v->stereo == SCENE_MONO)
    return;
  if (v->stereo == SCENE_SIDE_BY_SIDE && eye == 1)
    f->x += f->width;
  if (c->parallel) { /* from beside it all would be the same */
    scene_camera_orbit (c, -side / APART / G_PI, 0);
    return;
  }
  /* whole px, so that it is the same in pixels */
  double px = round (f->height / (2 * tall * APART));
  scene_camera_slide (c, -side * px / f->height, 0);
  f->x += side * px;
}

int
scene_eye_at (const SceneView *v, double x)
{
  return v->stereo == SCENE_SIDE_BY_SIDE && x >= v->frame.x + v->frame.width ? 1 : 0;
}

void
scene_stereo_mix (cairo_surface_t *left, cairo_surface_t *right)
{
  int n = cairo_image_surface_get_stride (left) / 4 * cairo_image_surface_get_height (left);
  uint32_t *to = (uint32_t *) (void *) cairo_image_surface_get_data (left);
  const uint32_t *from = (const uint32_t *) (const void *) cairo_image_surface_get_data (right);

  for (int i = 0; i < n; i++)
    to[i] = (to[i] & 0xffff0000) | (from[i] & 0xffff);
  cairo_surface_mark_dirty (left);
}
