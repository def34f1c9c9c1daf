/* SPDX-License-Identifier: Apache-2.0 */
#include "views/table-fold.h"
#include <math.h>
#include <string.h>

#define TEXTS 3 /* of a group, in a cell: the most frequent ones */

int32_t
table_other_column (const StatsTable *t)
{
  for (uint32_t k = 0; k < t->n_columns; k++)
    if (t->columns[k].words == STATS_OTHER && t->columns[k].kind == STATS_CELL_TEXT)
      return (int32_t) k;
  return -1;
}

/* The closed group that a row is of.  One between two is of none, unless a column leads to the other: it is of the one
 * then. */
static uint32_t
part_of_row (const StatsTable *t, uint32_t row, bool leads, const ViewScene *scene)
{
  const Groups *g = scene->groups;
  TraceRef who = stats_table_owner (t, row, false);

  if (who.type != TRACE_REF_TASK || who.source != scene->source->number || who.id >= g->n_tasks
      || (!leads && stats_table_owner (t, row, true).type != TRACE_REF_NONE))
    return TRACE_NONE;
  return g->parts[g->part_of[who.id]].group != TRACE_NONE ? g->part_of[who.id] : TRACE_NONE;
}

/* Which rows become one: `first`, `next` and `part`.  False: none do, or a task has several. */
static bool
table_fold_chain (TableFold *f, const StatsTable *t, const ViewScene *scene, uint32_t *n_rows)
{
  const Groups *g = scene->groups;
  g_autofree uint32_t *row_of = g_new0 (uint32_t, g->n_parts + 1); /* + 1 */
  g_autofree uint32_t *last = g_new (uint32_t, t->n_rows + 1);
  g_autofree bool *met = g_new0 (bool, g->n_tasks + 1);
  bool leads = table_other_column (t) >= 0;
  uint32_t n = 0;

  for (uint32_t i = 0; i < t->n_rows; i++) {
    uint32_t part = part_of_row (t, i, leads, scene), row = part != TRACE_NONE ? row_of[part] : 0;
    f->next[i] = TRACE_NONE;
    if (part != TRACE_NONE) {
      uint32_t task = stats_table_owner (t, i, false).id;
      if (met[task])
        return false;
      met[task] = true;
    }
    if (row > 0) {
      f->next[last[row - 1]] = i;
      last[row - 1] = i;
      continue;
    }
    f->first[n] = last[n] = i;
    f->part[n++] = part;
    if (part != TRACE_NONE)
      row_of[part] = n;
  }
  *n_rows = n;
  for (uint32_t i = 0; i < n; i++)
    if (f->part[i] != TRACE_NONE)
      return true;
  return false;
}

typedef struct Met {
  const char *text;
  uint32_t n, place;
} Met;

static int
table_fold_by_number (gconstpointer a, gconstpointer b)
{
  const Met *x = a, *y = b;

  return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->place > y->place) - (x->place < y->place);
}

/* "Busy \u00d712, Idle \u00d74", or what all have, which stays as it is known elsewhere. */
static void
fold_text (const TableFold *f, const StatsTable *t, uint32_t row, uint32_t column, const ViewScene *scene)
{
  g_autoptr (GArray) met = g_array_new (FALSE, FALSE, sizeof (Met));
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal); /* -> place, from 1 */
  g_autoptr (GString) text = g_string_new (NULL);
  bool all = true;

  for (uint32_t i = f->first[row]; i != TRACE_NONE; i = f->next[i]) {
    const char *own = stats_cell_is_nothing (t, i, column) ? "" : stats_cell (t, i, column)->text;
    if (*own == '\0') {
      all = false;
      continue;
    }
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (known, own));
    if (at > 0) {
      g_array_index (met, Met, at - 1).n++;
      continue;
    }
    const Met new = { own, 1, met->len };
    g_array_append_val (met, new);
    g_hash_table_insert (known, (gpointer) own, GUINT_TO_POINTER (met->len));
  }
  if (met->len == 0)
    return;
  if (all && met->len == 1) {
    stats_table_set_text (f->table, row, column, g_array_index (met, Met, 0).text);
    return;
  }
  g_array_sort (met, table_fold_by_number);
  for (guint i = 0; i < MIN (met->len, TEXTS); i++) {
    const Met *m = &g_array_index (met, Met, i);
    g_string_append_printf (text, "%s%s \u00d7%u", i > 0 ? ", " : "",
                            chart_word (&t->columns[column], scene->graph, m->text), m->n);
  }
  if (met->len > TEXTS)
    g_string_append (text, ", \u2026");
  stats_table_set_text (f->table, row, column, text->str);
}

static double
table_fold_number_of (const StatsTable *t, uint32_t row, uint32_t column)
{
  if (stats_cell_is_nothing (t, row, column))
    return NAN;
  return t->columns[column].kind == STATS_CELL_REAL ? stats_cell (t, row, column)->real
                                                    : (double) stats_cell (t, row, column)->whole;
}

