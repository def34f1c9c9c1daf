/* SPDX-License-Identifier: Apache-2.0 */
#include "views/chart-matrix.h"
#include <math.h>

double
chart_matrix_value (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row, uint32_t per_column)
{
  double sum = 0;
  uint32_t n = 0;

  for (uint32_t i = row * per_row; i < MIN ((row + 1) * per_row, m->n_rows); i++)
    for (uint32_t k = column * per_column; k < MIN ((column + 1) * per_column, m->n_columns); k++) {
      double x = m->values[(size_t) i * m->n_columns + k];
      if (!isnan (x)) {
        sum += x;
        n++;
      }
    }
  return n == 0 ? NAN : m->means ? sum / n : sum;
}

const char *
chart_matrix_name (const StatsMatrix *m, bool column, uint32_t i)
{
  const char *const *names = (const char *const *) (column ? m->column_names : m->row_names);

  return names != NULL && names[i] != NULL ? names[i] : "";
}

char *
chart_matrix_name_of (const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  uint32_t first = i * per, last = MIN (first + per, column ? m->n_columns : m->n_rows) - 1;

  return stats_name_of_several (chart_matrix_name (m, column, first), chart_matrix_name (m, column, last),
                                first < last);
}

TraceRef
chart_matrix_owner (const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  const StatsOwners *o = column ? m->column_owners : m->row_owners;
  uint32_t end = MIN ((i + 1) * per, column ? m->n_columns : m->n_rows);

  return o != NULL && end - i * per == 1 && o[i * per].n == 1 ? o[i * per].first : (TraceRef){ 0 };
}

bool
chart_matrix_is_chosen (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  const StatsOwners *o = column ? m->column_owners : m->row_owners;
  uint32_t end = MIN ((i + 1) * per, column ? m->n_columns : m->n_rows);

  for (uint32_t k = i * per; o != NULL && trace_refs_n (scene->selection) > 0 && k < end; k++)
    if (trace_refs_has_any (scene->selection, o[k].first, o[k].n)
        || (o[k].first.type == TRACE_REF_TASK
            && trace_refs_has_end (scene->selection, o[k].first, o[k].n, column ? TRACE_REFS_TO : TRACE_REFS_FROM)))
      return true;
  return false;
}

void
chart_matrix_add_owners (const StatsMatrix *m, bool column, uint32_t i, uint32_t per, TraceRefs *to)
{
  const StatsOwners *o = column ? m->column_owners : m->row_owners;
  uint32_t end = MIN ((i + 1) * per, column ? m->n_columns : m->n_rows);

  for (uint32_t k = i * per; o != NULL && k < end; k++)
    for (uint32_t n = 0; n < o[k].n; n++)
      trace_refs_add (to, (TraceRef){ o[k].first.source, o[k].first.type, o[k].first.id + n });
}
