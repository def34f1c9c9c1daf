/* SPDX-License-Identifier: Apache-2.0 */
/* gauge.c - the present value of a number between its extremes (thesis, section 5.1.3): a bar cut into sections, one
 * for what is below the minimum, one up to the present value, one up to the maximum.  The extremes are the gauge's own
 * doing.  A row for each owner. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "views/chart.h"

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
  guint n_rows;
} Layout;

static void
lay_out (Gauge *g, Paint *p, Layout *l)
{
  const ViewScene *scene = p->scene;
  GArray *values = g->chart.values;
  double lo = g->from, hi = g->to, names = 0, numbers = 0;

  if (!(lo < hi)) {
    lo = 0;
    hi = 0;
    for (guint i = 0; i < values->len; i++) {
      const ChartValue *v = &g_array_index (values, ChartValue, i);
      lo = fmin (lo, v->min);
      hi = fmax (hi, v->max);
    }
  }
  const char *unit = values->len > 0 ? g_array_index (values, ChartValue, 0).last.unit : NULL;
  if (unit != NULL && strcmp (unit, "%") == 0 && !(g->from < g->to) && lo >= 0 && hi <= 100 && hi > 50)
    hi = 100;
  chart_scale (&l->scale, lo, hi, unit, (int) CLAMP (scene->width_px / 110, 2, 11));
  if (g->from < g->to) {
    l->scale.lo = g->from;
    l->scale.hi = g->to;
  }
  l->row = CLAMP ((scene->height_px - CHART_TOP - BOTTOM) / MAX (values->len, 1), ROW_LEAST, ROW_MOST);
  l->n_rows = MIN (values->len, (guint) MAX (1, floor ((scene->height_px - CHART_TOP - BOTTOM) / l->row)));
  for (guint i = 0; i < l->n_rows; i++) {
    const ChartValue *v = &g_array_index (values, ChartValue, i);
    g_autoptr (GString) name = g_string_new (NULL);
    g_autofree char *number = chart_number (stats_datum_number (&v->last), v->last.unit);
    stats_owner_name (&v->last, scene->graph, name);
    if (values->len > 1)
      names = fmax (names, paint_text_width (p, PAINT_TEXT, name->str) + 10);
    numbers = fmax (numbers, paint_text_width (p, PAINT_TITLE | PAINT_BOLD, number) + 12);
  }
  l->x0 = 18 + fmin (names, scene->width_px * 0.3);
  l->x1 = fmax (scene->width_px - 14 - numbers, l->x0 + 20);
  l->y0 = CHART_TOP;
}

static double
x_at (const Layout *l, double v)
{
  return l->x0 + (l->x1 - l->x0) * CLAMP ((v - l->scale.lo) / (l->scale.hi - l->scale.lo), 0, 1);
}

static void
section (Paint *p, double x0, double x1, double y, double h, const char *name)
{
  if (x1 <= x0)
    return;
  paint_source (p->cr, view_colour (p->scene->colours, "Gauge", name, p->scene->dark), 1);
  cairo_rectangle (p->cr, x0, y, x1 - x0, h);
  cairo_fill (p->cr);
}

static double
bar_height (const Layout *l)
{
  return fmin (l->row * 0.62, 26);
}

static void
draw_row (Gauge *g, Paint *p, const Layout *l, guint i)
{
  const ChartValue *v = &g_array_index (g->chart.values, ChartValue, i);
  double now = stats_datum_number (&v->last), h = bar_height (l), y = round (l->y0 + l->row * i + (l->row - h) / 2);
  double zero = x_at (l, fmax (fmin (0, l->scale.hi), l->scale.lo)), x = x_at (l, now);
  g_autoptr (GString) name = g_string_new (NULL);
  g_autofree char *number = chart_number (now, v->last.unit);

  paint_source (p->cr, p->grid, 1);
  cairo_rectangle (p->cr, l->x0, y, l->x1 - l->x0, h);
  cairo_fill (p->cr);
  if (g->show_max)
    section (p, fmin (zero, x_at (l, v->max)), fmax (zero, x_at (l, v->max)), y, h, "Maximum");
  if (!isnan (now))
    section (p, fmin (zero, x), fmax (zero, x), y, h, "Current");
  if (g->show_min)
    section (p, fmin (zero, x_at (l, v->min)), fmax (zero, x_at (l, v->min)), y, h, "Minimum");
  if (!isnan (now)) { /* never by colour alone */
    paint_source (p->cr, p->ink, 1);
    cairo_rectangle (p->cr, round (x) - 1, y - 3, 2, h + 6);
    cairo_fill (p->cr);
  }
  if (g->chart.values->len > 1) {
    stats_owner_name (&v->last, p->scene->graph, name);
    paint_text (p, l->x0 - 10, y + h / 2, 1, PAINT_TEXT, p->ink, p->scene->width_px * 0.3, name->str);
  }
  paint_text (p, p->scene->width_px - 12, y + h / 2, 1, PAINT_TITLE | PAINT_BOLD, p->ink, 0, number);
}

