/* SPDX-License-Identifier: Apache-2.0 */
/* drawing.h - what a view draws into.
 *
 * A drawing has two sides that one build fills together: it is painted (by cairo: on the screen, into PNG, SVG or PDF),
 * and its parts that have a tag are kept as marks, in the order in which they are added, the most important first, from
 * which everything else is answered (view.h).  Either side may be off: a file needs no marks, an answer no paint.
 *
 * What is drawn below goes to both.  Titles, axes and all else that is of nothing is painted with the Paint of the
 * drawing; what is dense stays a raster of the view's own, handed over as an image.  So does what is rendered
 * elsewhere, as a scene in 3D: its pixels, with the number of what each of them shows. */
#pragma once
#include "views/paint.h"

/* `cr` NULL: not painted.  `most` marks are kept at most. */
TRACE_API Drawing *drawing_new (const ViewScene *scene, cairo_t *cr, guint most);
TRACE_API void drawing_free (Drawing *d); /* NULL: nothing */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Drawing, drawing_free)

/* ---- for views --------------------------------------------------------------------------------------------------------- */
/* The paper.  What paints with it is painted nowhere where the drawing is not painted. */
TRACE_API Paint *drawing_begin (Drawing *d);
TRACE_API bool drawing_is_painted (const Drawing *d);
/* What is painted stands in for the picture, which has not come yet: ViewScene.budget_ms. */
TRACE_API void drawing_unfinished (Drawing *d);
TRACE_API bool drawing_is_unfinished (const Drawing *d);
/* The same, of a picture that is to be seen as it is: it is one on the way, as of things that move to their places. */
TRACE_API void drawing_on_the_way (Drawing *d);
TRACE_API bool drawing_is_on_the_way (const Drawing *d);
/* Marks that cost: true says that they are not wanted now, and that a drawing which is not painted will be asked for
 * them as soon as somebody points. */
TRACE_API bool drawing_later (Drawing *d);
/* How many more marks are kept. */
TRACE_API guint drawing_room (const Drawing *d);

/* Each with a tag, or NULL: only painted. */
TRACE_API void drawing_rect (Drawing *d, double x, double y, double width, double height, uint32_t rgb, double alpha,
                             const DrawingTag *tag);
TRACE_API void drawing_disc (Drawing *d, double x, double y, double r, uint32_t rgb, double alpha,
                             const DrawingTag *tag);
/* A part of a ring, or of a disc (inner 0); angles as cairo_arc() has them. */
TRACE_API void drawing_sector (Drawing *d, double x, double y, double inner, double outer, double from, double to,
                               uint32_t rgb, const DrawingTag *tag);
/* Straight lines through n points, x and y of each. */
TRACE_API void drawing_line (Drawing *d, const double *points, guint n, double width, uint32_t rgb, double alpha,
                             const DrawingTag *tag);
/* As paint_text(). */
TRACE_API double drawing_text (Drawing *d, double x, double y, double align, int px, uint32_t rgb, double max_px,
                               const char *text, const DrawingTag *tag);
/* Pixels that were made elsewhere, into a rectangle.  `ids`, if not NULL: a number for each of its width * height
 * pixels, row by row: 0, or 1 + the index of a tag.  All are copied. */
TRACE_API void drawing_image (Drawing *d, double x, double y, double width, double height, cairo_surface_t *image,
                              const uint32_t *ids, const DrawingTag *tags, guint n_tags);

/* Marks of what is painted otherwise, or not at all: a row as far as it can be pointed at. */
TRACE_API void drawing_area (Drawing *d, double x, double y, double width, double height, const DrawingTag *tag);
TRACE_API void drawing_mark_disc (Drawing *d, double x, double y, double r, const DrawingTag *tag);
/* `near` px to each side. */
TRACE_API void drawing_mark_line (Drawing *d, const double *points, guint n, double near, const DrawingTag *tag);
/* Of what a colour dropped there changes, in something that has a mark of its own. */
TRACE_API void drawing_colour (Drawing *d, double x, double y, double width, double height, const char *attribute,
                               const char *value);
/* A mark of a rectangle, as View.point gives it. */
TRACE_API DrawingMark drawing_mark_of (double x, double y, double width, double height, const DrawingTag *tag);

/* `part` of the tags of what a legend names: the value of an attribute, its slot the index. */
#define DRAWING_LEGEND UINT32_MAX

/* ---- how what is selected stands out ------------------------------------------------------------------------------------- */
#define DRAWING_ACCENT 0x3584e4
static inline bool
view_selects (const ViewScene *scene, TraceRef r)
{
  return r.type != TRACE_REF_NONE && trace_refs_has (scene->selection, r);
}
/* Whether what a tag is of is selected: itself, or the link or message between both. */
TRACE_API bool view_selects_tag (const ViewScene *scene, const DrawingTag *tag);
/* Whether it stands out in a picture: it is selected, or a task that a selected link or message comes from or goes to.
 */
TRACE_API bool view_stands_out (const ViewScene *scene, TraceRef r);
/* Whether one of the tasks of a part of the scene's groups does. */
TRACE_API bool view_part_stands_out (const ViewScene *scene, uint32_t part);
/* The same for what a tag is of, and for what is between two tasks if one of them is selected. */
TRACE_API bool view_tag_stands_out (const ViewScene *scene, const DrawingTag *tag);
/* A band behind a row that is selected. */
TRACE_API void drawing_band (Drawing *d, double x, double y, double width, double height);

/* ---- for those who show drawings ----------------------------------------------------------------------------------------- */
/* It is drawn: from now on only its marks are asked for. */
TRACE_API void drawing_end (Drawing *d);
TRACE_API guint drawing_n_marks (const Drawing *d);
TRACE_API const DrawingMark *drawing_mark (const Drawing *d, guint i);
/* The m->n points of a line, x and y of each; NULL: it is none. */
TRACE_API const double *drawing_points (const Drawing *d, const DrawingMark *m);
/* The mark of the next thing, and *at behind it; begin with 0 and NULL.  Marks of one tag that follow each other are
 * parts of one thing, of which the first is the whole.  NULL: that was the last; d may be NULL. */
TRACE_API const DrawingMark *drawing_next_thing (const Drawing *d, guint *at, const DrawingMark *before);
/* Some were left for later, or for want of room. */
TRACE_API bool drawing_is_partial (const Drawing *d);
/* The smallest that a point is in; `colours`: of those that have a colour; NULL: none. */
TRACE_API const DrawingMark *drawing_at (const Drawing *d, double x, double y, bool colours);
/* How large it is for a finger: of two that hold a point the smaller is meant. */
TRACE_API double drawing_size (const DrawingMark *m);
/* Paints an outline `more` px beside a mark; the colour and width are those of `cr`. */
TRACE_API void drawing_frame (const Drawing *d, const DrawingMark *m, cairo_t *cr, double more);
