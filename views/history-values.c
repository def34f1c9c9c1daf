/* SPDX-License-Identifier: Apache-2.0 */
/* history-values.c - a block of records is up to 4096 samples: date, value, series.  Beside it stand sums: at most 64
 * spans of equally many samples, each with least, most, sum, count and last of every series in it.  docs/views.md tells
 * the bytes. */
#include "views/history-values.h"
#include <math.h>
#include <string.h>
#include "eve/bytes.h"

#define KIND_VALUES 4
#define BLOCK 4096
#define SPANS 64
#define RECORD 17
#define SUM_HEAD 24 /* first and last date of a span, mask of its series */
#define SUM 40      /* least, most, sum, last; count */

struct CurveWriter {
  HistoryOut out;
  ValueSample block[BLOCK];
  uint32_t n;
  int64_t latest;
  uint8_t buffer[MAX (BLOCK * RECORD, SPANS *(SUM_HEAD + VALUES_SERIES * SUM))];
};

static void
put_double (uint8_t *at, double v)
{
  uint64_t bits;

  memcpy (&bits, &v, sizeof bits);
  bytes_put64 (at, bits);
}

static double
get_double (const uint8_t *at)
{
  uint64_t bits = bytes_get64 (at);
  double v;

  memcpy (&v, &bits, sizeof v);
  return v;
}

static void
column_add (ValueColumn *c, double value)
{
  c->last = value;
  if (!isfinite (value))
    return;
  if (c->count == 0 || value < c->min)
    c->min = value;
  if (c->count == 0 || value > c->max)
    c->max = value;
  c->sum += value;
  c->count++;
}

CurveWriter *
curve_writer_new (const char *base, const HistoryPlace *place, GError **error)
{
  CurveWriter *w = g_new0 (CurveWriter, 1);

  w->latest = place != NULL ? place->n[3] : INT64_MIN;
  if (history_out_open (&w->out, base, KIND_VALUES, 0, place, error))
    return w;
  g_free (w);
  return NULL;
}

/* Sums first: a reader that knows of them finds the records too, as an entry is taken last. */
static void
history_values_write_block (CurveWriter *w)
{
  uint32_t per_span = (w->n + SPANS - 1) / SPANS;
  uint8_t *to = w->buffer;

  if (w->n == 0)
    return;
  HistoryEntry sums = { .from = w->block[0].date, .to = w->block[w->n - 1].date, .level = 1, .count = w->n },
               records = { .from = sums.from, .to = sums.to, .level = 0, .count = w->n };
  for (uint32_t i = 0; i < w->n; i += per_span) {
    uint32_t end = MIN (i + per_span, w->n);
    ValueColumn of[VALUES_SERIES] = { 0 };
    uint64_t mask = 0;
    for (uint32_t k = i; k < end; k++) {
      column_add (&of[w->block[k].series], w->block[k].value);
      mask |= UINT64_C (1) << w->block[k].series;
    }
    bytes_put64 (to, (uint64_t) w->block[i].date);
    bytes_put64 (to + 8, (uint64_t) w->block[end - 1].date);
    bytes_put64 (to + 16, mask);
    to += SUM_HEAD;
    for (int s = 0; s < VALUES_SERIES; s++) {
      if ((mask >> s & 1) == 0)
        continue;
      put_double (to, of[s].min);
      put_double (to + 8, of[s].max);
      put_double (to + 16, of[s].sum);
      put_double (to + 24, of[s].last);
      bytes_put64 (to + 32, of[s].count);
      to += SUM;
    }
    sums.more++;
  }
  history_out_add (&w->out, &sums, w->buffer, (uint32_t) (to - w->buffer));
  for (uint32_t i = 0; i < w->n; i++) {
    bytes_put64 (w->buffer + RECORD * i, (uint64_t) w->block[i].date);
    put_double (w->buffer + RECORD * i + 8, w->block[i].value);
    w->buffer[RECORD * i + 16] = w->block[i].series;
  }
  history_out_add (&w->out, &records, w->buffer, RECORD * w->n);
  w->n = 0;
}

void
curve_writer_push (CurveWriter *w, const ValueSample *sample)
{
  ValueSample *to = &w->block[w->n++];

  *to = *sample;
  if (to->date < w->latest)
    to->date = w->latest;
  w->latest = to->date;
  if (w->n == BLOCK)
    history_values_write_block (w);
}

bool
curve_writer_flush (CurveWriter *w, int64_t reach, GError **error)
{
  HistoryEntry e = { .level = HISTORY_REACH, .to = reach == INT64_MIN ? w->latest : reach };

  history_values_write_block (w);
  e.from = e.to;
  history_out_add (&w->out, &e, NULL, 0);
  return history_out_flush (&w->out, error);
}

