/* SPDX-License-Identifier: Apache-2.0 */
/* order-test.c - order of events, reading both ways with turns anywhere, places saved and found again, dates sought:
 * all against the events of one straight pass. */
#include "eve/eve-host.h"
#include "hand.h"

typedef struct Trace {
  Hand *hand;
  TraceSource *s;
  GArray *all;
} Trace;

static Trace
synth (uint32_t tasks, uint64_t records, uint64_t seed)
{
  Trace t = { .hand = hand_new () };
  TraceSynth what = { .tasks = tasks, .records = records, .seed = seed };
  g_autoptr (GError) error = NULL;

  tape_synth (t.hand->folder, &what, &error);
  g_assert_no_error (error);
  t.s = hand_open (t.hand);
  t.all = hand_read (t.s);
  g_assert_cmpuint (t.all->len, ==, records);
  return t;
}

static void
clear (Trace *t)
{
  trace_close (t->s);
  g_array_unref (t->all);
  hand_free (t->hand);
}

static const TraceEvent *
at (const Trace *t, uint64_t i)
{
  return &g_array_index (t->all, TraceEvent, i);
}

/* By date, at one date by task, in a task by place; as many as were counted; each one dated as its record says. */
static void
test_order (void)
{
  static const uint32_t tasks[] = { 1, 2, 3, 7, 64, 300 };

  for (guint k = 0; k < G_N_ELEMENTS (tasks); k++) {
    Trace t = synth (tasks[k], 12000, k);
    g_assert_cmpuint (t.s->n_events, ==, 12000);
    g_assert_cmpuint (t.s->n_damaged, ==, 0);
    g_assert_cmpint (t.s->first, ==, at (&t, 0)->date);
    g_assert_cmpint (t.s->last, ==, at (&t, 11999)->date);
    for (uint64_t i = 0; i < t.all->len; i++) {
      const TraceEvent *e = at (&t, i), *before = i > 0 ? at (&t, i - 1) : NULL;
      g_assert_cmpuint (e->number, ==, i);
      g_assert_cmpuint (e->source, ==, t.s->number);
      if (before == NULL)
        continue;
      g_assert_cmpint (before->date, <=, e->date);
      if (before->date == e->date)
        g_assert_true (before->task < e->task || (before->task == e->task && before->record < e->record));
    }
    clear (&t);
  }
}

static void
test_backward (void)
{
  for (uint32_t tasks = 1; tasks <= 81; tasks += 20) {
    Trace t = synth (tasks, 9000, tasks);
    g_autoptr (GArray) back = hand_read_back (t.s);
    g_assert_cmpuint (back->len, ==, t.all->len);
    for (guint i = 0; i < back->len; i++)
      g_assert_true (hand_same (&g_array_index (back, TraceEvent, i), at (&t, back->len - 1 - i)));
    g_autoptr (GArray) again = hand_read (t.s);
    for (guint i = 0; i < again->len; i++)
      g_assert_true (hand_same (&g_array_index (again, TraceEvent, i), at (&t, i)));
    g_assert_cmpuint (again->len, ==, t.all->len);
    clear (&t);
  }
}

/* The number of events dated < date. */
static uint64_t
before (const Trace *t, int64_t date)
{
  uint64_t i = 0;

  while (i < t->all->len && at (t, i)->date < date)
    i++;
  return i;
}

static GBytes *
place (TraceSource *s)
{
  return trace_place (s);
}

