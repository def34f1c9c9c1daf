/* SPDX-License-Identifier: Apache-2.0 */
/* cross-table.c - dated numbers of many owners as a matrix: a row for each owner, a column for each interval of their
 * values, or of time; in the cells how many there are, their sum, or their mean. */
#include <math.h>
#include "readers/counted.h"
#include "statistics/graph.h"
#include "eve/words.h"
#include "statistics/numbers.h"
#include "statistics/types.h"

#define ROWS_MOST 4096
#define COLUMNS_MOST 1024
#define DECADES 18 /* to each side of 1 */
#define LOG_COLUMNS (6 * DECADES + 2)
enum { BY_VALUE, BY_TIME };
enum { SHOW_COUNT, SHOW_SUM, SHOW_MEAN, SHOW_SHARE };

typedef struct Cell {
  int64_t n;
  double sum;
} Cell;

typedef struct CrossTable {
  EveBase base;
  int32_t by, shows; /* settings */
  double from, to;
  int64_t n_bins;
  GArray *cells; /* of Cell, row by row */
  uint32_t n_rows, n_columns;
  uint32_t shift; /* a row has 2^shift owners that follow each other */
  uint32_t most;  /* one more than the largest owner */
  int64_t n, left_out, first, last, date;
  StatsDatum example; /* the datum before: unit and kind of owner */
} CrossTable;

static const EveInSpec ins[] = {
  { "value", &stats_type_datum, .required = true, .present = true, .doc = "Dated numbers of several owners." },
};
static const EveOutSpec outs[] = {
  { "matrix", &stats_type_matrix, .doc = "A row for each owner, at an instant and at the end." },
};
static const char *const axes[] = { "values", "time", NULL };
static const char *const figures[] = { "count", "sum", "mean", "share", NULL };
enum { BY, SHOWS, FROM, TO, BINS };
static const EveField settings[] = {
  [BY] = { "columns", EVE_F_CHOICE, offsetof (CrossTable, by), .choices = axes,
           .doc = "Whether a column is an interval of the values, or of time." },
  [SHOWS] = { "shows", EVE_F_CHOICE, offsetof (CrossTable, shows), .choices = figures,
              .doc = "How many values there are in a cell, their sum, their mean, or the share of the row's sum." },
  [FROM] = { "from", EVE_F_DOUBLE, offsetof (CrossTable, from),
             .doc =
                 "Where the first column begins, in the unit of the values; from and to equal: columns as values need "
                 "them, from 1 to 2, 2 to 5, 5 to 10 and so on." },
  [TO] = { "to", EVE_F_DOUBLE, offsetof (CrossTable, to), .doc = "Where the last column ends." },
  [BINS] = { "bins", EVE_F_INT64, offsetof (CrossTable, n_bins), .min = 1, .max = COLUMNS_MOST, .def = 20,
             .doc = "How many columns of equal width there are, of time or between from and to." },
};

/* ---- columns --------------------------------------------------------------------------------------------------------- */

static bool
is_logarithmic (const CrossTable *self)
{
  return self->by == BY_VALUE && !(self->from < self->to);
}

static uint32_t
n_columns_of (const CrossTable *self)
{
  return is_logarithmic (self) ? LOG_COLUMNS : (uint32_t) self->n_bins;
}

/* Where such a column begins: 1, 2 or 5 times a power of ten. */
static double
cross_table_bound (int column)
{
  static const double of[] = { 1, 2, 5 };
  int i = column - 2;

  return of[i % 3] * pow (10, i / 3 - DECADES);
}

/* Column 0 is below nothing, 1 is nothing. */
static uint32_t
logarithmic (double x)
{
  if (!(x > 0))
    return x < 0 ? 0 : 1;
  int i = (int) CLAMP (3 * (floor (log10 (x)) + DECADES) + 2, 2, LOG_COLUMNS - 1);
  while (i > 2 && x < cross_table_bound (i))
    i--;
  while (i < LOG_COLUMNS - 1 && x >= cross_table_bound (i + 1))
    i++;
  return (uint32_t) i;
}

/* UINT32_MAX: it has none. */
static uint32_t
cross_table_column_of (const CrossTable *self, const StatsDatum *d)
{
  double x = stats_datum_number (d), place;

  if (!isfinite (x))
    return UINT32_MAX;
  if (is_logarithmic (self))
    return logarithmic (x);
  if (self->by == BY_VALUE && (x < self->from || x > self->to))
    return UINT32_MAX;
  if (self->by == BY_VALUE)
    place = (x - self->from) / (self->to - self->from);
  else
    place = ((double) d->date - (double) self->first) / fmax ((double) self->last - (double) self->first, 1);
  return (uint32_t) CLAMP (place * (double) self->n_columns, 0, self->n_columns - 1.0);
}

