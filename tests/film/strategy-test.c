/* SPDX-License-Identifier: Apache-2.0 */
/* strategy-test.c - decisions against values worked out by hand. */
#include "session/strategy.h"

#define MS INT64_C (1000000)

static void
test_parse (void)
{
  Strategy s = { .mark_near = 0.25 };

  g_assert_true (strategy_parse ("none", &s));
  g_assert_true (s.every_events == 0 && s.most_share == 0 && s.replay_ns == 0 && s.mark_near == 0.25);
  g_assert_true (strategy_parse ("events=1000+share=10", &s));
  g_assert_cmpuint (s.every_events, ==, 1000);
  g_assert_cmpfloat (s.most_share, ==, 0.1);
  g_assert_true (strategy_parse ("replay=2.5+bytes=4096", &s));
  g_assert_cmpint (s.replay_ns, ==, 2500000);
  g_assert_cmpuint (s.most_bytes, ==, 4096);
  g_assert_cmpuint (s.every_events, ==, 0);
  static const char *const wrong[] = { "",          "events", "events=",   "events=x", "events=-3",
                                       "share=200", "sha=1",  "events=1+", "share=nan" };
  for (guint i = 0; i < G_N_ELEMENTS (wrong); ++i)
    g_assert_false (strategy_parse (wrong[i], &s));
}

static void
test_due (void)
{
  Strategy none = { 0 }, events = { .every_events = 1000 };
  StrategyNow now = { .events_since = 999, .done = 1 };

  g_assert_false (strategy_due (&none, &now));
  g_assert_false (strategy_due (&events, &now));
  now.events_since = 1000;
  g_assert_true (strategy_due (&events, &now));
  g_assert_false (strategy_due (&none, &now));

  /* 10 %: a save of 20 ms is paid by 180 ms of work; two of them by 360 ms */
  Strategy share = { .most_share = 0.1 };
  now = (StrategyNow){ .events_since = 1, .worked_ns = 179 * MS, .last_cost_ns = 20 * MS, .saving_ns = 0, .done = 1 };
  g_assert_false (strategy_due (&share, &now));
  now.worked_ns = 180 * MS;
  g_assert_true (strategy_due (&share, &now));
  now.saving_ns = 20 * MS;
  g_assert_false (strategy_due (&share, &now));
  now.worked_ns = 360 * MS;
  g_assert_true (strategy_due (&share, &now));
  now.last_cost_ns = 60 * MS; /* it has become dearer: 9 x 80 ms */
  g_assert_false (strategy_due (&share, &now));
  now.worked_ns = 720 * MS;
  g_assert_true (strategy_due (&share, &now));

  /* both conditions of "every n events, within p %" */
  Strategy both = { .every_events = 500, .most_share = 0.1 };
  now.events_since = 499;
  g_assert_false (strategy_due (&both, &now));
  now.events_since = 500;
  g_assert_true (strategy_due (&both, &now));
  now.worked_ns = 719 * MS;
  g_assert_false (strategy_due (&both, &now));

  /* a tenth of the way may have used a tenth of the room */
  Strategy room = { .every_events = 1, .most_bytes = 1000 };
  now = (StrategyNow){ .events_since = 5, .bytes = 60, .last_bytes = 50, .done = 0.1 };
  g_assert_false (strategy_due (&room, &now));
  now.done = 0.11;
  g_assert_true (strategy_due (&room, &now));
  now.bytes = 0; /* the first one */
  now.done = 0.001;
  g_assert_true (strategy_due (&room, &now));
  now.events_since = 0; /* nothing has happened */
  g_assert_false (strategy_due (&room, &now));
}

static void
test_marks (void)
{
  Strategy s = { .every_events = 1000, .mark_near = 0.3 };
  StrategyNow now = { .events_since = 600 };

  g_assert_cmpfloat_with_epsilon (strategy_distance (&s, &now), 0.4, 1e-9);
  g_assert_false (strategy_mark_saves (&s, &now)); /* the next one is 400 of 1000 away */
  now.events_since = 750;
  g_assert_cmpfloat_with_epsilon (strategy_distance (&s, &now), 0.25, 1e-9);
  g_assert_true (strategy_mark_saves (&s, &now));
  s.mark_near = 1; /* the degenerate case of the thesis: each mark saves */
  now.events_since = 1;
  g_assert_true (strategy_mark_saves (&s, &now));
  s = (Strategy){ .mark_near = 0.9 }; /* nothing is automatic: no save is near */
  g_assert_false (strategy_mark_saves (&s, &now));
  g_assert_cmpfloat (strategy_distance (&s, &now), ==, 1);

  /* 25 %: saves of 10 ms stand 30 ms apart; 12 of them worked: 18 of 30 are left */
  Strategy share = { .most_share = 0.25 };
  now = (StrategyNow){ .events_since = 1, .worked_ns = 12 * MS, .last_cost_ns = 10 * MS };
  g_assert_cmpfloat_with_epsilon (strategy_distance (&share, &now), 0.6, 1e-9);
}

