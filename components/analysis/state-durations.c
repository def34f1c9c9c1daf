/* SPDX-License-Identifier: Apache-2.0 */
/* state-durations.c - how long tasks stay in which states: each stay when it ends, and a table of them all. */
#include <glib.h>
#include "components/events.h"
#include "statistics/graph.h"
#include "statistics/numbers.h"
#include "statistics/types.h"

#define MOST_STATES 16
#define MOST_TASKS (1u << 20)
#define MOST_ROWS 4096 /* of the matrix */

typedef struct Stay {
  int64_t since, spent[MOST_STATES];
  int16_t state; /* -1: not there yet */
} Stay;

typedef struct Durations {
  EveBase base;
  char *states;
  int64_t every;
  bool warned;
  const StateAttribute *attribute; /* State of the tasks; NULL: not bound */
  uint32_t wanted;                 /* states that are given, as bits */
  uint32_t life;                   /* states that count in the life of a task: all but Dead, and the like */
  const char *unit;                /* "s", interned */
  Stay *stay;
  uint32_t n_stays, n_seen; /* room, and tasks met: one more than the largest number */
  uint64_t seen, given;
  int64_t date;
  uint8_t source;
} Durations;

static void durations_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "Changes of the states of tasks, from the output of that name." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, durations_give, .doc = "Any datum: give the table now." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .unit = "s", .doc = "How long a task was in a state, when it leaves it." },
  { "dated", &stats_type_datum, .unit = "s", .doc = "The same with the date of leaving, and the task." },
  { "table", &stats_type_table, .doc = "For each task the time in each state, and its share of the task's life." },
  { "balance", &stats_type_matrix, .unit = "%",
    .doc = "The same shares as a matrix: a row for each task, or from 4097 tasks on for several, with their means." },
};
static const EveField settings[] = {
  { "states", EVE_F_STRING, offsetof (Durations, states),
    .doc = "Only stays in these states, such as Idle, Talking, are given one by one; empty: in all." },
  { "every", EVE_F_INT64, offsetof (Durations, every), .min = 0, .max = 1e15, .def = 4096,
    .doc = "Give the table after so many changes, more often at first; 0: at the end only." },
};
static const EveField state[] = {
  { "warned", EVE_F_BOOL, offsetof (Durations, warned) },
};

static void
durations_reset (EveComponent *c)
{
  Durations *self = (Durations *) c;

  g_clear_pointer (&self->stay, g_free);
  self->n_stays = self->n_seen = 0;
  self->seen = self->given = 0;
  self->date = INT64_MIN;
  self->attribute = NULL;
  self->source = 0;
}

static bool
durations_init (EveComponent *c)
{
  durations_reset (c);
  return true;
}

static uint32_t
n_states (const Durations *self)
{
  return MIN (self->attribute->n_values, MOST_STATES);
}

/* The table of states is that of the simulator above; without one they have numbers. */
static void
durations_bind (Durations *self)
{
  static const StateValue numbers[] = { { "0" }, { "1" }, { "2" }, { "3" }, { "4" }, { "5" }, { "6" }, { "7" } };
  static const StateAttribute unknown = {
    .name = "State", .scope = STATE_NODE, .kind = STATE_ENUM, STATE_VALUES (numbers)
  };
  const StateGraph *g = stats_graph_above ((EveComponent *) self);
  int i = g ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;

  self->attribute = i >= 0 ? &g->model->attributes[i] : &unknown;
  self->wanted = self->life = 0;
  self->unit = g_intern_static_string ("s");
  for (uint32_t n = 0; n < n_states (self); n++) {
    if (i < 0 || state_counts (g->model, STATE_NODE, n))
      self->life |= 1u << n;
    if (!self->states[0] || list_has (self->states, self->attribute->values[n].name))
      self->wanted |= 1u << n;
  }
  if (!self->wanted && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, "No state is called “%s”; nothing is given one by one.", self->states);
  }
}

/* Time in state `k` until `date`. */
static double
seconds (const TraceSource *s, const Stay *t, uint32_t k, int64_t date)
{
  uint64_t running = t->state == (int) k && date > t->since ? (uint64_t) date - (uint64_t) t->since : 0;
  int64_t spent = (int64_t) ((uint64_t) t->spent[k] + running); /* a run state may say anything */

  return s ? trace_clock_seconds (&s->clock, spent) : (double) spent;
}

