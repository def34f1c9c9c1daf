/* SPDX-License-Identifier: Apache-2.0 */
/* statistics.c - what a stream of numbers amounts to: count, sum, rate, extrema, mean, variance, quantiles; over
 * everything, the last n, each n, or each phase. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "readers/counted.h"
#include "statistics/moments.h"
#include "eve/words.h"
#include "statistics/numbers.h"
#include "statistics/quantile.h"
#include "statistics/sketch.h"

enum { OVER_ALL, OVER_LAST, OVER_EACH, OVER_PHASE };
static const char *const overs[] = { "everything", "last n", "each n", "each phase", NULL };
enum {
  OUT_COUNT,
  OUT_SUM,
  OUT_RATE,
  OUT_MIN,
  OUT_MAX,
  OUT_MEAN,
  OUT_VARIANCE,
  OUT_DEVIATION,
  OUT_QUANTILE,
  OUT_TABLE,
  N_OUTS
};

#define MOST_KEPT 1000000

typedef struct Kept { /* of the last n */
  double x;
  int64_t date;
} Kept;

typedef struct Statistics {
  EveBase base;
  int32_t over;
  int64_t n, every;
  double quantile;
  char *title;
  StatsMoments m;
  StatsSketch *sketch;
  uint64_t seen, phase, given; /* since the beginning; given: `seen` when last given */
  int64_t first, last;         /* dates, ticks; INT64_MIN: none */
  uint16_t source;
  const char *unit;
  Kept *kept;      /* OVER_LAST: a ring of n */
  uint64_t n_kept; /* in it */
  double *sorted;
} Statistics;

static void statistics_phase (EveComponent *c, EveIn *in, const void *datum);
static void statistics_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "value", NULL, .required = true, .present = true, .doc = "Numbers: real, whole, truth values or dated." },
  { "phase", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, statistics_phase,
    .doc = "Any datum: a phase ends here; with *over* each phase its statistics are given and a new one begins." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, statistics_give, .doc = "Any datum: give the statistics now." },
};
static const EveOutSpec outs[N_OUTS] = {
  [OUT_COUNT] = { "count", &eve_type_int64, .doc = "How many values; infinities and NaN are not among them." },
  [OUT_SUM] = { "sum", &eve_type_double, .doc = "Their sum." },
  [OUT_RATE] = { "rate", &eve_type_double, .unit = "1/s",
                 .doc = "Values a second, between the first and the last; NaN without dates." },
  [OUT_MIN] = { "min", &eve_type_double, .doc = "The smallest." },
  [OUT_MAX] = { "max", &eve_type_double, .doc = "The largest." },
  [OUT_MEAN] = { "mean", &eve_type_double, .doc = "Their mean." },
  [OUT_VARIANCE] = { "variance", &eve_type_double, .doc = "Their variance, divided by count - 1." },
  [OUT_DEVIATION] = { "deviation", &eve_type_double, .doc = "Its square root: the standard deviation." },
  [OUT_QUANTILE] = { "quantile", &eve_type_double, .doc = "The quantile that is set, of type 7." },
  [OUT_TABLE] = { "table", &stats_type_table, .doc = "All of them, and the usual quantiles, as a table of one row." },
};
static const EveField settings[] = {
  { "over", EVE_F_CHOICE, offsetof (Statistics, over), .def = OVER_ALL, .choices = overs,
    .doc = "Over all values so far, the last n, n after n, or from phase to phase." },
  { "n", EVE_F_INT64, offsetof (Statistics, n), .min = 1, .max = MOST_KEPT, .def = 100,
    .doc = "For last n and each n." },
  { "every", EVE_F_INT64, offsetof (Statistics, every), .min = 0, .max = 1e15, .def = 1,
    .doc = "Give them after so many values, more often at first; 0: at the end only. Not for each n and each phase." },
  { "quantile", EVE_F_DOUBLE, offsetof (Statistics, quantile), .min = 0, .max = 1, .def = 0.5,
    .doc = "Which quantile: 0.5 is the median, 0.9 what nine values of ten are below." },
  { "title", EVE_F_STRING, offsetof (Statistics, title),
    .doc = "What is counted, for charts; empty: the name of the box." },
};

/* What belongs to the phase, or the window of n, that begins. */
static void
statistics_begin (Statistics *self)
{
  memset (&self->m, 0, sizeof self->m);
  stats_sketch_clear (self->sketch);
  self->first = self->last = INT64_MIN;
  self->n_kept = 0;
}

