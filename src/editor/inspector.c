/* SPDX-License-Identifier: Apache-2.0 */
/* inspector.c - what is selected in the program: its name, what it is and says, its settings; of several boxes of a
 * class the settings of all.  The rows of settings are in inspector-row.c, those of a component's own inspector in
 * inspector-own.c, wires and frames in inspector-part.c. */
#include "editor/inspector-private.h"
#include "eve/words.h"
#include <string.h>

GPtrArray *
inspector_boxes (const Inspector *in)
{
  GPtrArray *all = g_ptr_array_new (), *names = in->only ? NULL : scope_document_selected_boxes (in->d);
  EveProgram *p = scope_document_is_open (in->d) ? scope_document_program (in->d) : NULL;
  EveComponent *only = p && in->only ? eve_find (p, in->only) : NULL;
  if (only)
    g_ptr_array_add (all, only);
  for (guint i = 0; p && names && i < names->len; i++) {
    EveComponent *c = eve_find (p, names->pdata[i]);
    if (c)
      g_ptr_array_add (all, c);
  }
  return all;
}

GtkWidget *
inspector_label (const char *text, const char *class, bool wrap)
{
  GtkWidget *l = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (l), 0);
  gtk_label_set_line_wrap (GTK_LABEL (l), wrap);
  gtk_label_set_max_width_chars (GTK_LABEL (l), 30);
  gtk_label_set_ellipsize (GTK_LABEL (l), wrap ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  if (class)
    gtk_style_context_add_class (gtk_widget_get_style_context (l), class);
  return l;
}

void
inspector_pack (Inspector *in, GtkWidget *w)
{
  gtk_box_pack_start (GTK_BOX (in->content), w, FALSE, FALSE, 0);
}

/* ---- the head -------------------------------------------------------------------------------------------------------- */
static void
rename_now (GtkEntry *entry, Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  const char *text = gtk_entry_get_text (entry);
  g_autoptr (GError) error = NULL;
  if (in->filling || boxes->len != 1 || !strcmp (text, eve_name (boxes->pdata[0])))
    return;
  EveComponent *c = boxes->pdata[0];
  g_autofree char *what = g_strdup_printf (_ ("Rename %s"), eve_name (c)), *name = g_strdup (text);
  scope_document_begin_edit (in->d, what);
  bool ok = edits_rename (c, name, &error);
  if (ok)
    scope_document_select_boxes (in->d, (const char *const[]){ name }, 1);
  scope_document_end_edit (in->d);
  if (!ok) {
    gtk_entry_set_text (entry, eve_name (c));
    scope_document_say (in->d, SCOPE_SAY_WARNING, "%s", error->message);
  }
}

static gboolean
name_left (GtkWidget *entry, GdkEvent *e, Inspector *in)
{
  in->leaving = true;
  rename_now (GTK_ENTRY (entry), in);
  in->leaving = false;
  return FALSE;
}

static gboolean
name_key (GtkWidget *entry, GdkEventKey *e, Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  if (e->keyval != GDK_KEY_Escape || boxes->len != 1)
    return FALSE;
  gtk_entry_set_text (GTK_ENTRY (entry), eve_name (boxes->pdata[0]));
  return FALSE;
}

static void
inspector_help (GtkButton *button, Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (button));
  if (boxes->len && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "help-class",
                                    g_variant_new_string (eve_class_id (boxes->pdata[0])));
}

static void
inspector_add_head (Inspector *in, EveComponent *c)
{
  const EveClass *k = eve_class (c);
  bool ghost = eve_is_ghost (c);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4);
  in->first = in->name = gtk_entry_new ();
  gtk_entry_set_text (GTK_ENTRY (in->name), eve_name (c));
  gtk_style_context_add_class (gtk_widget_get_style_context (in->name), "inspector-name");
  atk_object_set_name (gtk_widget_get_accessible (in->name), _ ("Name of the box"));
  gtk_widget_set_tooltip_text (in->name, _ ("Name of the box"));
  g_signal_connect (in->name, "activate", G_CALLBACK (rename_now), in);
  g_signal_connect (in->name, "focus-out-event", G_CALLBACK (name_left), in);
  g_signal_connect (in->name, "key-press-event", G_CALLBACK (name_key), in);
  gtk_box_pack_start (GTK_BOX (line), in->name, TRUE, TRUE, 0);
  if (!ghost) {
    GtkWidget *button = gtk_button_new_from_icon_name ("help-browser-symbolic", GTK_ICON_SIZE_MENU);
    gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
    gtk_widget_set_tooltip_text (button, _ ("Help on this component"));
    atk_object_set_name (gtk_widget_get_accessible (button), _ ("Help on this component"));
    g_signal_connect (button, "clicked", G_CALLBACK (inspector_help), in);
    gtk_box_pack_end (GTK_BOX (line), button, FALSE, FALSE, 0);
  }
  inspector_pack (in, line);
  g_autofree char *about = ghost ? g_strdup_printf (
                               _ ("A ghost: its class %s was not found. What was saved of it is kept."),
                               eve_class_id (c))
                           : !strcmp (k->label, eve_name (c))
                               ? g_strdup (in_words (k->doc))
                               : g_strdup_printf ("%s. %s", in_words (k->label), k->doc ? in_words (k->doc) : "");
  inspector_pack (in, inspector_label (about, "dim-label", true));
}

