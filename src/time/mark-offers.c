/* SPDX-License-Identifier: Apache-2.0 */
/* mark-offers.c - marks whose names begin with what is typed behind an @, below the field; one of them is taken by a
 * click, or by Down and Return. */
#include <string.h>
#include "eve/words.h"
#include "session/marks.h"
#include "time/time.h"

#define MOST 6

typedef struct Offers {
  ScopeDocument *d;
  GtkWidget *field, *list; /* an entry, or a text view */
  GtkTextBuffer *buffer;   /* of the latter */
  bool taking;
} Offers;

/* What stands before the cursor in its line; g_free.  *at: the place of the cursor, in characters. */
static char *
before_cursor (const Offers *o, int *at)
{
  if (GTK_IS_ENTRY (o->field)) {
    *at = gtk_editable_get_position (GTK_EDITABLE (o->field));
    return gtk_editable_get_chars (GTK_EDITABLE (o->field), 0, *at);
  }
  GtkTextBuffer *b = o->buffer;
  GtkTextIter begin, end;
  gtk_text_buffer_get_iter_at_mark (b, &end, gtk_text_buffer_get_insert (b));
  begin = end;
  gtk_text_iter_set_line_offset (&begin, 0);
  *at = gtk_text_iter_get_offset (&end);
  return gtk_text_buffer_get_text (b, &begin, &end, TRUE);
}

/* Puts the name behind the @, in place of the `n` characters that were typed of it. */
static void
mark_offers_put (Offers *o, const char *name, int at, int n)
{
  if (GTK_IS_ENTRY (o->field)) {
    gtk_editable_delete_text (GTK_EDITABLE (o->field), at - n, at);
    at -= n;
    gtk_editable_insert_text (GTK_EDITABLE (o->field), name, -1, &at);
    gtk_widget_grab_focus (o->field);
    gtk_editable_set_position (GTK_EDITABLE (o->field), at);
    return;
  }
  GtkTextBuffer *b = o->buffer;
  GtkTextIter begin, end;
  gtk_text_buffer_get_iter_at_offset (b, &begin, at - n);
  gtk_text_buffer_get_iter_at_offset (b, &end, at);
  gtk_text_buffer_begin_user_action (b);
  gtk_text_buffer_delete (b, &begin, &end);
  gtk_text_buffer_insert (b, &begin, name, -1);
  gtk_text_buffer_end_user_action (b);
  gtk_text_buffer_place_cursor (b, &begin);
  gtk_widget_grab_focus (o->field);
}

/* Behind the last @ of `text`; NULL: none that a name can begin at. */
static const char *
typed_name (const char *text)
{
  const char *at = strrchr (text, '@');

  if (!at || (at > text && g_unichar_isalnum (g_utf8_get_char (g_utf8_prev_char (at)))))
    return NULL; /* an address of mail */
  return at + 1;
}

static void
mark_offers_show (Offers *o)
{
  int at;
  g_autofree char *text = before_cursor (o, &at);
  const char *typed = typed_name (text);
  const Marks *marks = scope_document_marks (o->d);
  guint n = 0;

  gtk_container_foreach (GTK_CONTAINER (o->list), (GtkCallback) (void (*) (void)) gtk_widget_destroy, NULL);
  g_autofree char *wanted = typed ? g_utf8_casefold (typed, -1) : NULL;
  for (guint i = 0; wanted && marks && i < marks->list->len && n < MOST; ++i) {
    const Mark *m = g_ptr_array_index (marks->list, i);
    g_autofree char *name = g_utf8_casefold (m->name, -1);
    if (!g_str_has_prefix (name, wanted) || !strcmp (m->name, typed))
      continue;
    g_autofree char *date = time_text (o->d, m->date);
    GtkWidget *row = gtk_list_box_row_new (), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12),
              *label = gtk_label_new (m->name), *when = gtk_label_new (date);
    gtk_label_set_xalign (GTK_LABEL (label), 0);
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
    gtk_style_context_add_class (gtk_widget_get_style_context (when), "dim-label");
    gtk_box_pack_start (GTK_BOX (line), label, TRUE, TRUE, 0);
    gtk_box_pack_end (GTK_BOX (line), when, FALSE, FALSE, 0);
    gtk_container_add (GTK_CONTAINER (row), line);
    g_object_set_data_full (G_OBJECT (row), "mark", g_strdup (m->name), g_free);
    atk_object_set_name (gtk_widget_get_accessible (row), m->name);
    gtk_widget_show_all (row);
    gtk_list_box_insert (GTK_LIST_BOX (o->list), row, -1);
    ++n;
  }
  gtk_widget_set_visible (o->list, n > 0);
}

static void
mark_offers_on_changed (Offers *o)
{
  if (!o->taking)
    mark_offers_show (o);
}

static void
on_moved (GtkTextBuffer *b, GtkTextIter *to, GtkTextMark *mark, Offers *o)
{
  if (mark == gtk_text_buffer_get_insert (b))
    mark_offers_on_changed (o);
}

static void
on_taken (GtkListBox *list, GtkListBoxRow *row, Offers *o)
{
  int at;
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (row), "mark")), *text = before_cursor (o, &at);
  const char *typed = typed_name (text);

  if (!name || !typed)
    return;
  o->taking = true; /* the row is in use yet */
  mark_offers_put (o, name, at, (int) g_utf8_strlen (typed, -1));
  o->taking = false;
  gtk_widget_hide (o->list);
}

static gboolean
mark_offers_on_key (GtkWidget *field, GdkEventKey *e, Offers *o)
{
  GtkListBoxRow *first = gtk_list_box_get_row_at_index (GTK_LIST_BOX (o->list), 0);

  if (e->keyval != GDK_KEY_Down || !gtk_widget_get_visible (o->list) || !first)
    return FALSE;
  gtk_widget_grab_focus (GTK_WIDGET (first));
  return TRUE;
}

static void
on_gone (GtkWidget *list, Offers *o)
{
  g_signal_handlers_disconnect_by_data (o->field, o);
  if (o->buffer)
    g_signal_handlers_disconnect_by_data (o->buffer, o);
}

static void
offers_free (gpointer data, GClosure *closure)
{
  Offers *o = data;

  g_object_unref (o->field);
  g_clear_object (&o->buffer);
  g_free (o);
}

GtkWidget *
mark_offers_new (ScopeDocument *d, GtkWidget *field)
{
  Offers *o = g_new0 (Offers, 1);

  o->d = d;
  o->field = g_object_ref (field);
  o->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (o->list), GTK_SELECTION_NONE);
  gtk_style_context_add_class (gtk_widget_get_style_context (o->list), "scope-rows");
  gtk_widget_set_no_show_all (o->list, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (o->list), _ ("Marks that are meant"));
  g_signal_connect (o->list, "row-activated", G_CALLBACK (on_taken), o);
  g_signal_connect_data (o->list, "destroy", G_CALLBACK (on_gone), o, offers_free, 0);
  g_signal_connect (field, "key-press-event", G_CALLBACK (mark_offers_on_key), o);
  if (GTK_IS_ENTRY (field)) {
    g_signal_connect_swapped (field, "notify::cursor-position", G_CALLBACK (mark_offers_on_changed), o);
    return o->list;
  }
  o->buffer = g_object_ref (gtk_text_view_get_buffer (GTK_TEXT_VIEW (field)));
  g_signal_connect (o->buffer, "mark-set", G_CALLBACK (on_moved), o);
  g_signal_connect_swapped (o->buffer, "changed", G_CALLBACK (mark_offers_on_changed), o);
  return o->list;
}
