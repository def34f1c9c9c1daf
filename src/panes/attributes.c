/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - all that the state graph holds of the selected task or link at the present; of several tasks, as those
 * of a group, their states, sums and means. */
#include <string.h>
#include "document/hand-over.h"
#include "panes/facts.h"
#include "eve/words.h"
#include "panes/message-facts.h"
#include "panes/pace.h"
#include "panes/panes.h"
#include "panes/tie.h"
#include "session/cut.h"
#include "views/paint.h"

#define ONE_LINE 16   /* characters that have room beside a name; the parts of longer texts stand below each other */
#define VALUE_CHARS 7 /* that a value has room for in any case */

typedef struct Attributes {
  ScopeDocument *d;
  GtkWidget *root, *title, *sentence, *grid, *back, *message, *more;
  GPtrArray *values;       /* of GtkLabel *, by attribute of the model; NULL: not of this scope */
  const StateModel *model; /* that the grid was made for */
  StateScope scope;
  uint32_t object;
  Pace pace;
} Attributes;

static const StateGraph *
attributes_graph_of (Attributes *a)
{
  return scope_document_graph (a->d);
}

/* A line for each attribute: name, value to the right, unit. */
static void
attributes_make_grid (Attributes *a, const StateModel *model, StateScope scope)
{
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (a->grid));
  int row = 0;

  if (a->model == model && a->scope == scope)
    return;
  for (GList *i = old; i != NULL; i = i->next)
    gtk_widget_destroy (i->data);
  g_ptr_array_set_size (a->values, 0);
  a->model = model;
  a->scope = scope;
  for (uint32_t i = 0; i < model->n_attributes; i++) {
    const StateAttribute *attribute = &model->attributes[i];
    g_autofree char *text = facts_label (attribute);
    GtkWidget *name, *value, *unit;
    if (attribute->scope != scope) {
      g_ptr_array_add (a->values, NULL);
      continue;
    }
    name = gtk_label_new (text);
    value = gtk_label_new ("");
    unit = gtk_label_new (attribute->unit);
    gtk_label_set_xalign (GTK_LABEL (name), 0);
    gtk_label_set_xalign (GTK_LABEL (value), 1);
    gtk_label_set_xalign (GTK_LABEL (unit), 0);
    scope_label_wrap_names (name);
    gtk_label_set_max_width_chars (GTK_LABEL (name), FACTS_NAME_CHARS);
    gtk_label_set_width_chars (GTK_LABEL (value), VALUE_CHARS);
    gtk_widget_set_valign (value, GTK_ALIGN_START);
    gtk_widget_set_valign (unit, GTK_ALIGN_START);
    gtk_label_set_selectable (GTK_LABEL (value), TRUE);
    gtk_widget_set_can_focus (value, FALSE);
    gtk_label_set_ellipsize (GTK_LABEL (value), PANGO_ELLIPSIZE_END);
    gtk_widget_set_hexpand (value, TRUE);
    gtk_style_context_add_class (gtk_widget_get_style_context (name), "dim-label");
    gtk_style_context_add_class (gtk_widget_get_style_context (unit), "dim-label");
    gtk_style_context_add_class (gtk_widget_get_style_context (value), "number");
    g_autofree char *told = g_strdup_printf (_ ("%s\nDrag it onto a picture or the legend, and it is seen there"),
                                             in_words (attribute->doc));
    gtk_widget_set_tooltip_text (name, told);
    atk_object_set_name (gtk_widget_get_accessible (value), text);
    GtkWidget *source = gtk_event_box_new (); /* a label has no window to be dragged from */
    gtk_event_box_set_visible_window (GTK_EVENT_BOX (source), FALSE);
    gtk_container_add (GTK_CONTAINER (source), name);
    g_autofree char *whole = g_strdup_printf (_ ("Attribute %s"), text);
    atk_object_set_name (gtk_widget_get_accessible (source), whole);
    tie_make_source (source, scope == STATE_NODE ? LOOK_TASK : LOOK_LINK, attribute->name);
    gtk_grid_attach (GTK_GRID (a->grid), source, 0, row, 1, 1);
    gtk_grid_attach (GTK_GRID (a->grid), value, 1, row, 1, 1);
    gtk_grid_attach (GTK_GRID (a->grid), unit, 2, row++, 1, 1);
    g_ptr_array_add (a->values, value);
  }
  gtk_widget_show_all (a->grid);
}

