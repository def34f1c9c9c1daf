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
  /* By column and slot, of exact intervals: how much more there is than in the column before, in parts of 1 << bits.
   * Whole numbers, modulo 2^32: no order in which they are added matters, and an interval costs the same however many
   * columns it covers.  NULL: there was none yet. */
  uint32_t *edges;
  uint32_t bits;
  double *time; /* by state, in the place of shares: see states_reader_amounts() */
  const StatesPalette *palette;
  uint32_t n, stride, slots;
  int64_t finest; /* buckets may be so long */
} Shares;

/* Where one interval ends and the next begins. */
typedef struct Edge {
  uint32_t *column;        /* of `edges`, */
  uint32_t before, behind; /* and how much of a step is already in it, and how much only in the next */
} Edge;

/* The compiler knows `bits`. */
static inline __attribute__ ((always_inline)) Edge
edge_at (uint32_t *edges, uint32_t stride, uint32_t bits, int64_t x)
{
  uint32_t one = UINT32_C (1) << bits, part = (uint32_t) x & (one - 1);

  return (Edge){ edges + (uint64_t) (x >> bits) * stride, one - part, part };
}

static inline __attribute__ ((always_inline)) void
begin_slot (Edge e, uint32_t stride, uint32_t slot)
{
  e.column[slot] += e.before;
  e.column[slot + stride] += e.behind;
}

static inline __attribute__ ((always_inline)) void
end_slot (Edge e, uint32_t stride, uint32_t slot)
{
  e.column[slot] -= e.before;
  e.column[slot + stride] -= e.behind;
}

/* Dates as places of `edges`, within [low, high]. */
typedef struct Scale {
  double zero, per_tick, low, high;
} Scale;

/* False: the dates are in no column. */
static bool
begin_scale (Shares *d, int64_t from, int64_t to, Scale *s)
{
  double one = (double) (UINT32_C (1) << d->bits);

  *s = (Scale){ .zero = (double) d->from, .per_tick = one / d->width };
  s->low = MAX (((double) from - s->zero) * s->per_tick, 0);
  s->high = MIN (((double) to - s->zero) * s->per_tick, d->n * one);
  if (!(s->low < s->high))
    return false;
  if (d->edges == NULL)
    d->edges = g_new0 (uint32_t, ((gsize) d->n + 2) * d->stride);
  return true;
}

static inline int64_t
place_on (const Scale *s, int64_t date)
{
  double x = ((double) date - s->zero) * s->per_tick;

  x = x < s->high ? x : s->high;
  return (int64_t) (x > s->low ? x : s->low);
}

/* The exact intervals within [from, to): each_record() with the work inside, as this is where deep zooms spend their
 * time. */
static inline __attribute__ ((always_inline)) void
put_records_as (Shares *all, int64_t from, int64_t to, uint32_t fraction)
{
  StatesReader *r = all->r;
  Blocks blocks = blocks_of (all->line, 0);
  HistoryHold hold = { NULL };
  uint32_t met = 0;
  Scale scale;

  if (!begin_scale (all, from, to, &scale))
    return;
  const StatesPalette palette = *all->palette; /* nothing that is written may be part of it */
  uint32_t *edges = all->edges, stride = all->stride;
  int64_t first = (int64_t) scale.low, last = (int64_t) scale.high;
  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    if (e->from >= to)
      break;
    const uint8_t *data = history_in_hold (&r->in, e, &hold);
    int64_t end = i + 1 < blocks.n ? entry (r, blocks.index[i + 1])->from : MIN (r->in.reach, r->end);
    int64_t at = e->aux, x0 = first, x1;
    uint64_t so_far = 0, ticks;
    uint32_t slot = NO_STATE, coming, count = e->count, bits = bits_of (e);
    if (data == NULL)
      history_in_lose (&r->in, e, e->from, MAX (end, e->to));
    for (uint32_t k = 0; data != NULL && k < count && x0 < last; k++, data += 4) {
      uint32_t word;
      memcpy (&word, data, 4);
      if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
        continue;
      at = (int64_t) ((uint64_t) at + ticks);
      x1 = MAX (place_on (&scale, at), x0);
      Edge edge = edge_at (edges, stride, fraction, x1);
      if (slot != NO_STATE) {
        met |= (uint32_t) (x1 > x0) << slot;
        end_slot (edge, stride, slot);
      }
      slot = states_slot (&palette, coming);
      begin_slot (edge, stride, slot);
      x0 = x1;
    }
    if (slot == NO_STATE)
      continue;
    x1 = MAX (place_on (&scale, end), x0);
    met |= (uint32_t) (x1 > x0) << slot;
    end_slot (edge_at (edges, stride, fraction, x1), stride, slot);
  }
  history_in_let_go (&r->in, &hold);
  all->slots |= met;
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
put_flat_as (Shares *all, uint32_t owner, int64_t from, int64_t to, uint32_t fraction)
{
  const StatesFlat *f = all->r->flat;
  const int64_t *at = f->at + f->first[owner], *end = f->at + f->first[owner + 1] - 1;
  const uint16_t *state = f->state + f->first[owner];
  uint32_t met = 0;
  Scale scale;

  if (!begin_scale (all, from, to, &scale))
    return;
  const StatesPalette palette = *all->palette;
  uint32_t *edges = all->edges, stride = all->stride;
  int64_t last = (int64_t) scale.high, over = all->r->end;
  while (at < end && at[1] <= from)
    at++, state++;
  int64_t x0 = place_on (&scale, *at);
  for (; at < end && x0 < last; at++, state++) {
    int64_t x1 = place_on (&scale, MIN (at[1], over));
    if (x1 > x0) {
      uint32_t slot = states_slot (&palette, *state);
      met |= 1u << slot;
      begin_slot (edge_at (edges, stride, fraction, x0), stride, slot);
      end_slot (edge_at (edges, stride, fraction, x1), stride, slot);
    }
    x0 = x1;
  }
  all->slots |= met;
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
put_bytes (const Shares *d, int64_t column, const uint8_t *bytes, const uint8_t *slot, uint32_t n_states, double length)
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
      put_bytes (d, column, bytes, slot, n_states, border - x0);
      put_bytes (d, column + 1, bytes, slot, n_states, MIN (x1, border + 1) - border);
      i++;
    } else if (edge) {
      put_bytes (d, column, bytes, slot, n_states, x1 - x0);
      i++;
    } else {
      uint32_t end = (uint32_t) CLAMP ((border - zero) / step, 0,
                                       (double) b); /* a column may be wider than all buckets */
      uint32_t n = end > i ? end - i : 1;
      if (end > safe)
        put_bytes (d, column, bytes, slot, n_states, x1 - x0), n = 1;
      else
        put_run (d, column, bytes, slot, n_states, n, step);
      i += n;
    }
  }
}

