/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph.c - tasks and links at one instant (thesis, 4.3): who stands where, and how much went between
 * them. */
#include "views/state-graph.h"
#include "eve/nearest.h"
#include "eve/words.h"
#include "readers/box-inspector.h"
#include "readers/pair.h"
#include "statistics/graph.h"
#include "views/view-class.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static void on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n);
static void discard (Picture *p);

static const EveInSpec ins[] = {
  { "messages", &state_type_message, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = on_messages,
    .doc =
        "From a simulator: its tasks and links are shown.  By way of others, as a Filter: the tasks and links of the "
        "messages that came." },
};
static const EveField settings[] = {
  { "layout", EVE_F_STRING, offsetof (StateGraphView, layout), .def_text = LAYOUT_AUTOMATIC, .look = true,
    .doc =
        "How tasks are placed: `automatic`, `dot`, `neato`, `fdp`, `sfdp` or `circo`, by Graphviz and what went "
        "between them; `ring`, `mesh`, `torus`, `hypercube`, `tree`, `cube`, `ball` or `helix`, by their numbers, as "
        "in a machine of that shape; `hosts`; `topology`, on the nodes of the file `topology`; or one of a "
        "plug-in." },
  { "positions", EVE_F_STRING, offsetof (StateGraphView, positions), .look = true,
    .doc =
        "Where tasks were dragged to: ID X Y for each, with commas between; x to the right and y downward, from 0 to 1 "
        "over the room that the layout takes." },
  { "keep positions", EVE_F_BOOL, offsetof (StateGraphView, keep), .look = true,
    .doc = "Writes the positions into the file `layout` of the trace, from which they are read again." },
  { "bundle links", EVE_F_BOOL, offsetof (StateGraphView, bundle), .look = true,
    .doc = "Links run along the tree of the groups that are open, so that those between the same two are a bundle; "
           "without groups, along hosts." },
};

static int
state_graph_by_key (const void *a, const void *b)
{
  gint64 x = **(gint64 *const *) a, y = **(gint64 *const *) b;

  return (x > y) - (x < y);
}

/* Straight from a simulator the messages themselves need not be looked at: its graph is what is drawn. */
static void
on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  StateGraphView *v = (StateGraphView *) c;
  const StateMessage *m = data;

  if (state_graph_is_straight (v))
    return;
  for (uint32_t i = 0; i < n; i++) {
    gint64 key = (gint64) ((uint64_t) m[i].from << 32 | m[i].to), *bytes = g_hash_table_lookup (v->came, &key);
    if (bytes != NULL)
      *bytes = (gint64) ((uint64_t) *bytes + (uint64_t) m[i].size);
    else
      g_hash_table_insert (v->came, g_memdup2 (&key, sizeof key), g_memdup2 (&m[i].size, sizeof m[i].size));
  }
}

static bool
state_graph_init (EveComponent *c)
{
  ((StateGraphView *) c)->came = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  return true;
}

static void
state_graph_reset (EveComponent *c)
{
  g_hash_table_remove_all (((StateGraphView *) c)->came);
}

static void
state_graph_save (EveComponent *c, EveBlob *to)
{
  StateGraphView *v = (StateGraphView *) c;
  guint n;
  g_autofree gint64 **keys = (gint64 **) g_hash_table_get_keys_as_array (v->came, &n);

  qsort (keys, n, sizeof *keys, state_graph_by_key);
  eve_put_int (to, n);
  for (guint i = 0; i < n; i++) {
    eve_put_int (to, *keys[i]);
    eve_put_int (to, *(gint64 *) g_hash_table_lookup (v->came, keys[i]));
  }
}

static bool
state_graph_load (EveComponent *c, EveBlobView *from)
{
  StateGraphView *v = (StateGraphView *) c;

  g_hash_table_remove_all (v->came);
  for (int64_t n = eve_get_int (from); n > 0 && eve_get_ok (from); n--) {
    gint64 of[2];
    of[0] = eve_get_int (from);
    of[1] = eve_get_int (from);
    g_hash_table_insert (v->came, g_memdup2 (&of[0], sizeof of[0]), g_memdup2 (&of[1], sizeof of[1]));
  }
  return eve_get_ok (from);
}

static void
state_graph_finish (EveComponent *c)
{
  StateGraphView *v = (StateGraphView *) c;

  state_graph_forget (v);
  discard (&v->drawn);
  g_clear_pointer (&v->came, g_hash_table_unref);
}