static void
statistics_reset (EveComponent *c)
{
  Statistics *self = (Statistics *) c;

  statistics_begin (self);
  self->seen = self->phase = self->given = 0;
  self->unit = NULL;
  self->source = 0;
}

static bool
statistics_changed (EveComponent *c, uint32_t setting)
{
  Statistics *self = (Statistics *) c;

  if (setting > 1)
    return true;
  statistics_begin (self);
  g_clear_pointer (&self->kept, free);
  g_clear_pointer (&self->sorted, free);
  if (self->over == OVER_LAST) {
    self->kept = malloc ((size_t) self->n * sizeof *self->kept);
    self->sorted = malloc ((size_t) self->n * sizeof *self->sorted);
    if (!self->kept || !self->sorted) {
      eve_fail (c, _ ("There is no memory to keep %lld values; lower n."), (long long) self->n);
      return false;
    }
  }
  return true;
}

static bool
statistics_init (EveComponent *c)
{
  ((Statistics *) c)->sketch = stats_sketch_new ();
  statistics_reset (c);
  return true;
}

static void
statistics_finish (EveComponent *c)
{
  Statistics *self = (Statistics *) c;

  stats_sketch_free (self->sketch);
  free (self->kept);
  free (self->sorted);
}

static int
statistics_by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The moments of the last n: taken anew from them, so that no rounding piles up; what comes out costs n each time it is
 * given, which `every` spreads. */
static void
over_last (Statistics *self)
{
  uint64_t n = MIN (self->n_kept, (uint64_t) self->n), begin = self->n_kept - n;

  memset (&self->m, 0, sizeof self->m);
  for (uint64_t i = 0; i < n; i++)
    stats_moments_add (&self->m, self->kept[(begin + i) % (uint64_t) self->n].x);
  self->first = n ? self->kept[begin % (uint64_t) self->n].date : INT64_MIN;
}

/* Of the sorted values, or of the sketch of all, which rounds: never beyond the extrema. */
static double
statistics_quantile (Statistics *self, double q)
{
  if (self->over != OVER_LAST)
    return self->m.n ? CLAMP (stats_sketch_quantile (self->sketch, q), self->m.min, self->m.max) : NAN;
  uint64_t n = 0;
  for (uint64_t i = 0; i < MIN (self->n_kept, (uint64_t) self->n); i++)
    if (self->kept[i].x - self->kept[i].x == 0)
      self->sorted[n++] = self->kept[i].x;
  qsort (self->sorted, n, sizeof *self->sorted, statistics_by_value);
  return stats_quantile (self->sorted, n, q);
}

static double
rate (const Statistics *self)
{
  const TraceSource *s = trace_source (self->source);
  double span = s && self->first > INT64_MIN
                    ? trace_clock_seconds (&s->clock, self->last) - trace_clock_seconds (&s->clock, self->first)
                    : 0;

  return span > 0 ? (double) (self->m.n + self->m.n_odd - 1) / span : NAN;
}

static void
statistics_give_table (Statistics *self)
{
  static const double qs[] = { 0.01, 0.25, 0.5, 0.75, 0.9, 0.99 };
  const char *unit = self->unit ? self->unit : eve_in_unit (self->base.in[0]);
  StatsColumn columns[] = {
    { "what", NULL, STATS_CELL_TEXT },        { "count", NULL, STATS_CELL_WHOLE },
    { "sum", unit, STATS_CELL_REAL },         { "rate", "1/s", STATS_CELL_REAL },
    { "min", unit, STATS_CELL_REAL },         { "1 %", unit, STATS_CELL_REAL },
    { "25 %", unit, STATS_CELL_REAL },        { "median", unit, STATS_CELL_REAL },
    { "75 %", unit, STATS_CELL_REAL },        { "90 %", unit, STATS_CELL_REAL },
    { "99 %", unit, STATS_CELL_REAL },        { "max", unit, STATS_CELL_REAL },
    { "mean", unit, STATS_CELL_REAL },        { "deviation", unit, STATS_CELL_REAL },
    { "no numbers", NULL, STATS_CELL_WHOLE },
  };
  const char *title = self->title[0] ? self->title : eve_name ((EveComponent *) self);
  bool dated = eve_in_type (self->base.in[0]) == &stats_type_datum;
  uint32_t n = EVE_N (columns), k = 3;

  if (!dated) /* no rate is known of numbers without dates */
    memmove (columns + 3, columns + 4, (--n - 3) * sizeof *columns);
  StatsTable *t = stats_table_new (title, columns, n, 1);

  stats_table_set_text (t, 0, 0, title);
  t->date = self->last;
  t->source = self->source;
  stats_cell (t, 0, 1)->whole = (int64_t) self->m.n;
  stats_cell (t, 0, 2)->real = stats_moments_sum (&self->m);
  if (dated)
    stats_cell (t, 0, k++)->real = rate (self);
  stats_cell (t, 0, k++)->real = stats_moments_min (&self->m);
  for (guint i = 0; i < G_N_ELEMENTS (qs); i++)
    stats_cell (t, 0, k++)->real = statistics_quantile (self, qs[i]);
  stats_cell (t, 0, k++)->real = stats_moments_max (&self->m);
  stats_cell (t, 0, k++)->real = stats_moments_mean (&self->m);
  stats_cell (t, 0, k++)->real = sqrt (stats_moments_variance (&self->m));
  stats_cell (t, 0, k)->whole = (int64_t) self->m.n_odd;
  eve_emit_steal (self->base.out[OUT_TABLE], &t);
}

