/* SPDX-License-Identifier: Apache-2.0 */
/* events-test.c - each class of event with states and attributes worked out by hand, before, during and after, as the
 * figures A.1 and A.2 of the thesis show them. */
#include "play.h"

/* Figure A.1: Unused -> Busy -> Dead; the links that issue from the dead are Dead too. */
static void
test_birth_and_death (void)
{
  g_autoptr (Play) p = play_new (false);

  hand (p->hand, A, 0, TskBth, 0, 10, 0, 100);
  hand (p->hand, B, 0, TskBth, 0, 20, 0, 101);
  hand (p->hand, A, 0, TskDth, 0, 60, 0, 0);
  play_until (p, 9);
  g_assert_cmpuint (p->ouf->store.graph.n_nodes, ==, 0); /* nobody has told which trace it is */
  play_until (p, 15);
  g_assert_cmpuint (state_count (&p->ouf->store.graph, STATE_NODE), ==, 3);
  g_assert_cmpuint (state_count (&p->ouf->store.graph, STATE_EDGE), ==, 4);
  expect_now (p, "a State=Busy|Name=task a|Nickname=a|Program=prog|Inside=p0|Clock=0.010000",
              "b State=Unused|PercentBusy=0.0", "ab State=Unused|Origin=a|Destination=b");
  play_until (p, 59);
  expect_text (play_node (p, "a", "PercentBusy", 59), "100.0");
  expect_at (p, 60, "a State=Dead", "b State=Busy", "c State=Unused", "ab State=Dead", "ab2 State=Dead",
             "ba State=Unused", /* leads to the dead */
             "cb State=Unused");
  expect_text (play_link (p, "ab", "PercentUnused", 1000), "100.0"); /* the clock of the dead stands still */
  expect_possible (p);
  p->keep_the_dead = false;
  expect_now (p, "!a", "!ba", "cb State=Unused");
  g_assert_cmpuint (state_count (&p->ouf->store.graph, STATE_NODE), ==, 2);
}

/* Figure A.2, the sender comes first. */
static void
test_send_first (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 30, AB, 1000);
  hand (p->hand, B, 0, Receive, 0, 20, 15, AB, 4096);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 35, 15, AB, 1000, 1, 0);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 40, 30, AB, 1000, 1, 0);
  expect_at (p, 9, "a State=Busy");
  expect_at (p, 10, "a State=Idle|Protagonist=b", "b State=Busy|Protagonist=", "ab State=Idle|Usage=1|Traffic=0",
             "ba State=Unused");
  expect_at (p, 20, "a State=Talking", "b State=Talking|Protagonist=a",
             "ab State=Talking|Usage=2|Traffic=1000|TotalTraffic=0");
  expect_at (p, 35, "a State=Talking", "b State=Busy|Protagonist=", "ab State=Talking", /* one of them still uses it */
             "ab Usage=1|Traffic=1000|Messages=1");
  expect_at (p, 40, "a State=Busy|Protagonist=", "ab State=Unused|Usage=0|Traffic=0|TotalTraffic=1000|Clock=0.040000");
  /* a: 10 Busy, 10 Idle, 20 Talking, then Busy; b: 20 Busy, 15 Talking, then Busy */
  expect_text (play_node (p, "a", "PercentIdle", 50), "20.0");
  expect_text (play_node (p, "a", "PercentTalking", 50), "40.0");
  expect_text (play_node (p, "a", "PercentBusy", 50), "40.0");
  expect_text (play_node (p, "b", "PercentTalking", 50), "30.0");
  expect_text (play_link (p, "ab", "PercentUnused", 50), "40.0");
  expect_text (play_link (p, "ab", "PercentIdle", 50), "20.0");
  expect_text (play_link (p, "ab", "PercentTalking", 50), "40.0");
  expect_possible (p);
}

/* The receiver comes first. */
static void
test_receive_first (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, B, 0, Receive, 0, 10, 25, AB, 4096);
  hand (p->hand, A, 0, Send, 0, 20, 10, AB, 64);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 30, 10, AB, 64, 1, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 35, 25, AB, 64, 1, 0);
  expect_at (p, 10, "b State=Idle|Protagonist=a", "a State=Busy", "ab State=Idle|Traffic=0");
  expect_at (p, 20, "a State=Talking", "b State=Talking", "ab Traffic=64");
  expect_at (p, 30, "a State=Busy", "ab State=Talking|TotalTraffic=0");
  expect_at (p, 35, "ab State=Unused|TotalTraffic=64");
  expect_possible (p);
}

