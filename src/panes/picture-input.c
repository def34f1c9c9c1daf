/* SPDX-License-Identifier: Apache-2.0 */
/* picture-input.c - the pointer on a picture (keys: picture-keys.c).
 *
 * A press becomes a drag once it has moved a little; what it then does depends on where it began: on the ruler it moves
 * time, on an item that the view lets go it moves the item, elsewhere the tool says.  Escape puts everything back. */
#include <math.h>
#include "document/curves.h"
#include "document/look-at.h"
#include "eve/words.h"
#include "panes/groups.h"
#include "panes/lead.h"
#include "panes/picture.h"
#include "panes/tie.h"
#include "views/paint.h"

#define SLACK 4 /* px that a click may move */
#define NEARER 1.25

/* Events come in px of the widget. */
static double
scene_px (double widget_px)
{
  return widget_px / picture_text ();
}

static void
queue (ScopePicture *p)
{
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

static void
drop_drag (ScopePicture *p)
{
  if (p->drag == DRAG_RANGE)
    scope_document_set_drags_range (p->d, false);
  p->drag = DRAG_NONE;
  g_clear_pointer (&p->stroke, g_array_unref);
  g_clear_pointer (&p->dragged.name, g_free);
  gdk_window_set_cursor (gtk_widget_get_window (GTK_WIDGET (p)), NULL);
  queue (p);
}

void
picture_input_cancel (ScopePicture *p)
{
  if (p->drag == DRAG_CAMERA && picture_is_alive (p)) {
    view_camera (p->c)->cancel (p->c);
    p->looks++;
  }
  if (p->drag == DRAG_RANGE) /* as it was before */
    scope_document_set_range (p->d, p->range_from, p->range_to);
  if (p->drag != DRAG_NONE)
    drop_drag (p);
}

static bool
is_on_ruler (ScopePicture *p, double x, double y)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  return picture_plot (p, &plot, &from, &to) && x >= plot.x && x <= plot.x + plot.width
         && (y >= plot.y + plot.height || (y < plot.y && y > plot.y - 22));
}

static bool
is_beside_plot (ScopePicture *p, double x)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  return picture_plot (p, &plot, &from, &to) && x < plot.x;
}

/* ---- moving items -------------------------------------------------------------------------------------- */

/* Gives back the edit that putting the item there would be; NULL: none. */
static const char *
drag_to (ScopePicture *p, double x, double y, char **value)
{
  double left = picture_sort (p) == PICTURE_DRAWING ? p->shown.left : 0,
         top = picture_sort (p) == PICTURE_DRAWING ? p->shown.top : 0;
  ViewScene scene;

  if (p->view->drag == NULL || p->dragged.name == NULL)
    return NULL;
  picture_scene (p, &scene);
  return p->view->drag (p->c, &scene, &p->dragged.mark, x + left, y + top, value);
}

static bool
is_movable (ScopePicture *p, double x, double y)
{
  g_autofree char *value = NULL;
  bool ok;

  if (p->view->drag == NULL || (picture_sort (p) == PICTURE_TIME && !is_beside_plot (p, x))
      || !picture_item_at (p, x, y, &p->dragged, NULL))
    return false;
  ok = drag_to (p, x, y, &value) != NULL;
  if (!ok)
    g_clear_pointer (&p->dragged.name, g_free);
  return ok;
}

/* Views call what is scrolled past "first ...": "first row", "first column". */
static bool
scrolls (const char *setting)
{
  return g_str_has_prefix (setting, "first ");
}

static void
picture_input_change (ScopePicture *p, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;

  if (scrolls (setting)) {
    if (!document_look_at (p->d, p->c, setting, value, &error))
      scope_document_say (p->d, SCOPE_SAY_ERROR, "%s", error->message);
    return;
  }
  g_autofree char *what = g_strdup_printf (_ ("Change %s"), setting);

  picture_set (p, what, setting, value);
}

static void
drop_item (ScopePicture *p, double x, double y)
{
  g_autofree char *value = NULL;
  const char *setting = drag_to (p, x, y, &value);

  if (setting != NULL)
    picture_input_change (p, setting, value);
}

