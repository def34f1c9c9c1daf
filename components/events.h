/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what the kinds of event of a trace do, told by their tables and not by the names of one format. */
#pragma once
#include <string.h>
#include "readers/event.h"

/* A kind that names the task it sends to, or the one it received from. */
static inline bool
kind_has_field (const TraceKind *k, const char *name, TraceRole one, TraceRole several)
{
  for (uint32_t i = 0; i < k->n_fields; i++)
    if ((k->fields[i].role == one || k->fields[i].role == several) && strcmp (k->fields[i].name, name) == 0)
      return true;
  return false;
}
static inline bool
kind_sends (const TraceKind *k)
{
  return kind_has_field (k, "to", TRACE_ROLE_PEER, TRACE_ROLE_PEERS);
}
static inline bool
kind_receives (const TraceKind *k)
{
  return kind_has_field (k, "from", TRACE_ROLE_PEER, TRACE_ROLE_PEERS);
}
/* The death of a task: the last thing it does, or what is told of it when it was killed.  Its birth has no result. */
static inline bool
kind_is_death (const TraceKind *k)
{
  bool result = false;

  for (uint32_t i = 0; i < k->n_fields; i++)
    result |= k->fields[i].role == TRACE_ROLE_RESULT;
  return k->instant && result && strcmp (k->category, "task") == 0;
}

/* For a list of kinds, as stats_list_read() wants it: the names of the kinds of a source. */
static inline void
kinds_offer (void *source, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = (const TraceSource *) source;

  for (uint32_t i = 0; i < s->n_kinds; i++)
    add (to, s->kinds[i].name);
}

/* A receive that got something. */
static inline bool
event_received (const TraceEvent *e)
{
  return e->peer != TRACE_NONE && e->result >= 0 && !(e->flags & TRACE_UNFINISHED);
}
