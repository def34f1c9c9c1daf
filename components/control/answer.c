/* SPDX-License-Identifier: Apache-2.0 */
/* answer.c - what an outside tool has answered (the order `ask`), as data of the program: a table, and its first
 * number.
 *
 * The text is a setting, as what is set by hand is: it is saved with the program, can be undone, and holds for the
 * whole execution, so that an instant looks the same however one came to it. */
#include <glib.h>
#include <string.h>
#include "eve/words.h"
#include "readers/box-inspector.h"
#include "statistics/csv-read.h"
#include "statistics/types.h"

#define MOST_ROWS 20000
#define MOST_COLUMNS 200

typedef struct Answer {
  EveBase base;
  char *text, *title;
  int64_t given; /* run state: 1 once it was given */
  bool changed;  /* since then */
} Answer;

enum { OUT_TABLE, OUT_VALUE };
static const EveOutSpec outs[] = {
  [OUT_TABLE] = { "table", &stats_type_table, .doc = "The answer, a row for each of its lines." },
  [OUT_VALUE] = { "value", &eve_type_double, .doc = "The first number in it; nothing, if it has none." },
};
static const EveField settings[] = {
  { "answer", EVE_F_STRING, offsetof (Answer, text),
    .doc = "Comma-separated values with a line of headings, as the tool wrote them; empty: there is none." },
  { "title", EVE_F_STRING, offsetof (Answer, title), .look = true,
    .doc = "Of the table; empty: as the box is called." },
};
static const EveField state[] = { { "given", EVE_F_INT64, offsetof (Answer, given), EVE_COUNT } };

static bool
answer_is_whole (const CsvTable *csv, uint32_t column)
{
  for (uint32_t r = 0; r < csv->n_rows; r++) {
    const char *cell = csv_cell (csv, r, column);
    char *end = NULL;
    g_ascii_strtoll (cell, &end, 10);
    if (*end || strlen (cell) > 15)
      return false;
  }
  return true;
}

/* "busy [s]" is "busy", in s; in the place of the heading. */
static void
split_unit (char *heading, StatsColumn *column)
{
  char *open = strrchr (heading, '[');
  size_t n = strlen (heading);

  column->name = heading;
  if (!open || open == heading || heading[n - 1] != ']')
    return;
  heading[n - 1] = 0;
  *open = 0;
  column->unit = open + 1;
  g_strchomp (heading);
}

static void
set_cell (StatsTable *t, const CsvTable *csv, uint32_t row, uint32_t column)
{
  const char *cell = csv_cell (csv, row, column);

  if (t->columns[column].kind == STATS_CELL_TEXT)
    stats_table_set_text (t, row, column, cell);
  else if (t->columns[column].kind == STATS_CELL_WHOLE && *cell)
    stats_cell (t, row, column)->whole = g_ascii_strtoll (cell, NULL, 10);
  else if (*cell)
    stats_cell (t, row, column)->real = g_ascii_strtod (cell, NULL);
}

/* One reference for the caller; *value becomes the first number, and *any whether there is one. */
static StatsTable *
answer_table_of (const Answer *self, const char *title, double *value, bool *any, bool *cut)
{
  CsvTable *csv = csv_read (g_strdup (self->text), false, MOST_ROWS);
  uint32_t n = MIN (csv->n_columns, MOST_COLUMNS);
  g_autofree StatsColumn *columns = g_new0 (StatsColumn, n + 1);

  for (uint32_t c = 0; c < n; c++) {
    split_unit (csv->cells->pdata[c], &columns[c]);
    columns[c].kind = !csv->is_number[c]         ? STATS_CELL_TEXT
                      : answer_is_whole (csv, c) ? STATS_CELL_WHOLE
                                                 : STATS_CELL_REAL;
  }
  StatsTable *t = stats_table_new (title, columns, n, csv->n_rows);
  *any = false;
  for (uint32_t r = 0; r < csv->n_rows; r++)
    for (uint32_t c = 0; c < n; c++) {
      const char *cell = csv_cell (csv, r, c);
      set_cell (t, csv, r, c);
      if (!*any && csv->is_number[c] && *cell) {
        *any = true;
        *value = g_ascii_strtod (cell, NULL);
      }
    }
  *cut = csv->more || csv->n_columns > n;
  csv_free (csv);
  return t;
}

static EveSupply
answer_produce (EveComponent *c, uint32_t max)
{
  Answer *self = (Answer *) c;
  double value = 0;
  bool any = false, cut = false;

  if (!*self->text || (self->given > 0 && !self->changed))
    return EVE_END;
  StatsTable *t = answer_table_of (self, *self->title ? self->title : eve_name (c), &value, &any, &cut);
  guint n_rows = t->n_rows;
  if (!eve_emit_steal (self->base.out[OUT_TABLE], &t))
    return EVE_MORE;
  if (any)
    eve_emit (self->base.out[OUT_VALUE], &value);
  if (cut)
    eve_warn (c, _ ("The answer is larger than %d rows or %d columns: the rest is left out."), MOST_ROWS, MOST_COLUMNS);
  eve_status (c, P_ ("%u row", "%u rows", n_rows), n_rows);
  self->given = 1;
  self->changed = false;
  return EVE_END;
}

static bool
answer_changed (EveComponent *c, uint32_t setting)
{
  if (setting == 0)
    ((Answer *) c)->changed = true;
  return true;
}

static void
answer_reset (EveComponent *c)
{
  ((Answer *) c)->changed = false;
  eve_status (c, "%s", "");
}

static void
answer_press (EveComponent *c, uint32_t row, void (*set) (void *arg, const char *setting, const char *value), void *arg)
{
  set (arg, "answer", "");
}

static bool
answer_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  if (row == 0)
    g_snprintf (text, n, P_ ("%zu byte", "%zu bytes", strlen (((Answer *) c)->text)), strlen (((Answer *) c)->text));
  return *((Answer *) c)->text != 0;
}

static const BoxRow rows[] = {
  { BOX_ROW_VALUE, NULL, N_ ("Answer"), N_ ("How long it is.") },
  { BOX_ROW_BUTTON, NULL, N_ ("Forget it"), N_ ("Takes the answer away.") },
  { BOX_ROW_SETTING, "title", NULL, NULL },
};
static const BoxInspector inspector = {
  .rows = rows, .n_rows = EVE_N (rows), .look = answer_look, .press = answer_press
};

static const void *
answer_query (EveComponent *c, const char *interface_name)
{
  return strcmp (interface_name, BOX_INSPECTOR) == 0 ? &inspector : NULL;
}

static const EveClass answer = {
  EVE_CLASS_HEAD,
  .id = "scope.answer",
  .label = "Answer",
  .category = "Control",
  .version = 1,
  .doc = "What an outside tool has answered, as a table and a number.",
  .help = "The window puts the answer here that a tool gave to `ask` (*Ask a tool* in the menu, or an order): "
          "comma-separated values with a line of headings, where `busy [s]` is *busy* in seconds. A column of numbers "
          "alone is one of numbers. It is saved with the program and holds for the whole execution. Without such a box "
          "the window adds one, with a Table that shows it.\n\n"
          "Example: `ask table Time by state into Answer | python3 fit.py` gives the table that is shown to a program, "
          "and `table` what that writes.",
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Answer),
  .produce = answer_produce,
  .changed = answer_changed,
  .reset = answer_reset,
  .query = answer_query,
};
EVE_PLUGIN (&answer);
