/* SPDX-License-Identifier: Apache-2.0 */
/* kinds-test.c - every type of event of table 2.4, written by hand: what comes out of it, in both byte orders, with the
 * index and without. */
#include "hand.h"

/* Each type once at least; dates are milliseconds. */
static Hand *
everything (void)
{
  Hand *h = hand_new ();
  int64_t mutex = hand_word ("mutex"), step = hand_word ("step");

  hand (h, 0, 0, TskBth, 0, 0, 0, 4711);
  hand (h, 1, 0, TskBth, 0, 1, 0, 4712);
  hand (h, 0, 0, SemInit, 0, 2, 0, 3, 1, 5, mutex);
  hand (h, 0, 1, ThdBth, 0, 3, 0, 0, 6, hand_word ("helper"));
  hand (h, 0, 0, Run, 0, 4, 0, 1);
  hand (h, 0, 1, SemP, 0, 5, 2, 3);
  hand (h, 1, 0, Alt, 0, 6, 3, 2, 0, 2);
  hand (h, 0, 1, SemG, TAPE_SemP, 7, 2, 3, 0);
  hand (h, 0, 0, Send, 0, 8, 12, 0, 4096);
  hand (h, 1, 0, EndAlt, TAPE_Alt, 9, 3, 0, 0);
  hand (h, 1, 0, Receive, 0, 10, 9, 0, 8192);
  hand (h, 0, 1, SemV, 0, 11, 0, 3, 1);
  hand (h, 0, 1, Stop, 0, 12, 0);
  hand_cut (h, 1);
  hand (h, 1, 0, EndReceive, TAPE_Receive, 19, 9, 0, 4096, 1, 0);
  hand (h, 0, 0, EndSend, TAPE_Send, 20, 12, 0, 4096, 1, 0);
  hand (h, 1, 0, TSend, 0, 21, 5, 1, 64, 5000000);
  hand (h, 0, 0, SemGOk, 0, 22, 0, 3, 1, 0);
  hand (h, 0, 0, Wait, 0, 23, 2, 2000000);
  hand0 (h, 0, 0, EndWait, TAPE_Wait, 25, 2);
  hand (h, 1, 0, Timeout, TAPE_TSend, 26, 5, 1);
  hand_cut (h, 0);
  hand (h, 0, 0, TReceive, 0, 27, 3, 1, 100, 1000000000);
  hand (h, 1, 0, TSend, 0, 28, 2, 1, 8, 1000000000);
  hand (h, 0, 0, EndReceive, TAPE_TReceive, 30, 3, 1, 8, 1, 0);
  hand (h, 1, 0, EndSend, TAPE_TSend, 30, 2, 1, 8, 1, 0);
  hand (h, 1, 0, NAlt, 0, 31, 0, 1, 2);
  hand (h, 1, 0, EndAlt, TAPE_NAlt, 31, 0, -1, -1);
  hand (h, 0, 0, User, 0, 32, 0, -7, 4, step);
  hand (h, 0, 0, Phase, 0, 33, 4, 2, 4, step);
  hand0 (h, 0, 1, ThdDth, 0, 34, 0);
  hand (h, 0, 0, EndPhase, TAPE_Phase, 37, 4, 2, 4, step);
  hand (h, 1, 0, Receive, 0, 38, -1, 2, 16);
  hand (h, 0, 0, TskDth, 0, 39, 0, -9);
  return h;
}

static const char names[] =
    "0 TskBth, 1 TskBth, 2 SemInit, 3 ThdBth, 4 Run, 5 SemP, 6 Alt, 7 SemG, 8 Send, 9 EndAlt, 10 Receive, 11 SemV, 12 "
    "Stop, "
    "19 EndReceive, 20 EndSend, 21 TSend, 22 SemGOk, 23 Wait, 25 EndWait, 26 Timeout, 27 TReceive, 28 TSend, 30 "
    "EndReceive, "
    "30 EndSend, 31 NAlt, 31 EndAlt, 32 User, 33 Phase, 34 ThdDth, 37 EndPhase, 38 Receive, 39 TskDth";

