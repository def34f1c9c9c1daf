/* SPDX-License-Identifier: Apache-2.0 */
/* heap.c - when snapshots are taken: each Nth major cycle, when the program ends, and when somebody asks, or the
 * program itself.
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
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sites.h"

#define MOST_CHILDREN 8
enum { EXIT_FAILED = 1, EXIT_FULL };     /* how children end that do not write all */
#define SMALL_WORDS (UINT64_C (1) << 18) /* 2 MiB */
#define LABEL_BYTES 64
#define PATIENCE 60 /* seconds */
#define MOST_PATIENCE 86400
#define PATH_BYTES 4096
#define LOOK_MS 20                          /* how often a request looks whether the program computes or waits */
#define SMALL_NS (INT64_C (1000) * 1000000) /* the longest wait for a small heap to be written */
#define GONE_NS (INT64_C (2000) * 1000000)  /* until a child that was killed is gone, or will never be */
#define LOOK_CHILDREN_MS 200
#define AGAIN_MS 5000 /* between two tries to open the pipe of requests, when the program has closed it */

/* Who writes a snapshot. */
typedef struct Child {
  pid_t pid; /* 0: none */
  bool killed;
  uint64_t beats; /* as they were seen last, and since when they are the same, ns */
  int64_t since;
} Child;

static struct Heap {
  Runtime runtime;
  Symbols symbols;
  char folder[PATH_BYTES], program[PATH_BYTES];
  pid_t pid;
  uint64_t every, cycles;
  uint64_t cycles_seen;     /* of OCaml 5, which has no hook for them */
  uint64_t skipped;         /* snapshots that were due and not begun */
  uint64_t n_hindered;      /* of these, as domains of the program hindered them */
  bool domains;             /* several run, and cycles that end meanwhile are seen once one is left */
  uint64_t failed;          /* begun, and not written to their end */
  uint64_t no_room;         /* of these: the disk, or a bound of the size of files, refused */
  int64_t pause, pause_cpu; /* ns: the longest that the program stood still for one; of it the processor worked */
  bool at_end, fork;
  bool hindered;     /* a sentence says why some were not taken */
  bool forked;       /* this is a child that the program or this library has forked: all is left alone */
  unsigned patience; /* seconds without a step after which a child is given up */
  uint32_t string_bytes;
  unsigned sample_words; /* one of so many is followed to where it was allocated; 0: none */
  unsigned number, most_children;
  int64_t begun; /* by CLOCK_MONOTONIC, ns */
  Child children[MOST_CHILDREN];
  volatile uint64_t *beats; /* [MOST_CHILDREN], of memory that is shared with them; NULL: nobody is watched over */
  unsigned n_children;
  bool listening; /* this is the thread that listens, which is none of the program */
  bool busy;      /* a snapshot is being begun: hooks that it calls itself do nothing */
  bool due;       /* the collector has come around so often */
  volatile bool requested;
  char label[LABEL_BYTES]; /* of the request */
  pthread_mutex_t lock;    /* of all this, and of whether the program waits */
  volatile bool waits;     /* it is in a system call, and its heap stands still */
  const char *stack_low, *stack_high;
  void (*major_hook) (void), (*minor_end_hook) (void), (*enter_hook) (void), (*leave_hook) (void), (*slice_hook) (void);
} heap = { .lock = PTHREAD_MUTEX_INITIALIZER };

extern void *__libc_stack_end;

/* ---- names of files, without stdio ---------------------------------------------------------------------------------------- */

static size_t
heap_append (char *to, size_t n, const char *text)
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
  size_t n = heap_append (path, 0, heap.folder);
  int k = 11;

  digits[k] = '\0';
  for (unsigned i = number; k > 7 || i > 0; i /= 10)
    digits[--k] = (char) ('0' + i % 10);
  n = heap_append (path, n, "/");
  n = heap_append (path, n, digits + k);
  n = heap_append (path, n, ".");
  n = heap_append (path, n, trigger);
  n = heap_append (path, n, *label ? "." : "");
  n = heap_append (path, n, label);
  heap_append (path, n, ".heap");
  return open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* A sentence for who looks at the bundle; the program's own output is not ours. */
