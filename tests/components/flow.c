/* SPDX-License-Identifier: Apache-2.0 */
/* The components of the category Flow, against results worked out by hand. */
#include <glib/gstdio.h>
#include "readers/box-display.h"
#include "tests/components/common.h"

static const uint8_t pulse;

/* ---- threshold ------------------------------------------------------------------------------------------------- */
static Harness *
make_threshold (void)
{
  Harness *h = alone ("scope.threshold");

  harness_set (h, "limit", "3");
  feed (h, "value", NUMBERS (1, 2, 3, 4, -INFINITY, INFINITY, NAN, 1e300, 2.9999999999999996));
  harness_collect_all (h);
  return h;
}

static void
test_threshold (void)
{
  Harness *h = make_threshold ();

  run_to_end (h);
  expect (h, "high", NUMBERS (3, 4, INFINITY, 1e300));
  expect (h, "low", NUMBERS (1, 2, -INFINITY, NAN, 2.9999999999999996));
  harness_free (h);
  check_travel (make_threshold);
  check_reset (make_threshold);
}

static void
test_threshold_empty (void)
{
  Harness *h = alone ("scope.threshold");

  feed (h, "value", NONE);
  harness_collect_all (h);
  run_to_end (h);
  expect (h, "high", NONE);
  expect (h, "low", NONE);
  harness_free (h);
}

/* ---- sources ----------------------------------------------------------------------------------------------------- */
static Harness *
make_constant (void)
{
  Harness *h = alone ("scope.constant");

  harness_set (h, "value", "2.5");
  harness_set (h, "count", "1000");
  harness_collect (h, "out");
  return h;
}

static void
test_constant (void)
{
  Harness *h = alone ("scope.constant");
  size_t n;

  harness_set (h, "value", "-2.5");
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NUMBERS (-2.5)); /* one, unless something else is said */
  harness_set (h, "count", "3");     /* a larger count brings it back */
  harness_set (h, "value", "7");
  run (h);
  expect (h, "out", NUMBERS (-2.5, 7, 7));
  eve_reset (harness_program (h));
  run (h);
  expect (h, "out", NUMBERS (7, 7, 7));
  harness_free (h);

  h = alone ("scope.constant"); /* without end: it waits for its consumer, not the other way round */
  harness_set (h, "count", "0");
  harness_collect_at_most (h, "out", 100000);
  g_assert_cmpint (harness_run (h), !=, EVE_BUDGET);
  harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 100000);
  harness_free (h);
  check_travel (make_constant);
}

static Harness *
make_series (void)
{
  Harness *h = alone ("scope.series");

  harness_set (h, "law", "random");
  harness_set (h, "first", "-5");
  harness_set (h, "step", "10");
  harness_set (h, "count", "5000");
  harness_collect (h, "out");
  return h;
}

static void
test_series (void)
{
  Harness *h = alone ("scope.series"), *other;
  const double *x, *y;
  double sum = 0, squares = 0;
  size_t n, m;

  harness_set (h, "first", "1");
  harness_set (h, "step", "2");
  harness_set (h, "count", "4");
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NUMBERS (1, 3, 5, 7));
  harness_free (h);

  h = alone ("scope.series"); /* 0.1 added 300 times would be off by 4e-14 */
  harness_set (h, "first", "0");
  harness_set (h, "step", "0.1");
  harness_set (h, "count", "301");
  harness_collect (h, "out");
  run_to_end (h);
  x = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 301);
  for (size_t i = 0; i < n; i++)
    g_assert_true (x[i] == 0.1 * (double) i);
  harness_free (h);

  h = make_series ();
  run_to_end (h);
  x = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 5000);
  for (size_t i = 0; i < n; i++) {
    g_assert_true (x[i] >= -5 && x[i] < 5);
    sum += x[i];
    squares += x[i] * x[i];
  }
  /* mean 0 and variance 100/12, to four standard errors */
  g_assert_cmpfloat (fabs (sum / (double) n), <, 4 * 2.8868 / sqrt ((double) n));
  g_assert_cmpfloat (fabs (squares / (double) n - 100. / 12), <, 4 * 7.4536 / sqrt ((double) n));
  other = make_series ();
  harness_set (other, "seed", "2");
  run_to_end (other);
  y = harness_collected (other, "out", &m);
  g_assert_cmpuint (m, ==, n);
  for (size_t i = 0, same = 0; i < n; i++)
    g_assert_cmpuint (same += x[i] == y[i], <, 2);
  harness_free (other);
  harness_free (h);
  check_travel (make_series);
  check_reset (make_series);
}