/* One line an event. */
static const char *const sentences[] = {
  "a is born",
  "b is born",
  "a makes semaphore 3 “mutex” with value 1",
  "a, thread helper, is born “helper”",
  "a lets thread 1 run",
  "a, thread helper, wants semaphore 3; this takes 2\u2009ms",
  "b waits for a sender among a, a; this takes 3\u2009ms",
  "a, thread helper, has taken semaphore 3, after 2\u2009ms",
  "a sends 4,096 bytes to b; this takes 12\u2009ms",
  "b finds that a sends, after 3\u2009ms",
  "b receives from a; this takes 9\u2009ms",
  "a, thread helper, gives back semaphore 3",
  "a, thread helper, stops until somebody runs it",
  "b has received 4,096 bytes from a, after 9\u2009ms",
  "a has sent 4,096 bytes to b, after 12\u2009ms",
  "b sends 64 bytes to a, for 5\u2009ms at most; this takes 5\u2009ms",
  "a finds semaphore 3 taken",
  "a sleeps, for 2\u2009ms at most; this takes 2\u2009ms",
  "a wakes up, after 2\u2009ms",
  "b gives up: a has not come in time, after 5\u2009ms",
  "a receives from b, for 1\u2009s at most; this takes 3\u2009ms",
  "b sends 8 bytes to a, for 1\u2009s at most; this takes 2\u2009ms",
  "a has received 8 bytes from b, after 3\u2009ms",
  "b has sent 8 bytes to a, after 2\u2009ms",
  "b looks for a sender among a; this takes 0\u2009s",
  "b finds nobody who sends, after 0\u2009s",
  "a says “step” -7",
  "a begins the phase “step”; this takes 4\u2009ms",
  "a, thread helper, ends",
  "a ends the phase “step”, after 4\u2009ms",
  "b receives from a, which never ends",
  "a is killed by signal 9",
};

static char *
json (const GArray *events, guint i)
{
  GString *to = g_string_new (NULL);

  trace_json (&g_array_index (events, TraceEvent, i), to);
  return g_string_free (to, FALSE);
}

static void
expect_everything (Hand *h)
{
  TraceSource *s = hand_open (h);
  g_autoptr (GArray) all = hand_read (s), back = hand_read_back (s);

  g_assert_cmpuint (s->n_damaged, ==, 0);
  g_assert_cmpuint (s->n_events, ==, G_N_ELEMENTS (sentences));
  g_assert_cmpint (s->first, ==, 0);
  g_assert_cmpint (s->last, ==, 39);
  expect_text (hand_names (all), names);
  for (guint i = 0; i < all->len; i++) {
    const TraceEvent *e = &g_array_index (all, TraceEvent, i);
    expect_text (trace_sentence (e), sentences[i]);
    g_assert_cmpuint (e->number, ==, i);
    g_assert_true (hand_same (e, &g_array_index (back, TraceEvent, all->len - 1 - i)));
  }
  expect_text (json (all, 6),
               "{\"t\": 0.006, \"kind\": \"Alt\", \"task\": \"b\", \"duration\": 0.003, \"among\": [\"a\", \"a\"], "
               "\"links\": [\"ab\", \"ab2\"], \"from\": null, \"link\": null, \"result\": null, \"thread\": 0, "
               "\"physical\": 0, \"virtual\": 1}");
  expect_text (json (all, 14),
               "{\"t\": 0.02, \"kind\": \"Send\", \"end\": true, \"task\": \"a\", \"duration\": 0.012, "
               "\"to\": [\"b\"], \"link\": \"ab\", \"bytes\": 4096, \"meeting\": 1, \"result\": 0, \"thread\": 0, "
               "\"physical\": 1, \"virtual\": 0}");
  expect_text (json (all, 19),
               "{\"t\": 0.026, \"kind\": \"Timeout\", \"end\": true, \"task\": \"b\", \"duration\": 0.005, "
               "\"from\": \"a\", \"link\": \"ba\", \"thread\": 0, \"physical\": 0, \"virtual\": 1}");
  expect_text (json (all, 2), "{\"t\": 0.002, \"kind\": \"SemInit\", \"task\": \"a\", \"semaphore\": 3, \"value\": 1, "
                              "\"name\": \"mutex\", \"thread\": 0, \"physical\": 1, \"virtual\": 0}");
  trace_close (s);
}

