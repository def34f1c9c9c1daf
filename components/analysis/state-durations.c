/* SPDX-License-Identifier: Apache-2.0 */
/* state-durations.c - how long tasks stay in which states: each stay when it ends, and a table of them all. */
#include <glib.h>
#include <string.h>
#include "readers/another.h"
#include "readers/counted.h"
#include "components/working.h"
#include "eve/words.h"
#include "statistics/dates.h"
#include "statistics/graph.h"
#include "statistics/numbers.h"
#include "statistics/types.h"

#define MOST_COLUMNS 64 /* states that the table keeps apart */
#define MOST_TASKS (1u << 20)
#define MOST_ROWS 4096 /* of the matrix */

typedef struct Stay {
  int64_t since;
  int32_t state; /* -1: not there yet */
} Stay;

typedef struct Durations {
  EveBase base;
  char *states, *from_text, *to_text;
  int64_t every;
  bool work;        /* setting */
  int64_t from, to; /* ticks; INT64_MIN, INT64_MAX: not set */
  GHashTable *told; /* names of `states` that are none */
  StateUntold untold;
  uint64_t wires;                  /* when `attribute` was looked up */
  const StateModel *model;         /* NULL: of no simulator */
  const StateAttribute *attribute; /* State of the tasks */
  uint32_t n_values;               /* those that it had then */
  bool *wanted;                    /* by state: given one by one; of others that come later all are, or none */
  bool all_wanted, by_work;
  uint64_t life;    /* states with a column that count in the life of a task, all but Dead and the like, as bits */
  const char *unit; /* "s", interned */
  Stay *stay;
  int64_t *spent; /* n_columns + 1 of each task, the last of all states that have no column and count */
  uint32_t n_columns;
  uint32_t n_stays, n_seen; /* room, and tasks met: one more than the largest number */
  uint32_t next;            /* the task whose stay is told next, at rest and at the end */
  uint64_t seen, given;
  int64_t date;
  uint16_t source; /* 0: nothing has come */
  bool warned;     /* that changes were left out before they came here */
  bool told_outside;
} Durations;

static void durations_give (EveComponent *c, EveIn *in, const void *datum);

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "Changes of the states of tasks, from the output of that name." },
  { "give", &eve_type_pulse, EVE_ASYNC, EVE_CONTROL, durations_give, .doc = "Any datum: give the table now." },
};
static const EveOutSpec outs[] = {
  { "value", &eve_type_double, .unit = "s",
    .doc = "How long a task was in a state, when it leaves it, or the trace ends." },
  { "dated", &stats_type_datum, .unit = "s",
    .doc = "The same with the date, and the task; at an instant also the stays that last, as long as they are." },
  { "table", &stats_type_table, .doc = "For each task the time in each state, and its share of the task's life." },
  { "balance", &stats_type_matrix, .unit = "%",
    .doc = "The same shares as a matrix: a row for each task, or from 4097 tasks on for several, with their means." },
};
enum { STATES, EVERY, FROM, TO, WORK };
static const EveField settings[] = {
  [STATES] = { "states", EVE_F_STRING, offsetof (Durations, states),
               .doc = "Only stays in these states, such as Idle, Talking, are given one by one; empty: in all." },
  [EVERY] = { "every", EVE_F_INT64, offsetof (Durations, every), .min = 0, .max = 1e15, .def = 4096,
              .doc = "Give the table after so many changes, more often at first and, when it has many rows, less "
                     "often; 0: at the "
                     "end only." },
  [FROM] = { "from", EVE_F_STRING, offsetof (Durations, from_text), .unit = "s",
             .doc = "Only the time from this date on; empty: from the beginning." },
  [TO] = { "to", EVE_F_STRING, offsetof (Durations, to_text), .unit = "s",
           .doc = "Only the time until this date; empty: until the end." },
  [WORK] = { "work", EVE_F_BOOL, offsetof (Durations, work),
             .doc =
                 "Where *states* is empty only stays in states in which a task neither rests nor waits are given one "
                 "by one." },
};

