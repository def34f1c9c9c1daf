/* SPDX-License-Identifier: Apache-2.0 */
/* statsd-lines.c - NAME:VALUE[:VALUE...]|TYPE[|@RATE][|#TAG,TAG...], a line each.  Tags are shown as part of the name.
 */
#include "readers/metrics/statsd-lines.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define MOST_MEMBERS 65536u /* of a set */
#define LEAST_RATE 1e-6     /* of samples: what one stands for is one divided by it */

typedef struct Piece {
  const char *at;
  size_t n;
} Piece;

/* A line that was taken apart. */
typedef struct Line {
  Piece name, values, type, tags;
  double rate;
} Line;

/* What is before the next `separator`, taken off; false: nothing is left. */
static bool
statsd_lines_take (Piece *rest, char separator, Piece *piece)
{
  if (!rest->at)
    return false;
  const char *end = memchr (rest->at, separator, rest->n);
  piece->at = rest->at;
  piece->n = end ? (size_t) (end - rest->at) : rest->n;
  rest->n = end ? rest->n - piece->n - 1 : 0;
  rest->at = end ? end + 1 : NULL;
  return true;
}

static bool
statsd_lines_number_of (Piece p, double *number)
{
  char text[64];
  char *end;

  if (p.n == 0 || p.n >= sizeof text || memchr (p.at, 'x', p.n) || memchr (p.at, 'X', p.n)) /* hexadecimal is none */
    return false;
  memcpy (text, p.at, p.n);
  text[p.n] = '\0';
  *number = g_ascii_strtod (text, &end);
  return *end == '\0' && isfinite (*number) && !g_ascii_isspace (text[0]);
}

static bool
statsd_lines_is (Piece p, const char *word)
{
  return p.n == strlen (word) && memcmp (p.at, word, p.n) == 0;
}

/* What is said of a line that makes no sense: its beginning, as far as it can be printed. */
static void
statsd_lines_refuse (ValuesRecorder *to, Piece line, const char *why)
{
  char text[64];
  size_t n = MIN (line.n, sizeof text - 1);

  for (size_t i = 0; i < n; i++)
    text[i] = g_ascii_isprint (line.at[i]) ? line.at[i] : '?';
  text[n] = '\0';
  values_damage (to, "no line of StatsD (%s): %s%s", why, text, n < line.n ? "..." : "");
}

/* The name with its tags, and with an ending of what is counted; false: it is too long. */
static bool
statsd_lines_name_of (const Line *l, const char *ending, char room[SERIES_MOST_NAME + 1], size_t *n)
{
  size_t n_ending = strlen (ending), braces = l->tags.n ? 2 : 0;

  *n = l->name.n + n_ending + l->tags.n + braces;
  if (*n > SERIES_MOST_NAME)
    return false;
  memcpy (room, l->name.at, l->name.n);
  memcpy (room + l->name.n, ending, n_ending);
  char *at = room + l->name.n + n_ending;
  if (braces) {
    *at++ = '{';
    memcpy (at, l->tags.at, l->tags.n);
    at[l->tags.n] = '}';
  }
  return true;
}

static Series *
statsd_lines_series_of (SeriesTable *t, const Line *l, const char *ending, ValueKind kind)
{
  char room[SERIES_MOST_NAME + 1];
  size_t n;

  if (!statsd_lines_name_of (l, ending, room, &n))
    n = SERIES_MOST_NAME + 1; /* which is said there */
  return series_get (t, room, n, kind);
}

static void
statsd_lines_add (SeriesTable *t, Series *s, double more)
{
  if (s && isfinite (s->value + more)) /* a sum that is beyond all numbers stays what it was */
    series_set (t, s, s->value + more);
}

/* A time or a sample: its sum, how many there were, the last. */
static void
statsd_lines_take_sample (SeriesTable *t, const Line *l, double value, bool milliseconds)
{
  Series *last = statsd_lines_series_of (t, l, ".last", VALUE_FLOAT);

  if (milliseconds)
    value /= 1000;
  statsd_lines_add (t,
                    statsd_lines_series_of (t, l, milliseconds ? "" : ".sum", milliseconds ? VALUE_TIME : VALUE_FLOAT),
                    value / l->rate);
  statsd_lines_add (t, statsd_lines_series_of (t, l, ".count", VALUE_POINT), 1 / l->rate);
  if (last)
    series_set (t, last, value);
}

