/* SPDX-License-Identifier: Apache-2.0 */
/* types.c - dated numbers, histograms, tables and matrices as data of Eve: references, run state, text. */
#include "statistics/types.h"
#include <math.h>
#include <string.h>
#include "simulators/state.h"
#include "statistics/stretch.h"

#define MOST_FIRST (INT64_C (1) << 53) /* of the round places where bins begin, which are reckoned with as doubles */
#define MOST_CELLS (1u << 26)          /* of a table or matrix that is read back: more is damage */
#define MOST_COLUMNS 65536             /* a column for each state of some executions */
#define WORDS 4u                       /* times whose words the texts of a column are, beside its kind */

/* ---- what all have --------------------------------------------------------------------------------------------- */

static const char *
intern (const char *text)
{
  return text && *text ? g_intern_string (text) : NULL;
}

/* False: the view holds no such number. */
static bool
get_count (EveBlobView *from, int64_t min, int64_t max, uint32_t *n)
{
  int64_t v = eve_get_int (from);

  *n = (uint32_t) v;
  return eve_get_ok (from) && v >= min && v <= max;
}

void
stats_csv_heading (GString *to, const char *name, const char *unit)
{
  g_autofree char *both = unit && *unit ? g_strdup_printf ("%s [%s]", name ? name : "", unit) : NULL;

  stats_csv_text (to, both ? both : name);
}

/* ---- dated number ------------------------------------------------------------------------------------------------ */

static void
datum_print (const void *slot, char *buf, size_t n)
{
  const StatsDatum *d = slot;
  const char *unit = d->unit ? d->unit : "", *space = d->unit ? " " : "";
  char owner[32] = "";

  if (d->owner_kind == STATS_OF_TASK && d->owner != TRACE_NONE) {
    const TraceSource *s = trace_source (d->source);
    const TraceTask *task = s ? trace_task (s, d->owner) : NULL;
    g_snprintf (owner, sizeof owner, "%s: ", task ? trace_task_name (s, d->owner) : "?");
  }
  if (d->is_whole)
    g_snprintf (buf, (gulong) n, "%s%" G_GINT64_FORMAT "%s%s", owner, d->value.whole, space, unit);
  else
    g_snprintf (buf, (gulong) n, "%s%.10g%s%s", owner, d->value.real, space, unit);
}

static int64_t
datum_date (const void *slot)
{
  return ((const StatsDatum *) slot)->date;
}

static void
datum_sample (void *slot, uint64_t n)
{
  static const double special[] = { 0, -0.0, 1, -1, 1e300, -1e300, 1e-300, 0.5, INFINITY, -INFINITY, NAN };
  StatsDatum *d = slot;

  *d = (StatsDatum){ (int64_t) n * 1000, .owner = n % 7, .owner_kind = STATS_OF_TASK, .attribute = n % 5 };
  if (n % 3 == 0) {
    d->is_whole = 1;
    d->value.whole = (int64_t) (n * 2654435761u % 20011) - 10005;
  } else {
    d->value.real = n % 32 < G_N_ELEMENTS (special) ? special[n % 32] : (double) (n * 2654435761u % 20011) / 7 - 1400;
  }
}

static void
datum_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StatsDatum *d = slot;

  eve_put_int (to, d->date);
  eve_put_int (to, d->is_whole);
  if (d->is_whole)
    eve_put_int (to, d->value.whole);
  else
    eve_put_double (to, d->value.real);
  eve_put_text (to, d->unit);
  eve_put_int (to, d->owner);
  eve_put_int (to, d->owner_kind | d->attribute << 3);
  trace_put_source (p, d->source, to);
}

static bool
datum_load (EveProgram *p, void *slot, EveBlobView *from)
{
  StatsDatum *d = slot;

  memset (d, 0, sizeof *d);
  d->date = eve_get_int (from);
  d->is_whole = eve_get_int (from) != 0;
  if (d->is_whole)
    d->value.whole = eve_get_int (from);
  else
    d->value.real = eve_get_double (from);
  d->unit = intern (eve_get_text (from));
  int64_t owner = eve_get_int (from), kind = eve_get_int (from);
  d->owner = (uint32_t) owner;
  d->owner_kind = kind & 7;
  d->attribute = kind >> 3 & STATS_MOST_ATTRIBUTES;
  d->source = trace_get_source (p, from);
  return eve_get_ok (from) && owner >= 0 && owner <= UINT32_MAX && kind >> 14 == 0 && d->owner_kind <= STATS_OF_NODE;
}

