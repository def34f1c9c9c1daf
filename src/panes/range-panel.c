/* SPDX-License-Identifier: Apache-2.0 */
/* range-panel.c - the story of the range that is selected: states, messages and waits, of all, by task or by what tasks
 * have in common, beside those of a range that was kept to compare with. */
#include <string.h>
#include "document/story.h"
#include "eve/number.h"
#include "eve/words.h"
#include "panes/panes.h"
#include "session/places.h"
#include "views/paint.h"

#define SOON_MS 40   /* a drag that goes on is told of so often */
#define ROWS_MOST 12 /* the others are in the exported table */

typedef struct RangePanel {
  ScopeDocument *d;
  GtkWidget *root, *of, *when, *problem, *states, *messages, *changes, *whose, *rows, *note, *kept_line, *keep, *tools;
  Story *story, *kept; /* NULL: none */
  bool whole;          /* the film was complete when it was told: histories and names do not change any more */
  guint timer;
} RangePanel;

static GtkWidget *
range_panel_text_label (const char *text, float align, const char *class)
{
  GtkWidget *l = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (l), align);
  gtk_label_set_ellipsize (GTK_LABEL (l), align > 0 ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  if (class != NULL)
    gtk_style_context_add_class (gtk_widget_get_style_context (l), class);
  return l;
}

static void
empty (GtkWidget *container)
{
  gtk_container_foreach (GTK_CONTAINER (container), (GtkCallback) (void (*) (void)) gtk_widget_destroy, NULL);
}

/* What would be told as 0 has a decimal. */
static char *
percent_text (double share, int decimals)
{
  return number_share (share, share < 0.005 ? MAX (decimals, 1) : decimals, "\u2009");
}

/* ---- the states of all --------------------------------------------------------------------------------- */

/* What is compared with; NULL: nothing, or that same range. */
static const Story *
range_panel_beside (const RangePanel *p)
{
  const Story *s = p->story, *kept = p->kept;
  bool same = kept != NULL && kept->from == s->from && kept->to == s->to && kept->trace == s->trace
              && kept->execution == s->execution && kept->simulator == s->simulator;

  return same ? NULL : kept;
}

static double
range_panel_share_of (const Story *s, const char *state)
{
  int place = s != NULL ? story_state (s, state) : -1;
  double sum = 0;

  for (guint i = 0; place >= 0 && i < s->n_states; i++)
    sum += s->all->time[i];
  return sum > 0 ? s->all->time[place] / sum : 0;
}

static gboolean
draw_colour (GtkWidget *w, cairo_t *cr, RangePanel *p)
{
  ViewScene scene = { 0 };

  if (!scope_document_is_open (p->d))
    return FALSE;
  scope_document_scene (p->d, &scene);
  paint_source (cr, paint_state_named (&scene, STATE_NODE, g_object_get_data (G_OBJECT (w), "state")), 1);
  cairo_rectangle (cr, 0, (gtk_widget_get_allocated_height (w) - 10) / 2.0, 14, 10);
  cairo_fill (cr);
  return FALSE;
}

static void
range_panel_show_state (RangePanel *p, const char *state, const char *word, int at)
{
  const Story *s = p->story;
  int place = story_state (s, state);
  double share = range_panel_share_of (s, state), before = range_panel_share_of (range_panel_beside (p), state),
         ticks = place >= 0 ? s->all->time[place] : 0;

  g_autofree char *time = axis_duration (&s->clock, ticks), *percent = percent_text (share, 1),
                  *told = g_strdup_printf ("%s %s, %s", word, percent, time);
  GtkWidget *colour = gtk_drawing_area_new (), *name = range_panel_text_label (word, 0, NULL);
  gtk_widget_set_size_request (colour, 14, 12);
  g_object_set_data_full (G_OBJECT (colour), "state", g_strdup (state), g_free);
  g_signal_connect (colour, "draw", G_CALLBACK (draw_colour), p);
  gtk_widget_set_hexpand (name, TRUE);
  atk_object_set_description (gtk_widget_get_accessible (name), told);
  gtk_grid_attach (GTK_GRID (p->states), colour, 0, at, 1, 1);
  gtk_grid_attach (GTK_GRID (p->states), name, 1, at, 1, 1);
  gtk_grid_attach (GTK_GRID (p->states), range_panel_text_label (percent, 1, "number"), 2, at, 1, 1);
  if (range_panel_beside (p) != NULL) {
    g_autofree char *points = story_points_text (share - before);
    GtkWidget *l = range_panel_text_label (points, 1, "dim-label");
    gtk_widget_set_tooltip_text (name, told); /* there is no room for both, and names are to be told apart */
    gtk_widget_set_tooltip_text (l, _ ("Points of percent more than in the range that was kept"));
    gtk_grid_attach (GTK_GRID (p->states), l, 3, at, 1, 1);
  } else {
    gtk_grid_attach (GTK_GRID (p->states), range_panel_text_label (time, 1, "number"), 3, at, 1, 1);
  }
}

