/* SPDX-License-Identifier: Apache-2.0 */
/* canvas.c - the widget: what it shows of the document, where, and when it draws.  canvas-tools.c is the pointer,
 * canvas-keys.c the keys and actions, canvas-edit.c what is done to the program. */
#include "editor/canvas-private.h"
#include "eve/words.h"
#include "session/places.h"
#include <math.h>
#include <string.h>
#include "readers/box-display.h"

#define ZOOM_MIN 0.1
#define ZOOM_MAX 4.0
#define GLIDE_US 220000
#define REST_MS 400 /* a box that did nothing for so long rests or waits */

G_DEFINE_FINAL_TYPE (EditorCanvas, editor_canvas, GTK_TYPE_WIDGET)

EveProgram *
canvas_program (const EditorCanvas *w)
{
  return w->sketch->p;
}

void
canvas_to_sketch (const EditorCanvas *w, double wx, double wy, double *x, double *y)
{
  *x = w->view.x + wx / w->view.zoom;
  *y = w->view.y + wy / w->view.zoom;
}

void
canvas_redraw (EditorCanvas *w)
{
  gtk_widget_queue_draw (GTK_WIDGET (w));
}

/* ---- what boxes say --------------------------------------------------------------------------------------------------- */
static guint
canvas_hash_of (EveComponent *c)
{
  guint hash = g_str_hash (eve_class_id (c));
  const EveClass *k = eve_class (c);
  for (uint32_t i = 0; i < k->n_settings; i++) {
    g_autofree char *text = eve_get (c, k->settings[i].name);
    hash = hash * 31 + g_str_hash (text ? text : "");
  }
  return (hash * 31 + eve_use (c)) | 1;
}

static void
remember_saved (EditorCanvas *w)
{
  g_hash_table_remove_all (w->saved);
  for (uint32_t i = 0; canvas_program (w) && i < eve_n_components (canvas_program (w)); i++) {
    EveComponent *c = eve_component (canvas_program (w), i);
    g_hash_table_insert (w->saved, g_strdup (eve_name (c)), GUINT_TO_POINTER (canvas_hash_of (c)));
  }
}

static void
tell_changed (EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    b->changed = false;
    for (guint k = 0; k < b->members->len && !b->changed; k++) {
      EveComponent *c = b->members->pdata[k];
      b->changed = GPOINTER_TO_UINT (g_hash_table_lookup (w->saved, eve_name (c))) != canvas_hash_of (c);
    }
  }
}

static void
count_data (EditorCanvas *w)
{
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    b->given = b->taken = 0;
  }
  for (guint i = 0; i < w->sketch->wires->len; i++) {
    const SketchWire *wire = w->sketch->wires->pdata[i];
    uint64_t passed = eve_wire (canvas_program (w), wire->index).passed;
    SketchBox *from = wire->start->box, *to = wire->end->box;
    if (passed > from->given) {
      from->given = passed;
      from->given_type = wire->type;
    }
    to->taken = MAX (to->taken, passed);
  }
}

/* What a folded sub-program says: the values of the settings on its face; else how much it holds. */
static char *
canvas_face_of (EditorCanvas *w, const SketchBox *b)
{
  const Group *g = notes_group (w->sketch->notes, b->name);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; g && i < g->faces->len; i++) {
    const Face *f = g->faces->pdata[i];
    EveComponent *c = eve_find (canvas_program (w), f->box);
    g_autofree char *value = c ? eve_get (c, f->setting) : NULL;
    if (value)
      g_string_append_printf (text, "%s%s %s", text->len ? " · " : "", f->setting, *value ? value : "–");
  }
  if (!text->len)
    g_string_printf (text, P_ ("%u component", "%u components", b->members->len), b->members->len);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* What it does now; true: something about it is another than before. */
