/* SPDX-License-Identifier: Apache-2.0 */
/* dominators.c - what would be free without a block: dominators, after Lengauer and Tarjan (1979), the simple way with
 * path compression, in n log n.  The newer way by semi-dominators alone (SEMI-NCA) is quadratic on the long chains that
 * heaps are full of.
 *
 * All is done in places, which are numbers in the order of a walk in depth from the top: neighbours lie side by side in
 * memory.  No recursion: a list of ten million cells is that deep. */
#include <string.h>
#include "readers/heap/private.h"
#include "eve/words.h"

#define LOOK 0xfffff /* places between two looks at whether it was cancelled */

typedef struct Work {
  HeapGraph *h;
  const TraceProgress *progress;
  uint32_t n, *place, *node;                  /* places; of each node, or TRACE_NONE; of each place */
  uint32_t *parent, *semi, *label, *ancestor; /* by place */
  uint32_t *dominator, *bucket, *next;        /* places whose semi-dominator is this one: a list */
  uint32_t *before_first, *before, *path;
} Work;

static inline void
dominators_edges_of (const HeapGraph *h, uint32_t node, const uint32_t **to, uint32_t *begin, uint32_t *end)
{
  if (node < h->n_blocks) {
    *to = h->to;
    *begin = h->first[node];
    *end = h->first[node + 1];
  } else {
    *to = h->above_to;
    *begin = h->above_first[node - h->n_blocks];
    *end = h->above_first[node - h->n_blocks + 1];
  }
}

/* Places in the order of a walk; `label` holds where in its references each node on the way is. */
static bool
dominators_walk (Work *w, GError **error)
{
  const HeapGraph *h = w->h;
  uint32_t at = 0;

  memset (w->place, 0xff, heap_nodes (h) * sizeof *w->place);
  w->n = 1;
  w->node[0] = h->n_blocks;
  w->place[h->n_blocks] = w->parent[0] = w->label[0] = 0;
  for (;;) {
    const uint32_t *to;
    uint32_t begin, end, k, child = TRACE_NONE;
    dominators_edges_of (h, w->node[at], &to, &begin, &end);
    for (k = begin + w->label[at]; k < end && child == TRACE_NONE; k++)
      child = w->place[to[k]] == TRACE_NONE ? to[k] : TRACE_NONE;
    w->label[at] = k - begin;
    if (child == TRACE_NONE) {
      if (at == 0)
        return true;
      at = w->parent[at];
      continue;
    }
    w->place[child] = w->n;
    w->node[w->n] = child;
    w->parent[w->n] = at;
    w->label[w->n] = 0;
    at = w->n++;
    if ((w->n & LOOK) == 0
        && heap_is_cancelled (w->progress, "what keeps what alive", 0.3 * w->n / heap_nodes (h), error))
      return false;
  }
}

/* References backward, from place to place. */
static bool
dominators_turn_round (Work *w, GError **error)
{
  const HeapGraph *h = w->h;
  const uint32_t *to;
  uint32_t begin, end;
  uint64_t n = 0;

  if (!heap_room (&w->before_first, (uint64_t) w->n + 2, 4, error))
    return false;
  uint32_t *first = w->before_first + 1; /* one further, and back again while they are filled */
  for (uint32_t at = 0; at < w->n; at++) {
    dominators_edges_of (h, w->node[at], &to, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
      first[w->place[to[e]]]++;
    n += end - begin;
  }
  if (n >= UINT32_MAX) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_DATA, _ ("it has more references than can be numbered"));
    return false;
  }
  if (!heap_room (&w->before, n, 4, error) || heap_is_cancelled (w->progress, "what keeps what alive", 0.4, error))
    return false;
  uint32_t sum = 0;
  for (uint32_t at = 0; at < w->n; at++) {
    uint32_t own = first[at];
    first[at] = sum;
    sum += own;
  }
  for (uint32_t at = 0; at < w->n; at++) {
    dominators_edges_of (h, w->node[at], &to, &begin, &end);
    for (uint32_t e = begin; e < end; e++)
      w->before[first[w->place[to[e]]]++] = at;
  }
  return true; /* before_first[at] is now where its own begin, and before_first[at + 1] where they end */
}

/* The place with the least semi-dominator on the way up from `at`, in the forest of what is done; the way is made
 * short. */
static inline uint32_t
dominators_evaluate (Work *w, uint32_t at)
{
  uint32_t n = 0, i = at;

  if (w->ancestor[at] == TRACE_NONE)
    return at;
  for (; w->ancestor[w->ancestor[i]] != TRACE_NONE; i = w->ancestor[i])
    w->path[n++] = i;
  while (n > 0) {
    uint32_t v = w->path[--n], a = w->ancestor[v];
    if (w->semi[w->label[a]] < w->semi[w->label[v]])
      w->label[v] = w->label[a];
    w->ancestor[v] = w->ancestor[a];
  }
  return w->label[at];
}

