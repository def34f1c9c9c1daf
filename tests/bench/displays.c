/* SPDX-License-Identifier: Apache-2.0 */
/* displays.c - what each view of a program costs from a finished film, 1600 x 1000: the first picture, which opens what
 * it needs, and pictures after it at other instants and ranges; and what all views of a program cost together while the
 * cursor is dragged or the range of dates brushed.  Of the time of the clock and that of all processors together the
 * smaller: a busy machine says nearly the same, most of all at real-time priority (chrt -f 5).
 *
 *     displays [OPTION]... TRACE PROGRAM[:VIEW]...
 *
 *     --few         fewer pictures, for who counts instructions: valgrind --tool=callgrind --collect-atstart=no
 *                   --toggle-collect=measured --dump-after=measured makes a file for each of them (displays.py)
 *     --times N     so many pictures of one instant, for who samples where they spend their time
 *     --together    the views of each program all at once, in one window of 1600 x 1000
 *     --groups H    a new grouping of the tasks by the hierarchy H, and the first picture with it
 *     --sums FILE   a line with the checksum of each picture, to be compared with those of another build */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "session/cut.h"
#include "session/film.h"
#include "session/places.h"
#include "session/travel.h"
#include "statistics/quantile.h"
#include "views/drawing.h"

#define WIDTH 1600
#define HEIGHT 1000
#define MANY 100000 /* tasks: from here on */
#define COLD_MS 60
#define COLD_MANY_MS 150
#define WARM_MS 16
#define CURSOR_MS 16
#define BRUSH_MS 33
#define GROUPING_MS 100
#define INSTANTS 5
#define TIMES 8    /* pictures of one instant, if nothing else is said */
#define FRAMES 60  /* of all views together */
#define MARKS 4000 /* as the window keeps */

static bool few, together;
static int n_times;
static const char *hierarchy;
static FILE *sums;

/* Milliseconds: of the clock, and of all processors together. */
typedef struct Moment {
  double wall, cpu;
} Moment;

static double
ms_of (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static Moment
now (void)
{
  return (Moment){ ms_of (CLOCK_MONOTONIC), ms_of (CLOCK_PROCESS_CPUTIME_ID) };
}

static double cpu; /* of what since() told last: all threads */

/* What a person would have waited for it, had nothing else been running, is at most the smaller of the two: where
 * several threads work it is the clock, where other processes do it is the processor. */
static double
since (Moment begun)
{
  Moment is = now ();

  cpu = is.cpu - begun.cpu;
  return MIN (cpu, is.wall - begun.wall);
}

static Session *
open_session (const char *trace, const char *program)
{
  g_autoptr (GError) error = NULL;
  SessionOptions o = { .trace = trace, .program = program };
  Session *s = session_open (&o, &error);
  if (!s)
    g_error ("%s", error->message);
  return s;
}

/* What is counted. */
static __attribute__ ((noinline)) bool
measured (EveComponent *c, const View *v, const ViewScene *scene, Drawing *d, cairo_t *cursor, GError **error)
{
  if (!cursor)
    return view_build (c, v, scene, d, error);
  v->draw_cursor (c, scene, cursor, NULL);
  return true;
}

static void
sum_up (EveComponent *c, cairo_surface_t *image, const char *problem)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);

  if (!sums)
    return;
  cairo_surface_flush (image);
  g_checksum_update (sum, cairo_image_surface_get_data (image),
                     (gssize) cairo_image_surface_get_stride (image) * cairo_image_surface_get_height (image));
  fprintf (sums, "%s %s %s\n", eve_name (c), problem ? problem : "drawn", g_checksum_get_string (sum));
  fflush (sums);
}

/* Milliseconds; < 0: the view has nothing to show.  `cursor`: that alone. */
static double
draw_once (Session *s, EveComponent *c, const View *v, ViewScene scene, bool cursor)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) scene.width_px, (int) scene.height_px);
  cairo_t *cr = cairo_create (image);
  g_autoptr (GError) error = NULL;

  session_scene (s, c, &scene, NULL);
  Moment begun = now ();
  g_autoptr (Drawing) d = drawing_new (&scene, cr, MARKS);
  bool drawn = measured (c, v, &scene, d, cursor ? cr : NULL, &error);
  double took = since (begun);

  sum_up (c, image, error ? error->message : NULL);
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

static bool
has_cursor (EveComponent *c, const View *v, const ViewScene *scene)
{
  return v->draw_cursor != NULL && !((v->depends ? v->depends (c, scene) : ~0u) & VIEW_ON_INSTANT);
}

static const char *
file_name (const Session *s)
{
  return strrchr (s->program_path, '/') + 1;
}

