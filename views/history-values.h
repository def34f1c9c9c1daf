/* SPDX-License-Identifier: Apache-2.0 */
/* history-values.h - dated numbers of a few series over a whole execution: history.h's third kind.  One thread at a
 * time. */
#pragma once
#include "views/history.h"

#define VALUES_SERIES 64 /* of one history */

typedef struct ValueSample {
  int64_t date;
  double value;
  uint8_t series; /* below VALUES_SERIES */
} ValueSample;

typedef struct CurveWriter CurveWriter;
/* Begins BASE anew, or goes on from a place; NULL and a sentence if the files cannot be made or do not reach so far. */
TRACE_API CurveWriter *curve_writer_new (const char *base, const HistoryPlace *place, GError **error);
/* Dates that go back are taken as the last one.  Failures wait for the next flush. */
TRACE_API void curve_writer_push (CurveWriter *w, const ValueSample *sample);
TRACE_API bool curve_writer_flush (CurveWriter *w, int64_t reach, GError **error);
TRACE_API HistoryPlace curve_writer_place (const CurveWriter *w);
TRACE_API void curve_writer_free (CurveWriter *w);

/* What a column of a picture shows of a series. */
typedef struct ValueColumn {
  double min, max, sum, last; /* of the finite ones; last: of all */
  uint64_t count;
} ValueColumn;

typedef struct ValuesReader ValuesReader;
TRACE_API ValuesReader *values_reader_open (const char *base, GError **error);
TRACE_API void values_reader_free (ValuesReader *r);
TRACE_API void values_reader_refresh (ValuesReader *r);
TRACE_API const char *values_reader_problem (const ValuesReader *r);
TRACE_API bool values_reader_lost (const ValuesReader *r, int64_t from, int64_t to, HistoryEachLost each, void *arg);
TRACE_API int64_t values_reader_reach (const ValuesReader *r);
/* Adds up n_columns columns from `from` on, each `width` ticks, for each of the first n_series series:
 * to[series * n_columns + column], zeroed before. Sums are used where all that they are of is in one column;
 * where there are very many, also where it is in two.  before[series]: the value each series had before `from`, NaN:
 * none known. */
TRACE_API void values_reader_columns (ValuesReader *r, int64_t from, double width, uint32_t n_columns,
                                      uint32_t n_series, ValueColumn *to, double before[VALUES_SERIES]);
/* The exact samples of [from, to), in order, until `each` gives false. */
TRACE_API void values_reader_each (ValuesReader *r, int64_t from, int64_t to,
                                   bool (*each) (void *arg, const ValueSample *s), void *arg);
