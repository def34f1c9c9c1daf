/* SPDX-License-Identifier: Apache-2.0 */
/* pvm-impossible-test.c - what the model does not allow, what no reader should give, and programs
 * that never receive. */
#include "play.h"

static void
expect_impossible (Play *p, guint n, const char *sentence)
{
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, n);
  g_assert_cmpstr (p->pvm->store.graph.impossible->pdata[n - 1], ==, sentence);
}

static void
test_impossible (void)
{
  g_autoptr (Play) p = play_new (4, 1, false);

  fake (p->fake, 0, 0, "Enroll", 0);
  fake (p->fake, 10, 5, "Recv", 0, P (1), .tag = 6, .size = 3, .result = 1); /* nobody sent it */
  fake (p->fake, 20, 5, "Spawn", 1, .result = 0);                            /* was not born */
  fake (p->fake, 30, 0, "Enroll", 0);                                        /* lives already */
  fake (p->fake, 40, 1, "LvGroup", 0, G (0), .result = 0);
  fake (p->fake, 50, 1, "JoinGroup", 0, G (0), .result = 0);
  fake (p->fake, 52, 1, "JoinGroup", 0, G (0), .result = 0);
  fake (p->fake, 60, 0, "Exit", 1);
  fake (p->fake, 70, FAKE_UNFINISHED, "Spawn", 1);       /* is dead */
  fake (p->fake, 80, 0, "Enroll", 1);                    /* rises again */
  fake (p->fake, 90, 5, "Send", 0, .tag = 1, .size = 1); /* to nobody */
  fake (p->fake, 100, FAKE_UNFINISHED, "Recv", 1, ASKED (0), .tag = 1);
  fake (p->fake, 110, 0, "Exit", 1); /* inside a call */
  expect_at (p, 10, "t0 State=Idle");
  expect_at (p, 15, "t0 State=Busy");
  expect_impossible (p, 1, "0.000000015 s, EndRecv of t0: receives from t1 a message with tag 6 that was not sent");
  play_until (p, 20);
  expect_impossible (p, 2, "0.00000002 s, Spawn of t1: comes from a task that was not born; taken as Busy from now on");
  expect_now (p, "t1 State=Overhead", "t1->t0 State=Unused|TotalTraffic=0");
  expect_at (p, 30, "t1 State=Busy");
  expect_impossible (p, 3, "0.00000003 s, Enroll of t0: is the second birth of a living task; left out");
  play_until (p, 41);
  expect_impossible (p, 4, "0.000000041 s, EndLvGroup of t0: leaves the group g0 without being in it");
  play_until (p, 53);
  expect_impossible (p, 5, "0.000000053 s, EndJoinGroup of t0: is in the group g0 already");
  expect_now (p, "t0 Groups=g0");
  play_until (p, 70);
  expect_impossible (p, 6, "0.00000007 s, Spawn of t1: comes from a task that is dead; left out");
  expect_now (p, "t1 State=Dead", "t1->t0 State=Dead");
  play_until (p, 80);
  expect_impossible (p, 7, "0.00000008 s, Enroll of t1: is the second birth of a task that has died");
  expect_now (p, "t1 State=Busy", "t1->t0 State=Unused");
  play_until (p, 95);
  expect_impossible (p, 8, "0.000000095 s, EndSend of t0: sends to nobody");
  expect_at (p, 100, "t0->t1 State=Idle");
  play_until (p, 110);
  expect_impossible (p, 9, "0.00000011 s, Exit of t1: leaves PVM inside a call that has not ended");
  expect_now (p, "t0->t1 State=Unused|Usage=0");
}

/* Events that no reader should give; nothing may break. */
static void
test_malformed (void)
{
  g_autoptr (Play) p = play_new (2, 1, true);
  TraceEvent e = { .date = 10,
                   .record = 0,
                   .task = 0,
                   .peer = TRACE_NONE,
                   .object = TRACE_NONE,
                   .result = 0,
                   .kind = fake_kind ("Send"),
                   .flags = TRACE_END,
                   .source = fake_source (p->fake)->number };

  play_until (p, 0);
  pvm_step (p->pvm, &e); /* nobody's end */
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, 2);
  e.peer = 1;
  e.size = INT64_MAX;
  pvm_step (p->pvm, &e); /* an end without a begin: the message is there all the same */
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, 3);
  expect_now (p, "t0->t1 Traffic=1099511627776");
  e.size = INT64_MIN;
  e.date = 5;
  pvm_step (p->pvm, &e); /* goes back in time, and takes no bytes away */
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, 5);
  expect_now (p, "t0->t1 Traffic=1099511627776");
  g_assert_cmpint (p->pvm->store.graph.clock, ==, 10);
  e.kind = 500;
  pvm_step (p->pvm, &e);
  e.kind = fake_kind ("Send");
  e.task = 77;
  pvm_step (p->pvm, &e);
  e.task = 0;
  e.source++;
  pvm_step (p->pvm, &e);
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, 9); /* three, and one more that goes back in time */
  e.source--;
  e.kind = fake_kind ("JoinGroup");
  e.flags = TRACE_INSTANT;
  e.object = 99;
  pvm_step (p->pvm, &e);
  e.object = TRACE_NONE;
  pvm_step (p->pvm, &e);
  expect_now (p, "t0 State=Busy");
  g_assert_cmpuint (p->pvm->store.graph.n_events, ==, 10);
}

