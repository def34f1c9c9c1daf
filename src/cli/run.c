/* SPDX-License-Identifier: Apache-2.0 */
/* scope run: a program over a trace, without a window. */
#include "cli/cli.h"
#include "eve/words.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <sys/resource.h>
#include "cli/run-out.h"
#include "session/places.h"
#include "cli/text.h"
#include "eve/disk.h"
#include "session/extend.h"
#include "session/film-drive.h"
#include "views/view.h"

#define WARNINGS_SHOWN 20 /* the rest is counted */
#define FILES_LISTED 20

typedef struct Warnings {
  uint64_t n;
  GHashTable *told; /* those that were shown */
  bool again;       /* the run has begun again, and would tell them a second time */
} Warnings;

static void
run_on_warn (void *arg, const char *component, const char *sentence)
{
  Warnings *w = arg;

  if (++w->n > WARNINGS_SHOWN)
    return;
  if (g_hash_table_add (w->told, g_strconcat (component, ": ", sentence, NULL)) || !w->again)
    cli_note (component, "%s", sentence);
}

/* What all simulators and readers have counted. */
typedef struct Counts {
  uint64_t n_events, n_updates, n_impossible, n_damaged;
} Counts;

static Counts
count_all (Session *s)
{
  g_autoptr (GPtrArray) simulators = session_simulators (s);
  Counts all = { 0 };

  for (guint i = 0; i < simulators->len; ++i) {
    const StateGraph *g = eve_query (simulators->pdata[i], "state-graph/1");
    all.n_events += g->n_events;
    all.n_updates += g->n_updates;
    all.n_impossible += g->n_impossible;
  }
  for (guint i = 0; i < s->readers->len; ++i) {
    const TraceSource *source = session_source_of (s->readers->pdata[i]);
    all.n_damaged += source ? source->n_damaged : 0;
  }
  return all;
}

static void
run_write_stats (Session *s, int64_t at, double wall_s, GString *to)
{
  struct rusage usage;
  uint64_t read = session_events_read (s);
  Counts of_all = count_all (s);
  g_autofree char *hash = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", session_hash (s, at));
  Json j = { to, false };

  getrusage (RUSAGE_SELF, &usage);
  json_open (&j, NULL, '{');
  json_count (&j, "events_read", read);
  json_count (&j, "events_simulated", of_all.n_events);
  json_count (&j, "state_updates", of_all.n_updates);
  json_real (&j, "wall_s", wall_s);
  json_real (&j, "events_per_s", wall_s > 0 ? (double) read / wall_s : 0);
  json_int (&j, "peak_rss_bytes", (int64_t) usage.ru_maxrss * 1024);
  json_int (&j, "checkpoints", 0); /* made by the film alone */
  json_count (&j, "damaged", of_all.n_damaged);
  json_count (&j, "impossible", of_all.n_impossible);
  json_text (&j, "result_hash", hash);
  json_close (&j, '}');
  g_string_append_c (to, '\n');
}

/* The files that components would write, by their settings. */
static void
each_output (const Session *s, void (*each) (EveComponent *c, const char *file, void *arg), void *arg)
{
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    const EveClass *k = eve_is_ghost (c) ? NULL : eve_class (c);
    for (uint32_t j = 0; k && j < k->n_settings; ++j) {
      g_autofree char *file = k->settings[j].output ? eve_get (c, k->settings[j].name) : NULL;
      if (file && *file)
        each (c, file, arg);
    }
  }
}

/* The same for the pictures of views. */
static void
each_picture (const Session *s, void (*each) (EveComponent *c, const char *file, void *arg), void *arg)
{
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (!session_view (c))
      continue;
    g_autofree char *path = view_file_name (c, "", ".png"), *picture = g_path_get_basename (path);
    each (c, picture, arg);
  }
}

/* They are told of, rather than missed. */
static void
tell_unwritten (EveComponent *c, const char *file, void *unused)
{
  cli_note (eve_name (c), _ ("“%s” is not written: add --out DIR"), file);
}

#define VIEWS_LISTED 3

