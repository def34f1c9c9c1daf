/* SPDX-License-Identifier: Apache-2.0 */
/* canvas-tools.c - the pointer: selecting, moving, drawing wires, panning, zooming.  A drag changes only the sketch;
 * the program is changed once, when the button goes up. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include <math.h>
#include <string.h>

#define REACH_PORT 10.0 /* window px around things that are small */
#define REACH_WIRE 6.0
#define REACH_BEND 8.0
#define DRAG_PX 4.0

CanvasHit
canvas_hit (const EditorCanvas *w, double wx, double wy)
{
  CanvasHit hit = { 0 };
  double x, y;
  cairo_rectangle_t map;
  canvas_to_sketch (w, wx, wy, &x, &y);
  if (w->minimap && paint_minimap_area (w->sketch, &w->view, &map) && wx >= map.x && wy >= map.y
      && wx < map.x + map.width && wy < map.y + map.height)
    return hit;
  if (w->view.zoom >= 0.22)
    hit.port = sketch_port_at (w->sketch, x, y, REACH_PORT / MAX (w->view.zoom, 0.6));
  if (!hit.port)
    hit.box = sketch_box_at (w->sketch, x, y);
  if (!hit.port && !hit.box)
    hit.wire = sketch_wire_at (w->sketch, x, y, REACH_WIRE / w->view.zoom);
  if (hit.wire)
    hit.bend = sketch_bend_at (hit.wire, x, y, REACH_BEND / w->view.zoom);
  if (!hit.port && !hit.box && !hit.wire)
    hit.group = sketch_group_at (w->sketch, x, y);
  if (!hit.port && !hit.box && !hit.wire && !hit.group)
    hit.frame = sketch_frame_at (w->sketch, x, y, &hit.part);
  return hit;
}

static bool
same_hit (const CanvasHit *a, const CanvasHit *b)
{
  return a->port == b->port && a->box == b->box && a->wire == b->wire && a->group == b->group && a->frame == b->frame
         && a->part == b->part && a->bend == b->bend;
}

static void
set_cursor (EditorCanvas *w)
{
  const char *name = w->tool == TOOL_PAN || w->space                               ? "grabbing"
                     : w->tool == TOOL_MOVE || w->tool == TOOL_BEND || w->hot.bend ? "move"
                     : w->tool == TOOL_WIRE || w->hot.port                         ? "crosshair"
                     : w->hot.part == FRAME_CORNER || w->tool == TOOL_FRAME_SIZE   ? "se-resize"
                     : w->hot.wire || w->hot.group || w->hot.part == FRAME_TITLE   ? "pointer"
                                                                                   : NULL;
  g_autoptr (GdkCursor) cursor = name ? gdk_cursor_new_from_name (gtk_widget_get_display (GTK_WIDGET (w)), name) : NULL;
  if (w->window)
    gdk_window_set_cursor (w->window, cursor);
}

/* ---- wires ----------------------------------------------------------------------------------------------------------- */
static char *
canvas_tools_why_not (EditorCanvas *w, const SketchPort *p)
{
  if (p->c == w->wire_from && p->out == w->wire_out && p->name == w->wire_port)
    return g_strdup (""); /* where it began */
  if (p->out == w->wire_out)
    return g_strdup_printf (p->out ? _ ("%s is an output too: wires go from outputs to inputs")
                                   : _ ("%s is an input too: wires go from outputs to inputs"),
                            p->name);
  return w->wire_out ? eve_why_not (canvas_program (w), w->wire_from, w->wire_port, p->c, p->name)
                     : eve_why_not (canvas_program (w), p->c, p->name, w->wire_from, w->wire_port);
}

static void
light_ports (EditorCanvas *w, bool on)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    for (guint k = 0; k < b->ports->len; k++) {
      SketchPort *p = b->ports->pdata[k];
      g_autofree char *no = on ? canvas_tools_why_not (w, p) : NULL;
      p->light = !on || (no && !*no) ? PORT_PLAIN : no ? PORT_DIM : PORT_LIT;
    }
  }
}

