/* SPDX-License-Identifier: Apache-2.0 */
/* tricks.c - a program that does, one mode at a time, what could upset the tracer. */
#include <pvm3.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tape.h"

enum { TAG = 5, NEVER = 99 };

static void
child_forked (void)
{
  pid_t pid;

  tape_begin ("family", 1);
  pid = fork ();
  if (pid == 0) {
    tape_user ("child", 1); /* none of this may be seen, nor harm the record of the parent */
    tape_end ("family");
    pvm_getsbuf ();
    exit (0);
  }
  waitpid (pid, NULL, 0);
  tape_user ("parent", 1);
  tape_end ("family");
  pvm_exit ();
}

static void
killed_in_receive (void)
{
  pid_t victim = getpid ();

  if (fork () == 0) {
    usleep (100000);
    kill (victim, SIGKILL);
    _exit (0);
  }
  tape_begin ("doomed", 7);
  pvm_recv (-1, NEVER);
}

static void *
many_events (void *name)
{
  for (int i = 0; i < 1000; i++) {
    tape_begin (name, i);
    tape_end (name);
  }
  return NULL;
}

static void
threads (void)
{
  static char names[4][8] = { "one", "two", "three", "four" };
  pthread_t thread[4];

  for (int i = 0; i < 4; i++)
    pthread_create (&thread[i], NULL, many_events, names[i]);
  for (int i = 0; i < 4; i++)
    pthread_join (thread[i], NULL);
  pvm_exit ();
}

static sigjmp_buf out;

static void
on_alarm (int sig)
{
  siglongjmp (out, 1);
}

static void
jump (void)
{
  struct itimerval soon = { { 0, 0 }, { 0, 50000 } };

  signal (SIGALRM, on_alarm);
  setitimer (ITIMER_REAL, &soon, NULL);
  if (sigsetjmp (out, 1) == 0)
    pvm_recv (-1, NEVER);
  pvm_getsbuf (); /* recorded only if the tracer noticed that the receive was left */
  tape_user ("after", 1);
  pvm_exit ();
}

static int
match_any (int id, int tid, int tag)
{
  int length, what, from;

  pvm_bufinfo (id, &length, &what, &from); /* called by PVM: not the program's own call */
  return tag == -1 || tag == what;
}

/* Every way to pack and to send, to itself. */
static int
pack_all (int me)
{
  int n = 3, list[3] = { 1, 2, 3 }, got[3] = { 0 }, from, tag, length, tids[2] = { me, me };
  double x = 0.5, y = 0;
  char word[16] = "";

  pvm_initsend (PvmDataDefault);
  pvm_packf ("%d %*d %lf %s", n, n, list, x, "word");
  pvm_send (me, TAG);
  pvm_recvf (match_any);
  pvm_recv (-1, TAG);
  pvm_recvf (NULL);
  pvm_unpackf ("%d %*d %lf %s", &n, n, got, &y, word);
  if (n != 3 || got[2] != 3 || y != x || strcmp (word, "word") != 0)
    return 1;
  pvm_psend (me, TAG, list, 3, PVM_INT);
  pvm_precv (-1, TAG, got, 3, PVM_INT, &from, &tag, &length);
  if (from != me || tag != TAG || length != 3 * (int) sizeof (int))
    return 2;
  pvm_psend (me, TAG, list, 3, PVM_INT);
  pvm_precv (me, TAG, got, 3, PVM_INT, NULL, NULL, NULL);
  pvm_mcast (tids, 2, TAG); /* to itself only: to nobody */
  if (pvm_nrecv (-1, NEVER) != 0)
    return 3;
  pvm_initsend (PvmDataInPlace);
  pvm_pkint (list, 3, 1);
  pvm_send (me, TAG);
  pvm_trecv (me, TAG, NULL);
  pvm_upkint (got, 3, 1);
  pvm_exit ();
  return 0;
}

static long
spent_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

/* Works, then sleeps, then works again and fills memory; tells all along what it has spent of the processor. */
static void
burn (void)
{
  enum { MEMORY = 48 << 20 };
  volatile char *room = mmap (NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                              0); /* malloc may fill it */

  for (int part = 0; part < 3; part++) {
    long until = spent_us () + 150000;

    for (int i = 0; part == 1 && i < 60; i++) {
      usleep (5000);
      tape_user ("spent", spent_us ());
    }
    while (part != 1 && spent_us () < until) {
      long next = spent_us () + 3000;

      while (spent_us () < next)
        ;
      tape_user ("spent", spent_us ());
    }
    if (part == 1)
      for (int i = 0; room != MAP_FAILED && i < MEMORY; i += 4096)
        room[i] = 1;
    if (part == 1)
      tape_user ("filled", 1);
  }
  munmap ((void *) room, MEMORY);
  pvm_exit ();
}

int
main (int argc, char **argv)
{
  const char *mode = argc > 1 ? argv[1] : "plain";
  int me;

  if (strcmp (mode, "plain") == 0) { /* without PVM and without the tracer */
    tape_begin ("alone", 1);
    tape_user ("alone", 2);
    tape_end ("alone");
    printf ("%s\n", tape_user_event ? "traced" : "not traced");
    return 0;
  }
  me = pvm_mytid ();
  if (me < 0)
    return 1;
  if (strcmp (mode, "fork") == 0)
    child_forked ();
  else if (strcmp (mode, "kill") == 0)
    killed_in_receive ();
  else if (strcmp (mode, "threads") == 0)
    threads ();
  else if (strcmp (mode, "burn") == 0)
    burn ();
  else if (strcmp (mode, "jump") == 0)
    jump ();
  else if (strcmp (mode, "pack") == 0)
    return pack_all (me);
  else if (strcmp (mode, "twice") == 0) {
    pvm_exit ();
    if (pvm_mytid () <= 0)
      return 1;
    pvm_exit ();
  } else if (strcmp (mode, "halt") == 0)
    pvm_halt ();
  else if (strcmp (mode, "status") == 0)
    exit (42); /* without pvm_exit */
  return 0;
}
