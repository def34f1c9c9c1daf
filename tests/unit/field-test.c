/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as text. */
#include <locale.h>
#include <math.h>
#include "tests/unit/boxes.h"

static void
refused (EveComponent *c, const char *setting, const char *value, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *before = eve_get (c, setting), *after = NULL;

  g_assert_false (eve_set (c, setting, value, &error));
  g_assert_error (error, EVE_ERROR, EVE_ERROR_SETTING);
  assert_contains (error->message, part);
  after = eve_get (c, setting);
  g_assert_cmpstr (before, ==, after);
}

static void
taken (EveComponent *c, const char *setting, const char *value)
{
  g_autofree char *after = NULL;

  set (c, setting, value);
  after = eve_get (c, setting);
  g_assert_cmpstr (after, ==, value);
}

static void
test_settings (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *c = box (p, &box_settings, "Box");
  g_autofree char *none = NULL, *real = NULL, *choice = NULL;

  real = eve_get (c, "real");
  choice = eve_get (c, "choice");
  g_assert_cmpstr (real, ==, "0.1");
  g_assert_cmpstr (choice, ==, "deep blue");
  g_assert_null (none = eve_get (c, "nothing"));
  taken (c, "real", "-10");
  taken (c, "real", "10");
  taken (c, "real", "0.30000000000000004");
  refused (c, "real", "10.000001", "10");
  refused (c, "real", "-11", "-10");
  refused (c, "real", "nan", "real");
  refused (c, "real", "1e999", "real");
  refused (c, "real", "", "real");
  refused (c, "real", "1,5", "number");
  refused (c, "real", "1x", "number");
  taken (c, "whole", "9223372036854775807");
  taken (c, "whole", "-9223372036854775808");
  refused (c, "whole", "9223372036854775808", "whole");
  refused (c, "whole", "1.5", "whole");
  refused (c, "whole", "", "whole");
  taken (c, "truth", "false");
  taken (c, "truth", "true");
  refused (c, "truth", "perhaps", "true");
  refused (c, "truth", "", "true");
  taken (c, "text", "");
  taken (c, "text", "two\nlines & <marks> \xe2\x82\xac");
  refused (c, "text", "\xff\xff", "UTF-8");
  taken (c, "choice", "red");
  refused (c, "choice", "Red", "deep blue"); /* tells what there is */
  refused (c, "choice", "0", "deep blue");
  refused (c, "nothing", "1", "nothing");
  eve_program_free (p);
}

/* The component may refuse too; then its sentence is the error and the value stays. */
static void
test_changed_refuses (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *c = box (p, &box_settings, "Box");

  refused (c, "whole", "13", "bad luck");
  g_assert_cmpint (eve_program_mode (p), !=, EVE_FAILED);
  taken (c, "whole", "14");
  eve_program_free (p);
}

static void
test_numbers_survive (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  EveField f = { "x", EVE_F_DOUBLE };

  for (int i = 0; i < 20000; i++) {
    uint64_t bits = (uint64_t) g_rand_int (rand) << 32 | g_rand_int (rand);
    double v, back = 0;
    g_autofree char *text = NULL;

    memcpy (&v, &bits, sizeof v);
    if (!isfinite (v))
      continue;
    text = eve_field_text (&f, &v);
    g_assert_true (eve_field_parse (&f, text, &back, NULL));
    g_assert_cmpfloat (v, ==, back);
  }
}

/* Numbers are in C notation, whatever the person's language. */
static void
test_locale (void)
{
  EveField f = { "x", EVE_F_DOUBLE };
  double v = 1.5, back = 0;
  g_autofree char *text = NULL;

  if (!setlocale (LC_ALL, "de_DE.UTF-8") && !setlocale (LC_ALL, "fr_FR.UTF-8")) {
    g_test_skip ("no locale with a decimal comma is installed");
    return;
  }
  text = eve_field_text (&f, &v);
  g_assert_cmpstr (text, ==, "1.5");
  g_assert_true (eve_field_parse (&f, "2.25", &back, NULL));
  g_assert_cmpfloat (back, ==, 2.25);
  setlocale (LC_ALL, "C");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/field/settings", test_settings);
  g_test_add_func ("/field/changed-refuses", test_changed_refuses);
  g_test_add_func ("/field/numbers-survive", test_numbers_survive);
  g_test_add_func ("/field/locale", test_locale);
  return g_test_run ();
}
