/* SPDX-License-Identifier: Apache-2.0 */
/* panel.c - what a Panel (views/panel.c) has in the window: the controls and values of the boxes on it, each made as
 * the inspector makes them. */
#include "editor/inspector-private.h"
#include "eve/words.h"
#include "views/panel.h"
#include <string.h>

typedef struct Panel {
  ScopeDocument *d;
  char *name; /* of the component */
  GtkWidget *flow;
  GPtrArray *parts; /* of Inspector * */
  char *key;        /* what is shown: other boxes make it anew */
} Panel;

static void
part_free (void *part)
{
  Inspector *in = part;
  g_ptr_array_unref (in->rows);
  g_clear_pointer (&in->own_rows, g_ptr_array_unref);
  g_free (in);
}

static void
tell_part (Inspector *in)
{
  in->filling = true;
  for (guint i = 0; i < in->rows->len; i++)
    inspector_row_show (in->rows->pdata[i]);
  in->filling = false;
  inspector_tell (in);
}

/* One row says all of it. */
static bool
is_short (EveComponent *c)
{
  const BoxInspector *own = eve_query (c, BOX_INSPECTOR);
  return own && panel_rows (own) == 1;
}

/* A box: its name, unless the one row that it has is called so, and what it brings. */
static Inspector *
make_part (Panel *panel, EveComponent *c)
{
  const BoxInspector *own = eve_query (c, BOX_INSPECTOR);
  Inspector *in = g_new0 (Inspector, 1);

  in->d = panel->d;
  in->only = g_intern_string (eve_name (c));
  in->rows = g_ptr_array_new_with_free_func (g_free);
  in->content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  in->shown_class = eve_class (c);
  gtk_style_context_add_class (gtk_widget_get_style_context (in->content), "inspector");
  atk_object_set_role (gtk_widget_get_accessible (in->content), ATK_ROLE_PANEL);
  atk_object_set_name (gtk_widget_get_accessible (in->content), panel_label (c));
  in->filling = true;
  if (!is_short (c))
    inspector_pack (in, inspector_label (panel_label (c), "inspector-title", false));
  if (own)
    inspector_add_own (in, own);
  else {
    in->status = inspector_label ("", NULL, true);
    in->problem = inspector_label ("", "inspector-problem", true);
    inspector_pack (in, in->status);
    inspector_pack (in, in->problem);
    inspector_add_settings (in, eve_class (c));
  }
  in->filling = false;
  return in;
}

/* Boxes of one row follow each other in one column; *column is the one that has room for more of them, or NULL. */
static void
editor_panel_add (Panel *panel, GtkWidget *w, bool short_one, GtkWidget **column)
{
  if (*column && short_one) {
    gtk_box_pack_start (GTK_BOX (*column), w, FALSE, FALSE, 0);
    return;
  }
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_widget_set_size_request (box, 250, -1);
  gtk_box_pack_start (GTK_BOX (box), w, FALSE, FALSE, 0);
  *column = short_one ? box : NULL;
  gtk_container_add (GTK_CONTAINER (panel->flow), box);
  GtkWidget *child = gtk_widget_get_parent (box);
  gtk_widget_set_can_focus (child, FALSE); /* the keys are for what is in it */
  gtk_widget_set_valign (child, GTK_ALIGN_START);
}

