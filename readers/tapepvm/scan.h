/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - the fast way over lines of plain numbers, to be compiled into the loops that need it. */
#pragma once
#include "readers/digits.h"
#include "readers/tapepvm/tapepvm.h"
#include <errno.h>
#include <unistd.h>

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

static inline int64_t
tp_date (const TpTable *t, const TpRecord *r)
{
  if (__builtin_expect (t->split_date, 0))
    return (int64_t) ((uint64_t) r->v[t->at[TP_DATE_S]] * (uint64_t) t->ticks_per_second /* wraps; checked after */
                      + (uint64_t) r->v[t->at[TP_DATE_US]] * (uint64_t) (t->ticks_per_second / 1000000));
  return r->v[t->at[TP_DATE]];
}

/* Bytes that stand for themselves in a word. */
static inline bool
tp_in_word (uint8_t c)
{
  return c > ' ' && c < 0x7f && c != '%';
}

/* Whether n words in r->v, of which those in `text` are no numbers, are a record: then its date, duration and kind
 * are set. */
static inline __attribute__ ((always_inline)) bool
tp_accept (const TpTable *t, TpRecord *r, unsigned n, uint32_t text)
{
  const int64_t *v = r->v;
  if (n < t->n_header)
    return false;
  int64_t type = v[t->at[TP_TYPE]];
  if ((uint64_t) type > 65535 || !t->by_number[type])
    return false;
  uint32_t kind = t->by_number[type] - 1u;
  const TpKind *d = &t->details[kind];
  if (!d->plain || d->n_words != n || d->text != text)
    return false;

  int64_t date = tp_date (t, r), duration = v[t->at[TP_DURATION]];
  uint64_t length = duration < 0 ? 0 : (uint64_t) duration;
  bool bad = ((uint64_t) date > (uint64_t) TP_MAX_DATE) | ((uint64_t) v[t->at[TP_TASK]] > (uint64_t) TP_MAX_ID)
             | ((uint64_t) v[t->at[TP_SITE]] > (uint64_t) TP_MAX_ID) | (duration < -1)
             | ((uint64_t) date + length > (uint64_t) TP_MAX_DATE);
  int64_t tag = v[d->tag_at], result = v[d->result_at];
  bad |= (tag != (int32_t) tag) | (result != (int32_t) result) | (v[d->size_at] < 0) | (v[d->peer_at] > TP_MAX_PEER);
  bad |= v[d->task_at[0]] > TP_MAX_PEER;
  for (unsigned i = 1; i < d->n_tasks; i++)
    bad |= v[d->task_at[i]] > TP_MAX_PEER;
  if (t->split_date)
    bad |= (uint64_t) v[t->at[TP_DATE_US]] > 999999
           || (uint64_t) v[t->at[TP_DATE_S]] > (uint64_t) (TP_MAX_DATE / t->ticks_per_second);
  if (__builtin_expect (bad, 0))
    return false;
  r->date = date;
  r->duration = duration;
  r->kind = kind;
  return true;
}

/* tp_scan_fast().  What each word waits for is the mask alone, which loses one bit a word; where words begin
 * and what they are worth is worked out beside that. */
static inline size_t
tp_scan_plain (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  int64_t *v = r->v;
  const uint8_t *at = line, *base = line, *end;
  uint64_t mask = digits_none (base), x; /* bit i: base[i], from `at` on */
  unsigned n = 0;
  uint32_t text = 0;
  uint8_t stop;
  do {
    if (__builtin_expect (mask == 0, 0)) { /* the 64 bytes end within this word */
      base = at;
      mask = digits_none (base);
      if (mask == 0 || n >= TP_MAX_WORDS)
        return 0;
    }
    end = base + __builtin_ctzll (mask);
    size_t len = (size_t) (end - at);
    if (len - 1 < 8) {
      x = digits_number (at, (unsigned) len);
    } else if (len - 1 < 16) {
      x = digits_number (at, (unsigned) len - 8) * 100000000 + digits_number (end - 8, 8);
    } else if (len == 0 && *at == '-') {
      base = ++at;
      mask = digits_none (base);
      if (mask == 0 || n >= TP_MAX_WORDS)
        return 0;
      end = base + __builtin_ctzll (mask);
      len = (size_t) (end - at);
      if (len - 1 >= 8)
        return 0;
      x = 0 - digits_number (at, (unsigned) len);
    } else if (len == 0) { /* a word, shorter than any bound there is */
      while (end < at + 64 && tp_in_word (*end))
        end++;
      if (end == at || end == at + 64 || n >= TP_MAX_WORDS)
        return 0;
      r->at[n] = (uint32_t) (at - line);
      r->len[n] = (uint32_t) (end - at);
      text |= 1u << n;
      x = 0;
      base = end; /* the blank behind it is bit 0 */
      mask = digits_none (base);
    } else {
      return 0;
    }
    v[n++] = (int64_t) x;
    stop = *end;
    mask &= mask - 1;
    at = end + 1;
  } while (stop == ' '); /* 64 bytes hold no more than 32 words, so v has room till the next look */
  return stop == '\n' && tp_accept (t, r, n, text) ? (size_t) (at - line) : 0;
}
