/* SPDX-License-Identifier: Apache-2.0 */
/* call-tree-table.c - the tree of calls as a table, and what each call sums up to. */
#include <string.h>
#include "components/analysis/call-tree.h"

typedef struct Node { /* a path, to be given */
  int64_t spent, inclusive, visits;
  uint32_t path, parent, state, depth;
  uint32_t first, next; /* inside of it, and beside it; NONE */
} Node;

typedef struct Forest {
  Node *nodes; /* a parent always before what is inside of it */
  uint32_t n;
  uint32_t *order; /* those to be given, in their order */
  uint32_t n_order;
  int64_t all, date;
} Forest;

static const char *
name_of (const CallTree *self, const Path *p)
{
  if (p->parent == NONE)
    return p->state < self->groups->len ? self->groups->pdata[p->state] : "?";
  return p->state == OTHERS     ? "others"
         : self->attribute >= 0 ? state_value (self->graph->model, self->attribute, p->state)->name
                                : "?";
}

static int
compare (const CallTree *self, const Node *a, const Node *b)
{
  if (a->inclusive != b->inclusive)
    return a->inclusive < b->inclusive ? 1 : -1;
  if (a->visits != b->visits)
    return a->visits < b->visits ? 1 : -1;
  return strcmp (name_of (self, path_at (self, a->path)), name_of (self, path_at (self, b->path)));
}

typedef struct Sorting {
  const CallTree *self;
  const Node *nodes;
} Sorting;

static int
by_time (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int order = compare (s->self, &s->nodes[x], &s->nodes[y]);

  return order != 0 ? order : (x > y) - (x < y);
}

/* Longest last, so that the first of a list is put in front last. */
static void
sort_children (const CallTree *self, Forest *f)
{
  g_autofree uint32_t *sorted = g_new (uint32_t, MAX (f->n, 1));

  for (uint32_t i = 0; i < f->n; i++)
    sorted[i] = i;
  g_qsort_with_data (sorted, (gint) f->n, sizeof *sorted, by_time, &(Sorting){ self, f->nodes });
  for (uint32_t i = f->n; i-- > 0;) {
    Node *n = &f->nodes[sorted[i]];
    if (n->parent == NONE)
      continue;
    n->next = f->nodes[n->parent].first;
    f->nodes[n->parent].first = sorted[i];
  }
  for (uint32_t k = 0; k < f->n; k++) { /* each above what is inside of it */
    if (f->nodes[sorted[k]].parent != NONE)
      continue;
    for (uint32_t at = sorted[k]; at != NONE;) {
      Node *n = &f->nodes[at];
      n->depth = n->parent == NONE ? 0 : f->nodes[n->parent].depth + 1;
      if (n->visits > 0 || n->inclusive > 0)
        f->order[f->n_order++] = at;
      if (n->first != NONE) {
        at = n->first;
        continue;
      }
      while (at != NONE && f->nodes[at].next == NONE)
        at = f->nodes[at].parent;
      at = at != NONE ? f->nodes[at].next : NONE;
    }
  }
}

static Forest
gather (CallTree *self, int64_t date)
{
  Forest f = {
    g_new (Node, MAX (self->paths->len, 1)), self->paths->len, g_new (uint32_t, MAX (self->paths->len, 1)), 0, 0, date
  };

  for (uint32_t i = 0; i < f.n; i++) {
    const Path *p = path_at (self, i);
    f.nodes[i] = (Node){ .spent = p->parent == NONE ? 0 : p->spent,
                         .visits = p->visits,
                         .path = i,
                         .parent = p->parent,
                         .state = p->state,
                         .first = NONE,
                         .next = NONE };
  }
  for (uint32_t i = 0; i < self->n_seen; i++) {
    const Stack *t = &self->stacks[i];
    if (t->n > 0)
      f.nodes[path_of (t)].spent = plus (f.nodes[path_of (t)].spent, open_time (self, t, date));
  }
  for (uint32_t i = f.n; i-- > 0;) {
    Node *n = &f.nodes[i];
    n->inclusive = plus (n->inclusive, n->spent);
    if (n->parent != NONE)
      f.nodes[n->parent].inclusive = plus (f.nodes[n->parent].inclusive, n->inclusive);
    else
      f.all = plus (f.all, n->inclusive);
  }
  sort_children (self, &f);
  return f;
}

static void
forest_clear (Forest *f)
{
  g_free (f->nodes);
  g_free (f->order);
}

static double
in_seconds (const CallTree *self, int64_t ticks)
{
  const TraceSource *s = trace_source (self->source);

  return s ? trace_clock_seconds (&s->clock, ticks) : (double) ticks;
}

static TraceRef
owner_of (const CallTree *self, const Path *p)
{
  if (p->parent == NONE || p->state == OTHERS || self->attribute < 0)
    return (TraceRef){ 0 };
  return trace_ref_value (self->graph->model->attributes[self->attribute].name, name_of (self, p));
}