/* ---- what it says -------------------------------------------------------------------------------------------------------- */
void
inspector_tell (Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  EveComponent *c = boxes->len == 1 ? boxes->pdata[0] : NULL;
  inspector_tell_part (in);
  inspector_tell_own (in);
  if (!c || !in->status)
    return;
  const char *status = eve_component_status (c), *problem = scope_document_box_problem (in->d, c);
  if (!problem)
    problem = eve_component_failure (c);
  if (strcmp (gtk_label_get_text (GTK_LABEL (in->status)), status) != 0)
    gtk_label_set_text (GTK_LABEL (in->status), status);
  gtk_widget_set_visible (in->status, *status != 0);
  if (g_strcmp0 (gtk_label_get_text (GTK_LABEL (in->problem)), problem ? problem : "") != 0)
    gtk_label_set_text (GTK_LABEL (in->problem), problem ? problem : "");
  gtk_widget_set_visible (in->problem, problem != NULL);
}

static void
add_ports (Inspector *in, const EveClass *k)
{
  GtkWidget *grid = gtk_grid_new ();
  int row = 0;
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 2);
  for (int outs = 0; outs < 2; outs++)
    for (uint32_t i = 0; i < (outs ? k->n_outs : k->n_ins); i++) {
      const EveType *t = outs ? k->outs[i].type : k->ins[i].type;
      const char *name = outs ? k->outs[i].name : k->ins[i].name, *doc = outs ? k->outs[i].doc : k->ins[i].doc;
      const char *unit = outs ? k->outs[i].unit : k->ins[i].unit;
      g_autofree char *of = g_strdup_printf ("%s%s%s", t ? in_words (t->name) : _ ("any type"), unit ? ", " : "",
                                             unit ? unit : "");
      GtkWidget *cells[] = { inspector_label (outs ? _ ("gives") : _ ("takes"), "dim-label", false),
                             inspector_label (name, NULL, false), inspector_label (of, "dim-label", false) };
      for (int n = 0; n < 3; n++) {
        gtk_widget_set_tooltip_text (cells[n], in_words (doc));
        gtk_grid_attach (GTK_GRID (grid), cells[n], n, row, 1, 1);
      }
      row++;
    }
  if (!row) {
    gtk_widget_destroy (grid);
    return;
  }
  GtkWidget *fold = gtk_expander_new (_ ("Ports"));
  gtk_widget_set_margin_top (fold, 8);
  gtk_widget_set_margin_top (grid, 4);
  gtk_container_add (GTK_CONTAINER (fold), grid);
  gtk_expander_set_expanded (GTK_EXPANDER (fold), k->n_settings == 0);
  inspector_pack (in, fold);
}

/* ---- settings ------------------------------------------------------------------------------------------------------------- */
static GtkWidget *
settings_grid (void)
{
  GtkWidget *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_widget_set_margin_top (grid, 8);
  return grid;
}

/* A setting is shown as one of the sub-program, or no longer. */
static void
face_toggled (GtkToggleButton *button, Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  const EveField *f = g_object_get_data (G_OBJECT (button), "field");
  if (in->filling || boxes->len != 1)
    return;
  EveProgram *p = scope_document_program (in->d);
  g_autoptr (Notes) n = notes_read (p);
  Group *g = notes_group_of (n, eve_name (boxes->pdata[0]));
  if (!g)
    return;
  bool on = gtk_toggle_button_get_active (button);
  g_autofree char *what = g_strdup_printf (on ? _ ("Show %s of %s on %s") : _ ("Hide %s of %s from %s"), f->name,
                                           eve_name (boxes->pdata[0]), g->name);
  notes_set_face (g, eve_name (boxes->pdata[0]), f->name, on);
  scope_document_begin_edit (in->d, what);
  notes_write (p, n);
  scope_document_end_edit (in->d);
}

