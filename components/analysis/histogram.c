/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - the distribution of a variable over an interval (thesis, section 5.1.2). */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "readers/counted.h"
#include "readers/box-inspector.h"
#include "eve/words.h"
#include "statistics/moments.h"
#include "statistics/numbers.h"

typedef struct Histogram {
  EveBase base;
  double from, to;
  int64_t n_bins, every;
  bool fit;
  int32_t scale_of; /* setting `scale` */
  int32_t power;    /* fit: a cell is 10^power wide, and the first begins at low times that; INT32_MIN: no value yet */
  int64_t low;
  uint64_t *cells;                /* n_cells(), finer than the bins that are made of them */
  uint64_t *tenths;               /* of values above 0, ten cells a power of ten, TENTHS of them */
  int64_t first_tenth, end_tenth; /* those before and from there on have none */
  int64_t first_cell, end_cell;   /* the same of cells */
  uint64_t n_zero;
  char *title, *unit;
  uint64_t *bins; /* below, the bins, above */
  double scale;   /* bins a unit */
  uint64_t no_number;
  double min, max, sum, lost;
  uint64_t count, finite, given;
  int64_t date;
  const char *datum_unit; /* interned: of dated numbers */
  uint16_t source;
} Histogram;

static void histogram_give (EveComponent *c, EveIn *in, const void *datum);

enum { SCALE_AUTOMATIC, SCALE_LINEAR, SCALE_LOGARITHMIC };
static const char *const scales[] = { "automatic", "linear", "logarithmic", NULL };

static const EveInSpec ins[] = {
  { "value", NULL, .required = true, .present = true, .doc = "Numbers: real, whole, truth values or dated." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, histogram_give, .doc = "Any datum: give the histogram now." },
};
static const EveOutSpec outs[] = {
  { "histogram", &stats_type_histogram, .doc = "The distribution so far, now and then, and at the end." },
  { "min", &eve_type_double, .doc = "The smallest value so far, with each histogram." },
  { "max", &eve_type_double, .doc = "The largest." },
  { "mean", &eve_type_double, .doc = "Their mean." },
};
#define LAST_OF_BINS 3 /* of the settings those until here begin the count anew */
static const EveField settings[] = {
  { "from", EVE_F_DOUBLE, offsetof (Histogram, from), .def = 0, .doc = "Lower bound of the interval." },
  { "to", EVE_F_DOUBLE, offsetof (Histogram, to), .def = 1, .doc = "Upper bound." },
  { "bins", EVE_F_INT64, offsetof (Histogram, n_bins), .min = 1, .max = STATS_MAX_BINS, .def = 20,
    .doc = "Into how many equal parts the interval is cut." },
  { "fit", EVE_F_BOOL, offsetof (Histogram, fit), .def = 1,
    .doc = "Cut the interval as the values need it, into at most so many bins with round bounds; then from and to do "
           "not matter." },
  { "scale", EVE_F_CHOICE, offsetof (Histogram, scale_of), .choices = scales,
    .doc =
        "Of an interval that fits itself: bins of equal width from zero, or from the least value where all would share "
        "one else, or each as many times as wide as the one before; automatic: the latter where most values would "
        "share one bin else." },
  { "every", EVE_F_INT64, offsetof (Histogram, every), .min = 0, .max = 1e15, .def = 4096,
    .doc = "Give it after so many values, more often at first; 0: at the end only." },
  { "title", EVE_F_STRING, offsetof (Histogram, title),
    .doc = "What is counted, for charts; empty: the name of the box." },
  { "unit", EVE_F_STRING, offsetof (Histogram, unit),
    .doc = "Unit of the values; empty: that of the outputs that they come from." },
};

#define TENTHS_LOW (-3300) /* tenths of powers of ten: all that doubles can be */
#define TENTHS 6500
#define LOW_MOST (1000000 + (int64_t) 20 * STATS_MAX_BINS) /* six digits, and all others are near that value */
#define NEAR_EDGE 1e-6                                     /* of a tenth: far more than log10() may be wrong by */

static size_t
histogram_n_cells (const Histogram *self)
{
  return 10 * (size_t) self->n_bins + 20;
}

