/* SPDX-License-Identifier: Apache-2.0 */
/* The components of the category Math, against results worked out by hand. */
#include "readers/box-inspector.h"
#include "tests/components/common.h"

/* One result of Binary, with b from the input and again from the setting. */
static void
binary_is (const char *operation, double a, double b, double want)
{
  for (int from_setting = 0; from_setting < 2; from_setting++) {
    Harness *h = alone ("scope.binary");
    char text[G_ASCII_DTOSTR_BUF_SIZE];

    if (from_setting && !isfinite (b)) {
      harness_free (h);
      continue;
    }
    harness_set (h, "operation", operation);
    feed (h, "a", NUMBERS (a, a)); /* two, so that a span is fired */
    if (from_setting)
      harness_set (h, "b", g_ascii_dtostr (text, sizeof text, b));
    else
      feed (h, "b", NUMBERS (b, b));
    harness_collect (h, "out");
    run_to_end (h);
    expect (h, "out", NUMBERS (want, want));
    g_assert_cmpuint (warnings, ==, isfinite (a) && isfinite (b) && !isfinite (want)); /* once, not twice */
    harness_free (h);
  }
}

static void
test_binary (void)
{
  binary_is ("add", 2, 3, 5);
  binary_is ("add", 0.1, 0.2, 0.30000000000000004);
  binary_is ("add", 1e308, 1e308, INFINITY);
  binary_is ("add", NAN, 1, NAN);
  binary_is ("subtract", 2, 3, -1);
  binary_is ("subtract", INFINITY, INFINITY, NAN);
  binary_is ("multiply", -4, 2.5, -10);
  binary_is ("divide", 1, 4, 0.25);
  binary_is ("divide", 1, 0, INFINITY);
  binary_is ("divide", -1, 0, -INFINITY);
  binary_is ("divide", 0, 0, NAN);
  binary_is ("modulo", 7, 3, 1);
  binary_is ("modulo", -7, 3, 2);
  binary_is ("modulo", 7, -3, -2);
  binary_is ("modulo", -6, 3, -0.0);
  binary_is ("modulo", 5.5, 2, 1.5);
  binary_is ("modulo", 1, 0, NAN);
  binary_is ("power", 2, 10, 1024);
  binary_is ("power", -1, 0.5, NAN);
  binary_is ("power", 0, 0, 1);
  binary_is ("minimum", 2, 3, 2);
  binary_is ("minimum", NAN, 3, 3);
  binary_is ("maximum", 2, 3, 3);
  binary_is ("maximum", 2, NAN, 2);
  binary_is ("distance", 2, 5, 3);
  binary_is ("hypotenuse", 3, 4, 5);
}

static Harness *
make_binary (void)
{
  Harness *h = alone ("scope.binary");

  harness_set (h, "operation", "divide");
  for (double x = 0; x < 1000; x++) {
    double y = 500 - x; /* one division by zero */
    feed (h, "a", &x, 1);
    feed (h, "b", &y, 1);
  }
  harness_collect (h, "out");
  return h;
}

/* Every operation, in bursts and one by one, on more data than a ring holds. */
static void
test_binary_long (void)
{
  Harness *h = make_binary ();
  const double *got;
  size_t n;

  run_to_end (h);
  got = harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 1000);
  for (size_t i = 0; i < n; i++)
    g_assert_true (got[i] == (double) i / (500 - (double) i));
  g_assert_cmpuint (warnings, ==, 1);
  g_assert_nonnull (strstr (last_warning, "a = 500 and b = 0"));
  harness_free (h);
  check_travel (make_binary);
  check_reset (make_binary);
}

static void
test_binary_waits (void) /* the n-th with the n-th; what has no partner waits */
{
  Harness *h = alone ("scope.binary");

  feed (h, "a", NUMBERS (1, 2, 3));
  feed (h, "b", NUMBERS (10));
  harness_collect (h, "out");
  harness_run (h);
  expect (h, "out", NUMBERS (11));
  feed (h, "b", NUMBERS (20, 30));
  run_to_end (h);
  expect (h, "out", NUMBERS (11, 22, 33));
  harness_free (h);
}

