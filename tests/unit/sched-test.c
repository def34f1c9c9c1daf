/* SPDX-License-Identifier: Apache-2.0 */
/* Who works when: order, cycles, handlers, substitution, stalls, ends. */
#include <malloc.h>
#include "tests/unit/boxes.h"

/* ---- order ---- */
static GPtrArray *fired;
static void
noted_fire (EveComponent *c)
{
  g_ptr_array_add (fired, c);
  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
}

/* Boxes added and wired in a random order fire from up to down for each datum. */
static void
test_topological (void)
{
  for (guint32 seed = 1; seed < 20; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    EveClass noted = box_any;
    EveProgram *p = eve_program_new ();
    EveComponent *boxes[30], *from;
    uint32_t place[30];

    noted.fire = noted_fire;
    fired = g_ptr_array_new ();
    for (uint32_t i = 0; i < 30; i++)
      place[i] = i;
    for (uint32_t i = 29; i > 0; i--) {
      uint32_t k = (uint32_t) g_rand_int_range (rand, 0, (gint32) i + 1), t = place[i];

      place[i] = place[k];
      place[k] = t;
    }
    for (uint32_t i = 0; i < 30; i++) /* boxes[k] has only wires to later k */
      boxes[place[i]] = box (p, &noted, NULL);
    from = box (p, &box_source, "From");
    set_int (from, "count", 1);
    for (uint32_t i = 1; i < 30; i++)
      wire (boxes[g_rand_int_range (rand, 0, (gint32) i)], "out", boxes[i], "in");
    wire (from, "out", boxes[0], "in");
    run_idle (p);
    g_assert_cmpuint (fired->len, ==, 30);
    for (uint32_t i = 0; i < eve_n_wires (p); i++) {
      EveWire w = eve_wire (p, i);
      guint a, b;

      if (g_ptr_array_find (fired, w.from, &a)) {
        g_assert_true (g_ptr_array_find (fired, w.to, &b));
        g_assert_cmpuint (a, <, b);
      }
    }
    g_ptr_array_unref (fired);
    eve_program_free (p);
  }
}

/* A join far down gets both of its data in one sweep; what is upstream of a cycle runs before the cycle. */
static void
test_before_cycle (void)
{
  EveClass noted = box_any;
  EveProgram *p = eve_program_new ();
  EveComponent *in_cycle, *loop, *up[3], *from;
  guint first = G_MAXUINT;

  noted.fire = noted_fire;
  fired = g_ptr_array_new ();
  in_cycle = box (p, &noted, "In cycle"); /* added first, yet it comes last */
  loop = box (p, &box_loop, "Loop");
  wire (loop, "again", in_cycle, "in");
  wire (in_cycle, "out", loop, "in");
  for (int i = 2; i >= 0; i--) {
    up[i] = box (p, &noted, NULL);
    if (i < 2)
      wire (up[i], "out", up[i + 1], "in");
  }
  wire (up[2], "out", loop, "in");
  from = box (p, &box_source, "From");
  set_int (from, "count", 1);
  set_int (from, "first", 50);
  wire (from, "out", up[0], "in");
  run_idle (p);
  g_assert_true (g_ptr_array_find (fired, in_cycle, &first));
  for (int i = 0; i < 3; i++)
    g_assert_true (fired->pdata[i] == up[i]);
  g_assert_cmpuint (first, ==, 3);
  g_assert_cmpuint (fired->len, ==, 3 + 50);
  g_ptr_array_unref (fired);
  eve_program_free (p);
}

/* ---- cycles ---- */
#define TURNS 10000000 /* box_few() of them */

static uintptr_t stack_low, stack_high;
static void
note_stack (void)
{
  uintptr_t here = (uintptr_t) __builtin_frame_address (0);

  stack_low = MIN (stack_low, here);
  stack_high = MAX (stack_high, here);
}

static void
async_pass (EveComponent *c, EveIn *in, const void *datum)
{
  note_stack ();
  eve_emit (eve_base (c)->out[0], datum);
}

static void
sync_pass (EveComponent *c)
{
  note_stack ();
  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
}