/* ---- counting -------------------------------------------------------------------------------------------------------- */

/* Two rows become one, until an owner has its place. */
static void
cross_table_reach (CrossTable *self, uint32_t owner)
{
  while (owner >> self->shift >= ROWS_MOST) {
    for (uint32_t i = 0; i < self->n_rows; i++)
      for (uint32_t k = 0; k < self->n_columns && i > 0; k++) {
        Cell *to = &g_array_index (self->cells, Cell, (i / 2) * self->n_columns + k),
             *from = &g_array_index (self->cells, Cell, i * self->n_columns + k);
        Cell moved = *from;
        *from = (Cell){ 0 };
        to->n += moved.n;
        to->sum += moved.sum;
      }
    self->n_rows = (self->n_rows + 1) / 2;
    self->shift++;
  }
  if (owner >> self->shift >= self->n_rows) {
    self->n_rows = (owner >> self->shift) + 1;
    if (self->cells->len < self->n_rows * self->n_columns)
      g_array_set_size (self->cells, self->n_rows * self->n_columns);
  }
}

/* A trace that is still being written goes on beyond what it had when the table began: two columns become one, until
 * the date has its place. */
static void
cross_table_widen (CrossTable *self, int64_t date)
{
  while (date > self->last) {
    for (uint32_t i = 0; i < self->n_rows; i++)
      for (uint32_t k = 1; k < self->n_columns; k++) {
        Cell *row = &g_array_index (self->cells, Cell, i * self->n_columns), moved = row[k];
        row[k] = (Cell){ 0 };
        row[k / 2].n += moved.n;
        row[k / 2].sum += moved.sum;
      }
    int64_t width = MAX (self->last - self->first, 1);
    if (__builtin_add_overflow (self->last, width, &self->last))
      self->last = INT64_MAX;
  }
}

static void
cross_table_step (CrossTable *self, const StatsDatum *d)
{
  uint32_t owner = d->owner == TRACE_NONE ? 0 : d->owner;

  if (G_UNLIKELY (self->n_columns == 0)) {
    const TraceSource *s = trace_source (d->source);
    self->n_columns = n_columns_of (self);
    self->first = s != NULL ? s->first : d->date;
    self->last = s != NULL ? MAX (s->last, s->first) : d->date;
  }
  if (self->by == BY_TIME && d->date > self->last)
    cross_table_widen (self, d->date);
  uint32_t column = cross_table_column_of (self, d);
  if (column == UINT32_MAX || owner >= UINT32_C (1) << 31
      || (self->n > 0 && (d->source != self->example.source || d->owner_kind != self->example.owner_kind))) {
    self->left_out++;
    return;
  }
  cross_table_reach (self, owner);
  Cell *c = &g_array_index (self->cells, Cell, (owner >> self->shift) * self->n_columns + column);
  c->n++;
  c->sum += stats_datum_number (d);
  self->most = MAX (self->most, owner + 1);
  self->date = d->date;
  self->n++;
  self->example = *d;
}

static void
cross_table_fire (EveComponent *c)
{
  const StatsDatum *d = eve_take (eve_base (c)->in[0]);

  if (number_counts (eve_at_rest (c), &stats_type_datum, d))
    cross_table_step ((CrossTable *) c, d);
}

/* ---- the matrix ------------------------------------------------------------------------------------------------------ */

/* "2 ms", "500 B"; g_free. */
static char *
edge_text (double x, const char *unit)
{
  static const char *const parts[] = { "s", "ms", "µs", "ns" };
  int i = 0;

  for (; strcmp (unit, "s") == 0 && x != 0 && fabs (x) < 1 - 1e-9 && i < 3; i++)
    x *= 1000;
  return *unit == '\0' ? g_strdup_printf ("%.4g", x)
                       : g_strdup_printf ("%.4g\u2009%s", x, strcmp (unit, "s") == 0 ? parts[i] : unit);
}

static void
cross_table_name_column (const CrossTable *self, StatsMatrix *m, uint32_t i, uint32_t column)
{
  const TraceSource *s = trace_source (self->example.source);
  const char *unit = self->example.unit != NULL ? self->example.unit : "";
  double width = (self->to - self->from) / self->n_columns;
  g_autofree char *name = NULL;

  if (is_logarithmic (self))
    name = column == 0   ? g_strdup ("below 0")
           : column == 1 ? g_strdup ("0")
                         : edge_text (cross_table_bound ((int) column), unit);
  else if (self->by == BY_VALUE)
    name = edge_text (self->from + column * width, unit);
  else
    name = edge_text (
        s != NULL ? trace_clock_seconds (
            &s->clock,
            self->first + (int64_t) (((double) self->last - (double) self->first) * column / self->n_columns))
                  : column,
        "s");
  stats_matrix_name (m, true, i, name);
}

