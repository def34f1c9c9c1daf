/* SPDX-License-Identifier: Apache-2.0 */
/* find.c - the bar that searches a view's text and narrows it to kinds and tasks.
 *
 * A search over millions of events goes on a few milliseconds at a time, below drawing, and can be given up.  Filters
 * are settings of the view (`kinds`, `tasks`), so that they are kept, undone and exported like any other. */
#include <string.h>
#include "document/fold-box.h"
#include "eve/words.h"
#include "document/task-list.h"
#include "panes/pane.h"
#include "statistics/list.h"

#define SLICE_NS (4 * 1000000)
#define ABOVE 4 /* lines before the one that was found */

typedef struct FindBar {
  ScopePicture *picture;
  GtkWidget *bar, *row, *entry, *status, *kinds, *tasks, *list;
  ViewSearch search;
  uint64_t found; /* event; UINT64_MAX: nothing yet */
  bool filling;
  guint worker;
} FindBar;

static FindBar *
find_of (GtkWidget *bar)
{
  return g_object_get_data (G_OBJECT (bar), "find");
}

static void
find_stop (FindBar *f)
{
  if (f->worker != 0)
    g_source_remove (f->worker);
  f->worker = 0;
}

static void
find_say (FindBar *f, const char *text)
{
  gtk_label_set_text (GTK_LABEL (f->status), text);
}

/* ---- searching ----------------------------------------------------------------------------------------- */

static void
show_found (FindBar *f)
{
  PictureShown shown = *picture_shown (f->picture);
  const View *view = picture_view (f->picture);
  ViewScene scene;

  f->found = f->search.event;
  shown.event = f->search.event;
  shown.follow = false;
  picture_show (f->picture, shown);
  picture_scene (f->picture, &scene);
  if (view->scroll (picture_component (f->picture), &scene, -ABOVE, &shown.event))
    picture_show (f->picture, shown);
  picture_point_out (f->picture, f->found);
  g_autofree char *text = g_strdup_printf (_ ("event %" PRIu64),
                                           f->found + 1); /* the first is event 1, as everywhere in the window */
  find_say (f, text);
}

/* The trace that the picture is of. */
static const TraceSource *
find_source_of (FindBar *f)
{
  ViewScene scene;

  picture_scene (f->picture, &scene);
  return scene.source;
}

static gboolean
find_go_on (gpointer data)
{
  FindBar *f = data;
  const TraceSource *source = find_source_of (f);
  const View *view = picture_view (f->picture);
  g_autoptr (GError) error = NULL;
  ViewScene scene;

  if (picture_component (f->picture) == NULL || source == NULL)
    return f->worker = 0, G_SOURCE_REMOVE;
  picture_scene (f->picture, &scene);
  switch (view->find (picture_component (f->picture), &scene, &f->search, SLICE_NS, &error)) {
  case VIEW_SEARCHING: {
    double share = source->n_events > 0 ? (double) f->search.event / (double) source->n_events : 0;
    g_autofree char *text = g_strdup_printf (_ ("searching, at %.0f\u2009%%"), 100 * share);
    find_say (f, text);
    return G_SOURCE_CONTINUE;
  }
  case VIEW_FOUND:
    f->worker = 0;
    show_found (f);
    break;
  case VIEW_NOT_FOUND:
    f->worker = 0;
    find_say (f, error != NULL ? error->message : f->search.backward ? _ ("none before") : _ ("no more"));
    break;
  }
  return G_SOURCE_REMOVE;
}

void
find_bar_go (GtkWidget *bar, bool backward)
{
  FindBar *f = find_of (bar);
  const View *view = picture_view (f->picture);
  PictureShown shown = *picture_shown (f->picture);
  ViewScene scene;

  gtk_widget_show (bar);
  if (picture_component (f->picture) == NULL || !scope_document_is_open (picture_document (f->picture)))
    return;
  find_stop (f);
  /* From what was found last, else from what is seen. */
  picture_scene (f->picture, &scene);
  f->search.backward = backward;
  f->search.text = gtk_entry_get_text (GTK_ENTRY (f->entry));
  if (f->found != UINT64_MAX) {
    if (backward && f->found == 0)
      return find_say (f, _ ("none before"));
    f->search.event = backward ? f->found - 1 : f->found + 1;
  } else {
    f->search.event = shown.event;
    if (shown.event == UINT64_MAX && !view->scroll (picture_component (f->picture), &scene, 0, &f->search.event))
      f->search.event = 0;
  }
  find_say (f, _ ("searching"));
  f->worker = g_idle_add_full (160, find_go_on, f, NULL);
}

void
find_bar_open (GtkWidget *bar)
{
  gtk_widget_show (bar);
  gtk_widget_grab_focus (find_of (bar)->entry);
}

static void
close_bar (GtkWidget *w, FindBar *f)
{
  find_stop (f);
  gtk_widget_hide (f->bar);
  gtk_widget_grab_focus (GTK_WIDGET (f->picture));
}

static void
on_typed (GtkSearchEntry *e, FindBar *f)
{
  find_stop (f);
  f->found = UINT64_MAX;
  if (*gtk_entry_get_text (GTK_ENTRY (e)) != '\0')
    find_bar_go (f->bar, false);
  else
    find_say (f, "");
}

