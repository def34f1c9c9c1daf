/* SPDX-License-Identifier: Apache-2.0 */
/* history-test.c - histories against a slow, exact reckoning in memory: every zoom, growth, restore, damage.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "tests/harness/folder.h"
#include "views/history.h"
#include "views/layer.h"

#define OWNERS 5
#define STATES 5
#define SHARES 15
static const StatesPalette all_states = { .rest = SHARES - 1 };

typedef struct Change {
  int64_t date;
  uint32_t state;
} Change;
static GArray *truth[OWNERS]; /* of Change */
static int64_t reach;
static bool rests; /* now and then an owner rests for very long */
static char *folder;

static char *
base_name (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
truth_begin (void)
{
  for (int i = 0; i < OWNERS; i++) {
    g_clear_pointer (&truth[i], g_array_unref);
    truth[i] = g_array_new (FALSE, FALSE, sizeof (Change));
  }
  reach = 0;
}

static void
truth_push (uint32_t owner, int64_t date, uint32_t state)
{
  GArray *t = truth[owner];
  Change *last = t->len > 0 ? &g_array_index (t, Change, t->len - 1) : NULL;

  reach = MAX (reach, date);
  if (last != NULL && last->date == date)
    last->state = state;
  else if (last == NULL || last->state != state)
    g_array_append_val (t, ((Change){ date, state }));
}

/* Ticks that owner spends in state within [from, to). */
static double
spent (uint32_t owner, uint32_t state, double from, double to)
{
  double sum = 0;
  guint low = 0, high = truth[owner]->len;

  while (low < high) { /* the first change behind `from` */
    guint mid = (low + high) / 2;
    if ((double) g_array_index (truth[owner], Change, mid).date <= from)
      low = mid + 1;
    else
      high = mid;
  }
  for (guint i = low - (low > 0); i < truth[owner]->len; i++) {
    const Change *c = &g_array_index (truth[owner], Change, i);
    if ((double) c->date >= to)
      break;
    double end = i + 1 < truth[owner]->len ? (double) c[1].date : (double) reach;
    if (c->state == state)
      sum += MAX (0, MIN (to, end) - MAX (from, (double) c->date));
  }
  return sum;
}

/* Bursts, long rests, changes at one date: everything that a trace may hold. */
static int64_t
random_step (GRand *r, uint32_t owner)
{
  switch (g_rand_int_range (r, 0, 12)) {
  case 0:
    return 0;
  case 1:
    return g_rand_int_range (r, 0, 3);
  case 2:
    return rests && owner == 3 && g_rand_int_range (r, 0, 400) == 0 ? INT64_C (3) << 33
                                                                    : g_rand_int_range (r, 1, 100000);
  default:
    return g_rand_int_range (r, 1, owner == 1 ? 40 : 4000);
  }
}

static void
feed (StatesWriter **w, GRand *r, int64_t date[OWNERS], int n, const char *base)
{
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < n; i++) {
    uint32_t owner = (uint32_t) g_rand_int_range (r, 0, OWNERS), state = (uint32_t) g_rand_int_range (r, 0, STATES);
    if (owner == 4 && g_rand_int_range (r, 0, 500) != 0)
      continue;
    date[owner] += random_step (r, owner);
    truth_push (owner, date[owner], state);
    states_writer_push (*w, owner, date[owner], state);
    if (g_rand_int_range (r, 0, 5000) == 0) {
      states_writer_flush (*w, 0, &error);
      g_assert_no_error (error);
    }
    if (base != NULL && g_rand_int_range (r, 0, 9000) == 0) {
      /* Killed and taken up again: what came after the place is lost and comes again. */
      HistoryPlace place;
      states_writer_flush (*w, 0, &error);
      place = states_writer_place (*w);
      for (int k = 0; k < 3000; k++)
        states_writer_push (*w, (uint32_t) k % OWNERS, reach + k * 7, (uint32_t) (k / OWNERS) % STATES);
      states_writer_flush (*w, 0, &error);
      states_writer_free (*w);
      *w = states_writer_restore (base, &place, &error);
      g_assert_no_error (error);
    }
  }
}

