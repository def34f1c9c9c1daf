/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - rows of whole numbers: open addressing with linear probing. */
#include <string.h>

#include "components/waits/table.h"

#define MOST_ROWS (INT64_C (1) << 31)

void
table_init (Table *t, size_t bytes, uint32_t n_key)
{
  *t = (Table){ .width = (uint32_t) (bytes / sizeof (int64_t)), .n_key = n_key, .free = -1 };
}

void
table_clear (Table *t)
{
  g_clear_pointer (&t->rows, g_free);
  g_clear_pointer (&t->index, g_free);
  table_init (t, t->width * sizeof (int64_t), t->n_key);
}

static uint32_t
table_home_of (const Table *t, const int64_t *key)
{
  uint64_t h = 0;

  for (uint32_t i = 0; i < t->n_key; i++)
    h = (h ^ (uint64_t) key[i]) * UINT64_C (0x9e3779b97f4a7c15), h ^= h >> 29;
  return (uint32_t) (h >> 16) & t->mask;
}

static inline bool
table_same (const Table *t, int64_t row, const int64_t *key)
{
  const int64_t *own = t->rows + row * t->width;

  for (uint32_t i = 0; i < t->n_key; i++) /* a few numbers: a call takes longer */
    if (own[i] != key[i])
      return false;
  return true;
}

int64_t
table_find (const Table *t, const int64_t *key)
{
  if (!t->index)
    return -1;
  for (uint32_t i = table_home_of (t, key); t->index[i] != 0; i = (i + 1) & t->mask)
    if (table_same (t, t->index[i] - 1, key))
      return t->index[i] - 1;
  return -1;
}

static void
table_put (Table *t, int64_t row)
{
  uint32_t i = table_home_of (t, t->rows + row * t->width);

  while (t->index[i] != 0)
    i = (i + 1) & t->mask;
  t->index[i] = (uint32_t) row + 1;
}

/* The index has at least twice as many places as there are rows. */
static void
reindex (Table *t, uint32_t least)
{
  uint32_t n = 64;

  while (n < 2 * (uint64_t) least)
    n *= 2;
  g_free (t->index);
  t->index = g_new0 (uint32_t, n);
  t->mask = n - 1;
  for (int64_t i = 0; i < t->n; i++)
    if (table_uses (t, i))
      table_put (t, i);
}

/* ---- rows ----------------------------------------------------------------------------------------------------------------------- */

void
table_grow (Table *t)
{
  t->room = MAX (64, 2 * t->room);
  t->rows = g_renew (int64_t, t->rows, (gsize) t->room * t->width);
}

void
table_empty (Table *t)
{
  t->free = -1;
  t->n = t->n_used = 0;
  if (t->index)
    memset (t->index, 0, ((size_t) t->mask + 1) * sizeof *t->index);
}

void
table_copy (Table *to, const Table *from)
{
  *to = *from;
  to->rows = g_memdup2 (from->rows, (size_t) from->room * from->width * sizeof *from->rows);
  to->index = from->index ? g_memdup2 (from->index, ((size_t) from->mask + 1) * sizeof *from->index) : NULL;
}

static int64_t
add_at (Table *t, const int64_t *key, uint32_t home)
{
  int64_t i = table_take_wide (t, t->width), *row = t->rows + i * t->width;

  memset (row, 0, t->width * sizeof *row);
  for (uint32_t k = 0; k < t->n_key; k++)
    row[k] = key[k];
  if (t->n_key == 0)
    return i;
  if (G_UNLIKELY (!t->index || 2 * (uint64_t) t->n_used > t->mask)) {
    reindex (t, 2 * t->n_used);
    return i;
  }
  while (t->index[home] != 0)
    home = (home + 1) & t->mask;
  t->index[home] = (uint32_t) i + 1;
  return i;
}

int64_t
table_add (Table *t, const int64_t *key)
{
  return add_at (t, key, t->n_key > 0 && t->index ? table_home_of (t, key) : 0);
}

int64_t
table_find_or_add (Table *t, const int64_t *key, bool *is_new)
{
  uint32_t home = t->index ? table_home_of (t, key) : 0;

  if (is_new)
    *is_new = false;
  for (; t->index && t->index[home] != 0; home = (home + 1) & t->mask)
    if (table_same (t, t->index[home] - 1, key))
      return t->index[home] - 1;
  if (is_new)
    *is_new = true;
  return add_at (t, key, home);
}

/* Those behind it in its stretch move up, where that keeps them findable. */
static void
table_take_out (Table *t, int64_t row)
{
  uint32_t hole = table_home_of (t, t->rows + row * t->width);

  while (t->index[hole] != (uint32_t) row + 1)
    hole = (hole + 1) & t->mask;
  for (uint32_t i = (hole + 1) & t->mask; t->index[i] != 0; i = (i + 1) & t->mask) {
    uint32_t home = table_home_of (t, t->rows + (int64_t) (t->index[i] - 1) * t->width);
    if (((i - home) & t->mask) >= ((i - hole) & t->mask)) {
      t->index[hole] = t->index[i];
      hole = i;
    }
  }
  t->index[hole] = 0;
}

void
table_drop (Table *t, int64_t i)
{
  if (!table_uses (t, i))
    return;
  if (t->n_key > 0)
    table_take_out (t, i);
  table_give_back_wide (t, i, t->width);
}

/* What else lies in free rows is not written. */
void
table_save (const Table *t, EveBlob *to)
{
  g_autofree int64_t *free_row = g_new0 (int64_t, t->width);

  eve_put_int (to, t->n);
  eve_put_int (to, t->free);
  for (int64_t i = 0; i < t->n; i++) {
    free_row[t->width - 1] = t->rows[(i + 1) * t->width - 1];
    eve_put_ints (to, table_uses (t, i) ? table_at (t, i) : free_row, t->width);
  }
}

/* The free rows are one chain, of all of them. */
static bool
chain_is_sound (const Table *t)
{
  int64_t n = 0, i = t->free;

  for (; i >= 0 && i < t->n && !table_uses (t, i) && n < t->n; n++)
    i = -2 - t->rows[(i + 1) * t->width - 1];
  return i == -1 && n == t->n - t->n_used;
}

bool
table_load (Table *t, EveBlobView *from)
{
  int64_t n = eve_get_int (from), first = eve_get_int (from);

  table_clear (t);
  if (!eve_get_ok (from) || n < 0 || n > MOST_ROWS)
    return false;
  for (int64_t i = 0; i < n; i++) {
    if (i == t->room)
      table_grow (t);
    if (eve_get_ints (from, table_at (t, i), t->width) != t->width || !eve_get_ok (from))
      return false;
    t->n++;
    int64_t *used = t->rows + (i + 1) * t->width - 1;
    if (*used >= 0) {
      *used = 0;
      t->n_used++;
    } else if (*used < -2 - n)
      return false;
  }
  t->free = first;
  if (!chain_is_sound (t))
    return false;
  if (t->n_key > 0) {
    reindex (t, 2 * t->n_used);
    for (int64_t i = 0; i < t->n; i++)
      if (table_uses (t, i) && table_find (t, table_at (t, i)) != i)
        return false; /* two of one key */
  }
  return true;
}

bool
table_refers (const Table *t, size_t offset, const Table *to)
{
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t *row = table_at (t, i);
    if (table_uses (t, i) && (row[offset / sizeof *row] < -1 || row[offset / sizeof *row] >= to->n))
      return false;
  }
  return true;
}
