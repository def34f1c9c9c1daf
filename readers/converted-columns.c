/* SPDX-License-Identifier: Apache-2.0 */
/* converted-columns.c - a block of events as columns, so that they pack well and fast.
 *
 * Of each column its least value is kept, and what each value is more than that, in as few bytes as the greatest wants:
 * none if all are the same.  Most columns of most blocks are so.  Where many events have nothing in a column, a bit
 * each tells which have, and these alone follow.  Dates and places of records are differences from the event before. */
#include <string.h>

#include "eve/bytes.h"
#include "readers/converted-private.h"
#include "readers/digits.h"
#include "readers/vectors.h"

typedef enum { DATE, TASK, RECORD, DURATION, AMOUNT, PEER, OBJECT, TAG, RESULT, KIND, FLAGS, N_COLUMNS } Column;
#define STRETCH 256 /* events that fit into the nearest cache */
#define TASKS 64    /* that are told apart, by the last bits of their numbers */
#define SPARSE 16   /* a column's first byte: with bits of which events have a value; the rest is bytes a value */
#define HEAD 9      /* bytes before a column: that one, and the least value */
#define NUMBERS_REGULAR 17 /* bytes of numbers that go on by the same step: a 1, the first and the step */

_Static_assert(COLUMNS_BYTES
                   >= 8 + 2 + 2 * TASKS * 8 + N_COLUMNS * (HEAD + 8 + BLOCK_EVENTS / 8 + (size_t) BLOCK_EVENTS * 8) + 8,
               "room for any block, and for eight bytes that are read where one is wanted");

/* ---- to bytes ------------------------------------------------------------------------------------------------------------ */

static inline uint8_t
converted_columns_width_of (uint64_t range)
{
  return range ? (uint8_t) ((71 - __builtin_clzll (range)) / 8) : 0;
}

static inline uint8_t *
converted_columns_put_head (uint8_t *to, uint8_t width, uint64_t base)
{
  *to = width;
  bytes_put64 (to + 1, base);
  return to + HEAD;
}

static inline void
put64 (uint8_t *to, uint64_t v)
{
  v = GUINT64_TO_LE (v);
  memcpy (to, &v, sizeof v);
}

typedef struct Range {
  int64_t least, most;
} Range;

static Range
range_from (Range r, const uint64_t *v, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++) {
    r.least = MIN (r.least, (int64_t) v[i]);
    r.most = MAX (r.most, (int64_t) v[i]);
  }
  return r;
}

/* The same with vectors, where the processor has them: `wide` tells.  The bytes are the same. */
#if defined(__x86_64__)
#define AT_ONCE 32

static inline WIDE __m256i
four_of (const uint64_t *v)
{
  return _mm256_loadu_si256 ((const __m256i *) (const void *) v);
}

static WIDE Range
range_wide (const uint64_t *v, uint32_t n)
{
  Range r = { (int64_t) v[0], (int64_t) v[0] };
  uint32_t i = 0;

  if (n >= 8) {
    __m256i least[2] = { four_of (v), four_of (v + 4) }, most[2] = { least[0], least[1] };
    for (i = 8; i + 8 <= n; i += 8)
      for (int k = 0; k < 2; k++) {
        __m256i x = four_of (v + i + 4 * k);
        least[k] = _mm256_blendv_epi8 (least[k], x, _mm256_cmpgt_epi64 (least[k], x));
        most[k] = _mm256_blendv_epi8 (most[k], x, _mm256_cmpgt_epi64 (x, most[k]));
      }
    uint64_t all[16];
    for (int k = 0; k < 2; k++) {
      _mm256_storeu_si256 ((__m256i *) (void *) (all + 8 * k), least[k]);
      _mm256_storeu_si256 ((__m256i *) (void *) (all + 8 * k + 4), most[k]);
    }
    r = range_from (r, all, 16);
  }
  return range_from (r, v + i, n - i);
}