static bool
canvas_look_at (EditorCanvas *w, SketchBox *b, bool working)
{
  SketchRun run = BOX_RESTS;
  const char *status = "", *problem = NULL;
  uint64_t firings = 0;
  g_autofree char *summary = NULL;
  double share = -1;
  char counter[sizeof b->counter] = "";
  for (guint i = 0; i < b->members->len; i++) {
    EveComponent *c = b->members->pdata[i];
    const char *own = scope_document_box_problem (w->d, c);
    firings += eve_component_firings (c);
    if (eve_component_failure (c)) {
      run = BOX_FAILS;
      problem = own ? own : eve_component_failure (c);
    } else if (own && run != BOX_FAILS) {
      run = BOX_WARNS;
      problem = problem ? problem : own;
    }
  }
  if (b->c) {
    const BoxDisplay *display = b->ghost ? NULL : eve_query (b->c, "box-display/1");
    status = b->use == EVE_OFF ? _ ("Off") : b->use == EVE_BYPASSED ? _ ("Bypassed") : eve_component_status (b->c);
    if (!*status && (b->given || b->taken)) { /* it says nothing: what went through it does */
      g_autofree char *count = scope_number (b->given ? b->given : b->taken);
      status = summary = b->given ? g_strdup_printf ("%s × %s", count,
                                                     b->given_type ? in_words (b->given_type->name) : _ ("data"))
                                  : g_strdup_printf (_ ("%s taken"), count);
    }
    if (display && !display->look (b->c, &share, counter, sizeof counter))
      share = -1;
  } else {
    summary = canvas_face_of (w, b);
    status = summary;
  }
  if (run == BOX_RESTS && working && b->use == EVE_WORKS)
    run = firings != b->firings ? BOX_RUNS : BOX_WAITS;
  bool other = run != b->run || strcmp (status, b->status) != 0 || g_strcmp0 (problem, b->problem) != 0
               || strcmp (counter, b->counter) != 0 || share != b->share;
  b->run = run;
  b->firings = firings;
  b->share = share;
  g_strlcpy (b->status, status, sizeof b->status);
  g_strlcpy (b->counter, counter, sizeof b->counter);
  if (g_strcmp0 (problem, b->problem) != 0) {
    g_free (b->problem);
    b->problem = g_strdup (problem);
  }
  return other;
}

static void
redraw_box (EditorCanvas *w, const SketchBox *b)
{
  double x, y, m = 12 * MAX (w->view.zoom, 1);
  paint_to_window (&w->view, b->x, b->y, &x, &y);
  gtk_widget_queue_draw_area (GTK_WIDGET (w), (int) floor (x - m), (int) floor (y - m),
                              (int) ceil (b->width * w->view.zoom + 2 * m),
                              (int) ceil (b->height * w->view.zoom + 2 * m));
}

static void
look_at_all (EditorCanvas *w, bool working)
{
  bool everything = false;
  if (!canvas_program (w))
    return;
  count_data (w);
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    bool failed = b->run == BOX_FAILS;
    if (canvas_look_at (w, b, working))
      redraw_box (w, b);
    everything |= failed != (b->run == BOX_FAILS); /* sentences reach beyond boxes */
  }
  for (guint i = 0; !everything && i < w->sketch->wires->len; i++)
    everything = ((SketchWire *) w->sketch->wires->pdata[i])->pinned;
  if (everything || w->hot.wire)
    canvas_redraw (w);
}

static bool
at_work (EditorCanvas *w)
{
  ScopeMode mode = scope_document_mode (w->d);
  return mode == SCOPE_MODE_PLAYING || mode == SCOPE_MODE_TRAVELLING;
}

/* The program was changed and "program" is still to come: what the sketch points at may be gone. */
static bool
renew_if_stale (EditorCanvas *w)
{
  EveProgram *p = scope_document_is_open (w->d) ? scope_document_program (w->d) : NULL;
  if (p == canvas_program (w) && (!p || eve_program_serial (p) == w->serial))
    return false;
  canvas_rebuild (w);
  return true;
}

static gboolean
look_rests (void *widget)
{
  EditorCanvas *w = widget;
  w->look_timeout = 0;
  if (!renew_if_stale (w))
    look_at_all (w, at_work (w));
  return G_SOURCE_REMOVE;
}

/* ---- what the document tells ---------------------------------------------------------------------------------------------- */
static void
update_view (EditorCanvas *w)
{
  double text = scope_text_scale ();
  if (text != w->view.text) { /* as large as before, as text goes */
    w->view.zoom *= text / w->view.text;
    w->view.text = text;
  }
  w->view.dark = scope_document_dark (w->d);
  w->view.scale = gtk_widget_get_scale_factor (GTK_WIDGET (w));
  w->view.width = gtk_widget_get_allocated_width (GTK_WIDGET (w));
  w->view.height = gtk_widget_get_allocated_height (GTK_WIDGET (w));
}

