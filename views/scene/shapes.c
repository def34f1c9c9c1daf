/* SPDX-License-Identifier: Apache-2.0 */
#include "views/scene/shapes.h"
#include <math.h>

static uint16_t
shapes_corner (SceneMesh *m, double x, double y, double z, double nx, double ny, double nz)
{
  const float of[] = { (float) x, (float) y, (float) z, (float) nx, (float) ny, (float) nz };

  g_array_append_vals (m->corners, of, 6);
  return (uint16_t) (m->corners->len / 6 - 1);
}

static void
shapes_face (SceneMesh *m, uint16_t a, uint16_t b, uint16_t c)
{
  const uint16_t of[] = { a, b, c };

  g_array_append_vals (m->faces, of, 3);
}

static void
shapes_edge (SceneMesh *m, uint16_t a, uint16_t b)
{
  const uint16_t of[] = { a, b };

  g_array_append_vals (m->edges, of, 2);
}

/* A plane side of 3 to 6 corners, with its edges. */
static void
side (SceneMesh *m, const double (*at)[3], int n)
{
  double u[3], v[3], normal[3], length;
  uint16_t first = 0;

  for (int k = 0; k < 3; k++)
    u[k] = at[1][k] - at[0][k], v[k] = at[2][k] - at[0][k];
  normal[0] = u[1] * v[2] - u[2] * v[1], normal[1] = u[2] * v[0] - u[0] * v[2], normal[2] = u[0] * v[1] - u[1] * v[0];
  length = sqrt (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  for (int i = 0; i < n; i++) {
    uint16_t c = shapes_corner (m, at[i][0], at[i][1], at[i][2], normal[0] / length, normal[1] / length,
                                normal[2] / length);
    first = i == 0 ? c : first;
    if (i >= 2)
      shapes_face (m, first, (uint16_t) (c - 1), c);
    shapes_edge (m, c, i == n - 1 ? first : (uint16_t) (c + 1));
  }
}

/* What a curve (n points of a radius, a height, and a normal) makes when it is turned round z. */
static void
lathe (SceneMesh *m, const double (*curve)[4], int n, int sides)
{
  for (int s = 0; s <= sides; s++) {
    double a = 2 * G_PI * s / sides, c = cos (a), d = sin (a);
    for (int i = 0; i < n; i++) {
      uint16_t at = shapes_corner (m, curve[i][0] * c, curve[i][0] * d, curve[i][1], curve[i][2] * c, curve[i][2] * d,
                                   curve[i][3]);
      if (s == 0)
        continue;
      shapes_edge (m, (uint16_t) (at - n), at);
      if (i == 0)
        continue;
      shapes_edge (m, (uint16_t) (at - 1), at);
      shapes_face (m, (uint16_t) (at - n - 1), (uint16_t) (at - 1), at);
      shapes_face (m, (uint16_t) (at - n - 1), at, (uint16_t) (at - n));
    }
  }
}

static void
sphere (SceneMesh *m, int sides)
{
  int n = sides / 2 + 1;
  g_autofree double (*curve)[4] = g_malloc (sizeof *curve * (gsize) n);

  for (int i = 0; i < n; i++) {
    double a = -G_PI / 2 + G_PI * i / (n - 1);
    curve[i][0] = curve[i][2] = cos (a);
    curve[i][1] = curve[i][3] = sin (a);
  }
  lathe (m, (const double (*)[4]) curve, n, sides);
}

static void
ring (SceneMesh *m, int sides)
{
  int n = sides / 2 + 1;
  g_autofree double (*curve)[4] = g_malloc (sizeof *curve * (gsize) n);

  for (int i = 0; i < n; i++) {
    double a = 2 * G_PI * i / (n - 1);
    curve[i][0] = 0.74 + 0.26 * cos (a);
    curve[i][1] = 0.26 * sin (a);
    curve[i][2] = cos (a);
    curve[i][3] = sin (a);
  }
  lathe (m, (const double (*)[4]) curve, n, sides);
}

static void
cone (SceneMesh *m, int sides)
{
  const double curve[][4] = { { 0, 0, 0, -1 }, { 1, 0, 0, -1 }, { 1, 0, 1, 0 }, { 0, 1, 1, 0 } };

  lathe (m, curve, 4, sides);
}

static void
rod (SceneMesh *m, int sides)
{
  const double curve[][4] = { { 0, 0, 0, -1 }, { 1, 0, 0, -1 }, { 1, 0, 1, 0 },
                              { 1, 1, 1, 0 },  { 1, 1, 0, 1 },  { 0, 1, 0, 1 } };

  lathe (m, curve, 6, sides);
}

/* A prism of n sides, from -high to high, whose corners are `far` away from z. */
static void
prism (SceneMesh *m, int n, double far, double high)
{
  double top[6][3], bottom[6][3];

  for (int i = 0; i < n; i++) {
    double a = 2 * G_PI * (i + 0.5) / n, x = far * cos (a), y = far * sin (a);
    top[i][0] = bottom[n - 1 - i][0] = x;
    top[i][1] = bottom[n - 1 - i][1] = y;
    top[i][2] = high;
    bottom[i][2] = -high;
  }
  side (m, (const double (*)[3]) top, n);
  side (m, (const double (*)[3]) bottom, n);
  for (int i = 0; i < n; i++) {
    const double *a = top[i], *b = top[(i + 1) % n];
    const double wall[][3] = {
      { a[0], a[1], -high }, { b[0], b[1], -high }, { b[0], b[1], high }, { a[0], a[1], high }
    };
    side (m, wall, 4);
  }
}

static void
octahedron (SceneMesh *m)
{
  for (int i = 0; i < 4; i++) {
    double a = G_PI / 2 * i, b = G_PI / 2 * (i + 1);
    for (int up = -1; up <= 1; up += 2) {
      const double at[][3] = { { cos (up > 0 ? a : b), sin (up > 0 ? a : b), 0 },
                               { cos (up > 0 ? b : a), sin (up > 0 ? b : a), 0 },
                               { 0, 0, up } };
      side (m, at, 3);
    }
  }
}

SceneMesh
scene_mesh (SceneShape shape, int sides)
{
  static const double square[][3] = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } };
  SceneMesh m = { g_array_new (FALSE, FALSE, sizeof (float)), g_array_new (FALSE, FALSE, sizeof (uint16_t)),
                  g_array_new (FALSE, FALSE, sizeof (uint16_t)) };

  switch (shape) {
  case SCENE_SPHERE:
    sphere (&m, sides);
    break;
  case SCENE_CUBE:
    prism (&m, 4, G_SQRT2, 1);
    break;
  case SCENE_HEXAGON:
    prism (&m, 6, 1, 0.85);
    break;
  case SCENE_RING:
    ring (&m, MAX (sides, 8));
    break;
  case SCENE_OCTAHEDRON:
    octahedron (&m);
    break;
  case SCENE_CONE:
    cone (&m, sides < 8 ? 3 : MAX (sides / 2, 5));
    break;
  case SCENE_ROD:
    rod (&m, 6);
    break;
  default: /* SCENE_PLATE */
    side (&m, square, 4);
  }
  return m;
}

void
scene_mesh_free (SceneMesh *m)
{
  g_array_unref (m->corners);
  g_array_unref (m->faces);
  g_array_unref (m->edges);
}
