/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics, histograms, filters, watches: what they give beside a computation by hand, also after travel and reset.
 */
#include <stdlib.h>
#include "readers/box-inspector.h"
#include "readers/reader.h"
#include "simulators/state.h"
#include "statistics/order.h"
#include "statistics/sketch.h"
#include "statistics/types.h"
#include "tests/components/common.h"

#define N 500
static double xs[N];

static void
make_numbers (void)
{
  g_autoptr (GRand) r = g_rand_new_with_seed (5);

  for (int i = 0; i < N; i++)
    xs[i] = g_rand_double_range (r, -3, 10) * (i % 7 == 0 ? 20 : 1);
}

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

/* In two passes and long double. */
static void
by_hand (const double *x, int n, double *mean, double *variance, double *median)
{
  g_autofree double *sorted = g_memdup2 (x, (gsize) n * sizeof *x);
  long double sum = 0, squares = 0;

  for (int i = 0; i < n; i++)
    sum += x[i];
  for (int i = 0; i < n; i++)
    squares += (x[i] - sum / n) * (x[i] - sum / n);
  qsort (sorted, (size_t) n, sizeof *sorted, by_value);
  *mean = (double) (sum / n);
  *variance = n > 1 ? (double) (squares / (n - 1)) : NAN;
  *median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static void
near_at (const char *where, double got, double want, double relative)
{
  if (!(fabs (got - want) <= relative * fabs (want)) && !(isnan (got) && isnan (want)))
    g_error ("%s: %.17g, not %.17g", where, got, want);
}
#define near(got, want, relative) near_at (G_STRLOC, got, want, relative)

static const double *
got (Harness *h, const char *out, size_t want)
{
  size_t n;
  const double *x = harness_collected (h, out, &n);

  g_assert_cmpuint (n, ==, want);
  return x;
}

static Harness *
statistics (const char *over, const char *n)
{
  Harness *h = alone ("scope.statistics");

  harness_set (h, "over", over);
  harness_set (h, "n", n);
  feed (h, "value", xs, N);
  harness_collect (h, "mean");
  harness_collect (h, "variance");
  harness_collect (h, "quantile");
  return h;
}

static void
test_moving (void)
{
  Harness *h = statistics ("last n", "30");
  run_to_end (h);
  const double *mean = got (h, "mean", N), *variance = got (h, "variance", N), *median = got (h, "quantile", N);

  for (int i = 0; i < N; i++) {
    int n = MIN (i + 1, 30);
    double m, v, q;
    by_hand (xs + i + 1 - n, n, &m, &v, &q);
    near (mean[i], m, 1e-12);
    near (variance[i], v, 1e-12);
    near (median[i], q, 1e-15); /* over the last n it is exact */
  }
  harness_free (h);
}

static void
test_each_n (void)
{
  Harness *h = statistics ("each n", "64");
  run_to_end (h);
  const double *mean = got (h, "mean", 8), *variance = got (h, "variance", 8), *median = got (h, "quantile", 8);

  for (int i = 0; i < 8; i++) {
    double m, v, q;
    by_hand (xs + 64 * i, i < 7 ? 64 : N - 7 * 64, &m, &v, &q);
    near (mean[i], m, 1e-12);
    near (variance[i], v, 1e-12);
    near (median[i], q, 1 / 129.0 * (1 + 1e-9));
  }
  harness_free (h);
}

static void
test_phases (void)
{
  Harness *h = alone ("scope.statistics");
  const uint8_t pulse = 0;

  harness_set (h, "over", "each phase");
  harness_source (h, "value", &eve_type_double, NULL);
  harness_source (h, "phase", &eve_type_pulse, NULL);
  harness_collect (h, "mean");
  for (int i = 0; i < 5; i++) {
    feed (h, "value", xs + 20 * i, 20);
    run (h);
    harness_send (h, "phase", &eve_type_pulse, &pulse);
  }
  feed (h, "value", xs + 100, 7);
  run_to_end (h);
  const double *mean = got (h, "mean", 6);
  for (int i = 0; i < 6; i++) {
    double m, v, q;
    by_hand (xs + 20 * i, i < 5 ? 20 : 7, &m, &v, &q);
    near (mean[i], m, 1e-12);
  }
  harness_free (h);
}

/* ---- every number that it gives, of every window ---- */
static const TraceFormat format = { .name = "toy", .label = "Toy", .model = "Toy" };
static TraceSource source; /* of dates; a thousand ticks a second */

static double
odd_or (int i)
{
  return i % 31 == 5 ? NAN : i % 47 == 9 ? -INFINITY : xs[i];
}

static int64_t
date_of (int i)
{
  return 1000 + 7 * i + i % 3;
}

/* Type 7: the place q (n - 1) of the sorted ones, on the line between two; `most`: how far a sketch may be off. */
static double
quantile_by_hand (const double *sorted, int n, double q, double *most)
{
  double place = q * (n - 1);
  int k = (int) place, next = MIN (k + 1, n - 1);

  *most = STATS_SKETCH_ERROR * ((1 - (place - k)) * fabs (sorted[k]) + (place - k) * fabs (sorted[next]));
  return sorted[k] + (place - k) * (sorted[next] - sorted[k]);
}

/* The row `t` and the numbers `i` of the other outputs, of the values from `begin` to before `end`. */
static void
check_given (Harness *h, size_t i, const StatsTable *t, int begin, int end, bool exact)
{
  static const double qs[] = { 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.3 };
  double x[N], mean, variance, median, sum = 0, most;
  int n = 0;
  size_t k;

  for (int j = begin; j < end; j++)
    if (isfinite (odd_or (j)))
      sum += x[n++] = odd_or (j);
  by_hand (x, n, &mean, &variance, &median);
  qsort (x, (size_t) n, sizeof *x, by_value);
  double rate = end - begin > 1 ? 1000.0 * (end - begin - 1) / (double) (date_of (end - 1) - date_of (begin)) : NAN;
  const struct {
    const char *out;
    double want, relative;
  } reals[] = { { "sum", sum, 1e-11 },          { "rate", rate, 1e-12 }, { "min", x[0], 0 },
                { "max", x[n - 1], 0 },         { "mean", mean, 1e-11 }, { "deviation", sqrt (variance), 1e-11 },
                { "variance", variance, 1e-11 } };
  for (guint r = 0; r < G_N_ELEMENTS (reals); r++) {
    near (((const double *) harness_collected (h, reals[r].out, &k))[i], reals[r].want, reals[r].relative);
    for (uint32_t c = 0; c < t->n_columns; c++)
      if (strcmp (t->columns[c].name, reals[r].out) == 0)
        near (stats_cell (t, 0, c)->real, reals[r].want, reals[r].relative);
  }
  for (guint q = 0; q < G_N_ELEMENTS (qs); q++) {
    double want = quantile_by_hand (x, n, qs[q], &most),
           given = q < 6 ? stats_cell (t, 0, 5 + q)->real : ((const double *) harness_collected (h, "quantile", &k))[i];
    if (!(fabs (given - want) <= (exact ? 1e-15 * fabs (want) : most * (1 + 1e-9))))
      g_error ("of %d to %d, quantile %g: %.17g, not %.17g", begin, end, qs[q], given, want);
  }
  g_assert_cmpint (((const int64_t *) harness_collected (h, "count", &k))[i], ==, n);
  g_assert_cmpint (stats_cell (t, 0, 1)->whole, ==, n);
  g_assert_cmpint (stats_cell (t, 0, 14)->whole, ==, end - begin - n);
  g_assert_cmpstr (stats_cell (t, 0, 0)->text, ==, "lengths");
  g_assert_cmpstr (t->title, ==, "lengths");
  g_assert_cmpint (t->date, ==, date_of (end - 1));
  g_assert_cmpuint (t->source, ==, source.number);
  for (uint32_t c = 0; c < t->n_columns; c++)
    g_assert_cmpstr (t->columns[c].unit, ==,
                     t->columns[c].kind != STATS_CELL_REAL ? NULL
                     : strcmp (t->columns[c].name, "rate") ? "m"
                                                           : "1/s");
}

static void
test_all_that_is_given (void)
{
  static const char *const overs[] = { "everything", "last n", "each n", "each phase" };

  for (int over = 0; over < 4; over++) {
    Harness *h = alone ("scope.statistics");
    GArray *ends = g_array_new (FALSE, FALSE, sizeof (int));
    const uint8_t pulse = 0;
    size_t n;

    harness_set (h, "over", overs[over]);
    harness_set (h, "n", over == 1 ? "17" : "64");
    harness_set (h, "every", "128");
    harness_set (h, "quantile", "0.3");
    harness_set (h, "title", "lengths");
    harness_source (h, "value", &stats_type_datum, NULL);
    harness_source (h, "phase", &eve_type_pulse, NULL);
    harness_collect_all (h);
    for (int i = 0; i < N; i++) {
      StatsDatum d = { .date = date_of (i), .value.real = odd_or (i), .unit = "m", .source = source.number };
      harness_feed (h, "value", &stats_type_datum, &d, 1);
      int seen = i + 1, end = seen == N || (over > 2 && seen % 90 == 0) || (over == 2 && seen % 64 == 0)
                              || (over < 2 && (seen < 128 ? (seen & (seen - 1)) == 0 : seen % 128 == 0));
      if (end)
        g_array_append_val (ends, seen);
      if (over > 2 && seen % 90 == 0) {
        run (h);
        harness_send (h, "phase", &eve_type_pulse, &pulse);
      }
    }
    run_to_end (h);
    StatsTable *const *t = harness_collected (h, "table", &n);
    g_assert_cmpuint (n, ==, ends->len);
    for (guint i = 0; i < n; i++) {
      int end = g_array_index (ends, int, i), begin = over == 0   ? 0
                                                      : over == 1 ? MAX (end - 17, 0)
                                                      : i         ? g_array_index (ends, int, i - 1)
                                                                  : 0;
      check_given (h, i, t[i], begin, end, over == 1);
    }
    g_array_unref (ends);
    harness_free (h);
  }
}

static Harness *
all_statistics (void)
{
  Harness *h = statistics ("everything", "1");
  harness_set (h, "every", "100");
  return h;
}

static Harness *
last_statistics (void)
{
  return statistics ("last n", "17");
}

/* Whole numbers, truth values and dated numbers are numbers. */
static void
test_kinds_of_numbers (void)
{
  StatsDatum d[] = { { .date = 0, .value.whole = 3, .is_whole = 1 }, { .date = 5, .value.real = 4.5 } };
  Harness *h = alone ("scope.statistics"), *b = alone ("scope.statistics"), *w = alone ("scope.statistics");

  harness_feed (h, "value", &stats_type_datum, d, 2);
  harness_collect (h, "sum");
  run_to_end (h);
  expect (h, "sum", NUMBERS (3, 7.5));
  feed_truths (b, "value", TRUTHS (true, false, true));
  harness_collect (b, "count");
  harness_collect (b, "mean");
  run_to_end (b);
  expect (b, "mean", NUMBERS (1, 0.5, 2 / 3.0));
  feed_wholes (w, "value", WHOLES (1, INT64_C (1) << 52, 1));
  harness_collect (w, "sum");
  run_to_end (w);
  expect (w, "sum", NUMBERS (1, 4503599627370497, 4503599627370498));
  harness_free (h);
  harness_free (b);
  harness_free (w);
}

/* ---- histogram ------------------------------------------------------------------------------------------------------ */

static Harness *
histogram (void)
{
  Harness *h = alone ("scope.histogram");

  harness_set (h, "fit", "false");
  harness_set (h, "from", "-2");
  harness_set (h, "to", "8");
  harness_set (h, "bins", "13");
  feed (h, "value", xs, N);
  harness_collect_all (h);
  return h;
}

static const StatsHistogram *
last_histogram (Harness *h)
{
  size_t n;
  StatsHistogram *const *all = harness_collected (h, "histogram", &n);

  g_assert_cmpuint (n, >, 0);
  return all[n - 1];
}

static void
test_histogram (void)
{
  Harness *h = histogram ();
  run_to_end (h);
  const StatsHistogram *g = last_histogram (h);
  uint64_t want[15] = { 0 };
  double sum = 0, min = xs[0], max = xs[0];

  for (int i = 0; i < N; i++) {
    int k = 0;
    while (k < 13 && !(xs[i] < -2 + (k + 1) * (10.0 / 13)))
      k++;
    want[xs[i] < -2 ? 0 : xs[i] > 8 ? 14 : MIN (k, 12) + 1]++;
    sum += xs[i];
    min = fmin (min, xs[i]);
    max = fmax (max, xs[i]);
  }
  g_assert_cmpuint (g->below, ==, want[0]);
  g_assert_cmpuint (g->above, ==, want[14]);
  for (int k = 0; k < 13; k++)
    g_assert_cmpuint (g->bins[k], ==, want[k + 1]);
  g_assert_cmpuint (g->count, ==, N);
  g_assert_true (g->min == min && g->max == max);
  near (g->mean, sum / N, 1e-12);
  harness_free (h);
}

static void
set_now (void *component, const char *setting, const char *value)
{
  eve_set (component, setting, value, NULL);
}

/* Its inspector tells what was seen, and takes the interval from it. */
static void
test_histogram_inspector (void)
{
  Harness *h = histogram ();
  EveComponent *c = harness_component (h);
  const BoxInspector *own = eve_query (c, BOX_INSPECTOR);
  uint32_t values = 0, button = 0, to = 0;
  char text[32] = "";
  double max = xs[0];

  for (uint32_t i = 0; i < own->n_rows; i++) {
    values = own->rows[i].kind == BOX_ROW_VALUE && !values ? i : values;
    button = own->rows[i].kind == BOX_ROW_BUTTON ? i : button;
    to = own->rows[i].kind == BOX_ROW_SETTING && !strcmp (own->rows[i].name, "to") ? i : to;
  }
  g_assert_false (own->look (c, button, text, sizeof text)); /* nothing was seen */
  run_to_end (h);
  g_assert_true (own->look (c, values, text, sizeof text));
  g_assert_cmpint (atoi (text), ==, N);
  g_assert_true (own->look (c, button, text, sizeof text));
  for (int i = 0; i < N; i++)
    max = fmax (max, xs[i]);
  own->press (c, button, set_now, c);
  g_autofree char *now = eve_get (c, "to");
  g_assert_cmpfloat (g_ascii_strtod (now, NULL), ==, max);
  g_assert_true (own->look (c, to, text, sizeof text));
  harness_set (h, "fit", "true");
  g_assert_false (own->look (c, to, text, sizeof text));
  harness_free (h);
}

/* The interval that fits itself: every value is in the bin that says so, whatever the order, and both signs. */
static void
test_histogram_fits (void)
{
  static const char *const bins[] = { "1", "2", "7", "64" };

  for (guint b = 0; b < G_N_ELEMENTS (bins); b++) {
    double back[N];
    uint64_t first[64] = { 0 };
    for (int i = 0; i < N; i++)
      back[i] = xs[N - 1 - i];
    for (int turn = 0; turn < 2; turn++) {
      Harness *h = alone ("scope.histogram");
      harness_set (h, "fit", "true");
      harness_set (h, "bins", bins[b]);
      feed (h, "value", turn ? back : xs, N);
      harness_collect_all (h);
      run_to_end (h);
      const StatsHistogram *g = last_histogram (h);
      uint64_t in = 0;
      for (uint32_t k = 0; k < g->n_bins; k++) {
        double from = stats_histogram_edge (g, k), to = stats_histogram_edge (g, k + 1);
        uint64_t want = 0;
        for (int i = 0; i < N; i++)
          want += xs[i] >= from && xs[i] < to;
        if (g->n_bins > 1) /* one bin holds but one sign */
          g_assert_cmpuint (g->bins[k], ==, want);
        if (turn)
          g_assert_cmpuint (g->bins[k], ==, first[k]);
        first[k] = g->bins[k];
        in += g->bins[k];
      }
      g_assert_cmpuint (in, ==, N);
      g_assert_cmpuint (g->below + g->above, ==, 0);
      harness_free (h);
    }
  }
}

/* Not once a value: after 1, 2, 4, ... and each `every`. */
static void
test_throttled (void)
{
  Harness *h = alone ("scope.histogram");
  size_t n;

  harness_set (h, "every", "128");
  feed (h, "value", xs, N);
  harness_collect (h, "histogram");
  run_to_end (h);
  harness_collected (h, "histogram", &n);
  g_assert_cmpuint (n, ==, 7 + 3 + 1); /* 1 to 64, 128 256 384, and the end */
  harness_free (h);
}

/* ---- traffic --------------------------------------------------------------------------------------------------------- */

static void
last_thing (Harness *h, const char *out, const void **thing)
{
  size_t n;
  const void *const *all = harness_collected (h, out, &n);

  g_assert_cmpuint (n, >, 0);
  *thing = all[n - 1];
}

#define TALKERS 700 /* pairs: more than Traffic keeps apart */

/* One message from everybody to everybody else, twice as many from the first. */
static Harness *
traffic (void)
{
  Harness *h = alone ("scope.traffic");
  g_autofree StateMessage *m = g_new0 (StateMessage, TALKERS);

  harness_set (h, "every", "0");
  harness_set (h, "most", "100");
  harness_collect_all (h);
  for (uint32_t from = 0; from < TALKERS; from++) {
    for (uint32_t to = 0; to < TALKERS; to++)
      m[to] = (StateMessage){ .sent = INT64_MIN, .size = from * 3 + to + 1, .from = from, .to = to };
    harness_feed (h, "messages", &state_type_message, m, TALKERS);
    if (from == 0)
      harness_feed (h, "messages", &state_type_message, m, TALKERS);
  }
  return h;
}

/* However many tasks and pairs: each cell of the matrices is the sum of the tasks it stands for, alike for all rows. */
static void
test_traffic_of_many (void)
{
  Harness *h = traffic (), *whole = traffic (), *first = traffic ();
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  const StatsMatrix *counts, *volumes;
  EveBlob *blob = eve_blob_new ();
  size_t size;

  /* one goes on where another was saved, with pairs among the others already */
  harness_end (h, NULL);
  harness_end (first, NULL);
  harness_end (whole, NULL);
  while (harness_run (whole) == EVE_BUDGET)
    ;
  for (int i = 0; i < 2000 && eve_run (harness_program (first), 0) == EVE_BUDGET; i++)
    ;
  eve_program_save_run (harness_program (first), blob);
  const uint8_t *bytes = eve_blob_data (blob, &size);
  g_assert_true (eve_program_load_run (harness_program (h), bytes, size, problems, NULL));
  g_assert_cmpuint (problems->len, ==, 0);
  while (harness_run (h) == EVE_BUDGET)
    ;
  g_assert_cmphex (eve_program_run_hash (harness_program (whole)), ==, eve_program_run_hash (harness_program (h)));
  last_thing (h, "counts", (const void **) &counts);
  last_thing (h, "volumes", (const void **) &volumes);
  g_assert_cmpuint (counts->n_rows, ==, (TALKERS + 7) / 8); /* 8: the first power of two with no more than 100 rows */
  for (uint32_t i = 0; i < counts->n_rows; i++)
    for (uint32_t k = 0; k < counts->n_columns; k++) {
      double n = 0, volume = 0;
      for (uint32_t from = 8 * i; from < MIN (8 * i + 8, TALKERS); from++)
        for (uint32_t to = 8 * k; to < MIN (8 * k + 8, TALKERS); to++) {
          n += from == 0 ? 2 : 1;
          volume += (from == 0 ? 2 : 1) * (from * 3 + to + 1);
        }
      g_assert_cmpfloat (counts->values[i * counts->n_columns + k], ==, n);
      g_assert_cmpfloat (volumes->values[i * counts->n_columns + k], ==, volume);
    }
  eve_blob_free (blob);
  harness_free (h);
  harness_free (whole);
  harness_free (first);
}

/* Given after 1, 2, 4, 8 messages, then after each tenth: each time all of them so far, of whom to whom. */
static void
test_traffic_given (void)
{
  static const double due[] = { 1, 2, 4, 8, 10, 20, 30 };
  Harness *h = alone ("scope.traffic");
  size_t n;

  harness_set (h, "every", "10");
  harness_collect_all (h);
  for (uint32_t i = 0; i < 35; i++) {
    StateMessage m = { .sent = INT64_MIN, .received = i, .size = 3, .from = i % 3, .to = i % 4 };
    harness_feed (h, "messages", &state_type_message, &m, 1);
  }
  run (h);
  StatsMatrix *const *counts = harness_collected (h, "counts", &n), *const *volumes = harness_collected (h, "volumes",
                                                                                                         &n);
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (due));
  for (size_t k = 0; k < n; k++) {
    double all = 0, bytes = 0;
    for (uint32_t i = 0; i < counts[k]->n_rows * counts[k]->n_columns; i++) {
      double want = 0;
      for (uint32_t j = 0; j < (uint32_t) due[k]; j++)
        want += j % 3 == i / counts[k]->n_columns && j % 4 == i % counts[k]->n_columns;
      g_assert_cmpfloat (counts[k]->values[i], ==, want);
      all += counts[k]->values[i];
      bytes += volumes[k]->values[i];
    }
    g_assert_cmpfloat (all, ==, due[k]);
    g_assert_cmpfloat (bytes, ==, 3 * due[k]);
    g_assert_cmpint (counts[k]->date, ==, (int64_t) due[k] - 1);
  }
  harness_free (h);
}

