/* SPDX-License-Identifier: Apache-2.0 */
#include "eve/number.h"
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include "eve/words.h"

#define NARROW "\u202f"

static char point = '.';
static const char *thousands = ",";

void
number_by_locale (void)
{
  const char *locale = setlocale (LC_NUMERIC, NULL);
  bool country = locale && strcmp (locale, "C") != 0 && strcmp (locale, "POSIX") != 0
                 && !g_str_has_prefix (locale, "C.");
  const char *mark = country ? localeconv ()->decimal_point : C_ ("decimal point", ".");

  point = *mark == ',' ? ',' : '.'; /* the two that are read back */
  thousands = point == ',' ? NARROW : ",";
  setlocale (LC_NUMERIC, "C");
}

char
number_point (void)
{
  return point;
}

const char *
number_thousands (void)
{
  return thousands;
}

char *
number_local (char *text)
{
  if (point != '.')
    for (char *p = strchr (text, '.'); p; p = strchr (p + 1, '.'))
      if (p > text && g_ascii_isdigit (p[-1]) && g_ascii_isdigit (p[1]))
        *p = point;
  return text;
}

char *
number_percent (double percent, int decimals)
{
  return number_local (g_strdup_printf ("%.*f\u2009%%", decimals, percent));
}

char *
number_share (double of_one, int decimals, const char *space)
{
  bool little = of_one > 0 && of_one < 0.0005;

  return number_local (little ? g_strdup_printf ("< 0.1%s%%", space)
                              : g_strdup_printf ("%.*f%s%%", decimals, 100 * of_one, space));
}

/* Bytes of a space that may stand between digits. */
static size_t
space_at (const char *p)
{
  static const char *const spaces[] = { " ", "\u00a0", "\u2009", NARROW };

  for (size_t i = 0; i < G_N_ELEMENTS (spaces); i++)
    if (g_str_has_prefix (p, spaces[i]))
      return strlen (spaces[i]);
  return 0;
}

char *
number_typed (const char *text)
{
  GString *to = g_string_new (NULL);
  const char *comma = strchr (text, ',');
  bool decimal = comma && !strchr (comma + 1, ',') && !strchr (text, '.');

  if (strchr (text, ':')) /* a time of day */
    return g_string_free (g_string_append (to, text), FALSE);
  /* in English three digits behind a comma are thousands */
  if (decimal && point == '.' && strspn (comma + 1, "0123456789") == 3)
    decimal = false;
  while (*text) {
    size_t n = to->len > 0 && g_ascii_isdigit (to->str[to->len - 1]) ? space_at (text) : 0;
    if (n > 0 && g_ascii_isdigit (text[n]) && (n > 1 || strspn (text + n, "0123456789") >= 2)) {
      text += n;
    } else {
      g_string_append_c (to, decimal && text == comma ? '.' : *text);
      text++;
    }
  }
  return g_string_free (to, FALSE);
}
