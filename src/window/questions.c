/* SPDX-License-Identifier: Apache-2.0 */
/* What do you want to know?  Programs say in a note "question" which question they answer, and in a note "answer" of
 * what a sentence is to be told: it is read from the film as soon as that is whole, and names the task or the pair that
 * one would look for first. */
#include <string.h>
#include "document/story.h"
#include "eve/words.h"
#include "session/places.h"
#include "statistics/findings.h"
#include "window/window.h"

#define ASKED "scope-asked"      /* of the window: the program whose question waits for its answer */
#define GOES "scope-answer-goes" /* of the window: it was sent to the end, where the answer is */
#define OPENED "scope-opened-at" /* of the window: the session that was looked at when it had been opened */

/* ---- the answer ---------------------------------------------------------------------------------------------------------- */

/* What a component of the program says of it, which knows better than states alone; NULL: none knows anything. */
static char *
told_by_component (EveProgram *p, const char *about)
{
  char *text = NULL;

  for (uint32_t i = 0; i < eve_n_components (p) && !text; ++i) {
    EveComponent *c = eve_component (p, i);
    const StatsAnswer *face = eve_is_ghost (c) ? NULL : eve_query (c, "answer/1");
    text = face ? face->tell (c, about) : NULL;
  }
  return text;
}

/* Whether something is there at the end alone: what components say, and the tables that views show. */
static bool
is_told_at_end (EveProgram *p)
{
  for (uint32_t i = 0; i < eve_n_flows (p); ++i) {
    EveWire wire = eve_flow (p, i);
    const EveClass *k = wire.broken || eve_is_ghost (wire.to) ? NULL : eve_class (wire.to);
    for (uint32_t n = 0; k && n < k->n_ins; ++n)
      if (k->ins[n].type == &stats_type_table && g_str_equal (k->ins[n].name, wire.in) && session_view (wire.to))
        return true;
  }
  for (uint32_t i = 0; i < eve_n_components (p); ++i)
    if (!eve_is_ghost (eve_component (p, i)) && eve_query (eve_component (p, i), "answer/1"))
      return true;
  return false;
}

/* Goes to the end, once; true: time stands there. */
static bool
stands_at_end (ScopeWindow *w, ScopeDocument *d)
{
  if (scope_document_at_end (d))
    return true;
  if (!g_object_get_data (G_OBJECT (w), GOES)) {
    g_object_set_data (G_OBJECT (w), GOES, GINT_TO_POINTER (1));
    scope_document_go_last (d);
  }
  return scope_document_at_end (d);
}

/* As soon as its film allows it, unless somebody went elsewhere meanwhile, be it to the beginning; with a film that is
 * there the document does so by itself. */
static void
open_at_end (ScopeWindow *w, ScopeDocument *d)
{
  Session *s = scope_document_session (d);

  if (g_object_get_data (G_OBJECT (w), OPENED) == s)
    return;
  g_object_set_data (G_OBJECT (w), OPENED, s);
  if (scope_document_opens_at_end (d) && scope_document_event (d) == 0 && !scope_document_was_sent (d))
    scope_document_go_last (d);
}

static void
questions_answer (ScopeWindow *w)
{
  ScopeDocument *d = scope_window_document (w);
  const char *asked = g_object_get_data (G_OBJECT (w), ASKED);
  g_autoptr (GError) error = NULL;

  if (!scope_document_is_open (d) || scope_document_film_state (d, NULL) != FILM_COMPLETE)
    return;
  open_at_end (w, d);
  if (!asked)
    return;
  if (g_strcmp0 (asked, scope_document_program_path (d))) { /* something else was opened meanwhile */
    g_object_set_data (G_OBJECT (w), ASKED, NULL);
    return;
  }
  EveProgram *p = scope_document_program (d);
  if (is_told_at_end (p) && !stands_at_end (w, d))
    return; /* "time" tells of it */
  g_autofree char *question = g_strstrip (g_strdup (eve_program_note (p, "question")));
  g_autofree char *about = g_strstrip (g_strdup (eve_program_note (p, "answer")));
  g_object_set_data (G_OBJECT (w), ASKED, NULL);
  if (!*about) /* the views alone answer */
    return;
  g_autofree char *text = told_by_component (p, about);
  if (!text) {
    g_autoptr (Story) s = story_new (d, scope_document_first (d), scope_document_last (d), STORY_BY_TASK, &error);
    text = s ? story_answer (s, about) : NULL;
  }
  if (text && *text)
    scope_document_say_about (d, MESSAGE_ANSWER, SCOPE_SAY_NOTE, "%s %s", in_words (question), text);
}

static void
questions_on_time (ScopeWindow *w)
{
  if (g_object_get_data (G_OBJECT (w), ASKED))
    questions_answer (w);
}

void
questions_init (ScopeWindow *w)
{
  g_signal_connect_object (scope_window_document (w), "film", G_CALLBACK (questions_answer), w, G_CONNECT_SWAPPED);
  g_signal_connect_object (scope_window_document (w), "time", G_CALLBACK (questions_on_time), w, G_CONNECT_SWAPPED);
}

/* ---- the question ----------------------------------------------------------------------------------------------------------- */

static void
questions_add_card (GtkWidget *list, ScopeDocument *d, const PlacesProgram *p)
{
  gtk_container_add (GTK_CONTAINER (list), program_card_new (p, program_is_present (d, p->path, p->title), true));
}

/* Those on offer for the format that ask something, first what most people want to know; then what the person made. */
static void
questions_fill (GtkWidget *list, ScopeDocument *d)
{
  g_autoptr (GPtrArray) programs = places_programs (scope_document_source (d)->format->name);
  GList *own = recent_list (RECENT_PROGRAMS);

  for (guint i = 0; i < 2 * programs->len; ++i) {
    const PlacesProgram *p = programs->pdata[i % programs->len];
    if (*p->question && p->first == (i < programs->len))
      questions_add_card (list, d, p);
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
    questions_add_card (list, d, p);
    places_program_free (p);
  }
  g_list_free_full (own, (GDestroyNotify) gtk_recent_info_unref);
}

static void
questions_on_row (GtkListBox *list, GtkListBoxRow *row, GtkDialog *dialog)
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
  dialog = gtk_dialog_new_with_buttons (_ ("What do you want to know?"), GTK_WINDOW (w),
                                        GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT | GTK_DIALOG_USE_HEADER_BAR,
                                        _ ("_Cancel"), GTK_RESPONSE_CANCEL, NULL);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_BROWSE);
  atk_object_set_name (gtk_widget_get_accessible (list), _ ("Questions"));
  questions_fill (list, d);
  g_signal_connect (list, "row-activated", G_CALLBACK (questions_on_row), dialog);
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
  g_object_set_data (G_OBJECT (w), GOES, NULL);
  questions_answer (w);
}