/* Any walk: forward, backward, a look ahead, a jump to a date, a place kept and gone back to. */
static void
test_walk (void)
{
  for (uint32_t seed = 1; seed <= (g_test_quick () ? 12u : 200u); seed++) {
    g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
    Trace t = synth (1 + seed % 9, 3000 + 500 * (seed % 7), seed);
    g_autoptr (GBytes) kept = NULL;
    uint64_t now = 0, kept_at = 0, n = t.all->len;
    TraceEvent some[300];
    const TraceEvent *ahead;
    t.s->format->rewind (t.s);
    for (int step = 0; step < 400; step++) {
      size_t max = (size_t) g_rand_int_range (rand, 1, 300), got, data_n;
      const void *data;
      switch (g_rand_int_range (rand, 0, 7)) {
      case 0:
      case 1:
        got = t.s->format->next (t.s, some, max, NULL);
        g_assert_cmpuint (got, <=, MIN (max, n - now));
        g_assert_true ((got > 0) == (now < n));
        for (size_t i = 0; i < got; i++)
          g_assert_true (hand_same (&some[i], at (&t, now + i)));
        now += got;
        break;
      case 2:
      case 3:
        got = t.s->format->previous (t.s, some, max, NULL);
        g_assert_cmpuint (got, ==, MIN (max, now));
        for (size_t i = 0; i < got; i++)
          g_assert_true (hand_same (&some[i], at (&t, now - 1 - i)));
        now -= got;
        break;
      case 4:
        got = t.s->format->peek (t.s, &ahead, NULL);
        g_assert_true ((got > 0) == (now < n));
        for (size_t i = 0; i < got; i++)
          g_assert_true (hand_same (&ahead[i], at (&t, now + i)));
        break;
      case 5: {
        int64_t date = at (&t, (uint64_t) g_rand_int_range (rand, 0, (int) n))->date + g_rand_int_range (rand, -1, 2);
        g_assert_true (t.s->format->seek (t.s, date, NULL));
        now = before (&t, date);
        break;
      }
      default:
        if (kept != NULL && g_rand_boolean (rand)) {
          data = g_bytes_get_data (kept, &data_n);
          g_assert_true (trace_go_to_place (t.s, data, data_n));
          now = kept_at;
        }
        g_clear_pointer (&kept, g_bytes_unref);
        kept = place (t.s);
        kept_at = now;
      }
    }
    clear (&t);
  }
}

/* What is saved depends on the place alone, not on the way to it; a look ahead does not change it. */
static void
test_place_is_the_same (void)
{
  Trace t = synth (5, 4000, 3), u = { .hand = t.hand, .s = hand_open (t.hand), .all = t.all };
  TraceEvent some[512];
  const TraceEvent *ahead;

  t.s->format->rewind (t.s);
  for (int i = 0; i < 30; i++) {
    uint64_t now = (uint64_t) i * 100;
    for (uint64_t left = 100; left > 0;)
      left -= t.s->format->next (t.s, some, left, NULL);
    now += 100;
    g_autoptr (GBytes) one = place (t.s);
    t.s->format->peek (t.s, &ahead, NULL);
    g_autoptr (GBytes) two = place (t.s);
    u.s->format->seek (u.s, INT64_C (1) << 61, NULL);
    for (uint64_t left = 4000 - now; left > 0;)
      left -= u.s->format->previous (u.s, some, MIN (left, 77), NULL);
    g_autoptr (GBytes) three = place (u.s);
    g_assert_true (g_bytes_equal (one, two));
    g_assert_true (g_bytes_equal (one, three));
  }
  trace_close (u.s);
  clear (&t);
}

/* Run states are refused, or are places of this trace. */
static void
test_hostile_places (void)
{
  Trace t = synth (4, 3000, 9);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  TraceEvent some[64];
  int taken = 0;
  gsize n;

  t.s->format->rewind (t.s);
  for (int i = 0; i < 20; i++)
    t.s->format->next (t.s, some, 64, NULL);
  g_autoptr (GBytes) kept = place (t.s);
  const uint8_t *data = g_bytes_get_data (kept, &n);
  for (int i = 0; i < 3000; i++) {
    g_autofree uint8_t *bad = g_memdup2 (data, n);
    bad[g_rand_int_range (rand, 0, (int) n)] ^= (uint8_t) (1 << g_rand_int_range (rand, 0, 8));
    if (!trace_go_to_place (t.s, bad, i % 5 == 0 ? (gsize) g_rand_int_range (rand, 0, (int) n) : n)) {
      g_assert_cmpuint (t.s->format->next (t.s, some, 1, NULL), ==, 1); /* refused: it is at the beginning */
      g_assert_true (hand_same (some, at (&t, 0)));
      continue;
    }
    taken++;
    size_t got = t.s->format->next (t.s, some, 64, NULL);
    for (size_t k = 1; k < got; k++)
      g_assert_cmpint (some[k].date, >=, some[k - 1].date);
    g_assert_true (got == 0 || some[0].number <= t.s->n_events);
  }
  g_assert_cmpint (taken, <, 3000);
  clear (&t);
}

