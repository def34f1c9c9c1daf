/* SPDX-License-Identifier: Apache-2.0 */
/* camera.c - the panel of a view that is seen by a camera: sides, places before, viewpoints with names, and how it is
 * drawn.  It is filled each time it opens, from the settings of the view. */
#include <string.h>
#include "eve/words.h"
#include "panes/pane.h"
#include "panes/picture.h"

typedef struct Panel {
  ScopePane *pane;
  GtkWidget *popover, *box, *name;
  bool filling;
  guint filling_soon; /* source; 0: none */
} Panel;

static void panes_camera_fill (Panel *p);

static EveComponent *
panes_camera_component (Panel *p)
{
  return picture_component (pane_picture (p->pane));
}

/* NULL: it has no such setting. */
static const EveField *
setting (Panel *p, const char *name)
{
  int at = eve_class_setting (eve_class (panes_camera_component (p)), name);

  return at >= 0 ? &eve_class (panes_camera_component (p))->settings[at] : NULL;
}

static void
panes_camera_set (Panel *p, const char *name, const char *value)
{
  g_autofree char *what = g_strdup_printf (_ ("Change %s"), name);

  picture_set (pane_picture (p->pane), what, name, value);
}

/* ---- its parts ------------------------------------------------------------------------------------------ */

static void
add_title (Panel *p, const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), "dim-label");
  gtk_box_pack_start (GTK_BOX (p->box), label, FALSE, FALSE, 0);
}

static GtkWidget *
panes_camera_add_button (GtkWidget *to, const char *text, const char *name, GCallback pressed, Panel *p)
{
  GtkWidget *b = gtk_button_new_with_label (text);

  atk_object_set_name (gtk_widget_get_accessible (b), name);
  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  g_signal_connect (b, "clicked", pressed, p);
  gtk_container_add (GTK_CONTAINER (to), b);
  return b;
}

static void
on_side (GtkButton *b, Panel *p)
{
  picture_look_from (pane_picture (p->pane), GPOINTER_TO_INT (g_object_get_data (G_OBJECT (b), "side")));
}

static void
add_sides (Panel *p)
{
  const EveField *f = setting (p, "side");
  GtkWidget *grid = gtk_flow_box_new ();

  if (f == NULL || f->kind != EVE_F_CHOICE)
    return;
  add_title (p, _ ("All of it, from (keys 1 to 7)"));
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (grid), GTK_SELECTION_NONE);
  gtk_flow_box_set_min_children_per_line (GTK_FLOW_BOX (grid), 4);
  for (int i = 0; f->choices[i] != NULL; i++) {
    g_autofree char *name = g_strdup_printf (_ ("From %s"), in_words (f->choices[i]));
    g_object_set_data (
        G_OBJECT (panes_camera_add_button (grid, in_words (f->choices[i]), name, G_CALLBACK (on_side), p)), "side",
        GINT_TO_POINTER (i));
  }
  gtk_box_pack_start (GTK_BOX (p->box), grid, FALSE, FALSE, 0);
}

static void
panes_camera_on_back (GtkButton *b, Panel *p)
{
  picture_step_back (pane_picture (p->pane));
}

static void
panes_camera_on_fit (GtkButton *b, Panel *p)
{
  picture_fit (pane_picture (p->pane));
}

static void
add_steps (Panel *p)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  gtk_box_set_homogeneous (GTK_BOX (row), TRUE);
  panes_camera_add_button (row, _ ("Step back"), _ ("The place of the camera before (Backspace)"),
                           G_CALLBACK (panes_camera_on_back), p);
  panes_camera_add_button (row, _ ("Fit all"), _ ("All of it (F)"), G_CALLBACK (panes_camera_on_fit), p);
  gtk_box_pack_start (GTK_BOX (p->box), row, FALSE, FALSE, 0);
}

/* ---- viewpoints ------------------------------------------------------------------------------------------ */

static EveComponent *
keeper (Panel *p)
{
  return view_camera (panes_camera_component (p))->keeper (panes_camera_component (p));
}

/* The list without one of them, and with another place under that name, unless it is NULL. */
static void
panes_camera_keep (Panel *p, const char *name, const char *place)
{
  g_autofree char *list = eve_get (keeper (p), "viewpoints");
  g_auto (GStrv) all = g_strsplit (list, ";", -1);
  g_autoptr (GString) now = g_string_new (NULL);

  for (char **one = all; *one != NULL; one++) {
    const char *colon = strchr (*one, ':');
    g_autofree char *its = colon != NULL ? g_strstrip (g_strndup (*one, (gsize) (colon - *one))) : NULL;
    if (its != NULL && !g_str_equal (its, name))
      g_string_append_printf (now, "%s%s", now->len > 0 ? "; " : "", g_strstrip (*one));
  }
  if (place != NULL)
    g_string_append_printf (now, "%s%s: %s", now->len > 0 ? "; " : "", name, place);
  picture_set_kept (pane_picture (p->pane), place != NULL ? _ ("Keep a viewpoint") : _ ("Remove a viewpoint"),
                    "viewpoints", now->str);
}