static void
test_series_unheard (void) /* nobody listens: it ends all the same */
{
  Harness *h = alone ("scope.series");

  harness_set (h, "count", "100000");
  run (h);
  g_assert_true (eve_program_ended (harness_program (h)));
  harness_free (h);
}

/* ---- counter ------------------------------------------------------------------------------------------------------ */
static Harness *
make_counter (void)
{
  static const double data[1000];
  Harness *h = alone ("scope.counter");

  feed (h, "in", data, 1000);
  harness_collect (h, "count");
  return h;
}

static void
test_counter (void)
{
  Harness *h = alone ("scope.counter");

  harness_set (h, "first", "0");
  harness_set (h, "step", "5");
  feed (h, "in", NUMBERS (9, 9, 9)); /* of any type */
  harness_collect (h, "count");
  run (h);
  harness_send (h, "reset", &eve_type_pulse, &pulse);
  feed (h, "in", NUMBERS (9, 9));
  run_to_end (h);
  expect (h, "count", NUMBERS (0, 5, 10, 0, 5));
  const BoxDisplay *display = eve_query (harness_component (h), "box-display/1");
  double share = 0;
  char text[32] = "";
  g_assert_true (display->look (harness_component (h), &share, text, sizeof text));
  g_assert_cmpstr (text, ==, "2");
  g_assert_cmpfloat (share, <, 0); /* a counter, no gauge */
  eve_reset (harness_program (h));
  harness_free (h);

  h = alone ("scope.counter"); /* it runs over the end */
  harness_set (h, "first", "9223372036854775807");
  feed (h, "in", NUMBERS (1, 1));
  harness_collect (h, "count");
  run_to_end (h);
  size_t n;
  const int64_t *got = harness_collected (h, "count", &n);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (got[0], ==, G_MAXINT64);
  g_assert_cmpint (got[1], ==, G_MININT64);
  harness_free (h);
  check_travel (make_counter);
  check_reset (make_counter);
}

/* ---- choices --------------------------------------------------------------------------------------------------------- */
static void
test_if_then (void)
{
  Harness *h = alone ("scope.if-then");

  feed_truths (h, "if", TRUTHS (true, false, true, true));
  feed (h, "in", NUMBERS (1, 2, 3)); /* the fourth condition waits for a datum */
  harness_collect (h, "then");
  harness_run (h);
  expect (h, "then", NUMBERS (1, 3));
  feed (h, "in", NUMBERS (4));
  run_to_end (h);
  expect (h, "then", NUMBERS (1, 3, 4));
  harness_free (h);
}

static Harness *
make_if_then_else (void)
{
  Harness *h = alone ("scope.if-then-else");

  for (int i = 0; i < 500; i++) {
    double x = i;
    bool odd = i % 2;
    feed_truths (h, "if", &odd, 1);
    feed (h, "in", &x, 1);
  }
  harness_collect_all (h);
  return h;
}

static void
test_if_then_else (void)
{
  Harness *h = alone ("scope.if-then-else");

  feed_truths (h, "if", TRUTHS (true, false, true));
  feed (h, "in", NUMBERS (1, 2, 3));
  harness_collect_all (h);
  run_to_end (h);
  expect (h, "then", NUMBERS (1, 3));
  expect (h, "else", NUMBERS (2));
  harness_free (h);
  check_travel (make_if_then_else);
}

static void
test_if_then_texts (void) /* counted references are held and let go */
{
  Harness *h = alone ("scope.if-then-else");
  char *words[] = { g_ref_string_new ("yes"), g_ref_string_new ("no") };
  size_t n;

  feed_truths (h, "if", TRUTHS (true, false));
  harness_feed (h, "in", &eve_type_text, words, 2);
  g_ref_string_release (words[0]);
  g_ref_string_release (words[1]);
  harness_collect_all (h);
  run_to_end (h);
  g_assert_cmpstr (((char *const *) harness_collected (h, "then", &n))[0], ==, "yes");
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (((char *const *) harness_collected (h, "else", &n))[0], ==, "no");
  g_assert_cmpuint (n, ==, 1);
  harness_free (h);
}

