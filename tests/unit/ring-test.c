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

/* ---- arrays handed over where they lie ---- */
static int64_t lent[256];
static uint32_t heard_lent, heard_copies;

static void
lend_span (EveComponent *c, uint32_t n)
{
  memcpy (lent, eve_take_span (eve_base (c)->in[0], n), n * sizeof *lent);
  g_assert_true (eve_give (eve_base (c)->out[0], lent, n));
  memset (lent, 0xff, sizeof lent); /* nobody may look at it afterwards */
}

static void
hear (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  if (data == lent)
    heard_lent += n;
  else
    heard_copies += n;
  g_assert_cmpuint (n, <=, 256);
  g_array_append_vals ((GArray *) box_log (c), data, n);
}

static bool tired;
static void
hear_badly (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  if (tired)
    eve_fail (c, "is tired");
  else
    hear (c, in, data, n);
}

typedef struct Giving {
  EveProgram *p;
  EveComponent *from, *give, *to[3];
} Giving;

static Giving
giving (void (*span) (EveComponent *c, uint32_t n), EveAsyncSpan second)
{
  static EveInSpec ins[2];
  static EveClass give, ear, other;
  Giving g = { .p = eve_program_new () };
  for (int i = 0; i < 2; i++)
    ins[i] = (EveInSpec){ "in",          &eve_type_int64,  EVE_ASYNC,
                          .quiet = true, .commutes = true, .on_span = i ? second : hear };
  give = box_pass;
  give.fire_span = span;
  ear = other = box_sink;
  ear.fire = other.fire = NULL;
  ear.ins = &ins[0];
  other.ins = &ins[1];
  g.from = box (g.p, &box_source, "From");
  g.give = box (g.p, &give, "Give");
  wire (g.from, "out", g.give, "in");
  for (int i = 0; i < 3; i++) {
    g.to[i] = box (g.p, i == 1 ? &other : &ear, NULL);
    wire (g.give, "out", g.to[i], "in");
  }
  set_int (g.from, "count", 10007);
  heard_lent = heard_copies = 0;
  tired = false;
  return g;
}

static void
assert_heard_all (const Giving *g, int listeners)
{
  for (int k = 0; k < listeners; k++) {
    g_assert_cmpuint (box_log (g->to[k])->len, ==, 10007);
    for (guint i = 0; i < 10007; i++)
      g_assert_cmpint (box_logged (g->to[k], i), ==, i);
    g_assert_cmpuint (eve_component_firings (g->to[k]), ==, 10007);
  }
}

static void
assert_wires (EveProgram *p)
{
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    g_autofree char *last = eve_out_last (w.from, w.out);
    g_assert_cmpuint (w.passed, ==, 10007);
    g_assert_cmpstr (last, ==, "10006");
  }
}

/* All listeners get the array itself; what is counted, saved and seen at the wire is as if it had been copied. */
static void
test_give (void)
{
  Giving lends = giving (lend_span, hear), copies;

  run_idle (lends.p);
  assert_heard_all (&lends, 3);
  g_assert_cmpuint (heard_lent, >, 3 * 9000); /* single data are fired, and emitted */
  copies = giving (span_pass, hear);
  run_idle (copies.p);
  assert_heard_all (&copies, 3);
  g_assert_cmpuint (heard_lent, ==, 0);
  g_assert_cmpuint (eve_program_run_hash (lends.p), ==, eve_program_run_hash (copies.p));
  assert_wires (lends.p);
  eve_program_free (lends.p);
  eve_program_free (copies.p);
}

/* However it is cut into slices, the same comes out. */
static void
test_give_slices (void)
{
  Giving whole = giving (lend_span, hear), parts = giving (lend_span, hear);

  run_idle (whole.p);
  while (eve_run (parts.p, 0) == EVE_BUDGET)
    ;
  assert_heard_all (&parts, 3);
  g_assert_cmpuint (eve_program_run_hash (whole.p), ==, eve_program_run_hash (parts.p));
  eve_program_free (whole.p);
  eve_program_free (parts.p);
}

/* With one who wants data one by one, all get copies. */
static void
test_give_mixed (void)
{
  Giving g = giving (lend_span, hear);
  EveComponent *sink = box (g.p, &box_sink, "One by one");

  wire (g.give, "out", sink, "in");
  run_idle (g.p);
  assert_heard_all (&g, 3);
  g_assert_cmpuint (heard_lent, ==, 0);
  g_assert_cmpuint (box_count (sink), ==, 10007);
  for (guint i = 0; i < 10007; i++)
    g_assert_cmpint (box_logged (sink, i), ==, i);
  eve_program_free (g.p);
}

