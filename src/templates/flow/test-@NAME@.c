/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include "bench.h"

static const char *component;
static const double data[] = { 5, 6, 7, 8 };

static void
test_default (void)
{
  EveProgram *p = bench_new (component, "in", "out", data, 4, NULL);

  bench_expect (p, (const double[]) { 6, 7, 8 }, 3);
  eve_program_free (p);
}

static void
test_settings (void)
{
  EveProgram *p = bench_new (component, "in", "out", data, 4, "n", "2", NULL);

  bench_expect (p, (const double[]) { 7, 8 }, 2);
  eve_reset (p); /* everything once more */
  g_array_set_size (bench_got, 0);
  bench_expect (p, (const double[]) { 7, 8 }, 2);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/default", test_default);
  g_test_add_func ("/@NAME@/settings", test_settings);
  return g_test_run ();
}
