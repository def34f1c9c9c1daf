/* SPDX-License-Identifier: Apache-2.0 */
/* heap-more.c - what scope heap show tells when it is asked: one block and what refers to it, strings that are there
 * more than once, and the pieces of the heap. */
#include <inttypes.h>
#include "cli/heap.h"
#include "eve/words.h"

static void
heap_more_put_block (Json *j, GString *to, const HeapGraph *h, uint32_t block, uint64_t times)
{
  g_autofree char *name = text_clean (g_strdup (heap_node_name (h, block)));

  if (j) {
    json_open (j, NULL, '{');
    json_text (j, "name", heap_node_name (h, block));
    if (block < h->n_blocks)
      json_count (j, "block", block);
    json_count (j, "times", times);
    json_close (j, '}');
  } else if (block < h->n_blocks) {
    g_string_append_printf (to, "    %s #%u%s", name, block, block >= h->n_heap ? _ (" (static)") : "");
    if (times > 1)
      g_string_append_printf (to, _ (", %" PRIu64 " times"), times);
    g_string_append_c (to, '\n');
  } else {
    g_string_append_printf (to, "    %s\n", name);
  }
}

/* References that stand side by side to one block are told once. */
static void
put_references (Json *j, GString *to, const HeapGraph *h, const uint32_t *all, uint32_t n, int top)
{
  int told = 0;

  for (uint32_t i = 0; i < n && told < top; told++) {
    uint32_t k = i + 1;
    while (k < n && all[k] == all[i])
      k++;
    heap_more_put_block (j, to, h, all[i], k - i);
    i = k;
  }
  if (!j && n == 0)
    g_string_append (to, _ ("    nothing\n"));
}

bool
heap_tell_block (Json *j, GString *to, const HeapGraph *h, const char *which, int top)
{
  guint64 block;

  if (!g_ascii_string_to_unsigned (*which == '#' ? which + 1 : which, 10, 0, h->n_blocks > 0 ? h->n_blocks - 1 : 0,
                                   &block, NULL)
      || h->n_blocks == 0) {
    cli_fail (which, _ ("is no block of this snapshot: a block is # and its number, from #0 to #%u"),
              h->n_blocks > 0 ? h->n_blocks - 1 : 0);
    return false;
  }
  g_autoptr (GArray) from = heap_referrers (h, (uint32_t) block);
  const uint32_t *to_blocks = h->to + h->first[block], n = h->first[block + 1] - h->first[block];
  const char *name = heap_node_name (h, (uint32_t) block),
             *known = heap_sure_names[heap_node_sure (h, (uint32_t) block)];
  uint64_t words = block < h->n_heap ? h->words[block] : 0;
  const HeapFrame *place = NULL;
  for (guint i = 0; h->sites && i < h->sites->samples->len && !place; i++)
    if (g_array_index (h->sites->samples, HeapSample, i).block == block)
      place = heap_call (h->sites, g_array_index (h->sites->samples, HeapSample, i).stack, 0);
  if (j) {
    json_open (j, "block", '{');
    json_text (j, "name", name);
    json_text (j, "known", known);
    json_count (j, "number", block);
    json_count (j, "words", words);
    json_bool (j, "live", h->live[block]);
    if (h->place && h->place[block] != TRACE_NONE)
      json_count (j, "retained", h->retained[h->place[block]]);
    if (place) {
      json_text (j, "allocated_in", place->file);
      json_count (j, "line", place->line);
    }
    json_open (j, "refers_to", '[');
    put_references (j, to, h, to_blocks, n, top);
    json_close (j, ']');
    json_open (j, "referred_from", '[');
    put_references (j, to, h, (const uint32_t *) (const void *) from->data, from->len, top);
    json_close (j, ']');
    json_close (j, '}');
    return true;
  }
  g_autofree char *clean = text_clean (g_strdup (name)), *own = heap_threes (words);
  g_string_append_printf (to, _ ("\nBlock #%u: %s (%s), %s words, %s"), (unsigned) block, clean, known, own,
                          h->live[block] ? _ ("live") : _ ("garbage"));
  if (h->place && h->place[block] != TRACE_NONE) {
    g_autofree char *retained = heap_threes (h->retained[h->place[block]]);
    g_string_append_printf (to, _ (", retains %s"), retained);
  }
  if (place)
    g_string_append_printf (to, _ (", allocated in %s:%u"), place->file ? place->file : "?", place->line);
  g_string_append (to, _ ("\n  refers to\n"));
  put_references (NULL, to, h, to_blocks, n, top);
  g_string_append (to, _ ("  is referred to by\n"));
  put_references (NULL, to, h, (const uint32_t *) (const void *) from->data, from->len, top);
  return true;
}

