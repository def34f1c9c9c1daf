/* SPDX-License-Identifier: Apache-2.0 */
#include "document/program-drawing.h"
#include <math.h>
#include <string.h>
#include "eve/disk.h"
#include "eve/eve-host.h"

#define BOX_W 130. /* of a box on a canvas, about; positions are its upper left corner */
#define BOX_H 56.

/* ---- picture: from the file, without making the program ----------------------------------------------------------------- */

typedef struct Sketch {
  GHashTable *boxes; /* name -> SketchBox * */
  GArray *wires;     /* of SketchWire */
} Sketch;
typedef struct SketchBox {
  double x, y;
  uint32_t colour;
} SketchBox;
typedef struct SketchWire {
  SketchBox *from, *to;
} SketchWire;

const EveType *
class_colour_type (const EveClass *k)
{
  return !k ? NULL : k->n_outs ? k->outs[0].type : k->n_ins ? k->ins[0].type : NULL;
}

static uint32_t
program_drawing_colour_of (const char *class_id)
{
  const EveType *t = class_colour_type (class_id ? eve_registry_find (class_id) : NULL);

  return t ? t->colour : 0x9a9996;
}

static void
sketch_element (GMarkupParseContext *context, const char *element, const char **names, const char **values,
                gpointer sketch, GError **error)
{
  Sketch *s = sketch;
  const char *from = NULL, *to = NULL, *name = NULL, *class_id = NULL;
  double x = 0, y = 0;

  for (; *names; ++names, ++values)
    if (g_str_equal (*names, "from"))
      from = *values;
    else if (g_str_equal (*names, "to"))
      to = *values;
    else if (g_str_equal (*names, "name"))
      name = *values;
    else if (g_str_equal (*names, "class"))
      class_id = *values;
    else if (g_str_equal (*names, "x"))
      x = g_ascii_strtod (*values, NULL);
    else if (g_str_equal (*names, "y"))
      y = g_ascii_strtod (*values, NULL);
  if (g_str_equal (element, "component") && name && isfinite (x) && isfinite (y)) {
    SketchBox *b = g_hash_table_lookup (s->boxes, name); /* of two of one name the last, where wires know it */
    if (!b)
      g_hash_table_insert (s->boxes, g_strdup (name), b = g_new (SketchBox, 1));
    *b = (SketchBox){ x, y, program_drawing_colour_of (class_id) };
  } else if (g_str_equal (element, "wire") && from && to) {
    SketchWire w = { g_hash_table_lookup (s->boxes, from), g_hash_table_lookup (s->boxes, to) };
    if (w.from && w.to)
      g_array_append_val (s->wires, w);
  }
}

static void
set_rgb (cairo_t *cr, uint32_t rgb, double alpha)
{
  cairo_set_source_rgba (cr, (rgb >> 16 & 255) / 255., (rgb >> 8 & 255) / 255., (rgb & 255) / 255., alpha);
}

static void
program_drawing_paint (const Sketch *s, cairo_t *cr, const GdkRGBA *ink, int width, int height)
{
  double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL;
  GHashTableIter it;
  gpointer value;

  g_hash_table_iter_init (&it, s->boxes);
  while (g_hash_table_iter_next (&it, NULL, &value)) {
    const SketchBox *b = value;
    x0 = MIN (x0, b->x), y0 = MIN (y0, b->y);
    x1 = MAX (x1, b->x + BOX_W), y1 = MAX (y1, b->y + BOX_H);
  }
  if (x1 < x0)
    return;
  double edge = MIN (12, width / 8.), scale = MIN (MIN ((width - edge) / (x1 - x0), (height - edge) / (y1 - y0)), 0.3);
  cairo_translate (cr, (width - (x1 - x0) * scale) / 2, (height - (y1 - y0) * scale) / 2);
  cairo_scale (cr, scale, scale);
  cairo_translate (cr, -x0, -y0);
  cairo_set_line_width (cr, 1.2 / scale);
  for (guint i = 0; i < s->wires->len; ++i) {
    const SketchWire *w = &g_array_index (s->wires, SketchWire, i);
    double ax = w->from->x + BOX_W, ay = w->from->y + BOX_H / 2, bx = w->to->x, by = w->to->y + BOX_H / 2;
    double reach = MAX (fabs (bx - ax) / 2, 30);
    set_rgb (cr, w->from->colour, 1);
    cairo_move_to (cr, ax, ay);
    cairo_curve_to (cr, ax + reach, ay, bx - reach, by, bx, by);
    cairo_stroke (cr);
  }
  g_hash_table_iter_init (&it, s->boxes);
  while (g_hash_table_iter_next (&it, NULL, &value)) {
    const SketchBox *b = value;
    cairo_rectangle (cr, b->x, b->y, BOX_W, BOX_H);
    set_rgb (cr, b->colour, 0.35);
    cairo_fill_preserve (cr);
    cairo_set_source_rgba (cr, ink->red, ink->green, ink->blue, 0.55);
    cairo_set_line_width (cr, 1 / scale);
    cairo_stroke (cr);
  }
}

static gboolean
program_drawing_draw_picture (GtkWidget *area, cairo_t *cr, gpointer none)
{
  const char *path = g_object_get_data (G_OBJECT (area), "path");
  static const GMarkupParser parser = { .start_element = sketch_element };
  Sketch s = { g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free),
               g_array_new (FALSE, FALSE, sizeof (SketchWire)) };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, &s, NULL);
  g_autofree char *text = NULL;
  gsize n = 0;
  GdkRGBA ink;

  /* Of a damaged file what comes before the damage is drawn; the sentence comes when it is opened. */
  if ((text = disk_read (path, NULL, DISK_PROGRAM, &n, NULL)))
    g_markup_parse_context_parse (context, text, (gssize) n, NULL);
  gtk_style_context_get_color (gtk_widget_get_style_context (area), gtk_widget_get_state_flags (area), &ink);
  program_drawing_paint (&s, cr, &ink, gtk_widget_get_allocated_width (area), gtk_widget_get_allocated_height (area));
  g_hash_table_unref (s.boxes);
  g_array_unref (s.wires);
  return GDK_EVENT_STOP;
}

GtkWidget *
program_drawing_new (const char *path, int width, int height)
{
  GtkWidget *area = gtk_drawing_area_new ();

  gtk_widget_set_size_request (area, width, height);
  gtk_style_context_add_class (gtk_widget_get_style_context (area), "scope-picture");
  g_object_set_data_full (G_OBJECT (area), "path", g_strdup (path), g_free);
  g_signal_connect (area, "draw", G_CALLBACK (program_drawing_draw_picture), NULL);
  return area;
}
