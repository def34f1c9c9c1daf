/* SPDX-License-Identifier: Apache-2.0 */
/* ways.c - from one program or trace to another, and back. */
#include "eve/words.h"
#include "session/exchange.h"
#include "panes/panes.h"
#include "session/session.h"
#include "window/window-private.h"

/* A program that can be opened with a trace. */
typedef struct Way {
  char *leads_from; /* a trace */
  char *trace, *format;
  char *program, *text;     /* text: what it is, if that is not what the file holds */
  bool back;                /* to what was open before, */
  ScopeStay *stay;          /* as it was looked at; NULL: it is not known */
  int64_t from, to;         /* the part of time that views showed; from > to: all of it */
  char *offer, *offer_text; /* what was offered there; NULL: nothing */
} Way;

static void
way_free (gpointer data)
{
  Way *way = data;

  g_free (way->leads_from);
  g_free (way->trace);
  g_free (way->format);
  g_free (way->program);
  g_free (way->text);
  g_free (way->offer);
  g_free (way->offer_text);
  scope_document_stay_free (way->stay);
  g_free (way);
}

/* Of the trace that is open; keeps none of the texts. */
static Way *
way_new (ScopeWindow *w, const char *program, const char *text)
{
  Way *way = g_new0 (Way, 1);

  way->leads_from = g_strdup (scope_document_trace (w->doc));
  way->trace = g_strdup (way->leads_from);
  way->format = g_strdup (scope_document_source (w->doc)->format->name);
  way->program = g_strdup (program);
  way->text = g_strdup (text);
  return way;
}

/* Back to the program that is open, as it is now. */
static Way *
way_back_new (ScopeWindow *w)
{
  g_autofree char *now = scope_document_modified (w->doc) ? eve_program_text (scope_document_program (w->doc)) : NULL;
  Way *way = way_new (w, scope_document_program_path (w->doc), now);

  way->back = true;
  way->stay = scope_document_stay_new (w->doc);
  panes_sight (w->panes, &way->from, &way->to);
  return way;
}

static void
ways_keep (ScopeWindow *w, const char *which, Way *way)
{
  g_object_set_data_full (G_OBJECT (w), which, way, way_free);
}

/* The one that was kept, if it leads on from what is open; way_free().  NULL: it does not, or the person wants to stay.
 */
static Way *
ways_take (ScopeWindow *w, const char *which)
{
  Way *way = g_object_get_data (G_OBJECT (w), which);

  if (!way || scope_document_busy (w->doc, NULL) || g_strcmp0 (way->leads_from, scope_document_trace (w->doc)) != 0)
    return NULL;
  bool untouched = way->back && !edit_history_undo_label (scope_document_history (w->doc)); /* it can be had again */
  if (!untouched && !ways_may_leave (w))
    return NULL;
  return g_object_steal_data (G_OBJECT (w), which);
}

/* Tells of an exchange, with the way back. */
static void
say_exchanged (ScopeWindow *w, const char *name, GPtrArray *lost)
{
  g_ptr_array_add (lost, NULL);
  g_autofree char *wires = g_strjoinv (", ", (char **) lost->pdata);

  if (!scope_document_is_shipped (w->doc) && g_file_test (scope_document_program_path (w->doc), G_FILE_TEST_EXISTS))
    scope_document_say_about (w->doc, WAYS_BACK, SCOPE_SAY_WARNING,
                              _ ("%s has another reader and simulator; its file is as it was.%s%s"), name,
                              *wires ? _ (" These wires did not fit: ") : "", wires);
  else
    scope_document_say_about (w->doc, WAYS_BACK, SCOPE_SAY_WARNING,
                              _ ("“%s” has another reader and simulator; it is not saved yet.%s%s"),
                              in_words (eve_program_title (scope_document_program (w->doc))),
                              *wires ? _ (" These wires did not fit: ") : "", wires);
}

static bool
has_changes (ScopeWindow *w)
{
  if (scope_document_is_open (w->doc))
    files_take_what_is_typed (GTK_WINDOW (w));
  return scope_document_is_open (w->doc) && scope_document_modified (w->doc);
}

/* What becomes of changes that are not saved: GTK_RESPONSE_REJECT they may be lost, _ACCEPT they are to be saved,
 * _APPLY they are taken along (asked only where they can be), anything else: the person wants to stay. */