static void
durations_reset (EveComponent *c)
{
  Durations *self = (Durations *) c;

  g_clear_pointer (&self->stay, g_free);
  g_clear_pointer (&self->spent, g_free);
  self->n_columns = 0;
  self->n_stays = self->n_seen = self->next = 0;
  self->seen = self->given = 0;
  self->date = INT64_MIN;
  self->wires = 0;
  state_untold_clear (&self->untold);
  self->source = 0;
  self->warned = false;
}

static void
durations_forget (EveComponent *c)
{
  Durations *self = (Durations *) c;

  self->wires = 0;
  g_clear_pointer (&self->wanted, g_free);
  g_clear_pointer (&self->told, g_hash_table_unref);
}

static void
durations_finish (EveComponent *c)
{
  durations_reset (c);
  durations_forget (c);
}

static bool
durations_init (EveComponent *c)
{
  durations_reset (c);
  return true;
}

/* Makes room for as many columns in what was spent; what a state without a column has spent stays where it is. */
static void
state_durations_widen (Durations *self, uint32_t n_columns)
{
  int64_t *wider = g_new0 (int64_t, (size_t) self->n_stays * (n_columns + 1));

  for (uint32_t i = 0; i < self->n_stays; i++) {
    memcpy (wider + (size_t) i * (n_columns + 1), self->spent + (size_t) i * (self->n_columns + 1),
            self->n_columns * sizeof *wider);
    wider[(size_t) i * (n_columns + 1) + n_columns] = self->spent[(size_t) i * (self->n_columns + 1) + self->n_columns];
  }
  g_free (self->spent);
  self->spent = wider;
  self->n_columns = n_columns;
}

/* The part of a stay that lies in the window of time: its ends are moved there. */
static inline int64_t
state_durations_within (const Durations *self, int64_t date)
{
  return MIN (MAX (date, self->from), self->to);
}

static void
state_durations_bind_dates (Durations *self)
{
  stats_dates ((EveComponent *) self, trace_source (self->source), (char *const[]){ self->from_text, self->to_text },
               &self->told_outside, &self->from, &self->to);
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
  const StateAttribute *a = i >= 0 ? &g->model->attributes[i] : &unknown;
  g_auto (GStrv) names = stats_list_split (self->states);

  self->model = i >= 0 ? g->model : NULL;
  self->attribute = a;
  self->n_values = a->n_values;
  self->unit = g_intern_static_string ("s");
  state_durations_bind_dates (self);
  self->all_wanted = !names[0] && !self->work;
  self->by_work = !names[0] && self->work;
  g_free (self->wanted);
  self->wanted = g_new (bool, self->n_values + 1);
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  for (char **name = names; *name; name++)
    g_hash_table_add (set, *name);
  for (uint32_t n = 0; n < self->n_values; n++)
    self->wanted[n] = self->all_wanted
                      || (names[0] ? g_hash_table_contains (set, a->values[n].name)
                                   : state_may_work ("", &a->values[n]));
  if (a->kind == STATE_ENUM) /* no more will come */
    stats_tell_unknown ((EveComponent *) self, &self->told, "state", names, state_offer, (void *) a);
  if (MIN (a->n_values, MOST_COLUMNS) > self->n_columns)
    state_durations_widen (self, MIN (a->n_values, MOST_COLUMNS));
  self->life = 0;
  for (uint32_t n = 0; n < self->n_columns; n++)
    if (!self->model || state_counts (self->model, STATE_NODE, n))
      self->life |= UINT64_C (1) << n;
}

/* Looks the states up again after an edit: the simulator may be gone, and another in its place. */
static inline void
state_durations_need_bound (Durations *self)
{
  if (G_UNLIKELY (stats_wires_changed (&self->wires, (EveComponent *) self)))
    durations_bind (self);
}

static inline bool
state_durations_counts (const Durations *self, uint32_t state)
{
  return state < self->n_columns ? self->life >> state & 1
                                 : !self->model || state_counts (self->model, STATE_NODE, state);
}

