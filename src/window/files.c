/* SPDX-License-Identifier: Apache-2.0 */
/* Dialogs that ask for files, and files dropped on the window. */
#include <string.h>
#include "session/places.h"
#include "eve/words.h"
#include "window/window.h"

/* A folder with a data folder of its own name in it. */
static bool
is_bundle (const char *path)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return false;
  TraceBundle *b = trace_bundle_open (path, NULL);
  if (!b)
    return false;
  trace_bundle_free (b);
  return true;
}

bool
files_open_usual (ScopeDocument *d, const char *trace, const char *const *more, const char *format, const char *other,
                  const char *why)
{
  g_autoptr (GError) error = NULL;
  bool gone = other && !g_file_test (other, G_FILE_TEST_EXISTS);
  bool open = gone && (!scope_document_is_open (d) || g_strcmp0 (trace, scope_document_trace (d)))
              && scope_document_open (d, trace, more, format, NULL, NULL, &error);

  if (open)
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("%s. “%s” is opened in its place."), why,
                        in_words (eve_program_title (scope_document_program (d))));
  else
    scope_document_say (d, SCOPE_SAY_ERROR, "%s", why);
  return open;
}

char *
files_bundle_of (const char *path)
{
  g_autofree char *at = g_canonicalize_filename (path, NULL);

  while (true) { /* the folder itself, or one that it lies in */
    if (g_str_has_suffix (at, ".trace") && is_bundle (at))
      return g_steal_pointer (&at);
    char *up = g_path_get_dirname (at);
    bool top = g_str_equal (up, at);
    g_free (at);
    at = up;
    if (top)
      break;
  }
  /* A folder that holds one bundle. */
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autofree char *only = NULL;
  const char *name;
  while (dir && (name = g_dir_read_name (dir))) {
    if (!g_str_has_suffix (name, ".trace"))
      continue;
    g_autofree char *inside = g_build_filename (path, name, NULL);
    if (!is_bundle (inside))
      continue;
    if (only)
      return NULL;
    only = g_steal_pointer (&inside);
  }
  return g_steal_pointer (&only);
}

/* ---- a trace: a folder that is one thing ---------------------------------------------------------------------------------- */

#define WHAT_A_TRACE_IS                                                                                                \
  N_ ("A folder NAME.trace, or a file of another program: OTF2, Paraver, CTF, Chrome JSON, Pajé ...")

#define RESPONSE_BUNDLE 1 /* none of GTK's own, which it would not take for a folder */

/* Going into a bundle is choosing it. */
static void
on_folder (GtkFileChooser *chooser, GtkDialog *dialog)
{
  g_autofree char *folder = gtk_file_chooser_get_current_folder (chooser);

  if (folder && g_str_has_suffix (folder, ".trace") && is_bundle (folder)) {
    g_object_set_data_full (G_OBJECT (dialog), "bundle", g_strdup (folder), g_free);
    gtk_dialog_response (dialog, RESPONSE_BUNDLE);
  }
}

static void
files_on_selection (GtkFileChooser *chooser, GtkLabel *told)
{
  g_autofree char *path = gtk_file_chooser_get_filename (chooser);
  bool is_file = path && g_file_test (path, G_FILE_TEST_IS_REGULAR);
  g_autofree char *bundle = path && !is_file ? files_bundle_of (path) : NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  TraceBundle *b = is_file ? trace_bundle_open (path, NULL) : bundle ? trace_bundle_open (bundle, NULL) : NULL;

  if (b) {
    g_autoptr (GString) formats = g_string_new (NULL);
    for (guint i = 0; i < b->formats->len; ++i) {
      const TraceFormat *f = trace_format_find (b->formats->pdata[i], NULL);
      g_string_append_printf (formats, "%s%s", i ? ", " : "", f ? f->label : (const char *) b->formats->pdata[i]);
    }
    g_string_append_printf (text, b->doc ? _ ("%s: %s, with documentation") : _ ("%s: %s"), b->name, formats->str);
    trace_bundle_free (b);
  } else {
    g_string_append (text, is_file ? _ ("No trace of a format that is known here") : in_words (WHAT_A_TRACE_IS));
  }
  gtk_label_set_text (told, text->str);
}

