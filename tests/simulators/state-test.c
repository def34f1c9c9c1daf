/* SPDX-License-Identifier: Apache-2.0 */
/* state-test.c - the state graph as text: values, order, JSON, hash, and its libcgraph mirror. */
#include <graphviz/cgraph.h>
#include <math.h>
#include <string.h>

#include "play.h"
#include "simulators/mirror.h"

static Play *
small (void)
{
  Play *p = play_new (3, 1, true);

  trace_source_add_host (fake_source (p->fake), "host \"1\"", "LINUX64", 100);
  ((TraceTask *) fake_source (p->fake)->tasks->pdata[0])->host = 0;
  ((TraceTask *) fake_source (p->fake)->tasks->pdata[0])->program = g_strdup ("ring");
  ((TraceTask *) fake_source (p->fake)->tasks->pdata[1])->nickname = g_strdup ("worker <1> & \"co\"");
  fake (p->fake, 500000000, 250000000, "Send", 0, P (1), .tag = 1, .size = 4096);
  fake (p->fake, 800000000, 0, "Exit", 2);
  fake (p->fake, 900000000, FAKE_UNFINISHED, "Recv", 0, ASKED (2), .tag = 1);
  play_until (p, INT64_MAX);
  return p;
}

static void
test_values (void)
{
  g_autoptr (Play) p = small ();
  const StateGraph *g = &p->pvm->store.graph;
  uint32_t state = (uint32_t) state_attribute (g->model, STATE_NODE, "State");
  uint32_t clock = (uint32_t) state_attribute (g->model, STATE_NODE, "Clock");
  uint32_t traffic = (uint32_t) state_attribute (g->model, STATE_EDGE, "Traffic");
  uint32_t name = (uint32_t) state_attribute (g->model, STATE_EDGE, "Name");
  uint32_t overhead = (uint32_t) state_attribute (g->model, STATE_NODE, "PercentOverhead");

  g_assert_cmpint (state_attribute (g->model, STATE_EDGE, "Nickname"), ==, -1);
  g_assert_cmpfloat (state_number (g, state, 0, g->clock), ==, TASK_IDLE);
  g_assert_cmpfloat (state_number (g, clock, 0, g->clock), ==, 0.9);
  g_assert_cmpfloat (state_number (g, traffic, 0, g->clock), ==, 4096);
  g_assert_cmpfloat (state_number (g, overhead, 0, 1000000000), ==, 25);
  g_assert_true (isnan (state_number (g, name, 0, g->clock)));
  expect_task (p, 0, "Clock", "0.900000");
  expect_task (p, 0, "Host", "host \"1\"");
  expect_task (p, 0, "Program", "ring");
  expect_task (p, 1, "Nickname", "worker <1> & \"co\"");
  expect_task (p, 0, "Nickname", "t0");
  expect_link (p, 0, 1, "Destination", "worker <1> & \"co\"");
}

/* All the names of the thesis, in its order. */
static void
test_names (void)
{
  static const char *const names[] = {
    "Clock",           "ClockUnits", /* table 2.13 */
    "Clock",           "State",          "Name",           "Nickname",
    "Groups",          "Protagonists",   "PercentBusy",    "PercentOverhead",
    "PercentIdle",     "PercentTalking", /* 2.14 */
    "Phase",           "Host",           "Program",        "Clock",
    "State",           "Name",           "Origin",         "Destination",
    "Usage",           "Traffic",        "TotalTraffic",   "PercentUnused",
    "PercentOverhead", "PercentIdle",    "PercentTalking", /* 2.15 */
    "Messages",
  };
  g_autoptr (Play) p = play_new (2, 0, true);

  g_assert_cmpuint (p->pvm->store.model.n_attributes, ==, G_N_ELEMENTS (names));
  for (uint32_t i = 0; i < p->pvm->store.model.n_attributes; i++)
    g_assert_cmpstr (p->pvm->store.model.attributes[i].name, ==, names[i]);
}

