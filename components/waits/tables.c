/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - what is known of waits, as tables; how efficient the program is. */
#include <math.h>
#include <string.h>

#include "components/waits/component.h"
#include "components/waits/stuck.h"
#include "eve/words.h"
#include "readers/another.h"
#include "readers/pair.h"

/* Nothing in the trace tells who waits for whom: what is not known is no 0, but an empty cell. */
static bool
waits_tables_untold (const Waits *w)
{
  return w->cells.n == 0 && w->count[WAITS_MESSAGES] + w->count[WAITS_INSTANCES] == 0 && waits_told_by_nothing (w);
}

/* The same of 0 ticks of one kind: there are operations of which nobody tells the root. */
static bool
is_untold_kind (const Waits *w, int kind, int64_t ticks)
{
  return ticks == 0
         && ((kind == WAIT_LATE_ROOT && w->count[WAITS_ROOTLESS_FROM] > 0)
             || (kind == WAIT_EARLY_ROOT && w->count[WAITS_ROOTLESS_TO] > 0));
}

StatsTable *
waits_tables_new (const Component *self, const char *title, const StatsColumn *columns, uint32_t n_columns,
                  uint32_t n_rows)
{
  StatsTable *t = stats_table_new (title, columns, n_columns, n_rows);

  t->date = MIN (waits_instant (&self->waits), self->waits.to);
  t->source = self->source;
  return t;
}

/* The rows of a table in an order; g_free. */
static const void **
waits_tables_in_order (const Table *t, int (*order) (const void *, const void *))
{
  const void **rows = g_new (const void *, MAX (t->n, 1));

  for (int64_t i = 0; i < t->n; i++)
    rows[i] = table_at (t, i);
  qsort (rows, (size_t) t->n, sizeof *rows, order);
  return rows;
}

static int
waits_tables_by_ticks (const void *a, const void *b)
{
  const WaitCell *x = *(const WaitCell *const *) a, *y = *(const WaitCell *const *) b;

  if (x->ticks != y->ticks)
    return (x->ticks < y->ticks) - (x->ticks > y->ticks);
  if (x->kind != y->kind)
    return (x->kind > y->kind) - (x->kind < y->kind);
  if (x->task != y->task)
    return (x->task > y->task) - (x->task < y->task);
  return (x->region > y->region) - (x->region < y->region);
}

/* Further states of a task that has states of its own: that is the same once more. */
static bool
waits_tables_is_another (const Waits *w, const WaitTask *t)
{
  if (!trace_task_is_another (w->source, (uint32_t) t->task))
    return false;
  int64_t key = trace_task (w->source, (uint32_t) t->task)->parent, i = table_find (&w->tasks, &key);
  const WaitTask *around = i >= 0 ? waits_tasks_at (w, i) : NULL;

  return around && around->first <= around->last;
}

/* Who a task is told of as: further states of a task that has states of its own are that task's. */
static const WaitTask *
whose (const Waits *w, const WaitTask *t)
{
  for (int n = 0; n < 64 && waits_tables_is_another (w, t); n++) {
    int64_t key = trace_task (w->source, (uint32_t) t->task)->parent;
    t = waits_tasks_at (w, table_find (&w->tasks, &key));
  }
  return t;
}

uint32_t
waits_whose (const Waits *w, int64_t task)
{
  int64_t i = table_find (&w->tasks, &task);

  return (uint32_t) (i >= 0 ? whose (w, waits_tasks_at (w, i))->task : task);
}

/* For whom one waits most, of a table of pairs that are in order of who waits. */
typedef struct Partner {
  uint32_t task; /* TRACE_NONE: nobody tells */
  int64_t ticks;
} Partner;

/* By kind, region and task, as a cell; by whom it is waited for. */
static int
waits_tables_by_pair (const void *a, const void *b)
{
  const WaitPair *x = *(const WaitPair *const *) a, *y = *(const WaitPair *const *) b;

  return x->kind != y->kind       ? (x->kind > y->kind) - (x->kind < y->kind)
         : x->region != y->region ? (x->region > y->region) - (x->region < y->region)
         : x->task != y->task     ? (x->task > y->task) - (x->task < y->task)
                                  : (x->cause > y->cause) - (x->cause < y->cause);
}

/* Of further waits for one.  One of which there may be more that was not told apart (`rest`) is not told. */
static void
partner_most (Partner *most, uint32_t task, int64_t ticks, int64_t rest)
{
  if (ticks > most->ticks && ticks >= rest)
    *most = (Partner){ task, ticks };
}

static int
partners_by_task (const void *a, const void *b)
{
  const Partner *x = a, *y = b;

  return (x->task > y->task) - (x->task < y->task);
}

