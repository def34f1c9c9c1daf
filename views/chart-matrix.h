/* SPDX-License-Identifier: Apache-2.0 */
/* chart-matrix.h - a matrix of which several rows and columns may be one in the picture: what such a cell holds, what
 * it is called, whom it is of.  `i` counts what is drawn, each of `per` rows or columns of the matrix.  Engine thread
 * only. */
#pragma once
#include "views/chart.h"

/* The sum over a cell, or, of shares, the mean; NaN: there is nothing in it. */
TRACE_API double chart_matrix_value (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row,
                                     uint32_t per_column);
/* Of one row or column of the matrix; never NULL. */
TRACE_API const char *chart_matrix_name (const StatsMatrix *m, bool column, uint32_t i);
/* Of those that are put together; g_free. */
TRACE_API char *chart_matrix_name_of (const StatsMatrix *m, bool column, uint32_t i, uint32_t per);
/* The only one whom it is of; nothing: several, or nobody. */
TRACE_API TraceRef chart_matrix_owner (const StatsMatrix *m, bool column, uint32_t i, uint32_t per);
/* Whether one of those whom it is of is selected, alone or with a link. */
TRACE_API bool chart_matrix_is_chosen (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i,
                                       uint32_t per);
TRACE_API void chart_matrix_add_owners (const StatsMatrix *m, bool column, uint32_t i, uint32_t per, TraceRefs *to);
