/* SPDX-License-Identifier: Apache-2.0 */
/* crasher.c - a component that dies, or never comes back, at a given event; for tests. */
#include <stddef.h>
#include <stdlib.h>
#include "readers/event.h"

typedef struct Crasher {
  EveBase base;
  int32_t how;
  int64_t at, seen;
} Crasher;

static volatile int zero;
static int *volatile nowhere;

/* Not inlined, not a tail call: it really uses up the stack, and means to. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Winfinite-recursion"
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Winfinite-recursion"
#endif
static int __attribute__ ((noinline)) deeper (volatile char *before)
{
  volatile char here[4096];

  here[0] = before[0];
  return deeper (here) + here[0];
}

static void
fire (EveComponent *c)
{
  Crasher *self = (Crasher *) c;
  volatile char begin = 1;

  eve_take (self->base.in[0]);
  if (++self->seen < self->at)
    return;
  switch (self->how) {
  case 0:
    *nowhere = 1;
    break;
  case 1:
    zero = 7 / zero;
    break;
  case 2:
    abort ();
  case 3:
    zero = deeper (&begin);
    break;
  default:
    while (!zero) {
    }
  }
}

static const char *const hows[] = { "reach", "divide", "abort", "overflow", "loop", NULL };
static const EveInSpec ins[] = { { "in", &trace_type_event, EVE_SYNC, .doc = "Events." } };
static const EveField settings[] = {
  { "how", EVE_F_CHOICE, offsetof (Crasher, how), .choices = hows, .doc = "What it does." },
  { "at", EVE_F_INT64, offsetof (Crasher, at), .def = 1, .doc = "At which event." },
};
static const EveField state[] = { { "seen", EVE_F_INT64, offsetof (Crasher, seen) } };
static const EveClass crasher = {
  EVE_CLASS_HEAD,
  .id = "test.crasher",
  .label = "Crasher",
  .category = "Test",
  .doc = "Dies at a given event.",
  .version = 1,
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Crasher),
  .fire = fire,
};
EVE_PLUGIN (&crasher);