/* Both wait, each for the other: on different links there is no rendezvous. */
static void
test_cross (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, -1, AB, 8);
  hand (p->hand, B, 0, Send, 0, 20, -1, BA, 8);
  hand (p->hand, C, 0, Send, 0, 30, -1, CB, 8);
  expect_at (p, 30, "a State=Idle", "b State=Idle", "c State=Idle", "ab State=Idle", "ba State=Idle", "cb State=Idle",
             "ab2 State=Unused");
  expect_possible (p);
}

/* The next communication begins before the other has ended the last one. */
static void
test_one_after_the_other (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 10, AB, 100);
  hand (p->hand, B, 0, Receive, 0, 10, 20, AB, 100);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 20, 10, AB, 100, 1, 0);
  hand (p->hand, A, 0, Send, 0, 25, 25, AB, 7);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 30, 20, AB, 100, 1, 0);
  hand (p->hand, B, 0, Receive, 0, 40, 10, AB, 100);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 50, 25, AB, 7, 2, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 50, 10, AB, 7, 2, 0);
  expect_at (p, 25, "a State=Idle", "b State=Talking", "ab State=Talking|Usage=2|Traffic=100");
  expect_at (p, 30, "ab State=Idle|Usage=1|TotalTraffic=100");
  expect_at (p, 40, "ab State=Talking|Traffic=7");
  expect_at (p, 50, "ab State=Unused|TotalTraffic=107|Messages=2");
  expect_possible (p);
}

/* The limit of a TSend, then of a TReceive, is over; in between one is met in time. */
static void
test_limits (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, TSend, 0, 10, 10, AB, 100, 10000000);
  hand (p->hand, A, 0, Timeout, TAPE_TSend, 20, 10, AB);
  hand (p->hand, A, 0, TSend, 0, 30, 20, AB, 200, 100000000);
  hand (p->hand, B, 0, TReceive, 0, 40, 10, AB, 4096, 100000000);
  hand (p->hand, A, 0, EndSend, TAPE_TSend, 50, 20, AB, 200, 1, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_TReceive, 50, 10, AB, 200, 1, 0);
  hand (p->hand, B, 0, TReceive, 0, 60, 10, CB, 4096, 10000000);
  hand (p->hand, B, 0, Timeout, TAPE_TReceive, 70, 10, CB);
  expect_at (p, 10, "a State=Idle", "ab State=Idle");
  expect_at (p, 20, "a State=Busy|Protagonist=", "ab State=Unused|Usage=0|TotalTraffic=0");
  expect_at (p, 40, "ab State=Talking");
  expect_at (p, 50, "ab TotalTraffic=200");
  expect_at (p, 60, "b State=Idle|Protagonist=c", "cb State=Idle");
  expect_at (p, 70, "b State=Busy", "cb State=Unused");
  expect_possible (p);
}

/* The receiver began just before the sender's limit was over, but came too late: it goes on waiting, and is met by the
 * next one. */
static void
test_too_late (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, TSend, 0, 10, 12, AB, 100, 10000000);
  hand (p->hand, B, 0, Receive, 0, 21, 30, AB, 4096);
  hand (p->hand, A, 0, Timeout, TAPE_TSend, 22, 12, AB);
  hand (p->hand, A, 0, Send, 0, 40, 11, AB, 50);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 51, 11, AB, 50, 1, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 51, 30, AB, 50, 1, 0);
  expect_at (p, 21, "b State=Talking"); /* so it seems */
  expect_at (p, 22, "a State=Busy", "b State=Idle", "ab State=Idle|Usage=1|Traffic=0");
  expect_at (p, 40, "ab Traffic=50", "b State=Talking");
  expect_at (p, 51, "ab TotalTraffic=50|Messages=1");
  expect_possible (p);
}