static void
check_shares (StatesReader *r, GRand *rand)
{
  enum { COLUMNS = 60 };
  double worst_total = 0, sum_error = 0;
  int cells = 0;

  for (int round = 0; round < 300; round++) {
    uint32_t owner = (uint32_t) g_rand_int_range (rand, 0, OWNERS), states = 0;
    float shares[COLUMNS * SHARES] = { 0 };
    /* from one tick to the whole execution in sixty columns */
    double width = pow (2, g_rand_double_range (rand, 0, log2 ((double) reach / COLUMNS)));
    int64_t from = (int64_t) g_rand_double_range (rand, -width, (double) reach - width * COLUMNS / 2);
    if (round == 0) {
      width = (double) reach / COLUMNS;
      from = 0;
    }
    states_reader_shares (r, owner, from, width, COLUMNS, 1, &all_states, shares, SHARES, &states);
    for (uint32_t s = 0; s < STATES; s++) {
      double total = 0, exact_total = spent (owner, s, (double) from, (double) from + width * COLUMNS) / width;
      for (int c = 0; c < COLUMNS; c++) {
        double a = (double) from + c * width, exact = spent (owner, s, a, a + width) / width;
        double got = shares[c * SHARES + s];
        total += got;
        /* Edges are off by at most a quarter of a column each; bytes round. */
        double least = spent (owner, s, a + width / 4, a + width * 3 / 4) / width;
        double most = spent (owner, s, a - width / 4, a + width * 5 / 4) / width;
        g_assert_cmpfloat (got, >=, least - 0.03);
        g_assert_cmpfloat (got, <=, most + 0.03);
        sum_error += fabs (got - exact);
        cells++;
        if (exact > 0.001)
          g_assert_true (states >> s & 1);
      }
      worst_total = MAX (worst_total, fabs (total - exact_total));
    }
  }
  g_test_message ("mean error of a share %.5f, worst error of a total %.4f columns", sum_error / cells, worst_total);
  g_assert_cmpfloat (sum_error / cells, <, 0.004);
  g_assert_cmpfloat (worst_total, <, 0.3);
}

/* The sum over owners, in one go and one after the other. */
static void
check_shares_of_many (StatesReader *r, GRand *rand)
{
  enum { COLUMNS = 80 };
  uint32_t owners[2 * OWNERS];

  for (int round = 0; round < 100; round++) {
    float sum[COLUMNS * SHARES] = { 0 }, each[COLUMNS * SHARES] = { 0 };
    uint32_t n = (uint32_t) g_rand_int_range (rand, 1, G_N_ELEMENTS (owners)), met = 0, met_each = 0;
    double width = pow (2, g_rand_double_range (rand, 0, log2 ((double) reach / COLUMNS)));
    int64_t from = (int64_t) g_rand_double_range (rand, -width, (double) reach - width * COLUMNS / 2);
    for (uint32_t i = 0; i < n; i++) {
      owners[i] = (uint32_t) g_rand_int_range (rand, 0, OWNERS);
      states_reader_shares (r, owners[i], from, width, COLUMNS, 0.5f, &all_states, each, SHARES, &met_each);
    }
    states_reader_shares_of (r, owners, n, from, width, COLUMNS, 0.5f, &all_states, sum, SHARES, &met);
    g_assert_cmpuint (met, ==, met_each);
    for (int i = 0; i < COLUMNS * SHARES; i++)
      g_assert_cmpfloat_with_epsilon ((double) sum[i], (double) each[i], 1e-5 * n);
  }
}

typedef struct Expect {
  uint32_t owner;
  guint at;
  uint64_t n;
  int64_t last;
} Expect;

static bool
exactly (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Expect *e = arg;
  const Change *c = &g_array_index (truth[e->owner], Change, e->at);

  g_assert_cmpuint (e->at, <, truth[e->owner]->len);
  g_assert_cmpint (from, ==, c->date);
  g_assert_cmpuint (state, ==, c->state);
  g_assert_cmpint (to, ==, e->at + 1 < truth[e->owner]->len ? c[1].date : reach);
  e->at++;
  return true;
}

