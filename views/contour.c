/* SPDX-License-Identifier: Apache-2.0 */
/* contour.c - lines of equal height over a grid, by marching squares: what lies between four values is linear on the
 * edges of their square, so that a line goes on where the square beside it ends. */
#include "views/contour.h"
#include <math.h>
#include <string.h>
#include "views/painter.h"

#define STEP 2.0 /* px: of the shades between the lines */
#define LABELS 48
#define APART 52.0       /* px between labels at least */
#define SAME_APART 150.0 /* and between those of one line */

uint32_t
contour_levels (const Contour *c, double levels[CONTOUR_LEVELS])
{
  ChartScale s;
  uint32_t n = 0;

  if (!(c->hi > c->lo))
    return 0;
  chart_scale (&s, c->lo, c->hi, NULL, CONTOUR_LEVELS);
  for (double x = s.lo; x < c->hi && n < CONTOUR_LEVELS; x += s.step)
    if (x > c->lo)
      levels[n++] = x;
  return n;
}

static double
contour_value_at (const Contour *c, uint32_t row, uint32_t column)
{
  return c->values[(size_t) row * c->n_columns + column];
}

double
contour_height (const Contour *c, double x, double y)
{
  double across = (x - c->x0) / c->cell_w - 0.5, down = (y - c->y0) / c->cell_h - 0.5;

  if (c->n_rows == 0 || c->n_columns == 0 || across < -0.5 || down < -0.5 || across > c->n_columns - 0.5
      || down > c->n_rows - 0.5)
    return NAN;
  across = CLAMP (across, 0, c->n_columns - 1.0);
  down = CLAMP (down, 0, c->n_rows - 1.0);
  uint32_t k = MIN ((uint32_t) across, c->n_columns > 1 ? c->n_columns - 2 : 0),
           i = MIN ((uint32_t) down, c->n_rows > 1 ? c->n_rows - 2 : 0);
  uint32_t k1 = MIN (k + 1, c->n_columns - 1), i1 = MIN (i + 1, c->n_rows - 1);
  double a = across - k, b = down - i;
  double v[4] = { contour_value_at (c, i, k), contour_value_at (c, i, k1), contour_value_at (c, i1, k),
                  contour_value_at (c, i1, k1) },
         w[4] = { (1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b }, sum = 0, weight = 0;

  for (int q = 0; q < 4; q++)
    if (!isnan (v[q]) && w[q] > 0) {
      sum += v[q] * w[q];
      weight += w[q];
    }
  return weight >= 0.5 ? sum / weight : NAN; /* nearer to what is known */
}

/* The number of lines below a height, as a share of all. */
static double
band_of (double height, const double *levels, uint32_t n)
{
  uint32_t below = 0;

  while (below < n && height >= levels[below])
    below++;
  return (double) below / MAX (n, 1);
}

double
contour_band (const Contour *c, double height)
{
  double levels[CONTOUR_LEVELS];
  uint32_t n = contour_levels (c, levels);

  return band_of (height, levels, n);
}

/* The landscape at points STEP px from each other, from which bands and lines are made alike. */
typedef struct Fine {
  double *heights;
  uint32_t n_rows, n_columns;
} Fine;

static double
fine_at (const Fine *f, uint32_t row, uint32_t column)
{
  return f->heights[(size_t) row * f->n_columns + column];
}

static void
contour_sample (const Contour *c, Fine *f)
{
  f->n_columns = (uint32_t) (c->cell_w * c->n_columns / STEP) + 1;
  f->n_rows = (uint32_t) (c->cell_h * c->n_rows / STEP) + 1;
  f->heights = g_new (double, (size_t) f->n_rows * f->n_columns);
  for (uint32_t i = 0; i < f->n_rows; i++)
    for (uint32_t k = 0; k < f->n_columns; k++)
      f->heights[(size_t) i * f->n_columns + k] = contour_height (c, c->x0 + STEP * k, c->y0 + STEP * i);
}

/* Runs of one shade are one rectangle. */
static void
draw_bands (Paint *p, const Contour *c, const Fine *f, const double *levels, uint32_t n)
{
  double right = c->x0 + c->cell_w * c->n_columns, bottom = c->y0 + c->cell_h * c->n_rows;

  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_NONE);
  for (uint32_t i = 0; i < f->n_rows; i++) {
    double y = c->y0 + STEP * i, shade = -2;
    uint32_t begin = 0;
    for (uint32_t k = 0; k <= f->n_columns; k++) {
      double height = k < f->n_columns ? fine_at (f, i, k) : NAN, now = k == f->n_columns ? -3
                                                                        : isnan (height)  ? -1
                                                                                          : band_of (height, levels, n);
      if (now == shade)
        continue;
      if (shade >= 0) {
        double x0 = fmax (c->x0, c->x0 + STEP * (begin - 0.5)), x1 = fmin (right, c->x0 + STEP * (k - 0.5)),
               y0 = fmax (c->y0, y - STEP / 2), y1 = fmin (bottom, y + STEP / 2);
        paint_source (p->cr, chart_shade (p->scene, shade), 1);
        cairo_rectangle (p->cr, x0, y0, x1 - x0, y1 - y0);
        cairo_fill (p->cr);
      }
      begin = k;
      shade = now;
    }
  }
  cairo_set_antialias (p->cr, CAIRO_ANTIALIAS_DEFAULT);
}

