/* SPDX-License-Identifier: Apache-2.0 */
/* sketch.c - places of boxes, ports and wires. */
#include "editor/sketch.h"
#include "eve/words.h"
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#define MIN_WIDTH 144.0
#define MAX_WIDTH 264.0
#define FRAME_TITLE_PX 24.0
#define FRAME_CORNER_PX 14.0

/* ---- memory --------------------------------------------------------------------------------------------------- */
static void
port_free (void *port)
{
  g_free (((SketchPort *) port)->label);
  g_free (port);
}

static void
box_free (void *box)
{
  SketchBox *b = box;
  g_clear_pointer (&b->picture, cairo_surface_destroy);
  g_ptr_array_unref (b->ports);
  g_ptr_array_unref (b->members);
  g_ptr_array_unref (b->frames);
  g_free (b->name);
  g_free (b->problem);
  g_free (b);
}

static void
editor_sketch_group_free (void *group)
{
  g_free (((SketchGroup *) group)->name);
  g_ptr_array_unref (((SketchGroup *) group)->members);
  g_ptr_array_unref (((SketchGroup *) group)->frames);
  g_free (group);
}

static void
wire_free (void *wire)
{
  SketchWire *w = wire;
  g_array_unref (w->curves);
  g_ptr_array_unref (w->bends);
  g_free (w);
}

Sketch *
sketch_new (const char *font_family)
{
  Sketch *s = g_new0 (Sketch, 1);
  s->boxes = g_ptr_array_new_with_free_func (box_free);
  s->wires = g_ptr_array_new_with_free_func (wire_free);
  s->groups = g_ptr_array_new_with_free_func (editor_sketch_group_free);
  s->frames = g_ptr_array_new ();
  s->widths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  s->font = g_strdup (font_family);
  s->last = eve_out_last;
  return s;
}

