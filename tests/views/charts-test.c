/* SPDX-License-Identifier: Apache-2.0 */
/* charts-test.c - numbers and scales against tables, charts against what they were fed. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/harness.h"
#include "views/chart-matrix.h"
#include "views/groups.h"

/* ---- numbers and scales -------------------------------------------------------------------------------------------------- */

static void
test_numbers (void)
{
  static const struct {
    double x;
    const char *unit, *text;
  } rows[] = {
    { 0, NULL, "0" },
    { 0.0499, "%", "< 0.1\u2009%" }, /* not as nothing */
    { 0.25, NULL, "0.25" },
    { 1.0 / 3, NULL, "0.3333" },
    { 12345, NULL, "12,345" },
    { 1e6, NULL, "1,000,000" },
    { 19.44, "%", "19.4\u2009%" },
    { 0.00458, "s", "4.58\u2009ms" },
    { 65536, "B", "65.5 kB" },
    { -2, NULL, "-2" },
    { 1e-9, NULL, "1e-09" },
    { 7, "events", "7\u2009events" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = chart_number (rows[i].x, rows[i].unit);
    g_assert_cmpstr (text, ==, rows[i].text);
  }
  g_autofree char *none = chart_number (NAN, "s"), *endless = chart_number (INFINITY, NULL);
  g_assert_cmpstr (none, ==, "–");
  g_assert_cmpstr (endless, ==, "∞");
}

/* Numbers that a sentence prints are in threes; digits of names, and of any text, are not. */
static void
test_told (void)
{
  g_autofree char *plain = paint_told ("%u of %u tasks", 1234u, 100000u);
  g_autofree char *named = paint_told ("%s: %u (%d), 12345 %%, %s", "process 12345", 12345u, -12345, "56789");
  g_autofree char *turned = paint_told ("%2$s has %1$u", 1000000u, "12345");
  g_autofree char *wide = paint_told ("%" PRIu64 "/%zu", UINT64_MAX, (size_t) 7);
  g_autoptr (GString) note = g_string_new ("task 12345");

  g_assert_cmpstr (plain, ==, "1234 of 100,000 tasks");
  g_assert_cmpstr (named, ==, "process 12345: 12,345 (-12,345), 12345 %, 56789");
  g_assert_cmpstr (turned, ==, "12345 has 1,000,000");
  g_assert_cmpstr (wide, ==, "18,446,744,073,709,551,615/7");
  paint_tell (note, "; %u hidden", 54321u);
  g_assert_cmpstr (note->str, ==, "task 12345; 54,321 hidden");
}

static void
test_scale (void)
{
  GRand *r = g_rand_new_with_seed (3);

  for (int i = 0; i < 20000; i++) {
    double lo = ldexp (g_rand_double_range (r, -1, 1), g_rand_int_range (r, -40, 40)),
           hi = lo + ldexp (g_rand_double (r), g_rand_int_range (r, -40, 40));
    int most = g_rand_int_range (r, 2, 12);
    ChartScale s;
    chart_scale (&s, lo, hi, NULL, most);
    g_assert_true (s.lo < s.hi && s.step > 0);
    g_assert_cmpfloat (s.lo, <=, lo + s.step * 1e-6);
    g_assert_cmpfloat (s.hi, >=, hi - s.step * 1e-6);
    g_assert_cmpfloat ((s.hi - s.lo) / s.step, <=, most + 2);
  }
  ChartScale s;
  chart_scale (&s, 0, 100, "%", 11);
  g_assert_cmpfloat (s.step, ==, 10);
  chart_scale (&s, 0, 0.0043, "s", 6);
  g_assert_cmpstr (s.unit, ==, "ms");
  g_autofree char *label = chart_label (&s, 0.002);
  g_assert_cmpstr (label, ==, "2");
  chart_scale (&s, NAN, INFINITY, NULL, 5);
  g_assert_true (s.lo < s.hi);
  chart_scale (&s, 5, 5, NULL, 5);
  g_assert_true (s.lo < 5 && s.hi > 5);
  for (int i = 0; i < 2000; i++) { /* of what is counted no label is a half */
    double hi = i < 50 ? i / 10.0 : ldexp (g_rand_double (r), g_rand_int_range (r, -3, 30));
    chart_scale_whole (&s, 0, fmax (hi, 0.1), NULL, g_rand_int_range (r, 2, 12));
    g_assert_true (s.lo == 0 && s.step >= 1 && s.step == floor (s.step) && s.hi >= hi && s.hi == floor (s.hi));
    g_assert_cmpint (s.decimals, ==, 0);
  }
  g_rand_free (r);
}

/* However large the numbers, nothing is drawn left of the picture. */
static void
test_scale_has_room (void)
{
  static const char *const units[] = { NULL, "words", "B", "s", "messages" };
  ViewColours *colours = view_colours_load ();
  const ViewScene scene = {
    .width_px = 600, .height_px = 300, .scale = 1, .from = 1, .at = INT64_MIN, .colours = colours
  };

  for (int power = -9; power <= 14; power++)
    for (guint i = 0; i < G_N_ELEMENTS (units); i++) {
      cairo_surface_t *on = cairo_recording_surface_create (CAIRO_CONTENT_COLOR_ALPHA, NULL);
      cairo_t *cr = cairo_create (on);
      double x, y, width, height;
      ChartScale s;
      Paint p;

      paint_begin (&p, &scene, cr);
      chart_scale (&s, power % 2 == 0 ? -pow (10, power) : 0, 2.96 * pow (10, power), units[i], 6);
      chart_scale_y (&p, &s, 64, 580, 40, 280);
      paint_end (&p);
      cairo_destroy (cr);
      cairo_recording_surface_ink_extents (on, &x, &y, &width, &height);
      g_test_message ("10^%d %s: from %g on", power, units[i], x);
      g_assert_cmpfloat (x, >=, 0);
      cairo_surface_destroy (on);
    }
  view_colours_free (colours);
}

/* ---- charts alone -------------------------------------------------------------------------------------------------------------- */

typedef struct Stage {
  Harness *h;
  EveComponent *c;
  const View *view;
  ViewScene scene;
  ViewColours *colours;
} Stage;

static void
set_up (Stage *s, const char *class)
{
  const EveClass *k = eve_registry_find (class);

  g_assert_nonnull (k);
  *s = (Stage){ .h = harness_new (k), .colours = view_colours_load () };
  s->c = harness_component (s->h);
  s->view = view_get (s->c);
  g_assert_nonnull (s->view);
  s->scene = (ViewScene){ .width_px = 600,
                          .height_px = 300,
                          .scale = 1,
                          .from = 1,
                          .to = 0,
                          .at = INT64_MIN,
                          .colours = s->colours,
                          .event = UINT64_MAX };
}

static void
tear_down (Stage *s)
{
  harness_free (s->h);
  view_colours_free (s->colours);
}

static cairo_surface_t *
draw (Stage *s)
{
  cairo_surface_t *on = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) s->scene.width_px,
                                                    (int) s->scene.height_px);
  cairo_t *cr = cairo_create (on);
  g_autoptr (GError) error = NULL;

  g_assert_true (view_draw (s->c, s->view, &s->scene, cr, &error));
  g_assert_no_error (error);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (on);
  return on;
}