static void
test_order (void)
{
  g_autoptr (Play) p = play_new (12, 0, false);

  for (uint32_t i = 12; i-- > 0;)
    fake (p->fake, 12 - i, 0, "Enroll", i);
  for (uint32_t i = 0; i < 12; i++)
    fake (p->fake, 20, 1, "Send", (i * 7) % 12, P ((i * 5) % 12), .tag = 1, .size = 1);
  fake (p->fake, 30, 0, "Exit", 3);
  play_until (p, 40);
  p->keep_the_dead = false;
  const StateGraph *g = &p->pvm->store.graph;
  g_autofree uint32_t *nodes = state_sorted (g, STATE_NODE), *edges = state_sorted (g, STATE_EDGE);
  g_assert_cmpuint (state_count (g, STATE_NODE), ==, 11);
  for (uint32_t i = 1; i < 11; i++)
    g_assert_cmpstr (g->node_id (g, nodes[i - 1]), <, g->node_id (g, nodes[i]));
  g_assert_cmpstr (g->node_id (g, nodes[11]), ==, "t3");
  for (uint32_t i = 1; i < state_count (g, STATE_EDGE); i++) {
    g_autoptr (GString) a = g_string_new (NULL), b = g_string_new (NULL);
    state_edge_id (g, edges[i - 1], a);
    state_edge_id (g, edges[i], b);
    g_assert_cmpstr (a->str, <, b->str);
  }
}

/* Whether an object stands before another: who is present does, then by id, of links that of the origin first. */
static bool
before (const StateGraph *g, StateScope scope, uint32_t a, uint32_t b)
{
  bool a_is = state_present (g, scope, a), b_is = state_present (g, scope, b);
  uint32_t from[2] = { a, b }, to[2] = { 0, 0 };

  if (a_is != b_is)
    return a_is;
  if (scope == STATE_EDGE) {
    g->edge_ends (g, a, &from[0], &to[0]);
    g->edge_ends (g, b, &from[1], &to[1]);
  }
  int order = strcmp (g->node_id (g, from[0]), g->node_id (g, from[1]));
  if (!order && scope == STATE_EDGE)
    order = strcmp (g->node_id (g, to[0]), g->node_id (g, to[1]));
  return order ? order < 0 : a < b;
}

/* The place of each is the number of those that stand before it; also of those that are absent. */
static void
test_order_at_random (void)
{
  for (guint32 seed = 1; seed <= 40; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    uint32_t n_tasks = (uint32_t) g_rand_int_range (rand, 2, 40);
    g_autoptr (Play) p = play_new (n_tasks, 0, false);
    for (int n = g_rand_int_range (rand, 0, 200), date = 10; n > 0; n--, date += 10)
      if (g_rand_int_range (rand, 0, 4))
        fake (p->fake, date, 1, "Send", (uint32_t) g_rand_int_range (rand, 0, (gint32) n_tasks),
              P ((uint32_t) g_rand_int_range (rand, 0, (gint32) n_tasks)), .tag = 1, .size = 1);
      else
        fake (p->fake, date, 0, "Exit", (uint32_t) g_rand_int_range (rand, 0, (gint32) n_tasks));
    play_until (p, INT64_MAX);
    p->keep_the_dead = g_rand_boolean (rand);
    const StateGraph *g = &p->pvm->store.graph;
    for (StateScope scope = STATE_NODE; scope <= STATE_EDGE; scope++) {
      uint32_t n = scope == STATE_NODE ? g->n_nodes : g->n_edges, present = 0;
      g_autofree uint32_t *order = state_sorted (g, scope);
      for (uint32_t i = 0; i < n; i++) {
        uint32_t place = 0;
        for (uint32_t k = 0; k < n; k++)
          place += k != i && before (g, scope, k, i);
        g_assert_cmpuint (order[place], ==, i);
        present += state_present (g, scope, i);
      }
      g_assert_cmpuint (state_count (g, scope), ==, present);
    }
  }
}

