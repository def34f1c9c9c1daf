/* SPDX-License-Identifier: Apache-2.0 */
/* scene-layouts.c - layouts that plug-ins bring. */
#include "eve/eve-host.h"
#include "views/scene-layout.h"

static const SceneLayout *
layout_of (const EveClass *k)
{
  for (const char *const *p = k->provides; p != NULL && *p != NULL; p++)
    if (g_str_has_prefix (*p, SCENE_LAYOUT_PROVIDES) && k->query != NULL) {
      const SceneLayout *l = k->query (NULL, SCENE_LAYOUT_INTERFACE);
      bool named = l != NULL && l->name != NULL && strcmp (l->name, *p + strlen (SCENE_LAYOUT_PROVIDES)) == 0;
      return named && l->place != NULL ? l : NULL;
    }
  return NULL;
}

static int
scene_layouts_by_name (gconstpointer a, gconstpointer b)
{
  const SceneLayout *const *x = a, *const *y = b;

  return strcmp ((*x)->name, (*y)->name);
}

GPtrArray *
scene_layouts (void)
{
  g_autoptr (GPtrArray) classes = eve_registry_list ();
  GPtrArray *layouts = g_ptr_array_new ();

  for (guint i = 0; i < classes->len; i++) {
    const SceneLayout *l = layout_of (classes->pdata[i]);
    if (l != NULL)
      g_ptr_array_add (layouts, (void *) l);
  }
  g_ptr_array_sort (layouts, scene_layouts_by_name);
  return layouts;
}

const SceneLayout *
scene_layout_find (const char *name)
{
  g_autofree char *what = g_strconcat (SCENE_LAYOUT_PROVIDES, name, NULL);
  const EveClass *k = eve_registry_find_provider (what);

  return k != NULL ? layout_of (k) : NULL;
}