static void
histogram_clear (Histogram *self)
{
  memset (self->bins, 0, (size_t) (self->n_bins + 2) * sizeof *self->bins);
  memset (self->cells, 0, histogram_n_cells (self) * sizeof *self->cells);
  memset (self->tenths, 0, TENTHS * sizeof *self->tenths);
  self->no_number = self->count = self->finite = self->given = self->n_zero = 0;
  self->sum = self->lost = 0;
  self->min = INFINITY;
  self->max = -INFINITY;
  self->date = INT64_MIN;
  self->datum_unit = NULL;
  self->power = INT32_MIN;
  self->low = 0;
  self->first_tenth = TENTHS;
  self->first_cell = (int64_t) histogram_n_cells (self);
  self->end_tenth = self->end_cell = 0;
}

/* The place for the bins as the settings are now. */
static bool
histogram_setup (EveComponent *c)
{
  Histogram *self = (Histogram *) c;
  uint64_t *bins = realloc (self->bins, (size_t) (self->n_bins + 2) * sizeof *bins);
  uint64_t *cells = realloc (self->cells, histogram_n_cells (self) * sizeof *cells);
  uint64_t *tenths = self->tenths ? self->tenths : malloc (TENTHS * sizeof *tenths);

  self->bins = bins ? bins : self->bins;
  self->cells = cells ? cells : self->cells;
  self->tenths = tenths;
  if (!bins || !cells || !tenths) {
    eve_fail (c, _ ("There is no memory for %lld bins; lower the number."), (long long) self->n_bins);
    return false;
  }
  self->scale = (double) self->n_bins / (self->to - self->from);
  histogram_clear (self);
  return true;
}

static bool
histogram_init (EveComponent *c)
{
  return histogram_setup (c);
}

static void
histogram_finish (EveComponent *c)
{
  free (((Histogram *) c)->bins);
  free (((Histogram *) c)->cells);
  free (((Histogram *) c)->tenths);
}

static void
histogram_reset (EveComponent *c)
{
  histogram_clear ((Histogram *) c);
  ((Histogram *) c)->source = 0;
}

/* Bounds are set one after the other, so a wrong order is told when values come, not here. */
static bool
histogram_changed (EveComponent *c, uint32_t setting)
{
  return setting > LAST_OF_BINS || histogram_setup (c);
}

/* ---- an interval that fits itself ----------------------------------------------------------------------------------------- */

/* The cell of that power of ten that a value is in: what counts is where its bounds are as a person writes them, so
 * that 0.3 begins the cell from 0.3 to 0.4. */
static int64_t
histogram_cell_of (double x, int power)
{
  double place = floor (power < 0 ? x * stats_power_of_ten (-power) : x / stats_power_of_ten (power));

  if (fabs (place) > 1e15)
    return place < 0 ? INT64_MIN / 4 : INT64_MAX / 4;
  int64_t i = (int64_t) place;
  while (x < stats_decimal (i, power))
    i--;
  while (x >= stats_decimal (i + 1, power))
    i++;
  return i;
}

static int64_t
down_by_ten (int64_t i)
{
  return i >= 0 ? i / 10 : -((9 - i) / 10);
}

/* Which cells and tenths have values. */
static void
find_used (const uint64_t *of, int64_t n, int64_t *first, int64_t *end)
{
  *first = n;
  *end = 0;
  for (int64_t i = 0; i < n; i++)
    if (of[i]) {
      *first = MIN (*first, i);
      *end = i + 1;
    }
}

/* Ten cells become one, without moving a value: so what comes out does not depend on the order of the values. */
static void
coarser (Histogram *self)
{
  int64_t low = down_by_ten (self->low), n = (int64_t) histogram_n_cells (self);

  for (int64_t i = 0; i < n; i++) {
    uint64_t count = self->cells[i];
    self->cells[i] = 0;
    if (count)
      self->cells[down_by_ten (self->low + i) - low] += count;
  }
  self->low = low;
  self->power++;
  find_used (self->cells, n, &self->first_cell, &self->end_cell);
}

/* Moves the cells up, so that a lower one has its place; false: there is no room for it. */
static bool
reach_down (Histogram *self, int64_t place)
{
  int64_t last = self->end_cell;

  if (self->low - place > (int64_t) histogram_n_cells (self) - last)
    return false;
  memmove (self->cells + (self->low - place), self->cells, (size_t) last * sizeof *self->cells);
  memset (self->cells, 0, (size_t) (self->low - place) * sizeof *self->cells);
  self->first_cell += self->low - place;
  self->end_cell += self->low - place;
  self->low = place;
  return true;
}

