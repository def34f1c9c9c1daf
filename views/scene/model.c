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
  *m = (SceneModel){ .low = { INFINITY, INFINITY, INFINITY }, .high = { -INFINITY, -INFINITY, -INFINITY } };
  for (int s = 0; s < SCENE_SHAPES; s++)
    m->of[s] = g_array_new (FALSE, FALSE, sizeof (SceneInstance));
  m->vertices = g_array_new (FALSE, FALSE, sizeof (SceneVertex));
  m->triangles = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  m->things = g_array_new (FALSE, FALSE, sizeof (SceneThing));
  m->labels = g_array_new (FALSE, FALSE, sizeof (SceneLabel));
  g_array_set_clear_func (m->labels, clear_label);
  m->note = g_string_new (NULL);
}

void
scene_model_end (SceneModel *m)
{
  if (m->note == NULL)
    return;
  for (int s = 0; s < SCENE_SHAPES; s++)
    g_array_unref (m->of[s]);
  g_array_unref (m->vertices);
  g_array_unref (m->triangles);
  g_array_unref (m->things);
  g_array_unref (m->labels);
  g_string_free (m->note, TRUE);
  *m = (SceneModel){ 0 };
}

/* NaN is not below anything. */
static bool
is_somewhere (const double at[3])
{
  return fabs (at[0]) < FAR && fabs (at[1]) < FAR && fabs (at[2]) < FAR;
}

static void
reach (SceneModel *m, const double at[3], const double size[3])
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
  return m->things->len;
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

  if (!is_somewhere (at) || !is_somewhere (size)) {
    m->n_nowhere++;
    return false;
  }
  for (int k = 0; k < 3; k++) {
    i.row[k][k] = (float) size[k];
    i.row[k][3] = (float) at[k];
  }
  put_colour (i.rgba, rgb, alpha);
  g_array_append_val (m->of[shape], i);
  reach (m, at, size);
  return true;
}

bool
scene_arrow (SceneModel *m, SceneShape shape, const double from[3], const double to[3], double radius, uint32_t rgb,
             uint32_t id)
{
  double z[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] };
  double length = sqrt (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]), side[3], up[3], wide;
  SceneInstance i = { .id = id };

  if (!is_somewhere (from) || !is_somewhere (to) || !(radius < FAR)) {
    m->n_nowhere++;
    return false;
  }
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
  reach (m, from, (const double[]){ radius, radius, radius });
  reach (m, to, (const double[]){ 0, 0, 0 });
  return true;
}

uint32_t
scene_vertex (SceneModel *m, const double at[3], uint32_t rgb, uint32_t id)
{
  SceneVertex v = { .id = id };

  for (int k = 0; k < 3; k++)
    v.at[k] = (float) at[k];
  put_colour (v.rgba, rgb, 1);
  g_array_append_val (m->vertices, v);
  if (is_somewhere (at))
    reach (m, at, (const double[]){ 0, 0, 0 });
  return m->vertices->len - 1;
}

static bool
vertex_is_somewhere (const SceneModel *m, uint32_t i)
{
  const SceneVertex *v = &g_array_index (m->vertices, SceneVertex, i);

  return is_somewhere ((const double[]){ v->at[0], v->at[1], v->at[2] });
}

void
scene_face (SceneModel *m, uint32_t a, uint32_t b, uint32_t c)
{
  const uint32_t corners[] = { a, b, c };

  if (vertex_is_somewhere (m, a) && vertex_is_somewhere (m, b) && vertex_is_somewhere (m, c))
    g_array_append_vals (m->triangles, corners, 3);
  else
    m->n_nowhere++;
}

void
scene_smooth (SceneModel *m)
{
  SceneVertex *v = (SceneVertex *) (void *) m->vertices->data;

  for (guint i = 0; i + 2 < m->triangles->len; i += 3) {
    const uint32_t *t = &g_array_index (m->triangles, uint32_t, i);
    float a[3], b[3], n[3];
    for (int k = 0; k < 3; k++) {
      a[k] = v[t[1]].at[k] - v[t[0]].at[k];
      b[k] = v[t[2]].at[k] - v[t[0]].at[k];
    }
    n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2], n[2] = a[0] * b[1] - a[1] * b[0];
    for (int corner = 0; corner < 3; corner++)
      for (int k = 0; k < 3; k++)
        v[t[corner]].normal[k] += n[k]; /* longer where the face is larger */
  }
}

void
scene_label (SceneModel *m, const double at[3], double radius, char *text, bool quiet)
{
  SceneLabel l = { .radius = radius, .text = text, .quiet = quiet };

  memcpy (l.at, at, sizeof l.at);
  if (is_somewhere (at))
    g_array_append_val (m->labels, l);
  else
    g_free (text);
}

void
scene_grid (SceneModel *m, double x0, double y0, double x1, double y1, double z, uint32_t nx, uint32_t ny, uint32_t rgb)
{
  for (uint32_t i = 0; i <= nx; i++) {
    double x = x0 + (x1 - x0) * i / MAX (nx, 1);
    scene_arrow (m, SCENE_LINE, (const double[]){ x, y0, z }, (const double[]){ x, y1, z }, 0, rgb, 0);
  }
  for (uint32_t i = 0; i <= ny; i++) {
    double y = y0 + (y1 - y0) * i / MAX (ny, 1);
    scene_arrow (m, SCENE_LINE, (const double[]){ x0, y, z }, (const double[]){ x1, y, z }, 0, rgb, 0);
  }
}