/* An alternative waits on several links, and takes nothing. */
static void
test_alternative (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, B, 0, Alt, 0, 10, 12, 2, AB, CB);
  hand (p->hand, C, 0, Send, 0, 20, 20, CB, 30);
  hand (p->hand, B, 0, EndAlt, TAPE_Alt, 22, 12, CB, 1);
  hand (p->hand, B, 0, Receive, 0, 25, 10, CB, 64);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 35, 10, CB, 30, 1, 0);
  hand (p->hand, C, 0, EndSend, TAPE_Send, 40, 20, CB, 30, 1, 0);
  expect_at (p, 10, "b State=Idle|Protagonist=a, c", "ab State=Idle", "cb State=Idle",
             "ab2 State=Unused",    /* the other link from a is not in the list */
             "cb Usage=0");         /* nobody communicates yet */
  expect_at (p, 20, "c State=Idle", /* nor now: nobody receives */
             "cb Usage=1");
  expect_at (p, 22, "b State=Busy|Protagonist=", "ab State=Unused", "cb State=Idle"); /* c waits still */
  expect_at (p, 25, "b State=Talking", "c State=Talking");
  expect_at (p, 40, "cb TotalTraffic=30");
  expect_text (play_node (p, "b", "PercentIdle", 40), "30.0"); /* 12 of 40 */
  expect_possible (p);
}

/* One that need not wait, and both kinds without success. */
static void
test_alternative_ready (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 30, AB, 30);
  hand (p->hand, B, 0, Alt, 0, 20, 1, 1, AB);
  hand (p->hand, B, 0, EndAlt, TAPE_Alt, 21, 1, AB, 0);
  hand (p->hand, B, 0, Receive, 0, 30, 10, AB, 64);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 40, 10, AB, 30, 1, 0);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 40, 30, AB, 30, 1, 0);
  hand (p->hand, B, 0, NAlt, 0, 50, 1, 2, AB, CB);
  hand (p->hand, B, 0, EndAlt, TAPE_NAlt, 51, 1, -1, -1);
  hand (p->hand, B, 0, Alt, 0, 60, 10, 3, CB, AB, AB2);
  hand (p->hand, B, 0, EndAlt, TAPE_Alt, 70, 10, -1, -1); /* all are dead, say */
  expect_at (p, 20, "b State=Busy",                       /* a is there */
             "b Protagonist=a");
  expect_at (p, 50, "b State=Busy",                  /* does not wait */
             "b Protagonist=a, c", "cb State=Idle"); /* it listens, for once */
  expect_at (p, 51, "cb State=Unused");
  expect_at (p, 60, "b State=Idle|Protagonist=c, a, a", "ab2 State=Idle");
  expect_at (p, 70, "b State=Busy", "ab2 State=Unused");
  expect_possible (p);
}

/* A message longer than its room, and one whose sender dies in the middle. */
static void
test_results (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 10, AB, 100);
  hand (p->hand, B, 0, Receive, 0, 15, 5, AB, 60);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 20, 10, AB, 60, 1, -2);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 20, 5, AB, 60, 1, -2);
  hand (p->hand, C, 0, Send, 0, 30, -1, CB, 1000);
  hand (p->hand, B, 0, Receive, 0, 35, 10, CB, 1000);
  hand (p->hand, C, 0, TskDth, 0, 40, 0, -9);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 45, 10, CB, 300, 1, -1);
  hand (p->hand, B, 0, Receive, 0, 50, 5, CB, 1000); /* it never comes */
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 55, 5, CB, 0, 0, -1);
  expect_at (p, 15, "ab Traffic=100");
  expect_at (p, 20, "ab TotalTraffic=60|Messages=1");
  expect_at (p, 35, "c State=Talking");
  expect_at (p, 40, "c State=Dead", "cb State=Dead", "b State=Talking", /* has not heard of it */
             "cb Usage=1");
  expect_at (p, 45, "b State=Busy", "cb State=Dead|Usage=0|TotalTraffic=300|Messages=0");
  expect_at (p, 50, "b State=Idle", "cb State=Dead");
  expect_at (p, 55, "b State=Busy", "cb TotalTraffic=300");
  expect_possible (p);
}