/* A place in one trace is none in another: of another size, of another run, with other events. */
static void
test_places_elsewhere (void)
{
  static const uint64_t zeros[8], run = 5;
  TraceSynth what = { .tasks = 4, .records = 3000, .seed = 9 };
  Trace t = synth (4, 3000, 9);
  TraceEvent some[64];

  t.s->format->rewind (t.s);
  for (int i = 0; i < 20; i++)
    t.s->format->next (t.s, some, 64, NULL);
  g_autoptr (GBytes) kept = place (t.s);
  gsize n;
  const uint8_t *data = g_bytes_get_data (kept, &n);
  for (int other = 0; other < 5; other++) {
    g_autoptr (Hand) h = hand_new ();
    what.seed = other == 3 ? 10 : 9;
    what.records = other == 4 ? 2999 : 3000;
    g_assert_true (tape_synth (h->folder, &what, NULL));
    if (other == 1) { /* zeros behind the last block say nothing, but it is another file */
      g_autofree char *events = g_build_filename (h->folder, "events", NULL);
      GStatBuf info;
      g_assert_cmpint (g_stat (events, &info), ==, 0);
      hand_patch (h, "events", (uint64_t) info.st_size, zeros, sizeof zeros);
    }
    if (other == 2) {
      hand_patch (h, "events", offsetof (TapeEventsHeader, run), &run, sizeof run);
      hand_patch (h, "index", offsetof (TapeIndexHeader, run), &run, sizeof run);
    }
    TraceSource *s = hand_open (h);
    g_assert_cmpuint (s->n_damaged, ==, 0);
    g_assert_true (trace_go_to_place (s, data, n) == (other == 0)); /* a copy is the same trace */
    g_assert_cmpuint (s->format->next (s, some, 1, NULL), ==, 1);
    g_assert_true (some->number == (other == 0 ? 1280 : 0));
    trace_close (s);
  }
  clear (&t);
}

/* A trace of the same seed is the same bytes; of every size it has as many events as asked for. */
static void
test_synth (void)
{
  for (uint64_t records = 1; records <= 2000; records += 1 + records / 4) {
    for (uint32_t tasks = 1; tasks <= 40; tasks += 13) {
      Trace t = synth (tasks, records, records);
      g_assert_cmpuint (t.s->n_damaged, ==, 0);
      clear (&t);
    }
  }
  g_autoptr (Hand) a = hand_new (), b = hand_new ();
  TraceSynth what = { .tasks = 6, .records = 5000, .seed = 12 };
  g_assert_true (tape_synth (a->folder, &what, NULL) && tape_synth (b->folder, &what, NULL));
  for (int i = 0; i < 3; i++) {
    const char *name = (const char *[]){ "topology", "index", "events" }[i];
    g_autofree char *pa = g_build_filename (a->folder, name, NULL), *pb = g_build_filename (b->folder, name, NULL);
    g_autofree char *ta = NULL, *tb = NULL;
    gsize na = 0, nb = 0;
    g_assert_true (g_file_get_contents (pa, &ta, &na, NULL) && g_file_get_contents (pb, &tb, &nb, NULL));
    g_assert_cmpmem (ta, na, tb, nb);
  }
}

/* The whole is read with a fixed amount of memory: a block a task. */
static void
test_seek_reads_little (void)
{
  Trace t = synth (8, 60000, 1);
  TapeReader *r = (TapeReader *) t.s;
  int64_t middle = t.s->first + (t.s->last - t.s->first) / 2;
  TraceEvent e;

  g_assert_cmpuint (r->blocks->len, >, 24);
  trace_close (t.s);
  t.s = hand_open (t.hand);
  r = (TapeReader *) t.s;
  g_assert_true (t.s->format->seek (t.s, middle, NULL));
  g_assert_cmpuint (t.s->format->next (t.s, &e, 1, NULL), ==, 1);
  g_assert_cmpuint (e.number, ==, before (&t, middle));
  for (uint32_t i = 0; i < 8; i++) {
    const TapeBlockRef *ref = &g_array_index (r->blocks, TapeBlockRef,
                                              r->tasks[i].first_block + r->tasks[i].loaded - 1);
    g_assert_cmpint (ref->last, >=, middle);
    g_assert_cmpint (ref->first, <=, middle + (t.s->last - t.s->first) / 4);
  }
  clear (&t);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tape/order/order", test_order);
  g_test_add_func ("/tape/order/backward", test_backward);
  g_test_add_func ("/tape/order/walk", test_walk);
  g_test_add_func ("/tape/order/place-is-the-same", test_place_is_the_same);
  g_test_add_func ("/tape/order/hostile-places", test_hostile_places);
  g_test_add_func ("/tape/order/places-elsewhere", test_places_elsewhere);
  g_test_add_func ("/tape/order/synth", test_synth);
  g_test_add_func ("/tape/order/seek-reads-little", test_seek_reads_little);
  return g_test_run ();
}
