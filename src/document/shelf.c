/* SPDX-License-Identifier: Apache-2.0 */
#include "document/shelf.h"
#include <string.h>
#include "eve/disk.h"
#include "eve/eve-host.h"
#include "eve/words.h"
#include "session/places.h"

#define MOST_BYTES (1 << 20)

char *
shelf_file (void)
{
  return g_build_filename (g_get_user_data_dir (), "scope", "shelf", NULL);
}

static void
item_free (gpointer item)
{
  ShelfItem *i = item;

  g_free (i->what);
  g_free (i->label);
  g_free (i->doc);
  g_free (i);
}

/* The lines, each once; of char *.  NULL with an error: the file is there and cannot be read, so it is not to be
 * written over. */
static GPtrArray *
lines_read (GError **error)
{
  g_autoptr (GError) problem = NULL;
  g_autofree char *path = shelf_file (), *text = disk_read (path, NULL, MOST_BYTES, NULL, &problem);

  if (problem && !g_error_matches (problem, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return NULL;
  }
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) all = g_strsplit (text ? text : "", "\n", -1);

  for (char **l = all; *l && lines->len < SHELF_MOST; ++l)
    if (*g_strstrip (*l) && **l != '#' && !g_ptr_array_find_with_equal_func (lines, *l, g_str_equal, NULL))
      g_ptr_array_add (lines, g_strdup (*l));
  return lines;
}

static bool
lines_write (const GPtrArray *lines, GError **error)
{
  g_autofree char *path = shelf_file (), *folder = g_path_get_dirname (path);
  g_autoptr (GString)
      text = g_string_new ("# The shelf of Scope: ids of components, and paths of parts and programs.\n");

  for (guint i = 0; i < lines->len; ++i)
    g_string_append_printf (text, "%s\n", (char *) lines->pdata[i]);
  g_mkdir_with_parents (folder, 0700);
  return g_file_set_contents (path, text->str, (gssize) text->len, error);
}

static ShelfItem *
item_of_file (const char *path)
{
  ShelfItem *i = g_new0 (ShelfItem, 1);
  PlacesProgram *p = places_program_peek (path);
  g_autofree char *base = g_path_get_basename (path), *name = g_filename_display_name (base);

  i->gone = !g_file_test (path, G_FILE_TEST_IS_REGULAR);
  i->kind = p->whole ? SHELF_PROGRAM : SHELF_PART;
  if (g_str_has_suffix (name, ".eve"))
    name[strlen (name) - strlen (".eve")] = 0;
  i->label = p->whole && !g_str_equal (p->title, base) ? g_strdup (in_words (p->title)) : g_steal_pointer (&name);
  i->doc = i->gone ? g_strdup_printf (_ ("%s: this file is gone"), path)
                   : g_strdup (*p->doc ? in_words (p->doc) : path);
  places_program_free (p);
  return i;
}

static ShelfItem *
item_of_class (const char *id)
{
  ShelfItem *i = g_new0 (ShelfItem, 1);
  const EveClass *k = eve_registry_find (id);

  i->kind = SHELF_CLASS;
  i->gone = !k;
  i->label = g_strdup (k ? in_words (k->label) : id);
  i->doc = k ? g_strdup (in_words (k->doc)) : g_strdup_printf (_ ("There is no component %s here"), id);
  return i;
}

GPtrArray *
shelf_items (void)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (item_free);
  g_autoptr (GPtrArray) lines = lines_read (NULL);

  for (guint n = 0; lines && n < lines->len; ++n) {
    ShelfItem *i = g_path_is_absolute (lines->pdata[n]) ? item_of_file (lines->pdata[n])
                                                        : item_of_class (lines->pdata[n]);
    i->what = g_strdup (lines->pdata[n]);
    g_ptr_array_add (items, i);
  }
  return items;
}

/* The line that stands for something; NULL with an error: nothing that could lie there. */
static char *
document_shelf_line_of (const char *what, GError **error)
{
  if (eve_registry_find (what))
    return g_strdup (what);
  if (!g_path_is_absolute (what) || !g_str_has_suffix (what, ".eve") || strchr (what, '\n')
      || !g_file_test (what, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 _ ("%s is no component, part or program: the shelf takes these"), what);
    return NULL;
  }
  return g_strdup (what);
}

