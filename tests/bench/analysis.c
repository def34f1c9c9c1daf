/* SPDX-License-Identifier: Apache-2.0 */
/* analysis.c - how many events a second a filter by expression passes, and what a value costs against the number of
 * owners.
 *
 * Components run in a program, behind a source that gives the same block of data again and again; processor time, least
 * of several runs. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "eve/eve-host.h"
#include "readers/reader.h"
#include "statistics/types.h"

#define BLOCK 4096
#define RUNS 5

/* ---- a trace that exists in memory alone ---------------------------------------------------------------------------- */
static const TraceField fields[] = { { "to", TRACE_ROLE_PEER, NULL },
                                     { "tag", TRACE_ROLE_TAG, NULL },
                                     { "bytes", TRACE_ROLE_SIZE, "B" } };
static const TraceKind kinds[] = { { "Send", "EndSend", "point", fields, 3, false },
                                   { "Recv", "EndRecv", "point", fields, 3, false },
                                   { "Barrier", "EndBarrier", "barrier", NULL, 0, false } };
static const TraceFormat format = { .name = "memory", .label = "Memory", .model = "none" };
static TraceSource trace;
static TraceEvent events[BLOCK];
static StatsDatum data[1 << 20];

/* ---- a source of blocks --------------------------------------------------------------------------------------------- */
static const void *block;
static uint32_t block_data;
typedef struct Source {
  EveBase base;
  int64_t left;
} Source;

static EveSupply
source_produce (EveComponent *c, uint32_t max)
{
  Source *self = (Source *) c;
  uint32_t n = (uint32_t) MIN ((int64_t) max, self->left), at = (uint32_t) ((uint64_t) self->left % block_data);
  size_t size = eve_out_type (self->base.out[0])->size;

  n = MIN (n, block_data - at);
  void *to = n ? eve_reserve (self->base.out[0], &n) : NULL;
  if (!to)
    return self->left ? EVE_MORE : EVE_END;
  memcpy (to, (const char *) block + at * size, n * size);
  eve_commit (self->base.out[0], n);
  self->left -= n;
  return self->left ? EVE_MORE : EVE_END;
}

static const EveField source_settings[] = { { "count", EVE_F_INT64, offsetof (Source, left), .doc = "Data to give." } };
static const EveOutSpec event_out = { "out", &trace_type_event, .doc = "Events." },
                        datum_out = { "out", &stats_type_datum, .doc = "Data." };
static const EveClass source_of_events = {
  EVE_CLASS_HEAD,
  .id = "bench.events",
  .label = "Events",
  .category = "Bench",
  .doc = "Gives events.",
  .version = 1,
  .outs = &event_out,
  .n_outs = 1,
  .settings = source_settings,
  .n_settings = 1,
  .instance_size = sizeof (Source),
  .produce = source_produce,
};
static const EveClass source_of_data = {
  EVE_CLASS_HEAD,
  .id = "bench.data",
  .label = "Data",
  .category = "Bench",
  .doc = "Gives data.",
  .version = 1,
  .outs = &datum_out,
  .n_outs = 1,
  .settings = source_settings,
  .n_settings = 1,
  .instance_size = sizeof (Source),
  .produce = source_produce,
};

/* Million data a second through source -> component -> probe of one kind; the source alone if id is NULL. */
static double
speed (const EveClass *source, int64_t n, const char *id, const char *in, const char *out, const char *setting,
       const char *value)
{
  double best = 0;

  for (int run = 0; run < RUNS; run++) {
    EveProgram *p = eve_program_new ();
    EveComponent *from = eve_add (p, source, NULL, NULL), *c = eve_add (p, eve_registry_find (id), NULL, NULL);
    EveComponent *sink = eve_add (p, eve_registry_find ("scope.counter"), NULL, NULL);
    g_autofree char *count = g_strdup_printf ("%" G_GINT64_FORMAT, n);
    g_autoptr (GError) error = NULL;
    struct timespec a, b;

    if (!eve_set (from, "count", count, &error) || (setting && !eve_set (c, setting, value, &error))
        || !eve_connect (p, from, "out", c, in, &error) || (out && !eve_connect (p, c, out, sink, "in", &error)))
      g_error ("%s", error->message);
    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &a);
    EveRun r = eve_run (p, -1);
    clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &b);
    if (r != EVE_IDLE)
      g_error ("%s: %s", id, eve_program_failure (p, NULL));
    best = MAX (best, (double) n / ((double) (b.tv_sec - a.tv_sec) * 1e6 + (double) (b.tv_nsec - a.tv_nsec) * 1e-3));
    eve_program_free (p);
  }
  return best;
}

int
main (void)
{
  static const char *const conditions[] = {
    "duration > 5 ms", "kind == Recv and duration > 5 ms",
    "kind in {Send, Recv} and bytes > 4 KiB and task in {t1, t2, t3} or date / 2 < 1 us"
  };
  static const uint32_t owners[] = { 1, 16, 256, 4096, 65536, 1u << 20 };

  eve_registry_load_all (NULL);
  trace_source_setup (&trace, &format, "nowhere/memory.trace", NULL);
  trace.clock = (TraceClock){ 1000000000, "s" };
  trace.kinds = kinds;
  trace.n_kinds = G_N_ELEMENTS (kinds);
  for (int i = 0; i < 16; i++) {
    char id[8];
    g_snprintf (id, sizeof id, "t%d", i);
    trace_source_add_task (&trace, id, i);
  }
  for (uint32_t i = 0; i < BLOCK; i++)
    events[i] = (TraceEvent){ .date = i * 1000,
                              .duration = (i * 7919) % 1000 * 10000,
                              .size = i * 37 % 9000,
                              .task = i % 16,
                              .peer = i % 7,
                              .object = TRACE_NONE,
                              .kind = (uint16_t) (i % 3),
                              .source = trace.number };
  block = events;
  block_data = BLOCK;
  printf ("filter by expression, million events a second (aim: at least 20)\n");
  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    printf ("%7.1f  %s\n", speed (&source_of_events, 20000000, "scope.filter", "in", "passed", "where", conditions[i]),
            conditions[i]);

  printf ("\nstatistics by owner, ns a value (aim: constant up to 4096 owners)\n");
  for (guint i = 0; i < G_N_ELEMENTS (owners); i++) {
    for (uint32_t k = 0; k < owners[i]; k++)
      data[k] = (StatsDatum){ .date = k,
                              .value.real = k % 1000,
                              .owner = k * 2654435761u % owners[i],
                              .owner_kind = STATS_OF_TASK,
                              .source = trace.number };
    block = data;
    block_data = owners[i];
    for (uint32_t k = owners[i]; k < BLOCK; k += owners[i]) { /* a block of one would be given one by one */
      memcpy (data + k, data, owners[i] * sizeof *data);
      block_data = k + owners[i];
    }
    printf ("%7.1f  %u owners\n",
            1e3 / speed (&source_of_data, 10000000, "scope.statistics-by-owner", "value", NULL, "every", "0"),
            owners[i]);
  }
  trace_source_clear (&trace);
  return 0;
}
