/* SPDX-License-Identifier: Apache-2.0 */
/* types.h - the data that analysis components emit and charts take: dated numbers, histograms, tables, matrices.
 *
 * A dated number is plain bytes.  The other three are counted references: the slot of a port holds a pointer.  They are
 * made by one owner, filled, and never changed once emitted; who wants to keep one takes a reference.  They are made on
 * a period, at the end, or when somebody asks: never for each event.  Names and units are interned strings
 * (g_intern_string), good for ever; NULL or "" is none.  Engine thread only, unless said otherwise. */
#pragma once
#include "readers/ref.h"

/* ---- dated number ------------------------------------------------------------------------------------------------ */
typedef enum {
  STATS_OF_ALL,
  STATS_OF_TASK,
  STATS_OF_LINK,
  STATS_OF_GROUP,
  STATS_OF_KIND,
  STATS_OF_NODE, /* of the state graph, that is no task: a thread, a semaphore */
} StatsOwnerKind;

typedef struct StatsDatum {
  int64_t date; /* ticks of the source's clock; INT64_MIN: none */
  union {
    double real;
    int64_t whole;
  } value;
  const char *unit;        /* interned: "s", "B", "%"; NULL: a pure number */
  uint32_t owner;          /* a task of the trace, a link of the state graph, ...; TRACE_NONE: all */
  uint16_t source;         /* of the trace */
  uint16_t owner_kind : 3; /* StatsOwnerKind: what `owner` counts */
  uint16_t is_whole : 1;   /* which of the two `value` is */
  uint16_t
      unfinished : 1; /* a stretch that still lasts, as long as it is at `date`.  Told at rest only (eve_at_rest) */
  uint16_t attribute : 11; /* of the state graph's model, + 1, up to STATS_MOST_ATTRIBUTES: what of the owner it is.  0:
                              nobody says.  Two attributes of one owner are two series of a chart */
} StatsDatum;
#define STATS_MOST_ATTRIBUTES ((1u << 11) - 1)
_Static_assert(sizeof (StatsDatum) == 32, "a dated number is half a cache line");
extern TRACE_API const EveType stats_type_datum;

static inline double
stats_datum_number (const StatsDatum *d)
{
  return d->is_whole ? (double) d->value.whole : d->value.real;
}

/* ---- histogram (thesis, section 5.1.2) ----------------------------------------------------------------------------- */
#define STATS_MAX_BINS (1u << 16)
typedef struct StatsHistogram {
  const char *title, *unit; /* what was counted, and what its values are in */
  int64_t date;             /* of the last value, ticks; INT64_MIN: none */
  double from, to;          /* the interval; bin i is [edge (i), edge (i + 1)), see stats_histogram_edge(); a value that
                               is exactly `to` belongs to the last */
  int64_t first;            /* step > 0: edge i is (first + i step) 10^power, or, if it is logarithmic, */
  int32_t step, power;      /* 10^((first + i step) / 10); 0: all bins are equally wide */
  bool logarithmic;         /* bins are equally wide by their logarithm */
  uint64_t below, above;    /* out of range, infinities among them */
  uint64_t no_number;       /* NaN: counted here and nowhere else */
  uint64_t count;           /* all but the NaN: below + above + the bins */
  double min, max, mean;    /* of all finite values, in range or not; NaN: there was none */
  uint16_t source;
  uint32_t n_bins; /* 1 to STATS_MAX_BINS */
  uint64_t bins[];
} StatsHistogram;
extern TRACE_API const EveType stats_type_histogram; /* a slot holds a StatsHistogram * */
/* Empty, one reference for the caller. */
TRACE_API StatsHistogram *stats_histogram_new (const char *title, const char *unit, double from, double to,
                                               uint32_t n_bins);

/* Where bin i begins, and, for n_bins, where the last ends: the nearest double to that number. */
TRACE_API double stats_histogram_edge (const StatsHistogram *h, uint32_t i);
TRACE_API double stats_power_of_ten (int n); /* pow (10, n), looked up */
/* n 10^power, as near as a double comes: what a person would write. */
TRACE_API double stats_decimal (int64_t n, int power);
/* 10^(n / 10) */
TRACE_API double stats_tenth (int64_t n);

/* ---- table --------------------------------------------------------------------------------------------------------- */
typedef enum {
  STATS_CELL_TEXT,  /* NULL: nothing */
  STATS_CELL_REAL,  /* NaN: nothing, unless state_is_value() */
  STATS_CELL_WHOLE, /* INT64_MIN: nothing */
  STATS_CELL_DATE,  /* whole: ticks of the source's clock; INT64_MIN: nothing */
} StatsCellKind;
typedef enum {
  STATS_GIVEN,  /* the trace's */
  STATS_WORDS,  /* Scope's */
  STATS_STATES, /* names of states */
  STATS_OTHER /* the trace's: the name of the other end of its row, to which it leads.  The row itself is of the one */
} StatsWords;
typedef struct StatsColumn {
  const char *name, *unit;
  StatsCellKind kind;
  uint8_t words; /* whose words its texts are, StatsWords: people read those that are not the trace's in their
                    language, files have them as they are.  Titles of tables are Scope's; po/update.py finds these */
  bool given;    /* its name is the trace's, as `words` says of texts; else Scope's */
} StatsColumn;
typedef union StatsCell {
  double real;
  int64_t whole;
  const char *text; /* owned by the table: set with stats_table_set_text() */
} StatsCell;
typedef struct StatsTable {
  const char *title;
  int64_t date;    /* the instant it describes, ticks; INT64_MIN: none */
  uint16_t source; /* of the trace: for dates */
  uint32_t n_columns, n_rows;
  StatsColumn *columns;
  StatsCell *cells; /* row by row: stats_cell() */
  TraceRef *owners; /* two for each row; NULL: of nobody */
  GStringChunk *texts;
} StatsTable;
extern TRACE_API const EveType stats_type_table; /* a slot holds a StatsTable * */
/* All cells are "nothing"; one reference for the caller. */
TRACE_API StatsTable *stats_table_new (const char *title, const StatsColumn *columns, uint32_t n_columns,
                                       uint32_t n_rows);
