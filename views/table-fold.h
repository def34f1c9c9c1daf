/* SPDX-License-Identifier: Apache-2.0 */
/* table-fold.h - a table of tasks in which those of a closed group share a row (docs/groups.md). */
#pragma once
#include "views/chart-rows.h"

typedef struct TableFold {
  StatsTable *table;
  uint32_t *first,
      *next;            /* rows of the table that it is made of: of each row the first, of each of these the next one */
  uint32_t *part;       /* by row: of the scene's groups; TRACE_NONE: it is one row of that table, as it was */
  double *least, *most; /* by cell, of the numbers of a group; NaN: none of its rows has any */
  double *mean;         /* by cell too, and NaN as well */
} TableFold;

/* NULL: there is nothing to be put together, as no row is of a task in a closed group, or some task has several rows.
 * Of a group whole numbers are summed up, of all others it has the mean; a date, if it is that of all; of texts the
 * most frequent ones, as people read them.  Rows stand where the first of them did. */
TRACE_API TableFold *table_fold_new (const StatsTable *t, const ViewScene *scene);
TRACE_API void table_fold_free (TableFold *f); /* NULL: nothing */

/* What a view keeps of it from one picture to the next. */
typedef struct TableFolded {
  TableFold *fold;        /* NULL: the table is shown as it is */
  uint64_t table, groups; /* serials of what it was made of */
  uint64_t shown;         /* another one for each table that is shown; 0: none was yet */
} TableFolded;

/* The table that is held with the rows of closed groups put together, or as it is; NULL: none has come. */
TRACE_API const StatsTable *table_folded (TableFolded *f, const ChartThing *held, const ViewScene *scene);
TRACE_API void table_folded_clear (TableFolded *f);
/* Whether a row of what is shown is a closed group. */
TRACE_API bool table_folded_is_group (const TableFolded *f, uint32_t row);
/* Whether the row that is the index of a tag is to stand out: of a group, one of its tasks; `t`: the table that is
 * held.
 */
TRACE_API bool table_folded_stands_out (const TableFolded *f, const StatsTable *t, const ViewScene *scene,
                                        const DrawingTag *tag);
/* The tasks of a row that is a group, added; `t` as before. */
TRACE_API void table_folded_owners (const TableFolded *f, const StatsTable *t, uint32_t row, TraceRefs *to);
/* The column whose cells lead to the other end of their rows; -1: there is none. */
TRACE_API int32_t table_other_column (const StatsTable *t);
/* Whether a cell is made of several numbers that differ. */
TRACE_API bool table_fold_differs (const TableFold *f, uint32_t row, uint32_t column);
