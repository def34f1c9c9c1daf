/* SPDX-License-Identifier: Apache-2.0 */
/* histogram-view.c - a distribution (thesis, section 5.1.2): its bins, and beside them what lay out of range. */
#include <math.h>
#include <stddef.h>
#include "views/chart.h"
#include "eve/words.h"
#include "views/painter.h"

typedef struct HistogramView {
  ChartThing held;
  bool logarithmic, cumulated; /* settings */
  char *title;
  StatsHistogram *of, *sums; /* the one whose counts are summed up, which is held, and these; NULL: none yet */
} HistogramView;

static const EveInSpec ins[] = {
  { "histogram", &stats_type_histogram, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = chart_thing_data,
    .required = true, .present = true, .doc = "Histograms; the last is shown." },
};
static const EveField settings[] = {
  { "logarithmic", EVE_F_BOOL, offsetof (HistogramView, logarithmic), .look = true,
    .doc = "Heights by the logarithm of the counts, so that rare values are seen beside frequent ones." },
  { "cumulated", EVE_F_BOOL, offsetof (HistogramView, cumulated), .look = true,
    .doc = "Each bar counts what lies in its bin or below, those below the interval among it." },
  { "title", EVE_F_STRING, offsetof (HistogramView, title), .look = true, .doc = "Empty: what was counted." },
};

#define BOTTOM 44.0
#define OUT 26.0 /* width of the two bins out of range */
enum { BIN, BELOW, ABOVE };

typedef struct Layout {
  ChartScale across, up;
  double x0, x1, y0, y1;
  uint64_t most;
} Layout;

static void
forget_sums (HistogramView *v)
{
  if (v->of != NULL)
    stats_unref (&stats_type_histogram, v->of);
  g_clear_pointer (&v->sums, g_free);
  v->of = NULL;
}

/* What came, or the same with counts that are summed up, all of them at the end: `above` counts everything. */
static const StatsHistogram *
histogram_view_shown (HistogramView *v)
{
  StatsHistogram *h = v->held.thing;
  size_t size = h != NULL ? sizeof *h + h->n_bins * sizeof *h->bins : 0;

  if (h == NULL || !v->cumulated || v->of == h)
    return h != NULL && v->cumulated ? v->sums : h;
  forget_sums (v);
  stats_ref (&stats_type_histogram, h);
  v->of = h;
  v->sums = g_memdup2 (h, size);
  for (uint32_t i = 0; i < h->n_bins; i++)
    v->sums->bins[i] += i == 0 ? h->below : v->sums->bins[i - 1];
  v->sums->above += v->sums->bins[h->n_bins - 1];
  return v->sums;
}

static void
histogram_view_lay_out (HistogramView *v, Paint *p, const StatsHistogram *h, Layout *l)
{
  *l = (Layout){ .y0 = CHART_TOP + 18, .y1 = p->scene->height_px - BOTTOM, .most = MAX (h->below, h->above) };
  for (uint32_t i = 0; i < h->n_bins; i++)
    l->most = MAX (l->most, h->bins[i]);
  chart_scale_whole (&l->up, 0, (double) MAX (l->most, 1), NULL, (int) CLAMP ((l->y1 - l->y0) / 40, 2, 8));
  if (v->logarithmic)
    l->up = (ChartScale){
      .lo = 0, .hi = ceil (log10 ((double) MAX (l->most, 1)) + 1e-9) + 1, .step = 1, .factor = 1, .unit = ""
    };
  double wide = chart_scale_width (p, &l->up);
  for (int i = 0; v->logarithmic && i < (int) l->up.hi; i++) {
    g_autofree char *label = chart_number (pow (10, i), NULL);
    wide = fmax (wide, paint_text_width (p, PAINT_TEXT, label));
  }
  l->x0 = 18 + wide + OUT + 8;
  l->x1 = fmax (p->scene->width_px - 14 - OUT - 8, l->x0 + 10);
  chart_scale (&l->across, h->from, h->to, h->unit, (int) CLAMP ((l->x1 - l->x0) / 90, 2, 12));
}

/* By logarithm 1 is one step high, so that a single value is seen. */
static double
histogram_view_y_at (const HistogramView *v, const Layout *l, uint64_t n)
{
  double up = v->logarithmic ? n > 0 ? log10 ((double) n) + 1 : 0 : (double) n;

  return l->y1 - (l->y1 - l->y0) * up / l->up.hi;
}

