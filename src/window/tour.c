/* SPDX-License-Identifier: Apache-2.0 */
/* tour.c - two minutes on a sample: what the places of the window are for, a sentence or two at each.  It holds nothing
 * up: everything can be used meanwhile, and each step has a way out.  It is offered on the page that is seen first
 * until it was taken or declined, and never again; the command "win.tour" begins it at any time. */
#include "document/active-row.h"
#include "eve/words.h"
#include "session/places.h"
#include "window/app.h"
#include "window/window-private.h"
#include <string.h>

#define SAMPLE "fft2d-s16.trace"

typedef enum { AT_TIME, AT_VIEWS, AT_PROGRAM, AT_SIDE, AT_HEADER } Place;

static const struct {
  Place at;
  const char *title, *text;
} steps[] = {
  { AT_TIME, N_ ("Time"),
    N_ ("Here is the whole execution, as shares of what the tasks did. <b>Space</b> plays it, <b>.</b> and <b>,</b> go "
        "one "
        "event on and "
        "back, a click in the ruler goes to any instant.") },
  { AT_VIEWS, N_ ("Views"),
    N_ ("Each row is a task, each colour a state: the legend has their names. Point at something to be told what it "
        "is; a "
        "click "
        "selects it in all views. The wheel with <b>Ctrl</b> looks closer.") },
  { AT_VIEWS, N_ ("A range and its story"),
    N_ ("Drag over some time in a view: at the right you read how long tasks worked and waited in it, what was sent, "
        "and "
        "who "
        "waited for whom.") },
  { AT_PROGRAM, N_ ("The program"),
    N_ ("These boxes and wires make what you see, and you may change them while they run: <b>Tab</b> adds a box at the "
        "pointer, "
        "<b>Ctrl+Z</b> takes anything back. <b>Ctrl+Alt+Q</b> asks what you want to know and builds the program for "
        "it.") },
  { AT_SIDE, N_ ("What is selected"),
    N_ ("Settings of a box, attributes of a task, the legend and the marks. <b>M</b> marks an instant, with a note, to "
        "come back to.") },
  { AT_HEADER, N_ ("Finding things"),
    N_ ("<b>Ctrl+K</b> finds everything: commands, components, tasks, events, settings, help. <b>F1</b> explains what "
        "is "
        "selected. "
        "Open a trace of your own with <b>Ctrl+O</b>.") },
};

typedef struct Tour {
  ScopeWindow *w;
  GtkWidget *card;
  guint step;
} Tour;

static void show_step (Tour *t, guint step);

static void
tour_end (Tour *t)
{
  g_object_set_data (G_OBJECT (t->w), "tour", NULL); /* frees it */
}

/* Nobody is told of its end but those who look at the card itself. */
static void
tour_take_away (Tour *t)
{
  GtkWidget *card = g_steal_pointer (&t->card);

  if (!card)
    return;
  g_signal_handlers_disconnect_by_func (card, (gpointer) gtk_widget_destroyed, &t->card);
  g_signal_handlers_disconnect_by_data (card, t);
  gtk_widget_destroy (card);
}

static void
tour_on_leave (GtkButton *button, Tour *t)
{
  tour_end (t);
}

static void
tour_on_next (GtkButton *button, Tour *t)
{
  if (t->step + 1 < G_N_ELEMENTS (steps))
    show_step (t, t->step + 1);
  else
    tour_end (t);
}

