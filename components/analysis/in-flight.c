/* SPDX-License-Identifier: Apache-2.0 */
/* in-flight.c - what has been sent and not been received yet: of all, for each task that it waits at, for each pair. */
#include "statistics/graph.h"
#include "eve/words.h"
#include "readers/counted.h"
#include "statistics/types.h"

#define MOST_OBJECTS (1u << 24)
#define AT_ONCE 64 /* tasks told in one call */

typedef struct Area { /* of a link: bytes times ticks */
  double sum;
  int64_t since; /* it is counted until then */
} Area;

typedef struct InFlight {
  EveBase base;
  int64_t most; /* setting */
  uint64_t wires;
  const StateGraph *graph;
  int pending;       /* attribute of links: bytes on them now; -1: the model has none */
  GArray *links;     /* int64_t, by link: bytes on it */
  GArray *nodes;     /* int64_t, by node: bytes on the links that lead to it */
  GHashTable *tasks; /* the first n_tasks of the trace, by id; NULL: not asked for yet */
  uint32_t n_tasks;
  GArray *task_of;  /* uint32_t, by node: its task + 1; 0: not looked up yet; TRACE_NONE: it is none */
  int64_t all;      /* bytes */
  uint32_t present; /* the node that is told next, at rest and at the end */
  int64_t date;
  uint16_t source;
  bool averages; /* means since `from` are told at the end, as of a range; no run state */
  int64_t from;
  GArray *areas; /* of Area, by link */
  GArray *means; /* of double */
} InFlight;

static const EveInSpec ins[] = {
  { "changes", &state_type_change, .required = true,
    .doc = "Changes of all attributes, from the output of that name of a simulator." },
};
enum { OUT_ALL, OUT_QUEUE, OUT_PAIRS };
static const EveOutSpec outs[] = {
  { "all", &stats_type_datum, .unit = "B", .doc = "Bytes that are under way, whenever it changes." },
  { "queue", &stats_type_datum, .unit = "B", .capacity = 4 * AT_ONCE, .per_fire = AT_ONCE,
    .doc = "Of each task, the bytes that are under way to it, whenever it changes." },
  { "pairs", &stats_type_matrix, .unit = "B",
    .doc = "Bytes that are under way from the task of the row to that of the column, at an instant and at the end." },
};
static const EveField settings[] = {
  { "most", EVE_F_INT64, offsetof (InFlight, most), .min = 1, .max = 4096, .def = 256,
    .doc = "Rows and columns of the matrix at most; with more tasks a row stands for 2, 4, 8, ... that follow each "
           "other." },
};

static inline void
in_flight_need_bound (InFlight *self)
{
  if (G_LIKELY (!stats_wires_changed (&self->wires, (EveComponent *) self)))
    return;
  const StateGraph *graph = stats_graph_above ((EveComponent *) self);
  if (self->graph && graph && graph != self->graph) { /* another simulator: its links are others */
    g_array_set_size (self->links, 0);
    g_array_set_size (self->nodes, 0);
    self->all = 0;
  }
  self->graph = graph;
  g_clear_pointer (&self->tasks, g_hash_table_unref);
  self->pending = self->graph ? state_with_role (self->graph->model, STATE_EDGE, STATE_ROLE_PENDING) : -1;
  g_array_set_size (self->task_of, 0);
}

static int64_t *
whole_at (GArray *a, uint32_t i)
{
  if (i >= a->len)
    g_array_set_size (a, i + 1);
  return &g_array_index (a, int64_t, i);
}

