/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-edit.c - what the canvas does to the program: each an edit that can be undone. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

void
canvas_begin (EditorCanvas *w, const char *what, ...)
{
  va_list args;
  va_start (args, what);
  g_autofree char *label = g_strdup_vprintf (what, args);
  va_end (args);
  scope_document_begin_edit (w->d, label);
}

void
canvas_end (EditorCanvas *w)
{
  scope_document_end_edit (w->d);
}

static void
canvas_edit_say (EditorCanvas *w, const GError *error)
{
  scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", error->message);
  canvas_refuse (w, error->message);
}

static double
canvas_edit_snap (double place)
{
  return round (place / SKETCH_GRID) * SKETCH_GRID;
}

/* An edit of boxes: "Move %s" of one, by its name, or a sentence with how many they are. */
static void
begin_of_boxes (EditorCanvas *w, const char *of_one, const char *of_many, guint n, const char *name)
{
  g_autofree char *label = n == 1 ? g_strdup_printf (of_one, in_words (name)) : g_strdup_printf (of_many, n);
  scope_document_begin_edit (w->d, label);
}

/* "Counter", "3 boxes", "a wire", "5 things", what is copied or taken away; g_free. */
static char *
name_all (const GPtrArray *boxes, guint wires, guint frames)
{
  guint n = boxes->len + wires + frames;
  if (boxes->len == n)
    return n == 1 ? g_strdup (in_words (eve_name (boxes->pdata[0])))
                  : g_strdup_printf (P_ ("%u box", "%u boxes", n), n);
  return n == 1       ? g_strdup (wires ? _ ("a wire") : _ ("a frame"))
         : wires == n ? g_strdup_printf (P_ ("%u wire", "%u wires", n), n)
                      : g_strdup_printf (P_ ("%u thing", "%u things", n), n);
}

/* ---- adding and connecting ------------------------------------------------------------------------------------------- */
/* By the port that is meant mostly. */
static void
connect_best (EveProgram *p, EveComponent *from, const char *port, EveComponent *c, bool out, GError **error)
{
  const char *best = canvas_fit_port (c, from, port, out);
  if (!best)
    edits_connect_first (p, from, port, c, !out, error); /* which says why not */
  else if (out)
    eve_connect (p, from, port, c, best, error);
  else
    eve_connect (p, c, best, from, port, error);
}

static void
canvas_edit_tell_lack (EditorCanvas *w, EveComponent *c)
{
  g_autofree char *lack = canvas_fit_lack (c);

  if (lack) {
    scope_document_say (w->d, SCOPE_SAY_NOTE, "%s", lack);
    canvas_refuse (w, lack);
  }
}

/* Two readers without a trace of their own both read the one that is open. */
static void
canvas_edit_tell_twice (EditorCanvas *w, EveComponent *c)
{
  const Session *s = scope_document_session (w->d);
  const TraceSource *source = g_ptr_array_find (s->readers, c, NULL) ? session_source_of (c) : NULL;

  for (guint i = 0; source && i < s->readers->len; i++) {
    EveComponent *other = s->readers->pdata[i];
    const TraceSource *is = other != c ? session_source_of (other) : NULL;
    if (!is || !g_str_equal (is->path, source->path))
      continue;
    g_autofree char *name = g_path_get_basename (source->path);
    scope_document_say (
        w->d, SCOPE_SAY_WARNING,
        _ ("%s reads %s, as %s does: where both lead to, each event comes twice. Give it another trace in "
           "the inspector, or undo."),
        eve_name (c), name, eve_name (other));
    return;
  }
}

