/* SPDX-License-Identifier: Apache-2.0 */
/* remember-test.c - what the check of a file found is remembered as long as the file is the same, and never believed
 * otherwise. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "eve/bytes.h"
#include "tests/readers/traces.h"

enum { RECORDS = 300000, FILES = 8 };
static char *cache, *bundles[FILES];
static char *other_kinds; /* a bundle with the events of bundles[0] and a table of its own */

static bool
count (void *arg, const char *doing, double share)
{
  *(unsigned *) arg += share < 1;
  return true;
}

/* Opens it; gives whether the file was read through. */
static bool
was_checked (const char *bundle, uint64_t n_records, uint64_t n_events, int64_t last)
{
  unsigned told = 0;
  const TraceProgress progress = { count, &told };
  const TraceOptions options = { .progress = &progress };
  TraceSource *s = traces_open (bundle, &options);
  g_assert_true (s->abilities & TRACE_SORTED);
  g_assert_cmpuint (s->n_records, ==, n_records);
  g_assert_cmpuint (s->n_events, ==, n_events);
  g_assert_cmpint (s->first, ==, 100000);
  g_assert_cmpint (s->last, ==, last);
  trace_close (s);
  return told > 0;
}

static bool
checked (const char *bundle)
{
  return was_checked (bundle, RECORDS, 2 * RECORDS, 100000 + 10 * (RECORDS - 1) + 5);
}

static char *
cache_file (void)
{
  return g_build_filename (cache, "scope", "tapepvm-checks", NULL);
}

static char *
events_of (const char *bundle)
{
  g_autofree char *folder = traces_folder (bundle);
  return g_build_filename (folder, "events", NULL);
}

static unsigned
n_lines (void)
{
  g_autofree char *path = cache_file (), *text = NULL;
  unsigned n = 0;
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  for (const char *p = text; *p; p++)
    n += *p == '\n';
  g_assert_true (g_str_has_suffix (text, "\n"));
  return n;
}

static void
test_once (void)
{
  g_assert_true (checked (bundles[0]));
  g_assert_false (checked (bundles[0]));
  g_assert_true (checked (bundles[1]));
  g_assert_false (checked (bundles[0]));
  g_assert_false (checked (bundles[1]));
  g_assert_cmpuint (n_lines (), ==, 2);
  /* Another table, another answer: there are no ends. */
  g_assert_true (was_checked (other_kinds, RECORDS, RECORDS, 100000 + 10 * (RECORDS - 1)));
}

/* The same size, the same date of change: but the system knows. */
static void
test_changed (void)
{
  g_autofree char *path = events_of (bundles[2]);
  struct stat before;
  g_assert_true (checked (bundles[2]));
  g_assert_false (checked (bundles[2]));
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (fstat (fd, &before), ==, 0);
  g_assert_cmpint (pwrite (fd, "13x", 3, 0), ==, 3); /* the first line is one no more */
  g_assert_cmpint (futimens (fd, (struct timespec[]){ before.st_atim, before.st_mtim }), ==, 0);
  close (fd);
  unsigned told = 0;
  const TraceProgress progress = { count, &told };
  const TraceOptions options = { .progress = &progress };
  TraceSource *s = traces_open (bundles[2], &options);
  g_assert_cmpuint (told, >, 0);
  g_assert_cmpuint (s->n_records, ==, RECORDS - 1);
  trace_close (s);
  /* Just changed, it may change again within the same tick of the clock: nothing is remembered yet. */
  told = 0;
  trace_close (traces_open (bundles[2], &options));
  g_assert_cmpint (stat (path, &before), ==, 0);
  if (g_get_real_time () / G_USEC_PER_SEC < before.st_ctim.tv_sec + 2) /* a busy machine may take longer */
    g_assert_cmpuint (told, >, 0);
}

static void
test_damaged (void)
{
  g_autofree char *path = cache_file (), *text = NULL;
  gsize n;
  g_assert_true (checked (bundles[3]));
  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  /* One digit of the answer, in the last line. */
  for (char *p = text + n - 25; p < text + n - 18; p++)
    if (g_ascii_isdigit (*p)) {
      *p = *p == '1' ? '2' : '1';
      break;
    }
  g_assert_true (g_file_set_contents (path, text, (gssize) n, NULL));
  g_assert_true (checked (bundles[3]));
  g_assert_false (checked (bundles[3])); /* and mended */
  /* Cut off anywhere, and nonsense. */
  g_free (text);
  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  for (gsize cut = 0; cut < n; cut += 37) {
    g_assert_true (g_file_set_contents (path, text, (gssize) cut, NULL));
    checked (bundles[3]);
    g_assert_false (checked (bundles[3]));
  }
  g_autofree char *nonsense = g_malloc (200000);
  for (unsigned i = 0; i < 200000; i++)
    nonsense[i] = (char) g_test_rand_int ();
  g_assert_true (g_file_set_contents (path, nonsense, 200000, NULL));
  g_assert_true (checked (bundles[3]));
  g_assert_false (checked (bundles[3]));
  g_assert_cmpuint (n_lines (), ==, 1);
}

