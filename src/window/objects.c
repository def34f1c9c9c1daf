/* SPDX-License-Identifier: Apache-2.0 */
/* objects.c - components that come while the window is open: a shared object that is dropped on it, and each time that
 * it is built again.
 *
 * It is copied, under another name each time, into a folder of this process, whose classes replace each other: an
 * object that is written over while it is loaded would take the process with it, and one name is loaded once.  Those
 * who shoot films find the newest copy there. */
#include <glib/gstdio.h>
#include <string.h>
#include "eve/reload.h"
#include "eve/visible.h"
#include "eve/words.h"
#include "window/window-private.h"

#define SETTLE_MS 400   /* after the last sign that it is written */
#define MOST_LINES 8    /* of a question */
#define MOST_OBJECTS 64 /* of a folder */

typedef struct Object {
  char *path, *copy; /* as dropped; as loaded last, or NULL */
  GFileMonitor *monitor;
  guint due;
} Object;

static char *folder;        /* of the copies */
static GHashTable *objects; /* path -> Object */
static guint n_copies;

static void
object_free (void *object)
{
  Object *o = object;

  g_clear_handle_id (&o->due, g_source_remove);
  g_clear_object (&o->monitor);
  if (o->copy)
    g_unlink (o->copy);
  g_free (o->copy);
  g_free (o->path);
  g_free (o);
}

void
objects_end (void)
{
  g_clear_pointer (&objects, g_hash_table_unref);
  if (folder)
    g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

/* Made when the first object comes, and told to those who are started by this process. */
static bool
objects_make_folder (GError **error)
{
  if (folder)
    return true;
  folder = g_dir_make_tmp ("scope-components-XXXXXX", error);
  if (!folder)
    return false;
  const char *before = g_getenv ("SCOPE_PLUGIN_PATH");
  g_autofree char *after = before && *before ? g_strconcat (folder, ":", before, NULL) : g_strdup (folder);
  g_setenv ("SCOPE_PLUGIN_PATH", after, TRUE);
  return true;
}

/* The sentence tells of the copy: the person knows the file. */
static char *
of_the_file (const Object *o, const char *copy, const char *sentence)
{
  g_auto (GStrv) parts = g_strsplit (sentence, copy, -1);
  return g_strjoinv (o->path, parts);
}

static char *
classes_in_words (const EveClass *const *table)
{
  GString *all = g_string_new (NULL);

  for (const EveClass *const *k = table; *k; k++)
    g_string_append_printf (all, "%s%s", all->len ? ", " : "", in_words ((*k)->label));
  return g_string_free (all, FALSE);
}

static void
tell_taken (ScopeDocument *d, const EveClass *const *table, guint n)
{
  g_autofree char *labels = classes_in_words (table);

  if (n)
    scope_document_say (d, SCOPE_SAY_NOTE, P_ ("%s: %u box takes it", "%s: %u boxes take it", n), labels, n);
  else
    scope_document_say (d, SCOPE_SAY_NOTE, _ ("%s: it is in the library from now on, until Scope ends"), labels);
}

/* Also for all other windows. */
static void
objects_take (Object *o, ScopeDocument *asked)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (o->path), *copy = NULL;
  const EveClass *const *table = NULL;
  GList *windows = gtk_application_get_windows (GTK_APPLICATION (g_application_get_default ()));

  if (objects_make_folder (&error)) {
    g_autofree char *numbered = g_strdup_printf ("%u-%s", ++n_copies, name);
    copy = g_build_filename (folder, numbered, NULL);
    g_autoptr (GFile) from = g_file_new_for_path (o->path), to = g_file_new_for_path (copy);
    if (g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, &error)
        && eve_registry_replace (copy, &table, &error)) {
      if (o->copy)
        g_unlink (o->copy);
      g_free (o->copy);
      o->copy = g_strdup (copy);
    } else
      g_unlink (copy);
  }
  for (GList *l = windows; l; l = l->next) {
    ScopeDocument *d = SCOPE_IS_WINDOW (l->data) ? scope_window_document (l->data) : NULL;
    if (!d)
      continue;
    guint n = table ? scope_document_take_classes (d) : 0;
    g_autofree char *sentence = error ? of_the_file (o, copy ? copy : o->path, error->message) : NULL;
    if (sentence)
      scope_document_say (d, SCOPE_SAY_WARNING, "%s", sentence);
    else if (n || d == asked)
      tell_taken (d, table, n);
  }
}

/* ---- built again ----------------------------------------------------------------------------------------------------- */
static gboolean
objects_on_due (gpointer object)
{
  Object *o = object;

  o->due = 0;
  if (g_file_test (o->path, G_FILE_TEST_IS_REGULAR))
    objects_take (o, NULL);
  return G_SOURCE_REMOVE;
}