void
sketch_free (Sketch *s)
{
  if (!s)
    return;
  g_ptr_array_unref (s->boxes);
  g_ptr_array_unref (s->wires);
  g_ptr_array_unref (s->groups);
  g_ptr_array_unref (s->frames);
  g_hash_table_unref (s->widths);
  notes_free (s->notes);
  g_free (s->font);
  g_free (s);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------ */
static double
editor_sketch_width_of (Sketch *s, const char *text, bool bold)
{
  static PangoLayout *layout; /* one for the process: making it takes longer than measuring */
  g_autofree char *key = g_strdup_printf ("%d%s", bold, text);
  double *known = g_hash_table_lookup (s->widths, key);
  if (known)
    return *known;
  if (!layout) {
    PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
    layout = pango_layout_new (context);
    g_object_unref (context);
  }
  PangoFontDescription *font = pango_font_description_new ();
  pango_font_description_set_family (font, s->font);
  pango_font_description_set_absolute_size (font, (bold ? 12 : 11) * PANGO_SCALE);
  pango_font_description_set_weight (font, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_layout_set_font_description (layout, font);
  pango_layout_set_text (layout, text, -1);
  int width;
  pango_layout_get_pixel_size (layout, &width, NULL);
  pango_font_description_free (font);
  double *kept = g_new (double, 1);
  *kept = width;
  if (g_hash_table_size (s->widths) > 5000)
    g_hash_table_remove_all (s->widths);
  g_hash_table_insert (s->widths, g_steal_pointer (&key), kept);
  return width;
}

static void
editor_sketch_measure (Sketch *s, SketchBox *b)
{
  double left = 0, right = 0,
         wide = MAX (editor_sketch_width_of (s, b->name, true) + 44,
                     editor_sketch_width_of (s, in_words (b->name), true) + 24);
  guint rows_in = 0, rows_out = 0, top = 0;
  for (guint i = 0; i < b->ports->len; i++) {
    const SketchPort *p = b->ports->pdata[i];
    if (p->side == SIDE_LEFT) {
      left = MAX (left, editor_sketch_width_of (s, p->label, false));
      rows_in++;
    } else if (p->side == SIDE_RIGHT) {
      right = MAX (right, editor_sketch_width_of (s, p->label, false));
      rows_out++;
    } else
      top++;
  }
  wide = MAX (wide, left + right + 24 + (left > 0 && right > 0 ? 16 : 0));
  wide = MAX (wide, 48 + top * 24.0);
  b->width = ceil (CLAMP (wide, MIN_WIDTH, MAX_WIDTH) / SKETCH_GRID) * SKETCH_GRID;
  b->height = SKETCH_HEADER + MAX (MAX (rows_in, rows_out), 1) * SKETCH_ROW + SKETCH_ROW + 6;
}

static void
place_ports (SketchBox *b)
{
  guint in = 0, out = 0, top_in = 0, top_out = 0;
  for (guint i = 0; i < b->ports->len; i++) {
    SketchPort *p = b->ports->pdata[i];
    switch (p->side) {
    case SIDE_LEFT:
      p->x = b->x;
      p->y = b->y + SKETCH_HEADER + 2 + (in++ + 0.5) * SKETCH_ROW;
      break;
    case SIDE_RIGHT:
      p->x = b->x + b->width;
      p->y = b->y + SKETCH_HEADER + 2 + (out++ + 0.5) * SKETCH_ROW;
      break;
    case SIDE_TOP:
      p->x = p->out ? b->x + b->width - 24 - 24.0 * top_out++ : b->x + 24 + 24.0 * top_in++;
      p->y = b->y;
      break;
    }
  }
}

/* ---- ports ------------------------------------------------------------------------------------------------------ */
static SketchPort *
editor_sketch_add_port (SketchBox *b, EveComponent *c, const char *name, bool out)
{
  SketchPort *p = g_new0 (SketchPort, 1);
  *p = (SketchPort){ .box = b,
                     .c = c,
                     .name = g_intern_string (name),
                     .out = out,
                     .label = g_strdup (name),
                     .side = out ? SIDE_RIGHT : SIDE_LEFT };
  const EveClass *k = eve_class (c);
  int i = eve_is_ghost (c) ? -1 : out ? eve_class_out (k, name) : eve_class_in (k, name);
  p->missing = i < 0;
  if (i >= 0 && out) {
    const EveOutSpec *spec = &k->outs[i];
    p->control = spec->role == EVE_CONTROL;
    p->type = eve_out_type (eve_base (c)->out[i]);
    p->unit = spec->unit;
    p->doc = spec->doc;
    p->connected = eve_out_connected (eve_base (c)->out[i]);
  } else if (i >= 0) {
    const EveInSpec *spec = &k->ins[i];
    p->control = spec->role == EVE_CONTROL;
    p->type = eve_in_type (eve_base (c)->in[i]);
    p->unit = spec->unit;
    p->doc = spec->doc;
    p->connected = eve_in_connected (eve_base (c)->in[i]);
    p->needed = spec->required && !p->connected && eve_use (c) == EVE_WORKS;
  }
  if (p->control)
    p->side = SIDE_TOP;
  g_ptr_array_add (b->ports, p);
  return p;
}

static SketchPort *
editor_sketch_port_of (const SketchBox *b, EveComponent *c, const char *name, bool out)
{
  for (guint i = 0; i < b->ports->len; i++) {
    SketchPort *p = b->ports->pdata[i];
    if (p->c == c && p->out == out && !strcmp (p->name, name))
      return p;
  }
  return NULL;
}

static SketchBox *
editor_sketch_add_box (Sketch *s, const char *name, EveComponent *c)
{
  SketchBox *b = g_new0 (SketchBox, 1);
  b->name = g_strdup (name);
  b->c = c;
  b->ports = g_ptr_array_new_with_free_func (port_free);
  b->members = g_ptr_array_new ();
  b->frames = g_ptr_array_new ();
  b->share = -1;
  b->kind = _ ("Sub-program");
  g_ptr_array_add (s->boxes, b);
  return b;
}

static void
add_component (Sketch *s, EveComponent *c)
{
  SketchBox *b = editor_sketch_add_box (s, eve_name (c), c);
  const EveClass *k = eve_class (c);
  b->ghost = eve_is_ghost (c);
  b->use = eve_use (c);
  b->kind = b->ghost ? g_intern_string (eve_class_id (c)) : g_intern_string (in_words (k->label));
  g_ptr_array_add (b->members, c);
  eve_position (c, &b->x, &b->y);
  for (uint32_t i = 0; i < k->n_ins; i++)
    editor_sketch_add_port (b, c, k->ins[i].name, false);
  for (uint32_t i = 0; i < k->n_outs; i++)
    editor_sketch_add_port (b, c, k->outs[i].name, true);
}

/* ---- building --------------------------------------------------------------------------------------------------- */
SketchBox *
sketch_box_of (const Sketch *s, EveComponent *c)
{
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    if (b->c ? b->c == c : g_ptr_array_find (b->members, c, NULL))
      return b;
  }
  return NULL;
}

static SketchPort *
wire_end (SketchBox *b, EveComponent *c, const char *name, bool out)
{
  SketchPort *p = editor_sketch_port_of (b, c, name, out);
  if (p)
    return p;
  p = editor_sketch_add_port (b, c, name, out);
  if (!b->c) { /* of a sub-program: the box inside tells more than its port */
    g_free (p->label);
    p->label = g_strdup_printf ("%s.%s", in_words (eve_name (c)), name);
  }
  return p;
}

static void
add_wires (Sketch *s, GHashTable *box_of)
{
  for (uint32_t i = 0; i < eve_n_wires (s->p); i++) {
    EveWire w = eve_wire (s->p, i);
    SketchBox *a = g_hash_table_lookup (box_of, w.from), *b = g_hash_table_lookup (box_of, w.to);
    if (!a || !b || (a == b && !a->c))
      continue; /* inside a folded sub-program */
    SketchWire *wire = g_new0 (SketchWire, 1);
    *wire = (SketchWire){ .from = w.from,
                          .to = w.to,
                          .out = g_intern_string (w.out),
                          .in = g_intern_string (w.in),
                          .broken = w.broken && !w.rests,
                          .rests = w.rests,
                          .index = i };
    wire->start = wire_end (a, w.from, w.out, true);
    wire->end = wire_end (b, w.to, w.in, false);
    if (w.rests) { /* it is wired, though nothing comes */
      wire->start->connected = wire->end->connected = true;
      wire->end->needed = false;
    }
    wire->type = wire->start->type ? wire->start->type : wire->end->type;
    wire->curves = g_array_new (FALSE, FALSE, sizeof (SketchCurve));
    wire->bends = notes_bends (s->notes, eve_name (w.from), w.out, eve_name (w.to), w.in);
    wire->pinned = notes_probe (s->notes, eve_name (w.from), w.out, eve_name (w.to), w.in) != NULL;
    g_ptr_array_add (s->wires, wire);
  }
}

static void
keep_pictures (GHashTable *old, SketchBox *b)
{
  SketchBox *before = g_hash_table_lookup (old, b->name);
  if (before && before->picture && !before->c == !b->c) {
    b->picture = g_steal_pointer (&before->picture);
    b->picture_scale = before->picture_scale;
    b->picture_of = before->picture_of;
  }
}

void
sketch_build (Sketch *s, EveProgram *p)
{
  g_autoptr (GPtrArray) before = s->boxes;
  g_autoptr (GHashTable) old = g_hash_table_new (g_str_hash, g_str_equal), box_of = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) groups = g_hash_table_new (NULL, NULL); /* folded Group -> SketchBox */
  for (guint i = 0; i < before->len; i++)
    g_hash_table_insert (old, ((SketchBox *) before->pdata[i])->name, before->pdata[i]);
  s->p = p;
  s->boxes = g_ptr_array_new_with_free_func (box_free);
  g_ptr_array_set_size (s->wires, 0);
  g_ptr_array_set_size (s->groups, 0);
  g_ptr_array_set_size (s->frames, 0);
  g_clear_pointer (&s->notes, notes_free);
  if (!p)
    return;
  s->notes = notes_read (p);
  for (uint32_t i = 0; i < eve_n_components (p); i++) {
    EveComponent *c = eve_component (p, i);
    Group *g = notes_folded (s->notes, notes_group_of (s->notes, eve_name (c)));
    SketchBox *b = g ? g_hash_table_lookup (groups, g) : NULL;
    if (!g) {
      add_component (s, c);
      b = s->boxes->pdata[s->boxes->len - 1];
    } else if (!b) {
      b = editor_sketch_add_box (s, g->name, NULL);
      b->x = b->y = INFINITY;
      g_hash_table_insert (groups, g, b);
    }
    if (g) {
      double x, y;
      eve_position (c, &x, &y);
      b->x = MIN (b->x, x);
      b->y = MIN (b->y, y);
      b->ghost |= eve_is_ghost (c);
      g_ptr_array_add (b->members, c);
    }
    g_hash_table_insert (box_of, c, b);
  }
  add_wires (s, box_of);
  for (guint i = 0; i < s->notes->frames->len; i++) {
    Frame *f = s->notes->frames->pdata[i];
    Group *g = notes_folded (s->notes, notes_group (s->notes, f->group));
    SketchBox *b = g ? g_hash_table_lookup (groups, g) : NULL;
    g_ptr_array_add (b ? b->frames : s->frames, f);
  }
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    for (int outs = 1; outs >= 0 && !b->gives; outs--)
      for (guint k = 0; k < b->ports->len && !b->gives; k++) {
        const SketchPort *port = b->ports->pdata[k];
        if (port->out == outs && !port->control)
          b->gives = port->type;
      }
    editor_sketch_measure (s, b);
    keep_pictures (old, b);
  }
  for (guint i = 0; i < s->notes->groups->len; i++) {
    const Group *g = s->notes->groups->pdata[i];
    bool seen = g->open;
    int depth = 0;
    for (const Group *outer = notes_group (s->notes, g->parent); outer; outer = notes_group (s->notes, outer->parent)) {
      seen &= outer->open;
      depth++;
    }
    g_autoptr (GPtrArray) names = seen ? notes_all_boxes (s->notes, g) : NULL;
    if (!seen || !names->len)
      continue;
    SketchGroup *open = g_new0 (SketchGroup, 1);
    open->name = g_strdup (g->name);
    open->depth = depth;
    open->members = g_ptr_array_new ();
    for (guint k = 0; k < names->len; k++) {
      EveComponent *c = eve_find (p, names->pdata[k]);
      if (c)
        g_ptr_array_add (open->members, c);
    }
    open->frames = g_ptr_array_new ();
    for (guint k = 0; k < s->frames->len; k++)
      if (notes_inside (s->notes, notes_group (s->notes, ((Frame *) s->frames->pdata[k])->group), g))
        g_ptr_array_add (open->frames, s->frames->pdata[k]);
    g_ptr_array_add (s->groups, open);
  }
  sketch_place (s);
}

