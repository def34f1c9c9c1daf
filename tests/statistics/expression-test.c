/* SPDX-License-Identifier: Apache-2.0 */
/* The expression language: values by hand, each mistake with its column, and random texts, which never do harm. */
#include <math.h>
#include <string.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "statistics/expression.h"
#include "statistics/types.h"

/* ---- a small trace that exists in memory alone ---- */
static const TraceField send_fields[] = { { "to", TRACE_ROLE_PEER, NULL },
                                          { "tag", TRACE_ROLE_TAG, NULL },
                                          { "bytes", TRACE_ROLE_SIZE, "B" } };
static const TraceField phase_fields[] = { { "name", TRACE_ROLE_WORD, NULL }, { "value", TRACE_ROLE_INT, NULL } };
static const TraceKind kinds[] = {
  { "Send", "EndSend", "point", send_fields, 3, false },
  { "Recv", "EndRecv", "point", send_fields, 3, false },
  { "Phase", "EndPhase", "user", phase_fields, 2, false },
};

static TraceValue
value (TraceSource *s, const TraceEvent *e, uint32_t field)
{
  if (e->kind == 2)
    return field == 0 ? (TraceValue){ .kind = TRACE_VALUE_TEXT, .text = e->number % 2 ? "odd" : "even" }
                      : (TraceValue){ .kind = TRACE_VALUE_INT, .i = (int64_t) e->number * 10 };
  return field == 0 ? (TraceValue){ .kind = TRACE_VALUE_TASK, .i = e->peer } : (TraceValue){ .kind = TRACE_VALUE_NONE };
}
static const TraceFormat format = { .name = "fake", .label = "Fake", .model = "none", .value = value };
static TraceSource source;

static void
open_source (void)
{
  trace_source_setup (&source, &format, "nowhere/fake.trace", NULL);
  source.clock = (TraceClock){ 1000000, "s" };
  source.kinds = kinds;
  source.n_kinds = G_N_ELEMENTS (kinds);
  trace_source_add_task (&source, "t1", 1);
  trace_source_add_task (&source, "t2", 2);
  trace_source_add_object (&source, "workers");
}

static const TraceEvent *
event (void)
{
  static TraceEvent e;

  e = (TraceEvent){ .date = 1500000,
                    .duration = 250000,
                    .number = 7,
                    .size = 4096,
                    .task = 0,
                    .peer = 1,
                    .object = TRACE_NONE,
                    .tag = 12,
                    .kind = 0,
                    .source = source.number };
  return &e;
}

static double
eval (const char *text, const EveType *type, const void *datum)
{
  char *sentence = NULL;
  StatsExpression *e = stats_expression_new (text, type, &sentence);

  if (!e)
    g_error ("%s: %s", text, sentence);
  double v = stats_expression_value (e, datum);
  if (stats_expression_problem (e))
    g_error ("%s: %s", text, stats_expression_problem (e));
  stats_expression_free (e);
  return v;
}

