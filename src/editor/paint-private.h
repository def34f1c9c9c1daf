/* SPDX-License-Identifier: Apache-2.0 */
/* paint-private.h - what paint*.c share. */
#pragma once
#include <pango/pangocairo.h>
#include "editor/paint.h"

typedef struct PaintColours {
  uint32_t canvas, grid, body, border, text, dim, selection, error, warning, good; /* 0xRRGGBB */
} PaintColours;

const PaintColours *paint_colours (bool dark);
void paint_rgb (cairo_t *cr, uint32_t rgb, double alpha);
uint32_t paint_mix (uint32_t a, uint32_t b, double share_of_b);
void paint_rounded (cairo_t *cr, double x, double y, double w, double h, double r);
PangoLayout *paint_layout (const Sketch *s, cairo_t *cr, double size_px, bool bold); /* g_object_unref */
/* In window px.  Its picture is made anew if the box looks different, and if only the zoom is another while there is
 * time (monotonic us).  True: the picture is not sharp yet. */
bool paint_box (Sketch *s, const PaintView *v, cairo_t *cr, SketchBox *b, gint64 until);
