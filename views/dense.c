/* SPDX-License-Identifier: Apache-2.0 */
/* dense.c - see dense.h. */
#include "views/dense.h"
#include <math.h>
#include <string.h>
#include "views/at-once.h"
#include "views/painter.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The rectangle that `cr` is clipped to, in pixels; false: it is more than one. */
static bool
take_clip (Dense *d, cairo_t *cr, int width, int height)
{
  cairo_rectangle_list_t *clip = cairo_copy_clip_rectangle_list (cr);
  bool one = clip->status == CAIRO_STATUS_SUCCESS && clip->num_rectangles <= 1;
  cairo_rectangle_t r = one && clip->num_rectangles == 1 ? clip->rectangles[0] : (cairo_rectangle_t){ 0 };

  cairo_rectangle_list_destroy (clip);
  d->left = (int32_t) CLAMP (round (r.x * d->scale + d->dx), 0, width);
  d->top = (int32_t) CLAMP (round (r.y * d->scale + d->dy), 0, height);
  d->right = (int32_t) CLAMP (round ((r.x + r.width) * d->scale + d->dx), 0, width);
  d->bottom = (int32_t) CLAMP (round ((r.y + r.height) * d->scale + d->dy), 0, height);
  return one;
}

/* Without what tells which pixels are covered. */
static bool
dense_take_pixels (Dense *d, cairo_t *cr)
{
  cairo_surface_t *target = cairo_get_group_target (cr);
  double scale_x, scale_y, off_x, off_y;
  cairo_matrix_t m;

  if (cairo_surface_get_type (target) != CAIRO_SURFACE_TYPE_IMAGE
      || cairo_surface_status (target) != CAIRO_STATUS_SUCCESS)
    return false;
  cairo_format_t format = cairo_image_surface_get_format (target);
  cairo_get_matrix (cr, &m);
  cairo_surface_get_device_scale (target, &scale_x, &scale_y);
  cairo_surface_get_device_offset (target, &off_x, &off_y);
  if ((format != CAIRO_FORMAT_RGB24 && format != CAIRO_FORMAT_ARGB32) || m.xy < 0 || m.xy > 0 || m.yx < 0 || m.yx > 0
      || !(m.xx > 0) || fabs (m.xx * scale_x - m.yy * scale_y) > 1e-9)
    return false;
  int width = cairo_image_surface_get_width (target), height = cairo_image_surface_get_height (target);
  *d = (Dense){ .scale = m.xx * scale_x, .dx = m.x0 * scale_x + off_x, .dy = m.y0 * scale_y + off_y };
  if (!take_clip (d, cr, width, height))
    return false;
  cairo_surface_flush (target);
  d->image = cairo_surface_reference (target);
  d->pixels = (uint32_t *) (void *) cairo_image_surface_get_data (target);
  d->stride = (size_t) cairo_image_surface_get_stride (target) / 4;
  return true;
}

bool
dense_begin (Dense *d, cairo_t *cr)
{
  if (!dense_take_pixels (d, cr))
    return false;
  d->over = g_new0 (uint16_t, d->stride * (size_t) cairo_image_surface_get_height (d->image));
  return true;
}

static void dense_put_kept (Dense *d);

void
dense_end (Dense *d)
{
  dense_put_kept (d);
  g_clear_pointer (&d->kept, g_array_unref);
  cairo_surface_mark_dirty (d->image);
  g_clear_pointer (&d->image, cairo_surface_destroy);
  g_clear_pointer (&d->over, g_free);
  g_clear_pointer (&d->discs, g_free);
}

void
dense_colour (Dense *d, uint32_t rgb, double alpha)
{
  if (d->kept == NULL) {
    cairo_surface_flush (d->image);
    cairo_surface_mark_dirty (d->image);
  }
  d->rgb = rgb & 0xffffff;
  d->alpha = (uint32_t) lround (256 * CLAMP (alpha, 0, 1));
  if (++d->nth == 0) {
    dense_put_kept (d); /* its colours are known by numbers that begin again */
    if (d->over != NULL)
      memset (d->over, 0, d->stride * (size_t) cairo_image_surface_get_height (d->image) * sizeof *d->over);
    d->nth = 1;
  }
}

