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
#include "readers/vectors.h"
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define CODE_BITS 3
#define CODES (1 << CODE_BITS)
#define HEAD (3 + CODES) /* bytes, at most */
#define BEHIND 8         /* bytes that a step may write behind its end */
#define LENGTHS 33       /* 0 to 32 bits */
#define AT_ONCE 1024     /* numbers that are taken out of their rows together */
#define PAIR_BITS 28     /* two of so many bits each, and what waits, fit 64 */

typedef struct Column {
  uint32_t gap_at, gap; /* bits that are zero in all numbers */
  uint32_t code_bits;
  uint8_t length[CODES];
  uint8_t code[LENGTHS]; /* of the least length that holds so many bits */
  uint8_t bits[LENGTHS]; /* that it takes with its code */
} Column;

/* Where bits are written, the lowest first. */
typedef struct Bits {
  uint8_t *to;
  uint64_t waiting;
  uint32_t n; /* of these: at most 7 */
} Bits;

/* How it is done: with vectors, or as on machines that have none. */
typedef struct Way {
  /* Counts numbers by their length, those at even places and those at odd ones, as most are as long as those before
   * them; what bits they have. */
  uint32_t (*count) (const uint32_t *v, uint32_t n, uint32_t count[2][LENGTHS]);
  void (*pack) (const Column *c, const uint32_t *v, uint32_t n, Bits *to);
} Way;

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
history_columns_length_of (uint32_t v)
{
  return 63 - (uint32_t) __builtin_clzll ((uint64_t) v << 1 | 1);
}

/* The longest run of bits that are in none. */
static void
find_gap (Column *c, uint32_t all)
{
  uint32_t run = 0;

  c->gap_at = c->gap = 0;
  for (uint32_t bit = 0; bit < history_columns_length_of (all); bit++) {
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
    c->bits[l] = (uint8_t) (c->code_bits + c->length[k]);
  }
}

/* Adds n bits to those that wait; all of them fit 63. */
static inline __attribute__ ((always_inline)) void
put_bits (Bits *b, uint64_t v, uint32_t n)
{
  b->waiting |= v << b->n;
  b->n += n;
  bytes_put64 (b->to, b->waiting);
  b->to += b->n >> 3;
  b->waiting >>= b->n & ~7u;
  b->n &= 7;
}

/* The bits of a number, and how many in *n. */
static inline __attribute__ ((always_inline)) uint64_t
bits_of (const Column *c, uint32_t v, uint32_t *n)
{
  uint32_t small = squeeze (v, low_bits (c->gap_at), c->gap), length = history_columns_length_of (small);

  *n = c->bits[length];
  return (uint64_t) small << c->code_bits | c->code[length];
}

static uint32_t
count_numbers (const uint32_t *v, uint32_t n, uint32_t count[2][LENGTHS])
{
  uint32_t any = 0;

  for (uint32_t i = 0; i < n; i++) {
    any |= v[i];
    count[i & 1][history_columns_length_of (v[i])]++;
  }
  return any;
}

static void
pack_numbers (const Column *c, const uint32_t *v, uint32_t n, Bits *to)
{
  const Column mine = *c; /* nothing that is written may be part of it */
  Bits b = *to;
  uint32_t i = 0, n_first, n_second;

  if (c->bits[32] <= PAIR_BITS)
    for (; i + 1 < n; i += 2) {
      uint64_t first = bits_of (&mine, v[i], &n_first), second = bits_of (&mine, v[i + 1], &n_second);
      put_bits (&b, second << n_first | first, n_first + n_second);
    }
  for (; i < n; i++) {
    uint64_t bits = bits_of (&mine, v[i], &n_first);
    put_bits (&b, bits, n_first); /* 7 + 3 + 32 at most */
  }
  *to = b;
}

#if defined(__x86_64__)
#define WIDE_COUNTING __attribute__ ((target ("avx2,bmi,bmi2,popcnt,lzcnt")))