static void
datum_csv (const StatsDatum *d, GString *to)
{
  g_string_append (to, "date [s],owner,");
  stats_csv_heading (to, "value", d->unit);
  g_string_append_c (to, '\n');
  stats_csv_date (to, d->source, d->date);
  if (d->owner != TRACE_NONE)
    g_string_append_printf (to, ",%u,", d->owner);
  else
    g_string_append (to, ",,");
  if (d->is_whole)
    g_string_append_printf (to, "%" G_GINT64_FORMAT, d->value.whole);
  else
    stats_csv_number (to, d->value.real);
  g_string_append_c (to, '\n');
}

const EveType stats_type_datum = { .name = "dated number",
                                   .size = sizeof (StatsDatum),
                                   .align = _Alignof(StatsDatum),
                                   .colour = 0x1f7a8c,
                                   .print = datum_print,
                                   .date = datum_date,
                                   .sample = datum_sample,
                                   .save = datum_save,
                                   .load = datum_load };

/* ---- histogram --------------------------------------------------------------------------------------------------- */

StatsHistogram *
stats_histogram_new (const char *title, const char *unit, double from, double to, uint32_t n_bins)
{
  StatsHistogram *h = g_atomic_rc_box_alloc0 (sizeof *h + n_bins * sizeof h->bins[0]);

  h->title = intern (title);
  h->unit = intern (unit);
  h->date = INT64_MIN;
  h->from = from;
  h->to = to;
  h->n_bins = n_bins;
  h->min = h->max = h->mean = NAN;
  return h;
}

static void
histogram_retain (void *slot)
{
  g_atomic_rc_box_acquire (*(StatsHistogram **) slot);
}

static void
histogram_release (void *slot)
{
  g_atomic_rc_box_release (*(StatsHistogram **) slot);
}

static void
histogram_print (const void *slot, char *buf, size_t n)
{
  const StatsHistogram *h = *(StatsHistogram *const *) slot;

  g_snprintf (buf, (gulong) n,
              "%s%s%" G_GUINT64_FORMAT " values in %u bins from %.6g to %.6g, %" G_GUINT64_FORMAT
              " below, %" G_GUINT64_FORMAT " above",
              h->title ? h->title : "", h->title ? ": " : "", h->count, h->n_bins, h->from, h->to, h->below, h->above);
}

static void
histogram_sample (void *slot, uint64_t n)
{
  StatsHistogram *h = stats_histogram_new ("specimen", n % 2 ? "s" : NULL, (double) n, (double) n + 10, 1 + n % 9);

  for (uint32_t i = 0; i < h->n_bins; i++)
    h->count += h->bins[i] = (n + i) * 2654435761u % 101;
  h->count += h->above = n % 5;
  if (h->count) {
    h->min = (double) n;
    h->max = (double) n + 12;
    h->mean = (double) n + 4;
  }
  *(StatsHistogram **) slot = h;
}

#define POWERS 309 /* of ten, that a double can be */

double
stats_power_of_ten (int n)
{
  static double known[POWERS];
  static gsize all;

  if (g_once_init_enter (&all)) { /* pow() takes longer than all else that is done with a value */
    for (int i = 0; i < POWERS; i++)
      known[i] = pow (10, i);
    g_once_init_leave (&all, 1);
  }
  return n >= 0 && n < POWERS ? known[n] : pow (10, n);
}

double
stats_decimal (int64_t n, int power)
{
  return power < 0 ? (double) n / stats_power_of_ten (-power) : (double) n * stats_power_of_ten (power);
}

double
stats_tenth (int64_t n)
{
  return n % 10 == 0 ? stats_decimal (1, (int) (n / 10)) : pow (10, (double) n / 10);
}

