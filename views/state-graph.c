/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph.c - tasks and links at one instant (thesis, 4.3): who stands where, and how much went between
 * them.
 *
 * Positions come from the messages of the whole execution, so that they stay when tasks appear.  Above
 * CLUSTERS_FROM tasks, tasks of one host, or neighbours, are put together. */
#include "views/state-graph.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#define CLUSTERS_FROM 240
#define CLUSTERS 48

typedef struct StateGraphView {
  EveBase base;
  int32_t layout; /* settings */
  bool keep;
  char *folder; /* model side */
  MessagesWriter *messages;
  uint8_t source;
  uint32_t n_named;
  HistoryPlace place;
  bool placed, anew; /* see space-time.h */
  char *film;        /* draw side: of what is below */
  MessagesReader *read;
  Names *names;
  uint32_t n_tasks, n_vertices; /* that positions were computed for */
  int32_t laid_out;
  bool by_host;        /* what clusters are */
  uint32_t *vertex_of; /* by task */
  double *x, *y, ratio;
} StateGraphView;

static void on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n);

static const EveInSpec ins[] = {
  { "messages", &state_type_message, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = on_messages,
    .doc = "Messages received, from a simulator: tasks that talk much stand close together." },
};
static const char *const layouts[] = { "automatic", "dot", "neato", "fdp", "sfdp", "circo", NULL };
static const EveField settings[] = {
  { "layout", EVE_F_CHOICE, offsetof (StateGraphView, layout), .choices = layouts, .look = true,
    .doc = "How Graphviz places the tasks." },
  { "keep positions", EVE_F_BOOL, offsetof (StateGraphView, keep), .look = true,
    .doc = "Writes the positions into the file `layout` of the trace, from which they are read again." },
};

/* ---- model side ---------------------------------------------------------------------------------------- */

static bool begin (StateGraphView *v);

static inline bool
is_recording (StateGraphView *v)
{
  return v->messages != NULL || (G_UNLIKELY (v->anew) && begin (v));
}

static void
on_messages (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  StateGraphView *v = (StateGraphView *)c;
  const StateMessage *m = data;

  v->source = m->source;
  if (is_recording (v))
    for (uint32_t i = 0; i < n; i++)
      messages_writer_push (v->messages, &m[i]);
}

static bool
write_names (StateGraphView *v, GError **error)
{
  const TraceSource *s = trace_source (v->source);
  g_autofree char *path = NULL;

  if (s == NULL || s->tasks->len == v->n_named)
    return true;
  path = view_file_name ((EveComponent *)v, v->folder, ".tasks");
  v->n_named = s->tasks->len;
  return names_write (path, s, error);
}

static bool
flush_to (StateGraphView *v, int64_t reach)
{
  g_autoptr (GError) error = NULL;

  if (!is_recording (v) || (write_names (v, &error) && messages_writer_flush (v->messages, reach, &error)))
    return true;
  eve_fail ((EveComponent *)v, "%s", error->message);
  return false;
}

static bool
flush (EveComponent *c)
{
  return flush_to ((StateGraphView *)c, INT64_MIN);
}

static bool
begin (StateGraphView *v)
{
  g_autofree char *path = view_file_name ((EveComponent *)v, v->folder, ".messages");
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&v->messages, messages_writer_free);
  v->messages
      = v->placed ? messages_writer_restore (path, &v->place, &error) : messages_writer_new (path, &error);
  v->placed = v->anew = false;
  v->n_named = 0;
  if (v->messages != NULL)
    messages_writer_sums_only (v->messages);
  else
    eve_fail ((EveComponent *)v, "%s", error->message);
  return v->messages != NULL;
}

static bool
record (EveComponent *c, const char *folder)
{
  StateGraphView *v = (StateGraphView *)c;
  bool ok = flush (c);

  v->anew = false;
  g_clear_pointer (&v->messages, messages_writer_free);
  g_free (v->folder);
  v->folder = g_strdup (folder);
  return folder != NULL ? begin (v) : ok;
}

