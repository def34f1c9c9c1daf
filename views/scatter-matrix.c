/* SPDX-License-Identifier: Apache-2.0 */
/* scatter-matrix.c - each number of a table against each other: a small scatter for every pair of columns (Pablo). */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "eve/words.h"
#include "statistics/list.h"
#include "views/chart.h"
#include "views/painter.h"

#define MOST 8    /* columns against each other */
#define USUAL 4   /* where none are chosen */
#define FEW 400   /* rows up to which each is a dot that can be pointed at */
#define PIXEL 3.0 /* px: of more rows, those that fall together are one mark */
#define BINS 12

typedef struct ScatterMatrix {
  ChartThing held;
  char *columns, *title; /* settings */
} ScatterMatrix;

static const EveInSpec ins[] = {
  { "table", &stats_type_table, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Tables; the last is shown." },
};
static const EveField settings[] = {
  { "columns", EVE_F_STRING, offsetof (ScatterMatrix, columns), .look = true,
    .doc = "Names of the columns, with commas between, eight at most; empty: the first four that have different "
           "numbers." },
  { "title", EVE_F_STRING, offsetof (ScatterMatrix, title), .look = true, .doc = "Empty: that of the table." },
};

typedef struct Range {
  uint32_t column;
  double lo, hi;
} Range;

typedef struct Layout {
  Range of[MOST];
  uint32_t n, left_out; /* left_out: columns with numbers that there was no place for */
  double x0, y0, width, height, gap;
} Layout;

static double
cell_number (const StatsTable *t, uint32_t row, uint32_t column)
{
  const StatsCell *cell = stats_cell (t, row, column);

  if (stats_cell_is_nothing (t, row, column))
    return NAN;
  switch (t->columns[column].kind) {
  case STATS_CELL_REAL:
    return cell->real;
  case STATS_CELL_WHOLE:
    return (double) cell->whole;
  default:
    return NAN;
  }
}

static bool
scatter_matrix_is_number (const StatsTable *t, uint32_t column)
{
  return t->columns[column].kind == STATS_CELL_REAL || t->columns[column].kind == STATS_CELL_WHOLE;
}

static Range
scatter_matrix_range_of (const StatsTable *t, uint32_t column)
{
  Range r = { column, INFINITY, -INFINITY };

  for (uint32_t i = 0; i < t->n_rows; i++) {
    double x = cell_number (t, i, column);
    if (!isfinite (x))
      continue;
    r.lo = fmin (r.lo, x);
    r.hi = fmax (r.hi, x);
  }
  return r;
}

/* A column of the same name stands before it, as the seconds of a state before its share. */
static bool
is_again (const StatsTable *t, uint32_t column)
{
  for (uint32_t k = 0; k < column; k++)
    if (strcmp (t->columns[k].name, t->columns[column].name) == 0)
      return true;
  return false;
}

/* Those that are asked for, in their order; else the first ones that tell rows apart. */
static void
scatter_matrix_choose (const ScatterMatrix *v, const StatsTable *t, Layout *l)
{
  g_auto (GStrv) names = stats_list_split (v->columns);

  for (char **name = names; *name != NULL; name++)
    for (uint32_t k = 0; k < t->n_columns && l->n < MOST; k++)
      if (scatter_matrix_is_number (t, k) && g_ascii_strcasecmp (t->columns[k].name, *name) == 0) {
        l->of[l->n++] = scatter_matrix_range_of (t, k);
        break;
      }
  for (uint32_t k = 0; *names == NULL && k < t->n_columns; k++) {
    Range r = { .lo = 1, .hi = 0 };
    if (scatter_matrix_is_number (t, k) && !is_again (t, k))
      r = scatter_matrix_range_of (t, k);
    if (!(r.lo < r.hi))
      continue;
    if (l->n < USUAL)
      l->of[l->n++] = r;
    else
      l->left_out++;
  }
}

static void
scatter_matrix_lay_out (const ScatterMatrix *v, const ViewScene *scene, const StatsTable *t, Layout *l)
{
  *l = (Layout){ .x0 = 16, .y0 = CHART_TOP + 4, .gap = 6 };
  scatter_matrix_choose (v, t, l);
  uint32_t n = MAX (l->n, 1);
  l->width = fmax ((scene->width_px - l->x0 - 16 - l->gap * (n - 1)) / n, 12);
  l->height = fmax ((scene->height_px - l->y0 - 14 - l->gap * (n - 1)) / n, 12);
}

static double
left_of (const Layout *l, uint32_t k)
{
  return l->x0 + (l->width + l->gap) * k;
}

static double
scatter_matrix_top_of (const Layout *l, uint32_t i)
{
  return l->y0 + (l->height + l->gap) * i;
}

/* Where a value stands in its box, 0 to 1, with some room at both ends. */
static double
scatter_matrix_share_of (const Range *r, double x)
{
  return r->hi > r->lo ? 0.07 + 0.86 * (x - r->lo) / (r->hi - r->lo) : 0.5;
}

/* False: one of both is no number. */
static bool
spot_of (const StatsTable *t, const Layout *l, uint32_t row, uint32_t i, uint32_t k, double *x, double *y)
{
  double across = cell_number (t, row, l->of[k].column), up = cell_number (t, row, l->of[i].column);

  if (!isfinite (across) || !isfinite (up))
    return false;
  *x = left_of (l, k) + l->width * scatter_matrix_share_of (&l->of[k], across);
  *y = scatter_matrix_top_of (l, i) + l->height * (1 - scatter_matrix_share_of (&l->of[i], up));
  return true;
}

static DrawingTag
scatter_matrix_tag_of (const StatsTable *t, uint32_t row, uint32_t pair)
{
  return (DrawingTag){ DRAWING_NO_DATES, .what = stats_table_owner (t, row, false),
                       .other = stats_table_owner (t, row, true), .index = row, .part = pair };
}

/* ---- drawing ---------------------------------------------------------------------------------------------------------------- */

static void
draw_dots (Drawing *d, Paint *p, const StatsTable *t, const Layout *l, uint32_t i, uint32_t k, bool chosen)
{
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double r = fmin (4, fmin (l->width, l->height) / 24 + 1.5), x, y;

  for (uint32_t row = 0; row < t->n_rows; row++) {
    DrawingTag tag = scatter_matrix_tag_of (t, row, i * MOST + k);
    if (!spot_of (t, l, row, i, k, &x, &y) || view_tag_stands_out (p->scene, &tag) != chosen)
      continue;
    if (chosen)
      drawing_disc (d, x, y, r + 3, DRAWING_ACCENT, 0.55, NULL);
    drawing_disc (d, x, y, r, rgb, t->n_rows > 64 && !chosen ? 0.6 : 1, &tag);
  }
}

/* Many rows: how many fall on each few pixels; one alone is seen as well as thousands are. */
static void
draw_density (Paint *p, const StatsTable *t, const Layout *l, uint32_t i, uint32_t k)
{
  uint32_t columns = (uint32_t) fmax (l->width / PIXEL, 1), rows = (uint32_t) fmax (l->height / PIXEL, 1), most = 1;
  g_autofree uint32_t *count = g_new0 (uint32_t, (size_t) columns * rows);
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double x, y;

  for (uint32_t row = 0; row < t->n_rows; row++) {
    if (!spot_of (t, l, row, i, k, &x, &y))
      continue;
    uint32_t c = MIN ((uint32_t) fmax ((x - left_of (l, k)) / PIXEL, 0), columns - 1),
             r = MIN ((uint32_t) fmax ((y - scatter_matrix_top_of (l, i)) / PIXEL, 0), rows - 1);
    most = MAX (most, ++count[(size_t) r * columns + c]);
  }
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t c = 0; c < columns; c++) {
      uint32_t n = count[(size_t) r * columns + c];
      if (n == 0)
        continue;
      double share = most > 1 ? log (n) / log (most) : 1;
      paint_source (p->cr, paint_mix (p->paper, rgb, 0.4 + 0.6 * share), 1);
      cairo_rectangle (p->cr, left_of (l, k) + PIXEL * c, scatter_matrix_top_of (l, i) + PIXEL * r, PIXEL, PIXEL);
      cairo_fill (p->cr);
    }
}

