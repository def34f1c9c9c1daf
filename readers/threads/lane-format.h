/* SPDX-License-Identifier: Apache-2.0 */
/* lane-format.h - what the files have in common that threads of traced programs write: a header, then records of 8-byte
 * words in native order.
 *
 * The first word of a record is stored last, so a file cut anywhere (the process was killed) reads well up to the
 * first word of zero: bits 0-7 its type, 8-23 its words, 24-39 `a`, 40-63 `b`. */
#ifndef LANE_FORMAT_H
#define LANE_FORMAT_H

#include <stdint.h>

#define RAW_MOST_WORDS 0xfff0u
#define RAW_WORD(type, words, a, b)                                                                                    \
  ((uint64_t) (type) | (uint64_t) (words) << 8 | (uint64_t) (a) << 24 | (uint64_t) (b) << 40)
#define RAW_TYPE(w) ((unsigned) ((w) &0xff))
#define RAW_WORDS(w) ((unsigned) ((w) >> 8 & 0xffff))
#define RAW_A(w) ((unsigned) ((w) >> 24 & 0xffff))
#define RAW_B(w) ((unsigned) ((w) >> 40))

/* The record at `at`, of a file that ends at `end`; NULL: no whole one is there. */
static inline const uint64_t *
raw_record (const uint64_t *at, const uint64_t *end)
{
  if (at >= end || RAW_TYPE (*at) == 0)
    return NULL;
  unsigned words = RAW_WORDS (*at);
  return words > 0 && words <= (uint64_t) (end - at) ? at : NULL;
}

#endif
