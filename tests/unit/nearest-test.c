/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest of some names, against the whole table of distances. */
#include "eve/nearest.h"
#include <glib.h>
#include <string.h>

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

static void
offer (void *arg, void (*add) (void *to, const char *name), void *to)
{
  for (const char *const *name = arg; *name; name++)
    add (to, *name);
}

/* The whole table of Wagner and Fischer. */
static guint
table_distance (const char *a, const char *b)
{
  size_t n = strlen (a), m = strlen (b);
  guint d[64][64];

  for (size_t i = 0; i <= n; i++)
    for (size_t j = 0; j <= m; j++)
      d[i][j] = i == 0   ? (guint) j
                : j == 0 ? (guint) i
                         : MIN (MIN (d[i - 1][j], d[i][j - 1]) + 1,
                                d[i - 1][j - 1] + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1])));
  return d[n][m];
}

static void
test_nearest (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);

  for (int round = 0; round < 5000; round++) {
    g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
    g_autofree char *wanted = random_name (rand);
    guint least = G_MAXUINT;
    for (int n = g_rand_int_range (rand, 0, 12); n > 0; n--) {
      char *name = random_name (rand);
      g_ptr_array_add (names, name);
      if (table_distance (wanted, name) <= MAX (strlen (wanted), strlen (name)) / 2)
        least = MIN (least, table_distance (wanted, name));
    }
    g_ptr_array_add (names, NULL);
    g_autofree char *nearest = eve_nearest (wanted, offer, names->pdata);
    g_autofree char *told = eve_nearest_told (wanted, offer, names->pdata);
    g_autofree char *want = nearest ? g_strdup_printf ("; the nearest name is “%s”", nearest) : g_strdup ("");
    g_assert_cmpstr (told, ==, want);
    if (least == G_MAXUINT)
      g_assert_null (nearest);
    else
      g_assert_cmpuint (table_distance (wanted, nearest), ==, least);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nearest", test_nearest);
  return g_test_run ();
}
