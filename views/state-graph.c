/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph.c - tasks and links at one instant (thesis, 4.3): who stands where, and how much went between
 * them. */
#include "views/state-graph.h"
#include "views/view-class.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static void on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n);

static const EveInSpec ins[] = {
  { "messages", &state_type_message, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = on_messages,
    .doc = "From a simulator: its tasks and links are shown." },
};
static const EveField settings[] = {
  { "layout", EVE_F_CHOICE, offsetof (StateGraphView, layout), .choices = state_graph_layouts, .look = true,
    .doc = "How Graphviz places the tasks." },
  { "positions", EVE_F_STRING, offsetof (StateGraphView, positions), .look = true,
    .doc =
        "Where tasks were dragged to: ID X Y for each, with commas between; x to the right and y downward, from 0 to 1 "
        "over the room that the layout takes." },
  { "keep positions", EVE_F_BOOL, offsetof (StateGraphView, keep), .look = true,
    .doc = "Writes the positions into the file `layout` of the trace, from which they are read again." },
};

/* What is drawn is the graph of the simulator at the other end of the wire; the messages themselves are not looked at.
 */
static void
on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
}

static void
finish (EveComponent *c)
{
  StateGraphView *v = (StateGraphView *) c;

  state_graph_forget (v);
}

static bool
changed (EveComponent *c, uint32_t setting)
{
  ((StateGraphView *) c)->is_placed = false;
  return true;
}

/* ---- the picture --------------------------------------------------------------------------------------- */

static void
name_vertices (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  const TraceSource *s = scene->source;

  for (uint32_t i = 0; i < v->n_vertices; i++) {
    Vertex vertex = { .task = TRACE_NONE };
    g_array_append_val (p->vertices, vertex);
  }
  for (uint32_t task = 0; task < v->n_tasks; task++) {
    Vertex *vertex = &g_array_index (p->vertices, Vertex, v->vertex_of[task]);
    vertex->n++;
    if (!p->clusters)
      vertex->task = task;
    if (vertex->n == 1) {
      vertex->id = g_strdup (names_id (v->names, s, task));
      vertex->name = g_strdup (names_name (v->names, s, task));
    } else {
      g_free (vertex->name);
      vertex->name = v->by_host ? g_strdup (names_host (v->names, s, task))
                                : g_strdup_printf ("%s \u2013 %s", vertex->id, names_id (v->names, s, task));
    }
  }
}

static void
count_states (StateGraphView *v, const ViewScene *scene, const uint32_t *vertex_of, Picture *p)
{
  const StateGraph *g = scene->graph;
  int attribute = g != NULL ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  uint32_t state;

  for (uint32_t node = 0; g != NULL && node < g->n_nodes; node++) {
    if (vertex_of[node] == TRACE_NONE || !state_present (g, STATE_NODE, node)
        || !state_value_of (g, attribute, node, &state))
      continue;
    Vertex *vertex = &g_array_index (p->vertices, Vertex, vertex_of[node]);
    vertex->present++;
    vertex->in_state[MIN (state, VERTEX_STATES - 1)]++;
  }
}

/* Which of two states of links tells more: talking, waited for, loaded, unused, dead. */
static int
rank_of (const StateGraph *g, int attribute, uint32_t state)
{
  static const int rank[] = {
    [STATE_SENSE_NONE] = 2,  [STATE_SENSE_WORKS] = 2, [STATE_SENSE_COSTS] = 2, [STATE_SENSE_WAITS] = 3,
    [STATE_SENSE_TALKS] = 4, [STATE_SENSE_REST] = 1,  [STATE_SENSE_GONE] = 0
  };

  return rank[state_value (g->model, attribute, state)->sense];
}

