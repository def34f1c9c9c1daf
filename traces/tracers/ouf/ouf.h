/* SPDX-License-Identifier: Apache-2.0 */
/* ouf.h - programs of communicating sequential processes on one machine, in the spirit of OUF/TRITA on
 * Transputers.
 *
 * An application is a set of tasks that share no memory (processes), joined by one-way links declared before
 * it runs.  A message is a rendezvous: both ends wait for each other.  A task may have several threads, which
 * share its memory and may use semaphores.  main() describes the application, then calls ouf_execute():
 *
 *   static int ping (void *arg) { int n = 42; return ouf_send (0, &n, sizeof n) < 0; }
 *   static int pong (void *arg) { int n; return ouf_receive (0, &n, sizeof n) != sizeof n; }
 *
 *   int a = ouf_task ("ping", -1, ping, NULL), b = ouf_task ("pong", -1, pong, NULL);
 *   ouf_link ("ab", a, b);
 *   return ouf_execute (argc, argv);
 *
 * Linked with libouf-tape in place of libouf the same objects leave a trace (README.md).  Tasks, threads,
 * links and semaphores are numbers from 0 on.  What cannot be right (a link that is not there or not this
 * task's) ends the task with a sentence and status 120. */
#ifndef OUF_H
#define OUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OUF_DEAD -1    /* the task at the other end is dead, or all of them are */
#define OUF_LONG -2    /* the message was longer than the room; the rest of it is lost */
#define OUF_TIMEOUT -3 /* nobody came in time; nothing was transferred */
#define OUF_NONE -4    /* no link is ready */

#define OUF_LIMIT_STATUS 124 /* of ouf_execute(): the time OUF_LIMIT is over */

/* -- the application: called by main(), one thread, before ouf_execute() -- */
/* The number of physical processors; without it, those this process may use.  Physical processor p is the
 * p-th of these (in turn, if there are fewer); tasks stay on theirs. */
void ouf_processors (int n);
/* A new virtual processor on a physical one; gives its number. */
int ouf_virtual (int physical);
/* A new task on a virtual processor, -1: on a new one of its own, on the next physical one in turn.
 * `function` runs in a process of its own, which has a copy of all memory as main() left it; what it returns
 * (0 to 119) is the status of the task.  Gives its number.  The name is copied. */
int ouf_task (const char *name, int virtual_processor, int (*function) (void *arg), void *arg);
/* A new link between two tasks; gives its number. */
int ouf_link (const char *name, int from, int to);
/* Runs the tasks until all are dead.  Gives 0 if all gave 0; else the status of the first that did not, 128 +
 * N if signal N killed it.  The arguments are for the notes of the trace. */
int ouf_execute (int argc, char **argv);

/* -- inside a task: any of its threads -- */
int ouf_self (void);    /* this task */
int64_t ouf_now (void); /* nanoseconds since the beginning of the run */

/* Messages.  Several threads of a task may use one end of a link; they take turns.  Sending gives 0 or a code
 * above below 0; receiving gives the number of bytes that came, or such a code.  Limits in nanoseconds from
 * now: they are for the other to come, the transfer then takes the time it takes. */
int ouf_send (int link, const void *data, size_t bytes);
int ouf_tsend (int link, const void *data, size_t bytes, int64_t limit_ns);
long ouf_receive (int link, void *data, size_t room);
long ouf_treceive (int link, void *data, size_t room, int64_t limit_ns);

/* Alternatives over links to this task, each used by this thread alone: the place in `links` of one whose
 * sender waits (no link is preferred); ouf_receive() then takes its message.  The sender can no longer give
 * up.  OUF_DEAD: all senders are. ouf_nalt() never waits: OUF_NONE if none is ready. */
int ouf_alt (int n, const int *links);
int ouf_nalt (int n, const int *links);

/* Threads.  A new thread waits until somebody runs it.  A task ends when its function has returned and every
 * thread has ended or is stopped for good. */
int ouf_thread (const char *name, void (*function) (void *arg), void *arg); /* gives its number, from 1 */
void ouf_run (int thread); /* lets it go; one that is not stopped does not stop the next time */
void ouf_stop (void);      /* stops this thread until somebody runs it */

/* Semaphores of this task, first come, first served. */
int ouf_sem_init (const char *name, int value); /* a new one */
void ouf_sem_p (int semaphore);                 /* takes it, waiting until it is more than 0 */
bool ouf_sem_g (int semaphore);                 /* takes it if that needs no waiting; false: not taken */
void ouf_sem_v (int semaphore);                 /* gives it back */

void ouf_wait (int64_t ns); /* sleeps */

/* -- the program's own events; nothing happens where nothing is traced -- */
void ouf_user (const char *name, int64_t value);
void ouf_phase (const char *name, int64_t value);
void ouf_phase_end (const char *name); /* ends the newest open phase of that name in this thread */
/* Which events this task records from now on: "all", "point,SemP", "-thread" (names and categories of
 * kinds.def; all but these).  Births and deaths of tasks always are.  False, and nothing changes: a word is
 * unknown. */
bool ouf_events (const char *which);

#ifdef __cplusplus
}
#endif
#endif
