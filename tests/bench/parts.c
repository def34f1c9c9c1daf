/* SPDX-License-Identifier: Apache-2.0 */
/* parts.c - what an edit costs when the film of the program before it is there: a view is added, the film that serves
 * is found, the instant is travelled to, and the view is drawn.  Time on the wall and of the processor.
 *
 *     parts [RECORDS [TASKS]] */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "views/view.h"

static char *folder;

static double
clock_ms (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static Session *
open_session (const char *trace)
{
  g_autofree char *schemas = places_schemas ("tapepvm"), *program = g_build_filename (schemas, "default.eve", NULL);
  GError *error = NULL;
  SessionOptions o = { .trace = trace, .program = program };
  Session *s = session_open (&o, &error);

  if (!s)
    g_error ("%s", error->message);
  return s;
}

/* Shoots what is missing of the film of the program in a session of its own. */
static void
shoot (const Session *like, const char *what)
{
  g_autofree char *text = eve_program_text (like->program);
  GError *error = NULL;
  SessionOptions so = { .trace = like->trace, .program = like->program_path, .text = text };
  Session *s = session_open (&so, &error);
  FilmOptions o = { .until = INT64_MAX, .strategy = strategy_default () };
  FilmStats stats;

  if (!s || !film_shoot (s, &o, &stats, &error))
    g_error ("%s", error->message);
  printf ("%s: %.2f s, %" G_GUINT64_FORMAT
          " events shot, %u of %u histories taken over, %u checkpoints of %.1f MB, film of "
          "%.1f MB\n",
          what, stats.wall_s, stats.events_shot, stats.histories_taken, stats.histories, stats.checkpoints,
          (double) stats.checkpoint_bytes / 1e6, (double) stats.bytes / 1e6);
  g_free (stats.folder);
  session_free (s);
}

static void
draw (Session *s, EveComponent *c, int64_t at)
{
  const View *v = view_get (c);
  ViewColours *colours = view_colours_load ();
  uint64_t trace, plan;
  g_autofree char *film = film_folder (s, &trace, &plan, NULL);
  TravelOptions o = { .film = film, .trace = trace, .plan = plan };
  ViewScene scene = { .width_px = 1600,
                      .height_px = 1000,
                      .scale = 1,
                      .from = 1,
                      .to = 0,
                      .at = at,
                      .film = film,
                      .colours = colours,
                      .event = UINT64_MAX };
  GError *error = NULL;
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 1600, 1000);
  cairo_t *cr = cairo_create (surface);
  Travel *t = NULL;

  if (v->spans == VIEW_OF_INSTANT) {
    t = travel_new (s, &o);
    if (!travel_to_date (t, at, &error))
      g_error ("%s", error->message);
    session_rest (s, at);
  }
  if (!session_scene (s, c, &scene, &error) || !view_draw (c, v, &scene, cr, &error))
    g_error ("%s", error->message);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);
  travel_free (t);
  view_colours_free (colours);
}

static void
measure (Session *s, const char *id, const char *const *wires)
{
  GError *error = NULL;
  double wall = clock_ms (CLOCK_MONOTONIC), cpu = clock_ms (CLOCK_PROCESS_CPUTIME_ID);
  EveComponent *c = eve_add (s->program, eve_registry_find (id), NULL, &error);

  for (; c && *wires; wires += 3)
    if (!eve_connect (s->program, eve_find (s->program, wires[0]), wires[1], c, wires[2], &error))
      break;
  if (error)
    g_error ("%s", error->message);
  session_refresh (s);
  draw (s, c, s->first + (s->last - s->first) / 2);
  printf ("%s: %.1f ms, %.1f ms of the processor\n", eve_name (c), clock_ms (CLOCK_MONOTONIC) - wall,
          clock_ms (CLOCK_PROCESS_CPUTIME_ID) - cpu);
}

int
main (int argc, char **argv)
{
  static const char *const states[] = { "Simulator", "states", "states", "Simulator", "messages", "messages", NULL },
                           *const messages[] = { "Simulator", "messages", "messages", NULL },
                           *const events[] = { "Reader", "events", "events", NULL };
  g_autofree char *components = places_components ();
  uint64_t records = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 3000000;
  TraceSynth what = { .tasks = argc > 2 ? (uint32_t) atoi (argv[2]) : 64, .records = records, .seed = 1 };
  GError *error = NULL;

  folder = g_dir_make_tmp ("scope-parts-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  g_autofree char *data = g_build_filename (folder, "t.trace", "t.tapepvm", NULL), *trace = g_path_get_dirname (data);
  g_mkdir_with_parents (data, 0777);
  if (!trace_format_find ("tapepvm", &error)->synth (data, &what, &error))
    g_error ("%s", error->message);
  Session *s = open_session (trace);
  printf ("%" G_GUINT64_FORMAT " records of %u tasks, %.1f MB\n", records, what.tasks,
          (double) film_bytes (trace) / 1e6);
  g_usleep (3 * G_USEC_PER_SEC); /* of a file that was written just now nothing is remembered */
  shoot (s, "film");
  for (int i = 0; i < 2; ++i) {
    measure (s, "scope.space-time", states);
    measure (s, "scope.state-graph", messages);
    measure (s, "scope.trace-text", events);
  }
  shoot (s, "with the views");
  EveComponent *counter = eve_add (s->program, eve_registry_find ("scope.counter"), "Counter", &error);
  eve_connect (s->program, eve_find (s->program, "Reader"), "events", counter, "in", &error);
  session_refresh (s);
  shoot (s, "with a counter");
  eve_remove (s->program, eve_find (s->program, "State graph"));
  session_refresh (s);
  shoot (s, "without a state graph");
  session_free (s);
  places_remove (folder, NULL);
  return 0;
}
