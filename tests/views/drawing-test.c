/* SPDX-License-Identifier: Apache-2.0 */
/* drawing-test.c - marks against looking at every pixel and every shape a second way, what stands out, and what a view
 * without functions of its own answers. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "views/drawing.h"

#define WIDE 200
#define HIGH 150

static ViewScene scene = { .width_px = WIDE, .height_px = HIGH, .scale = 1, .from = 1, .event = UINT64_MAX };

typedef struct Shape { /* as it was drawn, for the second way */
  DrawingShape kind;
  double p[6], points[8];
  guint n;
} Shape;

static double
off_segment (double x, double y, const double *a, const double *b)
{
  double least = INFINITY;

  for (int i = 0; i <= 2000; i++) /* walked along, rather than solved */
    least = fmin (least, hypot (a[0] + (b[0] - a[0]) * i / 2000 - x, a[1] + (b[1] - a[1]) * i / 2000 - y));
  return least;
}

/* 1: inside, 0: outside, -1: so near the border that either is right. */
static int
is_inside (const Shape *s, double x, double y)
{
  double r, off = INFINITY, angle, turned;

  switch (s->kind) {
  case DRAWING_RECT:
    return x >= s->p[0] && y >= s->p[1] && x < s->p[0] + s->p[2] && y < s->p[1] + s->p[3];
  case DRAWING_DISC:
    r = sqrt (pow (x - s->p[0], 2) + pow (y - s->p[1], 2));
    return fabs (r - s->p[2]) < 1e-9 ? -1 : r < s->p[2];
  case DRAWING_SECTOR:
    r = hypot (x - s->p[0], y - s->p[1]);
    angle = atan2 (y - s->p[1], x - s->p[0]);
    turned = fmod (angle - s->p[4] + 8 * G_PI, 2 * G_PI);
    if (fabs (r - s->p[2]) < 1e-9 || fabs (r - s->p[3]) < 1e-9 || fabs (turned - (s->p[5] - s->p[4])) < 1e-9)
      return -1;
    return r > s->p[2] && r < s->p[3] && turned < s->p[5] - s->p[4];
  default:
    for (guint i = 1; i < s->n; i++)
      off = fmin (off, off_segment (x, y, s->points + 2 * i - 2, s->points + 2 * i));
    return fabs (off - s->p[0]) < 0.2 ? -1 : off < s->p[0];
  }
}

static double
size_of (const Shape *s)
{
  double length = 0;

  switch (s->kind) {
  case DRAWING_RECT:
    return s->p[2] * s->p[3];
  case DRAWING_DISC:
    return G_PI * s->p[2] * s->p[2];
  case DRAWING_SECTOR:
    return (s->p[3] * s->p[3] - s->p[2] * s->p[2]) * (s->p[5] - s->p[4]) / 2;
  default:
    for (guint i = 1; i < s->n; i++)
      length += hypot (s->points[2 * i] - s->points[2 * i - 2], s->points[2 * i + 1] - s->points[2 * i - 1]);
    return length * 2 * s->p[0];
  }
}

static void
draw_any (GRand *r, Drawing *d, Shape *s, uint32_t index)
{
  DrawingTag tag = { DRAWING_NO_DATES, .index = index };
  double x = g_rand_double_range (r, 0, WIDE), y = g_rand_double_range (r, 0, HIGH), a = g_rand_double_range (r, 2, 60);

  *s = (Shape){ .kind = (DrawingShape) g_rand_int_range (r, DRAWING_RECT, DRAWING_LINE + 1), .p = { x, y, a } };
  switch (s->kind) {
  case DRAWING_RECT:
    s->p[3] = g_rand_double_range (r, 2, 60);
    drawing_rect (d, x, y, a, s->p[3], 0x2b6cb0, 1, &tag);
    break;
  case DRAWING_DISC:
    drawing_disc (d, x, y, a, 0x2b6cb0, 1, &tag);
    break;
  case DRAWING_SECTOR:
    s->p[2] = g_rand_boolean (r) ? 0 : a / 2;
    s->p[3] = a;
    s->p[4] = g_rand_double_range (r, -4, 4);
    s->p[5] = s->p[4] + g_rand_double_range (r, 0.1, 6.2);
    drawing_sector (d, x, y, s->p[2], a, s->p[4], s->p[5], 0x2b6cb0, &tag);
    break;
  default:
    s->n = (guint) g_rand_int_range (r, 2, 5);
    for (guint i = 0; i < 2 * s->n; i++)
      s->points[i] = g_rand_double_range (r, 0, HIGH);
    s->p[0] = g_rand_double_range (r, 1, 9);
    drawing_mark_line (d, s->points, s->n, s->p[0], &tag);
    break;
  }
}

