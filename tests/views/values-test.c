/* SPDX-License-Identifier: Apache-2.0 */
/* values-test.c - histories of values against adding them up, also where the file is damaged. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "views/history-values.h"

static char *folder;

static const uint8_t series_there[] = { 0, 9, VALUES_SERIES - 1 };

static GArray *
random_samples (GRand *r, guint n)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (ValueSample));
  int64_t date = 1000;

  for (guint i = 0; i < n; i++) {
    ValueSample s = { .date = date += g_rand_int_range (r, 0, 5),
                      .value = g_rand_double_range (r, -10, 90),
                      .series = series_there[g_rand_int_range (r, 0, 3)] };
    if (g_rand_int_range (r, 0, 500) == 0)
      s.value = NAN;
    g_array_append_val (all, s);
  }
  return all;
}

/* The second way: every sample is looked at. */
static void
add_up (const GArray *all, int64_t from, double width, uint32_t n, ValueColumn *to, double before[VALUES_SERIES])
{
  for (int s = 0; s < VALUES_SERIES; s++)
    before[s] = NAN;
  for (guint i = 0; i < all->len; i++) {
    const ValueSample *s = &g_array_index (all, ValueSample, i);
    double x = ((double) s->date - (double) from) / width;
    if (s->date < from)
      before[s->series] = s->value;
    if (x < 0 || x >= n)
      continue;
    ValueColumn *c = &to[s->series * n + (uint32_t) x];
    c->last = s->value;
    if (!isfinite (s->value))
      continue;
    c->min = c->count == 0 ? s->value : fmin (c->min, s->value);
    c->max = c->count == 0 ? s->value : fmax (c->max, s->value);
    c->sum += s->value;
    c->count++;
  }
}

static void
compare (ValuesReader *r, const GArray *all, int64_t from, double width, uint32_t n, bool exact)
{
  g_autofree ValueColumn *got = g_new0 (ValueColumn, n * VALUES_SERIES),
                         *want = g_new0 (ValueColumn, n * VALUES_SERIES);
  double before[VALUES_SERIES], know[VALUES_SERIES];
  double sum = 0, sum_want = 0;
  uint64_t count = 0, count_want = 0;

  values_reader_columns (r, from, width, n, VALUES_SERIES, got, before);
  add_up (all, from, width, n, want, know);
  for (const uint8_t *at = series_there; at < series_there + G_N_ELEMENTS (series_there); at++) {
    uint32_t s = *at;
    double least = INFINITY, least_want = INFINITY;
    for (uint32_t i = s * n; i < (s + 1) * n; i++) {
      if (exact) {
        g_assert_cmpuint (got[i].count, ==, want[i].count);
        g_assert_cmpfloat_with_epsilon (got[i].sum, want[i].sum, 1e-6);
        g_assert_cmpfloat (got[i].min, ==, want[i].min);
        g_assert_cmpfloat (got[i].max, ==, want[i].max);
      }
      if (got[i].count > 0)
        least = fmin (least, got[i].min);
      if (want[i].count > 0)
        least_want = fmin (least_want, want[i].min);
      sum += got[i].sum;
      sum_want += want[i].sum;
      count += got[i].count;
      count_want += want[i].count;
    }
    /* what is at an edge of the picture may fall in or out when sums are used; the whole execution is exact */
    if (from <= 1000 && (exact || width * n > 1e9))
      g_assert_cmpfloat (least, ==, least_want);
    if (exact && !isnan (know[s]))
      g_assert_cmpfloat (before[s], ==, know[s]);
  }
  if (exact || (from <= 1000 && width * n > 1e9)) {
    g_assert_cmpuint (count, ==, count_want);
    g_assert_cmpfloat_with_epsilon (sum, sum_want, 1e-3);
  }
}

static bool
collect (void *arg, const ValueSample *s)
{
  g_array_append_vals (arg, s, 1);
  return true;
}

