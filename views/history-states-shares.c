/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-shares.c - what part of each column owners are in each state: out of sums where they are fine enough,
 * else out of the exact intervals. */
#include <string.h>
#include "readers/reader.h"
#include "views/four.h"
#include "views/history-states-reader.h"

/* ---- shares -------------------------------------------------------------------------------------------- */

#define FINE_BITS 20 /* of a column, of so many owners at most: */
#define OWNERS_FINE 1024
#define COARSE_BITS 9 /* and of as many as there may be */

typedef struct Shares {
  StatesReader *r;
  const Line *line;
  int64_t from, to; /* `to`: for amounts alone */
  double width;
  float weight; /* a column's share for each column of length */
  float *shares;
  /* By column and slot, of exact intervals, where they begin less where they end: how many in the upper bits, and in
   * the lower EDGE_BITS how far behind the beginning of the column, in parts of 1 << bits.  Whole numbers: no order in
   * which they are added matters, and an interval costs the same however many columns it covers.  NULL: there was none
   * yet. */
  uint64_t *edges;
  uint32_t apart; /* places from one column to the next, a multiple of four */
  uint32_t bits;
  double *time; /* by state, in the place of shares: see states_reader_amounts() */
  const StatesPalette *palette;
  uint32_t n, stride, slots;
  int64_t finest; /* buckets may be so long */
} Shares;

#define EDGE_BITS 40 /* an owner is in one state at a time: so all parts come to 1 << 31 at most, or as much less */
#define EDGE_HALF (UINT64_C (1) << (EDGE_BITS - 1)) /* a number that is less has its upper bits one too low */

/* What a beginning adds at a place of `edges`, and an end takes away. */
static inline __attribute__ ((always_inline)) uint64_t
history_states_shares_edge_of (int64_t x, uint32_t bits)
{
  return (UINT64_C (1) << EDGE_BITS) + ((uint64_t) x & ((UINT64_C (1) << bits) - 1));
}

/* Memory for `edges` that its thread keeps, all of it 0 between two uses: a picture asks for hundreds of rows. */
typedef struct Scratch {
  gsize room;
  uint64_t edges[];
} Scratch;

static GPrivate scratch = G_PRIVATE_INIT (g_free);

static uint64_t *
edges_take (gsize n)
{
  Scratch *s = g_private_get (&scratch);

  if (s == NULL || s->room < n) {
    s = g_malloc0 (sizeof *s + n * sizeof *s->edges);
    s->room = n;
    g_private_replace (&scratch, s);
  }
  return s->edges;
}

/* Dates as places of `edges`, within [low, high]. */
typedef struct Scale {
  double zero, per_tick, low, high;
} Scale;

/* False: the dates are in no column. */
static bool
history_states_shares_begin_scale (Shares *d, int64_t from, int64_t to, Scale *s)
{
  double one = (double) (UINT32_C (1) << d->bits);

  *s = (Scale){ .zero = (double) d->from, .per_tick = one / d->width };
  s->low = MAX (((double) from - s->zero) * s->per_tick, 0);
  s->high = MIN (((double) to - s->zero) * s->per_tick, d->n * one);
  if (!(s->low < s->high))
    return false;
  if (d->edges == NULL)
    d->edges = edges_take (((gsize) d->n + 2) * d->apart);
  return true;
}

/* Of ticks since d->from. */
static inline int64_t
place_on (const Scale *s, int64_t ticks)
{
  double x = (double) ticks * s->per_tick;

  x = x < s->high ? x : s->high;
  return (int64_t) (x > s->low ? x : s->low);
}

#define NARROW_STATES (1u << NARROW)

/* What the compiler knows where the work is done. */
typedef struct Known {
  uint32_t fraction; /* Shares.bits */
  uint32_t bits;     /* of a state in its words, or 0 */
  uint8_t slot[NARROW_STATES];
  const StatesPalette *palette;
} Known;

static inline __attribute__ ((always_inline)) uint32_t
known_slot (const Known *k, uint32_t state)
{
  return k->bits == NARROW ? k->slot[state] : states_slot (k->palette, state);
}

