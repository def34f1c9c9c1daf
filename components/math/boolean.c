/* SPDX-License-Identifier: Apache-2.0 */
/* boolean.c - and, or, not and their like, on truth values. */
#include "eve/eve.h"

typedef struct Boolean {
  EveBase base;
  int32_t operation;
  bool b;
} Boolean;

enum { OP_AND, OP_OR, OP_XOR, OP_NOT, OP_NAND, OP_NOR };
static const char *const operations[] = { "and", "or", "xor", "not", "nand", "nor", NULL };

static const EveInSpec ins[] = {
  { "a", &eve_type_bool, .required = true, .present = true, .doc = "First operand." },
  { "b", &eve_type_bool, .present = true, .doc = "Second operand; while unconnected, the setting b." },
};
static const EveOutSpec outs[] = {
  { "out", &eve_type_bool, .doc = "The result." },
};
static const EveField settings[] = {
  { "operation", EVE_F_CHOICE, offsetof (Boolean, operation), .def = OP_AND, .choices = operations,
    .doc = "What to do with a and b; not: of a alone." },
  { "b", EVE_F_BOOL, offsetof (Boolean, b), .def = true, .doc = "Second operand while the input b is unconnected." },
};

static inline bool
boolean_of (int32_t operation, bool a, bool b)
{
  switch (operation) {
  case OP_AND:
    return a && b;
  case OP_OR:
    return a || b;
  case OP_XOR:
    return a != b;
  case OP_NOT:
    return !a;
  case OP_NAND:
    return !(a && b);
  default:
    return !(a || b);
  }
}

static void
boolean_fire (EveComponent *c)
{
  Boolean *self = (Boolean *) c;
  const bool *a = eve_take (self->base.in[0]);
  const bool *b = eve_take (self->base.in[1]);
  bool result = boolean_of (self->operation, *a, b ? *b : self->b);

  eve_emit (self->base.out[0], &result);
}

static void
boolean_fire_span (EveComponent *c, uint32_t n)
{
  Boolean *self = (Boolean *) c;
  const bool *a = eve_take_span (self->base.in[0], n);
  const bool *b = eve_take_span (self->base.in[1], n);

  for (uint32_t i = 0; i < n; i++) {
    bool result = boolean_of (self->operation, a[i], b ? b[i] : self->b);
    eve_emit (self->base.out[0], &result);
  }
}

static const EveClass boolean = {
  EVE_CLASS_HEAD,
  .id = "scope.boolean",
  .label = "Boolean",
  .category = "Math",
  .version = 1,
  .doc = "And, or, not and their like.",
  .help = "Takes one truth value at `a` and one at `b`, the n-th with the n-th, and gives the result. While nothing is "
          "connected to `b`, the setting *b* takes its place. `xor` is true if just one is, `nand` unless both are, "
          "`nor` if none is; `not` turns `a` round and takes no notice of `b`.\n\n"
          "Example: *operation* `not` makes false true of true false.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Boolean),
  .fire = boolean_fire,
  .fire_span = boolean_fire_span,
};
EVE_PLUGIN (&boolean);