/* Ten million turns in a cycle of `length` boxes, in constant stack and memory. */
static void
cycle (bool async, int length)
{
  EveInSpec in = { "in", NULL, EVE_ASYNC, .on_datum = async_pass, .doc = "Anything." };
  EveClass pass = box_any;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");
  EveComponent *loop = box (p, async ? &box_echo_loop : &box_loop, "Loop"), *at = loop;
  int turns = box_few (TURNS) / length;
  size_t before;

  pass.fire = sync_pass;
  if (async) {
    pass.ins = &in;
    pass.fire = NULL;
  }
  set_int (from, "first", turns);
  set_int (from, "count", 1);
  wire (from, "out", loop, "in");
  wire (loop, "done", to, "in");
  for (int i = 1; i < length; i++) {
    EveComponent *c = box (p, &pass, NULL);

    wire (at, at == loop ? "again" : "out", c, "in");
    at = c;
  }
  wire (at, at == loop ? "again" : "out", loop, "in");
  for (int i = 0; i < 300; i++)
    eve_run (p, 0);
  before = mallinfo2 ().uordblks;
  stack_low = UINTPTR_MAX;
  stack_high = 0;
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 1);
  g_assert_cmpuint (eve_component_firings (loop), ==, (uint64_t) turns + 1);
  g_assert_cmpuint (mallinfo2 ().uordblks, <, before + 100000);
  if (length > 1)
    g_assert_cmpuint (stack_high - stack_low, <, 256 * 1024);
  eve_program_free (p);
}

static void
test_cycles (void)
{
  static const int lengths[] = { 1, 2, 100 };

  for (uint32_t i = 0; i < EVE_N (lengths); i++) {
    cycle (false, lengths[i]);
    cycle (true, lengths[i]);
  }
}

/* A cycle that multiplies: bounded rings and an endless supply cannot end well; it must end in a named stall or keep
 * within its budget, not in a crash. */
static void
test_exploding_cycle (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *twice = box (p, &box_twice, "Twice"),
               *tiny = box (p, &box_tiny, "Tiny");
  EveRun run;

  set_int (from, "count", 5);
  wire (from, "out", twice, "in");
  wire (twice, "out", tiny, "in");
  wire (tiny, "out", twice, "in");
  run = eve_run (p, 3000000000);
  if (run == EVE_STALLED) {
    assert_contains (eve_program_stall (p), "Twice");
    assert_contains (eve_program_stall (p), "Tiny");
  } else
    g_assert_cmpint (run, ==, EVE_BUDGET);
  eve_program_free (p);
}

/* ---- handlers ---- */
static void
test_sync_and_async (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *value = box (p, &box_caller, "Value"), *gain = box (p, &box_caller, "Gain"),
               *hold = box (p, &box_hold, "Hold");
  EveComponent *to = box (p, &box_sink, "To");
  static const int64_t expected[] = { 1, 20, 30, 400, 5 };

  g_assert_cmpint (eve_class (hold)->ins[1].role, ==, EVE_CONTROL);
  wire (value, "out", hold, "value");
  wire (gain, "out", hold, "gain");
  wire (hold, "out", to, "in");
  box_call (value, 1);
  run_idle (p);
  box_call (gain, 10);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 1); /* a control datum alone fires nothing */
  box_call (value, 2);
  run_idle (p);
  box_call (value, 3);
  run_idle (p);
  box_call (gain, 100);
  box_call (value, 4);
  run_idle (p);
  box_call (gain, 7);
  box_call (gain, 1);
  box_call (value, 5);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, EVE_N (expected));
  for (guint i = 0; i < EVE_N (expected); i++)
    g_assert_cmpint (box_logged (to, i), ==, expected[i]);
  eve_program_free (p);
}

/* A handler is called at once: before the emission that brought the datum returns, where nothing is in the way. */
static int seen_inside;
static void
inside_fire (EveComponent *c)
{
  EveComponent *echo_sink = eve_find (eve_program (c), "Hold");

  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
  seen_inside += eve_component_firings (echo_sink) > 0;
}

static void
test_at_once (void)
{
  EveClass inside = box_any;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *c, *hold = box (p, &box_hold, "Hold");

  inside.fire = inside_fire;
  seen_inside = 0;
  set_int (from, "count", 1);
  c = box (p, &inside, "Inside");
  wire (from, "out", c, "in");
  wire (c, "out", hold, "gain");
  run_idle (p);
  g_assert_cmpint (seen_inside, ==, 1);
  eve_program_free (p);
}

