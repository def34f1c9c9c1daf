/* SPDX-License-Identifier: Apache-2.0 */
/* Where boxes, ports, wires, frames and sub-programs lie, what is found under a point, and that the picture shows it.
 */
#include <math.h>
#include "document/edits.h"
#include "editor/paint.h"
#include "tests/unit/boxes.h"

typedef struct Fixture {
  EveProgram *p;
  Sketch *s;
  EveComponent *source, *pass, *hold, *sink;
} Fixture;

static void
setup (Fixture *f, const void *unused)
{
  boxes_register ();
  f->p = eve_program_new ();
  f->source = box (f->p, &box_source, "Source");
  f->pass = box (f->p, &box_pass, "Pass");
  f->hold = box (f->p, &box_hold, "Hold");
  f->sink = box (f->p, &box_sink, "Sink");
  EveComponent *all[] = { f->source, f->pass, f->hold, f->sink };
  for (int i = 0; i < 4; i++)
    eve_set_position (all[i], 40 + 200 * i, 80);
  wire (f->source, "out", f->pass, "in");
  wire (f->pass, "out", f->hold, "value");
  wire (f->hold, "out", f->sink, "in");
  f->s = sketch_new ("Sans");
  sketch_build (f->s, f->p);
}

static void
teardown (Fixture *f, const void *unused)
{
  sketch_free (f->s);
  eve_program_free (f->p);
}

static void
test_places (Fixture *f, const void *unused)
{
  g_assert_cmpuint (f->s->boxes->len, ==, 4);
  g_assert_cmpuint (f->s->wires->len, ==, 3);
  const SketchBox *b = sketch_box (f->s, "Hold");
  g_assert_true (b->x == 440 && b->y == 80 && b->width >= 128 && fmod (b->width, SKETCH_GRID) == 0);
  const SketchPort *value = sketch_port (f->s, f->hold, "value", false),
                   *gain = sketch_port (f->s, f->hold, "gain", false);
  const SketchPort *out = sketch_port (f->s, f->hold, "out", true);
  g_assert_true (value->x == b->x && out->x == b->x + b->width && gain->y == b->y && gain->control);
  g_assert_true (value->connected && !gain->connected);
  g_assert_null (sketch_port (f->s, f->hold, "out", false));
  g_assert_true (sketch_port_at (f->s, value->x - 4, value->y + 3, 8) == value);
  g_assert_true (sketch_box_at (f->s, b->x + 50, b->y + 12) == b);
  g_assert_null (sketch_box_at (f->s, b->x - 20, b->y + 12));
  for (guint i = 0; i < f->s->wires->len; i++) {
    const SketchWire *w = f->s->wires->pdata[i];
    double x, y;
    sketch_wire_point (w, 0.5, &x, &y);
    g_assert_true (sketch_wire_at (f->s, x, y + 2, 5) == w);
    g_assert_null (sketch_wire_at (f->s, x, y + 60, 5));
    double x0, y0, x1, y1;
    sketch_wire_point (w, 0, &x0, &y0);
    sketch_wire_point (w, 1, &x1, &y1);
    g_assert_true (x0 == w->start->x && y1 == w->end->y);
  }
  sketch_move_box (sketch_box (f->s, "Hold"), 16, 8);
  sketch_place (f->s);
  double x, y;
  sketch_wire_point (f->s->wires->pdata[1], 1, &x, &y);
  g_assert_true (value->x == 456 && x == 456);
}

