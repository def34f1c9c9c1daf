/* SPDX-License-Identifier: Apache-2.0 */
/* Source Lines of calls that are inside of each other deeper than it keeps apart, and what damaged run states do to it
 * and to Sound. */
#include "readers/reader.h"
#include "simulators/state.h"
#include "statistics/findings.h"
#include "tests/components/keep.h"

#define DEEP 5000 /* calls: more than are kept apart */

static const TraceKind kinds[] = {
  { "Enter", "Enter", "call", NULL, 0, true, .acts = TRACE_ACT_ENTER },
  { "Leave", "Leave", "call", NULL, 0, true, .acts = TRACE_ACT_LEAVE },
};

/* The record of an event is the line that it stands at. */
static bool
site_of (TraceSource *s, const TraceEvent *e, const char **file, uint32_t *line, const char **function)
{
  *file = "deep.c";
  *line = (uint32_t) e->record;
  *function = NULL;
  return true;
}

static const TraceFormat format = { .name = "toy", .label = "Toy", .model = "Toy", .site = site_of };
static TraceSource source;

static TraceEvent
event (int64_t date, uint16_t kind, int64_t line)
{
  return (TraceEvent){
    .date = date, .kind = kind, .record = (uint64_t) line, .source = source.number, .object = TRACE_NONE
  };
}

static void
feed_event (Harness *h, int64_t date, uint16_t kind, int64_t line)
{
  TraceEvent e = event (date, kind, line);

  harness_feed (h, "events", &trace_type_event, &e, 1);
}

static const StatsTable *
row_of (Harness *h, const char *place, uint32_t *row)
{
  size_t n;
  StatsTable *const *all = harness_collected (h, "lines", &n);

  g_assert_cmpuint (n, ==, 1);
  for (*row = 0; *row < all[0]->n_rows; ++*row)
    if (strcmp (stats_cell (all[0], *row, 0)->text, place) == 0)
      return all[0];
  g_error ("there is no row %s", place);
}

/* Each call takes a tick by itself on the way down, and none on the way up; then there is another call. */
static void
test_deep (void)
{
  Harness *h = alone ("scope.source-lines");
  int64_t date = 0;
  uint32_t row;

  harness_collect (h, "lines");
  feed_event (h, date, 0, 1);
  for (int i = 0; i < DEEP; i++)
    feed_event (h, ++date, 0, 2);
  for (int i = 0; i < DEEP; i++)
    feed_event (h, date, 1, 0);
  feed_event (h, date + 100, 1, 0); /* that of line 1 */
  feed_event (h, date + 200, 0, 3);
  feed_event (h, date + 300, 1, 0);
  run_to_end (h);
  const StatsTable *t = row_of (h, "deep.c:1", &row);
  g_assert_cmpint (stats_cell (t, row, 3)->whole, ==, 1);
  g_assert_cmpfloat_with_epsilon (stats_cell (t, row, 6)->real, (DEEP + 100) / 1000.0, 1e-9); /* time */
  g_assert_cmpfloat_with_epsilon (stats_cell (t, row, 4)->real, 101 / 1000.0, 1e-9);          /* alone */
  t = row_of (h, "deep.c:2", &row);
  g_assert_cmpint (stats_cell (t, row, 3)->whole, ==, DEEP);
  g_assert_cmpfloat_with_epsilon (stats_cell (t, row, 6)->real, (DEEP - 1) / 1000.0, 1e-9);
  t = row_of (h, "deep.c:3", &row);
  g_assert_cmpfloat_with_epsilon (stats_cell (t, row, 4)->real, 0.1, 1e-9);
  harness_free (h);
}

/* What is told in sentences and as figures is of the instant of the tables: a call that lasts, lasts until then. */
static void
test_told_as_given (void)
{
  Harness *h = alone ("scope.source-lines");
  uint32_t row;

  source.last = 10000;
  harness_collect (h, "lines");
  feed_event (h, 0, 0, 1);
  feed_event (h, 4000, 0, 2);
  run_to_end (h);
  const StatsTable *t = row_of (h, "deep.c:1", &row);
  g_assert_cmpfloat_with_epsilon (stats_cell (t, row, 6)->real, 10, 1e-9);
  const StatsFigures *f = eve_query (harness_component (h), "figures/1");
  StatsTable *told = f->table (harness_component (h), 0);
  for (uint32_t k = 0; k < told->n_rows; k++)
    for (uint32_t c = 4; c < told->n_columns; c++)
      g_assert_cmpfloat (stats_cell (told, k, c)->real, ==, stats_cell (t, k, c)->real);
  stats_unref (&stats_type_table, told);
  source.last = 0;
  harness_free (h);
}

/* A model of its own words, and another of the same trace that has no state. */
static const StateAttribute of_links[] = { { "Load", STATE_EDGE, STATE_INT } };
static const StateAttribute of_tasks[] = {
  { "Load", STATE_NODE, STATE_INT },
  { "Doing", STATE_NODE, STATE_INT, .role = STATE_ROLE_STATE },
};
static const StateModel stateless = { .name = "Links",
                                      .attributes = of_links,
                                      .n_attributes = G_N_ELEMENTS (of_links) };
