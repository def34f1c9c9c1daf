/* SPDX-License-Identifier: Apache-2.0 */
/* paths.c - ways to something, found by where they come from and what they are. */
#include "statistics/paths.h"

void
stats_paths_clear (StatsPaths *p)
{
  g_free (p->at);
  g_free (p->places);
  *p = (StatsPaths){ 0 };
}

/* Fibonacci hashing: all bits reach the upper ones. */
static inline uint32_t
paths_place_of (const StatsPaths *p, uint32_t parent, uint32_t label)
{
  uint64_t key = (uint64_t) parent << 32 | label;

  return (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32) & (p->n_places - 1);
}

static void
put_place (StatsPaths *p, uint32_t path)
{
  uint32_t i = paths_place_of (p, p->at[path].parent, p->at[path].label);

  while (p->places[i] != 0)
    i = (i + 1) & (p->n_places - 1);
  p->places[i] = path + 1;
}

uint32_t
stats_paths_find (const StatsPaths *p, uint32_t parent, uint32_t label)
{
  for (uint32_t i = p->n_places > 0 ? paths_place_of (p, parent, label) : 0; p->n_places > 0 && p->places[i] != 0;
       i = (i + 1) & (p->n_places - 1)) {
    const StatsPath *path = &p->at[p->places[i] - 1];
    if (path->parent == parent && path->label == label)
      return p->places[i] - 1;
  }
  return STATS_NO_PATH;
}

uint32_t
stats_paths_add (StatsPaths *p, uint32_t parent, uint32_t label)
{
  if (p->n == p->room) {
    p->room = MAX (2 * p->room, 64);
    p->at = g_renew (StatsPath, p->at, p->room);
  }
  p->at[p->n++] = (StatsPath){ parent, label };
  if (2 * p->n > p->n_places) {
    p->n_places = MAX (2 * p->n_places, 1024);
    g_free (p->places);
    p->places = g_new0 (uint32_t, p->n_places);
    for (uint32_t i = 0; i < p->n; i++)
      put_place (p, i);
  } else {
    put_place (p, p->n - 1);
  }
  return p->n - 1;
}

typedef struct Sorting {
  GCompareDataFunc by;
  gpointer data;
} Sorting;

static int
paths_by_number (gconstpointer a, gconstpointer b, gpointer data)
{
  const Sorting *s = data;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  int order = s->by (a, b, s->data);

  return order != 0 ? order : (x > y) - (x < y);
}

StatsPathOrder
stats_paths_order (const StatsPaths *p, GCompareDataFunc by, gpointer data)
{
  StatsPathOrder o = { g_new (uint32_t, MAX (p->n, 1)), g_new0 (uint32_t, MAX (p->n, 1)) };
  g_autofree uint32_t *sorted = g_new (uint32_t, MAX (p->n, 1)), *first = g_new (uint32_t, MAX (p->n, 1)),
                      *next = g_new (uint32_t, MAX (p->n, 1));
  uint32_t n = 0;

  for (uint32_t i = 0; i < p->n; i++) {
    sorted[i] = i;
    first[i] = next[i] = STATS_NO_PATH;
  }
  g_qsort_with_data (sorted, (gint) p->n, sizeof *sorted, paths_by_number, &(Sorting){ by, data });
  for (uint32_t i = p->n; i-- > 0;) { /* the first of a list is put in front last */
    uint32_t parent = p->at[sorted[i]].parent;
    if (parent == STATS_NO_PATH)
      continue;
    next[sorted[i]] = first[parent];
    first[parent] = sorted[i];
  }
  for (uint32_t k = 0; k < p->n; k++) {
    if (p->at[sorted[k]].parent != STATS_NO_PATH)
      continue;
    for (uint32_t at = sorted[k]; at != STATS_NO_PATH;) {
      o.depth[at] = p->at[at].parent == STATS_NO_PATH ? 0 : o.depth[p->at[at].parent] + 1;
      o.paths[n++] = at;
      if (first[at] != STATS_NO_PATH) {
        at = first[at];
        continue;
      }
      while (at != STATS_NO_PATH && next[at] == STATS_NO_PATH)
        at = p->at[at].parent;
      at = at != STATS_NO_PATH ? next[at] : STATS_NO_PATH;
    }
  }
  return o;
}

void
stats_path_order_clear (StatsPathOrder *o)
{
  g_clear_pointer (&o->paths, g_free);
  g_clear_pointer (&o->depth, g_free);
}

/* Paths come in their order, so those around one are known by how deep they are. */
bool *
stats_paths_outermost (const StatsPaths *p, const StatsPathOrder *o, bool with_outermost)
{
  bool *outermost = g_new0 (bool, MAX (p->n, 1));
  g_autoptr (GHashTable) above = g_hash_table_new (NULL, NULL);     /* labels of those around it */
  g_autofree uint32_t *inside = g_new (uint32_t, (gsize) p->n + 1); /* by depth: the path, if it put its label there */
  uint32_t deep = 0;

  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t path = o->paths[i], depth = o->depth[path];
    gpointer label = GSIZE_TO_POINTER ((gsize) p->at[path].label + 1);
    while (deep > depth)
      if (inside[--deep] != STATS_NO_PATH)
        g_hash_table_remove (above, GSIZE_TO_POINTER ((gsize) p->at[inside[deep]].label + 1));
    outermost[path] = !g_hash_table_contains (above, label);
    bool counts = outermost[path] && (depth > 0 || with_outermost);
    inside[deep++] = counts ? path : STATS_NO_PATH;
    if (counts)
      g_hash_table_add (above, label);
  }
  return outermost;
}