static uint32_t
pixel (cairo_surface_t *of, double x, double y)
{
  const uint8_t *row = cairo_image_surface_get_data (of) + (int) y * cairo_image_surface_get_stride (of);

  return ((const uint32_t *) (const void *) row)[(int) x] & 0xffffff;
}

static GArray *
items_of (Stage *s)
{
  GArray *items = g_array_new (FALSE, TRUE, sizeof (ViewItem));

  g_autoptr (Drawing) d = view_marks (s->c, s->view, &s->scene, 1000, NULL);
  view_items (s->c, s->view, &s->scene, d, items, 1000);
  return items;
}

static const ViewItem *
item_called (const GArray *items, const char *name)
{
  for (guint i = 0; i < items->len; i++)
    if (g_str_equal (g_array_index (items, ViewItem, i).name, name))
      return &g_array_index (items, ViewItem, i);
  for (guint i = 0; i < items->len; i++)
    g_test_message ("there is: %s", g_array_index (items, ViewItem, i).name);
  g_error ("no item is called %s", name);
}

static void
free_items (GArray *items)
{
  for (guint i = 0; i < items->len; i++)
    g_free (g_array_index (items, ViewItem, i).name);
  g_array_unref (items);
}

/* The gauge computes the extremes itself; sections have the colours of the table, which colour_at() names. */
static void
test_gauge (void)
{
  Stage s;
  const char *attribute, *section = NULL;

  set_up (&s, "scope.gauge");
  harness_set (s.h, "from", "0");
  harness_set (s.h, "to", "100");
  cairo_surface_destroy (draw (&s)); /* nothing yet: a sentence */
  harness_feed (s.h, "value", &eve_type_double, (double[]){ 40, 10, NAN, 80, 60 }, 5);
  harness_run (s.h);
  GArray *items = items_of (&s);
  g_assert_cmpuint (items->len, ==, 1);
  const ViewItem *i = item_called (items, "all: 60, least 10, most 80");
  cairo_surface_t *on = draw (&s);
  Drawing *marks = view_marks (s.c, s.view, &s.scene, 100, NULL);
  static const struct {
    double at;
    const char *section;
  } rows[] = { { 0.05, "Minimum" }, { 0.3, "Current" }, { 0.7, "Maximum" }, { 0.9, NULL } };
  for (size_t k = 0; k < G_N_ELEMENTS (rows); k++) {
    double x = i->x + rows[k].at * i->width, y = i->y + i->height / 2;
    bool found = view_colour_at (s.c, s.view, &s.scene, marks, x, y, &attribute, &section);
    g_assert_cmpstr (section, ==, rows[k].section);
    g_assert_cmpint (found, ==, rows[k].section != NULL);
    if (found) {
      g_assert_cmpstr (attribute, ==, "Gauge");
      g_assert_cmphex (pixel (on, x, y), ==, view_colour (s.colours, "Gauge", section, false));
    }
    section = NULL;
  }
  drawing_free (marks);
  cairo_surface_destroy (on);
  free_items (items);
  harness_set (s.h, "show minimum", "false"); /* sections can be left out */
  items = items_of (&s);
  marks = view_marks (s.c, s.view, &s.scene, 100, NULL);
  g_assert_true (view_colour_at (s.c, s.view, &s.scene, marks, g_array_index (items, ViewItem, 0).x + 5,
                                 g_array_index (items, ViewItem, 0).y + 20, &attribute, &section));
  g_assert_cmpstr (section, ==, "Current");
  drawing_free (marks);
  free_items (items);
  tear_down (&s);
}

