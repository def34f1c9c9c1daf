/* SPDX-License-Identifier: Apache-2.0 */
/* dense.h - what is too dense for cairo, which takes each of its paths apart again: thousands of lines, points and
 * bands of one colour, put as pixels where cairo would put them.  What is of one colour covers each pixel once, however
 * often it passes there, as one path of cairo does.  Engine thread only. */
#pragma once
#include <cairo.h>
#include "readers/event.h"

#define DENSE_DISC_MOST 8 /* px of the target: the radius of a disc */

typedef struct Dense {
  cairo_surface_t *image;
  uint32_t *pixels, rgb, alpha; /* alpha: of 256 */
  size_t stride;                /* pixels */
  int32_t left, top, right, bottom;
  double scale, dx, dy;     /* from user space to pixels */
  uint16_t *over;           /* by pixel: the colour that covered it last, and how far, of 255 */
  size_t over_from;         /* the pixel that it begins at */
  uint8_t nth;              /* of the colour */
  struct DenseDiscs *discs; /* NULL: none was drawn */
  double last_radius;       /* pixels, of the last spot, */
  uint32_t n_alike;         /* and how many before it had the same */
  GArray *kept;             /* what dense_gather () asked for; NULL: it was not called */
} Dense;

/* False where `cr` paints no pixels, or not straight, or is clipped by more than a rectangle: then everything is for
 * cairo.  Clips that come later do not count.  What cairo paints in between is where it comes; dense_end() is for
 * after true alone. */
TRACE_API bool dense_begin (Dense *d, cairo_t *cr);
TRACE_API void dense_end (Dense *d);
/* What follows, until the next one, has this colour. */
TRACE_API void dense_colour (Dense *d, uint32_t rgb, double alpha);
/* Lines, dashes and triangles that follow, of whatever colours, are kept until dense_end (), which puts them by all
 * processors: the pixels are those of one after another.  Until then nothing else is painted, by cairo neither. */
TRACE_API void dense_gather (Dense *d);
/* What cairo itself is to paint, by all processors: paint() is called for each of several bands of the picture, with
 * what paints there alone and nowhere else; once with `cr` where there are no pixels.  It asks nothing of what only the
 * engine thread may: no text, no colours that are looked up. */
TRACE_API void dense_bands (cairo_t *cr, void (*paint) (void *arg, cairo_t *band), void *arg);
/* In user space. */
TRACE_API void dense_line (Dense *d, double x0, double y0, double x1, double y1, double width);
/* The same with strokes of `on` and gaps of as much. */
TRACE_API void dense_dashes (Dense *d, double x0, double y0, double x1, double y1, double width, double on);
TRACE_API void dense_triangle (Dense *d, const double x[3], const double y[3]);
/* At most DENSE_DISC_MOST px of the target. */
TRACE_API void dense_disc (Dense *d, double x, double y, double radius);
/* The same in a colour of its own, over whatever is there: as if it were painted alone. */
TRACE_API void dense_spot (Dense *d, double x, double y, double radius, uint32_t rgb, double alpha);
/* Columns of one px from x on, from top[] to bottom[] each; none where top is not above bottom.  They lie on nothing
 * else of their colour. */
TRACE_API void dense_columns (Dense *d, double x, uint32_t n, const float *top, const float *bottom);
/* The same without what lies between two pixels, as cairo paints rectangles that are not to be smoothed: columns that
 * stand on each other have no seam. */
TRACE_API void dense_sharp_columns (Dense *d, double x, uint32_t n, const float *top, const float *bottom);
/* A rectangle likewise, in a colour of its own; between two dense_colour (). */
TRACE_API void dense_sharp_rect (Dense *d, double x, double y, double width, double height, uint32_t rgb);
/* Rectangles likewise in rows, from the place 0, 0 on, each of so many units, which are `scale` px: by all processors,
 * one colour for each. */
typedef struct DenseCells {
  uint32_t n, columns;
  double width, height, scale; /* of a cell */
  int gap;                     /* px between two */
  uint32_t (*colour) (const void *arg, uint32_t cell);
  const void *arg;
} DenseCells;
TRACE_API void dense_cells (Dense *d, const DenseCells *cells);
