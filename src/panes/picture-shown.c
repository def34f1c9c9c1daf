/* SPDX-License-Identifier: Apache-2.0 */
/* picture-shown.c - what part of the whole a picture shows, and what stands where in it. */
#include <math.h>
#include <string.h>
#include "panes/picture.h"
#include "views/chart.h"
#include "eve/words.h"
#include "views/paint.h"

/* ---- what is shown ------------------------------------------------------------------------------------- */

#define NEAREST 16 /* ticks */
#define MOVE_CAMERA _ ("Move the camera")

#define STEPS_MOST 64
#define ONE_STEP_US 1000000 /* turns of the wheel, or moves, that follow each other within so long are one */

typedef enum { STEP_OTHER, STEP_CLOSER, STEP_MOVED } StepSort;

static StepSort
sort_of_step (const PictureShown *a, const PictureShown *b)
{
  bool all = a->from > a->to, all_then = b->from > b->to;

  if (a->zoom < b->zoom || a->zoom > b->zoom)
    return b->zoom > 1 ? STEP_CLOSER : STEP_OTHER;
  if (a->n_rows != b->n_rows)
    return b->n_rows > 0 ? STEP_CLOSER : STEP_OTHER;
  if (all || all_then)
    return all && all_then ? STEP_MOVED : all ? STEP_CLOSER : STEP_OTHER;
  return a->to - a->from != b->to - b->from ? STEP_CLOSER : STEP_MOVED;
}

static bool
shows_the_same (const PictureShown *a, const PictureShown *b)
{
  bool dates = a->from > a->to ? b->from > b->to : a->from == b->from && a->to == b->to;

  return dates && a->first_row == b->first_row && a->n_rows == b->n_rows && a->event == b->event
         && fabs (a->zoom - b->zoom) < 1e-9 && fabs (a->left - b->left) < 0.5 && fabs (a->top - b->top) < 0.5;
}

/* What is shown now is gone back to, before something else is shown. */
static void
picture_shown_keep_step (ScopePicture *p, const PictureShown *next)
{
  int64_t now_us = g_get_monotonic_time ();
  StepSort sort = sort_of_step (&p->shown, next);
  bool goes_on = sort != STEP_OTHER && sort == p->step_sort && now_us - p->step_us < ONE_STEP_US;

  if (shows_the_same (&p->shown, next))
    return;
  p->step_sort = sort;
  p->step_us = now_us;
  if (goes_on)
    return;
  if (p->steps == NULL)
    p->steps = g_array_new (FALSE, FALSE, sizeof (PictureShown));
  if (p->steps->len == STEPS_MOST)
    g_array_remove_index (p->steps, 0);
  g_array_append_val (p->steps, p->shown);
}

void
picture_show (ScopePicture *p, PictureShown s)
{
  const TraceSource *source = scope_document_source (p->d);
  ViewScene scene;
  uint32_t rows;

  if (source == NULL || !picture_is_alive (p))
    return;
  if (s.from <= s.to) {
    double width = MAX ((double) s.to - (double) s.from, NEAREST);
    int64_t first = scope_document_first (p->d), last = scope_document_last (p->d); /* of all executions */
    if (width >= (double) last - (double) first) {
      s.from = 1;
      s.to = 0;
    } else {
      s.from = CLAMP (s.from, first, last - (int64_t) width);
      s.to = s.from + (int64_t) width;
    }
  }
  picture_scene (p, &scene);
  rows = picture_rows (p, &scene);
  if (s.n_rows >= rows)
    s.n_rows = s.first_row = 0;
  if (s.n_rows > 0)
    s.first_row = MIN (s.first_row, rows - s.n_rows);
  s.zoom = CLAMP (s.zoom, 1, 32);
  s.left = CLAMP (s.left, 0, (s.zoom - 1) * scene.width_px / p->shown.zoom);
  s.top = CLAMP (s.top, 0, (s.zoom - 1) * scene.height_px / p->shown.zoom);
  if (!p->goes_by_itself)
    picture_shown_keep_step (p, &s);
  p->shown = s;
  gtk_widget_queue_draw (GTK_WIDGET (p));
  g_signal_emit_by_name (p, "shown");
}

