/* SPDX-License-Identifier: Apache-2.0 */
#include "views/time-plot.h"
#include <math.h>

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
