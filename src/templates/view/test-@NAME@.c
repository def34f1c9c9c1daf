/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include <glib/gstdio.h>
#include <string.h>
#include "bench.h"
#include "views/drawing.h"

static const char *component;

static EveComponent *
tested (EveProgram *p)
{
  return eve_find (p, "Tested");
}

/* What the picture shows after the numbers 0 ... n - 1, as names of its items. */
static char *
shown (size_t n)
{
  g_autofree double *data = g_new (double, n + 1);
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (ViewItem));
  ViewColours *colours = view_colours_load ();
  ViewScene scene = { .width_px = 400, .height_px = 300, .scale = 1, .from = 1, .to = 0, .at = INT64_MIN,
                      .colours = colours };
  GString *names = g_string_new (NULL);

  for (size_t i = 0; i < n; i++)
    data[i] = (double) i;
  EveProgram *p = bench_new (component, "value", NULL, data, n, NULL);
  bench_expect (p, NULL, 0);
  const View *view = view_get (tested (p));
  g_autoptr (Drawing) d = view_marks (tested (p), view, &scene, 100, NULL);
  view_items (tested (p), view, &scene, d, items, 100);
  for (guint i = 0; i < items->len; i++) {
    ViewItem *item = &g_array_index (items, ViewItem, i);
    g_string_append_printf (names, "%s;", item->name);
    g_free (item->name);
  }
  eve_program_free (p);
  view_colours_free (colours);
  return g_string_free (names, FALSE);
}

static void
test_items (void)
{
  g_autofree char *none = shown (0), *one = shown (1), *many = shown (500);

  g_assert_cmpstr (none, ==, "");
  g_assert_nonnull (strstr (one, ": 0;"));
  g_assert_nonnull (strstr (many, ": 499;")); /* the present value, and no other */
  g_assert_null (strchr (strchr (many, ';') + 1, ';'));
}

/* Painted into files of both kinds; the dot is there. */
static void
test_picture (void)
{
  static const double data[] = { 1, 4, 2 };
  g_autofree char *folder = g_dir_make_tmp ("view-XXXXXX", NULL);
  ViewColours *colours = view_colours_load ();
  ViewScene scene = { .width_px = 400, .height_px = 300, .scale = 1, .from = 1, .to = 0, .at = INT64_MIN,
                      .colours = colours };
  EveProgram *p = bench_new (component, "value", NULL, data, EVE_N (data), NULL);

  bench_expect (p, NULL, 0);
  for (int k = 0; k < 2; k++) {
    g_autofree char *path = g_build_filename (folder, k ? "picture.svg" : "picture.png", NULL), *bytes = NULL;
    g_autoptr (GError) error = NULL;
    gsize n = 0;
    g_assert_true (view_to_file (tested (p), &scene, path, &error));
    g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
    g_assert_cmpuint (n, >, 1000);
    if (k)
      g_assert_nonnull (strstr (bytes, "<svg"));
    g_remove (path);
  }
  g_rmdir (folder);
  eve_program_free (p);
  view_colours_free (colours);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  g_test_add_func ("/@NAME@/items", test_items);
  g_test_add_func ("/@NAME@/picture", test_picture);
  return g_test_run ();
}