/* ---- placing ------------------------------------------------------------------------------------------------------ */
static void
away (SketchSide side, double by, double *x, double *y)
{
  *x += side == SIDE_RIGHT ? by : side == SIDE_LEFT ? -by : 0;
  *y -= side == SIDE_TOP ? by : 0;
}

void
sketch_curve (double x0, double y0, SketchSide s0, double x1, double y1, SketchSide s1, double x[4], double y[4])
{
  double dx = x1 - x0, dy = fabs (y1 - y0);
  double bend = dx > 0 ? CLAMP (dx / 2, 24, 120) : CLAMP (40 - dx * 0.4, 40, 200);
  double rise = CLAMP ((fabs (dx) + dy) / 3, 28, 120);
  x[0] = x[1] = x0;
  y[0] = y[1] = y0;
  x[3] = x[2] = x1;
  y[3] = y[2] = y1;
  away (s0, s0 == SIDE_TOP ? rise : bend, &x[1], &y[1]);
  away (s1, s1 == SIDE_TOP ? rise : bend, &x[2], &y[2]);
}

static void
curve_point (const SketchCurve *k, double t, double *at_x, double *at_y)
{
  const double *x = k->x, *y = k->y;
  double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  *at_x = a * x[0] + b * x[1] + c * x[2] + d * x[3];
  *at_y = a * y[0] + b * y[1] + c * y[2] + d * y[3];
}

