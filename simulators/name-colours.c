/* SPDX-License-Identifier: Apache-2.0 */
/* name-colours.c - the places that names of states have in the row of colours.
 *
 * A name wants the same place in every trace: which one its hash says.  Where two names of the traces that are open
 * want the same, or two that look alike, one gives way: the one whose hash comes later, never the one that was met
 * later.  So places hang on the set of names alone; two executions of one program agree, whatever came first in each,
 * and so do all traces that are open together.  Engine thread only. */
#include <stdlib.h>
#include <string.h>
#include "simulators/store.h"

typedef struct Name {
  uint32_t before; /* names with less choose before */
  uint32_t users;
  uint8_t place; /* from 1; 0: has not chosen */
  char text[];
} Name;

static GHashTable *names;         /* text -> Name * */
static Name *first[STATE_PLACES]; /* those that choose first, in their order */
static uint32_t n_first;
static bool stale; /* they are to choose again */

/* For each place of the row those that are nearer to it than 0.11 in OKLab, or than 0.06 to protan, deutan or tritan
 * eyes, on light or on dark paper: they look alike beside each other. */
static const uint32_t alike[STATE_COLOURS] = {
  0xa40000, 0x000000, 0x180000, 0x800000, 0x0d0000, 0x000000, 0x500000, 0x220000,
  0x010000, 0x000000, 0x800000, 0x240000, 0x400000, 0x220000, 0x000000, 0x000000,
  0x000110, 0x042080, 0x420811, 0x100014, 0x480044, 0x002881, 0x141040, 0x000409,
};

static uint32_t
scrambled (uint32_t h)
{
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  return h ^ h >> 16;
}

/* The `i`th place of a row that a name would like: from one on, in steps that visit all (24 has the divisors 2 and 3).
 */
static uint32_t
wish (uint32_t hash, uint32_t i)
{
  static const uint8_t steps[] = { 1, 5, 7, 11, 13, 17, 19, 23 };
  uint32_t h = scrambled (hash ^ 0x9e3779b9u);

  return (h % STATE_COLOURS + i * steps[h >> 16 & 7]) % STATE_COLOURS;
}

static void
choose_place (Name *n, uint32_t taken[STATE_PLACES / STATE_COLOURS])
{
  uint32_t hash = g_str_hash (n->text), found = STATE_PLACES;

  for (uint32_t i = 0; i < STATE_COLOURS && found == STATE_PLACES; i++)
    if (((alike[wish (hash, i)] | UINT32_C (1) << wish (hash, i)) & taken[0]) == 0)
      found = wish (hash, i);
  for (uint32_t turn = 0; turn < STATE_PLACES / STATE_COLOURS && found == STATE_PLACES; turn++)
    for (uint32_t i = 0; i < STATE_COLOURS && found == STATE_PLACES; i++)
      if ((taken[turn] >> wish (hash, i) & 1) == 0)
        found = turn * STATE_COLOURS + wish (hash, i);
  n->place = (uint8_t) (found + 1);
  taken[found / STATE_COLOURS] |= UINT32_C (1) << found % STATE_COLOURS;
}

static int
by_turn (const void *a, const void *b)
{
  const Name *x = *(Name *const *) a, *y = *(Name *const *) b;

  return x->before != y->before ? (x->before < y->before ? -1 : 1) : strcmp (x->text, y->text);
}

/* So many as there are places; each of the others has what it wishes most, whoever has it too. */
static void
choose_all (void)
{
  uint32_t taken[STATE_PLACES / STATE_COLOURS] = { 0 }, n = 0;
  g_autofree Name **all = g_new (Name *, g_hash_table_size (names) + 1);
  GHashTableIter i;
  gpointer one;

  g_hash_table_iter_init (&i, names);
  while (g_hash_table_iter_next (&i, NULL, &one)) {
    all[n++] = one;
    ((Name *) one)->place = 0;
  }
  qsort (all, n, sizeof (Name *), by_turn);
  n_first = MIN (n, STATE_PLACES);
  memcpy (first, all, n_first * sizeof (Name *));
  for (uint32_t k = 0; k < n_first; k++)
    choose_place (first[k], taken);
  stale = false;
}

void
store_name_come (const char *name)
{
  Name *n = names != NULL ? g_hash_table_lookup (names, name) : NULL;

  if (n == NULL) {
    gsize size = strlen (name) + 1;
    n = g_malloc0 (sizeof *n + size);
    memcpy (n->text, name, size);
    n->before = scrambled (g_str_hash (name));
    if (names == NULL)
      names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
    g_hash_table_insert (names, n->text, n);
    stale = stale || n_first < STATE_PLACES || by_turn (&n, &first[n_first - 1]) < 0;
  }
  n->users++;
}

void
store_name_gone (const char *name)
{
  Name *n = names != NULL ? g_hash_table_lookup (names, name) : NULL;

  if (n == NULL || --n->users > 0)
    return;
  if (!stale)
    stale = n->place > 0;
  g_hash_table_remove (names, name);
}

uint8_t
state_place (const StateValue *value)
{
  if (value->colour != STATE_BY_NAME)
    return value->colour;
  const Name *n = NULL;
  if (names != NULL) {
    if (stale)
      choose_all ();
    n = g_hash_table_lookup (names, value->name);
  }
  return n != NULL && n->place > 0 ? n->place : (uint8_t) (wish (g_str_hash (value->name), 0) + 1);
}
