/* SPDX-License-Identifier: Apache-2.0 */
/* dense-test.c - what is put as pixels looks as cairo paints it, and stays where it may be. */
#include <cairo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "views/dense.h"

#define WIDTH 320
#define HEIGHT 200
#define SHAPES 300

enum { LINES, TRIANGLES, DISCS, COLUMNS, SPOTS, KINDS };

typedef struct Shapes {
  int kind;
  double x[SHAPES][3], y[SHAPES][3], alpha, width;
  uint32_t rgb;
} Shapes;

static void
make (Shapes *s, int kind)
{
  s->kind = kind;
  s->rgb = (uint32_t) g_test_rand_int_range (0, 1 << 24) & 0x7f7f7f; /* on white: rounding is little beside it */
  s->alpha = g_test_rand_double_range (0.3, 1);
  s->width = g_test_rand_double_range (1.5, 4);
  for (int i = 0; i < SHAPES; i++) {
    double x = kind == COLUMNS ? 10 + i : g_test_rand_double_range (0, WIDTH), y = g_test_rand_double_range (0, HEIGHT);
    double far = kind == LINES ? 120 : 12;
    for (int k = 0; k < 3; k++) {
      s->x[i][k] = x + (k > 0 ? g_test_rand_double_range (-far, far) : 0);
      s->y[i][k] = y + (k > 0 ? g_test_rand_double_range (-far, far) : 0);
    }
  }
}

/* Discs are alike; of spots some follow others of their size and some do not. */
static double
radius_of (const Shapes *s, int i)
{
  return s->kind == SPOTS && i % 40 < 20 ? s->width - i % 4 * 0.3 : s->width;
}

static void
by_cairo (const Shapes *s, cairo_t *cr)
{
  cairo_set_source_rgba (cr, (s->rgb >> 16 & 255) / 255.0, (s->rgb >> 8 & 255) / 255.0, (s->rgb & 255) / 255.0,
                         s->alpha);
  cairo_set_line_width (cr, s->width);
  for (int i = 0; i < SHAPES; i++) {
    const double *x = s->x[i], *y = s->y[i];
    if (s->kind == COLUMNS) {
      if (y[1] > y[0])
        cairo_rectangle (cr, x[0], y[0], 1, y[1] - y[0]);
      continue;
    }
    if (s->kind == DISCS || s->kind == SPOTS) {
      cairo_new_sub_path (cr);
      cairo_arc (cr, x[0], y[0], radius_of (s, i), 0, 2 * G_PI);
      if (s->kind == SPOTS)
        cairo_fill (cr);
      continue;
    }
    bool turn = s->kind == TRIANGLES && (x[1] - x[0]) * (y[2] - y[0]) < (y[1] - y[0]) * (x[2] - x[0]);
    cairo_move_to (cr, x[0], y[0]);
    cairo_line_to (cr, x[turn ? 2 : 1], y[turn ? 2 : 1]);
    if (s->kind == TRIANGLES) /* all turn the same way: where two lie on each other nothing is taken away */
      cairo_line_to (cr, x[turn ? 1 : 2], y[turn ? 1 : 2]);
  }
  if (s->kind == LINES)
    cairo_stroke (cr);
  else
    cairo_fill (cr);
}

static void
by_dense (const Shapes *s, cairo_t *cr)
{
  float top[SHAPES], bottom[SHAPES];
  Dense d;

  g_assert_true (dense_begin (&d, cr));
  dense_colour (&d, s->rgb, s->alpha);
  for (int i = 0; i < SHAPES; i++) {
    top[i] = (float) s->y[i][0];
    bottom[i] = (float) s->y[i][1];
    if (s->kind == LINES)
      dense_line (&d, s->x[i][0], s->y[i][0], s->x[i][1], s->y[i][1], s->width);
    else if (s->kind == TRIANGLES)
      dense_triangle (&d, s->x[i], s->y[i]);
    else if (s->kind == DISCS)
      dense_disc (&d, s->x[i][0], s->y[i][0], s->width);
    else if (s->kind == SPOTS)
      dense_spot (&d, s->x[i][0], s->y[i][0], radius_of (s, i), s->rgb, s->alpha);
  }
  if (s->kind == COLUMNS)
    dense_columns (&d, s->x[0][0], SHAPES, top, bottom);
  dense_end (&d);
}

