/* SPDX-License-Identifier: Apache-2.0 */
/* groups-deeds.c - what tasks did as numbers, and which did much the same.
 *
 * Clusters are found without chance: the first middle is the task that is most like the mean of all; the next one is
 * always the task that is furthest from its middle, until none is far, or there are enough.  Then middles move to the
 * means of those that are nearest to them, a few times. */
#include <math.h>
#include <string.h>
#include "views/four.h"
#include "views/groups.h"
#include "views/slots.h"

#define NUMBERS 64         /* a task */
#define CLUSTERS 24        /* at most */
#define MUCH_THE_SAME 0.08 /* of the time something else was done */
#define MOVES 6

/* Of every `every`th task. */
static float *
deeds_of (StatesReader *states, uint32_t n_tasks, uint32_t every, int64_t from, int64_t to, uint32_t *phases,
          uint32_t *stride)
{
  g_autofree uint32_t *owners = g_new (uint32_t, n_tasks + 1);
  StateSlots slots = { 0 };
  float *deeds;
  uint32_t met = 0, known = states_reader_owners (states);

  n_tasks = (n_tasks + every - 1) / every;
  for (uint32_t i = 0; i < n_tasks; i++)
    owners[i] = i * every;
  to = MAX (to, from + 1);
  slots_choose (&slots, states, owners, n_tasks, from, to);
  *stride = slots.stride;
  *phases = MAX (NUMBERS / slots.stride, 1);
  deeds = g_new0 (float, (size_t) MAX (n_tasks, 1) * *phases * *stride);
  for (uint32_t i = 0; i < n_tasks && owners[i] < known; i++)
    states_reader_shares (states, owners[i], from, ((double) to - (double) from) / *phases, *phases, 1, &slots.palette,
                          deeds + (size_t) i * *phases * *stride, *stride, &met);
  slots_clear (&slots);
  return deeds;
}

float *
groups_deeds (StatesReader *states, uint32_t n_tasks, int64_t from, int64_t to, uint32_t *phases, uint32_t *stride)
{
  return deeds_of (states, n_tasks, 1, from, to, phases, stride);
}

typedef int32_t FourBits __attribute__ ((vector_size (16)));
#define AT_ONCE 8 /* numbers; a task has a multiple of as many */

static inline Four
four_apart (const float *a, const float *b)
{
  Four d = four_at (a) - four_at (b);

  return (Four) ((FourBits) d & INT32_MAX); /* without its sign */
}

/* The share of the time in which two did something else, or something that is not less than `least` where it is not. */
static inline float
apart (const float *a, const float *b, uint32_t n, uint32_t phases, float least)
{
  Four x = { 0 }, y = { 0 };
  float enough = least * 2 * (float) phases * 1.001f; /* so that what rounding does decides nothing */

  for (uint32_t i = 0; i < n; i += AT_ONCE) {
    x += four_apart (a + i, b + i);
    y += four_apart (a + i + 4, b + i + 4);
    Four so_far = x + y;
    if (so_far[0] + so_far[1] + so_far[2] + so_far[3] > enough)
      return INFINITY;
  }
  Four all = x + y;
  return (all[0] + all[1] + (all[2] + all[3])) / (2 * (float) phases);
}

typedef struct Clusters {
  const float *deeds;
  uint32_t n_tasks, n, phases; /* n: numbers a task */
  float middle[CLUSTERS][NUMBERS + SLOTS_MOST];
  uint32_t n_middles;
  float between[CLUSTERS][CLUSTERS]; /* middles */
  uint32_t *of;                      /* by task */
  float *far;                        /* by task: from its middle */
} Clusters;

static inline float
apart_from (const Clusters *c, uint32_t task, uint32_t middle)
{
  return apart (c->deeds + (size_t) task * c->n, c->middle[middle], c->n, c->phases, c->far[task]);
}

/* From one middle to all. */
static void
measure_middle (Clusters *c, uint32_t middle)
{
  for (uint32_t k = 0; k < c->n_middles; k++)
    c->between[middle][k] = c->between[k][middle] = apart (c->middle[middle], c->middle[k], c->n, c->phases, INFINITY);
}

/* Of two middles that are as near the first one counts.  One that is more than twice as far from the task's own as the
 * task is cannot be nearer to it. */
static inline void
try_middle (Clusters *c, uint32_t task, uint32_t middle)
{
  if (c->between[c->of[task]][middle] > 2.001f * c->far[task])
    return;
  float d = apart_from (c, task, middle);

  if (d < c->far[task] || (d <= c->far[task] && middle < c->of[task])) {
    c->far[task] = d;
    c->of[task] = middle;
  }
}

/* All middles have moved: most tasks stay with theirs, which is near, so that the others need not be looked at to the
 * end.  False: nobody went to another one. */
static bool
assign (Clusters *c)
{
  bool changed = false;

  for (uint32_t k = 0; k < c->n_middles; k++)
    measure_middle (c, k);
  for (uint32_t i = 0; i < c->n_tasks; i++) {
    uint32_t was = c->of[i];
    c->far[i] = INFINITY;
    c->far[i] = apart_from (c, i, was);
    for (uint32_t k = 0; k < c->n_middles; k++)
      if (k != was)
        try_middle (c, i, k);
    changed |= c->of[i] != was;
  }
  return changed;
}

static void
groups_deeds_forget (Clusters *c)
{
  for (uint32_t i = 0; i < c->n_tasks; i++) {
    c->far[i] = INFINITY;
    c->of[i] = 0;
  }
}

