/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - how long tasks were in each state, alone and with what is inside of it, and how often they entered it.
 *
 * All of it is asked of the state graph, which is at the instant to be told only when time stands still or has ended;
 * so nothing is given in between, and there is nothing to save. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "readers/counted.h"
#include "statistics/graph.h"
#include "eve/words.h"
#include "readers/pair.h"
#include "statistics/list.h"
#include "statistics/types.h"

#define MOST_ROWS (1u << 17) /* of the table */
#define MOST_TASKS 4096      /* rows of the matrix */
#define MOST_COLUMNS 64      /* of the matrix; the last is all other states */

typedef struct Profile {
  EveBase base;
  int32_t rows; /* settings */
  char *states, *types;
  GArray *numbers; /* of StatsDatum: what is still to be given, at rest and at the end; NULL: nothing is being given */
  guint next;      /* of them */
  StatsWires wires;
  GHashTable *told; /* names in settings that are none */
  bool warned, told_filter;
  bool counted; /* of a range: states that nobody was in are left out */
} Profile;

enum { OF_STATES, OF_TYPES, OF_TASKS };
static const char *const rows_of[] = { "states", "states of types", "states of tasks", NULL };

static const EveInSpec ins[] = {
  { "states", &state_type_state, .required = true,
    .doc = "From the output of that name of a simulator: its state graph is told." },
};
static const EveOutSpec outs[] = {
  { "table", &stats_type_table, .doc = "A row for each state, longest first." },
  { "matrix", &stats_type_matrix, .unit = "%",
    .doc = "Of the life of each task the share in each state: a row for each task that does something, or with more "
           "than 4096 for each type." },
  { "dated", &stats_type_datum, .unit = "s", .doc = "How long each task was in *states* so far." },
};
enum { ROWS, STATES, TYPES };
static const EveField settings[] = {
  [ROWS] = { "rows", EVE_F_CHOICE, offsetof (Profile, rows), .choices = rows_of,
             .doc =
                 "Of the table: a row for each state of all tasks together, of those of each type, or of each task." },
  [STATES] = { "states", EVE_F_STRING, offsetof (Profile, states),
               .doc = "Only these, such as Idle, Talking; empty: all, and in `dated` all but rest." },
  [TYPES] = { "types", EVE_F_STRING, offsetof (Profile, types),
              .doc = "Only tasks of these types, or that run these programs; empty: all." },
};

static const EveField state[] = {
  { "told", EVE_F_BOOL, offsetof (Profile, told_filter) },
};

/* ---- what is gathered ------------------------------------------------------------------------------------------------ */

typedef struct Group { /* all tasks, those of a type, or one task */
  const char *name, *type;
  uint32_t task;        /* or TRACE_NONE */
  int64_t life, chosen; /* ticks; in the states that were asked for, or, if none were, in all but rest */
  bool busy;            /* was in a state that is not rest */
} Group;

typedef struct Row {
  uint32_t group, n_tasks;
  StateTime time; /* sums */
} Row;

typedef struct Gathered {
  const StateGraph *graph;
  int attribute;
  int64_t date;
  GArray *groups, *rows; /* of Group, Row */
} Gathered;

static void
gathered_clear (Gathered *all)
{
  g_array_unref (all->groups);
  g_array_unref (all->rows);
}

static bool
profile_is_in (GHashTable *names, const char *name)
{
  return names == NULL || (name && g_hash_table_contains (names, name));
}

static GHashTable *
name_set (char **names)
{
  GHashTable *set = *names ? g_hash_table_new (g_str_hash, g_str_equal) : NULL;

  for (char **n = names; *n; n++)
    g_hash_table_add (set, *n);
  return set;
}

static bool
profile_counts (const StateGraph *g, uint32_t value)
{
  return value == STATE_OTHERS || state_counts (g->model, STATE_NODE, value);
}

static bool
profile_is_rest (const StateGraph *g, int attribute, uint32_t value)
{
  return value != STATE_OTHERS && state_value (g->model, attribute, value)->sense == STATE_SENSE_REST;
}

static guint
profile_group_of (Gathered *all, GHashTable *by_type, int32_t rows, const char *name, const char *type, uint32_t task)
{
  gpointer key = rows == OF_TYPES ? (gpointer) type : NULL, found;
  Group group = { .name = rows == OF_TASKS ? name : NULL,
                  .type = rows == OF_STATES ? NULL : type,
                  .task = rows == OF_TASKS ? task : TRACE_NONE };

  if (rows != OF_TASKS && g_hash_table_lookup_extended (by_type, key, NULL, &found))
    return GPOINTER_TO_UINT (found);
  g_hash_table_insert (by_type, key, GUINT_TO_POINTER (all->groups->len));
  g_array_append_val (all->groups, group);
  return all->groups->len - 1;
}

