/* SPDX-License-Identifier: Apache-2.0 */
/* scope live: receives what running programs tell, records it, and shows it: in the window, as text, as JSON lines. */
#include "cli/live.h"
#include "eve/words.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "eve/visible.h"
#include "readers/live.h"
#include "readers/live-feed.h"
#include "readers/live-trace.h"
#include "cli/text.h"
#include "session/guard.h"
#include "session/places.h"

#define TEXT_MS 1000                   /* between two full states as text */
#define HANDED_US (3 * G_USEC_PER_SEC) /* a window that closes sooner has handed over to one that was open */
#define WAIT_MS 50                     /* at most until Ctrl-C is noticed, and what was said is written */

typedef struct Live {
  ValuesRecorder *to;
  LiveFeed *feed;
  GString *json; /* lines that wait to be written; NULL: not asked for */
  bool ascii;
  FILE *file; /* that the state as text is appended to, or NULL */
  const char *path;
  int control; /* the pipe of orders, or -1 */
  GPid window; /* 0: none is open */
  int64_t opened;
  int64_t next_text; /* when the state is printed again, microseconds */
} Live;

static void
cli_live_on_say (void *arg, const char *where, const char *sentence)
{
  cli_note (where, "%s", sentence);
}

/* ---- JSON lines --------------------------------------------------------------------------------------------------------------- */

static void
cli_live_add_number (const ValueRecord *r, GString *to)
{
  double real;

  memcpy (&real, &r->value, sizeof real);
  if (r->variable == VAR_BOOLEAN && !r->real)
    g_string_append (to, r->value ? "true" : "false");
  else if (!r->real)
    g_string_append_printf (to, "%" G_GINT64_FORMAT, r->value);
  else
    trace_json_real (to, real);
}

static void
cli_live_add_text (const char *bytes, size_t n, GString *to)
{
  g_autofree char *valid = g_utf8_make_valid (bytes, (gssize) n);

  trace_json_text (to, valid);
}

static void
add_tree (const void *bytes, size_t n_bytes, GString *to)
{
  uint32_t n;
  g_autofree ValueTreeNode *nodes = value_tree_nodes (bytes, n_bytes, &n);

  g_string_append_c (to, '[');
  for (uint32_t i = 0; i < n; i++) {
    g_string_append (to, i ? ", [" : "[");
    cli_live_add_text (nodes[i].label, nodes[i].n_label, to);
    for (uint32_t k = 0; k < nodes[i].n_children; k++)
      g_string_append_printf (to, ", %u", value_tree_child (&nodes[i], k));
    g_string_append_c (to, ']');
  }
  g_string_append_c (to, ']');
}

static void
cli_live_add_line (const void *bytes, size_t n, GString *to)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double seconds;

  memcpy (&seconds, bytes, sizeof seconds);
  g_string_append_printf (
      to, "{\"at\": %s, \"line\": ", seconds - seconds == 0 ? g_ascii_dtostr (text, sizeof text, seconds) : "null");
  cli_live_add_text ((const char *) bytes + 8, n - 8, to);
  g_string_append_c (to, '}');
}

static const char *const said[N_VALUE_RECORDS] = {
  [VALUE_DECLARED] = "declared",   [VALUE_KILLED] = "killed",   [VALUE_COLLECTED] = "collected",
  [VALUE_CONNECTED] = "connected", [VALUE_SILENT] = "silent",   [VALUE_ENDED] = "ended",
  [VALUE_BREAK] = "break",         [VALUE_LISTENS] = "listens", [VALUE_STOPPED] = "stopped",
  [VALUE_RESUMED] = "resumed",
};

