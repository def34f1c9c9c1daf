/* SPDX-License-Identifier: Apache-2.0 */
/* kept-sums-test.c - what the states of several owners come to, out of sums that stay in memory, beside the exact
 * intervals: the same in all, and off by no more than a quarter of a column at its edges; the same again from another
 * reader, by several threads, and with more sums than there is room for; and sums are made once, where they are worth
 * it and there is room. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/folder.h"
#include "views/at-once.h"
#include "views/history-states-kept.h"
#include "views/history-states-reader.h"

#define OWNERS 24
#define CHANGES 90000
#define STATES 6
#define STRIDE 8
#define COLUMNS 700
#define PARTS 12

static char *folder, *base;
static int64_t begin, end;
static const StatesPalette palette = { .rest = STATES };

static void
write_states (void)
{
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);
  int64_t date = begin = 1000;

  g_assert_no_error (error);
  for (int i = 0; i < CHANGES; i++) {
    date += g_test_rand_int_range (0, 300) * (i / 3000 % 5 == 0 ? 50 : 1);
    states_writer_push (w, i < OWNERS ? (uint32_t) i : (uint32_t) g_test_rand_int_range (0, OWNERS), date,
                        i == CHANGES / 2 ? STATES : (uint32_t) g_test_rand_int_range (0, STATES));
  }
  end = date + 1000;
  states_writer_flush (w, INT64_MAX, &error);
  g_assert_no_error (error);
  states_writer_free (w);
}

static StatesReader *
open_reader (void)
{
  g_autoptr (GError) error = NULL;
  StatesReader *r = states_reader_open (base, &error);

  g_assert_no_error (error);
  states_reader_set_end (r, end);
  return r;
}

static float *
ask (StatesReader *r, const uint32_t *owners, uint32_t n, int64_t from, double width, uint32_t *met)
{
  float *sum = g_new0 (float, COLUMNS *STRIDE);

  states_reader_shares_of (r, owners, n, from, width, COLUMNS, 1, &palette, sum, STRIDE, met);
  return sum;
}

static void
compare (StatesReader *kept, StatesReader *exact, const uint32_t *owners, uint32_t n, int64_t from, double width)
{
  uint32_t met = 0, want_met = 0;
  g_autofree float *is = ask (kept, owners, n, from, width, &met),
                   *want = ask (exact, owners, n, from, width, &want_met);
  double ahead[STRIDE] = { 0 };

  for (int c = 0; c < COLUMNS; c++) {
    double all = 0, want_all = 0;
    for (int k = 0; k < STRIDE; k++) {
      double a = (double) is[c * STRIDE + k], b = (double) want[c * STRIDE + k];
      g_assert_cmpfloat (a, >=, 0);
      g_assert_true (a <= 0 || (met >> k & 1) != 0);
      ahead[k] += a - b;
      g_assert_cmpfloat (fabs (ahead[k]), <=, 0.25 * n + 0.01); /* what all columns so far come to */
      all += a;
      want_all += b;
    }
    if ((double) from + c * width > (double) begin + OWNERS * 15000 || (double) from + (c + 1) * width < (double) begin)
      g_assert_cmpfloat_with_epsilon (all, want_all, 0.02 * n); /* whatever it is, it is something, once all began */
  }
}

