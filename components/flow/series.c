/* SPDX-License-Identifier: Apache-2.0 */
/* series.c - a source of numbers: evenly spaced, or random but the same at every run. */
#include "eve/eve.h"

typedef struct Series {
  EveBase base;
  double first, step;
  int64_t count, seed, given;
  int32_t law;
} Series;

enum { LAW_STEPS, LAW_RANDOM };
static const char *const laws[] = { "steps", "random", NULL };

static const EveOutSpec outs[] = {
  { "out", &eve_type_double, .doc = "The numbers." },
};
static const EveField settings[] = {
  { "law", EVE_F_CHOICE, offsetof (Series, law), .def = LAW_STEPS, .choices = laws,
    .doc = "Steps: first, first + step, first + 2 step ...; random: even between first and first + step." },
  { "first", EVE_F_DOUBLE, offsetof (Series, first), .def = 1, .doc = "First number, or lower end." },
  { "step", EVE_F_DOUBLE, offsetof (Series, step), .def = 1, .doc = "From one number to the next, or width." },
  { "count", EVE_F_INT64, offsetof (Series, count), .min = 0, .max = 1e15, .def = 10,
    .doc = "How many numbers; 0: without end." },
  { "seed", EVE_F_INT64, offsetof (Series, seed), .def = 1, .doc = "Random: another seed gives other numbers." },
};
static const EveField state[] = {
  { "given", EVE_F_INT64, offsetof (Series, given), EVE_COUNT },
};

/* The i-th random number depends on seed and i alone (SplitMix64; Steele, Lea, Flood, OOPSLA 2014), so that the
 * place is all the run state there is. */
static inline double
series_random (uint64_t seed, uint64_t i)
{
  uint64_t z = (seed * 0xd1342543de82ef95u) + (i + 1) * 0x9e3779b97f4a7c15u;

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double) ((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static EveSupply
series_produce (EveComponent *c, uint32_t max)
{
  Series *self = (Series *) c;
  EveOut *out = self->base.out[0];
  bool heard = eve_out_connected (out);

  if (self->given < 0)
    self->given = 0;
  if (self->count && (self->given >= self->count || max > self->count - self->given))
    max = self->given < self->count ? (uint32_t) (self->count - self->given) : 0;
  for (uint32_t n; max; max -= n) {
    n = max;
    double *to = eve_reserve (out, &n);
    if (!to && heard)
      return EVE_MORE; /* no room */
    if (!to)
      n = max; /* nobody listens: the numbers pass unheard */
    else if (self->law == LAW_STEPS)
      for (uint32_t i = 0; i < n; i++) /* no running sum: errors would add up */
        to[i] = self->first + self->step * (double) (self->given + i);
    else
      for (uint32_t i = 0; i < n; i++)
        to[i] = self->first + self->step * series_random ((uint64_t) self->seed, (uint64_t) self->given + i);
    if (to)
      eve_commit (out, n);
    self->given += n;
  }
  return self->count && self->given >= self->count ? EVE_END : EVE_MORE;
}

static const EveClass series = {
  EVE_CLASS_HEAD,
  .id = "scope.series",
  .label = "Series",
  .category = "Flow",
  .version = 1,
  .doc = "Gives numbers: evenly spaced, or random.",
  .help = "A source for trying things out. With *law* `steps` it gives *first*, *first* + *step*, "
          "*first* + 2 *step* and so on; with `random`, numbers spread evenly from *first* up to "
          "*first* + *step*. The same *seed* gives the same numbers at every run, on every machine.\n\n"
          "Example: *first* 1, *step* 2, *count* 4 give 1 3 5 7.",
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Series),
  .produce = series_produce,
};
EVE_PLUGIN (&series);
