/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - the distribution of a variable over an interval (thesis, section 5.1.2). */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "readers/box-inspector.h"
#include "statistics/moments.h"
#include "statistics/numbers.h"

typedef struct Histogram {
  EveBase base;
  double from, to;
  int64_t n_bins, every;
  bool fit;
  int32_t power; /* fit: a bin is 2^power wide, and the first begins at low times that; INT32_MIN: no value yet */
  int64_t low;
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
static const EveField settings[] = {
  { "from", EVE_F_DOUBLE, offsetof (Histogram, from), .def = 0, .doc = "Lower bound of the interval." },
  { "to", EVE_F_DOUBLE, offsetof (Histogram, to), .def = 1, .doc = "Upper bound." },
  { "bins", EVE_F_INT64, offsetof (Histogram, n_bins), .min = 1, .max = STATS_MAX_BINS, .def = 20,
    .doc = "Into how many equal parts the interval is cut." },
  { "fit", EVE_F_BOOL, offsetof (Histogram, fit),
    .doc = "Cut the interval as the values need it, from zero; then from and to do not matter." },
  { "every", EVE_F_INT64, offsetof (Histogram, every), .min = 0, .max = 1e15, .def = 4096,
    .doc = "Give it after so many values, more often at first; 0: at the end only." },
  { "title", EVE_F_STRING, offsetof (Histogram, title),
    .doc = "What is counted, for charts; empty: the name of the box." },
  { "unit", EVE_F_STRING, offsetof (Histogram, unit), .doc = "Unit of the values; empty: that of dated numbers." },
};

static void
histogram_clear (Histogram *self)
{
  memset (self->bins, 0, (size_t) (self->n_bins + 2) * sizeof *self->bins);
  self->no_number = self->count = self->finite = self->given = 0;
  self->sum = self->lost = 0;
  self->min = INFINITY;
  self->max = -INFINITY;
  self->date = INT64_MIN;
  self->datum_unit = NULL;
  self->power = INT32_MIN;
  self->low = 0;
}

/* The place for the bins as the settings are now. */
static bool
histogram_setup (EveComponent *c)
{
  Histogram *self = (Histogram *) c;
  uint64_t *bins = realloc (self->bins, (size_t) (self->n_bins + 2) * sizeof *bins);

  if (!bins) {
    eve_fail (c, "There is no memory for %lld bins; lower the number.", (long long) self->n_bins);
    return false;
  }
  self->bins = bins;
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
  return setting > 3 || histogram_setup (c);
}

/* The bin of a value when the interval fits itself: widths are powers of two and bins begin at multiples of them, so
 * that two bins become one without moving a value, and what comes out does not depend on the order of the values. */
static int64_t
histogram_fit (Histogram *self, double x)
{
  if (self->power != INT32_MIN) {
    double place = floor (ldexp (x, -self->power)) - (double) self->low;
    if (place >= 0 && place < (double) self->n_bins)
      return (int64_t) place;
  }
  int least = x != 0 ? ilogb (x) - 40 : -1000, power = self->power != INT32_MIN ? self->power : least;
  bool first = self->power == INT32_MIN;
  int64_t n = self->n_bins, low = self->low, high = low, place, shift = 0;

  if (!first)
    for (high = low + n - 1; high > low && high > 0 && self->bins[high - low + 1] == 0;)
      high--;
  for (; power < least; power++, shift++) {
    low >>= 1;
    high >>= 1;
  }
  place = (int64_t) floor (ldexp (x, -power));
  for (low = MIN (low, place), high = MAX (high, place); high - low >= n && power < 1100; power++, shift++) {
    low >>= 1;
    high >>= 1;
    place >>= 1;
  }
  if (n == 1 && low < 0) /* one bin holds but one sign */
    low = high = place = 0;
  if (!first && (shift || low != self->low)) {
    uint64_t *old = g_memdup2 (self->bins + 1, (gsize) n * sizeof *old);
    memset (self->bins + 1, 0, (size_t) n * sizeof *old);
    for (int64_t i = 0; i < n; i++)
      if (old[i])
        self->bins[CLAMP (((self->low + i) >> MIN (shift, 62)) - low, 0, n - 1) + 1] += old[i];
    g_free (old);
  }
  self->power = power;
  self->low = low;
  return place - low;
}

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
    self->bins[histogram_fit (self, x) + 1]++;
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
            "The interval from %g to %g is turned round, empty or without bound; give “from” less than “to”.",
            self->from, self->to);
  return false;
}

