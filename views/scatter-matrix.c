/* SPDX-License-Identifier: Apache-2.0 */
/* scatter-matrix.c - each number of a table against each other: a small scatter for every pair of columns (Pablo). */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "eve/words.h"
#include "statistics/list.h"
#include "views/painter.h"
#include "views/table-fold.h"

#define MOST 8    /* columns against each other */
#define USUAL 4   /* where none are chosen */
#define FEW 400   /* rows up to which each is a dot that can be pointed at */
#define PIXEL 3.0 /* px: of more rows, those that fall together are one mark */
#define BINS 12

typedef struct Range {
  uint32_t column;
  double lo, hi;
} Range;

typedef struct Chosen {
  Range of[MOST];
  uint32_t n, left_out; /* left_out: columns with numbers that there was no place for */
  uint64_t table;       /* of what: the serial of a table, */
  char *columns;        /* and the setting; NULL: nothing was chosen yet */
} Chosen;

typedef struct ScatterMatrix {
  ChartThing held;
  char *columns, *title; /* settings */
  TableFolded folded;
  Chosen chosen; /* kept, as each dot that is asked for needs it, and it looks through all rows */
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

typedef struct Layout {
  const Range *of;
  uint32_t n, left_out;
  double x0, y0, width, height, gap;
  const StatsTable *all, *t; /* each task; and what is shown, where a closed group is a row, */
  const TableFold *fold;     /* made by this; NULL: they are the same */
} Layout;

static void
scatter_matrix_finish (EveComponent *c)
{
  table_folded_clear (&((ScatterMatrix *) c)->folded);
  g_clear_pointer (&((ScatterMatrix *) c)->chosen.columns, g_free);
  chart_thing_finish (c);
}

static double
scatter_matrix_number (const StatsTable *t, uint32_t row, uint32_t column)
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

/* Of what is shown: of a group the mean, whatever is counted. */
static double
cell_number (const Layout *l, uint32_t row, uint32_t column)
{
  bool group = l->fold != NULL && l->fold->part[row] != TRACE_NONE;

  return group ? l->fold->mean[(size_t) row * l->t->n_columns + column] : scatter_matrix_number (l->t, row, column);
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
    double x = scatter_matrix_number (t, i, column);
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
scatter_matrix_choose (ScatterMatrix *v, const StatsTable *t)
{
  Chosen *l = &v->chosen;

  if (l->columns != NULL && l->table == v->held.serial && strcmp (l->columns, v->columns) == 0)
    return;
  g_free (l->columns);
  *l = (Chosen){ .table = v->held.serial, .columns = g_strdup (v->columns) };
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

/* The axes are those of all tasks: what is alone stays where it is while groups open.  False: no table has come. */
static bool
scatter_matrix_lay_out (ScatterMatrix *v, const ViewScene *scene, Layout *l)
{
  *l = (Layout){ .x0 = 16, .y0 = CHART_TOP + 4, .gap = 6, .all = v->held.thing };
  if (l->all == NULL)
    return false;
  l->t = table_folded (&v->folded, &v->held, scene);
  l->fold = v->folded.fold;
  scatter_matrix_choose (v, l->all);
  l->of = v->chosen.of;
  l->n = v->chosen.n;
  l->left_out = v->chosen.left_out;
  uint32_t n = MAX (l->n, 1);
  l->width = fmax ((scene->width_px - l->x0 - 16 - l->gap * (n - 1)) / n, 12);
  l->height = fmax ((scene->height_px - l->y0 - 14 - l->gap * (n - 1)) / n, 12);
  return true;
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

static double
scatter_matrix_x_at (const Layout *l, uint32_t k, double x)
{
  return left_of (l, k) + l->width * scatter_matrix_share_of (&l->of[k], x);
}

static double
scatter_matrix_y_at (const Layout *l, uint32_t i, double y)
{
  return scatter_matrix_top_of (l, i) + l->height * (1 - scatter_matrix_share_of (&l->of[i], y));
}

/* False: one of both is no number. */
static bool
spot_of (const Layout *l, uint32_t row, uint32_t i, uint32_t k, double *x, double *y)
{
  double across = cell_number (l, row, l->of[k].column), up = cell_number (l, row, l->of[i].column);

  if (!isfinite (across) || !isfinite (up))
    return false;
  *x = scatter_matrix_x_at (l, k, across);
  *y = scatter_matrix_y_at (l, i, up);
  return true;
}

static DrawingTag
scatter_matrix_tag_of (const Layout *l, uint32_t row, uint32_t pair)
{
  return (DrawingTag){ DRAWING_NO_DATES, .what = stats_table_owner (l->t, row, false),
                       .other = stats_table_owner (l->t, row, true), .index = row, .part = pair };
}

/* ---- drawing ---------------------------------------------------------------------------------------------------------------- */

/* Of a group: how far its tasks are from their mean. */
static void
draw_extremes (Drawing *d, const Layout *l, uint32_t row, uint32_t i, uint32_t k, double x, double y, uint32_t rgb)
{
  size_t across = (size_t) row * l->t->n_columns + l->of[k].column,
         up = (size_t) row * l->t->n_columns + l->of[i].column;

  chart_swarm_draw (d, x, y, scatter_matrix_x_at (l, k, l->fold->least[across]),
                    scatter_matrix_x_at (l, k, l->fold->most[across]), scatter_matrix_y_at (l, i, l->fold->most[up]),
                    scatter_matrix_y_at (l, i, l->fold->least[up]), rgb);
}

static void
draw_dots (const ScatterMatrix *v, Drawing *d, Paint *p, const Layout *l, uint32_t i, uint32_t k, bool chosen)
{
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double r = fmin (4, fmin (l->width, l->height) / 24 + 1.5), x, y;

  for (uint32_t row = 0; row < l->t->n_rows; row++) {
    DrawingTag tag = scatter_matrix_tag_of (l, row, i * MOST + k);
    if (!spot_of (l, row, i, k, &x, &y) || table_folded_stands_out (&v->folded, l->all, p->scene, &tag) != chosen)
      continue;
    if (chosen)
      drawing_disc (d, x, y, r + 3, DRAWING_ACCENT, 0.55, NULL);
    if (table_folded_is_group (&v->folded, row))
      draw_extremes (d, l, row, i, k, x, y, rgb);
    drawing_disc (d, x, y, r, rgb, l->t->n_rows > 64 && !chosen ? 0.6 : 1, &tag);
  }
}

/* Many rows: how many fall on each few pixels; one alone is seen as well as thousands are. */
static void
draw_density (Paint *p, const Layout *l, uint32_t i, uint32_t k)
{
  uint32_t columns = (uint32_t) fmax (l->width / PIXEL, 1), rows = (uint32_t) fmax (l->height / PIXEL, 1), most = 1;
  g_autofree uint32_t *count = g_new0 (uint32_t, (size_t) columns * rows);
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double x, y;

  for (uint32_t row = 0; row < l->t->n_rows; row++) {
    if (!spot_of (l, row, i, k, &x, &y))
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

/* In the diagonal: what it is, from where to where, and how its values are distributed, those of each task. */
static void
scatter_matrix_draw_name (Paint *p, const Layout *l, uint32_t i)
{
  const StatsTable *t = l->all;
  const Range *r = &l->of[i];
  const StatsColumn *column = &t->columns[r->column];
  double x = left_of (l, i), y = scatter_matrix_top_of (l, i), foot = l->height > 80 ? 22 : 4,
         room = l->height - foot - 30;
  uint32_t count[BINS] = { 0 }, most = 1;
  g_autofree char *least = chart_number (r->lo, column->unit), *largest = chart_number (r->hi, column->unit);

  for (uint32_t row = 0; row < t->n_rows && room > 12; row++) {
    double v = scatter_matrix_number (t, row, r->column);
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
draw_pair (const ScatterMatrix *v, Drawing *d, Paint *p, const Layout *l, uint32_t i, uint32_t k)
{
  if (l->t->n_rows <= FEW)
    draw_dots (v, d, p, l, i, k, false);
  else if (drawing_is_painted (d))
    draw_density (p, l, i, k);
  if (trace_refs_n (p->scene->selection) > 0)
    draw_dots (v, d, p, l, i, k, true);
}

static bool
scatter_matrix_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  ScatterMatrix *v = (ScatterMatrix *) c;
  Paint *p = drawing_begin (d);
  Layout l;
  bool come = scatter_matrix_lay_out (v, scene, &l);
  const StatsTable *t = l.t;

  if (!come || t->n_rows == 0) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, !come ? chart_when (p->scene, N_ ("No table has come yet: go on in time"),
                                           N_ ("No table has come in the whole execution"))
                             : N_ ("The table is empty"));
    return true;
  }
  g_autofree char *count = paint_told (P_ ("%u row", "%u rows", t->n_rows), t->n_rows);
  g_autofree char *all = l.left_out > 0 ? paint_told (_ ("%s · %u of %u columns"), count, l.n, l.n + l.left_out)
                                        : g_strdup (count);
  const char *alone = l.fold != NULL ? _ ("groups: means, and from least to most of their tasks")
                      : t->n_rows > 1 && stats_table_owner (t, 0, false).type == TRACE_REF_TASK ? paint_alone (scene)
                                                                                                : NULL;
  g_autofree char *more = paint_joined (all, alone);
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
        scatter_matrix_draw_name (p, &l, i);
      else
        draw_pair (v, d, p, &l, i, k);
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
  double best = 6 * 6, px, py;
  uint32_t i, k, found = TRACE_NONE;
  Layout l;

  if (!scatter_matrix_lay_out ((ScatterMatrix *) c, scene, &l) || l.t->n_rows <= FEW)
    return false;
  if (l.n < 2 || !box_at (&l, x, y, &i, &k))
    return false;
  for (uint32_t row = 0; row < l.t->n_rows; row++) {
    if (!spot_of (&l, row, i, k, &px, &py))
      continue;
    double far = (px - x) * (px - x) + (py - y) * (py - y);
    if (far < best) {
      best = far;
      found = row;
    }
  }
  if (found == TRACE_NONE || !spot_of (&l, found, i, k, &px, &py))
    return false;
  DrawingTag tag = scatter_matrix_tag_of (&l, found, i * MOST + k);
  *mark = drawing_mark_of (px - 3, py - 3, 6, 6, &tag);
  return true;
}

static void
scatter_matrix_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  uint32_t row = m->tag.index, i = m->tag.part / MOST, k = m->tag.part % MOST;
  Layout l;

  if (!scatter_matrix_lay_out ((ScatterMatrix *) c, scene, &l) || row >= l.t->n_rows || i >= l.n || k >= l.n)
    return;
  stats_table_cell_text (l.t, row, 0, name);
  for (int which = 0; which < 2; which++) {
    uint32_t column = l.of[which == 0 ? k : i].column;
    size_t cell = (size_t) row * l.t->n_columns + column;
    const char *unit = l.t->columns[column].unit;
    g_autofree char *is = chart_number (cell_number (&l, row, column), unit);
    g_string_append_printf (name, "%s %s ", which == 0 ? ":" : ",", l.t->columns[column].name);
    if (l.fold != NULL && table_fold_differs (l.fold, row, column)) {
      g_autofree char *least = chart_number (l.fold->least[cell], unit),
                      *most = chart_number (l.fold->most[cell], unit);
      g_string_append_printf (name, _ ("%s, %s to %s"), is, least, most);
    } else {
      g_string_append (name, is);
    }
  }
}

/* The tasks of a group. */
static void
scatter_matrix_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  ScatterMatrix *v = (ScatterMatrix *) c;
  const StatsTable *t = table_folded (&v->folded, &v->held, scene);

  if (t != NULL && m->tag.index < t->n_rows && table_folded_is_group (&v->folded, m->tag.index))
    table_folded_owners (&v->folded, v->held.thing, m->tag.index, to);
}

/* The first column, and those that are shown, of each task. */
static bool
scatter_matrix_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  Layout l;

  if (!scatter_matrix_lay_out ((ScatterMatrix *) c, scene, &l))
    return true;
  const StatsTable *t = l.all;
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
      double x = scatter_matrix_number (t, row, l.of[k].column);
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
                           .owners = scatter_matrix_owners,
                           .point = scatter_matrix_point,
                           .depends = chart_depends,
                           .csv = scatter_matrix_csv };

VIEW_QUERY (scatter_matrix_query, view)

static const EveClass scatter_matrix = {
  VIEW_CLASS (ScatterMatrix),
  .id = "scope.scatter-matrix",
  .label = "Scatter matrix",
  .doc = "Each number of a table against each other, a small scatter for each pair.",
  .help =
      "In the diagonal stands what the column is, and how its values are distributed.  Of more than 400 rows those "
      "that fall together are one mark, the darker the more they are.  A closed group is a dot, the mean of its tasks, "
      "in a cross from the least to the most of them.",
  .init = chart_thing_init,
  .finish = scatter_matrix_finish,
  .reset = chart_thing_reset,
  .save = chart_thing_save,
  .load = chart_thing_load,
  .query = scatter_matrix_query,
};
EVE_PLUGIN (&scatter_matrix);
