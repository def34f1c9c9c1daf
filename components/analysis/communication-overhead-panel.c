/* SPDX-License-Identifier: Apache-2.0 */
/* communication-overhead-panel.c - what the component shows of itself while it runs (thesis, figure 5.5): overhead, its
 * extrema and trend, counts of messages and phases, and the choice of sampling. */
#include "components/analysis/communication-overhead.h"
#include "eve/words.h"

enum {
  ROW_OVERHEAD,
  ROW_LEAST,
  ROW_MOST,
  ROW_TREND,
  ROW_SENDS,
  ROW_RECEIVES,
  ROW_UNDER_WAY,
  ROW_PHASES,
  ROW_SAMPLES,
  ROW_SAMPLING,
  ROW_N,
  ROW_INTERVAL,
  ROW_PHASES_BY,
  ROW_GAP,
  ON_PANEL,
};
static const BoxRow rows[] = {
  [ROW_OVERHEAD] = { BOX_ROW_VALUE, NULL, N_ ("Overhead"),
                     N_ ("Share of the time spent communicating, of the last sample.") },
  [ROW_LEAST] = { BOX_ROW_VALUE, NULL, N_ ("Least"), N_ ("Of all samples so far.") },
  [ROW_MOST] = { BOX_ROW_VALUE, NULL, N_ ("Most"), N_ ("Of all samples so far.") },
  [ROW_TREND] = { BOX_ROW_VALUE, NULL, N_ ("Trend"), N_ ("For how many samples it has been rising, or falling.") },
  [ROW_SENDS] = { BOX_ROW_VALUE, NULL, N_ ("Sends"), N_ ("Messages whose sending has begun.") },
  [ROW_RECEIVES] = { BOX_ROW_VALUE, NULL, N_ ("Receives"), N_ ("Messages received.") },
  [ROW_UNDER_WAY] = { BOX_ROW_VALUE, NULL, N_ ("Under way"), N_ ("Messages sent and not yet received.") },
  [ROW_PHASES] = { BOX_ROW_VALUE, NULL, N_ ("Phases"), N_ ("Phases that all tasks have ended.") },
  [ROW_SAMPLES] = { BOX_ROW_VALUE, NULL, N_ ("Samples"), N_ ("How many were taken.") },
  [ROW_SAMPLING] = { BOX_ROW_SETTING, "sampling", NULL, NULL },
  [ROW_N] = { BOX_ROW_SETTING, "n", NULL, NULL },
  [ROW_INTERVAL] = { BOX_ROW_SETTING, "interval", NULL, NULL },
  [ROW_PHASES_BY] = { BOX_ROW_SETTING, "phases by", NULL, NULL },
  [ROW_GAP] = { BOX_ROW_SETTING, "gap", NULL, NULL },
  [ON_PANEL] = { BOX_ROW_HEADING, NULL, N_ ("What counts"), NULL },
  { BOX_ROW_SETTING, "categories", NULL, NULL },
  { BOX_ROW_SETTING, "from", NULL, NULL },
  { BOX_ROW_SETTING, "to", NULL, NULL },
};

static void
say_trend (int64_t trend, char *text, size_t n)
{
  if (trend == 0)
    g_strlcpy (text, _ ("steady"), n);
  else if (trend > 0)
    g_snprintf (text, (gulong) n, P_ ("rising for %lld sample", "rising for %lld samples", (gulong) trend),
                (long long) trend);
  else
    g_snprintf (text, (gulong) n, P_ ("falling for %lld sample", "falling for %lld samples", (gulong) -trend),
                (long long) -trend);
}

static bool
overhead_look (EveComponent *c, uint32_t row, char *text, size_t n)
{
  const Overhead *self = (const Overhead *) c;
  const double share[] = { self->shown.value, self->shown.min, self->shown.max };
  const int64_t count[] = { self->shown.sends, self->shown.receives, self->shown.sends - self->shown.receives,
                            self->shown.phases, self->shown.samples };
  bool by_phases = self->sampling == BY_PHASES || self->sampling == BY_PHASES_SO_FAR;

  if (row == ROW_N)
    return by_phases || self->sampling == BY_RECEIVES || self->sampling == BY_TASK_RECEIVES;
  if (row == ROW_INTERVAL)
    return self->sampling == BY_INTERVAL;
  if (row == ROW_GAP)
    return self->phases_by == PHASE_EXCHANGES;
  if (row > ROW_SAMPLES)
    return true;
  if (self->shown.samples == 0) {
    g_strlcpy (text, "–", n);
    return false;
  }
  if (row <= ROW_MOST)
    g_snprintf (text, (gulong) n, "%.3g\u2009%%", share[row]);
  else if (row == ROW_TREND)
    say_trend (self->shown.trend, text, n);
  else
    g_snprintf (text, (gulong) n, "%" G_GINT64_FORMAT, count[row - ROW_SENDS]);
  return true;
}

const BoxInspector overhead_inspector = {
  .rows = rows, .n_rows = EVE_N (rows), .look = overhead_look, .n_panel = ON_PANEL
};