static void
editor_sketch_extend (double *x0, double *y0, double *x1, double *y1, double x, double y, double w, double h)
{
  *x0 = MIN (*x0, x);
  *y0 = MIN (*y0, y);
  *x1 = MAX (*x1, x + w);
  *y1 = MAX (*y1, y + h);
}

static const SketchCurve *
piece (const SketchWire *w, guint i)
{
  return &g_array_index (w->curves, SketchCurve, i);
}

void
sketch_wire_point (const SketchWire *w, double t, double *x, double *y)
{
  double all = t * w->curves->len;
  guint i = MIN ((guint) MAX (all, 0), w->curves->len - 1);
  curve_point (piece (w, i), all - i, x, y);
}

void
sketch_wire_bounds (const SketchWire *w, cairo_rectangle_t *r)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  for (guint i = 0; i < w->curves->len; i++)
    for (int k = 0; k < 4; k++)
      editor_sketch_extend (&x0, &y0, &x1, &y1, piece (w, i)->x[k], piece (w, i)->y[k], 0, 0);
  *r = (cairo_rectangle_t){ x0, y0, x1 - x0, y1 - y0 };
}

/* From the output through the bends to the input.  At a bend it goes on in the direction from the point before to the
 * one after, as Catmull and Rom (1974) do. */