/* A chain of 2000 handlers does not nest without bound, and loses nothing. */
static void
test_handler_chain (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *at = from, *to = box (p, &box_sink, "To");

  set_int (from, "count", 1000);
  for (int i = 0; i < 2000; i++) {
    EveComponent *c = box (p, &box_echo, NULL);

    wire (at, "out", c, "in");
    at = c;
  }
  wire (at, "out", to, "in");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 1000);
  for (guint i = 0; i < 1000; i++)
    g_assert_cmpint (box_logged (to, i), ==, i + 2000);
  eve_program_free (p);
}

/* ---- substitution ---- */
static void
test_substitution (void)
{
  EveProgram *p = eve_program_new (), *elsewhere = eve_program_new ();
  EveComponent *caller = box (p, &box_caller, "Caller"), *proxy = box (p, &box_proxy, "Proxy"),
               *to = box (p, &box_sink, "To");
  EveComponent *scale = box (p, &box_scale, "Scale"), *add = box (p, &box_add, "Add");
  static const int64_t expected[] = { 1, 2001, 3002, 4, 5 };

  wire (caller, "out", proxy, "in");
  wire (proxy, "out", to, "in");
  box_call (caller, 1); /* itself */
  run_idle (p);
  box_proxy_for (proxy, scale); /* another: with its settings and state, on the proxy's ports */
  box_call (caller, 2);
  box_call (caller, 3);
  run_idle (p);
  box_proxy_for (proxy, NULL); /* none: the datum waits */
  box_call (caller, 4);
  eve_run (p, -1);
  g_assert_cmpuint (box_count (to), ==, 3);
  g_assert_false (eve_program_ended (p));
  box_proxy_for (proxy, proxy);
  box_call (caller, 5); /* news: asked again */
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, EVE_N (expected));
  for (guint i = 0; i < EVE_N (expected); i++)
    g_assert_cmpint (box_logged (to, i), ==, expected[i]);
  box_proxy_for (proxy, add); /* one that has other ports */
  box_call (caller, 6);
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  assert_contains (eve_program_failure (p, NULL), "Proxy");
  assert_contains (eve_program_failure (p, NULL), "ports");
  eve_program_clear_failure (p);
  box_proxy_for (proxy, box (elsewhere, &box_scale, "Far")); /* one of another program */
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  eve_program_clear_failure (p);
  box_proxy_for (proxy, proxy);
  run_idle (p);
  g_assert_cmpint (box_logged (to, 5), ==, 6); /* nothing was lost on the way */
  eve_program_free (p);
  eve_program_free (elsewhere);
}

/* ---- stalls ---- */
static void
unbalanced (EveProgram *p, const EveClass *source, const EveClass *delay, EveComponent **to)
{
  EveComponent *from = box (p, source, "From"), *a = box (p, delay, "Short"), *b = box (p, &box_every, "Hundredth");
  EveComponent *add = box (p, &box_add, "Add");

  *to = box (p, &box_sink, "To");
  set_int (from, "count", 5000);
  set_int (b, "n", 100);
  wire (from, "out", a, "in");
  wire (from, "out", b, "in");
  wire (a, "out", add, "a");
  wire (b, "out", add, "b");
  wire (add, "out", *to, "in");
}

/* A join that needs a hundred of one for one of the other: only larger rings help, and they grow. */
static void
test_artificial_deadlock (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *to;

  unbalanced (p, &box_source, &box_small, &to);
  eve_run (p, -1); /* what the join has no partner for stays */
  g_assert_cmpuint (box_count (to), ==, 50);
  for (guint i = 0; i < 50; i++)
    g_assert_cmpint (box_logged (to, i), ==, i + 100 * i);
  eve_program_free (p);
}

