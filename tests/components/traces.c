/* SPDX-License-Identifier: Apache-2.0 */
/* What deals with dates, events and commands: merge by date, event presenter, session controller, events in a
 * table. */
#include <glib/gstdio.h>
#include "readers/reader.h"
#include "readers/session.h"
#include "simulators/state.h"
#include "statistics/order.h"
#include "tests/components/keep.h"

/* ---- merge by date, against a sort as a second way ----------------------------------------------------------------- */
typedef struct Dated {
  int64_t date;
  int32_t stream, place;
} Dated;

static int64_t
dated_date (const void *slot)
{
  return ((const Dated *) slot)->date;
}

static const EveType dated = { .name = "dated thing", .size = sizeof (Dated), .align = 8, .date = dated_date };

/* By date, then by stream, then by place in the stream. */
static int
by_date (const void *a, const void *b)
{
  const Dated *x = a, *y = b;

  if (x->date != y->date)
    return x->date < y->date ? -1 : 1;
  return x->stream != y->stream ? x->stream - y->stream : x->place - y->place;
}

static void
check_merge (GRand *rand, const uint32_t *lengths, uint32_t n_streams, int span)
{
  static const char *const ins[] = { "in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8" };
  Harness *h = alone ("scope.merge-by-date");
  g_autoptr (GArray) all = g_array_new (FALSE, TRUE, sizeof (Dated));
  const Dated *got;
  size_t n;

  for (uint32_t s = 0; s < n_streams; s++) {
    guint first = all->len;
    int64_t date = g_rand_int_range (rand, -span, span);

    for (uint32_t i = 0; i < lengths[s]; i++, date += g_rand_int_range (rand, 0, span))
      g_array_append_val (all, ((Dated){ date, (int32_t) s, (int32_t) i }));
    if (lengths[s])
      harness_feed (h, ins[s], &dated, &g_array_index (all, Dated, first), lengths[s]);
  }
  harness_collect (h, "out");
  run_to_end (h);
  got = harness_collected (h, "out", &n);
  g_array_sort (all, by_date);
  g_assert_cmpuint (n, ==, all->len);
  if (n)
    g_assert_cmpmem (got, n * sizeof (Dated), all->data, all->len * sizeof (Dated));
  g_assert_cmpuint (warnings, ==, 0);
  harness_free (h);
}

static void
test_merge_by_date (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int () & 0x7fffffff);

  check_merge (rand, (const uint32_t[]){ 0, 0 }, 2, 5);
  check_merge (rand, (const uint32_t[]){ 1 }, 1, 5);
  check_merge (rand, (const uint32_t[]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 8, 2);
  check_merge (rand, (const uint32_t[]){ 9000, 9100, 9050 }, 3, 1 << 30);
  for (int i = 0; i < 20; i++) {
    uint32_t lengths[8];
    for (int s = 0; s < 8; s++)
      lengths[s] = (uint32_t) g_rand_int_range (rand, 0, 250);
    check_merge (rand, lengths, (uint32_t) g_rand_int_range (rand, 1, 9), g_rand_int_range (rand, 1, 4));
  }
}

/* One stream ends long before the others, and more data come than a ring holds: the ended one must not be waited for.
 */
static void
test_merge_ends_early (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  Harness *h = alone ("scope.merge-by-date");
  const Dated early[] = { { -1, 0, 0 } };

  harness_feed (h, "in1", &dated, early, 1);
  for (int32_t i = 0; i < 5000; i++)
    harness_feed (h, "in2", &dated, &(Dated){ i, 1, i }, 1);
  harness_collect (h, "out");
  harness_end (h, NULL);
  if (harness_run (h) == EVE_STALLED) { /* the engine's, not the component's */
    g_test_incomplete (eve_program_stall (harness_program (h)));
    harness_free (h);
    return;
  }
  harness_free (h);
  check_merge (rand, (const uint32_t[]){ 3, 20000 }, 2, 5);
  check_merge (rand, (const uint32_t[]){ 20000, 0, 3 }, 3, 5);
  for (int i = 0; i < 20; i++) {
    uint32_t lengths[8];
    for (int s = 0; s < 8; s++)
      lengths[s] = (uint32_t) g_rand_int_range (rand, 0, 1500);
    check_merge (rand, lengths, 8, g_rand_int_range (rand, 1, 4));
  }
}

