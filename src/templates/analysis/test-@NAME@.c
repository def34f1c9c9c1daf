/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include "bench.h"

static const char *component;
static const double data[] = { 1, 2, 6 };

static void
test_mean (void)
{
  EveProgram *p = bench_new (component, "in", "mean", data, 3, NULL);

  bench_expect (p, (const double[]) { 1, 1.5, 3 }, 3);
  g_assert_cmpstr (eve_component_status (eve_find (p, "Tested")), ==, "3: 3");
  eve_program_free (p);
}

/* Stopped in the middle, saved, and gone on with in another program: the same results. */
static void
test_travel (void)
{
  EveProgram *p = bench_new (component, "in", "mean", data, 3, NULL);
  EveBlob *blob = eve_blob_new ();
  const uint8_t *bytes;
  size_t n;

  for (int rounds = 0; rounds < 2; rounds++)
    eve_run (p, 0);
  eve_program_save_run (p, blob);
  bytes = eve_blob_data (blob, &n);
  guint before = bench_got->len;
  bench_expect (p, (const double[]) { 1, 1.5, 3 }, 3);
  g_array_set_size (bench_got, before);
  g_assert_true (eve_program_load_run (p, bytes, n, NULL, NULL));
  bench_expect (p, (const double[]) { 1, 1.5, 3 }, 3);
  eve_blob_free (blob);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/mean", test_mean);
  g_test_add_func ("/@NAME@/travel", test_travel);
  return g_test_run ();
}
