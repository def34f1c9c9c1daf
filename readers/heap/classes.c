/* SPDX-License-Identifier: Apache-2.0 */
/* classes.c - what blocks are: as the runtime says by their tags, as follows from what they refer to, or their shape.
 */
#include <string.h>
#include "readers/heap/private.h"
#include "eve/words.h"

const char *const heap_sure_names[] = { N_ ("exact"), N_ ("inferred"), N_ ("guessed"), N_ ("unknown"), NULL };

int
heap_by_live (gconstpointer a, gconstpointer b)
{
  const HeapClass *x = *(HeapClass *const *) a, *y = *(HeapClass *const *) b;

  if (x->live_words != y->live_words)
    return x->live_words > y->live_words ? -1 : 1;
  return strcmp (x->name, y->name);
}
const char *const heap_root_names[] = { "globals",    "globals of plug-ins", "stack",  "C globals",
                                        "finalisers", "memory profiler",     "threads" };
_Static_assert(G_N_ELEMENTS (heap_root_names) == N_HEAP_ROOTS, "a name for each");

struct HeapClasses {
  GHashTable *number; /* HeapKey -> number + 1 */
};

static guint
hash_key (gconstpointer key)
{
  uint64_t h = *(const uint64_t *) key * UINT64_C (0x9e3779b97f4a7c15);

  return (guint) (h >> 32);
}

HeapClasses *
heap_classes_new (void)
{
  HeapClasses *c = g_new0 (HeapClasses, 1);

  c->number = g_hash_table_new_full (hash_key, g_int64_equal, g_free, NULL);
  return c;
}

void
heap_classes_free (HeapClasses *c)
{
  g_hash_table_unref (c->number);
  g_free (c);
}

uint32_t
heap_class_for (HeapClasses *c, HeapGraph *h, unsigned tag, uint64_t special)
{
  /* blocks of 1000 words and more of one tag are one class */
  bool sized = tag < HEAP_TAG_LAZY;
  uint64_t key = (uint64_t) tag << 40
                 | (sized                                               ? MIN (special, 1000)
                    : tag == HEAP_TAG_CLOSURE || tag == HEAP_TAG_CUSTOM ? special & 0xffffffff
                                                                        : 0);
  gpointer found = g_hash_table_lookup (c->number, &key);

  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  HeapClass class = { .name = g_strdup_printf ("%" G_GUINT64_FORMAT, key) }; /* heap_classes_end() gives it its name */
  g_array_append_val (h->classes, class);
  g_hash_table_insert (c->number, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (h->classes->len));
  return h->classes->len - 1;
}

/* "camlStdlib__List__map_272" is Stdlib.List.map; g_free. */
static char *
heap_classes_function_name (const char *symbol)
{
  g_autofree char *text = heap_module_name (symbol);
  char *last = strrchr (text, '_');

  if (last && last[1] && strspn (last + 1, "0123456789") == strlen (last + 1))
    *last = '\0';
  return g_steal_pointer (&text);
}

