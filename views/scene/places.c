/* SPDX-License-Identifier: Apache-2.0 */
#include "views/scene/places.h"
#include <math.h>
#include <stdlib.h>
#include "views/layout.h"

static uint32_t
root_of (uint32_t n, double power)
{
  return MAX ((uint32_t) ceil (pow (n, power) - 1e-9), 1);
}

static void
cube (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t side = root_of (nodes->n, 1.0 / 3), layers = (nodes->n + side * side - 1) / (side * side);

  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = i % side - (side - 1) / 2.0;
    to[i][1] = (side - 1) / 2.0 - i / side % side;
    to[i][2] = (layers - 1) / 2.0 - i / (side * side);
  }
}

static void
mesh (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t side = root_of (nodes->n, 0.5), rows = (nodes->n + side - 1) / side;

  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = i % side - (side - 1) / 2.0;
    to[i][1] = (rows - 1) / 2.0 - i / side;
    to[i][2] = 0;
  }
}

static void
scene_places_ring (const SceneNodes *nodes, double (*to)[3])
{
  double r = fmax (nodes->n / (2 * G_PI), nodes->n > 1 ? 0.7 : 0);

  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = r * sin (2 * G_PI * i / nodes->n);
    to[i][1] = r * cos (2 * G_PI * i / nodes->n);
    to[i][2] = 0;
  }
}

/* Rows round a tube that is closed to a ring: the last of each stands beside the first. */
static void
torus (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t round = MAX (root_of (nodes->n, 0.5), 3), along = MAX ((nodes->n + round - 1) / round, 3);
  double thin = round / (2 * G_PI), wide = fmax (along / (2 * G_PI), 2.2 * thin);

  for (uint32_t i = 0; i < nodes->n; i++) {
    double a = 2 * G_PI * (i / round) / along, b = 2 * G_PI * (i % round) / round;
    to[i][0] = (wide + thin * cos (b)) * sin (a);
    to[i][1] = (wide + thin * cos (b)) * cos (a);
    to[i][2] = thin * sin (b);
  }
}

/* Three bits are a cube; the next three put such cubes beside, behind and above each other. */
static void
hypercube (const SceneNodes *nodes, double (*to)[3])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    double step = 1;
    to[i][0] = to[i][1] = to[i][2] = 0;
    for (uint32_t bit = 0; i >> bit != 0; bit++) {
      if (bit > 0 && bit % 3 == 0)
        step *= 2.4;
      to[i][bit % 3] += (i >> bit & 1) * step;
    }
  }
}

/* Node i is above 2i + 1 and 2i + 2, turned by a quarter from one depth to the next, so that it fills the room. */
static void
tree (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t deepest = nodes->n > 0 ? 31 - (uint32_t) __builtin_clz (nodes->n) : 0;

  for (uint32_t i = 0; i < nodes->n; i++) {
    uint32_t depth = 31 - (uint32_t) __builtin_clz (i + 1);
    if (i == 0) {
      to[i][0] = to[i][1] = 0;
    } else {
      const double *above = to[(i - 1) / 2];
      double aside = 0.5 * pow (2, floor ((deepest - depth) / 2.0)) * (i % 2 == 1 ? -1 : 1);
      to[i][0] = above[0] + (depth % 2 == 1 ? aside : 0);
      to[i][1] = above[1] + (depth % 2 == 0 ? aside : 0);
    }
    to[i][2] = -1.1 * depth;
  }
}

/* Evenly over a ball (a spiral of the golden angle): nobody stands between two others. */
static void
ball (const SceneNodes *nodes, double (*to)[3])
{
  double r = nodes->n > 1 ? fmax (sqrt (nodes->n / (4 * G_PI)) * 1.3, 0.7) : 0;

  for (uint32_t i = 0; i < nodes->n; i++) {
    double z = nodes->n > 1 ? 1 - 2 * (i + 0.5) / nodes->n : 0, a = G_PI * (3 - sqrt (5)) * i, flat = sqrt (1 - z * z);
    to[i][0] = r * flat * cos (a);
    to[i][1] = r * flat * sin (a);
    to[i][2] = r * z;
  }
}

/* A square for each host, on the ground; its tasks on it. */
static void
scene_places_hosts (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t n_hosts = 0, most = 1;

  for (uint32_t i = 0; i < nodes->n; i++)
    n_hosts = MAX (n_hosts, nodes->host[i] + 1);
  g_autofree uint32_t *in = g_new0 (uint32_t, n_hosts + 1), *met = g_new0 (uint32_t, n_hosts + 1);
  for (uint32_t i = 0; i < nodes->n; i++)
    most = MAX (most, ++in[nodes->host[i]]);
  uint32_t across = root_of (n_hosts, 0.5), rows = (n_hosts + across - 1) / MAX (across, 1);
  double pitch = root_of (most, 0.5) + 0.9;
  for (uint32_t i = 0; i < nodes->n; i++) {
    uint32_t h = nodes->host[i], side = root_of (in[h], 0.5), k = met[h]++, deep = (in[h] + side - 1) / side;
    to[i][0] = (h % across - (across - 1) / 2.0) * pitch + k % side - (side - 1) / 2.0;
    to[i][1] = ((rows - 1) / 2.0 - h / across) * pitch + (deep - 1) / 2.0 - k / side;
    to[i][2] = 0;
  }
}