EveComponent *
canvas_add_class (EditorCanvas *w, const EveClass *k, double x, double y, EveComponent *from, const char *port,
                  bool out, const SketchWire *into)
{
  EveProgram *p = canvas_program (w);
  g_autoptr (GError) error = NULL, refused = NULL;
  EveWire wire = { 0 };
  if (into)
    wire = (EveWire){ .from = into->from, .to = into->to, .out = into->out, .in = into->in };
  const SketchGroup *open = sketch_group_around (w->sketch, x, y);
  g_autofree char *around = open ? g_strdup (open->name) : NULL;
  canvas_begin (w, _ ("Add %s"), in_words (k->label));
  EveComponent *c = eve_add (p, k, NULL, &error);
  bool ok = c != NULL;
  if (c) {
    /* as the box will be: its middle there, or beside the port it hangs on */
    double height = SKETCH_HEADER + 2 * SKETCH_ROW + 6;
    eve_set_position (c, canvas_edit_snap (from ? (out ? x : x - 144) : x - 72), canvas_edit_snap (y - height / 2));
    if (from)
      connect_best (p, from, port, c, out, &refused);
    if (into)
      edits_insert (p, c, wire.from, wire.out, wire.to, wire.in, &refused);
    Group *g = NULL;
    g_autoptr (Notes) n = notes_read (p);
    EveComponent *near = from ? from : into ? wire.from : NULL;
    g = around ? notes_group (n, around) : near ? notes_group_of (n, eve_name (near)) : NULL;
    if (g) { /* it belongs where it was asked for */
      notes_move_box (n, eve_name (c), g);
      notes_write (p, n);
    }
    canvas_make_room (w, &c, 1, 0, wire.from, wire.to);
    canvas_select_components (w, &c, 1);
  }
  canvas_end (w);
  SketchBox *box = c ? sketch_box_of (w->sketch, c) : NULL;
  if (box) /* where there was room for it */
    canvas_show_place (w, box->x, box->y, box->width, box->height);
  if (!ok)
    canvas_edit_say (w, error);
  else if (refused)
    canvas_edit_say (w, refused);
  else
    canvas_edit_tell_lack (w, c);
  if (c)
    canvas_edit_tell_twice (w, c);
  return c;
}

bool
canvas_connect (EditorCanvas *w, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  g_autoptr (GError) error = NULL;
  canvas_begin (w, _ ("Connect %s to %s"), eve_name (from), eve_name (to));
  bool ok = eve_connect (canvas_program (w), from, out, to, in, &error);
  canvas_end (w);
  if (!ok)
    canvas_edit_say (w, error);
  return ok;
}

void
canvas_disconnect (EditorCanvas *w, EveComponent *from, const char *out, EveComponent *to, const char *in)
{
  canvas_begin (w, _ ("Disconnect %s from %s"), eve_name (to), eve_name (from));
  eve_disconnect (canvas_program (w), from, out, to, in);
  notes_prune (canvas_program (w));
  canvas_end (w);
}

void
canvas_pin (EditorCanvas *w, const SketchWire *wire, bool pin)
{
  canvas_begin (w, pin ? _ ("Pin the value of %s") : _ ("Unpin the value of %s"), eve_name (wire->from));
  edits_pin (canvas_program (w), wire->from, wire->out, wire->to, wire->in, pin);
  canvas_end (w);
}

/* ---- moving -------------------------------------------------------------------------------------------------------------- */
void
canvas_move_members (SketchBox *b, double dx, double dy)
{
  for (guint i = 0; i < b->members->len; i++) {
    double x, y;
    eve_position (b->members->pdata[i], &x, &y);
    eve_set_position (b->members->pdata[i], x + dx, y + dy);
  }
  for (guint i = 0; i < b->frames->len; i++) {
    Frame *f = b->frames->pdata[i];
    f->x += dx;
    f->y += dy;
  }
}

/* Of SketchBox *: their components. */
static GPtrArray *
canvas_edit_members_of (const GPtrArray *boxes)
{
  GPtrArray *components = g_ptr_array_new ();
  for (guint i = 0; i < boxes->len; i++)
    g_ptr_array_extend (components, ((SketchBox *) boxes->pdata[i])->members, NULL, NULL);
  return components;
}

