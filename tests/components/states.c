/* SPDX-License-Identifier: Apache-2.0 */
/* states.c - what takes states of tasks, fed by a model of 50 000 states: by name, as shares, as stays, in conditions;
 * against sums made from the list of changes.  And a simulator that another one replaces while time stands still. */
#include <glib.h>
#include "simulators/state.h"
#include "statistics/types.h"
#include "tests/components/common.h"
#include "tests/components/keep.h"

#define N_STATES 50000
#define N_TASKS 5
#define N_CHANGES 4000
#define COUNTED 45000 /* the states below have percentages; those from here on are no part of a life */
#define APART 64      /* columns of State Durations */

/* ---- a model, and a component that tells what was put into `changes` ------------------------------------------------ */
static StateValue values[N_STATES];
static StateAttribute attributes[COUNTED / 500 + 2];
static StateChange changes[N_CHANGES];
static const StateModel model = { .name = "wide", .attributes = attributes, .n_attributes = G_N_ELEMENTS (attributes) };
static uint32_t until; /* those before it may be told */

static const char *
node_id (const StateGraph *g, uint32_t node)
{
  static const char *const ids[N_TASKS] = { "n0", "n1", "n2", "n3", "n4" };

  return ids[node];
}

typedef struct Source {
  EveBase base;
  StateGraph *graph;
  uint32_t next;
} Source;

static const EveOutSpec source_outs[] = { { "states", &state_type_state } };
static StateGraph graphs[2];
static guint n_graphs;

static bool
source_init (EveComponent *c)
{
  StateGraph *g = ((Source *) c)->graph = &graphs[n_graphs++];

  *g = (StateGraph){ .model = &model, .n_nodes = N_TASKS, .node_id = node_id };
  return true;
}

/* Who still asks this graph finds no model. */
static void
source_finish (EveComponent *c)
{
  ((Source *) c)->graph->model = NULL;
}

static EveSupply
source_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;

  for (; max > 0 && self->next < until; max--)
    eve_emit (self->base.out[0], &changes[self->next++]);
  return self->next < N_CHANGES ? self->next < until ? EVE_MORE : EVE_WAIT : EVE_END;
}

static const void *
source_query (EveComponent *c, const char *interface_name)
{
  return c != NULL && strcmp (interface_name, "state-graph/1") == 0 ? ((Source *) c)->graph : NULL;
}

static const EveClass source_class = {
  EVE_CLASS_HEAD,
  .id = "test.wide",
  .label = "Wide",
  .category = "Test",
  .doc = "Tells changes.",
  .version = 1,
  .outs = source_outs,
  .n_outs = 1,
  .instance_size = sizeof (Source),
  .init = source_init,
  .finish = source_finish,
  .produce = source_produce,
  .query = source_query,
};

/* ---- programs of them -------------------------------------------------------------------------------------------------- */

static EveComponent *
add (EveProgram *p, const char *id, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;
  const EveClass *klass = strcmp (id, "test.wide") == 0 ? &source_class : eve_registry_find (id);
  g_autofree char *name = g_strdup_printf ("%s %u", id, eve_n_components (p));
  EveComponent *c = eve_add (p, klass, name, &error);

  g_assert_no_error (error);
  if (setting != NULL)
    eve_set (c, setting, value, &error);
  g_assert_no_error (error);
  return c;
}

static bool
is_counted (int64_t state)
{
  for (uint32_t i = 1; i < G_N_ELEMENTS (attributes); i++)
    if (attributes[i].of == state)
      return true;
  return false;
}

/* Changes of random tasks to random states: few, then all there are. */
static void
make (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  int64_t date = 5;

  for (uint32_t i = 0; i < N_STATES; i++)
    values[i].name = g_strdup_printf ("region %u", i);
  attributes[0] = (StateAttribute){ .name = "State",
                                    .scope = STATE_NODE,
                                    .kind = STATE_VALUE,
                                    .role = STATE_ROLE_STATE,
                                    .values = values,
                                    .n_values = N_STATES };
  for (uint32_t i = 1; i < G_N_ELEMENTS (attributes); i++)
    attributes[i] = (StateAttribute){
      .name = g_strdup_printf ("Percent%u", i * 499), .scope = STATE_NODE, .kind = STATE_PERCENT, .of = i * 499
    };
  for (uint32_t i = 0; i < N_STATES; i++) /* what has no percentage is no part of a life */
    values[i].sense = is_counted (i) ? STATE_SENSE_NONE : STATE_SENSE_GONE;
  for (uint32_t i = 0; i < N_CHANGES; i++) {
    date += g_rand_int_range (rand, 0, 50);
    changes[i] = (StateChange){ .date = date,
                                .old_value = -1,
                                .new_value = g_rand_int_range (rand, 0, 3) == 0 ? g_rand_int_range (rand, 0, 80)
                                             : g_rand_int_range (rand, 0, 2)    ? 499 * g_rand_int_range (rand, 0, 92)
                                                                                : g_rand_int_range (rand, 0, N_STATES),
                                .object = (uint32_t) g_rand_int_range (rand, 0, N_TASKS),
                                .scope = STATE_NODE };
  }
}

