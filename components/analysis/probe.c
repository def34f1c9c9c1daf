/* SPDX-License-Identifier: Apache-2.0 */
/* probe.c - keeps the last data that came, to be looked at. */
#include "components/slots.h"
#include "readers/session.h"

typedef struct Probe {
  EveBase base;
  int64_t n, seen;
  Slots kept;
} Probe;

#define N_MAX 100000

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .doc = "Data of any type." },
};
static const EveField settings[] = {
  { "n", EVE_F_INT64, offsetof (Probe, n), .min = 1, .max = N_MAX, .def = 10,
    .doc = "How many of the last data are kept." },
};
static const EveField state[] = {
  { "seen", EVE_F_INT64, offsetof (Probe, seen), EVE_COUNT },
};

static void
probe_text (EveComponent *c, uint32_t i, GString *to)
{
  const Slots *kept = &((Probe *) c)->kept;
  char buf[1024] = "";
  const char *text = buf;

  if (i >= kept->n)
    return;
  if (kept->type == &eve_type_text)
    text = *(char *const *) slots_at (kept, i);
  else if (kept->type->print)
    kept->type->print (slots_at (kept, i), buf, sizeof buf);
  else
    text = kept->type->name;
  g_string_append (to, text ? text : "");
}

/* For the box; while the program runs, whoever wants to see more asks "probe/1" when it suits them. */
static void
probe_tell (EveComponent *c)
{
  Probe *self = (Probe *) c;
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->kept.n)
    probe_text (c, (uint32_t) self->kept.n - 1, text);
  eve_status (c, self->kept.n ? "%lld: %.60s" : "%lld", (long long) self->seen, text->str);
}

static void
probe_keep (EveComponent *c, const char *datum, uint64_t n)
{
  Probe *self = (Probe *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  uint64_t most = (uint64_t) self->n;

  if (!slots_setup (&self->kept, c, type, most))
    return;
  self->seen += (int64_t) n;
  if (n > most) { /* of a long span only the end is kept */
    datum += (n - most) * type->size;
    n = most;
  }
  while (self->kept.n + n > most)
    slots_drop (&self->kept);
  for (; n; n--, datum += type->size)
    slots_push (&self->kept, datum);
}

static void
probe_fire (EveComponent *c)
{
  probe_keep (c, eve_take (eve_base (c)->in[0]), 1);
}

static void
probe_fire_span (EveComponent *c, uint32_t n)
{
  probe_keep (c, eve_take_span (eve_base (c)->in[0], n), n);
}

static bool
probe_at_end (EveComponent *c)
{
  probe_tell (c);
  return true;
}

static bool
probe_changed (EveComponent *c, uint32_t setting)
{
  Probe *self = (Probe *) c;

  while (self->kept.n > (uint64_t) self->n)
    slots_drop (&self->kept);
  return true;
}

static void
probe_reset (EveComponent *c)
{
  slots_clear (&((Probe *) c)->kept);
  eve_status (c, "%s", "");
}

static void
probe_finish (EveComponent *c)
{
  slots_free (&((Probe *) c)->kept);
}

static void
probe_save (EveComponent *c, EveBlob *to)
{
  slots_save (&((Probe *) c)->kept, c, to);
}

static bool
probe_load (EveComponent *c, EveBlobView *from)
{
  Probe *self = (Probe *) c;

  return slots_load (&self->kept, c, eve_in_type (self->base.in[0]), (uint64_t) self->n, from);
}

static uint64_t
probe_seen (EveComponent *c)
{
  return (uint64_t) ((Probe *) c)->seen;
}

static uint32_t
probe_kept (EveComponent *c)
{
  return (uint32_t) ((Probe *) c)->kept.n;
}

static const void *
probe_query (EveComponent *c, const char *name)
{
  static const TraceProbe spoken = { probe_seen, probe_kept, probe_text };

  return strcmp (name, "probe/1") == 0 ? &spoken : NULL;
}

static const EveClass probe = {
  EVE_CLASS_HEAD,
  .id = "scope.probe",
  .label = "Probe",
  .category = "Analysis",
  .version = 1,
  .doc = "Keeps the last data that came, to be looked at.",
  .help = "Connect it to any output to see what passes there. When the program stops, its box tells how many data have "
          "come and the last of them; the inspector lists the last *n*. Older data are forgotten.\n\n"
          "Example: with *n* 3, after the numbers 1 to 10 it keeps 8 9 10.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Probe),
  .finish = probe_finish,
  .pause = probe_tell,
  .reset = probe_reset,
  .changed = probe_changed,
  .fire = probe_fire,
  .fire_span = probe_fire_span,
  .at_end = probe_at_end,
  .save = probe_save,
  .load = probe_load,
  .query = probe_query,
};
EVE_PLUGIN (&probe);
