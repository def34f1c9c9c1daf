/* SPDX-License-Identifier: Apache-2.0 */
/* activity.c - how much each task has worked of late, and for how long it has worked, or not, until now. */
#include <math.h>
#include "components/working.h"
#include "eve/words.h"
#include "readers/another.h"
#include "readers/counted.h"
#include "readers/live.h"
#include "statistics/graph.h"
#include "statistics/types.h"

#define MOST_TASKS (1u << 20)
#define STEPS 16             /* the window is looked at as often while it passes by */
#define SAMPLES_MOST 65536   /* of an execution */
#define AT_ONCE 256          /* data told in one call */
#define RANGE_STEP INT64_MAX /* no sample is due in a range, of which all is told at its end */

typedef struct Task {
  int64_t since;     /* of its state, ticks */
  int64_t turned;    /* since it works, or does not */
  int64_t worked;    /* ticks, until `since` */
  int32_t state;     /* -1: not there yet */
  bool works, lives; /* by its state and the settings: not saved */
  bool counts;       /* it has worked or waited once: machines that hold tasks never do */
} Task;

typedef struct Activity {
  EveBase base;
  char *states; /* settings */
  double last;
  GHashTable *told;
  StateUntold untold;
  uint64_t wires;
  const StateGraph *graph;
  int attribute;
  GArray *tasks;    /* of Task */
  int64_t *past;    /* what a task had worked by each of the last STEPS + 1 samples, these side by side */
  guint n_past;     /* tasks that there is room for */
  uint32_t next;    /* the task whose sample is told next, */
  uint32_t present; /* and whose present value, at rest and at the end */
  bool telling;     /* the sample that was taken last is not all told yet */
  int64_t sample;   /* how many were taken; number n is at first + n * step */
  int64_t first, step, date;
  uint16_t source;
  bool whole; /* all that comes from `first` on is looked at, as it is of a range; no run state */
} Activity;

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "Changes of the states of tasks, from the output of that name." },
};
enum { OUT_SHARE, OUT_ALL, OUT_STREAK };
static const EveOutSpec outs[] = {
  { "share", &stats_type_datum, .unit = "%", .capacity = 4 * AT_ONCE, .per_fire = AT_ONCE,
    .doc = "Of each task, which part of the last *last* seconds it was in *states*; sixteen times in as long, once so "
           "much time has passed." },
  { "all", &stats_type_datum, .unit = "%", .doc = "The mean of that over all tasks, from the beginning on." },
  { "streak", &stats_type_datum, .unit = "s", .capacity = 4 * AT_ONCE, .per_fire = AT_ONCE,
    .doc = "Of each task, how long it was in *states* without a break; less than nothing: out of them.  When it "
           "turns; at an instant, until then." },
};
static const EveField settings[] = {
  { "states", EVE_F_STRING, offsetof (Activity, states),
    .doc = "Which states count, such as Busy, Talking; empty: all in which a task neither rests nor waits." },
  { "last", EVE_F_DOUBLE, offsetof (Activity, last), .min = 0, .max = 1e9, .unit = "s",
    .doc = "How far back the share looks; 0: a tenth of the execution." },
};

/* ---- the model ------------------------------------------------------------------------------------------------------- */

static const StateValue *
activity_value_of (const Activity *self, int32_t state)
{
  return self->attribute >= 0 ? state_value (self->graph->model, self->attribute, (uint32_t) state) : NULL;
}

static bool
takes_part (const StateValue *v)
{
  return state_lives (v) && (v == NULL || v->sense != STATE_SENSE_REST);
}

