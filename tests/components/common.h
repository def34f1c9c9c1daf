/* SPDX-License-Identifier: Apache-2.0 */
/* common.h - what the tests of components share: numbers in, numbers out, warnings counted. */
#pragma once
#include <math.h>
#include <string.h>
#include "tests/harness/harness.h"

/* An array and its length, as two arguments. */
#define NUMBERS(...) (const double[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const double[]){ __VA_ARGS__ }))
#define TRUTHS(...) (const bool[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const bool[]){ __VA_ARGS__ }))
#define WHOLES(...) (const int64_t[]){ __VA_ARGS__ }, G_N_ELEMENTS (((const int64_t[]){ __VA_ARGS__ }))
#define NONE NULL, 0

static G_GNUC_UNUSED guint warnings;
static G_GNUC_UNUSED char *last_warning;

static G_GNUC_UNUSED void
count_warning (void *arg, EveComponent *c, const char *sentence)
{
  warnings++;
  g_free (last_warning);
  last_warning = g_strdup (sentence);
}

/* One component of a class, alone. */
static G_GNUC_UNUSED Harness *
alone (const char *id)
{
  const EveClass *klass = eve_registry_find (id);
  Harness *h;

  if (!klass)
    g_error ("%s is not in the folders of SCOPE_PLUGIN_PATH", id);
  h = harness_new (klass);
  warnings = 0;
  eve_program_set_warn (harness_program (h), count_warning, NULL);
  return h;
}

static G_GNUC_UNUSED void
feed (Harness *h, const char *in, const double *x, size_t n)
{
  harness_feed (h, in, &eve_type_double, x, n);
}

static G_GNUC_UNUSED void
feed_truths (Harness *h, const char *in, const bool *x, size_t n)
{
  harness_feed (h, in, &eve_type_bool, x, n);
}

static G_GNUC_UNUSED void
feed_wholes (Harness *h, const char *in, const int64_t *x, size_t n)
{
  harness_feed (h, in, &eve_type_int64, x, n);
}

static G_GNUC_UNUSED void
run (Harness *h)
{
  EveRun r = harness_run (h);

  if (r != EVE_IDLE)
    g_error ("the run ended with %d: %s%s", r, eve_program_failure (harness_program (h), NULL),
             eve_program_stall (harness_program (h)));
}

static G_GNUC_UNUSED void
run_to_end (Harness *h)
{
  harness_end (h, NULL);
  run (h);
  g_assert_true (eve_program_ended (harness_program (h)));
}

/* What an output of numbers, whole numbers or truth values has given; NaN equals NaN, and -0 is not 0. */
static G_GNUC_UNUSED void
expect_at (const char *where, Harness *h, const char *out, const double *want, size_t n)
{
  size_t n_got;
  const void *got = harness_collected (h, out, &n_got);
  const EveType *type = harness_collected_type (h, out);

  for (size_t i = 0; i < MIN (n, n_got); i++) {
    double x = type == &eve_type_double  ? ((const double *) got)[i]
               : type == &eve_type_int64 ? (double) ((const int64_t *) got)[i]
                                         : ((const bool *) got)[i];
    if (!(x == want[i] && signbit (x) == signbit (want[i])) && !(isnan (x) && isnan (want[i])))
      g_error ("%s: %s gave %.17g as number %zu, not %.17g", where, out, x, i, want[i]);
  }
  if (n != n_got)
    g_error ("%s: %s gave %zu data, not %zu", where, out, n_got, n);
}
#define expect(h, ...) expect_at (G_STRLOC, h, __VA_ARGS__)

/* A run that is saved after some rounds and goes on elsewhere ends like one that was never interrupted.  `make`
 * gives a harness that is fed and collected. */
static G_GNUC_UNUSED void
check_travel (Harness *(*make) (void) )
{
  for (int rounds = 0; rounds < 40; rounds += 3) {
    Harness *whole = make (), *first = make (), *second = make ();
    EveBlob *blob = eve_blob_new ();
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GError) error = NULL;
    g_autofree char *difference = NULL;
    size_t n;

    run_to_end (whole);
    harness_end (first, NULL);
    harness_end (second, NULL);
    for (int i = 0; i < rounds; i++)
      eve_run (harness_program (first), 0);
    eve_program_save_run (harness_program (first), blob);
    const uint8_t *bytes = eve_blob_data (blob, &n);
    eve_program_load_run (harness_program (second), bytes, n, problems, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (problems->len, ==, 0);
    run (second);
    difference = harness_difference (whole, second);
    g_assert_cmpstr (difference, ==, NULL);
    g_assert_cmphex (eve_program_run_hash (harness_program (whole)), ==,
                     eve_program_run_hash (harness_program (second)));
    eve_blob_free (blob);
    harness_free (whole);
    harness_free (first);
    harness_free (second);
  }
}

/* After reset and another run, the same once more. */
static G_GNUC_UNUSED void
check_reset (Harness *(*make) (void) )
{
  Harness *once = make (), *again = make ();
  g_autofree char *difference = NULL;

  run_to_end (once);
  run_to_end (again);
  eve_reset (harness_program (again));
  run (again);
  difference = harness_difference (once, again);
  g_assert_cmpstr (difference, ==, NULL);
  harness_free (once);
  harness_free (again);
}

static G_GNUC_UNUSED int
run_tests (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  eve_registry_load_all (problems);
  for (guint i = 0; i < problems->len; i++)
    g_printerr ("%s\n", (char *) problems->pdata[i]);
  return g_test_run ();
}
