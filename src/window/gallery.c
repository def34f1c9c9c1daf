/* SPDX-License-Identifier: Apache-2.0 */
/* The displays that people know by a name, a card each: its picture, its name, what it tells.  Those that a program on
 * offer for this trace has, and behind them the others, pale, each with what it would need; the pictures are those of
 * docs/gallery.md, of other executions. */
#include <string.h>
#include "window/displays.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "session/places.h"

#define PICTURE_W 372
#define PICTURE_H 174 /* as docs/gallery.py makes them: 900 to 420 */
#define PICTURE_MOST_BYTES (4 << 20)
#define CARD_GAP 12

/* Read when it is seen for the first time. */
static gboolean
gallery_draw_picture (GtkWidget *area, cairo_t *cr, gpointer none)
{
  cairo_surface_t *picture = g_object_get_data (G_OBJECT (area), "picture");
  const char *path = g_object_get_data (G_OBJECT (area), "path");

  if (!picture && path) {
    int scale = gtk_widget_get_scale_factor (area);
    size_t n = 0;
    char *bytes = disk_read (path, NULL, PICTURE_MOST_BYTES, &n, NULL);
    g_autoptr (GInputStream) stream = bytes ? g_memory_input_stream_new_from_data (bytes, (gssize) n, g_free) : NULL;
    g_autoptr (GdkPixbuf) pixels = stream ? gdk_pixbuf_new_from_stream_at_scale (stream, PICTURE_W * scale,
                                                                                 PICTURE_H * scale, TRUE, NULL, NULL)
                                          : NULL;
    g_object_set_data (G_OBJECT (area), "path", NULL); /* tried once */
    if (pixels) {
      picture = gdk_cairo_surface_create_from_pixbuf (pixels, scale, gtk_widget_get_window (area));
      g_object_set_data_full (G_OBJECT (area), "picture", picture, (GDestroyNotify) cairo_surface_destroy);
    }
  }
  if (picture) {
    cairo_set_source_surface (cr, picture, 0, 0);
    cairo_paint_with_alpha (cr, gtk_widget_is_sensitive (area) ? 1 : 0.35);
  }
  return GDK_EVENT_STOP;
}

static GtkWidget *
gallery_text_label (const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_width_chars (GTK_LABEL (label), 32);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  gtk_style_context_add_class (gtk_widget_get_style_context (label), style);
  return label;
}

static GtkWidget *
card_new (const Display *d, guint i, const char *program, const char *why_not)
{
  GtkWidget *card = gtk_flow_box_child_new (), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *area = gtk_drawing_area_new ();
  g_autofree char *folder = places_gallery ();

  gtk_widget_set_size_request (area, PICTURE_W, PICTURE_H);
  gtk_widget_set_halign (area, GTK_ALIGN_START);
  gtk_style_context_add_class (gtk_widget_get_style_context (area), "scope-picture");
  if (d->picture)
    g_object_set_data_full (G_OBJECT (area), "path", g_build_filename (folder, d->picture, NULL), g_free);
  g_signal_connect (area, "draw", G_CALLBACK (gallery_draw_picture), NULL);
  gtk_container_add (GTK_CONTAINER (box), area);
  gtk_container_add (GTK_CONTAINER (box), gallery_text_label (in_words (d->name), "scope-name"));
  gtk_container_add (GTK_CONTAINER (box), gallery_text_label (in_words (d->tells), "dim-label"));
  if (why_not) {
    GtkWidget *why = gallery_text_label (why_not, "scope-why");
    gtk_box_pack_start (GTK_BOX (box), why, FALSE, FALSE, 0);
    gtk_widget_set_sensitive (area, FALSE);
  }
  g_object_set (box, "margin", 6, NULL);
  gtk_container_add (GTK_CONTAINER (card), box);
  g_object_set_data (G_OBJECT (card), "display", GUINT_TO_POINTER (i));
  g_object_set_data_full (G_OBJECT (card), "program", g_strdup (program), g_free);
  g_autofree char *all = g_strjoin (" ", d->name, in_words (d->name), in_words (d->tells), NULL);
  g_object_set_data_full (G_OBJECT (card), "words", g_utf8_casefold (all, -1), g_free);
  atk_object_set_name (gtk_widget_get_accessible (card), in_words (d->name));
  g_autofree char *told = why_not ? g_strjoin (" ", why_not, in_words (d->tells), NULL)
                                  : g_strdup (in_words (d->tells));
  atk_object_set_description (gtk_widget_get_accessible (card), told);
  gtk_widget_show_all (card);
  return card;
}

/* Each word that was typed is in its name or in what it tells. */
static gboolean
gallery_is_meant (GtkFlowBoxChild *card, gpointer entry)
{
  const char *words = g_object_get_data (G_OBJECT (card), "words");
  g_autofree char *typed = g_utf8_casefold (gtk_entry_get_text (GTK_ENTRY (entry)), -1);
  g_auto (GStrv) wanted = g_strsplit (typed, " ", -1);

  for (char **w = wanted; *w; ++w)
    if (!strstr (words, *w))
      return FALSE;
  return TRUE;
}

/* Whether it is for this execution. */
static bool
is_for_this (GtkWidget *card)
{
  return g_object_get_data (G_OBJECT (card), "program") != NULL;
}

static void
on_card (GtkFlowBox *cards, GtkFlowBoxChild *card, GtkDialog *dialog)
{
  if (!is_for_this (GTK_WIDGET (card)))
    return;
  g_object_set_data (G_OBJECT (dialog), "card", card);
  gtk_dialog_response (dialog, GTK_RESPONSE_ACCEPT);
}

