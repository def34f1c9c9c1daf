/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - a scene to a file: PNG, SVG or PDF, under another name until it is whole. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "readers/reader.h"
#include "eve/words.h"
#include "views/paint.h"
#include "views/painter.h"

char *
view_file_name (const EveComponent *self, const char *folder, const char *suffix)
{
  g_autofree char *name = g_strdup (eve_name (self)), *file = NULL;

  for (char *c = name; *c != '\0'; c++)
    if (!g_ascii_isalnum (*c) && strchr ("-+,", *c) == NULL && (unsigned char) *c < 128)
      *c = '_';
  file = g_strconcat (name, suffix, NULL);
  return g_build_filename (folder, file, NULL);
}

typedef struct Target {
  FILE *file;
  int refused; /* errno, of the first piece that it did not take; else 0 */
} Target;

static cairo_status_t
write_piece (void *to, const unsigned char *data, unsigned n)
{
  Target *t = to;

  if (fwrite (data, 1, n, t->file) == n)
    return CAIRO_STATUS_SUCCESS;
  if (t->refused == 0)
    t->refused = errno;
  return CAIRO_STATUS_WRITE_ERROR;
}

static void
views_picture_write_bytes (png_structp png, png_bytep data, png_size_t n)
{
  if (write_piece (png_get_io_ptr (png), data, (unsigned) n) != CAIRO_STATUS_SUCCESS)
    png_error (png, "");
}

static void
flush_nothing (png_structp png)
{
  (void) png;
}

static void
views_picture_leave (png_structp png, png_const_charp why)
{
  (void) why;
  png_longjmp (png, 1);
}

static void
pass_over (png_structp png, png_const_charp warning)
{
  (void) png;
  (void) warning;
}

/* As cairo would, in a quarter of the time: these pictures are plain areas and lines, which filters of rows and a
 * longer search do not make smaller. */