static void
profile_add_time (Gathered *all, GHashTable *places, guint group, const StateTime *t)
{
  uint64_t key = (uint64_t) group << 32 | t->value;
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, &key));

  if (!place) {
    Row row = { .group = group, .time.value = t->value };
    g_array_append_val (all->rows, row);
    place = all->rows->len;
    g_hash_table_insert (places, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (place));
  }
  Row *row = &g_array_index (all->rows, Row, place - 1);
  row->time.spent = trace_sum (row->time.spent, t->spent); /* a run state may say anything */
  row->time.inclusive = trace_sum (row->time.inclusive, t->inclusive);
  row->time.visits = t->visits < 0 ? -1 : row->time.visits + t->visits;
  row->n_tasks += t->visits != 0 && (t->visits > 0 || t->spent > 0);
}

static int
profile_by_time (gconstpointer a, gconstpointer b)
{
  const Row *p = a, *q = b;

  return p->time.spent != q->time.spent ? (p->time.spent < q->time.spent) - (p->time.spent > q->time.spent)
         : p->group != q->group         ? (p->group > q->group) - (p->group < q->group)
                                        : (p->time.value > q->time.value) - (p->time.value < q->time.value);
}

static void
profile_gather (Profile *self, const StateGraph *g, int64_t date, int32_t rows, bool ended, Gathered *all)
{
  g_auto (GStrv) states = stats_list_split (self->states), types = stats_list_split (self->types);
  g_autoptr (GHashTable) by_type = g_hash_table_new (NULL, NULL),
                         met_types = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) met_states = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GHashTable) places = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  GHashTable *only_states = name_set (states), *only_types = name_set (types);
  g_autoptr (GArray) times = g_array_new (FALSE, FALSE, sizeof (StateTime));
  g_autoptr (GArray) order = stats_nodes_in_order (g);

  *all = (Gathered){ g, state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE), date,
                     g_array_new (FALSE, TRUE, sizeof (Group)), g_array_new (FALSE, TRUE, sizeof (Row)) };
  for (guint i = 0; i < order->len; i++) {
    const StatsNode *m = &g_array_index (order, StatsNode, i);
    const char *type = m->type;
    if (type)
      g_hash_table_add (met_types, (gpointer) type);
    if (!profile_is_in (only_types, type))
      continue;
    guint group = profile_group_of (all, by_type, rows, g->node_id (g, m->node), type, m->task);
    g_array_set_size (times, 0);
    state_times (g, m->node, date, times);
    for (guint k = 0; k < times->len; k++) {
      const StateTime *t = &g_array_index (times, StateTime, k);
      const char *name = state_time_name (g->model, all->attribute, t->value);
      if (!profile_counts (g, t->value))
        continue;
      Group *of = &g_array_index (all->groups, Group, group);
      of->life = trace_sum (of->life, t->spent);
      of->busy |= !profile_is_rest (g, all->attribute, t->value) && (t->visits > 0 || t->spent > 0);
      g_hash_table_add (met_states, (gpointer) name);
      if (!profile_is_in (only_states, name) || (self->counted && t->visits <= 0 && t->spent == 0 && t->inclusive == 0))
        continue;
      if (only_states || !profile_is_rest (g, all->attribute, t->value))
        of->chosen = trace_sum (of->chosen, t->spent);
      profile_add_time (all, places, group, t);
    }
  }
  if (ended) { /* all that there is has come */
    stats_tell_unknown ((EveComponent *) self, &self->told, "state", states, stats_offer_keys, met_states);
    stats_tell_unknown ((EveComponent *) self, &self->told, "type of tasks", types, stats_offer_keys, met_types);
  }
  g_clear_pointer (&only_states, g_hash_table_unref);
  g_clear_pointer (&only_types, g_hash_table_unref);
  g_array_sort (all->rows, profile_by_time);
}

/* ---- what is given --------------------------------------------------------------------------------------------------- */

static double
profile_in_seconds (const StateGraph *g, int64_t ticks)
{
  const TraceSource *s = trace_source (g->source);

  return s ? trace_clock_seconds (&s->clock, ticks) : (double) ticks;
}