/* Time of a task in the state of column `k`, or in all that have none, until `date`. */
static double
state_durations_seconds (const Durations *self, const TraceSource *s, uint32_t task, uint32_t k, int64_t date)
{
  const Stay *t = &self->stay[task];
  bool is_now = t->state >= 0
                && (k < self->n_columns
                        ? (uint32_t) t->state == k
                        : (uint32_t) t->state >= k && state_durations_counts (self, (uint32_t) t->state));
  int64_t end = state_durations_within (self, date);
  uint64_t running = is_now && end > t->since ? (uint64_t) end - (uint64_t) t->since : 0;
  int64_t past = self->spent[(size_t) task * (self->n_columns + 1) + k];
  int64_t spent = (int64_t) ((uint64_t) past + running); /* a run state may say anything */

  return s ? trace_clock_seconds (&s->clock, spent) : (double) spent;
}

/* States that a task was in, as bits. */
static uint64_t
met_states (const Durations *self)
{
  uint64_t met = 0;

  for (uint32_t i = 0; i < self->n_seen; i++) {
    const int64_t *spent = self->spent + (size_t) i * (self->n_columns + 1);
    if (self->stay[i].state >= 0 && self->stay[i].state < (int32_t) self->n_columns)
      met |= UINT64_C (1) << self->stay[i].state;
    for (uint32_t k = 0; k < self->n_columns; k++)
      met |= (uint64_t) (spent[k] != 0) << k;
  }
  return met;
}

/* The columns that are shown, and one more if a task was in a state that has none; gives how many.  Where states come
 * as they are met, those that no task was in are left out: who has been further knows more of them, and what the
 * simulator has names for itself, such as Dead, would come first. */
static uint32_t
state_durations_shown_columns (const Durations *self, uint32_t shown[MOST_COLUMNS + 1])
{
  bool all = !self->attribute || self->attribute->kind == STATE_ENUM;
  uint64_t met = all ? UINT64_MAX : met_states (self);
  uint32_t n = 0;

  for (uint32_t k = 0; k < self->n_columns; k++)
    if (met >> k & 1)
      shown[n++] = k;
  for (uint32_t i = 0; i < self->n_seen; i++)
    if (self->stay[i].state >= (int32_t) self->n_columns
        || self->spent[(size_t) i * (self->n_columns + 1) + self->n_columns] != 0) {
      shown[n++] = self->n_columns;
      break;
    }
  return n;
}

/* What column k is called. */
static const char *
column_name (const Durations *self, uint32_t k)
{
  return k >= self->n_columns ? "others" : k < self->n_values ? self->attribute->values[k].name : "?";
}

static bool
in_life (const Durations *self, uint32_t k)
{
  return k >= self->n_columns || self->life >> k & 1;
}

