/* SPDX-License-Identifier: Apache-2.0 */
/* picture-keys.c - keys on a picture, and rows of what stands in rows without a plot, as tables do: these are walked by
 * lines, and scrolled where there are more of them than there is room for. */
#include <math.h>
#include "document/curves.h"
#include "panes/lead.h"
#include "panes/picture.h"

#define NEARER 1.25
#define ROWS_A_TURN 3 /* of the wheel */

/* ---- rows ---------------------------------------------------------------------------------------------- */

bool
picture_in_rows (ScopePicture *p)
{
  return picture_sort (p) == PICTURE_DRAWING && p->view->rows != NULL;
}

static double
picture_keys_middle (const ViewItem *i)
{
  return i->y + i->height / 2;
}

/* Rows are as wide as anything: heads, cells, and what leads to further columns are parts of a line. */
static GArray *
picture_keys_lines_of (const GArray *items)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (int));
  double most = 0;

  for (guint i = 0; i < items->len; i++)
    most = fmax (most, g_array_index (items, ViewItem, i).width);
  for (int i = 0; i < (int) items->len; i++)
    if (g_array_index (items, ViewItem, i).width >= most - 1)
      g_array_append_val (lines, i);
  return lines;
}

static bool
scroll_to (ScopePicture *p, double first, guint seen)
{
  PictureShown s = p->shown;
  ViewScene scene;

  picture_scene (p, &scene);
  uint32_t all = picture_rows (p, &scene), now = s.n_rows > 0 ? s.first_row : 0;
  s.first_row = (uint32_t) CLAMP (first, 0, all > seen ? all - seen : 0);
  s.n_rows = all - s.first_row; /* to the end, as many as there is room for */
  if (s.first_row == now)
    return false;
  picture_show (p, s);
  return true;
}

static double
first_seen (ScopePicture *p)
{
  return p->shown.n_rows > 0 ? p->shown.first_row : 0;
}

/* By turns of the wheel, which may be parts of one.  False: there is no further, or nothing to scroll. */
bool
picture_scroll_rows (ScopePicture *p, double turns)
{
  g_autoptr (GArray) lines = picture_keys_lines_of (picture_items (p));

  if (p->shown.zoom > 1) {
    picture_pan (p, 0, turns * 60);
    return true;
  }
  p->turned = p->turned * turns < 0 ? turns * ROWS_A_TURN : p->turned + turns * ROWS_A_TURN;
  double rows = trunc (p->turned);
  p->turned -= rows;
  return rows == 0 || scroll_to (p, first_seen (p) + rows, lines->len);
}

/* The first row, or the first of those that are selected. */
static int
entered_at (ScopePicture *p, const GArray *items, const GArray *lines)
{
  for (guint i = 0; i < lines->len; i++)
    if (picture_is_selected (p, &g_array_index (items, ViewItem, g_array_index (lines, int, i))))
      return g_array_index (lines, int, i);
  return lines->len > 0 ? g_array_index (lines, int, 0) : -1;
}

/* Up and down by lines: from the first row to the heads, and at either end what is out of sight is scrolled in. */
static void
step_line (ScopePicture *p, int by)
{
  const GArray *items = picture_items (p);
  g_autoptr (GArray) lines = picture_keys_lines_of (items);
  int best = -1;

  if (p->focused < 0 || p->focused >= (int) items->len) {
    picture_focus_item (p, entered_at (p, items, lines));
    return;
  }
  double at = picture_keys_middle (&g_array_index (items, ViewItem, p->focused)), nearest = INFINITY;
  bool in_rows = false;
  for (guint i = 0; i < lines->len; i++) {
    int n = g_array_index (lines, int, i);
    double ahead = by * (picture_keys_middle (&g_array_index (items, ViewItem, n)) - at);
    in_rows = in_rows || fabs (ahead) < 1;
    if (ahead >= 1 && ahead < nearest) {
      nearest = ahead;
      best = n;
    }
  }
  if (best < 0 && in_rows && scroll_to (p, first_seen (p) + by, lines->len))
    return; /* the place stays, another row stands there */
  for (int i = 0; best < 0 && in_rows && by < 0 && i < (int) items->len; i++)
    best = picture_keys_middle (&g_array_index (items, ViewItem, i)) < at - 1 ? i : -1;
  if (best >= 0)
    picture_focus_item (p, best);
}

