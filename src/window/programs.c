/* SPDX-License-Identifier: Apache-2.0 */
/* The programs on offer for what is open, a card each: a small drawing of the program, its title, its line. */
#include <string.h>
#include "session/places.h"
#include "eve/words.h"
#include "window/window.h"
#include "document/active-row.h"
#include "document/program-drawing.h"
#include "document/shelf.h"
#include "document/usual.h"
#include "eve/disk.h"

/* ---- cards -------------------------------------------------------------------------------------------------------------------- */

static GtkWidget *
line_label (const char *text, const char *style, int lines)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_lines (GTK_LABEL (label), lines);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), 38);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 38);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), style);
  return label;
}

GtkWidget *
program_card_new (const PlacesProgram *p, bool present, bool asks)
{
  GtkWidget *row = active_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *area = program_drawing_new (p->path, DRAWING_WIDTH, DRAWING_HEIGHT),
            *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *tick = gtk_image_new_from_icon_name (present ? "object-select-symbolic" : NULL, GTK_ICON_SIZE_BUTTON);

  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_container_add (GTK_CONTAINER (text),
                     line_label (in_words (asks && *p->question ? p->question : p->title), "scope-name", 2));
  gtk_container_add (GTK_CONTAINER (text), line_label (in_words (p->doc), "dim-label", 3));
  if (!asks && *(p->question ? p->question : ""))
    gtk_widget_set_tooltip_text (row, p->question);
  gtk_box_pack_start (GTK_BOX (box), area, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), text, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), tick, FALSE, FALSE, 6);
  g_object_set (box, "margin", 6, NULL);
  GtkWidget *events = gtk_event_box_new ();
  gtk_event_box_set_visible_window (GTK_EVENT_BOX (events), FALSE);
  gtk_container_add (GTK_CONTAINER (events), box);
  gtk_container_add (GTK_CONTAINER (row), events);
  if (p->path)
    shelf_drag_from (events, p->path, p->title);
  g_object_set_data_full (G_OBJECT (row), "path", g_strdup (p->path), g_free);
  g_object_set_data_full (G_OBJECT (row), "title", g_strdup (p->title), g_free);
  atk_object_set_name (gtk_widget_get_accessible (row), in_words (asks && *p->question ? p->question : p->title));
  g_autofree char *told = g_strdup_printf (present ? _ ("Open now. %s") : "%s", in_words (p->doc));
  atk_object_set_description (gtk_widget_get_accessible (row), told);
  if (present)
    gtk_style_context_add_class (gtk_widget_get_style_context (row), "scope-present");
  gtk_widget_show_all (row);
  return row;
}

/* A new program stands in the place of one on offer until it is saved. */
bool
program_is_present (ScopeDocument *d, const char *path, const char *title)
{
  const char *present = scope_document_program_path (d);

  return present && g_str_equal (present, path)
         && (!scope_document_is_shipped (d) || g_str_equal (title, eve_program_title (scope_document_program (d))));
}

/* Who opens the list sees the one that is open, and moves from there; the popover gives the keys to the first
 * meanwhile. */
static gboolean
programs_go_to (gpointer row)
{
  if (gtk_widget_get_mapped (row))
    gtk_widget_grab_focus (row);
  return G_SOURCE_REMOVE;
}

static void
programs_add (GtkWidget *list, GtkWidget *card, int at, bool present)
{
  gtk_list_box_insert (GTK_LIST_BOX (list), card, at);
  if (present)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, programs_go_to, g_object_ref (card), g_object_unref);
}

static void
programs_fill (GtkWidget *list, ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  TraceSource *source = scope_document_is_open (d) ? scope_document_source (d) : NULL;
  const char *present = source ? scope_document_program_path (d) : NULL;
  bool found = false;

  clear_children (list);
  if (!source)
    return;
  g_autoptr (GPtrArray) programs = places_programs (source->format->name);
  for (guint i = 0; i < programs->len; ++i) {
    const PlacesProgram *p = g_ptr_array_index (programs, i);
    bool same = program_is_present (d, p->path, p->title);
    found = found || same;
    programs_add (list, program_card_new (p, same, false), -1, same);
  }
  if (present && !found) { /* one of the person's own */
    g_autofree char *doc = scope_document_is_shipped (d) ? g_strdup (_ ("Not saved yet"))
                                                         : g_path_get_dirname (present);
    const char *title = eve_program_title (scope_document_program (d));
    g_autofree char *base = g_path_get_basename (present);
    PlacesProgram own = { (char *) present, *title ? (char *) title : base, doc };
    programs_add (list, program_card_new (&own, true, false), 0, true);
  }
}

