/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - an input that takes numbers of any kind: real, whole, truth values, dated numbers.
 *
 * Such a port has type NULL and the component the function number_refuse().  Engine thread only. */
#pragma once
#include <math.h>
#include <stdio.h>
#include "statistics/types.h"

static inline bool
number_is (const EveType *t)
{
  return t == &eve_type_double || t == &eve_type_int64 || t == &eve_type_bool || t == &stats_type_datum;
}

/* The `refuse` of such a component: all its ports without a type take numbers. */
static inline const char *
number_refuse (G_GNUC_UNUSED EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  static char sentence[200];

  if ((in ? in->type : out->type) || !other || number_is (other))
    return NULL;
  snprintf (sentence, sizeof sentence,
            "%s takes numbers, also dated ones, but a %s is none; put a component between that gives a number",
            in ? in->name : out->name, other->name);
  return sentence;
}

/* Whether a datum is one more to count.  What is told at rest is the present value of something and is not, but for a
 * stretch that still lasts: it counts as far as it has come.  `at_rest`: eve_at_rest(), asked once for many data. */
static inline bool
number_counts (bool at_rest, const EveType *t, const void *datum)
{
  return G_LIKELY (!at_rest) || (t == &stats_type_datum && ((const StatsDatum *) datum)->unfinished);
}

static inline double
number_at (const EveType *t, const void *datum)
{
  return t == &eve_type_double  ? *(const double *) datum
         : t == &eve_type_int64 ? (double) *(const int64_t *) datum
         : t == &eve_type_bool  ? *(const bool *) datum
                                : stats_datum_number ((const StatsDatum *) datum);
}

/* The same with what a dated number knows beside; plain numbers have no date and no owner. */
static inline StatsDatum
number_dated (const EveType *t, const void *datum)
{
  StatsDatum d = { .date = INT64_MIN, .owner = TRACE_NONE };

  if (t == &stats_type_datum)
    return *(const StatsDatum *) datum;
  d.is_whole = t != &eve_type_double;
  if (d.is_whole)
    d.value.whole = t == &eve_type_int64 ? *(const int64_t *) datum : *(const bool *) datum;
  else
    d.value.real = *(const double *) datum;
  return d;
}

/* When to give a large thing: after the 1st, 2nd, 4th, ... datum, and from the `every`-th on at each multiple of it;
 * `every` 0: never on the way.  So a short run is seen at once and a long one costs next to nothing. */
static inline bool
number_is_due (uint64_t count, int64_t every)
{
  if (every <= 0)
    return false;
  return count < (uint64_t) every ? (count & (count - 1)) == 0 : count % (uint64_t) every == 0;
}

/* The same for what has `rows` rows by now: a large table is given less often, so that all the tables of a run together
 * cost no more than a few times what its data do.  By powers of two, as the number of rows may grow with each datum. */
static inline bool
number_table_is_due (uint64_t count, int64_t every, uint64_t rows)
{
  int64_t most = rows < 4 ? 1 : INT64_C (1) << (61 - __builtin_clzll (rows)); /* rows / 8 to rows / 4 */

  return number_is_due (count, every > 0 ? MAX (every, most) : every);
}
