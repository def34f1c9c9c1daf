/* SPDX-License-Identifier: Apache-2.0 */
/* statistics-by-owner.c - count, sum, extrema, mean and deviation of dated numbers for each owner, in bounded memory.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "readers/counted.h"
#include "statistics/graph.h"
#include "eve/words.h"
#include "eve/number.h"
#include "readers/more.h"
#include "statistics/moments.h"
#include "statistics/numbers.h"

#define MOST_OWNERS (1u << 17) /* kept apart; the others share one row */

typedef struct Owner {
  uint64_t key; /* source, kind of owner, owner */
  StatsMoments m;
} Owner;

typedef struct ByOwner {
  EveBase base;
  int64_t most, every;
  char *title;
  uint32_t *slot; /* hash table of twice `room`: 0 empty, else place in `owner` + 1 */
  Owner *owner;
  uint32_t n, room;   /* room: a power of two */
  uint32_t n_no_task; /* owners of other kinds */
  StatsMoments others;
  uint64_t seen, given;
  int64_t date;
  uint16_t source;
  const char *unit;
} ByOwner;

#define LEAST_ROOM 16

static void by_owner_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "value", &stats_type_datum, .required = true, .present = true, .doc = "Dated numbers, each with its owner." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, by_owner_give, .doc = "Any datum: give the table now." },
};
static const EveOutSpec outs[] = {
  { "table", &stats_type_table, .doc = "A row for each owner, now and then, and at the end." },
  { "imbalance", &eve_type_double, .unit = "%",
    .doc = "How far the largest sum of an owner is above the mean of the sums, with each table." },
  { "sum", &stats_type_datum, .doc = "The sum of an owner so far, at each of its values: for charts by owner." },
};
static const EveField settings[] = {
  { "most", EVE_F_INT64, offsetof (ByOwner, most), .min = 1, .max = MOST_OWNERS, .def = MOST_OWNERS,
    .doc = "How many owners are kept apart; those that come later share one row." },
  { "every", EVE_F_INT64, offsetof (ByOwner, every), .min = 0, .max = 1e15, .def = 4096,
    .doc = "Give the table after so many values, more often at first; 0: at the end only." },
  { "title", EVE_F_STRING, offsetof (ByOwner, title),
    .doc = "What is counted, for charts; empty: the name of the box." },
};

static void
by_owner_reset (EveComponent *c)
{
  ByOwner *self = (ByOwner *) c;

  memset (self->slot, 0, 2 * (size_t) self->room * sizeof *self->slot);
  memset (&self->others, 0, sizeof self->others);
  self->n = self->n_no_task = 0;
  self->seen = self->given = 0;
  self->date = INT64_MIN;
  self->unit = NULL;
  self->source = 0;
}

static bool
by_owner_init (EveComponent *c)
{
  ByOwner *self = (ByOwner *) c;

  self->room = LEAST_ROOM;
  self->owner = g_new (Owner, self->room);
  self->slot = g_new0 (uint32_t, 2 * self->room);
  by_owner_reset (c);
  return true;
}

static void
by_owner_finish (EveComponent *c)
{
  g_free (((ByOwner *) c)->slot);
  g_free (((ByOwner *) c)->owner);
}

static uint64_t
statistics_by_owner_key_of (uint16_t source, uint8_t kind, uint32_t owner)
{
  return (uint64_t) source << 40 | (uint64_t) kind << 32 | owner;
}

/* Fibonacci hashing, linear probing: the table is never more than half full.  Of one that is not known, where it goes.
 */
static uint32_t
statistics_by_owner_slot_of (const ByOwner *self, uint64_t key)
{
  uint32_t mask = 2 * self->room - 1, i = (uint32_t) ((key * 0x9e3779b97f4a7c15u) >> 32) & mask;

  while (self->slot[i] && self->owner[self->slot[i] - 1].key != key)
    i = (i + 1) & mask;
  return i;
}

static void
statistics_by_owner_grow (ByOwner *self)
{
  self->room *= 2;
  self->owner = g_renew (Owner, self->owner, self->room);
  g_free (self->slot);
  self->slot = g_new0 (uint32_t, 2 * self->room);
  for (uint32_t i = 0; i < self->n; i++)
    self->slot[statistics_by_owner_slot_of (self, self->owner[i].key)] = i + 1;
}

