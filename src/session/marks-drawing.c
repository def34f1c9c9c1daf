/* SPDX-License-Identifier: Apache-2.0 */
/* marks-drawing.c - drawings over views: SVG that every program shows, whose attributes say what this one needs. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "session/marks-drawing.h"
#include "session/marks-media.h"
#include "eve/disk.h"
#include "eve/words.h"
#include "readers/reader.h"

#define MOST_BYTES (4 << 20)
#define WIDTH 960. /* of the file, as of the pictures of a report */
#define HEIGHT 540.
#define FAR 1000. /* times the picture: nothing lies farther outside */
#define STYLE "fill=\"none\" stroke=\"#e01b24\" stroke-width=\"3\" stroke-linecap=\"round\" stroke-linejoin=\"round\""

const char *const mark_shapes[] = { "freehand", "arrow", "rectangle", NULL };

static void
stroke_free (gpointer stroke)
{
  g_array_unref (((MarkStroke *) stroke)->points);
  g_free (stroke);
}

MarkDrawing *
mark_drawing_new (const char *view)
{
  MarkDrawing *d = g_new0 (MarkDrawing, 1);

  d->view = g_strdup (view);
  d->strokes = g_ptr_array_new_with_free_func (stroke_free);
  return d;
}

void
mark_drawing_free (MarkDrawing *d)
{
  if (!d)
    return;
  g_free (d->view);
  g_free (d->file);
  g_ptr_array_unref (d->strokes);
  g_free (d);
}

bool
mark_drawing_add (MarkDrawing *d, MarkShape shape, const MarkPoint *points, guint n)
{
  if (d->strokes->len >= MARK_STROKES_MOST || n < 2 || n > MARK_POINTS_MOST || (shape != MARK_FREEHAND && n != 2))
    return false;
  for (guint i = 0; i < n; ++i)
    if (!(fabs (points[i].x) <= FAR && fabs (points[i].y) <= FAR))
      return false;
  MarkStroke *s = g_new0 (MarkStroke, 1);
  s->shape = shape;
  s->points = g_array_new (FALSE, FALSE, sizeof (MarkPoint));
  g_array_append_vals (s->points, points, n);
  g_ptr_array_add (d->strokes, s);
  return true;
}

/* ---- how it looks ----------------------------------------------------------------------------------------------------- */

static void
marks_drawing_step (GArray *to, double x, double y, bool pen)
{
  MarkStep s = { x, y, pen };

  g_array_append_val (to, s);
}

GArray *
mark_stroke_steps (const MarkStroke *s, double left, double top, double width, double height, double head)
{
  GArray *to = g_array_new (FALSE, FALSE, sizeof (MarkStep));
  const MarkPoint *p = (const MarkPoint *) (const void *) s->points->data;
  double x = left + p[0].x * width, y = top + p[0].y * height, x1 = left + p[1].x * width, y1 = top + p[1].y * height;

  marks_drawing_step (to, x, y, false);
  if (s->shape == MARK_RECTANGLE) {
    marks_drawing_step (to, x1, y, true);
    marks_drawing_step (to, x1, y1, true);
    marks_drawing_step (to, x, y1, true);
    marks_drawing_step (to, x, y, true);
    return to;
  }
  for (guint i = 1; i < s->points->len; ++i)
    marks_drawing_step (to, left + p[i].x * width, top + p[i].y * height, true);
  if (s->shape == MARK_ARROW) {
    double angle = atan2 (y1 - y, x1 - x);
    marks_drawing_step (to, x1 - head * cos (angle - 0.5), y1 - head * sin (angle - 0.5), false);
    marks_drawing_step (to, x1, y1, true);
    marks_drawing_step (to, x1 - head * cos (angle + 0.5), y1 - head * sin (angle + 0.5), true);
  }
  return to;
}

static void
append_number (GString *to, double x)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (to, g_ascii_formatd (text, sizeof text, "%.6g", x));
}

static void
append_path (const MarkStroke *s, double left, double top, double width, double height, GString *to)
{
  g_autoptr (GArray) steps = mark_stroke_steps (s, left, top, width, height, 14);

  g_string_append (to, " d=\"");
  for (guint i = 0; i < steps->len; ++i) {
    const MarkStep *at = &g_array_index (steps, MarkStep, i);
    g_string_append_c (to, at->pen ? 'L' : 'M');
    append_number (to, at->x);
    g_string_append_c (to, ' ');
    append_number (to, at->y);
  }
  g_string_append_c (to, '"');
}

