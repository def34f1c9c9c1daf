/* SPDX-License-Identifier: Apache-2.0 */
/* call-tree-table.c - the tree of calls as a table, and what each call sums up to. */
#include <string.h>
#include "components/analysis/call-tree.h"
#include "eve/words.h"

typedef struct Forest {
  StatsPathOrder order;
  int64_t *inclusive, *spent; /* by path, ticks */
  int64_t *visits;            /* by path */
  uint32_t *given;            /* the paths that have rows, in their order */
  uint32_t n_given;
  int64_t all, date;
} Forest;

static const char *
call_tree_table_name_of (const CallTree *self, uint32_t path)
{
  const StatsPath *p = path_at (self, path);

  if (p->parent == NONE)
    return p->label < self->groups->len ? self->groups->pdata[p->label] : "?";
  return p->label == OTHERS     ? "others"
         : self->attribute >= 0 ? state_value (self->graph->model, self->attribute, p->label)->name
                                : "?";
}

typedef struct Sorting {
  const CallTree *self;
  const int64_t *inclusive, *visits;
} Sorting;

/* Longest first. */
static int
call_tree_table_by_time (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int64_t visits_x = s->visits[x], visits_y = s->visits[y];

  if (s->inclusive[x] != s->inclusive[y])
    return s->inclusive[x] < s->inclusive[y] ? 1 : -1;
  if (visits_x != visits_y)
    return visits_x < visits_y ? 1 : -1;
  return strcmp (call_tree_table_name_of (s->self, x), call_tree_table_name_of (s->self, y));
}

static Forest
call_tree_table_gather (CallTree *self, int64_t date)
{
  uint32_t n = self->paths.n;
  Forest f = { .inclusive = g_new0 (int64_t, MAX (n, 1)),
               .spent = g_new0 (int64_t, MAX (n, 1)),
               .visits = g_new0 (int64_t, MAX (n, 1)),
               .given = g_new (uint32_t, MAX (n, 1)),
               .date = date };

  for (uint32_t i = 0; i < n; i++) {
    f.spent[i] = path_at (self, i)->parent == NONE ? 0 : counts_of (self, i)->spent;
    f.visits[i] = counts_of (self, i)->visits;
  }
  for (uint32_t i = 0; i < self->n_seen; i++) {
    const Stack *t = &self->stacks[i];
    int64_t time = open_time (self, t, date);
    if (t->n == 0)
      continue;
    f.spent[path_of (t)] = trace_sum (f.spent[path_of (t)], time);
    for (uint32_t depth = 0; time > 0 && depth < t->n; depth++)
      f.visits[t->levels[depth].path] += t->levels[depth].due;
  }
  for (uint32_t i = n; i-- > 0;) {
    uint32_t parent = path_at (self, i)->parent;
    int64_t *around = parent != NONE ? &f.inclusive[parent] : &f.all;
    f.inclusive[i] = trace_sum (f.inclusive[i], f.spent[i]);
    *around = trace_sum (*around, f.inclusive[i]);
  }
  f.order = stats_paths_order (&self->paths, call_tree_table_by_time, &(Sorting){ self, f.inclusive, f.visits });
  for (uint32_t i = 0; i < n; i++)
    if (f.visits[f.order.paths[i]] > 0 || f.inclusive[f.order.paths[i]] > 0)
      f.given[f.n_given++] = f.order.paths[i];
  return f;
}

static void
call_tree_table_forest_clear (Forest *f)
{
  stats_path_order_clear (&f->order);
  g_free (f->inclusive);
  g_free (f->spent);
  g_free (f->visits);
  g_free (f->given);
}

static double
call_tree_table_in_seconds (const CallTree *self, int64_t ticks)
{
  const TraceSource *s = trace_source (self->source);

  return s ? trace_clock_seconds (&s->clock, ticks) : (double) ticks;
}

static TraceRef
call_tree_table_owner_of (const CallTree *self, uint32_t path)
{
  if (path_at (self, path)->parent == NONE || path_at (self, path)->label == OTHERS || self->attribute < 0)
    return (TraceRef){ 0 };
  return trace_ref_value (self->graph->model->attributes[self->attribute].name, call_tree_table_name_of (self, path));
}

typedef struct Sum { /* of a path, or of all with one label */
  int64_t spent, inclusive, visits;
  uint32_t path;
} Sum;