static bool
find_dominators (Work *w, GError **error)
{
  for (uint32_t i = 0; i < w->n; i++) {
    w->semi[i] = w->label[i] = i;
    w->ancestor[i] = w->bucket[i] = TRACE_NONE;
  }
  for (uint32_t v = w->n; v-- > 1;) {
    uint32_t p = w->parent[v];
    for (uint32_t e = w->before_first[v]; e < w->before_first[v + 1]; e++) {
      uint32_t u = dominators_evaluate (w, w->before[e]);
      if (w->semi[u] < w->semi[v])
        w->semi[v] = w->semi[u];
    }
    w->next[v] = w->bucket[w->semi[v]];
    w->bucket[w->semi[v]] = v;
    w->ancestor[v] = p;
    for (uint32_t b = w->bucket[p]; b != TRACE_NONE; b = w->next[b]) {
      uint32_t u = dominators_evaluate (w, b);
      w->dominator[b] = w->semi[u] < w->semi[b] ? u : p;
    }
    w->bucket[p] = TRACE_NONE;
    if ((v & LOOK) == 0
        && heap_is_cancelled (w->progress, "what keeps what alive", 0.5 + 0.4 * (w->n - v) / w->n, error))
      return false;
  }
  w->dominator[0] = 0;
  for (uint32_t v = 1; v < w->n; v++)
    if (w->dominator[v] != w->semi[v])
      w->dominator[v] = w->dominator[w->dominator[v]];
  return true;
}

/* What each place and each class retains.  Of a class, a block counts whose dominators are all of other classes: `open`
 * counts those of its class above the place at hand, in a walk of the tree of dominators. */
static bool
dominators_sum_up (Work *w, GError **error)
{
  HeapGraph *h = w->h;
  uint64_t *retained;
  uint32_t *open;

  if (!heap_room (&retained, w->n, sizeof *retained, error))
    return false;
  if (!heap_room (&open, h->classes->len, 4, error)) {
    g_free (retained);
    return false;
  }
  h->retained = retained; /* of what is cancelled it is taken away again */
  for (uint32_t v = w->n; v-- > 0;) {
    retained[v] += w->node[v] < h->n_heap ? h->words[w->node[v]] : 0;
    if (v > 0)
      retained[w->dominator[v]] += retained[v];
  }
  /* children of each place, as lists: `bucket` the first, `next` those beside it */
  memset (w->bucket, 0xff, w->n * sizeof *w->bucket);
  for (uint32_t v = w->n; v-- > 1;) {
    w->next[v] = w->bucket[w->dominator[v]];
    w->bucket[w->dominator[v]] = v;
  }
  if (heap_is_cancelled (w->progress, "what keeps what alive", 0.9, error)) {
    g_free (open);
    return false;
  }
  for (uint32_t v = 0;;) {
    if (w->node[v] < h->n_blocks) {
      uint32_t c = h->class_of[w->node[v]];
      if (open[c]++ == 0)
        g_array_index (h->classes, HeapClass, c).retained += retained[v];
    }
    if (w->bucket[v] != TRACE_NONE) {
      v = w->bucket[v];
      continue;
    }
    for (;; v = w->dominator[v]) {
      if (w->node[v] < h->n_blocks)
        open[h->class_of[w->node[v]]]--;
      if (v == 0 || w->next[v] != TRACE_NONE)
        break;
    }
    if (v == 0)
      break;
    v = w->next[v];
  }
  g_free (open);
  return true;
}

/* Places and their dominators as they were kept.  False without an error: they are to be computed. */
static bool
dominators_recall (Work *w, GError **error)
{
  const HeapGraph *h = w->h;
  uint32_t n = h->tops->len;

  for (uint32_t b = 0; b < h->n_blocks; b++)
    n += h->live[b];
  w->n = n;
  return heap_room (&w->place, heap_nodes (h), 4, error) && heap_room (&w->node, n, 4, error)
         && heap_room (&w->dominator, n, 4, error) && heap_kept_read (w->h, n, w->node, w->place, w->dominator);
}

static bool
sum_up_kept (Work *w, GError **error)
{
  return heap_room (&w->bucket, w->n, 4, error) && heap_room (&w->next, w->n, 4, error) && dominators_sum_up (w, error);
}

static bool
dominators_work (Work *w, GError **error)
{
  uint64_t nodes = heap_nodes (w->h);

  if (!heap_room (&w->place, nodes, 4, error) || !heap_room (&w->node, nodes, 4, error)
      || !heap_room (&w->parent, nodes, 4, error) || !heap_room (&w->label, nodes, 4, error)
      || !dominators_walk (w, error) || !dominators_turn_round (w, error) || !heap_room (&w->semi, w->n, 4, error)
      || !heap_room (&w->ancestor, w->n, 4, error) || !heap_room (&w->dominator, w->n, 4, error)
      || !heap_room (&w->bucket, w->n, 4, error) || !heap_room (&w->next, w->n, 4, error)
      || !heap_room (&w->path, w->n, 4, error) || !find_dominators (w, error))
    return false;
  g_clear_pointer (&w->path, g_free);
  g_clear_pointer (&w->semi, g_free);
  g_clear_pointer (&w->ancestor, g_free);
  g_clear_pointer (&w->before, g_free);
  return dominators_sum_up (w, error);
}

