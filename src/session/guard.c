/* SPDX-License-Identifier: Apache-2.0 */
#include "session/guard.h"
#include "eve/disk.h"
#include "eve/words.h"
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_S 60           /* a component that does not come back is ended then, */
#define SAY_S 5                 /* and told of before */
#define END_US (G_USEC_PER_SEC) /* after Ctrl-C, for a component that does not come back */
#define FRAMES 64
#define MOST_AGAIN 3 /* times that a process which was killed is started again */

enum { RUNS, MAY_EXIT, ENDED, CLOSED };

/* Shared by the two processes: plain memory. */
typedef struct Shared {
  EveWatch *watch; /* the same address in both */
  _Atomic uint64_t beats;
  _Atomic int state, status; /* status: what the work gave, once it has ENDED */
  _Atomic int signal;        /* that it died of */
  _Atomic int exited;        /* somebody called exit() */
  char subject[256], doing[128], suspects[256];
  char film[1024]; /* last: it outlives a process that was killed */
} Shared;

static Shared *self; /* in the process that works */

void
guard_fault_clear (GuardFault *f)
{
  g_clear_pointer (&f->sentence, g_free);
}

/* ---- in the process that works ------------------------------------------------------------------------------------ */

static uint8_t stack[64 * 1024]; /* the program's own may be what overflowed */

static void
look_at_stack (void)
{
  void *frames[FRAMES];

  eve_watch_stack (self->watch, frames, backtrace (frames, FRAMES));
}

static void
on_crash (int sig)
{
  signal (sig, SIG_DFL);
  alarm (2); /* should the stack be past reading */
  self->signal = sig;
  look_at_stack ();
  raise (sig);
}

static void
guard_on_look (int sig)
{
  int before = errno;

  look_at_stack ();
  errno = before;
}

static void
on_exit_called (void)
{
  if (self->state != RUNS)
    return;
  self->exited = 1;
  look_at_stack ();
}

/* Who closes descriptors at random takes those of others along, and what is opened next is written over by both.  Seen
 * by the standard ones and by one that serves for nothing else. */
static struct {
  int fd[4];
  struct stat as[4];
} kept;

static void
keep_descriptors (void)
{
  for (int i = 0; i < 3; ++i)
    kept.fd[i] = i;
  kept.fd[3] = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  for (int i = 0; i < 4; ++i)
    if (fstat (kept.fd[i], &kept.as[i]) != 0)
      kept.fd[i] = -1;
}

static void
look_at_descriptors (void)
{
  struct stat now;

  for (int i = 0; i < 4; ++i)
    if (kept.fd[i] >= 0
        && (fstat (kept.fd[i], &now) != 0 || now.st_ino != kept.as[i].st_ino || now.st_dev != kept.as[i].st_dev)) {
      self->state = CLOSED;
      _exit (1);
    }
}

static void
watch_self (Shared *shared)
{
  static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };
  struct sigaction crash = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER };
  struct sigaction look = { .sa_handler = guard_on_look, .sa_flags = (int) (SA_ONSTACK | SA_RESTART) };
  stack_t alternative = { .ss_sp = stack, .ss_size = sizeof stack };
  void *frames[4];

  self = shared;
  keep_descriptors ();
  eve_watch_use (shared->watch);
  backtrace (frames, 4); /* loads what it needs, now */
  sigaltstack (&alternative, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (signals); ++i)
    sigaction (signals[i], &crash, NULL);
  sigaction (SIGUSR1, &look, NULL);
  atexit (on_exit_called);
}

void
guard_beat (void)
{
  if (!self)
    return;
  self->beats++;
  look_at_descriptors ();
}

void
guard_about (const char *subject)
{
  if (self)
    g_strlcpy (self->subject, subject, sizeof self->subject);
}

void
guard_doing (const char *fmt, ...)
{
  va_list args;

  if (!self)
    return;
  va_start (args, fmt);
  g_vsnprintf (self->doing, sizeof self->doing, fmt, args);
  va_end (args);
}

void
guard_suspects (const char *boxes)
{
  if (self)
    g_strlcpy (self->suspects, boxes, sizeof self->suspects);
}

void
guard_film (const char *folder)
{
  if (self)
    g_strlcpy (self->film, folder, sizeof self->film);
}

void
guard_may_exit (bool may)
{
  if (self)
    self->state = may ? MAY_EXIT : RUNS;
}

/* ---- in the process that watches ----------------------------------------------------------------------------------- */

static const char *
how (int sig)
{
  switch (sig) {
  case SIGSEGV:
  case SIGBUS:
    return _ ("reached for memory that is not its own");
  case SIGFPE:
    return _ ("divided by zero");
  case SIGABRT:
  case SIGTRAP:
    return _ ("gave up (abort)");
  case SIGILL:
    return _ ("ran what is no code");
  default:
    return NULL;
  }
}

