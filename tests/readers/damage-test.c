/* SPDX-License-Identifier: Apache-2.0 */
/* damage-test.c - every way in which a file of events can be wrong: where it is told, and that the rest is
 * read. */
#include "tests/readers/traces.h"
#include <fcntl.h>
#include <unistd.h>

#define GOOD "131 10 1 5 0 0\n"
#define AFTER "131 20 1 5 0 0\n"

typedef struct Row {
  const char *line; /* between two good ones */
  unsigned column;
  const char *reason; /* a part of it */
} Row;

static const Row rows[] = {
  /* numbers */
  { "x", 1, "the type should be a number, but there is “x”" },
  { "131 12 1 5 0 1x", 15, "result should be a number, but there is “x”" },
  { "131 1-2 1 5 0 0", 6, "the date should be a number" },
  { "131 +12 1 5 0 0", 5, "the date should be a number, but there is “+”" },
  { "131 - 1 5 0 0", 6, "the date should be a number" },
  { "131 0x12 1 5 0 0", 6, "“x”" },
  { "131 1.5 1 5 0 0", 6, "“.”" },
  { "60 12 1 5 0 2 1 99999999999999999999 0", 17, "bytes does not fit into 64 bits" },
  { "60 12 1 5 0 2 1 9223372036854775808 0", 17, "bytes does not fit into 64 bits" },
  { "131 9223372036854775808 1 5 0 0", 5, "the date does not fit into 64 bits" },
  { "60 12 1 5 0 2 1 18446744073709551617 0", 17, "bytes does not fit into 64 bits" }, /* 2^64 + 1 */
  { "131 12 1 5 0 2147483648", 14, "does not fit into 32 bits" },
  { "131 12 1 5 0 -2147483649", 14, "does not fit into 32 bits" },
  { "60 12 1 5 0 2 2147483648 1 0", 15, "tag: 2147483648 does not fit" },
  /* ranges */
  { "131 -1 1 5 0 0", 5, "the date should be 0 to 2^62 - 1" },
  { "131 4611686018427387904 1 5 0 0", 5, "the date should be 0 to 2^62 - 1" },
  { "131 12 -1 5 0 0", 8, "no task identifier" },
  { "131 12 2147483648 5 0 0", 8, "no task identifier" },
  { "131 12 1 -2 0 0", 10, "the duration is negative" },
  { "131 12 1 4611686018427387892 0 0", 10, "the end, date plus duration" },
  { "131 12 1 9223372036854775807 0 0", 10, "the end, date plus duration" },
  { "131 12 1 5 -1 0", 12, "the site" },
  { "60 12 1 5 0 2 1 -4 0", 17, "bytes is negative" },
  { "60 12 1 5 0 4294967296 1 4 0", 13, "to: 4294967296 is no task identifier" },
  { "62 12 1 5 0 4294967297 1 4 0 1 1", 13, "asked_from: 4294967297 is no task identifier" },
  /* kinds */
  { "0 12 1 5 0 0", 1, "there is no kind 0" },
  { "99 12 1 5 0 0", 1, "there is no kind 99" },
  { "-131 12 1 5 0 0", 1, "there is no kind -131" },
  { "65667 12 1 5 0 0", 1, "there is no kind 65667" }, /* 131 + 2^16 */
  /* too few, too many */
  { "131", 4, "the line ends where the date should stand" },
  { "131 12 1 5 0", 13, "the line ends where result should stand" },
  { "131 12 1 5 0 ", 14, "the line ends where result should stand" },
  { "131 12 1 5 0 0 0", 16, "InitSend has 1 fields, but more follows" },
  { "52 12 1 5 0 g", 14, "the line ends where count should stand" },
  { "52 12 1 5 0", 12, "the line ends where group should stand" },
  /* lists */
  { "70 12 1 5 0 3 2 3", 18, "to should have 3 members, but the line ends after 2" },
  { "70 12 1 5 0 -1 2 3 4", 13, "to has -1 members" },
  { "70 12 1 5 0 9000000000 2 3 4", 13, "members" },
  { "70 12 1 5 0 1 -2 1 1 0", 15, "in to, -2 is no task identifier" },
  { "70 12 1 5 0 5 2 3 4 5", 22, "to should have 5 members" },
  /* bytes and encoding */
  { "131 12 1 5 0 0\x01", 15, "the byte 0x01" },
  { "131\v12 1 5 0 0", 4, "the byte 0x0b" },
  { "52 12 1 5 0 f\xe9t 4 0", 14, "group is not UTF-8" },
  { "52 12 1 5 0 %e9 4 0", 13, "group is not UTF-8" },
  { "52 12 1 5 0 a%0 4 0", 14, "two hexadecimal digits" },
  { "52 12 1 5 0 a% 4 0", 14, "two hexadecimal digits" },
  { "52 12 1 5 0 a%00 4 0", 14, "a byte 0" },
  { "52 12 1 5 0 a\x7f 4 0", 14, "should be written %7F" },
  { "52 12 1 5 0 \xed\xa0\x80 4 0", 13, "group is not UTF-8" }, /* half of a surrogate pair */
  { "\xff\xfe", 1, "the byte 0xff" },
};

