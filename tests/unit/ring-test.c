/* SPDX-License-Identifier: Apache-2.0 */
/* Ports: buffering, fan-out, fan-in in order of arrival, back-pressure, counted references, spans. */
#include "tests/unit/boxes.h"

static void
test_fan_out (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *sinks[1000];

  set_int (from, "count", 2000);
  for (int i = 0; i < 1000; i++) {
    sinks[i] = box (p, &box_sink, NULL);
    wire (from, "out", sinks[i], "in");
  }
  run_idle (p);
  for (int i = 0; i < 1000; i++) {
    g_assert_cmpuint (box_count (sinks[i]), ==, 2000);
    g_assert_cmpuint (box_hash (sinks[i]), ==, box_hash (sinks[0]));
  }
  for (guint i = 0; i < 2000; i++)
    g_assert_cmpint (box_logged (sinks[999], i), ==, i);
  eve_program_free (p);
}

/* 1000 outputs into one input: everything arrives, the data of each in their order. */
static void
test_fan_in (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *to = box (p, &box_sink, "To");
  int64_t next[1000] = { 0 };

  for (int i = 0; i < 1000; i++) {
    EveComponent *from = box (p, &box_source, NULL);

    set_int (from, "first", i * 1000);
    set_int (from, "count", 100);
    wire (from, "out", to, "in");
  }
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 100000);
  for (guint i = 0; i < 100000; i++) {
    int64_t v = box_logged (to, i);

    g_assert_cmpint (v % 1000, ==, next[v / 1000]++);
  }
  eve_program_free (p);
}

/* In order of arrival: what was sent first is consumed first, whoever sent it. */
static void
test_arrival_order (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_caller, "A"), *b = box (p, &box_caller, "B"), *gate = box (p, &box_gate, "Gate");
  EveComponent *to = box (p, &box_sink, "To");

  wire (a, "out", gate, "in");
  wire (b, "out", gate, "in");
  wire (gate, "out", to, "in");
  set (gate, "open", "false");
  for (int64_t i = 0; i < 100; i++)
    box_call (i % 3 ? a : b, i);
  eve_run (p, -1);
  g_assert_cmpuint (box_count (to), ==, 0);
  set (gate, "open", "true");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 100);
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  eve_program_free (p);
}

/* Fan-in of two outputs of one box, and of one that is disconnected half way. */
static void
test_fan_in_edit (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *split = box (p, &box_split, "Split"),
               *gate = box (p, &box_gate, "Gate");
  EveComponent *to = box (p, &box_sink, "To");

  set_int (from, "count", 50);
  wire (from, "out", split, "in");
  wire (split, "even", gate, "in");
  wire (split, "odd", gate, "in");
  wire (gate, "out", to, "in");
  set (gate, "open", "false");
  eve_run (p, -1);
  g_assert_true (eve_disconnect (p, split, "even", gate, "in"));
  set (gate, "open", "true");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 25); /* the wire took its data with it */
  for (guint i = 0; i < 25; i++)
    g_assert_cmpint (box_logged (to, i), ==, 2 * i + 1);
  eve_program_free (p);
}

/* One slow consumer delays its producer; the quick one beside it loses nothing, and neither does the slow one. */
static void
test_back_pressure (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *tiny = box (p, &box_tiny, "Tiny"),
               *gate = box (p, &box_gate, "Gate");
  EveComponent *slow = box (p, &box_sink, "Slow"), *quick = box (p, &box_sink, "Quick");
  EveComponent *aside = box (p, &box_source, "Aside"), *free_to = box (p, &box_sink, "Free");

  set_int (from, "count", 3000);
  set_int (aside, "count", 4000);
  wire (from, "out", tiny, "in");
  wire (tiny, "out", gate, "in");
  wire (tiny, "out", quick, "in");
  wire (gate, "out", slow, "in");
  wire (aside, "out", free_to, "in");
  set (gate, "open", "false");
  g_assert_cmpint (eve_run (p, -1), ==, EVE_STALLED);
  g_assert_cmpuint (box_count (free_to), ==, 4000); /* who can work is not held up */
  g_assert_cmpuint (box_count (quick), <, 10);      /* a ring of one datum */
  for (int i = 0; i < 20; i++) {
    set (gate, "open", "true");
    for (int k = 0; k < 30; k++)
      eve_run (p, 0);
    set (gate, "open", "false");
    for (int k = 0; k < 30; k++)
      eve_run (p, 0);
  }
  set (gate, "open", "true");
  run_idle (p);
  g_assert_cmpuint (box_count (slow), ==, 3000);
  g_assert_cmpuint (box_hash (slow), ==, box_hash (quick));
  eve_program_free (p);
}

