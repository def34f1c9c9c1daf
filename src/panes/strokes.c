/* SPDX-License-Identifier: Apache-2.0 */
/* strokes.c - what is drawn over a picture by hand: kept with the mark of the instant (session/marks-drawing.h), and
 * seen whenever this is the present. */
#include <math.h>
#include "eve/words.h"
#include "panes/picture.h"
#include "session/marks-drawing.h"
#include "views/paint.h"

#define NEAR_PX 2 /* of the pointer, that makes no point of its own */
#define HEAD_PX 14

/* Where 0..1 of a drawing lie, px. */
typedef struct Box {
  double left, top, width, height;
} Box;

static Box
strokes_box_of (ScopePicture *p, const MarkDrawing *d)
{
  Box b = { 0, 0, picture_width (p), picture_height (p) };
  cairo_rectangle_t plot;
  int64_t from, to;

  if (d->dated && picture_plot (p, &plot, &from, &to)) {
    double per_tick = plot.width / ((double) to - (double) from);
    b = (Box){ plot.x + ((double) d->from - (double) from) * per_tick, plot.y,
               ((double) d->to - (double) d->from) * per_tick, plot.height };
  } else if (picture_sort (p) == PICTURE_DRAWING) {
    b.width *= p->shown.zoom;
    b.height *= p->shown.zoom;
    b.left = -p->shown.left;
    b.top = -p->shown.top;
  }
  return b;
}

/* The mark of the present; NULL: there is none. */
static Mark *
mark_here (ScopePicture *p)
{
  Marks *marks = scope_document_is_open (p->d) ? scope_document_marks (p->d) : NULL;
  int64_t at = scope_document_at (p->d);

  for (guint i = 0; marks && i < marks->list->len; ++i)
    if (((Mark *) marks->list->pdata[i])->date == at)
      return marks->list->pdata[i];
  return NULL;
}

void
strokes_forget (ScopePicture *p)
{
  g_clear_pointer (&p->strokes, mark_drawing_free);
  p->strokes_known = false;
}

/* Read when it is first looked at; what cannot be understood is said once. */
static MarkDrawing *
panes_strokes_known (ScopePicture *p)
{
  int64_t at = scope_document_at (p->d);
  g_autoptr (GError) error = NULL;

  if (p->strokes_known && p->strokes_at == at)
    return p->strokes;
  strokes_forget (p);
  p->strokes_known = true;
  p->strokes_at = at;
  Mark *m = mark_here (p);
  if (m)
    p->strokes = mark_drawing_load (scope_document_marks (p->d), m, eve_name (p->c), &error);
  if (error)
    scope_document_say_about (p->d, "strokes", SCOPE_SAY_WARNING, "%s", error->message);
  return p->strokes;
}

static MarkShape
strokes_shape_of (ScopePicture *p)
{
  return p->tool == PICTURE_ARROW ? MARK_ARROW : p->tool == PICTURE_RECTANGLE ? MARK_RECTANGLE : MARK_FREEHAND;
}

void
strokes_begin (ScopePicture *p)
{
  MarkPoint first = { p->press_x, p->press_y };

  g_clear_pointer (&p->stroke, g_array_unref);
  p->stroke = g_array_new (FALSE, FALSE, sizeof (MarkPoint));
  g_array_append_val (p->stroke, first);
}

void
strokes_to (ScopePicture *p, double x, double y)
{
  MarkPoint to = { x, y };

  if (!p->stroke)
    return;
  const MarkPoint *last = &g_array_index (p->stroke, MarkPoint, p->stroke->len - 1);
  if (strokes_shape_of (p) != MARK_FREEHAND)
    g_array_set_size (p->stroke, 1);
  else if (p->stroke->len == MARK_POINTS_MOST || hypot (x - last->x, y - last->y) < NEAR_PX)
    return;
  g_array_append_val (p->stroke, to);
}

static MarkDrawing *
begin_drawing (ScopePicture *p)
{
  MarkDrawing *d = mark_drawing_new (eve_name (p->c));
  cairo_rectangle_t plot;

  d->dated = picture_sort (p) == PICTURE_TIME && picture_plot (p, &plot, &d->from, &d->to);
  return d;
}