/* Where nothing was opened yet, GTK begins in its list of recent files, which is empty then: the folder from which the
 * window was started, else the person's own. */
static void
begin_somewhere (GtkFileChooser *chooser)
{
  g_autofree char *here = g_get_current_dir ();

  gtk_file_chooser_set_current_folder (chooser, g_str_equal (here, "/") ? g_get_home_dir () : here);
}

char *
files_ask_trace (GtkWindow *parent, const char *title)
{
  GtkWidget *dialog = gtk_file_chooser_dialog_new (title, parent, GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Cancel"),
                                                   GTK_RESPONSE_CANCEL, _ ("_Open"), GTK_RESPONSE_ACCEPT, NULL);
  GtkWidget *told = gtk_label_new (in_words (WHAT_A_TRACE_IS));
  char *path = NULL;

  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  gtk_file_chooser_set_extra_widget (GTK_FILE_CHOOSER (dialog), told);
  GList *recent = recent_list (RECENT_TRACES);
  if (recent) {
    g_autofree char *last = g_filename_from_uri (gtk_recent_info_get_uri (recent->data), NULL, NULL);
    g_autofree char *folder = last ? g_path_get_dirname (last) : NULL;
    if (folder)
      gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder);
  } else
    begin_somewhere (GTK_FILE_CHOOSER (dialog));
  g_list_free_full (recent, (GDestroyNotify) gtk_recent_info_unref);
  g_auto (GStrv) samples = places_samples ();
  g_autofree char *samples_folder = *samples ? g_path_get_dirname (*samples) : NULL;
  if (samples_folder)
    gtk_file_chooser_add_shortcut_folder (GTK_FILE_CHOOSER (dialog), samples_folder, NULL);
  g_signal_connect (dialog, "current-folder-changed", G_CALLBACK (on_folder), dialog);
  g_signal_connect (dialog, "selection-changed", G_CALLBACK (files_on_selection), told);
  int answer = gtk_dialog_run (GTK_DIALOG (dialog));
  if (answer == RESPONSE_BUNDLE)
    path = g_strdup (g_object_get_data (G_OBJECT (dialog), "bundle"));
  else if (answer == GTK_RESPONSE_ACCEPT)
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
  gtk_widget_destroy (dialog);
  return path;
}

/* ---- programs ---------------------------------------------------------------------------------------------------------------- */

static void
add_filters (GtkFileChooser *chooser)
{
  GtkFileFilter *programs = gtk_file_filter_new (), *all = gtk_file_filter_new ();

  gtk_file_filter_set_name (programs, _ ("Programs (*.eve)"));
  gtk_file_filter_add_pattern (programs, "*.eve");
  gtk_file_filter_set_name (all, _ ("All files"));
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (chooser, programs);
  gtk_file_chooser_add_filter (chooser, all);
}

static char *
run_chooser (GtkWidget *dialog)
{
  char *path = NULL;

  add_filters (GTK_FILE_CHOOSER (dialog));
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT)
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
  gtk_widget_destroy (dialog);
  return path;
}

char *
files_ask_program (GtkWindow *parent)
{
  return run_chooser (gtk_file_chooser_dialog_new (_ ("Open a program"), parent, GTK_FILE_CHOOSER_ACTION_OPEN,
                                                   _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Open"), GTK_RESPONSE_ACCEPT,
                                                   NULL));
}

char *
files_ask_save (GtkWindow *parent, const char *name)
{
  GtkWidget *dialog = gtk_file_chooser_dialog_new (_ ("Save the program"), parent, GTK_FILE_CHOOSER_ACTION_SAVE,
                                                   _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Save"), GTK_RESPONSE_ACCEPT,
                                                   NULL);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);

  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), documents ? documents : g_get_home_dir ());
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  char *path = run_chooser (dialog);
  if (path && !strchr (strrchr (path, '/'), '.')) {
    char *whole = g_strconcat (path, ".eve", NULL);
    g_free (path);
    path = whole;
  }
  return path;
}