/* "the component Bad one (test.bad of /x/bad.so)"; g_free. */
static char *
guard_name_of (const EveWatched *who)
{
  g_autofree char *class_id = *who->class_id ? g_strconcat (who->class_id, *who->object ? " of " : "", NULL)
                                             : g_strdup ("");

  if (!*who->box)
    return g_strdup_printf (_ ("the object %s"), who->object);
  return g_strdup_printf (_ ("the component %s (%s%s)"), who->box, class_id, who->object);
}

static char *
where (const EveWatched *who, const char *doing)
{
  if (!*who->box)
    return g_strdup_printf (_ (", when it was loaded%s"), doing);
  return g_strdup_printf ("%s%s%s", *who->function ? _ (", in ") : "", who->function, doing);
}

static void
tell_fault (Shared *s, const char *what, GuardFault *f)
{
  g_autofree char *doing = g_utf8_make_valid (s->doing, strnlen (s->doing, sizeof s->doing));

  f->component = eve_watch_who (s->watch, &f->who);
  if (f->component) {
    g_autofree char *name = guard_name_of (&f->who), *place = where (&f->who, doing);
    f->sentence = g_strdup_printf ("%s %s%s", name, what, place);
  } else {
    f->sentence = g_strdup_printf (_ ("the work %s, not inside a component%s"), what, doing);
  }
}

/* Found out at the end of a slice of work: one of those that came with an object of their own. */
static void
tell_closed (Shared *s, GuardFault *f)
{
  g_autofree char *doing = g_utf8_make_valid (s->doing, strnlen (s->doing, sizeof s->doing));
  g_autofree char *boxes = g_utf8_make_valid (s->suspects, strnlen (s->suspects, sizeof s->suspects));

  f->sentence = g_strdup_printf (_ ("a component closed file descriptors that are not its own%s%s%s"), doing,
                                 *boxes ? _ ("; it is one of those that came from elsewhere: ") : "", boxes);
}

/* What became of the child; gives the status of this process. */
static int
guard_judge (Shared *s, int wait_status, bool ended_for_silence, bool ended_by_us, GuardFault *f)
{
  if (ended_for_silence) {
    tell_fault (s, _ ("does not come back"), f);
    return 1;
  }
  if (WIFSIGNALED (wait_status)) {
    int sig = s->signal ? s->signal : WTERMSIG (wait_status);
    if (how (sig)) {
      tell_fault (s, how (sig), f);
      return 1;
    }
    if (!ended_by_us)
      f->sentence = g_strdup_printf (_ ("ended by a signal from elsewhere: %s"), g_strsignal (sig));
    return 128 + sig;
  }
  int status = WEXITSTATUS (wait_status);
  if (s->state == CLOSED) {
    tell_closed (s, f);
    return 1;
  }
  if (s->state != RUNS)
    return status;
  g_autofree char *what = g_strdup_printf (s->exited ? _ ("called exit (%d)") : _ ("ended the process (status %d)"),
                                           status);
  tell_fault (s, what, f);
  return 1;
}

/* Once it was asked to end, that a component is busy is no reason to wait for it. */
static uint64_t
signs_of_life (const Shared *s, bool asked)
{
  return s->beats + eve_watch_calls (s->watch) + (asked ? 0 : eve_watch_signs (s->watch));
}

/* Asks the child where it is: false: not inside a component. */
static bool
who_is_at_work (Shared *s, pid_t child, EveWatched *who)
{
  eve_watch_forget (s->watch);
  kill (child, SIGUSR1);
  g_usleep (50 * 1000);
  return eve_watch_who (s->watch, who);
}

int
guard_patience_s (void)
{
  const char *text = g_getenv ("SCOPE_PATIENCE");
  int s = text ? atoi (text) : 0;

  return s > 0 ? s : PATIENCE_S;
}

/* For how long a process wanted a processor and had none, in microseconds: on a machine with much to do that is no
 * fault of its own.  0 where the system does not tell. */
static int64_t
waited_us (pid_t child)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/schedstat", (int) child);
  char text[128];
  const char *second;
  int file = disk_open (path, NULL, sizeof text, NULL, NULL);
  ssize_t n = file >= 0 ? read (file, text, sizeof text - 1) : -1;

  if (file >= 0)
    close (file);
  text[MAX (n, 0)] = '\0';
  if (!(second = strchr (text, ' ')))
    return 0;
  return (int64_t) (g_ascii_strtoull (second, NULL, 10) / 1000);
}

