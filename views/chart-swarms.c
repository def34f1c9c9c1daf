/* SPDX-License-Identifier: Apache-2.0 */
/* chart-swarms.c - the points of the tasks of a closed group as one point. */
#include <math.h>
#include "views/chart-rows.h"

static void
chart_swarms_join (ChartSwarm *s, const ChartSpot *spot, double amount)
{
  s->n++;
  s->x += (spot->x - s->x) / s->n;
  s->y += (spot->y - s->y) / s->n;
  s->x_least = fmin (s->x_least, spot->x);
  s->x_most = fmax (s->x_most, spot->x);
  s->y_least = fmin (s->y_least, spot->y);
  s->y_most = fmax (s->y_most, spot->y);
  s->amount_least = fmin (s->amount_least, amount); /* one that is not a number (NaN) leaves both as they are */
  s->amount_most = fmax (s->amount_most, amount);
  if (isfinite (amount) && s->n_amounts++ == 0)
    s->amount = amount;
  else if (isfinite (amount))
    s->amount += (amount - s->amount) / s->n_amounts;
}

GArray *
chart_swarms_new (const ChartValues *of, const ViewScene *scene, ChartSpot *spots,
                  double (*amount) (const void *arg, guint i), const void *arg)
{
  g_autoptr (GHashTable) known = NULL; /* part and attribute -> place among them, from 1 */
  GArray *swarms = NULL;

  for (guint i = 0; scene->groups != NULL && i < of->values->len; i++) {
    const StatsDatum *last = &g_array_index (of->values, ChartValue, i).last;
    uint32_t part = isnan (spots[i].x) ? TRACE_NONE : chart_part_of (scene, last);
    if (part == TRACE_NONE)
      continue;
    if (swarms == NULL) {
      swarms = g_array_new (FALSE, FALSE, sizeof (ChartSwarm));
      known = g_hash_table_new (NULL, NULL);
    }
    gpointer key = GSIZE_TO_POINTER ((gsize) part << 11 | last->attribute);
    guint at = GPOINTER_TO_UINT (g_hash_table_lookup (known, key));
    if (at == 0) {
      const ChartSwarm new = {
        i, part, 0, 0, 0, 0, NAN, INFINITY, -INFINITY, INFINITY, -INFINITY, INFINITY, -INFINITY
      };
      g_array_append_val (swarms, new);
      at = swarms->len;
      g_hash_table_insert (known, key, GUINT_TO_POINTER (at));
    }
    chart_swarms_join (&g_array_index (swarms, ChartSwarm, at - 1), &spots[i], amount (arg, i));
    spots[i].x = NAN;
  }
  for (guint k = 0; swarms != NULL && k < swarms->len; k++) {
    const ChartSwarm *s = &g_array_index (swarms, ChartSwarm, k);
    spots[s->first] = (ChartSpot){ 0, s->x, s->y };
  }
  return swarms;
}

const ChartSwarm *
chart_swarm_of (const GArray *swarms, guint i)
{
  guint low = 0, high = swarms != NULL ? swarms->len : 0;

  while (low < high) { /* they are in the order of their first */
    guint middle = low + (high - low) / 2;
    if (g_array_index (swarms, ChartSwarm, middle).first < i)
      low = middle + 1;
    else
      high = middle;
  }
  return swarms != NULL && low < swarms->len && g_array_index (swarms, ChartSwarm, low).first == i
             ? &g_array_index (swarms, ChartSwarm, low)
             : NULL;
}

void
chart_swarm_name (const ChartValues *of, const ViewScene *scene, guint i, const ChartSwarm *swarm, GString *to)
{
  const StatsDatum *last = &g_array_index (of->values, ChartValue, i).last;
  bool several = of->n_attributes > 1;

  if (swarm == NULL) {
    stats_owner_name_among (last, scene->graph, several ? STATS_OF_ATTRIBUTES : 0, to);
    return;
  }
  g_autofree char *part = groups_part_name (scene->groups, swarm->part);
  if (several)
    stats_attribute_name (last, scene->graph, to);
  g_string_append (to, part);
}

void
chart_swarm_draw (Drawing *d, double x, double y, double x0, double x1, double y0, double y1, uint32_t rgb)
{
  drawing_rect (d, x0, y - 0.5, fmax (x1 - x0, 1), 1, rgb, 1, NULL);
  drawing_rect (d, x - 0.5, y0, 1, fmax (y1 - y0, 1), rgb, 1, NULL);
  drawing_rect (d, x0 - 0.5, y - 4, 1, 8, rgb, 1, NULL);
  drawing_rect (d, x1 - 0.5, y - 4, 1, 8, rgb, 1, NULL);
  drawing_rect (d, x - 4, y0 - 0.5, 8, 1, rgb, 1, NULL);
  drawing_rect (d, x - 4, y1 - 0.5, 8, 1, rgb, 1, NULL);
}

bool
chart_swarm_stands_out (const ViewScene *scene, const ChartSwarm *swarm, const DrawingTag *tag)
{
  return swarm != NULL ? view_part_stands_out (scene, swarm->part) : view_tag_stands_out (scene, tag);
}
