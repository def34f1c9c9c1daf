/* SPDX-License-Identifier: Apache-2.0 */
/* places.c - where a pane was that went: closed, detached, or with its box.  When it comes back, by an undo or by its
 * name, it comes back there; when the others were moved meanwhile, beside those that it was beside. */
#include <string.h>
#include "panes/panes-private.h"

#define KEPT "pane" /* group and prefix of what a pane keeps of itself */

struct PanePlace {
  char *name;
  char **beside; /* names of the views with which it shared a rectangle; NULL: it was alone */
  GtkPositionType side;
  double share; /* of the rectangle, of those */
  GKeyFile *kept;
  int width, height; /* of its window; 0: it was a tile */
  bool maximised;
};

void
place_free (PanePlace *at)
{
  g_free (at->name);
  g_strfreev (at->beside);
  g_clear_pointer (&at->kept, g_key_file_unref);
  g_free (at);
}

static PanePlace *
panes_places_find (ScopePanes *panes, const char *name)
{
  for (guint i = 0; i < panes->places->len; i++)
    if (g_str_equal (((PanePlace *) panes->places->pdata[i])->name, name))
      return panes->places->pdata[i];
  return NULL;
}

static void
panes_places_add_names (const Tile *t, GPtrArray *to)
{
  if (t->child[0] == NULL) {
    g_ptr_array_add (to, g_strdup (pane_name (t->leaf)));
    return;
  }
  panes_places_add_names (t->child[0], to);
  panes_places_add_names (t->child[1], to);
}

static void
keep_tile (PanePlace *at, const Tile *t)
{
  const Tile *parent = t->parent;
  GPtrArray *names;

  g_clear_pointer (&at->beside, g_strfreev);
  at->width = at->height = 0;
  if (parent == NULL)
    return;
  bool first = parent->child[0] == t, across = parent->orientation == GTK_ORIENTATION_HORIZONTAL;
  names = g_ptr_array_new ();
  panes_places_add_names (parent->child[first], names);
  g_ptr_array_add (names, NULL);
  at->beside = (char **) g_ptr_array_free (names, FALSE);
  at->side = across ? (first ? GTK_POS_LEFT : GTK_POS_RIGHT) : (first ? GTK_POS_TOP : GTK_POS_BOTTOM);
  at->share = first ? 1 - parent->share : parent->share;
}

/* The last that went is the last of the array: what went together comes back in the other order. */
void
place_keep (ScopePanes *panes, ScopePane *p)
{
  PanePlace *at = panes_places_find (panes, pane_name (p));
  Tile *t = tile_find (panes->root, p);

  if (at == NULL) {
    at = g_new0 (PanePlace, 1);
    at->name = g_strdup (pane_name (p));
  } else {
    g_ptr_array_set_free_func (panes->places, NULL);
    g_ptr_array_remove (panes->places, at);
    g_ptr_array_set_free_func (panes->places, (GDestroyNotify) place_free);
  }
  g_ptr_array_add (panes->places, at);
  if (t != NULL)
    keep_tile (at, t);
  else
    gtk_window_get_size (GTK_WINDOW (gtk_widget_get_toplevel (GTK_WIDGET (p))), &at->width, &at->height);
  at->maximised = panes->maximised == p;
  g_clear_pointer (&at->kept, g_key_file_unref);
  at->kept = g_key_file_new ();
  pane_save (p, at->kept, KEPT, KEPT);
}

static guint
panes_places_n_of (const Tile *t, char **names)
{
  if (t->child[0] == NULL)
    return g_strv_contains ((const char *const *) names, pane_name (t->leaf));
  return panes_places_n_of (t->child[0], names) + panes_places_n_of (t->child[1], names);
}

/* The smallest rectangle that holds all of them that are still there; NULL: none is. */
static Tile *
rectangle_of (Tile *t, char **names)
{
  guint all = t != NULL && names != NULL ? panes_places_n_of (t, names) : 0;

  if (all == 0)
    return NULL;
  while (t->child[0] != NULL
         && (panes_places_n_of (t->child[0], names) == all || panes_places_n_of (t->child[1], names) == all))
    t = t->child[panes_places_n_of (t->child[1], names) == all];
  return t;
}

void
place_tile (ScopePanes *panes, ScopePane *p)
{
  PanePlace *at = panes_places_find (panes, pane_name (p));
  Tile *beside = at != NULL ? rectangle_of (panes->root, at->beside) : NULL;

  if (beside != NULL)
    panes->root = tile_insert (panes->root, beside, at->side, at->share, p);
  else
    panes->root = tile_add (panes->root, 1.9, p);
}

void
place_again (ScopePanes *panes, ScopePane *p)
{
  PanePlace *at = panes_places_find (panes, pane_name (p));

  if (at != NULL)
    pane_load (p, at->kept, KEPT, KEPT);
  if (at != NULL && at->width > 0) {
    panes_open_window (panes, p, at->width, at->height);
    return;
  }
  place_tile (panes, p);
  if (!panes->loading)
    panes->maximised = at != NULL && at->maximised ? p : NULL;
}

bool
place_order (ScopePanes *panes, const char *name, guint *order)
{
  PanePlace *at = panes_places_find (panes, name);

  return at != NULL && g_ptr_array_find (panes->places, at, order);
}
