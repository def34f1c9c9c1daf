/* SPDX-License-Identifier: Apache-2.0 */
/* order-test.c - the order of events: ends among beginnings, ties, files that are not in order. */
#include "tests/readers/traces.h"

static void
test_ends (void)
{
  static const struct {
    const char *events, *outline;
  } rows[] = {
    /* An end comes at its date, before the beginnings of the same date. */
    { "131 10 1 10 0 0\n131 15 2 1 0 0\n131 20 3 5 0 0\n",
      "InitSend(t1)@10 InitSend(t2)@15 EndInitSend(t2)@16 EndInitSend(t1)@20 InitSend(t3)@20 "
      "EndInitSend(t3)@25" },
    /* A call without duration: never before its own beginning. */
    { "131 10 1 0 0 0\n131 10 2 0 0 0\n", "InitSend(t1)@10 EndInitSend(t1)@10 InitSend(t2)@10 EndInitSend(t2)@10" },
    /* Ends of one date: in the order of the file. */
    { "131 10 3 20 0 0\n131 12 1 18 0 0\n131 15 2 15 0 0\n131 30 4 0 0 0\n",
      "InitSend(t3)@10 InitSend(t1)@12 InitSend(t2)@15 EndInitSend(t3)@30 EndInitSend(t1)@30 "
      "EndInitSend(t2)@30 "
      "InitSend(t4)@30 EndInitSend(t4)@30" },
    /* What never ended, and what has no end. */
    { "131 10 1 -1 0 0\n2 11 1 0 0 0\n131 12 2 3 0 0\n",
      "InitSend(t1)@10 Exit(t1)@11 InitSend(t2)@12 EndInitSend(t2)@15" },
    /* The same line twice is two calls. */
    { "131 10 1 5 0 0\n131 10 1 5 0 0\n", "InitSend(t1)@10 InitSend(t1)@10 EndInitSend(t1)@15 EndInitSend(t1)@15" },
    { "#TAPE/PVM 1\r\n\n  \n# nothing\n131 10 1 5 0 0\r\n", "InitSend(t1)@10 EndInitSend(t1)@15" },
    /* Not in order: sorted, lines of one date stay as they were. */
    { "131 20 1 1 0 0\n131 10 2 0 0 0\n131 20 3 1 0 0\n131 10 4 -1 0 0\n",
      "InitSend(t2)@10 EndInitSend(t2)@10 InitSend(t4)@10 InitSend(t1)@20 InitSend(t3)@20 EndInitSend(t1)@21 "
      "EndInitSend(t3)@21" },
    { "", "" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    TraceSource *s = traces_of (rows[i].events);
    g_autofree char *outline = traces_outline (s);
    g_assert_cmpstr (outline, ==, rows[i].outline);
    g_assert_cmpuint (s->n_damaged, ==, 0);
    trace_close (s);
  }
}

/* ---- the slow and simple way: a list of lines sorted by insertion, events by a search for the least ---- */

typedef struct Line {
  int64_t date, duration;
  unsigned task;
} Line;

static char *
simple_outline (const Line *lines, unsigned n)
{
  Line *sorted = g_new (Line, n);
  for (unsigned i = 0; i < n; i++) {
    unsigned k = i;
    for (; k > 0 && sorted[k - 1].date > lines[i].date; k--)
      sorted[k] = sorted[k - 1];
    sorted[k] = lines[i];
  }
  GString *to = g_string_new (NULL);
  bool *open = g_new0 (bool, n);
  for (unsigned next = 0;;) {
    int64_t least = INT64_MAX;
    unsigned which = n;
    for (unsigned i = 0; i < next; i++)
      if (open[i] && sorted[i].date + sorted[i].duration < least) {
        least = sorted[i].date + sorted[i].duration;
        which = i;
      }
    bool end = which < n && (next == n || least <= sorted[next].date);
    if (!end && next == n)
      break;
    unsigned i = end ? which : next++;
    g_string_append_printf (to, "%s%sInitSend(t%x)@%" G_GINT64_FORMAT, to->len ? " " : "", end ? "End" : "",
                            sorted[i].task, end ? least : sorted[i].date);
    open[i] = !end && sorted[i].duration >= 0;
  }
  g_free (open);
  g_free (sorted);
  return g_string_free (to, FALSE);
}

static void
test_against_simple (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  for (unsigned round = 0; round < 60; round++) {
    unsigned n = (unsigned) g_rand_int_range (random, 1, 1500);
    bool shuffled = round % 2;
    Line *lines = g_new (Line, n);
    GString *text = g_string_new (NULL);
    int64_t date = 0;
    for (unsigned i = 0; i < n; i++) {
      date = shuffled ? g_rand_int_range (random, 0, 300) : date + g_rand_int_range (random, 0, 3);
      lines[i] = (Line){ date, g_rand_int_range (random, -1, round % 3 ? 4 : 400), i };
      g_string_append_printf (text, "131 %" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT " 0 0\n", lines[i].date, i,
                              lines[i].duration);
    }
    g_autofree char *bundle = traces_make (text->str, -1, NULL, NULL), *expected = simple_outline (lines, n);
    const TraceOptions tiny = { .memory_bytes = 8192 }; /* many runs, several passes */
    TraceSource *s = traces_open (bundle, round % 4 < 2 ? &tiny : NULL);
    g_autofree char *outline = traces_outline (s);
    g_assert_cmpstr (outline, ==, expected);
    trace_close (s);
    g_string_free (text, TRUE);
    g_free (lines);
  }
}

/* The same events whether the file was in order or not, with records that can be read again, whatever the
 * memory. */
static void
test_external_sort (void)
{
  enum { n = 60000 };
  char **lines = g_new0 (char *, n + 1);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  for (int i = 0; i < n; i++) /* no two of one date, so that their order is clear */
    lines[i] = g_strdup_printf ("60 %d %d %d 0 %d %d %d 0", 10 * i, 262144 + i % 50, i % 700, 262144 + (i + 1) % 50,
                                i % 9, i);
  g_autofree char *ordered = g_strjoinv ("\n", lines), *ordered_text = g_strconcat (ordered, "\n", NULL);
  for (int i = n - 1; i > 0; i--) {
    int k = g_rand_int_range (random, 0, i + 1);
    char *t = lines[i];
    lines[i] = lines[k];
    lines[k] = t;
  }
  g_autofree char *mixed = g_strjoinv ("\n", lines), *mixed_text = g_strconcat (mixed, "\n", NULL);
  g_strfreev (lines);
  g_autofree char *a = traces_make (ordered_text, -1, NULL, NULL), *b = traces_make (mixed_text, -1, NULL, NULL);
  static const size_t memories[] = { 1, 40000, 300000, 0 };
  TraceSource *s = traces_open (a, NULL);
  g_autoptr (GArray) expected = traces_read (s);
  g_assert_cmpuint (expected->len, ==, 2 * n);
  g_assert_true (s->abilities & TRACE_SORTED);
  for (unsigned m = 0; m < G_N_ELEMENTS (memories); m++) {
    const TraceOptions options = { .memory_bytes = memories[m] };
    TraceSource *t = traces_open (b, &options);
    g_autoptr (GArray) got = traces_read (t);
    g_assert_false (t->abilities & TRACE_SORTED);
    g_assert_cmpuint (got->len, ==, expected->len);
    g_assert_cmpint (t->first, ==, s->first);
    g_assert_cmpint (t->last, ==, s->last);
    g_assert_cmpuint (t->n_events, ==, s->n_events);
    for (guint i = 0; i < got->len; i++) {
      TraceEvent *x = &g_array_index (got, TraceEvent, i), *y = &g_array_index (expected, TraceEvent, i);
      if (i % 1000 == 0) {
        g_autofree char *one = trace_sentence (x), *two = trace_sentence (y);
        g_assert_cmpstr (one, ==, two);
      }
      TraceEvent z = *x;
      z.record = y->record;
      z.source = y->source;
      g_assert_cmpmem (&z, sizeof z, y, sizeof *y);
    }
    trace_close (t);
  }
  trace_close (s);
}

static void
expect_same_events (const GArray *got, guint from, const GArray *expected)
{
  g_assert_cmpuint (from + got->len, ==, expected->len);
  for (guint i = 0; i < got->len; i++) {
    const TraceEvent *x = &g_array_index (got, TraceEvent, i), *y = &g_array_index (expected, TraceEvent, from + i);
    TraceEvent z = *x;
    z.record = y->record;
    z.source = y->source;
    if (memcmp (&z, y, sizeof z) != 0) /* an event has no padding */
      g_error ("event %u: %s(%u)@%" G_GINT64_FORMAT " where %s(%u)@%" G_GINT64_FORMAT " should be", from + i,
               trace_event_name (x), x->task, x->date, trace_event_name (y), y->task, y->date);
  }
}

/* Many lines at once, or one by one (as a file is read that had to be sorted): the same events, also from any place on.
 */
static void
test_batches (void)
{
  static const struct {
    int tasks, step, longest, rare; /* rare: of so many lines one is something special */
  } rows[] = {
    { 3, 10, 25, 50 },
    { 64, 100, 5000, 20 },
    { 64, 2, 40, 1000 },
    { 64, 1, 3, 7 },
    { 2000, 50, 300000, 30 },
    { 9000, 10, 200000, 400 }, /* more calls under way than a batch takes */
    { 64, 2000000000, 2000000000, 100 },
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (19);
  for (unsigned k = 0; k < G_N_ELEMENTS (rows); k++) {
    GString *text = g_string_new (NULL);
    const char *first = "131 0 7 1 0 0\n";
    int64_t date = 1;
    for (unsigned i = 0; i < 30000; i++) {
      int task = 100 + g_rand_int_range (random, 0, rows[k].tasks),
          peer = 100 + g_rand_int_range (random, 0, rows[k].tasks);
      int64_t duration = g_rand_int_range (random, 0, 12) ? g_rand_int_range (random, 0, rows[k].longest) : 0;
      date += g_rand_int_range (random, 0, rows[k].step);
      switch (g_rand_int_range (random, 0, rows[k].rare)) {
      case 0:
        g_string_append_printf (text, "70 %" G_GINT64_FORMAT " %d %" G_GINT64_FORMAT " 3 2 %d 101 -1 5 0\n", date, task,
                                duration, peer);
        break;
      case 1:
        g_string_append_printf (text, "52 %" G_GINT64_FORMAT " %d %" G_GINT64_FORMAT " 3 row%d 8 0\n", date, task,
                                duration, peer % 9);
        break;
      case 2:
        g_string_append_printf (text, "200 %" G_GINT64_FORMAT " %d 0 3 iteration %u\n\n# nothing\n", date, task, i);
        break;
      case 3:
        g_string_append_printf (text, "62 %" G_GINT64_FORMAT " %d -1 3 -1 -1 -1 -1 0 0\n", date, task);
        break;
      case 4:
        g_string_append_printf (text, "62 %" G_GINT64_FORMAT " %d 3 3\n", date, task); /* damaged */
        break;
      case 5:
        g_string_append_printf (text, "60  %" G_GINT64_FORMAT " %d %" G_GINT64_FORMAT " 3 %d 5 6 0\r\n", date, task,
                                duration, peer);
        break;
      default:
        g_string_append_printf (text, "60 %" G_GINT64_FORMAT " %d %" G_GINT64_FORMAT " 3 %d %u 4096 0\n", date, task,
                                duration, peer, i % 50);
      }
    }
    g_autofree char *in_order = g_strconcat (first, text->str, NULL), *not_so = g_strconcat (text->str, first, NULL),
                    *a = traces_make (in_order, -1, NULL, NULL), *b = traces_make (not_so, -1, NULL, NULL);
    g_string_free (text, TRUE);
    TraceSource *s = traces_open (a, NULL), *t = traces_open (b, NULL);
    g_assert_true (s->abilities & TRACE_SORTED);
    g_assert_false (t->abilities & TRACE_SORTED);
    g_autoptr (GArray) expected = traces_read (t), got = traces_read (s);
    expect_same_events (got, 0, expected);
    g_assert_cmpuint (s->n_damaged, ==, t->n_damaged);
    g_assert_cmpuint (s->tasks->len, ==, t->tasks->len);
    for (guint i = 0; i < s->tasks->len; i++)
      g_assert_cmpstr (trace_task_id (s, i), ==, trace_task_id (t, i));
    for (unsigned round = 0; round < 6; round++) {
      guint stop = (guint) g_rand_int_range (random, 1, (gint32) expected->len);
      g_autofree TraceEvent *events = g_new (TraceEvent, stop);
      s->format->rewind (s);
      for (guint n = 0; n < stop;)
        n += (guint) s->format->next (s, events, stop - n, NULL);
      EveBlob *place = traces_save (s);
      g_assert_true (traces_load (s, place));
      g_autoptr (GArray) rest = traces_read (s);
      expect_same_events (rest, stop, expected);
      g_assert_cmpuint (s->n_damaged, ==, t->n_damaged);
      eve_blob_free (place);
    }
    trace_close (s);
    trace_close (t);
  }
}

/* Damage is told with the lines of the file that the person has. */
static void
test_sorted_damage (void)
{
  TraceSource *s = traces_of (
      "131 20 1 1 0 0\n# a remark\nbad\n131 10 2 0 0 0\n131 15 2 0 0\n131 10 2 0 0 0 7\n131 5 3");
  g_autofree char *outline = traces_outline (s);
  g_assert_cmpstr (outline, ==, "InitSend(t2)@10 EndInitSend(t2)@10 InitSend(t1)@20 EndInitSend(t1)@21");
  static const struct {
    unsigned line, column;
  } expected[] = { { 5, 13 }, { 6, 16 }, { 7, 8 }, { 3, 1 } };
  g_assert_cmpuint (s->n_damaged, ==, 4);
  for (unsigned i = 0; i < 4; i++) {
    bool found = false;
    for (guint k = 0; k < s->damage->len; k++) {
      const TraceDamage *d = s->damage->pdata[k];
      found |= d->line == expected[i].line && d->column == expected[i].column;
    }
    g_test_message ("line %u", expected[i].line);
    g_assert_true (found);
  }
  trace_close (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/order/ends", test_ends);
  g_test_add_func ("/order/against-simple", test_against_simple);
  g_test_add_func ("/order/external-sort", test_external_sort);
  g_test_add_func ("/order/batches", test_batches);
  g_test_add_func ("/order/sorted-damage", test_sorted_damage);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
