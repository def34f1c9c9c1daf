/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - the state graph in space (thesis, 4.3): tasks by shape, colour and size, links as cones that point from the
 * sender to the receiver, as thick as what has passed them. */
#include <math.h>
#include <string.h>
#include "views/associations.h"
#include "views/paint.h"
#include "eve/words.h"
#include "views/chart-rows.h"
#include "views/scene/parts.h"

#define RADIUS 0.3 /* of a node; neighbours are 1 apart */
#define NODES_MOST 200000
#define LINKS_MOST 200000
#define LABELS_MOST 400

/* Those who stand somewhere: all tasks of the film, so that nobody moves while time passes; and what is no task of the
 * trace, such as a thread, as far as it is there now. */
typedef struct Graph {
  const StateGraph *g;
  uint32_t n;
  uint32_t *task;    /* of each; TRACE_NONE: it is none */
  uint32_t *row_of;  /* by node: its place among them; TRACE_NONE: it is not there now */
  uint32_t *node_of; /* by row: the other way round, + 1; 0: it is not there now */
  uint32_t *host;    /* by row: its number */
  double (*at)[3];   /* by row */
  double *radius;    /* by row; 0: not there now */
  uint32_t n_hidden; /* by rules */
  Names *names;
  const TraceSource *source;
  uint32_t every;     /* of so many one stands for all; 0: all stand there */
  SceneGroups groups; /* that are closed */
} Graph;

static SceneShape
scene_graph_shape_of (StateSense sense)
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
scene_graph_values_of (const Graph *graph, const ViewScene *scene, const char *name)
{
  const StateGraph *g = graph->g;
  int a = name[0] != '\0' ? state_attribute (g->model, STATE_NODE, name) : -1;
  double low = INFINITY, high = -INFINITY, *values = NULL;

  if (a < 0)
    return NULL;
  values = g_new (double, graph->n + 1);
  for (uint32_t i = 0; i < graph->n; i++)
    values[i] = NAN;
  for (uint32_t node = 0; node < g->n_nodes; node++) {
    if (graph->row_of[node] == TRACE_NONE)
      continue;
    double x = state_number (g, (uint32_t) a, node, MAX (scene->at, g->clock));
    values[graph->row_of[node]] = x;
    if (isfinite (x))
      low = fmin (low, x), high = fmax (high, x);
  }
  if (g->model->attributes[a].kind == STATE_PERCENT)
    low = 0, high = 100;
  for (uint32_t i = 0; i < graph->n; i++)
    values[i] = high > low ? (values[i] - low) / (high - low) : values[i] - low;
  return values;
}

static TraceRef
scene_graph_ref_of (const ViewScene *scene, const Graph *graph, uint32_t row)
{
  if (graph->task[row] != TRACE_NONE)
    return trace_ref_task (scene->source->number, graph->task[row]);
  return trace_ref_named (TRACE_REF_NODE, scene->source->number, graph->g->node_id (graph->g, graph->node_of[row] - 1));
}

static char *
scene_graph_name_of (const SceneView *v, const ViewScene *scene, const Graph *graph, uint32_t row)
{
  return g_strdup (graph->task[row] != TRACE_NONE ? names_name (v->names, scene->source, graph->task[row])
                                                  : graph->g->node_id (graph->g, graph->node_of[row] - 1));
}

/* Rows are in the order of tasks, before those that are none; TRACE_NONE: it has none. */
static uint32_t
scene_graph_row_of_task (const Graph *graph, uint32_t task)
{
  uint32_t low = 0, high = graph->n;

  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (graph->task[middle] < task)
      low = middle + 1;
    else
      high = middle;
  }
  return low < graph->n && graph->task[low] == task ? low : TRACE_NONE;
}

/* The closed group that stands at a row; TRACE_NONE: none does. */
static uint32_t
scene_graph_part_of (const Graph *graph, uint32_t row)
{
  const SceneGroup *group = scene_group_of (&graph->groups, row);

  return group != NULL ? group->part : TRACE_NONE;
}

