/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-routes.c - tasks on the nodes of the machine that they ran on, and what goes between them along its
 * wires: each wire is as wide as what has gone over it both ways. */
#include <math.h>
#include <string.h>
#include "eve/words.h"
#include "readers/pair.h"
#include "views/chart.h"
#include "views/painter.h"
#include "views/state-graph.h"

#define EDGE 0.12    /* of the room: around the nodes, for tasks that stand beside them */
#define NOWHERE 0.14 /* and below them, for tasks that are on none */
#define LANE_PX 4.0  /* what goes one way keeps to its right */
#define NODE_PX 6.0  /* half a node */
#define NEAR 5.0     /* px beside a wire */
#define WIDEST_PX 18.0
#define NAMED_MOST 64 /* nodes */
#define RATIO 1.8     /* of the room where a file says where nodes stand */

void
state_graph_forget_topology (StateGraphView *v)
{
  g_clear_pointer (&v->topology, topology_free);
  g_clear_pointer (&v->topology_problem, g_free);
  g_clear_pointer (&v->task_node, g_free);
  g_clear_pointer (&v->vertex_node, g_free);
  g_clear_pointer (&v->node_at, g_free);
}

/* Where the file says, else by Graphviz. */
static void
place_nodes (StateGraphView *v, double *x, double *y)
{
  uint32_t n = topology_n (v->topology), n_wires;
  const TopologyWire *wires = topology_wires (v->topology, &n_wires);

  v->ratio = RATIO;
  if (!topology_place (v->topology, 0, &x[0], &y[0])) {
    g_autofree LayoutEdge *edges = g_new (LayoutEdge, n_wires + 1);
    for (uint32_t i = 0; i < n_wires; i++)
      edges[i] = (LayoutEdge){ wires[i].a, wires[i].b, 1 };
    layout_compute (n <= 120 ? "neato" : "sfdp", n, edges, n_wires, x, y, &v->ratio);
    v->ratio = CLAMP (v->ratio, 0.7, 1.8);
    return;
  }
  for (uint32_t i = 1; i < n; i++)
    topology_place (v->topology, i, &x[i], &y[i]);
}

static void
place_tasks (StateGraphView *v, const double *x, const double *y, const double *room, double foot)
{
  uint32_t n = topology_n (v->topology), n_nowhere = 0, nowhere = 0;
  g_autofree uint32_t *on = g_new0 (uint32_t, n + 1), *met = g_new0 (uint32_t, n + 1);

  for (uint32_t i = 0; i < v->n_vertices; i++)
    if (v->vertex_node[i] != TRACE_NONE)
      on[v->vertex_node[i]]++;
    else
      n_nowhere++;
  for (uint32_t i = 0; i < v->n_vertices; i++) {
    uint32_t node = v->vertex_node[i];
    if (node == TRACE_NONE) {
      v->x[i] = (nowhere++ + 0.5) / n_nowhere;
      v->y[i] = 1;
    } else {
      state_graph_place_member (met[node]++, on[node], x[node], y[node] * foot, room[node] * foot, v->ratio, &v->x[i],
                                &v->y[i]);
    }
  }
}

