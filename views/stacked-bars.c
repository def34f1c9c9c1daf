/* SPDX-License-Identifier: Apache-2.0 */
/* stacked-bars.c - the columns of a matrix stacked in a bar for each row: which share of its life each task was in each
 * state, or how many tasks are in each now. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "views/chart-matrix.h"
#include "eve/words.h"
#include "views/painter.h"

enum { AS_SHARES, AS_AMOUNTS };

typedef struct StackedBars {
  ChartThing held;
  int32_t as; /* settings */
  char *title;
} StackedBars;

static const EveInSpec ins[] = {
  { "matrix", &stats_type_matrix, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Matrices; the last is shown." },
};
static const char *const ways[] = { "shares", "amounts", NULL };
static const EveField settings[] = {
  { "as", EVE_F_CHOICE, offsetof (StackedBars, as), .choices = ways, .look = true,
    .doc = "Whether a row is 100 % whatever its sum, or as long as its sum." },
  { "title", EVE_F_STRING, offsetof (StackedBars, title), .look = true, .doc = "Empty: that of the matrix." },
};

enum { IN_PART, IN_ROW };
#define LEAST_PX 3.0 /* a row; thinner ones are put together */
#define ROW_MOST 48.0
#define BOTTOM 26.0

typedef struct Layout {
  ChartScale scale;
  double x0, x1, y0, row;
  uint32_t per, n; /* rows of the matrix in one, and such rows */
} Layout;

/* What a part counts with: nothing, where there is nothing or less. */
static double
stacked_bars_part (const StatsMatrix *m, const Layout *l, uint32_t row, uint32_t column)
{
  double x = chart_matrix_value (m, row, column, l->per, 1);

  return x > 0 && isfinite (x) ? x : 0;
}

static double
stacked_bars_sum_of (const StatsMatrix *m, const Layout *l, uint32_t row)
{
  double sum = 0;

  for (uint32_t k = 0; k < m->n_columns; k++)
    sum += stacked_bars_part (m, l, row, k);
  return sum;
}

static void
stacked_bars_lay_out (const StackedBars *v, Paint *p, const StatsMatrix *m, double top, Layout *l)
{
  const ViewScene *scene = p->scene;
  double names = 0, most = 0, high = fmax (scene->height_px - top - BOTTOM, 10);

  *l = (Layout){ .y0 = top };
  l->per = (uint32_t) fmax (ceil (m->n_rows * LEAST_PX / high), 1);
  l->n = (m->n_rows + l->per - 1) / l->per;
  l->row = fmin (high / l->n, ROW_MOST);
  for (uint32_t i = 0; i < MIN (l->n, 300); i++) {
    g_autofree char *name = chart_matrix_name_of (p->scene, m, false, i, l->per);
    names = fmax (names, paint_text_width (p, PAINT_TEXT, name));
  }
  for (uint32_t i = 0; v->as == AS_AMOUNTS && i < l->n; i++)
    most = fmax (most, stacked_bars_sum_of (m, l, i));
  l->x0 = 22 + fmin (names, scene->width_px * 0.3);
  l->x1 = fmax (scene->width_px - 20, l->x0 + 20);
  chart_scale (&l->scale, 0, v->as == AS_SHARES ? 100 : most, v->as == AS_SHARES ? "%" : m->unit,
               (int) CLAMP (scene->width_px / 110, 2, 11));
}

/* Of a state its own colour, as everywhere. */
static uint32_t
stacked_bars_colour_of (const ViewScene *scene, const StatsMatrix *m, uint32_t column)
{
  const char *attribute = NULL, *value = NULL;
  TraceRef owner = chart_matrix_owner (m, true, column, 1);

  if (owner.type == TRACE_REF_VALUE)
    value = trace_ref_named_by (owner, &attribute);
  if (value != NULL && g_strcmp0 (attribute, paint_state_attribute (scene->graph, STATE_NODE)) == 0)
    return paint_state_named (scene, STATE_NODE, value);
  return chart_colour_of (scene, owner, chart_matrix_name (m, true, column), column, MAX (m->n_columns, 2));
}

static DrawingTag
stacked_bars_tag_of (const StatsMatrix *m, const Layout *l, uint32_t row, uint32_t column)
{
  DrawingTag tag = { DRAWING_NO_DATES, .what = chart_matrix_owner (m, false, row, l->per),
                     .index = row * (m->n_columns + 1), .part = IN_ROW };
  TraceRef owner = column < m->n_columns ? chart_matrix_owner (m, true, column, 1) : (TraceRef){ 0 };

  if (column == m->n_columns)
    return tag;
  tag.index += column + 1;
  tag.part = IN_PART;
  if (owner.type == TRACE_REF_VALUE)
    tag.value = trace_ref_named_by (owner, &tag.attribute);
  return tag;
}

static bool
is_back (const ViewScene *scene, const StatsMatrix *m, const Layout *l, uint32_t row, uint32_t column, bool any_row,
         bool any_column)
{
  return (any_row && !chart_matrix_is_chosen (scene, m, false, row, l->per))
         || (any_column && !chart_matrix_is_chosen (scene, m, true, column, 1));
}

static bool
any_chosen (const ViewScene *scene, const StatsMatrix *m, bool column)
{
  return trace_refs_n (scene->selection) > 0
         && chart_matrix_is_chosen (scene, m, column, 0, column ? m->n_columns : m->n_rows);
}

static void
stacked_bars_draw_row (const StackedBars *v, Drawing *d, Paint *p, const StatsMatrix *m, const Layout *l, uint32_t i,
                       bool any_row, bool any_column)
{
  double sum = stacked_bars_sum_of (m, l, i),
         gap = l->row >= 8   ? fmin (l->row * 0.25, 6)
               : l->row >= 4 ? 1
                             : 0,
         at = l->x0;
  double y = l->y0 + l->row * i + gap / 2, h = l->row - gap;
  double all = v->as == AS_SHARES ? sum : l->scale.hi;
  DrawingTag whole = stacked_bars_tag_of (m, l, i, m->n_columns);

  drawing_area (d, l->x0, l->y0 + l->row * i, l->x1 - l->x0, l->row, &whole);
  if (!(sum > 0) && h >= 14) /* a row of nothing, as nobody lives any more, is not one that was forgotten */
    paint_text (p, l->x0 + 6, y + h / 2, 0, PAINT_SMALL, p->muted, 0, "0");
  for (uint32_t k = 0; sum > 0 && k < m->n_columns; k++) {
    double x = stacked_bars_part (m, l, i, k),
           wide = (l->x1 - l->x0) * (v->as == AS_SHARES ? x / all * 100 / l->scale.hi : x / all);
    uint32_t rgb = stacked_bars_colour_of (p->scene, m, k);
    DrawingTag tag = stacked_bars_tag_of (m, l, i, k);
    if (x == 0)
      continue;
    drawing_rect (d, at, y, wide, h, rgb, is_back (p->scene, m, l, i, k, any_row, any_column) ? 0.35 : 1,
                  wide >= 1 ? &tag : NULL);
    g_autofree char *number = v->as == AS_SHARES ? chart_number (100 * x / sum, "%") : chart_number (x, m->unit);
    if (h >= 14 && paint_text_width (p, PAINT_SMALL, number) < wide - 6)
      paint_text (p, at + wide / 2, y + h / 2, 0.5, PAINT_SMALL, paint_ink_on (rgb), 0, number);
    at += wide;
  }
}

#define FAR 25.0 /* percent of a whole */
#define FLAG_PX 6.0

/* Where a row is the mean of several, the column in which one of them is so far from it that the mean hides it;
 * TRACE_NONE: in none. */
static uint32_t
odd_column (const StatsMatrix *m, const Layout *l, uint32_t row, double *value, uint32_t *who)
{
  uint32_t odd = TRACE_NONE, of, k;
  double most = FAR, x;

  for (uint32_t column = 0; l->per > 1 && column < m->n_columns; column++) {
    double mean = chart_matrix_value (m, row, column, l->per, 1);
    if (!chart_matrix_furthest (m, row, column, l->per, 1, &x, &of, &k) || x - mean < most)
      continue;
    most = x - mean; /* who has less of one thing has more of another, which tells more */
    odd = column;
    *value = x;
    *who = of;
  }
  return odd;
}

/* A flag behind the row, in the colour of what one of them has more of. */
static void
stacked_bars_draw_odd (Drawing *d, Paint *p, const StatsMatrix *m, const Layout *l, uint32_t i)
{
  double x;
  uint32_t who, column = odd_column (m, l, i, &x, &who);

  if (column == TRACE_NONE)
    return;
  DrawingTag tag = stacked_bars_tag_of (m, l, i, column);
  drawing_rect (d, l->x1 + 4, l->y0 + l->row * i, FLAG_PX, fmax (l->row, 2),
                stacked_bars_colour_of (p->scene, m, column), 1, &tag);
}

static void
stacked_bars_draw_names (Drawing *d, Paint *p, const StatsMatrix *m, const Layout *l)
{
  double above = -1e9;

  for (uint32_t i = 0; i < l->n; i++) {
    double y = l->y0 + l->row * (i + 0.5);
    bool chosen = chart_matrix_is_chosen (p->scene, m, false, i, l->per);
    DrawingTag tag = stacked_bars_tag_of (m, l, i, m->n_columns);
    if (chosen)
      drawing_rect (d, l->x0 - 5, l->y0 + l->row * i, 3, fmax (l->row - 1, 1), DRAWING_ACCENT, 1, NULL);
    drawing_area (d, 4, l->y0 + l->row * i, l->x0 - 8, l->row, &tag);
    if (y - above < 14)
      continue;
    g_autofree char *name = chart_matrix_name_of (p->scene, m, false, i, l->per);
    paint_text (p, l->x0 - 8, y, 1, (chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT) | PAINT_NAME, p->ink, l->x0 - 16,
                name);
    above = y;
  }
}

static bool
stacked_bars_is_met (const StatsMatrix *m, uint32_t column)
{
  for (uint32_t i = 0; i < m->n_rows; i++)
    if (m->values[(size_t) i * m->n_columns + column] > 0)
      return true;
  return false;
}

/* The columns by name, in a line or two; gives where it ends. */
static double
stacked_bars_draw_legend (Drawing *d, Paint *p, const StatsMatrix *m)
{
  double x = 12, y = CHART_TOP + 5;

  for (uint32_t k = 0; k < m->n_columns; k++) {
    const char *name = chart_matrix_word (p->scene, m, true, k);
    TraceRef owner = chart_matrix_owner (m, true, k, 1);
    bool chosen = chart_matrix_is_chosen (p->scene, m, true, k, 1);
    DrawingTag tag = { DRAWING_NO_DATES, .what = owner, .index = k, .part = DRAWING_LEGEND };
    double wide = 15 + fmin (paint_text_width (p, PAINT_TEXT, name), 160) + 16;
    if (!stacked_bars_is_met (m, k))
      continue;
    if (owner.type == TRACE_REF_VALUE)
      tag.value = trace_ref_named_by (owner, &tag.attribute);
    if (x + wide > p->scene->width_px - 40 && x > 12) {
      if (y > CHART_TOP + 20) {
        g_autofree char *more = g_strdup_printf ("+%u", m->n_columns - k);
        paint_text (p, x, y, 0, PAINT_TEXT, p->muted, 0, more);
        for (; k < m->n_columns; k++)
          if (stacked_bars_is_met (m, k))
            paint_unnamed (p, stacked_bars_colour_of (p->scene, m, k), chart_matrix_word (p->scene, m, true, k));
        break;
      }
      x = 12;
      y += 18;
    }
    drawing_rect (d, x, round (y) - 5, 10, 10, stacked_bars_colour_of (p->scene, m, k), 1, NULL);
    paint_text (p, x + 15, y, 0, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, p->ink, 160, name);
    drawing_area (d, x, y - 9, wide - 12, 18, &tag);
    x += wide;
  }
  return y + 16;
}

static bool
stacked_bars_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  StackedBars *v = (StackedBars *) c;
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  Paint *p = drawing_begin (d);
  Layout l;

  if (m == NULL || m->n_rows == 0 || m->n_columns == 0) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, m == NULL ? chart_when (p->scene, N_ ("No matrix has come yet: go on in time"),
                                               N_ ("No matrix has come in the whole execution"))
                                 : N_ ("The matrix is empty"));
    return true;
  }
  stacked_bars_lay_out (v, p, m, stacked_bars_draw_legend (d, p, m), &l);
  bool odd = false;
  double x;
  for (uint32_t i = 0, who; i < l.n && !odd; i++)
    odd = odd_column (m, &l, i, &x, &who) != TRACE_NONE;
  g_autofree char *together = l.per > 1 && odd ? paint_told (
                                  _ ("%u rows, means of %u; a flag: one is far from its mean"), m->n_rows, l.per)
                              : l.per > 1 ? paint_told (P_ ("%u row, %s of %u", "%u rows, %s of %u", m->n_rows),
                                                        m->n_rows, m->means ? _ ("means") : _ ("sums"), l.per)
                              : chart_matrix_is_folded (m)
                                  ? paint_told (P_ ("%u row, %s of groups", "%u rows, %s of groups", m->n_rows),
                                                m->n_rows, m->means ? _ ("means") : _ ("sums"))
                                  : NULL;
  chart_thing_title (p, c, v->title, m->title, m->date, together);
  chart_scale_x (p, &l.scale, l.x0, l.x1, l.y0, l.y0 + l.row * l.n);
  bool any_row = any_chosen (scene, m, false), any_column = any_chosen (scene, m, true);
  if (l.row < 4) /* no seams between rows that touch */
    cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE);
  for (uint32_t i = 0; i < l.n; i++)
    stacked_bars_draw_row (v, d, p, m, &l, i, any_row, any_column);
  for (uint32_t i = 0; odd && i < l.n; i++)
    stacked_bars_draw_odd (d, p, m, &l, i);
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
  stacked_bars_draw_names (d, p, m, &l);
  bool any = false;
  for (uint32_t i = 0; i < l.n && !any; i++)
    any = stacked_bars_sum_of (m, &l, i) > 0;
  if (!any)
    paint_sentence (p, chart_when (p->scene, N_ ("All of it is 0 until this instant: go on in time"),
                                   N_ ("All of it is 0 in the whole execution")));
  return true;
}

