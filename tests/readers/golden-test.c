/* SPDX-License-Identifier: Apache-2.0 */
/* golden-test.c - what lines mean: each kind of the table once, and sentences and JSON by hand. */
#include "tests/readers/traces.h"

/* A line for a kind with a value of its own for each field, and what must come of it. */
static void
line_of_kind (const TraceKind *kind, int number, int64_t date, GString *line, GString *fields)
{
  g_string_append_printf (line, "%d %" G_GINT64_FORMAT " 262146 50 0", number, date);
  for (uint32_t i = 0; i < kind->n_fields; i++) {
    const TraceField *f = &kind->fields[i];
    const char *said[] = {
      [TRACE_ROLE_PEER] = f->name[0] == 't' ? "[\"t40003\"]" : "\"t40003\"",
      [TRACE_ROLE_PEERS] = "[\"t40004\", \"t40005\"]",
      [TRACE_ROLE_TAG] = "12",
      [TRACE_ROLE_SIZE] = "4096",
      [TRACE_ROLE_OBJECT] = "\"g r\"",
      [TRACE_ROLE_RESULT] = "-3",
      [TRACE_ROLE_INT] = "-9223372036854775808",
      [TRACE_ROLE_TASK] = "\"t40006\"",
      [TRACE_ROLE_TASKS] = "[\"t40007\"]",
      [TRACE_ROLE_WORD] = "\"a\\\"é\"",
    };
    static const char *const written[] = {
      [TRACE_ROLE_PEER] = "262147",
      [TRACE_ROLE_PEERS] = "2 262148 262149",
      [TRACE_ROLE_TAG] = "12",
      [TRACE_ROLE_SIZE] = "4096",
      [TRACE_ROLE_OBJECT] = "g%20r",
      [TRACE_ROLE_RESULT] = "-3",
      [TRACE_ROLE_INT] = "-9223372036854775808",
      [TRACE_ROLE_TASK] = "262150",
      [TRACE_ROLE_TASKS] = "1 262151",
      [TRACE_ROLE_WORD] = "a\"%C3%A9",
    };
    g_string_append_printf (line, " %s", written[f->role]);
    g_string_append_printf (fields, ", \"%s\": %s", f->name, said[f->role]);
  }
  g_string_append_c (line, '\n');
}

static void
test_every_kind (void)
{
  TpTable *t = tp_table_builtin ();
  g_assert_cmpuint (t->n_kinds, ==, 115);
  for (uint32_t k = 0; k < t->n_kinds; k++) {
    g_autoptr (GString) line = g_string_new (NULL), fields = g_string_new (NULL);
    line_of_kind (&t->kinds[k], t->details[k].number, 1000000000, line, fields);
    TraceSource *s = traces_of (line->str);
    g_autoptr (GArray) all = traces_read (s);
    bool instant = t->kinds[k].instant;
    g_assert_cmpuint (s->n_damaged, ==, 0);
    g_assert_cmpuint (all->len, ==, instant ? 1 : 2);
    g_assert_cmpuint (s->n_events, ==, all->len);
    g_assert_cmpuint (s->n_records, ==, 1);
    for (guint i = 0; i < all->len; i++) {
      const TraceEvent *e = &g_array_index (all, TraceEvent, i);
      g_autoptr (GString) json = g_string_new (NULL);
      g_autofree char *expected = g_strdup_printf ("{\"t\": %s, \"kind\": \"%s\"%s, \"task\": \"t40002\"%s%s}",
                                                   i ? "1.00000005" : "1", t->kinds[k].name, i ? ", \"end\": true" : "",
                                                   instant ? "" : ", \"duration\": 0.00000005", fields->str);
      trace_json (e, json);
      g_assert_cmpstr (json->str, ==, expected);
      g_assert_cmpint (e->date, ==, 1000000000 + 50 * (int) i);
      g_assert_cmpint (e->duration, ==, 50);
      g_assert_cmpint (e->flags, ==, instant ? TRACE_INSTANT : i ? TRACE_END : 0);
      g_assert_cmpstr (trace_task_id (s, e->task), ==, "t40002");
      /* Each kind says something of its own. */
      g_autofree char *sentence = trace_sentence (e);
      g_assert_true (g_str_has_prefix (sentence, "t40002 "));
      g_assert_null (strchr (sentence, '$'));
      g_assert_null (strchr (sentence, '?'));
    }
    trace_close (s);
  }
  tp_table_free (t);
}