static void
test_bars (void)
{
  StatsDatum d[] = {
    { .date = 1, .value.real = 2, .owner = 0, .owner_kind = STATS_OF_KIND },
    { .date = 2, .value.real = 30, .owner = 1, .owner_kind = STATS_OF_KIND },
    { .date = 3, .value.real = 8, .owner = 2, .owner_kind = STATS_OF_KIND },
    { .date = 4, .value.real = 10, .owner = 0, .owner_kind = STATS_OF_KIND },
  };
  Stage s;

  set_up (&s, "scope.bar");
  harness_feed (s.h, "value", &stats_type_datum, d, G_N_ELEMENTS (d));
  harness_run (s.h);
  GArray *items = items_of (&s); /* largest first, the last of each */
  g_assert_cmpuint (items->len, ==, 3);
  g_assert_cmpstr (g_array_index (items, ViewItem, 0).name, ==, "1: 30");
  g_assert_cmpstr (g_array_index (items, ViewItem, 1).name, ==, "0: 10");
  g_assert_cmpstr (g_array_index (items, ViewItem, 2).name, ==, "2: 8");
  free_items (items);
  cairo_surface_destroy (draw (&s));
  g_autoptr (GString) csv = g_string_new (NULL);
  g_assert_true (view_csv (s.c, s.view, &s.scene, csv, NULL));
  g_assert_cmpstr (csv->str, ==,
                   "owner,date [s],value,unit,min,max,count\r\n0,,10,,2,10,2\r\n1,,30,,30,30,1\r\n2,,8,,8,8,1\r\n");
  tear_down (&s);

  set_up (&s, "scope.pie");
  harness_feed (s.h, "value", &stats_type_datum, d, G_N_ELEMENTS (d));
  harness_run (s.h);
  items = items_of (&s);
  item_called (items, "1: 30, 62.5\u2009%"); /* 30 of 48 */
  item_called (items, "0: 10, 20.8\u2009%");
  item_called (items, "2: 8, 16.7\u2009%");
  free_items (items);
  cairo_surface_destroy (draw (&s));
  tear_down (&s);
}

static void
test_histogram (void)
{
  Stage s;
  StatsHistogram *h = stats_histogram_new ("waits", NULL, 0, 4, 4);

  h->below = 2;
  h->above = 1;
  h->bins[0] = 5;
  h->bins[2] = 3;
  h->count = 11;
  h->min = -1;
  h->max = 9;
  h->mean = 1.5;
  set_up (&s, "scope.histogram-view");
  cairo_surface_destroy (draw (&s));
  harness_feed (s.h, "histogram", &stats_type_histogram, &h, 1);
  stats_unref (&stats_type_histogram, h);
  harness_run (s.h);
  GArray *items = items_of (&s);
  item_called (items, "below 0: 2");
  item_called (items, "above 4: 1");
  const ViewItem *first = item_called (items, "0 to 1: 5"), *third = item_called (items, "2 to 3: 3");
  g_assert_cmpfloat_with_epsilon (third->height / first->height, 3.0 / 5, 0.02); /* heights tell the counts */
  cairo_surface_t *on = draw (&s);
  g_assert_cmphex (pixel (on, first->x + first->width / 2, first->y + first->height - 3), ==,
                   chart_colour (&s.scene, NULL, 0, 1));
  g_assert_cmphex (pixel (on, third->x + third->width / 2, third->y - 6), !=, chart_colour (&s.scene, NULL, 0, 1));
  cairo_surface_destroy (on);
  free_items (items);
  harness_set (s.h, "cumulated", "true"); /* each with what is below it */
  items = items_of (&s);
  first = item_called (items, "up to 1: 7");
  item_called (items, "up to 2: 7");
  third = item_called (items, "up to 3: 10");
  item_called (items, "up to 4: 10");
  item_called (items, "all: 11");
  g_assert_cmpfloat_with_epsilon (third->height / first->height, 10.0 / 7, 0.02);
  free_items (items);
  tear_down (&s);
}

