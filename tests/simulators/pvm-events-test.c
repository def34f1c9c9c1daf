/* SPDX-License-Identifier: Apache-2.0 */
/* pvm-events-test.c - each class of event with states and attributes worked out by hand, before, during and after,
 * as the figures A.3 to A.8 of the thesis show them. */
#include "play.h"

/* Figure A.3. */
static void
test_birth_and_death (void)
{
  g_autoptr (Play) p = play_new (3, 0, false);

  fake (p->fake, 10, 0, "Enroll", 0);
  fake (p->fake, 20, 0, "Enroll", 1);
  fake (p->fake, 30, 5, "Send", 0, P (1), .tag = 1, .size = 100);
  fake (p->fake, 40, 5, "Send", 1, P (0), .tag = 1, .size = 7);
  fake (p->fake, 60, 0, "Exit", 0);
  play_until (p, 9);
  g_assert_cmpuint (p->pvm->store.graph.n_nodes, ==, 0);
  expect_at (p, 15, "t0 State=Busy|Name=t0|Clock=0.00000001", "!t1");
  expect_at (p, 50, "t0->t1 State=Overhead", "t1->t0 State=Overhead");
  expect_at (p, 60, "t0 State=Dead", "t1 State=Busy", "t0->t1 State=Dead", /* it issues from the dead task */
             "t1->t0 State=Overhead",                                      /* the other one does not */
             "t0->t1 Traffic=100");                                        /* still to be received */
  /* 50 ns alive, 5 of them in Send; the clock of the dead stands still. */
  expect_text (play_task (p, 0, "PercentOverhead", 60), "10.0");
  expect_text (play_task (p, 0, "PercentOverhead", 1000), "10.0");
  expect_text (play_task (p, 0, "PercentBusy", 1000), "90.0");
  /* Link: born 35, dead 60, all of it in Overhead. */
  expect_text (play_link (p, 0, 1, "PercentOverhead", 1000), "100.0");
  expect_possible (p);
  p->keep_the_dead = false;
  expect_now (p, "!t0", "!t1->t0", "t1 State=Busy");
  g_assert_cmpuint (state_count (&p->pvm->store.graph, STATE_NODE), ==, 1);
  g_assert_cmpuint (state_count (&p->pvm->store.graph, STATE_EDGE), ==, 0);
}

/* Figure A.4. */
static void
test_packing (void)
{
  g_autoptr (Play) p = play_new (1, 0, true);

  fake (p->fake, 100, 50, "PkInt", 0, .size = 8);
  fake (p->fake, 200, 25, "UpkInt", 0, .size = 8);
  expect_at (p, 99, "t0 State=Busy");
  expect_at (p, 100, "t0 State=Overhead");
  expect_at (p, 150, "t0 State=Busy|Clock=0.00000015");
  expect_at (p, 200, "t0 State=Overhead");
  expect_at (p, 225, "t0 State=Busy");
  expect_text (play_task (p, 0, "PercentOverhead", 300), "25.0"); /* (50 + 25) / 300 */
  expect_text (play_task (p, 0, "PercentBusy", 300), "75.0");
}

/* Section 2.4.1: the same as computing, if the user thinks so. */
static void
test_packing_ignored (void)
{
  g_autoptr (Play) p = play_new (1, 0, true);

  p->ignore_packing = true;
  fake (p->fake, 100, 50, "PkInt", 0, .size = 8);
  fake (p->fake, 160, 10, "Spawn", 0, .result = 1);
  expect_at (p, 120, "t0 State=Busy|Clock=0.000000"); /* nothing has changed */
  expect_at (p, 160, "t0 State=Overhead");
  play_until (p, 200);
  expect_text (play_task (p, 0, "PercentOverhead", 200), "5.0");
}

static void
test_groups (void)
{
  g_autoptr (Play) p = play_new (2, 2, true);

  fake (p->fake, 10, 5, "JoinGroup", 0, G (0), .result = 0);
  fake (p->fake, 20, 5, "JoinGroup", 0, G (1), .result = 0);
  fake (p->fake, 30, 5, "JoinGroup", 1, G (1), .result = -3); /* fails */
  fake (p->fake, 40, 5, "LvGroup", 0, G (0), .result = 0);
  expect_at (p, 12, "t0 Groups=", /* it counts when the call is over */
             "t0 State=Busy|Clock=0.000000");
  expect_at (p, 15, "t0 Groups=g0|State=Busy|Clock=0.000000015");
  expect_at (p, 25, "t0 Groups=g0, g1");
  expect_at (p, 35, "t1 Groups=");
  expect_at (p, 42, "t0 Groups=g0, g1");
  expect_at (p, 45, "t0 Groups=g1");
  expect_text (play_task (p, 0, "PercentBusy", 50), "100.0");
  expect_possible (p);
}