static void
test_sentences (void)
{
  static const struct {
    const char *line, *begin, *end; /* end NULL: there is none */
  } rows[] = {
    { "1 0 262146 0 0 a LINUX64 1000 -1 fft2d", "t40002 enrolls on host a (LINUX64), program fft2d", NULL },
    { "1 0 262147 0 0 a LINUX64 1000 262146 -", "t40003 enrolls on host a (LINUX64), started by t40002", NULL },
    { "2 0 262146 0 0 0", "t40002 leaves PVM", NULL },
    { "2 0 262146 0 0 -1", "t40002 dies: it crashed or was killed", NULL },
    { "3 0 262146 1500 0 worker 0 - 2 2 262147 262148 2", "t40002 begins to start 2 tasks of program worker",
      "t40002 has started t40003 and t40004 of program worker (1.5\u2009µs)" },
    { "13 0 262146 2000000 0 1024 1 8192 0", "t40002 begins to pack 1,024 doubles (8,192 bytes)",
      "t40002 has packed 1,024 doubles (8,192 bytes) in 2\u2009ms" },
    { "10 0 262146 20 0 1 3 1 0", "t40002 begins to pack 1 byte at distance 3",
      "t40002 has packed 1 byte at distance 3 in 20\u2009ns" },
    { "41 0 262146 20 0 2 1 4 0", "t40002 begins to unpack 2 unsigned shorts (4 bytes)",
      "t40002 has unpacked 2 unsigned shorts (4 bytes) in 20\u2009ns" },
    { "50 0 262146 20 0 fft 2", "t40002 begins to join group fft",
      "t40002 joins group fft as instance 2 (20\u2009ns)" },
    { "51 0 262146 20 0 fft 0", "t40002 begins to leave group fft", "t40002 has left group fft (20\u2009ns)" },
    { "52 0 262146 3000000000 0 fft 4 0", "t40002 reaches the barrier of group fft and waits for 4 tasks",
      "t40002 passes the barrier of group fft (3\u2009s)" },
    { "60 0 262146 310000 0 262147 12 4096 0", "t40002 begins to send 4,096 bytes tagged 12 to t40003",
      "t40002 has sent 4,096 bytes tagged 12 to t40003 (310\u2009µs)" },
    { "62 0 262147 4580000 0 -1 -1 262149 12 65536 0", "t40003 waits for a message from anybody",
      "t40003 receives 65,536 bytes tagged 12 from t40005 (4.58\u2009ms)" },
    { "62 0 262147 -1 0 262148 3 -1 3 0 0", "t40003 waits for a message tagged 3 from t40004, and never gets it",
      NULL },
    { "64 0 262147 1000 0 -1 4 5000000 -1 -1 0 0", "t40003 waits at most 5\u2009ms for a message tagged 4",
      "t40003 receives nothing (1\u2009µs)" },
    { "70 0 262146 10 0 2 262147 262148 5 1 0", "t40002 begins to multicast 1 byte tagged 5 to t40003 and t40004",
      "t40002 has multicast 1 byte tagged 5 to t40003 and t40004 (10\u2009ns)" },
    { "70 0 262146 10 0 6 1 2 3 4 5 6 5 1 0", "t40002 begins to multicast 1 byte tagged 5 to t1, t2, t3 and 3 others",
      "t40002 has multicast 1 byte tagged 5 to t1, t2, t3 and 3 others (10\u2009ns)" },
    { "80 0 262146 10 0 fft 5 100 0", "t40002 begins to broadcast 100 bytes tagged 5 in group fft",
      "t40002 has broadcast 100 bytes tagged 5 in group fft (10\u2009ns)" },
    { "83 0 262146 -1 0 fft 262147 5 4 2 16 0",
      "t40002 begins a reduction of 16 bytes a task in group fft, root t40003, and never ends", NULL },
    { "131 0 262146 999600 0 -3", "t40002 calls pvm_initsend",
      "t40002 returns from pvm_initsend (1\u2009ms), and fails with code -3" },
    { "150 0 262146 -1 0 0", "t40002 calls pvm_reg_tracer, which never returns", NULL },
    { "200 0 262146 0 0 n -3", "t40002 says n = -3", NULL },
    { "201 0 262146 1234 0 solve 7", "t40002 enters phase solve (7)",
      "t40002 leaves phase solve (7) after 1.23\u2009µs" },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autofree char *line = g_strconcat (rows[i].line, "\n", NULL);
    TraceSource *s = traces_of (line);
    g_autoptr (GArray) all = traces_read (s);
    g_assert_cmpuint (all->len, ==, rows[i].end ? 2 : 1);
    g_autofree char *begin = trace_sentence (&g_array_index (all, TraceEvent, 0));
    g_assert_cmpstr (begin, ==, rows[i].begin);
    if (rows[i].end) {
      g_autofree char *end = trace_sentence (&g_array_index (all, TraceEvent, 1));
      g_assert_cmpstr (end, ==, rows[i].end);
    }
    trace_close (s);
  }
}

