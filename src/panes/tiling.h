/* SPDX-License-Identifier: Apache-2.0 */
/* tiling.h - how panes share a place: a tree whose leaves are panes and whose inner nodes divide a rectangle in two.  A
 * leaf is a pointer that the tree does not look at. */
#pragma once
#include <gtk/gtk.h>
#include <stdbool.h>

typedef struct Tile {
  struct Tile *parent, *child[2]; /* children NULL: a leaf */
  GtkOrientation orientation;     /* HORIZONTAL: one beside the other */
  double share;                   /* of the first child, 0..1 */
  gpointer leaf;
} Tile;

void tile_free (Tile *root);
Tile *tile_find (Tile *root, gpointer leaf); /* NULL: not there */
/* Puts a leaf beside another one, on the side that `side` names; that one keeps `share` of its room. */
Tile *tile_insert (Tile *root, Tile *at, GtkPositionType side, double share, gpointer leaf);
/* Where there is most room, along its longer side; `aspect`: width by height of the whole. */
Tile *tile_add (Tile *root, double aspect, gpointer leaf);
Tile *tile_remove (Tile *root, gpointer leaf); /* give the root; NULL: it is empty */
/* "(h 620 0 (v 500 1 2))": numbers of leaves, shares in thousandths; g_free. */
char *tile_text (const Tile *root, int (*number) (gpointer leaf, gpointer data), gpointer data);
/* NULL: not such a text, or `leaf` gave NULL for one of its numbers or the same twice. */
Tile *tile_parse (const char *text, gpointer (*leaf) (int number, gpointer data), gpointer data);
/* The leaf whose middle is nearest in a direction, or NULL; the next in reading order, around. */
gpointer tile_towards (Tile *root, gpointer from, GtkPositionType side);
gpointer tile_next (Tile *root, gpointer from, int by);