/* Left and right along a line, which begins with all of it; at its end what is out of sight is scrolled in. */
static bool
step_along (ScopePicture *p, int by)
{
  const GArray *items = picture_items (p);

  if (p->focused < 0 || p->focused >= (int) items->len)
    return false;
  const ViewItem *from = &g_array_index (items, ViewItem, p->focused);
  int best = -1;
  for (int i = 0; i < (int) items->len; i++) {
    const ViewItem *to = &g_array_index (items, ViewItem, i);
    if (i == p->focused || fabs (picture_keys_middle (to) - picture_keys_middle (from)) >= 1
        || by * (to->x - from->x) <= 0)
      continue;
    if (best < 0 || by * (g_array_index (items, ViewItem, best).x - to->x) > 0)
      best = i;
  }
  for (int i = 0; best < 0 && i < (int) items->len; i++)
    if (picture_scroll_by_item (p, &g_array_index (items, ViewItem, i), by))
      return true;
  if (best >= 0)
    picture_focus_item (p, best);
  return best >= 0;
}

static void
turn_page (ScopePicture *p, int by)
{
  g_autoptr (GArray) lines = picture_keys_lines_of (picture_items (p));

  scroll_to (p, first_seen (p) + by * (double) lines->len, lines->len);
}

/* ---- what is meant ------------------------------------------------------------------------------------- */

/* The next item that is a thing of its own: a row, a node, a line. */
static void
step_item (ScopePicture *p, int by)
{
  if (picture_in_rows (p))
    step_line (p, by);
  else
    picture_focus_item (p, p->focused < 0 && by < 0 ? 0 : MAX (p->focused + by, 0));
}

/* In a table, what is of nobody is there to be used: a head sorts at the first click. */
bool
picture_click_item (ScopePicture *p, const ViewItem *item, bool add)
{
  const DrawingTag *t = &item->mark.tag;

  if (!add && picture_in_rows (p) && t->what.type == TRACE_REF_NONE && t->event == 0 && t->value == NULL
      && picture_open_item (p, item))
    return true;
  picture_select (p, item, add);
  return false;
}

/* What the keys mean when nothing was stepped to: what is under the pointer. */
static void
use_pointed (ScopePicture *p, bool add)
{
  ViewItem item;

  if (!p->inside || !picture_item_at (p, p->last_x, p->last_y, &item, NULL))
    return;
  if (add || !curves_can (p->d, p->c, &item.mark.tag) || !picture_open_item (p, &item))
    picture_click_item (p, &item, add);
  g_free (item.name);
}

static const ViewItem *
item_stepped_to (ScopePicture *p)
{
  const GArray *items = picture_items (p);

  return p->focused >= 0 && p->focused < (int) items->len ? &g_array_index (items, ViewItem, p->focused) : NULL;
}

static void
use_item (ScopePicture *p, bool add)
{
  const ViewItem *i = item_stepped_to (p);

  if (i == NULL) {
    use_pointed (p, add);
    return;
  }
  if (add || !picture_is_selected (p, i))
    picture_click_item (p, i, add);
  else
    lead_on (p, i, i->mark.tag.from <= i->mark.tag.to ? i->mark.tag.from : INT64_MIN);
}