static void
check_one (const char *text, gsize n, const Row *row)
{
  g_autofree char *bundle = traces_make (text, (gssize) n, NULL, NULL);
  TraceSource *s = traces_open (bundle, NULL);
  g_autofree char *outline = traces_outline (s);
  g_assert_cmpstr (outline, ==, "InitSend(t1)@10 EndInitSend(t1)@15 InitSend(t1)@20 EndInitSend(t1)@25");
  g_assert_cmpuint (s->n_damaged, ==, 1);
  g_assert_cmpuint (s->damage->len, ==, 1);
  g_assert_cmpuint (s->n_records, ==, 2);
  g_assert_cmpuint (s->n_events, ==, 4);
  const TraceDamage *d = s->damage->pdata[0];
  g_test_message ("%u:%u: %s", (unsigned) d->line, (unsigned) d->column, d->reason);
  g_assert_cmpstr (d->file, ==, "events");
  g_assert_cmpuint (d->line, ==, 2);
  g_assert_cmpuint (d->column, ==, row->column);
  g_assert_nonnull (strstr (d->reason, row->reason));
  trace_close (s);

  /* A strict source gives what comes before, and stops. */
  TraceOptions strict = { .strict = true };
  TraceEvent events[9];
  g_autoptr (GError) error = NULL;
  s = traces_open (bundle, &strict);
  g_assert_cmpuint (s->format->next (s, events, 9, &error), ==, 1);
  g_assert_no_error (error);
  g_assert_cmpuint (s->format->next (s, events, 9, &error), ==, 0);
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
  g_assert_nonnull (strstr (error->message, "line 2, column"));
  g_assert_nonnull (strstr (error->message, row->reason));
  trace_close (s);
}

static void
test_lines (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *text = g_strconcat (GOOD, rows[i].line, "\n", AFTER, NULL);
    check_one (text, strlen (text), &rows[i]);
  }
}

static void
test_zero_bytes (void)
{
  static const char text[] = GOOD "131 1\0 1 5 0 0\n" AFTER;
  check_one (text, sizeof text - 1, &(Row){ .column = 6, .reason = "the byte 0x00" });
}

static void
test_long_line (void)
{
  GString *text = g_string_new (GOOD);
  for (int i = 0; i < 300000; i++)
    g_string_append (text, "1234567 ");
  g_string_append (text, "\n" AFTER);
  check_one (text->str, text->len, &(Row){ .column = TP_MAX_LINE + 1, .reason = "longer than 1 MiB" });
  g_string_free (text, TRUE);

  /* Just within the bound: a list of many. */
  text = g_string_new ("70 12 1 5 0 500000");
  for (int i = 0; i < 500000; i++)
    g_string_append (text, " 7");
  g_string_append (text, " 1 2 0\n");
  TraceSource *s = traces_of (text->str);
  g_autoptr (GArray) all = traces_read (s);
  uint32_t n;
  g_assert_cmpuint (all->len, ==, 2);
  g_assert_nonnull (trace_list (&g_array_index (all, TraceEvent, 0), &n));
  g_assert_cmpuint (n, ==, 500000);
  trace_close (s);
  g_string_free (text, TRUE);
}

