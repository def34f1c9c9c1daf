/* SPDX-License-Identifier: Apache-2.0 */
/* marks-panel.c - the marks of the trace: go there, name, note, move, remove, sort, report. */
#include <string.h>
#include "time/time.h"
#include "eve/words.h"
#include "document/active-row.h"
#include "session/marks-media.h"

#define PLAYED_SHOWN 3 /* sounds and films of one mark; the others are in its report */

typedef struct Panel {
  ScopeDocument *d;
  GtkWidget *root, *list, *empty, *report;
  bool by_name;
} Panel;

/* ---- one mark, edited --------------------------------------------------------------------------------------------------- */

typedef struct Editor {
  Panel *p;
  char *mark; /* its name when opened */
  GtkWidget *name, *date, *notes, *why, *save;
  GtkWidget *places; /* whether it holds viewpoints; NULL: no view has a camera */
  bool anew;         /* they shall be those of now */
} Editor;

static void
editor_free (gpointer data, GClosure *closure)
{
  Editor *e = data;

  g_free (e->mark);
  g_free (e);
}

static gboolean
destroy_editor (gpointer popover)
{
  gtk_widget_destroy (popover);
  g_object_unref (popover);
  return G_SOURCE_REMOVE;
}

/* Not at once: who closes it still holds it. */
static void
on_editor_closed (GtkWidget *popover)
{
  g_idle_add (destroy_editor, g_object_ref (popover));
}

static char *
notes_text (Editor *e)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (e->notes));
  GtkTextIter from, to;

  gtk_text_buffer_get_bounds (buffer, &from, &to);
  return gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
}

static void
on_editor_save (GtkWidget *button, Editor *e)
{
  Marks *marks = scope_document_marks (e->p->d);
  Mark *m = marks ? marks_find (marks, e->mark) : NULL;
  const char *name = gtk_entry_get_text (GTK_ENTRY (e->name)), *date_text = gtk_entry_get_text (GTK_ENTRY (e->date));
  TraceSource *s = scope_document_source (e->p->d);
  int64_t date;

  if (!m || !s)
    return;
  g_autofree char *shown = time_digits (e->p->d, m->date), *notes = notes_text (e);
  bool same_date = g_str_equal (shown, date_text);
  const char *why = NULL;
  if (!same_date
      && (!time_typed (e->p->d, date_text, &date) || date < scope_document_first (e->p->d)
          || date > scope_document_last (e->p->d)))
    why = _ ("The date is no instant of this execution, in seconds");
  else if (!*name)
    why = _ ("A mark needs a name");
  else if (strcmp (name, m->name) && marks_find (marks, name))
    why = _ ("There is a mark of this name already");
  gtk_label_set_text (GTK_LABEL (e->why), why ? why : "");
  gtk_widget_set_visible (e->why, why != NULL);
  if (why)
    return;
  GtkWidget *popover = gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER);
  bool holds = e->places != NULL && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (e->places));
  if (e->places != NULL && (holds != (m->places != NULL) || e->anew))
    scope_document_place_mark (e->p->d, m, holds);
  m = marks_find (scope_document_marks (e->p->d), e->mark); /* saving may have loaded all of them anew */
  if (!m)
    return;
  scope_document_edit_mark (e->p->d, m, strcmp (name, m->name) ? name : NULL, same_date ? NULL : &date, notes);
  gtk_popover_popdown (GTK_POPOVER (popover));
}

/* Those of now, if it is held on to once more. */
static void
on_editor_places (GtkToggleButton *button, Editor *e)
{
  e->anew = gtk_toggle_button_get_active (button);
}

static void
on_editor_here (GtkWidget *button, Editor *e)
{
  g_autofree char *now = time_digits (e->p->d, scope_document_at (e->p->d));

  gtk_entry_set_text (GTK_ENTRY (e->date), now);
}

static Editor *edit_mark (Panel *p, GtkWidget *over, const Mark *m);

static GtkWidget *
row_of (Panel *p, const char *mark)
{
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (p->list));

  for (GList *i = rows; i; i = i->next)
    if (g_strcmp0 (g_object_get_data (i->data, "mark"), mark) == 0)
      return i->data;
  return p->root;
}

/* g_free; NULL: none was chosen. */
static char *
choose_file (Panel *p)
{
  GtkWidget *top = gtk_widget_get_toplevel (p->root);
  GtkFileChooserNative *chooser = gtk_file_chooser_native_new (_ ("Attach a sound, film or picture"), GTK_WINDOW (top),
                                                               GTK_FILE_CHOOSER_ACTION_OPEN, _ ("Attach"), NULL);
  bool chosen = gtk_native_dialog_run (GTK_NATIVE_DIALOG (chooser)) == GTK_RESPONSE_ACCEPT;
  char *path = chosen ? gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (chooser)) : NULL;

  g_object_unref (chooser);
  return path;
}