/* What is under a point: the smallest of the shapes that hold it, painted or not. */
static void
test_pointing (void)
{
  GRand *r = g_rand_new_with_seed (5);
  int sure = 0, found = 0;

  for (int round = 0; round < 30; round++) {
    cairo_surface_t *on = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDE, HIGH);
    cairo_t *cr = round % 2 ? cairo_create (on) : NULL;
    Drawing *d = drawing_new (&scene, cr, 100);
    guint n = (guint) g_rand_int_range (r, 1, 20);
    Shape shapes[20];
    drawing_begin (d);
    g_assert_cmpint (drawing_is_painted (d), ==, cr != NULL);
    for (guint i = 0; i < n; i++)
      draw_any (r, d, &shapes[i], i);
    drawing_end (d);
    g_assert_cmpuint (drawing_n_marks (d), ==, n);
    for (int k = 0; k < 200; k++) {
      double x = g_rand_double_range (r, 0, WIDE), y = g_rand_double_range (r, 0, HIGH), least = INFINITY;
      guint want = n;
      bool border = false;
      for (guint i = 0; i < n; i++) {
        int inside = is_inside (&shapes[i], x, y);
        border |= inside < 0;
        if (inside == 1 && size_of (&shapes[i]) < least) {
          least = size_of (&shapes[i]);
          want = i;
        }
      }
      if (border)
        continue;
      const DrawingMark *m = drawing_at (d, x, y, false);
      sure++;
      found += m != NULL;
      g_assert_cmpuint (m != NULL ? m->tag.index : n, ==, want);
      if (m != NULL)
        g_assert_cmpfloat_with_epsilon (drawing_size (m), least, 1e-6 * least + 1e-9);
    }
    drawing_free (d);
    if (cr != NULL)
      cairo_destroy (cr);
    cairo_surface_destroy (on);
  }
  g_assert_cmpint (sure, >, 3000);
  g_assert_cmpint (found, >, 500);
  g_rand_free (r);
}

/* Pixels with numbers, as a scene that is rendered elsewhere hands them over: at every pixel the thing that is there, a
 * little beside it the nearest, and what each takes up. */