/* Where no ring may grow, the stall is a sentence that names the loop. */
static void
test_stall_named (void)
{
  EveOutSpec fixed = { "out", &eve_type_int64, .capacity = 4, .fixed = true, .doc = "Number." };
  EveClass source = box_source;
  EveProgram *p = eve_program_new ();
  EveComponent *to;
  const char *stall;

  source.outs = &fixed;
  unbalanced (p, &source, &box_tiny, &to);
  g_assert_cmpint (eve_run (p, -1), ==, EVE_STALLED);
  stall = eve_program_stall (p);
  assert_contains (stall, "Short.out is full");
  assert_contains (stall, "Add.b");
  assert_contains (stall, "From");
  g_assert_cmpint (eve_run (p, -1), ==, EVE_STALLED); /* still */
  assert_contains (eve_program_stall (p), "Short.out is full");
  g_assert_true (eve_disconnect (p, eve_find (p, "Short"), "out", eve_find (p, "Add"), "a"));
  g_assert_cmpint (eve_run (p, -1), !=, EVE_STALLED);
  g_assert_null (eve_program_stall (p));
  eve_program_free (p);
}

/* A consumer that never takes is named; the others go on. */
static void
test_never_consumes (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *rude = box (p, &box_rude, "Rude");
  EveComponent *other = box (p, &box_source, "Other"), *to = box (p, &box_sink, "To");
  EveRun run;

  set_int (from, "count", 100000);
  set_int (other, "count", 100000);
  wire (from, "out", rude, "in");
  wire (other, "out", to, "in");
  run = eve_run (p, -1);
  if (run == EVE_STALLED)
    assert_contains (eve_program_stall (p), "Rude");
  else {
    g_assert_cmpint (run, ==, EVE_RUN_FAILED);
    assert_contains (eve_program_failure (p, NULL), "Rude");
  }
  g_assert_cmpuint (box_count (to), ==, 100000);
  g_assert_false (eve_program_ended (p));
  eve_program_free (p);
}

static void
test_required (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_source, "A"), *b = box (p, &box_caller, "B"), *needy = box (p, &box_needy, "Needy");
  EveComponent *to = box (p, &box_sink, "To");

  wire (a, "out", needy, "a");
  wire (needy, "out", to, "in");
  eve_run (p, -1);
  g_assert_cmpuint (box_count (to), ==, 0);
  wire (b, "out", needy, "b");
  for (int64_t i = 0; i < 10; i++)
    box_call (b, i);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  eve_program_free (p);
}

/* ---- size ---- */
static void
test_long_chain (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *at = from, *to = box (p, &box_sink, "To");
  gint64 begin = g_get_monotonic_time ();
  /* Far more than rings hold; what counts is how many boxes there are. */
  guint count = g_getenv ("SCOPE_SANITIZED") ? 100 : g_getenv ("SCOPE_ALL") ? 1000 : 300;

  set_int (from, "count", count);
  for (int i = 0; i < 10000; i++) {
    g_autofree char *name = g_strdup_printf ("Box %d", i);
    EveComponent *c = box (p, i % 2 ? &box_pass : &box_tiny, name);

    wire (at, "out", c, "in");
    at = c;
  }
  wire (at, "out", to, "in");
  g_test_message ("made in %.2f s", (double) (g_get_monotonic_time () - begin) / 1e6);
  begin = g_get_monotonic_time ();
  run_idle (p);
  g_test_message ("run in %.2f s", (double) (g_get_monotonic_time () - begin) / 1e6);
  g_assert_cmpuint (box_count (to), ==, count);
  for (guint i = 0; i < count; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, count);
  eve_program_free (p);
}

/* ---- ends, budgets, pauses ---- */
static void
test_at_end (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_source, "A"), *b = box (p, &box_source, "B"), *sum = box (p, &box_ender, "Sum");
  EveComponent *sum_of_sum = box (p, &box_ender, "Sum of sum"), *to = box (p, &box_sink, "To");

  set_int (b, "count", 1000);
  wire (a, "out", sum, "in");
  wire (b, "out", sum, "in");
  wire (sum, "out", sum_of_sum, "in");
  wire (sum_of_sum, "out", to, "in");
  for (int i = 0; i < 3; i++) {
    run_idle (p);
    g_assert_true (eve_program_ended (p));
    g_assert_cmpuint (box_count (to), ==, 1); /* once, and only when everything above has ended */
    g_assert_cmpint (box_logged (to, 0), ==, 45 + 999 * 1000 / 2);
    eve_reset (p);
  }
  eve_program_free (p);
}

static bool
say_minus_one (EveComponent *c)
{
  static const int64_t said = -1;

  eve_emit (eve_base (c)->out[0], &said);
  return true;
}

