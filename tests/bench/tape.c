/* SPDX-License-Identifier: Apache-2.0 */
/* tape.c - TAPE traces: reading forward and backward, simulating, opening a large one and going to its middle.
 *
 * usage: tape [EVENTS [TASKS]]     A trace of so many events is written into the folder for temporary files; 18 million
 * events are 1 GB.  Each figure is the best of several runs, in processor time of this thread. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <glib/gstdio.h>
#include "readers/tape/tape.h"
#include "simulators/ouf/ouf.h"

enum { BLOCK = 1024, RUNS = 5 };

static double
now_s (clockid_t clock)
{
  struct timespec t;

  clock_gettime (clock, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double
peak_mb (void)
{
  struct rusage u;

  getrusage (RUSAGE_SELF, &u);
  return (double) u.ru_maxrss / 1024;
}

static TraceSource *
open_trace (const char *folder)
{
  g_autoptr (GError) error = NULL;
  TraceSource *s = tape_format.open (folder, folder, NULL, &error);

  if (s == NULL)
    g_error ("%s", error->message);
  return s;
}

typedef size_t (*Read) (TraceSource *s, TraceEvent *events, size_t max, GError **error);

/* Nanoseconds an event for the whole trace, one way. */
static double
measure_read (TraceSource *s, Read read_some)
{
  static TraceEvent events[BLOCK];
  uint64_t n = 0;
  double begin = now_s (CLOCK_THREAD_CPUTIME_ID);
  size_t got;

  g_autoptr (GError) error = NULL;
  while ((got = read_some (s, events, BLOCK, &error)) > 0)
    n += got;
  if (n != s->n_events)
    g_error ("%" G_GUINT64_FORMAT " events read of %" G_GUINT64_FORMAT ": %s", n, s->n_events,
             error != NULL ? error->message : "no more came");
  return (now_s (CLOCK_THREAD_CPUTIME_ID) - begin) / (double) n * 1e9;
}

/* The same for the simulator alone. */
static double
measure_simulation (TraceSource *s)
{
  static TraceEvent events[BLOCK];
  bool keep = true, no = false;
  Ouf *p = ouf_new (&keep, &no, &no, &no);
  double spent = 0;
  size_t got;

  s->format->rewind (s);
  while ((got = s->format->next (s, events, G_N_ELEMENTS (events), NULL)) > 0) {
    double begin = now_s (CLOCK_THREAD_CPUTIME_ID);
    ouf_steps (p, events, (uint32_t) got);
    spent += now_s (CLOCK_THREAD_CPUTIME_ID) - begin;
  }
  if (p->store.graph.n_impossible > 0)
    g_error ("%s", (const char *) p->store.graph.impossible->pdata[0]);
  spent = spent / (double) p->store.graph.n_events * 1e9;
  ouf_free (p);
  return spent;
}

static double
measure_middle (const char *folder)
{
  TraceEvent e;
  double begin = now_s (CLOCK_MONOTONIC), taken;
  TraceSource *s = open_trace (folder);

  if (!s->format->seek (s, s->first + (s->last - s->first) / 2, NULL) || s->format->next (s, &e, 1, NULL) != 1)
    g_error ("the middle cannot be reached");
  taken = now_s (CLOCK_MONOTONIC) - begin;
  trace_close (s);
  return taken * 1e3;
}

static void
keep_best (double *best, double now)
{
  *best = MIN (*best, now);
}

static void
print_rate (const char *what, double ns)
{
  printf ("%-28s %6.1f ns an event, %6.1f million a second\n", what, ns, 1e3 / ns);
}

int
main (int argc, char **argv)
{
  uint64_t events = argc > 1 ? strtoull (argv[1], NULL, 10) : 18000000;
  uint32_t tasks = argc > 2 ? (uint32_t) atoi (argv[2]) : 64;
  g_autofree char *folder = g_dir_make_tmp ("scope-bench-XXXXXX", NULL);
  TraceSynth what = { .tasks = MAX (tasks, 1), .records = MAX (events, 1), .seed = 1 };
  double forward = 1e9, backward = 1e9, simulate = 1e9, middle = 1e9;
  g_autoptr (GError) error = NULL;

  if (folder == NULL || !tape_synth (folder, &what, &error))
    g_error ("%s", error != NULL ? error->message : "there is no place for temporary files");
  TraceSource *s = open_trace (folder);
  printf ("%" G_GUINT64_FORMAT " events of %u tasks, %.0f MB\n", s->n_events, tasks,
          (double) ((TapeReader *) s)->size * 1e-6);
  for (int run = 0; run < RUNS; run++) {
    s->format->rewind (s);
    keep_best (&forward, measure_read (s, s->format->next));
    keep_best (&backward, measure_read (s, s->format->previous));
    keep_best (&simulate, measure_simulation (s));
    keep_best (&middle, measure_middle (folder));
  }
  trace_close (s);
  print_rate ("read forward", forward);
  print_rate ("read backward", backward);
  print_rate ("simulate", simulate);
  printf ("open and go to the middle: %.1f ms\npeak memory: %.0f MB\n", middle, peak_mb ());
  for (int i = 0; i < 3; i++) {
    g_autofree char *path = g_build_filename (folder, (const char *[]){ "topology", "index", "events" }[i], NULL);
    g_unlink (path);
  }
  g_rmdir (folder);
  return 0;
}
