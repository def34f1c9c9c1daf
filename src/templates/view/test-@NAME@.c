/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include <glib/gstdio.h>
#include <string.h>
#include "bench.h"

static const char *component;

/* Runs over 0 ... n - 1 and gives the picture; `columns` becomes how many it has. */
static char *
picture (size_t n, guint *columns)
{
  g_autofree double *data = g_new (double, n + 1);
  g_autofree char *folder = g_dir_make_tmp ("view-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "picture.svg", NULL);
  char *svg = NULL;
  EveProgram *p;

  for (size_t i = 0; i < n; i++)
    data[i] = (double) i;
  p = bench_new (component, "in", NULL, data, n, "file", "picture.svg", NULL);
  eve_program_set_output_folder (p, folder);
  bench_expect (p, NULL, 0);
  g_assert_true (g_file_get_contents (file, &svg, NULL, NULL));
  *columns = 0;
  for (const char *at = svg; (at = strstr (at, "<path")); at++)
    ++*columns;
  eve_program_free (p);
  g_remove (file);
  g_rmdir (folder);
  return svg;
}

static void
test_few (void)
{
  guint columns;
  g_autofree char *svg = picture (10, &columns);

  g_assert_cmpuint (columns, ==, 10);
  g_assert_nonnull (strstr (svg, "<title>0 to 9</title>"));
  g_assert_nonnull (strstr (svg, "M0.5 199.0v1.0")); /* the smallest at the bottom, the largest at the top */
  g_assert_nonnull (strstr (svg, "M9.5 0.0v1.0"));
}

static void
test_many (void) /* summed up: never more columns than pixels, and nothing of the range is lost */
{
  guint columns;
  g_autofree char *svg = picture (100000, &columns);

  g_assert_cmpuint (columns, <=, 512);
  g_assert_cmpuint (columns, >=, 256);
  g_assert_nonnull (strstr (svg, "<title>0 to 99999</title>"));
}

static void
test_none (void)
{
  guint columns;
  g_autofree char *svg = picture (0, &columns);

  g_assert_cmpuint (columns, ==, 0);
  g_assert_nonnull (strstr (svg, "</svg>"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/few", test_few);
  g_test_add_func ("/@NAME@/many", test_many);
  g_test_add_func ("/@NAME@/none", test_none);
  return g_test_run ();
}
