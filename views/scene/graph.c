/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - the state graph in space (thesis, 4.3): tasks by shape, colour and size, links as cones that point from the
 * sender to the receiver, as thick as what has passed them. */
#include <math.h>
#include <string.h>
#include "views/scene/scene.h"

#define RADIUS 0.3 /* of a node; neighbours are 1 apart */
#define LINKS_MOST 200000
#define LABELS_MOST 400

typedef struct Graph {
  const StateGraph *g;
  uint32_t *task_of, n_tasks; /* by node; TRACE_NONE: nobody knows it */
  uint32_t *host;             /* by task: its number */
  double (*at)[3];            /* by task */
  double *radius;             /* by task; 0: not there now */
} Graph;

static SceneShape
shape_of (StateSense sense)
{
  switch (sense) {
  case STATE_SENSE_COSTS:
    return SCENE_HEXAGON;
  case STATE_SENSE_WAITS:
    return SCENE_RING;
  case STATE_SENSE_TALKS:
    return SCENE_CUBE;
  case STATE_SENSE_GONE:
    return SCENE_OCTAHEDRON;
  default:
    return SCENE_SPHERE;
  }
}

/* An attribute of all tasks, brought to 0 to 1; percentages as they are.  NULL: there is no such. */
static double *
values_of (const Graph *graph, const ViewScene *scene, const char *name)
{
  const StateGraph *g = graph->g;
  int a = name[0] != '\0' ? state_attribute (g->model, STATE_NODE, name) : -1;
  double low = INFINITY, high = -INFINITY, *values = NULL;

  if (a < 0)
    return NULL;
  values = g_new (double, graph->n_tasks + 1);
  for (uint32_t i = 0; i < graph->n_tasks; i++)
    values[i] = NAN;
  for (uint32_t node = 0; node < g->n_nodes; node++) {
    if (graph->task_of[node] == TRACE_NONE || !state_present (g, STATE_NODE, node))
      continue;
    double x = state_number (g, (uint32_t) a, node, MAX (scene->at, g->clock));
    values[graph->task_of[node]] = x;
    if (isfinite (x))
      low = fmin (low, x), high = fmax (high, x);
  }
  if (g->model->attributes[a].kind == STATE_PERCENT)
    low = 0, high = 100;
  for (uint32_t i = 0; i < graph->n_tasks; i++)
    values[i] = high > low ? (values[i] - low) / (high - low) : values[i] - low;
  return values;
}

static void
place (const SceneView *v, const ViewScene *scene, Graph *graph)
{
  double *of[3] = { NULL, NULL, NULL };
  const ScenePlaces *layout = &scene_places[v->layout];

  for (int k = 0; layout->dynamic && k < 3; k++)
    of[k] = values_of (graph, scene, v->sort_by[k]);
  SceneNodes nodes = { graph->n_tasks, graph->host, { of[0], of[1], of[2] } };
  layout->place (&nodes, graph->at);
  for (int k = 0; k < 3; k++)
    g_free (of[k]);
}

static void
add_nodes (SceneView *v, const ViewScene *scene, Graph *graph, SceneModel *m)
{
  const StateGraph *g = graph->g;
  int state_at = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
  g_autofree double *sizes = values_of (graph, scene, v->size_by);
  uint32_t state, shown = 0;

  for (uint32_t node = 0; node < g->n_nodes; node++) {
    uint32_t task = graph->task_of[node];
    if (task == TRACE_NONE || !state_present (g, STATE_NODE, node) || !state_value_of (g, state_at, node, &state))
      continue;
    double share = sizes != NULL && isfinite (sizes[task]) ? CLAMP (sizes[task], 0, 1) : 0;
    double r = sizes == NULL ? RADIUS : RADIUS * (0.35 + 1.05 * cbrt (share)); /* volume tells the number */
    const StateValue *value = state_value (g->model, state_at, state);
    SceneThing t = { .tag = { DRAWING_NO_DATES, .what = trace_ref_task (scene->source->number, task),
                              .attribute = g_intern_string (paint_state_attribute (g, STATE_NODE)),
                              .value = g_intern_string (value->name), .index = node, .part = SCENE_PART_NODE },
                     .radius = r };
    memcpy (t.at, graph->at[task], sizeof t.at);
    t.chosen = view_stands_out (scene, t.tag.what)
               || view_selects (scene, trace_ref_value (t.tag.attribute, t.tag.value));
    SceneShape shape = shape_of (value->sense);
    double side = shape == SCENE_CUBE ? 0.82 * r : r;
    if (!scene_shape (m, shape, t.at, (const double[]){ side, side, side }, paint_state (scene, STATE_NODE, state), 1,
                      scene_thing (m, &t)))
      continue;
    graph->radius[task] = r;
    if (shown++ < LABELS_MOST)
      scene_label (m, t.at, r, g_strdup (names_name (v->names, scene->source, task)), false);
  }
}

typedef struct Link {
  uint32_t edge, from, to, state;
  double bytes;
} Link;