static StatsMoments *
statistics_by_owner_moments_of (ByOwner *self, uint64_t key)
{
  uint32_t i = statistics_by_owner_slot_of (self, key);

  if (self->slot[i])
    return &self->owner[self->slot[i] - 1].m;
  if (self->n >= (uint32_t) self->most)
    return &self->others;
  if (self->n == self->room) {
    statistics_by_owner_grow (self);
    i = statistics_by_owner_slot_of (self, key);
  }
  self->slot[i] = self->n + 1;
  self->owner[self->n] = (Owner){ .key = key };
  self->n_no_task += (uint8_t) (key >> 32) != STATS_OF_TASK;
  return &self->owner[self->n++].m;
}

static void
statistics_by_owner_fill (StatsTable *t, uint32_t row, const char *name, const StatsMoments *m)
{
  stats_table_set_text (t, row, 0, name);
  stats_cell (t, row, 1)->whole = (int64_t) m->n;
  stats_cell (t, row, 2)->real = stats_moments_sum (m);
  stats_cell (t, row, 3)->real = stats_moments_min (m);
  stats_cell (t, row, 4)->real = stats_moments_mean (m);
  stats_cell (t, row, 5)->real = stats_moments_max (m);
  stats_cell (t, row, 6)->real = sqrt (stats_moments_variance (m));
}

static void
statistics_by_owner_tell (ByOwner *self)
{
  bool others = self->others.n + self->others.n_odd > 0;
  double sum = 0, most = -INFINITY;

  for (uint32_t i = 0; i < self->n; i++) {
    double x = stats_moments_sum (&self->owner[i].m);
    sum += x;
    most = MAX (most, x);
  }
  eve_emit (self->base.out[1], &(double){ self->n && sum > 0 ? (most / (sum / self->n) - 1) * 100 : NAN });
  if (!eve_out_connected (self->base.out[0]))
    return;
  const char *unit = self->unit;
  const StatsColumn columns[] = { { "owner", NULL, STATS_CELL_TEXT },    { "count", NULL, STATS_CELL_WHOLE },
                                  { "sum", unit, STATS_CELL_REAL },      { "min", unit, STATS_CELL_REAL },
                                  { "mean", unit, STATS_CELL_REAL },     { "max", unit, STATS_CELL_REAL },
                                  { "deviation", unit, STATS_CELL_REAL } };
  StatsTable *t = stats_table_new (self->title[0] ? self->title : eve_name ((EveComponent *) self), columns,
                                   EVE_N (columns), self->n + others);
  g_autoptr (GString) name = g_string_new (NULL);
  g_autoptr (GPtrArray) graphs = stats_graphs_above ((EveComponent *) self);
  t->date = self->date;
  t->source = self->source;
  unsigned differ = 0;
  for (uint32_t i = 1; i < self->n; i++)
    differ |= self->owner[i].key >> 40 != self->owner[0].key >> 40 ? STATS_OF_TRACES : 0;
  for (uint32_t i = 0; i < self->n; i++) {
    g_string_truncate (name, 0);
    uint64_t key = self->owner[i].key;
    StatsDatum of = { .owner = (uint32_t) key, .owner_kind = (uint8_t) (key >> 32), .source = (uint16_t) (key >> 40) };
    stats_owner_name_among (&of, stats_graph_of (graphs, of.source), differ, name);
    stats_table_set_owner (t, i, stats_owner_ref (&of, stats_graph_of (graphs, of.source)), (TraceRef){ 0 });
    statistics_by_owner_fill (t, i, name->str, &self->owner[i].m);
  }
  if (others)
    statistics_by_owner_fill (t, self->n, "others", &self->others);
  eve_emit_steal (self->base.out[0], &t);
}

static void
statistics_by_owner_give (ByOwner *self)
{
  self->given = self->seen;
  statistics_by_owner_tell (self);
}

static void
by_owner_give (EveComponent *c, EveIn *in, const void *datum)
{
  statistics_by_owner_give ((ByOwner *) c);
}

