/* SPDX-License-Identifier: Apache-2.0 */
/* What do you want to know?  Programs say in a note "question" which question they answer, and in a note "answer" of
 * what a sentence is to be told: it is read from the film as soon as that is whole, and names the task or the pair that
 * one would look for first. */
#include <string.h>
#include "document/story.h"
#include "session/places.h"
#include "window/window.h"

#define ASKED "scope-asked" /* of the window: the program whose question waits for its answer */
#define ABOUT "answer"

/* ---- the answer ---------------------------------------------------------------------------------------------------------- */

static void
answer (ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  const char *asked = g_object_get_data (G_OBJECT (w), ASKED);
  g_autoptr (GError) error = NULL;

  if (!asked || !scope_document_is_open (d))
    return;
  if (g_strcmp0 (asked, scope_document_program_path (d))) { /* something else was opened meanwhile */
    g_object_set_data (G_OBJECT (w), ASKED, NULL);
    return;
  }
  if (scope_document_film_state (d, NULL) != FILM_COMPLETE)
    return;
  g_autofree char *question = g_strdup (eve_program_note (scope_document_program (d), "question"));
  g_autofree char *about = g_strdup (eve_program_note (scope_document_program (d), "answer"));
  g_object_set_data (G_OBJECT (w), ASKED, NULL);
  if (!*about) /* the views alone answer */
    return;
  g_autoptr (Story) s = story_new (d, scope_document_first (d), scope_document_last (d), STORY_BY_TASK, &error);
  g_autofree char *text = s ? story_answer (s, g_strstrip (about)) : NULL;
  if (text && *text)
    scope_document_say_about (d, ABOUT, SCOPE_SAY_NOTE, "%s %s", g_strstrip (question), text);
}

void
questions_init (ScopeWindow *w)
{
  g_signal_connect_object (scope_window_document (w), "film", G_CALLBACK (answer), w, G_CONNECT_SWAPPED);
}

/* ---- the question ----------------------------------------------------------------------------------------------------------- */

static void
add_card (GtkWidget *list, const PlacesProgram *p)
{
  gtk_container_add (GTK_CONTAINER (list), program_card_new (p, false, true));
}

/* Those on offer for the format that ask something, then what the person made. */
static void
fill (GtkWidget *list, ScopeDocument *d)
{
  g_autoptr (GPtrArray) programs = places_programs (scope_document_source (d)->format->name);
  GList *own = recent_list (RECENT_PROGRAMS);

  for (guint i = 0; i < programs->len; ++i) {
    const PlacesProgram *p = programs->pdata[i];
    if (*p->question)
      add_card (list, p);
  }
  for (GList *l = own; l; l = l->next) {
    g_autofree char *path = g_filename_from_uri (gtk_recent_info_get_uri (l->data), NULL, NULL);
    if (!path || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
      continue;
    PlacesProgram *p = places_program_peek (path);
    if (!*p->doc) {
      g_free (p->doc);
      p->doc = g_path_get_dirname (path);
    }
    add_card (list, p);
    places_program_free (p);
  }
  g_list_free_full (own, (GDestroyNotify) gtk_recent_info_unref);
}

static void
on_row (GtkListBox *list, GtkListBoxRow *row, GtkDialog *dialog)
{
  g_object_set_data_full (G_OBJECT (dialog), "path", g_strdup (g_object_get_data (G_OBJECT (row), "path")), g_free);
  gtk_dialog_response (dialog, GTK_RESPONSE_ACCEPT);
}

void
questions_ask (ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  GtkWidget *dialog, *list = gtk_list_box_new (), *scrolled = gtk_scrolled_window_new (NULL, NULL);
  int height = 0;

  if (!scope_document_is_open (d) || scope_document_busy (d, NULL))
    return;
  dialog = gtk_dialog_new_with_buttons ("What do you want to know?", GTK_WINDOW (w),
                                        GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT | GTK_DIALOG_USE_HEADER_BAR,
                                        "_Cancel", GTK_RESPONSE_CANCEL, NULL);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_BROWSE);
  atk_object_set_name (gtk_widget_get_accessible (list), "Questions");
  fill (list, d);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row), dialog);
  gtk_window_get_size (GTK_WINDOW (w), NULL, &height);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scrolled), MAX (height - 140, 200));
  gtk_container_add (GTK_CONTAINER (scrolled), list);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (dialog))), scrolled, TRUE, TRUE, 0);
  gtk_widget_show_all (scrolled);
  gtk_widget_grab_focus (list);
  int said = gtk_dialog_run (GTK_DIALOG (dialog));
  g_autofree char *path = said == GTK_RESPONSE_ACCEPT ? g_strdup (g_object_get_data (G_OBJECT (dialog), "path")) : NULL;
  gtk_widget_destroy (dialog);
  if (!path)
    return;
  if (g_strcmp0 (path, scope_document_program_path (d)))
    scope_window_open_program (w, path);
  if (g_strcmp0 (path, scope_document_program_path (d))) /* it was refused, or the person stays */
    return;
  g_object_set_data_full (G_OBJECT (w), ASKED, g_strdup (path), g_free);
  answer (w);
}
