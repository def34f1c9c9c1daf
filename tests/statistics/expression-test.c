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
    { "number in {8}", 1 },
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
    { "3 parsecs", "column 3: unknown unit “parsecs”; there are s, ms" },
    { "3parsecs", "column 2: unknown unit “parsecs”" },
    { "value > 100 usec", "column 13: unknown unit “usec”" },
    { "value > 1 ms + 3 B", "column 14: seconds and bytes do not go together" },
    { "min (1 ms, 3 B) > value", "column 12: seconds and bytes do not go together" },
    { "if (value > 1, 1 ms, 3 B) > value", "column 22: seconds and bytes do not go together" },
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

/* Seconds, bytes and plain numbers are not compared with each other; what has another measure, or none that is known,
 * is left alone. */
static void
test_measures (void)
{
  static const char *const bad[] = { "bytes > 100 ms",     "100 ms < bytes",
                                     "duration > 4 KiB",   "duration > bytes",
                                     "date + bytes > 3",   "tag == 3 s",
                                     "number > 1 kB",      "-duration < -(1 B)",
                                     "bytes in {1 s}",     "max (duration, 3) > 1 B",
                                     "abs (bytes) > 1 ms", "floor (date) == 3 kB",
                                     "size - 2 > 3 us",    NULL };
  static const char *const good[] = { "bytes / duration < 1 MB",
                                      "bytes > 100",
                                      "duration * 3 > 1 ms",
                                      "duration > 1 ms",
                                      "tag == 3",
                                      "sqrt (bytes) > 1 s",
                                      "amount > 3 ms",
                                      "value > 3 B",
                                      "date - duration > 1",
                                      "3 in {3} and 3 in {3}",
                                      "duration > 3 or end",
                                      NULL };

  for (guint i = 0; bad[i]; i++) {
    char *sentence = NULL;
    StatsExpression *x = stats_expression_new (bad[i], &trace_type_event, &sentence);
    if (x || !strstr (sentence, "do not go together"))
      g_error ("%s: %s", bad[i], sentence ? sentence : "is taken");
    g_free (sentence);
  }
  for (guint i = 0; good[i]; i++) {
    char *sentence = NULL;
    StatsExpression *x = stats_expression_new (good[i], &trace_type_event, &sentence);
    if (!x)
      g_error ("%s: %s", good[i], sentence);
    stats_expression_free (x);
  }
}

