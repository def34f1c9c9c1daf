/* SPDX-License-Identifier: Apache-2.0 */
/* looks-charts.c - what stands inside of a shape: how far it is filled, shares as a pie or a bar.  What is left of the
 * shape around it tells its colour. */
#include <math.h>
#include "views/associations.h"
#include "views/painter.h"

/* The disc inside of a shape; small ones have no rim to spare. */
static double
room_inside (double r)
{
  return r >= 8 ? r * 0.8 : r * 0.92;
}

static void
paper_inside (Paint *p, double x, double y, double r)
{
  cairo_new_path (p->cr);
  cairo_arc (p->cr, x, y, r, 0, 2 * G_PI);
  paint_source (p->cr, p->paper, 1);
  cairo_fill (p->cr);
}

void
looks_draw_fill (Paint *p, double x, double y, double r, double fill, uint32_t rgb)
{
  double inside = room_inside (r), from = asin (CLAMP (1 - 2 * fill, -1, 1));

  paper_inside (p, x, y, inside);
  if (!(fill > 0))
    return;
  cairo_new_path (p->cr);
  cairo_arc (p->cr, x, y, inside + 0.6, from, G_PI - from); /* no seam to the rim */
  cairo_close_path (p->cr);
  paint_source (p->cr, rgb, 1);
  cairo_fill (p->cr);
}

static void
looks_charts_draw_bar (Paint *p, double x, double y, double r, const Look *look)
{
  double wide = 1.8 * r, high = 0.8 * r, at = x - wide / 2;

  for (int i = 0; i < look->n_shares; i++) {
    double part = wide * look->shares[i];
    cairo_new_path (p->cr);
    cairo_rectangle (p->cr, at, y - high / 2, part, high);
    paint_source (p->cr, paint_state (p->scene, STATE_NODE, look->share_of[i]), 1);
    cairo_fill (p->cr);
    at += part;
  }
}

void
looks_draw_chart (Paint *p, double x, double y, double r, const Look *look)
{
  double inside = room_inside (r), angle = -G_PI / 2;

  paper_inside (p, x, y, inside);
  if (look->chart == CHART_BAR) {
    looks_charts_draw_bar (p, x, y, inside, look);
    return;
  }
  inside -= r >= 8 ? 1 : 0; /* a line of paper sets it off */
  for (int i = 0; i < look->n_shares; i++) {
    double part = 2 * G_PI * look->shares[i];
    cairo_new_path (p->cr);
    cairo_move_to (p->cr, x, y);
    cairo_arc (p->cr, x, y, inside, angle, angle + part);
    cairo_close_path (p->cr);
    paint_source (p->cr, paint_state (p->scene, STATE_NODE, look->share_of[i]), 1);
    cairo_fill (p->cr);
    angle += part;
  }
}