static void
test_json (void)
{
  g_autoptr (Play) p = small ();
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree char *want = NULL;

  state_json (&p->pvm->store.graph, 1000000000, json);
  want = g_strdup_printf (
      "{\"clock\": 1.000000, \"format\": \"fake\", \"hash\": \"%016" G_GINT64_MODIFIER "x\",\n"
      " \"graph\": {\"Clock\": \"0.900000\", \"ClockUnits\": \"s\"},\n"
      " \"nodes\": [\n"
      "  {\"id\": \"t0\", \"Clock\": \"0.900000\", \"State\": \"Idle\", \"Name\": \"t0\", \"Nickname\": \"t0\", "
      "\"Groups\": \"\", \"Protagonists\": \"t2\", \"PercentBusy\": \"65.0\", \"PercentOverhead\": \"25.0\", "
      "\"PercentIdle\": \"10.0\", \"PercentTalking\": \"0.0\", \"Phase\": \"\", \"Host\": \"host \\\"1\\\"\", "
      "\"Program\": \"ring\"},\n"
      "  {\"id\": \"t1\", \"Clock\": \"0.000000\", \"State\": \"Busy\", \"Name\": \"t1\", "
      "\"Nickname\": \"worker <1> & \\\"co\\\"\", \"Groups\": \"\", \"Protagonists\": \"\", \"PercentBusy\": "
      "\"100.0\", "
      "\"PercentOverhead\": \"0.0\", \"PercentIdle\": \"0.0\", \"PercentTalking\": \"0.0\", \"Phase\": \"\", "
      "\"Host\": \"\", \"Program\": \"\"},\n"
      "  {\"id\": \"t2\", \"Clock\": \"0.800000\", \"State\": \"Dead\", \"Name\": \"t2\", \"Nickname\": \"t2\", "
      "\"Groups\": \"\", \"Protagonists\": \"\", \"PercentBusy\": \"100.0\", \"PercentOverhead\": \"0.0\", "
      "\"PercentIdle\": \"0.0\", \"PercentTalking\": \"0.0\", \"Phase\": \"\", \"Host\": \"\", \"Program\": \"\"}],\n"
      " \"edges\": [\n"
      "  {\"id\": \"t0->t1\", \"from\": \"t0\", \"to\": \"t1\", \"Clock\": \"0.750000\", \"State\": \"Overhead\", "
      "\"Name\": \"t0->t1\", \"Origin\": \"t0\", \"Destination\": \"worker <1> & \\\"co\\\"\", \"Usage\": \"1\", "
      "\"Traffic\": \"4096\", \"TotalTraffic\": \"0\", \"PercentUnused\": \"0.0\", \"PercentOverhead\": \"100.0\", "
      "\"PercentIdle\": \"0.0\", \"PercentTalking\": \"0.0\", \"Messages\": \"0\"},\n"
      "  {\"id\": \"t2->t0\", \"from\": \"t2\", \"to\": \"t0\", \"Clock\": \"0.900000\", \"State\": \"Dead\", "
      "\"Name\": \"t2->t0\", \"Origin\": \"t2\", \"Destination\": \"t0\", \"Usage\": \"1\", \"Traffic\": \"0\", "
      "\"TotalTraffic\": \"0\", \"PercentUnused\": \"0.0\", \"PercentOverhead\": \"0.0\", \"PercentIdle\": \"0.0\", "
      "\"PercentTalking\": \"0.0\", \"Messages\": \"0\"}],\n"
      " \"times\": [\n"
      "  {\"id\": \"t0\", \"state\": \"Busy\", \"spent\": 0.650000, \"inclusive\": 0.650000, \"visits\": 2},\n"
      "  {\"id\": \"t0\", \"state\": \"Overhead\", \"spent\": 0.250000, \"inclusive\": 0.250000, \"visits\": 1},\n"
      "  {\"id\": \"t0\", \"state\": \"Idle\", \"spent\": 0.100000, \"inclusive\": 0.100000, \"visits\": 1},\n"
      "  {\"id\": \"t0\", \"state\": \"Talking\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t1\", \"state\": \"Busy\", \"spent\": 1.000000, \"inclusive\": 1.000000, \"visits\": 1},\n"
      "  {\"id\": \"t1\", \"state\": \"Overhead\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t1\", \"state\": \"Idle\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t1\", \"state\": \"Talking\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t2\", \"state\": \"Busy\", \"spent\": 0.800000, \"inclusive\": 0.800000, \"visits\": 1},\n"
      "  {\"id\": \"t2\", \"state\": \"Overhead\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t2\", \"state\": \"Idle\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0},\n"
      "  {\"id\": \"t2\", \"state\": \"Talking\", \"spent\": 0.000000, \"inclusive\": 0.000000, \"visits\": 0}]}\n",
      state_hash (&p->pvm->store.graph, 1000000000));
  g_assert_cmpstr (json->str, ==, want);
}