/* At random instants, each of them with other ranges of dates. */
static void
measure (Session *s, Travel *t, EveComponent *c, ViewScene scene)
{
  const View *v = view_get (c);
  GRand *r = g_rand_new_with_seed (7);
  int instants = few ? 2 : INSTANTS, times = few ? 2 : n_times > 0 ? n_times : TIMES;
  double all = (double) (scene.source->last - scene.source->first), first[INSTANTS];
  g_autofree double *then = g_new (double, (size_t) (instants * times)),
                    *then_cpu = g_new (double, (size_t) (instants * times));

  for (int k = 0; k < instants; k++) {
    scene.at = scene.source->first + (int64_t) (all * (k == 0 ? 0.5 : g_rand_double (r)));
    travel_to_date (t, scene.at, NULL);
    scene.from = scene.source->first;
    scene.to = scene.source->last;
    first[k] = draw_once (s, c, v, scene, false);
    for (int i = 0; i < times; i++) {
      scene.from = scene.source->first + (int64_t) (all * g_rand_double_range (r, 0, 0.5));
      scene.to = scene.from + (int64_t) (all * g_rand_double_range (r, 0.01, 0.5));
      then[k * times + i] = draw_once (s, c, v, scene, false);
      then_cpu[k * times + i] = cpu;
    }
  }
  size_t n = (size_t) (instants * times);
  double cold = first[0], at_another = median (first + 1, (size_t) instants - 1), warm = median (then, n);
  double most = scene.source->tasks->len >= MANY ? COLD_MANY_MS : COLD_MS;
  printf ("| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f |%s\n", file_name (s), eve_name (c), cold, at_another, warm,
          then[n - 1], median (then_cpu, n), cold > most || warm > WARM_MS || at_another > WARM_MS ? " slow" : "");
  fflush (stdout);
  g_rand_free (r);
}

/* All views of the program, in a window that they share; `brush`: those of a range of dates, each frame another one,
 * else the cursor at another instant. */
static void
measure_together (Session *s, Travel *t, ViewScene scene, bool brush)
{
  double all = (double) (scene.source->last - scene.source->first), frame[FRAMES], travelled[FRAMES];
  g_autoptr (GPtrArray) views = g_ptr_array_new ();
  int frames = few ? 4 : FRAMES;
  g_autofree double *alone = NULL; /* of each view, frame by frame */

  for (uint32_t k = 0; k < eve_n_components (s->program); ++k) {
    EveComponent *c = eve_component (s->program, k);
    const View *v = session_view (c);
    if (v && (!brush || (v->depends && v->depends (c, &scene) & VIEW_ON_RANGE)))
      g_ptr_array_add (views, c);
  }
  guint across = views->len > 6 ? 4 : 3, down = (views->len + across - 1) / MAX (across, 1);
  if (views->len == 0)
    return;
  scene.width_px = WIDTH / across;
  scene.height_px = HEIGHT / down;
  alone = g_new0 (double, (size_t) views->len *FRAMES);
  for (int f = -1; f < frames; ++f) { /* the first one opens what is needed */
    double part = (f + 1.5) / (frames + 1), took = 0;
    Moment begun = now ();
    int64_t at = scene.source->first + (int64_t) (all * (brush ? 0.5 : part));
    if (!brush || f < 0)
      travel_to_date (t, at, NULL);
    if (f >= 0)
      travelled[f] = since (begun);
    scene.from = scene.source->first + (int64_t) (brush ? all * part * 0.5 : 0);
    scene.to = scene.source->last - (int64_t) (brush ? all * part * 0.4 : 0);
    for (guint k = 0; k < views->len; ++k) {
      EveComponent *c = views->pdata[k];
      const View *v = view_get (c);
      scene.at = at;
      bool cursor = !brush && f >= 0 && has_cursor (c, v, &scene);
      if (has_cursor (c, v, &scene) && !cursor)
        scene.at = INT64_MIN;
      double of_it = MAX (draw_once (s, c, v, scene, cursor), 0);
      took += of_it;
      if (f >= 0)
        alone[k * FRAMES + (guint) f] = of_it;
    }
    if (f >= 0)
      frame[f] = took;
  }
  double middle = median (frame, (size_t) frames);
  printf ("| %s | %s, %u views | | %.1f | %.1f | %.1f |%s\n", file_name (s), brush ? "brushing" : "cursor", views->len,
          median (travelled, (size_t) frames), middle, frame[frames - 1],
          middle > (brush ? BRUSH_MS : CURSOR_MS) ? " slow" : "");
  for (guint k = 0; k < views->len; ++k) {
    double *of_it = &alone[k * FRAMES], one = median (of_it, (size_t) frames);
    printf ("| | %s | | | %.1f | %.1f |\n", eve_name (views->pdata[k]), one, of_it[frames - 1]);
  }
  fflush (stdout);
}

