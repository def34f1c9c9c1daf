/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - a snapshot tells most things twice: what is counted in its head and its end, and what is in it. */
#include "eve/words.h"
#include "readers/heap/private.h"

typedef struct Comparing {
  GHashTable *info;
  GPtrArray *to;
} Comparing;

/* A number that is told must be what is there; one that is not told is no fault unless it must be. */
static void
compare_two_heaps (Comparing *c, const char *key, const char *what, uint64_t there, bool must)
{
  const char *text = g_hash_table_lookup (c->info, key);
  uint64_t told = heap_number (c->info, key, UINT64_MAX);

  if (told == UINT64_MAX && (must || text))
    g_ptr_array_add (c->to, g_strdup_printf (_ ("%s, which counts %s, is not told"), key, what));
  else if (told != UINT64_MAX && told != there)
    g_ptr_array_add (c->to,
                     g_strdup_printf (_ ("%s says %" PRIu64 ", and %" PRIu64 " %s are there"), key, told, there, what));
}

bool
heap_compare (const HeapGraph *h, const char *path, GPtrArray *to, GError **error)
{
  Comparing c = { h->info, to };
  g_autoptr (GArray) pieces = heap_pieces (path, error);
  uint64_t words = 0, all = 0, unused = 0, n_unused = 0;

  if (!pieces)
    return false;
  for (uint32_t b = 0; b < h->n_heap; b++)
    words += h->words[b];
  for (guint i = 0; i < pieces->len; i++) {
    const HeapPiece *p = &g_array_index (pieces, HeapPiece, i);
    all += p->words;
    unused += p->free_words;
    n_unused += p->free_blocks;
  }
  /* which blocks are those of the heap, heap_blocks alone says: it is held against what is said of the others */
  uint64_t statics = heap_number (h->info, "static_blocks", h->n_blocks - h->n_heap);
  compare_two_heaps (&c, "heap_blocks", _ ("blocks that are not static"), h->n_blocks - MIN (statics, h->n_blocks),
                     true);
  compare_two_heaps (&c, "heap_words", _ ("words of blocks and free ones"),
                     words + heap_number (h->info, "free_words", 0), true);
  compare_two_heaps (&c, "heap_block_words", _ ("words of blocks"), words, false);
  compare_two_heaps (&c, "static_blocks", _ ("static blocks"), h->n_blocks - h->n_heap, false);
  compare_two_heaps (&c, "outside", _ ("fields that lead outside"), h->nothing[HEAP_OUTSIDE], false);
  compare_two_heaps (&c, "atoms", _ ("fields that lead to an atom"), h->nothing[HEAP_ATOM], false);
  compare_two_heaps (&c, "dangling", _ ("fields that lead to what is no more"), h->nothing[HEAP_DANGLING], false);
  if (pieces->len > 0) {
    compare_two_heaps (&c, "heap_words", _ ("words of pieces of the heap"), all, true);
    compare_two_heaps (&c, "heap_chunks", _ ("pieces of the heap"), pieces->len, false);
    compare_two_heaps (&c, "free_words", _ ("free words in pieces of the heap"), unused, false);
    compare_two_heaps (&c, "free_blocks", _ ("free blocks in pieces of the heap"), n_unused, false);
  }
  if (h->sites && h->sites->samples->len > 0 && heap_number (h->info, "sample_words", 0) == 0)
    g_ptr_array_add (to, g_strdup (_ ("sample_words, how many words each sample stands for, is not told")));
  return true;
}
