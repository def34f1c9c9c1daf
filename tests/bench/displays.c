/* SPDX-License-Identifier: Apache-2.0 */
/* displays.c - what each view of a program costs from a finished film, 1600 x 1000: the first picture, which opens what
 * it needs, and pictures after it at other instants and ranges.  Processor time, so that a busy machine says nearly the
 * same.
 *
 *     displays TRACE PROGRAM[:VIEW]... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "statistics/quantile.h"
#include "views/drawing.h"

#define WIDTH 1600
#define HEIGHT 1000
#define COLD_MS 150 /* what is asked for at 10^5 tasks */
#define WARM_MS 16
#define INSTANTS 5
#define TIMES 8    /* pictures of one instant */
#define MARKS 4000 /* as the window keeps */

static double
cpu_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static Session *
open_session (const char *trace, const char *program)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = places_program ("tapepvm", program);
  SessionOptions o = { .trace = trace, .program = path };
  Session *s = session_open (&o, &error);
  if (!s)
    g_error ("%s", error->message);
  return s;
}

/* Milliseconds; < 0: the view has nothing to show. */
static double
draw_once (EveComponent *c, const View *v, const ViewScene *scene)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) scene->width_px,
                                                       (int) scene->height_px);
  cairo_t *cr = cairo_create (image);
  g_autoptr (GError) error = NULL;
  double begun = cpu_ms ();
  g_autoptr (Drawing) d = drawing_new (scene, cr, MARKS);
  bool drawn = v->build (c, scene, d, &error);
  double took = cpu_ms () - begun;

  cairo_destroy (cr);
  cairo_surface_destroy (image);
  return drawn ? took : -1;
}

static int
by_size (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *ms, size_t n)
{
  qsort (ms, n, sizeof *ms, by_size);
  return stats_quantile (ms, n, 0.5);
}

/* At random instants, each of them with other ranges of dates. */
static void
measure (Session *s, Travel *t, EveComponent *c, ViewScene scene)
{
  const View *v = view_get (c);
  GRand *r = g_rand_new_with_seed (7);
  double all = (double) (scene.source->last - scene.source->first), first[INSTANTS], then[INSTANTS * TIMES];

  for (int k = 0; k < INSTANTS; k++) {
    scene.at = scene.source->first + (int64_t) (all * (k == 0 ? 0.5 : g_rand_double (r)));
    travel_to_date (t, scene.at, NULL);
    scene.from = scene.source->first;
    scene.to = scene.source->last;
    first[k] = draw_once (c, v, &scene);
    for (int i = 0; i < TIMES; i++) {
      scene.from = scene.source->first + (int64_t) (all * g_rand_double_range (r, 0, 0.5));
      scene.to = scene.from + (int64_t) (all * g_rand_double_range (r, 0.01, 0.5));
      then[k * TIMES + i] = draw_once (c, v, &scene);
    }
  }
  double cold = first[0], at_another = median (first + 1, INSTANTS - 1), warm = median (then, G_N_ELEMENTS (then));
  printf ("| %s | %s | %.1f | %.1f | %.1f | %.1f |%s\n", strrchr (s->program_path, '/') + 1, eve_name (c), cold,
          at_another, warm, then[G_N_ELEMENTS (then) - 1], cold > COLD_MS || warm > WARM_MS ? " slow" : "");
  fflush (stdout);
  g_rand_free (r);
}

int
main (int argc, char **argv)
{
  g_autofree char *components = places_components ();
  ViewColours *colours = view_colours_load ();

  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  printf ("| program | view | cold | at another instant | warm | worst |\n|---|---|---|---|---|---|\n");
  for (int i = 2; i < argc; ++i) {
    g_auto (GStrv) of = g_strsplit (argv[i], ":", 2); /* the program, and the view that alone is looked at */
    Session *s = open_session (argv[1], of[0]);
    FilmOptions o = { .until = INT64_MAX, .strategy = strategy_default () };
    FilmStats stats = { 0 };
    g_autoptr (GError) error = NULL;
    uint64_t id, plan;

    if (!film_shoot (s, &o, &stats, &error))
      g_error ("%s", error->message);
    session_free (s);
    s = open_session (argv[1], of[0]);
    g_autofree char *home = film_folder (s, &id, &plan, NULL);
    TravelOptions to = { .film = stats.folder, .trace = id, .plan = plan };
    Travel *t = travel_new (s, &to);
    ViewScene scene = { .width_px = WIDTH,
                        .height_px = HEIGHT,
                        .scale = 1,
                        .source = s->source,
                        .graph = s->graph,
                        .film = stats.folder,
                        .colours = colours,
                        .bundle = s->source->path,
                        .event = UINT64_MAX };
    for (uint32_t k = 0; k < eve_n_components (s->program); ++k)
      if (session_view (eve_component (s->program, k))
          && (of[1] == NULL || strcmp (of[1], eve_name (eve_component (s->program, k))) == 0))
        measure (s, t, eve_component (s->program, k), scene);
    travel_free (t);
    session_free (s);
    g_free (stats.folder);
  }
  view_colours_free (colours);
  return 0;
}