/* ---- finding one ---------------------------------------------------------------------------------------------------------- */

/* Each word that is typed is in the title, the question or the line of a program. */
static gboolean
programs_is_wanted (GtkListBoxRow *row, gpointer entry)
{
  AtkObject *a = gtk_widget_get_accessible (GTK_WIDGET (row));
  g_autofree char *tip = gtk_widget_get_tooltip_text (GTK_WIDGET (row)),
                  *told = g_strdup_printf ("%s %s %s", atk_object_get_name (a), tip ? tip : "",
                                           atk_object_get_description (a)),
                  *in = g_utf8_casefold (told, -1), *typed = g_utf8_casefold (gtk_entry_get_text (entry), -1);
  g_auto (GStrv) words = g_strsplit_set (typed, " ", -1);

  for (char **w = words; *w; w++)
    if (!strstr (in, *w))
      return FALSE;
  return TRUE;
}

/* Letters typed at the list are looked for; Return and others are for the row that has the keys. */
static gboolean
list_key (GtkWidget *list, GdkEvent *event, GtkWidget *entry)
{
  if (gdk_keyval_to_unicode (event->key.keyval) <= ' '
      || !gtk_search_entry_handle_event (GTK_SEARCH_ENTRY (entry), event))
    return GDK_EVENT_PROPAGATE;
  gtk_entry_grab_focus_without_selecting (GTK_ENTRY (entry));
  gtk_editable_set_position (GTK_EDITABLE (entry), -1);
  return GDK_EVENT_STOP;
}

static GtkListBoxRow *
first_wanted (GtkWidget *list, GtkWidget *entry)
{
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (list));

  for (GList *l = rows; l; l = l->next)
    if (programs_is_wanted (l->data, entry))
      return l->data;
  return NULL;
}

static void
take_first (GtkWidget *entry, GtkWidget *list)
{
  GtkListBoxRow *row = first_wanted (list, entry);

  if (row && *gtk_entry_get_text (GTK_ENTRY (entry)))
    g_signal_emit_by_name (list, "row-activated", row);
}

static gboolean
programs_entry_key (GtkWidget *entry, GdkEventKey *event, GtkWidget *list)
{
  GtkListBoxRow *row = event->keyval == GDK_KEY_Down ? first_wanted (list, entry) : NULL;

  if (row)
    gtk_widget_grab_focus (GTK_WIDGET (row));
  return row ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void
begin_anew (GtkWidget *entry)
{
  gtk_entry_set_text (GTK_ENTRY (entry), "");
}

/* As much of the list as the window has room for; the rest by scrolling. */
static void
programs_make_room (GtkWidget *scrolled, ScopeWindow *w)
{
  int height = 0;

  gtk_window_get_size (GTK_WINDOW (w), NULL, &height);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MAX (height - 216, 160));
}

static void
close_list (GtkWidget *list)
{
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (list, GTK_TYPE_POPOVER)));
}

static void
programs_on_row (GtkListBox *list, GtkListBoxRow *row, ScopeWindow *w)
{
  g_autofree char *path = g_strdup (g_object_get_data (G_OBJECT (row), "path"));
  const char *title = g_object_get_data (G_OBJECT (row), "title");

  close_list (GTK_WIDGET (list));
  if (!program_is_present (scope_window_document (w), path, title))
    scope_window_open_program (w, path);
}

/* Whether traces of this format are opened with the program that is here. */
static bool
is_usual (ScopeDocument *d, const char *format)
{
  g_autofree char *gone = NULL, *usual = usual_program_of (format, &gone);
  g_autofree char *one = usual ? disk_real_path (usual) : NULL;
  const char *present = scope_document_program_path (d);
  g_autofree char *other = present ? disk_real_path (present) : NULL;

  return one && other && g_str_equal (one, other);
}