static Partner
partner_of_cell (const Waits *w, const void **pairs, int64_t n, const WaitCell *c)
{
  int64_t from = 0, to = n, rest = 0;
  Partner most = { TRACE_NONE, 0 };
  g_autoptr (GArray) causes = g_array_new (FALSE, FALSE, sizeof (Partner)); /* those that are told as one are one */

  const WaitPair key = { c->kind, c->region, c->task, INT64_MIN, 0, 0 }, *at = &key;
  while (from < to) {
    int64_t middle = (from + to) / 2;
    if (waits_tables_by_pair (&pairs[middle], &at) < 0)
      from = middle + 1;
    else
      to = middle;
  }
  for (; from < n; from++) {
    const WaitPair *p = pairs[from];
    if (p->kind != c->kind || p->region != c->region || p->task != c->task)
      break;
    if (p->cause < 0) /* the first of them */
      rest = p->ticks;
    else {
      const Partner one = { waits_whose (w, p->cause), p->ticks };
      g_array_append_val (causes, one);
    }
  }
  g_array_sort (causes, partners_by_task);
  for (guint i = 0; i < causes->len; i++) {
    Partner *one = &g_array_index (causes, Partner, i), *next = one + 1;
    if (i + 1 < causes->len && next->task == one->task)
      next->ticks = trace_sum (next->ticks, one->ticks);
    else
      partner_most (&most, one->task, one->ticks, rest);
  }
  return most;
}

static void
set_partner (const Component *self, StatsTable *t, uint32_t row, uint32_t column, uint32_t task, const Partner *most)
{
  bool known = most->task != TRACE_NONE;

  stats_table_set_text (t, row, column, known ? trace_task_name (self->waits.source, most->task) : NULL);
  stats_cell (t, row, column + 1)->real = known ? waits_seconds (self, most->ticks) : NAN;
  stats_table_set_owner (t, row, trace_ref_task (t->source, task),
                         known ? trace_ref_task (t->source, most->task) : (TraceRef){ 0 });
}

static StatsTable *
table_of_waits (const Component *self)
{
  static const StatsColumn columns[] = {
    { "kind", NULL, STATS_CELL_TEXT, STATS_WORDS },
    { "task", NULL, STATS_CELL_TEXT },
    { "region", NULL, STATS_CELL_TEXT },
    { "waited", "s", STATS_CELL_REAL },
    { "mostly for", NULL, STATS_CELL_TEXT, STATS_OTHER },
    { "for that one", "s", STATS_CELL_REAL },
    { "longest", "s", STATS_CELL_REAL },
    { "begins at", "s", STATS_CELL_DATE },
    { "times", NULL, STATS_CELL_WHOLE },
    { "by itself", "s", STATS_CELL_REAL },
  };
  const Table *cells = &self->waits.cells;
  g_autofree const void **rows = waits_tables_in_order (cells, waits_tables_by_ticks);
  StatsTable *t = waits_tables_new (self, "Waits", columns, EVE_N (columns), (uint32_t) cells->n);
  const Table *all = &self->waits.pairs;
  g_autofree const void **pairs = waits_tables_in_order (all, waits_tables_by_pair);

  for (uint32_t i = 0; i < t->n_rows; i++) {
    const WaitCell *c = rows[i];
    uint32_t task = waits_whose (&self->waits, c->task);
    stats_table_set_text (t, i, 0, c->kind >= 0 && c->kind < N_WAITS ? wait_names[c->kind] : "?");
    stats_table_set_text (t, i, 1, trace_task_name (self->waits.source, task));
    stats_table_set_text (t, i, 2, waits_region (&self->waits, c->region));
    stats_cell (t, i, 3)->real = waits_seconds (self, c->ticks);
    Partner most = partner_of_cell (&self->waits, pairs, all->n, c);
    set_partner (self, t, i, 4, task, &most);
    stats_cell (t, i, 6)->real = waits_seconds (self, c->longest);
    stats_cell (t, i, 7)->whole = c->longest_at;
    stats_cell (t, i, 8)->whole = c->n;
    stats_cell (t, i, 9)->real = waits_seconds (self, c->alone);
  }
  return t;
}

static int
waits_tables_by_task (const void *a, const void *b)
{
  int64_t x = (*(const WaitTask *const *) a)->task, y = (*(const WaitTask *const *) b)->task;

  return (x > y) - (x < y);
}

const WaitTask **
waits_tasks (const Waits *w, uint32_t *n)
{
  const WaitTask **rows = g_new (const WaitTask *, MAX (w->tasks.n, 1));

  *n = 0;
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i);
    if (t->first <= t->last && !waits_tables_is_another (w, t)
        && !(trace_task_is_another (w->source, (uint32_t) t->task)
             && trace_task_is_under_way (w->source, (uint32_t) t->task)))
      rows[(*n)++] = t;
  }
  qsort (rows, *n, sizeof *rows, waits_tables_by_task);
  return rows;
}

