/* SPDX-License-Identifier: Apache-2.0 */
/* lines-test.c - what tp_scan_lines() takes is what tp_scan() says of the same line, and it takes what is ordinary. */
#include "tests/readers/traces.h"
#include "readers/tapepvm/scan.h"

static void
expect_same (const TpTable *t, const char *line, const TraceEvent *e, uint64_t at)
{
  TpRecord r;
  TpFault fault;
  tp_record_init (&r);
  if (!tp_scan (t, (const uint8_t *) line, strlen (line), &r, &fault))
    g_error ("“%s” was taken, though %s", line, fault.reason);
  const TpKind *d = &t->details[r.kind];
  g_assert_true (d->quick);
  g_assert_cmpuint (e->kind, ==, r.kind);
  g_assert_cmpint (e->date, ==, r.date);
  g_assert_cmpint (e->duration, ==, MAX (r.duration, 0));
  g_assert_cmpuint (e->record, ==, at);
  g_assert_cmpint (e->size, ==, r.v[d->size_at]);
  g_assert_cmpint (e->tag, ==, r.v[d->tag_at]);
  g_assert_cmpint (e->result, ==, r.v[d->result_at]);
  g_assert_cmpint (e->task, ==, r.v[t->at[TP_TASK]]);
  int64_t peer = r.v[d->peer_at], other = r.v[d->task_at[0]];
  g_assert_cmpuint (e->peer, ==, peer < 0 || peer > TP_MAX_ID ? TRACE_NONE : peer);
  g_assert_cmpuint (e->object, ==, other < 0 || other > TP_MAX_ID ? TRACE_NONE : other);
  g_assert_cmpuint (e->flags, ==, d->instant ? TRACE_INSTANT : r.duration < 0 ? TRACE_UNFINISHED : 0);
}

/* Looks at each line by itself, and at the whole; gives how many lines were taken. */
static unsigned
compare_by (const TpTable *t, const char *text,
            uint32_t (*scan) (const TpTable *, const uint8_t *, size_t, uint64_t, TpRecord *, TraceEvent *, uint32_t,
                              size_t *))
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  size_t n = strlen (text);
  g_autofree uint8_t *copy = g_malloc0 (n + 2 * TP_SLACK);
  g_autofree TraceEvent *events = g_new (TraceEvent, n + 1);
  unsigned taken = 0;
  TpRecord r;
  tp_record_init (&r);
  memcpy (copy + TP_SLACK, text, n);
  size_t at = 0, used;
  for (unsigned i = 0; at < n; i++) {
    size_t length = strlen (lines[i]) + 1;
    uint32_t k = scan (t, copy + TP_SLACK + at, n - at, at, &r, events, (uint32_t) n + 1, &used);
    uint64_t place = at;
    for (uint32_t j = 0; j < k; j++) {
      expect_same (t, lines[i + j], &events[j], place);
      place += strlen (lines[i + j]) + 1;
    }
    g_assert_cmpuint (used, ==, place - at);
    taken += k > 0;
    at += length;
  }
  return taken;
}

static unsigned
compare (const TpTable *t, const char *text)
{
  unsigned taken = compare_by (t, text, tp_scan_lines);
  g_assert_cmpuint (compare_by (t, text, tp_scan_lines_four), ==, taken);
  g_assert_cmpuint (compare_by (t, text, tp_scan_lines_plain), ==, taken);
  return taken;
}

/* The dates of whatever is taken, and all is taken that tp_scan_lines() takes. */
static void
compare_dates (const TpTable *t, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line && **line; line++) {
    size_t n = strlen (*line) + 1, used, used_lines;
    g_autofree uint8_t *copy = g_malloc0 (n + 2 * TP_SLACK);
    TpRecord r, scratch;
    TpDates dates;
    TraceEvent e;
    TpFault fault;
    memcpy (copy + TP_SLACK, *line, n - 1);
    copy[TP_SLACK + n - 1] = '\n';
    tp_record_init (&r);
    tp_record_init (&scratch);
    uint32_t k = tp_scan_dates (t, copy + TP_SLACK, n, &scratch, &dates, 1, &used);
    g_assert_cmpuint (used, ==, k ? n : 0);
    if (k) {
      g_assert_true (tp_scan (t, (const uint8_t *) *line, n - 1, &r, &fault));
      g_assert_cmpint (dates.begin, ==, r.date);
      g_assert_cmpint (dates.end, ==, r.duration < 0 || t->details[r.kind].instant ? -1 : r.date + r.duration);
    } else if (tp_scan_lines_plain (t, copy + TP_SLACK, n, 0, &scratch, &e, 1, &used_lines)) {
      g_error ("“%s” was not taken", *line);
    }
  }
}