static void
test_switch (void)
{
  Harness *h = alone ("scope.switch");

  feed_wholes (h, "index", WHOLES (0, 2, 9, 7, -1, 0, G_MAXINT64, 8));
  feed (h, "in", NUMBERS (10, 11, 12, 13, 14, 15, 16, 17));
  harness_collect_all (h);
  run_to_end (h);
  expect (h, "out0", NUMBERS (10, 15));
  expect (h, "out1", NONE);
  expect (h, "out2", NUMBERS (11));
  expect (h, "out7", NUMBERS (13));
  expect (h, "other", NUMBERS (12, 14, 16, 17));
  harness_free (h);
}

/* ---- gate --------------------------------------------------------------------------------------------------------------- */
static Harness *
make_gate (const char *starts_open, const char *when_closed)
{
  Harness *h = alone ("scope.gate");
  g_autoptr (GError) error = NULL;

  harness_set (h, "starts open", starts_open);
  harness_set (h, "when closed", when_closed);
  harness_source (h, "open", &eve_type_bool, &error);
  g_assert_no_error (error);
  feed (h, "in", NUMBERS (1, 2));
  harness_collect (h, "out");
  return h;
}

static void
test_gate_drop (void)
{
  const bool yes = true, no = false;
  Harness *h = make_gate ("false", "drop");

  run (h);
  harness_send (h, "open", &eve_type_bool, &yes);
  feed (h, "in", NUMBERS (3, 4));
  run (h);
  expect (h, "out", NUMBERS (3, 4));
  harness_send (h, "open", &eve_type_bool, &no);
  feed (h, "in", NUMBERS (5));
  run_to_end (h);
  expect (h, "out", NUMBERS (3, 4));
  harness_free (h);
}

static void
test_gate_alone (void) /* nobody says anything to it: it is open */
{
  Harness *h = alone ("scope.gate");

  harness_collect (h, "out");
  feed (h, "in", NUMBERS (3, 4));
  run_to_end (h);
  expect (h, "out", NUMBERS (3, 4));
  harness_free (h);
}

static void
test_gate_hold (void)
{
  const bool yes = true, no = false;
  Harness *h = make_gate ("false", "hold");

  harness_run (h); /* idle or a stall: data wait at a closed gate */
  expect (h, "out", NONE);
  harness_send (h, "open", &eve_type_bool, &yes);
  run (h);
  expect (h, "out", NUMBERS (1, 2));
  harness_send (h, "open", &eve_type_bool, &no);
  feed (h, "in", NUMBERS (3));
  harness_run (h);
  expect (h, "out", NUMBERS (1, 2));
  harness_set (h, "when closed", "drop"); /* what waits is lost now */
  run (h);
  harness_send (h, "open", &eve_type_bool, &yes);
  feed (h, "in", NUMBERS (4));
  run (h);
  expect (h, "out", NUMBERS (1, 2, 4));
  harness_free (h);
}

static void
test_gate_state (void) /* whether it is open travels, and is forgotten by a reset */
{
  const bool no = false;
  Harness *h = make_gate ("true", "drop"), *other = make_gate ("true", "drop");
  EveBlob *blob = eve_blob_new ();
  EveBlobView *view;
  const uint8_t *bytes;
  size_t n;

  harness_send (h, "open", &eve_type_bool, &no);
  eve_component_save_run (harness_component (h), blob);
  bytes = eve_blob_data (blob, &n);
  view = eve_blob_view_new (bytes, n);
  g_assert_true (eve_component_load_run (harness_component (other), view));
  run (other);
  expect (other, "out", NONE);
  eve_reset (harness_program (other));
  run (other);
  expect (other, "out", NUMBERS (1, 2));
  eve_blob_view_free (view);
  eve_blob_free (blob);
  harness_free (h);
  harness_free (other);
}