static void
unary_is (const char *operation, double x, double want)
{
  Harness *h = alone ("scope.unary");

  harness_set (h, "operation", operation);
  feed (h, "in", NUMBERS (x, x));
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NUMBERS (want, want));
  g_assert_cmpuint (warnings, ==, isfinite (x) && !isfinite (want));
  harness_free (h);
}

static void
test_unary (void)
{
  unary_is ("negate", 3, -3);
  unary_is ("negate", 0, -0.0);
  unary_is ("abs", -3, 3);
  unary_is ("sign", -7, -1);
  unary_is ("sign", 0.5, 1);
  unary_is ("sign", 0, 0);
  unary_is ("sign", NAN, NAN);
  unary_is ("reciprocal", 4, 0.25);
  unary_is ("reciprocal", 0, INFINITY);
  unary_is ("square", -3, 9);
  unary_is ("sqrt", 9, 3);
  unary_is ("sqrt", -1, -NAN);
  unary_is ("exp", 0, 1);
  unary_is ("exp", 1000, INFINITY);
  unary_is ("log", 1, 0);
  unary_is ("log", 0, -INFINITY);
  unary_is ("log", -1, NAN);
  unary_is ("log2", 8, 3);
  unary_is ("log10", 1000, 3);
  unary_is ("sin", 0, 0);
  unary_is ("cos", 0, 1);
  unary_is ("round", 2.5, 3);
  unary_is ("round", -2.5, -3);
  unary_is ("round", 0.49999999999999994, 0);
  unary_is ("floor", -1.5, -2);
  unary_is ("ceiling", -1.5, -1);
  unary_is ("truncate", -1.5, -1);
  unary_is ("truncate", INFINITY, INFINITY);
}

static void
test_comparison (void)
{
  static const char *const relations[] = { "<", "<=", "=", "!=", ">=", ">" };
  /* for a < b, a = b, a > b, and when one is NaN */
  static const bool want[][4] = { { true, false, false, false }, { true, true, false, false },
                                  { false, true, false, false }, { true, false, true, true },
                                  { false, true, true, false },  { false, false, true, false } };

  for (uint32_t i = 0; i < 6; i++)
    for (int from_setting = 0; from_setting < 2; from_setting++) {
      Harness *h = alone ("scope.comparison");

      harness_set (h, "relation", relations[i]);
      feed (h, "a", NUMBERS (1, 2, 3, NAN));
      if (from_setting)
        harness_set (h, "b", "2");
      else
        feed (h, "b", NUMBERS (2, 2, 2, 2));
      harness_collect (h, "out");
      run_to_end (h);
      expect (h, "out", NUMBERS (want[i][0], want[i][1], want[i][2], want[i][3]));
      harness_free (h);
    }
}

static void
test_boolean (void)
{
  static const struct {
    const char *operation;
    double want[4]; /* of false false, false true, true false, true true */
  } table[] = {
    { "and", { 0, 0, 0, 1 } }, { "or", { 0, 1, 1, 1 } },   { "xor", { 0, 1, 1, 0 } },
    { "not", { 1, 1, 0, 0 } }, { "nand", { 1, 1, 1, 0 } }, { "nor", { 1, 0, 0, 0 } },
  };

  for (uint32_t i = 0; i < EVE_N (table); i++) {
    Harness *h = alone ("scope.boolean");

    harness_set (h, "operation", table[i].operation);
    feed_truths (h, "a", TRUTHS (false, false, true, true));
    feed_truths (h, "b", TRUTHS (false, true, false, true));
    harness_collect (h, "out");
    run_to_end (h);
    expect (h, "out", table[i].want, 4);
    harness_free (h);

    for (int b = 0; b < 2; b++) { /* b from the setting */
      h = alone ("scope.boolean");
      harness_set (h, "operation", table[i].operation);
      harness_set (h, "b", b ? "true" : "false");
      feed_truths (h, "a", TRUTHS (false, true));
      harness_collect (h, "out");
      run_to_end (h);
      expect (h, "out", NUMBERS (table[i].want[b], table[i].want[2 + b]));
      harness_free (h);
    }
  }
}

