/* SPDX-License-Identifier: Apache-2.0 */
/* scene-layout.h - where the nodes of a graph stand in space (docs/scene.md).
 *
 * A layout is one small function.  It knows how many nodes there are, what tells them apart and what goes between them,
 * and, where it wants to, numbers of the present instant; it gives a place to each.  Neighbours are about one unit
 * apart; up is +z.  The same nodes give the same places, whatever was before.
 *
 * A layout from elsewhere is a class that says "scene-layout:NAME" in `provides` and answers the query
 * "scene-layout/1" with a SceneLayout, also without an instance (self is then NULL); SCENE_LAYOUT_PLUGIN() is all of
 * it.  Scenes then offer it by that name beside their own.  `scope check` tries it.  Engine thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include "eve/eve.h"

#define SCENE_LAYOUT_INTERFACE "scene-layout/1"
#define SCENE_LAYOUT_PROVIDES "scene-layout:" /* and its name */

typedef struct SceneTie {
  uint32_t from, to; /* nodes; from < to */
  double weight;     /* more than 0: bytes that go between them in the whole execution, either way, and one */
} SceneTie;

typedef struct SceneNodes {
  uint32_t n;
  const uint32_t *host;   /* of each: a number from 0 on */
  const double *value[3]; /* of each, 0 to 1: what two attributes say of its place, and a third of its height; NaN:
                             nothing.  An array may be NULL; all are where the layout is not dynamic */
  const SceneTie *ties;   /* only of a layout that is `tied`: by `from`, then by `to`, each pair once */
  uint32_t n_ties;
} SceneNodes;

typedef struct SceneLayout {
  const char *name; /* as the setting `layout` of a scene has it; good for ever */
  bool dynamic;     /* hangs on values, and so on the instant */
  bool flat;        /* all stand at one height, so that there is room above them */
  bool tied;        /* hangs on what goes between nodes.  Such places are computed once and kept */
  /* Gives a place to each of nodes->n: x, y, z.  What is left as it was, or is no number, is nowhere, and is not drawn;
   * the picture says how many are not.  Called again and again while a dynamic one moves: some ms for 10^5 nodes. */
  void (*place) (const SceneNodes *nodes, double (*to)[3]);
} SceneLayout;

/* Those of plug-ins, by name; of const SceneLayout *; g_ptr_array_unref. */
EVE_EXPORT GPtrArray *scene_layouts (void);
/* That of a plug-in; NULL: there is none of that name. */
EVE_EXPORT const SceneLayout *scene_layout_find (const char *name);

/* A shared object that is a layout: `layout_` is a static SceneLayout, and provides_ SCENE_LAYOUT_PROVIDES and its
 * name. */
#define SCENE_LAYOUT_PLUGIN(layout_, id_, label_, provides_, doc_)                                                     \
  static const void *scene_layout_query (EveComponent *c, const char *name)                                            \
  {                                                                                                                    \
    return strcmp (name, SCENE_LAYOUT_INTERFACE) == 0 ? &(layout_) : NULL;                                             \
  }                                                                                                                    \
  static const char *const scene_layout_provides[] = { provides_, NULL };                                              \
  static const EveClass scene_layout_class = {                                                                         \
    EVE_CLASS_HEAD,                                                                                                    \
    .id = id_,                                                                                                         \
    .label = label_,                                                                                                   \
    .category = "Layouts of scenes",                                                                                   \
    .doc = doc_,                                                                                                       \
    .provides = scene_layout_provides,                                                                                 \
    .version = 1,                                                                                                      \
    .instance_size = sizeof (EveBase),                                                                                 \
    .query = scene_layout_query,                                                                                       \
  };                                                                                                                   \
  EVE_PLUGIN (&scene_layout_class)