static bool
at_end (EveComponent *c)
{
  flush_to ((StateGraphView *)c, INT64_MAX);
  return true;
}

static void
reset (EveComponent *c)
{
  StateGraphView *v = (StateGraphView *)c;

  v->placed = false;
  v->anew = v->folder != NULL;
  g_clear_pointer (&v->messages, messages_writer_free);
}

static void
save (EveComponent *c, EveBlob *to)
{
  StateGraphView *v = (StateGraphView *)c;

  eve_put_int (to, is_recording (v));
  if (v->messages == NULL)
    return;
  flush (c);
  HistoryPlace place = messages_writer_place (v->messages);
  history_place_save (&place, to);
}

static bool
load (EveComponent *c, EveBlobView *from)
{
  StateGraphView *v = (StateGraphView *)c;

  v->placed = eve_get_int (from) != 0;
  v->placed = v->placed && history_place_load (&v->place, from);
  if (!eve_get_ok (from))
    return false;
  return v->folder == NULL || begin (v);
}

static void
forget (StateGraphView *v)
{
  g_clear_pointer (&v->read, messages_reader_free);
  g_clear_pointer (&v->names, names_free);
  g_clear_pointer (&v->vertex_of, g_free);
  g_clear_pointer (&v->x, g_free);
  g_clear_pointer (&v->y, g_free);
  g_clear_pointer (&v->film, g_free);
  v->n_tasks = v->n_vertices = 0;
  v->by_host = false;
}

static void
finish (EveComponent *c)
{
  StateGraphView *v = (StateGraphView *)c;

  flush (c);
  g_clear_pointer (&v->messages, messages_writer_free);
  forget (v);
  g_free (v->folder);
}

/* ---- positions ----------------------------------------------------------------------------------------- */

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
      g_hash_table_insert (hosts, (gpointer)host, number = GUINT_TO_POINTER (g_hash_table_size (hosts) + 1));
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

typedef struct Gather {
  StateGraphView *v;
  GHashTable *pairs; /* key of two vertices -> LayoutEdge */
} Gather;

static void
add_pair (Gather *g, uint32_t from, uint32_t to, double bytes)
{
  uint64_t key;
  LayoutEdge *e;

  if (from >= g->v->n_tasks || to >= g->v->n_tasks)
    return;
  from = g->v->vertex_of[from];
  to = g->v->vertex_of[to];
  key = (uint64_t)MIN (from, to) << 32 | MAX (from, to);
  e = g_hash_table_lookup (g->pairs, &key);
  if (e == NULL) {
    e = g_new0 (LayoutEdge, 1);
    e->from = MIN (from, to);
    e->to = MAX (from, to);
    g_hash_table_insert (g->pairs, g_memdup2 (&key, sizeof key), e);
  }
  e->weight += bytes + 1;
}

static void
add_bundle (void *arg, const MessageBundle *b)
{
  add_pair (arg, b->from, b->to, (double)b->bytes);
}

/* Tasks by id. */
static GHashTable *
index_tasks (const StateGraphView *v, const TraceSource *s)
{
  GHashTable *of = g_hash_table_new (g_str_hash, g_str_equal);

  for (uint32_t i = 0; i < v->n_tasks; i++)
    g_hash_table_insert (of, (gpointer)names_id (v->names, s, i), GUINT_TO_POINTER (i + 1));
  return of;
}

static uint32_t
task_of (GHashTable *tasks, const StateGraph *g, uint32_t node)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (tasks, g->node_id (g, node))) - 1; /* TRACE_NONE: not there */
}

static const char *
algorithm (const StateGraphView *v, uint32_t n)
{
  if (v->layout != 0)
    return layouts[v->layout];
  return n <= 14 ? "circo" : n <= 120 ? "neato" : "sfdp";
}