static void
sum_links (StateGraphView *v, const ViewScene *scene, const uint32_t *vertex_of, Picture *p)
{
  const StateGraph *g = scene->graph;
  uint32_t n = v->n_vertices;
  g_autofree uint32_t *at = g_new0 (uint32_t, (gsize) n * n + 1); /* index of a pair's link + 1 */
  int state_at = g != NULL ? state_with_role (g->model, STATE_EDGE, STATE_ROLE_STATE) : -1;
  int total_at = g != NULL ? state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC) : -1;
  size_t total_stride = 0;
  const char *total = total_at >= 0 && g->model->attributes[total_at].kind == STATE_INT
                          ? g->model->column (g, (uint32_t) total_at, &total_stride)
                          : NULL;

  for (uint32_t i = 0; g != NULL && i < g->n_edges; i++) {
    uint32_t from, to, state;
    if (!state_present (g, STATE_EDGE, i) || !state_value_of (g, state_at, i, &state))
      continue;
    g->edge_ends (g, i, &from, &to);
    Link l = { .from = vertex_of[from], .to = vertex_of[to], .state = state };
    l.rank = rank_of (g, state_at, state);
    if (l.from == TRACE_NONE || l.to == TRACE_NONE || l.from == l.to)
      continue;
    if (total != NULL)
      l.total = (double) *(const int64_t *) (const void *) (total + total_stride * i);
    uint32_t *known = &at[(gsize) l.from * n + l.to];
    if (*known == 0) {
      g_array_append_val (p->links, l);
      *known = p->links->len;
    } else {
      Link *sum = &g_array_index (p->links, Link, *known - 1);
      sum->total += l.total;
      if (l.rank > sum->rank) {
        sum->state = l.state;
        sum->rank = l.rank;
      }
    }
  }
  for (guint i = 0; i < p->links->len; i++) {
    Link *l = &g_array_index (p->links, Link, i);
    l->opposite = at[(gsize) l->to * n + l->from] != 0;
  }
}

static int
quiet_first (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank - y->rank;
  if (x->total != y->total)
    return x->total < y->total ? -1 : 1;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static void
clear_vertex (gpointer p)
{
  g_free (((Vertex *) p)->name);
  g_free (((Vertex *) p)->id);
}

static Picture
compose (StateGraphView *v, const ViewScene *scene)
{
  g_autofree uint32_t *vertex_of = state_graph_prepare (v, scene);
  Picture p = { .vertices = g_array_new (FALSE, TRUE, sizeof (Vertex)),
                .links = g_array_new (FALSE, TRUE, sizeof (Link)) };

  g_array_set_clear_func (p.vertices, clear_vertex);
  p.clusters = v->n_vertices < v->n_tasks;
  name_vertices (v, scene, &p);
  count_states (v, scene, vertex_of, &p);
  sum_links (v, scene, vertex_of, &p);
  state_graph_place (v, scene, &p);
  g_array_sort (p.links, quiet_first);
  return p;
}

static void
discard (Picture *p)
{
  g_array_unref (p->vertices);
  g_array_unref (p->links);
}

static bool
draw (EveComponent *c, const ViewScene *scene, cairo_t *cr, GError **error)
{
  Paint p;
  Picture picture;

  if (scene->graph == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, "the program has no simulator whose state could be shown");
    return false;
  }
  picture = compose ((StateGraphView *) c, scene);
  paint_begin (&p, scene, cr);
  state_graph_draw (&p, &picture);
  paint_end (&p);
  discard (&picture);
  return true;
}

static uint32_t
depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

static char *
describe (const Vertex *vertex, const ViewScene *scene)
{
  GString *text = g_string_new (vertex->name);

  for (uint32_t s = 0; s < VERTEX_STATES; s++)
    if (vertex->in_state[s] > 0 && vertex->n == 1)
      g_string_append_printf (text, ": %s", paint_state_name (scene->graph, STATE_NODE, s));
    else if (vertex->in_state[s] > 0)
      g_string_append_printf (text, ", %u %s", vertex->in_state[s], paint_state_name (scene->graph, STATE_NODE, s));
  return g_string_free (text, FALSE);
}

static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  Picture p;

  if (scene->graph == NULL)
    return;
  p = compose ((StateGraphView *) c, scene);
  for (guint i = 0; i < p.vertices->len && to->len < max; i++) {
    const Vertex *v = &g_array_index (p.vertices, Vertex, i);
    ViewItem item = { .x = v->x - v->radius,
                      .y = v->y - v->radius,
                      .width = 2 * v->radius,
                      .height = 2 * v->radius,
                      .task = v->task,
                      .peer = TRACE_NONE,
                      .from = 1,
                      .to = 0 };
    if (v->present == 0)
      continue;
    item.name = describe (v, scene);
    g_array_append_val (to, item);
  }
  for (guint i = p.links->len; i-- > 0 && to->len < max;) {
    const Link *l = &g_array_index (p.links, Link, i);
    const Vertex *a = &g_array_index (p.vertices, Vertex, l->from), *b = &g_array_index (p.vertices, Vertex, l->to);
    g_autofree char *bytes = paint_bytes (l->total);
    ViewItem item = { .width = 12, .height = 12, .task = a->task, .peer = b->task, .from = 1, .to = 0 };
    state_graph_middle (&p, l, &item.x, &item.y);
    item.x -= 6;
    item.y -= 6;
    item.name = g_strdup_printf ("%s to %s: %s, %s so far", a->name, b->name,
                                 paint_state_name (scene->graph, STATE_EDGE, l->state), bytes);
    g_array_append_val (to, item);
  }
  discard (&p);
}