/* With those that nobody is in any more: differences add up to nothing. */
static void
show_states (RangePanel *p)
{
  const Story *s = p->story, *kept = range_panel_beside (p);
  int at = 0;

  empty (p->states);
  for (guint i = 0; i < s->n_states; i++)
    range_panel_show_state (p, s->states[i], s->words[i], at++);
  for (guint i = 0; kept != NULL && i < kept->n_states; i++)
    if (story_state (s, kept->states[i]) < 0)
      range_panel_show_state (p, kept->states[i], kept->words[i], at++);
  gtk_widget_show_all (p->states);
}

static bool
compares_rows (const RangePanel *p)
{
  const Story *beside = range_panel_beside (p);

  return beside != NULL && beside->by == p->story->by;
}

/* ---- whose ----------------------------------------------------------------------------------------------- */

static void
range_panel_on_row (GtkButton *b, RangePanel *p)
{
  scope_document_select_task (p->d, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (b), "task")));
}

/* One row; below it, what differs from the range that was kept. */
static void
range_panel_show_row (RangePanel *p, const StoryRow *row, const StoryChange *change, int at)
{
  const Story *s = p->story;
  g_autofree char *waits = axis_duration (&s->clock, row->waits),
                  *share = percent_text (row->lives > 0 ? row->waits / row->lives : 0, 0),
                  *received = scope_number (row->received);
  GtkWidget *name = range_panel_text_label (row == p->story->all ? in_words (row->name) : row->name, 0, NULL);

  gtk_label_set_width_chars (GTK_LABEL (name), 7);
  gtk_widget_set_hexpand (name, TRUE);
  if (row->task != TRACE_NONE) {
    GtkWidget *button = gtk_button_new ();
    gtk_container_add (GTK_CONTAINER (button), name);
    gtk_button_set_relief (GTK_BUTTON (button), GTK_RELIEF_NONE);
    gtk_style_context_add_class (gtk_widget_get_style_context (button), "inspector-link");
    gtk_widget_set_tooltip_text (button, _ ("Select it in all views"));
    atk_object_set_name (gtk_widget_get_accessible (button), row->name);
    g_object_set_data (G_OBJECT (button), "task", GUINT_TO_POINTER (row->task));
    g_signal_connect (button, "clicked", G_CALLBACK (range_panel_on_row), p);
    name = button;
  }
  gtk_grid_attach (GTK_GRID (p->rows), name, 0, at, 1, 1);
  gtk_grid_attach (GTK_GRID (p->rows), range_panel_text_label (waits, 1, "number"), 1, at, 1, 1);
  gtk_grid_attach (GTK_GRID (p->rows), range_panel_text_label (share, 1, "number"), 2, at, 1, 1);
  gtk_grid_attach (GTK_GRID (p->rows), range_panel_text_label (received, 1, "number"), 3, at, 1, 1);
  if (change != NULL) {
    g_autofree char *text = story_change_text (s, change), *told = g_strdup_printf ("%s: %s", change->name, text);
    GtkWidget *more = range_panel_text_label (text, 1, "dim-label");
    gtk_label_set_ellipsize (GTK_LABEL (more), PANGO_ELLIPSIZE_START); /* it makes the side no wider */
    gtk_widget_set_tooltip_text (more, _ ("More than in the range that was kept"));
    atk_object_set_name (gtk_widget_get_accessible (more), told);
    gtk_grid_attach (GTK_GRID (p->rows), more, 0, at + 1, 4, 1);
  }
}