static void
test_table (void)
{
  static const StatsColumn columns[] = { { "task", NULL, STATS_CELL_TEXT },
                                         { "sum", "s", STATS_CELL_REAL },
                                         { "n", NULL, STATS_CELL_WHOLE } };
  StatsTable *t = stats_table_new ("sums", columns, 3, 3);
  Stage s;

  stats_table_set_text (t, 0, 0, "a");
  stats_table_set_text (t, 1, 0, "b");
  stats_cell (t, 0, 1)->real = 0.002;
  stats_cell (t, 1, 1)->real = 0.5;
  stats_cell (t, 0, 2)->whole = 7;
  set_up (&s, "scope.table-view");
  cairo_surface_destroy (draw (&s));
  harness_set (s.h, "sort by", "sum");
  harness_set (s.h, "descending", "true");
  harness_feed (s.h, "table", &stats_type_table, &t, 1);
  stats_unref (&stats_type_table, t);
  harness_run (s.h);
  GArray *items = items_of (&s);
  const ViewItem *b = item_called (items, "task b, sum 500\u2009ms, n –"),
                 *a = item_called (items, "task a, sum 2.00\u2009ms, n 7");
  const ViewItem *none = item_called (items, "task –, sum –, n –");
  g_assert_true (b->y < a->y && a->y < none->y); /* what is nothing comes last, whatever the order */
  item_called (items, "column sum");
  cairo_surface_destroy (draw (&s));
  free_items (items);
  tear_down (&s);
}

static void
test_matrix (void)
{
  StatsMatrix *m = stats_matrix_new ("volume", "B", 2, 2);
  Stage s;
  ViewItem under = { 0 };

  stats_matrix_name (m, false, 0, "x");
  stats_matrix_name (m, false, 1, "y");
  stats_matrix_name (m, true, 0, "x");
  stats_matrix_name (m, true, 1, "y");
  m->values[1] = 512;
  m->values[2] = 2048;
  m->values[3] = NAN;
  m->flows = true;
  set_up (&s, "scope.matrix-view");
  cairo_surface_destroy (draw (&s));
  harness_feed (s.h, "matrix", &stats_type_matrix, &m, 1);
  stats_unref (&stats_type_matrix, m);
  harness_run (s.h);
  GArray *items = items_of (&s);
  g_assert_cmpuint (items->len, ==,
                    6); /* those that hold something, the largest first; then names of rows and columns */
  item_called (items, "row x");
  item_called (items, "column y");
  g_assert_cmpstr (g_array_index (items, ViewItem, 0).name, ==, "y to x: 2.0 kB");
  const ViewItem *i = &g_array_index (items, ViewItem, 1);
  g_assert_cmpstr (i->name, ==, "x to y: 512 B");
  g_assert_true (view_item_at (s.c, s.view, &s.scene, NULL, i->x + 3, i->y + 3, &under, NULL));
  g_assert_cmpstr (under.name, ==, i->name);
  g_free (under.name);
  g_assert_false (view_item_at (s.c, s.view, &s.scene, NULL, 1, 1, &under, NULL));
  cairo_surface_destroy (draw (&s));
  free_items (items);
  tear_down (&s);
}

/* And no name of a row or column. */
static bool
is_cell (const ViewItem *item)
{
  return strstr (item->name, " to ") != NULL;
}

/* How far apart two colours are, at most over red, green and blue. */
static int
apart (uint32_t a, uint32_t b)
{
  int most = 0;

  for (int shift = 0; shift < 24; shift += 8)
    most = MAX (most, abs ((int) (a >> shift & 0xff) - (int) (b >> shift & 0xff)));
  return most;
}

/* The shade of a share of the way from nothing to all. */
static uint32_t
shade_of (double share)
{
  static const uint32_t stops[] = { 0xf3f6fa, 0xbfd7ea, 0x6aaed6, 0x2171b5, 0x08306b };
  int k = share >= 1 ? 3 : (int) (share * 4);
  uint32_t want = 0;

  for (int shift = 0; shift < 24; shift += 8) {
    double a = stops[k] >> shift & 0xff, b = stops[k + 1] >> shift & 0xff;
    want |= (uint32_t) lround (a + (b - a) * (share * 4 - k)) << shift;
  }
  return want;
}

/* The shade of each cell and of the scale beside them, worked out from the numbers: from light to deep with the share
 * of the largest, or with that of the logarithms. */
