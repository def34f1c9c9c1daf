/* SPDX-License-Identifier: Apache-2.0 */
/* concurrency.c - how many tasks are in which state at a time, and for how long so many were. */
#include <math.h>
#include <string.h>
#include "readers/another.h"
#include "readers/counted.h"
#include "components/working.h"
#include "eve/words.h"
#include "statistics/dates.h"
#include "statistics/graph.h"
#include "statistics/moments.h"
#include "statistics/types.h"

#define MOST_TASKS (1u << 20)
#define MOST_STATES 64     /* those that are kept apart; all further ones are the last */
#define MOST_TOGETHER 4096 /* counts that are kept apart; of more, 2, 4, 8, ... that follow each other are one */

typedef struct Count {
  uint32_t now, most;
  int64_t since;    /* ticks: as many for so long */
  double sum, lost; /* ticks of all that were in it, until `since`: sum + lost */
  GArray *time;     /* int64_t, by how many >> `shift`: ticks in which it was so many */
} Count;

typedef struct Concurrency {
  EveBase base;
  char *states; /* setting */
  GHashTable *told;
  StateUntold untold;
  uint64_t wires;
  const StateGraph *graph;
  int attribute;
  GArray *tasks;            /* int32_t, by task: its state, or -1 */
  Count count[MOST_STATES]; /* by state */
  bool wanted[MOST_STATES]; /* counted in `dated` */
  uint32_t n_left_out;      /* tasks in such a state whose type does not tell of it */
  bool life[MOST_STATES];   /* a state that somebody lives in */
  uint32_t shift;           /* 2^shift counts are one */
  uint32_t n_states;        /* met */
  int64_t first, date;
  uint8_t known[MOST_STATES]; /* `wanted` and `life` are looked up */
  uint16_t source;
} Concurrency;

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "Changes of the states of tasks, from the output of that name." },
};
static const EveOutSpec outs[] = {
  { "dated", &stats_type_datum, .doc = "How many tasks are in *states*, whenever it changes." },
  { "table", &stats_type_table,
    .doc = "For each state how many tasks are in it now, the most so far, and the mean over the time." },
  { "profile", &stats_type_matrix, .unit = "%",
    .doc = "The share of the time in which 0, 1, 2, ... tasks were in each state at once." },
  { "meter", &stats_type_matrix,
    .doc =
        "How many tasks are in each state: a row for now, one for the mean over the time; a column for each state." },
};
static const EveField settings[] = {
  { "states", EVE_F_STRING, offsetof (Concurrency, states),
    .doc = "Which states `dated` counts, such as Busy, Talking; empty: all in which it neither rests nor waits." },
};

/* ---- states ------------------------------------------------------------------------------------------------------------- */

static inline uint32_t
concurrency_place_of (int64_t state)
{
  return (uint32_t) MIN (state, MOST_STATES - 1);
}

static const StateValue *
concurrency_value_of (const Concurrency *self, uint32_t k)
{
  return self->attribute >= 0 ? state_value (self->graph->model, self->attribute, k) : NULL;
}

static void
concurrency_look_up (Concurrency *self, uint32_t k)
{
  self->known[k] = 1;
  self->life[k] = state_lives (concurrency_value_of (self, k));
  self->wanted[k] = state_may_work (self->states, concurrency_value_of (self, k));
}

/* Whether a task that is in a state which is counted is not, as nobody tells what those of its type do in it. */
static bool
concurrency_is_left_out (Concurrency *self, uint32_t task, int32_t state)
{
  uint32_t k = state >= 0 ? concurrency_place_of (state) : 0;

  return state >= 0 && !*self->states && self->wanted[k]
         && state_is_untold (&self->untold, self->source, task, concurrency_value_of (self, k));
}

static void
count_left_out (Concurrency *self)
{
  self->n_left_out = 0;
  for (guint i = 0; i < self->tasks->len; i++)
    self->n_left_out += concurrency_is_left_out (self, i, g_array_index (self->tasks, int32_t, i));
}

