/* SPDX-License-Identifier: Apache-2.0 */
/* typed.c - dates as people write them: seconds, other units, time of day. */
#include <stdio.h>
#include <string.h>
#include "readers/event.h"
#include "eve/number.h"

#define DAY_S 86400
#define HOUR_S 3600

/* A unit behind a number, and the ticks of one; 0: there is none, or it is finer than a tick. */
static int64_t
ticks_of_unit (const TraceClock *clock, const char *text, size_t *n_number)
{
  static const struct {
    const char *name;
    int64_t times, parts; /* seconds */
  } units[] = {
    { "ms", 1, 1000 },       { "us", 1, 1000000 }, { "µs", 1, 1000000 }, { "μs", 1, 1000000 },
    { "ns", 1, 1000000000 }, { "min", 60, 1 },     { "h", HOUR_S, 1 },   { "s", 1, 1 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (units); i++)
    if (g_str_has_suffix (text, units[i].name)) {
      *n_number = strlen (text) - strlen (units[i].name);
      return clock->ticks_per_second % units[i].parts == 0 ? clock->ticks_per_second / units[i].parts * units[i].times
                                                           : 0;
    }
  return 0;
}

/* "11:57", "11:57:56.976": seconds since midnight as decimal text are added to `day`, ticks. */
static bool
time_of_day (const TraceClock *clock, const char *text, int64_t day, int64_t *date)
{
  unsigned hours, minutes;
  int read = 0, tail = 0;
  int64_t seconds = 0;
  TraceClock plain = { .ticks_per_second = clock->ticks_per_second };

  if (sscanf (text, "%2u:%2u%n%*[ ]%n", &hours, &minutes, &read, &tail) < 2 || hours > 23 || minutes > 59)
    return false;
  g_autofree char *rest = g_strdup (text + read);
  g_strchomp (rest);
  if (g_str_has_suffix (rest, "UTC"))
    rest[strlen (rest) - 3] = '\0';
  else if (g_str_has_suffix (rest, "Z"))
    rest[strlen (rest) - 1] = '\0';
  g_strchomp (rest);
  if (*rest != '\0'
      && (*rest != ':' || !g_ascii_isdigit (rest[1]) || !trace_clock_parse (&plain, rest + 1, &seconds)
          || seconds >= 60 * clock->ticks_per_second))
    return false;
  *date = day + (hours * HOUR_S + minutes * 60) * clock->ticks_per_second + seconds;
  return true;
}

/* The day of the year, or, where only a time of day is written, the one on which the trace begins, or the next. */
static bool
on_a_day (const TraceClock *clock, const char *text, int64_t *date)
{
  int year, month, day, read = 0;
  int64_t own = clock->zero / clock->ticks_per_second / DAY_S * DAY_S * clock->ticks_per_second;

  if (!trace_clock_is_of_day (clock))
    return false;
  if (sscanf (text, "%4d-%2d-%2d%*[ T]%n", &year, &month, &day, &read) == 3 && read > 0) {
    g_autoptr (GDateTime) when = g_date_time_new_utc (year, month, day, 0, 0, 0);
    int64_t midnight;
    return when != NULL && !__builtin_mul_overflow (g_date_time_to_unix (when), clock->ticks_per_second, &midnight)
           && midnight < INT64_C (1) << 62 && time_of_day (clock, text + read, midnight, date);
  }
  if (!time_of_day (clock, text, own, date))
    return false;
  if (*date < clock->zero)
    *date += DAY_S * clock->ticks_per_second;
  return true;
}

bool
trace_clock_is_of_day (const TraceClock *clock)
{
  double s = (double) clock->zero / clock->ticks_per_second;

  return s > 5e8 && s < 1e11; /* of 1985 to 5138 */
}

bool
trace_clock_typed (const TraceClock *clock, const char *text, int64_t *date)
{
  g_autofree char *bare = g_strstrip (number_typed (text));
  TraceClock scaled = *clock;
  size_t n = 0;

  if (clock->dates && clock->dates->read && clock->of && clock->dates->read (clock->of, text, date))
    return true;
  if (trace_clock_parse (clock, bare, date) || on_a_day (clock, bare, date))
    return true;
  scaled.ticks_per_second = ticks_of_unit (clock, bare, &n);
  if (scaled.ticks_per_second == 0)
    return false;
  bare[n] = '\0';
  return trace_clock_parse (&scaled, bare, date);
}
