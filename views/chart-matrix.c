/* SPDX-License-Identifier: Apache-2.0 */
#include "views/chart-matrix.h"
#include <math.h>
#include <string.h>
#include "views/groups.h"
#include "views/paint.h"

/* ---- groups in the place of tasks ------------------------------------------------------------------------------------------- */

void
chart_matrix_free (ChartMatrix *m)
{
  if (m == NULL)
    return;
  for (int column = 0; column < 2; column++) {
    const char **names = column ? m->m.column_names : m->m.row_names;
    for (uint32_t i = 0; m->list[column] != NULL && i < (column ? m->m.n_columns : m->m.n_rows); i++)
      g_free ((char *) names[i]);
    if (m->list[column] != NULL)
      g_free (names);
    g_free (m->list[column]);
    g_free (m->start[column]);
    g_free (m->at[column]);
  }
  g_free (m->own_values);
  g_free (m->weights);
  g_free (m);
}

/* The part that a row or column is of; TRACE_NONE: it is of no task of these groups. */
static uint32_t
part_of (const StatsMatrix *m, const Groups *g, uint16_t source, bool column, uint32_t i)
{
  const StatsOwners *o = column ? m->column_owners : m->row_owners;
  TraceRef r = o[i].first;

  return o[i].n == 1 && r.type == TRACE_REF_TASK && r.source == source && r.id < g->n_tasks ? g->part_of[r.id]
                                                                                            : TRACE_NONE;
}

/* Puts rows, or columns, of tasks together by the parts of a cut; those of others stand behind them, as they were. */
static void
chart_matrix_fold (ChartMatrix *m, const Groups *g, uint16_t source, bool column)
{
  const StatsMatrix *of = m->of;
  uint32_t n = column ? of->n_columns : of->n_rows, n_shown = 0, next = 0;
  bool any = false;

  if ((column ? of->column_owners : of->row_owners) == NULL)
    return;
  g_autofree uint32_t *count = g_new0 (uint32_t, g->n_parts + 1), *shown = g_new (uint32_t, g->n_parts + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t part = part_of (of, g, source, column, i);
    any |= part != TRACE_NONE;
    count[part != TRACE_NONE ? part : g->n_parts]++;
  }
  if (!any)
    return;
  for (uint32_t part = 0; part < g->n_parts; part++)
    shown[part] = count[part] > 0 ? n_shown++ : TRACE_NONE;
  uint32_t *at = m->at[column] = g_new (uint32_t, n + 1), *start = m->start[column] = g_new0 (uint32_t, n + 2),
           *list = m->list[column] = g_new (uint32_t, n + 1);
  uint32_t others = n_shown;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t part = part_of (of, g, source, column, i);
    at[i] = part != TRACE_NONE ? shown[part] : others++;
    start[at[i] + 1]++;
  }
  n_shown = others;
  for (uint32_t i = 0; i < n_shown; i++)
    start[i + 1] += start[i];
  g_autofree uint32_t *fill = g_memdup2 (start, (n_shown + 1) * sizeof *start);
  for (uint32_t i = 0; i < n; i++)
    list[fill[at[i]]++] = i;
  const char **names = g_new0 (const char *, n_shown + 1);
  for (uint32_t i = 0; i < n_shown; i++) {
    uint32_t first = list[start[i]], part = part_of (of, g, source, column, first);
    const char *const *own = (const char *const *) (column ? of->column_names : of->row_names);
    next = part != TRACE_NONE ? g->parts[part].group : TRACE_NONE;
    names[i] = next != TRACE_NONE ? g_strdup_printf ("%s (%u)", g->all[next].name, start[i + 1] - start[i])
                                  : g_strdup (own != NULL && own[first] != NULL ? own[first] : "");
  }
  if (column) {
    m->m.n_columns = n_shown;
    m->m.column_names = names;
    m->m.column_owners = NULL;
  } else {
    m->m.n_rows = n_shown;
    m->m.row_names = names;
    m->m.row_owners = NULL;
  }
}