static void
check_exact (StatesReader *r)
{
  for (uint32_t owner = 0; owner < OWNERS; owner++) {
    Expect e = { .owner = owner };
    GArray *t = truth[owner];
    /* neighbours of one state are one interval, unless a flush stood between: none does here */
    for (guint i = 1; i < t->len;)
      if (g_array_index (t, Change, i).state == g_array_index (t, Change, i - 1).state)
        g_array_remove_index (t, i);
      else
        i++;
    states_reader_each (r, owner, INT64_MIN, INT64_MAX, exactly, &e);
    if (t->len > 0 && g_array_index (t, Change, t->len - 1).date == reach)
      e.at += e.at < t->len; /* it has no length yet */
    g_assert_cmpuint (e.at, ==, t->len);
  }
}

static void
test_states (gconstpointer seed)
{
  g_autofree char *base = base_name ("a.states");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) r = g_rand_new_with_seed ((guint32) GPOINTER_TO_INT (seed));
  int64_t date[OWNERS] = { 0 };
  StatesWriter *w = states_writer_new (base, &error);

  g_assert_no_error (error);
  truth_begin ();
  rests = GPOINTER_TO_INT (seed) > 4;
  feed (&w, r, date, 60000, GPOINTER_TO_INT (seed) % 2 != 0 ? base : NULL);
  states_writer_flush (w, 0, &error);
  g_assert_no_error (error);
  StatesReader *reader = states_reader_open (base, &error);
  g_assert_no_error (error);
  g_assert_cmpint (states_reader_reach (reader), ==, reach);
  check_shares (reader, r);
  check_shares_of_many (reader, r);
  /* It grows under the reader. */
  feed (&w, r, date, 60000, GPOINTER_TO_INT (seed) % 2 != 0 ? base : NULL);
  states_writer_flush (w, 0, &error);
  states_reader_refresh (reader);
  check_shares (reader, r);
  g_assert_null (states_reader_problem (reader));
  states_reader_free (reader);
  states_writer_free (w);
}

static void
test_exact (void)
{
  g_autofree char *base = base_name ("e.states");
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);
  int64_t date = 5;

  truth_begin ();
  for (int i = 0; i < 20000; i++) {
    uint32_t owner = (uint32_t) (i % 3), state = (uint32_t) (i / 3 % 4);
    date += 1 + i % 7 * (i % 1000 == 0 ? INT64_C (1) << 40 : 900);
    for (uint32_t more = 0; more <= (i % 500 == 3); more++) { /* at one date a state that needs more room comes too */
      truth_push (owner, date, state + 200 * more);
      states_writer_push (w, owner, date, state + 200 * more);
    }
    if (i % 1777 == 0)
      states_writer_flush (w, 0, &error);
  }
  states_writer_flush (w, 0, &error);
  g_assert_no_error (error);
  StatesReader *r = states_reader_open (base, &error);
  g_assert_no_error (error);
  check_exact (r);
  states_reader_free (r);
  states_writer_free (w);
}

/* ---- damage -------------------------------------------------------------------------------------------- */

/* A copy of a history with a file cut, or with three bits turned.  Gives which file. */
static int
break_history (const char *base, const char *copy, GRand *rand, bool cut)
{
  static const char *const endings[] = { ".index", ".records", ".sums" };
  int which = g_rand_int_range (rand, 0, 3);

  for (int i = 0; i < 3; i++) {
    g_autofree char *from = g_strconcat (base, endings[i], NULL), *to = g_strconcat (copy, endings[i], NULL);
    g_autofree char *data = NULL;
    gsize size;
    g_assert_true (g_file_get_contents (from, &data, &size, NULL));
    if (i == which && cut)
      size = (gsize) g_rand_int_range (rand, 0, (gint32) size);
    else if (i == which)
      for (int k = 0; k < 3; k++)
        data[g_rand_int_range (rand, 0, (gint32) size)] ^= (char) (1 << g_rand_int_range (rand, 0, 8));
    g_remove (to); /* else the disk is waited for */
    g_assert_true (g_file_set_contents (to, data, (gssize) size, NULL));
  }
  return which;
}

