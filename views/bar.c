/* SPDX-License-Identifier: Apache-2.0 */
/* bar.c - the last number of each owner as a bar, or as a slice of their sum (the class Pie). */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "views/chart-rows.h"
#include "eve/number.h"
#include "eve/words.h"
#include "statistics/select.h"
#include "views/painter.h"

typedef struct Bar {
  ChartView chart;
  int32_t order; /* settings */
  char *title;
} Bar;

static const char *const orders[] = { "as they come", "largest first", "by name", NULL };
static const EveInSpec ins[] = { CHART_IN };
static const EveField settings[] = {
  { "order", EVE_F_CHOICE, offsetof (Bar, order), .choices = orders, .def = 1, .look = true,
    .doc = "Which owner stands first." },
  { "title", EVE_F_STRING, offsetof (Bar, title), .look = true, .doc = "Empty: the name of the box." },
};

static int
bar_by_size (gconstpointer a, gconstpointer b, gpointer rows)
{
  uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;
  double x = ((const ChartRow *) rows)[i].x, y = ((const ChartRow *) rows)[k].x;
  int order = isnan (x) - isnan (y) != 0 ? isnan (x) - isnan (y) : (x < y) - (x > y);

  return order != 0 ? order : (i > k) - (i < k);
}

static int
bar_by_name (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate (((const ChartRow *) a)->name, ((const ChartRow *) b)->name);
}

/* The largest `want` first, in order, then the others: these stay where they are, but for those that make room. */
static void
largest_first (GArray *rows, guint want)
{
  g_autofree uint32_t *index = g_new (uint32_t, rows->len + 1);
  g_autoptr (GArray) front = g_array_new (FALSE, FALSE, sizeof (ChartRow)),
                     others = g_array_new (FALSE, FALSE, sizeof (ChartRow));
  g_autofree bool *stays = NULL; /* in front, by place there */
  guint n = MIN (want, rows->len), k = 0;

  for (uint32_t i = 0; i < rows->len; i++)
    index[i] = i;
  stats_sort_part (index, rows->len, 0, want, bar_by_size, rows->data);
  stays = g_new0 (bool, n + 1);
  for (guint i = 0; i < n; i++) {
    g_array_append_val (front, g_array_index (rows, ChartRow, index[i]));
    if (index[i] < n)
      stays[index[i]] = true;
  }
  for (guint i = 0; i < n; i++)
    if (!stays[i])
      g_array_append_val (others, g_array_index (rows, ChartRow, i));
  for (guint i = 0; i < n; i++)
    if (index[i] >= n)
      g_array_index (rows, ChartRow, index[i]) = g_array_index (others, ChartRow, k++);
  for (guint i = 0; i < n; i++)
    g_array_index (rows, ChartRow, i) = g_array_index (front, ChartRow, i);
}

/* Of all owners; the first `want` of them are as they stand. */
static GArray *
bar_rows_of (Bar *b, const ViewScene *scene, guint want)
{
  GArray *rows = chart_rows_of (&b->chart, scene, true);

  if (b->order == 1)
    largest_first (rows, want);
  if (b->order != 2)
    return rows;
  unsigned differ = chart_differ_in (&b->chart);
  for (guint i = 0; i < rows->len; i++)
    chart_row_name (scene, &g_array_index (rows, ChartRow, i), differ);
  g_array_sort (rows, bar_by_name);
  return rows;
}

/* ---- bars --------------------------------------------------------------------------------------------------------------- */

#define ROW_MOST 30.0
#define ROW_LEAST 15.0
#define BOTTOM 26.0

typedef struct Layout {
  ChartScale scale;
  double x0, x1, y0, row;
  guint n;
} Layout;

/* More rows than that have no room. */
static guint
rows_most (const ViewScene *scene)
{
  return (guint) CLAMP (ceil ((scene->height_px - CHART_TOP - BOTTOM) / ROW_LEAST), 0, 1e6) + 1;
}