static void
begin_wire (EditorCanvas *w, SketchPort *p)
{
  w->wire_lifted = false;
  w->wire_from = p->c;
  w->wire_port = p->name;
  w->wire_out = p->out;
  /* from an input that has one wire, that wire is taken off and goes elsewhere */
  if (!p->out) {
    SketchWire *only = NULL;
    guint n = 0;
    for (guint i = 0; i < w->sketch->wires->len; i++) {
      SketchWire *wire = w->sketch->wires->pdata[i];
      if (wire->end == p) {
        only = wire;
        n++;
      }
    }
    if (n == 1) {
      w->wire_lifted = true;
      w->lifted = (EveWire){ .from = only->from, .to = only->to, .out = only->out, .in = only->in };
      w->wire_from = only->from;
      w->wire_port = only->out;
      w->wire_out = true;
      w->view.hidden_wire = only;
    }
  }
  w->tool = TOOL_WIRE;
  w->wire_to = NULL;
  light_ports (w, true);
}

/* The port that is meant: the nearest that fits within reach, else the nearest. */
static void
aim_wire (EditorCanvas *w)
{
  double x, y;
  canvas_to_sketch (w, w->px, w->py, &x, &y);
  SketchPort *p = sketch_port_at (w->sketch, x, y, 16 / MAX (w->view.zoom, 0.6));
  SketchBox *b = p ? NULL : sketch_box_at (w->sketch, x, y);
  for (guint i = 0; b && i < b->ports->len; i++) { /* on a box: its nearest port that fits */
    SketchPort *q = b->ports->pdata[i];
    if (q->light == PORT_LIT && (!p || hypot (q->x - x, q->y - y) < hypot (p->x - x, p->y - y)))
      p = q;
  }
  bool on_lifted = w->wire_lifted && p && !p->out && p->c == w->lifted.to && p->name == w->lifted.in;
  g_autofree char *no = p && !on_lifted ? canvas_tools_why_not (w, p) : NULL;
  w->wire_to = p && !no ? p : NULL;
  canvas_refuse (w, no && *no ? no : NULL);
}

static void
end_wire (EditorCanvas *w)
{
  SketchPort *to = w->wire_to;
  EveComponent *from = w->wire_from;
  const char *port = w->wire_port;
  bool out = w->wire_out, lifted = w->wire_lifted;
  EveWire old = w->lifted;
  g_autofree char *refusal = g_strdup (w->refusal);
  light_ports (w, false);
  w->tool = TOOL_NONE;
  w->view.hidden_wire = NULL;
  w->wire_to = NULL;
  w->wire_lifted = false;
  if (refusal) {
    w->press_x = w->px; /* until the pointer goes away from here */
    w->press_y = w->py;
    scope_document_say (w->d, SCOPE_SAY_NOTE, "%s", refusal);
    g_clear_pointer (&w->refusal, g_free);
    canvas_refuse (w, refusal); /* stays to be read */
    canvas_redraw (w);
    return;
  }
  if (to) {
    EveComponent *other = to->c;
    const char *name = to->name;
    if (lifted && old.to == other && old.in == name)
      canvas_redraw (w); /* put back where it was */
    else if (lifted) {
      canvas_begin (w, _ ("Move a wire to %s"), eve_name (other));
      canvas_disconnect (w, old.from, old.out, old.to, old.in);
      canvas_connect (w, from, port, other, name);
      canvas_end (w);
    } else
      canvas_connect (w, out ? from : other, out ? port : name, out ? other : from, out ? name : port);
    return;
  }
  double x, y;
  canvas_to_sketch (w, w->px, w->py, &x, &y);
  SketchBox *b = sketch_box_at (w->sketch, x, y);
  const SketchPort *p = sketch_port (w->sketch, from, port, out);
  canvas_redraw (w);
  if (lifted)
    canvas_disconnect (w, old.from, old.out, old.to, old.in);
  else if (!b && p && hypot (p->x - x, p->y - y) * w->view.zoom > 24)
    canvas_search (w, w->px, w->py, from, port, out, NULL);
}

/* ---- points of wires ------------------------------------------------------------------------------------------------- */
static void
begin_bend (EditorCanvas *w, SketchWire *wire, guint bend)
{
  w->tool = TOOL_BEND;
  w->bend_is_new = !bend;
  if (bend)
    w->bend = wire->bends->pdata[bend - 1];
  else {
    guint before = sketch_bend_before (wire, w->from_x, w->from_y);
    w->bend = notes_add_bend (w->sketch->notes, eve_name (wire->from), wire->out, eve_name (wire->to), wire->in, before,
                              w->from_x, w->from_y);
    g_ptr_array_insert (wire->bends, (int) before, w->bend);
  }
  w->from_x = w->bend->x;
  w->from_y = w->bend->y;
}