/* One in the middle fails: it and those behind it find in the ring what they did not get, and nobody gets anything
 * twice. */
static void
test_give_failure (void)
{
  Giving g = giving (lend_span, hear_badly);

  tired = true;
  g_assert_cmpint (eve_run (g.p, -1), ==, EVE_RUN_FAILED);
  assert_contains (eve_program_failure (g.p, NULL), "is tired");
  g_assert_cmpuint (box_log (g.to[1])->len, ==, 0);
  tired = false;
  eve_program_clear_failure (g.p);
  run_idle (g.p);
  for (int k = 0; k < 3; k++) {
    g_assert_cmpuint (box_log (g.to[k])->len, ==, 10007);
    for (guint i = 0; i < 10007; i++)
      g_assert_cmpint (box_logged (g.to[k], i), ==, i);
  }
  g_assert_cmpuint (heard_copies, >, 0);
  g_assert_cmpuint (heard_lent, >, 0);
  eve_program_free (g.p);
}

/* ---- data that nobody takes, and that are kept ---- */
static uint32_t put_directly;

static void
put_span (EveComponent *c, uint32_t n)
{
  const int64_t *data = eve_take_span (eve_base (c)->in[0], n);
  EveOut *out = eve_base (c)->out[0];
  void *to = NULL, *again;

  if (eve_out_kept (out, &to)) {
    if (to)
      g_array_append_vals (to, data, n);
    put_directly += n;
    eve_passed (out, n, &data[n - 1]);
    g_assert_true (eve_out_kept (out, &again) && again == to); /* the next datum may go there too */
    eve_passed (out, 0, NULL);
  } else {
    g_assert_true (eve_give (out, data, n));
  }
}

static void
keep_copy (void *arg, const void *data, uint32_t n)
{
  g_array_append_vals (arg, data, n);
}

static void *
keep_there (void *arg)
{
  return arg;
}

/* An output with inputs that are kept, and with listeners. */
static Giving
putting (void (*span) (EveComponent *c, uint32_t n), int n_kept, int listeners)
{
  static const char *const ears[] = { "Ear 1", "Ear 2" };
  static EveInSpec kept, in;
  static EveClass give, shows, ear;
  Giving g = { .p = eve_program_new () };
  kept = (EveInSpec){ "in", &eve_type_int64, EVE_ASYNC, .kept = true };
  in = (EveInSpec){ "in", &eve_type_int64, EVE_ASYNC, .quiet = true, .commutes = true, .on_span = hear };
  give = box_pass;
  give.fire_span = span;
  shows = ear = box_sink;
  shows.fire = ear.fire = NULL;
  shows.ins = &kept;
  shows.n_state = 0;
  ear.ins = &in;
  g.from = box (g.p, &box_source, "From");
  g.give = box (g.p, &give, "Give");
  wire (g.from, "out", g.give, "in");
  for (int i = 0; i < n_kept; i++)
    wire (g.give, "out", box (g.p, &shows, NULL), "in");
  for (int i = 0; i < listeners; i++)
    wire (g.give, "out", g.to[i] = box (g.p, &ear, ears[i]), "in");
  set_int (g.from, "count", 10007);
  put_directly = 0;
  return g;
}

static void
assert_kept (GArray *kept)
{
  g_assert_cmpuint (kept->len, ==, 10007);
  for (guint i = 0; i < kept->len; i++)
    g_assert_cmpint (g_array_index (kept, int64_t, i), ==, i);
  g_array_set_size (kept, 0);
}

/* Whoever listens beside, and in whatever slices: everything is kept once and in order; what is counted, saved and seen
 * at the wire is as if every datum had been emitted, and as if nobody kept anything. */