bool
state_graph_lay_on_topology (StateGraphView *v, const ViewScene *scene)
{
  bool any = false;

  state_graph_forget_topology (v);
  v->topology = topology_read (scene->bundle, &v->topology_problem);
  if (v->topology_problem != NULL)
    eve_warn ((EveComponent *) v, "%s", v->topology_problem);
  if (v->topology == NULL) {
    if (v->topology_problem == NULL)
      v->topology_problem = g_strdup (_ ("no file topology tells of the machine: as a ring"));
    return false;
  }
  uint32_t n = topology_n (v->topology);
  g_autofree double *x = g_new0 (double, n + 1), *y = g_new0 (double, n + 1), *room = g_new0 (double, n + 1);
  v->task_node = topology_nodes_of_tasks (v->topology, v->names, scene->source, v->n_tasks);
  v->vertex_node = g_new (uint32_t, v->n_vertices + 1);
  memset (v->vertex_node, 0xff, v->n_vertices * sizeof *v->vertex_node);
  for (uint32_t i = v->n_tasks; i-- > 0;) /* the first that has one */
    if (v->task_node[i] != TRACE_NONE)
      v->vertex_node[v->vertex_of[i]] = v->task_node[i];
  for (uint32_t i = 0; i < v->n_vertices; i++)
    any |= v->vertex_node[i] == TRACE_NONE;
  place_nodes (v, x, y);
  for (uint32_t i = 0; i < n; i++) {
    x[i] = EDGE + (1 - 2 * EDGE) * x[i];
    y[i] = EDGE + (1 - 2 * EDGE) * y[i];
  }
  for (uint32_t i = 0; i < n; i++)
    room[i] = fmin (state_graph_room_of (x, y, i, n), EDGE);
  double foot = any ? 1 - NOWHERE : 1;
  place_tasks (v, x, y, room, foot);
  v->node_at = g_malloc (sizeof *v->node_at * (n + 1));
  for (uint32_t i = 0; i < n; i++)
    v->node_at[i][0] = x[i], v->node_at[i][1] = y[i] * foot;
  return true;
}

/* ---- sums and ways ---------------------------------------------------------------------------------------------------------- */

/* What has gone over each wire so far; g_free. */
static double *
sum_wires (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of)
{
  uint32_t n_wires, n;
  const StateGraph *g = scene->graph;

  topology_wires (v->topology, &n_wires);
  double *total = g_new0 (double, n_wires + 1);
  g_autoptr (GHashTable) counted = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  for (uint32_t i = 0; g != NULL && i < g->n_edges; i++) {
    double bytes = state_graph_bytes (v, scene, i, task_of, counted);
    uint32_t from, to;
    if (!(bytes > 0))
      continue;
    g->edge_ends (g, i, &from, &to);
    from = v->task_node[task_of[from]], to = v->task_node[task_of[to]];
    const uint32_t *way = from != TRACE_NONE && to != TRACE_NONE ? topology_route (v->topology, from, to, &n) : NULL;
    for (uint32_t k = 1; way != NULL && k < n; k++)
      total[topology_wire (v->topology, way[k - 1], way[k])] += bytes;
  }
  return total;
}

static void
add_point (Picture *p, double x, double y)
{
  double at[2] = { x, y };

  g_array_append_vals (p->way, at, 2);
}

/* The points between both ends of a link, each so far to the right of who goes there that what comes the other way has
 * a lane of its own. */
static Way
state_graph_routes_way_of (const Picture *p, const Vertex *a, const Vertex *b, const uint32_t *nodes, uint32_t n)
{
  Way w = { p->way->len / 2, 0 };
  uint32_t first = hypot (p->nodes[nodes[0]][0] - a->x, p->nodes[nodes[0]][1] - a->y) < 1 ? 1 : 0,
           last = hypot (p->nodes[nodes[n - 1]][0] - b->x, p->nodes[nodes[n - 1]][1] - b->y) < 1 ? n - 1 : n;

  for (uint32_t i = first; i < last; i++) {
    const double *at = p->nodes[nodes[i]], own[2] = { a->x, a->y }, other[2] = { b->x, b->y },
                 *before = i > first ? p->nodes[nodes[i - 1]] : own,
                 *after = i + 1 < last ? p->nodes[nodes[i + 1]] : other;
    double dx = after[0] - before[0], dy = after[1] - before[1], length = MAX (hypot (dx, dy), 1);
    add_point ((Picture *) p, at[0] - dy / length * LANE_PX, at[1] + dx / length * LANE_PX);
    w.n++;
  }
  return w;
}

