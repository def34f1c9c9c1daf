/* SPDX-License-Identifier: Apache-2.0 */
/* What the document says, as cards at the foot of the right side, which leaves them the room; while it is folded away,
 * or the pointer is there, over a lower corner, where they fold into a button of the time bar once something else is
 * pressed.  Nothing that is worked at is moved or covered.  And long work, with its progress, over everything. */
#include <string.h>
#include "window/window.h"
#include "document/leads.h"
#include "document/unended.h"
#include "eve/words.h"

#define KEPT 100 /* messages in the list */
#define SHOWN 3  /* cards at the same time */
#define NOTE_S 6 /* a note goes by itself, a long one later */
#define LETTERS_A_SECOND 30
#define WIDTH 420       /* at the usual size of text */
#define NARROW_CHARS 18 /* at the least of a sentence in a line */
#define WIDE_CHARS 44
#define LINE_SHARE 36 /* px of height for each line that a card may have, at the usual size of text: half of it */
#define LINES_LEAST 8
#define MARGIN 12

/* ---- messages -------------------------------------------------------------------------------------------------------------- */

typedef struct Messages {
  ScopeDocument *doc;
  GtkWidget *all, *more, *list; /* the last card has `more` */
  GtkWidget *folded;            /* in the time bar, in their place, while one works at what they would cover */
  GtkWidget *side;              /* at whose foot they stand while it is seen */
  bool aside;                   /* they do */
  guint placing;
  GQueue cards;     /* of Card *, the oldest first: it is the lowest */
  GQueue said;      /* of char *, the last first */
  GHashTable *told; /* sentences that need not be told again by what happens meanwhile */
} Messages;

typedef struct Card {
  Messages *messages;
  GtkWidget *bar, *label, *anyway;
  char *sentence, *about; /* about: until when it holds; NULL: until it is closed */
  int kind;
  guint hide;
} Card;

/* Where the cards stand; how many letters a line has, and so how high they are, goes with it.  The side has as much
 * less as they take. */
static void
window_messages_place (Messages *m)
{
  int margin = m->aside ? MARGIN / 2 : MARGIN;
  GtkWidget *around = m->aside ? m->side : m->all; /* in whose height they stand */
  int height = gtk_widget_get_allocated_height (gtk_widget_get_parent (around));
  int most = gtk_widget_get_allocated_width (gtk_widget_get_parent (m->all)) - 2 * margin;
  int width = m->aside ? MAX (gtk_widget_get_allocated_width (m->side) - 2 * margin, -1)
                       : CLAMP ((int) (WIDTH * scope_text_scale ()), -1, MAX (most, -1));

  gtk_widget_set_margin_start (m->all, margin);
  gtk_widget_set_margin_end (m->all, margin);
  gtk_widget_set_size_request (m->all, width, -1);
  for (GList *l = m->cards.head; l; l = l->next) {
    const Card *c = l->data;
    GtkLabel *label = GTK_LABEL (c->label);
    if (c->anyway) /* no wider than the side either */
      gtk_label_set_max_width_chars (GTK_LABEL (gtk_bin_get_child (GTK_BIN (c->anyway))), m->aside ? NARROW_CHARS : -1);
    gtk_label_set_max_width_chars (label, m->aside ? NARROW_CHARS : WIDE_CHARS);
    gtk_label_set_lines (label, MAX ((int) (height / (LINE_SHARE * scope_text_scale ())), LINES_LEAST));
  }
}

static void
fold_cards (Messages *m, bool fold)
{
  g_autofree char *words = g_strdup_printf (P_ ("%u note", "%u notes", m->cards.length), m->cards.length);

  gtk_button_set_label (GTK_BUTTON (m->folded), words);
  gtk_widget_set_visible (m->folded, fold);
  for (GList *l = m->cards.head; l; l = l->next)
    gtk_widget_set_visible (((Card *) l->data)->bar, !fold);
  window_messages_place (m);
}

static gboolean
place_late (gpointer messages)
{
  Messages *m = messages;

  m->placing = 0;
  if (!m->side)
    return G_SOURCE_REMOVE;
  m->aside = m->cards.head && gtk_widget_get_halign (m->all) == GTK_ALIGN_END && gtk_widget_get_mapped (m->side);
  if (m->aside && gtk_widget_get_visible (m->folded))
    fold_cards (m, false);
  else
    window_messages_place (m);
  gtk_widget_set_margin_bottom (m->side, m->aside ? gtk_widget_get_allocated_height (m->all) + 2 * MARGIN : 0);
  return G_SOURCE_REMOVE;
}