WaitTask *
waits_told_tasks (const Waits *w, uint32_t *n)
{
  g_autofree const WaitTask **rows = waits_tasks (w, n);
  WaitTask *told = g_new (WaitTask, MAX (*n, 1));
  g_autoptr (GHashTable) places = g_hash_table_new (pair_hash, g_int64_equal);

  for (uint32_t i = 0; i < *n; i++) {
    told[i] = *rows[i];
    g_hash_table_insert (places, (gpointer) &rows[i]->task, GUINT_TO_POINTER (i + 1));
  }
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i), *of = whose (w, t);
    guint place = t != of ? GPOINTER_TO_UINT (g_hash_table_lookup (places, &of->task)) : 0;
    if (place == 0)
      continue;
    WaitTask *to = &told[place - 1];
    to->owned += t->owned;
    to->caused += t->caused;
    for (int k = 0; k < N_WAITS; k++) {
      to->waited[k] += t->waited[k];
      to->n_waited[k] += t->n_waited[k];
    }
  }
  return told;
}

/* For whom each task waits most, all kinds together: by the task that it is told as.  Values are Partner. */
static GHashTable *
partners_of_tasks (const Waits *w)
{
  GHashTable *most = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GHashTable) sums = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free),
                         rests = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  GHashTableIter iter;
  gpointer key, value;

  for (int64_t i = 0; i < w->pairs.n; i++) {
    const WaitPair *p = waits_pairs_at (w, i);
    if (!waits_pairs_use (w, i))
      continue;
    int64_t task = waits_whose (w, p->task);
    int64_t pair = p->cause < 0 ? task : task << 32 | waits_whose (w, p->cause);
    GHashTable *to = p->cause < 0 ? rests : sums;
    int64_t *ticks = g_hash_table_lookup (to, &pair);
    if (!ticks)
      g_hash_table_insert (to, g_memdup2 (&pair, sizeof pair), ticks = g_new0 (int64_t, 1));
    *ticks += p->ticks;
  }
  for (g_hash_table_iter_init (&iter, sums); g_hash_table_iter_next (&iter, &key, &value);) {
    int64_t task = *(const int64_t *) key >> 32;
    uint32_t cause = (uint32_t) * (const int64_t *) key;
    const int64_t *rest = g_hash_table_lookup (rests, &task);
    Partner *of = g_hash_table_lookup (most, &task);
    if (!of) {
      of = g_new (Partner, 1);
      *of = (Partner){ TRACE_NONE, 0 };
      g_hash_table_insert (most, g_memdup2 (&task, sizeof task), of);
    }
    if (*(const int64_t *) value == of->ticks && cause < of->task)
      of->task = cause; /* of equals the first, in whatever order they come */
    partner_most (of, cause, *(const int64_t *) value, rest ? *rest : 0);
  }
  return most;
}

/* All that is told of the critical path. */
typedef struct PathTold {
  GArray *by_region;   /* of PathPart */
  GArray *spent;       /* ticks of all tasks in the same regions, int64_t */
  GHashTable *by_task; /* ticks, int64_t, by the task that each is told as, int64_t */
  uint32_t n_tasks;
  int64_t length, stretches;
} PathTold;

/* Of the whole run, as far as it lies in what is counted. */
static PathTold *
path_told (const Waits *w)
{
  PathTold *told = g_new0 (PathTold, 1);

  told->by_region = path_by_region (w, &told->length, &told->stretches);
  told->by_task = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GArray) parts = path_by_task (w);
  for (guint i = 0; i < parts->len; i++) {
    const PathPart *p = &g_array_index (parts, PathPart, i);
    int64_t task = waits_whose (w, p->task), *ticks = g_hash_table_lookup (told->by_task, &task);
    if (!ticks)
      g_hash_table_insert (told->by_task, g_memdup2 (&task, sizeof task), ticks = g_new0 (int64_t, 1));
    *ticks += p->ticks;
  }
  g_free (waits_tasks (w, &told->n_tasks));
  told->spent = g_array_new (FALSE, FALSE, sizeof (int64_t));
  for (guint i = 0; i < told->by_region->len; i++) {
    int64_t k = table_find (&w->regions_spent, &g_array_index (told->by_region, PathPart, i).region);
    int64_t ticks = k >= 0 ? waits_regions_spent_at (w, k)->ticks : 0;
    g_array_append_val (told->spent, ticks);
  }
  return told;
}

static void
path_told_free (PathTold *told)
{
  g_array_unref (told->by_region);
  g_hash_table_unref (told->by_task);
  g_array_unref (told->spent);
  g_free (told);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PathTold, path_told_free)

static int
waits_tables_by_number (const void *a, const void *b)
{
  const WaitTask *x = a, *y = b;

  return (x->task > y->task) - (x->task < y->task);
}

