/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a dot for each owner of a number, at its present value.
 *
 * The base of all charts (views/chart.h) keeps the last value of each owner; what is left to write is the picture, and
 * what can be pointed at in it.  The same scene gives the same picture: on the screen, in a file, at any instant that
 * was travelled to. */
#include <math.h>
#include <stddef.h>
#include "views/chart.h"

typedef struct Self {
  ChartView chart; /* must be first: the ports, and the values */
  char *title;
} Self;

static const EveInSpec ins[] = { CHART_IN };
static const EveField settings[] = {
  { "title", EVE_F_STRING, offsetof (Self, title), .look = true, .doc = "Empty: the name of the box." },
};

#define ROW 24.0
#define NAMES 0.3 /* of the width */
#define BOTTOM 26.0

typedef struct Layout {
  ChartScale scale;
  double x0, x1, y1; /* of the plot, in px; it begins at CHART_TOP */
  guint n_rows;      /* that there is room for */
} Layout;

static void
lay_out (Self *self, const ViewScene *scene, Layout *l)
{
  GArray *values = self->chart.of.values;
  double least = 0, most = 0;

  for (guint i = 0; i < values->len; i++) {
    double v = stats_datum_number (&g_array_index (values, ChartValue, i).last);
    least = fmin (least, v);
    most = fmax (most, v);
  }
  chart_scale (&l->scale, least, most, values->len ? g_array_index (values, ChartValue, 0).last.unit : NULL,
               (int) CLAMP (scene->width_px / 110, 2, 11));
  l->x0 = scene->width_px * NAMES;
  l->x1 = fmax (scene->width_px - 20, l->x0 + 20);
  l->n_rows = MIN (values->len, (guint) fmax (1, floor ((scene->height_px - CHART_TOP - BOTTOM) / ROW)));
  l->y1 = CHART_TOP + ROW * l->n_rows;
}

static double
x_of (const Layout *l, double value)
{
  return l->x0 + (l->x1 - l->x0) * (value - l->scale.lo) / (l->scale.hi - l->scale.lo);
}

/* A row: its name, and its dot.  What is tagged with its owner can be pointed at, selected and stepped to; what is
 * selected anywhere stands out. */
static void
draw_row (Drawing *d, Paint *p, const Layout *l, const ChartValue *v, guint i)
{
  const ViewScene *scene = p->scene;
  double y = CHART_TOP + ROW * (i + 0.5), value = stats_datum_number (&v->last);
  DrawingTag tag = chart_tag (scene, &v->last, i);
  bool chosen = view_selects_tag (scene, &tag);
  g_autoptr (GString) name = g_string_new (NULL);

  stats_owner_name (&v->last, scene->graph, name);
  drawing_area (d, 0, CHART_TOP + ROW * i, scene->width_px, ROW, &tag);
  if (chosen)
    drawing_band (d, 0, CHART_TOP + ROW * i, scene->width_px, ROW);
  drawing_text (d, l->x0 - 10, y, 1, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, p->ink, l->x0 - 20, name->str, &tag);
  if (isfinite (value))
    drawing_disc (d, x_of (l, value), y, 5, chart_colour (scene, name->str, 0, 1), 1, &tag);
}

static bool
build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Self *self = (Self *) c;
  GArray *values = self->chart.of.values;
  const char *title = *self->title ? self->title : eve_name (c);
  Paint *p = drawing_begin (d);
  Layout l;

  if (values->len == 0) {
    chart_title (p, title, NULL);
    paint_sentence (p, "No value has come yet");
    return true;
  }
  lay_out (self, scene, &l);
  g_autofree char *few = l.n_rows < values->len ? paint_told ("%u of %u", l.n_rows, values->len) : NULL;
  chart_title (p, title, few); /* what is left out is told */
  chart_scale_x (p, &l.scale, l.x0, l.x1, CHART_TOP, l.y1);
  for (guint i = 0; i < l.n_rows; i++)
    draw_row (d, p, &l, &g_array_index (values, ChartValue, i), i);
  return true;
}

/* What is pointed at, read aloud, and found by tests. */
static void
say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const ChartValue *v = chart_view_value (c, m);

  if (v == NULL)
    return;
  g_autofree char *number = chart_number (stats_datum_number (&v->last), v->last.unit);
  stats_owner_name (&v->last, scene->graph, name);
  g_string_append_printf (name, ": %s", number);
}

static const View view = { .title = "@LABEL@",
                           .spans = VIEW_OF_INSTANT,
                           .build = build,
                           .say = say,
                           .depends = chart_depends,
                           .csv = chart_view_csv };

VIEW_QUERY (query, view)

static const EveClass @IDENT@ = {
  VIEW_CLASS (Self), .id = "my.@NAME@", .label = "@LABEL@",
  .doc = "A dot for each owner of a number, at its present value.",
  .help = "Numbers of several owners (tasks, links, ...) get a row each; a number without an owner has one row. Rows that "
          "there is no room for are counted in the title.",
  CHART_VIEW_CLASS, .query = query,
};
EVE_PLUGIN (&@IDENT@);