/* ---- delay ---------------------------------------------------------------------------------------------------------------- */
static Harness *
make_delay (void)
{
  Harness *h = alone ("scope.delay");

  harness_set (h, "n", "70");
  for (double x = 0; x < 1000; x++)
    feed (h, "in", &x, 1);
  harness_collect (h, "out");
  return h;
}

static Harness *
make_shift (void)
{
  Harness *h = make_delay ();

  harness_set (h, "mode", "shift");
  return h;
}

static void
test_delay (void)
{
  Harness *h = alone ("scope.delay");

  harness_set (h, "n", "2");
  feed (h, "in", NUMBERS (1, 2, 3, 4, 5));
  harness_collect (h, "out");
  run (h);
  expect (h, "out", NUMBERS (1, 2, 3));
  harness_set (h, "n", "4"); /* two more are held ... */
  feed (h, "in", NUMBERS (6, 7));
  run (h);
  expect (h, "out", NUMBERS (1, 2, 3));
  harness_set (h, "n", "0"); /* ... and now leave, two at a time */
  feed (h, "in", NUMBERS (8));
  run (h);
  expect (h, "out", NUMBERS (1, 2, 3, 4, 5));
  run_to_end (h);
  expect (h, "out", NUMBERS (1, 2, 3, 4, 5, 6, 7, 8));
  harness_free (h);

  h = alone ("scope.delay"); /* fewer data than are held: all leave at the end */
  harness_set (h, "n", "1000000");
  feed (h, "in", NUMBERS (1, 2));
  harness_collect (h, "out");
  run (h);
  expect (h, "out", NONE);
  run_to_end (h);
  expect (h, "out", NUMBERS (1, 2));
  harness_free (h);
  check_travel (make_delay);
  check_reset (make_delay);
}

static void
test_shift (void)
{
  Harness *h = alone ("scope.delay");

  harness_set (h, "mode", "shift");
  harness_set (h, "n", "2");
  feed (h, "in", NUMBERS (1, 2, 3, 4));
  harness_collect (h, "out");
  run (h);
  expect (h, "out", NUMBERS (1, 1, 1, 2));
  harness_set (h, "n", "1"); /* one out for one in, whatever changes */
  feed (h, "in", NUMBERS (5));
  run (h);
  harness_set (h, "n", "3");
  feed (h, "in", NUMBERS (6, 7));
  run (h);
  harness_set (h, "n", "0");
  feed (h, "in", NUMBERS (8));
  run_to_end (h);
  expect (h, "out", NUMBERS (1, 1, 1, 2, 4, 5, 5, 8));
  harness_free (h);
  check_travel (make_shift);
  check_reset (make_shift);
}

static Harness *
make_delay_texts (void)
{
  Harness *h = alone ("scope.delay");

  harness_set (h, "n", "20");
  for (int i = 0; i < 100; i++) {
    g_autofree char *text = g_strdup_printf ("text %d", i);
    char *word = g_ref_string_new (text);
    harness_feed (h, "in", &eve_type_text, &word, 1);
    g_ref_string_release (word);
  }
  harness_collect (h, "out");
  return h;
}

static void
test_delay_texts (void)
{
  Harness *h = make_delay_texts ();
  char *const *words;
  size_t n;

  run_to_end (h);
  words = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 100);
  g_assert_cmpstr (words[0], ==, "text 0");
  g_assert_cmpstr (words[99], ==, "text 99");
  harness_free (h);
  check_travel (make_delay_texts);
}

/* ---- sample, limit, merge ----------------------------------------------------------------------------------------------- */
static Harness *
make_sample (void)
{
  Harness *h = alone ("scope.sample");

  harness_set (h, "every", "7");
  for (double x = 0; x < 1000; x++)
    feed (h, "in", &x, 1);
  harness_collect (h, "out");
  return h;
}

