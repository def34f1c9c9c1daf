/* SPDX-License-Identifier: Apache-2.0 */
/* matrix-view.c - a number for each pair, as a shade: who sends how much to whom. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include "views/chart.h"

typedef struct MatrixView {
  ChartThing held;
  bool logarithmic, numbers; /* settings */
  char *title;
} MatrixView;

static const EveInSpec ins[] = {
  { "matrix", &stats_type_matrix, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Matrices; the last is shown." },
};
static const EveField settings[] = {
  { "logarithmic", EVE_F_BOOL, offsetof (MatrixView, logarithmic), .look = true,
    .doc = "Shades by the logarithm of the values." },
  { "numbers", EVE_F_BOOL, offsetof (MatrixView, numbers), .def = 1, .look = true,
    .doc = "Writes the numbers where there is room." },
  { "title", EVE_F_STRING, offsetof (MatrixView, title), .look = true, .doc = "Empty: that of the matrix." },
};

#define SCALE_W 92.0
#define LEAST_PX 3.0 /* a cell; smaller ones are put together */

typedef struct Layout {
  double x0, y0, cell_w, cell_h;
  uint32_t n_rows, n_columns;   /* of cells drawn */
  uint32_t per_row, per_column; /* rows and columns of the matrix in one */
  double lo, hi;                /* of what is drawn, logarithms if they are shown */
} Layout;

/* A scale of one colour, from paper to deep: read in the same way with any colour vision, and in print. */
static uint32_t
shade (const Paint *p, double share)
{
  static const uint32_t light[] = { 0xf3f6fa, 0xbfd7ea, 0x6aaed6, 0x2171b5, 0x08306b };
  static const uint32_t dark[] = { 0x26282c, 0x1f3d5c, 0x2f6ea8, 0x6fb0e0, 0xe6f3ff };
  const uint32_t *stops = p->scene->dark ? dark : light;
  double at = CLAMP (share, 0, 1) * 4;
  int i = MIN ((int) at, 3);

  return paint_mix (stops[i], stops[i + 1], at - i);
}

/* The sum over a cell, or the mean of what is in it; NaN: nothing is. */
static double
value_at (const StatsMatrix *m, const Layout *l, uint32_t row, uint32_t column)
{
  double sum = 0;
  uint32_t n = 0;

  for (uint32_t i = row * l->per_row; i < MIN ((row + 1) * l->per_row, m->n_rows); i++)
    for (uint32_t k = column * l->per_column; k < MIN ((column + 1) * l->per_column, m->n_columns); k++) {
      double x = m->values[(size_t) i * m->n_columns + k];
      if (!isnan (x)) {
        sum += x;
        n++;
      }
    }
  return n == 0 ? NAN : m->means ? sum / n : sum;
}

static double
measure_of (const MatrixView *v, double x)
{
  return v->logarithmic ? x > 0 ? log10 (x) : NAN : x;
}

static const char *
name_of (const StatsMatrix *m, bool column, uint32_t i)
{
  const char *const *names = (const char *const *) (column ? m->column_names : m->row_names);

  return names != NULL && names[i] != NULL ? names[i] : "";
}

static void
lay_out (MatrixView *v, Paint *p, const StatsMatrix *m, Layout *l)
{
  const ViewScene *scene = p->scene;
  double names = 0, right, bottom;

  *l = (Layout){ .lo = INFINITY, .hi = -INFINITY };
  for (uint32_t i = 0; i < MIN (m->n_rows, 300); i++)
    names = fmax (names, paint_text_width (p, PAINT_TEXT, name_of (m, false, i)));
  l->x0 = 14 + fmin (names, scene->width_px * 0.25) + 8;
  l->y0 = CHART_TOP + 22;
  right = scene->width_px - 16 - (scene->width_px > 360 ? SCALE_W : 0);
  bottom = scene->height_px - 14;
  l->per_column = (uint32_t) fmax (ceil (m->n_columns * LEAST_PX / fmax (right - l->x0, 10)), 1);
  l->per_row = (uint32_t) fmax (ceil (m->n_rows * LEAST_PX / fmax (bottom - l->y0, 10)), 1);
  l->n_columns = (m->n_columns + l->per_column - 1) / l->per_column;
  l->n_rows = (m->n_rows + l->per_row - 1) / l->per_row;
  l->cell_w = fmin (fmax (right - l->x0, 10) / MAX (l->n_columns, 1), 120);
  l->cell_h = fmin (fmax (bottom - l->y0, 10) / MAX (l->n_rows, 1), 60);
  for (uint32_t i = 0; i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double x = measure_of (v, value_at (m, l, i, k));
      if (isfinite (x)) {
        l->lo = fmin (l->lo, x);
        l->hi = fmax (l->hi, x);
      }
    }
  if (l->lo > l->hi)
    l->lo = l->hi = 0;
  if (!v->logarithmic && l->lo > 0)
    l->lo = 0;
}

static double
share_of (const Layout *l, double x)
{
  return l->hi > l->lo ? (x - l->lo) / (l->hi - l->lo) : x != 0 ? 1 : 0;
}

static void
draw_names (Paint *p, const StatsMatrix *m, const Layout *l)
{
  double below = -1e9, right = -1e9;

  for (uint32_t i = 0; i < l->n_rows; i++) {
    double y = l->y0 + l->cell_h * (i + 0.5);
    if (y - below < 14)
      continue;
    below = y;
    paint_text (p, l->x0 - 8, y, 1, PAINT_TEXT, p->ink, l->x0 - 20, name_of (m, false, i * l->per_row));
  }
  for (uint32_t k = 0; k < l->n_columns; k++) {
    const char *name = name_of (m, true, k * l->per_column);
    double x = l->x0 + l->cell_w * (k + 0.5),
           wide = fmin (paint_text_width (p, PAINT_TEXT, name), fmax (l->cell_w - 4, 60));
    if (x - wide / 2 < right + 8)
      continue;
    right = x + wide / 2;
    paint_text (p, x, l->y0 - 11, 0.5, PAINT_TEXT, p->ink, fmax (l->cell_w - 4, 60), name);
  }
}

static void
draw_scale (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  double x = p->scene->width_px - SCALE_W + 6, y0 = l->y0, h = fmin (160, p->scene->height_px - l->y0 - 24);

  if (p->scene->width_px <= 360 || h < 40)
    return;
  for (double y = 0; y < h; y++) {
    paint_source (p->cr, shade (p, 1 - y / h), 1);
    cairo_rectangle (p->cr, x, y0 + y, 14, 1.2);
    cairo_fill (p->cr);
  }
  paint_source (p->cr, p->faint, 1);
  cairo_set_line_width (p->cr, 1);
  cairo_rectangle (p->cr, x + 0.5, floor (y0) + 0.5, 13, floor (h));
  cairo_stroke (p->cr);
  for (int i = 0; i <= 2; i++) {
    double at = l->hi + (l->lo - l->hi) * i / 2;
    g_autofree char *number = chart_number (v->logarithmic ? pow (10, at) : at, m->unit);
    paint_text (p, x + 20, y0 + h * i / 2, 0, PAINT_SMALL, p->muted, SCALE_W - 28, number);
  }
}

static bool
draw (EveComponent *c, const ViewScene *scene, cairo_t *cr, GError **error)
{
  MatrixView *v = (MatrixView *) c;
  const StatsMatrix *m = v->held.thing;
  Paint p;
  Layout l;

  paint_begin (&p, scene, cr);
  if (m == NULL || m->n_rows == 0 || m->n_columns == 0) {
    chart_title (&p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (&p, m == NULL ? "No matrix has come yet" : "The matrix is empty");
    paint_end (&p);
    return true;
  }
  lay_out (v, &p, m, &l);
  bool together = l.per_row > 1 || l.per_column > 1;
  g_autofree char *sums = together ? g_strdup_printf ("%u × %u, %s of %u × %u", m->n_rows, m->n_columns,
                                                      m->means ? "means" : "sums", l.per_row, l.per_column)
                                   : g_strdup_printf ("%u × %u", m->n_rows, m->n_columns);
  chart_thing_title (&p, c, v->title, m->title, m->date, sums);
  draw_names (&p, m, &l);
  double gap = l.cell_w >= 8 && l.cell_h >= 8 ? 1 : 0;
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  for (uint32_t i = 0; i < l.n_rows; i++)
    for (uint32_t k = 0; k < l.n_columns; k++) {
      double x = l.x0 + l.cell_w * k, y = l.y0 + l.cell_h * i, value = value_at (m, &l, i, k),
             share = share_of (&l, measure_of (v, value));
      if (isnan (value)) {
        paint_source (cr, p.grid, 1);
        cairo_rectangle (cr, x + l.cell_w / 2 - 1, y + l.cell_h / 2 - 1, 2, 2);
      } else {
        paint_source (cr, shade (&p, isnan (share) ? 0 : share), 1);
        cairo_rectangle (cr, x, y, l.cell_w - gap, l.cell_h - gap);
      }
      cairo_fill (cr);
    }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  for (uint32_t i = 0; v->numbers && l.cell_h >= 16 && l.cell_w >= 34 && i < l.n_rows; i++)
    for (uint32_t k = 0; k < l.n_columns; k++) {
      double value = value_at (m, &l, i, k), share = share_of (&l, measure_of (v, value));
      g_autofree char *number = isnan (value) ? NULL : chart_number (value, m->unit);
      if (number != NULL && value != 0 && paint_text_width (&p, PAINT_SMALL, number) < l.cell_w - 4)
        paint_text (&p, l.x0 + l.cell_w * (k + 0.5), l.y0 + l.cell_h * (i + 0.5), 0.5, PAINT_SMALL,
                    paint_ink_on (shade (&p, isnan (share) ? 0 : share)), 0, number);
    }
  draw_scale (&p, v, m, &l);
  paint_end (&p);
  return true;
}

static char *
name_of_cell (const StatsMatrix *m, bool column, uint32_t i, uint32_t per_cell)
{
  uint32_t first = i * per_cell, last = MIN (first + per_cell, column ? m->n_columns : m->n_rows) - 1;

  return stats_name_of_several (name_of (m, column, first), name_of (m, column, last), first < last);
}

static void
cell_item (const StatsMatrix *m, const Layout *l, uint32_t i, uint32_t k, ViewItem *item)
{
  g_autofree char *number = chart_number (value_at (m, l, i, k), m->unit);

  *item = chart_item (l->x0 + l->cell_w * k, l->y0 + l->cell_h * i, l->cell_w, l->cell_h, NULL);
  g_autofree char *row = name_of_cell (m, false, i, l->per_row), *column = name_of_cell (m, true, k, l->per_column);
  item->name = g_strdup_printf ("%s to %s: %s", row, column, number);
}

typedef bool (*WithLayout) (const StatsMatrix *m, const Layout *l, void *arg);

static bool
with_layout (EveComponent *c, const ViewScene *scene, WithLayout what, void *arg)
{
  MatrixView *v = (MatrixView *) c;
  const StatsMatrix *m = v->held.thing;
  bool done = false;
  Paint p;
  Layout l;

  paint_measure (&p, scene);
  if (m != NULL && m->n_rows > 0 && m->n_columns > 0) {
    lay_out (v, &p, m, &l);
    done = what (m, &l, arg);
  }
  paint_end (&p);
  return done;
}

typedef struct Wanted {
  GArray *to;
  guint max;
  double x, y;
  ViewItem *item;
} Wanted;

static int
by_value (gconstpointer a, gconstpointer b)
{
  double x = ((const double *) a)[0], y = ((const double *) b)[0];

  return (x < y) - (x > y);
}

/* The largest first: the important ones. */
static bool
all_items (const StatsMatrix *m, const Layout *l, void *arg)
{
  Wanted *w = arg;
  size_t n = 0, all = (size_t) l->n_rows * l->n_columns;
  g_autofree double *cells = g_new (double, 2 * MAX (all, 1));

  for (size_t i = 0; i < all; i++) {
    double x = value_at (m, l, (uint32_t) (i / l->n_columns), (uint32_t) (i % l->n_columns));
    if (isnan (x) || x == 0)
      continue;
    cells[2 * n] = x;
    cells[2 * n + 1] = (double) i;
    n++;
  }
  qsort (cells, n, 2 * sizeof *cells, by_value);
  for (size_t i = 0; i < n && w->to->len < w->max; i++) {
    size_t at = (size_t) cells[2 * i + 1];
    ViewItem item;
    cell_item (m, l, (uint32_t) (at / l->n_columns), (uint32_t) (at % l->n_columns), &item);
    g_array_append_val (w->to, item);
  }
  return true;
}

static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  with_layout (c, scene, all_items, &(Wanted){ .to = to, .max = max });
}

static bool
item_under (const StatsMatrix *m, const Layout *l, void *arg)
{
  Wanted *w = arg;
  double column = floor ((w->x - l->x0) / l->cell_w), row = floor ((w->y - l->y0) / l->cell_h);

  if (column < 0 || row < 0 || column >= l->n_columns || row >= l->n_rows)
    return false;
  cell_item (m, l, (uint32_t) row, (uint32_t) column, w->item);
  return true;
}

static bool
inspect (EveComponent *c, const ViewScene *scene, double x, double y, ViewItem *item, GString *facts)
{
  return with_layout (c, scene, item_under, &(Wanted){ .x = x, .y = y, .item = item });
}

static const View view = { .title = "Matrix",
                           .spans = VIEW_OF_INSTANT,
                           .draw = draw,
                           .depends = chart_depends,
                           .items = items,
                           .inspect = inspect,
                           .csv = chart_thing_csv };

VIEW_QUERY (query, view)

static const EveClass matrix_view = {
  VIEW_CLASS (MatrixView),
  .id = "scope.matrix-view",
  .label = "Matrix view",
  .doc = "A number for each pair (who sends how much to whom), as a shade.",
  .help =
      "Rows and columns that would be thinner than 3 pixels are put together: a shade is then the sum of several "
      "numbers, or the mean of several shares, which the first line says. A dot is a pair of which nothing is known.",
  CHART_THING_CLASS,
  .query = query,
};
EVE_PLUGIN (&matrix_view);