static inline void
concurrency_need_bound (Concurrency *self)
{
  if (G_LIKELY (!stats_wires_changed (&self->wires, (EveComponent *) self)))
    return;
  self->graph = stats_graph_above ((EveComponent *) self);
  self->attribute = self->graph ? state_with_role (self->graph->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  memset (self->known, 0, sizeof self->known);
  for (uint32_t k = 0; k < self->n_states; k++)
    concurrency_look_up (self, k);
  state_untold_ask (&self->untold, self->source);
  count_left_out (self);
}

static const char *
concurrency_name_of (const Concurrency *self, uint32_t k)
{
  return k == MOST_STATES - 1   ? "others"
         : self->attribute >= 0 ? state_value (self->graph->model, self->attribute, k)->name
                                : "?";
}

/* ---- counting ----------------------------------------------------------------------------------------------------------- */

/* Twice as many counts become one. */
static void
concurrency_put_together (Concurrency *self)
{
  self->shift++;
  for (uint32_t k = 0; k < self->n_states; k++) {
    GArray *time = self->count[k].time;
    for (guint n = 1; n < time->len; n++) {
      int64_t *to = &g_array_index (time, int64_t, n / 2), own = g_array_index (time, int64_t, n);
      *to = (int64_t) ((n % 2 ? (uint64_t) *to : 0) + (uint64_t) own);
    }
    g_array_set_size (time, (time->len + 1) / 2);
  }
}

static int64_t *
time_at (Concurrency *self, Count *c, uint32_t n)
{
  while (n >> self->shift > MOST_TOGETHER)
    concurrency_put_together (self);
  n >>= self->shift;
  if (n >= c->time->len)
    g_array_set_size (c->time, n + 1);
  return &g_array_index (c->time, int64_t, n);
}

static void
concurrency_pass_time (Concurrency *self, Count *c, int64_t date)
{
  int64_t *time = time_at (self, c, c->now), passed = (int64_t) ((uint64_t) date - (uint64_t) c->since);

  *time = (int64_t) ((uint64_t) *time + (uint64_t) passed);
  if (c->now > 0)
    stats_sum_add (&c->sum, &c->lost, (double) passed * c->now);
  c->since = date;
}

static void
concurrency_change (Concurrency *self, int32_t state, int by, int64_t date)
{
  uint32_t k = concurrency_place_of (state);
  Count *c = &self->count[k];

  for (; self->n_states <= k; self->n_states++)
    self->count[self->n_states] = (Count){ .since = self->first, .time = g_array_new (FALSE, TRUE, sizeof (int64_t)) };
  if (!self->known[k])
    concurrency_look_up (self, k);
  concurrency_pass_time (self, c, date);
  c->now = (uint32_t) ((int64_t) c->now + by);
  c->most = MAX (c->most, c->now);
}

static uint32_t
in_wanted (const Concurrency *self)
{
  uint32_t n = 0;

  for (uint32_t k = 0; k < self->n_states; k++)
    n += self->wanted[k] ? self->count[k].now : 0;
  return n - self->n_left_out;
}

static void
concurrency_step (Concurrency *self, const StateChange *c)
{
  int32_t none = -1, state = (int32_t) CLAMP (c->new_value, 0, UINT16_MAX);

  if (G_UNLIKELY (c->source != self->source)) {
    if (!stats_same_trace ((EveComponent *) self, &self->source, c->source))
      return;
    const TraceSource *s = trace_source (self->source);
    self->first = s != NULL ? MIN (s->first, c->date) : c->date;
  }
  self->date = c->date;
  if (c->scope != STATE_NODE || c->object >= MOST_TASKS)
    return;
  while (self->tasks->len <= c->object)
    g_array_append_val (self->tasks, none);
  int32_t *now = &g_array_index (self->tasks, int32_t, c->object);
  if (*now < 0 && trace_task_is_another (trace_source (self->source), c->object))
    return;
  uint32_t before = in_wanted (self);
  if (G_UNLIKELY (state_untold_ask (&self->untold, self->source)))
    count_left_out (self);
  self->n_left_out -= concurrency_is_left_out (self, c->object, *now);
  if (*now >= 0)
    concurrency_change (self, *now, -1, c->date);
  concurrency_change (self, state, 1, c->date);
  self->n_left_out += concurrency_is_left_out (self, c->object, state);
  *now = state;
  uint32_t after = in_wanted (self);
  if (after != before && eve_out_connected (self->base.out[0])) {
    StatsDatum d = { .date = c->date, .owner = TRACE_NONE, .source = self->source, .is_whole = 1 };
    d.value.whole = after;
    eve_emit (self->base.out[0], &d);
  }
}

static void
concurrency_fire (EveComponent *c)
{
  concurrency_need_bound ((Concurrency *) c);
  concurrency_step ((Concurrency *) c, eve_take (eve_base (c)->in[0]));
}

/* ---- what is given -------------------------------------------------------------------------------------------------------- */

/* Ticks in which so many, >> `shift`, were in a state, until `date`. */
static double
concurrency_time_of (const Concurrency *self, uint32_t k, uint32_t n, int64_t date)
{
  const Count *c = &self->count[k];
  double past = n < c->time->len ? (double) g_array_index (c->time, int64_t, n) : 0;

  return past + (c->now >> self->shift == n ? (double) date - (double) c->since : 0);
}

static bool
concurrency_is_shown (const Concurrency *self, uint32_t k)
{
  return self->life[k] && self->count[k].most > 0;
}

static TraceRef
concurrency_owner_of (const Concurrency *self, uint32_t k)
{
  return self->attribute >= 0 && k < MOST_STATES - 1
             ? trace_ref_value (self->graph->model->attributes[self->attribute].name, concurrency_name_of (self, k))
             : (TraceRef){ 0 };
}

/* The mean number of tasks in a state over the time until `date`; NaN: no time has passed. */
static double
mean_of (const Concurrency *self, uint32_t k, int64_t date)
{
  const Count *c = &self->count[k];
  double all = (double) date - (double) self->first;

  return all > 0 ? (c->sum + c->lost + c->now * ((double) date - (double) c->since)) / all : NAN;
}

static void
concurrency_give_table (Concurrency *self, int64_t date, uint32_t n_shown)
{
  static const StatsColumn columns[] = { { "state", NULL, STATS_CELL_TEXT, STATS_STATES },
                                         { "tasks now", NULL, STATS_CELL_WHOLE },
                                         { "most", NULL, STATS_CELL_WHOLE },
                                         { "mean", NULL, STATS_CELL_REAL } };
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, G_N_ELEMENTS (columns), n_shown);
  uint32_t row = 0;

  t->date = date;
  t->source = self->source;
  for (uint32_t k = 0; k < self->n_states; k++) {
    const Count *c = &self->count[k];
    if (!concurrency_is_shown (self, k))
      continue;
    stats_table_set_text (t, row, 0, concurrency_name_of (self, k));
    stats_cell (t, row, 1)->whole = c->now;
    stats_cell (t, row, 2)->whole = c->most;
    stats_cell (t, row, 3)->real = mean_of (self, k, date);
    if (concurrency_owner_of (self, k).type != TRACE_REF_NONE)
      stats_table_set_owner (t, row, concurrency_owner_of (self, k), (TraceRef){ 0 });
    row++;
  }
  eve_emit_steal (self->base.out[1], &t);
}