static void
lay_out (StateGraphView *v, const ViewScene *scene, GHashTable *tasks)
{
  Gather g = { v, g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free) };
  g_autoptr (GHashTable) kept = NULL;
  g_autofree LayoutEdge *edges = NULL;
  GHashTableIter i;
  gpointer e;
  uint32_t n = 0;

  if (v->read != NULL)
    messages_reader_bundles (v->read, INT64_MIN, INT64_MAX, INT64_MAX, add_bundle, &g);
  for (uint32_t k = 0; g_hash_table_size (g.pairs) == 0 && scene->graph != NULL && k < scene->graph->n_edges;
       k++) {
    uint32_t from, to;
    scene->graph->edge_ends (scene->graph, k, &from, &to);
    add_pair (&g, task_of (tasks, scene->graph, from), task_of (tasks, scene->graph, to), 1);
  }
  edges = g_new (LayoutEdge, g_hash_table_size (g.pairs) + 1);
  g_hash_table_iter_init (&i, g.pairs);
  while (g_hash_table_iter_next (&i, NULL, &e))
    edges[n++] = *(LayoutEdge *)e;
  g_hash_table_unref (g.pairs);
  v->x = g_new0 (double, v->n_vertices + 1);
  v->y = g_new0 (double, v->n_vertices + 1);
  layout_compute (algorithm (v, v->n_vertices), v->n_vertices, edges, n, v->x, v->y, &v->ratio);
  kept = layout_read (scene->bundle);
  for (uint32_t k = 0; k < v->n_tasks && v->n_vertices == v->n_tasks; k++) {
    const double *at = g_hash_table_lookup (kept, names_id (v->names, scene->source, k));
    if (at != NULL) {
      v->x[k] = at[0];
      v->y[k] = at[1];
    }
  }
  if (v->keep && v->n_vertices == v->n_tasks && scene->bundle != NULL) {
    g_autofree char **ids = g_new (char *, v->n_tasks + 1);
    g_autoptr (GError) error = NULL;
    for (uint32_t k = 0; k < v->n_tasks; k++)
      ids[k] = (char *)names_id (v->names, scene->source, k);
    if (!layout_write (scene->bundle, ids, v->x, v->y, v->n_tasks, &error))
      eve_warn ((EveComponent *)v, "the positions are not kept: %s", error->message);
  }
}

/* ---- the picture --------------------------------------------------------------------------------------- */

static void
prepare (StateGraphView *v, const ViewScene *scene, GHashTable **tasks)
{
  if (v->n_tasks == 0 || g_strcmp0 (v->film, scene->film) != 0 || v->laid_out != v->layout
      || names_count (v->names, scene->source) != v->n_tasks) {
    forget (v);
    v->film = g_strdup (scene->film);
    if (v->film != NULL) {
      g_autofree char *messages = view_file_name ((EveComponent *)v, v->film, ".messages");
      g_autofree char *names = view_file_name ((EveComponent *)v, v->film, ".tasks");
      v->read = messages_reader_open (messages, NULL);
      v->names = names_read (names);
    }
    v->n_tasks = names_count (v->names, scene->source);
    v->n_vertices = make_vertices (v, scene->source);
    v->laid_out = v->layout;
  }
  *tasks = index_tasks (v, scene->source);
  if (v->x == NULL)
    lay_out (v, scene, *tasks);
}

static double
radius_of (const Vertex *vertex, uint32_t n, bool cluster, double room)
{
  double r = n <= 6 ? 30 : n <= 16 ? 24 : n <= 40 ? 17 : n <= 100 ? 11 : 7;

  if (cluster)
    r = CLAMP (3.2 * sqrt (vertex->n), 14, 34);
  return MIN (r, room / 8);
}

