/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.h - the table of layouts that the State graph and scenes offer: their own, then those of plug-ins
 * (views/graph-layout.h says what a layout is). */
#pragma once
#include "eve/words.h"
#include "views/graph-layout.h"

#define LAYOUT_AUTOMATIC                                                                                               \
  N_ ("automatic") /* by Graphviz; scenes call it "graphviz", and both names are known everywhere */
#define LAYOUT_TOPOLOGY N_ ("topology") /* on the nodes of a topology; where there is none, a ring */
#define LAYOUT_FILE N_ ("file")         /* where the file of the bundle says; those it does not name, on a mesh */
#define LAYOUT_SORTED N_ ("sorted")     /* where values say */

typedef enum { LAYOUT_IN_PLANE, LAYOUT_IN_SPACE } LayoutsWhere;

/* NULL: none of that name is offered there. */
const GraphLayout *layouts_find (LayoutsWhere where, const char *name);
/* Names of all; *where is a LayoutsWhere. */
void layouts_offer (void *where, void (*add) (void *to, const char *name), void *to);
/* That of scenes, or, where it has no room above it, or moves, one that has. */
const GraphLayout *layouts_flat (const char *name);
