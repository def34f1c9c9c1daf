/* SPDX-License-Identifier: Apache-2.0 */
/* history-sums.c - see history-sums.h. */
#include "views/history-sums.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

static int
shift_for (int64_t from, int64_t to)
{
  int shift = 0;

  while (buckets_of (from, to, shift) > BUCKETS)
    shift++;
  return shift;
}

void
sums_begin (Sums *s, int64_t from, int64_t to)
{
  int shift = shift_for (from, to);

  s->span = (Span){ from, to, shift, (uint32_t) buckets_of (from, to, shift) };
  s->zero = (int64_t) ((uint64_t) (from >> shift) << shift);
  s->up = MAX (UNIT_BITS - shift, 0);
  s->down = MAX (shift - UNIT_BITS, 0);
  s->mask = 0;
  memset (s->share, 0, (s->span.n + 2) * sizeof s->share[0]);
}

#define LEFT_MOST (255 * 65536) /* more is left only where units are missing, as of children that are damaged */

/* A bucket's units to bytes whose sum is 255.  What rounding leaves (in parts of 2^16) goes on to the next state and to
 * the next bucket, so that over time nothing is lost, however small its share. */
static inline uint8_t *
bucket_encode (const uint32_t *share, const uint32_t *state, uint32_t n_states, uint32_t width, int32_t *left,
               uint8_t *to)
{
  int32_t sum = 1 << 15, before = 0;

  for (uint32_t k = 0; k < n_states; k++) {
    uint32_t of = share[state[k]] * 255;
    int32_t part = left[k]
                   + (int32_t) (width == UNIT ? of >> (UNIT_BITS - 16) : ((uint64_t) of << 16) / MAX (width, 1)),
            now;
    sum += part;
    now = k == n_states - 1 ? 255 : CLAMP (sum >> 16, before, 255);
    *to++ = (uint8_t) (now - before);
    left[k] = CLAMP (part - (now - before) * 65536, -LEFT_MOST, LEFT_MOST);
    before = now;
  }
  return to;
}

static inline uint8_t *
whole_buckets_encode (const Sums *s, const uint32_t *state, uint32_t n_states, int32_t *left, uint8_t *to)
{
  for (uint32_t i = 1; i + 1 < s->span.n; i++)
    to = bucket_encode (s->share[i], state, n_states, UNIT, left, to);
  return to;
}

#if defined(__x86_64__)
#define WIDE_FOUR __attribute__ ((target ("avx2")))

/* Up to four states of the first eight: all states of a bucket side by side. */
static WIDE_FOUR uint8_t *
four_states_encode (const Sums *s, const uint32_t *state, uint32_t n_states, int32_t *left, uint8_t *to)
{
  uint32_t from[8] = { 0 }, here[4] = { 0 }, last[4] = { 0 };

  for (uint32_t k = 0; k < n_states; k++) {
    from[k] = state[k];
    here[k] = UINT32_MAX;
  }
  for (uint32_t k = n_states - 1; k < 4; k++)
    last[k] = 255;
  const __m256i order = _mm256_loadu_si256 ((const __m256i *) from);
  const __m128i ours = _mm_loadu_si128 ((const __m128i *) here), ends = _mm_loadu_si128 ((const __m128i *) last),
                half = _mm_set1_epi32 (1 << 15), all = _mm_set1_epi32 (255), most = _mm_set1_epi32 (LEFT_MOST),
                least = _mm_set1_epi32 (-LEFT_MOST), bytes = _mm_set1_epi32 (0x0c080400);
  __m128i rest = _mm_loadu_si128 ((const __m128i *) left);
  for (uint32_t i = 1; i + 1 < s->span.n; i++) {
    __m256i eight = _mm256_loadu_si256 ((const __m256i *) s->share[i]);
    __m128i share = _mm_and_si128 (_mm256_castsi256_si128 (_mm256_permutevar8x32_epi32 (eight, order)), ours),
            of = _mm_sub_epi32 (_mm_slli_epi32 (share, 8), share),
            part = _mm_add_epi32 (rest, _mm_srli_epi32 (of, UNIT_BITS - 16)),
            sum = _mm_add_epi32 (part, _mm_slli_si128 (part, 4));
    sum = _mm_srai_epi32 (_mm_add_epi32 (_mm_add_epi32 (sum, _mm_slli_si128 (sum, 8)), half), 16);
    __m128i now = _mm_max_epi32 (sum, _mm_slli_si128 (sum, 4)); /* none below those before it, nor below 0 */
    now = _mm_max_epi32 (_mm_min_epi32 (_mm_max_epi32 (now, _mm_slli_si128 (now, 8)), all), ends);
    __m128i given = _mm_sub_epi32 (now, _mm_slli_si128 (now, 4));
    rest = _mm_max_epi32 (_mm_min_epi32 (_mm_sub_epi32 (part, _mm_slli_epi32 (given, 16)), most), least);
    int four = _mm_cvtsi128_si32 (_mm_shuffle_epi8 (given, bytes));
    memcpy (to, &four, 4); /* the next bucket, or the last, is written over what is too much */
    to += n_states;
  }
  _mm_storeu_si128 ((__m128i *) left, rest);
  return to;
}
#endif

static uint8_t *
whole_buckets (const Sums *s, const uint32_t *state, uint32_t n_states, int32_t *left, uint8_t *to)
{
  switch (n_states) { /* loops of so many steps are unrolled */
  case 3:
    return whole_buckets_encode (s, state, 3, left, to);
  case 4:
    return whole_buckets_encode (s, state, 4, left, to);
  case 5:
    return whole_buckets_encode (s, state, 5, left, to);
  default:
    return whole_buckets_encode (s, state, n_states, left, to);
  }
}