static void
integer_is (const char *rule, const double *want, size_t n)
{
  Harness *h = alone ("scope.integer");

  harness_set (h, "rule", rule);
  feed (h, "in", NUMBERS (0.6, 1.5, -1.5, -0.4, NAN, INFINITY, 1e19, -1e19, 0x1p63, -0x1p63, 7));
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", want, n);
  g_assert_cmpuint (warnings, ==, 1);
  harness_free (h);
}

static void
test_integer (void)
{
  integer_is ("nearest", NUMBERS (1, 2, -2, 0, -0x1p63, 7));
  integer_is ("down", NUMBERS (0, 1, -2, -1, -0x1p63, 7));
  integer_is ("up", NUMBERS (1, 2, -1, 0, -0x1p63, 7));
  integer_is ("toward zero", NUMBERS (0, 1, -1, 0, -0x1p63, 7));
}

static void
test_conversions (void) /* whole numbers and truth values are numbers where numbers are wanted */
{
  Harness *h = alone ("scope.binary");

  feed_wholes (h, "a", WHOLES (1, -2));
  feed_truths (h, "b", TRUTHS (true, false));
  harness_collect (h, "out");
  run_to_end (h);
  expect (h, "out", NUMBERS (2, -2));
  harness_free (h);
}

/* Whatever its ends are set to, a slider has ends that differ, and a step that is less than what is between them. */
static void
test_slider_bounds (void)
{
  static const char *const numbers[] = { "0",    "1",     "-1",     "50",      "1e-320",   "5e-324", "1e-300", "1e15",
                                         "1e16", "1e300", "-1e300", "1.7e308", "-1.7e308", "inf",    "-inf" };
  static const char *const steps[] = { "0", "1", "1e-320", "1e300" };
  Harness *h = alone ("scope.slider");
  EveComponent *c = harness_component (h);
  const BoxInspector *own = eve_query (c, BOX_INSPECTOR);

  for (size_t i = 0; i < G_N_ELEMENTS (numbers) * G_N_ELEMENTS (numbers) * G_N_ELEMENTS (steps); i++) {
    const char *a = numbers[i % G_N_ELEMENTS (numbers)],
               *b = numbers[i / G_N_ELEMENTS (numbers) % G_N_ELEMENTS (numbers)],
               *by = steps[i / G_N_ELEMENTS (numbers) / G_N_ELEMENTS (numbers)];
    double from = NAN, to = NAN, step = NAN;
    if (!eve_set (c, "from", a, NULL) || !eve_set (c, "to", b, NULL) || !eve_set (c, "step", by, NULL))
      continue;
    own->bounds (c, 0, &from, &to, &step);
    if (!isfinite (from) || !isfinite (to) || !(from < to) || !isfinite (to - from) || !(step > 0)
        || !(step <= to - from))
      g_error ("from %s to %s by %s: a slider from %.17g to %.17g by %.17g", a, b, by, from, to, step);
  }
  harness_free (h);
}

int
main (int argc, char **argv)
{
  g_test_add_func ("/math/slider", test_slider_bounds);
  g_test_add_func ("/math/binary", test_binary);
  g_test_add_func ("/math/binary/long", test_binary_long);
  g_test_add_func ("/math/binary/waits", test_binary_waits);
  g_test_add_func ("/math/unary", test_unary);
  g_test_add_func ("/math/comparison", test_comparison);
  g_test_add_func ("/math/boolean", test_boolean);
  g_test_add_func ("/math/integer", test_integer);
  g_test_add_func ("/math/conversions", test_conversions);
  return run_tests (argc, argv);
}
