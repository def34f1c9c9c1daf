/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.c - each as one stands in space, and as it lies in the plane. */
#include "views/layouts.h"
#include <math.h>
#include <stdlib.h>
#include "eve/words.h"
#include "views/layout.h"

static uint32_t
views_layouts_root_of (uint32_t n, double power)
{
  return MAX ((uint32_t) ceil (pow (n, power) - 1e-9), 1);
}

static void
cube_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  uint32_t side = views_layouts_root_of (nodes->n, 1.0 / 3), layers = (nodes->n + side * side - 1) / (side * side);

  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = i % side - (side - 1) / 2.0;
    to[i][1] = (side - 1) / 2.0 - i / side % side;
    to[i][2] = (layers - 1) / 2.0 - i / (side * side);
  }
}

static void
mesh_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  uint32_t side = views_layouts_root_of (nodes->n, 0.5), rows = (nodes->n + side - 1) / side;

  for (uint32_t i = 0; i < nodes->n; i++) {
    to[i][0] = i % side - (side - 1) / 2.0;
    to[i][1] = (rows - 1) / 2.0 - i / side;
    to[i][2] = 0;
  }
}

static void
ring_in_space (const LayoutNodes *nodes, double (*to)[3])
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
torus_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  uint32_t round = MAX (views_layouts_root_of (nodes->n, 0.5), 3), along = MAX ((nodes->n + round - 1) / round, 3);
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
hypercube_in_space (const LayoutNodes *nodes, double (*to)[3])
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
tree_in_space (const LayoutNodes *nodes, double (*to)[3])
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
ball_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  double r = nodes->n > 1 ? fmax (sqrt (nodes->n / (4 * G_PI)) * 1.3, 0.7) : 0;

  for (uint32_t i = 0; i < nodes->n; i++) {
    double z = nodes->n > 1 ? 1 - 2 * (i + 0.5) / nodes->n : 0, a = G_PI * (3 - sqrt (5)) * i, flat = sqrt (1 - z * z);
    to[i][0] = r * flat * cos (a);
    to[i][1] = r * flat * sin (a);
    to[i][2] = r * z;
  }
}

/* A screw: a dozen in a turn, each turn above the one before. */
static void
helix_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  const double round = 12, wide = 2, climb = 1.2;

  for (uint32_t i = 0; i < nodes->n; i++) {
    double turns = i / round;
    to[i][0] = wide * sin (2 * G_PI * turns);
    to[i][1] = wide * cos (2 * G_PI * turns);
    to[i][2] = climb * (turns - (nodes->n - 1) / round / 2);
  }
}

/* A square for each host, on the ground; its tasks on it. */
static void
hosts_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  uint32_t n_hosts = 0, most = 1;

  for (uint32_t i = 0; i < nodes->n; i++)
    n_hosts = MAX (n_hosts, nodes->host[i] + 1);
  g_autofree uint32_t *in = g_new0 (uint32_t, n_hosts + 1), *met = g_new0 (uint32_t, n_hosts + 1);
  for (uint32_t i = 0; i < nodes->n; i++)
    most = MAX (most, ++in[nodes->host[i]]);
  uint32_t across = views_layouts_root_of (n_hosts, 0.5), rows = (n_hosts + across - 1) / MAX (across, 1);
  double pitch = views_layouts_root_of (most, 0.5) + 0.9;
  for (uint32_t i = 0; i < nodes->n; i++) {
    uint32_t h = nodes->host[i], side = views_layouts_root_of (in[h], 0.5), k = met[h]++,
             deep = (in[h] + side - 1) / side;
    to[i][0] = (h % across - (across - 1) / 2.0) * pitch + k % side - (side - 1) / 2.0;
    to[i][1] = ((rows - 1) / 2.0 - h / across) * pitch + (deep - 1) / 2.0 - k / side;
    to[i][2] = 0;
  }
}

/* Two attributes say where in the plane, a third how high; who is alike falls to one point. */
static void
sorted_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  double side = fmax (pow (nodes->n, 1.0 / 3) * 2, 3);

  for (uint32_t i = 0; i < nodes->n; i++)
    for (int k = 0; k < 3; k++) {
      double v = nodes->value[k] != NULL ? nodes->value[k][i] : 0;
      to[i][k] = isfinite (v) ? v * side : 0;
    }
}