/* Eight values of at most 32 bits each. */
static inline WIDE __m256i
eight_of (const uint64_t *v, __m256i base)
{
  __m256i a = _mm256_sub_epi64 (four_of (v), base), b = _mm256_sub_epi64 (four_of (v + 4), base);

  return _mm256_permute4x64_epi64 (
      _mm256_castps_si256 (_mm256_shuffle_ps (_mm256_castsi256_ps (a), _mm256_castsi256_ps (b), 0x88)), 0xd8);
}

static inline WIDE __m256i
sixteen_of (const uint64_t *v, __m256i base)
{
  return _mm256_permute4x64_epi64 (_mm256_packus_epi32 (eight_of (v, base), eight_of (v + 8, base)), 0xd8);
}

/* As many of the first values as come AT_ONCE, which are told, in one, two or four bytes each. */
static WIDE uint32_t
put_wide (uint8_t *to, const uint64_t *v, uint32_t n, uint64_t base, uint8_t width)
{
  const __m256i bases = _mm256_set1_epi64x ((int64_t) base);
  uint32_t i = 0;
#define STORE(at, x) _mm256_storeu_si256 ((__m256i *) (void *) (to + (at)), x)

  switch (width) {
  case 1:
    for (; i + AT_ONCE <= n; i += AT_ONCE)
      STORE (i, _mm256_permute4x64_epi64 (
                    _mm256_packus_epi16 (sixteen_of (v + i, bases), sixteen_of (v + i + 16, bases)), 0xd8));
    break;
  case 2:
    for (; i + AT_ONCE <= n; i += 16)
      STORE ((size_t) 2 * i, sixteen_of (v + i, bases));
    break;
  case 4:
    for (; i + AT_ONCE <= n; i += 8)
      STORE ((size_t) 4 * i, eight_of (v + i, bases));
    break;
  default:
    break;
  }
  return i;
}

/* Which of 64 values are not `none`. */
static inline WIDE uint64_t
others_wide (const uint64_t *v, __m256i none)
{
  uint64_t same = 0;

  for (unsigned k = 0; k < 64; k += 4)
    same |= (uint64_t) (uint32_t) _mm256_movemask_pd (_mm256_castsi256_pd (_mm256_cmpeq_epi64 (four_of (v + k), none)))
            << k;
  return ~same;
}

/* Of the first values, in groups of 64: which are not `none`, and those.  Gives how many there are, and *n how many it
 * has looked at. */
static WIDE uint32_t
keep_wide (const uint64_t *v, uint32_t *n, uint64_t none, uint64_t *bits, uint64_t *kept)
{
  const __m256i nones = _mm256_set1_epi64x ((int64_t) none);
  uint32_t n_kept = 0, i = 0;

  for (; i + 64 <= *n; i += 64) {
    uint64_t word = others_wide (v + i, nones);
    bits[i / 64] = word;
    if (word == UINT64_MAX) {
      memcpy (kept + n_kept, v + i, 64 * sizeof *v);
      n_kept += 64;
      continue;
    }
    for (; word; word &= word - 1)
      kept[n_kept++] = v[i + (uint32_t) __builtin_ctzll (word)];
  }
  *n = i;
  return n_kept;
}
#else
#define range_wide(v, n) converted_columns_range_of (v, n, false)
#define put_wide(to, v, n, base, width) 0
#define keep_wide(v, n, none, bits, kept) (*(n) = 0)
#endif

static Range
converted_columns_range_of (const uint64_t *v, uint32_t n, bool wide)
{
  return wide ? range_wide (v, n) : range_from ((Range){ (int64_t) v[0], (int64_t) v[0] }, v, n);
}

/* Each value is written as eight bytes, and what is too much of them is written over by the next. */
static uint8_t *
put_values (uint8_t *to, const uint64_t *v, uint32_t n, uint64_t base, uint8_t width, bool wide)
{
  uint32_t i = wide ? put_wide (to, v, n, base, width) : 0;

  to += (size_t) i * width;
  for (; i < n && width > 0; i++, to += width)
    put64 (to, v[i] - base);
  return to;
}