/* A row for each task, or for 2, 4, 8, ... of them, which has the means of their shares. */
static StatsMatrix *
balance (const Durations *self, const StatsTable *t, uint32_t k_states)
{
  uint32_t shift = 0, rows;

  while (t->n_rows > 0 && (t->n_rows - 1) >> shift >= MOST_ROWS)
    shift++;
  rows = t->n_rows > 0 ? ((t->n_rows - 1) >> shift) + 1 : 0;
  StatsMatrix *m = stats_matrix_new (t->title, "%", rows, k_states);
  m->means = true;
  m->date = t->date;
  m->source = t->source;
  for (uint32_t k = 0; k < k_states; k++)
    stats_matrix_name (m, true, k, self->attribute->values[k].name);
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t first = row << shift, end = MIN (first + (1u << shift), t->n_rows);
    g_autofree char *several = g_strdup_printf ("%s \u2026 %s", stats_cell (t, first, 0)->text,
                                                stats_cell (t, end - 1, 0)->text);
    stats_matrix_name (m, false, row, end - first > 1 ? several : stats_cell (t, first, 0)->text);
    for (uint32_t k = 0; k < k_states; k++) {
      double sum = 0;
      uint32_t n = 0;
      for (uint32_t i = first; i < end; i++) {
        double x = stats_cell (t, i, 1 + k_states + k)->real;
        sum += isnan (x) ? 0 : x;
        n += !isnan (x);
      }
      m->values[(size_t) row * k_states + k] = n > 0 ? sum / n : NAN;
    }
  }
  return m;
}

static void
tell (Durations *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  uint32_t n = 0, k_states;
  g_autofree StatsColumn *columns = NULL;

  if (!eve_out_connected (self->base.out[2]) && !eve_out_connected (self->base.out[3]))
    return;
  if (!self->attribute)
    durations_bind (self);
  k_states = n_states (self);
  for (uint32_t i = 0; i < self->n_seen; i++)
    n += self->stay[i].state >= 0;
  columns = g_new0 (StatsColumn, 2 * k_states + 1);
  columns[0] = (StatsColumn){ "task", NULL, STATS_CELL_TEXT };
  for (uint32_t k = 0; k < k_states; k++) {
    columns[1 + k] = (StatsColumn){ self->attribute->values[k].name, "s", STATS_CELL_REAL };
    columns[1 + k_states + k] = (StatsColumn){ self->attribute->values[k].name, "%", STATS_CELL_REAL };
  }
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, 2 * k_states + 1, n);
  t->date = date;
  t->source = self->source;
  for (uint32_t i = 0, row = 0; i < self->n_seen; i++) {
    const Stay *stay = &self->stay[i];
    double life = 0;
    if (stay->state < 0)
      continue;
    stats_table_set_text (t, row, 0, s ? trace_task_name (s, i) : "?");
    for (uint32_t k = 0; k < k_states; k++)
      life += self->life >> k & 1 ? seconds (s, stay, k, date) : 0;
    for (uint32_t k = 0; k < k_states; k++) {
      double x = seconds (s, stay, k, date);
      stats_cell (t, row, 1 + k)->real = x;
      if (life > 0 && self->life >> k & 1)
        stats_cell (t, row, 1 + k_states + k)->real = 100 * x / life;
    }
    row++;
  }
  if (eve_out_connected (self->base.out[3])) {
    StatsMatrix *m = balance (self, t, k_states);
    eve_emit_steal (self->base.out[3], &m);
  }
  eve_emit_steal (self->base.out[2], &t);
}

static void
give (Durations *self, int64_t date)
{
  self->given = self->seen;
  tell (self, date);
}

static void
durations_give (EveComponent *c, EveIn *in, const void *datum)
{
  give ((Durations *) c, ((Durations *) c)->date);
}

static Stay *
stay_of (Durations *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return NULL;
  if (task >= self->n_stays) {
    uint32_t more = MAX (task + 1, self->n_stays * 2 + 16);
    self->stay = g_renew (Stay, self->stay, more);
    for (; self->n_stays < more; self->n_stays++)
      self->stay[self->n_stays] = (Stay){ .state = -1 };
  }
  self->n_seen = MAX (self->n_seen, task + 1);
  return &self->stay[task];
}

static void
leave (Durations *self, uint32_t task, Stay *t, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  uint64_t stretch = (uint64_t) date - (uint64_t) t->since;
  StatsDatum d = { .date = date, .owner = task, .owner_kind = STATS_OF_TASK, .source = self->source };

  t->spent[t->state] = (int64_t) ((uint64_t) t->spent[t->state] + stretch);
  t->since = date;
  if (!(self->wanted >> t->state & 1)
      || (!eve_out_connected (self->base.out[0]) && !eve_out_connected (self->base.out[1])))
    return;
  d.value.real = s ? trace_clock_seconds (&s->clock, (int64_t) stretch) : (double) (int64_t) stretch;
  d.unit = self->unit;
  eve_emit (self->base.out[0], &d.value.real);
  eve_emit (self->base.out[1], &d);
}

