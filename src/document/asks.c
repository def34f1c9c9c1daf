/* SPDX-License-Identifier: Apache-2.0 */
#include "document/asks.h"
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "document/hand-over.h"
#include "eve/visible.h"
#include "eve/words.h"
#include "session/called.h"
#include "statistics/csv-read.h"

#define MOST_BYTES (256 << 10) /* of an answer: it is kept in the program */
#define MOST_TOLD 400          /* of what the tool says of its failure */
#define SECONDS 60             /* that it has; SCOPE_TOOL_SECONDS: others */
#define SHOWN_AFTER_MS 500
#define PULSE_MS 100
#define CHUNK 16384
#define ANSWER "scope.answer"
#define TABLE "scope.table-view"
#define BESIDE_PX 224
#define BELOW_PX 110

typedef struct Giver {
  AsksGive give;
  gpointer of;
} Giver;

typedef struct Ask {
  ScopeDocument *d;
  Asked asked;
  char *trace, *tool; /* that it is about; the first word of the command */
  GSubprocess *child;
  GCancellable *over; /* of what is read and written: somebody else may hold the other end for ever */
  pid_t group;
  GString *answer, *trouble;
  guint open; /* streams and waits that are not over */
  guint timer, pulse;
  GtkWidget *dialog, *bar;
  gint64 began;
  enum { DONE_WELL, DONE_LATE, DONE_LONG, DONE_GIVEN_UP } done;
  char in[CHUNK], err[CHUNK];
} Ask;

/* ---- the words ------------------------------------------------------------------------------------------------------ */
void
asked_clear (Asked *a)
{
  g_free (a->view);
  g_free (a->into);
  g_free (a->command);
  memset (a, 0, sizeof *a);
}

static bool
asks_take_word (char **at, const char *word)
{
  size_t n = strlen (word);

  if (strncmp (*at, word, n) != 0 || ((*at)[n] && (*at)[n] != ' '))
    return false;
  *at += n;
  while (**at == ' ')
    ++*at;
  return true;
}

bool
asked_parse (const char *words, Asked *a, GError **error)
{
  const char *bar = strchr (words, '|');
  g_autofree char *head = g_strndup (words, bar ? (gsize) (bar - words) : 0), *command = g_strdup (bar ? bar + 1 : "");
  char *at = g_strstrip (head);

  memset (a, 0, sizeof *a);
  if (asks_take_word (&at, "selection"))
    a->what = ASKED_SELECTION;
  else if (asks_take_word (&at, "table"))
    a->what = ASKED_TABLE;
  else if (asks_take_word (&at, "picture"))
    a->what = ASKED_PICTURE;
  char *into = g_str_has_prefix (at, "into ") ? at : strstr (at, " into ");
  if (into) {
    a->into = g_strdup (g_strstrip (into + strlen (into == at ? "into " : " into ")));
    *into = 0;
  }
  g_strstrip (at);
  bool needs = a->what == ASKED_TABLE || a->what == ASKED_PICTURE;
  if (needs)
    a->view = g_strdup (at);
  a->command = g_strdup (g_strstrip (command));
  if (*a->command && (needs ? *at != 0 : *at == 0) && (!a->into || *a->into))
    return true;
  g_set_error (
      error, EVE_ERROR, EVE_ERROR_REFUSED,
      _ ("“ask %s” is not understood; it is: ask [selection, table VIEW or picture VIEW] [into BOX] | COMMAND"), words);
  asked_clear (a);
  return false;
}

/* ---- its data ------------------------------------------------------------------------------------------------------- */
void
asks_set_giver (ScopeDocument *d, AsksGive give, gpointer of)
{
  Giver *g = g_new (Giver, 1);

  *g = (Giver){ give, of };
  g_object_set_data_full (G_OBJECT (d), "asks-giver", g, g_free);
}

static char *
data_for (ScopeDocument *d, const Asked *a, gsize *n, GError **error)
{
  const Giver *g = g_object_get_data (G_OBJECT (d), "asks-giver");

  *n = 0;
  if (a->what == ASKED_NOTHING)
    return g_strdup ("");
  if (a->what == ASKED_SELECTION)
    return selected_csv (d, n);
  if (g && g->give)
    return g->give (g->of, a->view, a->what == ASKED_PICTURE ? "image/png" : "text/csv", n, error);
  g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("there is no view %s"), a->view);
  return NULL;
}