static void
cli_live_on_record (void *arg, const ValueRecord *r, const void *bytes, size_t n)
{
  Live *l = arg;
  const ValuesEntity *e = values_entity (l->to, r->entity);
  const ValuesEntity *program = values_entity (l->to, e->parent);
  char date[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (
      l->json, "{\"t\": %s, \"program\": ", g_ascii_formatd (date, sizeof date, "%.6f", (double) r->date / 1e9));
  trace_json_text (l->json, program ? program->name : e->name);
  if (program) {
    g_string_append (l->json, ", \"name\": ");
    trace_json_text (l->json, e->name);
  }
  g_string_append (l->json, ", \"kind\": ");
  trace_json_text (l->json, value_kind_names[e->kind]);
  if (said[r->type]) {
    g_string_append_printf (l->json, ", \"is\": \"%s\"", said[r->type]);
  } else {
    g_string_append_printf (l->json, ", \"%s\": ", value_variables[r->variable].name);
    if (r->type == VALUE_IS)
      cli_live_add_number (r, l->json);
    else if (r->type == VALUE_TEXT_IS)
      cli_live_add_text (bytes, n, l->json);
    else if (r->type == VALUE_TREE_IS)
      add_tree (bytes, n, l->json);
    else
      cli_live_add_line (bytes, n, l->json);
  }
  g_string_append (l->json, "}\n");
}

/* ---- going ---------------------------------------------------------------------------------------------------------------------- */

/* The state, behind those that are in the file. */
static bool
cli_live_append (const Live *l, const GString *text, GError **error)
{
  g_autofree char *shown = visible_text (text->str, text->len);

  if (fputs (shown ? shown : text->str, l->file) >= 0 && fflush (l->file) == 0)
    return true;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), _ ("%s cannot be written: %s"), l->path,
               g_strerror (errno));
  return false;
}

/* What waits to be written; false: nobody reads it, or *error tells why not. */
static bool
cli_live_put_out (Live *l, bool last, GError **error)
{
  bool ok = true;

  if (l->json && l->json->len > 0) {
    ok = cli_out (l->json) && fflush (stdout) == 0;
    g_string_truncate (l->json, 0);
  }
  if ((l->ascii || l->file) && (last || g_get_monotonic_time () >= l->next_text)) {
    g_autoptr (GString) text = g_string_new (NULL);
    live_feed_text (l->feed, text);
    ok = ok && (!l->ascii || (cli_out (text) && fflush (stdout) == 0))
         && (!l->file || cli_live_append (l, text, error));
    l->next_text = g_get_monotonic_time () + TEXT_MS * 1000;
  }
  return ok;
}

/* The data folder of the recording that a person asks for; g_free. */
static char *
data_folder (const char *bundle)
{
  g_autofree char *base = g_path_get_basename (bundle), *name = g_strndup (base, strlen (base) - 6);
  g_autofree char *data = g_strconcat (name, ".values", NULL);

  return g_build_filename (bundle, data, NULL);
}

/* ---- orders, through a pipe in the recording --------------------------------------------------------------------------- */

/* Lines of whoever may write there: an order, or PROGRAM, a tab, an order. */
static void
take_orders (Live *l)
{
  char text[4096];
  ssize_t n = l->control >= 0 ? read (l->control, text, sizeof text - 1) : 0;

  if (n <= 0)
    return;
  text[n] = '\0';
  g_auto (GStrv) lines = g_strsplit (text, "\n", 64);
  for (char **line = lines; *line; line++) {
    g_autoptr (GError) why = NULL;
    char *tab = strchr (*line, '\t');
    if (!**line)
      continue;
    if (tab)
      *tab = '\0';
    if (!live_feed_tell (l->feed, tab ? *line : NULL, tab ? tab + 1 : *line, &why))
      cli_note (tab ? tab + 1 : *line, "%s", why->message);
  }
}

static int
cli_live_open_control (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, TRACE_CONTROL_FILE, NULL);

  return mkfifo (path, 0600) == 0 ? open (path, O_RDWR | O_NONBLOCK | O_CLOEXEC) : -1;
}

static void
close_control (Live *l, const char *folder)
{
  g_autofree char *path = folder ? g_build_filename (folder, TRACE_CONTROL_FILE, NULL) : NULL;

  if (l->control >= 0) {
    close (l->control);
    g_unlink (path);
  }
}

/* `scope live --tell ORDER BUNDLE [PROGRAM]`: to who records it. */
static int
cli_live_tell (const char *bundle, const char *program, const char *order)
{
  g_autofree char *folder = g_str_has_suffix (bundle, ".trace") ? data_folder (bundle) : NULL;
  g_autofree char *line = g_strdup_printf ("%s%s%s", program ? program : "", program ? "\t" : "", order);
  g_autoptr (GError) error = NULL;

  if (!folder)
    return cli_fail (bundle, _ ("nobody records it now"));
  return trace_writer_tell (folder, line, &error) ? CLI_OK : cli_fail (bundle, "%s", error->message);
}

