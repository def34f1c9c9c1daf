/* SPDX-License-Identifier: Apache-2.0 */
/* space-time-draw.c - the bars: in each column of pixels the states stand on one another, as high as their
 * share of its time. */
#include <math.h>
#include <string.h>
#include "views/space-time.h"
#include "views/at-once.h"
#include "views/four.h"
#include "views/painter.h"
#include "views/palettes.h"

#define PIXELS_MOST 64e6  /* of a raster on paper */
#define VECTORS_MAX 20000 /* intervals drawn as rectangles on paper */
#define NONE SLOTS_MOST
#define PARTS 64      /* of the rows, which all processors draw at once */
#define PARTS_LEAST 4 /* for each of them */

typedef struct Palette {
  Four colour[SLOTS_MOST]; /* blue, green, red and alpha, as they lie in a pixel */
  uint32_t solid[SLOTS_MOST];
  uint32_t pattern[SLOTS_MOST]; /* 0, or the colour with its pattern, */
  uint32_t ink[SLOTS_MOST];     /* and the ink of that */
  uint32_t stride;
  bool patterned;                /* one of them is */
  uint32_t thinness[SLOTS_MOST]; /* paint_thinness() */
} Palette;

static inline uint32_t
pixel (Four c)
{
  c += 0.5f;
#if defined(__SSE2__)
  __m128i whole = _mm_cvttps_epi32 ((__m128) c);
  whole = _mm_packs_epi32 (whole, whole);
  return (uint32_t) _mm_cvtsi128_si32 (_mm_packus_epi16 (whole, whole));
#else
  return MIN ((uint32_t) c[3], 255) << 24 | MIN ((uint32_t) c[2], 255) << 16 | MIN ((uint32_t) c[1], 255) << 8
         | MIN ((uint32_t) c[0], 255);
#endif
}

Raster
raster_begin (SpaceTime *st, const Rows *r, double scale)
{
  Raster t = { .width = (uint32_t) (r->width * scale),
               .height = (uint32_t) ceil ((r->bottom - r->top + 2) * scale),
               .scale = scale };

  if (st->image == NULL || cairo_image_surface_get_width (st->image) != (int) t.width
      || cairo_image_surface_get_height (st->image) != (int) t.height) {
    g_clear_pointer (&st->image, cairo_surface_destroy);
    st->image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) t.width, (int) t.height);
  }
  if (cairo_surface_status (st->image) != CAIRO_STATUS_SUCCESS) {
    g_clear_pointer (&st->image, cairo_surface_destroy);
    return t;
  }
  t.image = cairo_surface_reference (st->image);
  cairo_surface_flush (t.image);
  t.pixels = (uint32_t *) (void *) cairo_image_surface_get_data (t.image);
  t.stride = (uint32_t) cairo_image_surface_get_stride (t.image) / 4;
  t.below = t.height;
  return t;
}

static void
space_time_draw_clear (const Raster *t, int64_t from, int64_t to)
{
  if (from < to)
    memset (t->pixels + (uint64_t) from * t->stride, 0, (gsize) (to - from) * t->stride * 4);
}

void
raster_end (Raster *t, Paint *p, const Rows *r)
{
  if (t->image == NULL)
    return;
  cairo_surface_mark_dirty (t->image);
  drawing_image (p->drawing, r->left, r->top, t->width / t->scale, t->height / t->scale, t->image, NULL, NULL, 0);
  g_clear_pointer (&t->image, cairo_surface_destroy);
}

/* `alpha` 0..256 of a colour over a premultiplied pixel, two channels at a time. */
static inline void
space_time_draw_blend (uint32_t *at, uint32_t rgb, uint32_t alpha)
{
  uint32_t under = 256 - alpha, d = *at;
  uint32_t even = ((d & 0xff00ff) * under + (rgb & 0xff00ff) * alpha) >> 8 & 0xff00ff;
  uint32_t odd = ((d >> 8 & 0xff00ff) * under + ((rgb >> 8 & 0xff) | 0xff0000) * alpha) & 0xff00ff00;

  *at = even | odd;
}

