/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - many ordinary lines become events, nearly all lines there are.
 *
 * Three ways that give the same (a fuzz target compares them): one for any machine, and two with vectors for machines
 * that have them, which find all blanks of a line at once and turn four words, or eight, into numbers together. */
#include "readers/tapepvm/scan.h"
#include "readers/vectors.h"

static inline __attribute__ ((always_inline)) uint32_t
task_or_none (int64_t raw)
{
  return (uint64_t) raw <= (uint64_t) TP_MAX_ID ? (uint32_t) raw : TRACE_NONE;
}

static inline __attribute__ ((always_inline)) void
fill_event (const TpTable *t, const TpKind *d, const TpRecord *r, uint64_t at, TraceEvent *e)
{
  const int64_t *v = r->v;
  *e = (TraceEvent){ .date = r->date,
                     .duration = r->duration < 0 ? 0 : r->duration,
                     .record = TRACE_RECORD (at),
                     .size = v[d->size_at],
                     .task = (uint32_t) v[t->at[TP_TASK]],
                     .peer = task_or_none (v[d->peer_at]),
                     .object = task_or_none (v[d->task_at[0]]),
                     .tag = (int32_t) v[d->tag_at],
                     .result = (int32_t) v[d->result_at],
                     .kind = (uint16_t) r->kind,
                     .flags = d->instant        ? TRACE_INSTANT
                              : r->duration < 0 ? TRACE_UNFINISHED
                                                : 0 };
}

static inline __attribute__ ((always_inline)) TpDates
dates_of (const TpTable *t, const TpRecord *r)
{
  bool ends = r->duration >= 0 && !t->details[r->kind].instant;
  return (TpDates){ r->date, ends ? r->date + r->duration : -1 };
}

uint32_t
tp_scan_lines_plain (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *r, TraceEvent *events,
                     uint32_t max, size_t *used)
{
  uint32_t k = 0;
  size_t at = 0;
  for (; k < max && at < n; k++) {
    size_t length = tp_scan_plain (t, text + at, r);
    const TpKind *d = &t->details[r->kind];
    if (!length || !d->quick)
      break;
    fill_event (t, d, r, place + at, &events[k]);
    at += length;
  }
  *used = at;
  return k;
}

#if defined(__x86_64__)
#define MOST_WORDS 12u

#define WIDEST __attribute__ ((target ("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2")))

static bool
has_wide_vectors (void)
{
  return has_vectors () && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
         && __builtin_cpu_supports ("avx512vl") && __builtin_cpu_supports ("avx512vbmi")
         && __builtin_cpu_supports ("avx512vbmi2");
}

/* Of a line whose words are numbers of at most eight digits without a sign, and a date of at most sixteen: these are
 * within all bounds, and only whether its kind is told so remains to be looked at. */
static inline __attribute__ ((always_inline)) bool
accept_short (const TpTable *t, TpRecord *r, unsigned n)
{
  uint64_t type = (uint64_t) r->v[t->at[TP_TYPE]];
  uint32_t kind = type < 65536 ? t->by_number[type] : 0;

  if (!kind || !t->details[kind - 1].plain || t->details[kind - 1].n_words != n || t->details[kind - 1].text)
    return false;
  r->date = r->v[t->at[TP_DATE]];
  r->duration = r->v[t->at[TP_DURATION]];
  r->kind = kind - 1;
  return true;
}

static inline WIDE uint64_t
both (__m256i low, __m256i high)
{
  return (uint32_t) _mm256_movemask_epi8 (low) | (uint64_t) (uint32_t) _mm256_movemask_epi8 (high) << 32;
}

/* Four words of at most eight bytes, right-aligned, become numbers; bytes below '0', a sign or nothing, count as 0. */
static inline WIDE void
four_numbers (uint64_t a, uint64_t b, uint64_t c, uint64_t d, int64_t *to)
{
  __m256i x = _mm256_set_epi64x ((int64_t) d, (int64_t) c, (int64_t) b, (int64_t) a);
  x = _mm256_subs_epu8 (x, _mm256_set1_epi8 ('0'));
  x = _mm256_maddubs_epi16 (x, _mm256_set1_epi16 (1 << 8 | 10));
  x = _mm256_madd_epi16 (x, _mm256_set1_epi32 (1 << 16 | 100));
  x = _mm256_add_epi64 (_mm256_mul_epu32 (x, _mm256_set1_epi64x (10000)), _mm256_srli_epi64 (x, 32));
  _mm256_storeu_si256 ((__m256i *) (void *) to, x);
}

/* The rare things in a line of `bits` with blanks at `blanks`: bytes at `odd` that are neither digits nor blanks. Signs
 * before numbers are taken into account, other words are noted.  False: this is not for us. */
