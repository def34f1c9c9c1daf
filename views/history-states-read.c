/* SPDX-License-Identifier: Apache-2.0 */
/* history-states-read.c - states out of the files that history-states.c writes: exact intervals, and shares
 * at any zoom. */
#include "views/history-states.h"
#include "views/history-states-flat.h"
#include <string.h>
#include "readers/reader.h"

typedef struct Levels {
  GArray *level[LEVELS + 1];
} Levels;

/* Blocks of an owner, by level; indices into the entries.  Of most of very many owners there is one, of records: those
 * need no memory of their own. */
typedef struct Line {
  uint32_t only, n_only; /* n_only 0: there is none, or several */
  uint32_t n_levels;
  Levels *several; /* NULL: at most one */
} Line;

/* Indices of blocks in the order of their dates; good until the reader is refreshed. */
typedef struct Blocks {
  const uint32_t *index;
  uint32_t n;
} Blocks;

struct StatesReader {
  HistoryIn in;
  GArray *lines;    /* of Line */
  uint64_t sorted;  /* entries that are in lines */
  int64_t end;      /* of the execution */
  StatesFlat *flat; /* NULL: there is none, */
  bool not_flat;    /* or none can be made of what there is by now */
};

static void
line_clear (gpointer p)
{
  Line *l = p;

  for (int i = 0; l->several != NULL && i <= LEVELS; i++)
    if (l->several->level[i] != NULL)
      g_array_unref (l->several->level[i]);
  g_free (l->several);
}

static inline Line *
line_of (const StatesReader *r, uint32_t owner)
{
  return owner < r->lines->len ? &g_array_index (r->lines, Line, owner) : NULL;
}

static inline Blocks
blocks_of (const Line *l, uint32_t level)
{
  if (l->several == NULL)
    return (Blocks){ &l->only, level == 0 ? l->n_only : 0 };
  const GArray *of = level <= LEVELS ? l->several->level[level] : NULL;
  return of != NULL ? (Blocks){ (const uint32_t *) (const void *) of->data, of->len } : (Blocks){ NULL, 0 };
}

static void
add_block (Line *l, uint32_t level, uint32_t i)
{
  if (l->several == NULL && l->n_only == 0 && level == 0) {
    l->only = i;
    l->n_only = 1;
    return;
  }
  if (l->several == NULL) {
    uint32_t had = l->n_only;
    l->several = g_new0 (Levels, 1);
    l->n_only = 0;
    if (had > 0)
      add_block (l, 0, l->only);
  }
  GArray **of = &l->several->level[level];
  if (*of == NULL)
    *of = g_array_new (FALSE, FALSE, sizeof i);
  g_array_append_val (*of, i);
  l->n_levels = MAX (l->n_levels, level);
}

StatesReader *
states_reader_open (const char *base, GError **error)
{
  StatesReader *r = g_new0 (StatesReader, 1);

  if (!history_in_open (&r->in, base, KIND_STATES, error)) {
    g_free (r);
    return NULL;
  }
  r->lines = g_array_new (FALSE, TRUE, sizeof (Line));
  g_array_set_clear_func (r->lines, line_clear);
  r->end = INT64_MAX;
  states_reader_refresh (r);
  return r;
}

void
states_reader_free (StatesReader *r)
{
  if (r == NULL)
    return;
  history_in_close (&r->in);
  states_flat_unref (r->flat);
  g_array_unref (r->lines);
  g_free (r);
}

static inline HistoryEntry *
entry (const StatesReader *r, uint32_t i)
{
  return &g_array_index (r->in.entries, HistoryEntry, i);
}

/* Where the last block of an owner and level ends that was taken. */
static int64_t
end_of (const StatesReader *r, uint32_t owner, uint32_t level)
{
  const Line *l = line_of (r, owner);
  Blocks blocks = l != NULL ? blocks_of (l, level) : (Blocks){ NULL, 0 };

  return blocks.n > 0 ? entry (r, blocks.index[blocks.n - 1])->to : INT64_MIN;
}

void
states_reader_refresh (StatesReader *r)
{
  if (!history_in_refresh (&r->in)) {
    g_array_set_size (r->lines, 0);
    r->sorted = 0;
  }
  if (r->sorted < r->in.entries->len) {
    g_clear_pointer (&r->flat, states_flat_unref);
    r->not_flat = false;
  }
  for (; r->sorted < r->in.entries->len; r->sorted++) {
    uint32_t i = (uint32_t) r->sorted;
    const HistoryEntry *e = entry (r, i);
    if (e->level == HISTORY_REACH)
      continue;
    if (!states_entry_fits (e, end_of (r, e->owner, e->level))) {
      history_in_refuse (&r->in, i);
      continue;
    }
    if (e->owner >= r->lines->len)
      g_array_set_size (r->lines, e->owner + 1);
    add_block (line_of (r, e->owner), e->level, i);
  }
}

