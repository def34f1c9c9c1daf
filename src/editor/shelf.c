/* SPDX-License-Identifier: Apache-2.0 */
/* shelf.c - the shelf below the library (document/shelf.h): things are dragged onto it from library, canvas, lists of
 * programs and file managers, and from it onto the canvas.  Enter adds what is chosen, or opens a program; Delete takes
 * it off, Alt and arrows move it; the menu key has all. */
#include <string.h>
#include "document/active-row.h"
#include "document/program-drawing.h"
#include "document/shelf.h"
#include "editor/canvas-private.h"
#include "eve/words.h"

#define THUMB_WIDTH 46
#define THUMB_HEIGHT 28
#define MOST_HEIGHT 230 /* px of the list; more is scrolled */
#define SOON_MS 60      /* the file was written: it is read then */

typedef struct Shelf {
  ScopeDocument *d;
  GtkWidget *box, *list;
  GFileMonitor *monitor;
  guint due;
  char *shown; /* what the rows are of: they are made anew, and lose the keys, only when it is another */
} Shelf;

static Shelf *
shelf_of (GtkWidget *inside)
{
  GtkWidget *top = gtk_widget_get_toplevel (inside), *box = g_object_get_data (G_OBJECT (top), "shelf");

  return box ? g_object_get_data (G_OBJECT (box), "shelf") : NULL;
}

static const char *
editor_shelf_what_of (GtkWidget *row)
{
  return g_object_get_data (G_OBJECT (row), "what");
}

/* ---- used ----------------------------------------------------------------------------------------------------------- */
static void
activate_later (Shelf *s, const char *action, const char *text)
{
  GtkWidget *top = gtk_widget_get_toplevel (s->box);

  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), action, g_variant_new_string (text));
}

static void
use (Shelf *s, GtkWidget *row)
{
  ShelfKind kind = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "kind"));

  if (kind != SHELF_PROGRAM && !scope_document_is_open (s->d))
    scope_document_say (s->d, SCOPE_SAY_NOTE, _ ("Open a trace first: components and parts are added to its program"));
  else
    activate_later (s,
                    kind == SHELF_PROGRAM ? "use-program"
                    : kind == SHELF_PART  ? "canvas-add-part"
                                          : "canvas-add-behind",
                    editor_shelf_what_of (row));
}

static void
editor_shelf_on_row (GtkListBox *list, GtkWidget *row, Shelf *s)
{
  use (s, row);
}

/* ---- changed -------------------------------------------------------------------------------------------------------- */
static void editor_shelf_fill (Shelf *s);

static void
editor_shelf_done (Shelf *s, bool ok, const GError *error)
{
  if (!ok)
    scope_document_say (s->d, SCOPE_SAY_WARNING, _ ("The shelf: %s"), error->message);
  editor_shelf_fill (s);
}

static void
take_off (Shelf *s, GtkWidget *row)
{
  g_autoptr (GError) error = NULL;
  int at = gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row));
  bool ok = shelf_remove (editor_shelf_what_of (row), &error);

  editor_shelf_done (s, ok, error);
  GtkListBoxRow *next = gtk_list_box_get_row_at_index (GTK_LIST_BOX (s->list), MAX (at - 1, 0));
  gtk_widget_grab_focus (next ? GTK_WIDGET (next) : s->list);
}

static void
editor_shelf_move (Shelf *s, GtkWidget *row, int by)
{
  g_autoptr (GError) error = NULL;
  int at = gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row)) + by;

  if (at < 0)
    return;
  bool ok = shelf_move (editor_shelf_what_of (row), (guint) at, &error);
  editor_shelf_done (s, ok, error);
  GtkListBoxRow *same = gtk_list_box_get_row_at_index (GTK_LIST_BOX (s->list), at);
  if (same)
    gtk_widget_grab_focus (GTK_WIDGET (same));
}

bool
shelf_put (GtkWidget *inside, ScopeDocument *d, const char *what)
{
  g_autoptr (GError) error = NULL;
  bool ok = shelf_add (what, &error);
  Shelf *s = shelf_of (inside);

  if (s)
    editor_shelf_done (s, ok, error);
  else if (!ok)
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The shelf: %s"), error->message);
  return ok;
}

/* ---- menu and keys ---------------------------------------------------------------------------------------------------- */
typedef struct Call {
  Shelf *s;
  GtkWidget *row;
  int by; /* moves so; 0: takes off */
} Call;