/* Changes of state, in order of time, each with what goes on after it. */
typedef struct Changes {
  const uint8_t *data;
  uint32_t n; /* words */
  int64_t at; /* ticks since Shares.from */
  int64_t end;
} Changes;

/* The exact intervals of one block of records. */
static inline __attribute__ ((always_inline)) void
history_states_shares_put_block (uint64_t *edges, uint32_t apart, const Scale *scale, Changes c, const Known *known)
{
  int64_t x = (int64_t) scale->low, last = (int64_t) scale->high;
  uint64_t so_far = 0, ticks;
  uint32_t slot = NO_STATE, coming, bits = known->bits;

  for (; c.n > 0 && slot == NO_STATE; c.n--, c.data += 4) {
    uint32_t word;
    memcpy (&word, c.data, 4);
    if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
      continue;
    c.at = (int64_t) ((uint64_t) c.at + ticks);
    slot = known_slot (known, coming);
  }
  if (slot == NO_STATE)
    return;
  x = MAX (place_on (scale, c.at), x);
  uint64_t *column = edges + (uint64_t) (x >> known->fraction) * apart;
  column[slot] += history_states_shares_edge_of (x, known->fraction);
  for (; c.n > 0 && x < last; c.n--, c.data += 4) {
    uint32_t word;
    memcpy (&word, c.data, 4);
    if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
      continue;
    c.at = (int64_t) ((uint64_t) c.at + ticks);
    x = MAX (place_on (scale, c.at), x);
    column = edges + (uint64_t) (x >> known->fraction) * apart;
    uint64_t edge = history_states_shares_edge_of (x, known->fraction);
    column[slot] -= edge;
    slot = known_slot (known, coming);
    column[slot] += edge;
  }
  x = MAX (place_on (scale, c.end), x);
  edges[(uint64_t) (x >> known->fraction) * apart + slot] -= history_states_shares_edge_of (x, known->fraction);
}

/* The exact intervals within [from, to): each_record() with the work inside, as this is where deep zooms spend their
 * time. */
static inline __attribute__ ((always_inline)) void
put_records_as (Shares *d, int64_t from, int64_t to, uint32_t fraction)
{
  StatesReader *r = d->r;
  Blocks blocks = blocks_of (d->line, 0);
  HistoryHold hold = { NULL };
  Known narrow = { .fraction = fraction, .bits = NARROW, .palette = d->palette };
  Scale scale;

  if (!history_states_shares_begin_scale (d, from, to, &scale))
    return;
  for (uint32_t i = 0; i < NARROW_STATES; i++)
    narrow.slot[i] = (uint8_t) states_slot (d->palette, i);
  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    if (e->from >= to)
      break;
    const uint8_t *data = history_in_hold (&r->in, e, &hold);
    int64_t end = i + 1 < blocks.n ? entry (r, blocks.index[i + 1])->from : MIN (r->in.reach, r->end);
    if (data == NULL) {
      history_in_lose (&r->in, e, e->from, MAX (end, e->to));
      continue;
    }
    Changes c = { data, e->count, (int64_t) ((uint64_t) e->aux - (uint64_t) d->from),
                  (int64_t) ((uint64_t) end - (uint64_t) d->from) };
    if (bits_of (e) == NARROW)
      history_states_shares_put_block (d->edges, d->apart, &scale, c, &narrow);
    else
      history_states_shares_put_block (d->edges, d->apart, &scale, c,
                                       &(Known){ .fraction = fraction, .bits = bits_of (e), .palette = d->palette });
  }
  history_in_let_go (&r->in, &hold);
}

static void
put_records (Shares *d, int64_t from, int64_t to)
{
  if (d->bits == FINE_BITS)
    put_records_as (d, from, to, FINE_BITS);
  else
    put_records_as (d, from, to, COARSE_BITS);
}