static double
key (Paint *p, double x, double y, const char *name, const char *text)
{
  paint_source (p->cr, view_colour (p->scene->colours, "Gauge", name, p->scene->dark), 1);
  cairo_rectangle (p->cr, x, y - 5, 10, 10);
  cairo_fill (p->cr);
  return x + 15 + paint_text (p, x + 15, y, 0, PAINT_SMALL, p->muted, 0, text) + 14;
}

static bool
draw (EveComponent *c, const ViewScene *scene, cairo_t *cr, GError **error)
{
  Gauge *g = (Gauge *) c;
  GArray *values = g->chart.values;
  Paint p;
  Layout l;

  paint_begin (&p, scene, cr);
  chart_title (&p, *g->title ? g->title : eve_name (c), NULL);
  if (values->len == 0) {
    paint_sentence (&p, "No value has come yet");
    paint_end (&p);
    return true;
  }
  lay_out (g, &p, &l);
  double foot = l.y0 + l.row * l.n_rows;
  chart_scale_x (&p, &l.scale, l.x0, l.x1, l.y0, foot);
  for (guint i = 0; i < l.n_rows; i++)
    draw_row (g, &p, &l, i);
  const char *title = *g->title ? g->title : eve_name (c);
  if (scene->width_px > paint_text_width (&p, PAINT_TITLE | PAINT_BOLD, title) + 300) {
    double x = scene->width_px - 12 - 250;
    if (values->len == 1) {
      const ChartValue *v = &g_array_index (values, ChartValue, 0);
      g_autofree char *min = chart_number (v->min, v->last.unit), *max = chart_number (v->max, v->last.unit);
      g_autofree char *low = g_strdup_printf ("least %s", min), *high = g_strdup_printf ("most %s", max);
      if (g->show_min)
        x = key (&p, x, 16, "Minimum", low);
      if (g->show_max)
        key (&p, x, 16, "Maximum", high);
    } else {
      x = g->show_min ? key (&p, x, 16, "Minimum", "least") : x;
      x = key (&p, x, 16, "Current", "now");
      if (g->show_max)
        key (&p, x, 16, "Maximum", "most");
    }
  }
  if (l.n_rows < values->len) {
    g_autofree char *more = g_strdup_printf ("%u of %u", l.n_rows, values->len);
    paint_text (&p, 12, scene->height_px - 9, 0, PAINT_SMALL, p.muted, 0, more);
  }
  paint_end (&p);
  return true;
}

static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  Gauge *g = (Gauge *) c;
  Paint p;
  Layout l;

  paint_measure (&p, scene);
  lay_out (g, &p, &l);
  for (guint i = 0; i < l.n_rows && g->chart.values->len > 0 && to->len < max; i++) {
    const ChartValue *v = &g_array_index (g->chart.values, ChartValue, i);
    g_autoptr (GString) name = g_string_new (NULL);
    g_autofree char *now = chart_number (stats_datum_number (&v->last), v->last.unit),
                    *least = chart_number (v->min, v->last.unit);
    g_autofree char *most = chart_number (v->max, v->last.unit);
    ViewItem item = chart_item (l.x0, l.y0 + l.row * i, l.x1 - l.x0, l.row, &v->last);
    stats_owner_name (&v->last, scene->graph, name);
    item.name = g_strdup_printf ("%s: %s, least %s, most %s", name->str, now, least, most);
    g_array_append_val (to, item);
  }
  paint_end (&p);
}

/* The section under a point, from the narrowest: what a colour dropped there is for. */
static bool
colour_at (EveComponent *c, const ViewScene *scene, double x, double y, const char **attribute, char **value)
{
  Gauge *g = (Gauge *) c;
  const char *found = NULL;
  Paint p;
  Layout l;

  paint_measure (&p, scene);
  lay_out (g, &p, &l);
  double row = floor ((y - l.y0) / l.row);
  if (g->chart.values->len > 0 && row >= 0 && row < l.n_rows && x >= l.x0 && x <= l.x1) {
    const ChartValue *v = &g_array_index (g->chart.values, ChartValue, (guint) row);
    found = g->show_min && x <= x_at (&l, v->min)           ? "Minimum"
            : x <= x_at (&l, stats_datum_number (&v->last)) ? "Current"
            : g->show_max && x <= x_at (&l, v->max)         ? "Maximum"
                                                            : NULL;
  }
  paint_end (&p);
  *attribute = "Gauge";
  *value = g_strdup (found);
  return found != NULL;
}

static const View view = { .title = "Gauge",
                           .spans = VIEW_OF_INSTANT,
                           .draw = draw,
                           .depends = chart_depends,
                           .items = items,
                           .csv = chart_view_csv,
                           .colour_at = colour_at };

VIEW_QUERY (query, view)

static const EveClass gauge = {
  VIEW_CLASS (Gauge),
  .id = "scope.gauge",
  .label = "Gauge",
  .doc = "The present value of a number between the least and the most it has been.",
  .help = "A bar cut into sections: up to the minimum, up to the present value, up to the maximum. Drop a colour on a "
          "section to change it. "
          "Dated numbers of several owners (tasks, links, ...) get a row each.",
  CHART_VIEW_CLASS,
  .query = query,
};
EVE_PLUGIN (&gauge);