static void
histogram_tell (Histogram *self)
{
  double mean = self->finite ? (self->sum + self->lost) / (double) self->finite : NAN;
  double min = self->finite ? self->min : NAN, max = self->finite ? self->max : NAN;

  if (eve_out_connected (self->base.out[0])) {
    const char *unit = self->unit[0] ? self->unit : self->datum_unit;
    int power = self->power != INT32_MIN ? self->power : 0;
    double from = self->fit ? ldexp ((double) self->low, power) : self->from;
    double to = self->fit ? ldexp ((double) (self->low + self->n_bins), power) : self->to;
    StatsHistogram *h = stats_histogram_new (self->title[0] ? self->title : eve_name ((EveComponent *) self), unit,
                                             from, to, (uint32_t) self->n_bins);
    h->date = self->date;
    h->source = self->source;
    h->below = self->bins[0];
    memcpy (h->bins, self->bins + 1, (size_t) self->n_bins * sizeof *h->bins);
    h->above = self->bins[self->n_bins + 1];
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
  eve_status ((EveComponent *) self, "%llu values, %llu below, %llu above", (unsigned long long) self->count,
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

static void
histogram_save (EveComponent *c, EveBlob *to)
{
  const Histogram *self = (const Histogram *) c;

  eve_put_ints (to, (const int64_t *) self->bins, (size_t) self->n_bins + 2);
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
  int64_t power = eve_get_int (from);
  self->low = eve_get_int (from);
  if ((power != INT32_MIN && (power < -1200 || power > 1100)) || self->low > 0 || self->low < -(int64_t) STATS_MAX_BINS)
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
  [ROW_FIT] = { BOX_ROW_SETTING, "fit", "Fit to the values", NULL },
  [ROW_FROM] = { BOX_ROW_SETTING, "from", NULL, NULL },
  [ROW_TO] = { BOX_ROW_SETTING, "to", NULL, NULL },
  [ROW_TAKE] = { BOX_ROW_BUTTON, NULL, "From least to greatest",
                 "Takes the interval from the values seen so far, and begins again." },
  [ROW_BINS] = { BOX_ROW_SETTING, "bins", NULL, NULL },
  [ROW_EVERY] = { BOX_ROW_SETTING, "every", NULL, NULL },
  [ROW_TITLE] = { BOX_ROW_SETTING, "title", NULL, NULL },
  [ROW_UNIT] = { BOX_ROW_SETTING, "unit", NULL, NULL },
  [ROW_SEEN] = { BOX_ROW_HEADING, NULL, "Seen so far", NULL },
  [ROW_COUNT] = { BOX_ROW_VALUE, NULL, "Values", NULL },
  [ROW_MIN] = { BOX_ROW_VALUE, NULL, "Least", NULL },
  [ROW_MAX] = { BOX_ROW_VALUE, NULL, "Greatest", NULL },
  [ROW_MEAN] = { BOX_ROW_VALUE, NULL, "Mean", NULL },
  [ROW_OUTSIDE] = { BOX_ROW_VALUE, NULL, "Outside", "Values below the interval, and above it." },
};

static bool
histogram_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  const Histogram *self = (const Histogram *) c;
  const char *unit = self->unit[0] ? self->unit : self->datum_unit ? self->datum_unit : "";
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

  return strcmp (interface_name, "box-inspector/1") == 0 ? &inspector : NULL;
}

static const EveClass histogram = {
  EVE_CLASS_HEAD,
  .id = "scope.histogram",
  .label = "Histogram",
  .category = "Analysis",
  .version = 1,
  .doc = "Counts how often a variable takes which values of an interval.",
  .help = "The interval *from* *to* is cut into *bins* equal parts; each value is counted in the part it lies in (a "
          "value that "
          "is exactly *to* in the last). Two more count what lies below and above, infinities among them, so that "
          "nothing is "
          "lost and one sees whether the interval was well chosen (thesis, section 5.1.2). NaN is counted apart. With "
          "*fit* the interval grows as "
          "the values need, in powers of two from zero, and nothing but infinities is out of range. `min`, `max` "
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
