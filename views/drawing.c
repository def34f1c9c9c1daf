/* SPDX-License-Identifier: Apache-2.0 */
/* drawing.c - what is drawn is painted at once, and kept as marks: where it is, and of what. */
#include "views/drawing.h"
#include "views/groups.h"
#include "views/painter.h"
#include "views/palettes.h"
#include <math.h>
#include <string.h>

#define AT_LEAST 0.5  /* px that a line can be pointed at beside it, with what is painted of it */
#define NEAR_LINE 4.0 /* the same, for a pointer */
#define NEAR_PIXEL 5  /* px, around a pixel of an image */
#define MIDDLE 12.0   /* px: what is told of a line is this large, around its middle */

typedef struct Image { /* of which the numbers are kept */
  double x, y, width, height;
  uint32_t columns, rows;
  uint32_t *ids;
} Image;

struct Drawing {
  Paint paint;
  const ViewScene *scene;
  cairo_t *cr; /* NULL: not painted */
  bool begun, partial, unfinished, on_the_way;
  guint most;
  GArray *marks;  /* of DrawingMark */
  GArray *points; /* of double: x, y */
  GArray *images; /* of Image */
};

static void
clear_image (void *image)
{
  g_free (((Image *) image)->ids);
}

Drawing *
drawing_new (const ViewScene *scene, cairo_t *cr, guint most)
{
  Drawing *d = g_new0 (Drawing, 1);

  d->scene = scene;
  d->cr = cr;
  d->most = most;
  d->marks = g_array_new (FALSE, FALSE, sizeof (DrawingMark));
  d->points = g_array_new (FALSE, FALSE, sizeof (double));
  d->images = g_array_new (FALSE, FALSE, sizeof (Image));
  g_array_set_clear_func (d->images, clear_image);
  return d;
}

static void
end_paint (Drawing *d)
{
  if (d->begun)
    paint_end (&d->paint);
  d->begun = false;
}

void
drawing_free (Drawing *d)
{
  if (d == NULL)
    return;
  end_paint (d);
  g_array_unref (d->marks);
  g_array_unref (d->points);
  g_array_unref (d->images);
  g_free (d);
}

Paint *
drawing_begin (Drawing *d)
{
  end_paint (d);
  if (d->cr != NULL)
    paint_begin (&d->paint, d->scene, d->cr);
  else
    paint_measure (&d->paint, d->scene);
  d->paint.drawing = d;
  d->begun = true;
  return &d->paint;
}

bool
drawing_is_painted (const Drawing *d)
{
  return d->cr != NULL;
}

bool
drawing_later (Drawing *d)
{
  if (d->cr != NULL)
    d->partial = true;
  return d->cr != NULL;
}

guint
drawing_room (const Drawing *d)
{
  return d->most - d->marks->len;
}

/* ---- marks ------------------------------------------------------------------------------------------------------------- */

static void
drawing_keep (Drawing *d, const DrawingMark *m)
{
  if (d->marks->len < d->most)
    g_array_append_vals (d->marks, m, 1);
  else
    d->partial = true;
}

static bool
drawing_wanted (Drawing *d, const DrawingTag *tag)
{
  if (tag != NULL && d->marks->len >= d->most)
    d->partial = true;
  return tag != NULL && d->marks->len < d->most;
}

DrawingMark
drawing_mark_of (double x, double y, double width, double height, const DrawingTag *tag)
{
  return (DrawingMark){
    .tag = *tag, .left = x, .top = y, .width = fmax (width, 0), .height = fmax (height, 0), .shape = DRAWING_RECT
  };
}

void
drawing_area (Drawing *d, double x, double y, double width, double height, const DrawingTag *tag)
{
  if (!drawing_wanted (d, tag))
    return;
  DrawingMark m = drawing_mark_of (x, y, width, height, tag);
  drawing_keep (d, &m);
}

void
drawing_colour (Drawing *d, double x, double y, double width, double height, const char *attribute, const char *value)
{
  if (d->most == 0)
    return;
  DrawingTag tag = { DRAWING_NO_DATES, .attribute = g_intern_string (attribute), .value = g_intern_string (value) };
  DrawingMark m = drawing_mark_of (x, y, width, height, &tag);
  m.colour_only = true;
  drawing_keep (d, &m);
}