char *
files_ask_output (GtkWindow *parent)
{
  GtkWidget *dialog = gtk_file_chooser_dialog_new (_ ("Write files of components"), parent,
                                                   GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, _ ("_Cancel"),
                                                   GTK_RESPONSE_CANCEL, _ ("_Write Here"), GTK_RESPONSE_ACCEPT, NULL);
  char *path = NULL;

  gtk_file_chooser_set_extra_widget (
      GTK_FILE_CHOOSER (dialog),
      gtk_label_new (
          _ ("The program is run from beginning to end. Files of the same names in the folder are replaced.")));
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT)
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
  gtk_widget_destroy (dialog);
  return path;
}

/* Formats that an execution can be written in: what its dialog lists, and what names end with. */
static const struct {
  const char *label, *format, *ending;
} exports[] = {
  { N_ ("JSON for Perfetto and Chrome (*.json)"), "chrome", ".json" },
  { N_ ("Pajé for ViTE and pj_dump (*.paje)"), "paje", ".paje" },
  { N_ ("OTF2 for Vampir: a folder (*.otf2)"), "otf2", ".otf2" },
};

char *
files_ask_export (GtkWindow *parent, const char *name, const char **format)
{
  GtkWidget *dialog = gtk_file_chooser_dialog_new (_ ("Export the execution"), parent, GTK_FILE_CHOOSER_ACTION_SAVE,
                                                   _ ("_Cancel"), GTK_RESPONSE_CANCEL, _ ("_Export"),
                                                   GTK_RESPONSE_ACCEPT, NULL);
  const char *documents = g_get_user_special_dir (G_USER_DIRECTORY_DOCUMENTS);
  char *path = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (exports); ++i) {
    const TraceFormat *f = trace_format_find (exports[i].format, NULL);
    GtkFileFilter *filter = gtk_file_filter_new ();
    gtk_file_filter_set_name (filter, in_words (exports[i].label));
    gtk_file_filter_add_pattern (filter, "*");
    g_object_set_data (G_OBJECT (filter), "export", GUINT_TO_POINTER (i));
    if (f && f->write)
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
    else
      g_object_unref (g_object_ref_sink (filter));
  }
  gtk_file_chooser_set_do_overwrite_confirmation (GTK_FILE_CHOOSER (dialog), TRUE);
  gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), documents ? documents : g_get_home_dir ());
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  if (gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT) {
    GtkFileFilter *chosen = gtk_file_chooser_get_filter (GTK_FILE_CHOOSER (dialog));
    guint i = chosen ? GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (chosen), "export")) : 0;
    path = gtk_file_chooser_get_filename (GTK_FILE_CHOOSER (dialog));
    /* an ending that is there decides */
    for (guint k = 0; path && k < G_N_ELEMENTS (exports); ++k)
      if (g_str_has_suffix (path, exports[k].ending))
        i = k;
    *format = exports[i].format;
    if (path && !g_str_has_suffix (path, exports[i].ending)) {
      char *whole = g_strconcat (path, exports[i].ending, NULL);
      g_free (path);
      path = whole;
    }
  }
  gtk_widget_destroy (dialog);
  return path;
}

char *
files_ask_format (GtkWindow *parent, GPtrArray *formats)
{
  GtkWidget *dialog = gtk_message_dialog_new (parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE,
                                              _ ("This trace was recorded in several formats.  Which one?"));

  gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("_Cancel"), GTK_RESPONSE_CANCEL);
  for (guint i = 0; i < formats->len; ++i) {
    const char *name = g_ptr_array_index (formats, i);
    const TraceFormat *f = trace_format_find (name, NULL);
    g_autofree char *label = g_strdup_printf ("%s (.%s)", f ? f->label : name, name);
    gtk_dialog_add_button (GTK_DIALOG (dialog), label, (int) i);
  }
  int answer = gtk_dialog_run (GTK_DIALOG (dialog));
  gtk_widget_destroy (dialog);
  return answer >= 0 && (guint) answer < formats->len ? g_strdup (g_ptr_array_index (formats, (guint) answer)) : NULL;
}