bool
picture_open_item (ScopePicture *p, const ViewItem *item)
{
  g_autofree char *value = NULL;
  ViewScene scene;

  if (pane_groups_turn (p, item))
    return true;
  if (curves_can (p->d, p->c, &item->mark.tag))
    return curves_show (p->d, p->c, &item->mark.tag, NULL, "scope.curve");
  if (p->view->open == NULL)
    return false;
  picture_scene (p, &scene);
  bool entered;
  EveComponent *drawn = picture_enter (p, &entered);
  const char *setting = p->view->open (drawn, &scene, &item->mark, &value);
  picture_leave (p, entered);
  if (setting != NULL)
    picture_input_change (p, setting, value);
  return setting != NULL;
}

bool
picture_scroll_by_item (ScopePicture *p, const ViewItem *item, int by)
{
  g_autofree char *value = NULL, *now = NULL;
  ViewScene scene;
  bool entered;

  if (p->view->open == NULL)
    return false;
  picture_scene (p, &scene);
  EveComponent *drawn = picture_enter (p, &entered);
  const char *setting = p->view->open (drawn, &scene, &item->mark, &value);
  picture_leave (p, entered);
  if (setting == NULL || !scrolls (setting) || (now = eve_get (p->c, setting)) == NULL
      || by * (g_ascii_strtod (value, NULL) - g_ascii_strtod (now, NULL)) <= 0)
    return false;
  picture_input_change (p, setting, value);
  return true;
}

/* ---- drags --------------------------------------------------------------------------------------------- */

static const GtkTargetEntry number_target = { (char *) "application/x-scope-number", GTK_TARGET_SAME_APP, 1 };

/* A number is dragged to a chart of any window: by the means of the toolkit. */
static bool
begin_number (ScopePicture *p)
{
  g_autoptr (GtkTargetList) targets = gtk_target_list_new (&number_target, 1);

  if (!picture_item_at (p, p->press_x, p->press_y, &p->dragged, NULL))
    return false;
  if (!curves_can (p->d, p->c, &p->dragged.mark.tag)) {
    g_clear_pointer (&p->dragged.name, g_free);
    return false;
  }
  GdkDragContext *context = gtk_drag_begin_with_coordinates (GTK_WIDGET (p), targets, GDK_ACTION_COPY,
                                                             GDK_BUTTON_PRIMARY, NULL, -1, -1);
  GtkWidget *label = gtk_label_new (p->dragged.name), *window = gtk_window_new (GTK_WINDOW_POPUP);
  gtk_style_context_add_class (gtk_widget_get_style_context (window), "scope-message");
  g_object_set (label, "margin", 6, NULL);
  gtk_container_add (GTK_CONTAINER (window), label);
  gtk_widget_show_all (window);
  gtk_drag_set_icon_widget (context, window, -12, -12);
  return true;
}

/* It lies with the picture that it is dragged from; to be dropped at all, something has to be given. */
static void
on_number_get (GtkWidget *w, GdkDragContext *context, GtkSelectionData *data)
{
  gtk_selection_data_set (data, gtk_selection_data_get_target (data), 8, (const guchar *) "1", 1);
}

static void
on_number_end (GtkWidget *w, GdkDragContext *context)
{
  drop_drag (SCOPE_PICTURE (w));
}