static void
add_middle (Clusters *c, const float *at)
{
  memcpy (c->middle[c->n_middles++], at, c->n * sizeof *at);
  measure_middle (c, c->n_middles - 1);
  for (uint32_t i = 0; i < c->n_tasks; i++)
    try_middle (c, i, c->n_middles - 1);
}

/* Middles become means; those of nobody stay.  False: from now on nothing changes. */
static bool
move_middles (Clusters *c)
{
  g_autofree double *sum = g_new0 (double, (size_t) c->n_middles * c->n + 1);
  g_autofree uint32_t *count = g_new0 (uint32_t, c->n_middles + 1);

  for (uint32_t i = 0; i < c->n_tasks; i++) {
    count[c->of[i]]++;
    for (uint32_t k = 0; k < c->n; k++)
      sum[c->of[i] * c->n + k] += (double) c->deeds[(size_t) i * c->n + k];
  }
  for (uint32_t m = 0; m < c->n_middles; m++)
    for (uint32_t k = 0; count[m] > 0 && k < c->n; k++)
      c->middle[m][k] = (float) (sum[m * c->n + k] / count[m]);
  return assign (c);
}

static uint32_t
furthest (const Clusters *c)
{
  uint32_t best = 0;

  for (uint32_t i = 1; i < c->n_tasks; i++)
    if (c->far[i] > c->far[best])
      best = i;
  return best;
}

uint32_t *
groups_cluster (const float *deeds, uint32_t n_tasks, uint32_t phases, uint32_t stride, GArray **likest)
{
  g_autofree Clusters *c = g_new0 (Clusters, 1);
  g_autofree uint32_t *number = g_new (uint32_t, CLUSTERS);
  g_autofree float *near = g_new (float, CLUSTERS);

  *c = (Clusters){ .deeds = deeds, .n_tasks = n_tasks, .n = phases * stride, .phases = phases };
  c->of = g_new0 (uint32_t, n_tasks + 1);
  c->far = g_new0 (float, n_tasks + 1);
  *likest = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  if (n_tasks > 0) {
    c->n_middles = 1; /* the mean of all, and whom it is most like */
    move_middles (c);
    uint32_t typical = 0;
    for (uint32_t i = 1; i < n_tasks; i++)
      if (c->far[i] < c->far[typical])
        typical = i;
    c->n_middles = 0;
    groups_deeds_forget (c);
    add_middle (c, deeds + (size_t) typical * c->n);
    for (uint32_t next = furthest (c); c->n_middles < CLUSTERS && (double) c->far[next] > MUCH_THE_SAME;
         next = furthest (c))
      add_middle (c, deeds + (size_t) next * c->n);
    for (int i = 0; i < MOVES && move_middles (c);)
      i++;
  }
  memset (number, 255, CLUSTERS * sizeof *number);
  for (uint32_t i = 0; i < n_tasks; i++) {
    uint32_t m = c->of[i];
    if (number[m] == TRACE_NONE) {
      number[m] = (*likest)->len;
      near[m] = c->far[i];
      g_array_append_val (*likest, i);
    } else if (c->far[i] < near[m]) {
      near[m] = c->far[i];
      g_array_index (*likest, uint32_t, number[m]) = i;
    }
    c->of[i] = number[m];
  }
  g_free (c->far);
  return c->of;
}

GroupsClusters *
groups_clusters_new (StatesReader *states, uint32_t n_tasks, int64_t from, int64_t to, uint32_t every)
{
  GroupsClusters *c = g_new0 (GroupsClusters, 1);
  uint32_t phases, stride;
  g_autofree float *deeds = deeds_of (states, n_tasks, every, from, to, &phases, &stride);

  c->n_tasks = n_tasks;
  c->n_seen = (n_tasks + every - 1) / every;
  c->of = groups_cluster (deeds, c->n_seen, phases, stride, &c->likest);
  if (every == 1)
    return c;
  g_autofree uint32_t *seen = c->of;
  c->of = g_new (uint32_t, n_tasks + 1);
  for (uint32_t i = 0; i < n_tasks; i++)
    c->of[i] = i % every == 0 ? seen[i / every] : TRACE_NONE;
  for (guint i = 0; i < c->likest->len; i++)
    g_array_index (c->likest, uint32_t, i) *= every;
  return c;
}

void
groups_clusters_free (GroupsClusters *c)
{
  if (c == NULL)
    return;
  g_free (c->of);
  g_array_unref (c->likest);
  g_free (c);
}

double *
groups_losses (const Groups *g, const GroupsFrom *from)
{
  double *loss = g_new0 (double, g->n + 1);
  uint32_t phases = 0, stride = 0;
  g_autofree float *deeds = from->states != NULL ? groups_deeds (from->states, g->n_tasks, from->source->first,
                                                                 from->source->last, &phases, &stride)
                                                 : NULL;
  uint32_t n = phases * stride;
  g_autofree double *sum = g_new (double, n + 1), *square = g_new (double, n + 1);

  for (uint32_t i = 0; i < g->n; i++) {
    const Group *one = &g->all[i];
    if (deeds == NULL) {
      loss[i] = one->n;
      continue;
    }
    memset (sum, 0, n * sizeof *sum);
    memset (square, 0, n * sizeof *square);
    for (uint32_t k = 0; k < one->n; k++) {
      const float *of = deeds + (size_t) g->order[one->first + k] * n;
      for (uint32_t c = 0; c < n; c++) {
        sum[c] += (double) of[c];
        square[c] += (double) of[c] * (double) of[c];
      }
    }
    for (uint32_t c = 0; c < n; c++)
      loss[i] += MAX (square[c] - sum[c] * sum[c] / MAX (one->n, 1), 0);
  }
  return loss;
}
