/* SPDX-License-Identifier: Apache-2.0 */
/* inspector-part.c - what is told of a selected wire (its ends, its type, what passed) and of a frame (its comment, its
 * colour). */
#include "editor/inspector-private.h"
#include "eve/words.h"
#include <string.h>
#include "document/parts.h"

static EveProgram *
inspector_part_program_of (const Inspector *in)
{
  return scope_document_is_open (in->d) ? scope_document_program (in->d) : NULL;
}

static bool
shown_wire (const Inspector *in, EveWire *wire)
{
  return inspector_part_program_of (in) && in->part && part_wire (inspector_part_program_of (in), in->part, wire);
}

GPtrArray *
inspector_parts (const Inspector *in)
{
  GPtrArray *found = g_ptr_array_new (), *parts = scope_document_selected_parts (in->d);
  g_autoptr (Notes) n = inspector_part_program_of (in) && parts->len ? notes_read (inspector_part_program_of (in))
                                                                     : NULL;
  for (guint i = 0; n && i < parts->len; i++) {
    EveWire wire;
    guint number;
    if (part_wire (inspector_part_program_of (in), parts->pdata[i], &wire) || part_frame (n, parts->pdata[i], &number))
      g_ptr_array_add (found, parts->pdata[i]);
  }
  return found;
}

/* ---- a wire ------------------------------------------------------------------------------------------------------------ */
static GtkWidget *
inspector_part_row (GtkGrid *grid, int line, const char *name, const char *text)
{
  GtkWidget *value = inspector_label (text, NULL, true);
  gtk_label_set_selectable (GTK_LABEL (value), TRUE);
  scope_label_wrap_names (value);
  gtk_widget_set_valign (value, GTK_ALIGN_START);
  gtk_widget_set_can_focus (value, FALSE); /* else it shows itself selected when it gets the keys */
  atk_object_set_description (gtk_widget_get_accessible (value), name);
  GtkWidget *what = inspector_label (name, "dim-label", false);
  gtk_widget_set_valign (what, GTK_ALIGN_START);
  gtk_grid_attach (grid, what, 0, line, 1, 1);
  gtk_grid_attach (grid, value, 1, line, 1, 1);
  return value;
}

/* A port as a button that goes to its box. */
static void
go_to_box (GtkButton *button, Inspector *in)
{
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (button), "box"));
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (button));
  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "canvas-show-box", g_variant_new_string (name));
}

static void
end_row (Inspector *in, GtkGrid *grid, int line, const char *name, EveComponent *c, const char *port)
{
  g_autofree char *text = g_strdup_printf ("%s.%s", eve_name (c), port),
                  *tip = g_strdup_printf (_ ("Show %s"), eve_name (c));
  GtkWidget *button = gtk_button_new_with_label (text), *what = inspector_label (name, "dim-label", false);
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_style_context_add_class (gtk_widget_get_style_context (button), "inspector-link");
  gtk_label_set_ellipsize (GTK_LABEL (gtk_bin_get_child (GTK_BIN (button))), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, tip);
  g_object_set_data_full (G_OBJECT (button), "box", g_strdup (eve_name (c)), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (go_to_box), in);
  gtk_grid_attach (grid, what, 0, line, 1, 1);
  gtk_grid_attach (grid, button, 1, line, 1, 1);
}

static void
inspector_part_pinned (GtkToggleButton *button, Inspector *in)
{
  EveWire w;
  if (in->filling || !shown_wire (in, &w))
    return;
  bool pin = gtk_toggle_button_get_active (button);
  g_autofree char *what = g_strdup_printf (pin ? _ ("Pin the value of %s") : _ ("Unpin the value of %s"),
                                           eve_name (w.from));
  scope_document_begin_edit (in->d, what);
  edits_pin (inspector_part_program_of (in), w.from, w.out, w.to, w.in, pin);
  scope_document_end_edit (in->d);
}

static void
disconnect (GtkButton *button, Inspector *in)
{
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (button));
  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "canvas-delete", NULL);
}