static uint8_t *
converted_columns_put_column (uint8_t *to, const uint64_t *v, uint32_t n, bool wide)
{
  Range r = converted_columns_range_of (v, n, wide);
  uint64_t base = (uint64_t) r.least;
  uint8_t width = converted_columns_width_of ((uint64_t) r.most - base);

  return put_values (converted_columns_put_head (to, width, base), v, n, base, width, wide);
}

/* The same of a column in which many may have `none`. */
static uint8_t *
put_sparse (uint8_t *to, const uint64_t *v, uint32_t n, uint64_t none, bool wide)
{
  uint64_t bits[BLOCK_EVENTS / 64], kept[BLOCK_EVENTS + 1];
  uint32_t looked = n, n_kept = wide ? keep_wide (v, &looked, none, bits, kept) : (looked = 0);

  for (uint32_t i = looked; i < n; i += 64) {
    uint64_t word = 0;
    for (uint32_t k = i; k < MIN (i + 64, n); k++) {
      bool has = v[k] != none;
      word |= (uint64_t) has << (k - i);
      kept[n_kept] = v[k];
      n_kept += has;
    }
    bits[i / 64] = word;
  }
  if (n_kept == n || n_kept == 0)
    return converted_columns_put_column (to, v, n, wide);
  Range r = converted_columns_range_of (kept, n_kept, wide);
  uint64_t base = (uint64_t) r.least, bytes = (n + 7) / 8;
  uint8_t width = converted_columns_width_of ((uint64_t) r.most - base);
  int64_t low = MIN (r.least, (int64_t) none), high = MAX (r.most, (int64_t) none);
  if ((uint64_t) n * converted_columns_width_of ((uint64_t) high - (uint64_t) low)
      <= bytes + 8 + (uint64_t) n_kept * width)
    return converted_columns_put_column (to, v, n, wide);
  to = converted_columns_put_head (to, SPARSE | width, base);
  bytes_put64 (to, none);
  to += 8;
  for (uint32_t i = 0; i < n; i += 64)
    put64 (to + i / 8, bits[i / 64]);
  return put_values (to + bytes, kept, n_kept, base, width, wide);
}

/* The last value of each task, or of all together: `mask` parts them, and two classes of values if there are two.  What
 * the first one is told to be like stands before the column, in the order in which they are met. */
typedef struct Lasts {
  uint64_t of[2 * TASKS], met[2]; /* met: a bit each */
  uint32_t mask;
} Lasts;

static inline bool
converted_columns_is_met (Lasts *l, uint32_t slot)
{
  uint64_t *met = &l->met[slot / TASKS], bit = UINT64_C (1) << slot % TASKS;
  bool was = (*met & bit) != 0;

  *met |= bit;
  return was;
}

/* What numbers and places of records are: differences from the last of the same task, or from the last. */
static inline __attribute__ ((always_inline)) uint32_t
differences_in (const uint64_t *tasks, const uint64_t *value, uint32_t n, uint32_t mask, uint64_t usual,
                unsigned classes, uint8_t *firsts, uint64_t *v)
{
  Lasts l = { .met = { 0, 0 }, .mask = mask };
  uint32_t n_firsts = 0;

  if (mask == 0 && classes == 0) {
    bytes_put64 (firsts, value[0] - usual);
    v[0] = usual;
    for (uint32_t i = 1; i < n; i++)
      v[i] = value[i] - value[i - 1];
    return 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t class = classes & (uint32_t) (value[i] / NO_VALUES), slot = ((uint32_t) tasks[i] & l.mask) | class * TASKS;
    if (G_UNLIKELY ((l.met[slot / TASKS] >> slot % TASKS & 1) == 0)) { /* nearly always looked at alone */
      converted_columns_is_met (&l, slot);
      l.of[slot] = value[i] - usual; /* so that it does not make the column wider */
      bytes_put64 (firsts + (size_t) 8 * n_firsts++, l.of[slot]);
    }
    v[i] = (value[i] - l.of[slot]) << classes | class;
    l.of[slot] = value[i];
  }
  return n_firsts;
}

