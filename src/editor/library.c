/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - the components that are there, by category, searched as one types; dragged onto the canvas, or put there
 * by Enter and a double click. */
#include "editor/canvas-private.h"
#include "editor/editor.h"
#include "document/active-row.h"
#include "document/program-drawing.h"
#include "eve/words.h"
#include <string.h>
#include "session/places.h"

enum {
  COLUMN_LABEL,
  COLUMN_CLASS,
  COLUMN_DOC,
  COLUMN_BOLD,
  COLUMN_DOT,
  COLUMN_COLOUR,
  COLUMN_IS_CLASS,
  COLUMN_PART,
  N_COLUMNS
};

typedef struct Library {
  ScopeDocument *d;
  GtkWidget *entry, *tree, *nothing;
  GtkTreeStore *store;
  GFileMonitor *parts;     /* the folder of the person's parts: NULL: cannot be watched */
  char *dragged_part;      /* the same of a part: its file */
  const EveClass *dragged; /* that the button went down on: rows may be made anew before it is dropped */
} Library;

/* From what drives to what is seen; categories that are not here come last, by name. */
static int
rank (const char *category)
{
  static const char *const order[] = { "Control", "Readers",  "Simulators", "Flow",
                                       "Math",    "Analysis", "Statistics", "Views" };
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (!strcmp (order[i], category))
      return (int) i;
  return G_N_ELEMENTS (order);
}

static int
library_by_category (const void *a, const void *b)
{
  const EveClass *x = *(EveClass *const *) a, *y = *(EveClass *const *) b;
  int r = rank (x->category) - rank (y->category);
  r = r ? r : strcmp (x->category, y->category);
  if (r)
    return r;
  g_autofree char *left = g_utf8_casefold (in_words (x->label), -1), *right = g_utf8_casefold (in_words (y->label), -1);
  return g_utf8_collate (left,
                         right); /* "heaptrack reader" is among the others, in locales that put capitals first too */
}

/* What fits the words best stays first, and brings its category with it: a category is where its best one is. */
static void
library_sort_found (GPtrArray *classes)
{
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  for (guint i = 0; i < classes->len; i++) {
    const EveClass *first = classes->pdata[i];
    for (guint j = i; first && j < classes->len; j++) {
      const EveClass *k = classes->pdata[j];
      if (k && !strcmp (k->category, first->category)) {
        g_ptr_array_add (sorted, (void *) k);
        classes->pdata[j] = NULL;
      }
    }
  }
  if (sorted->len > 0)
    memcpy (classes->pdata, sorted->pdata, sorted->len * sizeof (void *));
}

/* A spot in the colour of what the component gives. */
static char *
dot_of (const Library *l, const EveClass *k)
{
  return g_strdup_printf ("#%06x", paint_type_colour (class_colour_type (k), scope_document_dark (l->d)));
}

static int
library_by_text (const void *a, const void *b)
{
  return g_utf8_collate (*(char *const *) a, *(char *const *) b);
}

/* Sub-programs that the person has saved; gives how many, `first` is the first of them. */
static guint
fill_parts (Library *l, const char *words, GtkTreeIter *first)
{
  g_autofree char *folder = places_parts (), *wanted = g_utf8_casefold (words, -1);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  GtkTreeIter category = { 0 };
  for (const char *name; dir && (name = g_dir_read_name (dir));) {
    g_autofree char *shown = g_filename_display_name (name), *folded = g_utf8_casefold (shown, -1);
    if (g_str_has_suffix (name, ".eve") && strstr (folded, wanted))
      g_ptr_array_add (names, g_strdup (name));
  }
  g_ptr_array_sort (names, library_by_text);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL),
                    *shown = g_filename_display_name (names->pdata[i]);
    shown[strlen (shown) - strlen (".eve")] = 0;
    if (!i)
      gtk_tree_store_insert_with_values (l->store, &category, NULL, -1, COLUMN_LABEL, _ ("Parts of yours"), COLUMN_BOLD,
                                         PANGO_WEIGHT_BOLD, -1);
    gtk_tree_store_insert_with_values (l->store, i ? NULL : first, &category, -1, COLUMN_LABEL, shown, COLUMN_PART,
                                       path, COLUMN_BOLD, PANGO_WEIGHT_NORMAL, COLUMN_DOT, "▣", COLUMN_IS_CLASS, TRUE,
                                       -1);
  }
  return names->len;
}