void
canvas_drop_moved (EditorCanvas *w)
{
  double dx = w->moved_x, dy = w->moved_y;
  SketchWire *into = w->drop_wire;
  g_autofree char *group = w->view.hot_group ? g_strdup (w->view.hot_group->name) : NULL;
  w->tool = TOOL_NONE;
  w->drop_wire = NULL;
  w->view.hot_wire = NULL;
  w->view.hot_group = NULL;
  if ((dx == 0 && dy == 0 && !into) || (!w->moved->len && !w->moved_frames->len))
    return;
  g_autoptr (GError) refused = NULL;
  SketchBox *first = w->moved->len ? w->moved->pdata[0] : NULL;
  guint n = w->moved->len;
  if (w->moved_frames->len)
    canvas_begin (w, _ ("Move a frame"));
  else if (into)
    begin_of_boxes (w, _ ("Insert %s"), P_ ("Insert %u box", "Insert %u boxes", n), n, first->name);
  else
    begin_of_boxes (w, _ ("Move %s"), P_ ("Move %u box", "Move %u boxes", n), n, first->name);
  for (guint i = 0; i < w->moved->len; i++)
    canvas_move_members (w->moved->pdata[i], dx, dy);
  notes_write (canvas_program (w), w->sketch->notes);
  g_autoptr (GPtrArray) all = canvas_edit_members_of (w->moved);
  if (group)
    edits_into (canvas_program (w), (EveComponent *const *) all->pdata, all->len, group);
  if (into && first)
    edits_insert (canvas_program (w), first->c, into->from, into->out, into->to, into->in, &refused);
  g_ptr_array_set_size (w->moved, 0);
  g_ptr_array_set_size (w->moved_frames, 0);
  canvas_end (w);
  if (refused)
    canvas_edit_say (w, refused);
}

void
canvas_nudge (EditorCanvas *w, double dx, double dy)
{
  g_autoptr (GPtrArray) boxes = g_ptr_array_new (), frames = g_ptr_array_new ();
  canvas_gather (w, boxes, frames);
  if (!boxes->len && !frames->len)
    return;
  scope_document_begin_edit_merge (w->d,
                                   boxes->len == 1 ? _ ("Move a box")
                                   : boxes->len    ? _ ("Move boxes")
                                                   : _ ("Move a frame"),
                                   "nudge");
  for (guint i = 0; i < boxes->len; i++)
    canvas_move_members (boxes->pdata[i], dx, dy);
  for (guint i = 0; i < frames->len; i++) {
    ((Frame *) frames->pdata[i])->x += dx;
    ((Frame *) frames->pdata[i])->y += dy;
  }
  canvas_move_bends (w, boxes, dx, dy);
  notes_write (canvas_program (w), w->sketch->notes);
  canvas_end (w);
}

void
canvas_align (EditorCanvas *w, const char *how)
{
  g_autoptr (GArray) places = g_array_new (FALSE, TRUE, sizeof (Place));
  g_autoptr (GHashTable) boxes = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    if (!b->selected)
      continue;
    Place at = { b->members->pdata[0], b->x, b->y, b->width, b->height };
    g_array_append_val (places, at);
    g_hash_table_insert (boxes, at.c, b);
  }
  if (places->len < 2 || !edits_align ((Place *) (void *) places->data, places->len, how))
    return;
  canvas_begin (w, P_ ("Align %u box", "Align %u boxes", places->len), places->len);
  for (guint i = 0; i < places->len; i++) {
    const Place *at = &g_array_index (places, Place, i);
    SketchBox *b = g_hash_table_lookup (boxes, at->c);
    canvas_move_members (b, at->x - b->x, at->y - b->y);
  }
  notes_write (canvas_program (w), w->sketch->notes);
  canvas_end (w);
}

/* ---- deleting, copying -------------------------------------------------------------------------------------------------------- */
/* Boxes, frames by their numbers, and wires, as one step. */
static void
remove_all (EditorCanvas *w, bool cut, const GPtrArray *boxes, const GArray *frames, const GArray *wires)
{
  EveProgram *p = canvas_program (w);
  g_autofree char *all = name_all (boxes, wires->len, frames->len);
  if (!boxes->len && !frames->len && wires->len == 1 && !cut) {
    const EveWire *k = &g_array_index (wires, EveWire, 0);
    canvas_begin (w, _ ("Disconnect %s from %s"), eve_name (k->to), eve_name (k->from));
  } else
    canvas_begin (w, cut ? _ ("Cut %s") : _ ("Delete %s"), all);
  scope_document_select_boxes (w->d, NULL, 0);
  for (guint i = 0; i < wires->len; i++) {
    const EveWire *k = &g_array_index (wires, EveWire, i);
    g_autofree char *out = g_strdup (k->out), *in = g_strdup (k->in); /* theirs go away with the wire */
    eve_disconnect (p, k->from, out, k->to, in);
  }
  edits_delete (p, (EveComponent *const *) boxes->pdata, boxes->len, true);
  g_autoptr (Notes) n = notes_read (p);
  for (guint i = n->frames->len; i-- > 0;)
    for (guint k = 0; k < frames->len; k++)
      if (g_array_index (frames, guint, k) == i)
        g_ptr_array_remove_index (n->frames, i);
  notes_write (p, n);
  canvas_end (w);
}