/* A row for each task, or for 2, 4, 8, ... of them, which has the means of their shares. */
static StatsMatrix *
balance (const Durations *self, const StatsTable *t, const uint32_t *shown, uint32_t k_states)
{
  uint32_t shift = 0, rows;

  while (t->n_rows > 0 && (t->n_rows - 1) >> shift >= MOST_ROWS)
    shift++;
  rows = t->n_rows > 0 ? ((t->n_rows - 1) >> shift) + 1 : 0;
  StatsMatrix *m = stats_matrix_new (t->title, "%", rows, k_states);
  m->means = true;
  m->date = t->date;
  m->source = t->source;
  for (uint32_t k = 0; k < k_states; k++) {
    const char *name = column_name (self, shown[k]);
    stats_matrix_name (m, true, k, name);
    if (shown[k] < self->n_columns && shown[k] < self->n_values)
      stats_matrix_set_owners (m, true, k, trace_ref_value (self->attribute->name, name), 1);
  }
  for (uint32_t row = 0; row < rows; row++) {
    uint32_t first = row << shift, end = MIN (first + (1u << shift), t->n_rows);
    g_autofree char *name = stats_name_of_several (stats_cell (t, first, 0)->text, stats_cell (t, end - 1, 0)->text,
                                                   end - first > 1);
    TraceRef who = stats_table_owner (t, first, false);
    stats_matrix_name (m, false, row, name);
    stats_matrix_set_owners (m, false, row, who, stats_table_owner (t, end - 1, false).id - who.id + 1);
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
state_durations_tell (Durations *self, int64_t date)
{
  const TraceSource *s = trace_source (self->source);
  uint32_t n = 0, k_states, shown[MOST_COLUMNS + 1];
  g_autofree StatsColumn *columns = NULL;

  if (!eve_out_connected (self->base.out[2]) && !eve_out_connected (self->base.out[3]))
    return;
  state_durations_need_bound (self);
  k_states = state_durations_shown_columns (self, shown);
  for (uint32_t i = 0; i < self->n_seen; i++)
    n += self->stay[i].state >= 0;
  columns = g_new0 (StatsColumn, 2 * k_states + 1);
  columns[0] = (StatsColumn){ "task", NULL, STATS_CELL_TEXT };
  for (uint32_t k = 0; k < k_states; k++) {
    columns[1 + k] = (StatsColumn){ column_name (self, shown[k]), "s", STATS_CELL_REAL };
    columns[1 + k_states + k] = (StatsColumn){ column_name (self, shown[k]), "%", STATS_CELL_REAL };
  }
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, 2 * k_states + 1, n);
  t->date = MIN (date, self->to);
  t->source = self->source;
  for (uint32_t i = 0, row = 0; i < self->n_seen; i++) {
    double life = 0;
    if (self->stay[i].state < 0)
      continue;
    stats_table_set_text (t, row, 0, s ? trace_task_name (s, i) : "?");
    stats_table_set_owner (t, row, trace_ref_task (self->source, i), (TraceRef){ 0 });
    for (uint32_t k = 0; k < k_states; k++)
      life += in_life (self, shown[k]) ? state_durations_seconds (self, s, i, shown[k], date) : 0;
    for (uint32_t k = 0; k < k_states; k++) {
      double x = state_durations_seconds (self, s, i, shown[k], date);
      stats_cell (t, row, 1 + k)->real = x;
      if (life > 0 && in_life (self, shown[k]))
        stats_cell (t, row, 1 + k_states + k)->real = 100 * x / life;
    }
    row++;
  }
  if (eve_out_connected (self->base.out[3])) {
    StatsMatrix *m = balance (self, t, shown, k_states);
    eve_emit_steal (self->base.out[3], &m);
  }
  eve_emit_steal (self->base.out[2], &t);
}

static void
state_durations_give (Durations *self, int64_t date)
{
  self->given = self->seen;
  state_durations_tell (self, date);
}

static void
durations_give (EveComponent *c, EveIn *in, const void *datum)
{
  state_durations_give ((Durations *) c, ((Durations *) c)->date);
}

static Stay *
stay_of (Durations *self, uint32_t task)
{
  if (task >= MOST_TASKS)
    return NULL;
  if (task >= self->n_stays) {
    uint32_t more = MAX (task + 1, self->n_stays * 2 + 16);
    self->stay = g_renew (Stay, self->stay, more);
    self->spent = g_renew (int64_t, self->spent, (size_t) more * (self->n_columns + 1));
    memset (self->spent + (size_t) self->n_stays * (self->n_columns + 1), 0,
            (size_t) (more - self->n_stays) * (self->n_columns + 1) * sizeof *self->spent);
    for (; self->n_stays < more; self->n_stays++)
      self->stay[self->n_stays] = (Stay){ .state = -1 };
  }
  self->n_seen = MAX (self->n_seen, task + 1);
  return &self->stay[task];
}

static inline uint64_t
state_durations_length_of (const Durations *self, const Stay *t, int64_t date)
{
  return (uint64_t) state_durations_within (self, date) - (uint64_t) t->since;
}

/* The stay of a task in its state, until `date`, as a dated number; false: nobody wants it, or it has no length, as
 * where several regions end at one date: at no instant is the task in that state. */
static bool
stay_until (Durations *self, uint32_t task, int64_t date, StatsDatum *d)
{
  const TraceSource *s = trace_source (self->source);
  const Stay *t = &self->stay[task];
  uint32_t state = (uint32_t) t->state;
  int64_t length = (int64_t) state_durations_length_of (self, t, date);

  if (length == 0 || date <= self->from || t->since >= self->to
      || (!self->all_wanted && !(state < self->n_values && self->wanted[state]))
      || (self->by_work && state_is_untold (&self->untold, self->source, task, &self->attribute->values[state]))
      || (!eve_out_connected (self->base.out[0]) && !eve_out_connected (self->base.out[1])))
    return false;
  bool again = trace_task_is_another (s, task);
  if (self->by_work && again) /* which has done no work besides */
    return false;
  /* of the one that is told once more; what is under way in a process is not what the process does */
  *d = (StatsDatum){ .date = state_durations_within (self, date),
                     .owner = again && !trace_task_is_under_way (s, task) ? trace_task (s, task)->parent : task,
                     .owner_kind = STATS_OF_TASK,
                     .source = self->source };
  d->value.real = s ? trace_clock_seconds (&s->clock, length) : (double) length;
  d->unit = self->unit;
  return true;
}

static void
give_stay (Durations *self, uint32_t task, int64_t date)
{
  StatsDatum d;

  if (stay_until (self, task, date, &d)) {
    eve_emit (self->base.out[0], &d.value.real);
    eve_emit (self->base.out[1], &d);
  }
}

static void
state_durations_spend (Durations *self, uint32_t task, int64_t date)
{
  const Stay *t = &self->stay[task];
  uint32_t state = (uint32_t) t->state, column = MIN (state, self->n_columns);
  int64_t *spent = &self->spent[(size_t) task * (self->n_columns + 1) + column];

  if (G_LIKELY (state < self->n_columns) || state_durations_counts (self, state))
    *spent = (int64_t) ((uint64_t) *spent + state_durations_length_of (self, t, date));
}

/* Whether the stay of a task still lasts at `date`.  One that begins there has no length yet; who is dead stays so,
 * which is told only where it was asked for by name. */
static bool
lasts (const Durations *self, uint32_t task, int64_t date)
{
  const Stay *t = &self->stay[task];

  return t->state >= 0 && t->since < state_durations_within (self, date)
         && (!self->all_wanted || state_durations_counts (self, (uint32_t) t->state));
}

/* A Filter has left out changes: who left a state would count as if he had stayed there. */
static void
state_durations_tell_partial (Durations *self, uint32_t task)
{
  const TraceSource *s = trace_source (self->source);

  self->warned = true;
  eve_warn (
      (EveComponent *) self,
      _ ("Changes of the state of %s were left out before they came here: what it did meanwhile counts as the state "
         "before, or not at all. For a window of time, set from and to here and leave those of the Filter empty."),
      s ? trace_task_name (s, task) : _ ("a task"));
}

/* At the end the graph has the state of each task as all changes have left it. */
static void
look_for_gaps (Durations *self)
{
  const TraceSource *s = trace_source (self->source);
  const StateGraph *g = stats_graph_above ((EveComponent *) self);
  int state = g ? state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) : -1;
  g_autoptr (GHashTable) tasks = g_hash_table_new (g_str_hash, g_str_equal);
  uint32_t now;

  if (!s || state < 0 || g->source != self->source || self->to < s->last)
    return;
  for (uint32_t i = 0; i < MIN (s->tasks->len, self->n_seen); i++)
    g_hash_table_insert (tasks, (gpointer) trace_task_id (s, i), &self->stay[i]);
  for (uint32_t node = 0; node < g->n_nodes && !self->warned; node++) {
    const Stay *t = g_hash_table_lookup (tasks, g->node_id (g, node));
    if (t && t->state >= 0 && state_value_of (g, state, node, &now) && now != (uint32_t) t->state)
      state_durations_tell_partial (self, (uint32_t) (t - self->stay));
  }
}

