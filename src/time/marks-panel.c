/* SPDX-License-Identifier: Apache-2.0 */
/* marks-panel.c - the marks of the trace: go there, name, note, move, remove, sort, report. */
#include <string.h>
#include "time/time.h"
#include "eve/words.h"
#include "document/active-row.h"
#include "session/marks-media.h"
#include "session/places.h"

#define PLAYED_SHOWN 3 /* sounds and films of one mark; the others are in its report */

typedef struct Panel {
  ScopeDocument *d;
  GtkWidget *root, *list, *empty, *report;
  bool by_name;
} Panel;

/* ---- the list -------------------------------------------------------------------------------------------------------------- */

static const Mark *
mark_of (Panel *p, GtkWidget *inside)
{
  GtkWidget *row = GTK_IS_LIST_BOX_ROW (inside) ? inside : gtk_widget_get_ancestor (inside, GTK_TYPE_LIST_BOX_ROW);
  Marks *marks = scope_document_marks (p->d);

  return row && marks ? marks_find (marks, g_object_get_data (G_OBJECT (row), "mark")) : NULL;
}

static void
marks_panel_on_activated (GtkListBox *list, GtkListBoxRow *row, Panel *p)
{
  const Mark *m = mark_of (p, GTK_WIDGET (row));

  if (m)
    scope_document_go_mark (p->d, m);
}

/* Over the panel: rows are made anew whenever marks or saved states change, also while this is open. */
static void
marks_panel_edit (Panel *p, GtkWidget *over, const Mark *m)
{
  GdkRectangle at = { 0, 0, gtk_widget_get_allocated_width (over), gtk_widget_get_allocated_height (over) };

  gtk_widget_translate_coordinates (over, p->root, 0, 0, &at.x, &at.y);
  mark_editor_open (p->d, p->root, &at, GTK_POS_LEFT, m->name);
}

static void
marks_panel_on_edit (GtkWidget *button, Panel *p)
{
  const Mark *m = mark_of (p, button);

  if (m)
    marks_panel_edit (p, button, m);
}

static void
marks_panel_on_remove (GtkWidget *button, Panel *p)
{
  Mark *m = (Mark *) mark_of (p, button);

  if (m)
    scope_document_remove_mark (p->d, m);
}

static GtkWidget *
marks_panel_small_button (const char *icon, const char *name, GCallback act, Panel *p)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_MENU);

  gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, name);
  atk_object_set_name (gtk_widget_get_accessible (button), name);
  gtk_style_context_add_class (gtk_widget_get_style_context (button), "quiet");
  g_signal_connect (button, "clicked", act, p);
  return button;
}

/* ---- its menu ---------------------------------------------------------------------------------------------------------------- */

/* Rows are made anew whenever marks change: an item of the menu tells its mark by name. */
static const Mark *
marks_panel_meant (Panel *p, GtkWidget *item)
{
  Marks *marks = scope_document_marks (p->d);

  return marks ? marks_find (marks, g_object_get_data (G_OBJECT (item), "mark")) : NULL;
}

static void
marks_panel_menu_go (GtkWidget *item, Panel *p)
{
  const Mark *m = marks_panel_meant (p, item);

  if (m)
    scope_document_go_mark (p->d, m);
}

static void
marks_panel_menu_edit (GtkWidget *item, Panel *p)
{
  const Mark *m = marks_panel_meant (p, item);
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (p->list));

  for (GList *i = rows; m && i; i = i->next)
    if (g_str_equal (g_object_get_data (i->data, "mark"), m->name))
      marks_panel_edit (p, i->data, m);
}

static void
marks_panel_menu_remove (GtkWidget *item, Panel *p)
{
  Mark *m = (Mark *) marks_panel_meant (p, item);

  if (m)
    scope_document_remove_mark (p->d, m);
}