uint32_t
states_reader_highest (const StatesReader *r)
{
  return r->in.highest;
}

uint32_t
states_reader_owners (const StatesReader *r)
{
  return r->lines->len;
}

int64_t
states_reader_reach (const StatesReader *r)
{
  return r->in.reach;
}

void
states_reader_set_end (StatesReader *r, int64_t end)
{
  r->end = end;
}

const char *
states_reader_problem (const StatesReader *r)
{
  return history_in_problem (&r->in);
}

bool
states_reader_lost (const StatesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg)
{
  return history_in_lost (&r->in, from, to, each, arg);
}

/* The first block that does not end before `date` and may hold it: for records the last that begins at or
 * before it. */
static guint
find_block (const StatesReader *r, Blocks blocks, int64_t date, bool records)
{
  guint low = 0, high = blocks.n;

  if (records && blocks.n <= 1) /* whatever it says */
    return 0;
  while (low < high) {
    guint mid = (low + high) / 2;
    const HistoryEntry *e = entry (r, blocks.index[mid]);
    if (records ? e->from <= date : e->to <= date)
      low = mid + 1;
    else
      high = mid;
  }
  return records && low > 0 ? low - 1 : low;
}

typedef bool (*Each) (void *arg, int64_t from, int64_t to, uint32_t state);
#define NO_STATE UINT32_MAX

/* Exact intervals that touch [from, to). */
static inline __attribute__ ((always_inline)) bool
each_record (StatesReader *r, const Line *l, int64_t from, int64_t to, Each each, void *arg)
{
  Blocks blocks = blocks_of (l, 0);

  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    const uint8_t *data;
    int64_t end = i + 1 < blocks.n ? entry (r, blocks.index[i + 1])->from : MIN (r->in.reach, r->end);
    int64_t at = e->aux, next;
    uint64_t so_far = 0, ticks;
    uint32_t state = NO_STATE, coming, bits = bits_of (e);
    if (e->from >= to)
      break;
    data = history_in_data (&r->in, e);
    if (data == NULL)
      history_in_lose (&r->in, e, e->from, MAX (end, e->to));
    for (uint32_t k = 0; data != NULL && k < e->count; k++, data += 4) {
      uint32_t word;
      memcpy (&word, data, 4);
      if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
        continue;
      next = (int64_t) ((uint64_t) at + ticks);
      if (state != NO_STATE && next > from && next > at && !each (arg, at, next, state))
        return false;
      at = next;
      state = coming;
      if (at >= to)
        return true;
    }
    if (data != NULL && state != NO_STATE && end > at && end > from && !each (arg, at, end, state))
      return false;
  }
  return true;
}

void
states_reader_each (StatesReader *r, uint32_t owner, int64_t from, int64_t to, Each each, void *arg)
{
  if (owner < r->lines->len)
    each_record (r, line_of (r, owner), from, to, each, arg);
}

uint64_t
states_reader_count (StatesReader *r, uint32_t owner, int64_t from, int64_t to)
{
  const Line *l = line_of (r, owner);
  Blocks blocks = l != NULL ? blocks_of (l, 0) : (Blocks){ NULL, 0 };
  double n = 0;

  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    const HistoryEntry *e = entry (r, blocks.index[i]);
    if (e->from >= to)
      break;
    double length = (double) e->to - (double) e->from, seen = (double) MIN (to, e->to) - (double) MAX (from, e->from);
    n += length <= 0 ? 1 : 1 + e->count * CLAMP (seen / length, 0, 1);
  }
  return (uint64_t) n;
}

/* ---- owners side by side ------------------------------------------------------------------------------- */

typedef struct Flattening {
  StatesFlat *flat;
  uint64_t n, most;
  int64_t end; /* of the interval before */
  bool fits;   /* one follows the other, and there is room */
} Flattening;

static bool
add_flat (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Flattening *f = arg;

  f->fits = f->n + 1 < f->most && state <= UINT16_MAX && (f->end == INT64_MIN || f->end == from);
  if (!f->fits)
    return false;
  f->flat->at[f->n] = from;
  f->flat->state[f->n++] = (uint16_t) state;
  f->end = to;
  return true;
}

/* Records of owners that have no sums, and a place for the end of each; 0: they are not for this. */
static uint64_t
count_flat (const StatesReader *r)
{
  uint64_t n = 0;

  if (r->lines->len < FLAT_OWNERS || r->in.reach != INT64_MAX || states_reader_lost (r, 0, 0, NULL, NULL))
    return 0;
  for (uint32_t owner = 0; owner < r->lines->len && n <= FLAT_RECORDS; owner++) {
    const Line *l = line_of (r, owner);
    Blocks blocks = blocks_of (l, 0);
    for (guint i = 0; l->n_levels == 0 && i < blocks.n; i++)
      n += entry (r, blocks.index[i])->count;
    n += 2;
  }
  return n <= FLAT_RECORDS ? n : 0;
}

