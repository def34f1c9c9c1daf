/* SPDX-License-Identifier: Apache-2.0 */
#include "panes/tiling.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Tile *
leaf_new (gpointer leaf)
{
  Tile *t = g_new0 (Tile, 1);

  t->leaf = leaf;
  return t;
}

void
tile_free (Tile *t)
{
  if (t == NULL)
    return;
  tile_free (t->child[0]);
  tile_free (t->child[1]);
  g_free (t);
}

Tile *
tile_find (Tile *t, gpointer leaf)
{
  Tile *found = NULL;

  if (t == NULL || t->child[0] == NULL)
    return t != NULL && t->leaf == leaf ? t : NULL;
  for (int i = 0; i < 2 && found == NULL; i++)
    found = tile_find (t->child[i], leaf);
  return found;
}

/* The pointer that holds a node. */
static Tile **
holder (Tile **root, Tile *t)
{
  return t->parent == NULL ? root : &t->parent->child[t->parent->child[1] == t];
}

Tile *
tile_insert (Tile *root, Tile *at, GtkPositionType side, double share, gpointer leaf)
{
  bool first = side == GTK_POS_LEFT || side == GTK_POS_TOP;
  Tile *added = leaf_new (leaf), *split;

  if (root == NULL || at == NULL)
    return tile_free (root), added;
  split = g_new0 (Tile, 1);
  split->parent = at->parent;
  split->orientation = side == GTK_POS_LEFT || side == GTK_POS_RIGHT ? GTK_ORIENTATION_HORIZONTAL
                                                                     : GTK_ORIENTATION_VERTICAL;
  split->share = first ? 1 - share : share;
  *holder (&root, at) = split;
  split->child[first ? 0 : 1] = added;
  split->child[first ? 1 : 0] = at;
  added->parent = at->parent = split;
  return root;
}

typedef struct Place {
  Tile *tile;
  double x, y, width, height;
} Place;

static void
tiling_place (Tile *t, double x, double y, double width, double height, GArray *to)
{
  double share = t->share;

  if (t->child[0] == NULL) {
    g_array_append_val (to, ((Place){ t, x, y, width, height }));
  } else if (t->orientation == GTK_ORIENTATION_HORIZONTAL) {
    tiling_place (t->child[0], x, y, width * share, height, to);
    tiling_place (t->child[1], x + width * share, y, width * (1 - share), height, to);
  } else {
    tiling_place (t->child[0], x, y, width, height * share, to);
    tiling_place (t->child[1], x, y + height * share, width, height * (1 - share), to);
  }
}

static GArray *
places (Tile *root, double aspect)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (Place));

  if (root != NULL)
    tiling_place (root, 0, 0, aspect, 1, all);
  return all;
}

/* The first pane is what the program is mostly about: it keeps more of its room than the others, and is divided last.
 */
Tile *
tile_add (Tile *root, double aspect, gpointer leaf)
{
  g_autoptr (GArray) all = places (root, aspect);
  const Place *best = NULL;
  double most = 0;

  for (guint i = 0; i < all->len; i++) {
    const Place *p = &g_array_index (all, Place, i);
    double room = p->width * p->height * (i == 0 ? 0.4 : 1);
    if (room > most) {
      most = room;
      best = p;
    }
  }
  if (best == NULL)
    return leaf_new (leaf);
  bool across = best->width > best->height * 1.2;
  return tile_insert (root, best->tile, across ? GTK_POS_RIGHT : GTK_POS_BOTTOM, all->len == 1 ? 0.62 : 0.5, leaf);
}

Tile *
tile_remove (Tile *root, gpointer leaf)
{
  Tile *t = tile_find (root, leaf), *parent, *other;

  if (t == NULL)
    return root;
  parent = t->parent;
  if (parent == NULL) {
    tile_free (t);
    return NULL;
  }
  other = parent->child[parent->child[0] == t];
  other->parent = parent->parent;
  *holder (&root, parent) = other;
  g_free (parent);
  g_free (t);
  return root;
}

/* ---- as text ------------------------------------------------------------------------------------------- */