/* ---- its answer ------------------------------------------------------------------------------------------------------ */
/* Headings that say: these are names of what is meant. */
static int
column_of_names (const CsvTable *csv)
{
  const char *first = csv->cells->pdata[0], *second = csv->n_columns > 1 ? csv->cells->pdata[1] : "";

  if (csv->n_columns == 1 && (g_str_equal (first, "task") || g_str_equal (first, "name")))
    return 0;
  return csv->n_columns <= 3 && g_str_equal (first, "kind") && g_str_equal (second, "name") ? 1 : -1;
}

static void
select_named (Ask *a, const CsvTable *csv, uint32_t column)
{
  TraceSource *s = scope_document_view_source (a->d);
  g_autoptr (TraceRefs) refs = trace_refs_new ();
  Names *names = names_read (scope_document_film (a->d));
  guint unknown = 0;
  const char *one = NULL;

  for (uint32_t r = 0; r < csv->n_rows; ++r) {
    const char *name = csv_cell (csv, r, column);
    TraceRef ref = *name && s ? ref_called (names, s, name) : (TraceRef){ 0 };
    if (ref.type != TRACE_REF_NONE)
      trace_refs_add (refs, ref);
    else if (*name) {
      one = one ? one : name;
      ++unknown;
    }
  }
  names_free (names);
  guint n = trace_refs_n (refs);
  scope_document_select_refs (a->d, refs, false);
  scope_document_say (a->d, SCOPE_SAY_NOTE,
                      P_ ("%2$s has answered: %1$u is selected", "%2$s has answered: %1$u are selected", n), n,
                      a->tool);
  if (unknown) {
    g_autofree char *shown = visible_line (one, strlen (one));
    scope_document_say (a->d, SCOPE_SAY_WARNING,
                        P_ ("%2$s has named %1$u that there is not: %3$s",
                            "%2$s has named %1$u that there are not, such as %3$s", unknown),
                        unknown, a->tool, shown ? shown : one);
  }
}

/* Below everything, so that nothing is covered. */
static void
place_below (EveProgram *p, EveComponent *box, EveComponent *view)
{
  double x, y, lowest = 0;

  for (uint32_t i = 0; i < eve_n_components (p); ++i) {
    EveComponent *c = eve_component (p, i);
    if (c == box || c == view)
      continue;
    eve_position (c, &x, &y);
    lowest = MAX (lowest, y);
  }
  eve_set_position (box, 40, lowest + BELOW_PX);
  eve_set_position (view, 40 + BESIDE_PX, lowest + BELOW_PX);
}

/* The box that takes it, inside an edit; a new one is shown by a table. */
static EveComponent *
box_for (Ask *a, EveProgram *p, char **front, GError **error)
{
  if (a->asked.into) {
    EveComponent *c = eve_find (p, a->asked.into);
    if (!c || !g_str_equal (eve_class (c)->id, ANSWER)) {
      g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("there is no box %s that takes answers"), a->asked.into);
      return NULL;
    }
    return c;
  }
  for (uint32_t i = 0; i < eve_n_components (p); ++i)
    if (g_str_equal (eve_class (eve_component (p, i))->id, ANSWER))
      return eve_component (p, i);
  const EveClass *answer = eve_registry_find (ANSWER), *table = eve_registry_find (TABLE);
  EveComponent *c = answer ? eve_add (p, answer, NULL, error) : NULL;
  g_autofree char *name = g_strdup_printf (_ ("Answer of %s"), a->tool);
  EveComponent *view = c && table ? eve_add (p, table, name, NULL) : NULL;
  if (c && table && !view)
    view = eve_add (p, table, NULL, error);
  if (view && eve_connect (p, c, "table", view, "table", error)) {
    place_below (p, c, view);
    *front = g_strdup (eve_name (view));
  }
  if (!c && !*error)
    g_set_error (error, EVE_ERROR, EVE_ERROR_REFUSED, _ ("There is no component “%s”"), ANSWER);
  return c;
}