static void
durations_step (Durations *self, const StateChange *c)
{
  Stay *t;

  if (G_UNLIKELY (!self->attribute))
    durations_bind (self);
  self->date = c->date;
  self->source = c->source;
  if (c->scope != STATE_NODE || c->new_value < 0 || c->new_value >= MOST_STATES || !(t = stay_of (self, c->object)))
    return;
  if (t->state >= 0)
    leave (self, c->object, t, c->date);
  t->since = c->date;
  t->state = (int16_t) c->new_value;
  if (number_is_due (++self->seen, self->every))
    give (self, c->date);
}

static void
durations_fire (EveComponent *c)
{
  durations_step ((Durations *) c, eve_take (eve_base (c)->in[0]));
}

static void
durations_fire_span (EveComponent *c, uint32_t n)
{
  const StateChange *change = eve_take_span (eve_base (c)->in[0], n);

  for (uint32_t i = 0; i < n; i++)
    durations_step ((Durations *) c, &change[i]);
}

/* Stays that no event ends, end with the trace. */
static bool
durations_at_end (EveComponent *c)
{
  Durations *self = (Durations *) c;
  const TraceSource *s = trace_source (self->source);

  give (self, self->n_seen && s ? MAX (self->date, s->last) : self->date);
  eve_status (c, "%llu changes of %u tasks", (unsigned long long) self->seen, self->n_seen);
  return true;
}

/* Stays in progress count as far as they have come. */
static bool
durations_at_rest (EveComponent *c, int64_t now)
{
  Durations *self = (Durations *) c;

  if (self->n_seen) {
    tell (self, MAX (self->date, now));
    eve_status (c, "%llu changes of %u tasks", (unsigned long long) self->seen, self->n_seen);
  }
  return true;
}

/* Wires and settings may have changed: names of states are looked up again. */
static void
durations_start (EveComponent *c)
{
  ((Durations *) c)->attribute = NULL;
}

static bool
durations_changed (EveComponent *c, uint32_t setting)
{
  ((Durations *) c)->attribute = NULL;
  ((Durations *) c)->warned = false;
  return true;
}

static void
durations_save (EveComponent *c, EveBlob *to)
{
  const Durations *self = (const Durations *) c;

  eve_put_int (to, self->n_seen);
  for (uint32_t i = 0; i < self->n_seen; i++) {
    eve_put_int (to, self->stay[i].since);
    eve_put_int (to, self->stay[i].state);
    eve_put_ints (to, self->stay[i].spent, MOST_STATES);
  }
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->date);
  stats_put_source (self->source, to);
}

static bool
durations_load (EveComponent *c, EveBlobView *from)
{
  Durations *self = (Durations *) c;
  int64_t n = eve_get_int (from);

  durations_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS)
    return false;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    Stay *t = stay_of (self, (uint32_t) i);
    t->since = eve_get_int (from);
    int64_t now = eve_get_int (from);
    if (now < -1 || now >= MOST_STATES || eve_get_ints (from, t->spent, MOST_STATES) != MOST_STATES)
      return false;
    t->state = (int16_t) now;
  }
  self->seen = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = stats_get_source (from);
  return eve_get_ok (from);
}

static const EveClass durations = {
  EVE_CLASS_HEAD,
  .id = "scope.state-durations",
  .label = "State Durations",
  .category = "Analysis",
  .version = 1,
  .doc = "How long tasks stay in which states, one by one and summed up.",
  .help = "Connect the output `states` of a simulator. Each stay in one of *states* is given when it ends, with its "
          "task. The "
          "table has the time each task spent in each state until now (at the end: until the last event of the trace), "
          "and its "
          "share of the task's life; time spent Dead, or not yet born, is no part of it (thesis, tables 2.13 and "
          "2.14). It is given "
          "after 1, 2, 4, "
          "... changes, then after each *every*, at the end, and when a datum comes to `give`.\n\n"
          "Example: *states* `Idle`, followed by a Histogram, shows how long tasks are blocked at a time.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Durations),
  .init = durations_init,
  .finish = durations_reset,
  .start = durations_start,
  .reset = durations_reset,
  .changed = durations_changed,
  .fire = durations_fire,
  .fire_span = durations_fire_span,
  .at_end = durations_at_end,
  .at_rest = durations_at_rest,
  .save = durations_save,
  .load = durations_load,
};
EVE_PLUGIN (&durations);