static void
test_history (void)
{
  g_autofree char *base = g_build_filename (folder, "history", NULL);
  GRand *r = g_rand_new_with_seed (7);
  g_autoptr (GArray) all = random_samples (r, 60000);
  g_autoptr (GError) error = NULL;
  CurveWriter *w = curve_writer_new (base, NULL, &error);
  HistoryPlace place = { { 0 } };
  guint placed = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < all->len; i++) {
    curve_writer_push (w, &g_array_index (all, ValueSample, i));
    if (g_rand_int_range (r, 0, 3000) == 0)
      g_assert_true (curve_writer_flush (w, INT64_MIN, &error));
    if (i == 30000) {
      g_assert_true (curve_writer_flush (w, INT64_MIN, &error));
      place = curve_writer_place (w);
      placed = i + 1;
    }
  }
  g_assert_true (curve_writer_flush (w, INT64_MAX, &error));
  curve_writer_free (w);
  for (int again = 0; again < 2; again++) {
    ValuesReader *reader = values_reader_open (base, &error);
    g_assert_no_error (error);
    g_assert_cmpint (values_reader_reach (reader), ==, INT64_MAX);
    compare (reader, all, 1000, 1e7, 100, false); /* the whole in one column, from sums */
    compare (reader, all, 1000, 150, 800, false);
    for (int i = 0; i < 20; i++) /* near enough that records are read */
      compare (reader, all, 1000 + g_rand_int_range (r, 0, 100000), g_rand_double_range (r, 0.3, 4), 300, true);
    g_autoptr (GArray) some = g_array_new (FALSE, FALSE, sizeof (ValueSample));
    values_reader_each (reader, 40000, 41000, collect, some);
    guint k = 0;
    for (guint i = 0; i < all->len; i++) {
      const ValueSample *s = &g_array_index (all, ValueSample, i);
      if (s->date < 40000 || s->date >= 41000)
        continue;
      g_assert_cmpuint (k, <, some->len);
      g_assert_cmpint (g_array_index (some, ValueSample, k).date, ==, s->date);
      g_assert_cmpuint (g_array_index (some, ValueSample, k++).series, ==, s->series);
    }
    g_assert_cmpuint (k, ==, some->len);
    values_reader_free (reader);
    /* a film that was killed goes on from its last checkpoint: the same at the end */
    w = curve_writer_new (base, &place, &error);
    g_assert_no_error (error);
    for (guint i = placed; i < all->len; i++)
      curve_writer_push (w, &g_array_index (all, ValueSample, i));
    g_assert_true (curve_writer_flush (w, INT64_MAX, &error));
    curve_writer_free (w);
  }
  g_rand_free (r);
}

/* Samples that come in crowds, with long times in between: each is in its column, wherever a film was cut into blocks;
 * where there are very many blocks, sums move none further than to the next one. */
static void
test_crowds (void)
{
  GRand *r = g_rand_new_with_seed (g_test_rand_int () & 0xffff);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (ValueSample));
  int64_t date = 1000;

  for (int crowd = 0; crowd < 60; crowd++) {
    date += g_rand_int_range (r, 10000, 200000);
    for (int i = g_rand_int_range (r, 1, 1500); i > 0; i--) {
      ValueSample s = { date, g_rand_double_range (r, 0, 80), 0 };
      g_array_append_val (all, s);
      date += g_rand_int_range (r, 0, 3);
    }
  }
  for (int cut = 1; cut <= 3; cut++) {
    g_autofree char *base = g_strdup_printf ("%s/crowds%d", folder, cut);
    CurveWriter *w = curve_writer_new (base, NULL, NULL);
    for (guint i = 0; i < all->len; i++) {
      curve_writer_push (w, &g_array_index (all, ValueSample, i));
      if (cut > 1 && g_rand_int_range (r, 0, cut == 2 ? 5000 : 50) == 0)
        g_assert_true (curve_writer_flush (w, INT64_MIN, NULL));
    }
    g_assert_true (curve_writer_flush (w, INT64_MAX, NULL));
    curve_writer_free (w);
    ValuesReader *reader = values_reader_open (base, NULL);
    for (uint32_t n = 50; n <= 1600; n *= 2) {
      g_autofree ValueColumn *got = g_new0 (ValueColumn, n);
      g_autofree uint64_t *model = g_new0 (uint64_t, n + 1); /* so many until the end of each column */
      double before[VALUES_SERIES], width = (double) (date + 1) / n;
      uint64_t so_far = 0;
      values_reader_columns (reader, 0, width, n, 1, got, before);
      for (guint i = 0; i < all->len; i++)
        model[MIN ((uint32_t) ((double) g_array_index (all, ValueSample, i).date / width), n - 1)]++;
      for (uint32_t k = 1; k < n; k++)
        model[k] += model[k - 1];
      for (uint32_t k = 0; k < n; k++) {
        so_far += got[k].count;
        g_assert_cmpuint (so_far, >=, cut < 3 ? model[k] : k > 0 ? model[k - 1] : 0);
        g_assert_cmpuint (so_far, <=, cut < 3 ? model[k] : model[MIN (k + 1, n - 1)]);
      }
      g_assert_cmpuint (so_far, ==, all->len);
    }
    values_reader_free (reader);
  }
  g_rand_free (r);
}