/* Rows of a list that was never shown have no place, for which GTK is at a loss when a screen reader asks. */
static void
library_fill (Library *l)
{
  if (!gtk_widget_get_realized (l->tree))
    return;
  const char *words = gtk_entry_get_text (GTK_ENTRY (l->entry));
  g_autoptr (GPtrArray) classes = component_search (words);
  GtkTreeIter category = { 0 };
  const char *last = NULL;
  GtkTreeIter *best = NULL, first = { 0 };
  gtk_tree_store_clear (l->store);
  const EveClass *fits = classes->len && *words ? classes->pdata[0] : NULL;
  if (*words)
    library_sort_found (classes);
  else
    g_ptr_array_sort (classes, library_by_category);
  for (guint i = 0; i < classes->len; i++) {
    const EveClass *k = classes->pdata[i];
    GtkTreeIter at;
    if (!last || strcmp (last, k->category) != 0) {
      gtk_tree_store_insert_with_values (l->store, &category, NULL, -1, COLUMN_LABEL, in_words (k->category),
                                         COLUMN_BOLD, PANGO_WEIGHT_BOLD, -1);
      last = k->category;
    }
    g_autofree char *dot = dot_of (l, k);
    gtk_tree_store_insert_with_values (l->store, &at, &category, -1, COLUMN_LABEL, in_words (k->label), COLUMN_CLASS, k,
                                       COLUMN_DOC, in_words (k->doc), COLUMN_BOLD, PANGO_WEIGHT_NORMAL, COLUMN_DOT, "●",
                                       COLUMN_COLOUR, dot, COLUMN_IS_CLASS, TRUE, -1);
    if (k == fits) {
      first = at;
      best = &first;
    }
  }
  guint parts = fill_parts (l, words, best ? NULL : &first);
  if (parts && *words && !best)
    best = &first;
  gtk_widget_set_visible (l->nothing, *words && !classes->len && !parts);
  gtk_tree_view_expand_all (GTK_TREE_VIEW (l->tree));
  if (best) { /* what Enter adds */
    GtkTreePath *path = gtk_tree_model_get_path (GTK_TREE_MODEL (l->store), best);
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (l->tree), path, NULL, FALSE);
    gtk_tree_path_free (path);
  }
}

static const EveClass *
class_at (Library *l, GtkTreePath *path)
{
  GtkTreeIter at;
  const EveClass *k = NULL;
  if (path && gtk_tree_model_get_iter (GTK_TREE_MODEL (l->store), &at, path))
    gtk_tree_model_get (GTK_TREE_MODEL (l->store), &at, COLUMN_CLASS, &k, -1);
  return k;
}

/* The file of the part that a row is of, to g_free; NULL: it is of none. */
static char *
part_at (Library *l, GtkTreePath *path)
{
  GtkTreeIter at;
  char *part = NULL;
  if (path && gtk_tree_model_get_iter (GTK_TREE_MODEL (l->store), &at, path))
    gtk_tree_model_get (GTK_TREE_MODEL (l->store), &at, COLUMN_PART, &part, -1);
  return part;
}

static const EveClass *
chosen_class (Library *l)
{
  GtkTreePath *path = NULL;
  gtk_tree_view_get_cursor (GTK_TREE_VIEW (l->tree), &path, NULL);
  const EveClass *k = class_at (l, path);
  gtk_tree_path_free (path);
  return k;
}

static void
library_add (Library *l, const EveClass *k)
{
  GtkWidget *top = gtk_widget_get_toplevel (l->tree);
  if (k && scope_document_is_open (l->d) && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "canvas-add-behind", g_variant_new_string (k->id));
}

static void
library_add_part (Library *l, const char *part)
{
  GtkWidget *top = gtk_widget_get_toplevel (l->tree);
  if (scope_document_is_open (l->d) && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "canvas-add-part", g_variant_new_string (part));
}