static void
add_face_button (Inspector *in, GtkGrid *grid, int line, const EveField *f, const Group *g, const char *box)
{
  GtkWidget *button = gtk_toggle_button_new ();
  g_autofree char *tip = g_strdup_printf (_ ("Show %s on %s"), f->name, g->name);
  gtk_container_add (GTK_CONTAINER (button), gtk_image_new_from_icon_name ("view-pin-symbolic", GTK_ICON_SIZE_MENU));
  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), notes_has_face (g, box, f->name));
  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  atk_object_set_name (gtk_widget_get_accessible (button), tip);
  g_object_set_data (G_OBJECT (button), "field", (void *) f);
  g_signal_connect (button, "toggled", G_CALLBACK (face_toggled), in);
  gtk_grid_attach (grid, button, 4, line, 1, 1);
}

void
inspector_add_settings (Inspector *in, const EveClass *k)
{
  GtkWidget *grid = settings_grid ();
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  g_autoptr (Notes) n = boxes->len == 1 ? notes_read (scope_document_program (in->d)) : NULL;
  const Group *g = n && !in->only ? notes_group_of (n, eve_name (boxes->pdata[0])) : NULL;
  for (uint32_t i = 0; i < k->n_settings; i++) {
    g_ptr_array_add (
        in->rows, inspector_row_new (in, &k->settings[i], NULL, NULL, INSPECTOR_TYPES, GTK_GRID (grid), (int) i * 2));
    if (g)
      add_face_button (in, GTK_GRID (grid), (int) i * 2, &k->settings[i], g, eve_name (boxes->pdata[0]));
  }
  inspector_pack (in, grid);
}

/* The settings that a sub-program shows as its own. */
static void
add_faces (Inspector *in, const Group *g)
{
  GtkWidget *grid = settings_grid ();
  int line = 0;
  for (guint i = 0; i < g->faces->len; i++) {
    const Face *face = g->faces->pdata[i];
    EveComponent *c = eve_find (scope_document_program (in->d), face->box);
    int k = c ? eve_class_setting (eve_class (c), face->setting) : -1;
    if (k < 0)
      continue;
    g_autofree char *doc = g_strdup_printf (_ ("Of %s. %s"), face->box, eve_class (c)->settings[k].doc);
    InspectorRow *row = inspector_row_new (in, &eve_class (c)->settings[k], NULL, doc, INSPECTOR_TYPES, GTK_GRID (grid),
                                           line);
    inspector_row_of (row, face->box);
    g_ptr_array_add (in->rows, row);
    line += 2;
  }
  inspector_pack (in, grid);
  if (!line)
    inspector_pack (in,
                    inspector_label (_ ("Settings of its boxes can be shown here: the pin beside a setting does it."),
                                     "dim-label", true));
}

/* The sub-program that is just these boxes, or NULL. */
static const Group *
whole_group (const Notes *n, const GPtrArray *boxes)
{
  const Group *found = NULL;
  for (guint i = 0; i < n->groups->len; i++) {
    g_autoptr (GPtrArray) all = notes_all_boxes (n, n->groups->pdata[i]);
    bool same = all->len == boxes->len;
    for (guint k = 0; same && k < boxes->len; k++)
      same = g_ptr_array_find_with_equal_func (all, eve_name (boxes->pdata[k]), g_str_equal, NULL);
    if (same && (!found || notes_inside (n, found, n->groups->pdata[i])))
      found = n->groups->pdata[i];
  }
  return found;
}