double
stats_histogram_edge (const StatsHistogram *h, uint32_t i)
{
  if (h->step > 0)
    return h->logarithmic ? stats_tenth (h->first + (int64_t) i * h->step)
                          : stats_decimal (h->first + (int64_t) i * h->step, h->power);
  return i < h->n_bins ? h->from + i * ((h->to - h->from) / h->n_bins) : h->to;
}

static void
statistics_types_histogram_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StatsHistogram *h = *(StatsHistogram *const *) slot;

  eve_put_text (to, h->title);
  eve_put_text (to, h->unit);
  eve_put_int (to, h->date);
  eve_put_double (to, h->from);
  eve_put_double (to, h->to);
  eve_put_double (to, h->min);
  eve_put_double (to, h->max);
  eve_put_double (to, h->mean);
  trace_put_source (p, h->source, to);
  eve_put_int (to, (int64_t) h->below);
  eve_put_int (to, (int64_t) h->above);
  eve_put_int (to, (int64_t) h->no_number);
  eve_put_int (to, (int64_t) h->count);
  eve_put_int (to, h->first);
  eve_put_int (to, h->step);
  eve_put_int (to, h->power);
  eve_put_int (to, h->logarithmic);
  eve_put_int (to, h->n_bins);
  eve_put_ints (to, (const int64_t *) h->bins, h->n_bins);
}

static bool
statistics_types_histogram_load (EveProgram *p, void *slot, EveBlobView *from)
{
  StatsHistogram head = { 0 };

  head.title = intern (eve_get_text (from));
  head.unit = intern (eve_get_text (from));
  head.date = eve_get_int (from);
  head.from = eve_get_double (from);
  head.to = eve_get_double (from);
  head.min = eve_get_double (from);
  head.max = eve_get_double (from);
  head.mean = eve_get_double (from);
  head.source = trace_get_source (p, from);
  head.below = (uint64_t) eve_get_int (from);
  head.above = (uint64_t) eve_get_int (from);
  head.no_number = (uint64_t) eve_get_int (from);
  head.count = (uint64_t) eve_get_int (from);
  head.first = eve_get_int (from);
  int64_t step = eve_get_int (from), power = eve_get_int (from);
  head.logarithmic = eve_get_int (from) != 0;
  if (step < 0 || step > 10000000 || power < -400 || power > 400
      || (head.logarithmic && !(head.from > 0 && head.to >= head.from && isfinite (head.to)))
      || head.first < -MOST_FIRST || head.first > MOST_FIRST || !get_count (from, 1, STATS_MAX_BINS, &head.n_bins))
    return false;
  head.step = (int32_t) step;
  head.power = (int32_t) power;
  StatsHistogram *h = stats_histogram_new (NULL, NULL, 0, 0, head.n_bins);
  memcpy (h, &head, offsetof (StatsHistogram, bins));
  if (eve_get_ints (from, (int64_t *) h->bins, h->n_bins) != h->n_bins || !eve_get_ok (from)) {
    g_atomic_rc_box_release (h);
    return false;
  }
  *(StatsHistogram **) slot = h;
  return true;
}

/* The two bins out of range have no end: "-inf" and "inf" are what spreadsheets and scripts read. */
static void
histogram_csv (const StatsHistogram *h, GString *to)
{
  stats_csv_heading (to, "from", h->unit);
  g_string_append_c (to, ',');
  stats_csv_heading (to, "to", h->unit);
  g_string_append_printf (to, ",count\n-inf,");
  stats_csv_number (to, h->from);
  g_string_append_printf (to, ",%" G_GUINT64_FORMAT "\n", h->below);
  for (uint32_t i = 0; i < h->n_bins; i++) {
    stats_csv_number (to, stats_histogram_edge (h, i));
    g_string_append_c (to, ',');
    stats_csv_number (to, i + 1 < h->n_bins ? stats_histogram_edge (h, i + 1) : h->to);
    g_string_append_printf (to, ",%" G_GUINT64_FORMAT "\n", h->bins[i]);
  }
  stats_csv_number (to, h->to);
  g_string_append_printf (to, ",inf,%" G_GUINT64_FORMAT "\n", h->above);
}

