/* SPDX-License-Identifier: Apache-2.0 */
/* ouf.c - the application, its processes and their end.
 *
 * main() becomes the supervisor: it starts a process for each task, waits for their ends, tells the others of
 * each, and in the traced library is the collecting task (collect.c). */
#include "region.h"

#include "note.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Ouf ouf = { .self = -1 };
_Thread_local int ouf_thread_number;

/* -- small things -- */

int64_t
ouf_clock (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t
ouf_now (void)
{
  return ouf_clock () - ouf.origin;
}

int
ouf_self (void)
{
  return ouf.self;
}

void
ouf_misuse (const char *fmt, ...)
{
  va_list args;

  va_start (args, fmt);
  fprintf (stderr, "ouf: %s: ", ouf.self < 0 ? "main" : ouf.task[ouf.self].name);
  vfprintf (stderr, fmt, args);
  fputc ('\n', stderr);
  va_end (args);
  exit (OUF_MISUSE);
}

bool
ouf_futex_wait (_Atomic uint32_t *word, uint32_t seen, int64_t until)
{
  struct timespec t = { until / 1000000000, until % 1000000000 };

  if (until != INT64_MAX && ouf_clock () >= until)
    return false;
  syscall (SYS_futex, word, FUTEX_WAIT_BITSET, seen, until == INT64_MAX ? NULL : &t, NULL, FUTEX_BITSET_MATCH_ANY);
  return until == INT64_MAX || ouf_clock () < until;
}

void
ouf_futex_wake (_Atomic uint32_t *word)
{
  int saved = errno;

  syscall (SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  errno = saved;
}

/* -- the application -- */

/* Room for one more; doubles at powers of two. */
static void *
ouf_grow (void *array, int n, size_t size)
{
  if (n & (n - 1))
    return array;
  array = realloc (array, (size_t) (n ? 2 * n : 1) * size);
  if (!array)
    ouf_misuse ("out of memory");
  return array;
}

static char *
copy_name (const char *name)
{
  char *copy = strndup (name, 255);

  if (!copy)
    ouf_misuse ("out of memory");
  return copy;
}

/* The processors this process may use. */
static int
allowed (cpu_set_t *set)
{
  CPU_ZERO (set);
  if (sched_getaffinity (0, sizeof *set, set) != 0 || CPU_COUNT (set) == 0)
    CPU_SET (0, set);
  return CPU_COUNT (set);
}

static void
before_execution (const char *call)
{
  if (ouf.origin)
    ouf_misuse ("%s: the application runs already", call);
}

void
ouf_processors (int n)
{
  before_execution ("ouf_processors");
  if (n < 1 || n > 65535)
    ouf_misuse ("ouf_processors: from 1 to 65535, not %d", n);
  if (ouf.n_virtual)
    ouf_misuse ("ouf_processors: something is placed already");
  ouf.n_physical = n;
}

int
ouf_virtual (int physical)
{
  cpu_set_t set;

  before_execution ("ouf_virtual");
  if (!ouf.n_physical)
    ouf.n_physical = allowed (&set);
  if (physical < 0 || physical >= ouf.n_physical)
    ouf_misuse ("ouf_virtual: there is no physical processor %d, only %d of them", physical, ouf.n_physical);
  if (ouf.n_virtual == 65535)
    ouf_misuse ("ouf_virtual: there are 65535 already");
  ouf.placed = ouf_grow (ouf.placed, ouf.n_virtual, sizeof *ouf.placed);
  ouf.placed[ouf.n_virtual] = physical;
  return ouf.n_virtual++;
}

int
ouf_task (const char *name, int virtual_processor, int (*function) (void *), void *arg)
{
  static int turn;
  cpu_set_t set;

  before_execution ("ouf_task");
  if (ouf.n_tasks == OUF_MAX_TASKS)
    ouf_misuse ("ouf_task: there are %d tasks already", OUF_MAX_TASKS);
  if (!ouf.n_physical)
    ouf.n_physical = allowed (&set);
  if (virtual_processor < 0)
    virtual_processor = ouf_virtual (turn++ % ouf.n_physical);
  if (virtual_processor >= ouf.n_virtual)
    ouf_misuse ("ouf_task: there is no virtual processor %d", virtual_processor);
  ouf.task = ouf_grow (ouf.task, ouf.n_tasks, sizeof *ouf.task);
  ouf.task[ouf.n_tasks] = (OufTaskPlan){ copy_name (name), virtual_processor, function, arg, 0, 0 };
  return ouf.n_tasks++;
}

int
ouf_link (const char *name, int from, int to)
{
  before_execution ("ouf_link");
  if (from < 0 || from >= ouf.n_tasks || to < 0 || to >= ouf.n_tasks || from == to)
    ouf_misuse ("ouf_link: %s: from task %d to task %d: not two different tasks", name, from, to);
  if (ouf.n_links == OUF_MAX_LINKS)
    ouf_misuse ("ouf_link: there are %d links already", OUF_MAX_LINKS);
  ouf.link = ouf_grow (ouf.link, ouf.n_links, sizeof *ouf.link);
  ouf.link[ouf.n_links] = (OufLinkPlan){ copy_name (name), from, to };
  return ouf.n_links++;
}

/* -- execution -- */

static void *
shared (size_t bytes)
{
  void *p = mmap (NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    ouf_misuse ("%zu bytes to share: %s", bytes, strerror (errno));
  return p;
}

/* Task by task in turn where the machine has fewer processors than the application. */
static void
ouf_place (int physical)
{
  cpu_set_t may, one;
  int k = physical % allowed (&may);

  CPU_ZERO (&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET (cpu, &may) && k-- == 0)
      CPU_SET (cpu, &one);
  sched_setaffinity (0, sizeof one, &one);
}

static _Noreturn void
live (int task, pid_t parent)
{
  int status;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != parent)
    _exit (OUF_MISUSE);
  ouf.self = task;
  ouf_place (ouf.placed[ouf.task[task].virtual_processor]);
  note_task_begin ();
  ouf_local_begin ();
  status = ouf.task[task].function (ouf.task[task].arg);
  ouf_local_end ();
  note_task_end (status & 0xff);
  exit (status & 0xff);
}

static bool
ouf_reap (void)
{
  bool alive = false;

  for (int i = 0; i < ouf.n_tasks; i++) {
    OufTaskPlan *t = &ouf.task[i];
    int status;

    if (!t->pid)
      continue;
    if (waitpid (t->pid, &status, WNOHANG) == 0) {
      alive = true;
      continue;
    }
    t->status = WIFSIGNALED (status) ? -WTERMSIG (status) : WEXITSTATUS (status);
    note_collect ();
    note_bury (i, t->pid, t->status);
    t->pid = 0;
    ouf_link_bury (i);
  }
  return alive;
}

static void
kill_all (void)
{
  for (int i = 0; i < ouf.n_tasks; i++)
    if (ouf.task[i].pid)
      kill (ouf.task[i].pid, SIGKILL);
}

/* Until all are dead; gives the status, or 0 if that of the tasks counts. */
static int
supervise (int signals, int64_t limit)
{
  int status = 0;

  for (;;) {
    struct pollfd fds[2] = { { signals, POLLIN, 0 }, { note_pipe (), POLLIN, 0 } };
    int64_t left = limit == INT64_MAX ? -1 : (limit - ouf_clock () + 999999) / 1000000;
    struct signalfd_siginfo info;

    if (limit != INT64_MAX && left <= 0) {
      kill_all ();
      status = OUF_LIMIT_STATUS;
      limit = INT64_MAX;
      continue;
    }
    poll (fds, 2, left > INT_MAX ? INT_MAX : (int) left);
    if (fds[1].revents)
      note_collect ();
    while (read (signals, &info, sizeof info) == sizeof info)
      if (info.ssi_signo != SIGCHLD) {
        kill_all ();
        status = 128 + (int) info.ssi_signo;
      }
    if (!ouf_reap ())
      return status;
  }
}

static void
ouf_start (pid_t parent, const sigset_t *mask)
{
  for (int i = 0; i < ouf.n_tasks; i++) {
    pid_t pid = fork ();

    if (pid == 0) {
      sigprocmask (SIG_SETMASK, mask, NULL);
      live (i, parent);
    }
    if (pid < 0) {
      fprintf (stderr, "ouf: task %s cannot begin: %s\n", ouf.task[i].name, strerror (errno));
      kill_all ();
      ouf.task[i].status = OUF_MISUSE;
      note_bury (i, 0, OUF_MISUSE);
      ouf_link_bury (i);
      continue;
    }
    ouf.task[i].pid = pid;
  }
}

int
ouf_execute (int argc, char **argv)
{
  const char *text = getenv ("OUF_LIMIT");
  char *end = NULL;
  double seconds = text ? strtod (text, &end) : 0;
  sigset_t handled, before;
  int signals, status;

  before_execution ("ouf_execute");
  if (!ouf.n_tasks)
    ouf_misuse ("ouf_execute: there is no task");
  if (text && (*end || !(seconds > 0) || seconds > 1e9))
    ouf_misuse ("OUF_LIMIT: %s is not a number of seconds", text);
  ouf.tasks = shared ((size_t) ouf.n_tasks * sizeof *ouf.tasks);
  ouf.links = shared ((size_t) ouf.n_links * sizeof *ouf.links);
  ouf.pieces = shared ((size_t) ouf.n_links * OUF_PIECE);
  ouf.origin = ouf_clock ();
  if (!note_open (argc, argv))
    return OUF_MISUSE;
  sigemptyset (&handled);
  sigaddset (&handled, SIGCHLD);
  sigaddset (&handled, SIGINT);
  sigaddset (&handled, SIGTERM);
  sigaddset (&handled, SIGHUP);
  sigprocmask (SIG_BLOCK, &handled, &before);
  signals = signalfd (-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0)
    ouf_misuse ("signalfd: %s", strerror (errno));
  fflush (NULL); /* else each task says again what main() said */
  ouf_start (getpid (), &before);
  status = supervise (signals, text ? ouf_clock () + (int64_t) (seconds * 1e9) : INT64_MAX);
  close (signals);
  sigprocmask (SIG_SETMASK, &before, NULL);
  note_close (status == OUF_LIMIT_STATUS ? (int64_t) (seconds * 1e9) : 0);
  for (int i = 0; i < ouf.n_tasks && !status; i++)
    status = ouf.task[i].status < 0 ? 128 - ouf.task[i].status : ouf.task[i].status;
  return status;
}
