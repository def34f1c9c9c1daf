/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - the file of a task: opening, growing, enrolment, exit, forks, and the program's own events.
 *
 * The fast path (record.h) takes no lock and makes no system call: it adds to a cursor in a shared mapping of
 * the file.  The whole mapping is reserved at once and only the file grows beneath it, so a record keeps its
 * address until its call ends, whatever happens meanwhile.  Being MAP_SHARED, what is written survives the
 * process, however it ends. */
#include "record.h"
#include "replay.h"
#include "tape.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_CHUNK (1u << 18)
#define CHUNK (1u << 21)
#define RESERVE ((uint64_t) 1 << 36)
#define MAX_PHASES 64
#define MAX_NAME 255

Tape tape;
_Thread_local int tape_depth;
_Thread_local char *tape_frame;
_Thread_local TapeRecord *tape_ended;
_Thread_local int64_t tape_took;

static char path[1024];
static unsigned session;
static int forked_tid; /* in a forked child: the parent's task, which is not ours to record */

typedef struct Phase {
  TapeRecord *r;
  unsigned session;
  char name[MAX_NAME + 1];
} Phase;

/* Made at the first phase of a thread: there is little room for thread-local data in a loaded library. */
static _Thread_local Phase *phases;
static _Thread_local unsigned n_phases;

/* -- the file -- */

/* By name and not by a descriptor kept open: some programs close what they have not opened. */
static bool
pvm_record_extend (uint64_t size)
{
  int fd = open (path, O_RDWR | O_CLOEXEC);
  /* Blocks are really taken: in a sparse file a full disk would be a SIGBUS in the middle of the program. */
  bool ok = fd >= 0 && posix_fallocate (fd, 0, (off_t) size) == 0;

  if (fd >= 0)
    close (fd);
  return ok;
}

bool
tape_grow (uint64_t end)
{
  int saved = errno;
  uint64_t size = (end + CHUNK - 1) / CHUNK * CHUNK;
  bool ok = size <= tape.reserved && pvm_record_extend (size);

  if (ok && size > tape.allocated) {
    tape.allocated = size;
  } else if (!ok) {
    tape.state = TAPE_OFF;
    fprintf (stderr, "libtape-pvm: %s: cannot grow to %llu bytes; this task is recorded up to here\n", path,
             (unsigned long long) size);
  }
  errno = saved;
  return ok;
}

