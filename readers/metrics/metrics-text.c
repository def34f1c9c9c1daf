/* SPDX-License-Identifier: Apache-2.0 */
/* metrics-text.c - "# TYPE name type", "# UNIT name unit", "# HELP name text", and samples: name{label="value",...}
 * number [date] [# exemplar].  A counter that is less than before has begun anew: it goes on from there, and the log
 * says so. */
#include "readers/metrics/metrics-text.h"
#include "eve/words.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_LINE 65536u    /* bytes; a longer one is left out */
#define MOST_FAMILIES 2000u /* of which help and units are kept */

typedef enum { FAMILY_UNKNOWN, FAMILY_COUNTER, FAMILY_GAUGE, FAMILY_HISTOGRAM, FAMILY_SUMMARY } FamilyType;

typedef struct Family {
  FamilyType type;
  char *unit;
} Family;

struct MetricsText {
  SeriesTable *series;
  ValuesRecorder *to;
  GHashTable *families; /* name -> Family */
  GString *line;        /* begun */
  bool too_long, long_told;
  bool ended; /* "# EOF" was there */
  uint64_t page;
};

static void
free_family (gpointer data)
{
  g_free (((Family *) data)->unit);
  g_free (data);
}

MetricsText *
metrics_text_new (SeriesTable *t, ValuesRecorder *to)
{
  MetricsText *m = g_new0 (MetricsText, 1);

  m->series = t;
  m->to = to;
  m->families = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_family);
  m->line = g_string_new (NULL);
  return m;
}

void
metrics_text_free (MetricsText *m)
{
  if (!m)
    return;
  g_hash_table_unref (m->families);
  g_string_free (m->line, TRUE);
  g_free (m);
}

/* ---- comments -------------------------------------------------------------------------------------------------------------------- */

static Family *
metrics_text_family_of (MetricsText *m, const char *name)
{
  Family *f = g_hash_table_lookup (m->families, name);

  if (!f && g_hash_table_size (m->families) < MOST_FAMILIES) {
    f = g_new0 (Family, 1);
    g_hash_table_insert (m->families, g_strdup (name), f);
  }
  return f;
}

static FamilyType
metrics_text_type_of (const char *word)
{
  static const char *const words[] = { "", "counter", "gauge", "histogram", "summary" };

  for (guint i = 1; i < G_N_ELEMENTS (words); i++)
    if (g_str_equal (word, words[i]))
      return (FamilyType) i;
  return FAMILY_UNKNOWN;
}

/* "TYPE name rest"; the line is changed.  What help says goes to the log, once. */
static void
take_comment (MetricsText *m, char *text)
{
  while (*text == ' ' || *text == '\t')
    text++;
  m->ended = m->ended || g_str_equal (text, "EOF");
  char *name = strchr (text, ' '), *rest = name ? strchr (name + 1, ' ') : NULL;
  if (!rest || name + 1 == rest || (size_t) (rest - name) > SERIES_MOST_NAME)
    return;
  *name++ = '\0';
  *rest++ = '\0';
  bool known = g_hash_table_contains (m->families, name), help = g_str_equal (text, "HELP");
  Family *f = help || g_str_equal (text, "TYPE") || g_str_equal (text, "UNIT") ? metrics_text_family_of (m, name)
                                                                               : NULL;
  if (!f)
    return;
  if (*text == 'T')
    f->type = metrics_text_type_of (rest);
  else if (*text == 'U' && !f->unit)
    f->unit = g_strndup (rest, 64);
  else if (help && m->page == 1 && !known) {
    g_autofree char *said = g_strdup_printf ("%s: %.500s", name, rest);
    series_log (m->series, said, strlen (said));
  }
}

/* ---- samples --------------------------------------------------------------------------------------------------------------------- */

static bool
is_name_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == ':' || (c & 0x80);
}

/* Behind "name{...}"; NULL: a brace or a quote is not closed. */
static char *
end_of_series (char *at)
{
  while (is_name_char (*at))
    at++;
  if (*at != '{')
    return at;
  bool quoted = false;
  for (at++; *at; at++) {
    if (quoted && *at == '\\' && at[1])
      at++;
    else if (*at == '"')
      quoted = !quoted;
    else if (*at == '}' && !quoted)
      return at + 1;
  }
  return NULL;
}

static bool
metrics_text_number_at (char *at, double *number)
{
  char *end;

  while (*at == ' ' || *at == '\t')
    at++;
  if (g_ascii_strncasecmp (at, "NaN", 3) == 0) {
    *number = NAN;
    end = at + 3;
  } else
    *number = g_ascii_strtod (at, &end);
  return end > at && (*end == '\0' || *end == ' ' || *end == '\t');
}

