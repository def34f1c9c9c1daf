/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as they are shown and typed: what is typed in either form reads back as the number it was made of. */
#include "eve/number.h"
#include <glib.h>
#include <math.h>
#include <string.h>

static void
expect (const char *typed, const char *read)
{
  g_autofree char *text = number_typed (typed);

  g_assert_cmpstr (text, ==, read);
}

static void
test_typed (void)
{
  expect ("1.5 ms", "1.5 ms");
  expect ("1,5 ms", "1.5 ms");
  expect ("-0,25", "-0.25");
  expect ("12\u202f345,5", "12345.5");
  expect ("0.263\u202f085", "0.263085");
  expect ("12 345", "12345");
  expect ("1,500", "1,500"); /* in English it may be either */
  expect ("1,2,3", "1,2,3"); /* a list */
  expect ("1,5 2.5", "1,5 2.5");
  expect ("2022-02-18 11:57:56.9", "2022-02-18 11:57:56.9");
  expect ("soon", "soon");
  expect ("", "");
}

static void
test_round (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int i = 0; i < 2000; i++) {
    double x = ldexp (g_rand_double_range (rand, -1, 1), g_rand_int_range (rand, -20, 40));
    int decimals = g_rand_int_range (rand, 4, 9);
    g_autofree char *text = g_strdup_printf ("%.*f", decimals, x), *comma = g_strdup (text);
    *strchr (comma, '.') = ',';
    g_autofree char *shown = number_local (g_strdup (text)), *one = number_typed (shown), *two = number_typed (comma);
    g_assert_cmpfloat (g_ascii_strtod (one, NULL), ==, g_ascii_strtod (text, NULL));
    g_assert_cmpfloat (g_ascii_strtod (two, NULL), ==, g_ascii_strtod (text, NULL));
  }
}

static void
test_shown (void)
{
  char text[] = "v1. 2.5 .5 5.";

  number_by_locale (); /* of the locale "C" */
  g_assert_cmpint (number_point (), ==, '.');
  g_assert_cmpstr (number_thousands (), ==, ",");
  g_assert_cmpstr (number_local (text), ==, "v1. 2.5 .5 5.");
}

static void
test_share (void)
{
  static const struct {
    double share;
    int decimals;
    const char *space, *told;
  } shares[] = { { 0, 1, " ", "0.0 %" },       { 0.0004, 1, " ", "< 0.1 %" }, { 0.0004, 0, "\u2009", "< 0.1\u2009%" },
                 { 0.0005, 1, " ", "0.1 %" },  { 0.0016, 1, " ", "0.2 %" },   { 0.485, 1, "\u2009", "48.5\u2009%" },
                 { 1e-300, 3, " ", "< 0.1 %" } };

  for (size_t i = 0; i < G_N_ELEMENTS (shares); i++) {
    g_autofree char *told = number_share (shares[i].share, shares[i].decimals, shares[i].space);
    g_assert_cmpstr (told, ==, shares[i].told);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/number/typed", test_typed);
  g_test_add_func ("/number/round", test_round);
  g_test_add_func ("/number/shown", test_shown);
  g_test_add_func ("/number/share", test_share);
  return g_test_run ();
}