/* Sums, or means of what is there. */
static void
fold_values (ChartMatrix *m)
{
  const StatsMatrix *of = m->of;
  size_t n = (size_t) m->m.n_rows * m->m.n_columns;
  uint32_t *count = m->weights = g_new0 (uint32_t, n + 1);

  m->m.values = m->own_values = g_new0 (double, n + 1);
  for (uint32_t i = 0; i < of->n_rows; i++)
    for (uint32_t k = 0; k < of->n_columns; k++) {
      double x = of->values[(size_t) i * of->n_columns + k];
      size_t cell = (size_t) (m->at[0] != NULL ? m->at[0][i] : i) * m->m.n_columns
                    + (m->at[1] != NULL ? m->at[1][k] : k);
      if (isnan (x))
        continue;
      m->own_values[cell] += x;
      count[cell]++;
    }
  for (size_t i = 0; i < n; i++)
    m->own_values[i] = count[i] == 0 ? NAN : of->means ? m->own_values[i] / count[i] : m->own_values[i];
}

const StatsMatrix *
chart_matrix_shown (ChartThing *t, const ViewScene *scene)
{
  uint64_t cut = scene->groups != NULL ? scene->groups->serial : 0;

  if (t->thing == NULL)
    return NULL;
  if (t->shown != NULL && t->shown->of == t->thing && t->shown->cut == cut)
    return &t->shown->m;
  chart_matrix_free (t->shown);
  t->shown = g_new0 (ChartMatrix, 1);
  t->shown->of = t->thing;
  t->shown->m = *t->shown->of;
  t->shown->cut = cut;
  if (scene->groups != NULL && scene->source != NULL) {
    for (int column = 0; column < 2; column++)
      chart_matrix_fold (t->shown, scene->groups, scene->source->number, column);
    if (t->shown->list[0] != NULL || t->shown->list[1] != NULL)
      fold_values (t->shown);
  }
  return &t->shown->m;
}

bool
chart_matrix_csv (EveComponent *c, const ViewScene *scene, GString *to, GError **error)
{
  ChartThing *t = (ChartThing *) c;
  const StatsMatrix *m = chart_matrix_shown (t, scene);

  return m != NULL ? stats_csv (t->type, &m, to) : chart_thing_csv (c, scene, to, error);
}

bool
chart_matrix_is_folded (const StatsMatrix *m)
{
  const ChartMatrix *own = (const ChartMatrix *) m;

  return own->list[0] != NULL || own->list[1] != NULL;
}

/* ---- one of the picture: members of it are rows or columns as they came ----------------------------------------------------- */

typedef struct Members {
  const uint32_t *list; /* NULL: they follow each other */
  uint32_t first, n;
  const StatsOwners *owners; /* NULL: of nobody */
} Members;

static Members
chart_matrix_members_of (const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  const ChartMatrix *own = (const ChartMatrix *) m;
  uint32_t n = column ? m->n_columns : m->n_rows, first = (uint32_t) MIN ((uint64_t) i * per, n),
           end = (uint32_t) MIN ((uint64_t) first + per, n);

  if (own->list[column] == NULL)
    return (Members){ NULL, first, end - first, column ? m->column_owners : m->row_owners };
  const uint32_t *start = own->start[column];
  return (Members){ own->list[column] + start[first], 0, start[end] - start[first],
                    column ? own->of->column_owners : own->of->row_owners };
}

static const StatsOwners *
chart_matrix_member (const Members *all, uint32_t k)
{
  return &all->owners[all->list != NULL ? all->list[k] : all->first + k];
}

double
chart_matrix_value (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row, uint32_t per_column)
{
  const uint32_t *weights = m->means ? ((const ChartMatrix *) m)->weights : NULL;
  double sum = 0, n = 0;

  for (uint32_t i = row * per_row; i < MIN ((row + 1) * per_row, m->n_rows); i++)
    for (uint32_t k = column * per_column; k < MIN ((column + 1) * per_column, m->n_columns); k++) {
      size_t cell = (size_t) i * m->n_columns + k;
      double x = m->values[cell], weight = weights != NULL ? weights[cell] : 1;
      if (!isnan (x)) {
        sum += weight * x;
        n += weight;
      }
    }
  return n == 0 ? NAN : m->means ? sum / n : sum;
}

