/* SPDX-License-Identifier: Apache-2.0 */
/* graph.c - what is reached from the roots, and by which way. */
#include <string.h>
#include "readers/heap/private.h"

/* ---- nodes above the blocks ------------------------------------------------------------------------------------------------ */

static const char *
symbol_name (const HeapGraph *h, uint32_t symbol)
{
  return symbol < h->symbols->len ? h->symbols->pdata[symbol] : NULL;
}

/* "camlStdlib__Hashtbl" is Stdlib.Hashtbl; g_free. */
char *
heap_module_name (const char *symbol)
{
  GString *name = g_string_new (NULL);

  for (const char *at = g_str_has_prefix (symbol, "caml") ? symbol + 4 : symbol; *at; at++)
    if (at[0] == '_' && at[1] == '_' && at[2]) {
      g_string_append_c (name, '.');
      at++;
    } else {
      g_string_append_c (name, *at);
    }
  return g_string_free (name, FALSE);
}

static int
by_root (const void *a, const void *b)
{
  const HeapRoot *x = a, *y = b;

  if (x->category != y->category)
    return x->category < y->category ? -1 : 1;
  if (x->symbol != y->symbol)
    return x->symbol < y->symbol ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

/* The top, the categories, and below these the modules; each refers to what is below it. */
static bool
make_tops (HeapGraph *h, GError **error)
{
  uint32_t n_modules = 0;

  if (h->tops)
    return true;
  if (h->n_roots > 0)
    qsort (h->roots, h->n_roots, sizeof *h->roots, by_root);
  for (uint32_t i = 0; i < h->n_roots; i++)
    n_modules += h->roots[i].symbol > 0 && (i == 0 || memcmp (&h->roots[i], &h->roots[i - 1], 8) != 0);
  uint64_t n = 1 + N_HEAP_ROOTS + n_modules;
  if (!heap_room (&h->above_first, n + 1, 4, error) || !heap_room (&h->above_to, (uint64_t) h->n_roots + n, 4, error))
    return false;
  h->tops = g_array_new (FALSE, TRUE, sizeof (HeapTop));
  g_array_append_val (h->tops, ((HeapTop){ g_strdup ("all that is live"), N_HEAP_ROOTS }));
  for (uint32_t i = 0; i < N_HEAP_ROOTS; i++)
    g_array_append_val (h->tops, ((HeapTop){ g_strdup (heap_root_names[i]), i }));
  uint32_t at = 0, root = 0, module = 1 + N_HEAP_ROOTS;
  for (uint32_t i = 0; i < N_HEAP_ROOTS; i++)
    h->above_to[at++] = h->n_blocks + 1 + i;
  for (uint32_t c = 0; c < N_HEAP_ROOTS; c++) {
    h->above_first[1 + c] = at;
    for (; root < h->n_roots && h->roots[root].category == c && h->roots[root].symbol == 0; root++)
      h->above_to[at++] = h->roots[root].block;
    for (uint32_t last = 0; root < h->n_roots && h->roots[root].category == c; root++)
      if (h->roots[root].symbol != last) {
        last = h->roots[root].symbol;
        h->above_to[at++] = h->n_blocks + module++;
      }
  }
  for (uint32_t i = 0; i < h->n_roots; i++) {
    const HeapRoot *r = &h->roots[i];
    if (r->symbol == 0)
      continue;
    if (i == 0 || memcmp (r, r - 1, 8) != 0) {
      const char *symbol = symbol_name (h, r->symbol);
      char *name = symbol ? heap_module_name (symbol) : g_strdup_printf ("module %u", r->symbol);
      h->above_first[h->tops->len] = at;
      g_array_append_val (h->tops, ((HeapTop){ name, r->category }));
    }
    h->above_to[at++] = r->block;
  }
  h->above_first[h->tops->len] = at;
  return true;
}

/* ---- reachability --------------------------------------------------------------------------------------------------------------- */

#define LOOK 0xfffff /* steps between two looks at whether it was cancelled */
#define IS_LIVE 1    /* HeapGraph.live, meanwhile */
#define IS_AWAITED 2 /* an ephemeron that keeps a value, or a key of one */

/* That an ephemeron waits for a block to live. */
typedef struct Wait {
  uint32_t block, weak;
} Wait;

typedef struct Reach {
  HeapGraph *h;
  uint32_t *stack;
  uint32_t n;
  uint64_t steps;
  const TraceProgress *progress;
  /* ephemerons with a value, by number: where each is in `weak`, how many of its keys, and itself, do not live yet */
  GArray *weak, *missing; /* of size_t, uint32_t */
  GArray *waits;          /* of Wait, by block */
  GArray *woken;          /* of uint32_t: blocks that are awaited and live now */
} Reach;

static inline void
heap_graph_mark (Reach *r, uint32_t block)
{
  uint8_t *live = &r->h->live[block];

  if (*live & IS_LIVE)
    return;
  if (*live & IS_AWAITED)
    g_array_append_val (r->woken, block);
  *live |= IS_LIVE;
  r->stack[r->n++] = block;
}

static bool
heap_graph_spread (Reach *r, GError **error)
{
  const HeapGraph *h = r->h;

  while (r->n > 0) {
    uint32_t b = r->stack[--r->n];
    for (uint32_t e = h->first[b]; e < h->first[b + 1]; e++)
      heap_graph_mark (r, h->to[e]);
    if ((++r->steps & LOOK) == 0
        && heap_is_cancelled (r->progress, "what is reached", (double) r->steps / h->n_blocks, error))
      return false;
  }
  return true;
}

static int
by_awaited (const void *a, const void *b)
{
  const Wait *x = a, *y = b;

  if (x->block != y->block)
    return x->block < y->block ? -1 : 1;
  return x->weak < y->weak ? -1 : x->weak > y->weak;
}

/* What each ephemeron that has a value waits for: before anything is marked. */
static void
heap_graph_await (Reach *r)
{
  const HeapGraph *h = r->h;

  for (size_t i = 0; i + 1 < h->n_weak; i += 2 + h->weak[i + 1]) {
    uint32_t n = h->weak[i + 1], number = r->weak->len, missing = 1;
    if (n == 0 || h->weak[i + 2] == 0)
      continue;
    g_array_append_val (r->waits, ((Wait){ h->weak[i], number }));
    for (uint32_t k = 1; k < n; k++)
      if (h->weak[i + 2 + k] > 0) {
        g_array_append_val (r->waits, ((Wait){ h->weak[i + 2 + k] - 1, number }));
        missing++;
      }
    g_array_append_val (r->weak, i);
    g_array_append_val (r->missing, missing);
  }
  g_array_sort (r->waits, by_awaited);
  for (guint i = 0; i < r->waits->len; i++)
    h->live[g_array_index (r->waits, Wait, i).block] |= IS_AWAITED;
}

/* Values of ephemerons all of whose keys live, until there are no more: each wait is looked at once.  What an
 * ephemeron keeps becomes a reference of it: its block has none else. */
static bool
spread_weak (Reach *r, uint8_t *keeps, GError **error)
{
  const HeapGraph *h = r->h;
  const Wait *waits = (const Wait *) (const void *) r->waits->data;

  for (guint next = 0; next < r->woken->len; next++) {
    uint32_t block = g_array_index (r->woken, uint32_t, next);
    guint low = 0, high = r->waits->len;
    while (low < high) {
      guint middle = low + (high - low) / 2;
      if (waits[middle].block < block)
        low = middle + 1;
      else
        high = middle;
    }
    for (; low < r->waits->len && waits[low].block == block; low++) {
      if (--g_array_index (r->missing, uint32_t, waits[low].weak) > 0)
        continue;
      size_t i = g_array_index (r->weak, size_t, waits[low].weak);
      keeps[i] = 1;
      heap_graph_mark (r, h->weak[i + 2] - 1);
    }
    if (!heap_graph_spread (r, error))
      return false;
  }
  return true;
}

static int
by_block (const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

  return x < y ? -1 : x > y;
}

/* References of ephemerons to the values that they keep are put among the others. */
static bool
add_weak (HeapGraph *h, const uint8_t *keeps, GError **error)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, 2 * sizeof (uint32_t));

  for (size_t i = 0; i + 1 < h->n_weak; i += 2 + h->weak[i + 1])
    if (keeps[i]) {
      uint32_t edge[2] = { h->weak[i], h->weak[i + 2] - 1 };
      g_array_append_vals (edges, edge, 1);
    }
  if (edges->len == 0)
    return true;
  if ((uint64_t) h->n_edges + edges->len >= UINT32_MAX)
    return true; /* they are missing from what is retained, not from what is live */
  uint32_t *more = g_try_realloc_n (h->to, (gsize) h->n_edges + edges->len, sizeof *more);
  if (!more)
    return heap_room (&(void *){ NULL }, UINT64_MAX, 1, error);
  h->to = more;
  qsort (edges->data, edges->len, 2 * sizeof (uint32_t), by_block);
  const uint32_t *all = (const uint32_t *) (const void *) edges->data;
  uint32_t left = edges->len;
  for (uint32_t b = h->n_blocks; b-- > 0 && left > 0;) {
    uint32_t from = h->first[b], n = h->first[b + 1] - from;
    h->first[b + 1] += left;
    uint32_t own = left;
    while (own > 0 && all[2 * (own - 1)] == b)
      own--;
    memmove (&h->to[from + own], &h->to[from], n * sizeof *h->to);
    for (uint32_t k = own; k < left; k++)
      h->to[from + own + n + (k - own)] = all[2 * k + 1];
    left = own;
  }
  h->n_edges += edges->len;
  return true;
}

