/* SPDX-License-Identifier: Apache-2.0 */
/* statsd-lines.h - the lines of StatsD, and of its dialects, put into series. */
#pragma once
#include "readers/metrics/series.h"

/* A datagram: lines.  What is none is told as damage. */
void statsd_take (SeriesTable *t, ValuesRecorder *to, const char *bytes, size_t n);
