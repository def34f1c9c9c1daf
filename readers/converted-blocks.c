/* SPDX-License-Identifier: Apache-2.0 */
/* converted-blocks.c - columns of a block as bytes of a file: packed by zstd where that pays, else as they are behind a
 * sum.  Columns are short already; where packing saves little it is a tenth of all time, when they are written and
 * again when they are read. */
#include <string.h>
#include <zstd.h>

#include "eve/bytes.h"
#include "readers/converted-private.h"
#include "readers/digits.h"

#define TAG UINT32_C (0x304e4c50) /* "PLN0"; a frame of zstd begins otherwise */
#define LEVEL (-5)                /* of zstd: half its time at level 1, and a third more bytes */
#define LEAST_SAVED 4             /* bytes an event that packing has to save */
_Static_assert(BLOCK_PLAIN_HEAD == 4 + 8, "the tag and the sum");

/* Eight bytes at once, four times in a row: each step can be undone, so whatever one word is changed into changes the
 * sum. */
uint64_t
converted_sum (const uint8_t *b, size_t n)
{
  const uint64_t by = UINT64_C (0x9e3779b97f4a7c15);
  uint64_t s[4] = { n, by, ~by, ~(uint64_t) n };
  uint8_t last[32] = { 0 };

#define STEP(from)                                                                                                     \
  for (int k = 0; k < 4; k++) {                                                                                        \
    s[k] = (s[k] ^ digits_load ((from) + 8 * k)) * by;                                                                 \
    s[k] = s[k] << 29 | s[k] >> 35;                                                                                    \
  }
  for (; n >= sizeof last; n -= sizeof last, b += sizeof last)
    STEP (b)
  memcpy (last, b, n);
  STEP (last)
  for (int k = 1; k < 4; k++)
    s[0] = ((s[0] << 17 | s[0] >> 47) ^ s[k]) * by;
  return s[0];
}

ZSTD_CCtx *
converted_packing (void)
{
  ZSTD_CCtx *zstd = ZSTD_createCCtx ();

  ZSTD_CCtx_setParameter (zstd, ZSTD_c_compressionLevel, LEVEL);
  ZSTD_CCtx_setParameter (zstd, ZSTD_c_hashLog, 12); /* its table stays in the nearest cache: a quarter less time */
  ZSTD_CCtx_setParameter (zstd, ZSTD_c_minMatch, 7);
  ZSTD_CCtx_setParameter (zstd, ZSTD_c_checksumFlag, 1);
  return zstd;
}

const uint8_t *
converted_pack (ZSTD_CCtx *zstd, uint8_t *columns, size_t n, uint32_t n_events, uint8_t *room, bool *pays,
                size_t *bytes)
{
  if (*pays) {
    *bytes = ZSTD_compress2 (zstd, room, BLOCK_PACKED_BYTES, columns + BLOCK_PLAIN_HEAD, n);
    *pays = !ZSTD_isError (*bytes) && *bytes + (size_t) LEAST_SAVED * n_events < n;
    if (*pays)
      return room;
  }
  bytes_put32 (columns, TAG);
  bytes_put64 (columns + 4, converted_sum (columns + BLOCK_PLAIN_HEAD, n));
  *bytes = BLOCK_PLAIN_HEAD + n;
  return columns;
}

const uint8_t *
converted_unpack (ZSTD_DCtx *zstd, const uint8_t *packed, size_t n, uint8_t *room, size_t *bytes)
{
  if (n < BLOCK_PLAIN_HEAD)
    return NULL;
  if (bytes_get32 (packed) != TAG) {
    *bytes = ZSTD_decompressDCtx (zstd, room, COLUMNS_BYTES - 8, packed, n);
    return ZSTD_isError (*bytes) ? NULL : room;
  }
  *bytes = n - BLOCK_PLAIN_HEAD;
  return bytes_get64 (packed + 4) == converted_sum (packed + BLOCK_PLAIN_HEAD, *bytes) ? packed + BLOCK_PLAIN_HEAD
                                                                                       : NULL;
}
