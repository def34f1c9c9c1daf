/* SPDX-License-Identifier: Apache-2.0 */
/* pair-test.c - keys made of two numbers spread: all pairs of neighbours, wherever their bits meet, have hash values of
 * their own, but for a few. */
#include "readers/pair.h"

#define N 600

static void
test_spread (void)
{
  for (int shift = 32; shift <= 33; shift++) {
    g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
    for (uint64_t a = 1; a <= N; a++)
      for (uint64_t b = 1; b <= N; b++) {
        uint64_t key = a << shift | b;
        guint hash = pair_hash (&key);
        g_assert_cmpuint (hash, ==, pair_hash_of (key));
        g_assert_cmpuint (hash, ==, pair_hash_direct (GSIZE_TO_POINTER (key)));
        g_hash_table_add (values, GUINT_TO_POINTER (hash));
      }
    g_assert_cmpuint (g_hash_table_size (values), >, N * N / 1000 * 999);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pair/spread", test_spread);
  return g_test_run ();
}