static void
test_victim (void)
{
  StrategyPlace places[] = {
    { .event = 100, .uses = 3 },
    { .event = 200, .uses = 0 },
    { .event = 300, .uses = 0 },
    { .event = 900, .uses = 1 },
  };

  /* both 200 and 300 were never used: without 200 the gap is 100..300, without 300 it is 200..900 */
  g_assert_cmpint (strategy_victim (places, 4, 500, 2), ==, 1);
  places[1].uses = 1;
  g_assert_cmpint (strategy_victim (places, 4, 500, 2), ==, 2);
  places[2].kept = true; /* by hand */
  g_assert_cmpint (strategy_victim (places, 4, 500, 2), ==, 1);
  g_assert_cmpint (strategy_victim (places, 4, 500, 1), ==, -1); /* none is used less than once */
  g_assert_cmpint (strategy_victim (places, 4, 200, 2), ==, 3);  /* not itself */
  g_assert_cmpint (strategy_victim (places, 0, 200, 2), ==, -1);
}

static void
test_thin (void)
{
  StrategyPlace places[9];

  for (int i = 0; i < 9; ++i)
    places[i] = (StrategyPlace){ .event = (uint64_t) (i + 1) * 100, .bytes = 10 };
  g_assert_cmpint (strategy_thin (places, 9, 900, 90), ==, -1);
  /* all stand 100 apart, so the farthest from the present is worth least: 200/(900-100+1) */
  g_assert_cmpint (strategy_thin (places, 9, 900, 89), ==, 0);
  g_assert_cmpint (strategy_thin (places, 9, 100, 89), ==, 8);
  /* thinned again and again, what is left is dense near the present and sparse far from it */
  guint n = 9;
  int drop;
  while ((drop = strategy_thin (places, n, 900, 40)) >= 0) {
    for (guint i = (guint) drop; i + 1 < n; ++i)
      places[i] = places[i + 1];
    --n;
  }
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpuint (places[3].event, ==, 900);
  for (guint i = 2; i < n; ++i)
    g_assert_cmpuint (places[i].event - places[i - 1].event, <=, places[i - 1].event - places[i - 2].event);
  for (int i = 0; i < 4; ++i)
    places[i].kept = true;
  g_assert_cmpint (strategy_thin (places, 4, 900, 0), ==, -1);
}

/* ---- beside slow models, on anything ---------------------------------------------------------------------------------- */

static double
fraction (GRand *rand)
{
  return g_rand_int_range (rand, 0, 3) ? g_rand_double (rand) : g_rand_int_range (rand, 0, 2);
}

/* Each condition that is set as a share of the way to the next save: 0, it holds; worked out from what the fields mean.
 */
static double
way_left (const Strategy *s, const StrategyNow *now)
{
  double left = 0;

  if (s->every_events && now->events_since < s->every_events)
    left = MAX (left, (double) (s->every_events - now->events_since) / (double) s->every_events);
  if (s->replay_ns && now->replay_since_ns < s->replay_ns)
    left = MAX (left, (double) (s->replay_ns - now->replay_since_ns) / (double) s->replay_ns);
  if (s->most_share > 0 && now->last_cost_ns > 0) {
    double cost = (double) now->last_cost_ns, all = (double) now->saving_ns + cost;
    double needed = all / s->most_share - all; /* saves are that share of both */
    left = MAX (left, (needed - (double) now->worked_ns) / (cost / s->most_share - cost));
  }
  if (s->most_bytes && now->bytes && now->last_bytes)
    left = MAX (left, ((double) (now->bytes + now->last_bytes) - now->done * (double) s->most_bytes)
                          / (double) now->last_bytes);
  return MIN (left, 1);
}

static void
test_any_due (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  guint due = 0, not_due = 0;

  for (int i = 0; i < 20000; ++i) {
    Strategy s = { .every_events = (uint64_t) (g_rand_boolean (rand) * g_rand_int_range (rand, 1, 20)),
                   .most_share = g_rand_boolean (rand) * 0.125,
                   .replay_ns = g_rand_boolean (rand) * g_rand_int_range (rand, 1, 20) * MS,
                   .most_bytes = (uint64_t) (g_rand_boolean (rand) * g_rand_int_range (rand, 1, 20)),
                   .mark_near = fraction (rand) };
    StrategyNow now = { .events_since = (uint64_t) g_rand_int_range (rand, 0, 20),
                        .replay_since_ns = g_rand_int_range (rand, 0, 20) * MS,
                        .worked_ns = g_rand_int_range (rand, 0, 100) * MS,
                        .saving_ns = g_rand_int_range (rand, 0, 8) * MS,
                        .last_cost_ns = g_rand_int_range (rand, 0, 4) * MS,
                        .bytes = (uint64_t) g_rand_int_range (rand, 0, 10),
                        .last_bytes = (uint64_t) g_rand_int_range (rand, 0, 5),
                        .done = fraction (rand) };
    bool automatic = s.every_events || s.most_share > 0 || s.replay_ns;
    /* without a save yet, or with one of nothing, distance knows no cost; whether it is due does not change */
    if (!now.last_cost_ns)
      now.saving_ns = 0;
    if (!now.last_bytes)
      now.bytes = 0;
    double left = automatic ? way_left (&s, &now) : 1;
    g_assert_cmpfloat_with_epsilon (strategy_distance (&s, &now), left, 1e-9);
    bool is = strategy_due (&s, &now), should = automatic && now.events_since && left <= 0;
    g_assert_true (is == should);
    due += is;
    not_due += !is;
    g_assert_true (strategy_mark_saves (&s, &now)
                   == (s.mark_near == 1 || (automatic && s.mark_near > 0 && left < s.mark_near)));
  }
  g_assert_true (due > 1000 && not_due > 1000);
}