/* Without a folder nothing is drawn, and a program of views alone would say nothing. */
static void
tell_undrawn (const Session *s, const char *trace)
{
  g_autoptr (GString) names = g_string_new (NULL);
  uint32_t n = 0;

  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    if (session_view (c) && n++ < VIEWS_LISTED)
      g_string_append_printf (names, "%s%s", names->len ? ", " : "", eve_name (c));
  }
  if (n > VIEWS_LISTED)
    g_string_append_printf (names, _ (" and %u more"), n - VIEWS_LISTED);
  if (n)
    cli_note (trace, _ ("not drawn: %s; --out DIR writes their pictures"), names->str);
}

static void
remove_file (EveComponent *c, const char *file, void *out)
{
  disk_remove_below (out, file);
}

/* What this run would write, as a run before it left it: who finds it afterwards shall not take it for this one's. */
static void
remove_stale (const Session *s, char *out)
{
  disk_remove_below (out, "marks.xml");
  run_out_forget_saved (out);
  each_output (s, remove_file, out);
  each_picture (s, remove_file, out);
}

/* Two that write one file: of one of them nothing would be left. */
typedef struct Writers {
  const char *out; /* absolute */
  GHashTable *of;  /* path -> who writes it */
  bool clash;
} Writers;

static void
run_take_name (EveComponent *c, const char *file, void *arg)
{
  Writers *w = arg;
  g_autofree char *path = g_canonicalize_filename (file, w->out);
  const char *other = g_hash_table_lookup (w->of, path);

  if (other) {
    cli_fail (eve_name (c), _ ("it would write “%s”, and so does %s: give one of them another name"), file, other);
    w->clash = true;
  } else
    g_hash_table_insert (w->of, g_steal_pointer (&path), (gpointer) eve_name (c));
}

static bool
each_has_its_file (const Session *s, const char *out)
{
  g_autoptr (GHashTable) of = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *folder = g_canonicalize_filename (out, NULL);
  Writers w = { folder, of, false };

  g_hash_table_insert (of, g_canonicalize_filename ("marks.xml", folder), (gpointer) "marks");
  g_hash_table_insert (of, g_canonicalize_filename ("checkpoints", folder), (gpointer) "what saves states");
  each_picture (s, run_take_name, &w); /* whose names are those of the boxes: it is the other that gets another name */
  each_output (s, run_take_name, &w);
  return !w.clash;
}

/* A script that looks for it is to know why.  The list of what a session has triggered is there only if something was.
 */
static void
run_tell_missing (EveComponent *c, const char *file, void *out)
{
  g_autofree char *path = g_build_filename (out, file, NULL);
  GStatBuf is;
  bool there = g_stat (path, &is) == 0;

  if (!eve_query (c, "session/1") && (!there || is.st_size == 0))
    cli_note (eve_name (c), _ ("“%s” is %s: nothing has come to it by then"), file,
              there ? "empty" : _ ("not written"));
}

/* What was written, by name: a person looks for it next. */
typedef struct Written {
  const char *out;
  GString *names;
  guint n;
} Written;

static void
list_written (EveComponent *c, const char *file, void *arg)
{
  Written *w = arg;
  g_autofree char *path = g_build_filename (w->out, file, NULL);
  GStatBuf is;

  if (g_stat (path, &is) != 0 || is.st_size == 0)
    return;
  if (w->n++ < FILES_LISTED)
    g_string_append_printf (w->names, "%s%s", w->names->len ? ", " : "", file);
}

static void
tell_written (const Session *s, const char *out)
{
  g_autoptr (GString) names = g_string_new (NULL);
  Written w = { out, names, 0 };

  each_output (s, list_written, &w);
  each_picture (s, list_written, &w);
  list_written (NULL, "marks.xml", &w);
  if (w.n > FILES_LISTED)
    g_string_append_printf (names, _ (" and %u more"), w.n - FILES_LISTED);
  if (w.n)
    cli_note (out, _ ("written: %s"), names->str);
  else
    cli_note (out,
              _ ("nothing was written: the program has neither a view nor a component that writes a file, or nothing "
                 "came to them"));
}

static bool
is_empty (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  return !dir || !g_dir_read_name (dir);
}

static bool
add_parts (Session *s, char **parts, GError **error)
{
  g_autoptr (GPtrArray) said = g_ptr_array_new_with_free_func (g_free);
  bool ok = true;

  for (char **part = parts; ok && part && *part; ++part)
    ok = extend_add_file (s, *part, said, error);
  for (guint i = 0; i < said->len; i++)
    cli_note ("part", "%s", (char *) said->pdata[i]);
  return ok;
}