/* The same of an owner that is in r->flat. */
static inline __attribute__ ((always_inline)) void
put_flat_as (Shares *d, uint32_t owner, int64_t from, int64_t to, uint32_t fraction)
{
  const StatesFlat *f = d->r->flat;
  const int64_t *at = f->at + f->first[owner], *end = f->at + f->first[owner + 1] - 1;
  const uint16_t *state = f->state + f->first[owner];
  Scale scale;

  if (!history_states_shares_begin_scale (d, from, to, &scale))
    return;
  const StatesPalette palette = *d->palette; /* nothing that is written may be part of it */
  uint64_t *edges = d->edges, zero = (uint64_t) d->from;
  uint32_t apart = d->apart;
  int64_t last = (int64_t) scale.high, over = d->r->end;
  while (at < end && at[1] <= from)
    at++, state++;
  int64_t x0 = place_on (&scale, (int64_t) ((uint64_t) *at - zero));
  for (; at < end && x0 < last; at++, state++) {
    int64_t x1 = place_on (&scale, (int64_t) ((uint64_t) MIN (at[1], over) - zero));
    if (x1 > x0) {
      uint32_t slot = states_slot (&palette, *state);
      edges[(uint64_t) (x0 >> fraction) * apart + slot] += history_states_shares_edge_of (x0, fraction);
      edges[(uint64_t) (x1 >> fraction) * apart + slot] -= history_states_shares_edge_of (x1, fraction);
    }
    x0 = x1;
  }
}

static void
put_flat (Shares *d, uint32_t owner, int64_t from, int64_t to)
{
  if (d->bits == FINE_BITS)
    put_flat_as (d, owner, from, to, FINE_BITS);
  else
    put_flat_as (d, owner, from, to, COARSE_BITS);
}

/* Adds n_states bytes, times their weight, to a column. */
static inline void
history_states_shares_put_bytes (const Shares *d, int64_t column, const uint8_t *bytes, const uint8_t *slot,
                                 uint32_t n_states, double length)
{
  float *at = d->shares + column * d->stride, weight = (float) length * d->weight / 255.0f;

  if (column >= 0 && column < d->n)
    for (uint32_t k = 0; k < n_states; k++)
      at[slot[k]] += (float) bytes[k] * weight;
}

/* The same for n buckets at once, eight bytes a step: four sums of 16 bits in each of two words. */
static inline void
put_run (const Shares *d, int64_t column, const uint8_t *bytes, const uint8_t *slot, uint32_t n_states, uint32_t n,
         double length)
{
  const uint64_t mask = UINT64_C (0x00ff00ff00ff00ff);
  uint64_t even = 0, odd = 0, word;
  float *at = d->shares + column * d->stride, weight = (float) length * d->weight / 255.0f;

  if (column < 0 || column >= d->n)
    return;
  for (uint32_t i = 0; i < n; i++, bytes += n_states) {
    memcpy (&word, bytes, 8);
    word = GUINT64_FROM_LE (word);
    even += word & mask;
    odd += word >> 8 & mask;
  }
  for (uint32_t k = 0; k < n_states; k++)
    at[slot[k]] += (float) ((k & 1 ? odd : even) >> 16 * (k / 2) & 0xffff) * weight;
}

/* What of the buckets lies within [from, to). */
static void
add_amounts (const Shares *d, const Span *s, const uint8_t *bytes, const uint32_t *state, uint32_t n_states,
             int64_t from, int64_t to)
{
  for (uint32_t i = 0; i < s->n; i++, bytes += n_states) {
    double length = (double) MIN (bucket_to (s, i), to) - (double) MAX (bucket_from (s, i), from);
    for (uint32_t k = 0; k < n_states && length > 0; k++)
      d->time[MIN (state[k], HISTORY_STATES_MOST)] += bytes[k] * length / 255;
  }
}

static bool
add_amount (void *arg, int64_t from, int64_t to, uint32_t state)
{
  const Shares *d = arg;

  from = MAX (from, d->from);
  to = MIN (to, d->to);
  if (to > from)
    d->time[MIN (state, HISTORY_STATES_MOST)] += (double) to - (double) from;
  return true;
}

