/* SPDX-License-Identifier: Apache-2.0 */
/* draw.c - what drawing costs: each view from a finished film, 1600 x 1000, at random zooms from the whole execution to
 * a millionth of it, and the cursor alone.  Processor time, so that a busy machine says nearly the same.
 *
 *     draw [RECORDS [TASKS...]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "statistics/quantile.h"
#include "views/drawing.h"

#define TIMES 200
#define MARKS 4000 /* as the window keeps */
#define WIDTH 1600
#define HEIGHT 1000

static char *folder;

static double
cpu_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static char *
make_trace (uint32_t tasks, uint64_t records)
{
  g_autofree char *data = g_strdup_printf ("%s/t%u.trace/t%u.tapepvm", folder, tasks, tasks);
  TraceSynth what = { .tasks = tasks, .records = records, .seed = 1 };
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (data, 0777);
  if (!trace_format_find ("tapepvm", &error)->synth (data, &what, &error))
    g_error ("%s", error->message);
  return g_path_get_dirname (data);
}

static Session *
open_session (const char *trace)
{
  g_autofree char *schemas = places_schemas ("tapepvm"), *program = g_build_filename (schemas, "views.eve", NULL);
  GError *error = NULL;
  SessionOptions o = { .trace = trace, .program = program };
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
tell (const char *what, uint32_t tasks, double *ms, int n)
{
  qsort (ms, (size_t) n, sizeof *ms, by_size);
  printf ("| %s | %u | %.2f | %.2f | %.2f |\n", what, tasks, stats_quantile (ms, (uint64_t) n, 0.5),
          stats_quantile (ms, (uint64_t) n, 0.9), ms[n - 1]);
  fflush (stdout);
}

/* One picture; with `cursor`, that alone over one that is there. */
static double
draw_once (EveComponent *c, const View *v, const ViewScene *scene, bool cursor)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (scene->width_px * scene->scale),
                                                       (int) (scene->height_px * scene->scale));
  cairo_t *cr = cairo_create (image);
  g_autoptr (GError) error = NULL;

  cairo_scale (cr, scene->scale, scene->scale);
  double begun = cpu_ms ();
  g_autoptr (Drawing) d = drawing_new (scene, cr, MARKS);
  if (cursor)
    v->draw_cursor (c, scene, cr, NULL);
  else if (!v->build (c, scene, d, &error))
    g_error ("%s", error->message);
  double took = cpu_ms () - begun;
  cairo_destroy (cr);
  cairo_surface_destroy (image);
  return took;
}

static void
zoom (GRand *r, ViewScene *scene, double most)
{
  double all = (double) (scene->source->last - scene->source->first),
         length = all * pow (2, -g_rand_double_range (r, 0, most));

  scene->from = scene->source->first + (int64_t) (g_rand_double (r) * (all - length));
  scene->to = scene->from + (int64_t) length;
  scene->at = scene->from + (int64_t) (length * g_rand_double (r));
}

static void
measure_space_time (Session *s, ViewScene scene, uint32_t tasks)
{
  EveComponent *c = eve_find (s->program, "Space-time");
  const View *v = view_get (c);
  double ms[TIMES], cursor[TIMES], first;

  scene.from = s->source->first;
  scene.to = s->source->last;
  first = draw_once (c, v, &scene, false);
  tell ("space-time, the first picture, which opens the film", tasks, &first, 1);
  for (int scale = 1; scale <= 2; ++scale) {
    GRand *r = g_rand_new_with_seed (5);
    g_autofree char *what = g_strdup_printf ("space-time, %s", scale == 1 ? "any zoom" : "any zoom, 2 pixels a px");
    scene.scale = scale;
    for (int i = 0; i < TIMES; ++i) {
      zoom (r, &scene, i == 0 ? 1e-9 : 20);
      ms[i] = draw_once (c, v, &scene, false);
      scene.at = scene.to;
      cursor[i] = draw_once (c, v, &scene, true);
    }
    tell (what, tasks, ms, TIMES);
    g_rand_free (r);
  }
  tell ("space-time, cursor alone", tasks, cursor, TIMES);
}

