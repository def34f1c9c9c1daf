/* SPDX-License-Identifier: Apache-2.0 */
/* The data of analysis: they come back from run state as they were, refuse damage, and print what a person wants. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "statistics/stretch.h"
#include "statistics/types.h"

static const EveType *const all[] = { &stats_type_datum, &stats_type_histogram, &stats_type_table, &stats_type_matrix,
                                      &stats_type_stretch };

static void
drop (const EveType *type, void *slot)
{
  if (type->release)
    type->release (slot);
}

static void
test_run_state (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (all); k++)
    for (uint64_t n = 0; n < 64; n++) {
      const EveType *type = all[k];
      uint64_t slot[8], back[8];
      EveBlob *one = eve_blob_new (), *two = eve_blob_new ();
      g_autoptr (GString) text = g_string_new (NULL), again = g_string_new (NULL);
      char a[256], b[256];
      size_t size, size2;

      type->sample (slot, n);
      type->save (NULL, slot, one);
      const uint8_t *bytes = eve_blob_data (one, &size);
      EveBlobView *v = eve_blob_view_new (bytes, size);
      g_assert_true (type->load (NULL, back, v));
      type->save (NULL, back, two);
      const uint8_t *bytes2 = eve_blob_data (two, &size2);
      g_assert_cmpmem (bytes, size, bytes2, size2);
      type->print (slot, a, sizeof a);
      type->print (back, b, sizeof b);
      g_assert_cmpstr (a, ==, b);
      g_assert_true (stats_csv (type, slot, text) && stats_csv (type, back, again));
      g_assert_cmpstr (text->str, ==, again->str);
      eve_blob_view_free (v);

      for (size_t cut = 0; cut < size; cut += 1 + size / 40) { /* a part of it is not it */
        v = eve_blob_view_new (bytes, cut);
        g_assert_false (type->load (NULL, back + 1, v));
        eve_blob_view_free (v);
      }
      drop (type, slot);
      drop (type, back);
      eve_blob_free (one);
      eve_blob_free (two);
    }
}

static void
test_histogram (void)
{
  StatsHistogram *h = stats_histogram_new ("waiting", "s", 0, 1, 4);
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_true (isnan (h->min) && isnan (h->max) && isnan (h->mean) && h->count == 0);
  h->below = 1;
  h->bins[0] = 2;
  h->bins[3] = 3;
  h->above = 4;
  h->count = 10;
  stats_csv (&stats_type_histogram, &h, text);
  g_assert_cmpstr (text->str, ==,
                   "from [s],to [s],count\n-inf,0,1\n0,0.25,2\n0.25,0.5,0\n0.5,0.75,0\n0.75,1,3\n1,inf,4\n");
  stats_ref (&stats_type_histogram, h);
  stats_unref (&stats_type_histogram, h);
  g_assert_cmpuint (h->count, ==, 10);
  stats_unref (&stats_type_histogram, h);
  stats_unref (&stats_type_histogram, NULL);
}

static void
test_table (void)
{
  static const StatsColumn columns[] = { { "name", NULL, STATS_CELL_TEXT },
                                         { "share", "%", STATS_CELL_REAL },
                                         { "count", NULL, STATS_CELL_WHOLE } };
  StatsTable *t = stats_table_new ("title", columns, 3, 3);
  g_autoptr (GString) text = g_string_new (NULL);

  stats_table_set_text (t, 0, 0, "b, \"c\"");
  stats_table_set_text (t, 1, 0, "a");
  stats_cell (t, 0, 1)->real = 0.1;
  stats_cell (t, 1, 1)->real = -2;
  stats_cell (t, 1, 2)->whole = 7;
  stats_csv (&stats_type_table, &t, text);
  g_assert_cmpstr (text->str, ==, "name,share [%],count\n\"b, \"\"c\"\"\",0.1,\na,-2,7\n,,\n");
  g_assert_cmpint (stats_table_compare (t, 0, 0, 1), >, 0);
  g_assert_cmpint (stats_table_compare (t, 1, 0, 1), >, 0);
  g_assert_cmpint (stats_table_compare (t, 2, 0, 1), >, 0); /* nothing comes last */
  g_assert_cmpint (stats_table_compare (t, 2, 0, 2), ==, 0);
  g_assert_cmpint (stats_table_compare (t, 1, 1, 2), <, 0);
  stats_unref (&stats_type_table, t);
}

static void
test_matrix (void)
{
  StatsMatrix *m = stats_matrix_new ("bytes", "B", 2, 2);
  g_autoptr (GString) text = g_string_new (NULL);

  for (uint32_t i = 0; i < 2; i++) {
    stats_matrix_name (m, false, i, i ? "t2" : "t1");
    stats_matrix_name (m, true, i, i ? "t2" : "t1");
  }
  m->values[1] = 0.25;
  m->values[2] = NAN;
  stats_csv (&stats_type_matrix, &m, text);
  g_assert_cmpstr (text->str, ==, "bytes [B],t1,t2\nt1,0,0.25\nt2,,0\n");
  g_assert_false (stats_csv (&eve_type_double, &(double){ 1 }, text));
  stats_unref (&stats_type_matrix, m);
}

static void
test_datum (void)
{
  StatsDatum d = { .date = INT64_MIN, .value.real = 0.5, .unit = g_intern_static_string ("s"), .owner = TRACE_NONE };
  StatsDatum whole = { .date = 5, .value.whole = INT64_MAX, .is_whole = 1, .owner = 3 };
  char buf[64];

  stats_type_datum.print (&d, buf, sizeof buf);
  g_assert_cmpstr (buf, ==, "0.5 s");
  stats_type_datum.print (&whole, buf, sizeof buf);
  g_assert_cmpstr (buf, ==, "9223372036854775807");
  g_assert_cmpfloat (stats_datum_number (&d), ==, 0.5);
  g_assert_cmpint (stats_type_datum.date (&whole), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/types/run-state", test_run_state);
  g_test_add_func ("/types/histogram", test_histogram);
  g_test_add_func ("/types/table", test_table);
  g_test_add_func ("/types/matrix", test_matrix);
  g_test_add_func ("/types/datum", test_datum);
  return g_test_run ();
}