/* Rows of `tasks`: those that have done something, and those that the path leads through before they do. */
static WaitTask *
tasks_and_path (const Waits *w, const PathTold *path, uint32_t *n)
{
  WaitTask *rows = waits_told_tasks (w, n);
  g_autoptr (GHashTable) there = g_hash_table_new (pair_hash, g_int64_equal);
  uint32_t n_told = *n;
  GHashTableIter each;
  gpointer task, ticks;

  rows = g_renew (WaitTask, rows, MAX (n_told + g_hash_table_size (path->by_task), 1));
  for (uint32_t i = 0; i < n_told; i++)
    g_hash_table_add (there, &rows[i].task);
  for (g_hash_table_iter_init (&each, path->by_task); g_hash_table_iter_next (&each, &task, &ticks);)
    if (*(const int64_t *) ticks > 0 && !g_hash_table_contains (there, task))
      rows[(*n)++] = (WaitTask){ .task = *(const int64_t *) task, .first = INT64_MAX, .last = INT64_MIN };
  if (*n > n_told)
    qsort (rows, *n, sizeof *rows, waits_tables_by_number);
  return rows;
}

static StatsTable *
table_of_tasks (const Component *self)
{
  StatsColumn columns[8 + N_WAITS] = { { "task", NULL, STATS_CELL_TEXT },
                                       { "computing", "s", STATS_CELL_REAL },
                                       { "waiting", "s", STATS_CELL_REAL },
                                       { "mostly for", NULL, STATS_CELL_TEXT, STATS_OTHER },
                                       { "for that one", "s", STATS_CELL_REAL },
                                       { "waited for", "s", STATS_CELL_REAL },
                                       { "on the critical path", "s", STATS_CELL_REAL },
                                       { "for two things at once", "s", STATS_CELL_REAL } };
  uint32_t n;
  g_autoptr (PathTold) path = path_told (&self->waits);
  g_autofree WaitTask *rows = tasks_and_path (&self->waits, path, &n);

  for (int k = 0; k < N_WAITS; k++)
    columns[8 + k] = (StatsColumn){ wait_names[k], "s", STATS_CELL_REAL };
  StatsTable *t = waits_tables_new (self, "Waits of tasks", columns, EVE_N (columns), n);
  g_autoptr (GHashTable) partners = partners_of_tasks (&self->waits);
  bool untold = waits_tables_untold (&self->waits), no_path = path_untold (&self->waits);

  for (uint32_t i = 0; i < n; i++) {
    stats_table_set_text (t, i, 0, trace_task_name (self->waits.source, (uint32_t) rows[i].task));
    stats_cell (t, i, 1)->real = waits_seconds (self, waits_useful (&self->waits, &rows[i]));
    const int64_t *ticks = g_hash_table_lookup (path->by_task, &rows[i].task);
    if (!no_path)
      stats_cell (t, i, 6)->real = ticks ? waits_seconds (self, *ticks) : 0;
    const Partner *most = g_hash_table_lookup (partners, &rows[i].task), nobody = { TRACE_NONE, 0 };
    set_partner (self, t, i, 3, (uint32_t) rows[i].task, most ? most : &nobody);
    if (untold) /* the other cells stay as they are made: nothing */
      continue;
    int64_t by_kind = 0;
    for (int k = 0; k < N_WAITS; k++) {
      by_kind += rows[i].waited[k];
      if (!is_untold_kind (&self->waits, k, rows[i].waited[k]))
        stats_cell (t, i, 8 + (uint32_t) k)->real = waits_seconds (self, rows[i].waited[k]);
    }
    stats_cell (t, i, 7)->real = waits_seconds (self, by_kind - rows[i].owned);
    stats_cell (t, i, 2)->real = waits_seconds (self, rows[i].owned);
    stats_cell (t, i, 5)->real = waits_seconds (self, rows[i].caused);
  }
  return t;
}

/* ---- efficiency: POP's metrics -------------------------------------------------------------------------------------------------------- */

bool
waits_sets_up (const Waits *w)
{
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i);
    if (t->open != INT64_MIN || t->close != INT64_MAX)
      return true;
  }
  return false;
}

typedef struct Span { /* of a task: what counts of it */
  int64_t from, to, useful, ideal;
  WaitTeams teams;
} Span;

static Span
waits_tables_span_of (const Waits *w, const WaitTask *t, bool inner)
{
  Span s = { .from = w->count[WAITS_FIRST],
             .to = waits_instant (w),
             .useful = waits_useful (w, t),
             .ideal = waits_ideal_end (w, t, inner) };

  s.teams = hybrid_teams (w, t, waits_lasts_until (w, t), s.useful);
  if (inner && t->close != INT64_MAX) {
    s.to = t->close;
    s.useful = t->close_useful;
    s.teams = t->close_hybrid;
  }
  if (inner && t->open != INT64_MIN) {
    s.from = t->open;
    s.useful -= t->open_useful;
    s.teams.ticks -= t->open_hybrid.ticks;
    s.teams.useful -= t->open_hybrid.useful;
  }
  return s;
}