/* Names the `column`th column of a matrix after the `k`th state. */
static void
concurrency_name_column (const Concurrency *self, StatsMatrix *m, uint32_t column, uint32_t k)
{
  stats_matrix_name (m, true, column, concurrency_name_of (self, k));
  if (concurrency_owner_of (self, k).type != TRACE_REF_NONE)
    stats_matrix_set_owners (m, true, column, concurrency_owner_of (self, k), 1);
}

static void
give_profile (Concurrency *self, int64_t date, uint32_t n_shown)
{
  uint32_t most = 0, column = 0;
  double all = (double) date - (double) self->first;

  for (uint32_t k = 0; k < self->n_states; k++)
    most = concurrency_is_shown (self, k) ? MAX (most, self->count[k].most >> self->shift) : most;
  StatsMatrix *m = stats_matrix_new (eve_name ((EveComponent *) self), "%", most + 1, n_shown);
  m->date = date;
  m->source = self->source;
  for (uint32_t n = 0; n <= most; n++) {
    uint32_t first = n << self->shift, last = ((n + 1) << self->shift) - 1; /* data: of no language */
    g_autofree char *name = first < last ? g_strdup_printf ("%u \u2026 %u", first, last) : g_strdup_printf ("%u", n);
    stats_matrix_name (m, false, n, name);
  }
  for (uint32_t k = 0; k < self->n_states; k++) {
    if (!concurrency_is_shown (self, k))
      continue;
    concurrency_name_column (self, m, column, k);
    for (uint32_t n = 0; n <= most; n++)
      m->values[(size_t) n * n_shown + column] = all > 0 ? 100 * concurrency_time_of (self, k, n, date) / all : NAN;
    column++;
  }
  eve_emit_steal (self->base.out[2], &m);
}