static const char *
scene_graph_id_of (const void *of, uint32_t row)
{
  const Graph *graph = of;

  return graph->task[row] != TRACE_NONE ? names_id (graph->names, graph->source, graph->task[row])
                                        : graph->g->node_id (graph->g, graph->node_of[row] - 1);
}

#define GROUP_LOOKS (1u << LOOK_COLOUR | 1u << LOOK_LABEL | 1u << LOOK_OPACITY | 1u << LOOK_SIZE | 1u << LOOK_HIDDEN)
#define TASK_LOOKS (GROUP_LOOKS | LOOKS_PLACES)

/* Where rules say that they stand, 0 to 1 along each axis; NULL: no rule does along this one.  True: one does. */
static bool
places_by_rules (SceneView *v, const ViewScene *scene, const Graph *graph, double *of[3], GString *note)
{
  g_autofree uint32_t *objects = g_new (uint32_t, graph->n + 1);
  Looks rules;
  bool any = false;

  if (!looks_begin (&rules, scene, eve_name ((EveComponent *) v), LOOK_TASK, TASK_LOOKS)
      || !(rules.channels & LOOKS_PLACES))
    return false;
  for (uint32_t row = 0; row < graph->n; row++)
    objects[row] = graph->node_of[row] > 0 ? graph->node_of[row] - 1 : TRACE_NONE;
  for (int k = 0; k < 3; k++) {
    LooksAxis axis;
    if (!looks_axis (&rules, scene, (LookChannel) (LOOK_X + k), objects, graph->n, &axis))
      continue;
    any = true;
    of[k] = g_steal_pointer (&axis.at);
    g_string_append_printf (note, _ ("; %s: %s"), look_channels[LOOK_X + k], axis.title);
    if (axis.n_none > 0)
      g_string_append_printf (note, P_ (", %u without it", ", %u without it", axis.n_none), axis.n_none);
    looks_axis_clear (&axis);
  }
  return any;
}

static void
scene_graph_place (SceneView *v, const ViewScene *scene, Graph *graph, GString *note)
{
  const GraphLayout *layout = layouts_find (LAYOUT_IN_SPACE, v->layout);
  SceneStand s = { .n = graph->n,
                   .task = graph->task,
                   .host = graph->host,
                   .row_of = graph->row_of,
                   .id = scene_graph_id_of,
                   .of = graph };
  double *of[3] = { NULL, NULL, NULL };

  s.by_value = places_by_rules (v, scene, graph, of, note);
  for (int k = 0; k < 3; k++)
    s.value[k] = of[k];
  for (int k = 0; !s.by_value && layout != NULL && layout->dynamic && k < 3; k++)
    s.value[k] = of[k] = scene_graph_values_of (graph, scene, v->sort_by[k]);
  scene_stand (v, scene, &s, graph->at, note);
  for (int k = 0; k < 3; k++)
    g_free (of[k]);
}

#define LINK_LOOKS (1u << LOOK_COLOUR | 1u << LOOK_WIDTH | 1u << LOOK_OPACITY | 1u << LOOK_HIDDEN)

uint32_t
scene_looks_colour (const ViewScene *scene, const Look *look, uint32_t rgb)
{
  return scene_looks_solid (scene, look, LOOK_HAS (look, LOOK_COLOUR) ? look->rgb : rgb);
}

uint32_t
scene_looks_solid (const ViewScene *scene, const Look *look, uint32_t rgb)
{
  return LOOK_HAS (look, LOOK_OPACITY) ? paint_mix (scene->dark ? 0x1e1e1e : 0xffffff, rgb, look->opacity) : rgb;
}

