/* SPDX-License-Identifier: Apache-2.0 */
/* matrix-view.c - a number for each pair, as a shade: who sends how much to whom. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "views/chart-matrix.h"
#include "views/contour.h"
#include "eve/words.h"
#include "views/groups.h"
#include "views/painter.h"

typedef struct Layout {
  double x0, y0, cell_w, cell_h;
  uint32_t n_rows, n_columns;   /* of cells drawn */
  uint32_t per_row, per_column; /* rows and columns of the matrix in one */
  double lo, hi;                /* of what is drawn, logarithms if they are shown */
  uint32_t rest; /* the column of a state in which nothing goes on, which has no part in this; or TRACE_NONE */
  double heads;  /* px of the names of columns, if these stand upright; 0: they lie */
} Layout;

typedef struct MatrixView {
  ChartThing held;
  int32_t as; /* settings */
  bool logarithmic, numbers;
  char *title;
  Layout laid; /* the last, of such a matrix and size: cells are told one after the other */
  const void *laid_for;
  uint64_t laid_cut;
  double laid_width_px, laid_height_px;
  uint32_t laid_rows, laid_columns;
} MatrixView;

enum { SHADES, SIZES, CONTOUR };
static const char *const as_names[] = { "shades", "sizes", "contour", NULL };
static const EveInSpec ins[] = {
  { "matrix", &stats_type_matrix, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Matrices; the last is shown." },
};
static const EveField settings[] = {
  { "as", EVE_F_CHOICE, offsetof (MatrixView, as), .choices = as_names, .look = true,
    .doc =
        "A shade for each number; a square as large as it is; or lines of equal height, for what changes little from "
        "a row to the next." },
  { "logarithmic", EVE_F_BOOL, offsetof (MatrixView, logarithmic), .look = true,
    .doc = "Shades by the logarithm of the values." },
  { "numbers", EVE_F_BOOL, offsetof (MatrixView, numbers), .def = 1, .look = true,
    .doc = "Writes the numbers where there is room." },
  { "title", EVE_F_STRING, offsetof (MatrixView, title), .look = true, .doc = "Empty: that of the matrix." },
};

#define SCALE_W 92.0
#define CELL_W 160.0 /* px at most */
#define CELL_H 90.0
#define LEAST_PX 3.0 /* a cell; smaller ones are put together */

static double
measure_of (const MatrixView *v, double x)
{
  return v->logarithmic ? x > 0 ? log10 (x) : NAN : x;
}

/* Whether a column is of a state in which nothing goes on: it is grey, and what goes on has all of the shades. */
static bool
matrix_view_is_rest (const ViewScene *scene, const StatsMatrix *m, const Layout *l, uint32_t column)
{
  const StateGraph *g = scene->graph;
  const char *attribute = NULL, *name = NULL;
  int state = g != NULL ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;

  if (m->column_owners != NULL && l->per_column == 1 && m->column_owners[column].n == 1)
    name = trace_ref_named_by (m->column_owners[column].first, &attribute);
  for (uint32_t i = 0; name != NULL && attribute != NULL && state >= 0 && i < g->model->attributes[state].n_values;
       i++) {
    const StateValue *value = &g->model->attributes[state].values[i];
    if (value->sense != STATE_SENSE_NONE && strcmp (value->name, name) == 0)
      return value->sense == STATE_SENSE_REST || value->sense == STATE_SENSE_GONE;
  }
  return false;
}

/* How wide the names of rows or columns are, of which `per` stand together: of 300 of them, from the first to the last.
 */
static double
matrix_view_widest_name (Paint *p, const StatsMatrix *m, bool column, uint32_t per)
{
  uint32_t n = ((column ? m->n_columns : m->n_rows) + per - 1) / per, step = MAX (n / 300, 1);
  double widest = 0;

  for (uint32_t k = 0; k < n; k += step) {
    g_autofree char *name = chart_matrix_name_of (p->scene, m, column, n - 1 - k, per);
    widest = fmax (widest, paint_text_width (p, PAINT_TEXT, name));
  }
  return widest;
}

/* Names of columns stand upright where one that is wider than its cell would hide those beside it. */
static double
upright_heads (const Paint *p, double widest, double cell)
{
  return widest <= cell - 6 ? 0 : fmin (fmin (widest, 170), p->scene->height_px * 0.25);
}

/* How many rows or columns stand together, where there is so much room. */
static uint32_t
matrix_view_together (uint32_t n, double room)
{
  return (uint32_t) fmax (ceil (n * LEAST_PX / fmax (room, 10)), 1);
}

static void
matrix_view_lay_out (MatrixView *v, Paint *p, const StatsMatrix *m, Layout *l)
{
  const ViewScene *scene = p->scene;
  double names, right, bottom = scene->height_px - 14;

  *l = (Layout){ .lo = INFINITY, .hi = -INFINITY };
  names = matrix_view_widest_name (p, m, false, matrix_view_together (m->n_rows, bottom - CHART_TOP - 22));
  right = scene->width_px - 16 - (scene->width_px > 360 ? SCALE_W : 0);
  /* names have the room that the widest cells leave, at least a quarter */
  l->x0 = 14 + fmin (names, fmax (scene->width_px * 0.25, right - 30 - CELL_W * m->n_columns)) + 8;
  l->per_column = matrix_view_together (m->n_columns, right - l->x0);
  l->heads = upright_heads (p, matrix_view_widest_name (p, m, true, l->per_column),
                            fmin (fmax (right - l->x0, 10) * l->per_column / MAX (m->n_columns, 1), CELL_W));
  l->y0 = CHART_TOP + (l->heads > 0 ? l->heads + 14 : 22);
  l->per_row = matrix_view_together (m->n_rows, bottom - l->y0);
  l->n_columns = (m->n_columns + l->per_column - 1) / l->per_column;
  l->n_rows = (m->n_rows + l->per_row - 1) / l->per_row;
  l->cell_w = fmin (fmax (right - l->x0, 10) / MAX (l->n_columns, 1), CELL_W);
  l->cell_h = fmin (fmax (bottom - l->y0, 10) / MAX (l->n_rows, 1), CELL_H);
  uint32_t n_rest = 0;
  l->rest = TRACE_NONE;
  for (uint32_t k = 0; m->means && k < l->n_columns && m->n_columns > 1; k++)
    if (matrix_view_is_rest (scene, m, l, k)) {
      l->rest = k;
      n_rest++;
    }
  if (n_rest > 1) /* with several the shades are of all */
    l->rest = TRACE_NONE;
  for (uint32_t i = 0; i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double x = measure_of (v, chart_matrix_value (m, i, k, l->per_row, l->per_column));
      if (isfinite (x) && k != l->rest) {
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
matrix_view_share_of (const Layout *l, double x)
{
  return l->hi > l->lo ? (x - l->lo) / (l->hi - l->lo) : x != 0 ? 1 : 0;
}

/* ---- whom it is of ------------------------------------------------------------------------------------------------- */

enum { IN_CELL, IN_ROW, IN_COLUMN };
#define CHOSEN_MOST 200 /* selected things whose cells are framed */

static DrawingTag
tag_of_name (const StatsMatrix *m, const Layout *l, bool column, uint32_t i)
{
  return (DrawingTag){ DRAWING_NO_DATES, .what = chart_matrix_owner (m, column, i, column ? l->per_column : l->per_row),
                       .index = i, .part = column ? IN_COLUMN : IN_ROW };
}

static DrawingTag
tag_of_cell (const StatsMatrix *m, const Layout *l, uint32_t i, uint32_t k)
{
  return (DrawingTag){ DRAWING_NO_DATES, .what = chart_matrix_owner (m, false, i, l->per_row),
                       .other = chart_matrix_owner (m, true, k, l->per_column), .index = i * l->n_columns + k,
                       .part = IN_CELL };
}

static DrawingMark
mark_of_cell (const StatsMatrix *m, const Layout *l, uint32_t i, uint32_t k)
{
  DrawingTag tag = tag_of_cell (m, l, i, k);

  return drawing_mark_of (l->x0 + l->cell_w * k, l->y0 + l->cell_h * i, l->cell_w, l->cell_h, &tag);
}

static void
write_upright (Paint *p, double x, double y, double most, int font, const char *name)
{
  cairo_save (p->cr);
  cairo_translate (p->cr, x, y);
  cairo_rotate (p->cr, -G_PI / 2);
  paint_text (p, 0, 0, 0, font | PAINT_NAME, p->ink, most, name);
  cairo_restore (p->cr);
}

/* ---- drawing -------------------------------------------------------------------------------------------------------- */

static void
matrix_view_draw_names (Drawing *d, Paint *p, const StatsMatrix *m, const Layout *l)
{
  double below = -1e9, right = -1e9;

  for (uint32_t i = 0; i < l->n_rows; i++) {
    double y = l->y0 + l->cell_h * (i + 0.5);
    bool chosen = chart_matrix_is_chosen (p->scene, m, false, i, l->per_row);
    DrawingTag tag = tag_of_name (m, l, false, i);
    if (chosen)
      drawing_rect (d, l->x0 - 5, l->y0 + l->cell_h * i, 3, fmax (l->cell_h - 1, 1), DRAWING_ACCENT, 1, NULL);
    drawing_area (d, 4, l->y0 + l->cell_h * i, l->x0 - 8, l->cell_h, &tag);
    bool small = l->cell_h < 14 && l->cell_h >= 11.5;
    if (y - below < (small ? 11.5 : 14))
      continue;
    below = y;
    g_autofree char *name = chart_matrix_name_of (p->scene, m, false, i, l->per_row);
    paint_text (p, l->x0 - 8, y, 1, (small ? PAINT_SMALL : PAINT_TEXT) | (chosen ? PAINT_BOLD : 0) | PAINT_NAME, p->ink,
                l->x0 - (chosen ? 10 : 20), name);
  }
  for (uint32_t k = 0; k < l->n_columns; k++) {
    g_autofree char *name = chart_matrix_name_of (p->scene, m, true, k, l->per_column);
    bool chosen = chart_matrix_is_chosen (p->scene, m, true, k, l->per_column);
    DrawingTag tag = tag_of_name (m, l, true, k);
    int font = chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT;
    double x = l->x0 + l->cell_w * (k + 0.5);
    if (chosen)
      drawing_rect (d, l->x0 + l->cell_w * k, l->y0 - 5, fmax (l->cell_w - 1, 1), 3, DRAWING_ACCENT, 1, NULL);
    /* told when it is pointed at, whether it is written or not */
    drawing_area (d, l->x0 + l->cell_w * k, CHART_TOP, l->cell_w, l->y0 - CHART_TOP - 2, &tag);
    if (x - right < (l->heads > 0 ? 13 : l->cell_w - 0.5))
      continue;
    right = x;
    if (l->heads > 0)
      write_upright (p, x, l->y0 - 7, l->heads, font, name);
    else
      paint_text (p, x, l->y0 - 11, 0.5, font | PAINT_NAME, p->ink, l->cell_w - 4, name);
  }
}

static void
draw_scale (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  double x = p->scene->width_px - SCALE_W + 6, y0 = l->y0, h = fmin (160, p->scene->height_px - l->y0 - 24);

  if (p->scene->width_px <= 360 || h < 40)
    return;
  for (double y = 0; y < h; y++) {
    double share = 1 - y / h;
    if (v->as == CONTOUR)
      share = contour_band (&(Contour){ .lo = l->lo, .hi = l->hi }, l->lo + (l->hi - l->lo) * share);
    paint_source (p->cr, chart_shade (p->scene, share), 1);
    cairo_rectangle (p->cr, x, y0 + y, 14, 1.2);
    cairo_fill (p->cr);
  }
  paint_source (p->cr, p->faint, 1);
  cairo_set_line_width (p->cr, 1);
  cairo_rectangle (p->cr, x + 0.5, floor (y0) + 0.5, 13, floor (h));
  cairo_stroke (p->cr);
  for (int i = 0; i <= (l->hi > l->lo ? 2 : 0); i++) {
    double at = l->hi + (l->lo - l->hi) * i / 2;
    g_autofree char *number = chart_number (v->logarithmic ? pow (10, at) : at, m->unit);
    paint_text (p, x + 20, y0 + h * i / 2, 0, PAINT_SMALL, p->muted, SCALE_W - 28, number);
  }
}

static uint32_t
matrix_view_colour_of (const Paint *p, const Layout *l, uint32_t column, double value, double share)
{
  if (column == l->rest) /* a share of 100 */
    return paint_mix (chart_shade (p->scene, 0), p->faint, CLAMP (value / 100, 0, 1));
  return chart_shade (p->scene, isnan (share) ? 0 : share);
}

/* Cells without gaps: a pixel each, made as large as they are.  What is not known is a dot. */
static void
matrix_view_draw_raster (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) l->n_columns, (int) l->n_rows);
  unsigned char *pixels = cairo_image_surface_get_data (image);
  int stride = cairo_image_surface_get_stride (image);
  cairo_t *cr = p->cr;

  cairo_new_path (cr);
  for (uint32_t i = 0; pixels != NULL && i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double value = chart_matrix_value (m, i, k, l->per_row, l->per_column);
      uint32_t *pixel = (uint32_t *) (void *) (pixels + (ptrdiff_t) stride * i) + k;
      *pixel = isnan (value) ? p->paper
                             : matrix_view_colour_of (p, l, k, value, matrix_view_share_of (l, measure_of (v, value)));
      if (isnan (value))
        cairo_rectangle (cr, l->x0 + l->cell_w * (k + 0.5) - 1, l->y0 + l->cell_h * (i + 0.5) - 1, 2, 2);
    }
  cairo_surface_mark_dirty (image);
  cairo_path_t *dots = cairo_copy_path (cr);
  cairo_save (cr);
  cairo_new_path (cr);
  cairo_rectangle (cr, l->x0, l->y0, l->cell_w * l->n_columns, l->cell_h * l->n_rows);
  cairo_clip (cr);
  cairo_translate (cr, l->x0, l->y0);
  cairo_scale (cr, l->cell_w, l->cell_h);
  cairo_set_source_surface (cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_surface_destroy (image);
  cairo_new_path (cr);
  cairo_append_path (cr, dots);
  cairo_path_destroy (dots);
  paint_source (cr, p->grid, 1);
  cairo_fill (cr);
}

#define FAR 0.25 /* of all shades */

/* A corner of a cell that is a mean, where one of its numbers is so far from it that the shade hides it.  Gives how
 * many there are; `p` NULL: that is all. */
static uint32_t
matrix_view_draw_odd (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  uint32_t n = 0, row, column;
  double x, side = CLAMP (fmin (l->cell_w, l->cell_h) * 0.6, 4, 8);

  for (uint32_t i = 0; m->means && (l->per_row > 1 || l->per_column > 1) && i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double mean = chart_matrix_value (m, i, k, l->per_row, l->per_column);
      if (!chart_matrix_furthest (m, i, k, l->per_row, l->per_column, &x, &row, &column)
          || fabs (matrix_view_share_of (l, measure_of (v, x)) - matrix_view_share_of (l, measure_of (v, mean))) < FAR)
        continue;
      n++;
      if (p == NULL)
        continue;
      double right = l->x0 + l->cell_w * (k + 1), y = l->y0 + l->cell_h * i;
      paint_source (p->cr, p->cursor, 1);
      cairo_move_to (p->cr, right, y);
      cairo_line_to (p->cr, right - side, y);
      cairo_line_to (p->cr, right, y + side);
      cairo_close_path (p->cr);
      cairo_fill (p->cr);
    }
  return n;
}

static void
draw_cells (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  double gap = l->cell_w >= 8 && l->cell_h >= 8 ? 1 : 0;
  cairo_t *cr = p->cr;

  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  cairo_surface_type_t on = cairo_surface_get_type (cairo_get_target (cr));
  bool dense = gap == 0 && on != CAIRO_SURFACE_TYPE_SVG && on != CAIRO_SURFACE_TYPE_PDF;
  if (dense)
    matrix_view_draw_raster (p, v, m, l);
  for (uint32_t i = 0; !dense && i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double x = l->x0 + l->cell_w * k, y = l->y0 + l->cell_h * i,
             value = chart_matrix_value (m, i, k, l->per_row, l->per_column),
             share = matrix_view_share_of (l, measure_of (v, value));
      if (isnan (value)) {
        paint_source (cr, p->grid, 1);
        cairo_rectangle (cr, x + l->cell_w / 2 - 1, y + l->cell_h / 2 - 1, 2, 2);
      } else {
        paint_source (cr, matrix_view_colour_of (p, l, k, value, share), 1);
        cairo_rectangle (cr, x, y, l->cell_w - gap, l->cell_h - gap);
      }
      cairo_fill (cr);
    }
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  for (uint32_t i = 0; v->numbers && l->cell_h >= 16 && l->cell_w >= 34 && i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double value = chart_matrix_value (m, i, k, l->per_row, l->per_column),
             share = matrix_view_share_of (l, measure_of (v, value));
      g_autofree char *number = isnan (value) ? NULL : chart_number (value, m->unit);
      if (number != NULL && value != 0 && paint_text_width (p, PAINT_SMALL, number) < l->cell_w - 4)
        paint_text (p, l->x0 + l->cell_w * (k + 0.5), l->y0 + l->cell_h * (i + 0.5), 0.5, PAINT_SMALL,
                    paint_ink_on (matrix_view_colour_of (p, l, k, value, share)), 0, number);
    }
}

/* A square in the middle of its cell: its area is the number. */
static void
draw_sizes (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  double room = fmin (l->cell_w, l->cell_h) - (l->cell_w >= 8 && l->cell_h >= 8 ? 2 : 0);

  for (uint32_t i = 0; i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++) {
      double value = chart_matrix_value (m, i, k, l->per_row, l->per_column),
             share = matrix_view_share_of (l, measure_of (v, value)), x = l->x0 + l->cell_w * (k + 0.5),
             y = l->y0 + l->cell_h * (i + 0.5), side = isnan (value) ? 2 : room * sqrt (CLAMP (share, 0, 1));
      paint_source (p->cr, isnan (value) ? p->grid : matrix_view_colour_of (p, l, k, value, 0.75), 1);
      if (!isnan (side) && side > 0)
        cairo_rectangle (p->cr, x - side / 2, y - side / 2, side, side);
      cairo_fill (p->cr);
      g_autofree char *number = v->numbers && side >= 16 ? chart_number (value, m->unit) : NULL;
      if (number != NULL && paint_text_width (p, PAINT_SMALL, number) < side - 4)
        paint_text (p, x, y, 0.5, PAINT_SMALL, paint_ink_on (matrix_view_colour_of (p, l, k, value, 0.75)), 0, number);
    }
}

static char *
height_text (const void *of, double level)
{
  const void *const *both = of;
  const MatrixView *v = both[0];
  const StatsMatrix *m = both[1];

  return chart_round (v->logarithmic ? pow (10, level) : level, m->unit);
}

static void
draw_contour (Paint *p, const MatrixView *v, const StatsMatrix *m, const Layout *l)
{
  g_autofree double *values = g_new (double, MAX ((size_t) l->n_rows * l->n_columns, 1));
  const void *of[] = { v, m };

  for (uint32_t i = 0; i < l->n_rows; i++)
    for (uint32_t k = 0; k < l->n_columns; k++)
      values[(size_t) i * l->n_columns + k] = measure_of (v, chart_matrix_value (m, i, k, l->per_row, l->per_column));
  contour_draw (p, &(Contour){ values, l->n_rows, l->n_columns, l->x0, l->y0, l->cell_w, l->cell_h, l->lo, l->hi },
                v->numbers ? height_text : NULL, of);
}

static void
frame_cell (Paint *p, const Layout *l, uint32_t i, uint32_t k)
{
  if (i == TRACE_NONE || k == TRACE_NONE)
    return;
  cairo_rectangle (p->cr, l->x0 + l->cell_w * k, l->y0 + l->cell_h * i, l->cell_w - 1, l->cell_h - 1);
}

/* The cell of a link that is selected, and where a selected one of the rows meets another sort of thing in the columns:
 * a task and a state. */
static void
matrix_view_draw_chosen (Paint *p, const StatsMatrix *m, const Layout *l)
{
  const TraceRefs *s = p->scene->selection;
  uint32_t n = MIN (trace_refs_n (s), CHOSEN_MOST), from, to;

  paint_source (p->cr, DRAWING_ACCENT, 1);
  cairo_set_line_width (p->cr, 2.5);
  for (uint32_t a = 0; a < n; a++) {
    TraceRef ref = trace_refs_at (s, a);
    if (trace_ref_ends (ref, &from, &to)) {
      frame_cell (p, l, chart_matrix_place (m, false, trace_ref_task (ref.source, from), l->per_row),
                  chart_matrix_place (m, true, trace_ref_task (ref.source, to), l->per_column));
      continue;
    }
    uint32_t row = chart_matrix_place (m, false, ref, l->per_row);
    for (uint32_t b = 0; row != TRACE_NONE && b < n; b++)
      if (trace_refs_at (s, b).type != ref.type)
        frame_cell (p, l, row, chart_matrix_place (m, true, trace_refs_at (s, b), l->per_column));
  }
  cairo_stroke (p->cr);
}

static int
matrix_view_by_value (gconstpointer a, gconstpointer b)
{
  double x = ((const double *) a)[0], y = ((const double *) b)[0];

  return (x < y) - (x > y);
}

/* The largest first: the important ones. */
static void
mark_cells (Drawing *d, const StatsMatrix *m, const Layout *l)
{
  size_t n = 0, all = (size_t) l->n_rows * l->n_columns;

  if (drawing_room (d) == 0 || (all > 4096 && drawing_later (d)))
    return;
  g_autofree double *cells = g_new (double, 2 * MAX (all, 1));
  for (size_t i = 0; i < all; i++) {
    double x = chart_matrix_value (m, (uint32_t) (i / l->n_columns), (uint32_t) (i % l->n_columns), l->per_row,
                                   l->per_column);
    if (isnan (x) || x == 0)
      continue;
    cells[2 * n] = x;
    cells[2 * n + 1] = (double) i;
    n++;
  }
  qsort (cells, n, 2 * sizeof *cells, matrix_view_by_value);
  for (size_t i = 0; i < n && drawing_room (d) > 0; i++) {
    DrawingMark mark = mark_of_cell (m, l, (uint32_t) ((size_t) cells[2 * i + 1] / l->n_columns),
                                     (uint32_t) ((size_t) cells[2 * i + 1] % l->n_columns));
    drawing_area (d, mark.left, mark.top, mark.width, mark.height, &mark.tag);
  }
}

/* Whether there is nothing to be seen: one pair of nobody, and no number. */
static bool
matrix_view_is_blank (const StatsMatrix *m)
{
  double x = m->n_rows == 1 && m->n_columns == 1 ? chart_matrix_value (m, 0, 0, 1, 1) : 1;

  return !(isfinite (x) && x != 0);
}

static bool
matrix_view_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  MatrixView *v = (MatrixView *) c;
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  Paint *p = drawing_begin (d);
  Layout l;

  if (m == NULL || m->n_rows == 0 || m->n_columns == 0 || matrix_view_is_blank (m)) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, m == NULL ? chart_when (p->scene, N_ ("No matrix has come yet: go on in time"),
                                               N_ ("No matrix has come in the whole execution"))
                                 : N_ ("The matrix is empty"));
    return true;
  }
  matrix_view_lay_out (v, p, m, &l);
  bool several = l.per_row > 1 || l.per_column > 1;
  g_autofree char *sums = several ? paint_told (_ ("%u × %u, %s of %u × %u"), m->n_rows, m->n_columns,
                                                m->means ? _ ("means") : _ ("sums"), l.per_row, l.per_column)
                          : chart_matrix_is_folded (m) ? paint_told (_ ("%u × %u, %s of groups"), m->n_rows,
                                                                     m->n_columns, m->means ? _ ("means") : _ ("sums"))
                                                       : paint_told ("%u × %u", m->n_rows, m->n_columns);
  bool odd = v->as != SIZES && v->as != CONTOUR && matrix_view_draw_odd (NULL, v, m, &l) > 0;
  g_autofree char *told = g_strconcat (sums, m->flows ? _ (", from row to column") : "",
                                       odd ? _ ("; a corner: one is far from the mean") : NULL, NULL);
  chart_thing_title (p, c, v->title, m->title, m->date, told);
  mark_cells (d, m, &l);
  matrix_view_draw_names (d, p, m, &l);
  if (drawing_is_painted (d))
    (v->as == SIZES ? draw_sizes : v->as == CONTOUR ? draw_contour : draw_cells) (p, v, m, &l);
  if (odd && drawing_is_painted (d))
    matrix_view_draw_odd (p, v, m, &l);
  matrix_view_draw_chosen (p, m, &l);
  bool nothing = !v->logarithmic && l.lo == 0 && l.hi == 0;
  if (v->as != SIZES && !nothing)
    draw_scale (p, v, m, &l);
  if (nothing)
    paint_text (p, l.x0 + l.cell_w * l.n_columns / 2, l.y0 + l.cell_h * l.n_rows / 2, 0.5, PAINT_TEXT, p->muted,
                fmax (l.cell_w * l.n_columns - 8, 20), _ ("All of it is 0 at this instant"));
  return true;
}

