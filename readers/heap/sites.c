/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - where blocks were allocated, of those that were sampled: sections FRAMES, STACKS and SITES of a snapshot.
 */
#include <string.h>
#include "eve/words.h"
#include "readers/heap/private.h"

#define MOST_FRAMES 4000000u
#define MOST_DEPTH 4096

static char *
get_text (Bytes *b)
{
  uint64_t n = heap_get_number (b);

  if (b->over || n > (uint64_t) (b->end - b->at)) {
    b->over = true;
    return NULL;
  }
  g_autofree char *text = g_strndup ((const char *) b->at, n);
  b->at += n;
  return g_utf8_make_valid (text, -1);
}

static void
heap_sites_get_frames (HeapSites *s, Bytes b, uint32_t count, HeapGraph *h)
{
  for (uint32_t i = 0; i < count; i++) {
    uint64_t number = heap_get_number (&b);
    HeapFrame f = { .line = (uint32_t) heap_get_number (&b) };
    f.from = (uint32_t) heap_get_number (&b);
    f.to = (uint32_t) heap_get_number (&b);
    f.function = get_text (&b);
    f.file = get_text (&b);
    if (b.over || number == 0 || number > MOST_FRAMES || number > s->frames->len + (uint64_t) 65536) {
      heap_damaged (h, _ ("a section of calls ends inside of one, or makes no sense"));
      g_free (f.function);
      g_free (f.file);
      return;
    }
    if (number >= s->frames->len)
      g_array_set_size (s->frames, (guint) number + 1);
    HeapFrame *at = &g_array_index (s->frames, HeapFrame, number);
    g_free (at->function);
    g_free (at->file);
    *at = f;
  }
  heap_behind (h, &b, N_ ("calls"));
}

static void
get_stacks (HeapSites *s, Bytes b, uint32_t count, HeapGraph *h)
{
  for (uint32_t i = 0; i < count; i++) {
    uint64_t n = heap_get_number (&b);
    if (b.over || n > MOST_DEPTH || n > (uint64_t) (b.end - b.at)) {
      heap_damaged (h, _ ("a section of stacks ends inside of one, or makes no sense"));
      return;
    }
    for (uint64_t k = 0; k < n; k++) {
      uint64_t number = heap_get_number (&b);
      uint32_t frame = (uint32_t) MIN (number, UINT32_MAX);
      g_array_append_val (s->calls, frame);
    }
    g_array_append_val (s->first, s->calls->len);
  }
  heap_behind (h, &b, N_ ("stacks"));
}

static void
get_sites (HeapSites *s, Bytes b, uint32_t count, HeapGraph *h)
{
  uint64_t block = 0;

  for (uint32_t i = 0; i < count; i++) {
    uint64_t delta = heap_get_number (&b), stack = heap_get_number (&b), taken = heap_get_number (&b);
    block += delta >> 1 ^ -(delta & 1);
    if (b.over || block >= h->n_blocks || stack == 0 || stack > UINT32_MAX || taken == 0 || taken > UINT32_MAX) {
      heap_damaged (h, _ ("a section of places where blocks were allocated ends inside of one, or makes no sense"));
      return;
    }
    g_array_append_val (s->samples, ((HeapSample){ (uint32_t) block, (uint32_t) stack - 1, (uint32_t) taken }));
  }
  heap_behind (h, &b, N_ ("places"));
}

void
heap_sites_section (HeapGraph *h, uint32_t kind, Bytes b, uint32_t count)
{
  if (!h->sites) {
    const uint32_t none = 0;
    h->sites = g_new0 (HeapSites, 1);
    h->sites->frames = g_array_new (FALSE, TRUE, sizeof (HeapFrame));
    h->sites->calls = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    h->sites->first = g_array_new (FALSE, FALSE, sizeof (uint32_t));
    h->sites->samples = g_array_new (FALSE, FALSE, sizeof (HeapSample));
    g_array_append_val (h->sites->first, none);
  }
  if (kind == HEAP_FRAMES)
    heap_sites_get_frames (h->sites, b, count, h);
  else if (kind == HEAP_STACKS)
    get_stacks (h->sites, b, count, h);
  else
    get_sites (h->sites, b, count, h);
}

void
heap_sites_free (HeapSites *s)
{
  if (!s)
    return;
  for (guint i = 0; i < s->frames->len; i++) {
    g_free (g_array_index (s->frames, HeapFrame, i).function);
    g_free (g_array_index (s->frames, HeapFrame, i).file);
  }
  g_array_unref (s->frames);
  g_array_unref (s->calls);
  g_array_unref (s->first);
  g_array_unref (s->samples);
  g_free (s);
}