static void
test_merge_unsorted (void) /* passed on, in the order that dates allow, and told of once */
{
  const Dated left[] = { { 5, 0, 0 }, { 3, 0, 1 }, { 1, 0, 2 } }, right[] = { { 4, 1, 0 } };
  Harness *h = alone ("scope.merge-by-date");
  size_t n;

  harness_feed (h, "in1", &dated, left, 3);
  harness_feed (h, "in2", &dated, right, 1);
  harness_collect (h, "out");
  run_to_end (h);
  harness_collected (h, "out", &n);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpuint (warnings, ==, 1);
  harness_free (h);
}

static void
test_merge_refuses (void)
{
  Harness *h = alone ("scope.merge-by-date");
  g_autoptr (GError) error = NULL;

  g_assert_false (harness_source (h, "in1", &eve_type_double, &error));
  g_assert_nonnull (strstr (error->message, "dates"));
  harness_free (h);
}

/* ---- a trace of two kinds, without a file --------------------------------------------------------------------------- */
static const TraceField send_fields[] = { { "to", TRACE_ROLE_PEER, NULL },
                                          { "tag", TRACE_ROLE_TAG, NULL },
                                          { "bytes", TRACE_ROLE_SIZE, "B" },
                                          { "weight", TRACE_ROLE_INT, NULL } };
static const TraceField note_fields[] = { { "word", TRACE_ROLE_WORD, NULL }, { "weight", TRACE_ROLE_INT, NULL } };
static const TraceKind kinds[] = {
  { "Send", "EndSend", "point", send_fields, 4, false },
  { "Note", "Note", "user instant", note_fields, 2, true },
};

static TraceValue
toy_value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  switch (kinds[e->kind].fields[field].role) {
  case TRACE_ROLE_PEER:
    return (TraceValue){ .kind = TRACE_VALUE_TASK, .i = e->peer };
  case TRACE_ROLE_TAG:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->tag };
  case TRACE_ROLE_SIZE:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = e->size };
  case TRACE_ROLE_WORD:
    return (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = "hello, world" };
  default:
    return (TraceValue){ .kind = TRACE_VALUE_INT, .i = (int64_t) e->record };
  }
}

static const TraceFormat toy_format = { .name = "toy", .label = "Toy", .model = "Toy", .value = toy_value };

static TraceSource *
toy (void)
{
  TraceSource *s = g_new0 (TraceSource, 1);
  g_autoptr (GError) error = NULL;

  trace_source_setup (s, &toy_format, "/nowhere/toy.trace", &error);
  s->clock = (TraceClock){ 1000, "s" };
  s->kinds = kinds;
  s->n_kinds = EVE_N (kinds);
  trace_source_add_task (s, "t1", 1);
  trace_source_add_task (s, "t2", 2);
  return s;
}

static void
toy_free (TraceSource *s)
{
  trace_source_clear (s);
  g_free (s);
}

/* A message, its end, a note, and a message that was never received. */
static void
feed_toy (Harness *h, const char *in, const TraceSource *s)
{
  const uint8_t n = s->number;
  const TraceEvent events[] = {
    { .date = 1250,
      .duration = 250,
      .number = 0,
      .record = 7,
      .size = 4096,
      .task = 0,
      .peer = 1,
      .object = TRACE_NONE,
      .tag = 12,
      .kind = 0,
      .source = n },
    { .date = 1500,
      .duration = 250,
      .number = 1,
      .record = 7,
      .size = 4096,
      .task = 0,
      .peer = 1,
      .object = TRACE_NONE,
      .tag = 12,
      .kind = 0,
      .flags = TRACE_END,
      .source = n },
    { .date = 1600,
      .number = 2,
      .record = 9,
      .task = 1,
      .peer = TRACE_NONE,
      .object = TRACE_NONE,
      .tag = -1,
      .kind = 1,
      .flags = TRACE_INSTANT,
      .source = n },
    { .date = 1700,
      .number = 3,
      .record = 11,
      .size = 10,
      .task = 1,
      .peer = 0,
      .object = TRACE_NONE,
      .tag = 5,
      .kind = 0,
      .flags = TRACE_UNFINISHED,
      .source = n },
  };

  harness_feed (h, in, &trace_type_event, events, EVE_N (events));
}

