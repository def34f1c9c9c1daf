/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - words go into a hash table that grows and into a search tree that shares: a hash table, trees, the break
 * point, things that are killed.  One thread, no lock: it gives its values itself, when they are due.
 *
 *   viz-index [WORDS [CLIENTS]]    a word takes 2 ms; waits for so many clients first (one) */
#include "scopeviz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Word {
  struct Word *next;         /* in its place of the table */
  struct Word *left, *right; /* in the tree */
  struct Word *alike;        /* a word of the same length: shared by several */
  char text[16];
} Word;

static Word **table, *tree, *of_length[16];
static size_t places = 4, words;

static size_t
hash (const char *text)
{
  size_t value = 5381;
  while (*text)
    value = value * 33 + (unsigned char) *text++;
  return value;
}

static void
grow (void)
{
  SCOPEVIZ_FUNCTION ();
  size_t larger = 2 * places;
  Word **fresh = calloc (larger, sizeof *fresh);
  if (!fresh)
    exit (1);
  for (size_t i = 0; i < places; i++)
    for (Word *word = table[i], *next; word; word = next) {
      next = word->next;
      word->next = fresh[hash (word->text) % larger];
      fresh[hash (word->text) % larger] = word;
    }
  free (table);
  table = fresh;
  places = larger;
  scopeviz_log ("the table has %zu places now", places);
}

static void
insert (int number)
{
  SCOPEVIZ_CALLS ();
  Word *word = calloc (1, sizeof *word);
  if (!word)
    exit (1);
  snprintf (word->text, sizeof word->text, "%x", (unsigned) number * 2654435761u % 65521u);
  Word **at = &tree;
  while (*at)
    at = strcmp (word->text, (*at)->text) < 0 ? &(*at)->left : &(*at)->right;
  *at = word;
  size_t length = strlen (word->text);
  word->alike = of_length[length];
  of_length[length] = word;
  word->next = table[hash (word->text) % places];
  table[hash (word->text) % places] = word;
  if (++words > 2 * places)
    grow ();
}

static void
figures (ScopevizItem *item)
{
  ScopevizHash found = { (int64_t) places, (int64_t) words, 0, 0 };
  for (size_t i = 0; i < places; i++) {
    int64_t n = 0;
    for (const Word *word = table[i]; word; word = word->next)
      n++;
    found.empty += n == 0;
    found.longest = n > found.longest ? n : found.longest;
  }
  scopeviz_hash_set (item, &found);
}

static size_t
label (const void *node, char *room, size_t size)
{
  size_t length = strlen (((const Word *) node)->text);
  memcpy (room, ((const Word *) node)->text, length < size ? length : size);
  return length;
}

static const void *
child (const void *node, size_t i)
{
  const Word *word = node;
  if (!word->left)
    i++;
  return i == 0 ? word->left : i == 1 ? word->right : NULL;
}

/* The newest words of each length. */
static const void *
older (const void *node, size_t i)
{
  return i == 0 ? ((const Word *) node)->alike : NULL;
}

static void
draw_tree (void *none, ScopevizTree *to)
{
  scopeviz_tree_walk (to, tree, label, child);
}

static void
draw_lengths (void *none, ScopevizTree *to)
{
  int chain[16];
  size_t n = 0;
  for (unsigned i = 0; i < 16; i++)
    if (of_length[i])
      chain[n++] = scopeviz_tree_walk (to, of_length[i], label, older);
  scopeviz_tree_node (to, "by length", n, chain);
}

int
main (int argc, char **argv)
{
  int most = argc > 1 ? atoi (argv[1]) : 2000;
  unsigned clients = argc > 2 ? (unsigned) atoi (argv[2]) : 1;
  table = calloc (places, sizeof *table);
  ScopevizItem *hashed = scopeviz_hash_new ("table"), *shown = scopeviz_tree_new ("search tree");
  ScopevizItem *lengths = scopeviz_tree_new ("by length"), *count = scopeviz_int_new ("words");
  ScopevizItem *warm = scopeviz_point_new ("warm-up");
  if (!table)
    return 1;
  fprintf (stderr, "watch it: scope live %s\n", scopeviz_where ());
  scopeviz_wait_for_clients (clients, -1);
  for (int i = 1; i <= most; i++) {
    insert (i);
    if (i <= 10)
      scopeviz_point (warm);
    if (i == 10)
      scopeviz_kill (warm);
    if (i == most / 2)
      scopeviz_break ("half of the words are in", 10000);
    if (scopeviz_due () || i == most) {
      scopeviz_int_set (count, i);
      figures (hashed);
      if (i <= 200)
        scopeviz_tree_set (shown, draw_tree, NULL);
      if (i % 2)
        scopeviz_tree_set (lengths, draw_lengths, NULL);
      scopeviz_done ();
    }
    usleep (2000);
  }
  scopeviz_send_now ();
  return 0;
}