#define REFERENCE .size = sizeof (void *), .align = _Alignof(void *)
const EveType stats_type_histogram = { .name = "histogram",
                                       REFERENCE,
                                       .colour = 0xb5561d,
                                       .retain = histogram_retain,
                                       .release = histogram_release,
                                       .print = histogram_print,
                                       .sample = histogram_sample,
                                       .save = statistics_types_histogram_save,
                                       .load = statistics_types_histogram_load };

/* ---- table --------------------------------------------------------------------------------------------------------- */

static StatsCell
nothing (StatsCellKind kind)
{
  return kind == STATS_CELL_TEXT   ? (StatsCell){ .text = NULL }
         : kind == STATS_CELL_REAL ? (StatsCell){ .real = NAN }
                                   : (StatsCell){ .whole = INT64_MIN };
}

StatsTable *
stats_table_new (const char *title, const StatsColumn *columns, uint32_t n_columns, uint32_t n_rows)
{
  StatsTable *t = g_atomic_rc_box_new0 (StatsTable);

  t->title = intern (title);
  t->date = INT64_MIN;
  t->n_columns = n_columns;
  t->n_rows = n_rows;
  t->columns = g_new0 (StatsColumn, n_columns);
  t->cells = g_new (StatsCell, (size_t) n_columns * n_rows);
  t->texts = g_string_chunk_new (256);
  for (uint32_t i = 0; i < n_columns; i++)
    t->columns[i] = (StatsColumn){ intern (columns[i].name), intern (columns[i].unit), columns[i].kind,
                                   columns[i].words };
  for (size_t i = 0; i < (size_t) n_columns * n_rows; i++)
    t->cells[i] = nothing (columns[i % n_columns].kind);
  return t;
}

void
stats_table_set_text (StatsTable *t, uint32_t row, uint32_t column, const char *text)
{
  stats_cell (t, row, column)->text = text ? g_string_chunk_insert_const (t->texts, text) : NULL;
}

void
stats_table_set_owner (StatsTable *t, uint32_t row, TraceRef who, TraceRef other)
{
  if (!t->owners)
    t->owners = g_new0 (TraceRef, 2 * (size_t) t->n_rows);
  t->owners[2 * (size_t) row] = who;
  t->owners[2 * (size_t) row + 1] = other;
}

/* Of the tasks of the same trace, which most are, a number each is written. */
static void
statistics_types_put_owner (EveProgram *p, TraceRef r, uint16_t source, EveBlob *to)
{
  bool plain = r.type == TRACE_REF_TASK && r.source == source;

  eve_put_int (to, plain ? (int64_t) r.id + 1 : 0);
  if (!plain)
    trace_ref_save (p, r, to);
}

static TraceRef
get_owner (EveProgram *p, uint16_t source, EveBlobView *from)
{
  int64_t task = eve_get_int (from);
  return task == 0                        ? trace_ref_load (p, from)
         : task > 0 && task <= UINT32_MAX ? trace_ref_task (source, (uint32_t) (task - 1))
                                          : (TraceRef){ 0 };
}

static void
table_retain (void *slot)
{
  g_atomic_rc_box_acquire (*(StatsTable **) slot);
}

static void
table_clear (StatsTable *t)
{
  g_free (t->columns);
  g_free (t->cells);
  g_free (t->owners);
  g_string_chunk_free (t->texts);
}

static void
table_release (void *slot)
{
  g_atomic_rc_box_release_full (*(StatsTable **) slot, (GDestroyNotify) table_clear);
}

static void
table_print (const void *slot, char *buf, size_t n)
{
  const StatsTable *t = *(StatsTable *const *) slot;

  g_snprintf (buf, (gulong) n, "%s%s%u rows of %u columns", t->title ? t->title : "", t->title ? ": " : "", t->n_rows,
              t->n_columns);
}