static void
heap_note (const char *name, const char *sentence)
{
  char path[PATH_BYTES];
  heap_append (path, heap_append (path, heap_append (path, 0, heap.folder), "/"), name);
  int fd = open (path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

  if (fd >= 0) {
    if (out_bytes (fd, sentence, strlen (sentence)) == 0)
      out_bytes (fd, "\n", 1);
    close (fd);
  }
}

/* ---- a snapshot ---------------------------------------------------------------------------------------------------------- */

/* A child that takes no more steps is ended, as the disk that does not answer, or a person, may have stopped it: the
 * program goes on.  True: it will never be gone, and is no longer waited for. */
static bool
heap_watch_over (Child *c, uint64_t beats)
{
  int64_t at = now_ns (CLOCK_MONOTONIC);

  if (!c->killed && beats != c->beats) {
    c->beats = beats;
    c->since = at;
  } else if (c->killed) {
    return at - c->since > GONE_NS;
  } else if (at - c->since > heap.patience * INT64_C (1000000000)) {
    kill (c->pid, SIGKILL);
    c->killed = true;
    c->since = at;
  }
  return false;
}

/* Takes note of children that are done. */
static void
heap_reap (void)
{
  for (unsigned i = 0; i < heap.most_children && heap.n_children > 0; i++) {
    Child *c = &heap.children[i];
    int status = 0;
    if (c->pid == 0)
      continue;
    pid_t is = waitpid (c->pid, &status, __WCLONE | WNOHANG);
    if ((is == 0 && !heap_watch_over (c, heap.beats ? heap.beats[i] : 0)) || (is < 0 && errno == EINTR))
      continue;
    heap.failed += is <= 0 || status != 0;
    heap.no_room += is > 0 && WIFEXITED (status) && WEXITSTATUS (status) == EXIT_FULL;
    c->pid = 0;
    heap.n_children--;
  }
}

/* Until all are done, or given up, or so long. */
static void
wait_for_children (int64_t most)
{
  struct timespec pause = { .tv_nsec = 100000 };

  for (int64_t begun = now_ns (CLOCK_MONOTONIC); heap_reap (), heap.n_children > 0;) {
    if (now_ns (CLOCK_MONOTONIC) - begun > most)
      return;
    nanosleep (&pause, NULL);
    pause.tv_nsec = pause.tv_nsec < 10000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
  }
}

/* Gives 0, or what refused. */
static int
write_it (const Snapshot *s)
{
  int fd = make_file (s->number, s->trigger, s->label);
  if (fd < 0)
    return errno;
  flock (fd, LOCK_EX | LOCK_NB); /* as long as it is held somebody writes */
  int why = snapshot_write (s, fd);

  return close (fd) != 0 && why == 0 ? errno : why;
}

/* The same in the program itself: a file that may not grow is a write that fails, and no signal. */
static int
write_here (const Snapshot *s)
{
  const struct timespec none = { 0 };
  sigset_t one, before, waiting;

  sigemptyset (&one);
  sigaddset (&one, SIGXFSZ);
  sigpending (&waiting);
  pthread_sigmask (SIG_BLOCK, &one, &before);
  int why = write_it (s);
  if (why == EFBIG && !sigismember (&waiting, SIGXFSZ))
    sigtimedwait (&one, NULL, &none);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return why;
}

static bool
heap_is_full (int why)
{
  return why == ENOSPC || why == EDQUOT || why == EFBIG;
}

/* Of the child: nothing of the program but its memory.  A signal to both ends it as the program: where that ignores or
 * handles it, it is not for the child either. */
static void
be_child (const Snapshot *s, bool empty)
{
  static const int ends[] = { SIGTERM, SIGINT };
  struct sigaction is;
  sigset_t all;

  heap.forked = true;
  sigfillset (&all);
  for (int i = 0; i < 2; i++)
    if (sigaction (ends[i], NULL, &is) == 0 && is.sa_handler == SIG_DFL)
      sigdelset (&all, ends[i]);
  signal (SIGALRM, SIG_DFL);
  sigdelset (&all, SIGALRM);
  alarm (s->patience);
  sigprocmask (SIG_SETMASK, &all, NULL);
  if (syscall (SYS_close_range, 0U, ~0U, 0U) != 0)
    for (int fd = 0; fd < 1024; fd++)
      close (fd);
  setpriority (PRIO_PROCESS, 0, 10);
  if (heap.listening)
    runtime_be_main (&heap.runtime);
  if (empty)
    heap.runtime.empty_minor_heap ();
  int why = write_it (s);
  _exit (why == 0 ? 0 : heap_is_full (why) ? EXIT_FULL : EXIT_FAILED);
}

/* A place for a child; NULL: as many write as may. */
static Child *
free_child (void)
{
  for (unsigned i = 0; i < heap.most_children; i++)
    if (heap.children[i].pid == 0)
      return &heap.children[i];
  return NULL;
}

static void
take_note_of_pause (int64_t pause, int64_t cpu)
{
  heap.pause = pause > heap.pause ? pause : heap.pause;
  heap.pause_cpu = cpu > heap.pause_cpu ? cpu : heap.pause_cpu;
}

/* With the lock.  `empty`: the minor heap has something in it.  False: not now. */
static bool
heap_tracer_take (const char *trigger, const char *label, bool empty)
{
  heap_reap ();
  if (!runtime_layout (&heap.runtime)) {
    if (heap.runtime.stats == -2 && heap.failed++ == 0)
      heap_note ("refused",
                 "the program's heap is laid out in a way that is not known: natively compiled programs of OCaml 4.13, "
                 "4.14 and 5.3 are read");
    return true;
  }
  const char *hinders = runtime_hinders (&heap.runtime);
  if (hinders) {
    if (!heap.hindered)
      heap_note ("refused", hinders);
    heap.hindered = true;
    heap.skipped++;
    heap.n_hindered++;
    return true;
  }
  Child *child = free_child ();
  if (!child)
    return false;
  volatile uint64_t *beat = heap.beats ? &heap.beats[child - heap.children] : NULL;
  heap.busy = true;
  int64_t pause_cpu = now_ns (CLOCK_THREAD_CPUTIME_ID);
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
    .started = now_ns (CLOCK_REALTIME),
    .at = now_ns (CLOCK_MONOTONIC),
    .cpu = now_ns (CLOCK_PROCESS_CPUTIME_ID),
    .string_bytes = heap.string_bytes,
    .stack_low = heap.stack_low,
    .stack_high = heap.stack_high,
  };
  if (heap.fork) {
    /* no handler of the program's own forks, no signal to it when the child ends, and no wait() of it meets the child
     */
    s.beat = beat;
    s.patience = heap.patience;
    long pid = syscall (SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
    if (pid == 0)
      be_child (&s, empty);
    if (pid > 0) {
      *child = (Child){ .pid = (pid_t) pid, .beats = beat ? *beat : 0, .since = s.at };
      heap.n_children++;
    }
    heap.failed += pid < 0;
    if (runtime_heap_words (&heap.runtime)
        <= SMALL_WORDS) /* written in the twinkling of an eye: none that comes soon after is left out */
      wait_for_children (SMALL_NS);
  } else {
    if (empty)
      heap.runtime.empty_minor_heap ();
    int why = write_here (&s);
    heap.failed += why != 0;
    heap.no_room += heap_is_full (why);
  }
  take_note_of_pause (now_ns (CLOCK_MONOTONIC) - s.at, now_ns (CLOCK_THREAD_CPUTIME_ID) - pause_cpu);
  heap.busy = false;
  return true;
}

static bool
is_ours (void)
{
  return !heap.forked && !heap.busy && getpid () == heap.pid; /* not a child that the program has forked */
}

static void
count_cycle (void)
{
  if (heap.every > 0 && ++heap.cycles % heap.every == 0) {
    heap.skipped += heap.due; /* the one before has not been begun yet, and never will */
    heap.due = true;
  }
}

static void
on_major (void)
{
  if (heap.major_hook)
    heap.major_hook ();
  if (is_ours ())
    count_cycle ();
}

static void
on_minor_end (void)
{
  if (heap.minor_end_hook)
    heap.minor_end_hook ();
  runtime_learn (&heap.runtime);
  if (!is_ours ())
    return;
  if (heap.runtime.is_five && *heap.runtime.five.n_domains > 1) { /* they run at once: none of them is looked at */
    __atomic_store_n (&heap.domains, true, __ATOMIC_RELAXED);
    return;
  }
  uint64_t skipped = heap.skipped;
  for (uint64_t seen = runtime_cycles (&heap.runtime); heap.cycles_seen < seen; heap.cycles_seen++)
    count_cycle ();
  if (__atomic_exchange_n (&heap.domains, false, __ATOMIC_RELAXED))
    heap.n_hindered += heap.skipped - skipped;
  if (!heap.runtime.is_five) /* where blocks that have moved are still looked at */
    sites_begin (&heap.runtime);
  if (!heap.due && !heap.requested)
    return;
  int was = errno;
  pthread_mutex_lock (&heap.lock);
  bool due = heap.due;
  heap.due = false;
  if (heap.requested && heap_tracer_take ("request", heap.label, false))
    heap.requested = due = false; /* it is of this very instant */
  if (due && !heap_tracer_take ("major", "", false))
    heap.skipped++;
  pthread_mutex_unlock (&heap.lock);
  errno = was;
}

/* Of OCaml 5. */
static void
on_slice (void)
{
  if (heap.slice_hook)
    heap.slice_hook ();
  runtime_learn (&heap.runtime);
  if (is_ours ())
    sites_begin (&heap.runtime);
}

/* ---- programs that wait ----------------------------------------------------------------------------------------------------- */

static void
heap_heap_on_enter (void)
{
  runtime_learn (&heap.runtime);
  sites_begin (&heap.runtime);
  heap.waits = !heap.forked;
  if (heap.enter_hook)
    heap.enter_hook ();
}

static void
heap_heap_on_leave (void)
{
  int was = errno;

  if (heap.leave_hook)
    heap.leave_hook ();
  if (heap.forked)
    return;
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
  runtime_learn (&heap.runtime);
  pthread_mutex_lock (&heap.lock);
  if (heap.requested && heap_tracer_take ("request", heap.label, true))
    heap.requested = false;
  pthread_mutex_unlock (&heap.lock);
  r->enter_blocking ();
  r->thread_unregister ();
}

static void
heap_serve (void)
{
  struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
  const Runtime *r = &heap.runtime;

  for (int looks = 0; heap.requested; looks++) {
    if (!runtime_has_begun (r) && *r->enter_hook == heap_heap_on_enter) {
      nanosleep (&pause, NULL);
      continue;
    }
    if (*r->enter_hook != heap_heap_on_enter && r->threads_initialize) {
      take_as_thread ();
    } else {
      pthread_mutex_lock (&heap.lock);
      heap.listening = true;
      if (heap.requested && heap.waits && heap_tracer_take ("request", heap.label, true))
        heap.requested = false;
      heap.listening = false;
      pthread_mutex_unlock (&heap.lock);
      if (heap.requested && looks == 0)
        runtime_ask_minor (r);
    }
    if (heap.requested)
      nanosleep (&pause, NULL);
  }
}

/* Of a label what may stand in the name of a file. */
static void
keep_label (char *to, const char *label)
{
  size_t n = 0;

  for (; *label && n < LABEL_BYTES - 1; label++)
    to[n++] = (*label >= '0' && *label <= '9') || (*label >= 'a' && *label <= 'z') || (*label >= 'A' && *label <= 'Z')
                  ? *label
                  : '-';
  to[n] = '\0';
}

/* A line "dump LABEL". */
static void
heap_on_line (const char *line)
{
  if (strncmp (line, "dump", 4) != 0 || (line[4] && line[4] != ' '))
    return;
  keep_label (heap.label, line[4] ? line + 5 : "");
  heap.requested = true;
  heap_serve ();
}

/* The program asks itself: ocaml/scope_heap.mli.  It holds the lock of the runtime, and its stack can be walked.  What
 * is in the way, as a child that still writes, is waited for. */
int
scope_heap_dump (const char *label)
{
  char kept[LABEL_BYTES];
  int was = errno;
  bool taken = false;

  runtime_learn (&heap.runtime);
  if (heap.pid == 0 || !is_ours () || !runtime_has_begun (&heap.runtime))
    return false;
  keep_label (kept, label);
  pthread_mutex_lock (&heap.lock);
  unsigned before = heap.number;
  uint64_t failed = heap.failed;
  if (!heap_tracer_take ("call", kept, true)) {
    wait_for_children (heap.patience * INT64_C (1000000000));
    heap_tracer_take ("call", kept, true);
  }
  taken = heap.number > before && heap.failed == failed;
  pthread_mutex_unlock (&heap.lock);
  errno = was;
  return taken;
}

/* The pipe of requests, at a number that programs do not expect to get; -1: it is not there. */
static int
open_pipe (struct stat *is)
{
  char path[PATH_BYTES];

  heap_append (path, heap_append (path, heap_append (path, 0, heap.folder), "/"), "control");
  int fd = open (path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW); /* its other end may come and go */
  if (fd < 0 || fstat (fd, is) != 0 || !S_ISFIFO (is->st_mode)) {
    if (fd >= 0)
      close (fd);
    return -1;
  }
  int high = fcntl (fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) {
    close (fd);
    fd = high;
  }
  return fd;
}

/* Whether what has this number is still the pipe: programs close numbers that they have not opened, and get them again.
 */
static bool
is_pipe (int fd, const struct stat *was)
{
  struct stat is;

  return fd >= 0 && fstat (fd, &is) == 0 && is.st_dev == was->st_dev && is.st_ino == was->st_ino;
}

/* The thread that takes orders and looks after children; it has no signal. */
static void *
listen_to (void *arg)
{
  struct stat was = { 0 };
  struct pollfd pipe = { .fd = open_pipe (&was), .events = POLLIN };
  char line[256];
  size_t n = 0;

  for (;;) {
    char c;
    int is = poll (&pipe, pipe.fd >= 0, heap.n_children > 0 ? LOOK_CHILDREN_MS : AGAIN_MS);
    pthread_mutex_lock (&heap.lock);
    heap_reap ();
    pthread_mutex_unlock (&heap.lock);
    if (!is_pipe (pipe.fd, &was)) {
      pipe.fd = open_pipe (&was); /* one try a turn: a number that is none is no longer polled */
      n = 0;
      continue;
    }
    if (is <= 0)
      continue;
    if (!(pipe.revents & POLLIN)) { /* the pipe itself is out of order */
      close (pipe.fd);
      pipe.fd = -1;
      continue;
    }
    while (read (pipe.fd, &c, 1) == 1) {
      if (c != '\n' && n < sizeof line - 1) {
        line[n++] = c;
      } else {
        line[n] = '\0';
        n = 0;
        heap_on_line (line);
      }
    }
  }
  return NULL;
}

static void
begin_listening (void)
{
  pthread_t thread;
  sigset_t all, before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before); /* signals of the program are not for this thread */
  if (pthread_create (&thread, NULL, listen_to, NULL) == 0)
    pthread_detach (thread);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
}