/* ---- owners ---------------------------------------------------------------------------------------------------------- */

static Harness *
by_owner (void)
{
  Harness *h = alone ("scope.statistics-by-owner");
  StatsDatum d[N];

  for (int i = 0; i < N; i++)
    d[i] = (StatsDatum){
      .date = i, .value.real = xs[i], .owner = (uint32_t) (i * i % 11), .owner_kind = STATS_OF_LINK
    };
  harness_set (h, "most", "4");
  harness_set (h, "every", "64");
  harness_feed (h, "value", &stats_type_datum, d, N);
  harness_collect_all (h);
  return h;
}

static void
test_by_owner (void)
{
  Harness *h = by_owner ();
  size_t n;
  run_to_end (h);
  StatsTable *const *all = harness_collected (h, "table", &n);
  const StatsTable *t = all[n - 1];

  g_assert_cmpuint (t->n_rows, ==, 5); /* owners 0, 1, 4, 9 in order of appearance, and the others */
  static const uint32_t order[] = { 0, 1, 4, 9 };
  for (uint32_t r = 0; r < 5; r++) {
    double mine[N], m, v, q;
    int k = 0;
    for (int i = 0; i < N; i++) {
      uint32_t owner = (uint32_t) (i * i % 11);
      bool kept = owner == 0 || owner == 1 || owner == 4 || owner == 9;
      if (r < 4 ? owner == order[r] : !kept)
        mine[k++] = xs[i];
    }
    by_hand (mine, k, &m, &v, &q);
    g_assert_cmpint (stats_cell (t, r, 1)->whole, ==, k);
    near (stats_cell (t, r, 2)->real, m * k, 1e-11);
    near (stats_cell (t, r, 4)->real, m, 1e-11);
    near (stats_cell (t, r, 6)->real, sqrt (v), 1e-11);
  }
  g_assert_cmpstr (stats_cell (t, 4, 0)->text, ==, "others");
  harness_free (h);
}

