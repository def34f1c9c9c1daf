/* SPDX-License-Identifier: Apache-2.0 */
/* stay.c - another program on the same trace: the instant and what is selected of the trace stay. */
#include "document/private.h"

#define RETURN "return-next" /* of the document: the Stay that is gone back to */

typedef struct Numbered { /* sources get other numbers when they are opened again */
  char *path;
  uint16_t number;
} Numbered;

struct Stay {
  char *trace, *format;
  int64_t at;
  uint64_t event; /* 0: time has not begun to pass */
  bool by_date;
  TraceRefs *refs;
  GArray *sources; /* of Numbered */
};

static void
clear_numbered (gpointer n)
{
  g_free (((Numbered *) n)->path);
}

static void
note_source (Stay *s, const TraceSource *source)
{
  if (!source)
    return;
  Numbered n = { g_strdup (source->path), source->number };
  g_array_append_val (s->sources, n);
}

Stay *
scope_document_stay_new (ScopeDocument *d)
{
  Stay *s = g_new0 (Stay, 1);

  if (!d->session || !d->travel)
    return s;
  s->trace = g_strdup (d->session->trace);
  s->format = g_strdup (d->session->format);
  s->at = scope_document_at (d);
  s->event = scope_document_event (d);
  s->by_date = drive_several (d->session) || s->at != travel_date (d->travel);
  s->refs = trace_refs_new ();
  for (uint32_t i = 0; i < trace_refs_n (d->selection); ++i)
    trace_refs_add (s->refs, trace_refs_at (d->selection, i));
  s->sources = g_array_new (FALSE, FALSE, sizeof (Numbered));
  g_array_set_clear_func (s->sources, clear_numbered);
  note_source (s, d->session->source);
  for (guint i = 0; i < d->session->readers->len; ++i)
    note_source (s, session_source_of (d->session->readers->pdata[i]));
  return s;
}

bool
document_stay_is_here (const Stay *s, const ScopeDocument *d)
{
  return s->trace && g_str_equal (s->trace, d->session->trace) && g_strcmp0 (s->format, d->session->format) == 0;
}

bool
scope_document_opens_at_end (ScopeDocument *d)
{
  const char *note = d->session ? eve_program_note (d->session->program, "opens at") : NULL;
  g_autofree char *where = g_strdup (note ? note : "");

  return g_str_equal (g_strstrip (where), "end");
}

bool
scope_document_was_sent (ScopeDocument *d)
{
  return d->n_asked != d->n_asked_to_open;
}

void
document_stay_go (const Stay *s, ScopeDocument *d)
{
  if (!document_stay_is_here (s, d) || s->event == 0)
    scope_document_opens_at_end (d) && d->film_state == FILM_COMPLETE ? scope_document_go_last (d)
                                                                      : scope_document_go_first (d);
  else if (s->by_date || drive_several (d->session))
    scope_document_go_date (d, s->at);
  else
    scope_document_go_event (d, s->event);
}

/* 0: its trace is not open any more. */
static uint16_t
number_now (const Stay *s, const ScopeDocument *d, uint16_t number)
{
  const char *path = NULL;

  for (guint i = 0; i < s->sources->len; ++i)
    if (g_array_index (s->sources, Numbered, i).number == number)
      path = g_array_index (s->sources, Numbered, i).path;
  if (path && d->session->source && g_str_equal (d->session->source->path, path))
    return d->session->source->number;
  for (guint i = 0; path && i < d->session->readers->len; ++i) {
    const TraceSource *source = session_source_of (d->session->readers->pdata[i]);
    if (source && g_str_equal (source->path, path))
      return source->number;
  }
  return 0;
}

static TraceRef
ref_now (const Stay *s, const ScopeDocument *d, TraceRef r)
{
  uint16_t number = number_now (s, d, r.source);
  uint32_t from, to;

  if (r.source == 0)
    return r;
  if (number == 0)
    return (TraceRef){ 0 };
  switch ((TraceRefType) r.type) {
  case TRACE_REF_TASK:
  case TRACE_REF_OBJECT:
  case TRACE_REF_HOST:
  case TRACE_REF_KIND:
    return trace_ref ((TraceRefType) r.type, number, r.id);
  case TRACE_REF_LINK:
    return trace_ref_ends (r, &from, &to) ? trace_ref_link (number, from, to) : (TraceRef){ 0 };
  case TRACE_REF_NODE:
  case TRACE_REF_SERIES: {
    const char *name = trace_ref_named_by (r, NULL);
    return name ? trace_ref_named ((TraceRefType) r.type, number, name) : (TraceRef){ 0 };
  }
  default:
    return (TraceRef){ 0 };
  }
}

void
document_stay_select (const Stay *s, ScopeDocument *d)
{
  g_autoptr (TraceRefs) refs = NULL;

  if (!document_stay_is_here (s, d) || trace_refs_n (s->refs) == 0)
    return;
  refs = trace_refs_new ();
  for (uint32_t i = 0; i < trace_refs_n (s->refs); ++i)
    trace_refs_add (refs, ref_now (s, d, trace_refs_at (s->refs, i)));
  scope_document_select_refs (d, refs, false);
}

void
scope_document_return_next (ScopeDocument *d, ScopeStay *stay)
{
  g_object_set_data_full (G_OBJECT (d), RETURN, stay, (GDestroyNotify) scope_document_stay_free);
}

Stay *
document_stay_take (ScopeDocument *d)
{
  Stay *back = g_object_steal_data (G_OBJECT (d), RETURN);

  return back ? back : scope_document_stay_new (d);
}

void
scope_document_stay_free (Stay *s)
{
  if (!s)
    return;
  g_free (s->trace);
  g_free (s->format);
  g_clear_pointer (&s->refs, trace_refs_free);
  g_clear_pointer (&s->sources, g_array_unref);
  g_free (s);
}
