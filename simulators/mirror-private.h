/* SPDX-License-Identifier: Apache-2.0 */
/* mirror-private.h - what mirror.c and mirror-style.c share. */
#pragma once
#include "simulators/mirror.h"

struct Mirror {
  const StateGraph *state;
  Agraph_t *graph;
  int64_t at;
  uint32_t n_attributes;    /* of the model when this was made */
  bool *wanted;             /* by attribute */
  Agsym_t **symbols;        /* by attribute; NULL: not made yet */
  GPtrArray *nodes, *edges; /* by id: Agnode_t *, Agedge_t *, or NULL */
};

/* Sets a string attribute; text that is not UTF-8 is mended. */
void mirror_set (Mirror *m, void *object, Agsym_t *symbol, const char *text);
