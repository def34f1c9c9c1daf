/* SPDX-License-Identifier: Apache-2.0 */
/* layer.h - the history of what comes to an input, kept once for all who show it.
 *
 * Whoever shoots a film keeps layers (session/layers.h): of everything that simulators send of states and messages, and
 * of what is wired to the inputs of views that are `kept` (eve/eve.h).  A layer is named after all that decides what it
 * holds, eve_in_identity(); so views that are fed by the same read the same files, and a view that is added later finds
 * them there.  What a history can be made of are the types of data below.  Engine thread only. */
#pragma once
#include "views/history.h"

#define LAYER_PLACES 3           /* HistoryIn.kind of the places of a reader */
#define LAYER_PLACES_EVERY 65536 /* events between two of them, about, or more: */
#define LAYER_PLACE_BYTES 4      /* bytes of places an event, at most */
/* Level of entries that say which of `count` events from number `aux` came: bits from the lowest of each byte, or,
 * without data, all.  Where there is such an entry, what no entry says did not come; where there is none, all events
 * did.  Of what comes by several wires they may overlap, and not follow each other by number. */
#define LAYER_CAME 1
#define LAYER_CAME_MOST 8192
#define LAYER_SERIES_HEAD "series 2\n"
#define LAYER_SERIES_BEYOND "beyond" /* first word of the line that tells how many data are of no series */

/* ".states", ".messages", ".calls", ".places" (of readers, for events), ".values", ".stretches"; NULL: there are no
 * histories of such data. */
TRACE_API const char *layer_suffix (const EveType *type);
/* Where the layer of that identity lies in a folder, without the endings of its files; g_free. */
TRACE_API char *layer_base (uint64_t identity, const EveType *type, const char *folder);
/* The same for what comes to an input; NULL: nothing is wired to it. */
TRACE_API char *layer_of_input (EveIn *in, const char *folder);
/* The small file beside a history that names its series (of values), rows (of calls) or kinds (of stretches); g_free.
 * NULL: it has none. */
TRACE_API char *layer_names_file (const char *base);

/* Whether all of it is there, to the end of the execution, as far as its index tells. */
TRACE_API bool layer_is_whole (const char *base);
/* Copies a file, where the file system can without moving a byte; whole, or not at all. */
TRACE_API bool layer_copy_file (const char *from, const char *to);
/* Copies the files of a whole layer into another folder.  False: it is none, or they cannot be written; what is there
 * then is not whole. */
TRACE_API bool layer_copy (const char *base, const char *folder);

typedef struct Layer Layer;
/* Keeps what a component gives; if several feed one input `from` is the first, and what all of them give is kept.
 * Begins it anew, or, with a place that layer_save() gave, goes on there.  NULL and a sentence: the files cannot be
 * made, or do not reach so far. */
TRACE_API Layer *layer_new (EveComponent *from, const EveType *type, const char *base, EveBlobView *place,
                            GError **error);
/* Failures wait for the next flush. */
TRACE_API void layer_keep (Layer *l, const void *data, uint32_t n);
/* For EveKeeper.directly; NULL: there is no such way. */
TRACE_API void *layer_directly (Layer *l);
/* Shows readers everything so far, known until `reach` (ticks; INT64_MIN: until the last datum; INT64_MAX: nothing will
 * come). */
TRACE_API bool layer_flush (Layer *l, int64_t reach, GError **error);
TRACE_API void layer_save (const Layer *l, EveBlob *to); /* right after a flush */
TRACE_API void layer_free (Layer *l);