static cairo_status_t
write_png (cairo_surface_t *surface, Target *to)
{
  int width = cairo_image_surface_get_width (surface), height = cairo_image_surface_get_height (surface),
      stride = cairo_image_surface_get_stride (surface);
  png_bytep rows = cairo_image_surface_get_data (surface);
  png_structp png = png_create_write_struct (PNG_LIBPNG_VER_STRING, NULL, views_picture_leave, pass_over);
  png_infop info = png != NULL ? png_create_info_struct (png) : NULL;

  if (info == NULL) {
    png_destroy_write_struct (&png, NULL);
    return CAIRO_STATUS_NO_MEMORY;
  }
  if (setjmp (png_jmpbuf (png)) != 0) {
    png_destroy_write_struct (&png, &info);
    return to->refused != 0 ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_PNG_ERROR;
  }
  png_set_write_fn (png, to, views_picture_write_bytes, flush_nothing);
  png_set_IHDR (png, info, (png_uint_32) width, (png_uint_32) height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_compression_level (png, 3);
  png_set_filter (png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
  png_write_info (png, info);
#if G_BYTE_ORDER                                                                                                       \
    == G_LITTLE_ENDIAN /* cairo's pixels are words, with blue in the lowest byte and nothing in the highest */
  png_set_bgr (png);
  png_set_filler (png, 0, PNG_FILLER_AFTER);
#else
  png_set_filler (png, 0, PNG_FILLER_BEFORE);
#endif
  for (int y = 0; y < height; y++)
    png_write_row (png, rows + (size_t) y * (size_t) stride);
  png_write_end (png, info);
  png_destroy_write_struct (&png, &info);
  return CAIRO_STATUS_SUCCESS;
}

/* ---- what stands around a picture that stands alone -------------------------------------------------------- */

#define HEADING_LINE 20.0
#define SIDE 16.0
#define SWATCH 10.0
#define ROOM_LEAST 60.0 /* px of its height that are left to the picture */

static double
views_picture_heading (Paint *p, const char *heading)
{
  g_auto (GStrv) lines = g_strsplit (heading, "\n", -1);
  double y = 4;

  for (guint i = 0; lines[i] != NULL; i++, y += HEADING_LINE)
    paint_text (p, SIDE, y + HEADING_LINE / 2, 0, i == 0 ? PAINT_TITLE | PAINT_BOLD : PAINT_TEXT,
                i == 0 ? p->ink : p->muted, p->scene->width_px - 2 * SIDE, lines[i]);
  return y;
}

/* What legends have no room for, in lines from y on; gives where they end. */
static double
views_picture_unnamed (Paint *p, const GArray *unnamed, double y)
{
  double x = SIDE, right = p->scene->width_px - SIDE;

  for (guint i = 0; i < unnamed->len; i++) {
    const ViewUnnamed *one = &g_array_index (unnamed, ViewUnnamed, i);
    double width = MIN (SWATCH + 6 + paint_text_width (p, PAINT_TEXT, one->name), right - SIDE);
    if (x > SIDE && x + width > right) {
      x = SIDE;
      y += HEADING_LINE;
    }
    if (!p->measures) {
      paint_source (p->cr, one->rgb, 1);
      cairo_rectangle (p->cr, x, round (y + (HEADING_LINE - SWATCH) / 2), SWATCH, SWATCH);
      cairo_fill (p->cr);
    }
    paint_text (p, x + SWATCH + 6, y + HEADING_LINE / 2, 0, PAINT_TEXT, p->ink, width - SWATCH - 6, one->name);
    x += width + 18;
  }
  return unnamed->len > 0 ? y + HEADING_LINE + 4 : y;
}

static void
views_picture_clear_unnamed (gpointer one)
{
  g_free (((ViewUnnamed *) one)->name);
}

/* The picture between its heading and what its legend has no room for, which is known when it has been made once. */
static bool
views_picture_alone (EveComponent *c, const View *view, const ViewScene *scene, cairo_t *cr, GError **error)
{
  g_autoptr (GArray) unnamed = g_array_new (FALSE, FALSE, sizeof (ViewUnnamed));
  ViewScene inside = *scene;
  Paint p, measure;

  g_array_set_clear_func (unnamed, views_picture_clear_unnamed);
  paint_begin (&p, scene, cr);
  double top = views_picture_heading (&p, scene->heading);
  inside.heading = NULL;
  inside.height_px = MAX (scene->height_px - top, ROOM_LEAST);
  inside.unnamed = unnamed;
  paint_measure (&measure, scene);
  bool ok = view_draw (c, view, &inside, measure.cr, error);
  inside.unnamed = NULL;
  double foot = views_picture_unnamed (&measure, unnamed, 0);
  paint_end (&measure);
  inside.height_px = MAX (inside.height_px - foot, ROOM_LEAST);
  views_picture_unnamed (&p, unnamed, top + inside.height_px);
  paint_end (&p);
  cairo_save (cr);
  cairo_translate (cr, 0, top);
  cairo_rectangle (cr, 0, 0, inside.width_px, inside.height_px);
  cairo_clip (cr);
  ok = ok && view_draw (c, view, &inside, cr, error);
  cairo_restore (cr);
  return ok;
}

/* ---- files --------------------------------------------------------------------------------------------------- */

typedef enum { PNG, SVG, PDF } Kind;

static bool
views_picture_paint (EveComponent *c, const ViewScene *scene, Kind kind, Target *to, GError **error)
{
  const View *view = view_get (c);
  double scale = scene->scale > 0 ? scene->scale : 1;
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;
  bool ok;

  if (view == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s is no view"), eve_name (c));
    return false;
  }
  if (kind == PNG)
    surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, (int) (scene->width_px * scale + 0.5),
                                          (int) (scene->height_px * scale + 0.5));
  else if (kind == SVG)
    surface = cairo_svg_surface_create_for_stream (write_piece, to, scene->width_px, scene->height_px);
  else
    surface = cairo_pdf_surface_create_for_stream (write_piece, to, scene->width_px, scene->height_px);
  if (kind == SVG) /* else a unit is a point, and the picture a third larger than was asked for */
    cairo_svg_surface_set_document_unit (surface, CAIRO_SVG_UNIT_PX);
  cr = cairo_create (surface);
  if (kind == PNG)
    cairo_scale (cr, scale, scale);
  ok = scene->heading != NULL ? views_picture_alone (c, view, scene, cr, error) : view_draw (c, view, scene, cr, error);
  status = cairo_status (cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  if (ok && kind == PNG && status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  if (ok && kind == PNG && status == CAIRO_STATUS_SUCCESS)
    status = write_png (surface, to);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (ok && status != CAIRO_STATUS_SUCCESS
      && to->refused == 0) { /* else the file did not take it: the caller says so */
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("the picture of %s cannot be made: %s"), eve_name (c),
                 cairo_status_to_string (status));
    ok = false;
  }
  return ok;
}

bool
view_to_file (EveComponent *view, const ViewScene *scene, const char *path, GError **error)
{
  static const char *const endings[] = { ".png", ".svg", ".pdf" };
  g_autofree char *making = g_strconcat (path, ".making-XXXXXX", NULL);
  Target to = { 0 };
  int kind = 0, fd;
  bool ok;

  while (kind < 3 && !g_str_has_suffix (path, endings[kind]))
    kind++;
  if (kind == 3) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, _ ("%s: pictures end in .png, .svg or .pdf"), path);
    return false;
  }
  fd = g_mkstemp_full (making, O_RDWR, 0666);
  to.file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  if (to.file == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return false;
  }
  ok = views_picture_paint (view, scene, (Kind) kind, &to, error);
  if ((fclose (to.file) != 0 || (ok && to.refused == 0 && g_rename (making, path) != 0)) && to.refused == 0)
    to.refused = errno;
  if (ok && to.refused != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, _ ("%s cannot be written: %s"), path, g_strerror (to.refused));
    ok = false;
  }
  if (!ok)
    g_unlink (making);
  return ok;
}