/* Most have no values, or all have: one class. */
static uint32_t
differences (const uint64_t *tasks, const uint64_t *value, uint32_t n, uint32_t mask, uint64_t usual, unsigned classes,
             uint8_t *firsts, uint64_t *v)
{
  return classes == 0 ? differences_in (tasks, value, n, mask, usual, 0, firsts, v)
                      : differences_in (tasks, value, n, mask, usual, 1, firsts, v);
}

static inline uint64_t
converted_columns_span_of (Range r)
{
  return (uint64_t) r.most - (uint64_t) r.least;
}

/* How many of the first values go on by the same step as the first two. */
static uint32_t
regular_ones (const uint64_t *value, uint32_t n, uint64_t *step)
{
  uint32_t i = 1;

  *step = n > 1 ? value[1] - value[0] : 1;
  while (i < n && value[i] - value[i - 1] == *step)
    i++;
  return i;
}

/* Places of records, which may be of two classes; `tasks`: words that end with the event's task. */
static uint8_t *
put_by_task (uint8_t *to, const uint64_t *tasks, const uint64_t *value, uint32_t n, bool wide)
{
  uint64_t together[BLOCK_EVENTS], apart[BLOCK_EVENTS], *v = together, differs = 0, usual;
  uint32_t mask = 0, regular = regular_ones (value, n, &usual);

  for (uint32_t i = 0; i < n; i++)
    differs |= value[i] ^ value[0];
  unsigned classes = differs & NO_VALUES ? 1 : 0;
  usual = regular == n ? usual : 1;
  uint32_t n_firsts = differences (tasks, value, n, 0, usual, classes, to + 2, together);
  if (regular < n) { /* whichever is narrower */
    uint8_t firsts[2 * TASKS * 8];
    uint32_t more = differences (tasks, value, n, TASKS - 1, usual, classes, firsts, apart);
    if (converted_columns_width_of (converted_columns_span_of (converted_columns_range_of (apart, n, wide)))
        < converted_columns_width_of (converted_columns_span_of (converted_columns_range_of (together, n, wide)))) {
      mask = TASKS - 1;
      n_firsts = more;
      memcpy (to + 2, firsts, (size_t) more * 8);
      v = apart;
    }
  }
  to[0] = (uint8_t) (mask | classes << 7);
  to[1] = (uint8_t) n_firsts;
  return converted_columns_put_column (to + 2 + (size_t) n_firsts * 8, v, n, wide);
}

/* ---- words of events ---- */

/* The words that an event is, in the order in which a processor with the low byte first has them in memory. */
enum { DATES, DURATIONS, NUMBERS, RECORDS, SIZES, TASKS_PEERS, OBJECTS_TAGS, RESULTS_KINDS };
_Static_assert(sizeof (TraceEvent) == EVENT_WORDS * 8 && RESULTS_KINDS + 1 == EVENT_WORDS, "a word each");
#define FETCHED_AHEAD 32 /* events: another processor wrote them */

static inline const TraceEvent *
event_at (const TraceEvent *whole, const TraceEvent *const *events, uint32_t i)
{
  return whole ? whole + i : events[i];
}

/* From the i-th event on. */
static void
take_words_from (EventWords *w, const TraceEvent *whole, const TraceEvent *const *events, uint32_t i, uint32_t n)
{
  for (; i < n; i++) {
    const TraceEvent *e = event_at (whole, events, i);
    const uint64_t now[EVENT_WORDS] = { (uint64_t) e->date,
                                        (uint64_t) e->duration,
                                        e->number,
                                        e->record,
                                        (uint64_t) e->size,
                                        e->task | (uint64_t) e->peer << 32,
                                        e->object | (uint64_t) (uint32_t) e->tag << 32,
                                        (uint32_t) e->result | (uint64_t) e->kind << 32 | (uint64_t) e->flags << 48 };
    for (int k = 0; k < EVENT_WORDS; k++) {
      w->of[k][i] = now[k];
      w->differs[k] |= now[k] ^ w->of[k][0];
    }
  }
}

#if defined(__x86_64__)
/* Rows of four words of each of four events, and turned round: of each word four.  What is no part of a column, of
 * which only some bits are, need not be 0. */
