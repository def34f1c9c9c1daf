/* SPDX-License-Identifier: Apache-2.0 */
/* binary.c - one operation on two numbers, the second of which may be a setting. */
#include <math.h>
#include "eve/eve.h"
#include "eve/words.h"

typedef struct Binary {
  EveBase base;
  int32_t operation;
  bool warned;
  double b;
} Binary;

/* The remainder has the sign of the divisor, so that a date modulo a period is never negative. */
static inline double
modulo (double x, double y)
{
  double r = fmod (x, y);

  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

/* name in the setting, value; x is `a`, y is `b` */
#define OPERATIONS(OP)                                                                                                 \
  OP (ADD, "add", x + y)                                                                                               \
  OP (SUBTRACT, "subtract", x - y)                                                                                     \
  OP (MULTIPLY, "multiply", x *y)                                                                                      \
  OP (DIVIDE, "divide", x / y)                                                                                         \
  OP (MODULO, "modulo", modulo (x, y))                                                                                 \
  OP (POWER, "power", pow (x, y))                                                                                      \
  OP (MINIMUM, "minimum", fmin (x, y))                                                                                 \
  OP (MAXIMUM, "maximum", fmax (x, y))                                                                                 \
  OP (DISTANCE, "distance", fabs (x - y))                                                                              \
  OP (HYPOTENUSE, "hypotenuse", hypot (x, y))

#define AS_ENUM(id, name, value) OP_##id,
#define AS_NAME(id, name, value) name,
#define AS_LOOP(id, name, value)                                                                                       \
  case OP_##id:                                                                                                        \
    for (uint32_t i = 0; i < n; i++) {                                                                                 \
      const double x = a[i], y = b[i * stride];                                                                        \
      to[i] = value;                                                                                                   \
    }                                                                                                                  \
    break;

enum { OPERATIONS (AS_ENUM) N_OPERATIONS };
static const char *const operations[] = { OPERATIONS (AS_NAME) NULL };

static const EveInSpec ins[] = {
  { "a", &eve_type_double, .required = true, .present = true, .doc = "First operand." },
  { "b", &eve_type_double, .present = true, .doc = "Second operand; while unconnected, the setting b." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_double, .doc = "The result." },
};
static const EveField settings[] = {
  { "operation", EVE_F_CHOICE, offsetof (Binary, operation), .def = OP_ADD, .choices = operations,
    .doc = "What to do with a and b." },
  { "b", EVE_F_DOUBLE, offsetof (Binary, b), .def = 0, .doc = "Second operand while the input b is unconnected." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Binary, warned) },
};

/* Operates on n data; stride 0: b is one number for all. */
static void
binary_do (Binary *self, const double *a, const double *b, uint32_t stride, double *to, uint32_t n)
{
  switch (self->operation) {
    OPERATIONS (AS_LOOP)
  }
  for (uint32_t i = 0; i < n && !self->warned; i++)
    if (!isfinite (to[i]) && isfinite (a[i]) && isfinite (b[i * stride])) {
      self->warned = true;
      eve_warn ((EveComponent *) self,
                _ ("The result is not a finite number, first for a = %.10g and b = %.10g (%s gives %g); it "
                   "is passed on."),
                a[i], b[i * stride], operations[self->operation], to[i]);
    }
}

static void
binary_fire (EveComponent *c)
{
  Binary *self = (Binary *) c;
  const double *a = eve_take (self->base.in[0]);
  const double *b = eve_take (self->base.in[1]);
  double result = 0;

  if (!eve_out_connected (self->base.out[0])) /* nobody listens: nothing is computed, nothing told of */
    return;
  binary_do (self, a, b ? b : &self->b, 0, &result, 1);
  eve_emit (self->base.out[0], &result);
}

static void
binary_fire_span (EveComponent *c, uint32_t n)
{
  Binary *self = (Binary *) c;
  const double *a = eve_take_span (self->base.in[0], n);
  const double *b = eve_take_span (self->base.in[1], n);
  uint32_t stride = b ? 1 : 0;

  if (!b)
    b = &self->b;
  for (uint32_t m; n; n -= m) { /* the ring may wrap round within the span */
    m = n;
    double *to = eve_reserve (self->base.out[0], &m);
    if (!to)
      return;
    binary_do (self, a, b, stride, to, m);
    eve_commit (self->base.out[0], m);
    a += m;
    b += m * stride;
  }
}

static const EveClass binary = {
  EVE_CLASS_HEAD,
  .id = "scope.binary",
  .label = "Binary",
  .category = "Math",
  .version = 1,
  .doc = "One operation on two numbers.",
  .help = "Takes one number at `a` and one at `b`, the n-th with the n-th, and gives the result. While nothing is "
          "connected to `b`, the setting *b* takes its place.\n\n"
          "`modulo` has the sign of *b*; `minimum` and `maximum` of a number and NaN are the number; `distance` is "
          "the absolute difference, `hypotenuse` the root of a² + b². A division by zero, or a result too large for "
          "a number, is infinite or NaN as IEEE 754 has it: it is passed on, and told of once.\n\n"
          "Example: *operation* `multiply` and *b* 8 turn bytes into bits.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Binary),
  .fire = binary_fire,
  .fire_span = binary_fire_span,
};
EVE_PLUGIN (&binary);
