/* SPDX-License-Identifier: Apache-2.0 */
/* waiting-times.c - how long each receive took from its call to the message (thesis, section 6.3). */
#include <glib.h>
#include "components/events.h"
#include "eve/words.h"
#include "statistics/list.h"
#include "statistics/types.h"

typedef struct Waiting {
  EveBase base;
  char *kinds;
  bool warned;
  GHashTable *told; /* names of `kinds` that are none */
  int64_t n;
  const TraceSource *source; /* bound to it: */
  int number;                /* its number; -1: to none */
  uint8_t *waits;            /* one a kind: the flag of the events that are looked for, or 0 */
  uint32_t n_kinds;
  const char *unit; /* "s", interned */
} Waiting;

static const EveInSpec ins[] = {
  { "events", &trace_type_event, .required = true, .doc = "Trace events." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .unit = "s", .doc = "The time of each receive, when it ends." },
  { "dated", &stats_type_datum, .unit = "s", .doc = "The same with its date and the task that waited." },
};
static const EveField settings[] = {
  { "kinds", EVE_F_STRING, offsetof (Waiting, kinds),
    .doc = "Kinds of event that wait, with commas between; empty: all that receive from one task." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Waiting, warned) },
  { "n", EVE_F_INT64, offsetof (Waiting, n), EVE_COUNT },
};

static void
waiting_forget (EveComponent *c)
{
  Waiting *self = (Waiting *) c;

  g_clear_pointer (&self->waits, g_free);
  self->source = NULL;
  self->number = -1;
  self->n_kinds = 0;
}

static void
waiting_bind (Waiting *self, uint16_t number)
{
  const TraceSource *s = trace_source (number);
  bool any = false;

  waiting_forget ((EveComponent *) self);
  if (!s)
    return;
  self->number = number;
  self->unit = g_intern_static_string ("s");
  self->source = s;
  self->n_kinds = s->n_kinds;
  self->waits = g_new0 (uint8_t, MAX (s->n_kinds, 1));
  g_auto (GStrv) kinds = stats_list_read ((EveComponent *) self, &self->told, "kind of event", self->kinds, kinds_offer,
                                          (void *) s);
  for (uint32_t i = 0; i < s->n_kinds; i++)
    if (kinds[0] ? stats_names_have (kinds, s->kinds[i].name) : trace_acts (&s->kinds[i]) & TRACE_ACT_RECEIVE)
      any = (self->waits[i] = TRACE_END) != 0;
  if (!any && !kinds[0] && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("No kind of event of the trace %s receives from one task."), s->name);
  }
}

static void
waiting_give (Waiting *self, const TraceEvent *e)
{
  StatsDatum d = { .date = e->date, .owner = e->task, .owner_kind = STATS_OF_TASK, .source = e->source };
  d.value.real = trace_clock_seconds (&self->source->clock, e->duration);
  d.unit = self->unit;
  self->n++;
  eve_emit (self->base.out[0], &d.value.real);
  eve_emit (self->base.out[1], &d);
}

static inline void
waiting_step (Waiting *self, const TraceEvent *e)
{
  if (G_UNLIKELY (e->source != self->number))
    waiting_bind (self, e->source);
  if (G_UNLIKELY (e->kind < self->n_kinds && self->waits[e->kind] & e->flags))
    waiting_give (self, e);
}

static bool
waiting_init (EveComponent *c)
{
  waiting_forget (c);
  return true;
}

static void
waiting_finish (EveComponent *c)
{
  waiting_forget (c);
  g_clear_pointer (&((Waiting *) c)->told, g_hash_table_unref);
}

static void
waiting_fire (EveComponent *c)
{
  waiting_step ((Waiting *) c, eve_take (eve_base (c)->in[0]));
}

static void
waiting_fire_span (EveComponent *c, uint32_t n)
{
  const TraceEvent *e = eve_take_span (eve_base (c)->in[0], n), *end = e + n;
  Waiting *self = (Waiting *) c;

  /* Most events are none of ours: passed over with what the loop keeps at hand. */
  while (e < end) {
    const uint8_t *waits = self->waits;
    uint32_t n_kinds = self->n_kinds;
    int number = self->number;
    while (e < end && e->source == number && e->kind < n_kinds && !(waits[e->kind] & e->flags))
      e++;
    if (e < end)
      waiting_step (self, e++);
  }
}

static bool
waiting_changed (EveComponent *c, uint32_t setting)
{
  waiting_finish (c);
  ((Waiting *) c)->warned = false;
  return true;
}

static bool
waiting_at_end (EveComponent *c)
{
  eve_status (c, _ ("%lld receives"), (long long) ((Waiting *) c)->n);
  return true;
}

static const EveClass waiting = {
  EVE_CLASS_HEAD,
  .id = "scope.waiting-times",
  .label = "Waiting Times",
  .category = "Analysis",
  .version = 1,
  .doc = "How long each receive took, from its call to the message.",
  .help = "The time of a receive is its duration in the trace: what the task spent in the call, waiting and being "
          "given the "
          "message (thesis, section 6.3). The part in which it was blocked is what the state Idle tells: see State "
          "Durations. "
          "Receives count when they end: one in progress, or that never ended, gives nothing. *kinds* chooses others, "
          "such as `Barrier`.\n\n"
          "Example: Waiting Times to Histogram shows whether all receives wait alike.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Waiting),
  .init = waiting_init,
  .finish = waiting_finish,
  .reset = waiting_forget,
  .changed = waiting_changed,
  .fire = waiting_fire,
  .fire_span = waiting_fire_span,
  .at_end = waiting_at_end,
};
EVE_PLUGIN (&waiting);