static void
show_values (Attributes *a, const StateGraph *g)
{
  for (uint32_t i = 0; i < a->values->len; i++) {
    if (a->values->pdata[i] == NULL)
      continue;
    g_autofree char *text = facts_value (g, i, a->object, scope_document_at (a->d));
    GtkWidget *value = a->values->pdata[i];
    gtk_label_set_text (GTK_LABEL (value), *text != '\0' ? text : "\u2013");
    gtk_widget_set_tooltip_text (value, strlen (text) > 16 ? text : NULL);
    atk_object_set_description (gtk_widget_get_accessible (value), text);
  }
}

static void
show_several (Attributes *a, const StateGraph *g, const uint32_t *nodes, uint32_t n)
{
  for (uint32_t i = 0; i < a->values->len; i++) {
    if (a->values->pdata[i] == NULL)
      continue;
    g_autofree char *range = NULL, *text = facts_of_several (g, i, nodes, n, scope_document_at (a->d), &range);
    g_autofree char *all = range != NULL ? paint_joined (text, range) : g_strdup (text);
    GtkWidget *value = a->values->pdata[i];
    g_auto (GStrv) parts = g_strsplit (text, ", ", -1);
    g_autofree char *below = strlen (text) > ONE_LINE && g->model->attributes[i].kind != STATE_TEXT
                                 ? g_strjoinv ("\n", parts)
                                 : g_strdup (text);
    gtk_label_set_text (GTK_LABEL (value), *below != '\0' ? below : "\u2013");
    gtk_widget_set_tooltip_text (value, all);
    atk_object_set_description (gtk_widget_get_accessible (value), all);
  }
}

static void
attributes_say (Attributes *a, const char *sentence)
{
  gtk_label_set_text (GTK_LABEL (a->sentence), sentence != NULL ? sentence : "");
  gtk_widget_set_visible (a->sentence, sentence != NULL);
  gtk_widget_set_visible (a->grid, sentence == NULL);
  gtk_widget_set_visible (a->back, sentence == NULL && a->scope == STATE_NODE && a->object != TRACE_NONE);
}

/* "node1: 32 tasks" of all that are in a group, and of no others; else "fft 3 and 31 more". */
static char *
title_of_several (Attributes *a, TraceSource *s, uint32_t n_tasks)
{
  Session *session = scope_document_session (a->d);
  ViewScene scene = { 0 };
  bool exact = false;

  scope_document_scene (a->d, &scene);
  scene.source = s;
  const Groups *groups = session != NULL ? session_groups (session, &scene) : NULL;
  uint32_t group = groups != NULL ? groups_around (groups, scope_document_selection (a->d), s->number, &exact)
                                  : TRACE_NONE;
  g_autofree char *digits = g_strdup_printf ("%u", n_tasks), *number = paint_in_threes (digits, false);
  if (group == TRACE_NONE || !exact) {
    g_autofree char *first = facts_task (s, scope_document_selected_task (a->d));
    return g_strdup_printf (_ ("%s and %u more"), first, n_tasks - 1);
  }
  g_autoptr (GString) path = g_string_new (NULL);
  groups_path (groups, group, path);
  return g_strdup_printf (P_ ("%s: %s task", "%s: %s tasks", n_tasks), path->str, number);
}

/* Whether that is what is selected: several tasks, and nothing else. */
static bool
show_tasks (Attributes *a, const StateGraph *g, TraceSource *s)
{
  const TraceRefs *selected = scope_document_selection (a->d);
  uint32_t n_nodes, n_tasks;

  if (trace_refs_n (selected) < 2)
    return false;
  gint64 begin = g_get_monotonic_time ();
  g_autofree uint32_t *nodes = facts_selected (g, s, selected, &n_nodes, &n_tasks);
  if (n_tasks < 2 || n_tasks < trace_refs_n (selected))
    return false;
  g_autofree char *title = title_of_several (a, s, n_tasks);
  gtk_label_set_text (GTK_LABEL (a->title), title);
  a->object = TRACE_NONE;
  if (g == NULL || n_nodes == 0) {
    attributes_say (a, g == NULL ? _ ("The program has no simulator whose state could be shown.")
                                 : _ ("None of them lives at this instant."));
    return true;
  }
  attributes_make_grid (a, g->model, STATE_NODE);
  show_several (a, g, nodes, n_nodes);
  attributes_say (a, NULL);
  if (n_nodes < n_tasks) { /* what the sums are of */
    g_autofree char *living = g_strdup_printf (_ ("Of the %u that live at this instant:"), n_nodes);
    gtk_label_set_text (GTK_LABEL (a->sentence), living);
    gtk_widget_show (a->sentence);
  }
  a->pace.took = g_get_monotonic_time () - begin;
  return true;
}

