/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-draw.c - the bars: in each column of pixels the states stand on one another, as high as their share of its time. */
#include <math.h>
#include <string.h>
#include "views/space-time.h"

#define VECTORS_MAX 20000                       /* intervals drawn as rectangles on paper */
#define STRIDE 8

typedef struct Colour {
  float r, g, b;
} Colour;

typedef struct Raster {
  uint32_t *pixels;                             /* premultiplied ARGB */
  uint32_t stride, width, height;               /* in pixels */
  Colour colour[STRIDE];
  uint32_t solid[STRIDE];
  uint32_t n_states;
} Raster;

static inline uint32_t
pixel (float r, float g, float b, float a)
{
  return (uint32_t) (a + 0.5f) << 24 | (uint32_t) (r + 0.5f) << 16 | (uint32_t) (g + 0.5f) << 8 | (uint32_t) (b + 0.5f);
}

/* One column of one row, from its lower pixel up; what is left of the height is not known, and stays empty. */
static void
fill_cell (const Raster *t, uint32_t *at, uint32_t height, const float *share)
{
  float left = 0, sum = 0;
  uint32_t state = 0;

  for (uint32_t k = 0; k < t->n_states; k++) {
    sum += share[k];
    if (share[k] > 0.996f) {
      for (uint32_t y = 0; y < height; y++, at -= t->stride)
        *at = t->solid[k];
      return;
    }
  }
  if (sum < 0.002f)
    return;
  left = share[0] * (float) height;
  for (uint32_t y = 0; y < height; y++, at -= t->stride) {
    float room = 1, r = 0, g = 0, b = 0, a = 0;
    while (state < t->n_states) {
      float part = MIN (left, room);
      const Colour *c = &t->colour[state];
      if (part >= 0.999f) {
        *at = t->solid[state];
        left -= part;
        room = -1;
        break;
      }
      r += c->r * part;
      g += c->g * part;
      b += c->b * part;
      a += 255 * part;
      left -= part;
      room -= part;
      if (room <= 0.001f)
        break;
      if (++state < t->n_states)
        left = share[state] * (float) height;
    }
    if (room >= 0)
      *at = pixel (MIN (r, 255), MIN (g, 255), MIN (b, 255), MIN (a, 255));
    if (state >= t->n_states)
      return;
  }
}

static void
draw_raster (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double scale, double *totals, uint32_t *states)
{
  uint32_t width = (uint32_t) (r->width * scale), height = (uint32_t) ceil ((r->bottom - r->top + 2) * scale);
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) width, (int) height);
  g_autofree float *share = g_new (float, (gsize) width * STRIDE);
  double sum[STRIDE] = { 0 };
  Raster t = { .width = width, .height = height };

  if (cairo_surface_status (image) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy (image);
    return;
  }
  cairo_surface_flush (image);
  t.pixels = (uint32_t *) (void *) cairo_image_surface_get_data (image);
  t.stride = (uint32_t) cairo_image_surface_get_stride (image) / 4;
  for (uint32_t k = 0; k < STRIDE; k++) {
    uint32_t rgb = paint_state (p->scene, STATE_NODE, k);
    t.colour[k] = (Colour) { (float) (rgb >> 16 & 255), (float) (rgb >> 8 & 255), (float) (rgb & 255) };
    t.solid[k] = 255u << 24 | rgb;
  }
  for (guint i = 0; i < r->rows->len; i++) {
    const Row *row = &g_array_index (r->rows, Row, i);
    int64_t y0 = (int64_t) round ((row->y - r->top) * scale), y1 = (int64_t) round ((row->y + row->height - r->top) * scale);
    uint32_t mine = 0;
    y0 = MAX (y0, 0);
    y1 = MIN (MAX (y1, y0 + 1), (int64_t) height);
    memset (share, 0, (gsize) width * STRIDE * sizeof *share);
    for (uint32_t k = 0; k < row->n; k++)
      states_reader_shares (st->read_states, r->shown[row->first + k], a->from, a->per_px / scale, width, 1.0f / (float) row->n,
                            share, STRIDE, &mine);
    *states |= mine;
    t.n_states = mine != 0 ? MIN (32 - (uint32_t) __builtin_clz (mine), STRIDE) : 0;
    for (uint32_t x = 0; x < width && t.n_states > 0 && y1 > y0; x++) {
      const float *cell = share + x * STRIDE;
      for (uint32_t k = 0; k < t.n_states; k++)
        sum[k] += (double) cell[k] * row->n;
      fill_cell (&t, t.pixels + (uint64_t) (y1 - 1) * t.stride + x, (uint32_t) (y1 - y0), cell);
    }
  }
  double all = 0;
  for (uint32_t k = 0; k < STRIDE; k++)
    all += sum[k];
  for (uint32_t k = 0; k < STRIDE && all > 0; k++)
    totals[k] = sum[k] / all;
  cairo_surface_mark_dirty (image);
  cairo_save (p->cr);
  cairo_translate (p->cr, r->left, r->top);
  cairo_scale (p->cr, 1 / scale, 1 / scale);
  cairo_set_source_surface (p->cr, image, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (p->cr), CAIRO_FILTER_NEAREST);
  cairo_paint (p->cr);
  cairo_restore (p->cr);
  cairo_surface_destroy (image);
}

typedef struct Vectors {
  Paint *p;
  const Axis *a;
  const Row *row;
  double *totals;
  uint32_t states;
  double end;
} Vectors;

static bool
draw_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Vectors *v = arg;
  double x0 = MAX (axis_x (v->a, from), v->a->x), x1 = MIN (axis_x (v->a, to), v->a->x + v->a->width);

  state = MIN (state, STRIDE - 1);
  v->states |= 1u << state;
  v->totals[state] += x1 - x0;
  paint_source (v->p->cr, paint_state (v->p->scene, STATE_NODE, state), 1);
  cairo_rectangle (v->p->cr, x0, v->row->y, x1 - x0, v->row->height);
  cairo_fill (v->p->cr);
  return true;
}

static void
draw_vectors (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *states)
{
  double all = 0;

  for (guint i = 0; i < r->rows->len; i++) {
    Vectors v = { p, a, &g_array_index (r->rows, Row, i), totals, 0, 0 };
    states_reader_each (st->read_states, r->shown[v.row->first], a->from, a->to, draw_interval, &v);
    *states |= v.states;
  }
  for (uint32_t k = 0; k < STRIDE; k++)
    all += totals[k];
  for (uint32_t k = 0; k < STRIDE && all > 0; k++)
    totals[k] /= all;
}

void
states_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *states)
{
  bool image = cairo_surface_get_type (cairo_get_group_target (p->cr)) == CAIRO_SURFACE_TYPE_IMAGE;
  uint64_t n = 0;

  for (uint32_t i = 0; !image && r->per_row == 1 && i < r->n_shown && n <= VECTORS_MAX; i++)
    n += states_reader_count (st->read_states, r->shown[i], a->from, a->to);
  if (!image && r->per_row == 1 && n <= VECTORS_MAX)
    draw_vectors (st, p, r, a, totals, states);
  else
    draw_raster (st, p, r, a, image ? MAX (p->scene->scale, 1) : 2, totals, states);
}
