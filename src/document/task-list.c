/* SPDX-License-Identifier: Apache-2.0 */
#include "document/task-list.h"
#include "eve/words.h"
#include <string.h>

#define MOST 400 /* are listed at once; typing finds the others */

typedef struct TaskList {
  ScopeDocument *d;
  GtkEntry *field;
  char *box;
  TaskListTold told;
  gpointer data;
  GtkWidget *button, *popover, *search, *list, *more;
  char **chosen; /* as the field names them */
  bool filling;
} TaskList;

bool
task_list_is_for (const char *setting)
{
  return strcmp (setting, "tasks") == 0 || strcmp (setting, "hidden") == 0;
}

static TraceSource *
task_list_source_of (const TaskList *l)
{
  EveProgram *p = scope_document_is_open (l->d) ? scope_document_program (l->d) : NULL;
  EveComponent *c = p && l->box ? eve_find (p, l->box) : NULL, *reader = c ? session_reader_above (c) : NULL;
  TraceSource *own = reader ? session_source_of (reader) : NULL;

  return own ? own : scope_document_source (l->d);
}

static bool
task_list_is_named (const TaskList *l, const TraceTask *t, const char *name)
{
  return strcmp (name, t->id) == 0 || (t->nickname && *t->nickname && strcmp (name, t->nickname) == 0);
}

static bool
task_list_is_chosen (const TaskList *l, const TraceTask *t)
{
  for (guint i = 0; l->chosen && l->chosen[i]; ++i)
    if (task_list_is_named (l, t, l->chosen[i]))
      return true;
  return false;
}

static void
task_list_read_field (TaskList *l)
{
  g_strfreev (l->chosen);
  l->chosen = g_strsplit (gtk_entry_get_text (l->field), ",", -1);
  for (guint i = 0; l->chosen[i]; ++i)
    g_strstrip (l->chosen[i]);
}

static void
ticked (GtkToggleButton *tick, TaskList *l)
{
  const char *id = g_object_get_data (G_OBJECT (tick), "task");
  bool on = gtk_toggle_button_get_active (tick);
  g_autoptr (GString) text = g_string_new (NULL);
  TraceSource *s = task_list_source_of (l);

  if (l->filling || !s)
    return;
  for (guint i = 0; l->chosen[i]; ++i) {
    bool same = false;
    for (uint32_t t = 0; !on && !same && t < s->tasks->len; ++t)
      same = strcmp (trace_task (s, t)->id, id) == 0 && task_list_is_named (l, trace_task (s, t), l->chosen[i]);
    if (*l->chosen[i] && !same)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", l->chosen[i]);
  }
  if (on)
    g_string_append_printf (text, "%s%s", text->len ? ", " : "", id);
  gtk_entry_set_text (l->field, text->str);
  task_list_read_field (l);
  l->told (text->str, l->data);
}

static void
task_list_fill (TaskList *l)
{
  TraceSource *s = task_list_source_of (l);
  g_autofree char *wanted = g_utf8_casefold (gtk_entry_get_text (GTK_ENTRY (l->search)), -1);
  guint n = 0, left = 0;

  l->filling = true;
  gtk_container_foreach (GTK_CONTAINER (l->list), (GtkCallback) (void (*) (void)) gtk_widget_destroy, NULL);
  for (uint32_t i = 0; s && i < s->tasks->len; ++i) {
    const TraceTask *t = trace_task (s, i);
    bool named = t->nickname && *t->nickname;
    g_autofree char *label = named ? g_strdup_printf ("%s  %s", t->id, t->nickname) : g_strdup (t->id),
                    *plain = g_utf8_casefold (label, -1);
    if (*wanted && !strstr (plain, wanted))
      continue;
    if (n == MOST) {
      ++left;
      continue;
    }
    ++n;
    GtkWidget *tick = gtk_check_button_new_with_label (label);
    g_object_set_data_full (G_OBJECT (tick), "task", g_strdup (t->id), g_free);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (tick), task_list_is_chosen (l, t));
    g_signal_connect (tick, "toggled", G_CALLBACK (ticked), l);
    gtk_container_add (GTK_CONTAINER (l->list), tick);
  }
  l->filling = false;
  gtk_widget_show_all (l->list);
  g_autofree char *more = left ? g_strdup_printf (_ ("%u more: type to find them"), left)
                          : n  ? g_strdup ("")
                               : g_strdup (*wanted ? _ ("No task has this in its name")
                                                   : _ ("The trace has told of no task yet"));
  gtk_label_set_text (GTK_LABEL (l->more), more);
  gtk_widget_set_visible (l->more, *more != 0);
}

static void
on_open (GtkToggleButton *button, TaskList *l)
{
  if (!gtk_toggle_button_get_active (button))
    return;
  task_list_read_field (l);
  gtk_entry_set_text (GTK_ENTRY (l->search), "");
  task_list_fill (l);
}

static void
list_free (gpointer data)
{
  TaskList *l = data;

  g_strfreev (l->chosen);
  g_free (l->box);
  g_object_unref (l->d);
  g_free (l);
}

GtkWidget *
task_list_button_new (ScopeDocument *d, GtkEntry *field, const char *box, TaskListTold told, gpointer data)
{
  TaskList *l = g_new0 (TaskList, 1);
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4), *scrolled = gtk_scrolled_window_new (NULL, NULL);

  l->d = g_object_ref (d);
  l->field = field;
  l->box = g_strdup (box);
  l->told = told;
  l->data = data;
  l->button = gtk_menu_button_new ();
  gtk_container_add (GTK_CONTAINER (l->button),
                     gtk_image_new_from_icon_name ("view-list-symbolic", GTK_ICON_SIZE_MENU));
  gtk_widget_set_tooltip_text (l->button, _ ("Choose from the tasks"));
  atk_object_set_name (gtk_widget_get_accessible (l->button), _ ("Choose from the tasks"));
  l->popover = gtk_popover_new (l->button);
  l->search = gtk_search_entry_new ();
  atk_object_set_name (gtk_widget_get_accessible (l->search), _ ("Find a task"));
  l->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  l->more = gtk_label_new ("");
  gtk_widget_set_no_show_all (l->more, TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), 320);
  gtk_container_add (GTK_CONTAINER (scrolled), l->list);
  gtk_container_set_border_width (GTK_CONTAINER (column), 8);
  gtk_box_pack_start (GTK_BOX (column), l->search, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (column), scrolled, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (column), l->more, FALSE, FALSE, 0);
  gtk_container_add (GTK_CONTAINER (l->popover), column);
  gtk_widget_show_all (column);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (l->button), l->popover);
  g_object_set_data_full (G_OBJECT (l->button), "task-list", l, list_free);
  g_signal_connect (l->button, "toggled", G_CALLBACK (on_open), l);
  g_signal_connect_swapped (l->search, "search-changed", G_CALLBACK (task_list_fill), l);
  return l->button;
}
