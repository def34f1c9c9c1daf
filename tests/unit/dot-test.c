/* SPDX-License-Identifier: Apache-2.0 */
/* The program graph for Graphviz: read back with the parser of Graphviz itself where `dot` is installed. */
#include <glib/gstdio.h>
#include "tests/unit/boxes.h"

static void
check_with_dot (const char *text)
{
  g_autofree char *program = g_find_program_in_path ("dot"), *folder = NULL, *path = NULL, *err = NULL;
  int status = -1;

  if (program == NULL)
    return;
  folder = g_dir_make_tmp ("dot-XXXXXX", NULL);
  path = g_build_filename (folder, "g.dot", NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (
      g_spawn_sync (NULL, (char *[]){ program, (char *) "-Tcanon", (char *) "-o", (char *) "/dev/null", path, NULL },
                    NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &err, &status, NULL));
  g_unlink (path);
  g_rmdir (folder);
  g_assert_cmpint (status, ==, 0);
  g_assert_cmpstr (err, ==, "");
}

static void
test_dot (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From \"quoted\" {x|y} <z> \\ back"), *hold = box (p, &box_hold, "Hold");
  EveComponent *to = box (p, &box_sink, "]; evil -> \xc3\xa9");
  g_autofree char *text = NULL, *empty = NULL;
  const char *at;
  int arrows = 0;

  empty = eve_program_dot (p);
  check_with_dot (empty);
  wire (from, "out", hold, "value");
  wire (from, "out", hold, "gain");
  wire (hold, "out", to, "in");
  text = eve_program_dot (p);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  assert_contains (text, "digraph");
  assert_contains (text, "Hold");
  for (at = text; (at = strstr (at, " -> n")); at++)
    arrows++;
  g_assert_cmpint (arrows, ==, 3);
  check_with_dot (text);
  eve_program_free (p);
}

/* SCOPE_DOT_DIR: a file at each change. */
static void
test_dump (void)
{
  g_autofree char *folder = NULL;
  const char *name;
  EveProgram *p;
  GDir *dir;
  int n = 0;

  if (g_test_subprocess ()) {
    p = eve_program_new ();
    wire (box (p, &box_source, "From"), "out", box (p, &box_sink, "To"), "in");
    run_idle (p);
    eve_remove (p, eve_find (p, "To"));
    run_idle (p);
    eve_program_free (p);
    return;
  }
  folder = g_dir_make_tmp ("dump-XXXXXX", NULL);
  g_setenv ("SCOPE_DOT_DIR", folder, TRUE);
  g_test_trap_subprocess (NULL, 0, 0);
  g_unsetenv ("SCOPE_DOT_DIR");
  g_test_trap_assert_passed ();
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir))) {
    g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;

    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    assert_contains (text, "digraph");
    n++;
    g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_assert_cmpint (n, >=, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dot/text", test_dot);
  g_test_add_func ("/dot/dump", test_dump);
  return g_test_run ();
}