/* The last that was selected; of no type: nothing is. */
static TraceRef
attributes_last_selected (ScopeDocument *d)
{
  const TraceRefs *refs = scope_document_selection (d);
  uint32_t n = trace_refs_n (refs);

  return n > 0 ? trace_refs_at (refs, n - 1) : (TraceRef){ 0 };
}

static gboolean
attributes_show (gpointer data)
{
  Attributes *a = data;
  const StateGraph *g = attributes_graph_of (a);
  TraceSource *s = scope_document_view_source (a->d);
  uint32_t task = scope_document_selected_task (a->d), peer = scope_document_selected_peer (a->d);
  g_autofree char *title = NULL;

  a->pace.timer = 0;
  a->pace.took = 0;
  /* One of the trace that was open before is nothing here. */
  bool known = s != NULL && trace_task (s, task) != NULL && (peer == TRACE_NONE || trace_task (s, peer) != NULL);
  gtk_widget_set_visible (a->root, known);
  const TraceRef nothing = { 0 }, last = attributes_last_selected (a->d);
  TraceRef message = last.type == TRACE_REF_MESSAGE ? last : nothing;
  message_facts_show (a->message, known ? message : nothing);
  /* not while time moves, which is not what components are asked of */
  more_facts_show (a->more, known && scope_document_mode (a->d) != SCOPE_MODE_PLAYING ? last : nothing);
  if (!known)
    return G_SOURCE_REMOVE;
  if (peer == TRACE_NONE && show_tasks (a, g, s))
    return G_SOURCE_REMOVE;
  if (peer != TRACE_NONE) {
    g_autofree char *from = facts_task (s, task), *to = facts_task (s, peer);
    title = g_strdup_printf (message.type != TRACE_REF_NONE ? _ ("Message %s \u2192 %s") : "%s \u2192 %s", from, to);
  } else {
    title = facts_task (s, task);
  }
  uint32_t more = trace_refs_n (scope_document_selection (a->d)) - 1;
  g_autofree char *all = more > 0 ? g_strdup_printf (_ ("%s and %u more"), title, more) : g_strdup (title);
  gtk_label_set_text (GTK_LABEL (a->title), all);
  if (message.type != TRACE_REF_NONE) { /* it is an object of its own, told above; not the link that it goes over */
    attributes_say (a, "");
    gtk_widget_hide (a->sentence);
    a->object = TRACE_NONE;
    return G_SOURCE_REMOVE;
  }
  if (g == NULL) {
    attributes_say (a, _ ("The program has no simulator whose state could be shown."));
    return G_SOURCE_REMOVE;
  }
  a->object = peer != TRACE_NONE ? facts_edge (g, s, task, peer, a->object) : facts_node (g, s, task, a->object);
  if (a->object == TRACE_NONE || !state_present (g, peer != TRACE_NONE ? STATE_EDGE : STATE_NODE, a->object)) {
    g_autofree char *absent = facts_absent (a->d, s, peer != TRACE_NONE);
    attributes_say (a, absent);
    return G_SOURCE_REMOVE;
  }
  attributes_make_grid (a, g->model, peer != TRACE_NONE ? STATE_EDGE : STATE_NODE);
  show_values (a, g);
  attributes_say (a, NULL);
  return G_SOURCE_REMOVE;
}

static void
attributes_show_soon (Attributes *a)
{
  if (scope_document_selected_task (a->d) != TRACE_NONE)
    pace_soon (&a->pace, attributes_show, a);
}

