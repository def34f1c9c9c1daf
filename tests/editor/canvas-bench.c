/* SPDX-License-Identifier: Apache-2.0 */
/* Milliseconds of processor time that a frame of the canvas takes, drawn onto an image:
 *     canvas-bench [BOXES [PICTURE.png [dark]]]
 * With `check` as only argument it is a test: the median frame of 200 boxes, all of which move, stays below 1/60 s (six
 * times that, for sanitizers and slow machines). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "editor/paint.h"
#include "statistics/quantile.h"
#include "tests/unit/boxes.h"

#define FRAMES 60

static EveProgram *
make (int n)
{
  static const EveClass *const classes[] = { &box_source, &box_pass, &box_hold, &box_add, &box_any, &box_sink };
  EveProgram *p = eve_program_new ();
  GRand *r = g_rand_new_with_seed (1);
  EveComponent **all = g_new (EveComponent *, (gsize) n);
  int across = (int) ceil (sqrt (n * 0.6));
  boxes_register ();
  for (int i = 0; i < n; i++) {
    int kind = i % across == 0 ? 0 : i % across == across - 1 ? 5 : 1 + i % 4;
    all[i] = eve_add (p, classes[kind], NULL, NULL);
    eve_set_position (all[i], i % across * 200, i / across * 112);
  }
  for (int i = 0; i < 40 * n; i++) {
    EveComponent *a = all[g_rand_int_range (r, 0, n)], *b = all[g_rand_int_range (r, 0, n)];
    double ax, ay, bx, by;
    eve_position (a, &ax, &ay);
    eve_position (b, &bx, &by);
    const EveClass *k = eve_class (b);
    uint32_t in = k->n_ins ? (uint32_t) g_rand_int_range (r, 0, (gint32) k->n_ins) : 0;
    if (eve_class (a)->n_outs && k->n_ins && bx > ax && fabs (ay - by) < 300
        && !eve_in_connected (eve_base (b)->in[in]))
      eve_connect (p, a, eve_class (a)->outs[0].name, b, k->ins[in].name, NULL);
  }
  g_rand_free (r);
  g_free (all);
  return p;
}

/* Of this process: what else the machine does is not counted. */
static double
now_ms (void)
{
  struct timespec t;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double) t.tv_sec * 1e3 + (double) t.tv_nsec / 1e6;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

typedef void (*Change) (Sketch *s, PaintView *v, int frame);

static void
all_move (Sketch *s, PaintView *v, int frame)
{
  for (guint i = 0; i < s->boxes->len; i++)
    sketch_move_box (s->boxes->pdata[i], frame % 2 ? 3 : -3, frame % 3 - 1);
  sketch_place (s);
}

static void
one_moves (Sketch *s, PaintView *v, int frame)
{
  sketch_move_box (s->boxes->pdata[frame % (int) s->boxes->len], 5, 3);
  sketch_place (s);
}

static void
pans (Sketch *s, PaintView *v, int frame)
{
  v->x += frame < FRAMES / 2 ? 7 : -7;
}

static void
zooms (Sketch *s, PaintView *v, int frame)
{
  v->zoom *= frame < FRAMES / 2 ? 1.02 : 1 / 1.02;
}

static void
statuses_change (Sketch *s, PaintView *v, int frame)
{
  for (guint i = 0; i < s->boxes->len; i += 10)
    g_snprintf (((SketchBox *) s->boxes->pdata[i])->status, 64, "%d events", frame * 1234);
}

static double
measure (Sketch *s, PaintView *v, Change change, const char *what, double *worst)
{
  double ms[FRAMES];
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (v->width * v->scale),
                                                       (int) (v->height * v->scale));
  cairo_surface_set_device_scale (image, v->scale, v->scale);
  for (int i = -2; i < FRAMES; i++) {
    double before = now_ms ();
    cairo_t *cr = cairo_create (image);
    if (i >= 0)
      change (s, v, i);
    v->budget_ms = i < 0 ? 0 : 4;
    paint_sketch (s, v, cr);
    paint_minimap (s, v, cr);
    cairo_destroy (cr);
    if (i >= 0)
      ms[i] = now_ms () - before;
  }
  cairo_surface_destroy (image);
  qsort (ms, FRAMES, sizeof *ms, compare);
  double median = stats_quantile (ms, FRAMES, 0.5);
  printf ("%-28s median %6.2f ms   worst %6.2f ms\n", what, median, ms[FRAMES - 1]);
  *worst = ms[FRAMES - 1];
  return median;
}

int
main (int argc, char **argv)
{
  bool check = argc > 1 && !strcmp (argv[1], "check");
  int n = argc > 1 && !check ? MAX (atoi (argv[1]), 1) : 200;
  EveProgram *p = make (n);
  Sketch *s = sketch_new ("Sans");
  double before = now_ms ();
  sketch_build (s, p);
  double first = now_ms () - before;
  before = now_ms ();
  sketch_build (s, p);
  printf ("%u boxes, %u wires; laid out in %.2f ms, again in %.2f ms\n", s->boxes->len, s->wires->len, first,
          now_ms () - before);
  cairo_rectangle_t all;
  sketch_bounds (s, &all);
  PaintView v = { .width = 1400, .height = 900, .scale = 1, .text = 1, .dark = argc > 3 };
  v.zoom = MIN (MIN ((v.width - 40) / all.width, (v.height - 40) / all.height), 1);
  v.x = all.x - 20 / v.zoom;
  v.y = all.y - 20 / v.zoom;
  double worst, median = measure (s, &v, all_move, "all boxes move, all in sight", &worst);
  if (check)
    goto done;
  measure (s, &v, one_moves, "one box moves", &worst);
  measure (s, &v, pans, "panned", &worst);
  measure (s, &v, zooms, "zoomed", &worst);
  measure (s, &v, statuses_change, "a tenth say something new", &worst);
  v.zoom = 1;
  measure (s, &v, all_move, "all move, zoom 1", &worst);
  v.scale = 2;
  measure (s, &v, all_move, "all move, zoom 1, 2x", &worst);
  if (argc > 2) {
    cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, 2800, 1800);
    cairo_surface_set_device_scale (image, 2, 2);
    cairo_t *cr = cairo_create (image);
    paint_sketch (s, &v, cr);
    paint_minimap (s, &v, cr);
    cairo_destroy (cr);
    cairo_surface_write_to_png (image, argv[2]);
    cairo_surface_destroy (image);
  }
done:
  sketch_free (s);
  eve_program_free (p);
  if (check && median > 6 * 1000 / 60.0) {
    printf ("A frame takes %.1f ms: 200 boxes would not move at 60 frames a second on a machine of its own.\n", median);
    return 1;
  }
  return 0;
}