static void
place_wire (SketchWire *w)
{
  guint n = w->bends->len + 2;
  g_autofree double *x = g_new (double, n), *y = g_new (double, n);
  g_array_set_size (w->curves, n - 1);
  for (guint i = 0; i < n; i++) {
    const Bend *b = i && i < n - 1 ? w->bends->pdata[i - 1] : NULL;
    x[i] = b ? b->x : i ? w->end->x : w->start->x;
    y[i] = b ? b->y : i ? w->end->y : w->start->y;
  }
  for (guint i = 0; i + 1 < n; i++) {
    SketchCurve *k = &g_array_index (w->curves, SketchCurve, i);
    sketch_curve (x[i], y[i], i ? SIDE_RIGHT : w->start->side, x[i + 1], y[i + 1], i + 2 < n ? SIDE_LEFT : w->end->side,
                  k->x, k->y);
    double far = hypot (x[i + 1] - x[i], y[i + 1] - y[i]) / 3;
    for (guint end = 0; end < 2; end++) {
      guint at = i + end;
      if (!at || at + 1 == n)
        continue;
      double dx = x[at + 1] - x[at - 1], dy = y[at + 1] - y[at - 1], l = MAX (hypot (dx, dy), 1);
      k->x[end ? 2 : 1] = x[at] + (end ? -1 : 1) * far * dx / l;
      k->y[end ? 2 : 1] = y[at] + (end ? -1 : 1) * far * dy / l;
    }
  }
}

bool
sketch_lies_on (const SketchBox *b, const Frame *f)
{
  return b->x >= f->x && b->y >= f->y && b->x + b->width <= f->x + f->width && b->y + b->height <= f->y + f->height;
}

void
sketch_move_box (SketchBox *b, double dx, double dy)
{
  b->x += dx;
  b->y += dy;
}