/* `alpha` of 256 of a colour over a pixel, two channels at a time. */
static inline void
dense_blend (uint32_t *at, uint32_t rgb, uint32_t alpha)
{
  uint32_t under = 256 - alpha, is = *at;
  uint32_t even = ((is & 0xff00ff) * under + (rgb & 0xff00ff) * alpha) >> 8 & 0xff00ff;
  uint32_t odd = ((is >> 8 & 0xff00ff) * under + ((rgb >> 8 & 0xff) | 0xff0000) * alpha) & 0xff00ff00;

  *at = even | odd;
}

/* A pixel that its colour covers so far, of 255; what it is covered already counts. */
static inline void
dense_cover (const Dense *d, size_t at, uint32_t so_far)
{
  uint16_t *over = &d->over[at - d->over_from];
  uint32_t had = *over >> 8 == d->nth ? *over & 255 : 0, alpha;

  if (so_far <= had)
    return;
  *over = (uint16_t) (d->nth << 8 | so_far);
  if (so_far == 255 && d->alpha == 256) {
    d->pixels[at] = 0xff000000 | d->rgb;
    return;
  }
  alpha = (d->alpha * (so_far - had) + 127) / 255;
  if (had > 0)
    alpha = MIN (256 * alpha / MAX (256 - d->alpha * had / 255, 1), 256);
  dense_blend (&d->pixels[at], d->rgb, alpha);
}

/* A pixel is covered as far as the line's width covers it along the other axis than the one that the line mostly runs
 * along. */
static void
dense_line_of_pixels (const Dense *d, double x0, double y0, double x1, double y1, double width)
{
  bool steep = fabs (y1 - y0) >= fabs (x1 - x0);
  double a0 = steep ? y0 : x0, b0 = steep ? x0 : y0, a1 = steep ? y1 : x1, b1 = steep ? x1 : y1;
  size_t along = steep ? d->stride : 1, across = steep ? 1 : d->stride;
  int64_t a_from = steep ? d->top : d->left, a_to = steep ? d->bottom : d->right, b_from = steep ? d->left : d->top,
          b_to = steep ? d->right : d->bottom;

  if (a0 > a1) {
    double a = a0, b = b0;
    a0 = a1, b0 = b1, a1 = a, b1 = b;
  }
  if (!(a1 - a0 < 1e15) || !(fabs (b1 - b0) < 1e15))
    return; /* not a number, or nowhere */
  double slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0, half = MAX (width, 0.6) * sqrt (1 + slope * slope) / 2;
  if (fabs (slope) > 1e-9) { /* the part of it that may come into the rectangle, and a pixel more */
    double enters = a0 + ((double) b_from - half - b0) / slope, leaves = a0 + ((double) b_to + half - b0) / slope;
    a_from = (int64_t) CLAMP (floor (MIN (enters, leaves)) - 1, (double) a_from, (double) a_to);
    a_to = (int64_t) CLAMP (ceil (MAX (enters, leaves)) + 1, (double) a_from, (double) a_to);
  }
  int64_t i = (int64_t) CLAMP (floor (a0), (double) a_from, (double) a_to),
          end = (int64_t) CLAMP (ceil (a1), (double) a_from, (double) a_to);
  for (; i < end; i++) {
    double part = 255 * (MIN ((double) i + 1, a1) - MAX ((double) i, a0)),
           middle = b0 + ((double) i + 0.5 - a0) * slope, from = CLAMP (middle - half, (double) b_from, (double) b_to),
           to = MIN (middle + half, (double) b_to);
    int64_t k = (int64_t) from; /* from is not below 0 */
    size_t at = (size_t) i * along + (size_t) k * across;
    for (; (double) k < to; k++, at += across)
      dense_cover (d, at, (uint32_t) (part * (MIN ((double) k + 1, to) - MAX ((double) k, from)) + 0.5));
  }
}

/* A line or a triangle, in pixels, and its colour. */
typedef struct DenseKept {
  double x[3], y[3], width; /* of a triangle < 0 */
  float top, bottom;        /* of all that it may cover */
  uint32_t rgb, alpha;
  uint8_t nth;
} DenseKept;

static void
keep (Dense *d, DenseKept *one, int n)
{
  double top = INFINITY, bottom = -INFINITY, more = MAX (one->width, 0) + 2;

  for (int k = 0; k < n; k++)
    top = MIN (top, one->y[k]), bottom = MAX (bottom, one->y[k]);
  one->top = (float) (top - more);
  one->bottom = (float) (bottom + more);
  one->rgb = d->rgb;
  one->alpha = d->alpha;
  one->nth = d->nth;
  g_array_append_vals (d->kept, one, 1);
}