static void
cover (Shares *d, uint32_t level, int64_t from, int64_t to)
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
      cover (d, level - 1, from, e->from);
    from = MAX (from, e->from);
    if (INT64_C (1) << e->aux <= d->finest)
      bytes = history_in_hold (&r->in, e, &hold);
    if (bytes != NULL)
      put_sums (d, e, bytes, from, end);
    history_in_let_go (&r->in, &hold);
    if (bytes == NULL)
      cover (d, level - 1, from, end);
    from = end;
  }
  if (from < to)
    cover (d, level - 1, from, to);
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
    cover (d, d->line->n_levels, d->from, to);
}

/* What the intervals of all owners come to in each column. */
static void
add_edges (Shares *d)
{
  float part = d->weight / (float) (UINT32_C (1) << d->bits);

  for (uint32_t k = 0; d->edges != NULL && k < d->stride; k += 4) {
    uint32_t *edge = d->edges + k, n = MIN (d->stride - k, 4);
    float *share = d->shares + k;
    if ((d->slots >> k & 15) == 0)
      continue;
    FourWhole now = { 0 };
    for (uint32_t i = 0; i < d->n; i++, edge += d->stride, share += d->stride) {
      FourWhole more = { 0 };
      memcpy (&more, edge, n == 4 ? 16 : n * 4);
      now += more;
      Four sum = __builtin_convertvector(now, Four) * part;
      if (n == 4)
        sum += four_at (share), memcpy (share, &sum, 16);
      else
        for (uint32_t j = 0; j < n; j++)
          share[j] += sum[j];
    }
  }
  g_free (d->edges);
}

void
states_reader_shares_of (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, double width,
                         uint32_t n_columns, float weight, const StatesPalette *palette, float *shares, uint32_t stride,
                         uint32_t *slots)
{
  Shares d = { .r = r,
               .from = from,
               .width = width,
               .weight = weight,
               .shares = shares,
               .bits = n_owners <= OWNERS_FINE ? FINE_BITS : COARSE_BITS,
               .palette = palette,
               .n = n_columns,
               .stride = stride,
               .finest = (int64_t) MIN (width / 2, 4e18) };

  for (uint32_t i = 0; i < n_owners; i++)
    add_shares (&d, owners[i]);
  add_edges (&d);
  *slots |= d.slots;
}

void
states_reader_shares (StatesReader *r, uint32_t owner, int64_t from, double width, uint32_t n_columns, float weight,
                      const StatesPalette *palette, float *shares, uint32_t stride, uint32_t *slots)
{
  states_reader_shares_of (r, &owner, 1, from, width, n_columns, weight, palette, shares, stride, slots);
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
    cover (&d, d.line->n_levels, from, to);
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
keep (Most *m, uint32_t column, uint32_t slot, float share)
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
    keep (m, m->column, slot, m->own[slot]);
    m->own[slot] = 0;
  }
}

static inline void
wait_for (Most *m, uint32_t column, uint32_t slot, float part)
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
    wait_for (m, first, slot, (float) (b - a));
    return true;
  }
  wait_for (m, first, slot, (float) ((double) (first + 1) - a));
  for (uint32_t i = first + 1; i < last; i++)
    keep (m, i, slot, 1);
  wait_for (m, last, slot, (float) (b - (double) last));
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

void
states_reader_most (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, double width,
                    uint32_t n_columns, const StatesPalette *palette, uint32_t slots, float *most, uint32_t stride)
{
  gsize cells = (gsize) n_columns * stride;
  double end = (double) from + width * n_columns;
  int64_t to = end < 9e18 ? (int64_t) end + 1 : INT64_MAX;
  Most m = { .from = from,
             .inverse = 1 / width,
             .n = n_columns,
             .stride = stride,
             .slots = slots,
             .palette = palette,
             .most = most };
  g_autofree float *own = NULL; /* of one of whom there are sums */

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
    if (own == NULL)
      own = g_new (float, cells);
    memset (own, 0, cells * sizeof *own);
    states_reader_shares (r, owners[i], from, width, n_columns, 1, palette, own, stride, &is_in);
    for (gsize k = 0; is_in & slots && k < cells; k++)
      most[k] = own[k] > most[k] ? own[k] : most[k];
  }
}