/* Flipped and cut bytes: told or harmless, never a crash or a wild value. */
static void
test_damage (void)
{
  g_autofree char *base = g_build_filename (folder, "damaged", NULL);
  char *path[3], *good[3];
  static const char *const endings[] = { ".index", ".records", ".sums" };
  GRand *r = g_rand_new_with_seed (11);
  g_autoptr (GArray) all = random_samples (r, 9000);
  gsize n[3];
  CurveWriter *w = curve_writer_new (base, NULL, NULL);

  for (guint i = 0; i < all->len; i++)
    curve_writer_push (w, &g_array_index (all, ValueSample, i));
  g_assert_true (curve_writer_flush (w, INT64_MAX, NULL));
  curve_writer_free (w);
  for (int i = 0; i < 3; i++) {
    path[i] = g_strconcat (base, endings[i], NULL);
    g_assert_true (g_file_get_contents (path[i], &good[i], &n[i], NULL));
  }
  for (int round = 0; round < 300; round++) {
    int which = g_rand_int_range (r, 0, 3);
    gsize length = round % 3 == 0 ? (gsize) g_rand_int_range (r, 0, (int) n[which]) : n[which];
    g_autofree char *bytes = g_memdup2 (good[which], n[which]);
    for (int k = 0; k < 4 && length == n[which]; k++)
      bytes[g_rand_int_range (r, 0, (int) n[which])] ^= (char) g_rand_int_range (r, 1, 256);
    g_unlink (path[which]);
    g_assert_true (
        g_file_set_contents_full (path[which], bytes, (gssize) length, G_FILE_SET_CONTENTS_NONE, 0666, NULL));
    ValuesReader *reader = values_reader_open (base, NULL);
    if (reader != NULL) {
      g_autofree ValueColumn *got = g_new0 (ValueColumn, 50 * VALUES_SERIES);
      double before[VALUES_SERIES];
      values_reader_columns (reader, 1000, 500, 50, VALUES_SERIES, got, before);
      values_reader_columns (reader, 5000, 1, 50, VALUES_SERIES, got, before);
      for (int i = 0; i < 50 * VALUES_SERIES; i++)
        if (got[i].count > 0)
          g_assert_true (got[i].min >= -10 && got[i].max <= 90);
      values_reader_free (reader);
    }
    g_unlink (path[which]);
    g_assert_true (
        g_file_set_contents_full (path[which], good[which], (gssize) n[which], G_FILE_SET_CONTENTS_NONE, 0666, NULL));
  }
  for (int i = 0; i < 3; i++) {
    g_free (path[i]);
    g_free (good[i]);
  }
  g_rand_free (r);
}

int
main (int argc, char **argv)
{
  folder = g_dir_make_tmp ("scope-values-XXXXXX", NULL);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/values/history", test_history);
  g_test_add_func ("/values/crowds", test_crowds);
  g_test_add_func ("/values/damage", test_damage);
  int status = g_test_run ();
  g_autofree char *clean = g_strdup_printf ("rm -rf '%s'", folder);
  g_assert_cmpint (g_spawn_command_line_sync (clean, NULL, NULL, NULL, NULL), ==, TRUE);
  g_free (folder);
  return status;
}
