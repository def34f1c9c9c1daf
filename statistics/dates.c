/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/dates.h"
#include "eve/words.h"
#include <glib.h>
#include "eve/eve-host.h"
#include "eve/number.h"
#include "readers/live.h"

int64_t
stats_date (const TraceSource *s, const char *text, int64_t none)
{
  g_autofree char *date = g_strstrip (g_strdup (text));
  int64_t at;

  return *date && trace_clock_parse (&s->clock, date, &at) ? at : none;
}

void
stats_date_told (const TraceClock *clock, int64_t date, char *buf, size_t n)
{
  bool since = clock->zero != 0 && date >= clock->zero;

  *buf = '+';
  trace_clock_print (clock, since ? date - clock->zero : date, buf + since, n - since);
  number_local (buf);
}

/* Whether it is a date, *at, or empty, which leaves *at as it is. */
static bool
statistics_dates_check (EveComponent *c, const char *setting, const char *text, int64_t *at)
{
  static const TraceClock clock = { .ticks_per_second = 1000000000 };
  g_autofree char *date = g_strstrip (g_strdup (text));

  return !*date || trace_clock_parse (&clock, date, at)
         || (eve_fail (c, _ ("“%s” is no date; write seconds, such as 1.25."), setting), false);
}

bool
stats_dates_check (EveComponent *c, const char *from, const char *to)
{
  int64_t begin = INT64_MIN, end = INT64_MAX;

  if (!statistics_dates_check (c, "from", from, &begin) || !statistics_dates_check (c, "to", to, &end))
    return false;
  if (begin > end)
    eve_warn (c, _ ("“from” lies after “to”: there is no time between them that could count."));
  return true;
}

/* ---- what is upstream ------------------------------------------------------------------------------------------------ */

/* A component, and the place in its outputs that one came from. */
typedef struct Above {
  EveComponent *c;
  uint32_t output;
} Above;

/* Appends what feeds the data inputs of a component; false: nothing does. */
static bool
add_above (EveComponent *c, GArray *to)
{
  bool fed = false;

  for (uint32_t i = 0; i < eve_class (c)->n_ins; i++) {
    if (eve_class (c)->ins[i].role == EVE_CONTROL)
      continue;
    uint32_t n = eve_in_fed_by (c, i, NULL, NULL, 0);
    g_autofree EveComponent **from = g_new (EveComponent *, n + 1);
    g_autofree uint32_t *output = g_new (uint32_t, n + 1);
    eve_in_fed_by (c, i, from, output, n);
    for (uint32_t k = 0; k < n; k++)
      g_array_append_val (to, ((Above){ from[k], output[k] }));
    fed |= n > 0;
  }
  return fed;
}

/* Whether something reaches a component on a way without an end at or before `bound`.  `ends`: gets all ends that are
 * met; may be NULL. */
static bool
is_reached (EveComponent *c, const TraceSource *s, int64_t bound, GArray *ends)
{
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (Above));
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  bool reached = false;

  add_above (c, todo);
  for (guint i = 0; i < todo->len; i++) {
    Above a = g_array_index (todo, Above, i);
    const StatsPasses *p = eve_query (a.c, "passes/1");
    int64_t end = p && p->output == a.output ? stats_date (s, p->to, INT64_MAX) : INT64_MAX;
    if (ends && end < INT64_MAX)
      g_array_append_val (ends, end);
    if (end <= bound || !g_hash_table_add (seen, a.c))
      continue;
    reached |= eve_query (a.c, "trace-reader/1") || !add_above (a.c, todo);
  }
  return reached;
}

static int
statistics_dates_by_date (const void *a, const void *b)
{
  int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

/* The first of the ends by which every way is cut. */
int64_t
stats_end_above (EveComponent *c, const TraceSource *s)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (int64_t));

  is_reached (c, s, INT64_MIN, ends);
  g_array_sort (ends, statistics_dates_by_date);
  guint low = 0, high = ends->len; /* the answer is in low..high; ends->len: there is none */
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (is_reached (c, s, g_array_index (ends, int64_t, middle), NULL))
      low = middle + 1;
    else
      high = middle;
  }
  return low < ends->len ? g_array_index (ends, int64_t, low) : INT64_MAX;
}

/* ---- the window ------------------------------------------------------------------------------------------------------ */

static void
tell_outside (EveComponent *c, bool *told, const TraceSource *s, int64_t from, int64_t to)
{
  char first[32], last[32];

  if (*told || !s || s->first > s->last || trace_may_grow (s) || from > to || (from <= s->last && to >= s->first)
      || eve_at_rest (c))
    return;
  trace_clock_print (&s->clock, s->first, first, sizeof first);
  trace_clock_print (&s->clock, s->last, last, sizeof last);
  *told = true;
  eve_warn (c, _ ("The whole trace %s, from %s\u2009s to %s\u2009s, lies %s: nothing of it counts."), s->name, first,
            last, from > s->last ? _ ("before “from”") : _ ("behind “to”"));
}

void
stats_dates (EveComponent *c, const TraceSource *s, char *const text[2], bool *told, int64_t *from, int64_t *to)
{
  *from = s ? stats_date (s, text[0], INT64_MIN) : INT64_MIN;
  *to = s ? stats_date (s, text[1], INT64_MAX) : INT64_MAX;
  tell_outside (c, told, s, *from, *to);
  if (s)
    *to = MIN (*to, stats_end_above (c, s));
}