static void
marks_panel_menu_add (Panel *p, GtkWidget *menu, const Mark *m, const char *label, GCallback act)
{
  g_autofree char *told = g_strdup_printf (label, m->name);
  GtkWidget *item = gtk_menu_item_new_with_label (told);

  g_object_set_data_full (G_OBJECT (item), "mark", g_strdup (m->name), g_free);
  g_signal_connect (item, "activate", act, p);
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
}

static gboolean
marks_panel_menu (GtkWidget *row, Panel *p)
{
  const Mark *m = mark_of (p, row);
  GtkWidget *menu;

  if (!m)
    return FALSE;
  menu = gtk_menu_new ();
  marks_panel_menu_add (p, menu, m, _ ("Go to “%s”"), G_CALLBACK (marks_panel_menu_go));
  marks_panel_menu_add (p, menu, m, _ ("Name and notes of “%s”…"), G_CALLBACK (marks_panel_menu_edit));
  marks_panel_menu_add (p, menu, m, _ ("Remove the mark “%s”"), G_CALLBACK (marks_panel_menu_remove));
  menu_show (menu, p->list, row);
  return TRUE;
}

/* The list is told of buttons that are pressed on its rows, but for those on buttons of a row. */
static gboolean
marks_panel_on_press (GtkWidget *list, GdkEventButton *e, Panel *p)
{
  GtkWidget *at = gtk_get_event_widget ((GdkEvent *) e);

  if (!gdk_event_triggers_context_menu ((GdkEvent *) e))
    return FALSE;
  if (at == list)
    at = GTK_WIDGET (gtk_list_box_get_row_at_y (GTK_LIST_BOX (list), (int) e->y));
  return at && marks_panel_menu (at, p);
}

/* By the player of the desktop. */
static bool
marks_panel_play (const char *path, GError **error)
{
  g_autofree char *type = g_content_type_guess (path, NULL, 0, NULL), *uri = g_filename_to_uri (path, NULL, error);
  g_autoptr (GAppInfo) player = uri ? g_app_info_get_default_for_type (type, FALSE) : NULL;
  g_autoptr (GdkAppLaunchContext) context = gdk_display_get_app_launch_context (gdk_display_get_default ());
  GList one = { .data = uri };

  if (player)
    return g_app_info_launch_uris (player, &one, G_APP_LAUNCH_CONTEXT (context), error);
  if (uri)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _ ("none is set for files of the type %s"), type);
  return false;
}

static void
on_play (GtkWidget *button, Panel *p)
{
  const char *name = g_object_get_data (G_OBJECT (button), "file");
  Marks *marks = scope_document_marks (p->d);
  g_autofree char *path = marks ? marks_file_of (marks, name) : NULL;
  g_autoptr (GError) error = NULL;

  if (!path)
    scope_document_say (p->d, SCOPE_SAY_WARNING, _ ("%s is not in the trace"), name);
  else if (!marks_panel_play (path, &error))
    scope_document_say (p->d, SCOPE_SAY_WARNING, _ ("No program of the desktop plays %s: %s"), name, error->message);
}

static void
add_played (Panel *p, const Mark *m, GtkWidget *box)
{
  g_autoptr (GPtrArray) names = marks_played (scope_document_marks (p->d), m->notes);

  for (guint i = 0; i < names->len && i < PLAYED_SHOWN; ++i) {
    const char *file = names->pdata[i];
    g_autofree char *base = g_path_get_basename (file), *told = g_strdup_printf (_ ("Play %s"), base);
    bool sound = marks_medium (file)->is == MARKS_SOUND;
    GtkWidget *b = marks_panel_small_button (sound ? "audio-x-generic-symbolic" : "video-x-generic-symbolic", told,
                                             G_CALLBACK (on_play), p);
    g_object_set_data_full (G_OBJECT (b), "file", g_strdup (file), g_free);
    gtk_container_add (GTK_CONTAINER (box), b);
  }
}

