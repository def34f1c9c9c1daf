/* SPDX-License-Identifier: Apache-2.0 */
/* orders.c - what components order that is the window's to do (statistics/order.h): bring a view to the front,
 * show a message, add a part to the program, start a tool. */
#include <signal.h>
#include <string.h>
#include "document/clip.h"
#include "eve/words.h"
#include "session/extend.h"
#include "statistics/order.h"
#include "document/agreements.h"
#include "document/asks.h"
#include "document/private.h"
#include "eve/disk.h"

#define MOST_SHOWN 200
#define MOST_SAID 5 /* of what could not be connected */

/* "Watch, at 0.125 s: because ..." */
static char *
who_and_why (const char *order)
{
  g_autofree char *by = stats_order_tells (order, "by"), *because = stats_order_tells (order, "because");

  return g_strdup_printf ("%s%s%s", by ? by : _ ("A component"), because ? ": " : "", because ? because : "");
}

/* ---- add PART ----------------------------------------------------------------------------------------------------- */

/* Adds the boxes, as an edit that can be undone. */
static bool
paste_part (ScopeDocument *d, const char *name, const char *path, const char *text, GError **error)
{
  g_autoptr (GPtrArray) added = g_ptr_array_new (), said = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *what = g_strdup_printf (_ ("Add the part %s"), name), *shown = g_filename_display_basename (path);
  guint n_frames = 0;

  if (!document_trust_program (path, text, error))
    return false;
  scope_document_begin_edit (d, what);
  bool ok = clip_paste (scope_document_program (d), text, shown, &(ClipPlace){ 0 }, added, &n_frames, said, error);
  if (ok)
    extend_done (d->session, name);
  document_since_look (d, true);
  scope_document_end_edit (d);
  for (guint i = 0; i < said->len && i < MOST_SAID; ++i)
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", (char *) said->pdata[i]);
  return ok;
}

/* Between two slices.  The program is another from here on: it is worked out up to the order, and played on, so that
 * what was heard after it comes again; or up to the goal of a travel. */
static bool
orders_add_part (ScopeDocument *d, const char *name, const char *by)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL, *text = extend_read (d->session, name, &path, &error);

  if (!text)
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", error->message);
  else if (!paste_part (d, name, path, text, &error)) {
    extend_refuse (d->session, name, error->message);
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The part “%s” is not added: %s"), name, error->message);
  } else {
    if (by)
      scope_document_say (d, SCOPE_SAY_NOTE, _ ("The part “%s” was added by %s; all is worked out with it"), name, by);
    else
      scope_document_say (d, SCOPE_SAY_NOTE, _ ("The part “%s” was added; all is worked out with it"), name);
    if (!d->parts_added)
      d->parts_added = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    g_hash_table_add (d->parts_added, g_strdup (name));
    return true;
  }
  return false;
}

bool
document_part_ordered (ScopeDocument *d)
{
  g_autofree char *part = travel_part (d->travel);

  if (!part || (d->parts_added && g_hash_table_contains (d->parts_added, part)))
    return false;
  return orders_add_part (d, part, NULL);
}

/* ---- tool COMMAND: only what the person has agreed to, once for the content of a program ---------------------------- */

/* The exact act, as it is asked for and remembered; `asks`: with data, and what it answers is taken. */
static char *
tool_act (const char *command, bool asks)
{
  return g_strconcat (asks ? "ask the tool " : "start the tool ", command, NULL);
}

static void
remember_agreement (ScopeDocument *d, EveProgram *p, const char *act)
{
  g_autoptr (GError) error = NULL;

  if (!agreements_add (eve_program_content (p), act, &error))
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("%s: you will be asked again"), error->message);
}

static GtkWindow *
active_window (void)
{
  GApplication *app = g_application_get_default ();

  return app ? gtk_application_get_active_window (GTK_APPLICATION (app)) : NULL;
}

#define TOOL_SECONDS 3600 /* that one has which is only started: it may be a window; SCOPE_TOOL_SECONDS: others */
#define TOOLS_MOST 8      /* at work at a time: what orders them may do so at each event */

#define PARTING_SECONDS 5 /* from when a tool is asked to end until it is ended: it may have something to save */