#define MOST_WITHOUT 0.001 /* of the time of all tasks */

double
waits_without_groups (const Component *self, const WaitRegion **longest)
{
  const Waits *w = &self->waits;
  double all = 0;

  *longest = NULL;
  for (int64_t i = 0; i < w->regions_spent.n; i++) {
    const WaitRegion *r = waits_regions_spent_at (w, i);
    if (!waits_regions_spent_use (w, i) || r->grouped > 0 || !(waits_region_is (w, r->region) & REGION_TOGETHER))
      continue;
    all += waits_seconds (self, r->ticks);
    *longest = !*longest || r->ticks > (*longest)->ticks ? r : *longest;
  }
  return all;
}

Efficiency
waits_efficiency (const Component *self, bool inner)
{
  const Waits *w = &self->waits;
  Efficiency e = { 0 };
  g_autofree const WaitTask **rows = waits_tasks (w, &e.n);
  Span all = { .from = INT64_MAX, .to = INT64_MIN };
  g_autofree HybridTask *hybrid = g_new (HybridTask, MAX (e.n, 1));
  double sum = 0, untold = 0, lives = 0;

  for (uint32_t i = 0; i < e.n; i++) {
    const Span s = waits_tables_span_of (w, rows[i], inner);
    lives += waits_seconds (self, waits_life (w, rows[i]));
    untold += waits_seconds (self, MAX (waits_untold (w, rows[i]), 0));
    double u = waits_seconds (self, s.useful);
    sum += u;
    e.most = MAX (e.most, u);
    hybrid[i] = (HybridTask){ (uint32_t) rows[i]->task, u, rows[i]->forked > 0 || rows[i]->forked_at != INT64_MIN,
                              waits_seconds (self, s.teams.ticks), waits_seconds (self, s.teams.useful) };
    all = (Span){ .from = MIN (all.from, s.from), .to = MAX (all.to, s.to), .ideal = MAX (all.ideal, s.ideal) };
  }
  if (e.n == 0)
    all = (Span){ .from = w->count[WAITS_FIRST], .to = waits_instant (w) };
  e.runtime = waits_seconds (self, waits_counted (w, all.from, all.to));
  e.ideal = waits_seconds (self, all.ideal);
  e.mean = e.n > 0 ? sum / e.n : 0;
  e.balance = e.most > 0 ? e.mean / e.most : NAN;
  bool told = e.runtime > 0 && (e.most > 0 || untold <= 0); /* else all that they do is unknown */
  e.communication = told ? e.most / e.runtime : NAN;
  e.parallel = told ? e.mean / e.runtime : NAN;
  e.untold = lives > 0 ? untold / lives : 0;
  /* How long what they do then would take nobody knows, nor what is waited in operations without a group. */
  const WaitRegion *longest;
  if (untold > MOST_WITHOUT * lives || waits_without_groups (self, &longest) > MOST_WITHOUT * e.runtime * e.n)
    e.ideal = NAN;
  e.serialisation = e.ideal > 0 ? e.most / e.ideal : NAN;
  e.transfer = e.runtime > 0 ? e.ideal / e.runtime : NAN;
  e.hybrid = hybrid_parts (w, hybrid, told ? e.n : 0, e.runtime);
  return e;
}

int64_t
waits_left_over (const Waits *w, bool receives)
{
  int64_t n = 0;

  for (int64_t i = 0; i < w->halves.n; i++) {
    const WaitHalf *h = waits_halves_at (w, i);
    n += waits_halves_use (w, i) && h->other < 0 && !h->asked && (h->is_receive != 0) == receives;
  }
  return n;
}

