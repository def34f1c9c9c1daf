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
  g_assert_cmpuint (p->pvm->graph.n_nodes, ==, 0);
  play_until (p, 15);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Name", "t0");
  expect_task (p, 0, "Clock", "0.00000001");
  expect_task (p, 1, "State", NULL);
  play_until (p, 50);
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 1, 0, "State", "Overhead");
  play_until (p, 60);
  expect_task (p, 0, "State", "Dead");
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Dead");          /* it issues from the dead task */
  expect_link (p, 1, 0, "State", "Overhead");      /* the other one does not */
  expect_link (p, 0, 1, "Traffic", "100");         /* still to be received */
  /* 50 ns alive, 5 of them in Send; the clock of the dead stands still. */
  expect_text (play_task (p, 0, "PercentOverhead", 60), "10.0");
  expect_text (play_task (p, 0, "PercentOverhead", 1000), "10.0");
  expect_text (play_task (p, 0, "PercentBusy", 1000), "90.0");
  /* Link: born 35, dead 60, all of it in Overhead. */
  expect_text (play_link (p, 0, 1, "PercentOverhead", 1000), "100.0");
  expect_possible (p);
  p->keep_the_dead = false;
  expect_task (p, 0, "State", NULL);
  expect_link (p, 1, 0, "State", NULL);
  expect_task (p, 1, "State", "Busy");
  g_assert_cmpuint (state_count (&p->pvm->graph, STATE_NODE), ==, 1);
  g_assert_cmpuint (state_count (&p->pvm->graph, STATE_EDGE), ==, 0);
}

/* Figure A.4. */
static void
test_packing (void)
{
  g_autoptr (Play) p = play_new (1, 0, true);

  fake (p->fake, 100, 50, "PkInt", 0, .size = 8);
  fake (p->fake, 200, 25, "UpkInt", 0, .size = 8);
  play_until (p, 99);
  expect_task (p, 0, "State", "Busy");
  play_until (p, 100);
  expect_task (p, 0, "State", "Overhead");
  play_until (p, 150);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Clock", "0.00000015");
  play_until (p, 200);
  expect_task (p, 0, "State", "Overhead");
  play_until (p, 225);
  expect_task (p, 0, "State", "Busy");
  expect_text (play_task (p, 0, "PercentOverhead", 300), "25.0");       /* (50 + 25) / 300 */
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
  play_until (p, 120);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Clock", "0.000000");          /* nothing has changed */
  play_until (p, 160);
  expect_task (p, 0, "State", "Overhead");
  play_until (p, 200);
  expect_text (play_task (p, 0, "PercentOverhead", 200), "5.0");
}

static void
test_groups (void)
{
  g_autoptr (Play) p = play_new (2, 2, true);

  fake (p->fake, 10, 5, "JoinGroup", 0, G (0), .result = 0);
  fake (p->fake, 20, 5, "JoinGroup", 0, G (1), .result = 0);
  fake (p->fake, 30, 5, "JoinGroup", 1, G (1), .result = -3);          /* fails */
  fake (p->fake, 40, 5, "LvGroup", 0, G (0), .result = 0);
  play_until (p, 12);
  expect_task (p, 0, "Groups", "");                 /* it counts when the call is over */
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Clock", "0.000000");
  play_until (p, 15);
  expect_task (p, 0, "Groups", "g0");
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Clock", "0.000000015");
  play_until (p, 25);
  expect_task (p, 0, "Groups", "g0, g1");
  play_until (p, 35);
  expect_task (p, 1, "Groups", "");
  play_until (p, 42);
  expect_task (p, 0, "Groups", "g0, g1");
  play_until (p, 45);
  expect_task (p, 0, "Groups", "g1");
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
  play_until (p, 10);
  expect_task (p, 0, "State", "Idle");
  expect_task (p, 1, "State", "Busy");
  play_until (p, 35);
  expect_task (p, 1, "State", "Idle");
  expect_text (play_task (p, 0, "PercentIdle", 35), "71.4");            /* 25 / 35 */
  play_until (p, 40);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 1, "State", "Busy");
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
  play_until (p, 10);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 0, "Protagonists", "t1");
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", NULL);             /* the data have not left yet */
  play_until (p, 15);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Protagonists", "");
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 1, "Name", "t0->t1");
  expect_link (p, 0, 1, "Origin", "t0");
  expect_link (p, 0, 1, "Destination", "t1");
  expect_link (p, 0, 1, "Usage", "1");
  expect_link (p, 0, 1, "Traffic", "1000");
  expect_link (p, 0, 1, "TotalTraffic", "0");
  play_until (p, 25);
  expect_link (p, 0, 1, "Usage", "2");
  expect_link (p, 0, 1, "Traffic", "1024");
  expect_link (p, 0, 1, "Clock", "0.000000025");
  expect_text (play_link (p, 0, 1, "PercentOverhead", 115), "100.0");   /* since 15 */
}

