/* SPDX-License-Identifier: Apache-2.0 */
/* pvm-component-test.c - the simulator as a component of a running program: what it emits, and that nothing is lost
 * when one event changes thousands of attributes. */
#include <string.h>

#include "play.h"
#include "tests/harness/harness.h"

extern const EveClass *const eve_plugin[];

enum { CROWD = 2000 };

/* One task speaks to all others at once, twice; half of them wait for it the second time. */
static Play *
crowd (void)
{
  Play *p = play_new (CROWD, 1, true);
  uint32_t list[CROWD];

  for (uint32_t i = 0; i < CROWD; i++)
    list[i] = i;
  fake (p->fake, 10, 10, "Mcast", 0, .list = list, .n_list = CROWD, .tag = 1, .size = 100);
  for (uint32_t i = 1; i < CROWD; i++) {
    fake (p->fake, 30, 5, "Recv", i, P (0), .tag = 1, .size = 100, .result = 1);
    if (i % 2)
      fake (p->fake, 40, 20, "Recv", i, P (0), .tag = 2, .size = 50, .result = 1);
  }
  fake (p->fake, 50, 5, "Mcast", 0, .list = list, .n_list = CROWD, .tag = 2, .size = 50);
  fake (p->fake, 100, 0, "Exit", 0);
  p->events = fake_events (p->fake, &p->n);
  return p;
}

/* `most`: how many changes are collected before the sink is full; 0: it is not connected. */
static Harness *
harness_of (const Play *p, int64_t most)
{
  Harness *h = harness_new (eve_plugin[0]);

  harness_feed (h, "events", &trace_type_event, p->events, p->n);
  if (most > 0)
    harness_collect_at_most (h, "changes", most);
  return h;
}

static const StateGraph *
graph_of (Harness *h)
{
  return eve_query (harness_component (h), "state-graph/1");
}

/* Changes, played back one on the other, give what the columns hold. */
static void
test_changes (void)
{
  g_autoptr (Play) p = crowd ();
  Harness *h = harness_of (p, INT64_MAX);
  size_t n;

  g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
  const StateGraph *g = graph_of (h);
  const StateChange *c = harness_collected (h, "changes", &n);
  g_assert_cmpuint (n, ==, g->n_updates);
  g_assert_cmpuint (g->n_events, ==, p->n);
  g_assert_cmpuint (g->n_impossible, ==, 0);
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  int64_t date = INT64_MIN;
  for (size_t i = 0; i < n; i++) {
    gint64 key = (gint64) c[i].attribute << 32 | c[i].object;
    const int64_t *before = g_hash_table_lookup (values, &key);
    bool state = strcmp (g->model->attributes[c[i].attribute].name, "State") == 0;
    g_assert_cmpint (c[i].old_value, ==, before != NULL ? *before : state ? -1 : 0);
    g_assert_cmpint (c[i].old_value, !=, c[i].new_value);
    g_assert_cmpint (c[i].date, >=, date);
    g_assert_cmpint (g->model->attributes[c[i].attribute].scope, ==, c[i].scope);
    date = c[i].date;
    g_hash_table_insert (values, g_memdup2 (&key, sizeof key), g_memdup2 (&c[i].new_value, sizeof (int64_t)));
  }
  for (uint32_t a = 0; a < g->model->n_attributes; a++) {
    const StateAttribute *attribute = &g->model->attributes[a];
    size_t stride;
    const char *column = g->model->column (g, a, &stride);
    uint32_t objects = attribute->scope == STATE_NODE ? g->n_nodes : g->n_edges;
    if (column == NULL || attribute->kind == STATE_DATE || attribute->scope == STATE_GRAPH)
      continue;
    for (uint32_t i = 0; i < objects; i++) {
      gint64 key = (gint64) a << 32 | i;
      const int64_t *last = g_hash_table_lookup (values, &key);
      const void *cell = column + stride * i;
      int64_t now = attribute->kind == STATE_ENUM ? *(const uint8_t *) cell : *(const int64_t *) cell;
      g_assert_cmpint (last != NULL ? *last : 0, ==, now);
    }
  }
  harness_free (h);
}

