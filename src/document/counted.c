/* SPDX-License-Identifier: Apache-2.0 */
/* counted.c - what charts of an instant count of the range that is selected: the trace and the program are opened once
 * more, played to the end of the range between two frames, and left there; pictures of such charts are of that. */
#include "document/private.h"
#include "eve/words.h"
#include "session/counted.h"

#define SLICE_NS (12 * 1000000)
#define SAID_AFTER_US (G_USEC_PER_SEC / 2)

struct DocumentCounted {
  Session *session; /* NULL: to be opened */
  Counted *counted;
  uint64_t plan;    /* of the program that it was opened with */
  int64_t from, to; /* of what it counts */
  DocumentCountedState state;
  char *problem;
  guint source;
  int64_t begun_us;
  uint64_t serial; /* another with each range that was counted to its end */
};

static void
drop_session (struct DocumentCounted *k)
{
  if (k->source != 0)
    g_source_remove (k->source);
  k->source = 0;
  g_clear_pointer (&k->counted, counted_free);
  g_clear_pointer (&k->session, session_free);
  g_clear_pointer (&k->problem, g_free);
  k->state = COUNTED_NONE;
}

void
document_counted_end (ScopeDocument *d)
{
  g_clear_pointer (&d->ranges, g_array_unref);
  if (d->counted == NULL)
    return;
  drop_session (d->counted);
  g_clear_pointer (&d->counted, g_free);
}

void
document_counted_edited (ScopeDocument *d)
{
  if (d->counted != NULL && d->counted->plan != eve_program_plan_hash (d->session->program))
    drop_session (d->counted);
}

/* What is found by the numbers of traces is what the session that counts reads, until document_counted_leave(). */
static void
document_counted_swap (Session *s, Session *by)
{
  for (guint i = 0; i < s->readers->len; i++) {
    TraceSource *source = session_source_of (by->readers->pdata[i]);
    if (source != NULL)
      trace_source_stand_in (source);
  }
}

bool
scope_document_counted_enter (ScopeDocument *d)
{
  bool there = d->counted != NULL && d->counted->session != NULL;

  if (there)
    document_counted_swap (d->session, d->counted->session);
  return there;
}

void
scope_document_counted_leave (ScopeDocument *d, bool entered)
{
  if (entered)
    document_counted_swap (d->session, d->session);
}

/* The traces are the same as those of the session that is seen. */
static bool
is_the_same (Session *s, Session *own)
{
  if (s->readers->len != own->readers->len)
    return false;
  for (guint i = 0; i < s->readers->len; i++) {
    TraceSource *a = session_source_of (s->readers->pdata[i]), *b = session_source_of (own->readers->pdata[i]);
    if (a == NULL || b == NULL || g_strcmp0 (a->path, b->path) != 0
        || g_strcmp0 (eve_name (s->readers->pdata[i]), eve_name (own->readers->pdata[i])) != 0)
      return false;
  }
  for (guint i = 0; i < s->readers->len; i++)
    trace_source_same (session_source_of (own->readers->pdata[i]), session_source_of (s->readers->pdata[i]));
  return true;
}

/* What the session that is seen may read, this one may; nobody is asked again. */
static bool
counted_may_read (void *document, EveProgram *p, const char *path)
{
  return eve_program_may_read (((ScopeDocument *) document)->session->program, path);
}

static bool
open_session (ScopeDocument *d, GError **error)
{
  struct DocumentCounted *k = d->counted;
  Session *s = d->session;
  g_autofree char *text = eve_program_text (s->program);
  SessionOptions options = { .trace = s->trace,
                             .format = s->format,
                             .program = s->program_path,
                             .text = text,
                             .may_read = counted_may_read,
                             .arg = d };

  k->session = session_open (&options, error);
  if (k->session != NULL)
    k->session->options.may_read = NULL;
  if (k->session == NULL)
    return false;
  if (!is_the_same (s, k->session)) {
    g_set_error (error, SESSION_ERROR, SESSION_ERROR_PROGRAM, _ ("The traces cannot be read once more for the range"));
    return false;
  }
  k->counted = counted_new (k->session);
  return true;
}