static void
marks_panel_add_row (Panel *p, const Mark *m)
{
  GtkWidget *row = active_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  GtkWidget *flag = gtk_label_new ("⚑"), *name = time_label ("mark-name", 0), *date = time_label ("mark-date", 1);
  g_autofree char *at = time_text (p->d, m->date), *told = g_strdup_printf (_ ("Mark %s at %s"), m->name, at);

  gtk_style_context_add_class (gtk_widget_get_style_context (flag), "mark-flag");
  gtk_label_set_text (GTK_LABEL (name), m->name);
  gtk_label_set_text (GTK_LABEL (date), at);
  gtk_label_set_ellipsize (GTK_LABEL (date), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_hexpand (name, TRUE);
  gtk_container_add (GTK_CONTAINER (box), flag);
  gtk_box_pack_start (GTK_BOX (box), name, TRUE, TRUE, 4);
  if (m->places) {
    GtkWidget *camera = gtk_image_new_from_icon_name ("camera-photo-symbolic", GTK_ICON_SIZE_MENU);
    gtk_widget_set_tooltip_text (camera, _ ("Holds from where scenes are seen"));
    gtk_container_add (GTK_CONTAINER (box), camera);
  }
  add_played (p, m, box);
  gtk_container_add (GTK_CONTAINER (box), date);
  gtk_container_add (GTK_CONTAINER (box), marks_panel_small_button ("document-edit-symbolic", _ ("Edit mark"),
                                                                    G_CALLBACK (marks_panel_on_edit), p));
  gtk_container_add (GTK_CONTAINER (box), marks_panel_small_button ("user-trash-symbolic", _ ("Remove mark"),
                                                                    G_CALLBACK (marks_panel_on_remove), p));
  gtk_container_add (GTK_CONTAINER (row), box);
  g_autofree char *notes = marks_notes_told (m->notes);
  if (*notes)
    gtk_widget_set_tooltip_text (row, notes);
  g_object_set_data_full (G_OBJECT (row), "mark", g_strdup (m->name), g_free);
  atk_object_set_name (gtk_widget_get_accessible (row), told);
  g_signal_connect (row, "popup-menu", G_CALLBACK (marks_panel_menu), p);
  gtk_widget_show_all (row);
  gtk_container_add (GTK_CONTAINER (p->list), row);
}

static int
marks_panel_by_name (gconstpointer a, gconstpointer b)
{
  return g_utf8_collate ((*(Mark *const *) a)->name, (*(Mark *const *) b)->name);
}

static void
marks_panel_refill (Panel *p)
{
  Marks *marks = scope_document_marks (p->d);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();

  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (p->list));
  for (GList *i = rows; i; i = i->next)
    gtk_widget_destroy (i->data);
  for (guint i = 0; marks && i < marks->list->len; ++i)
    g_ptr_array_add (sorted, marks->list->pdata[i]);
  if (p->by_name)
    g_ptr_array_sort (sorted, marks_panel_by_name);
  for (guint i = 0; i < sorted->len; ++i)
    marks_panel_add_row (p, sorted->pdata[i]);
  gtk_widget_set_visible (p->list, sorted->len > 0);
  gtk_widget_set_visible (p->empty, sorted->len == 0);
  gtk_widget_set_sensitive (p->report, sorted->len > 0);
}

static void
on_sort (GtkToggleButton *button, Panel *p)
{
  p->by_name = gtk_toggle_button_get_active (button);
  marks_panel_refill (p);
}

/* ---- report ------------------------------------------------------------------------------------------------------------------ */

static void
on_report (GtkWidget *button, Panel *p)
{
  GtkWidget *top = gtk_widget_get_toplevel (button);
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Report of the marks"), GTK_WINDOW (top),
                                                               GTK_FILE_CHOOSER_ACTION_SAVE, _ ("Save"), NULL);
  g_autofree char *name = g_strconcat (scope_document_source (p->d)->name, "-marks.html", NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (chooser), name);
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (chooser), TRUE);
  if (gtk_native_dialog_run (GTK_NATIVE_DIALOG (chooser)) == GTK_RESPONSE_ACCEPT) {
    g_autofree char *path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (chooser));
    g_autoptr (GString) page = g_string_new (NULL);
    g_autoptr (GError) error = NULL;
    MarksReport report = { .title = scope_document_title (p->d) };
    marks_html (scope_document_marks (p->d), &report, page);
    if (path == NULL)
      scope_document_say (p->d, SCOPE_SAY_ERROR, _ ("Nothing is written: no file was named"));
    else if (places_write (path, page->str, (gssize) page->len, &error))
      scope_document_say (p->d, SCOPE_SAY_NOTE, _ ("The report of the marks is in %s"), path);
    else
      scope_document_say (p->d, SCOPE_SAY_ERROR, _ ("The report cannot be written: %s"), error->message);
  }
  g_object_unref (chooser);
}

