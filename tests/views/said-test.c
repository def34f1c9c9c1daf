/* SPDX-License-Identifier: Apache-2.0 */
/* said-test.c - what a scatter matrix says of a dot, and that all dots of a large table cost no more than a few looks
 * at all of its rows; how what is told of a picture is joined. */
#include <math.h>
#include <time.h>
#include "eve/eve-host.h"
#include "tests/harness/harness.h"
#include "statistics/types.h"
#include "views/drawing.h"
#include "views/paint.h"
#include "views/view.h"

#define ROWS 100000
#define DOTS 400

static StatsTable *
table_of (double step)
{
  static const StatsColumn columns[] = { { "task", NULL, STATS_CELL_TEXT },
                                         { "a", NULL, STATS_CELL_REAL },
                                         { "b", NULL, STATS_CELL_REAL },
                                         { "c", NULL, STATS_CELL_REAL } };
  StatsTable *t = stats_table_new ("dots", columns, G_N_ELEMENTS (columns), ROWS);

  for (uint32_t i = 0; i < ROWS; i++)
    for (uint32_t k = 1; k < G_N_ELEMENTS (columns); k++)
      stats_cell (t, i, k)->real = step * i + k;
  return t;
}

static double
said_seconds (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* Of the box in row 0, column 1: the first of the columns upwards, the second across. */
static char *
said_of (EveComponent *c, const ViewScene *scene, uint32_t row)
{
  DrawingMark m = { .tag = { DRAWING_NO_DATES, .index = row, .part = 1 } };
  g_autoptr (GString) name = g_string_new (NULL), facts = g_string_new (NULL);

  view_get (c)->say (c, scene, &m, name, facts);
  return g_string_free (g_steal_pointer (&name), FALSE);
}

static void
test_said (void)
{
  Harness *h = harness_new (eve_registry_find ("scope.scatter-matrix"));
  EveComponent *c = harness_component (h);
  ViewScene scene = { .width_px = 600, .height_px = 300, .scale = 1, .from = 1, .to = 0, .at = INT64_MIN };

  for (int turn = 1; turn <= 2; turn++) { /* another table, then other columns: each is looked through anew */
    StatsTable *t = table_of (turn);
    harness_feed (h, "table", &stats_type_table, &t, 1);
    stats_unref (&stats_type_table, t);
    harness_run (h);
    double begin = said_seconds ();
    g_autofree char *first = said_of (c, &scene, 7);
    double one = said_seconds () - begin;
    for (uint32_t i = 0; i < DOTS; i++) {
      g_autofree char *name = said_of (c, &scene, i);
      g_autofree char *want = g_strdup_printf (": b %u, a %u", (uint32_t) turn * i + 2, (uint32_t) turn * i + 1);
      g_assert_cmpstr (name, ==, want);
    }
    g_assert_cmpfloat (said_seconds () - begin, <, 40 * one + 0.01);
  }
  harness_set (h, "columns", "c, b");
  g_autofree char *other = said_of (c, &scene, 5);
  g_assert_cmpstr (other, ==, ": b 12, c 13");
  harness_free (h);
}

static void
test_joined (void)
{
  const struct {
    const char *one, *other, *both;
  } rows[] = { { "5 of 9", "means", "5 of 9; means" },
               { "5 of 9", NULL, "5 of 9" },
               { "5 of 9", "", "5 of 9" },
               { NULL, "means", "means" },
               { "", "means", "means" },
               { "", NULL, NULL } };

  for (size_t i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *both = paint_joined (rows[i].one, rows[i].other);
    g_assert_cmpstr (both, ==, rows[i].both);
  }
  const char *const notes[][2] = {
    { "at 3 s; ", "at 3 s" }, { "à 3 s\u202f; ", "à 3 s" }, { "at 3 s", "at 3 s" }, { "", "" }
  };
  for (size_t i = 0; i < G_N_ELEMENTS (notes); i++) {
    g_autoptr (GString) note = g_string_new (notes[i][0]);
    paint_end_note (note);
    g_assert_cmpstr (note->str, ==, notes[i][1]);
    g_assert_cmpuint (note->len, ==, strlen (notes[i][1]));
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  g_test_init (&argc, &argv, NULL);
  eve_registry_add_folder (g_getenv ("SCOPE_TEST_COMPONENTS"));
  eve_registry_load_all (problems);
  g_assert_cmpuint (problems->len, ==, 0);
  g_test_add_func ("/said/scatter-matrix", test_said);
  g_test_add_func ("/said/joined", test_joined);
  return g_test_run ();
}