static void
objects_on_written (GFileMonitor *monitor, GFile *file, GFile *other, GFileMonitorEvent event, Object *o)
{
  if (event == G_FILE_MONITOR_EVENT_DELETED || event == G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED)
    return;
  g_clear_handle_id (&o->due, g_source_remove);
  o->due = g_timeout_add (SETTLE_MS, objects_on_due, o);
}

static Object *
objects_find (const char *path)
{
  if (!objects)
    objects = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, object_free);
  Object *o = g_hash_table_lookup (objects, path);
  if (o)
    return o;
  o = g_new0 (Object, 1);
  o->path = g_strdup (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  o->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL); /* NULL: it is dropped again */
  if (o->monitor)
    g_signal_connect (o->monitor, "changed", G_CALLBACK (objects_on_written), o);
  g_hash_table_insert (objects, o->path, o);
  return o;
}

/* ---- dropped --------------------------------------------------------------------------------------------------------- */
static void
take_all (char *const *paths, ScopeDocument *d)
{
  for (char *const *path = paths; *path; ++path)
    objects_take (objects_find (*path), d);
}

static void
objects_on_answer (GtkDialog *dialog, int response, ScopeWindow *w)
{
  g_auto (GStrv) paths = g_strdupv (g_object_get_data (G_OBJECT (dialog), "paths"));

  gtk_widget_destroy (GTK_WIDGET (dialog));
  if (response == GTK_RESPONSE_ACCEPT)
    take_all (paths, scope_window_document (w));
}

/* A line each, as many as a dialog has room for. */
static char *
in_lines (char *const *paths)
{
  GString *lines = g_string_new (NULL);
  guint n = g_strv_length ((char **) paths);

  for (guint i = 0; i < MIN (n, MOST_LINES); ++i) {
    g_autofree char *shown = visible_text (paths[i], strlen (paths[i]));
    g_string_append_printf (lines, "%s%s", i ? "\n" : "", shown ? shown : paths[i]);
  }
  if (n > MOST_LINES) {
    g_string_append_c (lines, '\n');
    g_string_append_printf (lines, _ ("and %u more"), n - MOST_LINES);
  }
  return g_string_free (lines, FALSE);
}

static void
objects_ask (ScopeWindow *w, char **paths)
{
  guint n = g_strv_length (paths);
  g_autofree char *lines = in_lines (paths), *name = g_filename_display_basename (paths[0]);
  GtkWidget *dialog = n == 1
                          ? gtk_message_dialog_new (GTK_WINDOW (w), GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION,
                                                    GTK_BUTTONS_NONE, _ ("Shall the components of %s be used?"), name)
                          : gtk_message_dialog_new (GTK_WINDOW (w), GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION,
                                                    GTK_BUTTONS_NONE,
                                                    P_ ("Shall the components of this %u object be used?",
                                                        "Shall the components of these %u objects be used?", n),
                                                    n);

  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog),
      _ ("%s\n\nA component is code that may do whatever you may do. It is tried in a process of its own first, and "
         "taken "
         "again whenever the file is built anew, until Scope ends. Agree only if you know where it comes from."),
      lines);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("Do not use them"), GTK_RESPONSE_CANCEL, _ ("Use them"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  g_object_set_data_full (G_OBJECT (dialog), "paths", g_strdupv (paths), (GDestroyNotify) g_strfreev);
  g_signal_connect_object (dialog, "response", G_CALLBACK (objects_on_answer), w, 0);
  gtk_widget_show (dialog);
}

static int
objects_by_path (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

char **
objects_of_folder (const char *bundle)
{
  g_autoptr (GDir) dir = g_dir_open (bundle, 0, NULL);
  GPtrArray *paths = g_ptr_array_new ();

  for (const char *name; dir && paths->len < MOST_OBJECTS && (name = g_dir_read_name (dir));) {
    g_autofree char *path = g_build_filename (bundle, name, NULL);
    if (g_str_has_suffix (name, ".so") && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add (paths, g_steal_pointer (&path));
  }
  g_ptr_array_sort (paths, objects_by_path);
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

void
objects_drop (ScopeWindow *w, char *const *paths)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new_with_free_func (g_free),
                        others = g_ptr_array_new_with_free_func (g_free);

  for (char *const *path = paths; *path; ++path) {
    char *full = g_canonicalize_filename (*path, NULL);
    bool agreed = objects && g_hash_table_contains (objects, full);
    g_ptr_array_add (agreed ? known : others, full);
  }
  g_ptr_array_add (known, NULL);
  take_all ((char **) known->pdata, scope_window_document (w));
  if (others->len) {
    g_ptr_array_add (others, NULL);
    objects_ask (w, (char **) others->pdata);
  }
}