static void
bar_lay_out (Paint *p, GArray *rows, unsigned differ, Layout *l)
{
  const ViewScene *scene = p->scene;
  double lo = 0, hi = 0, names = 0, numbers = 0;
  const char *unit = rows->len > 0 ? g_array_index (rows, ChartRow, 0).last->unit : NULL;

  l->row = CLAMP ((scene->height_px - CHART_TOP - BOTTOM) / MAX (rows->len, 1), ROW_LEAST, ROW_MOST);
  l->n = MIN (rows->len, (guint) MAX (1, floor ((scene->height_px - CHART_TOP - BOTTOM) / l->row)));
  for (guint i = 0; i < rows->len; i++) {
    ChartRow *r = &g_array_index (rows, ChartRow, i);
    if (isfinite (r->x)) {
      bool mean = r->n > 1 && !chart_adds_up (r->last);
      lo = fmin (lo, mean ? r->least : r->x);
      hi = fmax (hi, mean ? r->most : r->x);
    }
    if (i >= l->n)
      continue;
    g_autofree char *number = chart_number (r->x, r->last->unit);
    names = fmax (names, paint_text_width (p, PAINT_TEXT, chart_row_name (p->scene, r, differ)));
    numbers = fmax (numbers, paint_text_width (p, PAINT_TEXT, number));
  }
  chart_scale (&l->scale, lo, hi, unit, (int) CLAMP (scene->width_px / 110, 2, 11));
  l->x0 = 22 + fmin (names, scene->width_px * 0.35);
  l->x1 = fmax (scene->width_px - 20 - numbers, l->x0 + 20);
  l->y0 = CHART_TOP;
}

static double
bar_x_at (const Layout *l, double v)
{
  return l->x0 + (l->x1 - l->x0) * CLAMP ((v - l->scale.lo) / (l->scale.hi - l->scale.lo), 0, 1);
}

static bool
any_is_chosen (const ViewScene *scene, const GArray *rows)
{
  bool chosen = false;

  for (guint i = 0; trace_refs_n (scene->selection) > 0 && i < rows->len && !chosen; i++)
    chosen = chart_row_is_chosen (scene, &g_array_index (rows, ChartRow, i));
  return chosen;
}

static void
views_bar_draw_bar (Drawing *d, Paint *p, const Layout *l, const ChartRow *r, guint i, bool others)
{
  const ViewScene *scene = p->scene;
  double h = floor (fmin (l->row * 0.7, 20)), y = round (l->y0 + l->row * i + (l->row - h) / 2), zero = bar_x_at (l, 0);
  double x = isnan (r->x) ? zero : bar_x_at (l, r->x);
  DrawingTag tag = chart_row_tag (scene, r);
  bool chosen = chart_row_is_chosen (scene, r);
  g_autofree char *number = chart_number (r->x, r->last->unit);

  drawing_area (d, l->x0, l->y0 + l->row * i, l->x1 - l->x0, l->row, &tag);
  drawing_rect (d, fmin (zero, x), y, fmax (fabs (x - zero), 1), h, chart_colour (scene, NULL, 0, 1),
                others && !chosen ? 0.4 : 1, &tag);
  if (r->n > 1 && !chart_adds_up (r->last)) { /* how far its members are from the mean that is shown */
    double x0 = bar_x_at (l, r->least), x1 = bar_x_at (l, r->most);
    drawing_rect (d, x0, y + h / 2 - 0.5, fmax (x1 - x0, 1), 1, p->ink, 1, NULL);
    drawing_rect (d, x0 - 0.5, y + h / 4, 1, h / 2, p->ink, 1, NULL);
    drawing_rect (d, x1 - 0.5, y + h / 4, 1, h / 2, p->ink, 1, NULL);
    x = fmax (x, x1);
  }
  drawing_text (d, l->x0 - 8, y + h / 2, 1, chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, p->ink,
                scene->width_px * 0.35, r->name, &tag);
  drawing_text (d, fmax (x, zero) + 6, y + h / 2, 0, PAINT_TEXT, p->muted, 0, number, &tag);
}

