/* SPDX-License-Identifier: Apache-2.0 */
/* Runs docs/components/NAME.eve and compares what it writes to standard output with NAME.expected; every generic
 * component has such an example, and the component is in it. */
#include <stdio.h>
#include <string.h>
#include "eve/eve-host.h"

static const char *self;   /* this program: a child of it runs each example */
static const char *folder; /* of the examples */

static void
say_warning (void *arg, EveComponent *c, const char *sentence)
{
  g_printerr ("%s: %s\n", eve_name (c), sentence);
}

/* The child: runs one program to its end. */
static int
run_example (const char *path)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_load (path, problems, &error);
  bool ended;

  if (!p) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  for (guint i = 0; i < problems->len; i++)
    g_printerr ("%s\n", (char *) problems->pdata[i]);
  eve_program_set_warn (p, say_warning, NULL);
  eve_program_set_prints (p, true);
  eve_run (p, -1);
  ended = !eve_program_failure (p, NULL) && !eve_program_stall (p) && !problems->len;
  if (eve_program_failure (p, NULL))
    g_printerr ("%s\n", eve_program_failure (p, NULL));
  if (eve_program_stall (p))
    g_printerr ("%s\n", eve_program_stall (p));
  eve_pause (p);
  eve_program_free (p);
  return ended ? 0 : 1;
}

static void
test_example (const void *arg)
{
  const char *name = arg;
  g_autofree char *file = g_strconcat (name, ".eve", NULL), *wanted = g_strconcat (name, ".expected", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL), *want_path = g_build_filename (folder, wanted, NULL);
  g_autofree char *named = g_strdup_printf ("class=\"scope.%s\"", name);
  g_autofree char *program = NULL, *want = NULL, *out = NULL, *err = NULL;
  const char *const argv[] = { self, "--run", path, NULL };
  g_autoptr (GError) error = NULL;
  int status;

  g_file_get_contents (path, &program, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (program, named));
  g_file_get_contents (want_path, &want, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (want, !=, "");
  g_spawn_sync (NULL, (char **) argv, NULL, 0, NULL, NULL, &out, &err, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (err, ==, "");
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpstr (out, ==, want);
}

int
main (int argc, char **argv)
{
  static const char *const categories[] = { "Flow", "Math", "Analysis", "Control", NULL };
  g_autoptr (GPtrArray) classes = NULL;

  eve_registry_load_all (NULL);
  if (argc == 3 && g_str_equal (argv[1], "--run"))
    return run_example (argv[2]);
  self = argv[0];
  g_test_init (&argc, &argv, NULL);
  folder = g_getenv ("SCOPE_EXAMPLES");
  if (!folder)
    g_error ("SCOPE_EXAMPLES must name the folder docs/components");
  classes = eve_registry_list ();
  for (guint i = 0; i < classes->len; i++) {
    const EveClass *k = classes->pdata[i];
    const char *name = k->id + strlen ("scope.");
    g_autofree char *path = g_strconcat ("/example/", name, NULL);

    if (g_str_has_prefix (k->id, "scope.") && g_strv_contains (categories, k->category))
      g_test_add_data_func (path, name, test_example);
  }
  return g_test_run ();
}