static void
draw_up (Paint *p, HistogramView *v, const Layout *l)
{
  if (!v->logarithmic) {
    chart_scale_y (p, &l->up, l->x0 - OUT - 8, l->x1 + OUT + 8, l->y0, l->y1);
    return;
  }
  cairo_set_line_width (p->cr, 1);
  for (int i = 0; i < (int) l->up.hi; i++) {
    double y = floor (l->y1 - (l->y1 - l->y0) * (i + 1) / l->up.hi) + 0.5;
    g_autofree char *label = chart_number (pow (10, i), NULL);
    paint_source (p->cr, p->grid, 1);
    cairo_move_to (p->cr, l->x0 - OUT - 8, y);
    cairo_line_to (p->cr, l->x1 + OUT + 8, y);
    cairo_stroke (p->cr);
    paint_text (p, l->x0 - OUT - 14, y, 1, PAINT_TEXT, p->muted, 0, label);
  }
}

static void
histogram_view_bar (Paint *p, const HistogramView *v, const Layout *l, double x0, double x1, uint64_t n, uint32_t rgb)
{
  double y = histogram_view_y_at (v, l, n);

  if (n == 0)
    return;
  paint_source (p->cr, rgb, 1);
  cairo_rectangle (p->cr, x0, fmin (y, l->y1 - 1), fmax (x1 - x0, 0.6), fmax (l->y1 - y, 1));
  cairo_fill (p->cr);
}

static void
histogram_view_out_of_range (Drawing *d, Paint *p, const HistogramView *v, const Layout *l, bool above, uint64_t n)
{
  double x = above ? l->x1 + 8 : l->x0 - OUT - 8;
  g_autofree char *count = chart_number ((double) n, NULL);

  histogram_view_bar (p, v, l, x, x + OUT, n, view_colour (p->scene->colours, "Histogram", "Bars", p->scene->dark));
  drawing_colour (d, x, fmin (histogram_view_y_at (v, l, n), l->y1 - 1), OUT,
                  fmax (l->y1 - histogram_view_y_at (v, l, n), 1), "Histogram", "Bars");
  paint_text (p, x + OUT / 2, l->y1 + 28, 0.5, PAINT_SMALL, p->muted, 0,
              !above         ? _ ("below")
              : v->cumulated ? _ ("all")
                             : _ ("above"));
  paint_text (p, x + OUT / 2, fmin (histogram_view_y_at (v, l, n), l->y1) - 9, 0.5, PAINT_SMALL,
              n > 0 ? p->ink : p->muted, 0, count);
}

static void
draw_bins (Drawing *d, Paint *p, const HistogramView *v, const Layout *l, const StatsHistogram *h, double per_bin)
{
  uint32_t rgb = chart_colour (p->scene, NULL, 0, 1);
  double gap = per_bin >= 6 ? 1 : 0;
  int width = (int) (l->x1 - l->x0);

  for (uint32_t i = 0; per_bin >= 1 && i < h->n_bins; i++)
    histogram_view_bar (p, v, l, l->x0 + per_bin * i + gap / 2, l->x0 + per_bin * (i + 1) - gap / 2, h->bins[i], rgb);
  for (int x = 0; per_bin < 1 && x < width; x++) { /* several share a pixel: the highest of them, and it is said */
    uint64_t top = 0;
    uint32_t from = (uint32_t) ((double) x / width * h->n_bins), to = (uint32_t) ((double) (x + 1) / width * h->n_bins);
    for (uint32_t i = from; i < MAX (to, from + 1) && i < h->n_bins; i++)
      top = MAX (top, h->bins[i]);
    histogram_view_bar (p, v, l, l->x0 + x, l->x0 + x + 1, top, rgb);
  }
  for (uint32_t i = 0; i < h->n_bins && drawing_room (d) > 0; i++) {
    double y = histogram_view_y_at (v, l, h->bins[i]);
    if (h->bins[i] > 0 || h->n_bins <= 64)
      drawing_area (d, l->x0 + per_bin * i, y, per_bin, l->y1 - y,
                    &(DrawingTag){ DRAWING_NO_DATES, .index = i, .part = BIN });
  }
}

/* Where a value lies: by its logarithm, if the bins are so. */
static double
histogram_view_x_at (const Layout *l, const StatsHistogram *h, double x)
{
  double from = h->logarithmic ? log10 (h->from) : h->from, to = h->logarithmic ? log10 (h->to) : h->to;

  return l->x0 + (l->x1 - l->x0) * ((h->logarithmic ? log10 (x) : x) - from) / (to - from);
}

