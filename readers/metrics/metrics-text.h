/* SPDX-License-Identifier: Apache-2.0 */
/* metrics-text.h - the text of OpenMetrics and of Prometheus, put into series. */
#pragma once
#include "readers/metrics/series.h"

typedef struct MetricsText MetricsText;

MetricsText *metrics_text_new (SeriesTable *t, ValuesRecorder *to);
void metrics_text_free (MetricsText *m);
/* A page begins, some of its bytes come, it ends; not `whole`: it was cut off, and what it did not tell may be there.
 */
void metrics_text_begin (MetricsText *m);
void metrics_text_feed (MetricsText *m, const char *bytes, size_t n);
void metrics_text_end (MetricsText *m, bool whole);