/* Figure A.5. */
static void
test_barrier (void)
{
  g_autoptr (Play) p = play_new (2, 1, true);

  fake (p->fake, 10, 30, "Barrier", 0, G (0), .result = 0);
  fake (p->fake, 35, 5, "Barrier", 1, G (0), .result = 0);
  expect_at (p, 10, "t0 State=Idle", "t1 State=Busy");
  expect_at (p, 35, "t1 State=Idle");
  expect_text (play_task (p, 0, "PercentIdle", 35), "71.4"); /* 25 / 35 */
  expect_at (p, 40, "t0 State=Busy", "t1 State=Busy");
  expect_text (play_task (p, 0, "PercentIdle", 40), "75.0");
  expect_text (play_task (p, 1, "PercentIdle", 40), "12.5");
}

/* Figure A.6, above: nobody waits. */
static void
test_send_unexpected (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 5, "Send", 0, P (1), .tag = 3, .size = 1000);
  fake (p->fake, 20, 5, "PSend", 0, P (1), .tag = 4, .size = 24);
  expect_at (p, 10, "t0 State=Overhead|Protagonists=t1", "t1 State=Busy", "!t0->t1"); /* the data have not left yet */
  expect_at (p, 15, "t0 State=Busy|Protagonists=", "t1 State=Busy",
             "t0->t1 State=Overhead|Name=t0->t1|Origin=t0|Destination=t1|Usage=1|Traffic=1000|TotalTraffic=0");
  expect_at (p, 25, "t0->t1 Usage=2|Traffic=1024|Clock=0.000000025");
  expect_text (play_link (p, 0, 1, "PercentOverhead", 115), "100.0"); /* since 15 */
}

/* Figure A.6, below, and A.7: somebody waits. */
static void
test_send_expected (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 30, "Recv", 1, P (0), .tag = 3, .size = 1000, .result = 1);
  fake (p->fake, 20, 10, "Send", 0, P (1), .tag = 3, .size = 1000);
  expect_at (p, 10, "t1 State=Idle|Protagonists=t0",
             "t0->t1 State=Idle|Traffic=1000", /* of the communication in progress */
             "t0->t1 Usage=1");
  expect_at (p, 20, "t0 State=Overhead", "t1 State=Idle");
  expect_at (p, 30, "t0 State=Busy", "t1 State=Talking", "t0->t1 State=Talking|Traffic=1000|Usage=2|TotalTraffic=0");
  expect_at (p, 40,
             "t1 State=Busy|Protagonists=", "t0->t1 State=Unused|Traffic=0|Usage=0|TotalTraffic=1000|Messages=1");
  /* Task 1: 10 Busy, 20 Idle, 10 Talking, 10 Busy. */
  expect_text (play_task (p, 1, "PercentIdle", 50), "40.0");
  expect_text (play_task (p, 1, "PercentTalking", 50), "20.0");
  expect_text (play_task (p, 1, "PercentBusy", 50), "40.0");
  /* Link, since 10: 20 Idle, 10 Talking, 10 Unused. */
  expect_text (play_link (p, 0, 1, "PercentIdle", 50), "50.0");
  expect_text (play_link (p, 0, 1, "PercentTalking", 50), "25.0");
  expect_text (play_link (p, 0, 1, "PercentUnused", 50), "25.0");
  expect_possible (p);
}

/* Figure A.8. */
static void
test_receive_present (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 5, "Send", 0, P (1), .tag = 3, .size = 600);
  fake (p->fake, 20, 5, "Send", 0, P (1), .tag = 3, .size = 400);
  fake (p->fake, 30, 10, "PRecv", 1, P (0), .tag = 3, .size = 600, .result = 0);
  fake (p->fake, 50, 10, "Recv", 1, P (0), .tag = 3, .size = 400, .result = 1);
  expect_at (p, 30, "t1 State=Overhead|Protagonists=t0",
             "t0->t1 State=Overhead|Traffic=1000|Usage=3");   /* two messages, one receive */
  expect_at (p, 40, "t1 State=Busy", "t0->t1 State=Overhead", /* there is more to be received */
             "t0->t1 Traffic=400|TotalTraffic=600|Usage=1");
  expect_at (p, 60, "t0->t1 State=Unused|Traffic=0|TotalTraffic=1000|Usage=0");
  expect_possible (p);
}

