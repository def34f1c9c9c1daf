/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-bundle.c - links along the tree of groups (D. Holten, Hierarchical Edge Bundles, 2006): each is a spline
 * from its task by the middles of the groups around it, and down by those around the other one, so that all that goes
 * between two groups goes one way.  What goes either way keeps to its right. */
#include <math.h>
#include <string.h>
#include "views/state-graph.h"

#define STRENGTH 0.85 /* 0: straight lines; 1: all by the very middles */
#define STEPS 4       /* points of a spline for each that leads it */
#define LANE_PX 2.5   /* to the right of the middle */
#define HEAD_PX 16.0  /* before the other task: where the head is a link is straight */
#define LEADS_MOST (4 * GROUPS_DEEPEST + 2)

typedef struct Middle {
  double x, y; /* px, of all that is in it */
  uint32_t n;  /* vertices, */
  uint32_t parent;
} Middle;

/* The groups that are open, or, where nobody asked for groups, hosts; `inside` is that of each vertex, or TRACE_NONE.
 * NULL: there are none. */
static Middle *
middles_of (const StateGraphView *v, const ViewScene *scene, const Picture *p, uint32_t *inside)
{
  const Groups *g = scene->groups;
  uint32_t n = 0;
  Middle *all;

  for (uint32_t i = 0; i < v->n_vertices; i++)
    inside[i] = TRACE_NONE;
  if (g != NULL && g->n_parts == v->n_vertices) {
    all = g_new0 (Middle, g->n + 1);
    for (uint32_t i = 0; i < g->n; i++)
      all[i].parent = g->all[i].parent;
    for (uint32_t i = 0; i < g->n_parts; i++)
      inside[i] = g->parts[i].inside;
    n = g->n;
  } else if (g == NULL && v->n_vertices == v->n_tasks) {
    g_autofree uint32_t *host = names_host_numbers (v->names, scene->source);
    for (uint32_t i = 0; i < v->n_tasks; i++) {
      inside[v->vertex_of[i]] = host[i];
      n = MAX (n, host[i] + 1);
    }
    all = g_new0 (Middle, n + 1);
    for (uint32_t i = 0; i < n; i++)
      all[i].parent = TRACE_NONE;
  } else {
    return NULL;
  }
  for (uint32_t i = 0; i < v->n_vertices; i++) {
    const Vertex *one = &g_array_index (p->vertices, Vertex, i);
    for (uint32_t in = one->present > 0 ? inside[i] : TRACE_NONE; in != TRACE_NONE; in = all[in].parent) {
      all[in].x += one->x;
      all[in].y += one->y;
      all[in].n++;
    }
  }
  for (uint32_t i = 0; i < n; i++)
    if (all[i].n > 0)
      all[i].x /= all[i].n, all[i].y /= all[i].n;
  return all;
}

/* From the innermost; one of a single task is where that is, and leads nobody. */
static uint32_t
groups_around_vertex (const Middle *all, uint32_t in, uint32_t to[GROUPS_DEEPEST])
{
  uint32_t n = 0;

  for (; in != TRACE_NONE && n < GROUPS_DEEPEST; in = all[in].parent)
    to[n++] = in;
  return n;
}

static void
state_graph_bundle_lead (double (*leads)[2], uint32_t *n, const Middle *m)
{
  if (m->n < 2)
    return;
  for (int twice = 0; twice < 2; twice++) { /* so that the spline comes near */
    leads[*n][0] = m->x;
    leads[(*n)++][1] = m->y;
  }
}

/* What leads a link, its ends too; 2: nothing does. */
static uint32_t
leads_of (const Middle *all, const uint32_t *inside, const Picture *p, const Link *l, double (*leads)[2])
{
  const Vertex *a = &g_array_index (p->vertices, Vertex, l->from), *b = &g_array_index (p->vertices, Vertex, l->to);
  uint32_t up[GROUPS_DEEPEST], down[GROUPS_DEEPEST], n_up = groups_around_vertex (all, inside[l->from], up),
                                                     n_down = groups_around_vertex (all, inside[l->to], down), n = 0;

  while (n_up > 0 && n_down > 0 && up[n_up - 1] == down[n_down - 1]) /* by what both are in they need not go */
    n_up--, n_down--;
  leads[n][0] = a->x;
  leads[n++][1] = a->y;
  for (uint32_t i = 0; i < n_up; i++)
    state_graph_bundle_lead (leads, &n, &all[up[i]]);
  while (n_down-- > 0)
    state_graph_bundle_lead (leads, &n, &all[down[n_down]]);
  leads[n][0] = b->x;
  leads[n++][1] = b->y;
  return n;
}

