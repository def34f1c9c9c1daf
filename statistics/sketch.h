/* SPDX-License-Identifier: Apache-2.0 */
/* sketch.h - quantiles of a stream in bounded memory, with a bound on their error.
 *
 * DDSketch (Masson, Rim, Lee, "DDSketch: a fast and fully-mergeable quantile sketch with relative-error guarantees",
 * VLDB 2019) with the linearly interpolated mapping: each power of two is cut into 64 equal buckets, so that the bucket
 * of a number is its leading bits.  A value is off by at most STATS_SKETCH_ERROR of itself, whatever the data, as long
 * as they span less than 64 powers of two; beyond, buckets nearest to zero are merged (stats_sketch_collapsed).  A
 * quantile (quantile.h) lies between two values and is off as they are.  No chance is involved, so the same data give
 * the same sketch in any order.  At most 64 KB.
 */
#pragma once
#include "eve/eve.h"

#define STATS_SKETCH_ERROR (1.0 / 129) /* (g - 1) / (g + 1) with g = 65 / 64, the widest bucket */

#pragma GCC visibility push(default)
typedef struct StatsSketch StatsSketch;
StatsSketch *stats_sketch_new (void);
void stats_sketch_free (StatsSketch *s); /* NULL: nothing */
void stats_sketch_clear (StatsSketch *s);
/* What is not finite is left out. */
void stats_sketch_add (StatsSketch *s, double x);
void stats_sketch_merge (StatsSketch *to, const StatsSketch *from);
uint64_t stats_sketch_count (const StatsSketch *s);
/* Quantile q, from 0 to 1, as quantile.h defines it; NaN without values. */
double stats_sketch_quantile (const StatsSketch *s, double q);
/* The error may be larger for small values. */
bool stats_sketch_collapsed (const StatsSketch *s);
void stats_sketch_save (const StatsSketch *s, EveBlob *to);
bool stats_sketch_load (StatsSketch *s, EveBlobView *from);
#pragma GCC visibility pop