static void
presenter_is (const char *field, const char *kind, const char *of, guint warned, const double *want, size_t n)
{
  TraceSource *s = toy ();
  Harness *h = alone ("scope.event-presenter");

  harness_set (h, "field", field);
  harness_set (h, "kind", kind);
  harness_set (h, "of", of);
  feed_toy (h, "events", s);
  harness_collect (h, "value");
  run_to_end (h);
  expect (h, "value", want, n);
  g_assert_cmpuint (warnings, ==, warned);
  harness_free (h);
  toy_free (s);
}

static void
test_presenter (void)
{
  presenter_is ("date", "", "both", 0, NUMBERS (1.25, 1.5, 1.6, 1.7));
  presenter_is ("date", "", "beginnings", 0, NUMBERS (1.25, 1.6, 1.7));
  presenter_is ("date", "", "ends", 0, NUMBERS (1.5));
  presenter_is ("date", "Note", "both", 0, NUMBERS (1.6));
  presenter_is ("duration", "", "beginnings", 0, NUMBERS (0.25)); /* not of what has or had no end */
  presenter_is ("number", "Send", "both", 0, NUMBERS (1, 2, 4));
  presenter_is ("task", "", "beginnings", 0, NUMBERS (0, 1, 1));
  presenter_is ("peer", "", "beginnings", 0, NUMBERS (1, 0)); /* a note has none */
  presenter_is ("to", "", "beginnings", 0, NUMBERS (1, 0));
  presenter_is ("size", "", "beginnings", 0, NUMBERS (4096, 10));
  presenter_is ("bytes", "Send", "beginnings", 0, NUMBERS (4096, 10));
  presenter_is ("tag", "", "beginnings", 0, NUMBERS (12, 5));
  presenter_is ("weight", "", "beginnings", 0, NUMBERS (7, 9, 11)); /* another place in each kind */
  presenter_is ("weight", "Note", "beginnings", 0, NUMBERS (9));
  presenter_is ("word", "", "both", 1, NONE);   /* a text */
  presenter_is ("colour", "", "both", 1, NONE); /* nobody has it */
  presenter_is ("bytes", "Note", "both", 1, NONE);
  presenter_is ("bytes", "Receive", "both", 1, NONE);
}

/* A text is told to be no number only where a number is wanted. */
static void
test_presenter_text (void)
{
  TraceSource *s = toy ();
  Harness *h = alone ("scope.event-presenter");
  size_t n;

  harness_set (h, "field", "word");
  feed_toy (h, "events", s);
  harness_collect (h, "text");
  run_to_end (h);
  char *const *words = harness_collected (h, "text", &n);
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (words[0], ==, "hello, world");
  g_assert_cmpuint (warnings, ==, 0);
  harness_free (h);
  toy_free (s);
}

