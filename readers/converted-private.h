/* SPDX-License-Identifier: Apache-2.0 */
/* converted-private.h - what writing and reading of converted traces share: the form of their files. */
#pragma once
#include <zstd.h>

#include "readers/converted.h"

#define CONVERTED_VERSION 17
#define BLOCK_EVENTS 4096
#define COLUMNS_BYTES                                                                                                  \
  (10 + 128 * 8 + 11 * (17 + BLOCK_EVENTS / 8 + (size_t) BLOCK_EVENTS * 8) + 8) /* of a block, before it is packed */
#define NUMBERS_BYTES (1 + 9 + (size_t) BLOCK_EVENTS * 8 + 8)
#define MOST_TABLES (2048 * DISK_MIB)
#define MOST_TEXT 65536
/* Records of events that have no values behind them: a number that no place in the file of values is. */
#define NO_VALUES (UINT64_C (1) << (TRACE_RECORD_BITS - 1))

/* A block of events in a file, packed by zstd, which has a checksum of its own. */
typedef struct Block {
  uint64_t at; /* bytes */
  uint32_t bytes, n;
  int64_t first, last; /* dates */
  /* where its events' numbers are while blocks are merged */
  uint64_t numbers_at;
  uint32_t numbers_bytes;
} Block;
#define INDEX_BYTES 32

/* Events of a block, word by word: first what each is one of all together, then the next.  `differs`: bits in which
 * they are not all alike.  Rows begin in different sets of the nearest cache. */
#define EVENT_WORDS 8
typedef struct EventWords {
  uint64_t of[EVENT_WORDS][BLOCK_EVENTS + 8];
  uint64_t differs[EVENT_WORDS];
} EventWords;
/* n events, of BLOCK_EVENTS at most: those from `whole` on, if it is not NULL, else where `events` says.  `wide`: with
 * vectors, which the processor has to have (vectors.h), or without; what comes of it is the same. */
void converted_take_words (EventWords *w, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n,
                           bool wide);
/* These as columns (converted-columns.c), without their numbers and source; gives how many bytes.  COLUMNS_BYTES of
 * them have room for all, and for the few that are written behind them or read from there. */
size_t converted_put_columns (const EventWords *w, uint32_t n, uint8_t *to, bool wide);
/* Which of them are of kinds that are wanted, of which `wanted` is not 0; gives how many. */
uint32_t converted_which_kinds (const EventWords *w, uint32_t n, const uint8_t *wanted, uint16_t *which);
/* And back, numbered from `number` on.  False: they are not what n events were made into. */
bool converted_get_columns (const uint8_t *from, size_t bytes, uint32_t n, TraceEvent *e, uint64_t number,
                            uint16_t source);
/* Those columns as bytes of a file (converted-blocks.c): with as many bytes before them, which are written over, */
#define BLOCK_PLAIN_HEAD 12
#define BLOCK_PACKED_BYTES ZSTD_COMPRESSBOUND (COLUMNS_BYTES)
ZSTD_CCtx *converted_packing (void);
/* packed into `room`, of BLOCK_PACKED_BYTES, if *pays and it does, which is told; else as they are.  Gives where they
 * lie. */
const uint8_t *converted_pack (ZSTD_CCtx *zstd, uint8_t *columns, size_t n, uint32_t n_events, uint8_t *room,
                               bool *pays, size_t *bytes);
/* And back; eight bytes behind `packed` may be read, and `room` has COLUMNS_BYTES.  NULL: damaged. */
const uint8_t *converted_unpack (ZSTD_DCtx *zstd, const uint8_t *packed, size_t n, uint8_t *room, size_t *bytes);
/* A sum of bytes: whatever eight of them are changed into changes it.  For large blocks. */
uint64_t converted_sum (const uint8_t *b, size_t n);
/* Their numbers, which only those who merge want, in NUMBERS_BYTES. */
size_t converted_put_numbers (const EventWords *w, uint32_t n, uint8_t *to, bool wide);
bool converted_get_numbers (const uint8_t *from, size_t bytes, uint32_t n, TraceEvent *e);

/* In which order tasks stand (converted-order.c): each is followed by all that is inside of it, and those side by side
 * stand by what is `wanted` (NULL: nothing), else as they came.  Gives by task the number that it gets; NULL: the one
 * it has.  g_free. */
uint32_t *converted_order (const TraceSource *s, const int64_t *wanted);
/* Gives the tasks of a source those numbers. */
void converted_reorder (TraceSource *s, const uint32_t *order);
/* As bytes of a file, 4 a task; and back, NULL: it is not the order of n tasks.  g_free. */
uint8_t *converted_put_order (const uint32_t *order, uint32_t n);
uint32_t *converted_get_order (const uint8_t *bytes, size_t n_bytes, uint32_t n);
/* A file of the cache that begins with its sum: what is behind its first 8 bytes are *n; g_free.  NULL: it is not
 * there, or not what was written. */
uint8_t *converted_read_small (const char *folder, const char *name, size_t *n);

/* Everything but events, as typed values (converted-tables.c).  False: it is not what was written. */
void converted_put_tables (const TraceSource *s, EveBlob *to);
bool converted_get_tables (TraceSource *s, EveBlobView *from);
void converted_free_kinds (TraceKind *kinds, uint32_t n);
TraceKind converted_copy_kind (const TraceKind *k);
/* Whether the values of a field lie behind the event, not in it. */
bool converted_is_behind (TraceRole role);

/* The only file of the data folder of a bundle; g_free. */
char *converted_file_in (const char *folder, GError **error);
/* Where the cache of a trace is; g_free.  NULL and an error: the trace cannot be looked at. */
TRACE_API char *converted_folder (const ConvertedFormat *f, const char *path, GError **error);
/* Of which trace a file in such a folder is, by the sum of the file of blocks: one of another trace, put into it, is
 * nobody's. */
uint64_t converted_owner (uint64_t index_sum, const char *folder);
/* Takes away the files of such a folder, whole or not, and the folder. */
TRACE_API void converted_remove (const char *folder);
/* Takes away what is too old, or too much, or was left behind by processes that are no more. */
void converted_clean (const char *keep);

/* Converts into a new folder, which becomes `folder` when it is whole. */
bool converted_make (const ConvertedFormat *f, TraceSource *s, const char *path, const char *folder,
                     const TraceOptions *options, GError **error);
/* The same trace, which is in the folder `from`, with dates as options->clocks says, in a new folder; its tasks are in
 * the `order` that they have there. */
bool converted_make_corrected (TraceSource *s, const char *from, const uint32_t *order, const char *folder,
                               const TraceOptions *options, GError **error);
