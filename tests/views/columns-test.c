/* SPDX-License-Identifier: Apache-2.0 */
/* columns-test.c - numbers packed by columns come back as they were, in few bytes; what is no packed column is refused.
 */
#include "views/history-columns.h"
#include <glib.h>
#include <string.h>
#include "eve/bytes.h"

#define MOST 16384 /* bytes of rows */

/* Numbers of some kind, by the column they stand in. */
static uint32_t
number (GRand *r, uint32_t kind)
{
  uint32_t v = g_rand_int (r);

  switch (kind % 8) {
  case 0: /* ticks and a state, as in histories */
    return (v >> (12 + v % 16)) << 4 | v % 4;
  case 1:
    return 0;
  case 2:
    return v;
  case 3:
    return v % 64;
  case 4:
    return UINT32_MAX;
  case 5:
    return (v % 1000) << 20;
  case 6: /* seldom a long one */
    return v % 500 == 0 ? v : v % 7;
  default:
    return v >> v % 32;
  }
}

static void
test_back_again (void)
{
  uint8_t rows[MOST], again[MOST];
  g_autofree uint8_t *packed = g_malloc (history_columns_bound (MOST, HISTORY_COLUMNS_MOST));
  g_autofree uint8_t *plain = g_malloc (history_columns_bound (MOST, HISTORY_COLUMNS_MOST));
  g_autoptr (GRand) r = g_rand_new_with_seed (7);

  for (uint32_t turn = 0; turn < 3000; turn++) {
    uint32_t columns = (uint32_t) g_rand_int_range (r, 1, HISTORY_COLUMNS_MOST + 1),
             most = MOST / 4 / columns, /* now and then more than are taken at once */
        n = (uint32_t) g_rand_int_range (r, 0, (int) (turn % 10 == 0 ? most : MIN (most, 20))), bytes = n * columns * 4,
             kind = g_rand_int (r);
    for (uint32_t i = 0; i < n * columns; i++)
      bytes_put32 (rows + 4 * i, number (r, kind + i % columns));
    uint32_t size = history_columns_pack (rows, bytes, columns, packed);
    g_assert_cmpuint (size + 8, <=, history_columns_bound (bytes, columns));
    uint32_t again_size = history_columns_pack_plain (rows, bytes, columns, plain);
    g_assert_cmpmem (packed, size, plain, again_size); /* machines with vectors and without make the same files */
    uint8_t *exact = g_memdup2 (packed, size);         /* the sanitizer sees what is read behind it */
    memset (again, 0xa5, bytes);
    g_assert_true (history_columns_unpack (exact, size, columns, again, bytes));
    g_assert_cmpmem (rows, bytes, again, bytes);
    g_assert_false (history_columns_unpack (exact, size - 1, columns, again, bytes));
    if (n > 0) /* a row fewer leaves bytes, if not those of the last bits */
      history_columns_unpack (exact, size, columns, again, bytes - 4 * columns);
    g_free (exact);
  }
}

static void
test_small (void)
{
  enum { N = 1024 };
  uint8_t rows[4 * N], packed[8 * N];
  g_autoptr (GRand) r = g_rand_new_with_seed (1);

  for (uint32_t i = 0; i < N; i++) /* 10 bits that tell something in each number */
    bytes_put32 (rows + 4 * i, (g_rand_int (r) & 255) << 4 | (g_rand_int (r) & 3));
  uint32_t size = history_columns_pack (rows, sizeof rows, 1, packed);
  g_assert_cmpuint (size, <=, N * 11 / 8 + 16);
  memset (rows, 0, sizeof rows);
  g_assert_cmpuint (history_columns_pack (rows, sizeof rows, 1, packed), ==, 4);
}

static void
test_damaged (void)
{
  uint8_t rows[2048], again[2048];
  g_autofree uint8_t *packed = g_malloc (history_columns_bound (sizeof rows, HISTORY_COLUMNS_MOST));
  g_autoptr (GRand) r = g_rand_new_with_seed (3);

  for (uint32_t turn = 0; turn < 2000; turn++) {
    uint32_t columns = (uint32_t) g_rand_int_range (r, 1, HISTORY_COLUMNS_MOST + 1), n = 20, bytes = n * columns * 4;
    for (uint32_t i = 0; i < n * columns; i++)
      bytes_put32 (rows + 4 * i, number (r, turn + i % columns));
    uint32_t size = history_columns_pack (rows, bytes, columns, packed);
    for (int change = 0; change < 20; change++) {
      uint32_t cut = (uint32_t) g_rand_int_range (r, 0, (gint32) size + 1);
      uint8_t *some = g_memdup2 (packed, MAX (cut, 1));
      if (cut > 0)
        some[g_rand_int_range (r, 0, (gint32) cut)] = (uint8_t) g_rand_int (r);
      history_columns_unpack (some, cut, columns, again, bytes); /* anything but a read elsewhere */
      g_free (some);
    }
    g_assert_false (history_columns_unpack (packed, 0, columns, again, bytes));
    g_assert_false (history_columns_unpack (packed, size, columns, again, bytes - 1));
    packed[2] = 4; /* a code of more bits than there are */
    g_assert_false (history_columns_unpack (packed, size, columns, again, bytes));
    packed[0] = 20, packed[1] = 13, packed[2] = 0; /* more bits left out than a number has */
    g_assert_false (history_columns_unpack (packed, size, columns, again, bytes));
  }
  g_assert_false (history_columns_unpack (packed, 4, 0, again, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/columns/back again", test_back_again);
  g_test_add_func ("/columns/small", test_small);
  g_test_add_func ("/columns/damaged", test_damaged);
  return g_test_run ();
}