/* What is said at the end, where the consumer has no room when the end comes. */
static void
test_at_end_waits (void)
{
  EveProgram *p = eve_program_new ();
  EveClass tail = box_tiny;

  tail.at_end = say_minus_one;
  EveComponent *a = box (p, &box_source, "A"), *b = box (p, &box_caller, "B"), *last = box (p, &tail, "Tail");
  EveComponent *needy = box (p, &box_needy, "Needy"), *to = box (p, &box_sink, "To");

  set_int (a, "count", 1);
  wire (a, "out", last, "in");
  wire (last, "out", needy, "a");
  wire (b, "out", needy, "b");
  wire (needy, "out", to, "in");
  eve_run (p, -1);
  g_assert_false (eve_program_ended (p));
  for (int64_t i = 0; i < 2; i++) {
    box_call (b, i);
    eve_run (p, -1);
  }
  g_assert_cmpuint (box_count (to), ==, 2);
  g_assert_cmpint (box_logged (to, 0), ==, 0);
  g_assert_cmpint (box_logged (to, 1), ==, -1);
  eve_program_free (p);
}

static void
heed_nothing (EveComponent *c, EveIn *in, const void *datum)
{
}

/* A source that its own data come back to: where it was added does not matter. */
static void
test_at_end_in_cycle (void)
{
  EveInSpec orders = { "orders",      &eve_type_int64, EVE_ASYNC, EVE_CONTROL, .on_datum = heed_nothing,
                       .quiet = true, .doc = "Number." };
  EveClass led = box_source;

  led.ins = &orders;
  led.n_ins = 1;
  for (int first = 0; first < 3; first++) {
    EveProgram *p = eve_program_new ();
    EveComponent *from = first == 0 ? box (p, &led, "From") : NULL, *pass = box (p, &box_pass, "Pass");
    EveComponent *other, *sum, *to = box (p, &box_sink, "To");
    if (first == 1)
      from = box (p, &led, "From");
    other = box (p, &box_pass, "Other");
    sum = box (p, &box_ender, "Sum");
    if (first == 2)
      from = box (p, &led, "From");
    wire (from, "out", pass, "in");
    wire (pass, "out", other, "in");
    wire (other, "out", from, "orders");
    wire (other, "out", sum, "in");
    wire (sum, "out", to, "in");
    run_idle (p);
    g_assert_true (eve_program_ended (p));
    g_assert_cmpuint (box_count (to), ==, 1);
    g_assert_cmpint (box_logged (to, 0), ==, 45);
    eve_program_free (p);
  }
}

static void
test_budget (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *at = from, *to = box (p, &box_number, "To");
  gint64 longest = 0;

  set_int (from, "count", INT64_MAX);
  for (int i = 0; i < 20; i++) {
    EveComponent *c = box (p, &box_pass, NULL);

    wire (at, "out", c, "in");
    at = c;
  }
  wire (at, "out", to, "in");
  for (int i = 0; i < 100; i++) {
    gint64 begin = g_get_monotonic_time ();

    g_assert_cmpint (eve_run (p, 2000000), ==, EVE_BUDGET);
    longest = MAX (longest, g_get_monotonic_time () - begin);
  }
  g_test_message ("longest slice of 2 ms took %.2f ms", (double) longest / 1e3);
  g_assert_cmpint (longest, <, 500000); /* a loaded machine may be slow, but not without bound */
  eve_program_free (p);
}

static void
pausing_fire (EveComponent *c)
{
  int64_t v = *(const int64_t *) eve_take (eve_base (c)->in[0]);

  eve_emit (eve_base (c)->out[0], &v);
  if (v == 5)
    eve_pause (eve_program (c));
}

/* Freezes at once, between two firings. */
static void
test_pause_inside (void)
{
  EveClass pausing = box_any;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *c, *to = box (p, &box_sink, "To");

  pausing.fire = pausing_fire;
  c = box (p, &pausing, "Pausing");
  wire (from, "out", c, "in");
  wire (c, "out", to, "in");
  eve_run (p, -1);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_PAUSED);
  g_assert_cmpuint (eve_component_firings (c), ==, 6);
  g_assert_cmpuint (box_count (to), <=, 6);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  eve_program_free (p);
}

static int again_and_again;
static void
repost (EveComponent *c, void *arg)
{
  if (++again_and_again < 1000000)
    eve_post (c, repost, NULL, NULL);
}

