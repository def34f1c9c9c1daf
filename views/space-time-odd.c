/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-odd.c - a row of several tasks shows their mean, in which one that is idle among thousands is less than a
 * pixel: what such a mean hides is looked for, and marked. */
#include <math.h>
#include <string.h>
#include "views/space-time.h"
#include "eve/words.h"

#define COLUMN_PX 6.0 /* looked at together; */
#define MANY 20000    /* with more tasks in a picture */
#define COLUMN_MANY 12.0
#define MOSTLY 0.5f  /* of a column: what a member is in for so much of it counts */
#define NOTCH_PX 3.0 /* high */

void
odd_draw (SpaceTime *st, Raster *t, const Rows *r, const Axis *a, const Row *row, const uint32_t *solid)
{
  double wide = r->n_shown > MANY ? COLUMN_MANY : COLUMN_PX;
  uint32_t n = (uint32_t) ceil (t->width / t->scale / wide), stride = st->slots.stride, met = 0;
  gsize cells = (gsize) n * stride;
  g_autofree float *own = g_new (float, cells), *most = g_new0 (float, cells), *mean = g_new0 (float, cells);

  for (uint32_t k = 0; k < row->n; k++) {
    memset (own, 0, cells * sizeof *own);
    states_reader_shares (st->read_states, r->shown[row->first + k], a->from, a->per_px * wide, n, 1,
                          &st->slots.palette, own, stride, &met);
    for (gsize i = 0; i < cells; i++) {
      mean[i] += own[i];
      most[i] = own[i] > most[i] ? own[i] : most[i];
    }
  }
  int64_t top = (int64_t) round ((row->y - r->top) * t->scale), high = (int64_t) ceil (NOTCH_PX * t->scale);
  float seen = (float) (1 / MAX (row->height, 1)); /* of the mean: a pixel */
  for (uint32_t i = 0; i < n; i++) {
    uint32_t odd = SLOTS_MOST;
    for (uint32_t k = 0; k < st->slots.n; k++)
      if (most[i * stride + k] >= MOSTLY && mean[i * stride + k] / (float) row->n < seen
          && (odd == SLOTS_MOST || mean[i * stride + k] < mean[i * stride + odd]))
        odd = k;
    if (odd == SLOTS_MOST)
      continue;
    uint32_t x0 = (uint32_t) (i * wide * t->scale), x1 = MIN ((uint32_t) ((i + 1) * wide * t->scale), t->width);
    for (int64_t y = MAX (top, 0); y < MIN (top + high, (int64_t) t->height); y++)
      for (uint32_t x = x0; x < x1; x++)
        t->pixels[(uint64_t) y * t->stride + x] = solid[odd];
  }
}

void
odd_tell (SpaceTime *st, const ViewScene *scene, const Rows *r, const Axis *a, const Row *row, double x, GString *facts)
{
  uint32_t stride = st->slots.stride, met = 0, who[SLOTS_MOST] = { 0 };
  float least[SLOTS_MOST], most[SLOTS_MOST] = { 0 }, own[SLOTS_MOST];
  double mean[SLOTS_MOST] = { 0 };

  for (uint32_t k = 0; k < SLOTS_MOST; k++)
    least[k] = 1;
  for (uint32_t i = 0; i < row->n; i++) {
    memset (own, 0, sizeof own);
    states_reader_shares (st->read_states, r->shown[row->first + i], axis_date_at (a, floor (x)), a->per_px, 1, 1,
                          &st->slots.palette, own, stride, &met);
    for (uint32_t k = 0; k < st->slots.n; k++) {
      mean[k] += (double) own[k] / row->n;
      least[k] = MIN (least[k], own[k]);
      if (own[k] > most[k]) {
        most[k] = own[k];
        who[k] = r->shown[row->first + i];
      }
    }
  }
  for (uint32_t k = 0; k < st->slots.n; k++)
    if (most[k] > 0.005f)
      g_string_append_printf (facts, _ ("%s\t%.0f \u2013 %.*f \u2013 %.0f\u2009%%, most: %s\n"),
                              paint_slot_name (scene->graph, STATE_NODE, &st->slots, k), 100 * (double) least[k],
                              mean[k] < 0.01 ? 2 : 0, 100 * mean[k], 100 * (double) most[k],
                              names_name (st->names, scene->source, who[k]));
}
