/* SPDX-License-Identifier: Apache-2.0 */
/* constant.c - gives one number, once or again and again. */
#include "eve/eve.h"

typedef struct Constant {
  EveBase base;
  double value;
  int64_t count, given;
} Constant;

static const EveOutSpec outs[] = {
  { "out", &eve_type_double, .doc = "The value." },
};
static const EveField settings[] = {
  { "value", EVE_F_DOUBLE, offsetof (Constant, value), .def = 1, .doc = "The number to give." },
  { "count", EVE_F_INT64, offsetof (Constant, count), .min = 0, .max = 1e15, .def = 1,
    .doc = "How many times; 0: without end." },
};
static const EveField state[] = {
  { "given", EVE_F_INT64, offsetof (Constant, given), EVE_COUNT },
};

static EveSupply
constant_produce (EveComponent *c, uint32_t max)
{
  Constant *self = (Constant *) c;

  for (; max && (!self->count || self->given < self->count); max--) {
    if (!eve_emit (self->base.out[0], &self->value))
      return EVE_MORE;
    self->given++;
  }
  return self->count && self->given >= self->count ? EVE_END : EVE_MORE;
}

static const EveClass constant = {
  EVE_CLASS_HEAD,
  .id = "scope.constant",
  .label = "Constant",
  .category = "Flow",
  .version = 1,
  .doc = "Gives one number, a chosen number of times.",
  .help = "A source. It gives *value*, *count* times (0: without end, as fast as it is consumed).\n\n"
          "Many components have a setting that does without a constant: the second operand of "
          "Binary and Comparison, for instance.\n\n"
          "Example: *value* 2.5 and *count* 3 give 2.5 2.5 2.5.",
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Constant),
  .produce = constant_produce,
};
EVE_PLUGIN (&constant);