static bool
state_graph_changed (EveComponent *c, uint32_t setting)
{
  StateGraphView *v = (StateGraphView *) c;

  if (settings[setting].offset == offsetof (StateGraphView, layout)
      && layouts_find (LAYOUT_IN_PLANE, v->layout) == NULL) {
    g_autofree char *nearest = eve_nearest_told (v->layout, layouts_offer, &(LayoutsWhere){ LAYOUT_IN_PLANE });
    eve_warn_missing (c, _ ("No layout is called “%s”%s; tasks stand where Graphviz puts them."), v->layout, nearest);
  }
  v->is_placed = false;
  return true;
}

/* ---- the picture --------------------------------------------------------------------------------------- */

static void
name_vertices (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  const TraceSource *s = scene->source;
  g_autofree uint32_t *last = g_new0 (uint32_t, v->n_vertices + 1); /* task of each */

  for (uint32_t i = 0; i < v->n_vertices; i++) {
    Vertex vertex = { .task = TRACE_NONE };
    g_array_append_val (p->vertices, vertex);
  }
  for (uint32_t task = 0; task < v->n_tasks; task++) {
    Vertex *vertex = &g_array_index (p->vertices, Vertex, v->vertex_of[task]);
    vertex->n++;
    vertex->task = vertex->n == 1 ? task : TRACE_NONE;
    if (vertex->n == 1) {
      vertex->id = g_strdup (names_id (v->names, s, task));
      vertex->name = g_strdup (names_name (v->names, s, task));
    } else if (v->by_host && vertex->n == 2) {
      g_free (vertex->name);
      vertex->name = g_strdup (names_host (v->names, s, task));
    } else if (!v->by_host) {
      last[v->vertex_of[task]] = task;
    }
  }
  for (uint32_t i = 0; i < v->n_vertices; i++) { /* a name each, not one for each task that a vertex stands for */
    Vertex *vertex = &g_array_index (p->vertices, Vertex, i);
    if (v->by_host || vertex->n < 2)
      continue;
    g_free (vertex->name);
    vertex->name = g_strdup_printf ("%s \u2013 %s", vertex->id, names_id (v->names, s, last[i]));
  }
  const Groups *g = scene->groups;
  for (uint32_t i = 0; g != NULL && g->n_parts == v->n_vertices && i < g->n_parts; i++) {
    Vertex *vertex = &g_array_index (p->vertices, Vertex, i);
    if (vertex->n < 2)
      continue;
    g_free (vertex->name);
    vertex->name = g_strdup (g->all[g->parts[i].group].name);
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
  g_free (((Vertex *) p)->group);
}

#define TASK_LOOKS                                                                                                     \
  (1u << LOOK_COLOUR | 1u << LOOK_PATTERN | 1u << LOOK_WIDTH | 1u << LOOK_OPACITY | 1u << LOOK_LABEL                   \
   | 1u << LOOK_SHAPE | 1u << LOOK_SIZE | 1u << LOOK_HIDDEN | 1u << LOOK_X | 1u << LOOK_Y | 1u << LOOK_FILL            \
   | 1u << LOOK_CHART)
#define LINK_LOOKS (1u << LOOK_COLOUR | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_OPACITY | 1u << LOOK_HIDDEN)

/* A task that is hidden is counted nowhere. */
static void
hide (const StateGraph *g, uint32_t node, Vertex *one, Picture *p)
{
  uint32_t state;

  if (!state_value_of (g, state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE), node, &state))
    return;
  p->n_hidden++;
  one->present--;
  one->in_state[MIN (state, VERTEX_STATES - 1)]--;
}