/* Figure A.6, below, and A.7: somebody waits. */
static void
test_send_expected (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 30, "Recv", 1, P (0), .tag = 3, .size = 1000, .result = 1);
  fake (p->fake, 20, 10, "Send", 0, P (1), .tag = 3, .size = 1000);
  play_until (p, 10);
  expect_task (p, 1, "State", "Idle");
  expect_task (p, 1, "Protagonists", "t0");
  expect_link (p, 0, 1, "State", "Idle");
  expect_link (p, 0, 1, "Traffic", "1000");         /* of the communication in progress */
  expect_link (p, 0, 1, "Usage", "1");
  play_until (p, 20);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 1, "State", "Idle");
  play_until (p, 30);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 1, "State", "Talking");
  expect_link (p, 0, 1, "State", "Talking");
  expect_link (p, 0, 1, "Traffic", "1000");
  expect_link (p, 0, 1, "Usage", "2");
  expect_link (p, 0, 1, "TotalTraffic", "0");
  play_until (p, 40);
  expect_task (p, 1, "State", "Busy");
  expect_task (p, 1, "Protagonists", "");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "Traffic", "0");
  expect_link (p, 0, 1, "Usage", "0");
  expect_link (p, 0, 1, "TotalTraffic", "1000");
  expect_link (p, 0, 1, "Messages", "1");
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
  play_until (p, 30);
  expect_task (p, 1, "State", "Overhead");
  expect_task (p, 1, "Protagonists", "t0");
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 1, "Traffic", "1000");
  expect_link (p, 0, 1, "Usage", "3");              /* two messages, one receive */
  play_until (p, 40);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Overhead");       /* there is more to be received */
  expect_link (p, 0, 1, "Traffic", "400");
  expect_link (p, 0, 1, "TotalTraffic", "600");
  expect_link (p, 0, 1, "Usage", "1");
  play_until (p, 60);
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "Traffic", "0");
  expect_link (p, 0, 1, "TotalTraffic", "1000");
  expect_link (p, 0, 1, "Usage", "0");
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
  play_until (p, 20);
  expect_task (p, 1, "State", "Idle");
  expect_link (p, 0, 1, "State", "Idle");
  expect_link (p, 0, 1, "Traffic", "50");           /* what is waited for, not the 100 that lie there */
  play_until (p, 31);
  expect_task (p, 1, "State", "Idle");
  expect_link (p, 0, 1, "State", "Overhead");       /* unexpected data came */
  expect_link (p, 0, 1, "Traffic", "110");
  play_until (p, 41);
  expect_task (p, 1, "State", "Talking");
  expect_link (p, 0, 1, "State", "Talking");
  expect_link (p, 0, 1, "Traffic", "50");
  play_until (p, 46);
  expect_link (p, 0, 1, "State", "Talking");        /* goes on, whatever queues behind it */
  expect_link (p, 0, 1, "Traffic", "50");
  expect_link (p, 0, 1, "Usage", "5");
  play_until (p, 50);
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 1, "Traffic", "111");
  expect_link (p, 0, 1, "TotalTraffic", "50");
  play_until (p, 65);
  expect_link (p, 0, 1, "Traffic", "11");
  play_until (p, 75);
  expect_link (p, 0, 1, "Traffic", "1");
  play_until (p, 80);
  expect_task (p, 1, "State", "Overhead");
  play_until (p, 85);
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "161");
  expect_possible (p);
}

static void
test_trecv (void)
{
  g_autoptr (Play) p = play_new (3, 0, true);

  fake (p->fake, 10, 10, "TRecv", 1, ASKED (0), .tag = 3, .result = 0);         /* runs out of time */
  fake (p->fake, 30, 10, "TRecv", 1, .tag = 3, .result = 0);                    /* from anybody */
  fake (p->fake, 50, 20, "TRecv", 1, P (0), ASKED (0), .tag = 3, .size = 5, .result = 1);
  fake (p->fake, 60, 1, "Send", 0, P (1), .tag = 3, .size = 5);
  play_until (p, 10);
  expect_task (p, 1, "State", "Idle");
  expect_task (p, 1, "Protagonists", "t0");
  expect_link (p, 0, 1, "State", "Idle");
  expect_link (p, 0, 1, "Traffic", "0");
  expect_link (p, 0, 1, "Usage", "1");
  play_until (p, 20);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "Usage", "0");
  expect_link (p, 0, 1, "TotalTraffic", "0");
  play_until (p, 30);
  expect_task (p, 1, "State", "Idle");
  expect_task (p, 1, "Protagonists", "");
  expect_link (p, 0, 1, "State", "Unused");
  play_until (p, 61);
  expect_task (p, 1, "State", "Talking");
  play_until (p, 70);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "TotalTraffic", "5");
  expect_possible (p);
}