static void
picture_input_begin_drag (ScopePicture *p, bool pan)
{
  const char *cursor = "grabbing";

  if (!pan && begin_number (p)) {
    p->drag = DRAG_NUMBER;
    hover_forget (p);
    return;
  }
  if (!pan && p->tool < PICTURE_DRAW && is_on_ruler (p, p->press_x, p->press_y)) {
    p->drag = DRAG_TIME;
    cursor = "col-resize";
  } else if (!pan && p->tool < PICTURE_DRAW && is_movable (p, p->press_x, p->press_y)) {
    p->drag = DRAG_ITEM;
  } else if (!pan && p->tool >= PICTURE_DRAW) {
    p->drag = DRAG_STROKE;
    strokes_begin (p);
    cursor = "crosshair";
  } else if (!pan && p->tool == PICTURE_INSPECT && picture_sort (p) == PICTURE_TIME) {
    p->drag = DRAG_RANGE;
    scope_document_set_drags_range (p->d, true);
    if (!scope_document_range (p->d, &p->range_from, &p->range_to)) {
      p->range_from = 1;
      p->range_to = 0;
    }
    cursor = "text";
  } else {
    p->drag = view_camera (p->c) != NULL ? DRAG_CAMERA : DRAG_PAN;
    if (p->drag == DRAG_CAMERA)
      p->camera_move = p->adds ? VIEW_CAMERA_TURN : pan ? VIEW_CAMERA_SLIDE : VIEW_CAMERA_ORBIT;
  }
  hover_forget (p);
  g_autoptr (GdkCursor) shape = gdk_cursor_new_from_name (gtk_widget_get_display (GTK_WIDGET (p)), cursor);
  gdk_window_set_cursor (gtk_widget_get_window (GTK_WIDGET (p)), shape);
}

static void
move_time (ScopePicture *p, double x)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  if (picture_plot (p, &plot, &from, &to))
    scope_document_go_date (p->d, picture_date_at (p, CLAMP (x, plot.x, plot.x + plot.width), plot.y));
}

static void
select_range (ScopePicture *p, double x)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  if (!picture_plot (p, &plot, &from, &to))
    return;
  if (fabs (x - p->press_x) < SLACK) {
    scope_document_set_range (p->d, 1, 0);
    return;
  }
  double left = CLAMP (MIN (x, p->press_x), plot.x, plot.x + plot.width),
         right = CLAMP (MAX (x, p->press_x), plot.x, plot.x + plot.width);
  double ticks = ((double) to - (double) from) / plot.width;
  scope_document_set_view (p->d, eve_name (p->c));
  scope_document_set_range (p->d, from + (int64_t) llround ((left - plot.x) * ticks),
                            from + (int64_t) llround ((right - plot.x) * ticks));
}

/* A motion is less than a row where rows are large: what is left counts with the next one. */
static double
whole_rows (ScopePicture *p, double dy)
{
  cairo_rectangle_t plot;
  int64_t from, to;

  if (picture_sort (p) != PICTURE_TIME || p->shown.n_rows == 0 || !picture_plot (p, &plot, &from, &to))
    return dy;
  double row = plot.height / p->shown.n_rows;
  return trunc (dy / row) * row;
}

static void
drag (ScopePicture *p, double x, double y)
{
  switch (p->drag) {
  case DRAG_TIME:
    move_time (p, x);
    break;
  case DRAG_PAN:
    if (picture_sort (p) != PICTURE_TEXT) {
      double dy = whole_rows (p, p->last_y - y);
      picture_pan (p, p->last_x - x, dy);
      p->last_x = x;
      p->last_y -= dy;
      return;
    }
    if (fabs (y - p->last_y) < 20)
      return; /* not a line yet: the rest counts with the next motion */
    picture_pan (p, 0, p->last_y - y);
    break;
  case DRAG_RANGE:
    select_range (p, x); /* told at once, while it goes on */
    queue (p);
    break;
  case DRAG_STROKE:
    strokes_to (p, x, y);
    queue (p);
    break;
  case DRAG_ITEM:
    queue (p);
    break;
  case DRAG_CAMERA:
    picture_move_camera (p, p->camera_move, x - p->last_x, y - p->last_y, p->press_x, p->press_y);
    break;
  default:
    break;
  }
  p->last_x = x;
  p->last_y = y;
}

#define SAME_PLACE 3 /* px */

/* Of a scene with depth, a click where there was one before means what lies behind. */
static bool
item_clicked (ScopePicture *p, double x, double y, bool add, ViewItem *item)
{
  bool again = !add && hypot (x - p->clicked_x, y - p->clicked_y) <= SAME_PLACE && picture_is_alive (p)
               && view_camera (p->c) != NULL;
  ViewScene scene;

  p->clicked_x = x;
  p->clicked_y = y;
  if (!again)
    return picture_item_at (p, x, y, item, NULL);
  picture_scene (p, &scene);
  return view_item_below (p->c, p->view, &scene, x + (picture_sort (p) == PICTURE_DRAWING ? p->shown.left : 0),
                          y + (picture_sort (p) == PICTURE_DRAWING ? p->shown.top : 0), item);
}