static inline WIDE void
converted_columns_turn (EventWords *w, const TraceEvent *const *e, int half, uint32_t i, __m256i first,
                        __m256i *differs)
{
  __m256i row[4], pair[4];

  for (int k = 0; k < 4; k++) {
    row[k] = _mm256_loadu_si256 ((const __m256i *) (const void *) e[k] + half);
    *differs = _mm256_or_si256 (*differs, _mm256_xor_si256 (row[k], first));
  }
  pair[0] = _mm256_unpacklo_epi64 (row[0], row[1]);
  pair[1] = _mm256_unpackhi_epi64 (row[0], row[1]);
  pair[2] = _mm256_unpacklo_epi64 (row[2], row[3]);
  pair[3] = _mm256_unpackhi_epi64 (row[2], row[3]);
#define KEEP(word, a, b, which)                                                                                        \
  _mm256_storeu_si256 ((__m256i *) (void *) (w->of[4 * half + (word)] + i), _mm256_permute2x128_si256 (a, b, which))
  KEEP (0, pair[0], pair[2], 0x20);
  KEEP (1, pair[1], pair[3], 0x20);
  KEEP (2, pair[0], pair[2], 0x31);
  KEEP (3, pair[1], pair[3], 0x31);
}

/* As many of the first events as come by four. */
static inline __attribute__ ((always_inline)) WIDE uint32_t
take_words_by_four (EventWords *w, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n)
{
  const __m256i *one = (const __m256i *) (const void *) event_at (whole, events, 0);
  const __m256i first[2] = { _mm256_loadu_si256 (one), _mm256_loadu_si256 (one + 1) };
  __m256i differs[2] = { _mm256_setzero_si256 (), _mm256_setzero_si256 () };
  uint32_t i = 0;

  for (; i + 4 <= n; i += 4) {
    const TraceEvent *e[4];
    for (uint32_t k = 0; k < 4; k++) {
      e[k] = event_at (whole, events, i + k);
      __builtin_prefetch (event_at (whole, events, MIN (i + k + FETCHED_AHEAD, n - 1)));
    }
    converted_columns_turn (w, e, 0, i, first[0], &differs[0]);
    converted_columns_turn (w, e, 1, i, first[1], &differs[1]);
  }
  for (int half = 0; half < 2; half++)
    _mm256_storeu_si256 ((__m256i *) (void *) (w->differs + 4 * half), differs[half]);
  return i;
}

static WIDE uint32_t
take_words_wide (EventWords *w, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n)
{
  return whole ? take_words_by_four (w, whole, NULL, n) : take_words_by_four (w, NULL, events, n);
}
#else
#define take_words_wide(w, whole, events, n) 0
#endif

void
converted_take_words (EventWords *w, const TraceEvent *whole, const TraceEvent *const *events, uint32_t n, bool wide)
{
  memset (w->differs, 0, sizeof w->differs);
  take_words_from (w, whole, events, wide ? take_words_wide (w, whole, events, n) : 0, n);
}

/* Part of each word: `bits` of it, from `shift` on; `top`: the bit that is the sign of the part, or 0.  Four at once,
 * up to three more than there are. */
typedef uint64_t FourWords __attribute__ ((vector_size (32), aligned (8), may_alias));

static inline __attribute__ ((always_inline)) void
take_parts (const uint64_t *w, uint32_t n, unsigned shift, uint64_t bits, uint64_t top, uint64_t *v)
{
  for (uint32_t i = 0; i < n; i += 4) {
    FourWords now = *(const FourWords *) (const void *) (w + i);
    *(FourWords *) (void *) (v + i) = ((now >> shift & bits) ^ top) - top;
  }
}

#define HALF UINT64_C (0xffffffff)
#define TOP_OF_HALF UINT64_C (0x80000000)
#define ALL_OF_RECORD ((UINT64_C (1) << TRACE_RECORD_BITS) - 1)