/* ---- filter, watch, orders --------------------------------------------------------------------------------------------- */

static Harness *
filter (void)
{
  Harness *h = alone ("scope.filter");

  feed (h, "in", xs, N);
  harness_set (h, "where", "abs(value) > 5 and not value > 100");
  harness_collect_all (h);
  return h;
}

static void
test_filter (void)
{
  Harness *h = filter ();
  double pass[N], others[N];
  size_t n_pass = 0, n_others = 0;

  for (int i = 0; i < N; i++)
    if (fabs (xs[i]) > 5 && !(xs[i] > 100))
      pass[n_pass++] = xs[i];
    else
      others[n_others++] = xs[i];
  run_to_end (h);
  expect (h, "passed", pass, n_pass);
  expect (h, "others", others, n_others);
  harness_free (h);
}

static Harness *
watch (void)
{
  Harness *h = alone ("scope.watch");

  harness_set (h, "min", "-1");
  harness_set (h, "max", "9");
  feed (h, "value", xs, N);
  harness_collect_all (h);
  return h;
}

static void
test_watch (void)
{
  Harness *h = watch (), *each = alone ("scope.watch");
  double left[N], outside[N];
  size_t n_left = 0, n_outside = 0;

  for (int i = 0; i < N; i++)
    if (xs[i] < -1 || xs[i] > 9) {
      outside[n_outside++] = xs[i];
      if (i == 0 || !(xs[i - 1] < -1 || xs[i - 1] > 9))
        left[n_left++] = xs[i];
    }
  run_to_end (h);
  expect (h, "triggered", left, n_left);
  harness_set (each, "min", "-1");
  harness_set (each, "max", "9");
  harness_set (each, "when", "each value");
  harness_set (each, "at most", "20");
  feed (each, "value", xs, N);
  harness_collect_all (each);
  run_to_end (each);
  expect (each, "triggered", outside, MIN (n_outside, 20));
  g_assert_cmpuint (warnings, ==, 1); /* it says once that it is silent */
  size_t n;
  char *const *orders = harness_collected (each, "orders", &n);
  g_assert_cmpuint (n, ==, 40);
  g_autofree char *command = stats_order_command (orders[0]), *by = stats_order_tells (orders[0], "by");
  g_autofree char *because = stats_order_tells (orders[0], "because"), *none = stats_order_tells (orders[0], "at");
  g_assert_cmpstr (command, ==, "pause");
  g_assert_cmpstr (by, ==, "tested");
  g_assert_nonnull (because);
  g_assert_null (none);
  harness_free (h);
  harness_free (each);
}

