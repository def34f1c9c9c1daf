/* SPDX-License-Identifier: Apache-2.0 */
/* series.h - numbers with names, as counters of today's programs are: what StatsD and OpenMetrics share.  A series is a
 * thing of a watched program; what has changed is told once for all that came together.  Their number is limited, and
 * that it was reached is told. */
#pragma once
#include "readers/values.h"

#define SERIES_MOST 20000u
#define SERIES_MOST_NAME 1024u /* bytes; a longer one is left out */

typedef struct Series {
  uint32_t entity;
  ValueKind kind;
  ValueVariable variable;
  bool told, changed;
  double value, was;  /* now; when it was last told */
  double raw, before; /* of a counter: as it was sent; what was counted before it began anew */
  bool raw_known;
  uint64_t seen;       /* by its owner: the last time it was there */
  GHashTable *members; /* of a set: hashes, or NULL */
} Series;

typedef struct SeriesTable SeriesTable;

SeriesTable *series_new (ValuesRecorder *to, uint32_t program);
void series_free (SeriesTable *t);
/* The series of a name, of any bytes; made when it is new.  `kind` is taken then.  NULL: it cannot be: told. */
Series *series_get (SeriesTable *t, const char *name, size_t n, ValueKind kind);
/* It has a value now. */
void series_set (SeriesTable *t, Series *s, double value);
/* A counter as its program has it: what is less than before has begun anew, and goes on from there; true: so it was. */
bool series_count (SeriesTable *t, Series *s, double raw);
/* Tells what has changed. */
void series_tell (SeriesTable *t);
/* A line of the log. */
void series_log (SeriesTable *t, const char *text, size_t n);
/* All that was not `seen` at `now`, but before, is gone: that is told once. */
void series_sweep (SeriesTable *t, uint64_t now);
/* All that are there, by name, "NAME VALUE" a line, appended. */
void series_text (const SeriesTable *t, GString *to);