static void
table_sample (void *slot, uint64_t n)
{
  static const StatsColumn columns[] = { { "name", NULL, STATS_CELL_TEXT },
                                         { "share", "%", STATS_CELL_REAL },
                                         { "count", NULL, STATS_CELL_WHOLE },
                                         { "since", "s", STATS_CELL_DATE } };
  StatsTable *t = stats_table_new ("specimen", columns, G_N_ELEMENTS (columns), n % 6);
  char name[32];

  for (uint32_t i = 0; i < t->n_rows; i++) {
    g_snprintf (name, sizeof name, "row %u", (unsigned) (n + i) % 11);
    stats_table_set_text (t, i, 0, name);
    stats_cell (t, i, 1)->real = (double) ((n + i) % 100);
    if (i != 3)
      stats_cell (t, i, 2)->whole = (int64_t) (n * i);
    stats_cell (t, i, 3)->whole = (int64_t) n * 1000;
    if (n % 2)
      stats_table_set_owner (t, i, trace_ref_value ("State", name), trace_ref_task (0, i));
  }
  *(StatsTable **) slot = t;
}

static void
table_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StatsTable *t = *(StatsTable *const *) slot;

  eve_put_text (to, t->title);
  eve_put_int (to, t->date);
  trace_put_source (p, t->source, to);
  eve_put_int (to, t->n_columns);
  eve_put_int (to, t->n_rows);
  for (uint32_t i = 0; i < t->n_columns; i++) {
    eve_put_text (to, t->columns[i].name);
    eve_put_text (to, t->columns[i].unit);
    eve_put_int (to, t->columns[i].kind | t->columns[i].words * WORDS);
  }
  for (uint32_t r = 0; r < t->n_rows; r++)
    for (uint32_t i = 0; i < t->n_columns; i++) {
      const StatsCell *cell = stats_cell (t, r, i);
      if (t->columns[i].kind == STATS_CELL_REAL)
        eve_put_double (to, cell->real);
      else if (t->columns[i].kind != STATS_CELL_TEXT)
        eve_put_int (to, cell->whole);
      else {
        eve_put_int (to, cell->text != NULL);
        if (cell->text)
          eve_put_text (to, cell->text);
      }
    }
  eve_put_int (to, t->owners != NULL);
  for (size_t i = 0; t->owners && i < 2 * (size_t) t->n_rows; i++)
    statistics_types_put_owner (p, t->owners[i], t->source, to);
}

/* Rows are counted as they are read, so that a damaged count takes no memory. */
static bool
table_load (EveProgram *p, void *slot, EveBlobView *from)
{
  const char *title = intern (eve_get_text (from));
  int64_t date = eve_get_int (from);
  uint16_t source = trace_get_source (p, from);
  uint32_t n_columns, n_rows, kind, room = 0;

  if (!get_count (from, 0, MOST_COLUMNS, &n_columns) || !get_count (from, 0, MOST_CELLS, &n_rows)
      || (!n_columns && n_rows))
    return false;
  g_autofree StatsColumn *columns = g_new (StatsColumn, n_columns + 1);
  for (uint32_t i = 0; i < n_columns; i++) {
    const char *name = intern (eve_get_text (from)), *unit = intern (eve_get_text (from));
    if (!get_count (from, 0, STATS_CELL_DATE + STATS_OTHER * WORDS, &kind))
      return false;
    columns[i] = (StatsColumn){ name, unit, (StatsCellKind) (kind % WORDS), (uint8_t) (kind / WORDS) };
  }
  StatsTable *t = stats_table_new (title, columns, n_columns, 0);
  t->date = date;
  t->source = source;
  for (uint32_t r = 0; r < n_rows && eve_get_ok (from); r++) {
    if (r == room) {
      room = MIN (n_rows, MAX (16, room * 2));
      t->cells = g_renew (StatsCell, t->cells, (size_t) room * n_columns);
    }
    t->n_rows = r + 1;
    for (uint32_t i = 0; i < n_columns; i++) {
      *stats_cell (t, r, i) = nothing (columns[i].kind);
      if (columns[i].kind == STATS_CELL_REAL)
        stats_cell (t, r, i)->real = eve_get_double (from);
      else if (columns[i].kind != STATS_CELL_TEXT)
        stats_cell (t, r, i)->whole = eve_get_int (from);
      else if (eve_get_int (from))
        stats_table_set_text (t, r, i, eve_get_text (from));
    }
  }
  if (eve_get_int (from) != 0 && eve_get_ok (from))
    for (uint32_t r = 0; r < t->n_rows && eve_get_ok (from); r++) {
      TraceRef who = get_owner (p, source, from);
      stats_table_set_owner (t, r, who, get_owner (p, source, from));
    }
  if (!eve_get_ok (from)) {
    table_release (&t);
    return false;
  }
  *(StatsTable **) slot = t;
  return true;
}

