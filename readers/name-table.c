/* SPDX-License-Identifier: Apache-2.0 */
/* name-table.c - a table with open addressing; at most half of it is used. */
#include <string.h>

#include "readers/name-table.h"

typedef struct Entry {
  const char *name; /* in `bytes`; NULL: free */
  uint32_t n, number;
  uint64_t known_by; /* of at most eight bytes: they themselves; of more: their hash */
} Entry;

struct NameTable {
  Entry *entries;
  size_t size, used; /* size: a power of two */
  uint64_t seed;
  GStringChunk *bytes;
};

static inline uint64_t
name_table_mix (uint64_t a, uint64_t b)
{
  __uint128_t product = (__uint128_t) a * b;

  return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static inline uint64_t
eight (const char *at)
{
  uint64_t v;

  memcpy (&v, at, sizeof v);
  return v;
}

static inline uint64_t
four (const char *at)
{
  uint32_t v;

  memcpy (&v, at, sizeof v);
  return v;
}

/* As wyhash does it: products of 128 bits, whose halves are put together. */
static uint64_t
name_table_hash_of (const char *name, size_t n, uint64_t seed)
{
  static const uint64_t one = UINT64_C (0xa0761d6478bd642f), two = UINT64_C (0xe7037ed1a0b428db);
  uint64_t h = seed ^ one, a, b;

  for (; n > 16; n -= 16, name += 16)
    h = name_table_mix (eight (name) ^ two, eight (name + 8) ^ h);
  if (n >= 8) {
    a = eight (name);
    b = eight (name + n - 8);
  } else if (n >= 4) {
    a = four (name);
    b = four (name + n - 4);
  } else {
    a = n > 0 ? (uint64_t) (uint8_t) name[0] << 16 | (uint64_t) (uint8_t) name[n / 2] << 8 | (uint8_t) name[n - 1] : 0;
    b = 0;
  }
  return name_table_mix (two ^ n, name_table_mix (a ^ two, b ^ h));
}

static uint64_t
seed_of_process (void)
{
  static gsize once;
  static uint64_t seed;

  if (g_once_init_enter (&once)) {
    seed = (uint64_t) g_random_int () << 32 | g_random_int ();
    g_once_init_leave (&once, 1);
  }
  return seed;
}

uint64_t
name_table_hash (const char *name, size_t n)
{
  return name_table_hash_of (name, n, seed_of_process ());
}

NameTable *
name_table_new (void)
{
  NameTable *names = g_new0 (NameTable, 1);

  names->size = 64;
  names->seed = seed_of_process ();
  names->entries = g_new0 (Entry, names->size);
  names->bytes = g_string_chunk_new (4096);
  return names;
}

void
name_table_free (NameTable *names)
{
  if (!names)
    return;
  g_string_chunk_free (names->bytes);
  g_free (names->entries);
  g_free (names);
}

/* A name of at most eight bytes as a number; no byte beyond it is read. */
static inline uint64_t
name_table_bytes_of (const char *name, size_t n)
{
  if (n >= 4)
    return four (name) | four (name + n - 4) << 8 * (n - 4);
  return n == 0 ? 0
                : (uint64_t) (uint8_t) name[0] | (uint64_t) (uint8_t) name[n / 2] << 8 * (n / 2)
                      | (uint64_t) (uint8_t) name[n - 1] << 8 * (n - 1);
}

/* Where a name that is known by its bytes is, or would be. */
static inline Entry *
place_of_short (const NameTable *names, uint64_t by, size_t n)
{
  size_t at = name_table_mix (by ^ names->seed, UINT64_C (0xe7037ed1a0b428db) ^ n) & (names->size - 1);

  for (;; at = (at + 1) & (names->size - 1)) {
    Entry *e = &names->entries[at];
    if (!e->name || (e->known_by == by && e->n == n))
      return e;
  }
}

static Entry *
place_of_long (const NameTable *names, const char *name, uint64_t by, size_t n)
{
  size_t at = by & (names->size - 1);

  for (;; at = (at + 1) & (names->size - 1)) {
    Entry *e = &names->entries[at];
    if (!e->name || (e->known_by == by && e->n == n && memcmp (e->name, name, n) == 0))
      return e;
  }
}

static uint64_t
name_table_known_by (const NameTable *names, const char *name, size_t n)
{
  return n <= 8 ? name_table_bytes_of (name, n) : name_table_hash_of (name, n, names->seed);
}

static Entry *
name_table_place_of (const NameTable *names, const char *name, uint64_t by, size_t n)
{
  return n <= 8 ? place_of_short (names, by, n) : place_of_long (names, name, by, n);
}

static G_GNUC_NO_INLINE uint32_t
find_long (const NameTable *names, const char *name, size_t n)
{
  const Entry *e = place_of_long (names, name, name_table_hash_of (name, n, names->seed), n);

  return e->name ? e->number : NAME_TABLE_NONE;
}

uint32_t
name_table_find (const NameTable *names, const char *name, size_t n)
{
  if (!names)
    return NAME_TABLE_NONE;
  if (n > 8)
    return find_long (names, name, n);
  const Entry *e = place_of_short (names, name_table_bytes_of (name, n), n);
  return e->name ? e->number : NAME_TABLE_NONE;
}

static void
name_table_grow (NameTable *names)
{
  Entry *old = names->entries;
  size_t n = names->size;

  names->size = 2 * n;
  names->entries = g_new0 (Entry, names->size);
  for (size_t i = 0; i < n; i++)
    if (old[i].name)
      *name_table_place_of (names, old[i].name, old[i].known_by, old[i].n) = old[i];
  g_free (old);
}

void
name_table_set (NameTable *names, const char *name, size_t n, uint32_t number)
{
  uint64_t by = name_table_known_by (names, name, n);
  Entry *e = name_table_place_of (names, name, by, n);

  if (e->name) {
    e->number = number;
    return;
  }
  *e = (Entry){ g_string_chunk_insert_len (names->bytes, name, (gssize) n), (uint32_t) n, number, by };
  if (2 * ++names->used > names->size)
    name_table_grow (names);
}
