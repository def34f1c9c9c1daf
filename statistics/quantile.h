/* SPDX-License-Identifier: Apache-2.0 */
/* quantile.h - what a quantile is, wherever one is told: type 7 of R. J. Hyndman and Y. Fan, "Sample quantiles in
 * statistical packages", The American Statistician 50 (1996).
 *
 * Of n sorted values x[0] to x[n - 1], quantile q lies at the place q (n - 1): a value, or on the straight line between
 * two.  So the median of an even number of values is the mean of the two in the middle.  R, NumPy and most spreadsheets
 * take the same type if nothing else is asked for. */
#pragma once
#include <math.h>
#include <stdint.h>

/* The rank, from 0, of the value at or before the place of quantile q (0 to 1) among n > 0 values, and in *part how far
 * the place is on the way to the next value (0 to 1). */
static inline uint64_t
stats_quantile_rank (uint64_t n, double q, double *part)
{
  double place = q * (double) (n - 1), rank = floor (place);

  *part = place - rank;
  return rank < (double) n ? (uint64_t) rank : n - 1; /* a count above 2^53 may round up */
}

/* What lies `part` of the way from one value to the next; nothing overflows. */
static inline double
stats_quantile_between (double low, double high, double part)
{
  return part > 0 && low < high ? low * (1 - part) + high * part : low;
}

/* Quantile q of n sorted values; NaN without values, or if q is not from 0 to 1. */
static inline double
stats_quantile (const double *sorted, uint64_t n, double q)
{
  double part;

  if (n == 0 || !(q >= 0 && q <= 1))
    return NAN;
  uint64_t rank = stats_quantile_rank (n, q, &part);
  return part > 0 ? stats_quantile_between (sorted[rank], sorted[rank + 1], part) : sorted[rank];
}