/* Of Frame *: their numbers, each once. */
static GArray *
canvas_edit_numbers_of (EditorCanvas *w, const GPtrArray *frames)
{
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; w->sketch->notes && i < w->sketch->notes->frames->len; i++)
    if (g_ptr_array_find ((GPtrArray *) frames, w->sketch->notes->frames->pdata[i], NULL))
      g_array_append_val (numbers, i);
  return numbers;
}

void
canvas_delete (EditorCanvas *w)
{
  GPtrArray *parts = scope_document_selected_parts (w->d);
  g_autoptr (GPtrArray) boxes = canvas_selection (w), chosen = g_ptr_array_new ();
  g_autoptr (GArray) wires = g_array_new (FALSE, FALSE, sizeof (EveWire));
  for (guint i = 0; canvas_program (w) && i < parts->len; i++) {
    EveWire wire;
    if (part_wire (canvas_program (w), parts->pdata[i], &wire))
      g_array_append_val (wires, wire);
  }
  for (guint i = 0; i < w->sketch->frames->len; i++)
    if (((Frame *) w->sketch->frames->pdata[i])->selected)
      g_ptr_array_add (chosen, w->sketch->frames->pdata[i]);
  for (guint i = 0; i < w->sketch->boxes->len; i++) { /* frames of sub-programs go with them */
    const SketchBox *b = w->sketch->boxes->pdata[i];
    if (b->selected)
      g_ptr_array_extend (chosen, b->frames, NULL, NULL);
  }
  for (guint i = 0; i < w->sketch->groups->len; i++) {
    const SketchGroup *g = w->sketch->groups->pdata[i];
    if (canvas_group_selected (w, g))
      g_ptr_array_extend (chosen, g->frames, NULL, NULL);
  }
  g_autoptr (GArray) frames = canvas_edit_numbers_of (w, chosen);
  if (boxes->len || frames->len || wires->len)
    remove_all (w, false, boxes, frames, wires);
  else if (w->hot.wire)
    canvas_disconnect (w, w->hot.wire->from, w->hot.wire->out, w->hot.wire->to, w->hot.wire->in);
  else if (w->hot.frame)
    canvas_delete_frame (w, w->hot.frame);
}

/* Components of what is moved and copied, and its frames, those in folded sub-programs too. */
GPtrArray *
canvas_gather_components (EditorCanvas *w, GPtrArray *frames)
{
  g_autoptr (GPtrArray) boxes = g_ptr_array_new ();
  canvas_gather (w, boxes, frames);
  for (guint i = 0; i < boxes->len; i++)
    g_ptr_array_extend (frames, ((SketchBox *) boxes->pdata[i])->frames, NULL, NULL);
  return canvas_edit_members_of (boxes);
}

void
canvas_copy (EditorCanvas *w, bool cut)
{
  g_autoptr (GPtrArray) frames = g_ptr_array_new (), chosen = canvas_gather_components (w, frames);
  if (!chosen->len && !frames->len)
    return;
  g_autofree char *text = clip_copy (canvas_program (w), (EveComponent *const *) chosen->pdata, chosen->len, frames);
  gtk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (w), GDK_SELECTION_CLIPBOARD), text, -1);
  g_free (w->paste_text);
  w->paste_text = g_steal_pointer (&text);
  w->pastes = cut ? 0 : 1;
  if (!cut)
    return;
  g_autoptr (GArray) numbers = canvas_edit_numbers_of (w, frames), wires = g_array_new (FALSE, FALSE, sizeof (EveWire));
  remove_all (w, true, chosen, numbers, wires);
}

