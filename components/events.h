/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - kinds of event in the settings of components. */
#pragma once
#include "readers/event.h"

/* For a list of kinds, as stats_list_read() wants it: the names of the kinds of a source. */
static inline void
kinds_offer (void *source, void (*add) (void *to, const char *name), void *to)
{
  const TraceSource *s = (const TraceSource *) source;

  for (uint32_t i = 0; i < s->n_kinds; i++)
    add (to, s->kinds[i].name);
}
