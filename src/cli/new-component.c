/* SPDX-License-Identifier: Apache-2.0 */
/* scope new-component: a working skeleton with its test, out of src/templates (its README.md tells the
 * marks). */
#include "cli/cli.h"
#include "eve/words.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include "session/places.h"
#include "eve/disk.h"

/* What stands for a mark in a template. */
typedef struct Marks {
  const char *mark;
  char *value;
} Marks;

enum { NAME, IDENT, LABEL, PACKAGES, N_MARKS };

static void
make_marks (const char *name, Marks marks[N_MARKS])
{
  marks[NAME] = (Marks){ "@NAME@", g_strdup (name) };
  marks[IDENT] = (Marks){ "@IDENT@", g_strdelimit (g_strdup (name), "-", '_') };
  marks[LABEL] = (Marks){ "@LABEL@", g_strdelimit (g_strdup (name), "-", ' ') };
  marks[LABEL].value[0] = g_ascii_toupper (name[0]);
  g_autofree char *packages = places_packages ();
  marks[PACKAGES] = (Marks){ "@PACKAGES@",
                             packages ? g_strdup_printf (", 'pkg_config_path=%s'", packages) : g_strdup ("") };
}

static char *
filled (const char *text, const Marks marks[N_MARKS])
{
  GString *s = g_string_new (text);

  for (int i = 0; i < N_MARKS; ++i)
    g_string_replace (s, marks[i].mark, marks[i].value, 0);
  return g_string_free (s, FALSE);
}

/* A name that can be a file, a word of a list in a meson.build and, with _ for -, a part of C names. */
static bool
good_name (const char *name)
{
  bool good = g_ascii_islower (name[0]) && !g_str_has_suffix (name, "-") && strlen (name) <= 60;

  for (const char *c = name; good && *c; ++c)
    good = g_ascii_islower (*c) || g_ascii_isdigit (*c) || (*c == '-' && c[1] != '-');
  return good;
}

/* Fills the templates of `from` into `to`, which is new; the files made are told. */
static bool
fill_folder (const char *from, const char *to, const Marks marks[N_MARKS], GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (from, 0, error);
  const char *name;

  if (!dir)
    return false;
  if (g_mkdir_with_parents (to, 0777) != 0) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s: %s", to, g_strerror (errno));
    return false;
  }
  while ((name = g_dir_read_name (dir))) {
    g_autofree char *source = g_build_filename (from, name, NULL), *made = filled (name, marks);
    g_autofree char *target = g_build_filename (to, made, NULL);
    g_autofree char *text = NULL;
    if (g_file_test (source, G_FILE_TEST_IS_DIR)) {
      if (!fill_folder (source, target, marks, error))
        return false;
      continue;
    }
    if (!(text = disk_read (source, NULL, DISK_MIB, NULL, error)))
      return false;
    g_autofree char *content = filled (text, marks);
    if (!g_file_set_contents (target, content, -1, error))
      return false;
  }
  return true;
}

static int
new_component_command (const CliCommand *self, int argc, char **argv)
{
  static const char *const kinds[] = { "flow", "math", "analysis", "reader", "simulator", "view", "layout", NULL };
  g_autofree char *kind = NULL, *out = NULL;
  const GOptionEntry entries[] = {
    { "kind", 0, 0, G_OPTION_ARG_STRING, &kind,
      _ ("flow, math, analysis, reader, simulator (or model), view or layout"), "KIND" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("Folder to make; NAME if left out"), "DIR" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autofree char *templates = places_templates ();
  GError *error = NULL;
  Marks marks[N_MARKS];

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  const char *name = argv[1];
  if (g_strcmp0 (kind, "model") == 0) { /* what a simulator rebuilds */
    g_free (kind);
    kind = g_strdup ("simulator");
  }
  if (!kind || !g_strv_contains (kinds, kind))
    return cli_usage ("--kind", _ ("say which: flow, math, analysis, reader, simulator (or model), view or layout"));
  if (!good_name (name))
    return cli_usage (name, _ ("a component's name is of small letters, digits and single dashes, as my-filter"));
  if (!out)
    out = g_strdup (name);
  if (g_file_test (out, G_FILE_TEST_EXISTS))
    return cli_fail (out, _ ("is there already; choose another folder with -o"));
  g_autofree char *from = g_build_filename (templates, kind, NULL);
  make_marks (name, marks);
  int status = fill_folder (from, out, marks, &error) ? CLI_OK : cli_fail_error (out, error);
  if (!status && cli_is_watched ())
    cli_note (
        out,
        _ ("written; in it, `meson setup build && meson test -C build` builds and tests it, and README.md tells more"));
  for (int i = 0; i < N_MARKS; ++i)
    g_free (marks[i].value);
  return status;
}

const CliCommand cli_new_component = {
  "new-component",
  "NAME",
  N_ ("Writes a working skeleton of a component with its test."),
  "  scope new-component my-filter --kind flow\n",
  new_component_command,
};
