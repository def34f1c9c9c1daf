/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: test-@NAME@ @NAME@.so */
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "simulators/state.h"

static const char *component;

/* ---- a trace without a file, and a source of its events ---------------------------------------------------------- */
static const TraceKind kinds[] = { { .name = "Call", .end_name = "EndCall", .category = "function" } };
static const TraceFormat format = { .name = "toy", .label = "Toy", .model = "Toy" };
static TraceSource *trace;

/* date, task, flags */
static const int64_t plan[][3] = {
  { 0, 0, TRACE_INSTANT }, /* t1 comes into being */
  { 100, 0, 0 },           /* it calls ... */
  { 150, 1, 0 },           /* t2 comes into being with a call */
  { 200, 0, 0 },           /* ... and calls again, inside */
  { 250, 0, TRACE_END },
  { 300, 0, TRACE_END },
  { 300, 1, TRACE_END },
  { 350, 1, TRACE_END }, /* impossible: it is in no call */
  { 400, 0, TRACE_INSTANT },
};

typedef struct Source {
  EveBase base;
  int64_t at;
} Source;

static EveSupply
produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;

  for (; max && self->at < (int64_t) EVE_N (plan); max--, self->at++) {
    const int64_t *p = plan[self->at];
    TraceEvent e = { .date = p[0], .number = (uint64_t) self->at, .task = (uint32_t) p[1], .peer = TRACE_NONE,
                     .object = TRACE_NONE, .tag = -1, .flags = (uint8_t) p[2], .source = trace->number };
    if (!eve_emit (self->base.out[0], &e))
      break;
  }
  return self->at < (int64_t) EVE_N (plan) ? EVE_MORE : EVE_END;
}

static const EveOutSpec outs[] = { { "out", &trace_type_event, .doc = "Events." } };
static const EveField state[] = { { "at", EVE_F_INT64, offsetof (Source, at) } };
static const EveClass source_class = {
  EVE_CLASS_HEAD, .id = "test.source", .label = "Source", .category = "Tests", .doc = "Gives events.", .version = 1,
  .outs = outs, .n_outs = 1, .state = state, .n_state = 1, .instance_size = sizeof (Source), .produce = produce,
};

static EveProgram *
make (EveComponent **simulator)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_new ();
  EveComponent *source = eve_add (p, &source_class, "Source", &error);

  eve_registry_load_file (component, &classes, &error);
  g_assert_no_error (error);
  *simulator = eve_add (p, classes[0], "Simulator", &error);
  eve_connect (p, source, "out", *simulator, "events", &error);
  g_assert_no_error (error);
  return p;
}

static void
expect (const StateGraph *g, const char *attribute, uint32_t node, int64_t at, const char *want)
{
  g_autoptr (GString) got = g_string_new (NULL);

  state_text (g, (uint32_t) state_attribute (g->model, STATE_NODE, attribute), node, at, got);
  g_assert_cmpstr (got->str, ==, want);
}

static void
test_states (void)
{
  EveComponent *c;
  EveProgram *p = make (&c);
  const StateGraph *g = eve_query (c, "state-graph/1");

  g_assert_cmpint (eve_run (p, -1), ==, EVE_IDLE);
  g_assert_cmpuint (g->n_nodes, ==, 2);
  g_assert_cmpuint (g->n_edges, ==, 0);
  g_assert_cmpuint (g->n_events, ==, EVE_N (plan));
  g_assert_cmpuint (g->n_impossible, ==, 1);
  g_assert_cmpuint (g->n_updates, ==, 12); /* two beginnings, Active and Quiet of each, six depths */
  g_assert_cmpstr (g->node_id (g, 1), ==, "t2");
  expect (g, "State", 0, 400, "Quiet");
  expect (g, "Clock", 0, 400, "0.300000");
  expect (g, "PercentActive", 0, 400, "50.0"); /* 100 to 300, of 0 to 400 */
  expect (g, "PercentActive", 1, 450, "50.0"); /* 150 to 300, of 150 to 450 */
  eve_program_free (p);
}

static void
test_travel (void) /* saved at every place and gone on with elsewhere: the same graph */
{
  EveComponent *c, *d;
  EveProgram *p = make (&c), *q;

  eve_run (p, -1);
  uint64_t want = state_hash (eve_query (c, "state-graph/1"), 400);
  eve_reset (p);
  for (int rounds = 0; rounds < 20; rounds++, eve_run (p, 0)) {
    EveBlob *blob = eve_blob_new ();
    const uint8_t *bytes;
    size_t n;

    eve_program_save_run (p, blob);
    bytes = eve_blob_data (blob, &n);
    q = make (&d);
    g_assert_true (eve_program_load_run (q, bytes, n, NULL, NULL));
    eve_run (q, -1);
    g_assert_cmphex (state_hash (eve_query (d, "state-graph/1"), 400), ==, want);
    eve_program_free (q);
    eve_blob_free (blob);
  }
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  component = argv[1];
  trace = g_new0 (TraceSource, 1);
  trace_source_setup (trace, &format, "/nowhere/toy.trace", NULL);
  trace->clock = (TraceClock) { 1000, "s" };
  trace->kinds = kinds;
  trace->n_kinds = EVE_N (kinds);
  trace_source_add_task (trace, "t1", 1);
  trace_source_add_task (trace, "t2", 2);
  g_test_add_func ("/@NAME@/states", test_states);
  g_test_add_func ("/@NAME@/travel", test_travel);
  status = g_test_run ();
  trace_source_clear (trace);
  g_free (trace);
  return status;
}
