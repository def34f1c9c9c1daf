/* SPDX-License-Identifier: Apache-2.0 */
/* digits.h - numbers and words in text, eight bytes at once: for readers of lines, most of whose time they are.
 *
 * All eight bytes from where one looks are read, so as many must be there, whatever is in them. */
#pragma once
#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "readers/vectors.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline uint64_t
digits_load (const void *p)
{
  uint64_t w;

  memcpy (&w, p, sizeof w);
  return GUINT64_FROM_LE (w);
}

/* How many of the eight bytes are digits, up to the first that is none. */
static inline unsigned
digits_ahead (const void *p)
{
  const uint64_t low = UINT64_C (0x7f7f7f7f7f7f7f7f);
  uint64_t w = digits_load (p) ^ UINT64_C (0x3030303030303030);
  uint64_t none = (((w & low) + UINT64_C (0x7676767676767676)) | w) & ~low; /* 0x80 in each byte that is above 9 */

  return none ? (unsigned) __builtin_ctzll (none) >> 3 : 8;
}

/* The number written in n digits at p, 1 <= n <= 8, all of them at once. */
static inline uint64_t
digits_number (const void *p, unsigned n)
{
  const uint64_t bytes = UINT64_C (0x000000ff000000ff);
  uint64_t w = digits_load (p) << (64 - 8 * n) & UINT64_C (0x0f0f0f0f0f0f0f0f);

  w = w * 10 + (w >> 8); /* pairs, in every other byte */
  return ((w & bytes) * (100 + (UINT64_C (1000000) << 32)) + (w >> 16 & bytes) * (1 + (UINT64_C (10000) << 32))) >> 32;
}

/* A number of at most 16 digits, and *n how many.  Of more, and of none, *n is 17 and 0, and the number is none. */
static inline __attribute__ ((always_inline)) uint64_t
digits_number16 (const void *p, unsigned *n)
{
  static const uint32_t tens[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
  unsigned first = digits_ahead (p);

  *n = first;
  if (first == 0)
    return 0;
  uint64_t v = digits_number (p, first);
  if (first < 8)
    return v;
  const char *rest = (const char *) p + 8;
  unsigned more = digits_ahead (rest);
  *n += more;
  if (more > 0)
    v = v * tens[more] + digits_number (rest, more);
  *n += more == 8 && digits_ahead (rest + 8) > 0;
  return v;
}

/* The first byte of a text, which a 0 ends, that is a blank, a tab or that 0. */
static inline char *
digits_word_end (char *at)
{
  const uint64_t ones = UINT64_C (0x0101010101010101), tops = ones << 7;

  for (;; at += 8) {
    uint64_t w = digits_load (at);
    uint64_t small = (w - ones * 0x21) & ~w & tops; /* the lowest is a byte of at most 0x20 for sure */
    for (; small; small &= small - 1) {
      char *end = at + ((unsigned) __builtin_ctzll (small) >> 3);
      if (*end == ' ' || *end == '\t' || *end == '\0')
        return end;
    }
  }
}

#ifdef __SSE2__
/* Sixteen bits, set where there is no digit: 0x50 moves the digits to the low end of the signed numbers. */
static inline uint64_t
digits_none16 (const void *p)
{
  __m128i x = _mm_add_epi8 (_mm_loadu_si128 ((const __m128i *) p), _mm_set1_epi8 (0x50));
  return (uint64_t) _mm_movemask_epi8 (_mm_cmpgt_epi8 (x, _mm_set1_epi8 (-128 + 9)));
}
#endif

/* One bit for each of 64 bytes, set where there is no decimal digit. */
static inline uint64_t
digits_none (const void *from)
{
  const uint8_t *p = from;
#ifdef __SSE2__
  return (digits_none16 (p) | digits_none16 (p + 16) << 16)
         | (digits_none16 (p + 32) | digits_none16 (p + 48) << 16) << 32;
#else
  uint64_t mask = 0;
  for (int i = 0; i < 64; i++)
    mask |= (uint64_t) ((uint8_t) (p[i] - '0') > 9) << i;
  return mask;
#endif
}

/* The number written in n digits at p, 1 <= n <= 16. */
static inline uint64_t
digits_long_number (const char *p, size_t n)
{
  return n <= 8 ? digits_number (p, (unsigned) n)
                : digits_number (p, (unsigned) n - 8) * 100000000 + digits_number (p + n - 8, 8);
}

/* The same with vectors, which the processor has to have (vectors.h): all digits at once, however many.  Sixteen bytes
 * from `p` on are read. */
static inline WIDE uint64_t
digits_wide_number (const char *p, size_t n)
{
#if defined(__x86_64__)
  static const int8_t places[] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                   0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15 };
  __m128i x = _mm_sub_epi8 (_mm_loadu_si128 ((const __m128i *) (const void *) p), _mm_set1_epi8 ('0'));
  x = _mm_shuffle_epi8 (x, _mm_loadu_si128 ((const __m128i *) (const void *) (places + n))); /* to the end, behind 0s */
  x = _mm_maddubs_epi16 (x, _mm_set1_epi16 (10 + (1 << 8)));
  x = _mm_madd_epi16 (x, _mm_set1_epi32 (100 + (1 << 16)));
  x = _mm_madd_epi16 (_mm_packus_epi32 (x, x), _mm_set1_epi32 (10000 + (1 << 16)));
  uint64_t eights = (uint64_t) _mm_cvtsi128_si64 (x);
  return (eights & UINT32_MAX) * 100000000 + (eights >> 32);
#else
  return digits_long_number (p, n);
#endif
}