/* A pixel is covered as far as the line's width covers it along the other axis than the one the line mostly
 * runs along. */
void
raster_line (Raster *t, double x0, double y0, double x1, double y1, double width, uint32_t rgb, double alpha)
{
  bool steep = fabs (y1 - y0) >= fabs (x1 - x0);
  double a0 = steep ? y0 : x0, b0 = steep ? x0 : y0, a1 = steep ? y1 : x1, b1 = steep ? x1 : y1, slope, half;
  uint32_t along = steep ? t->stride : 1, across = steep ? 1 : t->stride;
  int64_t from_along = steep ? t->above : 0, n_along = steep ? t->below : t->width;
  int64_t from_across = steep ? 0 : t->above, n_across = steep ? t->width : t->below;

  a0 *= t->scale, b0 *= t->scale, a1 *= t->scale, b1 *= t->scale;
  if (a0 > a1) {
    double a = a0, b = b0;
    a0 = a1, b0 = b1, a1 = a, b1 = b;
  }
  slope = a1 > a0 ? (b1 - b0) / (a1 - a0) : 0;
  half = MAX (width * t->scale, 0.6) * sqrt (1 + slope * slope) / 2;
  for (int64_t i = (int64_t) MAX (a0, (double) from_along); i < n_along && (double) i < a1; i++) {
    double part = MIN ((double) i + 1, a1) - MAX ((double) i, a0), middle = b0 + ((double) i + 0.5 - a0) * slope;
    double from = middle - half, to = middle + half;
    int64_t k = (int64_t) MAX (floor (from), (double) from_across);
    for (uint32_t *at = t->pixels + i * along + k * across; k < n_across && (double) k < to; k++, at += across) {
      double cover = MIN ((double) k + 1, to) - MAX ((double) k, from);
      space_time_draw_blend (at, rgb, (uint32_t) (256 * alpha * part * cover));
    }
  }
}

/* The slots that have more than `least` of a column, as bits.  Places of slots come in eights, which are looked at
 * together; those behind the last slot are empty. */
static inline uint32_t
slots_above (const float *share, uint32_t stride, float least)
{
  uint32_t bits = 0;

#if defined(__SSE2__)
  __m128 bound = _mm_set1_ps (least);
  for (uint32_t i = 0; i < stride; i += 4)
    bits |= (uint32_t) _mm_movemask_ps (_mm_cmpgt_ps (_mm_loadu_ps (share + i), bound)) << i;
#else
  for (uint32_t i = 0; i < stride; i++)
    bits |= (uint32_t) (share[i] > least) << i;
#endif
  return bits;
}

/* The slot that fills the whole column, or NONE. */
static inline uint32_t
only_state (const float *share, uint32_t stride)
{
  uint32_t full = slots_above (share, stride, 0.996f);

  return full != 0 ? (uint32_t) __builtin_ctz (full) : NONE;
}

/* So many columns of one state; `at` is the lower left pixel.  What is not, or no more, is a thin line, and does not
 * shout. */
static void
fill_plain (const Raster *raster, const Palette *t, uint32_t *at, uint32_t height, uint32_t n, uint32_t state)
{
  uint32_t thin = height >= 6 ? MAX (1, height / t->thinness[state]) : height, colour = t->solid[state];

  at -= (uint64_t) raster->stride * ((height - thin) / 2);
  for (uint32_t y = 0; y < thin; y++, at -= raster->stride)
    for (uint32_t x = 0; x < n; x++)
      at[x] = colour;
}

/* The same, with the pattern of the colour. */
static void
fill_run (const Raster *raster, const Palette *t, uint32_t *at, uint32_t height, uint32_t n, uint32_t state)
{
  fill_plain (raster, t, at, height, n, state);
  if (t->pattern[state] == 0 || t->thinness[state] > 1)
    return;
  uint32_t begin = (uint32_t) (at - raster->pixels), px = MAX (1, (uint32_t) raster->scale);
  for (uint32_t k = 0; k < height; k++, at -= raster->stride, begin -= raster->stride)
    for (uint32_t x = 0; x < n; x++)
      if (paint_pattern_at (t->pattern[state], (begin % raster->stride + x) / px, begin / raster->stride / px))
        at[x] = t->ink[state];
}

