/* SPDX-License-Identifier: Apache-2.0 */
/* heap-types-fuzz.c - any text as the file of types beside a snapshot (docs/heap-types.md); behind its first zero byte,
 * which blocks there are: tag, size, how many references, and these, a byte each. */
#include <string.h>
#include "readers/heap.h"
#include "readers/heap/format.h"
#include "tests/fuzz/folder.h"

#define MOST_BLOCKS 64u

static void
put_number (GByteArray *to, uint64_t v)
{
  for (; v >= 128; v >>= 7)
    g_byte_array_append (to, &(guint8){ (guint8) (v & 127) | 128 }, 1);
  g_byte_array_append (to, &(guint8){ (guint8) v }, 1);
}

static void
put_text (GByteArray *to, const char *text)
{
  put_number (to, strlen (text));
  g_byte_array_append (to, (const guint8 *) text, (guint) strlen (text));
}

static void
put_section (GByteArray *to, uint32_t kind, uint32_t count, const GByteArray *bytes)
{
  HeapSection s = { .kind = kind, .bytes = bytes->len, .count = count, .check = heap_check (bytes->data, bytes->len) };

  g_byte_array_append (to, (const guint8 *) &s, sizeof s);
  if (bytes->len > 0)
    g_byte_array_append (to, bytes->data, bytes->len);
}

static uint64_t
zigzag (int64_t d)
{
  return (uint64_t) d << 1 ^ (uint64_t) (d >> 63);
}