static void
show_changed_rows (RangePanel *p, const GPtrArray *changes)
{
  const StoryRow nothing = { .task = TRACE_NONE };

  for (guint i = 0; i < MIN (changes->len, ROWS_MOST); i++) {
    const StoryChange *c = changes->pdata[i];
    StoryRow gone = nothing;
    gone.name = (char *) c->name;
    range_panel_show_row (p, c->now != NULL ? c->now : &gone, c, 2 * (int) i + 1);
  }
}

/* How many there are: the first of them are shown. */
static guint
show_rows (RangePanel *p, const GPtrArray *changes)
{
  static const char *const heads[] = { "", N_ ("waits"), N_ ("of life"), N_ ("received") };
  g_autoptr (GPtrArray) rows = story_rows (p->story, range_panel_beside (p));

  empty (p->rows);
  for (int i = 0; i < 4; i++)
    gtk_grid_attach (GTK_GRID (p->rows), range_panel_text_label (in_words (heads[i]), i > 0 ? 1 : 0, "dim-label"), i, 0,
                     1, 1);
  if (changes != NULL)
    show_changed_rows (p, changes);
  for (guint i = 0; changes == NULL && i < MIN (rows->len, ROWS_MOST); i++)
    range_panel_show_row (p, rows->pdata[i], NULL, (int) i + 1);
  gtk_widget_show_all (p->rows);
  return changes != NULL ? changes->len : rows->len;
}

/* What was kept, told by the same as now, where that is still known. */
static void
keep_up (RangePanel *p)
{
  const Story *s = p->story, *kept = p->kept;

  if (kept == NULL || kept->by == s->by || kept->simulator != s->simulator || kept->trace != s->trace
      || kept->execution != s->execution)
    return;
  Story *again = story_new (p->d, kept->from, kept->to, s->by, NULL);
  if (again != NULL) {
    story_free (p->kept);
    p->kept = again;
  }
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static char *
span_text (RangePanel *p, const Story *s)
{
  const TraceSource *source = scope_document_source (p->d);
  double width = (double) s->to - (double) s->from;
  int decimals = axis_span_decimals (&s->clock, width, 4);
  g_autofree char *a = axis_date (&source->clock, s->from, decimals), *b = axis_date (&source->clock, s->to, decimals),
                  *length = axis_duration (&s->clock, width);
  char *unit = g_strrstr (a, "\u2009");

  if (unit != NULL)
    *unit = '\0';
  return g_strdup_printf ("%s – %s · %s", a, b, length);
}

static void
show_messages (RangePanel *p)
{
  const Story *s = p->story;

  if (!s->has_messages) {
    gtk_label_set_text (GTK_LABEL (p->messages), "");
    return;
  }
  g_autofree char *sent = scope_number (s->all->sent), *received = scope_number (s->all->received),
                  *bytes = paint_bytes ((double) s->all->received_bytes);
  g_autofree char *text = g_strdup_printf (
      P_ ("%s message received, %s; %s sent", "%s messages received, %s; %s sent", s->all->received), received, bytes,
      sent);
  gtk_label_set_text (GTK_LABEL (p->messages), text);
}

/* With the story, for who listens. */
static void
show_changes (RangePanel *p, const GPtrArray *changes, const char *story)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  const Story *beside = range_panel_beside (p);
  g_autofree char *text = beside != NULL ? story_changes_text (p->story, beside, changes != NULL ? changes : none)
                                         : g_strdup (""),
                  *told = *text != '\0' ? g_strdup_printf ("%s\n%s", story, text) : g_strdup (story);

  gtk_label_set_text (GTK_LABEL (p->changes), text);
  gtk_widget_set_visible (p->changes, *text != '\0');
  atk_object_set_description (gtk_widget_get_accessible (p->root), told);
}