/* What no person asked for, or what was there before: nothing to go back to. */
static void
show_by_itself (ScopePicture *p, PictureShown s)
{
  p->goes_by_itself = true;
  picture_show (p, s);
  p->goes_by_itself = false;
}

/* The range that goes along: it turns over when the cursor has moved near its end.  A range that the user has chosen
 * stays until then. */
bool
picture_go_along (ScopePicture *p)
{
  int64_t at = scope_document_cursor (p->d), from = p->shown.from, to = p->shown.to, width = to - from;

  if (at == p->cursor_date)
    return false;
  p->cursor_date = at;
  if (!p->shown.follow || picture_sort (p) != PICTURE_TIME || from > to || p->drag == DRAG_TIME
      || (at >= from + width / 20 && at <= to - width / 20))
    return false;
  PictureShown shown = p->shown;
  shown.from = at - width / (at < from ? 2 : 5);
  shown.to = shown.from + width;
  show_by_itself (p, shown);
  return p->shown.from != from;
}

/* Rows and magnification are known with the size: until then what was kept is taken as it is. */
void
picture_restore (ScopePicture *p, PictureShown s)
{
  p->shown = s;
  p->shown.zoom = CLAMP (s.zoom, 1, 32);
  if (gtk_widget_get_allocated_width (GTK_WIDGET (p)) > 1)
    show_by_itself (p, s);
  else
    g_signal_emit_by_name (p, "shown");
}

static const ViewCamera *
picture_shown_camera_of (ScopePicture *p)
{
  return picture_is_alive (p) ? view_camera (p->c) : NULL;
}

bool
picture_move_camera (ScopePicture *p, ViewCameraMove how, double dx, double dy, double x, double y)
{
  const ViewCamera *camera = picture_shown_camera_of (p);
  ViewScene scene;

  if (camera == NULL)
    return false;
  picture_scene (p, &scene);
  camera->move (p->c, &scene, how, dx, dy, x, y);
  if (camera->is_shared (p->c)) {
    scope_document_look_again (p->d); /* it is drawn with all that share its camera */
    return true;
  }
  p->looks++;
  gtk_widget_queue_draw (GTK_WIDGET (p));
  return true;
}

static void
picture_shown_set_of (ScopePicture *p, EveComponent *c, const char *what, const char *setting, const char *value)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *label = g_strdup_printf (_ ("%s of %s"), what, eve_name (c));

  scope_document_begin_edit (p->d, label);
  if (!eve_set (c, setting, value, &error))
    scope_document_say (p->d, SCOPE_SAY_ERROR, "%s", error->message);
  scope_document_end_edit (p->d);
}

void
picture_set (ScopePicture *p, const char *what, const char *setting, const char *value)
{
  picture_shown_set_of (p, p->c, what, setting, value);
}

void
picture_settle_camera (ScopePicture *p)
{
  const ViewCamera *camera = picture_shown_camera_of (p);
  g_autofree char *value = NULL;
  EveComponent *of = NULL;
  const char *setting = camera != NULL ? camera->settle (p->c, &of, &value) : NULL;

  if (setting != NULL)
    picture_shown_set_of (p, of, MOVE_CAMERA, setting, value);
}

bool
picture_step_back (ScopePicture *p)
{
  const ViewCamera *camera = picture_shown_camera_of (p);
  g_autofree char *value = NULL;
  EveComponent *of = NULL;
  const char *setting = camera != NULL ? camera->back (p->c, &of, &value) : NULL;

  if (camera == NULL && p->steps != NULL && p->steps->len > 0) {
    PictureShown before = g_array_index (p->steps, PictureShown, p->steps->len - 1);
    g_array_set_size (p->steps, p->steps->len - 1);
    p->step_sort = STEP_OTHER;
    before.follow = p->shown.follow;
    show_by_itself (p, before);
    return true;
  }
  if (setting != NULL)
    picture_shown_set_of (p, of, MOVE_CAMERA, setting, value);
  return setting != NULL || scope_document_range_back (p->d);
}

