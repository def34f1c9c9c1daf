/* SPDX-License-Identifier: Apache-2.0 */
/* triggered-panel.c - what components ordered in this session, and what they would according to the film; each with a
 * way to its instant (thesis, section 5.2). */
#include <string.h>
#include "statistics/order.h"
#include "eve/words.h"
#include "time/time.h"
#include "document/active-row.h"

#define MOST 1000

typedef struct Panel {
  ScopeDocument *d;
  GtkWidget *root, *expander, *list, *empty;
  bool stale;
} Panel;

static void
triggered_panel_on_activated (GtkListBox *list, GtkListBoxRow *row, Panel *p)
{
  uint64_t *event = g_object_get_data (G_OBJECT (row), "event");

  scope_document_go_event (p->d, *event);
}

static void
triggered_panel_add_row (Panel *p, uint64_t event, int64_t date, const char *text, bool would)
{
  GtkWidget *row = active_row_new (), *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *what = time_label ("mark-name", 0), *when = time_label ("mark-date", 1);
  g_autofree char *at = time_text (p->d, date == INT64_MIN ? scope_document_first (p->d) : date);
  g_autofree char *line = g_strdup_printf ("%s%s", would ? _ ("would: ") : "", text),
                  *told = g_strdup_printf (_ ("%s at %s"), line, at);

  gtk_label_set_text (GTK_LABEL (what), line);
  gtk_label_set_text (GTK_LABEL (when), at);
  gtk_label_set_ellipsize (GTK_LABEL (when), PANGO_ELLIPSIZE_NONE);
  gtk_widget_set_tooltip_text (row, line);
  if (would)
    gtk_style_context_add_class (gtk_widget_get_style_context (what), "dim-label");
  gtk_box_pack_start (GTK_BOX (box), what, TRUE, TRUE, 0);
  gtk_container_add (GTK_CONTAINER (box), when);
  gtk_container_add (GTK_CONTAINER (row), box);
  g_object_set_data_full (G_OBJECT (row), "event", g_memdup2 (&event, sizeof event), g_free);
  atk_object_set_name (gtk_widget_get_accessible (row), told);
  gtk_widget_show_all (row);
  gtk_container_add (GTK_CONTAINER (p->list), row);
}

static void
triggered_panel_refill (Panel *p)
{
  if (!gtk_expander_get_expanded (GTK_EXPANDER (p->expander))) {
    p->stale = true;
    return;
  }
  p->stale = false;
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (p->list));
  for (GList *i = rows; i; i = i->next)
    gtk_widget_destroy (i->data);
  guint n = 0;
  GArray *done = scope_document_triggered (p->d);
  for (guint i = 0; i < done->len; ++i, ++n) {
    const ScopeTriggered *t = &g_array_index (done, ScopeTriggered, i);
    triggered_panel_add_row (p, t->event, t->date, t->text, false);
  }
  const char *film = scope_document_film (p->d);
  TraceSource *source = scope_document_source (p->d);
  g_autoptr (GPtrArray) would = film && source ? film_commands_read (film, &source->clock, MOST) : NULL;
  for (guint i = 0; would && i < would->len; ++i, ++n) {
    const FilmCommand *c = would->pdata[i];
    g_autofree char *because = c->order ? stats_order_tells (c->order, "because") : NULL;
    g_autofree char *words = c->order ? stats_order_command (c->order) : g_strdup (c->name ? c->name : "");
    g_autofree char *text = g_strdup_printf ("%s%s%s", *words ? words : c->verb, because ? " · " : "",
                                             because ? because : "");
    triggered_panel_add_row (p, c->event, c->date, text, true);
  }
  gtk_widget_set_visible (p->empty, n == 0);
  gtk_widget_set_visible (p->list, n > 0);
}

static void
triggered_panel_on_expanded (Panel *p)
{
  if (p->stale)
    triggered_panel_refill (p);
}

static void
triggered_panel_on_destroy (GtkWidget *root, Panel *p)
{
  g_signal_handlers_disconnect_by_data (p->d, p);
}

GtkWidget *
triggered_panel_new (ScopeDocument *d)
{
  Panel *p = g_new0 (Panel, 1);
  GtkWidget *scroll = gtk_scrolled_window_new (NULL, NULL), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  p->d = d;
  p->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "panel");
  atk_object_set_name (gtk_widget_get_accessible (p->root), _ ("Triggered"));
  g_object_set_data_full (G_OBJECT (p->root), "panel", p, g_free);
  p->list = gtk_list_box_new ();
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (p->list), GTK_SELECTION_NONE);
  atk_object_set_name (gtk_widget_get_accessible (p->list), _ ("List of what was triggered"));
  p->empty = time_label ("dim-label", 0);
  gtk_label_set_text (GTK_LABEL (p->empty), _ ("No component has ordered anything"));
  gtk_container_add (GTK_CONTAINER (box), p->empty);
  gtk_container_add (GTK_CONTAINER (box), p->list);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroll), 220);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroll), TRUE);
  gtk_container_add (GTK_CONTAINER (scroll), box);
  p->expander = gtk_expander_new (_ ("Triggered"));
  gtk_style_context_add_class (
      gtk_widget_get_style_context (gtk_expander_get_label_widget (GTK_EXPANDER (p->expander))), "panel-title");
  gtk_container_add (GTK_CONTAINER (p->expander), scroll);
  gtk_container_add (GTK_CONTAINER (p->root), p->expander);
  gtk_widget_show_all (p->root);
  p->stale = true;
  g_signal_connect (p->list, "row-activated", G_CALLBACK (triggered_panel_on_activated), p);
  g_signal_connect_swapped (p->expander, "notify::expanded", G_CALLBACK (triggered_panel_on_expanded), p);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (triggered_panel_refill), p);
  g_signal_connect_swapped (d, "film", G_CALLBACK (triggered_panel_refill), p);
  g_signal_connect_swapped (d, "marks", G_CALLBACK (triggered_panel_refill), p);
  g_signal_connect (p->root, "destroy", G_CALLBACK (triggered_panel_on_destroy), p);
  return p->root;
}