static bool
pvm_record_open_file (void)
{
  const char *dir = getenv (TAPE_ENV_DIR);
  char host[65] = "host";
  int fd = -1;

  if (!dir || !*dir)
    return false;
  gethostname (host, sizeof host - 1);
  mkdir (dir, 0700); /* another host than that of tape-pvm: nobody has made it yet */
  for (unsigned i = 0; fd < 0 && i < 1000; i++) {
    snprintf (path, sizeof path, "%s/%s.%d.%u.tape", dir, host, (int) getpid (), session * 1000 + i);
    fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
      break;
  }
  if (fd < 0) {
    fprintf (stderr, "libtape-pvm: %s: %s; this task is not recorded\n", path, strerror (errno));
    return false;
  }
  tape.base = MAP_FAILED;
  if (posix_fallocate (fd, 0, FIRST_CHUNK) == 0)
    for (tape.reserved = RESERVE; tape.base == MAP_FAILED && tape.reserved >= CHUNK; tape.reserved /= 2) {
      tape.base = mmap (NULL, tape.reserved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
      if (tape.base != MAP_FAILED)
        break;
    }
  close (fd);
  if (tape.base == MAP_FAILED) {
    fprintf (stderr, "libtape-pvm: %s: %s; this task is not recorded\n", path, strerror (errno));
    return false;
  }
  return true;
}

static void
text_record (unsigned kind, const char *text, size_t length)
{
  size_t tail = TAPE_PAD (length);
  TapeRecord *r = tape_reserve (kind, 1, tail, NULL);

  if (r) {
    r->field[0] = (int64_t) length;
    memcpy (&r->field[1], text, length);
    r->begin = tape_now ();
    r->duration = 0;
    tape_publish (r, tail);
  }
}

/* The executable mappings, from which the merge finds file and line of the calls. */
static void
record_modules (void)
{
  FILE *maps = fopen ("/proc/self/maps", "re");
  char line[4608], *out = NULL;
  size_t size = 0;
  FILE *text = open_memstream (&out, &size);

  while (maps && text && fgets (line, sizeof line, maps)) {
    unsigned long long begin, end, offset;
    int at = 0;

    if (sscanf (line, "%llx-%llx %*1c%*1cx%*1c %llx %*s %*u %n", &begin, &end, &offset, &at) == 3 && at > 0
        && line[at] == '/')
      fprintf (text, "%llx %llx %llx %s", begin, end, offset, line + at);
  }
  if (maps)
    fclose (maps);
  if (text) {
    fclose (text);
    text_record (TAPE_MODULES, out, size);
    free (out);
  }
}

bool
tape_start (unsigned kind)
{
  int saved = errno;
  TapeHeader *h;

  tape_real_init ();
  if (tape.state != TAPE_IDLE || (forked_tid && tape_real.pvmmytid && *tape_real.pvmmytid == forked_tid))
    return false;
  tape.state = TAPE_OFF;
  if (!pvm_record_open_file ()) {
    errno = saved;
    return false;
  }
  tape.allocated = FIRST_CHUNK;
  tape.cursor = sizeof (TapeHeader);
  tape.tid = 0;
  h = (TapeHeader *) tape.base;
  h->version = TAPE_LOCAL_VERSION;
  h->header_size = sizeof *h;
  h->pid = (int) getpid ();
  h->enroll_ns = tape_now ();
  tape_clock_domain (h->domain, sizeof h->domain);
  gethostname (h->host, sizeof h->host - 1);
  strncpy (h->program, program_invocation_short_name, sizeof h->program - 1);
  memcpy (h->magic, TAPE_LOCAL_MAGIC, sizeof h->magic);
  tape.state = TAPE_ON;
  record_modules ();
  /* A first call that may block for ever must not leave a file without a task. */
  if ((kind >= TAPE_JoinGroup && kind < 100) || kind == TAPE_Spawn || !tape_real.pvmmytid)
    if (tape_real.pvm_mytid)
      tape_real.pvm_mytid ();
  tape_enroll ();
  errno = saved;
  return true;
}

/* -- enrolment -- */

/* Tells tape-pvm, which asks PVM to be told of the end of this task. */
static void
say_hello (int home)
{
  int context = tape_real.pvm_setcontext (PvmBaseContext);
  int route = tape_real.pvm_setopt (PvmRoute, PvmDontRoute);
  int automatic = tape_real.pvm_setopt (PvmAutoErr, 0);
  int before = tape_real.pvm_setsbuf (tape_real.pvm_mkbuf (PvmDataDefault));
  int pid = (int) getpid ();

  tape_real.pvm_pkint (&tape.tid, 1, 1);
  tape_real.pvm_pkint (&pid, 1, 1);
  tape_real.pvm_send (home, TAPE_TAG_HELLO);
  tape_real.pvm_freebuf (tape_real.pvm_setsbuf (before));
  tape_real.pvm_setopt (PvmAutoErr, automatic);
  tape_real.pvm_setopt (PvmRoute, route);
  tape_real.pvm_setcontext (context);
}

void
tape_enroll (void)
{
  TapeHeader *h = (TapeHeader *) tape.base;
  int tid = tape_real.pvmmytid ? *tape_real.pvmmytid : tape_real.pvm_mytid ();
  const char *home = getenv (TAPE_ENV_HOME);
  int saved = errno;

  if (tid <= 0)
    return;
  tape.tid = tid;
  h->parent = tape_real.pvm_parent ();
  h->tid = tid;
  if (home && atoi (home) > 0)
    say_hello (atoi (home));
  errno = saved;
}

/* -- the end -- */

static void
close_phases (void)
{
  int64_t now = tape_now ();

  for (; n_phases; n_phases--)
    if (phases[n_phases - 1].session == session && phases[n_phases - 1].r)
      phases[n_phases - 1].r->duration = now - phases[n_phases - 1].r->begin;
}

void
tape_exit_record (int result, void *site)
{
  TapeRecord *r;

  close_phases ();
  r = tape_reserve (TAPE_Exit, 1, 0, site);
  if (r) {
    r->begin = tape_now ();
    r->duration = 0;
    r->field[0] = result;
    tape_publish (r, 0);
    ((TapeHeader *) tape.base)->exited = 1;
  }
}

void
tape_finish (void)
{
  int saved = errno;

  if (tape.state != TAPE_ON)
    return;
  tape.state = TAPE_IDLE; /* a later call may enrol the process again, as another task */
  tape.tid = 0;
  session++;
  if (truncate (path, (off_t) tape.cursor) != 0)
    errno = saved;
  /* Left mapped up to there: another thread may still be ending a phase. */
  if (tape.reserved > tape.allocated)
    munmap (tape.base + tape.allocated, tape.reserved - tape.allocated);
  errno = saved;
}

__attribute__ ((destructor)) static void
at_process_end (void)
{
  if (tape.state == TAPE_ON && tape.tid && !((TapeHeader *) tape.base)->exited) {
    tape_exit_record (0, NULL);
    tape_finish ();
  }
}

/* A child that does not exec has copies of everything: cut it off from the parent's file, also the record of
 * a call that is under way, but leave memory there to be written. */
static void
in_forked_child (void)
{
  if (tape.state == TAPE_ON) {
    mmap (tape.base, tape.reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
          0);
    forked_tid = tape.tid;
    tape.state = TAPE_IDLE;
    tape.tid = 0;
    session++;
  }
}

__attribute__ ((constructor)) static void
at_load (void)
{
  tape_clock_init ();
  tape_real_init ();
  tape_events_parse (getenv (TAPE_ENV_EVENTS), tape.mask, NULL, 0);
  /* Roots of collectives are instances in a group until the merge knows all who joined. */
  tape.mask[TAPE_JoinGroup] = true;
  if (!getenv (TAPE_ENV_DIR) || strcmp (program_invocation_short_name, "pvmgs") == 0)
    tape.state = TAPE_OFF; /* the group server is a part of PVM, not of the program */
  else {
    pthread_atfork (NULL, NULL, in_forked_child);
    replay_open ();
  }
}

/* -- the program's own events -- */

static TapeRecord *
named_record (unsigned kind, const char *name, int64_t value, int64_t duration, void *site)
{
  size_t length = strnlen (name, MAX_NAME), tail = TAPE_PAD (length);
  TapeRecord *r;

  if (tape.state != TAPE_ON) {
    bool started;

    /* What starting asks of PVM is not the program's. */
    if (!tape_depth++)
      tape_frame = __builtin_frame_address (0);
    started = tape_start (kind);
    tape_depth--;
    if (!started)
      return NULL;
  }
  if (!tape.mask[kind] || !(r = tape_reserve (kind, 2, tail, site)))
    return NULL;
  r->field[0] = (int64_t) length;
  r->field[1] = value;
  memcpy (&r->field[2], name, length);
  r->duration = duration;
  r->begin = tape_now ();
  tape_publish (r, tail);
  return r;
}

TAPE_EXPORT void
tape_user_event (const char *name, long long value)
{
  named_record (TAPE_User, name, value, 0, __builtin_return_address (0));
}

TAPE_EXPORT void
tape_begin_phase (const char *name, long long value)
{
  if (!phases)
    phases = calloc (MAX_PHASES, sizeof *phases);
  if (!phases || n_phases == MAX_PHASES)
    return;
  strncpy (phases[n_phases].name, name, MAX_NAME);
  phases[n_phases].r = named_record (TAPE_Phase, name, value, -1, __builtin_return_address (0));
  phases[n_phases].session = session;
  n_phases++;
}

TAPE_EXPORT void
tape_end_phase (const char *name)
{
  for (unsigned i = n_phases; i-- > 0;)
    if (strncmp (phases[i].name, name, MAX_NAME) == 0) {
      if (phases[i].r && phases[i].session == session)
        phases[i].r->duration = tape_now () - phases[i].r->begin;
      memmove (&phases[i], &phases[i + 1], (n_phases - i - 1) * sizeof *phases);
      n_phases--;
      return;
    }
}

/* -- calibration, called by tape-pvm which loads the library for it -- */

#define BATCHES 5

/* Of processor time: the machine may have other work to do. */
static int64_t
pvm_record_spent (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

static int
pvm_record_by_value (const void *a, const void *b)
{
  int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

  return (x > y) - (x < y);
}

/* Writes records of the size of a Recv as the wrappers do, n in all; returns picoseconds a record (the median
 * of some batches: other programs run too), or -1. */
TAPE_EXPORT long long
tape_calibrate (const char *dir, int n)
{
  int64_t cost[BATCHES];

  memset (tape.mask, true, sizeof tape.mask);
  setenv (TAPE_ENV_DIR, dir, 1);
  if (n < BATCHES || !pvm_record_open_file ())
    return -1;
  tape.allocated = FIRST_CHUNK;
  tape.cursor = sizeof (TapeHeader);
  tape.tid = 1;
  tape.state = TAPE_ON;
  for (int b = 0; b < BATCHES; b++) {
    int64_t begin = pvm_record_spent ();

    for (int i = 0; i < n / BATCHES && tape.state == TAPE_ON; i++) {
      TapeRecord *r = tape_enter (TAPE_Recv, 6, 0, __builtin_return_address (0));

      if (r)
        for (int k = 0; k < 6; k++)
          r->field[k] = k;
      tape_go (r, 0);
      tape_stop (r);
      tape_leave ();
    }
    cost[b] = (pvm_record_spent () - begin) * 1000 / (n / BATCHES);
  }
  qsort (cost, BATCHES, sizeof *cost, pvm_record_by_value);
  unlink (path);
  munmap (tape.base, tape.reserved);
  tape.state = TAPE_OFF;
  return cost[BATCHES / 2];
}