static void
durations_step (Durations *self, const StateChange *c)
{
  Stay *t;

  self->date = c->date;
  if (G_UNLIKELY (c->source != self->source)) {
    if (!stats_same_trace ((EveComponent *) self, &self->source, c->source))
      return;
    durations_bind (self); /* of its states is known what it tells of them */
  }
  if (c->scope != STATE_NODE || (uint64_t) c->new_value > UINT16_MAX
      || (c->date > self->to && (c->object >= self->n_seen || self->stay[c->object].state < 0)) /* not born by then */
      || !(t = stay_of (self, c->object)))
    return;
  if (G_UNLIKELY (c->old_value != t->state) && !self->warned)
    state_durations_tell_partial (self, c->object);
  if (G_UNLIKELY (c->new_value >= self->n_values) && self->attribute->n_values > self->n_values)
    durations_bind (self); /* it has more states by now */
  if (t->state >= 0) {
    state_durations_spend (self, c->object, c->date);
    give_stay (self, c->object, c->date);
  }
  t->since = state_durations_within (self, c->date);
  t->state = (int32_t) c->new_value;
  if (number_table_is_due (++self->seen, self->every, self->n_seen))
    state_durations_give (self, c->date);
}

static void
durations_fire (EveComponent *c)
{
  state_durations_need_bound ((Durations *) c);
  durations_step ((Durations *) c, eve_take (eve_base (c)->in[0]));
}

