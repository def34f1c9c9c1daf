/* SPDX-License-Identifier: Apache-2.0 */
/* heap-sites.c - what commands tell of where blocks were allocated, as sampling estimates it. */
#include <math.h>
#include "cli/heap.h"
#include "eve/words.h"

static uint64_t
error_of (const HeapSite *s)
{
  return (uint64_t) llround ((double) s->words / sqrt ((double) s->taken));
}

void
heap_json_sites (Json *j, const HeapGraph *h, HeapBy by, int top)
{
  g_autoptr (GArray) sites = heap_sites (h, by);

  json_open (j, "sites", '[');
  for (guint i = 0; i < sites->len && i < (guint) top; i++) {
    const HeapSite *s = &g_array_index (sites, HeapSite, i);
    json_open (j, NULL, '{');
    json_text (j, "name", s->name);
    json_text (j, "function", s->frame ? s->frame->function : NULL);
    if (by == HEAP_BY_SITE) {
      json_text (j, "source", s->frame ? s->frame->file : NULL);
      json_count (j, "line", s->frame ? s->frame->line : 0);
    }
    json_count (j, "live_words", s->words);
    json_count (j, "error_words", error_of (s));
    json_count (j, "samples", s->taken);
    json_count (j, "sampled_blocks", s->blocks);
    json_count (j, "live_blocks", (uint64_t) llround (s->whole_blocks));
    json_text (j, "class", g_array_index (h->classes, HeapClass, s->class).name);
    json_text (j, "known", heap_sure_names[g_array_index (h->classes, HeapClass, s->class).sure]);
    json_count (j, "samples_of_class", s->of_class);
    json_close (j, '}');
  }
  json_close (j, ']');
}

void
heap_print_sites (GString *to, const HeapGraph *h, uint64_t live_words, HeapBy by, int top)
{
  g_autoptr (GArray) sites = heap_sites (h, by);
  uint64_t each = heap_number (h->info, "sample_words", 0);
  g_autofree char *of = heap_threes (each);

  if (sites->len == 0)
    return;
  g_string_append_printf (to, _ ("\nWhere what lives was allocated, estimated from one word of %s:\n"), of);
  Table *table = table_new ("rrrrll");
  table_row (table, _ ("live words"), _ ("give or take"), "%", _ ("samples"), _ ("place"), _ ("mostly"));
  for (guint i = 0; i < sites->len && i < (guint) top; i++) {
    const HeapSite *s = &g_array_index (sites, HeapSite, i);
    g_autofree char *name = text_clean (g_strdup (s->name)), *words = heap_threes (s->words),
                    *error = heap_threes (error_of (s)), *taken = heap_threes (s->taken);
    table_cell (table, "%s", words);
    table_cell (table, "%s", error);
    table_decimal (table, live_words > 0 ? 100.0 * (double) s->words / (double) live_words : 0, 1);
    table_cell (table, "%s", taken);
    table_cell (table, "%s", name);
    g_autofree char *class = text_clean (g_strdup (g_array_index (h->classes, HeapClass, s->class).name));
    table_cell (table, "%s", class);
  }
  table_print (table, 2, to);
  if (sites->len > (guint) top)
    g_string_append_printf (to, _ ("  %d of %u places\n"), top, sites->len);
}

void
heap_fold_sites (GString *to, const HeapGraph *h)
{
  uint64_t each = heap_number (h->info, "sample_words", 0);

  for (guint i = 0; h->sites && i < h->sites->samples->len; i++) {
    const HeapSample *s = &g_array_index (h->sites->samples, HeapSample, i);
    uint32_t depth = 0;
    if (!h->live[s->block])
      continue;
    while (heap_call (h->sites, s->stack, depth))
      depth++;
    if (depth == 0)
      g_string_append (to, "C, or code without places");
    for (uint32_t d = depth; d-- > 0;) {
      const HeapFrame *f = heap_call (h->sites, s->stack, d);
      g_autofree char *name = text_clean (
          g_strdup_printf ("%s (%s:%u)", f->function ? f->function : "?", f->file ? f->file : "?", f->line));
      g_strdelimit (name, ";", ',');
      g_string_append_printf (to, "%s%s", name, d > 0 ? ";" : "");
    }
    g_string_append_printf (to, " %" G_GUINT64_FORMAT "\n", s->taken * each);
  }
}