void
canvas_update_hot (EditorCanvas *w)
{
  w->hot = w->inside && w->tool == TOOL_NONE ? canvas_hit (w, w->px, w->py) : (CanvasHit){ 0 };
  w->view.hot_port = w->hot.port;
  w->view.hot_wire = w->hot.wire;
  if (w->told != w->hot.box)
    w->told = NULL;
}

void
canvas_rebuild (EditorCanvas *w)
{
  canvas_cancel (w);
  w->hot = w->pressed = (CanvasHit){ 0 };
  w->view.hot_port = NULL;
  w->view.hot_wire = NULL;
  w->view.hidden_wire = NULL;
  w->view.hot_group = NULL;
  w->drop_wire = NULL;
  sketch_build (w->sketch, scope_document_is_open (w->d) ? scope_document_program (w->d) : NULL);
  w->serial = canvas_program (w) ? eve_program_serial (canvas_program (w)) : 0;
  canvas_tell_selection (w);
  tell_changed (w);
  if (canvas_program (w))
    count_data (w);
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    canvas_look_at (w, b, false);
  }
  canvas_update_hot (w);
  canvas_access_update (w);
  canvas_redraw (w);
}

static void
canvas_on_opened (EditorCanvas *w)
{
  canvas_cancel (w);
  g_cancellable_cancel (w->layout);
  g_hash_table_remove_all (w->anim);
  if (w->popover)
    gtk_popover_popdown (GTK_POPOVER (w->popover));
  sketch_build (w->sketch, scope_document_is_open (w->d) ? scope_document_program (w->d) : NULL);
  remember_saved (w);
  canvas_rebuild (w);
  w->fit_wanted = true;
}

static void
on_activity (EditorCanvas *w)
{
  if (!renew_if_stale (w))
    look_at_all (w, at_work (w));
  if (!w->look_timeout)
    w->look_timeout = g_timeout_add (REST_MS, look_rests, w);
}

static void
canvas_on_selection (EditorCanvas *w)
{
  if (!renew_if_stale (w))
    canvas_tell_selection (w);
  canvas_access_selection (w);
  canvas_redraw (w);
}

static void
canvas_on_look (EditorCanvas *w)
{
  update_view (w);
  canvas_redraw (w);
}

static void
canvas_on_saved (EditorCanvas *w)
{
  renew_if_stale (w);
  if (!canvas_program (w))
    return;
  if (!scope_document_modified (w->d))
    remember_saved (w);
  tell_changed (w);
  canvas_redraw (w);
}

/* ---- place ------------------------------------------------------------------------------------------------------------------ */
void
canvas_zoom_at (EditorCanvas *w, double zoom, double wx, double wy)
{
  double x, y;
  zoom = CLAMP (zoom, ZOOM_MIN, ZOOM_MAX * w->view.text);
  if (fabs (zoom / w->view.text - 1) < 0.03)
    zoom = w->view.text; /* text is best there */
  canvas_to_sketch (w, wx, wy, &x, &y);
  w->view.zoom = zoom;
  w->view.x = x - wx / zoom;
  w->view.y = y - wy / zoom;
  w->anim_moves_view = false;
  canvas_redraw (w);
}

static gboolean
animate (GtkWidget *widget, GdkFrameClock *clock, void *unused)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);
  if (!w->anim_start)
    w->anim_start = now;
  double t = CLAMP ((double) (now - w->anim_start) / GLIDE_US, 0, 1), ease = 1 - pow (1 - t, 3);
  if (w->anim_moves_view) {
    w->view.x = w->anim_view[0] + (w->anim_to[0] - w->anim_view[0]) * ease;
    w->view.y = w->anim_view[1] + (w->anim_to[1] - w->anim_view[1]) * ease;
    w->view.zoom = w->anim_view[2] + (w->anim_to[2] - w->anim_view[2]) * ease;
  }
  for (guint i = 0; i < w->sketch->boxes->len; i++) {
    SketchBox *b = w->sketch->boxes->pdata[i];
    const double *from = b->c ? g_hash_table_lookup (w->anim, b->c) : NULL;
    double x, y;
    if (!from)
      continue;
    eve_position (b->c, &x, &y);
    b->x = from[0] + (x - from[0]) * ease;
    b->y = from[1] + (y - from[1]) * ease;
  }
  sketch_place (w->sketch);
  canvas_redraw (w);
  if (t < 1)
    return G_SOURCE_CONTINUE;
  w->tick = 0;
  w->anim_moves_view = false;
  g_hash_table_remove_all (w->anim);
  return G_SOURCE_REMOVE;
}