static void
test_cut (void)
{
  /* Every place where a file can be cut. */
  static const char text[] = GOOD AFTER;
  for (size_t n = 0; n < sizeof text; n++) {
    g_autofree char *bundle = traces_make (text, (gssize) n, NULL, NULL);
    TraceSource *s = traces_open (bundle, NULL);
    g_autoptr (GArray) all = traces_read (s);
    size_t first = strlen (GOOD);
    g_assert_cmpuint (all->len, ==, n < first ? 0 : n < sizeof text - 1 ? 2 : 4);
    g_assert_cmpuint (s->n_damaged, ==, n % first != 0);
    trace_close (s);
  }
}

static void
test_many (void)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < 5000; i++)
    g_string_append_printf (text, "bad\n131 %d 1 0 0 0\n", i);
  TraceSource *s = traces_of (text->str);
  g_autoptr (GArray) all = traces_read (s);
  g_assert_cmpuint (all->len, ==, 10000);
  g_assert_cmpuint (s->n_damaged, ==, 5000);
  g_assert_cmpuint (s->damage->len, ==, TP_DAMAGE_KEPT);
  g_assert_cmpuint (((TraceDamage *) s->damage->pdata[TP_DAMAGE_KEPT - 1])->line, ==, 2 * TP_DAMAGE_KEPT - 1);
  s->format->rewind (s);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  trace_close (s);
  g_string_free (text, TRUE);
}

/* What is known of damage depends on the events given, not on how they are asked for. */
static void
test_published (void)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < 9000; i++)
    g_string_append_printf (text, i % 5 ? "131 %d %d 3 0 0\n" : "131 %d %d 3 0\n", i, i / 100);
  g_autofree char *bundle = traces_make (text->str, -1, NULL, NULL);
  TraceSource *a = traces_open (bundle, NULL), *b = traces_open (bundle, NULL);
  TraceEvent events[1000];
  g_autoptr (GArray) known = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  uint64_t given = 0;
  do {
    uint64_t both = a->n_damaged << 32 | a->tasks->len;
    if (given)
      g_array_append_val (known, both);
    given++;
  } while (a->format->next (a, events, 1, NULL));
  given = 0;
  for (size_t n; (n = b->format->next (b, events, 1 + given * 7 % 999, NULL));) {
    given += n;
    g_assert_cmpuint (b->n_damaged << 32 | b->tasks->len, ==, g_array_index (known, uint64_t, given - 1));
  }
  trace_close (a);
  trace_close (b);
  g_string_free (text, TRUE);
}

static void
test_shrinks (void)
{
  GString *text = g_string_new (NULL);
  for (int i = 0; i < 400000; i++)
    g_string_append_printf (text, "131 %d 1 0 0 0\n", i);
  g_autofree char *bundle = traces_make (text->str, -1, NULL, NULL), *folder = traces_folder (bundle);
  g_autofree char *file = g_build_filename (folder, "events", NULL);
  TraceSource *s = traces_open (bundle, NULL);
  TraceEvent events[100];
  g_autoptr (GError) error = NULL;
  g_assert_cmpint (truncate (file, 1000), ==, 0);
  while (s->format->next (s, events, 100, &error))
    ;
  g_assert_error (error, TRACE_ERROR, TRACE_ERROR_IO);
  g_assert_cmpint (trace_value (&events[0], 0).kind, !=, TRACE_VALUE_TEXT); /* and no crash */
  trace_close (s);
  g_string_free (text, TRUE);
}

static void
test_many_tasks (void)
{
  enum { extra = 100 };
  GString *text = g_string_new (NULL);
  for (unsigned i = 0; i < TP_MAX_TASKS + extra; i++)
    g_string_append_printf (text, "131 %u %u 1 0 0\n", i, i);
  TraceSource *s = traces_of (text->str);
  g_autoptr (GArray) all = traces_read (s);
  g_assert_cmpuint (s->tasks->len, ==, TP_MAX_TASKS);
  g_assert_cmpuint (s->n_damaged, ==, extra);
  g_assert_cmpuint (all->len, ==, 2 * TP_MAX_TASKS);
  trace_close (s);
  g_string_free (text, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/damage/lines", test_lines);
  g_test_add_func ("/damage/zero-bytes", test_zero_bytes);
  g_test_add_func ("/damage/long-line", test_long_line);
  g_test_add_func ("/damage/cut", test_cut);
  g_test_add_func ("/damage/many", test_many);
  g_test_add_func ("/damage/published", test_published);
  g_test_add_func ("/damage/shrinks", test_shrinks);
  g_test_add_func ("/damage/many-tasks", test_many_tasks);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