void
dense_line (Dense *d, double x0, double y0, double x1, double y1, double width)
{
  DenseKept one = { .x = { x0 * d->scale + d->dx, x1 * d->scale + d->dx },
                    .y = { y0 * d->scale + d->dy, y1 * d->scale + d->dy },
                    .width = width * d->scale };

  if (d->kept != NULL)
    keep (d, &one, 2);
  else
    dense_line_of_pixels (d, one.x[0], one.y[0], one.x[1], one.y[1], one.width);
}

void
dense_dashes (Dense *d, double x0, double y0, double x1, double y1, double width, double on)
{
  double length = hypot (x1 - x0, y1 - y0), ux = (x1 - x0) / MAX (length, 1e-9), uy = (y1 - y0) / MAX (length, 1e-9);

  if (!(length < 1e5))
    return;
  for (double at = 0; at < length; at += 2 * on) {
    double end = MIN (at + on, length);
    dense_line (d, x0 + ux * at, y0 + uy * at, x0 + ux * end, y0 + uy * end, width);
  }
}

static void
triangle_of_pixels (const Dense *d, const double px[3], const double py[3])
{
  double nx[3], ny[3], left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;

  for (int k = 0; k < 3; k++) {
    left = MIN (left, px[k]), right = MAX (right, px[k]);
    top = MIN (top, py[k]), bottom = MAX (bottom, py[k]);
  }
  if (!(right - left < 1e15) || !(bottom - top < 1e15))
    return;
  double turn = (px[1] - px[0]) * (py[2] - py[0]) - (py[1] - py[0]) * (px[2] - px[0]);
  for (int k = 0; k < 3; k++) { /* how far inside of each side a point is */
    double ex = px[(k + 1) % 3] - px[k], ey = py[(k + 1) % 3] - py[k], long_ = MAX (hypot (ex, ey), 1e-9);
    nx[k] = (turn > 0 ? -ey : ey) / long_;
    ny[k] = (turn > 0 ? ex : -ex) / long_;
  }
  int64_t x_from = (int64_t) CLAMP (floor (left), d->left, d->right),
          x_to = (int64_t) CLAMP (ceil (right), d->left, d->right),
          y_to = (int64_t) CLAMP (ceil (bottom), d->top, d->bottom);
  for (int64_t j = (int64_t) CLAMP (floor (top), d->top, d->bottom); j < y_to; j++)
    for (int64_t i = x_from; i < x_to; i++) {
      double in = 1;
      for (int k = 0; k < 3; k++)
        in = MIN (in, ((double) i + 0.5 - px[k]) * nx[k] + ((double) j + 0.5 - py[k]) * ny[k] + 0.5);
      if (in > 0)
        dense_cover (d, (size_t) j * d->stride + (size_t) i, (uint32_t) (255 * in));
    }
}

void
dense_triangle (Dense *d, const double x[3], const double y[3])
{
  DenseKept one = { .width = -1 };

  for (int k = 0; k < 3; k++) {
    one.x[k] = x[k] * d->scale + d->dx;
    one.y[k] = y[k] * d->scale + d->dy;
  }
  if (d->kept != NULL)
    keep (d, &one, 3);
  else
    triangle_of_pixels (d, one.x, one.y);
}

/* ---- what is put by all processors ---------------------------------------------------------------------- */

#define BAND_PX 64       /* rows: what they are painted from stays in a processor's own memory */
#define CAIRO_BAND_PX 96 /* of what cairo paints, which goes over all shapes once a band */
#define KEPT_LEAST 64    /* shapes: fewer are not worth it */

void
dense_gather (Dense *d)
{
  if (d->kept == NULL)
    d->kept = g_array_new (FALSE, FALSE, sizeof (DenseKept));
  g_clear_pointer (&d->over, g_free); /* each band has its own */
}