static cairo_surface_t *
picture (const Shapes *s, double scale, bool dense)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (WIDTH * scale),
                                                       (int) (HEIGHT * scale));
  cairo_t *cr = cairo_create (image);

  cairo_scale (cr, scale, scale);
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  cairo_rectangle (cr, 20, 10, WIDTH - 50, HEIGHT - 30);
  cairo_clip (cr);
  (dense ? by_dense : by_cairo) (s, cr);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  return image;
}

/* Edges differ a little, and the ends of lines; never the inside of what is painted, nor what is outside of the clip.
 */
static void
compare (const Shapes *s, double scale)
{
  cairo_surface_t *a = picture (s, scale, false), *b = picture (s, scale, true);
  int width = cairo_image_surface_get_width (a), height = cairo_image_surface_get_height (a);
  double away = 0, ink[2] = { 0 };

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width * 4; x++) {
      uint8_t p = cairo_image_surface_get_data (a)[y * cairo_image_surface_get_stride (a) + x],
              q = cairo_image_surface_get_data (b)[y * cairo_image_surface_get_stride (b) + x];
      bool outside = x / 4 < 20 * scale || x / 4 >= (WIDTH - 30) * scale || y < 10 * scale
                     || y >= (HEIGHT - 20) * scale;
      if (x % 4 == 3) /* nothing: there is no alpha */
        continue;
      g_assert_true (!outside || p == q);
      away += abs (p - q);
      ink[0] += 255 - p;
      ink[1] += 255 - q;
    }
  g_test_message ("kind %d, scale %g: %.2f of 255 apart, ink %.0f and %.0f", s->kind, scale,
                  away / (3.0 * width * height), ink[0], ink[1]);
  g_assert_cmpfloat (away / (3.0 * width * height), <, 4);
  g_assert_cmpfloat (fabs (ink[1] - ink[0]), <, 0.08 * ink[0] + 1);
  cairo_surface_destroy (a);
  cairo_surface_destroy (b);
}

static void
test_alike (void)
{
  for (int kind = 0; kind < KINDS; kind++)
    for (double scale = 1; scale <= 2; scale++) {
      Shapes s;
      make (&s, kind);
      compare (&s, scale);
    }
}

/* One of half its colour, twice in one place, is as dark as once. */
static void
test_once (void)
{
  cairo_surface_t *image[2];

  for (int n = 1; n <= 2; n++) {
    image[n - 1] = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    cairo_t *cr = cairo_create (image[n - 1]);
    Dense d;
    g_assert_true (dense_begin (&d, cr));
    dense_colour (&d, 0xffffff, 0.5);
    for (int i = 0; i < n; i++)
      dense_line (&d, 10, 20, 250, 131, 3);
    dense_end (&d);
    cairo_destroy (cr);
  }
  g_assert_cmpmem (cairo_image_surface_get_data (image[0]), WIDTH * 4 * HEIGHT, cairo_image_surface_get_data (image[1]),
                   WIDTH * 4 * HEIGHT);
  /* more colours than a byte counts: none is taken for an earlier one */
  cairo_t *cr = cairo_create (image[0]);
  Dense d;
  g_assert_true (dense_begin (&d, cr));
  for (uint32_t i = 0; i < 600; i++) {
    dense_colour (&d, i, 1);
    dense_line (&d, 40, 100, 60, 100, 4);
    g_assert_cmphex (((uint32_t *) (void *) cairo_image_surface_get_data (image[0]))[100 * WIDTH + 50] & 0xffffff, ==,
                     i);
  }
  dense_end (&d);
  cairo_destroy (cr);
  cairo_surface_destroy (image[0]);
  cairo_surface_destroy (image[1]);
}

/* What cairo has to paint itself, and shapes that are nowhere near. */
static void
test_refused (void)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  Dense d;

  cairo_save (cr);
  cairo_rotate (cr, 0.3);
  g_assert_false (dense_begin (&d, cr));
  cairo_restore (cr);
  cairo_save (cr);
  cairo_arc (cr, 50, 50, 30, 0, 6);
  cairo_clip (cr);
  g_assert_false (dense_begin (&d, cr));
  cairo_restore (cr);
  g_assert_true (dense_begin (&d, cr));
  dense_colour (&d, 0xffffff, 1);
  dense_line (&d, -1e12, -1e12, 1e12, 1e12, 2);
  dense_line (&d, NAN, 0, 10, NAN, 2);
  dense_disc (&d, 1e300, -1e300, 3);
  dense_disc (&d, NAN, 1, 3);
  dense_triangle (&d, (double[]){ -1e9, 1e9, 0 }, (double[]){ -1e9, -1e9, -5 });
  dense_dashes (&d, 0, 0, INFINITY, 3, 1, 4);
  dense_columns (&d, -20, 3, (float[]){ -1e30f, NAN, 5 }, (float[]){ 1e30f, 3, NAN });
  dense_end (&d);
  cairo_destroy (cr);
  cairo_surface_destroy (image);
}