bool
shelf_add (const char *what, GError **error)
{
  g_autofree char *line = document_shelf_line_of (what, error);
  g_autoptr (GPtrArray) lines = line ? lines_read (error) : NULL;

  if (!lines)
    return false;
  if (g_ptr_array_find_with_equal_func (lines, line, g_str_equal, NULL))
    return true;
  if (lines->len >= SHELF_MOST) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC, _ ("the shelf is full: it holds %d things"), SHELF_MOST);
    return false;
  }
  g_ptr_array_add (lines, g_steal_pointer (&line));
  return lines_write (lines, error);
}

bool
shelf_remove (const char *what, GError **error)
{
  g_autoptr (GPtrArray) lines = lines_read (error);
  guint at;

  if (!lines)
    return false;
  if (!g_ptr_array_find_with_equal_func (lines, what, g_str_equal, &at))
    return true;
  g_ptr_array_remove_index (lines, at);
  return lines_write (lines, error);
}

bool
shelf_move (const char *what, guint place, GError **error)
{
  g_autoptr (GPtrArray) lines = lines_read (error);
  guint at;

  if (!lines)
    return false;
  if (!g_ptr_array_find_with_equal_func (lines, what, g_str_equal, &at))
    return true;
  char *line = g_ptr_array_steal_index (lines, at);
  g_ptr_array_insert (lines, (int) MIN (place, lines->len), line);
  return lines_write (lines, error);
}

/* ---- dragging ------------------------------------------------------------------------------------------------------ */
void
shelf_drag_icon (GdkDragContext *context, const char *label)
{
  GtkWidget *window = gtk_window_new (GTK_WINDOW_POPUP), *text = gtk_label_new (label);

  gtk_container_set_border_width (GTK_CONTAINER (window), 6);
  gtk_container_add (GTK_CONTAINER (window), text);
  gtk_widget_show (text);
  gtk_drag_set_icon_widget (context, window, -8, -8);
  g_object_set_data_full (G_OBJECT (context), "icon", window, (GDestroyNotify) gtk_widget_destroy);
}

static void
document_shelf_on_begin (GtkWidget *widget, GdkDragContext *context, gpointer unused)
{
  GtkWidget *list = gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER);

  if (list) /* out of the way; and while it holds the pointer GTK finds nothing behind it to drop on */
    gtk_popover_popdown (GTK_POPOVER (list));
  shelf_drag_icon (context, g_object_get_data (G_OBJECT (widget), "shelf-label"));
}

static void
document_shelf_on_get (GtkWidget *widget, GdkDragContext *context, GtkSelectionData *data, guint info, guint time,
                       gpointer unused)
{
  const char *what = g_object_get_data (G_OBJECT (widget), "shelf-what");

  if (!info) {
    gtk_selection_data_set (data, gdk_atom_intern_static_string (SHELF_DRAG), 8, (const guchar *) what,
                            (int) strlen (what));
    return;
  }
  g_autofree char *uri = g_filename_to_uri (what, NULL, NULL);
  char *uris[] = { uri, NULL };
  if (uri)
    gtk_selection_data_set_uris (data, uris);
}

void
shelf_drag_from (GtkWidget *widget, const char *what, const char *label)
{
  static const GtkTargetEntry targets[] = { { (char *) SHELF_DRAG, GTK_TARGET_SAME_APP, 0 },
                                            { (char *) "text/uri-list", 0, 1 } };

  g_object_set_data_full (G_OBJECT (widget), "shelf-what", g_strdup (what), g_free);
  g_object_set_data_full (G_OBJECT (widget), "shelf-label", g_strdup (label), g_free);
  gtk_drag_source_set (widget, GDK_BUTTON1_MASK, targets, g_path_is_absolute (what) ? 2 : 1, GDK_ACTION_COPY);
  g_signal_connect (widget, "drag-begin", G_CALLBACK (document_shelf_on_begin), NULL);
  g_signal_connect (widget, "drag-data-get", G_CALLBACK (document_shelf_on_get), NULL);
}
