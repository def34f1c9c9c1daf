/* SPDX-License-Identifier: Apache-2.0 */
/* digits.h - numbers and words in text, eight bytes at once: for readers of lines, most of whose time they are.
 *
 * All eight bytes from where one looks are read, so as many must be there, whatever is in them. */
#pragma once
#include <glib.h>
#include <stdint.h>
#include <string.h>

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
static inline uint64_t
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