bool
sketch_shares (const SketchBox *b, const SketchGroup *g)
{
  for (guint i = 0; i < g->members->len; i++)
    if (b->c ? b->c == g->members->pdata[i] : g_ptr_array_find (b->members, g->members->pdata[i], NULL))
      return true;
  return false;
}

void
sketch_place (Sketch *s)
{
  for (guint i = 0; i < s->boxes->len; i++)
    place_ports (s->boxes->pdata[i]);
  for (guint i = 0; i < s->wires->len; i++)
    place_wire (s->wires->pdata[i]);
  int deepest = 0;
  for (guint i = 0; i < s->groups->len; i++)
    deepest = MAX (deepest, ((SketchGroup *) s->groups->pdata[i])->depth);
  for (guint i = 0; i < s->groups->len; i++) {
    SketchGroup *g = s->groups->pdata[i];
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY,
           pad = SKETCH_GROUP_PAD * (deepest - g->depth + 1);
    for (guint k = 0; k < s->boxes->len; k++) {
      const SketchBox *b = s->boxes->pdata[k];
      if (!sketch_shares (b, g))
        continue;
      editor_sketch_extend (&x0, &y0, &x1, &y1, b->x, b->y, b->width, b->height);
    }
    for (guint k = 0; k < g->frames->len; k++) {
      const Frame *f = g->frames->pdata[k];
      editor_sketch_extend (&x0, &y0, &x1, &y1, f->x, f->y, f->width, f->height);
    }
    g->x = x0 - pad;
    g->y = y0 - pad - (deepest - g->depth) * 8 - SKETCH_HEADER + 4;
    g->width = x1 + pad - g->x;
    g->height = y1 + pad - g->y;
  }
}

/* ---- finding -------------------------------------------------------------------------------------------------------- */
SketchBox *
sketch_box (const Sketch *s, const char *name)
{
  EveComponent *c = s->p ? eve_find (s->p, name) : NULL;
  if (c)
    return sketch_box_of (s, c);
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    if (!b->c && !strcmp (b->name, name))
      return b;
  }
  return NULL;
}

SketchPort *
sketch_port (const Sketch *s, EveComponent *c, const char *name, bool out)
{
  SketchBox *b = sketch_box_of (s, c);
  return b ? editor_sketch_port_of (b, c, name, out) : NULL;
}

bool
sketch_bounds (const Sketch *s, cairo_rectangle_t *r)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  for (guint i = 0; i < s->boxes->len; i++) {
    const SketchBox *b = s->boxes->pdata[i];
    editor_sketch_extend (&x0, &y0, &x1, &y1, b->x, b->y, b->width, b->height);
  }
  for (guint i = 0; i < s->groups->len; i++) {
    const SketchGroup *g = s->groups->pdata[i];
    editor_sketch_extend (&x0, &y0, &x1, &y1, g->x, g->y, g->width, g->height);
  }
  for (guint i = 0; i < s->frames->len; i++) {
    const Frame *f = s->frames->pdata[i];
    editor_sketch_extend (&x0, &y0, &x1, &y1, f->x, f->y, f->width, f->height);
  }
  if (!isfinite (x0))
    return false;
  *r = (cairo_rectangle_t){ x0, y0, x1 - x0, y1 - y0 };
  return true;
}

SketchPort *
sketch_port_at (const Sketch *s, double x, double y, double reach)
{
  SketchPort *best = NULL;
  double nearest = reach;
  for (guint i = s->boxes->len; i-- > 0;) {
    const SketchBox *b = s->boxes->pdata[i];
    if (x < b->x - reach || y < b->y - reach || x > b->x + b->width + reach || y > b->y + b->height + reach)
      continue;
    for (guint k = 0; k < b->ports->len; k++) {
      SketchPort *p = b->ports->pdata[k];
      double d = hypot (p->x - x, p->y - y);
      if (d < nearest) {
        nearest = d;
        best = p;
      }
    }
  }
  return best;
}