/* Two attributes say where in the plane, a third how high; who is alike falls to one point. */
static void
scene_places_sorted (const SceneNodes *nodes, double (*to)[3])
{
  double side = fmax (pow (nodes->n, 1.0 / 3) * 2, 3);

  for (uint32_t i = 0; i < nodes->n; i++)
    for (int k = 0; k < 3; k++) {
      double v = nodes->value[k] != NULL ? nodes->value[k][i] : 0;
      to[i][k] = isfinite (v) ? v * side : 0;
    }
}

/* ---- by what goes between them ------------------------------------------------------------------------------------------ */

#define VERTICES_MOST 1500 /* that Graphviz places within a fraction of a second; of more, neighbours are one */
#define NEATO_MOST 150     /* better looking, and slower, than what lays out many */
#define APART 1.15         /* nodes that stand nearer than most others do */

static int
scene_places_by_size (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* So that a tenth of all have their nearest at `apart` or nearer.  Graphviz has units of its own. */
static void
scale_to (uint32_t n, double (*at)[3], double apart)
{
  g_autofree double *nearest = g_new (double, n + 1);

  for (uint32_t i = 0; i < n; i++) {
    nearest[i] = INFINITY;
    for (uint32_t k = 0; k < n; k++) {
      double x = at[i][0] - at[k][0], y = at[i][1] - at[k][1], z = at[i][2] - at[k][2], d = x * x + y * y + z * z;
      if (k != i && d < nearest[i])
        nearest[i] = d;
    }
  }
  qsort (nearest, n, sizeof *nearest, scene_places_by_size);
  double by = n > 1 ? apart / fmax (sqrt (nearest[n / 10]), 1e-6) : 1;
  for (uint32_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      at[i][k] *= by;
}

static void
graphviz (const SceneNodes *nodes, double (*to)[3])
{
  uint32_t each = MAX ((nodes->n + VERTICES_MOST - 1) / VERTICES_MOST, 1), n = (nodes->n + each - 1) / each;
  uint32_t side = root_of (each, 1.0 / 3);
  g_autofree LayoutEdge *edges = g_new (LayoutEdge, nodes->n_ties + 1);
  g_autofree double (*at)[3] = g_malloc0 (sizeof *at * (n + 1));

  for (uint32_t i = 0; i < nodes->n_ties; i++) {
    const SceneTie *t = &nodes->ties[i];
    edges[i] = (LayoutEdge){ t->from / each, t->to / each, t->weight };
  }
  if (!layout_compute_space (n <= NEATO_MOST ? "neato" : "sfdp", n, edges, nodes->n_ties, at)) {
    ball (nodes, to); /* nothing goes between them */
    return;
  }
  scale_to (n, at, APART * (each > 1 ? side * 0.8 + 0.4 : 1));
  for (uint32_t i = 0; i < nodes->n; i++) { /* those of one vertex, a small cube around it */
    uint32_t k = i % each;
    double aside[] = { k % side, k / side % side, k / (side * side) };
    for (int axis = 0; axis < 3; axis++)
      to[i][axis] = at[i / each][axis] + (each > 1 ? 0.8 * (aside[axis] - (side - 1) / 2.0) : 0);
  }
}

const SceneLayout scene_places[] = {
  { .name = "hosts", .flat = true, .place = scene_places_hosts },
  { .name = "ball", .place = ball },
  { .name = "ring", .flat = true, .place = scene_places_ring },
  { .name = "mesh", .flat = true, .place = mesh },
  { .name = "cube", .place = cube },
  { .name = "torus", .place = torus },
  { .name = "hypercube", .place = hypercube },
  { .name = "tree", .place = tree },
  { .name = "graphviz", .tied = true, .place = graphviz },
  { .name = SCENE_LAYOUT_SORTED, .dynamic = true, .place = scene_places_sorted },
  { .name = SCENE_LAYOUT_FILE, .place = mesh },
  { 0 },
};

const SceneLayout *
scene_places_find (const char *name)
{
  for (const SceneLayout *l = scene_places; l->name != NULL; l++)
    if (strcmp (l->name, name) == 0)
      return l;
  return scene_layout_find (name);
}

const SceneLayout *
scene_places_flat (const char *name)
{
  const SceneLayout *l = scene_places_find (name);

  return l != NULL && l->flat && !l->dynamic && !l->tied ? l : &scene_places[0];
}