void
strokes_end (ScopePicture *p)
{
  g_autoptr (GArray) stroke = g_steal_pointer (&p->stroke);

  if (!stroke || stroke->len < 2 || !picture_is_alive (p) || !scope_document_marks (p->d))
    return;
  if (!mark_here (p) && !scope_document_add_mark (p->d, NULL, scope_document_at (p->d), ""))
    return;
  Mark *m = mark_here (p);
  MarkDrawing *now = panes_strokes_known (p), *d = now ? now : begin_drawing (p);
  Box b = strokes_box_of (p, d);
  for (guint i = 0; i < stroke->len; ++i) {
    MarkPoint *at = &g_array_index (stroke, MarkPoint, i);
    at->x = (at->x - b.left) / b.width;
    at->y = (at->y - b.top) / b.height;
  }
  if (m && mark_drawing_add (d, strokes_shape_of (p), (const MarkPoint *) (const void *) stroke->data, stroke->len))
    scope_document_draw_mark (p->d, m, d); /* tells of the marks: `now` may be gone */
  else
    scope_document_say_about (p->d, "strokes", SCOPE_SAY_NOTE,
                              _ ("There is too much drawn here already; take some of it back"));
  if (!now)
    mark_drawing_free (d);
  strokes_forget (p);
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

void
strokes_take_back (ScopePicture *p)
{
  Mark *m = mark_here (p);
  MarkDrawing *d = m ? panes_strokes_known (p) : NULL;

  if (!d || !d->strokes->len) {
    scope_document_say_about (p->d, "strokes", SCOPE_SAY_NOTE, _ ("Nothing is drawn over %s at this instant"),
                              eve_name (p->c));
    return;
  }
  g_ptr_array_set_size (d->strokes, (int) d->strokes->len - 1);
  p->strokes = NULL; /* saving tells of the marks, and all is read again */
  scope_document_draw_mark (p->d, m, d);
  mark_drawing_free (d);
  strokes_forget (p);
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

/* ---- painting ---------------------------------------------------------------------------------------------- */

static void
paint_steps (cairo_t *cr, GArray *steps)
{
  for (int layer = 0; layer < 2; ++layer) { /* it is seen on whatever it lies on */
    for (guint i = 0; i < steps->len; ++i) {
      const MarkStep *at = &g_array_index (steps, MarkStep, i);
      at->pen ? cairo_line_to (cr, at->x, at->y) : cairo_move_to (cr, at->x, at->y);
    }
    paint_source (cr, layer ? 0xe01b24 : 0xffffff, layer ? 1 : 0.7);
    cairo_set_line_width (cr, layer ? 3 : 6);
    cairo_stroke (cr);
  }
}

void
strokes_draw (ScopePicture *p, cairo_t *cr)
{
  const MarkDrawing *d = panes_strokes_known (p);
  cairo_rectangle_t plot;
  int64_t from, to;

  cairo_save (cr);
  if (d && d->dated && picture_plot (p, &plot, &from, &to)) { /* not over the names of rows */
    cairo_rectangle (cr, plot.x, 0, plot.width, picture_height (p));
    cairo_clip (cr);
  }
  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  for (guint i = 0; d && i < d->strokes->len; ++i) {
    Box b = strokes_box_of (p, d);
    g_autoptr (GArray) steps = mark_stroke_steps (d->strokes->pdata[i], b.left, b.top, b.width, b.height, HEAD_PX);
    paint_steps (cr, steps);
  }
  if (p->stroke && p->stroke->len > 1) {
    MarkStroke s = { strokes_shape_of (p), p->stroke };
    g_autoptr (GArray) steps = mark_stroke_steps (&s, 0, 0, 1, 1, HEAD_PX);
    paint_steps (cr, steps);
  }
  cairo_restore (cr);
}

guint
strokes_count (ScopePicture *p)
{
  const MarkDrawing *d = picture_is_alive (p) ? panes_strokes_known (p) : NULL;

  return d ? d->strokes->len : 0;
}