/* Moves them down, as far as the first of them are empty. */
static bool
reach_up (Histogram *self, int64_t place)
{
  int64_t first = self->first_cell, n = self->end_cell - first;

  if (n <= 0 || place - self->low - first >= (int64_t) histogram_n_cells (self))
    return false;
  memmove (self->cells, self->cells + first, (size_t) n * sizeof *self->cells);
  memset (self->cells + n, 0, (size_t) first * sizeof *self->cells);
  self->low += first;
  self->first_cell = 0;
  self->end_cell = n;
  return true;
}

/* So whether there is room hangs on the least and the greatest value alone. */
static bool
histogram_reach (Histogram *self, int64_t place)
{
  if (place < self->low)
    return reach_down (self, place);
  return place - self->low < (int64_t) histogram_n_cells (self) || reach_up (self, place);
}

static void
count_fit (Histogram *self, double x)
{
  int64_t place;

  if (self->power == INT32_MIN) { /* six digits of the first value */
    self->power = x != 0 ? (int32_t) floor (log10 (fabs (x))) - 5 : -300;
    self->power = MAX (self->power, -300);
    self->low = histogram_cell_of (x, self->power);
  }
  while (place = histogram_cell_of (x, self->power), !histogram_reach (self, place))
    coarser (self);
  self->cells[place - self->low]++;
  self->first_cell = MIN (self->first_cell, place - self->low);
  self->end_cell = MAX (self->end_cell, place - self->low + 1);
  self->n_zero += x == 0;
  if (x > 0) {
    double tenth = 10 * log10 (x);
    int64_t i = (int64_t) floor (tenth);
    if (fabs (tenth - round (tenth)) < NEAR_EDGE) { /* elsewhere the logarithm is exact enough */
      while (x < stats_tenth (i))
        i--;
      while (x >= stats_tenth (i + 1))
        i++;
    }
    i = CLAMP (i - TENTHS_LOW, 0, TENTHS - 1);
    self->tenths[i]++;
    self->first_tenth = MIN (self->first_tenth, i);
    self->end_tenth = MAX (self->end_tenth, i + 1);
  }
}

/* How the bins are made of cells: `step` of them each, from number `first` on. */
typedef struct Bins {
  int64_t first;
  int32_t step, power;
  uint32_t n;
  bool logarithmic;
  uint64_t fullest;
} Bins;

static int64_t
histogram_floor_to (int64_t x, int64_t step)
{
  return x >= 0 ? x / step * step : -((step - 1 - x) / step * step);
}

/* The narrowest of 1, 2, 5, 10, ... cells that need no more bins than there may be for those from `first` to `end`. */
static Bins
bins_over (const Histogram *self, int64_t first, int64_t end)
{
  int64_t power = self->power != INT32_MIN ? self->power : -2;
  Bins b = { .n = 1 };

  static const int steps[] = { 1, 2, 5 };
  for (int k = 0;; k++) {
    int64_t step = steps[k % 3];
    for (int t = 0; t < k / 3; t++)
      step *= 10;
    int64_t from = histogram_floor_to (first, step), to = histogram_floor_to (end + step - 1, step),
            most = MAX (self->n_bins, first < 0 && end > 0 ? 2 : 1);
    if ((to - from) / step > most)
      continue;
    b.first = from;
    b.step = (int32_t) step;
    b.power = (int32_t) power;
    b.n = (uint32_t) ((to - from) / step);
    break;
  }
  uint64_t *sums = g_new0 (uint64_t, b.n);
  for (int64_t i = self->first_cell; i < self->end_cell; i++)
    if (self->cells[i])
      sums[(self->low + i - b.first) / b.step] += self->cells[i];
  for (uint32_t i = 0; i < b.n; i++)
    b.fullest = MAX (b.fullest, sums[i]);
  g_free (sums);
  return b;
}

/* From 0, if nothing lies below; from the least, where all would share a bin else, so far from 0 and so near each other
 * are they. */