/* The receiver dies while the sender waits for it; the sender is told. */
static void
test_receiver_dies (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 20, AB, 100);
  hand (p->hand, B, 0, TskDth, 0, 20, 0, 3);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 30, 20, AB, 0, 0, -1);
  expect_at (p, 20, "a State=Idle", "ab State=Idle", /* its sender lives */
             "ba State=Dead");
  expect_at (p, 30, "a State=Busy", "ab State=Unused|TotalTraffic=0");
  expect_possible (p);
}

/* Threads of a task take turns on a link; which was served is seen at the end. */
static void
test_turns (void)
{
  g_autoptr (Play) p = play_new (true);

  p->threads = true;
  hand (p->hand, A, 1, ThdBth, 0, 1, 0, 0, 5, hand_word ("other"));
  hand (p->hand, A, 0, Run, 0, 2, 0, 1);
  hand (p->hand, A, 0, Send, 0, 10, 40, AB, 100);
  hand (p->hand, A, 1, Send, 0, 11, 20, AB, 7);
  hand (p->hand, B, 0, Receive, 0, 20, 10, AB, 4096);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 30, 10, AB, 7, 1, 0);
  hand (p->hand, A, 1, EndSend, TAPE_Send, 31, 20, AB, 7, 1, 0);
  hand (p->hand, B, 0, Receive, 0, 40, 10, AB, 4096);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 50, 40, AB, 100, 2, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 50, 10, AB, 100, 2, 0);
  expect_at (p, 20, "a.0 State=Talking", /* the first that came */
             "a.1 State=Idle", "ab Usage=3");
  expect_at (p, 31, "a.0 State=Idle", "a.1 State=Busy", "ab TotalTraffic=7");
  expect_at (p, 50, "ab TotalTraffic=107|Messages=2");
  expect_possible (p);
}

/* Sleep, semaphores, threads and the program's own events are not simulated by default (thesis, 2.3.3). */
static void
test_nothing_else (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Wait, 0, 10, 10, 10000000);
  hand0 (p->hand, A, 0, EndWait, TAPE_Wait, 20, 10);
  hand (p->hand, A, 0, SemInit, 0, 21, 0, 0, 1, 4, hand_word ("lock"));
  hand (p->hand, A, 1, ThdBth, 0, 22, 0, 0, 5, hand_word ("other"));
  hand (p->hand, A, 0, Run, 0, 23, 0, 1);
  hand (p->hand, A, 1, SemP, 0, 30, 10, 0);
  hand (p->hand, A, 1, SemG, TAPE_SemP, 40, 10, 0, 0);
  hand (p->hand, A, 0, SemGOk, 0, 41, 0, 0, 0, 0);
  hand (p->hand, A, 1, SemV, 0, 42, 0, 0, 1);
  hand (p->hand, A, 0, User, 0, 43, 0, 1, 4, hand_word ("user"));
  hand (p->hand, A, 0, Phase, 0, 44, 2, 1, 4, hand_word ("step"));
  hand (p->hand, A, 0, EndPhase, TAPE_Phase, 46, 2, 1, 4, hand_word ("step"));
  hand0 (p->hand, A, 1, Stop, 0, 47, 0);
  hand0 (p->hand, A, 1, ThdDth, 0, 48, 0);
  for (int64_t date = 10; date <= 48; date++) {
    play_until (p, date);
    expect_node (p, "a", "State", "Busy");
    expect_node (p, "a", "Clock", "0.000000");
  }
  g_assert_cmpuint (p->ouf->store.graph.n_nodes, ==, 3);
  expect_possible (p);
}

