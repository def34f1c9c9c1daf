/* SPDX-License-Identifier: Apache-2.0 */
/* scope import and scope synth: both make a bundle, under another name first, so that none is ever half
 * there. */
#include "cli/cli.h"
#include "eve/words.h"
#include "eve/disk.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
remove_tree (const char *path)
{
  GStatBuf st;

  if (g_lstat (path, &st) == 0 && S_ISDIR (st.st_mode)) {
    g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name (dir))) {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      remove_tree (inner);
    }
  }
  g_remove (path);
}

typedef bool (*Fill) (const TraceFormat *format, const char *folder, const void *arg, GError **error);

/* Makes NAME.trace/NAME.FORMAT/ and has it filled. */
static int
cli_bundle_make (const char *path, const TraceFormat *format, Fill fill, const void *arg)
{
  g_autofree char *clean = g_strdup (path);
  GError *error = NULL;

  for (size_t n = strlen (clean); n > 1 && clean[n - 1] == '/'; --n)
    clean[n - 1] = 0;
  g_autofree char *base = g_path_get_basename (clean);
  if (!g_str_has_suffix (base, ".trace") || strlen (base) == strlen (".trace"))
    return cli_usage (path, _ ("a bundle is named NAME.trace"));
  if (g_file_test (clean, G_FILE_TEST_EXISTS) || g_file_test (clean, G_FILE_TEST_IS_SYMLINK))
    return cli_fail (path, _ ("is there already; remove it or choose another name"));
  base[strlen (base) - strlen (".trace")] = 0;
  g_autofree char *parent = g_path_get_dirname (clean);
  g_autofree char *making = g_strdup_printf ("%s/.%s.making-XXXXXX", parent, base);
  if (!g_mkdtemp_full (making, 0777))
    return cli_fail (path, _ ("the folder cannot be made: %s"), g_strerror (errno));
  g_autofree char *folder = g_strdup_printf ("%s/%s.%s", making, base, format->name);
  int status = CLI_OK;
  if (g_mkdir (folder, 0777) != 0)
    status = cli_fail (path, _ ("the data folder cannot be made: %s"), g_strerror (errno));
  else if (!fill (format, folder, arg, &error))
    status = cli_fail_error (path, error);
  else if (cli_interrupted ())
    status = cli_fail (path, "interrupted");
  else if (g_rename (making, clean) != 0)
    status = cli_fail (path, _ ("the bundle cannot be given its name: %s"), g_strerror (errno));
  if (status)
    remove_tree (making);
  return status;
}

/* The format by name; without one, the only one there is.  `makes`: of which traces can be made up. */
static const TraceFormat *
cli_bundle_choose_format (const char *name, bool makes, int *status)
{
  g_autoptr (GPtrArray) all = trace_formats ();
  g_autoptr (GString) names = g_string_new (NULL);
  const char *only = NULL;
  GError *error = NULL;
  int n = 0;

  for (guint i = 0; !name && i < all->len; ++i) {
    const TraceFormat *f = all->pdata[i];
    if (makes && !f->synth)
      continue;
    only = f->name;
    g_string_append_printf (names, "%s%s", n++ ? ", " : "", only);
  }
  if (!name && n != 1) {
    *status = cli_usage ("--format", n ? _ ("say which format: %s") : _ ("no component reads any format%s"),
                         names->str);
    return NULL;
  }
  const TraceFormat *format = trace_format_find (name ? name : only, &error);
  if (!format)
    *status = cli_fail_error ("--format", error);
  return format;
}

static bool
copy_files (const char *folder, const char *const *files, GError **error)
{
  enum { PIECE = 1 << 20 };
  g_autofree char *piece = g_malloc (PIECE);

  for (; *files; ++files) {
    g_autofree char *base = g_path_get_basename (*files);
    g_autofree char *to_path = g_build_filename (folder, base, NULL);
    g_autoptr (GError) refused = NULL;
    int from = disk_open (*files, NULL, DISK_DATA, NULL, &refused);
    int to = from < 0 ? -1 : open (to_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int why = errno;
    bool ok = to >= 0;
    uint64_t at = 0;
    for (ssize_t n = 1; ok && n > 0 && !cli_interrupted (); at += (uint64_t) n) {
      n = disk_pread (from, piece, PIECE, at);
      ok = n >= 0 && disk_write (to, piece, (size_t) n);
      why = errno;
    }
    if (to >= 0 && close (to) != 0 && ok) {
      ok = false;
      why = errno;
    }
    if (from >= 0)
      close (from);
    if (ok)
      continue;
    if (refused) {
      g_propagate_error (error, g_steal_pointer (&refused));
      return false;
    }
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s: %s", *files,
                 why == EEXIST ? _ ("two files have this name") : g_strerror (why));
    return false;
  }
  return true;
}