static void
test_matrix_shades (void)
{
  static const uint32_t stops[] = { 0xf3f6fa, 0xbfd7ea, 0x6aaed6, 0x2171b5, 0x08306b };

  for (int logarithmic = 0; logarithmic < 2; logarithmic++)
    for (int negative = 0; negative < 2; negative++) {
      StatsMatrix *m = stats_matrix_new ("volume", "B", 5, 4);
      double lo = INFINITY, hi = -INFINITY;
      Stage s;
      for (uint32_t i = 0; i < 20; i++) {
        double x = m->values[i] = (i * 37 % 20) * 50.0 - (negative ? 300 : -50);
        x = logarithmic ? (x > 0 ? log10 (x) : NAN) : x;
        lo = fmin (lo, x);
        hi = fmax (hi, x);
      }
      if (!logarithmic)
        lo = fmin (lo, 0);
      for (uint32_t i = 0; i < 9; i++) {
        char name[2] = { (char) ('a' + i), '\0' };
        stats_matrix_name (m, i >= 5, i >= 5 ? i - 5 : i, name);
      }
      set_up (&s, "scope.matrix-view");
      harness_set (s.h, "logarithmic", logarithmic ? "true" : "false");
      harness_feed (s.h, "matrix", &stats_type_matrix, &m, 1);
      harness_run (s.h);
      GArray *items = items_of (&s);
      cairo_surface_t *on = draw (&s);
      for (guint i = 0; i < items->len; i++) {
        const ViewItem *cell = &g_array_index (items, ViewItem, i);
        if (!is_cell (cell))
          continue;
        uint32_t row = (uint32_t) (cell->name[0] - 'a'), column = (uint32_t) (cell->name[5] - 'f');
        double x = m->values[row * 4 + column], share = ((logarithmic ? log10 (x) : x) - lo) / (hi - lo);
        share = isnan (share) ? 0 : share;
        g_assert_cmpint (apart (pixel (on, cell->x + 3, cell->y + 3), shade_of (share)), <=, 2);
      }
      /* beside them the scale, the deepest above */
      double x = s.scene.width_px - 92.0 + 6 + 7, y0 = 56, h = fmin (160, s.scene.height_px - y0 - 24);
      for (int k = 0; k <= 4; k++)
        g_assert_cmpint (apart (pixel (on, x, y0 + 2 + (h - 4) * (4 - k) / 4), stops[k]), <=, 6);
      cairo_surface_destroy (on);
      free_items (items);
      stats_unref (&stats_type_matrix, m);
      tear_down (&s);
    }
}

/* A contour has at each cell, and half-way to the next one, the shade of the lines that are below; squares as sizes
 * have the area of their number. */
static void
test_contour (void)
{
  enum { ROWS = 5, COLUMNS = 4 };

  for (int contour = 0; contour < 2; contour++) {
    StatsMatrix *m = stats_matrix_new ("height", "m", ROWS, COLUMNS);
    guint checked = 0;
    Stage s;
    m->flows = true; /* its cells are called "a to f" */
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
      m->values[i] = (i * 37 % 20) * 5 + 2; /* 2 to 97: lines at 20, 40, 60, 80, or at each ten */
    for (uint32_t i = 0; i < ROWS + COLUMNS; i++) {
      char name[2] = { (char) ('a' + i), '\0' };
      stats_matrix_name (m, i >= ROWS, i >= ROWS ? i - ROWS : i, name);
    }
    set_up (&s, "scope.matrix-view");
    harness_set (s.h, "as", contour ? "contour" : "sizes");
    harness_set (s.h, "numbers", "false");
    harness_feed (s.h, "matrix", &stats_type_matrix, &m, 1);
    harness_run (s.h);
    GArray *items = items_of (&s);
    cairo_surface_t *on = draw (&s);
    ChartScale scale;
    chart_scale (&scale, 0, 97, NULL, 8);
    guint n = (guint) floor (96.999 / scale.step);
    for (guint i = 0; i < items->len; i++) {
      const ViewItem *cell = &g_array_index (items, ViewItem, i);
      if (!is_cell (cell))
        continue;
      uint32_t row = (uint32_t) (cell->name[0] - 'a'), column = (uint32_t) (cell->name[5] - 'a' - ROWS);
      double x = m->values[row * COLUMNS + column], middle_x = cell->x + cell->width / 2,
             middle_y = cell->y + cell->height / 2;
      if (contour) {
        double next = column + 1 < COLUMNS ? (x + m->values[row * COLUMNS + column + 1]) / 2 : x;
        g_assert_cmpint (apart (pixel (on, middle_x, middle_y), shade_of (floor (x / scale.step) / n)), <=, 2);
        if (fabs (remainder (next, scale.step)) > 1)
          g_assert_cmpint (apart (pixel (on, middle_x + (next == x ? 0 : cell->width / 2), middle_y),
                                  shade_of (floor (next / scale.step) / n)),
                           <=, 2);
      } else {
        double side = (fmin (cell->width, cell->height) - 2) * sqrt (x / 97);
        g_assert_cmpint (apart (pixel (on, middle_x + side / 2 - 2, middle_y), shade_of (0.75)), <=, 2);
        if (side + 6 < cell->width)
          g_assert_cmpint (apart (pixel (on, middle_x + side / 2 + 2, middle_y), 0xffffff), <=, 2);
      }
      checked++;
    }
    g_assert_cmpuint (checked, ==, ROWS * COLUMNS);
    cairo_surface_destroy (on);
    free_items (items);
    stats_unref (&stats_type_matrix, m);
    tear_down (&s);
  }
}