/* What only the trace can tell. */
static void
test_unknown_names (void)
{
  static const struct {
    const char *text, *want;
  } cases[] = {
    { "kind in {Send, Sned}", "column 10: the trace fake has no kind of event “Sned”; the nearest name is “Send”" },
    { "date > 0 and valeu > 4",
      "column 14: no event of the trace fake has a field “valeu”; the nearest name is “value”" },
    { "bytse > 4", "column 1: no event of the trace fake has a field “bytse”; the nearest name is “bytes”" },
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
  three[0].source = (uint16_t) (source.number + 1); /* of a trace that is closed */
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

/* ---- beside a second computation ---------------------------------------------------------------------------------- */

/* What is compared with nothing is false. */
static double
compared (const char *how, double x, double y)
{
  if (isnan (x) || isnan (y))
    return 0;
  int order = (x > y) - (x < y);
  if (g_str_equal (how, "=="))
    return order == 0;
  if (g_str_equal (how, "!="))
    return order != 0;
  return how[0] == '<' ? order < 0 || (how[1] && order == 0) : order > 0 || (how[1] && order == 0);
}

typedef struct Fields {
  const char *const *names;
  const double *values;
  guint n;
} Fields;

static double condition_of (GString *to, const Fields *f, int depth);

/* Writes a formula, and gives its value. */
static double
number_of (GString *to, const Fields *f, int depth)
{
  static const char *const units[] = { "", " B", " KiB", "MB" }; /* whole: what is worked out is exact */
  static const double worth[] = { 1, 1, 1024, 1e6 };
  int what = g_test_rand_int_range (0, depth > 0 ? 14 : 3);
  double x, y, c;
  guint i;

  switch (what) {
  case 0:
    i = (guint) g_test_rand_int_range (0, (gint32) G_N_ELEMENTS (units));
    x = g_test_rand_int_range (0, 40);
    g_string_append_printf (to, "(1 * %.0f%s)", x, units[i]); /* of no measure: anything goes with it */
    return x * worth[i];
  case 1:
  case 2:
    i = (guint) g_test_rand_int_range (0, (gint32) f->n);
    g_string_append_printf (to, "(1 * %s)", f->names[i]);
    return f->values[i];
  case 3:
    g_string_append (to, "-(");
    x = number_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return -x;
  case 4:
  case 5:
  case 6: {
    static const char *const functions[] = { "abs (", "sqrt(", "floor (" };
    g_string_append (to, functions[what - 4]);
    x = number_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return what == 4 ? fabs (x) : what == 5 ? sqrt (x) : floor (x);
  }
  case 7:
  case 8:
    g_string_append (to, what == 7 ? "min (" : "max(");
    x = number_of (to, f, depth - 1);
    g_string_append (to, ", ");
    y = number_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return what == 7 ? fmin (x, y) : fmax (x, y);
  case 9:
    g_string_append (to, "if (");
    c = condition_of (to, f, depth - 1);
    g_string_append (to, ", ");
    x = number_of (to, f, depth - 1);
    g_string_append (to, ", ");
    y = number_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return c != 0 ? x : y;
  default: {
    char how = "+-*/%"[g_test_rand_int_range (0, 5)];
    g_string_append_c (to, '(');
    x = number_of (to, f, depth - 1);
    g_string_append_printf (to, ") %c (", how);
    y = number_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    /* the whole in brackets, whatever is around it */
    return how == '+' ? x + y : how == '-' ? x - y : how == '*' ? x * y : how == '/' ? x / y : fmod (x, y);
  }
  }
}

static double
bracketed (GString *to, const Fields *f, int depth)
{
  g_string_append_c (to, '(');
  double x = number_of (to, f, depth);
  g_string_append_c (to, ')');
  return x;
}

static double
condition_of (GString *to, const Fields *f, int depth)
{
  static const char *const order[] = { "==", "!=", "<", "<=", ">", ">=" };
  int what = g_test_rand_int_range (0, depth > 0 ? 9 : 4);
  const char *how = order[g_test_rand_int_range (0, G_N_ELEMENTS (order))];
  guint i = (guint) g_test_rand_int_range (0, (gint32) f->n);
  double x, y, k = g_test_rand_int_range (-3, 30);
  bool is;

  switch (what) {
  case 0: /* a field and a constant, as in most conditions: they have codes of their own */
    g_string_append_printf (to, "%s %s %.0f", f->names[i], how, k);
    return compared (how, f->values[i], k);
  case 1:
    g_string_append_printf (to, "%.0f %s %s", k, how, f->names[i]);
    return compared (how, k, f->values[i]);
  case 2:
    is = g_test_rand_int_range (0, 2);
    g_string_append_printf (to, "%s %s none", f->names[i], is ? "==" : "!=");
    return isnan (f->values[i]) == is;
  case 3: {
    int n = g_test_rand_int_range (1, 6);
    g_string_append_printf (to, "%s in {", f->names[i]);
    for (is = false; n > 0; --n) {
      int one = g_test_rand_int_range (-3, 12);
      g_string_append_printf (to, "%d%s", one, n > 1 ? ", " : "}");
      is |= f->values[i] == one;
    }
    return is;
  }
  case 4:
  case 5:
    x = bracketed (to, f, depth - 1);
    g_string_append_printf (to, " %s ", how);
    y = bracketed (to, f, depth - 1);
    return compared (how, x, y);
  case 6:
    g_string_append (to, "not (");
    x = condition_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return x == 0;
  default:
    g_string_append_c (to, '(');
    x = condition_of (to, f, depth - 1);
    g_string_append (to, what == 7 ? ") and (" : ") or (");
    y = condition_of (to, f, depth - 1);
    g_string_append_c (to, ')');
    return what == 7 ? x != 0 && y != 0 : x != 0 || y != 0;
  }
}

static bool
is_same (double a, double b)
{
  return a == b || (isnan (a) && isnan (b)) || fabs (a - b) <= 1e-12 * fabs (b);
}

/* Formulas and conditions over numbers and over events, one datum at a time and many at once. */
static void
test_second (void)
{
  static const char *const numbers[] = { "value", "date" };
  static const char *const of_events[] = { "number", "bytes", "tag", "date", "duration" };
  guint n_true = 0, n_nothing = 0;

  for (int n = 0; n < 30000; n++) {
    g_autoptr (GString) text = g_string_new (NULL);
    char *sentence = NULL;
    bool events = n % 2, condition = n % 4 < 2;
    StatsDatum d = { .source = source.number, .date = g_test_rand_int_range (-3, 12) * 500000 };
    TraceEvent e = *event ();
    if (n % 3)
      d.is_whole = 1, d.value.whole = g_test_rand_int_range (-3, 12);
    else
      d.value.real = g_test_rand_int_range (0, 4) ? g_test_rand_double_range (-3, 12) : NAN;
    e.number = (uint64_t) g_test_rand_int_range (0, 12);
    e.size = g_test_rand_int_range (0, 12);
    e.tag = g_test_rand_int_range (0, 12);
    e.date = g_test_rand_int_range (-3, 12) * 250000;
    e.duration = g_test_rand_int_range (0, 12) * 250000;
    double of_datum[] = { d.is_whole ? (double) d.value.whole : d.value.real, (double) d.date / 1e6 };
    double of_event[] = { (double) e.number + 1, (double) e.size, e.tag, (double) e.date / 1e6,
                          (double) e.duration / 1e6 };
    for (int k = 0; k < 2; k++) { /* to the last bit, as floor and % may turn on it */
      double *date = k ? &of_datum[1] : &of_event[3];
      double exact = eval ("date", k ? &stats_type_datum : &trace_type_event, k ? (const void *) &d : &e);
      g_assert_true (is_same (exact, *date));
      *date = exact;
    }
    double exact = eval ("duration", &trace_type_event, &e);
    g_assert_true (is_same (exact, of_event[4]));
    of_event[4] = exact;
    Fields f = events ? (Fields){ of_events, of_event, 5 } : (Fields){ numbers, of_datum, 2 };
    double should = condition ? condition_of (text, &f, 4) : number_of (text, &f, 3);
    StatsExpression *x = stats_expression_new (text->str, events ? &trace_type_event : &stats_type_datum, &sentence);
    if (!x) /* the only thing that such a text may be is too deep */
      g_error ("%s: %s", text->str, sentence);
    g_assert_true (stats_expression_is_condition (x) == condition);
    const void *datum = events ? (const void *) &e : &d;
    double is = stats_expression_value (x, datum);
    if (!is_same (is, should))
      g_error ("%s gives %.17g, not %.17g", text->str, is, should);
    if (condition) {
      uint8_t pass = 7;
      g_assert_cmpuint (stats_expression_select (x, datum, 1, &pass), ==, (uint32_t) should);
      g_assert_cmpuint (pass, ==, (uint8_t) should);
      n_true += should != 0;
    } else
      n_nothing += isnan (should);
    stats_expression_free (x);
  }
  g_assert_true (n_true > 2000 && n_true < 13000 && n_nothing > 100);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  open_source ();
  g_test_add_func ("/expression/numbers", test_numbers);
  g_test_add_func ("/expression/events", test_events);
  g_test_add_func ("/expression/mistakes", test_mistakes);
  g_test_add_func ("/expression/measures", test_measures);
  g_test_add_func ("/expression/unknown-names", test_unknown_names);
  g_test_add_func ("/expression/growing", test_growing);
  g_test_add_func ("/expression/second", test_second);
  g_test_add_func ("/expression/random", test_random);
  int status = g_test_run ();
  trace_source_clear (&source);
  return status;
}