const HeapFrame *
heap_call (const HeapSites *s, uint32_t stack, uint32_t depth)
{
  if (stack + 1 >= s->first->len)
    return NULL;
  uint32_t from = g_array_index (s->first, uint32_t, stack), to = g_array_index (s->first, uint32_t, stack + 1);
  if (depth >= to - from)
    return NULL;
  uint32_t frame = g_array_index (s->calls, uint32_t, from + depth);
  return frame < s->frames->len ? &g_array_index (s->frames, HeapFrame, frame) : NULL;
}

static char *
site_name (const HeapFrame *f)
{
  if (!f || (!f->file && !f->function) || f->line == 0)
    return g_strdup (_ ("C, or code without places"));
  g_autofree char *function = heap_module_name (f->function && *f->function ? f->function : "?");
  return g_strdup_printf ("%s (%s:%u)", function, f->file ? f->file : "?", f->line);
}

/* "Stdlib.Hashtbl.replace" or "Main.run.(fun)", from where paths of modules begin: how long that of its module is; 0:
 * it is in none. */
static size_t
module_bytes (const char *name)
{
  size_t n = 0;

  for (const char *at = name; g_ascii_isupper (*at);) {
    size_t word = strspn (at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'");
    if (at[word] != '.')
      break;
    n = (size_t) (at - name) + word;
    at += word + 1;
  }
  return n;
}

char *
heap_class_module (const char *class)
{
  bool exception = g_str_has_prefix (class, "exception ");
  size_t end = strcspn (class, ",");
  const char *from = NULL;

  /* of "string Stdlib.Map.t list, ::" the last path that leads to something */
  for (const char *at = class; at < class + end; at++)
    if (g_ascii_isupper (*at) && (at == class || strchr (" ()*", at[-1])) && module_bytes (at) > 0)
      from = at;
  return from ? g_strndup (from, module_bytes (from)) : g_strdup (exception ? "Stdlib" : "");
}

char *
heap_site_name (const HeapFrame *f, HeapBy by)
{
  if (by == HEAP_BY_SITE || !f || !f->function || !*f->function)
    return site_name (f);
  g_autofree char *function = heap_module_name (f->function);
  size_t n = by == HEAP_BY_MODULE ? module_bytes (function) : 0;
  return n > 0 ? g_strndup (function, n) : g_steal_pointer (&function);
}

static int
by_words (gconstpointer a, gconstpointer b)
{
  const HeapSite *x = a, *y = b;

  if (x->words != y->words)
    return x->words > y->words ? -1 : 1;
  return strcmp (x->name, y->name);
}

static void
heap_sites_clear_site (gpointer p)
{
  g_free (((HeapSite *) p)->name);
}

/* `sums`: place and class -> words that were taken of both. */
static void
count_class (GHashTable *sums, guint place, HeapSite *site, uint32_t class, uint32_t taken)
{
  gint64 key = (gint64) place << 32 | class;
  uint64_t *sum = g_hash_table_lookup (sums, &key);

  if (!sum) {
    sum = g_new0 (uint64_t, 1);
    g_hash_table_insert (sums, g_memdup2 (&key, sizeof key), sum);
  }
  *sum += taken;
  if (*sum > site->of_class || (*sum == site->of_class && class < site->class)) {
    site->class = class;
    site->of_class = *sum;
  }
}

GArray *
heap_sites (const HeapGraph *h, HeapBy by)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (HeapSite));
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  uint64_t each = heap_number (h->info, "sample_words", 0);

  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);

  g_array_set_clear_func (all, heap_sites_clear_site);
  for (guint i = 0; h->sites && i < h->sites->samples->len; i++) {
    const HeapSample *s = &g_array_index (h->sites->samples, HeapSample, i);
    if (h->live && !h->live[s->block])
      continue;
    const HeapFrame *f = heap_call (h->sites, s->stack, 0);
    char *name = heap_site_name (f, by);
    gpointer found = g_hash_table_lookup (by_name, name);
    if (!found) {
      g_array_append_val (all, ((HeapSite){ .name = g_strdup (name), .frame = f }));
      found = GUINT_TO_POINTER (all->len);
      g_hash_table_insert (by_name, g_strdup (name), found);
    }
    g_free (name);
    HeapSite *site = &g_array_index (all, HeapSite, GPOINTER_TO_UINT (found) - 1);
    site->taken += s->taken;
    site->blocks++;
    count_class (classes, GPOINTER_TO_UINT (found), site, h->class_of[s->block], s->taken);
    if (s->block < h->n_heap && h->words[s->block] > 0) /* each word that was taken stands for so many of such blocks */
      site->whole_blocks += (double) s->taken * (double) each / h->words[s->block];
  }
  for (guint i = 0; i < all->len; i++)
    g_array_index (all, HeapSite, i).words = g_array_index (all, HeapSite, i).taken * each;
  g_array_sort (all, by_words);
  return all;
}