static void
activated (GtkTreeView *tree, GtkTreePath *path, GtkTreeViewColumn *column, Library *l)
{
  const EveClass *k = class_at (l, path);
  g_autofree char *part = part_at (l, path);
  if (part)
    library_add_part (l, part);
  else if (k)
    library_add (l, k);
  else if (gtk_tree_view_row_expanded (tree, path))
    gtk_tree_view_collapse_row (tree, path);
  else
    gtk_tree_view_expand_row (tree, path, FALSE);
}

static void
library_confirmed (GtkEntry *entry, Library *l)
{
  GtkTreePath *path = NULL;
  gtk_tree_view_get_cursor (GTK_TREE_VIEW (l->tree), &path, NULL);
  g_autofree char *part = part_at (l, path);
  gtk_tree_path_free (path);
  if (part)
    library_add_part (l, part);
  else
    library_add (l, chosen_class (l));
}

static void
cleared (GtkEntry *entry, Library *l)
{
  gtk_entry_set_text (entry, "");
}

static gboolean library_show_menu (Library *l);

/* ---- dragging ------------------------------------------------------------------------------------------------------- */
static gboolean
library_pressed (GtkWidget *tree, GdkEventButton *e, Library *l)
{
  GtkTreePath *path = NULL;
  gtk_tree_view_get_path_at_pos (GTK_TREE_VIEW (tree), (int) e->x, (int) e->y, &path, NULL, NULL, NULL);
  l->dragged = class_at (l, path);
  g_free (l->dragged_part);
  l->dragged_part = part_at (l, path);
  bool menu = path && (l->dragged || l->dragged_part) && gdk_event_triggers_context_menu ((GdkEvent *) e);
  if (menu) {
    gtk_tree_view_set_cursor (GTK_TREE_VIEW (tree), path, NULL, FALSE);
    library_show_menu (l);
  }
  gtk_tree_path_free (path);
  return menu;
}

static void
drag_begin (GtkWidget *tree, GdkDragContext *context, Library *l)
{
  const EveClass *k = l->dragged;
  g_autofree char *name = l->dragged_part ? g_filename_display_basename (l->dragged_part) : NULL;
  if (!k && !name)
    return;
  shelf_drag_icon (context, k ? in_words (k->label) : name);
}

static void
drag_get (GtkWidget *tree, GdkDragContext *context, GtkSelectionData *data, guint info, guint time, Library *l)
{
  const char *what = l->dragged ? l->dragged->id : l->dragged_part; /* no id begins as a path does */
  if (what)
    gtk_selection_data_set (data, gdk_atom_intern_static_string (SHELF_DRAG), 8, (const guchar *) what,
                            (int) strlen (what));
}

static gboolean
tip (GtkWidget *tree, int x, int y, gboolean keyboard, GtkTooltip *tooltip, Library *l)
{
  GtkTreePath *path = NULL;
  GtkTreeIter at;
  GtkTreeModel *model;
  if (!gtk_tree_view_get_tooltip_context (GTK_TREE_VIEW (tree), &x, &y, keyboard, &model, &path, &at))
    return FALSE;
  const EveClass *k = class_at (l, path);
  if (k) {
    g_autoptr (GString) text = g_string_new (NULL);
    g_autofree char *head = g_markup_printf_escaped ("<b>%s</b>\n%s", in_words (k->label),
                                                     k->doc ? in_words (k->doc) : "");
    g_string_append (text, head);
    for (int outs = 0; outs < 2; outs++)
      for (uint32_t i = 0; i < (outs ? k->n_outs : k->n_ins); i++) {
        const EveType *t = outs ? k->outs[i].type : k->ins[i].type;
        g_autofree char *line = g_markup_printf_escaped ("\n%s <i>%s</i> · %s", outs ? _ ("gives") : _ ("takes"),
                                                         outs ? k->outs[i].name : k->ins[i].name,
                                                         t ? in_words (t->name) : _ ("any type"));
        g_string_append (text, line);
      }
    gtk_tooltip_set_markup (tooltip, text->str);
    gtk_tree_view_set_tooltip_row (GTK_TREE_VIEW (tree), tooltip, path);
  }
  gtk_tree_path_free (path);
  return k != NULL;
}