static const char *
drag (EveComponent *c, const ViewScene *scene, const ViewItem *item, double x, double y, char **value)
{
  StateGraphView *v = (StateGraphView *) c;
  Picture p;

  if (scene->graph == NULL || item->task == TRACE_NONE || item->peer != TRACE_NONE)
    return NULL;
  p = compose (v, scene);
  *value = p.clusters || item->task >= v->n_tasks ? NULL : state_graph_moved (v, scene, &p, item->task, x, y);
  discard (&p);
  return *value != NULL ? "positions" : NULL;
}

/* The state of a task, or of most of a cluster; else of the link whose middle is near. */
static bool
colour_at (EveComponent *c, const ViewScene *scene, double x, double y, const char **attribute, char **value)
{
  const char *name = NULL;
  Picture p;

  if (scene->graph == NULL)
    return false;
  p = compose ((StateGraphView *) c, scene);
  for (guint i = 0; i < p.vertices->len && name == NULL; i++) {
    const Vertex *v = &g_array_index (p.vertices, Vertex, i);
    uint32_t most = 0;
    if (v->present == 0 || hypot (x - v->x, y - v->y) > v->radius + 2)
      continue;
    for (uint32_t s = 1; s < VERTEX_STATES; s++)
      most = v->in_state[s] > v->in_state[most] ? s : most;
    name = paint_state_name (scene->graph, STATE_NODE, most);
  }
  for (guint i = 0; i < p.links->len && name == NULL; i++) {
    const Link *l = &g_array_index (p.links, Link, i);
    double middle_x, middle_y;
    state_graph_middle (&p, l, &middle_x, &middle_y);
    if (hypot (x - middle_x, y - middle_y) <= 8)
      name = paint_state_name (scene->graph, STATE_EDGE, l->state);
  }
  discard (&p);
  *attribute = paint_state_attribute (scene->graph, STATE_NODE);
  *value = g_strdup (name);
  return name != NULL;
}

/* A line for each node, then one for each link, with the attributes of the model as columns. */
static bool
csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  const StateGraph *g = scene->graph;

  if (g == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, "the program has no simulator whose state could be shown");
    return false;
  }
  g_string_append (to, "kind,id");
  for (uint32_t a = 0; a < g->model->n_attributes; a++)
    if (g->model->attributes[a].scope != STATE_GRAPH)
      g_string_append_printf (to, ",%s.%s", g->model->attributes[a].scope == STATE_NODE ? "node" : "link",
                              g->model->attributes[a].name);
  g_string_append (to, "\r\n");
  for (int scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
    g_autofree uint32_t *sorted = state_sorted (g, (StateScope) scope);
    for (uint32_t i = 0; i < state_count (g, (StateScope) scope); i++) {
      g_autoptr (GString) id = g_string_new (NULL);
      if (scope == STATE_NODE)
        g_string_append (id, g->node_id (g, sorted[i]));
      else
        state_edge_id (g, sorted[i], id);
      g_string_append_printf (to, "%s,\"%s\"", scope == STATE_NODE ? "node" : "link", id->str);
      for (uint32_t a = 0; a < g->model->n_attributes; a++) {
        g_autoptr (GString) value = g_string_new (NULL);
        if (g->model->attributes[a].scope == STATE_GRAPH)
          continue;
        if ((int) g->model->attributes[a].scope == scope)
          state_text (g, a, sorted[i], MAX (scene->at, g->clock), value);
        g_string_replace (value, "\"", "\"\"", 0);
        g_string_append_printf (to, ",\"%s\"", value->str);
      }
      g_string_append (to, "\r\n");
    }
  }
  return true;
}

static const View view = {
  .title = "State graph",
  .spans = VIEW_OF_INSTANT,
  .draw = draw,
  .depends = depends,
  .drag = drag,
  .colour_at = colour_at,
  .items = items,
  .csv = csv,
};

VIEW_QUERY (query, view)

static const EveClass state_graph = {
  VIEW_CLASS (StateGraphView),
  .id = "scope.state-graph",
  .label = "State graph",
  .doc = "Tasks and links at one instant: colour and shape tell their state, the width of a link what went "
         "through it.",
  .finish = finish,
  .changed = changed,
  .query = query,
};
EVE_PLUGIN (&state_graph);