/* Sizes are being given meanwhile. */
static void
place_soon (Messages *m)
{
  if (!m->placing)
    m->placing = g_idle_add_full (GDK_PRIORITY_REDRAW - 5, place_late, m, NULL);
}

static void
on_side_changed (GtkWidget *messages)
{
  Messages *m = g_object_get_data (G_OBJECT (messages), "messages");

  if (m && m->cards.head)
    place_soon (m);
}

/* Over the views they lie only until one goes on there. */
static void
window_messages_on_press (GtkGesture *press, int n, double x, double y, Messages *m)
{
  GdkEvent *event = (GdkEvent *) gtk_gesture_get_last_event (press, NULL);
  GtkWidget *at = event ? gtk_get_event_widget (event) : NULL;

  bool elsewhere = at && at != m->all && at != m->folded && !gtk_widget_is_ancestor (at, m->all);

  if (m->cards.head && !m->aside && elsewhere && gtk_widget_get_mapped (gtk_widget_get_parent (m->folded)))
    fold_cards (m, true);
}

static void
on_unfold (Messages *m)
{
  fold_cards (m, false);
}

static void
show_more (Messages *m)
{
  Card *last = m->cards.head ? m->cards.head->data : NULL;
  GtkWidget *parent = gtk_widget_get_parent (m->more);
  g_autofree char *words = g_strdup_printf (P_ ("%u note", "%u notes", m->said.length), m->said.length);

  if (parent)
    gtk_container_remove (GTK_CONTAINER (parent), m->more);
  gtk_button_set_label (GTK_BUTTON (m->more), words);
  if (last)
    gtk_box_pack_end (GTK_BOX (gtk_info_bar_get_content_area (GTK_INFO_BAR (last->bar))), m->more, FALSE, FALSE, 0);
  gtk_widget_set_visible (m->more, last && (m->said.length > 1 || strlen (last->sentence) > 250));
  gtk_widget_set_visible (m->all, last != NULL);
  fold_cards (m, last && gtk_widget_get_visible (m->folded));
}

static void
drop_card (Card *c)
{
  Messages *m = c->messages;

  g_clear_handle_id (&c->hide, g_source_remove);
  g_queue_remove (&m->cards, c);
  if (gtk_widget_get_parent (m->more) == gtk_info_bar_get_content_area (GTK_INFO_BAR (c->bar))) {
    gtk_popover_popdown (GTK_POPOVER (gtk_menu_button_get_popover (GTK_MENU_BUTTON (m->more))));
    gtk_container_remove (GTK_CONTAINER (gtk_widget_get_parent (m->more)), m->more);
  }
  gtk_widget_destroy (c->bar);
  g_free (c->sentence);
  g_free (c->about);
  g_free (c);
  if (!m->cards.head)
    g_queue_clear_full (&m->said, g_free);
  show_more (m);
  place_soon (m);
}

