/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-select.c - what is selected: boxes, wires, frames.  The document keeps it, by names; the sketch shows it. */
#include "editor/canvas-private.h"
#include <string.h>

/* ---- looking ------------------------------------------------------------------------------------------------------------ */
GPtrArray *
canvas_selection (const EditorCanvas *w)
{
  GPtrArray *all = g_ptr_array_new (), *names = scope_document_selected_boxes (w->d);
  for (guint i = 0; names && canvas_program (w) && i < names->len; i++) {
    EveComponent *c = eve_find (canvas_program (w), names->pdata[i]);
    if (c)
      g_ptr_array_add (all, c);
  }
  return all;
}

static char *
name_of_wire (const SketchWire *k)
{
  return part_of_wire (k->from, k->out, k->to, k->in);
}

guint
canvas_frame_number (const EditorCanvas *w, const Frame *f)
{
  guint at = G_MAXUINT;
  g_ptr_array_find (w->sketch->notes->frames, f, &at);
  return at;
}

static char *
name_of_frame (const EditorCanvas *w, const Frame *f)
{
  return part_of_frame (canvas_frame_number (w, f));
}

void
canvas_tell_selection (EditorCanvas *w)
{
  Sketch *s = w->sketch;
  GPtrArray *parts = scope_document_selected_parts (w->d);
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    b->selected = b->members->len > 0;
    for (guint k = 0; k < b->members->len && b->selected; k++)
      b->selected = scope_document_box_is_selected (w->d, eve_name (b->members->pdata[k]));
  }
  for (guint i = 0; i < s->wires->len; i++) {
    SketchWire *k = s->wires->pdata[i];
    g_autofree char *name = parts->len ? name_of_wire (k) : NULL;
    k->selected = name && g_ptr_array_find_with_equal_func (parts, name, g_str_equal, NULL);
  }
  for (guint i = 0; i < s->frames->len; i++) {
    Frame *f = s->frames->pdata[i];
    g_autofree char *name = parts->len ? name_of_frame (w, f) : NULL;
    f->selected = name && g_ptr_array_find_with_equal_func (parts, name, g_str_equal, NULL);
  }
}

/* ---- selecting ----------------------------------------------------------------------------------------------------------- */
static void
select_names (EditorCanvas *w, const GPtrArray *boxes, const GPtrArray *parts)
{
  scope_document_select (w->d, (const char *const *) boxes->pdata, boxes->len, (const char *const *) parts->pdata,
                         parts->len);
}

static GPtrArray *
copy_names (const GPtrArray *names, bool keep)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; keep && i < names->len; i++)
    g_ptr_array_add (copy, g_strdup (names->pdata[i]));
  return copy;
}

static void
canvas_select_choose (GPtrArray *names, const char *name, bool toggle)
{
  guint at;
  bool has = g_ptr_array_find_with_equal_func (names, name, g_str_equal, &at);
  if (has && toggle)
    g_ptr_array_remove_index (names, at);
  else if (!has)
    g_ptr_array_add (names, g_strdup (name));
}

void
canvas_select_components (EditorCanvas *w, EveComponent *const *c, guint n)
{
  g_autoptr (GPtrArray) boxes = g_ptr_array_new (), parts = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (boxes, (void *) eve_name (c[i]));
  select_names (w, boxes, parts);
}

void
canvas_select (EditorCanvas *w, CanvasHit what, bool add, bool toggle)
{
  bool keep = add || toggle;
  g_autoptr (GPtrArray) boxes = copy_names (scope_document_selected_boxes (w->d), keep);
  g_autoptr (GPtrArray) parts = copy_names (scope_document_selected_parts (w->d), keep);
  const GPtrArray *members = what.box ? what.box->members : what.group ? what.group->members : NULL;
  for (guint i = 0; members && i < members->len; i++)
    canvas_select_choose (boxes, eve_name (members->pdata[i]), toggle);
  g_autofree char *part = what.wire ? name_of_wire (what.wire) : what.frame ? name_of_frame (w, what.frame) : NULL;
  if (part)
    canvas_select_choose (parts, part, toggle);
  select_names (w, boxes, parts);
}

bool
canvas_is_selected (const CanvasHit *what)
{
  return (what->box && what->box->selected) || (what->wire && what->wire->selected)
         || (what->frame && what->frame->selected);
}