/* As it was before. */
static void
drop_bend (EditorCanvas *w)
{
  Bend *b = w->bend;
  w->bend = NULL;
  b->x = w->from_x;
  b->y = w->from_y;
  if (w->bend_is_new) {
    for (guint i = 0; i < w->sketch->wires->len; i++)
      g_ptr_array_remove (((SketchWire *) w->sketch->wires->pdata[i])->bends, b);
    g_ptr_array_remove (w->sketch->notes->bends, b);
  }
  sketch_place (w->sketch);
}

/* ---- moving -------------------------------------------------------------------------------------------------------------- */
static void
begin_move (EditorCanvas *w)
{
  canvas_gather (w, w->moved, w->moved_frames);
  w->moved_x = w->moved_y = 0;
  w->tool = TOOL_MOVE;
}

static double
canvas_tools_snap (double place)
{
  return round (place / SKETCH_GRID) * SKETCH_GRID;
}

static void
move_by (EditorCanvas *w, double dx, double dy)
{
  for (guint i = 0; i < w->moved->len; i++)
    sketch_move_box (w->moved->pdata[i], dx - w->moved_x, dy - w->moved_y);
  for (guint i = 0; i < w->moved_frames->len; i++) {
    Frame *f = w->moved_frames->pdata[i];
    f->x += dx - w->moved_x;
    f->y += dy - w->moved_y;
  }
  canvas_move_bends (w, w->moved, dx - w->moved_x, dy - w->moved_y);
  w->moved_x = dx;
  w->moved_y = dy;
  sketch_place (w->sketch);
}

static void
drag_move (EditorCanvas *w, double x, double y, bool free)
{
  const SketchBox *b = w->moved->len ? w->moved->pdata[0] : NULL;
  const Frame *f = w->moved_frames->len ? w->moved_frames->pdata[0] : NULL;
  double at_x = f   ? f->x - w->moved_x
                : b ? b->x - w->moved_x
                    : 0,
         at_y = f   ? f->y - w->moved_y
                : b ? b->y - w->moved_y
                    : 0;
  double dx = x - w->from_x, dy = y - w->from_y;
  if (!free) { /* the first comes to lie on the grid, the others keep their distance */
    dx = canvas_tools_snap (at_x + dx) - at_x;
    dy = canvas_tools_snap (at_y + dy) - at_y;
  }
  move_by (w, dx, dy);
  w->drop_wire = NULL;
  if (w->moved->len == 1 && b && b->c && !eve_is_ghost (b->c)) {
    bool loose = true;
    for (guint i = 0; i < b->ports->len; i++)
      loose &= !((SketchPort *) b->ports->pdata[i])->connected;
    SketchWire *under = loose ? sketch_wire_at (w->sketch, x, y, 12 / w->view.zoom) : NULL;
    if (under && edits_class_fits_wire (eve_class (b->c), under->from, under->out, under->to, under->in))
      w->drop_wire = under;
  }
  w->view.hot_wire = w->drop_wire;
  w->view.hot_group = w->moved->len && !w->drop_wire ? sketch_group_around (w->sketch, x, y) : NULL;
  for (guint i = 0; i < w->moved->len && w->view.hot_group; i++) /* what lies in it already does not go into it */
    if (sketch_shares (w->moved->pdata[i], w->view.hot_group))
      w->view.hot_group = NULL;
}

void
canvas_cancel (EditorCanvas *w)
{
  CanvasTool tool = w->tool;
  if (tool == TOOL_NONE)
    return;
  if (tool == TOOL_MOVE) {
    move_by (w, 0, 0);
    shelf_under (GTK_WIDGET (w), -1, -1, false);
  }
  if (tool == TOOL_WIRE)
    light_ports (w, false);
  if (tool == TOOL_BEND)
    drop_bend (w);
  if (tool == TOOL_FRAME_SIZE && w->pressed.frame) {
    w->pressed.frame->width = w->from_x;
    w->pressed.frame->height = w->from_y;
  }
  w->tool = TOOL_NONE;
  w->drop_wire = NULL;
  w->view.hidden_wire = NULL;
  w->wire_to = NULL;
  w->wire_lifted = false;
  w->view.hot_wire = NULL;
  w->view.hot_group = NULL;
  g_ptr_array_set_size (w->moved, 0);
  g_ptr_array_set_size (w->moved_frames, 0);
  w->pressed = (CanvasHit){ 0 };
  canvas_refuse (w, NULL);
  canvas_redraw (w);
}