bool
stats_cell_is_nothing (const StatsTable *t, uint32_t row, uint32_t column)
{
  const StatsCell *cell = stats_cell (t, row, column);
  StatsCellKind kind = t->columns[column].kind;

  return kind == STATS_CELL_TEXT   ? !cell->text
         : kind == STATS_CELL_REAL ? !state_is_value (cell->real)
                                   : cell->whole == INT64_MIN;
}

void
stats_table_cell_text (const StatsTable *t, uint32_t row, uint32_t column, GString *to)
{
  const StatsCell *cell = stats_cell (t, row, column);

  if (stats_cell_is_nothing (t, row, column))
    return;
  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    g_string_append (to, cell->text);
    break;
  case STATS_CELL_REAL:
    stats_csv_number (to, cell->real);
    break;
  case STATS_CELL_WHOLE:
    g_string_append_printf (to, "%" G_GINT64_FORMAT, cell->whole);
    break;
  case STATS_CELL_DATE:
    stats_csv_date (to, t->source, cell->whole);
    break;
  }
}

int
stats_table_compare (const StatsTable *t, uint32_t column, uint32_t row_a, uint32_t row_b)
{
  const StatsCell *a = stats_cell (t, row_a, column), *b = stats_cell (t, row_b, column);
  bool no_a = stats_cell_is_nothing (t, row_a, column), no_b = stats_cell_is_nothing (t, row_b, column);

  if (no_a || no_b)
    return no_a - no_b;
  switch (t->columns[column].kind) {
  case STATS_CELL_TEXT:
    return g_utf8_collate (a->text, b->text);
  case STATS_CELL_REAL: /* what is no number comes behind all numbers */
    return isnan (a->real) - isnan (b->real) + (a->real > b->real) - (a->real < b->real);
  default:
    return (a->whole > b->whole) - (a->whole < b->whole);
  }
}

static void
table_csv (const StatsTable *t, GString *to)
{
  g_autoptr (GString) cell = g_string_new (NULL);

  for (uint32_t i = 0; i < t->n_columns; i++) {
    if (i)
      g_string_append_c (to, ',');
    stats_csv_heading (to, t->columns[i].name, t->columns[i].unit);
  }
  g_string_append_c (to, '\n');
  for (uint32_t r = 0; r < t->n_rows; r++) {
    eve_alive ();
    for (uint32_t i = 0; i < t->n_columns; i++) {
      if (i)
        g_string_append_c (to, ',');
      g_string_truncate (cell, 0);
      stats_table_cell_text (t, r, i, cell);
      stats_csv_text (to, cell->str);
    }
    g_string_append_c (to, '\n');
  }
}

const EveType stats_type_table = { .name = "table",
                                   REFERENCE,
                                   .colour = 0x5b6abf,
                                   .retain = table_retain,
                                   .release = table_release,
                                   .print = table_print,
                                   .sample = table_sample,
                                   .save = table_save,
                                   .load = table_load };

/* ---- matrix -------------------------------------------------------------------------------------------------------- */

StatsMatrix *
stats_matrix_new (const char *title, const char *unit, uint32_t n_rows, uint32_t n_columns)
{
  StatsMatrix *m = g_atomic_rc_box_new0 (StatsMatrix);

  m->title = intern (title);
  m->unit = intern (unit);
  m->date = INT64_MIN;
  m->n_rows = n_rows;
  m->n_columns = n_columns;
  m->row_names = g_new0 (const char *, n_rows);
  m->column_names = g_new0 (const char *, n_columns);
  m->values = g_new0 (double, (size_t) n_rows *n_columns);
  m->texts = g_string_chunk_new (256);
  return m;
}