/* A line with the right sum that no check can have written is not believed. */
static void
test_forged (void)
{
  static const char *const forged[] = { "1 20000 18446744073709551615 5 6 6",
                                        "1 18446744073709551615 3 5 6 6",
                                        "1 20000 40000 6 5 5",
                                        "1 20000 40000 5 6 7",
                                        "1 20000 40000 5 6",
                                        "1 20000 40000 5 6 6 7",
                                        "" };
  g_autofree char *path = cache_file ();

  for (unsigned i = 0; i < G_N_ELEMENTS (forged); i++) {
    g_autofree char *text = NULL;
    g_unlink (path);
    g_assert_true (checked (bundles[3]));
    g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
    char *end = text + strlen (text);
    for (int blanks = 0; blanks < 7;) /* the sum, and what was found */
      blanks += *--end == ' ';
    g_autofree char *line = g_strdup_printf ("%.*s %s", (int) (end - text), text, forged[i]);
    g_autofree char *whole = g_strdup_printf ("%s %016" G_GINT64_MODIFIER "x\n", line,
                                              (guint64) bytes_fnv (line, strlen (line)));
    g_assert_true (g_file_set_contents (path, whole, -1, NULL));
    g_assert_true (checked (bundles[3]));
  }
  g_assert_false (checked (bundles[3]));
}

/* However many files there are, the cache stays small. */
static void
test_bounded (void)
{
  g_autofree char *path = cache_file ();
  g_autoptr (GString) many = g_string_new (NULL);
  for (unsigned i = 0; i < 400; i++) {
    g_autofree char *line = g_strdup_printf ("1 1 %x 5 1.0 1.0 0 1 1 2 3 4", i);
    g_string_append_printf (many, "%s %016" G_GINT64_MODIFIER "x\n", line, (guint64) bytes_fnv (line, strlen (line)));
  }
  g_assert_true (g_file_set_contents (path, many->str, -1, NULL));
  g_assert_cmpuint (n_lines (), ==, 400);
  g_assert_true (checked (bundles[4]));
  g_assert_cmpuint (n_lines (), ==, 256);
  g_assert_false (checked (bundles[4]));
}

/* Nothing can be written: nothing is remembered, and nothing else happens. */
static void
test_not_writable (void)
{
  g_autofree char *path = cache_file (), *folder = g_path_get_dirname (path);
  g_unlink (path);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0); /* a folder in its place */
  g_assert_true (checked (bundles[5]));
  g_assert_true (checked (bundles[5]));
  g_rmdir (path);
  g_rmdir (folder);
  g_assert_true (g_file_set_contents (folder, "", 0, NULL)); /* a file in the place of its folder */
  g_assert_true (checked (bundles[5]));
  g_assert_true (checked (bundles[5]));
  g_unlink (folder);
  if (geteuid () != 0) { /* whom nothing stops */
    g_assert_cmpint (g_mkdir (folder, 0500), ==, 0);
    g_assert_true (checked (bundles[5]));
    g_assert_true (checked (bundles[5]));
    g_rmdir (folder);
  }
}

/* Several processes at once: the file stays whole, and every answer is right. */
static void
test_processes (void)
{
  pid_t children[4];
  for (unsigned i = 0; i < G_N_ELEMENTS (children); i++) {
    children[i] = fork ();
    g_assert_cmpint (children[i], >=, 0);
    if (children[i] == 0) {
      for (unsigned k = 0; k < 12; k++) {
        unsigned which = (i * 3 + k) % FILES;
        if (which != 2)
          checked (bundles[which]); /* fails the child if the answer is wrong */
      }
      _exit (0);
    }
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (children); i++) {
    int status;
    g_assert_cmpint (waitpid (children[i], &status, 0), ==, children[i]);
    g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  }
  g_assert_cmpuint (n_lines (), >=, 1);
  g_assert_cmpuint (n_lines (), <=, FILES);
  for (unsigned i = 0; i < FILES; i++)
    if (i != 2)
      checked (bundles[i]);
  for (unsigned i = 0; i < FILES; i++)
    if (i != 2)
      g_assert_false (checked (bundles[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  cache = g_dir_make_tmp ("scope-cache-XXXXXX", NULL);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  GString *text = g_string_new (NULL);
  for (unsigned i = 0; i < RECORDS; i++)
    g_string_append_printf (text, "131 %u 1 5 0 0\n", 100000 + 10 * i);
  for (unsigned i = 0; i < FILES; i++)
    bundles[i] = traces_make (text->str, (gssize) text->len, NULL, NULL);
  other_kinds = traces_make (text->str, (gssize) text->len,
                             "kind 131 InitSend \"function instant\" \"result=result\"\n", NULL);
  g_string_free (text, TRUE);
  sleep (3); /* files that have just changed are not remembered */
  g_test_add_func ("/remember/once", test_once);
  g_test_add_func ("/remember/changed", test_changed);
  g_test_add_func ("/remember/damaged", test_damaged);
  g_test_add_func ("/remember/forged", test_forged);
  g_test_add_func ("/remember/bounded", test_bounded);
  g_test_add_func ("/remember/not-writable", test_not_writable);
  g_test_add_func ("/remember/processes", test_processes);
  int status = g_test_run ();
  g_autofree char *path = cache_file (), *folder = g_path_get_dirname (path);
  g_unlink (path);
  g_rmdir (folder);
  g_rmdir (cache);
  for (unsigned i = 0; i < FILES; i++)
    g_free (bundles[i]);
  g_free (other_kinds);
  g_free (cache);
  traces_finish ();
  return status;
}
