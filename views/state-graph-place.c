/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-place.c - which vertices there are, and where they stand.
 *
 * Positions come from the traffic of the whole execution, so that they stay when tasks appear; then what was kept with
 * the trace holds, and over it what was dragged.  Above CLUSTERS_FROM tasks, tasks of one host, or neighbours, are put
 * together. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "eve/words.h"
#include "views/groups.h"
#include "views/state-graph.h"
#include "views/ties.h"

#define CLUSTERS_FROM GROUPS_ALONE_MOST
#define CLUSTERS 48
#define SOON_LAID_OUT 120 /* vertices: so few are laid out again each time the film knows more links */
#define BESIDE 0.25       /* of the layout's room: so far beside it a task may be dragged */

#define FOOT 0.14 /* of the room, below, for those that a layout leaves out */

const GraphLayout *
state_graph_layout (const StateGraphView *v)
{
  const GraphLayout *l = layouts_find (LAYOUT_IN_PLANE, v->layout);

  return l != NULL ? l : layouts_find (LAYOUT_IN_PLANE, LAYOUT_AUTOMATIC);
}

void
state_graph_forget (StateGraphView *v)
{
  g_clear_pointer (&v->names, names_free);
  g_clear_pointer (&v->vertex_of, g_free);
  g_clear_pointer (&v->x, g_free);
  g_clear_pointer (&v->y, g_free);
  g_clear_pointer (&v->film, g_free);
  g_clear_pointer (&v->laid_out, g_free);
  state_graph_forget_topology (v);
  v->n_tasks = v->n_vertices = 0;
  v->cut = 0;
  v->by_host = v->is_placed = false;
}

/* The parts of a cut, as far as there is room for them: else neighbours are put together. */
static uint32_t
make_parts (StateGraphView *v, const Groups *g)
{
  uint32_t each = (g->n_parts + CLUSTERS_FROM - 1) / CLUSTERS_FROM, n = (g->n_parts + each - 1) / MAX (each, 1);
  bool more = false;

  v->cut = g->serial;
  v->vertex_of = g_new (uint32_t, v->n_tasks + 1);
  for (uint32_t i = 0; i < v->n_tasks; i++) {
    bool known = i < g->n_tasks;
    v->vertex_of[i] = known ? g->part_of[i] / each : n; /* newer than the groups */
    more |= !known;
  }
  return n + more;
}

/* One vertex a task; or one a host where that makes neither too many nor too few; or one for so many
 * neighbours. */
static uint32_t
make_vertices (StateGraphView *v, const TraceSource *s)
{
  g_autoptr (GHashTable) hosts = g_hash_table_new (g_str_hash, g_str_equal);
  uint32_t n = v->n_tasks, each;

  v->vertex_of = g_new (uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++)
    v->vertex_of[i] = i;
  if (n <= CLUSTERS_FROM)
    return n;
  for (uint32_t i = 0; i < n; i++) {
    const char *host = names_host (v->names, s, i);
    gpointer number = g_hash_table_lookup (hosts, host);
    if (number == NULL)
      g_hash_table_insert (hosts, (gpointer) host, number = GUINT_TO_POINTER (g_hash_table_size (hosts) + 1));
    v->vertex_of[i] = GPOINTER_TO_UINT (number) - 1;
  }
  v->by_host = g_hash_table_size (hosts) >= 8 && g_hash_table_size (hosts) <= 2 * CLUSTERS;
  if (v->by_host)
    return g_hash_table_size (hosts);
  each = (n + CLUSTERS - 1) / CLUSTERS;
  for (uint32_t i = 0; i < n; i++)
    v->vertex_of[i] = i / each;
  return (n + each - 1) / each;
}

/* The host of each vertex; of several, that of one of them. */
static uint32_t *
hosts_of (const StateGraphView *v, uint32_t n, const ViewScene *scene)
{
  g_autofree uint32_t *host = names_host_numbers (v->names, scene->source);
  uint32_t *of = g_new0 (uint32_t, n + 1);

  for (uint32_t i = 0; i < v->n_tasks; i++)
    of[v->vertex_of[i]] = host[i];
  return of;
}