static void
test_everything (void)
{
  g_autoptr (Hand) h = everything ();

  hand_write (h);
  expect_everything (h);
}

static void
test_other_order (void)
{
  g_autoptr (Hand) h = everything ();

  h->swap = true;
  hand_write (h);
  expect_everything (h);
}

/* Blocks are found by walking. */
static void
test_no_index (void)
{
  for (int swap = 0; swap < 2; swap++) {
    g_autoptr (Hand) h = everything ();
    h->swap = swap;
    h->no_index = true;
    hand_write (h);
    expect_everything (h);
  }
}

static void
test_topology (void)
{
  g_autoptr (Hand) h = everything ();

  hand_write (h);
  TraceSource *s = hand_open (h);
  g_assert_cmpuint (s->tasks->len, ==, 2);
  g_assert_cmpstr (trace_task_id (s, 0), ==, "a");
  g_assert_cmpstr (trace_task (s, 0)->program, ==, "first");
  g_assert_null (trace_task (s, 1)->program);
  g_assert_cmpuint (trace_task (s, 0)->host, ==, 1);
  g_assert_cmpuint (trace_task (s, 1)->host, ==, 0);
  g_assert_cmpstr (((TraceHost *) s->hosts->pdata[1])->name, ==, "p 1");
  g_assert_cmpuint (s->objects->len, ==, 3);
  g_assert_cmpstr (trace_object_id (s, 2), ==, "ab2");
  g_assert_cmpuint (((TraceObject *) s->objects->pdata[1])->from, ==, 1);
  g_assert_cmpuint (((TraceObject *) s->objects->pdata[1])->to, ==, 0);
  g_assert_cmpint (s->clock.ticks_per_second, ==, 1000);
  g_assert_true (s->abilities == (TRACE_SORTED | TRACE_BACKWARD | TRACE_SEEK));
  trace_close (s);
  /* equal names get their number */
  hand_text (h, "topology",
             "#TAPE 1\nprocessor 0 p\nprocessor 1 q\nvirtual 0 0\nvirtual 1 1\ntask 0 0 x\ntask 1 0 x\nlink 0 0 1 l\n"
             "link 1 1 0 l\nlink 2 0 1 l\n");
  s = hand_open (h);
  g_assert_cmpstr (trace_task_id (s, 0), ==, "x");
  g_assert_cmpstr (trace_task_id (s, 1), ==, "x#1");
  g_assert_cmpuint (s->n_damaged, ==, 0);
  trace_close (s);
}

/* A strict reader is content with a whole trace. */
static void
test_strict (void)
{
  g_autoptr (Hand) h = everything ();
  g_autoptr (GError) error = NULL;
  TraceOptions strict = { .strict = true };

  hand_write (h);
  TraceSource *s = tape_format.open (h->bundle, h->folder, &strict, &error);
  g_assert_no_error (error);
  g_autoptr (GArray) all = hand_read (s);
  g_assert_cmpuint (all->len, ==, G_N_ELEMENTS (sentences));
  trace_close (s);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tape/kinds/everything", test_everything);
  g_test_add_func ("/tape/kinds/other-order", test_other_order);
  g_test_add_func ("/tape/kinds/no-index", test_no_index);
  g_test_add_func ("/tape/kinds/topology", test_topology);
  g_test_add_func ("/tape/kinds/strict", test_strict);
  return g_test_run ();
}
