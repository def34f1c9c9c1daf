/* SPDX-License-Identifier: Apache-2.0 */
/* Undo and redo: every kind of edit comes back, what an edit did not touch keeps its run state, and a program that
 * went through random edits and back is the one it was. */
#include "document/history.h"
#include "tests/unit/boxes.h"

typedef struct Fixture {
  EveProgram *p;
  EditHistory *h;
  EveComponent *source, *pass, *sink;
} Fixture;

static void
setup (Fixture *f, const void *unused)
{
  boxes_register ();
  f->p = eve_program_new ();
  f->source = box (f->p, &box_source, "Source");
  f->pass = box (f->p, &box_pass, "Pass");
  f->sink = box (f->p, &box_sink, "Sink");
  set_int (f->source, "count", 100);
  eve_set_position (f->pass, 100, 0);
  eve_set_position (f->sink, 200, 0);
  wire (f->source, "out", f->pass, "in");
  wire (f->pass, "out", f->sink, "in");
  f->h = edit_history_new (f->p);
}

static void
teardown (Fixture *f, const void *unused)
{
  edit_history_free (f->h);
  eve_program_free (f->p);
}

static void
undo (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (edit_history_undo (f->h, &error));
  g_assert_no_error (error);
}

static void
redo (Fixture *f)
{
  g_autoptr (GError) error = NULL;
  g_assert_true (edit_history_redo (f->h, &error));
  g_assert_no_error (error);
}

static void
assert_text (Fixture *f, const char *text)
{
  g_autofree char *now = eve_program_text (f->p);
  g_assert_cmpstr (now, ==, text);
}

/* Adding, moving, setting: back, and the boxes are the very same with what they had counted. */
static void
test_state_kept (Fixture *f, const void *unused)
{
  g_autofree char *before = eve_program_text (f->p);
  run_idle (f->p);
  g_assert_cmpuint (box_count (f->sink), ==, 100);
  edit_history_begin (f->h, "Add Any", NULL);
  EveComponent *any = box (f->p, &box_any, "Any");
  wire (f->pass, "out", any, "in");
  g_assert_true (edit_history_end (f->h));
  g_assert_false (edit_history_is_saved (f->h));
  edit_history_begin (f->h, "Set first", NULL);
  set_int (f->source, "first", 7);
  eve_set_position (f->sink, 320, 16);
  eve_program_set_note (f->p, "frames", "one");
  g_assert_true (edit_history_end (f->h));
  g_autofree char *after = eve_program_text (f->p);
  g_assert_cmpstr (edit_history_undo_label (f->h), ==, "Set first");
  undo (f);
  g_assert_cmpstr (edit_history_undo_label (f->h), ==, "Add Any");
  g_assert_cmpstr (edit_history_redo_label (f->h), ==, "Set first");
  g_assert_cmpstr (eve_program_note (f->p, "frames"), ==, "");
  undo (f);
  g_assert_null (edit_history_undo_label (f->h));
  g_assert_false (edit_history_undo (f->h, NULL));
  assert_text (f, before);
  g_assert_true (edit_history_is_saved (f->h));
  g_assert_true (eve_find (f->p, "Sink") == f->sink && eve_find (f->p, "Source") == f->source);
  g_assert_cmpuint (box_count (f->sink), ==, 100);
  redo (f);
  redo (f);
  g_assert_false (edit_history_redo (f->h, NULL));
  assert_text (f, after);
  g_assert_cmpuint (box_count (f->sink), ==, 100);
}

/* A removed box comes back with settings, place and wires; the order of boxes and wires is what it was. */
static void
test_removed (Fixture *f, const void *unused)
{
  g_autofree char *before = eve_program_text (f->p);
  edit_history_begin (f->h, "Delete Pass", NULL);
  eve_remove (f->p, f->pass);
  wire (f->source, "out", f->sink, "in");
  g_assert_true (edit_history_end (f->h));
  g_autofree char *after = eve_program_text (f->p);
  undo (f);
  assert_text (f, before);
  run_idle (f->p);
  g_assert_cmpuint (box_count (f->sink), ==, 100);
  redo (f);
  assert_text (f, after);
}

