/* SPDX-License-Identifier: Apache-2.0 */
/* patterns.c - the patterns that palettes for print lay over colours (view.h): which dots are of the pattern, in what
 * ink, and as a source that fills. */
#include <math.h>
#include "views/paint.h"
#include "views/painter.h"
#include "views/palettes.h"

#define SIDE 8 /* px after which a pattern comes again */

/* Rows of eight px, the first one the highest bit. */
static const uint8_t dots[][SIDE] = {
  { 0 },
  { 0x11, 0x22, 0x44, 0x88, 0x11, 0x22, 0x44, 0x88 }, /* rising */
  { 0x88, 0x44, 0x22, 0x11, 0x88, 0x44, 0x22, 0x11 }, /* falling */
  { 0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81 }, /* both */
  { 0xcc, 0xcc, 0x00, 0x00, 0x33, 0x33, 0x00, 0x00 }, /* dots */
  { 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0xff, 0x00 }, /* along */
  { 0xff, 0x88, 0x88, 0x88, 0xff, 0x88, 0x88, 0x88 }, /* squares */
};

bool
paint_pattern_at (uint32_t rgb, uint32_t x, uint32_t y)
{
  uint32_t pattern = VIEW_PATTERN (rgb);

  return pattern < G_N_ELEMENTS (dots) && (dots[pattern][y % SIDE] >> (SIDE - 1 - x % SIDE) & 1) != 0;
}

/* Away from the ink of text that stands on it: lines never strike a name. */
uint32_t
paint_pattern_ink (uint32_t rgb)
{
  return paint_mix (rgb, paint_ink_on (rgb) == 0xffffff ? 0x000000 : 0xffffff, 0.75);
}

static cairo_surface_t *
surface_of (uint32_t rgb, uint32_t scale)
{
  int side = (int) (SIDE * scale);
  cairo_surface_t *s = cairo_image_surface_create (CAIRO_FORMAT_RGB24, side, side);
  unsigned char *data = cairo_image_surface_get_data (s);
  int stride = cairo_image_surface_get_stride (s);

  for (int y = 0; data != NULL && y < side; y++)
    for (int x = 0; x < side; x++)
      ((uint32_t *) (void *) (data + (gsize) y * (gsize) stride))[x] = paint_pattern_at (rgb, (uint32_t) x / scale,
                                                                                         (uint32_t) y / scale)
                                                                           ? paint_pattern_ink (rgb)
                                                                           : VIEW_PLAIN (rgb);
  cairo_surface_mark_dirty (s);
  return s;
}

void
paint_pattern_source (cairo_t *cr, uint32_t rgb)
{
  static GMutex lock;
  static GHashTable *made; /* colour and scale -> surface: files that have it a thousand times hold it once */
  cairo_surface_t *s;
  cairo_matrix_t m;
  double by_x = 1, by_y = 1;

  cairo_get_matrix (cr, &m);
  cairo_surface_get_device_scale (cairo_get_target (cr), &by_x, &by_y);
  double wished = ceil (hypot (m.xx, m.yx) * by_x - 0.01);
  uint32_t scale = (uint32_t) CLAMP (wished, 1, 8);
  g_mutex_lock (&lock);
  if (made == NULL)
    made = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) cairo_surface_destroy);
  int64_t key = (int64_t) ((uint64_t) scale << 32 | rgb);
  s = g_hash_table_lookup (made, &key);
  if (s == NULL)
    g_hash_table_insert (made, g_memdup2 (&key, sizeof key), s = surface_of (rgb, scale));
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (s);
  g_mutex_unlock (&lock);
  cairo_matrix_t to;
  cairo_matrix_init_scale (&to, scale, scale);
  cairo_pattern_set_matrix (pattern, &to);
  cairo_pattern_set_extend (pattern, CAIRO_EXTEND_REPEAT);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  cairo_set_source (cr, pattern);
  cairo_pattern_destroy (pattern);
}
