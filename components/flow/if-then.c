/* SPDX-License-Identifier: Apache-2.0 */
/* if-then.c - lets a datum pass if the condition that came with it is true (thesis, figure 1.6). */
#include "eve/eve.h"

static const EveInSpec ins[] = {
  { "if", &eve_type_bool, .required = true, .present = true, .doc = "One condition for each datum." },
  { "in", NULL, .required = true, .present = true, .doc = "Data of any type." },
};
static const EveOutSpec outs[] = {
  { "then", NULL, .doc = "The datum, if its condition is true." },
};

static void
if_then_fire (EveComponent *c)
{
  EveBase *base = eve_base (c);
  const bool *condition = eve_take (base->in[0]);
  const void *datum = eve_take (base->in[1]);

  if (*condition)
    eve_emit (base->out[0], datum);
}

static const EveClass if_then = {
  EVE_CLASS_HEAD,
  .id = "scope.if-then",
  .label = "If-Then",
  .category = "Flow",
  .version = 1,
  .doc = "Lets a datum pass if its condition is true.",
  .help = "Takes one condition and one datum at a time, the n-th condition with the n-th datum. If the condition is "
          "true the datum leaves by `then`; otherwise it is dropped.\n\n"
          "Example: the conditions true false true let 1 and 3 of the data 1 2 3 pass.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (EveBase),
  .fire = if_then_fire,
};
EVE_PLUGIN (&if_then);