static uint32_t
history_sums_encode (const Sums *s, uint8_t *bytes, bool vectors)
{
  int32_t left[SLOTS] = { 0 };
  uint32_t n_states = 0, last = s->span.n - 1, state[SLOTS], from = units (s, s->span.from),
           end = units (s, s->span.to);
  uint8_t *to = bytes;

  for (uint32_t rest = s->mask & WIDE_SUMS ? 0 : s->mask; rest != 0; rest &= rest - 1)
    state[n_states++] = (uint32_t) __builtin_ctz (rest);
  for (uint32_t n = s->mask & WIDE_SUMS ? s->mask & ~WIDE_SUMS : 0; n_states < n; n_states++, to += 4) {
    uint32_t id = GUINT32_TO_LE (s->state[n_states]);
    memcpy (to, &id, 4);
    state[n_states] = n_states;
  }
  to = bucket_encode (s->share[0], state, n_states, (last == 0 ? end : UNIT) - from, left, to);
#if defined(__x86_64__)
  if (vectors && n_states > 0 && n_states <= 4 && state[n_states - 1] < 8)
    to = four_states_encode (s, state, n_states, left, to);
  else
#endif
    to = whole_buckets (s, state, n_states, left, to);
  if (last > 0)
    to = bucket_encode (s->share[last], state, n_states, end - last * UNIT, left, to);
  return (uint32_t) (to - bytes);
}

uint32_t
sums_encode_plain (const Sums *s, uint8_t *bytes)
{
  return history_sums_encode (s, bytes, false);
}

uint32_t
sums_encode (const Sums *s, uint8_t *bytes)
{
#if defined(__x86_64__)
  return history_sums_encode (s, bytes, __builtin_cpu_supports ("avx2"));
#else
  return history_sums_encode (s, bytes, false);
#endif
}

static int
history_sums_by_time (gconstpointer a, gconstpointer b)
{
  const Weight *x = a, *y = b;

  return x->time != y->time ? (x->time < y->time ? 1 : -1) : (x->state > y->state) - (x->state < y->state);
}

static int
by_state (gconstpointer a, gconstpointer b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return (x > y) - (x < y);
}

void
sums_choose (Sums *s, GArray *weights)
{
  uint32_t n = 0, kept;
  bool others = false, wide = false;

  g_array_sort (weights, history_sums_by_time);
  for (guint i = 0; i < weights->len; i++) {
    uint32_t state = g_array_index (weights, Weight, i).state;
    others |= state == OTHERS;
    wide |= state >= SLOTS;
  }
  if (!wide) {
    for (guint i = 0; i < weights->len; i++)
      s->mask |= 1u << g_array_index (weights, Weight, i).state;
    return;
  }
  others |= weights->len > SLOTS;
  kept = others ? SLOTS - 1 : SLOTS;
  for (guint i = 0; i < weights->len && n < kept; i++)
    if (g_array_index (weights, Weight, i).state != OTHERS)
      s->state[n++] = g_array_index (weights, Weight, i).state;
  qsort (s->state, n, sizeof *s->state, by_state);
  if (others)
    s->state[n++] = OTHERS;
  s->mask = WIDE_SUMS | n;
}

uint32_t
sums_slot (const Sums *s, uint32_t state)
{
  uint32_t n = s->mask & ~WIDE_SUMS, k = 0;

  if (!(s->mask & WIDE_SUMS))
    return state;
  while (k < n - 1 && s->state[k] != state)
    k++;
  return k; /* the last is that of the others, or it is this one */
}

void
sums_merge (Sums *s, const HistoryEntry *c, const uint8_t *bytes)
{
  Span of = { c->from, c->to, (int) c->aux, c->count };
  uint32_t at = units (s, c->from), n_states = sums_slots (c), slot[SLOTS];

  bytes = sums_states (c, bytes, slot);
  for (uint32_t k = 0; k < n_states; k++)
    slot[k] = sums_slot (s, slot[k]);
  for (uint32_t i = 0; i < c->count; i++) {
    uint32_t end = units (s, bucket_to (&of, i)), *share = s->share[at >> UNIT_BITS], width = end - at;
    for (uint32_t k = 0; k < n_states; k++)
      share[slot[k]] += *bytes++ * width / 255;
    at = end;
  }
}

static void
add_weight (GArray *weights, uint32_t state, uint64_t time)
{
  for (guint i = 0; i < weights->len; i++)
    if (g_array_index (weights, Weight, i).state == state) {
      g_array_index (weights, Weight, i).time += time;
      return;
    }
  g_array_append_val (weights, ((Weight){ state, time }));
}

void
sums_weigh (GArray *weights, const HistoryEntry *c, const uint8_t *bytes)
{
  Span of = { c->from, c->to, (int) c->aux, c->count };
  uint32_t n_states = sums_slots (c), state[SLOTS];
  double time[SLOTS] = { 0 };

  bytes = sums_states (c, bytes, state);
  for (uint32_t i = 0; i < c->count; i++) {
    double width = (double) (bucket_to (&of, i) - bucket_from (&of, i)) / 255;
    for (uint32_t k = 0; k < n_states; k++)
      time[k] += *bytes++ * width;
  }
  for (uint32_t k = 0; k < n_states; k++)
    add_weight (weights, state[k], (uint64_t) time[k]);
}