/* ---- the program forks ------------------------------------------------------------------------------------------------------- */

/* No other thread holds the lock meanwhile, so that the child does not get it held by nobody. */
static void
heap_heap_before_fork (void)
{
  pthread_mutex_lock (&heap.lock);
}

static void
after_fork (void)
{
  pthread_mutex_unlock (&heap.lock);
}

static void
in_forked (void)
{
  pthread_mutex_unlock (&heap.lock);
  heap.forked = true;
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

/* SCOPE_HEAP_OPTIONS: "no-end", "no-fork", "strings=BYTES", "children=N", "patience=SECONDS", "sample=WORDS", with
 * commas between. */
static void
heap_read_options (void)
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
  at = strstr (options, "patience=");
  heap.patience = at ? (unsigned) strtoul (at + 9, NULL, 10) : PATIENCE;
  at = strstr (options, "sample=");
  heap.sample_words = at ? (unsigned) strtoul (at + 7, NULL, 10) : 0;
  heap.patience = heap.patience < 1 || heap.patience > MOST_PATIENCE ? PATIENCE : heap.patience;
}

/* One program a bundle: the first OCaml program that comes. */
static bool
claim (void)
{
  char path[PATH_BYTES];

  heap_append (path, heap_append (path, heap_append (path, 0, heap.folder), "/"), "program");
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return false;
  bool ok = out_bytes (fd, heap.program, strlen (heap.program)) == 0;
  close (fd);
  return ok;
}

