/* SPDX-License-Identifier: Apache-2.0 */
/* layout.h - where the vertices of a graph stand: Graphviz's layouts, and positions that were kept. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include "views/graph-layout.h"

typedef struct LayoutEdge {
  uint32_t from, to;
  double weight;
} LayoutEdge;

/* Places n vertices with "dot", "neato", "fdp", "sfdp" or "circo"; x and y from 0 to 1, y downward, *ratio width to
 * height. False if Graphviz does not know the layout; then they stand in a circle. */
bool layout_compute (const char *algorithm, uint32_t n, const LayoutEdge *edges, uint32_t n_edges, double *x, double *y,
                     double *ratio);
/* The same in space, with "neato" or "sfdp", in units of Graphviz, around the middle.  False: there are no edges. */
bool layout_compute_space (const char *algorithm, uint32_t n, const LayoutEdge *edges, uint32_t n_edges,
                           double (*at)[3]);
/* The file `layout` of a bundle, else of the user's data: a line "ID X Y" for each task, x and y from 0 to 1.  With
 * three axes, the file `layout-3d`: "ID X Y Z", where tasks that are neighbours are about one unit apart. */
GHashTable *layout_read (const char *bundle, int n_axes); /* id -> double[n_axes]; never NULL */
/* `at[k]`: along that axis, of all. */
bool layout_write (const char *bundle, int n_axes, char *const *ids, const double *const *at, uint32_t n,
                   GError **error);
