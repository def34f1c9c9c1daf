/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "eve/words.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "eve/eve-host.h"
#include "session/marks.h"
#include "session/guard.h"
#include "session/places.h"
#include "session/plugins.h"
#include "eve/disk.h"
#include "eve/nearest.h"
#include "eve/number.h"
#include "eve/visible.h"
#include "readers/live.h"

#define PROGRESS_AFTER_US (G_USEC_PER_SEC / 2)
#define PROGRESS_EVERY_US (G_USEC_PER_SEC / 10)
#define PROGRESS_LINE_US G_USEC_PER_SEC /* in a log each is a line */

static volatile sig_atomic_t caught; /* the signal that asks us to end */
static gboolean quiet, force_progress;
static char **allow; /* paths */
char **cli_offsets;
char *cli_clocks;
char *cli_reference;
static bool progress_shown;
static gint64 progress_begun, progress_last;
static int out_errno;

static void
cli_on_signal (int sig)
{
  caught = sig;
}

static bool ignored[32]; /* signals, as whoever started us wanted it (nohup) */

void
cli_begin (void)
{
  /* A line that is being written is written to its end; the second signal kills, also when nobody reads. */
  struct sigaction end = { .sa_handler = cli_on_signal, .sa_flags = (int) (SA_RESETHAND | SA_RESTART) };

  for (int i = 1; i < (int) G_N_ELEMENTS (ignored); i++) {
    struct sigaction is;
    ignored[i] = sigaction (i, NULL, &is) == 0 && is.sa_handler == SIG_IGN;
  }
  sigaction (SIGINT, &end, NULL);
  sigaction (SIGTERM, &end, NULL);
  signal (SIGPIPE, SIG_IGN); /* a closed pipe is a failed write: temporary files are cleared */
  signal (SIGXFSZ, SIG_IGN); /* so is a file that may not grow (ulimit -f), of which a sentence is said */
}

void
cli_signals_back (void)
{
  for (int i = 1; i < (int) G_N_ELEMENTS (ignored); i++)
    signal (i, ignored[i] ? SIG_IGN : SIG_DFL);
}

bool
cli_signal_was_ignored (int sig)
{
  return sig > 0 && sig < (int) G_N_ELEMENTS (ignored) && ignored[sig];
}

bool
cli_interrupted (void)
{
  return caught != 0;
}

bool
cli_wait (void)
{
  cli_progress_clear ();
  guard_beat ();
  g_usleep (TRACE_LOOK_MS * 1000);
  bool go_on = !caught;
  caught = 0;
  return go_on;
}

/* ---- sentences
 * -------------------------------------------------------------------------------------------------- */

static void
cli_say (const char *what, const char *fmt, va_list args)
{
  g_autofree char *why = g_strdup_vprintf (fmt, args), *text = g_strdup_printf ("scope: %s: %s\n", what, why);
  g_autofree char *shown = visible_text (text, strlen (text));

  cli_progress_clear ();
  fputs (shown ? shown : text, stderr);
}

int
cli_fail (const char *what, const char *fmt, ...)
{
  if (caught) {
    cli_progress_clear ();
    return 128 + caught;
  }
  va_list args;
  va_start (args, fmt);
  cli_say (what, fmt, args);
  va_end (args);
  return CLI_FAILED;
}

/* Elsewhere another name would accuse one that is right. */
static bool
was_not_found (const GError *error)
{
  return error
         && (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
             || g_error_matches (error, TRACE_ERROR, TRACE_ERROR_BUNDLE));
}

int
cli_fail_error (const char *what, GError *error)
{
  g_autofree char *beside = was_not_found (error) ? places_nearest (what) : NULL, *nearest = eve_nearest_words (beside);
  int status = cli_fail (what, "%s%s", error ? error->message : "failed", nearest);

  g_clear_error (&error);
  return status;
}

int
cli_usage (const char *what, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  cli_say (what, fmt, args);
  va_end (args);
  return CLI_USAGE;
}

int
cli_number (const char *what, const char *text, double *to)
{
  char *end;

  if (text == NULL)
    return CLI_OK;
  g_autofree char *plain = number_typed (text);
  double number = g_ascii_strtod (plain, &end);
  if (end == plain || *end != '\0' || !isfinite (number))
    return cli_usage (what, _ ("“%s” is no number"), text);
  *to = number;
  return CLI_OK;
}