static inline __attribute__ ((always_inline)) size_t
converted_columns_put_words (const EventWords *w, uint32_t n, uint8_t *to, bool wide)
{
  uint64_t v[BLOCK_EVENTS + 4];
  uint8_t *at = to;
  const uint64_t *dates = w->of[DATES];

  bytes_put64 (at, dates[0]);
  for (uint32_t i = 1; i < n; i++)
    v[i] = dates[i] - dates[i - 1];
  v[0] = n > 1 ? v[1] : 0; /* so that it does not make the column wider */
  at = converted_columns_put_column (at + 8, v, n, wide);
#define PUT(word, shift, bits, top, put)                                                                               \
  if ((w->differs[word] >> (shift) & (bits)) == 0) {                                                                   \
    at = converted_columns_put_head (at, 0, ((w->of[word][0] >> (shift) & (bits)) ^ (top)) - (top));                   \
  } else {                                                                                                             \
    take_parts (w->of[word], n, shift, bits, top, v);                                                                  \
    at = put;                                                                                                          \
  }
#define PUT_ALL(word)                                                                                                  \
  at = w->differs[word] == 0 ? converted_columns_put_head (at, 0, w->of[word][0])                                      \
                             : put_sparse (at, w->of[word], n, 0, wide);
  PUT (TASKS_PEERS, 0, HALF, 0, converted_columns_put_column (at, v, n, wide))
  take_parts (w->of[RECORDS], n, 0, ALL_OF_RECORD, 0, v);
  at = put_by_task (at, w->of[TASKS_PEERS], v, n, wide);
  PUT_ALL (DURATIONS)
  PUT_ALL (SIZES)
  PUT (TASKS_PEERS, 32, HALF, 0, put_sparse (at, v, n, TRACE_NONE, wide))
  PUT (OBJECTS_TAGS, 0, HALF, 0, put_sparse (at, v, n, TRACE_NONE, wide))
  PUT (OBJECTS_TAGS, 32, HALF, TOP_OF_HALF, put_sparse (at, v, n, UINT64_MAX, wide))
  PUT (RESULTS_KINDS, 0, HALF, TOP_OF_HALF, put_sparse (at, v, n, 0, wide))
  PUT (RESULTS_KINDS, 32, 0xffff, 0, converted_columns_put_column (at, v, n, wide))
  PUT (RESULTS_KINDS, 48, 0xff, 0, converted_columns_put_column (at, v, n, wide))
  return (size_t) (at - to);
}

#if defined(__x86_64__)
static WIDE size_t
put_words_wide (const EventWords *w, uint32_t n, uint8_t *to)
{
  return converted_columns_put_words (w, n, to, true);
}
#else
#define put_words_wide(w, n, to) converted_columns_put_words (w, n, to, false)
#endif

size_t
converted_put_columns (const EventWords *w, uint32_t n, uint8_t *to, bool wide)
{
  return wide ? put_words_wide (w, n, to) : converted_columns_put_words (w, n, to, false);
}

uint32_t
converted_which_kinds (const EventWords *w, uint32_t n, const uint8_t *wanted, uint16_t *which)
{
  uint32_t n_which = 0;

  if ((w->differs[RESULTS_KINDS] >> 32 & 0xffff) == 0 && !wanted[w->of[RESULTS_KINDS][0] >> 32 & 0xffff])
    return 0;
  for (uint32_t i = 0; i < n; i++) {
    which[n_which] = (uint16_t) i;
    n_which += wanted[w->of[RESULTS_KINDS][i] >> 32 & 0xffff] != 0;
  }
  return n_which;
}

size_t
converted_put_numbers (const EventWords *w, uint32_t n, uint8_t *to, bool wide)
{
  const uint64_t *v = w->of[NUMBERS];
  uint64_t step;

  to[0] = regular_ones (v, n, &step) == n;
  if (!to[0])
    return (size_t) (converted_columns_put_column (to + 1, v, n, wide) - to);
  bytes_put64 (to + 1, v[0]);
  bytes_put64 (to + 9, step);
  return NUMBERS_REGULAR;
}

/* ---- and back ------------------------------------------------------------------------------------------------------------ */