static void
test_image (void)
{
  enum { columns = 60, rows = 40, things = 5, scale = 2 };
  static uint32_t ids[columns * rows];
  DrawingTag tags[things + 1];
  GRand *r = g_rand_new_with_seed (8);
  cairo_surface_t *pixels = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, columns, rows),
                  *on = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDE, HIGH);
  cairo_t *cr = cairo_create (on);
  Drawing *d = drawing_new (&scene, cr, 100);
  uint32_t *to = (uint32_t *) (void *) cairo_image_surface_get_data (pixels), count[things + 1] = { 0 };

  for (uint32_t i = 0; i <= things; i++)
    tags[i] = (DrawingTag){ DRAWING_NO_DATES, .what = trace_ref_task (1, i), .index = i };
  for (int i = 0; i < columns * rows; i++) {
    int x = i % columns, y = i / columns;
    ids[i] = (uint32_t) (x / 12 + 1) * (y > 3 && y < 3 + 6 * (x / 12 + 1));
    count[ids[i]]++;
    to[y * cairo_image_surface_get_stride (pixels) / 4 + x] = ids[i] != 0 ? 0xff000000 | ids[i] * 0x202020 : 0;
  }
  cairo_surface_mark_dirty (pixels);
  drawing_begin (d);
  drawing_image (d, 10, 20, columns * scale, rows * scale, pixels, ids, tags, things + 1); /* one has no pixel */
  drawing_end (d);
  g_assert_cmpuint (drawing_n_marks (d), ==, things);
  cairo_destroy (cr);
  cairo_surface_flush (on);
  for (int i = 0; i < columns * rows; i++) {
    double x = 10 + (i % columns + 0.5) * scale, y = 20 + (i / columns + 0.5) * scale;
    const DrawingMark *m = drawing_at (d, x, y, false);
    const uint32_t *row = (const uint32_t *) (const void *) (cairo_image_surface_get_data (on)
                                                             + (int) y * cairo_image_surface_get_stride (on));
    if (ids[i] != 0) {
      g_assert_nonnull (m);
      g_assert_cmpuint (m->tag.index, ==, ids[i] - 1);
      g_assert_cmphex (row[(int) x] & 0xffffff, ==, ids[i] * 0x202020);
    }
  }
  for (uint32_t i = 0; i < things; i++) {
    const DrawingMark *m = drawing_mark (d, i);
    g_assert_cmpfloat (drawing_size (m), ==, count[i + 1] * scale * scale);
    g_assert_cmpfloat (m->left, ==, 10 + i * 12 * scale);
    g_assert_cmpfloat (m->width, ==, 12 * scale);
    g_assert_cmpfloat (m->top, ==, 20 + 4 * scale);
  }
  g_assert_nonnull (drawing_at (d, 10 + 3, 20 + 4 * scale - 4, false)); /* within five px */
  g_assert_null (drawing_at (d, 10 + 3, 20 + 4 * scale - 8, false));
  drawing_free (d);
  cairo_surface_destroy (pixels);
  cairo_surface_destroy (on);
  g_rand_free (r);
}

/* Marks are bounded, and it is told that there were more; colours are no things. */
static void
test_bounds (void)
{
  Drawing *d = drawing_new (&scene, NULL, 3);
  DrawingTag tag = { DRAWING_NO_DATES, .attribute = "State", .value = "Idle" };

  drawing_begin (d);
  g_assert_false (drawing_later (d)); /* this is the one that is asked for them */
  drawing_area (d, 0, 0, 50, 50, &tag);
  drawing_area (d, 0, 0, 20, 20, NULL);
  drawing_colour (d, 10, 10, 5, 5, "Gauge", "Current");
  g_assert_false (drawing_is_partial (d));
  g_assert_cmpuint (drawing_room (d), ==, 1);
  drawing_area (d, 60, 0, 9, 9, &tag);
  drawing_area (d, 80, 0, 9, 9, &tag);
  g_assert_cmpuint (drawing_n_marks (d), ==, 3);
  g_assert_true (drawing_is_partial (d));
  g_assert_cmpstr (drawing_at (d, 12, 12, true)->tag.value, ==, "Current");
  g_assert_cmpstr (drawing_at (d, 12, 12, false)->tag.value, ==, "Idle");
  g_assert_cmpstr (drawing_at (d, 30, 30, true)->tag.value, ==, "Idle");
  g_assert_null (drawing_at (d, 70, 30, true));
  drawing_free (d);
}

