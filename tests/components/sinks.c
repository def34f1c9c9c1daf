/* SPDX-License-Identifier: Apache-2.0 */
/* The sinks and the probe: what is in the files, also after travel and reset. */
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "readers/session.h"
#include "statistics/types.h"
#include "tests/components/common.h"
#include "tests/harness/folder.h"

static char *folder;

static char *
content (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

static void
expect_file_at (const char *where, const char *name, const char *want)
{
  g_autofree char *got = content (name);

  if (g_strcmp0 (got, want) != 0)
    g_error ("%s: %s holds\n%s\nnot\n%s", where, name, got ? got : "(nothing)", want);
}
#define expect_file(name, want) expect_file_at (G_STRLOC, name, want)

static Harness *
sink (const char *id, const char *file)
{
  Harness *h = alone (id);

  eve_program_set_output_folder (harness_program (h), folder);
  harness_set (h, "file", file);
  return h;
}

static void
test_text (void)
{
  Harness *h = sink ("scope.text-sink", "numbers.txt");

  harness_set (h, "before", "x = ");
  feed (h, "in", NUMBERS (1, 2.5, -1e300, NAN));
  run_to_end (h);
  expect_file ("numbers.txt", "x = 1\nx = 2.5\nx = -1e+300\nx = nan\n");
  g_assert_cmpstr (eve_component_status (harness_component (h)), ==, "4 lines in numbers.txt");
  eve_reset (harness_program (h)); /* another run begins the file anew */
  harness_set (h, "before", "");
  run (h);
  expect_file ("numbers.txt", "1\n2.5\n-1e+300\nnan\n");
  harness_free (h);
}

static void
test_text_whole (void) /* a text is written whole, however long */
{
  Harness *h = sink ("scope.text-sink", "long.txt");
  g_autofree char *text = g_strnfill (100000, 'a'), *want = g_strconcat (text, "\n", NULL);
  char *word = g_ref_string_new (text);

  harness_feed (h, "in", &eve_type_text, &word, 1);
  g_ref_string_release (word);
  run_to_end (h);
  expect_file ("long.txt", want);
  harness_free (h);
}

static void
test_text_empty (void)
{
  Harness *h = sink ("scope.text-sink", "empty.txt");

  feed (h, "in", NONE);
  run_to_end (h);
  expect_file ("empty.txt", "");
  harness_free (h);
}

static void
test_text_refused (void) /* told at once, with the name and what to do */
{
  Harness *h = sink ("scope.text-sink", "no-such-folder/x.txt");
  const char *failure;

  feed (h, "in", NUMBERS (1));
  g_assert_cmpint (harness_run (h), ==, EVE_RUN_FAILED);
  failure = eve_program_failure (harness_program (h), NULL);
  g_assert_nonnull (strstr (failure, "no-such-folder/x.txt"));
  g_assert_nonnull (strstr (failure, "is no folder there"));
  eve_program_clear_failure (harness_program (h));
  harness_set (h, "file", "yes.txt"); /* and mended by another name */
  run_to_end (h);
  expect_file ("yes.txt", "1\n");
  harness_free (h);
}

static void
test_text_full (void)
{
  Harness *h = sink ("scope.text-sink", "full.txt");
  struct rlimit before, small = { 1, 1 };

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  small.rlim_max = before.rlim_max;
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  feed (h, "in", NUMBERS (1));
  harness_end (h, NULL);
  g_assert_cmpint (harness_run (h), ==, EVE_RUN_FAILED);
  g_assert_nonnull (strstr (eve_program_failure (harness_program (h), NULL), "File too large"));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  harness_free (h);
}

/* Whatever a program file names: nothing is written but below the output folder, and the sentence says why. */
static void
test_hostile_names (void)
{
  static const char *const ids[] = { "scope.text-sink", "scope.csv-sink" };
  static const char *const names[][2] = {
    { "../victim", "leads out of the folder" },  { ".bashrc", "begins with a dot" },
    { "link", "no plain file but a link" },      { "away/victim", "is no folder there" },
    { "pipe", "no plain file but a pipe" },      { "second", "has another name" },
    { "/etc/scope-victim", "it begins with /" }, { "/dev/null", "it begins with /" },
  };
  g_autofree char *victim = g_build_filename (folder, "victim", NULL), *out = g_build_filename (folder, "out", NULL);
  g_autofree char *link_path = g_build_filename (out, "link", NULL), *away = g_build_filename (out, "away", NULL),
                  *pipe_path = g_build_filename (out, "pipe", NULL), *second = g_build_filename (out, "second", NULL);

  g_assert_true (g_file_set_contents (victim, "precious", -1, NULL));
  g_mkdir (out, 0700);
  g_assert_cmpint (symlink (victim, link_path), ==, 0);
  g_assert_cmpint (symlink (folder, away), ==, 0);
  g_assert_cmpint (link (victim, second), ==, 0);
  g_assert_cmpint (mkfifo (pipe_path, 0600), ==, 0);
  for (uint32_t i = 0; i < EVE_N (ids); i++)
    for (uint32_t k = 0; k < EVE_N (names); k++) {
      Harness *h = sink (ids[i], names[k][0]);
      eve_program_set_output_folder (harness_program (h), out);
      feed (h, i ? "1" : "in", NUMBERS (1, 2));
      g_assert_cmpint (harness_run (h), ==, EVE_RUN_FAILED);
      g_assert_nonnull (strstr (eve_program_failure (harness_program (h), NULL), names[k][1]));
      harness_free (h);
      expect_file ("victim", "precious");
    }
  g_assert_false (g_file_test ("/etc/scope-victim", G_FILE_TEST_EXISTS));
  g_remove (link_path);
  g_remove (away);
  g_remove (pipe_path);
  g_remove (second);
  g_remove (out);
}

/* In a film's pass and during travel nothing is written, and the run state is that of a run that writes. */
static void
test_nowhere (void)
{
  static const char *const ids[] = { "scope.text-sink", "scope.csv-sink" };

  for (uint32_t i = 0; i < EVE_N (ids); i++) {
    uint64_t hash[2];
    for (int writes = 0; writes < 2; writes++) {
      Harness *h = sink (ids[i], "nowhere.txt");
      if (!writes)
        eve_program_set_output_folder (harness_program (h), NULL);
      feed (h, i ? "1" : "in", NUMBERS (1, 2.5));
      run_to_end (h);
      hash[writes] = eve_program_run_hash (harness_program (h));
      g_autofree char *path = g_build_filename (folder, "nowhere.txt", NULL);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS) == (writes == 1));
      g_assert_nonnull (
          strstr (eve_component_status (harness_component (h)), writes ? " in nowhere.txt" : " for nowhere.txt"));
      g_remove (path);
      harness_free (h);
    }
    g_assert_cmphex (hash[0], ==, hash[1]);
  }
}