static int
heaviest_first (const void *a, const void *b)
{
  const Link *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

static void
add_link (const ViewScene *scene, const Graph *graph, const Link *l, double most, uint32_t n, SceneModel *m)
{
  const double *from = graph->at[l->from], *to = graph->at[l->to];
  double d[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] }, a[3], b[3];
  double length = sqrt (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), first = graph->radius[l->from],
         last = graph->radius[l->to];
  double radius = (n > 2000 ? 0.02 : 0.03) + 0.07 * (most > 0 ? sqrt (l->bytes / most) : 0);
  SceneThing t = { .tag = { DRAWING_NO_DATES, .what = trace_ref_task (scene->source->number, l->from),
                            .other = trace_ref_task (scene->source->number, l->to),
                            .attribute = g_intern_string (paint_state_attribute (graph->g, STATE_EDGE)),
                            .value = g_intern_string (paint_state_name (graph->g, STATE_EDGE, l->state)),
                            .index = l->edge, .part = SCENE_PART_LINK } };

  if (length <= first + last)
    return;
  /* beside the way back, from surface to surface */
  double aside = 0.09 / fmax (hypot (d[0], d[1]), 1e-9), up = hypot (d[0], d[1]) < 1e-6 ? 0.09 : 0;
  for (int k = 0; k < 3; k++) {
    double by = k == 0 ? -d[1] * aside + up : k == 1 ? d[0] * aside : 0;
    a[k] = from[k] + d[k] * 0.8 * first / length + by;
    b[k] = to[k] - d[k] * last / length + by;
  }
  memcpy (t.at, a, sizeof a);
  memcpy (t.end, b, sizeof b);
  t.chosen = view_selects_tag (scene, &t.tag);
  scene_arrow (m, SCENE_CONE, a, b, radius, paint_state (scene, STATE_EDGE, l->state), scene_thing (m, &t));
}

static void
add_links (const ViewScene *scene, const Graph *graph, SceneModel *m)
{
  const StateGraph *g = graph->g;
  int state_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_STATE),
      total_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));

  for (uint32_t i = 0; i < g->n_edges; i++) {
    Link l = { .edge = i };
    if (!state_present (g, STATE_EDGE, i) || !state_value_of (g, state_at, i, &l.state))
      continue;
    g->edge_ends (g, i, &l.from, &l.to);
    l.from = graph->task_of[l.from];
    l.to = graph->task_of[l.to];
    if (l.from == TRACE_NONE || l.to == TRACE_NONE || graph->radius[l.from] == 0 || graph->radius[l.to] == 0)
      continue;
    l.bytes = total_at >= 0 ? state_number (g, (uint32_t) total_at, i, MAX (scene->at, g->clock)) : 0;
    if (!(l.bytes >= 0))
      l.bytes = 0;
    g_array_append_val (links, l);
  }
  qsort (links->data, links->len, sizeof (Link), heaviest_first);
  double most = links->len > 0 ? g_array_index (links, Link, 0).bytes : 0;
  for (guint i = 0; i < MIN (links->len, LINKS_MOST); i++)
    add_link (scene, graph, &g_array_index (links, Link, i), most, links->len, m);
  m->links_left = links->len - MIN (links->len, LINKS_MOST);
}

/* A plate under the tasks of each host, with its name. */
static void
add_ground (const SceneView *v, const ViewScene *scene, const Graph *graph, SceneModel *m)
{
  const uint32_t *host = graph->host;
  uint32_t n_hosts = 0;

  for (uint32_t i = 0; i < graph->n_tasks; i++)
    n_hosts = MAX (n_hosts, host[i] + 1);
  g_autofree double *box = g_new (double, 4 * (gsize) n_hosts + 1);
  g_autofree const char **name = g_new0 (const char *, n_hosts + 1);
  for (uint32_t i = 0; i < graph->n_tasks; i++) {
    double *b = &box[4 * (gsize) host[i]];
    const double *at = graph->at[i];
    if (name[host[i]] == NULL)
      b[0] = b[2] = at[0], b[1] = b[3] = at[1];
    name[host[i]] = names_host (v->names, scene->source, i);
    b[0] = fmin (b[0], at[0]), b[1] = fmin (b[1], at[1]), b[2] = fmax (b[2], at[0]), b[3] = fmax (b[3], at[1]);
  }
  for (uint32_t h = 0; h < n_hosts; h++) {
    const double *b = &box[4 * (gsize) h];
    double at[] = { (b[0] + b[2]) / 2, (b[1] + b[3]) / 2, -0.42 },
           size[] = { (b[2] - b[0]) / 2 + 0.55, (b[3] - b[1]) / 2 + 0.55, 0 };
    scene_shape (m, SCENE_PLATE, at, size, scene->dark ? 0x9fb4d8 : 0x5c7cb0, scene->dark ? 0.16 : 0.15, 0);
    at[1] -= size[1];
    if (n_hosts <= 64)
      scene_label (m, at, 0, g_strdup (name[h]), true);
  }
}

void
scene_build_graph (SceneView *v, const ViewScene *scene, SceneModel *m)
{
  Graph graph = { .g = scene->graph };

  if (v->names == NULL || g_strcmp0 (v->film, view_tasks (scene)) != 0
      || names_count (v->names, scene->source) < scene->graph->n_nodes) {
    g_clear_pointer (&v->names, names_free);
    g_free (v->film);
    v->film = g_strdup (view_tasks (scene));
    v->names = names_read (v->film);
  }
  graph.n_tasks = names_count (v->names, scene->source);
  graph.task_of = names_tasks_of_nodes (v->names, scene->source, graph.g);
  graph.host = names_host_numbers (v->names, scene->source);
  graph.at = g_malloc0 (sizeof *graph.at * (graph.n_tasks + 1));
  graph.radius = g_new0 (double, graph.n_tasks + 1);
  place (v, scene, &graph);
  add_nodes (v, scene, &graph, m);
  add_links (scene, &graph, m);
  if (v->ground && strcmp (scene_places[v->layout].name, "hosts") == 0)
    add_ground (v, scene, &graph, m);
  g_free (graph.task_of);
  g_free (graph.host);
  g_free (graph.at);
  g_free (graph.radius);
}