static int
guard_watch_over (Shared *s, pid_t child, int end, const GuardOptions *o, GuardFault *f)
{
  const int64_t patience = (int64_t) guard_patience_s () * G_USEC_PER_SEC,
                say = MIN (patience / 2, SAY_S * G_USEC_PER_SEC);
  uint64_t signs = 0;
  int64_t last = g_get_monotonic_time (), waited = 0, asked = 0;
  int status = 0;
  bool told = false, silent = false;
  EveWatched who;

  for (;;) {
    pid_t got = waitpid (child, &status, WNOHANG);
    if (got == child || (got < 0 && errno != EINTR))
      break;
    int64_t waits = waited_us (child), now = g_get_monotonic_time (), idle = now - last;
    if (!asked) /* else a person waits */
      idle -= CLAMP (waits - waited, 0, idle / 4 * 3);
    if (o->interrupted && o->interrupted () && !asked) {
      kill (child, SIGTERM);
      asked = last = now;
      waited = waits;
      signs = signs_of_life (s, asked);
    } else if (signs_of_life (s, asked) != signs) {
      signs = signs_of_life (s, asked);
      last = now;
      waited = waits;
      told = false;
    } else if (asked && idle > END_US) { /* it was asked to end, and cannot hear it */
      last = now;
      waited = waits;
      if (who_is_at_work (s, child, &who) && signs_of_life (s, true) == signs) {
        g_autofree char *name = guard_name_of (&who);
        g_autofree char *sentence = g_strdup_printf (
            _ ("%s has not come back, and is ended: what it was at is not done"), name);
        kill (child, SIGKILL);
        if (o->say)
          o->say (o->arg, sentence);
      }
    } else if (!told && idle > say) {
      told = true;
      if (who_is_at_work (s, child, &who) && o->say) {
        g_autofree char *name = guard_name_of (&who), *place = where (&who, "");
        g_autofree char *sentence = g_strdup_printf (
            _ ("%s has not come back for %.3g\u2009s%s; it is ended after %.3g\u2009s"), name,
            (double) idle / G_USEC_PER_SEC, place, (double) patience / G_USEC_PER_SEC);
        o->say (o->arg, sentence);
      }
    } else if (idle > patience) {
      last = now;
      waited = waits;
      silent = who_is_at_work (s, child, &who) && signs_of_life (s, asked) == signs;
      if (silent)
        kill (child, SIGKILL);
    }
    struct pollfd until = { .fd = end, .events = POLLIN };
    if (end < 0 || poll (&until, 1, 50) > 0) /* a signal ends it too */
      g_usleep (1000);                       /* it is going */
  }
  return guard_judge (s, status, silent, asked != 0, f);
}

/* In a process of its own; gives its status, or that of this process where there can be no other. */
static int
run_once (Shared *s, int (*work) (void *arg), void *arg, const GuardOptions *options, GuardFault *fault)
{
  int end[2] = { -1, -1 }; /* a pipe that nobody writes to: it is broken when the child is gone */
  pid_t parent = getpid (), child = -1;

  s->watch = eve_watch_new ();
  if (s->watch) {
    if (pipe2 (end, O_CLOEXEC) != 0)
      end[0] = end[1] = -1;
    child = fork ();
    if (child != 0 && end[1] >= 0)
      close (end[1]);
  }
  if (child == 0) {
    prctl (PR_SET_PDEATHSIG, SIGKILL); /* nobody waits for it any more */
    if (getppid () != parent)
      _exit (1);
    watch_self (s);
    s->status = work (arg);
    look_at_descriptors ();
    s->state = ENDED;
    exit (s->status);
  }
  int status = child < 0 ? work (arg) : guard_watch_over (s, child, end[0], options, fault);
  if (end[0] >= 0)
    close (end[0]);
  eve_watch_free (s->watch);
  return status;
}

int
guard_over (int (*work) (void *arg), void *arg, const GuardOptions *options, GuardFault *fault)
{
  int status;

  *fault = (GuardFault){ 0 };
  if (g_getenv ("SCOPE_NO_GUARD"))
    return work (arg);
  Shared *s = mmap (NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (s == MAP_FAILED)
    return work (arg);
  for (guint tries = 0;; ++tries) {
    memset (s, 0, offsetof (Shared, film)); /* which film it is stays known */
    status = run_once (s, work, arg, options, fault);
    /* Who shoots a film was killed from elsewhere, as where memory is short: it goes on at its last checkpoint. */
    if (status != 128 + SIGKILL || !*s->film || tries == MOST_AGAIN
        || (options->interrupted && options->interrupted ()))
      break;
    guard_fault_clear (fault);
    *fault = (GuardFault){ 0 };
    if (options->say)
      options->say (options->arg, _ ("the process that shoots the film was killed; it is started again"));
  }
  g_strlcpy (fault->subject, s->subject, sizeof fault->subject);
  g_strlcpy (fault->film, s->film, sizeof fault->film);
  munmap (s, sizeof *s);
  return status;
}