static void
test_renamed (Fixture *f, const void *unused)
{
  run_idle (f->p);
  edit_history_begin (f->h, "Rename Sink", NULL);
  g_assert_true (eve_rename (f->sink, "Drain", NULL));
  g_assert_true (edit_history_end (f->h));
  undo (f);
  g_assert_true (eve_find (f->p, "Sink") == f->sink);
  g_assert_cmpuint (box_count (f->sink), ==, 100);
  redo (f);
  g_assert_true (eve_find (f->p, "Drain") == f->sink);
  g_assert_cmpuint (eve_n_wires (f->p), ==, 2);
}

static void
test_merge (Fixture *f, const void *unused)
{
  for (int i = 1; i <= 5; i++) {
    edit_history_begin (f->h, "Set first", "Source.first");
    set_int (f->source, "first", i);
    edit_history_end (f->h);
  }
  edit_history_begin (f->h, "Set count", "Source.count");
  set_int (f->source, "count", 3);
  edit_history_end (f->h);
  undo (f);
  undo (f);
  g_assert_null (edit_history_undo_label (f->h));
  redo (f);
  g_autofree char *first = eve_get (f->source, "first");
  g_assert_cmpstr (first, ==, "5");
  /* what is done again after an undo is no part of the old step, and forgets what was undone */
  edit_history_begin (f->h, "Set first", "Source.first");
  set_int (f->source, "first", 9);
  edit_history_end (f->h);
  g_assert_null (edit_history_redo_label (f->h));
  undo (f);
  g_autofree char *again = eve_get (f->source, "first");
  g_assert_cmpstr (again, ==, "5");
}

static char *
selected (void *text)
{
  return g_strdup (text);
}

/* What was selected comes back with the step, also through a merged one. */
static void
test_selection (Fixture *f, const void *unused)
{
  char now[16] = "Source";
  g_assert_null (edit_history_selection (f->h));
  edit_history_set_selection (f->h, selected, now);
  edit_history_begin (f->h, "Set first", "Source.first");
  set_int (f->source, "first", 1);
  edit_history_end (f->h);
  edit_history_begin (f->h, "Set first", "Source.first");
  set_int (f->source, "first", 2);
  strcpy (now, "Source, Pass");
  edit_history_end (f->h);
  edit_history_begin (f->h, "Delete Sink", NULL);
  eve_remove (f->p, f->sink);
  strcpy (now, "");
  edit_history_end (f->h);
  undo (f);
  g_assert_cmpstr (edit_history_selection (f->h), ==, "Source, Pass");
  undo (f);
  g_assert_cmpstr (edit_history_selection (f->h), ==, "Source");
  redo (f);
  g_assert_cmpstr (edit_history_selection (f->h), ==, "Source, Pass");
  redo (f);
  g_assert_cmpstr (edit_history_selection (f->h), ==, "");
  undo (f);
  edit_history_begin (f->h, "Set count", NULL); /* the step that is forgotten takes its selection along */
  set_int (f->source, "count", 3);
  edit_history_end (f->h);
  g_assert_null (edit_history_selection (f->h));
}

static void
test_nested (Fixture *f, const void *unused)
{
  edit_history_begin (f->h, "Outer", NULL);
  edit_history_begin (f->h, "Inner", NULL);
  set_int (f->source, "first", 3);
  g_assert_false (edit_history_end (f->h));
  g_assert_false (edit_history_undo (f->h, NULL)); /* not in the middle */
  set_int (f->source, "first", 4);
  g_assert_true (edit_history_end (f->h));
  g_assert_cmpstr (edit_history_undo_label (f->h), ==, "Outer");
  edit_history_begin (f->h, "Nothing", NULL);
  g_assert_false (edit_history_end (f->h));
  undo (f);
  g_assert_null (edit_history_undo_label (f->h));
}