/* TRACE_NONE: the node is no task of the trace. */
static uint32_t
in_flight_task_of (InFlight *self, uint32_t node)
{
  if (node >= self->task_of->len)
    g_array_set_size (self->task_of, node + 1);
  uint32_t *known = &g_array_index (self->task_of, uint32_t, node);
  if (*known == 0 && self->graph != NULL && node < self->graph->n_nodes) {
    const TraceSource *s = trace_source (self->source);
    uint32_t n_tasks = s != NULL ? s->tasks->len : 0;
    if (self->tasks == NULL || self->n_tasks != n_tasks) { /* the trace may grow */
      g_clear_pointer (&self->tasks, g_hash_table_unref);
      self->tasks = stats_tasks_by_id (s);
      self->n_tasks = n_tasks;
    }
    gpointer number = g_hash_table_lookup (self->tasks, self->graph->node_id (self->graph, node));
    *known = number != NULL ? GPOINTER_TO_UINT (number) : TRACE_NONE;
  }
  return *known == 0 || *known == TRACE_NONE ? TRACE_NONE : *known - 1;
}

static StatsDatum
datum_of (InFlight *self, uint32_t node, int64_t date)
{
  StatsDatum d = { .date = date, .owner = TRACE_NONE, .source = self->source };

  if (node != TRACE_NONE) {
    uint32_t task = in_flight_task_of (self, node);
    d.owner = task != TRACE_NONE ? task : node;
    d.owner_kind = task != TRACE_NONE ? STATS_OF_TASK : STATS_OF_NODE;
  }
  d.unit = g_intern_static_string ("B");
  return d;
}

static void
in_flight_give (InFlight *self, int out, uint32_t node, int64_t bytes, int64_t date)
{
  StatsDatum d = datum_of (self, node, date);

  d.is_whole = 1;
  d.value.whole = bytes;
  eve_emit (self->base.out[out], &d);
}

/* ---- means ----------------------------------------------------------------------------------------------------------- */

static Area *
area_of (InFlight *self, uint32_t link)
{
  const Area fresh = { 0, self->from };

  while (self->areas->len <= link)
    g_array_append_val (self->areas, fresh);
  return &g_array_index (self->areas, Area, link);
}

static void
in_flight_pass_time (InFlight *self, uint32_t link, int64_t bytes, int64_t date)
{
  Area *a = area_of (self, link);

  if (date > a->since)
    a->sum += (double) bytes * ((double) date - (double) a->since);
  a->since = MAX (a->since, date);
}

/* Bytes on a link: now, or on the average. */
static double
bytes_on (InFlight *self, uint32_t link, int64_t date)
{
  int64_t now = g_array_index (self->links, int64_t, link);

  if (!self->averages || date <= self->from)
    return (double) now;
  in_flight_pass_time (self, link, now, date);
  return area_of (self, link)->sum / ((double) date - (double) self->from);
}

static void
in_flight_step (InFlight *self, const StateChange *c)
{
  uint32_t from, to;

  if (G_UNLIKELY (c->source != self->source) && !stats_same_trace ((EveComponent *) self, &self->source, c->source))
    return;
  self->date = c->date;
  if (c->scope != STATE_EDGE || (int) c->attribute != self->pending || c->object >= MOST_OBJECTS || self->graph == NULL
      || c->object >= self->graph->n_edges)
    return;
  self->graph->edge_ends (self->graph, c->object, &from, &to);
  int64_t *link = whole_at (self->links, c->object), *node = whole_at (self->nodes, to), more = c->new_value - *link;
  if (more == 0)
    return;
  if (self->averages)
    in_flight_pass_time (self, c->object, *link, c->date);
  *link = c->new_value;
  *node += more;
  self->all += more;
  in_flight_give (self, OUT_ALL, TRACE_NONE, self->all, c->date);
  if (eve_out_connected (self->base.out[OUT_QUEUE]))
    in_flight_give (self, OUT_QUEUE, to, *node, c->date);
}

static void
in_flight_fire (EveComponent *c)
{
  in_flight_need_bound ((InFlight *) c);
  in_flight_step ((InFlight *) c, eve_take (eve_base (c)->in[0]));
}

/* ---- the present ----------------------------------------------------------------------------------------------------- */