static bool
may_animate (EditorCanvas *w)
{
  gboolean on = TRUE;
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (w)), "gtk-enable-animations", &on, NULL);
  return on && gtk_widget_get_mapped (GTK_WIDGET (w));
}

static void
begin_animation (EditorCanvas *w)
{
  w->anim_start = 0;
  if (!w->tick)
    w->tick = gtk_widget_add_tick_callback (GTK_WIDGET (w), animate, NULL, NULL);
}

void
canvas_glide (EditorCanvas *w)
{
  if (may_animate (w) && g_hash_table_size (w->anim))
    begin_animation (w);
  else
    g_hash_table_remove_all (w->anim);
}

static void
go_to_view (EditorCanvas *w, double x, double y, double zoom, bool smoothly)
{
  if (smoothly && may_animate (w)) {
    w->anim_view[0] = w->view.x;
    w->anim_view[1] = w->view.y;
    w->anim_view[2] = w->view.zoom;
    w->anim_to[0] = x;
    w->anim_to[1] = y;
    w->anim_to[2] = zoom;
    w->anim_moves_view = true;
    begin_animation (w);
  } else {
    w->view.x = x;
    w->view.y = y;
    w->view.zoom = zoom;
  }
  canvas_redraw (w);
}

void
canvas_go_view (EditorCanvas *w, double x, double y, double zoom)
{
  zoom = CLAMP (zoom, ZOOM_MIN, ZOOM_MAX * w->view.text);
  go_to_view (w, x - w->view.width / 2 / zoom, y - w->view.height / 2 / zoom, zoom, true);
}

void
canvas_fit (EditorCanvas *w, bool smoothly)
{
  cairo_rectangle_t all;
  update_view (w);
  if (w->view.width < 2 || !sketch_bounds (w->sketch, &all))
    return;
  double pad = 28, zoom = MIN ((w->view.width - 2 * pad) / all.width, (w->view.height - 2 * pad) / all.height);
  zoom = CLAMP (zoom, ZOOM_MIN, w->view.text);
  w->fitted = w->view;
  w->fitted.zoom = zoom;
  w->fitted.x = all.x + all.width / 2 - w->view.width / 2 / zoom;
  w->fitted.y = all.y + all.height / 2 - w->view.height / 2 / zoom;
  go_to_view (w, w->fitted.x, w->fitted.y, zoom, smoothly);
}

/* All is in sight since it was asked for, as nobody went elsewhere: it stays so when the room becomes another, as it
 * does while a window opens or when a side is folded. */
static bool
fit_is_over (EditorCanvas *w)
{
  return w->tool == TOOL_NONE && w->view.x == w->fitted.x && w->view.y == w->fitted.y && w->view.zoom == w->fitted.zoom
         && (w->view.width != w->fitted.width || w->view.height != w->fitted.height);
}

void
canvas_show_place (EditorCanvas *w, double x, double y, double width, double height)
{
  double zoom = w->view.zoom, vw = w->view.width / zoom, vh = w->view.height / zoom, left = w->view.x, top = w->view.y;
  double pad = MIN (24, MIN (vw, vh) / 8);
  left = MIN (MAX (left, x + width + pad - vw), x - pad);
  top = MIN (MAX (top, y + height + pad - vh), y - pad);
  if (left != w->view.x || top != w->view.y)
    go_to_view (w, left, top, zoom, true);
}

/* ---- refusals -------------------------------------------------------------------------------------------------------------- */
static gboolean
refusal_over (void *widget)
{
  EditorCanvas *w = widget;
  w->refusal_timeout = 0;
  canvas_refuse (w, NULL);
  return G_SOURCE_REMOVE;
}

void
canvas_refuse (EditorCanvas *w, const char *sentence)
{
  if (w->refusal_timeout)
    g_source_remove (w->refusal_timeout);
  w->refusal_timeout = 0;
  if (g_strcmp0 (sentence, w->refusal) != 0) {
    g_free (w->refusal);
    w->refusal = g_strdup (sentence);
    canvas_redraw (w);
  }
  if (sentence && w->tool == TOOL_NONE) /* to be read: by time, or until the pointer does something else */
    w->refusal_timeout = g_timeout_add (2500 + 60 * (guint) MIN (strlen (sentence), 200), refusal_over, w);
}

