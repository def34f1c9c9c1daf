/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of few values: each value is in the bin that says so, and they do not share one. */
#include "statistics/types.h"
#include "tests/components/common.h"

/* Few values share no bin, be they near each other and far from 0, or of very different sizes; the same value does. */
static void
test_histogram_of_few (void)
{
  static const struct Few {
    double of[5];
    int n;
    uint64_t fullest;
  } rows[] = { { { 0.951, 0.953, 0.955, 0.957 }, 4, 1 },
               { { -20.3, -20.1, -20.2 }, 3, 1 },
               { { 1e-6, 3e-6, 7e-5, 2e-6, 0.9 }, 5, 3 },
               { { 0.9, 0.91, 0.905, 0.902, 0.907 }, 5, 1 },
               { { 0.5, 0.5, 0.5 }, 3, 3 },
               { { 1000.25, 1000.5, 1000 }, 3, 1 },
               { { 2e-9, 0.9 }, 2, 1 } };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (rows); i++) {
    const struct Few *row = &rows[i / 2];
    double of[5];
    size_t n_given;
    for (int m = 0; m < row->n; m++) /* in the other order too */
      of[m] = row->of[i % 2 ? row->n - 1 - m : m];
    Harness *h = alone ("scope.histogram");
    feed (h, "value", of, (size_t) row->n);
    harness_collect_all (h);
    run_to_end (h);
    StatsHistogram *const *given = harness_collected (h, "histogram", &n_given);
    g_assert_cmpuint (n_given, >, 0);
    const StatsHistogram *g = given[n_given - 1];
    uint64_t fullest = 0, in = 0;
    for (uint32_t k = 0; k < g->n_bins; k++) {
      double from = stats_histogram_edge (g, k), to = stats_histogram_edge (g, k + 1);
      uint64_t want = 0;
      for (int m = 0; m < row->n; m++)
        want += of[m] >= from && of[m] < to;
      g_assert_cmpuint (g->bins[k], ==, want);
      fullest = MAX (fullest, want);
      in += want;
    }
    g_assert_cmpuint (in, ==, (uint64_t) row->n);
    g_assert_cmpuint (fullest, ==, row->fullest);
    g_assert_cmpuint (g->below + g->above, ==, 0);
    harness_free (h);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/histograms/few", test_histogram_of_few);
  eve_registry_load_all (problems);
  return g_test_run ();
}