static WIDE bool
odd_words (const uint8_t *line, uint64_t blanks, uint64_t odd, uint64_t digits, int64_t *v, uint32_t *text,
           uint64_t *in_text)
{
  while (odd) {
    unsigned i = (unsigned) _tzcnt_u64 (odd);
    uint64_t before = blanks & (_blsi_u64 (odd) - 1);
    unsigned word = (unsigned) _mm_popcnt_u64 (before), start = before ? 64 - (unsigned) __builtin_clzll (before) : 0;
    unsigned end = (unsigned) _tzcnt_u64 (blanks & ~(_blsi_u64 (odd) - 1));
    uint64_t inside = _bzhi_u64 (UINT64_MAX, end) & ~_bzhi_u64 (UINT64_MAX, start);
    if (line[i] == '-' && i == start && end > start + 1 && (inside & ~digits) == _blsi_u64 (odd)) {
      v[word] = -v[word];
    } else {
      for (unsigned k = start; k < end; k++)
        if (!tp_in_word (line[k]))
          return false;
      *text |= 1u << word;
      *in_text |= inside;
    }
    odd &= ~inside;
  }
  return true;
}

/* A line of at most 64 bytes with the line feed and twelve words, as tp_scan_fast().  With `dates` only the date, the
 * duration and the kind are found out, and lines with signs and text are left alone. */
static inline WIDE __attribute__ ((always_inline)) size_t
scan_wide (const TpTable *t, const uint8_t *line, TpRecord *r, const bool dates)
{
  int64_t *v = r->v;
  __m256i low = _mm256_loadu_si256 ((const __m256i *) (const void *) line),
          high = _mm256_loadu_si256 ((const __m256i *) (const void *) (line + 32));
  const __m256i shift = _mm256_set1_epi8 (0x50), nine = _mm256_set1_epi8 (-128 + 9), blank = _mm256_set1_epi8 (' '),
                feed = _mm256_set1_epi8 ('\n');
  uint64_t feeds = both (_mm256_cmpeq_epi8 (low, feed), _mm256_cmpeq_epi8 (high, feed));
  uint64_t upto = _blsmsk_u64 (feeds); /* the line and its line feed */
  uint64_t digits = ~both (_mm256_cmpgt_epi8 (_mm256_add_epi8 (low, shift), nine),
                           _mm256_cmpgt_epi8 (_mm256_add_epi8 (high, shift), nine));
  uint64_t blanks = (both (_mm256_cmpeq_epi8 (low, blank), _mm256_cmpeq_epi8 (high, blank)) | feeds) & upto;
  unsigned n = (unsigned) _mm_popcnt_u64 (blanks);
  if (!feeds || (blanks & (blanks << 1 | 1)) || n > MOST_WORDS)
    return 0;

  uint64_t left = blanks, x[MOST_WORDS];
  unsigned start = 0, end;
#pragma GCC unroll 12
  for (unsigned i = 0; i < MOST_WORDS; i++) { /* beyond the last word: nonsense that nobody reads */
    if ((i == 8 && n <= 8) || (i == 4 && dates))
      break;
    end = (unsigned) _tzcnt_u64 (left);
    memcpy (&x[i], line + start, 8);
    x[i] <<= (8 * start - 8 * end) & 63;
    left = _blsr_u64 (left);
    start = end + 1;
  }
  four_numbers (x[0], x[1], x[2], x[3], v);
  if (!dates)
    four_numbers (x[4], x[5], x[6], x[7], v + 4);
  if (!dates && n > 8)
    four_numbers (x[8], x[9], x[10], x[11], v + 8);

  uint64_t in_text = 0, odd = upto & ~blanks & ~digits;
  uint32_t text = 0;
  if (__builtin_expect (odd != 0, 0) && (dates || !odd_words (line, blanks, odd, digits, v, &text, &in_text)))
    return 0;

  /* Words of nine bytes and more: the date alone may be one, of at most sixteen digits. */
  uint64_t run = upto & ~blanks & ~in_text;
  run &= run >> 1;
  run &= run >> 2;
  run &= run >> 4;
  run &= (upto & ~blanks & ~in_text) >> 8;
  if (run) {
    uint64_t before = blanks & (_blsi_u64 (run) - 1);
    unsigned word = (unsigned) _mm_popcnt_u64 (before);
    start = (unsigned) _tzcnt_u64 (run);
    end = (unsigned) _tzcnt_u64 (blanks & ~(_blsi_u64 (run) - 1));
    if (word != t->at[TP_DATE] || end - start > 16 || run >> end || line[start] == '-')
      return 0;
    v[word] = (int64_t) (digits_number (line + start, end - start - 8) * 100000000 + digits_number (line + end - 8, 8));
  }
  if (!dates && (odd || t->split_date))
    return tp_accept (t, r, n, text) ? (size_t) _tzcnt_u64 (feeds) + 1 : 0;

  return accept_short (t, r, n) ? (size_t) _tzcnt_u64 (feeds) + 1 : 0;
}