static void
show_note (RangePanel *p, guint listed)
{
  const Story *s = p->story;
  g_autoptr (GString) note = g_string_new (NULL);

  if (s->known < s->to)
    g_string_append (note, _ ("The film does not reach to its end yet. "));
  if (s->about)
    g_string_append (note, _ ("Summed up: off by a little at the edges. "));
  if (compares_rows (p) && listed > 1)
    g_string_append (note, _ ("Those whose waits differ most come first. "));
  if (listed > ROWS_MOST)
    g_string_append_printf (note, _ ("%u more are in the exported table. "), listed - ROWS_MOST);
  if (s->all->waits > 0 && !s->tells_waits)
    g_string_append (note,
                     _ ("Here a wait lasts until the call returns; where a program has wait states, until the other "
                        "has come."));
  gtk_label_set_text (GTK_LABEL (p->note), note->str);
  gtk_widget_set_visible (p->note, note->len > 0);
}

static gboolean
range_panel_show (gpointer data)
{
  RangePanel *p = data;
  g_autoptr (GError) error = NULL;
  int64_t from, to;
  int by = gtk_combo_box_get_active (GTK_COMBO_BOX (p->whose));

  p->timer = 0;
  p->whole = scope_document_film_state (p->d, NULL) == FILM_COMPLETE;
  g_clear_pointer (&p->story, story_free);
  bool has = scope_document_range (p->d, &from, &to);
  gtk_widget_set_visible (p->root, has);
  if (!has)
    return G_SOURCE_REMOVE;
  p->story = story_new (p->d, from, to, (StoryBy) CLAMP (by, 0, STORY_WAYS - 1), &error);
  gtk_label_set_text (GTK_LABEL (p->problem), error != NULL ? error->message : "");
  gtk_widget_set_visible (p->problem, error != NULL);
  for (GtkWidget *const *w =
           (GtkWidget *const[]){ p->states, p->messages, p->changes, p->tools, p->whose, p->rows, NULL };
       *w != NULL; w++)
    gtk_widget_set_visible (*w, p->story != NULL);
  gtk_widget_set_visible (p->note, false);
  if (p->story == NULL) {
    gtk_label_set_text (GTK_LABEL (p->when), "");
    gtk_widget_hide (p->of);
    return G_SOURCE_REMOVE;
  }
  g_autofree char *when = span_text (p, p->story), *told = story_text (p->story);
  gtk_label_set_text (GTK_LABEL (p->when), when);
  gtk_label_set_text (GTK_LABEL (p->of), p->story->execution != NULL ? p->story->execution : "");
  gtk_widget_set_visible (p->of, p->story->execution != NULL);
  keep_up (p);
  g_autoptr (GPtrArray) changes = compares_rows (p) ? story_changes (p->story, p->kept) : NULL;
  show_states (p);
  show_messages (p);
  show_changes (p, changes, told);
  show_note (p, show_rows (p, changes));
  if (p->kept != NULL) {
    g_autofree char *kept = span_text (p, p->kept),
                    *whose = p->kept->execution != NULL ? g_strconcat (p->kept->execution, ", ", kept, NULL)
                                                        : g_strdup (kept),
                    *line = range_panel_beside (p) != NULL
                                ? g_strdup_printf (_ ("Compared with %s"), whose)
                                : g_strdup (_ ("Kept: ranges that are selected next are compared with this one"));
    gtk_label_set_text (GTK_LABEL (p->kept_line), line);
  }
  gtk_widget_set_visible (p->kept_line, p->kept != NULL);
  gtk_button_set_label (GTK_BUTTON (p->keep), p->kept != NULL ? _ ("Keep This") : _ ("Keep"));
  return G_SOURCE_REMOVE;
}

static void
range_panel_show_soon (RangePanel *p)
{
  if (p->timer == 0)
    p->timer = g_timeout_add (SOON_MS, range_panel_show, p);
}

static void
range_panel_on_film (RangePanel *p)
{
  if (p->story == NULL || !p->whole)
    range_panel_show_soon (p);
}

static void
range_panel_on_opened (RangePanel *p)
{
  g_clear_pointer (&p->kept, story_free);
  range_panel_show (p);
}

/* ---- what is done with it -------------------------------------------------------------------------------- */

static void
range_panel_on_keep (GtkButton *b, RangePanel *p)
{
  if (p->story == NULL)
    return;
  story_free (p->kept);
  p->kept = g_steal_pointer (&p->story);
  range_panel_show (p);
}

