/* SPDX-License-Identifier: Apache-2.0 */
/* Adding, removing, connecting, disconnecting: refusals in words, and edits while the program runs. */
#include "tests/unit/boxes.h"

static void
assert_refusal (EveProgram *p, EveComponent *from, const char *out, EveComponent *to, const char *in, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *why = eve_why_not (p, from, out, to, in);
  uint64_t serial = eve_program_serial (p);
  uint32_t wires = eve_n_wires (p);

  g_assert_nonnull (why);
  assert_contains (why, part);
  g_assert_false (eve_connect (p, from, out, to, in, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_REFUSED);
  assert_contains (error->message, part);
  g_assert_cmpuint (serial, ==, eve_program_serial (p));
  g_assert_cmpuint (wires, ==, eve_n_wires (p));
}

static void
test_refusals (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *text = box (p, &box_text, "Words"),
               *add = box (p, &box_add, "Add");
  EveComponent *picky = box (p, &box_picky, "Picky"), *any = box (p, &box_any, "Any");
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  assert_refusal (p, text, "out", add, "a", "text");
  assert_refusal (p, text, "out", add, "a", "integer");
  assert_refusal (p, text, "out", add, "a", "Words");
  assert_refusal (p, text, "out", add, "a", "Add");
  assert_refusal (p, from, "nothing", add, "a", "nothing");
  assert_refusal (p, from, "out", add, "nothing", "nothing");
  assert_refusal (p, text, "out", picky, "in", "Only whole numbers");
  g_assert_null (why = eve_why_not (p, from, "out", picky, "in"));
  wire (from, "out", add, "a");
  assert_refusal (p, from, "out", add, "a", "already"); /* the same wire twice */
  wire (text, "out", any, "in");                        /* now `any` is of texts */
  assert_refusal (p, any, "out", add, "b", "text");
  g_assert_true (eve_disconnect (p, text, "out", any, "in"));
  wire (any, "out", add, "b"); /* and now of numbers */
  assert_refusal (p, text, "out", any, "in", "text");
  g_assert_false (eve_disconnect (p, text, "out", any, "in"));
  g_assert_null (eve_add (p, &box_sink, "Add", &error)); /* a name is taken once */
  assert_contains (error->message, "Add");
  g_clear_error (&error);
  g_assert_false (eve_rename (add, "From", &error));
  assert_contains (error->message, "From");
  g_assert_cmpstr (eve_name (add), ==, "Add");
  g_assert_true (eve_rename (add, "Add", NULL));
  g_assert_true (eve_rename (add, "Sum", NULL));
  g_assert_true (eve_find (p, "Sum") == add);
  g_assert_null (eve_find (p, "Add"));
  g_clear_error (&error);
  g_assert_false (eve_rename (add, "", &error));
  eve_program_free (p);
}

/* Types go through chains of any-boxes, in both directions and whatever the order of wiring. */
static void
test_any_chain (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *chain[50], *from = box (p, &box_source, "From"), *sink = box (p, &box_sink, "Sink");
  EveComponent *text = box (p, &box_text, "Words");

  for (int i = 0; i < 50; i++) {
    chain[i] = box (p, &box_any, NULL);
    if (i)
      wire (chain[i - 1], "out", chain[i], "in");
  }
  g_assert_null (eve_out_type (eve_base (chain[20])->out[0]));
  wire (chain[49], "out", sink, "in");
  g_assert_true (eve_in_type (eve_base (chain[0])->in[0]) == &eve_type_int64);
  assert_refusal (p, text, "out", chain[0], "in", "text");
  wire (from, "out", chain[0], "in");
  run_idle (p);
  g_assert_cmpuint (box_count (sink), ==, 10);
  g_assert_true (eve_disconnect (p, chain[49], "out", sink, "in"));
  g_assert_true (eve_disconnect (p, from, "out", chain[0], "in"));
  g_assert_null (eve_in_type (eve_base (chain[0])->in[0]));
  wire (text, "out", chain[0], "in");
  g_assert_true (eve_out_type (eve_base (chain[49])->out[0]) == &eve_type_text);
  assert_refusal (p, chain[49], "out", sink, "in", "; From.out gives that: wire it to ");
  assert_refusal (p, text, "out", sink, "in", "; From.out gives that");
  eve_program_free (p);
}

/* A class that gives what it is told to: truth values, which become numbers and pulses. */
static const EveOutSpec out_truth[] = { { .name = "out", .type = &eve_type_bool } };
static const EveClass truth = {
  EVE_CLASS_HEAD, .id = "test.truth", .label = "Truth", .category = "Test",
  .doc = "",      .outs = out_truth,  .n_outs = 1,      .instance_size = sizeof (EveBase)
};

/* Without the wire that said the type, what is left agrees on one that suits all, whoever was wired first. */
static void
test_any_left (void)
{
  for (int order = 0; order < 2; order++) {
    EveProgram *p = eve_program_new ();
    EveComponent *from = box (p, &truth, "From"), *any = box (p, &box_any, "Any"),
                 *pulse = box (p, &box_pulse, "Pulse"), *number = box (p, &box_number, "Number"),
                 *words = box (p, &box_text, "Words");
    wire (from, "out", any, "in");
    for (int i = 0; i < 2; i++)
      wire (any, "out", i == order ? pulse : number, "in");
    g_assert_true (eve_out_type (eve_base (any)->out[0]) == &eve_type_bool);
    g_assert_true (eve_disconnect (p, from, "out", any, "in"));
    g_assert_true (eve_out_type (eve_base (any)->out[0]) == &eve_type_double);
    eve_run (p, -1);
    assert_refusal (p, words, "out", any, "in", "takes 'number'");
    wire (from, "out", any, "in");
    g_assert_true (eve_out_type (eve_base (any)->out[0]) == &eve_type_bool);
    eve_program_free (p);
  }
}

/* Types found wire by wire are those found when all is looked at again, whatever was wired before: random programs. */
static void
test_any_random (void)
{
  static const EveClass *const classes[] = { &box_any,   &box_any, &box_any,  &box_any_sink, &box_number,
                                             &box_pulse, &truth,   &box_text, &box_source,   &box_sink };
  g_autoptr (GRand) rand = g_rand_new_with_seed (21);

  for (int round = 0; round < 60; round++) {
    EveProgram *p = eve_program_new ();
    EveComponent *c[24];
    int made = 0, refused = 0;
    for (guint i = 0; i < EVE_N (c); i++)
      c[i] = box (p, classes[g_rand_int_range (rand, 0, EVE_N (classes))], NULL);
    for (int i = 0; i < 120; i++) {
      EveComponent *a = c[g_rand_int_range (rand, 0, EVE_N (c))], *b = c[g_rand_int_range (rand, 0, EVE_N (c))];
      if (eve_class (a)->n_outs && eve_class (b)->n_ins)
        *(eve_connect (p, a, "out", b, "in", NULL) ? &made : &refused) += 1;
      if (i % 10 == 9 && eve_n_wires (p)) {
        EveWire w = eve_wire (p, (uint32_t) g_rand_int_range (rand, 0, (int) eve_n_wires (p)));
        g_assert_true (eve_disconnect (p, w.from, w.out, w.to, w.in));
      }
      if (i % 30 == 29)
        eve_run (p, 0);
    }
    /* the same program wired at once, in another order: every wire fits, all types are the same */
    EveProgram *q = eve_program_new ();
    for (guint i = 0; i < EVE_N (c); i++)
      box (q, eve_class (c[i]), eve_name (c[i]));
    for (uint32_t i = eve_n_wires (p); i-- > 0;) {
      EveWire w = eve_wire (p, i);
      wire (eve_find (q, eve_name (w.from)), w.out, eve_find (q, eve_name (w.to)), w.in);
    }
    for (guint i = 0; i < EVE_N (c); i++) {
      EveComponent *d = eve_find (q, eve_name (c[i]));
      if (eve_class (d)->n_ins)
        g_assert_true (eve_in_type (eve_base (d)->in[0]) == eve_in_type (eve_base (c[i])->in[0]));
      if (eve_class (d)->n_outs)
        g_assert_true (eve_out_type (eve_base (d)->out[0]) == eve_out_type (eve_base (c[i])->out[0]));
    }
    g_assert_cmpint (made, >, 0);
    g_assert_cmpint (refused, >, 0);
    eve_program_free (q);
    eve_program_free (p);
  }
}

static void
test_names (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *a = box (p, &box_add, NULL), *b = box (p, &box_add, NULL);

  g_assert_cmpstr (eve_name (a), ==, "Add");
  g_assert_cmpstr (eve_name (b), !=, "Add");
  g_assert_true (g_str_has_prefix (eve_name (b), "Add"));
  g_assert_true (eve_component (p, 0) == a && eve_component (p, 1) == b);
  eve_remove (p, a);
  g_assert_true (eve_component (p, 0) == b);
  g_assert_cmpuint (eve_n_components (p), ==, 1);
  eve_program_free (p);
}

/* Data that wait elsewhere outlive an edit; no datum is lost or comes twice. */
static void
test_data_preserved (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_tiny, "Pass"),
               *gate = box (p, &box_gate, "Gate");
  EveComponent *to = box (p, &box_sink, "To"), *other = box (p, &box_source, "Other"),
               *late = box (p, &box_sink, "Late");

  wire (from, "out", pass, "in");
  wire (pass, "out", gate, "in");
  wire (gate, "out", to, "in");
  set_int (from, "count", 5000);
  set (gate, "open", "false");
  eve_run (p, -1);
  for (int i = 0; i < 50; i++) {
    EveComponent *c = box (p, &box_pass, "Unrelated");

    wire (other, "out", c, "in");
    eve_run (p, 0);
    eve_remove (p, c);
    eve_run (p, 0);
  }
  wire (gate, "out", late, "in"); /* a second consumer begins with what comes from now on */
  set (gate, "open", "true");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 5000);
  for (guint i = 0; i < 5000; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  g_assert_cmpuint (box_count (late), ==, 5000);
  eve_program_free (p);
}