/* A copy goes into the trace, and the notes show it.  The dialog takes the editor away: it comes back with what was
 * typed, and is saved only if a file was chosen. */
static void
on_editor_attach (GtkWidget *button, Editor *e)
{
  Panel *p = e->p;
  g_autofree char *mark = g_strdup (e->mark), *typed = g_strdup (gtk_entry_get_text (GTK_ENTRY (e->name))),
                  *date = g_strdup (gtk_entry_get_text (GTK_ENTRY (e->date))), *notes = notes_text (e);
  bool holds = e->places && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (e->places)), anew = e->anew;
  g_autoptr (GError) error = NULL;

  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER)));
  g_autofree char *path = choose_file (p);
  Marks *marks = scope_document_marks (p->d);
  Mark *m = marks ? marks_find (marks, mark) : NULL;
  if (!m)
    return;
  g_autofree char *attached = path ? marks_attach_to_notes (marks, notes, path, &error) : NULL;
  if (error)
    scope_document_say (p->d, SCOPE_SAY_ERROR, "%s", error->message);
  Editor *again = edit_mark (p, row_of (p, mark), m);
  gtk_entry_set_text (GTK_ENTRY (again->name), typed);
  gtk_entry_set_text (GTK_ENTRY (again->date), date);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (again->notes)), attached ? attached : notes, -1);
  if (again->places) {
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (again->places), holds);
    again->anew = anew;
  }
  if (attached)
    gtk_button_clicked (GTK_BUTTON (again->save));
}

static GtkWidget *
entry (GtkGrid *grid, int row, const char *title, const char *text)
{
  GtkWidget *label = time_label ("dim-label", 1), *e = gtk_entry_new ();

  gtk_label_set_text (GTK_LABEL (label), title);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_entry_set_text (GTK_ENTRY (e), text);
  gtk_widget_set_hexpand (e, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (e), title);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, e, 1, row, 1, 1);
  return e;
}

static Editor *
edit_mark (Panel *p, GtkWidget *over, const Mark *m)
{
  Editor *e = g_new0 (Editor, 1);
  /* Over the panel: rows are made anew whenever marks or saved states change, also while this is open. */
  GtkWidget *popover = gtk_popover_new (p->root), *grid = gtk_grid_new (),
            *scroll = gtk_scrolled_window_new (NULL, NULL);
  GtkWidget *save = e->save = gtk_button_new_with_label (_ ("Save")), *here = gtk_button_new_with_label (_ ("Now"));
  g_autofree char *date = time_digits (p->d, m->date);

  e->p = p;
  e->mark = g_strdup (m->name);
  g_object_set (grid, "margin", 10, "row-spacing", 6, "column-spacing", 8, NULL);
  e->name = entry (GTK_GRID (grid), 0, _ ("Name"), m->name);
  gtk_entry_set_max_length (GTK_ENTRY (e->name), MARK_NAME_BYTES - 1);
  e->date = entry (GTK_GRID (grid), 1, _ ("Date, s"), date);
  gtk_widget_set_tooltip_text (here, _ ("Moves the mark to the present"));
  gtk_grid_attach (GTK_GRID (grid), here, 2, 1, 1, 1);
  e->notes = gtk_text_view_new ();
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (e->notes), GTK_WRAP_WORD_CHAR);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (e->notes)), m->notes, -1);
  atk_object_set_name (gtk_widget_get_accessible (e->notes), _ ("Notes"));
  gtk_scrolled_window_set_shadow_type (GTK_SCROLLED_WINDOW (scroll), GTK_SHADOW_IN);
  gtk_widget_set_size_request (scroll, 320, 110);
  gtk_container_add (GTK_CONTAINER (scroll), e->notes);
  gtk_grid_attach (GTK_GRID (grid), scroll, 0, 2, 3, 1);
  e->why = time_label ("error", 0);
  gtk_label_set_ellipsize (GTK_LABEL (e->why), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_line_wrap (GTK_LABEL (e->why), TRUE);
  gtk_widget_set_no_show_all (e->why, TRUE);
  GtkWidget *hint = time_label ("dim-label", 0);
  gtk_label_set_text (GTK_LABEL (hint), _ ("@name in the notes leads to that mark"));
  gtk_grid_attach (GTK_GRID (grid), mark_offers_new (p->d, e->notes), 0, 3, 3, 1);
  gtk_grid_attach (GTK_GRID (grid), hint, 0, 4, 3, 1);
  gtk_grid_attach (GTK_GRID (grid), e->why, 0, 5, 3, 1);
  if (m->places || scope_document_has_cameras (p->d)) {
    e->places = gtk_check_button_new_with_label (_ ("Scenes are seen from where they are now"));
    gtk_widget_set_tooltip_text (e->places, _ ("Who goes to the mark sees scenes in three dimensions from there"));
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (e->places), m->places != NULL);
    if (m->places)
      gtk_button_set_label (GTK_BUTTON (e->places), _ ("Scenes are seen from where they were"));
    gtk_grid_attach (GTK_GRID (grid), e->places, 0, 6, 3, 1);
    g_signal_connect (e->places, "toggled", G_CALLBACK (on_editor_places), e);
  }
  gtk_style_context_add_class (gtk_widget_get_style_context (save), "suggested-action");
  gtk_widget_set_halign (save, GTK_ALIGN_END);
  gtk_grid_attach (GTK_GRID (grid), save, 2, 7, 1, 1);
  GtkWidget *more = gtk_button_new_with_label (_ ("Attach…"));
  gtk_widget_set_tooltip_text (more, _ ("A sound, film or picture: a copy goes into the trace"));
  gtk_widget_set_halign (more, GTK_ALIGN_START);
  gtk_grid_attach (GTK_GRID (grid), more, 0, 7, 2, 1);
  gtk_container_add (GTK_CONTAINER (popover), grid);
  GdkRectangle at = { 0, 0, gtk_widget_get_allocated_width (over), gtk_widget_get_allocated_height (over) };
  gtk_widget_translate_coordinates (over, p->root, 0, 0, &at.x, &at.y);
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), &at);
  gtk_popover_set_position (GTK_POPOVER (popover), GTK_POS_LEFT);
  gtk_widget_show_all (grid);
  g_signal_connect (here, "clicked", G_CALLBACK (on_editor_here), e);
  g_signal_connect (more, "clicked", G_CALLBACK (on_editor_attach), e);
  g_signal_connect_data (save, "clicked", G_CALLBACK (on_editor_save), e, editor_free, 0);
  g_signal_connect_after (popover, "closed", G_CALLBACK (on_editor_closed), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
  gtk_widget_grab_focus (e->name);
  return e;
}

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