static void on_always (GtkToggleButton *always, ScopeWindow *w);

static void
show_always (GtkWidget *always, ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  TraceSource *source = scope_document_is_open (d) ? scope_document_source (d) : NULL;
  const char *path = source ? scope_document_program_path (d) : NULL;

  gtk_widget_set_sensitive (always, path != NULL);
  if (!source)
    return;
  g_signal_handlers_block_by_func (always, on_always, w);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (always), path && is_usual (d, source->format->name));
  g_signal_handlers_unblock_by_func (always, on_always, w);
}

static void
on_always (GtkToggleButton *always, ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  TraceSource *source = scope_document_is_open (d) ? scope_document_source (d) : NULL;
  g_autoptr (GError) error = NULL;

  if (source
      && !usual_program_keep (source->format->name,
                              gtk_toggle_button_get_active (always) ? scope_document_program_path (d) : NULL, &error))
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The preferences could not be kept: %s"), error->message);
}

GtkWidget *
programs_new (ScopeWindow *w)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *list = gtk_list_box_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL), *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *entry = gtk_search_entry_new (), *other = gtk_button_new_with_label (_ ("Another program…")),
            *empty = gtk_button_new_with_label (_ ("New, empty program")),
            *ask = gtk_button_new_with_label (_ ("From a question…")),
            *views = gtk_button_new_with_label (_ ("By a display…")),
            *always = gtk_check_button_new_with_label (_ ("Open traces of this format with this program"));

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  atk_object_set_name (gtk_widget_get_accessible (list), _ ("Programs on offer"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (other), "win.open-program");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (empty), "win.new-program");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (ask), "win.ask");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (views), "win.add-view");
  g_signal_connect_swapped (views, "clicked", G_CALLBACK (close_list), list);
  g_signal_connect_swapped (ask, "clicked", G_CALLBACK (close_list), list);
  g_signal_connect_swapped (empty, "clicked", G_CALLBACK (close_list), list);
  g_signal_connect_swapped (other, "clicked", G_CALLBACK (close_list), list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_container_add (GTK_CONTAINER (scrolled), list);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("Search programs"));
  atk_object_set_name (gtk_widget_get_accessible (entry), _ ("Search programs"));
  gtk_list_box_set_filter_func (GTK_LIST_BOX (list), programs_is_wanted, entry, NULL);
  g_signal_connect_swapped (entry, "changed", G_CALLBACK (gtk_list_box_invalidate_filter), list);
  g_signal_connect_swapped (entry, "stop-search", G_CALLBACK (close_list), list);
  g_signal_connect (entry, "activate", G_CALLBACK (take_first), list);
  g_signal_connect (entry, "key-press-event", G_CALLBACK (programs_entry_key), list);
  g_signal_connect (entry, "map", G_CALLBACK (begin_anew), NULL);
  g_signal_connect (list, "key-press-event", G_CALLBACK (list_key), entry);
  gtk_container_add (GTK_CONTAINER (column), entry);
  gtk_container_add (GTK_CONTAINER (column), scrolled);
  gtk_container_add (GTK_CONTAINER (buttons), ask);
  gtk_container_add (GTK_CONTAINER (buttons), views);
  gtk_container_add (GTK_CONTAINER (buttons), empty);
  gtk_container_add (GTK_CONTAINER (buttons), other);
  gtk_container_add (GTK_CONTAINER (column), buttons);
  gtk_container_add (GTK_CONTAINER (column), always);
  g_signal_connect (always, "toggled", G_CALLBACK (on_always), w);
  g_signal_connect (always, "map", G_CALLBACK (show_always), w);
  g_object_set (column, "margin", 8, NULL);
  gtk_widget_show_all (column);
  /* Files may have come meanwhile: looked for each time the list is seen. */
  g_signal_connect (list, "map", G_CALLBACK (programs_fill), w);
  g_signal_connect (scrolled, "map", G_CALLBACK (programs_make_room), w);
  g_signal_connect (list, "row-activated", G_CALLBACK (programs_on_row), w);
  return column;
}
