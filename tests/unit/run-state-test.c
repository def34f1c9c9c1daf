/* SPDX-License-Identifier: Apache-2.0 */
/* Run states: restored by name, into programs that changed, from bytes that were damaged. */
#include "tests/unit/boxes.h"

static EveProgram *
make (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *twice = box (p, &box_twice, "Twice"),
               *hold = box (p, &box_hold, "Hold");
  EveComponent *gate = box (p, &box_gate, "Gate"), *to = box (p, &box_sink, "To"), *sum = box (p, &box_ender, "Sum");
  EveComponent *things = box (p, &box_things, "Things"), *pass = box (p, &box_thing_pass, "Pass");
  EveComponent *thing_to = box (p, &box_thing_sink, "Thing to"), *words = box (p, &box_text, "Words");
  EveComponent *any = box (p, &box_any_sink, "Any");

  set_int (from, "count", 2000);
  set_int (things, "count", 500);
  set_int (words, "count", 300);
  wire (from, "out", twice, "in");
  wire (twice, "out", hold, "value");
  wire (from, "out", hold, "gain");
  wire (hold, "out", gate, "in");
  wire (from, "out", gate, "in");
  wire (gate, "out", to, "in");
  wire (gate, "out", sum, "in");
  wire (sum, "out", to, "in");
  wire (things, "out", pass, "in");
  wire (things, "out", thing_to, "in");
  wire (pass, "out", thing_to, "in");
  wire (words, "out", any, "in");
  return p;
}

static EveBlob *
saved (EveProgram *p)
{
  EveBlob *b = eve_blob_new ();

  eve_program_save_run (p, b);
  return b;
}

static bool
load (EveProgram *p, EveBlob *b, GPtrArray *problems)
{
  size_t n;
  const uint8_t *bytes = eve_blob_data (b, &n);

  return eve_program_load_run (p, bytes, n, problems, NULL);
}

static void
rounds (EveProgram *p, int n)
{
  while (n-- > 0)
    eve_run (p, 0);
}

/* Every place is as good as another, also on the way back. */
static void
test_everywhere (void)
{
  EveProgram *full = make (), *p = make ();
  uint64_t hash;

  run_idle (full);
  hash = eve_program_run_hash (full);
  for (int i = 0; i < 400; i += 1 + i / 7) {
    EveProgram *q = make ();
    EveBlob *b;
    uint64_t at;

    rounds (q, i * 23);
    b = saved (q);
    at = eve_program_run_hash (q);
    g_assert_true (load (p, b, NULL)); /* p is wherever the last one ended */
    g_assert_cmpuint (eve_program_run_hash (p), ==, at);
    g_assert_cmpuint (eve_blob_hash (b), ==, at); /* the hash is of what is saved */
    run_idle (p);
    g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
    eve_blob_free (b);
    eve_program_free (q);
  }
  eve_program_free (full);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
}

/* By name: a program that changed gets what fits; both kinds of leftovers are told. */
static void
test_changed_program (void)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  EveProgram *p = make (), *q = make ();
  EveBlob *b;
  uint64_t count;
  g_autoptr (GString) all = g_string_new (NULL);

  rounds (p, 500);
  b = saved (p);
  count = box_count (eve_find (p, "To"));
  g_assert_cmpuint (count, >, 0);
  eve_remove (q, eve_find (q, "Sum"));
  eve_remove (q, eve_find (q, "Twice"));
  box (q, &box_sink, "New");
  eve_remove (q, eve_find (q, "Words"));
  box (q, &box_source, "Words"); /* the same name, another class */
  g_assert_true (load (q, b, problems));
  g_assert_cmpuint (box_count (eve_find (q, "To")), ==, count);
  for (guint i = 0; i < problems->len; i++)
    g_string_append_printf (all, "%s\n", (char *) problems->pdata[i]);
  assert_contains (all->str, "Sum");
  assert_contains (all->str, "Twice");
  assert_contains (all->str, "New");
  assert_contains (all->str, "Words");
  eve_run (q, -1);
  eve_blob_free (b);
  eve_program_free (p);
  eve_program_free (q);
  g_assert_cmpint (box_things_alive, ==, 0);
}

