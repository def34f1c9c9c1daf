/* SPDX-License-Identifier: Apache-2.0 */
/* @NAME@.c - a layout of graphs: in space, nodes on a spiral that winds round a rod, one turn above the other; in the
 * plane, rows of a dozen, every other one back.
 *
 * A layout is one function, or one for scenes and one for the State graph (views/graph-layout.h): either alone is
 * enough for both.  It is given how many nodes there are and what tells them apart, and gives each a place; neighbours
 * are about one unit apart.  The same nodes give the same places, whatever was before: keep nothing from one call to
 * the next. */
#include <math.h>
#include "views/graph-layout.h"

#define ROUND 12   /* nodes in a turn */
#define CLIMB 1.2  /* from a turn to the next */
#define RADIUS 2.0 /* so that neighbours are one unit apart */

static void
place (const LayoutNodes *nodes, double (*to)[3])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    double turns = (double) i / ROUND;

    to[i][0] = RADIUS * sin (2 * G_PI * turns);
    to[i][1] = RADIUS * cos (2 * G_PI * turns);
    to[i][2] = CLIMB * turns;
  }
}

static void
plane (const LayoutNodes *nodes, double (*to)[2])
{
  for (uint32_t i = 0; i < nodes->n; i++) {
    uint32_t row = i / ROUND, along = i % ROUND;

    to[i][0] = row % 2 == 0 ? along : ROUND - 1 - along;
    to[i][1] = -(double) row;
  }
}

static const GraphLayout layout = { .name = "@NAME@", .place = place, .plane = plane };

LAYOUT_PLUGIN (layout, "my.@NAME@", "@LABEL@", LAYOUT_PROVIDES "@NAME@",
                     "A layout of graphs: nodes on a spiral.");
