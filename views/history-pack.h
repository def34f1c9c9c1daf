/* SPDX-License-Identifier: Apache-2.0 */
/* history-pack.h - blocks of records are packed, each alone, as columns of numbers (views/history-columns.h) or by
 * zstd; those that were read last stay unpacked.  `columns`: numbers of 32 bits a record has, 0: zstd.  One thread at a
 * time for each packer. */
#pragma once
#include "views/history.h"

#define HISTORY_MOST_PACKED (256 * 1024) /* bytes: longer blocks are stored as they are, so that memory is bounded */

/* ---- writing ------------------------------------------------------------------------------------------------------- */
typedef struct HistoryPacker HistoryPacker;
/* The bytes to store for a block of *n, *n of them then: packed and the packer's own until the next call, or `data`
 * itself where packing gains little.  *p NULL: one is made. */
const void *history_pack (HistoryPacker **p, uint32_t columns, const void *data, uint32_t *n);
void history_packer_free (HistoryPacker *p); /* may be NULL */
/* False: what is packed is not what it should be. */
bool history_unpack (const void *packed, uint32_t n, uint32_t columns, void *to, uint32_t bytes);

/* ---- reading ------------------------------------------------------------------------------------------------------- */
/* The blocks that were read last; one thread at a time. */
typedef struct HistoryUnpacked HistoryUnpacked;
typedef struct HistoryKept {
  uint64_t offset;
  uint32_t bytes, holds; /* holds: so many read it now, and it stays */
  uint8_t data[];
} HistoryKept;
/* The block of an entry, if it is unpacked already; NULL: it is not.  *u NULL: it is made.  `generation`: blocks of
 * another one are no more. */
HistoryKept *history_unpacked_find (HistoryUnpacked **u, uint64_t generation, const HistoryEntry *e);
/* Unpacks it; any thread.  NULL: it is damaged. */
HistoryKept *history_kept_new (uint32_t columns, const HistoryEntry *e, const void *packed);
/* Takes it, and gives the one that is kept: another, where one came first.  Without holds it stays until a hundred
 * others were asked for. */
HistoryKept *history_unpacked_keep (HistoryUnpacked *u, HistoryKept *k);
void history_unpacked_free (HistoryUnpacked *u); /* may be NULL */