static void
panes_camera_on_keep (GtkWidget *w, Panel *p)
{
  g_autofree char *name = g_strstrip (g_strdelimit (g_strdup (gtk_entry_get_text (GTK_ENTRY (p->name))), ":;", ' ')),
                  *place = view_camera (panes_camera_component (p))->place (panes_camera_component (p));

  if (*name == '\0' || place == NULL)
    return;
  panes_camera_keep (p, name, place);
  panes_camera_fill (p);
}

static void
on_go (GtkButton *b, Panel *p)
{
  picture_place_camera (pane_picture (p->pane), gtk_button_get_label (b));
}

static void
panes_camera_on_remove (GtkButton *b, Panel *p)
{
  panes_camera_keep (p, g_object_get_data (G_OBJECT (b), "name"), NULL);
  panes_camera_fill (p);
}

static void
add_viewpoint (Panel *p, const char *name)
{
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  g_autofree char *go = g_strdup_printf (_ ("Viewpoint %s"), name),
                  *away = g_strdup_printf (_ ("Remove viewpoint %s"), name);
  GtkWidget *b = panes_camera_add_button (row, name, go, G_CALLBACK (on_go), p), *remove;

  gtk_widget_set_halign (gtk_bin_get_child (GTK_BIN (b)), GTK_ALIGN_START);
  gtk_container_child_set (GTK_CONTAINER (row), b, "expand", TRUE, "fill", TRUE, NULL);
  remove = panes_camera_add_button (row, "\303\227", away, G_CALLBACK (panes_camera_on_remove), p);
  g_object_set_data_full (G_OBJECT (remove), "name", g_strdup (name), g_free);
  gtk_box_pack_start (GTK_BOX (p->box), row, FALSE, FALSE, 0);
}

static void
add_viewpoints (Panel *p)
{
  g_autofree char *list = eve_get (keeper (p), "viewpoints");
  g_auto (GStrv) all = g_strsplit (list != NULL ? list : "", ";", -1);
  GtkWidget *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);

  if (list == NULL)
    return;
  add_title (p, _ ("Viewpoints"));
  for (char **one = all; *one != NULL; one++) {
    char *colon = strchr (*one, ':');
    if (colon == NULL)
      continue;
    *colon = '\0';
    add_viewpoint (p, g_strstrip (*one));
  }
  p->name = gtk_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (p->name), _ ("Name of this viewpoint"));
  atk_object_set_name (gtk_widget_get_accessible (p->name), _ ("Name of this viewpoint"));
  g_signal_connect (p->name, "activate", G_CALLBACK (panes_camera_on_keep), p);
  gtk_box_pack_start (GTK_BOX (row), p->name, TRUE, TRUE, 0);
  panes_camera_add_button (row, _ ("Keep"), _ ("Keep this viewpoint"), G_CALLBACK (panes_camera_on_keep), p);
  gtk_box_pack_start (GTK_BOX (p->box), row, FALSE, FALSE, 0);
}

/* ---- how it is drawn, and with whom the camera is shared --------------------------------------------------- */

static void
panes_camera_on_choice (GtkComboBox *combo, Panel *p)
{
  if (!p->filling)
    panes_camera_set (p, g_object_get_data (G_OBJECT (combo), "setting"), gtk_combo_box_get_active_id (combo));
}

static void
panes_camera_on_check (GtkToggleButton *b, Panel *p)
{
  if (!p->filling)
    panes_camera_set (p, g_object_get_data (G_OBJECT (b), "setting"),
                      gtk_toggle_button_get_active (b) ? "true" : "false");
}

static GtkWidget *
add_combo (Panel *p, GtkWidget *grid, int row, const char *text)
{
  GtkWidget *label = gtk_label_new (text), *combo = gtk_combo_box_text_new ();

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  atk_object_set_name (gtk_widget_get_accessible (combo), text);
  gtk_widget_set_hexpand (combo, TRUE);
  gtk_grid_attach (GTK_GRID (grid), label, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), combo, 1, row, 1, 1);
  return combo;
}

static void
add_looks (Panel *p, GtkWidget *grid)
{
  const char *const names[] = { "rendering", "stereo", "parallel" }, *const texts[] = { _ ("Drawn"), _ ("For two eyes"),
                                                                                        _ ("Without perspective") };

  for (int i = 0; i < 3; i++) {
    const EveField *f = setting (p, names[i]);
    g_autofree char *now = f != NULL ? eve_get (panes_camera_component (p), names[i]) : NULL;
    GtkWidget *w = NULL;
    if (f != NULL && f->kind == EVE_F_CHOICE) {
      w = add_combo (p, grid, i, in_words (texts[i]));
      for (int k = 0; f->choices[k] != NULL; k++)
        gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (w), f->choices[k], in_words (f->choices[k]));
      gtk_combo_box_set_active_id (GTK_COMBO_BOX (w), now);
      g_signal_connect (w, "changed", G_CALLBACK (panes_camera_on_choice), p);
    } else if (f != NULL && f->kind == EVE_F_BOOL) {
      w = gtk_check_button_new_with_label (in_words (texts[i]));
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (w), g_str_equal (now, "true"));
      gtk_grid_attach (GTK_GRID (grid), w, 0, i, 2, 1);
      g_signal_connect (w, "toggled", G_CALLBACK (panes_camera_on_check), p);
    }
    if (w != NULL)
      g_object_set_data (G_OBJECT (w), "setting", (gpointer) names[i]);
  }
}