/* Columns that are not smoothed: an edge may be off by a pixel where cairo rounds the height by itself. */
static void
test_sharp (void)
{
  enum { N = 140 };

  for (int turn = 0; turn < 20; turn++) {
    double scale = 1 + turn % 2, left = g_test_rand_int_range (-20, 20), by = g_test_rand_double_range (-3, 3);
    uint32_t rgb = (uint32_t) g_test_rand_int_range (0, 1 << 24), off = 0;
    float top[N], bottom[N];
    cairo_surface_t *image[2];
    for (int i = 0; i < N; i++) {
      top[i] = (float) g_test_rand_double_range (-20, HEIGHT);
      bottom[i] = top[i] + (float) g_test_rand_double_range (-2, 40);
    }
    for (int k = 0; k < 2; k++) {
      image[k] = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (image[k]);
      Dense d;
      cairo_scale (cr, scale, scale);
      cairo_translate (cr, 0, by);
      cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
      cairo_set_source_rgb (cr, (rgb >> 16) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
      if (k == 0) {
        g_assert_true (dense_begin (&d, cr));
        dense_colour (&d, rgb, 1);
        dense_sharp_columns (&d, left, N, top, bottom);
        dense_sharp_columns (&d, 5, 2, (float[]){ NAN, -1e30f }, (float[]){ NAN, NAN }); /* nowhere */
        dense_end (&d);
      }
      for (int i = 0; k == 1 && i < N; i++) {
        if (top[i] < bottom[i])
          cairo_rectangle (cr, left + i, (double) top[i], 1, (double) (bottom[i] - top[i]));
        cairo_fill (cr);
      }
      cairo_destroy (cr);
      cairo_surface_flush (image[k]);
    }
    for (int x = 0; x < WIDTH; x++) {
      uint32_t here = 0;
      for (int y = 0; y < HEIGHT; y++) {
        const uint32_t *row[2];
        for (int k = 0; k < 2; k++)
          row[k] = (const uint32_t *) (const void *) (cairo_image_surface_get_data (image[k])
                                                      + (ptrdiff_t) y * cairo_image_surface_get_stride (image[k]));
        here += ((row[0][x] ^ row[1][x]) & 0xffffff) != 0;
      }
      g_assert_cmpuint (here, <=, 2);
      off += here;
    }
    g_assert_cmpuint (off, <=, WIDTH / 10);
    cairo_surface_destroy (image[0]);
    cairo_surface_destroy (image[1]);
  }
}

/* ---- by all processors ---------------------------------------------------------------------------------- */

#define TALL 500    /* several bands */
#define COLOURS 300 /* more than a byte counts */

typedef struct Crowd {
  int kind[COLOURS * 4];
  double x[COLOURS * 4][3], y[COLOURS * 4][3], width[COLOURS], alpha[COLOURS];
  uint32_t rgb[COLOURS];
} Crowd;

static double
somewhere (double size)
{
  return g_test_rand_int_range (0, 12) == 0 ? g_test_rand_double_range (-1e7, 1e7)
                                            : g_test_rand_double_range (-size / 4, size * 1.25);
}

static void
make_crowd (Crowd *c)
{
  for (int k = 0; k < COLOURS; k++) {
    c->rgb[k] = (uint32_t) g_test_rand_int_range (0, 1 << 24);
    c->alpha[k] = g_test_rand_double_range (0.1, 1.1);
    c->width[k] = g_test_rand_double_range (0.2, 9);
  }
  for (int i = 0; i < COLOURS * 4; i++) {
    c->kind[i] = g_test_rand_int_range (0, 3);
    for (int k = 0; k < 3; k++) {
      c->x[i][k] = somewhere (WIDTH);
      c->y[i][k] = k > 0 && g_test_rand_int_range (0, 5) == 0 ? c->y[i][0] : somewhere (TALL); /* some lie flat */
    }
    if (c->kind[i] == 1) /* dashes are for what is near */
      for (int k = 0; k < 3; k++)
        c->x[i][k] = CLAMP (c->x[i][k], -500, 1000), c->y[i][k] = CLAMP (c->y[i][k], -500, 1000);
  }
}

static void
draw_crowd (const Crowd *c, cairo_t *cr, bool gathered)
{
  Dense d;

  g_assert_true (dense_begin (&d, cr));
  if (gathered)
    dense_gather (&d);
  for (int i = 0; i < COLOURS * 4; i++) {
    const double *x = c->x[i], *y = c->y[i];
    int of = i / 4;
    if (i % 4 == 0)
      dense_colour (&d, c->rgb[of], c->alpha[of]);
    if (c->kind[i] == 0)
      dense_line (&d, x[0], y[0], x[1], y[1], c->width[of]);
    else if (c->kind[i] == 1)
      dense_dashes (&d, x[0], y[0], x[1], y[1], c->width[of], 4);
    else
      dense_triangle (&d, x, y);
  }
  dense_end (&d);
}

static void
discs_of_crowd (void *arg, cairo_t *cr)
{
  const Crowd *c = arg;

  for (int i = 0; i < COLOURS * 4; i++) {
    int of = i / 4;
    cairo_set_source_rgba (cr, (c->rgb[of] >> 16 & 255) / 255.0, (c->rgb[of] >> 8 & 255) / 255.0,
                           (c->rgb[of] & 255) / 255.0, c->alpha[of]);
    cairo_new_path (cr);
    cairo_arc (cr, c->x[i][0], c->y[i][0], 3 * c->width[of], 0, c->kind[i] == 0 ? 3.5 : 2 * G_PI);
    cairo_set_line_width (cr, c->width[of]);
    if (c->kind[i] == 1)
      cairo_stroke (cr);
    else
      cairo_fill (cr);
  }
}

enum { ONE_BY_ONE, GATHERED, BY_CAIRO, BY_BANDS, WAYS };

static cairo_surface_t *
crowd_picture (Crowd *c, int way, double scale, bool clipped)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, TALL);
  cairo_surface_set_device_scale (image, scale, scale);
  cairo_surface_set_device_offset (image, 3 * clipped, -7 * clipped);
  cairo_t *cr = cairo_create (image);

  cairo_set_source_rgb (cr, 0.9, 0.8, 1);
  cairo_paint (cr);
  cairo_translate (cr, 0.3, 11.7 * clipped);
  if (clipped) {
    cairo_rectangle (cr, 20.7, 17.3, WIDTH / 2, TALL - 30);
    cairo_clip (cr);
  }
  if (way == BY_CAIRO)
    discs_of_crowd (c, cr);
  else if (way == BY_BANDS)
    dense_bands (cr, discs_of_crowd, c);
  else
    draw_crowd (c, cr, way == GATHERED);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  return image;
}