__attribute__ ((constructor)) static void
heap_begin (void)
{
  const char *folder = getenv ("SCOPE_HEAP"), *why = NULL;
  struct rlimit stack;

  if (!folder || strlen (folder) > PATH_BYTES - 256)
    return;
  RuntimeIs is = runtime_find (&heap.runtime, &why);
  if (is == RUNTIME_NONE)
    return;
  heap_append (heap.folder, 0, folder);
  ssize_t n = readlink ("/proc/self/exe", heap.program, sizeof heap.program - 1);
  heap.program[n > 0 ? n : 0] = '\0';
  heap_read_options ();
  leave_environment ();
  if (!claim ())
    return;
  if (is == RUNTIME_REFUSED) {
    heap_note ("refused", why);
    return;
  }
  heap.pid = getpid ();
  heap.begun = now_ns (CLOCK_MONOTONIC);
  void *beats = mmap (NULL, MOST_CHILDREN * sizeof *heap.beats, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                      0);
  heap.beats = beats == MAP_FAILED ? NULL : beats;
  heap.stack_high = (const char *) __libc_stack_end + 65536;
  bool bounded = getrlimit (RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < (UINT64_C (1) << 40);
  heap.stack_low = heap.stack_high - (bounded ? stack.rlim_cur : UINT64_C (1) << 36) - 131072;
  symbols_find (&heap.symbols);
  sites_prepare (&heap.runtime, heap.sample_words);
  Runtime *r = &heap.runtime;
  heap.major_hook = r->major_hook ? *r->major_hook : NULL;
  heap.minor_end_hook = *r->minor_end_hook;
  heap.enter_hook = *r->enter_hook;
  heap.leave_hook = *r->leave_hook;
  if (r->major_hook)
    *r->major_hook = on_major;
  *r->minor_end_hook = on_minor_end;
  if (r->is_five) {
    heap.slice_hook = *r->five.slice_hook;
    *r->five.slice_hook = on_slice;
  }
  *r->enter_hook = heap_heap_on_enter;
  *r->leave_hook = heap_heap_on_leave;
  pthread_atfork (heap_heap_before_fork, after_fork, in_forked);
  begin_listening ();
}

/* For who looks at the bundle: what the snapshots themselves cannot tell, as it came after the last of them. */
static void
tell_counts (void)
{
  const struct {
    const char *name;
    uint64_t is;
  } counts[] = {
    { "skipped ", heap.skipped }, { "hindered ", heap.n_hindered },       { "failed ", heap.failed },
    { "no_room ", heap.no_room }, { "pause_ns ", (uint64_t) heap.pause }, { "pause_cpu_ns ", (uint64_t) heap.pause_cpu }
  };
  char text[PATH_BYTES], digits[24];
  size_t n = 0;

  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
    int k = sizeof digits - 1;
    uint64_t v = counts[i].is;
    digits[k] = '\0';
    do
      digits[--k] = (char) ('0' + v % 10);
    while ((v /= 10) > 0);
    n = heap_append (text, n, i > 0 ? "\n" : "");
    n = heap_append (text, heap_append (text, n, counts[i].name), digits + k);
  }
  heap_note ("counts", text);
}

__attribute__ ((destructor)) static void
heap_end (void)
{
  if (heap.pid == 0 || !is_ours ())
    return;
  runtime_learn (&heap.runtime);
  pthread_mutex_lock (&heap.lock);
  wait_for_children (INT64_MAX); /* a heap may be large; who takes no step is given up */
  if (heap.at_end && runtime_has_begun (&heap.runtime))
    heap.skipped += !heap_tracer_take ("exit", "", true);
  else
    heap.skipped += heap.due;
  wait_for_children (INT64_MAX);
  tell_counts ();
  pthread_mutex_unlock (&heap.lock);
}
