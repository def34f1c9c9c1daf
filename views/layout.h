/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where the vertices of a graph stand: Graphviz's layouts, and positions that were kept. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct LayoutEdge {
  uint32_t from, to;
  double weight;
} LayoutEdge;

/* Places n vertices with "dot", "neato", "fdp", "sfdp" or "circo"; x and y from 0 to 1, y downward, *ratio width to
 * height. False if Graphviz does not know the layout; then they stand in a circle. */
bool layout_compute (const char *algorithm, uint32_t n, const LayoutEdge *edges, uint32_t n_edges, double *x, double *y,
                     double *ratio);
/* Places n vertices by their numbers alone: "ring"; "mesh"; "torus", a mesh so folded that its first and last rows are
 * neighbours; "hypercube", where numbers that differ in one bit are neighbours; "tree", of which vertex i is above 2i +
 * 1 and 2i + 2; "hosts", a ring for each of those that `group` tells of each vertex (NULL for the others). */
void layout_by_place (const char *layout, uint32_t n, const uint32_t *group, double *x, double *y, double *ratio);
/* The file `layout` of a bundle, else of the user's data: a line "ID X Y" for each task, x and y from 0 to 1. */
GHashTable *layout_read (const char *bundle); /* id -> double[2]; never NULL */
bool layout_write (const char *bundle, char *const *ids, const double *x, const double *y, uint32_t n, GError **error);