/* The recording ends with the window that shows it. */
static bool
window_goes (Live *l)
{
  if (!l->window || !live_window_is_closed (l->window))
    return true;
  g_spawn_close_pid (l->window);
  l->window = 0;
  return g_get_monotonic_time () - l->opened < HANDED_US;
}

static int
cli_live_go (Live *l, const char *what)
{
  g_autoptr (GError) why = NULL;
  bool goes = true, listened = true;

  l->next_text = g_get_monotonic_time () + TEXT_MS * 1000;
  while (goes && listened && window_goes (l) && !cli_interrupted ()) {
    guard_beat ();
    goes = live_feed_go (l->feed, WAIT_MS, &why);
    take_orders (l);
    listened = cli_live_put_out (l, !goes, why ? NULL : &why);
  }
  return why ? cli_fail (what, "%s", why->message) : CLI_OK;
}

/* A tracer that tells what the tasks of a program do: all of it is a trace that grows. */
static int
cli_live_trace (const char *where, const char *bundle, bool shows)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *told = NULL;
  LiveTrace *trace = live_trace_new (where, bundle, &error);
  Live l = { .opened = g_get_monotonic_time () };

  if (!trace)
    return cli_fail ("live", "%s", error->message);
  cli_note (bundle, _ ("what comes is recorded here"));
  l.window = shows ? live_window_open (bundle, &error) : 0;
  while (!error && window_goes (&l) && !cli_interrupted () && live_trace_go (trace, WAIT_MS, &error))
    guard_beat ();
  bool some = live_trace_end (trace, &told);
  if (told)
    cli_note (bundle, "%s", told);
  if (!error && !some)
    cli_note ("live", _ ("no task was there; nothing is kept"));
  return error ? cli_fail ("live", "%s", error->message) : CLI_OK;
}