static void
name_class (HeapGraph *h, HeapClass *c, GHashTable *customs)
{
  static const struct {
    unsigned tag;
    const char *name;
  } fixed[] = { { HEAP_TAG_LAZY, "lazy value" },         { HEAP_TAG_OBJECT, "object" },
                { HEAP_TAG_FORWARD, "forced lazy" },     { HEAP_TAG_ABSTRACT, "abstract" },
                { HEAP_TAG_STRING, "string" },           { HEAP_TAG_DOUBLE, "float" },
                { HEAP_TAG_DOUBLE_ARRAY, "float array" } };
  uint64_t key = g_ascii_strtoull (c->name, NULL, 10);
  const char *version = g_hash_table_lookup (h->info, "ocaml");
  unsigned tag = (unsigned) (key >> 40);
  guint special = (guint) (key & 0xffffffff);
  char *name = NULL;

  c->sure = HEAP_EXACT;
  for (size_t i = 0; i < G_N_ELEMENTS (fixed); i++)
    name = fixed[i].tag == tag ? g_strdup (fixed[i].name) : name;
  if (tag == HEAP_TAG_CLOSURE) {
    const char *symbol = special < h->symbols->len ? h->symbols->pdata[special] : NULL;
    g_autofree char *function = symbol ? heap_classes_function_name (symbol) : NULL;
    name = function ? g_strdup_printf ("function %s", function) : g_strdup ("function");
  } else if (tag == HEAP_TAG_CUSTOM) {
    const char *id = g_hash_table_lookup (customs, GUINT_TO_POINTER (special));
    static const char *const known[][2] = {
      { "_i", "int32" }, { "_j", "int64" }, { "_n", "nativeint" }, { "_bigarr02", "bigarray" }, { "_chan", "channel" }
    };
    for (size_t i = 0; i < G_N_ELEMENTS (known) && id; i++)
      name = g_str_equal (id, known[i][0]) ? g_strdup (known[i][1]) : name;
    if (!name)
      name = id ? g_strdup_printf ("custom %s", id) : g_strdup ("custom");
  } else if (tag == HEAP_TAG_CONTINUATION && g_ascii_strtoull (version ? version : "", NULL, 10) >= 5) {
    name = g_strdup ("suspended stack");
  } else if (!name) {
    c->sure = HEAP_UNKNOWN;
    if (tag > 255)
      name = g_strdup ("damaged");
    else if (special >= 1000)
      name = g_strdup_printf ("tag %u, 1000 fields or more", tag);
    else
      name = g_strdup_printf ("tag %u, %u field%s", tag, special, special == 1 ? "" : "s");
  }
  g_free (c->name);
  c->name = name;
}

uint32_t
heap_class_add (HeapGraph *h, char *name, HeapSure sure)
{
  HeapClass class = { .name = name, .sure = sure };

  g_array_append_val (h->classes, class);
  return h->classes->len - 1;
}

static uint32_t
first_reference (const HeapGraph *h, uint32_t block)
{
  return h->first[block] < h->first[block + 1] ? h->to[h->first[block]] : TRACE_NONE;
}

/* A block whose first field is the constructor of an exception, which has its name as a string, is one of these; two
 * fields of which the second leads to two fields again are perhaps a list. */
static void
infer (HeapGraph *h, GHashTable *strings)
{
  g_autoptr (GHashTable) of_constructor = g_hash_table_new (NULL, NULL);
  uint32_t chained = TRACE_NONE;

  for (uint32_t b = 0; b < h->n_blocks; b++) {
    uint32_t n = h->first[b + 1] - h->first[b];
    if (h->tag[b] != 0 || n == 0)
      continue;
    uint32_t to = first_reference (h, b), name = h->tag[to] == HEAP_TAG_OBJECT ? first_reference (h, to) : TRACE_NONE;
    if (name != TRACE_NONE && h->tag[name] == HEAP_TAG_STRING && h->words[to] == 3) {
      const char *text = g_hash_table_lookup (strings, GUINT_TO_POINTER (name));
      gpointer class = g_hash_table_lookup (of_constructor, GUINT_TO_POINTER (to + 1));
      if (!class) {
        g_autofree char *valid = text ? g_utf8_make_valid (text, -1) : NULL;
        class = GUINT_TO_POINTER (
            heap_class_add (h, valid ? g_strdup_printf ("exception %s", valid) : g_strdup ("exception"), HEAP_INFERRED)
            + 1);
        g_hash_table_insert (of_constructor, GUINT_TO_POINTER (to + 1), class);
      }
      h->class_of[b] = GPOINTER_TO_UINT (class) - 1;
      continue;
    }
    uint32_t second = h->to[h->first[b + 1] - 1];
    if (h->words[b] == 3 && h->tag[second] == 0 && h->words[second] == 3 && second != b) {
      if (chained == TRACE_NONE)
        chained = heap_class_add (h, g_strdup ("tag 0, 2 fields, one after the other (a list?)"), HEAP_GUESSED);
      h->class_of[b] = chained;
    }
  }
}

void
heap_classes_end (HeapGraph *h, GHashTable *strings, GHashTable *customs)
{
  for (guint i = 0; i < h->classes->len; i++)
    name_class (h, &g_array_index (h->classes, HeapClass, i), customs);
  infer (h, strings);
}