/* Whether somebody listens or not, the state is the same. */
static void
test_alone (void)
{
  g_autoptr (Play) p = crowd ();
  Harness *a = harness_of (p, INT64_MAX), *b = harness_of (p, 0);

  harness_run (a);
  harness_run (b);
  g_assert_cmpuint (state_hash (graph_of (a), 200), ==, state_hash (graph_of (b), 200));
  g_assert_cmpuint (graph_of (a)->n_updates, ==, graph_of (b)->n_updates);
  g_assert_null (eve_query (harness_component (a), "state-graph/2"));
  eve_reset (harness_program (a));
  g_assert_cmpuint (graph_of (a)->n_nodes, ==, 0);
  g_assert_cmpuint (graph_of (a)->n_events, ==, 0);
  harness_free (a);
  harness_free (b);
}

/* A consumer that stops in the middle of what one event changed: saved there, and gone on elsewhere, nothing is
 * missing and nothing comes twice. */
static void
test_stop_inside_an_event (void)
{
  g_autoptr (Play) p = crowd ();
  /* events in a ring find their source again by the trace's name, as the program has no reader; 0 is no source's */
  g_assert_cmpint (fake_source (p->fake)->number, >, 0);
  Harness *whole = harness_of (p, INT64_MAX), *h = harness_of (p, CROWD + 1500), *later = harness_of (p, INT64_MAX);
  g_autoptr (GError) error = NULL;
  size_t n;

  harness_run (whole);
  harness_run (h);
  const Pvm *half = (const Pvm *) graph_of (h);
  g_assert_true (half->store.outbox.halfway);
  EveBlob *b = eve_blob_new ();
  eve_program_save_run (harness_program (h), b);
  const uint8_t *bytes = eve_blob_data (b, &n);
  g_assert_true (eve_program_load_run (harness_program (later), bytes, n, NULL, &error));
  g_assert_no_error (error);
  harness_run (later);
  g_assert_cmpstr (harness_difference (whole, later), ==, NULL);
  harness_limit (h, "changes", INT64_MAX);
  harness_run (h);
  g_assert_cmpstr (harness_difference (whole, h), ==, NULL);
  g_assert_cmpuint (state_hash (graph_of (whole), 200), ==, state_hash (graph_of (later), 200));
  eve_blob_free (b);
  harness_free (whole);
  harness_free (h);
  harness_free (later);
}

/* The other two outputs: states of tasks alone, and messages with the dates of their send and receive. */
static void
test_states_and_messages (void)
{
  g_autoptr (Play) p = play_new (3, 0, false);
  Harness *h;
  size_t n, n_states = 0, n_all;

  for (uint32_t i = 0; i < 3; i++) /* nodes in another order than tasks, by which these outputs count */
    fake (p->fake, 0, 0, "Enroll", (i + 2) % 3);

  fake (p->fake, 10, 5, "Send", 0, P (1), .tag = 7, .size = 100); /* received later */
  fake (p->fake, 20, 5, "Send", 0, P (1), .tag = 7, .size = 100); /* same tag and size: keeps its own date */
  fake (p->fake, 30, 5, "Recv", 1, P (0), .tag = 7, .size = 100, .result = 1);
  fake (p->fake, 40, 5, "Recv", 1, P (0), .tag = 7, .size = 100, .result = 1);
  fake (p->fake, 50, 20, "Recv", 2, P (0), .tag = 8, .size = 9, .result = 1); /* waited for */
  fake (p->fake, 60, 5, "Send", 0, P (2), .tag = 8, .size = 9);
  fake (p->fake, 80, 20, "Send", 0, P (2), .tag = 9, .size = 4); /* received before it has returned */
  fake (p->fake, 85, 10, "Recv", 2, P (0), .tag = 9, .size = 4, .result = 1);
  fake (p->fake, 110, 10, "TRecv", 2, ASKED (1), .tag = 9, .result = 0); /* no message */
  p->events = fake_events (p->fake, &p->n);
  h = harness_of (p, INT64_MAX);
  harness_collect (h, "states");
  harness_collect (h, "messages");
  g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
  const StateMessage *m = harness_collected (h, "messages", &n);
  static const StateMessage want[] = {
    { .sent = 10, .received = 35, .size = 100, .from = 0, .to = 1, .tag = 7 },
    { .sent = 20, .received = 45, .size = 100, .from = 0, .to = 1, .tag = 7 },
    { .sent = 60, .received = 70, .size = 9, .from = 0, .to = 2, .tag = 8 },
    { .sent = 80, .received = 95, .size = 4, .from = 0, .to = 2, .tag = 9 },
  };
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (want));
  for (size_t i = 0; i < n; i++) {
    g_assert_cmpint (m[i].sent, ==, want[i].sent);
    g_assert_cmpint (m[i].received, ==, want[i].received);
    g_assert_cmpint (m[i].size, ==, want[i].size);
    g_assert_cmpuint (m[i].from, ==, want[i].from);
    g_assert_cmpuint (m[i].to, ==, want[i].to);
    g_assert_cmpint (m[i].tag, ==, want[i].tag);
  }
  const StateChange *states = harness_collected (h, "states", &n), *all = harness_collected (h, "changes", &n_all);
  for (size_t i = 0; i < n_all; i++)
    if (all[i].attribute == NODE_STATE) {
      g_assert_cmpuint (n_states, <, n);
      StateChange same = all[i];
      same.object = task_at ((const Pvm *) graph_of (h), same.object)->node.task;
      g_assert_cmpmem (&same, sizeof same, &states[n_states], sizeof same);
      n_states++;
    }
  g_assert_cmpuint (n_states, ==, n);
  g_assert_cmpuint (n, >, 10);
  harness_free (h);
}