static void
add_wire (Inspector *in, const EveWire *w)
{
  GtkWidget *grid = gtk_grid_new ();
  int o = eve_is_ghost (w->from) ? -1 : eve_class_out (eve_class (w->from), w->out);
  int i = eve_is_ghost (w->to) ? -1 : eve_class_in (eve_class (w->to), w->in);
  const EveType *type = o >= 0 ? eve_out_type (eve_base (w->from)->out[o]) : NULL;
  if (!type && i >= 0)
    type = eve_in_type (eve_base (w->to)->in[i]);
  const char *unit = o >= 0 ? eve_class (w->from)->outs[o].unit : NULL;
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_widget_set_margin_top (grid, 4);
  inspector_pack (in, inspector_label (_ ("Wire"), "inspector-title", false));
  end_row (in, GTK_GRID (grid), 0, _ ("From"), w->from, w->out);
  end_row (in, GTK_GRID (grid), 1, _ ("To"), w->to, w->in);
  inspector_part_row (GTK_GRID (grid), 2, _ ("Carries"), type ? in_words (type->name) : _ ("no type yet"));
  if (unit)
    inspector_part_row (GTK_GRID (grid), 3, _ ("Unit"), unit);
  in->passed = inspector_part_row (GTK_GRID (grid), 4, _ ("Passed"), "");
  in->last = inspector_part_row (GTK_GRID (grid), 5, _ ("Last"), "");
  inspector_pack (in, grid);
  if (w->broken) {
    g_autofree char *why = eve_why_not (inspector_part_program_of (in), w->from, w->out, w->to, w->in);
    g_autofree char *text = g_strdup_printf (_ ("Broken: it carries nothing. %s"),
                                             o >= 0 && i >= 0 ? _ ("The types at its ends do not fit.")
                                             : why            ? why
                                                              : _ ("One of its ends is not there."));
    inspector_pack (in, inspector_label (text, "inspector-problem", true));
  }
  in->pin = gtk_check_button_new_with_label (_ ("Pin its value"));
  gtk_widget_set_tooltip_text (in->pin, _ ("The value that last passed stays in sight on the wire"));
  g_signal_connect (in->pin, "toggled", G_CALLBACK (inspector_part_pinned), in);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *off = gtk_button_new_with_label (_ ("Disconnect"));
  g_signal_connect (off, "clicked", G_CALLBACK (disconnect), in);
  gtk_widget_set_margin_top (line, 6);
  gtk_box_pack_start (GTK_BOX (line), in->pin, FALSE, FALSE, 0);
  gtk_box_pack_end (GTK_BOX (line), off, FALSE, FALSE, 0);
  inspector_pack (in, line);
  in->first = in->pin;
}

static void
tell_wire (Inspector *in, const EveWire *w)
{
  g_autofree char *last = scope_wire_last (w->from, w->out), *passed = scope_number (w->passed);
  int o = eve_is_ghost (w->from) ? -1 : eve_class_out (eve_class (w->from), w->out);
  const char *unit = o >= 0 ? eve_class (w->from)->outs[o].unit : NULL;
  g_autofree char *text = last ? g_strdup_printf ("%s%s%s", last, unit ? " " : "", unit ? unit : "")
                               : g_strdup (_ ("nothing yet"));
  g_autoptr (Notes) n = notes_read (inspector_part_program_of (in));
  scope_label_say (in->passed, passed);
  scope_label_say (in->last, text);
  in->filling = true;
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (in->pin),
                                notes_probe (n, eve_name (w->from), w->out, eve_name (w->to), w->in) != NULL);
  in->filling = false;
}

/* ---- a frame ---------------------------------------------------------------------------------------------------------------- */
static void
set_frame (Inspector *in, const char *what, const char *text, int colour)
{
  guint number;
  EveProgram *p = inspector_part_program_of (in);
  g_autoptr (Notes) n = p ? notes_read (p) : NULL;
  if (in->filling || !n || !in->part || !part_frame (n, in->part, &number))
    return;
  scope_document_begin_edit (in->d, what);
  edits_set_frame (p, number, text, colour);
  scope_document_end_edit (in->d);
}