/* Of a trace that grows: waits for something that is wanted; false: there will be nothing. */
static bool
more_comes (Session *s, int64_t until)
{
  while (session_may_grow (s) && s->last <= until && cli_wait ())
    if (session_look (s))
      return true;
  return false;
}

/* After Ctrl-C: what is under way, and what else is dated as the last event given, comes to its end, so that all that
 * is written is of one instant.  False: it does not. */
static bool
run_settle (Session *s, const char *trace, const char *out)
{
  g_autoptr (GError) error = NULL;
  int64_t at = drive_date (s);

  if (at > INT64_MIN)
    drive_until (s, at);
  else
    drive_events (s, 0);
  if (!drive_run (s, NULL, "", NULL, NULL, &error)) {
    cli_note (trace, _ ("interrupted: %s; what was written is not of one instant"), error->message);
    return false;
  }
  g_autofree char *date = text_date (&s->source->clock, MAX (at, s->first));
  cli_note (out ? out : trace, _ ("interrupted at %s%s"), date,
            out ? _ (": tables and lists are of then, pictures are not drawn") : "");
  return true;
}

/* The last of all: files, and what is told of them.  False: some could not be written. */
static bool
run_finish (Session *s, RunOut *beside, const char *out, int64_t at, bool pictures)
{
  session_watch (s, cli_progress ());
  session_rest (s, at);
  eve_pause (s->program); /* components flush their files */
  bool whole = run_out_end (beside, at, pictures);
  const char *failed = eve_program_failure (s->program, NULL);

  if (failed)
    cli_note (s->program_path, "%s", failed);
  if (out) {
    each_output (s, run_tell_missing, (void *) out);
    if (cli_is_watched ())
      tell_written (s, out);
  }
  return whole && !failed;
}

