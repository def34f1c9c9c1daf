/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a layout of scenes: nodes on a spiral that winds round a rod, one turn above the other.
 *
 * A layout is one function (views/scene-layout.h).  It is given how many nodes there are and what tells them apart, and
 * gives each a place; neighbours are about one unit apart.  The same nodes give the same places, whatever was before:
 * keep nothing from one call to the next. */
#include <math.h>
#include "views/scene-layout.h"

#define ROUND 12   /* nodes in a turn */
#define CLIMB 1.2  /* from a turn to the next */
#define RADIUS 2.0 /* so that neighbours are one unit apart */

static void
place (const SceneNodes *nodes, double (*to)[3])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    double turns = (double) i / ROUND;

    to[i][0] = RADIUS * sin (2 * G_PI * turns);
    to[i][1] = RADIUS * cos (2 * G_PI * turns);
    to[i][2] = CLIMB * turns;
  }
}

static const SceneLayout layout = { .name = "@NAME@", .place = place };

SCENE_LAYOUT_PLUGIN (layout, "my.@NAME@", "@LABEL@", SCENE_LAYOUT_PROVIDES "@NAME@",
                     "A layout of scenes: nodes on a spiral.");
