/* SPDX-License-Identifier: Apache-2.0 */
/* scope film: shoots the film of an execution. */
#include "cli/cli.h"
#include "eve/words.h"
#include "cli/film.h"
#include <stdlib.h>
#include "cli/text.h"
#include "session/guard.h"
#include "session/plugins.h"
#include "views/view.h"
#include "views/painter.h"
#include "eve/disk.h"

#define HOME_MOST_BYTES (UINT64_C (4) << 30)
#define HOME_MOST_AGE_S (60 * 24 * 3600)

static void
cli_film_on_warn (void *arg, const char *component, const char *sentence)
{
}

static void
cli_film_on_say (void *arg, const char *sentence)
{
  if (!*(const bool *) arg)
    cli_note ("film", "%s", sentence);
}

/* Nobody is left to think that all is well, also who asked for something else. */
static void
on_damaged (void *arg, const char *sentence)
{
  cli_note ("film", _ ("%s; it is shot again"), sentence);
}

static void
on_told (void *arg, const char *sentence)
{
  cli_note ("film", "%s", sentence);
}

bool
film_cli_shoot (Session *s, const char *folder, int64_t until, const char *strategy, FilmCliHow how, FilmStats *stats,
                GError **error)
{
  bool quiet = how != FILM_CLI_TELL;
  g_autofree char *home = film_home ();
  FilmOptions o = { .folder = folder,
                    .until = until,
                    .strategy = strategy_default (),
                    .progress = cli_progress (),
                    .say = cli_film_on_say,
                    .waits = quiet ? on_told : NULL,
                    .damaged = on_damaged,
                    .extended = on_told,
                    .missing = on_told,
                    .extend = !s->options.text, /* the window that gave its program obeys orders itself */
                    .look_through = how != FILM_CLI_QUIET,
                    .arg = &quiet };
  if (strategy)
    strategy_parse (strategy, &o.strategy);
  bool ok = film_shoot (s, &o, stats, error);
  if (!folder && stats->folder)
    film_evict (home, stats->folder, HOME_MOST_BYTES, HOME_MOST_AGE_S);
  return ok;
}

static char *
damage_of (EveComponent *c, bool *lost)
{
  const View *view = session_view (c);

  *lost = false;
  return view && view->damage ? g_strdup (view->damage (c, lost)) : NULL;
}

bool
film_cli_mend (Session *s, EveComponent *view, const char *folder, bool *lost)
{
  g_autofree char *what = damage_of (view, lost);
  g_autoptr (GError) error = NULL;
  FilmStats stats = { 0 };

  if (!what)
    return false;
  cli_note (eve_name (view), "%s", what);
  bool ok = film_cli_shoot (s, folder, INT64_MAX, NULL, FILM_CLI_MEND, &stats, &error);
  g_free (stats.folder);
  if (ok)
    return true;
  cli_note ("film", "%s", error->message);
  eve_program_clear_failure (s->program);
  return false;
}

/* Views from elsewhere are drawn once, in this process, so that the window knows what it may draw. */
static void
try_views (Session *s, const char *folder)
{
  ViewColours *colours = view_colours_load ();
  ViewScene scene = { .width_px = 800,
                      .height_px = 600,
                      .scale = 1,
                      .from = 1, /* the whole execution */
                      .to = 0,
                      .at = s->source->last,
                      .source = s->source,
                      .graph = s->graph,
                      .film = folder,
                      .colours = colours,
                      .bundle = s->trace,
                      .event = UINT64_MAX };

  guard_doing (_ (", when it was drawn"));
  for (uint32_t i = 0; i < eve_n_components (s->program); ++i) {
    EveComponent *c = eve_component (s->program, i);
    const View *view = plugins_from_elsewhere (eve_class_object (eve_class (c))) ? session_view (c) : NULL;
    if (!view)
      continue;
    cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 800, 600);
    cairo_t *cr = cairo_create (surface);
    view_draw (c, view, &scene, cr, NULL);
    cairo_destroy (cr);
    cairo_surface_destroy (surface);
    guard_beat ();
  }
  guard_doing ("%s", "");
  view_colours_free (colours);
}

typedef struct Work {
  const CliCommand *self;
  FilmCli open;
  char *trace, *folder, *until, *strategy, *text;
  const char *const *more; /* traces */
  gboolean stats, follow;
} Work;

void
film_cli_clear (FilmCli *o)
{
  g_free (o->program);
  g_free (o->format);
  g_strfreev (o->set);
}

static void
cli_film_write_stats (const FilmStats *f, GString *to)
{
  Json j = { to, false };

  json_open (&j, NULL, '{');
  json_text (&j, "film", f->folder);
  json_count (&j, "events", f->events);
  json_count (&j, "events_shot", f->events_shot);
  json_count (&j, "checkpoints", f->checkpoints);
  json_count (&j, "checkpoint_bytes", f->checkpoint_bytes);
  json_count (&j, "disk_bytes", f->bytes);
  json_real (&j, "saving_s", f->saving_s);
  json_real (&j, "wall_s", f->wall_s);
  json_bool (&j, "was_complete", f->was_complete);
  json_bool (&j, "of_another", f->of_another);
  json_count (&j, "histories", f->histories);
  json_count (&j, "histories_taken", f->histories_taken);
  json_count (&j, "damages", f->damages);
  json_close (&j, '}');
  g_string_append_c (to, '\n');
}

