/* SPDX-License-Identifier: Apache-2.0 */
/* component-test.c - the simulator as a component of a running program: what it emits, that nothing is lost when its
 * first event tells a large graph, and what its settings do. */
#include "play.h"
#include "tests/harness/harness.h"

enum { CROWD = 900 };

/* A trace of many tasks. */
typedef struct Crowd {
  Hand *hand;
  TraceSource *source;
  GArray *events;
} Crowd;

static Crowd
crowd (void)
{
  Crowd c = { .hand = hand_new () };
  TraceSynth what = { .tasks = CROWD, .records = 12000, .seed = 2 };

  g_assert_true (tape_synth (c.hand->folder, &what, NULL));
  c.source = hand_open (c.hand);
  c.events = hand_read (c.source);
  return c;
}

static void
crowd_clear (Crowd *c)
{
  trace_close (c->source);
  g_array_unref (c->events);
  hand_free (c->hand);
}

static Harness *
harness_of (const GArray *events)
{
  Harness *h = harness_new (eve_registry_find ("scope.ouf-simulator"));

  harness_feed (h, "events", &trace_type_event, events->data, events->len);
  return h;
}

static const StateGraph *
graph_of (Harness *h)
{
  return eve_query (harness_component (h), "state-graph/1");
}

/* A consumer that stops in the middle of what the first event told: saved there, and gone on elsewhere, nothing is
 * missing and nothing comes twice. */
static void
test_stop_inside_an_event (void)
{
  Crowd c = crowd ();
  Harness *whole = harness_of (c.events), *h = harness_of (c.events), *later = harness_of (c.events);
  g_autoptr (GError) error = NULL;
  size_t n;

  g_assert_cmpint (c.source->number, >, 0); /* without a reader, events in rings find it by the trace's name */
  harness_collect_at_most (whole, "changes", INT64_MAX);
  harness_collect_at_most (h, "changes", CROWD + 77);
  harness_collect_at_most (later, "changes", INT64_MAX);
  g_assert_cmpint (harness_run (whole), ==, EVE_IDLE);
  harness_run (h);
  g_assert_cmpuint (graph_of (h)->n_events, ==, 1); /* its changes are still going out */
  g_assert_cmpuint (graph_of (h)->n_nodes, ==, CROWD);
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
  g_assert_cmpuint (state_hash (graph_of (whole), INT64_MIN), ==, state_hash (graph_of (later), INT64_MIN));
  g_assert_cmpuint (graph_of (whole)->n_impossible, ==, 0);
  eve_blob_free (b);
  harness_free (whole);
  harness_free (h);
  harness_free (later);
  crowd_clear (&c);
}

/* Changes, played back one on the other, give what the columns hold; whether somebody listens or not, the state is the
 * same. */
static void
test_changes (gconstpointer all_nodes)
{
  Crowd c = crowd ();
  Harness *h = harness_of (c.events), *alone = harness_of (c.events);
  const char *settings[] = { "threads", "semaphores", "processors" };
  size_t n;

  for (int i = 0; i < 3 && all_nodes != NULL; i++) {
    harness_set (h, settings[i], "true");
    harness_set (alone, settings[i], "true");
  }
  harness_collect (h, "changes");
  g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
  g_assert_cmpint (harness_run (alone), ==, EVE_IDLE);
  const StateGraph *g = graph_of (h);
  const StateChange *change = harness_collected (h, "changes", &n);
  g_assert_cmpuint (n, ==, g->n_updates);
  g_assert_cmpuint (g->n_updates, ==, graph_of (alone)->n_updates);
  g_assert_cmpuint (state_hash (g, INT64_MIN), ==, state_hash (graph_of (alone), INT64_MIN));
  g_assert_true ((g->n_nodes > CROWD) == (all_nodes != NULL));
  g_autoptr (GHashTable) values = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  for (size_t i = 0; i < n; i++) {
    gint64 key = (gint64) change[i].attribute << 32 | change[i].object;
    const int64_t *before = g_hash_table_lookup (values, &key);
    bool state = strcmp (g->model->attributes[change[i].attribute].name, "State") == 0;
    g_assert_cmpint (change[i].old_value, ==, before != NULL ? *before : state ? -1 : 0);
    g_assert_cmpint (change[i].old_value, !=, change[i].new_value);
    g_assert_true (i == 0 || change[i].date >= change[i - 1].date);
    g_hash_table_insert (values, g_memdup2 (&key, sizeof key), g_memdup2 (&change[i].new_value, sizeof (int64_t)));
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
      g_assert_cmpint (last != NULL ? *last : 0, ==,
                       attribute->kind == STATE_ENUM ? *(const uint8_t *) cell : *(const int64_t *) cell);
    }
  }
  harness_free (h);
  harness_free (alone);
  crowd_clear (&c);
}