void
state_graph_route (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, Picture *p)
{
  p->topology_problem = v->topology_problem;
  if (v->topology == NULL)
    return;
  uint32_t n = topology_n (v->topology), n_wires, n_nodes;
  const TopologyWire *wires = topology_wires (v->topology, &n_wires);
  g_autofree double *total = sum_wires (v, scene, task_of);
  p->topology = v->topology;
  p->nodes = g_malloc (sizeof *p->nodes * (n + 1));
  p->wires = g_array_new (FALSE, FALSE, sizeof (Wire));
  p->way = g_array_new (FALSE, FALSE, sizeof (double));
  p->ways = g_new0 (Way, p->links->len + 1);
  for (uint32_t i = 0; i < n; i++) {
    p->nodes[i][0] = p->origin_x + v->node_at[i][0] * p->room_x;
    p->nodes[i][1] = p->origin_y + v->node_at[i][1] * p->room_y;
  }
  for (uint32_t i = 0; i < n_wires; i++) {
    const double *a = p->nodes[wires[i].a], *b = p->nodes[wires[i].b];
    Wire w = { a[0], a[1], b[0], b[1], total[i] };
    g_array_append_val (p->wires, w);
  }
  for (uint32_t i = 0; i < v->n_tasks; i++)
    p->n_nowhere += v->task_node[i] == TRACE_NONE && g_array_index (p->vertices, Vertex, v->vertex_of[i]).present > 0;
  for (guint i = 0; i < p->links->len; i++) {
    const Link *l = &g_array_index (p->links, Link, i);
    const Vertex *a = &g_array_index (p->vertices, Vertex, l->from), *b = &g_array_index (p->vertices, Vertex, l->to);
    uint32_t from = v->vertex_node[l->from], to = v->vertex_node[l->to];
    if (a->present == 0 || b->present == 0 || (from == to && from != TRACE_NONE))
      continue;
    const uint32_t *way = from != TRACE_NONE && to != TRACE_NONE ? topology_route (v->topology, from, to, &n_nodes)
                                                                 : NULL;
    if (way != NULL)
      p->ways[i] = state_graph_routes_way_of (p, a, b, way, n_nodes);
    else
      p->n_wayless++;
  }
}

/* ---- painting ----------------------------------------------------------------------------------------------------------------- */

static const Wire *
busiest (const Picture *p, guint *number)
{
  const Wire *most = NULL;

  for (guint i = 0; p->wires != NULL && i < p->wires->len; i++) {
    const Wire *w = &g_array_index (p->wires, Wire, i);
    if (w->total > (most != NULL ? most->total : 0)) {
      most = w;
      *number = i;
    }
  }
  return most;
}

void
state_graph_draw_wires (Paint *paint, const Picture *p)
{
  guint number;
  const Wire *most = busiest (p, &number);
  cairo_t *cr = paint->cr;

  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  for (guint i = 0; p->wires != NULL && i < p->wires->len; i++) {
    const Wire *w = &g_array_index (p->wires, Wire, i);
    double share = most != NULL ? w->total / most->total : 0;
    paint_source (cr, paint_mix (paint->grid, paint->muted, (share > 0 ? 0.08 : 0) + 0.34 * share), 1);
    cairo_set_line_width (cr, 2.5 + WIDEST_PX * sqrt (share));
    cairo_move_to (cr, w->x0, w->y0);
    cairo_line_to (cr, w->x1, w->y1);
    cairo_stroke (cr);
  }
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_BUTT);
}

/* Whether a task stands at it and covers it. */
static bool
is_covered (const Picture *p, const double *at)
{
  for (guint i = 0; i < p->vertices->len; i++) {
    const Vertex *v = &g_array_index (p->vertices, Vertex, i);
    if (v->present > 0 && hypot (v->x - at[0], v->y - at[1]) < v->radius)
      return true;
  }
  return false;
}

bool
state_graph_shows_node (const Picture *p, uint32_t node, bool *named)
{
  *named = topology_n (p->topology) <= NAMED_MOST;
  return !*named || !is_covered (p, p->nodes[node]);
}

