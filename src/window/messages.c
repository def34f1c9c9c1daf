/* SPDX-License-Identifier: Apache-2.0 */
/* What the document says, in a bar that does not stop anybody; and long work, with its progress, over everything. */
#include <string.h>
#include "window/window.h"

#define KEPT 100 /* messages in the list */
#define NOTE_S 6 /* a note goes by itself */

/* ---- messages -------------------------------------------------------------------------------------------------------------- */

typedef struct Messages {
  ScopeDocument *doc;
  GtkWidget *bar, *label, *anyway, *more, *list;
  GQueue said; /* of char *, the last first */
  guint hide;
  int kind; /* of what is shown */
} Messages;

static void
show_bar (Messages *m, bool on)
{
  g_clear_handle_id (&m->hide, g_source_remove);
  gtk_widget_set_visible (m->bar, on);
  if (!on) {
    g_queue_clear_full (&m->said, g_free);
    gtk_popover_popdown (GTK_POPOVER (gtk_menu_button_get_popover (GTK_MENU_BUTTON (m->more))));
  }
}

static gboolean
time_out (gpointer messages)
{
  Messages *m = messages;

  m->hide = 0;
  show_bar (m, false);
  return G_SOURCE_REMOVE;
}

static void
fill_list (Messages *m)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (GList *l = m->said.head; l; l = l->next)
    g_string_append_printf (text, "%s%s", text->len ? "\n" : "", (char *) l->data);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (m->list)), text->str, -1);
}

static void
on_say (ScopeDocument *d, const char *sentence, int kind, Messages *m)
{
  static const GtkMessageType types[] = { GTK_MESSAGE_INFO, GTK_MESSAGE_WARNING, GTK_MESSAGE_ERROR, GTK_MESSAGE_ERROR };
  bool shown = gtk_widget_get_visible (m->bar);

  if (kind < 0 || kind > SCOPE_SAY_DISTRUST)
    kind = SCOPE_SAY_ERROR;
  if (m->said.head && g_str_equal (m->said.head->data, sentence) && shown)
    return; /* said again: once is enough */
  g_queue_push_head (&m->said, g_strdup (sentence));
  if (m->said.length > KEPT)
    g_free (g_queue_pop_tail (&m->said));
  /* A note does not push an error out of sight. */
  if (!shown || kind >= m->kind) {
    m->kind = kind;
    gtk_label_set_text (GTK_LABEL (m->label), sentence);
    gtk_info_bar_set_message_type (GTK_INFO_BAR (m->bar), types[kind]);
    atk_object_set_name (gtk_widget_get_accessible (m->bar), sentence);
  }
  g_autofree char *more = g_strdup_printf (m->said.length == 1 ? "%u message" : "%u messages", m->said.length);
  gtk_button_set_label (GTK_BUTTON (m->more), more);
  gtk_widget_set_visible (m->more, m->said.length > 1 || strlen (sentence) > 160);
  gtk_widget_set_visible (m->anyway, scope_document_asks_trust (d));
  fill_list (m);
  show_bar (m, true);
  if (m->kind == SCOPE_SAY_NOTE)
    m->hide = g_timeout_add_seconds (NOTE_S, time_out, m);
}

static void
on_response (Messages *m)
{
  show_bar (m, false);
}

static void
on_anyway (Messages *m)
{
  show_bar (m, false);
  scope_document_trust (m->doc);
}

static void
messages_free (gpointer messages)
{
  Messages *m = messages;

  g_clear_handle_id (&m->hide, g_source_remove);
  g_signal_handlers_disconnect_by_data (m->doc, m);
  g_object_unref (m->doc);
  g_queue_clear_full (&m->said, g_free);
  g_free (m);
}

/* GTK gives the cross of a bar no name that a screen reader could say. */
static void
name_cross (GtkWidget *widget, gpointer none)
{
  if (GTK_IS_BUTTON (widget))
    atk_object_set_name (gtk_widget_get_accessible (widget), "Close the message");
  else if (GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), name_cross, NULL);
}