/* Ticks that a task spent in the states that `is` says, until change `n`, or until `at` if that is later. */
static int64_t
spent (uint32_t task, bool (*is) (int64_t state, int64_t what), int64_t what, uint32_t n, int64_t at)
{
  int64_t sum = 0, since = 0, state = -1;

  for (uint32_t i = 0; i < n; i++) {
    if (changes[i].object != task)
      continue;
    if (state >= 0 && is (state, what))
      sum += changes[i].date - since;
    since = changes[i].date;
    state = changes[i].new_value;
  }
  return sum + (state >= 0 && is (state, what) && at > since ? at - since : 0);
}

static bool
is_it (int64_t state, int64_t what)
{
  return state == what;
}

static bool
is_life (int64_t state, int64_t what)
{
  return is_counted (state);
}

static bool
is_other (int64_t state, int64_t what)
{
  return state >= APART && is_counted (state);
}

static void
test_wide (void)
{
  EveProgram *p = eve_program_new ();
  const uint32_t of = 88 * 499; /* 43912 */
  g_autofree char *percent = g_strdup_printf ("Percent%u", of), *where = g_strdup_printf ("state == 'region %u'", of);

  n_graphs = 0;
  until = N_CHANGES;
  g_assert_true (is_counted (of) && of > 256 * 64);
  EveComponent *source = add (p, "test.wide", NULL, NULL);
  EveComponent *name = add (p, "scope.state-presenter", NULL, NULL);
  EveComponent *share = add (p, "scope.state-presenter", "attribute", percent);
  EveComponent *stays = add (p, "scope.state-durations", "states", "region 70, region 43912");
  EveComponent *filter = add (p, "scope.filter", "where", where);
  wire (p, source, "states", name, "changes");
  wire (p, source, "states", share, "changes");
  wire (p, source, "states", stays, "states");
  wire (p, source, "states", filter, "in");
  Keep *names = kept (p, name, "text"), *shares = kept (p, share, "dated"), *stay = kept (p, stays, "dated"),
       *table = kept (p, stays, "table"), *passed = kept (p, filter, "passed");
  g_assert_cmpint (eve_run (p, -1), ==, EVE_IDLE);

  uint32_t n_stays = 0, n_passed = 0;
  g_assert_cmpuint (names->texts->len, ==, N_CHANGES);
  g_assert_cmpuint (shares->data->len, ==, N_CHANGES);
  for (uint32_t i = 0; i < N_CHANGES; i++) {
    const StateChange *c = &changes[i];
    double life = (double) spent (c->object, is_life, 0, i, c->date);
    g_assert_cmpstr (names->texts->pdata[i], ==, values[c->new_value].name);
    n_passed += c->new_value == of;
    if (i % 7 == 0)
      g_assert_cmpfloat_with_epsilon (g_array_index (shares->data, StatsDatum, i).value.real,
                                      life > 0 ? 100 * (double) spent (c->object, is_it, of, i, c->date) / life : 0,
                                      1e-9);
    for (uint32_t k = i; k-- > 0;)
      if (changes[k].object == c->object) { /* the stay before */
        if (changes[k].new_value != 70 && changes[k].new_value != of)
          break;
        g_assert_cmpuint (n_stays, <, stay->data->len);
        const StatsDatum *d = &g_array_index (stay->data, StatsDatum, n_stays++);
        g_assert_cmpint (d->date, ==, c->date);
        g_assert_cmpfloat (d->value.real, ==, (double) (c->date - changes[k].date));
        g_assert_cmpstr (d->unit, ==, "s");
        break;
      }
  }
  g_assert_cmpuint (n_stays, >, 10);
  g_assert_cmpuint (n_stays, ==, stay->data->len);
  g_assert_cmpuint (n_passed, >, 10);
  g_assert_cmpuint (passed->n, ==, n_passed);
  g_assert_cmpuint (table->table->n_rows, ==, N_TASKS);
  g_assert_cmpuint (table->table->n_columns, ==, 1 + 2 * (APART + 1));
  g_assert_cmpstr (table->table->columns[APART].name, ==, "region 63");
  g_assert_cmpstr (table->table->columns[APART + 1].name, ==, "others");
  int64_t end = changes[N_CHANGES - 1].date;
  for (uint32_t task = 0; task < N_TASKS; task++) {
    for (uint32_t k = 0; k < APART; k++)
      g_assert_cmpfloat (stats_cell (table->table, task, 1 + k)->real, ==,
                         (double) spent (task, is_it, k, N_CHANGES, end));
    double others = (double) spent (task, is_other, 0, N_CHANGES, end),
           life = (double) spent (task, is_life, 0, N_CHANGES, end);
    g_assert_cmpfloat (others, >, 0);
    g_assert_cmpfloat (stats_cell (table->table, task, 1 + APART)->real, ==, others);
    g_assert_cmpfloat_with_epsilon (stats_cell (table->table, task, 2 + 2 * APART)->real, 100 * others / life, 1e-9);
  }
  eve_program_free (p);
}