/* What rules say of a closed group, and the colour that was dropped on it. */
static Look
scene_graph_look_of_group (const Looks *rules, bool ruled, const ViewScene *scene, const Graph *graph,
                           const SceneGroup *group)
{
  const GroupPart *part = &scene->groups->parts[group->part];
  const char *name = scene->groups->all[part->group].name;
  Look look = { .opacity = 1 };

  if (ruled) {
    g_autofree uint32_t *nodes = g_new (uint32_t, part->n + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < part->n; k++) {
      uint32_t row = scene_graph_row_of_task (graph, scene->groups->order[part->first + k]);
      if (row != TRACE_NONE && graph->node_of[row] > 0)
        nodes[n++] = graph->node_of[row] - 1;
    }
    looks_of_group (
        rules, scene,
        &(LooksGroup){
            .name = name, .hierarchy = scene->groups->hierarchy, .n_tasks = group->n, .nodes = nodes, .n = n },
        &look);
  }
  if (view_chosen_colour (scene->colours, LOOKS_OF_GROUP, name, scene->dark, &look.rgb))
    look.has |= 1u << LOOK_COLOUR;
  return look;
}

static void
scene_graph_add_group (const ViewScene *scene, Graph *graph, const SceneGroup *group, const Look *look, SceneModel *m,
                       uint32_t *in_state, bool named)
{
  const char *name = scene->groups->all[scene->groups->parts[group->part].group].name;
  SceneGroup drawn = *group;

  if (LOOK_HAS (look, LOOK_SIZE)) /* its volume tells the number */
    drawn.radius *= cbrt (CLAMP (look->size, 0.01, 1));
  SceneThing t = { .tag = { DRAWING_NO_DATES, .attribute = LOOKS_OF_GROUP, .value = g_intern_string (name),
                            .index = graph->node_of[group->row] - 1, .part = SCENE_PART_NODE },
                   .radius = drawn.radius,
                   .value = NAN,
                   .chosen = view_part_stands_out (scene, group->part),
                   .parts = { group->part, TRACE_NONE } };

  memcpy (t.at, group->at, sizeof t.at);
  scene_groups_draw (&drawn, scene, look, m, scene_thing (m, &t), in_state);
  graph->radius[group->row] = drawn.radius;
  if (named)
    scene_label (m, t.at, drawn.radius,
                 LOOK_HAS (look, LOOK_LABEL) && *look->label != '\0' ? g_strdup (look->label)
                                                                     : groups_part_name (scene->groups, group->part),
                 false);
}

static void
scene_graph_add_nodes (SceneView *v, const ViewScene *scene, Graph *graph, SceneModel *m)
{
  const StateGraph *g = graph->g;
  int state_at = state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE);
  g_autofree double *sizes = scene_graph_values_of (graph, scene, v->size_by);
  g_autofree uint32_t *in_state = g_new0 (uint32_t, HISTORY_STATES_MOST + 1);
  const char *attribute = g_intern_string (paint_state_attribute (g, STATE_NODE));
  uint32_t state, shown = 0;
  Looks rules;
  Looks together;
  bool ruled = looks_begin (&rules, scene, eve_name ((EveComponent *) v), LOOK_TASK, TASK_LOOKS),
       all_ruled = looks_begin (&together, scene, eve_name ((EveComponent *) v), LOOK_GROUP, GROUP_LOOKS);

  for (uint32_t row = 0; row < graph->n; row++) {
    uint32_t node = graph->node_of[row] - 1;
    const SceneGroup *group = scene_group_of (&graph->groups, row);
    Look look = { 0 };
    if (group != NULL) {
      if (group->row != row)
        continue;
      look = scene_graph_look_of_group (&together, all_ruled, scene, graph, group);
      if (look.hidden)
        graph->n_hidden += group->n;
      else
        scene_graph_add_group (scene, graph, group, &look, m, in_state, shown++ < LABELS_MOST);
      continue;
    }
    if (graph->node_of[row] == 0 || !state_value_of (g, state_at, node, &state))
      continue;
    if (ruled)
      looks_of_object (&rules, scene, node, &look);
    if (look.hidden) {
      graph->n_hidden++;
      continue;
    }
    double share = sizes != NULL && isfinite (sizes[row]) ? CLAMP (sizes[row], 0, 1) : 0;
    bool sized = sizes != NULL || LOOK_HAS (&look, LOOK_SIZE);
    if (LOOK_HAS (&look, LOOK_SIZE))
      share = CLAMP (look.size, 0, 1);
    double r = !sized ? RADIUS : RADIUS * (0.35 + 1.05 * cbrt (share)); /* volume tells the number */
    const StateValue *value = state_value (g->model, state_at, state);
    SceneThing t = { .tag = { DRAWING_NO_DATES, .what = scene_graph_ref_of (scene, graph, row), .attribute = attribute,
                              .value = g_intern_string (value->name), .index = node, .part = SCENE_PART_NODE },
                     .radius = r,
                     .value = sized ? share : NAN,
                     .parts = { TRACE_NONE, TRACE_NONE } };
    memcpy (t.at, graph->at[row], sizeof t.at);
    if (trace_refs_n (scene->selection) > 0)
      t.chosen = view_stands_out (scene, t.tag.what)
                 || view_selects (scene, trace_ref_value (t.tag.attribute, t.tag.value));
    SceneShape shape = scene_graph_shape_of (value->sense);
    double side = shape == SCENE_CUBE ? 0.82 * r : r;
    if (!scene_shape (m, shape, t.at, (const double[]){ side, side, side },
                      scene_looks_colour (scene, &look, paint_state (scene, STATE_NODE, state)), 1,
                      scene_thing (m, &t)))
      continue;
    graph->radius[row] = r;
    in_state[MIN (state, HISTORY_STATES_MOST)]++;
    if (shown++ < LABELS_MOST)
      scene_label (m, t.at, r,
                   LOOK_HAS (&look, LOOK_LABEL) && *look.label != '\0' ? g_strdup (look.label)
                                                                       : scene_graph_name_of (v, scene, graph, row),
                   false);
  }
  scene_legend (v, m, in_state);
}