GtkWidget *
messages_new (ScopeDocument *d)
{
  Messages *m = g_new0 (Messages, 1);
  GtkWidget *popover = gtk_popover_new (NULL), *scrolled = gtk_scrolled_window_new (NULL, NULL);

  m->doc = g_object_ref (d);
  m->bar = gtk_info_bar_new ();
  gtk_info_bar_set_show_close_button (GTK_INFO_BAR (m->bar), TRUE);
  gtk_container_forall (GTK_CONTAINER (m->bar), name_cross, NULL); /* the only button so far */
  m->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (m->label), 0);
  gtk_label_set_line_wrap (GTK_LABEL (m->label), TRUE);
  gtk_label_set_line_wrap_mode (GTK_LABEL (m->label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_lines (GTK_LABEL (m->label), 3);
  gtk_label_set_ellipsize (GTK_LABEL (m->label), PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (GTK_LABEL (m->label), TRUE);
  gtk_widget_set_can_focus (m->label, FALSE);
  gtk_container_add (GTK_CONTAINER (gtk_info_bar_get_content_area (GTK_INFO_BAR (m->bar))), m->label);
  m->anyway = gtk_button_new_with_mnemonic ("Play _Anyway");
  gtk_widget_set_valign (m->anyway, GTK_ALIGN_CENTER);
  gtk_box_pack_end (GTK_BOX (gtk_info_bar_get_content_area (GTK_INFO_BAR (m->bar))), m->anyway, FALSE, FALSE, 0);
  m->more = gtk_menu_button_new ();
  gtk_widget_set_valign (m->more, GTK_ALIGN_CENTER);
  m->list = gtk_text_view_new ();
  gtk_text_view_set_editable (GTK_TEXT_VIEW (m->list), FALSE);
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (m->list), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_pixels_below_lines (GTK_TEXT_VIEW (m->list), 6);
  g_object_set (m->list, "margin", 8, NULL);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_widget_set_size_request (scrolled, 560, 240);
  gtk_container_add (GTK_CONTAINER (scrolled), m->list);
  gtk_container_add (GTK_CONTAINER (popover), scrolled);
  gtk_widget_show_all (scrolled);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (m->more), popover);
  gtk_box_pack_end (GTK_BOX (gtk_info_bar_get_content_area (GTK_INFO_BAR (m->bar))), m->more, FALSE, FALSE, 0);
  gtk_widget_show_all (m->bar);
  gtk_widget_hide (m->bar);
  gtk_widget_set_no_show_all (m->bar, TRUE);
  g_signal_connect (d, "say", G_CALLBACK (on_say), m);
  g_signal_connect_swapped (m->anyway, "clicked", G_CALLBACK (on_anyway), m);
  g_signal_connect_swapped (m->bar, "response", G_CALLBACK (on_response), m);
  g_object_set_data_full (G_OBJECT (m->bar), "messages", m, messages_free);
  return m->bar;
}

/* ---- long work --------------------------------------------------------------------------------------------------------------- */

typedef struct Busy {
  ScopeDocument *doc;
  GtkWidget *all, *what, *bar, *cancel;
} Busy;

static void
on_busy (Busy *b)
{
  double share = 0;
  const char *what = scope_document_busy (b->doc, &share);

  if (!what) {
    gtk_widget_hide (b->all);
    gtk_widget_set_sensitive (b->cancel, TRUE);
    return;
  }
  gtk_label_set_text (GTK_LABEL (b->what), what);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (b->bar), CLAMP (share, 0, 1));
  gtk_widget_show (b->all);
}

static void
on_cancel (Busy *b)
{
  gtk_widget_set_sensitive (b->cancel, FALSE);
  scope_document_cancel (b->doc);
}

static void
busy_free (gpointer busy)
{
  Busy *b = busy;

  g_signal_handlers_disconnect_by_data (b->doc, b);
  g_object_unref (b->doc);
  g_free (b);
}

GtkWidget *
busy_new (ScopeDocument *d)
{
  Busy *b = g_new0 (Busy, 1);
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 10);

  b->doc = g_object_ref (d);
  b->all = gtk_event_box_new (); /* what lies below is not to be clicked */
  b->what = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (b->what), 0);
  gtk_label_set_ellipsize (GTK_LABEL (b->what), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (b->what), 40);
  b->bar = gtk_progress_bar_new ();
  b->cancel = gtk_button_new_with_mnemonic ("_Cancel");
  gtk_widget_set_halign (b->cancel, GTK_ALIGN_END);
  gtk_widget_set_halign (card, GTK_ALIGN_CENTER);
  gtk_widget_set_valign (card, GTK_ALIGN_CENTER);
  gtk_style_context_add_class (gtk_widget_get_style_context (card), "scope-card");
  gtk_style_context_add_class (gtk_widget_get_style_context (b->all), "scope-veil");
  gtk_container_add (GTK_CONTAINER (card), b->what);
  gtk_container_add (GTK_CONTAINER (card), b->bar);
  gtk_container_add (GTK_CONTAINER (card), b->cancel);
  gtk_container_add (GTK_CONTAINER (b->all), card);
  gtk_widget_show_all (b->all);
  gtk_widget_hide (b->all);
  gtk_widget_set_no_show_all (b->all, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (b->all), "Work under way");
  g_signal_connect_swapped (d, "busy", G_CALLBACK (on_busy), b);
  g_signal_connect_swapped (b->cancel, "clicked", G_CALLBACK (on_cancel), b);
  g_object_set_data_full (G_OBJECT (b->all), "busy", b, busy_free);
  return b->all;
}
