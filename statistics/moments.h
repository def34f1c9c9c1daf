/* SPDX-License-Identifier: Apache-2.0 */
/* moments.h - count, sum, extrema, mean and variance of a stream in one pass, and of two streams together.
 *
 * Mean and squares: B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
 * Technometrics 4 (1962); merging: Chan, Golub, LeVeque, "Updating formulae and a pairwise algorithm for computing
 * sample variances" (1979); products: P. Pebay, Sandia report SAND2008-6212.  Sums: A. Neumaier (1974), so that whole
 * numbers add up exactly as far as 2^53 and rounding does not grow with the length of the stream. What is not finite is
 * counted apart and changes nothing else. */
#pragma once
#include <math.h>
#include "eve/eve.h"

typedef struct StatsMoments {
  uint64_t n;       /* finite values */
  uint64_t n_odd;   /* infinities and NaN */
  double sum, lost; /* the sum is sum + lost */
  double mean, m2;  /* m2: sum of squares of the distances from the mean */
  double min, max;  /* only meaningful if n > 0 */
} StatsMoments;

static inline void
stats_sum_add (double *sum, double *lost, double x)
{
  double t = *sum + x;

  *lost += fabs (*sum) >= fabs (x) ? (*sum - t) + x : (x - t) + *sum;
  *sum = t;
}

static inline void
stats_moments_add (StatsMoments *m, double x)
{
  if (!(x - x == 0)) {
    m->n_odd++;
    return;
  }
  double delta = x - m->mean;
  if (m->n == 0 || x < m->min)
    m->min = x;
  if (m->n == 0 || x > m->max)
    m->max = x;
  m->n++;
  m->mean += delta / (double) m->n;
  m->m2 += delta * (x - m->mean);
  stats_sum_add (&m->sum, &m->lost, x);
}

/* a becomes what it were had it seen the values of b too. */
static inline void
stats_moments_merge (StatsMoments *a, const StatsMoments *b)
{
  a->n_odd += b->n_odd;
  if (b->n == 0)
    return;
  double na = (double) a->n, nb = (double) b->n, delta = b->mean - a->mean;
  if (a->n == 0 || b->min < a->min)
    a->min = b->min;
  if (a->n == 0 || b->max > a->max)
    a->max = b->max;
  a->n += b->n;
  a->mean += delta * nb / (na + nb);
  a->m2 += b->m2 + delta * delta * na * nb / (na + nb);
  stats_sum_add (&a->sum, &a->lost, b->sum);
  a->lost += b->lost;
}

static inline double
stats_moments_sum (const StatsMoments *m)
{
  return m->sum + m->lost;
}
/* NaN where there are too few values. */
static inline double
stats_moments_mean (const StatsMoments *m)
{
  return m->n ? m->mean : NAN;
}
static inline double
stats_moments_min (const StatsMoments *m)
{
  return m->n ? m->min : NAN;
}
static inline double
stats_moments_max (const StatsMoments *m)
{
  return m->n ? m->max : NAN;
}
/* Of a sample: divided by n - 1. */
static inline double
stats_moments_variance (const StatsMoments *m)
{
  return m->n > 1 ? m->m2 / (double) (m->n - 1) : NAN;
}

static inline void
stats_moments_save (const StatsMoments *m, EveBlob *to)
{
  eve_put_int (to, (int64_t) m->n);
  eve_put_int (to, (int64_t) m->n_odd);
  eve_put_double (to, m->sum);
  eve_put_double (to, m->lost);
  eve_put_double (to, m->mean);
  eve_put_double (to, m->m2);
  eve_put_double (to, m->min);
  eve_put_double (to, m->max);
}
static inline void
stats_moments_load (StatsMoments *m, EveBlobView *from)
{
  m->n = (uint64_t) eve_get_int (from);
  m->n_odd = (uint64_t) eve_get_int (from);
  m->sum = eve_get_double (from);
  m->lost = eve_get_double (from);
  m->mean = eve_get_double (from);
  m->m2 = eve_get_double (from);
  m->min = eve_get_double (from);
  m->max = eve_get_double (from);
}

/* Two streams, pair by pair. */
typedef struct StatsPairs {
  uint64_t n, n_odd;                    /* pairs of finite values; others */
  double mean_x, mean_y, m2_x, m2_y, c; /* c: sum of products of the distances from the means */
} StatsPairs;

static inline void
stats_pairs_add (StatsPairs *p, double x, double y)
{
  if (!(x - x == 0) || !(y - y == 0)) {
    p->n_odd++;
    return;
  }
  double dx = x - p->mean_x, dy = y - p->mean_y, n = (double) ++p->n;
  p->mean_x += dx / n;
  p->mean_y += dy / n;
  p->m2_x += dx * (x - p->mean_x);
  p->m2_y += dy * (y - p->mean_y);
  p->c += dx * (y - p->mean_y);
}

/* Pearson's coefficient, -1 to 1; NaN with less than two pairs or when one stream is constant. */
static inline double
stats_pairs_correlation (const StatsPairs *p)
{
  double both = p->m2_x * p->m2_y; /* one root rounds less than two, where the product can be had */
  double r = !(p->n > 1 && p->m2_x > 0 && p->m2_y > 0) ? NAN
             : both >= 1e-290 && both <= 1e300         ? p->c / sqrt (both)
                                                       : p->c / (sqrt (p->m2_x) * sqrt (p->m2_y));

  return r > 1 ? 1 : r < -1 ? -1 : r;
}