static void
put_sums (Shares *d, const HistoryEntry *e, const uint8_t *all, int64_t from, int64_t to)
{
  Span s = { e->from, e->to, (int) e->aux, e->count };
  uint32_t n_states = sums_slots (e), state[SLOTS], a, b, safe, length;
  uint8_t slot[SLOTS];
  double inverse = 1 / d->width, step, zero;

  length = e->bytes;
  const uint8_t *shares = sums_states (e, all, state);
  length -= (uint32_t) (shares - all);
  all = shares;
  if (d->time != NULL) {
    add_amounts (d, &s, all, state, n_states, from, to);
    return;
  }
  for (uint32_t k = 0; k < n_states; k++) {
    slot[k] = (uint8_t) states_slot (d->palette, state[k]);
    d->slots |= 1u << slot[k];
  }
  a = (uint32_t) ((from >> s.shift) - (s.from >> s.shift));
  b = (uint32_t) (((to - 1) >> s.shift) - (s.from >> s.shift));
  /* Bucket i begins at column zero + i * step. */
  step = (double) (INT64_C (1) << s.shift) * inverse;
  zero = ((double) (int64_t) ((uint64_t) (s.from >> s.shift) << s.shift) - (double) d->from) * inverse;
  safe = n_states <= 8 && length >= 8 ? (length - 8) / n_states : 0; /* last bucket with eight bytes to read */
  for (uint32_t i = a; i <= b;) {
    const uint8_t *bytes = all + i * n_states;
    bool edge = i == a || i == b;
    double x0 = edge ? ((double) MAX (bucket_from (&s, i), from) - (double) d->from) * inverse : zero + i * step;
    double x1 = edge ? ((double) MIN (bucket_to (&s, i), to) - (double) d->from) * inverse : zero + (i + 1) * step;
    int64_t column = (int64_t) x0;
    double border = (double) (column + 1);
    if (x1 > border) {
      history_states_shares_put_bytes (d, column, bytes, slot, n_states, border - x0);
      history_states_shares_put_bytes (d, column + 1, bytes, slot, n_states, MIN (x1, border + 1) - border);
      i++;
    } else if (edge) {
      history_states_shares_put_bytes (d, column, bytes, slot, n_states, x1 - x0);
      i++;
    } else {
      uint32_t end = (uint32_t) CLAMP ((border - zero) / step, 0,
                                       (double) b); /* a column may be wider than all buckets */
      uint32_t n = end > i ? end - i : 1;
      if (end > safe)
        history_states_shares_put_bytes (d, column, bytes, slot, n_states, x1 - x0), n = 1;
      else
        put_run (d, column, bytes, slot, n_states, n, step);
      i += n;
    }
  }
}

static void
history_states_shares_cover (Shares *d, uint32_t level, int64_t from, int64_t to)
{
  Blocks blocks = blocks_of (d->line, level);
  StatesReader *r = d->r;

  if (level == 0 && d->time != NULL) {
    Shares part = *d;
    part.from = from;
    part.to = to;
    each_record (r, d->line, from, to, add_amount, &part);
    return;
  }
  if (level == 0) {
    put_records (d, from, to);
    return;
  }
  for (guint i = find_block (r, blocks, from, false); i < blocks.n && from < to; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    const uint8_t *bytes = NULL;
    HistoryHold hold = { NULL };
    int64_t end = MIN (e->to, to);
    if (e->from >= to)
      break;
    if (e->from > from)
      history_states_shares_cover (d, level - 1, from, e->from);
    from = MAX (from, e->from);
    if (INT64_C (1) << e->aux <= d->finest)
      bytes = history_in_hold (&r->in, e, &hold);
    if (bytes != NULL)
      put_sums (d, e, bytes, from, end);
    history_in_let_go (&r->in, &hold);
    if (bytes == NULL)
      history_states_shares_cover (d, level - 1, from, end);
    from = end;
  }
  if (from < to)
    history_states_shares_cover (d, level - 1, from, to);
}