static void
test_fields (void)
{
  TraceSource *s = traces_of ("62 5 262147 -1 0 262148 3 -1 -1 0 0\n"
                              "70 9 262147 4 0 3 262146 262148 262146 5 10 0\n"
                              "60 20 262147 4 0 262146 1 0 0\n");
  g_autoptr (GArray) all = traces_read (s);
  const TraceEvent *e = &g_array_index (all, TraceEvent, 0);
  g_assert_cmpint (e->flags, ==, TRACE_UNFINISHED);
  g_assert_cmpint (e->duration, ==, 0);
  g_assert_cmpuint (e->peer, ==, TRACE_NONE);
  g_assert_cmpint (e->tag, ==, -1);
  TraceValue v = trace_value (e, 0);
  g_assert_cmpint (v.kind, ==, TRACE_VALUE_TASK);
  g_assert_cmpstr (trace_task_id (s, (uint32_t) v.i), ==, "t40004");
  v = trace_value (e, 1);
  g_assert_cmpint (v.kind, ==, TRACE_VALUE_INT);
  g_assert_cmpint (v.i, ==, 3);
  g_assert_cmpint (trace_value (e, 2).kind, ==, TRACE_VALUE_NONE);
  g_assert_cmpint (trace_value (e, 99).kind, ==, TRACE_VALUE_NONE);
  uint32_t n;
  const uint32_t *list = trace_list (&g_array_index (all, TraceEvent, 2), &n); /* the end reads the same record */
  g_assert_cmpuint (n, ==, 3);
  g_assert_cmpstr (trace_task_id (s, list[0]), ==, "t40002");
  g_assert_cmpstr (trace_task_id (s, list[1]), ==, "t40004");
  g_assert_cmpuint (list[2], ==, list[0]);
  g_assert_null (trace_list (&g_array_index (all, TraceEvent, 3), &n));
  g_assert_cmpint (s->first, ==, 5);
  g_assert_cmpint (s->last, ==, 24);
  uint16_t number = s->number;
  TraceEvent old = *e;
  trace_close (s);
  g_assert_null (trace_source (number)); /* an event outlives its source without harm */
  g_assert_cmpint (trace_value (&old, 0).kind, ==, TRACE_VALUE_NONE);
  g_autofree char *sentence = trace_sentence (&old);
  g_assert_nonnull (sentence);
}

