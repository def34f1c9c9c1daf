/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - when snapshots are taken: each Nth major cycle, when the program ends, and when somebody asks.
 *
 * The runtime is told of nothing but by its own hooks.  The hook of the major collector only takes a note, as the minor
 * heap may be half full there; the snapshot is taken at the end of the next minor collection.  Somebody asks by a line
 * in a pipe, which a thread of this library reads, so that no signal disturbs the program.  A child writes; the program
 * waits for the fork alone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "inside.h"

#define MOST_CHILDREN 8
#define SMALL_WORDS (UINT64_C (1) << 18) /* 2 MiB */
#define LABEL_BYTES 64
#define PATH_BYTES 4096
#define LOOK_MS 20 /* how often a request looks whether the program computes or waits */

static struct Heap {
  Runtime runtime;
  Symbols symbols;
  char folder[PATH_BYTES], program[PATH_BYTES];
  pid_t pid;
  uint64_t every, cycles, skipped, failed;
  bool at_end, fork;
  uint32_t string_bytes;
  unsigned number, most_children;
  int64_t begun;
  pid_t children[MOST_CHILDREN];
  unsigned n_children;
  bool busy; /* a snapshot is being begun: hooks that it calls itself do nothing */
  bool due;  /* the collector has come around so often */
  volatile bool requested;
  char label[LABEL_BYTES]; /* of the request */
  pthread_mutex_t lock;    /* of all this, and of whether the program waits */
  volatile bool waits;     /* it is in a system call, and its heap stands still */
  const char *stack_low, *stack_high;
  void (*major_hook) (void), (*minor_end_hook) (void), (*enter_hook) (void), (*leave_hook) (void);
} heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

extern void *__libc_stack_end;