/* Enter in the field takes the first that is left. */
static void
gallery_on_enter (GtkEntry *entry, GtkDialog *dialog)
{
  GtkWidget *cards = g_object_get_data (G_OBJECT (dialog), "cards");
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (cards));

  for (GList *l = children; l; l = l->next)
    if (gtk_widget_get_child_visible (l->data) && gallery_is_meant (l->data, entry) && is_for_this (l->data)) {
      on_card (GTK_FLOW_BOX (cards), l->data, dialog);
      return;
    }
}

/* Gives how many are for this execution. */
static guint
gallery_fill (GtkWidget *cards, const GPtrArray *displays, const TraceFormat *format)
{
  g_autoptr (GPtrArray) programs = places_programs (format->name), others = g_ptr_array_new_with_free_func (NULL);
  guint n = 0;

  for (guint i = 0; i < displays->len; ++i) {
    const Display *d = g_ptr_array_index (displays, i);
    const PlacesProgram *p = displays_program (d, programs);
    if (!p) {
      g_ptr_array_add (others, GUINT_TO_POINTER (i));
      continue;
    }
    gtk_container_add (GTK_CONTAINER (cards), card_new (d, i, p->path, NULL));
    n++;
  }
  for (guint k = 0; k < others->len; ++k) {
    const Display *d = g_ptr_array_index (displays, GPOINTER_TO_UINT (others->pdata[k]));
    g_autofree char *why = displays_why_not (d, format);
    gtk_container_add (GTK_CONTAINER (cards), card_new (d, GPOINTER_TO_UINT (others->pdata[k]), NULL, why));
  }
  return n;
}

static GtkWidget *
gallery_column_new (GtkWidget *entry, GtkWidget *cards, const char *left_out)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8), *scrolled = gtk_scrolled_window_new (NULL, NULL);

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scrolled), cards);
  gtk_box_pack_start (GTK_BOX (column), entry, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (column), scrolled, TRUE, TRUE, 0);
  if (left_out)
    gtk_box_pack_start (GTK_BOX (column), gallery_text_label (left_out, "dim-label"), FALSE, FALSE, 0);
  g_object_set (column, "margin", 12, NULL);
  return column;
}

void
gallery_ask (ScopeWindow *w)
{
  ScopeDocument *doc = scope_window_document (w);
  g_autoptr (GPtrArray) displays = displays_read ();
  int width = 0, height = 0;

  if (!scope_document_is_open (doc) || scope_document_busy (doc, NULL))
    return;
  GtkWidget *dialog = gtk_dialog_new_with_buttons (
      _ ("Add a view"), GTK_WINDOW (w), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT | GTK_DIALOG_USE_HEADER_BAR,
      _ ("_Cancel"), GTK_RESPONSE_CANCEL, NULL);
  GtkWidget *cards = gtk_flow_box_new (), *entry = gtk_search_entry_new ();
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (cards), GTK_SELECTION_BROWSE);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (cards), TRUE);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (cards), CARD_GAP);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (cards), CARD_GAP);
  gtk_widget_set_valign (cards, GTK_ALIGN_START);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("Name of a display, or what it tells"));
  atk_object_set_name (gtk_widget_get_accessible (cards), _ ("Displays"));
  atk_object_set_name (gtk_widget_get_accessible (entry), _ ("Name of a display, or what it tells"));
  guint n = gallery_fill (cards, displays, scope_document_source (doc)->format);
  g_autofree char *left_out = n < displays->len ? g_strdup_printf (
                                  P_ ("%u display is not for this execution, and says why; it comes last",
                                      "%u displays are not for this execution, and say why; they come last",
                                      displays->len - n),
                                  displays->len - n)
                                                : NULL;
  g_object_set_data (G_OBJECT (dialog), "cards", cards);
  gtk_flow_box_set_filter_func (GTK_FLOW_BOX (cards), gallery_is_meant, entry, NULL);
  g_signal_connect_swapped (entry, "search-changed", G_CALLBACK (gtk_flow_box_invalidate_filter), cards);
  g_signal_connect (entry, "activate", G_CALLBACK (gallery_on_enter), dialog);
  g_signal_connect_swapped (entry, "stop-search", G_CALLBACK (gtk_window_close), dialog);
  g_signal_connect (cards, "child-activated", G_CALLBACK (on_card), dialog);
  GtkWidget *column = gallery_column_new (entry, cards, left_out);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (dialog))), column, TRUE, TRUE, 0);
  gtk_widget_show_all (column);
  gtk_window_get_size (GTK_WINDOW (w), &width, &height);
  gtk_window_set_default_size (GTK_WINDOW (dialog), MIN (width - 60, 3 * (PICTURE_W + 48)), MAX (height - 120, 300));
  gtk_widget_grab_focus (entry);
  int said = gtk_dialog_run (GTK_DIALOG (dialog));
  GObject *card = said == GTK_RESPONSE_ACCEPT ? g_object_get_data (G_OBJECT (dialog), "card") : NULL;
  const Display *chosen = card ? g_ptr_array_index (displays, GPOINTER_TO_UINT (g_object_get_data (card, "display")))
                               : NULL;
  g_autofree char *program = card ? g_strdup (g_object_get_data (card, "program")) : NULL;
  gtk_widget_destroy (dialog);
  if (chosen)
    displays_show (w, chosen, program);
}
