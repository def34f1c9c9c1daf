/* SPDX-License-Identifier: Apache-2.0 */
/* working.h - which states of a task count, for components with a setting `states`: those it names, or, where it is
 * empty, all in which a task neither rests nor waits, and of which is told what it does there (readers/untold.h).  By
 * the senses of the model: no state is known by its name. */
#pragma once
#include "readers/untold.h"
#include "simulators/state.h"
#include "statistics/list.h"

/* Whether time in a state is part of a life; `v` NULL: nobody knows the state. */
static inline bool
state_lives (const StateValue *v)
{
  return v == NULL || v->sense != STATE_SENSE_GONE;
}

/* Of a component: states of its trace of which nobody tells what a task does in them; {0}: not asked yet.  They are
 * asked for again when the trace has come to know more of them. */
typedef struct StateUntold {
  const TraceSource *of;
  uint32_t n_objects; /* that the source had */
  GHashTable *states; /* trace_untold_states() */
} StateUntold;

/* When the component is reset, and at its end. */
static inline void
state_untold_clear (StateUntold *u)
{
  u->of = NULL;
  u->n_objects = 0;
  g_clear_pointer (&u->states, g_hash_table_unref);
}

/* True: they may be others than they were. */
static inline bool
state_untold_ask (StateUntold *u, uint16_t source)
{
  const TraceSource *s = trace_source (source);
  uint32_t n = s ? s->objects->len : 0, before = u->n_objects;

  if (G_LIKELY (s == u->of && n == before))
    return false;
  u->n_objects = n;
  if (s && s == u->of && n > before && !trace_has_states (s, before))
    return false;
  g_clear_pointer (&u->states, g_hash_table_unref);
  u->of = s;
  u->states = s ? trace_untold_states (s) : NULL;
  return true;
}

/* Of a task in a state. */
static inline bool
state_is_untold (StateUntold *u, uint16_t source, uint32_t task, const StateValue *v)
{
  if (v == NULL || v->sense != STATE_SENSE_NONE)
    return false;
  state_untold_ask (u, source);
  return u->states && trace_is_untold (u->states, u->of, task, v->name);
}

/* Of whatever task: without what its type does not tell. */
static inline bool
state_may_work (const char *states, const StateValue *v)
{
  if (*states)
    return v != NULL && stats_list_has (states, v->name);
  return state_lives (v) && (v == NULL || (v->sense != STATE_SENSE_REST && v->sense != STATE_SENSE_WAITS));
}

static inline bool
state_works (const char *states, const StateValue *v, StateUntold *u, uint16_t source, uint32_t task)
{
  return state_may_work (states, v) && (*states || !state_is_untold (u, source, task, v));
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