static gboolean
time_out (gpointer card)
{
  ((Card *) card)->hide = 0;
  drop_card (card);
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
on_anyway (Card *c)
{
  ScopeDocument *d = c->messages->doc;

  int kind = c->kind;
  bool leads = g_strcmp0 (c->about, MESSAGE_ANSWER) == 0, unended = g_strcmp0 (c->about, UNENDED_ABOUT) == 0;

  const char *action = g_strcmp0 (c->about, WAYS_EXCHANGE) == 0 ? "exchange"
                       : g_strcmp0 (c->about, WAYS_BACK) == 0   ? "go-back"
                                                                : NULL;
  GtkWidget *window = gtk_widget_get_toplevel (c->messages->all);
  g_autofree char *title = NULL, *program = g_strcmp0 (c->about, LEADS_NONE) == 0 ? leads_program (d, &title) : NULL;

  if (leads) { /* what was answered is read on */
    leads_go (d);
    return;
  }
  drop_card (c);
  if (program) {
    g_action_group_activate_action (G_ACTION_GROUP (window), "use-program", g_variant_new_string (program));
    if (g_strcmp0 (program, scope_document_program_path (d)) == 0) /* else it was refused, or the person stays */
      leads_go (d);
    return;
  }
  if (action)
    g_action_group_activate_action (G_ACTION_GROUP (window), action, NULL);
  else if (unended)
    unended_go (d);
  else if (kind == SCOPE_SAY_SILENT)
    scope_document_connect_again (d);
  else if (kind == SCOPE_SAY_HELD)
    scope_document_let_go_on (d);
  else
    scope_document_trust (d);
}

static void
add_answer (Card *c, const char *label)
{
  c->anyway = gtk_button_new_with_mnemonic (label);
  GtkWidget *words = gtk_bin_get_child (GTK_BIN (c->anyway));
  gtk_label_set_line_wrap (GTK_LABEL (words), TRUE);
  gtk_label_set_xalign (GTK_LABEL (words), 0);
  gtk_widget_set_halign (c->anyway, GTK_ALIGN_START);
  gtk_box_pack_end (GTK_BOX (gtk_info_bar_get_content_area (GTK_INFO_BAR (c->bar))), c->anyway, FALSE, FALSE, 0);
  g_signal_connect_swapped (c->anyway, "clicked", G_CALLBACK (on_anyway), c);
}

static void
add_lead (Card *c)
{
  g_autofree char *what = leads_what (c->messages->doc, NULL);

  if (what)
    add_answer (c, what);
}

/* GTK gives the cross of a bar no name that a screen reader could say, and the middle of its height. */
static void
name_cross (GtkWidget *widget, gpointer none)
{
  if (GTK_IS_BUTTON (widget)) {
    atk_object_set_name (gtk_widget_get_accessible (widget), _ ("Close the message"));
    gtk_widget_set_valign (widget, GTK_ALIGN_START);
  } else if (GTK_IS_CONTAINER (widget))
    gtk_container_forall (GTK_CONTAINER (widget), name_cross, NULL);
}

static GtkWidget *
sentence_label (const char *sentence)
{
  GtkWidget *label = gtk_label_new (sentence);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_line_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_line_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_width_chars (GTK_LABEL (label), NARROW_CHARS);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_widget_set_can_focus (label, FALSE);
  return label;
}

static void
window_messages_add_card (Messages *m, const char *sentence, int kind, const char *about)
{
  static const GtkMessageType types[] = { GTK_MESSAGE_INFO,  GTK_MESSAGE_WARNING, GTK_MESSAGE_ERROR,
                                          GTK_MESSAGE_ERROR, GTK_MESSAGE_WARNING, GTK_MESSAGE_INFO };
  Card *c = g_new0 (Card, 1);

  *c = (Card){
    m, gtk_info_bar_new (), sentence_label (sentence), NULL, g_strdup (sentence), g_strdup (about), kind, 0
  };
  GtkWidget *content = gtk_info_bar_get_content_area (GTK_INFO_BAR (c->bar));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (content), GTK_ORIENTATION_VERTICAL);
  gtk_info_bar_set_message_type (GTK_INFO_BAR (c->bar), types[kind]);
  gtk_info_bar_set_show_close_button (GTK_INFO_BAR (c->bar), TRUE);
  gtk_container_forall (GTK_CONTAINER (c->bar), name_cross, NULL); /* the only button so far */
  gtk_style_context_add_class (gtk_widget_get_style_context (c->bar), "scope-message");
  atk_object_set_name (gtk_widget_get_accessible (c->bar), sentence);
  gtk_box_pack_start (GTK_BOX (content), c->label, TRUE, TRUE, 0);
  if (kind == SCOPE_SAY_DISTRUST && scope_document_asks_trust (m->doc))
    add_answer (c, _ ("Play _Anyway"));
  if (kind == SCOPE_SAY_SILENT)
    add_answer (c, _ ("_Connect Again"));
  if (g_strcmp0 (about, UNENDED_ABOUT) == 0)
    add_answer (c, _ ("_Go There"));
  if (g_strcmp0 (about, MESSAGE_ANSWER) == 0 && leads_told (m->doc))
    add_lead (c);
  if (g_strcmp0 (about, LEADS_NONE) == 0)
    add_answer (c, _ ("_Open It and Go There"));
  if (g_strcmp0 (about, WAYS_EXCHANGE) == 0)
    add_answer (c, _ ("_Exchange Them"));
  if (g_strcmp0 (about, WAYS_BACK) == 0)
    add_answer (c, _ ("Go _Back"));
  if (kind == SCOPE_SAY_HELD)
    add_answer (c, _ ("Let It _Go On"));
  g_signal_connect_swapped (c->bar, "response", G_CALLBACK (drop_card), c);
  gtk_widget_show_all (c->bar);
  gtk_box_pack_end (GTK_BOX (m->all), c->bar, FALSE, FALSE, 0); /* above those that are there, which stay in place */
  if (kind == SCOPE_SAY_NOTE && g_strcmp0 (about, MESSAGE_ANSWER))
    c->hide = g_timeout_add_seconds (NOTE_S + (guint) (strlen (sentence) / LETTERS_A_SECOND), time_out, c);
  g_queue_push_head (&m->cards, c);
}