typedef struct Link {
  uint32_t edge, from, to, state;
  double bytes;
} Link;

static int
scene_graph_heaviest_first (const void *a, const void *b)
{
  const Link *x = a, *y = b;

  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

static void
scene_graph_add_link (const ViewScene *scene, const Graph *graph, const Link *l, const Look *look, double most,
                      uint32_t n, SceneModel *m)
{
  const double *from = graph->at[l->from], *to = graph->at[l->to];
  double d[3] = { to[0] - from[0], to[1] - from[1], to[2] - from[2] }, a[3], b[3];
  double length = sqrt (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), first = graph->radius[l->from],
         last = graph->radius[l->to];
  double radius = (n > 2000 ? 0.02 : 0.03) + 0.07 * (most > 0 ? sqrt (l->bytes / most) : 0);
  uint32_t part_from = scene_graph_part_of (graph, l->from), part_to = scene_graph_part_of (graph, l->to);
  const TraceRef none = { 0 };
  SceneThing t = { .value = l->bytes,
                   .unit = "B",
                   .parts = { part_from, part_to },
                   .tag = { DRAWING_NO_DATES,
                            .what = part_from == TRACE_NONE ? scene_graph_ref_of (scene, graph, l->from) : none,
                            .other = part_to == TRACE_NONE ? scene_graph_ref_of (scene, graph, l->to) : none,
                            .attribute = g_intern_string (paint_state_attribute (graph->g, STATE_EDGE)),
                            .value = g_intern_string (paint_state_name (graph->g, STATE_EDGE, l->state)),
                            .index = l->edge, .part = SCENE_PART_LINK } };

  if (length <= first + last)
    return;
  if (LOOK_HAS (look, LOOK_WIDTH)) /* px of a picture in the plane, where a task has some 20 */
    radius = RADIUS * CLAMP (look->width, 0.5, 30) / 20;
  double scale = 1; /* groups may be much larger than tasks are, and so what goes between them */
  if (part_from != TRACE_NONE || part_to != TRACE_NONE)
    scale = fmax (0.5 * fmin (first, last) / RADIUS, 1);
  radius *= scale;
  /* beside the way back, from surface to surface */
  double gap = 0.09 * scale, aside = gap / fmax (hypot (d[0], d[1]), 1e-9), up = hypot (d[0], d[1]) < 1e-6 ? gap : 0;
  for (int k = 0; k < 3; k++) {
    double by = k == 0 ? -d[1] * aside + up : k == 1 ? d[0] * aside : 0;
    a[k] = from[k] + d[k] * 0.8 * first / length + by;
    b[k] = to[k] - d[k] * last / length + by;
  }
  memcpy (t.at, a, sizeof a);
  memcpy (t.end, b, sizeof b);
  t.chosen = trace_refs_n (scene->selection) > 0 && view_selects_tag (scene, &t.tag);
  scene_arrow (m, SCENE_CONE, a, b, radius, scene_looks_colour (scene, look, paint_state (scene, STATE_EDGE, l->state)),
               scene_thing (m, &t));
}

/* Of a task in a closed group that of the group. */
static uint32_t
row_that_stands (const Graph *graph, uint32_t row)
{
  const SceneGroup *group = row != TRACE_NONE ? scene_group_of (&graph->groups, row) : NULL;

  return group != NULL ? group->row : row;
}

static int
scene_graph_by_ends (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  if (x->to != y->to)
    return x->to < y->to ? -1 : 1;
  return scene_graph_heaviest_first (a, b);
}

/* All links between the same two are one, that looks like the heaviest of them. */
static void
scene_graph_sum_links (const Graph *graph, GArray *links)
{
  guint n = 0;

  g_array_sort (links, scene_graph_by_ends);
  for (guint i = 0; i < links->len; i++) {
    const Link *l = &g_array_index (links, Link, i);
    Link *last = n > 0 ? &g_array_index (links, Link, n - 1) : NULL;
    bool alone = scene_group_of (&graph->groups, l->from) == NULL && scene_group_of (&graph->groups, l->to) == NULL;
    if (!alone && last != NULL && last->from == l->from && last->to == l->to)
      last->bytes += l->bytes;
    else
      g_array_index (links, Link, n++) = *l;
  }
  g_array_set_size (links, n);
}

static void
add_links (SceneView *v, const ViewScene *scene, const Graph *graph, SceneModel *m)
{
  const StateGraph *g = graph->g;
  int state_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_STATE),
      total_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (Link));
  Looks rules;
  bool ruled = looks_begin (&rules, scene, eve_name ((EveComponent *) v), LOOK_LINK, LINK_LOOKS);

  for (uint32_t i = 0; i < g->n_edges; i++) {
    Link l = { .edge = i };
    if (!state_present (g, STATE_EDGE, i) || !state_value_of (g, state_at, i, &l.state))
      continue;
    g->edge_ends (g, i, &l.from, &l.to);
    l.from = row_that_stands (graph, graph->row_of[l.from]);
    l.to = row_that_stands (graph, graph->row_of[l.to]);
    if (l.from == TRACE_NONE || l.to == TRACE_NONE || l.from == l.to || graph->radius[l.from] == 0
        || graph->radius[l.to] == 0)
      continue;
    l.bytes = total_at >= 0 ? state_number (g, (uint32_t) total_at, i, MAX (scene->at, g->clock)) : 0;
    if (!(l.bytes >= 0))
      l.bytes = 0;
    g_array_append_val (links, l);
  }
  if (graph->groups.of_row != NULL)
    scene_graph_sum_links (graph, links);
  g_array_sort (links, scene_graph_heaviest_first);
  double most = links->len > 0 ? g_array_index (links, Link, 0).bytes : 0;
  for (guint i = 0; i < MIN (links->len, LINKS_MOST); i++) {
    const Link *l = &g_array_index (links, Link, i);
    Look look = { 0 };
    if (ruled && scene_graph_part_of (graph, l->from) == TRACE_NONE && scene_graph_part_of (graph, l->to) == TRACE_NONE)
      looks_of_object (&rules, scene, l->edge, &look);
    if (!LOOK_HAS (&look, LOOK_COLOUR) && !look.hidden && l->state < 32)
      m->links_met |= 1u << l->state;
    if (!look.hidden)
      scene_graph_add_link (scene, graph, l, &look, most, links->len, m);
  }
  m->links_left = links->len - MIN (links->len, LINKS_MOST);
}