static bool
is_true (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Expect *e = arg;
  GArray *t = truth[e->owner];

  while (e->at < t->len && g_array_index (t, Change, e->at).date < from)
    e->at++;
  g_assert_cmpuint (e->at, <, t->len);
  const Change *c = &g_array_index (t, Change, e->at);
  g_assert_cmpint (from, ==, c->date);
  g_assert_cmpuint (state, ==, c->state);
  e->n++;
  return true;
}

static void
test_damage (void)
{
  g_autofree char *base = base_name ("d.states");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  uint64_t all = 0;
  StatesWriter *w = states_writer_new (base, &error);
  int64_t date = 0;

  truth_begin ();
  for (int i = 0; i < 60000; i++) {
    date += 1 + g_rand_int_range (rand, 0, 5000);
    truth_push ((uint32_t) i % 2, date, (uint32_t) (i / 2) % 4);
    states_writer_push (w, (uint32_t) i % 2, date, (uint32_t) (i / 2) % 4);
  }
  states_writer_flush (w, 0, &error);
  states_writer_free (w);
  for (uint32_t owner = 0; owner < 2; owner++)
    all += truth[owner]->len - (g_array_index (truth[owner], Change, truth[owner]->len - 1).date == reach);
  for (int round = 0; round < 300; round++) {
    g_autofree char *copy = base_name ("broken.states");
    int which = break_history (base, copy, rand, round % 2 == 0);
    uint64_t n = 0;
    bool told;
    StatesReader *r = states_reader_open (copy, &error);
    if (r == NULL) {
      g_assert_nonnull (error);
      g_clear_error (&error);
      continue;
    }
    float shares[40 * SHARES] = { 0 };
    uint32_t states = 0;
    for (uint32_t owner = 0; owner < 2; owner++) {
      Expect e = { .owner = owner };
      states_reader_each (r, owner, INT64_MIN, INT64_MAX, is_true, &e);
      n += e.n;
      states_reader_shares (r, owner, 0, (double) reach / 40, 40, 1, &all_states, shares, SHARES, &states);
    }
    for (guint i = 0; i < 40; i++) {
      double sum = 0;
      for (int s = 0; s < SHARES; s++)
        sum += shares[i * SHARES + (guint) s];
      g_assert_cmpfloat (sum, <, 2.05);
    }
    /* What is missing at the end of a cut index was perhaps never written; all else must be told. */
    told = states_reader_problem (r) != NULL;
    if (!told && !(which == 0 && round % 2 == 0))
      g_assert_cmpuint (n, ==, all);
    states_reader_free (r);
  }
}

/* A film that goes on from files that were broken meanwhile: refused, or failed with a sentence, or what it shows is
 * true. */
static void
test_damage_goes_on (void)
{
  g_autofree char *base = base_name ("g.states"), *copy = base_name ("gone-on.states");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  StatesWriter *w = states_writer_new (base, &error);
  HistoryPlace place = { 0 };
  int64_t date = 0, half = 0;
  int refused = 0, failed = 0, fine = 0;

  truth_begin ();
  for (int i = 0; i < 60000; i++) {
    if (i == 30000) {
      states_writer_flush (w, 0, &error);
      place = states_writer_place (w);
      states_writer_free (w);
      half = date;
    }
    date += 1 + i % 5 * 700;
    truth_push ((uint32_t) i % 2, date, (uint32_t) (i / 2) % 4);
    if (i < 30000)
      states_writer_push (w, (uint32_t) i % 2, date, (uint32_t) (i / 2) % 4);
  }
  g_assert_no_error (error);
  for (int round = 0; round < 200; round++) {
    break_history (base, copy, rand, round % 2 == 0);
    w = states_writer_restore (copy, &place, &error);
    if (w == NULL) {
      g_assert_nonnull (error);
      g_clear_error (&error);
      refused++;
      continue;
    }
    date = half;
    for (int i = 30000; i < 60000; i++) {
      date += 1 + i % 5 * 700;
      states_writer_push (w, (uint32_t) i % 2, date, (uint32_t) (i / 2) % 4);
    }
    if (!states_writer_flush (w, 0, &error)) {
      g_assert_nonnull (error);
      g_clear_error (&error);
      failed++;
    } else {
      StatesReader *r = states_reader_open (copy, &error);
      uint64_t n = 0, all = 0;
      g_assert_no_error (error);
      for (uint32_t owner = 0; owner < 2; owner++) {
        Expect e = { .owner = owner };
        states_reader_each (r, owner, INT64_MIN, INT64_MAX, is_true, &e);
        n += e.n;
        all += truth[owner]->len - (g_array_index (truth[owner], Change, truth[owner]->len - 1).date == reach);
      }
      if (states_reader_problem (r) == NULL)
        g_assert_cmpuint (n, ==, all);
      states_reader_free (r);
      fine++;
    }
    states_writer_free (w);
  }
  g_assert_cmpint (refused, >, 0);
  g_assert_cmpint (failed, >, 0);
  g_assert_cmpint (fine, >, 0);
}