static void
test_groups (Fixture *f, const void *unused)
{
  g_free (edits_group (f->p, (EveComponent *[]){ f->pass, f->hold }, 2, "Inner"));
  {
    g_autoptr (Notes) n = notes_read (f->p);
    notes_move_frame (notes_add_frame (n, 2000, 0, 64, 64, "In it"), notes_group (n, "Inner"));
    notes_add_frame (n, 0, 500, 64, 64, "Beside");
    notes_write (f->p, n);
  }
  sketch_build (f->s, f->p);
  g_assert_cmpuint (f->s->boxes->len, ==, 3);
  g_assert_cmpuint (f->s->wires->len, ==, 2); /* the one inside is not seen */
  FramePart part;
  cairo_rectangle_t seen;
  g_assert_cmpuint (f->s->frames->len, ==, 1); /* nor is the frame */
  g_assert_cmpuint (sketch_box (f->s, "Inner")->frames->len, ==, 1);
  g_assert_null (sketch_frame_at (f->s, 2010, 10, &part));
  g_assert_true (sketch_bounds (f->s, &seen) && seen.x + seen.width < 2000);
  SketchBox *b = sketch_box (f->s, "Inner");
  g_assert_true (b && !b->c && b->members->len == 2 && b == sketch_box (f->s, "Hold"));
  g_assert_cmpuint (b->ports->len, ==, 2);
  g_assert_true (b->x == 240 && b->y == 80);
  g_assert_true (sketch_port (f->s, f->pass, "in", false)->box == b);
  g_free (edits_group (f->p, (EveComponent *[]){ f->pass, f->hold, f->sink }, 3, "Outer"));
  sketch_build (f->s, f->p);
  g_assert_cmpuint (f->s->boxes->len, ==, 2);
  edits_fold (f->p, "Inner", true); /* open, but in a folded one: not seen */
  sketch_build (f->s, f->p);
  g_assert_cmpuint (f->s->boxes->len, ==, 2);
  g_assert_cmpuint (f->s->frames->len, ==, 1);
  g_assert_cmpuint (f->s->groups->len, ==, 0);
  edits_fold (f->p, "Outer", true);
  sketch_build (f->s, f->p);
  g_assert_true (f->s->frames->len == 2 && sketch_frame_at (f->s, 2010, 10, &part));
  g_assert_cmpuint (f->s->boxes->len, ==, 4);
  g_assert_cmpuint (f->s->groups->len, ==, 2);
  const SketchGroup *inner = NULL, *outer = NULL;
  for (guint i = 0; i < 2; i++) {
    const SketchGroup *g = f->s->groups->pdata[i];
    *(g->depth ? &inner : &outer) = g;
  }
  g_assert_true (outer->x < inner->x && outer->y < inner->y && outer->x + outer->width > inner->x + inner->width);
  g_assert_true (inner->x + inner->width > 2064 && inner->y < 0); /* round the frame that came out of it, too */
  g_assert_true (sketch_group_at (f->s, inner->x + 8, inner->y + 8) == inner);
  g_assert_true (sketch_group_at (f->s, outer->x + 8, outer->y + 8) == outer);
}

static void
test_strangers (Fixture *f, const void *unused)
{
  const char *text = "<eve version=\"1\"><note name=\"frames\">frame\t0\t0\t300\t200\t1\tHere\n</note>"
                     "<component name=\"Ghost\" class=\"test.nobody\" version=\"1\" x=\"40\" y=\"40\"/>"
                     "<component name=\"Sink\" class=\"test.sink\" version=\"1\" x=\"400\" y=\"40\"/>"
                     "<wire from=\"Ghost\" out=\"much\" to=\"Sink\" in=\"nothing\"/></eve>";
  g_assert_true (eve_program_update (f->p, text, NULL, NULL));
  sketch_build (f->s, f->p);
  const SketchWire *w = f->s->wires->pdata[0];
  g_assert_true (w->broken && w->start->missing && w->end->missing);
  g_assert_true (sketch_box (f->s, "Ghost")->ghost);
  FramePart part;
  g_assert_nonnull (sketch_frame_at (f->s, 10, 10, &part));
  g_assert_cmpint (part, ==, FRAME_TITLE);
  g_assert_nonnull (sketch_frame_at (f->s, 297, 197, &part));
  g_assert_cmpint (part, ==, FRAME_CORNER);
  g_assert_null (sketch_frame_at (f->s, 150, 150, &part));
  cairo_rectangle_t all;
  g_assert_true (sketch_bounds (f->s, &all) && all.x == 0 && all.y == 0 && all.width >= 528);
  sketch_build (f->s, NULL); /* closed */
  g_assert_false (sketch_bounds (f->s, &all));
}