/* In the diagonal: what it is, from where to where, and how its values are distributed. */
static void
scatter_matrix_draw_name (Paint *p, const StatsTable *t, const Layout *l, uint32_t i)
{
  const Range *r = &l->of[i];
  const StatsColumn *column = &t->columns[r->column];
  double x = left_of (l, i), y = scatter_matrix_top_of (l, i), foot = l->height > 80 ? 22 : 4,
         room = l->height - foot - 30;
  uint32_t count[BINS] = { 0 }, most = 1;
  g_autofree char *least = chart_number (r->lo, column->unit), *largest = chart_number (r->hi, column->unit);

  for (uint32_t row = 0; row < t->n_rows && room > 12; row++) {
    double v = cell_number (t, row, r->column);
    if (isfinite (v)) {
      uint32_t bin = r->hi > r->lo ? MIN ((uint32_t) (BINS * (v - r->lo) / (r->hi - r->lo)), BINS - 1) : BINS / 2;
      most = MAX (most, ++count[bin]);
    }
  }
  for (uint32_t b = 0; b < BINS && room > 12; b++) {
    double h = room * count[b] / most, left = x + l->width * (0.07 + 0.86 * b / BINS);
    paint_source (p->cr, p->faint, 1);
    cairo_rectangle (p->cr, left, y + l->height - foot - h, fmax (l->width * 0.86 / BINS - 1, 1), h);
    cairo_fill (p->cr);
  }
  paint_text (p, x + l->width / 2, y + 14, 0.5, PAINT_TEXT | PAINT_BOLD, p->ink, l->width - 10, column->name);
  if (foot > 10) {
    paint_text (p, x + l->width * 0.07, y + l->height - 10, 0, PAINT_SMALL, p->muted, l->width * 0.42, least);
    paint_text (p, x + l->width * 0.93, y + l->height - 10, 1, PAINT_SMALL, p->muted, l->width * 0.42, largest);
  }
}

