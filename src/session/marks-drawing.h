/* SPDX-License-Identifier: Apache-2.0 */
/* marks-drawing.h - what a person has drawn over a view at the instant of a mark: a file SVG in the folder "marks" of
 * the bundle, which the notes of the mark name, so that every page shows it; docs/marks-format.md.  Of the
 * thread that the marks belong to. */
#pragma once
#include "session/marks.h"

typedef enum { MARK_FREEHAND, MARK_ARROW, MARK_RECTANGLE, N_MARK_SHAPES } MarkShape;
extern const char *const mark_shapes[]; /* as files have them */
#define MARK_STROKES_MOST 500
#define MARK_POINTS_MOST 5000 /* of one stroke */

typedef struct MarkPoint {
  double x, y; /* 0..1 of the whole picture, or 0..1 of the plot between the dates of the drawing; may lie outside */
} MarkPoint;

typedef struct MarkStroke {
  MarkShape shape;
  GArray *points; /* of MarkPoint: of an arrow two, from its tail; of a rectangle two corners */
} MarkStroke;

typedef struct MarkDrawing {
  char *view;         /* name of its box */
  char *file;         /* "marks/drawing-1a2b3c4d.svg"; NULL: not written yet */
  bool dated;         /* x stands for dates: it goes along when the view is zoomed */
  int64_t from, to;   /* ticks, shifted as the trace is */
  GPtrArray *strokes; /* of MarkStroke * */
} MarkDrawing;

MarkDrawing *mark_drawing_new (const char *view);
void mark_drawing_free (MarkDrawing *d);
/* False: there are too many strokes, or points, or one is no number or lies more than 1000 times the picture outside.
 */
bool mark_drawing_add (MarkDrawing *d, MarkShape shape, const MarkPoint *points, guint n);
/* Of a mark over a view; NULL: there is none, or with an error it cannot be understood. */
MarkDrawing *mark_drawing_load (const Marks *m, const Mark *mark, const char *view, GError **error);
/* Writes the file and lets the notes name it; the marks are to be saved after it.  Without strokes the notes
 * name it no more, and mark_drawing_drop takes the file.  False and a sentence: it is too large, or cannot be written;
 * nothing has changed. */
bool mark_drawing_save (Marks *m, Mark *mark, MarkDrawing *d, GError **error);
/* Removes the file of a drawing, once the marks are saved; it stays where notes name it still. */
void mark_drawing_drop (const Marks *m, const char *file);
/* Where a stroke goes along, as points of its outline: two or more, `pen` false where a line begins anew.  The box is
 * where 0..1 lie, px; head: of an arrow, px.  Of MarkStep; g_array_unref. */
typedef struct MarkStep {
  double x, y;
  bool pen;
} MarkStep;
GArray *mark_stroke_steps (const MarkStroke *s, double left, double top, double width, double height, double head);
/* As an SVG of that size over a picture, appended. */
void mark_drawing_svg (const MarkDrawing *d, double width, double height, double left, double top, double plot_width,
                       double plot_height, GString *to);