/* Labels and what is hidden take their effect here; a vertex of several tasks looks as all of them do. */
static void
look_up_vertices (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, Picture *p)
{
  const StateGraph *g = scene->graph;

  if (!looks_begin (&p->tasks, scene, eve_name ((EveComponent *) v), LOOK_TASK, TASK_LOOKS))
    return;
  g_autoptr (GHashTable) shown = state_graph_tasks_that_came (v);
  g_autofree bool *met = g_new0 (bool, p->vertices->len + 1);
  g_autofree uint32_t *seen = g_new (uint32_t, (g != NULL ? g->n_nodes : 0) + 1); /* nodes; NONE: not shown */
  p->task_looks = g_new0 (Look, p->vertices->len + 1);
  for (guint i = 0; i < p->vertices->len; i++)
    p->task_looks[i].opacity = 1;
  for (uint32_t node = 0; g != NULL && node < g->n_nodes; node++) {
    seen[node] = TRACE_NONE;
    if (task_of[node] == TRACE_NONE || !state_present (g, STATE_NODE, node)
        || !state_graph_shows_task (shown, task_of[node]))
      continue;
    uint32_t i = v->vertex_of[task_of[node]];
    Vertex *one = &g_array_index (p->vertices, Vertex, i);
    Look *of_all = &p->task_looks[i], look;
    looks_of_object (&p->tasks, scene, node, &look);
    seen[node] = look.hidden ? TRACE_NONE : node;
    if (look.hidden)
      hide (g, node, one, p);
    else if (!met[i])
      *of_all = look;
    else if (looks_agree (of_all, &look))
      one->mixed = true;
    met[i] |= !look.hidden;
  }
  for (guint i = 0; i < p->vertices->len; i++) {
    Vertex *one = &g_array_index (p->vertices, Vertex, i);
    const Look *look = &p->task_looks[i];
    p->n_mixed += one->mixed && one->present > 0;
    if (one->n == 1 && LOOK_HAS (look, LOOK_LABEL) && *look->label != '\0') { /* a group keeps its name */
      g_free (one->name);
      one->name = g_strdup (look->label);
    }
  }
  state_graph_find_axes (v, scene, seen, task_of, p);
}

#define GROUP_LOOKS                                                                                                    \
  (1u << LOOK_COLOUR | 1u << LOOK_PATTERN | 1u << LOOK_WIDTH | 1u << LOOK_DASH | 1u << LOOK_OPACITY | 1u << LOOK_LABEL \
   | 1u << LOOK_SIZE | 1u << LOOK_HIDDEN)

/* The nodes that are shown of each vertex, beside each other; first[i] is where those of vertex i begin; g_free both.
 */
static uint32_t *
nodes_of_vertices (const StateGraphView *v, const StateGraph *g, const uint32_t *task_of, uint32_t **first)
{
  uint32_t n = g != NULL ? g->n_nodes : 0, *to = g_new (uint32_t, n + 1);
  g_autofree uint32_t *now = state_graph_vertices_now (v, g, task_of, NULL), *at = g_new0 (uint32_t, v->n_vertices + 2);

  *first = g_new0 (uint32_t, v->n_vertices + 2);
  for (uint32_t node = 0; node < n; node++)
    (*first)[now[node] != TRACE_NONE ? now[node] + 1 : v->n_vertices + 1]++;
  for (uint32_t i = 1; i <= v->n_vertices; i++)
    (*first)[i] += (*first)[i - 1];
  memcpy (at, *first, (v->n_vertices + 1) * sizeof *at);
  for (uint32_t node = 0; node < n; node++)
    if (now[node] != TRACE_NONE)
      to[at[now[node]]++] = node;
  return to;
}

static void
lay_over_group (Vertex *one, const Look *own, Look *look, Picture *p)
{
  looks_lay_over (look, own);
  if (LOOK_HAS (own, LOOK_LABEL) && *own->label != '\0') {
    one->group = one->name;
    one->name = g_strdup (own->label);
  }
  if (!own->hidden)
    return;
  p->n_hidden += one->present;
  one->present = 0;
  one->inside = 0;
  memset (one->in_state, 0, sizeof one->in_state);
}

