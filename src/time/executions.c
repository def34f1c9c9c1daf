/* SPDX-License-Identifier: Apache-2.0 */
/* executions.c - the dialog that lays the executions of a program over each other: at their first events, at a mark
 * that both have, or shifted by an amount of time.  What is chosen is the setting `offset` of their readers, an edit
 * like any other. */
#include <string.h>
#include "time/time.h"
#include "eve/words.h"

enum { AS_RECORDED, SHIFTED, AT_START, AT_MARK }; /* AT_MARK and above: a mark */

typedef struct Row {
  struct Dialog *dialog;
  char *reader;     /* name of its box */
  GPtrArray *marks; /* of char *: those that both traces have */
  GtkWidget *how, *seconds;
} Row;

typedef struct Dialog {
  ScopeDocument *d;
  GtkWidget *window, *grid, *problem;
  GPtrArray *rows; /* of Row */
  bool filling;
  gulong told; /* handler of "program" */
} Dialog;

static void
executions_row_free (gpointer data)
{
  Row *r = data;

  g_free (r->reader);
  g_ptr_array_unref (r->marks);
  g_free (r);
}

static EveComponent *
executions_reader_of (const Row *r)
{
  EveProgram *p = scope_document_program (r->dialog->d);

  return p ? eve_find (p, r->reader) : NULL;
}

/* ---- what is shown ---------------------------------------------------------------------------------------------------- */

static GPtrArray *
common_marks (const TraceSource *leading, const TraceSource *other)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  Marks *here = marks_load (leading->path, &leading->clock, NULL),
        *there = marks_load (other->path, &other->clock, NULL);

  for (guint i = 0; here && there && i < here->list->len; ++i) {
    const Mark *m = here->list->pdata[i];
    if (marks_find (there, m->name))
      g_ptr_array_add (names, g_strdup (m->name));
  }
  marks_free (here);
  marks_free (there);
  return names;
}

static bool
is_none (const char *seconds)
{
  int64_t offset;

  return !seconds || (trace_offset_parse (seconds, &offset) && offset == 0);
}

/* What session_alignment() is asked for; g_free. */
static char *
together_at (const Row *r, int choice)
{
  return choice >= AT_MARK ? g_strconcat ("@", (char *) r->marks->pdata[choice - AT_MARK], NULL) : g_strdup ("start");
}

/* A choice whose offset is the one there is: what was chosen before stays the choice where it still is true. */
static int
choice_of (const Row *r, EveComponent *c, const char *seconds)
{
  const Session *s = scope_document_session (r->dialog->d);
  int now = gtk_combo_box_get_active (GTK_COMBO_BOX (r->how));

  if (now >= AT_START) {
    g_autofree char *mark = together_at (r, now);
    g_autofree char *would = session_alignment (s, c, mark, NULL);
    if (g_strcmp0 (would, seconds) == 0)
      return now;
  }
  return is_none (seconds) ? AS_RECORDED : SHIFTED;
}

static void
executions_fill (Dialog *g)
{
  g->filling = true;
  for (guint i = 0; i < g->rows->len; ++i) {
    Row *r = g->rows->pdata[i];
    EveComponent *c = executions_reader_of (r);
    g_autofree char *seconds = c ? eve_get (c, "offset") : NULL;
    int choice = seconds ? choice_of (r, c, seconds) : AS_RECORDED;
    gtk_combo_box_set_active (GTK_COMBO_BOX (r->how), choice);
    gtk_entry_set_text (GTK_ENTRY (r->seconds), seconds && *seconds ? seconds : "0");
    gtk_widget_set_sensitive (r->how, c != NULL);
    gtk_widget_set_sensitive (r->seconds, c != NULL);
  }
  g->filling = false;
}

/* ---- what is chosen --------------------------------------------------------------------------------------------------- */

static void
executions_say (Dialog *g, const char *why)
{
  gtk_label_set_text (GTK_LABEL (g->problem), why ? why : "");
}

static void
executions_shift (Row *r, const char *seconds)
{
  Dialog *g = r->dialog;
  EveComponent *c = executions_reader_of (r);
  g_autoptr (GError) error = NULL;
  g_autofree char *old = c ? eve_get (c, "offset") : NULL;
  int64_t offset;

  if (!c || g_strcmp0 (old, seconds) == 0)
    return;
  if (!trace_offset_parse (seconds, &offset)) {
    executions_say (g, _ ("That is no amount of time; write seconds, such as -0.25"));
    return;
  }
  executions_say (g, NULL);
  g_autofree char *what = g_strdup_printf (_ ("Shift %s"), r->reader);
  scope_document_begin_edit (g->d, what);
  if (!eve_set (c, "offset", seconds, &error))
    executions_say (g, error->message);
  scope_document_end_edit (g->d);
}

static void
on_how (GtkComboBox *how, Row *r)
{
  Dialog *g = r->dialog;
  int choice = gtk_combo_box_get_active (how);
  EveComponent *c = executions_reader_of (r);
  g_autoptr (GError) error = NULL;

  if (g->filling || !c)
    return;
  if (choice == SHIFTED) {
    gtk_widget_grab_focus (r->seconds);
    return;
  }
  g_autofree char *mark = together_at (r, choice);
  g_autofree char *seconds = choice == AS_RECORDED ? g_strdup ("")
                                                   : session_alignment (scope_document_session (g->d), c, mark, &error);
  if (seconds)
    executions_shift (r, seconds);
  else
    executions_say (g, error ? error->message : _ ("The trace cannot be read"));
}

static void
on_seconds (GtkEntry *entry, Row *r)
{
  g_autofree char *text = g_strdup (gtk_entry_get_text (entry));

  if (!r->dialog->filling)
    executions_shift (r, is_none (g_strstrip (text)) ? "" : text);
}

