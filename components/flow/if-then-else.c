/* SPDX-License-Identifier: Apache-2.0 */
/* if-then-else.c - sends a datum one of two ways, by the condition that came with it (thesis, figure 1.6). */
#include "eve/eve.h"

static const EveInSpec ins[] = {
  { "if", &eve_type_bool, .required = true, .present = true, .doc = "One condition for each datum." },
  { "in", NULL, .required = true, .present = true, .doc = "Data of any type." },
};
static const EveOutSpec outs[] = {
  { "then", NULL, .doc = "The datum, if its condition is true." },
  { "else", NULL, .doc = "The datum, if its condition is false." },
};

static void
if_then_else_fire (EveComponent *c)
{
  EveBase *base = eve_base (c);
  const bool *condition = eve_take (base->in[0]);
  const void *datum = eve_take (base->in[1]);

  eve_emit (base->out[*condition ? 0 : 1], datum);
}

static const EveClass if_then_else = {
  EVE_CLASS_HEAD,
  .id = "scope.if-then-else",
  .label = "If-Then-Else",
  .category = "Flow",
  .version = 1,
  .doc = "Sends a datum one of two ways, by its condition.",
  .help = "Takes one condition and one datum at a time, the n-th condition with the n-th datum. The datum leaves by "
          "`then` if the condition is true, by `else` if not; the other output stays empty.\n\n"
          "Example: the conditions true false true send 1 and 3 of the data 1 2 3 to `then`, 2 to `else`.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .instance_size = sizeof (EveBase),
  .fire = if_then_else_fire,
};
EVE_PLUGIN (&if_then_else);