static inline uint32_t
solid_at (const Raster *raster, const Palette *t, const uint32_t *at, uint32_t state)
{
  if (t->pattern[state] == 0)
    return t->solid[state];
  uint32_t place = (uint32_t) (at - raster->pixels), px = MAX (1, (uint32_t) raster->scale);
  bool dot = paint_pattern_at (t->pattern[state], place % raster->stride / px, place / raster->stride / px);
  return dot ? t->ink[state] : t->solid[state];
}

/* One column of one row, from its lower pixel up; what is left of the height is not known, and stays empty.  `in`: the
 * slots that have a share. */
static void
fill_cell (const Raster *raster, const Palette *t, uint32_t *at, uint32_t height, const float *share, uint32_t in)
{
  float left = 0, sum = 0;

  for (uint32_t rest = in; rest != 0; rest &= rest - 1)
    sum += share[__builtin_ctz (rest)];
  if (sum < 0.002f || in == 0)
    return;
  uint32_t state = (uint32_t) __builtin_ctz (in);
  left = share[state] * (float) height;
  for (uint32_t y = 0; y < height; y++, at -= raster->stride) {
    float room = 1;
    Four sums = { 0 };
    while (in != 0) {
      float part = MIN (left, room);
      if (part >= 0.999f) {
        *at = solid_at (raster, t, at, state);
        left -= part;
        room = -1;
        break;
      }
      sums += t->colour[state] * part;
      left -= part;
      room -= part;
      if (room <= 0.001f)
        break;
      in &= in - 1;
      if (in != 0) {
        state = (uint32_t) __builtin_ctz (in);
        left = share[state] * (float) height;
      }
    }
    if (room >= 0)
      *at = pixel (sums);
    if (in == 0)
      return;
  }
}

#define LOW 8 /* pixels: a cell that is no higher is reckoned without asking what each pixel needs */

/* The same for low cells, four pixels at a time, of which `height` are drawn: each gets of every state what of it lies
 * in the pixel.  `y`: how far above the lower end of the cell they begin. */
static inline void
fill_four (const Raster *raster, const Palette *t, uint32_t *at, float y, uint32_t height, float scale,
           const float *share, uint32_t in)
{
  Four begin = (Four){ 0, -1, -2, -3 } - y, below = { 0 }, a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
  float sum = 0;

  for (; in != 0; in &= in - 1) {
    uint32_t state = (uint32_t) __builtin_ctz (in);
    sum += share[state] * scale;
    Four above = four_part (begin + sum), part = above - below, colour = t->colour[state];
    below = above;
    a += colour * part[0];
    b += colour * part[1];
    c += colour * part[2];
    d += colour * part[3];
  }
  if (sum < 0.002f * scale)
    return;
  at[0] = pixel (a);
  if (height > 1)
    at -= raster->stride, *at = pixel (b);
  if (height > 2)
    at -= raster->stride, *at = pixel (c);
  if (height > 3)
    at -= raster->stride, *at = pixel (d);
}

static void
fill_low (const Raster *raster, const Palette *t, uint32_t *at, uint32_t height, const float *share, uint32_t in)
{
  fill_four (raster, t, at, 0, MIN (height, 4), (float) height, share, in);
  if (height > 4)
    fill_four (raster, t, at - 4 * (uint64_t) raster->stride, 4, height - 4, (float) height, share, in);
}

/* The thin state that is alone in a cell, however little of it; NONE where another is in it too. */
static inline uint32_t
only_thin (const Palette *t, uint32_t in)
{
  uint32_t first = in != 0 ? (uint32_t) __builtin_ctz (in) : NONE;

  return in != 0 && (in & (in - 1)) == 0 && t->thinness[first] != 1 ? first : NONE;
}