void
drawing_mark_disc (Drawing *d, double x, double y, double r, const DrawingTag *tag)
{
  if (!drawing_wanted (d, tag))
    return;
  DrawingMark m = drawing_mark_of (x - r, y - r, 2 * r, 2 * r, tag);
  m.shape = DRAWING_DISC;
  m.x = x;
  m.y = y;
  m.a = r;
  drawing_keep (d, &m);
}

static double
drawing_length_of (const double *points, guint n)
{
  double length = 0;

  for (guint i = 1; i < n; i++)
    length += hypot (points[2 * i] - points[2 * i - 2], points[2 * i + 1] - points[2 * i - 1]);
  return length;
}

/* The point half way along. */
static void
drawing_middle_of (const double *points, guint n, double *x, double *y)
{
  double left = drawing_length_of (points, n) / 2;

  *x = points[0];
  *y = points[1];
  for (guint i = 1; i < n; i++) {
    double dx = points[2 * i] - points[2 * i - 2], dy = points[2 * i + 1] - points[2 * i - 1], part = hypot (dx, dy);
    if (part >= left && part > 0) {
      *x = points[2 * i - 2] + dx * left / part;
      *y = points[2 * i - 1] + dy * left / part;
      return;
    }
    left -= part;
  }
}

void
drawing_mark_line (Drawing *d, const double *points, guint n, double near, const DrawingTag *tag)
{
  double x, y;

  if (n == 0 || !drawing_wanted (d, tag))
    return;
  drawing_middle_of (points, n, &x, &y);
  DrawingMark m = drawing_mark_of (x - MIDDLE / 2, y - MIDDLE / 2, MIDDLE, MIDDLE, tag);
  m.shape = DRAWING_LINE;
  m.a = near;
  m.b = drawing_length_of (points, n);
  m.first = d->points->len / 2;
  m.n = n;
  g_array_append_vals (d->points, points, 2 * n);
  drawing_keep (d, &m);
}

/* ---- painted and marked -------------------------------------------------------------------------------------------------- */

void
drawing_rect (Drawing *d, double x, double y, double width, double height, uint32_t rgb, double alpha,
              const DrawingTag *tag)
{
  if (d->cr != NULL) {
    paint_source (d->cr, rgb, alpha);
    cairo_rectangle (d->cr, x, y, width, height);
    cairo_fill (d->cr);
  }
  drawing_area (d, x, y, width, height, tag);
}

void
drawing_disc (Drawing *d, double x, double y, double r, uint32_t rgb, double alpha, const DrawingTag *tag)
{
  if (d->cr != NULL) {
    paint_source (d->cr, rgb, alpha);
    cairo_arc (d->cr, x, y, r, 0, 2 * G_PI);
    cairo_fill (d->cr);
  }
  drawing_mark_disc (d, x, y, r, tag);
}

static void
sector_path (cairo_t *cr, double x, double y, double inner, double outer, double from, double to)
{
  cairo_new_path (cr);
  cairo_arc (cr, x, y, outer, from, to);
  if (inner > 0)
    cairo_arc_negative (cr, x, y, inner, to, from);
  else
    cairo_line_to (cr, x, y);
  cairo_close_path (cr);
}

/* What is told of it is a square in its middle, as large as fits between its sides. */
static DrawingMark
sector_mark (double x, double y, double inner, double outer, double from, double to, const DrawingTag *tag)
{
  double middle = (from + to) / 2, r = outer * 0.78, side = 18;

  if (inner <= 0)
    r = outer * 0.6;
  DrawingMark m = drawing_mark_of (x + r * cos (middle) - side / 2, y + r * sin (middle) - side / 2, side, side, tag);
  m.shape = DRAWING_SECTOR;
  m.x = x;
  m.y = y;
  m.a = inner;
  m.b = outer;
  m.c = from;
  m.d = to;
  return m;
}

void
drawing_sector (Drawing *d, double x, double y, double inner, double outer, double from, double to, uint32_t rgb,
                const DrawingTag *tag)
{
  if (d->cr != NULL) {
    sector_path (d->cr, x, y, inner, outer, from, to);
    paint_source (d->cr, rgb, 1);
    cairo_fill (d->cr);
  }
  if (!drawing_wanted (d, tag))
    return;
  DrawingMark m = sector_mark (x, y, inner, outer, from, to, tag);
  drawing_keep (d, &m);
}