static Bins
linear_bins (const Histogram *self)
{
  if (self->end_cell <= 0)
    return bins_over (self, 0, 1);
  int64_t first = self->low + self->first_cell, end = self->low + self->end_cell;
  Bins b = bins_over (self, MIN (first, 0), MAX (end, 1));
  bool shared = b.fullest == self->finite && self->n_bins > 1 && end - first > 1;
  return shared ? bins_over (self, first, end) : b;
}

/* The same of tenths of powers of ten. */
static Bins
logarithmic_bins (const Histogram *self)
{
  static const int steps[] = { 1, 2, 5 };
  int64_t first = self->first_tenth + TENTHS_LOW, end = self->end_tenth + TENTHS_LOW;
  Bins b = { .logarithmic = true, .n = 1 };

  for (int k = 0;; k++) {
    int64_t step = k < 3 ? steps[k] : 10 * (k - 2);
    int64_t from = histogram_floor_to (first, step), to = histogram_floor_to (end + step - 1, step);
    if ((to - from) / step > MAX (self->n_bins, 1) && step < 1000)
      continue;
    b.first = from;
    b.step = (int32_t) step;
    b.n = (uint32_t) ((to - from) / step);
    return b;
  }
}

/* Whether most values would share one bin, though they are of very different sizes. */
static bool
is_spread (const Histogram *self, const Bins *linear)
{
  double least = self->end_tenth > 0 ? stats_tenth (self->first_tenth + TENTHS_LOW) : INFINITY;

  return self->min >= 0 && self->max > 100 * least && self->finite >= 3 && linear->fullest * 10 > self->finite * 6;
}

static Bins
fitting_bins (const Histogram *self)
{
  Bins b = linear_bins (self);
  bool possible = self->end_tenth > 0 && self->min >= 0;

  if (possible && (self->scale_of == SCALE_LOGARITHMIC || (self->scale_of == SCALE_AUTOMATIC && is_spread (self, &b))))
    return logarithmic_bins (self);
  return b;
}

/* What is nothing has no logarithm: it lies below. */
static void
fill_bins (const Histogram *self, const Bins *b, StatsHistogram *h)
{
  h->first = b->first;
  h->step = b->step;
  h->power = b->power;
  h->logarithmic = b->logarithmic;
  h->from = stats_histogram_edge (h, 0);
  h->to = stats_histogram_edge (h, h->n_bins);
  h->below = self->bins[0] + (b->logarithmic ? self->n_zero : 0);
  h->above = self->bins[self->n_bins + 1];
  for (int64_t i = self->first_tenth; b->logarithmic && i < self->end_tenth; i++)
    if (self->tenths[i])
      h->bins[(i + TENTHS_LOW - b->first) / b->step] += self->tenths[i];
  for (int64_t i = self->first_cell; !b->logarithmic && i < self->end_cell; i++)
    if (self->cells[i])
      h->bins[(self->low + i - b->first) / b->step] += self->cells[i];
}

/* ---- counting ----------------------------------------------------------------------------------------------------------- */

/* Bin 0 is below, n + 1 above; a value that is exactly `to` belongs to the last bin. */
static inline void
histogram_count (Histogram *self, double x)
{
  double place = (x - self->from) * self->scale;
  int64_t n = self->n_bins;

  if (x != x) {
    self->no_number++;
    return;
  }
  self->count++;
  if (self->fit && x - x == 0) {
    count_fit (self, x);
  } else if (self->fit) {
    self->bins[x < 0 ? 0 : n + 1]++;
    return;
  } else if (x >= self->from && x <= self->to) {
    int64_t i = place < (double) n ? (int64_t) place : n - 1;
    self->bins[i + 1]++;
  } else {
    self->bins[x < self->from ? 0 : n + 1]++;
    if (x - x != 0)
      return;
  }
  self->finite++;
  self->min = x < self->min ? x : self->min;
  self->max = x > self->max ? x : self->max;
  stats_sum_add (&self->sum, &self->lost, x);
}

/* An interval that is no interval: the values are told apart by nothing. */
static bool
histogram_sane (Histogram *self)
{
  if (self->fit || (self->from < self->to && self->scale > 0 && self->scale - self->scale == 0))
    return true;
  eve_fail ((EveComponent *) self,
            _ ("The interval from %g to %g is turned round, empty or without bound; give “from” less than “to”."),
            self->from, self->to);
  return false;
}