/* More rows than the picture has room for: numbers that add up are added, shares are not; nothing is left out. */
static void
test_matrix_together (void)
{
  for (int means = 0; means < 2; means++) {
    const uint32_t rows = 2003, columns = 3;
    StatsMatrix *m = stats_matrix_new ("share", "%", rows, columns);
    Stage s;
    char name[16];
    double left = INFINITY;

    m->means = means;
    m->flows = true;
    for (uint32_t i = 0; i < rows; i++) {
      stats_matrix_name (m, false, i, (g_snprintf (name, sizeof name, "t%u", i), name));
      for (uint32_t k = 0; k < columns; k++)
        m->values[i * columns + k] = i % 7 == k ? NAN : 1 + (i * 31 + k * 17) % 99;
    }
    set_up (&s, "scope.matrix-view");
    harness_feed (s.h, "matrix", &stats_type_matrix, &m, 1);
    harness_run (s.h);
    GArray *items = items_of (&s);
    uint32_t seen = 0;
    for (guint i = 0; i < items->len; i++)
      if (is_cell (&g_array_index (items, ViewItem, i)))
        left = fmin (left, g_array_index (items, ViewItem, i).x);
    for (guint i = 0; i < items->len; i++) {
      const ViewItem *cell = &g_array_index (items, ViewItem, i);
      if (!is_cell (cell))
        continue;
      uint32_t from = 0, to = 0, column = (uint32_t) lround ((cell->x - left) / cell->width), n = 0;
      double want = 0, number = g_ascii_strtod (strstr (cell->name, ": ") + 2, NULL);
      g_assert_cmpint (sscanf (cell->name, "t%u \u2026 t%u to", &from, &to), ==, 2);
      for (uint32_t row = from; row <= to; row++)
        if (!isnan (m->values[row * columns + column])) {
          want += m->values[row * columns + column];
          n++;
        }
      seen += column == 0 ? to - from + 1 : 0;
      want = means ? want / n : want;
      g_assert_cmpfloat_with_epsilon (number, want, 0.006 * want);
    }
    g_assert_cmpuint (seen, ==, rows);
    cairo_surface_destroy (draw (&s));
    stats_unref (&stats_type_matrix, m);
    free_items (items);
    tear_down (&s);
  }
}

/* ---- tasks in groups, attributes of tasks ----------------------------------------------------------------------------- */

static StatsDatum
of_task (uint32_t task, uint32_t attribute, int64_t date, int64_t value)
{
  return (StatsDatum){ .date = date,
                       .value.whole = value,
                       .is_whole = 1,
                       .owner = task,
                       .owner_kind = STATS_OF_TASK,
                       .attribute = attribute & STATS_MOST_ATTRIBUTES };
}

static void
feed (Stage *s, const char *in, const StatsDatum *d, size_t n)
{
  harness_feed (s->h, in, &stats_type_datum, d, n);
}

/* x and y are two attributes of the same tasks: a task is one point.  Where y is of several, none of which x is of,
 * nobody knows which belongs to it. */
static void
test_scatter (void)
{
  const StatsDatum x[] = { of_task (0, 3, 1, 1), of_task (1, 3, 1, 2), of_task (2, 3, 1, 3) },
                   y[] = { of_task (2, 5, 1, 30), of_task (1, 5, 2, 20), of_task (0, 5, 1, 10), of_task (0, 6, 3, 99) };
  Stage s;

  for (int several = 0; several < 2; several++) {
    set_up (&s, "scope.scatter");
    feed (&s, "x", x, 3);
    feed (&s, "y", y, several ? 4 : 3);
    harness_run (s.h);
    GArray *items = items_of (&s);
    g_assert_cmpuint (items->len, ==, several ? 2 : 3);
    if (!several)
      item_called (items, "0: 1, 10");
    item_called (items, "1: 2, 20");
    item_called (items, "2: 3, 30");
    free_items (items);
    cairo_surface_destroy (draw (&s));
    tear_down (&s);
  }
  set_up (&s, "scope.scatter"); /* x is of one of those of y: the way is of it alone */
  feed (&s, "x", (StatsDatum[]){ of_task (0, 3, 1, 1), of_task (0, 3, 5, 2) }, 2);
  feed (&s, "y", (StatsDatum[]){ of_task (0, 3, 2, 10), of_task (0, 5, 3, 77), of_task (0, 3, 4, 20) }, 3);
  harness_run (s.h);
  g_autoptr (GString) csv = g_string_new (NULL);
  g_assert_true (view_csv (s.c, s.view, &s.scene, csv, NULL));
  g_assert_cmpstr (csv->str, ==, "owner,date [s],x,y\r\n0,,1,10\r\n0,,1,20\r\n0,,2,20\r\n0,,2,20\r\n");
  cairo_surface_destroy (draw (&s));
  tear_down (&s);
}