static void
test_text_renamed (void) /* while it runs: the old file stays, the new one goes on */
{
  Harness *h = sink ("scope.text-sink", "old.txt");

  feed (h, "in", NUMBERS (1, 2));
  run (h);
  harness_set (h, "file", "new.txt");
  feed (h, "in", NUMBERS (3));
  run_to_end (h);
  expect_file ("old.txt", "1\n2\n");
  expect_file ("new.txt", "3\n");
  g_assert_cmpuint (warnings, ==, 0);
  harness_free (h);
}

/* Back to a checkpoint: the file is cut there and goes on, as if the first future had not been. */
static void
check_cut (const char *id, const char *in, const char *at_checkpoint, const char *at_end)
{
  Harness *h = sink (id, "cut.txt");
  EveBlob *blob = eve_blob_new ();
  const uint8_t *bytes;
  size_t n;

  feed (h, in, NUMBERS (1, 2));
  run (h);
  eve_pause (harness_program (h));
  expect_file ("cut.txt", at_checkpoint);
  eve_program_save_run (harness_program (h), blob);
  bytes = eve_blob_data (blob, &n);
  feed (h, in, NUMBERS (3));
  run_to_end (h);
  expect_file ("cut.txt", at_end);
  for (int i = 0; i < 2; i++) {
    g_assert_true (eve_program_load_run (harness_program (h), bytes, n, NULL, NULL));
    if (i) { /* and when the file is gone, what comes is written and the loss told */
      g_autofree char *path = g_build_filename (folder, "cut.txt", NULL);
      g_remove (path);
    }
    feed (h, in, NONE); /* the source was waiting then */
    run (h);
    if (i == 0)
      expect_file ("cut.txt", at_end);
    g_assert_cmpuint (warnings, ==, i);
  }
  eve_blob_free (blob);
  harness_free (h);
}

