/* SPDX-License-Identifier: Apache-2.0 */
/* paint.c - the canvas: frames, wires, minimap, bubbles; boxes are in paint-box.c. */
#include "editor/paint-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define GRID 16.0
#define MINIMAP_WIDTH 148.0
#define MINIMAP_HEIGHT 92.0
#define MINIMAP_MARGIN 12.0

static const uint32_t frame_colours[FRAME_COLOURS] = { 0xe5a50a, 0x3584e4, 0x2a9d6f, 0x9141ac, 0x77767b };

void
paint_to_window (const PaintView *v, double x, double y, double *wx, double *wy)
{
  *wx = (x - v->x) * v->zoom;
  *wy = (y - v->y) * v->zoom;
}

void
paint_rgb (cairo_t *cr, uint32_t rgb, double alpha)
{
  cairo_set_source_rgba (cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

uint32_t
paint_mix (uint32_t a, uint32_t b, double share_of_b)
{
  uint32_t mixed = 0;
  for (int shift = 0; shift <= 16; shift += 8)
    mixed |= (uint32_t) lround ((a >> shift & 255) * (1 - share_of_b) + (b >> shift & 255) * share_of_b) << shift;
  return mixed;
}

void
paint_rounded (cairo_t *cr, double x, double y, double w, double h, double r)
{
  cairo_new_sub_path (cr);
  cairo_arc (cr, x + w - r, y + r, r, -G_PI_2, 0);
  cairo_arc (cr, x + w - r, y + h - r, r, 0, G_PI_2);
  cairo_arc (cr, x + r, y + h - r, r, G_PI_2, G_PI);
  cairo_arc (cr, x + r, y + r, r, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
}

const PaintColours *
paint_colours (bool dark)
{
  static const PaintColours light = { .canvas = 0xfafafa,
                                      .grid = 0xd8d8d4,
                                      .body = 0xffffff,
                                      .border = 0xb4b3ae,
                                      .text = 0x2b2b2b,
                                      .dim = 0x6a696e,
                                      .selection = 0x1c62c4,
                                      .error = 0xb3141f,
                                      .warning = 0xa84a00,
                                      .good = 0x1f7a55 };
  static const PaintColours night = { .canvas = 0x222222,
                                      .grid = 0x3b3b3b,
                                      .body = 0x323232,
                                      .border = 0x5c5c5c,
                                      .text = 0xeeeeee,
                                      .dim = 0xb0b0b0,
                                      .selection = 0x78aeed,
                                      .error = 0xff8a78,
                                      .warning = 0xffb066,
                                      .good = 0x6fd0a5 };
  return dark ? &night : &light;
}

uint32_t
paint_type_colour (const EveType *t, bool dark)
{
  uint32_t rgb = t ? t->colour : 0x777777;
  return dark ? paint_mix (rgb, 0xffffff, 0.35) : rgb;
}

static bool
in_sight (const PaintView *v, double x, double y, double w, double h, double margin)
{
  return x + w + margin >= v->x && y + h + margin >= v->y && x - margin <= v->x + v->width / v->zoom
         && y - margin <= v->y + v->height / v->zoom;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */
PangoLayout *
paint_layout (const Sketch *s, cairo_t *cr, double size_px, bool bold)
{
  PangoLayout *layout = pango_cairo_create_layout (cr);
  cairo_matrix_t m;
  cairo_get_matrix (cr, &m);
  if (m.xx != 1) { /* zoomed: letters rounded to pixels before would stand unevenly */
    cairo_font_options_t *options = cairo_font_options_create ();
    cairo_font_options_set_hint_metrics (options, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options (pango_layout_get_context (layout), options);
    pango_layout_context_changed (layout);
    cairo_font_options_destroy (options);
  }
  PangoFontDescription *font = pango_font_description_new ();
  pango_font_description_set_family (font, s->font);
  pango_font_description_set_absolute_size (font, size_px * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_font_description_free (font);
  return layout;
}

/* ---- under the boxes ----------------------------------------------------------------------------------------------- */
static void
paint_background (const PaintView *v, cairo_t *cr)
{
  const PaintColours *c = paint_colours (v->dark);
  paint_rgb (cr, c->canvas, 1);
  cairo_paint (cr);
  double step = GRID * v->zoom;
  while (step < 14)
    step *= 2;
  /* one tile, repeated: thousands of dots at the price of an image */
  int tile = (int) lround (step * v->scale);
  cairo_surface_t *dots = cairo_surface_create_similar_image (cairo_get_target (cr), CAIRO_FORMAT_ARGB32, tile, tile);
  cairo_surface_set_device_scale (dots, v->scale, v->scale);
  cairo_t *t = cairo_create (dots);
  paint_rgb (t, c->grid, 1);
  cairo_rectangle (t, 0, 0, 1.25, 1.25);
  cairo_fill (t);
  cairo_destroy (t);
  step = tile / v->scale;
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (dots);
  cairo_pattern_set_extend (pattern, CAIRO_EXTEND_REPEAT);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  cairo_save (cr);
  cairo_translate (cr, round (-fmod (v->x * v->zoom, step) * v->scale) / v->scale,
                   round (-fmod (v->y * v->zoom, step) * v->scale) / v->scale);
  cairo_set_source (cr, pattern);
  cairo_paint (cr);
  cairo_restore (cr);
  cairo_pattern_destroy (pattern);
  cairo_surface_destroy (dots);
}

static void
paint_title (const Sketch *s, const PaintView *v, cairo_t *cr, double x, double y, double width, const char *text,
             uint32_t rgb)
{
  if (v->zoom < 0.3)
    return;
  PangoLayout *layout = paint_layout (s, cr, 12, true);
  pango_layout_set_text (layout, text, -1);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  paint_rgb (cr, rgb, 1);
  cairo_move_to (cr, x, y);
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

/* In canvas px, as all that follows up to the bubbles. */
static void
paint_frame (const Sketch *s, const PaintView *v, cairo_t *cr, const Frame *f)
{
  const PaintColours *c = paint_colours (v->dark);
  uint32_t rgb = frame_colours[f->colour];
  paint_rounded (cr, f->x + 0.5, f->y + 0.5, f->width - 1, f->height - 1, 6);
  paint_rgb (cr, paint_mix (c->canvas, rgb, v->dark ? 0.16 : 0.12), 1);
  cairo_fill_preserve (cr);
  paint_rgb (cr, f->selected ? c->selection : paint_mix (c->canvas, rgb, 0.7), 1);
  cairo_set_line_width (cr, f->selected ? 2 : 1);
  cairo_stroke (cr);
  if (v->zoom >= 0.3) {
    PangoLayout *layout = paint_layout (s, cr, 12, true);
    pango_layout_set_text (layout, f->text, -1);
    pango_layout_set_width (layout, (int) ((f->width - 20) * PANGO_SCALE));
    pango_layout_set_height (layout, (int) ((f->height - 12) * PANGO_SCALE));
    pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    paint_rgb (cr, paint_mix (rgb, c->text, 0.6), 1);
    cairo_move_to (cr, f->x + 10, f->y + 6);
    pango_cairo_show_layout (cr, layout);
    g_object_unref (layout);
    cairo_set_line_width (cr, 1);
    paint_rgb (cr, rgb, 0.8);
    for (int i = 1; i <= 3; i++) { /* a corner to pull at */
      cairo_move_to (cr, f->x + f->width - 3, f->y + f->height - 3 - 3 * i);
      cairo_line_to (cr, f->x + f->width - 3 - 3 * i, f->y + f->height - 3);
    }
    cairo_stroke (cr);
  }
}

static void
paint_frames (const Sketch *s, const PaintView *v, cairo_t *cr, const GPtrArray *frames)
{
  for (guint i = 0; i < frames->len; i++) {
    const Frame *f = frames->pdata[i];
    if (in_sight (v, f->x, f->y, f->width, f->height, 4))
      paint_frame (s, v, cr, f);
  }
}

static void
paint_group (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchGroup *g)
{
  const PaintColours *c = paint_colours (v->dark);
  const double dashes[] = { 6, 4 };
  paint_rounded (cr, g->x + 0.5, g->y + 0.5, g->width - 1, g->height - 1, 8);
  paint_rgb (cr, paint_mix (c->canvas, v->hot_group == g ? c->selection : c->text, v->hot_group == g ? 0.1 : 0.045), 1);
  cairo_fill_preserve (cr);
  paint_rgb (cr, v->hot_group == g ? c->selection : c->dim, 0.9);
  cairo_set_line_width (cr, v->hot_group == g ? 2 : 1);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  double x = g->x + 14, y = g->y + SKETCH_HEADER / 2;
  paint_rgb (cr, c->dim, 1); /* a triangle that points down: it is open */
  cairo_move_to (cr, x - 4, y - 2);
  cairo_line_to (cr, x + 4, y - 2);
  cairo_line_to (cr, x, y + 4);
  cairo_fill (cr);
  paint_title (s, v, cr, g->x + 26, g->y + 5, g->width - 34, g->name, c->dim);
}

/* A flag with its name, where the bookmark leads to. */
static void
paint_bookmark (const Sketch *s, const PaintView *v, cairo_t *cr, const Bookmark *b)
{
  const PaintColours *c = paint_colours (v->dark);
  if (!in_sight (v, b->x, b->y, 0, 0, 200))
    return;
  paint_rgb (cr, c->selection, 0.9);
  cairo_rectangle (cr, b->x - 0.75, b->y - 16, 1.5, 16);
  cairo_fill (cr);
  cairo_move_to (cr, b->x, b->y - 16);
  cairo_line_to (cr, b->x + 11, b->y - 12);
  cairo_line_to (cr, b->x, b->y - 8);
  cairo_fill (cr);
  paint_title (s, v, cr, b->x + 14, b->y - 20, 160, b->name, c->selection);
}

static void
editor_paint_curve (cairo_t *cr, const double x[4], const double y[4])
{
  cairo_move_to (cr, x[0], y[0]);
  cairo_curve_to (cr, x[1], y[1], x[2], y[2], x[3], y[3]);
}

static void
wire_path (cairo_t *cr, const SketchWire *w)
{
  for (guint i = 0; i < w->curves->len; i++) {
    const SketchCurve *k = &g_array_index (w->curves, SketchCurve, i);
    if (!i)
      cairo_move_to (cr, k->x[0], k->y[0]);
    cairo_curve_to (cr, k->x[1], k->y[1], k->x[2], k->y[2], k->x[3], k->y[3]);
  }
}

/* The points that a wire goes through. */
static void
paint_bends (const PaintView *v, cairo_t *cr, const SketchWire *w, uint32_t rgb)
{
  const PaintColours *c = paint_colours (v->dark);
  for (guint i = 0; i < w->bends->len && v->zoom >= 0.3; i++) {
    const Bend *b = w->bends->pdata[i];
    cairo_arc (cr, b->x, b->y, 4, 0, 2 * G_PI);
    paint_rgb (cr, c->body, 1);
    cairo_fill_preserve (cr);
    paint_rgb (cr, rgb, 1);
    cairo_set_line_width (cr, 1.75);
    cairo_stroke (cr);
  }
}

static void
paint_wire (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchWire *w)
{
  const PaintColours *c = paint_colours (v->dark);
  const double dashes[] = { 5, 4 }, dots[] = { 1.5, 4.5 };
  cairo_rectangle_t r;
  sketch_wire_bounds (w, &r);
  if (!in_sight (v, r.x, r.y, r.width, r.height, 30))
    return;
  bool lively = w->selected || v->hot_wire == w || (w->start->box->selected && w->end->box->selected);
  wire_path (cr, w);
  if (lively) {
    paint_rgb (cr, w->selected || v->hot_wire == w ? c->selection : paint_type_colour (w->type, v->dark),
               w->selected ? 0.5 : 0.25);
    cairo_set_line_width (cr, w->selected ? MAX (8, 3.2 / v->zoom) : 7);
    cairo_stroke (cr);
    wire_path (cr, w);
  }
  cairo_set_line_width (cr, MAX (lively ? 2.5 : 1.75, 0.8 / v->zoom));
  uint32_t rgb = w->broken ? c->error : w->rests ? c->dim : paint_type_colour (w->type, v->dark);
  if (!w->broken) {
    paint_rgb (cr, rgb, 1);
    if (w->rests) /* a row of dots: an end of it is off */
      cairo_set_dash (cr, dots, 2, 0);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
    paint_bends (v, cr, w, rgb);
    return;
  }
  paint_rgb (cr, c->error, 1);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  paint_bends (v, cr, w, rgb);
  if (v->zoom < 0.5)
    return;
  g_autofree char *name = g_strdup_printf (_ ("%s → %s · carries nothing"), w->out, w->in);
  double x, y;
  sketch_wire_point (w, 0.5, &x, &y);
  PangoLayout *layout = paint_layout (s, cr, 10.5, false);
  pango_layout_set_text (layout, name, -1);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  if (fabs (w->end->x - w->start->x) < width + 24) { /* no room: the pointer is told */
    g_object_unref (layout);
    return;
  }
  paint_rounded (cr, x - width / 2.0 - 4, y - height / 2.0 - 1, width + 8, height + 2, 3);
  paint_rgb (cr, c->canvas, 0.95);
  cairo_fill (cr);
  paint_rgb (cr, c->error, 1);
  cairo_move_to (cr, x - width / 2.0, y - height / 2.0);
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

/* ---- over the boxes --------------------------------------------------------------------------------------------- */
static void
paint_probe (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchWire *w)
{
  g_autofree char *last = s->last (w->from, w->out);
  g_autofree char *value = NULL;
  const char *unit = w->start->unit;
  value = last ? g_strdup_printf ("%s%s%s", last, unit ? " " : "", unit ? unit : "") : g_strdup (_ ("nothing yet"));
  double x, y, wx, wy;
  sketch_wire_point (w, 0.5, &x, &y);
  if (!in_sight (v, x, y, 0, 0, 200))
    return;
  paint_to_window (v, x, y, &wx, &wy);
  paint_rgb (cr, paint_type_colour (w->type, v->dark), 1);
  cairo_set_line_width (cr, 1.5);
  cairo_move_to (cr, wx, wy);
  cairo_line_to (cr, wx, wy - 22);
  cairo_stroke (cr);
  cairo_arc (cr, wx, wy, 3, 0, 2 * G_PI);
  cairo_fill (cr);
  g_autofree char *markup = g_markup_escape_text (value, -1);
  paint_bubble (s, v, cr, wx, wy - 24, markup, BUBBLE_VALUE);
}

/* `clear`: it does not lie on this; NULL: beside x, y. */
static void
bubble (const Sketch *s, const PaintView *v, cairo_t *cr, double x, double y, const cairo_rectangle_t *clear,
        const char *markup, Bubble kind)
{
  const PaintColours *c = paint_colours (v->dark);
  PangoLayout *layout = paint_layout (s, cr, (kind == BUBBLE_VALUE ? 11 : 12) * v->text, false);
  pango_layout_set_markup (layout, markup, -1);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  int most = (int) ((kind == BUBBLE_VALUE ? 220 : 340) * v->text);
  if (width > most) {
    pango_layout_set_width (layout, most * PANGO_SCALE);
    if (kind == BUBBLE_VALUE)
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
    else
      pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_get_pixel_size (layout, &width, &height);
  }
  double w = width + 16, h = height + (kind == BUBBLE_VALUE ? 6 : 12);
  double left = kind == BUBBLE_VALUE ? x - w / 2 : x + 14, top = kind == BUBBLE_VALUE ? y - h : y + 18;
  if (clear) {
    left = clear->x;
    top = clear->y + clear->height + 8;
    if (top + h > v->height - 4)
      top = clear->y - h - 8;
    if (top < 4) { /* neither below nor above */
      left = clear->x + clear->width + 24 + w < v->width ? clear->x + clear->width + 24 : clear->x - w - 24;
      top = clear->y;
    }
  }
  if (kind != BUBBLE_VALUE) {
    if (!clear && top + h > v->height - 4)
      top = y - h - 10;
    left = CLAMP (left, 4, MAX (v->width - w - 4, 4));
    top = MAX (top, 4);
  }
  left = round (left);
  top = round (top);
  paint_rounded (cr, left + 0.5, top + 0.5, w - 1, h - 1, 5);
  uint32_t fill = kind == BUBBLE_VALUE ? (v->dark ? 0xe4e4e4 : 0x36393d) : c->body;
  uint32_t ink = kind == BUBBLE_VALUE ? (v->dark ? 0x202020 : 0xffffff) : kind == BUBBLE_REFUSAL ? c->error : c->text;
  paint_rgb (cr, fill, 0.97);
  cairo_fill_preserve (cr);
  paint_rgb (cr, kind == BUBBLE_REFUSAL ? c->error : c->border, 1);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  paint_rgb (cr, ink, 1);
  cairo_move_to (cr, left + 8, top + (kind == BUBBLE_VALUE ? 3 : 6));
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

void
paint_bubble (const Sketch *s, const PaintView *v, cairo_t *cr, double x, double y, const char *markup, Bubble kind)
{
  bubble (s, v, cr, x, y, NULL, markup, kind);
}

void
paint_bubble_of_box (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchBox *b, const char *markup)
{
  cairo_rectangle_t clear = { .width = b->width * v->zoom, .height = b->height * v->zoom };

  paint_to_window (v, b->x, b->y, &clear.x, &clear.y);
  bubble (s, v, cr, 0, 0, &clear, markup, BUBBLE_PLAIN);
}

void
paint_loose_wire (const PaintView *v, cairo_t *cr, const double x[4], const double y[4], const EveType *type, bool fits)
{
  const double dashes[] = { 6, 4 };
  cairo_save (cr);
  cairo_scale (cr, v->zoom, v->zoom);
  cairo_translate (cr, -v->x, -v->y);
  editor_paint_curve (cr, x, y);
  cairo_set_line_width (cr, 2.5);
  paint_rgb (cr, paint_type_colour (type, v->dark), 1);
  if (!fits)
    cairo_set_dash (cr, dashes, 2, 0);
  cairo_stroke (cr);
  cairo_restore (cr);
}

void
paint_rubber (const PaintView *v, cairo_t *cr, double x, double y, double width, double height)
{
  const PaintColours *c = paint_colours (v->dark);
  cairo_rectangle (cr, floor (x) + 0.5, floor (y) + 0.5, floor (width), floor (height));
  paint_rgb (cr, c->selection, 0.12);
  cairo_fill_preserve (cr);
  paint_rgb (cr, c->selection, 0.9);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

void
paint_focus (const PaintView *v, cairo_t *cr)
{
  cairo_rectangle (cr, 0.5, 0.5, v->width - 1, v->height - 1);
  paint_rgb (cr, paint_colours (v->dark)->selection, 0.7);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

bool
paint_sketch (Sketch *s, const PaintView *v, cairo_t *cr)
{
  bool blurred = false;
  gint64 until = v->budget_ms > 0 ? g_get_monotonic_time () + (gint64) (v->budget_ms * 1000) : G_MAXINT64;
  paint_background (v, cr);
  cairo_save (cr);
  cairo_scale (cr, v->zoom, v->zoom);
  cairo_translate (cr, -v->x, -v->y);
  cairo_set_tolerance (cr, 0.3);
  paint_frames (s, v, cr, s->frames);
  for (int depth = 0; depth < 8; depth++)
    for (guint i = 0; i < s->groups->len; i++) {
      const SketchGroup *g = s->groups->pdata[i];
      if (MIN (g->depth, 7) == depth && in_sight (v, g->x, g->y, g->width, g->height, 4)) {
        paint_group (s, v, cr, g);
        paint_frames (s, v, cr, g->frames); /* on the ground of their sub-program */
      }
    }
  for (guint i = 0; s->notes && i < s->notes->bookmarks->len && v->zoom >= 0.3; i++)
    paint_bookmark (s, v, cr, s->notes->bookmarks->pdata[i]);
  for (guint i = 0; i < s->wires->len; i++)
    if (s->wires->pdata[i] != v->hidden_wire)
      paint_wire (s, v, cr, s->wires->pdata[i]);
  cairo_restore (cr);
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    if (in_sight (v, b->x, b->y, b->width, b->height, 12))
      blurred |= paint_box (s, v, cr, b, until);
  }
  for (guint i = 0; i < s->boxes->len; i++) {
    const SketchBox *b = s->boxes->pdata[i];
    if (b->run == BOX_FAILS && b->problem && v->zoom >= 0.4 && in_sight (v, b->x, b->y, b->width, b->height, 200)) {
      double wx, wy;
      paint_to_window (v, b->x, b->y + b->height, &wx, &wy);
      g_autofree char *text = g_strndup (b->problem, 400);
      g_autofree char *valid = g_utf8_make_valid (text, -1), *markup = g_markup_escape_text (valid, -1);
      paint_bubble (s, v, cr, wx - 14, wy - 12, markup, BUBBLE_REFUSAL);
    }
  }
  for (guint i = 0; i < s->wires->len; i++) {
    const SketchWire *w = s->wires->pdata[i];
    if (w->pinned && v->zoom >= 0.3)
      paint_probe (s, v, cr, w);
  }
  return blurred;
}

/* ---- minimap ------------------------------------------------------------------------------------------------------ */
static double
minimap_scale (const cairo_rectangle_t *all, double *dx, double *dy)
{
  double scale = MIN ((MINIMAP_WIDTH - 12) / MAX (all->width, 1), (MINIMAP_HEIGHT - 12) / MAX (all->height, 1));
  *dx = (MINIMAP_WIDTH - all->width * scale) / 2 - all->x * scale;
  *dy = (MINIMAP_HEIGHT - all->height * scale) / 2 - all->y * scale;
  return scale;
}

bool
paint_minimap_area (const Sketch *s, const PaintView *v, cairo_rectangle_t *area)
{
  cairo_rectangle_t all;
  *area = (cairo_rectangle_t){ MINIMAP_MARGIN, v->height - MINIMAP_HEIGHT - MINIMAP_MARGIN, MINIMAP_WIDTH,
                               MINIMAP_HEIGHT };
  if (!sketch_bounds (s, &all) || v->width < 3 * MINIMAP_WIDTH || v->height < 2.5 * MINIMAP_HEIGHT)
    return false;
  return all.x < v->x || all.y < v->y || all.x + all.width > v->x + v->width / v->zoom
         || all.y + all.height > v->y + v->height / v->zoom;
}

void
paint_minimap_point (const Sketch *s, const PaintView *v, double x, double y, double *canvas_x, double *canvas_y)
{
  cairo_rectangle_t all, area;
  double dx, dy;
  paint_minimap_area (s, v, &area);
  if (!sketch_bounds (s, &all))
    return;
  double scale = minimap_scale (&all, &dx, &dy);
  *canvas_x = (x - area.x - dx) / scale;
  *canvas_y = (y - area.y - dy) / scale;
}

void
paint_minimap (const Sketch *s, const PaintView *v, cairo_t *cr)
{
  const PaintColours *c = paint_colours (v->dark);
  cairo_rectangle_t all, area;
  double dx, dy;
  if (!paint_minimap_area (s, v, &area) || !sketch_bounds (s, &all))
    return;
  double scale = minimap_scale (&all, &dx, &dy);
  cairo_save (cr);
  cairo_translate (cr, area.x, area.y);
  paint_rounded (cr, 0.5, 0.5, area.width - 1, area.height - 1, 4);
  paint_rgb (cr, c->body, 0.92);
  cairo_fill_preserve (cr);
  paint_rgb (cr, c->border, 1);
  cairo_set_line_width (cr, 1);
  cairo_stroke_preserve (cr);
  cairo_clip (cr);
  for (guint i = 0; i < s->frames->len; i++) {
    const Frame *f = s->frames->pdata[i];
    cairo_rectangle (cr, f->x * scale + dx, f->y * scale + dy, f->width * scale, f->height * scale);
    paint_rgb (cr, frame_colours[f->colour], 0.25);
    cairo_fill (cr);
  }
  for (guint i = 0; i < s->boxes->len; i++) {
    const SketchBox *b = s->boxes->pdata[i];
    cairo_rectangle (cr, b->x * scale + dx, b->y * scale + dy, MAX (b->width * scale, 2), MAX (b->height * scale, 2));
    paint_rgb (cr,
               b->run == BOX_FAILS ? c->error
               : b->selected       ? c->selection
                                   : paint_type_colour (b->gives, v->dark),
               0.8);
    cairo_fill (cr);
  }
  cairo_rectangle (cr, v->x * scale + dx, v->y * scale + dy, v->width / v->zoom * scale, v->height / v->zoom * scale);
  paint_rgb (cr, c->selection, 0.10);
  cairo_fill_preserve (cr);
  paint_rgb (cr, c->selection, 1);
  cairo_stroke (cr);
  cairo_restore (cr);
}