/* Waiting for one message does not hide another: FIFO by source, destination and tag. */
static void
test_tags (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 1, "Send", 0, P (1), .tag = 1, .size = 100);
  fake (p->fake, 20, 30, "Recv", 1, P (0), .tag = 2, .size = 50, .result = 1);
  fake (p->fake, 30, 1, "Send", 0, P (1), .tag = 1, .size = 10);
  fake (p->fake, 40, 1, "Send", 0, P (1), .tag = 2, .size = 50);
  fake (p->fake, 45, 1, "Send", 0, P (1), .tag = 1, .size = 1);
  fake (p->fake, 60, 5, "Recv", 1, P (0), .tag = 1, .size = 100, .result = 1);
  fake (p->fake, 70, 5, "Recv", 1, P (0), .tag = 1, .size = 10, .result = 1);
  fake (p->fake, 80, 5, "NRecv", 1, P (0), .tag = 1, .size = 1, .result = 1);
  expect_at (p, 20, "t1 State=Idle",
             "t0->t1 State=Idle|Traffic=50");                 /* what is waited for, not the 100 that lie there */
  expect_at (p, 31, "t1 State=Idle", "t0->t1 State=Overhead", /* unexpected data came */
             "t0->t1 Traffic=110");
  expect_at (p, 41, "t1 State=Talking", "t0->t1 State=Talking|Traffic=50");
  expect_at (p, 46, "t0->t1 State=Talking", /* goes on, whatever queues behind it */
             "t0->t1 Traffic=50|Usage=5");
  expect_at (p, 50, "t0->t1 State=Overhead|Traffic=111|TotalTraffic=50");
  expect_at (p, 65, "t0->t1 Traffic=11");
  expect_at (p, 75, "t0->t1 Traffic=1");
  expect_at (p, 80, "t1 State=Overhead");
  expect_at (p, 85, "t0->t1 State=Unused|TotalTraffic=161");
  expect_possible (p);
}

static void
test_trecv (void)
{
  g_autoptr (Play) p = play_new (3, 0, true);

  fake (p->fake, 10, 10, "TRecv", 1, ASKED (0), .tag = 3, .result = 0); /* runs out of time */
  fake (p->fake, 30, 10, "TRecv", 1, .tag = 3, .result = 0);            /* from anybody */
  fake (p->fake, 50, 20, "TRecv", 1, P (0), ASKED (0), .tag = 3, .size = 5, .result = 1);
  fake (p->fake, 60, 1, "Send", 0, P (1), .tag = 3, .size = 5);
  expect_at (p, 10, "t1 State=Idle|Protagonists=t0", "t0->t1 State=Idle|Traffic=0|Usage=1");
  expect_at (p, 20, "t1 State=Busy", "t0->t1 State=Unused|Usage=0|TotalTraffic=0");
  expect_at (p, 30, "t1 State=Idle|Protagonists=", "t0->t1 State=Unused");
  expect_at (p, 61, "t1 State=Talking");
  expect_at (p, 70, "t1 State=Busy", "t0->t1 TotalTraffic=5");
  expect_possible (p);
}

static void
test_nrecv (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 10, "NRecv", 1, ASKED (0), .tag = 3, .result = 0); /* nothing there */
  fake (p->fake, 30, 1, "Send", 0, P (1), .tag = 3, .size = 5);
  fake (p->fake, 40, 10, "NRecv", 1, P (0), ASKED (0), .tag = 3, .size = 5, .result = 1);
  fake (p->fake, 60, 10, "NRecv", 1, P (0), .tag = 3, .size = 6, .result = 1); /* sent only meanwhile */
  fake (p->fake, 58, 7, "Send", 0, P (1), .tag = 3, .size = 6);
  expect_at (p, 10, "t1 State=Overhead", /* not Idle */
             "!t0->t1");
  expect_at (p, 20, "t1 State=Busy");
  expect_at (p, 40, "t1 State=Overhead", "t0->t1 State=Overhead|Usage=2");
  expect_at (p, 50, "t1 State=Busy", "t0->t1 State=Unused|TotalTraffic=5");
  expect_at (p, 65, "t1 State=Overhead", /* a call that does not block does not talk */
             "t0->t1 State=Overhead");
  expect_at (p, 70, "t0->t1 State=Unused|TotalTraffic=11");
  expect_possible (p);
}