bool
heap_dominate (HeapGraph *h, const TraceProgress *progress, GError **error)
{
  Work w = { .h = h, .progress = progress };

  if (h->retained)
    return true;
  if (!heap_reach (h, progress, error))
    return false;
  g_autoptr (GError) why = NULL;
  bool kept = dominators_recall (&w, &why);
  if (!kept && !why) {
    g_clear_pointer (&w.place, g_free);
    g_clear_pointer (&w.node, g_free);
    g_clear_pointer (&w.dominator, g_free);
  }
  bool ok = kept ? sum_up_kept (&w, error) : !why && dominators_work (&w, error);
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  void *const done[] = { w.parent, w.semi, w.label, w.ancestor, w.bucket, w.next, w.before_first, w.before, w.path };
  for (size_t i = 0; i < G_N_ELEMENTS (done); i++)
    g_free (done[i]);
  if (!ok) {
    g_clear_pointer (&h->retained, g_free);
    g_free (w.place);
    g_free (w.node);
    g_free (w.dominator);
    return false;
  }
  h->n_places = w.n;
  h->place = w.place;
  h->node = w.node;
  h->dominator = w.dominator;
  if (!kept)
    heap_kept_write (h);
  return true;
}

#define LONGEST_WAY 32 /* what is longer is a chain of blocks of several classes, as a list */

static bool
is_of_class (const HeapGraph *h, uint32_t place, uint32_t class)
{
  return h->node[place] < h->n_heap && h->class_of[h->node[place]] == class;
}

GArray *
heap_gathers (const HeapGraph *h, uint32_t class, double share, uint64_t *words, uint64_t *below, GError **error)
{
  g_autofree uint64_t *sum = NULL;  /* of the class, at and below each place */
  g_autofree uint32_t *most = NULL; /* of the places below each, which has most of it */

  if (!heap_room (&sum, h->n_places, sizeof *sum, error) || !heap_room (&most, h->n_places, sizeof *most, error))
    return NULL;
  for (uint32_t v = h->n_places; v-- > 0;) { /* dominators come before what they dominate */
    uint32_t up = h->dominator[v];
    sum[v] += is_of_class (h, v, class) ? h->words[h->node[v]] : 0;
    if (v == 0)
      break;
    sum[up] += sum[v];
    if (most[up] == 0 || sum[v] >= sum[most[up]]) /* the top is below none: 0 is nothing yet */
      most[up] = v;
  }
  GArray *way = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  uint32_t at = 0;
  g_array_append_val (way, at);
  while (most[at] != 0 && sum[0] > 0 && way->len < LONGEST_WAY && (double) sum[most[at]] >= share * (double) sum[0]) {
    if (is_of_class (h, at, class) && is_of_class (h, most[at], class))
      break; /* one of them keeps the others, as the first cell of a list */
    at = most[at];
    g_array_append_val (way, at);
  }
  *words = sum[0];
  *below = sum[g_array_index (way, uint32_t, way->len - 1)];
  return way;
}

/* ---- the tree of dominators ---------------------------------------------------------------------------------------------------------- */

struct HeapTree {
  const HeapGraph *h;
  uint32_t *first, *below; /* of each place */
  uint8_t *sorted;
};

HeapTree *
heap_tree_new (const HeapGraph *h)
{
  HeapTree *t = g_new0 (HeapTree, 1);

  t->h = h;
  t->first = g_new0 (uint32_t, (gsize) h->n_places + 2);
  t->below = g_new (uint32_t, h->n_places);
  t->sorted = g_new0 (uint8_t, h->n_places);
  uint32_t *first = t->first + 1, sum = 0;
  for (uint32_t v = 1; v < h->n_places; v++)
    first[h->dominator[v]]++;
  for (uint32_t v = 0; v < h->n_places; v++) {
    uint32_t own = first[v];
    first[v] = sum;
    sum += own;
  }
  for (uint32_t v = 1; v < h->n_places; v++)
    t->below[first[h->dominator[v]]++] = v;
  return t;
}

void
heap_tree_free (HeapTree *t)
{
  if (!t)
    return;
  g_free (t->first);
  g_free (t->below);
  g_free (t->sorted);
  g_free (t);
}

static int
dominators_by_retained (gconstpointer a, gconstpointer b, gpointer arg)
{
  const HeapGraph *h = arg;
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  if (h->retained[x] != h->retained[y])
    return h->retained[x] > h->retained[y] ? -1 : 1;
  return x < y ? -1 : x > y;
}

const uint32_t *
heap_tree_below (HeapTree *t, uint32_t place, uint32_t *n)
{
  uint32_t *own = t->below + t->first[place];

  *n = t->first[place + 1] - t->first[place];
  if (!t->sorted[place] && *n > 1)
    g_qsort_with_data (own, (gint) *n, sizeof *own, dominators_by_retained, (gpointer) t->h);
  t->sorted[place] = 1;
  return own;
}
