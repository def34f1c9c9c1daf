/* SPDX-License-Identifier: Apache-2.0 */
/* align.c - one instant at one x: pictures with time that stand above each other in one column begin where the one with
 * the longest labels does. */
#include <math.h>
#include "panes/panes-private.h"

typedef struct Place {
  int x, width; /* px */
  bool known;
} Place;

static Place
align_place_of (ScopePanes *panes, ScopePane *p)
{
  GtkWidget *picture = GTK_WIDGET (pane_picture (p));
  Place at = { 0 };
  int y;

  at.known = !panes_is_detached (panes, p) && picture_sort (pane_picture (p)) == PICTURE_TIME
             && gtk_widget_get_mapped (picture)
             && gtk_widget_translate_coordinates (picture, GTK_WIDGET (panes), 0, 0, &at.x, &y);
  at.width = gtk_widget_get_allocated_width (picture);
  return at;
}

static gboolean
panes_align (gpointer data)
{
  ScopePanes *panes = data;
  guint n = panes->panes->len;
  g_autofree Place *at = g_new (Place, n + 1);

  panes->align_idle = 0;
  for (guint i = 0; i < n; i++)
    at[i] = align_place_of (panes, panes->panes->pdata[i]);
  for (guint i = 0; i < n; i++) {
    double left = 0;
    guint others = 0;
    for (guint k = 0; k < n && at[i].known; k++)
      if (at[k].known && at[k].x == at[i].x && at[k].width == at[i].width) {
        left = fmax (left, picture_own_left (pane_picture (panes->panes->pdata[k])));
        others += k != i;
      }
    picture_align (pane_picture (panes->panes->pdata[i]), others > 0 ? left : 0);
  }
  return G_SOURCE_REMOVE;
}

static void
align_soon (ScopePanes *panes)
{
  if (panes->align_idle == 0 && panes->panes != NULL)
    panes->align_idle = g_idle_add_full (GTK_PRIORITY_RESIZE + 1, panes_align, panes, NULL);
}

void
align_follow (ScopePanes *panes, ScopePicture *picture)
{
  static const char *const when[] = { "aligned", "size-allocate", "map", "unmap" };

  for (size_t i = 0; i < G_N_ELEMENTS (when); i++)
    g_signal_connect_object (picture, when[i], G_CALLBACK (align_soon), panes, G_CONNECT_SWAPPED);
}
