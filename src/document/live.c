/* SPDX-License-Identifier: Apache-2.0 */
/* live.c - goes along with a trace that somebody is still writing: what has come is noted when the kernel tells of it,
 * at most once a frame or, where that costs little, a bit sooner, and ten times a second in any case, for some file
 * systems tell nothing; it is played while the present is to be the newest instant.  The film grows by the process that
 * shoots it, which goes along too. */
#include <glib-unix.h>
#include <sys/inotify.h>
#include <unistd.h>
#include "eve/number.h"
#include "readers/live.h"
#include "eve/words.h"
#include "document/private.h"

#define SHOW_US 200000                 /* between two times that everything is told to have grown */
#define SILENT_US (3 * G_USEC_PER_SEC) /* before silence is told of */
#define FRAME_US 16000                 /* between two looks that found something, */
#define SOON_US 3000                   /* and where what they lead to takes no time, */
#define LOOK_SHARE 4                   /* of which it may be this part */
#define GAP_US 2000                    /* between any two looks: writers write several files at a time */

void
scope_document_follow_next (ScopeDocument *d)
{
  d->follow_next = true;
}

bool
scope_document_is_live (ScopeDocument *d)
{
  return d->session && session_may_grow (d->session);
}

bool
scope_document_catches_up (ScopeDocument *d)
{
  return d->catching_up && scope_document_follows (d);
}

bool
scope_document_follows (ScopeDocument *d)
{
  return d->follows && scope_document_is_live (d);
}

guint
scope_document_silent (ScopeDocument *d)
{
  int64_t us = scope_document_is_live (d) ? g_get_monotonic_time () - d->live_us : 0;

  return us >= SILENT_US ? (guint) (us / G_USEC_PER_SEC) : 0;
}

/* ---- orders to who writes ------------------------------------------------------------------------------------------------ */

static char *
document_live_folder_of (const TraceSource *source)
{
  TraceBundle *b = source && trace_may_grow (source) ? trace_bundle_open (source->path, NULL) : NULL;
  char *folder = b ? trace_bundle_data (b, source->format->name) : NULL;

  trace_bundle_free (b);
  return folder;
}

static bool
takes_orders (ScopeDocument *d)
{
  for (guint i = 0; i < d->session->readers->len; ++i) {
    g_autofree char *folder = document_live_folder_of (session_source_of (d->session->readers->pdata[i]));
    if (folder && trace_writer_takes_orders (folder))
      return true;
  }
  return false;
}

/* To all who take orders. */
static void
tell_writers (ScopeDocument *d, const char *order)
{
  for (guint i = 0; d->session && i < d->session->readers->len; ++i) {
    g_autofree char *folder = document_live_folder_of (session_source_of (d->session->readers->pdata[i]));
    g_autoptr (GError) error = NULL;
    if (folder && trace_writer_takes_orders (folder) && !trace_writer_tell (folder, order, &error))
      scope_document_say (d, SCOPE_SAY_WARNING, "%s: %s", order, error->message);
  }
}

/* The folder that the trace is recorded into, if who does so takes orders, and the trace; g_free; NULL: none. */
static char *
folder_of_orders (ScopeDocument *d, TraceRef what, TraceSource **of)
{
  for (guint i = 0; d->session && i < d->session->readers->len; ++i) {
    TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (!source || source->number != what.source)
      continue;
    char *folder = document_live_folder_of (source);
    *of = source;
    if (folder && trace_writer_takes_orders (folder))
      return folder;
    g_free (folder);
  }
  return NULL;
}

GPtrArray *
scope_document_orders (ScopeDocument *d, TraceRef what)
{
  TraceSource *source = NULL;
  g_autofree char *folder = what.type == TRACE_REF_TASK ? folder_of_orders (d, what, &source) : NULL;

  return folder ? trace_orders (source, what.id) : g_ptr_array_new ();
}

void
scope_document_order (ScopeDocument *d, TraceRef what, const char *line)
{
  TraceSource *source = NULL;
  g_autofree char *folder = folder_of_orders (d, what, &source);
  g_autoptr (GError) error = NULL;

  if (!folder)
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("Who records the program takes no orders any more"));
  else if (!trace_writer_tell (folder, line, &error))
    scope_document_say (d, SCOPE_SAY_WARNING, _ ("The program could not be told: %s"), error->message);
}