/* Lists of tasks and of kinds, and dates, one by one and together. */
static void
test_filter (void)
{
  static const struct {
    const char *tasks, *kinds, *from, *to;
    guint passes; /* a bit for each event */
  } cases[] = {
    { "", "", "", "", 0xf },           { "", "Send", "", "", 0xb },     { "", "Note", "", "", 0x4 },
    { "", "Note, Send", "", "", 0xf }, { "", "\"Note\"", "", "", 0x4 }, { "", "", "1.5", "", 0xe },
    { "", "", "", "1.6", 0x7 },        { "", "", "1.5", "1.6", 0x6 },   { "", "Send", "1.3", "", 0xa },
    { "t2, t1", "", "", "", 0xf },     { "t2", "Note", "", "", 0x4 },   { "t1", "Note", "", "", 0 },
    { "t1, t2", "Note", "", "", 0x4 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    TraceSource *s = toy ();
    Harness *h = alone ("scope.filter");
    guint passed = 0;
    size_t n;
    harness_set (h, "tasks", cases[i].tasks);
    harness_set (h, "kinds", cases[i].kinds);
    harness_set (h, "from", cases[i].from);
    harness_set (h, "to", cases[i].to);
    feed_toy (h, "in", s);
    harness_collect (h, "passed");
    run_to_end (h);
    const TraceEvent *e = harness_collected (h, "passed", &n);
    for (size_t k = 0; k < n; k++)
      passed |= 1u << e[k].number;
    g_assert_cmphex (passed, ==, cases[i].passes);
    g_assert_cmpuint (warnings, ==, 0);
    harness_free (h);
    toy_free (s);
  }
}

static void
test_presenter_changed (void) /* another field, while it runs */
{
  TraceSource *s = toy ();
  Harness *h = alone ("scope.event-presenter");

  harness_set (h, "field", "size");
  feed_toy (h, "events", s);
  harness_collect (h, "value");
  run (h);
  harness_set (h, "field", "tag");
  feed_toy (h, "events", s);
  run (h);
  expect (h, "value", NUMBERS (4096, 10, 12, 5));
  harness_free (h);
  toy_free (s);
}

static void
test_events_in_table (void)
{
  TraceSource *s = toy ();
  Harness *h = alone ("scope.csv-sink");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "scope-events-table.csv", NULL), *text = NULL;

  eve_program_set_output_folder (harness_program (h), g_get_tmp_dir ());
  harness_set (h, "file", "scope-events-table.csv");
  feed_toy (h, "in", s);
  run_to_end (h);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "date [s],event,task,peer,object,tag,size [B],duration [s],result,number\n"
                   "1.250000,Send,t1,t2,,12,4096,0.250000,0,1\n"
                   "1.500000,EndSend,t1,t2,,12,4096,0.250000,0,2\n"
                   "1.600000,Note,t2,,,,0,,0,3\n"
                   "1.700000,Send,t2,t1,,5,10,,0,4\n");
  g_remove (path);
  harness_free (h);
  toy_free (s);
}

static void
test_messages_in_table (void)
{
  TraceSource *s = toy ();
  Harness *h = alone ("scope.csv-sink");
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "scope-messages-table.csv", NULL), *text = NULL;
  const StateMessage messages[] = {
    { .sent = 1250, .received = 1500, .size = 28, .from = 0, .to = 1, .tag = 7, .source = s->number },
    { .sent = INT64_MIN, .received = 1700, .size = 5, .from = 1, .to = 0, .tag = -1, .source = s->number },
  };

  eve_program_set_output_folder (harness_program (h), g_get_tmp_dir ());
  harness_set (h, "file", "scope-messages-table.csv");
  harness_feed (h, "in", &state_type_message, messages, EVE_N (messages));
  run_to_end (h);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==,
                   "sent [s],received [s],from,to,tag,size [B]\n"
                   "1.250000,1.500000,t1,t2,7,28\n"
                   ",1.700000,t2,t1,-1,5\n");
  g_remove (path);
  harness_free (h);
  toy_free (s);
}

/* ---- session controller ------------------------------------------------------------------------------------------------ */
static void
expect_commands_at (const char *where, Harness *h, const TraceCommand *want, size_t n)
{
  size_t n_got;
  const TraceCommand *got = harness_collected (h, "commands", &n_got);

  if (n != n_got)
    g_error ("%s: %zu commands, not %zu", where, n_got, n);
  for (size_t i = 0; i < n; i++)
    if (got[i].verb != want[i].verb || got[i].date != want[i].date || got[i].number != want[i].number)
      g_error ("%s: command %zu is %u %" G_GINT64_FORMAT " %" G_GUINT64_FORMAT, where, i, got[i].verb, got[i].date,
               got[i].number);
}
#define expect_commands(h, ...)                                                                                        \
  expect_commands_at (G_STRLOC, h, (const TraceCommand[]){ __VA_ARGS__ },                                              \
                      G_N_ELEMENTS (((const TraceCommand[]){ __VA_ARGS__ })))