static void
find_on_next (GtkWidget *w, FindBar *f)
{
  find_bar_go (f->bar, false);
}

static void
on_previous (GtkWidget *w, FindBar *f)
{
  find_bar_go (f->bar, true);
}

/* ---- narrowing ----------------------------------------------------------------------------------------- */

static void
find_set (FindBar *f, const char *setting, const char *value)
{
  ScopeDocument *d = picture_document (f->picture);
  g_autoptr (GError) error = NULL;
  g_autofree char *old = eve_get (picture_component (f->picture), setting), *what = NULL;

  if (g_strcmp0 (old, value) == 0)
    return;
  what = g_strdup_printf (_ ("Change %s of %s"), setting, eve_name (picture_component (f->picture)));
  scope_document_begin_edit (d, what);
  if (!eve_set (picture_component (f->picture), setting, value, &error))
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", error->message);
  scope_document_end_edit (d);
  f->found = UINT64_MAX;
}

static void
on_tasks (GtkEntry *e, FindBar *f)
{
  find_set (f, "tasks", gtk_entry_get_text (e));
}

static gboolean
on_tasks_left (GtkWidget *w, GdkEventFocus *e, FindBar *f)
{
  if (picture_component (f->picture) != NULL)
    on_tasks (GTK_ENTRY (w), f);
  return FALSE;
}

/* All ticked, or none, is no filter. */
static void
find_on_kind (GtkToggleButton *b, FindBar *f)
{
  g_autoptr (GString) kinds = g_string_new (NULL);
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (f->list));
  bool all = true;

  if (f->filling)
    return;
  for (GList *i = children; i != NULL; i = i->next) {
    GtkToggleButton *toggle = GTK_TOGGLE_BUTTON (i->data);
    if (gtk_toggle_button_get_active (toggle))
      g_string_append_printf (kinds, "%s%s", kinds->len > 0 ? ", " : "", gtk_button_get_label (GTK_BUTTON (toggle)));
    else
      all = false;
  }
  find_set (f, "kinds", all ? "" : kinds->str);
}

static void
fill_kinds (GtkToggleButton *b, FindBar *f)
{
  const TraceSource *source = find_source_of (f);
  g_autofree char *chosen = eve_get (picture_component (f->picture), "kinds");
  g_autoptr (GList) old = gtk_container_get_children (GTK_CONTAINER (f->list));

  f->filling = true;
  for (GList *i = old; i != NULL; i = i->next)
    gtk_widget_destroy (i->data);
  for (uint32_t k = 0; source != NULL && k < source->n_kinds; k++) {
    GtkWidget *check = gtk_check_button_new_with_label (source->kinds[k].name);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (check),
                                  chosen == NULL || *chosen == '\0' || stats_list_has (chosen, source->kinds[k].name));
    g_signal_connect (check, "toggled", G_CALLBACK (find_on_kind), f);
    gtk_box_pack_start (GTK_BOX (f->list), check, FALSE, FALSE, 0);
  }
  gtk_widget_show_all (f->list);
  f->filling = false;
}

static void
set_all_kinds (FindBar *f, bool on)
{
  g_autoptr (GList) children = gtk_container_get_children (GTK_CONTAINER (f->list));

  f->filling = true;
  for (GList *i = children; i != NULL; i = i->next)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (i->data), on);
  f->filling = false;
  if (on)
    find_set (f, "kinds", "");
}

static void
on_all (GtkButton *b, FindBar *f)
{
  set_all_kinds (f, true);
}

static void
on_none (GtkButton *b, FindBar *f)
{
  set_all_kinds (f, false);
}

static GtkWidget *
kinds_button (FindBar *f)
{
  GtkWidget *button = gtk_menu_button_new (), *popover = gtk_popover_new (button),
            *scroll = gtk_scrolled_window_new (NULL, NULL), *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4),
            *row = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 4), *all = gtk_button_new_with_label (_ ("All")),
            *none = gtk_button_new_with_label (_ ("None"));

  gtk_button_set_label (GTK_BUTTON (button), _ ("Kinds"));
  atk_object_set_name (gtk_widget_get_accessible (button), _ ("Kinds of events that are shown"));
  f->list = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_container_add (GTK_CONTAINER (scroll), f->list);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroll), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroll), 300);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_box_pack_start (GTK_BOX (row), all, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (row), none, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), row, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), scroll, TRUE, TRUE, 0);
  gtk_container_set_border_width (GTK_CONTAINER (box), 8);
  gtk_container_add (GTK_CONTAINER (popover), box);
  gtk_widget_show_all (box);
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  g_signal_connect (all, "clicked", G_CALLBACK (on_all), f);
  g_signal_connect (none, "clicked", G_CALLBACK (on_none), f);
  g_signal_connect (button, "toggled", G_CALLBACK (fill_kinds), f);
  return button;
}

/* ---- the bar ------------------------------------------------------------------------------------------- */

static void
find_free (gpointer data)
{
  FindBar *f = data;

  find_stop (f);
  g_free (f);
}