/* The same with threads, semaphores and processors as nodes. */
static void
test_extras (void)
{
  g_autoptr (Play) p = play_new (true);

  p->threads = p->semaphores = p->processors = true;
  hand (p->hand, A, 0, SemInit, 0, 10, 0, 2, 1, 4, hand_word ("lock"));
  hand (p->hand, A, 1, ThdBth, 0, 12, 0, 0, 5, hand_word ("other"));
  hand (p->hand, A, 0, Run, 0, 14, 0, 1);
  hand (p->hand, A, 0, SemP, 0, 16, 0, 2);
  hand (p->hand, A, 0, SemG, TAPE_SemP, 16, 0, 2, 0);
  hand (p->hand, A, 1, SemP, 0, 20, 20, 2);
  hand (p->hand, A, 0, Wait, 0, 24, 6, 6000000);
  hand0 (p->hand, A, 0, EndWait, TAPE_Wait, 30, 6);
  hand (p->hand, A, 0, SemV, 0, 40, 0, 2, 0);
  hand (p->hand, A, 1, SemG, TAPE_SemP, 40, 20, 2, 0);
  hand (p->hand, A, 0, SemGOk, 0, 44, 0, 2, 0, 0);
  hand (p->hand, A, 1, SemV, 0, 46, 0, 2, 1);
  hand (p->hand, A, 0, SemGOk, 0, 48, 0, 2, 0, 1);
  hand0 (p->hand, A, 1, Stop, 0, 50, 0);
  hand0 (p->hand, A, 0, Stop, 0, 52, 0);
  hand (p->hand, C, 0, Send, 0, 53, -1, CB, 8);
  hand (p->hand, A, 0, TskDth, 0, 60, 0, 0);
  hand (p->hand, B, 0, TskDth, 0, 61, 0, 0);
  hand (p->hand, C, 0, TskDth, 0, 62, 0, -15);
  expect_at (p, 0, "a.0 State=Busy|Name=thread a.0|Inside=a", "processor p0 State=Busy");
  expect_at (p, 10, "a.s2 State=Idle|Kind=semaphore|Inside=a|Value=1");
  expect_at (p, 12, "a.1 State=Unused"); /* born stopped */
  expect_at (p, 14, "a.1 State=Busy");
  expect_at (p, 16, "a.s2 State=Busy|Value=0|Holders=0|Waiters=");
  expect_at (p, 20, "a.1 State=Idle", "a.s2 Waiters=1", "a State=Busy"); /* thread 0 works */
  expect_at (p, 24, "a.0 State=Idle", "a State=Idle",                    /* nobody does */
             "processor p0 State=Idle");
  expect_at (p, 30, "a State=Busy");
  expect_at (p, 40, "a.s2 Holders=1|Waiters=|Value=0");
  expect_at (p, 44, "a.s2 Holders=1"); /* not taken */
  expect_at (p, 46, "a.s2 State=Idle|Value=1");
  expect_at (p, 48, "a.s2 Holders=0");
  expect_at (p, 50, "a.1 State=Idle", "a State=Busy");
  expect_at (p, 52, "a State=Idle", "processor p1 State=Busy");
  expect_at (p, 53, "c State=Idle", "processor p1 State=Busy"); /* b */
  /* a.s2: Idle 10-16, held 16-46 (handed on at 40), Idle 46-48, held since; a: Idle 24-30 and since 52 */
  expect_text (play_node (p, "a.s2", "PercentBusy", 60), "84.0"); /* (30 + 12) / 50 */
  expect_text (play_node (p, "a", "PercentIdle", 60), "23.3");    /* (6 + 8) / 60 */
  expect_text (play_node (p, "processor p0", "PercentIdle", 60), "23.3");
  expect_text (play_node (p, "processor p1", "PercentIdle", 60), "0.0"); /* b works all the time */
  expect_at (p, 60, "a.0 State=Dead", "a.1 State=Dead", "a.s2 State=Dead", "processor p0 State=Dead");
  expect_at (p, 61, "processor p1 State=Idle");
  expect_at (p, 62, "processor p1 State=Dead");
  expect_text (play_node (p, "processor p1", "PercentIdle", 62), "1.6"); /* 1 / 62: b is dead, c waits */
  expect_possible (p);
}

/* A Run of a thread that is not stopped lets its next Stop pass. */
static void
test_run_and_stop (void)
{
  g_autoptr (Play) p = play_new (true);

  p->threads = true;
  hand (p->hand, A, 1, ThdBth, 0, 1, 0, 0, 5, hand_word ("other"));
  hand (p->hand, A, 0, Run, 0, 2, 0, 1);
  hand (p->hand, A, 0, Run, 0, 3, 0, 1);
  hand0 (p->hand, A, 1, Stop, 0, 4, 0);
  hand0 (p->hand, A, 1, Stop, 0, 5, 0);
  hand (p->hand, A, 0, Run, 0, 6, 0, 1);
  hand0 (p->hand, A, 1, ThdDth, 0, 7, 0);
  hand (p->hand, A, 0, Receive, 0, 8, -1, BA, 8);
  expect_at (p, 4, "a.1 State=Busy");
  expect_at (p, 5, "a.1 State=Idle");
  expect_at (p, 6, "a.1 State=Busy");
  expect_at (p, 7, "a.1 State=Dead");
  expect_at (p, 8, "a State=Idle"); /* its only thread waits */
  expect_possible (p);
}