/* ---- messages ------------------------------------------------------------------------------------------ */

typedef struct Seen {
  GArray *all; /* of StateMessage */
  guint at;
  int64_t from, to;
  uint64_t count, bytes;
} Seen;

#define MOST_AHEAD 4000

static bool
same_message (void *arg, const StateMessage *m)
{
  Seen *s = arg;
  const StateMessage *t;

  do
    t = &g_array_index (s->all, StateMessage, s->at++);
  while (s->at < s->all->len && (MAX (t->received, t->sent) < s->from || MIN (t->received, t->sent) >= s->to));
  g_assert_cmpint (m->received, ==, t->received);
  g_assert_cmpint (m->sent, ==, t->sent);
  g_assert_cmpint (m->size, ==, t->size);
  g_assert_cmpuint (m->from, ==, t->from);
  g_assert_cmpuint (m->to, ==, t->to);
  g_assert_cmpint (m->tag, ==, t->tag);
  s->count++;
  return true;
}

static void
add_bundle (void *arg, const MessageBundle *b)
{
  Seen *s = arg;

  g_assert_cmpfloat (b->received, >=, (double) s->from - 1);
  g_assert_cmpfloat (b->received, <=, (double) s->to);
  g_assert_cmpfloat (b->sent, <=, b->received + MOST_AHEAD);
  s->count += b->count;
  s->bytes += b->bytes;
}

static void
test_messages (void)
{
  g_autofree char *base = base_name ("m.messages");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (StateMessage));
  MessagesWriter *w = messages_writer_new (base, &error);
  int64_t date = 1000;

  for (int i = 0; i < 150000; i++) {
    StateMessage m = { .from = (uint32_t) g_rand_int_range (rand, 0, 60),
                       .to = (uint32_t) g_rand_int_range (rand, 0, 60),
                       .tag = g_rand_int_range (rand, -1, 99),
                       .size = g_rand_int_range (rand, 0, 100000) };
    date += g_rand_int_range (rand, 0, 9);
    m.received = date;
    m.sent = date - g_rand_int_range (rand, 0, 500);
    if (i % 20 == 0) /* by a clock that is behind it is received first */
      m.sent = date + (i % 40 == 0 ? 1 : g_rand_int_range (rand, 1, MOST_AHEAD));
    g_array_append_val (all, m);
    messages_writer_push (w, &m);
    if (g_rand_int_range (rand, 0, 20000) == 0) {
      HistoryPlace place;
      messages_writer_flush (w, 0, &error);
      place = messages_writer_place (w);
      for (int k = 0; k < 5000; k++)
        messages_writer_push (w, &(StateMessage){ .sent = date + k, .received = date + k, .from = 1, .to = 2 });
      messages_writer_flush (w, 0, &error);
      messages_writer_free (w);
      w = messages_writer_restore (base, &place, &error);
      g_assert_no_error (error);
    }
  }
  messages_writer_flush (w, 0, &error);
  g_assert_no_error (error);
  messages_writer_free (w);
  MessagesReader *r = messages_reader_open (base, &error);
  g_assert_no_error (error);
  Seen s = { .all = all, .from = INT64_MIN, .to = INT64_MAX };
  messages_reader_each (r, INT64_MIN, INT64_MAX, same_message, &s);
  g_assert_cmpuint (s.count, ==, all->len);
  for (int round = 0; round < 200; round++) {
    int64_t length = (int64_t) pow (2, g_rand_double_range (rand, 1, log2 ((double) date)));
    int64_t from = (int64_t) g_rand_double_range (rand, 0, (double) date),
            width = length / g_rand_int_range (rand, 1, 60);
    uint64_t count = 0, bytes = 0;
    if (round == 0)
      from = 0, length = date + 1, width = length;
    for (guint i = 0; i < all->len; i++) {
      const StateMessage *m = &g_array_index (all, StateMessage, i);
      if (m->received >= from && m->received < from + length) {
        count++;
        bytes += (uint64_t) m->size;
      }
    }
    Seen b = { .from = from, .to = from + length };
    messages_reader_bundles (r, from, from + length, width, add_bundle, &b);
    g_assert_cmpuint (b.count, ==, count);
    g_assert_cmpuint (b.bytes, ==, bytes);
    Seen e = { .all = all, .from = from, .to = from + length };
    if (round < 20)
      messages_reader_each (r, from, from + length, same_message, &e);
    for (; round < 20 && e.at < all->len; e.at++) { /* none is left out at the end */
      const StateMessage *m = &g_array_index (all, StateMessage, e.at);
      g_assert_true (MAX (m->received, m->sent) < from || MIN (m->received, m->sent) >= from + length);
    }
  }
  g_assert_null (messages_reader_problem (r));
  messages_reader_free (r);
}