static void
call_free (gpointer call, GClosure *closure)
{
  g_object_unref (((Call *) call)->row);
  g_free (call);
}

static void
on_use (GtkMenuItem *item, Call *c)
{
  use (c->s, c->row);
}

static void
on_change (GtkMenuItem *item, Call *c)
{
  if (!gtk_widget_get_parent (c->row)) /* the list was made anew meanwhile */
    return;
  if (c->by)
    editor_shelf_move (c->s, c->row, c->by);
  else
    take_off (c->s, c->row);
}

static void
editor_shelf_add_item (GtkWidget *menu, Shelf *s, GtkWidget *row, const char *label, GCallback done_by, int by)
{
  GtkWidget *item = gtk_menu_item_new_with_label (label);
  Call *call = g_new (Call, 1);

  *call = (Call){ s, g_object_ref (row), by };
  gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
  g_signal_connect_data (item, "activate", done_by, call, call_free, 0);
}

static void
show_menu (Shelf *s, GtkWidget *row)
{
  GtkWidget *menu = gtk_menu_new ();
  bool program = g_object_get_data (G_OBJECT (row), "kind") == GUINT_TO_POINTER (SHELF_PROGRAM);

  editor_shelf_add_item (menu, s, row, program ? _ ("Open the program") : _ ("Add it to the program"),
                         G_CALLBACK (on_use), 0);
  editor_shelf_add_item (menu, s, row, _ ("Move up"), G_CALLBACK (on_change), -1);
  editor_shelf_add_item (menu, s, row, _ ("Move down"), G_CALLBACK (on_change), 1);
  editor_shelf_add_item (menu, s, row, _ ("Take off the shelf"), G_CALLBACK (on_change), 0);
  menu_show (menu, row, row);
}

static gboolean
on_popup (GtkWidget *row, Shelf *s)
{
  show_menu (s, row);
  return TRUE;
}

static gboolean
editor_shelf_on_press (GtkWidget *row, GdkEventButton *e, Shelf *s)
{
  if (!gdk_event_triggers_context_menu ((GdkEvent *) e))
    return FALSE;
  show_menu (s, row);
  return TRUE;
}

static gboolean
editor_shelf_on_key (GtkWidget *row, GdkEventKey *e, Shelf *s)
{
  bool alt = e->state & GDK_MOD1_MASK;

  if (e->keyval == GDK_KEY_Delete || e->keyval == GDK_KEY_KP_Delete)
    take_off (s, row);
  else if (alt && e->keyval == GDK_KEY_Up)
    editor_shelf_move (s, row, -1);
  else if (alt && e->keyval == GDK_KEY_Down)
    editor_shelf_move (s, row, 1);
  else
    return FALSE;
  return TRUE;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */
static GtkWidget *
spot_new (const Shelf *s, const ShelfItem *i)
{
  const EveType *t = class_colour_type (eve_registry_find (i->what));
  g_autofree char *markup = g_strdup_printf ("<span foreground=\"#%06x\">%s</span>",
                                             t ? paint_type_colour (t, scope_document_dark (s->d)) : 0x9a9996, "●");
  GtkWidget *spot = gtk_label_new (NULL);

  gtk_label_set_markup (GTK_LABEL (spot), markup);
  gtk_widget_set_size_request (spot, THUMB_WIDTH, THUMB_HEIGHT);
  return spot;
}

static GtkWidget *
editor_shelf_row_new (Shelf *s, const ShelfItem *i)
{
  GtkWidget *row = active_row_new (), *events = gtk_event_box_new (),
            *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8), *label = gtk_label_new (i->label);
  const char *kind = i->kind == SHELF_CLASS ? _ ("component") : i->kind == SHELF_PART ? _ ("part") : _ ("program");

  gtk_box_pack_start (GTK_BOX (box),
                      i->kind == SHELF_CLASS ? spot_new (s, i)
                                             : program_drawing_new (i->what, THUMB_WIDTH, THUMB_HEIGHT),
                      FALSE, FALSE, 0);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (i->gone)
    gtk_style_context_add_class (gtk_widget_get_style_context (label), "dim-label");
  gtk_box_pack_start (GTK_BOX (box), label, TRUE, TRUE, 0);
  g_object_set (box, "margin-start", 4, "margin-end", 6, "margin-top", 2, "margin-bottom", 2, NULL);
  gtk_event_box_set_visible_window (GTK_EVENT_BOX (events), FALSE);
  gtk_container_add (GTK_CONTAINER (events), box);
  gtk_container_add (GTK_CONTAINER (row), events);
  gtk_widget_set_tooltip_text (row, i->doc);
  g_object_set_data_full (G_OBJECT (row), "what", g_strdup (i->what), g_free);
  g_object_set_data (G_OBJECT (row), "kind", GUINT_TO_POINTER (i->kind));
  g_autofree char *told = g_strdup_printf (_ ("%s: %s"), kind, i->doc);
  atk_object_set_name (gtk_widget_get_accessible (row), i->label);
  atk_object_set_description (gtk_widget_get_accessible (row), told);
  shelf_drag_from (events, i->what, i->label);
  g_signal_connect (row, "key-press-event", G_CALLBACK (editor_shelf_on_key), s);
  g_signal_connect (row, "popup-menu", G_CALLBACK (on_popup), s);
  g_signal_connect (row, "button-press-event", G_CALLBACK (editor_shelf_on_press), s);
  gtk_widget_show_all (row);
  return row;
}