static void
by_owner_step (ByOwner *self, const StatsDatum *d)
{
  self->date = d->date;
  self->source = d->source;
  self->unit = d->unit;
  StatsMoments *m = statistics_by_owner_moments_of (self,
                                                    statistics_by_owner_key_of (d->source, d->owner_kind, d->owner));
  stats_moments_add (m, stats_datum_number (d));
  if (eve_out_connected (self->base.out[2]) && m != &self->others) {
    StatsDatum sum = *d;
    sum.is_whole = 0;
    sum.value.real = stats_moments_sum (m);
    eve_emit (self->base.out[2], &sum);
  }
  self->seen++;
}

static void
by_owner_count (ByOwner *self, const StatsDatum *d, uint32_t n)
{
  bool at_rest = eve_at_rest ((EveComponent *) self);

  for (uint32_t i = 0; i < n; i++) {
    if (!number_counts (at_rest, &stats_type_datum, &d[i]))
      continue;
    by_owner_step (self, &d[i]);
    if (!at_rest && number_table_is_due (self->seen, self->every, self->n))
      statistics_by_owner_give (self);
  }
}

static void
by_owner_fire (EveComponent *c)
{
  by_owner_count ((ByOwner *) c, eve_take (eve_base (c)->in[0]), 1);
}

static void
by_owner_fire_span (EveComponent *c, uint32_t n)
{
  by_owner_count ((ByOwner *) c, eve_take_span (eve_base (c)->in[0], n), n);
}

static void
by_owner_status (ByOwner *self)
{
  eve_status ((EveComponent *) self, P_ ("%llu values of %u owner%s", "%llu values of %u owners%s", self->n),
              (unsigned long long) self->seen, self->n, self->others.n + self->others.n_odd ? _ (" and others") : "");
}

static bool
by_owner_at_end (EveComponent *c)
{
  ByOwner *self = (ByOwner *) c;

  if (self->given != self->seen || self->seen == 0)
    statistics_by_owner_give (self);
  by_owner_status (self);
  return true;
}

static bool
by_owner_at_rest (EveComponent *c, int64_t now)
{
  ByOwner *self = (ByOwner *) c;

  if (self->given != self->seen) {
    statistics_by_owner_tell (self);
    by_owner_status (self);
  }
  return true;
}

static void
by_owner_save (EveComponent *c, EveBlob *to)
{
  const ByOwner *self = (const ByOwner *) c;

  eve_put_int (to, self->n);
  for (uint32_t i = 0; i < self->n; i++) {
    trace_put_source (eve_program (c), (uint16_t) (self->owner[i].key >> 40), to);
    eve_put_int (to, (int64_t) (self->owner[i].key & 0xffffffffff));
    stats_moments_save (&self->owner[i].m, to);
  }
  stats_moments_save (&self->others, to);
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_text (to, self->unit);
}

static bool
by_owner_load (EveComponent *c, EveBlobView *from)
{
  ByOwner *self = (ByOwner *) c;
  int64_t n = eve_get_int (from);

  if (!eve_get_ok (from) || n < 0 || n > MOST_OWNERS)
    return false;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    uint64_t source = trace_get_source (eve_program (c), from), key = (uint64_t) eve_get_int (from) & 0xffffffffff;
    uint32_t before = self->n;
    StatsMoments *m = statistics_by_owner_moments_of (self, source << 40 | key);
    if (self->n == before) /* twice the same, or more than are kept */
      return false;
    stats_moments_load (m, from);
  }
  stats_moments_load (&self->others, from);
  self->seen = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  const char *unit = eve_get_text (from);
  self->unit = *unit ? g_intern_string (unit) : NULL;
  return eve_get_ok (from);
}

/* ---- what it adds to what is counted ------------------------------------------------------------------------------- */

enum { SUM, MEAN, MAX_, COUNT, ADDED };
static const char *const added[ADDED] = { N_ ("sum"), N_ ("mean"), N_ ("max"), N_ ("count") };

static char *
added_name (const ByOwner *self, const char *what)
{
  const char *title = self->title[0] ? self->title : eve_name ((EveComponent *) self);

  return g_strdup_printf ("%s %s", title, what);
}