static int
ask_about_changes (ScopeWindow *w, bool can_come_along)
{
  const char *title = eve_program_title (scope_document_program (w->doc));
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (w), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT,
                                              GTK_MESSAGE_QUESTION, GTK_BUTTONS_NONE, _ ("Save the changes to “%s”?"),
                                              *title ? title : _ ("the program"));

  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog), "%s",
      can_come_along
          ? _ ("It is not for traces of this format. Taken along, it gets another reader and simulator; all its "
               "other boxes stay. What is neither saved nor taken along is lost.")
          : _ ("What is not saved is lost when the program is closed."));
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("Close _without Saving"), GTK_RESPONSE_REJECT, _ ("_Cancel"),
                          GTK_RESPONSE_CANCEL, _ ("_Save"), GTK_RESPONSE_ACCEPT, NULL);
  if (can_come_along)
    gtk_dialog_add_button (GTK_DIALOG (dialog), _ ("_Take Along"), GTK_RESPONSE_APPLY);
  gtk_style_context_add_class (
      gtk_widget_get_style_context (gtk_dialog_get_widget_for_response (GTK_DIALOG (dialog), GTK_RESPONSE_REJECT)),
      "destructive-action");
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), can_come_along ? GTK_RESPONSE_APPLY : GTK_RESPONSE_ACCEPT);
  int answer = gtk_dialog_run (GTK_DIALOG (dialog));
  gtk_widget_destroy (dialog);
  return answer;
}

static bool
ways_leaves (ScopeWindow *w, int answer)
{
  return answer == GTK_RESPONSE_REJECT || (answer == GTK_RESPONSE_ACCEPT && scope_window_save (w, false));
}

bool
ways_may_leave (ScopeWindow *w)
{
  return !has_changes (w) || ways_leaves (w, ask_about_changes (w, false));
}

/* The program that was open, as `text`, on another trace. */
static void
open_along (ScopeWindow *w, const char *trace, const char *format, const char *text, GPtrArray *lost)
{
  g_autofree char *path = g_strdup (scope_document_program_path (w->doc)), *name = g_path_get_basename (path),
                  *was = g_strdup (scope_document_trace (w->doc)),
                  *title = g_strdup (in_words (eve_program_title (scope_document_program (w->doc))));
  Way *back = way_back_new (w);

  if (!ways_open (w, trace, NULL, format, path, text)) {
    way_free (back);
    return;
  }
  g_free (back->leads_from);
  back->leads_from = g_strdup (scope_document_trace (w->doc));
  ways_keep (w, WAYS_BACK, back);
  if (lost)
    say_exchanged (w, name, lost);
  else if (g_strcmp0 (was, back->leads_from) != 0)
    scope_document_say_about (w->doc, WAYS_BACK, SCOPE_SAY_NOTE,
                              _ ("“%s” has come along with its changes, which are not saved yet"), title);
}

WaysAlong
ways_go_along (ScopeWindow *w, const char *trace, const char *format)
{
  if (!has_changes (w))
    return WAYS_LEAVE;
  g_autofree char *text = eve_program_text (scope_document_program (w->doc));
  if (g_strcmp0 (format, scope_document_source (w->doc)->format->name) == 0) {
    open_along (w, trace, format, text, NULL);
    return WAYS_WENT;
  }
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *exchanged = !format ? NULL
                                       : exchange_text (scope_document_program_path (w->doc), text, format, lost, NULL);
  int answer = ask_about_changes (w, exchanged);
  if (answer == GTK_RESPONSE_APPLY)
    open_along (w, trace, format, exchanged, lost);
  return answer == GTK_RESPONSE_APPLY ? WAYS_WENT : ways_leaves (w, answer) ? WAYS_LEAVE : WAYS_STAY;
}

char *
ways_leave (ScopeWindow *w, char **text)
{
  if (!scope_document_is_open (w->doc) || scope_document_is_shipped (w->doc))
    return NULL;
  *text = eve_program_text (scope_document_program (w->doc));
  return g_strdup (scope_document_program_path (w->doc));
}

/* A file that can be used with the trace once its reader is exchanged. */
static bool
is_of_another_format (const char *trace, const char *format, const char *program, const GError *why)
{
  bool lacks = g_error_matches (why, SESSION_ERROR, SESSION_ERROR_READER)
               || g_error_matches (why, SESSION_ERROR, SESSION_ERROR_PROGRAM);

  if (!program || !lacks || !g_file_test (program, G_FILE_TEST_IS_REGULAR))
    return false;
  TraceBundle *b = format ? NULL : trace_bundle_open (trace, NULL);
  const char *one = format ? format : b && b->formats->len == 1 ? b->formats->pdata[0] : NULL;
  g_autofree char *text = one ? exchange_text (program, NULL, one, NULL, NULL) : NULL;

  if (b)
    trace_bundle_free (b);
  return text != NULL;
}