static uint32_t
pixel (cairo_surface_t *image, double x, double y, double scale)
{
  const uint8_t *row = cairo_image_surface_get_data (image)
                       + (int) (y * scale) * cairo_image_surface_get_stride (image);
  return ((const uint32_t *) (const void *) row)[(int) (x * scale)] & 0xffffff;
}

static int
distance (uint32_t a, uint32_t b)
{
  int sum = 0;
  for (int shift = 0; shift <= 16; shift += 8)
    sum += abs ((int) (a >> shift & 255) - (int) (b >> shift & 255));
  return sum;
}

/* At every scale, light and dark: wires have the colour of their type, a selected box is framed, moved boxes are copied
 * where they went, and drawing twice gives the same picture. */
static void
test_picture (Fixture *f, const void *unused)
{
  for (int round = 0; round < 6; round++) {
    double scale = round % 3 == 2 ? 2 : 1;
    PaintView v = {
      .zoom = round % 3 == 1 ? 0.75 : 1, .width = 900, .height = 240, .scale = scale, .text = 1, .dark = round >= 3
    };
    cairo_surface_t *image[2];
    sketch_box (f->s, "Pass")->selected = true;
    for (int i = 0; i < 2; i++) {
      image[i] = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (900 * scale), (int) (240 * scale));
      cairo_surface_set_device_scale (image[i], scale, scale);
      cairo_t *cr = cairo_create (image[i]);
      g_assert_false (paint_sketch (f->s, &v, cr)); /* without a budget all is sharp at once */
      cairo_destroy (cr);
      cairo_surface_flush (image[i]);
    }
    g_assert_cmpmem (cairo_image_surface_get_data (image[0]),
                     (gsize) cairo_image_surface_get_stride (image[0]) * (gsize) (240 * scale),
                     cairo_image_surface_get_data (image[1]),
                     (gsize) cairo_image_surface_get_stride (image[1]) * (gsize) (240 * scale));
    const SketchWire *w = f->s->wires->pdata[0];
    double x, y;
    sketch_wire_point (w, 0.5, &x, &y);
    int nearest = 999;
    for (double dy = -2; dy <= 2; dy += 0.5)
      nearest = MIN (nearest, distance (pixel (image[0], x * v.zoom, y * v.zoom + dy, scale),
                                        paint_type_colour (&eve_type_int64, v.dark)));
    g_assert_cmpint (nearest, <, 60);
    const SketchBox *b = sketch_box (f->s, "Sink"), *chosen = sketch_box (f->s, "Pass");
    uint32_t body = pixel (image[0], (b->x + b->width - 8) * v.zoom, (b->y + b->height - 8) * v.zoom, scale);
    g_assert_true (v.dark ? distance (body, 0) < 250 : distance (body, 0xffffff) < 30);
    uint32_t frame = pixel (image[0], (chosen->x + 1) * v.zoom, (chosen->y + chosen->height - 20) * v.zoom, scale);
    uint32_t plain = pixel (image[0], (b->x + 1) * v.zoom, (b->y + b->height - 20) * v.zoom, scale);
    g_assert_cmpint (distance (frame, plain), >, 80);
    cairo_surface_destroy (image[0]);
    cairo_surface_destroy (image[1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add (name, Fixture, NULL, setup, fn, teardown)
  ADD ("/sketch/places", test_places);
  ADD ("/sketch/groups", test_groups);
  ADD ("/sketch/strangers", test_strangers);
  ADD ("/sketch/picture", test_picture);
  return g_test_run ();
}
