/* SPDX-License-Identifier: Apache-2.0 */
#include "views/time-plot.h"
#include <math.h>
#include "views/painter.h"

#define LEFT                                                                                                           \
  64.0 /* px: for the labels of the scale, whose width is guessed: places must hold before they are known              \
        */
#define BOTTOM 26.0

void
time_plot_range (const ViewScene *scene, int64_t *from, int64_t *to)
{
  *from = scene->from <= scene->to ? scene->from : scene->source->first;
  *to = scene->from <= scene->to ? scene->to : MAX (scene->source->last, scene->source->first + 1);
}

void
time_plot_place (TimePlot *t, const ViewScene *scene, double y0)
{
  t->x0 = axis_left (scene, LEFT);
  t->x1 = fmax (scene->width_px - AXIS_RIGHT, t->x0 + 16);
  t->y0 = y0;
  t->y1 = fmax (scene->height_px - BOTTOM, y0);
  t->n_columns = (uint32_t) (t->x1 - t->x0);
}

void
time_plot_begin (TimePlot *t, const ViewScene *scene, double y0)
{
  int64_t from, to;

  time_plot_range (scene, &from, &to);
  time_plot_place (t, scene, y0);
  axis_begin (&t->axis, scene, from, to, t->x0, t->x1 - t->x0);
}

bool
time_plot_on_pixels (cairo_t *cr)
{
  return cairo_surface_get_type (cairo_get_group_target (cr)) == CAIRO_SURFACE_TYPE_IMAGE;
}

#define CROWD 400      /* columns of several values */
#define CROWD_ANY 1600 /* of any */

bool
time_plot_crowded (const TimePlot *t, const ValueColumn *columns, uint32_t n_series)
{
  uint32_t several = 0, any = 0;

  for (uint32_t i = 0; i < t->n_columns * n_series; i++) {
    several += columns[i].count > 1;
    any += columns[i].count > 0;
  }
  return several > CROWD || any > CROWD_ANY;
}

void
time_plot_band (const TimePlot *t, cairo_t *cr, Dense *dense, const ValueColumn *columns)
{
  bool pixels = time_plot_on_pixels (cr);
  g_autofree float *top = dense != NULL ? g_new0 (float, t->n_columns) : NULL;
  g_autofree float *bottom = dense != NULL ? g_new0 (float, t->n_columns) : NULL;

  for (uint32_t i = 0; i < t->n_columns; i++) {
    const ValueColumn *c = &columns[i];
    if (c->count < 2 || !(c->max > c->min))
      continue;
    double y = time_plot_y (t, c->max), height = fmax (time_plot_y (t, c->min) - y, 1);
    if (dense != NULL) {
      top[i] = (float) y;
      bottom[i] = (float) (y + height);
      continue;
    }
    cairo_rectangle (cr, t->x0 + i, y, 1, height);
    if (pixels)
      cairo_fill (cr);
  }
  if (dense != NULL)
    dense_columns (dense, t->x0, t->n_columns, top, bottom);
  else
    cairo_fill (cr);
}

typedef struct Pen {
  cairo_t *cr;
  Dense *dense;
  double width, x, y;
} Pen;

static void
pen_move (Pen *p, double x, double y)
{
  p->x = x;
  p->y = y;
  if (p->dense == NULL)
    cairo_move_to (p->cr, x, y);
}

static void
pen_draw (Pen *p, double x, double y)
{
  if (p->dense == NULL)
    cairo_line_to (p->cr, x, y);
  else
    dense_line (p->dense, p->x, p->y, x, y, p->width);
  p->x = x;
  p->y = y;
}

#define PIECE 64 /* columns: a long path costs more than its pieces */

void
time_plot_line (const TimePlot *t, cairo_t *cr, Dense *dense, const ValueColumn *c, double before, double end,
                bool steps, bool crowded)
{
  Pen pen = { .cr = cr, .dense = dense, .width = cairo_get_line_width (cr) };
  double last = before, last_x = t->x0;
  bool down = isfinite (last);

  cairo_save (cr);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  if (crowded) { /* of finer shades than these nobody sees more */
    cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
    cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  }
  if (down)
    pen_move (&pen, t->x0, time_plot_y (t, last));
  for (uint32_t i = 0; i < t->n_columns; i++) {
    double x = t->x0 + i + 0.5;
    if (c[i].count == 0) {
      if (!isfinite (c[i].last) && down) { /* no number has come: the line ends here */
        if (steps && isfinite (last))
          pen_draw (&pen, x, time_plot_y (t, last));
        down = false;
        last = NAN;
      }
      continue;
    }
    /* where several values share each pixel, which is the last of one says nothing */
    bool dense_here = c[i].count > 1, after = i > 0 && dense_here && c[i - 1].count > 1,
         on = i + 1 < t->n_columns && dense_here && c[i + 1].count > 1;
    double y = time_plot_y (t, time_plot_mean (&c[i]));
    if (!down)
      pen_move (&pen, x, y);
    else if (steps && !after)
      pen_draw (&pen, x, time_plot_y (t, last));
    pen_draw (&pen, x, y);
    down = true;
    last = isfinite (c[i].last) ? c[i].last : time_plot_mean (&c[i]);
    last_x = x;
    if (steps && !on)
      pen_draw (&pen, x, time_plot_y (t, last));
    if (crowded && on && i % PIECE == 0) {
      cairo_stroke (cr);
      pen_move (&pen, x, y);
    }
  }
  if (steps && down && isfinite (last) && end > last_x)
    pen_draw (&pen, end, time_plot_y (t, last));
  cairo_stroke (cr);
  cairo_restore (cr);
}

void
time_plot_unknown (const TimePlot *t, Paint *p, int64_t reach)
{
  double x = axis_x (&t->axis, MAX (reach, t->axis.from));

  if (reach < p->scene->source->last && x < t->x1)
    drawing_rect (p->drawing, x, t->y0, t->x1 - x, t->y1 - t->y0, p->unknown, 0.4, NULL);
}

void
time_plot_lost (void *losses, const HistoryLost *lost)
{
  const TimePlotLosses *of = losses;
  const TimePlot *t = of->plot;
  double x0 = fmax (axis_x (&t->axis, lost->from), t->x0), x1 = fmin (axis_x (&t->axis, lost->to), t->x1);

  paint_lost (of->p, x0, t->y1 - 8, x1 - x0, 8);
}

void
time_plot_where (const ViewScene *scene, double y0, cairo_rectangle_t *where, int64_t *from, int64_t *to)
{
  TimePlot t;

  time_plot_range (scene, from, to);
  time_plot_place (&t, scene, y0);
  *where = (cairo_rectangle_t){ t.x0, t.y0, t.x1 - t.x0, t.y1 - t.y0 };
}

void
time_plot_draw_cursor (const ViewScene *scene, double y0, cairo_t *cr, cairo_rectangle_t *where)
{
  TimePlot t;

  time_plot_begin (&t, scene, y0);
  axis_draw_cursor (&t.axis, scene, cr, where, t.y0, t.y1);
}