/* ---- what the model does not allow -------------------------------------------------------------------------------- */

static void
expect_impossible (Play *p, uint64_t n, const char *last)
{
  const StateGraph *g = &p->ouf->store.graph;

  g_assert_cmpuint (g->n_impossible, ==, n);
  g_assert_cmpstr (g->impossible->pdata[g->impossible->len - 1], ==, last);
}

static void
test_impossible (void)
{
  g_autoptr (Play) p = play_new (false);

  hand (p->hand, A, 0, Wait, 0, 1, -1, 5);  /* not born */
  hand (p->hand, A, 0, TskBth, 0, 2, 0, 1); /* twice */
  hand (p->hand, A, 0, EndSend, TAPE_Send, 3, 1, AB, 8, 1, 0);
  hand (p->hand, A, 0, Send, 0, 4, 4, AB, 8); /* the Wait has not ended */
  hand (p->hand, A, 0, EndSend, TAPE_Send, 8, 4, AB, 8, 1, 0);
  hand (p->hand, B, 0, TskBth, 0, 9, 0, 1);
  hand (p->hand, B, 0, TskDth, 0, 10, 0, 0);
  hand (p->hand, B, 0, User, 0, 11, 0, 1, 1, hand_word ("x"));
  expect_at (p, 1, "a State=Busy");
  expect_impossible (p, 1, "0.001000 s, Wait of a: comes from a task that was not born; taken as Busy from now on");
  play_until (p, 2);
  expect_impossible (p, 2, "0.002000 s, TskBth of a: is the second birth of a task; left out");
  play_until (p, 3);
  expect_impossible (p, 3, "0.003000 s, EndSend of a: ends what has not begun; left out");
  play_until (p, 4);
  expect_impossible (p, 4,
                     "0.004000 s, Send of a: begins inside a call of its thread that has not ended; that one is left");
  expect_now (p, "a State=Idle");
  play_until (p, 8);
  expect_impossible (p, 5, "0.008000 s, EndSend of a: ends, though b has not come to the rendezvous");
  expect_now (p, "a State=Busy", "ab State=Unused|TotalTraffic=0");
  play_until (p, 11);
  expect_impossible (p, 6, "0.011000 s, User of b: comes from a task that is dead; left out");
}

/* Events that no reader gives. */
static void
test_foreign (void)
{
  g_autoptr (Play) p = play_new (true);
  TraceEvent e;

  play_until (p, 0);
  e = g_array_index (p->events, TraceEvent, 0);
  e.task = 77;
  ouf_step (p->ouf, &e);
  expect_impossible (p, 1, "0.000000 s, TskBth of ?: comes from a task that the trace does not know; left out");
  e.task = 0;
  e.kind = 60;
  ouf_step (p->ouf, &e);
  g_assert_cmpuint (p->ouf->store.graph.n_impossible, ==, 2);
  e.source++;
  ouf_step (p->ouf, &e);
  g_assert_cmpuint (p->ouf->store.graph.n_impossible, ==, 3);
  e = g_array_index (p->events, TraceEvent, 0);
  e.date = -5;
  ouf_step (p->ouf, &e);
  g_assert_cmpuint (p->ouf->store.graph.n_impossible, ==, 5); /* dated before, and a second birth */
  g_assert_cmpint (p->ouf->store.graph.clock, ==, 0);
  g_assert_cmpuint (p->ouf->store.graph.n_events, ==, 7);
}

/* Two threads send on one link, and the one that came last is served first: only the ends tell.  A communication that
 * both sides have ended is in TotalTraffic, whatever else goes on on the link. */