/* What is chosen, onto the shelf. */
static void
shelve (Library *l)
{
  GtkTreePath *path = NULL;
  gtk_tree_view_get_cursor (GTK_TREE_VIEW (l->tree), &path, NULL);
  const EveClass *k = class_at (l, path);
  g_autofree char *part = part_at (l, path);
  gtk_tree_path_free (path);
  if (k || part)
    shelf_put (l->tree, l->d, k ? k->id : part);
}

static void
help_on (Library *l)
{
  const EveClass *k = chosen_class (l);
  GtkWidget *top = gtk_widget_get_toplevel (l->tree);
  if (k && G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "help-class", g_variant_new_string (k->id));
}

static void
add_chosen (Library *l)
{
  library_confirmed (NULL, l);
}

static gboolean
library_show_menu (Library *l)
{
  const struct {
    const char *label;
    void (*done) (Library *);
  } items[] = { { _ ("Add it to the program"), add_chosen },
                { _ ("Put on the shelf"), shelve },
                { _ ("Help"), help_on } };
  GtkWidget *menu = gtk_menu_new ();
  g_autoptr (GdkEvent) event = menu_event (l->tree);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++) {
    GtkWidget *item = gtk_menu_item_new_with_label (items[i].label);
    gtk_menu_shell_append (GTK_MENU_SHELL (menu), item);
    g_signal_connect_swapped (item, "activate", G_CALLBACK (items[i].done), l);
  }
  gtk_menu_attach_to_widget (GTK_MENU (menu), l->tree, NULL);
  g_signal_connect (menu, "selection-done", G_CALLBACK (gtk_widget_destroy), NULL);
  gtk_widget_show_all (menu);
  if (event->type == GDK_BUTTON_PRESS)
    gtk_menu_popup_at_pointer (GTK_MENU (menu), event);
  else
    gtk_menu_popup_at_widget (GTK_MENU (menu), l->tree, GDK_GRAVITY_CENTER, GDK_GRAVITY_NORTH_WEST, event);
  return TRUE;
}

static gboolean
library_key (GtkWidget *widget, GdkEventKey *e, Library *l)
{
  if (widget == l->entry && e->keyval == GDK_KEY_Down) {
    gtk_widget_grab_focus (l->tree);
    return TRUE;
  }
  if (widget == l->tree && e->keyval == GDK_KEY_F1) {
    help_on (l);
    return chosen_class (l) != NULL;
  }
  return FALSE;
}

static void
library_free (void *library)
{
  Library *l = library;
  g_signal_handlers_disconnect_by_data (l->d, l);
  g_object_unref (l->d);
  g_object_unref (l->store);
  g_clear_object (&l->parts);
  g_free (l->dragged_part);
  g_free (l);
}