static gboolean
comment_left (GtkWidget *view, GdkEvent *e, Inspector *in)
{
  GtkTextIter a, b;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  gtk_text_buffer_get_bounds (buffer, &a, &b);
  g_autofree char *text = gtk_text_buffer_get_text (buffer, &a, &b, FALSE);
  set_frame (in, _ ("Comment a frame"), text, -1);
  return FALSE;
}

static void
coloured (GtkComboBox *box, Inspector *in)
{
  if (gtk_combo_box_get_active (box) >= 0)
    set_frame (in, _ ("Colour a frame"), NULL, gtk_combo_box_get_active (box));
}

static void
inspector_part_add_frame (Inspector *in)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  in->comment = gtk_text_view_new ();
  in->colour = gtk_combo_box_text_new ();
  inspector_pack (in, inspector_label (_ ("Frame"), "inspector-title", false));
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (in->comment), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (in->comment), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (in->comment), 6);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (in->comment), 4);
  atk_object_set_name (gtk_widget_get_accessible (in->comment), _ ("Comment"));
  g_signal_connect (in->comment, "focus-out-event", G_CALLBACK (comment_left), in);
  gtk_scrolled_window_set_shadow_type (GTK_SCROLLED_WINDOW (scrolled), GTK_SHADOW_IN);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 72);
  gtk_container_add (GTK_CONTAINER (scrolled), in->comment);
  inspector_pack (in, scrolled);
  for (int i = 0; i < FRAME_COLOURS; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (in->colour), notes_colour_name (i));
  atk_object_set_name (gtk_widget_get_accessible (in->colour), _ ("Colour"));
  g_signal_connect (in->colour, "changed", G_CALLBACK (coloured), in);
  gtk_widget_set_margin_top (line, 4);
  gtk_box_pack_start (GTK_BOX (line), inspector_label (_ ("Colour"), "dim-label", false), FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (line), in->colour, TRUE, TRUE, 0);
  inspector_pack (in, line);
  in->first = in->comment;
}

static void
tell_frame (Inspector *in, const Frame *f)
{
  in->filling = true;
  if (!gtk_widget_has_focus (in->comment))
    gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (in->comment)), f->text, -1);
  gtk_combo_box_set_active (GTK_COMBO_BOX (in->colour), f->colour);
  in->filling = false;
}

/* ---- either --------------------------------------------------------------------------------------------------------------------- */
void
inspector_add_part (Inspector *in, const char *part)
{
  EveWire wire;
  in->part = g_strdup (part);
  if (shown_wire (in, &wire))
    add_wire (in, &wire);
  else
    inspector_part_add_frame (in);
  inspector_tell_part (in);
}

void
inspector_tell_part (Inspector *in)
{
  EveWire wire;
  guint number;
  if (in->passed && shown_wire (in, &wire))
    tell_wire (in, &wire);
  g_autoptr (Notes) n = in->comment && inspector_part_program_of (in) ? notes_read (inspector_part_program_of (in))
                                                                      : NULL;
  if (n && in->part && part_frame (n, in->part, &number))
    tell_frame (in, n->frames->pdata[number]);
}

/* "3 wires: A.out → B.in, ..."; what they are, and how they go. */
void
inspector_add_parts (Inspector *in, const GPtrArray *parts)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint wires = 0;
  for (guint i = 0; i < parts->len; i++) {
    EveWire w;
    if (!part_wire (inspector_part_program_of (in), parts->pdata[i], &w))
      continue;
    if (wires++ < 12)
      g_string_append_printf (names, "%s%s.%s → %s.%s", names->len ? "\n" : "", eve_name (w.from), w.out,
                              eve_name (w.to), w.in);
  }
  g_autoptr (GString) title = g_string_new (NULL);
  if (wires)
    g_string_append_printf (title, P_ ("%u wire", "%u wires", wires), wires);
  if (wires && wires < parts->len)
    g_string_append (title, ", ");
  if (wires < parts->len)
    g_string_append_printf (title, P_ ("%u frame", "%u frames", parts->len - wires), parts->len - wires);
  inspector_pack (in, inspector_label (title->str, "inspector-title", false));
  if (wires)
    inspector_pack (in, inspector_label (names->str, "dim-label", true));
}