/* The family of a sample: its name, without an ending that only samples have.  *ending: what was left off. */
static const Family *
family_of_sample (MetricsText *m, const char *name, size_t n, const char **ending)
{
  static const char *const endings[] = { "", "_total", "_bucket", "_count", "_sum", "_created" };
  char room[SERIES_MOST_NAME + 1];

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++) {
    size_t n_ending = strlen (endings[i]);
    if (n_ending >= n || memcmp (name + n - n_ending, endings[i], n_ending) != 0)
      continue;
    memcpy (room, name, n - n_ending);
    room[n - n_ending] = '\0';
    const Family *f = g_hash_table_lookup (m->families, room);
    *ending = endings[i];
    if (f)
      return f;
  }
  *ending = "";
  return NULL;
}

/* Only goes up, unless it begins anew. */
static bool
is_counter (const Family *f, const char *ending)
{
  if (!f || g_str_equal (ending, "_created"))
    return false;
  if (f->type == FAMILY_COUNTER)
    return true;
  bool of_sample = g_str_equal (ending, "_bucket") || g_str_equal (ending, "_count") || g_str_equal (ending, "_sum");
  return (f->type == FAMILY_HISTOGRAM || f->type == FAMILY_SUMMARY) && of_sample;
}

static bool
metrics_text_is_seconds (const Family *f, const char *name, size_t n, const char *ending)
{
  size_t left = n - strlen (ending);

  if (g_str_equal (ending, "_bucket") || g_str_equal (ending, "_count"))
    return false;
  return (f && f->unit && g_str_equal (f->unit, "seconds"))
         || (left > 8 && memcmp (name + left - 8, "_seconds", 8) == 0);
}

static void
metrics_text_take_sample (MetricsText *m, char *line)
{
  char *end = end_of_series (line), name[SERIES_MOST_NAME + 80];
  double value;
  const char *ending = "";

  if (!end || end == line || !metrics_text_number_at (end, &value)) {
    values_damage (m->to, "no sample of OpenMetrics: %.60s", line);
    return;
  }
  size_t n = (size_t) (end - line), n_name = strcspn (line, "{ \t");
  if (n > SERIES_MOST_NAME) {
    series_get (m->series, line, n, VALUE_FLOAT); /* which says so */
    return;
  }
  const Family *f = family_of_sample (m, line, n_name, &ending);
  bool counts = is_counter (f, ending);
  ValueKind kind = !counts ? VALUE_FLOAT : metrics_text_is_seconds (f, line, n_name, ending) ? VALUE_TIME : VALUE_POINT;
  if (kind == VALUE_POINT && g_str_equal (ending, "_sum"))
    kind = VALUE_FLOAT;
  memcpy (name, line, n);
  if (f && f->unit && !strstr (line, f->unit)) /* usually it is in the name */
    n += (size_t) snprintf (name + n, sizeof name - n, " [%s]", f->unit);
  Series *s = series_get (m->series, name, n, kind);
  if (!s)
    return;
  s->seen = m->page;
  if (!counts || !isfinite (value))
    series_set (m->series, s, value);
  else if (series_count (m->series, s, value)) {
    g_autofree char *said = g_strdup_printf (_ ("%.*s has begun anew"), (int) n, name);
    series_log (m->series, said, strlen (said));
  }
}

/* ---- pages ----------------------------------------------------------------------------------------------------------------------- */

static void
metrics_text_take_line (MetricsText *m)
{
  char *line = m->line->str;

  if (m->line->len > 0 && line[m->line->len - 1] == '\r')
    g_string_truncate (m->line, m->line->len - 1);
  while (*line == ' ' || *line == '\t')
    line++;
  if (m->too_long) {
    if (!m->long_told)
      values_damage (m->to, "a line of more than %u bytes", MOST_LINE);
    m->long_told = true;
  } else if (strlen (m->line->str) != m->line->len)
    values_damage (m->to, "a line with a zero byte");
  else if (*line == '#')
    take_comment (m, line + 1);
  else if (*line)
    metrics_text_take_sample (m, line);
  g_string_truncate (m->line, 0);
  m->too_long = false;
}

void
metrics_text_begin (MetricsText *m)
{
  m->page++;
  m->ended = m->too_long = false;
  g_string_truncate (m->line, 0);
}

void
metrics_text_feed (MetricsText *m, const char *bytes, size_t n)
{
  while (n > 0) {
    const char *end = memchr (bytes, '\n', n);
    size_t some = end ? (size_t) (end - bytes) : n;
    if (m->line->len + some > MOST_LINE)
      m->too_long = true;
    else
      g_string_append_len (m->line, bytes, (gssize) some);
    if (!end)
      return;
    metrics_text_take_line (m);
    bytes += some + 1;
    n -= some + 1;
  }
}

void
metrics_text_end (MetricsText *m, bool whole)
{
  if (whole && (m->line->len > 0 || m->too_long))
    metrics_text_take_line (m);
  series_tell (m->series);
  if (whole)
    series_sweep (m->series, m->page);
}
