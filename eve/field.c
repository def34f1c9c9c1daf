/* SPDX-License-Identifier: Apache-2.0 */
/* field.c - named values inside an instance: settings as text, and run state that is simple fields. */
#include "eve/private.h"
#include "eve/words.h"
#include "eve/visible.h"
#include <errno.h>
#include <math.h>
#include <string.h>

bool
field_holds (const EveField *f, double v)
{
  return (f->min == 0 && f->max == 0) || (v >= f->min && v <= f->max);
}

void
field_default (const EveField *f, void *at)
{
  switch (f->kind) {
  case EVE_F_DOUBLE:
    *(double *) at = f->def;
    break;
  case EVE_F_INT64:
    *(int64_t *) at = f->def >= 0x1p63 ? G_MAXINT64 : f->def < -0x1p63 ? G_MININT64 : (int64_t) f->def;
    break;
  case EVE_F_BOOL:
    *(bool *) at = f->def != 0;
    break;
  case EVE_F_STRING:
    g_free (*(char **) at);
    *(char **) at = g_strdup (f->def_text ? f->def_text : "");
    break;
  case EVE_F_CHOICE:
    *(int32_t *) at = (int32_t) f->def;
    break;
  }
}

bool
field_is_default (const EveField *f, const void *at)
{
  switch (f->kind) {
  case EVE_F_DOUBLE:
    return *(const double *) at == f->def;
  case EVE_F_INT64: {
    int64_t def = 0;
    field_default (f, &def);
    return *(const int64_t *) at == def;
  }
  case EVE_F_BOOL:
    return *(const bool *) at == (f->def != 0);
  case EVE_F_STRING:
    return g_strcmp0 (*(char *const *) at, f->def_text ? f->def_text : "") == 0;
  case EVE_F_CHOICE:
    return *(const int32_t *) at == (int32_t) f->def;
  }
  return false;
}

void
fields_reset (const EveField *fields, uint32_t n, void *instance)
{
  for (uint32_t i = 0; i < n; i++)
    field_default (&fields[i], (char *) instance + fields[i].offset);
}

void
fields_free (const EveField *fields, uint32_t n, void *instance)
{
  for (uint32_t i = 0; i < n; i++)
    if (fields[i].kind == EVE_F_STRING)
      g_clear_pointer ((char **) ((char *) instance + fields[i].offset), g_free);
}

static bool
field_out_of_range (const EveField *f, const char *text, GError **error)
{
  const char *unit = f->unit ? f->unit : "";
  g_set_error (error, EVE_ERROR, EVE_ERROR_SETTING, _ ("%s cannot be %s: it goes from %.15g to %.15g%s%s"), f->name,
               text, f->min, f->max, *unit ? " " : "", unit);
  return false;
}

char *
field_shown (const char *text)
{
  char *shown = g_utf8_make_valid (text, MIN ((gssize) strlen (text), 60));

  for (char *c = shown; *c; c++)
    if ((uint8_t) *c < ' ' || *c == 0x7f)
      *c = ' ';
  return shown;
}

static bool
not_a (const EveField *f, const char *text, const char *what, GError **error)
{
  g_autofree char *shown = field_shown (text);
  g_set_error (error, EVE_ERROR, EVE_ERROR_SETTING, _ ("%s cannot be '%s': it is %s"), f->name, shown, what);
  return false;
}

bool
eve_field_parse (const EveField *f, const char *text, void *at, GError **error)
{
  char *end;
  switch (f->kind) {
  case EVE_F_DOUBLE: {
    double v = g_ascii_strtod (text, &end);
    if (end == text || *end || isnan (v))
      return not_a (f, text, _ ("a number"), error);
    if (!field_holds (f, v))
      return field_out_of_range (f, text, error);
    *(double *) at = v;
    return true;
  }
  case EVE_F_INT64: {
    errno = 0;
    int64_t v = g_ascii_strtoll (text, &end, 10);
    if (end == text || *end || errno == ERANGE)
      return not_a (f, text, _ ("a whole number"), error);
    if (!field_holds (f, (double) v))
      return field_out_of_range (f, text, error);
    *(int64_t *) at = v;
    return true;
  }
  case EVE_F_BOOL:
    if (!g_ascii_strcasecmp (text, "true") || !strcmp (text, "1") || !g_ascii_strcasecmp (text, "yes"))
      *(bool *) at = true;
    else if (!g_ascii_strcasecmp (text, "false") || !strcmp (text, "0") || !g_ascii_strcasecmp (text, "no"))
      *(bool *) at = false;
    else
      return not_a (f, text, _ ("true or false"), error);
    return true;
  case EVE_F_STRING:
    if (!g_utf8_validate (text, -1, NULL))
      return not_a (f, text, _ ("text in UTF-8"), error);
    for (const char *c = text; *c; c = g_utf8_next_char (c))
      if (!visible_in_xml (g_utf8_get_char (c))) /* what a program file cannot hold */
        return not_a (f, text, _ ("text without control characters"), error);
    if (*(char **) at != text) {
      g_free (*(char **) at);
      *(char **) at = g_strdup (text);
    }
    return true;
  case EVE_F_CHOICE: {
    for (int32_t i = 0; f->choices[i]; i++)
      if (!strcmp (f->choices[i], text)) {
        *(int32_t *) at = i;
        return true;
      }
    g_autofree char *all = g_strjoinv (", ", (char **) f->choices);
    g_autofree char *what = g_strdup_printf (_ ("one of: %s"), all);
    return not_a (f, text, what, error);
  }
  }
  return false;
}

char *
eve_field_text (const EveField *f, const void *at)
{
  char buf[G_ASCII_DTOSTR_BUF_SIZE];
  switch (f->kind) {
  case EVE_F_DOUBLE:
    /* the shortest text that reads back as the same number */
    for (int digits = 15; digits <= 17; digits++) {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buf, sizeof buf, format, *(const double *) at);
      if (g_ascii_strtod (buf, NULL) == *(const double *) at)
        break;
    }
    return g_strdup (buf);
  case EVE_F_INT64:
    return g_strdup_printf ("%" G_GINT64_FORMAT, *(const int64_t *) at);
  case EVE_F_BOOL:
    return g_strdup (*(const bool *) at ? "true" : "false");
  case EVE_F_STRING:
    return g_strdup (*(char *const *) at);
  case EVE_F_CHOICE: {
    int32_t v = *(const int32_t *) at;
    return g_strdup (v >= 0 && v < (int32_t) g_strv_length ((char **) f->choices) ? f->choices[v] : "");
  }
  }
  return g_strdup ("");
}
