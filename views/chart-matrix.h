/* SPDX-License-Identifier: Apache-2.0 */
/* chart-matrix.h - a matrix of which several rows and columns may be one in the picture: what such a cell holds, what
 * it is called, whom it is of.  `i` counts what is drawn, each of `per` rows or columns of the matrix.  Engine thread
 * only. */
#pragma once
#include "views/chart.h"

/* A matrix as it is shown: as it came, or with the parts of the scene's groups in the place of tasks.  What the
 * functions below take is what chart_matrix_shown() gave, which is the first member of one of these. */
typedef struct ChartMatrix {
  StatsMatrix m;
  const StatsMatrix *of; /* as it came */
  uint64_t cut;          /* Groups.serial; 0: there were none */
  /* Of rows, and of columns: where row i of `of` is in m; which ones row k of m has, from start[k] on in the list.
   * NULL: as they came. */
  uint32_t *at[2], *start[2], *list[2];
  double *own_values; /* NULL: those of `of` */
  uint32_t *weights;  /* how many numbers of `of` each of own_values is made of; NULL: they are those of `of` */
} ChartMatrix;
/* Good until the next call with another cut, or another matrix; NULL: none has come. */
TRACE_API const StatsMatrix *chart_matrix_shown (ChartThing *t, const ViewScene *scene);
TRACE_API void chart_matrix_free (ChartMatrix *m); /* NULL: nothing */
/* Whether groups stand in the place of tasks. */
TRACE_API bool chart_matrix_is_folded (const StatsMatrix *m);
/* What is shown as a table: the csv of a View. */
TRACE_API bool chart_matrix_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error);
/* The row or column, as drawn, of one; TRACE_NONE: it has none. */
TRACE_API uint32_t chart_matrix_place (const StatsMatrix *m, bool column, TraceRef ref, uint32_t per);

/* The sum over a cell, or, of shares, the mean of all numbers that came for it, however many of them are one in the
 * matrix; NaN: there is nothing in it. */
TRACE_API double chart_matrix_value (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row,
                                     uint32_t per_column);
/* Of a cell that is the mean of several numbers the one that is furthest from it, and the row and column that it is of;
 * false: the cell is no mean, or of one number. */
TRACE_API bool chart_matrix_furthest (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row,
                                      uint32_t per_column, double *value, uint32_t *of_row, uint32_t *of_column);
/* Of one row or column of the matrix; never NULL. */
TRACE_API const char *chart_matrix_name (const StatsMatrix *m, bool column, uint32_t i);
/* The same in the language of the person, where it is a state of the model. */
TRACE_API const char *chart_matrix_word (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i);
/* Of those that are put together; g_free. */
TRACE_API char *chart_matrix_name_of (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i,
                                      uint32_t per);
/* The only one whom it is of; nothing: several, or nobody. */
TRACE_API TraceRef chart_matrix_owner (const StatsMatrix *m, bool column, uint32_t i, uint32_t per);
/* Whether one of those whom it is of is selected, alone or with a link. */
TRACE_API bool chart_matrix_is_chosen (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i,
                                       uint32_t per);
TRACE_API void chart_matrix_add_owners (const StatsMatrix *m, bool column, uint32_t i, uint32_t per, TraceRefs *to);
