/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - the layouts that scenes have of their own (views/scene-layout.h says what a layout is). */
#pragma once
#include "views/scene-layout.h"

#define SCENE_LAYOUT_FILE "file"     /* where the file of the bundle says; those it does not name, on a mesh */
#define SCENE_LAYOUT_SORTED "sorted" /* where values say */

extern const SceneLayout scene_places[]; /* one without a name at the end; the first is that of the setting */
/* One of these, or one that a plug-in brings; NULL: there is none of that name. */
const SceneLayout *scene_places_find (const char *name);
/* The same, or, where it has no room above it, or moves, one that has. */
const SceneLayout *scene_places_flat (const char *name);
