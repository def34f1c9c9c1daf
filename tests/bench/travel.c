/* SPDX-License-Identifier: Apache-2.0 */
/* travel.c - the evaluation of travel in time (thesis, 3.5): what a checkpoint costs against the number of tasks, what
 * strategies cost and give, what the heuristics save on simulated sessions of use.  Prints the tables of
 * docs/time-travel.md. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zstd.h>
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "statistics/quantile.h"

static char *folder;

static double
cpu_s (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static char *
make_trace (uint32_t tasks, uint64_t records)
{
  g_autofree char *name = g_strdup_printf ("t%u", tasks), *dir = g_strconcat (name, ".trace", NULL);
  g_autofree char *data = g_strconcat (folder, "/", dir, "/", name, ".tapepvm", NULL);
  TraceSynth what = { .tasks = tasks, .records = records, .seed = 1 };
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (data, 0777);
  if (!trace_format_find ("tapepvm", &error)->synth (data, &what, &error))
    g_error ("%s", error->message);
  return g_build_filename (folder, dir, NULL);
}

static Session *
open_session (const char *trace)
{
  GError *error = NULL;
  SessionOptions o = { .trace = trace };
  Session *s = session_open (&o, &error);

  if (!s)
    g_error ("%s", error->message);
  return s;
}

static int
by_size (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
cost_by_tasks (uint64_t records)
{
  printf ("| tasks | links | run state | stored | save | pack | restore |\n|---|---|---|---|---|---|---|\n");
  for (uint32_t tasks = 4; tasks <= 4096; tasks *= 4) {
    g_autofree char *trace = make_trace (tasks, records);
    Session *s = open_session (trace);
    drive_reset (s);
    drive_events (s, s->source->n_events / 2);
    drive_run (s, NULL, NULL, NULL, NULL, NULL);
    double best[3] = { 1e9, 1e9, 1e9 };
    size_t n = 0, stored = 0;
    for (int i = 0; i < 7; ++i) {
      double t = cpu_s ();
      EveBlob *b = eve_blob_new ();
      eve_program_save_run (s->program, b);
      best[0] = MIN (best[0], cpu_s () - t);
      const uint8_t *bytes = eve_blob_data (b, &n);
      size_t room = ZSTD_compressBound (n);
      g_autofree char *packed = g_malloc (room);
      t = cpu_s ();
      stored = ZSTD_compress (packed, room, bytes, n, 1);
      best[1] = MIN (best[1], cpu_s () - t);
      t = cpu_s ();
      eve_program_load_run (s->program, bytes, n, NULL, NULL);
      best[2] = MIN (best[2], cpu_s () - t);
      eve_blob_free (b);
    }
    printf ("| %u | %u | %.0f kB | %.0f kB | %.2f ms | %.2f ms | %.2f ms |\n", tasks, s->graph->n_edges,
            (double) n / 1e3, (double) stored / 1e3, best[0] * 1e3, best[1] * 1e3, best[2] * 1e3);
    fflush (stdout);
    session_free (s);
  }
}

static void
strategies (uint64_t records)
{
  static const char *const list[] = { "none",     "events=1000000",         "events=100000", "share=5",
                                      "share=20", "events=100000+share=20", "default" };
  g_autofree char *trace = make_trace (256, records);

  printf ("\n| strategy | checkpoints | stored | saving | travel: median | 90 %% | worst "
          "|\n|---|---|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (list); ++i) {
    g_autofree char *film = g_strdup_printf ("%s/film%u", folder, i);
    Session *s = open_session (trace);
    FilmOptions o = { .folder = film, .until = INT64_MAX, .strategy = strategy_default () };
    FilmStats stats;
    g_autoptr (GError) error = NULL;
    strategy_parse (list[i], &o.strategy);
    double begun = cpu_s ();
    if (!film_shoot (s, &o, &stats, &error))
      g_error ("%s", error->message);
    double all = cpu_s () - begun;
    session_free (s);

    s = open_session (trace);
    uint64_t id, plan;
    g_autofree char *home = film_folder (s, &id, &plan, NULL);
    TravelOptions to = { .film = film, .trace = id, .plan = plan };
    Travel *t = travel_new (s, &to);
    GRand *r = g_rand_new_with_seed (9);
    enum { times = 60 };
    double took[times];
    for (int k = 0; k < times; ++k) {
      gint64 from = g_get_monotonic_time ();
      travel_to_event (t, (uint64_t) (g_rand_double (r) * (double) s->source->n_events), NULL);
      took[k] = (double) (g_get_monotonic_time () - from) / 1e3;
    }
    qsort (took, times, sizeof *took, by_size);
    printf ("| %s | %u | %.1f MB | %.0f %% | %.0f ms | %.0f ms | %.0f ms |\n", list[i], stats.checkpoints,
            (double) stats.checkpoint_bytes / 1e6, 100 * stats.saving_s / all, stats_quantile (took, times, 0.5),
            stats_quantile (took, times, 0.9), took[times - 1]);
    fflush (stdout);
    g_rand_free (r);
    travel_free (t);
    session_free (s);
    g_free (stats.folder);
  }
}

/* ---- sessions of use --------------------------------------------------------------------------------------------------- */