/* Beyond STORE_MOST_ROWS messages that differ, sizes and then tags are not kept apart; numbers and sums stay right. */
static void
test_many_unreceived (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);
  const int64_t n = STORE_MOST_ROWS + 1000;
  TraceEvent e = { .task = 0,
                   .peer = 1,
                   .object = TRACE_NONE,
                   .kind = fake_kind ("Send"),
                   .flags = TRACE_INSTANT,
                   .source = fake_source (p->fake)->number };
  int64_t sum = 0, size, sent;

  play_until (p, 0);
  for (int64_t i = 0; i < n; i++) {
    e.date = i;
    e.tag = (int32_t) (i % 4 == 0 ? i : 1); /* ever new tags, and ever new sizes of one */
    e.size = i;
    sum += i;
    pvm_step (p->pvm, &e);
  }
  g_assert_cmpuint (p->pvm->store.messages.rows_used, <=, STORE_MOST_ROWS + 1);
  g_assert_cmpuint (p->pvm->store.messages.n_mixed, ==, 1);
  expect_now (p, "t0->t1 State=Overhead");
  e.task = 1;
  e.peer = 0;
  e.kind = fake_kind ("Recv");
  e.result = 1;
  for (int64_t i = 0; i < n; i++) {
    e.date = n + i;
    e.tag = (int32_t) (i % 4 == 0 ? i : 1);
    e.size = i;
    pvm_step (p->pvm, &e);
  }
  expect_possible (p);
  expect_now (p, "t0->t1 State=Unused|Traffic=0");
  g_autofree char *total = g_strdup_printf ("%" G_GINT64_FORMAT, sum);
  expect_link (p, 0, 1, "TotalTraffic", total);
  g_assert_cmpuint (p->pvm->store.messages.rows_used, ==, 0);
  g_assert_cmpuint (p->pvm->store.messages.n_queues, ==, 0);
  g_assert_false (store_queue_pop (&p->pvm->store, 0, 1, &size, &sent));
}

/* Calls that begin and begin, and then end in the order they began: no program does that, and a damaged trace costs no
 * more. */
static void
test_deep (void)
{
  enum { N = 20000 };
  g_autoptr (Play) p = play_new (1, 0, true);
  TraceEvent e = { .task = 0,
                   .peer = TRACE_NONE,
                   .object = TRACE_NONE,
                   .kind = fake_kind ("Barrier"),
                   .source = fake_source (p->fake)->number };

  play_until (p, 0);
  for (uint32_t i = 0; i < N; i++) {
    e.date = e.record = 1000 + i;
    pvm_step (p->pvm, &e);
  }
  g_assert_cmpuint (task_at (p->pvm, 0)->depth, ==, CALLS_MAX);
  g_assert_cmpuint (p->pvm->n_outer, ==, CALLS_MAX);
  expect_now (p, "t0 State=Idle");
  g_assert_cmpstr (p->pvm->store.graph.impossible->pdata[0], ==,
                   "0.000001501 s, Barrier of t0: begins inside of 501 other calls; taken as a call without duration "
                   "where it ends");
  e.flags = TRACE_END;
  for (uint32_t i = 0; i < N; i++) {
    e.date = 1000 + N + i;
    e.record = 1000 + i;
    pvm_step (p->pvm, &e);
    if (i == CALLS_MAX - 1)
      expect_task (p, 0, "State", "Idle");
    else if (i == CALLS_MAX)
      expect_task (p, 0, "State", "Busy");
  }
  g_assert_cmpuint (task_at (p->pvm, 0)->depth, ==, 0);
  g_assert_cmpuint (p->pvm->store.graph.n_impossible, ==, 2 * (N - CALLS_MAX - 1));
  expect_now (p, "t0 State=Busy");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pvm/impossible", test_impossible);
  g_test_add_func ("/pvm/malformed", test_malformed);
  g_test_add_func ("/pvm/many-unreceived", test_many_unreceived);
  g_test_add_func ("/pvm/deep", test_deep);
  return g_test_run ();
}