/* A point of the B-spline of those leads, clamped at both ends, of the third degree if there are four; t from 0 to 1.
 */
static void
spline (const double (*leads)[2], uint32_t n, double t, double to[2])
{
  uint32_t degree = MIN (n - 1, 3), n_spans = n - degree;
  double at = t * n_spans, part[4][2];
  uint32_t span = MIN ((uint32_t) at, n_spans - 1);

#define KNOT(i) CLAMP ((double) (i) -degree, 0, n_spans) /* 0, 0, .., 1, 2, .., n_spans, n_spans */
  for (uint32_t i = 0; i <= degree; i++)
    memcpy (part[i], leads[span + i], sizeof part[i]);
  for (uint32_t r = 1; r <= degree; r++) /* de Boor */
    for (uint32_t i = degree; i >= r; i--) {
      double from = KNOT (span + i), until = KNOT (span + i + degree + 1 - r),
             share = until > from ? (at - from) / (until - from) : 0;
      for (int k = 0; k < 2; k++)
        part[i][k] += (part[i - 1][k] - part[i][k]) * (1 - share);
    }
#undef KNOT
  memcpy (to, part[degree], sizeof part[degree]);
}

static Way
state_graph_bundle_way_of (Picture *p, const Link *l, double (*leads)[2], uint32_t n)
{
  const Vertex *a = &g_array_index (p->vertices, Vertex, l->from), *b = &g_array_index (p->vertices, Vertex, l->to);
  Way w = { p->way->len / 2, 0 };
  uint32_t n_points = STEPS * (n - 1);
  double before[2] = { a->x, a->y }, ends[2][2] = { { a->x, a->y }, { b->x, b->y } };

  for (uint32_t i = 1; i + 1 < n; i++)
    for (int k = 0; k < 2; k++) {
      double straight = ends[0][k] + (ends[1][k] - ends[0][k]) * i / (n - 1);
      leads[i][k] = STRENGTH * leads[i][k] + (1 - STRENGTH) * straight;
    }
  for (uint32_t i = 1; i < n_points; i++) {
    double t = (double) i / n_points, at[2];
    spline ((const double (*)[2]) leads, n, t, at);
    double dx = at[0] - before[0], dy = at[1] - before[1], length = fmax (hypot (dx, dy), 1e-9),
           lane = LANE_PX * fmin (1, 4 * t * (1 - t));
    memcpy (before, at, sizeof at);
    if (hypot (at[0] - a->x, at[1] - a->y) < a->radius + 4 || hypot (at[0] - b->x, at[1] - b->y) < b->radius + HEAD_PX)
      continue;
    double aside[2] = { at[0] - dy / length * lane, at[1] + dx / length * lane };
    g_array_append_vals (p->way, aside, 2);
    w.n++;
  }
  return w;
}

void
state_graph_bundle (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  if (!v->bundle || p->ways != NULL || p->links->len == 0)
    return;
  g_autofree uint32_t *inside = g_new (uint32_t, v->n_vertices + 1);
  g_autofree Middle *all = middles_of (v, scene, p, inside);
  if (all == NULL)
    return;
  p->way = g_array_new (FALSE, FALSE, sizeof (double));
  p->ways = g_new0 (Way, p->links->len + 1);
  for (guint i = 0; i < p->links->len; i++) {
    const Link *l = &g_array_index (p->links, Link, i);
    double leads[LEADS_MOST][2];
    uint32_t n = leads_of (all, inside, p, l, leads);
    if (n > 2)
      p->ways[i] = state_graph_bundle_way_of (p, l, leads, n);
    p->n_bundled += p->ways[i].n > 0;
  }
}