static void
test_session (void)
{
  Harness *h = alone ("scope.session");
  EveComponent *c = harness_component (h);
  const TraceSession *session = eve_query (c, "session/1");
  TraceCommand last;

  g_assert_nonnull (session);
  harness_collect (h, "commands");
  g_assert_false (session->last (c, &last));
  run (h);
  expect_commands_at (G_STRLOC, h, NULL, 0); /* it waits for somebody */
  g_assert_true (trace_session_play (session, c));
  run (h);
  g_assert_true (trace_session_pause (session, c));
  g_assert_true (trace_session_step (session, c, 3));
  g_assert_true (trace_session_until (session, c, 1250));
  g_assert_true (trace_session_stop (session, c));
  run (h);
  expect_commands (h, { .verb = TRACE_GO_EVENTS, .number = UINT64_MAX }, { .verb = TRACE_PAUSE },
                   { .verb = TRACE_GO_EVENTS, .number = 3 }, { .verb = TRACE_GO_UNTIL, .date = 1250 },
                   { .verb = TRACE_STOP });
  g_assert_true (session->last (c, &last));
  g_assert_cmpuint (last.verb, ==, TRACE_STOP);
  g_assert_false (trace_session_send (session, c, TRACE_MARK, 0, 0)); /* not for readers */
  run (h);
  harness_free (h);
}

static void
test_session_at_start (void)
{
  Harness *h = alone ("scope.session");

  harness_set (h, "at start", "play");
  harness_collect (h, "commands");
  run (h);
  eve_pause (harness_program (h));
  run (h); /* going on is not beginning */
  expect_commands (h, { .verb = TRACE_GO_EVENTS, .number = UINT64_MAX });
  eve_reset (harness_program (h));
  run (h);
  expect_commands (h, { .verb = TRACE_GO_EVENTS, .number = UINT64_MAX });

  EveComponent *c = harness_component (h);
  const TraceSession *session = eve_query (c, "session/1");
  eve_reset (harness_program (h));
  session->hold (c);
  run (h);
  expect_commands_at (G_STRLOC, h, NULL, 0); /* it was held, and nothing was sent */
  eve_reset (harness_program (h));
  g_assert_true (trace_session_step (session, c, 3)); /* sent just after a reset, and heard */
  run (h);
  expect_commands (h, { .verb = TRACE_GO_EVENTS, .number = 3 });
  harness_free (h);
}

typedef struct Heard {
  uint32_t verbs[8];
  uint32_t n;
  bool pass;
} Heard;

static bool
hear (void *arg, const TraceCommand *command)
{
  Heard *heard = arg;

  heard->verbs[heard->n++] = command->verb;
  return heard->pass;
}

static void
test_session_control (void)
{
  const TraceCommand pause = { .verb = TRACE_PAUSE }, mark = { .verb = TRACE_MARK, .name = "here" },
                     save = { .verb = TRACE_SAVE }, travel = { .verb = TRACE_GO_MARK, .name = "here" };
  Harness *h = alone ("scope.session");
  EveComponent *c = harness_component (h);
  const TraceSession *session = eve_query (c, "session/1");
  Heard heard = { .pass = true };

  harness_feed (h, "control", &trace_type_command, &pause, 1);
  harness_collect (h, "commands");
  run (h);
  expect_commands (h, { .verb = TRACE_PAUSE });
  harness_send (h, "control", &trace_type_command, &mark); /* nobody keeps marks: told once */
  harness_send (h, "control", &trace_type_command, &save);
  g_assert_cmpuint (warnings, ==, 1);

  session->listen (c, hear, &heard);
  harness_send (h, "control", &trace_type_command, &mark);
  harness_send (h, "control", &trace_type_command, &travel);
  harness_send (h, "control", &trace_type_command, &pause);
  heard.pass = false; /* as in a film */
  harness_send (h, "control", &trace_type_command, &pause);
  expect_commands (h, { .verb = TRACE_PAUSE }, { .verb = TRACE_PAUSE });
  g_assert_cmpuint (heard.n, ==, 4);
  g_assert_cmpuint (heard.verbs[0], ==, TRACE_MARK);
  g_assert_cmpuint (heard.verbs[1], ==, TRACE_GO_MARK);
  g_assert_cmpuint (heard.verbs[3], ==, TRACE_PAUSE);
  g_assert_cmpuint (warnings, ==, 1);
  harness_free (h);
}

