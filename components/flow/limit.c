/* SPDX-License-Identifier: Apache-2.0 */
/* limit.c - lets the first n data pass and drops what follows. */
#include <stdio.h>
#include <string.h>
#include "eve/eve.h"
#include "readers/box-display.h"

typedef struct Limit {
  EveBase base;
  int64_t n, passed;
} Limit;

static void
limit_restart (EveComponent *c, EveIn *in, const void *datum)
{
  ((Limit *) c)->passed = 0;
}

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type." },
  { "reset", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, limit_restart, .quiet = true,
    .doc = "Any datum: let n more pass." },
};
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "The first n data." },
};
static const EveField settings[] = {
  { "n", EVE_F_INT64, offsetof (Limit, n), .min = 0, .max = 1e15, .def = 1, .doc = "How many pass." },
};
static const EveField state[] = {
  { "passed", EVE_F_INT64, offsetof (Limit, passed), EVE_COUNT },
};

static inline void
limit_step (Limit *self, const void *datum)
{
  if (self->passed >= self->n)
    return;
  self->passed++;
  eve_emit (self->base.out[0], datum);
}

static void
limit_fire (EveComponent *c)
{
  Limit *self = (Limit *) c;

  limit_step (self, eve_take (self->base.in[0]));
}

static void
limit_fire_span (EveComponent *c, uint32_t n)
{
  Limit *self = (Limit *) c;
  size_t size = eve_in_type (self->base.in[0])->size;
  const char *datum = eve_take_span (self->base.in[0], n);

  for (uint32_t i = 0; i < n && self->passed < self->n; i++, datum += size)
    limit_step (self, datum);
}

static bool
limit_look (EveComponent *c, double *share, char *text, size_t size)
{
  const Limit *self = (const Limit *) c;

  *share = self->n > 0 ? (double) self->passed / (double) self->n : 1;
  snprintf (text, size, "%lld", (long long) self->passed);
  return true;
}

static const void *
limit_query (EveComponent *c, const char *interface_name)
{
  static const BoxDisplay display = { limit_look };

  return strcmp (interface_name, "box-display/1") == 0 ? &display : NULL;
}

static const EveClass limit = {
  EVE_CLASS_HEAD,
  .id = "scope.limit",
  .label = "Limit",
  .category = "Flow",
  .version = 1,
  .doc = "Lets the first n data pass and drops the rest.",
  .help = "The first *n* data pass; what follows is dropped, so that whatever feeds the limit goes on. Any datum at "
          "the control port `reset` lets *n* more pass.\n\n"
          "Example: with *n* 2, the data 5 6 7 8 leave as 5 6.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Limit),
  .fire = limit_fire,
  .fire_span = limit_fire_span,
  .query = limit_query,
};
EVE_PLUGIN (&limit);
