/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - drops the first n data and lets the rest pass. */
#include "eve/eve.h"

typedef struct Self {
  EveBase base;  /* must be first: the ports */
  int64_t n;     /* a setting */
  int64_t seen;  /* run state */
} Self;

/* A control port is usually asynchronous: it acts at once.  This one never emits: `quiet`. */
static void
on_reset (EveComponent *c, EveIn *in, const void *datum)
{
  ((Self *) c)->seen = 0;
}

/* Ports of the type NULL take any type; all of one component share it. */
static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type." },
  { "reset", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, on_reset, .quiet = true,
    .doc = "Any datum: drop the next n again." },
};
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "The data but the first n." },
};
static const EveField settings[] = {
  { "n", EVE_F_INT64, offsetof (Self, n), .min = 0, .max = 1e15, .def = 1, .doc = "How many are dropped." },
};
/* Run state in fields is reset, saved and loaded by the engine. */
static const EveField state[] = {
  { "seen", EVE_F_INT64, offsetof (Self, seen) },
};

/* Called when every connected synchronous input holds a datum and the outputs have room. */
static void
fire (EveComponent *c)
{
  Self *self = (Self *) c;
  const void *datum = eve_take (self->base.in[0]);

  if (self->seen < self->n)
    self->seen++;
  else
    eve_emit (self->base.out[0], datum);
}

static const EveClass @IDENT@ = {
  EVE_CLASS_HEAD, .id = "my.@NAME@", .label = "@LABEL@", .category = "Flow", .version = 1,
  .doc = "Drops the first n data.",
  .help = "The first *n* data are dropped, the rest pass. Any datum at the control port `reset` makes it drop *n* "
          "more.\n\nExample: with *n* 2, the data 5 6 7 8 leave as 7 8.",
  .ins = ins, .n_ins = EVE_N (ins), .outs = outs, .n_outs = EVE_N (outs),
  .settings = settings, .n_settings = EVE_N (settings), .state = state, .n_state = EVE_N (state),
  .instance_size = sizeof (Self), .fire = fire,
};
EVE_PLUGIN (&@IDENT@);