static void
scatter_matrix_draw_box (Paint *p, const Layout *l, uint32_t i, uint32_t k)
{
  paint_source (p->cr, p->grid, 1);
  cairo_set_line_width (p->cr, 1);
  cairo_rectangle (p->cr, floor (left_of (l, k)) + 0.5, floor (scatter_matrix_top_of (l, i)) + 0.5, floor (l->width),
                   floor (l->height));
  cairo_stroke (p->cr);
}

static void
draw_pair (Drawing *d, Paint *p, const StatsTable *t, const Layout *l, uint32_t i, uint32_t k)
{
  if (t->n_rows <= FEW)
    draw_dots (d, p, t, l, i, k, false);
  else if (drawing_is_painted (d))
    draw_density (p, t, l, i, k);
  if (trace_refs_n (p->scene->selection) > 0)
    draw_dots (d, p, t, l, i, k, true);
}

static bool
scatter_matrix_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  ScatterMatrix *v = (ScatterMatrix *) c;
  const StatsTable *t = v->held.thing;
  Paint *p = drawing_begin (d);
  Layout l;

  if (t == NULL || t->n_rows == 0) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, t == NULL ? chart_when (p->scene, N_ ("No table has come yet: go on in time"),
                                               N_ ("No table has come in the whole execution"))
                                 : N_ ("The table is empty"));
    return true;
  }
  scatter_matrix_lay_out (v, scene, t, &l);
  g_autofree char *count = paint_told (P_ ("%u row", "%u rows", t->n_rows), t->n_rows);
  g_autofree char *all = l.left_out > 0 ? paint_told (_ ("%s · %u of %u columns"), count, l.n, l.n + l.left_out)
                                        : g_strdup (count);
  const char *alone = t->n_rows > 1 && stats_table_owner (t, 0, false).type == TRACE_REF_TASK ? paint_alone (scene)
                                                                                              : NULL;
  g_autofree char *more = g_strconcat (all, alone != NULL ? "; " : "", alone, NULL);
  chart_thing_title (p, c, v->title, t->title, t->date, more);
  if (l.n < 2) {
    paint_sentence (p, *v->columns ? N_ ("The table has fewer than two of the columns that are asked for")
                                   : N_ ("Fewer than two columns have numbers that differ"));
    return true;
  }
  for (uint32_t i = 0; i < l.n; i++)
    for (uint32_t k = 0; k < l.n; k++) {
      scatter_matrix_draw_box (p, &l, i, k);
      if (i == k)
        scatter_matrix_draw_name (p, t, &l, i);
      else
        draw_pair (d, p, t, &l, i, k);
    }
  return true;
}