static void
add_shares (Shares *d, uint32_t owner)
{
  double end = (double) d->from + d->width * d->n;

  int64_t to = end < 9e18 ? (int64_t) end + 1 : INT64_MAX;

  if (d->n == 0 || !(d->width > 0))
    return;
  if (states_flat_has (d->r->flat, owner)) {
    put_flat (d, owner, d->from, to);
    return;
  }
  d->line = line_of (d->r, owner);
  if (d->line != NULL)
    history_states_shares_cover (d, d->line->n_levels, d->from, to);
}

/* What the intervals of all owners come to in each column: less than 1 << 32 in all, so it is reckoned modulo that. */
static inline __attribute__ ((always_inline)) void
add_edges_as (Shares *d, uint32_t bits)
{
  float part = d->weight / (float) (UINT32_C (1) << bits);

  for (uint32_t k = 0; k < d->stride; k += 4) {
    if (k > d->palette->rest && d->palette->slot == NULL) /* no state is there */
      continue;
    uint64_t *edge = d->edges + k;
    uint32_t n = MIN (d->stride - k, 4);
    float *share = d->shares + k;
    FourNumbers now = { 0 }, last = { 0 }, any = { 0 };
    for (uint32_t i = 0; i < d->n; i++, edge += d->apart, share += d->stride) {
      TwoBits low, high;
      memcpy (&low, edge, 16);
      memcpy (&high, edge + 2, 16);
      memset (edge, 0, 32);
      FourNumbers inside = four_lower (low, high), count = four_upper (low + EDGE_HALF, high + EDGE_HALF);
      now += (count >> (EDGE_BITS - 32) << bits) - inside + last;
      last = inside;
      any |= now;
      Four sum = __builtin_convertvector((FourWhole) now, Four) * part;
      if (n < 4) {
        for (uint32_t j = 0; j < n; j++)
          share[j] += sum[j];
        continue;
      }
      sum += four_at (share);
      memcpy (share, &sum, 16);
    }
    for (uint32_t i = 0; i < 2; i++, edge += d->apart)
      memset (edge, 0, 32);
    for (uint32_t j = 0; j < n; j++)
      d->slots |= (uint32_t) (any[j] != 0) << (k + j);
  }
}

static void
add_edges (Shares *d)
{
  if (d->edges != NULL && d->bits == FINE_BITS)
    add_edges_as (d, FINE_BITS);
  else if (d->edges != NULL)
    add_edges_as (d, COARSE_BITS);
}

static void
history_states_shares_of (Shares *d, const uint32_t *owners, uint32_t n_owners)
{
  for (uint32_t i = 0; i < n_owners; i++)
    add_shares (d, owners[i]);
  add_edges (d);
}

static Shares
shares_begin (StatesReader *r, uint32_t n_owners, int64_t from, double width, uint32_t n_columns, float weight,
              const StatesPalette *palette, float *shares, uint32_t stride)
{
  return (Shares){ .r = r,
                   .from = from,
                   .width = width,
                   .weight = weight,
                   .shares = shares,
                   .bits = n_owners <= OWNERS_FINE ? FINE_BITS : COARSE_BITS,
                   .palette = palette,
                   .n = n_columns,
                   .stride = stride,
                   .apart = (stride + 3) / 4 * 4,
                   .finest = (int64_t) MIN (width / 2, 4e18) };
}

/* ---- sums that are kept -------------------------------------------------------------------------------------------- */

/* Steps that are worth it for so many owners; 0: none are. */
static uint32_t
steps_for (const StatesReader *r, const uint32_t *owners, uint32_t n_owners)
{
  uint32_t steps = KEPT_STEPS;
  uint64_t n = 0;

  for (uint32_t i = 0; i < n_owners; i++) {
    const Line *l = line_of (r, owners[i]);
    Blocks blocks = l != NULL ? blocks_of (l, 0) : (Blocks){ NULL, 0 };
    for (uint32_t k = 0; k < blocks.n; k++)
      n += entry (r, blocks.index[k])->count;
  }
  if (n < KEPT_RECORDS)
    return 0;
  while (steps < KEPT_STEPS_MOST && (uint64_t) steps * 2 * KEPT_EACH <= n)
    steps *= 2;
  return steps;
}

