/* SPDX-License-Identifier: Apache-2.0 */
/* Components that are off or bypassed: what reaches whom, compared with programs that are wired so by hand; kept in
 * files, through updates, and when others go. */
#include "tests/unit/boxes.h"

static void
use (EveComponent *c, EveUse wanted)
{
  g_autoptr (GError) error = NULL;
  if (!eve_set_use (c, wanted, &error))
    g_error ("%s", error->message);
}

static void
test_off (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_pass, "Pass"), *to = box (p, &box_sink, "To");

  wire (from, "out", pass, "in");
  wire (pass, "out", to, "in");
  use (pass, EVE_OFF);
  g_assert_cmpint (eve_use (pass), ==, EVE_OFF);
  for (uint32_t i = 0; i < 2; i++)
    g_assert_true (eve_wire (p, i).broken && eve_wire (p, i).rests);
  g_assert_cmpuint (eve_n_flows (p), ==, 2);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 0);
  use (pass, EVE_WORKS);
  g_assert_true (!eve_wire (p, 0).broken && !eve_wire (p, 1).rests);
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  use (from, EVE_OFF); /* a source that is off gives nothing */
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 0);
  eve_program_free (p);
}

static void
test_bypassed (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *hold = box (p, &box_hold, "Hold"),
               *add = box (p, &box_add, "Add"), *to = box (p, &box_sink, "To"), *other = box (p, &box_sink, "Other");
  g_autoptr (GError) error = NULL;

  wire (from, "out", hold, "value");
  wire (from, "out", add, "a");
  wire (hold, "out", add, "b");
  wire (add, "out", to, "in");
  wire (hold, "out", other, "in");
  uint64_t works = eve_program_plan_hash (p);
  use (hold, EVE_BYPASSED);
  g_assert_cmpuint (eve_program_plan_hash (p), !=, works);
  g_assert_cmpuint (eve_n_wires (p), ==, 5);
  g_assert_cmpuint (eve_n_flows (p), ==, 7);
  g_assert_true (eve_flow (p, 5).from == from && eve_flow (p, 5).to == add && !strcmp (eve_flow (p, 5).in, "b"));
  run_idle (p);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpint (box_logged (to, i), ==, 2 * (int64_t) i);
  g_assert_cmpuint (box_count (other), ==, 10);
  use (add, EVE_BYPASSED); /* the first input of the type goes on; both chains end at one sink */
  eve_reset (p);
  run_idle (p);
  for (guint i = 0; i < 10; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  g_assert_cmpuint (box_count (to), ==, 10);
  eve_remove (p, hold); /* what went past it goes too */
  g_assert_cmpuint (eve_n_flows (p), ==, 3);
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  g_assert_cmpuint (box_count (other), ==, 0);
  use (add, EVE_WORKS);
  g_assert_cmpuint (eve_n_flows (p), ==, 2);
  g_assert_false (eve_set_use (to, EVE_BYPASSED, &error));
  assert_contains (error->message, "To has no input");
  g_assert_cmpint (eve_use (to), ==, EVE_WORKS);
  eve_program_free (p);
}

static void
test_cycle (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_pass, "A"), *b = box (p, &box_pass, "B"), *to = box (p, &box_sink, "To"),
               *from = box (p, &box_source, "From");

  wire (a, "out", b, "in");
  wire (b, "out", a, "in");
  wire (b, "out", to, "in");
  wire (from, "out", a, "in");
  use (a, EVE_BYPASSED);
  use (b, EVE_BYPASSED);
  g_assert_cmpuint (eve_n_flows (p), ==, 5); /* from the source to the sink, once */
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  eve_program_free (p);
}

/* A wire that does what went past a box makes that way needless, and when it goes the way is there again. */
static void
test_wired_meanwhile (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_pass, "Pass"), *to = box (p, &box_sink, "To");

  wire (from, "out", pass, "in");
  wire (pass, "out", to, "in");
  use (pass, EVE_BYPASSED);
  g_assert_cmpuint (eve_n_flows (p), ==, 3);
  wire (from, "out", to, "in");
  g_assert_cmpuint (eve_n_flows (p), ==, 3); /* three wires, and nothing beside them */
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  g_assert_true (eve_disconnect (p, from, "out", to, "in"));
  g_assert_cmpuint (eve_n_flows (p), ==, 3);
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  wire (from, "out", to, "in"); /* in the middle of a run, too */
  use (pass, EVE_WORKS);
  eve_reset (p);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 20); /* both ways are meant now */
  eve_program_free (p);
}

