/* SPDX-License-Identifier: Apache-2.0 */
/* places.h - where the nodes of a graph stand in space.
 *
 * A layout is one small function.  It knows how many nodes there are, what tells them apart, and, where it wants to,
 * numbers of the present instant; it gives a place to each.  Neighbours are about one unit apart.  The same numbers
 * give the same places, whatever was before. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

typedef struct SceneNodes {
  uint32_t n;
  const uint32_t *host;   /* of each: a number from 0 on */
  const double *value[3]; /* of each, 0 to 1: what two attributes say of its place, and a third of its height; NaN:
                             nothing.  All NULL where the layout is not dynamic */
} SceneNodes;

typedef struct ScenePlaces {
  const char *name;
  bool dynamic; /* hangs on values, and so on the instant */
  bool flat;    /* all stand at one height, so that there is room above them */
  void (*place) (const SceneNodes *nodes, double (*to)[3]);
} ScenePlaces;

extern const ScenePlaces scene_places[];
extern const char *const scene_places_names[]; /* the same names, for a setting */
/* The layout of that number, or, where it is not flat, one that is. */
const ScenePlaces *scene_places_flat (int layout);