/* The box that a point lies in; false: none. */
static bool
box_at (const Layout *l, double x, double y, uint32_t *i, uint32_t *k)
{
  double column = floor ((x - l->x0) / (l->width + l->gap)), row = floor ((y - l->y0) / (l->height + l->gap));

  if (column < 0 || row < 0 || column >= l->n || row >= l->n)
    return false;
  *k = (uint32_t) column;
  *i = (uint32_t) row;
  return *i != *k;
}

/* Of what is too dense for marks: the nearest row, where one is near. */
static bool
scatter_matrix_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  const StatsTable *t = ((ScatterMatrix *) c)->held.thing;
  double best = 6 * 6, px, py;
  uint32_t i, k, found = TRACE_NONE;
  Layout l;

  if (t == NULL || t->n_rows <= FEW)
    return false;
  scatter_matrix_lay_out ((ScatterMatrix *) c, scene, t, &l);
  if (l.n < 2 || !box_at (&l, x, y, &i, &k))
    return false;
  for (uint32_t row = 0; row < t->n_rows; row++) {
    if (!spot_of (t, &l, row, i, k, &px, &py))
      continue;
    double far = (px - x) * (px - x) + (py - y) * (py - y);
    if (far < best) {
      best = far;
      found = row;
    }
  }
  if (found == TRACE_NONE || !spot_of (t, &l, found, i, k, &px, &py))
    return false;
  DrawingTag tag = scatter_matrix_tag_of (t, found, i * MOST + k);
  *mark = drawing_mark_of (px - 3, py - 3, 6, 6, &tag);
  return true;
}

static void
scatter_matrix_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const StatsTable *t = ((ScatterMatrix *) c)->held.thing;
  uint32_t row = m->tag.index, i = m->tag.part / MOST, k = m->tag.part % MOST;
  Layout l;

  if (t == NULL || row >= t->n_rows)
    return;
  scatter_matrix_lay_out ((ScatterMatrix *) c, scene, t, &l);
  if (i >= l.n || k >= l.n)
    return;
  stats_table_cell_text (t, row, 0, name);
  g_autofree char *across = chart_number (cell_number (t, row, l.of[k].column), t->columns[l.of[k].column].unit),
                  *up = chart_number (cell_number (t, row, l.of[i].column), t->columns[l.of[i].column].unit);
  g_string_append_printf (name, ": %s %s, %s %s", t->columns[l.of[k].column].name, across,
                          t->columns[l.of[i].column].name, up);
}

/* The first column, and those that are shown. */
static bool
scatter_matrix_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  const StatsTable *t = ((ScatterMatrix *) c)->held.thing;
  Layout l;

  if (t == NULL)
    return true;
  scatter_matrix_lay_out ((ScatterMatrix *) c, scene, t, &l);
  stats_csv_text (to, t->n_columns > 0 ? t->columns[0].name : "");
  for (uint32_t k = 0; k < l.n; k++) {
    const StatsColumn *column = &t->columns[l.of[k].column];
    g_string_append_c (to, ',');
    stats_csv_heading (to, column->name, column->unit);
  }
  g_string_append (to, "\r\n");
  for (uint32_t row = 0; row < t->n_rows; row++) {
    g_autoptr (GString) first = g_string_new (NULL);
    stats_table_cell_text (t, row, 0, first);
    stats_csv_text (to, first->str);
    for (uint32_t k = 0; k < l.n; k++) {
      double x = cell_number (t, row, l.of[k].column);
      g_string_append_c (to, ',');
      if (!isnan (x))
        stats_csv_number (to, x);
    }
    g_string_append (to, "\r\n");
  }
  return true;
}

static const View view = { .title = "Scatter matrix",
                           .spans = VIEW_OF_INSTANT,
                           .build = scatter_matrix_build,
                           .say = scatter_matrix_say,
                           .point = scatter_matrix_point,
                           .depends = chart_depends,
                           .csv = scatter_matrix_csv };

VIEW_QUERY (scatter_matrix_query, view)

static const EveClass scatter_matrix = {
  VIEW_CLASS (ScatterMatrix),
  .id = "scope.scatter-matrix",
  .label = "Scatter matrix",
  .doc = "Each number of a table against each other, a small scatter for each pair.",
  .help = "In the diagonal stands what the column is, and how its values are distributed.  Of more than 400 rows those "
          "that fall together are one mark, the darker the more they are.",
  CHART_THING_CLASS,
  .query = scatter_matrix_query,
};
EVE_PLUGIN (&scatter_matrix);
