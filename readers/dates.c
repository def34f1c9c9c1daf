/* SPDX-License-Identifier: Apache-2.0 */
/* dates.c - one clock for all traces.  A format reads dates in ticks of its own; outside it they are nanoseconds, and
 * shifted by an offset.  So the dates of several executions can be compared wherever they meet, and nobody needs to ask
 * whose they are (docs/decisions/dates.md). */
#include <math.h>
#include <string.h>
#include "readers/reader.h"
#include "eve/words.h"

#define MOST_DATE (INT64_C (1) << 62)

static int64_t
round_down (__int128 product, int64_t by)
{
  __int128 whole = product / by;

  return (int64_t) CLAMP (whole - (product % by < 0), INT64_MIN + 1, INT64_MAX - 1);
}

static bool
is_as_it_is (const TraceSource *s)
{
  return (s->own_ticks == TRACE_TICKS || s->own_ticks == 0) && s->clock.offset == 0;
}

int64_t
trace_date (const TraceSource *s, int64_t own)
{
  __int128 ticks = s->own_ticks;

  if (is_as_it_is (s))
    return own;
  if (ticks == TRACE_TICKS)
    return (int64_t) CLAMP ((__int128) own + s->clock.offset, -MOST_DATE, MOST_DATE);
  __int128 date = (__int128) round_down ((__int128) own * TRACE_TICKS, (int64_t) ticks) + s->clock.offset;
  return (int64_t) CLAMP (date, -MOST_DATE, MOST_DATE);
}

/* The same for many dates of one clock: what a fraction of floating point gives is put right to the last tick.  What
 * does not fit into 64 bits on the way is left to trace_date(). */
typedef struct Fast {
  const TraceSource *source;
  uint64_t ticks;          /* a second; 0: this clock is not for it */
  double seconds, between; /* of a tick; nanoseconds from one to the next */
  int64_t last_own, last;  /* dates come again: an action's begin and end, events of one instant */
} Fast;

static Fast
fast (const TraceSource *s)
{
  bool can = s->own_ticks > 0 && s->own_ticks <= INT64_C (18000000000) && ABS (s->clock.offset) < MOST_DATE / 2;
  uint64_t ticks = can ? (uint64_t) s->own_ticks : 0;

  return (Fast){
    s, ticks, 1.0 / (double) s->own_ticks, (double) TRACE_TICKS / (double) s->own_ticks, 0, trace_date (s, 0)
  };
}

static inline int64_t
fast_date (Fast *f, int64_t own)
{
  double about = (double) own * f->seconds;

  if (own == f->last_own)
    return f->last;
  f->last_own = own;
  if (G_UNLIKELY (f->ticks == 0 || !(fabs (about) < 2e9)))
    return f->last = trace_date (f->source, own);
  int64_t whole = (int64_t) about, rest = own - whole * (int64_t) f->ticks;
  while (rest < 0) {
    whole--;
    rest += (int64_t) f->ticks;
  }
  while (rest >= (int64_t) f->ticks) {
    whole++;
    rest -= (int64_t) f->ticks;
  }
  uint64_t product = (uint64_t) rest * TRACE_TICKS, part = (uint64_t) ((double) rest * f->between);
  while (part * f->ticks > product)
    part--;
  while (product - part * f->ticks >= f->ticks)
    part++;
  return f->last = whole * TRACE_TICKS + (int64_t) part + f->source->clock.offset;
}

/* The first date of the trace, in its own ticks, that is `date` or a later one outside. */
static int64_t
own_from (const TraceSource *s, int64_t date)
{
  if (is_as_it_is (s) || date == INT64_MIN || date == INT64_MAX)
    return date;
  return -round_down (-((__int128) date - s->clock.offset) * s->own_ticks, TRACE_TICKS);
}

static void
convert (const TraceSource *s, TraceEvent *events, size_t n)
{
  if (G_LIKELY (is_as_it_is (s)))
    return;
  Fast f = fast (s);
  for (size_t i = 0; i < n; i++) {
    TraceEvent *e = &events[i];
    bool end = e->flags & TRACE_END;
    int64_t begun = e->date - (end ? e->duration : 0);
    int64_t from = fast_date (&f, begun), to = fast_date (&f, begun + e->duration);
    e->date = end ? to : from;
    e->duration = to - from; /* what lies between the dates that are shown, also when both were rounded */
  }
}

