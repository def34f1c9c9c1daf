/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-room.c - what is new lies on nothing: it goes to the nearest free place, and what follows the wire that it was
 * put into moves on. */
#include "editor/canvas-private.h"
#include <math.h>

#define APART 16.0 /* px between boxes */
#define ALONG 40.0 /* between boxes along a wire */
#define STEP 24.0
#define FARTHEST 40 /* steps */

static bool
canvas_room_is_new (const SketchBox *b, EveComponent *const *added, guint n)
{
  for (guint i = 0; i < n; i++)
    if (b->c && b->c == added[i])
      return true;
  return false;
}

static bool
canvas_room_touch (const SketchBox *a, double dx, double dy, const SketchBox *b)
{
  return a->x + dx < b->x + b->width + APART && b->x < a->x + dx + a->width + APART
         && a->y + dy < b->y + b->height + APART && b->y < a->y + dy + a->height + APART;
}

static bool
canvas_room_is_free (const GPtrArray *new, const GPtrArray *old, double dx, double dy)
{
  for (guint i = 0; i < new->len; i++)
    for (guint k = 0; k < old->len; k++)
      if (canvas_room_touch (new->pdata[i], dx, dy, old->pdata[k]))
        return false;
  return true;
}

/* The nearest place where all of them, as they lie, touch nothing; to the right and below before left and above. */
static bool
canvas_room_nearest (const GPtrArray *new, const GPtrArray *old, double *dx, double *dy)
{
  static const int ways[][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 0, -1 }, { -1, 0 }, { 1, -1 }, { -1, 1 }, { -1, -1 } };
  for (int far = 0; far < FARTHEST; far++)
    for (guint way = 0; way < G_N_ELEMENTS (ways); way++) {
      *dx = far * STEP * ways[way][0], *dy = far * STEP * ways[way][1];
      if (canvas_room_is_free (new, old, *dx, *dy))
        return true;
    }
  return false;
}

static void
canvas_room_shift (EveComponent *c, double dx, double dy)
{
  double x, y;
  eve_position (c, &x, &y);
  eve_set_position (c, x + dx, y + dy);
}

/* Everything from the end of the wire on gives way to the right, as far as the new box needs. */
static void
push_on (const Sketch *s, const SketchBox *box, EveComponent *from, EveComponent *to)
{
  SketchBox *start = sketch_box_of (s, from), *end = sketch_box_of (s, to);
  if (!start || !end || !start->c || !end->c || end->x < start->x + start->width)
    return; /* backward: there is no room to be made between them */
  double x = SKETCH_GRID * round ((start->x + start->width + ALONG) / SKETCH_GRID), from_x = end->x;
  double by = SKETCH_GRID * ceil ((x + box->width + ALONG - end->x) / SKETCH_GRID);
  if (by <= 0)
    return;
  canvas_room_shift (box->c, x - box->x, 0);
  for (guint i = 0; i < s->boxes->len; i++) {
    const SketchBox *b = s->boxes->pdata[i];
    if (b == box || b == start || b->x < from_x)
      continue;
    for (guint k = 0; k < b->members->len; k++)
      canvas_room_shift (b->members->pdata[k], by, 0);
  }
}

void
canvas_make_room (EditorCanvas *w, EveComponent *const *added, guint n, guint n_frames, EveComponent *from,
                  EveComponent *to)
{
  EveProgram *p = canvas_program (w);
  double dx, dy;
  Sketch *s = sketch_new (w->sketch->font);
  sketch_build (s, p);
  SketchBox *box = n == 1 ? sketch_box_of (s, added[0]) : NULL;
  if (box && box->c && from && to) {
    push_on (s, box, from, to);
    sketch_build (s, p);
  }
  g_autoptr (GPtrArray) new = g_ptr_array_new (), old = g_ptr_array_new ();
  for (guint i = 0; i < s->boxes->len; i++)
    g_ptr_array_add (canvas_room_is_new (s->boxes->pdata[i], added, n) ? new : old, s->boxes->pdata[i]);
  if (canvas_room_nearest (new, old, &dx, &dy) && (dx != 0 || dy != 0)) {
    for (guint i = 0; i < n; i++)
      canvas_room_shift (added[i], dx, dy);
    g_autoptr (Notes) notes = notes_read (p);
    for (guint i = 0; i < n_frames && i < notes->frames->len; i++) { /* those that came with them are the last */
      Frame *f = notes->frames->pdata[notes->frames->len - 1 - i];
      f->x += dx, f->y += dy;
    }
    if (n_frames)
      notes_write (p, notes);
  }
  sketch_free (s);
}