static void
give_meter (Concurrency *self, int64_t date, uint32_t n_shown)
{
  StatsMatrix *m = stats_matrix_new (eve_name ((EveComponent *) self), NULL, 2, n_shown);
  uint32_t column = 0;

  m->date = date;
  m->source = self->source;
  stats_matrix_name (m, false, 0, "now");
  stats_matrix_name (m, false, 1, "mean so far");
  for (uint32_t k = 0; k < self->n_states; k++) {
    if (!concurrency_is_shown (self, k))
      continue;
    concurrency_name_column (self, m, column, k);
    m->values[column] = self->count[k].now;
    m->values[n_shown + column] = mean_of (self, k, date);
    column++;
  }
  eve_emit_steal (self->base.out[3], &m);
}

static void
concurrency_give (Concurrency *self, int64_t date)
{
  uint32_t n_shown = 0;

  concurrency_need_bound (self);
  for (uint32_t k = 0; k < self->n_states; k++)
    n_shown += concurrency_is_shown (self, k);
  if (self->tasks->len > 0 && eve_out_connected (self->base.out[1]))
    concurrency_give_table (self, date, n_shown);
  if (self->tasks->len > 0 && eve_out_connected (self->base.out[2]))
    give_profile (self, date, n_shown);
  if (self->tasks->len > 0 && eve_out_connected (self->base.out[3]))
    give_meter (self, date, n_shown);
  eve_status ((EveComponent *) self, P_ ("%u task", "%u tasks", self->tasks->len), self->tasks->len);
}

static bool
concurrency_at_rest (EveComponent *c, int64_t now)
{
  Concurrency *self = (Concurrency *) c;

  concurrency_give (self, MAX (self->date, trace_lasts_until (self->source, now)));
  return true;
}

static bool
concurrency_at_end (EveComponent *c)
{
  Concurrency *self = (Concurrency *) c;
  const TraceSource *s = trace_source (self->source);

  concurrency_need_bound (self);
  if (self->attribute >= 0)
    state_tell_unknown (c, &self->told, self->states, &self->graph->model->attributes[self->attribute]);
  concurrency_give (self, s != NULL ? MAX (self->date, s->last) : self->date);
  return true;
}

/* ---- the component -------------------------------------------------------------------------------------------------------- */

static void
concurrency_reset (EveComponent *c)
{
  Concurrency *self = (Concurrency *) c;

  for (uint32_t k = 0; k < self->n_states; k++)
    g_array_unref (self->count[k].time);
  self->n_states = self->shift = self->n_left_out = 0;
  g_array_set_size (self->tasks, 0);
  state_untold_clear (&self->untold);
  self->first = self->date = INT64_MIN;
  self->source = 0;
  self->wires = 0;
}

static bool
concurrency_init (EveComponent *c)
{
  ((Concurrency *) c)->tasks = g_array_new (FALSE, FALSE, sizeof (int32_t));
  concurrency_reset (c);
  return true;
}

static void
concurrency_finish (EveComponent *c)
{
  concurrency_reset (c);
  g_array_unref (((Concurrency *) c)->tasks);
  g_clear_pointer (&((Concurrency *) c)->told, g_hash_table_unref);
}

static bool
concurrency_changed (EveComponent *c, uint32_t setting)
{
  g_clear_pointer (&((Concurrency *) c)->told, g_hash_table_unref);
  ((Concurrency *) c)->wires = 0;
  return true;
}