static bool
reach_all (Reach *r, uint8_t *keeps, GError **error)
{
  HeapGraph *h = r->h;

  heap_graph_await (r);
  for (uint32_t i = 0; i < h->n_roots; i++)
    heap_graph_mark (r, h->roots[i].block);
  if (!heap_graph_spread (r, error) || !spread_weak (r, keeps, error))
    return false;
  for (guint i = 0; i < r->waits->len; i++)
    h->live[g_array_index (r->waits, Wait, i).block] &= IS_LIVE;
  return true;
}

bool
heap_reach (HeapGraph *h, const TraceProgress *progress, GError **error)
{
  g_autoptr (GArray) weak = g_array_new (FALSE, FALSE, sizeof (size_t)),
                     missing = g_array_new (FALSE, FALSE, sizeof (uint32_t)),
                     waits = g_array_new (FALSE, FALSE, sizeof (Wait)),
                     woken = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  Reach r = { .h = h, .progress = progress, .weak = weak, .missing = missing, .waits = waits, .woken = woken };
  g_autofree uint8_t *keeps = NULL;

  if (h->live)
    return true;
  if (!make_tops (h, error) || heap_is_cancelled (progress, "what is reached", 0, error)
      || !heap_room (&r.stack, h->n_blocks, 4, error) || !heap_room (&h->live, h->n_blocks, 1, error)
      || !heap_room (&keeps, h->n_weak, 1, error) || !reach_all (&r, keeps, error)) {
    g_free (r.stack);
    g_clear_pointer (&h->live, g_free);
    return false;
  }
  g_free (r.stack);
  for (uint32_t b = 0; b < h->n_heap; b++) {
    HeapClass *c = &g_array_index (h->classes, HeapClass, h->class_of[b]);
    c->blocks++;
    c->words += h->words[b];
    c->live_blocks += h->live[b];
    c->live_words += h->live[b] ? h->words[b] : 0;
  }
  return add_weak (h, keeps, error);
}