static int
live_command (const CliCommand *self, int argc, char **argv)
{
  gboolean ascii = FALSE, json = FALSE, again = FALSE, hold = FALSE;
  g_autofree char *out = NULL, *clock = NULL, *order = NULL, *text = NULL;
  const GOptionEntry entries[] = {
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out, _ ("Records into this bundle, and opens no window"), "NAME.trace" },
    { "ascii", 0, 0, G_OPTION_ARG_NONE, &ascii, _ ("Prints the whole state each second, as Ocamlviz’ text client does"),
      NULL },
    { "ascii-to", 0, 0, G_OPTION_ARG_FILENAME, &text,
      _ ("Appends the whole state to this file each second; goes with --json too"), "FILE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, _ ("Prints each value as it comes, one JSON object a line"), NULL },
    { "again", 0, 0, G_OPTION_ARG_NONE, &again,
      _ ("Waits for a program that does not listen yet, and connects again, every second, when one has closed"), NULL },
    { "hold", 0, 0, G_OPTION_ARG_NONE, &hold, _ ("A break point holds the program until it is told to continue"),
      NULL },
    { "tell", 0, 0, G_OPTION_ARG_STRING, &order,
      _ ("Tells who records (NAME.trace [PLACE]): stop NAME, resume NAME, period MS [NAME], continue, send now; or "
         "connect "
         "again"),
      "ORDER" },
    { "clock", 0, 0, G_OPTION_ARG_STRING, &clock,
      _ ("What dates are: arrival (the default), or cpu, the processor time that the program tells"), "CLOCK" },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  GError *error = NULL;

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    return CLI_USAGE;
  if (order)
    return argc > 3 ? cli_usage ("--tell", _ ("it wants a recording, and at most one of its places"))
                    : cli_live_tell (argv[1], argc > 2 ? argv[2] : NULL, order);
  if (clock && !g_str_equal (clock, "arrival") && !g_str_equal (clock, "cpu"))
    return cli_usage ("--clock", _ ("it is arrival or cpu"));
  if (clock && g_str_equal (clock, "cpu") && argc > 2)
    return cli_usage ("--clock", _ ("processor times of several programs are no common clock; give one program"));
  if (ascii && json)
    return cli_usage (
        "--json", _ ("lines of JSON and the text of --ascii would be mixed in one output; --ascii-to FILE appends the "
                     "text to a file, and goes with --json"));
  if (out && !g_str_has_suffix (out, ".trace"))
    return cli_usage ("--out", _ ("a recording is a folder NAME.trace"));
  if (out && g_file_test (out, G_FILE_TEST_EXISTS))
    return cli_fail (out, _ ("there is such a recording already"));
  bool shows = !out && !ascii && !json && !text;
  if (shows && !cli_has_display ())
    return cli_usage (
        argv[1], _ ("there is no display for the window; --ascii, --ascii-to FILE, --json or -o NAME.trace need none"));
  if (shows)
    out = live_window_bundle (argv[1]);
  for (int i = 1; i < argc; i++)
    if (live_trace_claims (argv[i]))
      return argc > 2 || ascii || json || text || !out
                 ? cli_usage (argv[i], _ ("it is recorded alone, into a trace: give it with -o NAME.trace, or nothing"))
                 : cli_live_trace (argv[i], out, shows);
  if (text)
    cli_load_components (); /* what is a trace is known by the formats */
  if (text && !places_may_write (text, &error))
    return cli_fail_error (text, error);
  FILE *file = text ? fopen (text, "ae") : NULL;
  if (text && !file)
    return cli_fail (text, _ ("cannot be written: %s"), g_strerror (errno));
  g_autofree char *folder = out ? data_folder (out) : NULL;
  Live l = { .control = -1, .ascii = ascii, .file = file, .path = text, .json = json ? g_string_new (NULL) : NULL };
  l.to = values_recorder_new (folder, "scope live", &error);
  if (!l.to) {
    if (file)
      fclose (file);
    return cli_fail_error (out, error);
  }
  const LiveFeedOptions options = {
    .source = { .cpu_dates = clock && g_str_equal (clock, "cpu"), .keep = ascii || text, .hold = hold || shows },
    .again = again || shows,
    .wait = again,
    .say = cli_live_on_say
  };
  l.feed = live_feed_new (l.to, &options);
  if (json)
    values_recorder_tap (l.to, cli_live_on_record, &l);
  int status = CLI_OK;
  for (int i = 1; i < argc && !status; i++)
    if (!live_feed_add (l.feed, argv[i], &error))
      status = cli_fail_error (argv[i], error);
  bool added = !status;
  if (!status && folder)
    l.control = cli_live_open_control (folder);
  if (!status && shows) {
    values_flush (l.to, NULL); /* so that there is something to open */
    cli_note (out, _ ("what comes is recorded here"));
    l.opened = g_get_monotonic_time ();
    l.window = live_window_open (out, &error);
    if (!l.window)
      status = cli_fail_error (out, error);
  }
  if (!status)
    status = cli_live_go (&l, argv[1]);
  if (!status && live_feed_failed (l.feed)) /* it was told what, and when */
    status = CLI_FAILED;
  bool begun = live_feed_begun (l.feed);
  if (values_n_damaged (l.to) > 0)
    cli_note (argc > 2 ? "live" : argv[1], _ ("%" PRIu64 " %s; the last: %s"), values_n_damaged (l.to),
              values_n_damaged (l.to) == 1 ? _ ("thing could not be taken as it came")
                                           : _ ("things could not be taken as they came"),
              values_last_damage (l.to));
  close_control (&l, folder);
  live_feed_free (l.feed);
  values_recorder_free (l.to, true);
  if ((!begun || !added) && folder) { /* nothing was received */
    values_remove_folder (folder);
    g_rmdir (out);
  }
  if (l.json)
    g_string_free (l.json, TRUE);
  if (file)
    fclose (file);
  return status;
}

const CliCommand cli_live = {
  "live",
  "PLACE...",
  N_ ("Receives what running programs tell of themselves."),
  "  scope live localhost:51000\n"
  "  scope live unix:/run/user/1000/watched -o watched.trace --json | jq .\n"
  "  scope live pvm: -o run.trace\n",
  live_command,
};