/* False: there is no matrix. */
static bool
matrix_view_lay_out_again (EveComponent *c, const ViewScene *scene, Layout *l)
{
  MatrixView *v = (MatrixView *) c;
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  uint64_t cut = scene->groups != NULL ? scene->groups->serial : 0;
  Paint p;

  if (m == NULL || m->n_rows == 0 || m->n_columns == 0)
    return false;
  if (v->laid_for != v->held.thing || v->laid_cut != cut || v->laid_rows != m->n_rows || v->laid_columns != m->n_columns
      || v->laid_width_px != scene->width_px || v->laid_height_px != scene->height_px) {
    paint_measure (&p, scene);
    matrix_view_lay_out (v, &p, m, &v->laid);
    paint_end (&p);
    v->laid_for = v->held.thing;
    v->laid_cut = cut;
    v->laid_rows = m->n_rows;
    v->laid_columns = m->n_columns;
    v->laid_width_px = scene->width_px;
    v->laid_height_px = scene->height_px;
  }
  *l = v->laid;
  return true;
}

static bool
matrix_view_point (EveComponent *c, const ViewScene *scene, double x, double y, DrawingMark *mark)
{
  const StatsMatrix *m = chart_matrix_shown (&((MatrixView *) c)->held, scene);
  Layout l;

  if (!matrix_view_lay_out_again (c, scene, &l))
    return false;
  double column = floor ((x - l.x0) / l.cell_w), row = floor ((y - l.y0) / l.cell_h);
  if (column < 0 || row < 0 || column >= l.n_columns || row >= l.n_rows)
    return false;
  *mark = mark_of_cell (m, &l, (uint32_t) row, (uint32_t) column);
  return true;
}