/* ---- who reaches what ----------------------------------------------------------------------------------------------------------- */

#define SEVERAL UINT32_MAX

typedef struct Owning {
  const HeapGraph *h;
  uint32_t *owner; /* [n_blocks]: 0 nobody yet, a top, or SEVERAL */
  uint32_t *stack;
  uint64_t n, room, steps;
  const TraceProgress *progress;
} Owning;

/* A block changes twice at most: nobody, one, several. */
static bool
own (Owning *o, uint32_t block, uint32_t by, GError **error)
{
  uint32_t *is = &o->owner[block];

  if (*is == by || *is == SEVERAL)
    return true;
  *is = *is == 0 ? by : SEVERAL;
  if (o->n == o->room) {
    uint64_t more = o->room + o->room / 2 + 4096;
    uint32_t *stack = g_try_realloc_n (o->stack, more, sizeof *stack);
    if (!stack)
      return heap_room (&(void *){ NULL }, UINT64_MAX, 1, error);
    o->stack = stack;
    o->room = more;
  }
  o->stack[o->n++] = block;
  return true;
}

static bool
own_all (Owning *o, GError **error)
{
  const HeapGraph *h = o->h;

  for (uint32_t top = 1; top < h->tops->len; top++)
    for (uint32_t r = h->above_first[top]; r < h->above_first[top + 1]; r++)
      if (h->above_to[r] < h->n_blocks && !own (o, h->above_to[r], top, error))
        return false;
  while (o->n > 0) {
    uint32_t b = o->stack[--o->n];
    for (uint32_t e = h->first[b]; e < h->first[b + 1]; e++)
      if (!own (o, h->to[e], o->owner[b], error))
        return false;
    if ((++o->steps & LOOK) == 0
        && heap_is_cancelled (o->progress, "who reaches what", 0.5 * (double) o->steps / h->n_blocks, error))
      return false;
  }
  return true;
}