static void
place_vertices (StateGraphView *v, const ViewScene *scene, Picture *p)
{
  double margin = v->n_vertices <= 16 ? 70 : 46, width, height;

  p->left = margin;
  p->top = 48 + margin / 2;
  p->width = MAX (scene->width_px - 2 * margin, 20);
  p->height = MAX (scene->height_px - p->top - margin - 14, 20);
  /* The shape of the layout, stretched by half at most. */
  double ratio = CLAMP (v->ratio, p->width / p->height / 1.5, p->width / p->height * 1.5);
  ratio = v->n_vertices <= 6 ? CLAMP (v->ratio, 0.8, 1.3) : ratio;
  width = MIN (p->width, p->height * ratio);
  height = MIN (p->height, p->width / ratio);
  if (v->n_vertices <= 6)
    width = MIN (width, 460), height = MIN (height, 460);
  for (uint32_t i = 0; i < v->n_vertices; i++) {
    Vertex *vertex = &g_array_index (p->vertices, Vertex, i);
    vertex->x = p->left + (p->width - width) / 2 + v->x[i] * width;
    vertex->y = p->top + (p->height - height) / 2 + v->y[i] * height;
    vertex->radius = radius_of (vertex, v->n_vertices, p->clusters, MIN (width, height));
  }
}

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
count_states (StateGraphView *v, const ViewScene *scene, GHashTable *tasks, Picture *p)
{
  const StateGraph *g = scene->graph;
  int attribute = g != NULL ? state_attribute (g->model, STATE_NODE, "State") : -1;
  size_t stride = 0;
  const char *column = attribute >= 0 ? g->model->column (g, (uint32_t)attribute, &stride) : NULL;

  for (uint32_t node = 0; column != NULL && node < g->n_nodes; node++) {
    uint32_t task = task_of (tasks, g, node);
    uint8_t state = *(const uint8_t *)(column + stride * node);
    if (task >= v->n_tasks || !state_present (g, STATE_NODE, node))
      continue;
    Vertex *vertex = &g_array_index (p->vertices, Vertex, v->vertex_of[task]);
    vertex->present++;
    vertex->in_state[MIN (state, VERTEX_STATES - 1)]++;
  }
}

/* Which of two states of links tells more: talking, waited for, loaded, unused, dead. */
static int
rank_of (uint32_t state)
{
  static const int rank[] = { 1, 2, 3, 4, 0 };

  return state < G_N_ELEMENTS (rank) ? rank[state] : 1;
}

static void
sum_links (StateGraphView *v, const ViewScene *scene, GHashTable *tasks, Picture *p)
{
  const StateGraph *g = scene->graph;
  g_autoptr (GHashTable) of = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  int state_at = g != NULL ? state_attribute (g->model, STATE_EDGE, "State") : -1;
  int total_at = g != NULL ? state_attribute (g->model, STATE_EDGE, "TotalTraffic") : -1;
  int now_at = g != NULL ? state_attribute (g->model, STATE_EDGE, "Traffic") : -1;

  for (uint32_t i = 0; g != NULL && state_at >= 0 && i < g->n_edges; i++) {
    uint32_t from, to;
    uint64_t key;
    gpointer at;
    if (!state_present (g, STATE_EDGE, i))
      continue;
    g->edge_ends (g, i, &from, &to);
    from = task_of (tasks, g, from);
    to = task_of (tasks, g, to);
    if (from >= v->n_tasks || to >= v->n_tasks || v->vertex_of[from] == v->vertex_of[to])
      continue;
    Link l = { .from = v->vertex_of[from],
               .to = v->vertex_of[to],
               .state = (uint32_t)state_number (g, (uint32_t)state_at, i, MAX (scene->at, g->clock)) };
    size_t stride;
    const char *column = g->model->column (g, (uint32_t)state_at, &stride);
    if (column != NULL)
      l.state = *(const uint8_t *)(column + stride * i);
    l.total = total_at >= 0 ? state_number (g, (uint32_t)total_at, i, MAX (scene->at, g->clock)) : 0;
    l.now = now_at >= 0 ? state_number (g, (uint32_t)now_at, i, MAX (scene->at, g->clock)) : 0;
    key = (uint64_t)l.from << 32 | l.to;
    at = g_hash_table_lookup (of, &key);
    if (at == NULL) {
      g_array_append_val (p->links, l);
      g_hash_table_insert (of, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (p->links->len));
    } else {
      Link *sum = &g_array_index (p->links, Link, GPOINTER_TO_UINT (at) - 1);
      sum->total += l.total;
      sum->now += l.now;
      sum->state = rank_of (l.state) > rank_of (sum->state) ? l.state : sum->state;
    }
  }
  for (guint i = 0; i < p->links->len; i++) {
    Link *l = &g_array_index (p->links, Link, i);
    uint64_t key = (uint64_t)l->to << 32 | l->from;
    l->opposite = g_hash_table_contains (of, &key);
  }
}