/* The groups, and the picture that is the first with them. */
static void
measure_groups (Session *s, EveComponent *c, ViewScene scene)
{
  g_autofree char *cut = g_strdup_printf ("by %s\n", hierarchy);
  const View *v = view_get (c);
  double alone = draw_once (s, c, v, scene, false);
  Moment begun = now ();

  session_set_cut (s, cut);
  session_scene (s, c, &scene, NULL);
  double made = since (begun), first = draw_once (s, c, v, scene, false), then = draw_once (s, c, v, scene, false);
  printf ("| %s | %s, by %s (%s; %.1f without) | %.1f | %.1f | %.1f | |%s\n", file_name (s), eve_name (c), hierarchy,
          scene.groups ? "made" : session_cut_problem (s), alone, made, first, then,
          made + first > GROUPING_MS ? " slow" : "");
  session_set_cut (s, NULL);
}

static void
measure_program (const char *trace, const char *program, const char *only)
{
  FilmOptions o = { .until = INT64_MAX, .strategy = strategy_default () };
  ViewColours *colours = view_colours_load ();
  FilmStats stats = { 0 };
  g_autoptr (GError) error = NULL;
  uint64_t id, plan;
  Session *s = open_session (trace, program);

  if (!film_shoot (s, &o, &stats, &error))
    g_error ("%s", error->message);
  session_free (s);
  s = open_session (trace, program);
  g_autofree char *home = film_folder (s, &id, &plan, NULL);
  TravelOptions to = { .film = stats.folder, .trace = id, .plan = plan };
  Travel *t = travel_new (s, &to);
  ViewScene scene = { .width_px = WIDTH,
                      .height_px = HEIGHT,
                      .scale = 1,
                      .from = 1,
                      .at = s->source->first,
                      .source = s->source,
                      .graph = s->graph,
                      .film = stats.folder,
                      .colours = colours,
                      .bundle = s->source->path,
                      .event = UINT64_MAX };
  for (int brush = 0; together && brush <= 1; ++brush)
    measure_together (s, t, scene, brush);
  for (uint32_t k = 0; !together && k < eve_n_components (s->program); ++k) {
    EveComponent *c = eve_component (s->program, k);
    if (!session_view (c) || (only && strcmp (only, eve_name (c)) != 0))
      continue;
    if (hierarchy)
      measure_groups (s, c, scene);
    else
      measure (s, t, c, scene);
  }
  view_colours_free (colours);
  travel_free (t);
  session_free (s);
  g_free (stats.folder);
}

/* What the first picture of a process loads, whatever it is of: cairo, Pango, fonts. */
static void
warm_up (void)
{
  ViewScene scene = { .width_px = 100, .height_px = 100, .scale = 1 };
  Paint p;
  Moment begun = now ();

  paint_measure (&p, &scene);
  paint_text_width (&p, PAINT_TEXT, "Tasks 0123");
  paint_text_width (&p, PAINT_TEXT | PAINT_BOLD, "Tasks 0123");
  paint_end (&p);
  printf ("what paints, loaded once a process: %.1f ms\n\n", since (begun));
}

int
main (int argc, char **argv)
{
  g_autofree char *components = places_components (), *sums_path = NULL, *by = NULL;
  const GOptionEntry options[] = { { "few", 0, 0, G_OPTION_ARG_NONE, &few, NULL, NULL },
                                   { "times", 0, 0, G_OPTION_ARG_INT, &n_times, NULL, NULL },
                                   { "together", 0, 0, G_OPTION_ARG_NONE, &together, NULL, NULL },
                                   { "groups", 0, 0, G_OPTION_ARG_STRING, &by, NULL, NULL },
                                   { "sums", 0, 0, G_OPTION_ARG_FILENAME, &sums_path, NULL, NULL },
                                   { NULL } };
  g_autoptr (GOptionContext) context = g_option_context_new ("TRACE PROGRAM[:VIEW]...");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  hierarchy = by;
  sums = sums_path ? fopen (sums_path, "w") : NULL;
  eve_registry_add_folder (components);
  eve_registry_load_all (NULL);
  warm_up ();
  printf ("| program | view | %s |\n|---|---|---|---|---|---|%s\n",
          hierarchy  ? "groups made | first picture | next |"
          : together ? " | travel | frame | worst"
                     : "cold | at another instant | warm | worst | warm, processor",
          hierarchy || together ? "" : "---|");
  for (int i = 2; i < argc; ++i) {
    g_auto (GStrv) of = g_strsplit (argv[i], ":", 2); /* the program, and the view that alone is looked at */
    measure_program (argv[1], of[0], of[1]);
  }
  if (sums)
    fclose (sums);
  return 0;
}
