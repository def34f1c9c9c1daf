/* SPDX-License-Identifier: Apache-2.0 */
/* The header bar: Open, the program, what is open, undo and redo, search, the menu. */
#include <string.h>
#include "document/active-row.h"
#include "window/commands.h"
#include "eve/words.h"
#include "panes/panes.h"
#include "time/time.h"
#include "window/window-private.h"

#define PROGRAM_CHARS 13 /* of its name that are seen at least */

typedef struct Header {
  ScopeWindow *window;
  ScopeDocument *doc;
  GtkWidget *bar, *open_text, *open_icon, *open_arrow, *program, *program_label, *undo, *redo, *steps;
  GtkWidget *search, *search_text, *search_icon;
  GtkWidget *menu, *view, *view_label, *view_menu; /* the menu of the view with the focus; NULL: not open */
  GMenu *recent, *recent_programs;
  GMenu *of_view; /* in the menu: that of the view, or nothing */
  bool has_view, room, tight;
} Header;

static GtkWidget *
window_header_icon_button (const char *icon, const char *name, const char *action)
{
  GtkWidget *b = gtk_button_new_from_icon_name (icon, GTK_ICON_SIZE_BUTTON);
  g_autofree char *key = command_key_label (action);
  g_autofree char *tip = key ? g_strdup_printf ("%s (%s)", name, key) : g_strdup (name);

  gtk_actionable_set_action_name (GTK_ACTIONABLE (b), action);
  gtk_widget_set_tooltip_text (b, tip);
  gtk_widget_set_focus_on_click (b, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (b), name);
  return b;
}

/* The arrow is returned. */
static GtkWidget *
labelled (GtkWidget *button, GtkWidget *label)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *arrow = gtk_image_new_from_icon_name ("pan-down-symbolic", GTK_ICON_SIZE_BUTTON);

  gtk_container_add (GTK_CONTAINER (box), label);
  gtk_container_add (GTK_CONTAINER (box), arrow);
  gtk_container_add (GTK_CONTAINER (button), box);
  gtk_widget_set_focus_on_click (button, FALSE);
  return arrow;
}

/* ---- menus -------------------------------------------------------------------------------------------------------------- */

/* A menu, not a popover, which would not show the keys. */
static void
set_menu (GtkWidget *button, GMenu *menu)
{
  gtk_menu_button_set_use_popover (GTK_MENU_BUTTON (button), FALSE);
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
}

static void
window_header_fill (GMenu *menu, GList *list, const char *action)
{
  int n = 0;

  g_menu_remove_all (menu);
  for (GList *l = list; l && n < 8; l = l->next, ++n) {
    g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);
    g_autofree char *label = scope_menu_label (gtk_recent_info_get_display_name (l->data));
    g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);
    g_menu_item_set_action_and_target (item, action, "s", path);
    g_menu_append_item (menu, item);
  }
  g_list_free_full (list, (GDestroyNotify) gtk_recent_info_unref);
}

/* Before it is wanted: a menu that changes while it comes up has the size of what it was. */
static void
fill_recent (Header *h)
{
  window_header_fill (h->recent, recent_list (RECENT_TRACES), "win.open-recent");
  window_header_fill (h->recent_programs, recent_list (RECENT_PROGRAMS), "win.use-program");
}

static GtkWidget *
open_button (Header *h)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new (), files = g_menu_new ();

  h->recent = g_menu_new ();
  h->recent_programs = g_menu_new ();
  g_menu_append (files, _ ("_Trace…"), "win.open");
  g_menu_append (files, _ ("_Program…"), "win.open-program");
  g_menu_append (files, _ ("_New program"), "win.new-program");
  g_menu_append (files, _ ("New from a _question…"), "win.ask");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (files));
  g_menu_append_section (menu, _ ("Recent"), G_MENU_MODEL (h->recent));
  g_menu_append_section (menu, _ ("Recent programs"), G_MENU_MODEL (h->recent_programs));
  set_menu (button, menu);
  atk_object_set_name (gtk_widget_get_accessible (button), _ ("Open"));
  g_signal_connect_swapped (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill_recent), h);
  fill_recent (h);
  h->open_text = gtk_label_new (_ ("Open"));
  h->open_icon = gtk_image_new_from_icon_name ("document-open-symbolic", GTK_ICON_SIZE_BUTTON);
  gtk_widget_set_no_show_all (h->open_icon, TRUE);
  GtkWidget *either = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_container_add (GTK_CONTAINER (either), h->open_text);
  gtk_container_add (GTK_CONTAINER (either), h->open_icon);
  h->open_arrow = labelled (button, either);
  return button;
}

