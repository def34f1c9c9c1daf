/* SPDX-License-Identifier: Apache-2.0 */
/* table-differences.c - tables of several executions as one: what each says of the same, and what differs. */
#include <math.h>
#include "components/slots.h"
#include "eve/words.h"
#include "statistics/list.h"
#include "statistics/types.h"

#define EXECUTIONS_MOST 16
#define TEXTS_MOST 8   /* that say what a row is of */
#define BETWEEN "\x1f" /* texts of a key */
#define ALL N_ ("all")

typedef struct TableDifferences {
  EveBase base;
  char *unit, *names; /* settings */
  bool sums;
  Slots tables; /* the newest of each execution, the first opened first */
} TableDifferences;

static const EveInSpec ins[] = {
  { "table", &stats_type_table, .required = true, .commutes = true, .present = true,
    .doc = "Tables of several executions, by a wire from each; of one execution the newest counts." },
};
static const EveOutSpec outs[] = {
  { "differences", &stats_type_table,
    .doc = "A row for each number that is in these: what it is of, what each execution has, and the difference. Where "
           "executions have no type of tasks in common, what is of one type alone in each is one row." },
};
static const EveField settings[] = {
  { "unit", EVE_F_STRING, offsetof (TableDifferences, unit),
    .doc = "Numbers with this unit alone, such as s; empty: all." },
  { "columns", EVE_F_STRING, offsetof (TableDifferences, names),
    .doc = "Columns with these names alone, with commas between; empty: all." },
  { "sums", EVE_F_BOOL, offsetof (TableDifferences, sums),
    .doc = "Also the sum of each column: of what adds up, as time." },
};

/* ---- what is beside what ------------------------------------------------------------------------------------------------ */

/* Names in the order in which they came. */
typedef struct Places {
  GHashTable *at;   /* -> place + 1 */
  GPtrArray *names; /* the keys, owned by `at` */
} Places;

static uint32_t
place_of (Places *p, char *name)
{
  uint32_t at = GPOINTER_TO_UINT (g_hash_table_lookup (p->at, name));

  if (at > 0) {
    g_free (name);
    return at - 1;
  }
  g_ptr_array_add (p->names, name);
  g_hash_table_insert (p->at, name, GUINT_TO_POINTER (p->names->len));
  return p->names->len - 1;
}

static Places
places_new (void)
{
  return (Places){ g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), g_ptr_array_new () };
}

static void
places_free (Places *p)
{
  g_hash_table_unref (p->at);
  g_ptr_array_unref (p->names);
}

typedef struct Comparison {
  uint32_t n; /* executions */
  const StatsTable *of[EXECUTIONS_MOST];
  Places rows, columns; /* keys: the name of the row, which of those with that name; name and unit of the column */
  uint32_t *row[EXECUTIONS_MOST], *column[EXECUTIONS_MOST]; /* of each table -> place; UINT32_MAX: not compared */
  GPtrArray *titles;                                        /* of columns: const StatsColumn * */
  TraceRef *owners;                                         /* of rows */
  double *values;                                           /* (row * columns + column) * n; the last row: sums */
} Comparison;

static const StatsTable *
table_at (const Slots *s, uint64_t i)
{
  return *(const StatsTable *const *) (const void *) slots_at (s, i);
}

/* How many columns say what a row is of: the texts before the first number. */
static uint32_t
table_differences_texts (const StatsTable *t)
{
  uint32_t n = 0;

  while (n < MIN (t->n_columns, TEXTS_MOST) && t->columns[n].kind == STATS_CELL_TEXT)
    n++;
  return n;
}

static bool
is_compared (const TableDifferences *self, const StatsColumn *c)
{
  return (c->kind == STATS_CELL_REAL || c->kind == STATS_CELL_WHOLE)
         && (!*self->unit || g_strcmp0 (c->unit, self->unit) == 0)
         && (!*self->names || stats_list_has (self->names, c->name));
}

static void
table_differences_place_columns (const TableDifferences *self, Comparison *c, uint32_t k)
{
  const StatsTable *t = c->of[k];

  c->column[k] = g_new (uint32_t, t->n_columns + 1);
  for (uint32_t i = 0; i < t->n_columns; i++) {
    const StatsColumn *column = &t->columns[i];
    c->column[k][i] = is_compared (self, column) ? place_of (
                          &c->columns, g_strdup_printf ("%s\t%s", column->name, column->unit ? column->unit : ""))
                                                 : UINT32_MAX;
    if (c->columns.names->len > c->titles->len)
      g_ptr_array_add (c->titles, &t->columns[i]);
  }
}