void
mark_drawing_svg (const MarkDrawing *d, double width, double height, double left, double top, double plot_width,
                  double plot_height, GString *to)
{
  g_string_append_printf (to,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                          "style=\"position:absolute;left:0;top:0;width:100%%\" " STYLE ">",
                          (int) width, (int) height);
  for (guint i = 0; i < d->strokes->len; ++i) {
    g_string_append (to, "<path");
    append_path (d->strokes->pdata[i], left, top, plot_width, plot_height, to);
    g_string_append (to, "/>");
  }
  g_string_append (to, "</svg>");
}

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

static char *
marks_drawing_text_of (const Marks *m, const MarkDrawing *d)
{
  GString *to = g_string_new (NULL);
  g_autofree char *view = g_markup_escape_text (d->view, -1);
  char from[64], until[64];

  trace_clock_print (&m->clock, d->from - m->clock.offset, from, sizeof from);
  trace_clock_print (&m->clock, d->to - m->clock.offset, until, sizeof until);
  g_string_append_printf (to,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" " STYLE
                          " data-scope-drawing=\"1\" data-view=\"%s\"",
                          (int) WIDTH, (int) HEIGHT, view);
  if (d->dated)
    g_string_append_printf (to, " data-from=\"%s\" data-to=\"%s\"", from, until);
  g_string_append_printf (to, ">\n<title>%s</title>\n", view);
  for (guint i = 0; i < d->strokes->len; ++i) {
    const MarkStroke *s = d->strokes->pdata[i];
    g_string_append_printf (to, "<path data-shape=\"%s\" data-points=\"", mark_shapes[s->shape]);
    for (guint k = 0; k < s->points->len; ++k) {
      const MarkPoint *p = &g_array_index (s->points, MarkPoint, k);
      g_string_append (to, k ? " " : "");
      append_number (to, p->x);
      g_string_append_c (to, ' ');
      append_number (to, p->y);
    }
    g_string_append_c (to, '"');
    append_path (s, 0, 0, WIDTH, HEIGHT, to);
    g_string_append (to, "/>\n");
  }
  g_string_append (to, "</svg>\n");
  return g_string_free (to, FALSE);
}

static char *
marks_drawing_named (const MarkDrawing *d, const char *file)
{
  g_autofree char *text = g_strdelimit (g_strdup (d->view), "[]()\n\r", ' ');

  return g_strdup_printf ("![%s](%s)", text, file);
}

/* The notes without what names it. */
static char *
without (const char *notes, const char *line)
{
  g_auto (GStrv) parts = g_strsplit (notes, line, -1);
  char *rest = g_strjoinv ("", parts);

  return g_strchomp (rest);
}

/* A mark may have been given another name, and one of its old name be drawn on: both keep their file.  g_free. */
static char *
new_file (const Marks *m, const Mark *mark, const MarkDrawing *d, GError **error)
{
  g_autofree char *of = g_strdup_printf ("%s\n%s", mark->name, d->view),
                  *sum = g_compute_checksum_for_string (G_CHECKSUM_SHA256, of, -1),
                  *stem = g_strdup_printf ("drawing-%.12s", sum);
  char *file = marks_free_name (m, stem, ".svg");

  if (!file)
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("%s cannot be written into the trace: %s"), stem,
                 g_strerror (EEXIST));
  return file;
}

void
mark_drawing_drop (const Marks *m, const char *file)
{
  g_autofree char *path = marks_file_of (m, file), *named_so = g_strdup_printf ("](%s)", file);

  for (guint i = 0; i < m->list->len; ++i)
    if (strstr (((const Mark *) m->list->pdata[i])->notes, named_so))
      return;
  if (path)
    unlink (path);
}

bool
mark_drawing_save (Marks *m, Mark *mark, MarkDrawing *d, GError **error)
{
  g_autofree char *file = d->file ? g_strdup (d->file) : new_file (m, mark, d, error), *line = NULL;

  if (!file)
    return false;
  line = marks_drawing_named (d, file);
  if (!d->strokes->len) {
    g_autofree char *rest = without (mark->notes, line);
    return marks_edit (m, mark, NULL, NULL, rest, error);
  }
  g_autofree char *text = marks_drawing_text_of (m, d);
  gsize n = strlen (text);
  if (n > MOST_BYTES) {
    g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE,
                 _ ("too much is drawn over %s: more than %d MiB; what came last is not kept"), d->view,
                 MOST_BYTES >> 20);
    return false;
  }
  if (!marks_put (m, file, text, n, error))
    return false;
  if (!d->file)
    d->file = g_steal_pointer (&file);
  if (strstr (mark->notes, line))
    return true;
  g_autofree char *notes = g_strdup_printf ("%s%s%s", mark->notes, *mark->notes ? "\n\n" : "", line);
  return marks_edit (m, mark, NULL, NULL, notes, error);
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

