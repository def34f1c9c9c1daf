/* SPDX-License-Identifier: Apache-2.0 */
/* history-columns.c - see history-columns.h.
 *
 * A column: where bits were left out (a byte), how many (a byte), the bits of a code (a byte, 0 to 3), the length that
 * each code stands for (a byte each), and a code and a number for each row, the lowest bit first, filled up to a byte.
 */
#include "views/history-columns.h"
#include <glib.h>
#include <string.h>
#include "eve/bytes.h"

#define CODE_BITS 3
#define CODES (1 << CODE_BITS)
#define HEAD (3 + CODES) /* bytes, at most */
#define BEHIND 8         /* bytes that a step may write behind its end */

typedef struct Column {
  uint32_t gap_at, gap; /* bits that are zero in all numbers */
  uint32_t code_bits;
  uint8_t length[CODES];
  uint8_t code[33]; /* of the least length that holds so many bits */
} Column;

uint32_t
history_columns_bound (uint32_t bytes, uint32_t columns)
{
  return columns * (HEAD + 1) + bytes + (uint32_t) ((uint64_t) bytes * CODE_BITS / 32) + BEHIND;
}

static inline uint32_t
low_bits (uint32_t n)
{
  return (uint32_t) ((UINT64_C (1) << n) - 1);
}

static inline uint32_t
squeeze (uint32_t v, uint32_t low, uint32_t gap)
{
  return (uint32_t) ((uint64_t) (v & ~low) >> gap) | (v & low);
}

static inline uint32_t
unsqueeze (uint32_t v, uint32_t low, uint32_t gap)
{
  return (uint32_t) ((uint64_t) (v & ~low) << gap) | (v & low);
}

static inline uint32_t
length_of (uint32_t v)
{
  return v == 0 ? 0 : 32 - (uint32_t) __builtin_clz (v);
}

/* The longest run of bits that are in none. */
static void
find_gap (Column *c, uint32_t all)
{
  uint32_t run = 0;

  c->gap_at = c->gap = 0;
  for (uint32_t bit = 0; bit < length_of (all); bit++) {
    run = all >> bit & 1 ? 0 : run + 1;
    if (run > c->gap) {
      c->gap = run;
      c->gap_at = bit + 1 - run;
    }
  }
}

/* Which lengths are kept: the one that costs least is given up, its numbers take the next, as long as there are too
 * many; and then as long as shorter codes gain more than longer numbers cost. */
static void
choose_lengths (Column *c, const uint32_t *count, uint32_t rows)
{
  uint32_t length[33], held[33], n = 0;
  uint64_t longer = 0, best = UINT64_MAX; /* bits */

  for (uint32_t l = 0; l <= 32; l++)
    if (count[l] > 0) {
      length[n] = l;
      held[n++] = count[l];
    }
  if (n == 0)
    held[0] = length[0] = 0, n = 1;
  for (;;) {
    if (n <= CODES && (n & (n - 1)) == 0) {
      uint32_t bits = (uint32_t) __builtin_ctz (n);
      uint64_t cost = longer + (uint64_t) rows * bits;
      if (cost < best) {
        best = cost;
        c->code_bits = bits;
        for (uint32_t i = 0; i < n; i++)
          c->length[i] = (uint8_t) length[i];
      }
    }
    if (n == 1)
      break;
    uint32_t least = 0;
    uint64_t least_cost = UINT64_MAX;
    for (uint32_t i = 0; i + 1 < n; i++) {
      uint64_t cost = (uint64_t) held[i] * (length[i + 1] - length[i]);
      if (cost < least_cost) {
        least = i;
        least_cost = cost;
      }
    }
    longer += least_cost;
    held[least + 1] += held[least];
    n--;
    memmove (length + least, length + least + 1, (n - least) * sizeof *length);
    memmove (held + least, held + least + 1, (n - least) * sizeof *held);
  }
  for (uint32_t l = 0, k = 0; l <= 32; l++) {
    while (k + 1 < 1u << c->code_bits && c->length[k] < l)
      k++;
    c->code[l] = (uint8_t) k;
  }
}

static inline const uint8_t *
row (const uint8_t *data, uint32_t i, uint32_t columns)
{
  return data + (size_t) i * columns * 4;
}