/* What stands out: itself; a link where both of its tasks are told; no link for one of its tasks. */
static void
test_selected (void)
{
  g_autoptr (TraceRefs) refs = trace_refs_new ();
  ViewScene with = scene;
  DrawingTag task = { .what = trace_ref_task (1, 4) },
             link = { .what = trace_ref_task (1, 4), .other = trace_ref_task (1, 7) },
             back = { .what = trace_ref_task (1, 7), .other = trace_ref_task (1, 4) },
             event = { .what = trace_ref_task (1, 4), .other = trace_ref_task (1, 7), .event = 12 };

  g_assert_false (view_selects_tag (&with, &task));
  with.selection = refs;
  g_assert_false (view_selects_tag (&with, &task));
  trace_refs_add (refs, trace_ref_task (2, 4)); /* of another trace */
  g_assert_false (view_selects_tag (&with, &task));
  trace_refs_add (refs, trace_ref_task (1, 4));
  g_assert_true (view_selects_tag (&with, &task));
  g_assert_true (view_selects_tag (&with, &event));
  g_assert_false (view_selects_tag (&with, &link));
  trace_refs_clear (refs);
  trace_refs_add (refs, trace_ref_message (1, 4, 7, 100, 200));
  g_assert_true (view_selects_tag (&with, &link));
  g_assert_false (view_selects_tag (&with, &back));
  g_assert_false (view_selects_tag (&with, &event));
  /* the tasks at its ends stand out with it, though they are not selected; no others, and nobody of another trace */
  g_assert_false (view_selects_tag (&with, &task));
  g_assert_true (view_tag_stands_out (&with, &task));
  g_assert_true (view_stands_out (&with, trace_ref_task (1, 7)));
  g_assert_false (view_stands_out (&with, trace_ref_task (1, 8)));
  g_assert_false (view_stands_out (&with, trace_ref_task (2, 4)));
  g_assert_false (view_tag_stands_out (&with, &back));
  g_assert_false (view_tag_stands_out (&with, &event));
}

/* ---- a view with nothing but build() ------------------------------------------------------------------------------------ */

static bool
build_plain (EveComponent *c, const ViewScene *of, Drawing *d, GError **error)
{
  DrawingTag link = { DRAWING_NO_DATES, .what = trace_ref_task (9, 4), .other = trace_ref_task (9, 7) },
             state = { DRAWING_NO_DATES, .attribute = "State", .value = "Idle" },
             dated = { .what = trace_ref_task (9, 1), .from = 5, .to = 8, .event = 3 };

  drawing_begin (d);
  drawing_rect (d, 0, 0, 10, 10, 0xff0000, 1, &link);
  drawing_rect (d, 20, 0, 10, 10, 0xff0000, 1, &state);
  drawing_text (d, 25, 5, 0, PAINT_TEXT, 0, 0, "Idle", &state); /* a part of the same */
  drawing_rect (d, 40, 0, 10, 10, 0xff0000, 1, &dated);
  return true;
}

static const View plain = { .title = "Plain", .build = build_plain };

static void
test_plain (void)
{
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (ViewItem));
  g_autoptr (Drawing) d = view_marks (NULL, &plain, &scene, 100, NULL);
  static const char *const names[] = { "task 4 \u2192 task 7", "State: Idle", "task 1" };
  TraceRef owners[] = { trace_ref_link (9, 4, 7), trace_ref_value ("State", "Idle"), trace_ref_task (9, 1) };
  g_autoptr (GString) csv = g_string_new (NULL);
  const char *attribute, *value;

  view_items (NULL, &plain, &scene, d, items, 100);
  g_assert_cmpuint (items->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    ViewItem *item = &g_array_index (items, ViewItem, i), at;
    g_autoptr (TraceRefs) refs = trace_refs_new ();
    g_assert_cmpstr (item->name, ==, names[i]);
    g_assert_true (view_item_at (NULL, &plain, &scene, d, item->x + 5, item->y + 1, &at, NULL));
    g_assert_cmpstr (at.name, ==, names[i]);
    view_owners (NULL, &plain, &scene, &at.mark, refs);
    g_assert_cmpuint (trace_refs_n (refs), ==, 1);
    g_assert_true (trace_ref_same (trace_refs_at (refs, 0), owners[i]));
    g_free (at.name);
    g_free (item->name);
  }
  g_assert_true (view_colour_at (NULL, &plain, &scene, d, 22, 2, &attribute, &value));
  g_assert_cmpstr (value, ==, "Idle");
  g_assert_false (view_colour_at (NULL, &plain, &scene, d, 2, 2, &attribute, &value));
  g_assert_true (view_csv (NULL, &plain, &scene, csv, NULL));
  g_assert_cmpstr (csv->str, ==,
                   "what,other,attribute,value,from [s],to [s],event,name\r\n"
                   "task 4,task 7,,,,,,task 4 \u2192 task 7\r\n"
                   ",,State,Idle,,,,State: Idle\r\n"
                   "task 1,,,,5,8,2,task 1\r\n");
}