static void
measure_text (Session *s, ViewScene scene, uint32_t tasks)
{
  EveComponent *c = eve_find (s->program, "Trace text");
  const View *v = view_get (c);
  GRand *r = g_rand_new_with_seed (6);
  double ms[TIMES];

  for (int i = 0; i < TIMES; ++i) {
    zoom (r, &scene, 20);
    scene.from = 1;
    scene.to = 0;
    ms[i] = draw_once (c, v, &scene, false);
  }
  tell ("trace text, around an instant", tasks, ms, TIMES);
  for (int i = 0; i < TIMES; ++i) {
    zoom (r, &scene, 20);
    draw_once (c, v, &scene, false);
    ms[i] = draw_once (c, v, &scene, true);
  }
  tell ("trace text, cursor alone", tasks, ms, TIMES);
  g_rand_free (r);
}

static void
measure_graph (Session *s, ViewScene scene, uint32_t tasks, Travel *t)
{
  EveComponent *c = eve_find (s->program, "State graph");
  const View *v = view_get (c);
  GRand *r = g_rand_new_with_seed (7);
  enum { instants = 10 };
  double ms[TIMES], first;

  travel_to_date (t, scene.at = s->source->first, NULL);
  first = draw_once (c, v, &scene, false);
  for (int i = 0; i < TIMES; ++i) {
    if (i % (TIMES / instants) == 0) {
      scene.at = s->source->first + (int64_t) (g_rand_double (r) * (double) (s->source->last - s->source->first));
      travel_to_date (t, scene.at, NULL);
    }
    ms[i] = draw_once (c, v, &scene, false);
  }
  tell ("state graph, at an instant", tasks, ms, TIMES);
  tell ("state graph, the first picture, with its layout", tasks, &first, 1);
  g_rand_free (r);
}

static void
measure (uint32_t tasks, uint64_t records)
{
  g_autofree char *trace = make_trace (tasks, records), *film = g_strdup_printf ("%s/film%u", folder, tasks);
  Session *s = open_session (trace);
  FilmOptions o = { .folder = film, .until = INT64_MAX, .strategy = strategy_default () };
  FilmStats stats;
  g_autoptr (GError) error = NULL;
  uint64_t id, plan;

  if (!film_shoot (s, &o, &stats, &error))
    g_error ("%s", error->message);
  g_free (stats.folder);
  session_free (s);
  s = open_session (trace);
  g_autofree char *home = film_folder (s, &id, &plan, NULL);
  TravelOptions to = { .film = film, .trace = id, .plan = plan };
  Travel *t = travel_new (s, &to);
  ViewColours *colours = view_colours_load ();
  ViewScene scene = { .width_px = WIDTH,
                      .height_px = HEIGHT,
                      .scale = 1,
                      .from = 1,
                      .to = 0,
                      .at = INT64_MIN,
                      .source = s->source,
                      .graph = s->graph,
                      .film = film,
                      .colours = colours,
                      .bundle = s->source->path,
                      .event = UINT64_MAX };
  measure_space_time (s, scene, tasks);
  measure_graph (s, scene, tasks, t);
  measure_text (s, scene, tasks);
  view_colours_free (colours);
  travel_free (t);
  session_free (s);
}

int
main (int argc, char **argv)
{
  static const uint32_t usual[] = { 4, 64, 256, 2000 };
  g_autofree char *components = places_components (), *remove = NULL;
  uint64_t records = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 2000000;

  folder = g_dir_make_tmp ("scope-draw-XXXXXX", NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  printf ("Drawing %dx%d from a film of %" G_GUINT64_FORMAT " records, ms of processor time\n\n", WIDTH, HEIGHT,
          records);
  printf ("| picture | tasks | median | 90 %% | worst |\n|---|---|---|---|---|\n");
  for (int i = 2; i < argc; ++i)
    measure ((uint32_t) atoi (argv[i]), records);
  for (guint i = 0; argc <= 2 && i < G_N_ELEMENTS (usual); ++i)
    measure (usual[i], records);
  remove = g_strdup_printf ("rm -rf '%s'", folder);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? 0 : 1;
}
