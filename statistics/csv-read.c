/* SPDX-License-Identifier: Apache-2.0 */
/* csv-read.c - reading and sorting of CSV. */
#include "statistics/csv-read.h"
#include <math.h>
#include <string.h>

#define MOST_CELLS (1u << 24) /* a wide line of headings makes many of each short row */

/* One field of RFC 4180, made an ordinary string in its place; gives what follows it, and the character that ended it.
 */
static char *
csv_read_field (char *at, char **field, char *ended)
{
  char *to = at;

  *field = at;
  if (*at == '"') {
    for (++at; *at && (*at != '"' || at[1] == '"'); ++at) {
      at += *at == '"'; /* doubled */
      *to++ = *at;
    }
    at += *at == '"';
  } else
    while (*at && *at != ',' && *at != '\n')
      *to++ = *at++;
  *ended = *at;
  at += *at != 0;
  *to = 0;
  return at;
}

static void
csv_read_parse (CsvTable *t, bool cut, uint32_t most_rows)
{
  char *at = t->text, ended = ',', *field;

  t->cells = g_ptr_array_new ();
  while (ended == ',') {
    at = csv_read_field (at, &field, &ended);
    g_ptr_array_add (t->cells, field);
  }
  t->n_columns = t->cells->len;
  while (*at && t->n_rows < most_rows && t->cells->len < MOST_CELLS) {
    uint32_t n = 0;
    for (ended = ','; ended == ','; ++n) {
      at = csv_read_field (at, &field, &ended);
      if (n < t->n_columns)
        g_ptr_array_add (t->cells, field);
    }
    if (!ended && cut) { /* cut in the middle */
      g_ptr_array_set_size (t->cells, (int) ((t->n_rows + 1) * t->n_columns));
      break;
    }
    for (; n < t->n_columns; ++n)
      g_ptr_array_add (t->cells, (char *) "");
    ++t->n_rows;
  }
  t->more = cut || *at != 0;
}

static void
csv_read_find_numbers (CsvTable *t)
{
  t->is_number = g_new0 (bool, t->n_columns + 1);
  for (uint32_t c = 0; c < t->n_columns; ++c) {
    bool number = true, any = false;
    for (uint32_t r = 0; r < t->n_rows && number; ++r) {
      const char *text = csv_cell (t, r, c);
      char *end = NULL;
      g_ascii_strtod (text, &end);
      number = *end == 0;
      any |= *text != 0;
    }
    t->is_number[c] = number && any;
  }
}

/* ---- order ---------------------------------------------------------------------------------------------------- */

typedef struct Order {
  const CsvTable *table;
  uint32_t by;
  bool down;
} Order;

static int
by_cell (gconstpointer a, gconstpointer b, gpointer order)
{
  const Order *o = order;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  const char *left = csv_cell (o->table, x, o->by), *right = csv_cell (o->table, y, o->by);
  int d = 0;

  if (!*left != !*right)
    return *left ? -1 : 1;
  if (o->table->is_number[o->by]) {
    double p = g_ascii_strtod (left, NULL), q = g_ascii_strtod (right, NULL);
    if (!isnan (p) != !isnan (q))
      return isnan (p) ? 1 : -1;
    d = (p > q) - (p < q);
  } else
    d = strcmp (left, right);
  if (d)
    return o->down ? -d : d;
  return (x > y) - (x < y);
}

void
csv_sort (const CsvTable *t, GArray *rows, uint32_t by, bool down)
{
  Order order = { t, by, down };

  g_array_sort_with_data (rows, by_cell, &order);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

CsvTable *
csv_read (char *text, bool cut, uint32_t most_rows)
{
  CsvTable *t = g_new0 (CsvTable, 1);

  t->text = text;
  csv_read_parse (t, cut, most_rows);
  csv_read_find_numbers (t);
  return t;
}

void
csv_free (CsvTable *t)
{
  g_ptr_array_unref (t->cells);
  g_free (t->is_number);
  g_free (t->text);
  g_free (t);
}
