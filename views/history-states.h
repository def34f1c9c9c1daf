/* SPDX-License-Identifier: Apache-2.0 */
/* history-states.h - what the writer and the reader of states agree on. */
#pragma once
#include <string.h>
#include "views/history.h"

#define KIND_STATES 1
#define BLOCK 1024 /* words a block of sums */
#define BUCKETS 256
#define WORDS_MOST (8 * BLOCK) /* of one entry: a block that became wide has more than BLOCK */
#define FAN 4
#define LEVELS 24
#define OWNERS_MOST (1u << 22) /* tasks of an execution; an index that says more is not believed */

/* A word is ticks << bits | state.  Most entries have 4 bits for the state; one with a state that does not fit has 8 or
 * 16.  All bits of the state set: the ticks go on in the next word. */
#define NARROW 4
#define WIDE 16
static inline uint32_t
escape_of (uint32_t bits)
{
  return (UINT32_C (1) << bits) - 1;
}
/* Takes a word in, with what the words before it left in *so_far, 0 at first.  True: it ends a record, of *ticks and
 * *state; false: the ticks go on in the next. */
static inline __attribute__ ((always_inline)) bool
word_take (uint32_t word, uint32_t bits, uint64_t *so_far, uint64_t *ticks, uint32_t *state)
{
  *so_far = *so_far << (32 - bits) | word >> bits;
  if (G_UNLIKELY ((word & escape_of (bits)) == escape_of (bits)))
    return false;
  *ticks = *so_far;
  *state = word & escape_of (bits);
  *so_far = 0;
  return true;
}
/* What the entry of records says in `more`; 0: it is none of ours. */
static inline uint32_t
bits_of (const HistoryEntry *e)
{
  return e->more == 0 ? NARROW : e->more == 8 || e->more == WIDE ? e->more : 0;
}

/* Sums of a block that has narrow states only: `more` is a bit for each, in whose order the shares stand.  Else `more`
 * is WIDE_SUMS and their number, and the data begin with them, four bytes each, least significant first.  A block with
 * more than SLOTS states keeps the SLOTS - 1 that last longest, and the last is OTHERS. */
#define SLOTS 15
#define WIDE_SUMS (UINT32_C (1) << 31)
#define OTHERS UINT32_MAX
static inline uint32_t
sums_slots (const HistoryEntry *e)
{
  return e->more & WIDE_SUMS ? e->more & ~WIDE_SUMS : (uint32_t) __builtin_popcount (e->more);
}
static inline bool
sums_fit (const HistoryEntry *e)
{
  uint32_t n = sums_slots (e);

  return e->more & WIDE_SUMS ? n > 0 && n <= SLOTS && e->bytes == n * 4 + n * e->count
                             : e->more >> SLOTS == 0 && e->bytes == n * e->count;
}
/* The states of such a block, at most SLOTS of them, and where its shares begin. */
static inline const uint8_t *
sums_states (const HistoryEntry *e, const uint8_t *data, uint32_t *state)
{
  uint32_t n = 0, word;

  for (uint32_t rest = e->more & WIDE_SUMS ? 0 : e->more; rest != 0; rest &= rest - 1)
    state[n++] = (uint32_t) __builtin_ctz (rest);
  for (; n < sums_slots (e); n++, data += 4) {
    memcpy (&word, data, 4);
    state[n] = GUINT32_FROM_LE (word);
  }
  return data;
}

typedef struct Span {
  int64_t from, to;
  int shift;
  uint32_t n; /* buckets */
} Span;

/* Buckets of a span that begins at `from`. */
static inline uint64_t
buckets_of (int64_t from, int64_t to, int shift)
{
  return (uint64_t) ((to - 1) >> shift) - (uint64_t) (from >> shift) + 1;
}

/* Right checksums do not make an entry right: whether its numbers can be those of a block, behind the one of its owner
 * and level that ended at `end` (INT64_MIN: there is none).  What reads the data of an entry relies on it. */
static inline bool
states_entry_fits (const HistoryEntry *e, int64_t end)
{
  if (e->level > LEVELS || e->owner >= OWNERS_MOST || !history_entry_follows (e, end))
    return false;
  if (e->level == 0)
    return e->count > 0 && e->count <= WORDS_MOST && e->bytes == 4 * e->count && bits_of (e) != 0;
  return e->aux >= 0 && e->aux <= 62 && e->count > 0 && e->count <= BUCKETS && e->to > e->from
         && buckets_of (e->from, e->to, (int) e->aux) == e->count && sums_fit (e);
}

static inline int64_t
bucket_from (const Span *s, uint32_t i)
{
  return i == 0 ? s->from : ((s->from >> s->shift) + i) << s->shift;
}

static inline int64_t
bucket_to (const Span *s, uint32_t i)
{
  return i == s->n - 1 ? s->to : ((s->from >> s->shift) + i + 1) << s->shift;
}