static void
asks_keep (Ask *a, const char *text)
{
  EveProgram *p = scope_document_program (a->d);
  g_autofree char *what = g_strdup_printf (_ ("Take the answer of %s"), a->tool), *front = NULL;
  g_autoptr (GError) error = NULL;

  scope_document_begin_edit (a->d, what);
  EveComponent *c = box_for (a, p, &front, &error);
  bool ok = c && eve_set (c, "answer", text, &error);
  g_autofree char *name = ok ? g_strdup (eve_name (c)) : NULL;
  scope_document_end_edit (a->d);
  if (!ok)
    scope_document_say (a->d, SCOPE_SAY_WARNING, _ ("The answer of %s cannot be kept: %s"), a->tool,
                        error ? error->message : "?");
  else
    scope_document_say (a->d, SCOPE_SAY_NOTE, _ ("%s has answered: it is in %s"), a->tool, name);
  if (front)
    g_signal_emit_by_name (a->d, "front", front);
}

/* One line of numbers alone has no headings. */
static char *
with_headings (const char *text)
{
  CsvTable *csv = csv_read (g_strdup (text), false, 1);
  bool numbers = csv->n_columns > 0;

  for (uint32_t c = 0; c < csv->n_columns; ++c) {
    char *end = NULL;
    const char *cell = csv->cells->pdata[c];
    g_ascii_strtod (cell, &end);
    numbers &= *cell && !*end;
  }
  g_autoptr (GString) all = g_string_new (NULL);
  for (uint32_t c = 0; numbers && c < csv->n_columns; ++c)
    if (csv->n_columns == 1)
      g_string_append (all, "value");
    else
      g_string_append_printf (all, "%svalue %u", c ? "," : "", c + 1);
  csv_free (csv);
  g_string_append_printf (all, "%s%s", numbers ? "\n" : "", text);
  return g_string_free (g_steal_pointer (&all), FALSE);
}

static void
take_answer (Ask *a)
{
  g_auto (GStrv) lines = g_strsplit (a->answer->str, "\r\n", -1);
  g_autofree char *joined = g_strjoinv ("\n", lines), *text = NULL;

  if (strlen (a->answer->str) != a->answer->len || !g_utf8_validate (a->answer->str, -1, NULL)) {
    scope_document_say (a->d, SCOPE_SAY_WARNING,
                        _ ("%s has answered something that is no text: tables and numbers are taken"), a->tool);
    return;
  }
  if (!*g_strstrip (joined)) {
    scope_document_say (a->d, SCOPE_SAY_NOTE, _ ("%s has ended and answered nothing"), a->tool);
    return;
  }
  text = with_headings (joined);
  CsvTable *csv = csv_read (g_strdup (text), false, G_MAXUINT32);
  int names = column_of_names (csv);
  if (names >= 0)
    select_named (a, csv, (uint32_t) names);
  else
    asks_keep (a, text);
  csv_free (csv);
}

/* ---- its end --------------------------------------------------------------------------------------------------------- */
static void
ask_free (Ask *a)
{
  g_clear_handle_id (&a->timer, g_source_remove);
  g_clear_handle_id (&a->pulse, g_source_remove);
  if (a->dialog) {
    g_signal_handlers_disconnect_by_data (a->dialog, a);
    gtk_widget_destroy (a->dialog);
  }
  g_object_set_data (G_OBJECT (a->d), "asks-works", NULL);
  g_object_unref (a->d);
  g_clear_object (&a->child);
  g_clear_object (&a->over);
  asked_clear (&a->asked);
  g_free (a->trace);
  g_free (a->tool);
  g_string_free (a->answer, TRUE);
  g_string_free (a->trouble, TRUE);
  g_free (a);
}

/* It and all that it started. */
static void
end_tool (Ask *a, int why)
{
  if (a->done == DONE_WELL)
    a->done = why;
  if (a->group > 0)
    kill (-a->group, SIGKILL);
  g_cancellable_cancel (a->over);
}

static void
asks_tell_end (Ask *a)
{
  bool well = g_subprocess_get_if_exited (a->child) && g_subprocess_get_exit_status (a->child) == 0;

  if (!scope_document_is_open (a->d) || g_strcmp0 (a->trace, scope_document_trace (a->d)) != 0)
    return; /* it is about something that is open no more */
  if (a->done == DONE_GIVEN_UP)
    scope_document_say (a->d, SCOPE_SAY_NOTE, _ ("%s was given up"), a->tool);
  else if (a->done == DONE_LATE)
    scope_document_say (a->d, SCOPE_SAY_WARNING, _ ("%s has not answered in time and was ended"), a->tool);
  else if (a->done == DONE_LONG)
    scope_document_say (a->d, SCOPE_SAY_WARNING,
                        _ ("%s has answered more than %d KiB and was ended: nothing of it is taken"), a->tool,
                        MOST_BYTES >> 10);
  else if (!well) {
    g_autofree char *valid = g_strstrip (g_utf8_make_valid (a->trouble->str, -1)),
                    *shown = visible_text (valid, strlen (valid));
    scope_document_say (a->d, SCOPE_SAY_WARNING, _ ("%s has failed: %s"), a->tool,
                        shown    ? shown
                        : *valid ? valid
                                 : _ ("it does not say why"));
  } else
    take_answer (a);
}