/* Where only the highest bits of a number are left, its exponent as a float is its length. */
static WIDE_COUNTING uint32_t
count_numbers_wide (const uint32_t *v, uint32_t n, uint32_t count[2][LENGTHS])
{
  __m256i bits = _mm256_setzero_si256 ();
  uint32_t any = 0, i = 0;
  uint64_t four[4];

  for (; i + 8 <= n; i += 8)
    bits = _mm256_or_si256 (bits, _mm256_loadu_si256 ((const __m256i *) (v + i)));
  _mm256_storeu_si256 ((__m256i *) four, bits);
  for (uint32_t k = 0; k < 4; k++)
    any |= (uint32_t) four[k] | (uint32_t) (four[k] >> 32);
  if (any >> 31) /* floats have signs */
    return count_numbers (v, n, count);
  if (any == 0) { /* many columns are nothing else */
    count[0][0] += i;
    return count_numbers (v + i, n - i, count);
  }
  for (i = 0; i + 8 <= n; i += 8) {
    __m256i all = _mm256_loadu_si256 ((const __m256i *) (v + i)),
            high = _mm256_andnot_si256 (_mm256_srli_epi32 (all, 1), all),
            length = _mm256_sub_epi32 (_mm256_srli_epi32 (_mm256_castps_si256 (_mm256_cvtepi32_ps (high)), 23),
                                       _mm256_set1_epi32 (126));
    length = _mm256_max_epi32 (length, _mm256_setzero_si256 ());
    _mm256_storeu_si256 ((__m256i *) four, length);
    for (uint32_t k = 0; k < 4; k++) {
      count[0][(uint32_t) four[k]]++;
      count[1][four[k] >> 32]++;
    }
  }
  return any | count_numbers (v + i, n - i, count);
}

/* Eight numbers at once become four pairs, which are then written one by one. */
static WIDE_COUNTING void
pack_numbers_wide (const Column *c, const uint32_t *v, uint32_t n, Bits *to)
{
  uint32_t n_codes = 1u << c->code_bits, i = 0, total[CODES] = { 0 };
  __m256i most[CODES - 1], zeros = _mm256_setzero_si256 (), even = _mm256_set1_epi64x (UINT32_MAX),
                           low = _mm256_set1_epi32 ((int) low_bits (c->gap_at));
  __m128i gap = _mm_cvtsi32_si128 ((int) c->gap), code_bits = _mm_cvtsi32_si128 ((int) c->code_bits);
  uint64_t pair[4], bits[4];
  Bits b = *to;

  if (c->bits[32] <= PAIR_BITS) {
    for (uint32_t k = 0; k < n_codes; k++)
      total[k] = c->code_bits + c->length[k];
    for (uint32_t k = 0; k < CODES - 1; k++) /* what no number is above: there is no code behind it */
      most[k] = _mm256_set1_epi32 (k + 1 < n_codes ? (int) low_bits (c->length[k]) : INT32_MAX);
    const __m256i lengths = _mm256_loadu_si256 ((const __m256i *) total);
    for (; i + 8 <= n; i += 8) {
      __m256i all = _mm256_loadu_si256 ((const __m256i *) (v + i)),
              small = _mm256_or_si256 (_mm256_and_si256 (all, low),
                                       _mm256_srl_epi32 (_mm256_andnot_si256 (low, all), gap)),
              code = zeros;
      for (uint32_t k = 0; k < CODES - 1; k++)
        code = _mm256_sub_epi32 (code, _mm256_cmpgt_epi32 (small, most[k]));
      __m256i word = _mm256_or_si256 (_mm256_sll_epi32 (small, code_bits), code),
              length = _mm256_permutevar8x32_epi32 (lengths, code), first = _mm256_and_si256 (length, even);
      _mm256_storeu_si256 ((__m256i *) pair, _mm256_or_si256 (_mm256_and_si256 (word, even),
                                                              _mm256_sllv_epi64 (_mm256_srli_epi64 (word, 32), first)));
      _mm256_storeu_si256 ((__m256i *) bits, _mm256_add_epi64 (first, _mm256_srli_epi64 (length, 32)));
      for (uint32_t k = 0; k < 4; k++)
        put_bits (&b, pair[k], (uint32_t) bits[k]);
    }
  }
  pack_numbers (c, v + i, n - i, &b);
  *to = b;
}
#endif

/* Some numbers of a column, side by side. */
static inline void
take_numbers (const uint8_t *data, uint32_t n, uint32_t columns, uint32_t *to)
{
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN && columns == 1)
    memcpy (to, data, (size_t) n * 4);
  else
    for (uint32_t i = 0; i < n; i++, data += columns * 4)
      to[i] = bytes_get32 (data);
}

