/* SPDX-License-Identifier: Apache-2.0 */
/* Typed values in a stream of bytes: round trips, wrong reading, hostile bytes. */
#include <math.h>
#include "tests/unit/boxes.h"

static void
test_round_trip (void)
{
  static const int64_t ints[] = { 0, 1, -1, 63, 64, -64, -65, 127, 128, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN };
  static const double reals[] = { 0, -0.0, 1.5, -1e300, 1e-310, INFINITY, -INFINITY, NAN };
  int64_t back[EVE_N (ints)];
  EveBlob *b = eve_blob_new ();
  EveBlobView *v;
  size_t n;
  const uint8_t *bytes;

  for (uint32_t i = 0; i < EVE_N (ints); i++)
    eve_put_int (b, ints[i]);
  for (uint32_t i = 0; i < EVE_N (reals); i++)
    eve_put_double (b, reals[i]);
  eve_put_text (b, "caf\xc3\xa9");
  eve_put_text (b, "");
  eve_put_text (b, NULL);
  eve_put_bytes (b, "a\0b", 3);
  eve_put_bytes (b, NULL, 0);
  eve_put_ints (b, ints, EVE_N (ints));
  eve_put_ints (b, NULL, 0);
  bytes = eve_blob_data (b, &n);
  v = eve_blob_view_new (bytes, n);
  for (uint32_t i = 0; i < EVE_N (ints); i++)
    g_assert_cmpint (eve_get_int (v), ==, ints[i]);
  for (uint32_t i = 0; i < EVE_N (reals); i++) {
    double d = eve_get_double (v);

    g_assert_true (memcmp (&d, &reals[i], sizeof d) == 0 || (isnan (d) && isnan (reals[i])));
  }
  g_assert_cmpstr (eve_get_text (v), ==, "caf\xc3\xa9");
  g_assert_cmpstr (eve_get_text (v), ==, "");
  g_assert_cmpstr (eve_get_text (v), ==, "");
  g_assert_cmpmem (eve_get_bytes (v, &n), n, "a\0b", 3);
  eve_get_bytes (v, &n);
  g_assert_cmpuint (n, ==, 0);
  g_assert_cmpuint (eve_get_ints (v, back, 5), ==, EVE_N (ints)); /* tells how many there were */
  g_assert_cmpmem (back, 5 * sizeof *back, ints, 5 * sizeof *ints);
  g_assert_cmpuint (eve_get_ints (v, NULL, 0), ==, 0);
  g_assert_true (eve_get_ok (v));
  eve_get_int (v); /* nothing is left */
  g_assert_false (eve_get_ok (v));
  eve_blob_view_free (v);
  eve_blob_free (b);
}

/* The first wrong value sticks: what comes after is 0 and empty, also where the bytes would fit. */
static void
test_wrong_kind (void)
{
  EveBlob *b = eve_blob_new ();
  EveBlobView *v;
  size_t n, m;
  const uint8_t *bytes;

  eve_put_double (b, 2);
  eve_put_int (b, 7);
  bytes = eve_blob_data (b, &n);
  v = eve_blob_view_new (bytes, n);
  g_assert_cmpint (eve_get_int (v), ==, 0);
  g_assert_false (eve_get_ok (v));
  g_assert_cmpfloat (eve_get_double (v), ==, 0);
  g_assert_cmpint (eve_get_int (v), ==, 0);
  g_assert_cmpstr (eve_get_text (v), ==, "");
  eve_get_bytes (v, &m);
  g_assert_cmpuint (m, ==, 0);
  g_assert_cmpuint (eve_get_ints (v, NULL, 0), ==, 0);
  g_assert_false (eve_get_ok (v));
  eve_blob_view_free (v);
  eve_blob_free (b);
}

static void
read_all (EveBlobView *v, GRand *rand)
{
  int64_t ints[8];
  size_t n;

  for (int i = 0; i < 20; i++)
    switch (g_rand_int_range (rand, 0, 5)) {
    case 0:
      eve_get_int (v);
      break;
    case 1:
      eve_get_double (v);
      break;
    case 2:
      g_assert_nonnull (eve_get_text (v));
      break;
    case 3: {
      const uint8_t *p = eve_get_bytes (v, &n);
      volatile uint8_t sum;

      for (size_t k = 0; k < n; k++)
        sum = p[k], (void) sum;
      break;
    }
    default:
      eve_get_ints (v, ints, EVE_N (ints));
    }
}

/* Every cut and 20000 random damages: no read outside (the bytes are in a block of their own, for the sanitizer). */
static void
test_hostile (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  EveBlob *b = eve_blob_new ();
  size_t n;
  const uint8_t *bytes;

  eve_put_int (b, -5000);
  eve_put_text (b, "some text");
  eve_put_bytes (b, "12345678", 8);
  eve_put_ints (b, (int64_t[]){ 1, 2, 300000, -4 }, 4);
  eve_put_double (b, 1);
  bytes = eve_blob_data (b, &n);
  for (int i = 0; i < 20000; i++) {
    size_t m = i <= (int) n ? (size_t) i : (size_t) g_rand_int_range (rand, 1, (gint32) n + 1);
    g_autofree uint8_t *copy = g_memdup2 (bytes, MAX (m, 1));
    EveBlobView *v = eve_blob_view_new (copy, m);

    if (i > (int) n)
      for (int k = g_rand_int_range (rand, 1, 6); k > 0; k--)
        copy[g_rand_int_range (rand, 0, (gint32) m)] = g_rand_boolean (rand) ? 0xff : (uint8_t) g_rand_int (rand);
    read_all (v, rand);
    eve_blob_view_free (v);
  }
  eve_blob_free (b);
}

static void
test_hash (void)
{
  EveBlob *a = eve_blob_new (), *b = eve_blob_new ();

  g_assert_cmpuint (eve_blob_hash (a), ==, eve_blob_hash (b));
  eve_put_int (a, 1);
  g_assert_cmpuint (eve_blob_hash (a), !=, eve_blob_hash (b));
  eve_put_int (b, 1);
  g_assert_cmpuint (eve_blob_hash (a), ==, eve_blob_hash (b));
  eve_put_text (a, "x");
  eve_put_bytes (b, "x", 1);
  g_assert_cmpuint (eve_blob_hash (a), !=, eve_blob_hash (b));
  eve_blob_free (a);
  eve_blob_free (b);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/blob/round-trip", test_round_trip);
  g_test_add_func ("/blob/wrong-kind", test_wrong_kind);
  g_test_add_func ("/blob/hostile", test_hostile);
  g_test_add_func ("/blob/hash", test_hash);
  return g_test_run ();
}
