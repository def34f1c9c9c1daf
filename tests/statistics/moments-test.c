/* SPDX-License-Identifier: Apache-2.0 */
/* Moments and quantiles beside a second computation: in long double and two passes, and by sorting. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "eve/eve-host.h"
#include "statistics/moments.h"
#include "statistics/quantile.h"
#include "statistics/sketch.h"

typedef double (*Draw) (GRand *r);
static double
uniform (GRand *r)
{
  return g_rand_double_range (r, -5, 5);
}
static double
far_off (GRand *r)
{
  return 1e9 + g_rand_double (r);
}
static double
times (GRand *r)
{
  return exp (g_rand_double_range (r, -20, 3));
}
static double
whole (GRand *r)
{
  return g_rand_int_range (r, -1000, 1000);
}
static double
constant (GRand *r)
{
  return 0.1;
}
static double
wide (GRand *r)
{
  return (g_rand_boolean (r) ? 1 : -1) * ldexp (1 + g_rand_double (r), g_rand_int_range (r, -20, 20));
}
static const Draw draws[] = { uniform, far_off, times, whole, constant, wide };

static double *
draw (Draw law, uint32_t n, uint32_t seed)
{
  GRand *r = g_rand_new_with_seed (seed);
  double *x = g_new (double, n);

  for (uint32_t i = 0; i < n; i++)
    x[i] = law (r);
  g_rand_free (r);
  return x;
}

static void
near (double got, long double want, long double scale)
{
  if (fabsl (got - want) > 1e-12L * scale)
    g_error ("%.17g, not %.17Lg", got, want);
}

static void
test_moments (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (draws); k++)
    for (uint32_t n = 2; n < 40000; n = n * 3 + 1) {
      g_autofree double *x = draw (draws[k], n, n);
      StatsMoments m = { 0 }, a = { 0 }, b = { 0 };
      long double sum = 0, squares = 0, size = 0;
      double min = x[0], max = x[0];

      for (uint32_t i = 0; i < n; i++) {
        stats_moments_add (&m, x[i]);
        stats_moments_add (i < n / 3 ? &a : &b, x[i]);
        sum += x[i];
        size += fabsl (x[i]);
        min = fmin (min, x[i]);
        max = fmax (max, x[i]);
      }
      for (uint32_t i = 0; i < n; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
      g_assert_cmpuint (m.n, ==, n);
      near (stats_moments_sum (&m), sum, size * 1e-3L);
      near (m.mean, sum / n, size / n);
      near (stats_moments_variance (&m), squares / (n - 1),
            1e3L * (squares / (n - 1) + 1e-9L * (size / n) * (size / n)));
      g_assert_true (m.min == min && m.max == max);
      stats_moments_merge (&a, &b);
      near (stats_moments_sum (&a), sum, size * 1e-3L);
      near (a.mean, sum / n, size / n);
      near (stats_moments_variance (&a), squares / (n - 1),
            1e3L * (squares / (n - 1) + 1e-9L * (size / n) * (size / n)));
      g_assert_true (a.min == min && a.max == max && a.n == n);
    }
}

static void
test_odd (void)
{
  StatsMoments m = { 0 }, none = { 0 };

  g_assert_true (isnan (stats_moments_mean (&m)) && isnan (stats_moments_min (&m))
                 && isnan (stats_moments_variance (&m)));
  g_assert_true (stats_moments_sum (&m) == 0);
  stats_moments_add (&m, INFINITY);
  stats_moments_add (&m, NAN);
  stats_moments_add (&m, -INFINITY);
  g_assert_true (m.n == 0 && m.n_odd == 3 && isnan (stats_moments_max (&m)));
  stats_moments_add (&m, -3);
  g_assert_true (m.min == -3 && m.max == -3 && m.mean == -3 && isnan (stats_moments_variance (&m)));
  stats_moments_merge (&m, &none);
  stats_moments_merge (&none, &m);
  g_assert_true (m.n == 1 && none.n == 1 && none.mean == -3 && none.n_odd == 3);
  for (int i = 0; i < 10; i++)
    stats_moments_add (&m, -3);
  g_assert_true (stats_moments_variance (&m) == 0);
  StatsMoments cancel = { 0 };
  stats_moments_add (&cancel, 1e16);
  stats_moments_add (&cancel, 1);
  stats_moments_add (&cancel, -1e16);
  g_assert_true (stats_moments_sum (&cancel) == 1);
}

static void
test_pairs (void)
{
  g_autofree double *x = draw (uniform, 5000, 1), *e = draw (uniform, 5000, 2);
  StatsPairs p = { 0 }, flat = { 0 };
  long double sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;

  for (int i = 0; i < 5000; i++) {
    double y = 2 * x[i] + e[i];
    stats_pairs_add (&p, x[i], y);
    stats_pairs_add (&flat, x[i], 7);
    sx += x[i];
    sy += y;
  }
  for (int i = 0; i < 5000; i++) {
    long double dx = x[i] - sx / 5000, dy = 2 * x[i] + e[i] - sy / 5000;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  near (stats_pairs_correlation (&p), xy / sqrtl (xx * yy), 100);
  g_assert_true (isnan (stats_pairs_correlation (&flat)));
  StatsPairs line = { 0 };
  for (int i = 0; i < 100; i++)
    stats_pairs_add (&line, i, -3 * i);
  g_assert_cmpfloat_with_epsilon (stats_pairs_correlation (&line), -1, 1e-15);
  stats_pairs_add (&line, NAN, 1);
  g_assert_cmpuint (line.n_odd, ==, 1);
}

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

static void
test_quantiles (void)
{
  static const double qs[] = { 0, 0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1 };

  for (guint k = 0; k < G_N_ELEMENTS (draws); k++)
    for (uint32_t n = 1; n < 60000; n = n * 5 + 1) {
      g_autofree double *x = draw (draws[k], n, n + 7);
      StatsSketch *s = stats_sketch_new (), *a = stats_sketch_new (), *b = stats_sketch_new (),
                  *back = stats_sketch_new ();
      EveBlob *blob = eve_blob_new ();
      size_t size;

      for (uint32_t i = 0; i < n; i++) {
        stats_sketch_add (s, x[i]);
        stats_sketch_add (i % 2 ? a : b, x[i]);
      }
      stats_sketch_merge (a, b);
      stats_sketch_save (s, blob);
      const uint8_t *bytes = eve_blob_data (blob, &size);
      EveBlobView *v = eve_blob_view_new (bytes, size);
      g_assert_true (stats_sketch_load (back, v));
      eve_blob_view_free (v);
      for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
        StatsSketch *bad = stats_sketch_new ();
        v = eve_blob_view_new (bytes, cut);
        g_assert_false (stats_sketch_load (bad, v));
        g_assert_cmpuint (stats_sketch_count (bad), ==, 0);
        eve_blob_view_free (v);
        stats_sketch_free (bad);
      }
      qsort (x, n, sizeof *x, by_value);
      g_assert_false (stats_sketch_collapsed (s));
      g_assert_cmpuint (stats_sketch_count (back), ==, n);
      for (guint i = 0; i < G_N_ELEMENTS (qs); i++) {
        /* by hand: the place q (n - 1), a line between the values beside it */
        double place = qs[i] * (n - 1);
        uint32_t rank = (uint32_t) place, next = MIN (rank + 1, n - 1);
        double exact = x[rank] + (place - rank) * (x[next] - x[rank]), got = stats_sketch_quantile (s, qs[i]);
        double most = (1 - (place - rank)) * fabs (x[rank]) + (place - rank) * fabs (x[next]);
        g_assert_cmpfloat (fabs (stats_quantile (x, n, qs[i]) - exact), <=, 1e-9 * most);
        if (fabs (got - exact) > STATS_SKETCH_ERROR * most * (1 + 1e-9))
          g_error ("law %u, n %u, q %g: %.17g, exact %.17g", k, n, qs[i], got, exact);
        g_assert_true (got == stats_sketch_quantile (a, qs[i]) && got == stats_sketch_quantile (back, qs[i]));
      }
      eve_blob_free (blob);
      stats_sketch_free (s);
      stats_sketch_free (a);
      stats_sketch_free (b);
      stats_sketch_free (back);
    }
}

