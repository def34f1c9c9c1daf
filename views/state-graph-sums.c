/* SPDX-License-Identifier: Apache-2.0 */
/* state-graph-sums.c - what the tasks and links of the graph come to: how many of a vertex are in which state, and what
 * went between two vertices.  Tasks and links are many, and read side by side by all processors. */
#include "readers/pair.h"
#include "views/at-once.h"
#include "views/state-graph.h"

bool
state_graph_is_straight (StateGraphView *v)
{
  return stats_graph_is_next (&v->wires, (EveComponent *) v);
}

/* ---- what the wire lets through ------------------------------------------------------------------------- */

GHashTable *
state_graph_tasks_that_came (StateGraphView *v)
{
  GHashTable *tasks = state_graph_is_straight (v) ? NULL : g_hash_table_new (NULL, NULL);
  GHashTableIter i;
  gpointer key;

  if (tasks == NULL)
    return NULL;
  g_hash_table_iter_init (&i, v->came);
  while (g_hash_table_iter_next (&i, &key, NULL)) {
    uint64_t pair = (uint64_t) * (gint64 *) key;
    g_hash_table_add (tasks, GUINT_TO_POINTER ((uint32_t) (pair >> 32) + 1));
    g_hash_table_add (tasks, GUINT_TO_POINTER ((uint32_t) pair + 1));
  }
  return tasks;
}

bool
state_graph_shows_task (GHashTable *tasks, uint32_t task)
{
  return tasks == NULL || (task != TRACE_NONE && g_hash_table_contains (tasks, GUINT_TO_POINTER (task + 1)));
}

int64_t
state_graph_bytes_that_came (StateGraphView *v, uint32_t from, uint32_t to)
{
  gint64 key = (gint64) ((uint64_t) from << 32 | to), *bytes = g_hash_table_lookup (v->came, &key);

  return bytes != NULL ? *bytes : -1;
}

double
state_graph_bytes (StateGraphView *v, const ViewScene *scene, uint32_t edge, const uint32_t *task_of,
                   GHashTable *counted)
{
  const StateGraph *g = scene->graph;
  int total = state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  uint32_t from, to;

  g->edge_ends (g, edge, &from, &to);
  if (!state_present (g, STATE_EDGE, edge) || task_of[from] == TRACE_NONE || task_of[to] == TRACE_NONE)
    return -1;
  gint64 pair = (gint64) ((uint64_t) task_of[from] << 32 | task_of[to]);
  if (!state_graph_is_straight (v))
    return g_hash_table_add (counted, g_memdup2 (&pair, sizeof pair))
               ? (double) state_graph_bytes_that_came (v, task_of[from], task_of[to])
               : -1;
  return total >= 0 ? state_number (g, (uint32_t) total, edge, MAX (scene->at, g->clock)) : 0;
}

/* ---- tasks ---------------------------------------------------------------------------------------------- */

#define PART 8192 /* tasks or links */
#define NO_STATE UINT32_MAX

/* The vertex of each node, and its state where that is asked for. */
typedef struct Reading {
  const StateGraphView *v;
  const StateGraph *g;
  const uint32_t *task_of;
  StateValues states;
  uint32_t *vertex, *state; /* state NULL: it is not asked for */
} Reading;

static void
read_nodes (void *arg, uint32_t part)
{
  const Reading *r = arg;
  uint32_t first = part * PART, end = first + MIN (r->g->n_nodes - first, PART);

  for (uint32_t node = first; node < end; node++) {
    uint32_t task = r->task_of[node];
    r->vertex[node] = task != TRACE_NONE && state_present (r->g, STATE_NODE, node) ? r->v->vertex_of[task] : TRACE_NONE;
    if (r->state != NULL && !state_value_in (&r->states, node, &r->state[node]))
      r->state[node] = NO_STATE;
  }
}

uint32_t *
state_graph_vertices_now (const StateGraphView *v, const StateGraph *g, const uint32_t *task_of, uint32_t **state)
{
  uint32_t n = g != NULL ? g->n_nodes : 0;
  Reading r = { .v = v, .g = g, .task_of = task_of, .vertex = g_new (uint32_t, n + 1) };

  if (state != NULL)
    *state = r.state = g_new (uint32_t, n + 1);
  if (state != NULL && n > 0)
    r.states = state_values_of (g, state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE));
  at_once ((n + PART - 1) / PART, 2, read_nodes, &r);
  return r.vertex;
}

void
state_graph_count_states (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, const uint32_t *now,
                          const uint32_t *state, Picture *p)
{
  g_autoptr (GHashTable) shown = state_graph_tasks_that_came (v);

  for (uint32_t node = 0; scene->graph != NULL && node < scene->graph->n_nodes; node++) {
    if (now[node] == TRACE_NONE || !state_graph_shows_task (shown, task_of[node]) || state[node] == NO_STATE)
      continue;
    Vertex *vertex = &g_array_index (p->vertices, Vertex, now[node]);
    vertex->present++;
    vertex->node = vertex->task != TRACE_NONE ? node + 1 : 0;
    vertex->in_state[MIN (state[node], VERTEX_STATES - 1)]++;
  }
}

/* ---- links ---------------------------------------------------------------------------------------------- */

/* Which of two states of links tells more: talking, waited for, loaded, unused, dead. */
static int
state_graph_rank_of (const StateGraph *g, int attribute, uint32_t state)
{
  static const int rank[] = {
    [STATE_SENSE_NONE] = 2,  [STATE_SENSE_WORKS] = 2, [STATE_SENSE_COSTS] = 2, [STATE_SENSE_WAITS] = 3,
    [STATE_SENSE_TALKS] = 4, [STATE_SENSE_REST] = 1,  [STATE_SENSE_GONE] = 0
  };

  return rank[state_value (g->model, attribute, state)->sense];
}