/* Where a level crosses an edge between two values. */
static bool
crosses (double a, double b, double level, double *share)
{
  if (isnan (a) || isnan (b) || (a < level) == (b < level))
    return false;
  *share = (level - a) / (b - a);
  return true;
}

/* The parts of the line in one square: two ends, or four. */
static uint32_t
march (const Contour *c, const Fine *fine, uint32_t i, uint32_t k, double level, double ends[8])
{
  double a = fine_at (fine, i, k), b = fine_at (fine, i, k + 1), e = fine_at (fine, i + 1, k),
         f = fine_at (fine, i + 1, k + 1), x = c->x0 + STEP * k, y = c->y0 + STEP * i, at;
  uint32_t n = 0;

  if (crosses (a, b, level, &at)) {
    ends[2 * n] = x + STEP * at;
    ends[2 * n++ + 1] = y;
  }
  if (crosses (a, e, level, &at)) {
    ends[2 * n] = x;
    ends[2 * n++ + 1] = y + STEP * at;
  }
  if (crosses (e, f, level, &at)) {
    ends[2 * n] = x + STEP * at;
    ends[2 * n++ + 1] = y + STEP;
  }
  if (crosses (b, f, level, &at)) {
    ends[2 * n] = x + STEP;
    ends[2 * n++ + 1] = y + STEP * at;
  }
  if (n == 4 && (a < level) == ((a + b + e + f) / 4 < level)) { /* a saddle: the middle tells which two are one side */
    double swap[2] = { ends[2], ends[3] };
    memcpy (&ends[2], &ends[6], sizeof swap);
    memcpy (&ends[6], swap, sizeof swap);
  }
  return n / 2;
}

typedef struct Label {
  double x, y, level;
} Label;

static bool
contour_has_room (const Contour *c, const Label *labels, uint32_t n, double x, double y, double level)
{
  if (x < c->x0 + 22 || x > c->x0 + c->cell_w * c->n_columns - 22 || y < c->y0 + 8
      || y > c->y0 + c->cell_h * c->n_rows - 8)
    return false;
  for (uint32_t i = 0; i < n; i++)
    if ((fabs (labels[i].x - x) < APART && fabs (labels[i].y - y) < 18)
        || (labels[i].level == level && hypot (labels[i].x - x, labels[i].y - y) < SAME_APART))
      return false;
  return true;
}

static void
draw_level (Paint *p, const Contour *c, const Fine *f, double level, uint32_t rgb, Label *places, uint32_t *n_places)
{
  uint32_t met = 0;

  cairo_set_line_width (p->cr, 1);
  paint_source (p->cr, rgb, 1);
  for (uint32_t i = 0; i + 1 < f->n_rows; i++)
    for (uint32_t k = 0; k + 1 < f->n_columns; k++) {
      double ends[8];
      uint32_t n = march (c, f, i, k, level, ends);
      for (uint32_t part = 0; part < n; part++) {
        const double *e = &ends[4 * part];
        cairo_move_to (p->cr, e[0], e[1]);
        cairo_line_to (p->cr, e[2], e[3]);
        double x = (e[0] + e[2]) / 2, y = (e[1] + e[3]) / 2;
        if (met++ % 16 == 8 && *n_places < LABELS && contour_has_room (c, places, *n_places, x, y, level))
          places[(*n_places)++] = (Label){ x, y, level };
      }
    }
  cairo_stroke (p->cr);
}

void
contour_draw (Paint *p, const Contour *c, char *(*label) (const void *of, double level), const void *of)
{
  double levels[CONTOUR_LEVELS];
  uint32_t n = contour_levels (c, levels), n_places = 0;
  Label places[LABELS];

  Fine f;

  contour_sample (c, &f);
  draw_bands (p, c, &f, levels, n);
  for (uint32_t i = 0; i < n; i++)
    draw_level (p, c, &f, levels[i], paint_mix (chart_shade (p->scene, (i + 1.0) / n), p->ink, 0.45), places,
                &n_places);
  for (uint32_t i = 0; label != NULL && i < n_places; i++) {
    g_autofree char *text = label (of, places[i].level);
    double width = paint_text_width (p, PAINT_SMALL, text) + 6;
    uint32_t under = chart_shade (p->scene, band_of (places[i].level, levels, n));
    paint_source (p->cr, under, 1);
    cairo_rectangle (p->cr, places[i].x - width / 2, places[i].y - 6, width, 12);
    cairo_fill (p->cr);
    paint_text (p, places[i].x, places[i].y, 0.5, PAINT_SMALL, paint_ink_on (under), 0, text);
  }
  g_free (f.heights);
}
