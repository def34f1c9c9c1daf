/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - trees: a list of nodes, children first; what is shared is one node. */
#include "inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 65535u                    /* nodes, and children of one */
#define MOST_BYTES ((size_t) 16 << 20) /* of one tree */
#define LABEL_MAX 1024u                /* of a node that is reached by a walk */

typedef struct Reached {
  const void *node;
  int number;
} Reached;

struct ScopevizTree {
  Bytes nodes;
  unsigned n;
  const char *wrong;    /* why it cannot be shown, or NULL */
  Reached *table;       /* what walks have reached */
  size_t room, reached; /* room: a power of two */
};

int
scopeviz_tree_node_n (ScopevizTree *tree, const void *label, size_t length, size_t children, const int *child)
{
  if (tree->wrong)
    return -1;
  if (tree->n >= MOST || children > MOST)
    tree->wrong = "(too large to be shown: more than 65535 nodes)";
  for (size_t i = 0; i < children && !tree->wrong; i++)
    if (child[i] < 0 || (unsigned) child[i] >= tree->n)
      tree->wrong = "(wrong: a child must be made before its parent)";
  if (tree->nodes.size > MOST_BYTES || tree->nodes.failed)
    tree->wrong = "(too large to be shown: more than 16 MiB)";
  if (tree->wrong)
    return -1;
  bytes_text (&tree->nodes, label, length);
  bytes_u16 (&tree->nodes, (unsigned) children);
  for (size_t i = 0; i < children; i++)
    bytes_u16 (&tree->nodes, (unsigned) child[i]);
  return (int) tree->n++;
}

int
scopeviz_tree_node (ScopevizTree *tree, const char *label, size_t children, const int *child)
{
  return scopeviz_tree_node_n (tree, label, strlen (label), children, child);
}

void
tree_build (Bytes *to, void (*function) (void *, ScopevizTree *), void *data)
{
  ScopevizTree tree = { 0 };
  function (data, &tree);
  if (!tree.wrong && !tree.n)
    tree.wrong = "(empty)";
  if (!tree.wrong && tree.nodes.failed)
    tree.wrong = "(too large to be shown)";
  bytes_u8 (to, VALUE_TREE);
  bytes_u16 (to, tree.wrong ? 1 : tree.n);
  if (tree.wrong) {
    bytes_text (to, tree.wrong, strlen (tree.wrong));
    bytes_u16 (to, 0);
  } else
    bytes_put (to, tree.nodes.data, tree.nodes.size);
  bytes_free (&tree.nodes);
  free (tree.table);
}

/* -- a walk: depth first with a stack of its own, and a table of what was reached -------------------------------- */
#define OPEN (-1) /* reached, its children are not all done */

typedef struct Visit {
  const void *node;
  size_t next;  /* child to be looked at */
  size_t first; /* where its children's numbers begin */
} Visit;

typedef struct Walk {
  ScopevizTree *tree;
  Bytes visits, numbers;
} Walk;

static Reached *
tree_place_of (const ScopevizTree *tree, const void *node)
{
  size_t at = (size_t) (((uintptr_t) node >> 4) * UINT64_C (0x9e3779b97f4a7c15) >> 20) & (tree->room - 1);
  while (tree->table[at].node && tree->table[at].node != node)
    at = (at + 1) & (tree->room - 1);
  return &tree->table[at];
}

static bool
tree_grow (ScopevizTree *tree)
{
  ScopevizTree larger = *tree;
  larger.room = tree->room ? 2 * tree->room : 64;
  larger.table = calloc (larger.room, sizeof *larger.table);
  if (!larger.table)
    return false;
  for (size_t i = 0; i < tree->room; i++)
    if (tree->table[i].node)
      *tree_place_of (&larger, tree->table[i].node) = tree->table[i];
  free (tree->table);
  *tree = larger;
  return true;
}

/* Begins with a node; false: it cannot be. */
static bool
tree_enter (Walk *walk, const void *node)
{
  ScopevizTree *tree = walk->tree;
  if (tree->reached >= MOST)
    tree->wrong = "(too large to be shown: more than 65535 nodes)";
  else if (2 * tree->reached >= tree->room && !tree_grow (tree))
    tree->wrong = "(too large to be shown)";
  if (tree->wrong)
    return false;
  *tree_place_of (tree, node) = (Reached){ node, OPEN };
  tree->reached++;
  Visit visit = { node, 0, walk->numbers.size };
  bytes_put (&walk->visits, &visit, sizeof visit);
  return !walk->visits.failed;
}

/* All children of the innermost node are done. */
static bool
tree_leave (Walk *walk, size_t (*label) (const void *, char *, size_t))
{
  Visit visit;
  memcpy (&visit, walk->visits.data + walk->visits.size - sizeof visit, sizeof visit);
  char room[LABEL_MAX];
  size_t length = label (visit.node, room, sizeof room);
  const uint8_t *children = walk->numbers.data ? walk->numbers.data + visit.first : NULL;
  int number = scopeviz_tree_node_n (walk->tree, room, length < sizeof room ? length : sizeof room,
                                     (walk->numbers.size - visit.first) / sizeof (int),
                                     (const int *) (const void *) children);
  tree_place_of (walk->tree, visit.node)->number = number;
  walk->numbers.size = visit.first;
  walk->visits.size -= sizeof visit;
  if (walk->visits.size)
    bytes_put (&walk->numbers, &number, sizeof number);
  return number >= 0 && !walk->numbers.failed;
}

/* Looks at the next child of the innermost node; false: the walk ends. */
static bool
tree_step (Walk *walk, size_t (*label) (const void *, char *, size_t), const void *(*child) (const void *, size_t))
{
  Visit *visit = (Visit *) (void *) (walk->visits.data + walk->visits.size - sizeof (Visit));
  const void *next = child (visit->node, visit->next++);
  if (!next)
    return tree_leave (walk, label);
  Reached *reached = tree_place_of (walk->tree, next);
  if (!reached->node)
    return tree_enter (walk, next);
  if (reached->number == OPEN)
    walk->tree->wrong = "(a circle: a node is among its own descendants)";
  bytes_put (&walk->numbers, &reached->number, sizeof reached->number);
  return !walk->tree->wrong && !walk->numbers.failed;
}

int
scopeviz_tree_walk (ScopevizTree *tree, const void *root, size_t (*label) (const void *, char *, size_t),
                    const void *(*child) (const void *, size_t))
{
  Walk walk = { .tree = tree };
  if (!root || tree->wrong)
    return -1;
  if (tree->room && tree_place_of (tree, root)->node)
    return tree_place_of (tree, root)->number; /* by an earlier walk */
  bool on = tree_enter (&walk, root);
  while (on && walk.visits.size)
    on = tree_step (&walk, label, child);
  int number = on ? tree_place_of (tree, root)->number : -1;
  if (!on && !tree->wrong)
    tree->wrong = "(too large to be shown)";
  bytes_free (&walk.visits);
  bytes_free (&walk.numbers);
  return number;
}
