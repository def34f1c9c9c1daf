/* SPDX-License-Identifier: Apache-2.0 */
/* shares.c - how much of each slice of time tasks spend in states that count: what landscapes and tubes are made of. */
#include <math.h>
#include <string.h>
#include "statistics/list.h"
#include "eve/words.h"
#include "views/scene/scene.h"

void
scene_shares_clear (SceneShares *s)
{
  g_free (s->layer);
  g_free (s->which);
  g_free (s->tasks);
  g_free (s->first);
  g_free (s->part);
  g_free (s->share);
  g_free (s->slot);
  *s = (SceneShares){ 0 };
}

/* Whether a slot counts, and whether time in it is life: a bit each. */
static void
sort_slots (const SceneView *v, const ViewScene *scene, uint32_t *counts, uint32_t *lives)
{
  *counts = *lives = 0;
  for (uint32_t k = 0; k < v->slots.n; k++) {
    uint32_t state = v->slots.state[k];
    StateSense sense = state == SLOTS_OTHERS ? STATE_SENSE_NONE : paint_state_sense (scene->graph, STATE_NODE, state);
    bool counted = *v->counted != '\0'
                       ? stats_list_has (v->counted, paint_slot_name (scene->graph, STATE_NODE, &v->slots, k))
                       : sense != STATE_SENSE_GONE && sense != STATE_SENSE_REST && sense != STATE_SENSE_WAITS;
    *counts |= counted ? 1u << k : 0;
    *lives |= sense != STATE_SENSE_GONE ? 1u << k : 0;
  }
}

static double
shares_sum_of (const float *shares, uint32_t n, uint32_t which)
{
  double sum = 0;

  for (uint32_t k = 0; k < n; k++)
    sum += (which >> k & 1) != 0 ? (double) shares[k] : 0;
  return sum;
}

/* Those who live at all in that time. */
static void
shares_find_tasks (SceneView *v, SceneShares *s, uint32_t lives)
{
  float *of = g_newa (float, v->slots.stride);
  uint32_t met = 0;

  s->tasks = g_new (uint32_t, s->n_owners + 1);
  for (uint32_t i = 0; i < s->n_owners; i++) {
    memset (of, 0, v->slots.stride * sizeof *of);
    states_reader_shares (v->states, i, s->from, (double) s->to - (double) s->from, 1, 1, &v->slots.palette, of,
                          v->slots.stride, &met);
    if (shares_sum_of (of, v->slots.n, lives) > 0)
      s->tasks[s->n_tasks++] = i;
  }
}

/* A row for each task, or part of the cut; where these are more than `most`, for some that follow each other. */
static void
make_rows (const ViewScene *scene, SceneShares *s, uint32_t most)
{
  const Groups *g = scene->groups;
  g_autoptr (GArray) units = g_array_new (FALSE, FALSE, sizeof (uint32_t)); /* where each begins */
  g_autofree uint32_t *lives = g_new0 (uint32_t, s->n_owners + 1), *part = g_new (uint32_t, s->n_tasks + 1);
  uint32_t n = 0;

  for (uint32_t i = 0; i < s->n_tasks; i++) {
    lives[s->tasks[i]] = 1;
    if (g == NULL)
      g_array_append_val (units, i);
  }
  for (uint32_t k = 0; g != NULL && k < g->n_parts; k++) {
    uint32_t begin = n;
    for (uint32_t i = g->parts[k].first; i < g->parts[k].first + g->parts[k].n; i++)
      if (g->order[i] < s->n_owners && lives[g->order[i]] == 1) {
        lives[g->order[i]] = 2;
        part[n] = k;
        s->tasks[n++] = g->order[i];
      }
    if (n > begin)
      g_array_append_val (units, begin);
  }
  s->n_tasks = g != NULL ? n : s->n_tasks;
  s->per_row = MAX ((units->len + most - 1) / most, 1);
  s->n_rows = (units->len + s->per_row - 1) / s->per_row;
  s->first = g_new (uint32_t, s->n_rows + 1);
  for (uint32_t row = 0; row < s->n_rows; row++)
    s->first[row] = g_array_index (units, uint32_t, row * s->per_row);
  s->first[s->n_rows] = s->n_tasks;
  if (g != NULL)
    s->part = g_steal_pointer (&part);
}

static void
count_row (SceneView *v, SceneShares *s, uint32_t row, uint32_t counts, uint32_t lives, float *of)
{
  uint32_t first = s->first[row], end = s->first[row + 1], met = 0, stride = v->slots.stride;

  memset (of, 0, (gsize) s->n_bins * stride * sizeof *of);
  for (uint32_t i = first; i < end; i++)
    states_reader_shares (v->states, s->tasks[i], s->from, s->width, s->n_bins, 1, &v->slots.palette, of, stride, &met);
  for (uint32_t b = 0; b < s->n_bins; b++) {
    const float *here = &of[(gsize) b * stride];
    gsize at = (gsize) row * s->n_bins + b;
    uint8_t best = UINT8_MAX;
    for (uint32_t k = 0; k < v->slots.n; k++)
      if ((lives >> k & 1) != 0 && here[k] > 0 && (best == UINT8_MAX || here[k] > here[best]))
        best = (uint8_t) k;
    s->slot[at] = best;
    s->share[at] = best != UINT8_MAX ? (float) (shares_sum_of (here, v->slots.n, counts) / (end - first)) : NAN;
  }
}

/* The names of states are known by and by: what counts hangs on them. */
static uint64_t
serial_of (const ViewScene *scene)
{
  const StateGraph *g = scene->graph;
  int a = g != NULL ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;

  return a >= 0 ? 1 + g->model->attributes[a].n_values : 0;
}