/* What rules say of groups goes before what they say of all of its tasks. */
static void
look_up_groups (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, Picture *p)
{
  bool ruled = looks_begin (&p->together, scene, eve_name ((EveComponent *) v), LOOK_GROUP, GROUP_LOOKS) && p->clusters;
  g_autofree uint32_t *first = NULL, *nodes = ruled ? nodes_of_vertices (v, scene->graph, task_of, &first) : NULL;

  bool closed = false;

  for (guint i = 0; p->clusters && i < p->vertices->len; i++) {
    Vertex *one = &g_array_index (p->vertices, Vertex, i);
    Look own = { .opacity = 1, .order = NAN };
    if (one->n < 2)
      continue;
    closed = true;
    if (ruled)
      looks_of_group (&p->together, scene,
                      &(LooksGroup){ .name = one->name,
                                     .hierarchy = scene->groups != NULL ? scene->groups->hierarchy
                                                  : v->by_host          ? "host"
                                                                        : "blocks",
                                     .n_tasks = one->present,
                                     .nodes = nodes + first[i],
                                     .n = first[i + 1] - first[i] },
                      &own);
    if (view_chosen_colour (scene->colours, LOOKS_OF_GROUP, one->name, scene->dark, &own.rgb))
      own.has |= 1u << LOOK_COLOUR;
    if (own.has == 0)
      continue;
    if (p->task_looks == NULL) {
      p->task_looks = g_new0 (Look, p->vertices->len + 1);
      for (guint k = 0; k < p->vertices->len; k++)
        p->task_looks[k].opacity = 1;
    }
    lay_over_group (one, &own, &p->task_looks[i], p);
  }
  if (!closed) /* there is nothing that a key would be of */
    p->together.channels = 0;
}

/* In the order of the links, without those that are hidden. */
static void
look_up_links (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  guint n = 0;

  if (!looks_begin (&p->between, scene, eve_name ((EveComponent *) v), LOOK_LINK, LINK_LOOKS))
    return;
  p->link_looks = g_new0 (Look, p->links->len + 1);
  for (guint i = 0; i < p->links->len; i++) {
    const Link one = g_array_index (p->links, Link, i);
    looks_of_object (&p->between, scene, one.edge, &p->link_looks[n]);
    if (p->link_looks[n].hidden)
      continue;
    g_array_index (p->links, Link, n++) = one;
  }
  g_array_set_size (p->links, n);
}

static Picture
state_graph_compose (StateGraphView *v, const ViewScene *scene)
{
  g_autofree uint32_t *task_of = state_graph_prepare (v, scene);
  Picture p = { .vertices = g_array_new (FALSE, TRUE, sizeof (Vertex)),
                .links = g_array_new (FALSE, TRUE, sizeof (Link)) };

  g_array_set_clear_func (p.vertices, clear_vertex);
  p.clusters = v->n_vertices < v->n_tasks;
  p.crowded = p.clusters && scene->groups == NULL;
  p.n_left_out = v->n_left_out;
  p.nothing_came = !state_graph_is_straight (v) && g_hash_table_size (v->came) == 0;
  name_vertices (v, scene, &p);
  g_autofree uint32_t *state = NULL, *now = state_graph_vertices_now (v, scene->graph, task_of, &state);
  state_graph_count_states (v, scene, task_of, now, state, &p);
  state_graph_sum_links (v, scene, task_of, now, &p);
  g_array_sort (p.links, quiet_first);
  look_up_vertices (v, scene, task_of, &p);
  look_up_groups (v, scene, task_of, &p);
  look_up_links (v, scene, &p);
  p.key_px = STATE_GRAPH_KEY_PX * ((p.tasks.channels & ~LOOKS_PLACES) != 0)
             + STATE_GRAPH_KEY_PX * (p.together.channels != 0) + STATE_GRAPH_KEY_PX * (p.link_looks != NULL);
  state_graph_place (v, scene, &p);
  state_graph_route (v, scene, task_of, &p);
  state_graph_bundle (v, scene, &p);
  return p;
}

static void
discard (Picture *p)
{
  g_clear_pointer (&p->vertices, g_array_unref);
  g_clear_pointer (&p->links, g_array_unref);
  g_clear_pointer (&p->task_looks, g_free);
  g_clear_pointer (&p->link_looks, g_free);
  g_clear_pointer (&p->wires, g_array_unref);
  g_clear_pointer (&p->way, g_array_unref);
  g_clear_pointer (&p->ways, g_free);
  g_clear_pointer (&p->nodes, g_free);
  g_clear_pointer (&p->labels, g_array_unref);
  for (int k = 0; k < 2; k++) {
    looks_axis_clear (&p->axis[k]);
    g_clear_pointer (&p->along[k], g_free);
  }
}

static Vertex *
vertex_of (const StateGraphView *v, const Picture *p, uint32_t task)
{
  return task < v->n_tasks ? &g_array_index (p->vertices, Vertex, v->vertex_of[task]) : NULL;
}

static uint64_t
state_graph_pair_of (uint32_t from, uint32_t to)
{
  return (uint64_t) from << 32 | to;
}

