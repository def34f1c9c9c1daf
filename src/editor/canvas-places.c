/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-places.c - bookmarks: places of the program that one comes back to. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>

static void
canvas_places_named (EditorCanvas *w, const char *text, void *unused)
{
  g_autofree char *name = g_strstrip (g_strdelimit (g_strdup (text), "\t\n", ' '));
  double x, y;
  if (!*name)
    return;
  canvas_to_sketch (w, w->view.width / 2, w->view.height / 2, &x, &y);
  canvas_begin (w, _ ("Bookmark %s"), name);
  g_autoptr (Notes) n = notes_read (canvas_program (w));
  notes_set_bookmark (n, name, round (x), round (y), w->view.zoom / w->view.text);
  notes_write (canvas_program (w), n);
  canvas_end (w);
}

void
canvas_bookmark (EditorCanvas *w)
{
  if (!canvas_program (w))
    return;
  g_autofree char *name = g_strdup_printf (_ ("Place %u"), w->sketch->notes->bookmarks->len + 1);
  canvas_ask (w, w->view.width / 2, w->view.height / 3, name, canvas_places_named, NULL, NULL);
}

void
canvas_go_bookmark (EditorCanvas *w, const char *name)
{
  const Bookmark *b = canvas_program (w) ? notes_bookmark (w->sketch->notes, name) : NULL;
  if (b)
    canvas_go_view (w, b->x, b->y, b->zoom * w->view.text);
}

void
canvas_remove_bookmark (EditorCanvas *w, const char *name)
{
  g_autoptr (Notes) n = canvas_program (w) ? notes_read (canvas_program (w)) : NULL;
  Bookmark *b = n ? notes_bookmark (n, name) : NULL;
  if (!b)
    return;
  canvas_begin (w, _ ("Take the bookmark %s away"), name);
  g_ptr_array_remove (n->bookmarks, b);
  notes_write (canvas_program (w), n);
  canvas_end (w);
}