static int64_t
now (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- names of files, without stdio ---------------------------------------------------------------------------------------- */

static size_t
append (char *to, size_t n, const char *text)
{
  while (*text && n < PATH_BYTES - 1)
    to[n++] = *text++;
  to[n] = '\0';
  return n;
}

/* FOLDER/0001.major.heap, FOLDER/0002.request.LABEL.heap */
static int
make_file (unsigned number, const char *trigger, const char *label)
{
  char path[PATH_BYTES], digits[12];
  size_t n = append (path, 0, heap.folder);
  int k = 11;

  digits[k] = '\0';
  for (unsigned i = number; k > 7 || i > 0; i /= 10)
    digits[--k] = (char) ('0' + i % 10);
  n = append (path, n, "/");
  n = append (path, n, digits + k);
  n = append (path, n, ".");
  n = append (path, n, trigger);
  n = append (path, n, *label ? "." : "");
  n = append (path, n, label);
  append (path, n, ".heap");
  return open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* A sentence for who looks at the bundle; the program's own output is not ours. */
static void
note (const char *name, const char *sentence)
{
  char path[PATH_BYTES];
  size_t n = append (path, append (path, append (path, 0, heap.folder), "/"), name);
  int fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

  n = strlen (sentence);
  if (fd >= 0) {
    if (write (fd, sentence, n) == (ssize_t) n && write (fd, "\n", 1) == 1)
      n = 0;
    close (fd);
  }
}

/* ---- a snapshot ---------------------------------------------------------------------------------------------------------- */

/* Takes note of children that are done.  `wait`: for all of them. */
static void
reap (bool wait)
{
  for (unsigned i = 0; i < heap.n_children;) {
    int status = 0;
    pid_t is = waitpid (heap.children[i], &status, __WCLONE | (wait ? 0 : WNOHANG));
    if (is == 0 || (is < 0 && errno == EINTR)) {
      i += is == 0;
      continue;
    }
    heap.failed += is > 0 && status != 0;
    heap.children[i] = heap.children[--heap.n_children];
  }
}

static bool
write_it (const Snapshot *s)
{
  int fd = make_file (s->number, s->trigger, s->label);
  if (fd >= 0)
    flock (fd, LOCK_EX | LOCK_NB); /* as long as it is held somebody writes */
  bool ok = fd >= 0 && snapshot_write (s, fd);

  if (fd >= 0)
    close (fd);
  return ok;
}

/* Of the child: nothing of the program but its memory. */
static void
be_child (const Snapshot *s, bool empty)
{
  sigset_t all;

  sigfillset (&all);
  sigdelset (&all, SIGTERM);
  sigdelset (&all, SIGINT);
  for (int i = SIGINT; i <= SIGTERM; i += SIGTERM - SIGINT)
    signal (i, SIG_DFL);
  sigprocmask (SIG_SETMASK, &all, NULL);
  if (syscall (SYS_close_range, 0U, ~0U, 0U) != 0)
    for (int fd = 0; fd < 1024; fd++)
      close (fd);
  setpriority (PRIO_PROCESS, 0, 10);
  if (empty)
    heap.runtime.empty_minor_heap ();
  _exit (write_it (s) ? 0 : 1);
}

/* With the lock.  `empty`: the minor heap has something in it.  False: not now. */
static bool
take (const char *trigger, const char *label, bool empty)
{
  reap (false);
  if (!runtime_layout (&heap.runtime)) {
    if (heap.runtime.stats == -2 && heap.failed++ == 0)
      note ("refused",
            "the program's heap is laid out in a way that is not known: natively compiled programs of OCaml 4.13 and "
            "4.14 are read");
    return true;
  }
  if (heap.n_children >= heap.most_children)
    return false;
  heap.busy = true;
  Snapshot s = {
    .runtime = &heap.runtime,
    .symbols = &heap.symbols,
    .trigger = trigger,
    .label = label,
    .program = heap.program,
    .number = ++heap.number,
    .pid = (unsigned) heap.pid,
    .cycles = heap.cycles,
    .skipped = heap.skipped,
    .failed = heap.failed,
    .begun = heap.begun,
    .started = now (CLOCK_REALTIME),
    .cpu = now (CLOCK_PROCESS_CPUTIME_ID),
    .string_bytes = heap.string_bytes,
    .stack_low = heap.stack_low,
    .stack_high = heap.stack_high,
  };
  if (heap.fork) {
    /* no handler of the program's own forks, no signal to it when the child ends, and no wait() of it meets the child
     */
    long pid = syscall (SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    if (pid == 0)
      be_child (&s, empty);
    if (pid > 0)
      heap.children[heap.n_children++] = (pid_t) pid;
    heap.failed += pid < 0;
    const uintptr_t *stats = *heap.runtime.state + heap.runtime.stats;
    if (stats[0] <= SMALL_WORDS) /* written in the twinkling of an eye: none that comes soon after is left out */
      reap (true);
  } else {
    if (empty)
      heap.runtime.empty_minor_heap ();
    heap.failed += !write_it (&s);
  }
  heap.busy = false;
  return true;
}

static bool
is_ours (void)
{
  return getpid () == heap.pid && !heap.busy; /* not a child that the program has forked */
}

static void
on_major (void)
{
  if (heap.major_hook)
    heap.major_hook ();
  if (is_ours () && heap.every > 0 && ++heap.cycles % heap.every == 0)
    heap.due = true;
}

static void
on_minor_end (void)
{
  if (heap.minor_end_hook)
    heap.minor_end_hook ();
  if ((!heap.due && !heap.requested) || !is_ours ())
    return;
  pthread_mutex_lock (&heap.lock);
  if (heap.requested) {
    if (take ("request", heap.label, false))
      heap.requested = false;
  } else if (heap.due && !take ("major", "", false)) {
    heap.skipped++;
  }
  heap.due = false;
  pthread_mutex_unlock (&heap.lock);
}

/* ---- programs that wait ----------------------------------------------------------------------------------------------------- */

static void
on_enter (void)
{
  heap.waits = true;
  if (heap.enter_hook)
    heap.enter_hook ();
}

static void
on_leave (void)
{
  int was = errno;

  if (heap.leave_hook)
    heap.leave_hook ();
  pthread_mutex_lock (&heap.lock); /* held by the thread as long as it forks */
  heap.waits = false;
  pthread_mutex_unlock (&heap.lock);
  errno = was;
}

/* ---- somebody asks ------------------------------------------------------------------------------------------------------------- */

/* Programs with threads have hooks of their own: this thread becomes one of theirs for a moment. */
static void
take_as_thread (void)
{
  const Runtime *r = &heap.runtime;

  if (!r->thread_register || !r->thread_unregister || !r->thread_register ())
    return;
  r->leave_blocking ();
  pthread_mutex_lock (&heap.lock);
  if (heap.requested && take ("request", heap.label, true))
    heap.requested = false;
  pthread_mutex_unlock (&heap.lock);
  r->enter_blocking ();
  r->thread_unregister ();
}

static void
serve (void)
{
  struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
  const Runtime *r = &heap.runtime;

  for (int looks = 0; heap.requested; looks++) {
    if (!*r->heap_start || !*r->state) { /* not begun yet */
      nanosleep (&pause, NULL);
      continue;
    }
    if (*r->enter_hook != on_enter && r->threads_initialize) {
      take_as_thread ();
    } else {
      pthread_mutex_lock (&heap.lock);
      if (heap.requested && heap.waits && take ("request", heap.label, true))
        heap.requested = false;
      pthread_mutex_unlock (&heap.lock);
      if (heap.requested && looks == 0)
        r->request_minor_gc ();
    }
    if (heap.requested)
      nanosleep (&pause, NULL);
  }
}

/* A line "dump LABEL". */
static void
on_line (const char *line)
{
  size_t n = 0;

  if (strncmp (line, "dump", 4) != 0 || (line[4] && line[4] != ' '))
    return;
  for (const char *at = line[4] ? line + 5 : ""; *at && n < LABEL_BYTES - 1; at++)
    heap.label[n++] = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ? *at
                                                                                                             : '-';
  heap.label[n] = '\0';
  heap.requested = true;
  serve ();
}

static void *
listen_to (void *arg)
{
  struct pollfd pipe = { .fd = (int) (intptr_t) arg, .events = POLLIN };
  char line[256];
  size_t n = 0;

  for (;;) {
    char c;
    int is = poll (&pipe, 1, heap.n_children > 0 ? 200 : -1);
    pthread_mutex_lock (&heap.lock);
    reap (false);
    pthread_mutex_unlock (&heap.lock);
    if (is <= 0)
      continue;
    while (read (pipe.fd, &c, 1) == 1) {
      if (c != '\n' && n < sizeof line - 1) {
        line[n++] = c;
      } else {
        line[n] = '\0';
        n = 0;
        on_line (line);
      }
    }
  }
  return NULL;
}

static void
begin_listening (void)
{
  char path[PATH_BYTES];
  pthread_t thread;
  sigset_t all, before;
  struct stat is;

  append (path, append (path, append (path, 0, heap.folder), "/"), "control");
  int fd = open (path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW); /* its other end may come and go */
  if (fd < 0 || fstat (fd, &is) != 0 || !S_ISFIFO (is.st_mode)) {
    if (fd >= 0)
      close (fd);
    return;
  }
  int high = fcntl (fd, F_DUPFD_CLOEXEC, 200); /* numbers that the program expects to get stay free */
  if (high >= 0) {
    close (fd);
    fd = high;
  }
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before); /* signals of the program are not for this thread */
  if (pthread_create (&thread, NULL, listen_to, (void *) (intptr_t) fd) == 0)
    pthread_detach (thread);
  else
    close (fd);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

/* ---- begin and end ---------------------------------------------------------------------------------------------------------------- */

/* LD_PRELOAD without this library: programs that the program starts are not watched. */
static void
leave_environment (void)
{
  const char *preload = getenv ("LD_PRELOAD");
  char rest[PATH_BYTES];
  size_t n = 0;

  rest[0] = '\0';
  for (const char *at = preload ? preload : ""; *at;) {
    size_t one = strcspn (at, ": ");
    const char *found = memmem (at, one, "libscope-heap.so", 16);
    if (one > 0 && !found && n + one + 2 < sizeof rest) {
      if (n > 0)
        rest[n++] = ':';
      memcpy (rest + n, at, one);
      n += one;
      rest[n] = '\0';
    }
    at += one + (at[one] != '\0');
  }
  if (n > 0)
    setenv ("LD_PRELOAD", rest, 1);
  else
    unsetenv ("LD_PRELOAD");
  unsetenv ("SCOPE_HEAP");
  unsetenv ("SCOPE_HEAP_EVERY");
  unsetenv ("SCOPE_HEAP_OPTIONS");
}

/* SCOPE_HEAP_OPTIONS: "no-end", "no-fork", "strings=BYTES", "children=N", with commas between. */
static void
read_options (void)
{
  const char *every = getenv ("SCOPE_HEAP_EVERY"), *options = getenv ("SCOPE_HEAP_OPTIONS"), *at;

  heap.every = every ? strtoull (every, NULL, 10) : 1;
  options = options ? options : "";
  heap.at_end = !strstr (options, "no-end");
  heap.fork = !strstr (options, "no-fork");
  at = strstr (options, "strings=");
  heap.string_bytes = at ? (uint32_t) strtoul (at + 8, NULL, 10) : 24;
  heap.string_bytes = heap.string_bytes > 1024 ? 1024 : heap.string_bytes;
  at = strstr (options, "children=");
  heap.most_children = at ? (unsigned) strtoul (at + 9, NULL, 10) : 1;
  heap.most_children = heap.most_children < 1               ? 1
                       : heap.most_children > MOST_CHILDREN ? MOST_CHILDREN
                                                            : heap.most_children;
}

/* One program a bundle: the first OCaml program that comes. */
static bool
claim (void)
{
  char path[PATH_BYTES];

  append (path, append (path, append (path, 0, heap.folder), "/"), "program");
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return false;
  size_t n = strlen (heap.program);
  bool ok = write (fd, heap.program, n) == (ssize_t) n;
  close (fd);
  return ok;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *folder = getenv ("SCOPE_HEAP"), *why = NULL;
  struct rlimit stack;

  if (!folder || strlen (folder) > PATH_BYTES - 256)
    return;
  RuntimeIs is = runtime_find (&heap.runtime, &why);
  if (is == RUNTIME_NONE)
    return;
  append (heap.folder, 0, folder);
  ssize_t n = readlink ("/proc/self/exe", heap.program, sizeof heap.program - 1);
  heap.program[n > 0 ? n : 0] = '\0';
  read_options ();
  leave_environment ();
  if (!claim ())
    return;
  if (is == RUNTIME_REFUSED) {
    note ("refused", why);
    return;
  }
  heap.pid = getpid ();
  heap.begun = now (CLOCK_REALTIME);
  heap.stack_high = (const char *) __libc_stack_end + 65536;
  bool bounded = getrlimit (RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < (UINT64_C (1) << 40);
  heap.stack_low = heap.stack_high - (bounded ? stack.rlim_cur : UINT64_C (1) << 36) - 131072;
  symbols_find (&heap.symbols);
  Runtime *r = &heap.runtime;
  heap.major_hook = *r->major_hook;
  heap.minor_end_hook = *r->minor_end_hook;
  heap.enter_hook = *r->enter_hook;
  heap.leave_hook = *r->leave_hook;
  *r->major_hook = on_major;
  *r->minor_end_hook = on_minor_end;
  *r->enter_hook = on_enter;
  *r->leave_hook = on_leave;
  begin_listening ();
}

__attribute__ ((destructor)) static void
end (void)
{
  if (heap.pid == 0 || !is_ours ())
    return;
  pthread_mutex_lock (&heap.lock);
  reap (true);
  if (heap.at_end && *heap.runtime.heap_start)
    take ("exit", "", true);
  reap (true);
  pthread_mutex_unlock (&heap.lock);
}
