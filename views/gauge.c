/* SPDX-License-Identifier: Apache-2.0 */
/* gauge.c - the present value of a number between its extremes (thesis, section 5.1.3): a bar cut into sections, one
 * for what is below the minimum, one up to the present value, one up to the maximum.  The extremes are the gauge's own
 * doing.  A row for each owner, or for each group of tasks that is closed: the mean, and the extremes of all of them.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "views/chart-rows.h"
#include "eve/words.h"

typedef struct Gauge {
  ChartView chart;
  double from, to; /* settings */
  bool show_min, show_max;
  char *title;
} Gauge;

static const EveInSpec ins[] = { CHART_IN };
static const EveField settings[] = {
  { "from", EVE_F_DOUBLE, offsetof (Gauge, from), .look = true,
    .doc = "Left end of the scale; from and to equal: what the values need." },
  { "to", EVE_F_DOUBLE, offsetof (Gauge, to), .look = true, .doc = "Right end of the scale." },
  { "show minimum", EVE_F_BOOL, offsetof (Gauge, show_min), .def = 1, .look = true,
    .doc = "Shows the section of the minimum." },
  { "show maximum", EVE_F_BOOL, offsetof (Gauge, show_max), .def = 1, .look = true,
    .doc = "Shows the section of the maximum." },
  { "title", EVE_F_STRING, offsetof (Gauge, title), .look = true, .doc = "Empty: the name of the box." },
};

#define ROW_MOST 56.0
#define ROW_LEAST 20.0
#define BOTTOM 26.0

typedef struct Layout {
  ChartScale scale;
  double x0, x1, y0, row; /* of the bars */
  GArray *rows;           /* of ChartRow */
  guint n_rows;           /* of them, that have room */
  unsigned differ;        /* chart_differ_in() */
} Layout;

static void
gauge_lay_out (Gauge *g, Paint *p, Layout *l)
{
  const ViewScene *scene = p->scene;
  GArray *rows = l->rows = chart_rows_of (&g->chart, scene, false);
  double lo = g->from, hi = g->to, names = 0, numbers = 0;

  if (!(lo < hi)) {
    lo = 0;
    hi = 0;
    for (guint i = 0; i < rows->len; i++) {
      const ChartRow *r = &g_array_index (rows, ChartRow, i);
      lo = fmin (lo, r->min);
      hi = fmax (hi, r->max);
    }
  }
  const char *unit = rows->len > 0 ? g_array_index (rows, ChartRow, 0).last->unit : NULL;
  if (unit != NULL && strcmp (unit, "%") == 0 && !(g->from < g->to) && lo >= 0 && hi <= 100 && hi > 50)
    hi = 100;
  chart_scale (&l->scale, lo, hi, unit, (int) CLAMP (scene->width_px / 110, 2, 11));
  if (g->from < g->to) {
    l->scale.lo = g->from;
    l->scale.hi = g->to;
  }
  l->row = CLAMP ((scene->height_px - CHART_TOP - BOTTOM) / MAX (rows->len, 1), ROW_LEAST, ROW_MOST);
  l->n_rows = MIN (rows->len, (guint) MAX (1, floor ((scene->height_px - CHART_TOP - BOTTOM) / l->row)));
  l->differ = chart_differ_in (&g->chart);
  for (guint i = 0; i < l->n_rows; i++) {
    ChartRow *r = &g_array_index (rows, ChartRow, i);
    g_autofree char *number = chart_number (r->x, r->last->unit);
    const char *name = chart_row_name (scene, r, l->differ);
    if (rows->len > 1 || r->part != TRACE_NONE)
      names = fmax (names, paint_text_width (p, PAINT_TEXT, name) + 10);
    numbers = fmax (numbers, paint_text_width (p, PAINT_TITLE | PAINT_BOLD, number) + 12);
  }
  l->x0 = 18 + fmin (names, scene->width_px * 0.3);
  l->x1 = fmax (scene->width_px - 14 - numbers, l->x0 + 20);
  l->y0 = CHART_TOP;
}

static double
gauge_x_at (const Layout *l, double v)
{
  return l->x0 + (l->x1 - l->x0) * CLAMP ((v - l->scale.lo) / (l->scale.hi - l->scale.lo), 0, 1);
}

static void
gauge_section (Drawing *d, const ViewScene *scene, double x0, double x1, double y, double h, const char *name)
{
  if (x1 <= x0)
    return;
  drawing_rect (d, x0, y, x1 - x0, h, view_colour (scene->colours, "Gauge", name, scene->dark), 1, NULL);
  drawing_colour (d, x0, y, x1 - x0, h, "Gauge", name);
}

static double
bar_height (const Layout *l)
{
  return fmin (l->row * 0.62, 26);
}