static void
test_cut (void)
{
  check_cut ("scope.text-sink", "in", "1\n2\n", "1\n2\n3\n");
  check_cut ("scope.csv-sink", "1", "1\n1\n2\n", "1\n1\n2\n3\n");
}

/* At rest the last line is the present one; it is gone when the program goes on. */
static void
check_rest (const char *id, const char *in, const char *head)
{
  Harness *h = sink (id, "rest.txt");
  g_autofree char *at_rest = g_strconcat (head, "1\n2\n2\n", NULL), *later = g_strconcat (head, "1\n2\n3\n3\n", NULL),
                  *at_end = g_strconcat (head, "1\n2\n3\n", NULL);

  feed (h, in, NUMBERS (1, 2));
  run (h);
  for (int i = 0; i < 3; i++) { /* however often */
    eve_rest (harness_program (h), i);
    expect_file ("rest.txt", at_rest);
  }
  feed (h, in, NUMBERS (3));
  run (h);
  eve_rest (harness_program (h), 3);
  expect_file ("rest.txt", later);
  harness_end (h, NULL);
  run (h);
  expect_file ("rest.txt", at_end);
  eve_pause (harness_program (h));
  expect_file ("rest.txt", at_end);
  harness_free (h);
}

/* A file that was begun after the name was changed is the same one after a rest. */
static void
test_rest_renamed (void)
{
  Harness *h = sink ("scope.text-sink", "before.txt");

  feed (h, "in", NUMBERS (1, 2));
  run (h);
  harness_set (h, "file", "after.txt");
  eve_rest (harness_program (h), 0);
  expect_file ("after.txt", "2\n");
  feed (h, "in", NUMBERS (3, 4));
  run (h);
  eve_rest (harness_program (h), 1);
  expect_file ("after.txt", "3\n4\n4\n");
  feed (h, "in", NUMBERS (5));
  run_to_end (h);
  expect_file ("before.txt", "1\n2\n");
  expect_file ("after.txt", "3\n4\n5\n");
  g_assert_cmpuint (warnings, ==, 0);
  harness_free (h);
}

/* The newest datum is written, and once more under another name. */
static void
test_data_file (void)
{
  Harness *h = sink ("scope.data-file", "one.csv");
  StatsTable *t = stats_table_new ("told", (const StatsColumn[]){ { .name = "n", .kind = STATS_CELL_WHOLE } }, 1, 1);

  stats_cell (t, 0, 0)->whole = 7;
  harness_feed (h, "in", &stats_type_table, &t, 1);
  run (h);
  eve_rest (harness_program (h), 0);
  expect_file ("one.csv", "n\n7\n");
  expect_file ("two.csv", NULL);
  harness_set (h, "file", "two.csv");
  eve_rest (harness_program (h), 0);
  expect_file ("two.csv", "n\n7\n");
  /* begun again, what was before is not written any more; what comes then is */
  eve_reset (harness_program (h));
  harness_set (h, "file", "three.csv");
  eve_class (harness_component (h))->pause (harness_component (h));
  expect_file ("three.csv", NULL);
  StatsTable *other = stats_table_new ("told", (const StatsColumn[]){ { .name = "n", .kind = STATS_CELL_WHOLE } }, 1,
                                       1);
  stats_cell (other, 0, 0)->whole = 9;
  harness_feed (h, "in", &stats_type_table, &other, 1);
  run (h);
  eve_rest (harness_program (h), 0);
  expect_file ("three.csv", "n\n9\n");
  expect_file ("two.csv", "n\n7\n");
  g_assert_cmpuint (warnings, ==, 0);
  stats_unref (&stats_type_table, other);
  stats_unref (&stats_type_table, t);
  harness_free (h);
}