static void
make_sum (StatesReader *r, StatesSum *s)
{
  uint32_t n = s->n, slots = s->slots;
  const StatesPalette own = { .rest = r->in.highest };
  float left[KEPT_SLOTS_MOST] = { 0 };
  uint32_t *so_far = g_new (uint32_t, ((gsize) n + 1) * slots), *at = so_far;
  g_autofree float *exact = g_new (float, (gsize) n *slots);
  memset (exact, 0, (gsize) n * slots * sizeof *exact); /* written before it is read: one fault a page, not two */
  Shares d = shares_begin (r, s->n_owners, r->kept->from, ((double) r->kept->to - (double) r->kept->from) / n, n,
                           (float) KEPT_ALL / (float) s->n_owners, &own, exact, slots);
  history_states_shares_of (&d, s->owners, s->n_owners);
  memset (at, 0, slots * sizeof *at);
  /* What rounding leaves goes on to the next step: over time nothing is lost, however little it is. */
  const float *share = exact;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < slots; k++, at++, share++) {
      float wanted = *share + left[k];
      uint32_t whole = (uint32_t) (CLAMP (wanted, 0, KEPT_ALL) + 0.5f);
      left[k] = wanted - (float) whole;
      at[slots] = *at + whole;
    }
  states_kept_put (r->kept, s, so_far);
}

/* A date, in steps: the one that it is in, and how much of that is before it. */
static inline Four
four_until (const uint32_t *so_far, uint32_t slots, double x, uint32_t n, FourNumbers *whole)
{
  uint32_t i = MIN ((uint32_t) x, n - 1);
  FourNumbers next;

  memcpy (whole, so_far + (gsize) i * slots, sizeof *whole);
  memcpy (&next, so_far + ((gsize) i + 1) * slots, sizeof next);
  return __builtin_convertvector((FourWhole) (next - *whole), Four) * (float) (x - i);
}

/* Four states of each column, which may be as wide as all steps. */
static void
put_kept_four (Shares *d, const StatesSum *s, const StatesKept *k, uint32_t slot, uint32_t n_owners)
{
  double step = ((double) k->to - (double) k->from) / s->n, zero = ((double) d->from - (double) k->from) / step,
         width = d->width / step;
  float scale = (float) ((double) d->weight * n_owners / (width * KEPT_ALL));
  const uint32_t *so_far = s->so_far + slot;
  uint32_t n = MIN (d->stride - slot, 4);
  FourWhole any = { 0 };
  FourNumbers whole, whole_next;
  Four part = four_until (so_far, s->slots, CLAMP (zero, 0, s->n), s->n, &whole);

  for (uint32_t c = 0; c < d->n; c++) {
    Four part_next = four_until (so_far, s->slots, CLAMP (zero + (c + 1) * width, 0, s->n), s->n, &whole_next);
    FourNumbers steps = whole_next - whole;
    Four sum = __builtin_convertvector((FourWhole) (steps >> 16), Four) * 65536
               + __builtin_convertvector((FourWhole) (steps & 65535), Four) + part_next - part;
    FourWhole more = sum > 0;
    sum = (Four) ((FourWhole) (sum * scale) & more); /* not a little less than nothing */
    any |= more;
    float *to = d->shares + (gsize) c * d->stride + slot;
    for (uint32_t j = 0; n < 4 && j < n; j++)
      to[j] += sum[j];
    if (n == 4) {
      sum += four_at (to);
      memcpy (to, &sum, sizeof sum);
    }
    part = part_next;
    whole = whole_next;
  }
  for (uint32_t j = 0; j < n; j++)
    d->slots |= (uint32_t) (any[j] != 0) << (slot + j);
}

