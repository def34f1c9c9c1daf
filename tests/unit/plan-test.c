/* SPDX-License-Identifier: Apache-2.0 */
/* What is worked out at an edit: types, ranks, and the identity of what runs. */
#include <stdlib.h>
#include "tests/unit/boxes.h"

typedef struct Small {
  EveProgram *p;
  EveComponent *from, *pass, *to;
} Small;

static Small
small (void)
{
  Small s = { .p = eve_program_new () };

  s.from = box (s.p, &box_source, "From");
  s.pass = box (s.p, &box_every, "Pass");
  s.to = box (s.p, &box_sink, "To");
  wire (s.from, "out", s.pass, "in");
  wire (s.pass, "out", s.to, "in");
  return s;
}

/* Equal for equal programs; another class, version, setting or wire gives another; positions and data do not. */
static void
test_hash (void)
{
  Small a = small (), b = small ();
  uint64_t hash = eve_program_plan_hash (a.p);
  EveClass newer = box_every;
  EveComponent *extra;

  g_assert_cmpuint (hash, ==, eve_program_plan_hash (b.p));
  eve_set_position (b.pass, 100, 200);
  run_idle (b.p);
  g_assert_cmpuint (hash, ==, eve_program_plan_hash (b.p));
  set (b.pass, "n", "3");
  g_assert_cmpuint (hash, !=, eve_program_plan_hash (b.p));
  set (b.pass, "n", "2");
  g_assert_cmpuint (hash, ==, eve_program_plan_hash (b.p));
  eve_disconnect (b.p, b.pass, "out", b.to, "in");
  g_assert_cmpuint (hash, !=, eve_program_plan_hash (b.p));
  wire (b.pass, "out", b.to, "in");
  g_assert_cmpuint (hash, ==, eve_program_plan_hash (b.p));
  extra = box (b.p, &box_sink, "Extra");
  g_assert_cmpuint (hash, !=, eve_program_plan_hash (b.p));
  eve_remove (b.p, extra);
  g_assert_cmpuint (hash, ==, eve_program_plan_hash (b.p));
  newer.version = 2;
  eve_remove (b.p, b.pass);
  b.pass = box (b.p, &newer, "Pass");
  wire (b.from, "out", b.pass, "in");
  wire (b.pass, "out", b.to, "in");
  g_assert_cmpuint (hash, !=, eve_program_plan_hash (b.p));
  eve_program_free (a.p);
  eve_program_free (b.p);
}

/* The serial grows with each edit and with nothing else. */
static void
test_serial (void)
{
  Small s = small ();
  uint64_t serial = eve_program_serial (s.p);

  run_idle (s.p);
  eve_reset (s.p);
  g_assert_cmpuint (eve_program_serial (s.p), ==, serial);
  eve_disconnect (s.p, s.from, "out", s.pass, "in");
  g_assert_cmpuint (eve_program_serial (s.p), >, serial);
  serial = eve_program_serial (s.p);
  wire (s.from, "out", s.pass, "in");
  g_assert_cmpuint (eve_program_serial (s.p), >, serial);
  serial = eve_program_serial (s.p);
  eve_rename (s.to, "Other", NULL);
  g_assert_cmpuint (eve_program_serial (s.p), >, serial);
  serial = eve_program_serial (s.p);
  eve_remove (s.p, s.to);
  g_assert_cmpuint (eve_program_serial (s.p), >, serial);
  eve_program_free (s.p);
}

/* A box of any type in a cycle of its own kind gets its type from where it is fed. */
static void
test_types_in_cycle (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_any, "A"), *b = box (p, &box_any, "B"), *words = box (p, &box_text, "Words");
  EveComponent *add = box (p, &box_add, "Add");
  g_autofree char *why = NULL;

  wire (a, "out", b, "in");
  wire (b, "out", a, "in");
  wire (words, "out", a, "in");
  g_assert_true (eve_out_type (eve_base (b)->out[0]) == &eve_type_text);
  why = eve_why_not (p, b, "out", add, "a");
  g_assert_nonnull (why);
  eve_program_free (p);
}

/* An output of any type that feeds two inputs of different types: the second wire is refused, unless it converts. */
static void
test_conflict (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *any = box (p, &box_any, "Any"), *sink = box (p, &box_sink, "Sink"),
               *number = box (p, &box_number, "Number");
  EveComponent *thing = box (p, &box_thing_sink, "Thing"), *pulse = box (p, &box_pulse, "Pulse");
  g_autoptr (GError) error = NULL;

  wire (any, "out", sink, "in");
  wire (any, "out", number, "in"); /* integers convert to numbers */
  wire (any, "out", pulse, "in");
  g_assert_false (eve_connect (p, any, "out", thing, "in", &error));
  assert_contains (error->message, "thing");
  eve_program_free (p);
}

