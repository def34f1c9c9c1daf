/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - the file of a thread: its begin and end; processes that fork or become another program. */
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tape-threads.h"

__thread ThreadLane *tape_lane;
bool tape_recording, tape_ticks;

static __thread bool no_lane; /* it has none and gets none: it has ended, or the disk refuses */
static uint32_t n_threads;
static uint32_t image;
static char folder[900];
static pthread_key_t at_end;
static bool have_key;

static int64_t
clock_ns (clockid_t which)
{
  struct timespec t;

  clock_gettime (which, &t);
  return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

bool
tape_grow (Lane *l, unsigned words)
{
  int saved = errno, cancel;

  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  if (!l->lost && !tape_lane_extend (l, words)) {
    l->off = l->lost = true;
    fprintf (stderr, "tape-threads: %s: %s; this thread is recorded up to here\n", l->path, strerror (errno));
    if (l->at + 2 < l->end + 4) {
      l->at[1] = tape_date ();
      tape_publish (l, l->at, THREADS_LOST, 2, 0, 0);
    }
  } else if (!l->lost && l->at + 3 < l->end) { /* the more pairs, the better the reader knows the clock */
    l->at[1] = tape_date ();
    l->at[2] = (uint64_t) clock_ns (CLOCK_MONOTONIC);
    tape_publish (l, l->at, THREADS_CLOCK, 3, 0, 0);
  }
  pthread_setcancelstate (cancel, NULL);
  errno = saved;
  return !l->off && l->at + words < l->end;
}

/* A process is known by its number and by how many programs it was before: their files are there. */
static bool
threads_record_open_file (ThreadLane *l)
{
  int pid = (int) getpid ();

  for (;; image++) {
    snprintf (l->lane.path, sizeof l->lane.path, "%s/%d-%u.%u.lane", folder, pid, image, l->thread);
    if (tape_lane_open (&l->lane, sizeof (ThreadsHeader)))
      return true;
    if (errno != EEXIST || l->thread > 0 || image > 100000)
      break;
  }
  if (l->thread == 0)
    fprintf (stderr, "tape-threads: %s: %s; process %d is not recorded\n", l->lane.path, strerror (errno), pid);
  return false;
}

static void
threads_record_write_header (ThreadLane *l, uint32_t creator, void *routine)
{
  ThreadsHeader *h = (ThreadsHeader *) l->lane.base;

  h->version = THREADS_VERSION;
  h->header_size = sizeof *h;
  h->pid = (int32_t) getpid ();
  h->parent = (int32_t) getppid ();
  h->image = image;
  h->thread = l->thread;
  h->creator = creator;
  h->ticks = tape_ticks;
  h->self = (uint64_t) pthread_self ();
  h->routine = (uint64_t) (uintptr_t) routine;
  h->real_ns = clock_ns (CLOCK_REALTIME);
  h->born_ns = clock_ns (CLOCK_MONOTONIC);
  h->born = (int64_t) tape_date ();
  gethostname (h->host, sizeof h->host - 1);
  snprintf (h->program, sizeof h->program, "%s", program_invocation_short_name);
  __atomic_thread_fence (__ATOMIC_RELEASE);
  memcpy (h->magic, THREADS_MAGIC, sizeof h->magic);
}

/* Memory by mmap: the program's own malloc may take locks. */
static ThreadLane *
new_lane (uint32_t thread, uint32_t creator, void *routine)
{
  int saved = errno, cancel;
  ThreadLane *l = no_lane || !tape_recording
                      ? MAP_FAILED
                      : mmap (NULL, sizeof *l, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (l == MAP_FAILED)
    return NULL;
  no_lane = true; /* what is called from here on is not recorded */
  pthread_setcancelstate (PTHREAD_CANCEL_DISABLE, &cancel);
  l->thread = thread;
  if (threads_record_open_file (l)) {
    threads_record_write_header (l, creator, routine);
    tape_lane = l;
    no_lane = false;
    if (have_key)
      pthread_setspecific (at_end, (void *) (uintptr_t) 1);
  } else {
    munmap (l, sizeof *l);
    l = NULL;
  }
  pthread_setcancelstate (cancel, NULL);
  errno = saved;
  return l;
}

uint32_t
tape_next_thread (void)
{
  return __atomic_fetch_add (&n_threads, 1, __ATOMIC_RELAXED);
}

/* Of a thread that nobody has told of: made by other means than pthread_create (). */
ThreadLane *
tape_lane_new (void)
{
  if (no_lane)
    return NULL;
  uint32_t number = tape_next_thread ();
  return new_lane (number, number, NULL);
}

void
tape_thread_begins (uint32_t number, uint32_t creator, void *routine)
{
  new_lane (number, creator, routine);
}

void
tape_thread_ends (void)
{
  ThreadLane *l = tape_lane;
  char name[32] = "";

  if (!l)
    return;
  l->lane.depth = 1;
  if (prctl (PR_GET_NAME, name) == 0 && *name)
    tape_text (&l->lane, THREADS_NAME, 1, 0, true, name, strnlen (name, sizeof name));
  if (l->missed)
    TAPE_PUT (&l->lane, THREADS_MISSED, 0, 0, tape_date (), l->missed);
  TAPE_PUT (&l->lane, THREADS_CLOCK, 0, 0, tape_date (), (uint64_t) clock_ns (CLOCK_MONOTONIC));
  TAPE_PUT (&l->lane, THREADS_EXIT, 0, 0, tape_date ());
  tape_lane = NULL;
  no_lane = true;
  munmap (l->lane.base, l->lane.reserved);
  munmap (l, sizeof *l);
}

/* Other destructors may still take locks: ours asks to be called again until the last round. */
static void
end_of_thread (void *round)
{
  uintptr_t n = (uintptr_t) round;

  if (n < 4 /* PTHREAD_DESTRUCTOR_ITERATIONS */)
    pthread_setspecific (at_end, (void *) (n + 1));
  else
    tape_thread_ends ();
}

static void
begin_image (void)
{
  image = 0;
  n_threads = 1;
  tape_recording = true;
  ThreadLane *l = new_lane (0, 0, NULL);
  if (!l) {
    tape_recording = false;
    return;
  }
  l->lane.depth = 1;
  tape_modules (&l->lane, THREADS_MODULES);
  l->lane.depth = 0;
}

/* The child has one thread.  The file of its parent's is shared with it: it is left alone. */
static void
threads_record_in_child (void)
{
  ThreadLane *l = tape_lane;

  if (l) {
    munmap (l->lane.base, l->lane.reserved);
    munmap (l, sizeof *l);
  }
  tape_lane = NULL;
  no_lane = false;
  if (tape_recording)
    begin_image ();
}

__attribute__ ((constructor (101))) static void
threads_record_begin (void)
{
  const char *where = getenv (THREADS_ENV_FOLDER), *ticks = getenv (THREADS_ENV_TICKS);

  tape_find_real ();
  if (!where || !*where || strlen (where) >= sizeof folder)
    return;
  strcpy (folder, where);
  tape_ticks = ticks && *ticks == '1';
  have_key = pthread_key_create (&at_end, end_of_thread) == 0;
  pthread_atfork (NULL, NULL, threads_record_in_child);
  begin_image ();
}

/* The process ends.  Destructors that come later may still take locks, which are recorded. */
void
tape_process_ends (int status)
{
  ThreadLane *l = tape_lane;

  /* a child by vfork () has its parent's */
  if (!l || l->lane.depth || ((const ThreadsHeader *) l->lane.base)->pid != (int32_t) getpid ())
    return;
  l->lane.depth = 1;
  tape_modules (&l->lane, THREADS_MODULES);
  if (l->missed)
    TAPE_PUT (&l->lane, THREADS_MISSED, 0, 0, tape_date (), l->missed);
  l->missed = 0;
  TAPE_PUT (&l->lane, THREADS_CLOCK, 0, 0, tape_date (), (uint64_t) clock_ns (CLOCK_MONOTONIC));
  TAPE_PUT (&l->lane, THREADS_DONE, 0, 0, tape_date (), (uint64_t) (int64_t) status);
  l->hold = NULL;
  l->lane.depth = 0;
}

__attribute__ ((destructor)) static void
threads_record_finish (void)
{
  tape_process_ends (0);
}

__attribute__ ((visibility ("default"))) void
tape_threads_name_object (const void *object, const char *name)
{
  ThreadLane *l = tape_here ();

  if (!l || !name)
    return;
  tape_begin (l);
  tape_text (&l->lane, THREADS_CALLED, 0, (uint64_t) (uintptr_t) object, true, name, strnlen (name, 200));
  l->hold = NULL;
  tape_end (l);
}
