/* SPDX-License-Identifier: Apache-2.0 */
/* scope seek: travels to an instant, or to random ones, and tells how long it took. */
#include "cli/cli.h"
#include "eve/words.h"
#include <stdlib.h>
#include <string.h>
#include "cli/film.h"
#include "cli/text.h"
#include "session/travel.h"
#include "statistics/quantile.h"

static void
seek_on_warn (void *arg, const char *component, const char *sentence)
{
}

/* Of damage that was passed over; `arg`: the film has some. */
static void
seek_on_say (void *arg, TravelOf of, const char *sentence)
{
  *(bool *) arg |= of == TRAVEL_OF_FILM;
  cli_note (of == TRAVEL_OF_FILM ? "film" : _ ("saved states"), "%s", sentence);
}

typedef struct Measured {
  GArray *travels, *backs; /* of double, seconds */
} Measured;

static int
seek_by_size (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
seek_quantile (const GArray *sorted, double q)
{
  return sorted->len ? stats_quantile ((const double *) (const void *) sorted->data, sorted->len, q) : 0;
}

static void
add_since (GArray *to, gint64 begun)
{
  double s = (double) (g_get_monotonic_time () - begun) / G_USEC_PER_SEC;

  g_array_append_val (to, s);
}

static bool
travel_once (Travel *t, bool is_event, uint64_t event, int64_t date, bool back, Measured *m, GError **error)
{
  gint64 begun = g_get_monotonic_time ();

  if (is_event ? !travel_to_event (t, event, error) : !travel_to_date (t, date, error))
    return false;
  if (!travel_extend (t, cli_tell_part, NULL, error))
    return false;
  add_since (m->travels, begun);
  if (!back || travel_event (t) == 0)
    return true;
  if (!travel_prepare (t, error)) /* what is done while a person looks is not waited for */
    return false;
  begun = g_get_monotonic_time ();
  if (!travel_back_event (t, error))
    return false;
  add_since (m->backs, begun);
  return true;
}

static void
seek_write_json (Session *s, const Travel *t, const Measured *m, uint64_t disk, bool back, int64_t at, GString *to)
{
  g_autofree char *hash = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", session_hash (s, at));
  Json j = { to, false };

  g_array_sort (m->travels, seek_by_size);
  g_array_sort (m->backs, seek_by_size);
  json_open (&j, NULL, '{');
  json_count (&j, "travels", m->travels->len);
  json_real (&j, "p50_s", seek_quantile (m->travels, 0.5));
  json_real (&j, "p90_s", seek_quantile (m->travels, 0.9));
  json_real (&j, "p99_s", seek_quantile (m->travels, 0.99));
  json_real (&j, "max_s", seek_quantile (m->travels, 1));
  if (back) {
    json_real (&j, "back_p50_s", seek_quantile (m->backs, 0.5));
    json_real (&j, "back_p99_s", seek_quantile (m->backs, 0.99));
    json_real (&j, "back_max_s", seek_quantile (m->backs, 1));
  }
  json_count (&j, "disk_bytes", disk);
  json_text (&j, "hash", hash);
  json_close (&j, '}');
  g_string_append_c (to, '\n');
}

typedef struct Seek {
  FilmCli open;
  char *to, *film;
  int repeat, seed;
  gboolean stats, back, no_film;
} Seek;

static int
seek (Session *s, const Seek *k, const char *trace)
{
  GError *error = NULL;
  FilmStats stats = { 0 };
  uint64_t trace_id = 0, plan = 0, event = UINT64_MAX;
  int64_t date = s->source->first;
  int status = k->to ? cli_instant (s->source, "--to", k->to, &event, &date) : CLI_OK;
  bool is_event = event != UINT64_MAX;

  if (status)
    return status;
  g_autoptr (GError) no_film = NULL;
  if (!k->no_film && !film_cli_shoot (s, k->film, INT64_MAX, NULL, FILM_CLI_QUIET, &stats, &no_film)) {
    if (cli_interrupted ())
      return cli_fail ("film", "interrupted");
    cli_note ("film", _ ("%s; travelling with what there is of it"), no_film->message);
    eve_program_clear_failure (s->program);
  }
  g_autofree char *home = film_folder (s, &trace_id, &plan, &error); /* the program may have extended itself */
  if (!home) {
    g_free (stats.folder);
    return cli_fail_error (trace, error);
  }
  bool damaged = false;
  TravelOptions o = { .film = k->no_film ? NULL
                              : k->film  ? k->film
                                         : home,
                      .trace = trace_id,
                      .plan = plan,
                      .progress = cli_progress (),
                      .say = seek_on_say,
                      .arg = &damaged };
  Travel *t = travel_new (s, &o);
  Measured m = { g_array_new (FALSE, FALSE, sizeof (double)), g_array_new (FALSE, FALSE, sizeof (double)) };
  bool ok = true;

  if (k->repeat) {
    GRand *r = g_rand_new_with_seed ((guint32) k->seed);
    for (int i = 0; ok && i < k->repeat; ++i) {
      double share = g_rand_double (r);
      date = s->source->first + (int64_t) (share * (double) (s->source->last - s->source->first));
      ok = travel_once (t, false, 0, date, k->back, &m, &error);
    }
    g_rand_free (r);
  } else {
    ok = travel_once (t, is_event, event, date, k->back, &m, &error);
  }
  if (ok) {
    g_autoptr (GString) text = g_string_new (NULL);
    int64_t at = is_event || k->back ? MAX (travel_date (t), s->source->first) : session_instant (s, date);
    seek_write_json (s, t, &m, k->no_film ? 0 : film_bytes (o.film), k->back, at, text);
    if (k->stats) {
      const TravelReport *r = travel_report (t);
      cli_note (_ ("last travel"),
                _ ("%s event %" PRIu64 ", %" PRIu64 " events played; restored in %.1f ms, played in %.1f ms, "
                   "saved in %.1f ms"),
                r->restored ? _ ("from the checkpoint of") : "from", r->from_event, r->played,
                (double) r->restore_ns / 1e6, (double) r->play_ns / 1e6, (double) r->save_ns / 1e6);
    }
    cli_out (text);
    cli_note_faults (s, trace);
  } else {
    status = cli_fail_error (trace, error);
  }
  g_array_unref (m.travels);
  g_array_unref (m.backs);
  travel_free (t);
  if (damaged && !k->no_film
      && !cli_interrupted ()) { /* what was told is right; the next travel is as quick as before */
    g_clear_pointer (&stats.folder, g_free);
    g_clear_error (&no_film);
    if (!film_cli_shoot (s, k->film, INT64_MAX, NULL, FILM_CLI_MEND, &stats, &no_film))
      cli_note ("film", "%s", no_film->message);
  }
  g_free (stats.folder);
  return status;
}

static int
check_options (const CliCommand *self, const Seek *k)
{
  if (!k->to == !k->repeat)
    return cli_usage (self->name, _ ("say where with --to T, or how many random instants with --repeat N"));
  if (k->repeat < 0 || k->repeat > 1000000)
    return cli_usage ("--repeat", _ ("a number from 1 to 1000000 is wanted"));
  if (k->film && k->no_film)
    return cli_usage (self->name, _ ("--film and --no-film exclude each other"));
  return CLI_OK;
}

static int
open_and_seek (const Seek *k, const char *trace, const char *const *more)
{
  GError *error = NULL;
  SessionOptions options = { .trace = trace,
                             .more = more,
                             .format = k->open.format,
                             .program = k->open.program,
                             .set = (const char *const *) k->open.set,
                             .warn = seek_on_warn,
                             .exchanges = true,
                             .offsets = (const char *const *) cli_offsets,
                             .clocks = cli_clocks,
                             .reference = cli_reference,
                             .progress = cli_progress () };

  cli_load_components ();
  Session *s = session_open (&options, &error);
  if (s)
    cli_note_program (s);
  int status = s ? seek (s, k, trace) : cli_fail_error (trace, error);
  if (!status)
    status = cli_missing (s->program, s->problems);
  session_free (s);
  return status;
}

static int
seek_command (const CliCommand *self, int argc, char **argv)
{
  Seek k = { .repeat = 0, .seed = 1 };
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &k.to, _ ("The instant: a time, @mark, or #number of events"), "T" },
    FILM_CLI_ENTRIES (k.open),
    { "repeat", 0, 0, G_OPTION_ARG_INT, &k.repeat, _ ("Travel to N random instants instead"), "N" },
    { "random", 0, 0, G_OPTION_ARG_INT, &k.seed, _ ("Where their choice begins; the same gives the same instants"),
      "SEED" },
    { "back", 0, 0, G_OPTION_ARG_NONE, &k.back,
      _ ("After each travel step back one event; the times are told as back_..."), NULL },
    { "film", 0, 0, G_OPTION_ARG_FILENAME, &k.film, _ ("Folder of the film; otherwise the one in the user's cache"),
      "DIR" },
    { "no-film", 0, 0, G_OPTION_ARG_NONE, &k.no_film, _ ("Without a film: play from what is kept in memory"), NULL },
    { "stats", 0, 0, G_OPTION_ARG_NONE, &k.stats, _ ("Tell about the last travel on standard error"), NULL },
    CLI_OFFSET,
    CLI_CLOCKS,
    { NULL, 0, 0, 0, NULL, NULL, NULL },
  };

  if (!cli_parse (self, entries, &argc, &argv, 1, CLI_MOST_TRACES))
    return CLI_USAGE;
  int status = check_options (self, &k);
  if (!status)
    status = open_and_seek (&k, argv[1], cli_more (argc, argv));
  film_cli_clear (&k.open);
  g_free (k.to);
  g_free (k.film);
  return status;
}

const CliCommand cli_seek = {
  "seek",
  "TRACE [TRACE...]",
  N_ ("Travels to an instant, or to random ones, and tells how long that took."),
  "  scope seek traces/ring.trace --to 0.5\n  scope seek traces/ring.trace --repeat 200 --random 7\n",
  seek_command,
};
