/* SPDX-License-Identifier: Apache-2.0 */
/* sample.c - what the system says of the processes of the tasks, at a rate: a second level of events beside what the
 * tasks ask of PVM.
 *
 * tape-pvm looks at the processes of its own host from outside, so the tasks pay nothing: the processor time of each
 * (of all its threads), how long it was ready without a processor, how often it got one, and the memory that is there.
 * Samples wait in a file of the folder of the run until the lines of the bundle come to their dates. */
#include "merge.h"

#include <errno.h>
#include <fcntl.h>
#include <pvm3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct Watched {
  int tid;
  pid_t pid;
  clockid_t clock;
  int64_t at, spent, waited, slices; /* when it was looked at last, and what its counters were */
  bool gone;
} Watched;

typedef struct Sample {
  int64_t at, memory;                /* our clock; bytes */
  int32_t tid, cpu, waiting, slices; /* cpu, waiting: thousandths of the time since the last; -1: not told here */
} Sample;

static Watched *watched;
static int n_watched;
static FILE *out, *in;
static Sample held; /* read, and not yet due */
static bool holds;
static long long n_read; /* of run->n_samples */
static int64_t due;      /* the next look */

/* What the scheduler says of the process: ns of waiting, and how often it ran; -1: it does not say. */
static void
read_scheduler (pid_t pid, int64_t *waited, int64_t *slices)
{
  char path[64], text[128];
  long long run, wait, times;
  ssize_t n = -1;
  int fd;

  *waited = *slices = -1;
  snprintf (path, sizeof path, "/proc/%d/schedstat", (int) pid);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    n = read (fd, text, sizeof text - 1);
    close (fd);
  }
  if (n <= 0)
    return;
  text[n] = '\0';
  if (sscanf (text, "%lld %lld %lld", &run, &wait, &times) == 3) {
    *waited = wait;
    *slices = times;
  }
}

static int64_t
memory_of (pid_t pid)
{
  char path[64];
  long long all, there = 0;
  FILE *f;

  snprintf (path, sizeof path, "/proc/%d/statm", (int) pid);
  if ((f = fopen (path, "re")) == NULL)
    return 0;
  if (fscanf (f, "%lld %lld", &all, &there) != 2)
    there = 0;
  fclose (f);
  return there * sysconf (_SC_PAGESIZE);
}

static bool
spent_by (const Watched *w, int64_t *spent)
{
  struct timespec t;

  if (clock_gettime (w->clock, &t) != 0)
    return false;
  *spent = (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
  return true;
}

bool
sample_open (TapeRun *run)
{
  char path[400];

  if (!(run->sample_hz > 0))
    return true;
  snprintf (path, sizeof path, "%s/samples", run->dir);
  out = fopen (path, "wbe");
  in = out ? fopen (path, "rbe") : NULL;
  if (!in)
    tape_say ("%s: %s", path, strerror (errno));
  return in != NULL;
}

void
sample_close (void)
{
  if (out)
    fclose (out);
  if (in)
    fclose (in);
  out = in = NULL;
  free (watched);
  watched = NULL;
  n_watched = 0;
}

void
sample_watch (TapeRun *run, int tid, int pid)
{
  Watched w = { .tid = tid, .pid = pid };

  /* Processes of other hosts have numbers of their own there. */
  if (!out || pid <= 0 || pvm_tidtohost (tid) != pvm_tidtohost (pvm_mytid ()))
    return;
  if (clock_getcpuclockid (w.pid, &w.clock) != 0 || !spent_by (&w, &w.spent))
    return;
  w.at = tape_now ();
  read_scheduler (w.pid, &w.waited, &w.slices);
  Watched *more = realloc (watched, (size_t) (n_watched + 1) * sizeof *watched);
  if (!more) /* one that is not sampled, then */
    return;
  watched = more;
  watched[n_watched++] = w;
}

static int32_t
pvm_sample_share (int64_t part, int64_t of)
{
  int64_t s = of > 0 ? (int64_t) ((double) part * 1000 / (double) of + 0.5) : 0;

  return s < 0 ? 0 : s > INT32_MAX ? INT32_MAX : (int32_t) s;
}

static void
pvm_sample_look_at (TapeRun *run, Watched *w)
{
  Sample s = { .tid = w->tid, .waiting = -1, .slices = -1 };
  int64_t spent, waited, slices, at, took = INT64_MAX;
  bool there = true;

  /* Date and counter belong together: again, if something came between. */
  for (int i = 0; i < 4 && there && took > 200000; i++) {
    at = tape_now ();
    there = spent_by (w, &spent);
    took = tape_now () - at;
  }
  if (!there || (s.memory = memory_of (w->pid)) == 0) { /* it has ended, or is about to */
    w->gone = true;
    return;
  }
  read_scheduler (w->pid, &waited, &slices);
  s.at = at;
  s.cpu = pvm_sample_share (spent - w->spent, at - w->at);
  if (waited >= 0 && w->waited >= 0) {
    s.waiting = pvm_sample_share (waited - w->waited, at - w->at);
    s.slices = (int32_t) (slices - w->slices);
  }
  w->at = at;
  w->spent = spent;
  w->waited = waited;
  w->slices = slices;
  if (fwrite (&s, sizeof s, 1, out) == 1)
    run->n_samples++;
}

void
sample_step (TapeRun *run)
{
  int64_t now = tape_now (), period = out ? (int64_t) (1e9 / run->sample_hz) : 0;

  if (!out || now < due)
    return;
  due = due && now - due < period ? due + period : now + period;
  for (int i = 0; i < n_watched; i++)
    if (!watched[i].gone)
      pvm_sample_look_at (run, &watched[i]);
  fflush (out);
}

int
sample_wait_ms (int most)
{
  int64_t left = out ? (due - tape_now ()) / 1000000 + 1 : most;

  return left < 0 ? 0 : left < most ? (int) left : most;
}

void
sample_rewind (void)
{
  if (in)
    rewind (in);
  holds = false;
  n_read = 0;
}

void
sample_put (Merge *merge, int64_t until)
{
  while (in) {
    if (!holds && n_read < merge->run->n_samples) { /* else each event would ask the system in vain */
      clearerr (in);
      holds = fread (&held, sizeof held, 1, in) == 1;
      n_read += holds;
    }
    int i = holds ? local_find (merge->run, held.tid) : -1;
    int64_t date = i >= 0 ? local_date (merge->run, &merge->run->task[i], held.at) : until;

    if (!holds || date > until)
      return;
    holds = false;
    /* Of a task as long as it is one. */
    if (i < 0 || merge->cursor[i].stage == ENROLL || merge->cursor[i].stage == GONE || date < 0)
      continue;
    date = date < merge->sampled ? merge->sampled : date;
    merge->sampled = date;
    if (!merge->run->mask[TAPE_Sample])
      continue;
    fprintf (merge->out, "%d %lld %d 0 0 %d %d %lld %d\n", TAPE_Sample, (long long) date, held.tid, held.cpu,
             held.waiting, (long long) held.memory, held.slices);
    merge->run->n_events++;
  }
}
