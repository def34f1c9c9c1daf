/* SPDX-License-Identifier: Apache-2.0 */
/* store-private.h - what the files of the store share. */
#pragma once
#include "simulators/store.h"

static inline const StoreKind *
kind_of (const Store *s, StateScope scope)
{
  return scope == STATE_NODE ? &s->layout->node : &s->layout->edge;
}

static inline void *
row_of (const Store *s, StateScope scope, uint32_t object)
{
  return scope == STATE_NODE ? store_node_at (s, object) : (void *) store_edge_at (s, object);
}

/* What lies at an offset in an object. */
static inline void *
inside (void *row, uint32_t at)
{
  return (char *) row + at;
}

static inline StoreStack *
stack_of (const Store *s, uint32_t node)
{
  return inside (store_node_at (s, node), s->layout->node.stack);
}

/* All but TEXT and PERCENT of nodes and edges have a cell; that of a REAL is handled as its bits. */
static inline bool
is_cell (const StateAttribute *a)
{
  return a->scope != STATE_GRAPH && a->kind != STATE_TEXT && a->kind != STATE_PERCENT;
}

static inline int64_t
get_cell (const StateAttribute *a, void *row)
{
  void *cell = inside (row, a->at);

  return a->kind == STATE_ENUM ? *(uint8_t *) cell : a->kind == STATE_VALUE ? *(uint32_t *) cell : *(int64_t *) cell;
}

static inline void
put_cell (const StateAttribute *a, void *row, int64_t value)
{
  void *cell = inside (row, a->at);

  if (a->kind == STATE_ENUM)
    *(uint8_t *) cell = (uint8_t) value;
  else if (a->kind == STATE_VALUE)
    *(uint32_t *) cell = (uint32_t) value;
  else
    *(int64_t *) cell = value;
}

/* Finaliser of MurmurHash3: every bit of the key reaches every bit of the hash. */
static inline uint64_t
store_mix (uint64_t k)
{
  k ^= k >> 33;
  k *= UINT64_C (0xff51afd7ed558ccd);
  k ^= k >> 33;
  k *= UINT64_C (0xc4ceb9fe1a85ec53);
  return k ^ k >> 33;
}

/* On top of a node's frames; the state stays what it is. */
void store_add_frame (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value);
/* Empty, without messages; what is there is freed. */
void store_messages_reset (StoreMessages *m);
void store_messages_save (const Store *s, EveBlob *to);
void store_messages_load (Store *s, EveBlobView *from, bool is_old, bool *ok);
