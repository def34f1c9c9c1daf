/* SPDX-License-Identifier: Apache-2.0 */
/* layout.c - the program laid out from left to right by Graphviz's dot, in a child process: a hundred boxes take it a
 * moment, in which the window lives on; what it says is placed with one edit, and boxes glide there. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define PX_PER_INCH 72.0
#define SECONDS 20

typedef struct Layout {
  EditorCanvas *w;
  GSubprocess *dot;
  GPtrArray *names; /* of the boxes, as they were numbered */
  guint timeout;
} Layout;

static void
layout_free (Layout *l)
{
  g_clear_handle_id (&l->timeout, g_source_remove);
  g_object_unref (l->dot);
  g_ptr_array_unref (l->names);
  g_object_unref (l->w);
  g_free (l);
}

/* Sizes as they are drawn; ports keep their order, so wires cross little. */
static char *
editor_layout_graph_of (const Sketch *s, GPtrArray *names)
{
  GString *g = g_string_new ("digraph g { rankdir=LR; nodesep=0.45; ranksep=0.9; splines=false;\n"
                             "node [shape=record, fixedsize=true, label=\"\"];\n");
  char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint i = 0; i < s->boxes->len; i++) {
    const SketchBox *box = s->boxes->pdata[i];
    g_ptr_array_add (names, g_strdup (box->name));
    g_string_append_printf (g, "n%u [width=%s, height=%s];\n", i,
                            g_ascii_formatd (a, sizeof a, "%.3f", box->width / PX_PER_INCH),
                            g_ascii_formatd (b, sizeof b, "%.3f", box->height / PX_PER_INCH));
  }
  for (guint i = 0; i < s->wires->len; i++) {
    const SketchWire *w = s->wires->pdata[i];
    guint from = 0, to = 0;
    g_ptr_array_find (s->boxes, w->start->box, &from);
    g_ptr_array_find (s->boxes, w->end->box, &to);
    /* commands go back to what stands before: they do not say what comes first */
    g_string_append_printf (g, "n%u -> n%u%s;\n", from, to,
                            w->end->side == SIDE_TOP && w->end->box->x < w->start->box->x ? " [constraint=false]" : "");
  }
  g_string_append (g, "}\n");
  return g_string_free (g, FALSE);
}

static void
remember (EditorCanvas *w, SketchBox *b)
{
  double *from = g_new (double, 2);
  from[0] = b->x;
  from[1] = b->y;
  if (b->c)
    g_hash_table_insert (w->anim, b->c, from);
  else
    g_free (from);
}

/* What lay on a frame still does: the frame goes round it anew. */
static void
frame_again (EditorCanvas *w, GPtrArray *held)
{
  for (guint i = 0; i < held->len; i++) {
    Frame *f = w->sketch->frames->pdata[i];
    GPtrArray *boxes = held->pdata[i];
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (guint k = 0; k < boxes->len; k++) {
      const SketchBox *b = boxes->pdata[k];
      double x = INFINITY, y = INFINITY;
      for (guint m = 0; m < b->members->len; m++) {
        double mx, my;
        eve_position (b->members->pdata[m], &mx, &my);
        x = MIN (x, mx);
        y = MIN (y, my);
      }
      x0 = MIN (x0, x);
      y0 = MIN (y0, y);
      x1 = MAX (x1, x + b->width);
      y1 = MAX (y1, y + b->height);
    }
    if (!boxes->len)
      continue;
    f->x = x0 - 16;
    f->y = y0 - 40;
    f->width = x1 + 16 - f->x;
    f->height = y1 + 16 - f->y;
  }
  notes_write (canvas_program (w), w->sketch->notes);
}

static GPtrArray *
what_frames_hold (const Sketch *s)
{
  GPtrArray *held = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < s->frames->len; i++) {
    const Frame *f = s->frames->pdata[i];
    GPtrArray *boxes = g_ptr_array_new ();
    for (guint k = 0; k < s->boxes->len; k++)
      if (sketch_lies_on (s->boxes->pdata[k], f))
        g_ptr_array_add (boxes, s->boxes->pdata[k]);
    g_ptr_array_add (held, boxes);
  }
  return held;
}

