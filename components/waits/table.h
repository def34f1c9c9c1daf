/* SPDX-License-Identifier: Apache-2.0 */
/* table.h - rows of whole numbers, found by the first few of them.
 *
 * A row is `width` numbers, the last of which tells whether it is used; rows refer to each other by their places.  The
 * lowest free row is used next, so what is saved depends on the state alone; it can be saved as it is, and what a
 * stranger wrote can be checked: every reference leads to a row that is there, used or not. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "eve/eve.h"

enum { MOST_LEVELS = 6 }; /* of 64 each: more rows than there can be */

typedef struct Table {
  int64_t *rows;
  int64_t n, room; /* the last one is used */
  uint64_t *free;  /* bits of the free rows below n, and above those of each word whether it has any, and so on */
  int64_t levels[MOST_LEVELS]; /* where they begin in it, the rows' own first */
  uint32_t n_free, n_levels;
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
int64_t table_take_free (Table *t);
/* One more, of rows that are not looked up: what is in it is for the caller to write, all of it. */
static inline int64_t
table_take (Table *t)
{
  t->n_used++;
  return t->n_free == 0 && t->n < t->room ? t->n++ : table_take_free (t);
}
/* The row with this key, or one more; `is_new`, or NULL, tells which. */
int64_t table_find_or_add (Table *t, const int64_t *key, bool *is_new);
void table_drop (Table *t, int64_t i);
void table_save (const Table *t, EveBlob *to);
bool table_load (Table *t, EveBlobView *from);
/* Whether a number of all rows is a place in another table, or -1. */
bool table_refers (const Table *t, size_t offset, const Table *to);