/* What waited in the ring of a removed box is gone, what had left it is not. */
static void
test_remove_middle (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *pass = box (p, &box_pass, "Pass"), *to = box (p, &box_sink, "To");
  uint64_t before;

  wire (from, "out", pass, "in");
  wire (pass, "out", to, "in");
  set_int (from, "count", 1000000);
  for (int i = 0; i < 20; i++)
    eve_run (p, 0);
  before = box_count (to);
  g_assert_cmpuint (before, >, 0);
  eve_remove (p, pass);
  g_assert_cmpuint (eve_n_wires (p), ==, 0);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, before);
  eve_program_free (p);
}

static void
rewire (EveComponent *c, void *arg)
{
  EveProgram *p = eve_program (c);
  EveComponent *pass = box (p, &box_pass, NULL);

  wire (eve_find (p, "From"), "out", pass, "in");
  wire (pass, "out", eve_find (p, "To"), "in");
}

static void
remove_self (EveComponent *c, void *arg)
{
  eve_remove (eve_program (c), c);
}

static void
test_edit_from_post (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");

  set_int (from, "count", 100000);
  wire (from, "out", to, "in");
  for (int i = 0; i < 10; i++) {
    eve_run (p, 0);
    eve_post (to, rewire, NULL, NULL);
  }
  eve_post (eve_find (p, "Pass"), remove_self, NULL, NULL);
  run_idle (p);
  g_assert_cmpuint (eve_n_components (p), ==, 2 + 9);
  g_assert_cmpuint (box_count (to), >=, 100000);
  eve_program_free (p);
}