static void
test_tiny_rings (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *at = from, *to = box (p, &box_sink, "To");

  set_int (from, "count", 500);
  for (int i = 0; i < 100; i++) {
    EveComponent *c = box (p, i < 9 && i % 3 == 2 ? &box_twice : &box_tiny, NULL);

    wire (at, "out", c, "in");
    at = c;
  }
  wire (at, "out", to, "in");
  g_assert_cmpuint (eve_room (eve_base (at)->out[0]), ==, 1);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 500 * 8);
  for (guint i = 0; i < 500 * 8; i++)
    g_assert_cmpint (box_logged (to, i), ==, i / 8);
  eve_program_free (p);
}

/* What waits at an input, in its order: which caller sent it, and what. */
typedef struct Waiting {
  EveComponent *from;
  int64_t value;
} Waiting;

static void
drop_waiting (GArray *waiting, const EveComponent *from)
{
  guint kept = 0;

  for (guint i = 0; i < waiting->len; i++)
    if (g_array_index (waiting, Waiting, i).from != from)
      g_array_index (waiting, Waiting, kept++) = g_array_index (waiting, Waiting, i);
  g_array_set_size (waiting, kept);
}

/* Wires come and go, by themselves or with their box, while data wait at an input of several: what the others sent
 * comes, in the order in which it was sent. */
static void
test_wires_go (void)
{
  for (guint32 seed = 1; seed <= 40; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    g_autoptr (GArray) waiting = g_array_new (FALSE, FALSE, sizeof (Waiting));
    EveProgram *p = eve_program_new ();
    EveComponent *gate = box (p, &box_gate, "Gate"), *to = box (p, &box_sink, "To"), *callers[6];
    bool wired[EVE_N (callers)] = { false };
    guint came = 0;

    wire (gate, "out", to, "in");
    set (gate, "open", "false");
    for (guint i = 0; i < EVE_N (callers); i++)
      callers[i] = box (p, &box_caller, NULL);
    for (int64_t step = 0; step < 400; step++) {
      guint i = (guint) g_rand_int_range (rand, 0, EVE_N (callers));
      switch (g_rand_int_range (rand, 0, 12)) {
      case 0:
        if (wired[i])
          g_assert_true (eve_disconnect (p, callers[i], "out", gate, "in"));
        else
          wire (callers[i], "out", gate, "in");
        wired[i] = !wired[i];
        drop_waiting (waiting, callers[i]);
        break;
      case 1:
        eve_remove (p, callers[i]);
        drop_waiting (waiting, callers[i]);
        callers[i] = box (p, &box_caller, NULL);
        wired[i] = false;
        break;
      case 2: /* all of it comes */
        set (gate, "open", "true");
        run_idle (p);
        for (guint k = 0; k < waiting->len; k++, came++)
          if (box_logged (to, came) != g_array_index (waiting, Waiting, k).value)
            g_error ("seed %u, step %d: %d came instead of %d", seed, (int) step, (int) box_logged (to, came),
                     (int) g_array_index (waiting, Waiting, k).value);
        g_assert_cmpuint (box_count (to), ==, came);
        g_array_set_size (waiting, 0);
        set (gate, "open", "false");
        break;
      default:
        for (int n = g_rand_int_range (rand, 1, 4); n > 0; n--) {
          box_call (callers[i], 1000 * step + n);
          if (wired[i])
            g_array_append_vals (waiting, &(Waiting){ callers[i], 1000 * step + n }, 1);
        }
        eve_run (p, -1);
      }
    }
    eve_program_free (p);
  }
}