/* ---- damage to messages and names ------------------------------------------------------------------------ */

/* The i-th message: all that is read of it can be told from its date. */
static StateMessage
nth_message (int64_t i)
{
  return (StateMessage){ .from = (uint32_t) (i % 7),
                         .to = (uint32_t) (i % 11),
                         .tag = (int32_t) (i % 5),
                         .size = i * 3,
                         .received = 10 * i,
                         .sent = 10 * i - i % 100 };
}

static bool
is_nth (void *arg, const StateMessage *m)
{
  Seen *s = arg;
  StateMessage t = nth_message (m->received / 10);

  g_assert_cmpint (m->received, >=, s->to); /* in order, none twice */
  s->to = m->received + 1;
  g_assert_cmpuint (m->from, ==, t.from);
  g_assert_cmpuint (m->to, ==, t.to);
  g_assert_cmpint (m->tag, ==, t.tag);
  g_assert_cmpint (m->size, ==, t.size);
  g_assert_cmpint (m->sent, ==, t.sent);
  s->count++;
  return true;
}

static void
count_bundle (void *arg, const MessageBundle *b)
{
  Seen *s = arg;

  s->count += b->count;
  s->bytes += b->bytes;
}

/* Whatever happens to the files: what is read is true, and what is missing is told. */
static void
test_damaged_messages (void)
{
  enum { N = 30000 };
  g_autofree char *base = base_name ("dm.messages"), *copy = base_name ("broken.messages");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (8);
  MessagesWriter *w = messages_writer_new (base, &error);
  uint64_t bytes = 0;
  guint opened = 0, lost = 0;

  for (int i = 1; i <= N; i++) {
    StateMessage m = nth_message (i);
    bytes += (uint64_t) m.size;
    messages_writer_push (w, &m);
    if (i % 4444 == 0)
      messages_writer_flush (w, m.received, &error);
  }
  messages_writer_flush (w, 0, &error);
  messages_writer_free (w);
  for (int round = 0; round < 300; round++) {
    bool cut = round % 2 == 0;
    int which = break_history (base, copy, rand, cut);
    MessagesReader *r = messages_reader_open (copy, &error);
    if (r == NULL) {
      g_assert_nonnull (error);
      g_clear_error (&error);
      continue;
    }
    opened++;
    Seen exact = { .to = INT64_MIN }, bundles = { 0 };
    messages_reader_each (r, INT64_MIN, INT64_MAX, is_nth, &exact);
    messages_reader_bundles (r, INT64_MIN, INT64_MAX, INT64_MAX, count_bundle, &bundles);
    g_assert_cmpuint (exact.count, <=, N);
    g_assert_cmpuint (bundles.count, <=, N);
    g_assert_cmpuint (bundles.bytes, <=, bytes);
    if (messages_reader_problem (r) != NULL)
      lost++;
    else if (!(which == 0 && cut)) { /* what a cut index does not have was perhaps never written */
      g_assert_cmpuint (exact.count, ==, N);
      g_assert_cmpuint (bundles.count, ==, N);
      g_assert_cmpuint (bundles.bytes, ==, bytes);
    }
    messages_reader_free (r);
  }
  g_assert_cmpuint (opened, >, 200);
  g_assert_cmpuint (lost, >, 100);
}