static void
test_hash (void)
{
  g_autoptr (Play) a = small (), b = small ();
  const StateGraph *g = &a->pvm->store.graph;

  g_assert_cmpuint (fake_source (a->fake)->number, !=, fake_source (b->fake)->number);
  g_assert_cmpuint (state_hash (g, 1000000000), ==, state_hash (&b->pvm->store.graph, 1000000000));
  g_assert_cmpuint (state_hash (g, 1000000000), !=, state_hash (g, 1000000001));
  g_assert_cmpuint (state_hash (g, 5), ==, state_hash (g, g->clock)); /* not before the last event */
  a->keep_the_dead = false;
  g_assert_cmpuint (state_hash (g, g->clock), !=, state_hash (&b->pvm->store.graph, g->clock));
}

static void
test_empty (void)
{
  g_autoptr (Play) p = play_new (1, 0, false);
  g_autoptr (GString) json = g_string_new (NULL), dot = g_string_new (NULL);

  state_json (&p->pvm->store.graph, INT64_MIN, json);
  g_assert_true (g_str_has_prefix (json->str, "{\"clock\": null, \"format\": "));
  g_assert_true (g_str_has_suffix (json->str, "\"nodes\": [],\n \"edges\": [],\n \"times\": []}\n"));
  state_dot (&p->pvm->store.graph, INT64_MIN, dot);
  Agraph_t *graph = agmemread (dot->str);
  g_assert_nonnull (graph);
  g_assert_cmpint (agnnodes (graph), ==, 0);
  agclose (graph);
}

/* ---- the mirror ---------------------------------------------------------------------------------------------- */

/* What Graphviz reads has every attribute of every object. */
static void
test_dot (void)
{
  g_autoptr (Play) p = small ();
  const StateGraph *g = &p->pvm->store.graph;
  g_autoptr (GString) dot = g_string_new (NULL), text = g_string_new (NULL);

  state_dot (g, 1000000000, dot);
  Agraph_t *graph = agmemread (dot->str);
  g_assert_nonnull (graph);
  g_assert_true (agisdirected (graph));
  g_assert_cmpint (agnnodes (graph), ==, 3);
  g_assert_cmpint (agnedges (graph), ==, 2);
  for (uint32_t a = 0; a < g->model->n_attributes; a++) {
    const StateAttribute *attribute = &g->model->attributes[a];
    for (uint32_t i = 0; i < (attribute->scope == STATE_NODE ? 3 : attribute->scope == STATE_EDGE ? 2 : 1); i++) {
      void *object = graph;
      if (attribute->scope == STATE_NODE) {
        object = agnode (graph, (char *) g->node_id (g, i), FALSE);
      } else if (attribute->scope == STATE_EDGE) {
        uint32_t from, to;
        g->edge_ends (g, i, &from, &to);
        object = agedge (graph, agnode (graph, (char *) g->node_id (g, from), FALSE),
                         agnode (graph, (char *) g->node_id (g, to), FALSE), NULL, FALSE);
      }
      g_assert_nonnull (object);
      g_string_truncate (text, 0);
      state_text (g, a, i, 1000000000, text);
      const char *got = agget (object, (char *) attribute->name);
      g_assert_cmpstr (got != NULL ? got : "", ==, text->str); /* the language has no word for empty */
    }
  }
  g_assert_cmpstr (agget (agnode (graph, (char *) "t2", FALSE), (char *) "fillcolor"), ==, "#7a7a7a");
  agclose (graph);
}

