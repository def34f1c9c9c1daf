/* SPDX-License-Identifier: Apache-2.0 */
/* kinds-test.c - a bundle's own table. */
#include "tests/readers/traces.h"

static void
test_own (void)
{
  static const char kinds[] = "# historical?\n"
                              "clock 1000000\n"
                              "header skip date_s date_us type task duration\n"
                              "kind 7 Send \"point\" \"to=peer bytes=size\"\n"
                              "kind 8 Odd \"misc instant\" \"what=word some=tasks one=task n=int\"\n"
                              "kind 9 Bare \"misc\"\n";
  static const char events[] = "-99 1 500000 7 11 250 12 100\n"
                               "0 1 500001 8 11 0 hello 2 12 13 14 -7\n"
                               "0 2 0 9 11 -1\n";
  g_autofree char *bundle = traces_make (events, -1, kinds, NULL);
  TraceSource *s = traces_open (bundle, NULL);
  g_assert_cmpint (s->clock.ticks_per_second, ==, 1000000);
  g_assert_cmpuint (s->n_kinds, ==, 3);
  g_autoptr (GArray) all = traces_read (s);
  g_assert_cmpuint (s->n_damaged, ==, 0);
  static const char *const json[] = {
    "{\"t\": 1.5, \"kind\": \"Send\", \"task\": \"tb\", \"duration\": 0.00025, \"to\": [\"tc\"], \"bytes\": "
    "100}",
    "{\"t\": 1.500001, \"kind\": \"Odd\", \"task\": \"tb\", \"what\": \"hello\", \"some\": [\"tc\", \"td\"], "
    "\"one\": \"te\", \"n\": -7}",
    "{\"t\": 1.50025, \"kind\": \"Send\", \"end\": true, \"task\": \"tb\", \"duration\": 0.00025, \"to\": "
    "[\"tc\"], \"bytes\": 100}",
    "{\"t\": 2, \"kind\": \"Bare\", \"unfinished\": true, \"task\": \"tb\"}",
  };
  g_assert_cmpuint (all->len, ==, G_N_ELEMENTS (json));
  for (guint i = 0; i < all->len; i++) {
    g_autoptr (GString) got = g_string_new (NULL);
    trace_json (&g_array_index (all, TraceEvent, i), got);
    g_assert_cmpstr (got->str, ==, json[i]);
  }
  trace_close (s);
}

/* Field by field: what lies between fields is anything. */
static void
same_kind (const TpKind *a, const TpKind *b)
{
  g_assert_cmpuint (a->number, ==, b->number);
  g_assert_cmpuint (a->n_words, ==, b->n_words);
  g_assert_cmpuint (a->text, ==, b->text);
  g_assert_true (a->plain == b->plain && a->instant == b->instant && a->enroll == b->enroll);
  const uint8_t of_a[] = { a->peer_at,  a->tag_at,  a->size_at, a->result_at, a->n_tasks,   a->n_lists,
                           a->group_at, a->host_at, a->arch_at, a->speed_at,  a->program_at };
  const uint8_t of_b[] = { b->peer_at,  b->tag_at,  b->size_at, b->result_at, b->n_tasks,   b->n_lists,
                           b->group_at, b->host_at, b->arch_at, b->speed_at,  b->program_at };
  g_assert_cmpmem (of_a, sizeof of_a, of_b, sizeof of_b);
  g_assert_cmpmem (a->task_at, sizeof a->task_at, b->task_at, sizeof b->task_at);
  g_assert_cmpmem (a->list_at, sizeof a->list_at, b->list_at, sizeof b->list_at);
}