static void
test_nothing_is_no_number (void) /* NaN is outside of every interval */
{
  Harness *h = alone ("scope.watch");

  feed (h, "value", NUMBERS (1, NAN, 2));
  harness_collect_all (h);
  run_to_end (h);
  expect (h, "triggered", NUMBERS (NAN));
  harness_free (h);
}

static void
test_orders (void)
{
  static const TraceClock clock = { 1000000000, "s" };
  static const struct {
    const char *text;
    bool known, wrong;
    TraceVerb verb;
    int64_t date;
    uint64_t number;
    const char *name;
  } cases[] = {
    { "pause", true, false, TRACE_PAUSE, 0, UINT64_MAX, "" },
    { "  stop \nby me", true, false, TRACE_STOP, 0, UINT64_MAX, "" },
    { "run", true, false, TRACE_GO_EVENTS, 0, UINT64_MAX, "" },
    { "step", true, false, TRACE_GO_EVENTS, 0, 1, "" },
    { "step 12", true, false, TRACE_GO_EVENTS, 0, 12, "" },
    { "step twelve", false, true },
    { "step -1", false, true },
    { "go 1.5", true, false, TRACE_GO_UNTIL, 1500000000, UINT64_MAX, "" },
    { "go", false, true },
    { "go @slow phase", true, false, TRACE_GO_MARK, 0, UINT64_MAX, "slow phase" },
    { "mark", true, false, TRACE_MARK, 0, UINT64_MAX, "" },
    { "mark the place where everything goes wrong äöü", true, false, TRACE_MARK, 0, UINT64_MAX,
      "the place where everything goes wrong " },
    { "save here", true, false, TRACE_SAVE, 0, UINT64_MAX, "here" },
    { "pause now", false, true },
    { "front Space-time", false, false },
    { "", false, false },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *sentence = NULL;
    TraceCommand c;
    if (stats_order_parse (cases[i].text, &clock, &c, &sentence) != cases[i].known || !!sentence != cases[i].wrong)
      g_error ("%s: %s", cases[i].text, sentence);
    if (!cases[i].known)
      continue;
    g_assert_cmpuint (c.verb, ==, cases[i].verb);
    g_assert_cmpint (c.date, ==, cases[i].date);
    g_assert_cmpuint (c.number, ==, cases[i].number);
    g_assert_cmpstr (c.name, ==, cases[i].name);
    g_assert_true (g_utf8_validate (c.name, -1, NULL));
  }
  g_autofree char *none = stats_order_tells ("pause\nbyte me", "by");
  g_assert_null (none);
  char *order = stats_order_new ("mark a\nb", "me\n", NULL, "x\ny");
  g_assert_cmpstr (order, ==, "mark a b\nby me \nbecause x y");
  g_ref_string_release (order);
}