static void
test_sample (void)
{
  static const char *const which[] = { "1", "3", "99" };

  for (uint32_t i = 0; i < 3; i++) {
    Harness *h = alone ("scope.sample");

    harness_set (h, "every", "3");
    harness_set (h, "which", which[i]);
    feed (h, "in", NUMBERS (1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    harness_collect (h, "out");
    run_to_end (h);
    if (i == 0)
      expect (h, "out", NUMBERS (1, 4, 7, 10));
    else /* beyond the group: its last */
      expect (h, "out", NUMBERS (3, 6, 9));
    harness_free (h);
  }
  Harness *h = alone ("scope.sample");
  harness_set (h, "every", "1"); /* the least: all of them */
  feed (h, "in", NUMBERS (1, 2, 3));
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NUMBERS (1, 2, 3));
  harness_free (h);
  check_travel (make_sample);
  check_reset (make_sample);
}

static void
test_limit (void)
{
  Harness *h = alone ("scope.limit");

  harness_set (h, "n", "2");
  feed (h, "in", NUMBERS (5, 6, 7, 8));
  harness_collect (h, "out");
  run (h);
  expect (h, "out", NUMBERS (5, 6));
  harness_send (h, "reset", &eve_type_pulse, &pulse);
  feed (h, "in", NUMBERS (9, 10, 11));
  run_to_end (h);
  expect (h, "out", NUMBERS (5, 6, 9, 10));
  harness_free (h);

  h = alone ("scope.limit");
  harness_set (h, "n", "0");
  feed (h, "in", NUMBERS (5));
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NONE);
  eve_reset (harness_program (h));
  harness_set (h, "n", "1");
  run (h);
  expect (h, "out", NUMBERS (5));
  harness_free (h);
}

/* Two sources at one input, built by hand: the harness has one source an input. */
static void
test_merge (void)
{
  EveProgram *p = eve_program_new ();
  g_autoptr (GError) error = NULL;
  EveComponent *a = eve_add (p, eve_registry_find ("scope.series"), "A", &error);
  EveComponent *b = eve_add (p, eve_registry_find ("scope.series"), "B", &error);
  EveComponent *m = eve_add (p, eve_registry_find ("scope.merge"), "M", &error);
  EveComponent *csv = eve_add (p, eve_registry_find ("scope.text-sink"), "T", &error);
  g_autofree char *folder = g_dir_make_tmp ("scope-merge-XXXXXX", &error);
  g_autofree char *file = g_build_filename (folder, "merged", NULL), *text = NULL;
  int64_t next_a = 1, next_b = 1001;

  eve_set (a, "count", "1000", &error);
  eve_set (b, "first", "1001", &error);
  eve_set (b, "count", "400", &error);
  eve_program_set_output_folder (p, folder);
  eve_set (csv, "file", "merged", &error);
  g_assert_true (eve_connect (p, a, "out", m, "in", &error));
  g_assert_true (eve_connect (p, b, "out", m, "in", &error));
  g_assert_true (eve_connect (p, m, "out", csv, "in", &error));
  g_assert_cmpint (eve_run (p, -1), ==, EVE_IDLE);
  g_assert_true (eve_program_ended (p));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1401); /* an empty one after the last */
  for (guint i = 0; i < 1400; i++) {                  /* nothing lost, and each wire in its own order */
    int64_t x = g_ascii_strtoll (lines[i], NULL, 10);
    if (x <= 1000)
      g_assert_cmpint (x, ==, next_a++);
    else
      g_assert_cmpint (x, ==, next_b++);
  }
  g_assert_cmpint (next_a, ==, 1001);
  g_assert_cmpint (next_b, ==, 1401);
  eve_program_free (p);
  g_remove (file);
  g_rmdir (folder);
}

/* ---- standing in ---------------------------------------------------------------------------------------------------- */
typedef struct Brittle {
  EveBase base;
  double breaks_at, slow_at;
} Brittle;

static const EveInSpec brittle_ins[] = { { "in", &eve_type_double, .required = true, .doc = "x" } };
static const EveOutSpec brittle_outs[] = { { "out", &eve_type_double, .doc = "x" } };
static const EveField brittle_settings[] = {
  { "breaks at", EVE_F_DOUBLE, offsetof (Brittle, breaks_at), .def = 1e9, .doc = "x" },
  { "slow at", EVE_F_DOUBLE, offsetof (Brittle, slow_at), .def = 1e9, .doc = "x" },
};