static void
make_flat (StatesReader *r)
{
  if (r->flat != NULL || r->not_flat)
    return;
  uint64_t most = count_flat (r);
  r->flat = most > 0 ? states_flat_find (r->in.base, r->in.generation, r->in.entries->len) : NULL;
  r->not_flat = r->flat == NULL && most == 0;
  if (r->flat != NULL || r->not_flat)
    return;
  StatesFlat *flat = states_flat_new (r->in.base, r->in.generation, r->in.entries->len, r->lines->len, most);
  Flattening f = { .flat = flat, .most = most, .fits = true };
  for (uint32_t owner = 0; owner < r->lines->len && f.fits; owner++) {
    const Line *l = line_of (r, owner);
    flat->first[owner] = (uint32_t) f.n;
    f.end = INT64_MIN;
    if (l->n_levels == 0)
      each_record (r, l, INT64_MIN, INT64_MAX, add_flat, &f);
    if (f.n > flat->first[owner]) {
      flat->at[f.n] = INT64_MAX;
      flat->state[f.n++] = UINT16_MAX;
    }
  }
  flat->first[flat->n_owners] = (uint32_t) f.n;
  if (f.fits && !states_reader_lost (r, 0, 0, NULL, NULL)) {
    r->flat = flat;
    return;
  }
  r->not_flat = true;
  states_flat_unref (flat);
}

/* ---- shares -------------------------------------------------------------------------------------------- */

#define OWNERS_BY_FLAT 16 /* who asks for so many at once will ask for all */
#define OWNERS_BY_STEPS 4 /* so many in one sum: their long stays cost two additions, not one a column */

typedef struct Shares {
  StatesReader *r;
  const Line *line;
  int64_t from, to; /* `to`: for amounts alone */
  double width;
  float weight; /* a column's share for each column of length */
  float *shares;
  double *steps; /* NULL, or by column and slot: how much more there is from there on in each column; add_steps() */
  double *time;  /* by state, in the place of shares: see states_reader_amounts() */
  const StatesPalette *palette;
  uint32_t n, stride, slots;
  int64_t finest; /* buckets may be so long */
} Shares;

static inline void
put (const Shares *d, double a, double b, uint32_t slot)
{
  int64_t i, last;

  a = MAX (a, 0);
  b = MIN (b, (double) d->n);
  if (a >= b)
    return;
  i = (int64_t) a;
  last = MIN ((int64_t) b, (int64_t) d->n - 1);
  float *at = d->shares + i * d->stride + slot;
  if (i == last) {
    *at += (float) (b - a) * d->weight;
    return;
  }
  *at += (float) ((double) (i + 1) - a) * d->weight;
  if (d->steps != NULL) {
    d->steps[(i + 1) * d->stride + slot] += (double) d->weight;
    d->steps[last * d->stride + slot] -= (double) d->weight;
    at = d->shares + last * d->stride + slot;
  } else {
    for (i++, at += d->stride; i < last; i++, at += d->stride)
      *at += d->weight;
  }
  *at += (float) (b - (double) last) * d->weight;
}

/* Where the interval before has ended: in the column that ends at `border`, whose slots are at `cell`. */
typedef struct Pen {
  float *cell; /* NULL: there was none */
  double border;
} Pen;

/* put() of an interval that begins where the one before it has ended: mostly in one column, or up into the next. */
static inline __attribute__ ((always_inline)) void
put_next (const Shares *d, Pen *pen, double x0, double x1, uint32_t slot)
{
  if (x1 <= pen->border) {
    pen->cell[slot] += (float) (x1 - x0) * d->weight;
  } else if (pen->cell != NULL && x1 <= pen->border + 1) {
    pen->cell[slot] += (float) (pen->border - x0) * d->weight;
    pen->cell += d->stride;
    pen->cell[slot] += (float) (x1 - pen->border) * d->weight;
    pen->border += 1;
  } else {
    put (d, x0, x1, slot);
    int64_t column = MIN ((int64_t) x1, (int64_t) d->n - 1);
    pen->border = (double) (column + 1);
    pen->cell = d->shares + column * d->stride;
  }
}

/* The exact intervals within [from, to): each_record() with the work of put() inside, as this is where deep zooms spend
 * their time.  An interval begins where the one before it ends, and mostly in the same column. */
