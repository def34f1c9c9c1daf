/* SPDX-License-Identifier: Apache-2.0 */
/* table-view.c - a table, sorted by any column. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "views/chart.h"

typedef struct TableView {
  ChartThing held;
  char *sort, *title; /* settings */
  bool descending;
  int64_t first;
} TableView;

static const EveInSpec ins[] = {
  { "table", &stats_type_table, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Tables; the last is shown." },
};
static const EveField settings[] = {
  { "sort by", EVE_F_STRING, offsetof (TableView, sort), .look = true,
    .doc = "Name of a column; empty: as the rows come." },
  { "descending", EVE_F_BOOL, offsetof (TableView, descending), .look = true, .doc = "Largest first." },
  { "first row", EVE_F_INT64, offsetof (TableView, first), .min = 0, .max = 1e9, .look = true,
    .doc = "How many rows are scrolled past." },
  { "title", EVE_F_STRING, offsetof (TableView, title), .look = true, .doc = "Empty: that of the table." },
};

#define LINE 22.0
#define PAD 10.0

typedef struct Columns {
  double *x, *width;
  uint32_t n; /* that fit */
} Columns;

static int32_t
sort_column (const TableView *v, const StatsTable *t)
{
  for (uint32_t i = 0; *v->sort && i < t->n_columns; i++)
    if (g_ascii_strcasecmp (t->columns[i].name, v->sort) == 0)
      return (int32_t) i;
  return -1;
}

typedef struct Sorting {
  const StatsTable *t;
  uint32_t column;
  bool descending;
} Sorting;

static bool
is_nothing (const StatsTable *t, uint32_t row, uint32_t column)
{
  const StatsCell *cell = stats_cell (t, row, column);

  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    return cell->text == NULL;
  case STATS_CELL_REAL:
    return isnan (cell->real);
  default:
    return cell->whole == INT64_MIN;
  }
}

static int
by_column (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  bool none_x = is_nothing (s->t, x, s->column), none_y = is_nothing (s->t, y, s->column);

  if (none_x != none_y) /* what is nothing comes last either way */
    return none_x - none_y;
  int order = stats_table_compare (s->t, s->column, x, y);
  return order == 0 ? (x > y) - (x < y) : s->descending ? -order : order;
}

static uint32_t *
rows_of (const TableView *v, const StatsTable *t)
{
  uint32_t *rows = g_new (uint32_t, MAX (t->n_rows, 1));
  int32_t column = sort_column (v, t);

  for (uint32_t i = 0; i < t->n_rows; i++)
    rows[i] = i;
  if (column >= 0)
    g_qsort_with_data (rows, (gint) t->n_rows, sizeof *rows, by_column,
                       &(Sorting){ t, (uint32_t) column, v->descending });
  return rows;
}

static bool
is_number (const StatsTable *t, uint32_t column)
{
  return t->columns[column].kind != STATS_CELL_TEXT;
}

static char *
cell_text (const StatsTable *t, uint32_t row, uint32_t column, const TraceClock *clock)
{
  const StatsCell *cell = stats_cell (t, row, column);

  if (is_nothing (t, row, column))
    return g_strdup ("–");
  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    return g_strdup (cell->text);
  case STATS_CELL_REAL:
    return chart_number (cell->real, t->columns[column].unit);
  case STATS_CELL_WHOLE:
    return chart_number ((double) cell->whole, t->columns[column].unit);
  default:
    return clock != NULL ? axis_date (clock, cell->whole, 6) : g_strdup_printf ("%" G_GINT64_FORMAT, cell->whole);
  }
}

/* Widths by what is seen, at most 200 rows of it. */
static Columns
measure (Paint *p, const StatsTable *t, const uint32_t *rows, uint32_t first, uint32_t n)
{
  const TraceClock *clock = p->scene->source != NULL ? &p->scene->source->clock : NULL;
  Columns c = { g_new0 (double, t->n_columns), g_new0 (double, t->n_columns), 0 };
  double x = 12;

  for (uint32_t k = 0; k < t->n_columns; k++) {
    double width = paint_text_width (p, PAINT_TEXT | PAINT_BOLD, t->columns[k].name) + 14;
    for (uint32_t i = first; i < first + MIN (n, 200); i++) {
      g_autofree char *text = cell_text (t, rows[i], k, clock);
      width = fmax (width, paint_text_width (p, PAINT_TEXT, text));
    }
    width = fmin (width, 320);
    if (k > 0 && x + width > p->scene->width_px - 12)
      break;
    c.x[k] = x;
    c.width[k] = width;
    c.n = k + 1;
    x += width + 2 * PAD;
  }
  return c;
}

static uint32_t
rows_that_fit (const ViewScene *scene)
{
  return (uint32_t) fmax (floor ((scene->height_px - CHART_TOP - LINE - 4) / LINE), 1);
}