void
picture_set_kept (ScopePicture *p, const char *what, const char *setting, const char *value)
{
  const ViewCamera *camera = picture_shown_camera_of (p);

  if (camera != NULL)
    picture_shown_set_of (p, camera->keeper (p->c), what, setting, value);
}

void
picture_place_camera (ScopePicture *p, const char *place)
{
  picture_set_kept (p, MOVE_CAMERA, "camera", place);
}

bool
picture_look_from (ScopePicture *p, int side)
{
  EveComponent *of = picture_shown_camera_of (p) != NULL ? view_camera (p->c)->keeper (p->c) : NULL;
  const EveClass *k = of != NULL ? eve_class (of) : NULL;
  const EveField *f = NULL;
  int n = 0;

  for (uint32_t i = 0; k != NULL && i < k->n_settings; i++)
    f = strcmp (k->settings[i].name, "side") == 0 ? &k->settings[i] : f;
  while (f != NULL && f->kind == EVE_F_CHOICE && f->choices[n] != NULL)
    n++;
  if (side < 0 || side >= n)
    return false;
  scope_document_begin_edit (p->d, _ ("Look from another side"));
  picture_shown_set_of (p, of, MOVE_CAMERA, "side", f->choices[side]);
  picture_shown_set_of (p, of, MOVE_CAMERA, "camera", "");
  scope_document_end_edit (p->d);
  return true;
}

void
picture_fit (ScopePicture *p)
{
  picture_place_camera (p, "");
  picture_show (p, (PictureShown){ .from = 1,
                                   .to = 0,
                                   .event = picture_sort (p) == PICTURE_TEXT ? p->shown.event : UINT64_MAX,
                                   .zoom = 1,
                                   .follow = p->shown.follow });
}

static void
zoom_time (ScopePicture *p, double factor, double x)
{
  PictureShown s = p->shown;
  cairo_rectangle_t plot;
  int64_t from, to, at = scope_document_cursor (p->d);
  double width, share = 0.5;

  if (!picture_plot (p, &plot, &from, &to))
    return;
  if (!isnan (x))
    share = CLAMP ((x - plot.x) / plot.width, 0, 1);
  else if (at >= from && at <= to)
    share = ((double) at - (double) from) / ((double) to - (double) from);
  width = MAX (((double) to - (double) from) / factor, NEAREST);
  s.from = (int64_t) llround ((double) from + share * ((double) to - (double) from - width));
  s.to = s.from + (int64_t) width;
  picture_show (p, s);
}

void
picture_zoom (ScopePicture *p, double factor, double x, double y)
{
  PictureShown s = p->shown;

  if (picture_move_camera (p, VIEW_CAMERA_ZOOM, factor, 0, x, y)) {
    picture_settle_camera (p);
    return;
  }
  if (picture_sort (p) == PICTURE_TIME) {
    zoom_time (p, factor, x);
  } else if (picture_sort (p) == PICTURE_DRAWING) {
    if (isnan (x)) {
      x = picture_width (p) / 2;
      y = picture_height (p) / 2;
    }
    factor = CLAMP (s.zoom * factor, 1, 32) / s.zoom;
    s.zoom *= factor;
    s.left = (s.left + x) * factor - x;
    s.top = (s.top + y) * factor - y;
    picture_show (p, s);
  }
}

