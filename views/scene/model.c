/* SPDX-License-Identifier: Apache-2.0 */
#include "views/scene/model.h"
#include <math.h>
#include <string.h>

#define FAR 1e6 /* beyond this a float tells neighbours no longer apart */

static void
clear_label (gpointer l)
{
  g_free (((SceneLabel *) l)->text);
}

void
scene_model_begin (SceneModel *m)
{
  static uint64_t serial;

  *m = (SceneModel){ .serial = ++serial,
                     .low = { INFINITY, INFINITY, INFINITY },
                     .high = { -INFINITY, -INFINITY, -INFINITY } };
  for (int s = 0; s < SCENE_SHAPES; s++)
    m->of[s] = g_array_new (FALSE, FALSE, sizeof (SceneInstance));
  for (int k = 0; k < 2; k++)
    m->faces[k] = g_array_new (FALSE, FALSE, sizeof (SceneCorner));
  m->things = g_array_new (FALSE, FALSE, sizeof (SceneThing));
  m->labels = g_array_new (FALSE, FALSE, sizeof (SceneLabel));
  g_array_set_clear_func (m->labels, clear_label);
}

void
scene_model_end (SceneModel *m)
{
  if (m->things == NULL)
    return;
  for (int s = 0; s < SCENE_SHAPES; s++)
    g_array_unref (m->of[s]);
  for (int k = 0; k < 2; k++)
    g_array_unref (m->faces[k]);
  g_array_unref (m->things);
  g_array_unref (m->labels);
  g_free (m->note);
  g_free (m->empty);
  *m = (SceneModel){ 0 };
}

/* NaN is not below anything. */
static bool
is_somewhere (const double at[3])
{
  return fabs (at[0]) < FAR && fabs (at[1]) < FAR && fabs (at[2]) < FAR;
}

static void
scene_model_reach (SceneModel *m, const double at[3], const double size[3])
{
  for (int k = 0; k < 3; k++) {
    m->low[k] = fmin (m->low[k], at[k] - size[k]);
    m->high[k] = fmax (m->high[k], at[k] + size[k]);
  }
}

uint32_t
scene_thing (SceneModel *m, const SceneThing *t)
{
  g_array_append_vals (m->things, t, 1);
  m->n_chosen += t->chosen;
  return m->things->len;
}

/* What stands nowhere cannot be pointed at either: takes back the thing that was made for it. */
static bool
nowhere (SceneModel *m, uint32_t id)
{
  m->n_nowhere++;
  if (id > 0 && id == m->things->len) {
    m->n_chosen -= g_array_index (m->things, SceneThing, id - 1).chosen;
    g_array_set_size (m->things, id - 1);
  }
  return false;
}

static void
put_colour (uint8_t *rgba, uint32_t rgb, double alpha)
{
  for (int k = 0; k < 3; k++)
    rgba[k] = (uint8_t) (rgb >> (16 - 8 * k));
  rgba[3] = (uint8_t) lround (255 * CLAMP (alpha, 0, 1));
}

bool
scene_shape (SceneModel *m, SceneShape shape, const double at[3], const double size[3], uint32_t rgb, double alpha,
             uint32_t id)
{
  SceneInstance i = { .id = id };

  if (!is_somewhere (at) || !is_somewhere (size))
    return nowhere (m, id);
  for (int k = 0; k < 3; k++) {
    i.row[k][k] = (float) size[k];
    i.row[k][3] = (float) at[k];
  }
  put_colour (i.rgba, rgb, alpha);
  g_array_append_val (m->of[shape], i);
  scene_model_reach (m, at, size);
  return true;
}

bool
scene_arrow (SceneModel *m, SceneShape shape, const double from[3], const double to[3], double radius, uint32_t rgb,
             uint32_t id)
{
  double z[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] };
  double length = sqrt (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), side[3], up[3], wide;
  SceneInstance i = { .id = id };

  if (!is_somewhere (from) || !is_somewhere (to) || !(radius < FAR))
    return nowhere (m, id);
  if (length < 1e-9)
    return false;
  /* any axis that stands upright on the arrow: a cone is round */
  int least = fabs (z[0]) < fabs (z[1]) ? (fabs (z[0]) < fabs (z[2]) ? 0 : 2) : (fabs (z[1]) < fabs (z[2]) ? 1 : 2);
  double e[3] = { least == 0, least == 1, least == 2 };
  side[0] = z[1] * e[2] - z[2] * e[1], side[1] = z[2] * e[0] - z[0] * e[2], side[2] = z[0] * e[1] - z[1] * e[0];
  wide = sqrt (side[0] * side[0] + side[1] * side[1] + side[2] * side[2]);
  for (int k = 0; k < 3; k++)
    side[k] /= wide;
  up[0] = (z[1] * side[2] - z[2] * side[1]) / length, up[1] = (z[2] * side[0] - z[0] * side[2]) / length;
  up[2] = (z[0] * side[1] - z[1] * side[0]) / length;
  for (int k = 0; k < 3; k++) {
    i.row[k][0] = (float) (radius * side[k]);
    i.row[k][1] = (float) (radius * up[k]);
    i.row[k][2] = (float) z[k];
    i.row[k][3] = (float) from[k];
  }
  put_colour (i.rgba, rgb, 1);
  g_array_append_val (m->of[shape], i);
  scene_model_reach (m, from, (const double[]){ radius, radius, radius });
  scene_model_reach (m, to, (const double[]){ 0, 0, 0 });
  return true;
}

void
scene_triangle (SceneModel *m, const double at[3][3], const double normal[3][3], uint32_t rgb, double alpha,
                uint32_t id)
{
  double u[3], v[3], flat[3];

  for (int i = 0; i < 3; i++)
    if (!is_somewhere (at[i])) {
      m->n_nowhere++;
      return;
    }
  for (int k = 0; k < 3; k++)
    u[k] = at[1][k] - at[0][k], v[k] = at[2][k] - at[0][k];
  flat[0] = u[1] * v[2] - u[2] * v[1], flat[1] = u[2] * v[0] - u[0] * v[2], flat[2] = u[0] * v[1] - u[1] * v[0];
  for (int i = 0; i < 3; i++) {
    SceneCorner c = { .id = id };
    for (int k = 0; k < 3; k++) {
      c.at[k] = (float) at[i][k];
      c.normal[k] = (float) (normal != NULL ? normal[i][k] : flat[k]);
    }
    put_colour (c.rgba, rgb, alpha);
    g_array_append_val (m->faces[alpha < 1], c);
    scene_model_reach (m, at[i], (const double[]){ 0, 0, 0 });
  }
}

void
scene_label (SceneModel *m, const double at[3], double radius, char *text, bool quiet)
{
  SceneLabel l = { .radius = radius, .text = text, .quiet = quiet };

  memcpy (l.at, at, sizeof l.at);
  if (is_somewhere (at)) {
    g_array_append_val (m->labels, l);
    scene_model_reach (m, at, (const double[]){ 0, 0, 0 }); /* it shall be read */
  } else {
    g_free (text);
  }
}
