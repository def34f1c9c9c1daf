/* SPDX-License-Identifier: Apache-2.0 */
/* working.h - which states of a task count, for components with a setting `states`: those it names, or, where it is
 * empty, all in which a task neither rests nor waits, and of which is told what it does there (readers/told.h).  By the
 * senses of the model: no state is known by its name. */
#pragma once
#include "readers/told.h"
#include "simulators/state.h"
#include "statistics/list.h"

/* Whether time in a state is part of a life; `v` NULL: nobody knows the state. */
static inline bool
state_lives (const StateValue *v)
{
  return v == NULL || v->sense != STATE_SENSE_GONE;
}

/* Of a component: states of its trace of which nobody tells what a task does in them; {0}: not asked yet. */
typedef struct StateUntold {
  const TraceSource *of;
  GHashTable *names;
} StateUntold;

/* When the component is reset, and at its end. */
static inline void
state_untold_clear (StateUntold *u)
{
  u->of = NULL;
  g_clear_pointer (&u->names, g_hash_table_unref);
}

static inline bool
state_is_untold (StateUntold *u, uint16_t source, const StateValue *v)
{
  if (v == NULL || v->sense != STATE_SENSE_NONE)
    return false;
  const TraceSource *s = trace_source (source);
  if (G_UNLIKELY (s != u->of)) {
    state_untold_clear (u);
    u->of = s;
    u->names = s ? trace_untold_states (s) : NULL;
  }
  return u->names && g_hash_table_contains (u->names, v->name);
}

static inline bool
state_works (const char *states, const StateValue *v, StateUntold *u, uint16_t source)
{
  if (*states)
    return v != NULL && stats_list_has (states, v->name);
  return state_lives (v) && (v == NULL || (v->sense != STATE_SENSE_REST && v->sense != STATE_SENSE_WAITS))
         && !state_is_untold (u, source, v);
}

/* For stats_tell_unknown(): the names of the states of an attribute. */
static inline void
state_offer (void *attribute, void (*add) (void *to, const char *name), void *to)
{
  const StateAttribute *a = (const StateAttribute *) attribute;

  for (uint32_t i = 0; i < a->n_values; i++)
    add (to, a->values[i].name);
}

/* Warns of names in the setting that no state of the attribute has, once each: stats_tell_unknown(). */
static inline void
state_tell_unknown (EveComponent *c, GHashTable **told, const char *states, const StateAttribute *a)
{
  g_auto (GStrv) names = stats_list_split (states);

  stats_tell_unknown (c, told, "state", names, state_offer, (void *) a);
}