/* The rows of one band are nobody else's. */
static void
put_band (void *arg, uint32_t band)
{
  const Dense *all = arg;
  Dense d = *all;

  d.top = (int32_t) MIN ((int64_t) all->top + (int64_t) band * BAND_PX, all->bottom);
  d.bottom = MIN (d.top + BAND_PX, all->bottom);
  d.over_from = (size_t) d.top * d.stride;
  g_autofree uint16_t *over = d.over = g_new0 (uint16_t, d.stride * (size_t) (d.bottom - d.top));
  for (guint i = 0; i < all->kept->len; i++) {
    const DenseKept *one = &g_array_index (all->kept, DenseKept, i);
    if (!(one->top < (float) d.bottom && one->bottom > (float) d.top))
      continue;
    d.rgb = one->rgb;
    d.alpha = one->alpha;
    d.nth = one->nth;
    if (one->width < 0)
      triangle_of_pixels (&d, one->x, one->y);
    else
      dense_line_of_pixels (&d, one->x[0], one->y[0], one->x[1], one->y[1], one->width);
  }
}

static void
dense_put_kept (Dense *d)
{
  uint32_t bands = d->bottom > d->top ? ((uint32_t) (d->bottom - d->top) + BAND_PX - 1) / BAND_PX : 0;

  if (d->kept == NULL || d->kept->len == 0)
    return;
  cairo_surface_flush (d->image);
  at_once (bands, d->kept->len < KEPT_LEAST ? G_MAXUINT32 : 1, put_band, d);
  g_array_set_size (d->kept, 0);
}

typedef struct DenseBands {
  const Dense *d;
  cairo_matrix_t m;
  double off_x, off_y;
  void (*paint) (void *arg, cairo_t *band);
  void *arg;
} DenseBands;

/* A picture of its own, of the same pixels. */
static void
paint_band (void *arg, uint32_t band)
{
  const DenseBands *b = arg;
  const Dense *d = b->d;
  int32_t top = d->top + (int32_t) band * CAIRO_BAND_PX, bottom = MIN (top + CAIRO_BAND_PX, d->bottom);
  cairo_surface_t *part = cairo_image_surface_create_for_data ((uint8_t *) (d->pixels + (size_t) top * d->stride),
                                                               cairo_image_surface_get_format (d->image), d->right,
                                                               bottom - top, (int) (4 * d->stride));
  double scale_x, scale_y;

  cairo_surface_get_device_scale (d->image, &scale_x, &scale_y);
  cairo_surface_set_device_scale (part, scale_x, scale_y);
  cairo_surface_set_device_offset (part, b->off_x, b->off_y - top);
  cairo_t *cr = cairo_create (part);
  cairo_set_matrix (cr, &b->m);
  cairo_rectangle (cr, (d->left - d->dx) / d->scale, (top - d->dy) / d->scale, (d->right - d->left) / d->scale,
                   (bottom - top) / d->scale);
  cairo_clip (cr);
  b->paint (b->arg, cr);
  cairo_destroy (cr);
  cairo_surface_destroy (part);
}

void
dense_bands (cairo_t *cr, void (*paint) (void *arg, cairo_t *band), void *arg)
{
  Dense d;
  DenseBands b = { .d = &d, .paint = paint, .arg = arg };

  if (!dense_take_pixels (&d, cr)) {
    paint (arg, cr);
    return;
  }
  cairo_get_matrix (cr, &b.m);
  cairo_surface_get_device_offset (d.image, &b.off_x, &b.off_y);
  if (d.left < d.right && d.top < d.bottom)
    at_once ((uint32_t) (d.bottom - d.top + CAIRO_BAND_PX - 1) / CAIRO_BAND_PX, 1, paint_band, &b);
  cairo_surface_mark_dirty (d.image);
  cairo_surface_destroy (d.image);
}

#define PLACES 8 /* of a disc within its pixel, across and down */
#define DISC_PIXELS ((2 * DENSE_DISC_MOST + 2) * (2 * DENSE_DISC_MOST + 2))

/* The pixels that a disc covers, and how far, at each of its places. */
struct DenseDiscs {
  double radius;
  uint32_t n[PLACES][PLACES];
  struct {
    int8_t x, y;
    uint8_t cover;
  } pixel[PLACES][PLACES][DISC_PIXELS];
};

/* How far, of 255, a disc at a place of its pixel covers the pixel i, j from there. */
static inline uint8_t
part_of_disc (double r, int i, int j, int sx, int sy)
{
  double dx = i + 0.5 - (sx + 0.5) / PLACES, dy = j + 0.5 - (sy + 0.5) / PLACES,
         in = r + 0.5 - sqrt (dx * dx + dy * dy);

  return (uint8_t) (255 * CLAMP (in, 0, 1) + 0.5);
}