/* False: there is no matrix. */
static bool
stacked_bars_lay_out_again (StackedBars *v, const ViewScene *scene, Layout *l)
{
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  g_autoptr (Drawing) none = NULL;

  if (m == NULL || m->n_rows == 0 || m->n_columns == 0)
    return false;
  none = drawing_new (scene, NULL, 0);
  Paint *p = drawing_begin (none);
  stacked_bars_lay_out (v, p, m, stacked_bars_draw_legend (none, p, m), l);
  return true;
}

static void
stacked_bars_say (EveComponent *c, const ViewScene *scene, const DrawingMark *mark, GString *name, GString *facts)
{
  StackedBars *v = (StackedBars *) c;
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  Layout l;

  if (!stacked_bars_lay_out_again (v, scene, &l))
    return;
  if (mark->tag.part == DRAWING_LEGEND) {
    g_string_append_printf (name, _ ("column %s"),
                            mark->tag.index < m->n_columns ? chart_matrix_word (scene, m, true, mark->tag.index) : "");
    return;
  }
  uint32_t row = mark->tag.index / (m->n_columns + 1), column = mark->tag.index % (m->n_columns + 1);
  if (row >= l.n)
    return;
  double sum = stacked_bars_sum_of (m, &l, row);
  g_autofree char *who = chart_matrix_name_of (scene, m, false, row, l.per);
  g_string_append (name, *who ? who : _ ("row"));
  double furthest;
  uint32_t odd_one, odd = facts != NULL ? odd_column (m, &l, row, &furthest, &odd_one) : TRACE_NONE;
  if (odd != TRACE_NONE) {
    g_autofree char *number = chart_number (furthest, m->unit);
    g_string_append_printf (facts, _ ("Most %s\t%s, %s\n"), chart_matrix_word (scene, m, true, odd),
                            chart_matrix_word (scene, m, false, odd_one), number);
  }
  for (uint32_t k = 0; k < m->n_columns; k++) {
    double x = stacked_bars_part (m, &l, row, k);
    g_autofree char *number = chart_number (x, m->unit), *share = chart_number (sum > 0 ? 100 * x / sum : NAN, "%");
    if (column > 0 && k == column - 1) {
      g_string_append_printf (name, _ (", %s: %s"), chart_matrix_word (scene, m, true, k), number);
      if (strcmp (number, share) != 0)
        g_string_append_printf (name, ", %s", share);
    } else if (facts != NULL && x > 0) {
      g_string_append_printf (facts, "%s\t%s\n", chart_matrix_word (scene, m, true, k), number);
    }
  }
}