const SceneShares *
scene_shares (SceneView *v, const ViewScene *scene, uint32_t most, uint32_t n_bins)
{
  SceneShares *s = &v->shares;
  int64_t from, to, reach = states_reader_reach (v->states);
  uint32_t owners = states_reader_owners (v->states), counts, lives;

  scene_range (scene, &from, &to);
  if (g_strcmp0 (s->layer, v->states_layer) == 0 && g_strcmp0 (s->which, v->counted) == 0 && s->from == from
      && s->to == to && s->reach == reach && s->n_owners == owners && s->most == most && s->n_bins == n_bins
      && s->model == serial_of (scene) && s->cut == (scene->groups != NULL ? scene->groups->serial : 0))
    return s;
  scene_shares_clear (s);
  *s = (SceneShares){ .layer = g_strdup (v->states_layer),
                      .which = g_strdup (v->counted),
                      .from = from,
                      .to = to,
                      .reach = reach,
                      .model = serial_of (scene),
                      .n_owners = owners,
                      .most = most,
                      .n_bins = n_bins,
                      .cut = scene->groups != NULL ? scene->groups->serial : 0,
                      .width = ((double) to - (double) from) / n_bins };
  g_autofree uint32_t *all = g_new (uint32_t, owners + 1);
  for (uint32_t i = 0; i < owners; i++)
    all[i] = i;
  slots_choose (&v->slots, v->states, all, owners, from, to);
  sort_slots (v, scene, &counts, &lives);
  shares_find_tasks (v, s, lives);
  make_rows (scene, s, most);
  s->share = g_new (float, (gsize) s->n_rows *n_bins + 1);
  s->slot = g_new (uint8_t, (gsize) s->n_rows * n_bins + 1);
  g_autofree float *of = g_new (float, (gsize) n_bins * v->slots.stride + 1);
  for (uint32_t row = 0; row < s->n_rows; row++)
    count_row (v, s, row, counts, lives, of);
  return s;
}

/* Of a task in `tasks`, or of the part that it is in. */
static char *
shares_name_at (const SceneView *v, const ViewScene *scene, uint32_t i)
{
  const SceneShares *s = &v->shares;
  char *part = s->part != NULL && scene->groups != NULL && scene->groups->serial == s->cut
                   ? groups_part_name (scene->groups, s->part[i])
                   : NULL;

  return part != NULL ? part : g_strdup (names_name (v->names, scene->source, s->tasks[i]));
}

char *
scene_row_name (SceneView *v, const ViewScene *scene, uint32_t row)
{
  const SceneShares *s = &v->shares;

  if (row >= s->n_rows)
    return g_strdup ("");
  g_autofree char *first = shares_name_at (v, scene, s->first[row]),
                  *last = shares_name_at (v, scene, s->first[row + 1] - 1);

  return stats_name_of_several (first, last, strcmp (first, last) != 0);
}

TraceRef
scene_row_owner (const SceneView *v, const ViewScene *scene, uint32_t row)
{
  const SceneShares *s = &v->shares;

  return trace_ref_task (scene->source->number,
                         s->first[row + 1] - s->first[row] == 1 ? scene_row_task (s, row) : TRACE_NONE);
}

void
scene_add_row_owners (const SceneView *v, const ViewScene *scene, uint32_t row, TraceRefs *to)
{
  const SceneShares *s = &v->shares;

  for (uint32_t i = row < s->n_rows ? s->first[row] : 0; row < s->n_rows && i < s->first[row + 1]; i++)
    trace_refs_add (to, trace_ref_task (scene->source->number, s->tasks[i]));
}

bool
scene_row_is_chosen (const SceneView *v, const ViewScene *scene, uint32_t row)
{
  const SceneShares *s = &v->shares;

  for (uint32_t i = s->first[row]; trace_refs_n (scene->selection) > 0 && i < s->first[row + 1]; i++)
    if (view_stands_out (scene, trace_ref_task (scene->source->number, s->tasks[i])))
      return true;
  return false;
}

const char *
scene_shares_together (const SceneShares *s)
{
  return s->n_rows < s->n_tasks ? _ (", some put together: means") : "";
}

const char *
scene_counted (const SceneView *v)
{
  return *v->counted != '\0' ? v->counted : "work";
}

void
scene_legend (SceneView *v, SceneModel *m, const uint32_t *in_state)
{
  StateSlots *s = &v->slots;
  uint32_t n = 0;

  scene_shares_clear (&v->shares); /* they go by the slots */
  slots_clear (s);
  for (uint32_t state = 0; state <= HISTORY_STATES_MOST; state++)
    n += in_state[state] > 0;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t best = UINT32_MAX;
    if (n <= SLOTS_MOST) { /* in the order of the model */
      for (uint32_t state = k > 0 ? s->state[k - 1] + 1 : 0; best == UINT32_MAX; state++)
        best = in_state[state] > 0 ? state : UINT32_MAX;
    } else if (k < SLOTS_MOST - 1) { /* those in which most are */
      for (uint32_t state = 0; state <= HISTORY_STATES_MOST; state++) {
        bool taken = false;
        for (uint32_t i = 0; i < k; i++)
          taken |= s->state[i] == state;
        if (!taken && in_state[state] > 0 && (best == UINT32_MAX || in_state[state] > in_state[best]))
          best = state;
      }
    } else {
      s->state[s->n++] = SLOTS_OTHERS;
      s->n_others = n - k;
      m->met |= 1u << k;
      break;
    }
    s->state[s->n++] = best;
    m->met |= 1u << k;
  }
}