static void
concurrency_save (EveComponent *c, EveBlob *to)
{
  const Concurrency *self = (const Concurrency *) c;

  eve_put_int (to, self->tasks->len);
  for (guint i = 0; i < self->tasks->len; i++)
    eve_put_int (to, g_array_index (self->tasks, int32_t, i));
  eve_put_int (to, self->shift);
  eve_put_int (to, self->n_states);
  for (uint32_t k = 0; k < self->n_states; k++) {
    eve_put_int (to, self->count[k].most);
    eve_put_int (to, self->count[k].since);
    eve_put_double (to, self->count[k].sum);
    eve_put_double (to, self->count[k].lost);
    eve_put_int (to, self->count[k].time->len);
    eve_put_ints (to, (const int64_t *) (const void *) self->count[k].time->data, self->count[k].time->len);
  }
  eve_put_int (to, self->first);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
load_count (Count *c, EveBlobView *from)
{
  int64_t most = eve_get_int (from), since = eve_get_int (from);

  c->sum = eve_get_double (from);
  c->lost = eve_get_double (from);
  int64_t n = eve_get_int (from);
  if (!eve_get_ok (from) || most < 0 || most > MOST_TASKS || n < 0 || n > MOST_TOGETHER + 1)
    return false;
  c->most = (uint32_t) most;
  c->since = since;
  g_array_set_size (c->time, (guint) n);
  return eve_get_ints (from, (int64_t *) (void *) c->time->data, (size_t) n) == (size_t) n;
}

static bool
concurrency_load (EveComponent *c, EveBlobView *from)
{
  Concurrency *self = (Concurrency *) c;
  int64_t n = eve_get_int (from);

  concurrency_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    int64_t state = eve_get_int (from);
    int32_t small = (int32_t) state;
    if (!eve_get_ok (from) || state < -1 || state > UINT16_MAX)
      return false;
    g_array_append_val (self->tasks, small);
  }
  int64_t shift = eve_get_int (from), n_states = eve_get_int (from);
  if (!eve_get_ok (from) || shift < 0 || shift > 31 || MOST_TASKS >> shift == 0 || n_states < 0
      || n_states > MOST_STATES)
    return false;
  self->shift = (uint32_t) shift;
  for (; self->n_states < n_states; self->n_states++)
    self->count[self->n_states] = (Count){ .time = g_array_new (FALSE, TRUE, sizeof (int64_t)) };
  for (uint32_t k = 0; k < self->n_states; k++)
    if (!load_count (&self->count[k], from))
      return false;
  for (guint i = 0; i < self->tasks->len; i++) {
    int32_t state = g_array_index (self->tasks, int32_t, i);
    if (state >= 0 && concurrency_place_of (state) >= self->n_states)
      return false;
    if (state >= 0)
      self->count[concurrency_place_of (state)].now++;
  }
  for (uint32_t k = 0; k < self->n_states; k++)
    self->count[k].most = MAX (self->count[k].most, self->count[k].now);
  self->first = eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

/* Who is in which state stays known. */
static void
concurrency_begin (EveComponent *c, int64_t date)
{
  Concurrency *self = (Concurrency *) c;

  self->first = self->date = date;
  self->shift = 0;
  for (uint32_t k = 0; k < self->n_states; k++) {
    Count *count = &self->count[k];
    g_array_set_size (count->time, 0);
    *count = (Count){ .since = date, .now = count->now, .most = count->now, .time = count->time };
  }
}

static const void *
concurrency_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { concurrency_begin };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass concurrency = {
  EVE_CLASS_HEAD,
  .id = "scope.concurrency",
  .label = "Concurrency",
  .category = "Analysis",
  .version = 2, /* 2: sums and how many counts are one are saved */
  .doc = "How many tasks are in which state at a time, and for how long so many were.",
  .help = "Connect the output `states` of a simulator.  `dated` to a Curve is the utilization over time: how many "
          "tasks are "
          "busy, or in what *states* says.  `profile` to a Matrix is the concurrency profile: for which share of the "
          "time 0, "
          "1, 2, ... tasks were in each state at once; a column adds up to 100 %.  The time begins with the execution. "
          " States "
          "that are no life are left out; 64 are kept apart, and counts up to 4096; where more tasks are in one state, "
          "counts that follow each "
          "other share "
          "a row, 2, 4, 8, ... of them.  The table and the profile are given when time stands still, and at the "
          "end.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Concurrency),
  .init = concurrency_init,
  .finish = concurrency_finish,
  .reset = concurrency_reset,
  .changed = concurrency_changed,
  .fire = concurrency_fire,
  .at_end = concurrency_at_end,
  .at_rest = concurrency_at_rest,
  .save = concurrency_save,
  .load = concurrency_load,
  .query = concurrency_query,
};
EVE_PLUGIN (&concurrency);