void
stats_matrix_name (StatsMatrix *m, bool column, uint32_t i, const char *name)
{
  (column ? m->column_names : m->row_names)[i] = name ? g_string_chunk_insert_const (m->texts, name) : NULL;
}

char *
stats_name_of_several (const char *first, const char *last, bool several)
{
  static const char between[] = " \u2026 ";

  if (!several)
    return g_strdup (first);
  /* of rows that stand for several themselves: the first of the first, and the last of the last */
  const char *end = strstr (first, between), *begin = g_strrstr (last, between);
  return g_strdup_printf ("%.*s%s%s", end ? (int) (end - first) : (int) strlen (first), first, between,
                          begin ? begin + strlen (between) : last);
}

void
stats_matrix_set_owners (StatsMatrix *m, bool column, uint32_t i, TraceRef first, uint32_t n)
{
  StatsOwners **owners = column ? &m->column_owners : &m->row_owners;

  if (!*owners)
    *owners = g_new0 (StatsOwners, column ? m->n_columns : m->n_rows);
  (*owners)[i] = (StatsOwners){ first, n };
}

static void
matrix_retain (void *slot)
{
  g_atomic_rc_box_acquire (*(StatsMatrix **) slot);
}

static void
matrix_clear (StatsMatrix *m)
{
  g_free (m->row_names);
  g_free (m->column_names);
  g_free (m->values);
  g_free (m->row_owners);
  g_free (m->column_owners);
  g_string_chunk_free (m->texts);
}

static void
matrix_release (void *slot)
{
  g_atomic_rc_box_release_full (*(StatsMatrix **) slot, (GDestroyNotify) matrix_clear);
}

static void
matrix_print (const void *slot, char *buf, size_t n)
{
  const StatsMatrix *m = *(StatsMatrix *const *) slot;

  g_snprintf (buf, (gulong) n, "%s%s%u x %u%s%s", m->title ? m->title : "", m->title ? ": " : "", m->n_rows,
              m->n_columns, m->unit ? " " : "", m->unit ? m->unit : "");
}

static void
matrix_sample (void *slot, uint64_t n)
{
  StatsMatrix *m = stats_matrix_new ("specimen", "B", (uint32_t) (n % 5), (uint32_t) (n % 5));
  char name[32];

  m->whole = true;
  m->means = m->flows = n % 2;
  for (uint32_t i = 0; i < m->n_rows; i++) {
    g_snprintf (name, sizeof name, "t%u", i);
    stats_matrix_name (m, false, i, name);
    stats_matrix_name (m, true, i, name);
    stats_matrix_set_owners (m, false, i, trace_ref_task (0, i), 1 + n % 2);
    for (uint32_t k = 0; k < m->n_columns; k++)
      m->values[i * m->n_columns + k] = (double) ((n + i * 3 + k) % 50);
  }
  *(StatsMatrix **) slot = m;
}

static void
matrix_save (EveProgram *p, const void *slot, EveBlob *to)
{
  const StatsMatrix *m = *(StatsMatrix *const *) slot;

  eve_put_text (to, m->title);
  eve_put_text (to, m->unit);
  eve_put_int (to, m->date);
  trace_put_source (p, m->source, to);
  eve_put_int (to, m->whole | m->means << 1 | m->flows << 2);
  eve_put_int (to, m->n_rows);
  eve_put_int (to, m->n_columns);
  for (uint32_t i = 0; i < m->n_rows; i++)
    eve_put_text (to, m->row_names[i]);
  for (uint32_t i = 0; i < m->n_columns; i++)
    eve_put_text (to, m->column_names[i]);
  for (size_t i = 0; i < (size_t) m->n_rows * m->n_columns; i++)
    eve_put_double (to, m->values[i]);
  for (int column = 0; column < 2; column++) {
    const StatsOwners *owners = column ? m->column_owners : m->row_owners;
    eve_put_int (to, owners != NULL);
    for (uint32_t i = 0; owners && i < (column ? m->n_columns : m->n_rows); i++) {
      statistics_types_put_owner (p, owners[i].first, m->source, to);
      eve_put_int (to, owners[i].n);
    }
  }
}

