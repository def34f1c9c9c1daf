/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/visible.h"
#include "eve/number.h"
#include "eve/words.h"
#include "cli/text.h"
#include "readers/reader.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- JSON
 * ------------------------------------------------------------------------------------------------------- */

static void
text_member (Json *j, const char *key)
{
  if (j->comma)
    g_string_append (j->to, ", ");
  j->comma = true;
  if (!key)
    return;
  trace_json_text (j->to, key);
  g_string_append (j->to, ": ");
}

void
json_open (Json *j, const char *key, char bracket)
{
  text_member (j, key);
  g_string_append_c (j->to, bracket);
  j->comma = false;
}

void
json_close (Json *j, char bracket)
{
  g_string_append_c (j->to, bracket);
  j->comma = true;
}

void
json_key (Json *j, const char *key)
{
  text_member (j, key);
}

void
json_text (Json *j, const char *key, const char *value)
{
  text_member (j, key);
  if (value)
    trace_json_text (j->to, value);
  else
    g_string_append (j->to, "null");
}

void
json_int (Json *j, const char *key, int64_t value)
{
  text_member (j, key);
  g_string_append_printf (j->to, "%" G_GINT64_FORMAT, value);
}

void
json_count (Json *j, const char *key, uint64_t value)
{
  text_member (j, key);
  g_string_append_printf (j->to, "%" G_GUINT64_FORMAT, value);
}

void
json_real (Json *j, const char *key, double value)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  text_member (j, key);
  if (!isfinite (value)) {
    g_string_append (j->to, "null");
    return;
  }
  for (int digits = 15; digits <= 17; ++digits) {
    char format[8] = { '%', '.', '1', (char) ('0' + digits - 10), 'g', 0 };
    g_ascii_formatd (buf, sizeof buf, format, value);
    if (g_ascii_strtod (buf, NULL) == value)
      break;
  }
  g_string_append (j->to, buf);
}

void
json_bool (Json *j, const char *key, bool value)
{
  text_member (j, key);
  g_string_append (j->to, value ? "true" : "false");
}

void
json_date (Json *j, const char *key, const TraceClock *clock, int64_t date)
{
  char buf[64];

  text_member (j, key);
  trace_clock_print (clock, date, buf, sizeof buf);
  g_string_append (j->to, buf);
}

void
json_clocks (Json *j, const TraceSource *s)
{
  const TraceClocks *c = &s->clocks;
  bool whole = c->by >= TRACE_CLOCKS_LINEAR;
  double second = (double) (s->own_ticks > 0 ? s->own_ticks : s->clock.ticks_per_second);

  if (!trace_is_foreign (s->path))
    return;
  json_open (j, "clocks", '{');
  json_text (j, "corrected", c->by == TRACE_CLOCKS_OFFSETS && c->n_offsets == 0 ? "none" : trace_clocks_names[c->by]);
  json_count (j, "offsets", c->n_offsets);
  if (whole) {
    json_count (j, "tasks", c->n_tasks);
    json_count (j, "checked", c->n_checked);
    json_count (j, "early_before", c->n_before);
    json_real (j, "early_before_most", (double) c->worst_before / second);
    json_count (j, "early_after", c->n_after);
    json_real (j, "early_after_most", (double) c->worst_after / second);
    json_real (j, "moved_most", (double) c->moved / second);
  }
  json_close (j, '}');
}

/* ---- tables
 * ----------------------------------------------------------------------------------------------------- */

struct Table {
  const char *columns;
  size_t n;
  GPtrArray *cells;
};

Table *
table_new (const char *columns)
{
  Table *t = g_new0 (Table, 1);

  t->columns = columns;
  t->n = strlen (columns);
  t->cells = g_ptr_array_new_with_free_func (g_free);
  return t;
}

char *
text_clean (char *cell)
{
  char *shown = visible_text (cell, strlen (cell));

  if (!shown)
    return g_strdelimit (cell, "\n\t", ' ');
  g_free (cell);
  return g_strdelimit (shown, "\n\t", ' ');
}

void
table_row (Table *t, ...)
{
  va_list args;

  va_start (args, t);
  for (size_t i = 0; i < t->n; ++i)
    g_ptr_array_add (t->cells, text_clean (g_strdup (va_arg (args, const char *))));
  va_end (args);
}