static void
profile_fill_row (const Gathered *all, const Row *row, int32_t rows, StatsTable *t, uint32_t at)
{
  const StateGraph *g = all->graph;
  const Group *group = &g_array_index (all->groups, Group, row->group);
  const char *name = state_time_name (g->model, all->attribute, row->time.value);
  TraceRef value = row->time.value == STATE_OTHERS ? (TraceRef){ 0 }
                                                   : trace_ref_value (g->model->attributes[all->attribute].name, name),
           who = trace_ref_task (g->source, group->task);
  const TraceSource *s = trace_source (g->source);
  uint32_t k = 0;

  if (rows == OF_TASKS)
    stats_table_set_text (t, at, k++, group->task == TRACE_NONE || !s ? group->name : trace_task_name (s, group->task));
  if (rows != OF_STATES)
    stats_table_set_text (t, at, k++, group->type);
  stats_table_set_text (t, at, k++, name);
  if (rows != OF_TASKS)
    stats_cell (t, at, k++)->whole = row->n_tasks;
  stats_cell (t, at, k++)->real = profile_in_seconds (g, row->time.spent);
  if (group->life > 0)
    stats_cell (t, at, k)->real = 100 * (double) row->time.spent / (double) group->life;
  stats_cell (t, at, ++k)->real = profile_in_seconds (g, row->time.inclusive);
  if (row->time.visits >= 0)
    stats_cell (t, at, k + 1)->whole = row->time.visits;
  if (row->time.visits > 0)
    stats_cell (t, at, k + 2)->real = profile_in_seconds (g, row->time.spent) / (double) row->time.visits;
  if (who.type != TRACE_REF_NONE)
    stats_table_set_owner (t, at, who, value);
  else
    stats_table_set_owner (t, at, value, (TraceRef){ 0 });
}

static void
profile_give_table (Profile *self, const Gathered *all)
{
  StatsColumn columns[9];
  uint32_t n = 0, n_rows = MIN (all->rows->len, MOST_ROWS);

  if (self->rows == OF_TASKS)
    columns[n++] = (StatsColumn){ "task", NULL, STATS_CELL_TEXT };
  if (self->rows != OF_STATES)
    columns[n++] = (StatsColumn){ "type", NULL, STATS_CELL_TEXT };
  columns[n++] = (StatsColumn){ "state", NULL, STATS_CELL_TEXT, STATS_STATES };
  if (self->rows != OF_TASKS)
    columns[n++] = (StatsColumn){ "tasks", NULL, STATS_CELL_WHOLE };
  columns[n++] = (StatsColumn){ "exclusive", "s", STATS_CELL_REAL };
  columns[n++] = (StatsColumn){ "of life", "%", STATS_CELL_REAL };
  columns[n++] = (StatsColumn){ "inclusive", "s", STATS_CELL_REAL };
  columns[n++] = (StatsColumn){ "visits", NULL, STATS_CELL_WHOLE };
  columns[n++] = (StatsColumn){ "mean", "s", STATS_CELL_REAL };
  StatsTable *t = stats_table_new (eve_name ((EveComponent *) self), columns, n, n_rows);
  t->date = all->date;
  t->source = all->graph->source;
  for (uint32_t i = 0; i < n_rows; i++)
    profile_fill_row (all, &g_array_index (all->rows, Row, i), self->rows, t, i);
  if (all->rows->len > MOST_ROWS && !self->warned) {
    self->warned = true;
    eve_warn ((EveComponent *) self, _ ("The table has the %u longest rows of %u."), MOST_ROWS, all->rows->len);
  }
  eve_emit_steal (self->base.out[0], &t);
}

