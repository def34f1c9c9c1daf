/* SPDX-License-Identifier: Apache-2.0 */
/* time-plot.h - the room of a chart with time across and values up, a column a pixel: what curves and counts of states
 * share.  Engine thread only. */
#pragma once
#include "views/chart.h"
#include "views/dense.h"
#include "views/history-values.h"

typedef struct TimePlot {
  Axis axis;
  ChartScale scale; /* filled by who knows the values */
  double x0, x1, y0, y1;
  uint32_t n_columns;
} TimePlot;

/* The part of time that the scene asks for: the whole of the trace, if none. */
TRACE_API void time_plot_range (const ViewScene *scene, int64_t *from, int64_t *to);
/* Where the plot is: from y0 to the foot of the picture; one that is too low has a plot without height, at y0. */
TRACE_API void time_plot_place (TimePlot *t, const ViewScene *scene, double y0);
/* The same, and its axis. */
TRACE_API void time_plot_begin (TimePlot *t, const ViewScene *scene, double y0);
static inline double
time_plot_y (const TimePlot *t, double value)
{
  return t->y1 - (t->y1 - t->y0) * (value - t->scale.lo) / (t->scale.hi - t->scale.lo);
}
/* Whether `cr` paints pixels, on which many rectangles one by one are a tenth of the work that they are as one path; a
 * file has them as one. */
TRACE_API bool time_plot_on_pixels (cairo_t *cr);
/* Whether so many columns of all series have several values that lines through them turn at nearly each pixel, or so
 * many have one. */
TRACE_API bool time_plot_crowded (const TimePlot *t, const ValueColumn *columns, uint32_t n_series);
/* In each column with several values the span from least to most, in the colour of `cr`, or of `dense` if that is not
 * NULL. */
TRACE_API void time_plot_band (const TimePlot *t, cairo_t *cr, Dense *dense, const ValueColumn *columns);
static inline double
time_plot_mean (const ValueColumn *c)
{
  return c->sum / (double) c->count;
}
/* A line through the values, or, where they share pixels, their means, in the colour and width of `cr`, or with the
 * colour of `dense`, if that is not NULL.  `before`: the value that holds at the beginning, NaN: none.  `steps`: each
 * holds until the next one, the last until x = end.  `crowded`: what time_plot_crowded() says. */
TRACE_API void time_plot_line (const TimePlot *t, cairo_t *cr, Dense *dense, const ValueColumn *columns, double before,
                               double end, bool steps, bool crowded);
/* What is behind `reach` has not been filmed yet. */
TRACE_API void time_plot_unknown (const TimePlot *t, Paint *p, int64_t reach);
typedef struct TimePlotLosses {
  Paint *p;
  const TimePlot *plot;
} TimePlotLosses;
/* For states_reader_lost() and its like: what damage of the film has cost, at the foot of the plot. */
TRACE_API void time_plot_lost (void *losses, const HistoryLost *lost);
/* View's plot and draw_cursor, of a plot that begins at y0. */
TRACE_API void time_plot_where (const ViewScene *scene, double y0, cairo_rectangle_t *where, int64_t *from,
                                int64_t *to);
TRACE_API void time_plot_draw_cursor (const ViewScene *scene, double y0, cairo_t *cr, cairo_rectangle_t *where);