GArray *
heap_owners (const HeapGraph *h, const TraceProgress *progress, GError **error)
{
  Owning o = { .h = h, .progress = progress };
  GArray *kept = NULL;

  if (heap_room (&o.owner, h->n_blocks, 4, error) && own_all (&o, error)) {
    kept = g_array_new (FALSE, TRUE, sizeof (HeapKept));
    g_array_set_size (kept, h->tops->len);
    for (uint32_t b = 0; b < h->n_heap; b++)
      if (o.owner[b] != 0) {
        HeapKept *k = &g_array_index (kept, HeapKept, o.owner[b] == SEVERAL ? 0 : o.owner[b]);
        k->words += h->words[b];
        k->blocks++;
      }
  }
  g_free (o.owner);
  g_free (o.stack);
  return kept;
}

/* ---- ways from the top ------------------------------------------------------------------------------------------------------------ */

/* The way on which a search has come to a node, from the top down. */
static GArray *
way_to (const uint32_t *from, uint32_t top, uint32_t node)
{
  GArray *path = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (;; node = from[node]) {
    g_array_append_val (path, node);
    if (node == top)
      break;
  }
  for (guint i = 0; i < path->len / 2; i++) {
    uint32_t *a = &g_array_index (path, uint32_t, i), *b = &g_array_index (path, uint32_t, path->len - 1 - i), c = *a;
    *a = *b;
    *b = c;
  }
  return path;
}

static void
free_way (gpointer way)
{
  g_array_unref (way);
}

/* Breadth first from the top until `is` or `n` blocks of `class` are met. */
static GPtrArray *
heap_graph_search (const HeapGraph *h, uint32_t is, uint32_t class, guint n, const TraceProgress *progress,
                   GError **error)
{
  uint32_t nodes = heap_nodes (h), top = h->n_blocks, begin = 0, end = 1;
  g_autofree uint32_t *from = g_try_new (uint32_t, nodes), *queue = g_try_new (uint32_t, nodes);
  g_autoptr (GPtrArray) ways = g_ptr_array_new_with_free_func (free_way);

  if (!from || !queue || !h->tops) {
    heap_room (&(void *){ NULL }, UINT64_MAX, 1, error);
    return NULL;
  }
  memset (from, 0xff, nodes * sizeof *from);
  queue[0] = from[top] = top;
  while (begin < end && ways->len < n) {
    if ((begin & LOOK) == 0 && heap_is_cancelled (progress, "the shortest way", (double) begin / nodes, error))
      return NULL;
    uint32_t node = queue[begin++], above = node < h->n_blocks ? 0 : node - h->n_blocks;
    const uint32_t *first = node < h->n_blocks ? &h->first[node] : &h->above_first[above],
                   *to = node < h->n_blocks ? h->to : h->above_to;
    if (node == is || (node < h->n_heap && h->class_of[node] == class))
      g_ptr_array_add (ways, way_to (from, top, node));
    for (uint32_t e = first[0]; e < first[1]; e++)
      if (from[to[e]] == TRACE_NONE) {
        from[to[e]] = node;
        queue[end++] = to[e];
      }
  }
  return g_steal_pointer (&ways);
}

static GArray *
search_one (const HeapGraph *h, uint32_t is, uint32_t class, const TraceProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) ways = heap_graph_search (h, is, class, 1, progress, error);

  return ways && ways->len > 0 ? g_array_ref (ways->pdata[0]) : NULL;
}