/* ---- drawing ------------------------------------------------------------------------------------------------------------------ */
static gboolean
sharpen (void *widget)
{
  ((EditorCanvas *) widget)->sharpen = 0;
  canvas_redraw (widget);
  return G_SOURCE_REMOVE;
}

static void
paint_hint (EditorCanvas *w, cairo_t *cr)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (
      GTK_WIDGET (w), scope_document_is_open (w->d)
                          ? _ ("An empty program. Press Tab or double-click to add a component,\n"
                               "or drag one here from the library.")
                          : "");
  pango_layout_set_alignment (layout, PANGO_ALIGN_CENTER);
  int width, height;
  pango_layout_get_pixel_size (layout, &width, &height);
  double grey = w->view.dark ? 0.7 : 0.4;
  cairo_set_source_rgb (cr, grey, grey, grey);
  cairo_move_to (cr, (w->view.width - width) / 2, (w->view.height - height) / 2);
  pango_cairo_show_layout (cr, layout);
  g_object_unref (layout);
}

static gboolean
canvas_draw (GtkWidget *widget, cairo_t *cr)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  if (!gtk_cairo_should_draw_window (cr, w->window))
    return FALSE;
  update_view (w);
  if ((w->fit_wanted || fit_is_over (w)) && w->view.width > 1) {
    w->fit_wanted = false;
    canvas_fit (w, false);
  }
  w->view.budget_ms = 4;
  bool blurred = paint_sketch (w->sketch, &w->view, cr);
  if (!w->sketch->boxes->len)
    paint_hint (w, cr);
  canvas_paint_tool (w, cr);
  if (w->minimap)
    paint_minimap (w->sketch, &w->view, cr);
  bool told = w->hot.box && w->hot.box == w->told && !w->hot.port;
  if ((w->hot.wire || w->hot.port || told) && w->tool == TOOL_NONE && !w->refusal && !w->popover) {
    g_autofree char *tip = canvas_tip (w, w->hot);
    if (tip && told)
      paint_bubble_of_box (w->sketch, &w->view, cr, w->hot.box, tip);
    else if (tip)
      paint_bubble (w->sketch, &w->view, cr, w->px, w->py, tip, BUBBLE_PLAIN);
  }
  if (w->refusal) {
    g_autofree char *markup = g_markup_escape_text (w->refusal, -1);
    paint_bubble (w->sketch, &w->view, cr, w->px, w->py, markup, BUBBLE_REFUSAL);
  }
  if (gtk_widget_has_visible_focus (widget))
    paint_focus (&w->view, cr);
  if (blurred && !w->sharpen)
    w->sharpen = g_timeout_add (30, sharpen, w);
  return FALSE;
}

/* ---- drops from the library ----------------------------------------------------------------------------------------------------- */
static gboolean
drag_motion (GtkWidget *widget, GdkDragContext *context, int x, int y, guint time)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  GdkAtom target = gtk_drag_dest_find_target (widget, context, NULL);
  if (target == GDK_NONE || !canvas_program (w)) {
    gdk_drag_status (context, 0, time);
    return FALSE;
  }
  double cx, cy;
  canvas_to_sketch (w, x, y, &cx, &cy);
  w->drop_wire = sketch_box_at (w->sketch, cx, cy) ? NULL : sketch_wire_at (w->sketch, cx, cy, 9 / w->view.zoom);
  w->view.hot_wire = w->drop_wire;
  gdk_drag_status (context, GDK_ACTION_COPY, time);
  canvas_redraw (w);
  return TRUE;
}

static void
drag_leave (GtkWidget *widget, GdkDragContext *context, guint time)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  w->drop_wire = NULL;
  w->view.hot_wire = NULL;
  canvas_redraw (w);
}

static gboolean
drag_drop (GtkWidget *widget, GdkDragContext *context, int x, int y, guint time)
{
  GdkAtom target = gtk_drag_dest_find_target (widget, context, NULL);
  if (target == GDK_NONE)
    return FALSE;
  gtk_drag_get_data (widget, context, target, time);
  return TRUE;
}

typedef struct Dropped {
  EditorCanvas *w;
  char *path;
} Dropped;