typedef struct Reading {
  const Marks *m;
  MarkDrawing *d;
} Reading;

static bool
read_points (MarkDrawing *d, const char *shape, const char *text)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (MarkPoint));
  int which = 0;

  while (mark_shapes[which] && !g_str_equal (mark_shapes[which], shape))
    ++which;
  if (!mark_shapes[which])
    return false;
  for (const char *at = text; *at && points->len <= MARK_POINTS_MOST;) {
    MarkPoint p;
    char *end;
    p.x = g_ascii_strtod (at, &end);
    const char *second = end;
    bool ok = end != at;
    p.y = g_ascii_strtod (second, &end);
    if (!ok || end == second)
      return false;
    g_array_append_val (points, p);
    for (at = end; *at == ' ';)
      ++at;
  }
  return mark_drawing_add (d, (MarkShape) which, (const MarkPoint *) (const void *) points->data, points->len);
}

static const char *
marks_drawing_attribute (const char **names, const char **values, const char *name)
{
  for (; *names; ++names, ++values)
    if (g_str_equal (*names, name))
      return *values;
  return NULL;
}

static void
on_element (GMarkupParseContext *at, const char *element, const char **names, const char **values, gpointer reading,
            GError **error)
{
  Reading *r = reading;
  const char *view = marks_drawing_attribute (names, values, "data-view"),
             *from = marks_drawing_attribute (names, values, "data-from"),
             *until = marks_drawing_attribute (names, values, "data-to"),
             *shape = marks_drawing_attribute (names, values, "data-shape"),
             *points = marks_drawing_attribute (names, values, "data-points");
  bool ok = true;

  if (!r->d) {
    ok = g_str_equal (element, "svg") && marks_drawing_attribute (names, values, "data-scope-drawing") && view;
    r->d = mark_drawing_new (view ? view : "");
    r->d->dated = from && until;
    if (ok && r->d->dated)
      ok = trace_clock_parse (&r->m->clock, from, &r->d->from) && trace_clock_parse (&r->m->clock, until, &r->d->to)
           && !__builtin_add_overflow (r->d->from, r->m->clock.offset, &r->d->from)
           && !__builtin_add_overflow (r->d->to, r->m->clock.offset, &r->d->to) && r->d->from < r->d->to;
  } else if (g_str_equal (element, "path"))
    ok = shape && points && read_points (r->d, shape, points);
  if (!ok)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, _ ("it is no drawing over a view"));
}

static MarkDrawing *
marks_drawing_read_file (const Marks *m, const char *name, GError **error)
{
  static const GMarkupParser parser = { .start_element = on_element };
  g_autofree char *path = marks_file_of (m, name);
  g_autoptr (GError) why = NULL;
  Reading r = { m, NULL };
  gsize n = 0;

  g_autofree char *text = path ? disk_read (path, NULL, MOST_BYTES, &n, &why) : NULL;
  GMarkupParseContext *context = text ? g_markup_parse_context_new (&parser, 0, &r, NULL) : NULL;
  bool ok = context && g_markup_parse_context_parse (context, text, (gssize) n, &why)
            && g_markup_parse_context_end_parse (context, &why) && r.d;
  if (context)
    g_markup_parse_context_free (context);
  if (ok) {
    r.d->file = g_strdup (name);
    return r.d;
  }
  mark_drawing_free (r.d);
  g_set_error (error, MARKS_ERROR, MARKS_ERROR_FILE, _ ("the drawing %s is not shown: %s"), name,
               why ? why->message : _ ("it is not in the trace"));
  return NULL;
}

MarkDrawing *
mark_drawing_load (const Marks *m, const Mark *mark, const char *view, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GError) why = NULL;

  /* Each file once, and on where a name ends: notes come from strangers. */
  for (const char *at = mark->notes; (at = strstr (at, "](marks/drawing-")) != NULL;) {
    const char *begin = at + 2;
    at = begin + strcspn (begin, ")\n");
    char *name = g_strndup (begin, (gsize) (at - begin));
    if (*at != ')' || !g_str_has_suffix (name, ".svg") || g_hash_table_contains (seen, name)) {
      g_free (name);
      continue;
    }
    g_hash_table_add (seen, name);
    MarkDrawing *d = marks_drawing_read_file (m, name, why ? NULL : &why);
    if (d && g_str_equal (d->view, view))
      return d;
    mark_drawing_free (d);
  }
  if (why)
    g_propagate_error (error, g_steal_pointer (&why));
  return NULL;
}