static void
cross_table_name_row (CrossTable *self, StatsMatrix *m, const StateGraph *graph, uint32_t row)
{
  uint32_t first = row << self->shift, last = MIN (first + (1u << self->shift), self->most) - 1;
  g_autoptr (GString) a = g_string_new (NULL), b = g_string_new (NULL);
  StatsDatum d = self->example;

  if (d.owner == TRACE_NONE) {
    stats_owner_name (&d, graph, a);
    stats_matrix_name (m, false, row, a->str);
    return;
  }
  d.owner = first;
  stats_owner_name (&d, graph, a);
  d.owner = last;
  stats_owner_name (&d, graph, b);
  g_autofree char *name = stats_name_of_several (a->str, b->str, first < last);
  stats_matrix_name (m, false, row, name);
  d.owner = first;
  TraceRef who = stats_owner_ref (&d, graph);
  if (who.type == TRACE_REF_TASK)
    stats_matrix_set_owners (m, false, row, who, last - first + 1);
}

static double
figure (const CrossTable *self, const Cell *c, double row_sum)
{
  switch (self->shows) {
  case SHOW_SUM:
    return c->sum;
  case SHOW_MEAN:
    return c->n > 0 ? c->sum / (double) c->n : NAN;
  case SHOW_SHARE:
    return row_sum != 0 ? 100 * c->sum / row_sum : 0;
  default:
    return (double) c->n;
  }
}

/* The columns that are given: all; of those as values need them what lies between the least and the largest number
 * that is more than nothing, and before these the columns of nothing and of less, where they hold something. */
static uint32_t
cross_table_shown_columns (const CrossTable *self, uint32_t *shown)
{
  bool logarithmic = is_logarithmic (self), used[LOG_COLUMNS] = { false };
  uint32_t first = logarithmic ? 2 : 0, end = self->n_columns, n = 0;

  for (uint32_t i = 0; logarithmic && i < self->n_rows * self->n_columns; i++)
    used[i % self->n_columns] |= g_array_index (self->cells, Cell, i).n > 0;
  for (uint32_t k = 0; k < first; k++)
    if (used[k])
      shown[n++] = k;
  for (; logarithmic && first < end && !used[first];)
    first++;
  for (; logarithmic && first < end && !used[end - 1];)
    end--;
  for (uint32_t k = first; k < end; k++)
    shown[n++] = k;
  return n;
}

static void
cross_table_give (CrossTable *self)
{
  if (self->n == 0 || !eve_out_connected (self->base.out[0]))
    return;
  g_autofree uint32_t *shown = g_new (uint32_t, self->n_columns);
  uint32_t n_shown = cross_table_shown_columns (self, shown);
  if (n_shown == 0)
    return;
  const StateGraph *graph = stats_graph_above ((EveComponent *) self);
  StatsMatrix *m = stats_matrix_new (eve_name ((EveComponent *) self),
                                     self->shows == SHOW_COUNT   ? NULL
                                     : self->shows == SHOW_SHARE ? "%"
                                                                 : self->example.unit,
                                     self->n_rows, n_shown);
  m->date = self->date;
  m->source = self->example.source;
  m->whole = self->shows == SHOW_COUNT;
  m->means = self->shows == SHOW_MEAN || self->shows == SHOW_SHARE;
  for (uint32_t k = 0; k < n_shown; k++)
    cross_table_name_column (self, m, k, shown[k]);
  for (uint32_t i = 0; i < self->n_rows; i++) {
    const Cell *row = &g_array_index (self->cells, Cell, i * self->n_columns);
    double sum = 0;
    cross_table_name_row (self, m, graph, i);
    for (uint32_t k = 0; k < self->n_columns; k++)
      sum += row[k].sum;
    for (uint32_t k = 0; k < n_shown; k++)
      m->values[(size_t) i * m->n_columns + k] = figure (self, &row[shown[k]], sum);
  }
  eve_emit_steal (self->base.out[0], &m);
}

static bool
cross_table_at_rest (EveComponent *c, int64_t now)
{
  CrossTable *self = (CrossTable *) c;

  cross_table_give (self);
  eve_status (c, _ ("%lld values%s"), (long long) self->n, self->left_out > 0 ? _ (", others are outside") : "");
  return true;
}