static void
tiling_print (const Tile *t, int (*number) (gpointer, gpointer), gpointer data, GString *to)
{
  if (t->child[0] == NULL) {
    g_string_append_printf (to, "%d", number (t->leaf, data));
    return;
  }
  g_string_append_printf (to, "(%c %d ", t->orientation == GTK_ORIENTATION_HORIZONTAL ? 'h' : 'v',
                          (int) lround (t->share * 1000));
  tiling_print (t->child[0], number, data, to);
  g_string_append_c (to, ' ');
  tiling_print (t->child[1], number, data, to);
  g_string_append_c (to, ')');
}

char *
tile_text (const Tile *root, int (*number) (gpointer, gpointer), gpointer data)
{
  GString *to = g_string_new (NULL);

  if (root != NULL)
    tiling_print (root, number, data, to);
  return g_string_free (to, FALSE);
}

typedef struct Parser {
  const char *at;
  gpointer (*leaf) (int, gpointer);
  gpointer data;
  GHashTable *seen;
  int depth;
} Parser;

static Tile *
tiling_parse (Parser *p)
{
  char *end;
  Tile *t;

  p->at += strspn (p->at, " ");
  if (*p->at != '(') {
    long number = strtol (p->at, &end, 10);
    gpointer leaf = end > p->at && number >= 0 && number < 10000 ? p->leaf ((int) number, p->data) : NULL;
    p->at = end;
    return leaf != NULL && g_hash_table_add (p->seen, leaf) ? leaf_new (leaf) : NULL;
  }
  if ((p->at[1] != 'h' && p->at[1] != 'v') || p->at[2] != ' ' || p->depth > 100)
    return NULL;
  p->depth++;
  t = g_new0 (Tile, 1);
  t->orientation = p->at[1] == 'h' ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL;
  t->share = CLAMP ((double) strtol (p->at + 3, &end, 10) / 1000, 0.02, 0.98);
  p->at = end;
  for (int i = 0; i < 2; i++)
    if ((t->child[i] = tiling_parse (p)) != NULL)
      t->child[i]->parent = t;
  p->depth--;
  if (t->child[0] == NULL || t->child[1] == NULL || *p->at != ')')
    return tile_free (t), NULL;
  p->at++;
  return t;
}

Tile *
tile_parse (const char *text, gpointer (*leaf) (int, gpointer), gpointer data)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Parser p = { text, leaf, data, seen, 0 };
  Tile *t = tiling_parse (&p);

  if (t == NULL || *p.at == '\0')
    return t;
  tile_free (t);
  return NULL;
}

/* ---- neighbours ---------------------------------------------------------------------------------------- */

gpointer
tile_towards (Tile *root, gpointer from, GtkPositionType side)
{
  g_autoptr (GArray) all = places (root, 1.6);
  const Place *mine = NULL;
  gpointer best = NULL;
  double nearest = G_MAXDOUBLE;

  for (guint i = 0; i < all->len; i++)
    if (g_array_index (all, Place, i).tile->leaf == from)
      mine = &g_array_index (all, Place, i);
  for (guint i = 0; mine != NULL && i < all->len; i++) {
    const Place *p = &g_array_index (all, Place, i);
    double dx = p->x + p->width / 2 - mine->x - mine->width / 2, dy = p->y + p->height / 2 - mine->y - mine->height / 2;
    double ahead = side == GTK_POS_LEFT ? -dx : side == GTK_POS_RIGHT ? dx : side == GTK_POS_TOP ? -dy : dy;
    double aside = side == GTK_POS_LEFT || side == GTK_POS_RIGHT ? fabs (dy) : fabs (dx);
    if (ahead > 1e-6 && ahead + 2 * aside < nearest) {
      nearest = ahead + 2 * aside;
      best = p->tile->leaf;
    }
  }
  return best;
}

gpointer
tile_next (Tile *root, gpointer from, int by)
{
  g_autoptr (GArray) all = places (root, 1);
  int n = (int) all->len, at = -1;

  for (int i = 0; i < n; i++)
    if (g_array_index (all, Place, i).tile->leaf == from)
      at = i;
  return n == 0 ? NULL : g_array_index (all, Place, at < 0 ? 0 : ((at + by) % n + n) % n).tile->leaf;
}