static void
attributes_show_now (Attributes *a)
{
  pace_now (&a->pace, attributes_show, a);
}

static void
attributes_on_back (GtkButton *b, Attributes *a)
{
  scope_document_back_state (a->d, a->object);
}

static void
attributes_on_destroy (GtkWidget *root, Attributes *a)
{
  g_signal_handlers_disconnect_by_data (a->d, a);
  pace_stop (&a->pace);
  g_clear_object (&a->d);
}

static void
attributes_free (gpointer data)
{
  Attributes *a = data;

  g_ptr_array_unref (a->values);
  g_free (a);
}

static char *
give_selected (gpointer d, const char *kind, gsize *n, GError **error)
{
  return g_str_equal (kind, "text/csv") ? selected_csv (d, n) : selected_text (d, n);
}

static char *
name_of_selected (gpointer d)
{
  return g_strdup (_ ("What is selected"));
}

GtkWidget *
attributes_new (ScopeDocument *d)
{
  Attributes *a = g_new0 (Attributes, 1);

  a->d = g_object_ref (d);
  a->values = g_ptr_array_new ();
  a->object = TRACE_NONE;
  a->scope = STATE_GRAPH;
  a->root = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  gtk_style_context_add_class (gtk_widget_get_style_context (a->root), "panel");
  gtk_style_context_add_class (gtk_widget_get_style_context (a->root), "attributes");
  atk_object_set_name (gtk_widget_get_accessible (a->root), _ ("Attributes"));
  g_object_set_data_full (G_OBJECT (a->root), "attributes", a, attributes_free);
  a->title = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (a->title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (a->title), PANGO_ELLIPSIZE_END);
  gtk_style_context_add_class (gtk_widget_get_style_context (a->title), "panel-title");
  a->sentence = gtk_label_new ("");
  gtk_label_set_xalign (GTK_LABEL (a->sentence), 0);
  gtk_label_set_line_wrap (GTK_LABEL (a->sentence), TRUE);
  gtk_style_context_add_class (gtk_widget_get_style_context (a->sentence), "dim-label");
  a->grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (a->grid), 6);
  gtk_grid_set_row_spacing (GTK_GRID (a->grid), 1);
  a->back = gtk_button_new_with_label (_ ("Go to where it took this state"));
  gtk_widget_set_halign (a->back, GTK_ALIGN_START);
  g_signal_connect (a->back, "clicked", G_CALLBACK (attributes_on_back), a);
  static const char *const kinds[] = { "text/csv", "text/plain", NULL };
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4),
            *pin = gtk_button_new_from_icon_name ("view-pin-symbolic", GTK_ICON_SIZE_MENU);
  gtk_button_set_relief (GTK_BUTTON (pin), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (pin, _ ("Pin: an inspector that stays, to compare with others (P)"));
  atk_object_set_name (gtk_widget_get_accessible (pin), _ ("Pin what is selected"));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (pin), "win.inspect-pin");
  gtk_box_pack_start (GTK_BOX (head), a->title, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (head),
                      hand_over_new (d, &(HandOver){ kinds, give_selected, name_of_selected, d },
                                     _ ("Hand over what is selected: drag it into another program; a click copies it")),
                      FALSE, FALSE, 0);
  gtk_box_pack_end (GTK_BOX (head), pin, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (a->root), head);
  gtk_container_add (GTK_CONTAINER (a->root), a->sentence);
  gtk_container_add (GTK_CONTAINER (a->root), a->grid);
  gtk_container_add (GTK_CONTAINER (a->root), a->back);
  a->message = message_facts_new (d);
  a->more = more_facts_new (d);
  gtk_container_add (GTK_CONTAINER (a->root), a->message);
  gtk_container_add (GTK_CONTAINER (a->root), a->more);
  gtk_widget_show_all (a->root);
  gtk_widget_set_no_show_all (a->root, TRUE);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (attributes_show_now), a);
  g_signal_connect_swapped (d, "program", G_CALLBACK (attributes_show_soon), a);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (attributes_show_now), a);
  g_signal_connect_swapped (d, "time", G_CALLBACK (attributes_show_soon), a);
  g_signal_connect (a->root, "destroy", G_CALLBACK (attributes_on_destroy), a);
  attributes_show_now (a);
  return a->root;
}
