/* SPDX-License-Identifier: Apache-2.0 */
/* line.c - the words of a line of a Pajé trace, and what numbers and dates are.
 *
 * Dates are decimal seconds, as a rule.  Some writers count smaller units, and no file says so: what is too far for
 * seconds is taken for one of these.  What StarPU has written in milliseconds stays as the file and other programs have
 * it.  Both is told. */
#include <math.h>
#include <string.h>

#include "eve/disk.h"
#include "eve/words.h"
#include "readers/paje/paje.h"

#define LOOKED_AT DISK_MIB             /* of a file whose dates have fractions, less is enough */
#define LOOKED_AT_LONG (16 * DISK_MIB) /* of one whose dates are whole numbers */
#define MOST_SECONDS 4e9

/* Single quotes are ordinary, unless what they hold is a whole word, as programs in Fortran write it. */
static bool
ends_quote (const char *at)
{
  const char *end = strchr (at + 1, '\'');

  return end && (end[1] == '\0' || end[1] == ' ' || end[1] == '\t');
}

/* Blanks part the fields; quotes hold blanks together. */
char *
paje_split (Paje *p, char *at)
{
  Word *words = p->words;
  int n = 0;

  p->quote_open = false;
  for (; n <= MOST_FIELDS; n++) {
    while (*at == ' ' || *at == '\t')
      at++;
    if (*at == '\0')
      break;
    char *word = at;
    if (*at == '"' || (*at == '\'' && ends_quote (at))) {
      char quote = *at;
      word = ++at;
      while (*at != '\0' && *at != quote)
        at++;
      p->quote_open = *at == '\0';
    } else {
      at = digits_word_end (at);
    }
    words[n] = (Word){ word, (size_t) (at - word) };
    if (*at == '\0') {
      n++;
      break;
    }
    *at++ = '\0';
  }
  p->n_words = n;
  return n > MOST_FIELDS ? at + strlen (at) : at;
}

/* "0,5" is 0.5 where programs were written by people who put it so. */
double
paje_real (const char *text, const char **end)
{
  char *last;
  double x = g_ascii_strtod (text, &last);

  *end = last;
  if (G_LIKELY (*last != ',' || !g_ascii_isdigit (last[1])))
    return x;
  g_autofree char *copy = g_strdup (text);
  copy[last - text] = '.';
  double y = g_ascii_strtod (copy, &last);
  *end = text + (last - copy);
  return y;
}

bool
paje_date (const Paje *p, Word word, int64_t *date)
{
  char *at = word.at, *whole_end;
  const char *last;

  if (p->unit == PAJE_SECOND && paje_plain_date (&at, date) && at == word.at + word.n)
    return true;
  /* more digits than ticks have, a comma, or an exponent */
  double seconds = paje_real (word.at, &last);
  if (last == word.at || *last != '\0' || !(fabs (seconds) * (double) p->unit < MOST_SECONDS * PAJE_SECOND))
    return false;
  int64_t whole = g_ascii_strtoll (word.at, &whole_end, 10);
  *date = *whole_end == '\0' ? whole * p->unit : (int64_t) llround (seconds * (double) p->unit);
  return true;
}

typedef struct Look {
  GHashTable *places; /* number of a kind of line, as a word -> which of its words is the date */
  double largest;
  bool fractions;
  unsigned starpu; /* which of its types of containers are defined, a bit each */
} Look;

/* Lines that define types of containers as StarPU alone does; of their words the first ones count. */
static const char *const starpu_types[][3] = { { "MPIP", "0", "MPI" }, { "Mn", "P", "Memory" } };
#define STARPU_ALL ((1u << G_N_ELEMENTS (starpu_types)) - 1)

/* `at`: behind the number of a line that has no date. */
static void
look_at_starpu (Look *l, const char *at)
{
  for (size_t k = 0; k < G_N_ELEMENTS (starpu_types); k++) {
    const char *word = at;
    bool all = true;
    for (size_t i = 0; i < 3 && all; i++) {
      word += strspn (word, " \t\r\"");
      size_t n = strcspn (word, " \t\r\"");
      all = n == strlen (starpu_types[k][i]) && strncmp (word, starpu_types[k][i], n) == 0;
      word += n;
    }
    if (all)
      l->starpu |= 1u << k;
  }
}

static void
look_at_line (Look *l, char *line, char **number, int *n_fields)
{
  char *at = line + strspn (line, " \t"), *word;
  const char *end;
  bool head = *at == '%';

  at += head;
  word = strtok_r (at, " \t\r", &at);
  if (!word || *word == '#')
    return;
  if (head && strcmp (word, "EventDef") == 0) {
    strtok_r (NULL, " \t\r", &at);
    *number = strtok_r (NULL, " \t\r", &at);
    *n_fields = 0;
  } else if (head) {
    ++*n_fields;
    if (*number && (strcmp (word, "Time") == 0 || strcmp (word, "Date") == 0))
      g_hash_table_replace (l->places, g_strdup (*number), GINT_TO_POINTER (*n_fields));
  } else {
    int place = GPOINTER_TO_INT (g_hash_table_lookup (l->places, word));
    if (place == 0 && l->starpu != STARPU_ALL && at)
      look_at_starpu (l, at);
    for (int i = 0; word && i < place; i++)
      word = strtok_r (NULL, " \t\r", &at);
    double x = place > 0 && word ? paje_real (word, &end) : 0;
    if (place == 0 || !word || *end != '\0' || end == word || !(fabs (x) < MOST_SECONDS * PAJE_SECOND))
      return; /* too far in any unit: it is told as no date */
    l->largest = fmax (l->largest, fabs (x));
    l->fractions = l->fractions || x != floor (x);
  }
}

static void
line_look (Look *l, const char *path, size_t most)
{
  g_autofree char *head = g_malloc (most + 1);
  size_t n = input_head (path, head, most);
  char *number = NULL;
  int n_fields = 0;

  head[n] = '\0';
  n = strlen (head);
  for (char *line = head, *end; (end = memchr (line, '\n', n - (size_t) (line - head)));
       line = end + 1) { /* the last one may be cut */
    *end = '\0';
    look_at_line (l, line, &number, &n_fields);
  }
}

void
paje_look_at_dates (Paje *p, const char *path)
{
  Look l = { .places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };

  p->unit = PAJE_SECOND;
  line_look (&l, path, LOOKED_AT);
  if (!l.fractions && l.largest > 0)
    line_look (&l, path, LOOKED_AT_LONG);
  if (l.largest >= MOST_SECONDS) {
    /* since 1970 there are so many milliseconds and microseconds; else fractions tell what is no nanosecond */
    p->unit = l.largest >= 1e12 && l.largest < MOST_SECONDS * 1e3                    ? 1000000
              : l.fractions || (l.largest >= 1e15 && l.largest < MOST_SECONDS * 1e6) ? 1000
                                                                                     : 1;
    trace_source_remark (p->source, p->file, 1, 1,
                         p->unit == 1 ? _ ("dates reach %.17g, too far for seconds: they are taken for nanoseconds")
                         : p->unit == 1000
                             ? _ ("dates reach %.17g, too far for seconds: they are taken for microseconds")
                             : _ ("dates reach %.17g, too far for seconds: they are taken for milliseconds"),
                         l.largest);
  } else if (l.starpu == STARPU_ALL) {
    trace_source_remark (p->source, p->file, 1, 1,
                         _ ("StarPU writes milliseconds, and its files do not say so: as other programs do, each of "
                            "them is shown as a second"));
  }
  g_hash_table_unref (l.places);
}
