/* SPDX-License-Identifier: Apache-2.0 */
/* sorter.h - events in any order, put in order of date and written to a file in packed blocks.  Those of one date stay
 * in the order of their `number`.  Memory is bounded, whatever comes.  Private to converted traces; one thread at a
 * time, and some of its own that pack. */
#pragma once
#include "readers/converted-private.h"

typedef struct Sorter Sorter;

/* The file will be FOLDER/events.  Never NULL; what goes wrong is told by the next function that gives a truth. */
Sorter *sorter_new (const char *folder);
void sorter_free (Sorter *s);
/* What a sorter begins with: the block that is being filled.  Private to the two below, which are a tenth of all work
 * where they are calls. */
typedef struct SorterFilling {
  TraceEvent *events; /* NULL: none yet */
  uint32_t n;
  bool in_order;
  int64_t last; /* date, and number, of the event that came last in it */
  uint64_t order;
} SorterFilling;
TraceEvent *sorter_begin_block (Sorter *s);
bool sorter_hand_over (Sorter *s);

/* Where the next event is to be written. */
static inline TraceEvent *
sorter_room (Sorter *s)
{
  const SorterFilling *f = (const SorterFilling *) (const void *) s;

  return G_LIKELY (f->events != NULL) ? &f->events[f->n] : sorter_begin_block (s);
}

/* All below: false, and errno says why: the disk refuses, or leaves too little to others. */
/* It is written there.  What goes wrong may be told some thousand events later. */
static inline bool
sorter_put (Sorter *s)
{
  SorterFilling *f = (SorterFilling *) (void *) s;
  const TraceEvent *e = &f->events[f->n];

  if (f->n > 0 && (e->date < f->last || (e->date == f->last && e->number < f->order)))
    f->in_order = false;
  f->last = e->date;
  f->order = e->number;
  return ++f->n < BLOCK_EVENTS || sorter_hand_over (s);
}

/* No more will come.  `goes_on` is asked now and then, may be NULL; false of it ends, and errno is ECANCELED. */
bool sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg);
/* After that: the blocks of the file, of Block; the sorter's own. */
const GArray *sorter_blocks (const Sorter *s);
