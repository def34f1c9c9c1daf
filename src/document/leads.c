/* SPDX-License-Identifier: Apache-2.0 */
#include "document/leads.h"
#include "document/private.h"
#include "eve/words.h"
#include "session/places.h"
#include "statistics/findings.h"

#define KEPT "leads"

typedef struct Leads {
  bool known, waits; /* waits: it is gone there as soon as it is known, */
  uint64_t asked;    /* unless the person goes elsewhere meanwhile */
  StatsLead first;   /* as things stood at the end */
} Leads;

static void
leads_forget (Leads *l)
{
  g_free (l->first.name);
  *l = (Leads){ false };
}

static void
leads_free (gpointer leads)
{
  leads_forget (leads);
  g_free (leads);
}

static Leads *
document_leads_of (ScopeDocument *d)
{
  return g_object_get_data (G_OBJECT (d), KEPT);
}

/* The next box that leads somewhere, from the i-th on. */
static const StatsLeads *
leads_next (ScopeDocument *d, uint32_t *i, EveComponent **c)
{
  EveProgram *p = scope_document_is_open (d) ? scope_document_program (d) : NULL;

  while (p && *i < eve_n_components (p)) {
    *c = eve_component (p, (*i)++);
    const StatsLeads *face = eve_is_ghost (*c) ? NULL : eve_query (*c, "leads/1");
    if (face)
      return face;
  }
  return NULL;
}

static void
leads_show (ScopeDocument *d, const StatsLead *lead)
{
  g_autoptr (TraceRefs) refs = trace_refs_new ();

  if (lead->other.type != TRACE_REF_NONE)
    trace_refs_add (refs, lead->other);
  trace_refs_add (refs, lead->who); /* the last one leads: keys go on from its events */
  scope_document_select_refs (d, refs, false);
  scope_document_go_date (d, lead->from);
  if (lead->to > lead->from) /* it has not happened yet at its begin: what is counted is counted of all of it */
    scope_document_set_range (d, lead->from, lead->to);
  scope_document_unsay (d, KEPT);
  scope_document_say_about (d, KEPT, SCOPE_SAY_NOTE, "%s", lead->name);
  g_signal_emit_by_name (d, "show", lead->from, lead->to);
}

/* As things stand now. */
static void
leads_ask (ScopeDocument *d, Leads *l)
{
  EveComponent *c;
  const StatsLeads *face;

  g_clear_pointer (&l->first.name, g_free);
  l->known = false;
  for (uint32_t i = 0; !l->known && (face = leads_next (d, &i, &c));)
    l->known = face->first (c, &l->first);
}

static void
leads_on_time (ScopeDocument *d, gpointer none)
{
  Leads *l = document_leads_of (d);

  if (l->asked != d->n_asked)
    l->waits = false;
  if (!scope_document_at_end (d) || scope_document_mode (d) == SCOPE_MODE_PLAYING)
    return;
  leads_ask (d, l);
  if (l->waits)
    leads_go (d);
}

static void
leads_on_opened (ScopeDocument *d, gpointer none)
{
  leads_forget (document_leads_of (d));
  leads_on_time (d, none);
}

void
leads_watch (ScopeDocument *d)
{
  g_object_set_data_full (G_OBJECT (d), KEPT, g_new0 (Leads, 1), leads_free);
  g_signal_connect (d, "opened", G_CALLBACK (leads_on_opened), NULL);
  g_signal_connect (d, "program", G_CALLBACK (leads_on_opened), NULL);
  g_signal_connect (d, "time", G_CALLBACK (leads_on_time), NULL);
  g_signal_connect (d, "mode", G_CALLBACK (leads_on_time), NULL);
}

const char *
leads_told (ScopeDocument *d)
{
  Leads *l = document_leads_of (d);

  if (l && !l->known && scope_document_at_end (d))
    leads_ask (d, l);
  return l && l->known ? l->first.name : NULL;
}

/* The first program on offer that leads somewhere; NULL: none does. */
static PlacesProgram *
leads_offered (ScopeDocument *d)
{
  g_autoptr (GPtrArray) programs = places_programs (scope_document_source (d)->format->name);

  for (guint i = 0; i < programs->len; ++i) {
    PlacesProgram *p = programs->pdata[i];
    if (*p->lead && g_strcmp0 (p->path, scope_document_program_path (d)))
      return g_ptr_array_steal_index (programs, i);
  }
  return NULL;
}

char *
leads_program (ScopeDocument *d, char **title)
{
  PlacesProgram *p = leads_offered (d);

  if (!p)
    return NULL;
  *title = g_strdup (in_words (p->title));
  char *path = g_strdup (p->path);
  places_program_free (p);
  return path;
}

char *
leads_what (ScopeDocument *d, char **also)
{
  EveComponent *c;
  uint32_t i = 0;
  const StatsLeads *face = leads_next (d, &i, &c);

  if (also)
    *also = face && face->also ? g_strdup (in_words (face->also)) : NULL;
  if (face)
    return g_strdup (in_words (face->what));
  PlacesProgram *p = scope_document_is_open (d) ? leads_offered (d) : NULL;
  if (!p)
    return NULL;
  char *what = g_strdup (in_words (p->lead));
  places_program_free (p);
  return what;
}

static void
leads_say_none (ScopeDocument *d)
{
  g_autofree char *title = NULL, *path = leads_program (d, &title);

  if (path)
    scope_document_say_about (d, LEADS_NONE, SCOPE_SAY_NOTE,
                              _ ("No box of this program says where to look first; the program “%s” does"), title);
  else
    scope_document_say (d, SCOPE_SAY_NOTE, "%s", _ ("No box of this program says where to look first"));
}

void
leads_go (ScopeDocument *d)
{
  Leads *l = document_leads_of (d);
  EveComponent *c;
  uint32_t i = 0;
  const StatsLeads *face = leads_next (d, &i, &c);
  bool at_end = scope_document_at_end (d) || scope_document_is_live (d);

  if (!scope_document_is_open (d))
    return;
  if (at_end)
    leads_ask (d, l);
  l->waits = !l->known && !at_end && face;
  if (l->known)
    leads_show (d, &l->first);
  else if (l->waits) {
    scope_document_go_last (d);
    l->asked = d->n_asked;
  } else if (face)
    scope_document_say (d, SCOPE_SAY_NOTE, "%s", in_words (face->none));
  else
    leads_say_none (d);
}

void
leads_stay (ScopeDocument *d)
{
  document_leads_of (d)->waits = false;
}

bool
leads_go_at (ScopeDocument *d, TraceRef who, int64_t date)
{
  EveComponent *c;
  const StatsLeads *face;
  StatsLead lead;

  for (uint32_t i = 0; who.type != TRACE_REF_NONE && (face = leads_next (d, &i, &c));)
    if (face->at (c, who, date, &lead)) {
      leads_show (d, &lead);
      g_free (lead.name);
      return true;
    }
  return false;
}