/* Another simulator takes the place of the first one: the first is asked no more. */
static void
test_replaced (void)
{
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_new ();

  n_graphs = 0;
  until = N_CHANGES / 2;
  EveComponent *source = add (p, "test.wide", NULL, NULL),
               *share = add (p, "scope.state-presenter", "attribute", "Percent499"),
               *stays = add (p, "scope.state-durations", NULL, NULL),
               *filter = add (p, "scope.filter", "where", "state == 'region 3' or task == n1");
  wire (p, source, "states", share, "changes");
  wire (p, source, "states", stays, "states");
  wire (p, source, "states", filter, "in");
  Keep *shares = kept (p, share, "dated"), *table = kept (p, stays, "table"), *passed = kept (p, filter, "passed");
  eve_run (p, -1);
  eve_pause (p);
  eve_rest (p, changes[until - 1].date);
  eve_remove (p, source);
  EveComponent *other = add (p, "test.wide", NULL, NULL);
  g_assert_null (graphs[0].model);
  wire (p, other, "states", share, "changes");
  wire (p, other, "states", stays, "states");
  wire (p, other, "states", filter, "in");
  guint before = shares->data->len, passed_before = passed->n;
  eve_rest (p, changes[until - 1].date + 10);
  g_assert_cmpuint (shares->data->len, ==, before + N_TASKS);
  g_assert_nonnull (table->table);
  eve_run (p, -1);
  g_assert_cmpuint (passed->n, >, passed_before);
  g_assert_no_error (error);
  eve_program_free (p);
}

/* Puts a run state of State Durations that is whole but for one number. */
static bool
loads (EveComponent *stays, int64_t n_tasks, int64_t n_columns, int64_t state, int64_t n_spent, int64_t cut)
{
  EveBlob *blob = eve_blob_new ();
  int64_t spent[80] = { 0 };
  size_t n;

  eve_put_int (blob, n_tasks);
  eve_put_int (blob, n_columns);
  for (int64_t i = 0; i < MIN (n_tasks, 2); i++) {
    eve_put_int (blob, 10);
    eve_put_int (blob, state);
    eve_put_ints (blob, spent, (size_t) n_spent);
  }
  for (int i = 0; i < 3; i++)
    eve_put_int (blob, 20);
  trace_put_source (eve_program (stays), 0, blob);
  eve_put_int (blob, 0);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  EveBlobView *view = eve_blob_view_new (bytes, n - (size_t) cut);
  bool ok = eve_class (stays)->load (stays, view) && eve_get_ok (view);
  eve_blob_view_free (view);
  eve_blob_free (blob);
  return ok;
}

static void
test_damaged (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *stays = add (p, "scope.state-durations", NULL, NULL);

  g_assert_true (loads (stays, 2, 3, -1, 4, 0));
  g_assert_true (loads (stays, 0, 64, 0, 65, 0));
  g_assert_true (loads (stays, 2, 64, UINT16_MAX, 65, 0));
  g_assert_false (loads (stays, -1, 3, 0, 4, 0));
  g_assert_false (loads (stays, (1 << 20) + 1, 3, 0, 4, 0));
  g_assert_false (loads (stays, 2, -1, 0, 0, 0));
  g_assert_false (loads (stays, 2, 65, 0, 66, 0));
  g_assert_false (loads (stays, 2, 3, -2, 4, 0));
  g_assert_false (loads (stays, 2, 3, UINT16_MAX + 1, 4, 0));
  g_assert_false (loads (stays, 2, 3, 0, 3, 0)); /* a number too few, or too many, of a task */
  g_assert_false (loads (stays, 2, 3, 0, 5, 0));
  g_assert_false (loads (stays, 2, 3, 0, 4, 1));
  eve_program_free (p);
}