typedef struct Started {
  GWeakRef d; /* it may outlive the document */
  char *tool;
  pid_t group;
  guint timer;
  bool late;  /* it was asked to end, */
  bool ended; /* and has, but not all that it started */
} Started;

static guint tools_at_work;

static void
started_free (Started *t)
{
  g_weak_ref_clear (&t->d);
  g_free (t->tool);
  g_free (t);
}

/* It and all that it started. */
static gboolean
on_tool_stays (gpointer started)
{
  Started *t = started;

  t->timer = 0;
  if (t->group > 0)
    kill (-t->group, SIGKILL);
  if (t->ended)
    started_free (t);
  return G_SOURCE_REMOVE;
}

static gboolean
on_tool_late (gpointer started)
{
  Started *t = started;
  g_autoptr (ScopeDocument) d = g_weak_ref_get (&t->d);

  if (t->group > 0)
    kill (-t->group, SIGTERM);
  t->late = true;
  t->timer = g_timeout_add_seconds (PARTING_SECONDS, on_tool_stays, t);
  if (d)
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("%s has not ended in time and was ended"), t->tool);
  return G_SOURCE_REMOVE;
}

static void
on_tool_ended (GObject *process, GAsyncResult *result, gpointer started)
{
  Started *t = started;

  g_subprocess_communicate_utf8_finish (G_SUBPROCESS (process), result, NULL, NULL, NULL);
  --tools_at_work;
  t->ended = t->late && t->timer != 0 && t->group > 0 && kill (-t->group, 0) == 0;
  if (t->ended) /* those that are left have the same time to part */
    return;
  g_clear_handle_id (&t->timer, g_source_remove);
  started_free (t);
}

/* The tool reads the whole order on its standard input, and finds trace and date in its environment. */
static void
start_tool (ScopeDocument *d, const char *command, const char *order)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE);
  g_autofree char *at = g_strdup_printf ("%.9f",
                                         trace_clock_seconds (&d->session->source->clock, scope_document_at (d)));
  g_auto (GStrv) argv = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;

  if (tools_at_work == TOOLS_MOST) {
    scope_document_say_about (d, "tools", SCOPE_SAY_WARNING, _ ("%d tools are at work: %s is not started"), TOOLS_MOST,
                              command);
    return;
  }
  g_subprocess_launcher_setenv (launcher, "SCOPE_TRACE", scope_document_trace (d), TRUE);
  g_subprocess_launcher_setenv (launcher, "SCOPE_AT", at, TRUE);
  asks_in_group (launcher);
  if (g_shell_parse_argv (command, NULL, &argv, &error))
    process = g_subprocess_launcher_spawnv (launcher, (const char *const *) argv, &error);
  if (!process) {
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The tool “%s” cannot be started: %s"), command, error->message);
    return;
  }
  const char *id = g_subprocess_get_identifier (process);
  Started *t = g_new0 (Started, 1);
  g_weak_ref_init (&t->d, d);
  t->tool = g_path_get_basename (argv[0]);
  t->group = (pid_t) g_ascii_strtoll (id ? id : "0", NULL, 10);
  t->timer = g_timeout_add_seconds (asks_seconds (TOOL_SECONDS), on_tool_late, t);
  ++tools_at_work;
  g_subprocess_communicate_utf8_async (process, order, NULL, on_tool_ended, t);
}

/* `order` NULL: it is asked. */
static void
start_or_ask (ScopeDocument *d, const char *command, const char *order)
{
  if (order)
    start_tool (d, command, order);
  else
    asks_start (d, command);
}

static void
orders_on_answer (GtkDialog *dialog, int response, ScopeDocument *d)
{
  char *command = g_object_get_data (G_OBJECT (dialog), "command"),
       *order = g_object_get_data (G_OBJECT (dialog), "order");

  if (response == GTK_RESPONSE_ACCEPT && scope_document_is_open (d)) {
    bool asks = !order;
    g_autofree char *act = tool_act (command, asks);
    remember_agreement (d, scope_document_program (d), act);
    start_or_ask (d, command, order);
  }
  gtk_widget_destroy (GTK_WIDGET (dialog));
  d->asking = false;
}