/* True: they were in what is kept. */
static bool
put_kept (Shares *d, const uint32_t *owners, uint32_t n_owners)
{
  StatesReader *r = d->r;
  StatesKept *k = r->kept;
  double all = k != NULL ? (double) k->to - (double) k->from : 0;

  if (k == NULL || d->palette->slot != NULL || d->palette->rest != r->in.highest
      || all / KEPT_STEPS_MOST > d->width / 2)
    return false;
  StatesSum *s = states_kept_get (k, owners, n_owners);
  if (s == NULL)
    s = states_kept_add (k, owners, n_owners, steps_for (r, owners, n_owners), (r->in.highest + 4) / 4 * 4);
  bool fine = s->n > 0 && all / s->n <= d->width / 2;
  if (fine) {
    double from = MAX ((double) d->from, (double) k->from),
           to = MIN ((double) d->from + d->width * d->n, (double) k->to);
    KeptWant want = states_kept_want (k, s, MAX (to - from, 0) / all);
    if (want == KEPT_MAKE)
      make_sum (r, s);
    fine = want != KEPT_NONE;
  }
  for (uint32_t slot = 0; fine && slot <= r->in.highest; slot += 4)
    put_kept_four (d, s, k, slot, n_owners);
  states_sum_unref (s);
  return fine;
}

void
states_reader_shares_of (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, double width,
                         uint32_t n_columns, float weight, const StatesPalette *palette, float *shares, uint32_t stride,
                         uint32_t *slots)
{
  Shares d = shares_begin (r, n_owners, from, width, n_columns, weight, palette, shares, stride);

  if (n_owners == 0 || !put_kept (&d, owners, n_owners))
    history_states_shares_of (&d, owners, n_owners);
  *slots |= d.slots;
}

void
states_reader_shares (StatesReader *r, uint32_t owner, int64_t from, double width, uint32_t n_columns, float weight,
                      const StatesPalette *palette, float *shares, uint32_t stride, uint32_t *slots)
{
  Shares d = shares_begin (r, 1, from, width, n_columns, weight, palette, shares, stride);

  history_states_shares_of (&d, &owner, 1);
  *slots |= d.slots;
}

void
states_reader_amounts (StatesReader *r, uint32_t owner, int64_t from, int64_t to, double *time)
{
  Shares d = { .r = r,
               .line = line_of (r, owner),
               .from = from,
               .time = time,
               .finest = (int64_t) MIN (((double) to - (double) from) / 64, 4e18) };

  if (d.line != NULL && from < to)
    history_states_shares_cover (&d, d.line->n_levels, from, to);
}

/* ---- the most of several ------------------------------------------------------------------------------------------- */

typedef struct Most {
  int64_t from;
  double inverse; /* columns a tick */
  uint32_t n, stride, slots;
  const StatesPalette *palette;
  float *most;
  /* Intervals come in order, so of one owner a single column waits for more: */
  uint32_t column, waiting; /* the slots that have some of it, as bits, */
  float own[32];            /* and how much */
} Most;

static inline void
history_states_shares_keep (Most *m, uint32_t column, uint32_t slot, float share)
{
  float *at = m->most + (gsize) column * m->stride + slot;

  if (share > *at)
    *at = share;
}

static inline void
keep_waiting (Most *m)
{
  for (; m->waiting != 0; m->waiting &= m->waiting - 1) {
    uint32_t slot = (uint32_t) __builtin_ctz (m->waiting);
    history_states_shares_keep (m, m->column, slot, m->own[slot]);
    m->own[slot] = 0;
  }
}

static inline void
history_states_shares_wait_for (Most *m, uint32_t column, uint32_t slot, float part)
{
  if (column != m->column)
    keep_waiting (m);
  m->column = column;
  m->waiting |= 1u << slot;
  m->own[slot] += part;
}

static bool
add_most (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Most *m = arg;
  uint32_t slot = states_slot (m->palette, state);

  if ((m->slots >> slot & 1) == 0)
    return true;
  double a = MAX (((double) from - (double) m->from) * m->inverse, 0),
         b = MIN (((double) to - (double) m->from) * m->inverse, (double) m->n);
  if (a >= b)
    return true;
  uint32_t first = (uint32_t) a, last = MIN ((uint32_t) b, m->n - 1);
  if (first == last) {
    history_states_shares_wait_for (m, first, slot, (float) (b - a));
    return true;
  }
  history_states_shares_wait_for (m, first, slot, (float) ((double) (first + 1) - a));
  for (uint32_t i = first + 1; i < last; i++)
    history_states_shares_keep (m, i, slot, 1);
  history_states_shares_wait_for (m, last, slot, (float) (b - (double) last));
  return true;
}

