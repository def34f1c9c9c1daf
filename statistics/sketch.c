/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/sketch.h"
#include <glib.h>
#include <math.h>
#include <string.h>
#include "statistics/quantile.h"

#define CUT 46    /* 52 bits of mantissa less the 6 that tell 64 buckets */
#define MOST 4096 /* buckets of one sign: 64 powers of two */

typedef struct Side { /* numbers of one sign, by size */
  uint64_t *count;
  int32_t first; /* key of count[0] */
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
key_of (double x)
{
  uint64_t bits;

  memcpy (&bits, &x, sizeof bits);
  return (int32_t) ((bits & INT64_MAX) >> CUT);
}

static double
edge (int32_t key)
{
  uint64_t bits = (uint64_t) key << CUT;
  double x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* Makes room for a key, growing by halves so that it is rare; what falls off at the low end is merged into the lowest
 * kept. */
static void
reach (StatsSketch *s, Side *d, int32_t key)
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
  uint64_t *count = g_new0 (uint64_t, (gsize) (hi - lo + 1));
  for (uint32_t i = 0; i < d->n; i++) {
    int32_t k = d->first + (int32_t) i;
    if (d->count[i] && k < lo)
      s->collapsed = true;
    if (d->count[i])
      count[MAX (k, lo) - lo] += d->count[i];
  }
  g_free (d->count);
  *d = (Side){ count, lo, (uint32_t) (hi - lo + 1) };
}

static void
add_to (StatsSketch *s, Side *d, int32_t key, uint64_t n)
{
  if ((uint32_t) (key - d->first) >= d->n) {
    reach (s, d, key);
    if (key < d->first) {
      s->collapsed = true;
      key = d->first;
    }
  }
  d->count[key - d->first] += n;
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
    add_to (s, &s->side[x < 0], key_of (x), 1);
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
        add_to (to, &to->side[k], from->side[k].first + (int32_t) i, from->side[k].count[i]);
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
middle (int32_t key)
{
  double lo = edge (key), hi = edge (key + 1);

  return hi - hi == 0 ? lo + lo * ((hi - lo) / (hi + lo)) : lo;
}

/* The value of a rank, the smallest being 0. */
static double
value_at (const StatsSketch *s, uint64_t rank)
{
  const Side *positive = &s->side[0], *negative = &s->side[1];
  for (uint32_t i = negative->n; i-- > 0;) {
    if (rank < negative->count[i])
      return -middle (negative->first + (int32_t) i);
    rank -= negative->count[i];
  }
  if (rank < s->zeros)
    return 0;
  rank -= s->zeros;
  for (uint32_t i = 0; i < positive->n; i++) {
    if (rank < positive->count[i])
      return middle (positive->first + (int32_t) i);
    rank -= positive->count[i];
  }
  return NAN;
}

double
stats_sketch_quantile (const StatsSketch *s, double q)
{
  double part;

  if (s->n == 0 || !(q >= 0 && q <= 1))
    return NAN;
  uint64_t rank = stats_quantile_rank (s->n, q, &part);
  double low = value_at (s, rank);
  return part > 0 ? stats_quantile_between (low, value_at (s, rank + 1), part) : low;
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
      s->side[k].count = g_memdup2 (counts, (gsize) n * sizeof counts[0]);
      s->side[k].first = (int32_t) first;
      s->side[k].n = (uint32_t) n;
    }
    for (int64_t i = 0; i < n; i++)
      s->n += (uint64_t) counts[i];
  }
  return true;
}