/* Of a part its row; of a row that stands for several all of them. */
static void
stacked_bars_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *mark, TraceRefs *to)
{
  StackedBars *v = (StackedBars *) c;
  const StatsMatrix *m = chart_matrix_shown (&v->held, scene);
  Layout l;

  if (mark->tag.part == DRAWING_LEGEND || !stacked_bars_lay_out_again (v, scene, &l)
      || mark->tag.index / (m->n_columns + 1) >= l.n)
    return;
  chart_matrix_add_owners (m, false, mark->tag.index / (m->n_columns + 1), l.per, to);
}

static const View view = { .title = "Stacked bars",
                           .spans = VIEW_OF_INSTANT,
                           .build = stacked_bars_build,
                           .say = stacked_bars_say,
                           .owners = stacked_bars_owners,
                           .depends = chart_depends,
                           .csv = chart_matrix_csv };

VIEW_QUERY (stacked_bars_query, view)

static const EveClass stacked_bars = {
  VIEW_CLASS (StackedBars),
  .id = "scope.stacked-bars",
  .label = "Stacked bars",
  .doc = "The columns of a matrix stacked in a bar for each row, as shares of the row or as amounts.",
  .help =
      "The output `balance` of State Durations gives the utilization summary, `meter` of Concurrency the "
      "utilization meter.  Rows that would be thinner than 3 pixels are put together, as means of shares or sums of "
      "amounts, which the first line says; a flag behind such a row tells that one of them has a quarter of its time, "
      "or "
      "more, more of something than the mean has, in the colour of that.",
  CHART_THING_CLASS,
  .query = stacked_bars_query,
};
EVE_PLUGIN (&stacked_bars);