/* Eight words, right-aligned in eight bytes each, those before a word 0, become numbers. */
static inline WIDEST __attribute__ ((always_inline)) void
eight_numbers (__m512i x, int64_t *to)
{
  x = _mm512_maddubs_epi16 (x, _mm512_set1_epi16 (1 << 8 | 10));
  x = _mm512_madd_epi16 (x, _mm512_set1_epi32 (1 << 16 | 100));
  x = _mm512_add_epi64 (_mm512_mul_epu32 (x, _mm512_set1_epi64 (10000)), _mm512_srli_epi64 (x, 32));
  _mm512_storeu_si512 (to, x);
}

/* A line of at most 64 bytes with the line feed and sixteen words, all of them digits, as tp_scan_fast(); its date is
 * in one word. */
static inline WIDEST __attribute__ ((always_inline)) size_t
scan_widest (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  static const uint8_t places[64] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };
  const __m512i place = _mm512_loadu_si512 (places),
                of_eight = _mm512_and_si512 (place, _mm512_set1_epi8 (7)), /* each byte's place in its word */
      back = _mm512_sub_epi8 (of_eight, _mm512_set1_epi8 (8)),
                word = _mm512_and_si512 (_mm512_srli_epi16 (place, 3), _mm512_set1_epi8 (7)); /* and which word */
  int64_t *v = r->v;
  __m512i text = _mm512_loadu_si512 (line), digit = _mm512_sub_epi8 (text, _mm512_set1_epi8 ('0'));
  uint64_t feeds = _mm512_cmpeq_epi8_mask (text, _mm512_set1_epi8 ('\n'));
  uint64_t upto = _blsmsk_u64 (feeds); /* the line and its line feed */
  uint64_t digits = _mm512_cmplt_epu8_mask (digit, _mm512_set1_epi8 (10));
  uint64_t blanks = (_mm512_cmpeq_epi8_mask (text, _mm512_set1_epi8 (' ')) | feeds) & upto;
  unsigned n = (unsigned) _mm_popcnt_u64 (blanks);
  if (!feeds || (blanks & (blanks << 1 | 1)) || n > 16 || (upto & ~blanks & ~digits))
    return 0;

  /* Where words end, and where the byte before each is. */
  __m128i ends = _mm512_castsi512_si128 (_mm512_maskz_compress_epi8 (blanks, place));
  __m128i before = _mm_or_si128 (_mm_bslli_si128 (ends, 1), _mm_cvtsi32_si128 (0xff));
  __m512i end = _mm512_permutexvar_epi8 (word, _mm512_castsi128_si512 (ends));
  __m512i from = _mm512_permutexvar_epi8 (word, _mm512_castsi128_si512 (before));
  __m512i at = _mm512_add_epi8 (end, back);
  eight_numbers (_mm512_maskz_permutexvar_epi8 (_mm512_cmpgt_epi8_mask (at, from), at, digit), v);
  {
    const __m512i later = _mm512_add_epi8 (word, _mm512_set1_epi8 (8));
    end = _mm512_permutexvar_epi8 (later, _mm512_castsi128_si512 (ends));
    from = _mm512_permutexvar_epi8 (later, _mm512_castsi128_si512 (before));
    at = _mm512_add_epi8 (end, back);
    eight_numbers (_mm512_maskz_permutexvar_epi8 (_mm512_cmpgt_epi8_mask (at, from), at, digit), v + 8);
  }

  /* Words of nine bytes and more: the date alone may be one, of at most sixteen digits; its last eight are read. */
  uint32_t longer = _mm_cmpgt_epi8_mask (_mm_sub_epi8 (ends, before), _mm_set1_epi8 (9));
  if (longer) {
    unsigned which = t->at[TP_DATE];
    uint64_t ahead = blanks & (_pdep_u64 (UINT64_C (1) << which, blanks) - 1);
    unsigned start = ahead ? 64 - (unsigned) __builtin_clzll (ahead) : 0;
    unsigned length = (unsigned) _tzcnt_u64 (blanks & ~_bzhi_u64 (UINT64_MAX, start)) - start;
    if (longer != UINT32_C (1) << which || length > 16)
      return 0;
    v[which] += (int64_t) (digits_number (line + start, length - 8) * 100000000);
  }

  return accept_short (t, r, n) ? (size_t) _tzcnt_u64 (feeds) + 1 : 0;
}