/* ---- events ------------------------------------------------------------------------------------------------------------------ */
static void
go_by_minimap (EditorCanvas *w)
{
  double x = 0, y = 0;
  paint_minimap_point (w->sketch, &w->view, w->px, w->py, &x, &y);
  w->view.x = x - w->view.width / 2 / w->view.zoom;
  w->view.y = y - w->view.height / 2 / w->view.zoom;
  canvas_redraw (w);
}

static bool
on_minimap (EditorCanvas *w)
{
  cairo_rectangle_t map;
  return w->minimap && paint_minimap_area (w->sketch, &w->view, &map) && w->px >= map.x && w->py >= map.y
         && w->px < map.x + map.width && w->py < map.y + map.height;
}

static void
double_click (EditorCanvas *w)
{
  CanvasHit hit = w->pressed;
  w->tool = TOOL_NONE;
  if (hit.group && !hit.box)
    canvas_fold (w, hit.group->name, false);
  else if (hit.box)
    canvas_open (w, hit.box);
  else if (hit.frame)
    canvas_rename (w, hit);
  else if (hit.wire && hit.bend)
    canvas_remove_bends (w, hit.wire, hit.bend);
  else if (hit.wire)
    canvas_search (w, w->px, w->py, NULL, NULL, false, hit.wire);
  else if (!hit.port)
    canvas_search (w, w->px, w->py, NULL, NULL, false, NULL);
}

/* What a click selects. */
static bool
canvas_tools_is_thing (const CanvasHit *hit)
{
  return hit->box || hit->wire || hit->group || hit->frame;
}

gboolean
canvas_button_press (GtkWidget *widget, GdkEventButton *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (e->window != w->window)
    return FALSE;
  gtk_widget_grab_focus (widget);
  w->px = e->x;
  w->py = e->y;
  w->inside = true;
  if (w->tool != TOOL_NONE && e->type == GDK_BUTTON_PRESS) {
    canvas_cancel (w); /* another button while one drags: back */
    return TRUE;
  }
  canvas_refuse (w, NULL);
  if (!canvas_program (w))
    return TRUE;
  w->pressed = canvas_hit (w, e->x, e->y);
  w->button = e->button;
  w->press_x = e->x;
  w->press_y = e->y;
  if (e->type == GDK_2BUTTON_PRESS && e->button == 1 && w->clicked) {
    double_click (w);
    return TRUE;
  }
  if (e->type != GDK_BUTTON_PRESS)
    return TRUE;
  if (e->button == 2 || (e->button == 1 && w->space)) {
    w->tool = TOOL_PAN;
    w->space_used = true;
    w->from_x = w->view.x;
    w->from_y = w->view.y;
    w->anim_moves_view = false;
  } else if (gdk_event_triggers_context_menu ((GdkEvent *) e)) {
    if ((w->pressed.box || w->pressed.wire || w->pressed.frame) && !canvas_is_selected (&w->pressed))
      canvas_select (w, w->pressed, false, false);
    canvas_menu (w, w->pressed, (GdkEvent *) e);
  } else if (e->button == 1 && on_minimap (w)) {
    w->tool = TOOL_MINIMAP;
    go_by_minimap (w);
  } else if (e->button == 1) {
    bool add = e->state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK);
    w->tool = TOOL_PRESSED;
    canvas_to_sketch (w, e->x, e->y, &w->from_x, &w->from_y);
    if (canvas_tools_is_thing (&w->pressed) && (add || !canvas_is_selected (&w->pressed)))
      canvas_select (w, w->pressed, add, e->state & GDK_CONTROL_MASK);
  }
  set_cursor (w);
  return TRUE;
}