static void
durations_fire_span (EveComponent *c, uint32_t n)
{
  const StateChange *change = eve_take_span (eve_base (c)->in[0], n);

  state_durations_need_bound ((Durations *) c);
  for (uint32_t i = 0; i < n; i++)
    durations_step ((Durations *) c, &change[i]);
}

/* Work alone is asked for, and of no state that a task was in is it told whether that is work: where nothing comes of
 * it, somebody has to say so. */
static bool
nothing_tells_work (Durations *self)
{
  bool untold = false;

  for (uint32_t task = 0; self->by_work && task < self->n_seen; task++)
    for (uint32_t k = 0; k < MIN (self->n_columns, self->n_values); k++) {
      if (!self->wanted[k] || self->spent[(size_t) task * (self->n_columns + 1) + k] == 0)
        continue;
      if (!state_is_untold (&self->untold, self->source, task, &self->attribute->values[k]))
        return false;
      untold = true;
    }
  return untold;
}

/* Stays that no event ends, end with the trace. */
static bool
durations_at_end (EveComponent *c)
{
  Durations *self = (Durations *) c;
  const TraceSource *s = trace_source (self->source);
  int64_t end = self->n_seen && s ? MAX (self->date, s->last) : self->date;

  state_durations_need_bound (self);
  while (self->next < self->n_seen) { /* one each call: that is the room there is */
    uint32_t task = self->next++;
    if (lasts (self, task, end)) {
      state_durations_spend (self, task, end);
      give_stay (self, task, end);
      self->stay[task].since = state_durations_within (self, end);
      return false;
    }
  }
  self->next = 0;
  state_durations_bind_dates (self);
  if (self->n_seen && !self->warned)
    look_for_gaps (self);
  g_auto (GStrv) names = stats_list_split (self->states);
  if (self->n_seen) /* all that came are known */
    stats_tell_unknown (c, &self->told, "state", names, state_offer, (void *) self->attribute);
  state_durations_give (self, end);
  if (!self->warned && nothing_tells_work (self))
    eve_warn (c,
              _ ("Of no state that tasks are in here is it known whether they work in it, so that no work counts: name "
                 "in “states” those that are work."));
  eve_status (c, P_ ("%llu changes of %u task", "%llu changes of %u tasks", self->n_seen),
              (unsigned long long) self->seen, self->n_seen);
  return true;
}

/* Stays in progress count as far as they have come. */
static bool
durations_at_rest (EveComponent *c, int64_t now)
{
  Durations *self = (Durations *) c;
  int64_t date = MAX (self->date, trace_lasts_until (self->source, now));

  state_durations_need_bound (self);  /* nothing may have come since a run state was loaded, or a setting changed */
  while (self->next < self->n_seen) { /* one each call */
    StatsDatum d;
    uint32_t task = self->next++;
    if (lasts (self, task, date) && stay_until (self, task, date, &d)) {
      d.unfinished = 1;
      eve_emit (self->base.out[1], &d);
      return false;
    }
  }
  self->next = 0;
  if (self->n_seen) {
    state_durations_tell (self, date);
    eve_status (c, P_ ("%llu changes of %u task", "%llu changes of %u tasks", self->n_seen),
                (unsigned long long) self->seen, self->n_seen);
  }
  return true;
}

/* A rest may have been broken off. */
static void
durations_start (EveComponent *c)
{
  ((Durations *) c)->next = 0;
}

static bool
durations_changed (EveComponent *c, uint32_t setting)
{
  Durations *self = (Durations *) c;

  durations_forget (c);
  self->told_outside = false;
  if ((setting == FROM || setting == TO) && !stats_dates_check (c, self->from_text, self->to_text))
    return false;
  state_durations_bind_dates (self); /* told now, if something has come */
  return true;
}