static bool
fill_import (const TraceFormat *format, const char *folder, const void *arg, GError **error)
{
  const char *const *files = arg;

  return format->import ? format->import (folder, files, error) : copy_files (folder, files, error);
}

static int
run_import (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *out = NULL, *name = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("The bundle to make"), "NAME.trace" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &name, _ ("Format of the files; without it those that there are are listed"),
      "F" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  int status = CLI_OK;
  GError *error = NULL;

  if (!cli_parse (self, entries, &argc, &argv, 1, G_MAXINT))
    return CLI_USAGE;
  if (!out)
    return cli_usage (self->name, _ ("say which bundle to make with -o NAME.trace"));
  for (int i = 1; i < argc; ++i) {
    GStatBuf st;
    if (g_stat (argv[i], &st) != 0)
      return cli_fail (argv[i], "%s", g_strerror (errno));
    if (!S_ISREG (st.st_mode))
      return cli_fail (argv[i], _ ("is not a file"));
  }
  cli_load_all_components ();
  const TraceFormat *format = cli_bundle_choose_format (name, false, &status);
  if (!format || (status = cli_bundle_make (out, format, fill_import, argv + 1)) != CLI_OK)
    return status;
  /* What was made must open; if it does not, the files were not of this format. */
  TraceOptions options = { .progress = cli_progress () };
  TraceSource *s = trace_open (out, NULL, &options, &error);
  if (!s) {
    remove_tree (out);
    return cli_fail_error (out, error);
  }
  if (!s->n_events) {
    status = cli_fail (out, _ ("not made: no event of format %s in the files%s%s"), format->name,
                       s->damage->len ? ": " : "", s->damage->len ? ((TraceDamage *) s->damage->pdata[0])->reason : "");
    trace_close (s);
    remove_tree (out);
    return status;
  }
  trace_close (s);
  return status;
}

static bool
fill_synth (const TraceFormat *format, const char *folder, const void *arg, GError **error)
{
  return format->synth (folder, arg, error);
}

static int
run_synth (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *out = NULL, *name = NULL;
  gint64 tasks = 0, events = 0, seed = 1;
  const GOptionEntry entries[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &name,
      _ ("Format of the trace; without it those that can be made are listed"), "F" },
    { "tasks", 0, 0, G_OPTION_ARG_INT64, &tasks, _ ("Number of tasks"), "N" },
    { "events", 0, 0, G_OPTION_ARG_INT64, &events, _ ("Number of records (for TAPE/PVM: lines)"), "M" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, _ ("The same seed makes the same trace; 1 if left out"), "S" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("The bundle to make"), "NAME.trace" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  int status = CLI_OK;

  if (!cli_parse (self, entries, &argc, &argv, 0, 0))
    return CLI_USAGE;
  if (!out)
    return cli_usage (self->name, _ ("say which bundle to make with -o NAME.trace"));
  if (tasks < 1 || tasks > 1000000)
    return cli_usage ("--tasks", _ ("say how many, from 1 to 1000000"));
  if (events < 1)
    return cli_usage ("--events", _ ("say how many, at least 1"));
  cli_load_all_components ();
  const TraceFormat *format = cli_bundle_choose_format (name, true, &status);
  if (!format)
    return status;
  if (!format->synth)
    return cli_fail (format->name, _ ("synthetic traces of this format cannot be made"));
  TraceSynth what = {
    .tasks = (uint32_t) tasks, .records = (uint64_t) events, .seed = (uint64_t) seed, .progress = cli_progress ()
  };
  return cli_bundle_make (out, format, fill_synth, &what);
}

const CliCommand cli_import = {
  "import",
  "FILE...",
  N_ ("Makes a bundle out of raw trace files."),
  "  scope import events kinds -o ring.trace --format tapepvm\n",
  run_import,
};
const CliCommand cli_synth = {
  "synth",
  "",
  N_ ("Writes a valid, reproducible trace with a realistic mix of events."),
  "  scope synth --format tapepvm --tasks 64 --events 100000 --seed 7 -o big.trace\n",
  run_synth,
};