static void
test_mirror (void)
{
  g_autoptr (Play) p = play_new (3, 0, true);
  Mirror *m = mirror_new (&p->pvm->store.graph);

  fake (p->fake, 10, 1, "Send", 0, P (1), .tag = 1, .size = 7);
  fake (p->fake, 20, 1, "Send", 1, P (2), .tag = 1, .size = 7);
  fake (p->fake, 30, 0, "Exit", 1);
  mirror_want (m, STATE_NODE, "State");
  play_until (p, 15);
  mirror_update (m, 15);
  g_assert_cmpint (agnnodes (mirror_graph (m)), ==, 3);
  g_assert_cmpint (agnedges (mirror_graph (m)), ==, 1);
  g_assert_cmpstr (agget (mirror_node (m, 0), (char *) "State"), ==, "Busy");
  g_assert_null (agget (mirror_node (m, 0), (char *) "Clock")); /* nobody asked for it */
  g_assert_null (agget (mirror_edge (m, 0), (char *) "State"));
  mirror_want (m, STATE_EDGE, NULL);
  play_until (p, 20);
  mirror_update (m, 20);
  g_assert_cmpstr (agget (mirror_node (m, 1), (char *) "State"), ==, "Overhead");
  g_assert_cmpstr (agget (mirror_edge (m, 0), (char *) "Traffic"), ==, "7");
  play_until (p, 30);
  p->keep_the_dead = false;
  mirror_update (m, 30);
  g_assert_cmpint (agnnodes (mirror_graph (m)), ==, 2);
  g_assert_cmpint (agnedges (mirror_graph (m)), ==, 0);
  g_assert_null (mirror_node (m, 1));
  p->keep_the_dead = true;
  mirror_update (m, 30);
  g_assert_cmpint (agnnodes (mirror_graph (m)), ==, 3);
  g_assert_cmpint (agnedges (mirror_graph (m)), ==, 2);
  pvm_reset (p->pvm); /* back to the beginning */
  p->next = 0;
  mirror_update (m, INT64_MIN);
  g_assert_cmpint (agnnodes (mirror_graph (m)), ==, 0);
  play_until (p, 15);
  mirror_update (m, 15);
  g_assert_cmpint (agnedges (mirror_graph (m)), ==, 1);
  mirror_free (m);
}

/* The caption tells the instant that the attributes are of, between two events too. */
static void
test_caption (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);
  const TraceClock *clock = &fake_source (p->fake)->clock;

  fake (p->fake, 10, 0, "Send", 0, P (1), .tag = 1, .size = 7);
  fake (p->fake, 5000, 0, "Send", 1, P (1), .tag = 1, .size = 7);
  play_until (p, 4000);
  for (int64_t at = 10; at < 5000; at += 713) {
    g_autoptr (GString) dot = g_string_new (NULL);
    char date[64];
    trace_clock_print (clock, at, date, sizeof date);
    g_autofree char *caption = g_strdup_printf ("%s at %s %s</B>", p->pvm->store.graph.model->name, date, clock->units);
    state_dot (&p->pvm->store.graph, at, dot);
    g_assert_nonnull (strstr (dot->str, caption));
  }
}

/* A nickname that is not UTF-8 does not spoil the file. */
static void
test_mirror_bytes (void)
{
  g_autoptr (Play) p = play_new (1, 0, true);
  g_autoptr (GString) dot = g_string_new (NULL);

  ((TraceTask *) fake_source (p->fake)->tasks->pdata[0])->nickname = g_strdup ("caf\xe9 <b>\n\\N");
  play_until (p, 0);
  state_dot (&p->pvm->store.graph, 0, dot);
  g_assert_true (g_utf8_validate (dot->str, -1, NULL));
  Agraph_t *graph = agmemread (dot->str);
  g_assert_nonnull (graph);
  agclose (graph);
}

/* ---- changes as data on wires -------------------------------------------------------------------------------- */

static void
test_change_type (void)
{
  StateChange a, b;
  char text[100];

  for (uint64_t i = 0; i < 50; i++) {
    memset (&a, 0, sizeof a);
    memset (&b, 0, sizeof b);
    state_type_change.sample (&a, i);
    state_type_change.sample (&b, i);
    g_assert_cmpmem (&a, sizeof a, &b, sizeof b);
  }
  a = (StateChange){ .date = 5, .old_value = -1, .new_value = 3, .object = 9, .attribute = 4, .scope = STATE_EDGE };
  state_type_change.print (&a, text, sizeof text);
  g_assert_cmpstr (text, ==, "edge 9, attribute 4: -1 -> 3");
  state_type_change.print (&a, text, 8);
  g_assert_cmpstr (text, ==, "edge 9,");
  g_assert_cmpint (state_type_change.date (&a), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/state/values", test_values);
  g_test_add_func ("/state/names", test_names);
  g_test_add_func ("/state/order", test_order);
  g_test_add_func ("/state/order-at-random", test_order_at_random);
  g_test_add_func ("/state/json", test_json);
  g_test_add_func ("/state/hash", test_hash);
  g_test_add_func ("/state/empty", test_empty);
  g_test_add_func ("/state/dot", test_dot);
  g_test_add_func ("/state/mirror", test_mirror);
  g_test_add_func ("/state/caption", test_caption);
  g_test_add_func ("/state/mirror-bytes", test_mirror_bytes);
  g_test_add_func ("/state/change-type", test_change_type);
  return g_test_run ();
}