/* An execution of EVENTS events, room for PLACES states.  Somebody plays it once, placing marks on the way, then
 * travels TRAVELS times: to a mark (the k-th most loved one with a frequency of 1/k, if `to_marks`), a little before
 * one, or anywhere. */
enum { EVENTS = 1000000, PLACES = 16, MARKS = 12, TRAVELS = 200 };

static double
simulate (guint32 seed, double to_marks, bool near_marks, bool replacing)
{
  GRand *r = g_rand_new_with_seed (seed);
  Strategy s = { .every_events = EVENTS / PLACES, .mark_near = near_marks ? 0.5 : 0 };
  StrategyPlace places[PLACES * 2 + MARKS];
  uint64_t marks[MARKS], visited[TRAVELS], played = 0;
  guint n = 0, n_visited = 0;

  for (int i = 0; i < MARKS; ++i)
    marks[i] = (uint64_t) (g_rand_double (r) * EVENTS);
  StrategyNow now = { .done = 1 };
  for (uint64_t e = 0; e < EVENTS; e += 500) {
    bool mark = false;
    now.events_since += 500;
    for (int i = 0; i < MARKS; ++i)
      mark |= marks[i] / 500 == e / 500;
    if (n < PLACES && (strategy_due (&s, &now) || (mark && strategy_mark_saves (&s, &now)))) {
      places[n++] = (StrategyPlace){ .event = e, .bytes = 1 };
      now.events_since = 0;
    }
  }
  for (int k = 0; k < TRAVELS; ++k) {
    uint64_t to = (uint64_t) (g_rand_double (r) * EVENTS), visits = 1;
    if (g_rand_double (r) < to_marks) {
      int which = 0; /* Zipf */
      for (double left = g_rand_double (r) * 3.103; which < MARKS - 1 && (left -= 1.0 / (which + 1)) > 0;)
        ++which;
      to = marks[which];
      if (g_rand_double (r) < 0.3)
        to -= MIN (to, (uint64_t) g_rand_int_range (r, 1, 2000));
    }
    int from = -1;
    for (guint i = 0; i < n; ++i)
      if (places[i].event <= to)
        from = (int) i;
    played += to - (from >= 0 ? places[from].event : 0);
    if (from >= 0)
      places[from].uses++;
    for (guint i = 0; i < n_visited; ++i)
      visits += visited[i] / 500 == to / 500;
    visited[n_visited++] = to;
    if (!replacing || visits < 2 || (from >= 0 && to - places[from].event < 500))
      continue;
    int victim = n < PLACES ? (int) n : strategy_victim (places, n, to, visits);
    if (victim < 0)
      continue;
    if (victim == (int) n)
      ++n;
    memmove (places + victim, places + victim + 1, (n - 1 - (guint) victim) * sizeof *places);
    guint at = n - 1;
    while (at && places[at - 1].event > to) {
      places[at] = places[at - 1];
      --at;
    }
    places[at] = (StrategyPlace){ .event = to, .uses = visits, .bytes = 1 };
  }
  g_rand_free (r);
  return (double) played / TRAVELS;
}

static void
heuristics (void)
{
  static const double shares[] = { 0, 0.5, 0.8, 1 };

  printf ("\n| travels to marks | every n events | + marks | + replacement | + both |\n|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (shares); ++i) {
    double sum[4] = { 0 };
    for (guint32 seed = 0; seed < 400; ++seed)
      for (int h = 0; h < 4; ++h)
        sum[h] += simulate (seed, shares[i], h & 1, h & 2) / 400;
    printf ("| %.0f %% | %.0f | %.0f | %.0f | %.0f |\n", 100 * shares[i], sum[0], sum[1], sum[2], sum[3]);
  }
}

int
main (int argc, char **argv)
{
  g_autofree char *components = places_components (), *remove = NULL;
  double scale = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 1;

  folder = g_dir_make_tmp ("scope-travel-XXXXXX", NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  cost_by_tasks ((uint64_t) (400000 * scale));
  strategies ((uint64_t) (5000000 * scale));
  heuristics ();
  remove = g_strdup_printf ("rm -rf '%s'", folder);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? 0 : 1;
}