#define RANKS 16
#define LINK_PARTS 8 /* at most */

/* What the links of one part come to. */
typedef struct LinkSums {
  GArray *links;  /* of Link */
  uint32_t *at;   /* by pair of vertices: the index of its link + 1 */
  double *inside; /* by vertex */
} LinkSums;

typedef struct Summing {
  StateGraphView *v;
  const StateGraph *g;
  const uint32_t *task_of, *now;
  uint32_t n, n_parts;       /* vertices */
  int state_at, rank[RANKS]; /* of the first states */
  StateValues states;
  bool straight;
  GHashTable *counted; /* pairs of tasks, where it is not straight */
  const char *total;   /* NULL: the model has none */
  size_t total_stride;
  LinkSums sums[LINK_PARTS];
} Summing;

/* Of several links rules say nothing, and the state that tells most is seen. */
static void
sum_link (LinkSums *to, uint32_t n, const Link *l)
{
  uint32_t *known = &to->at[(gsize) l->from * n + l->to];

  if (*known == 0) {
    g_array_append_vals (to->links, l, 1);
    *known = to->links->len;
    return;
  }
  Link *sum = &g_array_index (to->links, Link, *known - 1);
  sum->total += l->total;
  sum->edge = TRACE_NONE;
  if (l->rank > sum->rank) {
    sum->state = l->state;
    sum->rank = l->rank;
  }
}

static void
sum_part (void *arg, uint32_t part)
{
  Summing *s = arg;
  const StateGraph *g = s->g;
  LinkSums *to = &s->sums[part];
  uint32_t end = (uint32_t) ((uint64_t) g->n_edges * (part + 1) / s->n_parts);

  /* One is in the graph where both of its nodes are. */
  for (uint32_t i = (uint32_t) ((uint64_t) g->n_edges * part / s->n_parts); i < end; i++) {
    uint32_t from, to_node, state;
    g->edge_ends (g, i, &from, &to_node);
    if (s->now[from] == TRACE_NONE || s->now[to_node] == TRACE_NONE || !state_value_in (&s->states, i, &state))
      continue;
    int64_t came = s->straight ? 0 : state_graph_bytes_that_came (s->v, s->task_of[from], s->task_of[to_node]);
    Link l = { .from = s->now[from], .to = s->now[to_node], .edge = i, .state = state };
    if (came < 0)
      continue;
    gint64 pair = (gint64) ((uint64_t) s->task_of[from] << 32 | s->task_of[to_node]);
    if (!s->straight) /* of the two tasks, which may have several links */
      l.total = g_hash_table_add (s->counted, g_memdup2 (&pair, sizeof pair)) ? (double) came : 0;
    else if (s->total != NULL)
      l.total = (double) *(const int64_t *) (const void *) (s->total + s->total_stride * i);
    l.rank = state < RANKS ? s->rank[state] : state_graph_rank_of (g, s->state_at, state);
    if (l.from == l.to) /* of a task with itself nothing is drawn */
      to->inside[l.from] += from != to_node ? l.total : 0;
    else
      sum_link (to, s->n, &l);
  }
}

/* In several parts where pairs of vertices are few beside links.  How many does not hang on the machine. */
static uint32_t
link_parts (const Summing *s)
{
  uint32_t edges = s->g->n_edges;
  bool few = (uint64_t) s->n * s->n <= edges;

  return s->straight && few ? CLAMP (edges / PART, 1, LINK_PARTS) : 1;
}

void
state_graph_sum_links (StateGraphView *v, const ViewScene *scene, const uint32_t *task_of, const uint32_t *now,
                       Picture *p)
{
  const StateGraph *g = scene->graph;
  g_autoptr (GHashTable) counted = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  Summing s = { .v = v, .g = g, .task_of = task_of, .now = now, .n = v->n_vertices, .counted = counted };

  if (g == NULL)
    return;
  s.straight = state_graph_is_straight (v);
  s.state_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_STATE);
  s.states = state_values_of (g, s.state_at);
  int total_at = state_with_role (g->model, STATE_EDGE, STATE_ROLE_TRAFFIC);
  if (total_at >= 0 && g->model->attributes[total_at].kind == STATE_INT)
    s.total = g->model->column (g, (uint32_t) total_at, &s.total_stride);
  for (uint32_t state = 0; s.state_at >= 0 && state < RANKS; state++)
    s.rank[state] = state_graph_rank_of (g, s.state_at, state);
  s.n_parts = link_parts (&s);
  for (uint32_t k = 0; k < s.n_parts; k++)
    s.sums[k] = (LinkSums){ k == 0 ? p->links : g_array_new (FALSE, FALSE, sizeof (Link)),
                            g_new0 (uint32_t, (gsize) s.n * s.n + 1), g_new0 (double, s.n + 1) };
  at_once (s.n_parts, 1, sum_part, &s);
  for (uint32_t k = 1; k < s.n_parts; k++)
    for (guint i = 0; i < s.sums[k].links->len; i++)
      sum_link (&s.sums[0], s.n, &g_array_index (s.sums[k].links, Link, i));
  for (uint32_t k = 0; k < s.n_parts; k++)
    for (uint32_t i = 0; i < s.n; i++)
      g_array_index (p->vertices, Vertex, i).inside += s.sums[k].inside[i];
  for (guint i = 0; i < p->links->len; i++) {
    Link *l = &g_array_index (p->links, Link, i);
    l->opposite = s.sums[0].at[(gsize) l->to * s.n + l->from] != 0;
  }
  for (uint32_t k = 0; k < s.n_parts; k++) {
    if (k > 0)
      g_array_unref (s.sums[k].links);
    g_free (s.sums[k].at);
    g_free (s.sums[k].inside);
  }
}