static void
fill (const CallTree *self, StatsTable *t, uint32_t row, uint32_t k, const Node *n, int64_t all)
{
  const Path *p = path_at (self, n->path);

  stats_table_set_text (t, row, 0, name_of (self, p));
  stats_cell (t, row, k)->real = in_seconds (self, n->inclusive);
  if (all > 0)
    stats_cell (t, row, k + 1)->real = 100 * (double) n->inclusive / (double) all;
  stats_cell (t, row, k + 2)->real = in_seconds (self, n->spent);
  if (p->parent != NONE)
    stats_cell (t, row, k + 3)->whole = n->visits;
  if (n->visits > 0)
    stats_cell (t, row, k + 4)->real = in_seconds (self, n->inclusive) / (double) n->visits;
  if (owner_of (self, p).type != TRACE_REF_NONE)
    stats_table_set_owner (t, row, owner_of (self, p), (TraceRef){ 0 });
}

static const StatsColumn columns[] = {
  { "call", NULL, STATS_CELL_TEXT },      { "depth", NULL, STATS_CELL_WHOLE },   { "inclusive", "s", STATS_CELL_REAL },
  { "of all", "%", STATS_CELL_REAL },     { "exclusive", "s", STATS_CELL_REAL }, { "visits", NULL, STATS_CELL_WHOLE },
  { "mean visit", "s", STATS_CELL_REAL },
};

static StatsTable *
begin_table (const CallTree *self, const StatsColumn *of, uint32_t n_columns, uint32_t n, int64_t date)
{
  StatsTable *t = stats_table_new (eve_name ((const EveComponent *) self), of, n_columns, n);

  t->date = MIN (date, self->to);
  t->source = self->source;
  return t;
}

static void
give_tree (CallTree *self, const Forest *f)
{
  StatsTable *t = begin_table (self, columns, G_N_ELEMENTS (columns), f->n_order, f->date);

  for (uint32_t i = 0; i < f->n_order; i++) {
    const Node *n = &f->nodes[f->order[i]];
    fill (self, t, i, 2, n, f->all);
    stats_cell (t, i, 1)->whole = n->depth;
  }
  eve_emit_steal (self->base.out[0], &t);
}

/* Of a call that is inside of itself only the outermost counts: paths come in their order, so those that a path is
 * inside of are known by how deep they are. */
static void
give_regions (CallTree *self, const Forest *f)
{
  StatsColumn flat[G_N_ELEMENTS (columns) - 1];
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) regions = g_array_new (FALSE, TRUE, sizeof (Node));
  g_autoptr (GArray)
      around = g_array_new (FALSE, TRUE, sizeof (uint32_t)); /* by region: depth of the outermost, or 0 */
  g_autofree uint32_t *inside = g_new0 (uint32_t, f->n + 2); /* by depth: region, if it is its outermost, + 1 */
  uint32_t n = 0;

  flat[0] = columns[0];
  memcpy (flat + 1, columns + 2, sizeof flat - sizeof *flat);
  for (uint32_t i = 0, deep = 0; i <= f->n_order; i++) {
    const Node *node = i < f->n_order ? &f->nodes[f->order[i]] : NULL;
    for (; deep > 0 && deep >= (node != NULL ? node->depth : 0); deep--)
      if (inside[deep] != 0)
        g_array_index (around, uint32_t, inside[deep] - 1) = 0;
    if (node == NULL || node->parent == NONE)
      continue;
    gpointer key = GUINT_TO_POINTER (node->state + 3);
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));
    if (k == 0) {
      Node region = { .path = node->path, .state = node->state };
      uint32_t zero = 0;
      g_array_append_val (regions, region);
      g_array_append_val (around, zero);
      g_hash_table_insert (places, key, GUINT_TO_POINTER (k = regions->len));
    }
    Node *r = &g_array_index (regions, Node, k - 1);
    r->spent = plus (r->spent, node->spent);
    r->visits = plus (r->visits, node->visits);
    deep = node->depth;
    inside[deep] = g_array_index (around, uint32_t, k - 1) == 0 ? k : 0;
    if (inside[deep] != 0) {
      g_array_index (around, uint32_t, k - 1) = deep;
      r->inclusive = plus (r->inclusive, node->inclusive);
    }
  }
  n = regions->len;
  g_autofree uint32_t *sorted = g_new (uint32_t, MAX (n, 1));
  for (uint32_t i = 0; i < n; i++)
    sorted[i] = i;
  Sorting how = { self, (const Node *) (const void *) regions->data };
  g_qsort_with_data (sorted, (gint) n, sizeof *sorted, by_time, &how);
  StatsTable *t = begin_table (self, flat, G_N_ELEMENTS (flat), n, f->date);
  for (uint32_t i = 0; i < n; i++)
    fill (self, t, i, 1, &g_array_index (regions, Node, sorted[i]), f->all);
  eve_emit_steal (self->base.out[1], &t);
}

void
call_tree_give (CallTree *self, int64_t date)
{
  Forest f = gather (self, date);
  if (eve_out_connected (self->base.out[0]))
    give_tree (self, &f);
  if (eve_out_connected (self->base.out[1]))
    give_regions (self, &f);
  forest_clear (&f);
  if (self->beyond > 0)
    eve_status ((EveComponent *) self, "%u paths; %" G_GUINT64_FORMAT " calls are others", self->n_calls, self->beyond);
  else
    eve_status ((EveComponent *) self, "%u paths", self->n_calls);
}
