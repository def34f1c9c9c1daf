/* SPDX-License-Identifier: Apache-2.0 */
/* tools.c - "Ask a tool": what is to be given, and the command that gets it; what it answers is selected, or becomes
 * data of the program (document/asks.h).  Who types the command has agreed to it. */
#include <string.h>
#include "document/asks.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "session/places.h"
#include "views/view.h"
#include "window/window.h"

#define MOST_KEPT 12 /* commands that were asked last */
#define GROUP "tools"

typedef struct Tools {
  ScopeWindow *w;
  GtkWidget *dialog, *give, *command;
} Tools;

static char **
tools_kept (void)
{
  g_autofree char *path = places_preferences ();
  g_autoptr (GKeyFile) keys = g_key_file_new ();

  disk_read_keys (keys, path, G_KEY_FILE_NONE);
  char **all = g_key_file_get_string_list (keys, GROUP, "asked", NULL, NULL);
  return all ? all : g_new0 (char *, 1);
}

/* The last first; what cannot be kept is typed again. */
static void
tools_keep (const char *command)
{
  g_autofree char *path = places_preferences (), *folder = g_path_get_dirname (path);
  g_autoptr (GKeyFile) keys = g_key_file_new ();
  g_auto (GStrv) before = tools_kept ();
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  disk_read_keys (keys, path, G_KEY_FILE_KEEP_COMMENTS);
  g_ptr_array_add (all, (char *) command);
  for (char **c = before; *c && all->len < MOST_KEPT; ++c)
    if (!g_str_equal (*c, command))
      g_ptr_array_add (all, *c);
  g_key_file_set_string_list (keys, GROUP, "asked", (const char *const *) all->pdata, all->len);
  g_mkdir_with_parents (folder, 0700);
  g_key_file_save_to_file (keys, path, NULL);
}

static void
add_gives (Tools *t)
{
  ScopeDocument *d = scope_window_document (t->w);
  EveProgram *p = scope_document_program (d);
  GtkComboBoxText *give = GTK_COMBO_BOX_TEXT (t->give);

  gtk_combo_box_text_append (give, "", _ ("Nothing but the trace and the instant"));
  gtk_combo_box_text_append (give, "selection", _ ("What is selected"));
  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    if (!view_get (c))
      continue;
    for (int picture = 0; picture < 2; ++picture) {
      g_autofree char *id = g_strdup_printf ("%s %s", picture ? "picture" : "table", eve_name (c));
      g_autofree char *label = g_strdup_printf (picture ? _ ("The picture of %s") : _ ("The table of %s"),
                                                in_words (eve_name (c)));
      gtk_combo_box_text_append (give, id, label);
    }
  }
  gtk_combo_box_set_active_id (GTK_COMBO_BOX (give), trace_refs_n (scope_document_selection (d)) ? "selection" : "");
}

static void
tools_on_response (GtkDialog *dialog, int answer, Tools *t)
{
  ScopeDocument *d = scope_window_document (t->w);

  if (answer == GTK_RESPONSE_ACCEPT && scope_document_is_open (d)) {
    GtkWidget *entry = gtk_bin_get_child (GTK_BIN (t->command));
    const char *give = gtk_combo_box_get_active_id (GTK_COMBO_BOX (t->give));
    g_autofree char *command = g_strstrip (g_strdup (gtk_entry_get_text (GTK_ENTRY (entry))));
    g_autofree char *words = g_strdup_printf ("%s | %s", give ? give : "", command);
    if (*command) {
      tools_keep (command);
      asks_start (d, words);
    }
  }
  gtk_widget_destroy (GTK_WIDGET (dialog));
}

static void
tools_add_line (GtkGrid *grid, int row, const char *label, GtkWidget *what, const char *name)
{
  GtkWidget *text = gtk_label_new_with_mnemonic (label);

  gtk_label_set_xalign (GTK_LABEL (text), 0);
  gtk_label_set_mnemonic_widget (GTK_LABEL (text), what);
  atk_object_set_name (gtk_widget_get_accessible (what), name);
  gtk_widget_set_hexpand (what, TRUE);
  gtk_grid_attach (grid, text, 0, row, 1, 1);
  gtk_grid_attach (grid, what, 1, row, 1, 1);
}

static void
tools_act (GSimpleAction *action, GVariant *unused, gpointer window)
{
  Tools *t = g_new0 (Tools, 1);
  GtkWidget *grid = gtk_grid_new (), *told = gtk_label_new (NULL);

  if (!scope_document_is_open (scope_window_document (window))) {
    g_free (t);
    return;
  }
  t->w = window;
  t->dialog = gtk_dialog_new_with_buttons (_ ("Ask a tool"), GTK_WINDOW (window),
                                           GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, _ ("_Cancel"),
                                           GTK_RESPONSE_CANCEL, _ ("_Ask"), GTK_RESPONSE_ACCEPT, NULL);
  t->give = gtk_combo_box_text_new ();
  t->command = gtk_combo_box_text_new_with_entry ();
  GtkWidget *entry = gtk_bin_get_child (GTK_BIN (t->command));
  g_auto (GStrv) before = tools_kept ();
  for (char **c = before; *c; ++c)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (t->command), *c);
  add_gives (t);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_entry_set_placeholder_text (GTK_ENTRY (entry), _ ("for example: python3 fit.py, or sort -t, -k2"));
  gtk_entry_set_width_chars (GTK_ENTRY (entry), 40);
  atk_object_set_name (gtk_widget_get_accessible (entry), _ ("Command"));
  gtk_label_set_text (GTK_LABEL (told),
                      _ ("The tool reads it on its standard input, and finds trace and instant in SCOPE_TRACE and "
                         "SCOPE_AT. A table with headings, or numbers, that it writes becomes data of the program; "
                         "names of tasks and links below the heading task are selected.\n\nThe command is "
                         "a program and its arguments. No shell reads it: for |, >, * or $NAME write "
                         "sh -c 'sort | head'."));
  gtk_label_set_line_wrap (GTK_LABEL (told), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (told), 56);
  gtk_label_set_xalign (GTK_LABEL (told), 0);
  gtk_style_context_add_class (gtk_widget_get_style_context (told), "dim-label");
  gtk_grid_set_row_spacing (GTK_GRID (grid), 8);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 10);
  g_object_set (grid, "margin", 12, NULL);
  tools_add_line (GTK_GRID (grid), 0, _ ("_Give it:"), t->give, _ ("Give it"));
  tools_add_line (GTK_GRID (grid), 1, _ ("C_ommand:"), t->command, _ ("Command"));
  gtk_grid_attach (GTK_GRID (grid), told, 0, 2, 2, 1);
  gtk_container_add (GTK_CONTAINER (gtk_dialog_get_content_area (GTK_DIALOG (t->dialog))), grid);
  gtk_dialog_set_default_response (GTK_DIALOG (t->dialog), GTK_RESPONSE_ACCEPT);
  g_object_set_data_full (G_OBJECT (t->dialog), "tools", t, g_free);
  g_signal_connect (t->dialog, "response", G_CALLBACK (tools_on_response), t);
  gtk_widget_show_all (t->dialog);
  gtk_widget_grab_focus (entry);
}

void
tools_init (ScopeWindow *w)
{
  static const GActionEntry entries[] = { { "ask-tool", tools_act } };

  g_action_map_add_action_entries (G_ACTION_MAP (w), entries, G_N_ELEMENTS (entries), w);
}