void
drawing_line (Drawing *d, const double *points, guint n, double width, uint32_t rgb, double alpha,
              const DrawingTag *tag)
{
  if (d->cr != NULL) {
    static const double dash[][4] = { { 6, 3 }, { 2, 2 }, { 8, 2, 2, 2 }, { 1, 2 }, { 12, 3 } };
    uint32_t pattern = VIEW_PATTERN (rgb); /* of a line: how it is dashed */
    paint_source (d->cr, VIEW_PLAIN (rgb), alpha);
    cairo_set_line_width (d->cr, width);
    if (pattern > 0 && pattern <= G_N_ELEMENTS (dash))
      cairo_set_dash (d->cr, dash[pattern - 1], dash[pattern - 1][2] > 0 ? 4 : 2, 0);
    for (guint i = 0; i < n; i++)
      cairo_line_to (d->cr, points[2 * i], points[2 * i + 1]);
    cairo_stroke (d->cr);
    if (pattern > 0)
      cairo_set_dash (d->cr, NULL, 0, 0);
  }
  drawing_mark_line (d, points, n, fmax (width / 2 + AT_LEAST, NEAR_LINE), tag);
}

double
drawing_text (Drawing *d, double x, double y, double align, int px, uint32_t rgb, double max_px, const char *text,
              const DrawingTag *tag)
{
  double width = paint_text (&d->paint, x, y, align, px, rgb, max_px, text), high = (px & ~PAINT_BOLD) + 6;

  drawing_area (d, x - align * width, y - high / 2, width, high, tag);
  return width;
}

/* ---- images ---------------------------------------------------------------------------------------------------------------- */

/* What each number takes up: its pixels, and how many there are. */
static void
mark_pixels (Drawing *d, const Image *i, const DrawingTag *tags, guint n_tags)
{
  g_autofree uint32_t *box = g_new0 (uint32_t, (gsize) 5 * n_tags + 1);
  double w = i->width / i->columns, h = i->height / i->rows;

  for (uint32_t y = 0; y < i->rows; y++)
    for (uint32_t x = 0; x < i->columns; x++) {
      uint32_t id = i->ids[(gsize) y * i->columns + x];
      uint32_t *b = &box[5 * (gsize) (id - 1)];
      if (id == 0 || id > n_tags)
        continue;
      if (b[4]++ == 0) {
        b[0] = b[2] = x;
        b[1] = b[3] = y;
      }
      b[0] = MIN (b[0], x), b[2] = MAX (b[2], x), b[3] = y;
    }
  for (guint k = 0; k < n_tags; k++) {
    const uint32_t *b = &box[5 * (gsize) k];
    if (b[4] == 0 || !drawing_wanted (d, &tags[k]))
      continue;
    DrawingMark m = drawing_mark_of (i->x + b[0] * w, i->y + b[1] * h, (b[2] - b[0] + 1) * w, (b[3] - b[1] + 1) * h,
                                     &tags[k]);
    m.shape = DRAWING_PIXELS;
    m.a = b[4] * w * h;
    m.first = d->images->len;
    m.n = k + 1;
    drawing_keep (d, &m);
  }
}

void
drawing_image (Drawing *d, double x, double y, double width, double height, cairo_surface_t *image, const uint32_t *ids,
               const DrawingTag *tags, guint n_tags)
{
  int columns = cairo_image_surface_get_width (image), rows = cairo_image_surface_get_height (image);

  if (columns <= 0 || rows <= 0)
    return;
  if (d->cr != NULL) {
    cairo_save (d->cr);
    cairo_translate (d->cr, x, y);
    cairo_scale (d->cr, width / columns, height / rows);
    cairo_set_source_surface (d->cr, image, 0, 0);
    cairo_pattern_set_filter (cairo_get_source (d->cr), CAIRO_FILTER_NEAREST);
    cairo_paint (d->cr);
    cairo_restore (d->cr);
  }
  if (ids == NULL || n_tags == 0 || d->most == 0)
    return;
  Image i = { x, y, width, height, (uint32_t) columns, (uint32_t) rows, NULL };
  i.ids = g_memdup2 (ids, (gsize) i.columns * i.rows * sizeof *ids);
  mark_pixels (d, &i, tags, n_tags);
  g_array_append_val (d->images, i);
}