bool
cli_clocks_by (TraceOptions *options)
{
  options->reference = cli_reference;
  for (int i = 0; cli_clocks && i < N_TRACE_CLOCKS; i++)
    if (strcmp (cli_clocks, trace_clocks_names[i]) == 0) {
      options->clocks = (TraceClocksBy) i;
      return true;
    }
  if (cli_clocks)
    cli_usage ("--clocks", _ ("clocks are not corrected by \"%s\"; there are offsets, none, linear and logical"),
               cli_clocks);
  return cli_clocks == NULL;
}

void
cli_note (const char *what, const char *fmt, ...)
{
  va_list args;
  va_start (args, fmt);
  cli_say (what, fmt, args);
  va_end (args);
}

void
cli_tell_part (void *unused, const char *sentence)
{
  cli_note ("part", "%s", sentence);
}

void
cli_tell_program (void *unused, const char *sentence)
{
  cli_note ("program", "%s", sentence);
}

void
cli_note_problems (const GPtrArray *problems)
{
  for (guint i = 0; i < problems->len; ++i)
    cli_tell_program (NULL, problems->pdata[i]);
}

static void
note_damaged (const char *trace, const TraceSource *s, const char *by_then)
{
  if (s->n_damaged)
    cli_note (trace,
              P_ ("%" PRIu64 " damaged record was left out or mended%s; `scope check` lists them",
                  "%" PRIu64 " damaged records were left out or mended%s; `scope check` lists them", s->n_damaged),
              s->n_damaged, by_then);
  if (s->left)
    cli_note (trace, "%s", s->left);
}

char *cli_associations_file;

static void
cli_on_unreadable (void *arg, const char *sentence)
{
  cli_note ("associations", _ ("%s; it says nothing"), sentence);
}

int
cli_associate (const Session *s, ViewColours *colours)
{
  g_autofree char *folder = s->program_path ? g_path_get_dirname (s->program_path) : NULL;
  g_autoptr (GError) error = NULL;

  session_declare_colours (s, colours);
  view_associations_load (colours, folder, s->trace, eve_program_note (s->program, "associations"), cli_on_unreadable,
                          NULL);
  if (cli_associations_file
      && !associations_read_file (view_colours_associations (colours), LOOK_GIVEN, cli_associations_file, NULL, &error))
    return cli_fail ("--associations", "%s", error->message);
  return CLI_OK;
}

void
cli_note_program (const Session *s)
{
  cli_note_problems (s->problems);
  if (!eve_find_query (s->program, "session/1", NULL))
    eve_program_tell_unfed (s->program, cli_tell_program, NULL);
}

void
cli_note_damaged (const char *trace, const TraceSource *s)
{
  note_damaged (trace, s, "");
}

void
cli_note_faults (const Session *s, const char *trace)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  bool ended = true;

  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    bool this_one = eve_source_ended (s->readers->pdata[i]);
    if (source)
      note_damaged (s->readers->len > 1 ? source->name : trace, source, this_one ? "" : " by then");
    ended &= this_one;
  }
  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    EveComponent *reader = session_reader_above (simulators->pdata[i]);
    const TraceSource *source = s->readers->len > 1 && reader ? session_source_of (reader) : NULL;
    if (g->n_impossible)
      cli_note (source ? source->name : trace,
                P_ ("%" PRIu64 " event is impossible in the %s model%s; `scope check` lists them",
                    "%" PRIu64 " events are impossible in the %s model%s; `scope check` lists them", g->n_impossible),
                g->n_impossible, g->model->name, ended ? "" : _ (" by then"));
  }
}

int
cli_missing (const EveProgram *p, const GPtrArray *problems)
{
  const GPtrArray *missing = eve_program_missing (p);

  return problems->len || (missing && missing->len) ? CLI_FAILED : CLI_OK;
}

/* ---- options ------------------------------------------------------------------------------------------------------- */

static void
offer_options (void *arg, void (*add) (void *to, const char *name), void *to)
{
  for (const GOptionEntry *const *entries = arg; *entries; ++entries)
    for (const GOptionEntry *e = *entries; e->long_name; ++e)
      add (to, e->long_name);
}