static void
matrix_view_say (EveComponent *c, const ViewScene *scene, const DrawingMark *mark, GString *name, GString *facts)
{
  const StatsMatrix *m = chart_matrix_shown (&((MatrixView *) c)->held, scene);
  uint32_t i = mark->tag.index;
  Layout l;

  if (!matrix_view_lay_out_again (c, scene, &l))
    return;
  if (mark->tag.part != IN_CELL) {
    bool column = mark->tag.part == IN_COLUMN;
    g_autofree char *one = i < (column ? l.n_columns : l.n_rows)
                               ? chart_matrix_name_of (scene, m, column, i, column ? l.per_column : l.per_row)
                               : NULL;
    g_string_append_printf (name, "%s %s", column ? _ ("column") : _ ("row"), one != NULL ? one : "");
    return;
  }
  if (i >= l.n_rows * l.n_columns)
    return;
  g_autofree char *row = chart_matrix_name_of (scene, m, false, i / l.n_columns, l.per_row),
                  *column = chart_matrix_name_of (scene, m, true, i % l.n_columns, l.per_column),
                  *number = chart_number (
                      chart_matrix_value (m, i / l.n_columns, i % l.n_columns, l.per_row, l.per_column), m->unit);
  g_string_append_printf (name, "%s%s %s: %s", row, m->flows ? _ (" to") : ",", column, number);
  double x;
  uint32_t r, k;
  if (facts != NULL
      && chart_matrix_furthest (m, i / l.n_columns, i % l.n_columns, l.per_row, l.per_column, &x, &r, &k)) {
    g_autofree char *far = chart_number (x, m->unit);
    g_string_append_printf (facts, _ ("Furthest from it\t%s, %s: %s\n"), chart_matrix_word (scene, m, false, r),
                            chart_matrix_word (scene, m, true, k), far);
  }
}