static void
marks_panel_on_edit (GtkWidget *button, Panel *p)
{
  const Mark *m = mark_of (p, button);

  if (m)
    edit_mark (p, button, m);
}

static void
marks_panel_on_remove (GtkWidget *button, Panel *p)
{
  Mark *m = (Mark *) mark_of (p, button);

  if (m)
    scope_document_remove_mark (p->d, m);
}

static GtkWidget *
small_button (const char *icon, const char *name, GCallback act, Panel *p)
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

/* By the player of the desktop. */
static bool
play (const char *path, GError **error)
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
  else if (!play (path, &error))
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
    GtkWidget *b = small_button (sound ? "audio-x-generic-symbolic" : "video-x-generic-symbolic", told,
                                 G_CALLBACK (on_play), p);
    g_object_set_data_full (G_OBJECT (b), "file", g_strdup (file), g_free);
    gtk_container_add (GTK_CONTAINER (box), b);
  }
}

static void
add_row (Panel *p, const Mark *m)
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
  gtk_container_add (GTK_CONTAINER (box),
                     small_button ("document-edit-symbolic", _ ("Edit mark"), G_CALLBACK (marks_panel_on_edit), p));
  gtk_container_add (GTK_CONTAINER (box),
                     small_button ("user-trash-symbolic", _ ("Remove mark"), G_CALLBACK (marks_panel_on_remove), p));
  gtk_container_add (GTK_CONTAINER (row), box);
  g_autofree char *notes = marks_notes_told (m->notes);
  if (*notes)
    gtk_widget_set_tooltip_text (row, notes);
  g_object_set_data_full (G_OBJECT (row), "mark", g_strdup (m->name), g_free);
  atk_object_set_name (gtk_widget_get_accessible (row), told);
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
    add_row (p, sorted->pdata[i]);
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
    if (g_file_set_contents (path, page->str, (gssize) page->len, &error))
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
  p->report = small_button ("document-save-as-symbolic", _ ("Report of the marks"), G_CALLBACK (on_report), p);
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
  g_signal_connect (sort, "toggled", G_CALLBACK (on_sort), p);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (marks_panel_refill), p);
  g_signal_connect_swapped (d, "marks", G_CALLBACK (marks_panel_refill), p);
  g_signal_connect (p->root, "destroy", G_CALLBACK (marks_panel_on_destroy), p);
  marks_panel_refill (p);
  return p->root;
}
