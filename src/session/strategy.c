/* SPDX-License-Identifier: Apache-2.0 */
#include "session/strategy.h"
#include <math.h>
#include <string.h>

#define REPLAY_NS (INT64_C (30) * 1000000) /* half of it is what a travel replays, as a rule */

Strategy
strategy_default (void)
{
  return (Strategy){ .most_share = 0.15, .replay_ns = REPLAY_NS, .most_bytes = STRATEGY_TENTH, .mark_near = 0.5 };
}

bool
strategy_parse (const char *text, Strategy *to)
{
  static const char *const words[] = { "events", "share", "replay", "bytes" };
  g_auto (GStrv) parts = g_strsplit (text, "+", -1);

  if (g_str_equal (text, "default"))
    return true; /* what the caller put there */
  *to = (Strategy){ .mark_near = to->mark_near };
  if (g_str_equal (text, "none"))
    return true;
  for (char **part = parts; *part; ++part) {
    char *equals = strchr (*part, '='), *end = NULL;
    double v = equals ? g_ascii_strtod (equals + 1, &end) : 0;
    guint w = 0;
    while (equals && w < G_N_ELEMENTS (words)
           && (strncmp (*part, words[w], (size_t) (equals - *part)) || words[w][equals - *part]))
      ++w;
    if (!equals || w == G_N_ELEMENTS (words) || end == equals + 1 || *end || !(v > 0) || v > 1e18
        || (w == 1 && v > 100))
      return false;
    switch (w) {
    case 0:
      to->every_events = (uint64_t) v;
      break;
    case 1:
      to->most_share = v / 100;
      break;
    case 2:
      to->replay_ns = (int64_t) (v * 1e6);
      break;
    default:
      to->most_bytes = (uint64_t) v;
    }
  }
  return *parts != NULL;
}

static bool
is_automatic (const Strategy *s)
{
  return s->every_events || s->most_share > 0 || s->replay_ns;
}

/* Time that must be worked in all before the next save keeps within the share: the cost of the next is taken to be that
 * of the last (thesis, 3.4.1). */
static double
worked_needed (const Strategy *s, const StrategyNow *now)
{
  double saving = (double) now->saving_ns + (double) now->last_cost_ns;

  return saving * (1 - s->most_share) / s->most_share;
}

bool
strategy_due (const Strategy *s, const StrategyNow *now)
{
  if (!is_automatic (s) || now->events_since == 0)
    return false;
  if (s->every_events && now->events_since < s->every_events)
    return false;
  if (s->replay_ns && now->replay_since_ns < s->replay_ns)
    return false;
  if (s->most_share > 0 && (double) now->worked_ns < worked_needed (s, now))
    return false;
  /* The room is shared out along the execution; the first save is always within its share. */
  if (s->most_bytes && now->bytes
      && (double) now->bytes + (double) now->last_bytes > (double) s->most_bytes * now->done)
    return false;
  return true;
}

double
strategy_distance (const Strategy *s, const StrategyNow *now)
{
  double left = 0;

  if (!is_automatic (s))
    return 1;
  if (s->every_events)
    left = MAX (left, 1 - (double) now->events_since / (double) s->every_events);
  if (s->replay_ns)
    left = MAX (left, 1 - (double) now->replay_since_ns / (double) s->replay_ns);
  if (s->most_share > 0 && now->last_cost_ns > 0) {
    double apart = (double) now->last_cost_ns * (1 - s->most_share) / s->most_share;
    left = MAX (left, (worked_needed (s, now) - (double) now->worked_ns) / apart);
  }
  if (s->most_bytes && now->bytes && now->last_bytes) {
    double over = (double) now->bytes + (double) now->last_bytes - (double) s->most_bytes * now->done;
    left = MAX (left, over / (double) now->last_bytes);
  }
  return CLAMP (left, 0, 1);
}

bool
strategy_mark_saves (const Strategy *s, const StrategyNow *now)
{
  return s->mark_near >= 1 || (s->mark_near > 0 && is_automatic (s) && strategy_distance (s, now) < s->mark_near);
}

/* How far playing must go at most when place i is not there: from the one before it to the one after it. */
static uint64_t
gap_without (const StrategyPlace *places, guint n, guint i)
{
  uint64_t before = i ? places[i - 1].event : 0;
  uint64_t after = i + 1 < n ? places[i + 1].event : places[i].event + (places[i].event - before);

  return after - before;
}

int
strategy_victim (const StrategyPlace *places, guint n, uint64_t event, uint64_t visits)
{
  int worst = -1;

  for (guint i = 0; i < n; ++i) {
    if (places[i].kept || places[i].uses >= visits || places[i].event == event)
      continue;
    if (worst < 0 || places[i].uses < places[worst].uses
        || (places[i].uses == places[worst].uses
            && gap_without (places, n, i) < gap_without (places, n, (guint) worst)))
      worst = (int) i;
  }
  return worst;
}

int
strategy_thin (const StrategyPlace *places, guint n, uint64_t present, uint64_t most_bytes)
{
  uint64_t bytes = 0;
  double least = INFINITY;
  int drop = -1;

  for (guint i = 0; i < n; ++i)
    bytes += places[i].bytes;
  if (bytes <= most_bytes)
    return -1;
  for (guint i = 0; i < n; ++i) {
    if (places[i].kept)
      continue;
    uint64_t e = places[i].event, away = e > present ? e - present : present - e;
    double worth = (double) gap_without (places, n, i) * (double) (places[i].uses + 1) / ((double) away + 1);
    if (worth < least) {
      least = worth;
      drop = (int) i;
    }
  }
  return drop;
}
