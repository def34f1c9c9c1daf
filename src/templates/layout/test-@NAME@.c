/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include <math.h>
#include "eve/eve-host.h"
#include "views/graph-layout.h"

static const char *component;

static void
test_neighbours (void)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  uint32_t host[100] = { 0 };
  LayoutNodes nodes = { .n = 100, .host = host };
  double at[100][3], flat[100][2];

  eve_registry_load_file (component, &classes, &error);
  g_assert_no_error (error);
  const GraphLayout *l = graph_layout_find ("@NAME@");
  g_assert_nonnull (l);
  graph_layout_in_space (l, &nodes, at);
  graph_layout_in_plane (l, &nodes, flat);
  for (uint32_t i = 1; i < nodes.n; i++) {
    double x = at[i][0] - at[i - 1][0], y = at[i][1] - at[i - 1][1], z = at[i][2] - at[i - 1][2];
    double apart = sqrt (x * x + y * y + z * z);
    g_assert_cmpfloat (apart, >, 0.9);
    g_assert_cmpfloat (apart, <, 1.2);
    g_assert_cmpfloat (hypot (flat[i][0] - flat[i - 1][0], flat[i][1] - flat[i - 1][1]), ==, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/neighbours", test_neighbours);
  return g_test_run ();
}