static void
click (ScopePicture *p, double x, double y, bool add)
{
  ViewItem item;

  p->opened = false;
  if (is_on_ruler (p, x, y)) {
    move_time (p, x);
  } else if (item_clicked (p, x, y, add, &item)) {
    p->opened = picture_click_item (p, &item, add);
    g_free (item.name);
  } else if (!add) {
    picture_select (p, NULL, false);
  }
}

static gboolean
picture_input_on_press (GtkWidget *w, GdkEventButton *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  double x = scene_px (e->x), y = scene_px (e->y);

  gtk_widget_grab_focus (w);
  if (p->c == NULL || !scope_document_is_open (p->d))
    return TRUE;
  if (gdk_event_triggers_context_menu ((GdkEvent *) e)) {
    p->meant = picture_date_at (p, x, y); /* the pointer will be in the menu */
    g_signal_emit_by_name (p, "menu", e);
    return TRUE;
  }
  if (e->type == GDK_2BUTTON_PRESS && e->button == GDK_BUTTON_PRIMARY) {
    drop_drag (p);
    if (!p->opened)
      lead_from (p, x, y);
    return TRUE;
  }
  if (e->type != GDK_BUTTON_PRESS || (e->button != GDK_BUTTON_PRIMARY && e->button != GDK_BUTTON_MIDDLE))
    return FALSE;
  p->press_x = p->last_x = x;
  p->press_y = p->last_y = y;
  p->drag = DRAG_PRESSED;
  p->adds = e->button == GDK_BUTTON_PRIMARY && e->state & GDK_CONTROL_MASK;
  if (e->button == GDK_BUTTON_MIDDLE)
    picture_input_begin_drag (p, true);
  else if (p->adds) /* a click adds, a drag moves the picture */
    return TRUE;
  else if (is_on_ruler (p, x, y))
    picture_input_begin_drag (p, false);
  return TRUE;
}

static gboolean
picture_input_on_motion (GtkWidget *w, GdkEventMotion *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  double x = scene_px (e->x), y = scene_px (e->y);

  p->inside = true;
  p->meant = INT64_MIN;
  if (p->drag == DRAG_PRESSED && e->state & GDK_SHIFT_MASK && view_camera (p->c) != NULL
      && hypot (x - p->press_x, y - p->press_y) >= SLACK)
    picture_input_begin_drag (p, true);
  if (p->drag == DRAG_PRESSED && hypot (x - p->press_x, y - p->press_y) >= SLACK)
    picture_input_begin_drag (p, p->adds);
  if (p->drag == DRAG_CAMERA) /* keys may come and go: several moves in one gesture */
    p->camera_move = e->state & GDK_CONTROL_MASK                      ? VIEW_CAMERA_TURN
                     : e->state & (GDK_SHIFT_MASK | GDK_BUTTON2_MASK) ? VIEW_CAMERA_SLIDE
                                                                      : VIEW_CAMERA_ORBIT;
  if (p->drag != DRAG_NONE && p->drag != DRAG_PRESSED) {
    drag (p, x, y);
  } else {
    p->last_x = x;
    p->last_y = y;
    hover_later (p);
  }
  return TRUE;
}

static gboolean
picture_input_on_release (GtkWidget *w, GdkEventButton *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  PictureDrag was = p->drag;
  double x = scene_px (e->x), y = scene_px (e->y);

  if (was == DRAG_NUMBER) /* the toolkit has it */
    return FALSE;
  if (was == DRAG_PRESSED)
    click (p, x, y, p->adds);
  else if (was == DRAG_RANGE)
    select_range (p, x);
  else if (was == DRAG_ITEM)
    drop_item (p, x, y);
  else if (was == DRAG_STROKE)
    strokes_end (p);
  else if (was == DRAG_TIME)
    move_time (p, x);
  else if (was == DRAG_CAMERA)
    picture_settle_camera (p);
  if (was != DRAG_NONE)
    drop_drag (p);
  return TRUE;
}

