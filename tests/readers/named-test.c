/* SPDX-License-Identifier: Apache-2.0 */
/* named-test.c - a file of another program is recognised by readers that are called FORMAT-reader.so, and nothing else
 * is loaded for it; one that is called otherwise is found all the same.  argv[1]: where components are built. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "eve/eve-host.h"
#include "readers/reader.h"

static const char *built;
static char *folder;

static void
take (const char *name, const char *as)
{
  g_autofree char *from = g_strconcat (built, "/", name, NULL), *to = g_build_filename (folder, as, NULL);

  g_assert_cmpint (symlink (from, to), ==, 0);
}

static bool
is_loaded (const char *id)
{
  g_autoptr (GPtrArray) all = eve_registry_list ();
  bool found = false;

  for (guint i = 0; i < all->len; i++)
    found |= g_str_equal (((const EveClass *) all->pdata[i])->id, id);
  return found;
}

static void
assert_format (const char *name, const char *text, const char *format)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, &error));
  TraceBundle *b = trace_bundle_open (path, &error);
  if (!format) {
    g_assert_null (b);
    g_assert_nonnull (error);
    return;
  }
  g_assert_no_error (error);
  g_assert_cmpuint (b->formats->len, ==, 1);
  g_assert_cmpstr (b->formats->pdata[0], ==, format);
  trace_bundle_free (b);
}

static void
test_named (void)
{
  assert_format ("a.dot", "digraph a { b -> c }\n", "graph");
  g_assert_true (is_loaded ("scope.graph-reader"));
  g_assert_false (is_loaded ("scope.paje-reader"));
  g_assert_false (is_loaded ("scope.constant"));
  assert_format ("b.dot", "digraph b { c -> d }\n", "graph");
  g_assert_false (is_loaded ("scope.constant"));
  assert_format ("a.paje",
                 "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n",
                 "paje");
  g_assert_true (is_loaded ("scope.paje-reader"));
  g_assert_true (is_loaded ("scope.constant"));
  assert_format ("a.txt", "nobody's\n", NULL);
}

/* Without a byte, as it is and packed: that is said, and not that nobody knows it. */
static void
test_empty (void)
{
  static const char zstd[] = "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51",
                    gzip[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00";
  static const struct {
    const char *name, *bytes;
    size_t n;
    bool empty;
  } files[] = { { "heaptrack.a.zst", zstd, sizeof zstd - 1, true },
                { "heaptrack.b.zst", zstd, 0, true },
                { "a.json.gz", gzip, sizeof gzip - 1, true },
                { "cut.json.gz", gzip, 8, false },
                { "blank", "\n", 1, false } };

  for (size_t i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (folder, files[i].name, NULL);
    g_autoptr (GError) error = NULL;
    g_assert_true (g_file_set_contents (path, files[i].bytes, (gssize) files[i].n, NULL));
    g_assert_null (trace_bundle_open (path, &error));
    g_assert_cmpint (strstr (error->message, "is empty") != NULL, ==, files[i].empty);
    g_assert_nonnull (strstr (error->message, files[i].name));
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = NULL;

  g_test_init (&argc, &argv, NULL);
  built = argv[1];
  folder = g_dir_make_tmp ("scope-named-XXXXXX", NULL);
  take ("graph-reader.so", "graph-reader.so");
  take ("paje-reader.so", "another.so");
  take ("constant.so", "constant.so");
  eve_registry_add_folder (folder);
  g_test_add_func ("/readers/named", test_named);
  g_test_add_func ("/readers/empty", test_empty);
  int status = g_test_run ();
  dir = g_dir_open (folder, 0, NULL);
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  g_free (folder);
  return status;
}
