/* SPDX-License-Identifier: Apache-2.0 */
/* sampled-work.c - what tasks say that they do, beside what somebody else has sampled of them meanwhile: of the time in
 * which a task said to work, how much its process really had of a processor.
 *
 * Changes of states and samples come on two inputs, of which either may be ahead of the other.  Both wait in queues,
 * and the earliest is taken once the other queue shows that nothing earlier comes: what is told does not depend on who
 * was ahead. */
#include <math.h>
#include "components/working.h"
#include "eve/words.h"
#include "readers/counted.h"
#include "statistics/graph.h"
#include "statistics/types.h"

#define MOST_TASKS (1u << 20)
#define MOST_WAITING (1u << 18) /* in a queue: more than any wire holds, so that who is behind has come by then */
#define MOST_UNKNOWN 4096       /* tasks of a trace that is not open */
#define AT_ONCE 256             /* data told in one call */

typedef struct Item {
  int64_t date;
  double share; /* of the time since the sample before; of samples only */
  uint32_t task;
  int32_t state; /* -1: it is a sample */
} Item;

typedef struct Queue {
  GArray *items; /* of Item */
  guint first;   /* of those that are still there */
} Queue;

typedef struct Task {
  int64_t since;   /* ticks: `worked` is counted until then */
  int64_t sampled; /* when it was last; INT64_MIN: never */
  int64_t worked;  /* since that */
  int64_t n, at_work, otherwise;
  double most, least, all; /* ticks that were sampled: at work at most and at least, and in all */
  int32_t state;           /* -1: not there yet */
  bool works;              /* by its state and the settings: not saved */
} Task;

typedef struct Sampled {
  EveBase base;
  char *states; /* settings */
  double whole;
  GHashTable *told;
  StateUntold untold;
  uint64_t wires;
  const StateGraph *graph;
  int attribute;
  GArray *tasks; /* of Task */
  Queue changes, samples;
  int64_t passed; /* the date of what was taken last */
  int64_t from;   /* samples that are dated earlier do not count; no run state */
  int64_t n_late; /* data that came after later ones had been taken */
  uint16_t source;
} Sampled;

static void sampled_take (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "Changes of the states of tasks, from the output of that name." },
  { "samples", &stats_type_datum, EVE_ASYNC, .on_datum = sampled_take, .required = true,
    .doc = "Numbers of tasks, each of the time since the sample before, of which *whole* is all, as those of an Event "
           "Presenter." },
};
enum { OUT_TABLE, OUT_SHARE };
static const EveOutSpec outs[] = {
  { "table", &stats_type_table,
    .doc = "A row for each task that was sampled: how long it said to work, and what was sampled meanwhile." },
  { "share", &stats_type_datum, .unit = "%", .capacity = 4 * AT_ONCE, .per_fire = AT_ONCE,
    .doc = "Of each sample of a task that has worked since the one before, which part of that work was sampled, at "
           "most." },
};
static const EveField settings[] = {
  { "states", EVE_F_STRING, offsetof (Sampled, states),
    .doc = "Which states count as work, such as Busy, Talking; empty: all in which a task neither rests nor waits." },
  { "whole", EVE_F_DOUBLE, offsetof (Sampled, whole), .min = 1e-9, .max = 1e15, .def = 1000,
    .doc = "The sample that says: all of the time." },
};

/* ---- queues ------------------------------------------------------------------------------------------------------ */

static inline const Item *
front (const Queue *q)
{
  return q->first < q->items->len ? &g_array_index (q->items, Item, q->first) : NULL;
}

static void
drop_front (Queue *q)
{
  q->first++;
  if (q->first == q->items->len) {
    g_array_set_size (q->items, 0);
    q->first = 0;
  } else if (q->first >= 1024 && q->first >= q->items->len / 2) {
    g_array_remove_range (q->items, 0, q->first);
    q->first = 0;
  }
}

/* Of what waits in both the queue with the earliest; samples first, as one tells of the time before.  NULL: none has.
 */