/* The texts of a row, from one of them on. */
static char *
table_differences_key (const StatsTable *t, uint32_t row, uint32_t from)
{
  GString *key = g_string_new (NULL);
  uint32_t n = table_differences_texts (t);

  for (uint32_t j = from; j < n; j++) {
    const char *text = stats_cell (t, row, j)->text;
    g_string_append_printf (key, "%s" BETWEEN, text ? text : "");
  }
  return g_string_free (key, FALSE);
}

/* Texts from one on -> row + 1; 0: several rows have them. */
static GHashTable *
table_differences_rows_by (const StatsTable *t, uint32_t from)
{
  GHashTable *rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (uint32_t i = 0; i < t->n_rows; i++) {
    char *key = table_differences_key (t, i, from);
    g_hash_table_insert (rows, key, GUINT_TO_POINTER (g_hash_table_contains (rows, key) ? 0 : i + 1));
  }
  return rows;
}

/* Formats have names of their own for types of tasks, which are the first text of a row. */
static bool
has_other_types (const StatsTable *t, const StatsTable *first)
{
  uint32_t n = table_differences_texts (t);
  g_autoptr (GHashTable) types = g_hash_table_new (g_str_hash, g_str_equal);
  bool other = n > 1 && n == table_differences_texts (first);

  for (uint32_t i = 0; other && i < first->n_rows; i++) {
    const char *type = stats_cell (first, i, 0)->text;
    g_hash_table_add (types, (gpointer) (type ? type : ""));
  }
  for (uint32_t i = 0; other && i < t->n_rows; i++) {
    const char *type = stats_cell (t, i, 0)->text;
    other = !g_hash_table_contains (types, type ? type : "");
  }
  return other;
}

/* A row is that of the first execution with the same texts.  Of an execution that has no type of tasks in common with
 * that one it is the one that is alike but for the type, where each of both has one alone. */
static void
table_differences_place_rows (Comparison *c, uint32_t k)
{
  const StatsTable *t = c->of[k];
  g_autoptr (GHashTable) met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), own = NULL, first = NULL;

  if (k > 0 && has_other_types (t, c->of[0])) {
    own = table_differences_rows_by (t, 1);
    first = table_differences_rows_by (c->of[0], 1);
  }
  c->row[k] = g_new (uint32_t, t->n_rows + 1);
  for (uint32_t i = 0; i < t->n_rows; i++) {
    g_autofree char *name = table_differences_key (t, i, 0), *rest = table_differences_key (t, i, 1);
    guint nth = GPOINTER_TO_UINT (g_hash_table_lookup (met, name)),
          like = own && g_hash_table_lookup (own, rest) ? GPOINTER_TO_UINT (g_hash_table_lookup (first, rest)) : 0;
    g_hash_table_insert (met, g_strdup (name), GUINT_TO_POINTER (nth + 1));
    c->row[k][i] = like > 0 ? c->row[0][like - 1] : place_of (&c->rows, g_strdup_printf ("%s%u", name, nth));
  }
}

static double
table_differences_number (const StatsTable *t, uint32_t row, uint32_t column)
{
  const StatsCell *cell = stats_cell (t, row, column);

  return stats_cell_is_nothing (t, row, column)        ? NAN
         : t->columns[column].kind == STATS_CELL_WHOLE ? (double) cell->whole
                                                       : cell->real;
}

static double *
value_at (const Comparison *c, uint32_t row, uint32_t column, uint32_t k)
{
  return &c->values[((size_t) row * c->columns.names->len + column) * c->n + k];
}

static void
fill_in (Comparison *c, uint32_t k)
{
  const StatsTable *t = c->of[k];
  uint32_t sums = c->rows.names->len;

  for (uint32_t i = 0; i < t->n_rows; i++) {
    TraceRef *owner = &c->owners[c->row[k][i]];
    if (owner->type == TRACE_REF_NONE)
      *owner = stats_table_owner (t, i, false);
    for (uint32_t j = 0; j < t->n_columns; j++)
      if (c->column[k][j] != UINT32_MAX) {
        double x = table_differences_number (t, i, j), *sum = value_at (c, sums, c->column[k][j], k);
        *value_at (c, c->row[k][i], c->column[k][j], k) = x;
        if (!isnan (x))
          *sum = (isnan (*sum) ? 0 : *sum) + x;
      }
  }
}