/* ---- in the plane --------------------------------------------------------------------------------------------------------- */

static void
on_ring (uint32_t i, uint32_t n, double *x, double *y)
{
  *x = sin (2 * G_PI * i / n);
  *y = cos (2 * G_PI * i / n);
}

static void
ring_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++)
    on_ring (i, nodes->n, &to[i][0], &to[i][1]);
}

/* Columns of a mesh that is about square, and full if n has such a divisor. */
static uint32_t
columns_of (uint32_t n)
{
  uint32_t root = MAX ((uint32_t) ceil (sqrt (n)), 1);

  for (uint32_t c = root; c <= 2 * root && c <= n; c++)
    if (n % c == 0)
      return c;
  return root;
}

static void
mesh_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  uint32_t columns = columns_of (nodes->n);

  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = i % columns, to[i][1] = -(double) (i / columns);
}

/* The first half one way, at even places, the other half back at odd ones. */
static uint32_t
folded (uint32_t i, uint32_t n)
{
  return i < (n + 1) / 2 ? 2 * i : 2 * (n - 1 - i) + 1;
}

static void
torus_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  uint32_t columns = columns_of (nodes->n), rows = (nodes->n + columns - 1) / columns;

  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = folded (i % columns, columns), to[i][1] = -(double) folded (i / columns, rows);
}

/* Three bits are a cube seen from a corner, the next ones put such cubes beside and below each other. */
static void
views_layouts_corner (uint32_t number, double *x, double *y)
{
  static const double aside[] = { 1, 0, 0.42 }, down[] = { 0, 1, 0.42 };
  double scale = 1;

  *x = *y = 0;
  for (uint32_t bit = 0; number >> bit != 0; bit++) {
    if (bit > 0 && bit % 3 == 0)
      scale *= 2.1;
    *x += (number >> bit & 1) * aside[bit % 3] * scale;
    *y -= (number >> bit & 1) * down[bit % 3] * scale;
  }
}

static void
hypercube_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++)
    views_layouts_corner (i, &to[i][0], &to[i][1]);
}

static uint32_t
depth_of (uint32_t i)
{
  return 31 - (uint32_t) __builtin_clz (i + 1);
}

static void
tree_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  uint32_t deepest = nodes->n > 0 ? depth_of (nodes->n - 1) : 0;

  for (uint32_t i = 0; i < nodes->n; i++) {
    uint32_t depth = depth_of (i);
    to[i][0] = (i + 1 - (1u << depth) + 0.5) / (1u << depth) * (1u << deepest);
    to[i][1] = -(double) depth * fmax (1, (1u << deepest) / (2.0 * (deepest + 1)));
  }
}

/* Evenly over a disc, by the golden angle. */
static void
disc_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    double turn = i * G_PI * (3 - sqrt (5)), away = 0.6 * sqrt (i + 0.5);
    to[i][0] = away * sin (turn);
    to[i][1] = away * cos (turn);
  }
}

/* As long a way from each to the next, and from each turn to the one around it. */
static void
spiral_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  double turn = 2.4 * G_PI / 2, a_turn = 1.2;

  for (uint32_t i = 0; i < nodes->n; i++) {
    double away = a_turn * turn / (2 * G_PI);
    to[i][0] = away * sin (turn);
    to[i][1] = away * cos (turn);
    turn += 1 / hypot (away, a_turn / (2 * G_PI));
  }
}

static void
hosts_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  uint32_t n_groups = 0;

  for (uint32_t i = 0; i < nodes->n; i++)
    n_groups = MAX (n_groups, nodes->host[i] + 1);
  g_autofree uint32_t *in = g_new0 (uint32_t, n_groups + 1), *met = g_new0 (uint32_t, n_groups + 1);
  for (uint32_t i = 0; i < nodes->n; i++)
    in[nodes->host[i]]++;
  double far = n_groups > 1 ? 1 : 0, near = n_groups > 1 ? fmin (0.72 * sin (G_PI / n_groups), 0.42) : 1;
  for (uint32_t i = 0; i < nodes->n; i++) {
    double cx, cy, dx = 0, dy = 0;
    on_ring (nodes->host[i], n_groups, &cx, &cy);
    if (in[nodes->host[i]] > 1)
      on_ring (met[nodes->host[i]]++, in[nodes->host[i]], &dx, &dy);
    to[i][0] = far * cx + near * dx;
    to[i][1] = far * cy + near * dy;
  }
}

