/* SPDX-License-Identifier: Apache-2.0 */
/* counter.c - numbers what passes. */
#include <stdio.h>
#include <string.h>
#include "eve/eve.h"
#include "readers/box-display.h"

typedef struct Counter {
  EveBase base;
  int64_t first, step, count;
} Counter;

static void
counter_restart (EveComponent *c, EveIn *in, const void *datum)
{
  ((Counter *) c)->count = 0;
}

static const EveInSpec ins[] = {
  { "in", &eve_type_pulse, .required = true, .doc = "Data of any type, which are counted." },
  { "reset", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, counter_restart, .quiet = true,
    .doc = "Any datum: begin again at `first`." },
};
static const EveOutSpec outs[] = {
  { "count", &eve_type_int64, .doc = "A number for each datum." },
};
static const EveField settings[] = {
  { "first", EVE_F_INT64, offsetof (Counter, first), .def = 1, .doc = "Number of the first datum." },
  { "step", EVE_F_INT64, offsetof (Counter, step), .def = 1, .doc = "From one number to the next." },
};
static const EveField state[] = {
  { "count", EVE_F_INT64, offsetof (Counter, count) },
};

/* In unsigned arithmetic, where running over is defined: it goes on at the other end. */
static inline int64_t
counter_next (Counter *self)
{
  int64_t number = (int64_t) ((uint64_t) self->first + (uint64_t) self->step * (uint64_t) self->count);

  self->count = (int64_t) ((uint64_t) self->count + 1);
  return number;
}

static void
counter_fire (EveComponent *c)
{
  Counter *self = (Counter *) c;
  int64_t number = counter_next (self);

  eve_take (self->base.in[0]);
  eve_emit (self->base.out[0], &number);
}

static void
counter_fire_span (EveComponent *c, uint32_t n)
{
  Counter *self = (Counter *) c;

  eve_take_span (self->base.in[0], n);
  if (!eve_out_connected (self->base.out[0]))
    self->count = (int64_t) ((uint64_t) self->count + n);
  else
    for (uint32_t m; n; n -= m) { /* the ring may wrap round within the span */
      m = n;
      int64_t *to = eve_reserve (self->base.out[0], &m);
      if (!to)
        return;
      for (uint32_t i = 0; i < m; i++)
        to[i] = counter_next (self);
      eve_commit (self->base.out[0], m);
    }
}

static bool
counter_look (EveComponent *c, double *share, char *text, size_t size)
{
  snprintf (text, size, "%lld", (long long) ((Counter *) c)->count);
  *share = -1;
  return true;
}

static const void *
counter_query (EveComponent *c, const char *interface_name)
{
  static const BoxDisplay display = { counter_look };

  return strcmp (interface_name, "box-display/1") == 0 ? &display : NULL;
}

static const EveClass counter = {
  EVE_CLASS_HEAD,
  .id = "scope.counter",
  .label = "Counter",
  .category = "Flow",
  .version = 1,
  .doc = "Numbers the data that come in.",
  .help = "For each datum, of whatever type, it gives a number: *first*, *first* + *step*, and so on. Any datum at "
          "the control port `reset` makes it begin again. Beyond the largest whole number of 64 bits it goes on at "
          "the smallest.\n\n"
          "Example: *first* 0 and *step* 5 number four data 0 5 10 15.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Counter),
  .fire = counter_fire,
  .fire_span = counter_fire_span,
  .query = counter_query,
};
EVE_PLUGIN (&counter);