/* As vertex_of has them now. */
static LayoutTie *
state_graph_place_ties_of (StateGraphView *v, const ViewScene *scene, const uint32_t *of_node, uint32_t *n)
{
  uint32_t n_nodes = scene->graph != NULL ? scene->graph->n_nodes : 0;
  g_autofree uint32_t *vertices = g_new (uint32_t, n_nodes + 1);

  for (uint32_t i = 0; i < n_nodes; i++)
    vertices[i] = of_node[i] != TRACE_NONE ? v->vertex_of[of_node[i]] : TRACE_NONE;
  return ties_gather (v->names, v->film, scene, &(TiesWhere){ v->vertex_of, v->n_tasks, vertices }, n);
}

/* As far as the room reaches, y downward, and its width to its height; who is nowhere, in a row below; gives how many
 * those are. */
static uint32_t
state_graph_place_fill_room (uint32_t n, const double (*at)[2], double *x, double *y, double *ratio)
{
  double low[2] = { INFINITY, INFINITY }, high[2] = { -INFINITY, -INFINITY }, wide[2];
  uint32_t n_out = 0, nth = 0;

  for (uint32_t i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) { /* NaN is passed over */
      low[k] = fmin (low[k], at[i][k]);
      high[k] = fmax (high[k], at[i][k]);
    }
    n_out += isnan (at[i][0]);
  }
  for (int k = 0; k < 2; k++)
    wide[k] = n_out < n && high[k] - low[k] > 0.01 ? high[k] - low[k] : 0; /* neighbours are one unit apart */
  *ratio = wide[0] > 0 && wide[1] > 0 ? wide[0] / wide[1] : wide[0] > 0 ? 100 : wide[1] > 0 ? 0.01 : 1;
  double foot = n_out > 0 && n_out < n ? 1 - FOOT : 1;
  for (uint32_t i = 0; i < n; i++)
    if (isnan (at[i][0])) {
      x[i] = (nth++ + 0.5) / n_out;
      y[i] = n_out < n ? 1 : 0.5;
    } else {
      x[i] = wide[0] > 0 ? (at[i][0] - low[0]) / wide[0] : 0.5;
      y[i] = (wide[1] > 0 ? (high[1] - at[i][1]) / wide[1] : 0.5) * foot;
    }
  return n_out;
}

/* ---- the parts of a cut: groups stay where they are while others are opened ----------------------------------------------- */

static uint32_t
vertex_of_group (const StateGraphView *v, const Groups *g, uint32_t group)
{
  return v->vertex_of[g->order[g->all[group].first]];
}

void
state_graph_place_member (uint32_t i, uint32_t n, double x, double y, double room, double ratio, double *to_x,
                          double *to_y)
{
  double turn = n <= 12 ? 2 * G_PI * i / n : i * 2.399963229728653, /* the golden angle: even over a disc */
      away = n == 1    ? 0
             : n <= 12 ? room
                       : room * sqrt ((i + 0.5) / n);

  *to_x = x + away * sin (turn) / MAX (ratio, 1);
  *to_y = y - away * cos (turn) * MIN (ratio, 1);
}

static void
place_group (StateGraphView *v, const Groups *g, uint32_t group, double x, double y, double room)
{
  const Group *one = &g->all[group];
  uint32_t below = group + 1 < one->end ? g->all[group + 1].first : one->first + one->n, nth = 0;
  double less = one->n_members <= 12 ? room * MIN (0.45, 0.8 * sin (G_PI / MAX (one->n_members, 2)))
                                     : 0.7 * room / sqrt (one->n_members),
         at_x, at_y;

  if (!one->open) {
    v->x[vertex_of_group (v, g, group)] = x;
    v->y[vertex_of_group (v, g, group)] = y;
    return;
  }
  for (uint32_t k = one->first; k < below; k++) {
    uint32_t vertex = v->vertex_of[g->order[k]];
    state_graph_place_member (nth++, one->n_members, x, y, room, v->ratio, &v->x[vertex], &v->y[vertex]);
  }
  for (uint32_t i = group + 1; i < one->end; i = g->all[i].end) {
    state_graph_place_member (nth++, one->n_members, x, y, room, v->ratio, &at_x, &at_y);
    place_group (v, g, i, at_x, at_y, less);
  }
}

