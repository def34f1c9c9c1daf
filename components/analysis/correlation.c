/* SPDX-License-Identifier: Apache-2.0 */
/* correlation.c - how two streams of numbers go together. */
#include "readers/counted.h"
#include "statistics/moments.h"
#include "eve/words.h"
#include "statistics/numbers.h"

typedef struct Correlation {
  EveBase base;
  int64_t every;
  int64_t n, n_odd, given; /* pairs */
  double mean_x, mean_y, m2_x, m2_y, c;
} Correlation;

static const EveInSpec ins[] = {
  { "x", NULL, .required = true, .doc = "Numbers." },
  { "y", NULL, .required = true, .doc = "Numbers of the same type; the first goes with the first of `x`, and so on." },
};
static const EveOutSpec outs[] = {
  { "correlation", &eve_type_double, .doc = "From -1 to 1; NaN while a stream is constant." },
  { "slope", &eve_type_double, .doc = "Of the straight line through the pairs: how much y grows with x." },
  { "covariance", &eve_type_double, .doc = "Divided by the number of pairs less one." },
};
static const EveField settings[] = {
  { "every", EVE_F_INT64, offsetof (Correlation, every), .min = 0, .max = 1e15, .def = 1,
    .doc = "Give it after so many pairs, more often at first; 0: at the end only." },
};
static const EveField state[] = {
  { "n", EVE_F_INT64, offsetof (Correlation, n), EVE_COUNT },
  { "odd", EVE_F_INT64, offsetof (Correlation, n_odd), EVE_COUNT },
  { "given", EVE_F_INT64, offsetof (Correlation, given), EVE_COUNT },
  { "mean x", EVE_F_DOUBLE, offsetof (Correlation, mean_x) },
  { "mean y", EVE_F_DOUBLE, offsetof (Correlation, mean_y) },
  { "m2 x", EVE_F_DOUBLE, offsetof (Correlation, m2_x) },
  { "m2 y", EVE_F_DOUBLE, offsetof (Correlation, m2_y) },
  { "c", EVE_F_DOUBLE, offsetof (Correlation, c) },
};

static void
correlation_tell (Correlation *self, const StatsPairs *p)
{
  eve_emit (self->base.out[0], &(double){ stats_pairs_correlation (p) });
  eve_emit (self->base.out[1], &(double){ p->n > 1 && p->m2_x > 0 ? p->c / p->m2_x : NAN });
  eve_emit (self->base.out[2], &(double){ p->n > 1 ? p->c / (double) (p->n - 1) : NAN });
}

static void
correlation_give (Correlation *self, const StatsPairs *p)
{
  self->given = self->n + self->n_odd;
  correlation_tell (self, p);
}

static StatsPairs
pairs (const Correlation *self)
{
  return (StatsPairs){
    (uint64_t) self->n, (uint64_t) self->n_odd, self->mean_x, self->mean_y, self->m2_x, self->m2_y, self->c
  };
}

static void
correlation_fire (EveComponent *c)
{
  Correlation *self = (Correlation *) c;
  const EveType *type = eve_in_type (self->base.in[0]);
  const void *x = eve_take (self->base.in[0]), *y = eve_take (self->base.in[1]);
  StatsPairs p = pairs (self);

  stats_pairs_add (&p, number_at (type, x), number_at (type, y));
  self->n = (int64_t) p.n;
  self->n_odd = (int64_t) p.n_odd;
  self->mean_x = p.mean_x;
  self->mean_y = p.mean_y;
  self->m2_x = p.m2_x;
  self->m2_y = p.m2_y;
  self->c = p.c;
  if (number_is_due (p.n + p.n_odd, self->every))
    correlation_give (self, &p);
}

static bool
correlation_at_end (EveComponent *c)
{
  Correlation *self = (Correlation *) c;
  StatsPairs p = pairs (self);

  if (self->given != self->n + self->n_odd || self->given == 0)
    correlation_give (self, &p);
  eve_status (c, _ ("%.4g over %lld pairs"), stats_pairs_correlation (&p), (long long) self->n);
  return true;
}

static bool
correlation_at_rest (EveComponent *c, int64_t now)
{
  Correlation *self = (Correlation *) c;
  StatsPairs p = pairs (self);

  if (self->given != self->n + self->n_odd) {
    correlation_tell (self, &p);
    eve_status (c, _ ("%.4g over %lld pairs"), stats_pairs_correlation (&p), (long long) self->n);
  }
  return true;
}

static const EveClass correlation = {
  EVE_CLASS_HEAD,
  .id = "scope.correlation",
  .label = "Correlation",
  .category = "Analysis",
  .version = 1,
  .doc = "How two streams of numbers go together: Pearson's correlation.",
  .help =
      "The n-th number of `x` and the n-th of `y` are a pair. Pearson's coefficient is the covariance divided by both "
      "standard deviations, in one pass (Pebay, SAND2008-6212): 1 when y grows with x along a straight line, 0 when "
      "they have "
      "nothing to do with each other, -1 when one falls as the other grows. Pairs with an infinity or NaN are left "
      "out.\n\n"
      "Example: x 1 2 3 and y 2 4 6 give 1; y 3 2 1 give -1.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Correlation),
  .fire = correlation_fire,
  .at_end = correlation_at_end,
  .at_rest = correlation_at_rest,
  .refuse = number_refuse,
  .query = trace_counted_anew,
};
EVE_PLUGIN (&correlation);