static void
put_records (Shares *d, int64_t from, int64_t to)
{
  StatesReader *r = d->r;
  Blocks blocks = blocks_of (d->line, 0);
  uint32_t met = 0;
  double inverse = 1 / d->width, low = ((double) from - (double) d->from) * inverse,
         high = MIN (((double) to - (double) d->from) * inverse, (double) d->n);

  if (!(low < high))
    return;
  for (guint i = find_block (r, blocks, from, true); i < blocks.n; i++) {
    HistoryEntry *e = entry (r, blocks.index[i]);
    if (e->from >= to)
      break;
    const uint8_t *data = history_in_data (&r->in, e);
    int64_t end = i + 1 < blocks.n ? entry (r, blocks.index[i + 1])->from : MIN (r->in.reach, r->end);
    int64_t at = e->aux;
    uint64_t so_far = 0, ticks;
    uint32_t slot = NO_STATE, coming = 0, bits = bits_of (e);
    Pen pen = { .cell = NULL };
    double x0 = low;
    if (data == NULL)
      history_in_lose (&r->in, e, e->from, MAX (end, e->to));
    for (uint32_t k = 0; data != NULL && k <= e->count; k++, data += 4) {
      uint32_t word = 0;
      if (k < e->count) {
        memcpy (&word, data, 4);
        if (!word_take (GUINT32_FROM_LE (word), bits, &so_far, &ticks, &coming))
          continue;
        at = (int64_t) ((uint64_t) at + ticks);
      } else {
        at = end;
      }
      double x1 = MIN (((double) at - (double) d->from) * inverse, high);
      if (slot != NO_STATE && x1 > x0) {
        met |= 1u << slot;
        put_next (d, &pen, x0, x1, slot);
      }
      x0 = MAX (x1, low);
      if (x0 >= high)
        break;
      slot = states_slot (d->palette, coming);
    }
  }
  d->slots |= met;
}

/* The same of an owner that is in r->flat. */
static void
put_flat (Shares *d, uint32_t owner, int64_t from, int64_t to)
{
  const StatesFlat *f = d->r->flat;
  const int64_t *at = f->at + f->first[owner], *last = f->at + f->first[owner + 1] - 1;
  const uint16_t *state = f->state + f->first[owner];
  double inverse = 1 / d->width, zero = (double) d->from, low = ((double) from - zero) * inverse,
         high = MIN (((double) to - zero) * inverse, (double) d->n);
  Pen pen = { .cell = NULL };
  uint32_t met = 0;

  if (!(low < high))
    return;
  while (at < last && at[1] <= from)
    at++, state++;
  double x0 = MAX (((double) *at - zero) * inverse, low);
  for (; at < last && x0 < high; at++, state++) {
    double x1 = MIN (((double) MIN (at[1], d->r->end) - zero) * inverse, high);
    if (x1 > x0) {
      uint32_t slot = states_slot (d->palette, *state);
      met |= 1u << slot;
      put_next (d, &pen, x0, x1, slot);
    }
    x0 = MAX (x1, low);
  }
  d->slots |= met;
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
    int64_t end = MIN (e->to, to);
    if (e->from >= to)
      break;
    if (e->from > from)
      cover (d, level - 1, from, e->from);
    from = MAX (from, e->from);
    if (INT64_C (1) << e->aux <= d->finest)
      bytes = history_in_data (&r->in, e);
    if (bytes != NULL)
      put_sums (d, e, bytes, from, end);
    else
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

/* What lies in whole columns, of all owners. */
static void
add_steps (Shares *d)
{
  double now[UINT8_MAX + 1] = { 0 };

  for (uint32_t i = 0; i < d->n; i++)
    for (uint32_t k = 0; k < d->stride; k++) {
      now[k] += d->steps[i * d->stride + k];
      d->shares[i * d->stride + k] += (float) now[k];
    }
}

void
states_reader_shares_of (StatesReader *r, const uint32_t *owners, uint32_t n_owners, int64_t from, double width,
                         uint32_t n_columns, float weight, const StatesPalette *palette, float *shares, uint32_t stride,
                         uint32_t *slots)
{
  bool many = n_owners >= OWNERS_BY_STEPS && stride <= UINT8_MAX;
  g_autofree double *steps = many ? g_new0 (double, (gsize) n_columns *stride) : NULL;
  Shares d = { .r = r,
               .from = from,
               .width = width,
               .weight = weight,
               .shares = shares,
               .steps = steps,
               .palette = palette,
               .n = n_columns,
               .stride = stride,
               .finest = (int64_t) MIN (width / 2, 4e18) };

  if (n_owners >= OWNERS_BY_FLAT)
    make_flat (r);
  for (uint32_t i = 0; i < n_owners; i++)
    add_shares (&d, owners[i]);
  if (many)
    add_steps (&d);
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
