/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - rows of whole numbers, found by the first few of them.
 *
 * A row is `width` numbers, the last of which tells whether it is used; rows refer to each other by their places.  The
 * row that was freed last is used next: a free one tells in its last number which is to be used after it.  So what is
 * saved depends on the events alone; it can be saved as it is, and what a stranger wrote can be checked: every
 * reference leads to a row that is there, used or not. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "eve/eve.h"

typedef struct Table {
  int64_t *rows;
  int64_t n, room;
  int64_t free;          /* the row that is used next, or -1 */
  uint32_t width, n_key; /* n_key 0: rows are not looked up */
  uint32_t *index, mask; /* row + 1, by the key; 0: free */
  uint32_t n_used;
} Table;

void table_init (Table *t, size_t bytes, uint32_t n_key);
void table_clear (Table *t);
void table_empty (Table *t);
/* All that is in one, also where its rows lie; `to` is empty. */
void table_copy (Table *to, const Table *from);
static inline void *
table_at (const Table *t, int64_t i)
{
  return t->rows + i * t->width;
}
static inline bool
table_uses (const Table *t, int64_t i)
{
  return i >= 0 && i < t->n && t->rows[(i + 1) * t->width - 1] >= 0;
}
/* The row with this key; -1: there is none. */
int64_t table_find (const Table *t, const int64_t *key);
/* One more, with this key, else zeroes. */
int64_t table_add (Table *t, const int64_t *key);
void table_grow (Table *t);
/* One more row of a width that is known, and such a row, which is used, given back. */
static inline int64_t
table_take_wide (Table *t, uint32_t width)
{
  int64_t i = t->free;

  t->n_used++;
  if (i >= 0) {
    t->free = -2 - t->rows[(i + 1) * width - 1];
    return i;
  }
  if (G_UNLIKELY (t->n == t->room))
    table_grow (t);
  return t->n++;
}
static inline void
table_give_back_wide (Table *t, int64_t i, uint32_t width)
{
  int64_t *used = &t->rows[(i + 1) * width - 1];

  t->n_used--;
  if (i == t->n - 1) {
    *used = -1;
    t->n--;
    return;
  }
  *used = -2 - t->free;
  t->free = i;
}
/* The row with this key, or one more; `is_new`, or NULL, tells which. */
int64_t table_find_or_add (Table *t, const int64_t *key, bool *is_new);
void table_drop (Table *t, int64_t i);
void table_save (const Table *t, EveBlob *to);
bool table_load (Table *t, EveBlobView *from);
/* Whether a number of all rows is a place in another table, or -1. */
bool table_refers (const Table *t, size_t offset, const Table *to);