static void
statistics_tell (Statistics *self)
{
  EveOut *const *out = self->base.out;

  if (self->over == OVER_LAST)
    over_last (self);
  double variance = stats_moments_variance (&self->m);
  eve_emit (out[OUT_COUNT], &(int64_t){ (int64_t) self->m.n });
  eve_emit (out[OUT_SUM], &(double){ stats_moments_sum (&self->m) });
  if (eve_out_connected (out[OUT_RATE]))
    eve_emit (out[OUT_RATE], &(double){ rate (self) });
  eve_emit (out[OUT_MIN], &(double){ stats_moments_min (&self->m) });
  eve_emit (out[OUT_MAX], &(double){ stats_moments_max (&self->m) });
  eve_emit (out[OUT_MEAN], &(double){ stats_moments_mean (&self->m) });
  eve_emit (out[OUT_VARIANCE], &variance);
  eve_emit (out[OUT_DEVIATION], &(double){ sqrt (variance) });
  if (eve_out_connected (out[OUT_QUANTILE]))
    eve_emit (out[OUT_QUANTILE], &(double){ statistics_quantile (self, self->quantile) });
  if (eve_out_connected (out[OUT_TABLE]))
    statistics_give_table (self);
}

static void
statistics_give_now (Statistics *self)
{
  self->given = self->seen;
  statistics_tell (self);
}

static void
statistics_phase (EveComponent *c, EveIn *in, const void *datum)
{
  Statistics *self = (Statistics *) c;

  self->phase++;
  if (self->over != OVER_PHASE)
    return;
  statistics_give_now (self);
  statistics_begin (self);
}

static void
statistics_give (EveComponent *c, EveIn *in, const void *datum)
{
  statistics_give_now ((Statistics *) c);
}

static void
statistics_step (Statistics *self, const EveType *type, const void *datum)
{
  double x = number_at (type, datum);
  int64_t date = INT64_MIN;

  if (type == &stats_type_datum) {
    const StatsDatum *d = datum;
    date = d->date;
    self->source = d->source;
    self->unit = d->unit;
  }
  self->seen++;
  if (self->over == OVER_LAST) {
    self->kept[self->n_kept++ % (uint64_t) self->n] = (Kept){ x, date };
  } else {
    stats_moments_add (&self->m, x);
    stats_sketch_add (self->sketch, x);
    if (self->first == INT64_MIN)
      self->first = date;
  }
  self->last = date;
  if (self->over == OVER_EACH) {
    if (self->m.n + self->m.n_odd == (uint64_t) self->n) {
      statistics_give_now (self);
      statistics_begin (self);
    }
  } else if (self->over != OVER_PHASE && number_is_due (self->seen, self->every)) {
    statistics_give_now (self);
  }
}

