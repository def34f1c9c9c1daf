/* SPDX-License-Identifier: Apache-2.0 */
/* list-test.c - lists of names in settings: what is read of what was written. */
#include "statistics/list.h"
#include <string.h>

static void
test_split (void)
{
  static const struct {
    const char *list, *names; /* with | between */
  } cases[] = {
    { "", "" },
    { " , ,, \t\n", "" },
    { "fft 2", "fft 2" },
    { "fft 0,fft 1", "fft 0|fft 1" },
    { " fft 0 ,\tfft  1\n", "fft 0|fft  1" },
    { "\"a, b\", c", "a, b|c" },
    { "\"\"", "" },
    { "\" a \"", " a " },
    { "\"say \"\"yes\"\"\"", "say \"yes\"" },
    { "\"\"\"\"", "\"" },
    { "a\"b, c\"", "a\"b|c\"" },
    { "\"a\" , b", "a|b" },
    { "\"a\" b, c", "\"a\" b|c" }, /* something behind the quotes: a name as it stands */
    { "\"a, b\" c, d", "\"a, b\" c|d" },
    { "\"a\"\"\", b", "a\"|b" },
    { "\"a, b", "\"a|b" }, /* not closed */
    { "\"", "\"" },
    { "\u00e9t\u00e9, \u51ac \u65e5", "\u00e9t\u00e9|\u51ac \u65e5" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (GStrv) names = stats_list_split (cases[i].list);
    g_autofree char *all = g_strjoinv ("|", names);
    g_test_message ("%s", cases[i].list);
    g_assert_cmpstr (all, ==, cases[i].names);
    for (char **name = names; *name != NULL; name++)
      g_assert_true (stats_list_has (cases[i].list, *name));
    g_assert_false (stats_list_has (cases[i].list, "nobody"));
    g_assert_false (stats_list_has (cases[i].list, NULL));
    g_assert_false (stats_list_has (cases[i].list, ""));
  }
}

static char *
random_name (GRand *rand)
{
  static const char *const parts[] = { "a",  "b",  " ",      "  ",     ",",   "\"", "\"\"", "\t",
                                       "\n", "\r", "\u00e9", "\u51ac", "fft", "0",  "'",    "\\" };
  GString *name = g_string_new (NULL);

  for (int n = g_rand_int_range (rand, 1, 7); n > 0; n--)
    g_string_append (name, parts[g_rand_int_range (rand, 0, G_N_ELEMENTS (parts))]);
  return g_string_free (name, FALSE);
}

/* What was written is read, whatever blanks somebody puts around the commas. */
static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (int round = 0; round < 20000; round++) {
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autoptr (GString) list = g_string_new (NULL), spaced = g_string_new (NULL);
    for (int n = g_rand_int_range (rand, 0, 5); n > 0; n--) {
      g_autoptr (GString) one = g_string_new (NULL);
      g_ptr_array_add (names, random_name (rand));
      stats_list_add (list, names->pdata[names->len - 1]);
      stats_list_add (one, names->pdata[names->len - 1]);
      g_string_append_printf (spaced, "%s \t%s\n", spaced->len > 0 ? "," : "", one->str);
    }
    for (int k = 0; k < 2; k++) {
      g_auto (GStrv) read = stats_list_split (k == 0 ? list->str : spaced->str);
      g_assert_cmpuint (g_strv_length (read), ==, names->len);
      for (guint i = 0; i < names->len; i++) {
        g_assert_cmpstr (read[i], ==, names->pdata[i]);
        g_assert_true (stats_list_has (list->str, names->pdata[i]));
      }
    }
  }
}

/* Whatever bytes a list has, it is read, and what was read is read again. */
static void
test_any_bytes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (int round = 0; round < 20000; round++) {
    g_autofree char *text = random_name (rand), *more = random_name (rand), *list = g_strconcat (text, more, NULL);
    g_auto (GStrv) names = stats_list_split (list);
    g_autoptr (GString) again = g_string_new (NULL);
    for (char **name = names; *name != NULL; name++)
      stats_list_add (again, *name);
    g_auto (GStrv) twice = stats_list_split (again->str);
    g_assert_true (g_strv_equal ((const char *const *) names, (const char *const *) twice));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/list/split", test_split);
  g_test_add_func ("/list/round-trip", test_round_trip);
  g_test_add_func ("/list/any-bytes", test_any_bytes);
  return g_test_run ();
}