static inline void
add_four (float *sum, const float *more)
{
  Four all = four_at (sum) + four_at (more);

  memcpy (sum, &all, sizeof all);
}

/* Adds up what it paints: a run of one state by its length, anything else cell by cell, however small the shares. */
static void
space_time_draw_fill_row (const Raster *t, const Palette *colours, uint32_t *at, uint32_t height, const float *share,
                          float *sum)
{
  uint32_t n;

  for (uint32_t x = 0; x < t->width; x += n) {
    const float *cell = share + x * colours->stride;
    uint32_t state = only_state (cell, colours->stride), in = 0;
    n = 1;
    if (state == NONE || cell[state] < 0.99999f) {
      for (uint32_t i = 0; i < colours->stride; i += 4)
        add_four (sum + i, cell + i);
      if (state == NONE)
        in = slots_above (cell, colours->stride, 0);
      if (state == NONE)
        state = only_thin (colours, in);
      if (state == NONE && height <= LOW && !colours->patterned)
        fill_low (t, colours, at + x, height, cell, in);
      else if (state == NONE)
        fill_cell (t, colours, at + x, height, cell, in);
      else
        fill_run (t, colours, at + x, height, 1, state);
      continue;
    }
    while (x + n < t->width && share[(x + n) * colours->stride + state] >= 0.99999f)
      n++;
    sum[state] += (float) n;
    fill_run (t, colours, at + x, height, n, state);
  }
}

/* What threads share that draw rows; each writes what is of its own rows. */
typedef struct Painting {
  SpaceTime *st;
  Raster *t;
  const Rows *r;
  const Axis *a;
  Palette colours;
  uint32_t *first;             /* row of each part, and one more */
  double (*spent)[SLOTS_MOST]; /* by row: columns of tasks in each slot, */
  uint32_t *met;               /* and a bit for each slot met */
  SpaceTimeBeside beside;
  void *arg;
} Painting;

/* Lines of the raster that a row is drawn into: [*y0, *y1), at least one where it is in the raster at all. */
static void
space_time_draw_lines_of (const Painting *g, const Row *row, int64_t *y0, int64_t *y1)
{
  double scale = g->t->scale, top = g->r->top;

  *y0 = MAX ((int64_t) round ((row->y - top) * scale), 0);
  *y1 = MIN (MAX ((int64_t) round ((row->y + row->height - top) * scale), *y0 + 1), (int64_t) g->t->height);
}

/* Where a row begins in the raster; the last one ends with it. */
static int64_t
space_time_draw_top_of (const Painting *g, guint i)
{
  if (i >= g->r->rows->len)
    return g->t->height;
  return CLAMP ((int64_t) round ((g_array_index (g->r->rows, Row, i).y - g->r->top) * g->t->scale), 0,
                (int64_t) g->t->height);
}

OddRow
space_time_odd (const SpaceTime *st, const Rows *r, const Axis *a, const Row *row, double scale)
{
  return (OddRow){ .read = st->read_states,
                   .slots = &st->slots,
                   .owners = r->shown + row->first,
                   .n_owners = row->n,
                   .n_members = row->n,
                   .axis = a,
                   .scale = scale,
                   .height = row->height,
                   .many = r->n_shown > ODD_MANY };
}

static void
space_time_draw_row (Painting *g, guint i, float *share)
{
  const Row *row = &g_array_index (g->r->rows, Row, i);
  const StateSlots *slots = &g->st->slots;
  Raster *t = g->t;
  float spent[SLOTS_MOST] = { 0 };
  int64_t y0, y1;

  space_time_draw_lines_of (g, row, &y0, &y1);
  memset (share, 0, (gsize) t->width * slots->stride * sizeof *share);
  states_reader_shares_of (g->st->read_states, g->r->shown + row->first, row->n, g->a->from, g->a->per_px / t->scale,
                           t->width, 1.0f / (float) row->n, &slots->palette, share, slots->stride, &g->met[i]);
  if (g->met[i] == 0 || y1 <= y0)
    return;
  space_time_draw_fill_row (t, &g->colours, t->pixels + (uint64_t) (y1 - 1) * t->stride, (uint32_t) (y1 - y0), share,
                            spent);
  for (uint32_t k = 0; k < slots->n; k++)
    g->spent[i][k] = (double) spent[k] * row->n;
  if (row->n > 1 && row->height >= 3) {
    const OddRow odd = space_time_odd (g->st, g->r, g->a, row, t->scale);
    odd_draw (&odd, t->width, share, g->colours.solid, t->pixels + (uint64_t) y0 * t->stride, t->stride,
              (int64_t) t->height - y0);
  }
}

