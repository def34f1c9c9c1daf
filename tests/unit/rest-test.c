/* SPDX-License-Identifier: Apache-2.0 */
/* Time stands still: what is told then is shown and taken back, and the run goes on as if nobody had looked. */
#include "tests/unit/boxes.h"

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

/* How many came so far, told whenever somebody stops to look. */
static bool
tell_count (EveComponent *c, int64_t now)
{
  int64_t n = (int64_t) box_count (c);

  return eve_emit (eve_base (c)->out[0], &n);
}

static EveClass counter, shown; /* sinks: one tells at rest, one is shown it */
static EveInSpec present_in;
static const EveOutSpec count_out[] = { { "n", &eve_type_int64, .doc = "How many came." } };

static void
make_classes (void)
{
  counter = box_sink;
  counter.id = "test.counter";
  counter.outs = count_out;
  counter.n_outs = 1;
  counter.at_rest = tell_count;
  present_in = box_sink.ins[0];
  present_in.present = true;
  shown = box_sink;
  shown.id = "test.shown";
  shown.ins = &present_in;
  shown.start = on_start;
  shown.pause = on_pause;
  started = paused = 0;
}

static EveProgram *
make (EveComponent **sink, const EveClass *klass)
{
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *counts = box (p, &counter, "Counts");

  *sink = box (p, klass, "Shown");
  set_int (from, "count", 100);
  wire (from, "out", counts, "in");
  wire (counts, "n", *sink, "in");
  return p;
}

/* Who was shown something begins again where it was: it is paused before, as everybody is who was started. */
static void
test_start_pause (void)
{
  EveComponent *sink;

  make_classes ();
  EveProgram *p = make (&sink, &shown);
  for (int i = 1; i <= 3; i++) {
    g_assert_cmpint (eve_run (p, 0), ==, EVE_BUDGET);
    g_assert_cmpint (started, ==, i);
    eve_rest (p, i);
    g_assert_cmpuint (box_count (sink), ==, 1);
    g_assert_cmpint (paused, ==, i - 1); /* what it shows stays until the program goes on */
  }
  eve_pause (p);
  g_assert_cmpint (paused, ==, 3);
  run_idle (p);
  g_assert_cmpint (paused, ==, 3);
  g_assert_cmpint (started, ==, 4);
  g_assert_cmpuint (box_count (sink), ==, 0);
  eve_rest (p, 9);
  eve_program_free (p);
  g_assert_cmpint (paused, ==, 4);
}

/* A run state that comes while a box shows something is the one that counts. */
static void
test_load (void)
{
  EveComponent *sink, *all;
  EveBlob *b = eve_blob_new ();
  size_t n;

  make_classes ();
  EveProgram *p = make (&sink, &shown);
  all = box (p, &box_sink, "All");
  wire (eve_find (p, "From"), "out", all, "in");
  run_idle (p);
  eve_component_save_run (all, b);
  const uint8_t *bytes = eve_blob_data (b, &n);
  EveBlobView *v = eve_blob_view_new (bytes, n);
  eve_rest (p, 1);
  g_assert_cmpint (box_logged (sink, 0), ==, 100);
  g_assert_true (eve_component_load_run (sink, v));
  g_assert_cmpuint (box_count (sink), ==, 100);
  run_idle (p);
  g_assert_cmpuint (box_count (sink), ==, 100);
  eve_blob_view_free (v);
  eve_blob_free (b);
  eve_program_free (p);
}

/* What is given as an array reaches those who are shown it, and nobody else. */
static bool
give_count (EveComponent *c, int64_t now)
{
  int64_t n[2] = { 7, (int64_t) box_count (c) };

  return eve_give (eve_base (c)->out[0], n, 2);
}

static void
hear (EveComponent *c, EveIn *in, const void *data, uint32_t n)
{
  g_array_append_vals ((GArray *) box_log (c), data, n);
}

static void
test_give (void)
{
  EveOutSpec wide = count_out[0];
  EveInSpec ins[2];
  EveClass ear[2];
  EveComponent *to[2];
  EveProgram *p = eve_program_new ();
  EveComponent *from = box (p, &box_source, "From"), *counts;

  make_classes ();
  wide.per_fire = 2;
  counter.outs = &wide;
  counter.at_rest = give_count;
  counts = box (p, &counter, "Counts");
  wire (from, "out", counts, "in");
  for (int i = 0; i < 2; i++) {
    ins[i] = (EveInSpec){ "in",          &eve_type_int64,  EVE_ASYNC,       .doc = "Number.",
                          .quiet = true, .commutes = true, .on_span = hear, .present = i == 0 };
    ear[i] = box_sink;
    ear[i].fire = NULL;
    ear[i].ins = &ins[i];
    to[i] = box (p, &ear[i], NULL);
    wire (counts, "n", to[i], "in");
  }
  for (int again = 0; again < 3; again++) {
    eve_run (p, again ? -1 : 0);
    g_assert_cmpuint (box_log (to[0])->len, ==, 0);
    eve_rest (p, again);
    g_assert_cmpuint (box_log (to[0])->len, ==, 2);
    g_assert_cmpint (box_logged (to[0], 0), ==, 7);
    g_assert_cmpint (box_logged (to[0], 1), ==, (int64_t) box_count (counts));
    g_assert_cmpuint (box_log (to[1])->len, ==, 0);
  }
  eve_program_free (p);
}

/* ---- who is at work ---- */
static EveWatch *watched;

static bool
look_at_watch (EveComponent *c, int64_t now)
{
  EveWatched who;

  g_assert_true (eve_watch_who (watched, &who));
  g_assert_cmpstr (who.function, ==, now == 7 ? "at_rest" : "at_end");
  g_assert_cmpstr (who.box, ==, "Counts");
  if (now == 7)
    eve_fail (c, "stopped at %d", (int) now);
  return true;
}

static bool
look_at_end (EveComponent *c)
{
  return look_at_watch (c, 0);
}

/* A component that dies or fails at rest is told by that function. */
static void
test_watched (void)
{
  EveComponent *sink;

  make_classes ();
  counter.at_rest = look_at_watch;
  counter.at_end = look_at_end;
  watched = eve_watch_new ();
  eve_watch_use (watched);
  EveProgram *p = make (&sink, &shown);
  run_idle (p);
  eve_rest (p, 7);
  assert_contains (eve_program_failure (p, NULL), "Counts: stopped at 7");
  eve_program_free (p);
  eve_watch_use (NULL);
  eve_watch_free (watched);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rest/start-pause", test_start_pause);
  g_test_add_func ("/rest/load", test_load);
  g_test_add_func ("/rest/give", test_give);
  g_test_add_func ("/rest/watched", test_watched);
  return g_test_run ();
}
