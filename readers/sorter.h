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
/* What a sorter begins with: the block that is being filled.  Private to the two below, which are a tenth of all work
 * where they are calls. */
typedef struct SorterFilling {
  EventBlock *block; /* NULL: none yet */
  uint32_t n;
  bool in_order;
  Stamp last; /* of the event that came last in it */
} SorterFilling;
TraceEvent *sorter_begin_block (Sorter *s);
bool sorter_hand_over (Sorter *s);

/* Where the next event is to be written. */
static inline TraceEvent *
sorter_room (Sorter *s)
{
  const SorterFilling *f = (const SorterFilling *) (const void *) s;

  return G_LIKELY (f->block != NULL) ? &f->block->events[f->n] : sorter_begin_block (s);
}

/* How many may be written from there on. */
static inline uint32_t
sorter_rooms (const Sorter *s)
{
  return BLOCK_EVENTS - ((const SorterFilling *) (const void *) s)->n;
}

/* All below: false, and errno says why: the disk refuses, or leaves too little to others. */
/* It is written there; what it is put in order by is asked for beside it, as reading both from where they were just
 * written would wait for that.  What goes wrong may be told some thousand events later. */
static inline bool
sorter_put (Sorter *s, int64_t date, uint64_t order)
{
  SorterFilling *f = (SorterFilling *) (void *) s;
  Stamp *now = &f->block->stamps[f->n];

  if (f->n > 0 && (date < f->last.date || (date == f->last.date && order < f->last.order)))
    f->in_order = false;
  now->date = f->last.date = date;
  now->order = f->last.order = order;
  return ++f->n < BLOCK_EVENTS || sorter_hand_over (s);
}

/* No more will come.  `goes_on` is asked now and then, may be NULL; false of it ends, and errno is ECANCELED. */
bool sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg);
/* After that: the blocks of the file, of Block; the sorter's own. */
const GArray *sorter_blocks (const Sorter *s);