static void
editor_panel_rebuild (Panel *panel, GPtrArray *boxes, GPtrArray *missing)
{
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (panel->flow));
  GtkWidget *column = NULL;

  for (guint i = 0; i < panel->parts->len; i++)
    ((Inspector *) panel->parts->pdata[i])->filling = true;
  g_list_foreach (children, (GFunc) G_CALLBACK (gtk_widget_destroy), NULL);
  g_ptr_array_set_size (panel->parts, 0);
  for (guint i = 0; i < boxes->len; i++) {
    Inspector *in = make_part (panel, boxes->pdata[i]);
    g_ptr_array_add (panel->parts, in);
    editor_panel_add (panel, in->content, is_short (boxes->pdata[i]), &column);
  }
  for (guint i = 0; i < missing->len; i++) {
    g_autofree char *text = g_strdup_printf (_ ("There is no box %s"), (char *) missing->pdata[i]);
    editor_panel_add (panel, inspector_label (text, "dim-label", true), true, &column);
  }
  if (!boxes->len && !missing->len)
    editor_panel_add (
        panel, inspector_label (_ ("No box of the program has controls or values of its own"), "dim-label", true), true,
        &column);
  gtk_widget_show_all (panel->flow);
}

static void
program_changed (Panel *panel)
{
  EveComponent *c = scope_document_is_open (panel->d) ? eve_find (scope_document_program (panel->d), panel->name)
                                                      : NULL;
  g_autoptr (GPtrArray) missing = g_ptr_array_new_with_free_func (g_free),
                        boxes = c && eve_query (c, PANEL_INTERFACE) ? panel_boxes (c, missing) : g_ptr_array_new ();
  g_autoptr (GString) key = g_string_new (NULL);

  for (guint i = 0; i < boxes->len; i++) {
    EveComponent *box = boxes->pdata[i];
    g_string_append_printf (key, "%p %p %s\n%s\n", (void *) box, (const void *) eve_class (box), eve_name (box),
                            panel_label (box));
  }
  for (guint i = 0; i < missing->len; i++)
    g_string_append_printf (key, "! %s\n", (char *) missing->pdata[i]);
  if (g_strcmp0 (key->str, panel->key) != 0) {
    g_free (panel->key);
    panel->key = g_strdup (key->str);
    editor_panel_rebuild (panel, boxes, missing);
  }
  for (guint i = 0; i < panel->parts->len; i++)
    tell_part (panel->parts->pdata[i]);
}

static void
editor_panel_opened (Panel *panel)
{
  g_clear_pointer (&panel->key, g_free);
  program_changed (panel);
}

static void
editor_panel_tell (Panel *panel)
{
  for (guint i = 0; i < panel->parts->len; i++)
    inspector_tell (panel->parts->pdata[i]);
}

static void
editor_panel_free (void *data)
{
  Panel *panel = data;

  g_signal_handlers_disconnect_by_data (panel->d, panel);
  g_object_unref (panel->d);
  g_ptr_array_unref (panel->parts);
  g_free (panel->name);
  g_free (panel->key);
  g_free (panel);
}

GtkWidget *
editor_panel_new (ScopeDocument *d, const char *name)
{
  Panel *panel = g_new0 (Panel, 1);
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);

  panel->d = g_object_ref (d);
  panel->name = g_strdup (name);
  panel->parts = g_ptr_array_new_with_free_func (part_free);
  panel->flow = gtk_flow_box_new ();
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (panel->flow), GTK_SELECTION_NONE);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (panel->flow), 6);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (panel->flow), 16);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (panel->flow), 6);
  gtk_widget_set_valign (panel->flow, GTK_ALIGN_START);
  g_object_set (panel->flow, "margin", 10, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scrolled), panel->flow);
  gtk_style_context_add_class (gtk_widget_get_style_context (scrolled), "box-panel");
  g_autofree char *controls = g_strdup_printf (_ ("Controls of %s"), in_words (name));
  atk_object_set_name (gtk_widget_get_accessible (scrolled), controls);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (editor_panel_opened), panel);
  g_signal_connect_swapped (d, "program", G_CALLBACK (program_changed), panel);
  g_signal_connect_swapped (d, "activity", G_CALLBACK (editor_panel_tell), panel);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (editor_panel_tell), panel);
  g_object_set_data_full (G_OBJECT (scrolled), "panel", panel, editor_panel_free);
  program_changed (panel);
  gtk_widget_show_all (scrolled);
  return scrolled;
}