static void
make_discs (Dense *d, double r)
{
  int n = (int) ceil (r);

  if (d->discs == NULL)
    d->discs = g_new (struct DenseDiscs, 1);
  memset (d->discs->n, 0, sizeof d->discs->n);
  d->discs->radius = r;
  for (int k = 0; k < PLACES * PLACES; k++)
    for (int j = -n; j <= n; j++)
      for (int i = -n; i <= n; i++) {
        int sx = k % PLACES, sy = k / PLACES;
        uint8_t part = part_of_disc (r, i, j, sx, sy);
        if (part == 0)
          continue;
        uint32_t at = d->discs->n[sy][sx]++;
        d->discs->pixel[sy][sx][at].x = (int8_t) i;
        d->discs->pixel[sy][sx][at].y = (int8_t) j;
        d->discs->pixel[sy][sx][at].cover = part;
      }
}

/* Where the middle of a disc is; false: all of it is outside. */
typedef struct Place {
  double r;
  int64_t x, y; /* the pixel, */
  int sx, sy;   /* and the place in it */
  bool inside;  /* no edge comes near */
} Place;

static inline bool
place_disc (Dense *d, double x, double y, double radius, Place *to)
{
  double r = MIN (radius * d->scale, DENSE_DISC_MOST), px = x * d->scale + d->dx, py = y * d->scale + d->dy;

  if (!(px > d->left - r - 1 && px < d->right + r + 1 && py > d->top - r - 1 && py < d->bottom + r + 1))
    return false;
  int64_t ix = (int64_t) floor (px), iy = (int64_t) floor (py), n = (int64_t) ceil (r);
  /* A little below a whole number is one as soon as it is subtracted. */
  *to = (Place){ r,
                 ix,
                 iy,
                 MIN ((int) ((px - (double) ix) * PLACES), PLACES - 1),
                 MIN ((int) ((py - (double) iy) * PLACES), PLACES - 1),
                 ix - n >= d->left && ix + n < d->right && iy - n >= d->top && iy + n < d->bottom };
  return true;
}

static inline bool
dense_within (const Dense *d, int64_t i, int64_t j)
{
  return i >= d->left && i < d->right && j >= d->top && j < d->bottom;
}

void
dense_disc (Dense *d, double x, double y, double radius)
{
  Place p;

  if (!place_disc (d, x, y, radius, &p))
    return;
  if (d->discs == NULL || fabs (d->discs->radius - p.r) > 1e-9)
    make_discs (d, p.r);
  for (uint32_t k = 0; k < d->discs->n[p.sy][p.sx]; k++) {
    int64_t i = p.x + d->discs->pixel[p.sy][p.sx][k].x, j = p.y + d->discs->pixel[p.sy][p.sx][k].y;
    if (p.inside || dense_within (d, i, j))
      dense_cover (d, (size_t) j * d->stride + (size_t) i, d->discs->pixel[p.sy][p.sx][k].cover);
  }
}

#define RUN_OF_DISCS 8 /* of one radius, one after another, make its pixels worth keeping */

void
dense_spot (Dense *d, double x, double y, double radius, uint32_t rgb, double alpha)
{
  uint32_t of_256 = (uint32_t) lround (256 * CLAMP (alpha, 0, 1));
  Place p;

  rgb &= 0xffffff;
  if (!place_disc (d, x, y, radius, &p))
    return;
  bool kept = d->discs != NULL && fabs (d->discs->radius - p.r) <= 1e-9;
  d->n_alike = fabs (d->last_radius - p.r) <= 1e-9 ? d->n_alike + 1 : 0;
  d->last_radius = p.r;
  if (!kept && d->n_alike >= RUN_OF_DISCS) {
    make_discs (d, p.r);
    kept = true;
  }
  for (uint32_t k = 0; kept && k < d->discs->n[p.sy][p.sx]; k++) {
    int64_t i = p.x + d->discs->pixel[p.sy][p.sx][k].x, j = p.y + d->discs->pixel[p.sy][p.sx][k].y;
    if (p.inside || dense_within (d, i, j))
      dense_blend (&d->pixels[(size_t) j * d->stride + (size_t) i], rgb,
                   (of_256 * d->discs->pixel[p.sy][p.sx][k].cover + 127) / 255);
  }
  int n = (int) ceil (p.r);
  for (int j = -n; !kept && j <= n; j++)
    for (int i = -n; i <= n; i++) {
      uint32_t part = part_of_disc (p.r, i, j, p.sx, p.sy);
      if (part != 0 && (p.inside || dense_within (d, p.x + i, p.y + j)))
        dense_blend (&d->pixels[(size_t) (p.y + j) * d->stride + (size_t) (p.x + i)], rgb, (of_256 * part + 127) / 255);
    }
}

