/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-reader.h - inside of the reader of states: what finds its blocks, and goes through them.  Once it is
 * open, several threads may. */
#pragma once
#include "views/history-states.h"
#include "views/history-states-flat.h"
#include "views/history-states-kept.h"

typedef struct Levels {
  GArray *level[LEVELS + 1];
} Levels;

/* Blocks of an owner, by level; indices into the entries.  Of most of very many owners there is one, of records: those
 * need no memory of their own. */
typedef struct Line {
  uint32_t only, n_only; /* n_only 0: there is none, or several */
  uint32_t n_levels;
  Levels *several; /* NULL: at most one */
} Line;

/* Indices of blocks in the order of their dates; good until the reader is refreshed. */
typedef struct Blocks {
  const uint32_t *index;
  uint32_t n;
} Blocks;

struct StatesReader {
  HistoryIn in;
  GArray *lines;    /* of Line */
  uint64_t sorted;  /* entries that are in lines */
  int64_t end;      /* of the execution */
  StatesFlat *flat; /* NULL: there is none, */
  bool not_flat;    /* or none can be made of what there is by now */
  StatesKept *kept; /* NULL: there are none */
  bool not_kept;    /* nor will be, of what there is by now */
};

static inline Line *
line_of (const StatesReader *r, uint32_t owner)
{
  return owner < r->lines->len ? &g_array_index (r->lines, Line, owner) : NULL;
}

static inline Blocks
blocks_of (const Line *l, uint32_t level)
{
  if (l->several == NULL)
    return (Blocks){ &l->only, level == 0 ? l->n_only : 0 };
  const GArray *of = level <= LEVELS ? l->several->level[level] : NULL;
  return of != NULL ? (Blocks){ (const uint32_t *) (const void *) of->data, of->len } : (Blocks){ NULL, 0 };
}

static inline HistoryEntry *
entry (const StatesReader *r, uint32_t i)
{
  return &g_array_index (r->in.entries, HistoryEntry, i);
}

/* The first block that does not end before `date` and may hold it: for records the last that begins at or
 * before it. */
static inline guint
find_block (const StatesReader *r, Blocks blocks, int64_t date, bool records)
{
  guint low = 0, high = blocks.n;

  if (records && blocks.n <= 1) /* whatever it says */
    return 0;
  while (low < high) {
    guint mid = (low + high) / 2;
    const HistoryEntry *e = entry (r, blocks.index[mid]);
    if (records ? e->from <= date : e->to <= date)
      low = mid + 1;
    else
      high = mid;
  }
  return records && low > 0 ? low - 1 : low;
}

typedef bool (*Each) (void *arg, int64_t from, int64_t to, uint32_t state);
#define NO_STATE UINT32_MAX

/* Exact intervals that touch [from, to). */
static inline __attribute__ ((always_inline)) bool
each_record (StatesReader *r, const Line *l, int64_t from, int64_t to, Each each, void *arg)
{
  Blocks blocks = blocks_of (l, 0);
  HistoryHold hold = { NULL };
  bool more = true;

  for (guint i = find_block (r, blocks, from, true); more && i < blocks.n; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    const uint8_t *data;
    int64_t end = i + 1 < blocks.n ? entry (r, blocks.index[i + 1])->from : MIN (r->in.reach, r->end);
    int64_t at = e->aux, next;
    uint64_t so_far = 0, ticks;
    uint32_t state = NO_STATE, coming, bits = bits_of (e);
    if (e->from >= to)
      break;
    data = history_in_hold (&r->in, e, &hold);
    if (data == NULL)
      history_in_lose (&r->in, e, e->from, MAX (end, e->to));
    for (uint32_t k = 0; more && data != NULL && k < e->count && at < to; k++, data += 4) {
      uint32_t word;
      memcpy (&word, data, 4);
      if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
        continue;
      next = (int64_t) ((uint64_t) at + ticks);
      if (state != NO_STATE && next > from && next > at)
        more = each (arg, at, next, state);
      at = next;
      state = coming;
    }
    if (at >= to)
      break;
    if (more && data != NULL && state != NO_STATE && end > at && end > from)
      more = each (arg, at, end, state);
  }
  history_in_let_go (&r->in, &hold);
  return more;
}