/* Gives 100 + x; fails at one value after it has given, and works for 30 ms on another. */
static void
brittle_fire (EveComponent *c)
{
  const Brittle *self = (const Brittle *) c;
  const double *x = eve_take (eve_base (c)->in[0]);
  double y = *x + 100;
  if (*x == self->slow_at)
    g_usleep (30000);
  eve_emit (eve_base (c)->out[0], &y);
  if (*x == self->breaks_at)
    eve_fail (c, "breaks at %g", *x);
}

static const EveClass brittle = { EVE_CLASS_HEAD,
                                  .id = "test.brittle",
                                  .label = "Brittle",
                                  .category = "Test",
                                  .doc = "x",
                                  .version = 1,
                                  .ins = brittle_ins,
                                  .n_ins = 1,
                                  .outs = brittle_outs,
                                  .n_outs = 1,
                                  .settings = brittle_settings,
                                  .n_settings = 2,
                                  .instance_size = sizeof (Brittle),
                                  .fire = brittle_fire };

static EveComponent *
beside (Harness *h, const char *id, const char *name, const char *setting, const char *value)
{
  EveComponent *c = eve_add (harness_program (h), eve_registry_find (id), name, NULL);
  g_assert_nonnull (c);
  if (setting)
    g_assert_true (eve_set (c, setting, value, NULL));
  return c;
}

static Harness *
make_fallback (void)
{
  Harness *h = alone ("scope.fallback");

  beside (h, "test.brittle", "Mine", "breaks at", "3");
  beside (h, "test.brittle", "Next", "breaks at", "5");
  beside (h, "scope.unary", "Usual", "operation", "negate");
  harness_set (h, "boxes", "Mine, Next, Usual");
  feed (h, "in", NUMBERS (1, 2, 3, 4, 5, 6, 7));
  harness_collect_all (h);
  return h;
}

static void
test_fallback (void)
{
  Harness *h = make_fallback ();

  run_to_end (h);
  expect (h, "out", NUMBERS (101, 102, 103, 104, -5, -6, -7)); /* no datum is lost, none comes twice */
  g_assert_cmpuint (warnings, ==, 2);
  g_assert_nonnull (strstr (last_warning, "breaks at 5"));
  g_assert_null (eve_program_failure (harness_program (h), NULL));
  g_assert_cmpuint (eve_component_firings (eve_find (harness_program (h), "Mine")), ==, 3);
  harness_free (h);
  check_travel (make_fallback);
  check_reset (make_fallback);
}

static void
test_fallback_slow (void)
{
  Harness *h = alone ("scope.fallback");

  beside (h, "test.brittle", "Mine", "slow at", "2");
  beside (h, "scope.unary", "Usual", "operation", "negate");
  harness_set (h, "boxes", "Mine, Usual");
  harness_set (h, "at most", "20");
  feed (h, "in", NUMBERS (2, 3));
  harness_collect_all (h);
  run_to_end (h);
  expect (h, "out", NUMBERS (102, -3)); /* what was slow was done; the next one is another's */
  g_assert_cmpuint (warnings, ==, 1);
  g_assert_nonnull (strstr (last_warning, "too slow"));
  harness_free (h);
}

/* The list is another one while it is not judged yet how long the last one took, and after one was given up. */
static void
test_fallback_list (void)
{
  Harness *h = alone ("scope.fallback");
  g_autoptr (GString) many = g_string_new ("Usual");

  beside (h, "test.brittle", "Mine", "slow at", "2");
  beside (h, "scope.unary", "Usual", "operation", "negate");
  beside (h, "test.brittle", "Third", "breaks at", "4");
  harness_set (h, "boxes", "Nobody, None, Mine, Usual");
  harness_set (h, "at most", "20");
  feed (h, "in", NUMBERS (2));
  harness_collect_all (h);
  run (h);
  g_assert_cmpuint (warnings, ==, 2); /* two names of nobody */
  harness_set (h, "boxes", "Third, Usual");
  feed (h, "in", NUMBERS (3, 4, 5));
  run (h);
  expect (h, "out", NUMBERS (102, 103, -4, -5));
  g_assert_cmpuint (warnings, ==, 3);
  g_assert_nonnull (strstr (last_warning, "breaks at 4"));
  harness_set (h, "boxes", "Usual, Third"); /* the first has not failed, the one that has was another's place */
  feed (h, "in", NUMBERS (6));
  run (h);
  expect (h, "out", NUMBERS (102, 103, -4, -5, -6));
  for (int i = 0; i < 62; i++)
    g_string_append_printf (many, ", Box %d", i);
  g_assert_false (eve_set (harness_component (h), "boxes", many->str, NULL));
  harness_free (h);
}

