/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - scale times a number plus offset. */
#include "eve/eve.h"

typedef struct Self {
  EveBase base; /* must be first: the ports */
  double scale, offset;
} Self;

static const EveInSpec ins[] = {
  { "in", &eve_type_double, .required = true, .doc = "Numbers." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_double, .doc = "Scale times the number plus offset." },
};
static const EveField settings[] = {
  { "scale", EVE_F_DOUBLE, offsetof (Self, scale), .def = 1, .doc = "What each number is multiplied by." },
  { "offset", EVE_F_DOUBLE, offsetof (Self, offset), .def = 0, .doc = "What is added then." },
};

static inline double
result (const Self *self, double x)
{
  return self->scale * x + self->offset;
}

static void
fire (EveComponent *c)
{
  Self *self = (Self *) c;
  double y = result (self, *(const double *) eve_take (self->base.in[0]));

  eve_emit (self->base.out[0], &y);
}

/* The same for n data at once, many times as fast.  It must equal `fire` n times. */
static void
fire_span (EveComponent *c, uint32_t n)
{
  Self *self = (Self *) c;
  const double *x = eve_take_span (self->base.in[0], n);

  for (uint32_t m; n; n -= m, x += m) { /* the ring of the output may wrap round on the way */
    m = n;
    double *y = eve_reserve (self->base.out[0], &m);
    if (!y)
      return; /* nobody is connected */
    for (uint32_t i = 0; i < m; i++)
      y[i] = result (self, x[i]);
    eve_commit (self->base.out[0], m);
  }
}

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@", .category = "Math", .version = 1,
  .doc = "Scale times a number plus offset.",
  .help = "Gives *scale* times each number plus *offset*.\n\n"
          "Example: *scale* 1.8 and *offset* 32 turn degrees Celsius into degrees Fahrenheit.",
  .ins = ins, .n_ins = EVE_N (ins), .outs = outs, .n_outs = EVE_N (outs),
  .settings = settings, .n_settings = EVE_N (settings),
  .instance_size = sizeof (Self), .fire = fire, .fire_span = fire_span,
};
EVE_PLUGIN (&@IDENT@);