static void
hasty_fire (EveComponent *c)
{
  EveProgram *p = eve_program (c);
  EveComponent *other = eve_find (p, "Other");

  eve_emit (eve_base (c)->out[0], eve_take (eve_base (c)->in[0]));
  if (other)
    eve_remove (p, other);
}

/* Also from inside a firing: what is removed does not fire any more, and nothing breaks. */
static void
test_edit_while_firing (void)
{
  EveClass hasty = box_any;
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *h, *to = box (p, &box_sink, "To"),
               *other = box (p, &box_sink, "Other");

  hasty.fire = hasty_fire;
  h = box (p, &hasty, "Hasty");
  wire (from, "out", h, "in");
  wire (from, "out", other, "in");
  wire (h, "out", other, "in");
  wire (h, "out", to, "in");
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 10);
  g_assert_cmpuint (eve_n_components (p), ==, 3);
  g_assert_cmpuint (eve_n_wires (p), ==, 2);
  eve_program_free (p);
}

static void
test_wires (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");
  EveWire w;
  g_autofree char *last = NULL, *none = NULL;
  double x, y;

  g_assert_null (none = eve_out_last (from, "out"));
  wire (from, "out", to, "in");
  run_idle (p);
  w = eve_wire (p, 0);
  g_assert_true (w.from == from && w.to == to && !w.broken);
  g_assert_cmpstr (w.out, ==, "out");
  g_assert_cmpstr (w.in, ==, "in");
  g_assert_cmpuint (w.passed, ==, 10);
  g_assert_cmpuint (eve_component_firings (to), ==, 10);
  g_assert_cmpstr (last = eve_out_last (from, "out"), ==, "9");
  eve_set_position (to, 12.5, -7);
  eve_position (to, &x, &y);
  g_assert_true (x == 12.5 && y == -7);
  eve_program_free (p);
}

/* What passed before a run state was saved was not seen by who has loaded it: a ring without a datum shows none, and
 * not what lay there before. */
