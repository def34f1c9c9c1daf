/* SPDX-License-Identifier: Apache-2.0 */
/* switch.c - sends a datum to one of several outputs, by the index that came with it. */
#include "eve/eve.h"

#define N_WAYS 8

static const EveInSpec ins[] = {
  { "index", &eve_type_int64, .required = true, .present = true,
    .doc = "One output number for each datum; 0 is out0." },
  { "in", NULL, .required = true, .present = true, .doc = "Data of any type." },
};
static const EveOutSpec outs[] = {
  { "out0", NULL, .doc = "Data of index 0." },          { "out1", NULL, .doc = "Data of index 1." },
  { "out2", NULL, .doc = "Data of index 2." },          { "out3", NULL, .doc = "Data of index 3." },
  { "out4", NULL, .doc = "Data of index 4." },          { "out5", NULL, .doc = "Data of index 5." },
  { "out6", NULL, .doc = "Data of index 6." },          { "out7", NULL, .doc = "Data of index 7." },
  { "other", NULL, .doc = "Data of any other index." },
};
_Static_assert(EVE_N (outs) == N_WAYS + 1, "the outputs, and one for what is left");

static void
switch_fire (EveComponent *c)
{
  EveBase *base = eve_base (c);
  const int64_t *index = eve_take (base->in[0]);
  const void *datum = eve_take (base->in[1]);

  eve_emit (base->out[*index >= 0 && *index < N_WAYS ? *index : N_WAYS], datum);
}

static const EveClass switch_class = {
  EVE_CLASS_HEAD,
  .id = "scope.switch",
  .label = "Switch",
  .category = "Flow",
  .version = 1,
  .doc = "Sends a datum to one of eight outputs, by its index.",
  .help = "Takes one index and one datum at a time, the n-th index with the n-th datum. The datum leaves by the output "
          "of that number, `out0` to `out7`, or by `other` if there is no such output. A true or false at `index` "
          "counts as 1 or 0; the component Integer makes an index of a number.\n\n"
          "Example: the indices 0 2 9 send the data 5 6 7 to `out0`, `out2` and `other`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (EveBase),
  .fire = switch_fire,
};
EVE_PLUGIN (&switch_class);