static bool
build_bars (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Bar *b = (Bar *) c;
  g_autoptr (GArray) rows = bar_rows_of (b, scene, rows_most (scene));
  Paint *p = drawing_begin (d);
  Layout l;

  bar_lay_out (p, rows, chart_differ_in (&b->chart), &l);
  const char *together = NULL;
  for (guint i = 0; i < rows->len && together == NULL; i++)
    if (g_array_index (rows, ChartRow, i).part != TRACE_NONE)
      together = chart_adds_up (g_array_index (rows, ChartRow, i).last) ? _ ("sums of groups")
                                                                        : _ ("means of groups, least to most");
  g_autofree char *some = l.n < rows->len ? paint_told (_ ("%u of %u"), l.n, rows->len) : NULL,
                  *more = paint_joined (some, together);
  chart_title (p, *b->title ? b->title : eve_name (c), more);
  if (rows->len == 0) {
    paint_sentence (p, chart_when (p->scene, N_ ("No value has come yet: go on in time"),
                                   N_ ("No value has come in the whole execution")));
    return true;
  }
  chart_scale_x (p, &l.scale, l.x0, l.x1, l.y0, l.y0 + l.row * l.n);
  bool others = any_is_chosen (scene, rows);
  for (guint i = 0; i < l.n; i++)
    views_bar_draw_bar (d, p, &l, &g_array_index (rows, ChartRow, i), i, others);
  bool any = false;
  for (guint i = 0; i < rows->len && !any; i++)
    any = isfinite (g_array_index (rows, ChartRow, i).x);
  if (!any)
    paint_sentence (p, N_ ("Nobody has a value at this instant: go to another instant, at which some have one"));
  return true;
}

static void
say_bar (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  if (m->tag.part == CHART_IN_GROUP) {
    chart_row_say ((ChartView *) c, scene, m, true, name);
    return;
  }
  const ChartValue *v = chart_view_value (c, m);

  if (v == NULL)
    return;
  g_autofree char *number = chart_number (stats_datum_number (&v->last), v->last.unit);
  stats_owner_name_among (&v->last, scene->graph, chart_differ_in ((ChartView *) c), name);
  g_string_append_printf (name, _ (": %s"), number);
}

/* ---- slices --------------------------------------------------------------------------------------------------------------- */

#define SLICES 7 /* and the rest: more cannot be told apart */
#define REST 1   /* `part` of the tag of the rest */

typedef struct Pie {
  ChartRow slice[SLICES + 1];
  guint n, n_rest;
  double sum, rest_least, rest_most;
  double x, y, r; /* the disc */
} Pie;

static void
bar_cut (GArray *rows, const ViewScene *scene, unsigned differ, Pie *pie)
{
  double height = scene->height_px - CHART_TOP - 12;

  memset (pie, 0, sizeof *pie);
  for (guint i = 0; i < rows->len; i++) {
    ChartRow *r = &g_array_index (rows, ChartRow, i);
    if (!(r->x > 0) || !isfinite (r->x))
      continue;
    pie->sum += r->x;
    if (pie->n < SLICES || (pie->n == SLICES && i + 1 == rows->len)) {
      chart_row_name (scene, r, differ);
      pie->slice[pie->n++] = *r;
      continue;
    }
    if (pie->n == SLICES)
      pie->slice[pie->n++] = (ChartRow){ .part = TRACE_NONE, .last = r->last }; /* its unit is that of all of them */
    pie->slice[SLICES].x += r->x;
    pie->rest_least = pie->n_rest == 0 ? r->x : fmin (pie->rest_least, r->x);
    pie->rest_most = fmax (pie->rest_most, r->x);
    pie->n_rest++;
  }
  pie->r = fmax (fmin (height / 2, scene->width_px * 0.25), 10);
  pie->x = 16 + pie->r;
  pie->y = CHART_TOP + height / 2;
}

/* How far those in the rest are from being alike: of very many the rest is nearly all; NULL: there are not several. */
static char *
bar_each_of_rest (const Pie *pie)
{
  if (pie->n_rest < 2)
    return NULL;
  const ChartRow *rest = &pie->slice[SLICES];
  g_autofree char *least = chart_number (pie->rest_least, rest->last->unit),
                  *most = chart_number (pie->rest_most, rest->last->unit),
                  *mean = chart_number (rest->x / pie->n_rest, rest->last->unit);
  return g_strdup_printf (_ ("each %s to %s, mean %s"), least, most, mean);
}