GtkWidget *
editor_library_new (ScopeDocument *d)
{
  Library *l = g_new0 (Library, 1);
  static const GtkTargetEntry target = { (char *) SHELF_DRAG, GTK_TARGET_SAME_APP, 0 };
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *scroll = gtk_scrolled_window_new (NULL, NULL);
  l->d = g_object_ref (d);
  l->store = gtk_tree_store_new (N_COLUMNS, G_TYPE_STRING, G_TYPE_POINTER, G_TYPE_STRING, G_TYPE_INT, G_TYPE_STRING,
                                 G_TYPE_STRING, G_TYPE_BOOLEAN, G_TYPE_STRING);
  g_autofree char *folder = places_parts ();
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  l->parts = g_file_monitor_directory (file, G_FILE_MONITOR_NONE, NULL, NULL);
  if (l->parts)
    g_signal_connect_swapped (l->parts, "changed", G_CALLBACK (library_fill), l);
  l->entry = gtk_search_entry_new ();
  gtk_entry_set_placeholder_text (GTK_ENTRY (l->entry), _ ("Search components"));
  atk_object_set_name (gtk_widget_get_accessible (l->entry), _ ("Search components"));
  gtk_widget_set_margin_start (l->entry, 8);
  gtk_widget_set_margin_end (l->entry, 8);
  gtk_widget_set_margin_top (l->entry, 8);
  gtk_widget_set_margin_bottom (l->entry, 6);
  l->nothing = gtk_label_new (_ ("No component of this name"));
  gtk_style_context_add_class (gtk_widget_get_style_context (l->nothing), "dim-label");
  gtk_widget_set_no_show_all (l->nothing, TRUE);
  l->tree = gtk_tree_view_new_with_model (GTK_TREE_MODEL (l->store));
  atk_object_set_name (gtk_widget_get_accessible (l->tree), _ ("Library"));
  gtk_style_context_add_class (gtk_widget_get_style_context (l->tree), "library");
  gtk_tree_view_set_headers_visible (GTK_TREE_VIEW (l->tree), FALSE);
  gtk_tree_view_set_enable_search (GTK_TREE_VIEW (l->tree), FALSE);
  gtk_tree_view_set_level_indentation (GTK_TREE_VIEW (l->tree), -8);
  GtkCellRenderer *dot = gtk_cell_renderer_text_new (), *label = gtk_cell_renderer_text_new ();
  g_object_set (dot, "scale", 0.7, "xalign", 1.0, NULL);
  g_object_set (label, "ellipsize", PANGO_ELLIPSIZE_END, NULL);
  /* in one column, so that the name of a category stands beside its triangle */
  GtkTreeViewColumn *column = gtk_tree_view_column_new ();
  gtk_tree_view_column_pack_start (column, dot, FALSE);
  gtk_tree_view_column_pack_start (column, label, TRUE);
  gtk_tree_view_column_set_attributes (column, dot, "text", COLUMN_DOT, "foreground", COLUMN_COLOUR, "visible",
                                       COLUMN_IS_CLASS, NULL);
  gtk_tree_view_column_set_attributes (column, label, "text", COLUMN_LABEL, "weight", COLUMN_BOLD, NULL);
  gtk_tree_view_append_column (GTK_TREE_VIEW (l->tree), column);
  gtk_tree_view_enable_model_drag_source (GTK_TREE_VIEW (l->tree), GDK_BUTTON1_MASK, &target, 1, GDK_ACTION_COPY);
  gtk_widget_set_has_tooltip (l->tree, TRUE);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_container_add (GTK_CONTAINER (scroll), l->tree);
  gtk_box_pack_start (GTK_BOX (box), l->entry, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), l->nothing, FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (box), scroll, TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (box), editor_shelf_new (d), FALSE, FALSE, 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (box), "library");
  g_signal_connect_swapped (l->entry, "search-changed", G_CALLBACK (library_fill), l);
  g_signal_connect (l->entry, "activate", G_CALLBACK (library_confirmed), l);
  g_signal_connect (l->entry, "stop-search", G_CALLBACK (cleared), l);
  g_signal_connect (l->entry, "key-press-event", G_CALLBACK (library_key), l);
  g_signal_connect (l->tree, "key-press-event", G_CALLBACK (library_key), l);
  g_signal_connect (l->tree, "row-activated", G_CALLBACK (activated), l);
  g_signal_connect (l->tree, "query-tooltip", G_CALLBACK (tip), l);
  g_signal_connect (l->tree, "button-press-event", G_CALLBACK (library_pressed), l);
  g_signal_connect_swapped (l->tree, "popup-menu", G_CALLBACK (library_show_menu), l);
  g_signal_connect (l->tree, "drag-begin", G_CALLBACK (drag_begin), l);
  g_signal_connect (l->tree, "drag-data-get", G_CALLBACK (drag_get), l);
  g_signal_connect_data (l->tree, "realize", G_CALLBACK (library_fill), l, NULL, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_swapped (d, "look", G_CALLBACK (library_fill), l);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (library_fill), l);
  g_object_set_data_full (G_OBJECT (box), "library", l, library_free);
  gtk_widget_show_all (box);
  return box;
}