static void
test_damaged_names (void)
{
  g_autofree char *path = base_name ("tasks"), *groups = base_name ("groups");
  g_autoptr (GString) text = g_string_new ("tasks 1\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  g_autoptr (GPtrArray) nobody = g_ptr_array_new ();
  TraceSource none = { .tasks = nobody, .hosts = nobody };

  for (int i = 0; i < 200; i++)
    g_string_append_printf (text, "%d\tt4%04x\tnode%d\tprogram\\t%d\n", i, i, i % 16, i % 3);
  g_assert_true (names_file_write (path, text, &error));
  for (int round = 0; round < 1000; round++) {
    g_autofree char *data = g_memdup2 (text->str, text->len + 1);
    gsize size = text->len;
    bool whole = round == 0;
    if (round % 2 == 1)
      size = (gsize) g_rand_int_range (rand, 0, (gint32) size);
    else if (!whole)
      data[g_rand_int_range (rand, 0, (gint32) size)] ^= (char) (1 << g_rand_int_range (rand, 0, 8));
    g_remove (path);
    g_assert_true (g_file_set_contents (path, data, (gssize) size, &error));
    g_remove (groups);
    g_assert_true (g_file_set_contents (groups, data, (gssize) size, &error));
    Names *n = names_read (folder);
    g_assert_cmpuint (names_count (n, &none), ==, whole ? 200 : 0);
    if (whole) {
      g_assert_cmpstr (names_id (n, &none, 199), ==, "t400c7");
      g_assert_cmpstr (names_host (n, &none, 17), ==, "node1");
      g_assert_cmpstr (names_program (n, &none, 5), ==, "program\t2");
    }
    g_assert_false (names_read_groups (n, folder) && !whole);
    names_free (n);
  }
}

static void
add_traffic (void *arg, const char *from, const char *to, double bytes)
{
  g_string_append_printf (arg, "%s>%s=%.0f ", from, to, bytes);
}

/* All of it, or, of a file that is damaged, nothing. */
static void
test_traffic (void)
{
  g_autofree char *path = base_name ("traffic");
  g_autoptr (GString) text = g_string_new ("t1\tt2\t10\nt2\tt1\t0\nt3\tt1\t4000000000\n"), told = g_string_new (NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (10);
  g_autoptr (GError) error = NULL;
  Names *names = names_read (NULL);

  names_read_traffic (names, folder, add_traffic, told);
  g_assert_cmpstr (told->str, ==, "");
  g_assert_true (names_file_write (path, text, &error));
  names_read_traffic (names, folder, add_traffic, told);
  g_assert_cmpstr (told->str, ==, "t1>t2=10 t2>t1=0 t3>t1=4000000000 ");
  g_assert_null (names_problem (names)); /* it was not there before, which is no damage */
  g_string_truncate (told, 0);
  for (int round = 0; round < 300; round++) {
    g_autofree char *data = g_memdup2 (text->str, text->len);
    data[g_rand_int_range (rand, 0, (gint32) text->len)] ^= (char) (1 << g_rand_int_range (rand, 0, 8));
    g_remove (path);
    g_assert_true (g_file_set_contents (path, data, g_rand_int_range (rand, 0, (gint32) text->len + 1), &error));
    names_read_traffic (names, folder, add_traffic, told);
    g_assert_cmpstr (told->str, ==, "");
  }
  g_assert_nonnull (strstr (names_problem (names), "traffic"));
  names_free (names);
  g_remove (path);
}

/* Cost and size of recording; a bound that holds on a slow machine too. */
static void
test_cost (void)
{
  enum { TASKS = 256 };
  const uint32_t N = g_getenv ("SCOPE_SANITIZED") ? 400000 : 4000000; /* changes; SCOPE_SANITIZED: .ci/check */
  g_autofree char *base = base_name ("c.states");
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);
  uint32_t x = 1;
  int64_t date = 0, begun = g_get_monotonic_time ();
  uint64_t bytes = 0;

  for (uint32_t i = 0; i < N; i++) {
    x = x * 1664525 + 1013904223;
    date += 200 + (x >> 22);
    states_writer_push (w, x >> 8 & (TASKS - 1), date, (i + (x >> 30)) & 3);
  }
  states_writer_flush (w, 0, &error);
  g_assert_no_error (error);
  double ns = (double) (g_get_monotonic_time () - begun) * 1000 / N;
  states_writer_free (w);
  static const char *const endings[] = { ".index", ".records", ".sums" };
  for (int i = 0; i < 3; i++) {
    g_autofree char *path = g_strconcat (base, endings[i], NULL);
    GStatBuf st;
    g_assert_cmpint (g_stat (path, &st), ==, 0);
    bytes += (uint64_t) st.st_size;
    g_test_message ("%s %.2f bytes a change", endings[i], (double) st.st_size / N);
  }
  g_test_message ("%.1f ns a change", ns);
  g_assert_cmpfloat ((double) bytes / N, <, 6.5);
}

/* ---- copies ---------------------------------------------------------------------------------------------- */

static void
write_states (const char *base, int n, uint32_t state)
{
  g_autoptr (GError) error = NULL;
  StatesWriter *w = states_writer_new (base, &error);

  for (int i = 1; i <= n; i++)
    states_writer_push (w, 0, i, i % 2 ? state : 0);
  g_assert_true (states_writer_flush (w, INT64_MAX, &error));
  states_writer_free (w);
}

/* A film is borrowed over one that a window shows: the window has all of one or all of the other. */
static void
test_copied_over (void)
{
  g_autofree char *below = base_name ("copies"), *theirs = base_name ("c.states"),
                  *own = g_build_filename (below, "c.states", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = NULL;
  guint n_files = 0;
  HistoryIn in;

  g_assert_cmpint (g_mkdir (below, 0700), ==, 0);
  write_states (theirs, 3000, 1);
  write_states (own, 100000, 2);
  g_assert_true (history_in_open (&in, own, HISTORY_ANY, &error));
  g_assert_true (layer_copy (theirs, below));
  for (guint i = 0; i < in.entries->len; i++) {
    HistoryEntry *e = &g_array_index (in.entries, HistoryEntry, i);
    if (e->level != HISTORY_REACH)
      g_assert_nonnull (history_in_data (&in, e));
  }
  g_assert_false (history_in_refresh (&in));
  g_assert_null (history_in_problem (&in));
  uint32_t bytes = 0;
  for (guint i = 0; i < in.entries->len; i++) {
    HistoryEntry *e = &g_array_index (in.entries, HistoryEntry, i);
    if (e->level != HISTORY_REACH)
      g_assert_nonnull (history_in_data (&in, e));
    bytes += e->level == 0 ? e->bytes : 0;
  }
  g_assert_cmpuint (bytes, ==, 3000 * 4);
  history_in_close (&in);
  dir = g_dir_open (below, 0, NULL);
  for (const char *name; (name = g_dir_read_name (dir)) != NULL; n_files++) {
    g_autofree char *path = g_build_filename (below, name, NULL);
    g_remove (path);
  }
  g_assert_cmpuint (n_files, ==, 3); /* and nothing half made */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("scope-history-XXXXXX", NULL);
  for (int i = 1; i <= 6; i++) {
    g_autofree char *name = g_strdup_printf ("/history/states/%d", i);
    g_test_add_data_func (name, GINT_TO_POINTER (i), test_states);
  }
  g_test_add_func ("/history/exact", test_exact);
  g_test_add_func ("/history/damage", test_damage);
  g_test_add_func ("/history/damage-goes-on", test_damage_goes_on);
  g_test_add_func ("/history/messages", test_messages);
  g_test_add_func ("/history/damaged-messages", test_damaged_messages);
  g_test_add_func ("/history/damaged-names", test_damaged_names);
  g_test_add_func ("/history/traffic", test_traffic);
  g_test_add_func ("/history/copied-over", test_copied_over);
  g_test_add_func ("/history/cost", test_cost);
  int status = g_test_run ();
  remove_all (folder);
  return status;
}
