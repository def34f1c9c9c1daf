/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-flat.h - the states of very many owners side by side in memory: where there are 100 000 of them with a
 * dozen changes each, most of a picture's time went into finding the block of each owner.  What it holds is what the
 * blocks hold; it is made once of a film that is complete, and all readers of that film share it.  Any thread: what is
 * shared is complete, and nobody writes into it any more. */
#pragma once
#include "views/history.h"

#define FLAT_OWNERS 4096     /* from so many on */
#define FLAT_RECORDS 4000000 /* up to so many: 40 MB */

typedef struct StatesFlat {
  char *base; /* of the history, */
  uint64_t generation;
  guint n_entries; /* and how much of it there was */
  uint32_t n_owners;
  uint32_t *first; /* by owner, and one more: the first of its dates; two that are alike: it is not in here */
  int64_t *at;     /* from there on it is in the state; after the last, INT64_MAX */
  uint16_t *state;
  guint refs;
} StatesFlat;

/* What another reader has made of the same history; NULL: none has. */
StatesFlat *states_flat_find (const char *base, uint64_t generation, guint n_entries);
/* Room for what the index promises; owners come in order.  Nobody finds it before it is shared. */
StatesFlat *states_flat_new (const char *base, uint64_t generation, guint n_entries, uint32_t n_owners, uint64_t most);
void states_flat_share (StatesFlat *f); /* it is complete */
void states_flat_unref (StatesFlat *f);

static inline bool
states_flat_has (const StatesFlat *f, uint32_t owner)
{
  return f != NULL && owner < f->n_owners && f->first[owner] < f->first[owner + 1];
}