/* A post that posts itself again does not keep the others from their work. */
static void
test_repost (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");

  wire (from, "out", to, "in");
  again_and_again = 0;
  eve_post (to, repost, NULL, NULL);
  for (int i = 0; i < 200; i++)
    eve_run (p, 0);
  g_assert_cmpuint (box_count (to), ==, 10);
  g_assert_cmpint (again_and_again, <, 1000000);
  eve_program_free (p);
}

/* Handlers call each other through emissions, but no deeper than the stack bears. */
static int depth, deepest;

static void
echo_deep (EveComponent *c, EveIn *in, const void *datum)
{
  depth++;
  deepest = MAX (deepest, depth);
  eve_emit (eve_base (c)->out[0], datum);
  depth--;
}

static void
test_depth (void)
{
  EveProgram *p = eve_program_new ();
  EveInSpec in = box_echo.ins[0];
  EveClass echo = box_echo;
  EveComponent *from = box (p, &box_source, "From"), *at = from, *to;

  in.on_datum = echo_deep;
  echo.ins = &in;
  for (int i = 0; i < 300; i++) {
    EveComponent *next = box (p, &echo, NULL);
    wire (at, "out", next, "in");
    at = next;
  }
  to = box (p, &box_sink, "To");
  wire (at, "out", to, "in");
  deepest = 0;
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  g_assert_cmpint (deepest, >, 2);
  g_assert_cmpint (deepest, <=, 16);
  eve_program_free (p);
}

/* Who declined is asked again when a handler of his heard something. */
static int64_t opened;

static EveComponent *
when_open (EveComponent *c)
{
  return opened ? c : NULL;
}

static void
open_it (EveComponent *c, EveIn *in, const void *datum)
{
  opened = *(const int64_t *) datum;
}

static void
test_declined_hears (void)
{
  EveInSpec ins[2] = { box_gate.ins[0],
                       { "open", &eve_type_int64, EVE_ASYNC, EVE_CONTROL, .on_datum = open_it, .doc = "Number." } };
  EveClass door = box_gate;
  EveProgram *p = eve_program_new ();
  EveComponent *c, *to = box (p, &box_sink, "To"), *data = box (p, &box_caller, "Data"),
                   *key = box (p, &box_caller, "Key");

  door.ins = ins;
  door.n_ins = 2;
  door.can_fire = when_open;
  c = box (p, &door, "Door");
  wire (data, "out", c, "in");
  wire (key, "out", c, "open");
  wire (c, "out", to, "in");
  for (guint i = 0; i < 3; i++) {
    opened = 0;
    box_call (data, i);
    run_idle (p);
    g_assert_cmpuint (box_count (to), ==, i);
    box_call (key, 1);
    run_idle (p);
    g_assert_cmpuint (box_count (to), ==, i + 1);
  }
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sched/topological", test_topological);
  g_test_add_func ("/sched/before-cycle", test_before_cycle);
  g_test_add_func ("/sched/cycles", test_cycles);
  g_test_add_func ("/sched/exploding-cycle", test_exploding_cycle);
  g_test_add_func ("/sched/sync-and-async", test_sync_and_async);
  g_test_add_func ("/sched/at-once", test_at_once);
  g_test_add_func ("/sched/handler-chain", test_handler_chain);
  g_test_add_func ("/sched/substitution", test_substitution);
  g_test_add_func ("/sched/artificial-deadlock", test_artificial_deadlock);
  g_test_add_func ("/sched/stall-named", test_stall_named);
  g_test_add_func ("/sched/never-consumes", test_never_consumes);
  g_test_add_func ("/sched/required", test_required);
  g_test_add_func ("/sched/long-chain", test_long_chain);
  g_test_add_func ("/sched/at-end", test_at_end);
  g_test_add_func ("/sched/depth", test_depth);
  g_test_add_func ("/sched/declined-hears", test_declined_hears);
  g_test_add_func ("/sched/at-end-waits", test_at_end_waits);
  g_test_add_func ("/sched/at-end-in-cycle", test_at_end_in_cycle);
  g_test_add_func ("/sched/budget", test_budget);
  g_test_add_func ("/sched/pause-inside", test_pause_inside);
  g_test_add_func ("/sched/repost", test_repost);
  return g_test_run ();
}
