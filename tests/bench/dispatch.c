/* SPDX-License-Identifier: Apache-2.0 */
/* dispatch.c - what it costs to move a datum: source -> n simulators -> sink, 32-byte events, on the real engine. */
#include "eve/eve-host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Event {
  int64_t n;
  char rest[24];
} Event;

typedef struct Box {
  EveBase base;
  int64_t n, limit, sum;
} Box;

static const EveType event_type = { .name = "bench event", .size = sizeof (Event), .align = _Alignof(Event) };

static EveSupply
source_produce (EveComponent *c, uint32_t max)
{
  Box *self = (Box *) c;
  Event e = { 0 };
  for (uint32_t i = 0; i < max && self->n < self->limit; i++) {
    e.n = self->n++;
    eve_emit (self->base.out[0], &e);
  }
  return self->n < self->limit ? EVE_MORE : EVE_END;
}

static EveSupply
source_produce_span (EveComponent *c, uint32_t max)
{
  Box *self = (Box *) c;
  uint32_t n = (uint32_t) MIN ((int64_t) max, self->limit - self->n);
  Event *events = eve_reserve (self->base.out[0], &n);
  for (uint32_t i = 0; i < n; i++)
    events[i].n = self->n++;
  eve_commit (self->base.out[0], n);
  return self->n < self->limit ? EVE_MORE : EVE_END;
}

static void
simulator_fire (EveComponent *c)
{
  Box *self = (Box *) c;
  const Event *e = eve_take (self->base.in[0]);
  self->sum += e->n;
  eve_emit (self->base.out[0], e);
}

static void
simulator_span (EveComponent *c, uint32_t n)
{
  Box *self = (Box *) c;
  const Event *events = eve_take_span (self->base.in[0], n);
  uint32_t room = n;
  Event *to = eve_reserve (self->base.out[0], &room);
  for (uint32_t i = 0; i < n; i++)
    self->sum += events[i].n;
  if (to)
    memcpy (to, events, n * sizeof *events);
  eve_commit (self->base.out[0], room);
}

static void
sink_fire (EveComponent *c)
{
  ((Box *) c)->sum += ((const Event *) eve_take (((Box *) c)->base.in[0]))->n;
}

static void
sink_span (EveComponent *c, uint32_t n)
{
  const Event *events = eve_take_span (((Box *) c)->base.in[0], n);
  for (uint32_t i = 0; i < n; i++)
    ((Box *) c)->sum += events[i].n;
}

static void
sink_datum (EveComponent *c, EveIn *in, const void *datum)
{
  ((Box *) c)->sum += ((const Event *) datum)->n;
}

static void
simulator_datum (EveComponent *c, EveIn *in, const void *datum)
{
  ((Box *) c)->sum += ((const Event *) datum)->n;
  eve_emit (((Box *) c)->base.out[0], datum);
}

static const EveInSpec in_sync[] = { { .name = "in", .type = &event_type } };
static const EveInSpec in_sink[] = {
  { .name = "in", .type = &event_type, .arrival = EVE_ASYNC, .on_datum = sink_datum }
};
static const EveInSpec in_async[] = {
  { .name = "in", .type = &event_type, .arrival = EVE_ASYNC, .on_datum = simulator_datum }
};
static const EveOutSpec outs[] = { { .name = "out", .type = &event_type } };

#define BENCH_CLASS(id_, ...)                                                                                          \
  {                                                                                                                    \
    EVE_CLASS_HEAD, .id = id_, .label = id_, .category = "Bench", .doc = "Bench.", .version = 1,                       \
                    .instance_size = sizeof (Box), __VA_ARGS__                                                         \
  }

/* One row: source, simulator, sink. */
static const struct Row {
  const char *name;
  EveClass source, simulator, sink;
} rows[] = {
  { "datum by datum", BENCH_CLASS ("source", .outs = outs, .n_outs = 1, .produce = source_produce),
    BENCH_CLASS ("simulator", .ins = in_sync, .n_ins = 1, .outs = outs, .n_outs = 1, .fire = simulator_fire),
    BENCH_CLASS ("sink", .ins = in_sync, .n_ins = 1, .fire = sink_fire) },
  { "spans", BENCH_CLASS ("source", .outs = outs, .n_outs = 1, .produce = source_produce_span),
    BENCH_CLASS ("simulator", .ins = in_sync, .n_ins = 1, .outs = outs, .n_outs = 1, .fire = simulator_fire,
                 .fire_span = simulator_span),
    BENCH_CLASS ("sink", .ins = in_sync, .n_ins = 1, .fire = sink_fire, .fire_span = sink_span) },
  { "handlers", BENCH_CLASS ("source", .outs = outs, .n_outs = 1, .produce = source_produce),
    BENCH_CLASS ("simulator", .ins = in_async, .n_ins = 1, .outs = outs, .n_outs = 1),
    BENCH_CLASS ("sink", .ins = in_sink, .n_ins = 1) },
};

static double
seconds (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Million data a second through the chain. */
static double
run (const struct Row *row, int n_simulators, int64_t n_events)
{
  EveProgram *p = eve_program_new ();
  GError *error = NULL;
  EveComponent *source = eve_add (p, &row->source, NULL, &error), *last = source;
  ((Box *) source)->limit = n_events;
  for (int i = 0; i <= n_simulators && !error; i++) {
    EveComponent *c = eve_add (p, i < n_simulators ? &row->simulator : &row->sink, NULL, &error);
    if (error || !eve_connect (p, last, "out", c, "in", &error))
      break;
    last = c;
  }
  if (error) {
    fprintf (stderr, "dispatch: %s\n", error->message);
    exit (1);
  }
  double begin = seconds ();
  eve_run (p, -1);
  double taken = seconds () - begin;
  if (((Box *) last)->sum != n_events * (n_events - 1) / 2) {
    fprintf (stderr, "dispatch: data were lost\n");
    exit (1);
  }
  eve_program_free (p);
  return (double) n_events / taken / 1e6;
}

static int
by_value (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

int
main (void)
{
  enum { RUNS = 5 };
  printf ("dispatch, million data a second, median of %d\n%-16s %8s %8s %8s\n", RUNS, "", "n=1", "n=2", "n=4");
  for (size_t r = 0; r < G_N_ELEMENTS (rows); r++) {
    printf ("%-16s", rows[r].name);
    for (int n = 1; n <= 4; n *= 2) {
      double rate[RUNS];
      for (int i = 0; i < RUNS; i++)
        rate[i] = run (&rows[r], n, r == 1 ? 20000000 : 5000000);
      qsort (rate, RUNS, sizeof rate[0], by_value);
      printf (" %8.1f", rate[RUNS / 2]);
    }
    printf ("\n");
  }
  return 0;
}