static GtkWidget *
window_header_menu_button (Header *h)
{
  static const char *const items[][2] = {
    { N_ ("Undo"), "win.undo" }, /* here too: the buttons, and much of the time bar, go where there is little room */
    { N_ ("Redo"), "win.redo" },
    { N_ ("Time"), NULL },
    { NULL },
    { N_ ("New window"), "app.new-window" },
    { N_ ("Save"), "win.save" },
    { N_ ("Save as…"), "win.save-as" },
    { N_ ("Export the execution…"), "win.export-execution" },
    { N_ ("Write files of components…"), "win.write-files" },
    { N_ ("Ask a tool…"), "win.ask-tool" },
    { NULL },
    { N_ ("Add a view…"), "win.add-view" },
    { N_ ("Library"), "win.library" },
    { N_ ("Inspector, legend and marks"), "win.side" },
    { N_ ("Program alone"), "win.program-only" },
    { N_ ("Views alone"), "win.views-only" },
    { N_ ("Program in one line"), "win.program-folded" },
    { N_ ("Full screen"), "win.fullscreen" },
    { NULL },
    { N_ ("Executions in time…"), "win.executions" },
    { NULL },
    { N_ ("Export the view…"), "win.view-export" },
    { N_ ("Print the view…"), "win.view-print" },
    { NULL },
    { N_ ("Preferences"), "app.preferences" },
    { N_ ("Tour"), "win.tour" },
    { N_ ("Keys"), "win.shortcuts" },
    { N_ ("Documentation of this trace"), "win.documentation" },
    { N_ ("Help"), "win.help" },
    { N_ ("About Scope"), "win.about" },
  };
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new (), section = g_menu_new ();

  h->of_view = g_menu_new ();
  g_menu_append_section (menu, NULL, G_MENU_MODEL (h->of_view));
  for (guint i = 0; i < G_N_ELEMENTS (items); ++i) {
    if (items[i][0] && !items[i][1])
      g_menu_append_submenu (section, in_words (items[i][0]), time_bar_menu (h->window->time_bar));
    else if (items[i][0])
      g_menu_append (section, in_words (items[i][0]), items[i][1]);
    if (!items[i][0] || i + 1 == G_N_ELEMENTS (items)) {
      g_menu_append_section (menu, NULL, G_MENU_MODEL (section));
      g_object_unref (section);
      section = g_menu_new ();
    }
  }
  gtk_container_add (GTK_CONTAINER (button), gtk_image_new_from_icon_name ("open-menu-symbolic", GTK_ICON_SIZE_BUTTON));
  set_menu (button, menu);
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, _ ("Menu"));
  atk_object_set_name (gtk_widget_get_accessible (button), _ ("Menu"));
  return button;
}

/* ---- the menu of a view -------------------------------------------------------------------------------------------------- */

static void
show_view_menu (Header *h)
{
  gtk_widget_set_visible (h->view, h->has_view && h->room);
}

/* It is a menu of its own in the bar, and where there is no room for that one in the menu. */
static void
on_brought (Header *h, const char *view)
{
  const char *title = view ? in_words (view) : "";
  g_autofree char *spoken = g_strdup_printf (_ ("Menu of the view %s"), title),
                  *label = g_strdup_printf (_ ("View: %s"), title), *safe = scope_menu_label (label);

  h->has_view = view != NULL;
  g_menu_remove_all (h->of_view);
  if (view) {
    g_menu_append_submenu (h->of_view, safe, panes_brought (h->window->panes));
    gtk_label_set_text (GTK_LABEL (h->view_label), title);
    gtk_widget_set_tooltip_text (h->view, spoken);
    atk_object_set_name (gtk_widget_get_accessible (h->view), spoken);
  }
  show_view_menu (h);
}

/* With an event also where a screen reader asks, without which the toolkit complains. */
static void
open_view_menu (Header *h)
{
  g_autoptr (GdkEvent) asked = menu_event (h->view);

  if (h->view_menu)
    gtk_widget_destroy (h->view_menu);
  h->view_menu = gtk_menu_new_from_model (panes_brought (h->window->panes));
  g_object_add_weak_pointer (G_OBJECT (h->view_menu), (gpointer *) &h->view_menu);
  gtk_menu_attach_to_widget (GTK_MENU (h->view_menu), h->bar, NULL); /* of a button it would be hidden from readers */
  gtk_menu_popup_at_widget (GTK_MENU (h->view_menu), h->view, GDK_GRAVITY_SOUTH_WEST, GDK_GRAVITY_NORTH_WEST, asked);
}

static void
on_view_menu (GSimpleAction *action, GVariant *parameter, Header *h)
{
  gtk_window_present (GTK_WINDOW (h->window)); /* the focus may be in a window of a view */
  if (gtk_widget_get_visible (h->view))
    open_view_menu (h);
  else
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (h->menu), TRUE);
}