static int
run_command (const CliCommand *self, int argc, char **argv)
{
  g_autofree char *until_text = NULL, *at_text = NULL, *format = NULL, *program = NULL, *out = NULL, *edited = NULL,
                  *text = NULL;
  g_auto (GStrv) set = NULL, parts = NULL;
  gboolean stats = FALSE, follow = FALSE;
  const GOptionEntry entries[] = {
    { "program", 0, 0, G_OPTION_ARG_FILENAME, &program, _ ("The program; otherwise the default one of the format"),
      "FILE" },
    { "until", 0, 0, G_OPTION_ARG_STRING, &until_text, _ ("Stop after the last event dated at most T"), "T" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &at_text,
      _ ("The instant of which pictures of an instant are; otherwise where the run stops"), "T" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &set, _ ("A setting of a component; may be repeated"),
      "COMPONENT.SETTING=VALUE" },
    { "add", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &parts, _ ("A part to add to the program first; may be repeated"),
      "PART.eve" },
    { "edited", 0, 0, G_OPTION_ARG_FILENAME, &edited, _ ("The program as this file has it, in the place of --program"),
      "FILE" },
    { "out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
      _ ("Folder for what components write and a picture of each view; made if need be"), "DIR" },
    { "follow", 0, 0, G_OPTION_ARG_NONE, &follow, _ ("Go on as the trace grows, until its writer ends or Ctrl-C"),
      NULL },
    { "stats", 0, 0, G_OPTION_ARG_NONE, &stats, _ ("Print one JSON object with counts and times last"), NULL },
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, _ ("Which data of a bundle that holds several formats"), "F" },
    CLI_ASSOCIATIONS,
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  GError *error = NULL;
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Warnings warnings = { .told = told };
  gint64 begun = g_get_monotonic_time ();
  int64_t until = INT64_MAX, instant = INT64_MAX, at = 0; /* instant: INT64_MAX once its pictures are drawn, too */
  bool stopped = false, whole = true;                     /* stopped: by Ctrl-C */

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    return CLI_USAGE;
  cli_load_components (); /* what is a trace is known by the formats */
  if (out && !places_may_hold_files (out, &error))
    return cli_fail_error (out, error);
  if (out && g_mkdir_with_parents (out, 0777) != 0)
    return cli_fail (out, _ ("the folder cannot be made: %s"), g_strerror (errno));
  if (edited && !(text = disk_read (edited, NULL, DISK_PROGRAM, NULL, &error)))
    return cli_fail_error ("--edited", error);
  SessionOptions options = { .trace = argv[1],
                             .more = cli_more (argc, argv),
                             .format = format,
                             .program = program,
                             .text = text,
                             .set = (const char *const *) set,
                             .out = out,
                             .prints = true,
                             .follow = follow,
                             .warn = run_on_warn,
                             .arg = &warnings,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };
  Session *s = session_open (&options, &error);
  if (!s && out && !is_empty (out))
    cli_note (out, _ ("the files there are those of an earlier run"));
  if (!s)
    return cli_fail_error (argv[1], error);
  cli_note_problems (s->problems);
  if (!out)
    each_output (s, tell_unwritten, NULL);
  if (!out && !stats)
    tell_undrawn (s, argv[1]);
  int status = until_text ? cli_time (s->source, "--until", until_text, &until) : CLI_OK;
  if (!status && at_text)
    status = cli_time (s->source, "--at", at_text, &instant);
  const int64_t wanted = instant;
  if (!status && instant < INT64_MAX && (instant > until || !out))
    status = cli_usage ("--at", "%s",
                        out ? _ ("the run stops before it (--until)") : _ ("there are pictures only with -o DIR"));
  if (!status && !add_parts (s, parts, &error))
    status = cli_fail_error ("--add", error);
  if (!eve_find_query (s->program, "session/1", NULL)) /* it may make the wires while it runs */
    eve_program_tell_unfed (s->program, cli_tell_program, NULL);
  if (!status && out && !each_has_its_file (s, out))
    status = CLI_FAILED;
  if (out && !status) /* else nothing is run, and what an earlier run has left stays */
    remove_stale (s, out);
  RunOut *beside = status ? NULL : run_out_new (s, out);
  for (int64_t stop = MIN (until, instant); !status;) {
    bool ok = stop < INT64_MAX ? session_go_until (s, stop, &error) : session_go_end (s, &error);
    if (run_out_extend (beside)) {
      if (out && !each_has_its_file (s, out)) /* of the part too */
        status = CLI_FAILED;
      warnings.n = 0;
      warnings.again = true;
      stop = instant = wanted;
      g_clear_error (&error);
    } else if (!ok && g_error_matches (error, SESSION_ERROR, SESSION_ERROR_CANCELLED)) {
      stopped = run_settle (s, argv[1], out);
      status = stopped ? CLI_OK : cli_fail_error (argv[1], g_steal_pointer (&error));
      g_clear_error (&error);
      break;
    } else if (!ok)
      status = cli_fail_error (argv[1], error);
    else {
      bool there = stop == instant && instant < INT64_MAX, more = run_out_more (beside, &stop);
      bool goes_on = !more && !run_out_paused (beside) && more_comes (s, there ? instant : until);
      if (there && !more && !goes_on && !run_out_paused (beside)) {
        run_out_instant (beside, session_instant (s, instant));
        instant = INT64_MAX;
      } else if (!more && !goes_on)
        break;
    }
    stop = MIN (stop, MIN (until, instant));
  }
  double wall_s = (double) (g_get_monotonic_time () - begun) / G_USEC_PER_SEC;
  if (!status) {
    at = stopped || run_out_paused (beside) ? MAX (drive_date (s), s->first) : session_instant (s, until);
    whole = run_finish (s, beside, out, at, !stopped);
    if (warnings.n > WARNINGS_SHOWN)
      cli_note (argv[1],
                P_ ("%" PRIu64 " more such sentence", "%" PRIu64 " more such sentences", warnings.n - WARNINGS_SHOWN),
                warnings.n - WARNINGS_SHOWN);
    cli_note_faults (s, argv[1]);
  }
  if (!status && stats) {
    g_autoptr (GString) all = g_string_new (NULL);
    run_write_stats (s, at, wall_s, all);
    cli_out (all);
  }
  if (!status)
    status = !whole    ? CLI_FAILED
             : stopped ? CLI_OK
                       : cli_missing (s->program, s->problems); /* OK: what the signal gives */
  run_out_free (beside);
  session_free (s);
  return status;
}

const CliCommand cli_run = {
  "run",
  "TRACE [TRACE...]",
  N_ ("Runs a program over a trace without a window."),
  "  scope run traces/ring.trace --stats\n"
  "  scope run traces/ring.trace --program schemas/tapepvm/default.eve --until 1.25 --set \"Reader.on "
  "damage=stop\" --out out\n",
  run_command,
};