bool
ways_open (ScopeWindow *w, const char *trace, const char *const *more, const char *format, const char *program,
           const char *text)
{
  g_autoptr (GError) error = NULL;

  g_object_ref (w);
  bool ok = scope_document_open (w->doc, trace, more, format, program, text, &error);
  if (!ok && !text && !more && is_of_another_format (trace, format, program, error)) {
    ok = g_strcmp0 (trace, scope_document_trace (w->doc)) == 0 /* it is open, with a program that can be kept */
         || scope_document_open (w->doc, trace, NULL, format, NULL, NULL, NULL);
    if (ok)
      ways_offer (w, program, NULL);
  }
  if (!ok && error && !g_error_matches (error, TRACE_ERROR, TRACE_ERROR_CANCELLED)
      && !g_error_matches (error, SESSION_ERROR, SESSION_ERROR_CANCELLED))
    ok = files_open_usual (w->doc, trace, more, format, text ? NULL : program, error->message);
  g_object_unref (w);
  return ok;
}

void
ways_offer (ScopeWindow *w, const char *program, const char *text)
{
  const TraceFormat *format = scope_document_source (w->doc)->format;
  g_autofree char *exchanged = exchange_text (program, text, format->name, NULL, NULL),
                  *name = g_path_get_basename (program);

  if (!exchanged) /* it would be no program for this trace */
    return;
  ways_keep (w, WAYS_EXCHANGE, way_new (w, program, text));
  scope_document_say_about (
      w->doc, WAYS_EXCHANGE, SCOPE_SAY_WARNING,
      _ ("%s is not for traces of %s. It can be opened with another reader and simulator, so that "
         "all its other boxes show this trace."),
      name, in_words (format->label));
}

void
ways_exchange (GSimpleAction *action, GVariant *none, gpointer window)
{
  ScopeWindow *w = window;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) lost = g_ptr_array_new_with_free_func (g_free);
  Way *way = ways_take (w, WAYS_EXCHANGE);

  if (!way)
    return;
  g_autofree char *text = exchange_text (way->program, way->text, way->format, lost, &error),
                  *name = g_path_get_basename (way->program);
  Way *back = way_back_new (w);
  back->offer = g_strdup (way->program);
  back->offer_text = g_strdup (way->text);
  if (!text) {
    scope_document_say (w->doc, SCOPE_SAY_ERROR, "%s", error->message);
  } else if (ways_open (w, way->trace, NULL, way->format, way->program, text)) {
    ways_keep (w, WAYS_BACK, g_steal_pointer (&back));
    say_exchanged (w, name, lost);
  }
  if (back)
    way_free (back);
  way_free (way);
}

void
ways_go_back (GSimpleAction *action, GVariant *none, gpointer window)
{
  ScopeWindow *w = window;
  Way *way = ways_take (w, WAYS_BACK);

  if (!way)
    return;
  scope_document_return_next (w->doc, g_steal_pointer (&way->stay));
  bool opened = ways_open (w, way->trace, NULL, way->format, way->program, way->text);
  scope_document_return_next (w->doc, NULL); /* also where it was refused */
  if (opened)
    panes_set_sight (w->panes, way->from, way->to);
  if (opened && way->offer)
    ways_offer (w, way->offer, way->offer_text);
  way_free (way);
}

void
ways_use (GSimpleAction *action, GVariant *program, gpointer window)
{
  ScopeWindow *w = window;
  const char *path = g_variant_get_string (program, NULL);
  Way *back = NULL;
  g_autofree char *left = NULL;

  if (scope_document_is_open (w->doc)) {
    back = way_back_new (w);
    left = g_strdup (in_words (eve_program_title (scope_document_program (w->doc))));
  }
  scope_window_open_program (w, path);
  if (back && g_strcmp0 (scope_document_trace (w->doc), back->trace) == 0
      && g_strcmp0 (scope_document_program_path (w->doc), back->program) != 0) {
    ways_keep (w, WAYS_BACK, g_steal_pointer (&back));
    scope_document_say_about (w->doc, WAYS_BACK, SCOPE_SAY_NOTE, _ ("“%s” is open in the place of “%s”"),
                              in_words (eve_program_title (scope_document_program (w->doc))), left);
  }
  if (back)
    way_free (back);
}
