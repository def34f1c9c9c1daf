/* SPDX-License-Identifier: Apache-2.0 */
/* panel.c - the panels of components put together (thesis, figures 1.9 and 5.5): what they are set to, and live values.
 * In a file it is a drawing of them; the window has widgets there (src/editor/panel.c). */
#include "views/panel.h"
#include <math.h>
#include <stddef.h>
#include "eve/eve-host.h"
#include "eve/words.h"
#include "views/drawing.h"
#include "views/view-class.h"

typedef struct Panel {
  EveBase base;
  char *boxes, *title;
} Panel;

static const EveField settings[] = {
  { "boxes", EVE_F_STRING, offsetof (Panel, boxes), .look = true,
    .doc = "Names of the boxes on it, with commas between; empty: all that bring controls or values of their own." },
  { "title", EVE_F_STRING, offsetof (Panel, title), .look = true, .doc = "Empty: the name of the box." },
};

#define LINE 24.0
#define WIDE 300.0 /* px: of a column */
#define PAD 14.0
#define LABEL 0.45 /* share of a column */

typedef struct Place {
  Drawing *d;
  Paint *p;
  double x, y, width;
} Place;

static bool
is_on (EveComponent *c, const char *setting)
{
  g_autofree char *text = eve_get (c, setting);
  return g_strcmp0 (text, "true") == 0;
}

static bool
is_truth (EveComponent *c, const char *setting)
{
  int i = eve_class_setting (eve_class (c), setting);
  return i >= 0 && eve_class (c)->settings[i].kind == EVE_F_BOOL;
}

static void
draw_slider (const Place *at, double share)
{
  double x = at->x + LABEL * at->width, width = at->width * (1 - LABEL) - 76, y = at->y + LINE / 2;

  drawing_rect (at->d, x, y - 2, width, 4, at->p->grid, 1, NULL);
  drawing_rect (at->d, x, y - 2, width * share, 4, DRAWING_ACCENT, 1, NULL);
  drawing_disc (at->d, x + width * share, y, 7, DRAWING_ACCENT, 1, NULL);
}

static void
draw_switch (const Place *at, bool on)
{
  double x = at->x + at->width - 34, y = at->y + 4;

  drawing_rect (at->d, x, y, 30, 16, on ? DRAWING_ACCENT : at->p->grid, 1, NULL);
  drawing_rect (at->d, x + (on ? 16 : 2), y + 2, 12, 12, at->p->paper, 1, NULL);
}

static void
views_panel_draw_row (const Place *at, EveComponent *c, const BoxInspector *own, uint32_t row, const char *label)
{
  const BoxRow *r = &own->rows[row];
  char text[256] = "";
  double middle = at->y + LINE / 2, right = at->x + at->width - 4;

  bool on = !own->look || own->look (c, row, text, sizeof text);
  uint32_t ink = on ? at->p->ink : at->p->faint, muted = on ? at->p->muted : at->p->faint;
  if (r->kind == BOX_ROW_BUTTON) {
    drawing_rect (at->d, at->x, at->y + 2, at->width, LINE - 4, at->p->grid, 1, NULL);
    paint_text (at->p, at->x + at->width / 2, middle, 0.5, PAINT_TEXT, ink, at->width - 8, label);
    return;
  }
  paint_text (at->p, at->x, middle, 0, r->kind == BOX_ROW_HEADING ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT,
              r->kind == BOX_ROW_HEADING ? ink : muted, LABEL * at->width - 6, label);
  if (r->kind == BOX_ROW_HEADING)
    return;
  if (r->kind != BOX_ROW_VALUE && is_truth (c, r->name)) {
    draw_switch (at, is_on (c, r->name));
    return;
  }
  g_autofree char *set = r->kind == BOX_ROW_VALUE ? g_strdup (text) : panel_setting (c, r->name);
  double from = 0, to = 1, step = 1, value = g_ascii_strtod (set, NULL);
  if (r->kind == BOX_ROW_SLIDER && own->bounds) {
    own->bounds (c, row, &from, &to, &step);
    draw_slider (at, value > from ? fmin ((value - from) / (to - from), 1) : 0);
  }
  paint_text (at->p, right, middle, 1, r->kind == BOX_ROW_VALUE ? PAINT_TEXT | PAINT_BOLD : PAINT_TEXT, ink,
              r->kind == BOX_ROW_SLIDER ? 64 : at->width * (1 - LABEL), set);
}

/* What a row is called: one that stands alone is called as its box. */
static const char *
row_label (EveComponent *c, const BoxRow *r, bool alone)
{
  return alone ? panel_label (c) : in_words (r->label ? r->label : r->name ? r->name : "");
}