/* The group in no other that a task is in, numbered from 0, then tasks in none; by task; g_free. */
static uint32_t *
outermost_of (const StateGraphView *v, const Groups *g, uint32_t *n)
{
  uint32_t *of = g_new (uint32_t, v->n_tasks + 1);

  *n = 0;
  memset (of, 255, (v->n_tasks + 1) * sizeof *of);
  for (uint32_t i = 0; i < g->n; i = g->all[i].end, ++*n)
    for (uint32_t k = 0; k < g->all[i].n; k++)
      of[g->order[g->all[i].first + k]] = *n;
  for (uint32_t i = 0; i < v->n_tasks; i++)
    if (of[i] == TRACE_NONE)
      of[i] = (*n)++;
  return of;
}

double
state_graph_room_of (const double *x, const double *y, uint32_t i, uint32_t n)
{
  double least = n > 1 ? INFINITY : 1;

  for (uint32_t k = 0; k < n; k++)
    if (k != i)
      least = fmin (least, hypot (x[k] - x[i], y[k] - y[i]));
  return 0.4 * fmax (least, 0.02);
}

static void
place_parts (StateGraphView *v, const Groups *g, const uint32_t *outer, uint32_t n, const double *x, const double *y)
{
  uint32_t next = 0;

  for (uint32_t i = 0; i < g->n; i = g->all[i].end, next++)
    place_group (v, g, i, x[next], y[next], state_graph_room_of (x, y, next, n));
  for (uint32_t i = 0; i < v->n_tasks; i++)
    if (outer[i] >= next) {
      v->x[v->vertex_of[i]] = x[outer[i]];
      v->y[v->vertex_of[i]] = y[outer[i]];
    }
}

static void
state_graph_place_lay_out (StateGraphView *v, const ViewScene *scene, const uint32_t *of_node)
{
  const GraphLayout *layout = state_graph_layout (v);
  bool by_cut = scene->groups != NULL && scene->groups->n_parts == v->n_vertices
                && strcmp (layout->name, LAYOUT_TOPOLOGY) != 0;
  const Groups *groups = by_cut ? scene->groups : NULL;
  uint32_t n = v->n_vertices, n_ties = 0, *vertices = v->vertex_of;
  g_autofree uint32_t *outer = groups != NULL ? outermost_of (v, groups, &n) : NULL;

  if (outer != NULL) /* for as long as traffic is summed up, and hosts are asked for */
    v->vertex_of = outer;
  g_autofree LayoutTie *ties = layout->tied ? state_graph_place_ties_of (v, scene, of_node, &n_ties) : NULL;
  g_autofree uint32_t *hosts = hosts_of (v, n, scene);
  v->vertex_of = vertices;
  v->laid_links = n_ties;
  v->n_edges = scene->graph != NULL ? scene->graph->n_edges : 0;
  v->n_left_out = 0;
  g_free (v->x);
  g_free (v->y);
  v->x = g_new0 (double, 2 * v->n_vertices + 1);
  v->y = g_new0 (double, 2 * v->n_vertices + 1);
  if (strcmp (layout->name, LAYOUT_TOPOLOGY) != 0 || !state_graph_lay_on_topology (v, scene)) {
    LayoutNodes nodes = { .n = n, .host = hosts, .ties = ties, .n_ties = n_ties };
    g_autofree double (*at)[2] = g_malloc0 (sizeof *at * (n + 1)), *x = g_new0 (double, n + 1),
                      *y = g_new0 (double, n + 1);
    graph_layout_in_plane (layout, &nodes, at);
    v->n_left_out = state_graph_place_fill_room (n, (const double (*)[2]) at, x, y, &v->ratio);
    if (groups != NULL) {
      v->ratio = CLAMP (v->ratio, 0.7, 1.8); /* a chain of groups leaves room around each of them */
      for (uint32_t k = 0; k < n; k++) {     /* those at the edge have room around them too */
        double edge = n <= 4 ? 0.24 : 0.1;
        x[k] = n > 1 ? edge + (1 - 2 * edge) * x[k] : 0.5;
        y[k] = n > 1 ? edge + (1 - 2 * edge) * y[k] : 0.5;
      }
      place_parts (v, groups, outer, n, x, y);
    } else {
      memcpy (v->x, x, n * sizeof *x);
      memcpy (v->y, y, n * sizeof *y);
    }
  }
  memcpy (v->x + v->n_vertices, v->x, v->n_vertices * sizeof *v->x);
  memcpy (v->y + v->n_vertices, v->y, v->n_vertices * sizeof *v->y);
}