void
picture_zoom_rows (ScopePicture *p, double factor, double y)
{
  PictureShown s = p->shown;
  cairo_rectangle_t plot;
  ViewScene scene;
  int64_t from, to;
  double all, n, share = 0.5;

  picture_scene (p, &scene);
  all = picture_rows (p, &scene);
  if (all == 0 || !picture_plot (p, &plot, &from, &to))
    return;
  if (!isnan (y))
    share = CLAMP ((y - plot.y) / plot.height, 0, 1);
  n = s.n_rows != 0 ? s.n_rows : all;
  /* At least one row more or less, however few there are. */
  double wanted = factor > 1 ? MIN (floor (n / factor), n - 1) : MAX (ceil (n / factor), n + 1);
  wanted = CLAMP (wanted, 1, all);
  s.first_row = (uint32_t) MAX (round (s.first_row + share * (n - wanted)), 0);
  s.n_rows = (uint32_t) wanted;
  picture_show (p, s);
}

static void
scroll_text (ScopePicture *p, int lines)
{
  PictureShown s = p->shown;
  ViewScene scene;

  picture_scene (p, &scene);
  if (lines == 0 || !p->view->scroll (p->c, &scene, lines, &s.event))
    return;
  s.follow = false;
  picture_show (p, s);
}

void
picture_pan (ScopePicture *p, double dx, double dy)
{
  PictureShown s = p->shown;
  cairo_rectangle_t plot;
  int64_t from, to;

  if (picture_move_camera (p, VIEW_CAMERA_ORBIT, dx, dy, NAN, NAN)) {
    picture_settle_camera (p);
    return;
  }
  switch (picture_sort (p)) {
  case PICTURE_TEXT:
    scroll_text (p, (int) lround (dy / 20));
    return;
  case PICTURE_DRAWING:
    s.left += dx;
    s.top += dy;
    break;
  case PICTURE_TIME:
    if (!picture_plot (p, &plot, &from, &to))
      return;
    if (s.from <= s.to) {
      double by = dx * ((double) to - (double) from) / plot.width;
      s.from = from + (int64_t) llround (by);
      s.to = s.from + (to - from);
    }
    if (s.n_rows > 0)
      s.first_row = (uint32_t) MAX (round (s.first_row + dy * s.n_rows / plot.height), 0);
    break;
  }
  picture_show (p, s);
}

void
picture_set_follow (ScopePicture *p, bool on)
{
  PictureShown s = p->shown;
  ViewScene scene;

  s.follow = on;
  if (picture_sort (p) == PICTURE_TEXT) {
    picture_scene (p, &scene);
    if (on)
      s.event = UINT64_MAX;
    else if (s.event == UINT64_MAX)
      p->view->scroll (p->c, &scene, 0, &s.event);
  }
  picture_show (p, s);
  if (on)
    p->cursor_date = INT64_MIN;
  picture_go_along (p);
}

PictureTool
picture_tool (ScopePicture *p)
{
  return p->tool;
}

void
picture_set_tool (ScopePicture *p, PictureTool tool)
{
  if (p->tool == tool)
    return;
  p->tool = tool;
  g_signal_emit_by_name (p, "shown");
}

char *
picture_caption (ScopePicture *p, bool exact)
{
  const TraceSource *source = scope_document_source (p->d);
  const PictureShown *s = &p->shown;
  ViewScene scene;

  if (source == NULL || source->first > source->last || !picture_is_alive (p))
    return g_strdup ("");
  picture_scene (p, &scene);
  if (picture_sort (p) == PICTURE_TIME || !(picture_depends (p, &scene) & VIEW_ON_INSTANT)) {
    bool said = scene.from <= scene.to; /* also of the whole, where several executions share an axis */
    int64_t from = said ? scene.from : scene.source->first, to = said ? scene.to : scene.source->last;
    int decimals = axis_span_decimals (&source->clock, (double) to - (double) from, 3);
    g_autofree char *a = axis_date (&source->clock, from, decimals), *b = axis_date (&source->clock, to, decimals);
    char *unit = g_strrstr (a, "\u2009");
    if (picture_sort (p) == PICTURE_TEXT)
      return g_strdup_printf (_ ("from event %" PRIu64), s->event);
    if (unit != NULL)
      *unit = '\0';
    return g_strdup_printf ("%s \u2013 %s", a, b);
  }
  if (view_is_counted (&scene))
    return chart_range_told (&scene);
  const char *outdated = scope_document_outdated (p->d);
  int decimals = exact ? -1 : axis_span_decimals (&source->clock, (double) source->last - (double) source->first, 3);
  g_autofree char *date = axis_date (&source->clock, scope_document_at (p->d), decimals);
  return g_strjoin (" · ", date, outdated, NULL);
}