/* Who draws asks of one task after the other: these are found at once. */
static const StatsMoments *
moments_of_ref (const ByOwner *self, TraceRef what)
{
  g_autoptr (GPtrArray) graphs = NULL;

  if (what.type == TRACE_REF_TASK) {
    uint32_t i = statistics_by_owner_slot_of (self, statistics_by_owner_key_of (what.source, STATS_OF_TASK, what.id));
    if (self->slot[i])
      return &self->owner[self->slot[i] - 1].m;
    if (self->n_no_task == 0)
      return NULL;
  }
  for (uint32_t i = 0; i < self->n; i++) {
    uint64_t key = self->owner[i].key;
    StatsDatum of = { .owner = (uint32_t) key, .owner_kind = (uint8_t) (key >> 32), .source = (uint16_t) (key >> 40) };
    if (of.source != what.source || of.owner_kind == STATS_OF_TASK)
      continue;
    graphs = graphs ? graphs : stats_graphs_above ((EveComponent *) self);
    if (trace_ref_same (what, stats_owner_ref (&of, stats_graph_of (graphs, of.source))))
      return &self->owner[i].m;
  }
  return NULL;
}

static void
statistics_by_owner_tell_more (EveComponent *c, TraceRef what, const char *only,
                               void (*add) (void *to, const TraceTold *one), void *to)
{
  const ByOwner *self = (const ByOwner *) c;
  const StatsMoments *m = self->n > 0 ? moments_of_ref (self, what) : NULL;

  if (!m)
    return;
  const double x[ADDED] = { stats_moments_sum (m), stats_moments_mean (m), stats_moments_max (m), (double) m->n };
  for (int i = 0; i < ADDED; i++) {
    g_autofree char *name = added_name (self, added[i]);
    if (!trace_more_wants (only, name))
      continue;
    char plain[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd (plain, sizeof plain, i == COUNT ? "%.0f" : "%.6g", x[i]);
    const char *blank = self->unit && i != COUNT ? "\u00a0" : "", *unit = *blank ? self->unit : "";
    g_autofree char *shown_name = added_name (self, in_words (added[i])),
                    *value = g_strdup_printf ("%s%s%s", plain, blank, unit), *local = g_strdup (plain),
                    *shown = g_strdup_printf ("%s%s%s", number_local (local), blank, unit);
    add (to, &(TraceTold){ name, value, shown_name, shown });
  }
}

static void
statistics_by_owner_offer_more (EveComponent *c, TraceRefType type, void (*add) (void *to, const char *name), void *to)
{
  for (int i = 0; i < ADDED && (type == TRACE_REF_TASK || type == TRACE_REF_LINK); i++) {
    g_autofree char *name = added_name ((const ByOwner *) c, added[i]);
    add (to, name);
  }
}

static const void *
by_owner_query (EveComponent *c, const char *name)
{
  static const TraceMore more = { statistics_by_owner_tell_more, statistics_by_owner_offer_more };

  return c && g_str_equal (name, TRACE_MORE) ? &more : trace_counted_anew (c, name);
}

static const EveClass by_owner = {
  EVE_CLASS_HEAD,
  .id = "scope.statistics-by-owner",
  .label = "Statistics by Owner",
  .category = "Analysis",
  .version = 1,
  .doc = "Count, sum, extrema, mean and deviation of dated numbers, for each owner.",
  .help = "The table has a row for each owner (task, link, ...) in order of appearance. At most *most* are kept apart; "
          "beyond, "
          "they share the row `others`, so that memory and time for each value stay the same however many there are. "
          "Formulas "
          "are those of Statistics. `imbalance` is (largest sum / mean of the sums - 1), in percent: 0 when all owners "
          "have the "
          "same (DeRose, Homer, Johnson, Euro-Par 2007).\n\n"
          "Example: the durations of receives give how long each task waited.\n\n"
          "Tasks and links have what is counted of them as attributes too, “TITLE sum”, “TITLE mean”, “TITLE max” and "
          "“TITLE count”: the inspector shows them, and associations tie them to colours, widths and places in views.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (ByOwner),
  .init = by_owner_init,
  .finish = by_owner_finish,
  .reset = by_owner_reset,
  .fire = by_owner_fire,
  .fire_span = by_owner_fire_span,
  .at_end = by_owner_at_end,
  .at_rest = by_owner_at_rest,
  .save = by_owner_save,
  .load = by_owner_load,
  .query = by_owner_query,
};
EVE_PLUGIN (&by_owner);