static void
one_over (Ask *a)
{
  if (--a->open)
    return;
  a->group = 0;
  asks_tell_end (a);
  ask_free (a);
}

static void
on_waited (GObject *child, GAsyncResult *result, gpointer ask)
{
  Ask *a = ask;

  g_subprocess_wait_finish (G_SUBPROCESS (child), result, NULL);
  one_over (a);
}

static void read_more (Ask *a, GInputStream *stream);

static void
asks_on_read (GObject *stream, GAsyncResult *result, gpointer ask)
{
  Ask *a = ask;
  bool answer = G_INPUT_STREAM (stream) == g_subprocess_get_stdout_pipe (a->child);
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);

  if (n <= 0) {
    one_over (a);
    return;
  }
  if (answer && a->answer->len + (gsize) n > MOST_BYTES)
    end_tool (a, DONE_LONG);
  else if (answer)
    g_string_append_len (a->answer, a->in, n);
  else if (a->trouble->len < MOST_TOLD)
    g_string_append_len (a->trouble, a->err, MIN (n, (gssize) (MOST_TOLD - a->trouble->len)));
  read_more (a, G_INPUT_STREAM (stream));
}

static void
read_more (Ask *a, GInputStream *stream)
{
  bool answer = stream == g_subprocess_get_stdout_pipe (a->child);

  g_input_stream_read_async (stream, answer ? a->in : a->err, CHUNK, G_PRIORITY_DEFAULT, a->over, asks_on_read, a);
}

/* A tool need not read what it is given. */
static void
asks_on_written (GObject *stream, GAsyncResult *result, gpointer ask)
{
  g_output_stream_splice_finish (G_OUTPUT_STREAM (stream), result, NULL);
  one_over (ask);
}

static gboolean
on_late (gpointer ask)
{
  Ask *a = ask;

  a->timer = 0;
  end_tool (a, DONE_LATE);
  return G_SOURCE_REMOVE;
}

/* ---- while it works --------------------------------------------------------------------------------------------------- */
static void
asks_on_response (GtkDialog *dialog, int answer, Ask *a)
{
  end_tool (a, DONE_GIVEN_UP);
}

/* With its window. */
static void
asks_on_destroy (GtkWidget *dialog, Ask *a)
{
  a->dialog = NULL;
  end_tool (a, DONE_GIVEN_UP);
}

static gboolean
asks_show_progress (gpointer ask)
{
  Ask *a = ask;

  if (!a->dialog)
    return G_SOURCE_CONTINUE;
  if (!gtk_widget_get_visible (a->dialog) && g_get_monotonic_time () - a->began >= SHOWN_AFTER_MS * 1000)
    gtk_widget_show_all (a->dialog);
  gtk_progress_bar_pulse (GTK_PROGRESS_BAR (a->bar));
  return G_SOURCE_CONTINUE;
}

static void
asks_make_dialog (Ask *a)
{
  GApplication *app = g_application_get_default ();
  g_autofree char *text = g_strdup_printf (_ ("Waiting for the answer of %s"), a->tool);

  a->dialog = gtk_dialog_new_with_buttons (_ ("Tool"),
                                           app ? gtk_application_get_active_window (GTK_APPLICATION (app)) : NULL,
                                           GTK_DIALOG_DESTROY_WITH_PARENT, _ ("_Give Up"), GTK_RESPONSE_CANCEL, NULL);
  GtkWidget *box = gtk_dialog_get_content_area (GTK_DIALOG (a->dialog)), *title = gtk_label_new (text);
  a->bar = gtk_progress_bar_new ();
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_window_set_default_size (GTK_WINDOW (a->dialog), 360, -1);
  gtk_container_set_border_width (GTK_CONTAINER (box), 12);
  gtk_box_set_spacing (GTK_BOX (box), 8);
  gtk_container_add (GTK_CONTAINER (box), title);
  gtk_container_add (GTK_CONTAINER (box), a->bar);
  g_signal_connect (a->dialog, "response", G_CALLBACK (asks_on_response), a);
  g_signal_connect (a->dialog, "destroy", G_CALLBACK (asks_on_destroy), a);
  a->pulse = g_timeout_add (PULSE_MS, asks_show_progress, a);
}

