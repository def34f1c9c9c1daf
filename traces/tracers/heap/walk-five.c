/* SPDX-License-Identifier: Apache-2.0 */
/* walk-five.c - the heap of a program of OCaml 5 that runs one domain: pools of slots of one size each, and blocks that
 * are too large for one. */
#include <fcntl.h>
#include <unistd.h>
#include "five.h"
#include "walk.h"

#define NOT_MARKED (UINT64_C (3) << 8) /* colour of static data */
#define NEAR 4096                      /* bytes: what lies so near is one chunk, as the memory between is there */
#define MAPS_BYTES 65536

typedef struct Piece { /* a pool, or the block behind the head of a large one */
  const uintptr_t *begin, *end;
} Piece;

/* ---- where blocks begin --------------------------------------------------------------------------------------------------- */

static void
walk_five_sink (Piece *a, size_t at, size_t n)
{
  for (size_t child; (child = 2 * at + 1) < n; at = child) {
    if (child + 1 < n && a[child + 1].begin > a[child].begin)
      child++;
    if (a[at].begin >= a[child].begin)
      return;
    Piece p = a[at];
    a[at] = a[child];
    a[child] = p;
  }
}

/* By address; qsort() may want memory. */
static void
sort_pieces (Piece *a, size_t n)
{
  for (size_t i = n / 2; i-- > 0;)
    walk_five_sink (a, i, n);
  for (size_t i = n; i-- > 1;) {
    Piece p = a[0];
    a[0] = a[i];
    a[i] = p;
    walk_five_sink (a, 0, i);
  }
}

/* Fills `pieces`, or counts them only where it is NULL. */
static size_t
list_pieces (const FiveHeap *heap, Piece *pieces)
{
  size_t n = 0;

  for (int kind = 0; kind < 4; kind++)
    for (int class = 0; class < FIVE_CLASSES; class ++)
      for (const FivePool *p = heap->pools[kind][class]; p; p = p->next, n++)
        if (pieces)
          pieces[n] = (Piece){ (const uintptr_t *) p, (const uintptr_t *) p + FIVE_POOL_WORDS };
  for (int kind = 0; kind < 2; kind++)
    for (const FiveLarge *l = heap->large[kind]; l; l = l->next, n++)
      if (pieces) {
        const uintptr_t *begin = (const uintptr_t *) (l + 1);
        pieces[n] = (Piece){ begin, begin + words_in (*begin) + 1 };
      }
  return n;
}

static void
set_start (Chunk *c, const uintptr_t *at)
{
  size_t word = (size_t) (at + 1 - c->begin);

  c->starts[word >> 6] |= UINT64_C (1) << (word & 63);
}

/* Slots without a header are free. */
static void
find_in_pool (Chunk *c, const FivePool *pool)
{
  const uintptr_t *begin = (const uintptr_t *) pool, *end = begin + FIVE_POOL_WORDS;
  size_t slot = five_class_words[pool->class], used = 0;

  for (const uintptr_t *at = begin + FIVE_POOL_HEAD + five_class_lost[pool->class]; at + slot <= end; at += slot)
    if (*at != 0) {
      set_start (c, at);
      used += words_in (*at) + 1;
    } else {
      c->free_blocks++;
    }
  c->free_words += FIVE_POOL_WORDS - used;
  c->words += FIVE_POOL_WORDS;
}

/* Sorted pieces that lie side by side, or nearly, are chunks. */
static uint32_t
join_pieces (const Piece *pieces, size_t n, Chunk *chunks)
{
  uint32_t k = 0;

  for (size_t i = 0; i < n; i++) {
    if (k > 0 && (const char *) pieces[i].begin - (const char *) chunks[k - 1].end < NEAR)
      chunks[k - 1].end = pieces[i].end;
    else
      chunks[k++] = (Chunk){ .begin = pieces[i].begin, .end = pieces[i].end };
  }
  return k;
}