/* On several processors a receive may end before the call that sends has returned. */
static void
test_received_early (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 30, "Send", 0, P (1), .tag = 3, .size = 70);
  fake (p->fake, 20, 10, "Recv", 1, P (0), .tag = 3, .size = 70, .result = 1);
  fake (p->fake, 50, 30, "Mcast", 0, .list = (uint32_t[]){ 1, 2 }, .n_list = 2, .tag = 4, .size = 8);
  fake (p->fake, 55, 10, "Recv", 1, P (0), .tag = 4, .size = 8, .result = 1);
  expect_at (p, 25, "t1 State=Idle");
  expect_at (p, 30, "t1 State=Busy", "t0 State=Overhead", "t0->t1 State=Unused|TotalTraffic=70");
  expect_at (p, 40, "t0 State=Busy", "t0->t1 State=Unused", /* nothing is left lying on it */
             "t0->t1 Usage=0");
  expect_at (p, 80, "t0->t1 State=Unused|TotalTraffic=78", "t0->t2 State=Overhead|Traffic=8");
  expect_possible (p);
  g_assert_cmpuint (p->pvm->store.messages.n_early, ==, 0);
  g_assert_cmpuint (p->pvm->store.messages.n_queues, ==, 1);
}

static void
test_mcast (void)
{
  g_autoptr (Play) p = play_new (4, 0, true);

  fake (p->fake, 10, 30, "Recv", 2, P (0), .tag = 9, .size = 64, .result = 1);
  fake (p->fake, 20, 10, "Mcast", 0, .list = (uint32_t[]){ 1, 2, 3, 0 }, .n_list = 4, .tag = 9, .size = 64);
  fake (p->fake, 50, 10, "Recv", 1, P (0), .tag = 9, .size = 64, .result = 1);
  expect_at (p, 20, "t0 State=Overhead|Protagonists=t1, t2, t3", "t0->t2 State=Idle", "!t0->t1");
  expect_at (p, 30, "t0 State=Busy", "t0->t1 State=Overhead", "t0->t2 State=Talking", /* this one waited for it */
             "t2 State=Talking", "t0->t3 State=Overhead", "!t0->t0", /* pvm_mcast leaves its caller out */
             "t1 State=Busy");
  expect_at (p, 60, "t0->t1 State=Unused|TotalTraffic=64", "t0->t2 State=Unused", "t0->t3 Traffic=64");
  expect_possible (p);
}

static Play *
group_of_four (void)
{
  Play *p = play_new (5, 1, true);

  for (uint32_t i = 0; i < 4; i++)
    fake (p->fake, 1, 1, "JoinGroup", i, G (0), .result = (int32_t) i);
  return p;
}

static void
test_bcast (void)
{
  g_autoptr (Play) p = group_of_four ();

  fake (p->fake, 10, 10, "Bcast", 1, G (0), .tag = 5, .size = 32);
  fake (p->fake, 15, 10, "Recv", 0, P (1), .tag = 5, .size = 32, .result = 1);
  fake (p->fake, 40, 10, "Recv", 3, P (1), .tag = 5, .size = 32, .result = 1);
  expect_at (p, 15, "t1 State=Overhead|Protagonists=t0, t2, t3", "t0 State=Idle");
  expect_at (p, 20, "t1 State=Busy", "t1->t0 State=Talking", "t1->t2 State=Overhead", "t1->t3 State=Overhead",
             "!t1->t4",  /* not a member */
             "!t1->t1"); /* not to oneself */
  expect_at (p, 50, "t1->t0 TotalTraffic=32", "t1->t2 Traffic=32", "t1->t3 State=Unused");
  expect_possible (p);
}

static void
test_scatter (void)
{
  g_autoptr (Play) p = group_of_four ();

  fake (p->fake, 10, 30, "Scatter", 2, G (0), P (0), .tag = 5, .size = 16); /* before the root */
  fake (p->fake, 20, 10, "Scatter", 0, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 50, 10, "Scatter", 1, G (0), P (0), .tag = 5, .size = 16); /* after it */
  expect_at (p, 10, "t2 State=Idle|Protagonists=t0", "t0->t2 State=Idle");
  expect_at (p, 20, "t0 State=Overhead|Protagonists=t1, t2, t3");
  expect_at (p, 30, "t0 State=Busy", "t2 State=Talking", "t0->t2 State=Talking", "t0->t1 State=Overhead",
             "t0->t3 State=Overhead");
  expect_at (p, 50, "t0->t2 State=Unused|TotalTraffic=16", "t1 State=Overhead");
  expect_at (p, 60, "t1 State=Busy", "t0->t1 State=Unused", "t0->t3 Traffic=16");
  expect_possible (p);
}