static void
editor_shelf_fill (Shelf *s)
{
  g_autoptr (GPtrArray) items = shelf_items ();
  g_autoptr (GList) rows = gtk_container_get_children (GTK_CONTAINER (s->list));
  g_autoptr (GString) shown = g_string_new (scope_document_dark (s->d) ? "dark" : "");

  for (guint i = 0; i < items->len; ++i) {
    const ShelfItem *it = items->pdata[i];
    g_string_append_printf (shown, "\n%s\t%s\t%s", it->what, it->label, it->doc);
  }
  if (g_strcmp0 (shown->str, s->shown) == 0)
    return;
  g_free (s->shown);
  s->shown = g_string_free (g_steal_pointer (&shown), FALSE);
  for (GList *l = rows; l; l = l->next)
    gtk_widget_destroy (l->data);
  for (guint i = 0; i < items->len; ++i)
    gtk_container_add (GTK_CONTAINER (s->list), editor_shelf_row_new (s, items->pdata[i]));
}

static gboolean
editor_shelf_on_due (gpointer shelf)
{
  Shelf *s = shelf;

  s->due = 0;
  editor_shelf_fill (s);
  return G_SOURCE_REMOVE;
}

/* By another window, or another Scope. */
static void
editor_shelf_on_written (Shelf *s)
{
  if (!s->due)
    s->due = g_timeout_add (SOON_MS, editor_shelf_on_due, s);
}

/* ---- dropped on it ------------------------------------------------------------------------------------------------------ */
static void
editor_shelf_on_drop (GtkWidget *box, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info,
                      guint time, Shelf *s)
{
  bool ok = false;
  if (!info) {
    g_autofree char *what = g_strndup ((const char *) gtk_selection_data_get_data (data),
                                       (gsize) MAX (gtk_selection_data_get_length (data), 0));
    ok = *what && shelf_put (box, s->d, what);
  } else {
    g_auto (GStrv) uris = gtk_selection_data_get_uris (data);
    for (char **uri = uris; uri && *uri; ++uri) {
      g_autofree char *path = g_filename_from_uri (*uri, NULL, NULL);
      ok |= path && shelf_put (box, s->d, path);
    }
  }
  gtk_drag_finish (context, ok, FALSE, time);
}

bool
shelf_under (GtkWidget *widget, double x, double y, bool light)
{
  Shelf *s = shelf_of (widget);
  int ox = 0, oy = 0;

  if (!s || !gtk_widget_get_mapped (s->box) || !gtk_widget_translate_coordinates (widget, s->box, 0, 0, &ox, &oy))
    return false;
  bool over = x + ox >= 0 && y + oy >= 0 && x + ox < gtk_widget_get_allocated_width (s->box)
              && y + oy < gtk_widget_get_allocated_height (s->box);
  if (light && over)
    gtk_drag_highlight (s->box);
  else
    gtk_drag_unhighlight (s->box);
  return over;
}

