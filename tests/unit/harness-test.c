/* SPDX-License-Identifier: Apache-2.0 */
/* The harness itself. */
#include <stdlib.h>
#include "tests/harness/harness.h"
#include "tests/unit/boxes.h"

static const int64_t numbers[] = { 1, 2, 3, 4, 5 };

static void
test_arrays (void)
{
  Harness *h = harness_new (&box_add), *other = harness_new (&box_add);
  const int64_t *got;
  size_t n;
  g_autofree char *difference = NULL;

  harness_feed (h, "a", &eve_type_int64, numbers, 5);
  harness_feed (h, "b", &eve_type_int64, numbers + 1, 3);
  harness_collect_all (h);
  g_assert_cmpint (harness_run (h), ==, EVE_IDLE);
  got = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpmem (got, n * sizeof *got, ((int64_t[]){ 3, 5, 7 }), n * sizeof *got);
  harness_feed (h, "b", &eve_type_int64, numbers, 2); /* more, later */
  harness_end (h, NULL);
  harness_run (h);
  got = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 5);
  g_assert_cmpint (got[4], ==, 5 + 2);
  g_assert_true (eve_program_ended (harness_program (h)));
  harness_feed (other, "a", &eve_type_int64, numbers, 5);
  harness_feed (other, "b", &eve_type_int64, numbers, 5);
  harness_collect_all (other);
  harness_run_in (other, 0);
  difference = harness_difference (h, other);
  assert_contains (difference, "Datum 0 of output \"out\" is 3 in one run and 2 in the other");
  harness_free (h);
  harness_free (other);
}

static void
test_async (void)
{
  Harness *h = harness_new (&box_hold);
  const int64_t *got;
  size_t n;

  harness_feed (h, "value", &eve_type_int64, numbers, 2);
  harness_collect (h, "out");
  harness_run (h);
  harness_send (h, "gain", &eve_type_int64, &(int64_t){ 100 });
  harness_feed (h, "value", &eve_type_int64, numbers, 2);
  harness_run (h);
  got = harness_collected (h, "out", &n);
  g_assert_cmpmem (got, n * sizeof *got, ((int64_t[]){ 1, 2, 100, 200 }), 4 * sizeof *got);
  harness_free (h);
}

static void
test_texts (void)
{
  Harness *h = harness_new (&box_any);
  char *text = g_ref_string_new ("hello");
  char *const *got;
  size_t n;

  harness_feed (h, "in", &eve_type_text, &text, 1);
  g_ref_string_release (text);
  harness_collect (h, "out");
  g_assert_true (harness_collected_type (h, "out") == &eve_type_text);
  harness_run (h);
  got = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (got[0], ==, "hello");
  harness_free (h);
}

/* A sink that takes nothing holds everything up; when it goes on, nothing was lost. */
static void
test_limit (void)
{
  Harness *h = harness_new (&box_tiny);
  int64_t many[1000];
  size_t n;

  for (int i = 0; i < 1000; i++)
    many[i] = i;
  harness_feed (h, "in", &eve_type_int64, many, 1000);
  harness_collect_at_most (h, "out", 3);
  harness_run (h);
  harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 3);
  harness_limit (h, "out", -1);
  harness_run (h);
  g_assert_cmpmem (harness_collected (h, "out", &n), n * sizeof *many, many, sizeof many);
  harness_free (h);
}

static void
test_saved_run (void)
{
  Harness *h = harness_new (&box_add), *fresh = harness_new (&box_add);
  EveBlob *b = eve_blob_new ();
  Harness *both[] = { h, fresh };
  int64_t many[3000];
  size_t n;
  const uint8_t *bytes;

  for (int i = 0; i < 3000; i++)
    many[i] = i;
  for (int i = 0; i < 2; i++) {
    harness_feed (both[i], "a", &eve_type_int64, many, 3000);
    harness_feed (both[i], "b", &eve_type_int64, many, 3000);
    harness_collect_all (both[i]);
  }
  for (int i = 0; i < 20; i++)
    eve_run (harness_program (h), 0);
  eve_program_save_run (harness_program (h), b);
  bytes = eve_blob_data (b, &n);
  g_assert_true (eve_program_load_run (harness_program (fresh), bytes, n, NULL, NULL));
  harness_run (fresh);
  harness_run (h);
  g_assert_cmpuint (harness_first (fresh, "out"), >, 0);
  g_assert_null (harness_difference (h, fresh));
  harness_collected (fresh, "out", &n);
  g_assert_cmpuint (harness_first (fresh, "out") + n, ==, 3000);
  eve_blob_free (b);
  harness_free (h);
  harness_free (fresh);
}

static void
on_told (void *arg, const char *sentence)
{
  g_string_append (arg, sentence);
}

static void
test_watch (void)
{
  static EveOutSpec wide = { "out", &eve_type_int64, .doc = "Number." };
  EveClass greedy = box_greedy;
  g_autoptr (GString) said = g_string_new (NULL);
  HarnessWatch *w;
  Harness *h;

  greedy.outs = &wide; /* a ring with room, so that the engine has nothing to say */
  w = harness_watch (&greedy, on_told, said);
  h = harness_new (harness_watch_class (w));
  harness_feed (h, "in", &eve_type_int64, numbers, 5);
  harness_collect_all (h);
  harness_run (h);
  assert_contains (said->str, "3 data in one firing; 1 are allowed");
  harness_free (h);
  harness_watch_free (w);
}

static void
test_allocations (void)
{
  uint64_t before = harness_allocations ();
  void *volatile p = malloc (10);

  if (!harness_allocations_counted ()) {
    free (p);
    g_test_skip ("allocations are not counted in this build");
    return;
  }
  g_assert_cmpuint (harness_allocations (), >, before);
  free (p);
}

/* The engine allocates nothing for data once it is warm. */
static void
test_engine_allocates_nothing (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *a = box (p, &box_pass, "A"), *b = box (p, &box_split, "B");
  EveComponent *hold = box (p, &box_hold, "Hold"), *echo = box (p, &box_echo, "Echo"), *to = box (p, &box_number, "To");
  uint64_t before;

  if (!harness_allocations_counted ()) {
    g_test_skip ("allocations are not counted in this build");
    eve_program_free (p);
    return;
  }
  set_int (from, "count", INT64_MAX);
  wire (from, "out", a, "in");
  wire (a, "out", b, "in");
  wire (b, "even", hold, "value");
  wire (b, "odd", hold, "gain");
  wire (hold, "out", echo, "in");
  wire (echo, "out", to, "in");
  wire (a, "out", to, "in"); /* two wires at one input, and a conversion */
  for (int i = 0; i < 20000; i++)
    eve_run (p, 0);
  before = harness_allocations ();
  for (int i = 0; i < 20000; i++)
    eve_run (p, 0);
  eve_run (p, 20000000);
  g_assert_cmpuint (harness_allocations () - before, ==, 0);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/harness/arrays", test_arrays);
  g_test_add_func ("/harness/async", test_async);
  g_test_add_func ("/harness/texts", test_texts);
  g_test_add_func ("/harness/limit", test_limit);
  g_test_add_func ("/harness/saved-run", test_saved_run);
  g_test_add_func ("/harness/watch", test_watch);
  g_test_add_func ("/harness/allocations", test_allocations);
  g_test_add_func ("/harness/engine-allocates-nothing", test_engine_allocates_nothing);
  return g_test_run ();
}