static void
test_rest (void)
{
  check_rest ("scope.text-sink", "in", "");
  check_rest ("scope.csv-sink", "1", "1\n");
  check_rest ("scope.csv-sink", "in", "in\n");
}

/* What a number does not have is an empty field: a date, an owner, a unit. */
static void
test_csv_data (void)
{
  Harness *h = sink ("scope.csv-sink", "data.csv");
  const StatsDatum data[] = {
    { .date = INT64_MIN, .value.real = 0.5, .owner = TRACE_NONE, .unit = "s", .source = 200 },
    { .date = 1250, .value.whole = -3, .is_whole = 1, .owner = 7, .owner_kind = STATS_OF_LINK, .source = 200 },
    { .date = 0, .value.real = NAN, .owner = 0, .owner_kind = STATS_OF_TASK, .unit = "a,b", .source = 200 },
    { .date = INT64_MIN + 1, .value.real = 1, .owner = TRACE_NONE, .source = 200 },
  };

  harness_feed (h, "in", &stats_type_datum, data, EVE_N (data));
  run_to_end (h);
  expect_file ("data.csv",
               "date [s],owner,value,unit\n,,0.5,s\n1250,link 7,-3,\n0,0,nan,\"a,b\"\n-9223372036854775807,,1,\n");
  harness_free (h);
}

static void
test_csv (void)
{
  Harness *h = sink ("scope.csv-sink", "table.csv");

  harness_set (h, "columns", "x, \"quoted\",");
  feed (h, "1", NUMBERS (1, 0.1, 1e-300, 9007199254740993.0));
  feed_truths (h, "2", TRUTHS (true, false, true, false));
  feed (h, "3", NUMBERS (NAN, INFINITY, -INFINITY, 1. / 3));
  feed_wholes (h, "8", WHOLES (1, 2, 3, -4, 5)); /* the fifth has no row */
  harness_end (h, NULL);
  harness_run (h);
  eve_pause (harness_program (h));
  expect_file ("table.csv", "x,\"\"\"quoted\"\"\",3,8\n"
                            "1,1,nan,1\n"
                            "0.1,0,inf,2\n"
                            "1e-300,1,-inf,3\n"
                            "9007199254740992,0,0.33333333333333331,-4\n");
  harness_free (h);
}

static void
test_csv_texts (void) /* RFC 4180, section 2, rules 5 to 7 */
{
  Harness *h = sink ("scope.csv-sink", "texts.csv");
  const char *texts[] = { "plain", "a,b", "say \"hi\"", "two\nlines", "", " blank " };

  for (uint32_t i = 0; i < EVE_N (texts); i++) {
    char *word = g_ref_string_new (texts[i]);
    harness_feed (h, "in", &eve_type_text, &word, 1);
    g_ref_string_release (word);
  }
  run_to_end (h);
  expect_file ("texts.csv", "in\nplain\n\"a,b\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\n blank \n");
  g_assert_cmpstr (eve_component_status (harness_component (h)), ==, "6 rows in texts.csv");
  harness_free (h);
}