/* What a person set, what came with the values, or what the outputs say that they come from. */
static const char *
unit_of (const Histogram *self)
{
  const char *wired = eve_in_unit (self->base.in[0]);

  return self->unit[0] ? self->unit : self->datum_unit ? self->datum_unit : wired ? wired : "";
}

static void
histogram_tell (Histogram *self)
{
  double mean = self->finite ? (self->sum + self->lost) / (double) self->finite : NAN;
  double min = self->finite ? self->min : NAN, max = self->finite ? self->max : NAN;

  if (eve_out_connected (self->base.out[0])) {
    Bins fit = self->fit ? fitting_bins (self) : (Bins){ .n = (uint32_t) self->n_bins };
    StatsHistogram *h = stats_histogram_new (self->title[0] ? self->title : eve_name ((EveComponent *) self),
                                             unit_of (self), self->from, self->to, fit.n);
    h->date = self->date;
    h->source = self->source;
    if (self->fit) {
      fill_bins (self, &fit, h);
    } else {
      h->below = self->bins[0];
      memcpy (h->bins, self->bins + 1, (size_t) self->n_bins * sizeof *h->bins);
      h->above = self->bins[self->n_bins + 1];
    }
    h->no_number = self->no_number;
    h->count = self->count;
    h->min = min;
    h->max = max;
    h->mean = mean;
    eve_emit_steal (self->base.out[0], &h);
  }
  eve_emit (self->base.out[1], &min);
  eve_emit (self->base.out[2], &max);
  eve_emit (self->base.out[3], &mean);
}

static void
histogram_emit (Histogram *self)
{
  self->given = self->count + self->no_number;
  histogram_tell (self);
}

static void
histogram_give (EveComponent *c, EveIn *in, const void *datum)
{
  histogram_emit ((Histogram *) c);
}

static void
histogram_step (Histogram *self, const EveType *type, const void *datum)
{
  if (type == &stats_type_datum) {
    const StatsDatum *d = datum;
    self->date = d->date;
    self->source = d->source;
    self->datum_unit = d->unit;
  }
  histogram_count (self, number_at (type, datum));
  /* A histogram of many bins is not made for few values: that would cost more than counting them. */
  uint64_t seen = self->count + self->no_number;
  if (seen * 64 >= (uint64_t) self->n_bins
      && number_is_due (seen, self->every ? MAX (self->every, self->n_bins / 64) : 0))
    histogram_emit (self);
}

