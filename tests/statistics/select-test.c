/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of what is sorted beside all of it sorted by the C library; orders that pivots do not like; few comparisons. */
#include <stdlib.h>
#include "statistics/select.h"

#define MOST 20000

typedef struct Values {
  uint32_t of[MOST];
  uint64_t asked;
} Values;

static Values values;

static int
by_value (gconstpointer a, gconstpointer b, gpointer data)
{
  Values *v = data;
  uint32_t i = *(const uint32_t *) a, k = *(const uint32_t *) b;

  v->asked++;
  return v->of[i] != v->of[k] ? (v->of[i] < v->of[k] ? -1 : 1) : (i > k) - (i < k);
}

static int
plainly (const void *a, const void *b)
{
  return by_value (a, b, &values);
}

static void
fill (uint32_t n, int how)
{
  uint32_t different = 1 + (uint32_t) g_test_rand_int_range (0, 1 << g_test_rand_int_range (1, 20));

  for (uint32_t i = 0; i < n; i++)
    values.of[i] = how == 0   ? (uint32_t) g_test_rand_int_range (0, (gint32) different)
                   : how == 1 ? i
                   : how == 2 ? n - i
                   : how == 3 ? 0
                   : how == 4 ? MIN (i, n - i)
                              : i % 17;
}

static void
test_parts (void)
{
  static uint32_t sorted[MOST], part[MOST], seen[MOST];

  for (int round = 0; round < 600; round++) {
    uint32_t n = (uint32_t) g_test_rand_int_range (0, round < 500 ? 300 : MOST),
             from = (uint32_t) g_test_rand_int_range (0, (gint32) n + 2),
             to = from + (uint32_t) g_test_rand_int_range (0, round % 2 ? 60 : (gint32) n + 2);
    fill (n, round % 6);
    for (uint32_t i = 0; i < n; i++)
      sorted[i] = part[i] = i, seen[i] = 0;
    qsort (sorted, n, sizeof *sorted, plainly);
    stats_sort_part (part, n, from, to, by_value, &values);
    for (uint32_t i = 0; i < n; i++) {
      g_assert_cmpuint (part[i], <, n);
      g_assert_cmpuint (seen[part[i]]++, ==, 0);
      if (i >= from && i < to)
        g_assert_cmpuint (part[i], ==, sorted[i]);
    }
    for (uint32_t i = 0; i < n && from < to && from < n; i++) /* the others on their side */
      if (i < from)
        g_assert_cmpint (plainly (&part[i], &sorted[from]), <, 0);
      else if (i >= to)
        g_assert_cmpint (plainly (&part[i], &sorted[to - 1]), >, 0);
  }
}

/* A page of many rows takes a few comparisons a row, however they stand. */
static void
test_cost (void)
{
  static uint32_t part[MOST];

  for (int how = 0; how < 6; how++) {
    fill (MOST, how);
    for (uint32_t i = 0; i < MOST; i++)
      part[i] = i;
    values.asked = 0;
    stats_sort_part (part, MOST, 0, 50, by_value, &values);
    g_assert_cmpuint (values.asked, <, 16 * MOST);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/statistics/select/parts", test_parts);
  g_test_add_func ("/statistics/select/cost", test_cost);
  return g_test_run ();
}
