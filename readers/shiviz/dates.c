/* SPDX-License-Identifier: Apache-2.0 */
/* dates.c - dates by vectors, as a person reads, writes and compares them: so many steps behind an entry of the host of
 * reference. */
#include <stdio.h>
#include <string.h>

#include "eve/words.h"
#include "readers/shiviz/shiviz.h"

typedef struct Moment {
  int64_t date, number; /* of an entry */
} Moment;

typedef struct Moments {
  uint32_t n, reference;
  GArray **of; /* of Moment, by host */
} Moments;

static void
moments_free (gpointer at)
{
  Moments *m = at;

  for (uint32_t i = 0; i < m->n; i++)
    g_array_unref (m->of[i]);
  g_free (m->of);
  g_free (m);
}

/* From another reading of what is kept, once somebody asks: whoever reads the trace is somewhere in it. */
static const Moments *
shiviz_dates_moments_of (const TraceSource *s)
{
  TraceSource *keeper = (TraceSource *) s;
  const TraceOptions options = { .offset = s->clock.offset, .reference = s->reference };

  if (s->moments || !s->reference)
    return s->moments;
  Moments *m = g_new0 (Moments, 1);
  m->n = s->tasks->len;
  m->of = g_new (GArray *, MAX (m->n, 1));
  for (uint32_t i = 0; i < m->n; i++) {
    m->of[i] = g_array_new (FALSE, FALSE, sizeof (Moment));
    if (strcmp (trace_task_id (s, i), s->reference) == 0)
      m->reference = i;
  }
  TraceSource *other = trace_open (s->path, s->format->name, &options, NULL);
  TraceEvent e[64];
  for (size_t n; other && (n = trace_next (other, e, G_N_ELEMENTS (e), NULL));)
    for (size_t i = 0; i < n; i++) {
      TraceValue v = trace_acts (&other->kinds[e[i].kind]) & TRACE_ACT_MARK ? trace_value (&e[i], 0)
                                                                            : (TraceValue){ 0 };
      const Moment one = { e[i].date, v.i };
      if (v.kind == TRACE_VALUE_INT && e[i].task < m->n)
        g_array_append_val (m->of[e[i].task], one);
    }
  if (other)
    trace_close (other);
  keeper->moments = m;
  keeper->free_moments = moments_free;
  return m;
}

/* "alice 3 + 2": two steps behind the third entry of alice. */
static bool
write_date (const TraceSource *s, int64_t date, char *buf, size_t n)
{
  const Moments *m = shiviz_dates_moments_of (s);
  const GArray *of = m ? m->of[m->reference] : NULL;
  guint low = 0, high = of ? of->len : 0;

  if (!of || date < s->first - TRACE_TICKS || date > s->last + TRACE_TICKS)
    return false;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (of, Moment, middle).date <= date)
      low = middle + 1;
    else
      high = middle;
  }
  const Moment none = { s->clock.offset, 0 }, *last = low > 0 ? &g_array_index (of, Moment, low - 1) : &none;
  int64_t steps = (date - last->date) / TRACE_TICKS;
  if (steps != 0)
    snprintf (buf, n, "%s %" PRId64 " + %" PRId64, trace_task_name (s, m->reference), last->number, steps);
  else
    snprintf (buf, n, "%s %" PRId64, trace_task_name (s, m->reference), last->number);
  return true;
}

/* A number that ends the text; it is cut off. */
static bool
take_number (char *text, int64_t *number)
{
  size_t n = strlen (text), from = n;

  while (from > 0 && g_ascii_isdigit (text[from - 1]))
    from--;
  if (from == n || n - from > 15)
    return false;
  *number = g_ascii_strtoll (text + from, NULL, 10);
  text[from] = '\0';
  g_strchomp (text);
  return true;
}

static bool
shiviz_dates_read_date (const TraceSource *s, const char *typed, int64_t *date)
{
  g_autofree char *text = g_strdup (typed);
  const Moments *m = shiviz_dates_moments_of (s);
  int64_t steps = 0, number = 0;

  g_strstrip (text);
  if (!m || !take_number (text, &number))
    return false;
  if (*text && text[strlen (text) - 1] == '+') {
    text[strlen (text) - 1] = '\0';
    g_strchomp (text);
    steps = number;
    if (!take_number (text, &number))
      return false;
  }
  if (*text && text[strlen (text) - 1] == ':')
    text[strlen (text) - 1] = '\0';
  g_strchomp (text);
  for (uint32_t i = 0; *text && i < m->n; i++) {
    if (strcmp (trace_task_id (s, i), text) != 0 && strcmp (trace_task_name (s, i), text) != 0)
      continue;
    const Moment none = { s->clock.offset, 0 };
    const Moment *found = number == 0 ? &none : NULL;
    for (guint k = 0; k < m->of[i]->len && !found; k++)
      if (g_array_index (m->of[i], Moment, k).number == number)
        found = &g_array_index (m->of[i], Moment, k);
    if (found)
      *date = trace_sum (found->date, MIN (steps, INT64_C (1) << 32) * TRACE_TICKS);
    return found != NULL;
  }
  return false;
}

typedef struct Sought {
  const char *host;
  int64_t n;
} Sought;

static bool
shiviz_dates_seek (void *arg, const char *name, int64_t n)
{
  Sought *k = arg;

  if (strcmp (name, k->host) == 0)
    k->n = n;
  return true;
}

static TraceValue
shiviz_dates_value_called (const TraceEvent *e, const char *name)
{
  const TraceSource *s = trace_source (e->source);
  const TraceKind *k = &s->kinds[e->kind];

  for (uint32_t i = 0; i < k->n_fields; i++)
    if (strcmp (k->fields[i].name, name) == 0)
      return trace_value (e, i);
  return (TraceValue){ 0 };
}

/* How many entries of a host an event knows of. */
static int64_t
knows (const TraceEvent *e, uint32_t host)
{
  TraceValue v = shiviz_dates_value_called (e, "vector");
  const char *at = v.kind == TRACE_VALUE_TEXT ? v.text : "";
  Sought k = { trace_task_id (trace_source (e->source), host), 0 };

  if (*at != '[') {
    shiviz_vector (&at, shiviz_dates_seek, &k);
    return k.n;
  }
  for (at++; *at == '[';) { /* of tasks by their numbers, as order.c writes it */
    char *end;
    int64_t task = g_ascii_strtoll (at + 1, &end, 10), n = *end == ',' ? g_ascii_strtoll (end + 1, &end, 10) : 0;
    if (task == host)
      return n;
    at = end + strspn (end, "],");
  }
  return 0;
}

static TraceSequence
shiviz_dates_compare (const TraceEvent *a, const TraceEvent *b)
{
  int64_t of_a = shiviz_dates_value_called (a, "number").i, of_b = shiviz_dates_value_called (b, "number").i;

  if (a->task == b->task)
    return of_a != of_b            ? (of_a < of_b ? TRACE_BEFORE : TRACE_AFTER)
           : a->number < b->number ? TRACE_BEFORE
                                   : TRACE_AFTER;
  if (knows (b, a->task) >= of_a)
    return TRACE_BEFORE;
  return knows (a, b->task) >= of_b ? TRACE_AFTER : TRACE_BESIDE;
}

const TraceDates shiviz_dates = {
  .hint = N_ ("a number of steps, or an entry of a task and steps behind it, as “alice 3” or “alice 3 + 2”"),
  .write = write_date,
  .read = shiviz_dates_read_date,
  .compare = shiviz_dates_compare,
};
