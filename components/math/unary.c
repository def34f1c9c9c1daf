/* SPDX-License-Identifier: Apache-2.0 */
/* unary.c - one operation on one number. */
#include <math.h>
#include "eve/eve.h"
#include "eve/words.h"

typedef struct Unary {
  EveBase base;
  int32_t operation;
  bool warned;
} Unary;

/* name in the setting, value; x is `in` */
#define OPERATIONS(OP)                                                                                                 \
  OP (NEGATE, "negate", -x)                                                                                            \
  OP (ABS, "abs", fabs (x))                                                                                            \
  OP (SIGN, "sign", x > 0 ? 1 : x < 0 ? -1 : x)                                                                        \
  OP (RECIPROCAL, "reciprocal", 1 / x)                                                                                 \
  OP (SQUARE, "square", x *x)                                                                                          \
  OP (SQRT, "sqrt", sqrt (x))                                                                                          \
  OP (EXP, "exp", exp (x))                                                                                             \
  OP (LOG, "log", log (x))                                                                                             \
  OP (LOG2, "log2", log2 (x))                                                                                          \
  OP (LOG10, "log10", log10 (x))                                                                                       \
  OP (SIN, "sin", sin (x))                                                                                             \
  OP (COS, "cos", cos (x))                                                                                             \
  OP (ROUND, "round", round (x))                                                                                       \
  OP (FLOOR, "floor", floor (x))                                                                                       \
  OP (CEILING, "ceiling", ceil (x))                                                                                    \
  OP (TRUNCATE, "truncate", trunc (x))

#define AS_ENUM(id, name, value) OP_##id,
#define AS_NAME(id, name, value) name,
#define AS_LOOP(id, name, value)                                                                                       \
  case OP_##id:                                                                                                        \
    for (uint32_t i = 0; i < n; i++) {                                                                                 \
      const double x = a[i];                                                                                           \
      to[i] = value;                                                                                                   \
    }                                                                                                                  \
    break;

enum { OPERATIONS (AS_ENUM) N_OPERATIONS };
static const char *const operations[] = { OPERATIONS (AS_NAME) NULL };

static const EveInSpec ins[] = {
  { "in", &eve_type_double, .required = true, .present = true, .doc = "The operand." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_double, .doc = "The result." },
};
static const EveField settings[] = {
  { "operation", EVE_F_CHOICE, offsetof (Unary, operation), .def = OP_NEGATE, .choices = operations,
    .doc = "What to do with the operand; angles are in radians." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Unary, warned) },
};

static void
unary_do (Unary *self, const double *a, double *to, uint32_t n)
{
  switch (self->operation) {
    OPERATIONS (AS_LOOP)
  }
  for (uint32_t i = 0; i < n && !self->warned; i++)
    if (!isfinite (to[i]) && isfinite (a[i])) {
      self->warned = true;
      eve_warn ((EveComponent *) self,
                _ ("The result is not a finite number, first for %.10g (%s gives %g); it is passed on."), a[i],
                operations[self->operation], to[i]);
    }
}

static void
unary_fire (EveComponent *c)
{
  Unary *self = (Unary *) c;
  const double *a = eve_take (self->base.in[0]);
  double result = 0;

  if (!eve_out_connected (self->base.out[0])) /* nobody listens: nothing is computed, nothing told of */
    return;
  unary_do (self, a, &result, 1);
  eve_emit (self->base.out[0], &result);
}

static void
unary_fire_span (EveComponent *c, uint32_t n)
{
  Unary *self = (Unary *) c;
  const double *a = eve_take_span (self->base.in[0], n);

  for (uint32_t m; n; n -= m) { /* the ring may wrap round within the span */
    m = n;
    double *to = eve_reserve (self->base.out[0], &m);
    if (!to)
      return;
    unary_do (self, a, to, m);
    eve_commit (self->base.out[0], m);
    a += m;
  }
}

static const EveClass unary = {
  EVE_CLASS_HEAD,
  .id = "scope.unary",
  .label = "Unary",
  .category = "Math",
  .version = 1,
  .doc = "One operation on one number.",
  .help = "Gives *operation* of each number that comes in. `round` goes to the nearest whole number, halves away from "
          "zero; `truncate` goes toward zero; `log` is the natural logarithm; `sign` is -1, 0 or 1. The root or "
          "logarithm of a negative number is NaN, the logarithm of zero -inf and its reciprocal inf, as IEEE 754 "
          "has it: it is passed on, and told of once.\n\n"
          "Example: *operation* `sqrt` turns 1 4 9 into 1 2 3.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Unary),
  .fire = unary_fire,
  .fire_span = unary_fire_span,
};
EVE_PLUGIN (&unary);