static int
quiet_first (gconstpointer a, gconstpointer b)
{
  const Link *x = a, *y = b;
  int rx = rank_of (x->state), ry = rank_of (y->state);

  if (rx != ry)
    return rx - ry;
  if (x->total != y->total)
    return x->total < y->total ? -1 : 1;
  return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static void
clear_vertex (gpointer p)
{
  g_free (((Vertex *)p)->name);
  g_free (((Vertex *)p)->id);
}

static Picture
compose (StateGraphView *v, const ViewScene *scene)
{
  GHashTable *tasks;
  Picture p = { .vertices = g_array_new (FALSE, TRUE, sizeof (Vertex)),
                .links = g_array_new (FALSE, TRUE, sizeof (Link)) };

  g_array_set_clear_func (p.vertices, clear_vertex);
  prepare (v, scene, &tasks);
  p.clusters = v->n_vertices < v->n_tasks;
  name_vertices (v, scene, &p);
  count_states (v, scene, tasks, &p);
  sum_links (v, scene, tasks, &p);
  place_vertices (v, scene, &p);
  g_array_sort (p.links, quiet_first);
  g_hash_table_unref (tasks);
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
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 "the program has no simulator whose state could be shown");
    return false;
  }
  picture = compose ((StateGraphView *)c, scene);
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
      g_string_append_printf (text, ", %u %s", vertex->in_state[s],
                              paint_state_name (scene->graph, STATE_NODE, s));
  return g_string_free (text, FALSE);
}

static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  Picture p;

  if (scene->graph == NULL)
    return;
  p = compose ((StateGraphView *)c, scene);
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
    const Vertex *a = &g_array_index (p.vertices, Vertex, l->from),
                 *b = &g_array_index (p.vertices, Vertex, l->to);
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

/* A line for each node, then one for each link, with the attributes of the model as columns. */
static bool
csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  const StateGraph *g = scene->graph;

  if (g == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT,
                 "the program has no simulator whose state could be shown");
    return false;
  }
  g_string_append (to, "kind,id");
  for (uint32_t a = 0; a < g->model->n_attributes; a++)
    if (g->model->attributes[a].scope != STATE_GRAPH)
      g_string_append_printf (to, ",%s.%s", g->model->attributes[a].scope == STATE_NODE ? "node" : "link",
                              g->model->attributes[a].name);
  g_string_append (to, "\r\n");
  for (int scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
    g_autofree uint32_t *sorted = state_sorted (g, (StateScope)scope);
    for (uint32_t i = 0; i < state_count (g, (StateScope)scope); i++) {
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
        if ((int)g->model->attributes[a].scope == scope)
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
  .record = record,
  .flush = flush,
  .draw = draw,
  .depends = depends,
  .items = items,
  .csv = csv,
};

static const void *
query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, "view/1") == 0 ? &view : NULL;
}

static const char *const provides[] = { "view", NULL };
static const EveClass state_graph = {
  EVE_CLASS_HEAD,
  .id = "scope.state-graph",
  .label = "State graph",
  .category = "Views",
  .doc = "Tasks and links at one instant: colour and shape tell their state, the width of a link what went "
         "through it.",
  .provides = provides,
  .version = 1,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (StateGraphView),
  .finish = finish,
  .reset = reset,
  .at_end = at_end,
  .save = save,
  .load = load,
  .query = query,
};
EVE_PLUGIN (&state_graph);
