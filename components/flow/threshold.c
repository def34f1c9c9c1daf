/* SPDX-License-Identifier: Apache-2.0 */
/* threshold.c - passes a number to `high` or to `low`: the smallest useful component. */
#include "eve/eve.h"

typedef struct Threshold {
  EveBase base;
  double limit;
} Threshold;

static const EveInSpec ins[] = {
  { "value", &eve_type_double, .required = true, .present = true, .doc = "Number to compare." },
};
static const EveOutSpec outs[] = {
  { "high", &eve_type_double, .doc = "The value, if it is at least the limit." },
  { "low", &eve_type_double, .doc = "The value otherwise." },
};
static const EveField settings[] = {
  { "limit", EVE_F_DOUBLE, offsetof (Threshold, limit), .def = 0, .doc = "What is at least this is high." },
};

static void
threshold_fire (EveComponent *c)
{
  Threshold *self = (Threshold *) c;
  const double *value = eve_take (self->base.in[0]);

  eve_emit (self->base.out[*value >= self->limit ? 0 : 1], value);
}

static void
threshold_fire_span (EveComponent *c, uint32_t n)
{
  Threshold *self = (Threshold *) c;
  const double *value = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++)
    eve_emit (self->base.out[value[i] >= self->limit ? 0 : 1], &value[i]);
}

static const EveClass threshold = {
  EVE_CLASS_HEAD,
  .id = "scope.threshold",
  .label = "Threshold",
  .category = "Flow",
  .version = 1,
  .doc = "Sorts numbers by a limit: high or low.",
  .help = "Each number goes to exactly one output: to `high` if it is at least *limit*, else to `low`. "
          "NaN, which compares with nothing, goes to `low`.\n\n"
          "Example: with *limit* 3, the numbers 1 2 3 4 leave as `high` 3 4 and `low` 1 2.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Threshold),
  .fire = threshold_fire,
  .fire_span = threshold_fire_span,
};
EVE_PLUGIN (&threshold);