static double
draw_edge (Paint *p, const Layout *l, double at, const char *label, double right)
{
  double wide = paint_text_width (p, PAINT_TEXT, label);

  paint_source (p->cr, p->faint, 1);
  cairo_rectangle (p->cr, floor (at), l->y1, 1, 4);
  cairo_fill (p->cr);
  if (at - wide / 2 <= right + 8)
    return right;
  paint_text (p, at, l->y1 + 13, 0.5, PAINT_TEXT, p->muted, 0, label);
  return at + wide / 2;
}

/* Of bins by logarithm, at powers of ten; of few of these at 2 and 5 times them too. */
static void
draw_powers (Paint *p, const Layout *l, const StatsHistogram *h)
{
  int first = (int) floor (log10 (h->from) - 1e-9), end = (int) ceil (log10 (h->to) + 1e-9), many = end - first > 3;
  double right = -1e9;

  for (int k = first; k <= end; k++)
    for (int times = 1; times <= (many ? 1 : 5); times += times == 1 ? 1 : 3) {
      double x = stats_decimal (times, k);
      if (x < h->from * (1 - 1e-9) || x > h->to * (1 + 1e-9))
        continue;
      g_autofree char *label = chart_round (x, h->unit);
      right = draw_edge (p, l, histogram_view_x_at (l, h, x), label, right);
    }
}

/* Of the interval, at its round values. */
static void
histogram_view_draw_labels (Paint *p, const Layout *l, const StatsHistogram *h)
{
  double right = -1e9;

  if (h->logarithmic) {
    draw_powers (p, l, h);
    return;
  }
  for (double x = ceil (h->from / l->across.step - 1e-9) * l->across.step; x <= h->to + l->across.step * 1e-9;
       x += l->across.step) {
    double at = l->x0 + (l->x1 - l->x0) * (x - h->from) / (h->to - h->from);
    g_autofree char *number = chart_label (&l->across, x);
    g_autofree char *label = *l->across.unit ? g_strdup_printf ("%s\u2009%s", number, l->across.unit)
                                             : g_strdup (number);
    right = draw_edge (p, l, at, label, right);
  }
}

static void
draw_mean (Paint *p, const Layout *l, const StatsHistogram *h)
{
  static const double dashes[] = { 4, 3 };
  double at = floor (histogram_view_x_at (l, h, h->mean)) + 0.5;

  paint_source (p->cr, p->ink, 0.8);
  cairo_set_line_width (p->cr, 1);
  cairo_set_dash (p->cr, dashes, 2, 0);
  cairo_move_to (p->cr, at, l->y0 - 4);
  cairo_line_to (p->cr, at, l->y1);
  cairo_stroke (p->cr);
  cairo_set_dash (p->cr, NULL, 0, 0);
  paint_text (p, CLAMP (at, 30, p->scene->width_px - 30), l->y0 - 12, 0.5, PAINT_SMALL, p->ink, 0, _ ("mean"));
}

/* "20 bins of 5 ms", or how many times wider each is than the one before. */
static char *
bins_text (const StatsHistogram *h)
{
  if (h->logarithmic)
    return g_strdup_printf (
        _ ("%u bins, each %.3g times as wide as the one before: values are of very different sizes"), h->n_bins,
        stats_histogram_edge (h, 1) / stats_histogram_edge (h, 0));
  g_autofree char *width = chart_round (stats_histogram_edge (h, 1) - stats_histogram_edge (h, 0), h->unit);
  return g_strdup_printf (P_ ("%u bin of %s", "%u bins of %s", h->n_bins), h->n_bins, width);
}