/* The number of the pixel there, or of the nearest that has one. */
static uint32_t
id_at (const Image *i, double x, double y)
{
  int64_t px = (int64_t) floor ((x - i->x) / i->width * i->columns), best = INT64_MAX;
  int64_t py = (int64_t) floor ((y - i->y) / i->height * i->rows);
  int64_t reach_x = (int64_t) ceil (NEAR_PIXEL * i->columns / i->width),
          reach_y = (int64_t) ceil (NEAR_PIXEL * i->rows / i->height);
  uint32_t found = 0;

  for (int64_t yy = MAX (py - reach_y, 0); yy <= MIN (py + reach_y, (int64_t) i->rows - 1); yy++)
    for (int64_t xx = MAX (px - reach_x, 0); xx <= MIN (px + reach_x, (int64_t) i->columns - 1); xx++) {
      int64_t away = (xx - px) * (xx - px) + (yy - py) * (yy - py);
      uint32_t id = i->ids[yy * i->columns + xx];
      if (id != 0 && away < best) {
        best = away;
        found = id;
      }
    }
  return found;
}

/* ---- pointing ------------------------------------------------------------------------------------------------------------ */

void
drawing_end (Drawing *d)
{
  end_paint (d);
  d->cr = NULL;
  d->scene = NULL;
}

guint
drawing_n_marks (const Drawing *d)
{
  return d->marks->len;
}

const DrawingMark *
drawing_mark (const Drawing *d, guint i)
{
  return &g_array_index (d->marks, DrawingMark, i);
}

const DrawingMark *
drawing_next_thing (const Drawing *d, guint *at, const DrawingMark *before)
{
  while (d != NULL && *at < d->marks->len) {
    const DrawingMark *m = drawing_mark (d, (*at)++);
    if (!m->colour_only && (before == NULL || memcmp (&m->tag, &before->tag, sizeof m->tag) != 0))
      return m;
  }
  return NULL;
}

void
drawing_unfinished (Drawing *d)
{
  d->unfinished = true;
}

void
drawing_on_the_way (Drawing *d)
{
  d->unfinished = d->on_the_way = true;
}

bool
drawing_is_on_the_way (const Drawing *d)
{
  return d->on_the_way;
}

bool
drawing_is_unfinished (const Drawing *d)
{
  return d->unfinished;
}

bool
drawing_is_partial (const Drawing *d)
{
  return d->partial;
}

static const double *
points_of (const Drawing *d, const DrawingMark *m)
{
  return &g_array_index (d->points, double, 2 * m->first);
}

const double *
drawing_points (const Drawing *d, const DrawingMark *m)
{
  return m->shape == DRAWING_LINE ? points_of (d, m) : NULL;
}

static double
off_line (const double *p, guint n, double x, double y)
{
  double least = hypot (x - p[0], y - p[1]);

  for (guint i = 1; i < n; i++) {
    const double *a = p + 2 * i - 2, *b = p + 2 * i;
    double dx = b[0] - a[0], dy = b[1] - a[1];
    double t = CLAMP (((x - a[0]) * dx + (y - a[1]) * dy) / fmax (dx * dx + dy * dy, 1e-9), 0, 1);
    least = fmin (least, hypot (x - a[0] - t * dx, y - a[1] - t * dy));
  }
  return least;
}

static bool
in_sector (const DrawingMark *m, double x, double y)
{
  double r = hypot (x - m->x, y - m->y), turned = fmod (atan2 (y - m->y, x - m->x) - m->c, 2 * G_PI);

  return r >= m->a && r <= m->b && (turned < 0 ? turned + 2 * G_PI : turned) <= m->d - m->c;
}