/* A mark at each end; the first one has the story. */
static void
on_mark (GtkButton *b, RangePanel *p)
{
  Marks *marks = scope_document_marks (p->d);

  if (p->story == NULL)
    return;
  for (guint n = 1;; n++) {
    g_autofree char *begin = g_strdup_printf (_ ("Range %u"), n), *end = g_strdup_printf (_ ("Range %u, end"), n);
    if (marks != NULL && (marks_find (marks, begin) != NULL || marks_find (marks, end) != NULL))
      continue;
    g_autofree char *text = story_text (p->story), *notes = g_strdup_printf (_ ("Until @%s. %s"), end, text),
                    *back = g_strdup_printf (_ ("From @%s"), begin);
    if (scope_document_add_mark (p->d, begin, p->story->from, notes))
      scope_document_add_mark (p->d, end, p->story->to, back);
    return;
  }
}

static void
on_export (GtkButton *b, RangePanel *p)
{
  g_autoptr (GError) error = NULL;

  if (p->story == NULL)
    return;
  g_autofree char *csv = story_csv (p->story,
                                    range_panel_beside (p)); /* of what is shown now, whatever comes meanwhile */
  GtkWidget *dialog = gtk_file_chooser_dialog_new (
      _ ("Export the range"), GTK_WINDOW (gtk_widget_get_toplevel (p->root)), GTK_FILE_CHOOSER_ACTION_SAVE,
      _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Export"), GTK_RESPONSE_ACCEPT, NULL);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), documents != NULL ? documents : g_get_home_dir ());
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "range.csv");
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_autofree char *path = gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT
                              ? gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog))
                              : NULL;
  gtk_widget_destroy (dialog);
  if (path != NULL && !places_write (path, csv, -1, &error))
    scope_document_say (p->d, SCOPE_SAY_ERROR, _ ("The range is not exported: %s"), error->message);
}

static void
range_panel_on_clear (GtkButton *b, RangePanel *p)
{
  scope_document_set_range (p->d, 1, 0);
}

static void
on_zoom (GtkButton *b, RangePanel *p)
{
  GtkWidget *top = gtk_widget_get_toplevel (p->root);

  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "range-zoom", NULL);
}

/* ---- the widget -------------------------------------------------------------------------------------------- */

static void
range_panel_on_destroy (GtkWidget *root, RangePanel *p)
{
  g_signal_handlers_disconnect_by_data (p->d, p);
  g_clear_handle_id (&p->timer, g_source_remove);
}

static void
range_panel_free (gpointer data)
{
  RangePanel *p = data;

  story_free (p->story);
  story_free (p->kept);
  g_object_unref (p->d);
  g_free (p);
}

static GtkWidget *
range_panel_button (RangePanel *p, GtkWidget *to, const char *label, const char *tip, GCallback pressed)
{
  GtkWidget *b = gtk_button_new_with_label (label), *child = gtk_flow_box_child_new ();

  gtk_widget_set_tooltip_text (b, tip);
  gtk_widget_set_focus_on_click (b, FALSE);
  g_signal_connect (b, "clicked", pressed, p);
  gtk_widget_set_can_focus (child, FALSE);
  gtk_container_add (GTK_CONTAINER (child), b);
  gtk_container_add (GTK_CONTAINER (to), child);
  return b;
}

static GtkWidget *
grid_new (void)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 2);
  return grid;
}

static GtkWidget *
title_new (RangePanel *p)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4),
            *title = range_panel_text_label (_ ("Range"), 0, "panel-title"),
            *close = gtk_button_new_from_icon_name ("window-close-symbolic", GTK_ICON_SIZE_MENU);

  gtk_button_set_relief (GTK_BUTTON (close), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (close, _ ("No range (Escape in a view)"));
  atk_object_set_name (gtk_widget_get_accessible (close), _ ("No range"));
  g_signal_connect (close, "clicked", G_CALLBACK (range_panel_on_clear), p);
  gtk_box_pack_start (GTK_BOX (line), title, TRUE, TRUE, 0);
  gtk_box_pack_end (GTK_BOX (line), close, FALSE, FALSE, 0);
  return line;
}