/* digits_none() with vectors. */
static inline WIDE uint64_t
digits_wide_none (const char *p)
{
#if defined(__x86_64__)
  const __m256i to_low = _mm256_set1_epi8 (0x50), nine = _mm256_set1_epi8 (-128 + 9);
  __m256i a = _mm256_add_epi8 (_mm256_loadu_si256 ((const __m256i *) (const void *) p), to_low);
  __m256i b = _mm256_add_epi8 (_mm256_loadu_si256 ((const __m256i *) (const void *) (p + 32)), to_low);
  return (uint32_t) _mm256_movemask_epi8 (_mm256_cmpgt_epi8 (a, nine))
         | (uint64_t) (uint32_t) _mm256_movemask_epi8 (_mm256_cmpgt_epi8 (b, nine)) << 32;
#else
  return digits_none (p);
#endif
}

/* Numbers of at most 16 digits each, without signs, with `between` between any two of them: at most `most`.  Gives how
 * many there are, and where it has stopped, which is a 0 if there is nothing else in a text.  64 bytes behind that 0
 * may be read.  `wide`: with vectors. */
static inline __attribute__ ((always_inline)) unsigned
digits_list (const char *at, char between, int64_t *v, unsigned most, const char **end, bool wide)
{
  const char *base = at;
  uint64_t mask = wide ? digits_wide_none (base) : digits_none (base);

  for (unsigned n = 0;;) {
    if (G_UNLIKELY (mask == 0)) { /* the 64 bytes end within this number */
      base = at;
      mask = wide ? digits_wide_none (base) : digits_none (base);
    }
    const char *stop = mask ? base + __builtin_ctzll (mask) : at;
    size_t length = (size_t) (stop - at);
    if (G_UNLIKELY (length - 1 >= 16)) {
      *end = n > 0 ? at - 1 : at;
      return n;
    }
    v[n++] = length == 1 ? *at - '0'
             : wide      ? (int64_t) digits_wide_number (at, length)
                         : (int64_t) digits_long_number (at, length);
    if (*stop != between || n == most) {
      *end = stop;
      return n;
    }
    mask &= mask - 1;
    at = stop + 1;
  }
}