static void
ask_tool (ScopeDocument *d, const char *command, const char *order)
{
  g_autofree char *act = tool_act (command, !order);

  if (agreements_has (eve_program_content (scope_document_program (d)), act)) {
    start_or_ask (d, command, order);
    return;
  }
  if (d->asking) /* one question at a time; what comes meanwhile is not started */
    return;
  d->asking = true;
  GtkWidget *dialog = gtk_message_dialog_new (active_window (), GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION,
                                              GTK_BUTTONS_NONE, _ ("Shall this program start a tool?"));
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog),
      order ? _ ("%s\n\nIt is started as it stands, without a shell. If you agree, this "
                 "program may start it from now on without asking. Agree only if you "
                 "trust the program.")
            : _ ("%s\n\nIt is given what stands before the bar, and what it answers "
                 "is selected or becomes data of the program; no shell reads it. If "
                 "you agree, this program may ask it from now on without asking you. "
                 "Agree only if you trust the program."),
      command);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("Do not start it"), GTK_RESPONSE_CANCEL, _ ("Start it"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  g_object_set_data_full (G_OBJECT (dialog), "command", g_strdup (command), g_free);
  g_object_set_data_full (G_OBJECT (dialog), "order", g_strdup (order), g_free);
  g_signal_connect_object (dialog, "response", G_CALLBACK (orders_on_answer), d, 0);
  gtk_widget_show (dialog);
}

/* ---- reading elsewhere: asked for while the program is opened ------------------------------------------------------- */

bool
document_may_read (void *document, EveProgram *p, const char *path)
{
  ScopeDocument *d = document;
  g_autofree char *act = g_strconcat ("read ", path, NULL);

  if ((d->allow_next && g_strv_contains ((const char *const *) d->allow_next, path))
      || agreements_has (eve_program_content (p), act))
    return true;
  GtkWidget *dialog = gtk_message_dialog_new (active_window (), GTK_DIALOG_MODAL, GTK_MESSAGE_QUESTION,
                                              GTK_BUTTONS_NONE,
                                              _ ("Shall this program read a file that lies elsewhere?"));
  gtk_message_dialog_format_secondary_text (
      GTK_MESSAGE_DIALOG (dialog),
      _ ("%s\n\nIt lies outside the folder of the program. If you agree, this program "
         "may read it from now on without asking."),
      path);
  gtk_dialog_add_buttons (GTK_DIALOG (dialog), _ ("Do not read it"), GTK_RESPONSE_CANCEL, _ ("Read it"),
                          GTK_RESPONSE_ACCEPT, NULL);
  gtk_dialog_set_default_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  bool may = gtk_dialog_run (GTK_DIALOG (dialog)) == GTK_RESPONSE_ACCEPT;
  gtk_widget_destroy (dialog);
  if (may)
    remember_agreement (d, p, act);
  return may;
}

/* ---- what came ------------------------------------------------------------------------------------------------------------ */

static void
triggered_clear (gpointer entry)
{
  g_free (((ScopeTriggered *) entry)->text);
}

GArray *
scope_document_triggered (ScopeDocument *d)
{
  if (!d->triggered) {
    d->triggered = g_array_new (FALSE, TRUE, sizeof (ScopeTriggered));
    g_array_set_clear_func (d->triggered, triggered_clear);
  }
  return d->triggered;
}

static void
orders_note (ScopeDocument *d, const DriveHeard *h, const char *words)
{
  GArray *all = scope_document_triggered (d);
  ScopeTriggered t = { .event = h->event, .date = h->date, .text = g_strdup (words) };

  if (all->len >= MOST_SHOWN)
    g_array_remove_index (all, 0);
  g_array_append_val (all, t);
  document_tell (d, DOC_MARKS);
}

