/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a whole: modes, failures, warnings, folders, posts from other threads. */
#include <glib/gstdio.h>
#include "tests/unit/boxes.h"

static void
test_modes (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");

  wire (from, "out", to, "in");
  set_int (from, "count", 100000);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_STOPPED);
  g_assert_cmpint (eve_run (p, 0), ==, EVE_BUDGET);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_RUNNING);
  eve_pause (p);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_PAUSED);
  g_assert_false (eve_program_ended (p));
  run_idle (p);
  g_assert_true (eve_program_ended (p));
  g_assert_cmpuint (box_count (to), ==, 100000);
  run_idle (p); /* again: nothing happens */
  g_assert_cmpuint (box_count (to), ==, 100000);
  eve_reset (p);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_STOPPED);
  g_assert_false (eve_program_ended (p));
  g_assert_cmpuint (box_count (to), ==, 0);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 100000);
  eve_program_free (p);
}

/* What is emitted between a reset and the next round waits for it. */
static void
test_emitted_after_reset (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *to = box (p, &box_sink, "To");
  const int64_t early = 77;

  wire (from, "out", to, "in");
  set_int (from, "count", 3);
  run_idle (p);
  for (int i = 0; i < 2; i++) {
    eve_reset (p);
    g_assert_true (eve_emit (eve_base (from)->out[0], &early));
    run_idle (p);
    g_assert_cmpuint (box_count (to), ==, 4);
    g_assert_cmpint (box_logged (to, 0), ==, early);
  }
  eve_program_free (p);
}

static void
test_empty (void)
{
  EveProgram *p = eve_program_new ();

  run_idle (p);
  g_assert_true (eve_program_ended (p));
  g_assert_null (eve_program_stall (p));
  g_assert_null (eve_program_failure (p, NULL));
  eve_pause (p);
  eve_reset (p);
  eve_program_free (p);
  eve_program_free (NULL);
}

/* start and pause come in pairs, and the box sees them. */
static int started, paused;
static void
on_start (EveComponent *c)
{
  started++;
}
static void
on_pause (EveComponent *c)
{
  paused++;
}
static void
test_start_pause (void)
{
  EveClass klass = box_pass;
  EveProgram *p = eve_program_new ();

  klass.start = on_start;
  klass.pause = on_pause;
  started = paused = 0;
  box (p, &klass, "Box");
  eve_run (p, 0);
  eve_run (p, 0);
  g_assert_cmpint (started, ==, 1);
  eve_pause (p);
  eve_pause (p);
  g_assert_cmpint (paused, ==, 1);
  eve_run (p, -1);
  g_assert_cmpint (started, ==, 2);
  box (p, &klass, "Later"); /* added while it runs: starts too */
  eve_run (p, -1);
  g_assert_cmpint (started, ==, 3);
  eve_program_free (p);
  g_assert_cmpint (paused, ==, started);
}

/* A failure pauses the program, names the box, keeps the chain of causes; nothing is lost. */
static void
test_failure (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *fuse = box (p, &box_fuse, "Fuse"), *to = box (p, &box_sink, "To"),
               *who;
  const char *text;

  wire (from, "out", fuse, "in");
  wire (fuse, "out", to, "in");
  set_int (from, "count", 20);
  set_int (fuse, "at", 12);
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  g_assert_cmpint (eve_program_mode (p), ==, EVE_FAILED);
  text = eve_program_failure (p, &who);
  g_assert_true (who == fuse);
  assert_contains (text, "Fuse");
  assert_contains (text, "cannot pass the number on");
  assert_contains (text, "the wire melted at 12");
  g_assert_true (strstr (text, "cannot pass") < strstr (text, "the wire melted")); /* effect, then cause */
  assert_contains (eve_component_failure (fuse), "melted");
  g_assert_null (eve_component_failure (to));
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED); /* until it is cleared */
  set_int (fuse, "at", -1);
  eve_program_clear_failure (p);
  g_assert_null (eve_program_failure (p, &who));
  g_assert_null (who);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 20); /* the datum that failed was kept and comes again */
  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (box_logged (to, i), ==, i);
  set_int (fuse, "at", 3);
  eve_reset (p);
  g_assert_cmpint (eve_run (p, -1), ==, EVE_RUN_FAILED);
  eve_remove (p, fuse); /* the failed box itself goes */
  g_assert_null (eve_program_failure (p, NULL));
  eve_program_free (p);
}

