/* SPDX-License-Identifier: Apache-2.0 */
#include "window/app.h"
#include "document/hand-over.h"
#include "eve/words.h"
#include <glib-unix.h>
#include <stdlib.h>
#include <string.h>
#include "config.h"
#include "eve/eve-host.h"
#include "session/places.h"
#include "session/plugins.h"
#include "window/commands.h"
#include "window/window.h"
#include "eve/disk.h"

struct _ScopeApp {
  GtkApplication parent;
  GPtrArray *problems; /* of char *: components that could not be loaded; told by the first window */
  bool recovered;      /* what a crash left was offered */
};
G_DEFINE_FINAL_TYPE (ScopeApp, scope_app, GTK_TYPE_APPLICATION)

/* ---- windows -------------------------------------------------------------------------------------------------------- */

static gboolean
destroy_on_escape (GtkWidget *window, GdkEventKey *event, gpointer none)
{
  (void) none;
  if (event->keyval != GDK_KEY_Escape)
    return GDK_EVENT_PROPAGATE;
  gtk_widget_destroy (window);
  return GDK_EVENT_STOP;
}

void
window_closes_by_escape (GtkWidget *window)
{
  g_signal_connect (window, "key-press-event", G_CALLBACK (destroy_on_escape), NULL);
}

/* What gets the keys may be destroyed on their way there, by what is done as another field is left: GTK would then keep
 * a pointer to nothing as what has them. */
static gboolean
forget_what_is_gone (void *asked)
{
  GtkWidget **both = asked; /* a window, what was to have its keys */

  if (gtk_window_get_focus (GTK_WINDOW (both[0])) == both[1] && gtk_widget_get_toplevel (both[1]) != both[0])
    gtk_window_set_focus (GTK_WINDOW (both[0]), NULL);
  g_object_unref (both[0]);
  g_object_unref (both[1]);
  g_free (both);
  return G_SOURCE_REMOVE;
}

static gboolean
hold_what_gets_the_keys (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer none)
{
  GtkWidget *widget = g_value_get_object (values + 1);

  if (widget) {
    GtkWidget **both = g_new (GtkWidget *, 2);
    both[0] = g_value_dup_object (values);
    both[1] = g_object_ref (widget);
    g_idle_add_full (G_PRIORITY_HIGH, forget_what_is_gone, both, NULL);
  }
  return TRUE;
}

static ScopeWindow *
new_window (ScopeApp *app)
{
  ScopeWindow *w = SCOPE_WINDOW (scope_window_new (GTK_APPLICATION (app)));

  gtk_window_present (GTK_WINDOW (w));
  for (guint i = 0; i < app->problems->len; ++i)
    scope_document_say_about (scope_window_document (w), "always", SCOPE_SAY_WARNING, "%s",
                              (char *) g_ptr_array_index (app->problems, i));
  g_ptr_array_set_size (app->problems, 0);
  return w;
}

/* The window that has nothing open, or a new one. */
static ScopeWindow *
free_window (ScopeApp *app)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (app)); l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data)) {
      ScopeDocument *d = scope_window_document (l->data);
      if (!scope_document_is_open (d) && !scope_document_busy (d, NULL)) {
        gtk_window_present (l->data);
        return l->data;
      }
    }
  return new_window (app);
}

/* ---- after a crash ----------------------------------------------------------------------------------------------------- */

static void
answer_recovery (GtkDialog *dialog, int answer, gpointer app)
{
  GPtrArray *all = g_object_get_data (G_OBJECT (dialog), "recovered");

  gtk_widget_hide (GTK_WIDGET (dialog));
  for (guint i = 0; i < all->len; ++i) {
    Recovered *r = g_ptr_array_index (all, i);
    if (answer == GTK_RESPONSE_ACCEPT)
      scope_window_recover (free_window (app), r);
    else if (answer == GTK_RESPONSE_REJECT)
      recovered_discard (r);
  }
  gtk_widget_destroy (GTK_WIDGET (dialog));
}

static void
offer_recovery (ScopeApp *app)
{
  if (app->recovered)
    return;
  app->recovered = true;
  g_autoptr (GPtrArray) all = recovery_list ();
  if (!all->len)
    return;
  GtkWidget *dialog = gtk_message_dialog_new (
      gtk_application_get_active_window (GTK_APPLICATION (app)), GTK_DIALOG_DESTROY_WITH_PARENT | GTK_DIALOG_MODAL,
      GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, _ ("Scope did not end well the last time.  Go on where it was?"));
  g_autoptr (GString) list = g_string_new (NULL);
  for (guint i = 0; i < all->len; ++i)
    g_string_append_printf (list, "%s%s", i ? "\n" : "", ((Recovered *) g_ptr_array_index (all, i))->title);
  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s", list->str);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("_Discard"), GTK_RESPONSE_REJECT, _ ("_Later"), GTK_RESPONSE_CANCEL,
                          _ ("_Recover"), GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_ACCEPT);
  g_object_set_data_full (G_OBJECT (dialog), "recovered", g_steal_pointer (&all), (GDestroyNotify) g_ptr_array_unref);
  g_signal_connect (dialog, "response", G_CALLBACK (answer_recovery), app);
  gtk_window_present (GTK_WINDOW (dialog));
}

/* ---- command line ------------------------------------------------------------------------------------------------------ */

static void
app_activate (GApplication *app)
{
  free_window (SCOPE_APP (app));
  offer_recovery (SCOPE_APP (app));
}

