/* SPDX-License-Identifier: Apache-2.0 */
/* many-owners-test.c - states of thousands of owners, which a reader puts side by side once the film is complete:
 * shares and the most of several agree with a reckoning in memory, before that and after. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/folder.h"
#include "views/at-once.h"
#include "views/history-states-flat.h"

#define OWNERS 5000
#define CHANGES 40000
#define STATES 6
#define STRIDE 8
#define COLUMNS 37
#define TOGETHER 40
#define PARTS 32

typedef struct Change {
  int64_t date;
  uint32_t owner, state;
} Change;

static char *folder;
static Change changes[CHANGES];
static int64_t end;

static void
make_changes (void)
{
  int64_t date = 5;

  for (int i = 0; i < CHANGES; i++) {
    date += g_test_rand_int_range (0, 300);
    changes[i] = (Change){ date, (uint32_t) g_test_rand_int_range (0, OWNERS),
                           (uint32_t) g_test_rand_int_range (0, STATES) };
  }
  end = date + 1000;
}

static void
add_interval (double *to, double from, double width, double a, double b, uint32_t state)
{
  for (int k = 0; k < COLUMNS; k++)
    to[k * STRIDE + state] += fmax (0, fmin (b, from + (k + 1) * width) - fmax (a, from + k * width)) / width;
}

/* Shares of each of some owners, from `first` on, of all their changes. */
static void
reckon (uint32_t first, double from, double width, double *sum, double *most)
{
  for (uint32_t owner = first; owner < first + TOGETHER; owner++) {
    double own[COLUMNS * STRIDE] = { 0 };
    const Change *last = NULL;
    for (int i = 0; i < CHANGES; i++) {
      if (changes[i].owner != owner)
        continue;
      if (last != NULL)
        add_interval (own, from, width, (double) last->date, (double) changes[i].date, last->state);
      last = &changes[i];
    }
    if (last != NULL)
      add_interval (own, from, width, (double) last->date, (double) end, last->state);
    for (int k = 0; k < COLUMNS * STRIDE; k++) {
      sum[k] += own[k];
      most[k] = fmax (most[k], own[k]);
    }
  }
}

static void
compare (StatesReader *r)
{
  const StatesPalette palette = { .rest = STATES };

  states_reader_together (r);
  for (int turn = 0; turn < 30; turn++) {
    uint32_t owners[TOGETHER], first = (uint32_t) g_test_rand_int_range (0, OWNERS - TOGETHER), met = 0;
    int64_t from = g_test_rand_int_range (0, (int32_t) end);
    double width = turn % 3 == 0 ? (double) end / COLUMNS : g_test_rand_double_range (0.5, 4000);
    double want[COLUMNS * STRIDE] = { 0 }, want_most[COLUMNS * STRIDE] = { 0 };
    float sum[COLUMNS * STRIDE] = { 0 }, most[COLUMNS * STRIDE] = { 0 };
    if (turn % 3 == 0)
      from = 0;
    for (uint32_t i = 0; i < TOGETHER; i++)
      owners[i] = first + i;
    reckon (first, (double) from, width, want, want_most);
    states_reader_shares_of (r, owners, TOGETHER, from, width, COLUMNS, 1, &palette, sum, STRIDE, &met);
    states_reader_most (r, owners, TOGETHER, from, width, COLUMNS, &palette, (1u << STATES) - 1, most, STRIDE);
    for (int k = 0; k < COLUMNS * STRIDE; k++) {
      g_assert_cmpfloat_with_epsilon ((double) sum[k], want[k], 1e-3);
      g_assert_cmpfloat_with_epsilon ((double) most[k], want_most[k], 1e-4);
      g_assert_true (want[k] < 1e-3 || (met >> k % STRIDE & 1) != 0);
    }
  }
}

/* Parts of a picture, by all processors. */
typedef struct AtOnce {
  StatesReader *r;
  int64_t from;
  double width;
  float sum[PARTS][COLUMNS * STRIDE], most[PARTS][COLUMNS * STRIDE];
  uint32_t met[PARTS];
} AtOnce;

static void
reckon_part (void *arg, uint32_t part)
{
  AtOnce *a = arg;
  const StatesPalette palette = { .rest = STATES };
  uint32_t owners[TOGETHER];

  for (uint32_t i = 0; i < TOGETHER; i++)
    owners[i] = (part * 7 + i * 3) % OWNERS; /* others read some of them too */
  states_reader_shares_of (a->r, owners, TOGETHER, a->from, a->width, COLUMNS, 1, &palette, a->sum[part], STRIDE,
                           &a->met[part]);
  states_reader_most (a->r, owners, TOGETHER, a->from, a->width, COLUMNS, &palette, (1u << STATES) - 1, a->most[part],
                      STRIDE);
}

static void
compare_at_once (const char *base)
{
  for (int turn = 0; turn < 6; turn++) {
    AtOnce *of[2];
    int64_t from = g_test_rand_int_range (0, (int32_t) end);
    double width = g_test_rand_double_range (0.5, 4000);
    for (int k = 0; k < 2; k++) {
      of[k] = g_new0 (AtOnce, 1);
      of[k]->from = from;
      of[k]->width = width;
      of[k]->r = states_reader_open (base, NULL); /* that has nothing unpacked yet */
      g_assert_nonnull (of[k]->r);
    }
    if (turn % 2 == 0) /* in the others nobody has prepared anything: slower, and the same */
      states_reader_together (of[0]->r);
    at_once (PARTS, 1, reckon_part, of[0]);
    for (uint32_t part = 0; part < PARTS; part++)
      reckon_part (of[1], part);
    g_assert_cmpmem (of[0]->sum, sizeof of[0]->sum, of[1]->sum, sizeof of[1]->sum);
    g_assert_cmpmem (of[0]->most, sizeof of[0]->most, of[1]->most, sizeof of[1]->most);
    g_assert_cmpmem (of[0]->met, sizeof of[0]->met, of[1]->met, sizeof of[1]->met);
    for (int k = 0; k < 2; k++) {
      states_reader_free (of[k]->r);
      g_free (of[k]);
    }
  }
}

static void
test_many (void)
{
  g_autofree char *base = g_build_filename (folder, "many", NULL);
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);

  g_assert_no_error (error);
  make_changes ();
  for (int i = 0; i < CHANGES; i++)
    states_writer_push (w, changes[i].owner, changes[i].date, changes[i].state);
  states_writer_flush (w, end, &error); /* there may be more: nothing is put side by side */
  g_assert_no_error (error);
  StatesReader *r = states_reader_open (base, &error), *other;
  g_assert_no_error (error);
  states_reader_set_end (r, end);
  compare (r);
  compare_at_once (base);
  states_writer_flush (w, INT64_MAX, &error);
  g_assert_no_error (error);
  states_writer_free (w);
  states_reader_refresh (r);
  compare (r);
  other = states_reader_open (base, &error); /* has what the first has made, and has it longer */
  g_assert_no_error (error);
  states_reader_set_end (other, end);
  compare (other);
  compare_at_once (base);
  states_reader_free (r);
  compare (other);
  g_assert_null (states_reader_problem (other));
  states_reader_free (other);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("many-owners-XXXXXX", &error);
  g_assert_no_error (error);
  g_test_add_func ("/many owners/shares and most", test_many);
  status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  return status;
}