bool
heap_tell_strings (Json *j, GString *to, const HeapGraph *h, const char *path, int top)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) all = heap_duplicates (h, path, &error);
  uint64_t saved = 0;

  if (!all) {
    cli_fail_error (path, error);
    return false;
  }
  for (guint i = 0; i < all->len; i++) {
    const HeapText *t = all->pdata[i];
    saved += (t->copies - 1) * t->words;
  }
  Table *table = j ? NULL : table_new ("rrrl");
  if (j) {
    json_count (j, "duplicate_words", saved);
    json_open (j, "duplicates", '[');
  } else {
    g_autofree char *words = heap_threes (saved), *n = heap_threes (all->len);
    g_string_append_printf (to, _ ("\nStrings that are there more than once: %s of them, and %s words of copies\n"), n,
                            words);
    table_row (table, _ ("words of copies"), _ ("copies"), _ ("words of each"), _ ("begins"));
  }
  for (guint i = 0; i < all->len && i < (guint) top; i++) {
    const HeapText *t = all->pdata[i];
    if (j) {
      json_open (j, NULL, '{');
      json_text (j, "begins", t->text);
      json_count (j, "copies", t->copies);
      json_count (j, "words", t->words);
      json_count (j, "block", t->block);
      json_close (j, '}');
      continue;
    }
    g_autofree char *wasted = heap_threes ((t->copies - 1) * t->words), *copies = heap_threes (t->copies),
                    *each = heap_threes (t->words), *text = text_clean (g_strdup (t->text));
    table_cell (table, "%s", wasted);
    table_cell (table, "%s", copies);
    table_cell (table, "%s", each);
    table_cell (table, "%s", text);
  }
  if (j)
    json_close (j, ']');
  else
    table_print (table, 2, to);
  return true;
}

bool
heap_tell_pieces (Json *j, GString *to, const char *path, int top)
{
  GError *error = NULL;
  g_autoptr (GArray) all = heap_pieces (path, &error);

  if (!all) {
    cli_fail_error (path, error);
    return false;
  }
  Table *table = j ? NULL : table_new ("lrrrr");
  if (j) {
    json_open (j, "pieces", '[');
  } else {
    g_string_append (to, _ ("\nPieces of the heap, by address:\n"));
    table_row (table, _ ("address"), _ ("words"), _ ("free"), "%", _ ("in so many pieces"));
  }
  for (guint i = 0; i < all->len && i < (guint) top; i++) {
    const HeapPiece *p = &g_array_index (all, HeapPiece, i);
    double share = p->words > 0 ? 100.0 * (double) p->free_words / (double) p->words : 0;
    if (j) {
      g_autofree char *address = g_strdup_printf ("%" PRIx64, p->address);
      json_open (j, NULL, '{');
      json_text (j, "address", address);
      json_count (j, "words", p->words);
      json_count (j, "free_words", p->free_words);
      json_count (j, "free_blocks", p->free_blocks);
      json_close (j, '}');
      continue;
    }
    g_autofree char *words = heap_threes (p->words), *unused = heap_threes (p->free_words),
                    *blocks = heap_threes (p->free_blocks);
    table_cell (table, "%" PRIx64, p->address);
    table_cell (table, "%s", words);
    table_cell (table, "%s", unused);
    table_decimal (table, share, 1);
    table_cell (table, "%s", blocks);
  }
  if (j) {
    json_close (j, ']');
  } else {
    table_print (table, 2, to);
    if (all->len > (guint) top)
      g_string_append_printf (to, _ ("  %d of %u pieces\n"), top, all->len);
  }
  return true;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------------- */

void
heap_tell_arrays (Json *j, GString *to, const HeapGraph *h, int top)
{
  g_autoptr (GArray) all = heap_fills (h);
  Table *table = j ? NULL : table_new ("rrrrl");
  if (j) {
    json_open (j, "arrays", '[');
  } else {
    g_string_append_printf (to, _ ("\nArrays, and blocks of %d fields and more: how many fields refer to a block\n"),
                            HEAP_MANY_FIELDS);
    table_row (table, _ ("fields"), _ ("that do"), "%", _ ("blocks"), _ ("class"));
  }
  for (guint i = 0; i < all->len && i < (guint) top; i++) {
    const HeapFill *f = &g_array_index (all, HeapFill, i);
    const char *class = g_array_index (h->classes, HeapClass, f->class).name;
    if (j) {
      json_open (j, NULL, '{');
      json_text (j, "name", class);
      json_count (j, "blocks", f->blocks);
      json_count (j, "fields", f->fields);
      json_count (j, "filled", f->filled);
      json_close (j, '}');
      continue;
    }
    g_autofree char *fields = heap_threes (f->fields), *filled = heap_threes (f->filled), *n = heap_threes (f->blocks),
                    *name = text_clean (g_strdup (class));
    table_cell (table, "%s", fields);
    table_cell (table, "%s", filled);
    table_decimal (table, 100.0 * (double) f->filled / (double) MAX (f->fields, 1), 1);
    table_cell (table, "%s", n);
    table_cell (table, "%s", name);
  }
  if (j)
    json_close (j, ']');
  else
    table_print (table, 2, to);
}