/* Columns are the states of most time. */
static void
give_matrix (Profile *self, const Gathered *all)
{
  const StateGraph *g = all->graph;
  g_autoptr (GArray) sums = g_array_new (FALSE, TRUE, sizeof (Row));
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autofree uint32_t *row_of = g_new (uint32_t, MAX (all->groups->len, 1));
  uint32_t n_rows = 0, n_columns;

  for (guint i = 0; i < all->rows->len; i++) {
    const Row *row = &g_array_index (all->rows, Row, i);
    guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (row->time.value)));
    if (!place) {
      Row sum = { .time.value = row->time.value };
      g_array_append_val (sums, sum);
      place = sums->len;
      g_hash_table_insert (places, GUINT_TO_POINTER (row->time.value), GUINT_TO_POINTER (place));
    }
    Row *sum = &g_array_index (sums, Row, place - 1);
    sum->time.spent = trace_sum (sum->time.spent, row->time.spent);
  }
  g_array_sort (sums, profile_by_time);
  while (sums->len > 0 && g_array_index (sums, Row, sums->len - 1).time.spent == 0) /* nothing to be seen */
    g_array_set_size (sums, sums->len - 1);
  n_columns = MIN (sums->len, MOST_COLUMNS);
  for (guint i = 0; i < all->groups->len; i++)
    row_of[i] = g_array_index (all->groups, Group, i).busy ? n_rows++ : UINT32_MAX;
  StatsMatrix *m = stats_matrix_new (eve_name ((EveComponent *) self), "%", n_rows, n_columns);
  m->date = all->date;
  m->source = g->source;
  m->means = true;
  g_hash_table_remove_all (places);
  for (uint32_t k = 0; k < n_columns; k++) {
    uint32_t value = g_array_index (sums, Row, k).time.value;
    bool rest = sums->len > MOST_COLUMNS && k == MOST_COLUMNS - 1;
    const char *name = rest ? "others" : state_time_name (g->model, all->attribute, value);
    stats_matrix_name (m, true, k, name);
    g_hash_table_insert (places, GUINT_TO_POINTER (value), GUINT_TO_POINTER (k + 1));
    if (!rest && value != STATE_OTHERS)
      stats_matrix_set_owners (m, true, k, trace_ref_value (g->model->attributes[all->attribute].name, name), 1);
  }
  for (guint i = 0; i < all->groups->len; i++) {
    const Group *group = &g_array_index (all->groups, Group, i);
    const TraceSource *s = trace_source (g->source);
    const char *name = s && group->task != TRACE_NONE ? trace_task_name (s, group->task)
                       : group->name                  ? group->name
                                                      : group->type;
    if (row_of[i] == UINT32_MAX)
      continue;
    stats_matrix_name (m, false, row_of[i], name ? name : "tasks");
    if (group->task != TRACE_NONE)
      stats_matrix_set_owners (m, false, row_of[i], trace_ref_task (g->source, group->task), 1);
  }
  for (guint i = 0; i < all->rows->len; i++) {
    const Row *row = &g_array_index (all->rows, Row, i);
    const Group *group = &g_array_index (all->groups, Group, row->group);
    guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, GUINT_TO_POINTER (row->time.value)));
    uint32_t k = place ? place - 1 : MOST_COLUMNS - 1;
    if (row_of[row->group] != UINT32_MAX && group->life > 0 && (place || row->time.spent != 0))
      m->values[(size_t) row_of[row->group] * n_columns + k] += 100 * (double) row->time.spent / (double) group->life;
  }
  eve_emit_steal (self->base.out[1], &m);
}

static void
keep_numbers (Profile *self, const Gathered *all)
{
  self->numbers = g_array_new (FALSE, FALSE, sizeof (StatsDatum));
  self->next = 0;
  for (guint i = 0; eve_out_connected (self->base.out[2]) && i < all->groups->len; i++) {
    const Group *group = &g_array_index (all->groups, Group, i);
    StatsDatum d = { .date = all->date,
                     .unit = g_intern_static_string ("s"),
                     .owner = group->task,
                     .owner_kind = STATS_OF_TASK,
                     .source = all->graph->source };
    d.value.real = profile_in_seconds (all->graph, group->chosen);
    if (group->task != TRACE_NONE && group->busy)
      g_array_append_val (self->numbers, d);
  }
}

static void
give_tables (Profile *self, const StateGraph *g, int64_t date, bool ended)
{
  bool matrix = eve_out_connected (self->base.out[1]);
  int32_t matrix_rows = state_count (g, STATE_NODE) > MOST_TASKS ? OF_TYPES : OF_TASKS;
  Gathered all;

  profile_gather (self, g, date, self->rows, ended, &all);
  if (eve_out_connected (self->base.out[0]))
    profile_give_table (self, &all);
  if (matrix && matrix_rows != self->rows) {
    gathered_clear (&all);
    profile_gather (self, g, date, matrix_rows, false, &all);
  }
  if (matrix)
    give_matrix (self, &all);
  if (eve_out_connected (self->base.out[2]) && (matrix ? matrix_rows : self->rows) != OF_TASKS) {
    gathered_clear (&all);
    profile_gather (self, g, date, OF_TASKS, false, &all);
  }
  keep_numbers (self, &all);
  eve_status ((EveComponent *) self, P_ ("%u task", "%u tasks", state_count (g, STATE_NODE)),
              state_count (g, STATE_NODE));
  gathered_clear (&all);
}

