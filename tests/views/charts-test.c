/* SPDX-License-Identifier: Apache-2.0 */
/* charts-test.c - histories of values against adding them up, numbers and scales against tables, charts against what
 * they were fed. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/harness.h"
#include "views/chart.h"
#include "views/history-values.h"

static char *folder;

/* ---- history of values ------------------------------------------------------------------------------------------------- */

static GArray *
random_samples (GRand *r, guint n)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (ValueSample));
  int64_t date = 1000;

  for (guint i = 0; i < n; i++) {
    ValueSample s = { .date = date += g_rand_int_range (r, 0, 5),
                      .value = g_rand_double_range (r, -10, 90),
                      .series = (uint8_t) g_rand_int_range (r, 0, 3) };
    if (g_rand_int_range (r, 0, 500) == 0)
      s.value = NAN;
    g_array_append_val (all, s);
  }
  return all;
}

/* The second way: every sample is looked at. */
static void
add_up (const GArray *all, int64_t from, double width, uint32_t n, ValueColumn *to, double before[VALUES_SERIES])
{
  for (int s = 0; s < VALUES_SERIES; s++)
    before[s] = NAN;
  for (guint i = 0; i < all->len; i++) {
    const ValueSample *s = &g_array_index (all, ValueSample, i);
    double x = ((double) s->date - (double) from) / width;
    if (s->date < from)
      before[s->series] = s->value;
    if (x < 0 || x >= n)
      continue;
    ValueColumn *c = &to[s->series * n + (uint32_t) x];
    c->last = s->value;
    if (!isfinite (s->value))
      continue;
    c->min = c->count == 0 ? s->value : fmin (c->min, s->value);
    c->max = c->count == 0 ? s->value : fmax (c->max, s->value);
    c->sum += s->value;
    c->count++;
  }
}

static void
compare (ValuesReader *r, const GArray *all, int64_t from, double width, uint32_t n, bool exact)
{
  g_autofree ValueColumn *got = g_new0 (ValueColumn, n * VALUES_SERIES),
                         *want = g_new0 (ValueColumn, n * VALUES_SERIES);
  double before[VALUES_SERIES], know[VALUES_SERIES];
  double sum = 0, sum_want = 0;
  uint64_t count = 0, count_want = 0;

  values_reader_columns (r, from, width, n, got, before);
  add_up (all, from, width, n, want, know);
  for (uint32_t s = 0; s < 3; s++) {
    double least = INFINITY, least_want = INFINITY;
    for (uint32_t i = s * n; i < (s + 1) * n; i++) {
      if (exact) {
        g_assert_cmpuint (got[i].count, ==, want[i].count);
        g_assert_cmpfloat_with_epsilon (got[i].sum, want[i].sum, 1e-6);
        g_assert_cmpfloat (got[i].min, ==, want[i].min);
        g_assert_cmpfloat (got[i].max, ==, want[i].max);
      }
      if (got[i].count > 0)
        least = fmin (least, got[i].min);
      if (want[i].count > 0)
        least_want = fmin (least_want, want[i].min);
      sum += got[i].sum;
      sum_want += want[i].sum;
      count += got[i].count;
      count_want += want[i].count;
    }
    /* what is at an edge of the picture may fall in or out when sums are used; the whole execution is exact */
    if (from <= 1000 && (exact || width * n > 1e9))
      g_assert_cmpfloat (least, ==, least_want);
    if (exact && !isnan (know[s]))
      g_assert_cmpfloat (before[s], ==, know[s]);
  }
  if (exact || (from <= 1000 && width * n > 1e9)) {
    g_assert_cmpuint (count, ==, count_want);
    g_assert_cmpfloat_with_epsilon (sum, sum_want, 1e-3);
  }
}

static bool
collect (void *arg, const ValueSample *s)
{
  g_array_append_vals (arg, s, 1);
  return true;
}

static void
test_history (void)
{
  g_autofree char *base = g_build_filename (folder, "history", NULL);
  GRand *r = g_rand_new_with_seed (7);
  g_autoptr (GArray) all = random_samples (r, 60000);
  g_autoptr (GError) error = NULL;
  CurveWriter *w = curve_writer_new (base, NULL, &error);
  HistoryPlace place = { { 0 } };
  guint placed = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < all->len; i++) {
    curve_writer_push (w, &g_array_index (all, ValueSample, i));
    if (g_rand_int_range (r, 0, 3000) == 0)
      g_assert_true (curve_writer_flush (w, INT64_MIN, &error));
    if (i == 30000) {
      g_assert_true (curve_writer_flush (w, INT64_MIN, &error));
      place = curve_writer_place (w);
      placed = i + 1;
    }
  }
  g_assert_true (curve_writer_flush (w, INT64_MAX, &error));
  curve_writer_free (w);
  for (int again = 0; again < 2; again++) {
    ValuesReader *reader = values_reader_open (base, &error);
    g_assert_no_error (error);
    g_assert_cmpint (values_reader_reach (reader), ==, INT64_MAX);
    compare (reader, all, 1000, 1e7, 100, false); /* the whole in one column, from sums */
    compare (reader, all, 1000, 150, 800, false);
    for (int i = 0; i < 20; i++) /* near enough that records are read */
      compare (reader, all, 1000 + g_rand_int_range (r, 0, 100000), g_rand_double_range (r, 0.3, 4), 300, true);
    g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (ValueSample));
    values_reader_each (reader, 40000, 41000, collect, some);
    guint k = 0;
    for (guint i = 0; i < all->len; i++) {
      const ValueSample *s = &g_array_index (all, ValueSample, i);
      if (s->date < 40000 || s->date >= 41000)
        continue;
      g_assert_cmpuint (k, <, some->len);
      g_assert_cmpint (g_array_index (some, ValueSample, k).date, ==, s->date);
      g_assert_cmpuint (g_array_index (some, ValueSample, k++).series, ==, s->series);
    }
    g_assert_cmpuint (k, ==, some->len);
    values_reader_free (reader);
    /* a film that was killed goes on from its last checkpoint: the same at the end */
    w = curve_writer_new (base, &place, &error);
    g_assert_no_error (error);
    for (guint i = placed; i < all->len; i++)
      curve_writer_push (w, &g_array_index (all, ValueSample, i));
    g_assert_true (curve_writer_flush (w, INT64_MAX, &error));
    curve_writer_free (w);
  }
  g_rand_free (r);
}