void
shelf_focus (GtkWidget *inside)
{
  Shelf *s = shelf_of (inside);
  GtkWidget *top = gtk_widget_get_toplevel (inside);

  if (!s)
    return;
  if (!gtk_widget_get_mapped (s->box) && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "library", NULL);
  GtkListBoxRow *first = gtk_list_box_get_row_at_index (GTK_LIST_BOX (s->list), 0);
  gtk_widget_grab_focus (first ? GTK_WIDGET (first) : s->list);
}

static void
on_realize (GtkWidget *box, gpointer unused)
{
  g_object_set_data (G_OBJECT (gtk_widget_get_toplevel (box)), "shelf", box);
}

static void
shelf_free (gpointer shelf)
{
  Shelf *s = shelf;

  g_clear_handle_id (&s->due, g_source_remove);
  g_clear_object (&s->monitor);
  g_signal_handlers_disconnect_by_data (s->d, s);
  g_object_unref (s->d);
  g_free (s->shown);
  g_free (s);
}

static void
editor_shelf_on_destroy (GtkWidget *box, gpointer unused)
{
  GtkWidget *top = gtk_widget_get_toplevel (box);

  if (g_object_get_data (G_OBJECT (top), "shelf") == box)
    g_object_set_data (G_OBJECT (top), "shelf", NULL);
}

GtkWidget *
editor_shelf_new (ScopeDocument *d)
{
  static const GtkTargetEntry targets[] = { { (char *) SHELF_DRAG, GTK_TARGET_SAME_APP, 0 },
                                            { (char *) "text/uri-list", 0, 1 } };
  Shelf *s = g_new0 (Shelf, 1);
  GtkWidget *title = gtk_label_new (_ ("Shelf")), *scroll = gtk_scrolled_window_new (NULL, NULL),
            *empty = gtk_label_new (
                _ ("Drag here what you want at hand: components, boxes of the program, parts, programs."));
  g_autofree char *path = shelf_file ();
  g_autoptr (GFile) file = g_file_new_for_path (path);

  s->d = g_object_ref (d);
  s->box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  s->list = gtk_list_box_new ();
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (title), "inspector-title");
  g_object_set (title, "margin-start", 10, "margin-top", 6, NULL);
  gtk_label_set_line_wrap (GTK_LABEL (empty), TRUE);
  gtk_label_set_xalign (GTK_LABEL (empty), 0);
  gtk_label_set_max_width_chars (GTK_LABEL (empty), 20);
  gtk_style_context_add_class (gtk_widget_get_style_context (empty), "dim-label");
  g_object_set (empty, "margin-start", 10, "margin-end", 10, "margin-bottom", 8, "margin-top", 2, NULL);
  gtk_widget_show (empty);
  gtk_list_box_set_placeholder (GTK_LIST_BOX (s->list), empty);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (s->list), GTK_SELECTION_NONE);
  gtk_list_box_set_activate_on_single_click (GTK_LIST_BOX (s->list), FALSE);
  atk_object_set_name (gtk_widget_get_accessible (s->list), _ ("Shelf"));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroll), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroll), MOST_HEIGHT);
  gtk_container_add (GTK_CONTAINER (scroll), s->list);
  gtk_box_pack_start (GTK_BOX (s->box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL), FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (s->box), title, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (s->box), scroll, FALSE, FALSE, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (s->box), "shelf");
  gtk_drag_dest_set (s->box, GTK_DEST_DEFAULT_ALL, targets, G_N_ELEMENTS (targets), GDK_ACTION_COPY);
  s->monitor = g_file_monitor_file (file, G_FILE_MONITOR_NONE, NULL, NULL); /* NULL: seen when it is made again */
  if (s->monitor)
    g_signal_connect_swapped (s->monitor, "changed", G_CALLBACK (editor_shelf_on_written), s);
  g_signal_connect (s->box, "drag-data-received", G_CALLBACK (editor_shelf_on_drop), s);
  g_signal_connect (s->list, "row-activated", G_CALLBACK (editor_shelf_on_row), s);
  g_signal_connect (s->box, "realize", G_CALLBACK (on_realize), NULL);
  g_signal_connect (s->box, "destroy", G_CALLBACK (editor_shelf_on_destroy), NULL);
  g_signal_connect_swapped (d, "look", G_CALLBACK (editor_shelf_fill), s);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (editor_shelf_fill), s);
  g_object_set_data_full (G_OBJECT (s->box), "shelf", s, shelf_free);
  editor_shelf_fill (s);
  gtk_widget_show_all (s->box);
  return s->box;
}