static gboolean
count_on (gpointer document)
{
  ScopeDocument *d = document;
  struct DocumentCounted *k = d->counted;
  g_autoptr (GError) error = NULL;
  int more = -1;

  if (k->session != NULL || open_session (d, &error)) {
    bool entered = scope_document_counted_enter (d);
    if (k->state == COUNTED_BEGINS)
      counted_begin (k->counted, k->from, k->to);
    k->state = COUNTED_BUSY;
    more = counted_go_on (k->counted, SLICE_NS, &error);
    scope_document_counted_leave (d, entered);
  }
  if (more > 0) {
    if (g_get_monotonic_time () - k->begun_us > SAID_AFTER_US)
      document_tell (d, DOC_RANGE);
    return G_SOURCE_CONTINUE;
  }
  k->source = 0;
  k->serial++;
  k->state = more == 0 ? COUNTED_THERE : COUNTED_FAILED;
  if (more < 0) {
    g_autofree char *why = g_strdup (error != NULL ? error->message : _ ("a component failed"));
    drop_session (k);
    k->state = COUNTED_FAILED;
    k->problem = g_steal_pointer (&why);
  }
  document_tell (d, DOC_RANGE);
  return G_SOURCE_REMOVE;
}

/* A setting that is only seen may be another since. */
static void
take_looks (EveComponent *view, EveComponent *own)
{
  const EveClass *k = eve_class (view);

  for (uint32_t i = 0; i < k->n_settings; i++) {
    g_autofree char *is = eve_get (view, k->settings[i].name), *was = eve_get (own, k->settings[i].name);
    if (g_strcmp0 (is, was) != 0)
      eve_set (own, k->settings[i].name, is, NULL);
  }
}

static void
document_counted_begin (ScopeDocument *d, uint64_t plan, int64_t from, int64_t to)
{
  struct DocumentCounted *k = d->counted;

  if (k->plan != plan)
    drop_session (k);
  g_clear_pointer (&k->problem, g_free);
  k->plan = plan;
  k->from = from;
  k->to = to;
  k->state = COUNTED_BEGINS;
  k->begun_us = g_get_monotonic_time ();
  if (k->source == 0)
    k->source = g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, count_on, d, NULL);
}

bool
scope_document_counts (ScopeDocument *d, EveComponent *view)
{
  return d->session != NULL && !scope_document_is_live (d) && counted_shows (view);
}

ScopeCounted
scope_document_counted (ScopeDocument *d, EveComponent *view)
{
  int64_t from, to;

  if (!scope_document_range (d, &from, &to) || document_trust (d) != TRUST_GO || !scope_document_counts (d, view))
    return (ScopeCounted){ 0 };
  if (d->counted == NULL)
    d->counted = g_new0 (struct DocumentCounted, 1);
  struct DocumentCounted *k = d->counted;
  bool same = k->plan == d->plan_hash && k->from == from && k->to == to;
  if ((!same || k->state == COUNTED_NONE) && !d->drags_range)
    document_counted_begin (d, d->plan_hash, from, to);
  if (k->state != COUNTED_THERE || k->plan != d->plan_hash)
    return (ScopeCounted){ .problem = k->problem,
                           .waits = k->state == COUNTED_BEGINS || k->state == COUNTED_BUSY,
                           .share = k->counted != NULL && k->state == COUNTED_BUSY ? counted_share (k->counted) : 0,
                           .is_long = g_get_monotonic_time () - k->begun_us > SAID_AFTER_US };
  EveComponent *own = eve_find (k->session->program, eve_name (view));
  if (own == NULL || eve_class (own) != eve_class (view))
    return (ScopeCounted){ 0 };
  take_looks (view, own);
  return (ScopeCounted){ .view = own, .session = k->session, .from = k->from, .to = k->to, .serial = k->serial };
}
