/* SPDX-License-Identifier: Apache-2.0 */
/* Types of data and their conversions on a wire. */
#include <math.h>
#include "tests/unit/boxes.h"

static const EveType *const types[] = { &eve_type_double, &eve_type_int64, &eve_type_bool, &eve_type_pulse,
                                        &eve_type_text };

static void
test_tables (void)
{
  for (uint32_t i = 0; i < EVE_N (types); i++) {
    const EveType *t = types[i];

    g_assert_cmpstr (t->name, !=, NULL);
    g_assert_cmpuint (t->size, >, 0);
    g_assert_cmpuint (t->size % t->align, ==, 0);
    g_assert_true ((t->retain == NULL) == (t->release == NULL));
    g_assert_nonnull (t->print);
  }
  g_assert_cmpuint (eve_type_double.size, ==, sizeof (double));
  g_assert_cmpuint (eve_type_int64.size, ==, sizeof (int64_t));
  g_assert_cmpuint (eve_type_text.size, ==, sizeof (char *));
}

/* Specimens are the same each time, printed within the room given, and saved and loaded without loss. */
static void
test_specimens (void)
{
  EveProgram *p = eve_program_new ();

  for (uint32_t i = 0; i < EVE_N (types); i++)
    for (uint64_t n = 0; n < 200; n++) {
      const EveType *t = types[i];
      _Alignas(16) uint8_t one[16] = { 0 }, two[16] = { 0 };
      char a[64], b[64], tight[4] = { 'x', 'x', 'x', 'x' };

      if (t->sample) {
        t->sample (one, n);
        t->sample (two, n);
      }
      t->print (one, a, sizeof a);
      t->print (two, b, sizeof b);
      g_assert_cmpstr (a, ==, b);
      t->print (one, tight, 3);
      g_assert_cmpuint (strnlen (tight, 3), <, 3);
      g_assert_cmpint (tight[3], ==, 'x');
      if (t->release)
        t->release (two);
      if (t->save) {
        EveBlob *blob = eve_blob_new ();
        EveBlobView *view;
        size_t size;
        const uint8_t *bytes;

        t->save (p, one, blob);
        bytes = eve_blob_data (blob, &size);
        view = eve_blob_view_new (bytes, size);
        g_assert_true (t->load (p, two, view));
        t->print (two, b, sizeof b);
        g_assert_cmpstr (a, ==, b);
        if (t->release)
          t->release (two);
        eve_blob_view_free (view);
        view = eve_blob_view_new (bytes, size - 1);
        g_assert_false (t->load (p, two, view));
        eve_blob_view_free (view);
        eve_blob_free (blob);
      }
      if (t->release)
        t->release (one);
    }
  eve_program_free (p);
}

static void
test_conversions (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *number = box (p, &box_number, "Number");
  EveComponent *pulse = box (p, &box_pulse, "Pulse"), *text = box (p, &box_text, "Text");

  set_int (from, "first", -3);
  set_int (from, "count", 1000);
  wire (from, "out", number, "in");
  wire (from, "out", pulse, "in");
  wire (text, "out", pulse, "in"); /* any datum is a pulse; texts are released all the same */
  run_idle (p);
  g_assert_cmpfloat (box_sum (number), ==, -3 * 1000 + 999 * 1000 / 2);
  g_assert_cmpuint (box_count (pulse), ==, 1000 + 10);
  eve_program_free (p);
}

static void
assert_refused (const EveType *from, const EveType *to, bool refused)
{
  EveOutSpec out = { "out", from, .doc = "Out." };
  EveInSpec in = { "in", to, .doc = "In." };
  EveClass giver = box_caller, taker = box_rude;
  EveProgram *p = eve_program_new ();
  g_autofree char *why = NULL;

  giver.outs = &out;
  taker.ins = &in;
  why = eve_why_not (p, box (p, &giver, "Giver"), "out", box (p, &taker, "Taker"), "in");
  g_assert_true ((why != NULL) == refused);
  if (why) {
    assert_contains (why, from->name);
    assert_contains (why, to->name);
  }
  eve_program_free (p);
}

static void
test_which_convert (void)
{
  for (uint32_t i = 0; i < EVE_N (types); i++)
    for (uint32_t j = 0; j < EVE_N (types); j++) {
      const EveType *a = types[i], *b = types[j];
      bool fits = a == b || b == &eve_type_pulse
                  || (b == &eve_type_double && (a == &eve_type_int64 || a == &eve_type_bool))
                  || (b == &eve_type_int64 && a == &eve_type_bool);

      assert_refused (a, b, !fits);
    }
  /* the same name, but not the same type */
  EveType twin = eve_type_double;
  assert_refused (&twin, &eve_type_double, true);
  g_assert_true (eve_type_fits (&eve_type_int64, &eve_type_double) && eve_type_fits (&eve_type_text, &eve_type_pulse));
  g_assert_true (eve_type_fits (NULL, &eve_type_text) && eve_type_fits (&eve_type_text, NULL));
  g_assert_false (eve_type_fits (&eve_type_double, &eve_type_int64)
                  || eve_type_fits (&eve_type_text, &eve_type_double));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/types/tables", test_tables);
  g_test_add_func ("/types/specimens", test_specimens);
  g_test_add_func ("/types/conversions", test_conversions);
  g_test_add_func ("/types/which-convert", test_which_convert);
  return g_test_run ();
}