/* A row for each task that a link has led from or to; machines that hold tasks have none. */
static void
give_pairs (InFlight *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  uint32_t n = 0, shift = 0, from, to, n_links = MIN (self->links->len, self->graph->n_edges);

  for (guint i = 0; s != NULL && i < n_links; i++) {
    self->graph->edge_ends (self->graph, i, &from, &to);
    from = in_flight_task_of (self, from);
    to = in_flight_task_of (self, to);
    if (from != TRACE_NONE && to != TRACE_NONE)
      n = MAX (n, MAX (from, to) + 1);
  }
  if (n == 0)
    return;
  while ((n - 1) >> shift >= self->most)
    shift++;
  uint32_t rows = ((n - 1) >> shift) + 1;
  StatsMatrix *m = stats_matrix_new (eve_name ((EveComponent *) self), "B", rows, rows);
  m->date = date;
  m->source = self->source;
  m->whole = !self->averages;
  m->flows = true;
  stats_matrix_of_tasks (m, s, shift, n);
  for (guint i = 0; i < n_links; i++) {
    self->graph->edge_ends (self->graph, i, &from, &to);
    from = in_flight_task_of (self, from);
    to = in_flight_task_of (self, to);
    if (from != TRACE_NONE && to != TRACE_NONE)
      m->values[(size_t) (from >> shift) * rows + (to >> shift)] += bytes_on (self, i, date);
  }
  eve_emit_steal (self->base.out[OUT_PAIRS], &m);
}

/* Of a range the means, by node, and of all of them the last. */
static void
find_means (InFlight *self, int64_t date)
{
  uint32_t n = self->graph != NULL ? MIN (self->links->len, self->graph->n_edges) : 0, from, to;

  g_array_set_size (self->means, 0);
  g_array_set_size (self->means, self->nodes->len + 1);
  double *mean = (double *) (void *) self->means->data;
  for (uint32_t i = 0; i < n; i++) {
    double bytes = bytes_on (self, i, date);
    self->graph->edge_ends (self->graph, i, &from, &to);
    if (to < self->nodes->len)
      mean[to] += bytes;
    mean[self->nodes->len] += bytes;
  }
}

static void
give_present (InFlight *self, int out, uint32_t node, int64_t date)
{
  if (!self->averages) {
    in_flight_give (self, out, node, node == TRACE_NONE ? self->all : g_array_index (self->nodes, int64_t, node), date);
    return;
  }
  StatsDatum d = datum_of (self, node, date);
  d.value.real = g_array_index (self->means, double, MIN (node, self->nodes->len));
  eve_emit (self->base.out[out], &d);
}

static bool
in_flight_tell (InFlight *self, int64_t date)
{
  guint end = MIN (self->present + AT_ONCE, self->nodes->len);

  in_flight_need_bound (self);
  if (self->averages && self->present == 0)
    find_means (self, date);
  for (; self->present < end; self->present++)
    give_present (self, OUT_QUEUE, self->present, date);
  if (self->present < self->nodes->len)
    return false;
  self->present = 0;
  if (self->source != 0)
    give_present (self, OUT_ALL, TRACE_NONE, date);
  if (self->graph != NULL && eve_out_connected (self->base.out[OUT_PAIRS]))
    give_pairs (self, date);
  eve_status ((EveComponent *) self,
              self->pending < 0 && self->graph != NULL ? _ ("the model knows nothing of what is under way")
                                                       : _ ("%lld bytes under way"),
              (long long) self->all);
  return true;
}

static bool
in_flight_at_rest (EveComponent *c, int64_t now)
{
  InFlight *self = (InFlight *) c;

  return in_flight_tell (self, MAX (self->date, trace_lasts_until (self->source, now)));
}

static bool
in_flight_at_end (EveComponent *c)
{
  InFlight *self = (InFlight *) c;
  const TraceSource *s = trace_source (self->source);

  return in_flight_tell (self, s != NULL ? MAX (self->date, s->last) : self->date);
}

/* ---- the component --------------------------------------------------------------------------------------------------- */

