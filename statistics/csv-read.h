/* SPDX-License-Identifier: Apache-2.0 */
/* csv-read.h - a text of comma-separated values (RFC 4180) as rows that can be sorted. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "readers/event.h"

typedef struct CsvTable {
  char *text; /* cells end with 0 in it */
  uint32_t n_columns, n_rows;
  bool more;        /* there are further rows, which are not here */
  GPtrArray *cells; /* of char *: names of the columns, then row by row */
  bool *is_number;  /* each column: every cell that has something is a number, and some has */
} CsvTable;

/* Takes the text; csv_free.  `cut`: what it comes from goes on behind it, and its last row may be a part of one. */
TRACE_API CsvTable *csv_read (char *text, bool cut, uint32_t most_rows);
TRACE_API void csv_free (CsvTable *t);
static inline const char *
csv_cell (const CsvTable *t, uint32_t row, uint32_t column)
{
  return (const char *) t->cells->pdata[(size_t) (row + 1) * t->n_columns + column];
}
/* Puts numbers of rows, of uint32_t, in the order of a column; equal ones stand as in the text.  Either way empty cells
 * come last, and before them what is no number (NaN). */
TRACE_API void csv_sort (const CsvTable *t, GArray *rows, uint32_t by, bool down);