static void
gather (const char *kind)
{
  g_autoptr (Play) p = group_of_four ();

  fake (p->fake, 10, 5, kind, 1, G (0), P (0), .tag = 5, .size = 16); /* before the root */
  fake (p->fake, 20, 60, kind, 0, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 30, 10, kind, 2, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 50, 40, kind, 3, G (0), P (0), .tag = 5, .size = 16); /* returns after the root */
  expect_at (p, 10, "t1 State=Overhead|Protagonists=t0");
  expect_at (p, 15, "t1->t0 State=Overhead");
  expect_at (p, 20, "t0 State=Idle", /* two parts are missing */
             "t0 Protagonists=t1, t2, t3", "t1->t0 State=Overhead|Usage=2", "t2->t0 State=Idle", "t3->t0 State=Idle");
  expect_at (p, 40, "t0 State=Talking", "t2->t0 State=Talking", "t3->t0 State=Idle");
  expect_at (p, 80, "t0 State=Busy");
  for (uint32_t i = 1; i < 4; i++) {
    expect_link (p, i, 0, "State", "Unused");
    expect_link (p, i, 0, "TotalTraffic", "16");
    expect_link (p, i, 0, "Usage", "0");
  }
  expect_at (p, 90, "t3->t0 State=Unused", "!t0->t1");
  expect_possible (p);
}

static void
test_gather (void)
{
  gather ("Gather");
}

static void
test_reduce (void)
{
  gather ("Reduce");
}

/* Every other call is time spent in PVM; what the program marks by itself is not. */
static void
test_functions_and_phases (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 50, "Phase", 0, .word = "solve");
  fake (p->fake, 20, 20, "Spawn", 0, .result = 1);
  fake (p->fake, 25, 20, "Phase", 0, .word = "inner");           /* ends after the call it began in */
  fake (p->fake, 50, 10, "Send", 0, P (1), .tag = 0, .size = 4); /* ends with the phase */
  fake (p->fake, 30, 0, "User", 0, .word = "here");
  expect_at (p, 10, "t0 State=Busy|Phase=solve");
  expect_at (p, 22, "t0 State=Overhead");
  expect_at (p, 30, "t0 State=Overhead|Phase=solve, inner");
  expect_at (p, 40, "t0 State=Busy");
  expect_at (p, 45, "t0 Phase=solve");
  expect_at (p, 55, "t0 State=Overhead|Protagonists=t1");
  expect_at (p, 60, "t0 State=Busy|Phase=");
  expect_text (play_task (p, 0, "PercentOverhead", 60), "50.0"); /* 20 + 10 of 60 */
  expect_possible (p);
}

/* A call inside another: afterwards the task is where the outer one has got to meanwhile. */
static void
test_nesting (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 50, "Recv", 1, P (0), .tag = 1, .size = 4, .result = 1);
  fake (p->fake, 20, 20, "Spawn", 1, .result = 1);
  fake (p->fake, 25, 5, "Send", 0, P (1), .tag = 1, .size = 4);
  expect_at (p, 15, "t1 State=Idle");
  expect_at (p, 30, "t1 State=Overhead", "t0->t1 State=Talking");
  expect_at (p, 40, "t1 State=Talking");
  expect_at (p, 60, "t1 State=Busy");
  expect_possible (p);
}

static void
test_errors (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 10, "Send", 0, P (1), .tag = 1, .size = 100, .result = -2);
  fake (p->fake, 10, 10, "Mcast", 2, .list = (uint32_t[]){ 0, 1 }, .n_list = 2, .tag = 1, .size = 9, .result = -2);
  fake (p->fake, 30, 10, "Recv", 1, ASKED (0), .tag = 1, .result = -7);
  expect_at (p, 15, "t0 State=Overhead");
  expect_at (p, 20, "t0 State=Busy", "!t0->t1", "!t2->t0");
  expect_at (p, 30, "t1 State=Idle", "t0->t1 State=Idle");
  expect_at (p, 40, "t1 State=Busy", "t0->t1 State=Unused|Messages=0");
  expect_possible (p);
}

/* A task that crashed or was killed has an Exit too, with a result below 0: it is as dead as any other. */
static void
test_killed (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 10, "Send", 0, P (1), .tag = 1, .size = 100);
  fake (p->fake, 30, 0, "Exit", 0, .result = -1);
  fake (p->fake, 10, FAKE_UNFINISHED, "Recv", 2, ASKED (1), .tag = 1);
  fake (p->fake, 40, 0, "Exit", 2, .result = -1);
  fake (p->fake, 60, 0, "Exit", 1, .result = -14);
  expect_at (p, 25, "t0 State=Busy", "t2 State=Idle", "t1->t2 State=Idle|Usage=1");
  expect_at (p, 30, "t0 State=Dead|PercentBusy=66.7", "t0->t1 State=Dead|Traffic=100");
  expect_at (p, 40, "t2 State=Dead|Protagonists=", "t1->t2 State=Unused|Usage=0");
  expect_at (p, 60, "t1 State=Dead", "t1->t2 State=Dead");
  expect_text (play_task (p, 0, "PercentBusy", 1000), "66.7"); /* of its life, which is over */
  expect_possible (p);
}