typedef struct Packed {
  const uint8_t *firsts, *end; /* of records: what first ones of tasks are told to be like */
  uint32_t mask;
  unsigned classes;
  const uint8_t *bits; /* which have a value, of those that are not read yet; NULL: all */
  uint64_t none;       /* what the others have */
  const uint8_t *at;   /* the next value, */
  uint64_t base, mask_of_value;
  uint8_t width;
} Packed;

/* The column at *from, of n values, which goes on behind it.  False: the bytes are not what values were made into. */
static bool
find_column (const uint8_t **from, size_t *bytes, uint32_t n, Packed *p)
{
  const uint8_t *at = *from;
  size_t n_values = n, before = HEAD;

  if (*bytes < HEAD)
    return false;
  p->width = at[0] % SPARSE;
  p->base = bytes_get64 (at + 1);
  p->bits = NULL;
  if (at[0] & SPARSE) {
    size_t of_bits = (n + 7) / 8;
    before += 8 + of_bits;
    if (*bytes < before)
      return false;
    p->none = bytes_get64 (at + HEAD);
    p->bits = at + HEAD + 8;
    n_values = 0;
    for (size_t i = 0; i < of_bits; i++)
      n_values += (size_t) __builtin_popcount (p->bits[i] & (i + 1 == of_bits && n % 8 ? (1u << n % 8) - 1 : 0xff));
  }
  size_t all = before + n_values * p->width;
  if (at[0] >= 2 * SPARSE || p->width > 8 || *bytes < all)
    return false;
  p->mask_of_value = p->width == 8 ? UINT64_MAX : (UINT64_C (1) << 8 * p->width) - 1;
  p->at = at + before;
  *from += all;
  *bytes -= all;
  return true;
}

/* The same of one that put_by_task() made. */
static bool
find_by_task (const uint8_t **from, size_t *bytes, uint32_t n, Packed *p)
{
  const uint8_t *at = *from;
  size_t before = *bytes > 2 ? 2 + (size_t) at[1] * 8 : 0;

  if (before == 0 || *bytes < before)
    return false;
  p->mask = at[0] % TASKS;
  p->classes = at[0] >> 7;
  p->firsts = at + 2;
  p->end = at + before;
  *from += before;
  *bytes -= before;
  return find_column (from, bytes, n, p) && !p->bits;
}

/* The next value.  Eight bytes are read, of which some may belong to others. */
static inline uint64_t
next_value (Packed *p)
{
  uint64_t v = p->base + (digits_load (p->at) & p->mask_of_value);

  p->at += p->width;
  return v;
}

static inline uint64_t
next_of (Lasts *l, Packed *p, uint32_t task, uint64_t difference)
{
  uint32_t class = p->classes & (uint32_t) difference, slot = (task & p->mask) | class * TASKS;
  uint64_t *last = &l->of[slot];

  if (G_UNLIKELY (!converted_columns_is_met (l, slot))) {
    *last = p->firsts < p->end ? bytes_get64 (p->firsts) : 0;
    p->firsts += p->firsts < p->end ? 8 : 0;
  }
  return *last += (uint64_t) ((int64_t) difference >> p->classes);
}

/* As many events from e on as a stretch has, of which all have what `same` has where a column has one value.  Not
 * inline: `same` would be taken to pieces, and put together again for each event. */