static void
scene_graph_add_ground (const SceneView *v, const ViewScene *scene, const Graph *graph, SceneModel *m)
{
  g_autofree const char **names = g_new0 (const char *, graph->n + 1);
  LayoutNodes nodes = { .n = graph->n, .host = graph->host };

  for (uint32_t i = 0; i < graph->n; i++) {
    names[i] = graph->task[i] != TRACE_NONE ? names_host (v->names, scene->source, graph->task[i]) : _ ("no task");
    if (strcmp (names[i], "?") == 0)
      names[i] = graph->node_of[i] > 0 ? _ ("host not known")
                                       : NULL; /* of those who never came there is nothing to see */
  }
  scene_host_plates (scene, &nodes, (const double (*)[3]) graph->at, names, m, -0.42);
}

static int
scene_graph_by_name (gconstpointer a, gconstpointer b, gpointer graph)
{
  const StateGraph *g = graph;
  const char *x = g->node_id (g, *(const uint32_t *) a);
  g_autofree char *first = g_strdup (x); /* good until the next is asked for */

  return strcmp (first, g->node_id (g, *(const uint32_t *) b));
}

/* Of more than can be drawn some stand for all: each so manyth, and who is selected. */
static void
thin_out (const ViewScene *scene, Graph *graph, guint *n_others)
{
  uint32_t all = graph->n, every = (all + NODES_MOST - 1) / NODES_MOST, others = *n_others, kept = 0;

  if (every <= 1)
    return;
  graph->every = every;
  graph->n = *n_others = 0;
  for (uint32_t i = 0; i < all; i++) {
    TraceRef task = graph->task[i] != TRACE_NONE ? trace_ref_task (scene->source->number, graph->task[i])
                                                 : (TraceRef){ 0 };
    if (i % every != 0 && !(trace_refs_n (scene->selection) > 0 && view_selects (scene, task)))
      continue;
    *n_others += i >= all - others;
    graph->task[kept] = graph->task[i];
    graph->node_of[kept++] = graph->node_of[i];
  }
  graph->n = kept;
}