HistoryPlace
curve_writer_place (const CurveWriter *w)
{
  return history_out_place (&w->out, w->latest);
}

void
curve_writer_free (CurveWriter *w)
{
  if (w == NULL)
    return;
  history_out_close (&w->out);
  g_free (w);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

struct ValuesReader {
  HistoryIn in;
};

ValuesReader *
values_reader_open (const char *base, GError **error)
{
  ValuesReader *r = g_new0 (ValuesReader, 1);

  if (history_in_open (&r->in, base, KIND_VALUES, error))
    return r;
  g_free (r);
  return NULL;
}

void
values_reader_free (ValuesReader *r)
{
  if (r == NULL)
    return;
  history_in_close (&r->in);
  g_free (r);
}

void
values_reader_refresh (ValuesReader *r)
{
  history_in_refresh (&r->in);
}

const char *
values_reader_problem (const ValuesReader *r)
{
  return history_in_problem (&r->in);
}

bool
values_reader_lost (const ValuesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg)
{
  return history_in_lost (&r->in, from, to, each, arg);
}

int64_t
values_reader_reach (const ValuesReader *r)
{
  return r->in.reach;
}

static HistoryEntry *
history_values_entry (ValuesReader *r, guint i)
{
  return &g_array_index (r->in.entries, HistoryEntry, i);
}

/* The first entry that ends at `from` or later; they are in order of their ends. */
static guint
first_at (ValuesReader *r, int64_t from)
{
  guint lo = 0, hi = r->in.entries->len;

  while (lo < hi) {
    guint mid = lo + (hi - lo) / 2;
    if (history_values_entry (r, mid)->to < from)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool
sample_at (const uint8_t *data, uint32_t i, ValueSample *s)
{
  s->date = (int64_t) bytes_get64 (data + RECORD * i);
  s->value = get_double (data + RECORD * i + 8);
  s->series = data[RECORD * i + 16];
  return s->series < VALUES_SERIES;
}

static const uint8_t *
history_values_records_of (ValuesReader *r, HistoryEntry *e)
{
  const uint8_t *data;

  if (e->level != 0 || e->count > BLOCK || e->bytes != RECORD * e->count)
    return NULL;
  data = history_in_data (&r->in, e);
  if (data == NULL)
    history_in_lose (&r->in, e, e->from, e->to);
  return data;
}

/* The last value of each series before a date: those of the blocks just before; further back nobody looks. */
static void
find_before (ValuesReader *r, int64_t from, double before[VALUES_SERIES])
{
  uint64_t found = 0;
  guint i = first_at (r, from);

  for (int s = 0; s < VALUES_SERIES; s++)
    before[s] = NAN;
  while (i < r->in.entries->len && history_values_entry (r, i)->from < from)
    i++;
  for (guint looked = 0; i-- > 0 && looked < 4 && found != UINT64_MAX;) {
    HistoryEntry *e = history_values_entry (r, i);
    const uint8_t *data = history_values_records_of (r, e);
    if (data == NULL)
      continue;
    looked++;
    for (uint32_t k = e->count; k-- > 0;) {
      ValueSample s;
      if (!sample_at (data, k, &s) || s.date >= from || found >> s.series & 1)
        continue;
      before[s.series] = s.value;
      found |= UINT64_C (1) << s.series;
    }
  }
}

typedef struct Columns {
  int64_t from;
  double width;
  uint32_t n, n_series;
  bool exact; /* few blocks are looked at: a sample is in no column but its own */
  ValueColumn *to;
} Columns;

#define EXACT_BLOCKS 256 /* to unpack more takes longer than a picture may */

static bool
history_values_column_of (const Columns *c, int64_t date, uint32_t *at)
{
  double x = ((double) date - (double) c->from) / c->width;

  if (x < 0 || x >= c->n)
    return false;
  *at = (uint32_t) x;
  return true;
}

/* Those from the `i`th up to the `end`th. */
static void
add_records (const Columns *c, const uint8_t *data, uint32_t i, uint32_t end)
{
  for (; i < end; i++) {
    ValueSample s;
    uint32_t at;
    if (sample_at (data, i, &s) && s.series < c->n_series && history_values_column_of (c, s.date, &at))
      column_add (&c->to[s.series * c->n + at], s.value);
  }
}

/* Whether a span has samples of several columns, which its sums do not tell apart: always if it is wider than one, as
 * samples may come in crowds. */
static bool
span_is_wide (const Columns *c, const uint8_t *head)
{
  int64_t from = (int64_t) bytes_get64 (head), to = (int64_t) bytes_get64 (head + 8);
  uint32_t first = 0, last = 0;

  return (double) to - (double) from > c->width
         || (c->exact && history_values_column_of (c, from, &first) && history_values_column_of (c, to, &last)
             && first != last);
}

/* False: the bytes are not what they should be.  *wide: a span is. */
static bool
sums_are_whole (const Columns *c, const uint8_t *data, const HistoryEntry *e, bool *wide)
{
  const uint8_t *end = data + e->bytes;

  *wide = false;
  for (uint32_t i = 0; i < e->more; i++) {
    ptrdiff_t size = end - data < SUM_HEAD ? SUM_HEAD : SUM_HEAD + SUM * __builtin_popcountll (bytes_get64 (data + 16));
    if (end - data < size)
      return false;
    *wide |= span_is_wide (c, data);
    data += size;
  }
  return true;
}

/* Of a block whose sums are whole.  Of spans that are wide its samples, where there are some. */
static void
history_values_add_sums (const Columns *c, const uint8_t *data, const HistoryEntry *e, const uint8_t *samples)
{
  uint32_t per_span = (e->count + SPANS - 1) / SPANS;

  for (uint32_t i = 0; i < e->more; i++) {
    uint32_t at = 0;
    int64_t from = (int64_t) bytes_get64 (data), to = (int64_t) bytes_get64 (data + 8);
    bool exact = samples != NULL && span_is_wide (c, data),
         inside = !exact && to >= from
                  && history_values_column_of (c, from + (int64_t) (((uint64_t) to - (uint64_t) from) / 2), &at);
    uint64_t mask = bytes_get64 (data + 16);
    data += SUM_HEAD;
    if (exact)
      add_records (c, samples, MIN (i * per_span, e->count), MIN ((i + 1) * per_span, e->count));
    for (int s = 0; s < VALUES_SERIES; s++) {
      if ((mask >> s & 1) == 0)
        continue;
      ValueColumn part = { get_double (data), get_double (data + 8), get_double (data + 16), get_double (data + 24),
                           bytes_get64 (data + 32) };
      data += SUM;
      if (!inside || (uint32_t) s >= c->n_series)
        continue;
      ValueColumn *column = &c->to[(uint32_t) s * c->n + at];
      column->last = part.last;
      if (part.count == 0)
        continue;
      if (column->count == 0 || part.min < column->min)
        column->min = part.min;
      if (column->count == 0 || part.max > column->max)
        column->max = part.max;
      column->sum += part.sum;
      column->count += part.count;
    }
  }
}

void
values_reader_columns (ValuesReader *r, int64_t from, double width, uint32_t n_columns, uint32_t n_series,
                       ValueColumn *to, double before[VALUES_SERIES])
{
  double end = (double) from + width * n_columns;
  guint first = first_at (r, from), n = end < 9e18 ? first_at (r, (int64_t) end) - first : r->in.entries->len - first;
  Columns c = { from, MAX (width, 1e-9), n_columns, n_series, n <= 2 * EXACT_BLOCKS, to };

  find_before (r, from, before);
  for (guint i = first; i < r->in.entries->len && (double) history_values_entry (r, i)->from < end; i++) {
    HistoryEntry *e = history_values_entry (r, i);
    /* sums and records of a block follow each other */
    if (e->level != 1 || i + 1 >= r->in.entries->len)
      continue;
    HistoryEntry *exact = history_values_entry (r, i + 1);
    bool inside = e->from >= from && (double) e->to < end;
    if (inside && ((double) e->to - (double) e->from) / SPANS < width / 2) {
      const uint8_t *data = history_in_data (&r->in, e);
      bool wide;
      if (data != NULL && sums_are_whole (&c, data, e, &wide)) {
        const uint8_t *samples = wide && exact->count == e->count ? history_values_records_of (r, exact) : NULL;
        history_values_add_sums (&c, data, e, samples);
        continue;
      }
    }
    const uint8_t *data = history_values_records_of (r, exact);
    if (data != NULL)
      add_records (&c, data, 0, exact->count);
  }
}

void
values_reader_each (ValuesReader *r, int64_t from, int64_t to, bool (*each) (void *arg, const ValueSample *s),
                    void *arg)
{
  for (guint i = first_at (r, from); i < r->in.entries->len && history_values_entry (r, i)->from < to; i++) {
    HistoryEntry *e = history_values_entry (r, i);
    const uint8_t *data = history_values_records_of (r, e);
    for (uint32_t k = 0; data != NULL && k < e->count; k++) {
      ValueSample s;
      if (!sample_at (data, k, &s) || s.date < from || s.date >= to)
        continue;
      if (!each (arg, &s))
        return;
    }
  }
}