/* Whether there are links that the layout was made without, and asks for. */
static bool
has_more_links (StateGraphView *v, const StateGraph *graph)
{
  if (!state_graph_layout (v)->tied)
    return false;
  bool in_film = v->film != NULL && names_more_traffic (v->names, v->film);
  return (in_film && (v->laid_links == 0 || v->n_vertices <= SOON_LAID_OUT))
         || (v->laid_links == 0 && graph != NULL && graph->n_edges > v->n_edges);
}

/* "ID X Y, ID X Y" into id -> double[2]; what is not understood is left out. */
static GHashTable *
state_graph_place_read_positions (const char *text)
{
  GHashTable *found = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (char **part = parts; *part != NULL; part++) {
    g_auto (GStrv) words = g_strsplit (g_strstrip (*part), " ", -1);
    double at[2];
    if (g_strv_length (words) != 3)
      continue;
    for (int i = 0; i < 2; i++)
      at[i] = g_ascii_strtod (words[1 + i], NULL);
    if (at[0] >= -BESIDE && at[0] <= 1 + BESIDE && at[1] >= -BESIDE && at[1] <= 1 + BESIDE)
      g_hash_table_insert (found, g_strdup (words[0]), g_memdup2 (at, sizeof at));
  }
  return found;
}

static void
state_graph_place_take_positions (StateGraphView *v, const TraceSource *s, GHashTable *from)
{
  g_autofree uint32_t *n = g_new0 (uint32_t, v->n_vertices + 1);

  for (uint32_t k = 0; k < v->n_tasks; k++)
    n[v->vertex_of[k]]++;
  for (uint32_t k = 0; k < v->n_tasks; k++) {
    const double *at = n[v->vertex_of[k]] == 1 ? g_hash_table_lookup (from, names_id (v->names, s, k)) : NULL;
    if (at != NULL) {
      v->x[v->vertex_of[k]] = at[0];
      v->y[v->vertex_of[k]] = at[1];
    }
  }
}

static void
state_graph_place_keep_positions (StateGraphView *v, const ViewScene *scene)
{
  g_autofree char **ids = g_new (char *, v->n_tasks + 1);
  g_autoptr (GError) error = NULL;

  for (uint32_t k = 0; k < v->n_tasks; k++)
    ids[v->vertex_of[k]] = (char *) names_id (v->names, scene->source, k);
  if (!layout_write (scene->bundle, 2, ids, (const double *const[]){ v->x, v->y }, v->n_tasks, &error))
    eve_warn ((EveComponent *) v, _ ("the positions are not kept: %s"), error->message);
}

/* What was kept and what was dragged, over what Graphviz says. */
static void
state_graph_place_settle (StateGraphView *v, const ViewScene *scene)
{
  g_autoptr (GHashTable) kept = layout_read (scene->bundle, 2),
                         dragged = state_graph_place_read_positions (v->positions);

  memcpy (v->x, v->x + v->n_vertices, v->n_vertices * sizeof *v->x);
  memcpy (v->y, v->y + v->n_vertices, v->n_vertices * sizeof *v->y);
  v->is_placed = true;
  if (v->n_vertices < v->n_tasks && scene->groups == NULL)
    return;
  state_graph_place_take_positions (v, scene->source, kept);
  state_graph_place_take_positions (v, scene->source, dragged);
  if (v->keep && scene->bundle != NULL && v->n_vertices == v->n_tasks)
    state_graph_place_keep_positions (v, scene);
}