static bool
histogram_view_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  HistogramView *v = (HistogramView *) c;
  const StatsHistogram *h = histogram_view_shown (v);
  Paint *p = drawing_begin (d);
  Layout l;

  if (h == NULL) {
    chart_title (p, *v->title ? v->title : eve_name (c), NULL);
    paint_sentence (p, chart_when (p->scene, N_ ("No histogram has come yet: go on in time"),
                                   N_ ("No histogram has come in the whole execution")));
    return true;
  }
  histogram_view_lay_out (v, p, h, &l);
  g_autofree char *n = chart_number ((double) h->count, NULL), *mean = chart_number (h->mean, h->unit),
                  *least = chart_number (h->min, h->unit);
  g_autofree char *most = chart_number (h->max, h->unit);
  g_autofree char *numbers = g_strdup_printf (_ ("%s values · mean %s · %s … %s"), n, mean, least, most);
  chart_thing_title (p, c, v->title, h->title, INT64_MIN, numbers);
  draw_up (p, v, &l);
  double per_bin = (l.x1 - l.x0) / h->n_bins;
  drawing_area (d, l.x0 - OUT - 8, l.y0, OUT, l.y1 - l.y0, &(DrawingTag){ DRAWING_NO_DATES, .part = BELOW });
  drawing_area (d, l.x1 + 8, l.y0, OUT, l.y1 - l.y0, &(DrawingTag){ DRAWING_NO_DATES, .part = ABOVE });
  draw_bins (d, p, v, &l, h, per_bin);
  histogram_view_draw_labels (p, &l, h);
  histogram_view_out_of_range (d, p, v, &l, false, h->below);
  histogram_view_out_of_range (d, p, v, &l, true, h->above);
  if (h->count == 0)
    paint_sentence (p, chart_when (p->scene, N_ ("No value has come yet: go on in time"),
                                   N_ ("No value has come in the whole execution")));
  if (isfinite (h->mean) && h->mean >= h->from && h->mean <= h->to)
    draw_mean (p, &l, h);
  g_autofree char *width = bins_text (h);
  g_autofree char *no_number = h->no_number > 0 ? g_strdup_printf (_ (" · %" PRIu64 " not a number"), h->no_number)
                                                : g_strdup ("");
  g_autofree char *foot = g_strdup_printf ("%s%s%s%s", width,
                                           v->cumulated ? _ (" · each bar counts all below it too") : "",
                                           per_bin < 1 ? _ (", the highest of each pixel shown") : "", no_number);
  paint_text (p, (l.x0 + l.x1) / 2, scene->height_px - 11, 0.5, PAINT_SMALL, p->muted, fmax (l.x1 - l.x0 - 8, 20),
              foot);
  return true;
}

static void
histogram_view_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  HistogramView *v = (HistogramView *) c;
  const StatsHistogram *h = histogram_view_shown (v);

  if (h == NULL || m->tag.index >= h->n_bins)
    return;
  if (m->tag.part == BIN) {
    g_autofree char *from = chart_number (stats_histogram_edge (h, m->tag.index), h->unit),
                    *until = chart_number (stats_histogram_edge (h, m->tag.index + 1), h->unit);
    uint64_t n = h->bins[m->tag.index];
    if (v->cumulated)
      g_string_append_printf (name, _ ("up to %s: %" PRIu64), until, n);
    else
      g_string_append_printf (name, _ ("%s to %s: %" PRIu64), from, until, n);
    if (facts != NULL && h->count > 0)
      g_string_append_printf (facts, "Share\t%.1f\u2009%%\n", 100.0 * (double) n / (double) h->count);
    return;
  }
  if (v->cumulated && m->tag.part == ABOVE) {
    g_string_append_printf (name, _ ("all: %" PRIu64), h->above);
    return;
  }
  g_autofree char *bound = chart_number (m->tag.part == ABOVE ? h->to : h->from, h->unit);
  g_string_append_printf (name, "%s %s: %" G_GUINT64_FORMAT, m->tag.part == ABOVE ? _ ("above") : _ ("below"), bound,
                          m->tag.part == ABOVE ? h->above : h->below);
}

static void
histogram_view_finish (EveComponent *c)
{
  forget_sums ((HistogramView *) c);
  chart_thing_finish (c);
}

static uint32_t
histogram_view_depends (EveComponent *c, const ViewScene *scene)
{
  return VIEW_ON_INSTANT;
}

static const View view = { .title = "Histogram",
                           .spans = VIEW_OF_INSTANT,
                           .build = histogram_view_build,
                           .say = histogram_view_say,
                           .depends = histogram_view_depends,
                           .csv = chart_thing_csv };

VIEW_QUERY (histogram_view_query, view)

static const EveClass histogram_view = {
  VIEW_CLASS (HistogramView),
  .id = "scope.histogram-view",
  .label = "Histogram view",
  .doc = "A distribution: how many values fell into each part of an interval, and how many lay outside.",
  .init = chart_thing_init,
  .finish = histogram_view_finish,
  .reset = chart_thing_reset,
  .save = chart_thing_save,
  .load = chart_thing_load,
  .query = histogram_view_query,
};
EVE_PLUGIN (&histogram_view);
