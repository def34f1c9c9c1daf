/* SPDX-License-Identifier: Apache-2.0 */
/* value-panel.c - numbers, written large: one, or one for each owner. */
#include <math.h>
#include <stddef.h>
#include "views/chart.h"

typedef struct ValuePanel {
  ChartView chart;
  char *title; /* setting */
} ValuePanel;

static const EveInSpec ins[] = { CHART_IN };
static const EveField settings[] = {
  { "title", EVE_F_STRING, offsetof (ValuePanel, title), .look = true, .doc = "Empty: the name of the box." },
};

#define CELL_W 190.0
#define CELL_H 74.0

typedef struct Grid {
  guint columns, rows, n;
  double width, height;
} Grid;

static Grid
grid_of (ValuePanel *v, const ViewScene *scene)
{
  guint n = v->chart.values->len;
  Grid g = { .columns = (guint) CLAMP (floor ((scene->width_px - 12) / CELL_W), 1, MAX (n, 1)) };

  g.rows = (guint) MAX (1, floor ((scene->height_px - CHART_TOP) / CELL_H));
  g.n = MIN (n, g.rows * g.columns);
  g.width = fmin ((scene->width_px - 12) / g.columns, 1.6 * CELL_W);
  g.height = CELL_H;
  return g;
}

static bool
draw (EveComponent *c, const ViewScene *scene, cairo_t *cr, GError **error)
{
  ValuePanel *v = (ValuePanel *) c;
  Grid g = grid_of (v, scene);
  GArray *values = v->chart.values;
  g_autofree char *some = g.n < values->len ? g_strdup_printf ("%u of %u", g.n, values->len) : NULL;
  Paint p;

  paint_begin (&p, scene, cr);
  chart_title (&p, *v->title ? v->title : eve_name (c), some);
  if (values->len == 0)
    paint_sentence (&p, "No value has come yet");
  for (guint i = 0; i < g.n; i++) {
    const ChartValue *value = &g_array_index (values, ChartValue, i);
    double x = 12 + g.width * (i % g.columns), y = CHART_TOP + g.height * (i / g.columns), room = g.width - 16;
    g_autofree char *number = chart_number (stats_datum_number (&value->last), value->last.unit);
    g_autofree char *least = chart_number (value->min, value->last.unit),
                    *most = chart_number (value->max, value->last.unit);
    g_autofree char *between = g_strdup_printf ("%s … %s", least, most);
    g_autoptr (GString) name = g_string_new (NULL);
    if (values->len > 1) {
      stats_owner_name_among (&value->last, scene->graph, chart_is_of_several (&v->chart), name);
      paint_text (&p, x, y + 10, 0, PAINT_TEXT, p.muted, room, name->str);
    }
    paint_text (&p, x, y + 32, 0, 24 | PAINT_BOLD, p.ink, room, number);
    if (value->count > 1)
      paint_text (&p, x, y + 54, 0, PAINT_SMALL, p.muted, room, between);
  }
  paint_end (&p);
  return true;
}

static void
items (EveComponent *c, const ViewScene *scene, GArray *to, guint max)
{
  ValuePanel *v = (ValuePanel *) c;
  Grid g = grid_of (v, scene);

  for (guint i = 0; i < g.n && to->len < max; i++) {
    const ChartValue *value = &g_array_index (v->chart.values, ChartValue, i);
    g_autofree char *number = chart_number (stats_datum_number (&value->last), value->last.unit);
    g_autoptr (GString) name = g_string_new (NULL);
    ViewItem item = chart_item (12 + g.width * (i % g.columns), CHART_TOP + g.height * (i / g.columns), g.width - 16,
                                g.height - 8, &value->last);
    stats_owner_name_among (&value->last, scene->graph, chart_is_of_several (&v->chart), name);
    item.name = g_strdup_printf ("%s: %s", name->str, number);
    g_array_append_val (to, item);
  }
}

static const View view = { .title = "Values",
                           .spans = VIEW_OF_INSTANT,
                           .draw = draw,
                           .depends = chart_depends,
                           .items = items,
                           .csv = chart_view_csv };

VIEW_QUERY (query, view)

static const EveClass value_panel = {
  VIEW_CLASS (ValuePanel),
  .id = "scope.value-panel",
  .label = "Value panel",
  .doc = "The last number, written large, with the least and the most it has been; one for each owner.",
  CHART_VIEW_CLASS,
  .query = query,
};
EVE_PLUGIN (&value_panel);