static inline void
activity_need_bound (Activity *self)
{
  if (G_LIKELY (!stats_wires_changed (&self->wires, (EveComponent *) self)))
    return;
  self->graph = stats_graph_above ((EveComponent *) self);
  self->attribute = self->graph ? state_with_role (self->graph->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  for (guint i = 0; i < self->tasks->len; i++) {
    Task *t = &g_array_index (self->tasks, Task, i);
    const StateValue *v = t->state >= 0 ? activity_value_of (self, t->state) : NULL;
    t->works = t->state >= 0 && state_works (self->states, v, &self->untold, self->source, i);
    t->lives = t->state >= 0 && state_lives (v);
  }
}

static Task *
activity_task_of (Activity *self, uint32_t task)
{
  Task fresh = { .since = self->first, .turned = self->first, .state = -1 };

  while (self->tasks->len <= task)
    g_array_append_val (self->tasks, fresh);
  if (self->n_past < self->tasks->len) {
    guint n = MAX (2 * self->n_past, MAX (self->tasks->len, 64));
    self->past = g_renew (int64_t, self->past, (gsize) n * (STEPS + 1));
    memset (self->past + (gsize) self->n_past * (STEPS + 1), 0,
            (gsize) (n - self->n_past) * (STEPS + 1) * sizeof *self->past);
    self->n_past = n;
  }
  return &g_array_index (self->tasks, Task, task);
}

static int64_t *
past_of (const Activity *self, guint task, int64_t sample)
{
  return &self->past[(gsize) task * (STEPS + 1) + (gsize) (sample % (STEPS + 1))];
}

static int64_t
worked_by (const Task *t, int64_t date)
{
  return (int64_t) ((uint64_t) t->worked + (t->works ? (uint64_t) date - (uint64_t) t->since : 0));
}

static void
activity_choose_step (Activity *self, uint16_t source, int64_t date)
{
  const TraceSource *s = trace_source (source);
  double per_second = s != NULL ? (double) s->clock.ticks_per_second : 1, all = 0;

  self->sample = 1;
  if (self->whole) {
    self->step = RANGE_STEP;
    return;
  }
  self->first = s != NULL ? MIN (s->first, date) : date;
  if (s != NULL && s->last > self->first && !trace_may_grow (s)) /* else nobody knows how long it will be */
    all = (double) s->last - (double) self->first;
  double window = self->last > 0 ? self->last * per_second : all > 0 ? all / 10 : per_second;
  self->step = (int64_t) CLAMP (fmax (ceil (window / STEPS), ceil (all / SAMPLES_MOST)), 1, 0x1p60);
}

/* ---- samples --------------------------------------------------------------------------------------------------------- */

static int64_t
activity_date_of (const Activity *self, int64_t sample)
{
  return (int64_t) ((uint64_t) self->first + (uint64_t) sample * (uint64_t) self->step);
}

/* How many samples there are by then, taken or not. */
static int64_t
samples_by (const Activity *self, int64_t date)
{
  return self->step > 0 && date > self->first
             ? (int64_t) (((uint64_t) date - (uint64_t) self->first) / (uint64_t) self->step)
             : 0;
}

/* Of the time until `date`, by which there are so many samples, be they taken yet or not: nothing has come since. */
static bool
activity_share_of (const Activity *self, guint task, int64_t samples, int64_t date, double *share)
{
  const Task *t = &g_array_index (self->tasks, Task, task);
  int64_t from = MAX (samples - STEPS, 0), begins = activity_date_of (self, from);
  double all = (double) date - (double) begins;

  if (!t->counts || !(all > 0))
    return false;
  int64_t before = from < self->sample ? *past_of (self, task, from) : worked_by (t, begins);
  *share = 100 * (double) (int64_t) ((uint64_t) worked_by (t, date) - (uint64_t) before) / all;
  return true;
}

static StatsDatum
datum (const Activity *self, uint32_t task, double value, const char *unit, int64_t date)
{
  StatsDatum d = { .date = date, .owner = task, .source = self->source, .unit = unit };

  d.owner_kind = task == TRACE_NONE ? STATS_OF_ALL : STATS_OF_TASK;
  d.value.real = value;
  return d;
}

/* True: there was something to tell, as in the next. */
static bool
activity_give_share (Activity *self, guint task, int64_t samples, int64_t date)
{
  double share;

  if (!activity_share_of (self, task, samples, date, &share))
    return false;
  StatsDatum d = datum (self, task, share, g_intern_static_string ("%"), date);
  eve_emit (self->base.out[OUT_SHARE], &d);
  return true;
}

static bool
activity_give_all (Activity *self, int64_t samples, int64_t date)
{
  double sum = 0, share;
  uint32_t n = 0;

  if (!eve_out_connected (self->base.out[OUT_ALL]))
    return false;
  for (guint i = 0; i < self->tasks->len; i++)
    if (activity_share_of (self, i, samples, date, &share)) {
      sum += share;
      n++;
    }
  if (n == 0)
    return false;
  StatsDatum d = datum (self, TRACE_NONE, sum / n, g_intern_static_string ("%"), date);
  eve_emit (self->base.out[OUT_ALL], &d);
  return true;
}

/* Takes the one that is due; the tasks are told after it.  True: something was told. */
static bool
activity_take_sample (Activity *self)
{
  int64_t date = activity_date_of (self, self->sample);

  for (guint i = 0; i < self->tasks->len; i++)
    *past_of (self, i, self->sample) = worked_by (&g_array_index (self->tasks, Task, i), date);
  bool told = activity_give_all (self, self->sample, date);
  self->telling = self->sample >= STEPS && eve_out_connected (self->base.out[OUT_SHARE]);
  self->next = 0;
  self->sample++;
  return told;
}

/* A long time in which nothing comes: once the window lies in it, samples are alike, and only the last ones are taken.
 */
static void
skip_samples (Activity *self, int64_t date)
{
  int64_t to = samples_by (self, date);

  if (to - self->sample <= 2 * STEPS || self->sample <= STEPS + 1
      || activity_date_of (self, self->sample - STEPS - 1) < self->date)
    return;
  self->sample = to;
  for (int64_t k = to - STEPS; k < to; k++)
    for (guint i = 0; i < self->tasks->len; i++)
      *past_of (self, i, k) = worked_by (&g_array_index (self->tasks, Task, i), activity_date_of (self, k));
}

/* Goes on telling the samples that are due at `date`, as many as one firing may.  True: that is all; false: something
 * was told, and there is more. */
static bool
tell_samples (Activity *self, int64_t date)
{
  bool all = false;

  for (guint n = 0;;) {
    for (; self->telling && self->next < self->tasks->len && n < AT_ONCE; self->next++)
      n += activity_give_share (self, self->next, self->sample - 1, activity_date_of (self, self->sample - 1));
    self->telling = self->telling && self->next < self->tasks->len;
    if (self->telling)
      return false;
    if (samples_by (self, date) < self->sample)
      return true;
    if (n > 0 || all)
      return false;
    skip_samples (self, date);
    all = activity_take_sample (self);
  }
}

/* ---- changes --------------------------------------------------------------------------------------------------------- */

static void
give_streak (Activity *self, uint32_t task, int64_t date, bool unfinished)
{
  const Task *t = &g_array_index (self->tasks, Task, task);
  const TraceSource *s = trace_source (self->source);

  if (!t->counts || s == NULL || (!t->lives && !unfinished))
    return;
  double lasted = trace_clock_seconds (&s->clock, (int64_t) ((uint64_t) date - (uint64_t) t->turned));
  StatsDatum d = datum (self, task, !t->lives ? NAN : t->works ? lasted : -lasted, g_intern_static_string ("s"), date);
  d.unfinished = unfinished && t->lives; /* of one that is no more: nothing, in the place of what it had */
  eve_emit (self->base.out[OUT_STREAK], &d);
}

static void
activity_step (Activity *self, const StateChange *c)
{
  int32_t state = (int32_t) CLAMP (c->new_value, 0, UINT16_MAX);

  if (c->scope != STATE_NODE || c->object >= MOST_TASKS)
    return;
  Task *t = activity_task_of (self, c->object);
  const StateValue *v = activity_value_of (self, state);
  bool works = state_works (self->states, v, &self->untold, self->source, c->object), lives = state_lives (v);
  t->worked = worked_by (t, c->date);
  t->since = c->date;
  if (works != t->works || lives != t->lives || t->state < 0) {
    give_streak (self, c->object, c->date, false);
    t->turned = c->date;
  }
  t->state = state;
  t->works = works;
  t->lives = lives;
  if (!t->counts)
    t->counts = takes_part (v) && !trace_task_is_another (trace_source (self->source), c->object);
}

static void
activity_fire (EveComponent *c)
{
  Activity *self = (Activity *) c;
  const StateChange *change = eve_peek (self->base.in[0]);

  activity_need_bound (self);
  if (G_UNLIKELY (change->source != self->source) && !stats_same_trace (c, &self->source, change->source))
    return;
  if (G_UNLIKELY (self->step == 0))
    activity_choose_step (self, change->source, change->date);
  if (!tell_samples (self, change->date)) /* the change waits until that is told */
    return;
  self->date = change->date;
  activity_step (self, change);
  eve_take (self->base.in[0]);
}

/* ---- the present ----------------------------------------------------------------------------------------------------- */

static void
activity_status (Activity *self)
{
  const TraceSource *s = trace_source (self->source);

  if (self->step > 0 && s != NULL && !self->whole)
    eve_status ((EveComponent *) self,
                P_ ("%u task, the last %.3g\u2009s", "%u tasks, the last %.3g\u2009s", self->tasks->len),
                self->tasks->len, trace_clock_seconds (&s->clock, self->step * STEPS));
}

/* As it is at a date, after the samples that are due by then and that no change has called for yet: of those that lie
 * in the same state for longer than the window is long, the first ones are enough.  True: all is told. */
static bool
tell_present (Activity *self, int64_t date, bool unfinished)
{
  int64_t samples = samples_by (self, date), last = MIN (samples, self->sample + STEPS);
  guint end = MIN (self->present + AT_ONCE / (STEPS + 2), self->tasks->len);

  if (self->tasks->len == 0 || self->step == 0)
    return true;
  for (; self->present < end; self->present++) {
    for (int64_t k = MAX (self->sample, STEPS); k <= last; k++)
      activity_give_share (self, self->present, k, activity_date_of (self, k));
    activity_give_share (self, self->present, samples, date);
    give_streak (self, self->present, date, unfinished);
  }
  if (self->present < self->tasks->len)
    return false;
  activity_give_all (self, samples, date);
  self->present = 0;
  return true;
}

static bool
activity_at_rest (EveComponent *c, int64_t now)
{
  Activity *self = (Activity *) c;
  int64_t date = MAX (self->date, trace_lasts_until (self->source, now));

  activity_need_bound (self);
  if (!tell_present (self, date, true))
    return false;
  activity_status (self);
  return true;
}

/* Samples go on to the end of the trace. */
static bool
activity_at_end (EveComponent *c)
{
  Activity *self = (Activity *) c;
  const TraceSource *s = trace_source (self->source);
  int64_t end = s != NULL ? MAX (self->date, s->last) : self->date;

  activity_need_bound (self);
  if (self->step > 0 && !tell_samples (self, end))
    return false;
  if (!tell_present (self, end, false))
    return false;
  if (self->attribute >= 0)
    state_tell_unknown (c, &self->told, self->states, &self->graph->model->attributes[self->attribute]);
  activity_status (self);
  return true;
}

/* ---- the component --------------------------------------------------------------------------------------------------- */

static void
activity_reset (EveComponent *c)
{
  Activity *self = (Activity *) c;

  g_array_set_size (self->tasks, 0);
  g_clear_pointer (&self->past, g_free);
  self->n_past = 0;
  self->next = self->present = 0;
  state_untold_clear (&self->untold);
  self->telling = false;
  self->sample = self->step = 0;
  self->whole = false;
  self->first = self->date = INT64_MIN;
  self->source = 0;
  self->wires = 0;
}

static bool
activity_init (EveComponent *c)
{
  ((Activity *) c)->tasks = g_array_new (FALSE, TRUE, sizeof (Task));
  activity_reset (c);
  return true;
}

static void
activity_finish (EveComponent *c)
{
  activity_reset (c);
  g_array_unref (((Activity *) c)->tasks);
  g_clear_pointer (&((Activity *) c)->told, g_hash_table_unref);
}

/* A rest may have been broken off. */
static void
activity_start (EveComponent *c)
{
  ((Activity *) c)->present = 0;
}

static bool
activity_changed (EveComponent *c, uint32_t setting)
{
  g_clear_pointer (&((Activity *) c)->told, g_hash_table_unref);
  ((Activity *) c)->wires = 0;
  return true;
}

static void
activity_save (EveComponent *c, EveBlob *to)
{
  const Activity *self = (const Activity *) c;

  eve_put_int (to, self->tasks->len);
  for (guint i = 0; i < self->tasks->len; i++) {
    const Task *t = &g_array_index (self->tasks, Task, i);
    eve_put_int (to, t->state);
    eve_put_int (to, t->since);
    eve_put_int (to, t->turned);
    eve_put_int (to, t->worked);
    eve_put_int (to, t->counts);
    eve_put_ints (to, self->past + (gsize) i * (STEPS + 1), STEPS + 1);
  }
  eve_put_int (to, self->telling ? (int64_t) self->next : -1);
  eve_put_int (to, self->sample);
  eve_put_int (to, self->first);
  eve_put_int (to, self->step);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
activity_load (EveComponent *c, EveBlobView *from)
{
  Activity *self = (Activity *) c;
  int64_t n = eve_get_int (from);

  activity_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    Task *t = activity_task_of (self, (uint32_t) i);
    int64_t state = eve_get_int (from);
    t->since = eve_get_int (from);
    t->turned = eve_get_int (from);
    t->worked = eve_get_int (from);
    t->counts = eve_get_int (from) != 0;
    if (!eve_get_ok (from) || state < -1 || state > UINT16_MAX
        || eve_get_ints (from, self->past + (gsize) i * (STEPS + 1), STEPS + 1) != STEPS + 1)
      return false;
    t->state = (int32_t) state;
  }
  int64_t next = eve_get_int (from);
  self->sample = eve_get_int (from);
  self->first = eve_get_int (from);
  self->step = eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  self->telling = next >= 0;
  self->next = self->telling ? (uint32_t) CLAMP (next, 0, n) : 0;
  if (!eve_get_ok (from) || self->sample < 0 || self->step < 0 || (n > 0 && self->step == 0))
    return false;
  /* those that were due have been taken: one that was not would be taken for each step there is */
  int64_t due = samples_by (self, self->date);
  return self->sample <= INT64_MAX / 2 && due >= 0 && due <= self->sample + 1;
}

/* Of a range the share is that of all of it, and what lasts is told since it began. */
static void
activity_begin (EveComponent *c, int64_t date)
{
  Activity *self = (Activity *) c;

  activity_need_bound (self);
  for (guint i = 0; i < self->tasks->len; i++) {
    Task *t = &g_array_index (self->tasks, Task, i);
    *past_of (self, i, 0) = worked_by (t, MAX (date, t->since));
    t->turned = MAX (t->turned, date);
  }
  self->whole = true;
  self->telling = false;
  self->next = self->present = 0;
  self->sample = 1;
  self->first = date;
  self->date = MAX (self->date, date);
  if (self->step > 0)
    self->step = RANGE_STEP;
}

static const void *
activity_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { activity_begin };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass activity = {
  EVE_CLASS_HEAD,
  .id = "scope.activity",
  .label = "Activity",
  .category = "Analysis",
  .version = 1,
  .doc = "How much each task has worked of late, and for how long it has worked, or not, until now.",
  .help = "Connect the output `states` of a simulator.  `share` to a Kiviat diagram shows how evenly tasks work; `all` "
          "as the x of a Scatter and what is under way as its y is a phase portrait; `streak` to Bars shows who has "
          "worked, or waited, for how long without a break.  The time that a share is of begins at a sixteenth of "
          "*last*, so that between two samples it is up to a sixteenth longer.  Tasks that only ever rest, such as "
          "machines that hold others, are left out.\n\n"
          "Where charts count a range alone, the share is that of all of it, and a streak that began earlier begins "
          "with it.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Activity),
  .init = activity_init,
  .finish = activity_finish,
  .reset = activity_reset,
  .start = activity_start,
  .changed = activity_changed,
  .fire = activity_fire,
  .at_end = activity_at_end,
  .at_rest = activity_at_rest,
  .save = activity_save,
  .load = activity_load,
  .query = activity_query,
};
EVE_PLUGIN (&activity);