static void
rect (Dense *d, double x0, double y0, double x1, double y1)
{
  x0 = CLAMP (x0, d->left, d->right), x1 = MIN (x1, d->right), y0 = CLAMP (y0, d->top, d->bottom),
  y1 = MIN (y1, d->bottom);
  if (!(x0 < x1) || !(y0 < y1))
    return;
  for (int64_t j = (int64_t) y0; (double) j < y1; j++) {
    double high = d->alpha * (MIN ((double) j + 1, y1) - MAX ((double) j, y0));
    for (int64_t i = (int64_t) x0; (double) i < x1; i++)
      dense_blend (&d->pixels[(size_t) j * d->stride + (size_t) i], d->rgb,
                   (uint32_t) lround (high * (MIN ((double) i + 1, x1) - MAX ((double) i, x0))));
  }
}

#define TILE 16 /* pixels: those of one line of the processor's cache */

/* blend() of those of TILE pixels whose column is there in this row. */
static inline void
blend_row (uint32_t *row, uint32_t rgb, uint32_t alpha, int32_t j, const int32_t *top, const int32_t *bottom)
{
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128 (), under = _mm_set1_epi16 ((int16_t) (256 - alpha)),
                colour = _mm_unpacklo_epi8 (_mm_set1_epi32 ((int32_t) (0xff000000 | rgb)), zero),
                over = _mm_mullo_epi16 (colour, _mm_set1_epi16 ((int16_t) alpha)), here = _mm_set1_epi32 (j);
  for (int k = 0; k < TILE; k += 4) {
    __m128i mask = _mm_andnot_si128 (_mm_cmpgt_epi32 (_mm_loadu_si128 ((const __m128i *) (top + k)), here),
                                     _mm_cmpgt_epi32 (_mm_loadu_si128 ((const __m128i *) (bottom + k)), here));
    if (_mm_movemask_epi8 (mask) == 0)
      continue;
    __m128i is = _mm_loadu_si128 ((const __m128i *) (row + k));
    __m128i low = _mm_srli_epi16 (_mm_add_epi16 (_mm_mullo_epi16 (_mm_unpacklo_epi8 (is, zero), under), over), 8),
            high = _mm_srli_epi16 (_mm_add_epi16 (_mm_mullo_epi16 (_mm_unpackhi_epi8 (is, zero), under), over), 8);
    __m128i now = _mm_packus_epi16 (low, high);
    _mm_storeu_si128 ((__m128i *) (row + k), _mm_or_si128 (_mm_and_si128 (mask, now), _mm_andnot_si128 (mask, is)));
  }
#else
  for (int k = 0; k < TILE; k++)
    if (top[k] <= j && j < bottom[k])
      dense_blend (&row[k], rgb, alpha);
#endif
}

/* Whole rows of columns that are a pixel wide, from pixel `at` on: those of one row lie beside each other. */
static void
tile (Dense *d, int64_t at, uint32_t n, const int32_t *top, const int32_t *bottom)
{
  int32_t first = INT32_MAX, last = INT32_MIN;

  for (uint32_t k = 0; k < n; k++) {
    first = top[k] < bottom[k] ? MIN (first, top[k]) : first;
    last = top[k] < bottom[k] ? MAX (last, bottom[k]) : last;
  }
  for (int32_t j = first; j < last; j++) {
    uint32_t *row = d->pixels + (size_t) j * d->stride + (size_t) at;
    if (n == TILE)
      blend_row (row, d->rgb, d->alpha, j, top, bottom);
    for (uint32_t k = 0; n < TILE && k < n; k++)
      if (top[k] <= j && j < bottom[k])
        dense_blend (&row[k], d->rgb, d->alpha);
  }
}