SketchBox *
sketch_box_at (const Sketch *s, double x, double y)
{
  for (guint i = s->boxes->len; i-- > 0;) {
    SketchBox *b = s->boxes->pdata[i];
    if (x >= b->x && y >= b->y && x < b->x + b->width && y < b->y + b->height)
      return b;
  }
  return NULL;
}

/* How far a curve is from a point: that from the pieces of a polygon. */
static double
editor_sketch_distance (const SketchCurve *k, double x, double y)
{
  double ax = k->x[0], ay = k->y[0], nearest = INFINITY;
  for (int i = 1; i <= 32; i++) {
    double bx, by;
    curve_point (k, i / 32.0, &bx, &by);
    double lx = bx - ax, ly = by - ay, l = lx * lx + ly * ly;
    double t = l > 0 ? CLAMP (((x - ax) * lx + (y - ay) * ly) / l, 0, 1) : 0;
    nearest = MIN (nearest, hypot (ax + t * lx - x, ay + t * ly - y));
    ax = bx;
    ay = by;
  }
  return nearest;
}

SketchWire *
sketch_wire_at (const Sketch *s, double x, double y, double reach)
{
  SketchWire *best = NULL;
  double nearest = reach;
  for (guint i = 0; i < s->wires->len; i++) {
    SketchWire *w = s->wires->pdata[i];
    cairo_rectangle_t r;
    sketch_wire_bounds (w, &r);
    if (x < r.x - reach || x > r.x + r.width + reach || y < r.y - reach || y > r.y + r.height + reach)
      continue;
    for (guint k = 0; k < w->curves->len; k++) {
      double d = editor_sketch_distance (piece (w, k), x, y);
      if (d < nearest) {
        nearest = d;
        best = w;
      }
    }
  }
  return best;
}

guint
sketch_bend_at (const SketchWire *w, double x, double y, double reach)
{
  guint best = 0;
  for (guint i = 0; i < w->bends->len; i++) {
    const Bend *b = w->bends->pdata[i];
    double d = hypot (b->x - x, b->y - y);
    if (d < reach) {
      reach = d;
      best = i + 1;
    }
  }
  return best;
}

guint
sketch_bend_before (const SketchWire *w, double x, double y)
{
  guint best = 0;
  for (guint i = 1; i < w->curves->len; i++)
    if (editor_sketch_distance (piece (w, i), x, y) < editor_sketch_distance (piece (w, best), x, y))
      best = i;
  return best;
}

static SketchGroup *
editor_sketch_innermost (const Sketch *s, double x, double y, bool title)
{
  SketchGroup *best = NULL;
  for (guint i = 0; i < s->groups->len; i++) {
    SketchGroup *g = s->groups->pdata[i];
    if (x >= g->x && x < g->x + g->width && y >= g->y && y < g->y + (title ? SKETCH_HEADER : g->height)
        && (!best || g->depth > best->depth))
      best = g;
  }
  return best;
}

SketchGroup *
sketch_group_at (const Sketch *s, double x, double y)
{
  return editor_sketch_innermost (s, x, y, true);
}

SketchGroup *
sketch_group_around (const Sketch *s, double x, double y)
{
  return editor_sketch_innermost (s, x, y, false);
}

Frame *
sketch_frame_at (const Sketch *s, double x, double y, FramePart *part)
{
  for (guint i = s->frames->len; i-- > 0;) {
    Frame *f = s->frames->pdata[i];
    double right = f->x + f->width, bottom = f->y + f->height;
    if (x < f->x || y < f->y || x >= right || y >= bottom)
      continue;
    *part = x >= right - FRAME_CORNER_PX && y >= bottom - FRAME_CORNER_PX ? FRAME_CORNER
            : y < f->y + FRAME_TITLE_PX                                   ? FRAME_TITLE
                                                                          : FRAME_NOWHERE;
    if (*part != FRAME_NOWHERE)
      return f;
  }
  return NULL;
}

char *
sketch_port_name (const SketchPort *p)
{
  return g_strdup_printf ("%s.%s", eve_name (p->c), p->name);
}
