/* SPDX-License-Identifier: Apache-2.0 */
/* scene.c - what scenes in three dimensions cost: the full picture, a frame while the camera moves, and what is under a
 * point; 1600 x 1000.  Both wall and processor time: software renders on several threads.
 *
 *     scene [TASKS...] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "statistics/quantile.h"
#include "views/drawing.h"
#include "views/view-camera.h"

#define FRAMES 30
#define MARKS 4000 /* as the window keeps */

static char *folder;
static bool first_of_all = true;

typedef struct Took {
  double wall[FRAMES], cpu[FRAMES];
  int n;
} Took;

static double
ms_of (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static void
begin (Took *t)
{
  t->wall[t->n] = ms_of (CLOCK_MONOTONIC);
  t->cpu[t->n] = ms_of (CLOCK_PROCESS_CPUTIME_ID);
}

static void
end (Took *t)
{
  t->wall[t->n] = ms_of (CLOCK_MONOTONIC) - t->wall[t->n];
  t->cpu[t->n] = ms_of (CLOCK_PROCESS_CPUTIME_ID) - t->cpu[t->n];
  t->n++;
}

static int
by_size (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
tell (const char *what, uint32_t tasks, Took *t)
{
  uint64_t n = (uint64_t) MAX (t->n, 0);

  qsort (t->wall, n, sizeof *t->wall, by_size);
  qsort (t->cpu, n, sizeof *t->cpu, by_size);
  printf ("| %s | %u | %.1f | %.1f | %.1f |\n", what, tasks, stats_quantile (t->wall, n, 0.5),
          n > 0 ? t->wall[n - 1] : NAN, stats_quantile (t->cpu, n, 0.5));
  fflush (stdout);
  t->n = 0;
}

static Session *
open_session (uint32_t tasks, const char *program)
{
  g_autofree char *trace = g_strdup_printf ("%s/t%u.trace", folder, tasks),
                  *data = g_strdup_printf ("%s/t%u.tapepvm", trace, tasks), *path = places_offered ("tapepvm", program);
  TraceSynth what = { .tasks = tasks, .records = 12 * (uint64_t) tasks, .seed = 1 };
  GError *error = NULL;

  g_mkdir_with_parents (trace, 0777);
  if (!g_file_test (data, G_FILE_TEST_EXISTS) && !trace_format_find ("tapepvm", &error)->synth (data, &what, &error))
    g_error ("%s", error->message);
  Session *s = session_open (&(SessionOptions){ .trace = trace, .program = path }, &error);
  if (!s)
    g_error ("%s", error->message);
  return s;
}

static void
draw_once (EveComponent *c, const View *v, const ViewScene *scene, Took *t)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) scene->width_px,
                                                       (int) scene->height_px);
  cairo_t *cr = cairo_create (image);
  g_autoptr (GError) error = NULL;
  g_autoptr (Drawing) d = drawing_new (scene, cr, MARKS);

  begin (t);
  if (!v->build (c, scene, d, &error))
    g_error ("%s", error->message);
  end (t);
  cairo_destroy (cr);
  cairo_surface_destroy (image);
}

static void
measure_view (Session *s, const char *name, ViewScene scene, uint32_t tasks)
{
  EveComponent *c = eve_find (s->program, name);
  const View *v = view_get (c);
  const ViewCamera *camera = view_camera (c);
  GRand *r = g_rand_new_with_seed (3);
  Took t = { .n = 0 };

  draw_once (c, v, &scene, &t);
  g_autofree char *first = g_strdup_printf ("%s, the first picture", name),
                  *full = g_strdup_printf ("%s, the full picture", name),
                  *moving = g_strdup_printf ("%s, while the camera moves", name),
                  *point = g_strdup_printf ("%s, what is at a point", name);
  if (first_of_all)
    printf ("drawn by %s\n\n| picture | tasks | median | worst | processor |\n|---|---|---|---|---|\n",
            camera->renderer (c));
  first_of_all = false;
  tell (first, tasks, &t);
  for (int i = 0; i < 3; ++i)
    draw_once (c, v, &scene, &t);
  tell (full, tasks, &t);
  for (int i = 0; i < FRAMES; ++i) {
    camera->move (c, &scene, VIEW_CAMERA_ORBIT, 9, 3, 500, 500);
    draw_once (c, v, &scene, &t);
    if (i == 4)
      t.n = 0; /* by then it is known what an object costs */
  }
  tell (moving, tasks, &t);
  camera->cancel (c);
  draw_once (c, v, &scene, &t);
  t.n = 0;
  for (int i = 0; i < FRAMES; ++i) {
    DrawingMark m;
    begin (&t);
    v->point (c, &scene, g_rand_double_range (r, 0, scene.width_px), g_rand_double_range (r, 40, scene.height_px), &m);
    end (&t);
  }
  tell (point, tasks, &t);
  g_rand_free (r);
}

static void
measure (uint32_t tasks, const char *program, const char *const *views)
{
  g_autofree char *film = g_strdup_printf ("%s/film%u-%s", folder, tasks, program);
  Session *s = open_session (tasks, program);
  FilmOptions o = { .folder = film, .until = INT64_MAX, .strategy = strategy_default () };
  FilmStats stats;
  g_autoptr (GError) error = NULL;
  uint64_t id, plan;

  if (!film_shoot (s, &o, &stats, &error))
    g_error ("%s", error->message);
  g_free (stats.folder);
  session_free (s);
  s = open_session (tasks, program);
  g_autofree char *home = film_folder (s, &id, &plan, NULL);
  Travel *t = travel_new (s, &(TravelOptions){ .film = film, .trace = id, .plan = plan });
  ViewColours *colours = view_colours_load ();
  int64_t at = s->first + (s->last - s->first) / 2;
  ViewScene scene = { .width_px = 1600,
                      .height_px = 1000,
                      .scale = 1,
                      .from = 1,
                      .to = 0,
                      .at = at,
                      .source = s->source,
                      .graph = s->graph,
                      .film = film,
                      .colours = colours,
                      .bundle = s->source->path,
                      .event = UINT64_MAX };
  if (!travel_to_date (t, at, &error))
    g_error ("%s", error->message);
  for (; *views; ++views)
    measure_view (s, *views, scene, tasks);
  view_colours_free (colours);
  travel_free (t);
  session_free (s);
}

int
main (int argc, char **argv)
{
  static const uint32_t usual[] = { 1000, 10000, 100000 };
  static const char *const graph[] = { "Scene", NULL }, *const others[] = { "Space-time in 3D", "Work as a landscape",
                                                                            NULL };
  g_autofree char *components = places_components (), *remove = NULL;
  int n = argc > 1 ? argc - 1 : (int) G_N_ELEMENTS (usual);

  folder = g_dir_make_tmp ("scope-scene-XXXXXX", NULL);
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  printf ("Scenes, 1600x1000, ms, ");
  for (int i = 0; i < n; ++i) {
    uint32_t tasks = argc > 1 ? (uint32_t) atoi (argv[i + 1]) : usual[i];
    measure (tasks, "scene.eve", graph);
    measure (tasks, "scenes.eve", others);
  }
  remove = g_strdup_printf ("rm -rf '%s'", folder);
  return g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL) ? 0 : 1;
}
