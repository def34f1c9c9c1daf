/* SPDX-License-Identifier: Apache-2.0 */
/* contour.h - a grid of numbers as a landscape seen from above: bands of one shade between lines of equal height. */
#pragma once
#include "views/chart.h"

#define CONTOUR_LEVELS 8 /* at most, so many lines */

typedef struct Contour {
  const double *values; /* row by row; NaN: nothing is known there */
  uint32_t n_rows, n_columns;
  double x0, y0, cell_w, cell_h; /* of the grid: a value is in the middle of its cell */
  double lo, hi;
} Contour;

/* The heights that have a line, round ones, between lo and hi; gives how many. */
TRACE_API uint32_t contour_levels (const Contour *c, double levels[CONTOUR_LEVELS]);
/* `label`: of a height; g_free; NULL: none.  Lines that are long enough have one, where none lies over another. */
TRACE_API void contour_draw (Paint *p, const Contour *c, char *(*label) (const void *of, double level), const void *of);
/* How many of the lines are below a height, as a share of all. */
TRACE_API double contour_band (const Contour *c, double height);
/* How high it is at a place, between the cells around it; NaN: that is not known. */
TRACE_API double contour_height (const Contour *c, double x, double y);