GtkWidget *
range_panel_new (ScopeDocument *d)
{
  static const char *const ways[STORY_WAYS] = { N_ ("By task"), N_ ("By host"), N_ ("By program"), N_ ("By group") };
  RangePanel *p = g_new0 (RangePanel, 1);
  GtkWidget *buttons = gtk_flow_box_new (); /* in a second line before the side gets wider under the pointer */

  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (buttons), GTK_SELECTION_NONE);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (buttons), 4);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (buttons), 4);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (buttons), 4);
  p->d = g_object_ref (d);
  p->tools = buttons;
  p->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "panel");
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "attributes");
  atk_object_set_name (gtk_widget_get_accessible (p->root), _ ("Range"));
  g_object_set_data_full (G_OBJECT (p->root), "range", p, range_panel_free);
  gtk_style_context_add_class (gtk_widget_get_style_context (p->root), "range");
  gtk_style_context_add_class (gtk_widget_get_style_context (buttons), "range-tools");
  p->of = range_panel_text_label ("", 0, "scope-name"); /* of several executions, which */
  gtk_widget_set_no_show_all (p->of, TRUE);
  p->when = range_panel_text_label ("", 0, NULL);
  p->kept_line = range_panel_text_label ("", 0, "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->kept_line), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (p->kept_line), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->kept_line), 30);
  p->problem = range_panel_text_label ("", 0, "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->problem), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (p->problem), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->problem), 30);
  p->states = grid_new ();
  p->messages = range_panel_text_label ("", 0, NULL);
  gtk_label_set_line_wrap (GTK_LABEL (p->messages), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (p->messages), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->messages), 30);
  p->changes = range_panel_text_label ("", 0, "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->changes), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (p->changes), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->changes), 30);
  gtk_widget_set_tooltip_text (p->changes, _ ("More than in the range that was kept"));
  p->whose = gtk_combo_box_text_new ();
  for (int i = 0; i < STORY_WAYS; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (p->whose), in_words (ways[i]));
  gtk_combo_box_set_active (GTK_COMBO_BOX (p->whose), STORY_BY_TASK);
  gtk_widget_set_halign (p->whose, GTK_ALIGN_START);
  atk_object_set_name (gtk_widget_get_accessible (p->whose), _ ("Whose waits"));
  g_signal_connect_swapped (p->whose, "changed", G_CALLBACK (range_panel_show_soon), p);
  p->rows = grid_new ();
  p->note = range_panel_text_label ("", 0, "dim-label");
  gtk_label_set_line_wrap (GTK_LABEL (p->note), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (p->note), PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars (GTK_LABEL (p->note), 30);
  range_panel_button (p, buttons, _ ("Closer"), _ ("Views show this range alone (Z)"), G_CALLBACK (on_zoom));
  p->keep = range_panel_button (p, buttons, _ ("Keep"), _ ("Ranges that are selected next are compared with this one"),
                                G_CALLBACK (range_panel_on_keep));
  range_panel_button (p, buttons, _ ("Mark"), _ ("A mark at each end, with this story as its note"),
                      G_CALLBACK (on_mark));
  range_panel_button (p, buttons, "CSV…", _ ("Writes the whole table into a file"), G_CALLBACK (on_export));
  gtk_container_add (GTK_CONTAINER (p->root), title_new (p));
  for (GtkWidget *const *w = (GtkWidget *const[]){ p->of, p->when, p->kept_line, p->problem, buttons, p->states,
                                                   p->messages, p->changes, p->whose, p->rows, p->note, NULL };
       *w != NULL; w++)
    gtk_container_add (GTK_CONTAINER (p->root), *w);
  gtk_widget_show_all (p->root);
  gtk_widget_set_no_show_all (p->root, TRUE);
  gtk_widget_hide (p->root);
  g_signal_connect_swapped (d, "range", G_CALLBACK (range_panel_show_soon), p);
  g_signal_connect_swapped (d, "film", G_CALLBACK (range_panel_on_film), p);
  g_signal_connect_swapped (d, "program", G_CALLBACK (range_panel_show_soon), p); /* another box may tell of it */
  g_signal_connect_swapped (d, "opened", G_CALLBACK (range_panel_on_opened), p);
  g_signal_connect_swapped (d, "look", G_CALLBACK (gtk_widget_queue_draw), p->root);
  g_signal_connect (p->root, "destroy", G_CALLBACK (range_panel_on_destroy), p);
  return p->root;
}