/* More than 64 powers of two: the large values stay within the bound, the small ones are told to be unsure. */
static void
test_collapse (void)
{
  StatsSketch *s = stats_sketch_new ();

  g_assert_true (isnan (stats_sketch_quantile (s, 0.5)));
  stats_sketch_add (s, NAN);
  stats_sketch_add (s, INFINITY);
  g_assert_cmpuint (stats_sketch_count (s), ==, 0);
  for (int e = -1070; e <= 1023; e++)
    stats_sketch_add (s, ldexp (1, e));
  stats_sketch_add (s, 5e-324);
  stats_sketch_add (s, 1.7e308);
  g_assert_true (stats_sketch_collapsed (s));
  g_assert_cmpuint (stats_sketch_count (s), ==, 2096);
  double top = stats_sketch_quantile (s, 1);
  g_assert_true (fabs (top - 1.7e308) <= 1.7e308 * STATS_SKETCH_ERROR);
  for (int e = 1000; e <= 1023; e++) {
    double got = stats_sketch_quantile (s, (e + 1070 + 1) / 2095.0);
    if (fabs (got - ldexp (1, e)) > STATS_SKETCH_ERROR * ldexp (1, e) * (1 + 1e-9))
      g_error ("2^%d came back as %g", e, got);
  }
  g_assert_true (isnan (stats_sketch_quantile (s, -0.1)) && isnan (stats_sketch_quantile (s, NAN)));
  stats_sketch_free (s);
  stats_sketch_free (NULL);
}