static void
canvas_tools_begin_drag (EditorCanvas *w)
{
  if (w->pressed.port)
    begin_wire (w, w->pressed.port);
  else if (w->pressed.frame && w->pressed.part == FRAME_CORNER) {
    w->tool = TOOL_FRAME_SIZE;
    w->from_x = w->pressed.frame->width;
    w->from_y = w->pressed.frame->height;
  } else if (w->pressed.box || w->pressed.group || w->pressed.frame)
    begin_move (w);
  else if (w->pressed.wire)
    begin_bend (w, w->pressed.wire, w->pressed.bend);
  else
    w->tool = TOOL_RUBBER;
}

gboolean
canvas_motion (GtkWidget *widget, GdkEventMotion *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (e->window != w->window)
    return FALSE;
  double x, y;
  CanvasHit before = w->hot;
  w->px = e->x;
  w->py = e->y;
  w->inside = true;
  if (w->tool == TOOL_PRESSED && hypot (e->x - w->press_x, e->y - w->press_y) >= DRAG_PX)
    canvas_tools_begin_drag (w);
  canvas_to_sketch (w, e->x, e->y, &x, &y);
  switch (w->tool) {
  case TOOL_PAN:
    w->view.x = w->from_x - (e->x - w->press_x) / w->view.zoom;
    w->view.y = w->from_y - (e->y - w->press_y) / w->view.zoom;
    break;
  case TOOL_MOVE:
    drag_move (w, x, y, e->state & GDK_MOD1_MASK);
    shelf_under (widget, e->x, e->y, true);
    break;
  case TOOL_WIRE:
    aim_wire (w);
    break;
  case TOOL_FRAME_SIZE:
    w->pressed.frame->width = MAX (canvas_tools_snap (x - w->pressed.frame->x), 64);
    w->pressed.frame->height = MAX (canvas_tools_snap (y - w->pressed.frame->y), 40);
    break;
  case TOOL_BEND:
    w->bend->x = e->state & GDK_MOD1_MASK ? x : canvas_tools_snap (x);
    w->bend->y = e->state & GDK_MOD1_MASK ? y : canvas_tools_snap (y);
    sketch_place (w->sketch);
    break;
  case TOOL_MINIMAP:
    go_by_minimap (w);
    break;
  case TOOL_RUBBER:
    break;
  case TOOL_PRESSED:
  case TOOL_NONE:
    canvas_update_hot (w);
    set_cursor (w);
    if (same_hit (&before, &w->hot) && !w->hot.wire && !w->refusal)
      return TRUE;
    if (w->refusal && hypot (e->x - w->press_x, e->y - w->press_y) > 40)
      canvas_refuse (w, NULL);
    break;
  }
  set_cursor (w);
  canvas_redraw (w);
  return TRUE;
}

static void
end_rubber (EditorCanvas *w, bool add)
{
  double x0, y0, x1, y1;
  canvas_to_sketch (w, MIN (w->press_x, w->px), MIN (w->press_y, w->py), &x0, &y0);
  canvas_to_sketch (w, MAX (w->press_x, w->px), MAX (w->press_y, w->py), &x1, &y1);
  canvas_select_area (w, x0, y0, x1, y1, add);
}

gboolean
canvas_button_release (GtkWidget *widget, GdkEventButton *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (e->window != w->window || e->button != w->button)
    return FALSE;
  CanvasTool tool = w->tool;
  bool add = e->state & (GDK_SHIFT_MASK | GDK_CONTROL_MASK);
  w->px = e->x;
  w->py = e->y;
  w->clicked = tool == TOOL_PRESSED && !w->pressed.port; /* two drags in a row are no double click */
  switch (tool) {
  case TOOL_PRESSED:
    w->tool = TOOL_NONE;
    if (!w->pressed.port && !add)
      canvas_select (w, w->pressed, false, false); /* nothing; or one of several, clicked: it alone */
    break;
  case TOOL_RUBBER:
    w->tool = TOOL_NONE;
    end_rubber (w, add);
    break;
  case TOOL_MOVE:
    if (shelf_under (widget, e->x, e->y, false)) {
      canvas_cancel (w); /* they stay where they are */
      canvas_shelve (w);
    } else
      canvas_drop_moved (w);
    break;
  case TOOL_WIRE:
    end_wire (w);
    break;
  case TOOL_FRAME_SIZE:
    w->tool = TOOL_NONE;
    canvas_begin (w, _ ("Resize a frame"));
    notes_write (canvas_program (w), w->sketch->notes);
    canvas_end (w);
    break;
  case TOOL_BEND:
    w->tool = TOOL_NONE;
    w->bend = NULL;
    canvas_keep_bends (w, w->bend_is_new ? _ ("Bend a wire") : _ ("Move a point of a wire"));
    break;
  case TOOL_PAN:
  case TOOL_MINIMAP:
  case TOOL_NONE:
    w->tool = TOOL_NONE;
    break;
  }
  w->pressed = (CanvasHit){ 0 };
  canvas_update_hot (w);
  set_cursor (w);
  canvas_redraw (w);
  return TRUE;
}

