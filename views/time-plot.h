/* SPDX-License-Identifier: Apache-2.0 */
/* time-plot.h - the room of a chart with time across and values up, a column a pixel: what curves and counts of states
 * share.  Engine thread only. */
#pragma once
#include "views/chart.h"
#include "views/history.h"

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