void
dense_columns (Dense *d, double x, uint32_t n, const float *top, const float *bottom)
{
  double x0 = x * d->scale + d->dx;
  bool straight = fabs (d->scale - 1) < 1e-9 && fabs (x0 - round (x0)) < 1e-9 && round (x0) >= d->left
                  && round (x0) + n <= d->right;
  int32_t whole_top[TILE], whole_bottom[TILE];

  for (uint32_t i = 0; i < n; i += TILE) {
    uint32_t some = MIN (n - i, TILE);
    for (uint32_t k = 0; k < some; k++) {
      double y0 = (double) top[i + k] * d->scale + d->dy, y1 = (double) bottom[i + k] * d->scale + d->dy,
             left = x0 + (i + k) * d->scale;
      whole_top[k] = whole_bottom[k] = 0;
      if (!(y0 < y1))
        continue;
      y0 = MAX (y0, d->top), y1 = MIN (y1, d->bottom);
      double a = ceil (y0), b = floor (y1);
      if (!straight || !(a < b)) {
        rect (d, left, y0, left + d->scale, y1);
        continue;
      }
      rect (d, left, y0, left + 1, a);
      rect (d, left, b, left + 1, y1);
      whole_top[k] = (int32_t) a;
      whole_bottom[k] = (int32_t) b;
    }
    if (straight)
      tile (d, (int64_t) round (x0) + i, some, whole_top, whole_bottom);
  }
}

/* Where cairo has an edge that is not smoothed: its numbers are parts of 256, and the half goes down. */
static int32_t
sharp (double at, int32_t least, int32_t most)
{
  double edge = floor ((rint (at * 256) + 127) / 256);

  return edge > least ? edge < most ? (int32_t) edge : most : least; /* what is no number is at the edge */
}

void
dense_sharp_rect (Dense *d, double x, double y, double width, double height, uint32_t rgb)
{
  int32_t y0 = sharp (y * d->scale + d->dy, d->top, d->bottom),
          y1 = sharp ((y + height) * d->scale + d->dy, d->top, d->bottom),
          x0 = sharp (x * d->scale + d->dx, d->left, d->right),
          x1 = sharp ((x + width) * d->scale + d->dx, d->left, d->right);

  for (; y0 < y1; y0++)
    for (int32_t column = x0; column < x1; column++)
      d->pixels[(size_t) y0 * d->stride + (size_t) column] = 0xff000000 | rgb;
}

#define CELLS_AT_ONCE 4096

typedef struct CellRows {
  Dense *d;
  const DenseCells *cells;
  uint32_t rows; /* of a part */
} CellRows;

static void
dense_put_cells (void *arg, uint32_t part)
{
  const CellRows *r = arg;
  const DenseCells *c = r->cells;
  uint64_t all = (uint64_t) r->rows * c->columns;
  uint32_t end = (uint32_t) MIN ((part + 1) * all, c->n);

  for (uint32_t i = (uint32_t) (part * all); i < end; i++) {
    uint32_t column = i % c->columns, row = i / c->columns;
    int x0 = (int) (column * c->width * c->scale),
        x1 = MAX ((int) ((column + 1) * c->width * c->scale) - c->gap, x0 + 1), y0 = (int) (row * c->height * c->scale),
        y1 = MAX ((int) ((row + 1) * c->height * c->scale) - c->gap, y0 + 1);
    dense_sharp_rect (r->d, x0, y0, x1 - x0, y1 - y0, c->colour (c->arg, i));
  }
}

void
dense_cells (Dense *d, const DenseCells *cells)
{
  if (cells->columns == 0)
    return;
  uint32_t columns = cells->columns, rows = (uint32_t) (((uint64_t) cells->n + columns - 1) / columns);
  /* Rows that are lower than a pixel go over each other, in their order. */
  CellRows r = { d, cells, cells->height * cells->scale >= 1 ? CELLS_AT_ONCE / columns + 1 : MAX (rows, 1) };

  at_once ((rows + r.rows - 1) / r.rows, 1, dense_put_cells, &r);
}

void
dense_sharp_columns (Dense *d, double x, uint32_t n, const float *top, const float *bottom)
{
  uint32_t colour = 0xff000000 | d->rgb;

  for (uint32_t i = 0; i < n; i++) {
    int32_t y0 = sharp ((double) top[i] * d->scale + d->dy, d->top, d->bottom),
            y1 = sharp ((double) bottom[i] * d->scale + d->dy, d->top, d->bottom),
            x0 = sharp ((x + i) * d->scale + d->dx, d->left, d->right),
            x1 = sharp ((x + i + 1) * d->scale + d->dx, d->left, d->right);
    for (int32_t column = x0; column < x1; column++) {
      uint32_t *at = d->pixels + (size_t) y0 * d->stride + (size_t) column;
      for (int32_t y = y0; y < y1; y++, at += d->stride)
        *at = colour;
    }
  }
}