static gboolean
fill_now (gpointer data)
{
  Panel *p = data;

  p->filling_soon = 0;
  if (picture_is_alive (pane_picture (p->pane)))
    panes_camera_fill (p);
  return G_SOURCE_REMOVE;
}

/* Not at once: what is filled anew is what tells of the change. */
static void
fill_soon (Panel *p)
{
  if (p->filling_soon == 0)
    p->filling_soon = g_idle_add (fill_now, p);
}

static void
on_share (GtkComboBox *combo, Panel *p)
{
  ScopeDocument *d = picture_document (pane_picture (p->pane));
  const char *name = gtk_combo_box_get_active_id (combo);
  EveComponent *other = *name != '\0' ? eve_find (scope_document_program (d), name) : NULL;
  g_autofree char *word = other != NULL ? eve_get (other, "shared camera") : g_strdup ("");
  g_autoptr (GError) error = NULL;

  if (p->filling)
    return;
  scope_document_begin_edit (d, _ ("Share a camera"));
  if (other != NULL && *word == '\0') {
    g_free (word);
    word = g_strdup (name);
    if (!eve_set (other, "shared camera", word, &error))
      scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  }
  panes_camera_set (p, "shared camera", word);
  scope_document_end_edit (d);
  fill_soon (p); /* another one keeps the viewpoints now */
}

static void
add_share (Panel *p, GtkWidget *grid)
{
  EveProgram *program = scope_document_program (picture_document (pane_picture (p->pane)));
  g_autofree char *word = eve_get (panes_camera_component (p), "shared camera");
  GtkWidget *combo = NULL;
  const char *with = "";

  for (uint32_t i = 0; word != NULL && i < eve_n_components (program); i++) {
    EveComponent *c = eve_component (program, i);
    if (c == panes_camera_component (p) || view_camera (c) == NULL
        || eve_class (c) != eve_class (panes_camera_component (p)))
      continue;
    if (combo == NULL) {
      combo = add_combo (p, grid, 3, _ ("Camera of"));
      gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), "", _ ("its own"));
    }
    gtk_combo_box_text_append (GTK_COMBO_BOX_TEXT (combo), eve_name (c), eve_name (c));
    g_autofree char *its = eve_get (c, "shared camera");
    if (*word != '\0' && g_str_equal (its, word) && *with == '\0')
      with = eve_name (c);
  }
  if (combo == NULL)
    return;
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (combo), with);
  g_signal_connect (combo, "changed", G_CALLBACK (on_share), p);
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static void
panes_camera_fill (Panel *p)
{
  GtkWidget *grid = gtk_grid_new ();

  p->filling = true;
  gtk_container_foreach (GTK_CONTAINER (p->box), (GtkCallback) (void (*) (void)) gtk_widget_destroy, NULL);
  add_sides (p);
  add_steps (p);
  add_viewpoints (p);
  add_title (p, _ ("How it is seen"));
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  add_looks (p, grid);
  add_share (p, grid);
  gtk_box_pack_start (GTK_BOX (p->box), grid, FALSE, FALSE, 0);
  gtk_widget_show_all (p->box);
  p->filling = false;
}

static void
on_toggled (GtkToggleButton *b, Panel *p)
{
  if (gtk_toggle_button_get_active (b) && picture_is_alive (pane_picture (p->pane)))
    panes_camera_fill (p);
}

static void
panes_camera_panel_free (gpointer data)
{
  Panel *p = data;

  if (p->filling_soon != 0)
    g_source_remove (p->filling_soon);
  g_free (p);
}

GtkWidget *
camera_button_new (ScopePane *pane)
{
  Panel *p = g_new0 (Panel, 1);
  GtkWidget *button = gtk_menu_button_new ();

  p->pane = pane;
  p->popover = gtk_popover_new (button);
  p->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_container_set_border_width (GTK_CONTAINER (p->box), 10);
  gtk_container_add (GTK_CONTAINER (p->popover), p->box);
  gtk_container_add (GTK_CONTAINER (button),
                     gtk_image_new_from_icon_name ("camera-photo-symbolic", GTK_ICON_SIZE_MENU));
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, _ ("Camera: sides, viewpoints, how it is seen"));
  atk_object_set_name (gtk_widget_get_accessible (button), _ ("Camera"));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), p->popover);
  g_signal_connect (button, "toggled", G_CALLBACK (on_toggled), p);
  g_object_set_data_full (G_OBJECT (button), "panel", p, panes_camera_panel_free);
  return button;
}