/* ---- counted references ---- */
static void
things (int rounds, bool load, bool remove)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_things, "From"), *pass = box (p, &box_thing_pass, "Pass");
  EveComponent *echo = box (p, &box_thing_echo, "Echo"), *one = box (p, &box_thing_sink, "One");
  EveComponent *two = box (p, &box_thing_sink, "Two"), *any = box (p, &box_any, "Any"),
               *pulse = box (p, &box_pulse, "Pulse");

  wire (from, "out", pass, "in");
  wire (from, "out", echo, "in");
  wire (pass, "out", one, "in");
  wire (echo, "out", one, "in");
  wire (pass, "out", any, "in");
  wire (any, "out", two, "in");
  wire (any, "out", pulse, "in");
  set_int (from, "count", 1000);
  for (int i = 0; i < rounds; i++)
    eve_run (p, 0);
  if (load) {
    EveBlob *b = eve_blob_new ();
    size_t n;
    const uint8_t *bytes;

    eve_program_save_run (p, b);
    for (int i = 0; i < rounds; i++)
      eve_run (p, 0);
    bytes = eve_blob_data (b, &n);
    g_assert_true (eve_program_load_run (p, bytes, n, NULL, NULL));
    g_assert_true (eve_program_load_run (p, bytes, n, NULL, NULL));
    eve_blob_free (b);
  }
  if (remove) {
    eve_remove (p, pass);
    for (int i = 0; i < rounds; i++)
      eve_run (p, 0);
    eve_remove (p, from);
  } else if (rounds > 10000) {
    run_idle (p);
    g_assert_cmpuint (box_count (one), ==, 2 * 1000 * 999 / 2);
    g_assert_cmpuint (box_count (two), ==, 1000 * 999 / 2);
    g_assert_cmpuint (box_count (pulse), ==, 1000);
  }
  if (rounds & 1)
    eve_reset (p);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
  g_assert_cmpint (box_thing_refs, ==, 0);
}

static void
test_things (void)
{
  for (int rounds = 0; rounds < 40; rounds++)
    for (int how = 0; how < 4; how++)
      things (rounds, how & 1, how & 2);
  things (20000, false, false);
  things (20001, true, false);
}

/* After a reset nothing but what somebody holds is alive: the rings let go. */
static void
test_things_reset (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_things, "From"), *pass = box (p, &box_thing_pass, "Pass");
  EveComponent *to = box (p, &box_thing_sink, "To");

  wire (from, "out", pass, "in");
  wire (pass, "out", to, "in");
  set_int (from, "count", 100);
  for (int i = 0; i < 9; i++)
    eve_run (p, 0);
  eve_reset (p);
  g_assert_cmpint (box_things_alive, ==, 0);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 100 * 99 / 2);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
}

/* ---- spans and reservations ---- */
static uint32_t spans, longest;
static void
span_pass (EveComponent *c, uint32_t n)
{
  const int64_t *v = eve_take_span (eve_base (c)->in[0], n);
  uint32_t room = n;
  int64_t *to = eve_reserve (eve_base (c)->out[0], &room);

  spans++;
  longest = MAX (longest, n);
  g_assert_cmpuint (eve_waiting (eve_base (c)->in[0]), >=, 0);
  if (!eve_out_connected (eve_base (c)->out[0])) {
    g_assert_null (to);
    g_assert_cmpuint (room, ==, 0);
    return;
  }
  g_assert_nonnull (v);
  g_assert_cmpuint (room, ==, n); /* there is room for a span */
  for (uint32_t i = 0; i < n; i++)
    to[i] = v[i];
  eve_commit (eve_base (c)->out[0], n);
}

static void
test_spans (void)
{
  EveClass klass = box_pass;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *c, *to = box (p, &box_sink, "To"), *at = from;

  klass.fire_span = span_pass;
  set_int (from, "count", 100003);
  for (int i = 0; i < 3; i++) {
    c = box (p, &klass, NULL);
    wire (at, "out", c, "in");
    at = c;
  }
  spans = longest = 0;
  run_idle (p); /* outputs unconnected */
  g_assert_cmpuint (spans, >, 0);
  eve_reset (p);
  wire (at, "out", to, "in");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 100003);
  for (guint i = 0; i < 100003; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  g_assert_cmpuint (longest, >, 1);
  g_assert_cmpuint (longest, <=, 256);
  g_assert_cmpuint (eve_component_firings (c), ==, 100003); /* a span of n counts for n */
  eve_program_free (p);
}

