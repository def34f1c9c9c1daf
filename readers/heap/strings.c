/* SPDX-License-Identifier: Apache-2.0 */
/* strings.c - what a snapshot holds besides its graph, and is read when it is asked for: strings that are there more
 * than once, and pieces of the heap. */
#include <string.h>
#include "readers/heap/private.h"

/* ---- strings that say the same ---------------------------------------------------------------------------------------------- */

typedef struct Finding {
  const HeapGraph *h;
  GHashTable *by_hash; /* hash and words -> HeapText */
} Finding;

static void
free_text (gpointer p)
{
  g_free (((HeapText *) p)->text);
  g_free (p);
}

static void
find_strings (void *arg, Bytes b, uint32_t count)
{
  Finding *f = arg;
  uint64_t id = 0;

  for (uint32_t i = 0; i < count; i++) {
    uint32_t hash;
    id += heap_get_number (&b);
    uint64_t n = heap_get_number (&b);
    if (b.over || n + sizeof hash > (uint64_t) (b.end - b.at))
      return; /* told when the graph was read */
    memcpy (&hash, b.at, sizeof hash);
    b.at += sizeof hash;
    if (id < f->h->n_heap && f->h->live[id] && f->h->tag[id] == HEAP_TAG_STRING) {
      uint64_t key = (uint64_t) f->h->words[id] << 32 | hash;
      HeapText *t = g_hash_table_lookup (f->by_hash, &key);
      if (!t) {
        t = g_new0 (HeapText, 1);
        t->words = f->h->words[id];
        t->block = (uint32_t) id;
        g_autofree char *text = g_strndup ((const char *) b.at, n);
        t->text = g_utf8_make_valid (text, -1);
        g_hash_table_insert (f->by_hash, g_memdup2 (&key, sizeof key), t);
      }
      t->copies++;
    }
    b.at += n;
  }
}

static int
by_wasted (gconstpointer a, gconstpointer b)
{
  const HeapText *x = *(HeapText *const *) a, *y = *(HeapText *const *) b;
  uint64_t m = (x->copies - 1) * x->words, n = (y->copies - 1) * y->words;

  if (m != n)
    return m > n ? -1 : 1;
  return x->block < y->block ? -1 : x->block > y->block;
}

GPtrArray *
heap_duplicates (const HeapGraph *h, const char *path, GError **error)
{
  g_autoptr (GHashTable) all = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  Finding f = { h, all };
  bool ok = heap_each_section (path, HEAP_STRINGS, find_strings, &f, error);
  GPtrArray *several = g_ptr_array_new_with_free_func (free_text);
  GHashTableIter at;
  gpointer text;

  g_hash_table_iter_init (&at, all);
  while (g_hash_table_iter_next (&at, NULL, &text))
    if (ok && ((HeapText *) text)->copies > 1)
      g_ptr_array_add (several, text);
    else
      free_text (text);
  g_ptr_array_sort (several, by_wasted);
  if (!ok)
    g_clear_pointer (&several, g_ptr_array_unref);
  return several;
}

/* ---- pieces of the heap ------------------------------------------------------------------------------------------------------- */

static void
find_pieces (void *arg, Bytes b, uint32_t count)
{
  GArray *all = arg;
  g_autofree char *text = g_strndup ((const char *) b.at, (gsize) (b.end - b.at));
  char *at = text;

  while (*at) {
    char *end = at + strcspn (at, "\n");
    HeapPiece p = { 0 };
    p.address = g_ascii_strtoull (at, &at, 16);
    p.words = g_ascii_strtoull (at, &at, 10);
    p.free_words = g_ascii_strtoull (at, &at, 10);
    p.free_blocks = g_ascii_strtoull (at, &at, 10);
    if (at == end && p.free_words <= p.words)
      g_array_append_val (all, p);
    at = *end ? end + 1 : end;
  }
}

GArray *
heap_pieces (const char *path, GError **error)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (HeapPiece));

  if (!heap_each_section (path, HEAP_CHUNKS, find_pieces, all, error))
    g_clear_pointer (&all, g_array_unref);
  return all;
}