/* A line beside the disc: place, name, number, share. */
static void
bar_draw_line (Drawing *d, Paint *p, const Pie *pie, guint i, double y, const char *name, uint32_t rgb, bool chosen,
               const DrawingTag *tag)
{
  const ChartRow *r = &pie->slice[i];
  double x = pie->x + pie->r + 28, right = fmin (p->scene->width_px - 12, x + 330), numbers = 150;
  g_autofree char *number = chart_number (r->x, r->last->unit), *share = number_share (r->x / pie->sum, 1, "\u2009");
  g_autofree char *place = g_strdup_printf ("%u", i + 1);

  drawing_area (d, x, y - 9, fmax (right - x, 20), 18, tag);
  drawing_rect (d, x, round (y) - 7, 14, 14, rgb, 1, NULL);
  paint_text (p, x + 7, y, 0.5, PAINT_SMALL | PAINT_BOLD, paint_ink_on (rgb), 0, place);
  paint_text (p, x + 22, y, 0, (chosen ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT) | PAINT_NAME, p->ink,
              fmax (right - x - 22 - numbers, 40), name);
  if (right - x > 100 + numbers)
    paint_text (p, right - 64, y, 1, PAINT_TEXT, p->muted, 0, number);
  if (right - x > 100)
    paint_text (p, right, y, 1, PAINT_TEXT | PAINT_BOLD, p->ink, 0, share);
}

static void
bar_draw_slice (Drawing *d, Paint *p, const Pie *pie, guint i, double at, double turn, uint32_t rgb, bool chosen,
                const DrawingTag *tag)
{
  cairo_t *cr = p->cr;

  drawing_sector (d, pie->x, pie->y, pie->r * 0.56, chosen ? pie->r + 5 : pie->r, at, at + turn, rgb, tag);
  paint_source (cr, p->paper, 1); /* a line of paper between slices: not by colour alone */
  cairo_set_line_width (cr, pie->n > 1 ? 1.5 : 0);
  cairo_new_path (cr);
  cairo_arc (cr, pie->x, pie->y, chosen ? pie->r + 5 : pie->r, at, at + turn);
  cairo_arc_negative (cr, pie->x, pie->y, pie->r * 0.56, at + turn, at);
  cairo_close_path (cr);
  cairo_stroke (cr);
  if (turn > 0.35) {
    double middle = at + turn / 2;
    g_autofree char *place = g_strdup_printf ("%u", i + 1);
    paint_text (p, pie->x + pie->r * 0.78 * cos (middle), pie->y + pie->r * 0.78 * sin (middle), 0.5,
                PAINT_SMALL | PAINT_BOLD, paint_ink_on (rgb), 0, place);
  }
}

static bool
has_one_slice (const Pie *pie, const ViewScene *scene, TraceRef owner)
{
  guint n = 0;

  for (guint i = 0; i < pie->n; i++)
    n += pie->slice[i].name != NULL && trace_ref_same (chart_row_tag (scene, &pie->slice[i]).what, owner);
  return n <= 1;
}

static bool
build_pie (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Bar *b = (Bar *) c;
  g_autoptr (GArray) rows = bar_rows_of (b, scene, SLICES + 1);
  g_autofree char *rest = NULL, *all = NULL;
  double at = -G_PI / 2;
  Paint *p = drawing_begin (d);
  Pie pie;

  bar_cut (rows, scene, chart_differ_in ((ChartView *) c), &pie);
  if (pie.n > 0)
    all = chart_number (pie.sum, pie.slice[0].last->unit);
  g_autofree char *sum = all != NULL ? g_strdup_printf (_ ("in all %s"), all) : NULL;
  chart_title (p, *b->title ? b->title : eve_name (c), sum);
  if (pie.n == 0)
    paint_sentence (p, "Nothing greater than 0 has come yet");
  rest = paint_told (P_ ("%u other", "%u others", pie.n_rest), pie.n_rest);
  g_autofree char *each = bar_each_of_rest (&pie);
  double line = fmin (24, (scene->height_px - CHART_TOP - 12) / fmax (pie.n, 1)), y = pie.y - line * (pie.n - 1) / 2;
  for (guint i = 0; i < pie.n; i++, y += line) {
    const ChartRow *r = &pie.slice[i];
    const char *name = r->name != NULL ? r->name : rest;
    double turn = r->x / pie.sum * 2 * G_PI;
    DrawingTag tag = r->name != NULL ? chart_row_tag (scene, r) : (DrawingTag){ DRAWING_NO_DATES, .part = REST };
    TraceRef of = has_one_slice (&pie, scene, tag.what) ? tag.what : (TraceRef){ 0 };
    uint32_t rgb = i == SLICES && r->name == NULL ? p->faint : chart_colour_of (scene, of, name, i, MAX (pie.n, 2));
    bool chosen = r->name != NULL && chart_row_is_chosen (scene, r);
    bar_draw_slice (d, p, &pie, i, at, turn, rgb, chosen, &tag);
    bar_draw_line (d, p, &pie, i, y, name, rgb, chosen, &tag);
    at += turn;
  }
  if (each != NULL && y < scene->height_px - 10) {
    double x = pie.x + pie.r + 50;
    paint_text (p, x, y - line / 4, 0, PAINT_SMALL, p->muted, fmax (scene->width_px - 12 - x, 20), each);
  }
  return true;
}

