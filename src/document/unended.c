/* SPDX-License-Identifier: Apache-2.0 */
#include "document/unended.h"
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include "eve/words.h"
#include "document/private.h"
#include "readers/live.h"
#include "session/places.h"
#include "views/paint.h"

#define BYTES (16 * 1024) /* of lines that are read at once */
#define NICE 10           /* who looks at the trace meanwhile goes first */

typedef struct Unended {
  bool looked;
  uint64_t trace; /* that was looked through, or all of several: their identity */
  guint next;     /* the execution that is looked through next */
  GSubprocess *process;
  GCancellable *cancel;
  char *told;   /* of the first execution that has some, */
  GString *all; /* and of all, a line each */
  guint of;     /* which that one is */
  int64_t date; /* of its last one, as it was recorded: the reader's offset comes to it */
} Unended;

/* Lines of a child that is at work; of them all only the last one is kept. */
typedef struct Look {
  ScopeDocument *d; /* may be gone once it was cancelled */
  guint of;         /* the execution */
  GCancellable *cancel;
  uint64_t n_lines;
  GString *last; /* whole line, and what has come of the next */
  char bytes[BYTES];
} Look;

static void
unended_free (gpointer data)
{
  Unended *u = data;

  g_cancellable_cancel (u->cancel);
  g_object_unref (u->cancel);
  if (u->process)
    g_subprocess_send_signal (u->process, SIGTERM);
  g_clear_object (&u->process);
  g_free (u->told);
  g_string_free (u->all, TRUE);
  g_free (u);
}

static Unended *
unended_of (ScopeDocument *d)
{
  return g_object_get_data (G_OBJECT (d), UNENDED_ABOUT);
}

/* NULL: there are not as many.  *name: what one of several is called, else NULL; g_free. */
static TraceSource *
unended_source (ScopeDocument *d, guint of, char **name)
{
  g_autoptr (GArray) all = d->session ? session_executions (d->session) : NULL;

  *name = NULL;
  if (!all || of >= MAX (all->len, 1))
    return NULL;
  if (all->len == 0)
    return scope_document_source (d);
  const SessionExecution *x = &g_array_index (all, SessionExecution, of);
  if (all->len > 1)
    *name = g_strdup (x->name);
  return x->source;
}

/* A line has a date, two blanks and a sentence. */
static void
unended_tell (ScopeDocument *d, Unended *u, guint of, char *line, uint64_t n)
{
  g_autofree char *name = NULL;
  const TraceSource *s = unended_source (d, of, &name);
  char *date = g_strchug (line), *sentence = strstr (date, "  ");
  int64_t began;

  if (!s || !sentence)
    return;
  *sentence = '\0';
  sentence = g_strstrip (sentence + 2);
  if (!*sentence || !g_utf8_validate (sentence, -1, NULL) || !trace_clock_parse (&s->clock, date, &began))
    return;
  g_autofree char *number = scope_number (n), *at = axis_date (&s->clock, began, -1);
  g_autofree char *told = g_strdup_printf (
      P_ ("%s call never ended; it began at %s: %s", "%s calls never ended; the last began at %s: %s", n), number, at,
      sentence);
  g_string_append_printf (u->all, "%s%s%s%s", u->all->len ? "\n" : "", name ? name : "", name ? ": " : "", told);
  if (!u->told) {
    u->told = g_strdup (u->all->str);
    u->of = of;
    u->date = began;
  }
  scope_document_unsay (d, UNENDED_ABOUT); /* what was said of those before is in it */
  scope_document_say_about (d, UNENDED_ABOUT, SCOPE_SAY_WARNING, "%s", u->all->str);
}

static void
look_free (Look *l)
{
  g_object_unref (l->cancel);
  g_string_free (l->last, TRUE);
  g_free (l);
}

static void
unended_take (Look *l, gsize n)
{
  for (gsize i = 0; i < n; ++i) {
    if (l->last->len && l->last->str[l->last->len - 1] == '\n')
      g_string_truncate (l->last, 0);
    gsize rest = n - i;
    const char *end = memchr (l->bytes + i, '\n', rest);
    gsize piece = end ? (gsize) (end - l->bytes) + 1 - i : rest;
    g_string_append_len (l->last, l->bytes + i, (gssize) piece);
    l->n_lines += end != NULL;
    i += piece - 1;
  }
}