/* Each task has a row of its own in the matrix, up to 4096; of more the rows are of two, with the means. */
static void
test_balance (void)
{
  static const uint32_t sizes[] = { 1, 2, 4095, 4096, 4097, 8192, 8193 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    uint32_t n = sizes[i], each = n <= 4096 ? 1 : n <= 8192 ? 2 : 4;
    EveProgram *p = eve_program_new ();
    EveComponent *stays = add (p, "scope.state-durations", NULL, NULL);
    Harness *h = harness_new (eve_class (stays));
    g_autofree StateChange *fed = g_new0 (StateChange, 2 * n + 1);
    for (uint32_t k = 0; k < 2 * n; k++)
      fed[k] = (StateChange){ .date = k < n ? 0 : 100,
                              .object = k % n,
                              .scope = STATE_NODE,
                              .old_value = k < n ? -1 : (int64_t) (k % n % 3),
                              .new_value = k < n ? k % n % 3 : 3 };
    fed[2 * n] = (StateChange){ .date = 106, .object = 0, .scope = STATE_NODE, .old_value = 3, .new_value = 4 };
    harness_feed (h, "states", &state_type_state, fed, 2 * n + 1);
    harness_collect (h, "balance");
    harness_end (h, NULL);
    g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
    size_t n_given;
    StatsMatrix *const *given = harness_collected (h, "balance", &n_given);
    g_assert_cmpuint (n_given, >, 0);
    const StatsMatrix *m = given[n_given - 1];
    g_assert_cmpuint (m->n_rows, ==, (n + each - 1) / each);
    for (uint32_t row = 0; row < m->n_rows; row++) {
      double mean = 0, of = 0;
      for (uint32_t task = row * each; task < MIN ((row + 1) * each, n); task++, of++)
        mean += task % 3 == 0 ? 100 * 100.0 / 106 : 0; /* in the first state, of all that it lived */
      g_assert_cmpfloat_with_epsilon (m->values[(size_t) row * m->n_columns], mean / of, 1e-9);
    }
    harness_free (h);
    eve_program_free (p);
  }
}

/* Which stays are given follows the setting at once. */
static void
test_other_states (void)
{
  Harness *h = alone ("scope.state-durations");
  static const char *const wanted[] = { "", "2", "1, 3", "0" };
  size_t n_given = 0;

  harness_collect (h, "dated");
  for (int64_t round = 0; round < 4; round++) {
    StateChange fed[9];
    size_t n;
    for (int64_t k = 0; k < 9; k++) /* in the states 0, 1, 2, 3 in turn, of which each stay lasts 10 */
      fed[k] = (StateChange){ .date = (round * 9 + k) * 10,
                              .object = 1,
                              .scope = STATE_NODE,
                              .old_value = round + k ? (round * 9 + k - 1) % 4 : -1,
                              .new_value = (round * 9 + k) % 4 };
    harness_set (h, "states", wanted[round]);
    harness_feed (h, "states", &state_type_state, fed, 9);
    run (h);
    const StatsDatum *given = harness_collected (h, "dated", &n);
    for (int64_t k = 0; k < 9; k++) {
      char was[2] = { (char) ('0' + (round * 9 + k + 3) % 4), 0 };
      if ((!round && !k) || (*wanted[round] && !strstr (wanted[round], was)))
        continue;
      g_assert_cmpuint (n_given, <, n);
      g_assert_cmpint (given[n_given].date, ==, fed[k].date);
      g_assert_cmpfloat (given[n_given++].value.real, ==, 10);
    }
    g_assert_cmpuint (n_given, ==, n);
  }
  harness_free (h);
}

/* What is wrong with a program is told when something comes, whoever has looked before: at rest nobody hears it. */
static void
test_told_after_rest (void)
{
  Harness *h = alone ("scope.state-presenter");
  StateChange change = { .date = 5, .old_value = -1, .scope = STATE_NODE };

  harness_source (h, "changes", &state_type_change, NULL);
  harness_collect (h, "dated");
  for (int i = 0; i < 2; i++)
    eve_rest (harness_program (h), 10);
  g_assert_cmpuint (warnings, ==, 0);
  for (int i = 0; i < 2; i++) {
    harness_send (h, "changes", &state_type_change, &change);
    g_assert_cmpuint (warnings, ==, 1);
    eve_rest (harness_program (h), 10);
  }
  g_assert_nonnull (strstr (last_warning, "come from no simulator"));
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  make ();
  g_test_add_func ("/states/of thousands", test_wide);
  g_test_add_func ("/states/another simulator", test_replaced);
  g_test_add_func ("/states/damaged", test_damaged);
  g_test_add_func ("/states/balance", test_balance);
  g_test_add_func ("/states/other", test_other_states);
  g_test_add_func ("/states/told after a rest", test_told_after_rest);
  return g_test_run ();
}