void
table_heads (Table *t, ...)
{
  va_list args;

  va_start (args, t);
  for (size_t i = 0; i < t->n; ++i)
    g_ptr_array_add (t->cells, g_strdup (in_words (va_arg (args, const char *))));
  va_end (args);
}

void
table_cell (Table *t, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_ptr_array_add (t->cells, text_clean (g_strdup_vprintf (fmt, args)));
  va_end (args);
}

void
table_decimal (Table *t, double value, int decimals)
{
  g_autofree char *text = number_local (g_strdup_printf ("%.*f", decimals, value));

  table_cell (t, "%s", text);
}

void
table_print (Table *t, int indent, GString *to)
{
  g_autofree glong *width = g_new0 (glong, t->n);

  for (guint i = 0; i < t->cells->len; ++i)
    width[i % t->n] = MAX (width[i % t->n], g_utf8_strlen (t->cells->pdata[i], -1));
  for (guint i = 0; i < t->cells->len; ++i) {
    size_t column = i % t->n;
    const char *cell = t->cells->pdata[i];
    int pad = (int) (width[column] - g_utf8_strlen (cell, -1));
    if (column == 0)
      g_string_append_printf (to, "%*s", indent, "");
    if (t->columns[column] == 'r')
      g_string_append_printf (to, "%*s%s", pad, "", cell);
    else
      g_string_append_printf (to, "%s%*s", cell, pad, "");
    if (column + 1 < t->n) {
      g_string_append (to, "  ");
      continue;
    }
    while (to->len && to->str[to->len - 1] == ' ') /* no blanks at the end of a line */
      g_string_truncate (to, to->len - 1);
    g_string_append_c (to, '\n');
  }
  g_ptr_array_unref (t->cells);
  g_free (t);
}

char *
text_bytes (double bytes)
{
  char text[32];

  trace_write_bytes (bytes, text, sizeof text);
  return g_strdup (text);
}

char *
text_share (double of_one)
{
  return number_share (of_one, 1, " ");
}

char *
text_percent (double of_one)
{
  return number_local (g_strdup_printf ("%.1f %%", 100 * of_one));
}

char *
text_seconds (double s)
{
  double a = fabs (s);

  if (a >= 1 || a == 0)
    return number_local (g_strdup_printf ("%.3f s", s));
  if (a >= 1e-3)
    return number_local (g_strdup_printf ("%.3f ms", s * 1e3));
  if (a >= 1e-6)
    return number_local (g_strdup_printf ("%.1f µs", s * 1e6));
  return g_strdup_printf ("%.0f ns", s * 1e9);
}

char *
text_date (const TraceClock *clock, int64_t date)
{
  char buf[64];

  trace_clock_print (clock, date, buf, sizeof buf);
  return g_strdup_printf ("%s %s", number_local (buf), clock->units);
}

void
text_line (GString *to, const char *what, const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  g_autofree char *text = text_clean (g_strdup_vprintf (fmt, args));
  va_end (args);
  what = in_words (what);
  g_string_append_printf (to, "  %s%*s  %s\n", what, (int) MAX (0, 10 - g_utf8_strlen (what, -1)), "", text);
}

void
text_began (GString *to, const TraceSource *s)
{
  const TraceClock clock = { .ticks_per_second = s->clock.ticks_per_second, .zero = s->first };

  if (s->n_events == 0 || s->clock.dates || !trace_clock_is_of_day (&clock))
    return;
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_utc (s->first / clock.ticks_per_second);
  g_autofree char *date = when ? g_date_time_format (when, C_ ("date and time", "%Y-%m-%d %H:%M:%S")) : NULL;
  if (date)
    text_line (to, N_ ("began"), _ ("%s UTC"), date);
}

const char *
text_article (const char *word)
{
  bool spelt = g_ascii_isupper (word[0]) && (g_ascii_isupper (word[1]) || g_ascii_isdigit (word[1]));

  return strchr (spelt ? "AEFHILMNORSX" : "AEIOUaeiou", word[0]) ? "an" : "a";
}