/* Of rows and columns that are put together all. */
static void
matrix_view_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *mark, TraceRefs *to)
{
  const StatsMatrix *m = chart_matrix_shown (&((MatrixView *) c)->held, scene);
  const DrawingTag *t = &mark->tag;
  Layout l;

  if ((t->what.type != TRACE_REF_NONE && t->other.type != TRACE_REF_NONE) || !matrix_view_lay_out_again (c, scene, &l))
    return;
  if (t->part == IN_CELL) {
    chart_matrix_add_owners (m, false, t->index / l.n_columns, l.per_row, to);
    chart_matrix_add_owners (m, true, t->index % l.n_columns, l.per_column, to);
  } else {
    chart_matrix_add_owners (m, t->part == IN_COLUMN, t->index, t->part == IN_COLUMN ? l.per_column : l.per_row, to);
  }
}

static const View view = { .title = "Matrix",
                           .spans = VIEW_OF_INSTANT,
                           .build = matrix_view_build,
                           .say = matrix_view_say,
                           .point = matrix_view_point,
                           .owners = matrix_view_owners,
                           .depends = chart_depends,
                           .csv = chart_matrix_csv };

VIEW_QUERY (matrix_view_query, view)

static const EveClass matrix_view = {
  VIEW_CLASS (MatrixView),
  .id = "scope.matrix-view",
  .label = "Matrix view",
  .doc = "A number for each pair (who sends how much to whom), as a shade.",
  .help = "Rows and columns that would be thinner than 3 pixels are put together: a shade is then the sum of several "
          "numbers, or the mean of several shares, which the first line says, with a corner where one of these is far "
          "from it. A dot is a pair of which nothing is known.",
  CHART_THING_CLASS,
  .query = matrix_view_query,
};
EVE_PLUGIN (&matrix_view);