/* Who stands somewhere.  Where no film tells who else there will be, those that are there now. */
static void
find_rows (const SceneView *v, const ViewScene *scene, Graph *graph)
{
  const StateGraph *g = graph->g;
  uint32_t n_film = names_in_film (v->names), n_known = names_count (v->names, scene->source);
  g_autofree uint32_t *task_of = names_tasks_of_nodes (v->names, scene->source, g),
                      *node_of = g_new0 (uint32_t, n_known + 1);
  g_autoptr (GArray) others = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  graph->row_of = g_new (uint32_t, g->n_nodes + 1);
  memset (graph->row_of, 0xff, sizeof *graph->row_of * g->n_nodes);
  for (uint32_t node = 0; node < g->n_nodes; node++) {
    if (!state_present (g, STATE_NODE, node))
      continue;
    if (task_of[node] < n_known)
      node_of[task_of[node]] = node + 1;
    else
      g_array_append_val (others, node);
  }
  g_array_sort_with_data (others, scene_graph_by_name, (gpointer) g);
  graph->task = g_new (uint32_t, n_known + others->len + 1);
  graph->node_of = g_new0 (uint32_t, n_known + others->len + 1);
  for (uint32_t task = 0; task < n_known; task++) {
    if (task >= n_film && node_of[task] == 0)
      continue;
    graph->task[graph->n] = task;
    graph->node_of[graph->n++] = node_of[task];
  }
  for (guint i = 0; i < others->len; i++) {
    graph->task[graph->n] = TRACE_NONE;
    graph->node_of[graph->n++] = g_array_index (others, uint32_t, i) + 1;
  }
  guint n_others = others->len;
  thin_out (scene, graph, &n_others);
  for (uint32_t row = 0; row < graph->n; row++)
    if (graph->node_of[row] > 0)
      graph->row_of[graph->node_of[row] - 1] = row;
  graph->host = scene_hosts (v, scene, graph->task, graph->n);
  for (uint32_t row = graph->n - n_others; n_others > 0 && row < graph->n; row++)
    graph->host[row] = graph->n; /* on a plate of their own, numbered below */
  uint32_t n_hosts = 0;
  for (uint32_t row = 0; row < graph->n; row++)
    n_hosts = graph->host[row] < graph->n ? MAX (n_hosts, graph->host[row] + 1) : n_hosts;
  for (uint32_t row = 0; row < graph->n; row++)
    graph->host[row] = MIN (graph->host[row], n_hosts);
}