/* Selects what is new, and brings it into sight. */
static void
paste_text (EditorCanvas *w, const char *text, const ClipPlace *place, const char *label)
{
  g_autoptr (GPtrArray) added = g_ptr_array_new (), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  guint n_frames = 0;
  canvas_begin (w, "%s", label);
  bool ok = clip_paste (canvas_program (w), text, NULL, place, added, &n_frames, problems, &error);
  if (ok && added->len)
    canvas_make_room (w, (EveComponent *const *) added->pdata, added->len, n_frames, NULL, NULL);
  if (ok && (added->len || n_frames))
    canvas_select_new (w, added, n_frames);
  canvas_end (w);
  if (!ok)
    scope_document_say (w->d, SCOPE_SAY_WARNING, _ ("What is on the clipboard is no part of a program: %s"),
                        error->message);
  else if (problems->len)
    scope_document_say (w->d, SCOPE_SAY_WARNING, "%s", (char *) problems->pdata[0]);
  SketchBox *b = ok && added->len ? sketch_box_of (w->sketch, added->pdata[0]) : NULL;
  if (b)
    canvas_show_place (w, b->x, b->y, b->width, b->height);
}

static void
pasted (GtkClipboard *clipboard, const char *text, void *widget)
{
  EditorCanvas *w = widget;
  if (text && canvas_program (w)) {
    bool again = !g_strcmp0 (text, w->paste_text);
    if (!again) {
      g_free (w->paste_text);
      w->paste_text = g_strdup (text);
      w->pastes = 0;
    }
    double by = 24.0 * w->pastes++, x, y;
    canvas_to_sketch (w, w->px, w->py, &x, &y);
    bool free_place = w->inside && !sketch_box_at (w->sketch, x, y);
    const SketchGroup *g = free_place ? sketch_group_around (w->sketch, x, y) : NULL;
    g_autofree char *group = g ? g_strdup (g->name) : NULL;
    paste_text (w, text,
                &(ClipPlace){ free_place, (free_place ? canvas_edit_snap (x) : 0) + by,
                              (free_place ? canvas_edit_snap (y) : 0) + by, group },
                _ ("Paste"));
  }
  g_object_unref (w);
}

void
canvas_paste (EditorCanvas *w)
{
  if (canvas_program (w))
    gtk_clipboard_request_text (gtk_widget_get_clipboard (GTK_WIDGET (w), GDK_SELECTION_CLIPBOARD), pasted,
                                g_object_ref (w));
}

void
canvas_duplicate (EditorCanvas *w)
{
  g_autoptr (GPtrArray) frames = g_ptr_array_new (), chosen = canvas_gather_components (w, frames);
  EveComponent *const *boxes = (EveComponent *const *) chosen->pdata;
  if (!chosen->len && !frames->len)
    return;
  g_autofree char *text = clip_copy (canvas_program (w), boxes, chosen->len, frames);
  g_autofree char *group = edits_outer_group (canvas_program (w), boxes, chosen->len),
                  *all = name_all (chosen, 0, frames->len);
  g_autofree char *label = g_strdup_printf (_ ("Duplicate %s"), all);
  paste_text (w, text, &(ClipPlace){ false, 32, 32, group }, label);
}

/* ---- sub-programs and frames ------------------------------------------------------------------------------------------------------ */
/* A sub-program was folded: frames on which only boxes of it lie go with them, as they were seen just before. */
static void
take_frames (EditorCanvas *w, const char *group)
{
  g_autoptr (Notes) n = notes_read (canvas_program (w));
  Group *g = notes_group (n, group);
  for (guint i = 0; i < w->sketch->frames->len; i++) {
    const Frame *seen = w->sketch->frames->pdata[i];
    Frame *f = n->frames->pdata[canvas_frame_number (w, seen)];
    bool some = false, all = true;
    for (guint k = 0; k < w->sketch->boxes->len; k++) {
      const SketchBox *b = w->sketch->boxes->pdata[k];
      if (!sketch_lies_on (b, seen))
        continue;
      some = true;
      all &= notes_inside (n, notes_group_of (n, eve_name (b->members->pdata[0])), g);
    }
    if (some && all)
      notes_move_frame (f, g);
    else if (notes_inside (n, notes_group (n, f->group), g))
      notes_move_frame (f, NULL);
  }
  notes_write (canvas_program (w), n);
}