/* Lines "node NAME X Y W H ..." in inches, y upward: docs of Graphviz, -Tplain. */
static void
editor_layout_place (Layout *l, const char *plain)
{
  EditorCanvas *w = l->w;
  g_auto (GStrv) lines = g_strsplit (plain, "\n", -1);
  cairo_rectangle_t all;
  double height = 0, left, top;
  if (!sketch_bounds (w->sketch, &all))
    return;
  left = all.x;
  top = all.y;
  g_autoptr (GPtrArray) held = what_frames_hold (w->sketch);
  canvas_begin (w, _ ("Lay out the program"));
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) words = g_strsplit (*line, " ", -1);
    guint n = g_strv_length (words);
    if (n >= 4 && !strcmp (words[0], "graph"))
      height = g_ascii_strtod (words[3], NULL);
    if (n < 6 || strcmp (words[0], "node") != 0 || words[1][0] != 'n')
      continue;
    guint64 i = g_ascii_strtoull (words[1] + 1, NULL, 10);
    SketchBox *b = i < l->names->len ? sketch_box (w->sketch, l->names->pdata[i]) : NULL;
    if (!b)
      continue; /* gone meanwhile */
    double x = left + g_ascii_strtod (words[2], NULL) * PX_PER_INCH - b->width / 2;
    double y = top + (height - g_ascii_strtod (words[3], NULL)) * PX_PER_INCH - b->height / 2;
    double dx = round (x / SKETCH_GRID) * SKETCH_GRID - b->x, dy = round (y / SKETCH_GRID) * SKETCH_GRID - b->y;
    remember (w, b);
    canvas_move_members (b, dx, dy);
  }
  frame_again (w, held);
  canvas_end (w);
  canvas_glide (w);
  canvas_fit (w, true);
}

static void
editor_layout_done (GObject *dot, GAsyncResult *result, void *layout)
{
  Layout *l = layout;
  g_autofree char *plain = NULL, *said = NULL;
  g_autoptr (GError) error = NULL;
  bool ok = g_subprocess_communicate_utf8_finish (G_SUBPROCESS (dot), result, &plain, &said, &error);
  EditorCanvas *w = l->w;
  bool cancelled = g_cancellable_is_cancelled (w->layout);
  if (ok && !cancelled && g_subprocess_get_successful (l->dot) && canvas_program (w))
    editor_layout_place (l, plain);
  else if (!cancelled && ok)
    scope_document_say (w->d, SCOPE_SAY_WARNING, _ ("The program could not be laid out: dot said \"%s\""),
                        said && *said ? g_strchomp (said) : _ ("nothing, and ended"));
  else if (!cancelled)
    scope_document_say (w->d, SCOPE_SAY_WARNING, _ ("The program could not be laid out: %s"), error->message);
  g_clear_object (&w->layout);
  layout_free (l);
}

static gboolean
too_long (void *layout)
{
  Layout *l = layout;
  l->timeout = 0;
  g_subprocess_force_exit (l->dot);
  return G_SOURCE_REMOVE;
}

void
canvas_layout (EditorCanvas *w)
{
  g_autoptr (GError) error = NULL;
  if (!canvas_program (w) || w->sketch->boxes->len < 2 || w->layout)
    return;
  GSubprocess *dot = g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                           | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                                       &error, "dot", "-Tplain", NULL);
  if (!dot) {
    scope_document_say (w->d, SCOPE_SAY_WARNING,
                        _ ("Layout needs Graphviz, whose program \"dot\" could not be started: %s"), error->message);
    return;
  }
  Layout *l = g_new0 (Layout, 1);
  *l = (Layout){ .w = g_object_ref (w), .dot = dot, .names = g_ptr_array_new_with_free_func (g_free) };
  g_autofree char *graph = editor_layout_graph_of (w->sketch, l->names);
  w->layout = g_cancellable_new ();
  l->timeout = g_timeout_add_seconds (SECONDS, too_long, l);
  g_subprocess_communicate_utf8_async (dot, graph, w->layout, editor_layout_done, l);
}