/* Of the entries, a NULL-terminated array of theirs, the one that is nearest to what could not be understood. */
static char *
nearest_option (const GError *error, const GOptionEntry *const *entries)
{
  const char *wrong = strstr (error->message, "--");

  if (!g_error_matches (error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) || !wrong)
    return NULL;
  return eve_nearest (wrong + 2, offer_options, (void *) entries);
}

bool
cli_parse (const CliCommand *self, const GOptionEntry *entries, int *argc, char ***argv, int min, int max)
{
  const GOptionEntry common[] = {
    { "progress", 0, 0, G_OPTION_ARG_NONE, &force_progress, _ ("Show progress even when standard error is no terminal"),
      NULL },
    { "allow", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &allow,
      _ ("Let the trace and the program read this file or folder although it lies elsewhere; may be repeated"),
      "PATH" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, _ ("Show no progress"), NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  g_autofree char *name = g_strconcat ("scope ", self->name, NULL);
  g_autofree char *description = g_strdup_printf (_ ("Example:\n%s"), self->example);
  g_autoptr (GOptionContext) context = g_option_context_new (self->args);
  g_autoptr (GError) error = NULL;

  g_set_prgname (name); /* the first word of "Usage:" */
  g_option_context_set_summary (context, in_words (self->summary));
  g_option_context_set_description (context, description);
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, common, NULL);
  guard_may_exit (true); /* --help ends the process */
  bool parsed = g_option_context_parse (context, argc, argv, &error);
  guard_may_exit (false);
  if (!parsed) {
    error->message[0] = g_ascii_tolower (error->message[0]);
    g_autofree char *nearest = nearest_option (error, (const GOptionEntry *const[]){ entries, common, NULL });
    cli_usage (self->name, _ ("%s; %s%s%s`scope %s --help` tells what it takes"), error->message,
               nearest ? _ ("the nearest is --") : "", nearest ? nearest : "", nearest ? "; " : "", self->name);
    return false;
  }
  for (char **path = allow; path && *path; ++path)
    disk_allow (*path);
  if (*argc > 1 && g_str_equal ((*argv)[1], "--")) {
    memmove (*argv + 1, *argv + 2, (size_t) (*argc - 1) * sizeof **argv);
    --*argc;
  }
  if (*argc - 1 < min || *argc - 1 > max) {
    cli_usage (self->name, _ ("takes %s, %d given; `scope %s --help` has an example"), self->args, *argc - 1,
               self->name);
    return false;
  }
  if (*argc > 1)
    guard_about ((*argv)[1]);
  return true;
}

static void
offer_marks (void *marks, void (*add) (void *to, const char *name), void *to)
{
  const Marks *m = marks;

  for (guint i = 0; i < m->list->len; ++i)
    add (to, ((const Mark *) m->list->pdata[i])->name);
}

int
cli_time (const TraceSource *s, const char *option, const char *text, int64_t *date)
{
  if (text[0] == '@') {
    GError *error = NULL;
    Marks *m = marks_load (s->path, &s->clock, &error);
    if (!m)
      return cli_fail_error (text, error);
    const Mark *mark = marks_find (m, text + 1);
    bool found = mark != NULL, any = m->list->len > 0;
    g_autofree char *nearest = found ? NULL : eve_nearest_told (text + 1, offer_marks, m);
    g_autofree char *path = g_shell_quote (s->path); /* to be typed */
    if (found)
      *date = mark->date;
    marks_free (m);
    if (found)
      return CLI_OK;
    return any ? cli_fail (text, _ ("no mark of this name%s: `scope marks %s` lists those of the trace"), nearest, path)
               : cli_fail (text, _ ("no mark of this name: the trace %s has no marks"), s->name);
  }
  if (g_str_equal (text, "begin") || g_str_equal (text, "end")) {
    *date = *text == 'b' ? s->first : s->last;
    return CLI_OK;
  }
  if (trace_clock_typed (&s->clock, text, date))
    return CLI_OK;
  if (s->clock.dates && s->clock.dates->hint)
    return cli_usage (option, _ ("\"%s\" is no date of this trace; they are %s"), text,
                      in_words (s->clock.dates->hint));
  return cli_usage (
      option, _ ("\"%s\" is no time; times are decimal seconds, as 1.25, or with a unit, as 20ms, or begin or end%s"),
      text, trace_clock_is_of_day (&s->clock) ? _ (", or times of a day, as \"2022-02-18 11:57:56.9\", UTC") : "");
}

int
cli_range (const TraceSource *s, const char *option, const char *text, int64_t first, int64_t last, int64_t *from,
           int64_t *to)
{
  const char *dots = strstr (text, "..");
  int status = CLI_OK;

  if (!dots)
    return cli_usage (option, _ ("\"%s\" is not FROM..TO, as 0.1..0.25; either may be left out"), text);
  g_autofree char *begin = g_strndup (text, (gsize) (dots - text));
  *from = first;
  *to = last;
  if (*begin)
    status = cli_time (s, option, begin, from);
  if (!status && dots[2])
    status = cli_time (s, option, dots + 2, to);
  if (!status && *from > *to)
    status = cli_usage (option, _ ("\"%s\" goes backward"), text);
  return status;
}

int
cli_instant (const TraceSource *s, const char *option, const char *text, uint64_t *event, int64_t *date)
{
  char *end;

  *event = UINT64_MAX;
  if (text[0] != '#')
    return cli_time (s, option, text, date);
  *event = g_ascii_strtoull (text + 1, &end, 10);
  if (!g_ascii_isdigit (text[1]) || *end || *event == UINT64_MAX)
    return cli_usage (option, _ ("\"%s\" is no event number; they are as #1000"), text);
  return CLI_OK;
}

/* ---- output
 * ----------------------------------------------------------------------------------------------------- */

bool
cli_out (const GString *text)
{
  g_autofree char *shown = visible_text (text->str, text->len);
  const char *from = shown ? shown : text->str;
  size_t n = shown ? strlen (shown) : text->len;

  if (!out_errno && fwrite (from, 1, n, stdout) != n)
    out_errno = errno;
  return !out_errno;
}

int
cli_end (int status)
{
  cli_progress_clear ();
  if (fflush (stdout) != 0 && !out_errno)
    out_errno = errno;
  if (out_errno == EPIPE)
    return 128 + SIGPIPE; /* as if the signal had ended us, which is usual: `scope events | head` */
  if (out_errno && status == CLI_OK) {
    fprintf (stderr, _ ("scope: standard output: %s\n"), g_strerror (out_errno));
    return CLI_FAILED;
  }
  return caught && status == CLI_OK ? 128 + caught : status;
}

/* ---- progress
 * --------------------------------------------------------------------------------------------------- */

bool
cli_is_watched (void)
{
  return !quiet && (force_progress || isatty (STDERR_FILENO));
}

static bool
report_progress (void *arg, const char *doing, double share)
{
  gint64 now = g_get_monotonic_time ();
  bool terminal = isatty (STDERR_FILENO);

  guard_beat ();
  if (!progress_begun)
    progress_begun = now;
  if (!cli_is_watched () || (!force_progress && now - progress_begun < PROGRESS_AFTER_US)
      || (progress_last && now - progress_last < (terminal ? PROGRESS_EVERY_US : PROGRESS_LINE_US)))
    return !caught;
  progress_last = now;
  int percent = (int) (CLAMP (share, 0, 1) * 100);
  if (terminal) {
    fprintf (stderr, "\r\033[K%s  %3d %%", doing, percent);
    fflush (stderr);
    progress_shown = true;
  } else {
    fprintf (stderr, "%s  %3d %%\n", doing, percent);
  }
  return !caught;
}

const TraceProgress *
cli_progress (void)
{
  static const TraceProgress progress = { report_progress, NULL };

  return &progress;
}

void
cli_progress_clear (void)
{
  if (progress_shown)
    fputs ("\r\033[K", stderr);
  progress_shown = false;
}

/* ---- components -------------------------------------------------------------------------------------------------- */

/* Loads those of SCOPE_PLUGIN_PATH, and Scope's own with them if `all`; once. */
static void
cli_load (bool all)
{
  static bool done;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = places_components ();

  if (done)
    return;
  done = true;
  plugins_guard ();
  if (all)
    eve_registry_add_folder (folder);
  eve_registry_load_all (problems);
  eve_registry_add_folder (folder);
  for (guint i = 0; i < problems->len; ++i)
    cli_note (_ ("component passed over"), "%s", (char *) problems->pdata[i]);
}

void
cli_load_components (void)
{
  cli_load (false);
}

void
cli_load_all_components (void)
{
  cli_load (true);
}