/* By all processors each pixel is what it is by one. */
static void
test_together (void)
{
  g_autofree Crowd *c = g_new (Crowd, 1);

  for (int turn = 0; turn < 8; turn++) {
    double scale = 1 + turn / 2 % 2;
    cairo_surface_t *image[WAYS];
    make_crowd (c);
    for (int way = 0; way < WAYS; way++)
      image[way] = crowd_picture (c, way, scale, turn % 2 != 0);
    for (int way = 0; way < WAYS; way += 2)
      g_assert_cmpmem (cairo_image_surface_get_data (image[way]), WIDTH * 4 * TALL,
                       cairo_image_surface_get_data (image[way + 1]), WIDTH * 4 * TALL);
    g_assert_cmpint (
        memcmp (cairo_image_surface_get_data (image[0]), cairo_image_surface_get_data (image[2]), WIDTH * 4 * TALL), !=,
        0);
    for (int way = 0; way < WAYS; way++)
      cairo_surface_destroy (image[way]);
  }
}

/* Where there are no pixels cairo paints all of it, once. */
static void
count_calls (void *arg, cairo_t *cr)
{
  ++*(int *) arg;
}

static void
test_no_bands (void)
{
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDTH, TALL);
  cairo_t *cr = cairo_create (image);
  int calls = 0;

  cairo_rotate (cr, 0.3);
  dense_bands (cr, count_calls, &calls);
  g_assert_cmpint (calls, ==, 1);
  g_assert_cmpint (cairo_status (cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_destroy (cr);
  cairo_surface_destroy (image);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dense/as cairo", test_alike);
  g_test_add_func ("/dense/once", test_once);
  g_test_add_func ("/dense/sharp", test_sharp);
  g_test_add_func ("/dense/refused", test_refused);
  g_test_add_func ("/dense/together", test_together);
  g_test_add_func ("/dense/no bands", test_no_bands);
  return g_test_run ();
}
