/* SPDX-License-Identifier: Apache-2.0 */
/* bench.h - the component under test between a source and a sink of numbers. */
#pragma once
#include "eve/eve-host.h"

static const double *bench_data; /* what the source gives */
static size_t bench_n;
static GArray *bench_got; /* of double: what came out */

typedef struct BenchSource {
  EveBase base;
  int64_t at;
} BenchSource;

static EveSupply
bench_produce (EveComponent *c, uint32_t max)
{
  BenchSource *self = (BenchSource *) c;

  for (; max && (size_t) self->at < bench_n && eve_emit (self->base.out[0], &bench_data[self->at]); max--)
    self->at++;
  return (size_t) self->at < bench_n ? EVE_MORE : EVE_END;
}

static void
bench_fire (EveComponent *c)
{
  g_array_append_vals (bench_got, eve_take (eve_base (c)->in[0]), 1);
}

static const EveOutSpec bench_outs[] = { { "out", &eve_type_double, .doc = "The data." } };
static const EveInSpec bench_ins[] = { { "in", &eve_type_double, .doc = "The results." } };
static const EveField bench_state[] = { { "at", EVE_F_INT64, offsetof (BenchSource, at) } };
static const EveClass bench_source = {
  EVE_CLASS_HEAD, .id = "bench.source", .label = "Source", .category = "Tests", .doc = "Gives data.", .version = 1,
  .outs = bench_outs, .n_outs = 1, .state = bench_state, .n_state = 1, .instance_size = sizeof (BenchSource),
  .produce = bench_produce,
};
static const EveClass bench_sink = {
  EVE_CLASS_HEAD, .id = "bench.sink", .label = "Sink", .category = "Tests", .doc = "Keeps results.", .version = 1,
  .ins = bench_ins, .n_ins = 1, .instance_size = sizeof (EveBase), .fire = bench_fire,
};

/* A program with a component of the shared object `path`, fed with n numbers at `in`; its output `out` is kept in
 * bench_got (NULL: it has none).  Settings are pairs of name and value, ended by NULL. */
static EveProgram *
bench_new (const char *path, const char *in, const char *out, const double *data, size_t n, ...)
{
  const EveClass *const *classes;
  g_autoptr (GError) error = NULL;
  EveProgram *p = eve_program_new ();
  EveComponent *source, *tested, *sink;
  va_list settings;

  bench_data = data;
  bench_n = n;
  g_clear_pointer (&bench_got, g_array_unref);
  bench_got = g_array_new (FALSE, FALSE, sizeof (double));
  eve_registry_load_file (path, &classes, &error);
  g_assert_no_error (error);
  source = eve_add (p, &bench_source, "Source", &error);
  tested = eve_add (p, classes[0], "Tested", &error);
  g_assert_no_error (error);
  eve_connect (p, source, "out", tested, in, &error);
  g_assert_no_error (error);
  if (out) {
    sink = eve_add (p, &bench_sink, "Sink", &error);
    eve_connect (p, tested, out, sink, "in", &error);
    g_assert_no_error (error);
  }
  va_start (settings, n);
  for (const char *name; (name = va_arg (settings, const char *));) {
    eve_set (tested, name, va_arg (settings, const char *), &error);
    g_assert_no_error (error);
  }
  va_end (settings);
  return p;
}

/* Runs to the end and compares what came out, number by number. */
static void
bench_expect (EveProgram *p, const double *want, size_t n)
{
  g_assert_cmpint (eve_run (p, -1), ==, EVE_IDLE);
  g_assert_true (eve_program_ended (p));
  g_assert_cmpuint (bench_got->len, ==, n);
  for (size_t i = 0; i < n; i++)
    g_assert_cmpfloat (g_array_index (bench_got, double, i), ==, want[i]);
}
