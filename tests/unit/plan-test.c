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

/* Without cycles: whoever has nothing above that is left, the one first that was added first. */
static void
test_order (void)
{
  enum { BOXES = 40 };
  EveClass k = box_pass;

  k.start = on_start;
  for (guint32 seed = 1; seed <= 60; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    EveProgram *p = eve_program_new ();
    EveComponent *boxes[BOXES];
    int place[BOXES], above[BOXES] = { 0 };
    bool feeds[BOXES][BOXES] = { { false } }, done[BOXES] = { false };

    begun = g_array_new (FALSE, FALSE, sizeof (int));
    for (int i = 0; i < BOXES; i++) {
      g_autofree char *name = g_strdup_printf ("%d", i);
      boxes[i] = box (p, &k, name);
      place[i] = g_rand_int (rand) >> 1;
    }
    for (int n = g_rand_int_range (rand, 0, 2 * BOXES); n > 0; n--) {
      int i = g_rand_int_range (rand, 0, BOXES), j = g_rand_int_range (rand, 0, BOXES);
      if (place[i] >= place[j] || feeds[i][j])
        continue;
      wire (boxes[i], "out", boxes[j], "in");
      feeds[i][j] = true;
      above[j]++;
    }
    eve_run (p, 0);
    g_assert_cmpuint (begun->len, ==, BOXES);
    for (guint n = 0; n < BOXES; n++) {
      int next = 0;
      while (done[next] || above[next])
        next++;
      g_assert_cmpint (g_array_index (begun, int, n), ==, next);
      done[next] = true;
      for (int j = 0; j < BOXES; j++)
        above[j] -= feeds[next][j];
    }
    g_array_unref (begun);
    eve_program_free (p);
  }
}

/* Sources are asked in turn, and whose turn it is survives a new plan. */
static void
test_turn (void)
{
  for (int edits = 0; edits < 3; edits++) {
    EveProgram *p = eve_program_new ();
    EveComponent *to = box (p, &box_sink, "To");

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
    }
    run_idle (p);
    g_assert_cmpuint (box_count (to), ==, 60);
    for (guint i = 0; i < 60; i++)
      g_assert_cmpint (box_logged (to, i), ==, 100 * (i % 3) + i / 3);
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
  return g_test_run ();
}
