/* SPDX-License-Identifier: Apache-2.0 */
/* stacks.c - call stacks as memtrace writes them: what a stack has in common with the one before is not written, and
 * codes that were met before come out of a cache, in which each place knows the one that followed it last. */
#include <string.h>

#include "readers/memory-places.h"
#include "eve/words.h"
#include "readers/memtrace/memtrace.h"
#include "readers/pair.h"

#define MOST_NAMES 31 /* in a list that moves what is used to its front; the number 31 means a new name */
#define BUCKETS (1u << 14)
#define MOST_DOMAINS 128
#define MOST_DEPTH 512        /* calls that are kept of an allocation, the innermost ones */
#define MOST_FRAMES (4 << 20) /* of the last stacks of all domains together */
#define MOST_LOCATIONS 1000000

typedef struct Functions {
  char *names[MOST_NAMES];
} Functions;

typedef struct File {
  char *name;
  Functions *functions;
} File;

typedef struct Cache { /* of a domain */
  uint64_t code[BUCKETS];
  uint16_t follows[BUCKETS];
  GArray *stack; /* uint64_t: of the last allocation, from the outermost */
} Cache;

struct Stacks {
  MemoryPlaces *places;
  File files[MOST_NAMES];
  GHashTable *objects; /* code -> object + 1 */
  Cache *caches[MOST_DOMAINS], *now;
  GArray *shown;   /* uint32_t: objects of the stack at hand */
  size_t n_frames; /* in the stacks of all caches */
};

uint64_t
memtrace_fixed (Bytes *b, unsigned n)
{
  uint64_t v = 0;

  if ((size_t) (b->end - b->at) < n) {
    b->over = true;
    b->at = b->end;
    return 0;
  }
  for (unsigned i = 0; i < n; i++)
    v |= (uint64_t) b->at[i] << 8 * i;
  b->at += n;
  return v;
}

uint64_t
memtrace_whole (Bytes *b)
{
  uint64_t first = memtrace_fixed (b, 1);

  return first <= 252 ? first : memtrace_fixed (b, first == 253 ? 2 : first == 254 ? 4 : 8);
}

const char *
memtrace_string (Bytes *b)
{
  const uint8_t *end = memchr (b->at, '\0', (size_t) (b->end - b->at));
  const char *text = (const char *) b->at;

  if (!end) {
    b->over = true;
    return "";
  }
  b->at = end + 1;
  return text;
}

Stacks *
memtrace_stacks_new (TraceSource *s)
{
  Stacks *k = g_new0 (Stacks, 1);

  k->places = memory_places_new (s);
  k->objects = g_hash_table_new_full (pair_hash, g_int64_equal, g_free, NULL);
  k->shown = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  memtrace_domain (k, 0);
  return k;
}

static void
free_functions (Functions *f)
{
  for (int i = 0; f && i < MOST_NAMES; i++)
    g_free (f->names[i]);
  g_free (f);
}

void
memtrace_stacks_free (Stacks *k)
{
  for (int i = 0; i < MOST_NAMES; i++) {
    g_free (k->files[i].name);
    free_functions (k->files[i].functions);
  }
  for (int i = 0; i < MOST_DOMAINS; i++)
    if (k->caches[i]) {
      g_array_unref (k->caches[i]->stack);
      g_free (k->caches[i]);
    }
  g_hash_table_unref (k->objects);
  memory_places_free (k->places);
  g_array_unref (k->shown);
  g_free (k);
}

/* ---- locations --------------------------------------------------------------------------------------------------------------- */

/* The file of a location moves to the front of the list. */
static File *
stacks_file_of (Stacks *k, unsigned index, Bytes *b)
{
  unsigned from = MIN (index, MOST_NAMES - 1);
  File f = k->files[from];

  if (index == MOST_NAMES) { /* the one that falls off leaves its list of functions to the new one */
    g_free (f.name);
    f.name = g_strdup (memtrace_string (b));
  }
  memmove (k->files + 1, k->files, from * sizeof *k->files);
  if (!f.functions)
    f.functions = g_new0 (Functions, 1);
  k->files[0] = f;
  return &k->files[0];
}

static const char *
stacks_function_of (Functions *f, unsigned index, Bytes *b)
{
  unsigned from = MIN (index, MOST_NAMES - 1);
  char *name = f->names[from];

  if (index == MOST_NAMES) {
    g_free (name);
    name = g_strdup (memtrace_string (b));
  }
  memmove (f->names + 1, f->names, from * sizeof *f->names);
  f->names[0] = name;
  return name ? name : "?";
}