/* The pointer is where the cards have been placed, at the foot of the side or in the right corner: they come into the
 * left one then. */
static bool
covers_pointer (Messages *m)
{
  GdkWindow *window = gtk_widget_get_window (gtk_widget_get_toplevel (m->all));
  GdkSeat *seat = gdk_display_get_default_seat (gtk_widget_get_display (m->all));
  int x, y, width, height, wide, high;

  GdkDevice *pointer = seat ? gdk_seat_get_pointer (seat) : NULL; /* a compositor may have none */
  if (!window || !pointer)
    return false;
  gdk_window_get_device_position (window, pointer, &x, &y, NULL);
  width = gdk_window_get_width (window), height = gdk_window_get_height (window);
  gtk_widget_get_preferred_width (m->all, &wide, NULL); /* with margins: that below is the time bar's */
  gtk_widget_get_preferred_height_for_width (m->all, wide, NULL, &high);
  return x > width - wide && x <= width && y > height - high && y <= height;
}

/* A card that has to give way: the oldest note, else the oldest of all. */
static void
window_messages_make_room (Messages *m)
{
  while (m->cards.length > SHOWN) {
    Card *oldest = m->cards.tail->data;
    for (GList *l = m->cards.tail; l != m->cards.head; l = l->prev)
      if (((Card *) l->data)->kind == SCOPE_SAY_NOTE) {
        oldest = l->data;
        break;
      }
    drop_card (oldest);
  }
}

static void
window_messages_on_say (ScopeDocument *d, const char *sentence, int kind, const char *about, Messages *m)
{
  g_autoptr (GdkEvent) asked = gtk_get_current_event (); /* the answer to what a person does is always given */

  if (kind < 0 || kind > SCOPE_SAY_HELD)
    kind = SCOPE_SAY_ERROR;
  for (GList *l = m->cards.head; l; l = l->next)
    if (g_str_equal (((Card *) l->data)->sentence, sentence))
      return;
  if (about && !asked && kind < SCOPE_SAY_DISTRUST && g_hash_table_contains (m->told, sentence))
    return;
  g_hash_table_add (m->told, g_strdup (sentence));
  g_queue_push_head (&m->said, g_strdup (sentence));
  if (m->said.length > KEPT)
    g_free (g_queue_pop_tail (&m->said));
  window_messages_add_card (m, sentence, kind, about);
  window_messages_make_room (m);
  gtk_widget_hide (m->folded); /* what is new is seen */
  fill_list (m);
  show_more (m);
  if (m->cards.length == 1) {
    m->aside = m->side && gtk_widget_get_mapped (m->side);
    window_messages_place (m);
    bool at_pointer = covers_pointer (m);
    m->aside = m->aside && !at_pointer;
    gtk_widget_set_halign (m->all, at_pointer ? GTK_ALIGN_START : GTK_ALIGN_END);
  }
  window_messages_place (m);
  place_soon (m);
}

/* What was said is true no longer; NULL: nothing that was said is of what is open now. */
static void
on_unsay (ScopeDocument *d, const char *about, Messages *m)
{
  for (GList *l = m->cards.head; l;) {
    Card *c = l->data;
    l = l->next;
    if (g_strcmp0 (c->about, about) && (about || !g_strcmp0 (c->about, "always")))
      continue;
    g_hash_table_remove (m->told, c->sentence);
    drop_card (c);
  }
  if (!about)
    g_hash_table_remove_all (m->told);
}

bool
messages_close (GtkWidget *messages)
{
  Messages *m = g_object_get_data (G_OBJECT (messages), "messages");
  bool any = m->cards.head;

  while (m->cards.head)
    drop_card (m->cards.head->data);
  return any;
}

GtkWidget *
messages_folded (GtkWidget *messages)
{
  return ((Messages *) g_object_get_data (G_OBJECT (messages), "messages"))->folded;
}

