/* SPDX-License-Identifier: Apache-2.0 */
/* converted-order.c - in which order tasks stand, where that is known when all of the trace was read: events are in the
 * cache by the numbers that tasks had when they came, and a table beside has the numbers that they are given. */
#include <string.h>

#include "eve/bytes.h"
#include "readers/converted-private.h"

typedef struct Standing {
  int64_t wanted;
  uint32_t depth, task;
} Standing;

static int
compare_standing (const void *a, const void *b)
{
  const Standing *x = a, *y = b;

  if (x->depth != y->depth)
    return x->depth < y->depth ? -1 : 1;
  if (x->wanted != y->wanted)
    return x->wanted < y->wanted ? -1 : 1;
  return (x->task > y->task) - (x->task < y->task);
}

uint32_t *
converted_order (const TraceSource *s, const int64_t *wanted)
{
  uint32_t n = s->tasks->len, top = 0, moved = 0;
  g_autofree Standing *all = g_new (Standing, (gsize) n + 1);
  g_autofree uint32_t *n_inside = g_new0 (uint32_t, (gsize) n + 1), *next = g_new (uint32_t, (gsize) n + 1);
  g_autofree uint32_t *order = g_new (uint32_t, (gsize) n + 1);

  for (uint32_t i = 0; i < n; i++) { /* a task is inside of one of a lower number */
    uint32_t inside = trace_task (s, i)->parent;
    all[i] = (Standing){ wanted ? wanted[i] : 0, inside == TRACE_NONE ? 0 : all[inside].depth + 1, i };
  }
  for (uint32_t i = n; i-- > 0;) {
    uint32_t inside = trace_task (s, i)->parent;
    if (inside != TRACE_NONE)
      n_inside[inside] += 1 + n_inside[i];
  }
  qsort (all, n, sizeof *all, compare_standing);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t task = all[i].task, inside = trace_task (s, task)->parent;
    uint32_t *at = inside == TRACE_NONE ? &top : &next[inside];
    order[task] = *at;
    next[task] = *at + 1;
    *at += 1 + n_inside[task];
    moved += order[task] != task;
  }
  return moved > 0 ? g_steal_pointer (&order) : NULL;
}

static void
converted_order_renumber (uint32_t *task, const uint32_t *order)
{
  if (*task != TRACE_NONE)
    *task = order[*task];
}

void
converted_reorder (TraceSource *s, const uint32_t *order)
{
  uint32_t n = s->tasks->len;
  g_autofree gpointer *tasks = g_memdup2 (s->tasks->pdata, n * sizeof *tasks);

  for (uint32_t i = 0; i < n; i++) {
    s->tasks->pdata[order[i]] = tasks[i];
    converted_order_renumber (&((TraceTask *) tasks[i])->parent, order);
  }
  for (guint i = 0; i < s->objects->len; i++) {
    TraceObject *o = s->objects->pdata[i];
    converted_order_renumber (&o->from, order);
    converted_order_renumber (&o->to, order);
  }
}

uint8_t *
converted_put_order (const uint32_t *order, uint32_t n)
{
  uint8_t *bytes = g_malloc ((gsize) n * 4 + 1);

  for (uint32_t i = 0; i < n; i++)
    bytes_put32 (bytes + (gsize) i * 4, order[i]);
  return bytes;
}

uint32_t *
converted_get_order (const uint8_t *bytes, size_t n_bytes, uint32_t n)
{
  g_autofree uint32_t *order = g_new (uint32_t, (gsize) n + 1);
  g_autofree bool *taken = g_new0 (bool, (gsize) n + 1);

  if (n_bytes != (size_t) n * 4)
    return NULL;
  for (uint32_t i = 0; i < n; i++) {
    order[i] = bytes_get32 (bytes + (gsize) i * 4);
    if (order[i] >= n || taken[order[i]])
      return NULL;
    taken[order[i]] = true;
  }
  return g_steal_pointer (&order);
}

uint64_t
converted_owner (uint64_t index_sum, const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder);

  return index_sum ^ bytes_fnv (name, strlen (name));
}