void
state_graph_draw_nodes (Paint *paint, const Picture *p)
{
  cairo_t *cr = paint->cr;
  uint32_t n = p->topology != NULL ? topology_n (p->topology) : 0;

  for (uint32_t i = 0; i < n; i++) {
    const double *at = p->nodes[i];
    bool named;
    if (!state_graph_shows_node (p, i, &named))
      continue;
    cairo_rectangle (cr, at[0] - NODE_PX, at[1] - NODE_PX, 2 * NODE_PX, 2 * NODE_PX);
    paint_source (cr, paint->paper, 1);
    cairo_fill_preserve (cr);
    paint_source (cr, paint->muted, 1);
    cairo_set_line_width (cr, 2);
    cairo_stroke (cr);
    if (!named)
      continue;
    const char *name = topology_name (p->topology, i);
    double width = paint_text_width (paint, PAINT_SMALL, name), y = at[1] + NODE_PX + 10;
    paint_source (cr, paint->paper, 0.85);
    cairo_rectangle (cr, at[0] - width / 2 - 2, y - 7, width + 4, 14);
    cairo_fill (cr);
    paint_text (paint, at[0], y, 0.5, PAINT_SMALL, paint->muted, 0, name);
  }
}

void
state_graph_mark_wires (Drawing *d, const ViewScene *scene, const Picture *p)
{
  for (guint i = 0; p->wires != NULL && i < p->wires->len && drawing_room (d) > 0; i++) {
    const Wire *w = &g_array_index (p->wires, Wire, i);
    drawing_mark_line (d, (const double[]){ w->x0, w->y0, w->x1, w->y1 }, 2, NEAR,
                       &(DrawingTag){ DRAWING_NO_DATES, .index = i, .part = STATE_GRAPH_WIRE });
  }
}

static void
put_wire (const Picture *p, guint i, GString *to)
{
  uint32_t n;
  const TopologyWire *w = &topology_wires (p->topology, &n)[i];
  g_autofree char *bytes = paint_bytes (g_array_index (p->wires, Wire, i).total);

  g_string_append_printf (to, _ ("%s \u2013 %s: %s"), topology_name (p->topology, w->a),
                          topology_name (p->topology, w->b), bytes);
}

void
state_graph_note_wires (const Picture *p, GString *note)
{
  guint number;

  if (busiest (p, &number) == NULL)
    return;
  g_string_append (note, _ ("; busiest wire "));
  put_wire (p, number, note);
}

void
state_graph_say_wire (const Picture *p, uint32_t wire, GString *name)
{
  if (p->wires == NULL || wire >= p->wires->len)
    return;
  g_string_append (name, _ ("wire "));
  put_wire (p, wire, name);
  g_string_append (name, _ (" so far, both ways"));
}

void
state_graph_put_wires (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, GString *to)
{
  const StateModel *m = scene->graph->model;
  int traffic = state_with_role (m, STATE_EDGE, STATE_ROLE_TRAFFIC);
  uint32_t n;

  if (v->topology == NULL)
    return;
  const TopologyWire *wires = topology_wires (v->topology, &n);
  g_autofree double *total = sum_wires (v, scene, task_of);
  for (uint32_t i = 0; i < n; i++) {
    g_autofree char *id = g_strdup_printf ("%s--%s", topology_name (v->topology, wires[i].a),
                                           topology_name (v->topology, wires[i].b));
    g_string_append (to, "wire,");
    stats_csv_text (to, id);
    for (uint32_t a = 0; a < m->n_attributes; a++) {
      if (m->attributes[a].scope == STATE_GRAPH)
        continue;
      g_string_append (to, ",\"");
      if ((int) a == traffic)
        g_string_append_printf (to, "%.0f", total[i]);
      g_string_append_c (to, '"');
    }
    g_string_append (to, "\r\n");
  }
}