/* Links whose pair of vertices is in a set. */
static void
choose_links (Picture *p, GHashTable *pairs)
{
  for (guint i = 0; g_hash_table_size (pairs) > 0 && i < p->links->len; i++) {
    Link *l = &g_array_index (p->links, Link, i);
    uint64_t pair = state_graph_pair_of (l->from, l->to);
    l->chosen |= g_hash_table_contains (pairs, &pair);
  }
}

/* Those that are in a state: a cluster, if one of its tasks is. */
static void
choose_state (const ViewScene *scene, Picture *p, TraceRef value)
{
  const char *attribute = NULL, *name = trace_ref_named_by (value, &attribute);

  for (uint32_t s = 0; s < VERTEX_STATES; s++) {
    if (g_strcmp0 (name, paint_state_name (scene->graph, STATE_NODE, s)) != 0
        || g_strcmp0 (attribute, paint_state_attribute (scene->graph, STATE_NODE)) != 0)
      continue;
    for (guint i = 0; i < p->vertices->len; i++) {
      Vertex *v = &g_array_index (p->vertices, Vertex, i);
      v->chosen |= v->in_state[s] > 0;
    }
  }
}

static void
state_graph_choose (const StateGraphView *v, const ViewScene *scene, Picture *p)
{
  g_autoptr (GHashTable) pairs = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);

  for (uint32_t i = 0; i < trace_refs_n (scene->selection); i++) {
    TraceRef r = trace_refs_at (scene->selection, i);
    uint32_t from = TRACE_NONE, to = TRACE_NONE;
    if (r.type == TRACE_REF_VALUE)
      choose_state (scene, p, r);
    if (r.source != scene->source->number)
      continue;
    if (r.type == TRACE_REF_TASK && vertex_of (v, p, r.id) != NULL)
      vertex_of (v, p, r.id)->chosen = true;
    else if (trace_ref_ends (r, &from, &to) && from < v->n_tasks && to < v->n_tasks) {
      vertex_of (v, p, from)->chosen = vertex_of (v, p, to)->chosen = true;
      uint64_t pair = state_graph_pair_of (v->vertex_of[from], v->vertex_of[to]);
      g_hash_table_add (pairs, g_memdup2 (&pair, sizeof pair));
    }
  }
  choose_links (p, pairs);
}

static bool
state_graph_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  StateGraphView *v = (StateGraphView *) c;

  if (scene->graph == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("no simulator is connected to it, whose state could be shown"));
    return false;
  }
  discard (&v->drawn);
  v->drawn = state_graph_compose (v, scene);
  state_graph_choose (v, scene, &v->drawn);
  Paint *p = drawing_begin (d);
  state_graph_lay_labels (p, &v->drawn);
  state_graph_mark (d, scene, &v->drawn);
  state_graph_draw (p, &v->drawn);
  return true;
}

static uint32_t
state_graph_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT | VIEW_ON_FILM | VIEW_ON_SELECTED;
}

/* The tasks of a cluster. */
static void
state_graph_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  const StateGraphView *v = (const StateGraphView *) c;

  for (uint32_t i = 0; m->tag.part == STATE_GRAPH_VERTEX && v->vertex_of != NULL && i < v->n_tasks; i++)
    if (v->vertex_of[i] == m->tag.index)
      trace_refs_add (to, trace_ref_task (scene->source->number, i));
}

static const char *
state_graph_drag (EveComponent *c, const ViewScene *scene, const DrawingMark *m, double x, double y, char **value)
{
  StateGraphView *v = (StateGraphView *) c;
  uint32_t task = m->tag.what.id;
  Picture p;

  if (scene->graph == NULL || m->tag.part != STATE_GRAPH_VERTEX || m->tag.what.type != TRACE_REF_TASK)
    return NULL;
  p = state_graph_compose (v, scene);
  bool alone = task < v->n_tasks && vertex_of (v, &p, task)->n == 1 && (!p.clusters || scene->groups != NULL);
  alone = alone && (p.along[0] == NULL || p.along[1] == NULL); /* else rules say all of where it stands */
  *value = alone ? state_graph_moved (v, scene, &p, task, x, y) : NULL;
  discard (&p);
  return *value != NULL ? "positions" : NULL;
}