/* A message that a task is about to get when it is killed stays where it was: before those that came later. */
static void
test_killed_taking (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 5, "Send", 0, P (1), .tag = 1, .size = 8);
  fake (p->fake, 20, 5, "Send", 0, P (1), .tag = 1, .size = 5);
  fake (p->fake, 30, 30, "Recv", 1, P (0), .tag = 1, .size = 8, .result = 1);
  fake (p->fake, 40, 0, "Exit", 1, .result = -1);
  fake (p->fake, 50, 0, "Enroll", 1);
  fake (p->fake, 70, 5, "Recv", 1, P (0), .tag = 1, .size = 8, .result = 1);
  fake (p->fake, 80, 5, "Recv", 1, P (0), .tag = 1, .size = 5, .result = 1);
  expect_at (p, 35, "t1 State=Overhead", "t0->t1 Traffic=13|TotalTraffic=0");
  expect_at (p, 40, "t1 State=Dead", "t0->t1 Traffic=13|TotalTraffic=0");
  expect_at (p, 75, "t0->t1 Traffic=5|TotalTraffic=8|Messages=1");
  expect_at (p, 85, "t0->t1 Traffic=0|TotalTraffic=13|Messages=2");
}

static void
test_unfinished (void)
{
  g_autoptr (Play) p = play_new (4, 1, true);

  fake (p->fake, 10, FAKE_UNFINISHED, "Recv", 0, ASKED (1), .tag = 1);
  fake (p->fake, 10, FAKE_UNFINISHED, "Recv", 1, .tag = 1); /* from anybody */
  fake (p->fake, 10, FAKE_UNFINISHED, "Send", 2, P (1), .tag = 1, .size = 50);
  fake (p->fake, 10, FAKE_UNFINISHED, "Barrier", 3, G (0));
  expect_at (p, 1000, "t0 State=Idle|Protagonists=t1", "t1->t0 State=Idle|Traffic=0",
             "t1 State=Idle|Protagonists=", "t2 State=Overhead", "!t2->t1", "t3 State=Idle");
  expect_text (play_task (p, 3, "PercentIdle", 1000), "99.0");
  expect_possible (p);
}

/* Calls that were told of when they began, as a trace has them that is followed while it is written. */
static void
test_late (void)
{
  g_autoptr (Play) p = play_new (4, 1, true);

  fake (p->fake, 10, 40, "Recv", 1, P (0), .tag = 1, .size = 100, .result = 1, .late = true); /* from anybody */
  fake (p->fake, 20, 5, "Send", 0, P (1), .tag = 1, .size = 100);
  fake (p->fake, 60, 20, "Recv", 1, P (0), ASKED (0), .tag = 1, .size = 7, .result = 1, .late = true);
  fake (p->fake, 62, 8, "Send", 0, P (1), .tag = 1, .size = 7, .late = true);
  fake (p->fake, 90, 5, "NRecv", 1, .tag = 1, .result = 0, .late = true); /* nothing was there */
  expect_at (p, 15, "t1 State=Idle|Protagonists=", "!t0->t1");
  expect_at (p, 30, "t1 State=Idle", "t0->t1 State=Overhead|Traffic=100|Usage=1|Messages=0");
  expect_at (p, 50, "t1 State=Busy", "t0->t1 State=Unused|Traffic=0|Usage=0|TotalTraffic=100|Messages=1");
  expect_at (p, 61, "t1 State=Idle|Protagonists=t0", "t0->t1 State=Idle|Usage=1");
  expect_at (p, 65, "t0 State=Overhead|Protagonists=t1");
  expect_at (p, 80, "t1 State=Busy", "t0->t1 State=Unused|Usage=0|TotalTraffic=107|Messages=2");
  expect_at (p, 100, "t1 State=Busy", "t0->t1 State=Unused|Usage=0|TotalTraffic=107|Messages=2");
  expect_possible (p);
}