static StatsTable *
table_of_efficiency (const Component *self)
{
  static const StatsColumn columns[] = { { "what", NULL, STATS_CELL_TEXT, STATS_WORDS },
                                         { "value", NULL, STATS_CELL_REAL },
                                         { "unit", NULL, STATS_CELL_TEXT } };
  const Waits *w = &self->waits;
  Efficiency e = waits_efficiency (self, self->inner), inner = waits_efficiency (self, true);
  double n_waited[N_WAITS] = { 0 };
  g_autoptr (PathTold) path = path_told (&self->waits);
  int64_t wrong[2] = { 0 }, n_wrong[2] = { 0 }, setting_up = 0, idle = 0, after[2] = { 0 }, n_after[2] = { 0 };
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i);
    for (int k = 0; k < 2; k++) {
      wrong[k] += t->wrong[k];
      n_wrong[k] += t->n_wrong[k];
      after[k] += t->completed[k];
      n_after[k] += t->n_completed[k];
    }
    setting_up += t->setting_up;
    idle += waits_idle (t);
  }
  int64_t owned = 0, by_kind = 0, waited[N_WAITS] = { 0 }, by_messages = 0, in_all = 0;
  for (int64_t i = 0; i < w->tasks.n; i++) {
    const WaitTask *t = waits_tasks_at (w, i);
    owned += t->owned;
    for (int k = 0; k < N_WAITS; k++) {
      by_kind += t->waited[k];
      waited[k] += t->waited[k];
      n_waited[k] += (double) t->n_waited[k];
    }
  }
  for (int k = 0; k < N_WAITS; k++) {
    by_messages += k < WAIT_TEAM && k != WAIT_NEVER ? waited[k] : 0;
    in_all += k == WAIT_NEVER || k == WAIT_UNDER_WAY ? 0 : waited[k];
  }
  bool threads = by_messages == 0 && in_all > 0; /* that send nothing */
  const double ticks = (double) self->waits.source->clock.ticks_per_second,
               known = waits_tables_untold (w) ? NAN : 0, /* added to what would be 0 then */
      known_path = path_untold (w) ? NAN : 0;
  const struct {
    const char *what;
    double value;
    const char *unit;
  } rows[] = {
    { N_ ("Parallel efficiency"), e.parallel, "" },
    { N_ ("Load balance"), e.balance, "" },
    { threads ? N_ ("Synchronisation efficiency") : N_ ("Communication efficiency"), e.communication, "" },
    { N_ ("Run time"), e.runtime, "s" },
    { N_ ("Computing, mean of tasks"), e.mean, "s" },
    { N_ ("Computing, most of a task"), e.most, "s" },
    { N_ ("Tasks"), e.n, "" },
    { N_ ("Critical path"), known_path + waits_seconds (self, path->length), "s" },
    { N_ ("Critical path, stretches"), known_path + (double) path->stretches, "" },
    { N_ ("Late sender in wrong order, of one source"), known + waits_seconds (self, wrong[0]), "s" },
    { N_ ("Late sender in wrong order, of one source, times"), known + (double) n_wrong[0], "" },
    { N_ ("Late sender in wrong order, of several sources"), known + waits_seconds (self, wrong[1]), "s" },
    { N_ ("Late sender in wrong order, of several sources, times"), known + (double) n_wrong[1], "" },
    { N_ ("Barriers, after the first has left"), known + waits_seconds (self, after[0]), "s" },
    { N_ ("Barriers, after the first has left, times"), known + (double) n_after[0], "" },
    { N_ ("N x N, after the first has left"), known + waits_seconds (self, after[1]), "s" },
    { N_ ("N x N, after the first has left, times"), known + (double) n_after[1], "" },
    { N_ ("Beginning and ending communication"), waits_seconds (self, setting_up), "s" },
    { N_ ("Idle threads"), waits_seconds (self, idle), "s" },
    { N_ ("Messages"), (double) w->count[WAITS_MESSAGES], "" },
    { N_ ("Volume"), (double) w->count[WAITS_BYTES], "B" },
    { N_ ("Operations of groups"), (double) w->count[WAITS_INSTANCES], "" },
    { N_ ("Sends that nobody received"), (double) waits_left_over (w, false), "" },
    { N_ ("Receives that nobody sent"), (double) waits_left_over (w, true), "" },
    { N_ ("Operations that not all took part in"), (double) w->instances.n_used, "" },
    { N_ ("Operations in which tasks did different things"), (double) w->count[WAITS_MISMATCHED], "" },
    { N_ ("Operations of groups nobody told the members of"), (double) w->count[WAITS_UNKNOWN], "" },
    { N_ ("Messages received before they were sent"), (double) w->count[WAITS_BACKWARD], "" },
    { N_ ("Operations left before the last had come"), (double) w->count[WAITS_LEFT_EARLY], "" },
    { N_ ("Clocks differ by at least"), waits_seconds (self, w->count[WAITS_APART]), "s" },
    { N_ ("Serialisation efficiency"), e.serialisation, "" },
    { N_ ("Transfer efficiency"), e.transfer, "" },
    { N_ ("Run time on an ideal network"), e.ideal, "s" },
    { N_ ("Parallel efficiency without set-up"), inner.parallel, "" },
    { N_ ("Load balance without set-up"), inner.balance, "" },
    { threads ? N_ ("Synchronisation efficiency without set-up") : N_ ("Communication efficiency without set-up"),
      inner.communication, "" },
    { N_ ("Serialisation efficiency without set-up"), inner.serialisation, "" },
    { N_ ("Transfer efficiency without set-up"), inner.transfer, "" },
    { N_ ("Run time without set-up"), inner.runtime, "s" },
    { N_ ("Waiting of all tasks"), known + waits_seconds (self, owned), "s" },
    { N_ ("For two things at once"), known + waits_seconds (self, by_kind - owned), "s" },
    { N_ ("Waiting whose causes were looked for"), known + w->judged / ticks, "s" },
    { N_ ("Waiting that nothing explains"), known + w->unexplained / ticks, "s" },
    { N_ ("Clocks are corrected"), self->waits.source->clocks.by >= TRACE_CLOCKS_LINEAR, "" },
  };
  const struct {
    const char *what;
    double value;
  } hybrid[] = { { N_ ("Process efficiency"), e.hybrid.process },
                 { N_ ("Thread efficiency"), e.hybrid.thread },
                 { N_ ("Thread efficiency, outside of parallel regions"), e.hybrid.serial },
                 { N_ ("Thread efficiency, in parallel regions"), e.hybrid.teams } };
  const uint32_t n_hybrid = e.hybrid.n > 0 ? EVE_N (hybrid) : 0, n_plain = EVE_N (rows) + 2 * N_WAITS;
  StatsTable *t = waits_tables_new (self, "Efficiency", columns, EVE_N (columns), n_plain + n_hybrid);
  for (uint32_t i = 0; i < EVE_N (rows); i++) {
    stats_table_set_text (t, i, 0, rows[i].what);
    stats_cell (t, i, 1)->real = rows[i].value;
    stats_table_set_text (t, i, 2, rows[i].unit);
  }
  for (uint32_t k = 0; k < N_WAITS; k++) {
    uint32_t i = EVE_N (rows) + 2 * k;
    g_autofree char *times = g_strconcat (wait_names[k], ", times", NULL);
    stats_table_set_text (t, i, 0, wait_names[k]);
    double known_kind = is_untold_kind (w, (int) k, waited[k]) ? NAN : known;
    stats_cell (t, i, 1)->real = known_kind + waits_seconds (self, waited[k]);
    stats_table_set_text (t, i, 2, "s");
    stats_table_set_text (t, i + 1, 0, times);
    stats_cell (t, i + 1, 1)->real = known_kind + n_waited[k];
  }
  for (uint32_t i = 0; i < n_hybrid; i++) {
    stats_table_set_text (t, n_plain + i, 0, hybrid[i].what);
    stats_cell (t, n_plain + i, 1)->real = hybrid[i].value;
  }
  return t;
}

