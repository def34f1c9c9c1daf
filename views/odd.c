/* SPDX-License-Identifier: Apache-2.0 */
#include "views/odd.h"
#include <math.h>
#include <string.h>
#include "eve/words.h"

#define COLUMN_PX 6.0       /* looked at together; */
#define COLUMN_MANY 12.0    /* with ODD_MANY tasks or more */
#define COLUMNS_LEAST 128.0 /* so that a hundredth of any picture is most of one of them, wherever it begins */
#define MOSTLY 0.5f         /* of a column: what a member is in for so much of it counts */
#define NEARLY 0.99f        /* for what adding up loses */
#define NOTCH_PX 3.0        /* high, */
#define NOTCH_OF 4 /* but, from two pixels on, a quarter of its row at most: what most do is what it looks like */

/* What all members have of a column of the raster, in each slot, is looked at by wider columns. */
static void
odd_widen (const OddRow *o, uint32_t width, const float *share, double wide, uint32_t n, float *mean)
{
  const StateSlots *slots = o->slots;

  for (uint32_t i = 0; i < n; i++) {
    uint32_t x0 = (uint32_t) (i * wide * o->scale), x1 = MIN ((uint32_t) ((i + 1) * wide * o->scale), width);
    for (uint32_t x = x0; x < x1; x++)
      for (uint32_t k = 0; k < slots->n; k++)
        mean[i * slots->stride + k] += share[(gsize) x * slots->stride + k] / (float) (x1 - x0);
  }
}

/* Columns [*from, *to) in which the mean hides slots that a member may be in for most of them, and these, as bits. */
static uint32_t
hidden_slots (const OddRow *o, const float *mean, uint32_t n, float seen, uint32_t *from, uint32_t *to)
{
  const StateSlots *slots = o->slots;
  uint32_t hidden = 0;

  *from = n;
  *to = 0;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < slots->n; k++) {
      float is = mean[i * slots->stride + k];
      if (is * (float) o->n_members < MOSTLY * NEARLY || is >= seen || (o->left_out >> k & 1) != 0)
        continue;
      hidden |= 1u << k;
      *from = MIN (*from, i);
      *to = i + 1;
    }
  return hidden;
}

void
odd_draw (const OddRow *o, uint32_t width, const float *share, const uint32_t *solid, uint32_t *pixels, uint32_t stride,
          int64_t lines)
{
  const StateSlots *slots = o->slots;
  double wide = MIN (o->many ? COLUMN_MANY : COLUMN_PX, width / o->scale / COLUMNS_LEAST);
  uint32_t n = (uint32_t) ceil (width / o->scale / wide), places = slots->stride, from, to;
  gsize cells = (gsize) n * places;
  g_autofree float *most = g_new0 (float, cells), *mean = g_new0 (float, cells);
  float seen = (float) (1 / MAX (o->height, 1)); /* of the mean: a pixel */

  odd_widen (o, width, share, wide, n, mean);
  uint32_t hidden = hidden_slots (o, mean, n, seen, &from, &to);
  if (hidden == 0)
    return;
  double per_column = o->axis->per_px * wide;
  int64_t begin = o->axis->from + (int64_t) (from * per_column);
  states_reader_most (o->read, o->owners, o->n_owners, begin, per_column, to - from, &slots->palette, hidden,
                      most + from * places, places);
  int64_t high = (int64_t) ceil (NOTCH_PX * o->scale);
  high = CLAMP ((int64_t) (o->height / NOTCH_OF * o->scale), MIN ((int64_t) ceil (2 * o->scale), high), high);
  for (uint32_t i = from; i < to; i++) {
    uint32_t odd = SLOTS_MOST;
    for (uint32_t k = 0; k < slots->n; k++)
      if ((hidden >> k & 1) != 0 && most[i * places + k] >= MOSTLY && mean[i * places + k] < seen
          && (odd == SLOTS_MOST || mean[i * places + k] < mean[i * places + odd]))
        odd = k;
    if (odd == SLOTS_MOST)
      continue;
    uint32_t x0 = (uint32_t) (i * wide * o->scale), x1 = MIN ((uint32_t) ((i + 1) * wide * o->scale), width);
    for (int64_t y = 0; y < MIN (high, lines); y++)
      for (uint32_t x = x0; x < x1; x++)
        pixels[(uint64_t) y * stride + x] = solid[odd];
  }
}

void
odd_tell (const OddRow *o, const StateGraph *graph, double x, const char *(*who) (void *arg, uint32_t i), void *arg,
          GString *facts)
{
  const StateSlots *slots = o->slots;
  uint32_t met = 0, has_most[SLOTS_MOST] = { 0 };
  float least[SLOTS_MOST], most[SLOTS_MOST] = { 0 }, own[SLOTS_MOST];
  double mean[SLOTS_MOST] = { 0 };

  for (uint32_t k = 0; k < SLOTS_MOST; k++)
    least[k] = o->n_owners < o->n_members ? 0 : 1;
  for (uint32_t i = 0; i < o->n_owners; i++) {
    memset (own, 0, sizeof own);
    states_reader_shares (o->read, o->owners[i], axis_date_at (o->axis, floor (x)), o->axis->per_px, 1, 1,
                          &slots->palette, own, slots->stride, &met);
    for (uint32_t k = 0; k < slots->n; k++) {
      mean[k] += (double) own[k] / o->n_members;
      least[k] = MIN (least[k], own[k]);
      if (own[k] > most[k]) {
        most[k] = own[k];
        has_most[k] = i;
      }
    }
  }
  for (uint32_t k = 0; k < slots->n; k++)
    if (most[k] > 0.005f && (o->left_out >> k & 1) == 0)
      g_string_append_printf (facts, _ ("%s\t%.0f \u2013 %.*f \u2013 %.0f\u2009%%, most: %s\n"),
                              paint_slot_word (graph, STATE_NODE, slots, k), 100 * (double) least[k],
                              mean[k] < 0.01 ? 2 : 0, 100 * mean[k], 100 * (double) most[k], who (arg, has_most[k]));
}