/* Tasks 0 to 3 are in a closed group, 4 is alone. */
static void
put_groups (Groups *g)
{
  static Group all[] = { { .name = (char *) "node", .parent = TRACE_NONE, .end = 1, .first = 0, .n = 4 } };
  static uint32_t order[] = { 0, 1, 2, 3, 4 }, part_of[] = { 0, 0, 0, 0, 1 };
  static GroupPart parts[] = { { 0, 0, 4, TRACE_NONE }, { TRACE_NONE, 4, 1, TRACE_NONE } };

  *g = (Groups){ NULL, all, 1, 5, order, parts, 2, part_of, 1 };
}

static void
test_bars_of_groups (void)
{
  static const char *const classes[] = { "scope.bar", "scope.pie" };
  TraceSource source = { 0 };
  Groups g;

  put_groups (&g);
  for (size_t k = 0; k < G_N_ELEMENTS (classes); k++) {
    Stage s;
    set_up (&s, classes[k]);
    for (uint32_t task = 0; task < 5; task++)
      for (uint32_t attribute = 1; attribute <= 2; attribute++)
        feed (&s, "value", (StatsDatum[]){ of_task (task, attribute, 1, (task + 1) * (attribute == 1 ? 1 : 100)) }, 1);
    harness_run (s.h);
    s.scene.groups = &g;
    s.scene.source = &source;
    GArray *items = items_of (&s);
    g_assert_cmpuint (items->len, ==, 4);
    item_called (items,
                 k == 0 ? "attribute 1 of node (4): 10, 1 (0) to 4 (3)" : "attribute 1 of node (4): 10, 0.7\u2009%");
    item_called (items, k == 0 ? "attribute 2 of node (4): 1000, 100 (0) to 400 (3)"
                               : "attribute 2 of node (4): 1000, 66.0\u2009%");
    item_called (items, k == 0 ? "attribute 2 of 4: 500" : "attribute 2 of 4: 500, 33.0\u2009%");
    free_items (items);
    g_autoptr (Drawing) marks = view_marks (s.c, s.view, &s.scene, 100, NULL);
    for (guint i = 0; i < drawing_n_marks (marks); i++) {
      g_autoptr (TraceRefs) owners = trace_refs_new ();
      view_owners (s.c, s.view, &s.scene, drawing_mark (marks, i), owners);
      g_assert_true (trace_refs_n (owners) == 4 || trace_refs_n (owners) == 1);
    }
    cairo_surface_destroy (draw (&s));
    tear_down (&s);
  }
}

/* Shares of a group and of a task beside it, in one cell: each number counts once. */
static void
test_matrix_means_of_groups (void)
{
  StatsMatrix *m = stats_matrix_new ("share", "%", 5, 1);
  TraceSource source = { 0 };
  ChartThing t = { .type = &stats_type_matrix, .thing = m };
  Groups g;
  double sum = 0;

  put_groups (&g);
  m->means = true;
  for (uint32_t i = 0; i < 5; i++) {
    stats_matrix_set_owners (m, false, i, trace_ref_task (0, i), 1);
    sum += m->values[i] = i < 4 ? 10 + i : 90;
  }
  const StatsMatrix *shown = chart_matrix_shown (&t, &(ViewScene){ .groups = &g, .source = &source });
  g_assert_cmpuint (shown->n_rows, ==, 2);
  g_assert_cmpfloat (chart_matrix_value (shown, 0, 0, 1, 1), ==, 11.5);
  g_assert_cmpfloat_with_epsilon (chart_matrix_value (shown, 0, 0, 2, 1), sum / 5, 1e-9);
  chart_matrix_free (t.shown);
  stats_unref (&stats_type_matrix, m);
}

static StatsMatrix *
matrix_of_tasks (uint32_t n)
{
  StatsMatrix *m = stats_matrix_new ("volume", "B", n, n);

  for (uint32_t i = 0; i < n * n; i++)
    m->values[i] = i + 1;
  for (uint32_t i = 0; i < n; i++) {
    stats_matrix_name (m, false, i, "row");
    stats_matrix_name (m, true, i, "column");
    for (int column = 0; n > 2 && column < 2; column++) /* of two: the second box asks by numbers alone */
      stats_matrix_set_owners (m, column, i, trace_ref_task (0, 2 * i), 2);
  }
  return m;
}

