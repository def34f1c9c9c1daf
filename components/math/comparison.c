/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.c - compares two numbers, the second of which may be a setting. */
#include "eve/eve.h"

typedef struct Comparison {
  EveBase base;
  int32_t relation;
  double b;
} Comparison;

#define RELATIONS(OP)                                                                                                  \
  OP (LESS, "<", x < y)                                                                                                \
  OP (AT_MOST, "<=", x <= y)                                                                                           \
  OP (EQUAL, "=", x == y)                                                                                              \
  OP (UNEQUAL, "!=", x != y)                                                                                           \
  OP (AT_LEAST, ">=", x >= y)                                                                                          \
  OP (GREATER, ">", x > y)

#define AS_ENUM(id, name, value) REL_##id,
#define AS_NAME(id, name, value) name,
#define AS_LOOP(id, name, value)                                                                                       \
  case REL_##id:                                                                                                       \
    for (uint32_t i = 0; i < n; i++) {                                                                                 \
      const double x = a[i], y = b[i * stride];                                                                        \
      to[i] = value;                                                                                                   \
    }                                                                                                                  \
    break;

enum { RELATIONS (AS_ENUM) N_RELATIONS };
static const char *const relations[] = { RELATIONS (AS_NAME) NULL };

static const EveInSpec ins[] = {
  { "a", &eve_type_double, .required = true, .present = true, .doc = "Number on the left." },
  { "b", &eve_type_double, .present = true, .doc = "Number on the right; while unconnected, the setting b." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_bool, .doc = "Whether the relation holds." },
};
static const EveField settings[] = {
  { "relation", EVE_F_CHOICE, offsetof (Comparison, relation), .def = REL_LESS, .choices = relations,
    .doc = "What is asked of a and b." },
  { "b", EVE_F_DOUBLE, offsetof (Comparison, b), .def = 0,
    .doc = "Number on the right while the input b is unconnected." },
};

static void
comparison_do (const Comparison *self, const double *a, const double *b, uint32_t stride, bool *to, uint32_t n)
{
  switch (self->relation) {
    RELATIONS (AS_LOOP)
  }
}

static void
comparison_fire (EveComponent *c)
{
  Comparison *self = (Comparison *) c;
  const double *a = eve_take (self->base.in[0]);
  const double *b = eve_take (self->base.in[1]);
  bool result = false;

  comparison_do (self, a, b ? b : &self->b, 0, &result, 1);
  eve_emit (self->base.out[0], &result);
}

static void
comparison_fire_span (EveComponent *c, uint32_t n)
{
  Comparison *self = (Comparison *) c;
  const double *a = eve_take_span (self->base.in[0], n);
  const double *b = eve_take_span (self->base.in[1], n);
  uint32_t stride = b ? 1 : 0;

  if (!b)
    b = &self->b;
  for (uint32_t m; n; n -= m) { /* the ring may wrap round within the span */
    m = n;
    bool *to = eve_reserve (self->base.out[0], &m);
    if (!to)
      return;
    comparison_do (self, a, b, stride, to, m);
    eve_commit (self->base.out[0], m);
    a += m;
    b += m * stride;
  }
}

static const EveClass comparison = {
  EVE_CLASS_HEAD,
  .id = "scope.comparison",
  .label = "Comparison",
  .category = "Math",
  .version = 1,
  .doc = "Compares two numbers: true or false.",
  .help = "Takes one number at `a` and one at `b`, the n-th with the n-th, and tells whether a *relation* b holds. "
          "While nothing is connected to `b`, the setting *b* takes its place. NaN equals nothing, itself "
          "included, and is neither less nor greater; numbers are compared exactly, with all their digits.\n\n"
          "Example: *relation* `>` and *b* 2 make false false true of 1 2 3.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Comparison),
  .fire = comparison_fire,
  .fire_span = comparison_fire_span,
};
EVE_PLUGIN (&comparison);