/* Once a program has shown its tasks, links and tags, an event allocates nothing. */
static void
test_no_allocation (void)
{
  g_autoptr (Play) p = play_new (64, 1, true);
  uint64_t before;
  int64_t span = 0;

  for (uint32_t i = 0; i < 64; i++)
    for (uint32_t k = 1; k < 5; k++) {
      uint32_t to = (i + k) % 64;
      int64_t t = 1000 * (i + 64 * k);
      fake (p->fake, t, 10, "Phase", i, .word = "w");
      fake (p->fake, t + 1, 5, "Send", i, P (to), .tag = (int32_t) k, .size = k);
      fake (p->fake, t + 2, 10, "Recv", to, P (i), .tag = (int32_t) k, .size = k, .result = 1);
      fake (p->fake, t + 20, 5, "PkInt", to);
      span = MAX (span, t + 1000);
    }
  play_until (p, INT64_MAX);
  expect_possible (p);
  if (!harness_allocations_counted ()) {
    g_test_skip ("allocations are not counted here");
    return;
  }
  before = harness_allocations ();
  for (int turn = 1; turn < 20; turn++)
    for (size_t i = 64; i < p->n; i++) {
      TraceEvent e = p->events[i];
      e.date += span * turn;
      pvm_step (p->pvm, &e);
    }
  g_assert_cmpuint (harness_allocations (), ==, before);
  expect_possible (p);
}

static void
test_settings (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);
  Harness *h;

  fake (p->fake, 10, 10, "PkInt", 0);
  fake (p->fake, 30, 0, "Exit", 1);
  p->events = fake_events (p->fake, &p->n);
  h = harness_of (p, 0);
  harness_set (h, "ignore packing", "true");
  harness_run (h);
  int busy = state_attribute (graph_of (h)->model, STATE_NODE, "PercentBusy");
  g_assert_cmpfloat (state_number (graph_of (h), (uint32_t) busy, 0, 30), ==, 100);
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 2);
  harness_set (h, "keep the dead", "false");
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 1);
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pvm-component/stop-inside-an-event", test_stop_inside_an_event); /* first */
  g_test_add_func ("/pvm-component/changes", test_changes);
  g_test_add_func ("/pvm-component/alone", test_alone);
  g_test_add_func ("/pvm-component/states-and-messages", test_states_and_messages);
  g_test_add_func ("/pvm-component/no-allocation", test_no_allocation);
  g_test_add_func ("/pvm-component/settings", test_settings);
  return g_test_run ();
}