/* ---- the critical path ------------------------------------------------------------------------------------------------------------- */

static StatsTable *
table_of_path (const Component *self)
{
  static const StatsColumn columns[] = {
    { "region", NULL, STATS_CELL_TEXT },   { "on the path", "s", STATS_CELL_REAL },
    { "share", "%", STATS_CELL_REAL },     { "mean of tasks", "s", STATS_CELL_REAL },
    { "imbalance", "s", STATS_CELL_REAL },
  };
  const Waits *w = &self->waits;
  g_autoptr (PathTold) path = path_told (&self->waits);
  const GArray *parts = path->by_region;
  StatsTable *t = waits_tables_new (self, "Critical path", columns, EVE_N (columns), parts->len);

  for (uint32_t i = 0; i < parts->len; i++) {
    const PathPart *p = &g_array_index (parts, PathPart, i);
    double on = waits_seconds (self, p->ticks);
    double mean = path->n_tasks > 0 ? waits_seconds (self, g_array_index (path->spent, int64_t, i)) / path->n_tasks : 0;
    stats_table_set_text (t, i, 0, waits_region (w, p->region));
    stats_cell (t, i, 1)->real = on;
    stats_cell (t, i, 2)->real = path->length > 0 ? 100 * on / waits_seconds (self, path->length) : 0;
    stats_cell (t, i, 3)->real = mean;
    stats_cell (t, i, 4)->real = MAX (on - mean, 0);
  }
  return t;
}

/* ---- late senders message by message ------------------------------------------------------------------------------------------------ */

static int
waits_tables_latest_first (const void *a, const void *b)
{
  const WaitMessage *x = *(const WaitMessage *const *) a, *y = *(const WaitMessage *const *) b;

  return x->ticks != y->ticks ? (x->ticks < y->ticks) - (x->ticks > y->ticks)
         : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->receiver > y->receiver) - (x->receiver < y->receiver);
}

static StatsTable *
table_of_messages (const Component *self)
{
  static const StatsColumn columns[] = {
    { "sender", NULL, STATS_CELL_TEXT },   { "receiver", NULL, STATS_CELL_TEXT }, { "waited", "s", STATS_CELL_REAL },
    { "begins at", "s", STATS_CELL_DATE }, { "call", NULL, STATS_CELL_TEXT },     { "tag", NULL, STATS_CELL_WHOLE },
    { "size", "B", STATS_CELL_WHOLE },
  };
  const Waits *w = &self->waits;
  const Table *all = &w->messages;
  g_autofree const void **rows = waits_tables_in_order (all, waits_tables_latest_first);
  StatsTable *t = waits_tables_new (self, "Late senders", columns, EVE_N (columns), (uint32_t) all->n);
  for (uint32_t i = 0; i < t->n_rows; i++) {
    const WaitMessage *m = rows[i];
    uint32_t sender = waits_whose (w, m->sender), receiver = waits_whose (w, m->receiver);
    stats_table_set_text (t, i, 0, trace_task_name (w->source, sender));
    stats_table_set_text (t, i, 1, trace_task_name (w->source, receiver));
    stats_cell (t, i, 2)->real = waits_seconds (self, m->ticks);
    stats_cell (t, i, 3)->whole = m->from;
    stats_table_set_text (t, i, 4, waits_region (w, m->region));
    stats_cell (t, i, 5)->whole = m->tag;
    stats_cell (t, i, 6)->whole = m->bytes;
    stats_table_set_owner (t, i, trace_ref_task (t->source, sender), trace_ref_task (t->source, receiver));
  }
  return t;
}