static void
test_nrecv (void)
{
  g_autoptr (Play) p = play_new (2, 0, true);

  fake (p->fake, 10, 10, "NRecv", 1, ASKED (0), .tag = 3, .result = 0);         /* nothing there */
  fake (p->fake, 30, 1, "Send", 0, P (1), .tag = 3, .size = 5);
  fake (p->fake, 40, 10, "NRecv", 1, P (0), ASKED (0), .tag = 3, .size = 5, .result = 1);
  fake (p->fake, 60, 10, "NRecv", 1, P (0), .tag = 3, .size = 6, .result = 1);  /* sent only meanwhile */
  fake (p->fake, 58, 7, "Send", 0, P (1), .tag = 3, .size = 6);
  play_until (p, 10);
  expect_task (p, 1, "State", "Overhead");          /* not Idle */
  expect_link (p, 0, 1, "State", NULL);
  play_until (p, 20);
  expect_task (p, 1, "State", "Busy");
  play_until (p, 40);
  expect_task (p, 1, "State", "Overhead");
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 1, "Usage", "2");
  play_until (p, 50);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "5");
  play_until (p, 65);
  expect_task (p, 1, "State", "Overhead");          /* a call that does not block does not talk */
  expect_link (p, 0, 1, "State", "Overhead");
  play_until (p, 70);
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "11");
  expect_possible (p);
}

/* On several processors a receive may end before the call that sends has returned. */
static void
test_received_early (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 30, "Send", 0, P (1), .tag = 3, .size = 70);
  fake (p->fake, 20, 10, "Recv", 1, P (0), .tag = 3, .size = 70, .result = 1);
  fake (p->fake, 50, 30, "Mcast", 0, .list = (uint32_t[]) { 1, 2 }, .n_list = 2, .tag = 4, .size = 8);
  fake (p->fake, 55, 10, "Recv", 1, P (0), .tag = 4, .size = 8, .result = 1);
  play_until (p, 25);
  expect_task (p, 1, "State", "Idle");
  play_until (p, 30);
  expect_task (p, 1, "State", "Busy");
  expect_task (p, 0, "State", "Overhead");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "70");
  play_until (p, 40);
  expect_task (p, 0, "State", "Busy");
  expect_link (p, 0, 1, "State", "Unused");         /* nothing is left lying on it */
  expect_link (p, 0, 1, "Usage", "0");
  play_until (p, 80);
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "78");
  expect_link (p, 0, 2, "State", "Overhead");
  expect_link (p, 0, 2, "Traffic", "8");
  expect_possible (p);
  g_assert_cmpuint (p->pvm->n_owed, ==, 0);
  g_assert_cmpuint (p->pvm->n_queues, ==, 1);
}

static void
test_mcast (void)
{
  g_autoptr (Play) p = play_new (4, 0, true);

  fake (p->fake, 10, 30, "Recv", 2, P (0), .tag = 9, .size = 64, .result = 1);
  fake (p->fake, 20, 10, "Mcast", 0, .list = (uint32_t[]) { 1, 2, 3, 0 }, .n_list = 4, .tag = 9, .size = 64);
  fake (p->fake, 50, 10, "Recv", 1, P (0), .tag = 9, .size = 64, .result = 1);
  play_until (p, 20);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 0, "Protagonists", "t1, t2, t3");
  expect_link (p, 0, 2, "State", "Idle");
  expect_link (p, 0, 1, "State", NULL);
  play_until (p, 30);
  expect_task (p, 0, "State", "Busy");
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 2, "State", "Talking");        /* this one waited for it */
  expect_task (p, 2, "State", "Talking");
  expect_link (p, 0, 3, "State", "Overhead");
  expect_link (p, 0, 0, "State", NULL);             /* pvm_mcast leaves its caller out */
  expect_task (p, 1, "State", "Busy");
  play_until (p, 60);
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "TotalTraffic", "64");
  expect_link (p, 0, 2, "State", "Unused");
  expect_link (p, 0, 3, "Traffic", "64");
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
  play_until (p, 15);
  expect_task (p, 1, "State", "Overhead");
  expect_task (p, 1, "Protagonists", "t0, t2, t3");
  expect_task (p, 0, "State", "Idle");
  play_until (p, 20);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 1, 0, "State", "Talking");
  expect_link (p, 1, 2, "State", "Overhead");
  expect_link (p, 1, 3, "State", "Overhead");
  expect_link (p, 1, 4, "State", NULL);             /* not a member */
  expect_link (p, 1, 1, "State", NULL);             /* not to oneself */
  play_until (p, 50);
  expect_link (p, 1, 0, "TotalTraffic", "32");
  expect_link (p, 1, 2, "Traffic", "32");
  expect_link (p, 1, 3, "State", "Unused");
  expect_possible (p);
}