bool
chart_matrix_furthest (const StatsMatrix *m, uint32_t row, uint32_t column, uint32_t per_row, uint32_t per_column,
                       double *value, uint32_t *of_row, uint32_t *of_column)
{
  double mean = chart_matrix_value (m, row, column, per_row, per_column), far = -1;

  if (!m->means || isnan (mean) || per_row * per_column < 2)
    return false;
  for (uint32_t i = row * per_row; i < MIN ((row + 1) * per_row, m->n_rows); i++)
    for (uint32_t k = column * per_column; k < MIN ((column + 1) * per_column, m->n_columns); k++) {
      double x = m->values[(size_t) i * m->n_columns + k];
      if (isnan (x) || fabs (x - mean) <= far)
        continue;
      far = fabs (x - mean);
      *value = x;
      *of_row = i;
      *of_column = k;
    }
  return far >= 0;
}

const char *
chart_matrix_name (const StatsMatrix *m, bool column, uint32_t i)
{
  const char *const *names = (const char *const *) (column ? m->column_names : m->row_names);

  return names != NULL && names[i] != NULL ? names[i] : "";
}

const char *
chart_matrix_word (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i)
{
  const char *attribute = NULL, *name = chart_matrix_name (m, column, i);
  TraceRef owner = chart_matrix_owner (m, column, i, 1);
  bool state = owner.type == TRACE_REF_VALUE && strcmp (trace_ref_named_by (owner, &attribute), name) == 0
               && strcmp (attribute, paint_state_attribute (scene->graph, STATE_NODE)) == 0;

  return paint_word (state ? scene->graph : NULL, STATE_NODE, name);
}

char *
chart_matrix_name_of (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  uint32_t n = column ? m->n_columns : m->n_rows, first = i * per, last = MIN (first + per, n) - 1;

  if (first >= n)
    return g_strdup ("");
  return stats_name_of_several (chart_matrix_word (scene, m, column, first), chart_matrix_word (scene, m, column, last),
                                first < last);
}

TraceRef
chart_matrix_owner (const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  Members all = chart_matrix_members_of (m, column, i, per);

  return all.owners != NULL && all.n == 1 && chart_matrix_member (&all, 0)->n == 1
             ? chart_matrix_member (&all, 0)->first
             : (TraceRef){ 0 };
}

bool
chart_matrix_is_chosen (const ViewScene *scene, const StatsMatrix *m, bool column, uint32_t i, uint32_t per)
{
  Members all = chart_matrix_members_of (m, column, i, per);

  for (uint32_t k = 0; all.owners != NULL && trace_refs_n (scene->selection) > 0 && k < all.n; k++) {
    const StatsOwners *o = chart_matrix_member (&all, k);
    if (trace_refs_has_any (scene->selection, o->first, o->n)
        || (o->first.type == TRACE_REF_TASK
            && trace_refs_has_end (scene->selection, o->first, o->n, column ? TRACE_REFS_TO : TRACE_REFS_FROM)))
      return true;
  }
  return false;
}

uint32_t
chart_matrix_place (const StatsMatrix *m, bool column, TraceRef ref, uint32_t per)
{
  const ChartMatrix *own = (const ChartMatrix *) m;
  const StatsOwners *o = column ? own->of->column_owners : own->of->row_owners;

  for (uint32_t k = 0; o != NULL && k < (column ? own->of->n_columns : own->of->n_rows); k++)
    if (ref.type == o[k].first.type && ref.source == o[k].first.source && ref.id - o[k].first.id < o[k].n)
      return (own->at[column] != NULL ? own->at[column][k] : k) / per;
  return TRACE_NONE;
}

void
chart_matrix_add_owners (const StatsMatrix *m, bool column, uint32_t i, uint32_t per, TraceRefs *to)
{
  Members all = chart_matrix_members_of (m, column, i, per);

  for (uint32_t k = 0; all.owners != NULL && k < all.n; k++) {
    const StatsOwners *o = chart_matrix_member (&all, k);
    for (uint32_t n = 0; n < o->n; n++)
      trace_refs_add (to, (TraceRef){ o->first.source, o->first.type, o->first.id + n });
  }
}