static Harness *
correlation (void)
{
  Harness *h = alone ("scope.correlation");

  feed (h, "x", xs, N - 1);
  feed (h, "y", xs + 1, N - 1);
  harness_collect_all (h);
  return h;
}

static void
test_correlation (void)
{
  Harness *h = correlation ();
  long double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;

  run_to_end (h);
  for (int i = 0; i + 1 < N; i++) {
    sx += xs[i];
    sy += xs[i + 1];
  }
  for (int i = 0; i + 1 < N; i++) {
    long double dx = xs[i] - sx / (N - 1), dy = xs[i + 1] - sy / (N - 1);
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  near (got (h, "correlation", N - 1)[N - 2], (double) (xy / sqrtl (xx * yy)), 1e-10);
  near (got (h, "slope", N - 1)[N - 2], (double) (xy / xx), 1e-10);
  near (got (h, "covariance", N - 1)[N - 2], (double) (xy / (N - 2)), 1e-10);
  harness_free (h);
}

static void
test_travel (void)
{
  Harness *(*const makes[]) (
      void) = { all_statistics, last_statistics, histogram, by_owner, filter, watch, correlation };

  for (guint i = 0; i < G_N_ELEMENTS (makes); i++) {
    check_travel (makes[i]);
    check_reset (makes[i]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  make_numbers ();
  trace_source_setup (&source, &format, "/nowhere/toy.trace", NULL);
  source.clock = (TraceClock){ 1000, "s" };
  g_test_add_func ("/analysis/statistics/moving", test_moving);
  g_test_add_func ("/analysis/statistics/each n", test_each_n);
  g_test_add_func ("/analysis/statistics/phases", test_phases);
  g_test_add_func ("/analysis/statistics/all that is given", test_all_that_is_given);
  g_test_add_func ("/analysis/statistics/kinds of numbers", test_kinds_of_numbers);
  g_test_add_func ("/analysis/histogram-inspector", test_histogram_inspector);
  g_test_add_func ("/analysis/histogram", test_histogram);
  g_test_add_func ("/analysis/histogram/fits", test_histogram_fits);
  g_test_add_func ("/analysis/histogram/throttled", test_throttled);
  g_test_add_func ("/analysis/traffic of many", test_traffic_of_many);
  g_test_add_func ("/analysis/traffic given", test_traffic_given);
  g_test_add_func ("/analysis/by owner", test_by_owner);
  g_test_add_func ("/analysis/filter", test_filter);
  g_test_add_func ("/analysis/watch", test_watch);
  g_test_add_func ("/analysis/watch/no number", test_nothing_is_no_number);
  g_test_add_func ("/analysis/orders", test_orders);
  g_test_add_func ("/analysis/correlation", test_correlation);
  g_test_add_func ("/analysis/travel", test_travel);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  eve_registry_load_all (problems);
  return g_test_run ();
}