/* ---- the panel ---------------------------------------------------------------------------------------------------------------- */

static void
marks_panel_on_destroy (GtkWidget *root, Panel *p)
{
  g_signal_handlers_disconnect_by_data (p->d, p);
}

GtkWidget *
marks_panel_new (ScopeDocument *d)
{
  Panel *p = g_new0 (Panel, 1);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2), *title = time_label ("panel-title", 0);
  GtkWidget *add = gtk_button_new_from_icon_name ("list-add-symbolic", GTK_ICON_SIZE_MENU),
            *sort = gtk_toggle_button_new ();

  p->d = d;
  p->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "panel");
  atk_object_set_name (gtk_widget_get_accessible (p->root), _ ("Marks"));
  g_object_set_data_full (G_OBJECT (p->root), "panel", p, g_free);
  gtk_label_set_text (GTK_LABEL (title), _ ("Marks"));
  gtk_button_set_relief (GTK_BUTTON (add), GTK_RELIEF_NONE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (add), "win.mark");
  gtk_widget_set_tooltip_text (add, _ ("Marks the present (M)"));
  atk_object_set_name (gtk_widget_get_accessible (add), _ ("Add mark"));
  gtk_button_set_image (GTK_BUTTON (sort),
                        gtk_image_new_from_icon_name ("view-sort-ascending-symbolic", GTK_ICON_SIZE_MENU));
  gtk_button_set_relief (GTK_BUTTON (sort), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (sort, _ ("By name instead of by date"));
  atk_object_set_name (gtk_widget_get_accessible (sort), _ ("Sort by name"));
  p->report = marks_panel_small_button ("document-save-as-symbolic", _ ("Report of the marks"), G_CALLBACK (on_report),
                                        p);
  gtk_box_pack_start (GTK_BOX (head), title, TRUE, TRUE, 0);
  gtk_container_add (GTK_CONTAINER (head), p->report);
  gtk_container_add (GTK_CONTAINER (head), sort);
  gtk_container_add (GTK_CONTAINER (head), add);
  p->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (p->list), GTK_SELECTION_NONE);
  atk_object_set_name (gtk_widget_get_accessible (p->list), _ ("List of marks"));
  p->empty = time_label ("dim-label", 0);
  gtk_label_set_text (GTK_LABEL (p->empty), _ ("None yet: M marks the present"));
  gtk_container_add (GTK_CONTAINER (p->root), head);
  gtk_container_add (GTK_CONTAINER (p->root), p->empty);
  gtk_container_add (GTK_CONTAINER (p->root), p->list);
  gtk_widget_show_all (p->root);
  gtk_widget_set_no_show_all (p->list, TRUE);
  gtk_widget_set_no_show_all (p->empty, TRUE);
  g_signal_connect (p->list, "row-activated", G_CALLBACK (marks_panel_on_activated), p);
  g_signal_connect (p->list, "button-press-event", G_CALLBACK (marks_panel_on_press), p);
  g_signal_connect (sort, "toggled", G_CALLBACK (on_sort), p);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (marks_panel_refill), p);
  g_signal_connect_swapped (d, "marks", G_CALLBACK (marks_panel_refill), p);
  g_signal_connect (p->root, "destroy", G_CALLBACK (marks_panel_on_destroy), p);
  marks_panel_refill (p);
  return p->root;
}