void
scope_document_connect_again (ScopeDocument *d)
{
  tell_writers (d, "connect again");
}

void
scope_document_let_go_on (ScopeDocument *d)
{
  if (d->live_held)
    tell_writers (d, "continue");
  d->live_held = false;
  scope_document_unsay (d, "held");
}

void
scope_document_follow (ScopeDocument *d)
{
  if (!scope_document_is_live (d) || d->follows)
    return;
  scope_document_let_go_on (d); /* whoever goes along wants more of it */
  document_time_follow (d);
  document_tell (d, DOC_MODE);
}

/* The newest instant of a trace that grows: more may come at its very date. */
Goal
document_newest (ScopeDocument *d)
{
  return (Goal){ .kind = GOAL_DATE, .date = MAX (scope_document_first (d), scope_document_last (d)), .stays = true };
}

static void
tell_ended (ScopeDocument *d)
{
  bool left = false;

  for (guint i = 0; i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (!source || !source->left)
      continue;
    g_autofree char *how = g_strdup (source->left);
    *how = g_ascii_toupper (*how);
    scope_document_say (d, SCOPE_SAY_WARNING, "%s", how);
    left = true;
  }
  if (!left)
    scope_document_say (d, SCOPE_SAY_NOTE, _ ("%s has been written to its end"), d->session->source->name);
}

static void
tell_halt (ScopeDocument *d)
{
  char date[64];

  trace_clock_print (&d->session->source->clock, d->live_halt, date, sizeof date);
  number_local (date);
  if (d->live_held)
    scope_document_say_about (
        d, "held", SCOPE_SAY_HELD,
        _ ("The program has reached a break point at %s\u2009s.  If it was told that somebody looks on, it "
           "waits until it is let go on; “Follow” does so too"),
        date);
  else
    scope_document_say (
        d, SCOPE_SAY_NOTE,
        _ ("The program has reached a break point at %s\u2009s and is shown there; it is recorded on.  “Follow” goes "
           "along with it again"),
        date);
}

/* The program asks whoever watches to look at an instant: the view goes there and stays, the recording goes on. */
static void
look_for_halt (ScopeDocument *d)
{
  int64_t halt = INT64_MIN;

  for (guint i = 0; i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (source && source->halt != INT64_MIN)
      halt = MAX (halt, trace_date (source, source->halt));
  }
  if (halt <= d->live_halt)
    return;
  d->live_halt = halt;
  d->live_held = takes_orders (d);
  if (!d->follows)
    return;
  scope_document_go_date (d, halt);
  tell_halt (d);
}

static void
stop_looking (ScopeDocument *d)
{
  if (d->live_poll)
    g_source_remove (d->live_poll);
  if (d->live_watch)
    g_source_remove (d->live_watch);
  if (d->live_soon)
    g_source_remove (d->live_soon);
  if (d->live_fd >= 0)
    close (d->live_fd);
  d->live_poll = d->live_watch = d->live_soon = 0;
  d->live_fd = -1;
}

/* What came last says that nothing comes: that is no data. */
static bool
says_silence (ScopeDocument *d)
{
  for (guint i = 0; i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (source && source->silent)
      return true;
  }
  return false;
}

/* What is left out is told while it comes, with the last of it. */
static void
document_live_look_for_damage (ScopeDocument *d)
{
  const TraceDamage *last = NULL;
  uint64_t n = 0;

  for (guint i = 0; i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (!source || source->damage->len == 0)
      continue;
    n += source->n_damaged;
    last = source->damage->pdata[source->damage->len - 1];
  }
  if (n > d->live_damage && last)
    scope_document_say_about (d, "damage", SCOPE_SAY_WARNING,
                              n == 1 ? _ ("Of what comes something was left out: %s")
                                     : _ ("Of what comes several things were left out; the last: %s"),
                              last->reason);
  d->live_damage = n;
}