static const StateModel doing = { .name = "Doers", .attributes = of_tasks, .n_attributes = G_N_ELEMENTS (of_tasks) };
static StateGraph graphs[] = { { &stateless, .n_nodes = 1 }, { &doing, .n_nodes = 1 } };

static const void *
stateless_query (EveComponent *c, const char *name)
{
  return strcmp (name, "state-graph/1") == 0 ? &graphs[0] : NULL;
}

static const void *
doing_query (EveComponent *c, const char *name)
{
  return strcmp (name, "state-graph/1") == 0 ? &graphs[1] : NULL;
}

/* What is selected with a row is the state as the model of the trace calls it, wherever that stands in the program. */
static void
test_role_of_states (void)
{
  static const EveClass links = { EVE_CLASS_HEAD,
                                  .id = "test.links",
                                  .label = "Links",
                                  .category = "Test",
                                  .doc = "Links.",
                                  .version = 1,
                                  .instance_size = sizeof (EveBase),
                                  .query = stateless_query };
  static const EveClass doers = { EVE_CLASS_HEAD,
                                  .id = "test.doers",
                                  .label = "Doers",
                                  .category = "Test",
                                  .doc = "Doers.",
                                  .version = 1,
                                  .instance_size = sizeof (EveBase),
                                  .query = doing_query };
  g_autoptr (GError) error = NULL;

  g_assert_true (eve_registry_add (&links, &error) && eve_registry_add (&doers, &error));
  for (int with = 0; with < 3; with++) { /* no model, one of another trace, that of the trace */
    Harness *h = alone ("scope.source-lines");
    uint32_t row;
    if (with > 0) {
      g_assert_nonnull (eve_add (harness_program (h), &links, "Links", &error));
      g_assert_nonnull (eve_add (harness_program (h), &doers, "Doers", &error));
    }
    graphs[0].source = graphs[1].source = (uint16_t) (source.number + (with == 1));
    harness_collect (h, "lines");
    feed_event (h, 0, 0, 1);
    feed_event (h, 4000, 1, 0);
    run_to_end (h);
    const StatsTable *t = row_of (h, "deep.c:1", &row);
    TraceRef one = stats_table_owner (t, row, false);
    const char *call = stats_cell (t, row, 2)->text;
    g_assert_true (trace_ref_same (one, trace_ref_value (with == 2 ? "Doing" : "State", call)));
    harness_free (h);
  }
}

/* ---- damaged run states ---------------------------------------------------------------------------------------------- */
static void
load_state (Harness *h, EveBlob *state)
{
  size_t n;
  const uint8_t *bytes = eve_blob_data (state, &n);
  EveBlobView *view = eve_blob_view_new (bytes, n);

  eve_component_load_run (harness_component (h), view);
  eve_blob_view_free (view);
  eve_blob_free (state);
}

/* It says that lines are known, and has none. */
static void
test_no_lines (void)
{
  Harness *h = alone ("scope.source-lines");
  EveBlob *state = eve_blob_new ();

  for (int i = 0; i < 7; i++) /* two of the engine; no place, no stack, none beyond them, lines, a date */
    eve_put_int (state, i == 5);
  trace_put_source (harness_program (h), 0, state);
  load_state (h, state);
  const StatsAnswer *a = eve_query (harness_component (h), "answer/1");
  g_autofree char *text = a->tell (harness_component (h), "lines");
  harness_free (h);
}

/* More data have come than cells can be counted for. */
static void
test_sound_of_many (void)
{
  Harness *h = alone ("scope.sound");

  harness_set (h, "file", "");
  feed (h, "in", NUMBERS (1));
  for (int64_t given = (int64_t) 1e18; given > 1e17; given -= (int64_t) 1e16) { /* 20 cells each */
    EveBlob *state = eve_blob_new ();
    eve_put_int (state, 0); /* of the engine */
    eve_put_int (state, 0);
    eve_put_text (state, "given");
    eve_put_int (state, given);
    eve_put_int (state, 0); /* no cell is used */
    trace_put_source (harness_program (h), 0, state);
    load_state (h, state);
    feed (h, "in", NUMBERS (1));
    run (h);
  }
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  eve_registry_load_all (problems);
  trace_source_setup (&source, &format, "/nowhere/toy.trace", NULL);
  source.clock = (TraceClock){ 1000, "s" };
  source.kinds = kinds;
  source.n_kinds = G_N_ELEMENTS (kinds);
  trace_source_add_task (&source, "t0", 0);
  g_test_add_func ("/calls/deep", test_deep);
  g_test_add_func ("/calls/told as given", test_told_as_given);
  g_test_add_func ("/calls/role of states", test_role_of_states);
  g_test_add_func ("/calls/no lines", test_no_lines);
  g_test_add_func ("/sound/many", test_sound_of_many);
  return g_test_run ();
}
