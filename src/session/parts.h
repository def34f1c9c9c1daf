/* SPDX-License-Identifier: Apache-2.0 */
/* parts.h - a run state as parts, one for each component: what was saved of a component in one program serves every
 * other in which the same decides what it holds.  So a film serves programs that have a box less, or one more that
 * keeps nothing (docs/decisions/histories.md).  Engine thread only. */
#pragma once
#include "session/session.h"

/* What a program needs of a run state that another one has saved; good until it is edited. */
typedef struct Parts {
  GArray *keys;  /* of uint64_t, sorted: of all components that hold something */
  uint64_t side; /* identity of all that the other files of a film hang on: readers, simulators, controller */
  bool in_order; /* somebody sees in which order data come from several sides */
  uint64_t *key; /* by component, in the order of eve_component(); 0: it holds nothing */
  uint32_t n;
  /* private */
  uint64_t plan;
} Parts;

Parts *parts_new (Session *s);
void parts_free (Parts *p); /* may be NULL */
/* The keys of what the program holds now, sorted, for a checkpoint of it; *n of them, g_free.  Of a component for which
 * something is under way nobody else can use anything: its key is one that no other program has. */
uint64_t *parts_held (const Parts *p, const Session *s, guint *n);
/* Whether all that the program needs is among `held`, sorted. */
bool parts_are_among (const Parts *p, const uint64_t *held, guint n);
/* Puts the program where the run state of another one was that holds all it needs.  False, with the program reset and
 * a sentence, if it does not. */
bool parts_load (Session *s, const void *run_state, size_t n_bytes, GError **error);