static gboolean
on_cross (GtkWidget *w, GdkEventCrossing *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);

  p->inside = e->type == GDK_ENTER_NOTIFY || p->drag != DRAG_NONE;
  if (!p->inside && e->mode == GDK_CROSSING_NORMAL)
    hover_forget (p);
  return FALSE;
}

/* ---- wheel and pinch ----------------------------------------------------------------------------------- */

static gboolean
on_scroll (GtkWidget *w, GdkEventScroll *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  double dx = 0, dy = 0, x = scene_px (e->x), y = scene_px (e->y);

  if (p->c == NULL || !scope_document_is_open (p->d))
    return FALSE;
  switch (e->direction) {
  case GDK_SCROLL_UP:
    dy = -1;
    break;
  case GDK_SCROLL_DOWN:
    dy = 1;
    break;
  case GDK_SCROLL_LEFT:
    dx = -1;
    break;
  case GDK_SCROLL_RIGHT:
    dx = 1;
    break;
  default:
    gdk_event_get_scroll_deltas ((GdkEvent *) e, &dx, &dy);
  }
  if (e->state & GDK_SHIFT_MASK) {
    dx += dy;
    dy = 0;
  }
  if (picture_in_rows (p) && !(e->state & (GDK_CONTROL_MASK | GDK_MOD1_MASK)) && dy != 0)
    return picture_scroll_rows (p, dy);
  hover_forget (p);
  if (e->state & GDK_MOD1_MASK && dy != 0)
    pane_groups_evenly (p, dy < 0);
  else if (picture_sort (p) == PICTURE_TEXT)
    picture_pan (p, 0, dy * 60);
  else if (e->state & GDK_CONTROL_MASK && picture_sort (p) == PICTURE_TIME)
    picture_zoom_rows (p, pow (NEARER, -dy), y);
  else if (dy != 0)
    picture_zoom (p, pow (NEARER, -dy), x, y);
  if (dx != 0 && picture_sort (p) != PICTURE_TEXT)
    picture_pan (p, dx * 60, 0);
  return TRUE;
}

static void
on_pinch_begin (GtkGesture *g, GdkEventSequence *sequence, ScopePicture *p)
{
  p->pinch_from = 1;
  picture_input_cancel (p);
}

static void
on_pinch (GtkGestureZoom *g, double scale, ScopePicture *p)
{
  double x, y;

  if (!(scale > 0) || !gtk_gesture_get_bounding_box_center (GTK_GESTURE (g), &x, &y))
    return;
  picture_zoom (p, scale / p->pinch_from, scene_px (x), scene_px (y));
  p->pinch_from = scale;
}

/* ---- colours and numbers dropped -------------------------------------------------------------------------- */

/* The picture that a number is dragged from; NULL: it is none, or of another document, or not for this picture. */
static ScopePicture *
number_from (ScopePicture *p, GdkDragContext *context)
{
  GtkWidget *source = gtk_drag_get_source_widget (context);

  return source != NULL && SCOPE_IS_PICTURE (source) && SCOPE_PICTURE (source)->drag == DRAG_NUMBER
                 && SCOPE_PICTURE (source)->d == p->d && p->c != NULL && curves_input (p->c) != NULL
             ? SCOPE_PICTURE (source)
             : NULL;
}

/* A colour comes as four numbers of 16 bits, of the legend or of any other program.
 *
 * Only colours, shapes, attributes and numbers are for a picture: files that are dragged over it are for the window. */
static gboolean
on_colour_motion (GtkWidget *w, GdkDragContext *context, int x, int y, guint time)
{
  GdkAtom target = gtk_drag_dest_find_target (w, context, NULL);

  if (target == GDK_NONE)
    return FALSE;
  if (target == gdk_atom_intern_static_string (number_target.target)
      && number_from (SCOPE_PICTURE (w), context) == NULL) {
    gdk_drag_status (context, 0, time);
    return TRUE;
  }
  gtk_drag_highlight (w);
  gdk_drag_status (context, GDK_ACTION_COPY, time);
  return TRUE;
}