static void
take_member (SeriesTable *t, ValuesRecorder *to, const Line *l, Piece member)
{
  Series *s = statsd_lines_series_of (t, l, "", VALUE_INTEGER);

  if (!s)
    return;
  if (!s->members)
    s->members = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  if (g_hash_table_size (s->members) >= MOST_MEMBERS) {
    if (s->seen++ == 0)
      values_damage (to, "a set with more than %u members: it is counted no further", MOST_MEMBERS);
    return;
  }
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_MD5, (const guchar *) member.at, member.n);
  g_hash_table_add (s->members, g_bytes_new (sum, 16)); /* its beginning tells them apart */
  series_set (t, s, g_hash_table_size (s->members));
}

/* One of the values of a line; NULL: it was taken, else why not. */
static const char *
statsd_lines_take_value (SeriesTable *t, ValuesRecorder *to, const Line *l, Piece text)
{
  double value;

  if (statsd_lines_is (l->type, "s")) {
    take_member (t, to, l, text);
    return NULL;
  }
  if (!statsd_lines_number_of (text, &value))
    return _ ("its value is no number");
  if (statsd_lines_is (l->type, "c"))
    statsd_lines_add (t, statsd_lines_series_of (t, l, "", VALUE_POINT), value / l->rate);
  else if (statsd_lines_is (l->type, "g")) {
    Series *s = statsd_lines_series_of (t, l, "", VALUE_FLOAT);
    if (s)
      series_set (t, s, *text.at == '+' || *text.at == '-' ? s->value + value : value);
  } else if (statsd_lines_is (l->type, "ms") || statsd_lines_is (l->type, "h") || statsd_lines_is (l->type, "d"))
    statsd_lines_take_sample (t, l, value, statsd_lines_is (l->type, "ms"));
  else
    return _ ("its type is none of c, g, ms, h, d, s");
  return NULL;
}

/* What comes behind the type. */
static const char *
take_options (Line *l, Piece rest)
{
  Piece option;

  while (statsd_lines_take (&rest, '|', &option)) {
    if (option.n > 0 && *option.at == '@') {
      if (!statsd_lines_number_of ((Piece){ option.at + 1, option.n - 1 }, &l->rate)
          || !(l->rate >= LEAST_RATE && l->rate <= 1))
        return _ ("its rate is not from 0.000001 to 1");
    } else if (option.n > 0 && *option.at == '#')
      l->tags = (Piece){ option.at + 1, option.n - 1 };
  }
  return NULL; /* others are of dialects: containers, dates */
}

/* _e{TITLE,TEXT}:title|text|... */
static void
take_event (SeriesTable *t, Piece line)
{
  const char *colon = memchr (line.at, ':', line.n);

  if (colon)
    series_log (t, colon + 1, MIN (line.n - (size_t) (colon + 1 - line.at), 4096));
}

static void
statsd_lines_take_line (SeriesTable *t, ValuesRecorder *to, Piece line)
{
  Line l = { .rate = 1 };
  Piece rest = line, value, before;
  const char *why = NULL;

  if (line.n > 3 && memcmp (line.at, "_e{", 3) == 0) {
    take_event (t, line);
    return;
  }
  /* the name ends at the first colon; those of values are before the first bar */
  if (!statsd_lines_take (&rest, ':', &l.name) || !rest.at || l.name.n == 0)
    why = _ ("there is no name and colon");
  else if (!statsd_lines_take (&rest, '|', &before) || !rest.at || !statsd_lines_take (&rest, '|', &l.type))
    why = _ ("there is no type");
  else
    why = take_options (&l, rest);
  l.values = why ? (Piece){ NULL, 0 } : before;
  while (!why && statsd_lines_take (&l.values, ':', &value))
    why = statsd_lines_take_value (t, to, &l, value);
  if (why)
    statsd_lines_refuse (to, line, why);
}

void
statsd_take (SeriesTable *t, ValuesRecorder *to, const char *bytes, size_t n)
{
  Piece rest = { bytes, n }, line;

  while (statsd_lines_take (&rest, '\n', &line)) {
    if (line.n > 0 && line.at[line.n - 1] == '\r')
      line.n--;
    if (line.n > 0)
      statsd_lines_take_line (t, to, line);
  }
}
