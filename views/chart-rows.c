/* SPDX-License-Identifier: Apache-2.0 */
#include "views/chart-rows.h"
#include <math.h>
#include <string.h>
#include "eve/words.h"

void
chart_row_clear (void *row)
{
  g_free (((ChartRow *) row)->name);
}

uint32_t
chart_part_of (const ViewScene *scene, const StatsDatum *d)
{
  const Groups *g = scene->groups;
  bool task = g != NULL && scene->source != NULL && d->owner_kind == STATS_OF_TASK && d->source == scene->source->number
              && d->owner < g->n_tasks;

  return task && g->parts[g->part_of[d->owner]].group != TRACE_NONE ? g->part_of[d->owner] : TRACE_NONE;
}

bool
chart_adds_up (const StatsDatum *d)
{
  return d->unit == NULL || *d->unit == '\0' ? d->is_whole
                                             : strcmp (d->unit, "%") != 0 && strchr (d->unit, '/') == NULL;
}

/* The name of a group, and what of its tasks the number is, where the chart has several such. */
static char *
chart_rows_group_name (const ViewScene *scene, const ChartRow *r, unsigned differ)
{
  GString *name = g_string_new (NULL);
  g_autofree char *part = groups_part_name (scene->groups, r->part);

  if (differ & STATS_OF_ATTRIBUTES)
    stats_attribute_name (r->last, scene->graph, name);
  g_string_append (name, part);
  return g_string_free (name, FALSE);
}

/* Rows of one closed group, with one attribute and one unit, become one, where the first of them was. */
static void
chart_rows_put_together (GArray *rows, const ViewScene *scene, bool sums)
{
  const Groups *g = scene->groups;
  g_autofree uint32_t *row_of = g_new0 (uint32_t, g->n_parts + 1); /* + 1 */
  guint n = 0;

  for (guint i = 0; i < rows->len; i++) {
    ChartRow one = g_array_index (rows, ChartRow, i);
    uint32_t at = one.part != TRACE_NONE ? row_of[one.part] : 0;
    ChartRow *sum = NULL;
    for (; at > 0 && sum == NULL; at = g_array_index (rows, ChartRow, at - 1).next) {
      ChartRow *row = &g_array_index (rows, ChartRow, at - 1);
      if (row->last->attribute == one.last->attribute && g_strcmp0 (row->last->unit, one.last->unit) == 0)
        sum = row;
    }
    if (sum == NULL) {
      if (one.part != TRACE_NONE) {
        one.next = row_of[one.part];
        row_of[one.part] = n + 1;
      }
      g_array_index (rows, ChartRow, n++) = one;
      continue;
    }
    sum->min = fmin (sum->min, one.min);
    sum->max = fmax (sum->max, one.max);
    if (isnan (one.x))
      continue;
    sum->x = isnan (sum->x) ? one.x : sum->x + one.x;
    sum->n++;
    if (!(one.x >= sum->least)) {
      sum->least = one.x;
      sum->who_least = one.place;
    }
    if (!(one.x <= sum->most)) {
      sum->most = one.x;
      sum->who_most = one.place;
    }
  }
  g_array_set_size (rows, n);
  for (guint i = 0; i < n; i++) {
    ChartRow *one = &g_array_index (rows, ChartRow, i);
    if (one->part != TRACE_NONE && !(sums && chart_adds_up (one->last)) && one->n > 0)
      one->x /= one->n;
  }
}

const char *
chart_row_name (const ViewScene *scene, ChartRow *r, unsigned differ)
{
  if (r->name == NULL && r->part != TRACE_NONE) {
    r->name = chart_rows_group_name (scene, r, differ);
  } else if (r->name == NULL) {
    GString *name = g_string_new (NULL);
    stats_owner_name_among (r->last, scene->graph, differ, name);
    r->name = g_string_free (name, FALSE);
  }
  return r->name;
}