static gboolean
open_dropped (void *dropped)
{
  Dropped *drop = dropped;
  GtkWidget *top = gtk_widget_get_toplevel (GTK_WIDGET (drop->w));
  if (G_IS_ACTION_GROUP (top))
    g_action_group_activate_action (G_ACTION_GROUP (top), "use-program", g_variant_new_string (drop->path));
  g_object_unref (drop->w);
  g_free (drop->path);
  g_free (drop);
  return G_SOURCE_REMOVE;
}

/* A program of its own is opened; all else is a part of this one. */
static bool
canvas_is_whole (const char *path)
{
  PlacesProgram *p = places_program_peek (path);
  bool whole = p->whole;
  places_program_free (p);
  return whole;
}

static void
drag_data (GtkWidget *widget, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info, guint time)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  g_autofree char *id = g_strndup ((const char *) gtk_selection_data_get_data (data),
                                   (gsize) MAX (gtk_selection_data_get_length (data), 0));
  const EveClass *k = id ? eve_registry_find (id) : NULL; /* who drags may have nothing to give */
  bool part = id && g_path_is_absolute (id), good = (k || part) && canvas_program (w);
  if (good && part && canvas_is_whole (id)) {
    Dropped *drop = g_new (Dropped, 1);
    *drop = (Dropped){ g_object_ref (w), g_strdup (id) };
    g_idle_add (open_dropped, drop); /* it may ask, and whoever drags waits for the end */
  } else if (good && part) {
    canvas_add_part (w, id, x, y);
    gtk_widget_grab_focus (widget);
  } else if (good) {
    double cx, cy;
    w->px = x;
    w->py = y;
    canvas_to_sketch (w, x, y, &cx, &cy);
    SketchWire *into = sketch_box_at (w->sketch, cx, cy) ? NULL : sketch_wire_at (w->sketch, cx, cy, 9 / w->view.zoom);
    canvas_add_class (w, k, cx, cy, NULL, NULL, false, into);
    gtk_widget_grab_focus (widget);
  }
  gtk_drag_finish (context, good, FALSE, time);
}

/* ---- the widget ------------------------------------------------------------------------------------------------------------------- */
static void
canvas_realize (GtkWidget *widget)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  GtkAllocation a;
  gtk_widget_set_realized (widget, TRUE);
  gtk_widget_get_allocation (widget, &a);
  GdkWindowAttr attributes = { .window_type = GDK_WINDOW_CHILD,
                               .x = a.x,
                               .y = a.y,
                               .width = a.width,
                               .height = a.height,
                               .wclass = GDK_INPUT_OUTPUT,
                               .visual = gtk_widget_get_visual (widget),
                               .event_mask = gtk_widget_get_events (widget) | GDK_EXPOSURE_MASK | GDK_BUTTON_PRESS_MASK
                                             | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK | GDK_SCROLL_MASK
                                             | GDK_SMOOTH_SCROLL_MASK | GDK_TOUCHPAD_GESTURE_MASK
                                             | GDK_LEAVE_NOTIFY_MASK | GDK_ENTER_NOTIFY_MASK | GDK_KEY_PRESS_MASK
                                             | GDK_KEY_RELEASE_MASK };
  w->window = gdk_window_new (gtk_widget_get_parent_window (widget), &attributes, GDK_WA_X | GDK_WA_Y | GDK_WA_VISUAL);
  gtk_widget_set_window (widget, w->window);
  gtk_widget_register_window (widget, w->window);
}

static void
canvas_size_allocate (GtkWidget *widget, GtkAllocation *a)
{
  gtk_widget_set_allocation (widget, a);
  if (gtk_widget_get_realized (widget))
    gdk_window_move_resize (EDITOR_CANVAS (widget)->window, a->x, a->y, a->width, a->height);
}

static void
canvas_preferred (GtkWidget *widget, int *minimum, int *natural)
{
  *minimum = 120;
  *natural = 400;
}

/* The toolkit knows when a pointer rests, but would lay a tip over the box; ports and wires are told at once:
 * canvas_draw. */
static gboolean
query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  EditorCanvas *w = EDITOR_CANVAS (widget);
  const SketchBox *box = keyboard || w->tool != TOOL_NONE ? NULL : canvas_hit (w, x, y).box;
  if (box != w->told) {
    w->told = box;
    canvas_redraw (w);
  }
  return FALSE;
}