/* As a double click there. */
static bool
open_stepped_to (ScopePicture *p)
{
  const ViewItem *i = item_stepped_to (p);

  if (i == NULL)
    return false;
  lead_on (p, i, i->mark.tag.from <= i->mark.tag.to ? i->mark.tag.from : INT64_MIN);
  return true;
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static void
picture_keys_escape (ScopePicture *p)
{
  int64_t from, to;

  if (p->drag != DRAG_NONE)
    picture_input_cancel (p);
  else if (p->focused >= 0 || p->card != NULL)
    picture_focus_item (p, -1);
  else if (scope_document_range (p->d, &from, &to))
    scope_document_set_range (p->d, 1, 0);
  else
    picture_select (p, NULL, false);
}

static gboolean
picture_keys_on_key (GtkWidget *w, GdkEventKey *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  double width = picture_width (p), height = picture_height (p);
  bool text = picture_sort (p) == PICTURE_TEXT;
  guint state = e->state & gtk_accelerator_get_default_mod_mask ();

  if (p->c == NULL || !scope_document_is_open (p->d) || state & ~(GDK_SHIFT_MASK | GDK_CONTROL_MASK))
    return FALSE;
  switch (e->keyval) {
  case GDK_KEY_plus:
  case GDK_KEY_equal:
  case GDK_KEY_KP_Add:
    if (state & GDK_CONTROL_MASK)
      picture_zoom_rows (p, NEARER, NAN);
    else
      picture_zoom (p, NEARER, NAN, NAN);
    return TRUE;
  case GDK_KEY_minus:
  case GDK_KEY_KP_Subtract:
    if (state & GDK_CONTROL_MASK)
      picture_zoom_rows (p, 1 / NEARER, NAN);
    else
      picture_zoom (p, 1 / NEARER, NAN, NAN);
    return TRUE;
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    if (state & GDK_SHIFT_MASK)
      return open_stepped_to (p);
    use_item (p, state & GDK_CONTROL_MASK);
    return TRUE;
  case GDK_KEY_Menu:
    g_signal_emit_by_name (p, "menu", NULL);
    return TRUE;
  case GDK_KEY_F10:
    if (state != GDK_SHIFT_MASK)
      return FALSE;
    g_signal_emit_by_name (p, "menu", NULL);
    return TRUE;
  }
  if (state != 0)
    return FALSE;
  if (e->keyval >= GDK_KEY_1 && e->keyval <= GDK_KEY_9)
    return picture_look_from (p, (int) (e->keyval - GDK_KEY_1));
  if (picture_in_rows (p))
    switch (e->keyval) {
    case GDK_KEY_Left:
    case GDK_KEY_Right:
      if (step_along (p, e->keyval == GDK_KEY_Left ? -1 : 1))
        return TRUE;
      break;
    case GDK_KEY_Page_Up:
    case GDK_KEY_Page_Down:
      turn_page (p, e->keyval == GDK_KEY_Page_Up ? -1 : 1);
      return TRUE;
    }
  switch (e->keyval) {
  case GDK_KEY_w:
  case GDK_KEY_s:
    if (text)
      return FALSE;
    picture_zoom (p, e->keyval == GDK_KEY_w ? NEARER : 1 / NEARER, p->inside ? p->last_x : NAN,
                  p->inside ? p->last_y : NAN);
    return TRUE;
  case GDK_KEY_a:
  case GDK_KEY_Left:
    picture_pan (p, -width / 10, 0);
    return TRUE;
  case GDK_KEY_d:
  case GDK_KEY_Right:
    picture_pan (p, width / 10, 0);
    return TRUE;
  case GDK_KEY_Up:
    step_item (p, -1);
    return TRUE;
  case GDK_KEY_Down:
    step_item (p, 1);
    return TRUE;
  case GDK_KEY_Page_Up:
    picture_pan (p, text ? 0 : -width * 0.8, text ? -(height - 60) : -height * 0.8);
    return TRUE;
  case GDK_KEY_Page_Down:
    picture_pan (p, text ? 0 : width * 0.8, text ? height - 60 : height * 0.8);
    return TRUE;
  case GDK_KEY_BackSpace:
    return picture_step_back (p);
  case GDK_KEY_f:
  case GDK_KEY_F:
    picture_fit (p);
    return TRUE;
  case GDK_KEY_Escape:
    picture_keys_escape (p);
    return TRUE;
  }
  return FALSE;
}

static gboolean
picture_keys_on_focus (GtkWidget *w, GdkEventFocus *e, gpointer data)
{
  ScopePicture *p = SCOPE_PICTURE (w);
  g_autoptr (GdkEvent) now = gtk_get_current_event ();

  /* Who comes by key stands at a row, not before the heads. */
  if (e->in && p->focused < 0 && p->c != NULL && picture_is_alive (p) && picture_in_rows (p) && now != NULL
      && gdk_event_get_event_type (now) == GDK_KEY_PRESS) {
    g_autoptr (GArray) lines = picture_keys_lines_of (picture_items (p));
    p->focused = entered_at (p, picture_items (p), lines);
    picture_accessible_focused (p);
  }
  gtk_widget_queue_draw (w);
  return FALSE;
}

void
picture_keys_init (ScopePicture *p)
{
  g_signal_connect (p, "key-press-event", G_CALLBACK (picture_keys_on_key), NULL);
  g_signal_connect (p, "focus-in-event", G_CALLBACK (picture_keys_on_focus), NULL);
  g_signal_connect (p, "focus-out-event", G_CALLBACK (picture_keys_on_focus), NULL);
}