/* kinds.def as the file of a bundle is the built-in table. */
static void
test_same (void)
{
  TpTable *built = tp_table_builtin ();
  static const char *const roles[] = {
    "peer", "peers", "tag", "size", "group", "result", "int", "task", "tasks", "word"
  };
  GString *text = g_string_new ("header type date task duration site\nclock 1000000000\n");
  for (uint32_t k = 0; k < built->n_kinds; k++) {
    const TraceKind *kind = &built->kinds[k];
    g_string_append_printf (text, "kind %u %s \"%s%s\" \"", built->details[k].number, kind->name, kind->category,
                            kind->instant ? " instant" : "");
    for (uint32_t i = 0; i < kind->n_fields; i++)
      g_string_append_printf (text, "%s%s=%s", i ? " " : "", kind->fields[i].name, roles[kind->fields[i].role]);
    g_string_append (text, "\"\r\n");
  }
  g_autoptr (GError) error = NULL;
  TpTable *read = tp_table_parse (text->str, text->len, "kinds", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (read->n_kinds, ==, built->n_kinds);
  for (uint32_t k = 0; k < read->n_kinds; k++)
    same_kind (&read->details[k], &built->details[k]);
  g_assert_cmpmem (read->by_number, sizeof read->by_number, built->by_number, sizeof built->by_number);
  g_assert_cmpmem (read->at, sizeof read->at, built->at, sizeof built->at);
  tp_table_free (read);
  tp_table_free (built);
  g_string_free (text, TRUE);
}

static void
test_bad (void)
{
  static const struct {
    const char *text, *message;
  } rows[] = {
    { "", "line 0, column 1: the table has no kind" },
    { "kind 1 A \"x\"\nfoo\n", "line 2, column 1: expected kind, clock or header, not “foo”" },
    { "kind 0 A \"x\"\n", "line 1, column 6: the number of a kind is 1 to 65535" },
    { "kind 65536 A \"x\"\n", "column 6: the number" },
    { "kind 1 A \"x\"\nkind 1 B \"x\"\n", "line 2, column 6: kind 1 stands in the table twice" },
    { "kind 1 A \"x\"\nkind 2 A \"x\"\n", "line 2, column 8: kind A stands in the table twice" },
    { "kind 1 A-B \"x\"\n", "no name of a kind" },
    { "kind 1 A \"x\n", "expected: kind NUMBER NAME" },
    { "kind 1 A\n", "expected: kind NUMBER NAME" },
    { "kind 1 A \"x later\"\n", "only “instant” can stand, not “later”" },
    { "kind 1 A \"x\" \"a=int b\"\n", "“b” is no field" },
    { "kind 1 A \"x\" \"a=foo\"\n", "“a=foo” is no field" },
    { "kind 1 A \"x\" \"a=int a=int\"\n", "two fields “a”" },
    { "kind 1 A \"x\" \"a=size b=size\"\n", "two fields of the role size" },
    { "kind 1 A \"x\" \"a=int b=int c=int d=int e=int f=int g=int h=int i=int j=int k=int l=int m=int n=int "
      "o=int p=int q=int\"\n",
      "more than 16 fields" },
    { "kind 1 A \"x\"\nclock 0\n", "expected once: clock" },
    { "clock 10\nclock 10\nkind 1 A \"x\"\n", "line 2, column 1: expected once: clock" },
    { "header type date task\nkind 1 A \"x\"\n", "line 1, column 1: the header needs" },
    { "header type date task duration date_s\n", "the header needs" },
    { "header type type\n", "“type” twice" },
    { "header type when\n", "“when” is no common number" },
    { "header type date_s date_us task duration\nclock 1000\nkind 1 A \"x\"\n", "a clock of a multiple of 1000000" },
    { "header skip skip skip skip skip skip skip skip skip skip skip skip skip skip skip skip skip\n",
      "more than 16 numbers" },
    { "kind 1 \xff \"x\"\n", "byte 7: the file is not text in UTF-8" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *bundle = traces_make ("", 0, rows[i].text, NULL), *folder = traces_folder (bundle);
    g_autoptr (GError) error = NULL;
    g_assert_null (tapepvm_format.open (bundle, folder, NULL, &error));
    g_assert_error (error, TRACE_ERROR, TRACE_ERROR_DATA);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, rows[i].message));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kinds/own", test_own);
  g_test_add_func ("/kinds/same", test_same);
  g_test_add_func ("/kinds/bad", test_bad);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