static void
in_flight_reset (EveComponent *c)
{
  InFlight *self = (InFlight *) c;

  g_array_set_size (self->links, 0);
  g_array_set_size (self->nodes, 0);
  g_array_set_size (self->task_of, 0);
  g_array_set_size (self->areas, 0);
  self->averages = false;
  self->all = 0;
  self->present = 0;
  self->date = INT64_MIN;
  self->source = 0;
  self->wires = 0;
  g_clear_pointer (&self->tasks, g_hash_table_unref);
}

static bool
in_flight_init (EveComponent *c)
{
  InFlight *self = (InFlight *) c;

  self->links = g_array_new (FALSE, TRUE, sizeof (int64_t));
  self->nodes = g_array_new (FALSE, TRUE, sizeof (int64_t));
  self->task_of = g_array_new (FALSE, TRUE, sizeof (uint32_t));
  self->areas = g_array_new (FALSE, FALSE, sizeof (Area));
  self->means = g_array_new (FALSE, TRUE, sizeof (double));
  in_flight_reset (c);
  return true;
}

static void
in_flight_finish (EveComponent *c)
{
  InFlight *self = (InFlight *) c;

  g_array_unref (self->links);
  g_array_unref (self->nodes);
  g_array_unref (self->task_of);
  g_array_unref (self->areas);
  g_array_unref (self->means);
  g_clear_pointer (&self->tasks, g_hash_table_unref);
}

/* A rest may have been broken off. */
static void
in_flight_start (EveComponent *c)
{
  ((InFlight *) c)->present = 0;
}

static void
in_flight_put (const GArray *a, EveBlob *to)
{
  eve_put_int (to, a->len);
  eve_put_ints (to, (const int64_t *) (const void *) a->data, a->len);
}

static bool
in_flight_get (GArray *a, EveBlobView *from)
{
  int64_t n = eve_get_int (from);

  if (!eve_get_ok (from) || n < 0 || n > MOST_OBJECTS)
    return false;
  g_array_set_size (a, (guint) n);
  return eve_get_ints (from, (int64_t *) (void *) a->data, (size_t) n) == (size_t) n;
}

static void
in_flight_save (EveComponent *c, EveBlob *to)
{
  const InFlight *self = (const InFlight *) c;

  in_flight_put (self->links, to);
  in_flight_put (self->nodes, to);
  eve_put_int (to, self->all);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
in_flight_load (EveComponent *c, EveBlobView *from)
{
  InFlight *self = (InFlight *) c;

  in_flight_reset (c);
  if (!in_flight_get (self->links, from) || !in_flight_get (self->nodes, from))
    return false;
  self->all = eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

/* Of a range the mean of what is under way. */
static void
in_flight_begin (EveComponent *c, int64_t date)
{
  InFlight *self = (InFlight *) c;

  g_array_set_size (self->areas, 0);
  self->averages = true;
  self->from = date;
  self->present = 0;
  self->date = MAX (self->date, date);
}

static const void *
in_flight_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { in_flight_begin };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass in_flight = {
  EVE_CLASS_HEAD,
  .id = "scope.in-flight",
  .label = "In Flight",
  .category = "Analysis",
  .version = 1,
  .doc = "What has been sent and not been received yet: in all, for each task that it waits at, for each pair.",
  .help = "Connect the output `changes` of a simulator whose model tells how many bytes are on a link.  `all` to a "
          "Curve is the traffic over time; `queue` to a Gauge shows the message queues, with the most that has waited "
          "at each task so far; `pairs` to a Matrix is the communication matrix of what is under way at the instant. "
          " With a Y of a Scatter and the output `all` of Activity as its X it is a phase portrait.\n\n"
          "Where charts count a range alone, `all`, `queue` and `pairs` are the means over it.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (InFlight),
  .init = in_flight_init,
  .finish = in_flight_finish,
  .reset = in_flight_reset,
  .start = in_flight_start,
  .fire = in_flight_fire,
  .at_end = in_flight_at_end,
  .at_rest = in_flight_at_rest,
  .save = in_flight_save,
  .load = in_flight_load,
  .query = in_flight_query,
};
EVE_PLUGIN (&in_flight);