/* 2^40 ways lead through them. */
static void
test_diamonds (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To"), *top = from;

  for (guint i = 0; i < 40; i++) {
    EveComponent *left = box (p, &box_pass, NULL), *right = box (p, &box_pass, NULL), *join = box (p, &box_pass, NULL);
    wire (top, "out", left, "in");
    wire (top, "out", right, "in");
    wire (left, "out", join, "in");
    wire (right, "out", join, "in");
    use (left, EVE_BYPASSED);
    use (right, EVE_BYPASSED);
    use (join, EVE_BYPASSED);
    top = join;
  }
  wire (top, "out", to, "in");
  g_assert_cmpuint (eve_n_flows (p), ==, eve_n_wires (p) + 1);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  eve_program_free (p);
}

/* A hundred thousand in a row are followed one after another, and need no stack of their number. */
static void
test_long_chain (void)
{
  enum { BOXES = 100000 };
  g_autoptr (GString) text = g_string_new ("<eve version=\"1\">");

  g_string_append_printf (text, "<component name=\"B0\" class=\"%s\"/>", box_source.id);
  for (guint i = 1; i <= BOXES; i++)
    g_string_append_printf (text, "<component name=\"B%u\" class=\"%s\" use=\"bypassed\"/>", i, box_pass.id);
  g_string_append_printf (text, "<component name=\"B%u\" class=\"%s\"/>", BOXES + 1, box_sink.id);
  for (guint i = 0; i <= BOXES; i++)
    g_string_append_printf (text, "<wire from=\"B%u\" out=\"out\" to=\"B%u\" in=\"in\"/>", i, i + 1);
  g_string_append (text, "</eve>");
  EveProgram *p = eve_program_parse (text->str, -1, "chain.eve", NULL, NULL);
  g_assert_nonnull (p);
  g_assert_cmpuint (eve_n_wires (p), ==, BOXES + 1);
  g_assert_cmpuint (eve_n_flows (p), ==, BOXES + 2);
  run_idle (p);
  g_assert_cmpuint (box_count (eve_component (p, BOXES + 1)), ==, 10);
  eve_program_free (p);
}

/* Layers of boxes that pass, and sinks; some are bypassed, chains of them too.  The other program has no such boxes:
 * what they are fed by is found by following wires backwards by hand. */
static void
sources_of (EveProgram *p, EveComponent *c, GPtrArray *found)
{
  for (uint32_t i = 0; i < eve_n_wires (p); i++) {
    EveWire w = eve_wire (p, i);
    if (w.to != c)
      continue;
    if (eve_use (w.from) == EVE_BYPASSED)
      sources_of (p, w.from, found);
    else if (eve_use (w.from) == EVE_WORKS && !g_ptr_array_find (found, w.from, NULL))
      g_ptr_array_add (found, w.from);
  }
}

static void
test_random (void)
{
  for (guint round = 0; round < 60; round++) {
    EveProgram *p = eve_program_new (), *q = eve_program_new ();
    g_autoptr (GRand) random = g_rand_new_with_seed (round);
    guint n = (guint) g_rand_int_range (random, 4, 12);
    EveComponent *all[12], *same[12];
    for (guint i = 0; i < n; i++) {
      g_autofree char *name = g_strdup_printf ("Box %u", i);
      all[i] = box (p, i == 0 ? &box_source : i + 2 >= n ? &box_sink : &box_pass, name);
      for (guint k = 0; i && k < 2; k++) {
        guint from = (guint) g_rand_int_range (random, 0, (gint32) MIN (i, n - 2));
        eve_connect (p, all[from], "out", all[i], "in", NULL);
      }
    }
    for (guint i = 1; i + 2 < n; i++)
      use (all[i], (EveUse) g_rand_int_range (random, 0, 3));
    for (guint i = 0; i < n; i++)
      same[i] = eve_use (all[i]) == EVE_WORKS ? box (q,
                                                     i == 0       ? &box_source
                                                     : i + 2 >= n ? &box_sink
                                                                  : &box_pass,
                                                     eve_name (all[i]))
                                              : NULL;
    for (guint i = 1; i < n; i++) {
      g_autoptr (GPtrArray) found = g_ptr_array_new ();
      if (!same[i])
        continue;
      sources_of (p, all[i], found);
      for (guint k = 0; k < found->len; k++)
        wire (eve_find (q, eve_name (found->pdata[k])), "out", same[i], "in");
    }
    run_idle (p);
    run_idle (q);
    for (guint i = n - 2; i < n; i++) {
      g_assert_cmpuint (box_count (all[i]), ==, box_count (same[i]));
      int64_t sum = 0, sum_of_same = 0;
      for (guint k = 0; k < box_count (all[i]); k++) {
        sum += box_logged (all[i], k);
        sum_of_same += box_logged (same[i], k);
      }
      g_assert_cmpint (sum, ==, sum_of_same);
    }
    /* saved, read, and the same again; updated back and forth */
    g_autofree char *text = eve_program_text (p);
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    EveProgram *again = eve_program_parse (text, -1, "again", problems, NULL);
    g_assert_nonnull (again);
    g_assert_cmpuint (problems->len, ==, 0);
    g_assert_cmpuint (eve_n_flows (again), ==, eve_n_flows (p));
    g_assert_cmpuint (eve_program_plan_hash (again), ==, eve_program_plan_hash (p));
    run_idle (again);
    g_assert_cmpuint (box_hash (eve_find (again, eve_name (all[n - 1]))), ==, box_hash (all[n - 1]));
    for (guint i = 1; i + 2 < n; i++)
      use (eve_find (again, eve_name (all[i])), EVE_WORKS);
    g_assert_cmpuint (eve_n_flows (again), ==, eve_n_wires (again));
    g_assert_true (eve_program_update (again, text, NULL, NULL));
    g_autofree char *back = eve_program_text (again);
    g_assert_cmpstr (back, ==, text);
    eve_reset (again);
    run_idle (again);
    g_assert_cmpuint (box_hash (eve_find (again, eve_name (all[n - 1]))), ==, box_hash (all[n - 1]));
    eve_program_free (again);
    eve_program_free (p);
    eve_program_free (q);
  }
}

