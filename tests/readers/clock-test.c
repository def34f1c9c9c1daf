/* SPDX-License-Identifier: Apache-2.0 */
#include "readers/reader.h"

static void
print (int64_t ticks, int64_t date, const char *expected)
{
  TraceClock clock = { ticks, "s" };
  char text[64];
  trace_clock_print (&clock, date, text, sizeof text);
  g_assert_cmpstr (text, ==, expected);
}

static void
test_print (void)
{
  print (1000000000, 0, "0.000000");
  print (1000000000, 1250000000, "1.250000");
  print (1000000000, 1250000001, "1.250000001");
  print (1000000000, 1250000100, "1.2500001");
  print (1000000000, -1, "-0.000000001");
  print (1000000000, (INT64_C (1) << 62) - 1, "4611686018.427387903");
  print (1000, 1500, "1.500000");
  print (1, 7, "7.000000");
  print (3, 2, "0.700000"); /* one digit tells thirds apart */
}

static void
test_parse (void)
{
  static const struct {
    const char *text;
    bool good;
    int64_t date;
  } rows[] = {
    { "1.25", true, 1250000000 },
    { "0", true, 0 },
    { " 3. ", true, 3000000000 },
    { ".5", true, 500000000 },
    { "-0.000000001", true, -1 },
    { "+2", true, 2000000000 },
    { "1.0000000004", true, 1000000000 },
    { "1.0000000005", true, 1000000001 },
    { "1.00000000049999999999999", true, 1000000000 },
    { "4611686018.427387904", true, INT64_C (1) << 62 },
    { "4611686018.427387905", false, 0 },
    { "99999999999999999999999999999999999999999999", false, 0 },
    { "", false, 0 },
    { ".", false, 0 },
    { "1e3", true, 1000000000000 },
    { "9e-09", true, 9 },
    { "-2.5E-8", true, -25 },
    { "1234567.5e-16", true, 0 },
    { "5e-10", true, 1 },
    { "4.999999999999999999e-10", true, 0 },
    { "1e-99999999999999999999", true, 0 },
    { "0e99999999999999999999", true, 0 },
    { "1e30", false, 0 },
    { "1e", false, 0 },
    { "1e-", false, 0 },
    { "e5", false, 0 },
    { "1.2.3", false, 0 },
    { "1,5", false, 0 },
    { "s", false, 0 },
    { "- 1", false, 0 },
    { "0x10", false, 0 },
    { "nan", false, 0 },
  };
  const TraceClock clock = { 1000000000, "s" };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    int64_t date = 77;
    g_test_message ("“%s”", rows[i].text);
    g_assert_cmpint (trace_clock_parse (&clock, rows[i].text, &date), ==, rows[i].good);
    g_assert_cmpint (date, ==, rows[i].good ? rows[i].date : 77);
  }
  const TraceClock late = { .ticks_per_second = 1000000000, .units = "s", .zero = 5000000001 };
  int64_t date;
  g_assert_true (trace_clock_parse (&late, "+2", &date));
  g_assert_cmpint (date, ==, 7000000001);
  g_assert_true (trace_clock_parse (&late, "2", &date));
  g_assert_cmpint (date, ==, 2000000000);
  g_assert_false (trace_clock_parse (&late, "+4611686018.427387904", &date));
}

/* What a person types; a day and a time of day are seconds since 1970 by the calendar. */
static void
test_typed (void)
{
  static const struct {
    const char *text;
    bool of_day, good;
    int64_t date;
  } rows[] = {
    { "1.25", false, true, 1250000000 },
    { " 20 ms", false, true, 20000000 },
    { "20ms", false, true, 20000000 },
    { "1.5 µs", false, true, 1500 },
    { "7ns", false, true, 7 },
    { "3 s", false, true, 3000000000 },
    { "1.5 min", false, true, INT64_C (90000000000) },
    { "2h", false, true, INT64_C (7200000000000) },
    { "-2 ms", false, true, -2000000 },
    { "ms", false, false, 0 },
    { "1 2 ms", false, false, 0 },
    { "11:58", false, false, 0 },
    { "99999999999 h", false, false, 0 },
    { "2022-02-18 11:57:56.976517699", true, true, INT64_C (1645185476976517699) },
    { "2022-02-18T11:57:56.976517699Z", true, true, INT64_C (1645185476976517699) },
    { "2022-02-18 11:58 UTC", true, true, INT64_C (1645185480000000000) },
    { "11:58", true, true, INT64_C (1645185480000000000) },
    { "11:57:58.5", true, true, INT64_C (1645185478500000000) },
    { "00:00:01", true, true, INT64_C (1645228801000000000) }, /* the day after */
    { "+20 ms", true, true, INT64_C (1645185476996000000) },
    { "1645185477.5", true, true, INT64_C (1645185477500000000) },
    { "24:00", true, false, 0 },
    { "11:60", true, false, 0 },
    { "11:57:60", true, false, 0 },
    { "11:57:-1", true, false, 0 },
    { "2022-13-18 11:57", true, false, 0 },
    { "9999-01-01 00:00", true, false, 0 },
    { "2022-02-18", true, false, 0 },
    { "11:57 x", true, false, 0 },
  };
  for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
    const TraceClock clock = { 1000000000, "s", .zero = rows[i].of_day ? INT64_C (1645185476976000000) : 0 };
    int64_t date = 0;
    g_test_message ("“%s”", rows[i].text);
    g_assert_cmpint (trace_clock_typed (&clock, rows[i].text, &date), ==, rows[i].good);
    if (rows[i].good)
      g_assert_cmpint (date, ==, rows[i].date);
  }
}

static void
test_round_trip (void)
{
  static const int64_t clocks[] = { 1, 3, 60, 1000, 1024, 999983, 1000000, 1000000000, 1234567891 };
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  for (unsigned c = 0; c < G_N_ELEMENTS (clocks); c++)
    for (int i = 0; i < 20000; i++) {
      TraceClock clock = { clocks[c], "s" };
      int64_t date = (int64_t) ((uint64_t) g_rand_int (random) << 32 | g_rand_int (random)) >> (2 + i % 60), back;
      char text[64];
      trace_clock_print (&clock, date, text, sizeof text);
      g_assert_true (trace_clock_parse (&clock, text, &back));
      g_assert_cmpint (back, ==, date);
    }
}

/* Three digits, and never a power of ten beside the unit. */
static void
test_spans (void)
{
  static const struct {
    double seconds;
    const char *text;
  } spans[] = { { 1204.6, "1205\u2009s" }, { 0.99961, "1\u2009s" }, { 0.25, "250\u2009ms" }, { 12.34, "12.3\u2009s" },
                { 0, "0\u2009s" },         { 999.4, "999\u2009s" }, { -2e-6, "-2\u2009µs" } };
  char text[32];

  for (size_t i = 0; i < G_N_ELEMENTS (spans); i++) {
    trace_write_span (spans[i].seconds, text, sizeof text);
    g_assert_cmpstr (text, ==, spans[i].text);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clock/print", test_print);
  g_test_add_func ("/clock/parse", test_parse);
  g_test_add_func ("/clock/round-trip", test_round_trip);
  g_test_add_func ("/clock/typed", test_typed);
  g_test_add_func ("/clock/spans", test_spans);
  return g_test_run ();
}