static void
draw_part (void *arg, uint32_t part)
{
  Painting *g = arg;

  if (part == 0) { /* it is one piece, so it comes first */
    if (g->beside != NULL)
      g->beside (g->arg);
    return;
  }
  g_autofree float *share = g_new (float, (gsize) g->t->width * g->st->slots.stride);
  guint first = g->first[part - 1], behind = g->first[part];
  space_time_draw_clear (g->t, first == 0 ? 0 : space_time_draw_top_of (g, first), space_time_draw_top_of (g, behind));
  for (guint i = first; i < behind; i++)
    space_time_draw_row (g, i, share);
}

/* No two parts share a line of the raster: with more rows than lines, several rows are drawn into one, and the last of
 * them stays. */
static uint32_t
divide (Painting *g)
{
  uint32_t n = g->r->rows->len, together = MAX (n / PARTS, 1), parts = 0;
  int64_t below = 0, y0, y1; /* below: where all rows so far end */

  g->first = g_new (uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    if (parts == 0 || (i - g->first[parts - 1] >= together && space_time_draw_top_of (g, i) >= below))
      g->first[parts++] = i;
    space_time_draw_lines_of (g, &g_array_index (g->r->rows, Row, i), &y0, &y1);
    below = MAX (below, y1);
  }
  g->first[parts] = n;
  return parts;
}

/* What threads share that draw rows of many tasks is made before they begin. */
static void
space_time_draw_prepare (SpaceTime *st, const Rows *r)
{
  bool many = r->n_shown > r->rows->len * 8;

  for (guint i = 0; i < r->rows->len && !many; i++)
    many = g_array_index (r->rows, Row, i).n >= STATES_TOGETHER;
  if (many)
    states_reader_together (st->read_states);
  states_reader_keep_sums (st->read_states);
}

static void
space_time_draw_raster (SpaceTime *st, Paint *p, Raster *t, const Rows *r, const Axis *a, double *totals, uint32_t *met,
                        SpaceTimeBeside beside, void *arg)
{
  const StateSlots *slots = &st->slots;
  uint32_t n = r->rows->len;
  g_autofree double (*spent)[SLOTS_MOST] = g_malloc0_n (n + 1, sizeof *spent);
  g_autofree uint32_t *row_met = g_new0 (uint32_t, n + 1);
  Painting g = { .st = st,
                 .t = t,
                 .r = r,
                 .a = a,
                 .colours = { .stride = slots->stride },
                 .spent = spent,
                 .met = row_met,
                 .beside = beside,
                 .arg = arg };

  for (uint32_t k = 0; k < slots->n; k++) {
    uint32_t rgb = paint_slot (p->scene, STATE_NODE, slots, k);
    g.colours.colour[k] = (Four){ (float) (rgb & 255), (float) (rgb >> 8 & 255), (float) (rgb >> 16 & 255), 255 };
    g.colours.solid[k] = 255u << 24 | rgb;
    g.colours.pattern[k] = VIEW_PATTERN (rgb) != 0 ? rgb : 0;
    g.colours.patterned = g.colours.patterned || g.colours.pattern[k] != 0;
    g.colours.ink[k] = 255u << 24 | paint_pattern_ink (rgb);
    g.colours.thinness[k] = paint_thinness (p->scene, slots, k);
  }
  space_time_draw_prepare (st, r);
  if (n == 0)
    space_time_draw_clear (t, 0, t->height);
  at_once (1 + divide (&g), PARTS_LEAST, draw_part, &g);
  g_free (g.first);
  for (uint32_t i = 0; i < n; i++) {
    *met |= row_met[i];
    for (uint32_t k = 0; k < slots->n; k++)
      totals[k] += spent[i][k];
  }
}