static void
watch_view (Header *h)
{
  g_autoptr (GSimpleAction) open = g_simple_action_new ("menu-of-view", NULL);

  h->view = gtk_button_new ();
  h->view_label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (h->view_label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars (GTK_LABEL (h->view_label), 16);
  labelled (h->view, h->view_label);
  g_signal_connect_swapped (h->view, "clicked", G_CALLBACK (open_view_menu), h);
  gtk_widget_show_all (h->view);
  gtk_widget_hide (h->view);
  gtk_widget_set_no_show_all (h->view, TRUE);
  gtk_widget_insert_action_group (GTK_WIDGET (h->window), "view", panes_brought_actions (h->window->panes));
  g_signal_connect (open, "activate", G_CALLBACK (on_view_menu), h);
  g_action_map_add_action (G_ACTION_MAP (h->window), G_ACTION (open));
  g_signal_connect_swapped (h->window->panes, "brought", G_CALLBACK (on_brought), h);
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------- */

/* Where it would be cut, and the title with it, the pointer is told. */
static void
tell_subtitle (Header *h)
{
  g_autofree char *subtitle = scope_document_is_open (h->doc) ? scope_document_subtitle (h->doc) : NULL;
  g_autofree char *both = subtitle ? g_strdup_printf ("%s\n%s", scope_document_title (h->doc), subtitle) : NULL;

  gtk_header_bar_set_has_subtitle (GTK_HEADER_BAR (h->bar), !h->tight);
  gtk_header_bar_set_subtitle (GTK_HEADER_BAR (h->bar), h->tight ? NULL : subtitle);
  gtk_widget_set_tooltip_text (h->bar, h->tight ? both : NULL);
}

static void
update_titles (Header *h)
{
  bool open = scope_document_is_open (h->doc);
  const char *title = open ? scope_document_title (h->doc) : "Scope";
  g_autofree char *whole = open ? g_strdup_printf ("%s – Scope", title) : g_strdup ("Scope");

  gtk_window_set_title (GTK_WINDOW (h->window), whole); /* first: it becomes the bar's title too */
  gtk_header_bar_set_title (GTK_HEADER_BAR (h->bar), title);
  tell_subtitle (h);
  gtk_widget_set_visible (h->program, open);
  gtk_widget_set_visible (h->undo, open);
  gtk_widget_set_visible (h->redo, open);
  if (!open)
    return;
  const char *name = eve_program_title (scope_document_program (h->doc));
  const char *path = scope_document_program_path (h->doc);
  g_autofree char *base = path ? g_path_get_basename (path) : g_strdup (_ ("Program"));
  g_autofree char *label = g_strdup_printf ("%s%s", *name ? in_words (name) : base,
                                            scope_document_modified (h->doc) ? " •" : "");
  g_autofree char *spoken = g_strdup_printf (_ ("Program: %s"), label);
  g_autofree char *whole_label = path ? g_strdup_printf ("%s\n%s", label, path) : g_strdup (label);
  gtk_label_set_text (GTK_LABEL (h->program_label), label);
  gtk_widget_set_tooltip_text (h->program, h->tight ? whole_label : path);
  atk_object_set_name (gtk_widget_get_accessible (h->program), spoken);
}

static void
tell_step (GtkWidget *button, const char *verb, const char *what, const char *action)
{
  g_autofree char *key = command_key_label (action);
  g_autofree char *tip = what ? g_strdup_printf (_ ("%s: %s (%s)"), verb, what, key)
                              : g_strdup_printf ("%s (%s)", verb, key);

  gtk_widget_set_tooltip_text (button, tip);
}

static void
update_steps (Header *h)
{
  EditHistory *history = scope_document_is_open (h->doc) ? scope_document_history (h->doc) : NULL;

  tell_step (h->undo, _ ("Undo"), history ? edit_history_undo_label (history) : NULL, "win.undo");
  tell_step (h->redo, _ ("Redo"), history ? edit_history_redo_label (history) : NULL, "win.redo");
}

static void
update (Header *h)
{
  update_titles (h);
  update_steps (h);
}

void
header_choose_program (GtkWidget *bar)
{
  Header *h = g_object_get_data (G_OBJECT (bar), "header");

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (h->program), TRUE);
}

/* What gives way first is what has a key and a name elsewhere: so the program keeps its own. */
void
header_set_room (GtkWidget *bar, int sides, bool tight)
{
  Header *h = g_object_get_data (G_OBJECT (bar), "header");

  gtk_widget_set_visible (h->search_text, sides > 1);
  gtk_widget_set_visible (h->search_icon, sides < 2);
  gtk_widget_set_visible (h->steps, sides > 0);
  gtk_widget_set_visible (h->open_text, !tight);
  gtk_widget_set_visible (h->open_icon, tight);
  gtk_widget_set_visible (h->open_arrow, !tight);
  if (h->tight != tight) {
    GtkStyleContext *style = gtk_widget_get_style_context (h->bar);
    h->tight = tight;
    (tight ? gtk_style_context_add_class : gtk_style_context_remove_class) (style, "tight");
    g_object_set (h->bar, "spacing", tight ? 2 : 6, NULL);
    update_titles (h);
  }
  gtk_label_set_width_chars (GTK_LABEL (h->program_label), tight ? PROGRAM_CHARS - 4 : PROGRAM_CHARS);
  h->room = sides > 1;
  show_view_menu (h);
}

static void
header_free (gpointer header)
{
  Header *h = header;

  g_signal_handlers_disconnect_by_data (h->doc, h);
  g_object_unref (h->doc);
  g_signal_handlers_disconnect_by_data (gtk_recent_manager_get_default (), h);
  g_object_unref (h->recent);
  g_object_unref (h->recent_programs);
  GtkWidget *menu = h->view_menu;
  g_clear_weak_pointer (&h->view_menu);
  if (menu)
    gtk_widget_destroy (menu);
  g_object_unref (h->of_view);
  g_free (h);
}

/* What is said of the button would lie over what it has opened. */
static void
on_program_opened (GtkWidget *button, Header *h)
{
  gtk_widget_set_has_tooltip (button, !gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (button)));
  gtk_widget_trigger_tooltip_query (button);
}

