/* SPDX-License-Identifier: Apache-2.0 */
#include "views/paint.h"
#include "eve/number.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>
#include "views/drawing.h"
#include "views/groups.h"
#include "views/palettes.h"
#include "views/slots.h"
#include "views/painter.h"

void
paint_over (Paint *p, const ViewScene *scene, cairo_t *cr)
{
  bool dark = scene->dark;

  *p = (Paint){ .cr = cr,
                .scene = scene,
                .paper = dark ? 0x1e1f22 : 0xffffff,
                .ink = dark ? 0xe6e6e3 : 0x222222,
                .muted = dark ? 0x9fa1a6 : 0x666666,
                .faint = dark ? 0x5f6166 : 0xb4b4b0,
                .grid = dark ? 0x33353a : 0xe6e5e1,
                .cursor = view_palette_of (scene->colours)->grey ? (dark ? 0xffffff : 0x000000)
                          : dark                                 ? 0xff5c63
                                                                 : 0xc01c28,
                .unknown = dark ? 0x3a3c42 : 0xd8d7d3 };
}

void
paint_begin (Paint *p, const ViewScene *scene, cairo_t *cr)
{
  paint_over (p, scene, cr);
  paint_source (cr, p->paper, 1);
  cairo_rectangle (cr, 0, 0, scene->width_px, scene->height_px);
  cairo_fill (cr);
}

void
paint_measure (Paint *p, const ViewScene *scene)
{
  cairo_surface_t *nothing = cairo_image_surface_create (CAIRO_FORMAT_A8, 1, 1);

  paint_over (p, scene, cairo_create (nothing));
  p->measures = true;
  cairo_surface_destroy (nothing);
}

void
paint_end (Paint *p)
{
  g_clear_object (&p->layout);
  if (p->measures)
    cairo_destroy (p->cr);
}

void
paint_source (cairo_t *cr, uint32_t rgb, double alpha)
{
  if (VIEW_PATTERN (rgb) != 0 && alpha >= 1) /* what lies over other things is quiet */
    paint_pattern_source (cr, rgb);
  else
    cairo_set_source_rgba (cr, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, alpha);
}

uint32_t
paint_mix (uint32_t a, uint32_t b, double share)
{
  uint32_t mixed = 0;

  for (int shift = 0; shift < 24; shift += 8) {
    double x = (double) (a >> shift & 255), y = (double) (b >> shift & 255);
    mixed |= (uint32_t) (x + (y - x) * share + 0.5) << shift;
  }
  return mixed;
}

/* Relative luminance (WCAG 2), then the lightness of CIE L*. */
double
paint_lightness (uint32_t rgb)
{
  static const double weight[] = { 0.0722, 0.7152, 0.2126 };
  double y = 0;

  for (int i = 0; i < 3; i++) {
    double c = (rgb >> 8 * i & 255) / 255.0;
    y += weight[i] * (c <= 0.04045 ? c / 12.92 : pow ((c + 0.055) / 1.055, 2.4));
  }
  return y > 0.008856 ? 1.16 * cbrt (y) - 0.16 : 9.033 * y;
}

uint32_t
paint_ink_on (uint32_t rgb)
{
  return paint_lightness (rgb) > 0.62 ? 0x1b1b1b : 0xffffff;
}

/* ---- text ---------------------------------------------------------------------------------------------- */

static PangoLayout *
views_paint_prepare (Paint *p, int px, const char *text)
{
  if (p->layout == NULL) {
    PangoAttrList *attributes = pango_attr_list_new ();
    p->layout = pango_cairo_create_layout (p->cr);
    /* Text is as wide on all that can be painted on, whatever its scale: where things stand must not hang on it. */
    cairo_font_options_t *font = cairo_font_options_create ();
    cairo_font_options_set_hint_metrics (font, CAIRO_HINT_METRICS_OFF);
    pango_cairo_context_set_font_options (pango_layout_get_context (p->layout), font);
    cairo_font_options_destroy (font);
    pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
    pango_layout_set_attributes (p->layout, attributes);
    pango_layout_set_single_paragraph_mode (p->layout, TRUE);
    pango_attr_list_unref (attributes);
  }
  if (p->text_px != px) {
    PangoFontDescription *font = pango_font_description_from_string ("Noto Sans, Cantarell, DejaVu Sans, sans-serif");
    pango_font_description_set_absolute_size (font, (px & ~PAINT_BOLD) * PANGO_SCALE);
    if (px & PAINT_BOLD)
      pango_font_description_set_weight (font, PANGO_WEIGHT_SEMIBOLD);
    pango_layout_set_font_description (p->layout, font);
    pango_font_description_free (font);
    p->text_px = px;
  }
  pango_layout_set_width (p->layout, -1);
  if (g_utf8_validate (text, -1, NULL)) {
    pango_layout_set_text (p->layout, text, -1);
  } else {
    g_autofree char *valid = g_utf8_make_valid (text, -1);
    pango_layout_set_text (p->layout, valid, -1);
  }
  return p->layout;
}

