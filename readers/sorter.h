/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h - events in any order, put in order of date and written to a file in packed blocks.  Those of one date stay
 * in the order of their `number`.  Memory is bounded, whatever comes.  Private to converted traces; one thread at a
 * time, and some of its own that pack. */
#pragma once
#include "readers/packer.h"

typedef struct Sorter Sorter;

/* The file will be FOLDER/events.  Never NULL; what goes wrong is told by the next function that gives a truth. */
Sorter *sorter_new (const char *folder);
void sorter_free (Sorter *s);
/* Before the first event: who is to see some of them in order. */
void sorter_watch (Sorter *s, Watch watch);
/* After sorter_finish(): whether all were seen. */
bool sorter_watched (const Sorter *s);
#define STAGED 64 /* events */
/* What a sorter begins with: the block that is being filled.  Its last events are not in it yet: they are written where
 * they stay in the nearest cache, and go to the block past all caches, some at a time.  Another processor reads them
 * there, and would have to give back each line before it could be written again.  Private to the functions below, which
 * stand in a header because calling them for each event would take a tenth of all the time. */
typedef struct SorterFilling {
  _Alignas(64) TraceEvent staged[STAGED]; /* the i-th event of the block is, or was, the i % STAGED-th here, */
  Stamp stamps[STAGED];                   /* and its stamp */
  EventBlock *block;                      /* NULL: none yet */
  uint32_t n;
  bool in_order;
  Stamp last; /* of the event that came last in it */
} SorterFilling;
TraceEvent *sorter_begin_block (Sorter *s);
bool sorter_hand_over (Sorter *s);
/* What will be written over next goes into the block, the other half stays; and all that is left, for who hands it
 * over. */
void sorter_unstage (SorterFilling *f);
void sorter_unstage_all (SorterFilling *f);

/* Where the next event is to be written. */
static inline TraceEvent *
sorter_room (Sorter *s)
{
  SorterFilling *f = (SorterFilling *) (void *) s;

  return G_LIKELY (f->block != NULL) ? &f->staged[f->n % STAGED] : sorter_begin_block (s);
}

/* How many may be written from there on: where others follow lies what is not in the block yet. */
static inline uint32_t
sorter_rooms (const Sorter *s)
{
  return STAGED / 2 - ((const SorterFilling *) (const void *) s)->n % (STAGED / 2);
}
_Static_assert(BLOCK_EVENTS % STAGED == 0, "what is staged ends where a block does");

/* All below: false, and errno says why: the disk refuses, or leaves too little to others. */
/* It is written there; what it is put in order by is asked for beside it, as reading both from where they were just
 * written would wait for that.  What goes wrong may be told some thousand events later. */
static inline bool
sorter_put (Sorter *s, int64_t date, uint64_t order)
{
  SorterFilling *f = (SorterFilling *) (void *) s;
  Stamp *now = &f->stamps[f->n % STAGED];

  if (f->n > 0 && (date < f->last.date || (date == f->last.date && order < f->last.order)))
    f->in_order = false;
  now->date = f->last.date = date;
  now->order = f->last.order = order;
  if (G_UNLIKELY (++f->n % (STAGED / 2) == 0))
    sorter_unstage (f);
  return f->n < BLOCK_EVENTS || sorter_hand_over (s);
}

/* No more will come.  `goes_on` is asked now and then, may be NULL; false of it ends, and errno is ECANCELED. */
bool sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg);
/* After that: the blocks of the file, of Block; the sorter's own. */
const GArray *sorter_blocks (const Sorter *s);