static GtkWidget *
find_button (FindBar *f, const char *icon, const char *name, GCallback pressed)
{
  GtkWidget *b = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_MENU);

  gtk_button_set_relief (GTK_BUTTON (b), GTK_RELIEF_NONE);
  gtk_widget_set_tooltip_text (b, name);
  atk_object_set_name (gtk_widget_get_accessible (b), name);
  g_signal_connect (b, "clicked", pressed, f);
  gtk_box_pack_start (GTK_BOX (f->row), b, FALSE, FALSE, 0);
  return b;
}

static void
find_show_tasks (GtkWidget *bar, FindBar *f)
{
  g_autofree char *tasks = f->tasks != NULL ? eve_get (picture_component (f->picture), "tasks") : NULL;

  if (tasks != NULL)
    gtk_entry_set_text (GTK_ENTRY (f->tasks), tasks);
}

static void
on_ticked (const char *text, gpointer find)
{
  find_set (find, "tasks", text);
}

GtkWidget *
find_bar_new (ScopePicture *picture)
{
  const EveClass *klass = eve_class (picture_component (picture));
  FindBar *f;

  if (picture_view (picture)->find == NULL || picture_view (picture)->scroll == NULL)
    return NULL;
  f = g_new0 (FindBar, 1);
  f->picture = picture;
  f->found = UINT64_MAX;
  f->bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  g_object_set_data_full (G_OBJECT (f->bar), "find", f, find_free);
  gtk_style_context_add_class (gtk_widget_get_style_context (f->bar), "pane-find");
  f->entry = gtk_search_entry_new ();
  gtk_entry_set_width_chars (GTK_ENTRY (f->entry), 16);
  gtk_entry_set_max_width_chars (GTK_ENTRY (f->entry), 40);
  gtk_entry_set_placeholder_text (GTK_ENTRY (f->entry), _ ("Find in the events"));
  atk_object_set_name (gtk_widget_get_accessible (f->entry), _ ("Find in the events"));
  GtkWidget *row = f->row = fold_box_new (2);
  gtk_box_pack_start (GTK_BOX (f->bar), row, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (row), f->entry, TRUE, TRUE, 0);
  g_signal_connect (f->entry, "search-changed", G_CALLBACK (on_typed), f);
  g_signal_connect (f->entry, "activate", G_CALLBACK (find_on_next), f);
  g_signal_connect (f->entry, "next-match", G_CALLBACK (find_on_next), f);
  g_signal_connect (f->entry, "previous-match", G_CALLBACK (on_previous), f);
  g_signal_connect (f->entry, "stop-search", G_CALLBACK (close_bar), f);
  find_button (f, "go-up-symbolic", _ ("Previous match"), G_CALLBACK (on_previous));
  find_button (f, "go-down-symbolic", _ ("Next match"), G_CALLBACK (find_on_next));
  if (eve_class_setting (klass, "kinds") >= 0) {
    f->kinds = kinds_button (f);
    gtk_box_pack_start (GTK_BOX (row), f->kinds, FALSE, FALSE, 0);
    fold_box_order (f->kinds, 3);
  }
  if (eve_class_setting (klass, "tasks") >= 0) {
    f->tasks = gtk_entry_new ();
    gtk_entry_set_width_chars (GTK_ENTRY (f->tasks), 8);
    gtk_entry_set_placeholder_text (GTK_ENTRY (f->tasks), _ ("All tasks"));
    gtk_widget_set_tooltip_text (f->tasks, _ ("Only these tasks: ids or names, commas between"));
    atk_object_set_name (gtk_widget_get_accessible (f->tasks), _ ("Tasks that are shown"));
    g_signal_connect (f->tasks, "activate", G_CALLBACK (on_tasks), f);
    g_signal_connect (f->tasks, "focus-out-event", G_CALLBACK (on_tasks_left), f);
    gtk_box_pack_start (GTK_BOX (row), f->tasks, FALSE, FALSE, 0);
    GtkWidget *list = task_list_button_new (picture_document (picture), GTK_ENTRY (f->tasks),
                                            eve_name (picture_component (picture)), on_ticked, f);
    gtk_box_pack_start (GTK_BOX (row), list, FALSE, FALSE, 0);
    fold_box_order (list, 1);
    fold_box_order (f->tasks, 2);
  }
  f->status = gtk_label_new ("");
  gtk_label_set_ellipsize (GTK_LABEL (f->status), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (f->status), 10);
  gtk_label_set_xalign (GTK_LABEL (f->status), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (f->status), "dim-label");
  gtk_box_pack_start (GTK_BOX (row), f->status, FALSE, FALSE, 6);
  fold_box_order (f->status, 4); /* the last to go: whether it was found */
  find_button (f, "window-close-symbolic", _ ("Close the search"), G_CALLBACK (close_bar));
  g_signal_connect (f->bar, "show", G_CALLBACK (find_show_tasks), f);
  gtk_widget_show_all (f->bar);
  gtk_widget_hide (f->bar);
  gtk_widget_set_no_show_all (f->bar, TRUE);
  return f->bar;
}