static void
say_slice (EveComponent *c, const ViewScene *scene, const DrawingMark *m, GString *name, GString *facts)
{
  g_autoptr (GArray) rows = bar_rows_of ((Bar *) c, scene, SLICES + 1);
  Pie pie;

  bar_cut (rows, scene, chart_differ_in ((ChartView *) c), &pie);
  for (guint i = 0; i < pie.n; i++) {
    const ChartRow *r = &pie.slice[i];
    bool group = m->tag.part == CHART_IN_GROUP;
    if (m->tag.part == REST ? r->name != NULL
                            : r->name == NULL || r->place != m->tag.index || (r->part != TRACE_NONE) != group)
      continue;
    g_autofree char *number = chart_number (r->x, r->last->unit), *share = number_share (r->x / pie.sum, 1, "\u2009");
    if (r->name != NULL)
      g_string_append (name, r->name);
    else
      paint_tell (name, P_ ("%u other", "%u others", pie.n_rest), pie.n_rest);
    g_string_append_printf (name, _ (": %s, %s"), number, share);
    g_autofree char *each = r->name == NULL ? bar_each_of_rest (&pie) : NULL;
    if (each != NULL)
      g_string_append_printf (name, "%s%s", _ ("; "), each);
    return;
  }
}

/* The rest stands for all that have no slice of their own. */
static void
owners_of_slice (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  g_autoptr (GArray) rows = bar_rows_of ((Bar *) c, scene, SLICES + 1);
  Pie pie;

  if (m->tag.part == CHART_IN_GROUP)
    chart_row_owners (c, scene, m, to);
  bar_cut (rows, scene, chart_differ_in ((ChartView *) c), &pie);
  for (guint i = 0; m->tag.part == REST && i < rows->len; i++) {
    const ChartRow *r = &g_array_index (rows, ChartRow, i);
    bool alone = false;
    for (guint k = 0; k < pie.n; k++)
      alone |= pie.slice[k].name != NULL && pie.slice[k].place == r->place;
    if (!alone && r->x > 0 && r->part != TRACE_NONE)
      chart_add_part (scene, r->part, to);
    else if (!alone && r->x > 0)
      trace_refs_add (to, stats_owner_ref (r->last, scene->graph));
  }
}

/* ---- both ------------------------------------------------------------------------------------------------------------------ */

static const View bars = { .title = "Bars",
                           .spans = VIEW_OF_INSTANT,
                           .build = build_bars,
                           .say = say_bar,
                           .owners = chart_row_owners,
                           .depends = chart_depends,
                           .csv = chart_view_csv };
static const View slices = { .title = "Pie",
                             .spans = VIEW_OF_INSTANT,
                             .build = build_pie,
                             .say = say_slice,
                             .owners = owners_of_slice,
                             .depends = chart_depends,
                             .csv = chart_view_csv };

VIEW_QUERY (query_bars, bars)
VIEW_QUERY (query_pie, slices)

static const EveClass bar = {
  VIEW_CLASS (Bar), CHART_VIEW_CLASS,    .id = "scope.bar",
  .label = "Bars",  .query = query_bars, .doc = "The last number of each owner, as bars beside each other.",
};
static const EveClass pie_class = {
  VIEW_CLASS (Bar),
  CHART_VIEW_CLASS,
  .id = "scope.pie",
  .label = "Pie",
  .query = query_pie,
  .doc = "The last number of each owner as a share of their sum.",
  .help = "The seven largest slices stand alone, the rest is one, of which the least, the most and the mean are told. "
          "Numbers that are not greater than 0 have no slice.",
};
EVE_PLUGIN (&bar, &pie_class);
