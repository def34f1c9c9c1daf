/* SPDX-License-Identifier: Apache-2.0 */
/* bench-pvm.c - how long an event takes to simulate, for 4, 64 and 2048 tasks (or those given): nanoseconds per
 * logical event, the best of several runs, with the share of each kind as in a program that exchanges with its
 * neighbours. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"
#include "simulators/pvm/pvm.h"

enum { NEIGHBOURS = 8, RUNS = 7 };

static double
now_s (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* One exchange: packed, sent, received (half of them waited for), unpacked.  14 events. */
static void
exchange (Fake *f, int64_t *clock, uint32_t from, uint32_t to, int32_t tag, bool waited)
{
  int64_t t = MAX (clock[from], clock[to]) + 1000;
  int64_t receive = waited ? t - 500 : t + 5000;

  fake (f, t, 400, "PkInt", from, .size = 4096);
  fake (f, t + 500, 900, "Send", from, P (to), .tag = tag, .size = 4096, .result = 0);
  fake (f, receive, t + 6000 - receive, "Recv", to, P (from), .tag = tag, .size = 4096, .result = 1);
  fake (f, t + 6100, 300, "UpkInt", to, .size = 4096);
  fake (f, t + 6500, 100, "Spawn", to, .result = 1);
  fake (f, t + 1500, 100, "Spawn", from, .result = 1);
  clock[from] = t + 2000;
  clock[to] = t + 7000;
}

static double
measure (uint32_t tasks)
{
  Fake *f = fake_new (tasks, 1);
  int64_t *clock = g_new0 (int64_t, tasks), span;
  bool keep = true, ignore = false;
  Pvm *p = pvm_new (&keep, &ignore);
  size_t n;
  double best = 1e9;
  uint32_t rounds = MAX (1, 16384 / tasks / NEIGHBOURS * 2);

  for (uint32_t r = 0; r < rounds; r++)
    for (uint32_t k = 1; k <= NEIGHBOURS; k++)
      for (uint32_t i = 0; i < tasks; i++)
        exchange (f, clock, i, (i + k) % tasks, (int32_t) (k % 3), (i + k + r) % 2);
  const TraceEvent *events = fake_events (f, &n);
  span = events[n - 1].date + 1;
  for (uint32_t i = 0; i < tasks; i++)
    pvm_step (p,
              &(TraceEvent){
                  .task = i, .kind = fake_kind ("Enroll"), .source = fake_source (f)->number, .flags = TRACE_INSTANT });
  for (int run = 0; run < RUNS; run++) {
    size_t turns = 4000000 / n + 1;
    double begin = now_s ();
    for (size_t turn = 0; turn < turns; turn++) {
      int64_t shift = span * (int64_t) (1 + turn + turns * (size_t) run);
      for (size_t i = 0; i < n; i++) {
        TraceEvent e = events[i];
        e.date += shift;
        pvm_step (p, &e);
      }
    }
    best = MIN (best, (now_s () - begin) / (double) (turns * n) * 1e9);
  }
  if (p->store.graph.n_impossible > 0)
    g_error ("%" G_GUINT64_FORMAT " impossible events: %s", p->store.graph.n_impossible,
             (const char *) p->store.graph.impossible->pdata[0]);
  printf ("%6u tasks: %5.1f ns an event, %.2f updates an event, %u links, %zu events in a turn\n", tasks, best,
          (double) p->store.graph.n_updates / (double) p->store.graph.n_events, p->store.graph.n_edges, n);
  pvm_free (p);
  fake_free (f);
  g_free (clock);
  return best;
}

int
main (int argc, char **argv)
{
  if (argc == 1) {
    double few, many;
    few = measure (4);
    measure (64);
    many = measure (2048);
    printf ("from 4 to 2048 tasks: %+.0f %%\n", 100 * (many / few - 1));
  }
  for (int i = 1; i < argc; i++)
    measure ((uint32_t) CLAMP (atoi (argv[i]), 2, 1 << 20));
  return 0;
}