/* A mark that was drawn before is asked for what it is of when a smaller matrix has come, none is there any more, or
 * another builder is to tell: it is of nobody then. */
static void
test_old_marks (void)
{
  static const char *const classes[] = { "scope.matrix-view", "scope.scene" };

  for (size_t k = 0; k < G_N_ELEMENTS (classes); k++) {
    Stage s;
    StatsMatrix *large = matrix_of_tasks (30), *small = matrix_of_tasks (2);
    set_up (&s, classes[k]);
    if (k == 1)
      harness_set (s.h, "builder", "terrain");
    harness_feed (s.h, "matrix", &stats_type_matrix, &large, 1);
    harness_run (s.h);
    g_autoptr (Drawing) marks = view_marks (s.c, s.view, &s.scene, 2000, NULL);
    g_assert_cmpuint (drawing_n_marks (marks), >=, 900);
    for (int round = 0; round < (k == 1 ? 4 : 3); round++) {
      guint n = 0;
      GArray *items = g_array_new (FALSE, TRUE, sizeof (ViewItem));
      if (round == 1)
        harness_send (s.h, "matrix", &stats_type_matrix, &small);
      else if (round == 2)
        eve_reset (harness_program (s.h));
      else if (round == 3)
        harness_set (s.h, "builder", "kiviat over time");
      view_items (s.c, s.view, &s.scene, marks, items, 2000);
      for (guint i = 0; i < drawing_n_marks (marks); i++) {
        g_autoptr (TraceRefs) owners = trace_refs_new ();
        view_owners (s.c, s.view, &s.scene, drawing_mark (marks, i), owners);
        n += trace_refs_n (owners);
      }
      if (round == 0)
        g_assert_cmpuint (n, >, 900);
      else
        g_assert_cmpuint (n, ==, 0);
      free_items (items);
    }
    stats_unref (&stats_type_matrix, large);
    stats_unref (&stats_type_matrix, small);
    tear_down (&s);
  }
}

/* Every chart, in sizes from hardly anything to a wall: nothing breaks, both looks. */
static void
test_sizes (void)
{
  static const char *const charts[] = { "scope.gauge", "scope.bar", "scope.pie", "scope.value-panel" };

  for (size_t k = 0; k < G_N_ELEMENTS (charts); k++) {
    Stage s;
    set_up (&s, charts[k]);
    for (uint32_t i = 0; i < 5000; i++)
      harness_feed (s.h, "value", &stats_type_datum,
                    &(StatsDatum){ .date = i,
                                   .value.real = i % 7   ? i * 1e3
                                                 : i % 5 ? -1e9
                                                         : INFINITY,
                                   .owner = i,
                                   .owner_kind = STATS_OF_KIND },
                    1);
    harness_run (s.h);
    static const double sizes[][2] = { { 10, 10 }, { 40, 300 }, { 300, 40 }, { 640, 360 }, { 3000, 2000 } };
    for (size_t i = 0; i < G_N_ELEMENTS (sizes); i++) {
      s.scene.width_px = sizes[i][0];
      s.scene.height_px = sizes[i][1];
      s.scene.dark = i % 2;
      cairo_surface_destroy (draw (&s));
      free_items (items_of (&s));
    }
    tear_down (&s);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (g_getenv ("SCOPE_TEST_COMPONENTS"));
  eve_registry_load_all (problems);
  g_assert_cmpuint (problems->len, ==, 0);
  g_test_add_func ("/chart/numbers", test_numbers);
  g_test_add_func ("/chart/told", test_told);
  g_test_add_func ("/chart/scale", test_scale);
  g_test_add_func ("/chart/scale/room", test_scale_has_room);
  g_test_add_func ("/chart/gauge", test_gauge);
  g_test_add_func ("/chart/bars", test_bars);
  g_test_add_func ("/chart/histogram", test_histogram);
  g_test_add_func ("/chart/table", test_table);
  g_test_add_func ("/chart/matrix", test_matrix);
  g_test_add_func ("/chart/matrix-shades", test_matrix_shades);
  g_test_add_func ("/chart/contour", test_contour);
  g_test_add_func ("/chart/matrix-together", test_matrix_together);
  g_test_add_func ("/chart/scatter", test_scatter);
  g_test_add_func ("/chart/bars-of-groups", test_bars_of_groups);
  g_test_add_func ("/chart/matrix-means-of-groups", test_matrix_means_of_groups);
  g_test_add_func ("/chart/old-marks", test_old_marks);
  g_test_add_func ("/chart/sizes", test_sizes);
  return g_test_run ();
}
