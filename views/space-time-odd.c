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
#define COLUMNS_LEAST 128.0 /* so that a hundredth of any picture is most of one of them, wherever it begins */
#define MOSTLY 0.5f         /* of a column: what a member is in for so much of it counts */
#define NEARLY 0.99f        /* for what adding up loses */
#define NOTCH_PX 3.0        /* high, */
#define NOTCH_OF 4 /* but, from two pixels on, a quarter of its row at most: what most do is what it looks like */

/* What all members have of a column of the raster, in each slot, is looked at by wider columns. */
static void
space_time_odd_widen (const Raster *t, const StateSlots *slots, const float *share, double wide, uint32_t n,
                      float *mean)
{
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x0 = (uint32_t) (i * wide * t->scale), x1 = MIN ((uint32_t) ((i + 1) * wide * t->scale), t->width);
    for (uint32_t x = x0; x < x1; x++)
      for (uint32_t k = 0; k < slots->n; k++)
        mean[i * slots->stride + k] += share[(gsize) x * slots->stride + k] / (float) (x1 - x0);
  }
}

/* Columns [*from, *to) in which the mean hides slots that a member may be in for most of them, and these, as bits. */
static uint32_t
hidden_slots (const StateSlots *slots, const float *mean, uint32_t n, uint32_t members, float seen, uint32_t *from,
              uint32_t *to)
{
  uint32_t hidden = 0;

  *from = n;
  *to = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < slots->n; k++) {
      float is = mean[i * slots->stride + k];
      if (is * (float) members < MOSTLY * NEARLY || is >= seen)
        continue;
      hidden |= 1u << k;
      *from = MIN (*from, i);
      *to = i + 1;
    }
  return hidden;
}

void
odd_draw (SpaceTime *st, Raster *t, const Rows *r, const Axis *a, const Row *row, const float *share,
          const uint32_t *solid)
{
  double wide = MIN (r->n_shown > MANY ? COLUMN_MANY : COLUMN_PX, t->width / t->scale / COLUMNS_LEAST);
  uint32_t n = (uint32_t) ceil (t->width / t->scale / wide), stride = st->slots.stride, from, to;
  gsize cells = (gsize) n * stride;
  g_autofree float *most = g_new0 (float, cells), *mean = g_new0 (float, cells);
  float seen = (float) (1 / MAX (row->height, 1)); /* of the mean: a pixel */

  space_time_odd_widen (t, &st->slots, share, wide, n, mean);
  uint32_t hidden = hidden_slots (&st->slots, mean, n, row->n, seen, &from, &to);
  if (hidden == 0)
    return;
  double per_column = a->per_px * wide;
  int64_t begin = a->from + (int64_t) (from * per_column);
  states_reader_most (st->read_states, r->shown + row->first, row->n, begin, per_column, to - from, &st->slots.palette,
                      hidden, most + from * stride, stride);
  int64_t top = (int64_t) round ((row->y - r->top) * t->scale), high = (int64_t) ceil (NOTCH_PX * t->scale);
  high = CLAMP ((int64_t) (row->height / NOTCH_OF * t->scale), MIN ((int64_t) ceil (2 * t->scale), high), high);
  for (uint32_t i = from; i < to; i++) {
    uint32_t odd = SLOTS_MOST;
    for (uint32_t k = 0; k < st->slots.n; k++)
      if (most[i * stride + k] >= MOSTLY && mean[i * stride + k] < seen
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
                              paint_slot_word (scene->graph, STATE_NODE, &st->slots, k), 100 * (double) least[k],
                              mean[k] < 0.01 ? 2 : 0, 100 * mean[k], 100 * (double) most[k],
                              names_name (st->names, scene->source, who[k]));
}