gboolean
canvas_leave (GtkWidget *widget, GdkEventCrossing *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (e->mode != GDK_CROSSING_NORMAL)
    return FALSE;
  w->inside = false;
  canvas_update_hot (w);
  canvas_redraw (w);
  return FALSE;
}

gboolean
canvas_scroll (GtkWidget *widget, GdkEventScroll *e)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  double dx = 0, dy = 0;
  if (!gdk_event_get_scroll_deltas ((GdkEvent *) e, &dx, &dy)) {
    GdkScrollDirection direction;
    gdk_event_get_scroll_direction ((GdkEvent *) e, &direction);
    dx = direction == GDK_SCROLL_LEFT ? -1 : direction == GDK_SCROLL_RIGHT ? 1 : 0;
    dy = direction == GDK_SCROLL_UP ? -1 : direction == GDK_SCROLL_DOWN ? 1 : 0;
  }
  if (e->state & GDK_CONTROL_MASK)
    canvas_zoom_at (w, w->view.zoom * pow (1.15, -dy), e->x, e->y);
  else {
    if (e->state & GDK_SHIFT_MASK) {
      double swap = dx;
      dx = dy;
      dy = swap;
    }
    w->view.x += dx * 48 / w->view.zoom;
    w->view.y += dy * 48 / w->view.zoom;
    w->anim_moves_view = false;
  }
  canvas_update_hot (w);
  canvas_redraw (w);
  return TRUE;
}

static void
pinch_begins (GtkGesture *g, GdkEventSequence *sequence, EditorCanvas *w)
{
  w->pinch_zoom = w->view.zoom;
}

static void
pinch (GtkGestureZoom *g, double scale, EditorCanvas *w)
{
  double x = w->view.width / 2, y = w->view.height / 2;
  gtk_gesture_get_bounding_box_center (GTK_GESTURE (g), &x, &y);
  canvas_zoom_at (w, w->pinch_zoom * scale, x, y);
}

void
canvas_add_pinch (EditorCanvas *w)
{
  w->pinch = gtk_gesture_zoom_new (GTK_WIDGET (w));
  g_signal_connect (w->pinch, "begin", G_CALLBACK (pinch_begins), w);
  g_signal_connect (w->pinch, "scale-changed", G_CALLBACK (pinch), w);
}

/* ---- drawing of what is under way ---------------------------------------------------------------------------------------------- */
void
canvas_paint_tool (EditorCanvas *w, cairo_t *cr)
{
  if (w->tool == TOOL_RUBBER)
    paint_rubber (&w->view, cr, MIN (w->press_x, w->px), MIN (w->press_y, w->py), fabs (w->px - w->press_x),
                  fabs (w->py - w->press_y));
  const SketchPort *p = w->tool == TOOL_WIRE ? sketch_port (w->sketch, w->wire_from, w->wire_port, w->wire_out) : NULL;
  if (!p)
    return;
  double x, y, cx[4], cy[4];
  const SketchPort *to = w->wire_to;
  canvas_to_sketch (w, w->px, w->py, &x, &y);
  SketchSide side = to ? to->side : w->wire_out ? SIDE_LEFT : SIDE_RIGHT;
  if (w->wire_out)
    sketch_curve (p->x, p->y, p->side, to ? to->x : x, to ? to->y : y, side, cx, cy);
  else
    sketch_curve (to ? to->x : x, to ? to->y : y, side, p->x, p->y, p->side, cx, cy);
  paint_loose_wire (&w->view, cr, cx, cy, p->type, to != NULL);
}
