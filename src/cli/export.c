/* SPDX-License-Identifier: Apache-2.0 */
/* scope export: an execution as a trace of another format. */
#include "cli/cli.h"
#include "eve/words.h"
#include <stdio.h>
#include <string.h>
#include "eve/nearest.h"
#include "eve/eve-host.h"
#include "session/places.h"

/* Formats that can be written, of const TraceFormat *, by name. */
static int
cli_export_by_name (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const TraceFormat *const *) a)->name, (*(const TraceFormat *const *) b)->name);
}

static GPtrArray *
writable_formats (void)
{
  GPtrArray *formats = trace_formats ();

  for (guint i = formats->len; i-- > 0;)
    if (!((const TraceFormat *) formats->pdata[i])->write)
      g_ptr_array_remove_index (formats, i);
  g_ptr_array_sort (formats, cli_export_by_name);
  return formats;
}

/* By the name of the format, or, without one, by the ending of the file. */
static const TraceFormat *
find_format (const GPtrArray *formats, const char *name, const char *out)
{
  static const struct {
    const char *ending, *format;
  } usual[] = { { ".json", "chrome" }, { ".trace", "paje" } }; /* what other programs call such files */
  const char *dot = strrchr (out, '.');

  for (guint i = 0; i < formats->len; ++i) {
    const TraceFormat *f = formats->pdata[i];
    if (name ? g_ascii_strcasecmp (f->name, name) == 0 : dot && g_ascii_strcasecmp (f->name, dot + 1) == 0)
      return f;
  }
  for (size_t i = 0; !name && dot && i < EVE_N (usual); i++)
    if (g_ascii_strcasecmp (dot, usual[i].ending) == 0)
      return find_format (formats, usual[i].format, out);
  return NULL;
}

static void
offer_formats (void *formats, void (*add) (void *to, const char *name), void *to)
{
  for (guint i = 0; i < ((GPtrArray *) formats)->len; ++i)
    add (to, ((const TraceFormat *) ((GPtrArray *) formats)->pdata[i])->name);
}

static int
no_format (GPtrArray *formats, const char *name, const char *out)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < formats->len; ++i)
    g_string_append_printf (all, "%s%s", i ? ", " : "", ((const TraceFormat *) formats->pdata[i])->name);
  if (!name)
    return cli_usage ("-o", _ ("the name %s does not tell the format; say it with --as: %s"), out, all->str);
  g_autofree char *nearest = eve_nearest_told (name, offer_formats, formats);
  return cli_usage ("--as", _ ("no format \"%s\" can be written%s; there are %s"), name, nearest, all->str);
}

static int
export_trace (const char *path, const char *format, const TraceFormat *as, const char *out)
{
  TraceOptions options = { .progress = cli_progress () };
  GError *error = NULL;

  if (!cli_clocks_by (&options))
    return CLI_USAGE;
  TraceSource *s = trace_open (path, format, &options, &error);
  if (!s)
    return cli_fail_error (path, error);
  guint known = s->damage->len;
  if (!as->write (s, out, cli_progress (), &error)) {
    trace_close (s);
    return cli_fail_error (out, error);
  }
  cli_progress_clear ();
  printf ("%s: %s\n", out, as->label);
  for (guint i = known; i < s->damage->len; ++i) /* what could not be written */
    cli_note (out, "%s", ((const TraceDamage *) s->damage->pdata[i])->reason);
  cli_note_damaged (path, s);
  trace_close (s);
  return CLI_OK;
}

static int
cli_export_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *out = NULL, *as = NULL, *format = NULL;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("The file or folder to write; it must not be there"), "FILE" },
    { "as", 0, 0, G_OPTION_ARG_STRING, &as, _ ("Its format; otherwise as FILE ends"), "FORMAT" },
    CLI_CLOCKS,
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, 1))
    return CLI_USAGE;
  while (out && strlen (out) > 1 && g_str_has_suffix (out, "/")) /* a folder may be named so */
    out[strlen (out) - 1] = '\0';
  if (!out || !*out)
    return cli_usage ("-o", _ ("say where the trace is to be written"));
  cli_load_all_components ();
  GError *error = NULL;
  g_autofree char *folder = g_path_get_dirname (out);
  if (!places_may_hold_files (folder, &error))
    return cli_fail_error (out, error);
  g_autoptr (GPtrArray) formats = writable_formats ();
  const TraceFormat *f = find_format (formats, as, out);
  return f ? export_trace (argv[1], format, f, out) : no_format (formats, as, out);
}

const CliCommand cli_export = {
  "export",
  "TRACE",
  N_ ("Writes an execution as a trace of another format, for other programs."),
  "  scope export traces/ring.trace -o ring.paje\n"
  "  scope export run.otf2 --as chrome -o run.json\n",
  cli_export_command,
};