GArray *
heap_path (const HeapGraph *h, uint32_t block, const TraceProgress *progress, GError **error)
{
  return search_one (h, block, TRACE_NONE, progress, error);
}

GArray *
heap_path_to_class (const HeapGraph *h, uint32_t class, const TraceProgress *progress, GError **error)
{
  return search_one (h, TRACE_NONE, class, progress, error);
}

GPtrArray *
heap_paths_to_class (const HeapGraph *h, uint32_t class, guint most, const TraceProgress *progress, GError **error)
{
  return heap_graph_search (h, TRACE_NONE, class, most, progress, error);
}

/* ---- references, and room that is not used ----------------------------------------------------------------------------------------- */

GArray *
heap_referrers (const HeapGraph *h, uint32_t block)
{
  GArray *from = g_array_new (FALSE, FALSE, sizeof (uint32_t));

  for (uint32_t b = 0; b < h->n_blocks; b++)
    for (uint32_t e = h->first[b]; e < h->first[b + 1]; e++)
      if (h->to[e] == block)
        g_array_append_val (from, b);
  for (uint32_t top = 0; h->tops && top < h->tops->len; top++)
    for (uint32_t e = h->above_first[top]; e < h->above_first[top + 1]; e++)
      if (h->above_to[e] == block) {
        uint32_t node = h->n_blocks + top;
        g_array_append_val (from, node);
      }
  return from;
}

static int
by_empty (gconstpointer a, gconstpointer b)
{
  const HeapFill *x = a, *y = b;
  uint64_t m = x->fields - x->filled, n = y->fields - y->filled;

  if (m != n)
    return m > n ? -1 : 1;
  return x->class < y->class ? -1 : x->class > y->class;
}

GArray *
heap_fills (const HeapGraph *h)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (HeapFill));
  guint n = 0;

  g_array_set_size (all, h->classes->len);
  for (uint32_t b = 0; b < h->n_heap; b++) {
    const char *name = g_array_index (h->classes, HeapClass, h->class_of[b]).name;
    if (!h->live[b] || h->tag[b] != 0 || (h->words[b] <= HEAP_MANY_FIELDS && !g_str_has_suffix (name, " array")))
      continue;
    HeapFill *f = &g_array_index (all, HeapFill, h->class_of[b]);
    f->class = h->class_of[b];
    f->blocks++;
    f->fields += h->words[b] - 1;
    f->filled += MIN (h->first[b + 1] - h->first[b], h->words[b] - 1);
  }
  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, HeapFill, i).blocks > 0)
      g_array_index (all, HeapFill, n++) = g_array_index (all, HeapFill, i);
  g_array_set_size (all, n);
  g_array_sort (all, by_empty);
  return all;
}

bool
heap_fill_pieces (const HeapGraph *h, GArray *pieces)
{
  uint32_t b = 0;
  bool fits = pieces->len > 0;

  for (guint i = 0; i < pieces->len; i++) { /* blocks are numbered in the order of addresses, as pieces are */
    HeapPiece *p = &g_array_index (pieces, HeapPiece, i);
    uint64_t used = p->words - p->free_words, so_far = 0;
    p->live_words = 0;
    for (; b < h->n_heap && so_far + h->words[b] <= used; b++) {
      so_far += h->words[b];
      p->live_words += h->live[b] ? h->words[b] : 0;
    }
    fits = fits && so_far == used;
  }
  return fits && b == h->n_heap;
}

uint32_t
heap_class_named (const HeapGraph *h, const char *name)
{
  uint32_t found = TRACE_NONE;

  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    if (g_str_equal (c->name, name) && (found == TRACE_NONE || c->live_blocks > 0))
      found = i;
  }
  return found;
}

const char *
heap_node_name (const HeapGraph *h, uint32_t node)
{
  if (node >= h->n_blocks)
    return g_array_index (h->tops, HeapTop, node - h->n_blocks).name;
  return g_array_index (h->classes, HeapClass, h->class_of[node]).name;
}

HeapSure
heap_node_sure (const HeapGraph *h, uint32_t node)
{
  return node >= h->n_blocks ? HEAP_EXACT : g_array_index (h->classes, HeapClass, h->class_of[node]).sure;
}