/* ---- by what goes between them ------------------------------------------------------------------------------------------ */

#define VERTICES_MOST 1500 /* that Graphviz places within a fraction of a second; of more, neighbours are one */
#define NEATO_MOST 150     /* better looking, and slower, than what lays out many */
#define APART 1.15         /* nodes that stand nearer than most others do */

static int
layouts_by_size (const void *a, const void *b)
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
  qsort (nearest, n, sizeof *nearest, layouts_by_size);
  double by = n > 1 ? apart / fmax (sqrt (nearest[n / 10]), 1e-6) : 1;
  for (uint32_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      at[i][k] *= by;
}

/* Between vertices of `each` nodes; where the way matters, from who sends, if one of both does. */
static LayoutEdge *
views_layouts_edges_of (const LayoutNodes *nodes, uint32_t each, bool ways)
{
  LayoutEdge *edges = g_new (LayoutEdge, nodes->n_ties + 1);

  for (uint32_t i = 0; i < nodes->n_ties; i++) {
    const LayoutTie *t = &nodes->ties[i];
    bool up = ways && t->back && !t->there;
    edges[i] = (LayoutEdge){ (up ? t->to : t->from) / each, (up ? t->from : t->to) / each, t->weight };
  }
  return edges;
}

/* `program` of Graphviz. */
static void
by_graphviz_in_space (const char *program, const LayoutNodes *nodes, double (*to)[3])
{
  uint32_t each = MAX ((nodes->n + VERTICES_MOST - 1) / VERTICES_MOST, 1), n = (nodes->n + each - 1) / each;
  uint32_t side = views_layouts_root_of (each, 1.0 / 3);
  g_autofree LayoutEdge *edges = views_layouts_edges_of (nodes, each, false);
  g_autofree double (*at)[3] = g_malloc0 (sizeof *at * (n + 1));

  if (!layout_compute_space (program, n, edges, nodes->n_ties, at)) {
    ball_in_space (nodes, to); /* nothing goes between them */
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

static void
by_graphviz_in_plane (const char *program, const LayoutNodes *nodes, double (*to)[2])
{
  uint32_t each = MAX ((nodes->n + VERTICES_MOST - 1) / VERTICES_MOST, 1), n = (nodes->n + each - 1) / each;
  uint32_t side = views_layouts_root_of (each, 1.0 / 2);
  g_autofree LayoutEdge *edges = views_layouts_edges_of (
      nodes, each, strcmp (program, "dot") == 0); /* the others do not look at it */
  g_autofree double (*at)[3] = g_malloc0 (sizeof *at * (n + 1)), *x = g_new (double, n + 1), *y = g_new (double, n + 1);
  double ratio = 1;

  layout_compute (program, n, edges, nodes->n_ties, x, y, &ratio);
  for (uint32_t i = 0; i < n; i++)
    at[i][0] = x[i] * ratio, at[i][1] = -y[i];
  scale_to (n, at, APART * (each > 1 ? side * 0.8 + 0.4 : 1));
  for (uint32_t i = 0; i < nodes->n; i++) { /* those of one vertex, a small square around it */
    uint32_t k = i % each;
    to[i][0] = at[i / each][0] + (each > 1 ? 0.8 * (k % side - (side - 1) / 2.0) : 0);
    to[i][1] = at[i / each][1] + (each > 1 ? 0.8 * (k / side - (side - 1) / 2.0) : 0);
  }
}

static void
automatic_in_space (const LayoutNodes *nodes, double (*to)[3])
{
  by_graphviz_in_space (nodes->n <= NEATO_MOST ? "neato" : "sfdp", nodes, to);
}

static void
automatic_in_plane (const LayoutNodes *nodes, double (*to)[2])
{
  by_graphviz_in_plane (nodes->n <= 14 ? "circo" : nodes->n <= 120 ? "neato" : "sfdp", nodes, to);
}

#define GRAPHVIZ(where, program, axes)                                                                                 \
  static void program##_in_##where (const LayoutNodes *nodes, double (*to)[axes])                                      \
  {                                                                                                                    \
    by_graphviz_in_##where (#program, nodes, to);                                                                      \
  }
GRAPHVIZ (plane, dot, 2)
GRAPHVIZ (plane, neato, 2)
GRAPHVIZ (plane, fdp, 2)
GRAPHVIZ (plane, sfdp, 2)
GRAPHVIZ (plane, circo, 2)
GRAPHVIZ (space, neato, 3)
GRAPHVIZ (space, sfdp, 3)

/* ---- the table ---------------------------------------------------------------------------------------------------------- */

static const GraphLayout own[] = {
  /* the first is that of scenes where one is not there */
  { .name = N_ ("hosts"), .flat = true, .place = hosts_in_space, .plane = hosts_in_plane },
  { .name = N_ ("ring"), .flat = true, .place = ring_in_space, .plane = ring_in_plane },
  { .name = N_ ("ball"), .place = ball_in_space, .plane = disc_in_plane },
  { .name = N_ ("mesh"), .flat = true, .place = mesh_in_space, .plane = mesh_in_plane },
  { .name = N_ ("cube"), .place = cube_in_space },
  { .name = N_ ("torus"), .place = torus_in_space, .plane = torus_in_plane },
  { .name = N_ ("hypercube"), .place = hypercube_in_space, .plane = hypercube_in_plane },
  { .name = N_ ("tree"), .place = tree_in_space, .plane = tree_in_plane },
  { .name = N_ ("helix"), .place = helix_in_space, .plane = spiral_in_plane },
  { .name = N_ ("graphviz"), .tied = true, .place = automatic_in_space, .plane = automatic_in_plane },
  { .name = N_ ("dot"), .tied = true, .flat = true, .plane = dot_in_plane },
  { .name = N_ ("neato"), .tied = true, .place = neato_in_space, .plane = neato_in_plane },
  { .name = N_ ("fdp"), .tied = true, .flat = true, .plane = fdp_in_plane },
  { .name = N_ ("sfdp"), .tied = true, .place = sfdp_in_space, .plane = sfdp_in_plane },
  { .name = N_ ("circo"), .tied = true, .flat = true, .plane = circo_in_plane },
  { .name = LAYOUT_TOPOLOGY, .no_space = true, .plane = ring_in_plane },
  { .name = LAYOUT_SORTED, .dynamic = true, .no_plane = true, .place = sorted_in_space },
  { .name = LAYOUT_FILE, .no_plane = true, .place = mesh_in_space },
};

static bool
views_layouts_is_offered (LayoutsWhere where, const GraphLayout *l)
{
  return where == LAYOUT_IN_PLANE ? !l->no_plane && !l->dynamic : !l->no_space;
}

const GraphLayout *
layouts_find (LayoutsWhere where, const char *name)
{
  const GraphLayout *l = NULL;

  if (strcmp (name, LAYOUT_AUTOMATIC) == 0)
    name = "graphviz";
  for (size_t i = 0; i < G_N_ELEMENTS (own) && l == NULL; i++)
    l = strcmp (own[i].name, name) == 0 ? &own[i] : NULL;
  l = l != NULL ? l : graph_layout_find (name);
  return l != NULL && views_layouts_is_offered (where, l) ? l : NULL;
}

void
layouts_offer (void *where, void (*add) (void *to, const char *name), void *to)
{
  g_autoptr (GPtrArray) others = graph_layouts ();
  LayoutsWhere at = *(const LayoutsWhere *) where;

  if (at == LAYOUT_IN_PLANE) /* by the name that it is chosen by there, before all others */
    add (to, LAYOUT_AUTOMATIC);
  for (size_t i = 0; i < G_N_ELEMENTS (own); i++)
    if (views_layouts_is_offered (at, &own[i]) && !(at == LAYOUT_IN_PLANE && strcmp (own[i].name, "graphviz") == 0))
      add (to, own[i].name);
  for (guint i = 0; i < others->len; i++)
    if (views_layouts_is_offered (at, others->pdata[i]))
      add (to, ((const GraphLayout *) others->pdata[i])->name);
}

const GraphLayout *
layouts_flat (const char *name)
{
  const GraphLayout *l = layouts_find (LAYOUT_IN_SPACE, name);

  return l != NULL && (l->flat || l->place == NULL) && !l->dynamic && !l->tied ? l : &own[0];
}