/* A picture is the same whether or not marks are kept, and made twice. */
static void
test_same (void)
{
  cairo_surface_t *on[3];

  for (int i = 0; i < 3; i++) {
    on[i] = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDE, HIGH);
    cairo_t *cr = cairo_create (on[i]);
    if (i == 0) {
      g_assert_true (view_draw (NULL, &plain, &scene, cr, NULL));
    } else {
      g_autoptr (Drawing) d = drawing_new (&scene, cr, 100);
      g_assert_true (build_plain (NULL, &scene, d, NULL));
    }
    cairo_destroy (cr);
    cairo_surface_flush (on[i]);
  }
  gsize n = (gsize) cairo_image_surface_get_stride (on[0]) * HIGH;
  for (int i = 1; i < 3; i++)
    g_assert_cmpmem (cairo_image_surface_get_data (on[0]), n, cairo_image_surface_get_data (on[i]), n);
  g_assert_cmphex (((const uint32_t *) (const void *) cairo_image_surface_get_data (on[0]))[5] & 0xffffff, ==,
                   0xff0000);
  for (int i = 0; i < 3; i++)
    cairo_surface_destroy (on[i]);
}

/* An outline lies around its mark, and on nothing else. */
static void
test_frame (void)
{
  static const double points[] = { 150, 20, 190, 60 };
  cairo_surface_t *on = cairo_image_surface_create (CAIRO_FORMAT_RGB24, WIDE, HIGH);
  cairo_t *cr = cairo_create (on);
  Drawing *d = drawing_new (&scene, NULL, 100);
  guint painted = 0;

  drawing_begin (d);
  drawing_area (d, 10, 10, 30, 20, &(DrawingTag){ .index = 1 });
  drawing_mark_disc (d, 80, 30, 12, &(DrawingTag){ .index = 2 });
  drawing_mark_line (d, points, 2, 4, &(DrawingTag){ .index = 3 });
  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_set_line_width (cr, 2);
  for (guint i = 0; i < drawing_n_marks (d); i++)
    drawing_frame (d, drawing_mark (d, i), cr, 2);
  cairo_destroy (cr);
  cairo_surface_flush (on);
  for (int y = 0; y < HIGH; y++)
    for (int x = 0; x < WIDE; x++) {
      const uint32_t *row = (const uint32_t *) (const void *) (cairo_image_surface_get_data (on)
                                                               + y * cairo_image_surface_get_stride (on));
      double cx = x + 0.5, cy = y + 0.5, box = fmax (fabs (cx - 25) - 17, fabs (cy - 20) - 12),
             disc = fabs (hypot (cx - 80, cy - 30) - 14), line = off_segment (cx, cy, points, points + 2);
      bool near = fabs (box) < 2 || disc < 2 || line < 2;
      if ((row[x] & 0xffffff) != 0) {
        painted++;
        g_assert_true (near);
      }
    }
  g_assert_cmpuint (painted, >, 300);
  drawing_free (d);
  cairo_surface_destroy (on);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/drawing/pointing", test_pointing);
  g_test_add_func ("/drawing/image", test_image);
  g_test_add_func ("/drawing/bounds", test_bounds);
  g_test_add_func ("/drawing/selected", test_selected);
  g_test_add_func ("/drawing/plain", test_plain);
  g_test_add_func ("/drawing/same", test_same);
  g_test_add_func ("/drawing/frame", test_frame);
  return g_test_run ();
}