/* Of an owner that is in r->flat. */
static void
most_of_flat (Most *m, const StatesReader *r, uint32_t owner, int64_t to)
{
  const StatesFlat *f = r->flat;
  const int64_t *at = f->at + f->first[owner], *last = f->at + f->first[owner + 1] - 1;
  const uint16_t *state = f->state + f->first[owner];

  for (; at < last && *at < to; at++, state++)
    if (at[1] > m->from && (m->slots >> states_slot (m->palette, *state) & 1) != 0)
      add_most (m, *at, MIN (at[1], r->end), *state);
  keep_waiting (m);
}

/* A palette of some of the slots of another: less to add up. */
typedef struct Few {
  StatesPalette palette;
  uint8_t *of; /* by state */
  uint32_t n, slot[32], stride;
} Few;

static void
few_begin (Few *f, const StatesPalette *palette, uint32_t slots, uint32_t highest)
{
  uint8_t place[32];

  f->n = 0;
  for (uint32_t k = 0; k < 32; k++)
    if ((slots >> k & 1) != 0)
      f->slot[f->n++] = k;
  memset (place, (int) MIN (f->n, 31), sizeof place); /* of all others */
  for (uint32_t k = 0; k < f->n; k++)
    place[f->slot[k]] = (uint8_t) k;
  f->of = g_malloc (highest + 1);
  for (uint32_t state = 0; state <= highest; state++)
    f->of[state] = place[states_slot (palette, state)];
  f->palette = (StatesPalette){ f->of, highest + 1, place[palette->rest] };
  f->stride = (f->n + 4) / 4 * 4;
}

static void
keep_more (float *most, const float *own, gsize n)
{
  for (gsize i = 0; i < n; i += 4) {
    Four a = four_at (most + i), b = four_at (own + i);
    FourWhole less = a < b;
    a = (Four) (((FourWhole) b & less) | ((FourWhole) a & ~less));
    memcpy (most + i, &a, sizeof a);
  }
}

void
states_reader_most (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, double width,
                    uint32_t n_columns, const StatesPalette *palette, uint32_t slots, float *most, uint32_t stride)
{
  double end = (double) from + width * n_columns;
  int64_t to = end < 9e18 ? (int64_t) end + 1 : INT64_MAX;
  Most m = { .from = from,
             .inverse = 1 / width,
             .n = n_columns,
             .stride = stride,
             .slots = slots,
             .palette = palette,
             .most = most };
  g_autofree float *own = NULL; /* of one of whom there are sums, */
  Few few;                      /* in those slots alone */

  if (n_columns == 0 || !(width > 0))
    return;
  for (uint32_t i = 0; i < n_owners; i++) {
    const Line *l = line_of (r, owners[i]);
    uint32_t is_in = 0;
    if (states_flat_has (r->flat, owners[i])) {
      most_of_flat (&m, r, owners[i], to);
      continue;
    }
    if (l == NULL)
      continue;
    if (l->n_levels == 0) {
      each_record (r, l, from, to, add_most, &m);
      keep_waiting (&m);
      continue;
    }
    if (own == NULL) {
      few_begin (&few, palette, slots, r->in.highest);
      own = g_new (float, 2 * (gsize) n_columns * few.stride);
      memset (own, 0, (gsize) n_columns * few.stride * sizeof *own);
    }
    float *now = own + (gsize) n_columns * few.stride;
    memset (now, 0, (gsize) n_columns * few.stride * sizeof *own);
    states_reader_shares (r, owners[i], from, width, n_columns, 1, &few.palette, now, few.stride, &is_in);
    if (is_in != 0)
      keep_more (own, now, (gsize) n_columns * few.stride);
  }
  if (own == NULL)
    return;
  for (uint32_t c = 0; c < n_columns; c++)
    for (uint32_t k = 0; k < few.n; k++)
      history_states_shares_keep (&m, c, few.slot[k], own[(gsize) c * few.stride + k]);
  g_free (few.of);
}