static void
test_file (void)
{
  static const char *const head = "<eve version=\"1\"><component name=\"A\" class=\"%s\" use=\"%s\"/></eve>";
  static const struct {
    const EveClass *k;
    const char *use, *problem;
    EveUse becomes;
  } files[] = { { &box_pass, "off", NULL, EVE_OFF },
                { &box_pass, "bypassed", NULL, EVE_BYPASSED },
                { &box_pass, "works", NULL, EVE_WORKS },
                { &box_sink, "bypassed", "has no input that could go on", EVE_OFF },
                { &box_pass, "asleep", "neither off nor bypassed", EVE_WORKS } };
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *text = g_strdup_printf (head, files[i].k->id, files[i].use);
    EveProgram *p = eve_program_parse (text, -1, "file.eve", problems, NULL);
    g_assert_nonnull (p);
    g_assert_cmpint (eve_use (eve_find (p, "A")), ==, files[i].becomes);
    g_assert_cmpuint (problems->len, ==, files[i].problem != NULL);
    if (files[i].problem)
      assert_contains ((char *) problems->pdata[0], files[i].problem);
    eve_program_free (p);
  }
}

/* In the middle of a run: what waits for it is lost, what comes later goes on. */
static void
test_while_running (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *add = box (p, &box_hold, "Hold"), *to = box (p, &box_sink, "To");

  set_int (from, "count", 1000);
  wire (from, "out", add, "value");
  wire (add, "out", to, "in");
  for (int i = 0; i < 40; i++)
    eve_run (p, 0);
  use (add, EVE_BYPASSED);
  run_idle (p);
  int64_t before = -1;
  for (guint i = 0; i < box_count (to); i++) {
    g_assert_cmpint (box_logged (to, i), >, before);
    before = box_logged (to, i);
  }
  g_assert_cmpint (before, ==, 999);
  EveBlob *state = eve_blob_new ();
  size_t n = 0;
  eve_program_save_run (p, state);
  uint64_t hash = eve_program_run_hash (p);
  eve_reset (p);
  const uint8_t *bytes = eve_blob_data (state, &n);
  g_assert_true (eve_program_load_run (p, bytes, n, NULL, NULL));
  g_assert_cmpuint (eve_program_run_hash (p), ==, hash);
  eve_blob_free (state);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  boxes_register ();
  g_test_add_func ("/bypass/off", test_off);
  g_test_add_func ("/bypass/bypassed", test_bypassed);
  g_test_add_func ("/bypass/cycle", test_cycle);
  g_test_add_func ("/bypass/wired-meanwhile", test_wired_meanwhile);
  g_test_add_func ("/bypass/diamonds", test_diamonds);
  g_test_add_func ("/bypass/long-chain", test_long_chain);
  g_test_add_func ("/bypass/random", test_random);
  g_test_add_func ("/bypass/file", test_file);
  g_test_add_func ("/bypass/while-running", test_while_running);
  return g_test_run ();
}