static void
statistics_fire (EveComponent *c)
{
  Statistics *self = (Statistics *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *datum = eve_take (self->base.in[0]);

  if (number_counts (eve_at_rest (c), type, datum))
    statistics_step (self, type, datum);
}

static void
statistics_fire_span (EveComponent *c, uint32_t n)
{
  Statistics *self = (Statistics *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const char *datum = eve_take_span (self->base.in[0], n);
  bool at_rest = eve_at_rest (c);

  for (; n; n--, datum += type->size)
    if (number_counts (at_rest, type, datum))
      statistics_step (self, type, datum);
}

static bool
statistics_is_due (const Statistics *self)
{
  bool windows = self->over == OVER_EACH || self->over == OVER_PHASE;

  return windows ? self->m.n + self->m.n_odd > 0 : self->given != self->seen;
}

/* The last, unfinished window or phase is given too. */
static bool
statistics_at_end (EveComponent *c)
{
  Statistics *self = (Statistics *) c;

  if (statistics_is_due (self) || self->seen == 0)
    statistics_give_now (self);
  if (self->over == OVER_LAST)
    over_last (self);
  eve_status (c, _ ("%llu values, mean %.4g"), (unsigned long long) self->seen, stats_moments_mean (&self->m));
  return true;
}

static bool
statistics_at_rest (EveComponent *c, int64_t now)
{
  Statistics *self = (Statistics *) c;
  StatsMoments m = self->m;
  int64_t first = self->first;

  if (statistics_is_due (self)) {
    statistics_tell (self);
    eve_status (c, _ ("%llu values, mean %.4g"), (unsigned long long) self->seen, stats_moments_mean (&self->m));
  }
  self->m = m; /* what is worked out of the last n is run state */
  self->first = first;
  return true;
}

static void
statistics_save (EveComponent *c, EveBlob *to)
{
  const Statistics *self = (const Statistics *) c;
  uint64_t n = self->over == OVER_LAST ? MIN (self->n_kept, (uint64_t) self->n) : 0;

  stats_moments_save (&self->m, to);
  stats_sketch_save (self->sketch, to);
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->phase);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->first);
  eve_put_int (to, self->last);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_text (to, self->unit);
  eve_put_int (to, (int64_t) self->n_kept);
  eve_put_int (to, (int64_t) n);
  for (uint64_t i = 0; i < n; i++) {
    eve_put_double (to, self->kept[i].x);
    eve_put_int (to, self->kept[i].date);
  }
}

static bool
statistics_load (EveComponent *c, EveBlobView *from)
{
  Statistics *self = (Statistics *) c;

  stats_moments_load (&self->m, from);
  if (!stats_sketch_load (self->sketch, from))
    return false;
  self->seen = (uint64_t) eve_get_int (from);
  self->phase = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->first = eve_get_int (from);
  self->last = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  const char *unit = eve_get_text (from);
  self->unit = *unit ? g_intern_string (unit) : NULL;
  self->n_kept = (uint64_t) eve_get_int (from);
  uint64_t n = (uint64_t) eve_get_int (from);
  if (!eve_get_ok (from) || n != (self->over == OVER_LAST ? MIN (self->n_kept, (uint64_t) self->n) : 0))
    return false;
  for (uint64_t i = 0; i < n; i++) {
    self->kept[i].x = eve_get_double (from);
    self->kept[i].date = eve_get_int (from);
  }
  return eve_get_ok (from);
}

static const EveClass statistics = {
  EVE_CLASS_HEAD,
  .id = "scope.statistics",
  .label = "Statistics",
  .category = "Analysis",
  .version = 1,
  .doc = "Count, sum, rate, extrema, mean, variance and quantiles of a stream of numbers.",
  .help =
      "*over* says of which values: `everything` so far; the `last n` (moving); `each n`, one result for n values; "
      "`each "
      "phase`, one result from one datum at `phase` to the next. Infinities and NaN are counted in the table and enter "
      "nothing else; without values the mean is NaN.\n\n"
      "Mean and variance follow Welford (1962), sums Neumaier (1974). Quantiles are of type 7 "
      "(Hyndman and Fan, 1996): quantile q lies at the place q (count - 1) of the sorted values, on the line between "
      "two of them. Over the last n they are exact; else DDSketch (Masson, Rim, Lee, VLDB 2019) keeps each value to "
      "1/129 of itself (0.8 %) in 64 KB. The rate is (count - 1) / (last date - first date).\n\n"
      "Example: the numbers 1 to 4 have count 4, sum 10, mean 2.5, variance 1.6667, median 2.5.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Statistics),
  .init = statistics_init,
  .finish = statistics_finish,
  .reset = statistics_reset,
  .changed = statistics_changed,
  .fire = statistics_fire,
  .fire_span = statistics_fire_span,
  .at_end = statistics_at_end,
  .at_rest = statistics_at_rest,
  .refuse = number_refuse,
  .save = statistics_save,
  .load = statistics_load,
  .query = trace_counted_anew,
};
EVE_PLUGIN (&statistics);