/* Texts that are no program change nothing; ghosts and broken wires survive. */
static void
test_apply (Fixture *f, const void *unused)
{
  g_autofree char *before = eve_program_text (f->p);
  g_autoptr (GError) error = NULL;
  g_assert_false (edit_history_apply (f->p, "<eve version=\"1\"><comp", &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_FILE);
  assert_text (f, before);
  const char *text =
      "<eve version=\"1\"><title>T</title><note name=\"n\">x</note>"
      "<component name=\"Sink\" class=\"test.sink\" version=\"1\" x=\"1\" y=\"2\"/>"
      "<component name=\"Gone\" class=\"test.not-there\" version=\"3\" x=\"1\" y=\"2\"><setting name=\"a\">"
      "b</setting></component>"
      "<wire from=\"Gone\" out=\"o\" to=\"Sink\" in=\"in\"/></eve>";
  g_assert_cmpstr (box_sink.id, ==, "test.sink");
  g_assert_true (edit_history_apply (f->p, text, NULL));
  g_assert_true (eve_find (f->p, "Sink") == f->sink);
  g_assert_cmpuint (eve_n_components (f->p), ==, 2);
  g_assert_true (eve_is_ghost (eve_find (f->p, "Gone")));
  g_assert_true (eve_wire (f->p, 0).broken);
  g_assert_cmpstr (eve_program_title (f->p), ==, "T");
  g_autofree char *kept = eve_get (eve_find (f->p, "Gone"), "a"), *once = eve_program_text (f->p);
  g_assert_cmpstr (kept, ==, "b");
  g_assert_true (edit_history_apply (f->p, once, NULL));
  assert_text (f, once);
  g_assert_true (edit_history_apply (f->p, before, NULL));
  assert_text (f, before);
}

static void
random_edit (Fixture *f, GRand *r, int number)
{
  uint32_t n = eve_n_components (f->p);
  EveComponent *a = n ? eve_component (f->p, (uint32_t) g_rand_int_range (r, 0, (gint32) n)) : NULL;
  EveComponent *b = n ? eve_component (f->p, (uint32_t) g_rand_int_range (r, 0, (gint32) n)) : NULL;
  static const EveClass *const classes[] = { &box_source, &box_pass, &box_sink, &box_add, &box_any, &box_hold };
  g_autofree char *name = g_strdup_printf ("New %d", number);
  switch (g_rand_int_range (r, 0, 7)) {
  case 0:
    eve_set_position (box (f->p, classes[g_rand_int_range (r, 0, G_N_ELEMENTS (classes))], name), number * 8, 0);
    break;
  case 1:
    if (a && n > 2)
      eve_remove (f->p, a);
    break;
  case 2:
  case 3:
    if (a && eve_class (a)->n_outs && eve_class (b)->n_ins)
      eve_connect (f->p, a, eve_class (a)->outs[0].name, b, eve_class (b)->ins[0].name, NULL);
    break;
  case 4:
    if (eve_n_wires (f->p)) {
      EveWire w = eve_wire (f->p, (uint32_t) g_rand_int_range (r, 0, (gint32) eve_n_wires (f->p)));
      g_autofree char *out = g_strdup (w.out), *in = g_strdup (w.in);
      eve_disconnect (f->p, w.from, out, w.to, in);
    }
    break;
  case 5:
    if (a)
      eve_rename (a, name, NULL);
    break;
  case 6:
    if (a && eve_class (a)->n_settings && eve_class (a)->settings[0].kind == EVE_F_INT64)
      set_int (a, eve_class (a)->settings[0].name, number);
    break;
  }
}

static void
test_random (Fixture *f, const void *unused)
{
  for (guint seed = 1; seed <= 30; seed++) {
    g_autoptr (GRand) r = g_rand_new_with_seed (seed);
    g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
    int steps = 0;
    g_ptr_array_add (texts, eve_program_text (f->p));
    for (int i = 0; i < 40; i++) {
      edit_history_begin (f->h, "Edit", NULL);
      for (int k = g_rand_int_range (r, 1, 4); k-- > 0;)
        random_edit (f, r, (int) seed * 1000 + i * 4 + k);
      if (edit_history_end (f->h)) {
        g_ptr_array_add (texts, eve_program_text (f->p));
        steps++;
      }
      eve_run (f->p, 0);
    }
    for (int i = steps; i-- > 0;) {
      undo (f);
      assert_text (f, texts->pdata[i]);
      eve_run (f->p, 0);
    }
    for (int i = 1; i <= steps; i++) {
      redo (f);
      assert_text (f, texts->pdata[i]);
    }
    run_idle (f->p);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, fn) g_test_add (name, Fixture, NULL, setup, fn, teardown)
  ADD ("/history/state-kept", test_state_kept);
  ADD ("/history/removed", test_removed);
  ADD ("/history/renamed", test_renamed);
  ADD ("/history/merge", test_merge);
  ADD ("/history/selection", test_selection);
  ADD ("/history/nested", test_nested);
  ADD ("/history/apply", test_apply);
  ADD ("/history/random", test_random);
  return g_test_run ();
}