static void
peek_fire (EveComponent *c)
{
  EveIn *in = eve_base (c)->in[0];
  EveOut *out = eve_base (c)->out[0];
  const int64_t *v = eve_peek (in), *w;
  uint64_t waits = eve_waiting (in);

  g_assert_nonnull (v);
  g_assert_true (eve_peek (in) == v);
  w = eve_take (in);
  g_assert_cmpint (*w, ==, *v);
  if (waits > 1) { /* more may be taken at once */
    const int64_t *second = eve_take (in);
    int64_t sum;

    g_assert_nonnull (second);
    sum = *w + *second;
    eve_emit (out, &sum);
  } else {
    g_assert_null (eve_take (in));
    g_assert_null (eve_peek (in));
    eve_emit (out, w);
  }
}

static void
test_peek (void)
{
  EveClass klass = box_pass;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *c, *to = box (p, &box_sink, "To");
  int64_t sum = 0;

  klass.fire_span = NULL;
  klass.fire = peek_fire;
  c = box (p, &klass, "Peek");
  set_int (from, "count", 1001);
  wire (from, "out", c, "in");
  wire (c, "out", to, "in");
  run_idle (p);
  for (guint i = 0; i < box_log (to)->len; i++)
    sum += box_logged (to, i);
  g_assert_cmpint (sum, ==, 1000 * 1001 / 2);
  eve_program_free (p);
}

/* An output that emits more than it said: refused when there is no room, never lost in silence, nothing overwritten. */
static void
test_greedy (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *greedy = box (p, &box_greedy, "Greedy"),
               *to = box (p, &box_sink, "To");
  EveRun run;

  set_int (from, "count", 300);
  wire (from, "out", greedy, "in");
  wire (greedy, "out", to, "in");
  run = eve_run (p, -1);
  if (run == EVE_RUN_FAILED)
    assert_contains (eve_program_failure (p, NULL), "Greedy");
  else {
    g_assert_cmpint (run, ==, EVE_IDLE);
    g_assert_cmpuint (box_count (to) + box_refused (greedy), ==, 900);
    g_assert_cmpuint (box_refused (greedy), >, 0);
  }
  eve_program_free (p);
}

/* Nobody connected: emission is true and free. */
static void
test_unconnected (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_twice, "Pass");

  set_int (from, "count", 100000);
  wire (from, "out", pass, "in");
  g_assert_cmpuint (eve_room (eve_base (pass)->out[0]), ==, UINT32_MAX);
  g_assert_false (eve_out_connected (eve_base (pass)->out[0]));
  g_assert_true (eve_emit_steal (eve_base (pass)->out[0], &(int64_t){ 7 })); /* nobody takes it, and nobody owned it */
  g_assert_true (eve_in_connected (eve_base (pass)->in[0]));
  run_idle (p);
  g_assert_true (eve_program_ended (p));
  g_assert_cmpuint (eve_component_firings (pass), ==, 100000);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ring/fan-out", test_fan_out);
  g_test_add_func ("/ring/fan-in", test_fan_in);
  g_test_add_func ("/ring/arrival-order", test_arrival_order);
  g_test_add_func ("/ring/fan-in-edit", test_fan_in_edit);
  g_test_add_func ("/ring/wires-go", test_wires_go);
  g_test_add_func ("/ring/back-pressure", test_back_pressure);
  g_test_add_func ("/ring/tiny-rings", test_tiny_rings);
  g_test_add_func ("/ring/things", test_things);
  g_test_add_func ("/ring/things-reset", test_things_reset);
  g_test_add_func ("/ring/spans", test_spans);
  g_test_add_func ("/ring/peek", test_peek);
  g_test_add_func ("/ring/greedy", test_greedy);
  g_test_add_func ("/ring/unconnected", test_unconnected);
  return g_test_run ();
}