/* A line that is not for the widest vectors: signs and names. */
static WIDE __attribute__ ((noinline)) size_t
scan_other (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  size_t length = scan_wide (t, line, r, false);
  return length ? length : tp_scan_plain (t, line, r); /* longer lines, more words */
}

static inline WIDE __attribute__ ((always_inline)) size_t
scan_by_four (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  size_t length = scan_wide (t, line, r, false);
  return __builtin_expect (!length, 0) ? tp_scan_plain (t, line, r) : length;
}

static inline WIDEST __attribute__ ((always_inline)) size_t
scan_by_eight (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  size_t length = scan_widest (t, line, r);
  return __builtin_expect (!length, 0) ? scan_other (t, line, r) : length;
}

static inline WIDE __attribute__ ((always_inline)) size_t
dates_by_four (const TpTable *t, const uint8_t *line, TpRecord *r)
{
  bool early = !t->split_date && t->at[TP_TYPE] < 4 && t->at[TP_DATE] < 4 && t->at[TP_DURATION] < 4;
  size_t length = early ? scan_wide (t, line, r, true) : 0;
  return __builtin_expect (!length, 0) ? tp_scan_plain (t, line, r) : length;
}

typedef size_t (*ScanLine) (const TpTable *t, const uint8_t *line, TpRecord *r);

static inline __attribute__ ((always_inline)) uint32_t
lines_by (ScanLine scan, const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *r,
          TraceEvent *events, uint32_t max, size_t *used)
{
  uint32_t k = 0;
  size_t at = 0;
  for (; k < max && at < n; k++) {
    size_t length = scan (t, text + at, r);
    const TpKind *d = &t->details[r->kind];
    if (!length || !d->quick)
      break;
    fill_event (t, d, r, place + at, &events[k]);
    at += length;
  }
  *used = at;
  return k;
}

static inline __attribute__ ((always_inline)) uint32_t
dates_by (ScanLine scan, const TpTable *t, const uint8_t *text, size_t n, TpRecord *r, TpDates *dates, uint32_t max,
          size_t *used)
{
  uint32_t k = 0;
  size_t at = 0;
  for (; k < max && at < n; k++) {
    size_t length = scan (t, text + at, r);
    if (!length)
      break;
    dates[k] = dates_of (t, r);
    at += length;
  }
  *used = at;
  return k;
}

static WIDE uint32_t
lines_wide (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *r, TraceEvent *events,
            uint32_t max, size_t *used)
{
  return lines_by (scan_by_four, t, text, n, place, r, events, max, used);
}

static WIDEST uint32_t
lines_widest (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *r, TraceEvent *events,
              uint32_t max, size_t *used)
{
  return lines_by (scan_by_eight, t, text, n, place, r, events, max, used);
}

static WIDE uint32_t
dates_wide (const TpTable *t, const uint8_t *text, size_t n, TpRecord *r, TpDates *dates, uint32_t max, size_t *used)
{
  return dates_by (dates_by_four, t, text, n, r, dates, max, used);
}

static WIDEST uint32_t
dates_widest (const TpTable *t, const uint8_t *text, size_t n, TpRecord *r, TpDates *dates, uint32_t max, size_t *used)
{
  return dates_by (scan_by_eight, t, text, n, r, dates, max, used);
}
#endif

uint32_t
tp_scan_dates (const TpTable *t, const uint8_t *text, size_t n, TpRecord *r, TpDates *dates, uint32_t max, size_t *used)
{
#if defined(__x86_64__)
  if (has_wide_vectors () && !t->split_date)
    return dates_widest (t, text, n, r, dates, max, used);
  if (has_vectors ())
    return dates_wide (t, text, n, r, dates, max, used);
#endif
  uint32_t k = 0;
  size_t at = 0, length;
  for (; k < max && at < n && (length = tp_scan_plain (t, text + at, r)); k++) {
    dates[k] = dates_of (t, r);
    at += length;
  }
  *used = at;
  return k;
}

uint32_t
tp_scan_lines_four (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *scratch,
                    TraceEvent *events, uint32_t max, size_t *used)
{
#if defined(__x86_64__)
  if (has_vectors ())
    return lines_wide (t, text, n, place, scratch, events, max, used);
#endif
  return tp_scan_lines_plain (t, text, n, place, scratch, events, max, used);
}

uint32_t
tp_scan_lines (const TpTable *t, const uint8_t *text, size_t n, uint64_t place, TpRecord *scratch, TraceEvent *events,
               uint32_t max, size_t *used)
{
#if defined(__x86_64__)
  if (has_wide_vectors () && !t->split_date)
    return lines_widest (t, text, n, place, scratch, events, max, used);
#endif
  return tp_scan_lines_four (t, text, n, place, scratch, events, max, used);
}
