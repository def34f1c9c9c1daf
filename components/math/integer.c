/* SPDX-License-Identifier: Apache-2.0 */
/* integer.c - makes whole numbers of numbers: an index for Switch, a count for a table. */
#include <math.h>
#include "eve/eve.h"
#include "eve/words.h"

typedef struct Integer {
  EveBase base;
  int32_t rule;
  bool warned;
} Integer;

enum { RULE_NEAREST, RULE_DOWN, RULE_UP, RULE_ZERO };
static const char *const rules[] = { "nearest", "down", "up", "toward zero", NULL };

static const EveInSpec ins[] = {
  { "in", &eve_type_double, .required = true, .present = true, .doc = "Numbers." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_int64, .doc = "Whole numbers." },
};
static const EveField settings[] = {
  { "rule", EVE_F_CHOICE, offsetof (Integer, rule), .def = RULE_NEAREST, .choices = rules,
    .doc = "Which whole number; nearest: halves go away from zero." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Integer, warned) },
};

static void
integer_give (Integer *self, double x)
{
  double whole = self->rule == RULE_NEAREST ? round (x)
                 : self->rule == RULE_DOWN  ? floor (x)
                 : self->rule == RULE_UP    ? ceil (x)
                                            : trunc (x);

  if (whole >= -0x1p63 && whole < 0x1p63) { /* false for NaN */
    int64_t n = (int64_t) whole;
    eve_emit (self->base.out[0], &n);
  } else if (!self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("There is no whole number of 64 bits for %g; such numbers are passed over."),
              x);
  }
}

static void
integer_fire (EveComponent *c)
{
  Integer *self = (Integer *) c;

  integer_give (self, *(const double *) eve_take (self->base.in[0]));
}

static void
integer_fire_span (EveComponent *c, uint32_t n)
{
  Integer *self = (Integer *) c;
  const double *x = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n; i++)
    integer_give (self, x[i]);
}

static const EveClass integer = {
  EVE_CLASS_HEAD,
  .id = "scope.integer",
  .label = "Integer",
  .category = "Math",
  .version = 1,
  .doc = "Makes whole numbers of numbers.",
  .help = "Wires turn whole numbers into numbers by themselves; the way back needs a *rule*, and this component. NaN, "
          "infinities and numbers beyond 64 bits have no whole number: they are passed over, and told of once.\n\n"
          "Example: `nearest` makes 1 2 -2 of 0.6 1.5 -1.5.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Integer),
  .fire = integer_fire,
  .fire_span = integer_fire_span,
};
EVE_PLUGIN (&integer);