/* Block 0 is that of the module Made; of each closure it is known where its function stands. */
static void
write_snapshot (const uint8_t *at, size_t n)
{
  g_autoptr (GByteArray) file = g_byte_array_new (), blocks = g_byte_array_new (), roots = g_byte_array_new (),
                         symbols = g_byte_array_new (), frames = g_byte_array_new (), stacks = g_byte_array_new (),
                         sites = g_byte_array_new ();
  uint32_t n_blocks = 0, n_sites = 0, last = 0;
  size_t heads[MOST_BLOCKS];

  for (size_t i = 0; i + 3 <= n && n_blocks < MOST_BLOCKS && i + 3 + at[i + 2] % 16 <= n; i += 3u + at[i + 2] % 16)
    heads[n_blocks++] = i;
  for (uint32_t b = 0; b < n_blocks; b++) {
    const uint8_t *block = at + heads[b];
    uint8_t tag = block[0];
    uint32_t head = tag == HEAP_TAG_CLOSURE ? 2 : 0, n_to = MIN (block[2] % 16, block[1]), size = block[1] + 2 * head;
    put_number (blocks, 0);
    g_byte_array_append (blocks, &tag, 1);
    put_number (blocks, size);
    if (tag == HEAP_TAG_CLOSURE) {
      put_number (blocks, 0);
      put_number (blocks, head);
      size -= head;
      put_number (sites, zigzag ((int64_t) b - last));
      put_number (sites, 1);
      put_number (sites, 1);
      last = b;
      n_sites++;
    } else if (tag == HEAP_TAG_CUSTOM) {
      put_number (blocks, 0);
      put_number (blocks, 0);
    }
    for (uint32_t i = 0; i < n_to && tag < HEAP_TAG_ABSTRACT; i++)
      put_number (blocks, zigzag ((int64_t) (block[3 + i] % n_blocks) - b) << 2 | HEAP_BLOCK);
    if (tag < HEAP_TAG_ABSTRACT && size > n_to)
      put_number (blocks, 0);
  }
  if (n_blocks > 0) {
    g_byte_array_append (roots, &(guint8){ HEAP_ROOT_GLOBAL }, 1);
    put_number (roots, 1);
    put_number (roots, 0);
  }
  put_number (symbols, 1);
  put_text (symbols, "camlMade");
  for (int i = 0; i < 4; i++) /* number, line, from, to */
    put_number (frames, i < 2 ? 1 : (uint64_t) (5 * (i - 2)));
  put_text (frames, "Made.f");
  put_text (frames, "made.ml");
  put_number (stacks, 1);
  put_number (stacks, 1);

  g_autofree char *info = g_strdup_printf ("program /made\nnumber 1\nsample_words 1\nheap_blocks %u\n", n_blocks);
  g_autoptr (GByteArray) head = g_byte_array_new (), end = g_byte_array_new ();
  g_byte_array_append (head, (const guint8 *) info, (guint) strlen (info));
  g_byte_array_append (end, (const guint8 *) "static_blocks 0\n", 16);
  g_byte_array_append (file, (const guint8 *) HEAP_MAGIC, HEAP_MAGIC_BYTES);
  put_section (file, HEAP_INFO, 0, head);
  put_section (file, HEAP_ROOTS, n_blocks > 0, roots);
  put_section (file, HEAP_BLOCKS, n_blocks, blocks);
  put_section (file, HEAP_SYMBOLS, 1, symbols);
  put_section (file, HEAP_FRAMES, 1, frames);
  put_section (file, HEAP_STACKS, 1, stacks);
  put_section (file, HEAP_SITES, n_sites, sites);
  put_section (file, HEAP_END, 0, end);
  fuzz_write ("a.heap", file->data, file->len);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  /* a module of sixteen values, of all tags that have a meaning, which refer to each other */
  static const uint8_t usual[] = { 0, 16, 13, 1, 2, 3,   4, 5,  6, 7,  8,   9, 10, 11, 12,  13, /* the module */
                                   0, 2,  1,  2, 1, 2,   2, 3,  4, 2,  1,   1, 5,  0,  3,   3,  1, 6,   7, 0,
                                   4, 2,  8,  9, 0, 5,   3, 10, 1, 2,  3,   3, 3,  11, 12,  13, 0, 2,   2, 2,
                                   9, 1,  1,  1, 8, 247, 2, 2,  1, 11, 247, 1, 1,  4,  252, 9,  0, 253, 1, 0 };
  static unsigned turn; /* what was read last is kept by its path: it is another each time */
  const uint8_t *zero = size > 0 ? memchr (data, 0, size) : NULL;
  size_t text = zero ? (size_t) (zero - data) : size;
  g_autoptr (GString) types = g_string_new ("scope-types 1\n");
  g_autoptr (GError) error = NULL;
  g_autofree char *path = fuzz_path ("a.heap"), *folder = NULL, *snapshot = NULL, *of_types = NULL;

  if (zero && size - text > 1)
    write_snapshot (zero + 1, size - text - 1);
  else
    write_snapshot (usual, sizeof usual);
  g_string_append_len (types, (const char *) data, (gssize) text);
  folder = g_strdup_printf ("%s/%u", fuzz_folder, turn++ & 1);
  snapshot = g_build_filename (folder, "a.heap", NULL);
  of_types = g_build_filename (folder, HEAP_TYPES, NULL);
  g_mkdir (folder, 0700);
  CHECK (g_rename (path, snapshot) == 0);
  CHECK (g_file_set_contents_full (of_types, types->str, (gssize) types->len, G_FILE_SET_CONTENTS_NONE, 0600, NULL));

  HeapGraph *h = heap_open (snapshot, NULL, &error);
  CHECK (h && !error);
  for (guint i = 0; i < h->damage->len; i++)
    fuzz_text (h->damage->pdata[i]);
  for (guint i = 0; i < h->classes->len; i++) {
    const HeapClass *c = &g_array_index (h->classes, HeapClass, i);
    fuzz_text (c->name);
    CHECK (strlen (c->name) < 2000 && c->sure < N_HEAP_SURE);
    g_autofree char *module = heap_class_module (c->name);
    fuzz_text (module);
  }
  for (uint32_t b = 0; b < h->n_blocks; b++)
    CHECK (h->class_of[b] < h->classes->len);
  CHECK (heap_dominate (h, NULL, &error));
  heap_free (h);
  g_unlink (snapshot);
  g_unlink (of_types);
  g_rmdir (folder);
  return 0;
}
