/* SPDX-License-Identifier: Apache-2.0 */
/* merge.c - several wires become one, in order of arrival. */
#include "eve/eve.h"

static const EveInSpec ins[] = {
  { "in", NULL, .required = true, .present = true, .doc = "Any number of wires, data of one type." },
};
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "All of them, in order of arrival." },
};

static void
merge_fire (EveComponent *c)
{
  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
}

static void
merge_fire_span (EveComponent *c, uint32_t n)
{
  EveIn *in = eve_base (c)->in[0];
  size_t size = eve_in_type (in)->size;
  const char *datum = eve_take_span (in, n);

  for (uint32_t i = 0; i < n; i++, datum += size)
    eve_emit (eve_base (c)->out[0], datum);
}

static const EveClass merge = {
  EVE_CLASS_HEAD,
  .id = "scope.merge",
  .label = "Merge",
  .category = "Flow",
  .version = 1,
  .doc = "Joins several wires into one, in order of arrival.",
  .help = "Any number of wires may end at `in`; what comes in leaves by `out`, in order of arrival. Every input can "
          "join wires like this; a merge makes the place visible, and gives it a name and an output that can feed "
          "several others. To join by date, use Merge by Date.\n\n"
          "Example: 1 2 by one wire and 10 by another, which arrives between them, leave as 1 10 2.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (EveBase),
  .fire = merge_fire,
  .fire_span = merge_fire_span,
};
EVE_PLUGIN (&merge);