/* ---- merging, bucket by bucket ---- */
#define KEYS (0x7ff << 6) /* leading bits of finite numbers: 11 of the exponent, 6 of the mantissa */
#define KEPT 4096

typedef struct Buckets {
  uint64_t zeros, n, count[2][KEYS];
} Buckets;

static void
buckets_add (Buckets *b, double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  if (!isfinite (x))
    return;
  b->n++;
  if (x == 0)
    b->zeros++;
  else
    b->count[x < 0][(bits & INT64_MAX) >> 46]++;
}

/* The highest buckets are kept, what lies below is in the lowest of them. */
static void
expect_buckets (Buckets *b, const StatsSketch *s)
{
  static int64_t counts[KEPT], want[KEPT];
  EveBlob *blob = eve_blob_new ();
  bool collapsed = false;
  size_t n_bytes;

  stats_sketch_save (s, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n_bytes);
  EveBlobView *v = eve_blob_view_new (bytes, n_bytes);
  g_assert_cmpuint (stats_sketch_count (s), ==, b->n);
  g_assert_cmpint (eve_get_int (v), ==, (int64_t) b->zeros);
  bool said_collapsed = eve_get_int (v) != 0;
  for (int side = 0; side < 2; side++) {
    const uint64_t *count = b->count[side];
    int64_t high = KEYS - 1, low = 0;
    while (high >= 0 && !count[high])
      high--;
    while (low <= high && !count[low])
      low++;
    int64_t first = MAX (low, high - KEPT + 1), n = high - first + 1;
    collapsed |= first > low;
    for (int64_t k = 0; k < n; k++)
      want[k] = (int64_t) count[first + k];
    for (int64_t k = low; k < first; k++)
      want[0] += (int64_t) count[k];
    g_assert_cmpint (eve_get_int (v), ==, n);
    g_assert_cmpint (eve_get_int (v), ==, n ? first : 0);
    g_assert_cmpuint (eve_get_ints (v, counts, KEPT), ==, n);
    for (int64_t k = 0; k < n; k++)
      g_assert_cmpint (counts[k], ==, want[k]);
  }
  g_assert_true (eve_get_ok (v));
  g_assert_true (said_collapsed == collapsed);
  eve_blob_view_free (v);
  eve_blob_free (blob);
}

static double
any_size (GRand *r, int kind)
{
  double x = kind == 0   ? g_rand_double (r)
             : kind == 1 ? ldexp (1 + g_rand_double (r), g_rand_int_range (r, -40, 40))
             : kind == 2 ? ldexp (1 + g_rand_double (r), g_rand_int_range (r, -1000, 1000))
                         : ldexp (1 + g_rand_double (r), g_rand_int_range (r, -32, 32));

  return g_rand_int_range (r, 0, 20) == 0 ? 0 : g_rand_int_range (r, 0, 3) == 0 ? -x : x;
}

static void
test_sketch_merge (void)
{
  Buckets *b = g_new (Buckets, 1);

  for (guint32 seed = 1; seed <= 40; seed++) {
    g_autoptr (GRand) r = g_rand_new_with_seed (seed);
    StatsSketch *parts[5], *all = stats_sketch_new ();
    int n_parts = g_rand_int_range (r, 1, 6);

    memset (b, 0, sizeof *b);
    for (int i = 0; i < n_parts; i++)
      parts[i] = stats_sketch_new ();
    for (int n = g_rand_int_range (r, 0, 3000); n > 0; n--) {
      int part = g_rand_int_range (r, 0, n_parts);
      double x = any_size (r, (int) (seed + (guint) part) % 4);
      if (n % 500 == 0)
        x = n % 1000 == 0 ? NAN : INFINITY;
      stats_sketch_add (parts[part], x);
      stats_sketch_add (all, x);
      buckets_add (b, x);
    }
    expect_buckets (b, all);
    StatsSketch *merged = stats_sketch_new ();
    for (int i = 0; i < n_parts; i++)
      stats_sketch_merge (merged, parts[(i + (int) seed) % n_parts]);
    expect_buckets (b, merged);
    for (int i = 0; i < n_parts; i++)
      stats_sketch_free (parts[i]);
    stats_sketch_free (all);
    stats_sketch_free (merged);
  }
  g_free (b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/moments/two-passes", test_moments);
  g_test_add_func ("/moments/odd", test_odd);
  g_test_add_func ("/moments/pairs", test_pairs);
  g_test_add_func ("/sketch/sorted", test_quantiles);
  g_test_add_func ("/sketch/collapse", test_collapse);
  g_test_add_func ("/sketch/merge", test_sketch_merge);
  return g_test_run ();
}