/* A wire into a pulse alone says nothing about what flows: the source of it does. */
static void
test_pulse_binds_nothing (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *any = box (p, &box_any, "Any"), *pulse = box (p, &box_pulse, "Pulse"),
               *words = box (p, &box_text, "Words");

  wire (any, "out", pulse, "in");
  wire (words, "out", any, "in");
  run_idle (p);
  g_assert_cmpuint (box_count (pulse), ==, 10);
  eve_program_free (p);
}

/* Many boxes in one cycle, and a program of many cycles: planning stays quick (it was seen to be quadratic elsewhere).
 */
static void
test_large (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *at = NULL, *first = NULL;
  gint64 begin = g_get_monotonic_time ();
  double seconds;

  for (int i = 0; i < 5000; i++) {
    EveComponent *c = box (p, &box_pass, NULL);

    if (at)
      wire (at, "out", c, "in");
    else
      first = c;
    at = c;
    if (i % 50 == 0)
      wire (c, "out", c, "in");
  }
  wire (at, "out", first, "in");
  run_idle (p);
  seconds = (double) (g_get_monotonic_time () - begin) / 1e6;
  g_test_message ("%.2f s", seconds);
  g_assert_cmpfloat (seconds, <, 60);
  eve_program_free (p);
}

/* ---- who comes first ---- */
static GArray *begun; /* of int: numbers of boxes, as they were started */

static void
on_start (EveComponent *c)
{
  int number = atoi (eve_name (c));

  g_array_append_val (begun, number);
}

enum { BOXES = 30 };
typedef struct Picture {
  bool feeds[BOXES][BOXES], leads[BOXES][BOXES]; /* a wire; some wires */
} Picture;

static bool
same_cycle (const Picture *g, int i, int j)
{
  return i == j || (g->leads[i][j] && g->leads[j][i]);
}

/* Everything outside of its cycle that feeds a box of it is done; what cycle it is, its first box tells. */
static bool
is_next (const Picture *g, int first, const bool *done)
{
  for (int i = 0; i < BOXES; i++)
    for (int from = 0; same_cycle (g, first, i) && from < BOXES; from++)
      if ((i < first) || (g->feeds[from][i] && !same_cycle (g, from, i) && !done[from]))
        return false;
  return !done[first];
}

/* A cycle: those that are fed from outside, else its first, then whom they feed, and so on. */
static void
add_cycle (const Picture *g, int first, bool *done, GArray *order)
{
  guint begin = order->len;

  for (int pass = 0; pass < 2 && order->len == begin; pass++)
    for (int i = first; i < BOXES; i++) {
      bool fed = pass == 1 && i == first, alone = true;
      for (int from = 0; same_cycle (g, first, i) && from < BOXES; from++) {
        fed |= g->feeds[from][i] && !same_cycle (g, from, i);
        alone &= from == i || !same_cycle (g, from, i);
      }
      if (same_cycle (g, first, i) && (fed || alone)) {
        g_array_append_val (order, i);
        done[i] = true;
      }
    }
  for (guint n = begin; n < order->len; n++)
    for (int to = 0, from = g_array_index (order, int, n); to < BOXES; to++)
      if (g->feeds[from][to] && same_cycle (g, first, to) && !done[to]) {
        g_array_append_val (order, to);
        done[to] = true;
      }
}

/* Whoever has nothing above that is left, the one first that was added first; slowly, beside the engine. */
static GArray *
model_order (Picture *g)
{
  GArray *order = g_array_new (FALSE, FALSE, sizeof (int));
  bool done[BOXES] = { false };

  memcpy (g->leads, g->feeds, sizeof g->leads);
  for (int k = 0; k < BOXES; k++)
    for (int i = 0; i < BOXES; i++)
      for (int j = 0; j < BOXES; j++)
        g->leads[i][j] |= g->leads[i][k] && g->leads[k][j];
  while (order->len < BOXES) {
    int first = 0;
    while (!is_next (g, first, done))
      g_assert_cmpint (++first, <, BOXES);
    add_cycle (g, first, done, order);
  }
  return order;
}

