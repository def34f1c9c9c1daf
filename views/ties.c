/* SPDX-License-Identifier: Apache-2.0 */
#include "views/ties.h"
#include <math.h>
#include <stdlib.h>
#include "readers/pair.h"

typedef struct Gather {
  GHashTable *tasks; /* see names_tasks_by_id() */
  const TiesWhere *where;
  GHashTable *pairs; /* its two nodes -> LayoutTie */
} Gather;

static void
add_tie (Gather *g, uint32_t from, uint32_t to, double bytes)
{
  uint64_t key = (uint64_t) MIN (from, to) << 32 | MAX (from, to);

  if (from == to || from == TRACE_NONE || to == TRACE_NONE)
    return;
  LayoutTie *t = g_hash_table_lookup (g->pairs, &key);
  if (t == NULL) {
    t = g_new0 (LayoutTie, 1);
    t->from = MIN (from, to);
    t->to = MAX (from, to);
    t->weight = 1;
    g_hash_table_insert (g->pairs, g_memdup2 (&key, sizeof key), t);
  }
  t->weight += bytes > 0 && bytes < 1e300 ? bytes : 0;
  t->there |= from < to;
  t->back |= from > to;
}

static void
ties_add_traffic (void *arg, const char *from, const char *to, double bytes)
{
  Gather *g = arg;
  uint32_t a = GPOINTER_TO_UINT (g_hash_table_lookup (g->tasks, from)),
           b = GPOINTER_TO_UINT (g_hash_table_lookup (g->tasks, to));

  if (a > 0 && b > 0 && MAX (a, b) <= g->where->n_tasks)
    add_tie (g, g->where->of_task[a - 1], g->where->of_task[b - 1], bytes);
}

static int
by_ends (const void *a, const void *b)
{
  const LayoutTie *x = a, *y = b;

  if (x->from != y->from)
    return x->from < y->from ? -1 : 1;
  return (x->to > y->to) - (x->to < y->to);
}

LayoutTie *
ties_gather (Names *names, const char *film, const ViewScene *scene, const TiesWhere *where, uint32_t *n)
{
  g_autoptr (GHashTable) tasks = names_tasks_by_id (names, scene->source);
  Gather g = { tasks, where, g_hash_table_new_full (pair_hash, g_int64_equal, g_free, g_free) };
  GHashTableIter i;
  gpointer t;

  if (film != NULL)
    names_read_traffic (names, film, ties_add_traffic, &g);
  bool by_links = g_hash_table_size (g.pairs) == 0 && scene->graph != NULL;
  for (uint32_t k = 0; by_links && k < scene->graph->n_edges; k++) {
    uint32_t from, to;
    scene->graph->edge_ends (scene->graph, k, &from, &to);
    add_tie (&g, where->of_state_node[from], where->of_state_node[to], 0);
  }
  LayoutTie *ties = g_new (LayoutTie, g_hash_table_size (g.pairs) + 1);
  *n = 0;
  g_hash_table_iter_init (&i, g.pairs);
  while (g_hash_table_iter_next (&i, NULL, &t))
    ties[(*n)++] = *(LayoutTie *) t;
  g_hash_table_unref (g.pairs);
  qsort (ties, *n, sizeof *ties, by_ends);
  return ties;
}