static void
test_kept (void)
{
  StatesReader *kept = open_reader (), *exact = open_reader (), *other;
  uint32_t owners[OWNERS];

  states_reader_keep_sums (kept);
  for (int turn = 0; turn < 60; turn++) {
    uint32_t n = turn % 3 == 0 ? OWNERS : (uint32_t) g_test_rand_int_range (3, OWNERS), met = 0;
    double all = (double) (end - begin), part = turn % 2 == 0 ? 1 : g_test_rand_double_range (0.05, 1.2);
    int64_t from = turn % 2 == 0 ? begin : begin + (int64_t) (all * g_test_rand_double_range (-0.1, 0.9));
    for (uint32_t i = 0; i < n; i++)
      owners[i] = OWNERS - 1 - i;
    states_reader_keep_sums (kept); /* another picture */
    compare (kept, exact, owners, n, from, all * part / COLUMNS);
    /* the whole in a single column */
    float one[STRIDE] = { 0 }, want[STRIDE] = { 0 };
    states_reader_shares_of (kept, owners, n, begin, all, 1, 1, &palette, one, STRIDE, &met);
    states_reader_shares_of (exact, owners, n, begin, all, 1, 1, &palette, want, STRIDE, &met);
    for (int k = 0; k < STRIDE; k++)
      g_assert_cmpfloat_with_epsilon ((double) one[k], (double) want[k], 1e-3 * n);
    /* columns that are too narrow for steps are those of the intervals */
    uint32_t met_kept = 0, met_exact = 0;
    g_autofree float *a = ask (kept, owners, n, from, 40, &met_kept), *b = ask (exact, owners, n, from, 40, &met_exact);
    g_assert_cmpmem (a, COLUMNS * STRIDE * sizeof *a, b, COLUMNS * STRIDE * sizeof *b);
    g_assert_cmpuint (met_kept, ==, met_exact);
  }
  /* another reader has the same, and keeps it when the first is gone */
  for (int turn = 0; turn < 2; turn++) {
    uint32_t met = 0;
    g_autofree float *first = ask (kept, owners, 12, begin, (double) (end - begin) / COLUMNS, &met);
    other = open_reader ();
    states_reader_keep_sums (other);
    states_reader_free (kept);
    g_autofree float *then = ask (other, owners, 12, begin, (double) (end - begin) / COLUMNS, &met);
    g_assert_cmpmem (first, COLUMNS * STRIDE * sizeof *first, then, COLUMNS * STRIDE * sizeof *then);
    kept = other;
  }
  states_reader_refresh (kept); /* nothing came: all stays */
  compare (kept, exact, owners, 12, begin, (double) (end - begin) / COLUMNS);
  g_assert_null (states_reader_problem (kept));
  states_reader_free (kept);
  states_reader_free (exact);
}

typedef struct AtOnce {
  StatesReader *r;
  float *sum[PARTS];
} AtOnce;

static void
ask_part (void *arg, uint32_t part)
{
  AtOnce *a = arg;
  uint32_t owners[OWNERS], met = 0;

  for (uint32_t i = 0; i < 12; i++)
    owners[i] = (part / 2 + i) % OWNERS; /* two ask for each */
  a->sum[part] = ask (a->r, owners, 12, begin, (double) (end - begin) / COLUMNS, &met);
}

static void
test_at_once (void)
{
  AtOnce by_many = { .r = open_reader () }, by_one = { .r = open_reader () };

  states_reader_keep_sums (by_many.r);
  at_once (PARTS, 1, ask_part, &by_many);
  states_reader_keep_sums (by_one.r);
  for (uint32_t part = 0; part < PARTS; part++) {
    ask_part (&by_one, part);
    g_assert_cmpmem (by_many.sum[part], COLUMNS * STRIDE * sizeof (float), by_one.sum[part],
                     COLUMNS * STRIDE * sizeof (float));
    g_free (by_many.sum[part]);
    g_free (by_one.sum[part]);
  }
  states_reader_free (by_many.r);
  states_reader_free (by_one.r);
}

static StatesSum *
sum_of (StatesKept *k, uint32_t owner, uint32_t n, uint32_t slots)
{
  StatesSum *s = states_kept_get (k, &owner, 1);

  return s != NULL ? s : states_kept_add (k, &owner, 1, n, slots);
}

/* True: there is room for it, and it is made. */
static bool
ask_and_make (StatesKept *k, uint32_t owner, uint32_t n, uint32_t slots)
{
  StatesSum *s = sum_of (k, owner, n, slots);
  KeptWant want = states_kept_want (k, s, 1);

  g_assert_cmpuint (s->owners[0], ==, owner);
  if (want == KEPT_MAKE)
    states_kept_put (k, s, g_new (uint32_t, ((gsize) n + 1) * slots));
  states_sum_unref (s);
  return want != KEPT_NONE;
}