/* The last one that is left fails: the program does, and says so. */
static void
test_fallback_ends (void)
{
  Harness *h = alone ("scope.fallback");

  beside (h, "test.brittle", "Mine", "breaks at", "1");
  harness_set (h, "boxes", "Mine, Nobody");
  feed (h, "in", NUMBERS (1));
  g_assert_cmpint (harness_run (h), ==, EVE_RUN_FAILED);
  g_assert_nonnull (strstr (eve_program_failure (harness_program (h), NULL), "no box left"));
  g_assert_cmpuint (warnings, ==, 2); /* the failure, and that there is no such box */
  harness_free (h);
}

static void
tell_unfed (void *told, const char *sentence)
{
  g_string_append (told, sentence);
}

static void
test_broker (void)
{
  Harness *h = alone ("scope.broker");
  g_autoptr (GString) unfed = g_string_new (NULL);

  EveComponent *gate = beside (h, "scope.gate", "Gate", "when closed", "hold"),
               *usual = beside (h, "scope.unary", "Usual", "operation", "negate");
  beside (h, "scope.gate", "Wrong", "when closed", "hold");
  harness_set (h, "boxes", "Gate, Usual");
  feed (h, "in", NUMBERS (1, 2));
  harness_collect_all (h);
  run (h);
  expect (h, "out", NUMBERS (1, 2)); /* an open gate passes them on */
  uint64_t before = eve_out_identity (harness_component (h), 0);
  g_assert_true (eve_set (gate, "starts open", "false", NULL));
  feed (h, "in", NUMBERS (3));
  run (h);
  expect (h, "out", NUMBERS (1, 2, -3)); /* closed: the next one */
  g_assert_cmpuint (eve_component_firings (gate), ==, 2);
  g_assert_cmpuint (eve_component_firings (usual), ==, 1);
  g_assert_cmpuint (eve_out_identity (harness_component (h), 0), !=, before); /* films know who may stand in */
  eve_program_tell_unfed (harness_program (h), tell_unfed, unfed);
  g_assert_null (strstr (unfed->str, "Usual"));
  g_assert_nonnull (strstr (unfed->str, "Wrong")); /* that one stands in for nobody */
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_add_func ("/flow/threshold", test_threshold);
  g_test_add_func ("/flow/threshold/empty", test_threshold_empty);
  g_test_add_func ("/flow/constant", test_constant);
  g_test_add_func ("/flow/series", test_series);
  g_test_add_func ("/flow/series/unheard", test_series_unheard);
  g_test_add_func ("/flow/counter", test_counter);
  g_test_add_func ("/flow/if-then", test_if_then);
  g_test_add_func ("/flow/if-then-else", test_if_then_else);
  g_test_add_func ("/flow/if-then-else/texts", test_if_then_texts);
  g_test_add_func ("/flow/switch", test_switch);
  g_test_add_func ("/flow/gate/drop", test_gate_drop);
  g_test_add_func ("/flow/gate/alone", test_gate_alone);
  g_test_add_func ("/flow/gate/hold", test_gate_hold);
  g_test_add_func ("/flow/gate/state", test_gate_state);
  g_test_add_func ("/flow/delay", test_delay);
  g_test_add_func ("/flow/delay/shift", test_shift);
  g_test_add_func ("/flow/delay/texts", test_delay_texts);
  g_test_add_func ("/flow/sample", test_sample);
  g_test_add_func ("/flow/limit", test_limit);
  g_test_add_func ("/flow/merge", test_merge);
  g_test_add_func ("/flow/fallback", test_fallback);
  g_test_add_func ("/flow/fallback/slow", test_fallback_slow);
  g_test_add_func ("/flow/fallback/list", test_fallback_list);
  g_test_add_func ("/flow/fallback/ends", test_fallback_ends);
  g_test_add_func ("/flow/broker", test_broker);
  eve_registry_add (&brittle, NULL);
  return run_tests (argc, argv);
}