static void
fold_number (const TableFold *f, const StatsTable *t, uint32_t row, uint32_t column)
{
  size_t cell = (size_t) row * t->n_columns + column;
  int64_t whole = 0;
  double sum = 0;
  uint32_t n = 0;

  for (uint32_t i = f->first[row]; i != TRACE_NONE; i = f->next[i]) {
    double x = table_fold_number_of (t, i, column);
    if (isnan (x))
      continue;
    n++;
    sum += x;
    if (t->columns[column].kind == STATS_CELL_WHOLE)
      whole = trace_sum (whole, stats_cell (t, i, column)->whole);
    f->least[cell] = fmin (f->least[cell], x);
    f->most[cell] = fmax (f->most[cell], x);
  }
  if (n == 0)
    return;
  f->mean[cell] = sum / n;
  StatsCell *to = stats_cell (f->table, row, column);
  if (t->columns[column].kind == STATS_CELL_REAL)
    to->real = sum / n;
  else if (t->columns[column].kind == STATS_CELL_WHOLE)
    to->whole = whole;
  else if (!(f->least[cell] < f->most[cell]))
    to->whole = stats_cell (t, f->first[row], column)->whole;
}

static void
fold_row (const TableFold *f, const StatsTable *t, uint32_t row, const ViewScene *scene)
{
  g_autofree char *name = f->part[row] != TRACE_NONE ? groups_part_name (scene->groups, f->part[row]) : NULL;
  uint32_t of = f->first[row];

  if (name == NULL)
    stats_table_set_owner (f->table, row, stats_table_owner (t, of, false), stats_table_owner (t, of, true));
  for (uint32_t k = 0; k < t->n_columns; k++) {
    bool text = t->columns[k].kind == STATS_CELL_TEXT;
    if (name != NULL && k == 0 && text)
      stats_table_set_name (f->table, row, k, name);
    else if (name != NULL && text)
      fold_text (f, t, row, k, scene);
    else if (name != NULL)
      fold_number (f, t, row, k);
    else if (!stats_cell_is_nothing (t, of, k) && text)
      stats_table_set_text (f->table, row, k, stats_cell (t, of, k)->text);
    else
      *stats_cell (f->table, row, k) = *stats_cell (t, of, k);
  }
}

TableFold *
table_fold_new (const StatsTable *t, const ViewScene *scene)
{
  const Groups *g = scene->groups;
  uint32_t n;

  if (g == NULL || scene->source == NULL || g->n_parts >= g->n_tasks || t->owners == NULL || t->n_columns == 0)
    return NULL;
  TableFold *f = g_new0 (TableFold, 1);
  f->first = g_new (uint32_t, t->n_rows + 1);
  f->next = g_new (uint32_t, t->n_rows + 1);
  f->part = g_new (uint32_t, t->n_rows + 1);
  if (!table_fold_chain (f, t, scene, &n)) {
    table_fold_free (f);
    return NULL;
  }
  f->table = stats_table_new (t->title, t->columns, t->n_columns, n);
  f->table->date = t->date;
  f->table->source = t->source;
  for (uint32_t k = 0; k < t->n_columns; k++)
    f->table->columns[k].given = t->columns[k].given;
  size_t cells = (size_t) n * t->n_columns;
  f->least = g_new (double, cells + 1);
  f->most = g_new (double, cells + 1);
  f->mean = g_new (double, cells + 1);
  for (size_t i = 0; i < cells; i++)
    f->least[i] = f->most[i] = f->mean[i] = NAN;
  for (uint32_t row = 0; row < n; row++)
    fold_row (f, t, row, scene);
  return f;
}

void
table_fold_free (TableFold *f)
{
  if (f == NULL)
    return;
  if (f->table != NULL)
    stats_unref (&stats_type_table, f->table);
  g_free (f->first);
  g_free (f->next);
  g_free (f->part);
  g_free (f->least);
  g_free (f->most);
  g_free (f->mean);
  g_free (f);
}

bool
table_fold_differs (const TableFold *f, uint32_t row, uint32_t column)
{
  size_t cell = (size_t) row * f->table->n_columns + column;

  return f->part[row] != TRACE_NONE && f->least[cell] < f->most[cell];
}

const StatsTable *
table_folded (TableFolded *f, const ChartThing *held, const ViewScene *scene)
{
  const StatsTable *t = held->thing;
  uint64_t groups = scene->groups != NULL ? scene->groups->serial : 0;

  if (f->shown == 0 || f->table != held->serial || f->groups != groups) {
    table_fold_free (f->fold);
    f->fold = t != NULL ? table_fold_new (t, scene) : NULL;
    f->table = held->serial;
    f->groups = groups;
    f->shown++;
  }
  return f->fold != NULL ? f->fold->table : t;
}

void
table_folded_clear (TableFolded *f)
{
  table_fold_free (f->fold);
  *f = (TableFolded){ NULL };
}

bool
table_folded_is_group (const TableFolded *f, uint32_t row)
{
  return f->fold != NULL && f->fold->part[row] != TRACE_NONE;
}

bool
table_folded_stands_out (const TableFolded *f, const StatsTable *t, const ViewScene *scene, const DrawingTag *tag)
{
  if (!table_folded_is_group (f, tag->index))
    return view_tag_stands_out (scene, tag);
  if (trace_refs_n (scene->selection) == 0)
    return false;
  for (uint32_t i = f->fold->first[tag->index]; i != TRACE_NONE; i = f->fold->next[i])
    if (view_stands_out (scene, stats_table_owner (t, i, false)))
      return true;
  return false;
}

void
table_folded_owners (const TableFolded *f, const StatsTable *t, uint32_t row, TraceRefs *to)
{
  for (uint32_t i = f->fold->first[row]; i != TRACE_NONE; i = f->fold->next[i])
    trace_refs_add (to, stats_table_owner (t, i, false));
}