static uint32_t
stacks_object_of (Stacks *k, uint64_t code, const char *name)
{
  uint32_t object = GPOINTER_TO_UINT (g_hash_table_lookup (k->objects, &code));

  if (object > 0)
    return object - 1;
  if (g_hash_table_size (k->objects) >= MOST_LOCATIONS)
    return TRACE_NONE;
  object = name ? memory_place_called (k->places, g_strdup (name)) : memory_address (k->places, code, NULL);
  if (object == TRACE_NONE)
    return TRACE_NONE;
  g_hash_table_insert (k->objects, g_memdup2 (&code, sizeof code), GUINT_TO_POINTER (object + 1));
  return object;
}

bool
memtrace_location (Stacks *k, Bytes *b)
{
  uint64_t code = memtrace_fixed (b, 8);
  unsigned n = (unsigned) memtrace_fixed (b, 1);
  g_autoptr (GString) text = g_string_new (NULL);

  for (unsigned i = 0; i < n && !b->over; i++) {
    uint64_t bits = memtrace_fixed (b, 6);
    unsigned line = bits & 0xfffff, file = bits >> 38 & 31, function = bits >> 43 & 31;
    File *f = stacks_file_of (k, file, b);
    const char *name = stacks_function_of (f->functions, function, b);
    g_string_append_printf (text, "%s%s (%s:%u)", i > 0 ? ", inlined in " : "", name, f->name ? f->name : "?", line);
  }
  if (!b->over)
    stacks_object_of (k, code, text->len > 0 ? text->str : NULL);
  return !b->over;
}

/* ---- stacks ------------------------------------------------------------------------------------------------------------------ */

bool
memtrace_domain (Stacks *k, unsigned domain)
{
  if (domain >= MOST_DOMAINS)
    return false;
  if (!k->caches[domain]) {
    k->caches[domain] = g_new0 (Cache, 1);
    k->caches[domain]->stack = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  }
  k->now = k->caches[domain];
  return true;
}

bool
memtrace_verify (const Stacks *k, unsigned ix, unsigned predicted, uint64_t value)
{
  return ix == 0xffff || (ix < BUCKETS && k->now->code[ix] == value && k->now->follows[ix] == predicted);
}

static bool
stacks_add_frame (Stacks *k, Cache *c, uint64_t code)
{
  if (k->n_frames >= MOST_FRAMES)
    return false;
  k->n_frames++;
  g_array_append_val (c->stack, code);
  return true;
}

bool
memtrace_stack (Stacks *k, Bytes *b, uint64_t common, unsigned n, const uint32_t **objects, uint32_t *n_objects)
{
  Cache *c = k->now;
  unsigned before = 0;
  bool ok = true;

  if (common < c->stack->len) {
    k->n_frames -= c->stack->len - (guint) common;
    g_array_set_size (c->stack, (guint) common);
  }
  for (unsigned i = 0; i < n && ok && !b->over; i++) {
    unsigned word = (unsigned) memtrace_fixed (b, 2), bucket = word >> 2, tag = word & 3;
    if (b->over)
      break;
    c->follows[before] = (uint16_t) bucket;
    before = bucket;
    if (tag == 3) {
      c->code[bucket] = memtrace_fixed (b, 8);
      ok = stacks_add_frame (k, c, c->code[bucket]);
      continue;
    }
    unsigned more = tag == 2 ? (unsigned) memtrace_fixed (b, 1) : tag;
    ok = stacks_add_frame (k, c, c->code[bucket]);
    for (; more > 0 && ok; more--) {
      before = c->follows[before];
      ok = stacks_add_frame (k, c, c->code[before]);
    }
  }
  g_array_set_size (k->shown, 0);
  /* a deep one is written with a few bytes, as it shares most of the one before */
  for (guint i = c->stack->len - MIN (c->stack->len, MOST_DEPTH); i < c->stack->len; i++) {
    uint32_t object = stacks_object_of (k, g_array_index (c->stack, uint64_t, i), NULL);
    if (object != TRACE_NONE)
      g_array_append_val (k->shown, object);
  }
  *objects = (const uint32_t *) (const void *) k->shown->data;
  *n_objects = k->shown->len;
  return ok && !b->over;
}
