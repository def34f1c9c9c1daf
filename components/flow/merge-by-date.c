/* SPDX-License-Identifier: Apache-2.0 */
/* merge-by-date.c - joins streams that are each in date order into one that is. */
#include <stdio.h>
#include "eve/eve.h"
#include "eve/words.h"

#define N_WAYS 8

typedef struct MergeByDate {
  EveBase base;
  int64_t last; /* date of the last datum given */
  bool any, warned;
  char refusal[160];
} MergeByDate;

static const EveInSpec ins[] = {
  { "in1", NULL, .doc = "Dated data, in date order." },
  { "in2", NULL, .doc = "The same." },
  { "in3", NULL, .doc = "The same." },
  { "in4", NULL, .doc = "The same." },
  { "in5", NULL, .doc = "The same." },
  { "in6", NULL, .doc = "The same." },
  { "in7", NULL, .doc = "The same." },
  { "in8", NULL, .doc = "The same." },
};
_Static_assert(EVE_N (ins) == N_WAYS, "every input is looked at");
static const EveOutSpec outs[] = {
  { "out", NULL, .doc = "All of them, in date order." },
};
static const EveField state[] = {
  { "last", EVE_F_INT64, offsetof (MergeByDate, last) },
  { "any", EVE_F_BOOL, offsetof (MergeByDate, any) },
  { "warned", EVE_F_BOOL, offsetof (MergeByDate, warned) },
};

static const char *
merge_by_date_refuse (EveComponent *c, const EveInSpec *in, const EveOutSpec *out, const EveType *other)
{
  MergeByDate *self = (MergeByDate *) c;

  if (!in || !other || other->date)
    return NULL;
  snprintf (self->refusal, sizeof self->refusal, "data are merged by their dates, and data of type '%.60s' have none",
            other->name);
  return self->refusal;
}

/* Gives the earliest of the data that wait; false if none does.  Inputs are few, so a heap would not pay. */
static bool
merge_by_date_give (MergeByDate *self)
{
  EveIn *earliest = NULL;
  int64_t date = 0;

  for (uint32_t i = 0; i < N_WAYS; i++) {
    EveIn *in = self->base.in[i];
    const void *datum = eve_peek (in);
    int64_t d;

    if (datum && !eve_in_type (in)->date) { /* the type became known after the wire was made */
      eve_fail ((EveComponent *) self, _ ("Data are merged by their dates, and data of type '%s' have none."),
                eve_in_type (in)->name);
      return false;
    }
    d = datum ? eve_in_type (in)->date (datum) : 0;
    if (datum && (!earliest || d < date)) {
      earliest = in;
      date = d;
    }
  }
  if (!earliest)
    return false;
  if (self->any && date < self->last && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self,
              _ ("an input is not in date order (%lld ticks after %lld), so the output is not either; sort it before"),
              (long long) date, (long long) self->last);
  }
  self->last = date;
  self->any = true;
  eve_emit (self->base.out[0], eve_take (earliest));
  return true;
}

/* Fires when every connected input holds a datum: only then is the earliest known. */
static void
merge_by_date_fire (EveComponent *c)
{
  merge_by_date_give ((MergeByDate *) c);
}

static bool
merge_by_date_at_end (EveComponent *c)
{
  return !merge_by_date_give ((MergeByDate *) c);
}

static const EveClass merge_by_date = {
  EVE_CLASS_HEAD,
  .id = "scope.merge-by-date",
  .label = "Merge by Date",
  .category = "Flow",
  .version = 1,
  .doc = "Joins streams in date order into one in date order.",
  .help = "Give each stream an input of its own. The earliest datum leaves first; of one date, the one of the lowest "
          "input. It waits until every connected input holds a datum or everything before it has ended, because "
          "an earlier one might still come. A stream that is not in date order is passed on as it is and told of.\n\n"
          "Example: dates 1 4 5 at `in1` and 2 3 6 at `in2` leave as 1 2 3 4 5 6.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (MergeByDate),
  .refuse = merge_by_date_refuse,
  .fire = merge_by_date_fire,
  .at_end = merge_by_date_at_end,
};
EVE_PLUGIN (&merge_by_date);
