/* SPDX-License-Identifier: Apache-2.0 */
/* mark-editor.c - one mark, edited: beside its row in the list, or at its flag on the ruler. */
#include <string.h>
#include "time/time.h"
#include "eve/words.h"
#include "session/marks-media.h"

typedef struct Editor {
  ScopeDocument *d;
  GtkWidget *over; /* what it stands at, where, and at which side of it */
  GdkRectangle at;
  GtkPositionType where;
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
  Marks *marks = scope_document_marks (e->d);
  Mark *m = marks ? marks_find (marks, e->mark) : NULL;
  g_autofree char *name = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (e->name))));
  const char *date_text = gtk_entry_get_text (GTK_ENTRY (e->date));
  TraceSource *s = scope_document_source (e->d);
  int64_t date;

  if (!m || !s)
    return;
  g_autofree char *shown = time_digits (e->d, m->date), *notes = notes_text (e);
  bool same_date = g_str_equal (shown, date_text);
  const char *why = NULL;
  if (!same_date
      && (!time_typed (e->d, date_text, &date) || date < scope_document_first (e->d)
          || date > scope_document_last (e->d)))
    why = _ ("The date is no instant of this execution, in seconds");
  else if (!*name)
    why = _ ("A mark needs a name");
  else if (strcmp (name, m->name))
    why = marks_find (marks, name) ? _ ("There is a mark of this name already") : marks_wrong_name (name);
  gtk_label_set_text (GTK_LABEL (e->why), why ? why : "");
  gtk_widget_set_visible (e->why, why != NULL);
  if (why)
    return;
  GtkWidget *popover = gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER);
  bool holds = e->places != NULL && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (e->places));
  if (e->places != NULL && (holds != (m->places != NULL) || e->anew))
    scope_document_place_mark (e->d, m, holds);
  m = marks_find (scope_document_marks (e->d), e->mark); /* saving may have loaded all of them anew */
  if (!m)
    return;
  if (scope_document_edit_mark (e->d, m, strcmp (name, m->name) ? name : NULL, same_date ? NULL : &date, notes))
    gtk_popover_popdown (GTK_POPOVER (popover)); /* else what was typed stays to be mended */
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
  g_autofree char *now = time_digits (e->d, scope_document_at (e->d));

  gtk_entry_set_text (GTK_ENTRY (e->date), now);
}

static Editor *mark_editor_edit (ScopeDocument *d, GtkWidget *over, const GdkRectangle *at, GtkPositionType where,
                                 const Mark *m);

/* g_free; NULL: none was chosen. */
static char *
choose_file (GtkWidget *over)
{
  GtkWidget *top = gtk_widget_get_toplevel (over);
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
  ScopeDocument *d = e->d;
  GtkWidget *over = e->over;
  GdkRectangle at = e->at;
  GtkPositionType where = e->where;
  g_autofree char *mark = g_strdup (e->mark), *typed = g_strdup (gtk_entry_get_text (GTK_ENTRY (e->name))),
                  *date = g_strdup (gtk_entry_get_text (GTK_ENTRY (e->date))), *notes = notes_text (e);
  bool holds = e->places && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (e->places)), anew = e->anew;
  g_autoptr (GError) error = NULL;

  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER)));
  g_autofree char *path = choose_file (over);
  Marks *marks = scope_document_marks (d);
  Mark *m = marks ? marks_find (marks, mark) : NULL;
  if (!m)
    return;
  g_autofree char *attached = path ? marks_attach_to_notes (marks, notes, path, &error) : NULL;
  if (error)
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  Editor *again = mark_editor_edit (d, over, &at, where, m);
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
mark_editor_entry (GtkGrid *grid, int row, const char *title, const char *text)
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
mark_editor_edit (ScopeDocument *d, GtkWidget *over, const GdkRectangle *at, GtkPositionType where, const Mark *m)
{
  Editor *e = g_new0 (Editor, 1);
  GtkWidget *popover = gtk_popover_new (over), *grid = gtk_grid_new (), *scroll = gtk_scrolled_window_new (NULL, NULL);
  GtkWidget *save = e->save = gtk_button_new_with_label (_ ("Save")), *here = gtk_button_new_with_label (_ ("Now"));
  g_autofree char *date = time_digits (d, m->date);

  e->d = d;
  e->over = over;
  e->at = *at;
  e->where = where;
  e->mark = g_strdup (m->name);
  g_object_set (grid, "margin", 10, "row-spacing", 6, "column-spacing", 8, NULL);
  e->name = mark_editor_entry (GTK_GRID (grid), 0, _ ("Name"), m->name);
  gtk_entry_set_max_length (GTK_ENTRY (e->name), MARK_NAME_BYTES - 1);
  e->date = mark_editor_entry (GTK_GRID (grid), 1, _ ("Date, s"), date);
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
  gtk_grid_attach (GTK_GRID (grid), mark_offers_new (d, e->notes), 0, 3, 3, 1);
  gtk_grid_attach (GTK_GRID (grid), hint, 0, 4, 3, 1);
  gtk_grid_attach (GTK_GRID (grid), e->why, 0, 5, 3, 1);
  if (m->places || scope_document_has_cameras (d)) {
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
  gtk_popover_set_pointing_to (GTK_POPOVER (popover), at);
  gtk_popover_set_position (GTK_POPOVER (popover), where);
  gtk_widget_show_all (grid);
  g_signal_connect (here, "clicked", G_CALLBACK (on_editor_here), e);
  g_signal_connect (more, "clicked", G_CALLBACK (on_editor_attach), e);
  g_signal_connect_data (save, "clicked", G_CALLBACK (on_editor_save), e, editor_free, 0);
  g_signal_connect_swapped (e->name, "activate", G_CALLBACK (gtk_button_clicked), save);
  g_signal_connect_after (popover, "closed", G_CALLBACK (on_editor_closed), NULL);
  gtk_popover_popup (GTK_POPOVER (popover));
  gtk_widget_grab_focus (e->name);
  return e;
}

void
mark_editor_open (ScopeDocument *d, GtkWidget *over, const GdkRectangle *at, GtkPositionType where, const char *mark)
{
  Marks *marks = scope_document_marks (d);
  const Mark *m = marks ? marks_find (marks, mark) : NULL;

  if (m)
    mark_editor_edit (d, over, at, where, m);
}

char *
mark_make (ScopeDocument *d, const char *what, int64_t date)
{
  Marks *marks = scope_document_marks (d);
  g_autofree char *stem = what ? g_utf8_substring (what, 0, MIN (g_utf8_strlen (what, -1), MARK_NAME_BYTES - 5)) : NULL;

  while (stem && strlen (stem) > MARK_NAME_BYTES - 5) /* room for " 12" */
    *g_utf8_find_prev_char (stem, stem + strlen (stem)) = '\0';
  for (guint n = stem ? 1 : marks ? marks->list->len + 1 : 1;; ++n) {
    char *name = !stem   ? g_strdup_printf (_ ("Mark %u"), n)
                 : n > 1 ? g_strdup_printf ("%s %u", stem, n)
                         : g_strdup (stem);
    if (marks && marks_find (marks, name) && n < 10000) {
      g_free (name);
      continue;
    }
    if (scope_document_add_mark (d, name, date, ""))
      return name;
    g_free (name);
    return NULL;
  }
}