static gboolean
on_colour_drop (GtkWidget *w, GdkDragContext *context, int x, int y, guint time)
{
  GdkAtom target = gtk_drag_dest_find_target (w, context, NULL);

  if (target != GDK_NONE)
    gtk_drag_get_data (w, context, target, time);
  return target != GDK_NONE;
}

bool
picture_colour_at (ScopePicture *p, double x, double y, const char **attribute, const char **value)
{
  bool drawing = picture_sort (p) == PICTURE_DRAWING;
  ViewScene scene;

  if (p->c == NULL || !scope_document_is_open (p->d) || !picture_is_alive (p))
    return false;
  picture_scene (p, &scene);
  if (!view_colour_at (p->c, p->view, &scene, picture_marks (p), scene_px (x) + (drawing ? p->shown.left : 0),
                       scene_px (y) + (drawing ? p->shown.top : 0), attribute, value))
    return false;
  *attribute = g_intern_string (*attribute);
  *value = g_intern_string (*value);
  return true;
}

static void
picture_input_on_colour (GtkWidget *w, GdkDragContext *context, int x, int y, GtkSelectionData *data, guint info,
                         guint time, gpointer arg)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  const guint16 *rgba = (const guint16 *) (const void *) gtk_selection_data_get_data (data);
  const char *attribute, *value;

  if (info == number_target.info) {
    ScopePicture *from = number_from (p, context);
    if (from != NULL && picture_is_alive (from))
      curves_show (p->d, from->c, &from->dragged.mark.tag, p->c, NULL);
    gtk_drag_finish (context, from != NULL, FALSE, time);
    return;
  }
  gtk_drag_finish (context, TRUE, FALSE, time);
  if (info == TIE_INFO) {
    bool on = picture_colour_at (p, x, y, &attribute, &value);
    TieOnto onto = { on ? attribute : NULL, on ? value : NULL, p->c != NULL ? eve_name (p->c) : NULL };
    tie_drop (p->d, data, &onto, w, x, y);
    return;
  }
  if (gtk_selection_data_get_length (data) != 8 || !picture_colour_at (p, x, y, &attribute, &value))
    return;
  view_colours_set (scope_document_colours (p->d), attribute, value,
                    (uint32_t) (rgba[0] >> 8) << 16 | (uint32_t) (rgba[1] >> 8) << 8 | (uint32_t) (rgba[2] >> 8));
  scope_document_look_changed (p->d);
}

/* ---- what a drag looks like ---------------------------------------------------------------------------- */

/* The range that is selected, wherever it was. */
static void
draw_range (ScopePicture *p, cairo_t *cr, const ViewScene *scene)
{
  cairo_rectangle_t plot;
  int64_t from, to, begin, finish;
  Paint paint;

  if (!scope_document_range (p->d, &begin, &finish) || !picture_plot (p, &plot, &from, &to) || finish < from
      || begin > to)
    return;
  double per_tick = plot.width / ((double) to - (double) from), all = ((double) begin - (double) from) * per_tick,
         left = plot.x + CLAMP (all, 0, plot.width),
         right = plot.x + CLAMP (((double) finish - (double) from) * per_tick, 0, plot.width);
  g_autofree char *length = axis_duration (&scene->source->clock, (double) finish - (double) begin);
  paint_over (&paint, scene, cr);
  paint_source (cr, 0x3584e4, p->drag == DRAG_RANGE ? 0.18 : 0.12);
  cairo_rectangle (cr, left, plot.y, right - left, plot.height);
  cairo_fill (cr);
  paint_source (cr, 0x3584e4, 1);
  cairo_rectangle (cr, left, plot.y, begin >= from ? 1 : 0, plot.height);
  cairo_rectangle (cr, right - 1, plot.y, finish <= to ? 1 : 0, plot.height);
  cairo_fill (cr);
  double width = paint_text_width (&paint, PAINT_TEXT | PAINT_BOLD, length) + 12, x = (left + right) / 2;
  if (p->drag == DRAG_RANGE || width < right - left) {
    paint_source (cr, 0x1c71d8, 1);
    cairo_rectangle (cr, floor (x - width / 2), plot.y + 6, ceil (width), 20);
    cairo_fill (cr);
    paint_text (&paint, x, plot.y + 16, 0.5, PAINT_TEXT | PAINT_BOLD, 0xffffff, 0, length);
  }
  paint_end (&paint);
}

