/* SPDX-License-Identifier: Apache-2.0 */
/* csv.c - texts, numbers and dates for files that other programs read. */
#include <string.h>
#include "statistics/types.h"

/* Whether a spreadsheet would compute it, and so do what a stranger wrote into a name.  A number is none, nor a number
 * with its unit. */
static bool
is_formula (const char *text)
{
  char *end;

  if (*text == '+' || *text == '-') {
    g_ascii_strtod (text, &end);
    return end == text || strpbrk (end, "+-*/^&=<>(!|:;@'\"") != NULL;
  }
  return *text && strchr ("=@\t\r", *text) != NULL;
}

void
stats_csv_text (GString *to, const char *text)
{
  if (!text)
    return;
  bool formula = is_formula (text);
  if (!strpbrk (text, ",\"\r\n")) {
    g_string_append (to, formula ? "'" : "");
    g_string_append (to, text);
    return;
  }
  g_string_append (to, formula ? "\"'" : "\"");
  for (; *text; text++) {
    if (*text == '"')
      g_string_append_c (to, '"');
    g_string_append_c (to, *text);
  }
  g_string_append_c (to, '"');
}

void
stats_csv_number (GString *to, double x)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (buf, sizeof buf, "%.15g", x);
  if (x == x && g_ascii_strtod (buf, NULL) != x)
    g_ascii_dtostr (buf, sizeof buf, x);
  g_string_append (to, buf);
}

void
stats_csv_date (GString *to, uint16_t source, int64_t date)
{
  const TraceSource *s = trace_source (source);
  char buf[64];

  if (date == INT64_MIN)
    return;
  if (s)
    trace_clock_print (&s->clock, date, buf, sizeof buf);
  else
    g_snprintf (buf, sizeof buf, "%" G_GINT64_FORMAT, date);
  g_string_append (to, buf);
}
