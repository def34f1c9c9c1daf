/* SPDX-License-Identifier: Apache-2.0 */
/* inspector-own.c - the inspector that a component brings itself (readers/box-inspector.h), made of the rows that it
 * names. */
#include <string.h>
#include "editor/inspector-private.h"
#include "eve/words.h"
#include "views/panel.h"

typedef struct OwnRow {
  Inspector *in;
  uint32_t number;
  InspectorRow *setting; /* one of these; borrowed */
  GtkWidget *value, *button, *heading;
  GtkWidget *label; /* of a value */
  char *offered;    /* what is offered now, in lines */
} OwnRow;

static void
own_row_free (void *row)
{
  g_free (((OwnRow *) row)->offered);
  g_free (row);
}

/* The box that is shown, if it still is the one whose inspector this is. */
static EveComponent *
inspector_own_box_of (const Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  return boxes->len == 1 && eve_class (boxes->pdata[0]) == in->shown_class ? boxes->pdata[0] : NULL;
}

/* ---- buttons ---------------------------------------------------------------------------------------------------------- */
static void
note_setting (void *pairs, const char *setting, const char *value)
{
  g_ptr_array_add (pairs, g_strdup (setting));
  g_ptr_array_add (pairs, g_strdup (value));
}

static void
inspector_own_pressed (GtkButton *button, OwnRow *row)
{
  Inspector *in = row->in;
  EveComponent *c = inspector_own_box_of (in);
  g_autoptr (GPtrArray) pairs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  if (!c)
    return;
  if (in->own->press)
    in->own->press (c, row->number, note_setting, pairs);
  g_autofree char *what = g_strdup_printf (_ ("%s of %s"), gtk_button_get_label (button), eve_name (c));
  scope_document_begin_edit (in->d, what);
  for (guint i = 0; i + 1 < pairs->len && !error; i += 2)
    eve_set (c, pairs->pdata[i], pairs->pdata[i + 1], &error);
  scope_document_end_edit (in->d);
  if (error)
    scope_document_say (in->d, SCOPE_SAY_WARNING, "%s", error->message);
  c = inspector_own_box_of (in);
  g_autofree char *order = c && in->own->order ? g_strdup (in->own->order (c, row->number)) : NULL;
  if (order && *order && !error)
    scope_document_obey (in->d, order, eve_name (c));
}

/* ---- making ------------------------------------------------------------------------------------------------------------ */
static void
inspector_own_attach (GtkGrid *grid, GtkWidget *w, int column, int line, int width, const char *doc)
{
  gtk_widget_set_tooltip_text (w, in_words (doc));
  gtk_grid_attach (grid, w, column, line, width, 1);
}

static void
make_row (Inspector *in, OwnRow *row, const BoxRow *r, GtkGrid *grid)
{
  int line = (int) row->number * 2;
  const EveClass *k = in->shown_class;
  bool sets = r->kind == BOX_ROW_SETTING || r->kind == BOX_ROW_SLIDER;
  int setting = sets && r->name ? eve_class_setting (k, r->name) : -1;
  EveComponent *c = inspector_own_box_of (in);
  const char *label = in->only && panel_rows (in->own) == 1 && c ? panel_label (c) : r->label;
  switch (r->kind) {
  case BOX_ROW_SETTING:
  case BOX_ROW_SLIDER:
    if (setting < 0)
      break;
    row->setting = inspector_row_new (in, &k->settings[setting], in_words (label), in_words (r->doc),
                                      r->kind == BOX_ROW_SLIDER ? INSPECTOR_SLIDES
                                      : in->own->offer          ? INSPECTOR_OFFERS
                                                                : INSPECTOR_TYPES,
                                      grid, line);
    g_ptr_array_add (in->rows, row->setting);
    break;
  case BOX_ROW_VALUE:
    row->label = inspector_label (in_words (label), "dim-label", false);
    row->value = inspector_label ("", "number", true);
    gtk_label_set_selectable (GTK_LABEL (row->value), TRUE);
    gtk_widget_set_can_focus (row->value, FALSE);
    atk_object_set_description (gtk_widget_get_accessible (row->value), in_words (label));
    inspector_own_attach (grid, row->label, 0, line, 1, r->doc);
    inspector_own_attach (grid, row->value, 1, line, 3, r->doc);
    break;
  case BOX_ROW_BUTTON:
    row->button = gtk_button_new_with_label (in_words (label));
    g_signal_connect (row->button, "clicked", G_CALLBACK (inspector_own_pressed), row);
    inspector_own_attach (grid, row->button, 0, line, 4, r->doc);
    break;
  case BOX_ROW_HEADING:
    row->heading = inspector_label (in_words (label), "inspector-title", false);
    gtk_widget_set_margin_top (row->heading, 6);
    inspector_own_attach (grid, row->heading, 0, line, 4, r->doc);
    break;
  }
}

void
inspector_add_own (Inspector *in, const BoxInspector *own)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_widget_set_margin_top (grid, 8);
  in->own = own;
  in->own_rows = g_ptr_array_new_with_free_func (own_row_free);
  for (uint32_t i = 0; i < (in->only ? panel_rows (own) : own->n_rows); i++) {
    OwnRow *row = g_new0 (OwnRow, 1);
    row->in = in;
    row->number = i;
    g_ptr_array_add (in->own_rows, row);
    make_row (in, row, &own->rows[i], GTK_GRID (grid));
  }
  inspector_pack (in, grid);
}

/* ---- keeping alive -------------------------------------------------------------------------------------------------------- */
static void
inspector_own_add_line (void *lines, const char *value)
{
  g_string_append_printf (lines, "%s\n", value);
}

static void
tell_row (OwnRow *row, EveComponent *c, bool *shown)
{
  const BoxInspector *own = row->in->own;
  char text[256] = "";
  bool on = !own->look || own->look (c, row->number, text, sizeof text);
  if (row->heading)
    *shown = on;
  GtkWidget *widgets[] = { row->value, row->label, row->button, row->heading };
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    if (widgets[i]) {
      gtk_widget_set_visible (widgets[i], *shown);
      gtk_widget_set_sensitive (widgets[i], on);
    }
  if (row->value && strcmp (gtk_label_get_text (GTK_LABEL (row->value)), text) != 0)
    gtk_label_set_text (GTK_LABEL (row->value), text);
  if (!row->setting)
    return;
  inspector_row_enable (row->setting, *shown, on);
  double from = 0, to = 1, step = 0.01;
  if (own->rows[row->number].kind == BOX_ROW_SLIDER && own->bounds) {
    own->bounds (c, row->number, &from, &to, &step);
    inspector_row_bounds (row->setting, from, to, step);
  }
  if (own->offer) {
    g_autoptr (GString) lines = g_string_new (NULL);
    own->offer (c, row->number, inspector_own_add_line, lines);
    if (g_strcmp0 (lines->str, row->offered) != 0) {
      g_free (row->offered);
      row->offered = g_strdup (lines->str);
      inspector_row_offer (row->setting, row->offered);
    }
  }
}

void
inspector_tell_own (Inspector *in)
{
  EveComponent *c = in->own ? inspector_own_box_of (in) : NULL;
  bool shown = true;
  for (guint i = 0; c && i < in->own_rows->len; i++)
    tell_row (in->own_rows->pdata[i], c, &shown);
}