static void
test_tasks (void)
{
  static const char text[] = "1 1 262146 0 0 a LINUX64 1000 -1 fft%202d\n"
                             "1 2 262147 0 0 b RS6K -5 262146 -\n"
                             "1 3 262147 0 0 c RS6K -5 262146 other\n" /* the first one holds */
                             "50 4 262146 1 0 g 0\n50 4 262147 1 0 g 1\n";
  g_autofree char *bundle = traces_make (text, -1, NULL, NULL), *names = g_build_filename (bundle, "nicknames", NULL);
  g_assert_true (g_file_set_contents (names, "# who\nt40003 the  worker \n\nbad\n", -1, NULL));
  TraceSource *s = traces_open (bundle, NULL);
  for (int again = 0; again < 2; again++) {
    g_autoptr (GArray) all = traces_read (s);
    g_assert_cmpuint (s->tasks->len, ==, 2);
    g_assert_cmpuint (s->hosts->len, ==, 2);
    g_assert_cmpuint (s->objects->len, ==, 1);
    g_assert_cmpstr (trace_object_id (s, 0), ==, "g");
    g_assert_cmpstr (trace_task (s, 0)->program, ==, "fft 2d");
    g_assert_null (trace_task (s, 1)->program);
    g_assert_cmpstr (trace_task_name (s, 0), ==, "t40002");
    g_assert_cmpstr (trace_task_name (s, 1), ==, "the  worker");
    g_assert_cmpstr (trace_task_id (s, 1), ==, "t40003");
    g_assert_cmpint (trace_task (s, 1)->raw, ==, 262147);
    const TraceHost *b = s->hosts->pdata[trace_task (s, 1)->host];
    g_assert_cmpstr (b->name, ==, "b");
    g_assert_cmpstr (b->arch, ==, "RS6K");
    g_assert_cmpint (b->speed, ==, -5);
    g_assert_cmpuint (s->n_damaged, ==, 1);
    g_assert_cmpstr (((TraceDamage *) s->damage->pdata[0])->file, ==, "nicknames");
    s->format->rewind (s);
  }
  trace_close (s);
}

static void
test_sites (void)
{
  static const char text[] = "131 1 262146 1 7 0\n131 2 262146 1 0 0\n131 3 262146 1 8 0\n131 4 262146 1 9 0\n";
  g_autofree char *bundle = traces_make (text, -1, NULL,
                                         "# calls\n7 12 my%20prog.c main\n8 3 x.c\n7 13 again.c\n0 1 a\nx\n");
  TraceSource *s = traces_open (bundle, NULL);
  g_autoptr (GArray) all = traces_read (s);
  const char *file, *function;
  uint32_t line;
  g_assert_true (trace_site (&g_array_index (all, TraceEvent, 1), &file, &line, &function));
  g_assert_cmpstr (file, ==, "my prog.c");
  g_assert_cmpstr (function, ==, "main");
  g_assert_cmpuint (line, ==, 12);
  g_assert_false (trace_site (&g_array_index (all, TraceEvent, 2), &file, &line, &function));
  g_assert_true (trace_site (&g_array_index (all, TraceEvent, 4), &file, &line, &function));
  g_assert_cmpstr (function, ==, "");
  g_assert_false (trace_site (&g_array_index (all, TraceEvent, 6), &file, &line, &function));
  g_assert_cmpuint (s->n_damaged, ==, 3);
  const TraceDamage *d = s->damage->pdata[0];
  g_assert_cmpstr (d->file, ==, "sites");
  g_assert_cmpuint (d->line, ==, 4);
  trace_close (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/golden/every-kind", test_every_kind);
  g_test_add_func ("/golden/sentences", test_sentences);
  g_test_add_func ("/golden/fields", test_fields);
  g_test_add_func ("/golden/tasks", test_tasks);
  g_test_add_func ("/golden/sites", test_sites);
  int status = g_test_run ();
  traces_finish ();
  return status;
}