static __attribute__ ((noinline)) void
get_stretch (Packed *columns, const TraceEvent *same, Lasts *records, uint64_t *date, uint32_t many, TraceEvent *e)
{
  Packed dates = columns[DATE], places = columns[RECORD]; /* in registers, as all below */
  uint64_t at_date = *date;

  for (uint32_t i = 0; i < many; i++)
    e[i] = *same;
  for (uint32_t i = 0; i < many; i++) {
    e[i].date = (int64_t) (at_date += next_value (&dates));
    e[i].number = same->number + i;
  }
  *date = at_date;
  columns[DATE].at = dates.at;
#define GET(which, field_, type)                                                                                       \
  if (columns[which].bits || columns[which].width > 0) {                                                               \
    Packed p = columns[which];                                                                                         \
    if (p.bits)                                                                                                        \
      for (uint32_t i = 0; i < many; i++) {                                                                            \
        uint64_t has = p.bits[i / 8] >> i % 8 & 1, v = p.base + (digits_load (p.at) & p.mask_of_value);                \
        e[i].field_ = (type) (has ? v : p.none);                                                                       \
        p.at += has * p.width;                                                                                         \
      }                                                                                                                \
    else                                                                                                               \
      for (uint32_t i = 0; i < many; i++)                                                                              \
        e[i].field_ = (type) next_value (&p);                                                                          \
    columns[which].at = p.at;                                                                                          \
    if (p.bits)                                                                                                        \
      columns[which].bits = p.bits + STRETCH / 8;                                                                      \
  }
  GET (TASK, task, uint32_t)
  GET (DURATION, duration, int64_t)
  GET (AMOUNT, size, int64_t)
  GET (PEER, peer, uint32_t)
  GET (OBJECT, object, uint32_t)
  GET (TAG, tag, int32_t)
  GET (RESULT, result, int32_t)
  GET (KIND, kind, uint16_t)
  GET (FLAGS, flags, uint8_t)
  if (places.mask == 0 && places.classes == 0 && records->met[0]) {
    uint64_t last = records->of[0];
    for (uint32_t i = 0; i < many; i++)
      e[i].record = TRACE_RECORD (last += next_value (&places));
    records->of[0] = last;
  } else {
    for (uint32_t i = 0; i < many; i++)
      e[i].record = TRACE_RECORD (next_of (records, &places, e[i].task, next_value (&places)));
  }
  columns[RECORD].at = places.at;
  columns[RECORD].firsts = places.firsts;
}

bool
converted_get_columns (const uint8_t *from, size_t bytes, uint32_t n, TraceEvent *e, uint64_t number, uint16_t source)
{
  Packed columns[N_COLUMNS];
  Lasts records = { .met = { 0, 0 } };

  if (n == 0 || n > BLOCK_EVENTS || bytes < 8)
    return false;
  uint64_t date = bytes_get64 (from);
  from += 8;
  bytes -= 8;
  for (int i = 0; i < N_COLUMNS; i++)
    if (!(i == RECORD ? find_by_task : find_column) (&from, &bytes, n, &columns[i]))
      return false;
  if (bytes > 0 || columns[DATE].bits)
    return false;
  Packed before = columns[DATE];
  date -= next_value (&before); /* the first one's is that of the block */
  TraceEvent same = { .duration = (int64_t) columns[DURATION].base,
                      .number = number,
                      .source = source,
                      .size = (int64_t) columns[AMOUNT].base,
                      .task = (uint32_t) columns[TASK].base,
                      .peer = (uint32_t) columns[PEER].base,
                      .object = (uint32_t) columns[OBJECT].base,
                      .tag = (int32_t) columns[TAG].base,
                      .result = (int32_t) columns[RESULT].base,
                      .kind = (uint16_t) columns[KIND].base,
                      .flags = (uint8_t) columns[FLAGS].base };
  for (uint32_t at = 0; at < n; at += STRETCH, same.number += STRETCH)
    get_stretch (columns, &same, &records, &date, MIN (STRETCH, n - at), e + at);
  return true;
}

bool
converted_get_numbers (const uint8_t *from, size_t bytes, uint32_t n, TraceEvent *e)
{
  Packed column;

  if (bytes == 0 || (from[0] && bytes != NUMBERS_REGULAR))
    return false;
  if (from[0]) {
    uint64_t first = bytes_get64 (from + 1), step = bytes_get64 (from + 9);
    for (uint32_t i = 0; i < n; i++)
      e[i].number = first + i * step;
    return true;
  }
  from++;
  bytes--;
  if (!find_column (&from, &bytes, n, &column) || bytes > 0 || column.bits)
    return false;
  for (uint32_t i = 0; i < n; i++)
    e[i].number = next_value (&column);
  return true;
}
