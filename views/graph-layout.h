/* SPDX-License-Identifier: Apache-2.0 */
/* graph-layout.h - where the nodes of a graph stand, in the plane and in space (docs/scene.md, docs/views.md).
 *
 * A layout is one small function, or two.  It knows how many nodes there are, what tells them apart and what goes
 * between them, and, where it wants to, numbers of the present instant; it gives a place to each.  Neighbours are about
 * one unit apart; up is +z in space, and +y in the plane.  The same nodes give the same places, whatever was before.
 *
 * A layout from elsewhere is a class that says "layout:NAME" in `provides` and answers the query "layout/2" with a
 * GraphLayout, also without an instance (self is then NULL); LAYOUT_PLUGIN() is all of it.  The State graph and scenes
 * then offer it by that name beside Scope's own.  `scope check` tries it.  Engine thread only. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include "eve/eve.h"

#define LAYOUT_INTERFACE "layout/2"
#define LAYOUT_PROVIDES "layout:" /* and its name */

typedef struct LayoutTie {
  uint32_t from, to; /* nodes; from < to */
  double weight;     /* more than 0: bytes that go between them in the whole execution, either way, and one */
  bool there, back;  /* whether some go from `from` to `to`, and from `to` to `from` */
} LayoutTie;

typedef struct LayoutNodes {
  uint32_t n;
  const uint32_t *host;   /* of each: a number from 0 on */
  const double *value[3]; /* of each, 0 to 1: what two attributes say of its place, and a third of its height; NaN:
                             nothing.  An array may be NULL; all are where the layout is not dynamic */
  const LayoutTie *ties;  /* only of a layout that is `tied`: by `from`, then by `to`, each pair once */
  uint32_t n_ties;
} LayoutNodes;

typedef struct GraphLayout {
  const char *name;        /* as the setting `layout` of a view has it; good for ever */
  bool dynamic;            /* hangs on values, and so on the instant: of scenes alone; in the plane rules say that */
  bool flat;               /* in space all stand at one height, so that there is room above them */
  bool tied;               /* hangs on what goes between nodes.  Such places are computed once and kept */
  bool no_space, no_plane; /* has no sense there, and is not offered */
  /* Gives a place to each of nodes->n in space: x, y, z.  What is left as it was, or is no number, or farther away than
   * LAYOUT_FAR, is nowhere: a scene does not draw it, the State graph puts it below the others, and both say how many
   * there are; `scope check` refuses a layout that does so with graphs in which nothing is unknown.  Called again and
   * again while a dynamic one moves: some ms for 10^5 nodes.  NULL: as in the plane, at one height. */
  void (*place) (const LayoutNodes *nodes, double (*to)[3]);
  /* The same in the plane, x and y.  NULL: as in space, seen from the front, and a little from the right and above, so
   * that what is behind is not hidden.  One of both there must be. */
  void (*plane) (const LayoutNodes *nodes, double (*to)[2]);
} GraphLayout;

#define LAYOUT_FAR 1e5 /* no place is farther along an axis */

/* Those of plug-ins, by name; of const GraphLayout *; g_ptr_array_unref. */
EVE_EXPORT GPtrArray *graph_layouts (void);
/* That of a plug-in; NULL: there is none of that name. */
EVE_EXPORT const GraphLayout *graph_layout_find (const char *name);
/* Places by the one function that it has, or the other.  What it leaves out, or puts too far away, is NaN. */
EVE_EXPORT void graph_layout_in_space (const GraphLayout *l, const LayoutNodes *nodes, double (*to)[3]);
EVE_EXPORT void graph_layout_in_plane (const GraphLayout *l, const LayoutNodes *nodes, double (*to)[2]);

/* A shared object that is a layout: `layout_` is a static GraphLayout, and provides_ LAYOUT_PROVIDES and its
 * name. */
#define LAYOUT_PLUGIN(layout_, id_, label_, provides_, doc_)                                                           \
  static const void *graph_layout_query (EveComponent *c, const char *name)                                            \
  {                                                                                                                    \
    return strcmp (name, LAYOUT_INTERFACE) == 0 ? &(layout_) : NULL;                                                   \
  }                                                                                                                    \
  static const char *const graph_layout_provides[] = { provides_, NULL };                                              \
  static const EveClass graph_layout_class = {                                                                         \
    EVE_CLASS_HEAD,                                                                                                    \
    .id = id_,                                                                                                         \
    .label = label_,                                                                                                   \
    .category = "Layouts of graphs",                                                                                   \
    .doc = doc_,                                                                                                       \
    .provides = graph_layout_provides,                                                                                 \
    .version = 1,                                                                                                      \
    .instance_size = sizeof (EveBase),                                                                                 \
    .query = graph_layout_query,                                                                                       \
  };                                                                                                                   \
  EVE_PLUGIN (&graph_layout_class)