static uint8_t *
pack_column (const uint8_t *data, uint32_t rows, uint32_t columns, const Way *way, uint8_t *to)
{
  uint32_t all = 0, part, counts[2][LENGTHS] = { 0 }, count[LENGTHS] = { 0 }, v[AT_ONCE];
  Column c;

  for (uint32_t i = 0; i < rows; i += part) {
    part = MIN (rows - i, AT_ONCE);
    take_numbers (data + (size_t) i * columns * 4, part, columns, v);
    all |= way->count (v, part, counts);
  }
  find_gap (&c, all);
  for (uint32_t l = 0; l < LENGTHS; l++)
    if (counts[0][l] + counts[1][l] > 0)
      count[l > c.gap_at ? l - c.gap : l] += counts[0][l] + counts[1][l];
  choose_lengths (&c, count, rows);

  *to++ = (uint8_t) c.gap_at;
  *to++ = (uint8_t) c.gap;
  *to++ = (uint8_t) c.code_bits;
  memcpy (to, c.length, 1u << c.code_bits);
  to += 1u << c.code_bits;
  if (c.code_bits == 0 && c.length[0] == 0)
    return to;

  Bits b = { to, 0, 0 };
  for (uint32_t i = 0; i < rows; i += part) {
    part = MIN (rows - i, AT_ONCE);
    if (rows > AT_ONCE) /* else they are there still */
      take_numbers (data + (size_t) i * columns * 4, part, columns, v);
    way->pack (&c, v, part, &b);
  }
  return b.to + (b.n > 0);
}

static uint32_t
pack_columns (const void *data, uint32_t bytes, uint32_t columns, const Way *way, uint8_t *to)
{
  uint8_t *at = to;

  for (uint32_t k = 0; k < columns; k++)
    at = pack_column ((const uint8_t *) data + 4 * k, bytes / 4 / columns, columns, way, at);
  return (uint32_t) (at - to);
}

static const Way plain = { count_numbers, pack_numbers };
#if defined(__x86_64__)
static const Way wide = { count_numbers_wide, pack_numbers_wide };
#endif

uint32_t
history_columns_pack_plain (const void *data, uint32_t bytes, uint32_t columns, uint8_t *to)
{
  return pack_columns (data, bytes, columns, &plain, to);
}

#if defined(__x86_64__)
/* What WIDE_COUNTING names.  Not every compiler knows lzcnt by name here, and asking the processor itself takes long.
 */
static bool
is_wide (void)
{
  static gsize known;
  unsigned a, b, c = 0, d;

  if (g_once_init_enter (&known)) {
    bool counts_zeros = __get_cpuid (0x80000001, &a, &b, &c, &d) && c & 1u << 5;
    g_once_init_leave (&known, has_vectors () && counts_zeros ? 2 : 1);
  }
  return known == 2;
}
#endif

uint32_t
history_columns_pack (const void *data, uint32_t bytes, uint32_t columns, uint8_t *to)
{
#if defined(__x86_64__)
  if (is_wide ())
    return pack_columns (data, bytes, columns, &wide, to);
#endif
  return history_columns_pack_plain (data, bytes, columns, to);
}

/* What is packed, as far as it was taken. */
typedef struct Packed {
  const uint8_t *at, *end;
} Packed;

static bool
history_columns_take_head (Packed *p, Column *c)
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

  if (!history_columns_take_head (p, &c))
    return false;
  uint32_t low = low_bits (c.gap_at), gap = c.gap, codes = low_bits (c.code_bits);
  const uint8_t *at = p->at, *end = p->end;
  uint32_t i = 0, widest = 1, took[CODES], mask[CODES];
  for (uint32_t k = 0; k < CODES; k++) {
    took[k] = c.code_bits + c.length[k];
    mask[k] = low_bits (c.length[k]);
    widest = k <= codes ? MAX (widest, took[k]) : widest;
  }
  for (uint32_t together = 57 / widest; i + together <= rows && end - at >= 8; i += together) {
    uint64_t bits = bytes_get64 (at) >> bit; /* as many as are surely in so many bits */
    for (uint32_t k = 0; k < together; k++, to += columns * 4) {
      uint32_t code = bits & codes;
      bytes_put32 (to, unsqueeze ((uint32_t) (bits >> c.code_bits) & mask[code], low, gap));
      bits >>= took[code];
      bit += took[code];
    }
    at += bit >> 3;
    bit &= 7;
  }
  for (; i < rows; i++, to += columns * 4) {
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
