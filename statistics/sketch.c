/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/sketch.h"
#include <glib.h>
#include <math.h>
#include <string.h>
#include "statistics/quantile.h"

#define CUT 46    /* 52 bits of mantissa less the 6 that tell 64 buckets */
#define MOST 4096 /* buckets of one sign: 64 powers of two */
#define BLOCK 64  /* buckets whose sum is kept too, so that a rank is found without looking at all */

typedef struct Side { /* numbers of one sign, by size */
  uint64_t *count;    /* `n`, and behind them the sums of blocks */
  int32_t first;      /* key of count[0] */
  uint32_t n;
} Side;

struct StatsSketch {
  Side side[2]; /* positive, negative */
  uint64_t zeros, n;
  bool collapsed;
};

StatsSketch *
stats_sketch_new (void)
{
  return g_new0 (StatsSketch, 1);
}

void
stats_sketch_clear (StatsSketch *s)
{
  g_free (s->side[0].count);
  g_free (s->side[1].count);
  memset (s, 0, sizeof *s);
}

void
stats_sketch_free (StatsSketch *s)
{
  if (s)
    stats_sketch_clear (s);
  g_free (s);
}

static int32_t
statistics_sketch_key_of (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return (int32_t) ((bits & INT64_MAX) >> CUT);
}