static Queue *
earliest (Queue *changes, Queue *samples)
{
  const Item *c = front (changes), *s = front (samples);

  return s != NULL && (c == NULL || s->date <= c->date) ? samples : c != NULL ? changes : NULL;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static bool
counts_as_work (Sampled *self, uint32_t task, int32_t state)
{
  return state >= 0
         && state_works (self->states,
                         self->attribute >= 0 ? state_value (self->graph->model, self->attribute, (uint32_t) state)
                                              : NULL,
                         &self->untold, self->source, task);
}

static inline void
sampled_work_need_bound (Sampled *self)
{
  if (G_LIKELY (!stats_wires_changed (&self->wires, (EveComponent *) self)))
    return;
  self->graph = stats_graph_above ((EveComponent *) self);
  self->attribute = self->graph ? state_with_role (self->graph->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  for (guint i = 0; i < self->tasks->len; i++) {
    Task *t = &g_array_index (self->tasks, Task, i);
    t->works = counts_as_work (self, i, t->state);
  }
}

static Task *
sampled_work_task_of (GArray *tasks, uint32_t task)
{
  Task fresh = { .since = INT64_MIN, .sampled = INT64_MIN, .state = -1 };

  while (tasks->len <= task)
    g_array_append_val (tasks, fresh);
  return &g_array_index (tasks, Task, task);
}

static void
sampled_work_pass_time (Task *t, int64_t date)
{
  if (date <= t->since)
    return;
  if (t->works)
    t->worked = trace_sum (t->worked, (int64_t) ((uint64_t) date - (uint64_t) t->since));
  t->since = date;
}

/* Takes one into account.  NaN, or which part of the work since the sample before was sampled, at most. */
static double
sampled_work_take (Sampled *self, GArray *tasks, const Item *i)
{
  Task *t = sampled_work_task_of (tasks, i->task);
  int64_t before = t->sampled, worked;

  sampled_work_pass_time (t, i->date);
  if (i->state >= 0) {
    t->state = i->state;
    t->works = counts_as_work (self, i->task, i->state);
    return NAN;
  }
  if (i->date <= before)
    return NAN;
  worked = t->worked;
  t->worked = 0;
  t->sampled = i->date;
  if (before == INT64_MIN || !(i->share >= 0)
      || i->date < self->from) /* of a time that nobody knows the beginning of; or not known itself */
    return NAN;
  double time = (double) i->date - (double) before, had = i->share / self->whole * time;
  double work = (double) worked, most = fmin (had, work);
  t->n++;
  t->at_work = trace_sum (t->at_work, worked);
  t->otherwise = trace_sum (t->otherwise, (int64_t) fmax (time - work, 0));
  t->most += most;
  t->least += fmin (fmax (had - fmax (time - work, 0), 0), work);
  t->all += had;
  return work > 0 ? 100 * most / work : NAN;
}

/* ---- what is told -------------------------------------------------------------------------------------------------- */

static bool
sampled_work_give_share (Sampled *self, const Item *i, double share)
{
  if (isnan (share))
    return false;
  StatsDatum d = { .date = i->date, .owner = i->task, .owner_kind = STATS_OF_TASK, .source = self->source };
  d.unit = g_intern_static_string ("%");
  d.value.real = share;
  eve_emit (self->base.out[OUT_SHARE], &d);
  return true;
}

/* The front of a queue; true: its share was told. */
static bool
take_front (Sampled *self, Queue *q, bool tell)
{
  const Item i = *front (q);

  drop_front (q);
  self->n_late += i.date < self->passed;
  self->passed = MAX (self->passed, i.date);
  double share = sampled_work_take (self, self->tasks, &i);
  return tell && sampled_work_give_share (self, &i, share);
}

static void
sampled_work_give_table (Sampled *self, const GArray *tasks, int64_t date)
{
  static const StatsColumn columns[] = {
    { "task", NULL, STATS_CELL_TEXT },       { "samples", NULL, STATS_CELL_WHOLE },
    { "at work", "s", STATS_CELL_REAL },     { "sampled then", "s", STATS_CELL_REAL },
    { "share", "%", STATS_CELL_REAL },       { "at least", "s", STATS_CELL_REAL },
    { "not at work", "s", STATS_CELL_REAL }, { "sampled otherwise", "s", STATS_CELL_REAL },
  };
  const TraceSource *s = trace_source (self->source);
  double tick = s != NULL ? 1 / (double) s->clock.ticks_per_second : 1;
  uint32_t n = 0, row = 0;

  for (guint i = 0; i < tasks->len; i++)
    n += g_array_index (tasks, Task, i).n > 0;
  eve_status ((EveComponent *) self, P_ ("%u task with samples", "%u tasks with samples", n), n);
  if (!eve_out_connected (self->base.out[OUT_TABLE]))
    return;
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, G_N_ELEMENTS (columns), n);
  t->date = date;
  t->source = self->source;
  for (guint i = 0; i < tasks->len; i++) {
    const Task *k = &g_array_index (tasks, Task, i);
    StatsDatum who = { .owner = i, .owner_kind = STATS_OF_TASK, .source = self->source };
    g_autoptr (GString) name = g_string_new (NULL);
    if (k->n <= 0)
      continue;
    stats_owner_name (&who, self->graph, name);
    stats_table_set_name (t, row, 0, name->str);
    stats_cell (t, row, 1)->whole = k->n;
    stats_cell (t, row, 2)->real = (double) k->at_work * tick;
    stats_cell (t, row, 3)->real = k->most * tick;
    stats_cell (t, row, 4)->real = k->at_work > 0 ? 100 * k->most / (double) k->at_work : NAN;
    stats_cell (t, row, 5)->real = k->least * tick;
    stats_cell (t, row, 6)->real = (double) k->otherwise * tick;
    stats_cell (t, row, 7)->real = fmax (k->all - k->most, 0) * tick;
    stats_table_set_owner (t, row, stats_owner_ref (&who, self->graph), (TraceRef){ 0 });
    row++;
  }
  eve_emit_steal (self->base.out[OUT_TABLE], &t);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

static void
wait_in (Sampled *self, Queue *q, Item i)
{
  g_array_append_val (q->items, i);
  if (q->items->len - q->first > MOST_WAITING)
    take_front (self, q, false);
}

/* At once, whichever comes: what waits is then the same however the two came beside each other. */
static void
take_known (Sampled *self)
{
  uint32_t told = 0;

  while (told < AT_ONCE && front (&self->changes) != NULL && front (&self->samples) != NULL)
    told += take_front (self, earliest (&self->changes, &self->samples), true);
}

static void
sampled_take (EveComponent *c, EveIn *in, const void *datum)
{
  Sampled *self = (Sampled *) c;
  const StatsDatum *d = datum;
  const TraceSource *s = trace_source (d->source);

  if (d->owner_kind != STATS_OF_TASK || d->date == INT64_MIN
      || d->owner >= (s != NULL ? MIN (s->tasks->len, MOST_TASKS) : MOST_UNKNOWN))
    return;
  if (d->source != self->source && !stats_same_trace (c, &self->source, d->source))
    return;
  sampled_work_need_bound (self);
  wait_in (self, &self->samples, (Item){ d->date, stats_datum_number (d), d->owner, -1 });
  take_known (self);
}

static void
sampled_fire (EveComponent *c)
{
  Sampled *self = (Sampled *) c;
  const StateChange *change = eve_take (self->base.in[0]);

  sampled_work_need_bound (self);
  if (G_UNLIKELY (change->source != self->source) && !stats_same_trace (c, &self->source, change->source))
    return;
  if (change->scope != STATE_NODE || change->object >= MOST_TASKS)
    return;
  wait_in (self, &self->changes,
           (Item){ change->date, 0, change->object, (int32_t) CLAMP (change->new_value, 0, UINT16_MAX) });
  take_known (self);
}

/* As if all that waits were taken now. */
static bool
sampled_at_rest (EveComponent *c, int64_t now)
{
  Sampled *self = (Sampled *) c;
  Queue changes = self->changes, samples = self->samples;

  sampled_work_need_bound (self);
  g_autoptr (GArray) tasks = earliest (&changes, &samples) ? g_array_copy (self->tasks) : g_array_ref (self->tasks);
  for (Queue *q; (q = earliest (&changes, &samples)) != NULL; q->first++)
    sampled_work_take (self, tasks, front (q));
  sampled_work_give_table (self, tasks, MAX (self->passed, trace_lasts_until (self->source, now)));
  return true;
}

static bool
sampled_at_end (EveComponent *c)
{
  Sampled *self = (Sampled *) c;
  const TraceSource *s = trace_source (self->source);
  uint32_t told = 0;

  sampled_work_need_bound (self);
  for (Queue *q; (q = earliest (&self->changes, &self->samples)) != NULL;) {
    if (told == AT_ONCE)
      return false;
    told += take_front (self, q, true);
  }
  if (self->attribute >= 0)
    state_tell_unknown (c, &self->told, self->states, &self->graph->model->attributes[self->attribute]);
  if (self->n_late > 0)
    eve_warn (c,
              _ ("%lld data came after later ones had been counted, and count from then on only; "
                 "connect both inputs to what comes from one reader."),
              (long long) self->n_late);
  sampled_work_give_table (self, self->tasks, s != NULL ? MAX (self->passed, s->last) : self->passed);
  return true;
}

/* ---- the component ------------------------------------------------------------------------------------------------- */

static void
sampled_reset (EveComponent *c)
{
  Sampled *self = (Sampled *) c;

  g_array_set_size (self->tasks, 0);
  g_array_set_size (self->changes.items, 0);
  g_array_set_size (self->samples.items, 0);
  self->changes.first = self->samples.first = 0;
  self->passed = self->from = INT64_MIN;
  self->n_late = 0;
  state_untold_clear (&self->untold);
  self->source = 0;
  self->wires = 0;
}

static bool
sampled_init (EveComponent *c)
{
  Sampled *self = (Sampled *) c;

  self->tasks = g_array_new (FALSE, TRUE, sizeof (Task));
  self->changes.items = g_array_new (FALSE, TRUE, sizeof (Item));
  self->samples.items = g_array_new (FALSE, TRUE, sizeof (Item));
  sampled_reset (c);
  return true;
}

static void
sampled_finish (EveComponent *c)
{
  Sampled *self = (Sampled *) c;

  g_array_unref (self->tasks);
  g_array_unref (self->changes.items);
  g_array_unref (self->samples.items);
  state_untold_clear (&self->untold);
  g_clear_pointer (&self->told, g_hash_table_unref);
}

static bool
sampled_changed (EveComponent *c, uint32_t setting)
{
  g_clear_pointer (&((Sampled *) c)->told, g_hash_table_unref);
  ((Sampled *) c)->wires = 0;
  return true;
}

static void
save_queue (const Queue *q, EveBlob *to)
{
  eve_put_int (to, q->items->len - q->first);
  for (guint k = q->first; k < q->items->len; k++) {
    const Item *i = &g_array_index (q->items, Item, k);
    eve_put_int (to, i->date);
    eve_put_double (to, i->share);
    eve_put_int (to, i->task);
    eve_put_int (to, i->state);
  }
}

static bool
load_queue (Queue *q, bool samples, EveBlobView *from)
{
  int64_t n = eve_get_int (from);

  if (!eve_get_ok (from) || n < 0 || n > MOST_WAITING)
    return false;
  for (int64_t k = 0; k < n; k++) {
    Item i = { .date = eve_get_int (from) };
    i.share = eve_get_double (from);
    int64_t task = eve_get_int (from), state = eve_get_int (from);
    if (!eve_get_ok (from) || task < 0 || task >= MOST_TASKS || state > UINT16_MAX
        || (samples ? state != -1 : state < 0))
      return false;
    i.task = (uint32_t) task;
    i.state = (int32_t) state;
    g_array_append_val (q->items, i);
  }
  return true;
}

static void
sampled_save (EveComponent *c, EveBlob *to)
{
  const Sampled *self = (const Sampled *) c;

  eve_put_int (to, self->tasks->len);
  for (guint i = 0; i < self->tasks->len; i++) {
    const Task *t = &g_array_index (self->tasks, Task, i);
    const int64_t whole[] = { t->since, t->sampled, t->worked, t->n, t->at_work, t->otherwise, t->state };
    eve_put_ints (to, whole, G_N_ELEMENTS (whole));
    eve_put_double (to, t->most);
    eve_put_double (to, t->least);
    eve_put_double (to, t->all);
  }
  save_queue (&self->changes, to);
  save_queue (&self->samples, to);
  eve_put_int (to, self->passed);
  eve_put_int (to, self->n_late);
  trace_put_source (eve_program (c), self->source, to);
}

static bool
sampled_load (EveComponent *c, EveBlobView *from)
{
  Sampled *self = (Sampled *) c;
  int64_t n = eve_get_int (from), whole[7];

  sampled_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (eve_get_ints (from, whole, G_N_ELEMENTS (whole)) != G_N_ELEMENTS (whole) || whole[2] < 0 || whole[3] < 0
        || whole[4] < 0 || whole[5] < 0 || whole[6] < -1 || whole[6] > UINT16_MAX)
      return false;
    Task t = { whole[0], whole[1], whole[2], whole[3], whole[4], whole[5], .state = (int32_t) whole[6] };
    t.most = eve_get_double (from);
    t.least = eve_get_double (from);
    t.all = eve_get_double (from);
    if (!eve_get_ok (from))
      return false;
    g_array_append_val (self->tasks, t);
  }
  if (!load_queue (&self->changes, false, from) || !load_queue (&self->samples, true, from))
    return false;
  self->passed = eve_get_int (from);
  self->n_late = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  return eve_get_ok (from);
}

/* Of a range: a sample counts where it is dated, whole, with the time since the one before. */
static void
sampled_begin (EveComponent *c, int64_t date)
{
  Sampled *self = (Sampled *) c;

  self->from = date;
  for (guint i = 0; i < self->tasks->len; i++) {
    Task *t = &g_array_index (self->tasks, Task, i);
    t->n = t->at_work = t->otherwise = 0;
    t->most = t->least = t->all = 0;
  }
}

static const void *
sampled_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { sampled_begin };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass sampled = {
  EVE_CLASS_HEAD,
  .id = "scope.sampled-work",
  .label = "Sampled Work",
  .category = "Analysis",
  .version = 1,
  .doc = "Of the time in which tasks said to work, how much was sampled of them, such as of a processor.",
  .help =
      "Connect the output `states` of a simulator, and to `samples` numbers that somebody else has measured of the "
      "same "
      "tasks at a rate, such as the field `cpu` of the events Sample of tape-pvm.  A sample is of the time since the "
      "one before, so that the first of each task only says where that begins; one below 0 is not known and left "
      "out.\n\n"
      "In the time of one sample a task may have worked and not worked, and the sample does not say when.  `sampled "
      "then` is what it can have had at most while it worked, which is right where it needs nothing while it waits; "
      "`at least` is what remains where it has had all it could while it did not work.  `share` is the first, in "
      "percent of the work.  `sampled otherwise` is what cannot have been work: a task that has a processor while "
      "it says to wait asks again and again.\n\n"
      "Where charts count a range alone, the samples that are dated in it count.\n\n"
      "Example: with the time that processes were ready without a processor as samples, it tells how much of the work "
      "was none.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Sampled),
  .init = sampled_init,
  .finish = sampled_finish,
  .reset = sampled_reset,
  .changed = sampled_changed,
  .fire = sampled_fire,
  .at_end = sampled_at_end,
  .at_rest = sampled_at_rest,
  .save = sampled_save,
  .load = sampled_load,
  .query = sampled_query,
};
EVE_PLUGIN (&sampled);
