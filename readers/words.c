/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/words.h"
#include "eve/words.h"
#include "eve/number.h"

void
words_add_number (GString *to, int64_t value)
{
  char digits[32];
  g_snprintf (digits, sizeof digits, "%" G_GINT64_FORMAT, value);
  size_t n = strlen (digits), first = digits[0] == '-';
  const char *mark = number_thousands ();
  for (size_t i = 0; i < n; i++) {
    if (i > first && (n - i) % 3 == 0)
      g_string_append (to, mark);
    g_string_append_c (to, digits[i]);
  }
}

void
words_add_counted (GString *to, int64_t n, const char *one, const char *many)
{
  words_add_number (to, n);
  g_string_append_printf (to, " %s", P_ (one, many, (gulong) (n < 0 ? 0 - (uint64_t) n : (uint64_t) n)));
}

void
words_add_duration (GString *to, double seconds)
{
  char text[64];
  trace_write_span (seconds, text, sizeof text);
  g_string_append (to, text);
}
