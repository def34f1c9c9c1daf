/* SPDX-License-Identifier: Apache-2.0 */
/* play.h - plays the records of a Fake through the PVM simulator, up to a date, and looks at attributes as text. */
#pragma once
#include "fake.h"
#include "simulators/pvm/pvm.h"
#include "tests/simulators/expect.h"

typedef struct Play {
  Fake *fake;
  Pvm *pvm;
  bool keep_the_dead, ignore_packing;
  uint32_t tasks;
  const TraceEvent *events; /* once playing */
  size_t n, next;
} Play;

/* Tasks t0, t1, ... are born at 0 unless `born` is false; groups g0, g1, ... */
Play *play_new (uint32_t tasks, uint32_t groups, bool born);
void play_free (Play *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Play, play_free)
/* Simulates all events dated <= date.  All records must have been added before. */
void play_until (Play *p, int64_t date);
/* The value of an attribute at `at` (>= the last event); g_free.  Link: NULL if there is none. */
char *play_task (Play *p, uint32_t task, const char *attribute, int64_t at);
char *play_link (Play *p, uint32_t from, uint32_t to, const char *attribute, int64_t at);

#define expect_text(got, want)                                                                                         \
  do {                                                                                                                 \
    g_autofree char *got_ = (got);                                                                                     \
    g_assert_cmpstr (got_, ==, (want));                                                                                \
  } while (0)
/* At the date of the last event; after all that are dated <= date. */
#define expect_now(p, ...) expect_graph (&(p)->pvm->store.graph, __VA_ARGS__)
#define expect_at(p, date, ...) (play_until (p, date), expect_now (p, __VA_ARGS__))
#define expect_task(p, task, attribute, want)                                                                          \
  expect_text (play_task (p, task, attribute, (p)->pvm->store.graph.clock), want)
#define expect_link(p, from, to, attribute, want)                                                                      \
  expect_text (play_link (p, from, to, attribute, (p)->pvm->store.graph.clock), want)
#define expect_possible(p) g_assert_cmpuint ((p)->pvm->store.graph.n_impossible, ==, 0)