typedef struct Vectors {
  Paint *p;
  const Axis *a;
  const Row *row;
  double *totals;
  const StateSlots *slots;
  uint32_t met;
} Vectors;

static bool
draw_interval (void *arg, int64_t from, int64_t to, uint32_t state)
{
  Vectors *v = arg;
  double x0 = MAX (axis_x (v->a, from), v->a->x), x1 = MIN (axis_x (v->a, to), v->a->x + v->a->width);

  uint32_t slot = states_slot (&v->slots->palette, state);
  v->met |= 1u << slot;
  v->totals[slot] += x1 - x0;
  uint32_t rgb = paint_slot (v->p->scene, STATE_NODE, v->slots, slot);
  double thin = v->row->height;
  if (thin >= 6)
    thin = MAX (1, floor (thin / paint_thinness (v->p->scene, v->slots, slot)));
  paint_source (v->p->cr, thin < v->row->height ? VIEW_PLAIN (rgb) : rgb, 1);
  cairo_rectangle (v->p->cr, x0, v->row->y + (v->row->height - thin) / 2, x1 - x0, thin);
  cairo_fill (v->p->cr);
  return true;
}

static void
draw_vectors (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *met)
{
  for (guint i = 0; i < r->rows->len; i++) {
    Vectors v = { p, a, &g_array_index (r->rows, Row, i), totals, &st->slots, 0 };
    states_reader_each (st->read_states, r->shown[v.row->first], a->from, a->to, draw_interval, &v);
    *met |= v.met;
  }
}

static bool
space_time_draw_counts (const StateGraph *g, const StateSlots *slots, uint32_t slot)
{
  return g == NULL || slots->state[slot] == SLOTS_OTHERS || state_counts (g->model, STATE_NODE, slots->state[slot]);
}

/* Time becomes shares of the life of the tasks, as the percentages of the model are: nobody lives while Dead. */
static void
share_life (const StateGraph *g, const StateSlots *slots, double *totals)
{
  double all = 0;

  for (uint32_t k = 0; k < slots->n; k++)
    all += space_time_draw_counts (g, slots, k) ? totals[k] : 0;
  for (uint32_t k = 0; k < slots->n; k++)
    totals[k] = !space_time_draw_counts (g, slots, k) ? NAN : all > 0 ? totals[k] / all : 0;
}

/* Pixels a px of what is too dense for vectors. */
static double
on_paper (const Rows *r)
{
  return CLAMP (sqrt (PIXELS_MOST / MAX (r->width * (r->bottom - r->top), 1)), 1, 2);
}

Raster
states_draw (SpaceTime *st, Paint *p, const Rows *r, const Axis *a, double *totals, uint32_t *met,
             SpaceTimeBeside beside, void *arg)
{
  bool image = cairo_surface_get_type (cairo_get_group_target (p->cr)) == CAIRO_SURFACE_TYPE_IMAGE;
  Raster t = { .image = NULL };
  uint64_t n = 0;

  for (uint32_t i = 0; !image && !r->several && i < r->n_shown && n <= VECTORS_MAX; i++)
    n += states_reader_count (st->read_states, r->shown[i], a->from, a->to);
  if (image || r->several || n > VECTORS_MAX)
    t = raster_begin (st, r, image ? MAX (p->scene->scale, 1) : on_paper (r));
  if (t.image != NULL)
    space_time_draw_raster (st, p, &t, r, a, totals, met, beside, arg);
  else if (beside != NULL)
    beside (arg);
  if (t.image == NULL && !r->several)
    draw_vectors (st, p, r, a, totals, met);
  share_life (p->scene->graph, &st->slots, totals);
  if (!image)
    raster_end (&t, p, r); /* messages stay vectors */
  return t;
}