void
canvas_group (EditorCanvas *w)
{
  g_autoptr (GPtrArray) chosen = canvas_selection (w);
  if (!chosen->len)
    return;
  begin_of_boxes (w, _ ("Make a sub-program of %s"),
                  P_ ("Make a sub-program of %u box", "Make a sub-program of %u boxes", chosen->len), chosen->len,
                  eve_name (chosen->pdata[0]));
  g_autofree char *name = edits_group (canvas_program (w), (EveComponent *const *) chosen->pdata, chosen->len,
                                       _ ("Sub-program"));
  take_frames (w, name);
  canvas_end (w);
}

void
canvas_take_out (EditorCanvas *w)
{
  g_autoptr (GPtrArray) chosen = canvas_selection (w);
  EveComponent *const *boxes = (EveComponent *const *) chosen->pdata;
  g_autofree char *from = canvas_program (w) ? edits_outer_group (canvas_program (w), boxes, chosen->len) : NULL;
  if (!from)
    return;
  g_autofree char *all = name_all (chosen, 0, 0), *to = g_strdup (notes_group (w->sketch->notes, from)->parent);
  canvas_begin (w, _ ("Take %s out of %s"), all, from);
  edits_into (canvas_program (w), boxes, chosen->len, to);
  canvas_end (w);
}

/* The group that is meant: of the selected folded box, of the title under the pointer, around the selection. */
static char *
meant_group (EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    if (b->selected && !b->c)
      return g_strdup (b->name);
  }
  if (w->hot.group)
    return g_strdup (w->hot.group->name);
  g_autoptr (GPtrArray) chosen = canvas_selection (w);
  const Group *g = chosen->len ? notes_group_of (w->sketch->notes, eve_name (chosen->pdata[0])) : NULL;
  return g ? g_strdup (g->name) : NULL;
}

void
canvas_ungroup (EditorCanvas *w)
{
  g_autofree char *name = canvas_program (w) ? meant_group (w) : NULL;
  if (!name)
    return;
  canvas_begin (w, _ ("Dissolve %s"), name);
  edits_ungroup (canvas_program (w), name);
  canvas_end (w);
}

void
canvas_fold (EditorCanvas *w, const char *group, bool open)
{
  g_autofree char *name = group ? g_strdup (group) : canvas_program (w) ? meant_group (w) : NULL;
  const Group *g = name ? notes_group (w->sketch->notes, name) : NULL;
  if (!g)
    return;
  if (!group)
    open = !g->open;
  canvas_begin (w, open ? _ ("Open %s") : _ ("Fold %s"), name);
  edits_fold (canvas_program (w), name, open);
  if (!open)
    take_frames (w, name);
  canvas_end (w);
}

void
canvas_frame (EditorCanvas *w)
{
  double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
  if (!canvas_program (w))
    return;
  g_autoptr (Notes) n = notes_read (canvas_program (w));
  Group *g = NULL; /* the innermost open one that has all of them: the frame lies on its ground */
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    const SketchBox *b = w->sketch->boxes->pdata[i];
    if (!b->selected)
      continue;
    Group *own = b->c ? notes_group_of (n, b->name) : notes_group (n, notes_group (n, b->name)->parent);
    g = isfinite (x0) ? g : own;
    while (g && !notes_inside (n, own, g))
      g = notes_group (n, g->parent);
    x0 = MIN (x0, b->x - 16);
    y0 = MIN (y0, b->y - 40);
    x1 = MAX (x1, b->x + b->width + 16);
    y1 = MAX (y1, b->y + b->height + 16);
  }
  if (!isfinite (x0)) { /* nothing is selected: where the pointer is */
    canvas_to_sketch (w, w->inside ? w->px : w->view.width / 2 - 120, w->inside ? w->py : w->view.height / 2 - 80, &x0,
                      &y0);
    x1 = x0 + 240;
    y1 = y0 + 160;
    const SketchGroup *open = sketch_group_around (w->sketch, x0, y0);
    g = open ? notes_group (n, open->name) : NULL;
  }
  notes_move_frame (notes_add_frame (n, canvas_edit_snap (x0), canvas_edit_snap (y0), canvas_edit_snap (x1 - x0),
                                     canvas_edit_snap (y1 - y0), _ ("Comment")),
                    g);
  canvas_begin (w, _ ("Add a frame"));
  notes_write (canvas_program (w), n);
  canvas_end (w);
  Frame *f = w->sketch->notes->frames->len ? w->sketch->notes->frames->pdata[w->sketch->notes->frames->len - 1] : NULL;
  if (f)
    canvas_rename (w, (CanvasHit){ .frame = f, .part = FRAME_TITLE });
}