static void
test_session_state (void) /* what was commanded travels; nothing is sent again */
{
  Harness *h = alone ("scope.session"), *other = alone ("scope.session");
  const TraceSession *session = eve_query (harness_component (h), "session/1");
  EveBlob *blob = eve_blob_new ();
  TraceCommand last;
  const uint8_t *bytes;
  size_t n;

  harness_collect (h, "commands");
  harness_collect (other, "commands");
  harness_set (other, "at start", "play");
  trace_session_until (session, harness_component (h), 77);
  run (h);
  eve_program_save_run (harness_program (h), blob);
  bytes = eve_blob_data (blob, &n);
  g_assert_true (eve_program_load_run (harness_program (other), bytes, n, NULL, NULL));
  run (other);
  g_assert_true (session->last (harness_component (other), &last));
  g_assert_cmpuint (last.verb, ==, TRACE_GO_UNTIL);
  g_assert_cmpint (last.date, ==, 77);
  expect_commands_at (G_STRLOC, other, NULL, 0);
  eve_blob_free (blob);
  harness_free (h);
  harness_free (other);
}

/* With a real reader, on docs/components/left.trace: events at 0, 1, 1.25, 2, 2.5 and 4 s. */
static void
test_session_drives (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("SCOPE_EXAMPLES"), "left.trace", NULL);
  EveProgram *p = eve_program_new ();
  g_autoptr (GError) error = NULL;
  EveComponent *c = eve_add (p, eve_registry_find ("scope.session"), "Session", &error);
  EveComponent *r = eve_add (p, eve_registry_find ("scope.tapepvm-reader"), "Reader", &error);
  const TraceSession *session = eve_query (c, "session/1");
  const TraceReader *reader = eve_query (r, "trace-reader/1");
  const int64_t s = 1000000000;

  eve_set (r, "trace", path, &error);
  eve_connect (p, c, "commands", r, "commands", &error);
  g_assert_no_error (error);
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 0); /* connected, it waits to be told */
  trace_session_step (session, c, 2);
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 2);
  g_assert_cmpint (reader->clock (r), ==, s);
  const TraceSource *source;
  int64_t date;
  g_assert_cmpuint (stats_session_place (c, &date, &source), ==, 2);
  g_assert_true (date == s && source == reader->source (r));
  trace_session_step (session, c, 1); /* a step by date: one event, and all of its date */
  eve_run (p, -1);
  trace_session_until (session, c, reader->clock (r));
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 3);
  trace_session_until (session, c, 2 * s);
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 4);
  trace_session_play (session, c);
  trace_session_pause (session, c); /* before it could begin */
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 4);
  trace_session_stop (session, c);
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 0);
  trace_session_play (session, c);
  eve_run (p, -1);
  g_assert_cmpuint (reader->given (r), ==, 6);
  g_assert_cmpint (reader->clock (r), ==, 4 * s);
  g_assert_null (eve_program_failure (p, NULL));
  eve_program_free (p);
}

/* A reader, a session, and what keeps tables of the trace; all its outputs are kept. */
static EveProgram *
watched (const char *id, const char *offset, EveComponent **session, EveComponent **reader, EveComponent **watcher)
{
  g_autofree char *path = g_build_filename (g_getenv ("SCOPE_EXAMPLES"), "..", "..", "traces", "fft2d-s2.trace", NULL);
  EveProgram *p = eve_program_new ();
  g_autoptr (GError) error = NULL;

  *session = eve_add (p, eve_registry_find ("scope.session"), "Session", &error);
  *reader = eve_add (p, eve_registry_find ("scope.tapepvm-reader"), "Reader", &error);
  *watcher = eve_add (p, eve_registry_find (id), "Watcher", &error);
  g_assert_no_error (error);
  g_assert_true (eve_set (*reader, "trace", path, &error) && eve_set (*reader, "offset", offset, &error));
  eve_connect (p, *session, "commands", *reader, "commands", &error);
  eve_connect (p, *reader, "events", *watcher, eve_class (*watcher)->ins[0].name, &error);
  for (uint32_t i = 0; i < eve_class (*watcher)->n_outs; i++)
    eve_connect (p, *watcher, eve_class (*watcher)->outs[i].name, eve_add (p, &keep_class, NULL, &error), "in", &error);
  g_assert_no_error (error);
  return p;
}