static bool
draw (EveComponent *c, const ViewScene *scene, cairo_t *cr, GError **error)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = v->held.thing;
  Paint p;

  paint_begin (&p, scene, cr);
  if (t == NULL || t->n_columns == 0) {
    chart_title (&p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (&p, t == NULL ? "No table has come yet" : "The table is empty");
    paint_end (&p);
    return true;
  }
  g_autofree uint32_t *rows = rows_of (v, t);
  uint32_t fit = rows_that_fit (scene),
           first = (uint32_t) MIN ((uint64_t) v->first, t->n_rows > fit ? t->n_rows - fit : 0);
  uint32_t n = MIN (t->n_rows - first, fit);
  Columns columns = measure (&p, t, rows, first, n);
  g_autofree char *count = n == t->n_rows ? g_strdup_printf ("%u rows", n)
                                          : g_strdup_printf ("rows %u to %u of %u", first + 1, first + n, t->n_rows);
  g_autofree char *all = columns.n < t->n_columns
                             ? g_strdup_printf ("%s · %u of %u columns", count, columns.n, t->n_columns)
                             : g_strdup (count);
  const TraceClock *clock = scene->source != NULL ? &scene->source->clock : NULL;
  int32_t sorted = sort_column (v, t);
  double y = CHART_TOP + LINE / 2;
  chart_thing_title (&p, c, v->title, t->title, t->date, all);
  for (uint32_t k = 0; k < columns.n; k++) {
    bool number = is_number (t, k), here = sorted == (int32_t) k;
    double right = columns.x[k] + columns.width[k];
    g_autofree char *head = g_strdup_printf ("%s%s", t->columns[k].name, here ? v->descending ? " ▾" : " ▴" : "");
    paint_text (&p, number ? right : columns.x[k], y, number ? 1 : 0, PAINT_TEXT | PAINT_BOLD, here ? p.ink : p.muted,
                columns.width[k], head);
  }
  paint_source (cr, p.faint, 1);
  cairo_rectangle (cr, 12, CHART_TOP + LINE - 1, scene->width_px - 24, 1);
  cairo_fill (cr);
  for (uint32_t i = 0; i < n; i++) {
    y = CHART_TOP + LINE * (i + 1.5) + 2;
    if (i % 2 == 1) {
      paint_source (cr, p.grid, 0.35);
      cairo_rectangle (cr, 6, y - LINE / 2, scene->width_px - 12, LINE);
      cairo_fill (cr);
    }
    for (uint32_t k = 0; k < columns.n; k++) {
      bool number = is_number (t, k);
      g_autofree char *text = cell_text (t, rows[first + i], k, clock);
      paint_text (&p, number ? columns.x[k] + columns.width[k] : columns.x[k], y, number ? 1 : 0, PAINT_TEXT,
                  is_nothing (t, rows[first + i], k) ? p.faint : p.ink, columns.width[k], text);
    }
  }
  g_free (columns.x);
  g_free (columns.width);
  paint_end (&p);
  return true;
}

/* Heads first, so that one can be pointed at to sort by it. */
static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  TableView *v = (TableView *) c;
  const StatsTable *t = v->held.thing;
  Paint p;

  paint_measure (&p, scene);
  if (t != NULL && t->n_columns > 0) {
    g_autofree uint32_t *rows = rows_of (v, t);
    const TraceClock *clock = scene->source != NULL ? &scene->source->clock : NULL;
    uint32_t fit = rows_that_fit (scene),
             first = (uint32_t) MIN ((uint64_t) v->first, t->n_rows > fit ? t->n_rows - fit : 0);
    uint32_t n = MIN (t->n_rows - first, fit);
    Columns columns = measure (&p, t, rows, first, n);
    for (uint32_t k = 0; k < columns.n && to->len < max; k++) {
      ViewItem item = chart_item (columns.x[k], CHART_TOP, columns.width[k], LINE, NULL);
      item.name = g_strdup_printf ("column %s", t->columns[k].name);
      g_array_append_val (to, item);
    }
    for (uint32_t i = 0; i < n && to->len < max; i++) {
      g_autoptr (GString) name = g_string_new (NULL);
      ViewItem item = chart_item (12, CHART_TOP + LINE * (i + 1) + 2, scene->width_px - 24, LINE, NULL);
      for (uint32_t k = 0; k < t->n_columns; k++) {
        g_autofree char *text = cell_text (t, rows[first + i], k, clock);
        g_string_append_printf (name, "%s%s %s", k > 0 ? ", " : "", t->columns[k].name, text);
      }
      item.name = g_strdup (name->str);
      g_array_append_val (to, item);
    }
    g_free (columns.x);
    g_free (columns.width);
  }
  paint_end (&p);
}

static const View view = { .title = "Table",
                           .spans = VIEW_OF_INSTANT,
                           .draw = draw,
                           .depends = chart_depends,
                           .items = items,
                           .csv = chart_thing_csv };

VIEW_QUERY (query, view)

static const EveClass table_view = {
  VIEW_CLASS (TableView), .id = "scope.table-view", .label = "Table view", .doc = "A table, sorted by any column.",
  CHART_THING_CLASS,      .query = query,
};
EVE_PLUGIN (&table_view);