/* ---- items --------------------------------------------------------------------------------------------- */

static void
picture_shown_clear_item (gpointer item)
{
  g_clear_pointer (&((ViewItem *) item)->name, g_free);
}

/* A view that can be asked for a point does without marks of what is dense, until they are listed. */
static const Drawing *
marks_of (ScopePicture *p, bool all)
{
  EveComponent *drawn;
  ViewScene scene;
  bool entered;

  if (p->drawing == NULL || !picture_is_alive (p))
    return NULL;
  if (!drawing_is_partial (p->drawing) || (!all && p->view->point != NULL))
    return p->drawing;
  if (p->marks == NULL) {
    picture_scene (p, &scene);
    drawn = picture_enter (p, &entered);
    p->marks = view_marks (drawn, p->view, &scene, PICTURE_MARKS, NULL);
    picture_leave (p, entered);
  }
  return p->marks != NULL ? p->marks : p->drawing;
}

const Drawing *
picture_marks (ScopePicture *p)
{
  return marks_of (p, false);
}

const GArray *
picture_items (ScopePicture *p)
{
  ViewScene scene;

  if (p->items == NULL) {
    p->items = g_array_new (FALSE, TRUE, sizeof (ViewItem));
    g_array_set_clear_func (p->items, picture_shown_clear_item);
    if (picture_is_alive (p)) {
      bool entered;
      const Drawing *marks = marks_of (p, true);
      picture_scene (p, &scene);
      EveComponent *drawn = picture_enter (p, &entered);
      view_items (drawn, p->view, &scene, marks, p->items, PICTURE_MARKS);
      picture_leave (p, entered);
    }
  }
  return p->items;
}

void
picture_point_out (ScopePicture *p, uint64_t event)
{
  p->point_out = event + 1;
  gtk_widget_queue_draw (GTK_WIDGET (p));
}

bool
picture_item_at (ScopePicture *p, double x, double y, ViewItem *item, GString *facts)
{
  ViewScene scene;

  *item = (ViewItem){ 0 };
  if (!picture_is_alive (p))
    return false;
  x += picture_sort (p) == PICTURE_DRAWING ? p->shown.left : 0;
  y += picture_sort (p) == PICTURE_DRAWING ? p->shown.top : 0;
  bool entered;
  const Drawing *marks = picture_marks (p);
  picture_scene (p, &scene);
  EveComponent *drawn = picture_enter (p, &entered);
  bool there = view_item_at (drawn, p->view, &scene, marks, x, y, item, facts);
  picture_leave (p, entered);
  return there;
}

int64_t
picture_date_at (ScopePicture *p, double x, double y)
{
  cairo_rectangle_t plot;
  int64_t from, to, date = INT64_MIN;
  ViewItem item;

  if (picture_plot (p, &plot, &from, &to))
    return x < plot.x - 4 || x > plot.x + plot.width + 4
               ? INT64_MIN
               : CLAMP ((int64_t) llround ((double) from + (x - plot.x) / plot.width * ((double) to - (double) from)),
                        from, to);
  if (picture_item_at (p, x, y, &item, NULL)) {
    if (item.mark.tag.from <= item.mark.tag.to)
      date = item.mark.tag.from;
    g_free (item.name);
  }
  return date;
}