/* ---- its beginning ---------------------------------------------------------------------------------------------------- */
/* A group of its own, so that what it starts can be ended with it.  In the child: nothing but what is safe there. */
static void
asks_in_child (gpointer unused)
{
  setpgid (0, 0);
}

void
asks_in_group (GSubprocessLauncher *launcher)
{
  g_subprocess_launcher_set_child_setup (launcher, asks_in_child, NULL, NULL);
}

static GSubprocess *
spawn (ScopeDocument *d, const Asked *a, char **tool, GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *at = g_strdup_printf (
      "%.9f", trace_clock_seconds (&scope_document_source (d)->clock, scope_document_at (d)));
  g_auto (GStrv) argv = NULL;

  if (!g_shell_parse_argv (a->command, NULL, &argv, error))
    return NULL;
  *tool = g_path_get_basename (argv[0]);
  g_subprocess_launcher_setenv (launcher, "SCOPE_TRACE", scope_document_trace (d), TRUE);
  g_subprocess_launcher_setenv (launcher, "SCOPE_AT", at, TRUE);
  g_subprocess_launcher_setenv (launcher, "SCOPE_DATA",
                                a->what == ASKED_NOTHING   ? ""
                                : a->what == ASKED_PICTURE ? "image/png"
                                                           : "text/csv",
                                TRUE);
  asks_in_group (launcher);
  return g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, error);
}

bool
asks_works (ScopeDocument *d)
{
  return g_object_get_data (G_OBJECT (d), "asks-works") != NULL;
}

guint
asks_seconds (guint usual)
{
  const char *said = g_getenv ("SCOPE_TOOL_SECONDS");
  guint64 n = said ? g_ascii_strtoull (said, NULL, 10) : 0;

  return n > 0 && n < 86400 ? (guint) n : usual;
}

void
asks_start (ScopeDocument *d, const char *words)
{
  g_autoptr (GError) error = NULL;
  Asked asked;
  gsize n = 0;
  char *tool = NULL;

  if (!asked_parse (words, &asked, &error)) {
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", error->message);
    return;
  }
  if (asks_works (d)) {
    scope_document_say (d, SCOPE_SAY_NOTE, _ ("A tool is at work: %s is not asked"), asked.command);
    asked_clear (&asked);
    return;
  }
  char *data = data_for (d, &asked, &n, &error);
  GSubprocess *child = data ? spawn (d, &asked, &tool, &error) : NULL;
  if (!child) {
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The tool “%s” cannot be asked: %s"), asked.command, error->message);
    g_free (data);
    g_free (tool);
    asked_clear (&asked);
    return;
  }
  Ask *a = g_new0 (Ask, 1);
  a->d = g_object_ref (d);
  a->asked = asked;
  a->tool = tool;
  a->trace = g_strdup (scope_document_trace (d));
  a->child = child;
  a->over = g_cancellable_new ();
  a->group = (pid_t) g_ascii_strtoll (g_subprocess_get_identifier (child) ? g_subprocess_get_identifier (child) : "0",
                                      NULL, 10);
  a->answer = g_string_new (NULL);
  a->trouble = g_string_new (NULL);
  a->began = g_get_monotonic_time ();
  a->open = 4;
  g_object_set_data (G_OBJECT (d), "asks-works", a);
  a->timer = g_timeout_add_seconds (asks_seconds (SECONDS), on_late, a);
  asks_make_dialog (a);
  g_autoptr (GInputStream) from = g_memory_input_stream_new_from_data (data, (gssize) n, g_free);
  g_output_stream_splice_async (g_subprocess_get_stdin_pipe (child), from,
                                G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE | G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET,
                                G_PRIORITY_DEFAULT, a->over, asks_on_written, a);
  read_more (a, g_subprocess_get_stdout_pipe (child));
  read_more (a, g_subprocess_get_stderr_pipe (child));
  g_subprocess_wait_async (child, NULL, on_waited, a);
}
