/* SPDX-License-Identifier: Apache-2.0 */
/* delay.c - holds data back, or shifts them against others. */
#include "components/slots.h"

typedef struct Delay {
  EveBase base;
  int64_t n;
  int32_t mode;
  Slots held;
} Delay;

enum { MODE_HOLD, MODE_SHIFT };
static const char *const modes[] = { "hold back", "shift", NULL };
#define N_MAX 1000000

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type." },
};
static const EveOutSpec outs[] = {
  /* two, so that what is held too much can leave after n was lowered */
  { "out", NULL, .per_fire = 2, .doc = "The same data, n later." },
};
static const EveField settings[] = {
  { "n", EVE_F_INT64, offsetof (Delay, n), .min = 0, .max = N_MAX, .def = 1, .doc = "How many data are held." },
  { "mode", EVE_F_CHOICE, offsetof (Delay, mode), .def = MODE_HOLD, .choices = modes,
    .doc = "Hold back: each datum leaves when n more have come, the rest at the end; shift: n copies of the first "
           "lead, the last n are never given." },
};

static void
delay_step (Delay *self, const void *datum)
{
  Slots *held = &self->held;
  uint64_t n = (uint64_t) self->n;

  if (!slots_setup (held, (EveComponent *) self, eve_in_type (self->base.in[0]), (held->n > n ? held->n : n) + 1))
    return;
  if (self->mode == MODE_SHIFT) {
    while (held->n > n) /* n was lowered: the oldest are too old now */
      slots_drop (held);
    if (held->n < n) { /* the beginning, or n was raised: let copies of the oldest lead */
      const void *oldest = held->n ? slots_at (held, 0) : datum;
      while (held->n < n) {
        held->first = held->first ? held->first - 1 : held->capacity - 1;
        held->n++;
        memcpy (slots_at (held, 0), oldest, held->type->size);
        if (held->type->retain)
          held->type->retain (slots_at (held, 0));
      }
    }
  }
  slots_push (held, datum);
  for (int i = 0; i < 2 && held->n > n; i++)
    slots_emit (held, self->base.out[0]);
}

static void
delay_fire (EveComponent *c)
{
  Delay *self = (Delay *) c;

  delay_step (self, eve_take (self->base.in[0]));
}

static void
delay_fire_span (EveComponent *c, uint32_t n)
{
  Delay *self = (Delay *) c;
  size_t size = eve_in_type (self->base.in[0])->size;
  const char *datum = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++, datum += size)
    delay_step (self, datum);
}

static bool
delay_at_end (EveComponent *c)
{
  Delay *self = (Delay *) c;

  if (self->mode == MODE_SHIFT)
    return true;
  if (self->held.n && self->held.type != eve_out_type (self->base.out[0]))
    slots_clear (&self->held); /* the wires were changed to another type */
  if (self->held.n)
    slots_emit (&self->held, self->base.out[0]);
  return !self->held.n;
}

static void
delay_reset (EveComponent *c)
{
  slots_clear (&((Delay *) c)->held);
}

static void
delay_finish (EveComponent *c)
{
  slots_free (&((Delay *) c)->held);
}

static void
delay_save (EveComponent *c, EveBlob *to)
{
  slots_save (&((Delay *) c)->held, c, to);
}

static bool
delay_load (EveComponent *c, EveBlobView *from)
{
  Delay *self = (Delay *) c;

  return slots_load (&self->held, c, eve_in_type (self->base.in[0]), N_MAX + 1, from);
}

static const EveClass delay = {
  EVE_CLASS_HEAD,
  .id = "scope.delay",
  .label = "Delay",
  .category = "Flow",
  .version = 1,
  .doc = "Holds back n data, or shifts them by n places.",
  .help = "In the mode `hold back` the order and the number of data stay; each leaves when *n* more have come, and at "
          "the end those still held leave too. In the mode `shift` the k-th datum out is the one that came *n* places "
          "before the k-th in; *n* copies of the first one lead. Shifted data can be compared with the others: "
          "Binary, subtracting the shifted from the straight, gives differences between neighbours.\n\n"
          "Example: with *n* 1, the data 1 2 3 leave as 1 2 3, one late; shifted, as 1 1 2.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Delay),
  .finish = delay_finish,
  .reset = delay_reset,
  .fire = delay_fire,
  .fire_span = delay_fire_span,
  .at_end = delay_at_end,
  .save = delay_save,
  .load = delay_load,
};
EVE_PLUGIN (&delay);