static void
test_order (void)
{
  EveClass k = box_pass;

  k.start = on_start;
  for (guint32 seed = 1; seed <= 150; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    EveProgram *p = eve_program_new ();
    EveComponent *boxes[BOXES];
    Picture g = { 0 };
    gint32 place[BOXES];

    begun = g_array_new (FALSE, FALSE, sizeof (int));
    for (int i = 0; i < BOXES; i++) {
      g_autofree char *name = g_strdup_printf ("%d", i);
      boxes[i] = box (p, &k, name);
      place[i] = g_rand_int_range (rand, 0, G_MAXINT32);
    }
    for (int n = g_rand_int_range (rand, 0, 2 * BOXES); n > 0; n--) {
      int i = g_rand_int_range (rand, 0, BOXES), j = g_rand_int_range (rand, 0, BOXES);
      bool back = place[i] >= place[j] && (seed % 3 == 0 || g_rand_int_range (rand, 0, 5)); /* some close a cycle */
      if (i == j || back || g.feeds[i][j])
        continue;
      wire (boxes[i], "out", boxes[j], "in");
      g.feeds[i][j] = true;
    }
    GArray *expected = model_order (&g);
    eve_run (p, 0);
    g_assert_cmpuint (begun->len, ==, BOXES);
    for (guint n = 0; n < BOXES; n++)
      if (g_array_index (begun, int, n) != g_array_index (expected, int, n))
        g_error ("seed %u: %d comes at place %u instead of %d", seed, g_array_index (begun, int, n), n,
                 g_array_index (expected, int, n));
    g_array_unref (begun);
    g_array_unref (expected);
    eve_program_free (p);
  }
}

/* Sources are asked in turn, and whose turn it is survives a new plan. */
static void
test_turn (void)
{
  for (int edits = 0; edits < 4; edits++) {
    EveProgram *p = eve_program_new ();
    EveComponent *to = box (p, &box_sink, "To"), *mute = box (p, &box_source, "Mute");

    set_int (mute, "count", 0);

    for (int i = 0; i < 3; i++) {
      EveComponent *from = box (p, &box_source, NULL);
      set_int (from, "count", 20);
      set_int (from, "first", 100 * i);
      wire (from, "out", to, "in");
    }
    for (int i = 0; i < 200; i++) {
      eve_run (p, 0);
      if (edits == 1)
        eve_remove (p, box (p, &box_add, "Alone"));
      else if (edits == 2 && i % 5 == 0)
        box (p, &box_add, NULL);
      else if (edits == 3 && i == 11) /* a source whose turn comes first */
        eve_remove (p, mute);
    }
    run_idle (p);
    g_assert_cmpuint (box_count (to), ==, 60);
    for (guint i = 0; i < 60; i++)
      g_assert_cmpint (box_logged (to, i), ==, 100 * (i % 3) + i / 3);
    eve_program_free (p);
  }
}

/* Data go in bursts, but one by one to whoever sees in what order they arrive. */
static uint32_t widest;

static void
note_span (EveComponent *c, uint32_t n)
{
  widest = MAX (widest, n);
  box_pass.fire_span (c, n);
}

static void
test_bursts (void)
{
  static const struct {
    const EveClass *klass;
    const char *first, *second; /* inputs; the second is fed by another source */
    bool sees;
  } cases[] = {
    { &box_pass, "in", NULL, false },    { &box_add, "a", "b", false },        { &box_echo, "in", NULL, false },
    { &box_pass, "in", "in", true },     { &box_hold, "value", "gain", true }, { &box_gate, "in", NULL, true },
    { &box_hold, "value", NULL, false },
  };
  EveClass pass = box_pass;

  pass.fire_span = note_span;
  for (uint32_t i = 0; i < EVE_N (cases); i++) {
    EveProgram *p = eve_program_new ();
    EveComponent *from = box (p, &box_source, "From"), *at = box (p, &pass, "Pass"),
                 *next = box (p, cases[i].klass, "Next"), *to = box (p, &box_sink, "To");

    set_int (from, "count", 1000);
    wire (from, "out", at, "in");
    wire (at, "out", next, cases[i].first);
    wire (next, "out", to, "in");
    if (cases[i].second) {
      EveComponent *other = box (p, &box_source, "Other");
      set_int (other, "count", 1000);
      wire (other, "out", next, cases[i].second);
    }
    widest = 0;
    run_idle (p);
    g_assert_cmpuint (box_count (to), >=, 1000);
    if (cases[i].sees ? widest > 1 : widest < 64)
      g_error ("case %u: %u in a row", i, widest);
    eve_program_free (p);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan/hash", test_hash);
  g_test_add_func ("/plan/serial", test_serial);
  g_test_add_func ("/plan/types-in-cycle", test_types_in_cycle);
  g_test_add_func ("/plan/conflict", test_conflict);
  g_test_add_func ("/plan/pulse-binds-nothing", test_pulse_binds_nothing);
  g_test_add_func ("/plan/large", test_large);
  g_test_add_func ("/plan/order", test_order);
  g_test_add_func ("/plan/turn", test_turn);
  g_test_add_func ("/plan/bursts", test_bursts);
  return g_test_run ();
}