/* TRACE..., PROGRAM.eve or both, as typed in the folder of whoever started this process. */
static int
command_line (GApplication *application, GApplicationCommandLine *line)
{
  ScopeApp *app = SCOPE_APP (application);
  GVariantDict *options = g_application_command_line_get_options_dict (line);
  g_auto (GStrv) words = NULL;
  g_autoptr (GPtrArray) traces = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *program = NULL;

  g_variant_dict_lookup (options, G_OPTION_REMAINING, "^aay", &words);
  for (char **word = words; word && *word; ++word) {
    g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (line, *word);
    char *path = g_file_get_path (file);
    path = path ? path : g_strdup (*word);
    if (!g_str_has_suffix (*word, ".eve")) {
      g_ptr_array_add (traces, path);
    } else if (!program) {
      program = path;
    } else {
      g_free (path);
      g_application_command_line_printerr (line, _ ("scope: %s: one program is all that can be opened at once\n"),
                                           *word);
      return 2;
    }
  }
  g_ptr_array_add (traces, NULL);
  ScopeWindow *w = g_variant_dict_contains (options, "new-window") ? new_window (app) : free_window (app);
  if (g_variant_dict_contains (options, "follow"))
    scope_document_follow_next (scope_window_document (w));
  const char *looks = NULL;
  if (g_variant_dict_lookup (options, "associations", "^&ay", &looks)) {
    g_autoptr (GFile) file = g_application_command_line_create_file_for_arg (line, looks);
    g_autofree char *path = g_file_get_path (file);
    scope_document_set_associations (scope_window_document (w), path ? path : looks);
  }
  if (traces->len > 1)
    scope_window_open_several (w, traces->pdata[0], traces->len > 2 ? (const char *const *) traces->pdata + 1 : NULL,
                               NULL, program);
  else if (program)
    scope_window_open_program (w, program);
  offer_recovery (app);
  return 0;
}

/* ---- actions of the application -------------------------------------------------------------------------------------- */

static void
act_new_window (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  new_window (app);
}

static void
act_preferences (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  preferences_show (gtk_application_get_active_window (app));
}

static void
act_quit (GSimpleAction *action, GVariant *parameter, gpointer app)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (app));

  for (GList *l = windows; l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data)) {
      gtk_window_present (l->data);
      if (!scope_window_close (l->data))
        return;
    }
}

/* The desktop ends, or somebody asks the process to: nobody can be asked anything, what is not saved is offered the
 * next time.  Loops of dialogs may be under way, so that leaving the loop of the application would not do. */
static gboolean
app_on_end (gpointer app)
{
  g_autoptr (GList) windows = g_list_copy (gtk_application_get_windows (app));

  for (GList *l = windows; l; l = l->next)
    if (SCOPE_IS_WINDOW (l->data))
      scope_window_end (l->data);
  exit (0);
}

static const GActionEntry actions[] = {
  { "new-window", act_new_window },
  { "preferences", act_preferences },
  { "quit", act_quit },
};

static void
startup (GApplication *application)
{
  ScopeApp *app = SCOPE_APP (application);
  g_autofree char *components = places_components ();

  G_APPLICATION_CLASS (scope_app_parent_class)->startup (application);
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WINDOW)); /* else it has no signals yet */
  g_signal_add_emission_hook (g_signal_lookup ("set-focus", GTK_TYPE_WINDOW), 0,
                              (GSignalEmissionHook) G_CALLBACK (hold_what_gets_the_keys), NULL, NULL);
  dress_windows ();
  gtk_icon_theme_add_resource_path (gtk_icon_theme_get_default (), "/org/scope_trace/Scope/icons");
  gtk_window_set_default_icon_name (SCOPE_APP_ID);
  preferences_load ();
  plugins_guard ();
  disk_set_keeper (places_may_change);
  eve_registry_add_folder (components);
  eve_registry_load_all (app->problems);
  g_action_map_add_action_entries (G_ACTION_MAP (app), actions, G_N_ELEMENTS (actions), app);
  commands_set_keys (GTK_APPLICATION (app));
  g_unix_signal_add (SIGTERM, app_on_end, app);
}

static void
app_finalize (GObject *object)
{
  g_ptr_array_unref (SCOPE_APP (object)->problems);
  objects_end ();
  hand_over_end ();
  G_OBJECT_CLASS (scope_app_parent_class)->finalize (object);
}

static void
scope_app_class_init (ScopeAppClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = app_finalize;
  G_APPLICATION_CLASS (klass)->startup = startup;
  G_APPLICATION_CLASS (klass)->activate = app_activate;
  G_APPLICATION_CLASS (klass)->command_line = command_line;
}

static void
scope_app_init (ScopeApp *app)
{
  static const GOptionEntry entries[] = {
    { "follow", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Go along with a trace that is still being written"), NULL },
    { "associations", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("How attributes look: a file as docs/associations.md has it, over those of the person, bundle and program"),
      "FILE" },
    { "new-window", 'n', 0, G_OPTION_ARG_NONE, NULL, N_ ("Open in a new window"), NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, NULL, NULL, N_ ("[TRACE...] [PROGRAM.eve]") },
    { NULL },
  };

  app->problems = g_ptr_array_new_with_free_func (g_free);
  g_application_add_main_option_entries (G_APPLICATION (app), entries);
}

ScopeApp *
scope_app_new (void)
{
  return g_object_new (SCOPE_TYPE_APP, "application-id", SCOPE_APP_ID, "flags", G_APPLICATION_HANDLES_COMMAND_LINE,
                       NULL);
}