static void unended_look (ScopeDocument *d, Unended *u);

static void
on_read (GObject *stream, GAsyncResult *result, gpointer data)
{
  Look *l = data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (stream), result, NULL);

  if (g_cancellable_is_cancelled (l->cancel) || n < 0) {
    look_free (l);
    return;
  }
  unended_take (l, (gsize) n);
  if (n > 0) {
    g_input_stream_read_async (G_INPUT_STREAM (stream), l->bytes, BYTES, G_PRIORITY_LOW, l->cancel, on_read, l);
    return;
  }
  Unended *u = unended_of (l->d);
  g_clear_object (&u->process);
  if (l->n_lines > 0)
    unended_tell (l->d, u, l->of, l->last->str, l->n_lines);
  unended_look (l->d, u);
  look_free (l);
}

/* One execution after the other. */
static void
unended_look (ScopeDocument *d, Unended *u)
{
  g_autofree char *scope = places_scope (), *name = NULL;
  const TraceSource *s = unended_source (d, u->next++, &name);

  for (; s && trace_may_grow (s); s = unended_source (d, u->next++, &name))
    g_clear_pointer (&name, g_free);
  if (!s || !scope)
    return; /* the film could not have been shot either, which is told */
  u->process = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL, scope,
                                 "events", "--unended", "--quiet", "--format", s->format->name, "--clocks",
                                 trace_clocks_names[s->clocks.by], s->path, NULL);
  if (!u->process)
    return;
  const char *pid = g_subprocess_get_identifier (u->process);
  if (pid)
    setpriority (PRIO_PROCESS, (id_t) g_ascii_strtoull (pid, NULL, 10), NICE);
  Look *l = g_new0 (Look, 1);
  l->d = d;
  l->of = u->next - 1;
  l->cancel = g_object_ref (u->cancel);
  l->last = g_string_new (NULL);
  g_input_stream_read_async (g_subprocess_get_stdout_pipe (u->process), l->bytes, BYTES, G_PRIORITY_LOW, l->cancel,
                             on_read, l);
}

static void
unended_forget (ScopeDocument *d)
{
  Unended *u = g_new0 (Unended, 1);

  u->cancel = g_cancellable_new ();
  u->all = g_string_new (NULL);
  g_object_set_data_full (G_OBJECT (d), UNENDED_ABOUT, u, unended_free);
}

static void
unended_on_film (ScopeDocument *d, gpointer none)
{
  Unended *u = unended_of (d);
  TraceSource *s = scope_document_source (d);

  if (!s || u->looked || scope_document_film_state (d, NULL) != FILM_COMPLETE || trace_may_grow (s))
    return;
  u->looked = true;
  u->trace = d->trace_identity;
  unended_look (d, u);
}

static void
unended_on_opened (ScopeDocument *d, gpointer none)
{
  const Unended *u = unended_of (d);

  if (u->looked && (!scope_document_source (d) || u->trace != d->trace_identity)) {
    scope_document_unsay (d, UNENDED_ABOUT);
    unended_forget (d);
  }
  unended_on_film (d, NULL);
}

void
unended_watch (ScopeDocument *d)
{
  unended_forget (d);
  g_signal_connect (d, "opened", G_CALLBACK (unended_on_opened), NULL);
  g_signal_connect (d, "film", G_CALLBACK (unended_on_film), NULL);
}

const char *
unended_told (ScopeDocument *d, int64_t *date)
{
  const Unended *u = unended_of (d);
  g_autofree char *name = NULL;
  const TraceSource *s = u ? unended_source (d, u->of, &name) : NULL;

  if (!u || !u->told || !s)
    return NULL;
  *date = u->date + s->clock.offset;
  return u->told;
}

void
unended_go (ScopeDocument *d)
{
  int64_t date;

  if (unended_told (d, &date))
    scope_document_go_date (d, date);
}
