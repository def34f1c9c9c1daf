/* SPDX-License-Identifier: Apache-2.0 */
/* wide-states-test.c - histories of models with thousands of states, as regions of a program are: records are exact,
 * shares and amounts agree with a reckoning in memory, and a history that was broken off and gone on with has the same
 * bytes as one that was not. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/folder.h"
#include "views/slots.h"

#define OWNERS 4

typedef struct Change {
  int64_t date;
  uint32_t owner, state;
} Change;

static char *folder;

static char *
base_name (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* Owner 0 has narrow states only; owner 1 one wide state, now and then; the others many, of which few last long. */
static GArray *
changes_new (guint32 seed, int n, uint32_t most)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Change));
  int64_t date = 7;
  uint32_t last[OWNERS] = { 0 };

  for (int i = 0; i < n; i++) {
    Change c = { .owner = (uint32_t) g_rand_int_range (rand, 0, OWNERS) };
    date += g_rand_int_range (rand, 0, 10) == 0 ? 0 : g_rand_int_range (rand, 1, 5000);
    if (g_rand_int_range (rand, 0, 700) == 0)
      date += INT64_C (1) << g_rand_int_range (rand, 15, 44);
    do {
      switch (c.owner) {
      case 0:
        c.state = (uint32_t) g_rand_int_range (rand, 0, 5);
        break;
      case 1:
        c.state = g_rand_int_range (rand, 0, 3000) == 0 ? 15 : (uint32_t) g_rand_int_range (rand, 0, 15);
        break;
      default:
        c.state = (uint32_t) (pow (g_rand_double (rand), 6) * most);
      }
    } while (c.state == last[c.owner]);
    c.date = date;
    last[c.owner] = c.state;
    g_array_append_val (all, c);
  }
  return all;
}

/* What owner does, without what lasted no time at all. */
static GArray *
changes_of (const GArray *all, uint32_t owner)
{
  GArray *of = g_array_new (FALSE, FALSE, sizeof (Change));

  for (guint i = 0; i < all->len; i++) {
    const Change *c = &g_array_index (all, Change, i);
    if (c->owner != owner)
      continue;
    if (of->len > 0 && g_array_index (of, Change, of->len - 1).date == c->date)
      g_array_set_size (of, of->len - 1);
    if (of->len == 0 || g_array_index (of, Change, of->len - 1).state != c->state)
      g_array_append_val (of, *c);
  }
  return of;
}

static void
write_all (const char *base, const GArray *all, guint flush_each, guint break_each)
{
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < all->len; i++) {
    const Change *c = &g_array_index (all, Change, i);
    states_writer_push (w, c->owner, c->date, c->state);
    if (i % flush_each == flush_each - 1)
      states_writer_flush (w, 0, &error);
    if (break_each > 0 && i % break_each == break_each - 1) {
      HistoryPlace place = states_writer_place (w);
      /* what comes behind the place is lost, and comes again */
      for (guint k = i + 1; k < MIN (i + 900, all->len); k++)
        states_writer_push (w, g_array_index (all, Change, k).owner, g_array_index (all, Change, k).date,
                            g_array_index (all, Change, k).state);
      states_writer_free (w);
      w = states_writer_restore (base, &place, &error);
      g_assert_no_error (error);
    }
  }
  states_writer_flush (w, 0, &error);
  g_assert_no_error (error);
  states_writer_free (w);
}

typedef struct Expect {
  const GArray *of;
  guint at;
  int64_t known; /* of this change, what came so far: it may come in parts */
} Expect;

static bool
exactly (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Expect *e = arg;

  g_assert_cmpuint (e->at, <, e->of->len);
  const Change *c = &g_array_index (e->of, Change, e->at);
  g_assert_cmpint (from, ==, MAX (e->known, c->date));
  g_assert_cmpuint (state, ==, c->state);
  e->known = to;
  if (e->at + 1 < e->of->len && to == c[1].date)
    e->at++;
  else if (e->at + 1 < e->of->len)
    g_assert_cmpint (to, <, c[1].date);
  return true;
}

