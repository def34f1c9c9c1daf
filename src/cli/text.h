/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - writing for machines (JSON) and for people (aligned tables). */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "readers/event.h"

/* ---- JSON: members and elements; `key` NULL inside arrays
 * --------------------------------------------------------- */
typedef struct Json {
  GString *to;
  bool comma;
} Json;
void json_open (Json *j, const char *key, char bracket);      /* '{' or '[' */
void json_key (Json *j, const char *key);                     /* its value is written by somebody else */
void json_close (Json *j, char bracket);                      /* '}' or ']' */
void json_text (Json *j, const char *key, const char *value); /* NULL: null */
void json_int (Json *j, const char *key, int64_t value);
void json_count (Json *j, const char *key, uint64_t value);
void json_real (Json *j, const char *key, double value); /* shortest that reads back; not finite: null */
void json_bool (Json *j, const char *key, bool value);
void json_date (Json *j, const char *key, const TraceClock *clock, int64_t date);
/* How the clocks of a trace of another program are corrected: "clocks". */
void json_clocks (Json *j, const TraceSource *s);

/* ---- tables: cells are copied, columns as wide as their widest cell
 * ----------------------------------------------- */
typedef struct Table Table;
/* One letter a column: 'l' left, 'r' right. */
Table *table_new (const char *columns);
/* The cells of the next row, as many as columns. */
void table_row (Table *t, ...);
/* The same of words that are marked for translation. */
void table_heads (Table *t, ...);
void table_cell (Table *t, const char *fmt, ...) __attribute__ ((format (printf, 2, 3)));
void table_decimal (Table *t, double value, int decimals); /* by the locale */
/* Appends it, each line after `indent` blanks, and frees it. */
void table_print (Table *t, int indent, GString *to);

/* Words of a trace come from a file: nothing in them may break a line or reach the terminal as a command.
 * Takes `text`, gives what may be printed. */
char *text_clean (char *text);
/* "45.6 %" of a part of one; g_free. */
char *text_percent (double of_one);
/* "4.1 kB" */
char *text_bytes (double bytes);
/* "310 µs" */
char *text_seconds (double s);
/* "12.3 %" of a part of one; "< 0.1 %" where that is more than nothing and would read as nothing; g_free. */
char *text_share (double of_one);
/* A date with the clock's unit: "1.250000 s". */
char *text_date (const TraceClock *clock, int64_t date);
/* "  what      text" and a new line, appended; the text is cleaned, `what` is marked for translation. */
void text_line (GString *to, const char *what, const char *fmt, ...) G_GNUC_PRINTF (3, 4);
struct TraceSource;
/* Such a line of when a trace begins by the calendar, where its dates are those of one. */
void text_began (GString *to, const struct TraceSource *s);

/* "a" or "an", as it is spoken: an MPI program, an OTF2 trace, a PVM program. */
const char *text_article (const char *word);