uint32_t *
state_graph_prepare (StateGraphView *v, const ViewScene *scene)
{
  uint32_t *of_node;

  if (v->n_tasks == 0 || g_strcmp0 (v->film, view_tasks (scene)) != 0 || g_strcmp0 (v->laid_out, v->layout) != 0
      || v->cut != (scene->groups != NULL ? scene->groups->serial : 0)
      || names_count (v->names, scene->source) != v->n_tasks) {
    state_graph_forget (v);
    v->film = g_strdup (view_tasks (scene));
    v->names = names_read (v->film);
    v->n_tasks = names_count (v->names, scene->source);
    v->n_vertices = scene->groups != NULL && v->n_tasks > 0 ? make_parts (v, scene->groups)
                                                            : make_vertices (v, scene->source);
    v->laid_out = g_strdup (v->layout);
  }
  of_node = names_tasks_of_nodes (v->names, scene->source, scene->graph);
  if (has_more_links (v, scene->graph) || v->x == NULL) {
    state_graph_place_lay_out (v, scene, of_node);
    v->is_placed = false;
  }
  if (!v->is_placed)
    state_graph_place_settle (v, scene);
  return of_node;
}

#define SIZED 1.5 /* the largest disc where a rule says how large they are, of what all are else */

/* px, of a task where there are `n` vertices. */
static double
usual_radius (uint32_t n)
{
  return n <= 6 ? 30 : n <= 16 ? 24 : n <= 40 ? 17 : n <= 100 ? 11 : 7;
}

static double
radius_of (const Vertex *vertex, uint32_t n, bool cluster, double room)
{
  double r = usual_radius (n);

  if (cluster)
    r = CLAMP (3.2 * sqrt (vertex->n), MAX (14, 0.8 * r), 34);
  return MIN (r, room / 8);
}

/* Discs are at most so large that none lies on another where the layout has them; what was dragged onto another may. */
static double
largest_radius (const StateGraphView *v, double width, double height)
{
  const double *x = v->x + v->n_vertices, *y = v->y + v->n_vertices;
  double least = INFINITY;

  for (uint32_t i = 0; i < v->n_vertices; i++)
    for (uint32_t k = 0; k < i; k++) {
      double dx = (x[i] - x[k]) * width, dy = (y[i] - y[k]) * height;
      least = fmin (least, dx * dx + dy * dy);
    }
  return fmax (0.46 * sqrt (least) - 1, 3);
}

/* The same of each, for all that are members of one open group, or of none: those that are open are crowded, the others
 * are not, and members that are as large as each other look so; g_free. */
static double *
member_radii (const StateGraphView *v, const Groups *g, double width, double height)
{
  const double *x = v->x + v->n_vertices, *y = v->y + v->n_vertices;
  bool known = g->n_parts == v->n_vertices;
  double *most = g_new (double, v->n_vertices + 1);
  g_autofree double *of = g_new (double, g->n + 1); /* by the open group they are in; the last: none */

  for (uint32_t k = 0; k <= g->n; k++)
    of[k] = INFINITY;
  for (uint32_t i = 0; i < v->n_vertices; i++) {
    uint32_t in = known ? MIN (g->parts[i].inside, g->n) : g->n;
    for (uint32_t k = 0; k < v->n_vertices; k++)
      if (k != i)
        of[in] = fmin (of[in], hypot ((x[i] - x[k]) * width, (y[i] - y[k]) * height));
  }
  for (uint32_t i = 0; i < v->n_vertices; i++)
    most[i] = fmax (0.46 * of[known ? MIN (g->parts[i].inside, g->n) : g->n] - 1, 3);
  return most;
}

