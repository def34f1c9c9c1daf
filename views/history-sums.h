/* SPDX-License-Identifier: Apache-2.0 */
/* history-sums.h - time spent in each state within a block of sums: added up by who writes histories of states, and in
 * the bytes of the file. */
#pragma once
#include "views/history-states.h"

/* Time within a block of sums, counted so that every bucket has as much of it; a block has 2^31 at most. */
#define UNIT_BITS 23
#define UNIT (UINT32_C (1) << UNIT_BITS)

typedef struct Sums {
  Span span;
  int64_t zero;  /* where the first bucket would begin if it were whole */
  int up, down;  /* ticks << up >> down: units */
  uint32_t mask; /* a bit for each state; WIDE_SUMS and their number, then `state` says which */
  uint32_t state[SLOTS];
  uint32_t share[BUCKETS + 2][SLOTS + 1]; /* units, by slot; nothing is added behind the last bucket */
} Sums;

static inline uint32_t
units (const Sums *s, int64_t date)
{
  return (uint32_t) (((uint64_t) date - (uint64_t) s->zero) << s->up >> s->down);
}

/* Most intervals are shorter than a bucket, and nobody can foretell which of them reach into the next: so nothing
 * branches on it. */
static inline void
sums_add (Sums *s, uint32_t from, uint32_t to, uint32_t slot)
{
  uint32_t a = from >> UNIT_BITS, inside = MIN (to, (a + 1) * UNIT) - from, rest = to - from - inside;

  s->share[a][slot] += inside;
  for (; G_UNLIKELY (rest > UNIT); rest -= UNIT)
    s->share[++a][slot] += UNIT;
  s->share[a + 1][slot] += rest;
}

/* No time in the buckets of [from, to), and no state. */
void sums_begin (Sums *s, int64_t from, int64_t to);

/* Time that a state has in a block, to choose those that are kept. */
typedef struct Weight {
  uint32_t state;
  uint64_t time;
} Weight;

/* Chooses the states that a block of sums keeps apart, of those of different numbers that are in it; puts the weights
 * in order of time.  OTHERS stays OTHERS. */
void sums_choose (Sums *s, GArray *weights);
/* Where the shares of a state are added. */
uint32_t sums_slot (const Sums *s, uint32_t state);

#define SUMS_BYTES (SLOTS * 4 + BUCKETS * SLOTS) /* at most, encoded */
#define SUMS_ROOM (SUMS_BYTES + 4)               /* of who has them encoded: steps may write behind their end */
/* The bytes that it took. */
uint32_t sums_encode (const Sums *s, uint8_t *bytes);
/* The same, bit for bit, without vectors, as on machines that have none. */
uint32_t sums_encode_plain (const Sums *s, uint8_t *bytes);
/* Adds the time of a child of this block. */
void sums_merge (Sums *s, const HistoryEntry *c, const uint8_t *bytes);
/* Adds to the weights what the shares of a child say, as long as its buckets are. */
void sums_weigh (GArray *weights, const HistoryEntry *c, const uint8_t *bytes);
