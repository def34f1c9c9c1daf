/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include "bench.h"

static const char *component;

static void
test_settings (void)
{
  static const double celsius[] = { 0, 100, -40 };
  EveProgram *p = bench_new (component, "in", "out", celsius, 3, "scale", "1.8", "offset", "32", NULL);

  bench_expect (p, (const double[]) { 32, 212, -40 }, 3);
  eve_program_free (p);
}

static void
test_long (void) /* more than a ring holds: rings wrap round */
{
  static double data[10000];
  EveProgram *p;

  for (int i = 0; i < 10000; i++)
    data[i] = i;
  p = bench_new (component, "in", "out", data, 10000, NULL);
  bench_expect (p, data, 10000);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/settings", test_settings);
  g_test_add_func ("/@NAME@/long", test_long);
  return g_test_run ();
}