static void
draw_item (ScopePicture *p, cairo_t *cr, const ViewScene *scene)
{
  const ViewItem *i = &p->dragged;
  bool row = picture_sort (p) == PICTURE_TIME;
  double width = row ? picture_width (p) - 16 : i->width, height = MAX (i->height, 4),
         x = row ? 8 : p->last_x - width / 2, y = p->last_y - height / 2;
  g_autofree char *value = NULL;
  bool ok = drag_to (p, p->last_x, p->last_y, &value) != NULL;
  Paint paint;

  paint_over (&paint, scene, cr);
  paint_source (cr, ok ? 0x3584e4 : paint.muted, 0.25);
  cairo_rectangle (cr, x, y, width, height);
  cairo_fill_preserve (cr);
  paint_source (cr, ok ? 0x3584e4 : paint.muted, 1);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  paint_text (&paint, CLAMP (p->last_x + 14, 8, MAX (8, picture_width (p) - 160)), y - 10, 0, PAINT_TEXT | PAINT_BOLD,
              paint.ink, 150, i->name);
  paint_end (&paint);
}

void
picture_input_draw (ScopePicture *p, cairo_t *cr, const ViewScene *scene)
{
  draw_range (p, cr, scene);
  strokes_draw (p, cr);
  if (p->drag == DRAG_ITEM)
    draw_item (p, cr, scene);
}

void
picture_input_init (ScopePicture *p)
{
  GtkWidget *w = GTK_WIDGET (p);

  p->clicked_x = p->clicked_y = -1e9;

  gtk_widget_add_events (w, GDK_BUTTON_PRESS_MASK | GDK_BUTTON_RELEASE_MASK | GDK_POINTER_MOTION_MASK | GDK_SCROLL_MASK
                                | GDK_SMOOTH_SCROLL_MASK | GDK_ENTER_NOTIFY_MASK | GDK_LEAVE_NOTIFY_MASK
                                | GDK_KEY_PRESS_MASK | GDK_FOCUS_CHANGE_MASK | GDK_TOUCHPAD_GESTURE_MASK);
  g_signal_connect (w, "button-press-event", G_CALLBACK (picture_input_on_press), NULL);
  g_signal_connect (w, "motion-notify-event", G_CALLBACK (picture_input_on_motion), NULL);
  g_signal_connect (w, "button-release-event", G_CALLBACK (picture_input_on_release), NULL);
  g_signal_connect (w, "enter-notify-event", G_CALLBACK (on_cross), NULL);
  g_signal_connect (w, "leave-notify-event", G_CALLBACK (on_cross), NULL);
  g_signal_connect (w, "scroll-event", G_CALLBACK (on_scroll), NULL);
  picture_keys_init (p);
  const GtkTargetEntry targets[] = { { (char *) "application/x-color", 0, 0 }, number_target, tie_target };
  gtk_drag_dest_set (w, 0, targets, G_N_ELEMENTS (targets), GDK_ACTION_COPY);
  g_signal_connect (w, "drag-end", G_CALLBACK (on_number_end), NULL);
  g_signal_connect (w, "drag-data-get", G_CALLBACK (on_number_get), NULL);
  g_signal_connect (w, "drag-motion", G_CALLBACK (on_colour_motion), NULL);
  g_signal_connect (w, "drag-drop", G_CALLBACK (on_colour_drop), NULL);
  g_signal_connect (w, "drag-leave", G_CALLBACK (gtk_drag_unhighlight), NULL);
  g_signal_connect (w, "drag-data-received", G_CALLBACK (picture_input_on_colour), NULL);
  p->pinch = gtk_gesture_zoom_new (w);
  g_signal_connect (p->pinch, "begin", G_CALLBACK (on_pinch_begin), p);
  g_signal_connect (p->pinch, "scale-changed", G_CALLBACK (on_pinch), p);
}
