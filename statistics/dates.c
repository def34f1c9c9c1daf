/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics/dates.h"
#include <glib.h>

int64_t
stats_date (const TraceSource *s, const char *text, int64_t none)
{
  g_autofree char *date = g_strstrip (g_strdup (text));
  int64_t at;

  return *date && trace_clock_parse (&s->clock, date, &at) ? at : none;
}

bool
stats_date_check (EveComponent *c, const char *setting, const char *text)
{
  static const TraceClock clock = { .ticks_per_second = 1000000000 };
  g_autofree char *date = g_strstrip (g_strdup (text));
  int64_t at;

  return !*date || trace_clock_parse (&clock, date, &at)
         || (eve_fail (c, "“%s” is no date; write seconds, such as 1.25.", setting), false);
}

void
stats_dates_tell (EveComponent *c, int64_t from, int64_t to)
{
  if (from > to)
    eve_warn (c, "“from” lies after “to”: there is no time between them that could count.");
}