static void
test_numbers (void)
{
  static const struct {
    const char *text;
    double want;
  } cases[] = {
    { "1 + 2 * 3", 7 },
    { "(1 + 2) * 3", 9 },
    { "7 % 4", 3 },
    { "-value", -8 },
    { "- - 3", 3 },
    { "2 - 3 - 4", -5 },
    { "value / 2 / 2", 2 },
    { "1 ms", NAN },
    { "2ms", 0.002 },
    { "3us", 3e-6 },
    { "5µs", 5e-6 },
    { "7ns", 7e-9 },
    { "4KiB", 4096 },
    { "2MB", 2e6 },
    { "min (3, value)", 3 },
    { "max(3, value)", 8 },
    { "abs(-2)", 2 },
    { "sqrt(16)", 4 },
    { "floor(-1.5)", -2 },
    { "if (value > 7, 1, 2)", 1 },
    { "if (value > 8, 1, if (value == 8, 5, 6))", 5 },
    { "value == 8", 1 },
    { "value != 8", 0 },
    { "8 == value", 1 },
    { "9 > value", 1 },
    { "8 > value", 0 },
    { "value >= 8 and value <= 8", 1 },
    { "value < 8 or value > 8", 0 },
    { "not value < 8", 1 },
    { "not (value < 8 or true)", 0 },
    { "value in {1, 8, 9}", 1 },
    { "value in {-8}", 0 },
    { "1 / 0 > 1e300", 1 },
    { "0 / 0 == none", 1 },
    { "0 / 0 != 1", 0 },
    { "0 / 0 < 1 or 0 / 0 >= 1", 0 },
    { "value != none", 1 },
    { "(value > 3) == (value > 4)", 1 },
    { ".5 * 2", 1 },
    { "1e3", 1000 },
    { "true or 1 / 0 > 0 and false", 1 },
    { "false and false or true", 1 },
    { "(2) < 3", 1 },
    { "value<(2+1)", 0 },
    { "-2 < value", 1 },
    { "value > -2", 1 },
    { "3 < 2 + 2", 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (isnan (cases[i].want))
      continue;
    double got = eval (cases[i].text, &eve_type_double, &(double){ 8 });
    if (got != cases[i].want)
      g_error ("%s gave %g, not %g", cases[i].text, got, cases[i].want);
  }
  g_assert_cmpfloat (eval ("value == 5", &eve_type_int64, &(int64_t){ 5 }), ==, 1);
  g_assert_cmpfloat (eval ("not value", &eve_type_bool, &(bool){ false }), ==, 1);
  StatsDatum d = { .date = 2500000, .value.whole = 9, .is_whole = 1, .owner = 1, .source = source.number };
  g_assert_cmpfloat (eval ("value * 2 + date", &stats_type_datum, &d), ==, 20.5);
  g_assert_cmpfloat (eval ("owner == t2 and owner != t1", &stats_type_datum, &d), ==, 1);
  StateMessage m = { .sent = INT64_MIN, .received = 1000000, .size = 64, .from = 0, .to = 1, .source = source.number };
  g_assert_cmpfloat (eval ("from == t1 and to in {t2, t3} and bytes == 64 and sent == none", &state_type_message, &m),
                     ==, 1);
}

static void
test_events (void)
{
  static const struct {
    const char *text;
    double want;
  } cases[] = {
    { "date", 1.5 },
    { "duration >= 0.25", 1 },
    { "duration > 250ms", 0 },
    { "kind == Send", 1 },
    { "kind != Send", 0 },
    { "\"Send\" == kind", 1 },
    { "kind in {Recv, Send}", 1 },
    { "event == EndSend", 0 },
    { "category == point", 1 },
    { "task == t1 and peer == 't2'", 1 },
    { "task == peer", 0 },
    { "task != peer", 1 },
    { "peer + 0", 1 },
    { "bytes / 1024", 4 },
    { "tag == 12", 1 },
    { "group == none", 1 },
    { "group == workers", 0 },
    { "result == none", 1 },
    { "not end", 1 },
    { "name == even", 0 },
    { "value > 60", 0 },
    { "value == none", 1 },
    { "number in {7}", 1 },
    { "size == bytes", 1 },
    { "to == t2", 1 },
    { "to in {t1, t2}", 1 },
    { "host == none", 0 },
    { "task == t9", 0 },
    { "60 < value", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    double got = eval (cases[i].text, &trace_type_event, event ());
    if (got != cases[i].want)
      g_error ("%s gave %g, not %g", cases[i].text, got, cases[i].want);
  }
  TraceEvent phase = *event ();
  phase.kind = 2;
  g_assert_cmpfloat (eval ("name == odd and value == 70 and 70 == value and value > 69", &trace_type_event, &phase), ==,
                     1);
  g_assert_cmpfloat (eval ("name in {even, 'odd'} and not (name == even)", &trace_type_event, &phase), ==, 1);
  g_assert_cmpfloat (eval ("bytes == none and peer == none", &trace_type_event, &phase), ==, 1);
  phase.flags = TRACE_END | TRACE_UNFINISHED;
  g_assert_cmpfloat (eval ("event == EndPhase and end and duration == none", &trace_type_event, &phase), ==, 1);
}

static void
test_mistakes (void)
{
  static const struct {
    const char *text, *begins;
  } cases[] = {
    { "", "column 1: expected a field" },
    { "value >", "column 8: expected a field" },
    { "value > 3 3", "column 11: expected an op" },
    { "valeu > 3", "column 1: there is no field “valeu”" },
    { "value = 3", "column 7: equality is written ==" },
    { "(value > 3", "column 11: expected “)”" },
    { "value > 'x", "column 9: the text is not closed" },
    { "value and true", "column 1: and wants a condition" },
    { "not 3", "column 5: not wants a condition" },
    { "value + (2 > 1)", "column 9: arithmetic wants a number" },
    { "3 parsecs", "column 3: expected an op" },
    { "3parsecs", "column 2: unknown unit" },
    { "value in {1, x}", "column 11: a set holds either" },
    { "value in 3", "column 10: expected “{”" },
    { "min (1)", "column 7: expected “,”" },
    { "'é' + $", "column 7: expected" },
    { "value > \"text\"", "column 9: > wants a number" },
    { "$", "column 1: expected a field" },
    { "1 < 2 < 3", "column 7: expected an op" },
  };
  g_autoptr (GString) deep = g_string_new (NULL), wide = g_string_new ("1");
  char *sentence = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    sentence = NULL;
    g_assert_null (stats_expression_new (cases[i].text, &eve_type_double, &sentence));
    if (!g_str_has_prefix (sentence, cases[i].begins) && !strstr (cases[i].text, "é"))
      g_error ("%s: %s", cases[i].text, sentence);
    g_free (sentence);
  }
  for (int i = 0; i < 10000; i++)
    g_string_append (deep, i % 2 ? "-" : "(");
  g_assert_null (stats_expression_new (deep->str, &eve_type_double, &sentence));
  g_assert_true (strstr (sentence, "parentheses") != NULL);
  g_free (sentence);
  for (int i = 0; i < 5000; i++)
    g_string_append (wide, "+1");
  g_assert_null (stats_expression_new (wide->str, &eve_type_double, &sentence));
  g_assert_true (strstr (sentence, "too long") != NULL);
  g_free (sentence);
  g_assert_null (stats_expression_new ("value > 1", &eve_type_text, &sentence));
  g_assert_cmpstr (sentence, ==, "column 1: a text has no fields to ask for");
  g_free (sentence);
}

/* What only the trace can tell. */
static void
test_unknown_names (void)
{
  static const struct {
    const char *text, *want;
  } cases[] = {
    { "kind in {Send, Sned}", "column 10: the trace fake has no kind of event “Sned”; the nearest name is “Send”" },
    { "date > 0 and cuont > 4", "column 14: no event of the trace fake has a field “cuont”" },
    { "event == EndSned", "column 10: the trace fake has no event “EndSned”; the nearest name is “EndSend”" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    StatsExpression *e = stats_expression_new (cases[i].text, &trace_type_event, NULL);
    g_assert_nonnull (e);
    g_assert_null (stats_expression_problem (e));
    stats_expression_value (e, event ());
    g_assert_cmpstr (stats_expression_problem (e), ==, cases[i].want);
    stats_expression_unbind (e);
    g_assert_null (stats_expression_problem (e));
    stats_expression_free (e);
  }
}

/* Tasks that appear later are known by then; a second source has its own names. */
static void
test_growing (void)
{
  StatsExpression *e = stats_expression_new ("task == t7", &trace_type_event, NULL);
  TraceEvent ev = *event ();
  uint8_t pass[3];

  g_assert_cmpfloat (stats_expression_value (e, &ev), ==, 0);
  ev.task = trace_source_add_task (&source, "t7", 7);
  g_assert_cmpfloat (stats_expression_value (e, &ev), ==, 1);
  TraceEvent three[3] = { *event (), ev, *event () };
  g_assert_cmpuint (stats_expression_select (e, three, 3, pass), ==, 1);
  g_assert_true (!pass[0] && pass[1] && !pass[2]);
  three[0].source = (uint8_t) (source.number + 1); /* of a trace that is closed */
  g_assert_cmpuint (stats_expression_select (e, three, 3, pass), ==, 1);
  stats_expression_free (e);
}

static void
test_random (void)
{
  static const char *const parts[] = { "value", "kind", "task", "(",  ")",     "{",     "}",    ",",   "==",
                                       "!=",    "<",    ">=",   "in", "and",   "or",    "not",  "+",   "-",
                                       "*",     "/",    "%",    "1",  "2.5ms", "\"a\"", "'",    "if",  "min",
                                       "none",  "true", "name", "x",  "é",     " ",     "peer", "abs(" };
  static const EveType *const types[] = { &trace_type_event, &eve_type_double, &stats_type_datum };
  StatsDatum d = { 0 };
  double x = 3;
  const void *data[] = { event (), &x, &d };
  guint good = 0;

  for (int n = 0; n < 60000; n++) {
    g_autoptr (GString) text = g_string_new (NULL);
    char *sentence = NULL;
    int k = g_test_rand_int_range (0, 3);
    for (int i = g_test_rand_int_range (1, 12); i > 0; i--)
      g_string_append_printf (text, "%s ", parts[g_test_rand_int_range (0, G_N_ELEMENTS (parts))]);
    StatsExpression *e = stats_expression_new (text->str, types[k], &sentence);
    g_assert_true (!e == !!sentence);
    if (e) {
      double v = stats_expression_value (e, data[k]);
      if (stats_expression_is_condition (e) && v != 0 && v != 1)
        g_error ("%s is a condition and gave %g", text->str, v);
      good++;
    }
    stats_expression_free (e);
    g_free (sentence);
  }
  g_assert_cmpuint (good, >, 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  open_source ();
  g_test_add_func ("/expression/numbers", test_numbers);
  g_test_add_func ("/expression/events", test_events);
  g_test_add_func ("/expression/mistakes", test_mistakes);
  g_test_add_func ("/expression/unknown-names", test_unknown_names);
  g_test_add_func ("/expression/growing", test_growing);
  g_test_add_func ("/expression/random", test_random);
  int status = g_test_run ();
  trace_source_clear (&source);
  return status;
}