static void
call_tree_table_fill (const CallTree *self, StatsTable *t, uint32_t row, uint32_t k, const Sum *sum, int64_t all)
{
  stats_table_set_text (t, row, 0, call_tree_table_name_of (self, sum->path));
  stats_cell (t, row, k)->real = call_tree_table_in_seconds (self, sum->inclusive);
  if (all > 0)
    stats_cell (t, row, k + 1)->real = 100 * (double) sum->inclusive / (double) all;
  stats_cell (t, row, k + 2)->real = call_tree_table_in_seconds (self, sum->spent);
  if (path_at (self, sum->path)->parent != NONE)
    stats_cell (t, row, k + 3)->whole = sum->visits;
  if (sum->visits > 0)
    stats_cell (t, row, k + 4)->real = call_tree_table_in_seconds (self, sum->inclusive) / (double) sum->visits;
  if (call_tree_table_owner_of (self, sum->path).type != TRACE_REF_NONE)
    stats_table_set_owner (t, row, call_tree_table_owner_of (self, sum->path), (TraceRef){ 0 });
}

static const StatsColumn columns[] = {
  { "call", NULL, STATS_CELL_TEXT, STATS_STATES }, { "depth", NULL, STATS_CELL_WHOLE },
  { "inclusive", "s", STATS_CELL_REAL },           { "of all", "%", STATS_CELL_REAL },
  { "exclusive", "s", STATS_CELL_REAL },           { "visits", NULL, STATS_CELL_WHOLE },
  { "mean visit", "s", STATS_CELL_REAL },
};

static StatsTable *
call_tree_table_begin (const CallTree *self, const StatsColumn *of, uint32_t n_columns, uint32_t n, int64_t date)
{
  StatsTable *t = stats_table_new (eve_name ((const EveComponent *) self), of, n_columns, n);

  t->date = MIN (date, self->to);
  t->source = self->source;
  return t;
}

static void
call_tree_table_give (CallTree *self, const Forest *f)
{
  StatsTable *t = call_tree_table_begin (self, columns, G_N_ELEMENTS (columns), f->n_given, f->date);

  for (uint32_t i = 0; i < f->n_given; i++) {
    uint32_t path = f->given[i];
    call_tree_table_fill (self, t, i, 2, &(Sum){ f->spent[path], f->inclusive[path], f->visits[path], path }, f->all);
    stats_cell (t, i, 1)->whole = f->order.depth[path];
  }
  eve_emit_steal (self->base.out[0], &t);
}

static int
call_tree_table_by_sum (gconstpointer a, gconstpointer b, gpointer self)
{
  const Sum *x = a, *y = b;

  if (x->inclusive != y->inclusive)
    return x->inclusive < y->inclusive ? 1 : -1;
  if (x->visits != y->visits)
    return x->visits < y->visits ? 1 : -1;
  int order = strcmp (call_tree_table_name_of (self, x->path), call_tree_table_name_of (self, y->path));
  return order != 0 ? order : (x->path > y->path) - (x->path < y->path);
}

/* Of a call that is inside of itself only the outermost counts as inclusive. */
static void
give_regions (CallTree *self, const Forest *f)
{
  StatsColumn flat[G_N_ELEMENTS (columns) - 1];
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL); /* by state: of its sum, + 1 */
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, sizeof (Sum));
  g_autofree bool *outermost = stats_paths_outermost (&self->paths, &f->order, false);

  flat[0] = columns[0];
  memcpy (flat + 1, columns + 2, sizeof flat - sizeof *flat);
  for (uint32_t i = 0; i < f->n_given; i++) {
    uint32_t path = f->given[i];
    if (path_at (self, path)->parent == NONE)
      continue;
    gpointer key = GSIZE_TO_POINTER ((gsize) path_at (self, path)->label + 1);
    guint k = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));
    if (k == 0) {
      g_array_append_val (sums, ((Sum){ .path = path }));
      g_hash_table_insert (places, key, GUINT_TO_POINTER (k = sums->len));
    }
    Sum *sum = &g_array_index (sums, Sum, k - 1);
    sum->spent = trace_sum (sum->spent, f->spent[path]);
    sum->visits = trace_sum (sum->visits, f->visits[path]);
    sum->inclusive = trace_sum (sum->inclusive, outermost[path] ? f->inclusive[path] : 0);
  }
  g_array_sort_with_data (sums, call_tree_table_by_sum, self);
  StatsTable *t = call_tree_table_begin (self, flat, G_N_ELEMENTS (flat), sums->len, f->date);
  for (uint32_t i = 0; i < sums->len; i++)
    call_tree_table_fill (self, t, i, 1, &g_array_index (sums, Sum, i), f->all);
  eve_emit_steal (self->base.out[1], &t);
}

void
call_tree_give (CallTree *self, int64_t date)
{
  Forest f = call_tree_table_gather (self, date);
  if (eve_out_connected (self->base.out[0]))
    call_tree_table_give (self, &f);
  if (eve_out_connected (self->base.out[1]))
    give_regions (self, &f);
  call_tree_table_forest_clear (&f);
  if (self->beyond > 0)
    eve_status ((EveComponent *) self, _ ("%u paths; %" PRIu64 " calls are others"), self->n_calls, self->beyond);
  else
    eve_status ((EveComponent *) self, P_ ("%u path", "%u paths", self->n_calls), self->n_calls);
}