int64_t
picture_date_meant (ScopePicture *p)
{
  const GArray *items = p->focused >= 0 ? picture_items (p) : NULL;

  if (p->meant != INT64_MIN)
    return p->meant;
  if (p->inside && picture_date_at (p, p->last_x, p->last_y) != INT64_MIN)
    return picture_date_at (p, p->last_x, p->last_y);
  if (items != NULL && p->focused < (int) items->len) {
    const ViewItem *i = &g_array_index (items, ViewItem, p->focused);
    if (i->mark.tag.from <= i->mark.tag.to)
      return i->mark.tag.from;
  }
  return INT64_MIN;
}

static TraceRefs *
owners_of (ScopePicture *p, const ViewItem *item)
{
  TraceRefs *refs = trace_refs_new ();
  ViewScene scene;

  if (item != NULL && picture_is_alive (p)) {
    bool entered;
    picture_scene (p, &scene);
    EveComponent *drawn = picture_enter (p, &entered);
    view_owners (drawn, p->view, &scene, &item->mark, refs);
    picture_leave (p, entered);
  }
  return refs;
}

void
picture_select (ScopePicture *p, const ViewItem *item, bool add)
{
  g_autoptr (TraceRefs) refs = owners_of (p, item);

  scope_document_set_view (p->d, eve_name (p->c));
  scope_document_select_refs (p->d, refs, add);
}

bool
picture_is_selected (ScopePicture *p, const ViewItem *item)
{
  g_autoptr (TraceRefs) refs = owners_of (p, item);
  bool all = trace_refs_n (refs) > 0;

  for (uint32_t i = 0; all && i < trace_refs_n (refs); i++)
    all = trace_refs_has (scope_document_selection (p->d), trace_refs_at (refs, i));
  return all;
}

void
picture_point_at (ScopePicture *p, const ViewItem *item)
{
  g_autoptr (TraceRefs) refs = owners_of (p, item);

  scope_document_hover (p->d, refs);
}

static void
draw_frames (ScopePicture *p, cairo_t *cr, ViewScene scene, const TraceRefs *refs, double more)
{
  const DrawingMark *m = NULL;

  scene.selection = refs;
  for (guint i = 0; trace_refs_n (refs) > 0 && (m = drawing_next_thing (p->drawing, &i, m)) != NULL;)
    if (m->tag.event == 0 && view_selects_tag (&scene, &m->tag)) /* lines of a text have their own look */
      drawing_frame (p->drawing, m, cr, more);
}

void
picture_draw_frames (ScopePicture *p, cairo_t *cr, const ViewScene *scene, uint32_t on)
{
  if (p->drawing == NULL)
    return;
  cairo_save (cr);
  cairo_translate (cr, -p->made.left, -p->made.top);
  paint_source (cr, DRAWING_ACCENT, 1);
  cairo_set_line_width (cr, 2);
  if (!(on & VIEW_ON_SELECTED))
    draw_frames (p, cr, *scene, scope_document_selection (p->d), 2);
  paint_source (cr, DRAWING_ACCENT, 0.7);
  cairo_set_line_width (cr, 1.5);
  draw_frames (p, cr, *scene, scope_document_hovered (p->d), 1.5);
  cairo_restore (cr);
}

int
picture_focused_item (ScopePicture *p)
{
  return p->focused;
}

void
picture_focus_item (ScopePicture *p, int index)
{
  const GArray *items = picture_items (p);

  p->focused = items->len == 0 ? -1 : CLAMP (index, -1, (int) items->len - 1);
  if (p->focused >= 0) {
    const ViewItem *i = &g_array_index (items, ViewItem, p->focused);
    hover_item (p, i->x - p->made.left + MIN (i->width / 2, 60), i->y - p->made.top + i->height, i);
  } else {
    hover_forget (p);
  }
  picture_accessible_focused (p);
  gtk_widget_queue_draw (GTK_WIDGET (p));
}
