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
/* Where the next event is to be written. */
TraceEvent *sorter_room (Sorter *s);
/* All below: false, and errno says why: the disk refuses, or leaves too little to others. */
/* It is written there.  What goes wrong may be told some thousand events later. */
bool sorter_put (Sorter *s);
/* No more will come.  `goes_on` is asked now and then, may be NULL; false of it ends, and errno is ECANCELED. */
bool sorter_finish (Sorter *s, bool (*goes_on) (void *arg), void *arg);
/* After that: the blocks of the file, of Block; the sorter's own. */
const GArray *sorter_blocks (const Sorter *s);
