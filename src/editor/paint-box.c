/* SPDX-License-Identifier: Apache-2.0 */
/* paint-box.c - pictures of boxes and ports. */
#include "editor/paint-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define MARGIN 9.0 /* around a box: ports and the mark of selection */
#define PORT 4.5

/* ---- ports ------------------------------------------------------------------------------------------------------- */
typedef enum { SHAPE_CIRCLE, SHAPE_SQUARE, SHAPE_DIAMOND, SHAPE_HEXAGON, SHAPE_TRIANGLE, SHAPE_BAR } Shape;

/* Never by colour alone: numbers are round, events diamonds, commands squares, states hexagons, pulses triangles, texts
 * bars. */
static Shape
paint_box_shape_of (const EveType *t)
{
  static const struct {
    const char *name;
    Shape shape;
  } shapes[] = { { "number", SHAPE_CIRCLE },
                 { "integer", SHAPE_CIRCLE },
                 { "truth value", SHAPE_TRIANGLE },
                 { "pulse", SHAPE_TRIANGLE },
                 { "text", SHAPE_BAR },
                 { "trace event", SHAPE_DIAMOND },
                 { "session command", SHAPE_SQUARE },
                 { "state change", SHAPE_HEXAGON },
                 { "message", SHAPE_HEXAGON } };
  for (guint i = 0; t && i < G_N_ELEMENTS (shapes); i++)
    if (!strcmp (shapes[i].name, t->name))
      return shapes[i].shape;
  return t && t->date ? SHAPE_DIAMOND : SHAPE_CIRCLE;
}

static void
shape_path (cairo_t *cr, double x, double y, double r, Shape shape)
{
  static const struct {
    int corners;
    double turn, size;
  } polygons[] = { [SHAPE_SQUARE] = { 4, 0.25, 1.2 },
                   [SHAPE_DIAMOND] = { 4, 0, 1.3 },
                   [SHAPE_HEXAGON] = { 6, 0, 1.15 },
                   [SHAPE_TRIANGLE] = { 3, 0, 1.3 } };
  cairo_new_sub_path (cr);
  if (shape == SHAPE_CIRCLE)
    cairo_arc (cr, x, y, r, 0, 2 * G_PI);
  else if (shape == SHAPE_BAR)
    cairo_rectangle (cr, x - 0.6 * r, y - 1.25 * r, 1.2 * r, 2.5 * r);
  else
    for (int i = 0; i < polygons[shape].corners; i++) {
      double angle = 2 * G_PI * (i / (double) polygons[shape].corners + polygons[shape].turn / 2);
      cairo_line_to (cr, x + polygons[shape].size * r * cos (angle), y + polygons[shape].size * r * sin (angle));
    }
  cairo_close_path (cr);
}

static void
paint_port (cairo_t *cr, double x, double y, const EveType *t, bool filled, bool dark)
{
  const PaintColours *c = paint_colours (dark);
  uint32_t rgb = paint_type_colour (t, dark);
  shape_path (cr, x, y, PORT, paint_box_shape_of (t));
  paint_rgb (cr, filled ? rgb : c->body, 1);
  cairo_fill_preserve (cr);
  paint_rgb (cr, filled ? c->body : rgb, 1);
  cairo_set_line_width (cr, filled ? 1 : 1.6);
  cairo_stroke (cr);
}

static void
draw_port (const Sketch *s, cairo_t *cr, const SketchPort *p, bool hot, bool dark)
{
  const PaintColours *c = paint_colours (dark);
  double x = p->x - p->box->x, y = p->y - p->box->y;
  if (p->light == PORT_LIT || hot) {
    shape_path (cr, x, y, PORT + 3.5, paint_box_shape_of (p->type));
    paint_rgb (cr, p->light == PORT_LIT ? c->selection : paint_type_colour (p->type, dark),
               p->light == PORT_LIT ? 0.6 : 0.35);
    cairo_fill (cr);
  } else if (p->needed && p->light == PORT_PLAIN) { /* a ring and a mark: this is missing */
    shape_path (cr, x, y, PORT + 2.5, paint_box_shape_of (p->type));
    paint_rgb (cr, c->warning, 1);
    cairo_set_line_width (cr, 1.5);
    cairo_stroke (cr);
  }
  if (p->light == PORT_DIM) {
    shape_path (cr, x, y, PORT - 1, paint_box_shape_of (p->type));
    paint_rgb (cr, c->border, 1);
    cairo_fill (cr);
    return;
  }
  if (p->missing) { /* a cross: there is no such port */
    paint_rgb (cr, c->error, 1);
    cairo_set_line_width (cr, 2);
    cairo_move_to (cr, x - 4, y - 4);
    cairo_line_to (cr, x + 4, y + 4);
    cairo_move_to (cr, x - 4, y + 4);
    cairo_line_to (cr, x + 4, y - 4);
    cairo_stroke (cr);
    return;
  }
  paint_port (cr, x, y, p->type, p->connected, dark);
}

