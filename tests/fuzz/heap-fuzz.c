/* SPDX-License-Identifier: Apache-2.0 */
/* heap-fuzz.c - any bytes as a heap snapshot.  Sums of sections are made good first, so that what is in them is
 * reached. */
#include <string.h>
#include "readers/heap.h"
#include "readers/heap/format.h"
#include "tests/fuzz/folder.h"

static void
make_good (uint8_t *bytes, size_t n)
{
  HeapSection s;

  for (size_t at = HEAP_MAGIC_BYTES; at < n && n - at >= sizeof s; at += sizeof s + s.bytes) {
    memcpy (&s, bytes + at, sizeof s);
    if (s.bytes > n - at - sizeof s)
      return;
    if (s.reserved != 0) /* kept as it is: damaged */
      continue;
    s.check = heap_check (bytes + at + sizeof s, s.bytes);
    memcpy (bytes + at, &s, sizeof s);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree uint8_t *bytes = g_memdup2 (data, size > 0 ? size : 1);
  g_autofree char *path = fuzz_path ("a.heap");
  g_autoptr (GError) error = NULL;

  make_good (bytes, size);
  fuzz_write ("a.heap", bytes, size);
  heap_is_whole (path);
  HeapGraph *h = heap_open (path, NULL, &error);
  if (!h) {
    CHECK (error);
    fuzz_text (error->message);
    return 0;
  }
  for (guint i = 0; i < h->damage->len; i++)
    fuzz_text (h->damage->pdata[i]);
  for (uint32_t b = 0; b < h->n_blocks; b++)
    CHECK (h->first[b] <= h->first[b + 1] && h->class_of[b] < h->classes->len);
  for (uint32_t e = 0; e < h->n_edges; e++)
    CHECK (h->to[e] < h->n_blocks);
  CHECK (heap_dominate (h, NULL, &error));
  uint64_t live = 0;
  for (uint32_t b = 0; b < h->n_heap; b++)
    live += h->live[b] ? h->words[b] : 0;
  CHECK (h->retained[0] == live);
  HeapTree *tree = heap_tree_new (h);
  for (uint32_t place = 0; place < h->n_places; place++) {
    uint32_t n;
    const uint32_t *below = heap_tree_below (tree, place, &n);
    for (uint32_t i = 0; i < n; i++)
      CHECK (below[i] > place && h->retained[below[i]] <= h->retained[place]);
    fuzz_text (heap_node_name (h, h->node[place]));
  }
  heap_tree_free (tree);
  if (h->n_blocks > 0) {
    GArray *way = heap_path (h, h->n_blocks - 1, NULL, NULL);
    CHECK (!way == !h->live[h->n_blocks - 1]);
    if (way)
      g_array_unref (way);
  }
  heap_free (h);
  return 0;
}
