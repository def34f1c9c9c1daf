/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - the mean of all numbers so far. */
#include "eve/eve.h"

typedef struct Self {
  EveBase base; /* must be first: the ports */
  int64_t count;
  double mean;
} Self;

static const EveInSpec ins[] = {
  { "in", &eve_type_double, .required = true, .doc = "Numbers." },
};
static const EveOutSpec outs[] = {
  { "mean", &eve_type_double, .doc = "Mean of the numbers so far, one for each that comes." },
};
/* Run state in fields is reset, saved and loaded by the engine.  What does not fit into fields, such as a histogram,
 * goes through the functions reset, save and load of the class. */
static const EveField state[] = {
  { "count", EVE_F_INT64, offsetof (Self, count) },
  { "mean", EVE_F_DOUBLE, offsetof (Self, mean) },
};

static void
fire (EveComponent *c)
{
  Self *self = (Self *) c;
  double x = *(const double *) eve_take (self->base.in[0]);

  if (self->count < INT64_MAX)
    self->count++;
  self->mean += (x - self->mean) / (double) self->count; /* no sum, which would lose digits */
  eve_emit (self->base.out[0], &self->mean);
}

/* A status is for people, so it is told when the program stops, not for each datum. */
static void
tell (EveComponent *c)
{
  Self *self = (Self *) c;

  eve_status (c, "%lld: %.6g", (long long) self->count, self->mean);
}

static bool
at_end (EveComponent *c)
{
  tell (c);
  return true; /* nothing is left to emit */
}

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@", .category = "Analysis", .version = 1,
  .doc = "The mean of all numbers so far.",
  .help = "For each number that comes it gives the mean of all numbers so far.\n\n"
          "Example: 1 2 6 give 1 1.5 3.",
  .ins = ins, .n_ins = EVE_N (ins), .outs = outs, .n_outs = EVE_N (outs), .state = state, .n_state = EVE_N (state),
  .instance_size = sizeof (Self), .pause = tell, .fire = fire, .at_end = at_end,
};
EVE_PLUGIN (&@IDENT@);