/* The other two outputs: states of tasks alone, and messages with the dates of their send and receive. */
static void
test_states_and_messages (void)
{
  g_autoptr (Play) p = play_new (true);
  size_t n;

  p->processors = true;
  hand (p->hand, A, 0, Send, 0, 10, 30, AB, 1000);
  hand (p->hand, B, 0, Receive, 0, 20, 15, AB, 4096);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 35, 15, AB, 1000, 1, 0);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 40, 30, AB, 1000, 1, 0);
  hand (p->hand, B, 0, Receive, 0, 50, 20, CB, 4096);
  hand (p->hand, C, 0, Send, 0, 60, 9, CB, 90);
  hand (p->hand, C, 0, EndSend, TAPE_Send, 69, 9, CB, 80, 1, -2);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 70, 20, CB, 80, 1, -2);
  hand (p->hand, B, 0, Receive, 0, 80, 5, CB, 4096);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 85, 5, CB, 0, 0, -1);
  play_until (p, -1);
  Harness *h = harness_of (p->events);
  harness_set (h, "processors", "true");
  harness_collect (h, "states");
  harness_collect (h, "messages");
  g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
  const StateMessage *m = harness_collected (h, "messages", &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (m[0].sent, ==, 10);
  g_assert_cmpint (m[0].received, ==, 35);
  g_assert_cmpint (m[0].size, ==, 1000);
  g_assert_cmpuint (m[0].from, ==, A);
  g_assert_cmpuint (m[0].to, ==, B);
  g_assert_cmpint (m[1].sent, ==, 60);
  g_assert_cmpint (m[1].received, ==, 70);
  g_assert_cmpint (m[1].size, ==, 80);
  g_assert_cmpuint (m[1].from, ==, C);
  const StateChange *s = harness_collected (h, "states", &n);
  const StateModel *state = graph_of (h)->model;
  g_autoptr (GString) text = g_string_new (NULL);
  for (size_t i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT "%c%s", i > 0 ? " " : "", s[i].date, 'a' + (int) s[i].object,
                            state->attributes[AT_STATE].values[s[i].new_value].name);
  g_assert_cmpstr (
      text->str, ==,
      "0aUnused 0bUnused 0cUnused 0aBusy 0bBusy 0cBusy 10aIdle 20aTalking 20bTalking 35bBusy 40aBusy 50bIdle "
      "60bTalking 60cTalking 69cBusy 70bBusy 80bIdle 85bBusy");
  harness_free (h);
}

/* Once a program has shown its calls, an event allocates nothing. */
static void
test_no_allocation (void)
{
  Crowd c = crowd ();
  bool keep = true, no = false;
  Ouf *p = ouf_new (&keep, &no, &no, &no);
  uint64_t before = 0;

  if (!harness_allocations_counted ()) {
    g_test_skip ("allocations are not counted here");
  } else {
    for (guint i = 0; i < c.events->len; i++) {
      const TraceEvent *e = &g_array_index (c.events, TraceEvent, i);
      if (i == c.events->len / 2)
        before = harness_allocations ();
      /* alternatives are left out: their list is read from the record */
      if (strstr (c.source->kinds[e->kind].name, "Alt") == NULL)
        ouf_step (p, e);
    }
    g_assert_cmpuint (harness_allocations (), ==, before);
  }
  ouf_free (p);
  crowd_clear (&c);
}

/* Settings that make nodes count from the next start on; the dead go at once. */
static void
test_settings (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, TskDth, 0, 9, 0, 0);
  play_until (p, -1);
  Harness *h = harness_of (p->events);
  harness_run (h);
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 3);
  harness_set (h, "threads", "true");
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 3);
  harness_set (h, "keep the dead", "false");
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 2);
  eve_reset (harness_program (h));
  g_assert_cmpuint (graph_of (h)->n_events, ==, 0);
  harness_run (h);
  g_assert_cmpuint (state_count (graph_of (h), STATE_NODE), ==, 4); /* b, c and their threads */
  g_assert_null (eve_query (harness_component (h), "state-graph/2"));
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  eve_registry_load_all (NULL);
  g_test_add_func ("/ouf-component/stop-inside-an-event", test_stop_inside_an_event); /* first */
  g_test_add_data_func ("/ouf-component/changes", NULL, test_changes);
  g_test_add_data_func ("/ouf-component/changes-of-all", "all", test_changes);
  g_test_add_func ("/ouf-component/states-and-messages", test_states_and_messages);
  g_test_add_func ("/ouf-component/no-allocation", test_no_allocation);
  g_test_add_func ("/ouf-component/settings", test_settings);
  return g_test_run ();
}
