/* SPDX-License-Identifier: Apache-2.0 */
/* history-pack.c - columns, or zstd, for blocks of some kilobytes. */
#include "views/history-pack.h"

#include <string.h>
#include <zstd.h>
#include "views/history-columns.h"

#define LEAST_PACKED 128 /* bytes */
#define LEVEL 1
#define KEPT 128               /* blocks of a history that stay unpacked, */
#define KEPT_BYTES (16u << 20) /* as many more as have room in this, */
#define MOST_BYTES (64u << 20) /* and in this as long as those of all histories have */
#define ALL_BYTES (128u << 20)

static gsize all_bytes; /* atomic */

struct HistoryPacker {
  ZSTD_CCtx *zstd;
  uint8_t *to;
  size_t room;
};

const void *
history_pack (HistoryPacker **packer, uint32_t columns, const void *data, uint32_t *n)
{
  if (*n < LEAST_PACKED || *n > HISTORY_MOST_PACKED || (columns > 0 && *n % (4 * columns) != 0))
    return data;
  if (*packer == NULL)
    *packer = g_new0 (HistoryPacker, 1);
  HistoryPacker *p = *packer;
  if (columns == 0 && p->zstd == NULL)
    p->zstd = ZSTD_createCCtx ();
  size_t bound = columns > 0 ? history_columns_bound (*n, columns) : ZSTD_compressBound (*n);
  if (p->room < bound) {
    g_free (p->to);
    p->to = g_malloc (bound);
    p->room = bound;
  }
  size_t packed = columns > 0 ? history_columns_pack (data, *n, columns, p->to)
                              : ZSTD_compressCCtx (p->zstd, p->to, p->room, data, *n, LEVEL);
  if (ZSTD_isError (packed) || packed > *n - *n / 8) /* reading what is not packed costs nothing */
    return data;
  *n = (uint32_t) packed;
  return p->to;
}

void
history_packer_free (HistoryPacker *p)
{
  if (p == NULL)
    return;
  ZSTD_freeCCtx (p->zstd);
  g_free (p->to);
  g_free (p);
}

bool
history_unpack (const void *packed, uint32_t n, uint32_t columns, void *to, uint32_t bytes)
{
  return columns > 0 ? history_columns_unpack (packed, n, columns, to, bytes)
                     : ZSTD_decompress (to, bytes, packed, n) == bytes;
}

struct HistoryUnpacked {
  uint64_t generation;
  GQueue kept; /* of HistoryKept, the oldest first */
  uint64_t bytes;
  GHashTable *by_offset; /* offset -> HistoryKept */
};

static void
count_bytes (HistoryUnpacked *u, gssize n)
{
  u->bytes = (uint64_t) ((gssize) u->bytes + n);
  g_atomic_pointer_add (&all_bytes, n);
}

static bool
has_room (const HistoryUnpacked *u, uint32_t n)
{
  return u->kept.length < KEPT || u->bytes + n <= KEPT_BYTES
         || (u->bytes + n <= MOST_BYTES && g_atomic_pointer_get (&all_bytes) + n <= ALL_BYTES);
}

/* Those that are read just now count as new. */
static void
forget_oldest (HistoryUnpacked *u)
{
  HistoryKept *k = g_queue_pop_head (&u->kept);

  if (k->holds > 0) {
    g_queue_push_tail (&u->kept, k);
    return;
  }
  count_bytes (u, -(gssize) k->bytes);
  if (g_hash_table_lookup (u->by_offset, &k->offset) == k)
    g_hash_table_remove (u->by_offset, &k->offset);
  g_free (k);
}

HistoryKept *
history_unpacked_find (HistoryUnpacked **unpacked, uint64_t generation, const HistoryEntry *e)
{
  if (*unpacked == NULL) {
    *unpacked = g_new0 (HistoryUnpacked, 1);
    (*unpacked)->by_offset = g_hash_table_new (g_int64_hash, g_int64_equal);
  }
  HistoryUnpacked *u = *unpacked;
  if (u->generation != generation)
    g_hash_table_remove_all (u->by_offset);
  u->generation = generation;
  HistoryKept *k = g_hash_table_lookup (u->by_offset, &e->offset);
  return k != NULL && k->bytes == e->bytes ? k : NULL;
}

HistoryKept *
history_kept_new (uint32_t columns, const HistoryEntry *e, const void *packed)
{
  HistoryKept *k = g_malloc (sizeof *k + e->bytes);

  k->offset = e->offset;
  k->bytes = e->bytes;
  k->holds = 0;
  if (history_unpack (packed, e->stored, columns, k->data, e->bytes))
    return k;
  g_free (k);
  return NULL;
}

HistoryKept *
history_unpacked_keep (HistoryUnpacked *u, HistoryKept *k)
{
  HistoryKept *first = g_hash_table_lookup (u->by_offset, &k->offset);

  if (first != NULL && first->bytes == k->bytes) {
    g_free (k);
    return first;
  }
  for (guint n = u->kept.length; n > 0 && !has_room (u, k->bytes); n--)
    forget_oldest (u);
  count_bytes (u, k->bytes);
  g_queue_push_tail (&u->kept, k);
  g_hash_table_replace (u->by_offset, &k->offset, k);
  return k;
}

void
history_unpacked_free (HistoryUnpacked *u)
{
  if (u == NULL)
    return;
  count_bytes (u, -(gssize) u->bytes);
  g_queue_clear_full (&u->kept, g_free);
  g_hash_table_unref (u->by_offset);
  g_free (u);
}
