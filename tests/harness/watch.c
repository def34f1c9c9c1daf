/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - a class whose calls are watched: how much each of them emits is read from the room before and
 * after. */
#include "tests/harness/harness.h"

struct HarnessWatch {
  EveClass klass; /* first: eve_class() of a watched component is a HarnessWatch */
  EveInSpec ins[EVE_MAX_PORTS];
  const EveClass *real;
  void (*told) (void *, const char *);
  void *arg;
  bool said;
};

static HarnessWatch *
watch_of (EveComponent *c)
{
  return (HarnessWatch *) eve_class (c);
}

static void
rooms (EveComponent *c, uint32_t room[EVE_MAX_PORTS])
{
  for (uint32_t i = 0; i < eve_class (c)->n_outs; i++)
    room[i] = eve_room (eve_base (c)->out[i]);
}

static void G_GNUC_PRINTF (2, 3) say (HarnessWatch *w, const char *fmt, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (w->said) /* once: it would be said for each datum */
    return;
  w->said = true;
  va_start (args, fmt);
  text = g_strdup_vprintf (fmt, args);
  va_end (args);
  w->told (w->arg, text);
}

/* `allowed` UINT32_MAX: what each output says.  Gives the most that went out at one output. */
static uint32_t
compare (EveComponent *c, const uint32_t before[EVE_MAX_PORTS], const char *call, uint32_t allowed)
{
  HarnessWatch *w = watch_of (c);
  uint32_t after[EVE_MAX_PORTS], most = 0;

  rooms (c, after);
  for (uint32_t i = 0; i < w->real->n_outs; i++) {
    uint32_t n = before[i] > after[i] ? before[i] - after[i] : 0;
    uint32_t may = allowed != UINT32_MAX ? allowed : MAX (w->real->outs[i].per_fire, 1);

    most = MAX (most, n);
    if (n > may)
      say (w, "Output \"%s\" emitted %u data in one %s; %u are allowed.", w->real->outs[i].name, n, call,
           may);
  }
  return most;
}

static void
watch_fire (EveComponent *c)
{
  uint32_t before[EVE_MAX_PORTS];

  rooms (c, before);
  watch_of (c)->real->fire (c);
  compare (c, before, "firing", UINT32_MAX);
}

static EveSupply
watch_produce (EveComponent *c, uint32_t max)
{
  uint32_t before[EVE_MAX_PORTS], most;
  EveSupply supply;

  rooms (c, before);
  supply = watch_of (c)->real->produce (c, max);
  most = compare (c, before, "call of produce", max);
  for (uint32_t i = 0; supply == EVE_MORE && most == 0 && i < watch_of (c)->real->n_outs; i++)
    if (eve_out_connected (eve_base (c)->out[i]) && before[i] > 0) {
      say (watch_of (c), "It says that it has more, but emitted nothing although there is room for %u.",
           before[i]);
      break;
    }
  return supply;
}

static bool
watch_at_end (EveComponent *c)
{
  uint32_t before[EVE_MAX_PORTS];
  bool done;

  rooms (c, before);
  done = watch_of (c)->real->at_end (c);
  compare (c, before, "call of at_end", UINT32_MAX);
  return done;
}

static void
watch_on_datum (EveComponent *c, EveIn *in, const void *datum)
{
  uint32_t before[EVE_MAX_PORTS], i = 0;

  while (eve_base (c)->in[i] != in)
    i++;
  rooms (c, before);
  watch_of (c)->real->ins[i].on_datum (c, in, datum);
  if (watch_of (c)->real->ins[i].quiet)
    compare (c, before, "handler of a quiet input", 0);
  else
    compare (c, before, "handler", UINT32_MAX);
}

HarnessWatch *
harness_watch (const EveClass *klass, void (*told) (void *, const char *), void *arg)
{
  HarnessWatch *w = g_new0 (HarnessWatch, 1);

  w->klass = *klass;
  w->real = klass;
  w->told = told;
  w->arg = arg;
  w->klass.fire_span = NULL;
  w->klass.fire = klass->fire ? watch_fire : NULL;
  w->klass.produce = klass->produce ? watch_produce : NULL;
  w->klass.at_end = klass->at_end ? watch_at_end : NULL;
  for (uint32_t i = 0; i < klass->n_ins; i++) {
    w->ins[i] = klass->ins[i];
    w->ins[i].on_datum = klass->ins[i].on_datum ? watch_on_datum : NULL;
  }
  w->klass.ins = w->ins;
  return w;
}

const EveClass *
harness_watch_class (const HarnessWatch *w)
{
  return &w->klass;
}

void
harness_watch_free (HarnessWatch *w)
{
  g_free (w);
}