static void
on_warn (void *arg, EveComponent *c, const char *text)
{
  g_string_append_printf (arg, "%s: %s\n", c ? eve_name (c) : "-", text);
}
static void
warn_now (EveComponent *c, void *arg)
{
  eve_warn (c, "the %s is %d", "moon", 7);
  eve_status (c, "%d things", 3);
}
static void
test_warn_status (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *c = box (p, &box_caller, "Box");
  g_autoptr (GString) told = g_string_new (NULL);

  eve_program_set_warn (p, on_warn, told);
  g_assert_cmpstr (eve_component_status (c), ==, "");
  eve_post (c, warn_now, NULL, NULL);
  run_idle (p);
  g_assert_cmpstr (told->str, ==, "Box: the moon is 7\n");
  g_assert_cmpstr (eve_component_status (c), ==, "3 things");
  eve_program_free (p);
}

static void
test_path (void)
{
  g_autofree char *folder = g_dir_make_tmp ("program-XXXXXX", NULL), *sub = g_build_filename (folder, "sub", NULL);
  g_autofree char *file = g_build_filename (sub, "p.eve", NULL), *want = NULL;
  EveProgram *p;
  EveComponent *c;
  char *path;

  boxes_register ();
  g_mkdir (sub, 0700);
  g_assert_true (g_file_set_contents (
      file, "<eve version=\"1\"><component name=\"Box\" class=\"test.settings\"/></eve>", -1, NULL));
  p = eve_program_load (file, NULL, NULL);
  g_assert_nonnull (p);
  c = eve_find (p, "Box");
  want = g_build_filename (sub, "data", "x", NULL);
  path = eve_path (c, "data/x");
  g_assert_cmpstr (path, ==, want);
  free (path);

  /* elsewhere: told, with the path that leads there, unless the person allowed it or said it */
  static const char *const away[] = { "/etc/x", "../../x", "data/../../y", "out/x" };
  for (guint i = 0; i < G_N_ELEMENTS (away); i++) {
    g_autofree char *link = g_build_filename (sub, "out", NULL);
    g_assert_cmpint (symlink (folder, link), ==, 0);
    path = eve_path (c, away[i]);
    g_assert_null (path);
    g_assert_nonnull (strstr (eve_component_failure (c), "lies outside the folder of the program"));
    eve_program_clear_failure (p);
    g_unlink (link);
  }
  g_autoptr (GPtrArray) asked = eve_program_asks_for (p);
  g_assert_cmpuint (asked->len, ==, 0);
  eve_program_allow (p, "/etc");
  path = eve_path (c, "/etc/x");
  g_assert_cmpstr (path, ==, "/etc/x");
  free (path);
  g_assert_true (eve_set (c, "file", folder, NULL)); /* as by a person */
  path = eve_path (c, folder);
  g_assert_cmpstr (path, ==, folder);
  free (path);
  eve_program_free (p);
  g_unlink (file);
  g_rmdir (sub);
  g_rmdir (folder);
}

/* ---- posts ---- */
#define THREADS 4
#define POSTS 5000

static int dropped;
static void
drop (void *arg)
{
  g_atomic_int_inc (&dropped);
  g_free (arg);
}

static gpointer
poster (gpointer c)
{
  for (int64_t i = 0; i < POSTS; i++) {
    box_call (c, i);
    if (i % 64 == 0)
      eve_wake (c);
  }
  return NULL;
}

static int woken;
static void
on_wake (void *arg)
{
  g_atomic_int_inc (&woken);
}

