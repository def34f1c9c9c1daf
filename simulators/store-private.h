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

/* On top of a node's frames; the state stays what it is, and nothing is counted. */
void store_add_frame (Store *s, uint32_t node, uint64_t key, uint32_t group, uint32_t value, uint32_t time);

/* ---- time in states (store-times.c) ---- */
/* A place in the index. */
static inline uint32_t
store_time_place (const StoreTimes *t, uint32_t node, uint32_t value)
{
  return (uint32_t) (((uint64_t) node << 32 | value) * UINT64_C (0x9e3779b97f4a7c15) >> (64 - t->bits));
}
/* Where there is none yet: a new one, or, when there are too many, that of all the values that have none. */
uint32_t store_add_time (Store *s, uint32_t node, uint32_t value);
/* The time of a node in a value; NONE: it was never in it. */
static inline uint32_t
store_find_time (const Store *s, uint32_t node, uint32_t value)
{
  const StoreTimes *t = &s->times;

  if (G_LIKELY (t->index))
    for (uint32_t i = store_time_place (t, node, value); t->index[i] != 0; i = (i + 1) & ((1u << t->bits) - 1)) {
      const StoreTime *x = &t->rows[t->index[i] - 1];
      if (x->value == value && x->node == node)
        return t->index[i] - 1;
    }
  return NONE;
}
static inline uint32_t
store_time (Store *s, uint32_t node, uint32_t value)
{
  uint32_t time = store_find_time (s, node, value);

  return G_LIKELY (time != NONE) ? time : store_add_time (s, node, value);
}
/* It is on the stack once more, or less. */
static inline void
store_enter_time (Store *s, uint32_t time)
{
  StoreTime *x = &s->times.rows[time];

  x->visits++;
  if (x->open++ == 0)
    x->inclusive = minus (x->inclusive, s->now);
}
static inline void
store_leave_time (Store *s, uint32_t time)
{
  StoreTime *x = &s->times.rows[time];

  if (--x->open == 0)
    x->inclusive = plus (x->inclusive, s->now);
}
/* The sum of a value, made if it is new. */
StoreSum *store_sum_of (StoreTimes *t, uint32_t value);
/* A node is in a value from `since` on. */
static inline void
store_sum_enter (StoreTimes *t, uint32_t value, int64_t since)
{
  if (!t->sums)
    return;
  StoreSum *s = store_sum_of (t, value);
  s->since = plus (s->since, since);
  s->n++;
}
/* And no more. */
static inline void
store_sum_leave (StoreTimes *t, uint32_t value, int64_t since, int64_t now)
{
  if (!t->sums)
    return;
  StoreSum *s = store_sum_of (t, value);
  s->past = plus (s->past, minus (now, since));
  s->since = minus (s->since, since);
  s->n--;
}
/* StateModel.sums */
void store_times_sums (const StateGraph *g, int64_t at, GArray *to);
void store_times_reset (StoreTimes *t);
void store_times_save (const Store *s, uint32_t node, EveBlob *to);
/* Of a node that has none yet. */
void store_times_load (Store *s, uint32_t node, EveBlobView *from, bool *ok);
/* StateModel.times */
void store_times (const StateGraph *g, uint32_t node, int64_t at, GArray *to);
/* Ticks of a node in a state and in all that count, until `at`. */
void store_times_spent (const Store *s, uint32_t node, uint32_t state, int64_t at, int64_t *in_state, int64_t *total);
/* Empty, without messages; what is there is freed. */
void store_messages_reset (StoreMessages *m);
void store_messages_save (const Store *s, EveBlob *to);
void store_messages_load (Store *s, EveBlobView *from, bool *ok);
