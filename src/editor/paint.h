/* SPDX-License-Identifier: Apache-2.0 */
/* paint.h - draws a sketch with cairo, onto a window or an image.  Boxes are kept as pictures, so that a frame in which
 * many move costs little; only what is in sight is drawn.  Main thread. */
#pragma once
#include "editor/sketch.h"

typedef struct PaintView {
  double x, y; /* of the canvas, at the top left corner, px at zoom 1 */
  double zoom;
  double width, height; /* logical px of the window */
  double scale;         /* device px a logical px */
  double text;          /* how many times as large as usual text shall be: the natural zoom */
  bool dark;
  const SketchWire *hot_wire; /* under the pointer; NULL: none */
  const SketchPort *hot_port;
  const SketchGroup *hot_group;  /* takes what is being dragged; NULL: none */
  const SketchWire *hidden_wire; /* was taken off and is drawn elsewhere */
  double budget_ms;              /* for pictures that only have another zoom: the others are made later; 0: no limit */
} PaintView;

/* Background, frames, open sub-programs, wires, boxes.  True: pictures are left to be made sharp, draw again soon. */
bool paint_sketch (Sketch *s, const PaintView *v, cairo_t *cr);
/* The curve of a wire that is being drawn, in canvas px. */
void paint_loose_wire (const PaintView *v, cairo_t *cr, const double x[4], const double y[4], const EveType *type,
                       bool fits);
/* Words beside a point of the window (logical px), kept inside it. */
typedef enum { BUBBLE_PLAIN, BUBBLE_REFUSAL, BUBBLE_VALUE } Bubble;
/* Beside a box, so that its ports and what it says can still be seen. */
void paint_bubble_of_box (const Sketch *s, const PaintView *v, cairo_t *cr, const SketchBox *b, const char *markup);
void paint_bubble (const Sketch *s, const PaintView *v, cairo_t *cr, double x, double y, const char *markup,
                   Bubble kind);
/* A rectangle of the window that selects. */
void paint_rubber (const PaintView *v, cairo_t *cr, double x, double y, double width, double height);
void paint_focus (const PaintView *v, cairo_t *cr); /* it has the keys */
/* The whole program small, in a corner. */
void paint_minimap (const Sketch *s, const PaintView *v, cairo_t *cr);
/* Where it is, and which place of the canvas a point of it shows; false: there is none (all is in sight). */
bool paint_minimap_area (const Sketch *s, const PaintView *v, cairo_rectangle_t *area);
void paint_minimap_point (const Sketch *s, const PaintView *v, double x, double y, double *canvas_x, double *canvas_y);
void paint_to_window (const PaintView *v, double x, double y, double *wx, double *wy);

/* ---- colours and shapes -------------------------------------------------------------------------------------------- */
/* 0xRRGGBB of a type, to be read on the canvas of that look; NULL: no type yet. */
uint32_t paint_type_colour (const EveType *t, bool dark);