void
canvas_delete_frame (EditorCanvas *w, Frame *f)
{
  guint at = canvas_frame_number (w, f);
  g_autoptr (GPtrArray) boxes = g_ptr_array_new ();
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (guint)),
                     wires = g_array_new (FALSE, FALSE, sizeof (EveWire));
  g_array_append_val (frames, at);
  remove_all (w, false, boxes, frames, wires);
}

void
canvas_set_frame (EditorCanvas *w, Frame *f, const char *text, int colour)
{
  canvas_begin (w, text ? _ ("Comment a frame") : _ ("Colour a frame"));
  edits_set_frame (canvas_program (w), canvas_frame_number (w, f), text, colour);
  canvas_end (w);
}

/* ---- names --------------------------------------------------------------------------------------------------------------------------- */
static void
renamed_box (EditorCanvas *w, const char *text, void *name)
{
  g_autoptr (GError) error = NULL;
  EveComponent *c = eve_find (canvas_program (w), name);
  if (!c || !strcmp (text, name))
    return;
  canvas_begin (w, _ ("Rename %s"), (char *) name);
  bool ok = edits_rename (c, text, &error);
  if (ok)
    canvas_select_components (w, &c, 1);
  canvas_end (w);
  if (!ok)
    canvas_edit_say (w, error);
}

static void
renamed_group (EditorCanvas *w, const char *text, void *name)
{
  g_autoptr (GError) error = NULL;
  canvas_begin (w, _ ("Rename %s"), (char *) name);
  bool ok = edits_rename_group (canvas_program (w), name, text, &error);
  canvas_end (w);
  if (!ok)
    canvas_edit_say (w, error);
}

static void
commented (EditorCanvas *w, const char *text, void *number)
{
  guint at = GPOINTER_TO_UINT (number);
  if (at < w->sketch->notes->frames->len)
    canvas_set_frame (w, w->sketch->notes->frames->pdata[at], text, -1);
}

void
canvas_rename (EditorCanvas *w, CanvasHit what)
{
  double x, y;
  if (!what.box && !what.group && !what.frame)
    what.group = w->hot.group;
  for (guint i = 0; !what.box && !what.group && !what.frame && i < w->sketch->frames->len; i++) {
    Frame *f = w->sketch->frames->pdata[i];
    what.frame = f->selected ? f : NULL;
  }
  if (!what.box && !what.group && !what.frame)
    for (guint i = 0; i < w->sketch->boxes->len && !what.box; i++) {
      SketchBox *b = w->sketch->boxes->pdata[i];
      what.box = b->selected ? b : NULL;
    }
  if (what.box) {
    paint_to_window (&w->view, what.box->x + what.box->width / 2, what.box->y + SKETCH_HEADER, &x, &y);
    canvas_ask (w, x, y, what.box->name, what.box->c ? renamed_box : renamed_group, g_strdup (what.box->name), g_free);
  } else if (what.group) {
    paint_to_window (&w->view, what.group->x + 60, what.group->y + SKETCH_HEADER, &x, &y);
    canvas_ask (w, x, y, what.group->name, renamed_group, g_strdup (what.group->name), g_free);
  } else if (what.frame) {
    paint_to_window (&w->view, what.frame->x + 60, what.frame->y + SKETCH_HEADER, &x, &y);
    canvas_ask (w, x, y, what.frame->text, commented, GUINT_TO_POINTER (canvas_frame_number (w, what.frame)), NULL);
  }
}
