/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - the fast way over lines of plain numbers, to be compiled into the loops that need it. */
#pragma once
#include "readers/tapepvm/tapepvm.h"
#include <errno.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A line on its way through the slow readers of words and numbers; `what` is for their sentences. */
typedef struct TpText {
  const uint8_t *line;
  size_t n, at;
} TpText;

static inline void
tp_skip_blanks (TpText *t)
{
  while (t->at < t->n && (t->line[t->at] == ' ' || t->line[t->at] == '\t'))
    t->at++;
}
bool tp_read_number (TpText *t, const char *what, int64_t *value, TpFault *f);
/* At most `most` bytes, clean when unescaped; *at, *len: where it stands in the line. */
bool tp_read_word (TpText *t, const char *what, size_t most, uint32_t *at, uint32_t *len, TpFault *f);

/* One bit for each of 64 bytes, set where there is no decimal digit. */
static inline uint64_t
tp_not_digits (const uint8_t *p)
{
  uint64_t mask = 0;
#ifdef __SSE2__
  for (int i = 0; i < 4; i++) {
    __m128i x = _mm_sub_epi8 (_mm_loadu_si128 ((const __m128i *) (p + 16 * i)), _mm_set1_epi8 ('0'));
    __m128i digit = _mm_cmpeq_epi8 (_mm_min_epu8 (x, _mm_set1_epi8 (9)), x);
    mask |= (uint64_t) (~_mm_movemask_epi8 (digit) & 0xffff) << (16 * i);
  }
#else
  for (int i = 0; i < 64; i++)
    mask |= (uint64_t) ((uint8_t) (p[i] - '0') > 9) << i;
#endif
  return mask;
}

/* The number written in n digits at p, 1 <= n <= 8, all eight digits at once. */
static inline uint64_t
tp_digits8 (const uint8_t *p, unsigned n)
{
  uint64_t w;
  memcpy (&w, p, 8);
  w = GUINT64_FROM_LE (w) << (64 - 8 * n) & UINT64_C (0x0f0f0f0f0f0f0f0f);
  w = (w * 10 + (w >> 8)) & UINT64_C (0x00ff00ff00ff00ff);
  w = (w * 100 + (w >> 16)) & UINT64_C (0x0000ffff0000ffff);
  return (w * 10000 + (w >> 32)) & UINT64_C (0xffffffff);
}

static inline int64_t
tp_date (const TpTable *t, const TpRecord *r)
{
  if (__builtin_expect (t->split_date, 0))
    return (int64_t) ((uint64_t) r->v[t->at[TP_DATE_S]] * (uint64_t) t->ticks_per_second    /* wraps; checked after */
                      + (uint64_t) r->v[t->at[TP_DATE_US]] * (uint64_t) (t->ticks_per_second / 1000000));
  return r->v[t->at[TP_DATE]];
}

/* tp_scan_fast(). */
static inline size_t
tp_scan_plain (const TpTable *t, const uint8_t *p, TpRecord *r)
{
  const uint8_t *line = p;
  int64_t *v = r->v, words[40];
  uint64_t mask = tp_not_digits (p);
  unsigned start = 0, n = 0;
  uint8_t stop;
  do {
    if (mask == 0) {                            /* the line goes on behind the 64 bytes looked at */
      p += start;
      start = 0;
      mask = tp_not_digits (p);
      if (mask == 0)
        return 0;
    }
    bool negative = p[start] == '-';
    if (negative) {
      start++;
      mask &= mask - 1;
      if (mask == 0) {
        p += start;
        start = 0;
        mask = tp_not_digits (p);
        if (mask == 0)
          return 0;
      }
    }
    unsigned end = (unsigned) __builtin_ctzll (mask), len = end - start;
    mask &= mask - 1;
    uint64_t x;
    if (len - 1 < 8)
      x = tp_digits8 (p + start, len);
    else if (len - 1 < 16)
      x = tp_digits8 (p + start, len - 8) * 100000000 + tp_digits8 (p + end - 8, 8);
    else
      return 0;
    words[n++] = negative ? -(int64_t) x : (int64_t) x;
    stop = p[end];
    start = end + 1;
  } while (stop == ' ' && n < TP_MAX_HEADER + TP_MAX_FIELDS);
  if (stop != '\n' || n < t->n_header)
    return 0;
  for (unsigned i = 0; i < t->n_header; i++)
    v[i] = words[i];
  int64_t type = v[t->at[TP_TYPE]];
  if ((uint64_t) type > 65535 || !t->by_number[type])
    return 0;
  uint32_t kind = t->by_number[type] - 1u;
  const TpKind *d = &t->details[kind];
  if (!d->plain || d->n_words != n)
    return 0;
  for (unsigned i = t->n_header; i < n; i++)
    v[TP_MAX_HEADER + i - t->n_header] = words[i];

  int64_t date = tp_date (t, r), duration = v[t->at[TP_DURATION]];
  uint64_t length = duration < 0 ? 0 : (uint64_t) duration;
  bool bad = (uint64_t) date > (uint64_t) TP_MAX_DATE || (uint64_t) v[t->at[TP_TASK]] > (uint64_t) TP_MAX_ID
             || (uint64_t) v[t->at[TP_SITE]] > (uint64_t) TP_MAX_ID || duration < -1
             || (uint64_t) date + length > (uint64_t) TP_MAX_DATE;
  int64_t tag = v[d->tag_at], result = v[d->result_at];
  bad |= tag != (int32_t) tag || result != (int32_t) result || v[d->size_at] < 0 || v[d->peer_at] > TP_MAX_ID;
  for (unsigned i = 0; i < d->n_tasks; i++)
    bad |= v[d->task_at[i]] > TP_MAX_ID;
  if (t->split_date)
    bad |= (uint64_t) v[t->at[TP_DATE_US]] > 999999
           || (uint64_t) v[t->at[TP_DATE_S]] > (uint64_t) (TP_MAX_DATE / t->ticks_per_second);
  if (bad)
    return 0;
  r->date = date;
  r->duration = duration;
  r->kind = kind;
  return (size_t) (p + start - line);
}
