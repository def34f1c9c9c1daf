/* SPDX-License-Identifier: Apache-2.0 */
/* Vector Clocks: what one of a group, the root, gives to all others (broadcast, scatter), or gets of all (gather,
 * reduce).  All of a group take part in these in the same order, so the n-th time of one is the n-th time of all. */
#include "components/analysis/vector-clocks.h"

static Rooted *
rooted_of (Group *g, int64_t nth, uint32_t n)
{
  Rooted *r = &g->rooted[nth % MOST_ROOTED];

  if (n > 0 && r->nth != nth) { /* the one so many times before: who still waits for it is left alone */
    g_free (r->known);
    *r = (Rooted){ .nth = nth, .n = 0, .known = g_new0 (Known, MOST_TASKS) };
  }
  if (r->nth != nth)
    return NULL;
  r->n = MAX (r->n, n);
  return r;
}

static void
vector_clocks_roots_put (VectorClocks *self, Group *g, int64_t nth, uint32_t task)
{
  Rooted *r = rooted_of (g, nth, self->n_tasks);

  vectors_learn (r->known, self->tasks[task].known, self->n_tasks, TRACE_NONE);
}

void
vectors_take_part (VectorClocks *self, const TraceEvent *e, TraceCollective what)
{
  Group *g = vectors_group (self, e->object);

  self->tasks[e->task].roots = 0;
  if (!g)
    return;
  if (!g->nth)
    g->nth = g_new0 (int64_t, MOST_TASKS);
  g->nth[e->task]++;
  self->tasks[e->task].roots = e->object + 1;
  if (what == TRACE_COLLECTIVE_TO_ROOT || e->peer == e->task)
    vector_clocks_roots_put (self, g, g->nth[e->task], e->task);
}

void
vectors_took_part (VectorClocks *self, const TraceEvent *e, TraceCollective what)
{
  Task *t = &self->tasks[e->task];
  Group *g = t->roots == e->object + 1 ? vectors_group (self, e->object) : NULL;
  uint32_t root = e->peer;

  t->roots = 0;
  if (!g || e->result < 0 || root == TRACE_NONE || root >= MOST_TASKS || !g->nth)
    return;
  int64_t nth = g->nth[e->task];
  const Rooted *r = rooted_of (g, nth, 0);
  if (what == TRACE_COLLECTIVE_TO_ROOT) {
    if (root == e->task && r)
      vectors_learn (t->known, r->known, r->n, e->task);
    return;
  }
  const Task *giver = &self->tasks[root];
  if (root == e->task) { /* of formats that tell it at the end alone */
    if (!r)
      vector_clocks_roots_put (self, g, nth, root);
  } else if (r) {
    vectors_learn (t->known, r->known, r->n, e->task);
  } else if (giver->known && giver->roots == e->object + 1 && g->nth[root] == nth) {
    vectors_learn (t->known, giver->known, self->n_tasks, e->task);
  }
}