static void
test_kept (void)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (int64_t));
  const EveKeeper keepers[] = { { NULL }, { keep_copy, NULL, kept }, { keep_copy, keep_there, kept } };

  for (int n_kept = 0; n_kept <= 2; n_kept++)
    for (int listeners = 0; listeners <= 2; listeners++) {
      uint64_t hash = 0;
      for (guint k = 0; k < G_N_ELEMENTS (keepers); k++)
        for (int slices = 0; slices <= 1; slices++) {
          Giving g = putting (k == 1 ? span_pass : put_span, n_kept, listeners);
          if (k)
            eve_out_keep (g.give, 0, &keepers[k]);
          EveRun run = eve_run (g.p, slices ? 0 : -1);
          while (run == EVE_BUDGET)
            run = eve_run (g.p, 0);
          g_assert_cmpint (run, ==, EVE_IDLE);
          assert_heard_all (&g, listeners);
          if (k || n_kept + listeners)
            assert_wires (g.p);
          if (k)
            assert_kept (kept);
          else
            g_assert_cmpuint (kept->len, ==, 0);
          if (listeners || (!k && !n_kept) || k == 1)
            g_assert_cmpuint (put_directly, ==, 0);
          else
            g_assert_cmpuint (put_directly, >, 9000); /* single data are fired, and emitted */
          if (!hash && (k || n_kept + listeners))
            hash = eve_program_run_hash (g.p);
          if (k || n_kept + listeners) /* else nothing counts what passes */
            g_assert_cmpuint (eve_program_run_hash (g.p), ==, hash);
          eve_out_keep (g.give, 0, NULL);
          eve_program_free (g.p);
        }
    }
}

/* A box that only shows what is kept is no part of what runs: states saved without it are whole with it, and its wires
 * count as if it had been there from the first. */
static void
test_kept_idle (void)
{
  Giving with = putting (put_span, 2, 1), without = putting (put_span, 0, 1);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveBlob *state = eve_blob_new ();
  size_t n;

  g_assert_cmpuint (eve_program_plan_hash (with.p), ==, eve_program_plan_hash (without.p));
  run_idle (without.p);
  eve_program_save_run (without.p, state);
  const uint8_t *data = eve_blob_data (state, &n);
  g_assert_true (eve_program_load_run (with.p, data, n, problems, NULL));
  g_assert_cmpuint (problems->len, ==, 0);
  g_assert_cmpuint (eve_program_run_hash (with.p), ==, eve_program_run_hash (without.p));
  for (uint32_t i = 0; i < eve_n_wires (with.p); i++)
    g_assert_cmpuint (eve_wire (with.p, i).passed, ==, 10007);
  eve_blob_free (state);
  eve_program_free (with.p);
  eve_program_free (without.p);
}

/* What comes to an input is the same thing in two programs just when all that is upstream is the same. */
static void
test_identity (void)
{
  Giving a = putting (put_span, 2, 1), b = putting (put_span, 1, 2);
  EveComponent *shows[3] = { eve_component (a.p, 2), eve_component (a.p, 3), eve_component (b.p, 2) };
  uint64_t of[3];

  for (int i = 0; i < 3; i++)
    of[i] = eve_in_identity (eve_base (shows[i])->in[0]);
  g_assert_cmpuint (of[0], !=, 0);
  g_assert_cmpuint (of[0], ==, of[1]); /* two boxes at one output */
  g_assert_cmpuint (of[0], ==, of[2]); /* another program */
  g_assert_cmpuint (of[0], ==, eve_out_identity (a.give, 0));
  g_assert_cmpuint (of[0], !=, eve_out_identity (a.from, 0));
  set_int (a.from, "count", 10008);
  g_assert_cmpuint (of[0], !=, eve_in_identity (eve_base (shows[0])->in[0]));
  set_int (a.from, "count", 10007);
  g_assert_cmpuint (of[0], ==, eve_in_identity (eve_base (shows[0])->in[0]));
  wire (a.from, "out", shows[0], "in"); /* two wires: what comes is of both */
  uint64_t both = eve_in_identity (eve_base (shows[0])->in[0]);
  g_assert_cmpuint (both, !=, of[0]);
  g_assert_true (eve_disconnect (a.p, a.give, "out", shows[0], "in"));
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, eve_out_identity (a.from, 0));
  g_assert_true (eve_disconnect (a.p, a.from, "out", shows[0], "in"));
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, 0);
  wire (a.give, "out", shows[0], "in");
  wire (a.from, "out", shows[0], "in"); /* in the other order */
  g_assert_cmpuint (eve_in_identity (eve_base (shows[0])->in[0]), ==, both);
  eve_program_free (a.p);
  eve_program_free (b.p);
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
  g_test_add_func ("/ring/give", test_give);
  g_test_add_func ("/ring/give-slices", test_give_slices);
  g_test_add_func ("/ring/give-mixed", test_give_mixed);
  g_test_add_func ("/ring/give-failure", test_give_failure);
  g_test_add_func ("/ring/kept", test_kept);
  g_test_add_func ("/ring/kept-idle", test_kept_idle);
  g_test_add_func ("/ring/identity", test_identity);
  g_test_add_func ("/ring/greedy", test_greedy);
  g_test_add_func ("/ring/unconnected", test_unconnected);
  return g_test_run ();
}