static double
spent (const GArray *of, int64_t reach, double from, double to, const StateSlots *slots, uint32_t slot, uint32_t state)
{
  double sum = 0;

  for (guint i = 0; i < of->len; i++) {
    const Change *c = &g_array_index (of, Change, i);
    double end = i + 1 < of->len ? (double) c[1].date : (double) reach;
    if (slots != NULL ? states_slot (&slots->palette, c->state) == slot : c->state == state)
      sum += MAX (0, MIN (to, end) - MAX (from, (double) c->date));
  }
  return sum;
}

static void
test_many (gconstpointer most)
{
  g_autofree char *base = base_name ("many.states");
  g_autoptr (GArray) all = changes_new (GPOINTER_TO_UINT (most), 60000, GPOINTER_TO_UINT (most));
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (GError) error = NULL;
  int64_t reach = g_array_index (all, Change, all->len - 1).date;
  StateSlots slots = { 0 };
  uint32_t highest = 0;

  for (guint i = 0; i < all->len; i++)
    highest = MAX (highest, g_array_index (all, Change, i).state);
  write_all (base, all, 9001, 0);
  StatesReader *r = states_reader_open (base, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (states_reader_highest (r), <=, highest); /* one that lasted no time may be gone */
  for (uint32_t owner = 0; owner < OWNERS; owner++) {
    g_autoptr (GArray) of = changes_of (all, owner);
    Expect e = { .of = of };
    states_reader_each (r, owner, INT64_MIN, INT64_MAX, exactly, &e);
    g_assert_cmpuint (e.at, ==, of->len - 1);
    g_assert_cmpint (e.known, ==, reach);
    /* amounts: of the whole, and of parts */
    for (int round = 0; round < 12; round++) {
      g_autofree double *time = g_new0 (double, HISTORY_STATES_MOST + 1);
      int64_t from = round == 0 ? 0 : (int64_t) g_rand_double_range (rand, 0, (double) reach);
      int64_t to = round == 0 ? reach : from + (int64_t) g_rand_double_range (rand, 1, (double) (reach - from + 2));
      double sum = 0, known = 0, width = (double) (MIN (to, reach) - from);
      states_reader_amounts (r, owner, from, MIN (to, reach), time);
      for (uint32_t k = 0; k <= HISTORY_STATES_MOST; k++)
        sum += time[k];
      known = MIN (width, (double) (reach - MAX (from, g_array_index (of, Change, 0).date)));
      g_assert_cmpfloat (fabs (sum - known), <=, 1 + known * 1e-6);
      for (uint32_t k = 0; k < 16; k++) { /* those that last long are not among the others */
        double exact = spent (of, reach, (double) from, (double) MIN (to, reach), NULL, 0, k);
        if (exact > 0.2 * width)
          g_assert_cmpfloat (fabs (time[k] - exact), <=, 1 + 0.02 * width);
      }
    }
  }
  /* a picture: each column is full, and slots have what is theirs */
  uint32_t owners[OWNERS] = { 0, 1, 2, 3 };
  slots_choose (&slots, r, owners, OWNERS, 0, reach);
  g_assert_cmpuint (slots.n, <=, SLOTS_MOST);
  if (highest >= SLOTS_MOST) {
    g_assert_cmpuint (slots.state[slots.n - 1], ==, SLOTS_OTHERS);
    g_assert_cmpuint (slots.n_others, >, 0);
  }
  for (int round = 0; round < 40; round++) {
    enum { COLUMNS = 50 };
    uint32_t owner = (uint32_t) g_rand_int_range (rand, 0, OWNERS), met = 0;
    float shares[COLUMNS * SLOTS_MOST] = { 0 };
    g_autoptr (GArray) of = changes_of (all, owner);
    double width = pow (2, g_rand_double_range (rand, 4, log2 ((double) reach / COLUMNS)));
    int64_t from = (int64_t) g_rand_double_range (rand, (double) g_array_index (of, Change, 0).date + 1,
                                                  MAX ((double) reach - width * COLUMNS, 1e4));
    states_reader_shares (r, owner, from, width, COLUMNS, 1, &slots.palette, shares, slots.stride, &met);
    for (uint32_t k = 0; k < slots.n; k++) {
      double total = 0;
      for (uint32_t c = 0; c < COLUMNS; c++)
        total += shares[c * slots.stride + k];
      double exact = spent (of, reach, (double) from, (double) from + width * COLUMNS, &slots, k, 0) / width;
      if (k == slots.n - 1 && highest >= SLOTS_MOST)
        g_assert_cmpfloat (total, >=, exact - 0.5); /* sums put more there */
      else
        g_assert_cmpfloat (total, <=, exact + 0.5);
      if (total > 0)
        g_assert_true (met >> k & 1);
    }
    for (uint32_t c = 0; c < COLUMNS; c++) {
      double sum = 0;
      for (uint32_t k = 0; k < slots.n; k++)
        sum += shares[c * slots.stride + k];
      if ((double) from + (c + 1) * width < (double) reach)
        g_assert_cmpfloat (fabs (sum - 1), <, 0.01);
    }
  }
  slots_clear (&slots);
  states_reader_free (r);
}

static void
same_bytes (const char *a, const char *b, const char *ending)
{
  g_autofree char *x = g_strconcat (a, ending, NULL), *y = g_strconcat (b, ending, NULL), *dx = NULL, *dy = NULL;
  gsize nx, ny;

  g_assert_true (g_file_get_contents (x, &dx, &nx, NULL));
  g_assert_true (g_file_get_contents (y, &dy, &ny, NULL));
  g_assert_cmpmem (dx, nx, dy, ny);
}

/* Broken off and gone on with, at places in and between blocks that are narrow and wide: the same records and sums. */
static void
test_gone_on (void)
{
  g_autofree char *one = base_name ("one.states"), *broken = base_name ("broken-off.states");

  for (guint32 seed = 1; seed <= 8; seed++) {
    g_autoptr (GArray) all = changes_new (seed, 20000, seed % 2 ? 60 : 20000);
    write_all (one, all, 731, 0);
    write_all (broken, all, 731, 731 * (seed % 3 + 1));
    same_bytes (one, broken, ".records");
    same_bytes (one, broken, ".sums");
  }
}

/* States above the highest are taken for it; all widths meet in one block. */
static void
test_bounds (void)
{
  g_autofree char *base = base_name ("bounds.states");
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);
  g_autoptr (GArray) of = g_array_new (FALSE, FALSE, sizeof (Change));
  const Change want[] = { { 5, 0, HISTORY_STATES_MOST }, { 9, 0, 254 }, { 10, 0, 255 }, { 11, 0, 14 }, { 12, 0, 15 } };

  states_writer_push (w, 0, 5, UINT32_MAX);
  states_writer_push (w, 0, 9, 254);
  states_writer_push (w, 0, 10, 255);
  states_writer_push (w, 0, 11, 14);
  states_writer_push (w, 0, 12, 15);
  states_writer_flush (w, 20, &error);
  g_assert_no_error (error);
  states_writer_free (w);
  g_array_append_vals (of, want, G_N_ELEMENTS (want));
  StatesReader *r = states_reader_open (base, &error);
  Expect e = { .of = of };
  states_reader_each (r, 0, 0, 100, exactly, &e);
  g_assert_cmpuint (e.at, ==, G_N_ELEMENTS (want) - 1);
  g_assert_cmpuint (states_reader_highest (r), ==, HISTORY_STATES_MOST);
  states_reader_free (r);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("wide-states-XXXXXX", &error);
  g_assert_no_error (error);
  g_test_add_data_func ("/wide states/20", GUINT_TO_POINTER (20), test_many);
  g_test_add_data_func ("/wide states/300", GUINT_TO_POINTER (300), test_many);
  g_test_add_data_func ("/wide states/30000", GUINT_TO_POINTER (30000), test_many);
  g_test_add_func ("/wide states/gone on with", test_gone_on);
  g_test_add_func ("/wide states/bounds", test_bounds);
  status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  return status;
}