/* False: there is nothing more to come. */
static bool
document_live_look (ScopeDocument *d)
{
  int64_t now = g_get_monotonic_time ();
  guint silent = scope_document_silent (d);
  bool more = session_look (d->session), goes_on = session_may_grow (d->session);

  d->live_looked_us = now;
  if (more && !says_silence (d))
    d->live_us = now;
  document_live_look_for_damage (d);
  if (more) {
    look_for_halt (d);
    if (d->follows)
      document_time_go_along (d);
  }
  d->live_grown |= more;
  if (!goes_on || (d->live_grown && now - d->live_told_us >= SHOW_US)) {
    d->live_told_us = now;
    d->live_grown = false;
    document_tell (d, DOC_FILM); /* the time that all takes is longer */
    document_tell (d, DOC_SAVED);
  }
  if (silent != d->live_silent) {
    if (silent && !d->live_silent && takes_orders (d))
      scope_document_say_about (
          d, "silent", SCOPE_SAY_SILENT,
          _ ("No data have come for %u\u2009s.  The program may be busy, or waiting; or its connection is gone"),
          silent);
    if (!silent)
      scope_document_unsay (d, "silent");
    d->live_silent = silent;
    document_tell (d, DOC_ACTIVITY);
  }
  if (goes_on)
    return true;
  stop_looking (d);
  d->live_held = false;
  scope_document_unsay (d, "silent");
  scope_document_unsay (d, "held");
  tell_ended (d);
  document_tell (d, DOC_MODE);
  return false;
}

static gboolean
document_live_on_look (gpointer data)
{
  return document_live_look (data) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* ---- what the kernel tells: a file in the folder was written ------------------------------------------------------------- */

static gboolean
on_soon (gpointer data)
{
  ScopeDocument *d = data;

  d->live_soon = 0;
  document_live_look (d);
  return G_SOURCE_REMOVE;
}

/* When to look again after a look that found something: what a program sends at once is to be seen at once. */
static int64_t
next_look (const ScopeDocument *d)
{
  int64_t gap = CLAMP (LOOK_SHARE * d->rest_cost_us, SOON_US, FRAME_US);

  return MAX (d->live_us + gap, d->live_looked_us + GAP_US);
}

static gboolean
document_live_on_written (int fd, GIOCondition condition, gpointer data)
{
  ScopeDocument *d = data;
  char told[4096];

  while (read (fd, told, sizeof told) > 0)
    ;
  int64_t now = g_get_monotonic_time (), next = next_look (d);
  if (d->live_soon)
    return G_SOURCE_CONTINUE;
  if (now < next)
    d->live_soon = g_timeout_add ((guint) ((next - now + 999) / 1000), on_soon, d);
  else
    document_live_look (d);
  return G_SOURCE_CONTINUE;
}

static void
document_live_watch (ScopeDocument *d)
{
  d->live_fd = inotify_init1 (IN_NONBLOCK | IN_CLOEXEC);
  for (guint i = 0; d->live_fd >= 0 && i < d->session->readers->len; ++i) {
    g_autofree char *folder = document_live_folder_of (session_source_of (d->session->readers->pdata[i]));
    if (folder)
      inotify_add_watch (d->live_fd, folder, IN_MODIFY | IN_CLOSE_WRITE);
  }
  if (d->live_fd >= 0)
    d->live_watch = g_unix_fd_add (d->live_fd, G_IO_IN, document_live_on_written, d);
}

static bool
is_written (const Session *s)
{
  TraceBundle *b = trace_bundle_open (s->trace, NULL);
  g_autofree char *folder = b ? trace_bundle_data (b, s->format) : NULL;

  if (b)
    trace_bundle_free (b);
  return folder && trace_writer (folder, NULL) == TRACE_WRITER_WORKS;
}

void
document_live_begin (ScopeDocument *d)
{
  if (!scope_document_is_live (d)) {
    if (d->session->source->left)
      tell_ended (d);
    else if (is_written (d->session))
      scope_document_say (d, SCOPE_SAY_NOTE,
                          _ ("%s is still being written; this is what there was. “scope --follow” goes along with it"),
                          d->session->source->name);
    return;
  }
  d->live_us = g_get_monotonic_time ();
  d->live_silent = 0;
  d->live_damage = 0;
  d->live_held = false;
  d->live_halt = INT64_MIN;
  look_for_halt (d); /* one of before: it may wait there still */
  bool held = d->live_held;
  d->live_held = false;
  d->live_poll = g_timeout_add (TRACE_LOOK_MS, document_live_on_look, d);
  document_live_watch (d);
  document_live_look_for_damage (d);
  scope_document_follow (d);
  d->live_held = held;
  if (held)
    tell_halt (d);
}

void
document_live_end (ScopeDocument *d)
{
  stop_looking (d);
  d->follows = d->live_grown = false;
}