static void
test_scatter (void)
{
  g_autoptr (Play) p = group_of_four ();

  fake (p->fake, 10, 30, "Scatter", 2, G (0), P (0), .tag = 5, .size = 16);     /* before the root */
  fake (p->fake, 20, 10, "Scatter", 0, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 50, 10, "Scatter", 1, G (0), P (0), .tag = 5, .size = 16);     /* after it */
  play_until (p, 10);
  expect_task (p, 2, "State", "Idle");
  expect_task (p, 2, "Protagonists", "t0");
  expect_link (p, 0, 2, "State", "Idle");
  play_until (p, 20);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 0, "Protagonists", "t1, t2, t3");
  play_until (p, 30);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 2, "State", "Talking");
  expect_link (p, 0, 2, "State", "Talking");
  expect_link (p, 0, 1, "State", "Overhead");
  expect_link (p, 0, 3, "State", "Overhead");
  play_until (p, 50);
  expect_link (p, 0, 2, "State", "Unused");
  expect_link (p, 0, 2, "TotalTraffic", "16");
  expect_task (p, 1, "State", "Overhead");
  play_until (p, 60);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 3, "Traffic", "16");
  expect_possible (p);
}

static void
gather (const char *kind)
{
  g_autoptr (Play) p = group_of_four ();

  fake (p->fake, 10, 5, kind, 1, G (0), P (0), .tag = 5, .size = 16);           /* before the root */
  fake (p->fake, 20, 60, kind, 0, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 30, 10, kind, 2, G (0), P (0), .tag = 5, .size = 16);
  fake (p->fake, 50, 40, kind, 3, G (0), P (0), .tag = 5, .size = 16);          /* returns after the root */
  play_until (p, 10);
  expect_task (p, 1, "State", "Overhead");
  expect_task (p, 1, "Protagonists", "t0");
  play_until (p, 15);
  expect_link (p, 1, 0, "State", "Overhead");
  play_until (p, 20);
  expect_task (p, 0, "State", "Idle");              /* two parts are missing */
  expect_task (p, 0, "Protagonists", "t1, t2, t3");
  expect_link (p, 1, 0, "State", "Overhead");
  expect_link (p, 1, 0, "Usage", "2");
  expect_link (p, 2, 0, "State", "Idle");
  expect_link (p, 3, 0, "State", "Idle");
  play_until (p, 40);
  expect_task (p, 0, "State", "Talking");
  expect_link (p, 2, 0, "State", "Talking");
  expect_link (p, 3, 0, "State", "Idle");
  play_until (p, 80);
  expect_task (p, 0, "State", "Busy");
  for (uint32_t i = 1; i < 4; i++) {
    expect_link (p, i, 0, "State", "Unused");
    expect_link (p, i, 0, "TotalTraffic", "16");
    expect_link (p, i, 0, "Usage", "0");
  }
  play_until (p, 90);
  expect_link (p, 3, 0, "State", "Unused");
  expect_link (p, 0, 1, "State", NULL);
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
  fake (p->fake, 25, 20, "Phase", 0, .word = "inner");          /* ends after the call it began in */
  fake (p->fake, 50, 10, "Send", 0, P (1), .tag = 0, .size = 4);        /* ends with the phase */
  fake (p->fake, 30, 0, "User", 0, .word = "here");
  play_until (p, 10);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Phase", "solve");
  play_until (p, 22);
  expect_task (p, 0, "State", "Overhead");
  play_until (p, 30);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 0, "Phase", "solve, inner");
  play_until (p, 40);
  expect_task (p, 0, "State", "Busy");
  play_until (p, 45);
  expect_task (p, 0, "Phase", "solve");
  play_until (p, 55);
  expect_task (p, 0, "State", "Overhead");
  expect_task (p, 0, "Protagonists", "t1");
  play_until (p, 60);
  expect_task (p, 0, "State", "Busy");
  expect_task (p, 0, "Phase", "");
  expect_text (play_task (p, 0, "PercentOverhead", 60), "50.0");        /* 20 + 10 of 60 */
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
  play_until (p, 15);
  expect_task (p, 1, "State", "Idle");
  play_until (p, 30);
  expect_task (p, 1, "State", "Overhead");
  expect_link (p, 0, 1, "State", "Talking");
  play_until (p, 40);
  expect_task (p, 1, "State", "Talking");
  play_until (p, 60);
  expect_task (p, 1, "State", "Busy");
  expect_possible (p);
}