GArray *
chart_rows_of (const ChartView *v, const ViewScene *scene, bool sums)
{
  GArray *rows = g_array_sized_new (FALSE, FALSE, sizeof (ChartRow), v->of.values->len + 1);

  g_array_set_size (rows, v->of.values->len);
  for (guint i = 0; i < v->of.values->len; i++) {
    const ChartValue *value = &g_array_index (v->of.values, ChartValue, i);
    double x = stats_datum_number (&value->last);
    g_array_index (rows, ChartRow, i) = (ChartRow){
      x, NULL, i, &value->last, chart_part_of (scene, &value->last), 0, !isnan (x), x, x, i, i, value->min, value->max
    };
  }
  if (scene->groups != NULL)
    chart_rows_put_together (rows, scene, sums);
  g_array_set_clear_func (rows, chart_row_clear);
  return rows;
}

bool
chart_rows_have_groups (const GArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_array_index (rows, ChartRow, i).part != TRACE_NONE)
      return true;
  return false;
}

DrawingTag
chart_row_tag (const ViewScene *scene, const ChartRow *r)
{
  if (r->part != TRACE_NONE)
    return (DrawingTag){ DRAWING_NO_DATES, .index = r->place, .part = CHART_IN_GROUP };
  return chart_tag (scene, r->last, r->place);
}

bool
chart_row_is_chosen (const ViewScene *scene, const ChartRow *r)
{
  const Groups *g = scene->groups;
  DrawingTag tag = chart_row_tag (scene, r);
  bool chosen = r->part == TRACE_NONE && view_tag_stands_out (scene, &tag);

  for (uint32_t k = 0;
       r->part != TRACE_NONE && trace_refs_n (scene->selection) > 0 && k < g->parts[r->part].n && !chosen; k++)
    chosen = view_stands_out (scene, trace_ref_task (scene->source->number, g->order[g->parts[r->part].first + k]));
  return chosen;
}

void
chart_row_say (const ChartView *v, const ViewScene *scene, const DrawingMark *m, bool sums, GString *name)
{
  g_autoptr (GArray) rows = chart_rows_of (v, scene, sums);
  unsigned all = chart_differ_in (v), differ = all & STATS_OF_TRACES; /* the name says already what of them it is */

  for (guint i = 0; i < rows->len; i++) {
    ChartRow *r = &g_array_index (rows, ChartRow, i);
    if (r->part == TRACE_NONE || r->place != m->tag.index)
      continue;
    g_autofree char *number = chart_number (r->x, r->last->unit), *least = chart_number (r->least, r->last->unit),
                    *most = chart_number (r->most, r->last->unit);
    g_string_append_printf (name, _ ("%s: %s, %s ("), chart_row_name (scene, r, all), number, least);
    stats_owner_name_among (&g_array_index (v->of.values, ChartValue, r->who_least).last, scene->graph, differ, name);
    g_string_append_printf (name, _ (") to %s ("), most);
    stats_owner_name_among (&g_array_index (v->of.values, ChartValue, r->who_most).last, scene->graph, differ, name);
    g_string_append_c (name, ')');
  }
}

void
chart_add_part (const ViewScene *scene, uint32_t part, TraceRefs *to)
{
  const Groups *g = scene->groups;

  for (uint32_t k = 0; g != NULL && part < g->n_parts && k < g->parts[part].n; k++)
    trace_refs_add (to, trace_ref_task (scene->source->number, g->order[g->parts[part].first + k]));
}

/* The group that a mark is of; TRACE_NONE: there is none any more. */
static uint32_t
part_of_mark (EveComponent *c, const ViewScene *scene, const DrawingMark *m)
{
  const ChartValue *v = chart_view_value (c, m);

  return m->tag.part == CHART_IN_GROUP && v != NULL ? chart_part_of (scene, &v->last) : TRACE_NONE;
}

void
chart_row_owners (EveComponent *c, const ViewScene *scene, const DrawingMark *m, TraceRefs *to)
{
  chart_add_part (scene, part_of_mark (c, scene, m), to);
}
