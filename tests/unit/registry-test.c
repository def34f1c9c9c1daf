/* SPDX-License-Identifier: Apache-2.0 */
/* Classes: what the registry takes, and shared objects that cannot be used. */
#include <glib/gstdio.h>
#include "tests/unit/boxes.h"

static void
bad (EveClass c, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (eve_class_check (&c, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_PLUGIN);
  if (part)
    assert_contains (error->message, part);
  g_assert_cmpint (error->message[strlen (error->message) - 1], !=, '\n');
  if (c.id && *c.id)
    c.id = "test.bad";
  g_assert_false (eve_registry_add (&c, NULL));
  g_assert_null (eve_registry_find ("test.bad"));
}

static void
test_tables (void)
{
  EveInSpec ins[3] = { { "a", &eve_type_int64, .doc = "A." }, { "b", &eve_type_int64, .doc = "B." } };
  EveOutSpec out = { "out", &eve_type_int64, .doc = "Out." };
  EveField field = { "n", EVE_F_INT64, 64, .doc = "N." };
  EveClass c;

  g_assert_true (eve_class_check (&box_add, NULL));
  c = box_add;
  c.abi = EVE_ABI + 1;
  bad (c, NULL);
  c = box_add;
  c.size = 8;
  bad (c, NULL);
  c = box_add;
  c.id = NULL;
  bad (c, NULL);
  c = box_add;
  c.id = "";
  bad (c, NULL);
  c = box_add;
  c.label = NULL;
  bad (c, NULL);
  c = box_add;
  c.instance_size = sizeof (EveBase) - 1;
  bad (c, NULL);
  c = box_add;
  c.n_ins = EVE_MAX_PORTS + 1;
  bad (c, NULL);
  c = box_add;
  c.ins = NULL;
  bad (c, NULL);
  c = box_add;
  c.ins = ins;
  g_assert_true (eve_class_check (&c, NULL));
  ins[1].name = "a";
  bad (c, "a"); /* twice the same name */
  ins[1].name = NULL;
  bad (c, NULL);
  ins[1] = (EveInSpec){ "b", &eve_type_int64, EVE_ASYNC, .doc = "B." };
  bad (c, "b"); /* async without a handler */
  c = box_add;
  c.fire = NULL;
  bad (c, NULL); /* sync inputs and nothing that fires */
  c = box_caller;
  out.name = "";
  c.outs = &out;
  bad (c, NULL);
  c = box_every;
  field.offset = c.instance_size;
  c.settings = &field;
  bad (c, "n"); /* outside of the instance */
  field.offset = 0;
  bad (c, "n"); /* over the engine's own part */
  field = box_every.settings[0];
  field.def = 0;
  bad (c, "n"); /* a default that is out of range */
  field = box_every.settings[0];
  field.min = 5;
  field.max = 1;
  bad (c, "n");
  field = (EveField){ "n", EVE_F_CHOICE, box_every.settings[0].offset, .doc = "N." };
  bad (c, "n"); /* a choice among nothing */
}

static void
test_registry (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = NULL;
  EveClass twin = box_add;

  boxes_register ();
  g_assert_true (eve_registry_find ("test.add") == &box_add);
  g_assert_null (eve_registry_find ("test.nobody"));
  g_assert_null (eve_registry_find_provider ("reader:nobody"));
  g_assert_false (eve_registry_add (&twin, &error));
  assert_contains (error->message, "test.add");
  list = eve_registry_list ();
  for (guint i = 1; i < list->len; i++)
    g_assert_cmpstr (((const EveClass *) list->pdata[i - 1])->id, <, ((const EveClass *) list->pdata[i])->id);
  g_assert_cmpint (eve_class_in (&box_add, "b"), ==, 1);
  g_assert_cmpint (eve_class_in (&box_add, "out"), ==, -1);
  g_assert_cmpint (eve_class_out (&box_split, "odd"), ==, 1);
  g_assert_cmpint (eve_class_setting (&box_source, "count"), ==, 1);
  g_assert_cmpint (eve_class_setting (&box_source, ""), ==, -1);
}

/* ---- shared objects: BAD_PLUGINS is the folder of those that must not be used ---- */
static void
unusable (const char *name, const char *part)
{
  g_autofree char *path = g_build_filename (g_getenv ("BAD_PLUGINS"), name, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (eve_registry_load_file (path, NULL, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_PLUGIN);
  assert_contains (error->message, name); /* which one */
  if (part)
    assert_contains (error->message, part);
  g_assert_null (eve_registry_find ("bad.plugin"));
}

static void
test_bad_plugins (void)
{
  if (!g_getenv ("BAD_PLUGINS")) {
    g_test_skip ("BAD_PLUGINS is not set");
    return;
  }
  unusable ("wrong-abi.so", NULL);
  unusable ("wrong-size.so", NULL);
  unusable ("no-table.so", "eve_plugin");
  unusable ("missing-symbol.so", NULL);
  unusable ("empty-table.so", NULL);
  unusable ("bad-ports.so", NULL);
  unusable ("not-there.so", NULL);
  unusable ("two-alike.so", NULL);
}

static void
test_not_elf (void)
{
  g_autofree char *folder = g_dir_make_tmp ("registry-XXXXXX", NULL);
  static const char *const texts[] = { "", "this is no shared object",
                                       "\x7f"
                                       "ELF",
                                       "\x7f"
                                       "ELF\x02\x01\x01" };

  for (uint32_t i = 0; i < EVE_N (texts); i++) {
    g_autofree char *path = g_build_filename (folder, "x.so", NULL);
    g_autoptr (GError) error = NULL;

    g_assert_true (g_file_set_contents (path, texts[i], -1, NULL));
    g_assert_false (eve_registry_load_file (path, NULL, &error));
    g_assert_error (error, EVE_ERROR, EVE_ERROR_PLUGIN);
    assert_contains (error->message, "x.so");
    g_unlink (path);
  }
  g_rmdir (folder);
}

/* A folder with bad objects still gives its good ones, and a sentence for each other. */
static void
test_folder (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  if (!g_getenv ("BAD_PLUGINS")) {
    g_test_skip ("BAD_PLUGINS is not set");
    return;
  }
  eve_registry_add_folder (g_getenv ("BAD_PLUGINS"));
  eve_registry_add_folder ("/nonexistent/folder");
  eve_registry_load_all (problems);
  g_assert_nonnull (eve_registry_find ("test.fails-in-init"));
  g_assert_cmpuint (problems->len, >=, 6);
}

/* What an earlier folder has given is passed over in a later one without a word; what is only there is not. */
static void
test_shadowed (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_dir_make_tmp ("registry-XXXXXX", NULL);
  g_autofree char *same = g_build_filename (folder, "fails-in-init.so", NULL),
                  *other = g_build_filename (folder, "only-here.so", NULL);
  unsigned told = 0;

  if (!g_getenv ("BAD_PLUGINS")) {
    g_test_skip ("BAD_PLUGINS is not set");
    return;
  }
  g_assert_true (g_file_set_contents (same, "not a shared object", -1, NULL));
  g_assert_true (g_file_set_contents (other, "not a shared object", -1, NULL));
  eve_registry_add_folder (g_getenv ("BAD_PLUGINS"));
  eve_registry_add_folder (folder);
  eve_registry_load_all (problems);
  for (guint i = 0; i < problems->len; i++)
    if (strstr (problems->pdata[i], folder)) {
      assert_contains (problems->pdata[i], "only-here.so");
      told++;
    }
  g_assert_cmpuint (told, ==, 1);
  g_unlink (same);
  g_unlink (other);
  g_rmdir (folder);
}

/* Init that fails: the box is not added, the sentence is the error, finish has run. */
static void
test_fails_in_init (void)
{
  EveProgram *p;
  const EveClass *klass;
  g_autoptr (GError) error = NULL;

  if (!g_getenv ("BAD_PLUGINS")) {
    g_test_skip ("BAD_PLUGINS is not set");
    return;
  }
  eve_registry_add_folder (g_getenv ("BAD_PLUGINS"));
  klass = eve_registry_find ("test.fails-in-init");
  p = eve_program_new ();
  for (int i = 0; i < 3; i++) {
    g_clear_error (&error);
    g_assert_null (eve_add (p, klass, "Failing", &error));
    assert_contains (error->message, "the moon is full");
  }
  g_assert_cmpuint (eve_n_components (p), ==, 0);
  g_assert_null (eve_find (p, "Failing"));
  g_assert_cmpint (*(const int *) klass->query (NULL, "finished"), ==, 3);
  box (p, &box_sink, "Failing"); /* the name is free */
  run_idle (p);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/registry/tables", test_tables);
  g_test_add_func ("/registry/classes", test_registry);
  g_test_add_func ("/registry/bad-plugins", test_bad_plugins);
  g_test_add_func ("/registry/not-elf", test_not_elf);
  g_test_add_func ("/registry/folder", test_folder);
  g_test_add_func ("/registry/shadowed", test_shadowed);
  g_test_add_func ("/registry/fails-in-init", test_fails_in_init);
  return g_test_run ();
}
