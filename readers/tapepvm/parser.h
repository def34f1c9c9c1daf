/* SPDX-License-Identifier: Apache-2.0 */
/* parser.h - the parsing thread's own: blocks.c hands blocks over, parse.c fills them. */
#pragma once
#include "readers/tapepvm/scan.h"

#define TP_BATCH 2048u /* lines whose ends are put in order together */
#define TP_DUE 4096u   /* calls under way before it, at most; with more, the heap serves each */
#define TP_KEY_BITS 13 /* a key is a date and the place of its event in `batch` */
_Static_assert(TP_BATCH + TP_DUE <= 1u << TP_KEY_BITS, "a place fits into a key");

struct TpParser {
  TpReader *reader;
  const TpTable *table;
  pthread_t thread;
  bool running; /* the thread was made */

  /* Shared, under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t head, tail; /* blocks [tail, head) are full; the parser fills head */
  bool in_hand;        /* tail is the block in hand */
  bool stop;
  bool full; /* the thread waits until half of the blocks are empty */
  /* Of a file that grows. */
  bool grows;
  bool at_end;   /* the thread waits: everything before `size` is read, and the block it fills is nobody's but ours */
  uint64_t size; /* so far */
  TpBlock blocks[TP_BLOCKS];

  /* The thread's own. */
  TpBlock *block;
  TpPlace place; /* before the line being read */
  TpEnds ends;
  TpIntern tasks;
  GByteArray *enrolled;
  GHashTable *objects, *hosts; /* name -> index */
  TpLater *later;              /* NULL: of version 1 */
  TpRecord record;
  bool only_known;        /* nothing new is learnt: a record that brings any is refused */
  uint32_t ahead;         /* lines scanned before they are looked at */
  TraceEvent *batch;      /* TP_DUE ends of earlier calls, then TP_BATCH beginnings */
  uint64_t *keys, *spare; /* of the ends that fall due within the batch, in order */
  uint64_t *begins;       /* keys of the beginnings: small, as each is waited for */
  uint32_t key, n_keys;   /* those not given yet */
};

/* ---- ends: the heap is worked on here, so that it is compiled into the loop ---- */

static inline TpEndKey
end_key (int64_t date, uint64_t record, uint32_t slot)
{
  return (TpEndKey) (uint64_t) date << 64 | record << 20 | slot;
}

static inline void
tp_ends_push (TpEnds *q, const TraceEvent *begin)
{
  if (q->n == q->room)
    tp_ends_grow (q);
  uint32_t slot = q->free[q->n], i = q->n++;
  TpEndKey key = end_key (begin->date + begin->duration, begin->record, slot);
  q->events[slot] = *begin;
  for (uint32_t up; i && q->heap[up = (i - 1) / 2] > key; i = up)
    q->heap[i] = q->heap[up];
  q->heap[i] = key;
}

static inline const TraceEvent *
tp_ends_pop (TpEnds *q)
{
  uint32_t slot = (uint32_t) q->heap[0] & (TP_MAX_OPEN - 1), n = --q->n, i = 0;
  TpEndKey last = q->heap[n];
  q->free[n] = slot;
  for (uint32_t down; (down = 2 * i + 1) < n; i = down) { /* the hole sinks to the bottom ... */
    down += down + 1 < n && q->heap[down + 1] < q->heap[down];
    q->heap[i] = q->heap[down];
  }
  for (uint32_t up; i && q->heap[up = (i - 1) / 2] > last; i = up) /* ... and `last`, late as a rule, rises little */
    q->heap[i] = q->heap[up];
  q->heap[i] = last;
  return &q->events[slot];
}

/* ---- blocks.c ---- */
/* Waits for an empty block and begins it; false: the reader goes away. */
bool tp_begin_block (TpParser *p);
void tp_end_block (TpParser *p);

/* More of a file that grows than `size`, which becomes that; waits for it.  False: there will be none. */
bool tp_more (TpParser *p, uint64_t *size);

/* ---- parse.c ---- */
/* All lines from p->place on. */
void tp_parse_all (TpParser *p);
/* The record under way at an offset, into the heap; false: there is none. */
bool tp_resume_record (TpParser *p, uint64_t record);