static void
compare_begin (const TableDifferences *self, Comparison *c)
{
  *c = (Comparison){
    .n = (uint32_t) self->tables.n, .rows = places_new (), .columns = places_new (), .titles = g_ptr_array_new ()
  };
  for (uint32_t k = 0; k < c->n; k++) {
    c->of[k] = table_at (&self->tables, k);
    table_differences_place_columns (self, c, k);
    table_differences_place_rows (c, k);
  }
  size_t n = (size_t) (c->rows.names->len + 1) * c->columns.names->len * c->n;
  c->values = g_new (double, n + 1);
  c->owners = g_new0 (TraceRef, c->rows.names->len + 1);
  for (size_t i = 0; i < n; i++)
    c->values[i] = NAN;
  for (uint32_t k = 0; k < c->n; k++)
    fill_in (c, k);
}

static void
compare_end (Comparison *c)
{
  for (uint32_t k = 0; k < c->n; k++) {
    g_free (c->row[k]);
    g_free (c->column[k]);
  }
  places_free (&c->rows);
  places_free (&c->columns);
  g_ptr_array_unref (c->titles);
  g_free (c->values);
  g_free (c->owners);
}

/* ---- the table ------------------------------------------------------------------------------------------------------------ */

typedef struct Difference {
  uint32_t row, column;
  bool all;    /* a sum */
  double most; /* how much an execution differs from the first */
} Difference;

/* What is there is compared with what is not as with nothing. */
static double
or_nothing (double x)
{
  return isnan (x) ? 0 : x;
}

static int
table_differences_order (const void *a, const void *b)
{
  const Difference *x = a, *y = b;

  return x->all != y->all     ? y->all - x->all
         : x->most != y->most ? (x->most < y->most) - (x->most > y->most)
         : x->row != y->row   ? (x->row > y->row) - (x->row < y->row)
                              : (x->column > y->column) - (x->column < y->column);
}

/* The sums first, then what differs most; what is 0 everywhere is left out. */
static GArray *
table_differences_list (const TableDifferences *self, const Comparison *c)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Difference));
  uint32_t sums = c->rows.names->len, first = self->sums && sums > 1 ? sums + 1 : sums;

  for (uint32_t row = 0; row < first; row++)
    for (uint32_t column = 0; column < c->columns.names->len; column++) {
      Difference d = { row, column, row == sums, 0 };
      bool any = false;
      for (uint32_t k = 0; k < c->n; k++) {
        double x = or_nothing (*value_at (c, row, column, k));
        d.most = fmax (d.most, fabs (x - or_nothing (*value_at (c, row, column, 0))));
        any |= x != 0;
      }
      if (any)
        g_array_append_val (all, d);
    }
  g_array_sort (all, table_differences_order);
  return all;
}

/* The name of its trace; the second of that name is "NAME (2)". */
static const char *
table_differences_execution (const Comparison *c, uint32_t k)
{
  const TraceSource *s = trace_source (c->of[k]->source);
  uint32_t nth = 1;

  if (!s || !s->name)
    return g_intern_static_string ("?");
  for (uint32_t i = 0; i < k; i++) {
    const TraceSource *other = trace_source (c->of[i]->source);
    nth += other && g_strcmp0 (other->name, s->name) == 0;
  }
  g_autofree char *name = nth > 1 ? g_strdup_printf ("%s (%u)", s->name, nth) : g_strdup (s->name);
  return g_intern_string (name);
}

/* "difference"; of more than two executions which, too. */
static StatsColumn
table_differences_more (const Comparison *c, uint32_t k, const char *unit)
{
  g_autofree char *name = g_strdup_printf ("difference, %s", table_differences_execution (c, k));

  if (c->n == 2)
    return (StatsColumn){ N_ ("difference"), unit, STATS_CELL_REAL };
  return (StatsColumn){ g_intern_string (name), unit, STATS_CELL_REAL, .given = true };
}

/* What a row is of, which number it is and in what; of each execution its number; of each but the first also how much
 * more that is. */
static uint32_t
put_columns (const TableDifferences *self, const Comparison *c, StatsColumn *to)
{
  uint32_t n = table_differences_texts (c->of[0]);
  const char *unit = *self->unit ? g_intern_string (self->unit) : NULL;

  memcpy (to, c->of[0]->columns, n * sizeof *to);
  to[n++] = (StatsColumn){ N_ ("what"), .kind = STATS_CELL_TEXT, .words = STATS_STATES };
  if (!unit)
    to[n++] = (StatsColumn){ N_ ("unit"), .kind = STATS_CELL_TEXT };
  for (uint32_t k = 0; k < c->n; k++) {
    to[n++] = (StatsColumn){ table_differences_execution (c, k), unit, STATS_CELL_REAL, .given = true };
    if (k > 0)
      to[n++] = table_differences_more (c, k, unit);
  }
  return n;
}