static bool
drawing_holds (const Drawing *d, const DrawingMark *m, double x, double y)
{
  switch (m->shape) {
  case DRAWING_DISC:
    return hypot (x - m->x, y - m->y) <= m->a;
  case DRAWING_SECTOR:
    return in_sector (m, x, y);
  case DRAWING_LINE:
    return off_line (points_of (d, m), m->n, x, y) <= m->a;
  case DRAWING_PIXELS:
    return id_at (&g_array_index (d->images, Image, m->first), x, y) == m->n;
  default:
    return x >= m->left && x < m->left + m->width && y >= m->top && y < m->top + m->height;
  }
}

double
drawing_size (const DrawingMark *m)
{
  switch (m->shape) {
  case DRAWING_DISC:
    return G_PI * m->a * m->a;
  case DRAWING_SECTOR:
    return (m->b * m->b - m->a * m->a) * (m->d - m->c) / 2;
  case DRAWING_LINE:
    return m->b * 2 * m->a;
  case DRAWING_PIXELS:
    return m->a;
  default:
    return m->width * m->height;
  }
}

const DrawingMark *
drawing_at (const Drawing *d, double x, double y, bool colours)
{
  const DrawingMark *best = NULL;

  for (guint i = 0; i < d->marks->len; i++) {
    const DrawingMark *m = drawing_mark (d, i);
    if (colours ? m->tag.value == NULL : m->colour_only)
      continue;
    if ((best == NULL || drawing_size (m) < drawing_size (best)) && drawing_holds (d, m, x, y))
      best = m;
  }
  return best;
}

/* ---- what stands out ------------------------------------------------------------------------------------------------------- */

bool
view_selects_tag (const ViewScene *scene, const DrawingTag *tag)
{
  const TraceRefs *s = scene->selection;

  if (trace_refs_n (s) == 0)
    return false;
  if (tag->other.type != TRACE_REF_TASK || tag->what.type != TRACE_REF_TASK || tag->event != 0
      || trace_ref_same (tag->what, tag->other))
    return trace_refs_has (s, tag->what) || trace_refs_has (s, tag->other);
  return trace_refs_has_pair (s, tag->what.source, tag->what.id, tag->other.id);
}

bool
view_stands_out (const ViewScene *scene, TraceRef r)
{
  return view_selects (scene, r)
         || (r.type == TRACE_REF_TASK && trace_refs_has_end (scene->selection, r, 1, TRACE_REFS_BOTH));
}

bool
view_part_stands_out (const ViewScene *scene, uint32_t part)
{
  const GroupPart *of = &scene->groups->parts[part];

  for (uint32_t k = 0; trace_refs_n (scene->selection) > 0 && k < of->n; k++)
    if (view_stands_out (scene, trace_ref_task (scene->source->number, scene->groups->order[of->first + k])))
      return true;
  return false;
}

bool
view_tag_stands_out (const ViewScene *scene, const DrawingTag *tag)
{
  bool alone = tag->other.type == TRACE_REF_NONE && tag->event == 0;

  return view_selects_tag (scene, tag) || view_selects (scene, tag->what) || view_selects (scene, tag->other)
         || (alone && view_stands_out (scene, tag->what));
}

void
drawing_band (Drawing *d, double x, double y, double width, double height)
{
  uint32_t rgb = paint_mix (d->paint.paper, DRAWING_ACCENT, 0.14);

  drawing_rect (d, x, y, width, height, rgb, 1, NULL);
  drawing_rect (d, x, y, 3, height, DRAWING_ACCENT, 1, NULL);
}

void
drawing_frame (const Drawing *d, const DrawingMark *m, cairo_t *cr, double more)
{
  const double *p;

  cairo_new_path (cr);
  switch (m->shape) {
  case DRAWING_DISC:
    cairo_arc (cr, m->x, m->y, m->a + more, 0, 2 * G_PI);
    break;
  case DRAWING_SECTOR:
    sector_path (cr, m->x, m->y, m->a > 0 ? fmax (m->a - more, 0.1) : 0, m->b + more, m->c, m->d);
    break;
  case DRAWING_LINE:
    p = points_of (d, m);
    for (guint i = 0; i < m->n; i++)
      cairo_line_to (cr, p[2 * i], p[2 * i + 1]);
    break;
  default:
    cairo_rectangle (cr, m->left - more, m->top - more, m->width + 2 * more, m->height + 2 * more);
    break;
  }
  cairo_stroke (cr);
}