size_t
trace_next (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  size_t n = s->format->next (s, events, max, error);

  convert (s, events, n);
  return n;
}

size_t
trace_take (TraceSource *s, const TraceEvent **events, size_t max, GError **error)
{
  size_t n;

  *events = NULL;
  if (!(s->abilities & TRACE_LENDS) || !is_as_it_is (s))
    return 0;
  n = s->format->peek (s, events, error);
  return n ? s->format->next (s, NULL, MIN (n, max), error) : 0;
}

size_t
trace_previous (TraceSource *s, TraceEvent *events, size_t max, GError **error)
{
  size_t n = s->format->previous (s, events, max, error);

  convert (s, events, n);
  return n;
}

bool
trace_skip (TraceSource *s, uint64_t kinds, bool backward, uint64_t *number)
{
  if (s->format->skip == NULL)
    return false;
  *number = s->format->skip (s, kinds, backward);
  return true;
}

bool
trace_seek (TraceSource *s, int64_t date, GError **error)
{
  return s->format->seek (s, own_from (s, date), error);
}

bool
trace_peek (TraceSource *s, TraceEvent *next, GError **error)
{
  const TraceEvent *ahead;

  if (!s->format->peek (s, &ahead, error))
    return false;
  *next = *ahead;
  convert (s, next, 1);
  return true;
}

size_t
trace_ahead_until (TraceSource *s, int64_t date, size_t max, bool *ended, GError **error)
{
  const TraceEvent *ahead;
  size_t n = s->format->peek (s, &ahead, error), k = 0;
  int64_t beyond = date == INT64_MAX ? INT64_MAX : own_from (s, date + 1);

  *ended = n == 0;
  n = MIN (n, max);
  if (n && ahead[n - 1].date < beyond)
    return n; /* as nearly always: dates only grow */
  while (k < n && ahead[k].date < beyond)
    k++;
  return k;
}

bool
trace_use_nanoseconds (TraceSource *s, int64_t offset, GError **error)
{
  const TraceClock own = s->clock;

  if (own.ticks_per_second <= 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("%s: its clock has %" PRId64 " ticks a second"), s->path,
                 own.ticks_per_second);
    return false;
  }
  s->own_ticks = own.ticks_per_second;
  s->own_first = s->first;
  s->own_last = s->last;
  s->clock.ticks_per_second = TRACE_TICKS;
  s->clock.offset = offset;
  s->clock.dates = s->format->dates;
  s->clock.of = s->format->dates ? s : NULL;
  if (s->first > s->last)
    return true;
  int64_t first = trace_date (s, s->first), last = trace_date (s, s->last);
  if (first <= -MOST_DATE || last >= MOST_DATE) {
    char from[64], to[64];
    trace_clock_print (&own, s->first, from, sizeof from);
    trace_clock_print (&own, s->last, to, sizeof to);
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA,
                 _ ("%s: its dates, %s to %s %s, leave the 146 years that can be counted in nanoseconds; %s"), s->path,
                 from, to, own.units ? own.units : "s",
                 offset ? _ ("choose another offset") : _ ("begin its clock at its first event"));
    return false;
  }
  s->first = first;
  s->last = last;
  return true;
}

bool
trace_look_with (TraceSource *s, bool (*look) (TraceSource *s))
{
  if (is_as_it_is (s))
    return look (s);
  s->first = s->own_first;
  s->last = s->own_last;
  bool more = look (s);
  s->own_first = s->first;
  s->own_last = s->last;
  if (s->first <= s->last) {
    s->first = trace_date (s, s->first);
    s->last = trace_date (s, s->last);
  }
  return more;
}

bool
trace_offset_parse (const char *text, int64_t *offset)
{
  static const TraceClock nanoseconds = { .ticks_per_second = TRACE_TICKS };

  *offset = 0;
  if (text == NULL || text[strspn (text, " \t\n")] == '\0')
    return true;
  return trace_clock_parse (&nanoseconds, text, offset);
}