void
document_order (ScopeDocument *d, const DriveHeard *h)
{
  g_autofree char *name = g_strndup (h->command.name, sizeof h->command.name - 1);
  g_autofree char *words = h->order ? stats_order_command (h->order) : g_strdup (name),
                  *by = h->order ? who_and_why (h->order) : NULL;
  const char *space = words ? strchr (words, ' ') : NULL;
  g_autofree char *word = words ? g_strndup (words, space ? (gsize) (space - words) : strlen (words)) : g_strdup ("");
  const char *what = space ? space + 1 : "";
  g_autofree char *line = by ? g_strdup_printf ("%s · %s", words && *words ? words : name, by)
                             : g_strdup (words && *words ? words : name);

  switch (h->command.verb) {
  case TRACE_MARK:
    if (d->marks && (!*name || !marks_find (d->marks, name)))
      scope_document_add_mark (d, *name ? name : NULL, h->date, by ? by : "");
    break;
  case TRACE_GO_MARK: {
    const Mark *m = d->marks ? marks_find (d->marks, name) : NULL;
    if (m)
      scope_document_go_date (d, m->date);
    else
      scope_document_say (d, SCOPE_SAY_WARNING, _ ("%s asks to go to the mark %s, which there is not"),
                          by ? by : _ ("A component"), name);
    break;
  }
  case TRACE_OTHER:
    if (g_str_equal (word, "front"))
      g_signal_emit_by_name (d, "front", what);
    else if (g_str_equal (word, "message") || g_str_equal (word, "alarm")) {
      if (*word == 'a' && gdk_display_get_default ())
        gdk_display_beep (gdk_display_get_default ());
      g_autofree char *who = h->order ? stats_order_tells (h->order, "by") : NULL;
      scope_document_say (d, SCOPE_SAY_NOTE, "%s%s%s", who ? who : "", who ? ": " : "", what);
    } else if (g_str_equal (word, "add")) {
      g_autofree char *part = extend_wanted (d->session, &h->command, h->order);
      if (part && orders_add_part (d, part, by))
        document_time_extended (d, h->event, h->date);
    } else if (g_str_equal (word, "tool"))
      ask_tool (d, what, h->order ? h->order : words);
    else if (g_str_equal (word, "ask"))
      ask_tool (d, what, NULL);
    else if (!d->unknown_told) {
      d->unknown_told = true;
      scope_document_say (d, SCOPE_SAY_WARNING,
                          _ ("%s orders “%s”, which nobody here understands: front VIEW, message TEXT, add PART, "
                             "tool COMMAND and ask DATA | COMMAND are understood"),
                          by ? by : _ ("A component"), words);
    }
    break;
  case TRACE_PAUSE:
  case TRACE_STOP:
    document_time_halted (d);
    if (by)
      scope_document_say (d, SCOPE_SAY_NOTE, h->command.verb == TRACE_PAUSE ? _ ("Paused by %s") : _ ("Stopped by %s"),
                          by);
    break;
  default:
    break;
  }
  orders_note (d, h, line);
}

/* ---- by hand ---------------------------------------------------------------------------------------------------------- */
void
scope_document_obey (ScopeDocument *d, const char *order, const char *by)
{
  DriveHeard h = { .event = scope_document_event (d), .date = scope_document_at (d) };
  char *sentence = NULL;

  if (!scope_document_is_open (d))
    return;
  char *words = stats_order_new (order, by, NULL, NULL);
  if (stats_order_parse (order, &d->session->source->clock, &h.command, &sentence)) {
    if (h.command.verb == TRACE_GO_EVENTS && h.command.number == UINT64_MAX)
      scope_document_play (d);
    else if (h.command.verb == TRACE_GO_EVENTS)
      scope_document_go_event (d, h.event + h.command.number);
    else if (h.command.verb == TRACE_GO_UNTIL)
      scope_document_go_date (d, h.command.date);
    else if (h.command.verb == TRACE_PAUSE)
      scope_document_pause (d);
    else if (h.command.verb == TRACE_STOP)
      scope_document_stop (d);
    else if (h.command.verb == TRACE_SAVE)
      scope_document_save_checkpoint (d, *h.command.name ? h.command.name : by);
    else {
      h.order = words;
      document_order (d, &h);
    }
  } else if (sentence)
    scope_document_say (d, SCOPE_SAY_WARNING, "%s: %s", by, sentence);
  else {
    h.command.verb = TRACE_OTHER;
    h.order = words;
    document_order (d, &h);
  }
  g_free (sentence);
  g_ref_string_release (words);
}