static bool
cross_table_at_end (EveComponent *c)
{
  return cross_table_at_rest (c, 0);
}

/* ---- the component --------------------------------------------------------------------------------------------------- */

static void
cross_table_reset (EveComponent *c)
{
  CrossTable *self = (CrossTable *) c;

  g_array_set_size (self->cells, 0);
  self->n_rows = self->n_columns = self->shift = self->most = 0;
  self->n = self->left_out = self->first = self->last = 0;
  self->date = INT64_MIN;
  self->example = (StatsDatum){ 0 };
}

static bool
cross_table_init (EveComponent *c)
{
  ((CrossTable *) c)->cells = g_array_new (FALSE, TRUE, sizeof (Cell));
  cross_table_reset (c);
  return true;
}

static void
cross_table_finish (EveComponent *c)
{
  g_array_unref (((CrossTable *) c)->cells);
}

/* What was counted by other columns is counted anew from now on. */
static bool
cross_table_changed (EveComponent *c, uint32_t setting)
{
  if (setting != SHOWS)
    cross_table_reset (c);
  return true;
}

static void
cross_table_save (EveComponent *c, EveBlob *to)
{
  const CrossTable *self = (const CrossTable *) c;

  eve_put_int (to, self->n_columns);
  eve_put_int (to, self->n_rows);
  eve_put_int (to, self->shift);
  eve_put_int (to, self->most);
  for (uint32_t i = 0; i < self->n_rows * self->n_columns; i++) {
    const Cell *cell = &g_array_index (self->cells, Cell, i);
    eve_put_int (to, cell->n);
    if (cell->n > 0)
      eve_put_double (to, cell->sum);
  }
  eve_put_int (to, self->n);
  eve_put_int (to, self->left_out);
  eve_put_int (to, self->first);
  eve_put_int (to, self->last);
  eve_put_int (to, self->date);
  stats_type_datum.save (eve_program (c), &self->example, to);
}

static bool
cross_table_load (EveComponent *c, EveBlobView *from)
{
  CrossTable *self = (CrossTable *) c;
  int64_t n_columns = eve_get_int (from), n_rows = eve_get_int (from), shift = eve_get_int (from),
          most = eve_get_int (from);

  cross_table_reset (c);
  if (!eve_get_ok (from) || (n_columns != 0 && n_columns != n_columns_of (self)) || n_rows < 0 || n_rows > ROWS_MOST
      || shift < 0 || shift > 20 || most < 0 || most > INT64_C (1) << 31
      || (n_rows > 0 && (n_columns == 0 || most == 0 || (most - 1) >> shift != n_rows - 1)))
    return false;
  self->n_columns = (uint32_t) n_columns;
  self->n_rows = (uint32_t) n_rows;
  self->shift = (uint32_t) shift;
  self->most = (uint32_t) most;
  g_array_set_size (self->cells, self->n_rows * self->n_columns);
  for (uint32_t i = 0; i < self->n_rows * self->n_columns && eve_get_ok (from); i++) {
    Cell *cell = &g_array_index (self->cells, Cell, i);
    cell->n = eve_get_int (from);
    cell->sum = cell->n > 0 ? eve_get_double (from) : 0;
  }
  self->n = eve_get_int (from);
  self->left_out = eve_get_int (from);
  self->first = eve_get_int (from);
  self->last = eve_get_int (from);
  self->date = eve_get_int (from);
  return eve_get_ok (from) && stats_type_datum.load (eve_program (c), &self->example, from);
}

static const EveClass cross_table = {
  EVE_CLASS_HEAD,
  .id = "scope.cross-table",
  .label = "Cross Table",
  .category = "Analysis",
  .version = 1,
  .doc = "Dated numbers as a matrix of owners by intervals of values, or of time: counts, sums, means or shares.",
  .help =
      "The output `dated` of State Durations by its values shows whose waits are long, and by time when they are: the "
      "two-dimensional tables of Paraver.  A value on the edge of two intervals belongs to the upper one.  More than "
      "4096 owners share rows, 2, 4, 8, ... that follow each other each.  A value of another trace or another kind "
      "of owner than the first is left out.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (CrossTable),
  .init = cross_table_init,
  .finish = cross_table_finish,
  .reset = cross_table_reset,
  .changed = cross_table_changed,
  .fire = cross_table_fire,
  .at_end = cross_table_at_end,
  .at_rest = cross_table_at_rest,
  .save = cross_table_save,
  .load = cross_table_load,
  .query = trace_counted_anew,
};
EVE_PLUGIN (&cross_table);