#define WIDTHS 1024 /* texts of a thread whose width is remembered: to measure one takes as long as to paint it */

typedef struct Width {
  int32_t width; /* of Pango */
  int16_t px;    /* 0: none is remembered */
  char text[122];
} Width;

static GPrivate text_widths = G_PRIVATE_INIT (g_free); /* Width[WIDTHS], by a hash of the text */

static int
measure_text (Paint *p, int px, const char *text)
{
  int width;

  pango_layout_get_size (views_paint_prepare (p, px, text), &width, NULL);
  return width;
}

double
paint_text_width (Paint *p, int px, const char *text)
{
  Width *all = g_private_get (&text_widths), *w;

  if (strlen (text) >= sizeof w->text)
    return (double) measure_text (p, px, text) / PANGO_SCALE;
  if (all == NULL)
    g_private_set (&text_widths, all = g_new0 (Width, WIDTHS));
  w = &all[(g_str_hash (text) ^ (guint) px * 31) % WIDTHS];
  if (w->px != px || strcmp (w->text, text) != 0) {
    w->width = measure_text (p, px, text);
    w->px = (int16_t) px;
    g_strlcpy (w->text, text, sizeof w->text);
  }
  return (double) w->width / PANGO_SCALE;
}

double
paint_text (Paint *p, double x, double y, double align, int px, uint32_t rgb, double max_px, const char *text)
{
  PangoLayout *layout = views_paint_prepare (p, px & ~PAINT_NAME, text);
  int width, height;

  pango_layout_get_size (layout, &width, &height);
  if (max_px > 0 && width > max_px * PANGO_SCALE) {
    pango_layout_set_width (layout, (int) (max_px * PANGO_SCALE));
    pango_layout_set_ellipsize (layout, px & PAINT_NAME ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
    pango_layout_get_size (layout, &width, &height);
  }
  if (p->measures)
    return (double) width / PANGO_SCALE;
  paint_source (p->cr, VIEW_PLAIN (rgb), 1);
  cairo_move_to (p->cr, x - align * width / PANGO_SCALE, round (y - (double) height / PANGO_SCALE / 2));
  pango_cairo_show_layout (p->cr, layout);
  return (double) width / PANGO_SCALE;
}

void
paint_lost (Paint *p, double x, double y, double width, double height)
{
  width = MAX (width, 3);
  cairo_save (p->cr);
  cairo_rectangle (p->cr, x, y, width, height);
  cairo_clip (p->cr);
  paint_source (p->cr, p->paper, 1);
  cairo_paint (p->cr);
  paint_source (p->cr, p->cursor, 1);
  cairo_set_line_width (p->cr, 1.5);
  for (double at = floor ((x - height) / 5) * 5; at < x + width; at += 5) {
    cairo_move_to (p->cr, at, y + height);
    cairo_line_to (p->cr, at + height, y);
  }
  cairo_stroke (p->cr);
  cairo_restore (p->cr);
}

/* In as many lines as there is room for: it says what to do. */
void
paint_sentence (Paint *p, const char *text)
{
  PangoLayout *layout = views_paint_prepare (p, PAINT_TITLE, in_words (text));
  double room = MAX (p->scene->width_px - 40, 1), high = MAX (p->scene->height_px - 8, 1);
  int width, height;

  pango_layout_set_width (layout, (int) (room * PANGO_SCALE));
  pango_layout_set_height (layout, (int) (high * PANGO_SCALE));
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
  pango_layout_get_size (layout, &width, &height);
  if (!p->measures) {
    paint_source (p->cr, VIEW_PLAIN (p->muted), 1);
    cairo_move_to (p->cr, round ((p->scene->width_px - room) / 2),
                   round ((p->scene->height_px - (double) height / PANGO_SCALE) / 2));
    pango_cairo_show_layout (p->cr, layout);
  }
  pango_layout_set_height (layout, -1);
  pango_layout_set_alignment (layout, PANGO_ALIGN_LEFT);
}

/* ---- states -------------------------------------------------------------------------------------------- */

static int
views_paint_state_attribute_of (const StateGraph *g, StateScope scope)
{
  return g != NULL ? state_with_role (g->model, scope, STATE_ROLE_STATE) : -1;
}

const char *
paint_state_attribute (const StateGraph *g, StateScope scope)
{
  int attribute = views_paint_state_attribute_of (g, scope);

  return attribute >= 0 ? g->model->attributes[attribute].name : "State";
}

static const StateValue *
views_paint_value_of (const StateGraph *g, StateScope scope, uint32_t state)
{
  return state_value (g != NULL ? g->model : NULL, views_paint_state_attribute_of (g, scope), state);
}

const char *
paint_state_name (const StateGraph *g, StateScope scope, uint32_t state)
{
  return views_paint_value_of (g, scope, state)->name;
}

const char *
paint_state_word (const StateGraph *g, StateScope scope, uint32_t state)
{
  return state_value_word (views_paint_value_of (g, scope, state));
}

const char *
paint_word (const StateGraph *g, StateScope scope, const char *name)
{
  return state_word (g != NULL ? g->model : NULL, views_paint_state_attribute_of (g, scope), name);
}

StateSense
paint_state_sense (const StateGraph *g, StateScope scope, uint32_t state)
{
  return views_paint_value_of (g, scope, state)->sense;
}

bool
paint_state_is_given (const StateGraph *g, StateScope scope, uint32_t state)
{
  return views_paint_value_of (g, scope, state)->given
         || views_paint_value_of (g, scope, state)->sense == STATE_SENSE_NONE;
}

/* Where states are selected, the others stand back. */
static uint32_t
stand_back (const ViewScene *scene, const char *attribute, const char *name, uint32_t rgb)
{
  const TraceRefs *s = scene->selection;
  bool back = false;
  uint32_t i = 0;

  for (TraceRef r = trace_refs_value_at (s, 0); r.type != TRACE_REF_NONE; r = trace_refs_value_at (s, ++i)) {
    const char *of, *value = trace_ref_named_by (r, &of);
    if (of == NULL || strcmp (of, attribute) != 0)
      continue;
    if (name != NULL && strcmp (value, name) == 0)
      return rgb;
    back = true;
  }
  return back ? paint_mix (rgb, scene->dark ? 0x1e1f22 : 0xffffff, 0.78) : rgb;
}

uint32_t
paint_state (const ViewScene *scene, StateScope scope, uint32_t state)
{
  const char *attribute = paint_state_attribute (scene->graph, scope);
  const StateValue *value = views_paint_value_of (scene->graph, scope, state);

  return stand_back (scene, attribute, value->name,
                     view_state_colour (scene->colours, scope, attribute, value, scene->dark));
}

uint32_t
paint_state_named (const ViewScene *scene, StateScope scope, const char *name)
{
  int attribute = views_paint_state_attribute_of (scene->graph, scope);
  const StateAttribute *a = attribute >= 0 ? &scene->graph->model->attributes[attribute] : NULL;
  StateValue unknown = { name, STATE_SENSE_NONE };

  for (uint32_t i = 0; a != NULL && i < a->n_values; i++)
    if (strcmp (a->values[i].name, name) == 0)
      return view_state_colour (scene->colours, scope, a->name, &a->values[i], scene->dark);
  return view_state_colour (scene->colours, scope, paint_state_attribute (NULL, scope), &unknown, scene->dark);
}

const char *
paint_slot_name (const StateGraph *g, StateScope scope, const StateSlots *slots, uint32_t slot)
{
  uint32_t state = slots != NULL ? slots->state[slot] : slot;

  return state == SLOTS_OTHERS ? "others" : paint_state_name (g, scope, state);
}

const char *
paint_slot_word (const StateGraph *g, StateScope scope, const StateSlots *slots, uint32_t slot)
{
  uint32_t state = slots != NULL ? slots->state[slot] : slot;

  return state == SLOTS_OTHERS ? _ ("others") : paint_state_word (g, scope, state);
}

uint32_t
paint_slot (const ViewScene *scene, StateScope scope, const StateSlots *slots, uint32_t slot)
{
  uint32_t state = slots != NULL ? slots->state[slot] : slot;

  if (state == SLOTS_OTHERS)
    return stand_back (scene, paint_state_attribute (scene->graph, scope), NULL, scene->dark ? 0x9a9a9a : 0x8c8c8c);
  return paint_state (scene, scope, state);
}

uint32_t
paint_thinness (const ViewScene *scene, const StateSlots *slots, uint32_t slot)
{
  uint32_t state = slots != NULL ? slots->state[slot] : slot;
  const StateValue *value = state != SLOTS_OTHERS ? views_paint_value_of (scene->graph, STATE_NODE, state) : NULL;

  return value == NULL || value->sense != STATE_SENSE_GONE ? 1 : value->unborn ? 12 : 5;
}

static void
polygon (cairo_t *cr, double x, double y, double r, int n, double turn)
{
  for (int i = 0; i < n; i++)
    cairo_line_to (cr, x + r * cos (turn + 2 * G_PI * i / n), y + r * sin (turn + 2 * G_PI * i / n));
  cairo_close_path (cr);
}

const char *const paint_shapes[PAINT_SHAPES] = {
  "disc", "hexagon", "ring", "square", "crossed", "diamond", "triangle"
};

static const uint8_t shapes[] = {
  [STATE_SENSE_NONE] = PAINT_DISC,   [STATE_SENSE_WORKS] = PAINT_DISC,   [STATE_SENSE_COSTS] = PAINT_HEXAGON,
  [STATE_SENSE_WAITS] = PAINT_RING,  [STATE_SENSE_TALKS] = PAINT_SQUARE, [STATE_SENSE_REST] = PAINT_THIN_RING,
  [STATE_SENSE_GONE] = PAINT_CROSSED
};

uint32_t
paint_shape (Paint *p, double x, double y, double r, uint32_t state)
{
  return paint_shape_in (p, x, y, r, state, paint_state (p->scene, STATE_NODE, state));
}

uint32_t
paint_shape_in (Paint *p, double x, double y, double r, uint32_t state, uint32_t rgb)
{
  const StateValue *value = views_paint_value_of (p->scene->graph, STATE_NODE, state);

  return paint_shape_of (p, x, y, r, value->unborn ? PAINT_DASHED_RING : (PaintShape) shapes[value->sense], rgb);
}

uint32_t
paint_shape_of (Paint *p, double x, double y, double r, PaintShape shape, uint32_t rgb)
{
  cairo_t *cr = p->cr;

  cairo_new_path (cr);
  paint_source (cr, rgb, 1);
  switch (shape) {
  case PAINT_HEXAGON:
    polygon (cr, x, y, r * 1.08, 6, 0);
    cairo_fill (cr);
    return paint_ink_on (rgb);
  case PAINT_RING:
  case PAINT_THIN_RING:
    cairo_arc (cr, x, y, r, 0, 2 * G_PI);
    cairo_fill (cr);
    paint_source (cr, p->paper, 1);
    cairo_arc (cr, x, y, r * (shape == PAINT_RING ? 0.80 : 0.90), 0, 2 * G_PI);
    cairo_fill (cr);
    return p->ink;
  case PAINT_DASHED_RING:
    cairo_set_line_width (cr, MAX (1, r * 0.12));
    cairo_set_dash (cr, (double[]){ r * G_PI / 9, r * G_PI / 9 }, 2, 0);
    cairo_arc (cr, x, y, r * 0.92, 0, 2 * G_PI);
    cairo_stroke (cr);
    cairo_set_dash (cr, NULL, 0, 0);
    return p->ink;
  case PAINT_SQUARE:
    polygon (cr, x, y, r * 1.24, 4, G_PI / 4);
    cairo_fill (cr);
    return paint_ink_on (rgb);
  case PAINT_DIAMOND:
    polygon (cr, x, y, r * 1.24, 4, 0);
    cairo_fill (cr);
    return paint_ink_on (rgb);
  case PAINT_TRIANGLE:
    polygon (cr, x, y + r * 0.15, r * 1.4, 3, -G_PI / 2);
    cairo_fill (cr);
    return paint_ink_on (rgb);
  case PAINT_CROSSED:
    cairo_arc (cr, x, y, r, 0, 2 * G_PI);
    cairo_fill (cr);
    paint_source (cr, p->paper, 0.55);
    cairo_set_line_width (cr, MAX (1, r * 0.09));
    for (int i = -1; i <= 1; i += 2) {
      cairo_move_to (cr, x - r * 0.7, y - i * r * 0.7);
      cairo_line_to (cr, x + r * 0.7, y + i * r * 0.7);
    }
    cairo_stroke (cr);
    return paint_ink_on (rgb);
  default:
    cairo_arc (cr, x, y, r, 0, 2 * G_PI);
    cairo_fill (cr);
    return paint_ink_on (rgb);
  }
}

/* "Busy 47.5 %", "Busy 48 %", "Busy": what stands behind the name, from what tells most to what needs least. */
static char *
legend_share (uint32_t slot, const double *shares, int brevity)
{
  double percent = shares != NULL ? 100 * shares[slot] : 0;
  bool least = false;

  if (shares == NULL || brevity > 1 || isnan (percent))
    return g_strdup ("");
  if (percent > 0 && percent < (brevity == 0 ? 0.05 : 0.5))
    percent = brevity == 0 ? 0.1 : 1, least = true;
  g_autofree char *share = number_percent (percent, 1 - brevity);
  return g_strdup_printf (least ? " <\u2009%s" : " %s", share);
}

#define LEGEND_NAME_PX 140.0 /* a longer name is cut, or it would take the room of all others; its share is not */

static double
legend_text_width (Paint *p, const char *name, const char *share)
{
  return MIN (paint_text_width (p, PAINT_TEXT, name), LEGEND_NAME_PX)
         + (*share != '\0' ? paint_text_width (p, PAINT_TEXT, share) : 0);
}

void
paint_unnamed (Paint *p, uint32_t rgb, const char *name)
{
  if (p->scene->unnamed != NULL)
    g_array_append_val (p->scene->unnamed, ((ViewUnnamed){ rgb, g_strdup (name) }));
}

static void
views_paint_unnamed_slots (Paint *p, StateScope scope, const StateSlots *slots, uint32_t met, const double *shares)
{
  for (; met != 0; met &= met - 1) {
    uint32_t slot = (uint32_t) __builtin_ctz (met);
    g_autofree char *share = legend_share (slot, shares, 0);
    g_autofree char *text = g_strconcat (paint_slot_word (p->scene->graph, scope, slots, slot), share, NULL);
    paint_unnamed (p, paint_slot (p->scene, scope, slots, slot), text);
  }
}

static double
legend_width (Paint *p, StateScope scope, const StateSlots *slots, uint32_t met, const double *shares, int brevity)
{
  double width = -18;

  for (; met != 0; met &= met - 1) {
    uint32_t slot = (uint32_t) __builtin_ctz (met);
    g_autofree char *share = legend_share (slot, shares, brevity);
    width += 16 + legend_text_width (p, paint_slot_word (p->scene->graph, scope, slots, slot), share) + 18;
  }
  return width;
}

#define MORE_PX 40 /* room for "+12" */

/* When a legend `most` wide has no room for all, the states that last shortest are left out: what is seen most has its
 * name.  Gives how many. */
static int
views_paint_leave_out (Paint *p, StateScope scope, const StateSlots *slots, uint32_t *met, const double *shares,
                       int brevity, double most)
{
  double widths[SLOTS_MOST] = { 0 }, width = 0;
  int out = 0;

  for (uint32_t left = *met; left != 0; left &= left - 1) {
    uint32_t slot = (uint32_t) __builtin_ctz (left);
    widths[slot] = 18 + legend_width (p, scope, slots, 1u << slot, shares, brevity);
    width += widths[slot];
  }
  while (width > most && (*met & (*met - 1)) != 0) {
    uint32_t least = (uint32_t) __builtin_ctz (*met);
    for (uint32_t left = *met; left != 0; left &= left - 1)
      if (!(shares[__builtin_ctz (left)] > shares[least])) /* NaN: it is no part of a life */
        least = (uint32_t) __builtin_ctz (left);
    width -= widths[least];
    *met &= ~(1u << least);
    out++;
  }
  return out;
}

/* What a legend names can be pointed at, and selected. */
static void
views_paint_mark_legend (Paint *p, double x, double y, double width, StateScope scope, const StateSlots *slots,
                         uint32_t slot)
{
  bool one = slots == NULL || slots->state[slot] != SLOTS_OTHERS;

  if (p->drawing == NULL)
    return;
  drawing_area (
      p->drawing, x, y - 9, width, 18,
      &(DrawingTag){ DRAWING_NO_DATES,
                     .attribute = one ? g_intern_string (paint_state_attribute (p->scene->graph, scope)) : NULL,
                     .value = one ? g_intern_string (paint_slot_name (p->scene->graph, scope, slots, slot)) : NULL,
                     .index = slot, .part = DRAWING_LEGEND });
}

/* What the name of the trace takes at the right, which paint_note() writes: which execution it is counts more than the
 * last names of a legend. */
static double
views_paint_trace_px (Paint *p)
{
  const char *trace = p->scene->trace;

  return trace != NULL ? MIN (paint_text_width (p, PAINT_TEXT, trace) + 24, p->scene->width_px / 3) : 0;
}

double
paint_legend (Paint *p, double x, double y, StateScope scope, const StateSlots *slots, uint32_t met,
              const double *shares)
{
  double most = p->scene->width_px - 12 - views_paint_trace_px (p), width;
  int brevity = 0, out = 0;

  if (p->scene->keyed && shares == NULL)
    return x;
  while ((width = legend_width (p, scope, slots, met, shares, brevity)) > most - 16 && brevity < 2)
    brevity++;
  if (p->scene->keyed && brevity > 1) /* without its shares it tells nothing that the one beside does not */
    return x;
  if (shares != NULL && width > most - 16) {
    uint32_t all = met;
    out = views_paint_leave_out (p, scope, slots, &met, shares, brevity, most - 16 - MORE_PX);
    views_paint_unnamed_slots (p, scope, slots, all & ~met, shares);
    width = legend_width (p, scope, slots, met, shares, brevity) + MORE_PX;
  }
  x = MAX (MIN (x, most - width), MIN (x, 16)); /* rather further left than shorter */
  for (; met != 0; met &= met - 1) {
    uint32_t slot = (uint32_t) __builtin_ctz (met), rgb = paint_slot (p->scene, scope, slots, slot);
    const char *name = paint_slot_word (p->scene->graph, scope, slots, slot);
    g_autofree char *share = legend_share (slot, shares, brevity);
    g_autofree char *more = g_strdup_printf ("+%d", __builtin_popcount (met) + out);
    double room = most + 8 - x - 16 - legend_text_width (p, name, share);
    /* half a name tells nothing: how many there are is told in its place, for which there must be room */
    if (room < 0 || (room < 18 + paint_text_width (p, PAINT_TEXT, more) && (met & (met - 1)) != 0)) {
      views_paint_unnamed_slots (p, scope, slots, met, shares);
      return x + paint_text (p, x, y, 0, PAINT_TEXT, p->muted, 0, more) + 18;
    }
    double high = ceil (10.0 / (scope == STATE_NODE ? paint_thinness (p->scene, slots, slot) : 1));
    paint_source (p->cr, high < 10 ? VIEW_PLAIN (rgb) : rgb, 1);
    cairo_rectangle (p->cr, round (x), round (y) - ceil (high / 2), 10, high);
    cairo_fill (p->cr);
    double begin = round (x);
    x = begin + 16;
    x += paint_text (p, x, y, 0, PAINT_TEXT | PAINT_NAME, p->ink, LEGEND_NAME_PX, name);
    x += (*share != '\0' ? paint_text (p, x, y, 0, PAINT_TEXT, p->ink, 0, share) : 0) + 18;
    views_paint_mark_legend (p, begin, y, x - begin - 12, scope, slots, slot);
  }
  if (out > 0) {
    g_autofree char *more = g_strdup_printf ("+%d", out);
    x += paint_text (p, x, y, 0, PAINT_TEXT, p->muted, 0, more) + 18;
  }
  return x;
}

const char *
paint_alone (const ViewScene *scene)
{
  const Groups *g = scene->groups;

  return g != NULL && g->n_parts < g->n_tasks ? _ ("each task alone: groups do not count here") : NULL;
}

#define NUMBER_BEGINS '\001' /* around what a conversion of a whole number prints: what is known to be a number */
#define NUMBER_ENDS '\002'

/* The format, with these around each %u, %d, %i and their lengths; positions of translations stay. */
static char *
with_marks (const char *format)
{
  GString *to = g_string_new (NULL);

  for (const char *s = format, *end; *s != '\0'; s = end) {
    if (*s != '%') {
      g_string_append_c (to, *s);
      end = s + 1;
      continue;
    }
    end = s + 1 + strspn (s + 1, "0123456789$#-+ .*hlqjzt");
    bool whole = *end != '\0' && strchr ("udi", *end) != NULL;
    end += *end != '\0';
    if (whole)
      g_string_append_c (to, NUMBER_BEGINS);
    g_string_append_len (to, s, end - s);
    if (whole)
      g_string_append_c (to, NUMBER_ENDS);
  }
  return g_string_free (to, FALSE);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
paint_tell_with (GString *to, const char *format, va_list what)
{
  g_autofree char *marked = with_marks (format), *text = g_strdup_vprintf (marked, what);

  for (const char *s = text, *end; *s != '\0'; s = end) {
    size_t n = *s == NUMBER_BEGINS ? strspn (s + 1, "-0123456789") : 0;
    end = s + 1;
    if (n > 0 && s[n + 1] == NUMBER_ENDS) {
      g_autofree char *number = g_strndup (s + 1, n), *threes = paint_in_threes (number, false);
      g_string_append (to, threes);
      end = s + n + 2;
    } else if (*s != NUMBER_BEGINS && *s != NUMBER_ENDS)
      g_string_append_c (to, *s);
  }
}
#pragma GCC diagnostic pop

char *
paint_told (const char *format, ...)
{
  GString *to = g_string_new (NULL);
  va_list what;

  va_start (what, format);
  paint_tell_with (to, format, what);
  va_end (what);
  return g_string_free (to, FALSE);
}

void
paint_tell (GString *to, const char *format, ...)
{
  va_list what;

  va_start (what, format);
  paint_tell_with (to, format, what);
  va_end (what);
}

char *
paint_joined (const char *one, const char *other)
{
  bool first = one != NULL && *one != '\0', then = other != NULL && *other != '\0';

  return first && then   ? g_strconcat (one, _ ("; "), other, NULL)
         : first || then ? g_strdup (first ? one : other)
                         : NULL;
}

/* Ends a text before its semicolon, which French has a no-break space before. */
static void
end_at (const char *text, char *cut)
{
  while (cut > text && g_unichar_isspace (g_utf8_get_char (g_utf8_prev_char (cut))))
    cut = g_utf8_prev_char (cut);
  *cut = '\0';
}

void
paint_end_note (GString *note)
{
  if (g_str_has_suffix (note->str, "; ")) {
    end_at (note->str, note->str + note->len - 2);
    g_string_set_size (note, strlen (note->str));
  }
}

void
paint_note (Paint *p, double x, double y, const char *note)
{
  g_autofree char *text = paint_joined (p->scene->trace, note);
  double room = p->scene->width_px - 16 - x;
  char *cut;

  while (text != NULL && paint_text_width (p, PAINT_TEXT, text) > room && (cut = strrchr (text, ';')) != NULL)
    end_at (text, cut);
  if (text != NULL && (p->scene->trace != NULL ? room > 40 : paint_text_width (p, PAINT_TEXT, text) <= room))
    paint_text (p, p->scene->width_px - 16, y, 1, PAINT_TEXT | PAINT_NAME, p->muted, room, text);
}

char *
paint_in_threes (const char *number, bool behind)
{
  const char *point = strchr (number, '.'), *digits = !behind         ? number + (*number == '-')
                                                      : point != NULL ? point + 1
                                                                      : "";
  size_t n = strspn (digits, "0123456789");
  GString *to;

  if (n <= 4)
    return number_local (g_strdup (number));
  to = g_string_new_len (number, digits - number);
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && (behind ? i : n - i) % 3 == 0)
      g_string_append (to, behind ? "\u202f" : number_thousands ()); /* narrow, and no line breaks there */
    g_string_append_c (to, digits[i]);
  }
  return number_local (g_string_free (g_string_append (to, digits + n), FALSE));
}

char *
paint_bytes (double bytes)
{
  char text[32];

  trace_write_bytes (bytes, text, sizeof text);
  return g_strdup (text);
}