static gboolean
tour_on_key (GtkWidget *card, GdkEventKey *event, Tour *t)
{
  if (event->keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  tour_end (t);
  return GDK_EVENT_STOP;
}

/* A place that is folded away is told of over the time bar. */
static GtkWidget *
tour_place (const ScopeWindow *w, Place at)
{
  GtkWidget *const places[] = { w->time_bar, w->panes, w->canvas, w->side, w->header };

  return gtk_widget_get_mapped (places[at]) ? places[at] : w->time_bar;
}

static GtkWidget *
tour_button (GtkWidget *line, const char *text, GCallback clicked, Tour *t)
{
  GtkWidget *b = gtk_button_new_with_mnemonic (text);

  g_signal_connect (b, "clicked", clicked, t);
  gtk_box_pack_end (GTK_BOX (line), b, FALSE, FALSE, 0);
  return b;
}

static void
show_step (Tour *t, guint step)
{
  if (steps[step].at == AT_PROGRAM)
    shape_unfold (t->w);
  GtkWidget *at = tour_place (t->w, steps[step].at);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 8), *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *title = gtk_label_new (in_words (steps[step].title)), *text = gtk_label_new (NULL),
            *count = gtk_label_new (NULL);
  g_autofree char *of = g_strdup_printf (_ ("%u of %u"), step + 1, (guint) G_N_ELEMENTS (steps));
  bool above = at == t->w->time_bar || at == t->w->panes; /* over what lies beside the place, not over the place */
  GdkRectangle edge = { gtk_widget_get_allocated_width (at) / 2, above ? 2 : gtk_widget_get_allocated_height (at) - 3,
                        1, 1 };

  tour_take_away (t);
  t->step = step;
  t->card = gtk_popover_new (at);
  gtk_popover_set_modal (GTK_POPOVER (t->card), FALSE); /* one may try what it tells */
  if (at == t->w->panes || at == t->w->canvas)
    gtk_popover_set_pointing_to (GTK_POPOVER (t->card), &edge);
  gtk_popover_set_position (GTK_POPOVER (t->card), above              ? GTK_POS_TOP
                                                   : at == t->w->side ? GTK_POS_LEFT
                                                                      : GTK_POS_BOTTOM);
  gtk_style_context_add_class (gtk_widget_get_style_context (title), "scope-heading");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_markup (GTK_LABEL (text), in_words (steps[step].text));
  gtk_label_set_line_wrap (GTK_LABEL (text), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (text), 46);
  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_text (GTK_LABEL (count), of);
  gtk_style_context_add_class (gtk_widget_get_style_context (count), "dim-label");
  gtk_box_pack_start (GTK_BOX (line), count, FALSE, FALSE, 0);
  GtkWidget *next = tour_button (line, step + 1 < G_N_ELEMENTS (steps) ? _ ("_Next") : _ ("_Done"),
                                 G_CALLBACK (tour_on_next), t);
  gtk_style_context_add_class (gtk_widget_get_style_context (next), "suggested-action");
  if (step + 1 < G_N_ELEMENTS (steps))
    tour_button (line, _ ("_Leave the Tour"), G_CALLBACK (tour_on_leave), t);
  gtk_box_pack_start (GTK_BOX (box), title, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), text, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), line, FALSE, FALSE, 0);
  g_object_set (box, "margin", 12, NULL);
  gtk_container_add (GTK_CONTAINER (t->card), box);
  atk_object_set_name (gtk_widget_get_accessible (t->card), _ ("Tour"));
  g_signal_connect (t->card, "key-press-event", G_CALLBACK (tour_on_key), t);
  g_signal_connect (t->card, "destroy", G_CALLBACK (gtk_widget_destroyed), &t->card);
  gtk_widget_show_all (box);
  gtk_popover_popup (GTK_POPOVER (t->card));
  gtk_widget_grab_focus (next);
}

static void
tour_free (gpointer tour)
{
  Tour *t = tour;

  if (t->w->doc) /* else the window goes, and its parts have gone */
    g_signal_handlers_disconnect_by_data (t->w->doc, t);
  tour_take_away (t);
  g_free (t);
}

/* The sample that it is told on; g_free, NULL: none is installed. */
static char *
tour_sample (void)
{
  g_auto (GStrv) samples = places_samples ();

  for (char **s = samples; *s; ++s)
    if (g_str_has_suffix (*s, "/" SAMPLE))
      return g_strdup (*s);
  return g_strdup (*samples);
}

/* On what is open; else on a sample. */
void
tour_begin (ScopeWindow *w)
{
  g_autofree char *path = scope_document_is_open (w->doc) ? NULL : tour_sample ();

  preferences_set_toured ();
  if (path)
    scope_window_open (w, path, NULL, NULL);
  if (!scope_document_is_open (w->doc))
    return;
  Tour *t = g_new0 (Tour, 1);
  t->w = w;
  g_object_set_data_full (G_OBJECT (w), "tour", t, tour_free); /* one that is under way ends */
  g_signal_connect_swapped (w->doc, "opened", G_CALLBACK (tour_end), t);
  show_step (t, 0);
}

/* ---- the offer ------------------------------------------------------------------------------------------------------------ */
static void
tour_decline (GtkWidget *offer)
{
  preferences_set_toured ();
  gtk_widget_hide (offer);
}

static void
on_map (GtkWidget *page, GtkWidget *offer)
{
  gtk_widget_set_visible (offer, !preferences ()->toured);
}

GtkWidget *
tour_offer_new (GtkWidget *page)
{
  GtkWidget *offer = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8),
            *take = gtk_button_new_with_mnemonic (_ ("Take the _Tour")),
            *no = gtk_button_new_with_mnemonic (_ ("No, _Thank You")),
            *text = gtk_label_new (_ ("New here? A tour of two minutes shows the window on a sample."));

  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_line_wrap (GTK_LABEL (text), TRUE);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (take), "win.tour");
  g_signal_connect_swapped (no, "clicked", G_CALLBACK (tour_decline), offer);
  gtk_box_pack_start (GTK_BOX (offer), text, TRUE, TRUE, 0);
  gtk_box_pack_end (GTK_BOX (offer), take, FALSE, FALSE, 0);
  gtk_box_pack_end (GTK_BOX (offer), no, FALSE, FALSE, 0);
  gtk_widget_show_all (offer);
  gtk_widget_set_no_show_all (offer, TRUE);
  g_signal_connect (page, "map", G_CALLBACK (on_map), offer);
  return offer;
}