TRACE_API bool stats_cell_is_nothing (const StatsTable *t, uint32_t row, uint32_t column);
TRACE_API void stats_table_set_text (StatsTable *t, uint32_t row, uint32_t column, const char *text);
/* Whom a row is of, which can be selected by it; `other` is the other end of what is between two, or nothing. */
TRACE_API void stats_table_set_owner (StatsTable *t, uint32_t row, TraceRef who, TraceRef other);
static inline TraceRef
stats_table_owner (const StatsTable *t, uint32_t row, bool other)
{
  return t->owners != NULL ? t->owners[2 * (size_t) row + other] : (TraceRef){ 0 };
}
static inline StatsCell *
stats_cell (const StatsTable *t, uint32_t row, uint32_t column)
{
  return &t->cells[(size_t) row * t->n_columns + column];
}
/* As stats_table_set_text(), for what hardly another cell has, as the name of a row: none is looked for to share it
 * with. */
static inline void
stats_table_set_name (StatsTable *t, uint32_t row, uint32_t column, const char *text)
{
  stats_cell (t, row, column)->text = text ? g_string_chunk_insert (t->texts, text) : NULL;
}
/* As text for a person or a file, appended; nothing for "nothing".  Dates in seconds. */
TRACE_API void stats_table_cell_text (const StatsTable *t, uint32_t row, uint32_t column, GString *to);
/* Order of two rows by a column: numbers and dates by value, texts by their UTF-8 collation; what is nothing comes
 * last. */
TRACE_API int stats_table_compare (const StatsTable *t, uint32_t column, uint32_t row_a, uint32_t row_b);

/* ---- matrix -------------------------------------------------------------------------------------------------------- */
/* Whom a row or column is of: `n` that are counted one after the other; 0: nobody. */
typedef struct StatsOwners {
  TraceRef first;
  uint32_t n;
} StatsOwners;
typedef struct StatsMatrix {
  const char *title, *unit;
  int64_t date; /* the instant it describes, ticks; INT64_MIN: none */
  uint16_t source;
  bool whole; /* the values are whole numbers */
  bool means; /* of values put together the mean tells something, the sum nothing: shares, rates */
  bool flows; /* what is counted goes from the row to the column: messages */
  uint32_t n_rows, n_columns;
  const char **row_names, **column_names;  /* owned by the matrix: set with stats_matrix_name() */
  double *values;                          /* row by row; NaN: nothing */
  StatsOwners *row_owners, *column_owners; /* NULL: of nobody */
  GStringChunk *texts;
} StatsMatrix;
extern TRACE_API const EveType stats_type_matrix; /* a slot holds a StatsMatrix * */
/* All values 0, no names; one reference for the caller. */
TRACE_API StatsMatrix *stats_matrix_new (const char *title, const char *unit, uint32_t n_rows, uint32_t n_columns);
TRACE_API void stats_matrix_name (StatsMatrix *m, bool column, uint32_t i, const char *name);
TRACE_API void stats_matrix_set_owners (StatsMatrix *m, bool column, uint32_t i, TraceRef first, uint32_t n);
/* What a row of several tasks is called: "fft 0 \u2026 fft 7", the first and the last of them; one that is alone keeps
 * its name, and `several` is false.  g_free. */
TRACE_API char *stats_name_of_several (const char *first, const char *last, bool several);

/* ---- references, as for every counted type: of a histogram, a table or a matrix -------------------------------------- */
TRACE_API void stats_ref (const EveType *type, void *thing);
TRACE_API void stats_unref (const EveType *type, void *thing); /* NULL: nothing */

/* ---- text for other programs: RFC 4180, lines end with a line feed, the point is a point in every locale --------------- */
TRACE_API void stats_csv_text (GString *to, const char *text);                      /* quoted if need be, and with an
                                                                                       apostrophe before what a spreadsheet would compute;
                                                                                       NULL: nothing */
TRACE_API void stats_csv_heading (GString *to, const char *name, const char *unit); /* "waiting [s]"; NULL, "": none */
TRACE_API void stats_csv_number (GString *to, double x); /* the shortest of 15 and 17 digits that reads back */
/* Seconds, or ticks where the trace is not open; nothing for INT64_MIN. */
TRACE_API void stats_csv_date (GString *to, uint16_t source, int64_t date);
/* Any of the four types, or a stretch, with a header line; false: another type. */
TRACE_API bool stats_csv (const EveType *type, const void *slot, GString *to);