static void
table_differences_put_row (const Comparison *c, StatsTable *t, uint32_t i, const Difference *d, bool has_unit)
{
  const StatsColumn *column = c->titles->pdata[d->column];
  double first = *value_at (c, d->row, d->column, 0);
  uint32_t n = 0, n_texts = table_differences_texts (c->of[0]);

  if (d->row < c->rows.names->len) {
    g_auto (GStrv) texts = g_strsplit (c->rows.names->pdata[d->row], BETWEEN, -1);
    for (; n < n_texts && texts[n] && texts[n + 1]; n++)
      stats_table_set_text (t, i, n, texts[n]);
    stats_table_set_owner (t, i, c->owners[d->row], (TraceRef){ 0 });
  } else if (n_texts > 0) {
    stats_table_set_text (t, i, 0, ALL);
  }
  n = n_texts;
  stats_table_set_text (t, i, n++, column->name);
  if (has_unit)
    stats_table_set_text (t, i, n++, column->unit);
  for (uint32_t k = 0; k < c->n; k++) {
    double x = *value_at (c, d->row, d->column, k);
    stats_cell (t, i, n++)->real = x;
    if (k > 0)
      stats_cell (t, i, n++)->real = or_nothing (x) - or_nothing (first);
  }
}

static void
tell (TableDifferences *self)
{
  StatsColumn columns[TEXTS_MOST + 2 + 2 * EXECUTIONS_MOST];
  Comparison c;

  compare_begin (self, &c);
  g_autoptr (GArray) all = table_differences_list (self, &c);
  uint32_t n = put_columns (self, &c, columns);
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, n, all->len);
  t->date = c.of[c.n - 1]->date;
  t->source = c.of[c.n - 1]->source;
  for (guint i = 0; i < all->len; i++)
    table_differences_put_row (&c, t, i, &g_array_index (all, Difference, i), !*self->unit);
  compare_end (&c);
  eve_emit_steal (self->base.out[0], &t);
}

/* ---- the component ---------------------------------------------------------------------------------------------------------- */

static void
table_differences_fire (EveComponent *c)
{
  TableDifferences *self = (TableDifferences *) c;
  const StatsTable *t = *(const StatsTable *const *) eve_take (self->base.in[0]);
  Slots *all = &self->tables, others = { 0 };
  bool put = false;

  if (!slots_setup (&others, c, &stats_type_table, EXECUTIONS_MOST))
    return;
  for (uint64_t i = 0; i < all->n; i++) { /* in the order of the executions; of those that are closed no more */
    const StatsTable *one = table_at (all, i);
    if (!put && t->source <= one->source) {
      slots_push (&others, &t);
      put = true;
    }
    if (one->source != t->source && trace_source (one->source) && others.n < EXECUTIONS_MOST)
      slots_push (&others, slots_at (all, i));
  }
  if (!put && others.n < EXECUTIONS_MOST)
    slots_push (&others, &t);
  slots_free (all);
  *all = others;
  tell (self);
}

static bool
table_differences_changed (EveComponent *c, uint32_t setting)
{
  return true;
}

static void
table_differences_reset (EveComponent *c)
{
  slots_clear (&((TableDifferences *) c)->tables);
}

static void
table_differences_finish (EveComponent *c)
{
  slots_free (&((TableDifferences *) c)->tables);
}

static void
table_differences_save (EveComponent *c, EveBlob *to)
{
  slots_save (&((TableDifferences *) c)->tables, c, to);
}

static bool
table_differences_load (EveComponent *c, EveBlobView *from)
{
  return slots_load (&((TableDifferences *) c)->tables, c, &stats_type_table, EXECUTIONS_MOST, from);
}

static const EveClass table_differences = {
  EVE_CLASS_HEAD,
  .id = "scope.table-differences",
  .label = "Table Differences",
  .category = "Analysis",
  .version = 1,
  .doc = "Tables of several executions beside each other, and what differs, the largest difference first.",
  .help = "A row is the same in two tables if its texts before the first number are; where several have these, the "
          "first is compared "
          "with the first, and so on.  A column is the same if name and unit are.  What one table lacks counts as 0 in "
          "the difference.  "
          "Numbers that are 0 in all are left out.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (TableDifferences),
  .finish = table_differences_finish,
  .reset = table_differences_reset,
  .changed = table_differences_changed,
  .fire = table_differences_fire,
  .save = table_differences_save,
  .load = table_differences_load,
};
EVE_PLUGIN (&table_differences);