/* ---- the box --------------------------------------------------------------------------------------------------------- */
static void
text_at (const Sketch *s, cairo_t *cr, double x, double y, double width, PangoAlignment align, const char *text,
         double size, bool bold, uint32_t rgb)
{
  PangoLayout *layout = paint_layout (s, cr, size, bold);
  pango_layout_set_text (layout, text, -1);
  pango_layout_set_width (layout, (int) (MAX (width, 8) * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_alignment (layout, align);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  int height;
  pango_layout_get_pixel_size (layout, NULL, &height);
  paint_rgb (cr, rgb, 1);
  cairo_move_to (cr, x, y - height / 2.0);
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

/* What the box does now: each by its own shape. */
static void
draw_run (cairo_t *cr, double x, double y, SketchRun run, const PaintColours *c)
{
  switch (run) {
  case BOX_RESTS:
    break;
  case BOX_RUNS: /* a triangle to the right */
    paint_rgb (cr, c->good, 1);
    cairo_move_to (cr, x - 3.5, y - 4.5);
    cairo_line_to (cr, x + 4.5, y);
    cairo_line_to (cr, x - 3.5, y + 4.5);
    cairo_fill (cr);
    break;
  case BOX_WAITS: /* an hourglass */
    paint_rgb (cr, c->dim, 1);
    cairo_move_to (cr, x - 4, y - 4.5);
    cairo_line_to (cr, x + 4, y - 4.5);
    cairo_line_to (cr, x - 4, y + 4.5);
    cairo_line_to (cr, x + 4, y + 4.5);
    cairo_close_path (cr);
    cairo_fill (cr);
    break;
  case BOX_WARNS:
  case BOX_FAILS:
    paint_rgb (cr, run == BOX_FAILS ? c->error : c->warning, 1);
    if (run == BOX_FAILS)
      shape_path (cr, x, y, 6, SHAPE_CIRCLE);
    else {
      cairo_move_to (cr, x, y - 6);
      cairo_line_to (cr, x + 6.5, y + 5);
      cairo_line_to (cr, x - 6.5, y + 5);
    }
    cairo_fill (cr);
    paint_rgb (cr, c->body, 1);
    cairo_set_line_width (cr, 1.6);
    cairo_move_to (cr, x, y - 3);
    cairo_line_to (cr, x, y + 1);
    cairo_move_to (cr, x, y + 2.2);
    cairo_line_to (cr, x, y + 3.8);
    cairo_stroke (cr);
    break;
  }
}

/* Off: a ring that is struck through. */
static void
draw_off (cairo_t *cr, double x, double y, const PaintColours *c)
{
  paint_rgb (cr, c->dim, 1);
  cairo_set_line_width (cr, 1.6);
  cairo_new_sub_path (cr);
  cairo_arc (cr, x, y, 5, 0, 2 * G_PI);
  cairo_move_to (cr, x - 3.5, y + 3.5);
  cairo_line_to (cr, x + 3.5, y - 3.5);
  cairo_stroke (cr);
}

static void
draw_through (cairo_t *cr, double w, double y, const PaintColours *c)
{
  const double dashes[] = { 5, 3 };
  paint_rgb (cr, c->dim, 0.8);
  cairo_set_line_width (cr, 1.6);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_move_to (cr, 6, y);
  cairo_line_to (cr, w - 12, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  cairo_move_to (cr, w - 14, y - 4);
  cairo_line_to (cr, w - 6, y);
  cairo_line_to (cr, w - 14, y + 4);
  cairo_fill (cr);
}

static void
paint_box_draw_labels (const Sketch *s, cairo_t *cr, const SketchBox *b, const PaintColours *c)
{
  for (guint i = 0; i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    double y = p->y - b->y;
    uint32_t rgb = p->missing ? c->error : p->needed ? c->warning : c->dim;
    if (p->side == SIDE_LEFT)
      text_at (s, cr, 11, y, b->width - 22, PANGO_ALIGN_LEFT, p->label, 11, p->needed, rgb);
    else if (p->side == SIDE_RIGHT)
      text_at (s, cr, 11, y, b->width - 22, PANGO_ALIGN_RIGHT, p->label, 11, false, rgb);
  }
}

static void
paint_box_draw (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchBox *b)
{
  const PaintColours *c = paint_colours (v->dark);
  const double dashes[] = { 4, 3 };
  double w = b->width, h = b->height;
  uint32_t own = paint_type_colour (b->gives, v->dark);
  bool fine = v->zoom >= 0.45, words = v->zoom >= 0.22;
  if (!b->c) { /* a pile: there is more inside */
    paint_rounded (cr, 4.5, 4.5, w - 1, h - 1, 6);
    paint_rgb (cr, c->body, 1);
    cairo_fill_preserve (cr);
    paint_rgb (cr, c->border, 1);
    cairo_set_line_width (cr, 1);
    cairo_stroke (cr);
  }
  paint_rounded (cr, 0.5, 1.5, w - 1, h - 1, 6); /* a shadow, one pixel */
  paint_rgb (cr, 0x000000, v->dark ? 0.35 : 0.10);
  cairo_fill (cr);
  paint_rounded (cr, 0.5, 0.5, w - 1, h - 1, 6);
  bool pale = b->ghost || b->use != EVE_WORKS;
  paint_rgb (cr, pale ? paint_mix (c->body, c->canvas, 0.6) : c->body, 1);
  cairo_fill (cr);
  cairo_save (cr);
  paint_rounded (cr, 0.5, 0.5, w - 1, h - 1, 6);
  cairo_clip (cr);
  cairo_rectangle (cr, 0, 0, w, SKETCH_HEADER);
  paint_rgb (cr, pale ? paint_mix (c->body, c->dim, 0.2) : paint_mix (c->body, own, v->dark ? 0.34 : 0.22), 1);
  cairo_fill (cr);
  paint_rgb (cr, paint_mix (c->body, pale ? c->dim : own, 0.5), 1);
  cairo_rectangle (cr, 0, SKETCH_HEADER - 1, w, 1);
  cairo_fill (cr);
  if (b->share >= 0 && fine) {
    cairo_rectangle (cr, 10, h - 9, w - 20, 4);
    paint_rgb (cr, paint_mix (c->body, c->dim, 0.25), 1);
    cairo_fill (cr);
    cairo_rectangle (cr, 10, h - 9, (w - 20) * MIN (b->share, 1), 4);
    paint_rgb (cr, own, 1);
    cairo_fill (cr);
  }
  cairo_restore (cr);
  double title = SKETCH_HEADER / 2;
  for (guint i = 0; i < b->ports->len; i++) /* clear of the ports on the upper side */
    if (((SketchPort *) b->ports->pdata[i])->side == SIDE_TOP)
      title = SKETCH_HEADER / 2 + 2;
  double icons = (b->run != BOX_RESTS || b->use == EVE_OFF ? 18 : 0) + (b->changed ? 10 : 0);
  if (words)
    text_at (s, cr, 10, title, w - 20 - icons, PANGO_ALIGN_LEFT, in_words (b->name), 12, true, pale ? c->dim : c->text);
  if (words)
    draw_run (cr, w - 13, SKETCH_HEADER / 2, b->run, c);
  if (b->changed && words) { /* not what was saved: a dot */
    cairo_arc (cr, w - 10 - (b->run != BOX_RESTS ? 16 : 0), SKETCH_HEADER / 2, 2.75, 0, 2 * G_PI);
    paint_rgb (cr, c->selection, 1);
    cairo_fill (cr);
  }
  if (fine) {
    paint_box_draw_labels (s, cr, b, c);
    double low = h - SKETCH_ROW / 2 - 3 - (b->share >= 0 ? 5 : 0);
    const char *line = b->ghost && b->c && b->use == EVE_WORKS ? b->kind : b->status;
    double counter = *b->counter ? 64 : 0;
    text_at (s, cr, 11, low, w - 22 - counter, PANGO_ALIGN_LEFT, line, 11, false, b->ghost ? c->error : c->text);
    if (*b->counter)
      text_at (s, cr, 11, low, w - 22, PANGO_ALIGN_RIGHT, b->counter, 11, true, c->text);
  }
  if (b->use == EVE_BYPASSED && fine) /* what comes in goes on: an arrow from side to side */
    draw_through (cr, w, SKETCH_HEADER + (h - SKETCH_HEADER) / 2, c);
  else if (b->use == EVE_OFF && fine)
    draw_off (cr, w - 13, SKETCH_HEADER / 2, c);
  paint_rounded (cr, 0.5, 0.5, w - 1, h - 1, 6);
  bool failed = b->run == BOX_FAILS;
  if (pale)
    cairo_set_dash (cr, dashes, 2, 0);
  paint_rgb (cr, failed ? c->error : b->selected ? c->selection : pale ? c->dim : c->border, 1);
  cairo_set_line_width (cr, b->selected || failed ? 2 : 1);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  if (b->selected) {
    paint_rounded (cr, -2, -2, w + 4, h + 4, 8);
    paint_rgb (cr, c->selection, 0.35);
    cairo_set_line_width (cr, 2.5);
    cairo_stroke (cr);
  }
  for (guint i = 0; i < b->ports->len && words; i++)
    draw_port (s, cr, b->ports->pdata[i], v->hot_port == b->ports->pdata[i], v->dark);
}

/* ---- pictures ---------------------------------------------------------------------------------------------------------- */
static void
paint_box_add (guint *hash, const void *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++)
    *hash = (*hash ^ ((const uint8_t *) bytes)[i]) * 16777619u; /* FNV-1a */
}

static void
paint_box_add_text (guint *hash, const char *text)
{
  if (text)
    paint_box_add (hash, text, strlen (text) + 1);
}

/* Of all that the picture shows, but its zoom. */
static guint
paint_box_look_of (const PaintView *v, const SketchBox *b)
{
  guint hash = 2166136261u;
  int share = b->share < 0 ? -1 : (int) lround (b->share * b->width * v->zoom * v->scale);
  uint32_t bits = (uint32_t) b->run | (uint32_t) b->selected << 4 | (uint32_t) b->changed << 5
                  | (uint32_t) b->ghost << 6 | (uint32_t) v->dark << 7 | (uint32_t) !b->c << 8 | (uint32_t) b->use << 9;
  paint_box_add (&hash, &bits, sizeof bits);
  paint_box_add (&hash, &share, sizeof share);
  paint_box_add (&hash, &b->width, sizeof b->width);
  paint_box_add (&hash, &b->height, sizeof b->height);
  paint_box_add (&hash, &b->gives, sizeof b->gives);
  paint_box_add_text (&hash, b->name);
  paint_box_add_text (&hash, b->status);
  paint_box_add_text (&hash, b->counter);
  for (guint i = 0; i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    uint32_t port = (uint32_t) p->light | (uint32_t) p->missing << 2 | (uint32_t) p->needed << 3
                    | (uint32_t) p->connected << 4 | (uint32_t) (v->hot_port == p) << 5 | (uint32_t) p->side << 6;
    paint_box_add (&hash, &port, sizeof port);
    paint_box_add (&hash, &p->type, sizeof p->type);
    paint_box_add_text (&hash, p->label);
  }
  return hash;
}

bool
paint_box (Sketch *s, const PaintView *v, cairo_t *cr, SketchBox *b, gint64 until)
{
  double scale = v->zoom * v->scale;
  guint look = paint_box_look_of (v, b);
  bool other = !b->picture || b->picture_of != look;
  if (other || (b->picture_scale != scale && g_get_monotonic_time () < until)) {
    g_clear_pointer (&b->picture, cairo_surface_destroy);
    b->picture = cairo_surface_create_similar_image (cairo_get_target (cr), CAIRO_FORMAT_ARGB32,
                                                     (int) ceil ((b->width + 2 * MARGIN) * scale),
                                                     (int) ceil ((b->height + 2 * MARGIN) * scale));
    /* text is laid out in the px of the window, so the surface says how many device px they have */
    cairo_surface_set_device_scale (b->picture, v->scale, v->scale);
    cairo_t *own = cairo_create (b->picture);
    cairo_scale (own, v->zoom, v->zoom);
    cairo_translate (own, MARGIN, MARGIN);
    paint_box_draw (s, v, own, b);
    cairo_destroy (own);
    b->picture_scale = scale;
    b->picture_of = look;
  }
  double x, y;
  paint_to_window (v, b->x - MARGIN, b->y - MARGIN, &x, &y);
  x = round (x * v->scale) / v->scale; /* on whole device px: copied, not interpolated */
  y = round (y * v->scale) / v->scale;
  if (b->picture_scale == scale) {
    cairo_set_source_surface (cr, b->picture, x, y);
    cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_NEAREST);
    cairo_paint (cr);
    return false;
  }
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, scale / b->picture_scale, scale / b->picture_scale);
  cairo_set_source_surface (cr, b->picture, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_BILINEAR);
  cairo_paint (cr);
  cairo_restore (cr);
  return true;
}
