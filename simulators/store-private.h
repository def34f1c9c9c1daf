/* SPDX-License-Identifier: Apache-2.0 */
/* store-private.h - what the files of the store share. */
#pragma once
#include "simulators/store.h"

static inline bool
is_cell (const StateAttribute *a)
{
  return a->scope != STATE_GRAPH && a->kind != STATE_TEXT;
}

static inline size_t
cell_size (const StateAttribute *a)
{
  return a->kind == STATE_VALUE ? sizeof (uint32_t) : sizeof (int64_t);
}

static inline StoreSide *
side_of (Store *s, StateScope scope)
{
  return scope == STATE_NODE ? &s->nodes : &s->edges;
}

static inline int64_t *
numbers (const Store *s, uint32_t attribute)
{
  return s->columns[attribute].cells;
}

static inline uint32_t *
values (const Store *s, uint32_t attribute)
{
  return s->columns[attribute].cells;
}

/* store.c: as they are read, nothing is told */
uint32_t store_add_node (Store *s, uint32_t task);
uint32_t store_add_edge (Store *s, uint32_t from, uint32_t to); /* NONE: there is one already */
void store_add_frame (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value);
void store_add_message (Store *s, uint32_t edge, int64_t sent, int64_t size, int32_t tag);
void store_find_source (Store *s);