GtkWidget *
header_new (ScopeWindow *w)
{
  Header *h = g_new0 (Header, 1);
  GtkWidget *popover = gtk_popover_new (NULL);

  h->window = w;
  h->doc = g_object_ref (scope_window_document (w));
  h->bar = gtk_header_bar_new ();
  gtk_header_bar_set_show_close_button (GTK_HEADER_BAR (h->bar), TRUE);
  gtk_header_bar_set_has_subtitle (GTK_HEADER_BAR (h->bar), TRUE);
  gtk_header_bar_pack_start (GTK_HEADER_BAR (h->bar), open_button (h));

  h->program = gtk_menu_button_new ();
  h->program_label = gtk_label_new (NULL);
  gtk_label_set_ellipsize (GTK_LABEL (h->program_label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (h->program_label), PROGRAM_CHARS);
  gtk_label_set_max_width_chars (GTK_LABEL (h->program_label), 24);
  labelled (h->program, h->program_label);
  gtk_container_add (GTK_CONTAINER (popover), programs_new (w));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (h->program), popover);
  gtk_header_bar_pack_start (GTK_HEADER_BAR (h->bar), h->program);
  g_signal_connect (h->program, "toggled", G_CALLBACK (on_program_opened), h);

  watch_view (h);
  gtk_header_bar_pack_start (GTK_HEADER_BAR (h->bar), h->view);
  h->menu = window_header_menu_button (h);
  gtk_header_bar_pack_end (GTK_HEADER_BAR (h->bar), h->menu);
  g_autofree char *key = command_key_label ("win.search"), *text = g_strdup_printf (_ ("Search… (%s)"), key),
                  *tip = g_strdup_printf (_ ("Search commands, components, tasks, marks (%s)"), key);
  h->search = gtk_button_new ();
  h->search_text = gtk_label_new (text);
  h->search_icon = gtk_image_new_from_icon_name ("edit-find-symbolic", GTK_ICON_SIZE_BUTTON);
  gtk_widget_set_no_show_all (h->search_icon, TRUE);
  GtkWidget *either = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_container_add (GTK_CONTAINER (either), h->search_text);
  gtk_container_add (GTK_CONTAINER (either), h->search_icon);
  gtk_container_add (GTK_CONTAINER (h->search), either);
  gtk_widget_set_tooltip_text (h->search, tip);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (h->search), "win.search");
  gtk_widget_set_focus_on_click (h->search, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (h->search), _ ("Search"));
  gtk_header_bar_pack_end (GTK_HEADER_BAR (h->bar), h->search);
  h->redo = window_header_icon_button ("edit-redo-symbolic", _ ("Redo"), "win.redo");
  h->undo = window_header_icon_button ("edit-undo-symbolic", _ ("Undo"), "win.undo");
  h->steps = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (h->steps), "linked");
  gtk_container_add (GTK_CONTAINER (h->steps), h->undo);
  gtk_container_add (GTK_CONTAINER (h->steps), h->redo);
  gtk_header_bar_pack_end (GTK_HEADER_BAR (h->bar), h->steps);

  g_object_set_data_full (G_OBJECT (h->bar), "header", h, header_free);
  for (const char *const *signal = (const char *const[]){ "opened", "saved", "program", "film", NULL }; *signal;
       ++signal)
    g_signal_connect_swapped (h->doc, *signal, G_CALLBACK (update), h);
  gtk_widget_show_all (h->bar);
  update (h);
  return h->bar;
}