bool
canvas_group_selected (const EditorCanvas *w, const SketchGroup *g)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    if (!b->selected && sketch_shares (b, g))
      return false;
  }
  return true;
}

void
canvas_select_new (EditorCanvas *w, const GPtrArray *components, guint n_frames)
{
  g_autoptr (GPtrArray) boxes = g_ptr_array_new (), parts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (Notes) n = notes_read (canvas_program (w)); /* the sketch may be of before */
  for (guint i = 0; i < components->len; i++)
    g_ptr_array_add (boxes, (void *) eve_name (components->pdata[i]));
  for (guint i = 0; i < n_frames && i < n->frames->len; i++)
    g_ptr_array_add (parts, part_of_frame (n->frames->len - 1 - i));
  select_names (w, boxes, parts);
}

void
canvas_select_all (EditorCanvas *w)
{
  g_autoptr (GPtrArray) boxes = g_ptr_array_new (), parts = g_ptr_array_new_with_free_func (g_free);
  for (uint32_t i = 0; canvas_program (w) && i < eve_n_components (canvas_program (w)); i++)
    g_ptr_array_add (boxes, (void *) eve_name (eve_component (canvas_program (w), i)));
  for (guint i = 0; i < w->sketch->frames->len; i++)
    g_ptr_array_add (parts, name_of_frame (w, w->sketch->frames->pdata[i]));
  select_names (w, boxes, parts);
}

/* Boxes that the rectangle touches, frames that lie in it. */
void
canvas_select_area (EditorCanvas *w, double x0, double y0, double x1, double y1, bool add)
{
  g_autoptr (GPtrArray) boxes = copy_names (scope_document_selected_boxes (w->d), add);
  g_autoptr (GPtrArray) parts = copy_names (scope_document_selected_parts (w->d), add);
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    if (b->x + b->width < x0 || b->x > x1 || b->y + b->height < y0 || b->y > y1)
      continue;
    for (guint k = 0; k < b->members->len; k++)
      canvas_select_choose (boxes, eve_name (b->members->pdata[k]), false);
  }
  for (guint i = 0; i < w->sketch->frames->len; i++) {
    const Frame *f = w->sketch->frames->pdata[i];
    g_autofree char *name = name_of_frame (w, f);
    if (f->x >= x0 && f->y >= y0 && f->x + f->width <= x1 && f->y + f->height <= y1)
      canvas_select_choose (parts, name, false);
  }
  select_names (w, boxes, parts);
}

/* ---- with what lies on frames ---------------------------------------------------------------------------------------------- */
static bool
lies_on (const Frame *f, double x, double y, double width, double height)
{
  return x >= f->x && y >= f->y && x + width <= f->x + f->width && y + height <= f->y + f->height;
}

static bool
on_one (const GPtrArray *frames, double x, double y, double width, double height)
{
  for (guint i = 0; i < frames->len; i++)
    if (lies_on (frames->pdata[i], x, y, width, height))
      return true;
  return false;
}

void
canvas_gather (const EditorCanvas *w, GPtrArray *boxes, GPtrArray *frames)
{
  const Sketch *s = w->sketch;
  g_ptr_array_set_size (boxes, 0);
  g_ptr_array_set_size (frames, 0);
  for (guint i = 0; i < s->frames->len; i++)
    if (((Frame *) s->frames->pdata[i])->selected)
      g_ptr_array_add (frames, s->frames->pdata[i]);
  for (guint i = 0; i < s->groups->len; i++) {
    const SketchGroup *g = s->groups->pdata[i];
    for (guint k = 0; k < g->frames->len && canvas_group_selected (w, g); k++)
      if (!g_ptr_array_find (frames, g->frames->pdata[k], NULL))
        g_ptr_array_add (frames, g->frames->pdata[k]);
  }
  for (guint i = 0; frames->len && i < s->frames->len; i++) {
    Frame *f = s->frames->pdata[i];
    if (!g_ptr_array_find (frames, f, NULL) && on_one (frames, f->x, f->y, f->width, f->height))
      g_ptr_array_add (frames, f);
  }
  for (guint i = 0; i < s->boxes->len; i++) {
    SketchBox *b = s->boxes->pdata[i];
    if (b->selected || on_one (frames, b->x, b->y, b->width, b->height))
      g_ptr_array_add (boxes, b);
  }
}