void
messages_stand_below (GtkWidget *messages, GtkWidget *window, GtkWidget *side)
{
  Messages *m = g_object_get_data (G_OBJECT (messages), "messages");
  GtkGesture *press = gtk_gesture_multi_press_new (window);

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (press), 0);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (press), GTK_PHASE_CAPTURE);
  g_signal_connect (press, "pressed", G_CALLBACK (window_messages_on_press), m);
  g_object_set_data_full (G_OBJECT (messages), "press", press, g_object_unref); /* before `m` goes */
  g_set_weak_pointer (&m->side, side);
  g_signal_connect_swapped (m->all, "size-allocate", G_CALLBACK (place_soon), m);
  for (const char *const *change = (const char *const[]){ "map", "unmap", "size-allocate", NULL }; *change; ++change)
    g_signal_connect_object (side, *change, G_CALLBACK (on_side_changed), m->all, G_CONNECT_SWAPPED);
}

void
messages_raise (GtkWidget *messages, int px)
{
  gtk_widget_set_margin_bottom (messages, px + MARGIN);
}

static void
messages_free (gpointer messages)
{
  Messages *m = messages;

  g_clear_handle_id (&m->placing, g_source_remove);
  g_clear_weak_pointer (&m->side);
  g_signal_handlers_disconnect_by_data (m->doc, m);
  for (Card *c; (c = g_queue_pop_head (&m->cards));) {
    g_clear_handle_id (&c->hide, g_source_remove);
    g_free (c->sentence);
    g_free (c->about);
    g_free (c);
  }
  g_object_unref (m->doc);
  g_object_unref (m->more);
  g_signal_handlers_disconnect_by_data (m->folded, m);
  g_object_unref (m->folded);
  g_queue_clear_full (&m->said, g_free);
  g_hash_table_unref (m->told);
  g_free (m);
}

/* All that was said, to be read and copied. */
static void
add_list (Messages *m)
{
  GtkWidget *popover = gtk_popover_new (NULL), *scrolled = gtk_scrolled_window_new (NULL, NULL);

  m->more = g_object_ref_sink (gtk_menu_button_new ());
  gtk_widget_set_halign (m->more, GTK_ALIGN_START);
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
}

GtkWidget *
messages_new (ScopeDocument *d)
{
  Messages *m = g_new0 (Messages, 1);

  m->doc = g_object_ref (d);
  m->told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  m->all = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  gtk_widget_set_size_request (m->all, WIDTH, -1);
  gtk_widget_set_halign (m->all, GTK_ALIGN_END);
  gtk_widget_set_valign (m->all, GTK_ALIGN_END);
  g_object_set (m->all, "margin", MARGIN, NULL);
  gtk_widget_set_no_show_all (m->all, TRUE);
  m->folded = g_object_ref_sink (gtk_button_new_with_label (""));
  gtk_widget_set_tooltip_text (m->folded, _ ("Shows what was said"));
  g_signal_connect_swapped (m->folded, "clicked", G_CALLBACK (on_unfold), m);
  gtk_widget_set_valign (m->folded, GTK_ALIGN_CENTER);
  gtk_widget_set_focus_on_click (m->folded, FALSE);
  gtk_widget_set_no_show_all (m->folded, TRUE);
  add_list (m);
  g_signal_connect (d, "say", G_CALLBACK (window_messages_on_say), m);
  g_signal_connect (d, "unsay", G_CALLBACK (on_unsay), m);
  g_object_set_data_full (G_OBJECT (m->all), "messages", m, messages_free);
  return m->all;
}

/* ---- long work --------------------------------------------------------------------------------------------------------------- */

typedef struct Busy {
  ScopeDocument *doc;
  GtkWidget *all, *what, *bar, *cancel;
} Busy;

static void
window_messages_on_busy (Busy *b)
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
  b->cancel = gtk_button_new_with_mnemonic (_ ("_Cancel"));
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
  atk_object_set_name (gtk_widget_get_accessible (b->all), _ ("Work under way"));
  g_signal_connect_swapped (d, "busy", G_CALLBACK (window_messages_on_busy), b);
  g_signal_connect_swapped (b->cancel, "clicked", G_CALLBACK (on_cancel), b);
  g_object_set_data_full (G_OBJECT (b->all), "busy", b, busy_free);
  return b->all;
}
