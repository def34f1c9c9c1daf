/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as CSV: cells with quotes, rows that are cut or short, and the order of their rows. */
#include <math.h>
#include <string.h>
#include "statistics/csv-read.h"

static void
test_cells (void)
{
  CsvTable *t = csv_read (g_strdup ("name,\"of, \"\"x\"\"\",n\n\"two\nlines\",b,1\nshort\nc,d,2.5\nx,y,3"), true, 100);

  g_assert_cmpuint (t->n_columns, ==, 3);
  g_assert_cmpuint (t->n_rows, ==, 3); /* the last may be cut */
  g_assert_true (t->more);
  g_assert_cmpstr (t->cells->pdata[1], ==, "of, \"x\"");
  g_assert_cmpstr (csv_cell (t, 0, 0), ==, "two\nlines");
  g_assert_cmpstr (csv_cell (t, 1, 2), ==, "");
  g_assert_cmpstr (csv_cell (t, 2, 1), ==, "d");
  g_assert_true (!t->is_number[0] && !t->is_number[1] && t->is_number[2]);
  csv_free (t);
  t = csv_read (g_strdup ("n\n1\n2\n3\n"), false, 2);
  g_assert_true (t->n_rows == 2 && t->more);
  csv_free (t);
  t = csv_read (g_strdup (""), false, 2);
  g_assert_true (t->n_rows == 0 && t->n_columns == 1 && !t->more);
  csv_free (t);
}

/* Whatever the order they come in: numbers up or down, then NaN, then nothing; equal ones as they came. */
static void
test_order (void)
{
  static const char *const cells[] = { "nan", "3", "-inf", "", "1e3", "NaN", "-2.5", "inf", "", "3", "-nan", "0" };

  for (guint32 seed = 0; seed < 200; seed++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (seed);
    g_autoptr (GString) text = g_string_new ("a,n\n");
    guint n = (guint) g_rand_int_range (random, 1, 60);
    for (guint i = 0; i < n; i++)
      g_string_append_printf (text, "%u,%s\n", i, cells[g_rand_int_range (random, 0, G_N_ELEMENTS (cells))]);
    CsvTable *t = csv_read (g_strdup (text->str), false, 1000);
    g_assert_cmpuint (t->n_rows, ==, n);
    for (int down = 0; down < 2 && t->is_number[1]; down++) {
      g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (uint32_t));
      for (uint32_t i = n; i-- > 0;)
        g_array_append_val (rows, i);
      csv_sort (t, rows, 1, down);
      g_assert_cmpuint (rows->len, ==, n);
      for (guint i = 1; i < n; i++) {
        uint32_t x = g_array_index (rows, uint32_t, i - 1), y = g_array_index (rows, uint32_t, i);
        const char *left = csv_cell (t, x, 1), *right = csv_cell (t, y, 1);
        double p = g_ascii_strtod (left, NULL), q = g_ascii_strtod (right, NULL);
        int a = !*left ? 2 : isnan (p) ? 1 : 0, b = !*right ? 2 : isnan (q) ? 1 : 0;
        g_assert_cmpint (a, <=, b);
        if (a == b && (a > 0 || p == q))
          g_assert_cmpuint (x, <, y);
        else if (a == b)
          g_assert_true (down ? p > q : p < q);
      }
    }
    csv_free (t);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/csv/cells", test_cells);
  g_test_add_func ("/csv/order", test_order);
  return g_test_run ();
}
