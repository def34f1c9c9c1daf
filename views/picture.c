/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c - a scene to a file: PNG, SVG or PDF, under another name until it is whole. */
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "readers/reader.h"
#include "views/view.h"

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

typedef enum { PNG, SVG, PDF } Kind;

static bool
paint (EveComponent *c, const ViewScene *scene, Kind kind, Target *to, GError **error)
{
  const View *view = view_get (c);
  double scale = scene->scale > 0 ? scene->scale : 1;
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;
  bool ok;

  if (view == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, "%s is no view", eve_name (c));
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
  ok = view_draw (c, view, scene, cr, error);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (ok && kind == PNG && status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, write_piece, to);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (ok && status != CAIRO_STATUS_SUCCESS
      && to->refused == 0) { /* else the file did not take it: the caller says so */
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "the picture of %s cannot be made: %s", eve_name (c),
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
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_FORMAT, "%s: pictures end in .png, .svg or .pdf", path);
    return false;
  }
  fd = g_mkstemp_full (making, O_RDWR, 0666);
  to.file = fd >= 0 ? fdopen (fd, "wb") : NULL;
  if (to.file == NULL) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (errno));
    if (fd >= 0)
      close (fd);
    return false;
  }
  ok = paint (view, scene, (Kind) kind, &to, error);
  if ((fclose (to.file) != 0 || (ok && to.refused == 0 && g_rename (making, path) != 0)) && to.refused == 0)
    to.refused = errno;
  if (ok && to.refused != 0) {
    g_set_error (error, TRACE_ERROR, TRACE_ERROR_IO, "%s cannot be written: %s", path, g_strerror (to.refused));
    ok = false;
  }
  if (!ok)
    g_unlink (making);
  return ok;
}