static bool
matrix_load (EveProgram *p, void *slot, EveBlobView *from)
{
  const char *title = intern (eve_get_text (from)), *unit = intern (eve_get_text (from));
  int64_t date = eve_get_int (from);
  uint16_t source = trace_get_source (p, from);
  int64_t how = eve_get_int (from);
  uint32_t n_rows, n_columns;

  if (!get_count (from, 0, 1 << 13, &n_rows) || !get_count (from, 0, 1 << 13, &n_columns))
    return false;
  StatsMatrix *m = stats_matrix_new (title, unit, n_rows, n_columns);
  m->date = date;
  m->source = source;
  m->whole = how & 1;
  m->means = how & 2;
  m->flows = how & 4;
  for (uint32_t i = 0; i < n_rows && eve_get_ok (from); i++)
    stats_matrix_name (m, false, i, eve_get_text (from));
  for (uint32_t i = 0; i < n_columns && eve_get_ok (from); i++)
    stats_matrix_name (m, true, i, eve_get_text (from));
  for (size_t i = 0; i < (size_t) n_rows * n_columns && eve_get_ok (from); i++)
    m->values[i] = eve_get_double (from);
  for (int column = 0; column < 2; column++)
    if (eve_get_int (from) != 0)
      for (uint32_t i = 0; i < (column ? n_columns : n_rows) && eve_get_ok (from); i++) {
        TraceRef first = get_owner (p, source, from);
        int64_t n = eve_get_int (from);
        stats_matrix_set_owners (m, column, i, first, (uint32_t) CLAMP (n, 0, UINT32_MAX));
      }
  if (!eve_get_ok (from)) {
    matrix_release (&m);
    return false;
  }
  *(StatsMatrix **) slot = m;
  return true;
}

static void
matrix_csv (const StatsMatrix *m, GString *to)
{
  stats_csv_heading (to, m->title, m->unit);
  for (uint32_t k = 0; k < m->n_columns; k++) {
    g_string_append_c (to, ',');
    stats_csv_text (to, m->column_names[k]);
  }
  g_string_append_c (to, '\n');
  for (uint32_t i = 0; i < m->n_rows; i++) {
    eve_alive ();
    stats_csv_text (to, m->row_names[i]);
    for (uint32_t k = 0; k < m->n_columns; k++) {
      g_string_append_c (to, ',');
      if (!isnan (m->values[(size_t) i * m->n_columns + k]))
        stats_csv_number (to, m->values[(size_t) i * m->n_columns + k]);
    }
    g_string_append_c (to, '\n');
  }
}

const EveType stats_type_matrix = { .name = "matrix",
                                    REFERENCE,
                                    .colour = 0x9c3d7a,
                                    .retain = matrix_retain,
                                    .release = matrix_release,
                                    .print = matrix_print,
                                    .sample = matrix_sample,
                                    .save = matrix_save,
                                    .load = matrix_load };

/* ---- any of them --------------------------------------------------------------------------------------------------- */

void
stats_ref (const EveType *type, void *thing)
{
  type->retain (&thing);
}

void
stats_unref (const EveType *type, void *thing)
{
  if (thing)
    type->release (&thing);
}

bool
stats_csv (const EveType *type, const void *slot, GString *to)
{
  if (type == &stats_type_datum)
    datum_csv (slot, to);
  else if (type == &stats_type_stretch)
    stats_stretch_csv (slot, to);
  else if (type == &stats_type_histogram)
    histogram_csv (*(StatsHistogram *const *) slot, to);
  else if (type == &stats_type_table)
    table_csv (*(StatsTable *const *) slot, to);
  else if (type == &stats_type_matrix)
    matrix_csv (*(StatsMatrix *const *) slot, to);
  else
    return false;
  return true;
}