/* Flipped and cut bytes: told or harmless, never a crash or a wild value. */
static void
test_damage (void)
{
  g_autofree char *base = g_build_filename (folder, "damaged", NULL);
  char *path[3], *good[3];
  static const char *const endings[] = { ".index", ".records", ".sums" };
  GRand *r = g_rand_new_with_seed (11);
  g_autoptr (GArray) all = random_samples (r, 9000);
  gsize n[3];
  CurveWriter *w = curve_writer_new (base, NULL, NULL);

  for (guint i = 0; i < all->len; i++)
    curve_writer_push (w, &g_array_index (all, ValueSample, i));
  g_assert_true (curve_writer_flush (w, INT64_MAX, NULL));
  curve_writer_free (w);
  for (int i = 0; i < 3; i++) {
    path[i] = g_strconcat (base, endings[i], NULL);
    g_assert_true (g_file_get_contents (path[i], &good[i], &n[i], NULL));
  }
  for (int round = 0; round < 300; round++) {
    int which = g_rand_int_range (r, 0, 3);
    gsize length = round % 3 == 0 ? (gsize) g_rand_int_range (r, 0, (int) n[which]) : n[which];
    g_autofree char *bytes = g_memdup2 (good[which], n[which]);
    for (int k = 0; k < 4 && length == n[which]; k++)
      bytes[g_rand_int_range (r, 0, (int) n[which])] ^= (char) g_rand_int_range (r, 1, 256);
    g_unlink (path[which]);
    g_assert_true (
        g_file_set_contents_full (path[which], bytes, (gssize) length, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    ValuesReader *reader = values_reader_open (base, NULL);
    if (reader != NULL) {
      g_autofree ValueColumn *got = g_new0 (ValueColumn, 50 * VALUES_SERIES);
      double before[VALUES_SERIES];
      values_reader_columns (reader, 1000, 500, 50, got, before);
      values_reader_columns (reader, 5000, 1, 50, got, before);
      for (int i = 0; i < 50 * VALUES_SERIES; i++)
        if (got[i].count > 0)
          g_assert_true (got[i].min >= -10 && got[i].max <= 90);
      values_reader_free (reader);
    }
    g_unlink (path[which]);
    g_assert_true (
        g_file_set_contents_full (path[which], good[which], (gssize) n[which], G_FILE_SET_CONTENTS_NONE, 0666, NULL));
  }
  for (int i = 0; i < 3; i++) {
    g_free (path[i]);
    g_free (good[i]);
  }
  g_rand_free (r);
}

/* ---- numbers and scales -------------------------------------------------------------------------------------------------- */

static void
test_numbers (void)
{
  static const struct {
    double x;
    const char *unit, *text;
  } rows[] = {
    { 0, NULL, "0" },
    { 3, NULL, "3" },
    { 0.25, NULL, "0.25" },
    { 1.0 / 3, NULL, "0.3333" },
    { 12345, NULL, "12\u202f345" },
    { 1e6, NULL, "1\u202f000\u202f000" },
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
  g_rand_free (r);
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
  item_called (items, "1: 30, 62.5 %"); /* 30 of 48 */
  item_called (items, "0: 10, 20.8 %");
  item_called (items, "2: 8, 16.7 %");
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
        int k = share >= 1 ? 3 : (int) (share * 4);
        uint32_t want = 0;
        for (int shift = 0; shift < 24; shift += 8) {
          double a = stops[k] >> shift & 0xff, b = stops[k + 1] >> shift & 0xff;
          want |= (uint32_t) lround (a + (b - a) * (share * 4 - k)) << shift;
        }
        g_assert_cmpint (apart (pixel (on, cell->x + 3, cell->y + 3), want), <=, 2);
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

  folder = g_dir_make_tmp ("scope-charts-XXXXXX", NULL);
  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (g_getenv ("SCOPE_TEST_COMPONENTS"));
  eve_registry_load_all (problems);
  g_assert_cmpuint (problems->len, ==, 0);
  g_test_add_func ("/values/history", test_history);
  g_test_add_func ("/values/damage", test_damage);
  g_test_add_func ("/chart/numbers", test_numbers);
  g_test_add_func ("/chart/scale", test_scale);
  g_test_add_func ("/chart/gauge", test_gauge);
  g_test_add_func ("/chart/bars", test_bars);
  g_test_add_func ("/chart/histogram", test_histogram);
  g_test_add_func ("/chart/table", test_table);
  g_test_add_func ("/chart/matrix", test_matrix);
  g_test_add_func ("/chart/matrix-shades", test_matrix_shades);
  g_test_add_func ("/chart/matrix-together", test_matrix_together);
  g_test_add_func ("/chart/sizes", test_sizes);
  int status = g_test_run ();
  g_autofree char *clean = g_strdup_printf ("rm -rf '%s'", folder);
  g_assert_cmpint (g_spawn_command_line_sync (clean, NULL, NULL, NULL, NULL), ==, TRUE);
  g_free (folder);
  return status;
}