static void
histogram_fire (EveComponent *c)
{
  Histogram *self = (Histogram *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *datum = eve_take (self->base.in[0]);

  if (histogram_sane (self) && number_counts (eve_at_rest (c), type, datum))
    histogram_step (self, type, datum);
}

static void
histogram_fire_span (EveComponent *c, uint32_t n)
{
  Histogram *self = (Histogram *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const char *datum = eve_take_span (self->base.in[0], n);
  bool at_rest = eve_at_rest (c);

  if (!histogram_sane (self))
    return;
  for (; n; n--, datum += type->size)
    if (number_counts (at_rest, type, datum))
      histogram_step (self, type, datum);
}

static void
histogram_status (Histogram *self)
{
  eve_status ((EveComponent *) self, _ ("%llu values, %llu below, %llu above"), (unsigned long long) self->count,
              (unsigned long long) self->bins[0], (unsigned long long) self->bins[self->n_bins + 1]);
}

static bool
histogram_at_end (EveComponent *c)
{
  Histogram *self = (Histogram *) c;

  if (self->given != self->count + self->no_number || self->given == 0)
    histogram_emit (self);
  histogram_status (self);
  return true;
}

static bool
histogram_at_rest (EveComponent *c, int64_t now)
{
  Histogram *self = (Histogram *) c;

  if (self->given != self->count + self->no_number) {
    histogram_tell (self);
    histogram_status (self);
  }
  return true;
}

/* From the first that holds something to the last. */
static void
put_cells (const uint64_t *cells, size_t n, EveBlob *to)
{
  size_t first = 0;

  while (first < n && !cells[first])
    first++;
  while (n > first && !cells[n - 1])
    n--;
  eve_put_int (to, (int64_t) first);
  eve_put_int (to, (int64_t) (n - first));
  eve_put_ints (to, (const int64_t *) cells + first, n - first);
}

static bool
get_cells (uint64_t *cells, size_t n, EveBlobView *from)
{
  int64_t first = eve_get_int (from), some = eve_get_int (from);

  return eve_get_ok (from) && first >= 0 && some >= 0 && (uint64_t) first <= n
         && (uint64_t) some <= n - (uint64_t) first
         && eve_get_ints (from, (int64_t *) cells + first, (size_t) some) == (size_t) some;
}

static void
histogram_save (EveComponent *c, EveBlob *to)
{
  const Histogram *self = (const Histogram *) c;

  eve_put_ints (to, (const int64_t *) self->bins, (size_t) self->n_bins + 2);
  if (self->fit) {
    put_cells (self->cells, histogram_n_cells (self), to);
    put_cells (self->tenths, TENTHS, to);
    eve_put_int (to, (int64_t) self->n_zero);
  }
  eve_put_int (to, self->power);
  eve_put_int (to, self->low);
  eve_put_int (to, (int64_t) self->no_number);
  eve_put_int (to, (int64_t) self->count);
  eve_put_int (to, (int64_t) self->finite);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->date);
  eve_put_double (to, self->min);
  eve_put_double (to, self->max);
  eve_put_double (to, self->sum);
  eve_put_double (to, self->lost);
  eve_put_text (to, self->datum_unit);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
histogram_load (EveComponent *c, EveBlobView *from)
{
  Histogram *self = (Histogram *) c;
  size_t n = (size_t) self->n_bins + 2;

  if (eve_get_ints (from, (int64_t *) self->bins, n) != n)
    return false;
  if (self->fit) {
    if (!get_cells (self->cells, histogram_n_cells (self), from) || !get_cells (self->tenths, TENTHS, from))
      return false;
    self->n_zero = (uint64_t) eve_get_int (from);
    find_used (self->tenths, TENTHS, &self->first_tenth, &self->end_tenth);
    find_used (self->cells, (int64_t) histogram_n_cells (self), &self->first_cell, &self->end_cell);
  }
  int64_t power = eve_get_int (from);
  self->low = eve_get_int (from);
  if ((power != INT32_MIN && (power < -301 || power > 320)) || self->low > LOW_MOST || self->low < -LOW_MOST)
    return false;
  self->power = (int32_t) power;
  self->no_number = (uint64_t) eve_get_int (from);
  self->count = (uint64_t) eve_get_int (from);
  self->finite = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->min = eve_get_double (from);
  self->max = eve_get_double (from);
  self->sum = eve_get_double (from);
  self->lost = eve_get_double (from);
  const char *unit = eve_get_text (from);
  self->datum_unit = *unit ? g_intern_string (unit) : NULL;
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

/* ---- its inspector ------------------------------------------------------------------------------------------------- */
enum {
  ROW_FIT,
  ROW_FROM,
  ROW_TO,
  ROW_TAKE,
  ROW_BINS,
  ROW_EVERY,
  ROW_TITLE,
  ROW_UNIT,
  ROW_SEEN,
  ROW_COUNT,
  ROW_MIN,
  ROW_MAX,
  ROW_MEAN,
  ROW_OUTSIDE
};
static const BoxRow rows[] = {
  [ROW_FIT] = { BOX_ROW_SETTING, "fit", N_ ("Fit to the values"), NULL },
  [ROW_FROM] = { BOX_ROW_SETTING, "from", NULL, NULL },
  [ROW_TO] = { BOX_ROW_SETTING, "to", NULL, NULL },
  [ROW_TAKE] = { BOX_ROW_BUTTON, NULL, N_ ("From least to greatest"),
                 N_ ("Takes the interval from the values seen so far, and begins again.") },
  [ROW_BINS] = { BOX_ROW_SETTING, "bins", NULL, NULL },
  [ROW_EVERY] = { BOX_ROW_SETTING, "every", NULL, NULL },
  [ROW_TITLE] = { BOX_ROW_SETTING, "title", NULL, NULL },
  [ROW_UNIT] = { BOX_ROW_SETTING, "unit", NULL, NULL },
  [ROW_SEEN] = { BOX_ROW_HEADING, NULL, N_ ("Seen so far"), NULL },
  [ROW_COUNT] = { BOX_ROW_VALUE, NULL, N_ ("Values"), NULL },
  [ROW_MIN] = { BOX_ROW_VALUE, NULL, N_ ("Least"), NULL },
  [ROW_MAX] = { BOX_ROW_VALUE, NULL, N_ ("Greatest"), NULL },
  [ROW_MEAN] = { BOX_ROW_VALUE, NULL, N_ ("Mean"), NULL },
  [ROW_OUTSIDE] = { BOX_ROW_VALUE, NULL, N_ ("Outside"), N_ ("Values below the interval, and above it.") },
};

static bool
histogram_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  const Histogram *self = (const Histogram *) c;
  const char *unit = unit_of (self);
  double value = row == ROW_MIN   ? self->min
                 : row == ROW_MAX ? self->max
                                  : (self->sum + self->lost) / (double) MAX (self->finite, 1);

  switch (row) {
  case ROW_FROM:
  case ROW_TO:
    return !self->fit;
  case ROW_TAKE:
    return !self->fit && self->finite && self->min < self->max;
  case ROW_SEEN:
    return self->count > 0;
  case ROW_COUNT:
    g_snprintf (text, n, "%llu", (unsigned long long) self->count);
    return true;
  case ROW_MIN:
  case ROW_MAX:
  case ROW_MEAN:
    if (self->finite)
      g_snprintf (text, n, "%.6g%s%s", value, *unit ? " " : "", unit);
    return self->finite > 0;
  case ROW_OUTSIDE:
    g_snprintf (text, n, "%llu below, %llu above", (unsigned long long) self->bins[0],
                (unsigned long long) self->bins[self->n_bins + 1]);
    return true;
  default:
    return true;
  }
}

static void
histogram_press (EveComponent *c, uint32_t row, void (*set) (void *arg, const char *setting, const char *value),
                 void *arg)
{
  const Histogram *self = (const Histogram *) c;
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  double min = self->min, max = self->max; /* another interval begins again */

  if (row != ROW_TAKE || !(min < max))
    return;
  set (arg, "from", g_ascii_formatd (number, sizeof number, "%.17g", min));
  set (arg, "to", g_ascii_formatd (number, sizeof number, "%.17g", max));
}

static const void *
histogram_query (EveComponent *c, const char *interface_name)
{
  static const BoxInspector inspector = { rows, EVE_N (rows), histogram_look, histogram_press, NULL };

  return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &inspector : trace_counted_anew (c, interface_name);
}

/* Before version 2 an interval fitted itself only when asked. */
static bool
histogram_upgrade (EveComponent *c, uint16_t from, EveRenames *names)
{
  ((Histogram *) c)->fit = false;
  return true;
}

static const EveClass histogram = {
  EVE_CLASS_HEAD,
  .id = "scope.histogram",
  .label = "Histogram",
  .category = "Analysis",
  .version = 2,
  .upgrade = histogram_upgrade,
  .doc = "Counts how often a variable takes which values of an interval.",
  .help = "The interval *from* *to* is cut into *bins* equal parts; each value is counted in the part it lies in (a "
          "value that "
          "is exactly *to* in the last). Two more count what lies below and above, infinities among them, so that "
          "nothing is "
          "lost and one sees whether the interval was well chosen (thesis, section 5.1.2). NaN is counted apart. With "
          "*fit* the interval grows as the values need, in steps of 1, 2 or 5 times a power of ten, and nothing but "
          "infinities is out of range; where most values would share one bin, though some are more than a hundred "
          "times as large as others, bins grow by a factor instead, unless *scale* says otherwise, and what is 0 lies "
          "below. `min`, `max` "
          "and `mean` are those of all finite values, in the interval or not.\n\n"
          "The histogram is given after 1, 2, 4, ... values, then after each *every*, at the end, and when a datum "
          "comes to "
          "`give`. To save it for other programs connect a Data File.\n\n"
          "Example: *from* 0, *to* 3, *bins* 3, with the values 0 1 1 2.5 3 7: the bins hold 1, 2 and 2, above is 1.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Histogram),
  .init = histogram_init,
  .finish = histogram_finish,
  .reset = histogram_reset,
  .changed = histogram_changed,
  .fire = histogram_fire,
  .fire_span = histogram_fire_span,
  .at_end = histogram_at_end,
  .at_rest = histogram_at_rest,
  .refuse = number_refuse,
  .save = histogram_save,
  .load = histogram_load,
  .query = histogram_query,
};
EVE_PLUGIN (&histogram);
