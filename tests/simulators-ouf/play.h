/* SPDX-License-Identifier: Apache-2.0 */
/* play.h - plays a trace written by hand through the reader and the OUF simulator, up to a date, and looks at
 * attributes as text.  Dates are milliseconds. */
#pragma once
#include "simulators/ouf/ouf.h"
#include "tests/readers-tape/hand.h"
#include "tests/simulators/expect.h"

typedef struct Play {
  Hand *hand;
  TraceSource *source; /* once playing */
  Ouf *ouf;
  bool keep_the_dead, threads, semaphores, processors;
  GArray *events; /* all of them */
  guint next;
} Play;

/* Tasks a, b, c on processors p0, p1, p1; links 0 a->b "ab", 1 b->a "ba", 2 c->b "cb", 3 a->b "ab2".  `born`: all at 0.
 */
Play *play_new (bool born);
void play_free (Play *p);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Play, play_free)
/* Simulates all events dated <= date.  All must have been written before. */
void play_until (Play *p, int64_t date);
/* The value of an attribute at `at` (>= the last event); g_free; NULL: there is no such node or link now. */
char *play_node (Play *p, const char *id, const char *attribute, int64_t at);
char *play_link (Play *p, const char *name, const char *attribute, int64_t at);

enum { A, B, C };         /* tasks */
enum { AB, BA, CB, AB2 }; /* links */

/* At the date of the last event; after all that are dated <= date. */
#define expect_now(p, ...) expect_graph (&(p)->ouf->store.graph, __VA_ARGS__)
#define expect_at(p, date, ...) (play_until (p, date), expect_now (p, __VA_ARGS__))
#define expect_node(p, id, attribute, want)                                                                            \
  expect_text (play_node (p, id, attribute, (p)->ouf->store.graph.clock), want)
#define expect_link(p, name, attribute, want)                                                                          \
  expect_text (play_link (p, name, attribute, (p)->ouf->store.graph.clock), want)
#define expect_possible(p) g_assert_cmpuint ((p)->ouf->store.graph.n_impossible, ==, 0)