static Chunk *
chunk_with (Walk *w, const void *at)
{
  uint32_t low = 0, high = w->n_chunks;

  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if ((const void *) w->chunks[middle].begin <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return &w->chunks[low - 1];
}

/* Memory of files that is written to: data of the program, of libraries, and of plug-ins. */
static bool
read_maps (Walk *w)
{
  int fd = open ("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char *text = out_pages (MAPS_BYTES);
  uint32_t room = 4096;
  size_t n = 0;
  ssize_t got;

  w->mapped = out_pages (room * sizeof *w->mapped);
  while (fd >= 0 && text && w->mapped && (got = read (fd, text + n, MAPS_BYTES - n)) > 0) {
    n += (size_t) got;
    size_t from = 0;
    for (size_t end = 0; end < n; end++) {
      if (text[end] != '\n')
        continue;
      uintptr_t bounds[2] = { 0 };
      size_t at = from;
      for (int i = 0; i < 2; i++, at++)
        for (; at < end && text[at] != '-' && text[at] != ' '; at++)
          bounds[i] = bounds[i] << 4 | (uintptr_t) (text[at] <= '9' ? text[at] - '0' : text[at] - 'a' + 10);
      bool is_file = false;
      for (size_t i = at; i < end; i++)
        is_file |= text[i] == '/';
      if (at + 1 < end && text[at + 1] == 'w' && is_file && w->n_mapped < room)
        w->mapped[w->n_mapped++] = (struct Mapped){ bounds[0], bounds[1] };
      from = end + 1;
    }
    for (size_t i = from; i < n; i++)
      text[i - from] = text[i];
    n -= from;
    if (n == MAPS_BYTES)
      break; /* no line is so long */
  }
  if (fd >= 0)
    close (fd);
  return text && w->mapped;
}

bool
five_blocks (Walk *w)
{
  const FiveHeap *heap = five_heap (w->s->runtime);
  size_t n = list_pieces (heap, NULL), groups = 0;
  Piece *pieces = out_pages ((n + 1) * sizeof *pieces);

  w->chunks = out_pages ((n + 1) * sizeof *w->chunks);
  if (!pieces || !w->chunks || !read_maps (w))
    return false;
  list_pieces (heap, pieces);
  sort_pieces (pieces, n);
  w->n_chunks = join_pieces (pieces, n, w->chunks);
  for (uint32_t i = 0; i < w->n_chunks; i++)
    groups += (size_t) (w->chunks[i].end - w->chunks[i].begin) / 64 + 1;
  uint64_t *starts = out_pages ((groups + 1) * sizeof *starts);
  uint32_t *rank = out_pages ((groups + 1) * sizeof *rank);
  if (!starts || !rank)
    return false;
  for (uint32_t i = 0; i < w->n_chunks; i++) {
    Chunk *c = &w->chunks[i];
    c->starts = starts;
    c->rank = rank;
    starts += (c->end - c->begin) / 64 + 1;
    rank += (c->end - c->begin) / 64 + 1;
  }
  for (int kind = 0; kind < 4; kind++)
    for (int class = 0; class < FIVE_CLASSES; class ++)
      for (const FivePool *p = heap->pools[kind][class]; p; p = p->next)
        find_in_pool (chunk_with (w, p), p);
  for (int kind = 0; kind < 2; kind++)
    for (const FiveLarge *l = heap->large[kind]; l; l = l->next) {
      Chunk *c = chunk_with (w, l + 1);
      set_start (c, (const uintptr_t *) (l + 1));
      c->free_words += sizeof *l / HEAP_WORD;
      c->words += sizeof *l / HEAP_WORD + words_in (*(const uintptr_t *) (l + 1)) + 1;
    }
  for (uint32_t i = 0; i < w->n_chunks; i++) {
    const Chunk *c = &w->chunks[i];
    for (size_t g = 0; g < (size_t) (c->end - c->begin) / 64 + 1; g++) {
      c->rank[g] = w->n_heap;
      w->n_heap += (uint32_t) __builtin_popcountll (c->starts[g]);
    }
    w->free_words += c->free_words;
    w->free_blocks += c->free_blocks;
  }
  out_alive (&w->out);
  return true;
}

bool
five_is_data (const Walk *w, uintptr_t at)
{
  for (uint32_t i = 0; i < w->n_mapped; i++)
    if (at - HEAP_WORD >= w->mapped[i].begin && at < w->mapped[i].end) {
      uintptr_t header = header_of ((Value) at);
      return (header & NOT_MARKED) == NOT_MARKED && words_in (header) <= (w->mapped[i].end - at) / HEAP_WORD;
    }
  return false;
}

/* ---- roots ------------------------------------------------------------------------------------------------------------------ */

typedef struct Scanning {
  Walk *walk;
  unsigned as;
  bool globals; /* of the program have begun: what comes behind is of plug-ins */
} Scanning;

static void
walk_five_on_root (void *data, Value v, Value *at)
{
  const Scanning *s = data;

  walk_root (s->walk, s->as, 0, v);
}

/* Roots of C come first, then what modules of the program refer to, which are roots themselves, then those of plug-ins.
 */
static void
on_global (void *data, Value v, Value *at)
{
  Scanning *s = data;

  if (walk_is_static (s->walk, (uintptr_t) at))
    s->globals = true;
  else
    walk_root (s->walk, s->globals ? HEAP_ROOT_DYNAMIC : HEAP_ROOT_C, 0, v);
}

void
five_roots (Walk *w)
{
  const Five *f = &w->s->runtime->five;
  uintptr_t *state = *w->s->runtime->state;
  Scanning s = { .walk = w };

  f->scan_c (on_global, &s);
  s.as = HEAP_ROOT_STACK;
  f->local_roots (walk_five_on_root, 0, &s, (void *) state[FIVE_LOCAL_ROOTS], (void *) state[FIVE_STACK],
                  (Value *) state[FIVE_REGISTERS]);
  s.as = HEAP_ROOT_FINALISED;
  f->final_roots (walk_five_on_root, 0, &s, state, 0);
  s.as = HEAP_ROOT_MEMPROF;
  f->memprof_roots (walk_five_on_root, 0, &s, state, false);
  s.as = HEAP_ROOT_HOOK;
  if (*f->scan_hook)
    (*f->scan_hook) (walk_five_on_root, 0, &s, state);
}

/* ---- ephemerons, and stacks that are suspended ---------------------------------------------------------------------------------- */

void
five_suspended (Walk *w, Value v)
{
  if (w->n_suspended == w->suspended_room) {
    uint32_t room = w->suspended_room > 0 ? 2 * w->suspended_room : 1024;
    Value *more = out_pages (room * sizeof *more);
    if (!more)
      return;
    for (uint32_t i = 0; i < w->n_suspended; i++)
      more[i] = w->suspended[i];
    w->suspended = more;
    w->suspended_room = room;
  }
  w->suspended[w->n_suspended++] = v;
}

typedef struct Holding {
  Walk *walk;
  Ephemerons *all;
  Value continuation;
} Holding;

/* What a suspended stack holds lives as long as its continuation does: as the value of an ephemeron of no keys. */
static void
on_held (void *data, Value v, Value *at)
{
  const Holding *h = data;
  unsigned nothing;

  if (v != 0 && !is_immediate (v) && walk_number (h->walk, v, &nothing) != UINT32_MAX)
    walk_weak (h->walk, h->all, h->continuation, &v, 1);
}

void
five_weak (Walk *w, Ephemerons *all)
{
  const FiveEphemerons *lists = (const FiveEphemerons *) (*w->s->runtime->state)[FIVE_EPHEMERONS];

  walk_ephemerons (w, all, lists->todo);
  walk_ephemerons (w, all, lists->live);
  for (uint32_t i = 0; i < w->n_suspended && !w->out.failed; i++) {
    Holding h = { w, all, w->suspended[i] };
    void *stack = (void *) (*(const Value *) w->suspended[i] & ~(Value) 1);
    if (stack)
      w->s->runtime->five.scan_stack (on_held, 0, &h, stack, NULL);
  }
}

void
five_info (Walk *w)
{
  const Runtime *r = w->s->runtime;
  const uintptr_t *state = *r->state;
  void *heap = five_heap (r);
  uintptr_t minor = state[FIVE_MINOR_WORDS] + (state[FIVE_YOUNG_END] - state[FIVE_YOUNG_POINTER]) / HEAP_WORD;

  out_format (&w->out, "minor_words %lu\npromoted_words %lu\nmajor_words %lu\nminor_collections %lu\n",
              (unsigned long) minor, (unsigned long) state[FIVE_PROMOTED_WORDS],
              (unsigned long) state[FIVE_MAJOR_WORDS], (unsigned long) *r->five.minors);
  out_format (&w->out, "major_collections %lu\nheap_words %lu\ntop_heap_words %lu\ncompactions %lu\nheap_chunks %lu\n",
              (unsigned long) *r->five.cycles, (unsigned long) (r->five.heap_size (heap) / HEAP_WORD),
              (unsigned long) r->five.top_heap_words (heap), (unsigned long) *r->five.compactions,
              (unsigned long) w->n_chunks);
}