/* Gives how high it is. */
static double
views_panel_draw_box (Place at, EveComponent *c)
{
  const BoxInspector *own = eve_query (c, BOX_INSPECTOR);
  uint32_t n = own ? panel_rows (own) : 0, n_set = own ? 0 : eve_class (c)->n_settings;
  bool alone = n == 1;
  double top = at.y;

  if (!alone) {
    drawing_text (at.d, at.x, at.y + LINE / 2, 0, PAINT_TEXT | PAINT_BOLD, at.p->ink, at.width, panel_label (c), NULL);
    at.y += LINE;
  }
  bool shown = true;
  for (uint32_t i = 0; i < n; i++) {
    bool on = !own->look || own->look (c, i, (char[64]){ 0 }, 64);
    if (own->rows[i].kind == BOX_ROW_HEADING)
      shown = on;
    if (!shown)
      continue;
    views_panel_draw_row (&at, c, own, i, row_label (c, &own->rows[i], alone));
    at.y += LINE;
  }
  for (uint32_t i = 0; i < n_set; i++) {
    static const BoxInspector none;
    const BoxRow r = { BOX_ROW_SETTING, eve_class (c)->settings[i].name, NULL, NULL };
    BoxInspector one = none;
    one.rows = &r;
    one.n_rows = 1;
    views_panel_draw_row (&at, c, &one, 0, r.name);
    at.y += LINE;
  }
  const char *status = own ? "" : eve_component_status (c);
  if (*status) {
    paint_text (at.p, at.x, at.y + LINE / 2, 0, PAINT_TEXT, at.p->muted, at.width, status);
    at.y += LINE;
  }
  return at.y - top + LINE / 3;
}

static bool
views_panel_build (EveComponent *c, const ViewScene *scene, Drawing *d, GError **error)
{
  Panel *v = (Panel *) c;
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free), boxes = panel_boxes (c, missing);
  Paint *p = drawing_begin (d);
  Place at = { d, p, PAD, 36, fmin (WIDE, scene->width_px - 2 * PAD) };

  paint_text (p, PAD, 18, 0, PAINT_TITLE | PAINT_BOLD, p->ink, scene->width_px - 2 * PAD,
              *v->title ? v->title : eve_name (c));
  if (boxes->len == 0 && missing->len == 0)
    paint_sentence (p, _ ("No box of the program has controls or values of its own"));
  for (guint i = 0; i < boxes->len; i++) {
    double top = at.y;
    if (top > 36 && top + LINE * 3 > scene->height_px && at.x + 2 * at.width + 2 * PAD <= scene->width_px) {
      at.x += at.width + 2 * PAD;
      at.y = top = 36;
    }
    at.y += views_panel_draw_box (at, boxes->pdata[i]);
  }
  for (guint i = 0; i < missing->len; i++, at.y += LINE) {
    g_autofree char *text = g_strdup_printf (_ ("There is no box %s"), (char *) missing->pdata[i]);
    paint_text (p, at.x, at.y + LINE / 2, 0, PAINT_TEXT, p->muted, at.width, text);
  }
  return true;
}

static void
csv_row (GString *to, const char *box, const char *label, const char *value)
{
  const char *const cells[] = { box, label, value };

  for (int i = 0; i < 3; i++) {
    g_auto (GStrv) parts = g_strsplit (cells[i], "\"", -1);
    g_autofree char *quoted = g_strjoinv ("\"\"", parts);
    g_string_append_printf (to, "\"%s\"%s", quoted, i < 2 ? "," : "\r\n");
  }
}

/* Box, row, value. */
static bool
views_panel_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  g_autoptr (GPtrArray) boxes = panel_boxes (c, NULL);

  g_string_append (to, "box,row,value\r\n");
  for (guint i = 0; i < boxes->len; i++) {
    EveComponent *box = boxes->pdata[i];
    const BoxInspector *own = eve_query (box, BOX_INSPECTOR);
    for (uint32_t k = 0; own && k < panel_rows (own); k++) {
      const BoxRow *r = &own->rows[k];
      char text[256] = "";
      if (own->look)
        own->look (box, k, text, sizeof text);
      g_autofree char *set = r->kind == BOX_ROW_SETTING || r->kind == BOX_ROW_SLIDER ? panel_setting (box, r->name)
                                                                                     : g_strdup (text);
      if (r->kind != BOX_ROW_HEADING && r->kind != BOX_ROW_BUTTON)
        csv_row (to, eve_name (box), r->label ? r->label : r->name, set);
    }
    for (uint32_t k = 0; !own && k < eve_class (box)->n_settings; k++) {
      const char *name = eve_class (box)->settings[k].name;
      g_autofree char *set = panel_setting (box, name);
      csv_row (to, eve_name (box), name, set);
    }
  }
  return true;
}

static const char *
boxes_of (EveComponent *c)
{
  return ((Panel *) c)->boxes;
}

static const View view = {
  .title = "Panel", .spans = VIEW_OF_INSTANT, .build = views_panel_build, .csv = views_panel_csv
};
static const PanelOf panel_interface = { boxes_of };

static const void *
views_panel_query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, VIEW_INTERFACE) == 0    ? (const void *) &view
         : strcmp (interface_name, PANEL_INTERFACE) == 0 ? &panel_interface
                                                         : NULL;
}

static const EveClass panel = {
  EVE_CLASS_HEAD,
  .category = "Views",
  .provides = view_provides,
  .version = 1,
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Panel),
  .id = "scope.panel",
  .label = "Panel",
  .doc = "Controls and live values of several boxes beside each other.",
  .help = "Sliders, buttons, switches and fields of the boxes that it names, and the values that boxes tell of "
          "themselves, such as those of Communication Overhead. A box that has an inspector of its own brings what "
          "that shows; of any other box its settings are shown. What is moved here is set at once, can be undone, and "
          "is saved with the program.\n\n"
          "Example: *boxes* `Limit, Communication Overhead`.",
  .query = views_panel_query,
};
EVE_PLUGIN (&panel);