static void
test_ordinary (void)
{
  TpTable *t = tp_table_builtin ();
  g_assert_cmpuint (compare (t, "60 1250000000 262146 310000 7 262147 12 4096 0\n"), ==, 1);
  g_assert_cmpuint (compare (t, "60 1 2 -1 0 -1 -1 0 -5\n62 12345678 1 2 3 -1 -1 4 5 6 7\n"), ==, 2);
  g_assert_cmpuint (compare (t, "201 7 1 8 0 compute 99999\n200 7 1 0 0 iteration-17 -3\n"), ==, 2);
  g_assert_cmpuint (compare (t, "60 1234567890123456 1 2 3 4 5 6 7\n60 12345678901234567 1 2 3 4 5 6 7\n"), >=, 1);
  /* Longer than 64 bytes, and with more than a dozen words. */
  g_assert_cmpuint (compare (t, "63 1250000000000 262146 31000000 7 262147 12345 1234 1234567 262147 12 4096 99999\n"),
                    ==, 1);
  /* None of these are. */
  g_assert_cmpuint (
      compare (t, "\n#60\n 60 1 2 3 4 5 6 7 8\n60 1 2 3 4 5 6 7 8 \n60  1 2 3 4 5 6 7 8\n60\t1 2 3 4 5 6 7 8\n"), ==,
      0);
  g_assert_cmpuint (compare (t, "60 1 2 3 4 5 6 7\n60 1 2 3 4 5 6 7 8 9\n60 1 2 3 4 5 6 7 8\r\n999 1 2 3 4\n"), ==, 0);
  g_assert_cmpuint (compare (t, "60 -1 2 3 4 5 6 7 8\n60 1 -2 3 4 5 6 7 8\n60 1 2 -3 4 5 6 7 8\n60 1 2 3 4 5 6 -7 8\n"),
                    ==, 0);
  g_assert_cmpuint (compare (t, "60 1 2 3 4 5 6 7 8-\n60 1 2 3 4 - 6 7 8\n60 1 2 3 4 5 6 7 x\n60 1 2 3 4 5 6 7 8x\n"),
                    ==, 0);
  g_assert_cmpuint (compare (t, "201 7 1 8 0 %41 1\n201 7 1 8 0 a%b 1\n201 7 1 8 0 \x7f 1\n201 7 1 8 0 \xc3\xa9 1\n"),
                    ==, 0);
  g_assert_cmpuint (compare (t, "52 7 1 8 0 row 8 0\n70 7 1 8 0 2 5 6 1 2 3\n"), ==, 0);
  tp_table_free (t);
}

static void
add_word (GString *s, GRand *random)
{
  static const char *const odd[] = {
    "-", "--1", "+1", "1-", "x", "row3", "%20", "1x", "\t", "", "-0", "00", "9999999999999999999"
  };
  int what = g_rand_int_range (random, 0, 24);
  if (what == 0) {
    g_string_append (s, odd[g_rand_int_range (random, 0, G_N_ELEMENTS (odd))]);
  } else {
    if (what < 3)
      g_string_append_c (s, '-');
    for (int n = what < 20 ? g_rand_int_range (random, 1, 7) : g_rand_int_range (random, 1, 20); n > 0; n--)
      g_string_append_c (s, (char) ('0' + g_rand_int_range (random, 0, 10)));
  }
}

/* Lines of every kind of several tables, a few words of which are wrong. */
static void
test_random (void)
{
  static const char *const tables[] = {
    NULL,
    "header date task type site duration\nkind 1 A \"x\" \"a=int b=peer c=task d=size\"\nkind 7 B \"x\" \"w=word "
    "n=int\"\n",
    "clock 1000000000\nheader skip type date_s date_us task duration\nkind 2 C \"x\" \"a=int b=tag c=result\"\n",
    "header type date task duration\nkind 3 D \"x instant\" \"a=int b=int c=int d=int e=int f=int g=int h=int "
    "i=peer\"\n",
  };
  GRand *random = g_rand_new_with_seed (11);
  unsigned taken = 0, taken_four = 0, taken_plain = 0, all = 0;
  for (unsigned k = 0; k < G_N_ELEMENTS (tables); k++) {
    g_autoptr (GError) error = NULL;
    TpTable *t = tables[k] ? tp_table_parse (tables[k], strlen (tables[k]), "kinds", &error) : tp_table_builtin ();
    g_assert_no_error (error);
    for (int i = 0; i < 400; i++) {
      GString *s = g_string_new (NULL);
      for (int line = 0; line < 50; line++, all++) {
        const TpKind *d = &t->details[g_rand_int_range (random, 0, (gint32) t->n_kinds)];
        int n = d->n_words + (g_rand_int_range (random, 0, 20) ? 0 : g_rand_int_range (random, -1, 2));
        for (int w = 0; w < n; w++) {
          if (w)
            g_string_append (s, g_rand_int_range (random, 0, 100) ? " " : "  ");
          if (w == t->at[TP_TYPE] && g_rand_int_range (random, 0, 30))
            g_string_append_printf (s, "%u", d->number);
          else if (d->text >> w & 1 && g_rand_int_range (random, 0, 10))
            g_string_append (s, "word");
          else
            add_word (s, random);
        }
        g_string_append_c (s, '\n');
      }
      taken += compare_by (t, s->str, tp_scan_lines);
      compare_dates (t, s->str);
      taken_four += compare_by (t, s->str, tp_scan_lines_four);
      taken_plain += compare_by (t, s->str, tp_scan_lines_plain);
      g_string_free (s, TRUE);
    }
    tp_table_free (t);
  }
  g_test_message ("%u, or %u, of %u lines were taken", taken, taken_plain, all);
  g_assert_cmpuint (MIN (taken, taken_plain), >, all / 20);
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lines/ordinary", test_ordinary);
  g_test_add_func ("/lines/random", test_random);
  return g_test_run ();
}
