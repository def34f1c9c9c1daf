/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/message-facts.h"
#include <string.h>
#include "document/story.h"
#include "eve/words.h"
#include "panes/facts.h"
#include "readers/more.h"
#include "session/session.h"
#include "views/history.h"
#include "views/paint.h"

/* ---- rows of names and values ------------------------------------------------------------------------------------------ */

/* Rows that are there are used again, and a value that stays is not touched: what of it is selected stays so. */
static void
message_facts_begin (GtkWidget *grid)
{
  g_object_set_data (G_OBJECT (grid), "rows", NULL);
}

/* Rows that were not filled anew go. */
static void
message_facts_end (GtkWidget *grid)
{
  int rows = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (grid), "rows"));

  while (gtk_grid_get_child_at (GTK_GRID (grid), 0, rows) != NULL)
    gtk_grid_remove_row (GTK_GRID (grid), rows);
}

static void
message_facts_add_row (GtkWidget *grid, int row)
{
  GtkWidget *left = gtk_label_new (""), *right = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_xalign (GTK_LABEL (right), 1);
  scope_label_wrap_names (left); /* a trace or a component may give it a name of any length */
  gtk_label_set_max_width_chars (GTK_LABEL (left), FACTS_NAME_CHARS);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_widget_set_can_focus (right, FALSE);
  gtk_label_set_line_wrap (GTK_LABEL (right), TRUE);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_set_valign (left, GTK_ALIGN_START);
  gtk_style_context_add_class (gtk_widget_get_style_context (left), "dim-label");
  gtk_style_context_add_class (gtk_widget_get_style_context (right), "number");
  gtk_widget_show (left); /* the grid may be one that show_all() passes by */
  gtk_widget_show (right);
  gtk_grid_attach (GTK_GRID (grid), left, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), right, 1, row, 1, 1);
}

static void
message_facts_put (GtkWidget *grid, const char *name, const char *value)
{
  int row = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (grid), "rows"));

  if (gtk_grid_get_child_at (GTK_GRID (grid), 0, row) == NULL)
    message_facts_add_row (grid, row);
  GtkWidget *left = gtk_grid_get_child_at (GTK_GRID (grid), 0, row),
            *right = gtk_grid_get_child_at (GTK_GRID (grid), 1, row);
  scope_label_say (left, name);
  scope_label_say (right, value);
  atk_object_set_name (gtk_widget_get_accessible (right), name);
  atk_object_set_description (gtk_widget_get_accessible (right), value);
  g_object_set_data (G_OBJECT (grid), "rows", GINT_TO_POINTER (row + 1));
}

static void
put_taken (GtkWidget *grid, const char *name, char *value)
{
  message_facts_put (grid, name, value);
  g_free (value);
}

static GtkWidget *
new_grid (void)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 1);
  return grid;
}

/* ---- a message ----------------------------------------------------------------------------------------------------------- */

typedef struct Facts {
  ScopeDocument *d;
  GtkWidget *root, *grid, *to_sent, *to_received;
  int64_t sent, received;
} Facts;

void
message_facts_show (GtkWidget *facts, TraceRef message)
{
  Facts *f = g_object_get_data (G_OBJECT (facts), "facts");
  TraceSource *s = scope_document_view_source (f->d);
  const Names *names;
  MessagesReader *reader = NULL;
  const TraceSource *of = NULL;
  StateMessage m = { 0 };
  uint32_t from, to;
  int64_t sent, received;
  bool found = false;

  message_facts_begin (f->grid);
  bool known = s != NULL && message.source == s->number && trace_ref_dates (message, &sent, &received)
               && trace_ref_ends (message, &from, &to);
  gtk_widget_set_visible (f->root, known);
  if (!known) {
    message_facts_end (f->grid);
    return;
  }
  f->sent = sent;
  f->received = received;
  /* Its tag and size stand in the film's history of messages; before there is one, dates are all that is known. */
  if (story_readers (f->d, &names, &reader, &of) && reader != NULL)
    found = messages_reader_find (reader, from, to, sent, received, &m);
  put_taken (f->grid, _ ("From"), facts_task (s, from));
  put_taken (f->grid, _ ("To"), facts_task (s, to));
  if (found) {
    put_taken (f->grid, _ ("Tag"), g_strdup_printf ("%d", m.tag));
    put_taken (f->grid, _ ("Size"), paint_bytes ((double) m.size));
  }
  if (sent != INT64_MIN)
    put_taken (f->grid, _ ("Sent"), axis_date (&s->clock, sent, -1));
  put_taken (f->grid, _ ("Received"), axis_date (&s->clock, received, -1));
  if (sent != INT64_MIN)
    put_taken (f->grid, _ ("Under way"), axis_duration (&s->clock, (double) received - (double) sent));
  message_facts_end (f->grid);
  gtk_widget_set_visible (f->to_sent, sent != INT64_MIN);
}