static void
test_late_group (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  for (uint32_t i = 0; i < 3; i++)
    fake (p->fake, 1 + i, 1, "JoinGroup", i, G (0), .result = (int32_t) i, .late = i == 1);
  fake (p->fake, 10, 20, "Gather", 0, P (0), G (0), .tag = 2, .size = 8, .late = true);
  fake (p->fake, 12, 4, "Gather", 1, P (0), G (0), .tag = 2, .size = 8, .late = true);
  fake (p->fake, 14, 4, "Gather", 2, P (0), G (0), .tag = 2, .size = 8);
  fake (p->fake, 40, 5, "Scatter", 0, P (0), G (0), .tag = 3, .size = 5, .late = true);
  fake (p->fake, 38, 20, "Scatter", 1, P (0), G (0), .tag = 3, .size = 5, .late = true);
  fake (p->fake, 46, 4, "Scatter", 2, P (0), G (0), .tag = 3, .size = 5, .late = true);
  expect_at (p, 11, "t0 State=Idle", "t1->t0 State=Idle|Usage=1");
  expect_at (p, 17, "t1->t0 State=Overhead|Traffic=8");
  expect_at (p, 35, "t0 State=Busy", "t1->t0 State=Unused|TotalTraffic=8|Messages=1", "t2->t0 TotalTraffic=8|Usage=0");
  expect_at (p, 39, "t1 State=Idle|Protagonists=t0");
  expect_at (p, 60, "t0->t1 State=Unused|TotalTraffic=5|Usage=0", "t0->t2 State=Unused|TotalTraffic=5|Usage=0");
  expect_possible (p);
}

/* A message may be sent to a task that has been spawned but has not called PVM yet. */
static void
test_send_before_birth (void)
{
  g_autoptr (Play) p = play_new (2, 0, false);

  fake (p->fake, 0, 0, "Enroll", 0);
  fake (p->fake, 10, 5, "Send", 0, P (1), .tag = 1, .size = 50);
  fake (p->fake, 30, 0, "Enroll", 1);
  expect_at (p, 20, "!t1", "!t0->t1");
  g_assert_cmpuint (state_count (&p->pvm->store.graph, STATE_NODE), ==, 1);
  expect_at (p, 30, "t1 State=Busy", "t0->t1 State=Overhead");
  expect_text (play_task (p, 1, "PercentBusy", 40), "100.0");
  expect_possible (p);
}

/* Messages to oneself, and more from a task that has died since. */
static void
test_self_and_late (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 5, "Send", 0, P (0), .tag = 1, .size = 50);
  fake (p->fake, 20, 5, "Recv", 0, P (0), .tag = 1, .size = 50, .result = 1);
  fake (p->fake, 30, 5, "Send", 0, P (1), .tag = 1, .size = 8);
  fake (p->fake, 40, 0, "Exit", 0);
  fake (p->fake, 50, 10, "Recv", 1, P (0), .tag = 1, .size = 8, .result = 1);
  fake (p->fake, 70, FAKE_UNFINISHED, "Recv", 1, ASKED (0), .tag = 1);
  expect_at (p, 25, "t0->t0 TotalTraffic=50|State=Unused");
  expect_at (p, 50, "t1 State=Overhead", "t0->t1 State=Dead");
  expect_at (p, 60, "t0->t1 State=Dead|Traffic=0|TotalTraffic=8");
  expect_at (p, 70, "t1 State=Idle", "t0->t1 State=Dead"); /* it can wait for ever */
  expect_possible (p);
}

/* Receivers are the members at the begin: those who leave, join or die during the call change nothing for it. */
static void
test_members_at_begin (void)
{
  g_autoptr (Play) p = play_new (6, 1, true);

  for (uint32_t i = 0; i < 5; i++)
    fake (p->fake, 1 + i, 1, "JoinGroup", i, G (0), .result = (int32_t) i);
  fake (p->fake, 10, 40, "Bcast", 0, G (0), .tag = 3, .size = 7);
  fake (p->fake, 12, 2, "LvGroup", 1, G (0), .result = 0);
  fake (p->fake, 12, 2, "JoinGroup", 5, G (0), .result = 5);
  fake (p->fake, 20, 10, "Recv", 2, P (0), .tag = 3, .size = 7, .result = 1);
  fake (p->fake, 32, 2, "LvGroup", 2, G (0), .result = 0); /* has its message, before the call has ended */
  fake (p->fake, 34, 0, "Exit", 3, .result = -1);
  fake (p->fake, 60, 5, "Recv", 1, P (0), .tag = 3, .size = 7, .result = 1);
  fake (p->fake, 70, 10, "Scatter", 4, G (0), P (4), .tag = 4, .size = 2);
  fake (p->fake, 72, 1, "LvGroup", 0, G (0), .result = 0);
  expect_at (p, 10, "t0 Protagonists=t1, t2, t3, t4|Clock=0.00000001");
  expect_at (p, 49, "t0 Protagonists=t1, t2, t3, t4|Clock=0.00000001", "t0->t2 TotalTraffic=7");
  expect_at (p, 50, "t0->t1 Traffic=7|State=Overhead", "t0->t2 Traffic=0|TotalTraffic=7", "t0->t3 Traffic=7",
             "t0->t4 Traffic=7", "!t0->t5");
  expect_at (p, 65, "t0->t1 Traffic=0|TotalTraffic=7");
  expect_at (p, 75, "t4 Protagonists=t0, t5");
  expect_at (p, 80, "t4->t0 Traffic=2", "t4->t5 Traffic=2", "!t4->t1", "!t4->t2", "!t4->t3");
  expect_possible (p);
}