/* Columns up to the last that holds something: how many there are hangs on when the states were looked up. */
static uint32_t
n_used (const Durations *self)
{
  uint32_t n = 0;

  for (uint32_t i = 0; i < self->n_seen; i++)
    for (uint32_t k = self->n_columns; k > n; k--)
      if (self->spent[(size_t) i * (self->n_columns + 1) + k - 1] != 0)
        n = k;
  return n;
}

static void
durations_save (EveComponent *c, EveBlob *to)
{
  const Durations *self = (const Durations *) c;
  uint32_t n = n_used (self);
  int64_t row[MOST_COLUMNS + 1];

  eve_put_int (to, self->n_seen);
  eve_put_int (to, n);
  for (uint32_t i = 0; i < self->n_seen; i++) {
    const int64_t *spent = self->spent + (size_t) i * (self->n_columns + 1);
    memcpy (row, spent, n * sizeof *row);
    row[n] = spent[self->n_columns]; /* in states without a column */
    eve_put_int (to, self->stay[i].since);
    eve_put_int (to, self->stay[i].state);
    eve_put_ints (to, row, n + 1);
  }
  eve_put_int (to, (int64_t) self->seen);
  eve_put_int (to, (int64_t) self->given);
  eve_put_int (to, self->date);
  trace_put_source (eve_program (c), self->source, to);
  eve_put_int (to, self->warned);
}

static bool
durations_load (EveComponent *c, EveBlobView *from)
{
  Durations *self = (Durations *) c;
  int64_t n = eve_get_int (from), n_columns = eve_get_int (from);

  durations_reset (c);
  if (!eve_get_ok (from) || n < 0 || n > MOST_TASKS || n_columns < 0 || n_columns > MOST_COLUMNS)
    return false;
  self->n_columns = (uint32_t) n_columns;
  for (int64_t i = 0; i < n && eve_get_ok (from); i++) {
    Stay *t = stay_of (self, (uint32_t) i);
    t->since = eve_get_int (from);
    int64_t now = eve_get_int (from);
    size_t room = (size_t) n_columns + 1;
    if (now < -1 || now > UINT16_MAX || eve_get_ints (from, self->spent + (size_t) i * room, room) != room)
      return false;
    t->state = (int32_t) now;
  }
  self->seen = (uint64_t) eve_get_int (from);
  self->given = (uint64_t) eve_get_int (from);
  self->date = eve_get_int (from);
  self->source = trace_get_source (eve_program (c), from);
  self->warned = eve_get_int (from) != 0;
  return eve_get_ok (from);
}

static const EveClass durations = {
  EVE_CLASS_HEAD,
  .id = "scope.state-durations",
  .label = "State Durations",
  .category = "Analysis",
  .version = 1,
  .doc = "How long tasks stay in which states, one by one and summed up.",
  .help =
      "Connect the output `states` of a simulator. Each stay in one of *states* is given when it ends, with its "
      "task, and what lasts then at the end of the trace; one without length, as where several regions end at one "
      "date, "
      "is none. Where time stands still before, `dated` ends with the stays "
      "that last, as long as they are by then; Statistics, Statistics by Owner and Histogram count them. The "
      "table has the time each task spent in each state until now (at the end: until the last event of the trace), "
      "and its "
      "share of the task's life; time spent Dead, or not yet born, is no part of it (thesis, tables 2.13 and "
      "2.14). The first 64 states have columns of their own, all others share one. It is given "
      "after 1, 2, 4, "
      "... changes, then after each *every*, at the end, and when a datum comes to `give`. For a window of time set "
      "*from* and *to* here: a stay counts as far as it lies between them. Behind a Filter with a *to* it counts until "
      "there; behind one with a *from* the states that tasks are in at that date are unknown, which is told.\n\n"
      "Example: *states* `Idle`, followed by a Histogram, shows how long tasks are blocked at a time.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .instance_size = sizeof (Durations),
  .init = durations_init,
  .finish = durations_finish,
  .reset = durations_reset,
  .start = durations_start,
  .changed = durations_changed,
  .fire = durations_fire,
  .fire_span = durations_fire_span,
  .at_end = durations_at_end,
  .at_rest = durations_at_rest,
  .save = durations_save,
  .load = durations_load,
  .query = trace_counted_by_settings,
};
EVE_PLUGIN (&durations);
