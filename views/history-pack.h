/* SPDX-License-Identifier: Apache-2.0 */
/* history-pack.h - blocks of records are packed, each alone, as columns of numbers (views/history-columns.h) or by
 * zstd; those that were read last stay unpacked.  `columns`: numbers of 32 bits a record has, 0: zstd.  One thread at a
 * time for each packer and each set of unpacked blocks. */
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
typedef struct HistoryUnpacked HistoryUnpacked;
/* The data of an entry that is packed, good until a hundred others were asked for; NULL: it is damaged.  *u NULL: it is
 * made.  `generation`: blocks of another one are no more. */
const uint8_t *history_unpacked (HistoryUnpacked **u, uint64_t generation, uint32_t columns, const HistoryEntry *e,
                                 const void *packed);
void history_unpacked_free (HistoryUnpacked *u); /* may be NULL */