static void
add_several (Inspector *in, GPtrArray *boxes, const EveClass *same)
{
  g_autoptr (Notes) n = notes_read (scope_document_program (in->d));
  const Group *g = whole_group (n, boxes);
  g_autofree char *title = g      ? g_strdup (g->name)
                           : same ? g_strdup_printf ("%u × %s", boxes->len, same->label)
                                  : g_strdup_printf (_ ("%u boxes"), boxes->len);
  g_autoptr (GString) names = g_string_new (NULL);
  if (g)
    g_string_printf (names, _ ("Sub-program of %u components: "), boxes->len);
  for (guint i = 0; i < boxes->len && i < 12; i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", eve_name (boxes->pdata[i]));
  if (boxes->len > 12)
    g_string_append_printf (names, _ (" and %u more"), boxes->len - 12);
  inspector_pack (in, inspector_label (title, "inspector-title", false));
  inspector_pack (in, inspector_label (names->str, "dim-label", true));
  if (!same && !g)
    inspector_pack (in, inspector_label (_ ("Boxes of one class can be set together."), "dim-label", true));
  if (g)
    add_faces (in, g);
}

static void
add_program (Inspector *in)
{
  EveProgram *p = scope_document_program (in->d);
  const char *title = eve_program_title (p);
  guint boxes = eve_n_components (p), wires = eve_n_wires (p);
  g_autofree char *has = g_strdup_printf (P_ ("%u component", "%u components", boxes), boxes),
                  *and = g_strdup_printf (P_ ("%u wire", "%u wires", wires), wires),
                  *counts = g_strdup_printf ("%s, %s", has, and);
  inspector_pack (in, inspector_label (*title ? in_words (title) : _ ("Program"), "inspector-title", true));
  inspector_pack (in, inspector_label (counts, "dim-label", true));
  inspector_pack (in, inspector_label (_ ("Select a box or a wire to see more."), "dim-label", true));
}

static const EveClass *
same_class (GPtrArray *boxes)
{
  for (guint i = 0; i < boxes->len; i++)
    if (eve_is_ghost (boxes->pdata[i]) || eve_class (boxes->pdata[i]) != eve_class (boxes->pdata[0]))
      return NULL;
  return boxes->len ? eve_class (boxes->pdata[0]) : NULL;
}

static const char *
focused_setting (const Inspector *in)
{
  const char *setting = NULL;
  for (guint i = 0; i < in->rows->len && !setting; i++)
    setting = inspector_row_focused (in->rows->pdata[i]);
  return setting;
}

static void
inspector_rebuild (Inspector *in)
{
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (in->content));
  g_clear_handle_id (&in->later, g_source_remove);
  in->filling = true;
  /* widgets first: one that has the focus tells its row when it loses it */
  g_list_foreach (children, (GFunc) G_CALLBACK (gtk_widget_destroy), NULL);
  g_ptr_array_set_size (in->rows, 0);
  in->own = NULL;
  g_clear_pointer (&in->own_rows, g_ptr_array_unref);
  in->name = in->status = in->problem = in->first = in->passed = in->last = in->pin = in->comment = in->colour = NULL;
  g_clear_pointer (&in->part, g_free);
  g_autoptr (GPtrArray) parts = inspector_parts (in);
  const EveClass *k = same_class (boxes);
  in->shown_class = k;
  in->shown = boxes->len;
  if (!scope_document_is_open (in->d))
    inspector_pack (in, inspector_label (_ ("Nothing is open."), "dim-label", true));
  else if (!boxes->len && parts->len == 1)
    inspector_add_part (in, parts->pdata[0]);
  else if (!boxes->len && parts->len)
    inspector_add_parts (in, parts);
  else if (!boxes->len)
    add_program (in);
  else if (boxes->len > 1)
    add_several (in, boxes, k);
  else {
    inspector_add_head (in, boxes->pdata[0]);
    in->status = inspector_label ("", NULL, true);
    in->problem = inspector_label ("", "inspector-problem", true);
    gtk_label_set_selectable (GTK_LABEL (in->problem), TRUE);
    inspector_pack (in, in->status);
    inspector_pack (in, in->problem);
  }
  if (boxes->len && parts->len)
    inspector_add_parts (in, parts);
  const BoxInspector *own = k && boxes->len == 1 ? eve_query (boxes->pdata[0], BOX_INSPECTOR) : NULL;
  if (own)
    inspector_add_own (in, own);
  else if (k)
    inspector_add_settings (in, k);
  if (k && boxes->len == 1)
    add_ports (in, k);
  gtk_widget_show_all (in->content);
  for (guint i = 0; i < in->rows->len; i++)
    inspector_row_show (in->rows->pdata[i]);
  in->filling = false;
  inspector_tell (in);
}

static void
focus_setting (Inspector *in, const char *setting)
{
  for (guint i = 0; i < in->rows->len; i++)
    if (inspector_row_focus (in->rows->pdata[i], setting))
      return;
}

/* The field that the keys went to keeps them. */
static gboolean
rebuild_later (void *inspector)
{
  Inspector *in = inspector;
  const char *setting = focused_setting (in);
  in->later = 0;
  inspector_rebuild (in);
  if (setting)
    focus_setting (in, setting);
  return G_SOURCE_REMOVE;
}