/* The tables first, then a number each call. */
static bool
profile_give (Profile *self, int64_t now, bool ended)
{
  const StateGraph *g = self->numbers ? NULL : stats_graph_above ((EveComponent *) self);
  const TraceSource *s = g ? trace_source (g->source) : NULL;

  if (!self->numbers) {
    if (!g || g->n_nodes == 0 || state_with_role (g->model, STATE_NODE, STATE_ROLE_STATE) < 0)
      return true;
    give_tables (self, g, MAX (g->clock, ended && s ? s->last : trace_lasts_until (g->source, now)), ended);
  } else if (self->next < self->numbers->len) {
    eve_emit (self->base.out[2], &g_array_index (self->numbers, StatsDatum, self->next++));
  }
  if (self->next < self->numbers->len)
    return false;
  g_clear_pointer (&self->numbers, g_array_unref);
  return true;
}

static bool
profile_at_end (EveComponent *c)
{
  return profile_give ((Profile *) c, INT64_MAX, true);
}

static bool
profile_at_rest (EveComponent *c, int64_t now)
{
  return profile_give ((Profile *) c, now, false);
}

/* ---- the component --------------------------------------------------------------------------------------------------- */

/* What comes says only that the graph goes on. */
static void
pass (Profile *self)
{
  if (G_UNLIKELY (!stats_graph_is_next (&self->wires, (EveComponent *) self)) && !self->told_filter) {
    self->told_filter = true;
    eve_warn ((EveComponent *) self,
              _ ("What is left out before it comes here counts too: a profile is of all that the simulator knows."));
  }
}

static void
profile_fire (EveComponent *c)
{
  eve_take (eve_base (c)->in[0]);
  pass ((Profile *) c);
}

static void
profile_fire_span (EveComponent *c, uint32_t n)
{
  eve_take_span (eve_base (c)->in[0], n);
  pass ((Profile *) c);
}

/* A rest may have been broken off. */
static void
profile_start (EveComponent *c)
{
  g_clear_pointer (&((Profile *) c)->numbers, g_array_unref);
}

static void
profile_reset (EveComponent *c)
{
  profile_start (c);
  ((Profile *) c)->warned = ((Profile *) c)->counted = false;
}

static bool
profile_changed (EveComponent *c, uint32_t setting)
{
  g_clear_pointer (&((Profile *) c)->told, g_hash_table_unref);
  return true;
}

static void
profile_finish (EveComponent *c)
{
  profile_reset (c);
  g_clear_pointer (&((Profile *) c)->told, g_hash_table_unref);
}

/* The state graph counts. */
static void
profile_begin (EveComponent *c, int64_t date)
{
  ((Profile *) c)->counted = true;
}

static const void *
profile_query (EveComponent *c, const char *name)
{
  static const TraceCounted counted = { profile_begin };

  return g_str_equal (name, TRACE_COUNTED) ? &counted : NULL;
}

static const EveClass profile = {
  EVE_CLASS_HEAD,
  .id = "scope.profile",
  .label = "Profile",
  .category = "Analysis",
  .version = 1,
  .doc = "How long tasks were in each state, alone and with what is inside of it, and how often they entered it.",
  .help =
      "Connect the output `states` of a simulator.  The table has a row for each state of all tasks together, of the "
      "tasks of each type (that the trace declares, or that run one program), or of each task: *exclusive*, the time "
      "that it was the innermost state; its share of the life of these tasks; *inclusive*, with all that is inside of "
      "it, where of a state inside of itself only the outermost counts; *visits*, how often it was entered, and "
      "*mean*, the exclusive time of a visit.\n\n"
      "It is of the instant at which time stands still, or of the end: nothing is given in between.  `matrix` has the "
      "same as shares of each task's life; tasks that never do anything are left out of it.  `dated` has for each task "
      "the time in *states*, for charts and statistics.\n\n"
      "Example: `table` to a Table and a Data File, `matrix` to a Matrix.",
  .ins = ins,
  .n_ins = EVE_N (ins),
  .outs = outs,
  .n_outs = EVE_N (outs),
  .settings = settings,
  .n_settings = EVE_N (settings),
  .state = state,
  .n_state = EVE_N (state),
  .instance_size = sizeof (Profile),
  .finish = profile_finish,
  .reset = profile_reset,
  .start = profile_start,
  .changed = profile_changed,
  .fire = profile_fire,
  .fire_span = profile_fire_span,
  .at_end = profile_at_end,
  .at_rest = profile_at_rest,
  .query = profile_query,
};
EVE_PLUGIN (&profile);