/* "node PercentBusy [%]" */
static void
state_graph_put_heading (GString *to, const StateAttribute *a)
{
  g_autoptr (GString) heading = g_string_new (a->scope == STATE_NODE ? "node " : "link ");

  g_string_append (heading, a->name);
  if (a->unit != NULL && a->unit[0] != '\0')
    g_string_append_printf (heading, " [%s]", a->unit);
  g_string_append_c (to, ',');
  stats_csv_text (to, heading->str);
}

/* A line for each node, then one for each link, with the attributes of the model as columns. */
static bool
state_graph_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  StateGraphView *v = (StateGraphView *) c;
  const StateGraph *g = scene->graph;

  if (g == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 _ ("no simulator is connected to it, whose state could be shown"));
    return false;
  }
  g_autofree uint32_t *task_of = state_graph_prepare (v, scene);
  g_autoptr (GHashTable) shown = state_graph_tasks_that_came (v);
  g_string_append (to, "kind,id");
  for (uint32_t a = 0; a < g->model->n_attributes; a++)
    if (g->model->attributes[a].scope != STATE_GRAPH)
      state_graph_put_heading (to, &g->model->attributes[a]);
  g_string_append (to, "\r\n");
  for (int scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
    g_autofree uint32_t *sorted = state_sorted (g, (StateScope) scope);
    const uint32_t n = state_count (g, (StateScope) scope); /* looks at all of them */
    for (uint32_t i = 0; i < n; i++) {
      g_autoptr (GString) id = g_string_new (NULL);
      uint32_t from = TRACE_NONE, end = TRACE_NONE;
      if (scope == STATE_EDGE)
        g->edge_ends (g, sorted[i], &from, &end);
      if (scope == STATE_NODE ? !state_graph_shows_task (shown, task_of[sorted[i]])
                              : shown != NULL && state_graph_bytes_that_came (v, task_of[from], task_of[end]) < 0)
        continue;
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
  if (strcmp (state_graph_layout (v)->name, LAYOUT_TOPOLOGY) == 0)
    state_graph_put_wires (v, scene, task_of, to);
  return true;
}

/* Who the tasks are, and what has gone between them, is read from files of the film. */
static const char *
state_graph_damage (EveComponent *c, bool *lost)
{
  StateGraphView *v = (StateGraphView *) c;
  const char *problem = names_problem (v->names);

  if (lost != NULL)
    *lost = problem != NULL;
  if (problem != NULL)
    v->n_tasks = 0; /* read again with the next picture */
  return problem;
}

static const View view = {
  .title = "State graph",
  .spans = VIEW_OF_INSTANT,
  .build = state_graph_build,
  .say = state_graph_say,
  .owners = state_graph_owners,
  .depends = state_graph_depends,
  .drag = state_graph_drag,
  .csv = state_graph_csv,
  .damage = state_graph_damage,
};

static const BoxRow rows[] = {
  { BOX_ROW_SETTING, "layout", NULL, NULL },
  { BOX_ROW_SETTING, "positions", NULL, NULL },
  { BOX_ROW_SETTING, "keep positions", NULL, NULL },
  { BOX_ROW_SETTING, "bundle links", NULL, NULL },
};

static void
state_graph_offer (EveComponent *c, uint32_t row, void (*add) (void *arg, const char *value), void *arg)
{
  if (strcmp (rows[row].name, "layout") == 0)
    layouts_offer (&(LayoutsWhere){ LAYOUT_IN_PLANE }, add, arg);
}

static const void *
state_graph_query (EveComponent *c, const char *interface_name)
{
  static const BoxInspector inspector = { .rows = rows, .n_rows = EVE_N (rows), .offer = state_graph_offer };

  if (strcmp (interface_name, BOX_INSPECTOR) == 0)
    return &inspector;
  if (strcmp (interface_name, "keeps-nothing/1") == 0)
    return state_graph_is_straight ((StateGraphView *) c) ? &view : NULL;
  return strcmp (interface_name, VIEW_INTERFACE) == 0 ? &view : NULL;
}

static const EveClass state_graph = {
  VIEW_CLASS (StateGraphView),
  .id = "scope.state-graph",
  .label = "State graph",
  .doc = "Tasks and links at one instant: colour and shape tell their state, the width of a link what went "
         "through it.",
  .init = state_graph_init,
  .finish = state_graph_finish,
  .reset = state_graph_reset,
  .save = state_graph_save,
  .load = state_graph_load,
  .changed = state_graph_changed,
  .query = state_graph_query,
};
EVE_PLUGIN (&state_graph);