static gboolean
on_left (GtkEntry *entry, GdkEvent *event, Row *r)
{
  on_seconds (entry, r);
  return GDK_EVENT_PROPAGATE;
}

/* ---- the dialog ------------------------------------------------------------------------------------------------------- */

static GtkWidget *
executions_cell (Dialog *g, int x, int y, const char *text, bool dim)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 32);
  if (dim)
    gtk_style_context_add_class (gtk_widget_get_style_context (label), "dim-label");
  gtk_grid_attach (GTK_GRID (g->grid), label, x, y, 1, 1);
  return label;
}

static void
executions_add_row (Dialog *g, const SessionExecution *e, const TraceSource *leading, int y)
{
  Row *r = g_new0 (Row, 1);
  g_autofree char *how = g_strdup_printf (_ ("Place of %s"), e->name),
                  *seconds = g_strdup_printf (_ ("Seconds added to %s"), e->name);

  r->dialog = g;
  r->reader = g_strdup (eve_name (e->reader));
  r->marks = common_marks (leading, e->source);
  r->how = gtk_combo_box_text_new ();
  r->seconds = gtk_entry_new ();
  gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (r->how), _ ("As recorded"));
  gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (r->how), _ ("Shifted by seconds"));
  gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (r->how), _ ("First events together"));
  for (guint i = 0; i < r->marks->len; ++i) {
    g_autofree char *at = g_strdup_printf (_ ("Together at the mark “%s”"), (char *) r->marks->pdata[i]);
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (r->how), at);
  }
  gtk_entry_set_width_chars (GTK_ENTRY (r->seconds), 14);
  gtk_entry_set_alignment (GTK_ENTRY (r->seconds), 1);
  atk_object_set_name (gtk_widget_get_accessible (r->how), how);
  atk_object_set_name (gtk_widget_get_accessible (r->seconds), seconds);
  g_signal_connect (r->how, "changed", G_CALLBACK (on_how), r);
  g_signal_connect (r->seconds, "activate", G_CALLBACK (on_seconds), r);
  g_signal_connect (r->seconds, "focus-out-event", G_CALLBACK (on_left), r);
  executions_cell (g, 0, y, e->name, false);
  gtk_grid_attach (GTK_GRID (g->grid), r->how, 1, y, 1, 1);
  gtk_grid_attach (GTK_GRID (g->grid), r->seconds, 2, y, 1, 1);
  executions_cell (g, 3, y, "s", true);
  g_ptr_array_add (g->rows, r);
}

static void
executions_dialog_free (gpointer data)
{
  Dialog *g = data;

  g_signal_handler_disconnect (g->d, g->told);
  g_object_unref (g->d);
  g_ptr_array_unref (g->rows);
  g_free (g);
}

void
executions_ask (ScopeDocument *d, GtkWindow *parent)
{
  const Session *s = scope_document_session (d);
  g_autoptr (GArray) all = s ? session_executions (s) : NULL;

  if (!all || all->len < 2) {
    scope_document_say (
        d, SCOPE_SAY_NOTE,
        _ ("There is one execution only: open several together, as scope a.trace b.trace, or give a second "
           "reader a trace of its own"));
    return;
  }
  Dialog *g = g_new0 (Dialog, 1);
  GtkWidget *hint = gtk_label_new (_ ("Dates are those of the first; the others are laid over it."));

  g->d = g_object_ref (d);
  g->rows = g_ptr_array_new_with_free_func (executions_row_free);
  g->window = gtk_dialog_new_with_buttons (_ ("Executions in time"), parent, GTK_DIALOG_DESTROY_WITH_PARENT,
                                           _ ("_Close"), GTK_RESPONSE_CLOSE, NULL);
  g->grid = gtk_grid_new ();
  g->problem = executions_cell (g, 0, 2 + (int) all->len, "", false);
  gtk_label_set_line_wrap (GTK_LABEL (g->problem), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (g->problem), 60);
  gtk_style_context_add_class (gtk_widget_get_style_context (g->problem), "scope-problem");
  gtk_container_child_set (GTK_CONTAINER (g->grid), g->problem, "width", 4, NULL);
  gtk_grid_set_row_spacing (GTK_GRID (g->grid), 8);
  gtk_grid_set_column_spacing (GTK_GRID (g->grid), 12);
  g_object_set (g->grid, "margin", 18, NULL);
  gtk_label_set_xalign (GTK_LABEL (hint), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (hint), "dim-label");
  gtk_grid_attach (GTK_GRID (g->grid), hint, 0, 0, 4, 1);
  const SessionExecution *first = &g_array_index (all, SessionExecution, 0);
  executions_cell (g, 0, 1, first->name, false);
  executions_cell (g, 1, 1, _ ("Leads"), true);
  for (guint i = 1; i < all->len; ++i)
    executions_add_row (g, &g_array_index (all, SessionExecution, i), first->source, 1 + (int) i);
  gtk_container_add (GTK_CONTAINER (gtk_dialog_get_content_area (GTK_DIALOG (g->window))), g->grid);
  g->told = g_signal_connect_swapped (d, "program", G_CALLBACK (executions_fill), g);
  g_object_set_data_full (G_OBJECT (g->window), "dialog", g, executions_dialog_free);
  g_signal_connect_object (d, "opened", G_CALLBACK (gtk_widget_destroy), g->window, G_CONNECT_SWAPPED);
  g_signal_connect (g->window, "response", G_CALLBACK (gtk_widget_destroy), NULL);
  executions_fill (g);
  gtk_widget_show_all (g->grid);
  gtk_window_present (GTK_WINDOW (g->window));
}