void
state_graph_place (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  /* Room for labels, less of it where there is little. */
  double margin = v->n_vertices <= 16 && scene->groups == NULL ? 70 : 46, across = MIN (margin, scene->width_px * 0.2),
         up = MIN (margin, scene->height_px * 0.11);
  double width, height;

  p->left = across;
  p->top = MIN (48, 30 + scene->height_px * 0.05) + up / 2 + p->key_px;
  p->left += state_graph_axis_px (p, 1);
  p->width = MAX (scene->width_px - across - p->left, 20);
  /* below rings stand their names, and below these what is told of those who have ended */
  double below = scene->groups != NULL || p->clusters ? 30 : 14;
  p->height = MAX (scene->height_px - p->top - up - below - state_graph_axis_px (p, 0), 20);
  /* The shape of the layout, stretched by half at most; of a few, square if there is room, as wide as need be if there
   * is not. */
  double ratio = CLAMP (v->ratio, p->width / p->height / 1.5, p->width / p->height * 1.5);
  bool few = v->n_vertices <= 6 && scene->groups == NULL; /* what is in groups stays where it is while they open */
  if (few)
    ratio = p->height >= 220
                ? CLAMP (v->ratio, 0.8, 1.3)
                : CLAMP (v->ratio, 0.8, MAX (1.3, p->width / p->height)) * CLAMP (p->width / p->height / 1.3, 1, 2);
  width = MIN (p->width, p->height * ratio);
  height = MIN (p->height, p->width / ratio);
  if (few)
    width = MIN (width, 460), height = MIN (height, 460);
  bool along = p->along[0] != NULL || p->along[1] != NULL;
  if (along) /* all the room there is */
    width = p->width, height = p->height;
  p->origin_x = p->left + (p->width - width) / 2;
  p->origin_y = p->top + (p->height - height) / 2;
  p->room_x = width;
  p->room_y = height;
  double largest = along                   ? fmax (0.25 * sqrt (width * height / MAX (v->n_vertices, 1)), 3)
                   : scene->groups != NULL ? INFINITY
                                           : largest_radius (v, width, height);
  g_autofree double *of_members = along || scene->groups == NULL ? NULL
                                                                 : member_radii (v, scene->groups, width, height);
  for (uint32_t i = 0; i < v->n_vertices; i++) {
    Vertex *vertex = &g_array_index (p->vertices, Vertex, i);
    vertex->x = CLAMP (p->origin_x + v->x[i] * width, 12, MAX (scene->width_px - 12, 12));
    vertex->y = CLAMP (p->origin_y + v->y[i] * height, 40, MAX (scene->height_px - 12, 40));
    double most = of_members == NULL ? largest : of_members[i];
    bool alone = vertex->n < 2 && scene->groups != NULL; /* beside groups, smaller than they are */
    vertex->radius = MIN (radius_of (vertex, v->n_vertices, p->clusters && !alone, MIN (width, height)), most);
    if (alone && p->clusters)
      vertex->radius = MIN (vertex->radius, MAX (12, 0.6 * usual_radius (v->n_vertices)));
    bool sized = vertex->n < 2 || p->together.channels >> LOOK_SIZE & 1;
    if (p->task_looks != NULL && sized && LOOK_HAS (&p->task_looks[i], LOOK_SIZE))
      vertex->radius = MAX (MIN (vertex->radius * SIZED, MAX (most, vertex->radius)) * sqrt (p->task_looks[i].size), 3);
  }
  if (along)
    state_graph_stand (p);
}

char *
state_graph_moved (StateGraphView *v, const ViewScene *scene, const Picture *p, uint32_t task, double x, double y)
{
  const char *id = names_id (v->names, scene->source, task);
  g_autoptr (GHashTable) dragged = state_graph_place_read_positions (v->positions);
  GString *text = g_string_new (NULL);
  double at[] = { CLAMP ((x - p->origin_x) / p->room_x, -BESIDE, 1 + BESIDE),
                  CLAMP ((y - p->origin_y) / p->room_y, -BESIDE, 1 + BESIDE) };

  g_hash_table_insert (dragged, g_strdup (id), g_memdup2 (at, sizeof at));
  for (uint32_t i = 0; i < v->n_tasks; i++) {
    const char *name = names_id (v->names, scene->source, i);
    const double *to = g_hash_table_lookup (dragged, name);
    char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];
    if (to == NULL)
      continue;
    g_string_append_printf (text, "%s%s %s %s", text->len > 0 ? ", " : "", name,
                            g_ascii_formatd (a, sizeof a, "%.4f", to[0]), g_ascii_formatd (b, sizeof b, "%.4f", to[1]));
  }
  return g_string_free (text, FALSE);
}