/* More than there is room for: those that nobody asks for any more go, those of this picture stay. */
static void
test_room (void)
{
  StatesKept *k = states_kept_find ("room", 1, 1, 0, 100);
  uint32_t n = KEPT_STEPS_MOST, slots = KEPT_SLOTS_MOST, owner = 0,
           fit = (uint32_t) (KEPT_SUM_BYTES / (sizeof (StatesSum) + 4 + ((gsize) n + 1) * slots * 4));

  for (; owner < fit + 3; owner++)
    for (int turn = 0; turn < 2; turn++) {
      g_assert_true (ask_and_make (k, owner, n, slots) == (owner < fit));
      g_assert_cmpuint (k->made, ==, MIN (owner + 1, fit));
    }
  g_assert_cmpuint (k->bytes, <=, KEPT_SUM_BYTES);
  for (int i = 0; i < KEPT_PICTURES + 1; i++) {
    states_kept_picture (k);
    g_assert_true (ask_and_make (k, 0, n, slots));
  }
  g_assert_cmpuint (k->made, ==, fit);
  g_assert_true (ask_and_make (k, 1000, n, slots));
  g_assert_true (ask_and_make (k, 0, n, slots)); /* it was asked for in all pictures */
  g_assert_cmpuint (k->made, ==, fit + 1);
  owner = 1;
  g_assert_null (states_kept_get (k, &owner, 1));
  g_assert_cmpuint (k->bytes, <=, KEPT_SUM_BYTES);
  states_kept_unref (k);
}

static void
ask_for_same (StatesReader *r, StatesReader *exact, const uint32_t *owners, int64_t from, double width)
{
  uint32_t met = 0, want_met = 0;
  g_autofree float *is = ask (r, owners, 12, from, width, &met),
                   *want = ask (exact, owners, 12, from, width, &want_met);

  g_assert_cmpmem (is, COLUMNS * STRIDE * sizeof *is, want, COLUMNS * STRIDE * sizeof *want);
  g_assert_cmpuint (met, ==, want_met);
}

/* A full store leads to the exact way, with its very numbers, and nothing is made to be thrown away. */
static void
test_full (void)
{
  StatesReader *r = open_reader (), *exact = open_reader ();
  uint32_t owners[12], filler = OWNERS;
  double width = (double) (end - begin) / COLUMNS;

  states_reader_keep_sums (r);
  StatesKept *k = r->kept;
  while (ask_and_make (k, filler, KEPT_STEPS_MOST, KEPT_SLOTS_MOST))
    filler++;
  while (ask_and_make (k, ++filler, KEPT_STEPS, 4))
    ;
  uint64_t made = k->made;
  for (int picture = 0; picture < KEPT_PICTURES - 1; picture++) {
    states_reader_keep_sums (r);
    for (uint32_t row = 0; row < 6; row++) {
      for (uint32_t i = 0; i < 12; i++)
        owners[i] = row + i;
      ask_for_same (r, exact, owners, begin + picture, width);
    }
  }
  g_assert_cmpuint (k->made, ==, made);
  for (int picture = 0; picture < 3; picture++) /* nobody wants the others any more */
    states_reader_keep_sums (r);
  for (int turn = 0; turn < 2; turn++) {
    compare (r, exact, owners, 12, begin, width);
    g_assert_cmpuint (k->made, ==, made + 1);
  }
  states_reader_free (r);
  states_reader_free (exact);
}

/* Pictures of a small part are exact until so much was asked for that the sum is worth it; one that would be too
 * coarse for them is never made. */
static void
test_worth (void)
{
  StatesReader *r = open_reader (), *exact = open_reader ();
  uint32_t owners[12], others[12];
  double all = (double) (end - begin), width = all / COLUMNS / 2;
  int64_t from = begin + (int64_t) (all * 0.85); /* so 0.15 of all is in the picture */

  for (uint32_t i = 0; i < 12; i++) {
    owners[i] = 2 * i;
    others[i] = 2 * i + 1;
  }
  for (int picture = 0; picture < 3; picture++) {
    states_reader_keep_sums (r);
    for (int turn = 0; turn < 9; turn++) /* a picture counts once, however often it asks */
      ask_for_same (r, exact, owners, from + picture, width);
    g_assert_cmpuint (r->kept->made, ==, 0);
  }
  for (int picture = 0; picture < 8; picture++) {
    states_reader_keep_sums (r);
    compare (r, exact, owners, 12, from, width);
    ask_for_same (r, exact, others, begin, width / 5);
    g_assert_cmpuint (r->kept->made, ==, 1);
  }
  states_reader_free (r);
  states_reader_free (exact);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("kept-sums-XXXXXX", &error);
  g_assert_no_error (error);
  base = g_build_filename (folder, "kept", NULL);
  write_states ();
  g_test_add_func ("/kept sums/shares", test_kept);
  g_test_add_func ("/kept sums/by several threads", test_at_once);
  g_test_add_func ("/kept sums/room", test_room);
  g_test_add_func ("/kept sums/full", test_full);
  g_test_add_func ("/kept sums/worth", test_worth);
  status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  g_free (base);
  return status;
}
