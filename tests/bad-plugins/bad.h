/* SPDX-License-Identifier: Apache-2.0 */
/* bad.h - the good part of components that must not be used. */
#pragma once
#include "eve/eve.h"

typedef struct Bad {
  EveBase base;
} Bad;

static void
bad_fire (EveComponent *c)
{
  eve_take (eve_base (c)->in[0]);
}

static const EveInSpec bad_ins[] = { { "in", &eve_type_double, .doc = "Number." } };

#define BAD_CLASS                                                                                                      \
  .id = "bad.plugin", .label = "Bad", .category = "Tests", .doc = "Must not be used.", .version = 1, .ins = bad_ins,   \
  .n_ins = EVE_N (bad_ins), .instance_size = sizeof (Bad), .fire = bad_fire
