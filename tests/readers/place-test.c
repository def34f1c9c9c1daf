/* SPDX-License-Identifier: Apache-2.0 */
/* place-test.c - save and load: the same events, damage and bytes as reading straight on, in the same source
 * and in a fresh one, wherever the other thread happens to be. */
#include "tests/readers/traces.h"

/* A trace with everything in it: groups, enrolments, damage, calls of all lengths, more than one block. */
static char *
make_text (guint32 seed, unsigned n, bool shuffled)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  GString *text = g_string_new (NULL);
  int64_t date = 0;
  for (unsigned i = 0; i < n; i++) {
    unsigned task = 262144 + i / 200 + (unsigned) g_rand_int_range (random, 0, 40);
    int duration = g_rand_int_range (random, 0, 10) ? g_rand_int_range (random, -1, 40)
                                                    : g_rand_int_range (random, 0, 100000);
    date = shuffled ? g_rand_int_range (random, 0, 100000) : date + g_rand_int_range (random, 0, 4);
    switch (g_rand_int_range (random, 0, 7)) {
    case 0:
      g_string_append_printf (text, "1 %" G_GINT64_FORMAT " %u 0 0 host%u LINUX64 %u -1 prog%u\n", date, task, task % 5,
                              i, task % 3);
      break;
    case 1:
      g_string_append_printf (text, "52 %" G_GINT64_FORMAT " %u %d 0 group%u 4 0\n", date, task, duration, task % 20);
      break;
    case 2:
      g_string_append_printf (text, "70 %" G_GINT64_FORMAT " %u %d 0 2 %u %u 5 6 0\n", date, task, duration, task + 1,
                              task + 50);
      break;
    case 3:
      g_string_append_printf (text, "60 %" G_GINT64_FORMAT " %u %d 0 %u 5\n", date, task, duration, task + 1);
      break;
    default:
      g_string_append_printf (text, "60 %" G_GINT64_FORMAT " %u %d 0 %u 5 %u 0\n", date, task, duration, task + 1, i);
    }
  }
  return g_string_free (text, FALSE);
}

static void
same_state (TraceSource *s, TraceSource *t)
{
  g_autofree char *dummy = NULL;
  EveBlob *a = traces_save (s), *b = traces_save (t);
  g_assert_cmpuint (eve_blob_hash (a), ==, eve_blob_hash (b));
  g_assert_cmpuint (s->n_damaged, ==, t->n_damaged);
  g_assert_cmpuint (s->damage->len, ==, t->damage->len);
  for (guint i = 0; i < s->damage->len; i++)
    g_assert_cmpstr (((TraceDamage *) s->damage->pdata[i])->reason, ==, ((TraceDamage *) t->damage->pdata[i])->reason);
  eve_blob_free (a);
  eve_blob_free (b);
}

static void
read_to (TraceSource *s, uint64_t *at, uint64_t to, const GArray *all, unsigned batch)
{
  TraceEvent some[700];
  while (*at < to) {
    size_t n = s->format->next (s, some, MIN (MIN (batch, to - *at), G_N_ELEMENTS (some)), NULL);
    g_assert_cmpuint (n, >, 0);
    for (size_t i = 0; i < n; i++) {
      TraceEvent expected = g_array_index (all, TraceEvent, *at + i);
      expected.source = s->number;
      g_assert_cmpmem (&some[i], sizeof expected, &expected, sizeof expected);
    }
    *at += n;
  }
}

static void
try_places (bool shuffled)
{
  g_autofree char *text = make_text (shuffled + 11, 12000, shuffled), *bundle = traces_make (text, -1, NULL, NULL);
  TraceSource *a = traces_open (bundle, NULL), *b = traces_open (bundle, NULL);
  g_autoptr (GArray) all = traces_read (a);
  g_autoptr (GRand) random = g_rand_new_with_seed (9);
  g_assert_cmpuint (all->len, >, 4 * TP_BLOCK);
  g_assert_cmpuint (a->n_damaged, >, 100);
  /* A sanitizer sees a third; the other build compares all. */
  int rounds = g_getenv ("SCOPE_SANITIZED") ? 20 : 60;
  for (int round = 0; round < rounds; round++) {
    /* b reads straight on to a place; a comes there by a detour; c is fresh. */
    uint64_t place = (uint64_t) g_rand_int_range (random, 0, (gint32) all->len + 1), at = 0, at_b = 0;
    if (round < 6)
      place = (uint64_t[]){ 0, 1, TP_BLOCK - 1, TP_BLOCK, TP_BLOCK + 1, all->len }[round];
    b->format->rewind (b);
    read_to (b, &at_b, place, all, 256);
    EveBlob *saved = traces_save (b);
    TraceSource *c = traces_open (bundle, NULL);
    g_assert_true (traces_load (a, saved));
    g_assert_true (traces_load (c, saved));
    same_state (a, b);
    same_state (a, c);
    uint64_t further = place + (uint64_t) g_rand_int_range (random, 0, 9000), on = MIN (further, (uint64_t) all->len);
    uint64_t at_c = at = place;
    read_to (a, &at, on, all, 1 + (unsigned) round);
    read_to (b, &at_b, on, all, 700);
    read_to (c, &at_c, on, all, 33);
    same_state (a, b);
    same_state (a, c);
    for (guint i = 0; i < c->tasks->len; i++) {
      g_assert_cmpstr (trace_task (c, i)->id, ==, trace_task (a, i)->id);
      if (trace_task (c, i)->program)
        g_assert_cmpstr (trace_task (c, i)->program, ==, trace_task (a, i)->program);
    }
    trace_close (c);
    eve_blob_free (saved);
  }
  trace_close (a);
  trace_close (b);
}

static void
test_places (void)
{
  try_places (false);
}