static void
test_threads_on_a_link (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, A, 0, Send, 0, 10, 60, AB, 100);
  hand (p->hand, A, 1, Send, 0, 12, 20, AB, 7);
  hand (p->hand, B, 0, Receive, 0, 20, 10, AB, 4096);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 30, 10, AB, 7, 1, 0);
  hand (p->hand, B, 0, Receive, 0, 31, 14, AB, 4096);
  hand (p->hand, A, 1, EndSend, TAPE_Send, 32, 20, AB, 7, 1, 0);
  hand (p->hand, A, 1, Send, 0, 40, 35, AB, 3);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 45, 14, AB, 100, 2, 0);
  hand (p->hand, B, 0, Receive, 0, 50, 30, AB, 4096);
  hand (p->hand, A, 0, EndSend, TAPE_Send, 70, 60, AB, 100, 2, 0);
  hand (p->hand, A, 1, EndSend, TAPE_Send, 75, 35, AB, 3, 3, 0);
  hand (p->hand, B, 0, EndReceive, TAPE_Receive, 80, 30, AB, 3, 3, 0);
  expect_at (p, 20, "ab Usage=3|Traffic=100|TotalTraffic=0"); /* that of who has waited longest */
  expect_at (p, 30, "ab Traffic=7|TotalTraffic=0|Messages=1");
  expect_at (p, 32, "ab Traffic=100|TotalTraffic=7");
  expect_at (p, 45, "ab Traffic=100|TotalTraffic=7|Messages=2");
  expect_at (p, 50, "ab Traffic=103|TotalTraffic=7");
  expect_at (p, 70, "ab Traffic=3|TotalTraffic=107|State=Talking|Usage=2");
  expect_at (p, 80, "ab Traffic=0|TotalTraffic=110|State=Unused|Usage=0|Messages=3");
  expect_possible (p);
}

/* An alternative listens to links that end at its task, and to no others. */
static void
test_alternative_of_foreign_links (void)
{
  g_autoptr (Play) p = play_new (true);

  hand (p->hand, B, 0, Alt, 0, 10, 10, 4, BA, AB, CB, 99);
  hand (p->hand, B, 0, EndAlt, TAPE_Alt, 20, 10, CB, 2);
  hand (p->hand, C, 0, NAlt, 0, 30, 10, 1, AB);
  expect_at (p, 10, "b State=Idle|Protagonist=a, c", "ab State=Idle", "cb State=Idle", "ba State=Unused");
  g_assert_cmpuint (p->ouf->store.graph.n_impossible, ==, 1);
  g_assert_nonnull (
      strstr (p->ouf->store.graph.impossible->pdata[0], "Alt of b: names a link that is not to this task"));
  expect_at (p, 20, "ab State=Unused", "cb State=Unused", "ba State=Unused");
  expect_at (p, 30, "c State=Busy|Protagonist=", "ab State=Unused");
  g_assert_cmpuint (p->ouf->store.graph.n_impossible, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ouf/birth-and-death", test_birth_and_death);
  g_test_add_func ("/ouf/send-first", test_send_first);
  g_test_add_func ("/ouf/receive-first", test_receive_first);
  g_test_add_func ("/ouf/cross", test_cross);
  g_test_add_func ("/ouf/one-after-the-other", test_one_after_the_other);
  g_test_add_func ("/ouf/limits", test_limits);
  g_test_add_func ("/ouf/too-late", test_too_late);
  g_test_add_func ("/ouf/alternative", test_alternative);
  g_test_add_func ("/ouf/threads-on-a-link", test_threads_on_a_link);
  g_test_add_func ("/ouf/alternative-of-foreign-links", test_alternative_of_foreign_links);
  g_test_add_func ("/ouf/alternative-ready", test_alternative_ready);
  g_test_add_func ("/ouf/results", test_results);
  g_test_add_func ("/ouf/receiver-dies", test_receiver_dies);
  g_test_add_func ("/ouf/turns", test_turns);
  g_test_add_func ("/ouf/nothing-else", test_nothing_else);
  g_test_add_func ("/ouf/extras", test_extras);
  g_test_add_func ("/ouf/run-and-stop", test_run_and_stop);
  g_test_add_func ("/ouf/impossible", test_impossible);
  g_test_add_func ("/ouf/foreign", test_foreign);
  return g_test_run ();
}