/* All posts arrive, each thread's in its order; the main loop is woken. */
static void
test_posts (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *caller = box (p, &box_caller, "Caller"), *to = box (p, &box_sink, "To");
  GThread *threads[THREADS];
  int64_t sum = 0;

  wire (caller, "out", to, "in");
  eve_program_set_waker (p, on_wake, NULL);
  for (int i = 0; i < THREADS; i++)
    threads[i] = g_thread_new ("poster", poster, caller);
  while (box_count (to) < THREADS * POSTS) {
    EveRun run = eve_run (p, 100000);

    g_assert_true (run == EVE_IDLE || run == EVE_BUDGET);
  }
  for (int i = 0; i < THREADS; i++)
    g_thread_join (threads[i]);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, THREADS * POSTS);
  for (guint i = 0; i < THREADS * POSTS; i++)
    sum += box_logged (to, i);
  g_assert_cmpint (sum, ==, (int64_t) THREADS * POSTS * (POSTS - 1) / 2);
  g_assert_cmpint (g_atomic_int_get (&woken), >, 0);
  eve_program_free (p);
}

static void
never (EveComponent *c, void *arg)
{
  g_assert_not_reached ();
}

/* Posted to a box that is gone by then, or to a program that is freed: dropped, never called. */
static void
test_posts_dropped (void)
{
  EveProgram *p = eve_program_new ();
  EveComponent *c = box (p, &box_caller, "Caller");

  dropped = 0;
  eve_post (c, never, g_strdup ("x"), drop);
  eve_post (c, never, NULL, NULL);
  eve_remove (p, c);
  box (p, &box_caller, "Caller"); /* the same name is not the same box */
  run_idle (p);
  g_assert_cmpint (dropped, ==, 1);
  eve_post (eve_find (p, "Caller"), never, g_strdup ("y"), drop);
  eve_program_free (p);
  g_assert_cmpint (dropped, ==, 2);
}

static int waits_for;
static EveSupply
wait_produce (EveComponent *c, uint32_t max)
{
  int64_t v = 5;
  EveSupply supply = EVE_WAIT;

  if (g_atomic_int_get (&waits_for) > 0) {
    eve_emit (eve_base (c)->out[0], &v);
    supply = g_atomic_int_add (&waits_for, -1) > 1 ? EVE_MORE : EVE_WAIT;
  }
  return supply;
}

static gpointer
waker (gpointer c)
{
  for (int i = 0; i < 2000; i++) {
    g_atomic_int_inc (&waits_for);
    eve_wake (c);
  }
  return NULL;
}

/* A source that waits is not asked until it is woken; no wake is lost. */
static void
test_wake (void)
{
  EveClass klass = box_caller;
  EveProgram *p = eve_program_new ();
  EveComponent *from, *to = box (p, &box_sink, "To");
  GThread *thread;

  klass.produce = wait_produce;
  waits_for = 0;
  from = box (p, &klass, "From");
  wire (from, "out", to, "in");
  run_idle (p);
  g_assert_false (eve_program_ended (p));
  g_assert_cmpuint (box_count (to), ==, 0);
  thread = g_thread_new ("waker", waker, from);
  for (int i = 0; i < 200000 && box_count (to) < 1000; i++)
    run_idle (p);
  g_thread_join (thread);
  run_idle (p);
  g_assert_cmpuint (box_count (to), ==, 2000);
  eve_program_free (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/modes", test_modes);
  g_test_add_func ("/program/empty", test_empty);
  g_test_add_func ("/program/emitted-after-reset", test_emitted_after_reset);
  g_test_add_func ("/program/start-pause", test_start_pause);
  g_test_add_func ("/program/failure", test_failure);
  g_test_add_func ("/program/warn-status", test_warn_status);
  g_test_add_func ("/program/path", test_path);
  g_test_add_func ("/program/posts", test_posts);
  g_test_add_func ("/program/posts-dropped", test_posts_dropped);
  g_test_add_func ("/program/wake", test_wake);
  return g_test_run ();
}