static void
test_last_after_load (void)
{
  EveProgram *p = eve_program_new (), *q = eve_program_new ();
  EveProgram *const both[] = { p, q };
  EveBlob *blob = eve_blob_new ();
  size_t n;

  for (int i = 0; i < 2; i++) {
    EveComponent *from = box (both[i], &box_source, "From"), *to = box (both[i], &box_sink, "To");
    wire (from, "out", to, "in");
  }
  run_idle (p);
  eve_program_save_run (p, blob);
  const uint8_t *bytes = eve_blob_data (blob, &n);
  for (int i = 0; i < 2; i++) {
    g_assert_true (eve_program_load_run (both[i], bytes, n, NULL, NULL));
    g_assert_cmpuint (eve_wire (both[i], 0).passed, ==, 10);
    g_assert_null (eve_out_last (eve_find (both[i], "From"), "out"));
    eve_reset (both[i]);
    run_idle (both[i]);
    g_autofree char *last = eve_out_last (eve_find (both[i], "From"), "out");
    g_assert_cmpstr (last, ==, "9");
    eve_program_free (both[i]);
  }
  eve_blob_free (blob);
}

/* ---- 1000 random edits, the program running all the while ---- */
static void
test_random_edits (void)
{
  static const EveClass *const kinds[] = { &box_source,     &box_sink,       &box_pass,     &box_add,
                                           &box_split,      &box_tiny,       &box_hold,     &box_echo,
                                           &box_any,        &box_twice,      &box_things,   &box_thing_pass,
                                           &box_thing_sink, &box_thing_echo, &box_any_sink, &box_pulse,
                                           &box_small };

  for (guint32 seed = 1; seed <= 5; seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    EveProgram *p = eve_program_new ();

    g_test_message ("seed %u", seed);
    for (int i = 0; i < 1000; i++) {
      uint32_t n = eve_n_components (p);
      EveComponent *a = n ? eve_component (p, (uint32_t) g_rand_int_range (rand, 0, (gint32) n)) : NULL;
      EveComponent *b = n ? eve_component (p, (uint32_t) g_rand_int_range (rand, 0, (gint32) n)) : NULL;
      int what = g_rand_int_range (rand, 0, 20);

      if (n < 5 || what < 5) {
        EveComponent *c = box (p, kinds[g_rand_int_range (rand, 0, EVE_N (kinds))], NULL);

        if (eve_class_setting (eve_class (c), "count") >= 0)
          set_int (c, "count", g_rand_int_range (rand, 0, 2000));
      } else if (what < 7)
        eve_remove (p, a);
      else if (what < 15 && eve_class (a)->n_outs && eve_class (b)->n_ins) {
        const EveClass *from = eve_class (a), *to = eve_class (b);
        const char *out = from->outs[g_rand_int_range (rand, 0, (gint32) from->n_outs)].name;
        const char *in = to->ins[g_rand_int_range (rand, 0, (gint32) to->n_ins)].name;
        g_autofree char *why = eve_why_not (p, a, out, b, in);

        g_assert_true (eve_connect (p, a, out, b, in, NULL) == (why == NULL));
      } else if (what < 17 && eve_n_wires (p)) {
        EveWire w = eve_wire (p, (uint32_t) g_rand_int_range (rand, 0, (gint32) eve_n_wires (p)));

        g_assert_true (eve_disconnect (p, w.from, w.out, w.to, w.in));
      } else if (what == 17)
        eve_pause (p);
      else if (what == 18 && i % 7 == 0)
        eve_reset (p);
      for (int k = g_rand_int_range (rand, 0, 20); k > 0; k--)
        g_assert_cmpint (eve_run (p, 0), !=, EVE_RUN_FAILED);
    }
    eve_program_free (p);
    g_assert_cmpint (box_things_alive, ==, 0);
    g_assert_cmpint (box_thing_refs, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/edit/refusals", test_refusals);
  g_test_add_func ("/edit/any-chain", test_any_chain);
  g_test_add_func ("/edit/any-left", test_any_left);
  g_test_add_func ("/edit/any-random", test_any_random);
  g_test_add_func ("/edit/names", test_names);
  g_test_add_func ("/edit/data-preserved", test_data_preserved);
  g_test_add_func ("/edit/remove-middle", test_remove_middle);
  g_test_add_func ("/edit/from-post", test_edit_from_post);
  g_test_add_func ("/edit/while-firing", test_edit_while_firing);
  g_test_add_func ("/edit/wires", test_wires);
  g_test_add_func ("/edit/last after load", test_last_after_load);
  g_test_add_func ("/edit/random", test_random_edits);
  return g_test_run ();
}
