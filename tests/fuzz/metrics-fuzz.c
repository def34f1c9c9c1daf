/* SPDX-License-Identifier: Apache-2.0 */
/* metrics-fuzz.c - any bytes as lines of StatsD and as a page of OpenMetrics.  The first byte says into how large
 * pieces the page is cut, which must make no difference. */
#include "readers/metrics/series.c"
#undef MOST_MEMBERS
#include "readers/metrics/statsd-lines.c"
#define take_line take_text_line
#define take_sample take_text_sample
#include "readers/metrics/metrics-text.c"
#include "tests/fuzz/fuzz.h"

typedef struct Seen {
  uint64_t n, sum; /* of what was told */
} Seen;

static void
on_record (void *arg, const ValueRecord *r, const void *bytes, size_t n)
{
  Seen *seen = arg;
  uint64_t value = (uint64_t) r->value + r->entity + r->type;

  CHECK (r->entity <= SERIES_MOST + 2 && r->type < N_VALUE_RECORDS);
  if (n) /* where a text is kept is no part of what is told */
    value = r->entity + n;
  seen->n++;
  seen->sum = seen->sum * 31 + value;
}

static Seen
page (const uint8_t *data, size_t n, size_t piece)
{
  Seen seen = { 0, 0 };
  ValuesRecorder *to = values_recorder_new (NULL, "fuzz", NULL);
  CHECK (to);
  values_recorder_tap (to, on_record, &seen);
  SeriesTable *series = series_new (to, values_program (to, "fuzz"));
  MetricsText *text = metrics_text_new (series, to);

  for (int twice = 0; twice < 2; twice++) {
    metrics_text_begin (text);
    for (size_t at = 0; at < n; at += piece)
      metrics_text_feed (text, (const char *) data + at, MIN (piece, n - at));
    metrics_text_end (text, true);
  }
  metrics_text_free (text);
  series_free (series);
  values_recorder_free (to, true);
  return seen;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t n)
{
  if (n < 2)
    return 0;
  Seen whole = page (data + 1, n - 1, n), pieces = page (data + 1, n - 1, 1 + data[0] % 64);
  CHECK (whole.n == pieces.n && whole.sum == pieces.sum);

  ValuesRecorder *to = values_recorder_new (NULL, "fuzz", NULL);
  Seen seen = { 0, 0 };
  values_recorder_tap (to, on_record, &seen);
  SeriesTable *series = series_new (to, values_program (to, "fuzz"));
  statsd_take (series, to, (const char *) data + 1, n - 1);
  series_tell (series);
  series_free (series);
  values_recorder_free (to, true);
  return 0;
}