/* A receive that does not wait uses the link from its begin, whenever its message comes, and asks somebody even if it
 * gets nothing. */
static void
test_nrecv_in_progress (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 5, 20, "Send", 0, P (1), .tag = 1, .size = 9);
  fake (p->fake, 10, 30, "NRecv", 1, P (0), .tag = 1, .size = 9, .result = 1);
  fake (p->fake, 10, 30, "NRecv", 2, ASKED (0), .tag = 1);
  expect_at (p, 10, "t1 State=Overhead|Protagonists=t0", "t0->t1 State=Unused|Usage=1|Traffic=0",
             "t2 State=Overhead|Protagonists=t0", "!t0->t2");
  expect_at (p, 25, "t1 State=Overhead", "t0->t1 State=Overhead|Usage=2|Traffic=9");
  expect_at (p, 40, "t1 State=Busy|Protagonists=", "t2 State=Busy|Protagonists=",
             "t0->t1 State=Unused|Usage=0|TotalTraffic=9|Messages=1");
  expect_possible (p);
}

/* Every attribute that takes another value moves the Clock: phases too, and calls of several inside others. */
static void
test_clock_of_phases (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 40, "Phase", 0, .word = "outer");
  fake (p->fake, 20, 10, "Phase", 0, .word = "inner");
  fake (p->fake, 60, 30, "Mcast", 0, .list = (uint32_t[]){ 1, 2 }, .n_list = 2, .tag = 1, .size = 9);
  fake (p->fake, 70, 5, "Mcast", 0, .list = (uint32_t[]){ 1 }, .n_list = 1, .tag = 1, .size = 9);
  expect_at (p, 10, "t0 Clock=0.00000001|Phase=outer|State=Busy");
  expect_at (p, 20, "t0 Clock=0.00000002|Phase=outer, inner");
  expect_at (p, 30, "t0 Clock=0.00000003|Phase=outer");
  expect_at (p, 50, "t0 Clock=0.00000005|Phase=");
  expect_at (p, 70, "t0 Clock=0.00000007|Protagonists=t1");
  expect_at (p, 75, "t0 Clock=0.000000075|Protagonists=t1, t2|State=Overhead");
  expect_possible (p);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pvm/birth-and-death", test_birth_and_death);
  g_test_add_func ("/pvm/packing", test_packing);
  g_test_add_func ("/pvm/packing-ignored", test_packing_ignored);
  g_test_add_func ("/pvm/groups", test_groups);
  g_test_add_func ("/pvm/barrier", test_barrier);
  g_test_add_func ("/pvm/send-unexpected", test_send_unexpected);
  g_test_add_func ("/pvm/send-expected", test_send_expected);
  g_test_add_func ("/pvm/receive-present", test_receive_present);
  g_test_add_func ("/pvm/tags", test_tags);
  g_test_add_func ("/pvm/trecv", test_trecv);
  g_test_add_func ("/pvm/nrecv", test_nrecv);
  g_test_add_func ("/pvm/received-early", test_received_early);
  g_test_add_func ("/pvm/mcast", test_mcast);
  g_test_add_func ("/pvm/bcast", test_bcast);
  g_test_add_func ("/pvm/scatter", test_scatter);
  g_test_add_func ("/pvm/gather", test_gather);
  g_test_add_func ("/pvm/reduce", test_reduce);
  g_test_add_func ("/pvm/functions-and-phases", test_functions_and_phases);
  g_test_add_func ("/pvm/nesting", test_nesting);
  g_test_add_func ("/pvm/errors", test_errors);
  g_test_add_func ("/pvm/killed", test_killed);
  g_test_add_func ("/pvm/killed-taking", test_killed_taking);
  g_test_add_func ("/pvm/members-at-begin", test_members_at_begin);
  g_test_add_func ("/pvm/nrecv-in-progress", test_nrecv_in_progress);
  g_test_add_func ("/pvm/clock-of-phases", test_clock_of_phases);
  g_test_add_func ("/pvm/unfinished", test_unfinished);
  g_test_add_func ("/pvm/late", test_late);
  g_test_add_func ("/pvm/late-group", test_late_group);
  g_test_add_func ("/pvm/send-before-birth", test_send_before_birth);
  g_test_add_func ("/pvm/self-and-late", test_self_and_late);
  return g_test_run ();
}