static double
statistics_sketch_edge (int32_t key)
{
  uint64_t bits = (uint64_t) key << CUT;
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

static Side
empty_side (int32_t first, uint32_t n)
{
  return (Side){ g_new0 (uint64_t, (gsize) n + (n + BLOCK - 1) / BLOCK), first, n };
}

static inline void
statistics_sketch_count_in (Side *d, uint32_t i, uint64_t n)
{
  d->count[i] += n;
  d->count[d->n + i / BLOCK] += n;
}

/* Makes room for a key, growing by halves so that it is rare; what falls off at the low end is merged into the lowest
 * kept. */
static void
statistics_sketch_reach (StatsSketch *s, Side *d, int32_t key)
{
  int32_t lo = d->n ? MIN (d->first, key) : key, hi = d->n ? MAX (d->first + (int32_t) d->n - 1, key) : key;

  if (d->n && lo == d->first && hi < d->first + (int32_t) d->n)
    return;
  int32_t spare = d->n ? (hi - lo) / 4 + 32 : 32;
  if (key == lo)
    lo = MAX (lo - spare, 0);
  if (key == hi)
    hi += spare;
  if (hi - lo >= MOST) { /* spare room is not worth an error */
    hi = d->n ? MAX (d->first + (int32_t) d->n - 1, key) : key;
    while (d->n && hi > key && hi >= d->first && d->count[hi - d->first] == 0)
      hi--;
    lo = MAX (lo, hi - MOST + 1);
  }
  Side wider = empty_side (lo, (uint32_t) (hi - lo + 1));
  for (uint32_t i = 0; i < d->n; i++) {
    int32_t k = d->first + (int32_t) i;
    if (d->count[i] && k < lo)
      s->collapsed = true;
    if (d->count[i])
      statistics_sketch_count_in (&wider, (uint32_t) (MAX (k, lo) - lo), d->count[i]);
  }
  g_free (d->count);
  *d = wider;
}

static void
statistics_sketch_add_to (StatsSketch *s, Side *d, int32_t key, uint64_t n)
{
  if ((uint32_t) (key - d->first) >= d->n) {
    statistics_sketch_reach (s, d, key);
    if (key < d->first) {
      s->collapsed = true;
      key = d->first;
    }
  }
  statistics_sketch_count_in (d, (uint32_t) (key - d->first), n);
}

void
stats_sketch_add (StatsSketch *s, double x)
{
  if (!(x - x == 0))
    return;
  s->n++;
  if (x == 0)
    s->zeros++;
  else
    statistics_sketch_add_to (s, &s->side[x < 0], statistics_sketch_key_of (x), 1);
}

void
stats_sketch_merge (StatsSketch *to, const StatsSketch *from)
{
  to->n += from->n;
  to->zeros += from->zeros;
  to->collapsed |= from->collapsed;
  for (int k = 0; k < 2; k++)
    for (uint32_t i = from->side[k].n; i-- > 0;)
      if (from->side[k].count[i])
        statistics_sketch_add_to (to, &to->side[k], from->side[k].first + (int32_t) i, from->side[k].count[i]);
}

uint64_t
stats_sketch_count (const StatsSketch *s)
{
  return s->n;
}

bool
stats_sketch_collapsed (const StatsSketch *s)
{
  return s->collapsed;
}

/* The number whose distance from both edges is the same share of them. */
static double
statistics_sketch_middle (int32_t key)
{
  double lo = statistics_sketch_edge (key), hi = statistics_sketch_edge (key + 1);

  return hi - hi == 0 ? lo + lo * ((hi - lo) / (hi + lo)) : lo;
}

/* The bucket in which a rank lies, counted from the least value of the sketch; false: behind this side, and *rank is
 * less by all that it has. */
static bool
find_rank (const Side *d, bool downward, uint64_t *rank, uint32_t *bucket)
{
  uint32_t n_blocks = (d->n + BLOCK - 1) / BLOCK;

  for (uint32_t k = 0; k < n_blocks; k++) {
    uint32_t block = downward ? n_blocks - 1 - k : k, from = block * BLOCK, to = MIN (from + BLOCK, d->n);
    if (*rank >= d->count[d->n + block]) {
      *rank -= d->count[d->n + block];
      continue;
    }
    for (uint32_t i = 0; i < to - from; i++) {
      *bucket = downward ? to - 1 - i : from + i;
      if (*rank < d->count[*bucket])
        return true;
      *rank -= d->count[*bucket];
    }
  }
  return false;
}

/* The value of a rank, the smallest being 0. */
static double
statistics_sketch_value_at (const StatsSketch *s, uint64_t rank)
{
  const Side *positive = &s->side[0], *negative = &s->side[1];
  uint32_t bucket;

  if (find_rank (negative, true, &rank, &bucket))
    return -statistics_sketch_middle (negative->first + (int32_t) bucket);
  if (rank < s->zeros)
    return 0;
  rank -= s->zeros;
  if (find_rank (positive, false, &rank, &bucket))
    return statistics_sketch_middle (positive->first + (int32_t) bucket);
  return NAN;
}

double
stats_sketch_quantile (const StatsSketch *s, double q)
{
  double part;

  if (s->n == 0 || !(q >= 0 && q <= 1))
    return NAN;
  uint64_t rank = stats_quantile_rank (s->n, q, &part);
  double low = statistics_sketch_value_at (s, rank);
  return part > 0 ? stats_quantile_between (low, statistics_sketch_value_at (s, rank + 1), part) : low;
}

/* Empty buckets at the ends depend on the order of the data: they are not part of the run state. */
void
stats_sketch_save (const StatsSketch *s, EveBlob *to)
{
  eve_put_int (to, (int64_t) s->zeros);
  eve_put_int (to, s->collapsed);
  for (int k = 0; k < 2; k++) {
    const Side *d = &s->side[k];
    uint32_t a = 0, b = d->n;
    while (a < b && d->count[a] == 0)
      a++;
    while (b > a && d->count[b - 1] == 0)
      b--;
    eve_put_int (to, b - a);
    eve_put_int (to, b > a ? d->first + (int32_t) a : 0);
    if (b > a)
      eve_put_ints (to, (const int64_t *) d->count + a, b - a);
    else
      eve_put_ints (to, &(int64_t){ 0 }, 0);
  }
}

bool
stats_sketch_load (StatsSketch *s, EveBlobView *from)
{
  stats_sketch_clear (s);
  s->n = s->zeros = (uint64_t) eve_get_int (from);
  s->collapsed = eve_get_int (from) != 0;
  for (int k = 0; k < 2; k++) {
    int64_t n = eve_get_int (from), first = eve_get_int (from), counts[MOST];
    if (n < 0 || n > MOST || first < 0 || first + n > (INT64_C (0x7ff) << (52 - CUT))
        || eve_get_ints (from, counts, MOST) != (size_t) n || !eve_get_ok (from)) {
      stats_sketch_clear (s);
      return false;
    }
    if (n) {
      s->side[k] = empty_side ((int32_t) first, (uint32_t) n);
      for (uint32_t i = 0; i < n; i++) {
        statistics_sketch_count_in (&s->side[k], i, (uint64_t) counts[i]);
        s->n += (uint64_t) counts[i];
      }
    }
  }
  return true;
}