static void
gauge_draw_row (Gauge *g, Drawing *d, Paint *p, const Layout *l, guint i)
{
  ChartRow *v = &g_array_index (l->rows, ChartRow, i);
  const ViewScene *scene = p->scene;
  double now = v->x, h = bar_height (l), y = round (l->y0 + l->row * i + (l->row - h) / 2);
  double zero = gauge_x_at (l, fmax (fmin (0, l->scale.hi), l->scale.lo)), x = gauge_x_at (l, now);
  g_autofree char *number = chart_number (now, v->last->unit);
  DrawingTag tag = chart_row_tag (scene, v);
  bool chosen = chart_row_is_chosen (scene, v);

  drawing_area (d, l->x0, l->y0 + l->row * i, l->x1 - l->x0, l->row, &tag);
  if (chosen)
    drawing_band (d, 6, l->y0 + l->row * i + 1, scene->width_px - 12, l->row - 2);
  drawing_rect (d, l->x0, y, l->x1 - l->x0, h, p->grid, 1, NULL);
  if (g->show_max)
    gauge_section (d, scene, fmin (zero, gauge_x_at (l, v->max)), fmax (zero, gauge_x_at (l, v->max)), y, h, "Maximum");
  if (!isnan (now))
    gauge_section (d, scene, fmin (zero, x), fmax (zero, x), y, h, "Current");
  if (g->show_min)
    gauge_section (d, scene, fmin (zero, gauge_x_at (l, v->min)), fmax (zero, gauge_x_at (l, v->min)), y, h, "Minimum");
  if (!isnan (now)) /* never by colour alone */
    drawing_rect (d, round (x) - 1, y - 3, 2, h + 6, p->ink, 1, NULL);
  if (l->rows->len > 1 || v->part != TRACE_NONE)
    drawing_text (d, l->x0 - 10, y + h / 2, 1, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, p->ink,
                  scene->width_px * 0.3, chart_row_name (scene, v, l->differ), &tag);
  drawing_text (d, scene->width_px - 12, y + h / 2, 1, PAINT_TITLE | PAINT_BOLD, p->ink, 0, number, &tag);
}

static double
gauge_key (Paint *p, double x, double y, const char *name, const char *text)
{
  drawing_rect (p->drawing, x, y - 5, 10, 10, view_colour (p->scene->colours, "Gauge", name, p->scene->dark), 1, NULL);
  drawing_colour (p->drawing, x, y - 5, 10, 10, "Gauge", name);
  return x + 15 + paint_text (p, x + 15, y, 0, PAINT_SMALL, p->muted, 0, text) + 14;
}

/* What the colours are, with the extremes of one owner. */
static void
draw_keys (Gauge *g, Paint *p, double taken)
{
  double x = p->scene->width_px - 12 - 250 - taken;

  if (g->chart.of.values->len == 1) {
    const ChartValue *v = &g_array_index (g->chart.of.values, ChartValue, 0);
    g_autofree char *min = chart_number (v->min, v->last.unit), *max = chart_number (v->max, v->last.unit);
    g_autofree char *low = g_strdup_printf (_ ("least %s"), min), *high = g_strdup_printf (_ ("most %s"), max);
    if (g->show_min)
      x = gauge_key (p, x, 16, "Minimum", low);
    if (g->show_max)
      gauge_key (p, x, 16, "Maximum", high);
    return;
  }
  x = g->show_min ? gauge_key (p, x, 16, "Minimum", _ ("least")) : x;
  x = gauge_key (p, x, 16, "Current", _ ("now"));
  if (g->show_max)
    gauge_key (p, x, 16, "Maximum", _ ("most"));
}

static bool
gauge_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Gauge *g = (Gauge *) c;
  const char *title = *g->title ? g->title : eve_name (c);
  GArray *values = g->chart.of.values;
  Paint *p = drawing_begin (d);
  Layout l;

  if (values->len == 0) {
    chart_title (p, title, NULL);
    paint_sentence (p, chart_when (p->scene, N_ ("No value has come yet: go on in time"),
                                   N_ ("No value has come in the whole execution")));
    return true;
  }
  gauge_lay_out (g, p, &l);
  g_autoptr (GArray) rows = l.rows;
  const char *groups = chart_rows_have_groups (rows) ? _ ("means of groups, extremes of their tasks so far") : NULL;
  g_autofree char *some = l.n_rows < rows->len ? paint_told (_ ("%u of %u"), l.n_rows, rows->len) : NULL,
                  *more = paint_joined (some, groups);
  double taken = more != NULL ? paint_text_width (p, PAINT_SMALL, more) + 16 : 0;
  chart_title (p, title, more);
  chart_scale_x (p, &l.scale, l.x0, l.x1, l.y0, l.y0 + l.row * l.n_rows);
  for (guint i = 0; i < l.n_rows; i++)
    gauge_draw_row (g, d, p, &l, i);
  if (scene->width_px > paint_text_width (p, PAINT_TITLE | PAINT_BOLD, title) + 300 + taken)
    draw_keys (g, p, taken);
  return true;
}

static void
gauge_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const ChartValue *v = chart_view_value (c, m);

  if (m->tag.part == CHART_IN_GROUP)
    chart_row_say ((ChartView *) c, scene, m, false, name);
  if (m->tag.part == CHART_IN_GROUP || v == NULL)
    return;
  g_autofree char *now = chart_number (stats_datum_number (&v->last), v->last.unit),
                  *least = chart_number (v->min, v->last.unit), *most = chart_number (v->max, v->last.unit);
  stats_owner_name_among (&v->last, scene->graph, chart_differ_in ((ChartView *) c), name);
  g_string_append_printf (name, _ (": %s, least %s, most %s"), now, least, most);
}

static const View view = { .title = "Gauge",
                           .spans = VIEW_OF_INSTANT,
                           .build = gauge_build,
                           .say = gauge_say,
                           .owners = chart_row_owners,
                           .depends = chart_depends,
                           .csv = chart_view_csv };

VIEW_QUERY (gauge_query, view)

static const EveClass gauge = {
  VIEW_CLASS (Gauge),
  .id = "scope.gauge",
  .label = "Gauge",
  .doc = "The present value of a number between the least and the most it has been.",
  .help = "A bar cut into sections: up to the minimum, up to the present value, up to the maximum. Drop a colour on a "
          "section to change it. "
          "Dated numbers of several owners (tasks, links, ...) get a row each.",
  CHART_VIEW_CLASS,
  .query = gauge_query,
};
EVE_PLUGIN (&gauge);