/* A reader that is set in the middle opens its trace again, under another number: who keeps tables of the trace begins
 * anew, and ends as if it had never been otherwise.  With events of the old one on the way, and without. */
static void
test_trace_again (gconstpointer id)
{
  EveComponent *session, *reader, *watcher, *other_session, *other_reader, *other;

  for (uint64_t steps = 1; steps < 2000; steps *= 9)
    for (int rounds = 0; rounds < 4; rounds++) {
      g_autoptr (GError) error = NULL;
      EveProgram *p = watched (id, "0", &session, &reader, &watcher);
      EveProgram *q = watched (id, "1.5", &other_session, &other_reader, &other);
      trace_session_step (eve_query (session, "session/1"), session, steps);
      if (rounds == 0)
        eve_run (p, -1);
      for (int i = 0; i < rounds; i++)
        eve_run (p, 0);
      g_assert_true (eve_set (reader, "offset", "1.5", &error));
      trace_session_play (eve_query (session, "session/1"), session);
      eve_run (p, -1);
      trace_session_play (eve_query (other_session, "session/1"), other_session);
      eve_run (q, -1);
      g_assert_null (eve_program_failure (p, NULL));
      g_assert_true (eve_program_ended (p) && eve_program_ended (q));
      bool told = false;
      for (uint32_t i = 0; i < eve_class (watcher)->n_outs; i++) {
        const char *out = eve_class (watcher)->outs[i].name;
        g_autofree char *got = eve_out_last (watcher, out), *want = eve_out_last (other, out);
        told |= want != NULL;
        if (g_strcmp0 (got, want) != 0)
          g_error ("%s after %d steps: %s gave “%s”, not “%s”", (const char *) id, (int) steps, out, got, want);
      }
      g_assert_true (told);
      eve_program_free (p);
      eve_program_free (q);
    }
}

int
main (int argc, char **argv)
{
  g_test_add_func ("/traces/merge by date", test_merge_by_date);
  g_test_add_func ("/traces/merge by date/ends early", test_merge_ends_early);
  g_test_add_func ("/traces/merge by date/unsorted", test_merge_unsorted);
  g_test_add_func ("/traces/merge by date/refuses", test_merge_refuses);
  g_test_add_func ("/traces/filter", test_filter);
  g_test_add_func ("/traces/presenter/text", test_presenter_text);
  g_test_add_func ("/traces/presenter", test_presenter);
  g_test_add_func ("/traces/presenter/changed", test_presenter_changed);
  g_test_add_func ("/traces/events in a table", test_events_in_table);
  g_test_add_func ("/traces/events in a table-of-messages", test_messages_in_table);
  g_test_add_func ("/traces/session", test_session);
  g_test_add_func ("/traces/session/at start", test_session_at_start);
  g_test_add_func ("/traces/session/control", test_session_control);
  g_test_add_func ("/traces/session/state", test_session_state);
  g_test_add_func ("/traces/session/drives a reader", test_session_drives);
  g_test_add_data_func ("/traces/again/wait states", "scope.wait-states", test_trace_again);
  g_test_add_data_func ("/traces/again/under way", "scope.under-way", test_trace_again);
  g_test_add_data_func ("/traces/again/overhead", "scope.communication-overhead", test_trace_again);
  g_test_add_data_func ("/traces/again/waiting times", "scope.waiting-times", test_trace_again);
  return run_tests (argc, argv);
}