static uint8_t *
pack_column (const uint8_t *data, uint32_t rows, uint32_t columns, uint8_t *to)
{
  uint32_t all = 0, even[33] = { 0 }, odd[33] = { 0 }, count[33] = { 0 };
  Column c;

  for (uint32_t i = 0; i < rows; i++) { /* two counts, as most numbers are as long as those before them */
    uint32_t v = bytes_get32 (row (data, i, columns));
    all |= v;
    (i & 1 ? odd : even)[length_of (v)]++;
  }
  find_gap (&c, all);
  for (uint32_t l = 0; l <= 32; l++)
    if (even[l] + odd[l] > 0)
      count[l > c.gap_at ? l - c.gap : l] += even[l] + odd[l];
  choose_lengths (&c, count, rows);

  *to++ = (uint8_t) c.gap_at;
  *to++ = (uint8_t) c.gap;
  *to++ = (uint8_t) c.code_bits;
  memcpy (to, c.length, 1u << c.code_bits);
  to += 1u << c.code_bits;
  if (c.code_bits == 0 && c.length[0] == 0)
    return to;

  uint64_t waiting = 0;
  uint32_t n_waiting = 0, low = low_bits (c.gap_at), gap = c.gap, code_bits = c.code_bits;
  for (uint32_t i = 0; i < rows; i++) {
    uint32_t v = squeeze (bytes_get32 (row (data, i, columns)), low, gap), code = c.code[length_of (v)];
    waiting |= ((uint64_t) v << code_bits | code) << n_waiting;
    n_waiting += code_bits + c.length[code];
    bytes_put64 (to, waiting);
    to += n_waiting >> 3;
    waiting >>= n_waiting & ~7u; /* 7 + 3 + 32 bits at most */
    n_waiting &= 7;
  }
  return to + (n_waiting > 0);
}

uint32_t
history_columns_pack (const void *data, uint32_t bytes, uint32_t columns, uint8_t *to)
{
  uint8_t *at = to;

  for (uint32_t k = 0; k < columns; k++)
    at = pack_column ((const uint8_t *) data + 4 * k, bytes / 4 / columns, columns, at);
  return (uint32_t) (at - to);
}

/* What is packed, as far as it was taken. */
typedef struct Packed {
  const uint8_t *at, *end;
} Packed;

static bool
take_head (Packed *p, Column *c)
{
  if (p->end - p->at < 3)
    return false;
  *c = (Column){ .gap_at = p->at[0], .gap = p->at[1], .code_bits = p->at[2] };
  p->at += 3;
  if (c->gap_at + c->gap > 32 || c->code_bits > CODE_BITS || p->end - p->at < 1 << c->code_bits)
    return false;
  memcpy (c->length, p->at, 1u << c->code_bits);
  p->at += 1u << c->code_bits;
  for (uint32_t i = 0; i < 1u << c->code_bits; i++)
    if (c->length[i] > 32)
      return false;
  return true;
}

static uint64_t
last_bytes (const uint8_t *at, const uint8_t *end)
{
  uint8_t bytes[8] = { 0 };

  memcpy (bytes, at, (size_t) MIN (end - at, 8));
  return bytes_get64 (bytes);
}

static bool
unpack_column (Packed *p, uint32_t rows, uint32_t columns, uint8_t *to)
{
  Column c;
  uint32_t bit = 0;

  if (!take_head (p, &c))
    return false;
  uint32_t low = low_bits (c.gap_at), gap = c.gap, codes = low_bits (c.code_bits);
  const uint8_t *at = p->at, *end = p->end;
  for (uint32_t i = 0; i < rows; i++, to += columns * 4) {
    uint64_t bits = (end - at >= 8 ? bytes_get64 (at) : last_bytes (at, end)) >> bit;
    uint32_t length = c.length[bits & codes];
    bytes_put32 (to, unsqueeze ((uint32_t) (bits >> c.code_bits) & low_bits (length), low, gap));
    bit += c.code_bits + length;
    if (end - at < (bit + 7) / 8)
      return false;
    at += bit >> 3;
    bit &= 7;
  }
  p->at = at + (bit > 0);
  return true;
}

bool
history_columns_unpack (const void *packed, uint32_t n, uint32_t columns, void *to, uint32_t bytes)
{
  Packed p = { packed, (const uint8_t *) packed + n };

  if (columns == 0 || bytes % (4 * columns) != 0)
    return false;
  for (uint32_t k = 0; k < columns; k++)
    if (!unpack_column (&p, bytes / 4 / columns, columns, (uint8_t *) to + 4 * k))
      return false;
  return p.at == p.end;
}