/* The longest way that must be played between neighbours when one is not there. */
static uint64_t
gap (const StrategyPlace *p, guint n, guint i)
{
  uint64_t before = 0;

  if (i)
    before = p[i - 1].event;
  return i == n - 1 ? 2 * (p[i].event - before) : p[i + 1].event - before;
}

static void
test_any_place (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (18);

  for (int i = 0; i < 20000; ++i) {
    StrategyPlace p[8];
    guint n = (guint) g_rand_int_range (rand, 0, 9);
    uint64_t event = 0, bytes = 0, visits = (uint64_t) g_rand_int_range (rand, 1, 5);
    for (guint k = 0; k < n; ++k) {
      event += (uint64_t) g_rand_int_range (rand, 0, 5);
      p[k] = (StrategyPlace){ event, (uint64_t) g_rand_int_range (rand, 0, 4), (uint64_t) g_rand_int_range (rand, 1, 4),
                              g_rand_int_range (rand, 0, 5) == 0 };
      bytes += p[k].bytes;
    }
    uint64_t present = (uint64_t) g_rand_int_range (rand, 0, 40);
    int victim = -1, drop = -1;
    for (guint k = 0; k < n; ++k) {
      uint64_t away = p[k].event > present ? p[k].event - present : present - p[k].event;
      if (p[k].kept)
        continue;
      if (p[k].event != present && p[k].uses < visits
          && (victim < 0 || p[k].uses < p[victim].uses
              || (p[k].uses == p[victim].uses && gap (p, n, k) < gap (p, n, (guint) victim))))
        victim = (int) k;
      if (drop < 0)
        drop = (int) k;
      else {
        uint64_t other = p[drop].event > present ? p[drop].event - present : present - p[drop].event;
        /* worth: a long gap, often used, near; compared as whole numbers */
        if (gap (p, n, k) * (p[k].uses + 1) * (other + 1) < gap (p, n, (guint) drop) * (p[drop].uses + 1) * (away + 1))
          drop = (int) k;
      }
    }
    g_assert_cmpint (strategy_victim (p, n, present, visits), ==, victim);
    g_assert_cmpint (strategy_thin (p, n, present, bytes), ==, -1);
    if (bytes)
      g_assert_cmpint (strategy_thin (p, n, present, bytes - 1), ==, drop);
  }
}

static void
test_default (void)
{
  Strategy s = strategy_default (), kept = s;

  g_assert_cmpfloat (s.most_share, ==, 0.15);
  g_assert_cmpint (s.replay_ns, ==, 30 * MS);
  g_assert_true (s.most_bytes == STRATEGY_TENTH && s.mark_near == 0.5 && s.every_events == 0);
  g_assert_true (strategy_parse ("default", &s));
  g_assert_cmpmem (&s, sizeof s, &kept, sizeof kept);
  g_assert_true (strategy_parse ("share=100", &s) && s.most_share == 1);
  g_assert_true (strategy_parse ("events=1e18", &s) && s.every_events == UINT64_C (1000000000000000000));
  g_assert_false (strategy_parse ("events=1.1e18", &s));
  g_assert_false (strategy_parse ("share=100.5", &s));
  g_assert_false (strategy_parse ("eventss=1", &s));
  g_assert_false (strategy_parse ("events=0", &s));
  g_assert_true (strategy_parse ("bytes=200+share=50+events=3+replay=1", &s));
  g_assert_true (s.most_bytes == 200 && s.most_share == 0.5 && s.every_events == 3 && s.replay_ns == MS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strategy/parse", test_parse);
  g_test_add_func ("/strategy/due", test_due);
  g_test_add_func ("/strategy/marks", test_marks);
  g_test_add_func ("/strategy/victim", test_victim);
  g_test_add_func ("/strategy/thin", test_thin);
  g_test_add_func ("/strategy/any-due", test_any_due);
  g_test_add_func ("/strategy/any-place", test_any_place);
  g_test_add_func ("/strategy/default", test_default);
  return g_test_run ();
}