static int
cli_film_work (Work *w)
{
  GError *error = NULL;
  int64_t until = INT64_MAX;
  FilmStats stats = { 0 };

  cli_load_components ();
  SessionOptions options = { .trace = w->trace,
                             .more = w->more,
                             .format = w->open.format,
                             .program = w->open.program,
                             .text = w->text,
                             .set = (const char *const *) w->open.set,
                             .follow = w->follow,
                             .warn = cli_film_on_warn,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };
  Session *s = session_open (&options, &error);
  if (!s)
    return cli_fail_error (w->trace, error);
  cli_note_program (s);
  int status = w->until ? cli_time (s->source, "--until", w->until, &until) : CLI_OK;
  if (!status && !film_cli_shoot (s, w->folder, until, w->strategy, FILM_CLI_TELL, &stats, &error))
    status = cli_fail_error (w->trace, error);
  if (!status)
    try_views (s, stats.folder);
  if (!status) {
    g_autoptr (GString) text = g_string_new (NULL);
    if (w->stats)
      cli_film_write_stats (&stats, text);
    else {
      g_autofree char *size = text_bytes ((double) stats.bytes);
      g_autofree char *taken = stats.histories_taken
                                   ? g_strdup_printf (_ ("; %u of %u histories were there, in films of other programs"),
                                                      stats.histories_taken, stats.histories)
                                   : g_strdup ("");
      g_string_append_printf (text, _ ("%s\n  %s%" PRIu64 " events, %u checkpoints, %s%s\n"), stats.folder,
                              stats.was_complete ? _ ("was there already: ") : "", stats.events, stats.checkpoints,
                              size, taken);
    }
    cli_out (text);
  }
  const GPtrArray *missing = eve_program_missing (s->program);
  for (guint i = 0; missing && i < missing->len; ++i)
    cli_note ("film", "%s", (char *) missing->pdata[i]);
  if (!status)
    status = stats.missing ? CLI_FAILED : cli_missing (s->program, s->problems);
  g_free (stats.folder);
  session_free (s);
  return status;
}

static int
film_command (const CliCommand *self, int argc, char **argv)
{
  Work w = { .self = self };
  g_autofree char *edited = NULL;
  const GOptionEntry entries[] = {
    FILM_CLI_ENTRIES (w.open),
    { "edited", 0, 0, G_OPTION_ARG_FILENAME, &edited,
      _ ("What the program holds now, instead of its own file: names of files in it stay relative to that"), "FILE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &w.folder, _ ("Folder of the film; otherwise one in the user's cache"),
      "DIR" },
    { "until", 0, 0, G_OPTION_ARG_STRING, &w.until, _ ("Stop after the last event dated at most T"), "T" },
    { "follow", 0, 0, G_OPTION_ARG_NONE, &w.follow, _ ("Go on as the trace grows, until its writer ends or Ctrl-C"),
      NULL },
    { "save", 0, 0, G_OPTION_ARG_STRING, &w.strategy,
      _ ("When to make checkpoints: none, default, or conditions joined by +: events=N, share=PERCENT, replay=MS, "
         "bytes=N"),
      "WHEN" },
    { "stats", 0, 0, G_OPTION_ARG_NONE, &w.stats, _ ("Print one JSON object with counts, times and sizes"), NULL },
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };
  Strategy scratch = { 0 };
  g_autoptr (GError) error = NULL;

  int status = CLI_OK;
  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    status = CLI_USAGE;
  else if (w.strategy && !strategy_parse (w.strategy, &scratch))
    status = cli_usage ("--save", _ ("\"%s\" is not understood; examples: none, events=100000, share=10+events=50000"),
                        w.strategy);
  else if (w.follow && w.until)
    status = cli_usage ("--follow", _ ("it goes on until the writer ends, so --until cannot be given with it"));
  else if (edited && !(w.text = disk_read (edited, NULL, DISK_PROGRAM, NULL, &error)))
    status = cli_fail ("--edited", "%s", error->message);
  if (!status) {
    w.trace = argv[1];
    w.more = cli_more (argc, argv);
    status = cli_film_work (&w);
  }
  film_cli_clear (&w.open);
  g_free (w.folder);
  g_free (w.until);
  g_free (w.strategy);
  g_free (w.text);
  return status;
}

const CliCommand cli_film = {
  "film",
  "TRACE [TRACE...]",
  N_ ("Shoots the film of an execution: checkpoints, histories of the views, overview."),
  "  scope film traces/ring.trace\n  scope film traces/ring.trace --program mine.eve -o ring.film --stats\n",
  film_command,
};
