/* SPDX-License-Identifier: Apache-2.0 */
/* value-panel.c - numbers, written large: one, or one for each owner, or each closed group of tasks. */
#include <math.h>
#include <stddef.h>
#include "eve/words.h"
#include "views/chart-rows.h"

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
grid_of (const ViewScene *scene, guint n)
{
  Grid g = { .columns = (guint) CLAMP (floor ((scene->width_px - 12) / CELL_W), 1, MAX (n, 1)) };

  g.rows = (guint) MAX (1, floor ((scene->height_px - CHART_TOP) / CELL_H));
  g.n = MIN (n, g.rows * g.columns);
  g.width = fmin ((scene->width_px - 12) / g.columns, 1.6 * CELL_W);
  g.height = CELL_H;
  return g;
}

static void
draw_cell (Drawing *d, Paint *p, const Grid *g, ChartRow *row, guint i, bool several, bool named, unsigned differ)
{
  const ViewScene *scene = p->scene;
  double x = 12 + g->width * (i % g->columns), y = CHART_TOP + g->height * (i / g->columns), room = g->width - 16;
  g_autofree char *number = chart_number (row->x, row->last->unit), *least = chart_number (row->min, row->last->unit),
                  *most = chart_number (row->max, row->last->unit), *between = g_strdup_printf ("%s … %s", least, most);
  DrawingTag tag = chart_row_tag (scene, row);
  bool chosen = chart_row_is_chosen (scene, row);

  drawing_area (d, x, y, room, g->height - 8, &tag);
  if (chosen)
    drawing_band (d, x - 6, y, room + 8, g->height - 8);
  if (named || row->part != TRACE_NONE)
    paint_text (p, x, y + 10, 0, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, chosen ? p->ink : p->muted, room,
                chart_row_name (scene, row, differ));
  paint_text (p, x, y + 32, 0, 24 | PAINT_BOLD, p->ink, room, number);
  if (several || row->n > 1)
    paint_text (p, x, y + 54, 0, PAINT_SMALL, p->muted, room, between);
}

static bool
value_panel_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  ValuePanel *v = (ValuePanel *) c;
  GArray *values = v->chart.of.values;
  g_autoptr (GArray) rows = chart_rows_of (&v->chart, scene, false);
  Grid g = grid_of (scene, rows->len);
  const char *groups = chart_rows_have_groups (rows) ? _ ("means of groups, extremes of their tasks so far") : NULL;
  g_autofree char *some = g.n < rows->len ? paint_told (_ ("%u of %u"), g.n, rows->len) : NULL,
                  *more = paint_joined (some, groups);
  Paint *p = drawing_begin (d);

  chart_title (p, *v->title ? v->title : eve_name (c), more);
  if (values->len == 0)
    paint_sentence (p, chart_when (p->scene, N_ ("No value has come yet: go on in time"),
                                   N_ ("No value has come in the whole execution")));
  for (guint i = 0; i < g.n; i++) {
    ChartRow *row = &g_array_index (rows, ChartRow, i);
    draw_cell (d, p, &g, row, i, g_array_index (values, ChartValue, row->place).count > 1, values->len > 1,
               chart_differ_in (&v->chart));
  }
  return true;
}

static void
value_panel_say (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  const ChartValue *v = chart_view_value (c, m);

  if (m->tag.part == CHART_IN_GROUP)
    chart_row_say ((ChartView *) c, scene, m, false, name);
  if (m->tag.part == CHART_IN_GROUP || v == NULL)
    return;
  g_autofree char *number = chart_number (stats_datum_number (&v->last), v->last.unit);
  stats_owner_name_among (&v->last, scene->graph, chart_differ_in ((ChartView *) c), name);
  g_string_append_printf (name, _ (": %s"), number);
}

static const View view = { .title = "Values",
                           .spans = VIEW_OF_INSTANT,
                           .build = value_panel_build,
                           .say = value_panel_say,
                           .owners = chart_row_owners,
                           .depends = chart_depends,
                           .csv = chart_view_csv };

VIEW_QUERY (value_panel_query, view)

static const EveClass value_panel = {
  VIEW_CLASS (ValuePanel),
  .id = "scope.value-panel",
  .label = "Value panel",
  .doc = "The last number, written large, with the least and the most it has been; one for each owner.",
  CHART_VIEW_CLASS,
  .query = value_panel_query,
};
EVE_PLUGIN (&value_panel);