static void
canvas_dispose (GObject *object)
{
  EditorCanvas *w = EDITOR_CANVAS (object);
  if (w->d)
    g_signal_handlers_disconnect_by_data (w->d, w);
  g_cancellable_cancel (w->layout);
  g_clear_object (&w->layout);
  g_clear_object (&w->pinch);
  g_clear_handle_id (&w->look_timeout, g_source_remove);
  g_clear_handle_id (&w->refusal_timeout, g_source_remove);
  g_clear_handle_id (&w->sharpen, g_source_remove);
  G_OBJECT_CLASS (editor_canvas_parent_class)->dispose (object);
}

static void
canvas_finalize (GObject *object)
{
  EditorCanvas *w = EDITOR_CANVAS (object);
  sketch_free (w->sketch);
  g_clear_pointer (&w->items, g_ptr_array_unref);
  g_ptr_array_unref (w->moved);
  g_ptr_array_unref (w->moved_frames);
  g_hash_table_unref (w->saved);
  g_hash_table_unref (w->anim);
  g_free (w->refusal);
  g_free (w->paste_text);
  g_clear_object (&w->d);
  G_OBJECT_CLASS (editor_canvas_parent_class)->finalize (object);
}

static void
editor_canvas_class_init (EditorCanvasClass *class)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (class);
  G_OBJECT_CLASS (class)->dispose = canvas_dispose;
  G_OBJECT_CLASS (class)->finalize = canvas_finalize;
  widget->realize = canvas_realize;
  widget->size_allocate = canvas_size_allocate;
  widget->get_preferred_width = canvas_preferred;
  widget->get_preferred_height = canvas_preferred;
  widget->draw = canvas_draw;
  widget->button_press_event = canvas_button_press;
  widget->button_release_event = canvas_button_release;
  widget->motion_notify_event = canvas_motion;
  widget->leave_notify_event = canvas_leave;
  widget->scroll_event = canvas_scroll;
  widget->key_press_event = canvas_key_press;
  widget->key_release_event = canvas_key_release;
  widget->query_tooltip = query_tooltip;
  widget->drag_motion = drag_motion;
  widget->drag_leave = drag_leave;
  widget->drag_drop = drag_drop;
  widget->drag_data_received = drag_data;
  gtk_widget_class_set_css_name (widget, "canvas");
  gtk_widget_class_set_accessible_type (widget, canvas_accessible_get_type ());
}

static void
editor_canvas_init (EditorCanvas *w)
{
  g_autofree char *font = NULL;
  static const GtkTargetEntry target = { (char *) SHELF_DRAG, GTK_TARGET_SAME_APP, 0 };
  g_object_get (gtk_settings_get_default (), "gtk-font-name", &font, NULL);
  PangoFontDescription *description = pango_font_description_from_string (font ? font : "Sans 10");
  w->sketch = sketch_new (pango_font_description_get_family (description));
  pango_font_description_free (description);
  w->sketch->last = scope_wire_last;
  w->view = (PaintView){ .zoom = 1, .scale = 1, .text = 1 };
  w->minimap = true;
  w->moved = g_ptr_array_new ();
  w->moved_frames = g_ptr_array_new ();
  w->saved = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  w->anim = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  gtk_widget_set_can_focus (GTK_WIDGET (w), TRUE);
  gtk_widget_set_has_window (GTK_WIDGET (w), TRUE);
  gtk_widget_set_has_tooltip (GTK_WIDGET (w), TRUE);
  gtk_drag_dest_set (GTK_WIDGET (w), 0, &target, 1, GDK_ACTION_COPY);
  canvas_add_pinch (w);
}

GtkWidget *
editor_canvas_new (ScopeDocument *d)
{
  EditorCanvas *w = g_object_new (EDITOR_TYPE_CANVAS, NULL);
  w->d = g_object_ref (d);
  g_signal_connect_swapped (d, "opened", G_CALLBACK (canvas_on_opened), w);
  g_signal_connect_swapped (d, "program", G_CALLBACK (canvas_rebuild), w);
  g_signal_connect_swapped (d, "activity", G_CALLBACK (on_activity), w);
  g_signal_connect_swapped (d, "mode", G_CALLBACK (on_activity), w);
  g_signal_connect_swapped (d, "selection", G_CALLBACK (canvas_on_selection), w);
  g_signal_connect_swapped (d, "look", G_CALLBACK (canvas_on_look), w);
  g_signal_connect_swapped (d, "saved", G_CALLBACK (canvas_on_saved), w);
  canvas_on_opened (w);
  gtk_widget_show (GTK_WIDGET (w));
  return GTK_WIDGET (w);
}
