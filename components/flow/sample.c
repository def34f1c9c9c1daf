/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - lets one datum in n pass. */
#include "eve/eve.h"

typedef struct Sample {
  EveBase base;
  int64_t every, which;
  int64_t place; /* data seen since the beginning of this group of n */
} Sample;

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type." },
};
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "One datum in n." },
};
static const EveField settings[] = {
  { "every", EVE_F_INT64, offsetof (Sample, every), .min = 1, .max = 1e15, .def = 10,
    .doc = "One datum of so many passes." },
  { "which", EVE_F_INT64, offsetof (Sample, which), .min = 1, .max = 1e15, .def = 1,
    .doc = "Which of the n it is, from 1; beyond n: the last." },
};
static const EveField state[] = {
  { "place", EVE_F_INT64, offsetof (Sample, place) },
};

static inline void
sample_step (Sample *self, const void *datum)
{
  int64_t which = self->which < self->every ? self->which : self->every;

  if (self->place < 0 || self->place >= self->every) /* `every` was lowered */
    self->place = 0;
  if (++self->place == which)
    eve_emit (self->base.out[0], datum);
}

static void
sample_fire (EveComponent *c)
{
  Sample *self = (Sample *) c;

  sample_step (self, eve_take (self->base.in[0]));
}

static void
sample_fire_span (EveComponent *c, uint32_t n)
{
  Sample *self = (Sample *) c;
  size_t size = eve_in_type (self->base.in[0])->size;
  const char *datum = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++, datum += size)
    sample_step (self, datum);
}

static const EveClass sample = {
  EVE_CLASS_HEAD,
  .id = "scope.sample",
  .label = "Sample",
  .category = "Flow",
  .version = 1,
  .doc = "Lets one datum in n pass.",
  .help = "Of every *every* data it passes one, the first of them unless *which* says another; the rest are "
          "dropped.\n\n"
          "Example: *every* 3 lets 1 4 7 10 of the data 1 to 10 pass; with *which* 3 it lets 3 6 9 pass.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Sample),
  .fire = sample_fire,
  .fire_span = sample_fire_span,
};
EVE_PLUGIN (&sample);