static void
test_errors (void)
{
  g_autoptr (Play) p = play_new (3, 1, true);

  fake (p->fake, 10, 10, "Send", 0, P (1), .tag = 1, .size = 100, .result = -2);
  fake (p->fake, 10, 10, "Mcast", 2, .list = (uint32_t[]) { 0, 1 }, .n_list = 2, .tag = 1, .size = 9, .result = -2);
  fake (p->fake, 30, 10, "Recv", 1, ASKED (0), .tag = 1, .result = -7);
  fake (p->fake, 50, 10, "Exit", 2, .result = -14);
  play_until (p, 15);
  expect_task (p, 0, "State", "Overhead");
  play_until (p, 20);
  expect_task (p, 0, "State", "Busy");
  expect_link (p, 0, 1, "State", NULL);
  expect_link (p, 2, 0, "State", NULL);
  play_until (p, 30);
  expect_task (p, 1, "State", "Idle");
  expect_link (p, 0, 1, "State", "Idle");
  play_until (p, 40);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Unused");
  expect_link (p, 0, 1, "Messages", "0");
  play_until (p, 60);
  expect_task (p, 2, "State", "Busy");
  expect_possible (p);
}

static void
test_unfinished (void)
{
  g_autoptr (Play) p = play_new (4, 1, true);

  fake (p->fake, 10, FAKE_UNFINISHED, "Recv", 0, ASKED (1), .tag = 1);
  fake (p->fake, 10, FAKE_UNFINISHED, "Recv", 1, .tag = 1);             /* from anybody */
  fake (p->fake, 10, FAKE_UNFINISHED, "Send", 2, P (1), .tag = 1, .size = 50);
  fake (p->fake, 10, FAKE_UNFINISHED, "Barrier", 3, G (0));
  play_until (p, 1000);
  expect_task (p, 0, "State", "Idle");
  expect_task (p, 0, "Protagonists", "t1");
  expect_link (p, 1, 0, "State", "Idle");
  expect_link (p, 1, 0, "Traffic", "0");
  expect_task (p, 1, "State", "Idle");
  expect_task (p, 1, "Protagonists", "");
  expect_task (p, 2, "State", "Overhead");
  expect_link (p, 2, 1, "State", NULL);
  expect_task (p, 3, "State", "Idle");
  expect_text (play_task (p, 3, "PercentIdle", 1000), "99.0");
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
  play_until (p, 20);
  expect_task (p, 1, "State", NULL);
  expect_link (p, 0, 1, "State", NULL);
  g_assert_cmpuint (state_count (&p->pvm->graph, STATE_NODE), ==, 1);
  play_until (p, 30);
  expect_task (p, 1, "State", "Busy");
  expect_link (p, 0, 1, "State", "Overhead");
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
  play_until (p, 25);
  expect_link (p, 0, 0, "TotalTraffic", "50");
  expect_link (p, 0, 0, "State", "Unused");
  play_until (p, 50);
  expect_task (p, 1, "State", "Overhead");
  expect_link (p, 0, 1, "State", "Dead");
  play_until (p, 60);
  expect_link (p, 0, 1, "State", "Dead");
  expect_link (p, 0, 1, "Traffic", "0");
  expect_link (p, 0, 1, "TotalTraffic", "8");
  play_until (p, 70);
  expect_task (p, 1, "State", "Idle");
  expect_link (p, 0, 1, "State", "Dead");           /* it can wait for ever */
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
  g_test_add_func ("/pvm/unfinished", test_unfinished);
  g_test_add_func ("/pvm/send-before-birth", test_send_before_birth);
  g_test_add_func ("/pvm/self-and-late", test_self_and_late);
  return g_test_run ();
}