/* ---- root causes --------------------------------------------------------------------------------------------------------------------- */

static int
dearest_first (const void *a, const void *b)
{
  const WaitCause *x = *(const WaitCause *const *) a, *y = *(const WaitCause *const *) b;
  double d = (x->direct + x->indirect) - (y->direct + y->indirect);

  return d != 0               ? (d < 0) - (d > 0)
         : x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                              : (x->region > y->region) - (x->region < y->region);
}

static int
waits_tables_by_task_and_region (const void *a, const void *b)
{
  const WaitCause *x = *(const WaitCause *const *) a, *y = *(const WaitCause *const *) b;

  return x->task != y->task ? (x->task > y->task) - (x->task < y->task)
                            : (x->region > y->region) - (x->region < y->region);
}

static void
free_cause (void *cause)
{
  g_free (*(WaitCause **) cause);
}

GArray *
waits_causes (const Waits *w)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (WaitCause *));
  guint n = 0;

  g_array_set_clear_func (all, free_cause);
  for (int64_t i = 0; i < w->causes.n; i++) {
    const WaitCause *c = waits_causes_at (w, i);
    if (!waits_causes_use (w, i) || c->direct + c->indirect <= 0)
      continue;
    WaitCause *own = g_memdup2 (c, sizeof *c);
    own->task = waits_whose (w, c->task);
    g_array_append_val (all, own);
  }
  g_array_sort (all, waits_tables_by_task_and_region);
  WaitCause **rows = (WaitCause **) (void *) all->data;
  for (guint i = 0; i < all->len; i++) { /* those of one task, by whatever rows it is told, are one */
    if (n == 0 || waits_tables_by_task_and_region (&rows[n - 1], &rows[i]) != 0) {
      WaitCause *first = rows[i];
      rows[i] = NULL;
      g_free (rows[n]);
      rows[n++] = first;
      continue;
    }
    rows[n - 1]->direct += rows[i]->direct;
    rows[n - 1]->indirect += rows[i]->indirect;
  }
  g_array_set_size (all, n);
  g_array_sort (all, dearest_first);
  return all;
}

static StatsTable *
table_of_causes (const Component *self)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },  { "region", NULL, STATS_CELL_TEXT },  { "costs", "s", STATS_CELL_REAL },
    { "direct", "s", STATS_CELL_REAL }, { "indirect", "s", STATS_CELL_REAL }, { "share", "%", STATS_CELL_REAL },
  };
  const Waits *w = &self->waits;
  const double ticks = (double) w->source->clock.ticks_per_second;
  g_autoptr (GArray) all = waits_causes (w);
  StatsTable *t = waits_tables_new (self, N_ ("Root causes of waiting"), columns, EVE_N (columns), all->len);

  for (uint32_t i = 0; i < all->len; i++) {
    const WaitCause *c = g_array_index (all, const WaitCause *, i);
    stats_table_set_text (t, i, 0, trace_task_name (w->source, (uint32_t) c->task));
    stats_table_set_text (t, i, 1, waits_region (w, c->region));
    stats_cell (t, i, 2)->real = (c->direct + c->indirect) / ticks;
    stats_cell (t, i, 3)->real = c->direct / ticks;
    stats_cell (t, i, 4)->real = c->indirect / ticks;
    stats_cell (t, i, 5)->real = w->judged > 0 ? 100 * (c->direct + c->indirect) / w->judged : 0;
    stats_table_set_owner (t, i, trace_ref_task (t->source, (uint32_t) c->task), (TraceRef){ 0 });
  }
  return t;
}

StatsTable *
waits_table (const Component *self, uint32_t output)
{
  switch (output) {
  case OUT_WAITS:
    return table_of_waits (self);
  case OUT_TASKS:
    return table_of_tasks (self);
  case OUT_EFFICIENCY:
    return table_of_efficiency (self);
  case OUT_PATH:
    return table_of_path (self);
  case OUT_MESSAGES:
    return table_of_messages (self);
  case OUT_CAUSES:
    return table_of_causes (self);
  case OUT_FLOWS:
    return flows_table (self);
  default:
    return NULL;
  }
}