static bool
scene_graph_build (SceneView *v, const ViewScene *scene, SceneModel *m, GError **error)
{
  Graph graph = { .g = scene->graph };
  g_autoptr (GString) head = g_string_new (NULL), note = g_string_new (NULL);

  if (scene->graph == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("no simulator is connected to it, whose state could be shown"));
    return false;
  }
  scene_open_names (v, scene, scene->graph->n_nodes);
  find_rows (v, scene, &graph);
  graph.at = g_malloc0 (sizeof *graph.at * (graph.n + 1));
  graph.radius = g_new0 (double, graph.n + 1);
  graph.names = v->names;
  graph.source = scene->source;
  scene_graph_place (v, scene, &graph, note);
  bool closed = scene_groups_find (&graph.groups, scene, graph.n, graph.task, graph.node_of,
                                   (const double (*)[3]) graph.at);
  scene_graph_add_nodes (v, scene, &graph, m);
  add_links (v, scene, &graph, m);
  if (v->ground && strcmp (v->stands, "hosts") == 0 && !v->gliding)
    scene_graph_add_ground (v, scene, &graph, m);
  uint32_t nodes = 0, links = 0, groups = 0;
  for (guint i = 0; i < m->things->len; i++) {
    const SceneThing *t = &g_array_index (m->things, SceneThing, i);
    groups += t->tag.part == SCENE_PART_NODE && t->parts[0] != TRACE_NONE;
    nodes += t->tag.part == SCENE_PART_NODE && t->parts[0] == TRACE_NONE;
    links += t->tag.part == SCENE_PART_LINK;
  }
  for (guint i = 0; closed && i < graph.groups.all->len; i++) {
    const SceneGroup *group = &g_array_index (graph.groups.all, SceneGroup, i);
    nodes += group->n > 0 && graph.radius[group->row] > 0 ? group->n : 0;
  }
  g_string_printf (head, P_ ("%u task", "%u tasks", nodes), nodes);
  if (graph.every > 1)
    g_string_append_printf (head, _ (" (1 in %u of all, and who is selected)"), graph.every);
  if (groups > 0)
    g_string_append_printf (head, P_ (", in %u group", ", in %u groups", groups), groups);
  g_string_append_printf (head, P_ (", %u link", ", %u links", links), links);
  if (m->links_left > 0)
    g_string_append_printf (head, _ (" (the heaviest; %u more are not drawn)"), m->links_left);
  if (graph.n_hidden > 0)
    g_string_append_printf (head, _ ("; %u hidden by rules"), graph.n_hidden);
  g_string_append (head, note->str);
  m->note = g_strdup (head->str);
  if (nodes == 0)
    m->empty = g_strdup (_ ("No task lives at this instant: press Play, or click in the time bar"));
  scene_groups_clear (&graph.groups);
  g_free (graph.task);
  g_free (graph.row_of);
  g_free (graph.node_of);
  g_free (graph.host);
  g_free (graph.at);
  g_free (graph.radius);
  return true;
}

/* One of its ends is a closed group, or it is one. */
static bool
is_of_group (const ViewScene *scene, const SceneThing *t)
{
  const Groups *g = scene->groups;
  bool of = false;

  for (int k = 0; g != NULL && k < 2; k++)
    of |= t->parts[k] < g->n_parts && g->parts[t->parts[k]].group != TRACE_NONE;
  return of;
}