static void
test_places_sorted (void)
{
  try_places (true);
}

static void
test_peek (void)
{
  g_autofree char *text = make_text (4, 5000, false), *bundle = traces_make (text, -1, NULL, NULL);
  TraceSource *s = traces_open (bundle, NULL), *t = traces_open (bundle, NULL);
  g_autoptr (GArray) all = traces_read (t);
  t->format->rewind (t);
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *ahead;
    TraceEvent e, f;
    g_assert_cmpuint (s->format->peek (s, &ahead, NULL), >, 0);
    e = *ahead;
    if (i % 512 == 0)
      same_state (s, t); /* looking changes nothing */
    g_assert_cmpuint (s->format->next (s, &f, 1, NULL), ==, 1);
    g_assert_cmpmem (&e, sizeof e, &f, sizeof f);
    t->format->next (t, &f, 1, NULL);
  }
  const TraceEvent *ahead;
  g_assert_cmpuint (s->format->peek (s, &ahead, NULL), ==, 0);
  trace_close (s);
  trace_close (t);
}

/* A run state of another trace, or one that was cut, is refused, and the source is as new. */
static void
test_refused (void)
{
  g_autofree char *one = make_text (1, 3000, false), *two = make_text (2, 3000, false);
  TraceSource *a = traces_of (one), *b = traces_of (two);
  TraceEvent events[500];
  a->format->next (a, events, 500, NULL);
  EveBlob *saved = traces_save (a);
  g_assert_false (traces_load (b, saved));
  size_t n;
  const uint8_t *bytes = eve_blob_data (saved, &n);
  for (size_t cut = 0; cut < n; cut += 1 + cut / 50) {
    g_autofree uint8_t *exact = g_memdup2 (bytes, cut + 1);
    EveBlobView *view = eve_blob_view_new (exact, cut);
    g_assert_false (a->format->load (a, view));
    g_assert_cmpuint (a->n_damaged, ==, 0);
    eve_blob_view_free (view);
  }
  g_assert_cmpuint (a->format->next (a, events, 1, NULL), ==, 1);
  g_assert_cmpuint (events[0].number, ==, 0);
  eve_blob_free (saved);
  trace_close (a);
  trace_close (b);
}

/* A trace of 9000 records and two; `size`, a digit, of all casts. */
static TraceSource *
trace_with (const char *first, const char *size, const char *behind)
{
  g_autofree char *rest = make_text (3, 9000, false), *same = g_strconcat (" 5 ", size, " 0\n", NULL);
  g_auto (GStrv) casts = g_strsplit (rest, " 5 6 0\n", -1);
  g_autofree char *middle = g_strjoinv (same, casts), *text = g_strconcat (first, middle, behind, NULL);
  return traces_of (text);
}

/* A place in one trace is none in another, whatever they differ in: here they are the same in all else. */
static void
test_elsewhere (void)
{
  static const char here[] = "1 0 262100 0 0 one LINUX64 5 -1 prog\n52 0 262100 0 0 here 4 0\n",
                    last[] = "60 900001 262100 5 0 262144 5 1 0\n";
  static const struct {
    const char *what, *first, *size, *behind;
    bool same, when_read; /* refused only by who knows the tasks, hosts, groups of his own trace by now */
  } others[] = {
    { "a copy", here, "6", last, .same = true },
    { "longer, by a comment", here, "6", "60 900001 262100 5 0 262144 5 1 0\n# more\n" },
    { "another last date", here, "6", "60 900002 262100 5 0 262144 5 1 0\n" },
    { "another first date", "1 1 262100 0 0 one LINUX64 5 -1 prog\n52 1 262100 0 0 here 4 0\n", "6", last },
    { "a record less, of as many bytes", "1 0 262100 0 0 one LINUX64 5 -1 prog\n#2 0 262100 0 0 here 4 0\n", "6",
      last },
    { "another size of the event before the place", here, "7", last },
    { "another task", "1 0 262101 0 0 one LINUX64 5 -1 prog\n52 0 262101 0 0 here 4 0\n", "6", last,
      .when_read = true },
    { "another host", "1 0 262100 0 0 two LINUX64 5 -1 prog\n52 0 262100 0 0 here 4 0\n", "6", last,
      .when_read = true },
    { "another group", "1 0 262100 0 0 one LINUX64 5 -1 prog\n52 0 262100 0 0 Here 4 0\n", "6", last,
      .when_read = true },
  };
  TraceEvent e;

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    for (int fresh = 0; fresh < (others[i].when_read ? 1 : 2); fresh++) {
      TraceSource *a = trace_with (here, "6", last),
                  *b = trace_with (others[i].first, others[i].size, others[i].behind);
      uint64_t given = 0;
      g_test_message ("%s, %s", others[i].what, fresh ? "not read yet" : "read already");
      do /* more than a block of the parser, then to a cast */
        g_assert_cmpuint (a->format->next (a, &e, 1, NULL), ==, 1);
      while (++given < 8000 || e.size != 6);
      for (int k = 0; k < 100 && !fresh; k++)
        g_assert_cmpuint (b->format->next (b, &e, 1, NULL), ==, 1);
      EveBlob *saved = traces_save (a);
      g_assert_true (traces_load (b, saved) == others[i].same);
      g_assert_cmpuint (b->format->next (b, &e, 1, NULL), ==, 1);
      g_assert_cmpuint (e.number, ==, others[i].same ? given : 0);
      eve_blob_free (saved);
      trace_close (a);
      trace_close (b);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/place/straight", test_places);
  g_test_add_func ("/place/sorted", test_places_sorted);
  g_test_add_func ("/place/peek", test_peek);
  g_test_add_func ("/place/refused", test_refused);
  g_test_add_func ("/place/elsewhere", test_elsewhere);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