static void
selection_changed (Inspector *in)
{
  /* renaming and redoing keep what one is in: only other boxes make a new list */
  g_autoptr (GPtrArray) boxes = inspector_boxes (in);
  g_autoptr (GString) key = g_string_new (NULL);
  for (guint i = 0; i < boxes->len; i++)
    g_string_append_printf (key, "%p ", boxes->pdata[i]);
  g_autoptr (GPtrArray) parts = inspector_parts (in);
  for (guint i = 0; i < parts->len; i++)
    g_string_append_printf (key, "%s\n", (char *) parts->pdata[i]);
  if (boxes->len) /* they may become, or be no more, a sub-program, or be called otherwise */
    g_string_append (key, eve_program_note (scope_document_program (in->d), "groups"));
  bool other = g_strcmp0 (key->str, in->key) != 0 || in->shown_class != same_class (boxes)
               || (!boxes->len && !parts->len);
  if (other) {
    g_free (in->key);
    in->key = g_strdup (key->str);
    if (!in->leaving)
      inspector_rebuild (in);
    else if (!in->later) /* a name was left for a field that is just getting the keys: not under its feet */
      in->later = g_idle_add (rebuild_later, in);
    return;
  }
  in->filling = true;
  if (in->name && !gtk_widget_has_focus (in->name))
    gtk_entry_set_text (GTK_ENTRY (in->name), eve_name (boxes->pdata[0]));
  for (guint i = 0; i < in->rows->len; i++)
    inspector_row_show (in->rows->pdata[i]);
  in->filling = false;
  inspector_tell (in);
}

static void
inspector_opened (Inspector *in)
{
  g_clear_pointer (&in->key, g_free);
  selection_changed (in);
}

static void
inspector_mapped (GtkWidget *widget, void *unused)
{
  g_signal_handlers_disconnect_by_func (widget, inspector_mapped, unused);
  gtk_widget_grab_focus (widget);
}

void
inspector_focus (ScopeDocument *d, GtkWidget *from)
{
  Inspector *in = g_object_get_data (G_OBJECT (d), "inspector");
  if (!in || !in->first)
    return;
  if (in->rows->len) { /* what is mostly wanted; the name has a key of its own */
    gtk_widget_grab_focus (from);
    inspector_row_focus (in->rows->pdata[0], NULL);
  } else if (gtk_widget_get_mapped (in->first))
    gtk_widget_grab_focus (in->first);
  else { /* its side was just unfolded: until it is there, keys stay where they are */
    gtk_widget_grab_focus (from);
    g_signal_connect (in->first, "map", G_CALLBACK (inspector_mapped), NULL);
  }
}

void
inspector_focus_setting (ScopeDocument *d, const char *setting)
{
  Inspector *in = g_object_get_data (G_OBJECT (d), "inspector");
  if (in)
    focus_setting (in, setting);
}

static void
inspector_free (void *inspector)
{
  Inspector *in = inspector;
  g_object_set_data (G_OBJECT (in->d), "inspector", NULL);
  g_clear_handle_id (&in->later, g_source_remove);
  g_signal_handlers_disconnect_by_data (in->d, in);
  g_object_unref (in->d);
  g_ptr_array_unref (in->rows);
  g_clear_pointer (&in->own_rows, g_ptr_array_unref);
  g_free (in->key);
  g_free (in->part);
  g_free (in);
}

GtkWidget *
editor_inspector_new (ScopeDocument *d)
{
  Inspector *in = g_new0 (Inspector, 1);
  in->d = g_object_ref (d);
  in->rows = g_ptr_array_new_with_free_func (g_free);
  in->content = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_widget_set_margin_bottom (in->content, 8);
  gtk_style_context_add_class (gtk_widget_get_style_context (in->content), "inspector");
  atk_object_set_name (gtk_widget_get_accessible (in->content), _ ("Inspector"));
  g_signal_connect_swapped (d, "opened", G_CALLBACK (inspector_opened), in);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (selection_changed), in);
  g_signal_connect_swapped (d, "program", G_CALLBACK (selection_changed), in);
  g_signal_connect_swapped (d, "activity", G_CALLBACK (inspector_tell), in);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (inspector_tell), in);
  g_object_set_data_full (G_OBJECT (in->content), "inspector", in, inspector_free);
  g_object_set_data (G_OBJECT (d), "inspector", in); /* for inspector_focus */
  inspector_rebuild (in);
  return in->content;
}
