/* SPDX-License-Identifier: Apache-2.0 */
/* graph-layouts.c - layouts that plug-ins bring, and what all layouts have in common. */
#include "views/graph-layout.h"
#include <math.h>
#include "eve/eve-host.h"

#define BEHIND                                                                                                         \
  0.381966011250105 /* so far aside and up is drawn what is one unit behind; it makes no sum of units one */

static const GraphLayout *
layout_of (const EveClass *k)
{
  for (const char *const *p = k->provides; p != NULL && *p != NULL; p++)
    if (g_str_has_prefix (*p, LAYOUT_PROVIDES) && k->query != NULL) {
      const GraphLayout *l = k->query (NULL, LAYOUT_INTERFACE);
      bool named = l != NULL && l->name != NULL && strcmp (l->name, *p + strlen (LAYOUT_PROVIDES)) == 0;
      return named && (l->place != NULL || l->plane != NULL) ? l : NULL;
    }
  return NULL;
}

static int
graph_layouts_by_name (gconstpointer a, gconstpointer b)
{
  const GraphLayout *const *x = a, *const *y = b;

  return strcmp ((*x)->name, (*y)->name);
}

GPtrArray *
graph_layouts (void)
{
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  GPtrArray *layouts = g_ptr_array_new ();

  for (guint i = 0; i < classes->len; i++) {
    const GraphLayout *l = layout_of (classes->pdata[i]);
    if (l != NULL)
      g_ptr_array_add (layouts, (void *) l);
  }
  g_ptr_array_sort (layouts, graph_layouts_by_name);
  return layouts;
}

const GraphLayout *
graph_layout_find (const char *name)
{
  g_autofree char *what = g_strconcat (LAYOUT_PROVIDES, name, NULL);
  const EveClass *k = eve_registry_find_provider (what);

  return k != NULL ? layout_of (k) : NULL;
}

static bool
graph_layouts_is_near (double at)
{
  return fabs (at) <= LAYOUT_FAR; /* NaN is not */
}

void
graph_layout_in_space (const GraphLayout *l, const LayoutNodes *nodes, double (*to)[3])
{
  g_autofree double (*flat)[2] = l->place == NULL ? g_malloc (sizeof *flat * (nodes->n + 1)) : NULL;

  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = to[i][1] = to[i][2] = NAN;
  if (l->place != NULL) {
    l->place (nodes, to);
  } else {
    graph_layout_in_plane (l, nodes, flat);
    for (uint32_t i = 0; i < nodes->n; i++)
      to[i][0] = flat[i][0], to[i][1] = flat[i][1], to[i][2] = 0;
  }
  for (uint32_t i = 0; i < nodes->n; i++)
    if (!graph_layouts_is_near (to[i][0]) || !graph_layouts_is_near (to[i][1]) || !graph_layouts_is_near (to[i][2]))
      to[i][0] = to[i][1] = to[i][2] = NAN;
}

void
graph_layout_in_plane (const GraphLayout *l, const LayoutNodes *nodes, double (*to)[2])
{
  g_autofree double (*solid)[3] = l->plane == NULL ? g_malloc (sizeof *solid * (nodes->n + 1)) : NULL;

  for (uint32_t i = 0; i < nodes->n; i++)
    to[i][0] = to[i][1] = NAN;
  if (l->plane != NULL) {
    l->plane (nodes, to);
  } else {
    graph_layout_in_space (l, nodes, solid);
    for (uint32_t i = 0; i < nodes->n; i++) { /* on the ground of a flat one one looks from above */
      to[i][0] = solid[i][0] + (l->flat ? 0 : BEHIND * solid[i][1]);
      to[i][1] = l->flat ? solid[i][1] : solid[i][2] + BEHIND * solid[i][1];
    }
  }
  for (uint32_t i = 0; i < nodes->n; i++)
    if (!graph_layouts_is_near (to[i][0]) || !graph_layouts_is_near (to[i][1]))
      to[i][0] = to[i][1] = NAN;
}