/* ---- dropped on the window -------------------------------------------------------------------------------------------------- */

typedef struct Drop {
  ScopeWindow *window;
  char *trace, *program;
  GStrvBuilder *objects;
} Drop;

/* After the drop has ended: opening may ask, and whoever dragged waits for the end. */
static gboolean
open_drop (gpointer drop)
{
  Drop *d = drop;

  if (d->trace)
    scope_window_open (d->window, d->trace, NULL, d->program);
  else if (d->program)
    scope_window_open_program (d->window, d->program);
  g_auto (GStrv) objects = g_strv_builder_end (d->objects);
  g_strv_builder_unref (d->objects);
  if (*objects)
    objects_drop (d->window, objects);
  g_object_unref (d->window);
  g_free (d->trace);
  g_free (d->program);
  g_free (d);
  return G_SOURCE_REMOVE;
}

/* An object, or a folder of some that is no trace: a bundle of components. */
static bool
take_objects (Drop *d, const char *path)
{
  if (g_str_has_suffix (path, ".so")) {
    g_strv_builder_add (d->objects, path);
    return true;
  }
  g_autofree char *bundle = g_file_test (path, G_FILE_TEST_IS_DIR) ? files_bundle_of (path) : NULL;
  g_auto (GStrv) inside = !bundle && g_file_test (path, G_FILE_TEST_IS_DIR) ? objects_of_folder (path) : NULL;
  if (inside)
    g_strv_builder_addv (d->objects, (const char **) inside);
  return inside && *inside;
}

static void
files_on_drop (GtkWidget *widget, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time,
               gpointer none)
{
  g_auto (GStrv) uris = gtk_selection_data_get_uris (data);
  Drop *d = g_new0 (Drop, 1);

  bool any = false;
  d->window = g_object_ref (SCOPE_WINDOW (widget));
  d->objects = g_strv_builder_new ();
  for (char **uri = uris; uri && *uri; ++uri) {
    g_autofree char *path = g_filename_from_uri (*uri, NULL, NULL);
    if (!path || take_objects (d, path)) {
      any |= path != NULL;
      continue;
    }
    char **which = g_str_has_suffix (path, ".eve") ? &d->program : &d->trace;
    if (!*which)
      *which = g_steal_pointer (&path);
  }
  gtk_drag_finish (context, any || d->trace || d->program, FALSE, time);
  g_idle_add (open_drop, d);
}

void
files_accept_drops (ScopeWindow *w)
{
  gtk_drag_dest_set (GTK_WIDGET (w), GTK_DEST_DEFAULT_ALL, NULL, 0, GDK_ACTION_COPY);
  gtk_drag_dest_add_uri_targets (GTK_WIDGET (w));
  g_signal_connect (w, "drag-data-received", G_CALLBACK (files_on_drop), NULL);
}

void
files_take_what_is_typed (GtkWindow *w)
{
  GtkWidget *focus = gtk_window_get_focus (w);

  if (!GTK_IS_ENTRY (focus) && !GTK_IS_TEXT_VIEW (focus))
    return;
  g_autoptr (GtkWidget) field = g_object_ref (focus);
  gtk_window_set_focus (w, NULL);
  if (gtk_widget_get_toplevel (field) != GTK_WIDGET (w) || !gtk_widget_get_mapped (field))
    return;
  if (GTK_IS_ENTRY (field))
    gtk_entry_grab_focus_without_selecting (GTK_ENTRY (field));
  else
    gtk_widget_grab_focus (field);
}