/* What is no run state: false, a sentence, and the program as new. */
static void
test_not_a_run_state (void)
{
  static const char *const texts[] = { "", "x",
                                       "s\x0e"
                                       "eve-run-stat",
                                       "<eve/>", "eve-run-state" };
  EveProgram *p = make (), *fresh = make ();
  uint64_t hash = eve_program_run_hash (fresh);

  for (uint32_t i = 0; i < EVE_N (texts); i++) {
    g_autoptr (GError) error = NULL;

    rounds (p, 100);
    g_assert_false (eve_program_load_run (p, texts[i], strlen (texts[i]), NULL, &error));
    g_assert_error (error, EVE_ERROR, EVE_ERROR_BLOB);
    g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  }
  eve_program_free (p);
  eve_program_free (fresh);
}

/* Cut and flipped bytes: refused or taken in part, never a crash, a leak or a program that cannot go on. */
static void
test_damaged (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  EveProgram *p = make ();
  EveBlob *b;
  size_t n;
  const uint8_t *bytes;
  uint64_t hash;

  run_idle (p);
  hash = eve_program_run_hash (p);
  eve_reset (p);
  rounds (p, 777);
  b = saved (p);
  bytes = eve_blob_data (b, &n);
  for (int i = 0; i < 3000; i++) {
    size_t m = i < (int) n ? (size_t) i : (size_t) g_rand_int_range (rand, 1, (gint32) n + 1);
    g_autofree uint8_t *copy = g_memdup2 (bytes, MAX (m, 1));

    if (i >= 1500 || i >= (int) n)
      for (int k = g_rand_int_range (rand, 1, 8); k > 0; k--)
        copy[g_rand_int_range (rand, 0, (gint32) m)] = g_rand_boolean (rand) ? (uint8_t) g_rand_int (rand) : 0xff;
    if (eve_program_load_run (p, copy, m, NULL, NULL))
      rounds (p, 40);
    eve_program_clear_failure (p);
  }
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  eve_blob_free (b);
  eve_program_free (p);
  g_assert_cmpint (box_things_alive, ==, 0);
  g_assert_cmpint (box_thing_refs, ==, 0);
}

/* One component's state alone. */
static void
test_component (void)
{
  EveProgram *p = make ();
  EveComponent *to = eve_find (p, "To"), *other = box (p, &box_sink, "Other");
  EveBlob *b = eve_blob_new ();
  EveBlobView *v;
  size_t n;
  const uint8_t *bytes;

  run_idle (p);
  eve_component_save_run (to, b);
  bytes = eve_blob_data (b, &n);
  v = eve_blob_view_new (bytes, n);
  g_assert_true (eve_component_load_run (other, v));
  eve_blob_view_free (v);
  g_assert_cmpuint (box_count (other), ==, box_count (to));
  g_assert_cmpuint (box_hash (other), ==, box_hash (to));
  v = eve_blob_view_new (bytes, n / 2);
  g_assert_false (eve_component_load_run (other, v));
  eve_blob_view_free (v);
  g_assert_cmpuint (box_count (other), ==, 0); /* reset, not half of it */
  eve_blob_free (b);
  eve_program_free (p);
}

/* Saving while it runs changes nothing. */
static void
test_saving_is_harmless (void)
{
  EveProgram *p = make (), *q = make ();

  run_idle (p);
  for (int i = 0; i < 2000; i++) {
    rounds (q, 3);
    eve_program_run_hash (q);
  }
  run_idle (q);
  g_assert_cmpuint (eve_program_run_hash (p), ==, eve_program_run_hash (q));
  eve_program_free (p);
  eve_program_free (q);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run-state/everywhere", test_everywhere);
  g_test_add_func ("/run-state/changed-program", test_changed_program);
  g_test_add_func ("/run-state/not-a-run-state", test_not_a_run_state);
  g_test_add_func ("/run-state/damaged", test_damaged);
  g_test_add_func ("/run-state/component", test_component);
  g_test_add_func ("/run-state/saving-is-harmless", test_saving_is_harmless);
  return g_test_run ();
}