static void
message_facts_on_sent (GtkButton *b, Facts *f)
{
  scope_document_go_date (f->d, f->sent);
}

static void
message_facts_on_received (GtkButton *b, Facts *f)
{
  scope_document_go_date (f->d, f->received);
}

static void
facts_free (gpointer at)
{
  Facts *f = at;

  g_object_unref (f->d);
  g_free (f);
}

GtkWidget *
message_facts_new (ScopeDocument *d)
{
  Facts *f = g_new0 (Facts, 1);
  GtkWidget *ways = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  f->d = g_object_ref (d);
  f->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  f->grid = new_grid ();
  f->to_sent = gtk_button_new_with_label (_ ("Go to where it was sent"));
  f->to_received = gtk_button_new_with_label (_ ("Go to where it was received"));
  gtk_widget_set_halign (f->to_sent, GTK_ALIGN_START);
  gtk_widget_set_halign (f->to_received, GTK_ALIGN_START);
  g_signal_connect (f->to_sent, "clicked", G_CALLBACK (message_facts_on_sent), f);
  g_signal_connect (f->to_received, "clicked", G_CALLBACK (message_facts_on_received), f);
  gtk_container_add (GTK_CONTAINER (ways), f->to_sent);
  gtk_container_add (GTK_CONTAINER (ways), f->to_received);
  gtk_container_add (GTK_CONTAINER (f->root), f->grid);
  gtk_container_add (GTK_CONTAINER (f->root), ways);
  gtk_widget_show_all (f->root);
  gtk_widget_set_no_show_all (f->root, TRUE);
  gtk_widget_hide (f->root);
  g_object_set_data_full (G_OBJECT (f->root), "facts", f, facts_free);
  return f->root;
}

/* ---- what components add ------------------------------------------------------------------------------------------------- */

static void
message_facts_add (void *to, const TraceTold *one)
{
  message_facts_put (to, trace_told_name (one), trace_told_value (one));
}

void
more_facts_show (GtkWidget *facts, TraceRef what)
{
  ScopeDocument *d = g_object_get_data (G_OBJECT (facts), "document");
  Session *session = scope_document_session (d);

  message_facts_begin (facts);
  const TraceAll *all = session != NULL && what.type != TRACE_REF_NONE ? session_more (session) : NULL;
  for (uint32_t i = 0; all != NULL && i < all->n; i++)
    all->of[i].more->tell (all->of[i].component, what, NULL, message_facts_add, facts);
  facts_waits (d, what, message_facts_add, facts);
  message_facts_end (facts);
  gtk_widget_set_visible (facts, g_object_get_data (G_OBJECT (facts), "rows") != NULL);
}

GtkWidget *
more_facts_new (ScopeDocument *d)
{
  GtkWidget *grid = new_grid ();

  g_object_set_data_full (G_OBJECT (grid), "document", g_object_ref (d), g_object_unref);
  gtk_widget_set_no_show_all (grid, TRUE);
  atk_object_set_name (gtk_widget_get_accessible (grid), _ ("What components add"));
  return grid;
}