/* A group, or what has gone from one to another, or to or from a task. */
static void
say_group (const SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name)
{
  if (t->tag.part == SCENE_PART_NODE) {
    scene_groups_say (v, scene, t->parts[0], name);
    return;
  }
  for (int k = 0; k < 2; k++) {
    g_autofree char *part = t->parts[k] < scene->groups->n_parts ? groups_part_name (scene->groups, t->parts[k]) : NULL;
    g_string_append (name, k > 0 ? " \u2192 " : "");
    if (part != NULL)
      g_string_append (name, part);
    else
      trace_ref_name (k == 0 ? t->tag.what : t->tag.other, false, name);
  }
  g_autofree char *bytes = paint_bytes (t->value);
  g_string_append_printf (name, _ (": %s so far"), bytes);
}

/* All tasks of a group, of a link those at both ends. */
static void
scene_graph_owners (SceneView *v, const ViewScene *scene, const SceneThing *t, TraceRefs *to)
{
  for (int k = 0; is_of_group (scene, t) && k < 2; k++)
    if (t->parts[k] != TRACE_NONE)
      chart_add_part (scene, t->parts[k], to);
    else if (t->tag.part == SCENE_PART_LINK)
      trace_refs_add (to, k == 0 ? t->tag.what : t->tag.other);
}

static void
scene_graph_say (SceneView *v, const ViewScene *scene, const SceneThing *t, GString *name, GString *facts)
{
  const StateGraph *g = scene->graph;
  StateScope scope = t->tag.part == SCENE_PART_NODE ? STATE_NODE : STATE_EDGE;

  if (g == NULL || t->tag.index >= (scope == STATE_NODE ? g->n_nodes : g->n_edges))
    return;
  if (is_of_group (scene, t)) {
    say_group (v, scene, t, name);
    return;
  }
  trace_ref_name (t->tag.what, false, name);
  if (scope == STATE_EDGE) {
    g_string_append (name, " \u2192 ");
    trace_ref_name (t->tag.other, false, name);
  }
  g_string_append_printf (name, _ (": %s"), t->tag.value);
  for (uint32_t a = 0; facts != NULL && a < g->model->n_attributes; a++) {
    if (g->model->attributes[a].scope != scope)
      continue;
    g_string_append_printf (facts, "%s\t", g->model->attributes[a].name);
    state_text (g, a, t->tag.index, MAX (scene->at, g->clock), facts);
    g_string_append_c (facts, '\n');
  }
}

static char *
scene_graph_end_name (SceneView *v, const ViewScene *scene, const SceneThing *t, bool second)
{
  const Groups *g = scene->groups;
  uint32_t part = t->parts[second];

  return is_of_group (scene, t) && part < g->n_parts && g->parts[part].group != TRACE_NONE
             ? g_strdup (g->all[g->parts[part].group].name)
             : NULL;
}

static void
scene_graph_key (SceneView *v, Paint *p)
{
  const Groups *g = p->scene->groups;
  double y = scene_looks_key (v, p, 40, LOOK_TASK, TASK_LOOKS, ~LOOKS_PLACES);

  if (g != NULL && g->n_parts < g->n_tasks)
    y = scene_looks_key (v, p, y, LOOK_GROUP, GROUP_LOOKS, ~0u);
  scene_looks_key (v, p, y, LOOK_LINK, LINK_LOOKS, ~0u);
}

const SceneBuilder scene_graph = { .name = "state graph",
                                   .spans = VIEW_OF_INSTANT,
                                   .depends = VIEW_ON_INSTANT | VIEW_ON_FILM | VIEW_ON_SELECTED,
                                   .build = scene_graph_build,
                                   .say = scene_graph_say,
                                   .end_name = scene_graph_end_name,
                                   .key = scene_graph_key,
                                   .owners = scene_graph_owners };