static void
test_csv_no_rows (void)
{
  Harness *h = sink ("scope.csv-sink", "none.csv");

  harness_set (h, "columns", "x,y");
  feed (h, "1", NONE);
  feed (h, "2", NONE);
  run_to_end (h);
  expect_file ("none.csv", "x,y\n");
  harness_free (h);
}

/* ---- probe ------------------------------------------------------------------------------------------------------------ */
static void
expect_probe (Harness *h, uint64_t seen, const char *want)
{
  const TraceProbe *probe = eve_query (harness_component (h), "probe/1");
  g_autoptr (GString) got = g_string_new (NULL);

  g_assert_nonnull (probe);
  for (uint32_t i = 0; i < probe->kept (harness_component (h)); i++) {
    if (i)
      g_string_append_c (got, ' ');
    probe->text (harness_component (h), i, got);
  }
  g_assert_cmpstr (got->str, ==, want);
  g_assert_cmpuint (probe->seen (harness_component (h)), ==, seen);
}

static Harness *
make_probe (void)
{
  Harness *h = alone ("scope.probe");

  for (double x = 1; x <= 1000; x++)
    feed (h, "in", &x, 1);
  return h;
}

static void
test_probe (void)
{
  Harness *h = make_probe ();

  expect_probe (h, 0, "");
  g_assert_null (eve_query (harness_component (h), "session/1"));
  run_to_end (h);
  expect_probe (h, 1000, "991 992 993 994 995 996 997 998 999 1000");
  g_assert_cmpstr (eve_component_status (harness_component (h)), ==, "1000: 1000");
  harness_set (h, "n", "3");
  expect_probe (h, 1000, "998 999 1000");
  harness_set (h, "n", "100000"); /* more room: nothing comes back */
  expect_probe (h, 1000, "998 999 1000");
  eve_reset (harness_program (h));
  expect_probe (h, 0, "");
  harness_set (h, "n", "1");
  run (h);
  expect_probe (h, 1000, "1000");
  harness_free (h);
  check_travel (make_probe);
  check_reset (make_probe);
}

static void
test_probe_texts (void)
{
  Harness *h = alone ("scope.probe");

  harness_set (h, "n", "2");
  for (int i = 0; i < 5; i++) {
    g_autofree char *text = g_strdup_printf ("t%d", i);
    char *word = g_ref_string_new (text);
    harness_feed (h, "in", &eve_type_text, &word, 1);
    g_ref_string_release (word);
  }
  run_to_end (h);
  expect_probe (h, 5, "t3 t4");
  harness_free (h);
}

int
main (int argc, char **argv)
{
  int status;

  folder = g_dir_make_tmp ("scope-sinks-XXXXXX", NULL);
  g_test_add_func ("/sinks/text", test_text);
  g_test_add_func ("/sinks/text/whole", test_text_whole);
  g_test_add_func ("/sinks/text/empty", test_text_empty);
  g_test_add_func ("/sinks/text/refused", test_text_refused);
  g_test_add_func ("/sinks/text/full", test_text_full);
  g_test_add_func ("/sinks/hostile names", test_hostile_names);
  g_test_add_func ("/sinks/nowhere", test_nowhere);
  g_test_add_func ("/sinks/text/renamed", test_text_renamed);
  g_test_add_func ("/sinks/cut", test_cut);
  g_test_add_func ("/sinks/rest", test_rest);
  g_test_add_func ("/sinks/rest/renamed", test_rest_renamed);
  g_test_add_func ("/sinks/data-file", test_data_file);
  g_test_add_func ("/sinks/csv/data", test_csv_data);
  g_test_add_func ("/sinks/csv", test_csv);
  g_test_add_func ("/sinks/csv/texts", test_csv_texts);
  g_test_add_func ("/sinks/csv/no rows", test_csv_no_rows);
  g_test_add_func ("/sinks/probe", test_probe);
  g_test_add_func ("/sinks/probe/texts", test_probe_texts);
  status = run_tests (argc, argv);
  remove_all (folder);
  g_free (folder);
  return status;
}
